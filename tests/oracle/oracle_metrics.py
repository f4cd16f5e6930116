#!/usr/bin/env python3
"""Every metric of real traces, computed again from the JSON by the definitions, without speed.

oracle_metrics.py PROGRAM FOLDER: exact to the nanosecond. Exits with 77 where the traces are not.
"""
import gzip
import json
import os
import re
import subprocess
import sys

# File, iterations, kernels of one, kernels before the first.
TRACES = [
    ("kineto-resnet50-workers0.pt.trace.json.gz", 6, 1462, 0),
    ("kineto-resnet50-workers4.pt.trace.json.gz", 6, 1478, 0),
    ("kineto-resnet50-partial-a.json.gz", 6, 1476, 708),
    ("hta-diff-control.json.gz", 6, 1383, None),
    ("hta-diff-test.json.gz", 6, 1510, 542),
    ("hta-ns-resolution.json.gz", 5, 870, None),
]


class Nanoseconds(str):
    """A JSON number as it stands, in microseconds."""

    def ns(self):
        whole, _, part = self.partition(".")
        return int(whole) * 1000 + int((part + "000")[:3])


def read(path):
    with gzip.open(path, "rt", encoding="utf-8", errors="replace") as file:
        text = file.read()
    document = json.loads(text, strict=False, parse_float=Nanoseconds, parse_int=Nanoseconds)
    events = document["traceEvents"] if isinstance(document, dict) else document
    operations = []
    for event in events:
        if event.get("ph") != "X" or event.get("cat") not in ("kernel", "Kernel", "gpu_memcpy",
                                                              "Memcpy", "gpu_memset", "Memset"):
            continue
        args = event["args"]
        start = event["ts"].ns()
        operations.append({
            "start": start, "end": start + event["dur"].ns(), "name": event["name"],
            "kernel": event["cat"].lower() == "kernel",
            "device": str(args["device"]), "stream": str(args["stream"]),
            "upload": bool(re.match("Memcpy HtoD", event["name"])),
            "bytes": int(args.get("bytes", 0)),
            "correlation": int(args.get("correlation", args.get("External id", 0)))})
    operations.sort(key=lambda op: (op["start"], op["end"], op["correlation"]))
    zero = operations[0]["start"]
    for op in operations:
        op["start"] -= zero
        op["end"] -= zero
    return operations


def covered(uploads, start, end):
    """Length of the union of uploads within [start, end), by its corners."""
    total, at = 0, start
    for op in sorted(uploads, key=lambda op: op["start"]):
        low, high = max(op["start"], at), min(op["end"], end)
        if high > low:
            total += high - low
            at = high
    return total


def compute(operations, iterations):
    """Metrics of iterations, which are lists of places in the main stream's operations."""
    main, uploads = operations
    found = []
    for k, (first, last) in enumerate(iterations):
        inside = main[first:last + 1]
        row = {"start_ns": main[first]["start"], "end_ns": main[last]["end"]}
        row["duration_ns"] = row["end_ns"] - row["start_ns"]
        gaps, until = [], inside[0]["end"]
        for op in inside[1:]:
            gaps.append(max(0, op["start"] - until))
            until = max(until, op["end"])
        row["operation_gap_ns"] = sum(gaps) / len(gaps)
        if k:
            begin = main[iterations[k - 1][1]]["end"]
            interval = max(0, row["start_ns"] - begin)
            row["interval_ns"] = interval
            row["overlap"] = (covered(uploads, begin, begin + interval) / interval if interval
                              else None)
        else:
            before = [op["end"] for op in main[:first] if op["kernel"]]
            begin = before[-1] if before else -10 ** 18
        row["h2d_bytes"] = sum(op["bytes"] for op in uploads
                               if begin <= op["start"] < row["end_ns"])
        row["period_ns"] = (main[iterations[k + 1][0]]["start"] - row["start_ns"]
                            if k + 1 < len(iterations) else None)
        found.append(row)
    return found


def check(name, have, want):
    if want is None or have is None:
        return have is want
    if name == "overlap":
        return abs(have - want) < 1e-8
    return abs(have - want) <= (0.5 if name == "operation_gap_ns" else 0)


def check_trace(program, path, count, length, head):
    report = json.loads(subprocess.run([program, path, str(count)], stdout=subprocess.PIPE,
                                       check=True).stdout)
    loop = report["loops"][0]
    operations = read(path)
    main = [op for op in operations if op["device"] == str(loop["device"]) and
            op["stream"] == str(loop["stream"])]
    uploads = [op for op in operations if op["upload"] and op["device"] == str(loop["device"])]
    kernels = [place for place, op in enumerate(main) if op["kernel"]]
    complete = [it for it in loop["iterations"] if not it["partial"]]
    failures = 0
    if head is None:
        head = complete[0]["first_kernel"]
    places = [(kernels[head + k * length], kernels[head + (k + 1) * length - 1])
              for k in range(count)]
    want = compute((main, uploads), places)
    if len(complete) != count:
        print(f"{path}: {len(complete)} complete iterations, not {count}")
        return 1
    for k, (it, row) in enumerate(zip(complete, want)):
        for name, value in row.items():
            if not check(name, it[name], value):
                print(f"{path}: {name} of iteration {k} is {it[name]}, not {value}")
                failures += 1
    return failures


def main():
    program, folder = sys.argv[1], os.environ.get("DEEPPROF_TRACES", sys.argv[2])
    if not os.path.isdir(folder):
        print(f"no traces in {folder}")
        sys.exit(77)
    sys.exit(1 if sum(check_trace(program, os.path.join(folder, file), *rest)
                      for file, *rest in TRACES) else 0)


main()

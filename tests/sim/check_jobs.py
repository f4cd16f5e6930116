#!/usr/bin/env python3
"""Generates jobs and holds their files against the truth next to them.

usage: check_jobs.py SIMULATOR FOLDER

Files are read by readers of their own here. Of every job: times on the hosts' clocks, taken back to
true time, must order as the job's dependencies demand. No synchronizing collective ends on any rank
before all have reached it, its ends agree to the skew that was asked for, broadcasts wait for their
root and receives for their sends; streams run one operation at a time. Faults must cost what the
truth says, and be where it says.
"""

import collections
import json
import os
import sqlite3
import subprocess
import sys

SYNCHRONIZING = {"allreduce", "allgather", "reduce_scatter", "all_to_all", "barrier"}
SKEW = 8000  # ns: the simulator's default
Op = collections.namedtuple("Op", "start end stream collective")
Call = collections.namedtuple("Call", "name group sequence rank peer start end")

JOBS = {
    "data": ["-p", "data"],
    "sharded": ["-p", "sharded", "buffers=1"],
    "tensor": ["-p", "tensor", "barrier=2"],
    "expert": ["-p", "expert"],
    "pipeline": ["-p", "pipeline", "microbatches=4"],
    "mixed": ["-p", "mixed"],
    "far": ["ranks=16", "hosts=4", "offset=200ms", "drift=80ppm", "expert=2", "names=plain"],
    "compute": ["fault=compute:rank=5,first=2,factor=4,operator=attention"],
    "clock": ["tensor=2", "fault=clock:rank=3,first=1,factor=1.2"],
    "host": ["fault=host:rank=1,every=2,time=2ms"],
    "launches": ["fault=host:rank=1,factor=20"],
    "input": ["fault=input:rank=7,first=3,time=5ms"],
    "link": ["ranks=16", "data-bytes=200M", "fault=link:rank=9,first=2,factor=3"],
    "late": ["late=2:3", "missing=5:1"],
}
SMALL = ["layers=2", "iterations=6"]
LATE_PARTS = {"compute", "clock", "host", "input"}


def ns(text):
    whole, _, part = str(text).partition(".")
    return int(whole) * 1000 + int((part + "000")[:3])


class Decimal(str):
    """A JSON number with its digits."""


def read_kineto(path):
    with open(path) as file:
        document = json.load(file, parse_float=Decimal)
    ops, calls, marks = [], [], 0
    rank = document.get("distributedInfo", {}).get("rank")
    for event in document["traceEvents"]:
        marks += event.get("name", "").startswith("ProfilerStep#")
        if event.get("cat") not in ("kernel", "gpu_memcpy"):
            continue
        start = ns(event["ts"])
        end, args = start + ns(event["dur"]), event["args"]
        name = args.get("Collective name")
        ops.append(Op(start, end, args["stream"], event["cat"] == "kernel" and name))
        if name:
            ranks = json.loads(args["Process Group Ranks"].replace(", ...", ""))
            assert args["Group size"] == len(ranks) or len(ranks) == 30
            peer = args.get("Dst Rank" if name == "send" else "Src Rank")
            calls.append(Call(name, args["Process Group Name"], args["Seq"], rank,
                              None if peer is None else ranks[peer], start, end))
    return rank, ops, calls, marks


def read_deepprof(path):
    database = sqlite3.connect(path)
    zero, = database.execute("SELECT value FROM meta WHERE key = 't0_realtime_ns'").fetchone()
    rank, = database.execute("SELECT rank FROM process").fetchone()
    ops = [Op(zero + start, zero + start + length, stream, nccl) for start, length, stream, nccl in
           database.execute("SELECT start, dur_ns, stream, value LIKE 'nccl%' FROM kernel "
                            "JOIN string ON string.id = name "
                            "UNION ALL SELECT start, dur_ns, stream, 0 FROM memcpy")]
    logged, = database.execute("SELECT count(*) FROM nccl JOIN nvtx ON nvtx = nvtx.id "
                               "WHERE nccl.rank < ranks").fetchone()
    marks, = database.execute("SELECT count(*) FROM nvtx JOIN string ON string.id = name "
                              "WHERE value LIKE 'ProfilerStep#%'").fetchone()
    assert logged == sum(1 for op in ops if op.collective), "all collectives are described"
    database.close()
    return rank, ops, [], marks


def to_true(call, truth, rank):
    """A call's times on a clock without an error."""
    host = truth["hosts"][[h["name"] for h in truth["hosts"]].index(truth["ranks"][rank]["host"])]
    rate = 1 + host["drift_ppb"] / 1e9

    def back(time):
        return round((time - host["zero_ns"]) / rate)
    return call._replace(start=back(call.start), end=back(call.end), rank=rank)


def check_streams(ops):
    by_stream = collections.defaultdict(list)
    for op in ops:
        by_stream[op.stream].append(op)
    for stream in by_stream.values():
        stream.sort()
        for before, after in zip(stream, stream[1:]):
            assert before.end <= after.start, ("one operation at a time", before, after)


def check_collectives(calls, truth):
    members = {group["name"]: group["ranks"] for group in truth["groups"]}
    meetings = collections.defaultdict(list)
    for call in calls:
        if call.peer is None:
            meetings[call.group, call.sequence, call.name].append(call)
        else:
            pair = (call.rank, call.peer) if call.name == "send" else (call.peer, call.rank)
            meetings[pair, call.sequence, "pair"].append(call)
    whole = 0
    for (group, _, name), parts in meetings.items():
        expected = 2 if name == "pair" else len(members[group])
        assert len(parts) <= expected
        if len(parts) < expected:
            continue
        whole += 1
        last = max(part.start for part in parts)
        if name in SYNCHRONIZING:
            ends = [part.end for part in parts]
            assert min(ends) >= last, "none ends before all have come"
            assert max(ends) - min(ends) <= SKEW + 10, max(ends) - min(ends)
        elif name == "pair":
            assert min(part.end for part in parts) >= last
        else:
            root = min(parts, key=lambda part: part.rank)
            assert min(part.end for part in parts) >= root.start
    assert whole, "some are whole"


def check_faults(name, calls, truth):
    for fault in truth["faults"]:
        assert fault["cost_ns"] > 200000 * fault["iterations"], fault
        ends = truth["ends_ns"]
        periods = [b - a for a, b in zip(ends, ends[1:])]
        hit = [p for i, p in enumerate(periods, 1) if i >= fault["first"] and
               (i - fault["first"]) % fault["every"] == 0]
        others = [p for i, p in enumerate(periods, 1) if p not in hit]
        if others:
            gain = sum(hit) / len(hit) - sum(others) / len(others)
            assert abs(gain - fault["cost_per_iteration_ns"]) < 0.1 * gain, (gain, fault)
        if fault["part"] in LATE_PARTS and not truth["tensor"] > 1:
            waits = collections.Counter()
            for call in calls:
                waits[call.rank] += call.end - call.start
            assert min(waits, key=waits.get) == fault["rank"], "who is late does not wait"


def check(simulator, folder, name, settings):
    deepprof = name in ("mixed", "clock")
    path = os.path.join(folder, name)
    run = [simulator, "job", *settings, *SMALL, "-o"]
    subprocess.run([*run, path], check=True)
    with open(os.path.join(path, "truth.json")) as file:
        truth = json.load(file)
    every = []
    for place in truth["ranks"]:
        rank, ops, calls, marks = read_kineto(os.path.join(path, place["file"]))
        assert rank == place["rank"]
        assert sum(1 for op in ops if op.collective is not False) == place["kernels"]
        assert len(calls) == place["collectives"]
        assert marks <= truth["iterations"]
        check_streams(ops)
        every += [to_true(call, truth, rank) for call in calls]
    check_collectives(every, truth)
    check_faults(name, every, truth)
    if deepprof:
        subprocess.run([*run, path, "-F", "deepprof"], check=True)
        for place in truth["ranks"]:
            stem = place["file"].partition(".")[0]
            rank, ops, _, marks = read_deepprof(os.path.join(path, stem + ".db"))
            assert rank == place["rank"] and marks == truth["iterations"]
            assert sum(1 for op in ops if op.collective) == place["collectives"]
            check_streams(ops)
    if name == "late":
        counts = [place["collectives"] for place in truth["ranks"]]
        assert counts[0] - counts[2] == truth["late"]["collectives"]
        assert counts[5] < counts[0]


def main():
    simulator, folder = sys.argv[1:]
    os.makedirs(folder, exist_ok=True)
    for name, settings in JOBS.items():
        try:
            check(simulator, folder, name, settings)
        except AssertionError:
            print(f"in job {name}:", file=sys.stderr)
            raise
    twice = [os.path.join(folder, "data", "rank-0003.pt.trace.json"),
             os.path.join(folder, "again", "rank-0003.pt.trace.json")]
    subprocess.run([simulator, "job", *JOBS["data"], *SMALL, "-o",
                    os.path.join(folder, "again")], check=True)
    assert len({open(path, "rb").read() for path in twice}) == 1, "the same bytes"


if __name__ == "__main__":
    main()

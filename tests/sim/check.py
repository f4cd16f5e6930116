#!/usr/bin/env python3
"""Generates every preset in every format and holds each file against its truth.

usage: check.py [--part I/N] [--held SIM-HELD] SIMULATOR FOLDER [PRESET...]

Each file is read by a small reader of its own here (json, sqlite3, csv), not by the library. From
its operations and the iterations' kernel numbers in the truth, the paper's numbers are computed
again and compared. Every file is generated twice: the bytes must be equal. With --held the library
reads each file too, and is held against the truth.
"""

import csv
import gc
import gzip
import json
import os
import sqlite3
import subprocess
import sys

KERNEL, COPY, SET, GRAPH = range(4)
HTOD = 1


class Op:
    """An operation: times in ns, stream as a key that sorts."""

    __slots__ = ("kind", "start", "end", "place", "name", "bytes", "copy")

    def __init__(self, kind, start, end, place, name, size=0, copy=0):
        self.kind, self.start, self.end = kind, start, end
        self.place, self.name, self.bytes, self.copy = place, name, size, copy


def to_ns(text, digits):
    """A decimal number of units of 10^digits ns, exactly."""
    whole, _, part = text.partition(".")
    return int(whole + (part + "0" * digits)[:digits]) if digits else int(whole)


def copy_kind(name):
    return {"HtoD": 1, "DtoH": 2, "DtoD": 8}[name.split()[1].strip("]")]


class Decimal(str):
    """A JSON number with its digits."""


def read_kineto(path, truth):
    opener = gzip.open if path.endswith(".gz") else open
    with opener(path, "rt") as file:
        document = json.load(file, parse_float=Decimal, parse_int=Decimal)
    modern = truth["format"] in ("kineto", "kineto-relative", "kineto-xpu", "kineto-mtia")
    digits = 3
    base = 0
    if truth["format"] == "kineto-relative":
        base = int(document["baseTimeNanoseconds"])
    ops, calls, ranges = [], 0, 0
    kinds = {"kernel": KERNEL, "Kernel": KERNEL, "gpu_memcpy": COPY, "Memcpy": COPY,
             "gpu_memset": SET, "Memset": SET}
    flows = {"s": set(), "f": set()}
    launched = set()
    for event in document["traceEvents"]:
        if event["ph"] in flows:
            flows[event["ph"]].add(event["id"])
        if event["ph"] != "X":
            continue
        cat = event["cat"]
        calls += cat in ("cuda_runtime", "xpu_runtime", "mtia_runtime", "Runtime")
        ranges += cat in ("cpu_op", "user_annotation", "Operator")
        args = event.get("args", {})
        if cat == "mtia_ccp_events":
            way = args.get("direction", "")
            source, _, target = way.split("_") if way else ("", "", "")
            event["name"] = f"Memcpy {source[0]}to{target[0]}" if way else event["name"]
            event["tid"], args["device"], args["context"] = args["stream"], event["pid"], 0
            args["bytes"] = args.get("size", 0)
            cat = "gpu_memcpy" if way else "kernel"
        if cat not in kinds:
            continue
        start = to_ns(event["ts"], digits) + base
        launched.add(args["correlation"])
        stream = event["tid"] if modern else event["tid"].removeprefix("stream ")
        assert stream == args["stream"] and event["pid"] == args["device"]
        kind = kinds[cat]
        ops.append(Op(kind, start, start + to_ns(event["dur"], digits),
                      (int(args["device"]), int(args["context"]), int(args["stream"])),
                      event["name"], int(args.get("bytes", 0)),
                      copy_kind(event["name"]) if kind == COPY else 0))
    assert flows["f"] in (launched, set()), "flows end at operations"
    return ops, {"calls": calls, "ranges": ranges}


def read_rows(path, truth):
    """rocprof's results.json: rows named by what they hold."""
    with open(path) as file:
        events = json.load(file)["traceEvents"]
    rows = {e["pid"]: e["args"]["name"] for e in events if e["ph"] == "M"}
    ops, host = [], {"calls": 0, "ranges": 0}
    for event in events:
        row = rows[event["pid"]]
        if event["ph"] != "X":
            continue
        start = to_ns(event["ts"], 3)
        if row in ("CPU HIP API", "Markers and Ranges"):
            host["calls" if row == "CPU HIP API" else "ranges"] += 1
            continue
        assert row == "COPY" or row == "GPU" + event["args"]["dev-id"]
        ops.append(Op(COPY if row == "COPY" else KERNEL, start, start + to_ns(event["dur"], 3),
                      None, event["name"]))
    return ops, host


def read_jax(path, truth):
    """JAX's trace.json: rows named as an XPlane's planes and lines."""
    with open(path) as file:
        events = json.load(file, parse_float=Decimal, parse_int=Decimal)["traceEvents"]
    assert events.pop() == {}
    rows = {(e["name"], e["pid"], e["tid"]): e["args"]["name"] for e in events if e["ph"] == "M"}
    contexts = {(s["device"], s["stream"]): s["context"] for s in truth["streams"]}
    copies = {"MemcpyH2D": 1, "MemcpyD2H": 2, "MemcpyD2D": 8}
    ops, host = [], {"calls": 0, "ranges": 0}
    for event in (e for e in events if e["ph"] == "X"):
        if rows["process_name", event["pid"], "0"] == "/host:CPU":
            host["calls" if event["name"].startswith("cuda") else "ranges"] += 1
        elif rows["thread_name", event["pid"], event["tid"]].startswith("Stream #"):
            start, stream = to_ns(event["ts"], 3), int(event["tid"])
            device = int(rows["process_name", event["pid"], "0"].rsplit(":", 1)[1])
            copy = copies.get(event["name"], 0)
            details = dict(word.split(":", 1)
                           for word in event.get("args", {}).get("memcpy_details", "").split())
            ops.append(Op(COPY if copy else KERNEL, start, start + to_ns(event["dur"], 3),
                          (device, contexts[device, stream], stream), event["name"],
                          int(details.get("size", 0)), copy))
    return ops, host


def read_tasks(path, truth):
    """Ascend's trace_view.json: tasks by their type."""
    with open(path) as file:
        events = json.load(file, parse_float=Decimal, parse_int=Decimal)
    ops = []
    for event in events:
        task = event["args"].get("Task Type")
        if task:
            start = to_ns(event["ts"], 3)
            ops.append(Op(KERNEL if task == "AI_CORE" else COPY, start,
                          start + to_ns(event["dur"], 3), None, event["name"]))
    return ops, {}


def read_legacy(path, truth):
    with open(path) as file:
        document = json.load(file, parse_int=Decimal)
    ops = []
    for event in document:
        if event["pid"] != "CUDA functions":
            continue
        start = to_ns(event["ts"], 3)
        name = event["name"]
        kind = COPY if name.startswith("Memcpy") else SET if name.startswith("Memset") else KERNEL
        ops.append(Op(kind, start, start + to_ns(event["dur"], 3), None, name))
    return ops, {}


def read_timeline(path, truth):
    with open(path) as file:
        events = json.load(file, parse_int=Decimal)["traceEvents"]
    rows = {e["pid"]: e["args"]["name"] for e in events if e["ph"] == "M"}
    ops, every = [], 0
    for event in events:
        if event["ph"] != "X":
            continue
        row = rows[event["pid"]]
        if "stream:all" in row:
            every += 1
            continue
        start = to_ns(event["ts"], 3)
        name = event["name"]
        kind = COPY if name.startswith("MEMCPY") else SET if name == "MEMSET" else KERNEL
        ops.append(Op(kind, start, start + to_ns(event["dur"], 3), row, name))
    assert every == len(ops), "stream:all repeats the streams"
    return ops, {}


def connect(path):
    db = sqlite3.connect("file:%s?mode=ro" % path, uri=True)
    assert db.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    return db


def has(db, table):
    return db.execute("SELECT 1 FROM sqlite_master WHERE name = ?", (table,)).fetchone()


def count(db, table):
    return db.execute("SELECT count(*) FROM " + table).fetchone()[0] if has(db, table) else 0


def read_nsys(path, truth):
    db = connect(path)
    place = "deviceId, contextId, streamId"
    t0 = db.execute("SELECT utcEpochNs FROM TARGET_INFO_SESSION_START_TIME").fetchone()[0]
    old = truth["format"] == "nsys-2022"
    assert has(db, "EXPORT_META_DATA" if old else "META_DATA_EXPORT")
    ops = []
    for kind, table, columns in (
            (KERNEL, "KERNEL", "(SELECT value FROM StringIds WHERE id = demangledName), 0, 0"),
            (COPY, "MEMCPY", "'', bytes, copyKind"),
            (SET, "MEMSET", "'', bytes, 0"),
            (GRAPH, "GRAPH_TRACE", "'graph ' || graphId, 0, 0")):
        table = "CUPTI_ACTIVITY_KIND_" + table
        if not has(db, table):
            continue
        assert old or count(db, table), "tables are lazy"
        for s, e, d, c, st, name, size, copy in db.execute(
                "SELECT start, end, %s, %s FROM %s" % (place, columns, table)):
            ops.append(Op(kind, s + t0, e + t0, (d, c, st), name, size, copy))
            assert name is not None
    return ops, {"calls": count(db, "CUPTI_ACTIVITY_KIND_RUNTIME"),
                 "ranges": count(db, "NVTX_EVENTS")}


def read_nvprof(path, truth):
    db = connect(path)
    ops = []
    for kind, table, columns in (
            (KERNEL, "CONCURRENT_KERNEL", "(SELECT value FROM StringTable WHERE _id_ = name), 0, 0"),
            (COPY, "MEMCPY", "'', bytes, copyKind"), (SET, "MEMSET", "'', bytes, 0")):
        for s, e, d, c, st, name, size, copy in db.execute(
                "SELECT start, end, deviceId, contextId, streamId, %s "
                "FROM CUPTI_ACTIVITY_KIND_%s" % (columns, table)):
            ops.append(Op(kind, s, e, (d, c, st), name, size, copy))
            assert name is not None
    names = db.execute("SELECT count(*) FROM CUPTI_ACTIVITY_KIND_MARKER m LEFT JOIN StringTable s "
                       "ON s._id_ = m.name WHERE s.value IS NULL").fetchone()[0]
    assert names == 0
    return ops, {"calls": count(db, "CUPTI_ACTIVITY_KIND_RUNTIME"),
                 "ranges": count(db, "CUPTI_ACTIVITY_KIND_MARKER") // 2}


def read_deepprof(path, truth):
    db = connect(path)
    meta = dict(db.execute("SELECT key, value FROM meta"))
    assert meta["schema"] == 6
    t0 = meta["t0_realtime_ns"]
    ops = []
    for kind, table, columns in (
            (KERNEL, "kernel", "(SELECT value FROM string WHERE id = name), 0, 0"),
            (COPY, "memcpy", "'', bytes, kind"), (SET, "memset", "'', bytes, 0"),
            (GRAPH, "graph_launch", "'graph ' || graph, 0, 0")):
        for s, dur, d, c, st, name, size, copy in db.execute(
                "SELECT start, dur_ns, device, context, stream, %s FROM %s" % (columns, table)):
            ops.append(Op(kind, s + t0, s + dur + t0, (d, c, st), name, size, copy))
            assert name is not None
    return ops, {"calls": count(db, "api"), "ranges": count(db, "nvtx")}


def read_csv(path, truth):
    time_digits = {"s": 9, "ms": 6, "us": 3, "ns": 0}
    sizes = {"B": 1, "KB": 1024, "MB": 1 << 20, "GB": 1 << 30}
    with open(path, newline="") as file:
        rows = [r for r in csv.reader(file) if r and not r[0].startswith("==")]
    head, units = rows[0], dict(zip(rows[0], rows[1]))
    ops = []
    for row in rows[2:]:
        assert len(row) == len(head) == len(rows[1])
        cell = dict(zip(head, row))
        start = to_ns(cell["Start"], time_digits[units["Start"]])
        end = start + to_ns(cell["Duration"], time_digits[units["Duration"]])
        name = cell["Name"]
        kind = (COPY if name.startswith("[CUDA memcpy") else
                SET if name.startswith("[CUDA memset") else KERNEL)
        assert bool(cell["Grid X"]) == (kind == KERNEL) != bool(cell["Size"])
        if truth["format"] == "nvprof-csv-17" and kind == KERNEL:
            name = name[:name.rindex(" [")]
        size = round(float(cell["Size"]) * sizes[units["Size"]]) if cell["Size"] else 0
        device = int(cell["Device"].rsplit("(", 1)[1].rstrip(")"))
        ops.append(Op(kind, start, end, (device, int(cell["Context"]), int(cell["Stream"])),
                      name, size, copy_kind(name[5:]) if kind == COPY else 0))
    return ops, {}


def read_rocprofv3(path, truth):
    with open(path) as file:
        process, = json.load(file)["rocprofiler-sdk-tool"]
    names = {s["kernel_id"]: s["demangled_kernel_name"] for s in process["kernel_symbols"]}
    gpus = {a["id"]["handle"]: a["logical_node_type_id"] for a in process["agents"]
            if a["type"] == 2}
    operations = {"HOST_TO_DEVICE": 1, "DEVICE_TO_HOST": 2, "DEVICE_TO_DEVICE": 8}
    kinds = process["strings"]["buffer_records"]
    # The format has no contexts: those of the truth are taken.
    contexts = {(s["device"], s["stream"]): s["context"] for s in truth["streams"]}
    records = process["buffer_records"]
    ops = []

    def add(kind, record, agent, name, size=0, copy=0):
        place = (gpus[agent], record["stream_id"]["handle"])
        ops.append(Op(kind, record["start_timestamp"], record["end_timestamp"],
                      (place[0], contexts[place], place[1]), name, size, copy))

    for record in records["kernel_dispatch"]:
        info = record["dispatch_info"]
        add(KERNEL, record, info["agent_id"]["handle"], names[info["kernel_id"]])
    for record in records["memory_copy"]:
        name = kinds[record["kind"]]["operations"][record["operation"]]
        copy = operations[name.removeprefix("MEMORY_COPY_")]
        add(COPY, record, record["dst_agent_id" if copy == 1 else "src_agent_id"]["handle"], name,
            record["bytes"], copy)
    assert {m["key"] for m in process["strings"]["marker_api"]} == {
        r["correlation_id"]["internal"] for r in records["marker_api"]}
    return ops, {"calls": len(records["hip_api"]), "ranges": len(records["marker_api"])}


def read_rocpd(path, truth):
    db = connect(path)
    contexts = {(s["device"], s["stream"]): s["context"] for s in truth["streams"]}
    copies = {"HOST_TO_DEVICE": 1, "DEVICE_TO_HOST": 2, "DEVICE_TO_DEVICE": 8}
    ops, calls, ranges = [], 0, 0
    for (table,) in db.execute("SELECT name FROM sqlite_master WHERE type = 'table' "
                               "AND name LIKE 'rocpd_kernel_dispatch_%'").fetchall():
        end = table.removeprefix("rocpd_kernel_dispatch")
        gpus = dict(db.execute("SELECT id, type_index FROM rocpd_info_agent%s "
                               "WHERE type = 'GPU'" % end))
        for s, e, agent, stream, name in db.execute(
                "SELECT start, end, agent_id, stream_id, display_name FROM %s k JOIN "
                "rocpd_info_kernel_symbol%s n ON n.id = kernel_id" % (table, end)):
            place = (gpus[agent], stream)
            ops.append(Op(KERNEL, s, e, (place[0], contexts[place], stream), name))
        for s, e, src, dst, stream, size, name in db.execute(
                "SELECT start, end, src_agent_id, dst_agent_id, stream_id, size, string FROM "
                "rocpd_memory_copy%s JOIN rocpd_string%s n ON n.id = name_id" % (end, end)):
            copy = copies[name.removeprefix("MEMORY_COPY_")]
            place = (gpus[dst if copy == 1 else src], stream)
            ops.append(Op(COPY, s, e, (place[0], contexts[place], stream), name, size, copy))
        kinds = dict(db.execute("SELECT string, count(*) FROM rocpd_region%s r JOIN rocpd_event%s "
                                "e ON e.id = event_id JOIN rocpd_string%s s ON s.id = category_id "
                                "GROUP BY string" % (end, end, end)))
        calls += kinds.get("HIP_RUNTIME_API_EXT", 0)
        ranges += kinds.get("MARKER_CORE_RANGE_API", 0)
    return ops, {"calls": calls, "ranges": ranges}


def read_rocprofv3_csv(path, truth):
    contexts = {(s["device"], s["stream"]): s["context"] for s in truth["streams"]}
    copies = {"HOST_TO_DEVICE": 1, "DEVICE_TO_HOST": 2, "DEVICE_TO_DEVICE": 8}
    ops, host, head = [], {"calls": 0, "ranges": 0}, None
    with open(path) as file:
        for cells in csv.reader(file):
            if cells[0] in ("Kind", "Domain"):
                head = cells
                continue
            row = dict(zip(head, cells, strict=True))
            if "Domain" in row:
                host["calls" if row["Domain"].startswith("HIP") else "ranges"] += 1
                continue
            copy = copies[row["Direction"].removeprefix("MEMORY_COPY_")] if "Direction" in row else 0
            agent = row["Agent_Id"] if not copy else (
                row["Destination_Agent_Id" if copy == 1 else "Source_Agent_Id"])
            place = int(agent.removeprefix("GPU ")), int(row["Stream_Id"])
            ops.append(Op(COPY if copy else KERNEL, int(row["Start_Timestamp"]),
                          int(row["End_Timestamp"]), (place[0], contexts[place], place[1]),
                          row.get("Kernel_Name", ""), 0, copy))
    return ops, host


def read_rpd(path, truth):
    db = connect(path)
    contexts = {(s["device"], s["stream"]): s["context"] for s in truth["streams"]}
    copies = {"CopyHostToDevice": 1, "CopyDeviceToHost": 2, "CopyDeviceToDevice": 8}
    ops = []
    for start, end, device, stream, kind, name, size in db.execute(
            "SELECT o.start, o.end, gpuId, queueId, t.string, d.string, coalesce(size, 0) FROM "
            "rocpd_op o JOIN rocpd_string t ON t.id = opType_id JOIN rocpd_string d ON "
            "d.id = description_id JOIN rocpd_api_ops l ON l.op_id = o.id LEFT JOIN rocpd_copyapi c "
            "ON c.api_ptr_id = l.api_id"):
        copy = copies.get(kind, 0)
        ops.append(Op(COPY if copy else KERNEL if kind == "KernelExecution" else SET, start, end,
                      (device, contexts[device, stream], stream), name, size, copy))
    kinds = dict(db.execute("SELECT d.string, count(*) FROM rocpd_api JOIN rocpd_string d ON "
                            "d.id = domain_id GROUP BY 1"))
    return ops, {"calls": kinds.get("hip", 0), "ranges": kinds.get("UserMarker", 0)}


def fields(data):
    """A message's fields: number and value, which is bytes or an integer."""
    at = 0

    def varint():
        nonlocal at
        value = shift = 0
        while True:
            byte = data[at]
            at += 1
            value |= (byte & 0x7F) << shift
            shift += 7
            if byte < 0x80:
                return value

    while at < len(data):
        tag = varint()
        if tag & 7 == 1:
            value, at = data[at:at + 8], at + 8
        else:
            value = varint()
            if tag & 7 == 2:
                value, at = data[at:at + value], at + value
        yield tag >> 3, value


def read_xplane(path, truth):
    with open(path, "rb") as file:
        data = file.read()
    contexts = {(s["device"], s["stream"]): s["context"] for s in truth["streams"]}
    copies = {"MemcpyH2D": 1, "MemcpyD2H": 2, "MemcpyD2D": 8}
    ops, calls, ranges = [], 0, 0
    for _, plane in fields(data):
        plane = list(fields(plane))
        name = next(v for n, v in plane if n == 2).decode()
        names = {key: dict(fields(value))[2].decode() for key, value in
                 (dict(fields(v)).values() for n, v in plane if n == 4)}
        for line in (list(fields(v)) for n, v in plane if n == 3):
            line_id, t0 = dict(line)[1], dict(line)[3]
            for event in (list(fields(v)) for n, v in line if n == 4):
                first = dict(event)
                start = t0 + first[2] // 1000
                stats = [dict(fields(v)) for n, v in event if n == 4]
                if name == "/host:CPU":
                    is_call = names[first[1]].startswith("cuda")
                    calls += is_call
                    ranges += not is_call
                    continue
                device = int(name.rsplit(":", 1)[1])
                place = (device, contexts[device, line_id], line_id)
                what = names[first[1]]
                details = dict(word.split(":", 1) for s in stats if s[1] in (2, 3)
                               for word in s[5].decode().split())
                kind = (COPY if what in copies else SET if what == "Memset" else
                        GRAPH if what.startswith("graph ") else KERNEL)
                ops.append(Op(kind, start, start + first[3] // 1000, place, what,
                              int(details.get("size", details.get("num_bytes", 0))),
                              copies.get(what, 0)))
    return ops, {"calls": calls, "ranges": ranges}


def read_perfetto(path, truth):
    with open(path, "rb") as file:
        data = file.read()
    contexts = {(s["device"], s["stream"]): s["context"] for s in truth["streams"]}
    copies = {"HOST_TO_DEVICE": 1, "DEVICE_TO_HOST": 2, "DEVICE_TO_DEVICE": 8}
    names, tracks, clocks, begun = {}, {}, {}, {}
    ops, calls, ranges = [], 0, 0
    for _, packet in fields(data):
        packet = dict(fields(packet))
        for kind, value in fields(packet.get(12, b"")):
            value = dict(fields(value))
            names[kind, value[1]] = value[2].decode()
        for _, value in fields(packet.get(6, b"")):
            value = dict(fields(value))
            clocks[value[1]] = value[2]
        if 60 in packet:
            track = dict(fields(packet[60]))
            tracks[track[1]] = track[2].decode()
        if 11 not in packet:
            continue
        event = list(fields(packet[11]))
        first = dict(event)
        time = packet[8] + clocks[1] - clocks[6]
        if first[9] == 1:
            begun.setdefault(first[11], []).append((time, event, first))
            continue
        start, event, first = begun[first[11]].pop()
        category = names[1, first[3]]
        if category in ("hip_api", "marker_api"):
            calls += category == "hip_api"
            ranges += category == "marker_api"
            continue
        device, stream = (int(part.split("]")[0])
                          for part in tracks[first[11]].split("[")[1:])
        place = (device, contexts[device, stream], stream)
        notes = {names[3, note[1]]: note for note in
                 (dict(fields(v)) for n, v in event if n == 4)}
        what = names[2, first[10]]
        copy = copies.get(what.removeprefix("MEMORY_COPY_"), 0)
        ops.append(Op(COPY if copy else KERNEL, start, time, place, what,
                      notes["copy_bytes"][3] if copy else 0, copy))
    assert not any(begun.values())
    return ops, {"calls": calls, "ranges": ranges}


# What has no time since 1970.
NO_EPOCH = {"nvprof-csv", "nvprof-csv-17", "nvprof-csv-22", "nvprof-csv-peer", "rocprofv3",
            "rocprofv3-csv", "rocpd", "rpd", "rocprof", "jax-json"}
READERS = {"kineto-xpu": read_kineto, "kineto-mtia": read_kineto, "rocprof": read_rows,
           "ascend": read_tasks, "jax-json": read_jax,
           "kineto": read_kineto, "kineto-relative": read_kineto, "kineto-2021": read_kineto,
           "kineto-legacy": read_legacy, "tf-timeline": read_timeline, "nsys": read_nsys,
           "nsys-2024": read_nsys, "nsys-2022": read_nsys, "nvprof": read_nvprof,
           "nvvp": read_nvprof, "nvprof-csv": read_csv, "nvprof-csv-17": read_csv,
           "nvprof-csv-22": read_csv, "nvprof-csv-peer": read_csv, "deepprof": read_deepprof,
           "rocprofv3": read_rocprofv3, "rocpd": read_rocpd,
           "rocprofv3-csv": read_rocprofv3_csv, "rpd": read_rpd,
           "xplane": read_xplane, "perfetto": read_perfetto}
PLACES = {f for f in READERS
          if f not in ("kineto-legacy", "kineto-mtia", "tf-timeline", "rocprof", "ascend")}
MANGLED = {"nvprof", "nvvp"}
MANY_PROCESSES = {"nsys", "nsys-2024", "nsys-2022", "deepprof", "rocpd", "rpd"}


def union(spans):
    total, at = 0, None
    for start, end in sorted(spans):
        start = start if at is None or start > at else at
        if end > start:
            total += end - start
            at = end
    return total


def check_totals(truth, ops, host):
    kinds = [0] * 4
    for op in ops:
        kinds[op.kind] += 1
    assert kinds == [truth["kernels"], truth["copies"], truth["sets"], truth["graphs"]], kinds
    assert len(ops) == truth["operations"]
    if "calls" in host:
        assert host["calls"] == truth["calls"]
        assert host["ranges"] == truth["operators"] + truth["marks"]
    if not ops:
        return
    first = min(op.start for op in ops)
    assert max(op.end for op in ops) - first == truth["duration_ns"]
    if truth["format"] not in NO_EPOCH:
        assert first == truth["t0_ns"]


def check_streams(truth, ops):
    for stream in truth["streams"]:
        place = (stream["device"], stream["context"], stream["stream"])
        mine = [op for op in ops if op.place == place]
        counts = [sum(op.kind == k for op in mine) for k in (KERNEL, GRAPH, COPY, SET)]
        assert counts == [stream[k] for k in ("kernels", "graphs", "copies", "sets")], place
        assert union((op.start, op.end) for op in mine) == stream["busy_ns"]
    assert sum(s["kernels"] + s["graphs"] + s["copies"] + s["sets"]
               for s in truth["streams"]) == len(ops)


def check_iterations(truth, loop, ops, t0):
    """The numbers of the paper's table, by their definition."""
    place = (loop["device"], loop["context"], loop["stream"])
    main = sorted((op for op in ops if op.place == place), key=lambda op: op.start)
    kernels = [op for op in main if op.kind in (KERNEL, GRAPH)]
    uploads = [op for op in ops if op.place[0] == place[0] and op.copy == HTOD]
    # Sizes in MB lose a byte, or there are none.
    exact = truth["format"] not in ("nvprof-csv-22", "rocprofv3-csv")
    last = None
    for it in loop["iterations"]:
        mine = kernels[it["first_kernel"]:it["end_kernel"]]
        assert mine[0].start - t0 == it["start_ns"] and mine[-1].end - t0 == it["end_ns"]
        floor = kernels[it["first_kernel"] - 1].end if it["first_kernel"] else 0
        if last is None:
            assert it["interval_ns"] is None
        else:
            floor = last[-1].end
            interval = max(0, mine[0].start - floor)
            assert interval == it["interval_ns"]
            covered = union((max(floor, u.start), min(mine[0].start, u.end)) for u in uploads
                            if u.end > floor and u.start < mine[0].start)
            assert covered == it["overlap_ns"], (covered, it)
        size = sum(u.bytes for u in uploads if floor <= u.start < mine[-1].end)
        assert size == it["h2d_bytes"] or not exact, (size, it)
        gap, latest, seen = 0, mine[0].end, 0
        for op in main:
            if mine[0].start < op.start <= mine[-1].start:
                gap += max(0, op.start - latest)
                latest = max(latest, op.end)
                seen += 1
        assert (gap, seen) == (it["operation_gap_sum_ns"], it["operation_gaps"]), (gap, seen, it)
        last = mine
    return kernels


def check_pattern(truth, loop, kernels):
    """Iterations without edits are the pattern, to the name."""
    if loop["pattern"]["varies"] or truth["format"] in MANGLED:
        return 0
    pattern = [truth["names"][i] for i in loop["pattern"]["kernels"]]
    same = 0
    for it in loop["iterations"]:
        plain = not (it["partial"] or it["lost"] or it["inserted"] or it["deleted"] or
                     it["substituted"])
        names = [op.name for op in kernels[it["first_kernel"]:it["end_kernel"]]]
        if plain:
            assert names == pattern, (loop["name"], it["index"])
            same += 1
        elif not it["partial"]:
            assert names != pattern or it["lost"] or it["deleted"], (loop["name"], it["index"])
            assert len(names) == len(pattern) + it["inserted"] - it["deleted"] - it["lost"]
    return same


def check_file(path, truth_path):
    with open(truth_path) as file:
        truth = json.load(file)
    ops, host = READERS[truth["format"]](path, truth)
    check_totals(truth, ops, host)
    if truth["format"] not in PLACES:
        return truth
    check_streams(truth, ops)
    t0 = min((op.start for op in ops), default=0)
    for loop in truth["loops"]:
        kernels = check_iterations(truth, loop, ops, t0)
        check_pattern(truth, loop, kernels)
        numbers = [i["first_kernel"] for i in loop["iterations"]]
        assert numbers == sorted(numbers)
    return truth


def check_can_fail(simulator, folder, held):
    """A wrong truth must be noticed."""
    path = os.path.join(folder, "wrong.nsys")
    generate(simulator, "clean", "nsys", path, path + ".truth", ["-n", "5"] + LAYERS)
    with open(path + ".truth") as file:
        text = file.read()
    right = json.loads(text)
    for key in ("h2d_bytes", "interval_ns", "end_ns", "first_kernel", "operation_gap_sum_ns"):
        wrong = json.loads(text)
        wrong["loops"][0]["iterations"][3][key] += 1
        expect_failure(path, wrong, held, key)
    for key in ("kernels", "duration_ns", "calls", "t0_ns"):
        expect_failure(path, dict(right, **{key: right[key] - 1}), held, key)
    wrong = json.loads(text)
    wrong["loops"][0]["pattern"]["kernels"][7] += 1
    expect_failure(path, wrong, held, "a pattern's kernel")


def expect_failure(path, wrong, held, what):
    with open(path + ".wrong", "w") as file:
        json.dump(wrong, file)
    try:
        check_file(path, path + ".wrong")
    except AssertionError:
        pass
    else:
        raise AssertionError("a wrong %s was not noticed" % what)
    if held:
        result = subprocess.run([held, path, path + ".wrong"], capture_output=True, check=False)
        assert result.returncode == 1, "sim-held did not notice a wrong " + what


def check_usage(simulator, folder):
    """Exit statuses, and one line that says why."""
    out = os.path.join(folder, "usage")
    for status, arguments in (
            (2, []), (2, ["--nope"]), (2, ["-o", out, "more"]), (2, ["--seed", "-1", "-o", out]),
            (1, ["-p", "nope", "-o", out]), (1, ["-F", "nope", "-o", out]),
            (1, ["-s", "loss", "-o", out]), (1, ["-s", "train.nope=1", "-o", out]),
            (1, ["-s", "train.count=5..2", "-o", out]), (1, ["-s", "tail=1", "-o", out]),
            (1, ["-s", "do=forward nope", "-o", out]), (1, ["-s", "do=jump", "-o", out]),
            (1, ["-s", "train.do=loop train", "-o", out]), (1, ["-f", folder, "-o", out]),
            (1, ["-o", folder]), (1, ["-F", "nsys", "-o", folder]),
            (1, ["-p", "two-processes", "-F", "nvprof", "-o", out]),
            (0, ["--help"]), (0, ["--help-program"]), (0, ["--dump-preset", "gan"])):
        result = subprocess.run([simulator, *arguments], capture_output=True, text=True,
                                check=False)
        assert result.returncode == status, (arguments, result)
        assert bool(result.stdout) == (status == 0), (arguments, result)
        assert status == 0 or 1 <= result.stderr.count("\n") <= 2, (arguments, result)


def same_bytes(a, b):
    with open(a, "rb") as one, open(b, "rb") as two:
        return one.read() == two.read()


def generate(simulator, preset, form, path, truth, extra=()):
    subprocess.run([simulator, "--preset", preset, "--format", form, "-o", path, "--truth", truth,
                    *extra], check=True)


# What a small version of each preset is: the structure stays.
LAYERS = ["-s", "model.layers=2"]
SMALL = {"single-pass": ["-s", "model.layers=12"], "random": ["-s", "loss=0.01"], "few": LAYERS,
         "demo": ["-n", "4", "-s", "resnet.layers=2"],
         "zero-grad": ["-n", "4", "-s", "resnet.layers=2"],
         "gan": ["-n", "3", "-s", "generator.layers=2", "-s", "critic.layers=1"],
         "rnn-variable": ["-n", "6"], "recompile": ["-n", "8", "-s", "train.recompile=4"],
         "llm-decode": ["-s", "request.count=3", "-s", "prefill.layers=2", "-s", "decoder.layers=2"],
         "diffusion": ["-s", "clip.layers=2", "-s", "t5.layers=3", "-s", "denoiser.layers=4",
                       "-s", "decoder.layers=2"],
         "superstep": ["-s", "super.count=3", "-n", "4"] + LAYERS,
         "train-eval": ["-s", "epoch.count=2", "-n", "5", "-s", "eval.count=3"] + LAYERS,
         "extra-work": ["-n", "12"] + LAYERS, "slow-iterations": ["-n", "14"] + LAYERS,
         "event-loss": ["-n", "6", "-s", "loss=0.01"] + LAYERS}


def small(preset):
    return SMALL.get(preset, ["-n", "6"] + LAYERS)


def formats(simulator):
    text = subprocess.run([simulator, "--list-formats"], check=True, capture_output=True, text=True)
    return [line.split()[0] for line in text.stdout.splitlines()]


def presets(simulator):
    text = subprocess.run([simulator, "--list-presets"], check=True, capture_output=True, text=True)
    return [line.split()[0] for line in text.stdout.splitlines()]


def check_preset(simulator, preset, form, folder, held):
    path = os.path.join(folder, "%s.%s" % (preset, form))
    made = [path, path + ".truth"]
    again = [path + ".2", path + ".2.truth"]
    generate(simulator, preset, form, *made, small(preset))
    generate(simulator, preset, form, *again, small(preset))
    assert same_bytes(path, again[0]), "the same bytes again"
    assert same_bytes(made[1], again[1])
    check_file(path, path + ".truth")
    if held:
        subprocess.run([held, path, path + ".truth"], check=True)
    for name in made + again:
        os.unlink(name)


def main():
    # A file's objects are many, and none of them is part of a circle.
    gc.disable()
    arguments = sys.argv[1:]
    part, parts = 1, 1
    if arguments[0] == "--part":
        part, parts = (int(n) for n in arguments[1].split("/"))
        arguments = arguments[2:]
    held = None
    if arguments[0] == "--held":
        held = arguments[1]
        arguments = arguments[2:]
    simulator, folder = arguments[:2]
    wanted = arguments[2:] or presets(simulator)[part - 1::parts]
    os.makedirs(folder, exist_ok=True)
    assert sorted(formats(simulator)) == sorted(READERS), "a reader for every format"
    if part == 1:
        check_usage(simulator, folder)
        check_can_fail(simulator, folder, held)
    for preset in wanted:
        for form in formats(simulator):
            if preset == "two-processes" and form not in MANY_PROCESSES:
                continue
            try:
                check_preset(simulator, preset, form, folder, held)
            except Exception:
                print("%s, format %s" % (preset, form), file=sys.stderr)
                raise
    print("%d presets in %d formats" % (len(wanted), len(READERS)))


if __name__ == "__main__":
    main()

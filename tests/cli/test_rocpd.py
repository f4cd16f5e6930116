"""rocpd databases of the published schemas: what is exported again is what was inserted.

The tables are AMD's, by name, order and type of their columns, without their foreign keys: of schema
3 (rocprofiler-sdk 1.0), 4.0 (times in a table of their own) and 4.1. Each process has its set.
"""
import contextlib
import json
import random
import sqlite3
import unittest

import cli

TIMES = "start BIGINT NOT NULL, end BIGINT NOT NULL"
TIME_IDS = "start_id INTEGER NOT NULL, end_id INTEGER NOT NULL"
TRACK = "track_id INTEGER NOT NULL"
OWNER = "nid INTEGER NOT NULL, pid INTEGER NOT NULL"
DATA = "extdata JSONB DEFAULT '{}' NOT NULL"
CONFIG = "environment JSONB DEFAULT '{}' NOT NULL, " + DATA
SIZES = ("private_segment_size INTEGER, group_segment_size INTEGER, "
         + ", ".join(f"{what}_size_{axis} INTEGER NOT NULL"
                     for what in ("workgroup", "grid") for axis in "xyz"))
ENDS = "region_name_id INTEGER, event_id INTEGER, " + DATA
ADDRESSES = ("dst_agent_id INTEGER, dst_address INTEGER, src_agent_id INTEGER, src_address INTEGER, "
             "size INTEGER NOT NULL")
KINDS = ("type TEXT CHECK (type IN ('ALLOC', 'FREE', 'REALLOC', 'RECLAIM')), "
         "level TEXT CHECK (level IN ('REAL', 'VIRTUAL', 'SCRATCH'))")
AGENT = (OWNER + ", type TEXT CHECK (type IN ('CPU', 'GPU')), absolute_index INTEGER, "
         "logical_index INTEGER, type_index INTEGER, uuid INTEGER, name TEXT, ")
SYMBOL = (OWNER + ", code_object_id INTEGER NOT NULL, kernel_name TEXT, display_name TEXT, "
          + ", ".join(f"{name} INTEGER" for name in (
              "kernel_object", "kernarg_segment_size", "kernarg_segment_alignment",
              "group_segment_size", "private_segment_size", "sgpr_count", "arch_vgpr_count",
              "accum_vgpr_count")) + ", " + DATA)
STACK = ("category_id INTEGER, stack_id INTEGER, parent_stack_id INTEGER, correlation_id INTEGER, ")


def process(name):
    return ("nid INTEGER NOT NULL, ppid INTEGER, pid INTEGER NOT NULL, " + name
            + "init BIGINT, fini BIGINT, start BIGINT, end BIGINT, command TEXT, " + CONFIG)


# Columns after id and guid.
EVERY = {
    "string": "string TEXT NOT NULL UNIQUE ON CONFLICT ABORT",
    "info_thread": "nid INTEGER NOT NULL, ppid INTEGER, pid INTEGER NOT NULL, tid INTEGER NOT NULL, "
                   "name TEXT, start BIGINT, end BIGINT, " + DATA,
    "info_queue": OWNER + ", name TEXT, " + DATA,
    "info_stream": OWNER + ", name TEXT, " + DATA,
    "info_kernel_symbol": SYMBOL,
}
SCHEMA_3 = {
    **EVERY,
    "info_process": process(""),
    "info_agent": AGENT + "model_name TEXT, vendor_name TEXT, product_name TEXT, user_name TEXT, "
                  + DATA,
    "track": "nid INTEGER NOT NULL, pid INTEGER, tid INTEGER, name_id INTEGER, " + DATA,
    "event": STACK + "call_stack JSONB DEFAULT '{}' NOT NULL, line_info JSONB DEFAULT '{}' NOT NULL, "
             + DATA,
    "region": f"{OWNER}, tid INTEGER NOT NULL, {TIMES}, name_id INTEGER NOT NULL, event_id INTEGER, "
              + DATA,
    "kernel_dispatch": f"{OWNER}, tid INTEGER, agent_id INTEGER NOT NULL, kernel_id INTEGER NOT NULL, "
                       "dispatch_id INTEGER NOT NULL, queue_id INTEGER NOT NULL, stream_id INTEGER NOT "
                       f"NULL, {TIMES}, {SIZES}, {ENDS}",
    "memory_copy": f"{OWNER}, tid INTEGER, {TIMES}, name_id INTEGER NOT NULL, {ADDRESSES}, queue_id "
                   f"INTEGER, stream_id INTEGER, {ENDS}",
    "memory_allocate": f"{OWNER}, tid INTEGER, agent_id INTEGER, {KINDS}, {TIMES}, address INTEGER, "
                       "size INTEGER NOT NULL, queue_id INTEGER, stream_id INTEGER, event_id INTEGER, "
                       + DATA,
}


def schema_4(times):
    return {
        **EVERY,
        "info_process": process("name TEXT, "),
        "info_category": "name TEXT NOT NULL, " + DATA,
        "info_agent": AGENT + "generic_name TEXT, model_name TEXT, vendor_name TEXT, product_name "
                      "TEXT, " + DATA,
        "track": "nid INTEGER NOT NULL, ppid INTEGER, pid INTEGER, tid INTEGER, agent_id INTEGER, "
                 "queue_id INTEGER, stream_id INTEGER, name_id INTEGER, " + DATA,
        "event": STACK + DATA,
        "region": f"{TRACK}, name_id INTEGER NOT NULL, {times}, event_id INTEGER, {DATA}",
        "kernel_dispatch": f"{TRACK}, kernel_id INTEGER NOT NULL, dispatch_id INTEGER NOT NULL, "
                           f"{times}, {SIZES}, {ENDS}",
        "memory_copy": f"{TRACK}, {times}, name_id INTEGER NOT NULL, {ADDRESSES}, {ENDS}",
        "memory_allocate": f"{TRACK}, {KINDS}, {times}, name_id INTEGER NOT NULL, address INTEGER, "
                           f"size INTEGER NOT NULL, {ENDS}",
    }


SCHEMAS = {
    "3": SCHEMA_3,
    "4.0": {
        **schema_4(TIME_IDS),
        "timestamp": "value BIGINT NOT NULL, phase INTEGER CHECK (phase IN (0, 1, 2)), "
                     "track_id INTEGER",
    },
    "4.1": schema_4(TIMES),
}
GRID = {f"{what}_size_{axis}": 1 for what in ("workgroup", "grid") for axis in "xyz"}


class Process:
    """One process's tables in a database. Ids of processes and threads are not the system's."""

    def __init__(self, database, version, number):
        self.database, self.tables, self.pid = database, SCHEMAS[version], 4000 + number
        self.suffix = f"_0001{number:04x}_7aaa_7bbb_8ccc_0123456789ab"
        self.strings, self.categories, self.tracks, self.events, self.times = {}, {}, {}, 0, 0
        self.chance = random.Random(f"{version} {number}")
        for name, columns in {"metadata": "tag TEXT NOT NULL, value TEXT NOT NULL",
                              **self.tables}.items():
            guid = "" if name == "metadata" else f"guid TEXT DEFAULT '{self.suffix[1:]}' NOT NULL, "
            database.execute(
                f'CREATE TABLE "rocpd_{name}{self.suffix}" '
                f"(id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT, {guid}{columns})")
            database.execute(f'CREATE VIEW IF NOT EXISTS "rocpd_{name}" AS SELECT * FROM '
                             f'"rocpd_{name}{self.suffix}"')
        # The files of 4 that were seen say that they are 3.
        self.insert("metadata", tag="schema_version", value="3")
        self.insert("info_process", id=7, nid=1, ppid=1, pid=self.pid, command="train.py")
        self.insert("info_thread", id=3, nid=1, ppid=1, pid=7, tid=self.pid + 1)
        self.insert("info_agent", id=1, nid=1, pid=7, type="CPU", type_index=0, name="EPYC")
        for gpu in range(2):
            self.insert("info_agent", id=2 + gpu, nid=1, pid=7, type="GPU", absolute_index=1 + gpu,
                        logical_index=1 + gpu, type_index=gpu, name="gfx942", product_name="MI300X")
        for name in range(5):
            self.insert("info_kernel_symbol", id=name + 1, nid=1, pid=7, code_object_id=1,
                        kernel_name=f"_Z2k{name}Pf.kd", display_name=f"k{name}(float*)")

    def insert(self, table, **values):
        names = ", ".join(f'"{name}"' for name in values)
        self.database.execute(
            f'INSERT INTO "rocpd_{table}{self.suffix}" ({names}) '
            f'VALUES ({", ".join("?" * len(values))})', list(values.values()))

    def number(self, table, column, numbers, text):
        if text not in numbers:
            numbers[text] = len(numbers) + 1
            self.insert(table, id=numbers[text], **{column: text})
        return numbers[text]

    def string(self, text):
        return self.number("string", "string", self.strings, text)

    def event(self, category, stack, data="{}"):
        self.events += 1
        category = (self.number("info_category", "name", self.categories, category)
                    if "info_category" in self.tables else self.string(category))
        self.insert("event", id=self.events, category_id=category, stack_id=stack,
                    parent_stack_id=0, correlation_id=0, extdata=data)
        return self.events

    def place(self, **parts):
        """A record's columns for where it is, or its track's."""
        if "track_id" not in self.tables["region"]:
            return {"nid": 1, "pid": 7, **parts}
        key = tuple(sorted(parts.items()))
        if key not in self.tracks:
            self.tracks[key] = 11 + 2 * len(self.tracks)
            self.insert("track", id=self.tracks[key], nid=1, pid=7, **parts)
        return {"track_id": self.tracks[key]}

    def span(self, start, end):
        """A record's columns for its times. Ids of times are in no order."""
        if "timestamp" not in self.tables:
            return {"start": start, "end": end}
        ids = [self.times + 1, self.times + 2]
        self.times += 2
        self.chance.shuffle(ids)
        for number, value, phase in zip(ids, (start, end), (1, 2)):
            self.insert("timestamp", id=number, value=value, phase=phase)
        return {"start_id": ids[0], "end_id": ids[1]}

    def region(self, category, name, start, end, stack, data="{}"):
        self.insert("region", name_id=self.string(name), event_id=self.event(category, stack, data),
                    **self.place(tid=3), **self.span(start, end))

    def kernel(self, name, start, end, stack, gpu, stream):
        self.insert("kernel_dispatch", kernel_id=name + 1, dispatch_id=stack, **GRID,
                    event_id=self.event("KERNEL_DISPATCH", stack), **self.span(start, end),
                    **self.place(tid=3, agent_id=2 + gpu, queue_id=1 + gpu, stream_id=stream))

    def upload(self, start, end, stack, gpu, stream, size):
        self.insert("memory_copy", name_id=self.string("MEMORY_COPY_HOST_TO_DEVICE"),
                    src_agent_id=1, dst_agent_id=2 + gpu, size=size,
                    event_id=self.event("MEMORY_COPY", stack), **self.span(start, end),
                    **self.place(tid=3, queue_id=1, stream_id=stream))

    def allocate(self, start, size):
        more = ({"name_id": self.string("MEMORY_ALLOCATION_ALLOCATE")}
                if "name_id" in self.tables["memory_allocate"] else {})
        self.insert("memory_allocate", type="ALLOC", level="REAL", address=4096, size=size, **more,
                    **self.place(tid=3, agent_id=2), **self.span(start, start + 10))


class Published(cli.Case):
    def fill(self, process):
        """Twelve steps on two GPUs: operations, calls and ranges as the export has them."""
        chance, pid = process.chance, process.pid
        ops, calls, ranges, stack, at = [], [], [], 0, 1_000_000
        for step in range(12):
            begin = at
            for op in range(21):
                stack, at = stack + 1, at + chance.randrange(2000, 9000)
                start, gpu = at + chance.randrange(1, 1900), op % 2
                end = start + chance.randrange(1, 2000)
                call = "hipLaunchKernel" if op else "hipMemcpyAsync"
                process.region("HIP_RUNTIME_API_EXT", call, at, at + 500, stack)
                calls.append((pid, pid + 1, call, at, at + 500))
                if op:
                    name = op * op % 5
                    process.kernel(name, start, end, stack, gpu, 4 + gpu)
                    ops.append((pid, gpu, 4 + gpu, f"k{name}(float*)", start, end, 0, at))
                else:
                    process.upload(start, end, stack, gpu, 9, 4096 + step)
                    ops.append((pid, gpu, 9, "[CUDA memcpy HtoD]", start, end, 4096 + step, at))
            process.region("MARKER_CORE_RANGE_API", "roctxThreadRangeA", begin, at, 9000 + step,
                           f'{{"message": "step é {step}"}}')
            ranges.append((pid, pid + 1, f"step é {step}", begin, at))
            process.region("RCCL_API", "ncclAllReduce", begin + 1, at - 1, 9100 + step)
            ranges.append((pid, pid + 1, "ncclAllReduce", begin + 1, at - 1))
            process.region("HIP_STREAM", "hipStreamCreate", begin, at, 9200 + step)
            at += 50_000
        process.allocate(1_000_001, 1 << 20)
        return ops, calls, ranges

    def make(self, version):
        path = self.folder / f"rocpd-{version}.db"
        path.unlink(missing_ok=True)
        with contextlib.closing(sqlite3.connect(path)) as database:
            parts = [self.fill(Process(database, version, number)) for number in range(2)]
            database.commit()
        return path, [sorted(sum(lists, [])) for lists in zip(*parts)]

    def exported(self, path):
        out = path.with_suffix(".sqlite")
        result = cli.run("export", "-f", "-o", out, path, cwd=self.folder)
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        with contextlib.closing(sqlite3.connect(out)) as database:
            first = min(start for (start,) in database.execute("SELECT start_ns FROM operation"))
            self.assertEqual(first, 0)
            return [sorted(database.execute(sql)) for sql in (
                "SELECT s.pid, s.device, s.stream, o.name, o.start_ns, o.end_ns, o.bytes, c.start_ns "
                "FROM operation o JOIN stream s ON s.id = o.stream JOIN call c ON c.id = o.call",
                "SELECT t.pid, t.tid, c.name, c.start_ns, c.end_ns "
                "FROM call c JOIN thread t ON t.id = c.thread",
                "SELECT t.pid, t.tid, a.name, a.start_ns, a.end_ns "
                "FROM annotation a JOIN thread t ON t.id = a.thread")]

    def test_equal(self):
        for version in SCHEMAS:
            with self.subTest(version):
                path, (ops, calls, ranges) = self.make(version)
                zero = min(op[4] for op in ops)
                found = self.exported(path)
                self.assertEqual(found[0], sorted(
                    (*op[:4], op[4] - zero, op[5] - zero, op[6], op[7] - zero) for op in ops))
                for records, expected in zip(found[1:], (calls, ranges)):
                    self.assertEqual(records, sorted(
                        (*one[:3], one[3] - zero, one[4] - zero) for one in expected))

    def test_info(self):
        for version in SCHEMAS:
            with self.subTest(version):
                result = cli.run("info", self.make(version)[0], cwd=self.folder)
                self.assertEqual((result.returncode, result.stderr), (0, ""))
                self.assertIn("480 kernels", result.stdout)
                self.assertIn("MI300X", result.stdout)

    def test_damaged(self):
        """What refers to rows that are not there is left out, and reported."""
        path, _ = self.make("4.0")
        with contextlib.closing(sqlite3.connect(path)) as database:
            suffix = "_00010000_7aaa_7bbb_8ccc_0123456789ab"
            database.execute(f"DELETE FROM rocpd_timestamp{suffix} WHERE id IN (SELECT end_id FROM "
                             f"rocpd_kernel_dispatch{suffix} WHERE id <= 10)")
            database.execute(f"DELETE FROM rocpd_track{suffix} WHERE tid IS NOT NULL AND "
                             "agent_id IS NULL AND stream_id IS NULL")
            database.commit()
        result = cli.run("info", "--format=json", path, cwd=self.folder)
        self.assertEqual(result.returncode, 0, result.stderr)
        report = json.loads(result.stdout)
        self.assertEqual(report["trace"]["kernels"], 470)
        self.assertEqual(report["trace"]["lost"], 10)


if __name__ == "__main__":
    cli.main()

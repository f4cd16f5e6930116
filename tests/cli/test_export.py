"""deepprof export: timelines, databases, and what other programs make of them."""
import contextlib
import csv
import gzip
import io
import json
import os
import pathlib
import re
import sqlite3
import subprocess
import sys
import unittest
from decimal import Decimal

import cli
import pftrace

sys.path.insert(0, str(cli.SOURCE / "tests" / "robust"))
import hostile

TRACES = pathlib.Path(os.environ.get("DEEPPROF_TRACES", cli.SOURCE / ".." / "shared" / "traces"))
# A Python that has HolisticTraceAnalysis.
HTA = os.environ.get("DEEPPROF_HTA_PYTHON", sys.executable)
# A Python that has perfetto.
PERFETTO = os.environ.get("DEEPPROF_PERFETTO_PYTHON", sys.executable)


def load(path):
    data = path.read_bytes()
    if data[:2] == b"\x1f\x8b":
        data = gzip.decompress(data)
    return json.loads(data, parse_float=Decimal, parse_constant=lambda word: 1 / 0)


class Timeline(cli.Case):
    def export(self, name, *args):
        path = self.folder / name
        self.assert_done(cli.run("export", "-o", path, *args, self.trace))
        return path

    def test_gzip_by_name(self):
        plain, packed = self.export("a.json"), self.export("b.json.gz")
        self.assertEqual(gzip.decompress(packed.read_bytes()), plain.read_bytes())
        self.assertEqual(packed.read_bytes(), self.export("c.json.gz").read_bytes())

    def test_iterations(self):
        events = load(self.export("a.json"))["traceEvents"]
        report = json.loads(cli.run("analyze", "--format=json", self.trace).stdout)
        starts = [Decimal(event["ts"]) for event in events if event.get("cat") == "kernel"]
        zero = min(starts + [Decimal(e["ts"]) for e in events if e.get("cat", "").startswith("gpu_mem")])
        found = [e for e in events if e.get("cat") == "deepprof" and e["name"].startswith("iteration ")]
        reported = [it for loop in report["loops"] for it in loop["iterations"]]
        self.assertEqual(len(found), len(reported))
        for event, iteration in zip(found, reported):
            self.assertEqual((Decimal(event["ts"]) - zero) * 1000, iteration["start_ns"])
            self.assertEqual(Decimal(event["dur"]) * 1000, iteration["end_ns"] - iteration["start_ns"])

    def test_all_digits(self):
        text = self.export("a.json").read_text(encoding="utf-8")
        self.assertNotRegex(text, r'"(ts|dur)":-')
        self.assertNotRegex(text, r'"(ts|dur)":\d+(\.\d{0,2}|\.\d{4,})?[,}]')

    def test_long_names(self):
        """They are whole where that costs little, else cut, and whole once."""
        for events, cut in (20, False), (2000, True):
            trace = self.folder / "long.sqlite"
            hostile.long_names(trace, 1, events=events, length=10000, names=2)
            path = self.folder / "a.json"
            self.assert_done(cli.run("export", "-f", "-o", path, trace))
            reported = load(path)
            names = [e["name"] for e in reported["traceEvents"] if e.get("cat") == "kernel"]
            self.assertEqual(len(names), events)
            self.assertEqual("deepprofNames" in reported, cut)
            full = reported.get("deepprofNames", {})
            self.assertEqual({full.get(name, name) for name in names},
                             {"0" + "a" * 10000, "1" + "b" * 10000})
            if cut:
                self.assertTrue(all(len(name) < 1100 for name in names))

    def test_read_back(self):
        """The same operations, so the same loops."""
        tables = []
        for path in self.export("a.json"), self.trace:
            result = cli.run("analyze", "--format=csv", path)
            self.assert_done(result)
            tables.append(result.stdout.replace(str(path), ""))
        self.assertEqual(*tables)

    def test_read_back_real_traces(self):
        """All metrics of all iterations, of every format that there is."""
        names = ["hta-diff-control.json.gz", "hta-ns-resolution.json.gz", "tf1-timeline.json",
                 "nsys-2026-mfu-before.sqlite", "tracelens-mi300-resnet18.json.gz", "nvprof-lm-v12.sql"]
        found = [TRACES / name for name in names if (TRACES / name).exists()]
        if not found:
            self.skipTest("the real traces are not there")
        for trace in found:
            with self.subTest(trace=trace.name):
                path = self.folder / "again.json"
                self.assert_done(cli.run("export", "-q", "-f", "-o", path, trace))
                again = cli.run("analyze", "-q", "--format=csv", path)
                self.assert_done(again)
                first = cli.run("analyze", "-q", "--format=csv", trace)
                self.assertEqual(*([row[1:] for row in csv.reader(io.StringIO(result.stdout))]
                                   for result in (again, first)))

    def test_many_streams(self):
        """Of contexts that use the same numbers each has its own rows, in linear time."""
        events = [{"ph": "X", "cat": "kernel", "name": "k", "pid": 0, "tid": 7, "ts": i, "dur": 1,
                   "args": {"device": 0, "context": i % 20000, "stream": 7, "correlation": i + 1}}
                  for i in range(40000)]
        trace, path = self.folder / "many.json", self.folder / "out.json"
        trace.write_text(json.dumps({"traceEvents": events}), encoding="utf-8")
        self.assert_done(cli.run("export", "-q", "-o", path, trace))
        rows = {}
        for event in load(path)["traceEvents"]:
            if event.get("cat") == "kernel":
                rows.setdefault(event["tid"], set()).add(event["args"]["context"])
        self.assertEqual(len(rows), 20000)
        self.assertTrue(all(len(contexts) == 1 for contexts in rows.values()))

    def awkward(self):
        """Calls that overlap, ranges that never end, kernels that overlap, odd numbers."""
        events = [{"ph": "M", "name": "thread_name", "pid": 3, "tid": -5, "args": {"name": "odd"}}]
        for i in range(1200):
            events.append({"ph": "X", "cat": "user_annotation", "name": f"open {i}", "pid": 3,
                           "tid": -5, "ts": i, "dur": 100000 - i})
        for i in range(120):
            events.append({"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "pid": 3,
                           "tid": (0, 3, -5, -6, 1 << 40, 7)[i % 6], "ts": 2000 + 10 * i, "dur": 75,
                           "args": {"correlation": i + 1}})
            events.append({"ph": "X", "cat": "kernel", "name": f"k{i % 3}", "pid": 3, "tid": 7,
                           "ts": 3000 + 10 * i, "dur": 25,
                           "args": {"device": 3, "context": 1, "stream": 3 * (i % 2),
                                    "correlation": i + 1}})
        trace = self.folder / "awkward.json"
        trace.write_text(json.dumps({"schemaVersion": 1, "traceEvents": events}), encoding="utf-8")
        return trace, events

    def test_rows(self):
        """In every row slices are one behind the other or inside, and no deeper than Perfetto
        goes; rows have numbers that it takes, and only one owner; all slices are there."""
        trace, given = self.awkward()
        path = self.folder / "rows.json"
        self.assert_done(cli.run("export", "-q", "-o", path, trace))
        events = load(path)["traceEvents"]
        rows = {}
        for event in events:
            if event["ph"] == "X":
                rows.setdefault((event["pid"], event["tid"]), []).append(event)
        for (pid, tid), row in rows.items():
            self.assertTrue(0 <= pid < 1 << 32 and 0 < tid < 1 << 32, (pid, tid))
            ends = []
            for start, end in sorted(map(nanoseconds, row), key=lambda span: (span[0], -span[1])):
                while ends and ends[-1] <= start:
                    ends.pop()
                self.assertTrue(not ends or end <= ends[-1], (pid, tid, start))
                ends.append(end)
                self.assertLess(len(ends), 512)
            self.assertEqual(len({event["args"]["stream"] if event["cat"] == "kernel"
                                  else event["cat"] == "deepprof" for event in row}), 1)
        shown = sorted((e["name"], *nanoseconds(e)) for row in rows.values() for e in row
                       if e["cat"] != "deepprof")
        reported = sorted((e["name"], e["ts"] * 1000, (e["ts"] + e["dur"]) * 1000)
                      for e in given if e["ph"] == "X")
        self.assertEqual(shown, reported)
        self.assertNotEqual({pid for pid, _ in rows if rows[pid, _][0]["cat"] == "kernel"}, {3})

    def test_whose_rows(self):
        """Read back, every call and range has its thread again, by number and by name."""
        trace, _ = self.awkward()
        tables = []
        for i, path in enumerate((trace, self.folder / "again.json")):
            if i:
                self.assert_done(cli.run("export", "-q", "-o", path, trace))
            database = self.folder / f"{i}.sqlite"
            self.assert_done(cli.run("export", "-q", "-o", database, path))
            with sqlite3.connect(database) as db:
                tables.append([db.execute(sql).fetchall() for sql in (
                    "SELECT c.*, t.* FROM call c LEFT JOIN thread t ON t.id = c.thread ORDER BY 1",
                    "SELECT a.*, t.* FROM annotation a LEFT JOIN thread t ON t.id = a.thread ORDER BY 1",
                    "SELECT * FROM operation ORDER BY 1", "SELECT * FROM stream ORDER BY 1")])
        self.assertGreater(len(tables[0][1]), 1000)
        self.assertEqual(*tables)

    def test_kineto(self):
        trace = cli.simulate(self.folder / "t.sqlite", "-F", "nsys")
        path = self.folder / "k.json"
        self.assert_done(cli.run("export", "--compat=kineto", "-o", path, trace))
        events = load(path)["traceEvents"]
        steps = [e for e in events if e["name"].startswith("ProfilerStep#")
                 and e["cat"] == "user_annotation"]
        loops = json.loads(cli.run("analyze", "--format=json", trace).stdout)["loops"]
        self.assertEqual(len(steps), len(loops[0]["iterations"]))
        self.assertFalse([e for e in events if e.get("cat") == "deepprof"])
        # Read back, the steps are the iterations.
        again = json.loads(cli.run("analyze", "--format=json", path).stdout)["loops"][0]
        self.assertEqual(again["found_by"], "marks")
        self.assertEqual([it["kernels"] for it in again["iterations"]],
                         [it["kernels"] for it in loops[0]["iterations"]])


def nanoseconds(event):
    """Start and end of an event of the chrome format."""
    start, length = Decimal(event["ts"]) * 1000, Decimal(event["dur"]) * 1000
    assert start == int(start) and length == int(length)
    return int(start), int(start + length)


class Perfetto(cli.Case):
    """The same as in the chrome format, to the nanosecond, read by a decoder of its own."""

    OPS = {"kernel": "kernel", "gpu_memcpy": "copy", "gpu_memset": "set"}
    HOST = {"cuda_runtime": "call", "nvtx": "nvtx", "user_annotation": "annotation",
            "cpu_op": "operator", "cuda_sync": "sync"}

    def both(self, trace):
        paths = self.folder / "t.pftrace", self.folder / "t.json"
        for path in paths:
            self.assert_done(cli.run("export", "-q", "-f", "-o", path, trace))
        return pftrace.Timeline(paths[0].read_bytes()), load(paths[1])["traceEvents"]

    def check(self, trace):
        timeline, events = self.both(trace)
        self.assertEqual(timeline.marks, [])
        found = sorted((s["category"], s["start"], s["end"], s["name"]) for s in timeline.slices
                       if s["category"] in (*self.OPS.values(), *self.HOST.values()))
        reported = sorted(({**self.OPS, **self.HOST}[e["cat"]], *nanoseconds(e), e["name"])
                      for e in events if e.get("cat") in {**self.OPS, **self.HOST} and e["ph"] == "X")
        self.assertEqual(len(found), len(reported))
        for left, right in zip(found, reported):
            # Names of copies are Kineto's there, and the trace's own here.
            self.assertEqual(left[:3], right[:3])
            if left[0] not in ("copy", "set"):
                self.assertEqual(left[3], right[3])
        self.arrows(timeline, events)
        self.nesting(timeline)
        return timeline, events

    def arrows(self, timeline, events):
        begins = {flow: s["start"] for s in timeline.slices for flow in s["flows"]}
        ends = {flow: s["start"] for s in timeline.slices for flow in s["flow_ends"]}
        reported = {ph: {e["id"]: Decimal(e["ts"]) * 1000 for e in events if e["ph"] == ph}
                for ph in ("s", "f")}
        self.assertEqual(begins, reported["s"])
        self.assertEqual(ends, reported["f"])

    def nesting(self, timeline):
        rows = {}
        for s in timeline.slices:
            rows.setdefault(s["track"], []).append((s["start"], s["end"]))
        for row in rows.values():
            stack = []
            for start, end in row:
                while stack and stack[-1] <= start:
                    stack.pop()
                self.assertTrue(not stack or end <= stack[-1])
                stack.append(end)

    def test_simulated(self):
        for form in "kineto", "nsys":
            self.check(cli.simulate(self.folder / form, "-F", form))

    def test_real_traces(self):
        names = ["hta-diff-control.json.gz", "nsys-2026-mfu-after.sqlite", "nvprof-lm-v12.sql",
                 "hta-mi250.json.gz"]
        found = [TRACES / name for name in names if (TRACES / name).exists()]
        if not found:
            self.skipTest("the real traces are not there")
        for trace in found:
            with self.subTest(trace=trace.name):
                self.check(trace)

    def test_what_was_found(self):
        trace = cli.simulate(self.folder / "t.sqlite", "-F", "nsys")
        timeline, events = self.check(trace)
        report = json.loads(cli.run("analyze", "-q", "--format=json", trace).stdout)
        zero = min(s["start"] for s in timeline.slices if s["category"] in self.OPS.values())
        rows = [s for s in timeline.of("deepprof") if s["name"].startswith("iteration ")]
        reported = [it for loop in report["loops"] for it in loop["iterations"]]
        self.assertEqual(len(rows), len(reported))
        for row, it in zip(rows, reported):
            self.assertEqual((row["start"] - zero, row["end"] - zero), (it["start_ns"], it["end_ns"]))
            for key in "kernels", "inserted", "deleted", "substituted", "period_ns", "utilization":
                if it.get(key) is None:
                    self.assertNotIn(key, row["args"])
                else:
                    self.assertAlmostEqual(row["args"][key], it[key], places=9)
        phases = [s for s in timeline.of("deepprof") if timeline.tracks[s["track"]]["name"] == "phases"]
        self.assertEqual(sum(s["args"]["iterations"] for s in phases),
                         sum(len(loop["iterations"]) for loop in report["loops"] if loop["selected"]))
        found = [s for s in timeline.slices if timeline.tracks[s["track"]]["name"].startswith("finding: ")]
        self.assertEqual([s["name"] for s in found], [f["rule"] for f in report["findings"]])
        for row, finding in zip(found, report["findings"]):
            self.assertEqual(row["args"]["advice"], finding["advice"])
        counted = {timeline.tracks[track]["name"]: values for track, values in timeline.counts.items()}
        self.assertEqual([v for _, v in counted["period_ns"]],
                         [it["period_ns"] for loop in report["loops"] if loop["selected"]
                          for it in loop["iterations"] if it["period_ns"] is not None])
        for s in timeline.of("deepprof"):
            self.assertTrue(timeline.under(s["track"], "deepprof"))
        # The same in the chrome format.
        ours = [e for e in events if e.get("cat") == "deepprof" and e["ph"] == "X"]
        self.assertEqual(sorted((*nanoseconds(e), e["name"]) for e in ours),
                         sorted((s["start"], s["end"], s["name"]) for s in timeline.of("deepprof")))

    def test_slices_that_overlap(self):
        """Each has a row in which it is whole; where there are too many, a mark tells its length."""
        events = []
        for i in range(200):
            events.append({"ph": "X", "cat": "kernel", "name": f"k{i % 5}", "pid": 0, "tid": 7,
                           "ts": i, "dur": 1000, "args": {"device": 0, "context": 1, "stream": 7,
                                                          "correlation": i + 1}})
        trace = self.folder / "overlap.json"
        trace.write_text(json.dumps({"traceEvents": events}), encoding="utf-8")
        path = self.folder / "o.pftrace"
        self.assert_done(cli.run("export", "-q", "-o", path, trace))
        timeline = pftrace.Timeline(path.read_bytes())
        self.nesting(timeline)
        kernels = timeline.of("kernel")
        self.assertEqual(len({s["track"] for s in kernels}), 64)
        spans = [(s["start"], s["end"]) for s in kernels]
        spans += [(m["start"], m["start"] + m["args"]["duration_ns"]) for m in timeline.marks]
        self.assertEqual(sorted(spans), [(i * 1000, i * 1000 + 1000000) for i in range(200)])
        self.assertEqual({timeline.tracks[s["track"]]["name"] for s in kernels}, {"stream 7"})

    def test_tracks_that_are_not_the_same(self):
        """Siblings of one name are shown as one track: processes and contexts tell apart."""
        for preset in "two-processes", "two-devices":
            trace = cli.simulate(self.folder / preset, "-p", preset, "-F", "nsys")
            timeline, _ = self.check(trace)
            top = [t["name"] for t in timeline.tracks.values()
                   if t["parent"] is None and not t["process"]]
            self.assertEqual(len(top), len(set(top)), top)
            self.assertEqual(sum(name.startswith("GPU ") for name in top), 2)
        events = [{"ph": "X", "cat": "kernel", "name": "k", "pid": 0, "tid": 7, "ts": i, "dur": 1,
                   "args": {"device": 0, "context": i % 2, "stream": 7, "correlation": i + 1}}
                  for i in range(40)]
        trace = self.folder / "contexts.json"
        trace.write_text(json.dumps({"traceEvents": events}), encoding="utf-8")
        timeline, _ = self.both(trace)
        self.assertEqual({timeline.tracks[s["track"]]["name"] for s in timeline.of("kernel")},
                         {"stream 7, context 0", "stream 7, context 1"})

    def test_compressed_and_the_same(self):
        paths = [self.folder / name for name in ("a.pftrace", "b.perfetto-trace", "c.pftrace.gz")]
        for path in paths:
            self.assert_done(cli.run("export", "-o", path, self.trace))
        data = [path.read_bytes() for path in paths]
        self.assertEqual(data[0], data[1])
        self.assertEqual(gzip.decompress(data[2]), data[0])

    def test_metrics_are_chosen(self):
        path = self.folder / "m.pftrace"
        self.assert_done(cli.run("export", "--metric=interval_ns", "-o", path, self.trace))
        timeline = pftrace.Timeline(path.read_bytes())
        self.assertEqual({timeline.tracks[t]["name"] for t in timeline.counts}, {"interval_ns"})
        for s in timeline.of("deepprof"):
            self.assertNotIn("period_ns", s["args"])


def has_perfetto():
    return not subprocess.run([PERFETTO, "-c", "import perfetto.protos.perfetto.trace"],
                              capture_output=True, check=False).returncode


@unittest.skipUnless(has_perfetto(), "the perfetto package is not there")
class PerfettoPackage(cli.Case):
    """Its own classes read the file: it knows every field, and means what it should."""

    SCRIPT = """
import sys
from perfetto.protos.perfetto.trace import perfetto_trace_pb2 as pb
try:
    from google.protobuf.unknown_fields import UnknownFieldSet
except ImportError:
    UnknownFieldSet = None
trace = pb.Trace()
trace.ParseFromString(open(sys.argv[1], "rb").read())
def unknown(message):
    if UnknownFieldSet:
        assert not len(UnknownFieldSet(message)), message
    for field, value in message.ListFields():
        if field.message_type:
            for inner in value if isinstance(value, list) or hasattr(value, "__len__") else [value]:
                unknown(inner)
names, slices, ends = {}, 0, 0
for packet in trace.packet:
    unknown(packet)
    assert packet.trusted_packet_sequence_id == 1
    for name in packet.interned_data.event_names:
        names[name.iid] = name.name
    event = packet.track_event
    if event.type == event.TYPE_SLICE_BEGIN:
        slices += 1
        print("S", packet.timestamp, names[event.name_iid] if event.name_iid else event.name)
    ends += event.type == event.TYPE_SLICE_END
assert slices == ends > 0
roots = [p.track_descriptor for p in trace.packet if p.HasField("track_descriptor")]
assert {"deepprof"} < {t.name for t in roots if not t.parent_uuid}
assert any(t.HasField("process") for t in roots) and any(t.HasField("thread") for t in roots)
assert any(t.counter.unit == t.counter.UNIT_TIME_NS for t in roots if t.HasField("counter"))
"""

    def test_its_classes(self):
        trace = cli.simulate(self.folder / "t.sqlite", "-F", "nsys")
        path = self.folder / "t.pftrace"
        self.assert_done(cli.run("export", "-o", path, trace))
        result = subprocess.run([PERFETTO, "-c", self.SCRIPT, str(path)], capture_output=True,
                                encoding="utf-8", check=False, timeout=cli.TIMEOUT_S)
        self.assertEqual(result.returncode, 0, result.stderr[-2000:])
        reported = [line.split(" ", 2)[1:] for line in result.stdout.splitlines()]
        timeline = pftrace.Timeline(path.read_bytes())
        self.assertEqual(reported, [[str(s["start"]), s["name"]] for s in timeline.slices])


class Database(cli.Case):
    def setUp(self):
        super().setUp()
        self.path = self.folder / "found.sqlite"
        self.assert_done(cli.run("export", "-o", self.path, self.trace))
        self.db = sqlite3.connect(self.path)
        self.db.row_factory = sqlite3.Row

    def tearDown(self):
        self.db.close()

    def test_same_as_json(self):
        report = json.loads(cli.run("analyze", "--format=json", self.trace).stdout)
        self.assertEqual(self.db.execute("PRAGMA integrity_check").fetchone()[0], "ok")
        self.assertEqual(self.db.execute("PRAGMA foreign_key_check").fetchall(), [])
        rows = self.db.execute("SELECT * FROM iteration ORDER BY loop, iteration").fetchall()
        reported = [(loop["id"], it) for loop in report["loops"] for it in loop["iterations"]]
        self.assertEqual(len(rows), len(reported))
        for row, (loop, iteration) in zip(rows, reported):
            self.assertEqual((row["loop"], row["iteration"]), (loop, iteration["index"]))
            for key, value in iteration.items():
                if key == "index":
                    continue
                if isinstance(value, float):
                    self.assertAlmostEqual(row[key], value, places=6, msg=key)
                else:
                    self.assertEqual(row[key], value, key)
        for loop in report["loops"]:
            kernels = self.db.execute("SELECT kernel FROM pattern WHERE loop = ? ORDER BY position",
                                      (loop["id"],))
            self.assertEqual([row[0] for row in kernels], loop["pattern"]["kernels"])
            ranges = self.db.execute("SELECT activity, outer, inner, typical_ns, slow_ns, calls"
                                     " FROM host_range WHERE loop = ? ORDER BY rowid", (loop["id"],))
            self.assertEqual([tuple(row) for row in ranges],
                             [tuple(each.values()) for each in loop["host_ranges"]])
        self.assertEqual(self.db.execute("SELECT count(*) FROM finding").fetchone()[0],
                         len(report["findings"]))
        self.assertEqual(self.db.execute("SELECT count(*) FROM operation").fetchone()[0],
                         report["trace"]["operations"])

    def test_join(self):
        rows = self.db.execute("""
            SELECT i.kernels, count(*) FROM iteration i JOIN loop l ON l.id = i.loop
            JOIN operation o ON o.stream = l.stream
            AND o.start_ns BETWEEN i.start_ns AND i.end_ns
            WHERE o.kind = 'kernel' GROUP BY i.loop, i.iteration""").fetchall()
        self.assertGreater(len(rows), 5)
        for kernels, count in rows:
            self.assertEqual(kernels, count)

    def test_the_period(self):
        """Operations and idle time of an iteration sum to its metrics, exactly."""
        rows = self.db.execute("""
            SELECT i.*, (SELECT sum(end_ns - start_ns) FROM iteration_operation o
                WHERE o.loop = i.loop AND o.iteration = i.iteration AND o.kind = 'kernel') AS kernel_ns
            FROM iteration i JOIN loop l ON l.id = i.loop
            WHERE l.selected AND period_ns IS NOT NULL AND NOT partial""").fetchall()
        self.assertGreater(len(rows), 5)
        for row in rows:
            self.assertAlmostEqual(row["kernel_ns"] / row["period_ns"], row["utilization_sum"], places=9)
            causes = dict(self.db.execute("""SELECT cause, sum(end_ns - start_ns) FROM iteration_idle
                WHERE loop = ? AND iteration = ? GROUP BY cause""", (row["loop"], row["iteration"])))
            for cause in "host", "sync", "copy", "launch", "other":
                if row[f"idle_{cause}_ns"] is not None:
                    self.assertEqual(causes.get(cause, 0), row[f"idle_{cause}_ns"], cause)
            self.assertEqual(sum(causes.values()), row["idle_ns"])

    def test_host(self):
        """Calls and annotations are there, and each operation's call is."""
        events = json.loads(cli.run("export", "--format=chrome", self.trace).stdout)["traceEvents"]
        count = lambda *names: sum(e.get("cat") in names and e["ph"] == "X" for e in events)
        one = lambda sql: self.db.execute(sql).fetchone()[0]
        self.assertEqual(one("SELECT count(*) FROM call"), count("cuda_runtime"))
        self.assertEqual(one("SELECT count(*) FROM annotation"), count("cpu_op", "user_annotation", "nvtx"))
        self.assertGreater(count("cuda_runtime"), 100)
        self.assertEqual(one("SELECT count(*) FROM operation o JOIN call c ON c.id = o.call"),
                         sum(e["ph"] == "s" for e in events))
        names = {row[0] for row in self.db.execute("SELECT DISTINCT name FROM operation WHERE kind = 'kernel'")}
        self.assertEqual(names, {e["name"] for e in events if e.get("cat") == "kernel"})

    def test_kinds_of_calls(self):
        """Each kind of call has a word."""
        kinds = {"cudaGetDevice": "other", "cudaLaunchKernel": "launch", "cudaMemcpyAsync": "copy",
                 "cudaMemsetAsync": "set", "cudaDeviceSynchronize": "sync", "cudaMalloc": "memory",
                 "cudaStreamBeginCapture": "capture", "cudaStreamEndCapture": "capture"}
        host = {"ph": "X", "cat": "cuda_runtime", "pid": 1, "tid": 1, "dur": 1}
        events = [dict(host, name=name, ts=10 * i) for i, name in enumerate(kinds)]
        events.append({"ph": "X", "cat": "kernel", "name": "k", "pid": 0, "tid": 7, "ts": 100,
                       "dur": 1, "args": {"device": 0, "stream": 7}})
        trace, path = self.folder / "kinds.json", self.folder / "kinds.sqlite"
        trace.write_text(json.dumps({"schemaVersion": 1, "traceEvents": events}), encoding="utf-8")
        self.assert_done(cli.run("export", "-q", "-o", path, trace))
        with contextlib.closing(sqlite3.connect(path)) as db:
            self.assertEqual(dict(db.execute("SELECT name, kind FROM call")), kinds)

    def test_manual(self):
        """The page's examples run, and give something."""
        page = (cli.SOURCE / "man" / "deepprof-export.1").read_text(encoding="utf-8")
        self.assertEqual(page.count("ORDER BY period_ns"), page.count("NOT warmup ORDER BY period_ns"))
        page = page[page.index('.SH "THE DATABASE"'):].replace("\\-", "-")
        examples = re.findall(r"(?ms)^\.EX\n((?:SELECT|WITH).*?;)\n\.EE$", page)
        self.assertGreaterEqual(len(examples), 5)
        for sql in examples:
            rows = self.db.execute(sql).fetchall()
            if "finding" not in sql:
                self.assertTrue(rows, sql)
        tables = set(re.findall(r"(?m)^\.TP\n\.B (\w+)$", page))
        reported = {row[0] for row in self.db.execute(
            "SELECT name FROM sqlite_master WHERE type IN ('table', 'view')")}
        self.assertEqual(tables, {name for name in reported if not name.endswith("_raw")}
                         - {"string", "iteration_span"})
        for name in tables - {"iteration", "iteration_operation", "iteration_idle"}:
            entry = re.search(rf"(?ms)^\.TP\n\.B {name}\n(.*?)(?=^\.TP|^\.PP)", page)[1]
            for row in self.db.execute(f"PRAGMA table_info({name})"):
                if name != "loop":
                    self.assertRegex(entry, rf"\b{row['name']}\b", name)

    def test_recording(self):
        """With source_zero_ns, times are the recording's, in which the samples have whole stacks."""
        recording = self.folder / "run.db"
        recording.write_bytes(gzip.decompress((cli.SOURCE / "data/h200-inference.db.gz").read_bytes()))
        path = self.folder / "run.sqlite"
        self.assert_done(cli.run("export", "-o", path, recording))
        with sqlite3.connect(path) as db:
            db.execute("ATTACH ? AS recording", (str(recording),))
            rows = lambda sql: db.execute(sql).fetchall()
            (zero,), = rows("SELECT source_zero_ns FROM trace")
            self.assertEqual(
                rows(f"SELECT name, start_ns + {zero}, end_ns + {zero} FROM operation WHERE kind = 'kernel' ORDER BY 2, 1"),
                rows("SELECT s.value, k.start, k.start + k.dur_ns FROM kernel k JOIN recording.string s ON s.id = k.name"
                     " ORDER BY 2, 1"))
            self.assertEqual(
                rows(f"SELECT tid, time_ns + {zero}, length_ns FROM cpu_sample JOIN thread t ON t.id = thread ORDER BY 2, 1"),
                rows("SELECT tid, ts, dur_ns FROM recording.cpu_sample WHERE tid IN (SELECT tid FROM main.thread)"
                     " ORDER BY 2, 1"))
            self.assertEqual(rows("SELECT * FROM main.cpu_sample_raw WHERE function NOT IN (SELECT id FROM main.string)"), [])
            self.assertGreater(len(rows("SELECT * FROM main.cpu_sample")), 500)
            self.assertEqual(
                rows("SELECT t0_ns FROM trace"),
                rows(f"SELECT value + {zero} FROM meta WHERE key = 't0_realtime_ns'"))
        db.close()
        self.assert_fails(cli.run("analyze", path), 1, "read the original trace")

    def test_same_bytes(self):
        again = self.folder / "again.sqlite"
        self.assert_done(cli.run("export", "-o", again, self.trace))
        self.assertEqual(self.path.read_bytes(), again.read_bytes())


class Scope(cli.Case):
    """How a report names the part of the trace that it covers, in each format."""

    def scopes(self, *args):
        report = json.loads(cli.run("analyze", "-q", "--format=json", *args, self.trace).stdout)
        page = cli.run("analyze", "-q", "--format=html", *args, self.trace).stdout
        text = cli.run("analyze", "-q", *args, self.trace).stdout
        only = re.search(r"(?m)^only (.*(?:\n     .*)*)", text.split("\n\n")[0])
        path = self.folder / "scope.sqlite"
        self.assert_done(cli.run("export", "-q", "-f", "-o", path, *args, self.trace))
        with sqlite3.connect(path) as db:
            row = db.execute("SELECT scope_device, scope_stream, scope_start_ns, scope_end_ns FROM trace")
            row = row.fetchone()
        db.close()
        shown = json.loads(re.search(r'(?m)^"scope":(.*),$', page)[1])
        self.assertEqual(shown, " ".join(only[1].split()) if only else "")
        scope = report["trace"]["scope"]
        keys = "device", "stream", "range_start_ns", "range_end_ns"
        self.assertEqual(tuple(scope[key] for key in keys) if scope else (None,) * 4, row)
        return row

    def test_scopes(self):
        self.assertEqual(self.scopes(), (None, None, None, None))
        self.assertEqual(self.scopes("--device=0"), (0, None, None, None))
        self.assertEqual(self.scopes("--stream=7"), (None, 7, None, None))
        self.assertEqual(self.scopes("--range=50ms:150ms"), (None, None, 50000000, 150000000))
        self.assertEqual(self.scopes("--range=0:", "--device=0"), (0, None, 0, None))
        self.assertEqual(self.scopes("--range=:100ms"), (None, None, None, 100000000))


class Refused(cli.Case):
    def test_usage(self):
        self.assert_fails(cli.run("export", self.trace), 2, "--format=chrome")
        self.assert_fails(cli.run("export", "--format=text", self.trace), 2, "chrome, perfetto, sqlite")
        self.assert_fails(cli.run("export", "--compat=kineto", "--format=sqlite", self.trace), 2,
                          "--compat requires")
        path = self.folder / "k.pftrace"
        self.assert_fails(cli.run("export", "--compat=kineto", "-o", path, self.trace), 2,
                          "--compat requires")
        self.assertFalse(path.exists())
        self.assert_fails(cli.run("export", "--format=chrome", "a", "b"), 2, "one FILE")
        self.assert_fails(cli.run("export", "--paper", "--format=chrome", "a"), 2, "export: --paper")
        self.assert_fails(cli.run("export", "--format=chrome", "no-such-file"), 1, "no-such-file")

    def test_nothing_is_left(self):
        path = self.folder / "x.json"
        self.assert_fails(cli.run("export", "-o", path, "no-such-file"), 1)
        self.assertEqual(list(self.folder.iterdir()), [])
        path.write_text("mine", encoding="utf-8")
        self.assertEqual(cli.run("export", "-o", path, self.trace).returncode, 1)
        self.assertEqual(path.read_text(encoding="utf-8"), "mine")


def has_hta():
    return not subprocess.run([HTA, "-c", "import hta"], capture_output=True, check=False).returncode


@unittest.skipUnless(has_hta(), "HolisticTraceAnalysis is not there")
class Hta(cli.Case):
    """It finds the iterations of a trace that had no steps."""

    SCRIPT = """
import sys, warnings
warnings.filterwarnings("ignore")
from hta.trace_analysis import TraceAnalysis
t = TraceAnalysis(trace_files={0: sys.argv[1]}, trace_dir=".", include_last_profiler_step=True)
df = t.t.get_trace(0)
sizes = df[(df.stream >= 0) & (df.iteration >= 0)].groupby("iteration").size()
print("SIZES", *sizes)
assert len(t.get_temporal_breakdown(visualize=False)) == 1
"""

    def test_iterations(self):
        trace = TRACES / "param-linear.json.gz"
        if not trace.exists():
            trace = cli.simulate(self.folder / "t.sqlite", "-F", "nsys")
        path = self.folder / "k.json.gz"
        self.assert_done(cli.run("export", "-q", "--compat=kineto", "-o", path, trace))
        loop = json.loads(cli.run("analyze", "-q", "--format=json", trace).stdout)["loops"][0]
        result = subprocess.run([HTA, "-c", self.SCRIPT, str(path)], capture_output=True,
                                encoding="utf-8", check=False, timeout=cli.TIMEOUT_S)
        self.assertEqual(result.returncode, 0, result.stderr[-2000:])
        line = next(row for row in result.stdout.splitlines() if row.startswith("SIZES"))
        sizes = [int(word) for word in line.split()[1:]]
        self.assertEqual(len(sizes), len(loop["iterations"]))
        for size, iteration in zip(sizes, loop["iterations"]):
            self.assertGreaterEqual(size, iteration["kernels"])


if __name__ == "__main__":
    cli.main()

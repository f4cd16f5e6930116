"""deepprof export: timelines, databases, and what other programs make of them."""
import gzip
import json
import os
import pathlib
import sqlite3
import subprocess
import sys
import unittest
from decimal import Decimal

import cli

TRACES = pathlib.Path(os.environ.get("DEEPPROF_TRACES", cli.SOURCE / ".." / "shared" / "traces"))
# A Python that has HolisticTraceAnalysis.
HTA = os.environ.get("DEEPPROF_HTA_PYTHON", sys.executable)


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
        told = [it for loop in report["loops"] for it in loop["iterations"]]
        self.assertEqual(len(found), len(told))
        for event, iteration in zip(found, told):
            self.assertEqual((Decimal(event["ts"]) - zero) * 1000, iteration["start_ns"])
            self.assertEqual(Decimal(event["dur"]) * 1000, iteration["end_ns"] - iteration["start_ns"])

    def test_all_digits(self):
        text = self.export("a.json").read_text(encoding="utf-8")
        self.assertNotRegex(text, r'"(ts|dur)":-')
        self.assertNotRegex(text, r'"(ts|dur)":\d+(\.\d{0,2}|\.\d{4,})?[,}]')

    def test_read_back(self):
        """The same operations, so the same loops."""
        tables = []
        for path in self.export("a.json"), self.trace:
            result = cli.run("analyze", "--format=csv", path)
            self.assert_done(result)
            tables.append(result.stdout.replace(str(path), ""))
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
        told = [(loop["id"], it) for loop in report["loops"] for it in loop["iterations"]]
        self.assertEqual(len(rows), len(told))
        for row, (loop, iteration) in zip(rows, told):
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

    def test_same_bytes(self):
        again = self.folder / "again.sqlite"
        self.assert_done(cli.run("export", "-o", again, self.trace))
        self.assertEqual(self.path.read_bytes(), again.read_bytes())


class Refused(cli.Case):
    def test_usage(self):
        self.assert_fails(cli.run("export", self.trace), 2, "--format=chrome")
        self.assert_fails(cli.run("export", "--format=text", self.trace), 2, "chrome, sqlite")
        self.assert_fails(cli.run("export", "--compat=kineto", "--format=sqlite", self.trace), 2,
                          "--compat belongs")
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
                                encoding="utf-8", check=False, timeout=150)
        self.assertEqual(result.returncode, 0, result.stderr[-2000:])
        line = next(row for row in result.stdout.splitlines() if row.startswith("SIZES"))
        sizes = [int(word) for word in line.split()[1:]]
        self.assertEqual(len(sizes), len(loop["iterations"]))
        for size, iteration in zip(sizes, loop["iterations"]):
            self.assertGreaterEqual(size, iteration["kernels"])


if __name__ == "__main__":
    cli.main()

"""Timelines in the viewers themselves: all that a trace holds is there, and nothing is complained of.

Skips where there is no Chromium, or no copy of the viewers (see viewers.py).
"""
import json
import os
import pathlib
import sqlite3
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(os.environ["DEEPPROF_SOURCE"]) / "tests" / "cli"))
import browser
import cli
import viewers

TRACES = pathlib.Path(os.environ.get("DEEPPROF_TRACES", cli.SOURCE / ".." / "shared" / "traces"))
REAL = ["hta-diff-control.json.gz", "nsys-2026-mfu-before.sqlite", "nsys-2024-mmagic.sqlite",
        "tf1-timeline.json"]
SHOTS = pathlib.Path(os.environ["DEEPPROF_SHOTS"])
WORDS = {"gpu_memcpy": "copy", "gpu_memset": "set", "cuda_runtime": "call",
         "user_annotation": "annotation", "cpu_op": "operator", "cuda_sync": "sync"}
OPS = "('kernel', 'copy', 'set', 'gpu_memcpy', 'gpu_memset')"


def awkward(path):
    """Launches that overlap in part, ranges inside each other a thousand deep, threads of odd
    numbers, and a process of the device's number."""
    events = [{"ph": "M", "name": "process_name", "pid": 1, "tid": 0, "args": {"name": "train"}}]
    for i in range(1000):
        events.append({"ph": "X", "cat": "user_annotation", "name": f"open {i}", "pid": 1, "tid": -5,
                       "ts": i, "dur": 100000 - i})
    for i in range(60):
        ids = {"device": 1, "context": 1, "stream": 0 if i % 2 else 1, "correlation": i + 1}
        tid = (0, 1, -5, -6, 5000000000, 7)[i % 6]
        events.append({"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "pid": 1,
                       "tid": tid, "ts": 2000 + 10 * i, "dur": 75, "args": {"correlation": i + 1}})
        events.append({"ph": "X", "cat": "kernel", "name": f"k{i % 3}", "pid": 1, "tid": 7,
                       "ts": 3000 + 10 * i, "dur": 25, "args": ids})
    path.write_text(json.dumps({"schemaVersion": 1, "traceEvents": events}), encoding="utf-8")
    return path


def held(path):
    """Of each category number, summed lengths and summed starts from the first operation on."""
    with sqlite3.connect(path) as db:
        sums = "count(*), sum(end_ns - start_ns), sum(start_ns)"
        rows = db.execute(f"""SELECT kind, {sums} FROM operation GROUP BY 1
            UNION ALL SELECT 'call', {sums} FROM call HAVING count(*)
            UNION ALL SELECT kind, {sums} FROM annotation GROUP BY 1""").fetchall()
        launched = db.execute("SELECT count(*) FROM operation WHERE call IS NOT NULL").fetchone()[0]
        iterations = db.execute("""SELECT loop, iteration, end_ns - start_ns FROM iteration
            ORDER BY 3, 1, 2""").fetchall()
        rules = [row[0] for row in db.execute("SELECT rule FROM finding ORDER BY 1")]
    return {row[0]: row[1:] for row in rows}, launched, iterations, rules


@unittest.skipUnless(browser.find() and viewers.find(), "no Chromium, or no viewers")
class Timelines(cli.Case):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        SHOTS.mkdir(parents=True, exist_ok=True)
        cls.traces = [TRACES / name for name in REAL if (TRACES / name).exists()]
        for preset in "demo", "two-devices":
            cls.traces.append(cli.simulate(cls.top / f"{preset}.sqlite", "-p", preset, "-F", "nsys"))
        cls.traces.append(awkward(cls.top / "awkward.json"))

    def export(self, trace):
        name = trace.name.partition(".")[0]
        paths = [self.top / f"{name}.{end}" for end in ("pftrace", "timeline.json", "found.sqlite")]
        for path in paths:
            if not path.exists():
                result = cli.run("export", "-q", "-o", path, trace)
                self.assertEqual(result.returncode, 0, result.stderr)
        return paths

    def test_perfetto(self):
        with viewers.Perfetto(self.top, 1400) as viewer:
            for trace in self.traces:
                *timelines, database = self.export(trace)
                for path in timelines:
                    with self.subTest(timeline=path.name):
                        viewer.open(path.name)
                        self.check(viewer, *held(database))
                        viewer.page.screenshot(SHOTS / (path.name + ".png"), whole=False)

    def check(self, viewer, reported, launched, iterations, rules):
        self.assertEqual(viewer.sql("""SELECT name, value FROM stats
            WHERE severity IN ('error', 'data_loss') AND value > 0"""), [])
        self.assertEqual(viewer.sql("SELECT count(*) FROM slice WHERE dur < 0"), [[0]])
        zero = viewer.sql(f"SELECT min(ts) FROM slice WHERE category IN {OPS}")[0][0]
        rows = viewer.sql(f"""SELECT category, count(*), sum(dur), sum(ts - {zero}) FROM slice
            GROUP BY 1""")
        shown = {WORDS.get(row[0], row[0]): tuple(row[1:]) for row in rows}
        shown.pop("sync", None)
        shown.pop("deepprof", None)
        self.assertEqual(shown, reported)
        self.assertEqual(viewer.sql("SELECT count(*) FROM flow"), [[launched]])
        # Each arrow ends at the operation, and comes from the call.
        self.assertEqual(viewer.sql(f"""SELECT count(*) FROM flow f
            JOIN slice a ON a.id = f.slice_out JOIN slice b ON b.id = f.slice_in
            WHERE a.category IN ('call', 'cuda_runtime') AND b.category IN {OPS}"""), [[launched]])
        found = viewer.sql("""SELECT name, dur FROM slice WHERE category = 'deepprof'
            AND name LIKE 'iteration %' ORDER BY dur""")
        self.assertEqual([row[1] for row in found], [row[2] for row in iterations])
        self.assertEqual([row[0] for row in viewer.sql("""SELECT name FROM slice
            WHERE category = 'deepprof' AND coalesce(extract_arg(arg_set_id, 'debug.advice'),
            extract_arg(arg_set_id, 'args.advice')) IS NOT NULL ORDER BY 1""")], rules)
        names = [name for _, name in viewer.rows()]
        self.assertTrue(any(name.startswith("GPU ") for name in names), names)
        if iterations:
            self.assertTrue(any(name.startswith("deepprof") for name in names), names)
            self.assertTrue(any(name.startswith("loop 0: ") for name in names), names)

    def test_tracing(self):
        with viewers.Catapult(self.top, 1400) as viewer:
            for trace in self.traces:
                _, path, database = self.export(trace)
                with self.subTest(timeline=path.name):
                    reported, launched, _, rules = held(database)
                    viewer.open(path.name)
                    self.assertEqual(viewer.model("model.importWarnings.map(w => w.message)"), [])
                    self.assertEqual(viewer.model("model.flowEvents.length"), launched)
                    slices = viewer.model("""(() => {
                        const counts = {};
                        for (const process of Object.values(model.processes))
                            for (const thread of Object.values(process.threads))
                                for (const slice of thread.sliceGroup.slices)
                                    counts[slice.category] = (counts[slice.category] || 0) + 1;
                        return counts;
                    })()""")
                    shown = {WORDS.get(name, name): count for name, count in slices.items()}
                    for name, sums in reported.items():
                        self.assertEqual(shown[name], sums[0], name)
                    found = viewer.model("""Object.values(model.processes)
                        .filter(process => process.name == 'deepprof')
                        .flatMap(process => Object.values(process.threads))
                        .sort((a, b) => a.sortIndex - b.sortIndex).map(thread => thread.name)""")
                    self.assertEqual(sum(name.startswith("finding: ") for name in found), len(rules))
                    viewer.page.screenshot(SHOTS / (path.name + ".tracing.png"), whole=False)


if __name__ == "__main__":
    cli.main()

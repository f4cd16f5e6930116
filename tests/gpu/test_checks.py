"""The checks themselves, without a GPU: the driver's with a stand-in, and the comparison with
torch.profiler's traces on a simulated program in both formats. What they would not find is a check
that can't fail: so the traces are spoiled, too.
"""

import gzip
import json
import os
import pathlib
import sqlite3
import subprocess
import sys
import tarfile
import time
import types
import unittest
import unittest.mock

import cli

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))

import checks_probe  # noqa: E402
import checks_torch  # noqa: E402
import harness  # noqa: E402
import profiler  # noqa: E402
import run  # noqa: E402


class Run(cli.Case):
    def run_checks(self, *names, stand_in=True, cupti=os.environ["DEEPPROF_FAKE_CUPTI"]):
        more = []
        if stand_in:
            more = ["--cuda", os.environ["DEEPPROF_FAKE_CUDA"], "--cupti", cupti]
        return subprocess.run(
            [sys.executable, HERE / "run.py", "--deepprof", cli.DEEPPROF, "--repeat", "1", "--out",
             self.folder / "out", "--work", os.environ["DEEPPROF_GPU_WORK"], *more, *names],
            encoding="utf-8", capture_output=True, check=False,
            env=cli.environment(OUT=None, CUDA_INJECTION64_PATH=None, NVTX_INJECTION64_PATH=None),
        )  # fmt: skip

    def test_all(self):
        # How much -n records is tried elsewhere, and takes its time.
        names = [n for n, _, _ in harness.CHECKS if not n.startswith("probe-limits")]
        result = self.run_checks(*names)
        self.assertEqual(result.returncode, 0, result.stdout + result.stderr)
        results = (self.folder / "out" / "RESULTS.md").read_text()
        self.assertNotIn("FAIL", results)
        for name in names:
            self.assertIn(f"\n## {name}: ", results)
        self.assertEqual(os.listdir(self.folder / "out"), ["RESULTS.md"])

    def test_elsewhere(self):
        """Without a driver they are skipped; where there is one this says nothing."""
        result = self.run_checks("work-counts", stand_in=False)
        if pathlib.Path("/dev/nvidiactl").exists():
            self.skipTest("there is a driver here")
        self.assertEqual(result.returncode, 77, result.stdout + result.stderr)

    def test_without_cupti(self):
        """Said once, and at once."""
        result = self.run_checks(cupti="/no/such")
        self.assertEqual(result.returncode, 1)
        self.assertEqual(result.stdout, "")
        self.assertRegex(result.stderr, r"--cupti=/no/such: No such file[^\n]*\n")
        self.assertRegex(result.stderr, r"run: --cupti names one; pack takes one along\n\Z")

    def test_parts(self):
        """Each check is in one of them, and is run there."""
        names = [name for name, _, _ in harness.CHECKS]
        parts = [
            subprocess.run(
                [sys.executable, HERE / "run.py", "--list", "--part", str(part)],
                encoding="utf-8", capture_output=True, check=True, env=cli.environment(),
            ).stdout.splitlines()
            for part in range(1, 5)
        ]  # fmt: skip
        listed = [line.split()[0] for part in parts for line in part]
        self.assertEqual(sorted(listed), sorted(names))
        # It measures in all the time that is left.
        self.assertEqual(parts[3][-1].split()[0], "probe-cpu")

    def test_archive(self):
        """What was kept is in one file, next to the numbers."""
        result = self.run_checks("--part", "4", "--keep")
        self.assertEqual(result.returncode, 0, result.stdout + result.stderr)
        left = sorted(os.listdir(self.folder / "out"))
        self.assertEqual(left, ["RESULTS.part4.md", "part4.tar.gz"])
        with tarfile.open(self.folder / "out" / "part4.tar.gz") as tar:
            self.assertIn("probe-attach/trace.db", tar.getnames())

    def test_archive_limit(self):
        """The small first, and no more than fits."""
        out = self.folder / "out"
        for size in 1000, 200000, 5000:
            (out / f"check{size}").mkdir(parents=True)
            (out / f"check{size}" / "trace.db").write_bytes(os.urandom(size))
        (out / "RESULTS.part1.md").touch()
        with unittest.mock.patch.object(run, "ARCHIVE_BYTES", 100000):
            run.carry_home(types.SimpleNamespace(out=out, part="1"))
        self.assertEqual(sorted(os.listdir(out)), ["RESULTS.part1.md", "part1.tar.gz"])
        self.assertLess((out / "part1.tar.gz").stat().st_size, 100000)
        with tarfile.open(out / "part1.tar.gz") as tar:
            self.assertEqual(tar.getnames(), ["check1000/trace.db", "check5000/trace.db"])

    def test_unknown(self):
        self.assertEqual(self.run_checks("no-such-check").returncode, 1)


class Harness(cli.Case):
    def place(self, limit=1000, cuda=None):
        return harness.Place(types.SimpleNamespace(out=self.folder, limit=limit, cuda=cuda), "x")

    def test_busy(self):
        """What depends on times fails on an idle machine only; without a GPU it never does."""
        with unittest.mock.patch.object(harness, "why_busy", return_value="") as why:
            with self.assertRaisesRegex(harness.Failed, "too slow"):
                self.place().judge(False, "too slow")
            place = self.place(cuda="stand-in")
            place.judge(False, "too slow")
            self.assertEqual((place.lines, place.busy), (["not judged (no GPU): too slow"], False))
            why.return_value = "machine busy"
            place = self.place()
            place.judge(True, "fast")
            self.assertFalse(place.busy)
            place.judge(False, "too slow")
            self.assertEqual(place.lines, ["not judged (machine busy): too slow"])
            self.assertTrue(place.busy)
            options = types.SimpleNamespace(out=self.folder, limit=1000, cuda=None, keep=False)
            verdict, *_ = run.run_check(options, "x", lambda place: place.judge(False, "slow"))
            self.assertEqual(verdict, "busy")

    def test_why_busy(self):
        for waiting, used, why in (-15, "0", ""), (1, "0", "processors"), (-15, "0 37", "GPU"):
            with unittest.mock.patch.multiple(
                harness, waiting_threads=lambda: waiting, output_of=lambda command: used
            ):
                found = harness.why_busy()
            self.assertIn(why, found)
            self.assertEqual(bool(why), bool(found))

    def test_left_running(self):
        """What a check leaves behind does not disturb the next one."""
        started = []

        def check(place):
            started.append(place.start(["sleep", "1000"]))
            place.finish(place.start(["sleep", "1000"]), 0.1)

        options = types.SimpleNamespace(out=self.folder, limit=1000, cuda=None, keep=False)
        verdict, lines, _ = run.run_check(options, "x", check)
        self.assertEqual((verdict, lines), ("FAIL", ["failed: not done after 0 s: sleep 1000"]))
        self.assertEqual(started[0].poll(), -9)

    def test_overhead_out_of_time(self):
        """What was measured stays; a program that hangs is a failure."""
        place = self.place()

        def time_one(place, words, way):
            if way == "torch.profiler":
                place.until = time.monotonic()
                raise harness.OutOfTime("not done")
            time.sleep(0.001)
            return 5

        ways = ["alone", "record", "torch.profiler"]
        with unittest.mock.patch.object(checks_torch, "time_one", time_one):
            place.options.repeat = 2
            with self.assertRaises(harness.OutOfTime):
                checks_torch.time_them(place, [], ways)
            place.until = time.monotonic()
            self.assertEqual(checks_torch.time_them(place, [], ways), {"alone": [5], "record": [5]})
            self.assertRegex(place.lines[0], r"\Atorch.profiler: 0 s were left, which was not")
        place.until = 0
        with self.assertRaises(harness.OutOfTime):
            place.run(["true"])

    def test_find_cupti(self):
        """What was packed comes first, then what Python has."""
        site = self.folder / "site"
        for name in "nvidia/cuda_cupti/lib/libcupti.so.12", "nvidia/cu13/lib/libcupti.so.13":
            (site / name).parent.mkdir(parents=True)
            (site / name).touch()
        (self.folder / "build" / "cupti").mkdir(parents=True)
        before = sys.path[:]
        try:
            sys.path[:] = [str(self.folder / "no-such")]
            self.assertIsNone(harness.find_cupti(self.folder / "build"))
            sys.path.append(str(site))
            self.assertEqual(harness.find_cupti(self.folder / "build"), site / "nvidia/cu13/lib")
            packed = self.folder / "build" / "cupti"
            (packed / "libcupti.so.12.gz").write_bytes(gzip.compress(b"library"))
            self.assertEqual(harness.find_cupti(self.folder / "build"), packed)
            self.assertEqual(os.listdir(packed), ["libcupti.so.12"])
            self.assertEqual((packed / "libcupti.so.12").read_bytes(), b"library")
        finally:
            sys.path[:] = before

    def test_rounds(self):
        """As many as the time is enough for, and one at least."""
        place = self.place()
        self.assertEqual(list(place.rounds(5)), [0, 1, 2, 3, 4])
        self.assertEqual(place.lines, [])
        done = 0
        for done in place.rounds(5):
            place.until -= 300
        self.assertLess(done, 4)
        self.assertRegex(place.lines[0], r"^\d of 5 measurements: no time for more")
        place.until = 0
        self.assertEqual(list(place.rounds(5)), [0])

    def test_iterations_of(self):
        """Of neither layers nor a model that is uploaded before the loop."""
        loops = [
            {"parent": parent, "iterations": [{}] * count, "coverage": coverage}
            for parent, count, coverage in ((None, 38, 0.04), (None, 11, 0.92), (1, 36, 0.95))
        ]
        self.assertEqual(checks_probe.iterations_of({"loops": loops}), 11)
        self.assertEqual(checks_probe.iterations_of({"loops": []}), 0)

    def test_why_not(self):
        run = [sys.executable, "-c"]
        self.assertEqual(harness.why_not([*run, "pass"]), "")
        self.assertEqual(harness.why_not([*run, "raise OSError('no')"]), "OSError: no")
        self.assertEqual(harness.why_not([*run, "import os; os.abort()"]), "status -6")
        self.assertIn("0.2 s", harness.why_not([*run, "import time; time.sleep(60)"], 0.2))


class Comparison(cli.Case):
    """One simulated program, as torch.profiler and as deepprof would have it."""

    def setUp(self):
        super().setUp()
        self.json = cli.simulate(self.folder / "t.json", "-F", "kineto")
        self.trace = cli.simulate(self.folder / "t.db", "-F", "deepprof")

    def test_same(self):
        kernels, *_, apart = profiler.compare(self.trace, self.json)
        self.assertGreater(kernels, 100)
        self.assertLess(abs(apart), 0.01)

    def test_mangled(self):
        """A name that torch.profiler leaves as it is."""
        sql = "SELECT value FROM string WHERE id = (SELECT min(name) FROM kernel)"
        name = harness.one(self.trace, sql)
        text = self.json.read_text()
        self.assertIn(json.dumps(name), text)
        self.json.write_text(text.replace(json.dumps(name), '"_Z4longv"'))
        with self.assertRaisesRegex(harness.Failed, "kernels"):
            profiler.compare(self.trace, self.json)
        with sqlite3.connect(self.trace) as db:
            db.execute("UPDATE string SET mangled = '_Z4longv' WHERE value = ?", (name,))
        db.close()
        profiler.compare(self.trace, self.json)

    def refused(self, sql, what):
        with sqlite3.connect(self.trace) as db:
            self.assertGreater(db.execute(sql).rowcount, 0)
        db.close()
        with self.assertRaisesRegex(harness.Failed, what):
            profiler.compare(self.trace, self.json)

    def test_kernel_missing(self):
        self.refused("DELETE FROM kernel WHERE id = (SELECT min(id) FROM kernel)", "kernels")

    def test_copy_shorter(self):
        self.refused("UPDATE memcpy SET bytes = bytes - 1", "copies")

    def test_copies_in_graphs(self):
        """Which torch.profiler has as kernels."""
        report = json.loads(self.json.read_text())
        events = report["traceEvents"]
        kind, name = 1, "HtoD"
        copies = [e for e in events if e.get("cat") == "gpu_memcpy" and name in e["name"]]
        self.assertGreater(len(copies), 1)
        for copy in copies:
            copy.update(cat="kernel", name="memcpy128")
        self.json.write_text(json.dumps(report))
        with self.assertRaisesRegex(harness.Failed, "copies in graphs: 0, not"):
            profiler.compare(self.trace, self.json)
        with sqlite3.connect(self.trace) as db:
            db.execute("UPDATE memcpy SET graph = 1 WHERE kind = ?", (kind,))
        db.close()
        profiler.compare(self.trace, self.json)
        self.refused("DELETE FROM memcpy WHERE id = (SELECT min(id) FROM memcpy WHERE graph = 1)",
                     "copies in graphs")  # fmt: skip

    def test_slower(self):
        with sqlite3.connect(self.trace) as db:
            db.execute("UPDATE kernel SET dur_ns = dur_ns * 2")
        db.close()
        self.assertAlmostEqual(profiler.compare(self.trace, self.json)[-1], 1, 2)

    def test_no_kernels(self):
        self.json.write_text(json.dumps({"traceEvents": []}))
        with self.assertRaises(harness.Failed):
            profiler.compare(self.trace, self.json)


if __name__ == "__main__":
    import checks_jax  # noqa: E402,F401
    import checks_work  # noqa: E402,F401

    cli.main()

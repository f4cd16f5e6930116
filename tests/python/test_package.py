"""The Python package over the library as it was built. What needs NumPy, pandas, Polars, pyarrow or
nanoarrow is skipped where that is not installed."""
import concurrent.futures
import contextlib
import ctypes
import doctest
import errno
import gc
import importlib.util
import inspect
import json
import os
import pathlib
import pickle
import shutil
import subprocess
import sys
import tempfile
import threading
import typing
import unittest
import unittest.mock

import deepprof
from deepprof import _arrow, engines, progress

SOURCE = pathlib.Path(os.environ["DEEPPROF_SOURCE"])
SAMPLE = SOURCE / "data" / "sample.json.gz"
FASTER = SOURCE / "data" / "faster.json.gz"


def needs(*modules):
    lacking = [name for name in modules if not importlib.util.find_spec(name)]
    return unittest.skipIf(lacking, f"not installed: {', '.join(lacking)}")


class Analyses(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.analysis = deepprof.analyze(SAMPLE)

    def test_findings(self):
        first = self.analysis.findings[0]
        whole = json.loads(self.analysis.to_json())["findings"][0]
        self.assertEqual(first.rule, whole["rule"])
        self.assertEqual(first.advice, whole["advice"])
        self.assertEqual(first.iterations, tuple(whole["iterations"]))
        self.assertEqual(first.loops, whole["loops"])
        self.assertAlmostEqual(first.recoverable_ns, whole["recoverable_ns"], delta=1)
        self.assertEqual(set(first.evidence), set(whole["evidence"]))

    def test_tables_are_the_report(self):
        loops = json.loads(self.analysis.to_json())["loops"]
        rows = self.analysis.table("iterations").to_list()
        listed = [row for loop in loops if loop["selected"] for row in loop["iterations"]]
        self.assertEqual(len(rows), len(listed))
        for row, reported in zip(rows, listed):
            for key, value in reported.items():
                if isinstance(value, float):
                    self.assertAlmostEqual(row[key], value, delta=abs(value) * 1e-6)
                elif isinstance(value, int) and isinstance(row[key], float):
                    self.assertAlmostEqual(row[key], value, delta=0.51)
                else:
                    self.assertEqual(row[key], value, key)

    def test_every_table_is_read(self):
        for name in self.analysis.tables():
            with self.subTest(name):
                table = self.analysis.table(name)
                rows = table.to_list()
                self.assertTrue(all(list(row) == table.columns for row in rows))
                self.assertTrue(all(about["help"] for about in table.schema.values()))

    def test_summary_is_small(self):
        self.assertIs(self.analysis.summary["brief"], True)
        self.assertNotIn("iterations", self.analysis.summary["loops"][0])

    def test_html(self):
        self.assertTrue(self.analysis._repr_html_().startswith("<iframe srcdoc="))

    def test_bytes_of_binary_formats(self):
        self.assertTrue(self.analysis.report("sqlite").startswith(b"SQLite format 3\0"))

    def test_options(self):
        analysis = deepprof.analyze(SAMPLE, iterations=[20], metrics=["interval_ns"])
        self.assertEqual(analysis.findings, [])
        self.assertEqual(analysis.table("loops").to_list()[0]["found_by"], "count")
        quiet = deepprof.analyze(SAMPLE, thresholds={"input-bound": 0.99})
        self.assertNotIn("input-bound", [finding.rule for finding in quiet.findings])

    def test_saved_reports(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder, "report.json")
            path.write_text(self.analysis.to_json())
            saved = deepprof.analyze(path)
            self.assertEqual(
                [finding.rule for finding in saved.findings],
                [finding.rule for finding in self.analysis.findings],
            )

    def test_progress_and_log(self):
        seen, reported = [], []
        deepprof.open(
            SAMPLE,
            progress=lambda done, total: seen.append((done, total)),
            log=lambda level, message: reported.append(level),
        )
        self.assertTrue(all(done <= total or not total for done, total in seen))
        self.assertTrue(set(reported) <= {"debug", "info", "warning"})

    def test_exceptions_in_progress_and_log(self):
        """Raised after the call; the first one ends the calls."""
        warned = {"iterations": 20, "range_ns": (0, 2 * 10**9)}
        for kind in ZeroDivisionError, KeyboardInterrupt:
            for name in "progress", "log":
                function = unittest.mock.Mock(side_effect=kind)
                with self.subTest(name), self.assertRaises(kind):
                    deepprof.analyze(SAMPLE, **warned, **{name: function})
                self.assertEqual(function.call_count, 1)

    def test_progress_in_notebooks(self):
        """A bar that appears after a second, moves, and is gone at the end."""
        shown, now = [], [0.0]
        handle = unittest.mock.Mock(update=lambda what, raw: shown.append(what["text/html"]))

        def display(what, **_):
            shown.append(what["text/html"])
            return handle

        with unittest.mock.patch.object(progress, "_display", lambda: display), \
                unittest.mock.patch.object(progress.time, "monotonic", lambda: now[0]):
            bar = progress.reporter(None)
            for now[0], done in ((0.5, 10), (1.5, 20), (1.51, 21), (1.7, 30), (2, 40)):
                bar(done * 10**6, 40 * 10**6)
            self.assertIsNone(progress.reporter(False))
            self.assertIsNotNone(progress.reporter(True))
        self.assertEqual(
            shown,
            [
                '<progress value="0.500"></progress> 20 MB read',
                '<progress value="0.750"></progress> 30 MB read',
                "",
            ],
        )
        self.assertIsNone(progress.reporter(None))

    @unittest.skipIf(sys.version_info < (3, 10), "evaluates no unions of types before 3.10")
    def test_hints(self):
        """What is public says what it takes and returns, and the types exist."""
        functions = [getattr(deepprof, name) for name in deepprof.__all__]
        functions += [deepprof.Table.to_list, deepprof.Analysis.report, deepprof.Analysis.table]
        for function in functions:
            if not isinstance(function, type):
                hints = typing.get_type_hints(function)
                self.assertIn("return", hints, function)
                self.assertEqual(set(hints) - {"return"},
                                 set(inspect.signature(function).parameters) - {"self"})

    def test_hints_of_plots_and_blocks(self):
        """``import deepprof`` is enough for plots."""
        plots = "periods", "breakdown", "timeline", "ranks"
        functions = [getattr(deepprof.plot, name) for name in plots]
        functions += [deepprof.Analysis.__enter__, deepprof.Analysis.__exit__]
        for function in functions:
            self.assertIn("return", function.__annotations__, function)

    def test_traces(self):
        """A file that is read once, for several analyses, which outlive it."""
        with deepprof.open(SAMPLE) as trace:
            again = deepprof.analyze(trace)
            with concurrent.futures.ThreadPoolExecutor(2) as pool:
                inner = pool.submit(deepprof.analyze, trace, level="innermost")
                compared = deepprof.compare(trace, FASTER)
            inner = inner.result()
        self.assertEqual(again.to_json(), self.analysis.to_json())
        self.assertEqual(
            inner.to_json(), deepprof.analyze(SAMPLE, level="innermost").to_json()
        )
        self.assertEqual(compared.to_json(), deepprof.compare(SAMPLE, FASTER).to_json())
        with self.assertRaises(ValueError):
            deepprof.analyze(trace)

    def test_loops(self):
        rows = self.analysis.table("iterations").to_list()
        for loop in 0, 1:
            found = self.analysis.table("iterations", loop=loop).to_list()
            self.assertEqual(found, [row for row in rows if row["loop"] == loop])
        for name, loop in (("iterations", 7), ("iterations", -1), ("streams", 0)):
            with self.subTest(name), self.assertRaises(deepprof.ArgumentError):
                self.analysis.table(name, loop=loop).to_list()

    def test_threads(self):
        with concurrent.futures.ThreadPoolExecutor(4) as pool:
            found = list(pool.map(lambda _: deepprof.analyze(SAMPLE).to_json(), range(8)))
        self.assertEqual(set(found), {self.analysis.to_json()})

    def test_the_lock_is_released(self):
        """Another thread runs while the library works."""
        counted, stop = [0], threading.Event()

        def count():
            while not stop.is_set():
                counted[0] += 1

        thread = threading.Thread(target=count)
        thread.start()
        try:
            before = counted[0]
            for _ in range(5):
                deepprof.analyze(SAMPLE)
            self.assertGreater(counted[0], before)
        finally:
            stop.set()
            thread.join()

    def test_closed(self):
        with deepprof.analyze(SAMPLE) as analysis:
            table = analysis.table("loops")
        with self.assertRaises(ValueError):
            analysis.report()
        with self.assertRaises(ValueError):
            table.to_list()


class Errors(unittest.TestCase):
    def test_classes(self):
        with tempfile.TemporaryDirectory() as folder:
            text = pathlib.Path(folder, "text")
            text.write_text("no trace\n")
            with self.assertRaises(deepprof.FormatError) as caught:
                deepprof.analyze(text)
            self.assertEqual(caught.exception.path, str(text))
            with self.assertRaises(deepprof.FileError):
                deepprof.analyze(pathlib.Path(folder, "none"))
            with self.assertRaises(OSError) as caught:
                deepprof.analyze(pathlib.Path(folder, "none"))
            none = caught.exception
            self.assertEqual(none.errno, errno.ENOENT)
            self.assertEqual(none.filename, os.path.join(folder, "none"))
            self.assertEqual(str(none), f"{none.filename}: {os.strerror(errno.ENOENT)}")
            self.assertEqual(pickle.loads(pickle.dumps(none)).errno, errno.ENOENT)
            with self.assertRaises(OSError) as caught:
                deepprof.analyze(folder)
            self.assertEqual(caught.exception.errno, errno.EISDIR)
            broken = pathlib.Path(folder, "broken.json")
            broken.write_text('{"traceEvents": [\n{"ph": "X",, }]}')
            with self.assertRaises(deepprof.DeepprofError) as caught:
                deepprof.analyze(broken)
            self.assertEqual((caught.exception.path, caught.exception.line), (str(broken), 2))
        for options in (
            {"device": 77},
            {"level": "middle"},
            {"metrics": ["nothing"]},
            {"marks": "("},
            {"iterations": -1},
        ):
            with self.subTest(options), self.assertRaises(deepprof.ArgumentError):
                deepprof.analyze(SAMPLE, **options)

    def test_a_text_is_no_list_of_metrics(self):
        with self.assertRaisesRegex(TypeError, "expected a list of names of metrics"):
            deepprof.analyze(SAMPLE, metrics="interval_ns")

    def test_tables_that_there_are_not(self):
        with self.assertRaisesRegex(deepprof.ArgumentError, "iterations"):
            deepprof.analyze(SAMPLE).table("iteration")

    def test_errors_travel_between_processes(self):
        error = deepprof.DamagedError("x:3: broken", "x", None, 3, None)
        again = pickle.loads(pickle.dumps(error))
        self.assertEqual((str(again), again.path, again.line), ("x:3: broken", "x", 3))


class Recording(unittest.TestCase):
    """With a command that writes a file, or nothing."""

    def record(self, script, **options):
        with tempfile.TemporaryDirectory() as folder:
            command = pathlib.Path(folder, "command")
            command.write_text(f"#!/bin/sh\n{script}\n")
            command.chmod(0o755)
            output = pathlib.Path(folder, "run.db")
            output.write_text("the run before")
            module = sys.modules["deepprof.record"]
            with unittest.mock.patch.object(module, "command", lambda: str(command)):
                return deepprof.record(["python"], output, **options) == output

    def test_a_file(self):
        self.assertTrue(self.record('echo new > "$3.part" && mv "$3.part" "$3"', force=True))

    def test_nothing(self):
        with self.assertRaisesRegex(deepprof.NoGpuError, "run.db: nothing was recorded"):
            self.record("true", force=True)
        with self.assertRaises(subprocess.CalledProcessError):
            self.record("exit 3")

    def test_a_text_is_no_list(self):
        with self.assertRaisesRegex(TypeError, "expected a list of words"):
            deepprof.record("python train.py")


class Comparisons(unittest.TestCase):
    def test_runs(self):
        comparison = deepprof.compare(SAMPLE, FASTER)
        pair = comparison.table("pairs").to_list()[0]
        self.assertTrue(pair["significant"])
        self.assertLess(pair["after"], pair["before"])
        self.assertIn("faster", comparison.report("markdown"))
        reported = json.loads(comparison.to_json())["pairs"][0]
        self.assertEqual([pair["loop_before"], pair["loop_after"]], reported["loops"])
        for name in comparison.tables():
            self.assertIsInstance(comparison.table(name).to_list(), list)


class RanksOfAJob(unittest.TestCase):
    def test_straggler(self):
        with tempfile.TemporaryDirectory() as folder:
            words = [os.environ["DEEPPROF_SIM"], "job", "-p", "late-host", "-o", folder]
            subprocess.run(words, check=True, stdout=subprocess.DEVNULL)
            paths = sorted(pathlib.Path(folder).glob("rank*"))
            truth = json.loads(pathlib.Path(folder, "truth.json").read_text())
            damaged = pathlib.Path(folder, "damaged.json")
            damaged.write_text("nothing")
            ranks = deepprof.ranks([*paths, damaged])
            again = deepprof.ranks([damaged, *reversed(paths)], threads=1)
        self.assertEqual(ranks.to_json(), again.to_json())
        self.assertEqual(ranks.verdict["kind"], "straggler")
        self.assertEqual(ranks.verdict["ranks"], [truth["faults"][0]["rank"]])
        self.assertIn("damaged.json", str(ranks))

    def test_nothing_to_compare(self):
        with self.assertRaises(deepprof.ArgumentError):
            deepprof.ranks([])


class Capsules(unittest.TestCase):
    def setUp(self):
        self.analysis = deepprof.analyze(SAMPLE)

    def test_a_capsule_that_nobody_reads(self):
        """It is released when the next one is made, which what is raised meanwhile doesn't mind."""
        table = self.analysis.table("iterations")
        capsules = [table.__arrow_c_stream__(), table.__arrow_c_schema__()]
        streams = [struct for struct, _ in _arrow._made]
        self.assertTrue(all(struct.release for struct in streams[-2:]))
        del capsules
        with self.assertRaises(TypeError):
            int(table.__arrow_c_stream__())
        last = table.__arrow_c_schema__()
        self.assertFalse(any(struct.release for struct in streams))
        self.assertEqual(len(_arrow._made), 1)
        self.assertTrue(_arrow._made[0][1] is last)

    @needs("nanoarrow")
    def test_nanoarrow(self):
        import nanoarrow

        table = self.analysis.table("kernels")
        read = nanoarrow.ArrayStream(table).read_all()
        self.assertEqual(len(read), len(table.to_list()))

    @needs("pyarrow")
    def test_pyarrow(self):
        for name in self.analysis.tables():
            table = self.analysis.table(name)
            read = table.to_arrow()
            read.validate(full=True)
            self.assertEqual(read.to_pylist(), table.to_list(), name)
            self.assertEqual(
                {field.name: field.metadata[b"help"].decode() for field in read.schema},
                {column: about["help"] for column, about in table.schema.items()},
            )

    @needs("polars")
    def test_polars(self):
        for name in self.analysis.tables():
            table = self.analysis.table(name)
            self.assertEqual(table.to_polars().to_dicts(), table.to_list(), name)


class Arrays(unittest.TestCase):
    @needs("numpy")
    def test_metrics_are_not_copied(self):
        import numpy as np

        analysis = deepprof.analyze(SAMPLE, iterations=[20])
        table = analysis.table("iterations")
        first, second = table.to_numpy(), table.to_numpy()
        for name in ("period_ns", "interval_ns", "busy_ns"):
            self.assertTrue(np.shares_memory(first[name], second[name]), name)
            self.assertFalse(first[name].flags.writeable)
        analysis.close()
        reported = deepprof.analyze(SAMPLE, iterations=[20]).table("iterations").to_list()
        del second
        gc.collect()
        for value, row in zip(first["period_ns"], reported):
            self.assertTrue(value == row["period_ns"] or (np.isnan(value) and not row["period_ns"]))

    @needs("numpy")
    def test_metrics_of_several_loops_are_not_copied(self):
        analysis = deepprof.analyze(SAMPLE)
        for loop in 0, 1:
            arrays = [analysis.table("iterations", loop=loop).to_numpy() for _ in range(2)]
            for name in "period_ns", "busy_ns", "input_wait_ns":
                first, second = (at[name].__array_interface__["data"] for at in arrays)
                self.assertEqual(first, second)
                self.assertTrue(first[1])  # read-only

    @needs("numpy")
    def test_operations_are_not_copied(self):
        import numpy as np

        table = deepprof.analyze(SAMPLE).table("operations")
        self.assertTrue(
            np.shares_memory(table.to_numpy()["start_ns"], table.to_numpy()["start_ns"])
        )

    @needs("pandas", "numpy")
    def test_pandas(self):
        analysis = deepprof.analyze(SAMPLE)
        for name in analysis.tables():
            table = analysis.table(name)
            frame, rows = table.to_pandas(), table.to_list()
            self.assertEqual(list(frame.columns), table.columns)
            self.assertEqual(len(frame), len(rows), name)
        names = analysis.table("operations").to_pandas()["name"]
        self.assertEqual(str(names.dtype), "category")
        self.assertEqual(
            names.tolist(), [row["name"] for row in analysis.table("operations").to_list()]
        )


@contextlib.contextmanager
def object_store(paths):
    """URLs of copies of files on a local server."""
    import boto3
    import s3fs
    from moto.server import ThreadedMotoServer

    keys = {"AWS_ACCESS_KEY_ID": "a", "AWS_SECRET_ACCESS_KEY": "b"}
    server = ThreadedMotoServer("127.0.0.1", 0)
    server.start()
    try:
        endpoint = f"http://127.0.0.1:{server._server.server_port}"
        bucket = f"traces-{server._server.server_port}"
        s3fs.S3FileSystem.clear_instance_cache()  # they remember the server before
        with unittest.mock.patch.dict(os.environ, AWS_ENDPOINT_URL=endpoint, **keys):
            store = boto3.client("s3", endpoint_url=endpoint, region_name="us-east-1")
            store.create_bucket(Bucket=bucket)
            for path in set(paths):
                store.upload_file(str(path), bucket, os.path.basename(path))
            yield [f"s3://{bucket}/{os.path.basename(path)}" for path in paths]
    finally:
        server.stop()


class EnginesOfRanks(unittest.TestCase):
    """Threads, processes, clusters and the command: the same bytes."""

    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.mkdtemp()
        words = [os.environ["DEEPPROF_SIM"], "job", "-o", cls.folder, "ranks=4", "iterations=8"]
        words += ["fault=compute:rank=2,factor=1.3"]
        subprocess.run(words, check=True, stdout=subprocess.DEVNULL)
        cls.paths = sorted(map(str, pathlib.Path(cls.folder).glob("rank*")))
        cls.reduced = deepprof.reduce(cls.paths, threads=1)
        cls.report = deepprof.ranks(cls.paths, threads=1).to_json()

    @classmethod
    def tearDownClass(cls):
        shutil.rmtree(cls.folder)

    def check(self, pool):
        self.assertEqual(deepprof.reduce(self.paths, pool), self.reduced)
        self.assertEqual(deepprof.ranks(self.paths, executor=pool).to_json(), self.report)

    def test_threads(self):
        self.check(None)
        with concurrent.futures.ThreadPoolExecutor(3) as pool:
            self.check(pool)

    def test_processes(self):
        with concurrent.futures.ProcessPoolExecutor(2) as pool:
            self.check(pool)

    def test_summaries(self):
        """Merged in any order, mixed with traces, and read and written by the command."""
        self.assertEqual(json.loads(self.report)["verdict"]["ranks"], [2])
        with tempfile.TemporaryDirectory() as folder:
            halves = [pathlib.Path(folder, f"{k}.dpsum") for k in range(2)]
            for k, path in enumerate(halves):
                path.write_bytes(deepprof.reduce(self.paths[k::2]))
            self.assertEqual(deepprof.reduce(halves[::-1]), self.reduced)
            self.assertEqual(deepprof.ranks(halves).to_json(), self.report)
            self.assertEqual(deepprof.ranks([folder]).to_json(), self.report)
            pathlib.Path(folder, "checkpoint.bin").write_bytes(b"no trace")
            below = pathlib.Path(folder, "host", "traces")
            below.mkdir(parents=True)
            for path in self.paths:
                shutil.copy2(path, below)
            self.check_kept(sorted(below.iterdir()))
            deep = deepprof.ranks([folder]).to_json().replace(str(below), self.folder)
            self.assertEqual(json.loads(deep)["verdict"], json.loads(self.report)["verdict"])
            shutil.rmtree(below)
            self.assertEqual(deepprof.ranks([*self.paths[1::2], halves[0]]).to_json(), self.report)
            command = os.environ.get("DEEPPROF")
            if not command:
                self.skipTest("not built: the command")
            words = [command, "reduce", "-q", "-o", "-"]
            done = subprocess.run([*words, *self.paths], stdout=subprocess.PIPE, check=True)
            self.assertEqual(done.stdout, self.reduced)
            done = subprocess.run([*words, *self.paths, *halves], stdout=subprocess.PIPE)
            self.assertEqual((done.returncode, done.stdout), (0, self.reduced))

    def check_kept(self, traces):
        """A trace is not read where an up-to-date summary lies next to it."""
        expected, alone = deepprof.reduce(traces), [deepprof.reduce([path]) for path in traces]
        command = os.environ.get("DEEPPROF")
        if command:
            words = [command, "reduce", "-q", "-o", traces[0].parent, *traces]
            subprocess.run(words, check=True)
        for path, data in zip(traces, alone):
            kept = pathlib.Path(f"{path}.dpsum")
            if command:
                self.assertEqual(kept.read_bytes(), data)
            kept.write_bytes(data)
        with unittest.mock.patch.object(deepprof, "analyze", side_effect=ZeroDivisionError):
            self.assertEqual(deepprof.reduce(traces), expected)
            with self.assertRaises(ZeroDivisionError):
                deepprof.reduce(traces, ignore_marks=True)
            os.utime(traces[0])
            with self.assertRaises(ZeroDivisionError):
                deepprof.reduce(traces)

    @needs("numpy", "pandas")
    def test_tables(self):
        with deepprof.ranks(self.paths) as ranks:
            reported = json.loads(self.report)
            rows = ranks.table("ranks").to_list()
            self.assertEqual([row["rank"] for row in rows], [at["rank"] for at in reported["ranks"]])
            self.assertEqual([row["rank"] for row in rows if row["blamed"]], [2])
            self.assertEqual(ranks.table("ranks").schema["own_ns"]["unit"], "ns")
            cells = ranks.table("rank_iterations").to_pandas()
            self.assertEqual(len(cells), sum(len(at["ranks"]) for at in reported["iterations"]))
            slowest = cells.groupby("rank")["compute_ns"].median().idxmax()
            self.assertEqual(slowest, 2)
            kinds = {row["kind"] for row in ranks.table("collectives").to_list()}
            self.assertEqual(kinds, {at["kind"] for at in reported["collectives"]})
            calls = ranks.table("rank_collectives").to_pandas()
            self.assertEqual(len(calls), sum(at["collectives"] for at in reported["ranks"]))
            shortest = (calls.end_ns - calls.start_ns - calls.wait_ns).groupby(calls.instance)
            self.assertTrue((shortest.max() - shortest.min() < 1000).all())
            with self.assertRaises(deepprof.ArgumentError):
                ranks.table("loops")
            self.assertIn("<iframe", ranks._repr_html_())

    @needs("matplotlib", "numpy")
    def test_plot(self):
        import matplotlib

        matplotlib.use("Agg")
        from deepprof import plot

        with deepprof.ranks(self.paths) as ranks:
            cells = plot.ranks(ranks, "compute_ns").images[0].get_array()
            own = plot.ranks(ranks).images[0].get_array()
        self.assertEqual((cells.shape, own.shape), ((4, 8), (4, 7)))
        self.assertEqual(int(cells.mean(axis=1).argmax()), 2)

    def test_options(self):
        other = deepprof.reduce(self.paths, iterations=8, ignore_marks=True)
        self.assertIn(b"-n 8 --ignore-marks", other)
        for function in deepprof.reduce, deepprof.ranks:
            with self.assertRaisesRegex(deepprof.FileError, "^/none: ") as caught:
                function(["/none"])
            self.assertEqual(caught.exception.path, "/none")
        self.assertIn("/none", str(deepprof.ranks([*self.paths, "/none"])))

    @needs("fsspec")
    def test_urls(self):
        """Fetched by the worker; the name is the URL, size and time are not known."""
        urls = [f"file://{path}" for path in self.paths]
        with concurrent.futures.ProcessPoolExecutor(2) as pool:
            report = deepprof.ranks(urls, pool).to_json()
            reduced = deepprof.reduce(urls, pool)
        self.assertEqual(report.replace("file://", ""), self.report)
        self.assertEqual(reduced, deepprof.reduce(urls))
        self.assertIn("file:///none", str(deepprof.ranks([*urls, "file:///none"])))

    @needs("s3fs", "moto", "flask", "boto3")
    def test_object_stores(self):
        with object_store(self.paths) as urls:
            report = deepprof.ranks(urls).to_json()
            reduced = deepprof.reduce(urls, threads=2)
            self.assertEqual(reduced, deepprof.reduce(urls, threads=1))
        folder = os.path.dirname(self.paths[0])
        self.assertEqual(report.replace(os.path.dirname(urls[0]), folder), self.report)

    @unittest.skipUnless(shutil.which("mpirun"), "not installed: mpirun")
    @needs("mpi4py")
    def test_mpi(self):
        script = (
            "import sys, deepprof\n"
            "from mpi4py.futures import MPIPoolExecutor\n"
            "if __name__ == '__main__':\n"
            "    with MPIPoolExecutor() as pool:\n"
            "        sys.stdout.buffer.write(deepprof.reduce(sys.argv[1:], pool))\n"
            "        sys.stdout.write(deepprof.ranks(sys.argv[1:], pool).to_json())\n"
        )
        program = pathlib.Path(self.folder, "program.py")
        program.write_text(script)
        words = ["mpirun", "--allow-run-as-root", "--oversubscribe", "-n", "4", sys.executable]
        words += ["-m", "mpi4py.futures", str(program), *self.paths]
        done = subprocess.run(words, stdout=subprocess.PIPE, check=True, timeout=120)
        self.assertEqual(done.stdout.count(self.report.encode()), 1)
        self.assertEqual(done.stdout.replace(self.report.encode(), b""), self.reduced)

    @needs("dask.distributed" if importlib.util.find_spec("dask") else "dask")
    def test_dask(self):
        from dask.distributed import Client, LocalCluster

        with LocalCluster(
            n_workers=4, threads_per_worker=1, dashboard_address=None
        ) as cluster, Client(cluster) as client:
            self.check(client)


class Engines(unittest.TestCase):
    PATHS = SAMPLE, FASTER, SAMPLE

    def expected_of(self, path):
        return deepprof.analyze(path).report("json", brief=True)

    def expected(self):
        return [self.expected_of(path) for path in self.PATHS]

    def test_threads(self):
        self.assertEqual(deepprof.analyze_many(self.PATHS), self.expected())

    def test_processes(self):
        with concurrent.futures.ProcessPoolExecutor(2) as pool:
            self.assertEqual(deepprof.analyze_many(self.PATHS, pool), self.expected())

    def test_a_file_that_is_none(self):
        with self.assertRaises(deepprof.FileError):
            deepprof.analyze_many(["/none"])

    @needs("fsspec")
    def test_urls(self):
        with engines.local(f"file://{SAMPLE}") as (name, label):
            self.assertEqual(label, f"file://{SAMPLE}")
            self.assertEqual(pathlib.Path(name).read_bytes(), SAMPLE.read_bytes())
        self.assertFalse(os.path.exists(name))
        urls = [f"file://{path}" for path in self.PATHS]
        with concurrent.futures.ProcessPoolExecutor(2) as pool:
            found = deepprof.analyze_many(urls, pool)
        self.assertEqual(found, deepprof.analyze_many(urls))
        self.assertEqual([json.loads(report)["trace"]["path"] for report in found], urls)

    @needs("fsspec")
    def test_urls_that_cannot_be_fetched(self):
        for url in "file:///none", "nothing://none":
            with self.subTest(url), self.assertRaises(deepprof.FileError) as caught:
                deepprof.analyze_many([url])
            self.assertEqual(caught.exception.path, url)
        text = tempfile.NamedTemporaryFile(suffix=".json")
        self.addCleanup(text.close)
        with self.assertRaises(deepprof.FormatError) as caught:
            deepprof.analyze_many([f"file://{text.name}"])
        self.assertEqual(caught.exception.path, f"file://{text.name}")

    def test_a_path_is_no_list(self):
        for function in deepprof.analyze_many, deepprof.ranks, deepprof.reduce:
            for path in str(SAMPLE), SAMPLE:
                with self.assertRaisesRegex(TypeError, "expected a list of paths"):
                    function(path)

    @needs("s3fs", "moto", "flask", "boto3")
    def test_object_stores(self):
        with object_store(self.PATHS) as urls:
            found = deepprof.analyze_many(urls)
        for text, path in zip(found, self.PATHS):
            read, expected = json.loads(text), json.loads(self.expected_of(path))
            self.assertEqual(pathlib.Path(read["trace"].pop("path")).name, path.name)
            expected["trace"].pop("path")
            self.assertEqual(read, expected)

    @unittest.skipUnless(shutil.which("mpirun"), "not installed: mpirun")
    @needs("mpi4py")
    def test_mpi(self):
        script = (
            "import json, sys, deepprof\n"
            "from mpi4py.futures import MPIPoolExecutor\n"
            "if __name__ == '__main__':\n"
            "    with MPIPoolExecutor() as pool:\n"
            "        print(json.dumps(deepprof.analyze_many(sys.argv[1:], pool)))\n"
        )
        with tempfile.TemporaryDirectory() as folder:
            program = pathlib.Path(folder, "program.py")
            program.write_text(script)
            words = ["mpirun", "--allow-run-as-root", "--oversubscribe", "-n", "4", sys.executable]
            words += ["-m", "mpi4py.futures", str(program), *map(str, self.PATHS)]
            done = subprocess.run(words, stdout=subprocess.PIPE, check=True, timeout=120)
        self.assertEqual(json.loads(done.stdout), self.expected())

    @needs("dask.distributed" if importlib.util.find_spec("dask") else "dask")
    def test_dask(self):
        from dask.distributed import Client, LocalCluster

        with LocalCluster(
            n_workers=4, threads_per_worker=1, dashboard_address=None
        ) as cluster, Client(cluster) as client:
            self.assertEqual(deepprof.analyze_many(self.PATHS, client), self.expected())


class Plots(unittest.TestCase):
    @needs("matplotlib", "numpy")
    def test_all(self):
        import matplotlib

        matplotlib.use("Agg")
        from deepprof import plot

        analysis = deepprof.analyze(SAMPLE)
        axes = plot.periods(analysis)
        drawn = sum(len(line.get_xdata()) for line in axes.get_lines())
        self.assertEqual(drawn, 20)
        axes = plot.breakdown(analysis)
        row = analysis.table("iterations").to_list()[1]
        heights = [bar.get_height() for bar in axes.patches if abs(bar.get_center()[0] - 1) < 0.1]
        self.assertAlmostEqual(sum(heights), row["period_ns"] / 1e6, delta=0.01)
        axes = plot.timeline(analysis, iteration=3)
        self.assertIn("iteration 3", axes.get_title())
        row = analysis.table("iterations", loop=0).to_list()[3]
        self.assertAlmostEqual(axes.get_xlim()[1], row["period_ns"] / 1e6)
        busy = sum(image.get_array()[..., 3].mean() for image in axes.images) * row["period_ns"]
        self.assertAlmostEqual(busy / row["busy_ns"], 1, delta=0.01)
        labels = [text.get_text() for text in axes.get_legend().get_texts()]
        self.assertEqual(labels[:2], ["kernels", "copies and memsets"])
        with self.assertRaises(deepprof.ArgumentError):
            plot.timeline(analysis, iteration=10**6)


def has_mcp():
    return importlib.util.find_spec("mcp") and importlib.util.find_spec("mcp.server.mcpserver")


class Mcp(unittest.TestCase):
    @unittest.skipUnless(has_mcp(), "not installed: mcp 2.0 or later")
    def test_session(self):
        import asyncio

        from mcp import ClientSession, StdioServerParameters
        from mcp.client.stdio import stdio_client

        async def talk():
            program = StdioServerParameters(
                command=sys.executable, args=["-m", "deepprof", "mcp"], env=dict(os.environ)
            )
            async with stdio_client(program) as streams, ClientSession(*streams) as session:
                await session.initialize()
                names = {tool.name for tool in (await session.list_tools()).tools}
                good = await session.call_tool("analyze", {"path": str(SAMPLE)})
                bad = await session.call_tool("analyze", {"path": "/none"})
                folder = str(SOURCE / "data" / "ranks")
                job = await session.call_tool("ranks", {"paths": [folder]})
                return names, *(one.content[0].text for one in (good, bad, job))

        names, good, bad, job = asyncio.run(talk())
        self.assertEqual(names, {"analyze", "compare", "explain", "info", "ranks"})
        self.assertIn("rank 3 holds the others up", job)
        self.assertEqual(good, deepprof.analyze(SAMPLE).report("json", brief=True))
        self.assertIn("/none", bad)


def has_hta():
    """With a pandas that it works with."""
    if not importlib.util.find_spec("hta"):
        return False
    import pandas

    return int(pandas.__version__.split(".")[0]) < 3


class Notebooks(unittest.TestCase):
    def shown(self, name, without=()):
        """What the cells show, as texts; cells with these tags are not run."""
        import nbclient
        import nbformat

        notebook = nbformat.read(SOURCE / "python" / "examples" / name, 4)
        self.assertFalse(any(cell.get("outputs") for cell in notebook.cells))
        notebook.cells = [
            cell for cell in notebook.cells if not set(without) & set(cell.metadata.get("tags", ()))
        ]
        with unittest.mock.patch.dict(os.environ, DEEPPROF_DATA=str(SOURCE / "data")):
            nbclient.NotebookClient(notebook, timeout=120, kernel_name="python3").execute()
        return [str(output) for cell in notebook.cells for output in cell.get("outputs", ())]

    @needs("nbclient", "nbformat", "ipykernel", "pandas", "matplotlib")
    def test_tour(self):
        shown = self.shown("tour.ipynb")
        self.assertEqual(sum("image/png" in text for text in shown), 4)
        self.assertTrue(any("input-bound" in text for text in shown))
        self.assertTrue(any("rank 3 holds the others up" in text for text in shown))

    @needs("nbclient", "nbformat", "ipykernel")
    def test_next_to_hta(self):
        shown = self.shown("hta.ipynb", () if has_hta() else ("hta",))
        self.assertRegex(shown[0], r"rank 3 holds the others up(.|\\n)*deepprof: 2 lines, .* MiB")
        if not has_hta():
            self.skipTest("HTA's cell: not installed: HolisticTraceAnalysis and pandas 2")
        self.assertRegex(shown[-1], r"idle_time(.|\\n)*HTA: 5 lines, .* MiB")


class Layouts(unittest.TestCase):
    """The structs of the binding have the sizes of the headers': what an INIT macro says."""

    def test_sizes(self):
        from deepprof import _library

        reported = subprocess.run([os.environ["DEEPPROF_SIZES"]], stdout=subprocess.PIPE, check=True)
        for name, size in json.loads(reported.stdout).items():
            with self.subTest(name):
                self.assertEqual(ctypes.sizeof(getattr(_library, name)), size)


def load_tests(loader, tests, ignore):
    os.chdir(SOURCE)
    tests.addTests(doctest.DocTestSuite(deepprof))
    tests.addTests(doctest.DocFileSuite(str(SOURCE / "python/README.md"), module_relative=False))
    return tests


if __name__ == "__main__":
    unittest.main()

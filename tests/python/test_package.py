"""The Python package over the library as it was built. What needs NumPy, pandas, Polars, pyarrow or
nanoarrow is skipped where that is not installed."""
import concurrent.futures
import copy
import ctypes
import errno
import gc
import inspect
import json
import os
import pathlib
import pickle
import re
import subprocess
import sys
import tempfile
import threading
import typing
import unittest
import unittest.mock

import deepprof
from deepprof import _arrow, progress
from files import FASTER, RANKS, SAMPLE, needs


def mock_free(kind, freed):
    free = kind._free

    def call(handle):
        freed.append(kind)
        free(handle)

    return call


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

    def test_findings_of_a_capture(self):
        """They have neither a loop nor iterations: no number stands for either."""
        kernels = [
            {"ph": "X", "cat": "kernel", "name": f"kernel_{i * i % 97}_{i}", "pid": 0, "tid": 7,
             "ts": i * 1000 + i * i % 89, "dur": 20, "args": {"device": 0, "stream": 7}}
            for i in range(100)
        ]
        with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
            json.dump({"traceEvents": kernels}, file)
            file.flush()
            analysis = deepprof.analyze(file.name)
        found = analysis.findings[0]
        self.assertEqual((found.rule, found.loop, found.loops), ("starved", None, []))
        self.assertIsNone(found.iterations)
        self.assertIsNone(analysis.summary["findings"][0]["iterations"])
        self.assertEqual(len(analysis.table("finding_loops")), 0)

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

    def test_tables_are_containers(self):
        table = self.analysis.table("iterations")
        rows = table.to_list()
        self.assertEqual(len(table), len(rows))
        self.assertEqual(list(table), rows)
        self.assertTrue("period_ns" in table and "period" not in table)
        self.assertIn(f"{len(rows)} rows, {len(table.columns)} columns", repr(table))
        with self.assertRaisesRegex(TypeError, "expected the name of a column, not 0"):
            table[0]
        long = self.analysis.table("operations")
        self.assertGreater(len(long), 4096)
        names = [row["name"] for row in long]
        self.assertEqual(len(names), len(long))
        self.assertEqual(len(deepprof.analyze(SAMPLE, iterations=20).table("samples")), 0)

    def test_rows_that_are_not_read(self):
        """They have no stream, which nothing would release."""
        table = self.analysis.table("kernels")
        with unittest.mock.patch.object(table, "_stream", wraps=table._stream) as made:
            rows = iter(table)
            self.assertFalse(made.called)
            next(rows)
            self.assertTrue(made.called)

    @needs("numpy")
    def test_columns(self):
        for name in self.analysis.tables():
            table = self.analysis.table(name)
            arrays = table.to_numpy()
            for column in table.columns:
                self.assertEqual(str(table[column]), str(arrays[column]))

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
        self.assertFalse(analysis.diagnosed)
        self.assertIs(analysis.summary["diagnosed"], False)
        self.assertIs(json.loads(analysis.to_json())["diagnosed"], False)
        self.assertIn("Rules were not run", analysis.report("html"))
        self.assertTrue(self.analysis.diagnosed)
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
            # Also those that show operations, which a report lacks.
            for form in "text", "json", "csv", "markdown", "html", "chrome", "perfetto", "sqlite":
                self.assertTrue(saved.report(form), form)

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
        functions = [getattr(deepprof, name) for name in deepprof.__all__ if name != "plot"]
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
        with deepprof.analyze(SAMPLE) as analysis, deepprof.compare(analysis, FASTER) as both:
            table, counted = analysis.table("loops"), analysis.table("kernels")
            self.assertIn(f": {len(counted)} rows", repr(counted))
            self.assertIn(str(SAMPLE), repr(analysis))
        for function in analysis.report, table.to_list, lambda: analysis.table("loops"):
            with self.assertRaisesRegex(ValueError, "the Analysis is closed"):
                function()
        for closed in analysis, both, table, counted:
            self.assertIn("closed", repr(closed))
        analysis.close()

    def test_copies(self):
        """There are none: each would free the same memory."""
        with deepprof.analyze(SAMPLE) as analysis:
            for function in copy.copy, copy.deepcopy, pickle.dumps:
                with self.assertRaisesRegex(TypeError, "cannot copy or pickle Analysis"):
                    function(analysis)

    def test_closed_while_it_is_used(self):
        """By another thread: what is running ends, and then the memory is freed."""
        trace = deepprof.open(SAMPLE)
        analysis = deepprof.analyze(trace)
        freed = []
        for one in trace, analysis:
            free = mock_free(type(one), freed)
            with unittest.mock.patch.object(type(one), "_free", free):
                with one._held():
                    thread = threading.Thread(target=one.close)
                    thread.start()
                    thread.join()
                    self.assertEqual(freed, [])
                    with self.assertRaises(ValueError):
                        one.path
                self.assertEqual(freed, [type(one)])
                one.close()
                self.assertEqual(freed, [type(one)])
                freed.clear()
        with concurrent.futures.ThreadPoolExecutor(4) as pool:
            for _ in range(20):
                one = deepprof.analyze(SAMPLE)
                calls = [pool.submit(one.to_json) for _ in range(3)] + [pool.submit(one.close)]
                kinds = {type(call.exception()) for call in calls}
                self.assertTrue(kinds <= {type(None), ValueError}, kinds)

    def test_names_that_are_public(self):
        self.assertEqual(set(dir(deepprof)) - {"__doc__", "__version__"}, set(deepprof.__all__))
        self.assertEqual(set(dir(deepprof.plot)) - {"__doc__"}, set(deepprof.plot.__all__))

    @needs("numpy")
    def test_numbers_of_numpy(self):
        import numpy as np

        for given, same in (
            (dict(iterations=np.int64(20)), dict(iterations=20)),
            (dict(iterations=np.array([20])), dict(iterations=[20])),
            (dict(device=np.int32(0), stream=np.uint8(7)), dict(device=0, stream=7)),
            (dict(range_ns=(np.int64(0), np.float64(2e9))), dict(range_ns=(0, 2 * 10**9))),
            (dict(batch_size=np.int16(4), flops=np.float32(2**30)),
             dict(batch_size=4, flops=2**30)),
            (dict(thresholds={"host-bound": np.float32(0.5)}), dict(thresholds={"host-bound": 0.5})),
            (dict(paper=np.bool_(True), iterations=20), dict(paper=True, iterations=20)),
        ):
            with self.subTest(given):
                analyses = deepprof.analyze(SAMPLE, **given), deepprof.analyze(SAMPLE, **same)
                self.assertEqual(*(one.to_json() for one in analyses))
        for given in dict(device=1.5), dict(iterations=2.5), dict(batch_size="4"):
            with self.subTest(given), self.assertRaises(TypeError):
                deepprof.analyze(SAMPLE, **given)
        self.assertEqual(
            deepprof.reduce(RANKS, batch_size=np.int64(4)), deepprof.reduce(RANKS, batch_size=4)
        )


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

    def test_names_that_there_are_not(self):
        """The message lists those there are, the nearest first."""
        analysis = deepprof.analyze(SAMPLE)
        for names, function in (
            ("period_ns", lambda: deepprof.analyze(SAMPLE, metrics=["perod_ns"])),
            ("host-bound", lambda: deepprof.analyze(SAMPLE, thresholds={"host-boud": 0.1})),
            ("kineto", lambda: deepprof.open(SAMPLE, input_format="kinto")),
            ("default, outermost, innermost", lambda: deepprof.analyze(SAMPLE, level="inner")),
            ("json", lambda: analysis.report("jsno")),
            ("iterations", lambda: analysis.table("iteration")),
            ("own_ns", lambda: deepprof.plot.ranks(deepprof.ranks(RANKS), "own")),
        ):
            with self.subTest(names), self.assertRaises(deepprof.ArgumentError) as caught:
                function()
            self.assertRegex(str(caught.exception), f"unknown [a-z ]* '.*'; choose {names}")
            self.assertLess(len(str(caught.exception)), 300)
        with self.assertRaisesRegex(KeyError, "unknown column 'perod_ns'; choose period_ns"):
            analysis.table("iterations")["perod_ns"]
        with self.assertRaisesRegex(deepprof.ArgumentError, "no loop 9: the last one is 1"):
            deepprof.compare(analysis, FASTER, loops=(9, 0))

    def test_nothing_to_compare(self):
        with tempfile.TemporaryDirectory() as folder:
            pathlib.Path(folder, "notes.txt").write_text("")
            with self.assertRaisesRegex(deepprof.ArgumentError, "contains no files") as caught:
                deepprof.ranks(folder)
            self.assertEqual(caught.exception.path, folder)
        with self.assertRaisesRegex(deepprof.ArgumentError, "were given"):
            deepprof.ranks([])
        with self.assertRaisesRegex(deepprof.ArgumentError, "needs all metrics"):
            deepprof.ranks(RANKS, metrics=["period_ns"])

    def test_files_are_missing(self):
        for kind, path in ((FileNotFoundError, "/none"), (IsADirectoryError, "/")):
            with self.assertRaises(kind) as caught:
                deepprof.open(path)
            self.assertIsInstance(caught.exception, deepprof.FileError)
            self.assertEqual(caught.exception.filename, path)
            self.assertIsInstance(pickle.loads(pickle.dumps(caught.exception)), kind)

    def test_a_text_is_no_list_of_metrics(self):
        with self.assertRaisesRegex(TypeError, "expected a list of names of metrics"):
            deepprof.analyze(SAMPLE, metrics="interval_ns")

    def test_what_is_no_text(self):
        analysis = deepprof.analyze(SAMPLE)
        for function in (
            lambda: analysis.table(None),
            lambda: analysis.report(None),
            lambda: deepprof.analyze(SAMPLE, marks=re.compile("step")),
            lambda: deepprof.analyze(SAMPLE, metrics=[0]),
            lambda: deepprof.analyze(SAMPLE, thresholds={1: 0.5}),
            lambda: deepprof.open(SAMPLE, input_format=1),
        ):
            with self.assertRaisesRegex(TypeError, "is a str, not "):
                function()

    def test_null_bytes(self):
        """What precedes them is not taken for the whole."""
        for function in (
            lambda: deepprof.analyze(f"{SAMPLE}\0"),
            lambda: deepprof.open(SAMPLE, label="a\0b"),
            lambda: deepprof.analyze(SAMPLE, metrics=["period_ns\0"]),
        ):
            with self.assertRaisesRegex(ValueError, "has a null byte"):
                function()

    def test_a_range_has_two_ends(self):
        for given in (5,), (1, 2, 3):
            with self.assertRaisesRegex(deepprof.ArgumentError, "range_ns has two numbers"):
                deepprof.analyze(SAMPLE, range_ns=given)
        with self.assertRaises(TypeError):
            deepprof.analyze(SAMPLE, range_ns=5)

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
        with self.assertRaisesRegex(TypeError, "expected a list of words, not one text: '-n 5'"):
            deepprof.record(["python", "train.py"], options="-n 5")

    def test_no_program(self):
        with self.assertRaisesRegex(deepprof.ArgumentError, "there is no program"):
            deepprof.record([])


class Comparisons(unittest.TestCase):
    def test_runs(self):
        comparison = deepprof.compare(SAMPLE, FASTER)
        pair = comparison.table("pairs").to_list()[0]
        self.assertTrue(pair["significant"])
        self.assertLess(pair["after_ns"], pair["before_ns"])
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


class Locales(unittest.TestCase):
    PROGRAM = """
import deepprof, json, locale, sys
locale.setlocale(locale.LC_ALL, sys.argv[1])
sample, faster, ranks = sys.argv[2:]
results = deepprof.analyze(sample), deepprof.compare(sample, faster), deepprof.ranks(ranks)
forms = "json", "html", "text", "markdown", "csv"
print(json.dumps([[each.report(form, verbose=True) for form in forms] for each in results]))
"""

    def test_decimal_comma(self):
        """A program may set a locale in which numbers have a comma: those of reports have a point."""
        with tempfile.TemporaryDirectory() as folder:
            try:
                command = ["localedef", "-i", "de_DE", "-f", "UTF-8", f"{folder}/de_DE.UTF-8"]
                subprocess.run(command, check=True, capture_output=True)
            except (OSError, subprocess.CalledProcessError):
                self.skipTest("the system lacks the sources of locales")
            plain, german = (
                json.loads(subprocess.check_output(
                    [sys.executable, "-c", self.PROGRAM, name, SAMPLE, FASTER, RANKS],
                    env={**os.environ, "LOCPATH": folder}))
                for name in ("C", "de_DE.UTF-8"))
        self.assertEqual(plain, german)


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


class Layouts(unittest.TestCase):
    """The structs of the binding have the sizes of the headers': what an INIT macro says."""

    def test_sizes(self):
        from deepprof import _library

        reported = subprocess.run([os.environ["DEEPPROF_SIZES"]], stdout=subprocess.PIPE, check=True)
        for name, size in json.loads(reported.stdout).items():
            with self.subTest(name):
                self.assertEqual(ctypes.sizeof(getattr(_library, name)), size)


if __name__ == "__main__":
    unittest.main()

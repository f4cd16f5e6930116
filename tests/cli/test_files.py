"""What is read and written: bad input, files that exist, full disks, closed pipes."""
import contextlib
import csv
import ctypes
import gzip
import io
import json
import os
import pathlib
import re
import resource
import shutil
import signal
import sqlite3
import stat
import struct
import subprocess
import time
import unittest

import cli

TRACES = pathlib.Path(os.environ.get("DEEPPROF_TRACES", cli.SOURCE / ".." / "shared" / "traces"))


def remove_kernels(path):
    """From a trace that was simulated, in whatever format."""
    if path.read_bytes()[:6] == b"SQLite":
        with contextlib.closing(sqlite3.connect(path)) as database, database:
            tables = database.execute("SELECT name FROM sqlite_master WHERE type = 'table'")
            for (table,) in tables.fetchall():
                if table.lower().endswith("kernel"):
                    database.execute(f'DELETE FROM "{table}"')
    elif path.read_text().lstrip()[0] == "{":
        trace = json.loads(path.read_text())
        trace["traceEvents"] = [e for e in trace["traceEvents"] if e.get("cat") != "kernel"]
        path.write_text(json.dumps(trace))
    else:
        lines = path.read_text().splitlines(keepends=True)
        head = next(i for i, line in enumerate(lines) if "Start" in line) + 2
        path.write_text("".join(lines[:head] + [x for x in lines[head:] if "[CUDA mem" in x]))


def without_cores():
    cli.default_signals()
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


class Input(cli.Case):
    def test_missing(self):
        result = cli.run("analyze", "no-such-file", cwd=self.folder)
        self.assert_fails(result, 1, "no-such-file: No such file or directory")
        for verb in "analyze", "info":
            self.assert_fails(cli.run(verb, ""), 1, "'': No such file or directory")

    def test_missing_default(self):
        for verb in "analyze", "info":
            result = cli.run(verb, cwd=self.folder)
            self.assert_fails(result, 1, "deepprof.db: No such file", f"deepprof {verb} FILE")

    def test_nearly_named(self):
        (self.folder / "run.json.gz").write_bytes(b"")
        result = cli.run("analyze", "run.json", cwd=self.folder)
        self.assert_fails(result, 1, "did you mean run.json.gz?")

    def test_bad_files(self):
        (self.folder / "empty").write_bytes(b"")
        (self.folder / "zeros").write_bytes(bytes(100000))
        (self.folder / "text").write_text("hello\n")
        (self.folder / "binary").write_bytes(bytes(range(256)) * 100)
        (self.folder / "gzip").write_bytes(gzip.compress(b""))
        (self.folder / "cut.gz").write_bytes(b"\x1f\x8b")
        for name in os.listdir(self.folder):
            for verb in "analyze", "info":
                result = cli.run(verb, name, cwd=self.folder)
                self.assert_fails(result, 1, name)

    def test_session_of_the_visual_profiler(self):
        """It says what it is, and how to get what can be read."""
        session = '<session version="1" name="a profile"><pdm>rEYJQU</pdm></session>\n'
        for head in '<?xml version="1.0"?>\n', '\ufeff<?xml version="1.0"?>':
            (self.folder / "old.nvvp").write_text(head + session, encoding="utf-8")
            result = cli.run("analyze", "old.nvvp", cwd=self.folder)
            self.assert_fails(result, 1, "Visual Profiler", "nvprof -o FILE")
        for other in "<?xml", '<?xml version="1.0"?>', '<?xml version="1.0"?><other>', "<session ":
            (self.folder / "old.nvvp").write_text(other)
            result = cli.run("analyze", "old.nvvp", cwd=self.folder)
            self.assert_fails(result, 1, "not a trace in a known format")

    def test_files_of_other_tools(self):
        """What is not read is named, with what to do."""
        cli.run("export", "-o", "ours.pftrace", self.trace, cwd=self.folder)
        cli.run("export", "--format=sqlite", "-o", "report.sqlite", self.trace, cwd=self.folder)
        for form in "json", "csv", "html":
            cli.run("analyze", "-o", f"report.{form}", f"--format={form}", self.trace,
                    cwd=self.folder)
        cli.run("compare", "-o", "changes.json", self.trace, self.trace, cwd=self.folder)
        cli.run("ranks", "-o", "job.json", self.trace, cwd=self.folder)
        cli.run("reduce", "-o", "job.dpsum", self.trace, cwd=self.folder)
        counters = b'"Correlation_Id","Kernel_Name","Counter_Name","Start_Timestamp","End_Timestamp"\n'
        with contextlib.closing(sqlite3.connect(self.folder / "tables")) as tables:
            for table in "compute_workload", "compute_kernel", "compute_dispatch":
                tables.execute(f"CREATE TABLE {table}(id INTEGER)")
            tables.commit()
        database = (self.folder / "tables").read_bytes()
        for name, data, words in (
            ("ours.pftrace", None, "a Perfetto timeline that deepprof exported"),
            ("report.sqlite", None, "tables for SQL that deepprof exported: read the original trace"),
            ("report.json", None, "a report from deepprof"),
            ("report.csv", None, "a report from deepprof"),
            ("report.html", None, "a report from deepprof"),
            ("changes.json", None, "a report from deepprof"),
            ("job.json", None, "a report from deepprof"),
            ("job.dpsum", None, "read it with deepprof ranks"),
            ("notes.txt", b"hello", "text, not a trace in a known format ('deepprof help analyze'"),
            ("counter_collection.csv", counters, "rocprofv3's table of counters"),
            ("pmc_perf.csv", b"Dispatch_ID,GPU_ID,Kernel_Name,Start_Timestamp\n", "rocprofv3 "),
            ("pmc_dispatch_info.csv", b"Dispatch_ID,Kernel_Name,GPU_ID\n", "rocprofv3 "),
            ("run.zst", b"\x28\xb5\x2f\xfd....", "zstd -d"),
            ("page.html", b"<!DOCTYPE html>\n<html>", "a web page"),
            ("nodes.json", b'{"schema": "1.0.2-chakra.0.0.4",\n"nodes": [', "execution trace"),
            ("a.json", b'{"$schema": "https://www.speedscope.app/x.json"}', "speedscope"),
            ("gpu.csv", b"Start (ns),Duration (ns),CorrId,Name\n", "nsys export"),
            ("old.csv", b'Type,Time(%),Time,Calls\n', "nvprof --print-gpu-trace"),
            ("pandas.csv", b',Type,Time(%),Time,Calls\n', "nvprof --print-gpu-trace"),
            ("sums.csv", b"Time (%),Total Time (ns),Instances\n", "nsys export"),
            ("a.pdf", b"%PDF-1.7\n", "a PDF document"),
            ("lfs.sqlite", b"version https://git-lfs.github.com/spec/v1\noid sha256:12\nsize 5\n", "git lfs pull"),
            ("a.png", b"\x89PNG\r\n", "an image"),
            ("noise", b"\1\2\3\0\xff", "binary data, not a trace"),
            ("other.json", b'{"a": 1}', "JSON, but not a trace: it has no traceEvents"),
            ("empty.json", b"[]", "JSON, but not a trace: an empty list"),
            ("list.json", b'[{"file": "a", "count": 5}]', "JSON, but not a trace: no object in its list"),
            ("zipped.pftrace", b"\x0a\x06\x92\x03\x03abc", "traceconv"),
            ("run.tar", bytes(257) + b"ustar", "tar archive"),
            ("run.ncu-rep", b"NVR\0....", "Nsight Compute"),
            ("ncu.csv", b'"ID","Process ID","Process Name","Host Name","Kernel Name","Context"\n', "nsys profile"),
            ("ncu_pandas.csv", b",ID,Process ID,Process Name,Host Name,Kernel Name\n", "nsys profile"),
            ("ncu.txt", b"$ ncu ./run\n==PROF== Connected to process 5 (run)\n", "nsys profile"),
            ("sizes.csv", b'256,"Start","Duration","Stream","Name"\n256,ns,ns,,\n', "remove that column"),
            ("compute.db", database, "rocprof-compute"),
            ("snapshot.pickle", b"\x80\x04\x95\x10", "pickle"),
            ("train", b"\x7fELF\2", "deepprof record"),
        ):
            if data:
                (self.folder / name).write_bytes(data)
            for command in "analyze", "info":
                result = cli.run(command, name, cwd=self.folder)
                self.assert_fails(result, 1, words)
                self.assertLessEqual(len(result.stderr), 160)

    def test_cut_in_the_header(self):
        """What is compressed and cut before its content is not empty."""
        (self.folder / "cut.gz").write_bytes(gzip.compress(b'{"traceEvents": []}')[:10])
        (self.folder / "empty.gz").write_bytes(gzip.compress(b""))
        for verb in "analyze", "info":
            result = cli.run(verb, "cut.gz", cwd=self.folder)
            self.assert_fails(result, 1, "compressed data ends before the first byte")
            result = cli.run(verb, "empty.gz", cwd=self.folder)
            self.assert_fails(result, 1, "file is empty")

    def test_cut_without_kernels(self):
        """Another copy of a cut file may have them, whatever shows that it is cut."""
        text = json.dumps({"schemaVersion": 1, "traceEvents": [
            {"ph": "X", "cat": "cpu_op", "name": "aten::add", "pid": 1, "tid": 1, "ts": 1, "dur": 1}]})
        (self.folder / "cut.json").write_text(text[:-1])
        (self.folder / "cut.json.gz").write_bytes(gzip.compress(text.encode())[:-9])
        for name in "cut.json", "cut.json.gz":
            result = cli.run("analyze", name, cwd=self.folder)
            self.assert_fails(result, 1, "; copy the file again")

    def test_lost_is_null_where_unknown(self):
        """In info's JSON as in a report's."""
        text = pathlib.Path(self.trace).read_bytes()
        (self.folder / "whole.json").write_bytes(text)
        (self.folder / "cut.json.gz").write_bytes(gzip.compress(text)[:-9])
        for name in "whole.json", "cut.json.gz":
            reported = [
                json.loads(cli.run(verb, "-q", "--format=json", name, cwd=self.folder).stdout)
                for verb in ("analyze", "info")
            ]
            self.assertEqual(reported[0]["trace"]["lost"], reported[1]["trace"]["lost"])
            self.assertEqual(reported[1]["trace"]["lost"], 0 if name == "whole.json" else None)

    def test_no_files(self):
        result = cli.run("analyze", self.folder)
        self.assert_fails(result, 1, "Is a directory")
        self.assertIn("'deepprof ranks' compares the traces", result.stderr)
        self.assert_fails(cli.run("analyze", "/dev/null"), 1, "/dev/null: ")
        self.assert_fails(cli.run("analyze", ""), 1)

    @unittest.skipIf(os.geteuid() == 0, "root may read everything")
    def test_unreadable(self):
        path = self.folder / "secret"
        path.write_bytes(b"{}")
        path.chmod(0)
        self.assert_fails(cli.run("analyze", path), 1, "Permission denied")

    def test_standard_input(self):
        """The same report, but for the path, as from the file; gzip as well."""
        expected = json.loads(cli.run("analyze", "--format=json", self.trace).stdout)
        for data in self.trace.read_bytes(), gzip.compress(self.trace.read_bytes(), 1):
            packed = self.folder / "trace"
            packed.write_bytes(data)
            with open(packed, "rb") as stdin:
                result = cli.run("analyze", "--format=json", "-", stdin=stdin)
            self.assert_done(result)
            report = json.loads(result.stdout)
            for each in report, expected:
                each["trace"].pop("path", None)
            self.assertEqual(report, expected)

    def test_compressed_database(self):
        """It is unpacked where TMPDIR says, and nothing of it is left there, or ever has a name."""
        database = cli.simulate(self.folder / "trace.sqlite", "-F", "nsys")
        packed = gzip.compress(database.read_bytes())
        (self.folder / "trace.sqlite.gz").write_bytes(packed)
        temporary = self.folder / "tmp"
        temporary.mkdir()
        env = cli.environment(TMPDIR=temporary)
        result = cli.run("info", self.folder / "trace.sqlite.gz", env=env)
        self.assert_done(result)
        self.assertIn("nsys", result.stdout)
        self.assertEqual(os.listdir(temporary), [])
        env = cli.environment(TMPDIR=self.folder / "no-such")
        result = cli.run("info", self.folder / "trace.sqlite.gz", env=env)
        self.assert_fails(result, 1, "no-such: No such file or directory")
        fifo = self.folder / "fifo"
        os.mkfifo(fifo)
        for number in signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGKILL:
            with subprocess.Popen(
                [cli.DEEPPROF, "analyze", str(fifo)],
                stderr=subprocess.PIPE,
                env=cli.environment(TMPDIR=temporary),
                preexec_fn=cli.default_signals,
            ) as process:
                with open(fifo, "wb") as writer:
                    writer.write(packed[: len(packed) // 2])
                    writer.flush()
                    self.wait_for_descriptor(process, temporary)
                    process.send_signal(number)
                    process.wait(cli.TIMEOUT_S)
            self.assertEqual(process.returncode, -number)
            self.assertEqual(os.listdir(temporary), [])

    def wait_for_descriptor(self, process, folder):
        """Until the process has a file of the folder open."""
        until = time.monotonic() + cli.TIMEOUT_S
        while time.monotonic() < until:
            for fd in pathlib.Path(f"/proc/{process.pid}/fd").iterdir():
                with contextlib.suppress(OSError):
                    if os.readlink(fd).startswith(str(folder.resolve())):
                        return
            time.sleep(0.005)
        self.fail("no file is open there")

    def test_standard_input_from_a_pipe(self):
        with subprocess.Popen(["cat", str(self.trace)], stdout=subprocess.PIPE) as cat:
            self.assert_done(cli.run("info", "-", stdin=cat.stdout))

    def test_closed_standard_input(self):
        result = cli.run("analyze", "-", preexec_fn=lambda: os.close(0), stdin=None)
        self.assert_fails(result, 1)

    def test_names_that_could_move_a_cursor(self):
        self.assert_fails(cli.run("analyze", "a\033[2J\nb"), 1, "a?[2J?b: No such file")
        # C1 as UTF-8 and as a byte, marks of direction, separators; what is harmless stays.
        self.assert_fails(cli.run("analyze", "a\u009b2Jb"), 1, "deepprof: a?2Jb: No such file")
        self.assert_fails(cli.run("analyze", os.fsdecode(b"a\x9b2J\xc3")), 1, ": a?2J?: No such")
        marks = "\u061c\u200e\u200f\u2028\u2029\u202a\u202e\u2066\u2069\x80\x9f"
        for mark in marks:
            self.assert_fails(cli.run("analyze", f"a{mark}b"), 1, ": a?b: No such file")
        name = "\u00e9\u4e2d\u0301\U0001f600\ufffd\u00a0"
        self.assert_fails(cli.run("analyze", name), 1, f": {name}: No such file")

    def test_names_of_any_bytes(self):
        """JSON is UTF-8 whatever a file is called."""
        for odd in b"a\xff\x9b", b"\xc3", b"\xed\xa0\x80", b"\xf8\x88\x80\x80\x80", b"\xe4\xb8", b"\xc2\x9b":
            path = os.path.join(os.fsencode(self.folder), odd)
            shutil.copy(self.trace, path)
            result = subprocess.run(
                [cli.DEEPPROF, "info", "--format=json", path],
                env=cli.environment(), capture_output=True, check=True,
            )  # fmt: skip
            name = json.loads(result.stdout.decode("utf-8"))["trace"]["path"].rsplit("/", 1)[1]
            try:
                self.assertEqual(name, odd.decode("utf-8"))
            except UnicodeDecodeError:
                self.assertIn("\ufffd", name)
            self.assertNotIn(b"\xc2\x9b", result.stdout)

    def test_several_files(self):
        result = cli.run("analyze", "--format=json", self.trace, "no-such-file", self.trace)
        self.assertEqual(result.returncode, 1)
        self.assertIn("no-such-file", result.stderr)
        alone = cli.run("analyze", "--format=json", self.trace).stdout
        lines = result.stdout.split("\n")
        self.assertEqual([json.loads(line) for line in lines[:2]], [json.loads(alone)] * 2)
        self.assertEqual(lines[2:], [""])
        reported = cli.run("info", "--format=json", self.trace, self.trace).stdout
        self.assertEqual(len([json.loads(line) for line in reported.splitlines()]), 2)

    def test_several_texts(self):
        alone = cli.run("analyze", self.trace).stdout
        reported = cli.run("analyze", "no-such-file", self.trace, "no-such-file", self.trace)
        self.assertEqual(reported.returncode, 1)
        self.assertEqual(reported.stdout, alone + "\n" + alone)
        self.assertTrue(alone.startswith(f"{self.trace}\n"))

    def test_several_tables(self):
        """One table: its header is not repeated, and each row names its file."""
        other = self.folder / "other, \"again\".json"
        shutil.copy(self.trace, other)
        result = cli.run("analyze", "--format=csv", "no-such-file", self.trace, other)
        self.assertEqual(result.returncode, 1)
        rows = list(csv.DictReader(io.StringIO(result.stdout)))
        count = len(rows) // 2
        self.assertEqual([row["file"] for row in rows], [str(self.trace)] * count + [str(other)] * count)
        self.assertNotIn("index", [row["index"] for row in rows])
        for first, second in zip(rows[:count], rows[count:]):
            self.assertEqual(dict(first, file=""), dict(second, file=""))

    def test_what_is_of_one_file_only(self):
        for form in "html", "chrome", "sqlite":
            result = cli.run("analyze", f"--format={form}", self.trace, self.trace)
            self.assert_fails(result, 2, form, "one FILE")

    def test_wrong_input_format(self):
        self.assert_fails(cli.run("analyze", "--input-format=nsys", self.trace), 1)
        self.assert_done(cli.run("analyze", "--input-format=kineto", self.trace))

    def test_what_is_not_in_the_trace(self):
        self.assert_fails(cli.run("analyze", "--device=77", self.trace), 1, "device 77")
        self.assert_fails(cli.run("analyze", "--stream=4711", self.trace), 1, "stream 4711")
        self.assert_fails(cli.run("analyze", "--marks=xyzzy", self.trace), 1, "xyzzy")

    def test_one_stream_of_several(self):
        """Iterations are of the stream, findings of the device: it is reported where that matters."""
        trace = cli.simulate(self.folder / "two.json", "-p", "exposed-communication")
        words = "; busy times, waits and findings are of all"
        for options, scope in (
            (["--stream=20"], f"only stream 20{words} streams of its GPU"),
            (["--stream=20", "--device=0"], f"only GPU 0, stream 20{words} its streams"),
        ):
            result = cli.run("analyze", *options, trace)
            self.assert_done(result)
            self.assertIn(f"\n{scope}\n", result.stdout)
            page = cli.run("analyze", *options, "--format=html", trace).stdout
            self.assertIn(scope.removeprefix("only "), page)
        self.assertNotIn(words, cli.run("analyze", trace).stdout)
        self.assertIn("\nonly stream 7\n", cli.run("analyze", "--stream=7", self.trace).stdout)

    def test_range(self):
        whole = json.loads(cli.run("analyze", "--format=json", self.trace).stdout)
        duration_ns = whole["trace"]["duration_ns"]
        half = cli.run("analyze", "--format=json", f"--range=:{duration_ns // 2}ns", self.trace)
        self.assert_done(half)
        count = len(whole["loops"][0]["iterations"])
        self.assertIn(
            len(json.loads(half.stdout)["loops"][0]["iterations"]), range(count // 2 - 1, count)
        )

    def test_range_that_cuts_a_marked_iteration(self):
        """One whole and one cut off: that is reported, and is not what the other is compared with."""
        trace = cli.simulate(self.folder / "marked.json", "-n", "4")
        whole = json.loads(cli.run("analyze", "--format=json", trace).stdout)["loops"][0]
        self.assertEqual(whole["found_by"], "marks")
        one, two = whole["iterations"][1:3]
        for start_ns, end_ns, partial in (
            # its last kernels alone are as many as hardly matter
            (one["start_ns"], two["end_ns"] - 60_000, [False, True]),
            (one["start_ns"], (two["start_ns"] + two["end_ns"]) // 2, [False, True]),
            ((one["start_ns"] + one["end_ns"]) // 2, two["end_ns"], [True, False]),
            (one["start_ns"], two["end_ns"], [False, False]),
            (one["start_ns"], two["end_ns"] + 30_000, [False, False]),
        ):
            with self.subTest(start_ns=start_ns, end_ns=end_ns):
                result = cli.run(
                    "analyze", "--format=json", f"--range={start_ns}ns:{end_ns}ns", trace
                )
                self.assert_done(result)
                loop = json.loads(result.stdout)["loops"][0]
                self.assertEqual([i["partial"] for i in loop["iterations"]][:2], partial)
                self.assertEqual(loop["pattern"]["length"], whole["pattern"]["length"])
                self.assertEqual([i["inserted"] for i in loop["iterations"]][:2], [0, 0])

    def test_info_counts_synchronizing_calls(self):
        """Chrome traces may have no records of synchronizations."""
        calls = [{"ph": "X", "cat": "cuda_runtime", "name": name, "pid": 1, "tid": 1, "ts": at,
                  "dur": 2, "args": {"correlation": at}}
                 for at, name in ((0, "cudaLaunchKernel"), (5, "cudaStreamSynchronize"),
                                  (9, "cudaDeviceSynchronize"))]
        kernel = {"ph": "X", "cat": "kernel", "name": "k", "pid": 0, "tid": 7, "ts": 3, "dur": 1,
                  "args": {"device": 0, "stream": 7, "correlation": 0}}
        trace = self.folder / "calls.json"
        trace.write_text(json.dumps({"traceEvents": calls + [kernel]}), encoding="utf-8")
        self.assertIn("3 calls, 2 synchronizations", cli.run("info", trace).stdout)
        info = json.loads(cli.run("info", "--format=json", trace).stdout)
        self.assertEqual(info["trace"]["synchronizations"], 2)

    def test_info_of_a_recording(self):
        """Graphs by node, call stacks, and kernels of different names in different rows."""
        recorded = [cli.SOURCE / "data" / f"h200-{name}.db.gz" for name in ("training", "inference")]
        env = cli.environment(LC_ALL="C.UTF-8", COLUMNS="80")
        text = [cli.run("info", "--top=40", trace, env=env).stdout for trace in recorded]
        info = [json.loads(cli.run("info", "--format=json", trace).stdout)["trace"] for trace in recorded]
        self.assertNotIn("\ngraphs ", text[0])
        self.assertIn("\ngraphs       1,485 operations recorded by node\n", text[1])
        self.assertEqual([(at["graphs"], at["graph_nodes"]) for at in info], [(0, 0), (0, 1485)])
        for at, shown in zip(info, text):
            self.assertIn(f", {at['function_samples']} call-stack samples\n", shown)
            names = re.findall(r"(?m)^ *\d+\.\d%.{29}  (\S.*)$", shown)
            self.assertGreater(len(names), 9)
            self.assertEqual(len(set(names)), len(names))

    def test_info_of_graphs(self):
        """As the simulator records them: as a whole, or their kernels."""
        for as_one, words in ("yes", r"[\d,]+ launches recorded as one operation each"), \
                             ("no", r"[\d,]+ operations recorded by node"):
            trace = cli.simulate(self.folder / f"{as_one}.db", "-F", "deepprof", "-p", "cuda-graph",
                                 "-s", f"graphs={as_one}")
            self.assertRegex(cli.run("info", trace).stdout, rf"\ngraphs       {words}\n")

    def test_same_advice(self):
        """Of two findings is written once."""
        trace = TRACES / "nvvp-tf-v8.nvvp"
        if not trace.exists():
            self.skipTest("the real traces are not there")
        text = cli.run("analyze", trace).stdout
        self.assertEqual(text.count("if this is start-up, record a later part"), 1)
        self.assertRegex(text, r"(?m)^   \S+ as for finding 1$")

    def test_no_folder(self):
        """A message about an output file tells a missing folder from other causes."""
        for verb in "analyze", "info":
            done = cli.run(verb, "-o", self.folder / "none" / "out.json", self.trace)
            self.assert_fails(done, 1, "none/out.json: its folder does not exist")

    def test_range_without_a_whole_iteration(self):
        """The range is shown, and what is reported about kernels is about those in the range."""
        trace = cli.simulate(self.folder / "marked.json", "-n", "4")
        one = json.loads(cli.run("analyze", "--format=json", trace).stdout)["loops"][0]
        middle_ns = (one["iterations"][0]["start_ns"] + one["iterations"][0]["end_ns"]) // 2
        text = cli.run("analyze", f"--range=:{middle_ns}ns", trace).stdout
        self.assertRegex(text, r"Loop 0  no whole iteration: 1 partial, of \d+ kernels\n")
        self.assertIn("no whole iteration is in the range", text)
        self.assertRegex(text, r"only kernels that start before \d")
        self.assertIn("operations and streams are counted in the whole capture", " ".join(text.split()))
        self.assertRegex(text, r"idle\s[0-9.]+%\sof\sthe\srange")
        self.assertNotRegex(text, r"0 iterations|one iteration|more\scut off")

    def test_kernels_of_a_stream_without_iterations(self):
        """Of another stream, and of a part of the time, others took most time."""
        trace = TRACES / "tf1-timeline.json"
        if not trace.exists():
            self.skipTest("the real traces are not there")
        reported = {}
        for words in (), ("--stream=13",), ("--range=1s:3s",):
            text = " ".join(cli.run("analyze", *words, trace).stdout.split())
            reported[words] = re.search(
                r"idle ([0-9.]+%) of the (\w+)\. Most kernel time( of stream 13)?: (.*?)\. ", text
            ).groups()
        self.assertEqual(reported[()][:3], ("57.5%", "capture", None))
        self.assertEqual(reported[("--stream=13",)][:3], ("57.5%", "capture", " of stream 13"))
        self.assertEqual(reported[("--range=1s:3s",)][1:3], ("range", None))
        self.assertEqual(len({t[3] for t in reported.values()}), 3)

    def test_table_stands_apart_from_what_is_lost(self):
        """Where there is nothing else, there is room for a blank line."""
        path = self.folder / "streams.csv"
        path.write_text(
            '"Start","Duration","Size","Throughput","Device","Stream","Name"\n'
            "ms,us,MB,GB/s,,,\n"
            '1.0,500,0.1,10,"GPU (0)",13,"[CUDA memcpy HtoD]"\n'
            '2.0,500,,,"GPU (0)",14,"kernel"\n'
            '3.0,5.0,0.1,"never closed\n'
        )
        text = cli.run("analyze", path).stdout
        self.assertRegex(text, r"(?m)^incomplete: .*\n\ndevice  stream ")
        self.assertIn("\n\nNo stable iteration", text)

    def test_one_kernel(self):
        """No number of iterations is asked for where nothing can repeat."""
        path = self.folder / "one.csv"
        path.write_text(
            '"Start","Duration","Device","Stream","Name"\nms,us,,,\n1.0,500,"GPU (0)",7,"add"\n'
        )
        text = cli.run("analyze", path).stdout
        self.assertIn("Its stream has only 1 kernel: too few to show a loop.", text)
        self.assertIn("Record a longer part of the run.", text)
        self.assertNotRegex(text, r"[ (]-n\b")

    def test_kernels_of_streams(self):
        """All that are searched are counted, on whichever of the streams they run."""
        path = self.folder / "chunks.csv"
        head = '"Start","Duration","Device","Stream","Name"\nms,us,,,\n'
        rows = [f'{k}.0,500,"GPU (0)",{7 + k},"add"\n' for k in range(2)]
        path.write_text(head + "".join(rows))
        text = cli.run("analyze", path).stdout
        self.assertIn("Its 2 streams have only 2 kernels: too few to show a loop.", text)
        path.write_text(head + rows[0] + rows[1].replace("add", "scale"))
        self.assertIn("Its stream has only 1 kernel:", cli.run("analyze", path).stdout)

    def test_number_of_layers(self):
        """What is unlikely to be a loop, but repeats exactly as often as -n says."""
        names = [f"setup_{k}" for k in range(20)]
        names += [f"ampere_sgemm_nn_v{k % 15}" for k in range(1500)]
        path = self.folder / "layers.csv"
        path.write_text(
            '"Start","Duration","Device","Stream","Name"\nms,us,,,\n'
            + "".join(f'{k}.0,500,"GPU (0)",7,"{name}"\n' for k, name in enumerate(names))
        )
        self.assertIn("No stable iteration", cli.run("analyze", path).stdout)
        idle = self.folder / "idle.csv"
        idle.write_text(path.read_text().replace(",500,", ",400,"))
        self.assertRegex(cli.run("analyze", "--format=markdown", idle).stdout,
                         "(?s)\\A### no iterations found; warning starved: .*\n\nNo part of its stream repeats ")
        text = cli.run("analyze", "-n", "100", path).stdout
        self.assertIn("Loop 0  100 iterations of 15 kernels", text)
        self.assertIn("matched to -n", text)
        self.assertNotIn("though iterations", text)

    def test_copies_alone(self):
        """Nothing can be analyzed, because of the program or of a truncated file."""
        for name in "kineto", "nsys", "nvprof", "nvprof-csv", "deepprof":
            path = cli.simulate(self.folder / name, "--format", name)
            remove_kernels(path)
            for form in "text", "csv", "json", "html":
                result = cli.run("analyze", "--format", form, name, cwd=self.folder)
                self.assert_fails(result, 1, f"deepprof: {name}: no kernels, only copies (")
                self.assertEqual(result.stdout, "")
            self.assert_done(cli.run("info", path))
            self.assert_done(cli.run("export", "--format=chrome", path))
        result = cli.run("analyze", "kineto", self.trace, cwd=self.folder)
        self.assertEqual(result.returncode, 1)
        self.assertIn("Loop 0", result.stdout)

    def test_first_iteration_unlike_the_others(self):
        """Autotuned, it is found by its neighbours and the number that is reported."""
        trace = TRACES / "kineto-resnet50-autograd-workers0.json.gz"
        if not trace.exists():
            self.skipTest("the real traces are not there")
        result = cli.run("analyze", "--format=json", "-n", "6", trace)
        self.assert_done(result)
        self.assertEqual(result.stderr, "")
        loop = json.loads(result.stdout)["loops"][0]
        self.assertEqual([i["kernels"] for i in loop["iterations"]], [1571] + 5 * [1455])
        self.assertEqual(loop["iterations"][0]["inserted"], 116)
        self.assertEqual([i["warmup"] for i in loop["iterations"]], [True] + 5 * [False])
        # as many as the kernels alone show: that one is left out
        loop = json.loads(cli.run("analyze", "--format=json", "-n", "5", trace).stdout)["loops"][0]
        self.assertEqual([i["kernels"] for i in loop["iterations"]], 5 * [1455])

    def test_numbers_that_cut_what_does_not_repeat(self):
        """Any divisor of the number of kernels cuts this one; nothing vouches for the pieces."""
        trace = TRACES / "tf1-timeline.json"
        if not trace.exists():
            self.skipTest("the real traces are not there")
        for count in 3, 47, 376:
            loop = json.loads(cli.run("analyze", "--format=json", "-n", count, trace).stdout)
            self.assertLess(sum(l["confidence"] for l in loop["loops"]), 0.5)
        text = " ".join(cli.run("analyze", "-n", 47, trace).stdout.split())
        self.assertIn("does not match -n", text)
        self.assertIn("; all differ from the pattern", text)
        self.assertNotRegex(text, r"\d differ from the pattern")

    def test_loss_is_reported(self):
        data = self.trace.read_bytes()
        cut = self.folder / "cut.json"
        cut.write_bytes(data[: len(data) // 2])
        for verb in "analyze", "info":
            result = cli.run(verb, cut)
            self.assert_done(result)
            self.assertRegex(result.stderr, r"\Adeepprof: warning: [^\n]*cut.json: [^\n]+\n\Z")
            result = cli.run(verb, "-q", cut)
            self.assert_done(result)
            self.assertEqual(result.stderr, "")
        report = json.loads(cli.run("info", "-q", "--format=json", cut).stdout)
        self.assertTrue(report["trace"]["losses"])

    def test_warnings_name_their_file(self):
        """Each file's first, be there others before it."""
        names = ["a.csv", "b.csv", "c.sqlite", "d.sqlite"]
        for name in names[:2]:
            path = cli.simulate(self.folder / name, "--format=nvprof-csv")
            path.write_text(path.read_text() + "cut,1\n")
        for name in names[2:]:
            path = cli.simulate(self.folder / name, "--format=nsys")
            with contextlib.closing(sqlite3.connect(path)) as database, database:
                database.execute("UPDATE CUPTI_ACTIVITY_KIND_KERNEL SET start = 'x' WHERE rowid = 3")
        result = cli.run("analyze", *names, cwd=self.folder)
        self.assert_done(result)
        lines = result.stderr.splitlines()
        self.assertEqual(len(lines), 8)
        for name, first, second in zip(names, lines[::2], lines[1::2]):
            self.assertRegex(first, rf"\Adeepprof: warning: {name}: .*(row 3|line \d+)")
            self.assertRegex(second, rf"\Adeepprof: warning: {name}: 1 record lost: ")
        with open(self.folder / "a.csv", "rb") as pipe:
            result = cli.run("analyze", "-", stdin=pipe)
        self.assertEqual(result.stderr, lines[0].replace("a.csv", "standard input") + "\n"
                         + lines[1].replace("a.csv", "standard input") + "\n")


class Output(cli.Case):
    def setUp(self):
        super().setUp()
        self.path = self.folder / "report"
        self.expected = cli.run("analyze", "--format=json", self.trace).stdout

    def analyze(self, *args, **kwargs):
        return cli.run("analyze", "--format=json", *args, self.trace, **kwargs)

    def test_new_file(self):
        self.assert_done(self.analyze("-o", self.path))
        self.assertEqual(self.path.read_text(), self.expected)
        self.assertEqual(os.listdir(self.folder), ["report"])

    def test_mode(self):
        """Its owner's alone, whatever was there before; more where --mode says so, by the umask."""
        self.addCleanup(os.umask, os.umask(0))
        for umask, options, expected in (
            (0o000, (), 0o600),
            (0o077, (), 0o600),
            (0o000, ("--mode=666",), 0o666),
            # What was there could be read and written by all.
            (0o000, ("-f",), 0o600),
            (0o027, ("-f", "--mode=0666"), 0o640),
        ):
            os.umask(umask)
            if "-f" not in options:
                self.path.unlink(missing_ok=True)
            self.assert_done(self.analyze(*options, "-o", self.path))
            self.assertEqual(self.path.read_text(), self.expected)
            mode = stat.S_IMODE(self.path.stat().st_mode)
            self.assertEqual(oct(mode), oct(expected), (oct(umask), options))

    def test_mode_of_standard_output(self):
        for verb, *files in ("analyze", self.trace), ("compare", self.trace, self.trace), ("info", self.trace):
            result = cli.run(verb, "--mode=644", *files)
            self.assertEqual((result.returncode, result.stdout), (2, ""))
            self.assertIn("--mode requires -o FILE", result.stderr)

    def test_relative_name(self):
        self.assert_done(self.analyze("-o", "report", cwd=self.folder))
        self.assertEqual(self.path.read_text(), self.expected)

    def test_unknown_ending(self):
        """The output is text anyway, but with a message."""
        for name, ending in ("r.jsno", ".jsno"), ("r.log.gz", ".log"), ("a.b/r", None), ("r.txt", None):
            path = self.folder / name
            path.parent.mkdir(exist_ok=True)
            result = cli.run("analyze", "-o", path, self.trace)
            self.assertEqual(result.returncode, 0)
            if ending:
                self.assertIn(f"no format has the extension {ending},", result.stderr)
                self.assertIn(".json .jsonl .csv .md .html", result.stderr)
            else:
                self.assertNotIn("ending", result.stderr)
            self.assertEqual(cli.run("analyze", "-q", "-f", "-o", path, self.trace).stderr, "")

    def test_csv_without_loops(self):
        """A table of no rows does not say which of the files gave none."""
        nothing = self.folder / "nothing.json"
        place = {"device": 0, "stream": 7}
        nothing.write_text(json.dumps({"traceEvents": [
            {"ph": "X", "cat": "kernel", "name": f"k{k}", "pid": 0, "tid": 7, "ts": 10 * k, "dur": 5,
             "args": {**place, "correlation": k + 1}} for k in range(50)]}))  # fmt: skip
        result = cli.run("analyze", "--format=csv", self.trace, nothing)
        self.assert_done(result)
        self.assertEqual(result.stderr.count("\n"), 1, result.stderr)
        self.assertIn(f"{nothing}: no rows: no kernels repeat", result.stderr)
        self.assertNotIn(str(nothing), result.stdout)
        self.assertEqual(cli.run("analyze", "-q", "--format=csv", nothing).stderr, "")
        # two kernels are layers if they were judged
        names = ["cast", "embed", "norm", *["gemm", "act"] * 16, "head", "softmax", "loss"]
        nothing.write_text(json.dumps({"traceEvents": [
            {"ph": "X", "cat": "kernel", "name": name, "pid": 0, "tid": 7, "ts": 20 * k, "dur": 15,
             "args": {**place, "correlation": k + 1}} for k, name in enumerate(names)]}))  # fmt: skip
        self.assertIn("no rows: 16 repetitions of 2 kernels look like the layers of a single pass",
                      cli.run("analyze", "--format=csv", nothing).stderr)
        self.assertEqual(cli.run("analyze", "--format=json", nothing).stderr, "")
        # counts are shown as in the report
        names = [f"{name}{chr(97 + k % 26)}{chr(97 + k // 26 % 26)}{chr(97 + k // 676)}"
                 for name, count in (("begin", 2000), *[("layer", 1100)] * 3, ("end", 2000))
                 for k in range(count)]
        nothing.write_text(json.dumps({"traceEvents": [
            {"ph": "X", "cat": "kernel", "name": name, "pid": 0, "tid": 7, "ts": 20 * k, "dur": 15,
             "args": {**place, "correlation": k + 1}} for k, name in enumerate(names)]}))  # fmt: skip
        self.assertIn("no rows: 3 repetitions of 1,100 kernels look like the layers",
                      cli.run("analyze", "--format=csv", nothing).stderr)

    def test_endings(self):
        """One table for all commands, whatever the letters' case; what can't be is refused."""
        html, text, lite = b"<!DOCTYPE", str(self.trace).encode(), b"SQLite format 3\0"
        for name, words, begin in (
            ("r.JSON", ["analyze"], b'{\n  "schema"'),
            ("r.htm", ["analyze"], html),
            ("r.Html.GZ", ["analyze"], html),
            ("r.TXT", ["analyze"], text),
            ("r.csv", ["analyze"], b"file,loop,"),
            ("r.md", ["analyze"], b"### median period "),
            ("r.jsonl", ["analyze"], b'{  "schema"'),
            ("r.jsonl", ["info"], b'{  "schema"'),
            ("r.json", ["info"], b'{\n'),
            ("r.txt", ["info"], b"trace "),
            *((f"r{end}", [verb], begin)
              for verb in ("analyze", "export")
              for end, begin in ((".trace", b"{"), (".perfetto-trace", b"\n"), (".pftrace.gz", b"\n"),
                                 (".db", lite), (".sqlite3", lite), (".sqlite.gz", lite))),
        ):  # fmt: skip
            path = self.folder / name
            result = cli.run(*words, "-f", "-o", path, self.trace)
            self.assertEqual((result.returncode, result.stderr), (0, ""), name)
            data = path.read_bytes()
            if name.lower().endswith(".gz"):
                data = gzip.decompress(data)
            self.assertEqual(data[: len(begin)], begin, (words, name))
            self.assertEqual(data.count(b"\n") == 1, name == "r.jsonl", name)
            path.unlink()
        for verb, name, listed in (
            ("analyze", "r.nsys-rep", ".txt .json .jsonl .csv .md .html .trace .pftrace .perf"),
            ("analyze", "r.pdf", ".sqlite .db"),
            ("analyze", "r.xml.gz", "analyze cannot write .xml;"),
            ("export", "r.html", "export cannot write .html; choose .json .trace .pftrace .perf"),
            ("export", "r.csv", ".sqlite .db"),
            ("export", "r.jsno", "export cannot write .jsno"),
            ("info", "r.csv", "info cannot write .csv; choose .txt .json .jsonl"),
            ("info", "r.json.gz", "cannot write compressed"),
        ):
            self.assert_fails(cli.run(verb, "-o", self.folder / name, self.trace), 2, listed)
        self.assertEqual(os.listdir(self.folder), [])
        path = self.folder / "reported.db"
        self.assert_done(cli.run("analyze", "--format=json", "-o", path, self.trace))
        self.assertEqual(json.loads(path.read_text())["schema"], 2)

    def test_compressed_by_name(self):
        """The report of that ending, packed, the same each time."""
        for name in "r.json", "r.html", "r.csv", "r.pftrace", "report":
            plain, packed = self.folder / name, self.folder / (name + ".gz")
            self.assert_done(cli.run("analyze", "-q", "-o", plain, self.trace))
            self.assert_done(cli.run("analyze", "-q", "-o", packed, self.trace))
            self.assertEqual(gzip.decompress(packed.read_bytes()), plain.read_bytes(), name)
        self.assertTrue((self.folder / "r.html").read_text(encoding="utf-8").startswith("<!DOCTYPE"))
        self.assertIn("schema", json.loads((self.folder / "r.json").read_text(encoding="utf-8")))
        self.assertEqual(cli.run("analyze", (self.folder / "r.json.gz")).returncode, 1)
        two = self.folder / "two.csv.gz"
        self.assert_done(cli.run("analyze", "-q", "-o", two, self.trace, self.trace))
        plain = cli.run("analyze", "-q", "--format=csv", self.trace, self.trace).stdout
        self.assertEqual(gzip.decompress(two.read_bytes()).decode(), plain)
        self.assert_fails(cli.run("analyze", "-o", self.folder / "two.json.gz", self.trace, self.trace),
                          2, "cannot compress")

    def test_existing_file(self):
        self.path.write_text("precious")
        self.path.chmod(0o600)
        self.assert_fails(self.analyze("-o", self.path), 1, "already exists", "-f")
        self.assertEqual(self.path.read_text(), "precious")
        self.assert_done(self.analyze("-f", "-o", self.path))
        self.assertEqual(self.path.read_text(), self.expected)
        self.assertEqual(stat.S_IMODE(self.path.stat().st_mode), 0o600)
        self.assertEqual(os.listdir(self.folder), ["report"])

    def test_no_links(self):
        """On a file system without hard links, which a filter of system calls stands for."""
        number = {"x86_64": 265, "aarch64": 37}.get(os.uname().machine)
        if not number:
            self.skipTest("the number of linkat() is not known here")
        # Load the call's number; if it is linkat's, fail with EPERM, else allow it (linux/seccomp.h).
        code = b"".join(struct.pack("HBBI", *step) for step in (
            (0x20, 0, 0, 0), (0x15, 0, 1, number), (0x06, 0, 0, 0x50001), (0x06, 0, 0, 0x7fff0000)))
        steps = ctypes.create_string_buffer(code, len(code))
        program = ctypes.create_string_buffer(struct.pack("HP", 4, ctypes.addressof(steps)))
        library = ctypes.CDLL(None)

        def forbid_links():
            cli.default_signals()
            if library.prctl(38, 1, 0, 0, 0) or library.prctl(22, 2, program):
                os._exit(77)

        for run in range(2):
            result = self.analyze("-o", self.path, preexec_fn=forbid_links)
            if result.returncode == 77:
                self.skipTest("system calls cannot be filtered here")
            if run:
                self.assert_fails(result, 1, "already exists")
            else:
                self.assert_done(result)
            self.assertEqual(self.path.read_text(), self.expected)
            self.assertEqual(os.listdir(self.folder), ["report"])

    def test_link(self):
        target = self.folder / "target"
        target.write_text("precious")
        self.path.symlink_to(target)
        self.assert_fails(self.analyze("-o", self.path), 1, "already exists")
        self.assert_done(self.analyze("-f", "-o", self.path))
        self.assertTrue(self.path.is_symlink())
        self.assertEqual(target.read_text(), self.expected)

    def test_the_input_itself(self):
        trace = self.folder / "trace.json"
        shutil.copy(self.trace, trace)
        hard = self.folder / "hard.json"
        os.link(trace, hard)
        link = self.folder / "link.json"
        link.symlink_to(trace)
        for name in trace, hard, link:
            for verb, *files in (
                ["analyze", trace],
                ["analyze", "-"],
                ["analyze", "/dev/stdin"],
                ["export", "-"],
                ["info", "-"],
                ["compare", self.trace, "-"],
                ["compare", "-", self.trace],
            ):
                with open(trace, "rb") as stdin:
                    result = cli.run(verb, "-f", "-o", name, *files, stdin=stdin)
                self.assert_fails(result, 2, "a file that is read")
        self.assertEqual(trace.read_bytes(), self.trace.read_bytes())

    def test_impossible_names(self):
        self.assert_fails(self.analyze("-o", self.folder), 1, "is a directory")
        self.assert_fails(self.analyze("-o", self.folder / "no" / "report"), 1, "its folder does not exist")
        self.assert_fails(self.analyze("-o", ""), 2)
        self.assert_fails(self.analyze("-o", str(self.path) + "/"), 1)
        self.assertEqual(os.listdir(self.folder), [])

    def test_standard_output(self):
        result = self.analyze("-o", "-")
        self.assert_done(result)
        self.assertEqual(result.stdout, self.expected)

    def test_failed_analysis_leaves_nothing(self):
        self.assert_fails(cli.run("analyze", "-o", self.path, "no-such-file"), 1)
        self.path.write_text("precious")
        self.assert_fails(cli.run("analyze", "-f", "-o", self.path, "no-such-file"), 1)
        self.assertEqual(self.path.read_text(), "precious")
        self.assertEqual(os.listdir(self.folder), ["report"])

    def test_device(self):
        """Devices and pipes are written to, not replaced."""
        self.assert_done(self.analyze("-o", "/dev/null"))
        self.assertTrue(stat.S_ISCHR(os.stat("/dev/null").st_mode))
        os.mkfifo(self.path)
        copy = self.folder / "copy"
        with open(copy, "wb") as out, subprocess.Popen(["cat", str(self.path)], stdout=out) as cat:
            self.assert_done(self.analyze("-o", self.path))
            self.assertEqual(cat.wait(cli.TIMEOUT_S), 0)
        self.assertEqual(copy.read_text(), self.expected)

    def test_format_by_name(self):
        for extension, first in ("json", "{"), ("csv", None):
            path = self.folder / f"report.{extension}"
            self.assert_done(cli.run("analyze", "-o", path, self.trace))
            same = cli.run("analyze", f"--format={extension}", self.trace).stdout
            self.assertEqual(path.read_text(), same)
            self.assertTrue(not first or same.startswith(first))

    def test_full_device(self):
        with open("/dev/full", "wb") as full:
            for args in ("analyze", self.trace), ("info", self.trace), ("help",), ("--version",):
                result = cli.run(*args, stdout=full)
                self.assert_fails(result, 1, "standard output: No space left on device")
        self.assert_fails(self.analyze("-o", "/dev/full"), 1, "/dev/full: No space left")

    def test_full_disk(self):
        small = self.folder / "small"
        small.mkdir()
        mount = ["mount", "-t", "tmpfs", "-o", "size=16k", "tmpfs", str(small)]
        if os.geteuid() or subprocess.run(mount, stderr=subprocess.DEVNULL, check=False).returncode:
            self.skipTest("no file system can be mounted here")
        try:
            with open(small / "filler", "wb") as filler:
                filler.write(bytes(8192))
            result = self.analyze("-o", small / "report")
            self.assert_fails(result, 1, "report: No space left on device")
            self.assertEqual(os.listdir(small), ["filler"])
        finally:
            subprocess.run(["umount", str(small)], check=True)

    def test_file_size_limit(self):
        """A write that fails half way, wherever mounting is not allowed."""

        def limit():
            signal.signal(signal.SIGXFSZ, signal.SIG_DFL)
            resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))

        result = self.analyze("-o", self.path, preexec_fn=limit)
        self.assert_fails(result, 1, "report: File too large")
        self.assertEqual(os.listdir(self.folder), [])

    def test_closed_standard_output(self):
        """The trace that is opened then must not become what is written to."""
        before = self.trace.read_bytes()
        for args in ("analyze", self.trace), ("info", self.trace), ("help",):
            result = cli.run(*args, preexec_fn=lambda: os.close(1))
            self.assert_fails(result, 1, "standard output: Bad file descriptor")
        self.assertEqual(self.trace.read_bytes(), before)

    def test_closed_standard_error(self):
        result = self.analyze(preexec_fn=lambda: os.close(2))
        self.assert_done(result)
        self.assertEqual(result.stdout, self.expected)

    def broken_pipe(self, *args, ignored=False):
        """Its reader is gone before it starts."""
        read, write = os.pipe()
        os.close(read)
        try:
            return cli.run(
                *args,
                stdout=write,
                preexec_fn=(lambda: signal.signal(signal.SIGPIPE, signal.SIG_IGN))
                if ignored
                else None,
            )
        finally:
            os.close(write)

    def test_broken_pipe(self):
        for args in ("analyze", self.trace), ("info", "--build"), ("help",):
            result = self.broken_pipe(*args)
            self.assertEqual(result.returncode, -signal.SIGPIPE, args)
            self.assertEqual(result.stderr, "")
            result = self.broken_pipe(*args, ignored=True)
            self.assertEqual(result.returncode, 1)
            self.assertEqual(result.stderr, "")

    def test_head(self):
        for verb in "analyze --format=json", "info --format=json":
            line = f"'{cli.DEEPPROF}' {verb} '{self.trace}' | head -n 1"
            result = subprocess.run(
                line, shell=True, capture_output=True, timeout=cli.TIMEOUT_S, check=False
            )
            self.assertEqual(result.stdout.count(b"\n"), 1)
            self.assertEqual(result.stderr, b"")

    def test_interrupted(self):
        """A signal leaves no temporary file behind."""
        fifo = self.folder / "trace"
        os.mkfifo(fifo)
        for number in (
            signal.SIGINT,
            signal.SIGTERM,
            signal.SIGHUP,
            signal.SIGQUIT,
            signal.SIGXCPU,
        ):
            with subprocess.Popen(
                [cli.DEEPPROF, "analyze", "-o", "report", "trace"],
                cwd=self.folder,
                stderr=subprocess.PIPE,
                env=cli.environment(),
                preexec_fn=without_cores,
            ) as process:
                with open(fifo, "wb") as writer:
                    writer.write(b'{"traceEvents": [')
                    writer.flush()
                    while len(os.listdir(self.folder)) < 2:
                        pass
                    process.send_signal(number)
                    process.wait(cli.TIMEOUT_S)
            self.assertEqual(process.returncode, -number)
            self.assertEqual(os.listdir(self.folder), ["trace"])

    def test_same_bytes(self):
        for name in "text", "json", "csv":
            first = cli.run("analyze", f"--format={name}", self.trace)
            again = cli.run("analyze", f"--format={name}", self.trace)
            self.assert_done(first)
            self.assertEqual(first.stdout, again.stdout)

    def test_locale_does_not_matter(self):
        """Where the system has a locale with a decimal comma, numbers still have a point."""
        for name in "json", "csv":
            plain = cli.run("analyze", f"--format={name}", self.trace)
            german = cli.run(
                "analyze",
                f"--format={name}",
                self.trace,
                env=cli.environment(LC_ALL="de_DE.UTF-8"),
            )
            self.assertEqual(german.stdout, plain.stdout)


class Info(cli.Case):
    def test_text(self):
        result = cli.run("info", self.trace)
        self.assert_done(result)
        for word in "format       kineto", "kernels", "main", "lost         nothing", " of deepprof's own memory":
            self.assertIn(word, result.stdout)
        for line in result.stdout.splitlines():
            if not line.startswith("trace "):
                self.assertLessEqual(len(line), 80, line)

    def test_not_recorded(self):
        """What the trace lacks has a label as wide as the column, and words of any length fit."""
        for width in 40, 80:
            lines = cli.run("info", self.trace, env=cli.environment(COLUMNS=str(width))).stdout.splitlines()
            first = lines.index("not recorded device memory")
            self.assertEqual(" " * 15 + "for live and peak bytes", lines[first + 1])
            text = "".join(line[15:].strip() for line in lines[first:first + 10])
            self.assertIn("--cuda-memory-usage=true", text)
            self.assertNotIn(" " * 15 + "-", lines)

    def test_json_adds_up(self):
        result = cli.run("info", "--format=json", "--top=1000000", self.trace)
        self.assert_done(result)
        info = json.loads(result.stdout)
        trace = info["trace"]
        self.assertEqual(info["schema"], 1)
        self.assertEqual(trace["path"], str(self.trace))
        self.assertEqual(
            trace["kernels"] + trace["copies"] + trace["sets"], trace["operations"]
        )
        for what in "kernels", "copies", "sets":
            self.assertEqual(sum(each[what] for each in info["streams"]), trace[what])
        self.assertEqual(sum(each["count"] for each in info["top_kernels"]), trace["kernels"])
        self.assertEqual(len(info["top_kernels"]), info["kernel_names"])
        totals = [each["total_ns"] for each in info["top_kernels"]]
        self.assertEqual(totals, sorted(totals, reverse=True))

    def test_json_agrees_with_the_trace(self):
        """Counted by a reader of its own."""
        events = json.loads(self.trace.read_text())["traceEvents"]
        kernels = [each for each in events if each.get("cat") == "kernel"]
        info = json.loads(cli.run("info", "--format=json", "--top=1", self.trace).stdout)
        self.assertEqual(info["trace"]["kernels"], len(kernels))
        self.assertEqual(len(info["top_kernels"]), 1)
        names = {each["name"] for each in kernels}
        self.assertEqual(info["kernel_names"], len(names))
        self.assertIn(info["top_kernels"][0]["name"], names)

    def test_top(self):
        self.assertNotIn("share", cli.run("info", "--top=0", self.trace).stdout)
        few = cli.run("info", "--top=2", self.trace).stdout
        self.assertIn("other names", few)

    def test_no_gpu(self):
        """Nothing to analyze, something to tell."""
        path = self.folder / "host.json"
        path.write_text(
            '{"traceEvents": [{"ph": "X", "cat": "cpu_op", "name": "aten::add", "pid": 1,'
            ' "tid": 1, "ts": 1.5, "dur": 2.5}]}'
        )
        self.assert_fails(cli.run("analyze", path), 1, "ProfilerActivity.CUDA")
        result = cli.run("info", "--format=json", path)
        self.assert_done(result)
        self.assertEqual(json.loads(result.stdout)["trace"]["operations"], 0)
        text = cli.run("info", path)
        self.assert_done(text)
        self.assertNotIn("duration", text.stdout)

    def test_odd_names(self):
        """Names are shown without what could move a cursor, and are whole in JSON."""
        name = 'k<"\\\t\u001b[2J\u00e9\u4e2d>'
        path = self.folder / "odd.json"
        path.write_text(
            json.dumps(
                {
                    "traceEvents": [
                        {
                            "ph": "X",
                            "cat": "kernel",
                            "name": name,
                            "pid": 0,
                            "tid": 7,
                            "ts": 1.5,
                            "dur": 2.5,
                            "args": {"device": 0, "stream": 7, "correlation": 1},
                        }
                    ]
                }
            )
        )
        reported = json.loads(cli.run("info", "--format=json", path).stdout)
        self.assertEqual(reported["top_kernels"][0]["name"], name)
        plain = cli.run("info", path).stdout
        self.assertNotIn("\033", plain)
        self.assertTrue(plain.isascii())
        utf8 = cli.run("info", path, env=cli.environment(LC_ALL="C.UTF-8")).stdout
        self.assertIn("\u00e9\u4e2d", utf8)
        self.assertNotIn("\033", utf8)

    def test_build(self):
        result = cli.run("info", "--build")
        self.assert_done(result)
        reported = json.loads(cli.run("info", "--build", "--format=json").stdout)
        self.assertEqual(reported["version"], reported["library_version"])
        for table in "importers", "renderers", "metrics", "summary_metrics", "rules":
            self.assertTrue(reported[table], table)
            for row in reported[table]:
                self.assertRegex(result.stdout, rf"(?m)^  {row['name']} ")
                self.assertTrue(row["help"])
        self.assertRegex(result.stdout, r"(?m)^  utilization_sum +ratio +sum of kernel durations")
        self.assertNotRegex(result.stdout, r"\d us\b")
        thresholds = {r["name"]: r["threshold"] for r in reported["rules"] if "threshold" in r}
        self.assertEqual(thresholds["extra-work"], 0.005)
        self.assertNotIn("slow-iterations", thresholds)
        for rule, share in thresholds.items():
            self.assertRegex(result.stdout, rf"(?m)^  {rule} +{100 * share:g}% ")
            self.assert_done(cli.run("analyze", f"--threshold={rule}=50%", self.trace))
        for rule in {r["name"] for r in reported["rules"]} - set(thresholds):
            self.assert_fails(cli.run("analyze", f"--threshold={rule}=50%", self.trace), 2)


if __name__ == "__main__":
    cli.main()

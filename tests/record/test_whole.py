"""All but the GPU: the collector in a program with a fake CUPTI, recorded and analyzed."""

import contextlib
import json
import os
import pathlib
import re
import shutil
import signal
import struct
import subprocess
import time
import unittest

import cli
import recording

APP = os.environ["DEEPPROF_FAKE_APP"]
CUPTI = os.environ["DEEPPROF_FAKE_CUPTI"]
KERNEL, RUNTIME, NVTX = 10, 5, 112
TRUTH_BYTES = 130 * 8
VERSIONS = ["11.8", "12.4", "12.8", "13.0", "13.4"]
# As CUPTI numbers itself: 13.0 is its first update.
REPORTED = dict(zip(VERSIONS, ["API 18", "API 22", "API 26", "13.0.1", "13.4"]))
TABLES = {1: "memcpy", 2: "memset", 17: "overhead", 22: "memcpy", 38: "sync", 39: "ext_corr"}
TABLES.update(
    {KERNEL: "kernel", 4: "api", RUNTIME: "api", 49: "mem_op", 50: "mem_pool", 51: "graph_launch"}
)
TABLES.update({52: "jit", 36: "cuda_event"})


def kill_if_there(pid):
    with contextlib.suppress(ProcessLookupError):
        os.kill(pid, signal.SIGKILL)


class Case(recording.Case):
    def fake(self, *words, options=(), **env):
        (self.folder / "truth").write_bytes(bytes(TRUTH_BYTES))
        env.setdefault("FAKE_CUPTI_TRUTH", self.folder / "truth")
        return self.run_record(
            f"--cupti={CUPTI}", *options, "--", APP, *words, env=recording.environment(**env)
        )

    def truth(self):
        """What CUPTI has made: {kind: records}, and NVTX events."""
        numbers = struct.unpack("130Q", (self.folder / "truth").read_bytes()[:TRUTH_BYTES])
        made = {kind: count for kind, count in enumerate(numbers[:128]) if count}
        made[NVTX] = numbers[129]
        return made

    def stored(self, name="deepprof.db"):
        """What is in the file: rows by kind, those of operations without times too."""
        found = {}
        for table in set(TABLES.values()):
            kinds = [kind for kind, other in TABLES.items() if other == table]
            found[tuple(kinds)] = self.one(
                f"SELECT (SELECT count(*) FROM {table}) + "
                f"(SELECT count(*) FROM untimed WHERE kind IN ({','.join(map(str, kinds))}))",
                name,
            )
        return found

    def held(self, program):
        """Bytes that files without a name take, and the collector's threads, in a process."""

        def each(name, look):
            """What they say that do not end while they are looked at."""
            for path in pathlib.Path(f"/proc/{program}/{name}").iterdir():
                with contextlib.suppress(OSError):
                    yield look(path)

        files = each("fd", lambda p: "deleted" in os.readlink(p) and p.stat().st_blocks * 512)
        names = each("task", lambda p: (p / "comm").read_text())
        return sum(files), [name for name in names if name.startswith("deepprof")]

    def assert_nothing_missing(self, name="deepprof.db", spare=0):
        self.assert_balanced(name)
        made = self.truth()
        for kinds, rows in self.stored(name).items():
            expected = sum(made.get(kind, 0) for kind in kinds)
            self.assertLessEqual(expected, rows, kinds)
            self.assertLessEqual(rows, expected + spare, kinds)


class Versions(Case):
    def test_layouts(self):
        for version in VERSIONS:
            result = self.fake(
                "init", "launch=500", "kinds=20",
                options=["-f", "-o", "t.db"], FAKE_CUPTI_VERSION=version,
            )  # fmt: skip
            self.assertEqual(result.returncode, 0, result.stderr)
            self.assertIn("nothing lost", result.stderr)
            self.assertIn(
                "20 CUDA graph launches are recorded as one operation each; "
                "--cuda-graph=node records the kernels inside\n", result.stderr,
            )  # fmt: skip
            listed = cli.run("info", "t.db", cwd=self.folder).stdout
            self.assertIn(f", CUPTI {REPORTED[version]}\n", listed)
            self.assert_nothing_missing("t.db")
            self.assertEqual(
                self.one("SELECT count(*) FROM kernel WHERE dur_ns = 2000 AND regs = 32", "t.db"),
                500,
            )

    def test_one(self):
        result = self.fake("init", "launch=1", options=["--api=off"])
        self.assertIn("deepprof.db: 1 event in ", result.stderr)
        result = self.fake("init", "kinds=1")
        self.assertIn("deepprof: 1 CUDA graph launch is recorded as one operation; ", result.stderr)

    def test_analysis(self):
        self.fake("init", "launch=1000")
        report = json.loads(cli.run("analyze", "--format=json", cwd=self.folder).stdout)
        self.assertEqual(report["trace"]["kernels"], 1000)
        self.assertEqual(report["trace"]["lost"], 0)
        self.assertEqual(report["loops"][0]["pattern"]["length"] % 5, 0)

    def test_waits_for_events(self):
        """A finding names the kernel, the stream and the event that its stream stood still for."""
        name = "ncclDevKernel_AllReduce_Sum_f32_RING_LL"
        self.fake("init", f"waits=40,2000,{name}")
        result = subprocess.run(
            [cli.DEEPPROF, "analyze", "--format=json", "deepprof.db"], cwd=self.folder,
            stdout=subprocess.PIPE, timeout=cli.TIMEOUT_S, check=True,
        )  # fmt: skip
        findings = {found["rule"]: found for found in json.loads(result.stdout)["findings"]}
        evidence = findings["exposed-communication"]["evidence"]
        self.assertEqual(evidence["call"], f"{name} on stream 20 (event 3)")
        # 1.94 ms, less what a busy machine delays the calls by
        self.assertGreater(evidence["stream_wait_ns"], 1e6)
        self.assertLess(evidence["stream_wait_ns"], 2e6)

    def test_failed_graph(self):
        """Its copies began before the process did, or in the far future, says CUPTI."""
        result = self.fake("init", "launch=10", "failed=4")
        self.assertIn("4 operations have no times: their launch failed", result.stderr)
        self.assertIn(", 4 without times; next: ", result.stderr)
        self.assertIn('"unspecified launch failure" in 1 CUDA call: ', result.stderr)
        self.assertEqual(self.one("SELECT count(*) FROM memcpy"), 0)
        self.assertEqual(self.one("SELECT count(*) FROM untimed"), 4)
        self.assertLess(self.one("SELECT max(start) - min(start) FROM kernel"), 60e9)

    def test_unknown_kinds(self):
        """Completed is stored and lost, whatever newer versions have."""
        result = self.fake("init", "launch=10", "odd")
        self.assertEqual(result.returncode, 0, result.stderr)


class Trouble(Case):
    def test_no_cupti(self):
        (self.folder / "libcupti.so").write_text("")
        result = self.fake(
            "init", "launch=5", "say", options=[f"--cupti={self.folder}", "--sample-gpu=off"]
        )
        self.assertEqual(result.returncode, 0)
        self.assertIn(f"no libcupti found: looked at {self.folder}/libcupti.so", result.stderr)
        self.assertIn("nothing was recorded: CUPTI could not be used", result.stderr)
        self.assert_clean()

    def test_taken(self):
        result = self.fake(
            "init", "launch=10", "nvtx=3", "exit=6",
            FAKE_CUPTI_VERSION="13.0", FAKE_CUPTI_HOLDER="other-tool",
            FAKE_CUPTI_FAIL="cuptiSubscribe_v2=39,cuptiSubscribe=39",
        )  # fmt: skip
        self.assertEqual(result.returncode, 6)
        self.assertIn("holds CUPTI in this program (other-tool): end it", result.stderr)
        self.assertIn("no GPU operation was recorded", result.stderr)
        self.assertEqual(self.one("SELECT count(*) FROM kernel"), 0)

    def test_refusals(self):
        """One line says what it is, and one what became of it; the program does not notice."""
        for fail, words in (
            ("Subscribe=39", "another profiler holds CUPTI in this program: end it"),
            ("Subscribe=35", "does not permit profiling here .a reason.: a container needs"),
            ("ActivityEnable=35", "does not permit profiling here"),
            ("GetVersion=999", "CUPTI finds no driver it can use .a reason."),
            ("Subscribe=15", "CUPTI finds no driver it can use"),
            ("ActivityRegisterCallbacks=27", "CUPTI refuses: a reason .27."),
        ):
            result = self.fake(
                "init", "launch=5", "say", "exit=3",
                options=["--sample-gpu=off"], FAKE_CUPTI_FAIL=fail,
            )  # fmt: skip
            self.assertEqual((result.returncode, result.stdout), (3, "hello\n"), fail)
            self.assertRegex(
                result.stderr,
                rf"\Adeepprof: warning: [^\n]*{words}[^\n]*\n"
                r"deepprof: nothing was recorded: CUPTI could not be used in [^\n]*\n\Z",
            )
            self.assert_clean()

    def test_wrong_library(self):
        wrong = os.path.join(os.path.dirname(CUPTI), "libcuda.so")
        (self.folder / "text").write_text("x" * 100)
        for path, words in (wrong, "has no cupti"), (self.folder / "text", "text: "):
            result = self.run_record(
                f"--cupti={path}", "--sample-gpu=off", "--", APP, "init", "launch=5",
                env=recording.environment(),
            )  # fmt: skip
            self.assertEqual(result.returncode, 0)
            self.assertIn(words, result.stderr.splitlines()[0])
            self.assertIn("CUPTI could not be used", result.stderr)

    def test_nothing_but_cuda(self):
        result = self.fake("init", options=["--sample-gpu=off"])
        self.assertIn("started CUDA, but did no GPU work", result.stderr)

    def test_limit(self):
        """What did not fit is counted, whether there is a file or not."""
        result = self.fake("init", "launch=50000", options=["--max-spool=20K", "--sample-gpu=off"])
        # The device may have found room.
        self.assertRegex(result.stderr, "all 100,00[01] events were lost")
        self.assertFalse((self.folder / "deepprof.db").exists())
        result = self.fake("init", "launch=50000", options=["--max-spool=200K"])
        self.assertEqual(result.returncode, 0)
        # A kernel and a call each, and the device.
        lost = 100001 - self.one(
            "SELECT (SELECT count(*) FROM kernel) + (SELECT count(*) FROM api) + "
            "(SELECT count(*) FROM device)"
        )
        self.assertIn(f", {lost:,} lost; next: deepprof analyze\n", result.stderr)
        self.assertIn(
            "warning: --max-spool was reached: later records are counted, not kept\n", result.stderr
        )
        self.assertIn(
            f"deepprof: {lost:,} events were lost: --max-spool was reached\n", result.stderr
        )
        self.assertEqual(self.query("SELECT reason, records FROM loss"), [("spool-limit", lost)])
        reported = cli.run("info", "--format=json", cwd=self.folder).stdout
        self.assertIn("while recording: record --max-spool was reached", reported)

    def test_chained(self):
        called = self.folder / "called"
        result = self.fake(
            "init", "launch=5", "init", options=["--chain", "-o", "both.db"],
            CUDA_INJECTION64_PATH=os.environ["DEEPPROF_CHAINED"], CHAINED_FILE=str(called),
        )  # fmt: skip
        self.assertEqual(result.returncode, 0)
        self.assertNotIn("warning", result.stderr)
        self.assertEqual(called.read_text(), "called\n")
        self.assertEqual(self.one("SELECT count(*) FROM kernel", "both.db"), 5)
        result = self.fake(
            "init", "launch=5", options=["--chain"], CUDA_INJECTION64_PATH="/no/libother.so"
        )
        self.assertEqual(result.returncode, 0)
        self.assertIn("/no/libother.so cannot be loaded by CUDA as well", result.stderr)
        self.assertEqual(self.one("SELECT count(*) FROM kernel"), 5)

    def test_no_cuda(self):
        result = self.fake("exit=2")
        self.assertEqual(result.returncode, 2)
        self.assertIn("nothing was recorded", result.stderr)


class Ends(Case):
    def test_ends(self):
        for words, status in (
            (["exit=5"], 5),
            (["_exit=6"], 6),
            (["quick=7"], 7),
            (["abort"], -signal.SIGABRT),
            (["kill"], -signal.SIGKILL),
        ):
            result = self.fake("init", "launch=3000", *words, options=["-f", "-o", "t.db"])
            self.assertEqual(result.returncode, status, result.stderr)
            # A process that is killed may have operations whose times were not read.
            self.assertRegex(result.stderr, "nothing lost|without times; next: ")
            self.assert_nothing_missing("t.db")
            self.assert_clean()

    def test_killed_anywhere(self):
        """DEEPPROF_KILLS=100 for the long form."""
        for i in range(int(os.environ.get("DEEPPROF_KILLS", "3"))):
            (self.folder / "truth").write_bytes(bytes(TRUTH_BYTES))
            env = recording.environment(FAKE_CUPTI_TRUTH=self.folder / "truth")
            process = self.start_record(
                "-f", "-o", "t.db", f"--cupti={CUPTI}", "--", APP, "init", "forever", env=env
            )
            self.wait_for(self.spools, "spool")
            time.sleep((2 + i * 37.117 % 120) / 1000)
            os.kill(int(self.spools()[0].name.split(".")[0]), signal.SIGKILL)
            _, stderr = process.communicate(timeout=cli.TIMEOUT_S)
            self.assertEqual(process.returncode, -signal.SIGKILL, stderr)
            if (self.folder / "t.db").exists():
                # One record may have been made whose making was not noted yet.
                self.assert_nothing_missing("t.db", spare=1)
                (self.folder / "t.db").unlink()
            self.assert_clean()

    def is_taken_in(self, program, launcher):
        """Whether another child of the launcher keeps the memory that a program shares with it."""
        children = pathlib.Path(f"/proc/{launcher}/task/{launcher}/children").read_text().split()
        for child in children:
            for descriptor in pathlib.Path(f"/proc/{child}/fd").iterdir():
                with contextlib.suppress(OSError):
                    if child != str(program) and "memfd:" in os.readlink(descriptor):
                        return True
        return False

    def test_launcher_killed_anywhere(self):
        """Recording stops then in a program that continues, and what was recorded is kept."""
        for i in range(int(os.environ.get("DEEPPROF_KILLS", "2"))):
            (self.folder / "truth").write_bytes(bytes(TRUTH_BYTES))
            env = recording.environment(FAKE_CUPTI_TRUTH=self.folder / "truth")
            process = self.start_record(
                "-f", "-o", "t.db", f"--cupti={CUPTI}", "--", APP, "init", "forever", env=env
            )
            self.wait_for(lambda: self.truth().get(KERNEL), "first kernel")
            program = int(self.spools()[0].name.split(".")[0])
            self.wait_for(
                lambda pids=(program, process.pid): self.is_taken_in(*pids), "launcher to take it in"
            )
            time.sleep((2 + i * 37.117 % 120) / 1000)
            process.kill()
            process.wait(timeout=cli.TIMEOUT_S)
            self.wait_for(lambda: not self.left(), "end of the folder")
            # Its library holds the spool, which has no name any more, until it ends.
            os.kill(program, signal.SIGKILL)
            process.communicate(timeout=cli.TIMEOUT_S)
            self.assert_clean(cli.TIMEOUT_S)
            self.assert_nothing_missing("t.db", spare=1)
            (self.folder / "t.db").unlink()

    def test_left_behind(self):
        """Processes that outlive the recording hold neither disk nor memory for it."""
        words = "init launch=20000 nvtx=10 say until=go launch=1000 nvtx=10 fork=2 exit=5"
        result = self.run_record(
            f"--cupti={CUPTI}", "--", "sh", "-c",
            f"('{APP}' {words}; echo $? >status) </dev/null >said 2>&1 & "
            "until [ -s said ]; do sleep 0.1; done",
            env=recording.environment(),
        )  # fmt: skip
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn("still runs, and is no longer recorded", result.stderr)
        self.assertEqual(self.one("SELECT count(*) FROM kernel"), 20000)
        self.assertEqual(self.left(), [])
        program = self.one("SELECT pid FROM process")
        self.wait_for(lambda: not self.held(program)[1], "end of its threads")
        self.assertLess(self.held(program)[0], 2 << 20)
        (self.folder / "go").touch()
        self.wait_for(lambda: (self.folder / "status").exists(), "end of the program")
        self.wait_for(lambda: (self.folder / "status").read_text(), "its status")
        self.assertEqual((self.folder / "status").read_text(), "5\n")

    def test_child_without_cuda(self):
        """A child that outlives its parent holds nothing of the recording, which does not wait for it."""
        result = self.fake("init", "launch=100", "leave=30000", "launch=100")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertNotIn("left behind", result.stderr)
        self.assertIn("nothing lost", result.stderr)
        self.assertEqual(self.one("SELECT count(*) FROM kernel"), 200)
        left = self.pids()
        self.assertGreater(len(left), 0)
        for pid in left:
            self.assertEqual([p for p in self.open_files(pid) if "deepprof" in p], [])
            os.kill(pid, signal.SIGKILL)

    def open_files(self, pid):
        return [os.readlink(path) for path in pathlib.Path(f"/proc/{pid}/fd").iterdir()]

    def test_forks_and_images(self):
        # Without the guard, and in a replaced image, nothing flushes: there may be no times.
        kernels = "SELECT (SELECT count(*) FROM kernel) + (SELECT count(*) FROM untimed)"
        result = self.fake("nvtx=5", "forkinit=6")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertEqual(self.one(kernels), 600)
        self.assert_balanced()
        result = self.fake("init", "launch=100", "exec", "init", "launch=50")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertEqual(self.one(kernels), 150)
        self.assertEqual(
            self.one("SELECT count(DISTINCT pid) FROM process WHERE id IN (SELECT process "
                     "FROM api)"), 1
        )  # fmt: skip

    def test_ranks(self):
        """64 of them, each a process of its own, in one file."""
        script = (
            f"i=0; while [ $i -lt 64 ]; do RANK=$i '{APP}' init launch=100 & i=$((i+1)); done; wait"
        )
        result = self.run_record(
            f"--cupti={CUPTI}", "--max-memory=8M", "--", "sh", "-c", script,
            env=recording.environment(),
        )  # fmt: skip
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertEqual(
            self.query("SELECT count(*), min(rank), max(rank) FROM process"), [(64, 0, 63)]
        )
        self.assertEqual(self.one("SELECT count(*) FROM kernel"), 6400)
        self.assert_clean()


class Nodes(Case):
    """What record writes on each node or for each rank, ranks reads without an option."""

    def check(self, count):
        command = [cli.DEEPPROF, "ranks", "-q", "--format=json", "."]
        result = subprocess.run(command, cwd=self.folder, stdout=subprocess.PIPE, check=True,
                                env=recording.environment())  # fmt: skip
        job = json.loads(result.stdout)
        self.assertEqual([rank["rank"] for rank in job["ranks"]], list(range(count)))
        self.assertEqual({rank["host"] for rank in job["ranks"]}, {os.uname().nodename})
        # Nothing here waits for another rank: the first or last calls may have no counterpart.
        self.assertEqual(job["matching"]["collectives"], 50 * count)
        self.assertGreater(job["matching"]["matched"], 25 * count)
        self.assertEqual(job["left_out"], [])

    def test_torchrun(self):
        """Two nodes, two ranks each: a file for each node, and one for each rank."""
        script = f"RANK=$1 '{APP}' init steps=50 & RANK=$2 '{APP}' init steps=50; wait"
        words = [f"--cupti={CUPTI}", "-o", "run.%q{GROUP_RANK}.db", "--", "sh", "-c", script, "sh"]
        for node in range(2):
            ranks = [str(2 * node), str(2 * node + 1)]
            result = self.run_record(
                *words, *ranks, env=recording.environment(GROUP_RANK=str(node), WORLD_SIZE="4")
            )
            self.assertEqual(result.returncode, 0, result.stderr)
        self.check(4)

    @unittest.skipUnless(shutil.which("mpirun"), "not installed: mpirun")
    def test_mpirun(self):
        words = ["mpirun", "--allow-run-as-root", "--oversubscribe", "-n", "3", cli.DEEPPROF]
        words += ["record", *recording.GUARD, f"--cupti={CUPTI}"]
        words += ["-o", "run.%h.%q{OMPI_COMM_WORLD_RANK}.db", "--", APP, "init", "steps=50"]
        result = subprocess.run(
            words, cwd=self.folder, env=recording.environment(), timeout=cli.TIMEOUT_S,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False,
        )  # fmt: skip
        self.assertEqual(result.returncode, 0, result.stdout)
        self.assertEqual(len(list(self.folder.glob("run.*.db"))), 3)
        self.check(3)


class Clock(Case):
    def test_range(self):
        """From cudaProfilerStart to cudaProfilerStop: 100 of 300 launches."""
        result = self.fake("init", "launch=100", "range", options=["--capture=profiler"])
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertEqual(self.one("SELECT count(*) FROM kernel"), 100)
        self.assert_nothing_missing()

    def assert_pauses(self, count, least_s):
        """Of an analysis, in which nothing is made of the time that was not recorded."""
        report = json.loads(self.analyze("--format=json"))
        lengths = [pause["end_ns"] - pause["start_ns"] for pause in report["trace"]["pauses"]]
        self.assertEqual(len(lengths), count, lengths)
        for length in lengths:
            self.assertGreater(length, least_s * 1e9)
        for loop in report["loops"]:
            for iteration in loop["iterations"]:
                self.assertLess(iteration["period_ns"] or 0, least_s * 1e9)
                self.assertLess(iteration["interval_ns"] or 0, least_s * 1e9)
        self.assertNotIn("starved", [finding["rule"] for finding in report["findings"]])
        times = "1 time" if count == 1 else f"{count} times"
        self.assertIn(f"paused: recording was off {times}, ", self.analyze())
        self.assertRegex(
            cli.run("info", "deepprof.db", cwd=self.folder).stdout, rf"paused +{times}, "
        )

    def analyze(self, *options):
        result = cli.run("analyze", "deepprof.db", *options, cwd=self.folder)
        self.assertEqual(result.returncode, 0, result.stderr)
        return result.stdout

    def test_ranges(self):
        """The time between them counts as no wait."""
        result = self.fake(
            "init", "range", "sleep=600", "range", "sleep=600", "range",
            options=["--capture=profiler", "--sample-gpu=off"],
        )  # fmt: skip
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertEqual(self.one("SELECT count(*) FROM kernel"), 300)
        # Between them; before the first and after the last there may be no time to report.
        self.assertGreaterEqual(self.one("SELECT count(*) FROM pause WHERE dur_ns IS NOT NULL"), 2)
        self.assertEqual(
            self.one("SELECT count(*) FROM kernel JOIN pause ON kernel.start BETWEEN "
                     "pause.start + 1000000 AND pause.start + pause.dur_ns"), 0
        )  # fmt: skip
        self.assert_pauses(2, 0.5)
        reported = cli.run("info", "deepprof.db", cwd=self.folder).stdout
        self.assertRegex(
            reported, r"(?m)^recorded +on .+, by deepprof [\d.]+, with driver [\d.]+, CUPTI API \d+$"
        )
        self.assertRegex(reported, r"(?m)^ended +with exit status 0$")

    def test_no_range(self):
        result = self.fake("init", "launch=100", options=["--capture=profiler", "--sample-gpu=off"])
        self.assertEqual(result.returncode, 0)
        self.assertIn("did not call cudaProfilerStart(), or did no GPU work", result.stderr)
        self.assertFalse((self.folder / "deepprof.db").exists())

    def test_delay_that_was_not_over(self):
        result = self.fake("init", "launch=100", options=["--delay=50s", "--sample-gpu=off"])
        self.assertEqual(result.returncode, 0)
        self.assertRegex(
            result.stderr, "nothing was recorded: --delay was not over when .* ended\n"
        )

    def test_delay_and_duration(self):
        """The program is not stopped, and is recorded in between only."""
        began = time.time_ns()
        result = self.fake(
            "init", "loop=2500,1000", "say", options=["--delay=400ms", "--duration=300ms"]
        )
        reported = re.search(r" events in ([\d.]+) ms, ", result.stderr)
        self.assertIsNotNone(reported, result.stderr)
        self.assertEqual((result.returncode, result.stdout), (0, "hello\n"), result.stderr)
        self.assert_nothing_missing()
        first, last, zero = self.query(
            "SELECT min(start), max(start), (SELECT value FROM meta WHERE key = 't0_realtime_ns') "
            "FROM kernel"
        )[0]
        self.assertGreater(zero + first - began, 390e6)
        # It is the time of what was recorded that is reported, not that since the beginning.
        self.assertGreaterEqual(float(reported.group(1)) * 1e6, last - first - 1e6)
        self.assertGreater(last, first)
        self.assertGreater(2500 * 12, self.one("SELECT count(*) FROM kernel"))

    def test_late_first_kernel(self):
        """Both times count from the first kernel, which comes when both would have passed."""
        for number, options in enumerate(([], ["--delay=10ms"])):
            go, name = self.folder / f"go{number}", f"{number}.db"
            process = self.start_record(
                f"--cupti={CUPTI}", "-o", name, "--duration=100ms", *options, "--", APP, "init",
                f"until={go}", "loop=500,1000", env=recording.environment(),
            )  # fmt: skip
            self.wait_for(self.spools, "process")
            time.sleep(0.3)
            go.touch()
            process.communicate(timeout=cli.TIMEOUT_S)
            self.assertGreater(self.one("SELECT count(*) FROM kernel", name), 0)

    def early(self, *options, words=("init", "loop=100000,500")):
        """A recording that has ended, of a program that has not; it stands in the file "pid"."""
        process = self.start_record(
            f"--cupti={CUPTI}", *options, "--", "sh", "-c",
            'echo $$ >pid; exec "$@"', "sh", APP, *words, env=recording.environment(),
        )  # fmt: skip
        self.addCleanup(process.kill)
        pid = self.folder / "pid"
        self.wait_for(lambda: pid.exists() and pid.read_text().endswith("\n"), "program")
        self.addCleanup(kill_if_there, int(pid.read_text()))
        self.wait_for(lambda: (self.folder / "deepprof.db").exists(), "file")
        self.wait_for(lambda: not self.left(), "end of the folder")
        return process, int(pid.read_text())

    def test_the_file_comes_while_the_program_runs(self):
        process, program = self.early("--duration=300ms")
        self.assertIsNone(process.poll())
        lines = [process.stderr.readline()]
        while "; next: " not in lines[-1]:
            lines.append(process.stderr.readline())
        self.assertIn("deepprof: recording has ended; sh continues\n", lines)
        # A kernel that still runs at the end has no times.
        self.assertRegex(lines[-1], "deepprof.db: .* (nothing lost|without times); next: ")
        kernels = self.one("SELECT count(*) FROM kernel")
        self.assertGreater(kernels, 0)
        self.assertEqual(self.query("SELECT exit FROM process"), [(None,)])
        # Nothing of it is left in the program, and what is sent still goes there.
        self.wait_for(lambda: not self.held(program)[1], "end of its threads")
        self.assertLess(self.held(program)[0], 2 << 20)
        self.assertIsNone(process.poll())
        process.send_signal(signal.SIGTERM)
        _, stderr = process.communicate(timeout=cli.TIMEOUT_S)
        self.assertEqual((process.returncode, stderr), (-signal.SIGTERM, ""))
        self.assertEqual(sorted(os.listdir(self.folder)), ["deepprof.db", "pid"])
        self.assertEqual(self.one("SELECT count(*) FROM kernel"), kernels)

    def test_nothing_ends_with_the_recorder(self):
        """The file is there, whatever becomes of those who have made it."""
        process, program = self.early("--iterations=50", words=["init", "loop=60000,1000"])
        process.kill()
        process.wait(timeout=cli.TIMEOUT_S)
        os.kill(program, signal.SIGKILL)
        process.communicate(timeout=cli.TIMEOUT_S)
        self.assertGreater(self.one("SELECT count(*) FROM kernel"), 600)
        self.assert_clean(cli.TIMEOUT_S)

    def test_pause(self):
        process = self.start_record(
            f"--cupti={CUPTI}", "--pause-signal=USR2", "--", APP, "init", "loop=100000,500",
            env=recording.environment(),
        )  # fmt: skip
        self.wait_for_kernel()
        for pause_s, reported in (0.2, "paused"), (1.5, "resumed"):
            time.sleep(pause_s)
            process.send_signal(signal.SIGUSR2)
            while f"recording {reported}" not in process.stderr.readline():
                self.assertIsNone(process.poll())
        time.sleep(1)
        process.send_signal(signal.SIGTERM)
        _, stderr = process.communicate(timeout=cli.TIMEOUT_S)
        self.assertEqual(process.returncode, -signal.SIGTERM, stderr)
        self.assert_pauses(1, 1)
        widest = self.one(
            "SELECT max(gap) FROM (SELECT start - lag(start) OVER (ORDER BY start) AS gap "
            "FROM kernel)"
        )
        self.assertGreater(widest, 1e9)


if __name__ == "__main__":
    cli.main()

"""Recording where the system is short of something, or changes under it; and what Python does with
processes. The collector's own half of this is tests/fake/test_trouble.c.
"""

import os
import signal
import subprocess
import sys
import unittest

import cli
import recording

APP = os.environ["DEEPPROF_FAKE_APP"]
CUPTI = os.environ["DEEPPROF_FAKE_CUPTI"]
CUDA = os.path.join(os.path.dirname(APP), "libcuda.so")
TROUBLE = os.environ["DEEPPROF_TROUBLE"]
SANITIZED = os.environ.get("DEEPPROF_SANITIZE", "none") != "none"
# Without NVTX's headers the program under test makes no ranges.
NVTX = bool(os.environ.get("DEEPPROF_FAKE_NVTX"))
RECORD = [cli.DEEPPROF, "record", *recording.GUARD, f"--cupti={CUPTI}"]


def may_mount():
    """In a namespace of our own, without being root outside."""
    try:
        return not subprocess.run(["unshare", "-rm", "true"], capture_output=True).returncode
    except OSError:
        return False


class Case(recording.Case):
    def fake(self, *words, options=(), **env):
        return self.run_record(
            f"--cupti={CUPTI}", *options, "--", APP, *words, env=recording.environment(**env)
        )

    def in_namespace(self, mounts, command):
        """Runs a command of the shell where the mounts are: [(options, folder)]."""
        script = "; ".join(f"mount -t tmpfs {how} none '{where}'" for how, where in mounts)
        return subprocess.run(
            ["unshare", "-rm", "sh", "-ec", f"{script or 'true'}; {command}"],
            cwd=self.folder,
            env=recording.environment(),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            encoding="utf-8",
            timeout=cli.TIMEOUT_S,
            check=False,
        )


@unittest.skipUnless(may_mount(), "no namespaces of our own here")
class Driver(Case):
    """Where there is one, it is for something else that nothing was recorded."""

    def with_driver(self, command):
        (self.folder / "dev").mkdir(exist_ok=True)
        result = self.in_namespace(
            [],
            "mount --rbind /dev dev; mount -t tmpfs none /dev; for n in null urandom nvidiactl; do "
            "touch /dev/$n; done; for n in null urandom; do mount --bind dev/$n /dev/$n; done; "
            f"{' '.join(RECORD)} -- {command}",
        )
        if "mount:" in result.stderr:
            self.skipTest("/dev can't be another here")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertNotIn("driver", result.stderr)
        self.assert_clean(cli.TIMEOUT_S)
        return result.stderr

    def test_environment_that_is_dropped(self):
        self.assertRegex(
            self.with_driver(f"env -i {APP} init launch=5"),
            r"\Adeepprof: nothing was recorded: no process of this user and environment used CUDA; "
            r"with [^\n]*, run deepprof record inside\n\Z",
        )

    def test_processes_that_were_left_behind(self):
        for count, words in (1, "1 process"), (2, "2 processes"):
            # they last as long as record, and the shell until they have become tail
            left = "tail --pid=$PPID -f /dev/null >/dev/null 2>&1 & "
            reported = self.with_driver(f"sh -c '{left * count}sleep 1'")
            self.assertRegex(
                reported,
                f"sh never used CUDA; use --wait to wait for {words} that it left running\n",
            )


@unittest.skipIf(SANITIZED, "an instrumented program is not the one whose clock is set")
class Clock(Case):
    def test_set_by_an_hour(self):
        """The day's time, and CUPTI's with it, in the program and in the launcher."""
        at = self.folder / "step"
        for step in 3600, -3600:
            process = self.start_record(
                "-f", "-o", "t.db", f"--cupti={CUPTI}", "--", APP, "init", "launch=1000", "nvtx=10",
                "flushed", "say", f"until={at}", "sleep=800", "launch=1000", "nvtx=10", "exit=3",
                env=recording.environment(
                    LD_PRELOAD=TROUBLE, TROUBLE_STEP=f"0,{step}", TROUBLE_STEP_AT=str(at)
                ),
            )  # fmt: skip
            # By then no kernel runs: one that does would end an hour early or late.
            self.assertEqual(process.stdout.readline(), "hello\n")
            at.touch()
            _, stderr = process.communicate(timeout=cli.TIMEOUT_S)
            at.unlink()
            self.assertEqual(process.returncode, 3, stderr)
            self.assertIn("nothing lost", stderr)
            self.assert_balanced("t.db")
            starts = [r[0] for r in self.query("SELECT start FROM kernel ORDER BY id", "t.db")]
            self.assertEqual(len(starts), 2000)
            self.assertEqual(starts, sorted(starts))
            # However slow the machine is: not an hour.
            self.assertLess(starts[-1] - starts[0], 60e9)
            self.assertGreater(starts[1000] - starts[999], 0.7e9)
            self.assertGreater(starts[0], -1e9)
            ranges = self.query("SELECT min(start), max(start) FROM nvtx", "t.db")[0]
            if NVTX:
                self.assertLess(ranges[1] - ranges[0], 60e9)
            begin, length = self.query("SELECT start, dur_ns FROM process", "t.db")[0]
            self.assertGreater(begin, -1e9)
            self.assertGreater(length, 0.7e9)
            self.assertLess(length, 60e9)
            self.assertEqual(self.query("SELECT * FROM message WHERE ts > 60e9", "t.db"), [])

    def test_duration(self):
        """A limit in time is no time of day."""
        process = self.start_record(
            "--duration=300ms", f"--cupti={CUPTI}", "--", APP, "init", "forever",
            env=recording.environment(LD_PRELOAD=TROUBLE, TROUBLE_STEP="100,-3600"),
        )  # fmt: skip
        self.wait_for(self.spools, "spool")
        program = int(self.spools()[0].name.split(".")[0])
        self.wait_for(lambda: self.is_quiet(program), "end of the recording")
        os.kill(program, signal.SIGTERM)
        _, stderr = process.communicate(timeout=cli.TIMEOUT_S)
        self.assertEqual(process.returncode, -signal.SIGTERM, stderr)

    def is_quiet(self, program):
        """Nothing more gets into the spool."""
        before = self.spools()[0].stat().st_size
        os.sched_yield()
        subprocess.run(["sleep", "0.3"], check=True)
        os.kill(program, 0)
        return before and self.spools()[0].stat().st_size == before


class Short(Case):
    def test_descriptors(self):
        for most in 16, 24, 64:
            result = subprocess.run(
                ["sh", "-c", f'ulimit -n {most}; exec "$@"', "sh", *RECORD, "-f", "-o", "t.db",
                 "--", APP, "init", "launch=1000", "exit=5"],
                cwd=self.folder, env=recording.environment(), stdin=subprocess.DEVNULL,
                capture_output=True, encoding="utf-8", timeout=cli.TIMEOUT_S, check=False,
            )  # fmt: skip
            self.assertIn(result.returncode, (1, 5), result.stderr)
            self.assertEqual(result.stdout, "")
            if (self.folder / "t.db").exists():
                self.assert_balanced("t.db")
            self.assert_clean(cli.TIMEOUT_S)
        self.assertEqual(self.one("SELECT count(*) FROM kernel", "t.db"), 1000)

    def assert_all_counted(self, made):
        """Each of these kernels, calls and devices is there, or counted as lost: how many are."""
        stored = self.one(
            "SELECT (SELECT count(*) FROM kernel) + (SELECT count(*) FROM api) + "
            "(SELECT count(*) FROM device)"
        )
        self.assertGreater(stored, 0)
        self.assertEqual(self.one("SELECT sum(completed) FROM count"), made)
        self.assertEqual(self.one("SELECT sum(lost) FROM count"), made - stored)
        self.assertEqual(self.one("SELECT sum(records) FROM loss"), made - stored)
        self.assert_balanced()
        return made - stored

    def test_file_size(self):
        """RLIMIT_FSIZE is the program's: SIGXFSZ must not be what our files bring it."""
        result = subprocess.run(
            ["sh", "-c", 'ulimit -f 512; exec "$@"', "sh", *RECORD, "--", APP, "init",
             "launch=300000", "exit=5"],
            cwd=self.folder, env=recording.environment(), stdin=subprocess.DEVNULL,
            capture_output=True, encoding="utf-8", timeout=cli.TIMEOUT_S, check=False,
        )  # fmt: skip
        self.assertEqual(result.returncode, 5, result.stderr)
        self.assertFalse((self.folder / "deepprof.db").exists())
        (left,) = self.left()
        self.assertIn(f"--recover={self.folder.resolve()}/{left}\n", result.stderr)
        result = self.run_record(f"--recover={left}")
        self.assertEqual(result.returncode, 0, result.stderr)
        lost = self.assert_all_counted(600001)
        self.assertIn(f", {lost:,} lost; next: ", result.stderr)
        self.assert_clean(cli.TIMEOUT_S)

    @unittest.skipUnless(may_mount(), "no namespaces of our own here")
    def test_read_only_folder(self):
        (self.folder / "here").mkdir()
        result = self.in_namespace(
            [("-o ro", self.folder / "here")], f"cd here; {' '.join(RECORD)} -- echo ran"
        )
        self.assertEqual((result.returncode, result.stdout), (1, ""))
        self.assertRegex(result.stderr, r"\Adeepprof: [^\n]*Read-only file system[^\n]*\n\Z")

    @unittest.skipIf(
        os.environ.get("DEEPPROF_SANITIZE") == "thread",
        "so slow a writer writes small chunks: the last one leaves no room for the counts",
    )
    @unittest.skipUnless(may_mount(), "no namespaces of our own here")
    def test_full_disk(self):
        """The spool and the file share a megabyte: the program ends as it would have, and what was
        stored waits for room. Samples fill the disk, but for the room of the loss counts."""
        (self.folder / "here").mkdir()
        result = self.in_namespace(
            [("-o size=1m", self.folder / "here")],
            f"cd here; s=0; {' '.join(RECORD)} -- {APP} init launch=300000 say exit=5 || s=$?; "
            "ls -A; mount -o remount,size=64m .; "
            f"'{cli.DEEPPROF}' record --recover=\"$(echo .deepprof*)\" 2>&1; ls -A; "
            "cp deepprof.db ..; exit $s",
        )
        self.assertEqual(result.returncode, 5, result.stderr)
        self.assertRegex(
            result.stdout,
            r"\Ahello\n[.]deepprof[.]db[.]\w{6}\n"
            r"deepprof: [\d,]+ events were lost: the temporary file could not be written\n"
            r"deepprof: [^\n]*deepprof[.]db: [^\n]* lost; next: [^\n]*\ndeepprof[.]db\n\Z",
            result.stderr,
        )
        self.assert_all_counted(600001)
        self.assertRegex(
            recording.NO_DRIVER.sub("", result.stderr),
            r"\Adeepprof: warning: the spool in [^\n]* cannot be written [^\n]*\n"
            r"deepprof: deepprof.db: No space left on device\n"
            r"deepprof: the recording \([\d.]+ [KM]iB\) is kept for later; next: deepprof record"
            r" --recover=[^\n]*\n\Z",
        )

    @unittest.skipUnless(may_mount(), "no namespaces of our own here")
    def test_shared_memory(self):
        """As containers have it: 64 MB, and next to none."""
        for size in "64m", "1m":
            result = self.in_namespace(
                [(f"-o size={size}", "/dev/shm")],
                f"{' '.join(RECORD)} -f -o t.db -- {APP} init threads=4,20000 exit=5 && exit 9; "
                "s=$?; ls -A /dev/shm; exit $s",
            )
            self.assertEqual((result.returncode, result.stdout), (5, ""), result.stderr)
            self.assertEqual(self.one("SELECT count(*) FROM kernel", "t.db"), 80000)
            self.assert_balanced("t.db")
        self.assert_clean()


class Processes(Case):
    def test_deadly_signals(self):
        for word, number in ("term", signal.SIGTERM), ("segv", signal.SIGSEGV):
            # By then the first 2,000 have been read from the GPU, and of the others no one knows.
            result = self.fake(
                "init",
                "launch=2000",
                "flushed",
                "launch=1000",
                word,
                options=["-f", "-o", "t.db"],
            )
            self.assertEqual(result.returncode, -number, result.stderr)
            self.assertEqual(result.stdout, "")
            timed = self.one("SELECT count(*) FROM kernel", "t.db")
            untimed = self.one("SELECT count(*) FROM untimed WHERE kind = 10", "t.db")
            self.assertGreaterEqual(timed, 2000)
            self.assertEqual(timed + untimed, 3000)
            if untimed:
                self.assertIn(
                    f"{untimed:,} operations have no times: a process ended", result.stderr
                )
                self.assertIn(f", {untimed:,} without times; next: ", result.stderr)
            self.assertEqual(self.one("SELECT exit FROM process", "t.db"), 128 + number)
            self.assert_balanced("t.db")
            self.assert_clean()

    def test_forks(self):
        result = self.fake("init", "launch=100", "fork=100", "spawn=10", "launch=100", "exit=2")
        self.assertEqual(result.returncode, 2, result.stderr)
        self.assertEqual(self.one("SELECT count(*) FROM kernel"), 200)
        self.assertEqual(self.one("SELECT count(*) FROM process"), 1)
        self.assert_clean()

    def test_daemon(self):
        """The program ends at once, and its child continues: --wait waits for it."""
        words = "daemon init launch=2500 nvtx=10 sleep=1500 launch=2500"
        result = self.run_record(
            "--wait", f"--cupti={CUPTI}", "--", "sh", "-c", f"{APP} {words}; sleep 0.7",
            env=recording.environment(),
        )  # fmt: skip
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertEqual(self.one("SELECT count(*) FROM kernel"), 5000)
        self.assert_clean(cli.TIMEOUT_S)

    @unittest.skipIf(SANITIZED, "Python can't load an instrumented library")
    def test_python(self):
        """multiprocessing's three ways, whose children leave by _exit(): each that used CUDA is in
        the file, whole, and those that did not are not."""
        program = self.folder / "program.py"
        program.write_text(
            "import ctypes, multiprocessing, os, sys\nclass Fake(ctypes.Structure):\n    _fields_ ="
            " [('launch', ctypes.CFUNCTYPE(None, ctypes.c_char_p, ctypes.c_uint32,\n               "
            "  ctypes.c_uint32, ctypes.c_int))]\nNAME ="
            " ctypes.create_string_buffer(b'_Z4workv')\ndef work(count):\n    if count:\n       "
            " ctypes.CDLL(sys.argv[1]).cuInit(0)\n        fake ="
            " Fake.in_dll(ctypes.CDLL(os.environ['DEEPPROF_CUPTI']),\n                          "
            " 'fake_interface')\n        for i in range(count):\n           "
            " fake.launch(ctypes.cast(NAME, ctypes.c_char_p), i + 1, 7, 0)\nif __name__ =="
            " '__main__':\n    multiprocessing.set_start_method(sys.argv[2])\n    several ="
            " [multiprocessing.Process(target=work, args=(c,)) for c in (100, 0, 50)]\n   "
            " [p.start() for p in several]\n    [p.join() for p in several]\n   "
            " print(several[0].pid, several[2].pid)\n    sys.exit(max(p.exitcode for p in"
            " several))\n"
        )
        for method in "fork", "spawn", "forkserver":
            result = self.run_record(
                "-f", "-o", "t.db", f"--cupti={CUPTI}", "--", sys.executable, program, CUDA, method,
                env=recording.environment(),
            )  # fmt: skip
            self.assertEqual(result.returncode, 0, result.stderr)
            self.assertIn("nothing lost", result.stderr)
            first, second = map(int, result.stdout.split())
            self.assertEqual(
                self.query(
                    "SELECT pid, count(*) FROM kernel JOIN process p ON p.id = process "
                    "GROUP BY pid ORDER BY count(*) DESC", "t.db"
                ),
                [(first, 100), (second, 50)],
            )  # fmt: skip
            self.assertEqual(self.one("SELECT count(*) FROM process", "t.db"), 2, method)
            self.assertEqual(
                self.one("SELECT count(*) FROM string WHERE value = 'work()'", "t.db"), 1
            )
            self.assert_balanced("t.db")
            self.assert_clean(cli.TIMEOUT_S)


if __name__ == "__main__":
    cli.main()

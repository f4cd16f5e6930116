"""The program under deepprof record: it must behave as if it were alone."""

import os
import pathlib
import signal
import subprocess
import sys
import time
import unittest

import cli
import recording

SAYS_NOTHING = r"\Adeepprof: nothing was recorded: [^\n]+\n\Z"


class Program(recording.Case):
    def test_without_gpu(self):
        (self.folder / "a file").write_text("x")
        result = self.run_record("--", "ls")
        self.assertEqual(result.returncode, 0)
        self.assertEqual(result.stdout, "a file\n")
        self.assertRegex(result.stderr, SAYS_NOTHING)
        if not pathlib.Path("/dev/nvidiactl").exists():
            self.assertIn("NVIDIA driver", result.stderr)
            # And that is reported before the hours that it may take.
            process = self.start_record("sleep", "60")
            self.assertRegex(process.stderr.readline(), recording.NO_DRIVER)
            process.terminate()
            process.communicate(timeout=cli.TIMEOUT_S)
        self.assert_clean()
        self.assertEqual(os.listdir(self.folder), ["a file"])

    def test_nothing_recorded_moves_nothing(self):
        """What was there is no less worth for it; that it is not of this run is reported."""
        kept = {
            "deepprof.db": "the last",
            "deepprof.db.old": "the one before",
            "run.db": "precious",
        }
        for name, text in kept.items():
            (self.folder / name).write_text(text)
        for name, options in ("deepprof.db", []), ("run.db", ["-f", "-o", "run.db"]):
            result = self.run_record(*options, "true")
            self.assertEqual(result.returncode, 0)
            self.assertRegex(
                result.stderr,
                rf"\Adeepprof: nothing was recorded: .*\n"
                rf"deepprof: {name} is from an earlier run\n\Z",
            )
            result = self.run_record("-q", *options, "true")
            self.assertEqual((result.returncode, result.stderr), (0, ""))
        self.assertEqual({p.name: p.read_text() for p in self.folder.iterdir()}, kept)

    def test_the_last_one_is_gone(self):
        self.produce()
        os.rename(self.folder / "deepprof.db", self.folder / "deepprof.db.old")
        result = cli.run("analyze", cwd=self.folder)
        self.assertEqual(result.returncode, 1)
        self.assertIn("the one before it is deepprof.db.old", result.stderr)

    def test_quiet(self):
        result = self.run_record("-q", "true")
        self.assertEqual((result.returncode, result.stderr), (0, ""))

    def test_exit_statuses(self):
        for status in 0, 1, 2, 3, 42, 127, 255:
            result = self.run_record("sh", "-c", f"exit {status}")
            self.assertEqual(result.returncode, status)
            result = self.produce(f"end=exit:{status}")
            self.assertEqual(result.returncode, status)
        self.assert_clean()

    def test_not_found(self):
        for name in "no-such-command", "./no/such", "/no/such":
            result = self.run_record(name)
            self.assertEqual(result.returncode, 127)
            self.assertEqual(result.stderr, f"deepprof: {name}: command not found\n")
        (self.folder / "text").write_text("x")
        result = self.run_record("./text")
        self.assertEqual(result.returncode, 126)
        self.assertIn("Permission denied", result.stderr)
        self.assert_clean()

    def test_no_interpreter(self):
        """The file is there: that command not found would be wrong."""
        (self.folder / "no-shell").write_text("#!/no/such/shell\n")
        (self.folder / "no-shell").chmod(0o755)
        env = recording.environment(PATH=f"{self.folder}:{os.environ['PATH']}")
        for name in "./no-shell", "no-shell":
            result = self.run_record(name, env=env)
            self.assertEqual(result.returncode, 127)
            self.assertEqual(result.stderr, f"deepprof: {name}: its interpreter does not exist\n")
        self.assert_clean()

    def test_values(self):
        """Hours and terabytes, parts of them, and what would be of no use."""
        (self.folder / "libcupti.so.12").write_text("")
        for option, reported in (
            ("--max-memory=1.5g", "max-memory=1610612736"),
            ("--max-memory=5M", "max-memory=5242880"),
            ("--max-spool=2T", "max-spool=2199023255552"),
            ("--max-spool=16384", "max-spool=16384"),
        ):
            result = self.run_record(option, "env")
            self.assertRegex(result.stdout, f"DEEPPROF_OPTIONS=.*,{reported}\n")
        for option in (
            "--duration=10m",
            "--delay=0.25h",
            "--delay=1.5min",
            "--duration=1.000000001s",
        ):
            result = self.run_record(option, "true")
            self.assertEqual(result.returncode, 0, result.stderr)
        for option, why in (
            ("--max-memory=5", "expected at least 5M"),
            ("--max-spool=1", "expected at least 16K"),
            ("--max-memory=1.5.5G", "expected a number of bytes"),
            ("--max-memory=1GB", "expected a number of bytes"),
            ("--max-memory=.5G", "expected a number of bytes"),
            ("--max-spool=9000000T", "too large"),
            ("--max-spool=8388608T", "too large"),
            ("--duration=1.5.5s", "expected a number and a unit: ns, us, ms, s, m or h"),
            ("--duration=10", "expected a number and a unit"),
            ("--duration=10M", "expected a number and a unit"),
            ("--duration=2562048h", "too large"),
            ("--duration=99999999999999999999s", "too large"),
            ("--duration=0.0000000001s", "expected a time above 0"),
        ):
            result = self.run_record(option, "echo", "ran")
            self.assertEqual((result.returncode, result.stdout), (2, ""), option)
            self.assertIn(why, result.stderr)

    def test_no_command(self):
        for args in [], ["--"], ["-q"]:
            result = self.run_record(*args)
            self.assertEqual(result.returncode, 2)
            self.assertIn("expected a command", result.stderr)

    def test_options_end_at_the_command(self):
        for args in ["sh", "-c", "echo $0", "-q"], ["--", "sh", "-c", "echo $0", "-q"]:
            result = self.run_record(*args)
            self.assertEqual((result.returncode, result.stdout), (0, "-q\n"))
        result = self.run_record("--", "echo", "--", "-f")
        self.assertEqual(result.stdout, "-- -f\n")

    @unittest.skipIf(recording.SANITIZED, "needs the exit guard in a program of the system")
    def test_output_is_the_programs(self):
        script = "printf 'a\\0b\\377'; printf 'c\\n' >&2"
        result = subprocess.run(
            [cli.DEEPPROF, "record", "-q", "sh", "-c", script],
            cwd=self.folder,
            env=recording.environment(),
            capture_output=True,
            check=False,
        )
        self.assertEqual((result.stdout, result.stderr), (b"a\0b\xff", b"c\n"))

    def test_input_is_the_programs(self):
        result = self.run_record("cat", stdin=None, input="through\n")
        self.assertEqual(result.stdout, "through\n")

    def test_fatal_signals(self):
        for number in signal.SIGTERM, signal.SIGINT, signal.SIGKILL, signal.SIGSEGV, signal.SIGABRT:
            result = self.run_record("sh", "-c", f"kill -{int(number)} $$")
            self.assertEqual(result.returncode, -number)
            if recording.SANITIZED and number == signal.SIGSEGV:
                continue  # the sanitizer's own
            result = self.produce(f"end=signal:{int(number)}")
            self.assertEqual(result.returncode, -number)
            self.assertIn("nothing lost", result.stderr)
            self.assertEqual(self.one("SELECT count(*) FROM kernel"), 120)
            self.assertEqual(self.one("SELECT exit FROM process"), 128 + number)
            self.assert_balanced()
            self.assert_clean()

    def test_one_core_file(self):
        result = self.run_record("sh", "-c", "ulimit -c; kill -ABRT $$")
        self.assertEqual(result.returncode, -signal.SIGABRT)
        self.assertFalse(list(self.folder.glob("core*")))

    def test_signals_are_sent_on(self):
        program = (
            "import os, signal, sys, time\n"
            "def note(number, frame):\n"
            # print() may be what the signal came into, and can't be entered twice.
            "    os.write(1, f'{number}\\n'.encode())\n"
            "    if number == signal.SIGTERM: sys.exit(5)\n"
            "for number in (1, 2, 3, 10, 12, 14, 15, 40):\n"
            "    signal.signal(number, note)\n"
            "os.write(1, b'ready\\n')\n"
            "while True: time.sleep(0.01)\n"
        )
        process = self.start_record("--", sys.executable, "-c", program)
        self.assertEqual(process.stdout.readline(), "ready\n")
        for number in 1, 2, 3, 10, 12, 14, 40, 15:
            process.send_signal(number)
            self.assertEqual(process.stdout.readline(), f"{number}\n")
        process.communicate(timeout=cli.TIMEOUT_S)
        self.assertEqual(process.returncode, 5)
        self.assert_clean()

    @unittest.skipIf(recording.SANITIZED, "needs the exit guard in a program of the system")
    def test_mask_and_dispositions(self):
        """What the program finds is what it would find without us."""
        show = (
            "grep -E '^(Sig|Shd)(Blk|Ign|Cgt|Pnd)' /proc/self/status; ls -l /proc/self/fd | wc -l"
        )
        for before in "", "trap '' HUP PIPE CHLD;":
            alone = subprocess.run(
                ["sh", "-c", f'{before} exec sh -c "{show}"'],
                cwd=self.folder,
                capture_output=True,
                encoding="utf-8",
                check=True,
                stdin=subprocess.DEVNULL,
            )
            command = f"{before} exec '{cli.DEEPPROF}' record -q sh -c \"{show}\""
            under = subprocess.run(
                ["sh", "-c", command],
                cwd=self.folder,
                capture_output=True,
                encoding="utf-8",
                check=True,
                env=recording.environment(),
                stdin=subprocess.DEVNULL,
            )
            self.assertEqual(under.stdout, alone.stdout)

    @unittest.skipIf(recording.SANITIZED, "needs the exit guard in a program of the system")
    def test_ignored_signals(self):
        """Without a shell in between, which has its own way with some of them."""
        look = ["grep", "-E", "^Sig(Blk|Ign|Cgt)", "/proc/self/status"]

        def ignore():
            cli.default_signals()
            for number in signal.SIGCHLD, signal.SIGUSR1:
                signal.signal(number, signal.SIG_IGN)

        alone = subprocess.run(look, preexec_fn=ignore, capture_output=True, encoding="utf-8")
        ignored = int(alone.stdout.split("SigIgn:")[1].split()[0], 16)
        self.assertEqual(ignored >> (signal.SIGCHLD - 1) & 1, 1)
        self.assertEqual(ignored >> (signal.SIGUSR1 - 1) & 1, 1)
        result = self.run_record("-q", *look, preexec_fn=ignore)
        self.assertEqual(result.stdout, alone.stdout)

    @unittest.skipIf(recording.SANITIZED, "needs the exit guard in a program of the system")
    def test_closed_descriptors(self):
        (self.folder / "show").write_text(
            "test -e /proc/$$/fd/0; a=$?; test -e /proc/$$/fd/1; b=$?; echo $a $b >fds"
        )
        subprocess.run(
            ["sh", "-c", f"exec '{cli.DEEPPROF}' record -q sh -c '. ./show' <&- >&-"],
            cwd=self.folder,
            check=True,
            env=recording.environment(),
        )
        self.assertEqual((self.folder / "fds").read_text(), "1 1\n")

    @unittest.skipIf(recording.SANITIZED, "needs the exit guard in a program of the system")
    def test_environment(self):
        result = self.run_record("env", env=recording.environment(LD_PRELOAD="/other.so"))
        found = dict(line.split("=", 1) for line in result.stdout.splitlines() if "=" in line)
        self.assertTrue(found["CUDA_INJECTION64_PATH"].endswith("/libdeepprof-cupti.so"))
        self.assertTrue(found["NVTX_INJECTION64_PATH"].endswith("/libdeepprof-cupti.so"))
        self.assertRegex(found["LD_PRELOAD"], r"^/[^:]*/libdeepprof-exit\.so:/other\.so$")
        self.assertTrue(found["DEEPPROF_SPOOL"].startswith(str(self.folder.resolve())))

    def test_switches(self):
        args = ["--api=off", "--nvtx=off", "--memory=off", "--cuda-graph=node"]
        args += ["--capture=profiler", "--max-memory=64M", "--max-spool=2G", "--exit-guard=off"]
        (self.folder / "libcupti.so.12").write_text("")
        args += ["--delay=3600s", "-n", "5", f"--cupti={self.folder}"]
        result = self.run_record(*args, "env")
        # With -n, records are read while CUPTI still holds their buffer.
        self.assertIn(
            "DEEPPROF_OPTIONS=api=0,nvtx=0,memory=0,cmdline=1,graph=node,start=pause,"
            "capture=profiler,flush-ms=250,read-held=1,"
            "first=1,max-memory=67108864,max-spool=2147483648\n",
            result.stdout,
        )
        self.assertIn(f"DEEPPROF_CUPTI={self.folder}\n", result.stdout)
        self.assertNotIn("LD_PRELOAD", result.stdout)
        self.assertNotIn("NVTX_INJECTION64_PATH", result.stdout)

    def test_cupti_that_is_not_there(self):
        """Reported before the program is run, not after an hour of it."""
        for path, words in (
            ("/no/such", "--cupti=/no/such: No such file"),
            (self.folder, "the folder has no libcupti.so"),
            ("", "--cupti=: expected a file name"),
        ):
            result = self.run_record(f"--cupti={path}", "echo", "ran")
            self.assertEqual((result.returncode, result.stdout), (2, ""), result.stderr)
            self.assertIn(words, result.stderr)
        result = self.run_record("--cupti=libcupti.so.12", "echo", "ran")
        self.assertEqual((result.returncode, result.stdout), (0, "ran\n"), result.stderr)

    def test_relative_cupti(self):
        """The program may change its folder before it starts CUDA."""
        (self.folder / "cupti").mkdir()
        library = self.folder.resolve() / "cupti" / "libcupti.so.12"
        library.touch()
        for path, found in (
            ("cupti/libcupti.so.12", library),
            ("cupti", library.parent),
            ("libcupti.so.12", "libcupti.so.12"),
        ):
            result = self.run_record(f"--cupti={path}", "env")
            self.assertIn(f"DEEPPROF_CUPTI={found}\n", result.stdout)

    def test_kineto_daemon(self):
        """PyTorch then takes CUPTI on import; what is suggested avoids it."""
        words = "put env -u KINETO_USE_DAEMON in front of sh\n"
        for value, warns in ("1", True), ("0", False), ("", False):
            env = recording.environment(KINETO_USE_DAEMON=value)
            result = self.run_record("sh", "-c", "exit 0", env=env)
            self.assertEqual(words in result.stderr, warns, result.stderr)
        result = self.run_record(
            "env", "-u", "KINETO_USE_DAEMON", "sh", "-c", "echo ${KINETO_USE_DAEMON-unset}",
            env=recording.environment(KINETO_USE_DAEMON="1"),
        )  # fmt: skip
        self.assertEqual(result.stdout, "unset\n")

    def test_taken_slot(self):
        env = recording.environment(CUDA_INJECTION64_PATH="/opt/other/libtool.so")
        result = self.run_record("echo", "ran", env=env)
        self.assertEqual((result.returncode, result.stdout), (1, ""))
        self.assertIn("/opt/other/libtool.so", result.stderr)
        self.assertIn("--chain", result.stderr)
        result = self.run_record("--chain", "env", env=env)
        self.assertEqual(result.returncode, 0)
        self.assertIn(",chain=/opt/other/libtool.so\n", result.stdout)

    def test_taken_nvtx_slot(self):
        env = recording.environment(NVTX_INJECTION64_PATH="/opt/libnvtx.so")
        result = self.run_record("env", env=env)
        self.assertIn("NVTX_INJECTION64_PATH=/opt/libnvtx.so\n", result.stdout)
        self.assertIn("warning: NVTX will not be recorded", result.stderr)

    def test_no_collector(self):
        env = recording.environment(DEEPPROF_COLLECTOR=str(self.folder))
        result = self.run_record("echo", "ran", env=env)
        self.assertEqual((result.returncode, result.stdout), (1, ""))
        self.assertIn("libdeepprof-cupti.so", result.stderr)
        self.assert_clean()

    def test_nested(self):
        inner = [cli.DEEPPROF, "record", "-o", "inner.db", "--", recording.PRODUCER]
        result = self.run_record("--", *inner)
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertEqual(self.one("SELECT count(*) FROM kernel", "inner.db"), 120)
        self.assertEqual(result.stderr.count("another deepprof record runs this one"), 1)
        self.assertIn("nothing was recorded here; the deepprof record that", result.stderr)
        self.assertNotIn("no NVIDIA driver", result.stderr)
        self.assert_clean()

    def test_nested_of_the_same_name(self):
        """What the inner one recorded is no earlier run's."""
        inner = [cli.DEEPPROF, "record", "--", recording.PRODUCER]
        for before in False, True:
            if before:
                (self.folder / "deepprof.db").write_text("the last")
            result = self.run_record("--", *inner)
            self.assertEqual(result.returncode, 0, result.stderr)
            self.assertIn("nothing was recorded", result.stderr)
            self.assertNotIn("earlier run", result.stderr)
            self.assertEqual(self.one("SELECT count(*) FROM kernel"), 120)
            self.assertEqual((self.folder / "deepprof.db.old").exists(), before)
            self.assert_clean()


class Clock(recording.Case):
    def test_duration(self):
        """Recording ends, the program does not."""
        # It would not end by itself.
        result = self.produce("follow=1", options=["--duration=200ms"])
        self.assertEqual(result.returncode, 0, result.stderr)
        first, last = self.query("SELECT min(start), max(start) FROM kernel")[0]
        self.assertGreater(last, first)
        # However busy the machine is.
        self.assertLess(last - first, 30e9)

    def test_delay(self):
        result = self.produce("follow=1", options=["--delay=300ms", "--duration=100ms"])
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertGreater(self.one("SELECT min(start) FROM kernel"), 250e6)

    def test_pause_signal(self):
        process = self.start_record("--pause-signal=USR1", "--", recording.PRODUCER, "follow=1")
        stored = lambda: sum(p.stat().st_size for p in self.spools())
        self.wait_for(lambda: stored() > 200, "chunk")
        process.send_signal(signal.SIGUSR1)
        while process.stderr.readline() != "deepprof: recording paused\n":
            self.assertIsNone(process.poll())
        before = None
        while before != stored():
            before = stored()
            time.sleep(0.5)
        process.send_signal(signal.SIGUSR1)
        self.assertEqual(process.stderr.readline(), "deepprof: recording resumed\n")
        self.wait_for(lambda: stored() > before, "chunk")
        process.send_signal(signal.SIGTERM)
        process.communicate(timeout=cli.TIMEOUT_S)
        self.assertEqual(process.returncode, -signal.SIGTERM)
        starts = [row[0] for row in self.query("SELECT start FROM kernel ORDER BY start")]
        widest = max(b - a for a, b in zip(starts, starts[1:]))
        self.assertGreater(widest, 400e6)
        self.assertGreater(starts[-1] - starts[0], widest)

    def test_left_behind(self):
        """Two seconds for what stays behind, and all the time with --wait."""
        result = self.produce("end=stay:600000")
        self.assertEqual(result.returncode, 0)
        self.assertIn("a process that the program left behind still runs, ", result.stderr)
        self.assertEqual(self.one("SELECT count(*) FROM kernel"), 120)
        for pid in self.pids():
            os.kill(pid, signal.SIGKILL)
        self.assert_clean(cli.TIMEOUT_S)
        began = time.monotonic()
        result = self.produce("end=stay:3000", options=["--wait", "-f", "-o", "w.db"])
        self.assertGreater(time.monotonic() - began, 2.9)
        self.assertNotIn("left behind", result.stderr)
        self.assertEqual(self.one("SELECT count(*) FROM kernel", "w.db"), 120)

    def test_daemons(self):
        """Those that begin after the command has ended: unrecorded, or waited for."""
        daemon = (
            f"setsid sh -c 'touch up; until [ -e go ]; do sleep 0.1; done; exec {recording.PRODUCER}' "
            ">/dev/null 2>&1 & until [ -e up ]; do sleep 0.05; done;"
        )
        result = self.run_record("sh", "-c", daemon)
        self.assertEqual(result.returncode, 0)
        self.assertIn("nothing was recorded", result.stderr)
        if recording.DRIVER:
            # the shell, and at times its sleep
            self.assertRegex(result.stderr, "use --wait to wait for [12] process(es)? that it left")
        (self.folder / "go").touch()
        self.assert_clean(cli.TIMEOUT_S)
        (self.folder / "go").unlink()
        daemon += " (sleep 1; touch go) & exit 3"
        result = self.run_record("--wait", "sh", "-c", daemon)
        self.assertEqual(result.returncode, 3, result.stderr)
        self.assertEqual(self.one("SELECT count(*) FROM kernel"), 120)
        self.assert_clean()

    def test_orphans_are_reaped(self):
        """With --wait they are our children: they must not pile up while the program runs."""
        script = (
            "for i in 1 2 3 4 5 6 7 8; do (sleep 0.1 &); done; touch made; "
            "until [ -e go ]; do sleep 0.1; done"
        )
        process = self.start_record("--wait", "sh", "-c", script)
        self.wait_for(lambda: (self.folder / "made").exists(), "orphans")
        children = pathlib.Path(f"/proc/{process.pid}/task/{process.pid}/children")
        # The program, and the process that would finish for the launcher.
        self.wait_for(lambda: len(children.read_text().split()) == 2, "end of the orphans")
        (self.folder / "go").touch()
        _, stderr = process.communicate(timeout=cli.TIMEOUT_S)
        self.assertEqual(process.returncode, 0, stderr)

    def test_daemon_that_stays(self):
        """An interrupt ends the waiting for one that never will."""
        script = (
            f"sleep 600 >/dev/null 2>&1 & echo $! >pid; '{recording.PRODUCER}'; echo $? >status"
        )
        process = self.start_record("--wait", "sh", "-c", script)
        self.wait_for(lambda: (self.folder / "status").exists(), "end of the program")
        time.sleep(1)
        self.assertIsNone(process.poll())
        process.send_signal(signal.SIGINT)
        _, stderr = process.communicate(timeout=cli.TIMEOUT_S)
        self.assertEqual(process.returncode, 0, stderr)
        self.assertEqual(self.one("SELECT count(*) FROM kernel"), 120)
        daemon = int((self.folder / "pid").read_text())
        os.kill(daemon, signal.SIGKILL)
        self.assert_clean(cli.TIMEOUT_S)


if __name__ == "__main__":
    cli.main()

"""Deaths: of the program, of its processes, of the launcher. Nothing lost, nothing left."""

import os
import pathlib
import resource
import shutil
import signal
import struct
import time
import unittest

import cli
import recording


class OfTheProgram(recording.Case):
    def test_salvage(self):
        result = self.produce("end=signal:9", "left=50")
        self.assertEqual(result.returncode, -signal.SIGKILL)
        self.assertEqual(self.one("SELECT count(*) FROM nvtx WHERE type = 34"), 50)
        self.assertEqual(self.one("SELECT count(*) FROM kernel"), 120)
        self.assertIn(
            "50 events were recovered from processes that were killed, ended abruptly or called "
            "exec()\n",
            result.stderr,
        )
        self.assert_clean()

    def test_salvage_without_connection(self):
        result = self.produce("end=signal:9", "left=50", "connect=0")
        # No process has connected: until it ends it looks like a program without CUDA.
        self.assertEqual(result.returncode, -signal.SIGKILL)
        self.assertEqual(self.one("SELECT count(*) FROM nvtx WHERE type = 34"), 50)
        self.assert_clean()

    def test_killed_at_any_point(self):
        for i in range(6):
            process = self.start_record("-f", "-o", "t.db", "--", recording.PRODUCER, "follow=1")
            self.wait_for(self.spools, "spool")
            time.sleep(0.004 * i)
            program = int(self.spools()[0].name.split(".")[0])
            os.kill(program, signal.SIGKILL)
            _, stderr = process.communicate(timeout=cli.TIMEOUT_S)
            self.assertEqual(process.returncode, -signal.SIGKILL, stderr)
            self.assert_clean()
            if (self.folder / "t.db").exists():
                self.assert_balanced("t.db")

    def test_one_of_many(self):
        result = self.run_record(
            "sh",
            "-c",
            f"'{recording.PRODUCER}' end=signal:9 left=5 & '{recording.PRODUCER}' & wait",
        )
        self.assertEqual(result.returncode, 0)
        self.assertEqual(self.one("SELECT count(*) FROM process"), 2)
        self.assertEqual(self.one("SELECT count(*) FROM kernel"), 240)
        self.assertEqual(self.one("SELECT count(*) FROM nvtx WHERE type = 34"), 5)
        self.assert_clean()

    def test_many_processes(self):
        result = self.produce("processes=64")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.wait_for(lambda: not self.processes(), "end of all")
        self.assertEqual(self.one("SELECT count(DISTINCT pid) FROM process"), 64)
        self.assertEqual(self.one("SELECT count(*) FROM kernel"), 64 * 120)
        self.assert_clean()

    def test_more_processes_than_descriptors(self):
        """One after the other, and at once up to the hard limit; the program has its own."""
        script = (
            f"i=0; while [ $i -lt 60 ]; do '{recording.PRODUCER}' iterations=1; i=$((i+1)); done"
        )
        limit = lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (32, 256))
        result = self.run_record("sh", "-c", script + "; ulimit -Sn", preexec_fn=limit)
        self.assertEqual((result.returncode, result.stdout), (0, "32\n"), result.stderr)
        self.assertEqual(self.one("SELECT count(*) FROM process"), 60)
        self.assert_balanced()
        result = self.run_record("--", recording.PRODUCER, "processes=60", preexec_fn=limit)
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertEqual(self.one("SELECT count(*) FROM kernel"), 60 * 120)
        self.assert_clean()


class OfTheLauncher(recording.Case):
    """Another process finishes what it began."""

    def janitors(self, process):
        """The launcher's children that are not the program."""
        path = pathlib.Path(f"/proc/{process.pid}/task/{process.pid}/children")
        return [
            int(pid)
            for pid in path.read_text().split()
            if b"record" in pathlib.Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")
        ]

    def runs(self, pid):
        try:
            return bool(pathlib.Path(f"/proc/{pid}/cmdline").read_bytes())
        except OSError:
            return False

    def start(self, *words, options=(), **kwargs):
        process = self.start_record(*options, "--", recording.PRODUCER, *words, **kwargs)
        # Its header is shorter: something was stored.
        self.wait_for(lambda: any(p.stat().st_size > 200 for p in self.spools()), "chunk")
        return process, int(self.spools()[0].name.split(".")[0])

    def end(self, process, program):
        """The program continues, since the launcher must not end it; the test does."""
        os.kill(program, 0)
        os.kill(program, signal.SIGKILL)
        process.stdout.close()
        process.stderr.close()

    def test_killed(self):
        process, program = self.start("follow=1", "pace=5000000", "left=0")
        time.sleep(0.2)
        process.kill()
        process.wait(timeout=cli.TIMEOUT_S)
        self.wait_for(lambda: not self.left(), "end of the folder")
        self.end(process, program)
        self.assert_clean(cli.TIMEOUT_S)
        self.assertEqual(os.listdir(self.folder), ["deepprof.db"])
        self.assertGreater(self.one("SELECT count(*) FROM kernel"), 0)
        self.assertEqual(self.query("SELECT exit FROM process"), [(None,)])
        self.assertEqual(
            self.one("SELECT value FROM meta WHERE key = 'command'"),
            f"{recording.PRODUCER} follow=1 pace=5000000 left=0",
        )

    def test_killed_before_the_program_records(self):
        process = self.start_record("--", "sleep", "60")
        self.wait_for(self.left, "folder")
        children = pathlib.Path(f"/proc/{process.pid}/task/{process.pid}/children")
        self.wait_for(lambda: len(children.read_text().split()) == 2, "program")
        program = int(children.read_text().split()[-1])
        process.kill()
        process.wait(timeout=cli.TIMEOUT_S)
        self.wait_for(lambda: not self.left(), "end of the folder")
        self.end(process, program)
        self.assertEqual(os.listdir(self.folder), [])

    def test_killed_at_once(self):
        """Before there is a program, or a folder: nothing is left of that, either."""
        for i in range(12):
            process = self.start_record("--", "sleep", "0.1", start_new_session=True)
            time.sleep(i * 0.0017)
            process.kill()
            process.communicate(timeout=cli.TIMEOUT_S)
            self.assert_clean(cli.TIMEOUT_S)
        self.assertEqual(os.listdir(self.folder), [])

    def test_killed_with_its_group(self):
        """Program and all: what was in shared memory is salvaged."""
        process, _ = self.start("follow=1", start_new_session=True)
        time.sleep(0.1)
        os.killpg(process.pid, signal.SIGKILL)
        # No process holds the pipes, so they end.
        process.communicate(timeout=cli.TIMEOUT_S)
        self.assert_clean(cli.TIMEOUT_S)
        self.assertEqual(os.listdir(self.folder), ["deepprof.db"])
        self.assertGreater(self.one("SELECT count(*) FROM kernel"), 0)

    def finish_killed(self, process, program):
        """The launcher is killed; the program ends by itself. Kernels that the file has."""
        process.kill()
        process.communicate(timeout=cli.TIMEOUT_S)
        # The program has not been killed.
        self.wait_for(lambda: not pathlib.Path(f"/proc/{program}").exists(), "program's end")
        self.assert_clean(cli.TIMEOUT_S)
        self.assertEqual(os.listdir(self.folder), ["t.db"])
        self.assert_balanced("t.db")
        kernels = self.one("SELECT count(*) FROM kernel", "t.db")
        (self.folder / "t.db").unlink()
        return kernels

    def test_killed_anywhere(self):
        """Recovery while the program runs: what was recorded. The program ends without a recorder."""
        for i in range(int(os.environ.get("DEEPPROF_KILLS", "4"))):
            process, program = self.start("follow=1", "pace=100", options=["-f", "-o", "t.db"])
            self.wait_for(lambda: any(p.stat().st_size > 9999 for p in self.spools()), "chunk")
            time.sleep(i * 0.061 % 0.3)
            self.assertGreater(self.finish_killed(process, program), 0)

    def test_killed_anywhere_after_the_program(self):
        """At any moment of what comes after it: there is all."""
        for i in range(int(os.environ.get("DEEPPROF_KILLS", "3"))):
            process, program = self.start("iterations=5000", options=["-f", "-o", "t.db"])
            # Until then it is a zombie, or waited for.
            self.wait_for(lambda: not self.runs(program), "end")
            time.sleep(i * 0.031 % 0.2)
            self.assertEqual(self.finish_killed(process, program), 30000)

    def converting(self, *words, **kwargs):
        """Stopped while it writes its file, after the program has ended; with its progress."""
        iterations = 10000
        while True:
            process = self.start_record(
                "-f", "-o", "deepprof.db", "--", recording.PRODUCER, f"iterations={iterations}",
                *words, **kwargs,
            )  # fmt: skip
            self.wait_for(
                lambda: list(self.folder.glob(".*/trace.db")) or process.poll() is not None,
                "trace",
            )
            process.send_signal(signal.SIGSTOP)
            if process.poll() is None and list(self.folder.glob(".*/trace.db")):
                return process, iterations
            # It was faster than this, which may have had no processor.
            process.send_signal(signal.SIGCONT)
            process.communicate(timeout=cli.TIMEOUT_S)
            iterations *= 2
            self.assertLess(iterations, 2000000)

    def go_on(self, process, number):
        """It gets the signal and may go on."""
        process.send_signal(number)
        process.send_signal(signal.SIGCONT)

    def test_asked_to_end_while_it_converts(self):
        process, iterations = self.converting()
        self.go_on(process, signal.SIGTERM)
        process.communicate(timeout=cli.TIMEOUT_S)
        self.assertEqual(process.returncode, -signal.SIGTERM)
        self.assert_clean(cli.TIMEOUT_S)
        self.assertEqual(self.one("SELECT count(*) FROM kernel"), 6 * iterations)

    def test_interrupted_while_it_converts(self):
        """The file is written, and a message shows how not to wait for it."""
        process, iterations = self.converting()
        self.go_on(process, signal.SIGINT)
        _, stderr = process.communicate(timeout=cli.TIMEOUT_S)
        self.assertEqual(process.returncode, 0)
        self.assertIn("deepprof: writing deepprof.db; interrupt again to do that later\n", stderr)
        self.assert_clean(cli.TIMEOUT_S)
        self.assertEqual(self.one("SELECT count(*) FROM kernel"), 6 * iterations)

    def interrupted_twice(self):
        """One that was, while it wrote its file, its janitor, and how much there was."""
        while True:
            process, iterations = self.converting("left=50", "end=signal:9")
            (janitor,) = self.janitors(process)
            self.go_on(process, signal.SIGINT)
            while "interrupt again" not in process.stderr.readline():
                self.assertIsNone(process.poll())
            process.send_signal(signal.SIGSTOP)
            if list(self.folder.glob(".*/trace.db")):
                self.go_on(process, signal.SIGINT)
                return process, janitor, iterations
            # It was faster than this.
            process.send_signal(signal.SIGCONT)
            process.communicate(timeout=cli.TIMEOUT_S)

    def test_interrupted_again(self):
        """Nothing is lost to impatience, what only a dead process's memory has included."""
        process, janitor, iterations = self.interrupted_twice()
        _, stderr = process.communicate(timeout=cli.TIMEOUT_S)
        self.assertEqual(process.returncode, -signal.SIGINT)
        self.wait_for(lambda: not self.runs(janitor), "end of all")
        (left,) = self.left()
        self.assertRegex(
            stderr, rf"is kept for later; next: deepprof record --recover=.*/{left}\n\Z"
        )
        result = self.run_record(f"--recover={self.folder / left}")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertEqual(self.one("SELECT count(*) FROM kernel"), 6 * iterations)
        self.assertEqual(self.one("SELECT count(*) FROM nvtx WHERE type = 34"), 50)
        self.assert_clean()

    def test_interrupts_that_are_ignored(self):
        """As in the background of a script."""
        ignoring = lambda: signal.signal(signal.SIGINT, signal.SIG_IGN)
        process, iterations = self.converting(preexec_fn=ignoring)
        for _ in range(3):
            self.go_on(process, signal.SIGINT)
        _, stderr = process.communicate(timeout=cli.TIMEOUT_S)
        self.assertEqual(process.returncode, 0)
        self.assertNotIn("interrupt", stderr)
        self.assertEqual(self.one("SELECT count(*) FROM kernel"), 6 * iterations)

    def leave(self, *words, cwd=None):
        """All are killed, as by a machine that goes down: the folder that stays."""
        where = cwd or self.folder
        before = set(where.glob(".*"))
        new = lambda what: [p for f in set(where.glob(".*")) - before for p in f.glob(what)]
        process = self.start_record(
            "--", recording.PRODUCER, *words, start_new_session=True, cwd=where
        )
        self.wait_for(lambda: any(p.stat().st_size > 200 for p in new("*.spool")), "chunk")
        program = int(new("*.spool")[0].name.split(".")[0])
        time.sleep(0.3)
        (janitor,) = self.janitors(process)
        for pid in janitor, process.pid, program:
            os.kill(pid, signal.SIGKILL)
        process.communicate(timeout=cli.TIMEOUT_S)
        self.wait_for(lambda: not self.processes(), "end of all")
        (left,) = set(where.glob(".*")) - before
        return left

    def test_recover(self):
        """The next recording reports it; a file that came meanwhile is not moved."""
        names = "deepprof.db", "deepprof.db.2"
        folders = [self.leave("follow=1"), self.leave("follow=1", "pace=100")]
        reported = cli.run("analyze", cwd=self.folder)
        self.assertEqual(reported.returncode, 1)
        for left in folders:
            self.assertIn(
                f"not finished; next: deepprof record --recover={left.name}\n", reported.stderr
            )
        for left, name in zip(folders, names):
            before = sorted(os.listdir(left))
            # Nothing happens to it by itself.
            result = self.run_record("true")
            self.assertIn(f"next: deepprof record --recover={left}\n", result.stderr)
            self.assertEqual(sorted(os.listdir(left)), before)
            result = self.run_record(f"--recover={left}")
            self.assertEqual(result.returncode, 0, result.stderr)
            path = self.folder / name
            self.assertRegex(
                result.stderr, rf"{name}: [\d,]+ events .*; next: deepprof analyze {path}\n"
            )
            self.assertGreater(self.one("SELECT count(*) FROM kernel", name), 0)
            self.assert_balanced(name)
            self.assertFalse(left.exists())
        self.assertNotIn("was not finished", self.run_record("true").stderr)
        self.assert_clean()
        self.assertEqual(sorted(os.listdir(self.folder)), list(names))

    def test_recover_from_an_older_build(self):
        """Its intervals off the processor were stored in another way: they are left out."""
        left = self.leave("follow=1")
        samples = left / "host"
        pid = int(next(left.glob("*.spool")).name.split(".")[0])
        now = time.monotonic_ns()
        old = struct.pack("=qIIII", now, pid, 4242, 2, 24) + struct.pack("=qqII", now, now + 1, 0, 0)
        kept = samples.read_bytes()
        self.assertGreater(len(kept), 24)
        samples.write_bytes(old + kept)
        result = self.run_record(f"--recover={left}")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertEqual(self.one("SELECT count(*) FROM off_cpu WHERE tid = 4242"), 0)
        self.assertGreater(self.one("SELECT count(*) FROM host_sample"), 0)

    def test_recover_as_the_run_would_have_ended(self):
        """What was there when it began is renamed."""
        (self.folder / "deepprof.db").write_text("the last")
        result = self.run_record(f"--recover={self.leave('follow=1')}")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertGreater(self.one("SELECT count(*) FROM kernel"), 0)
        self.assertEqual((self.folder / "deepprof.db.old").read_text(), "the last")

    def test_recover_elsewhere(self):
        """Where there is room; and -o is as careful there as in a run."""
        left = self.leave("follow=1")
        other = self.folder / "other"
        other.mkdir()
        (other / "t.db").write_text("precious")
        result = self.run_record(f"--recover={left}", "-o", other / "t.db")
        self.assertEqual(result.returncode, 1)
        self.assertIn("t.db: already exists; -f overwrites it", result.stderr)
        self.assertEqual((other / "t.db").read_text(), "precious")
        result = self.run_record(f"--recover={left}", "-o", other / "no" / "t.db")
        self.assertEqual(result.returncode, 1)
        self.assertTrue(left.exists())
        result = self.run_record(f"--recover={left}", "-f", "-o", other / "t.db")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertGreater(self.one("SELECT count(*) FROM kernel", "other/t.db"), 0)
        self.assertEqual(os.listdir(self.folder), ["other"])
        self.assertEqual(os.listdir(other), ["t.db"])

    def test_recover_takes_no_options_of_a_run(self):
        left = self.leave("follow=1")
        for option in "-n4", "--delay=3s", "--api=off", "--wait", "--max-memory=64M":
            result = self.run_record(f"--recover={left}", option)
            self.assertEqual(result.returncode, 2, option)
            self.assertIn("--recover takes only -o, -f, --mode, -v and -q", result.stderr)
        self.assertTrue(left.exists())
        result = self.run_record(f"--recover={left}", "-q")
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        self.assertGreater(self.one("SELECT count(*) FROM kernel"), 0)

    def test_recover_where_it_was_moved_to(self):
        """The folder around it has another name now."""
        (self.folder / "a").mkdir()
        left = self.leave("follow=1", cwd=self.folder / "a")
        (self.folder / "a").rename(self.folder / "b")
        result = self.run_record(f"--recover={self.folder / 'b' / left.name}")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertEqual(os.listdir(self.folder / "b"), ["deepprof.db"])
        self.assertGreater(self.one("SELECT count(*) FROM kernel", "b/deepprof.db"), 0)

    def test_moved_meanwhile(self):
        """So it is while it is recorded: the file is where it would have been."""
        (self.folder / "a").mkdir()
        process = self.start_record("--", recording.PRODUCER, "follow=1", cwd=self.folder / "a")
        stored = lambda: [p.stat().st_size for p in self.folder.glob("a/.*/*.spool")]
        self.wait_for(lambda: any(size > 200 for size in stored()), "chunk")
        (self.folder / "a").rename(self.folder / "b")
        process.send_signal(signal.SIGTERM)
        _, stderr = process.communicate(timeout=cli.TIMEOUT_S)
        # The current folder is the one that was moved.
        self.assertIn("next: deepprof analyze\n", stderr)
        self.assertEqual(os.listdir(self.folder / "b"), ["deepprof.db"])
        self.assertEqual(self.processes(cli.TIMEOUT_S), [])

    def test_moved_meanwhile_from_elsewhere(self):
        """A path that led there does not any more: the new one is reported."""
        (self.folder / "a").mkdir()
        process = self.start_record("-o", "a/t.db", "--", recording.PRODUCER, "follow=1")
        stored = lambda: [p.stat().st_size for p in self.folder.glob("a/.*/*.spool")]
        self.wait_for(lambda: any(size > 200 for size in stored()), "chunk")
        (self.folder / "a").rename(self.folder / "b")
        process.send_signal(signal.SIGTERM)
        _, stderr = process.communicate(timeout=cli.TIMEOUT_S)
        self.assertIn(f"next: deepprof analyze {self.folder.resolve()}/b/t.db\n", stderr)
        self.assertEqual(os.listdir(self.folder / "b"), ["t.db"])
        self.assertEqual(self.processes(cli.TIMEOUT_S), [])

    def test_removed_meanwhile(self):
        process, _ = self.start("follow=1")
        (folder,) = self.left()
        while self.left():
            shutil.rmtree(self.folder / folder, ignore_errors=True)
        process.send_signal(signal.SIGTERM)
        _, stderr = process.communicate(timeout=cli.TIMEOUT_S)
        self.assertEqual(process.returncode, -signal.SIGTERM)
        self.assertEqual(
            recording.NO_DRIVER.sub("", stderr),
            f"deepprof: the recording is lost: {self.folder}/{folder} was removed in the"
            " meantime\n",
        )
        self.assertEqual(os.listdir(self.folder), [])
        self.assertEqual(self.processes(cli.TIMEOUT_S), [])

    def test_recover_nothing(self):
        """What is no recording's, or still is one's, is not touched."""
        (self.folder / "other").mkdir()
        (self.folder / "other" / "file").write_text("x")
        for name, why in (
            ("other", "no recording was started there"),
            ("no-such", "No such file or directory"),
            ("other/file", "Not a directory"),
        ):
            result = self.run_record(f"--recover={name}")
            self.assertEqual(result.returncode, 1)
            self.assertIn(why, result.stderr)
        self.assertEqual((self.folder / "other" / "file").read_text(), "x")
        result = self.run_record("--recover=other", "true")
        self.assertEqual(result.returncode, 2)
        process, program = self.start("follow=1")
        result = self.run_record(f"--recover={self.folder / self.left()[0]}")
        self.assertEqual(result.returncode, 1)
        self.assertIn("a recording is in progress there", result.stderr)
        self.assertNotIn("was not finished", self.run_record("true").stderr)
        self.assertIn("a recording is in progress here", cli.run("analyze", cwd=self.folder).stderr)
        os.kill(program, signal.SIGTERM)
        process.communicate(timeout=cli.TIMEOUT_S)
        self.assertGreater(self.one("SELECT count(*) FROM kernel"), 0)

    def test_interrupted_by_the_terminal(self):
        """Ctrl-C: the whole group gets it, and what was recorded is kept."""
        process, _ = self.start("follow=1", start_new_session=True)
        os.killpg(process.pid, signal.SIGINT)
        _, stderr = process.communicate(timeout=cli.TIMEOUT_S)
        self.assertEqual(process.returncode, -signal.SIGINT, stderr)
        self.assertGreater(self.one("SELECT count(*) FROM kernel"), 0)
        self.assert_clean()


if __name__ == "__main__":
    cli.main()

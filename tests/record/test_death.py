"""Deaths: of the program, of its processes, of the launcher. Nothing lost, nothing left."""
import os
import signal
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
        self.assertIn("50 events were salvaged", result.stderr)
        self.assert_balanced()
        self.assert_clean()

    def test_salvage_without_connection(self):
        result = self.produce("end=signal:9", "left=50", "connect=0")
        # Nobody had said hello: it can't be told from a program without CUDA until it is over.
        self.assertEqual(result.returncode, -signal.SIGKILL)
        self.assertEqual(self.one("SELECT count(*) FROM nvtx WHERE type = 34"), 50)
        self.assert_balanced()
        self.assert_clean()

    def test_killed_at_any_point(self):
        for i in range(12):
            process = self.start_record("-f", "-o", "t.db", "--", recording.PRODUCER, "follow=1")
            self.wait_for(self.spools, "spool")
            time.sleep(0.002 * i)
            program = int(self.spools()[0].name.split(".")[0])
            os.kill(program, signal.SIGKILL)
            _, stderr = process.communicate(timeout=20)
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
        self.assert_balanced()
        self.assert_clean()

    def test_many_processes(self):
        result = self.produce("processes=64")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.wait_for(lambda: not self.processes(), "end of all")
        self.assertEqual(self.one("SELECT count(DISTINCT pid) FROM process"), 64)
        self.assertEqual(self.one("SELECT count(*) FROM kernel"), 64 * 120)
        self.assert_balanced()
        self.assert_clean()


class OfTheLauncher(recording.Case):
    def test_killed(self):
        process = self.start_record("--", recording.PRODUCER, "follow=1")
        self.wait_for(self.spools, "spool")
        program = int(self.spools()[0].name.split(".")[0])
        process.kill()
        process.wait(timeout=20)
        self.wait_for(lambda: not self.left(), "end of the folder")
        # The program goes on: it is not ours to end.
        os.kill(program, 0)
        os.kill(program, signal.SIGKILL)
        process.stdout.close()
        process.stderr.close()
        self.assert_clean(10)
        self.assertEqual(os.listdir(self.folder), [])

    def test_killed_with_its_group(self):
        process = self.start_record(
            "--", recording.PRODUCER, "follow=1", start_new_session=True
        )
        self.wait_for(self.spools, "spool")
        os.killpg(process.pid, signal.SIGKILL)
        # Nobody holds the pipes: they end.
        process.communicate(timeout=20)
        self.assert_clean(10)
        self.assertEqual(os.listdir(self.folder), [])

    def test_killed_while_it_converts(self):
        process = self.start_record("--", recording.PRODUCER, "iterations=200000")
        self.wait_for(lambda: list(self.folder.glob(".*/trace.db")), "trace", 60)
        process.send_signal(signal.SIGTERM)
        process.communicate(timeout=20)
        self.assertEqual(process.returncode, -signal.SIGTERM)
        self.assert_clean(10)
        self.assertEqual(os.listdir(self.folder), [])

    def test_interrupted_by_the_terminal(self):
        """Ctrl-C: the whole group gets it, and what was recorded is kept."""
        process = self.start_record(
            "--", recording.PRODUCER, "follow=1", start_new_session=True
        )
        self.wait_for(self.spools, "spool")
        time.sleep(0.1)
        os.killpg(process.pid, signal.SIGINT)
        _, stderr = process.communicate(timeout=20)
        self.assertEqual(process.returncode, -signal.SIGINT, stderr)
        self.assertGreater(self.one("SELECT count(*) FROM kernel"), 0)
        self.assert_balanced()
        self.assert_clean()


if __name__ == "__main__":
    cli.main()

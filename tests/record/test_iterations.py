"""--iterations: the loop is found while the program runs, and the recording stops in time."""

import json
import os
import re
import unittest

import cli
import recording

APP = os.environ["DEEPPROF_FAKE_APP"]
CUPTI = os.environ["DEEPPROF_FAKE_CUPTI"]


class Case(recording.Case):
    def reported(self, result):
        found = re.search(r"deepprof\.db: \S+ events in [^,]+, (\d+) iterations, ", result.stderr)
        self.assertIsNotNone(found, result.stderr)
        return int(found.group(1))

    def loops(self):
        report = json.loads(cli.run("analyze", "--format=json", cwd=self.folder).stdout)
        complete = lambda loop: sum(not i.get("partial") for i in loop["iterations"])
        return [(complete(loop), loop["pattern"]["length"]) for loop in report["loops"]]

    def record(self, n, *command):
        return self.run_record(
            f"--iterations={n}", f"--cupti={CUPTI}", "--", *command, env=recording.environment()
        )


class Pretended(Case):
    def test_enough(self):
        result = self.produce("follow=1", options=["-n", "100"])
        self.assertEqual(result.returncode, 0, result.stderr)
        reported = self.reported(result)
        self.assertGreaterEqual(reported, 100)
        self.assertLessEqual(reported, 120)
        (found, length), *others = self.loops()
        self.assertEqual((length, others), (6, []))
        self.assertEqual(found, reported)
        self.assert_clean()

    def test_too_few(self):
        result = self.produce("iterations=20", "pace=1000", options=["-n", "100"])
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn("the program ended before 100 iterations\n", result.stderr)
        self.assertEqual(self.reported(result), 20)
        self.assertEqual(self.one("SELECT count(*) FROM memcpy"), 20)

    def test_too_short_to_be_sure(self):
        """It was certain only when the program had ended: what came after 100 is left out."""
        result = self.produce("iterations=200", "pace=1000", options=["-n", "100"])
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertNotIn("ended before", result.stderr)
        self.assertGreaterEqual(self.reported(result), 100)
        self.assertLessEqual(self.reported(result), 103)
        self.assertLessEqual(self.one("SELECT count(*) FROM nvtx"), 104)

    def test_bad_numbers(self):
        for number in "0", "-1", "x", "":
            result = self.run_record(f"--iterations={number}", "echo", "ran")
            self.assertEqual((result.returncode, result.stdout), (2, ""))

    def test_each_process(self):
        """Two with a loop stop by themselves, and with them one that has none."""
        result = self.run_record(
            "-n", "50", "--", "sh", "-c",
            f"'{recording.PRODUCER}' follow=1 & '{recording.PRODUCER}' follow=1 pace=2500 & "
            f"'{recording.PRODUCER}' follow=1 pace=1000000 & wait",
        )  # fmt: skip
        self.assertEqual(result.returncode, 0, result.stderr)
        counts = [row[0] for row in self.query("SELECT count(*) FROM memcpy GROUP BY process")]
        self.assertEqual(len(counts), 3)
        self.assertGreaterEqual(sorted(counts)[1], 50)
        self.assertLess(sorted(counts)[0], 50)


class Whole(Case):
    def test_program_goes_on(self):
        """Kernels of two threads are in order, and the program is not stopped."""
        result = self.record(200, APP, "init", "loop=6000,1000", "say", "exit=4")
        self.assertEqual((result.returncode, result.stdout), (4, "hello\n"), result.stderr)
        reported = self.reported(result)
        self.assertGreaterEqual(reported, 200)
        self.assertLessEqual(reported, 230)
        (found, length), *others = self.loops()
        self.assertEqual((length, others), (12, []))
        self.assertEqual(found, reported)
        self.assert_clean()

    def test_always_busy(self):
        """CUPTI withholds the buffer of a loop whose kernels are always under way."""
        for n, words in (20, "busy=100000,100"), (10, "busy=100000,800"):
            process = self.start_record(
                f"--iterations={n}", f"--cupti={CUPTI}", "-f", "-o", "deepprof.db", "--", APP,
                "init", words, env=recording.environment(),
            )  # fmt: skip
            self.wait_for(lambda: (self.folder / "deepprof.db").exists(), "end")
            process.terminate()
            _, stderr = process.communicate(timeout=cli.TIMEOUT_S)
            (found, length), *others = self.loops()
            self.assertEqual((length, others), (10, []))
            self.assertGreaterEqual(found, n, stderr)
            self.assertLessEqual(found, 1.1 * n + 10, stderr)
            self.assert_balanced()
            (self.folder / "deepprof.db").unlink()

    def test_no_loop(self):
        result = self.record(5, APP, "init", "launch=3")
        self.assertEqual(result.returncode, 0)
        self.assertIn("the program ended before 5 iterations\n", result.stderr)


if __name__ == "__main__":
    cli.main()

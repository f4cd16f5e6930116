"""host_sample and host_load: what the threads of programs did that are known to do it."""
import os
import pathlib
import subprocess
import unittest

import cli
import recording

APP = os.environ["DEEPPROF_FAKE_APP"]
CUPTI = os.environ["DEEPPROF_FAKE_CUPTI"]


class Case(recording.Case):
    def fake(self, *words, options=()):
        result = self.run_record(
            f"--cupti={CUPTI}", "--sample-gpu=off", *options, "--", APP, *words,
            env=recording.environment(),
        )  # fmt: skip
        self.assertEqual(result.returncode, 0, result.stderr)

    def main_thread(self):
        """What it did between its first sample and its last: columns by name."""
        names = "ts", "run_ns", "wait_ns", "voluntary", "involuntary", "major_faults"
        sums = ", ".join(f"max({name}) - min({name})" for name in names)
        row = self.query(
            f"SELECT {sums}, count(*) FROM host_sample s JOIN process p ON p.id = s.process "
            "WHERE s.tid = p.pid"
        )[0]
        return dict(zip((*names, "count"), row))

    def test_spins(self):
        """It runs, or waits for a processor, all the time."""
        self.fake("init", "launch=1", "spin=1500")
        did = self.main_thread()
        self.assertGreater(did["count"], 5)
        self.assertGreater(did["ts"], 0.5e9)
        self.assertGreater(did["run_ns"] + did["wait_ns"], 0.8 * did["ts"])
        self.assertLess(did["run_ns"] + did["wait_ns"], 1.2 * did["ts"] + 0.2e9)

    def test_sleeps(self):
        """Nothing is written of threads that do nothing."""
        self.fake("init", "launch=1", "idle=100", "sleep=1500")
        did = self.main_thread()
        self.assertLess(did["run_ns"], 0.5e9)
        self.assertLess(self.one("SELECT count(*) FROM host_sample"), 400)

    def test_shares_a_processor(self):
        """Beside one that takes what it gets, it waits for about as long as it runs."""
        processor = str(min(os.sched_getaffinity(0)))
        hogs = [
            subprocess.Popen(["taskset", "-c", processor, "sh", "-c", "while :; do :; done"])
            for _ in range(2)
        ]
        try:
            self.fake("bind", "init", "launch=1", "spin=2000")
        finally:
            for hog in hogs:
                hog.kill()
                hog.wait()
        did = self.main_thread()
        self.assertGreater(did["wait_ns"], 0.3 * did["run_ns"])
        self.assertGreater(did["involuntary"], 0)

    def test_load(self):
        """Sums that do not fall, as far as the machine has them."""
        self.fake("init", "launch=1", "spin=1500")
        rows = self.query(
            "SELECT throttled_ns, cpu_stall_ns, memory_stall_ns, io_stall_ns, write_bytes "
            "FROM host_load ORDER BY ts"
        )
        self.assertGreater(len(rows), 0)
        for column in zip(*rows):
            known = [value for value in column if value is not None]
            self.assertEqual(known, sorted(known))
        if pathlib.Path("/proc/pressure/cpu").exists():
            self.assertIsNotNone(rows[0][1])

    def test_off(self):
        self.fake("init", "launch=1", "spin=300", options=["--sample-host=off"])
        self.assertEqual(self.one("SELECT count(*) FROM host_sample"), 0)
        self.assertEqual(self.one("SELECT count(*) FROM host_load"), 0)

    def test_bad_times(self):
        for time in "1ms", "2h", "often", "":
            result = self.run_record(f"--sample-host={time}", "echo", "ran")
            self.assertEqual((result.returncode, result.stdout), (2, ""), time)

    def test_killed_launcher(self):
        """What was sampled is there, as the rest."""
        process = self.start_record(
            f"--cupti={CUPTI}", "-o", "deepprof.db", "--", APP, "init", "launch=10", "spin=60000",
            env=recording.environment(),
        )  # fmt: skip
        self.wait_for(
            lambda: any(p.stat().st_size > 2000 for p in self.folder.glob(".*/host")), "samples"
        )
        program = int(self.spools()[0].name.split(".")[0])
        process.kill()
        process.wait(timeout=20)
        self.wait_for(lambda: not self.left(), "end of the folder", 60)
        os.kill(program, 9)
        process.stdout.close()
        process.stderr.close()
        self.assertGreater(self.one("SELECT count(*) FROM host_sample"), 3)


if __name__ == "__main__":
    cli.main()

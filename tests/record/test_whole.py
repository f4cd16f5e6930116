"""All of it but the GPU: the collector in a program that has a fake CUPTI, recorded and analyzed."""
import json
import os
import signal
import struct
import time
import unittest

import cli
import recording

APP = os.environ["DEEPPROF_FAKE_APP"]
CUPTI = os.environ["DEEPPROF_FAKE_CUPTI"]
KERNEL, RUNTIME, NVTX = 10, 5, 112
TRUTH_BYTES = 130 * 8
VERSIONS = ["11.8", "12.0", "12.3", "12.4", "12.8", "13.0", "13.1", "13.4"]
TABLES = {1: "memcpy", 2: "memset", 17: "graph_launch", 22: "memcpy", 38: "sync", 39: "ext_corr"}
TABLES.update({KERNEL: "kernel", RUNTIME: "api", 49: "mem_op", 50: "mem_pool", 51: "overhead"})
TABLES[52] = "jit"


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
        """What is in the file: rows by kind; API calls are all runtime calls."""
        found = {}
        for table in set(TABLES.values()):
            kinds = [kind for kind, other in TABLES.items() if other == table]
            found[tuple(kinds)] = self.one(f"SELECT count(*) FROM {table}", name)
        return found

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
            self.assert_nothing_missing("t.db")
            self.assertEqual(
                self.one("SELECT count(*) FROM kernel WHERE dur_ns = 2000 AND regs = 32", "t.db"),
                500,
            )

    def test_analysis(self):
        self.fake("init", "launch=1000")
        report = json.loads(cli.run("analyze", "--format=json", cwd=self.folder).stdout)
        self.assertEqual(report["trace"]["kernels"], 1000)
        self.assertEqual(report["trace"]["lost"], 0)
        self.assertEqual(report["loops"][0]["pattern"]["length"] % 5, 0)

    def test_unknown_kinds(self):
        """Completed is stored and lost, whatever newer versions have."""
        result = self.fake("init", "launch=10", "odd")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assert_balanced()


class Trouble(Case):
    def test_no_cupti(self):
        result = self.fake(
            "init", "launch=5", "say", options=["--cupti=/no/such", "--sample-gpu=off"]
        )
        self.assertEqual(result.returncode, 0)
        self.assertIn("no libcupti found: looked at /no/such", result.stderr)
        self.assertIn("nothing was recorded: CUPTI could not be used", result.stderr)
        self.assert_clean()

    def test_taken(self):
        result = self.fake(
            "init", "launch=10", "nvtx=3", "exit=6",
            FAKE_CUPTI_VERSION="13.0", FAKE_CUPTI_HOLDER="other-tool",
            FAKE_CUPTI_FAIL="cuptiSubscribe_v2=39,cuptiSubscribe=39",
        )  # fmt: skip
        self.assertEqual(result.returncode, 6)
        self.assertIn("other-tool", result.stderr)
        self.assertIn("no GPU operation was recorded", result.stderr)
        self.assertEqual(self.one("SELECT count(*) FROM kernel"), 0)

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
            self.assertIn("nothing lost", result.stderr)
            self.assert_nothing_missing("t.db")
            self.assert_clean()

    def test_killed_anywhere(self):
        """DEEPPROF_KILLS=100 for the long form."""
        for i in range(int(os.environ.get("DEEPPROF_KILLS", "6"))):
            (self.folder / "truth").write_bytes(bytes(TRUTH_BYTES))
            env = recording.environment(FAKE_CUPTI_TRUTH=self.folder / "truth")
            process = self.start_record(
                "-f", "-o", "t.db", f"--cupti={CUPTI}", "--", APP, "init", "forever", env=env
            )
            self.wait_for(self.spools, "spool")
            time.sleep((2 + i * 37.117 % 500) / 1000)
            os.kill(int(self.spools()[0].name.split(".")[0]), signal.SIGKILL)
            _, stderr = process.communicate(timeout=60)
            self.assertEqual(process.returncode, -signal.SIGKILL, stderr)
            if (self.folder / "t.db").exists():
                # One record may have been made whose making was not noted yet.
                self.assert_nothing_missing("t.db", spare=1)
                (self.folder / "t.db").unlink()
            self.assert_clean()

    def test_forks_and_images(self):
        result = self.fake("nvtx=5", "forkinit=6")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertEqual(self.one("SELECT count(*) FROM kernel"), 600)
        self.assert_balanced()
        result = self.fake("init", "launch=100", "exec", "init", "launch=50")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertEqual(self.one("SELECT count(*) FROM kernel"), 150)
        self.assertEqual(
            self.one("SELECT count(DISTINCT pid) FROM process WHERE id IN (SELECT process "
                     "FROM kernel)"), 1
        )  # fmt: skip
        self.assert_balanced()

    def test_ranks(self):
        """64 of them, each a process of its own, in one file."""
        script = f"i=0; while [ $i -lt 64 ]; do RANK=$i '{APP}' init launch=100 & i=$((i+1)); done; wait"
        result = self.run_record(
            f"--cupti={CUPTI}", "--max-memory=8M", "--", "sh", "-c", script,
            env=recording.environment(),
        )  # fmt: skip
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertEqual(
            self.query("SELECT count(*), min(rank), max(rank) FROM process"), [(64, 0, 63)]
        )
        self.assertEqual(self.one("SELECT count(*) FROM kernel"), 6400)
        self.assert_balanced()
        self.assert_clean()


class Clock(Case):
    def test_pause(self):
        process = self.start_record(
            f"--cupti={CUPTI}", "--pause-signal=USR2", "--", APP, "init", "forever",
            env=recording.environment(),
        )  # fmt: skip
        self.wait_for(self.spools, "spool")
        time.sleep(0.2)
        process.send_signal(signal.SIGUSR2)
        time.sleep(0.5)
        process.send_signal(signal.SIGUSR2)
        time.sleep(0.2)
        process.send_signal(signal.SIGTERM)
        _, stderr = process.communicate(timeout=60)
        self.assertEqual(process.returncode, -signal.SIGTERM, stderr)
        self.assert_balanced()
        widest = self.one(
            "SELECT max(gap) FROM (SELECT start - lag(start) OVER (ORDER BY start) AS gap "
            "FROM kernel)"
        )
        self.assertGreater(widest, 200e6)


if __name__ == "__main__":
    cli.main()

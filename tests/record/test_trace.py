"""What is in the trace file."""
import json
import re
import unittest

import cli
import recording

UUID = "GPU-00010203-0405-0607-0809-0a0b0c0d0e0f"


class Trace(recording.Case):
    def test_rows(self):
        result = self.produce("iterations=30", env=recording.environment(RANK="2"))
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertEqual(self.one("SELECT count(*) FROM kernel"), 180)
        self.assertEqual(self.one("SELECT count(*) FROM memcpy WHERE bytes = 4096"), 30)
        self.assertEqual(self.one("SELECT count(*) FROM api"), 210)
        self.assertEqual(
            self.query(
                "SELECT s.value, s.mangled, count(*) FROM kernel JOIN string AS s "
                "ON s.id = kernel.name GROUP BY 1 ORDER BY 1"
            ),
            [
                ("adam", None, 30),
                ("gemm(float*, float*, int)", "_Z4gemmPfS_i", 60),
                ("grad(float*, int)", "_Z4gradPfi", 30),
                ("relu(float*, int)", "_Z4reluPfi", 30),
                ("softmax(float*, int)", "_Z7softmaxPfi", 30),
            ],
        )
        self.assertEqual(
            self.query("SELECT DISTINCT dur_ns, complete, grid_x, cluster_x, graph FROM kernel"),
            [(4000, 1, 8, None, None)],
        )
        # Every operation has its call, and started after it.
        self.assertEqual(
            self.one(
                "SELECT count(*) FROM kernel JOIN api USING (process, corr, epoch) "
                "WHERE kernel.start >= api.start"
            ),
            180,
        )
        self.assertEqual(
            self.query("SELECT cmdline, rank, driver, cupti_version, exit FROM process"),
            [("producer and its arguments", 2, "12.4", 26, 0)],
        )
        self.assertEqual(self.query("SELECT uuid, name, sms FROM device"), [(UUID, "Fake GPU", 132)])
        self.assertEqual(self.query("SELECT reason FROM loss"), [])
        self.assert_balanced()
        total = self.one("SELECT sum(stored) FROM count WHERE kind IN (1, 5, 10)")
        self.assertEqual(total, 30 + 210 + 180)

    def test_ranges(self):
        self.produce("iterations=10", "pace=300")
        rows = self.query(
            "SELECT type, depth, value, nvtx.dur_ns > 0 FROM nvtx JOIN string ON string.id = name"
        )
        self.assertEqual(rows, [(59, 0, "step", 1)] * 10)
        # Both clocks are one: a step's kernels are launched inside of it.
        self.assertEqual(
            self.one(
                "SELECT count(*) FROM nvtx AS n JOIN memcpy AS m "
                "ON m.start - 4000 BETWEEN n.start - 1000 AND n.start + n.dur_ns + 1000"
            ),
            10,
        )

    def test_clock_is_set(self):
        """CUPTI's clock jumps an hour ahead, or back, in the midst of it."""
        for step in 3600 * 10**9, -3600 * 10**9:
            result = self.produce("iterations=100", "pace=2000", f"step={step}",
                                  options=["-f", "-o", "t.db"])
            self.assertEqual(result.returncode, 0)
            first, last = self.query("SELECT min(start), max(start) FROM kernel", "t.db")[0]
            self.assertGreater(first, 0)
            self.assertLess(last, 20e9)
            self.assertGreater(last - first, 0.15e9)

    def test_views(self):
        self.produce("iterations=10")
        self.assertEqual(self.one("SELECT count(*) FROM CUPTI_ACTIVITY_KIND_KERNEL"), 60)
        self.assertEqual(self.one("SELECT count(*) FROM CUPTI_ACTIVITY_KIND_RUNTIME"), 70)
        self.assertEqual(self.one("SELECT count(*) FROM NVTX_EVENTS"), 10)
        self.assertEqual(self.one("PRAGMA page_size"), 16384)
        self.assertEqual(self.one("PRAGMA application_id"), 0x44507472)

    def test_analysis(self):
        self.produce("iterations=40", "pace=500")
        report = json.loads(
            cli.run("analyze", "--ignore-marks", "--format=json", cwd=self.folder).stdout
        )
        self.assertEqual(report["trace"]["kernels"], 240)
        self.assertEqual(report["trace"]["lost"], 0)
        self.assertEqual(len(report["loops"][0]["iterations"]), 40)

    def test_loss(self):
        result = self.produce("lost=17")
        self.assertEqual(result.returncode, 0)
        self.assertIn("17 lost", result.stderr)
        self.assertEqual(self.query("SELECT reason, records FROM loss"), [("pool-full", 17)])
        self.assertEqual(
            self.query("SELECT completed, stored, lost FROM count WHERE kind = 10"),
            [(137, 120, 17)],
        )
        self.assertEqual(
            json.loads(cli.run("analyze", "--format=json", cwd=self.folder).stdout)["trace"]["lost"],
            17,
        )

    def test_counts_that_do_not_add_up(self):
        result = self.produce("unbalanced=1")
        self.assertEqual(result.returncode, 1)
        self.assertIn("do not add up", result.stderr)
        result = self.produce("unbalanced=1", "end=exit:4")
        self.assertEqual(result.returncode, 4)

    def test_messages(self):
        result = self.produce("message=CUPTI is taken\x1b[2J", "processes=3")
        self.assertEqual(result.stderr.count("deepprof: warning: CUPTI is taken?[2J\n"), 1)

    def test_closing_line(self):
        result = self.produce("iterations=10")
        self.assertRegex(
            result.stderr,
            r"\Adeepprof: deepprof\.db: 150 events in [\d.]+ m?s, [\d.]+ KiB, nothing lost; "
            r"next: deepprof analyze\n\Z",
        )


class Samples(recording.Case):
    def test_samples(self):
        env = recording.with_nvml(FAKE_NVML_GPU0=UUID, FAKE_NVML_SHUTDOWN=self.folder / "down")
        result = self.produce("iterations=100", "pace=3000", options=["--sample-gpu=10ms"], env=env)
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertTrue((self.folder / "down").exists())
        rows = self.query("SELECT * FROM gpu_sample ORDER BY ts")
        # The program's GPU only, from its begin to its end.
        self.assertEqual({row[0] for row in rows}, {UUID})
        self.assertGreater(len(rows), 10)
        self.assertLess(len(rows), 200)
        for _, ts, power, energy, sm, mem, used, sm_clk, mem_clk, temp, throttle in rows:
            self.assertGreater(ts, 0)
            self.assertGreaterEqual(power, 100000)
            self.assertGreater(energy, 5 * 10**9)
            self.assertEqual((sm, mem, used), (90, 40, 10 << 30))
            self.assertEqual((sm_clk, mem_clk, temp, throttle), (1980, 2619, 61, 4))
        first, last = self.query("SELECT min(start), max(start) FROM kernel")[0]
        self.assertLess(rows[0][1], last)
        self.assertGreater(rows[-1][1], first)

    def test_unknown_gpus(self):
        """Where none is the program's by its UUID, all are kept."""
        self.produce(env=recording.with_nvml())
        self.assertEqual(self.one("SELECT count(DISTINCT device_uuid) FROM gpu_sample"), 2)

    def test_unsupported(self):
        self.produce(env=recording.with_nvml(FAKE_NVML_FAIL="Power"))
        self.assertEqual(
            self.query("SELECT DISTINCT power_mW, temp_C FROM gpu_sample"), [(None, 61)]
        )

    def test_off_or_broken(self):
        for options, env in (
            (["--sample-gpu=off"], recording.with_nvml()),
            ([], recording.with_nvml(FAKE_NVML_FAIL="Init")),
            ([], recording.with_nvml(FAKE_NVML_FAIL="Count")),
        ):
            result = self.produce(options=["-f", "-o", "t.db", *options], env=env)
            self.assertEqual(result.returncode, 0, result.stderr)
            self.assertEqual(self.one("SELECT count(*) FROM gpu_sample", "t.db"), 0)


if __name__ == "__main__":
    cli.main()

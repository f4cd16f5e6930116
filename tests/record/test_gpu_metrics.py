"""Activity of the GPUs' units by hardware counters, as the fake CUPTI has them."""

import json
import os
import signal

import cli
import recording

APP = os.environ["DEEPPROF_FAKE_APP"]
CUPTI = os.environ["DEEPPROF_FAKE_CUPTI"]
# Longer than the sampler takes to start, even on a busy machine: it runs until then.
WORDS = "init", "busy=20,2000", "until=go"
KNOWN = {
    "sm_ppm": 900000, "tensor_ppm": 110000, "dram_read_ppm": 500000, "dram_write_ppm": 300000,
    "gr_ppm": 900000, "warps_ppm": 900000, "inst_ppm": 900000, "pcie_read_Bps": 10**9,
    "pcie_write_Bps": 10**9, "nvlink_read_Bps": 10**9, "nvlink_write_Bps": 10**9,
}  # fmt: skip


class GpuMetrics(recording.Case):
    def sampled(self):
        """The size of the sampler's file."""
        return max((p.stat().st_size for p in self.folder.glob(".*/gpu-metrics")), default=0)

    def start(self, *options, words=WORDS, **env):
        return self.start_record(
            "--gpu-metrics=1ms", f"--cupti={CUPTI}", "--sample-gpu=off", *options, "--", APP,
            *words, env=recording.environment(**env),
        )  # fmt: skip

    def record(self, *options, least=4000, words=WORDS, **env):
        """Until the sampler's file has this many bytes; what was printed."""
        (self.folder / "go").unlink(missing_ok=True)
        process = self.start(*options, words=words, **env)
        self.wait_for(lambda: self.sampled() >= least, "samples")
        (self.folder / "go").touch()
        _, said = process.communicate(timeout=cli.TIMEOUT_S)
        self.assertEqual(process.returncode, 0, said)
        self.assert_clean()
        return said

    def values(self):
        row = self.query(f"SELECT DISTINCT {', '.join(KNOWN)} FROM gpu_metric")
        self.assertEqual(len(row), 1)
        return dict(zip(KNOWN, row[0]))

    def assert_sampled(self):
        """Of the GPU that the program used, one after the other, while it ran."""
        self.assertEqual(
            self.query("SELECT DISTINCT device_uuid FROM gpu_metric"),
            self.query("SELECT uuid FROM device"),
        )
        rows = self.query("SELECT start, dur_ns FROM gpu_metric ORDER BY start")
        self.assertEqual({length for _, length in rows}, {1000000})
        # The clocks are compared again with each reading, to a fraction of a millisecond.
        for (start, _), (after, _) in zip(rows, rows[1:]):
            self.assertGreater(after - start, 0)
        end = self.one("SELECT start + dur_ns FROM process")
        self.assertGreater(rows[0][0], 0)
        self.assertLess(rows[-1][0], end + 60e9)

    def test_all(self):
        """What was sampled. With --wait the sampler is not taken for a process left behind."""
        self.record("--wait")
        self.assertEqual(self.values(), KNOWN)
        self.assert_sampled()

    def test_analysis(self):
        """Iterations that lie within the samples have them, and the rule reports."""
        process = self.start(words=("init", "until=begin", "busy=40,5000", "until=go"))
        self.wait_for(lambda: self.sampled() >= 1000, "samples")
        (self.folder / "begin").touch()
        self.wait_for_kernel()
        (self.folder / "go").touch()
        _, said = process.communicate(timeout=cli.TIMEOUT_S)
        self.assertEqual(process.returncode, 0, said)
        result = cli.run("analyze", "--format=json", "deepprof.db", "-n", "40", cwd=self.folder)
        self.assertEqual(result.returncode, 0, result.stderr)
        listed = cli.run("info", "deepprof.db", cwd=self.folder).stdout
        count = self.one("SELECT count(*) FROM gpu_metric")
        self.assertIn(f"device       {count:,} samples of hardware counters\n", listed)
        report = json.loads(result.stdout)
        loop = report["loops"][0]
        for name, value in ("sm_active", 0.9), ("tensor_active", 0.11), ("dram_active", 0.8):
            self.assertAlmostEqual(loop["summary"]["avg_" + name], value, 3)
            self.assertAlmostEqual(loop["kernel_times"][0][name], value, 3)
        text = cli.run("analyze", "deepprof.db", "-n", "40", cwd=self.folder).stdout
        self.assertIn("DRAM active 80.0%", text)
        text = cli.run("analyze", "-v", "deepprof.db", "-n", "40", cwd=self.folder).stdout
        self.assertRegex(text, r"SM  tensor    DRAM  kernel\n.*  90.0%   11.0%   80.0%  layer_a\n")
        page = cli.run(
            "analyze", "--format=html", "-o", "-", "deepprof.db", "-n", "40", cwd=self.folder
        ).stdout
        self.assertIn(",null,0,0.9,0.11,0.8],", page)
        (idle,) = (f for f in report["findings"] if f["rule"] == "tensor-idle")
        self.assertIn("wait for memory", idle["advice"])

    def test_other_clock(self):
        """The samples' times are the GPU's, an hour ahead of CUPTI's."""
        self.record(FAKE_PM_CLOCK=str(3600 * 10**9))
        self.assert_sampled()

    def test_few_counters(self):
        """What CUPTI does not know of a GPU, and what does not fit into a pass, is left out."""
        self.record(FAKE_PM_LACKS="nvl", FAKE_PM_MOST="6")
        lacks = dict.fromkeys(list(KNOWN)[6:])
        self.assertEqual(self.values(), {**KNOWN, **lacks})

    def test_failure(self):
        """It is printed why; the recording is what it would have been."""
        for function, number in ("PmSamplingEnable", 35), ("PmSamplingSetConfig", 26), ("ProfilerInitialize", 999):
            said = self.record(
                "-f", "-o", "t.db", least=250, words=("init", "launch=200", "until=go"),
                FAKE_CUPTI_FAIL=f"{function}={number}",
            )  # fmt: skip
            why = (
                "--gpu-metrics: hardware counters are not recorded: "
                f"cupti{function}: {number} a reason"
            )
            if number == 35:
                why += (
                    " (needs root, CAP_SYS_ADMIN, or the driver's option "
                    "NVreg_RestrictProfilingToAdminUsers=0)"
                )
            if number == 26:
                why += (
                    " (another tool uses the GPU's counters: another recording with --gpu-metrics,"
                    " ncu or DCGM's profiling)"
                )
            self.assertIn(f"deepprof: warning: {why}\n", said)
            self.assertEqual(
                self.query("SELECT level, text FROM message WHERE code = 'gpu-metrics'", "t.db"),
                [(2, why)],
            )
            self.assertEqual(self.one("SELECT count(*) FROM kernel", "t.db"), 200)
            self.assertEqual(self.one("SELECT count(*) FROM gpu_metric", "t.db"), 0)

    def test_killed(self):
        """The launcher: the other process finishes the recording, with what was sampled."""
        process = self.start()
        self.wait_for(lambda: self.sampled() >= 4000, "samples")
        self.wait_for_kernel()
        os.kill(process.pid, signal.SIGKILL)
        (self.folder / "go").touch()
        process.communicate(timeout=cli.TIMEOUT_S)
        self.assert_clean(cli.TIMEOUT_S)
        self.assertEqual(self.values(), KNOWN)

    def test_off(self):
        """Off by default; and values that are refused."""
        result = self.run_record(f"--cupti={CUPTI}", "--", APP, "init", "launch=5")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertEqual(self.one("SELECT count(*) FROM gpu_metric"), 0)
        for time in "99us", "2s", "x":
            result = self.run_record(f"--gpu-metrics={time}", "echo", "ran")
            self.assertEqual((result.returncode, result.stdout), (2, ""))


if __name__ == "__main__":
    cli.main()

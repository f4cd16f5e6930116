"""host_sample and host_load: what the threads of programs did that are known to do it."""

import contextlib
import ctypes
import json
import os
import pathlib
import resource
import struct
import subprocess
import time
import unittest

import cli
import recording

APP = os.environ["DEEPPROF_FAKE_APP"]
CUPTI = os.environ["DEEPPROF_FAKE_CUPTI"]


# Of perf_event_open().
SYSCALL = {"x86_64": 298, "aarch64": 241}


def forbid_perf_events():
    """As the seccomp profile of a container does; for this process and its children."""
    # Load the number of the system call; if it is this one, fail with EPERM; allow all others.
    steps = (0x20, 0, 0, 0), (0x15, 0, 1, SYSCALL[os.uname().machine]), (6, 0, 0, 0x50001)
    code = b"".join(struct.pack("HBBI", *step) for step in (*steps, (6, 0, 0, 0x7FFF0000)))
    kept = ctypes.create_string_buffer(code)
    program = struct.pack("HP", len(code) // 8, ctypes.addressof(kept))
    libc = ctypes.CDLL(None)
    if libc.prctl(38, 1, 0, 0, 0) or libc.prctl(22, 2, program):
        raise OSError("no filter can be set")


def opened_of(process, name):
    """How many files whose names end so a process has open. It may close some meanwhile."""
    count = 0
    for fd in pathlib.Path(f"/proc/{process.pid}/fd").iterdir():
        with contextlib.suppress(FileNotFoundError, ProcessLookupError):
            count += os.readlink(fd).endswith(name)
    return count


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
        self.fake("init", "launch=1", "spin=3000")
        did = self.main_thread()
        self.assertGreater(did["count"], 3)
        self.assertGreater(did["ts"], 0.5e9)
        self.assertGreater(did["run_ns"] + did["wait_ns"], 0.8 * did["ts"])
        self.assertLess(did["run_ns"] + did["wait_ns"], 1.2 * did["ts"] + 0.2e9)

    def test_sleeps(self):
        """Nothing is written of threads that do nothing."""
        self.fake("init", "launch=1", "idle=100", "sleep=1000")
        did = self.main_thread()
        self.assertLess(did["run_ns"], 0.5e9)
        self.assertLess(self.one("SELECT count(*) FROM host_sample"), 400)

    def test_shares_a_processor(self):
        """Next to one that takes what it gets, it waits for about as long as it runs."""
        processor = str(min(os.sched_getaffinity(0)))
        hogs = [
            subprocess.Popen(["taskset", "-c", processor, "sh", "-c", "while :; do :; done"])
            for _ in range(2)
        ]
        try:
            self.fake(
                "bind", "init", "launch=1", "spin=2500", options=["--context-switches=off"]
            )
        finally:
            for hog in hogs:
                hog.kill()
                hog.wait()
        did = self.main_thread()
        self.assertGreater(did["wait_ns"], 0.3 * did["run_ns"])
        self.assertGreater(did["involuntary"], 0)

    def analyze(self):
        """The report of what was recorded, and its iterations' mean of a metric."""
        result = subprocess.run(
            [cli.DEEPPROF, "analyze", "--format=json", "deepprof.db"], cwd=self.folder,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=cli.TIMEOUT_S, check=True,
        )  # fmt: skip
        report = json.loads(result.stdout)
        rows = [row for row in report["loops"][0]["iterations"] if not row["partial"]]

        def mean(name):
            values = [row[name] for row in rows if row[name] is not None]
            return sum(values) / len(values) if values else None

        return report, mean

    def hogs(self, processor, count):
        for _ in range(count):
            hog = subprocess.Popen(
                ["taskset", "-c", str(processor), "sh", "-c", "while :; do :; done"]
            )
            self.addCleanup(hog.wait)
            self.addCleanup(hog.kill)

    def findings(self, report):
        return {finding["rule"]: finding for finding in report["findings"]}

    def need_switches(self):
        text = self.query("SELECT text FROM message WHERE code = 'context-switches'")
        if text:
            self.skipTest(text[0][0])

    def test_preempted(self):
        """Two others on its processor: it waits for twice as long as it runs, and is reported."""
        self.hogs(min(os.sched_getaffinity(0)), 2)
        self.fake("bind", "init", "compute=40,5000")
        report, mean = self.analyze()
        self.assertGreater(mean("cpu_wait_ns"), 0.5 * mean("cpu_run_ns"))
        together = sum(mean(f"cpu_{name}_ns") for name in ("run", "wait", "blocked"))
        self.assertGreater(together, 0.8 * mean("period_ns"))
        finding = self.findings(report)["preempted"]
        self.assertIn("cpu_wait_ns", finding["evidence"])
        self.assertIn("processor", finding["advice"])
        self.assertIn("cpu_wait_ns", self.findings(report)["host-bound"]["evidence"])

    def test_switches(self):
        """Preempted by those that take its processor; blocked while it sleeps."""
        self.hogs(min(os.sched_getaffinity(0)), 2)
        self.fake("bind", "init", "launch=1", "spin=400", "sleep=300", "spin=100")
        self.need_switches()
        kinds = {
            kind: (count, longest)
            for kind, count, longest in self.query(
                "SELECT o.kind, count(*), max(o.dur_ns) FROM off_cpu o JOIN process p "
                "ON p.id = o.process WHERE o.tid = p.pid GROUP BY o.kind"
            )
        }
        self.assertGreater(kinds[1][0], 3)
        self.assertGreaterEqual(kinds[0][1], 0.3e9)
        self.assertEqual(self.query("SELECT * FROM off_cpu WHERE dur_ns < 10000"), [])
        self.assertEqual(
            self.query(
                "SELECT * FROM off_cpu a JOIN off_cpu b ON a.process = b.process AND a.tid = b.tid "
                "AND a.id != b.id AND a.start >= b.start AND a.start < b.start + b.dur_ns"
            ),
            [],
        )

    def test_functions(self):
        """Of its running time, 70% is in one function: with the callers, and in the finding."""
        self.fake("init", "shares=40,50000")
        self.need_switches()
        counts = dict(
            self.query(
                "SELECT f.name, count(*) FROM cpu_sample s JOIN call_stack f ON f.id = s.stack "
                "JOIN call_stack c ON c.id = f.parent WHERE f.module = 'fake_app' "
                "AND c.name IN ('main', 'app_shares') GROUP BY f.name"
            )
        )
        samples = self.one("SELECT count(*) FROM cpu_sample")
        self.assertGreater(samples, 100)
        self.assertGreater(counts["seventy"] + counts["thirty"], 0.8 * samples)
        share = counts["seventy"] / (counts["seventy"] + counts["thirty"])
        self.assertAlmostEqual(share, 0.7, delta=0.12)
        report, _ = self.analyze()
        evidence = self.findings(report)["host-bound"]["evidence"]
        self.assertEqual(evidence["call"], "seventy")
        self.assertAlmostEqual(evidence["sampled_share"], 0.7, delta=0.15)

    @unittest.skipIf(os.uname().machine != "x86_64", "fake_app has code for x86-64 only")
    def test_code_made_at_run_time(self):
        """Functions that a perf map names, as Python's with PYTHONPERFSUPPORT=1."""
        self.fake("init", "launch=1", "made=700")
        self.need_switches()
        self.assertGreater(
            self.one(
                "SELECT count(*) FROM cpu_sample s JOIN call_stack f ON f.id = s.stack "
                "WHERE f.name = 'py::spin:/made/up.py' AND f.module IS NULL"
            ),
            20,
        )

    def test_many_awake(self):
        """Of 64 threads that switch 1,000 times a second, half are read in each sample."""
        self.fake("init", "launch=1", "wake=64", "sleep=4000")
        self.need_switches()
        rows = self.query(
            "SELECT count(*), max(ts) - min(ts) FROM host_sample s JOIN process p "
            "ON p.id = s.process WHERE s.tid != p.pid GROUP BY s.tid"
        )
        self.assertGreaterEqual(len(rows), 50)
        samples, took_ns = map(sum, zip(*rows))
        self.assertLess(samples, 0.7 * took_ns / 50e6 + 4 * len(rows))

    def test_blocked(self):
        """A loop that sleeps for 10 ms is blocked for these, however late it then wakes up."""
        self.fake("init", "loop=40,10000")
        report, mean = self.analyze()
        self.assertGreater(mean("cpu_blocked_ns"), 7e6)
        if mean("cpu_wait_ns") < 0.04 * mean("period_ns"):
            self.assertNotIn("preempted", self.findings(report))

    def test_page_faults(self):
        """Pages of a file that no cache has."""
        self.fake("init", "pages=100,data", "sleep=100")
        if not self.main_thread()["major_faults"]:
            self.skipTest("the folder for temporary files is not on a disk")
        self.need_switches()
        _, mean = self.analyze()
        self.assertGreater(mean("cpu_fault_ns"), 0)
        self.assertGreater(self.one("SELECT count(*) FROM off_cpu WHERE kind = 2"), 10)

    def test_writes(self):
        """What waits for a disk is blocked; the bytes are counted."""
        self.fake("init", "files=20,data", "sleep=300")
        if not self.one("SELECT max(write_bytes) FROM host_load"):
            self.skipTest("the folder for temporary files is not on a disk")
        self.assertGreaterEqual(self.one("SELECT max(write_bytes) FROM host_load"), 2 << 20)

    def make_group(self, limit):
        """A cgroup that may use a share of a processor; the file that lists its processes."""
        name = f"deepprof-test-{os.getpid()}"
        for root, values in (
            (pathlib.Path("/sys/fs/cgroup/cpu"), {"cpu.cfs_quota_us": limit * 100000,
                                                  "cpu.cfs_period_us": 100000}),
            (pathlib.Path("/sys/fs/cgroup"), {"cpu.max": f"{int(limit * 100000)} 100000"}),
        ):  # fmt: skip
            group = root / name
            try:
                group.mkdir()
                self.addCleanup(group.rmdir)
                for key, value in values.items():
                    (group / key).write_text(str(int(value) if key != "cpu.max" else value))
                return group / "cgroup.procs"
            except OSError as error:
                why = error
        self.skipTest(f"no cgroup can be made: {why}")

    def test_throttled_group(self):
        """A twentieth of a processor: the finding names the limit."""
        procs = self.make_group(0.05)
        result = self.run_record(
            f"--cupti={CUPTI}", "--sample-gpu=off", "--", "sh", "-c",
            f"echo $$ > {procs} && exec '{APP}' init compute=20,5000 sleep=300",
            env=recording.environment(),
        )  # fmt: skip
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertGreater(
            self.one("SELECT max(throttled_ns) - min(throttled_ns) FROM host_load"), 0.3e9
        )
        report, mean = self.analyze()
        self.assertGreater(mean("cpu_throttled_ns"), 0)
        self.assertIn("limit", self.findings(report)["preempted"]["advice"])

    def test_load(self):
        """Sums that do not fall, as far as the machine has them."""
        self.fake("init", "launch=1", "spin=1000")
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

    def test_switches_off(self):
        self.fake("init", "launch=1", "spin=200", options=["--context-switches=off"])
        self.assertEqual(self.one("SELECT count(*) FROM off_cpu"), 0)
        self.assertEqual(self.one("SELECT count(*) FROM cpu_sample"), 0)
        self.assertGreater(self.one("SELECT count(*) FROM host_sample"), 0)

    @unittest.skipIf(os.uname().machine not in SYSCALL, "unknown number of the system call")
    def test_switches_forbidden(self):
        """The recording says so, aloud only with -v; all else is recorded."""
        why = (
            "context switches are not recorded: perf_event_open: Operation not permitted "
            "(kernel.perf_event_paranoid above 2, or a container's seccomp profile)"
        )
        for options in [], ["-v"]:
            result = self.run_record(
                f"--cupti={CUPTI}", "--sample-gpu=off", *options, "--", APP, "init", "launch=1",
                "spin=400", env=recording.environment(), preexec_fn=forbid_perf_events,
            )  # fmt: skip
            self.assertEqual(result.returncode, 0, result.stderr)
            self.assertEqual(f"deepprof: {why}\n" in result.stderr, options == ["-v"])
            text = self.query("SELECT level, text FROM message WHERE code = 'context-switches'")
            self.assertEqual(text, [(1, why)])
            self.assertEqual(self.one("SELECT count(*) FROM off_cpu"), 0)
            self.assertGreater(self.one("SELECT count(*) FROM host_sample"), 0)

    def test_descriptors(self):
        """What is open for threads and processes is closed once they are gone."""
        one, two = self.folder / "one", self.folder / "two"
        process = self.start_record(
            f"--cupti={CUPTI}", "--sample-gpu=off", "--sample-host=20ms", "--", APP, "init",
            "launch=1", "wake=8", f"until={one}", "ranks=20", "say", f"until={two}",
            env=recording.environment(),
        )  # fmt: skip
        names = "/schedstat", "[perf_event]"

        def opened():
            return [opened_of(process, name) for name in names]

        self.wait_for(lambda: opened()[0] >= 8, "samples")
        program = int(self.spools()[0].name.split(".")[0])
        one.touch()
        self.assertTrue(process.stdout.readline())
        threads = len(os.listdir(f"/proc/{program}/task"))

        def is_closed():
            times, events = opened()
            return times <= threads and events <= 3 * threads

        self.wait_for(is_closed, "closed descriptors")
        two.touch()
        process.communicate(timeout=cli.TIMEOUT_S)
        self.assertEqual(process.returncode, 0)

    def test_descriptors_of_sleepers(self):
        """The same for threads that slept for more than 20 samples before their process ended."""
        one, two = self.folder / "one", self.folder / "two"
        process = self.start_record(
            f"--cupti={CUPTI}", "--sample-gpu=off", "--sample-host=50ms", "--", "sh", "-c",
            f"'{APP}' init launch=1 idle=40 until={one}; '{APP}' init launch=1 say until={two}",
            env=recording.environment(),
        )  # fmt: skip
        self.wait_for(lambda: opened_of(process, "/schedstat") >= 40, "samples")
        time.sleep(2)
        one.touch()
        self.assertTrue(process.stdout.readline())
        self.wait_for(lambda: opened_of(process, "/schedstat") < 20, "closed descriptors")
        two.touch()
        process.communicate(timeout=cli.TIMEOUT_S)
        self.assertEqual(process.returncode, 0)

    def test_few_descriptors(self):
        """All is recorded where few files may be open; of the host, what there is room for."""
        self.assertEqual(
            self.run_record(
                f"--cupti={CUPTI}", "--sample-gpu=off", "--", "sh", "-c",
                f"'{APP}' init launch=10 wake=64 ranks=2 sleep=500",
                env=recording.environment(),
                preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (64, 64)),
            ).returncode,
            0,
        )  # fmt: skip
        self.assertEqual(self.one("SELECT count(DISTINCT process) FROM kernel"), 3)

    def test_off(self):
        self.fake("init", "launch=1", "spin=300", options=["--sample-host=off"])
        self.assertEqual(self.one("SELECT count(*) FROM host_sample"), 0)
        self.assertEqual(self.one("SELECT count(*) FROM host_load"), 0)
        self.assertEqual(self.one("SELECT count(*) FROM off_cpu"), 0)

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
            lambda: any(p.stat().st_size > 4000 for p in self.folder.glob(".*/host")), "samples"
        )
        program = int(self.spools()[0].name.split(".")[0])
        process.kill()
        process.wait(timeout=cli.TIMEOUT_S)
        self.wait_for(lambda: not self.left(), "end of the folder")
        os.kill(program, 9)
        process.stdout.close()
        process.stderr.close()
        self.assertGreater(self.one("SELECT count(*) FROM host_sample"), 0)


if __name__ == "__main__":
    cli.main()

"""What is in the trace file."""

import json
import re
import sqlite3
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
        self.assertEqual(
            self.query("SELECT uuid, name, sms FROM device"), [(UUID, "Fake GPU", 132)]
        )
        self.assertEqual(self.query("SELECT reason FROM loss"), [])
        total = self.one("SELECT sum(stored) FROM count WHERE kind IN (1, 5, 10)")
        self.assertEqual(total, 30 + 210 + 180)

    def test_ranges(self):
        self.produce("iterations=10", "pace=300")
        rows = self.query(
            "SELECT type, depth, value, nvtx.dur_ns > 0 FROM nvtx JOIN string ON string.id = name"
        )
        self.assertEqual(rows, [(59, 0, "step", 1)] * 10)
        # Both clocks are one, but for microseconds: a step's copy is launched inside of it.
        steps = self.query("SELECT start, start + dur_ns FROM nvtx ORDER BY start")
        copies = self.query("SELECT start - 4000 FROM memcpy ORDER BY start")
        self.assertEqual(len(copies), 10)
        for (begin, end), (launch,) in zip(steps, copies):
            self.assertGreater(launch, begin - 20000)
            self.assertLess(launch, end + 20000)

    def test_clock_is_set(self):
        """CUPTI's clock jumps an hour ahead, or back, in the midst of it."""
        for step in 3600 * 10**9, -3600 * 10**9:
            result = self.produce(
                "iterations=100", "pace=2000", f"step={step}", options=["-f", "-o", "t.db"]
            )
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
            json.loads(cli.run("analyze", "--format=json", cwd=self.folder).stdout)["trace"][
                "lost"
            ],
            17,
        )

    def test_counts_that_do_not_add_up(self):
        result = self.produce("unbalanced=1")
        self.assertEqual(result.returncode, 1)
        self.assertIn("do not add up", result.stderr)
        result = self.produce("unbalanced=1", "end=exit:4")
        self.assertEqual(result.returncode, 4)
        for path in self.folder.glob("deepprof.db*"):
            path.unlink()

    def test_messages(self):
        result = self.produce("message=CUPTI is taken\x1b[2J", "processes=3")
        self.assertEqual(result.stderr.count("deepprof: warning: CUPTI is taken?[2J\n"), 1)

    def test_closing_line(self):
        result = self.produce("iterations=10")
        self.assertRegex(
            result.stderr,
            r"\Adeepprof: deepprof\.db: 150 events in [\d.]+ [mµu]?s, [\d.]+ KiB, nothing lost; "
            r"next: deepprof analyze\n\Z",
        )


class Nsys(recording.Case):
    """The views are what those who know the tables of Nsight Systems expect."""

    # Of its SQLite export (2024.7): the columns of the tables that there are views for.
    COLUMNS = {
        "StringIds": "id value",
        "CUPTI_ACTIVITY_KIND_KERNEL": (
            "start end deviceId contextId greenContextId streamId "
            "correlationId globalPid demangledName shortName mangledName launchType cacheConfig "
            "registersPerThread gridX gridY gridZ blockX blockY blockZ staticSharedMemory "
            "dynamicSharedMemory localMemoryPerThread localMemoryTotal gridId sharedMemoryExecuted "
            "graphNodeId sharedMemoryLimitConfig graphId clusterX clusterY clusterZ"
        ),
        "CUPTI_ACTIVITY_KIND_MEMCPY": (
            "start end deviceId contextId greenContextId streamId "
            "correlationId globalPid bytes copyKind deprecatedSrcId srcKind dstKind srcDeviceId "
            "srcContextId dstDeviceId dstContextId migrationCause graphNodeId virtualAddress"
        ),
        "CUPTI_ACTIVITY_KIND_MEMSET": (
            "start end deviceId contextId greenContextId streamId "
            "correlationId globalPid value bytes graphNodeId memKind"
        ),
        "CUPTI_ACTIVITY_KIND_RUNTIME": (
            "start end eventClass globalTid correlationId nameId returnValue callchainId"
        ),
        "CUPTI_ACTIVITY_KIND_SYNCHRONIZATION": (
            "start end deviceId contextId greenContextId "
            "streamId correlationId globalPid syncType eventId"
        ),
        "NVTX_EVENTS": (
            "start end eventType rangeId category color text globalTid endGlobalTid "
            "textId domainId uint64Value int64Value doubleValue uint32Value int32Value floatValue "
            "jsonTextId jsonText binaryData"
        ),
        "PROCESSES": "globalPid pid name",
    }

    def setUp(self):
        super().setUp()
        # nsys has no samples of the host, and on a busy machine they are in the analysis.
        result = self.produce(
            "iterations=60", "full=1", "pace=300", "processes=2", options=["--sample-host=off"]
        )
        self.assertEqual(result.returncode, 0, result.stderr)

    def test_columns(self):
        for view, columns in self.COLUMNS.items():
            found = {row[1] for row in self.query(f"PRAGMA table_info({view})")}
            self.assertLessEqual(found, set(columns.split()), view)

    def test_same_analysis(self):
        """As tables they are an export of nsys, and its analysis is the same to the last number."""
        with sqlite3.connect(self.folder / "nsys.sqlite") as db:
            db.execute("ATTACH ? AS recorded", (str(self.folder / "deepprof.db"),))
            views = db.execute("SELECT name FROM recorded.sqlite_master WHERE type = 'view'")
            for (name,) in views.fetchall():
                db.execute(f"CREATE TABLE {name} AS SELECT * FROM recorded.{name}")
        reports = []
        for name in "deepprof.db", "nsys.sqlite":
            text = cli.run("analyze", "--ignore-marks", "--format=json", name, cwd=self.folder)
            reports.append(json.loads(text.stdout))
        ours, theirs = reports
        self.assertEqual(ours["trace"].pop("format"), "deepprof_db")
        self.assertEqual(theirs["trace"].pop("format"), "nsys")
        for report in reports:
            report["trace"].pop("path")
            # What to do to record more is each tool's own, and nsys has no samples of the host.
            report["trace"]["hints"] = [
                hint for hint in report["trace"]["hints"] if hint["lacks"] != "host samples"
            ]
            for hint in report["trace"]["hints"]:
                hint.pop("record")
        self.assertEqual(ours, theirs)
        # A replay is a symbol; calls, waits, copies and both processes are in the numbers.
        self.assertEqual([loop["pattern"]["length"] for loop in ours["loops"]], [7, 7])
        self.assertIn("graph 5", ours["loops"][0]["pattern"]["kernels"])
        for iteration in ours["loops"][0]["iterations"][1:-1]:
            self.assertGreater(iteration["host_launch_ns"], 0)
            self.assertGreaterEqual(iteration["host_sync_ns"], 8000)
            self.assertEqual(iteration["h2d_bytes"], 4096)

    def test_queries(self):
        """Those of nsys stats, and what its users write."""
        self.assertEqual(
            self.query(
                "SELECT s.value, count(*), sum(k.end - k.start) FROM CUPTI_ACTIVITY_KIND_KERNEL "
                "AS k JOIN StringIds AS s ON s.id = k.shortName GROUP BY k.shortName "
                "ORDER BY 3 DESC, 1 LIMIT 2"
            ),
            [("gemm(float*, float*, int)", 240, 960000), ("adam", 120, 480000)],
        )
        self.assertEqual(
            self.query(
                "SELECT s.value, count(*) FROM CUPTI_ACTIVITY_KIND_RUNTIME AS r "
                "JOIN StringIds AS s ON s.id = r.nameId WHERE r.eventClass = 0 "
                "GROUP BY 1 ORDER BY 2 DESC, 1 LIMIT 2"
            ),
            [("cudaLaunchKernel_v7000", 720), ("cudaFree_v3020", 120)],
        )
        self.assertEqual(
            self.query(
                "SELECT o.label, m.label, sum(c.bytes) FROM CUPTI_ACTIVITY_KIND_MEMCPY AS c "
                "JOIN ENUM_CUDA_MEMCPY_OPER AS o ON o.id = c.copyKind "
                "JOIN ENUM_CUDA_MEM_KIND AS m ON m.id = c.srcKind GROUP BY 1, 2"
            ),
            [("Host-to-Device", "Pageable", 120 * 4096)],
        )
        self.assertEqual(
            self.query(
                "SELECT e.label, count(*) FROM CUPTI_ACTIVITY_KIND_SYNCHRONIZATION AS s "
                "JOIN ENUM_CUPTI_SYNC_TYPE AS e ON e.id = s.syncType GROUP BY 1"
            ),
            [("Stream sync", 120)],
        )
        self.assertEqual(
            self.query(
                "SELECT e.label, k.label, sum(m.bytes) FROM CUDA_GPU_MEMORY_USAGE_EVENTS AS m "
                "JOIN ENUM_CUDA_DEV_MEM_EVENT_OPER AS e ON e.id = m.memoryOperationType "
                "JOIN ENUM_CUDA_MEM_KIND AS k ON k.id = m.memKind GROUP BY 1, 2"
            ),
            [("Allocation", "Device", 120 << 20), ("Deallocation", "Device", 120 << 20)],
        )
        # Kernels by the process and thread that launched them, and the range around that.
        pids = [row[0] for row in self.query("SELECT pid FROM process ORDER BY pid")]
        self.assertEqual(
            self.query(
                "SELECT r.globalTid / 0x1000000 % 0x1000000 AS pid, "
                "r.globalTid % 0x1000000 AS tid, count(*) "
                "FROM CUPTI_ACTIVITY_KIND_KERNEL AS k JOIN CUPTI_ACTIVITY_KIND_RUNTIME AS r "
                "ON r.correlationId = k.correlationId AND "
                "r.globalTid / 0x1000000 = k.globalPid / 0x1000000 GROUP BY 1, 2 ORDER BY 1"
            ),
            [(pid, pid, 360) for pid in pids],
        )
        self.assertEqual(
            self.query(
                "SELECT coalesce(n.text, s.value), n.globalTid >> 24 & 0xffffff, count(*) "
                "FROM NVTX_EVENTS AS n LEFT JOIN StringIds AS s ON s.id = n.textId "
                "WHERE n.eventType = 59 AND n.end > n.start GROUP BY 1, 2 ORDER BY 2"
            ),
            [("step", pid, 60) for pid in pids],
        )
        self.assertEqual(
            self.query("SELECT text, count(*) FROM NVTX_EVENTS WHERE eventType = 59 GROUP BY 1"),
            [("step", 60 * len(pids))],
        )
        self.assertEqual(
            self.query("SELECT pid, name FROM PROCESSES ORDER BY pid"),
            [(pid, "producer") for pid in pids],
        )

    def test_calls_are_found(self):
        """By all that tells them apart, as the page joins them: no search in rows."""
        plan = self.query(
            "EXPLAIN QUERY PLAN SELECT avg(kernel.start - api.start) FROM kernel "
            "JOIN api USING (process, epoch, corr)"
        )
        self.assertRegex(plan[1][3], r"api_corr \(corr=\? AND process=\? AND epoch=\?\)")


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

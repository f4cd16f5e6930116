"""What the findings say about simulated programs, of which it is known what is wrong with them."""
import contextlib
import json
import re
import sqlite3
import subprocess
import unittest

import cli

NETS = """
[net model]
kind = conv
layers = 8
kernel = 200us
host = 4us
"""
STEP = "zero model; forward model; loss; backward model; optimize model"
INPUT = "upload bytes=1M memory=pinned copy_stream=yes ahead=yes"
READ = "download bytes=4 memory=pinned block=yes"


class Findings(cli.Case):
    def run_of(self, do, count=40, form="kineto", keys="", before="", args=(), loop="", nets=NETS):
        """The text and the JSON report of a program with one loop."""
        program = self.folder / "program"
        program.write_text(
            f"[program]\ndo = {before}loop train; sync\nmarks = no\n{keys}{nets}[loop train]\n"
            f"count = {count}\ndefault = yes\n{loop}do = {do}\n"
        )
        trace = self.folder / f"trace.{form}"
        subprocess.run(
            [cli.SIM, "--no-truth", "--program", program, "-F", form, "-o", trace], check=True
        )
        env = cli.environment(LC_ALL="C.UTF-8")
        text = cli.run("analyze", *args, trace, env=env)
        report = cli.run("analyze", "--format=json", *args, trace)
        self.assertEqual(0, text.returncode, text.stderr)
        return " ".join(text.stdout.split()), json.loads(report.stdout)

    def rules(self, report):
        return {finding["rule"]: finding for finding in report["findings"]}

    def test_warm_up(self):
        """What it costs is reported as a whole, and nothing else is about it."""
        for count in 4, 30:
            text, report = self.run_of(
                f"{INPUT}; {STEP}; {READ}; wait time=300ms until=1", count=count
            )
            (loop,) = [loop for loop in report["loops"] if loop["parent"] is None]
            self.assertEqual(
                [True] + [False] * (count - 1), [it["warmup"] for it in loop["iterations"]]
            )
            finding = self.rules(report)["warm-up"]
            self.assertEqual(["warm-up"], list(self.rules(report)))
            self.assertGreater(finding["evidence"]["cost_ns"], 290e6)
            self.assertRegex(text, r"info warm-up: costs \d+\.\d ms in all \(\d+\.\d% of the loop\) 1 iteration "
                             "of warm-up, (nearly )?all of it outside API calls → ")
            self.assertNotIn("each iteration (", text)
            self.assertRegex(text, r"gaps \d+\.?\d* µs between iterations")

    def test_one_worker_is_not_enough(self):
        """What another thread prepares takes as long there: the number that hides it is named."""
        upload = "upload bytes=256k memory=pinned"
        for wait, threads in ((20, None), (250, 4)):
            text, report = self.run_of(f"wait time={wait}ms jitter=0.02 within=metrics; {upload}; {STEP}; {READ}")
            finding = self.rules(report)["input-bound"]
            evidence = finding["evidence"]
            self.assertEqual(threads, evidence.get("threads"))
            self.assertEqual(bool(threads), f"={threads} or more" in finding["advice"])
            if not threads:
                self.assertNotIn("to hide", text)
                continue
            self.assertRegex(text, r"2[45]\d\.\d ms of host work, which takes 4 threads to hide")
            self.assertLessEqual(evidence["moved_ns"] / threads, 1.05 * finding["predicted_ns"])
            self.assertGreater(evidence["moved_ns"] / (threads - 1), finding["predicted_ns"])
        text, report = self.run_of(f"{INPUT}; wait time=250ms jitter=0.02 within=metrics; {STEP}; {READ}")
        finding = self.rules(report)["host-bound"]
        self.assertEqual(4, finding["evidence"]["threads"])
        self.assertIn("divide it among other threads", finding["advice"])

    def test_the_host_works_or_waits(self):
        """Outside of calls and ranges, the trace does not show which, nor that threads would help."""
        text, report = self.run_of(f"{INPUT}; wait time=250ms jitter=0.02; {STEP}; {READ}")
        finding = self.rules(report)["host-bound"]
        self.assertNotIn("threads", finding["evidence"])
        self.assertIn("see whether the host works or waits there", finding["advice"])
        self.assertRegex(text, r"2[45]\d\.\d ms outside API calls, in which the host works or waits")

    def test_advice_on_waits(self):
        """It has their number per iteration, the direction of copies, and comes before that on launches."""
        two = "zero model; forward model; loss; {}; wait time=9ms; backward model; {}; wait time=9ms; optimize model"
        for do, rule, words in (
            (two.format("sync", "sync") + "; sync", "sync-call", "avoid synchronizations (3 per iteration): .item(),"),
            (two.format("download bytes=4 memory=pageable", "sync"), "sync-call", "fetch these results later, or fewer"),
            ("; ".join(4 * ["statistics count=1; sync"]), "launch-bound",
             "avoid the synchronization after nearly every launch: .item(), print(tensor), synchronize(); then"),
        ):
            report = self.run_of(do, form="kineto" if rule == "sync-call" else "nsys")[1]
            self.assertIn(words, self.rules(report)[rule]["advice"])

    def test_mostly_is_at_least_half(self):
        nets = "".join(
            f"[net {kind}]\nkind = {kind}\noptimizer = adam\nlayers = 8\nkernel = 4us\nhost = 40us\n"
            for kind in ("conv", "transformer", "rnn")
        )
        one, all_of_them = (
            self.run_of("; ".join(f"forward {net}; backward {net}; optimize {net}" for net in used), nets=nets)[0]
            for used in (["rnn"], ["conv", "transformer", "rnn"])
        )
        self.assertIn("host wait, mostly aten::mm", one)
        self.assertRegex(all_of_them, r"host wait, aten::\w+ \d+%, ")

    def test_brief_is_a_part_of_the_whole(self):
        trace = cli.SOURCE / "data" / "sample.json.gz"
        text = cli.run("analyze", "--format=json", "--brief", trace).stdout
        whole = json.loads(cli.run("analyze", "--format=json", trace).stdout)
        brief = json.loads(text)
        self.assertLess(len(text.encode()), 20000)
        self.assertIs(brief["brief"], True)
        self.assertEqual(brief["schema"], whole["schema"])
        for key in ("format", "duration_ns", "kernels", "copies", "lost"):
            self.assertEqual(brief["trace"][key], whole["trace"][key])
        for loop in brief["loops"]:
            full = whole["loops"][loop["id"]]
            self.assertNotIn("iterations", loop)
            self.assertEqual(loop["left_out"]["iterations"], len(full["iterations"]))
            self.assertEqual(loop["pattern"]["length"], full["pattern"]["length"])
            for key, value in loop["summary"].items():
                self.assertEqual(value, full["summary"][key], key)
        for finding, full in zip(brief["findings"], whole["findings"]):
            self.assertEqual(finding["overlaps"], full["overlaps"])
            for key in ("rule", "loop", "recoverable_ns", "advice", "evidence", "severity"):
                self.assertEqual(finding[key], full[key], key)
        refused = cli.run("analyze", "--format=text", "--brief", trace)
        self.assert_fails(refused, 2, "--brief requires --format=json")

    def test_waits_of_other_iterations_are_not_predicted(self):
        """The replay measures two iterations that wait longer than typical ones."""
        trace = cli.SOURCE / "data" / "sample.json.gz"
        report = json.loads(cli.run("analyze", "--format=json", trace).stdout)
        (finding,) = (
            at for at in report["findings"] if at["rule"] == "input-bound" and at["loop"] == 0
        )
        # what computes stays
        self.assertGreater(finding["predicted_ns"], report["loops"][0]["summary"]["avg_compute_ns"])
        self.assertLess(finding["predicted_ns"], 72e6)

    def test_throughput(self):
        """All samples by all the time: a stall counts as long as it takes."""
        self.run_of(f"{INPUT}; {STEP}; {READ}; wait time=200ms every=8 offset=6")
        done = cli.run("analyze", "--batch-size=32", "--format=json", self.folder / "trace.kineto")
        (loop,) = [x for x in json.loads(done.stdout)["loops"] if x["parent"] is None]
        rates = [x["throughput"] for x in loop["iterations"] if not x["warmup"]]
        rates = [x for x in rates if x is not None]
        self.assertGreater(max(rates), 3 * min(rates))
        expected = len(rates) / sum(1 / rate for rate in rates)
        self.assertAlmostEqual(expected, loop["summary"]["avg_throughput"], delta=1e-6 * expected)

    def test_flops(self):
        """The achieved rate, and the utilization of a GPU whose peak is known."""
        self.run_of(f"{INPUT}; {STEP}; {READ}")
        path = self.folder / "trace.kineto"
        for flops, expected in ("3T", 3e12), ("3e+12", 3e12), ("1G,500", 3e12), ("1e9,0.5k", 3e12):
            done = cli.run("analyze", f"--flops={flops}", "--format=json", path)
            (loop,) = [x for x in json.loads(done.stdout)["loops"] if x["parent"] is None]
            rates = [(x["flop_rate"], x["period_ns"]) for x in loop["iterations"]]
            rates = [(rate, period) for rate, period in rates if rate is not None]
            self.assertTrue(rates)
            for rate, period in rates:
                self.assertAlmostEqual(rate, expected * 1e9 / period, delta=1e-6 * rate)
        self.assertIn("FLOP/s", cli.run("analyze", "--flops=3T", path).stdout)
        for wrong in "0", "3X", "3e", "3e1000", "3e12.5", "1G,", "1G,2,3":
            self.assert_fails(cli.run("analyze", f"--flops={wrong}", path), 2, "--flops")

    def test_collectives(self):
        """Sizes and groups give bandwidths; a kernel without them still has its time."""
        events = [
            {"ph": "X", "cat": "kernel", "name": name, "pid": 0, "tid": 7, "ts": 1000 * i, "dur": dur,
             "args": {"device": 0, "stream": 7, "correlation": i + 1, **args}}
            for i, (name, dur, args) in enumerate([("ncclDevKernel_Broadcast(x)", 50, {})] + [
                kernel for dur in (100, 200, 300) * 4 for kernel in (
                    ("ncclDevKernel_AllReduce_Sum_f32_RING_LL(x)", dur, {
                        "Collective name": "allreduce", "In msg nelems": 250000,
                        "Out msg nelems": 250000, "Group size": 4, "dtype": "Float",
                        "Process Group Name": "0", "Process Group Ranks": "[0, 1, 2, 3]",
                    }), ("gemm", 500, {}))
            ])
        ]
        device = {"id": 0, "name": "NVIDIA H100 80GB HBM3", "totalGlobalMem": 1}
        path = self.folder / "collectives.json"
        path.write_text(json.dumps({"schemaVersion": 1, "deviceProperties": [device],
                                    "traceEvents": events}))
        report = json.loads(cli.run("analyze", "--format=json", path).stdout)
        rows = report["collectives"]
        self.assertEqual([(x["kind"], x["bytes"], x["group_size"], x["count"]) for x in rows],
                         [("allreduce", 1000000, 4, 12), ("broadcast", None, None, 1)])
        self.assertEqual((rows[0]["median_ns"], rows[0]["min_ns"]), (200000, 100000))
        self.assertEqual(rows[0]["algorithm_bandwidth"], 5 * 10**9)
        self.assertEqual(rows[0]["bus_bandwidth"], 75 * 10**8)
        self.assertIsNone(rows[1]["bus_bandwidth"])
        text = cli.run("analyze", "-v", path).stdout
        self.assertIn("7.500 GB/s  allreduce 976.6 KiB x 4 ranks", text)
        done = cli.run("analyze", "--flops=197.8G", "--format=json", path)
        (loop,) = json.loads(done.stdout)["loops"]
        utilization = [x["mfu"] for x in loop["iterations"] if x["mfu"] is not None]
        self.assertTrue(utilization)
        for share in utilization:
            self.assertAlmostEqual(share, .1, delta=1e-6)

    def test_rows_of_many_iterations(self):
        """The first, the last and slow ones; all with -vv."""
        work = f"{STEP}; {READ}; wait time=50ms every=30"
        for args, first, more in (("-v", 10, True), ("-vv", 60, False)):
            self.run_of(work, count=60, args=args.split())
            text = cli.run("analyze", args, self.folder / "trace.kineto").stdout
            rows = re.findall(r"(?m)^ +(\d+) .* ms  ", text[text.index("  index ") :])
            rows = [int(row) for row in rows]
            self.assertEqual(rows[:first], list(range(first)))
            self.assertIn(30, rows)
            self.assertEqual(rows[-5:], [55, 56, 57, 58, 59])
            self.assertEqual("more (-vv or --format=csv shows all)\n" in text, more)
            self.assertEqual(len(rows) < 20, more)

    def test_slow_iterations_of_a_page(self):
        """The slow ones are listed, rather than all from the first of them to the last."""
        work = f"{STEP}; {READ}; wait time=50ms every=20"
        _, report = self.run_of(work, count=60)
        (loop,) = [loop for loop in report["loops"] if loop["parent"] is None]
        slow = [it["index"] for it in loop["iterations"] if it["slow"]]
        self.assertGreaterEqual(len(slow), 2)
        page = cli.run("analyze", "--format=html", self.folder / "trace.kineto").stdout
        listed = re.findall(r"'rule':'([^']+)'|\"rule\":\"([^\"]+)\".*?\"slow\":\[([^]]*)\]", page, re.S)
        listed = {rule or other: numbers for rule, other, numbers in listed}
        self.assertEqual(listed["slow-iterations"], ",".join(map(str, slow)))

    def test_predictions_name_their_mean(self):
        """Of a loop whose median is another number, the prediction names the mean that it is of."""
        trace = cli.SOURCE / "data" / "h200-training.db.gz"
        text = " ".join(cli.run("analyze", trace, env=cli.environment(LC_ALL="C.UTF-8")).stdout.split())
        self.assertIn("median period 8.444 ms", text)
        self.assertIn("1.641 ms instead of 8.236 ms on average (−80.1%)", text)

    def test_path_without_launches(self):
        """Time before a kernel is a launch's only if launches are recorded."""
        for form, others in ("kineto", "idle up to"), ("nvprof-csv", "launch up to"):
            text, _ = self.run_of(f"{STEP}; {READ}; wait time=20ms", form=form, args=("-v",))
            self.assertIn("critical path", text)
            self.assertNotIn(f" {others} ", text)
        self.assertIn(" idle up to ", text)

    def test_large_numbers_of_iterations(self):
        """They have separators in every text."""
        path, at, events = self.folder / "many.json", 0, []
        for k in range(3300):
            # two slow iterations wait, and one has a longer kernel
            at += 700000 if k in (3150, 3240) else 20
            length = 9000 if k == 3211 else 15
            link = {"correlation": k + 1}
            events.extend((
                {"ph": "X", "cat": "kernel", "name": ("gemm", "relu", "adam")[k % 3], "pid": 0, "tid": 7,
                 "ts": at + 10, "dur": length, "args": {"device": 0, "stream": 7, **link}},
                {"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "pid": 1, "tid": 1,
                 "ts": at, "dur": 5, "args": link}))
            at += length - 15
        path.write_text(json.dumps({"schemaVersion": 1, "traceEvents": events}))
        text = " ".join(cli.run("analyze", "-v", path).stdout.split())
        self.assertIn("at what the host does in iterations 1,049 to 1,079", text)
        # what these two have, not the mean of all three
        self.assertRegex(text, r"\+(700\.0|699\.\d) ms host wait \(only in iterations 1,049, 1,079\)")
        self.assertNotRegex(text, r"iterations? (\d+ to )?\d{4}")

    def test_a_wait_over_iterations(self):
        """Each iteration has its part of a wait, as in its metric."""
        nets = "[net model]\nkind = mlp\nlayers = 20\nkernel = 200us\nhost = 4us\n"
        _, report = self.run_of(STEP, count=20, keys="queue = 60000\n", nets=nets)
        loop = report["loops"][0]
        (wait,) = [at for at in loop["host_ranges"] if at["inner"] == "cudaDeviceSynchronize"]
        self.assertGreater(wait["typical_ns"], 0.5 * loop["summary"]["avg_period_ns"])
        self.assertEqual(wait["typical_ns"], loop["summary"]["avg_host_sync_ns"])
        self.assertAlmostEqual(wait["calls"], 1 / 19)

    def test_a_wait_that_begins_early(self):
        """Of one that begins before the loop, iterations have their parts; a call inside it adds nothing."""
        events = []

        def call(name, start, dur, link, cat="cuda_runtime"):
            events.append({"ph": "X", "cat": cat, "name": name, "pid": 1, "tid": 1, "ts": start, "dur": dur,
                           "args": {"correlation": link}})

        for i in range(60):
            call("cudaLaunchKernel", i, 1, i + 1)
            events.append({"ph": "X", "cat": "kernel", "name": ("gemm", "relu", "adam")[i % 3], "pid": 0, "tid": 7,
                           "ts": 100 + 200 * i, "dur": 190, "args": {"device": 0, "stream": 7, "correlation": i + 1}})
        call("cudaDeviceSynchronize", 62, 12100, 61)
        call("cuCtxSynchronize", 63, 12098, 62, "cuda_driver")
        trace = self.folder / "wait.json"
        trace.write_text(json.dumps({"schemaVersion": 1, "traceEvents": events}))
        loop = json.loads(cli.run("analyze", "--format=json", trace).stdout)["loops"][0]
        self.assertEqual(600e3, loop["summary"]["avg_host_sync_ns"])
        waits = [at for at in loop["host_ranges"] if at["activity"] == "sync"]
        name = "cudaDeviceSynchronize"
        self.assertEqual([(name, None), (name, name)], [(at["outer"], at["inner"]) for at in waits])
        for wait in waits:
            self.assertEqual(600e3, wait["typical_ns"])
            self.assertAlmostEqual(1 / 19, wait["calls"])

    def test_uploads_of_one_iteration(self):
        """What is uploaded before a loop is no mean of its iterations."""
        work = f"{STEP}; {READ}"
        for before, do, words in (
            ("upload bytes=64M memory=pinned; ", work, "64.00 MiB uploaded for iteration 0, nothing for others"),
            ("", f"upload bytes=1M memory=pinned; {work}", "1.000 MiB uploaded per iteration"),
            ("", f"{work}; upload bytes=1M memory=pinned every=10",
             "4.000 MiB uploaded in all, for 4 of 40 iterations"),
            ("upload bytes=64M memory=pinned; ", f"upload bytes=1k memory=pinned; {work}",
             "64.00 MiB uploaded for iteration 0, 39.00 KiB for all others together"),
        ):
            text, _ = self.run_of(do, before=before, args=("-v",))
            self.assertIn(words, text)

    def test_predictions_need_the_other_ranks(self):
        """Collectives in a loop around others, of which no metrics are computed."""
        work = f"{INPUT}; {STEP}; reduce bytes=300M block=yes; {READ}"
        nets = "[net model]\nkind = mlp\nlayers = 40\nkernel = 20us\nhost = 4us\n"
        _, report = self.run_of(work, nets=nets)
        self.assertTrue(any(loop["parent"] is not None for loop in report["loops"]))
        finding = self.rules(report)["exposed-communication"]
        self.assertIs(True, finding["needs_others"])
        self.assertNotIn("others_ns", finding["evidence"])

    def test_a_copy_waits_for_itself(self):
        """Not for a kernel that ends while it returns: hidden communication frees the host, too."""
        events = []

        def op(name, stream, start, dur, launch, call="cudaLaunchKernel", call_dur=4, **more):
            link = {"correlation": len(events) + 1}
            cat = "gpu_memcpy" if name.startswith("Memcpy") else "kernel"
            events.extend((
                {"ph": "X", "cat": cat, "name": name, "pid": 0, "tid": stream, "ts": start, "dur": dur,
                 "args": {"device": 0, "context": 1, "stream": stream, **link, **more}},
                {"ph": "X", "cat": "cuda_runtime", "name": call, "pid": 1, "tid": 1, "ts": launch,
                 "dur": call_dur, "args": link}))

        for k in range(12):
            at = 10000 + 3520 * k
            # 1 ms of work before the launches, then 2.5 ms on the GPU and .5 ms for communication.
            for i in range(50):
                start = at + 50 * i + (500 if i >= 40 else 0)
                op(f"kernel_{i % 7}_{i // 7}", 7, start + (2 if i >= 40 else 0), 50, at - 6 + 5 * i)
            op("ncclDevKernel_AllReduce_Sum", 20, at + 1500, 1000, at + 250)
            op("Memcpy DtoH (Device -> Pageable)", 9, at + 2503, 1, at + 260, "cudaMemcpyAsync", 2294,
               bytes=8)
        trace = self.folder / "copy.json"
        trace.write_text(json.dumps({"schemaVersion": 1, "traceEvents": events}))
        report = json.loads(cli.run("analyze", "--format=json", trace).stdout)
        finding = self.rules(report)["exposed-communication"]
        self.assertAlmostEqual(finding["predicted_ns"], 2.5e6, delta=0.1e6)

    def test_host_time_before_a_graph(self):
        """Two calls per iteration, the host's work before one of them: all of it would be saved."""
        events = []

        def event(cat, name, start, dur, correlation, pid=1, **args):
            events.append({"ph": "X", "cat": cat, "name": name, "pid": pid, "tid": 7, "ts": start,
                           "dur": dur, "args": {"correlation": correlation, **args}})  # fmt: skip

        for k in range(1, 41):
            at = 5015 * k
            event("cuda_runtime", "cudaGraphLaunch", at, 10, 2 * k)
            event("cuda_runtime", "cudaStreamSynchronize", at + 11, 1004, 2 * k + 1)
            for i in range(10):
                event("kernel", f"layer_{i}", at + 12 + 100 * i, 100, 2 * k, 0, device=0, stream=7)
        trace = self.folder / "graph.json"
        trace.write_text(json.dumps({"schemaVersion": 1, "traceEvents": events}))
        report = json.loads(cli.run("analyze", "--format=json", trace).stdout)
        finding = self.rules(report)["host-bound"]
        self.assertAlmostEqual(finding["recoverable_ns"], 4.0e6, delta=0.1e6)
        self.assertAlmostEqual(finding["predicted_ns"], 1.0e6, delta=0.1e6)

    def test_other_waits_take_the_place(self):
        """A third of the period is communication, but the host launches no faster without it."""
        events = []
        for k in range(10):
            for i in range(21):
                at, name = 10000 + 9000 * k + 300 * i, f"kernel_{i % 7}_{i // 7}"
                length = 2700 if i == 20 else 300
                events += [
                    {"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "pid": 1, "tid": 1,
                     "ts": at, "dur": 3, "args": {"correlation": len(events)}},
                    {"ph": "X", "cat": "kernel", "name": "ncclDevKernel_AllReduce" if i == 20 else name,
                     "pid": 0, "tid": 7, "ts": at + 20, "dur": length,
                     "args": {"device": 0, "stream": 7, "correlation": len(events)}}]
        path = self.folder / "hidden.json"
        path.write_text(json.dumps({"schemaVersion": 1, "traceEvents": events}))
        self.assertRegex(cli.run("analyze", path).stdout.replace("\n   ", " "),
                         r"info exposed-communication: costs 2\.700 ms per iteration \(30\.0%\); "
                         "the period would stay the same without it .*"
                         "-> no gain by itself: other work that overlaps it takes as long")

    def test_a_small_cost_is_no_hidden_one(self):
        """One slow iteration in a thousand costs little on average, but nothing else takes its place."""
        events, at = [], 0
        for k in range(2000):
            at += 160 if k == 1500 else 60
            events += [
                {"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "pid": 1, "tid": 1,
                 "ts": at, "dur": 3, "args": {"correlation": k}},
                {"ph": "X", "cat": "kernel", "name": f"kernel_{k % 2}", "pid": 0, "tid": 7,
                 "ts": at + 5, "dur": 50 + k % 2,
                 "args": {"device": 0, "stream": 7, "correlation": k}}]
        path = self.folder / "rare.json"
        path.write_text(json.dumps({"schemaVersion": 1, "traceEvents": events}))
        report = json.loads(cli.run("analyze", "--format=json", path).stdout)
        finding = self.rules(report)["slow-iterations"]
        self.assertLess(finding["recoverable_ns"], 120)
        self.assertNotIn("alone", finding["advice"])

    def test_a_small_cost_that_is_saved(self):
        """What would be saved is as small as the cost, and nothing else takes its place."""
        events, at, number = [], 1000, 0
        for _ in range(200):
            for name, length in ("kernel_a", 5000), ("kernel_b", 5000), ("ncclDevKernel_AllReduce", 4):
                number += 1
                events += [
                    {"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "pid": 1, "tid": 1,
                     "ts": at - 900, "dur": 3, "args": {"correlation": number}},
                    {"ph": "X", "cat": "kernel", "name": name, "pid": 0, "tid": 7, "ts": at,
                     "dur": length, "args": {"device": 0, "stream": 7, "correlation": number}}]
                at += length
        path = self.folder / "small.json"
        path.write_text(json.dumps({"schemaVersion": 1, "traceEvents": events}))
        threshold = "--threshold=exposed-communication=0.01%"
        report = json.loads(cli.run("analyze", "--format=json", threshold, path).stdout)
        finding = self.rules(report)["exposed-communication"]
        self.assertEqual((4000, 10000000), (finding["recoverable_ns"], finding["predicted_ns"]))
        self.assertIn("overlap communication", finding["advice"])

    def test_one_number_between_iterations(self):
        """Findings about the same intervals give the same mean of them."""
        text, report = self.run_of(f"wait time=6ms jitter=0.05 grow=200us; {STEP}; {READ}")
        rules = self.rules(report)
        self.assertLessEqual({"host-bound", "growing-interval"}, rules.keys())
        self.assertEqual(
            rules["host-bound"]["evidence"]["interval_ns"],
            rules["growing-interval"]["evidence"]["interval_ns"],
        )
        # means of loops include warm-up: they have other names
        self.assertFalse(report["loops"][0]["summary"].keys() & rules["host-bound"]["evidence"])
        self.assertEqual(
            1, len(set(re.findall(r"(\S+ \S+) between (?:typical )?iterations;", text))), text
        )

    def kernels_of(self, lengths, gap):
        """The text report of iterations of kernels with these lengths, in us, and a gap after them."""
        events, at, number = [], 1000, 0
        for k in range(40):
            for name, length in lengths(k):
                number += 1
                events.append({"ph": "X", "cat": "kernel", "name": name, "pid": 0, "tid": 7, "ts": at,
                               "dur": length,
                               "args": {"device": 0, "stream": 7, "correlation": number}})
                at += length + 2
            at += gap(k)
        path = self.folder / "kernels.json"
        path.write_text(json.dumps({"schemaVersion": 1, "traceEvents": events}))
        return " ".join(cli.run("analyze", path, env=cli.environment(LC_ALL="C.UTF-8")).stdout.split())

    def test_a_part_that_grows_more_than_the_whole(self):
        """It is no part of the period's growth, since other parts shrink."""
        text = self.kernels_of(
            lambda k: [("a", 200), ("b", 300), ("concatenate", 300 + 20 * k)], lambda k: 300 - 5 * k
        )
        self.assertRegex(
            text, r"risen by 5\d\d\.\d µs over the run, 15\.\d+ µs per iteration; compute by "
            r"7\d\d\.\d µs over the run, 20\.\d+ µs per iteration in concatenate → "
        )

    def test_a_step_in_growth(self):
        """Of a period that grows, one step is not all: the finding alone reports it."""
        def lengths(rise):
            return lambda k: [("a", 200), ("b", 300), ("c", 400 + rise * k + (k >= 18) * 160)]
        text = self.kernels_of(lengths(0), lambda k: 20 + k % 3)
        self.assertRegex(text, r"period \+16\d\.\d µs from iteration 18 on")
        self.assertNotIn("growing-iteration:", text)
        text = self.kernels_of(lengths(4), lambda k: 20 + k % 3)
        self.assertIn("growing-iteration:", text)
        self.assertNotIn("from iteration", text)

    def test_slow_since_a_step(self):
        """Iterations that are slow since a step are reported once, as slow ones from there on if these are shown."""
        def lengths(k):
            return [("a", 200), ("b", 300), ("c", 400 + 900 * (k == 7 or k >= 28))]
        text = self.kernels_of(lengths, lambda k: 20 + k % 3)
        self.assertRegex(text, r"slow all iterations from 28 on and 1 other took \d")
        self.assertNotIn("from iteration 28", text)
        for form in "markdown", "html":
            text = cli.run("analyze", f"--format={form}", self.folder / "kernels.json").stdout
            self.assertRegex(text, "period [+]900.0 .s from iteration 28 on")

    def test_class_of_a_loops_stream(self):
        """A stream with less kernel time than the main one does not assist it if it has the loop."""
        path = self.folder / "class.csv"
        rows = [(k * 10, 9.5, 8, f"other_{chr(97 + k % 26)}{chr(97 + k * k % 23)}{k % 7}") for k in range(200)]
        rows += [(k * 50 + i * 10, 5, 7, name) for k in range(40) for i, name in enumerate("abcd")]
        path.write_text(
            '"Start","Duration","Device","Stream","Name"\nms,ms,,,\n'
            + "".join(f'{start},{length},"GPU (0)",{stream},"{name}"\n' for start, length, stream, name in rows))
        text = cli.run("analyze", "-v", "--stream=7", path).stdout
        self.assertRegex(text, r"GPU 0 +8 +main ")
        self.assertRegex(text, r"GPU 0 +7 +loop ")
        self.assertIn("\n  GPU 0, stream 7: 100% of its kernels", text)

    def test_share_of_pageable_copies(self):
        """The cost is 60% of the time that is shown with it, which says why."""
        text, report = self.run_of(f"upload bytes=64M memory=pageable; {STEP}; {READ}", form="nsys")
        finding = self.rules(report)["pageable-copy"]
        self.assertAlmostEqual(
            0.6, finding["recoverable_ns"] / finding["evidence"]["pageable_copy_ns"], delta=0.01
        )
        self.assertRegex(text, r"→ copy from pinned memory \([^)]*\), in less than half the time")

    def test_pairs_of_slow_iterations(self):
        """What recurs regularly is the pair, not each slow iteration."""
        text, _ = self.run_of(
            f"{INPUT}; {STEP}; {READ}; wait time=30ms every=6 offset=1; "
            "wait time=30ms every=6 offset=2", count=60
        )
        self.assertRegex(text, r"\d+ slow iterations in \d+ groups, one every 6 iterations, ")

    def test_costs_of_few_iterations(self):
        """A mean cost that a few typical iterations cause says so; so do parts of slow ones."""
        text, _ = self.run_of(f"{INPUT}; {STEP}; {READ}; wait time=20ms every=4 offset=1", count=4)
        self.assertRegex(text, r"input-bound: costs [^→]*%\), mostly in 1 of 3 iterations")
        late = "wait time=200ms every=20 offset=12"
        text, _ = self.run_of("wait time=100ms every=20 offset=5; upload bytes=1M memory=pinned; "
                              f"{STEP}; {READ}; loss; {late}; loss")
        self.assertRegex(text, r"slow iterations[^→]* more (host|input) wait \(in \d of them\)")

    def test_other_costs_only_beyond_its_own(self):
        """What is saved includes other costs only if it is more than the finding's own."""
        trace = self.folder / "trace.json"
        subprocess.run([cli.SIM, "--no-truth", "-p", "sync-call", "-o", trace], check=True)
        text = " ".join(cli.run("analyze", trace).stdout.split())
        report = json.loads(cli.run("analyze", "--format=json", trace).stdout)
        parts = 0
        for finding in report["findings"]:
            saved = finding["evidence"]["period_ns"] - finding["predicted_ns"]
            said = re.search(rf"{finding['rule']}: costs [^→]*?since another \S+ \S+ of idle time ends",
                             text)
            if said:
                self.assertGreater(saved, finding["recoverable_ns"], finding["rule"])
            elif finding["overlaps"]:
                parts += saved > 0
        self.assertGreater(parts, 0, text)

    def test_more_is_saved_than_it_costs(self):
        """A single finding whose saving exceeds its cost says why."""
        text, report = self.run_of(f"{INPUT}; {STEP}; {READ}; wait time=300us",
                                   nets=NETS.replace("200us", "20us"))
        (finding,) = report["findings"]
        period = report["loops"][0]["summary"]["avg_period_ns"]
        self.assertGreater(period - finding["predicted_ns"], 1.1 * finding["recoverable_ns"])
        more = period - finding["predicted_ns"] - finding["recoverable_ns"]
        idle, overlap = (finding["evidence"][f"saved_{name}_ns"] for name in ("idle", "overlap"))
        self.assertAlmostEqual(1, (idle + overlap) / more, delta=0.05)
        self.assertLess(idle, report["loops"][0]["summary"]["avg_idle_ns"] - finding["recoverable_ns"])
        self.assertRegex(text, r", since another [\d.]+ .s of idle time ends, too, "
                               r"and other work then overlaps for another [\d.]+ .s\)")

    def test_one_change_ends_two(self):
        """Faster launches end both: each prediction names the other, and they are the same."""
        trace = cli.SOURCE / "data" / "h200-training.db.gz"
        text = " ".join(cli.run("analyze", trace).stdout.split())
        found = self.rules(json.loads(cli.run("analyze", "--format=json", trace).stdout))
        both = [found["host-bound"], found["launch-bound"]]
        self.assertEqual(1, len({finding["predicted_ns"] for finding in both}))
        self.assertEqual(["launch-bound", "host-bound"], [at["predicted_with"] for at in both])
        self.assertIsNone(found["warm-up"]["predicted_with"])
        for rule, other in ("host-bound", "launch-bound"), ("launch-bound", "host-bound"):
            self.assertRegex(text, rf"{rule}: costs [^→]*without this and {other}, \d")

    def test_launches_are_late(self):
        """One launch takes half of the time, but the host does nothing that it could do elsewhere."""
        for kernel, advised in ("triton_poi_fused_add", True), ("triton_softmax", False):
            events, at = [], 0
            for k in range(400):
                length = 1000 if k % 20 == 1 else 50
                for event in (("cudaLaunchKernel", "cuda_runtime", 1, at, length),
                              (f"{kernel}_{k % 20}", "kernel", 0, at + length + 2, 5)):
                    name, category, process, start, duration = event
                    events.append({"ph": "X", "name": name, "cat": category, "pid": process,
                                   "tid": 7, "ts": start, "dur": duration,
                                   "args": {"correlation": k, "device": 0, "stream": 7}})
                at += length + 10
            path = self.folder / f"{kernel}.json"
            path.write_text(json.dumps({"schemaVersion": 1, "traceEvents": events}))
            report = json.loads(cli.run("analyze", "--format=json", path).stdout)
            (finding,) = report["findings"]
            self.assertEqual(("host-bound", "critical"), (finding["rule"], finding["severity"]))
            self.assertRegex(finding["advice"], "^reduce launch overhead: ")
            self.assertIs(advised, "torch.compile" in finding["advice"])  # not to programs of JAX
            self.assertLess(finding["predicted_ns"], 200e3)

    def test_a_stream_waits_for_another(self):
        """Stream 7 has work, but waits for a kernel of stream 20, by event 9: any kernel is named."""
        events, number, side = [], 0, "void blas::side_gemm<float>(float const*, float const*, float*)"

        def event(name, category, start, length, **args):
            events.append({"ph": "X", "name": name, "cat": category, "ts": start, "dur": length,
                           "pid": 1, "tid": 1, "args": args})

        def launch(name, stream, called, start, length):
            nonlocal number
            number += 1
            event("cudaLaunchKernel", "cuda_runtime", called, 2, correlation=number)
            event(name, "kernel", start, length, correlation=number, device=0, context=1,
                  stream=stream)

        for k in range(20):
            at = 1000 * k
            launch("first", 7, at, at + 10, 90)
            launch(side, 20, at + 5, at + 20, 350)
            number += 2
            event("Stream Wait Event", "cuda_sync", at + 12, 1, stream=7, device=0, context=1,
                  correlation=number, wait_on_stream=20, wait_on_cuda_event_id=9,
                  wait_on_cuda_event_record_corr_id=number - 1)
            launch("second", 7, at + 15, at + 371, 500)
            launch("third", 7, at + 20, at + 872, 120)
        trace = self.folder / "waits.json"
        trace.write_text(json.dumps({"schemaVersion": 1, "traceEvents": events}))
        report = json.loads(cli.run("analyze", "--format=json", trace).stdout)
        self.assertEqual(report["loops"][0]["stream_waits"],
                         [{"name": side, "device": 0, "stream": 20, "event": 9, "ns": 270000}])
        text = cli.run("analyze", trace, env=cli.environment(LC_ALL="C.UTF-8")).stdout
        self.assertIn("waits   270.0 µs for blas::side_gemm<float> on stream 20 (event 9)", text)
        cli.run("export", "--format=sqlite", trace, "-o", self.folder / "t.db")
        with contextlib.closing(sqlite3.connect(self.folder / "t.db")) as db:
            self.assertEqual(
                db.execute("SELECT name, s.stream, event, ns FROM stream_wait w"
                           " JOIN stream s ON s.id = w.stream").fetchall(),
                [(side, 20, 9, 270000)])
        page = cli.run("analyze", "--format=html", trace).stdout
        waits = page[page.index('"waits":'):][:120]
        self.assertRegex(waits, r'\[0,20,9,"void blas::side_gemm.*",270000\]')

    def test_groups_instead_of_a_median(self):
        """Of two and two periods that are far apart no form of the report gives a median."""
        text, _ = self.run_of(f"{INPUT}; {STEP}; {READ}; wait time=300ms every=2", count=5)
        groups = re.search(r", periods (\S+ \S+ and \S+ \S+ \(2 each\))", text)[1]
        for form in "markdown", "html":
            report = cli.run("analyze", f"--format={form}", self.folder / "trace.kineto").stdout
            self.assertIn(groups, report, form)
            self.assertNotIn("### median", report)
            self.assertNotIn(", median period **", report)

    def test_range_instead_of_groups(self):
        """Unlike periods make no group: their mean is the period of none."""
        text, report = self.run_of(
            f"{INPUT}; {STEP}; {READ}; wait time=300ms every=2; wait time=900ms every=4", count=5
        )
        (loop,) = [loop for loop in report["loops"] if loop["parent"] is None]
        periods = [x["period_ns"] / 1e6 for x in loop["iterations"] if x["period_ns"]]
        self.assertEqual(len(periods), 4)
        low, high = re.search(r"kernels, periods ([\d.]+) ms–([\d.]+) s GPU", text).groups()
        self.assertAlmostEqual(float(low), min(periods), delta=0.01)
        self.assertAlmostEqual(float(high) * 1000, max(periods), delta=1)
        for form in "markdown", "html":
            page = cli.run("analyze", f"--format={form}", self.folder / "trace.kineto").stdout
            self.assertRegex(page, f"{low} ms(–| to ){high} s", form)

    def test_loops_inside(self):
        """They are counted in whole iterations, whatever the capture cuts off."""
        text, report = self.run_of(STEP, count=6, keys="head = 0.6\nafter = 2\n", args=("-v",))
        (outer,) = [x for x in report["loops"] if x["parent"] is None]
        whole = [x for x in outer["iterations"] if not x["partial"]]
        reported = 0
        for loop in report["loops"]:
            if loop["parent"] != outer["id"]:
                continue
            runs = sum(
                not x["partial"]
                and any(0 <= x["first_kernel"] - w["first_kernel"] < w["kernels"] for w in whole)
                for x in loop["iterations"]
            )
            reported += f" {loop['pattern']['length']} kernels × {runs // len(whole)} (" in text
        self.assertGreater(reported, 0)
        self.assertNotRegex(text, r"kernels × \d+\.\d ")

    def test_captures_without_a_loop(self):
        """What needs no second iteration is reported of the whole capture, and of a single step."""
        work = f"{INPUT}; {STEP}; reduce bytes=3000M count=3 block=yes"
        text, report = self.run_of(f"{work}; wait time=700ms; {INPUT}; forward model", count=1)
        self.assertEqual([], report["loops"])
        found = self.rules(report)
        self.assertEqual({"exposed-communication", "starved"}, set(found))
        for finding in found.values():
            self.assertIsNone(finding["loop"])
            self.assertIsNone(finding["iterations"])
            self.assertEqual([0], finding["devices"])
            self.assertEqual([finding["recoverable_ns"]], finding["costs_ns"])
        cost_ns = found["exposed-communication"]["recoverable_ns"]
        self.assertAlmostEqual(30e6, cost_ns, delta=3e6)
        self.assertAlmostEqual(600e6, found["starved"]["recoverable_ns"], delta=100e6)
        self.assertRegex(text, r"exposed-communication: costs [23]\d\.\d+ ms of the capture")
        # The host did something without a name, then came the upload.
        self.assertRegex(text, r"longest gap 5\d\d\.\d ms before Memcpy HtoD")
        for form in "html", "sqlite", "perfetto", "chrome", "markdown":
            done = cli.run(
                "analyze", f"--format={form}", "-o", self.folder / form, self.folder / "trace.kineto"
            )
            self.assertEqual((0, ""), (done.returncode, done.stderr), form)

    def test_one_call_takes_most_of_a_capture(self):
        """The advice is about it, not about the timeline, in which it would be seen."""
        text, report = self.run_of(
            f"{STEP}; stall time=3s api=malloc; forward model", count=1
        )
        found = self.rules(report)
        finding = found["starved"]
        self.assertAlmostEqual(3e9, finding["evidence"]["gap_call_ns"], delta=1e8)
        self.assertRegex(finding["advice"], "^if this is start-up, record a later part")
        # The same time is not counted twice, and there is no iteration that it is a part of.
        self.assertEqual((None, "starved"), (finding["overlaps"], found["api-stall"]["overlaps"]))
        self.assertRegex(text, r"idle GPU time; longest gap 2\.9\d+ s, all of it in cudaMalloc")
        self.assertRegex(text, r"GPU busy \d+\.\d% of the capture")
        self.assertNotIn("iteration (", text)

    def test_the_only_period(self):
        """Of one steady period there is no deviation, and no mean over iterations."""
        for count, words in (2, "of the only period recorded ("), (3, "of the only steady period ("):
            text, report = self.run_of(
                f"{INPUT}; {STEP}; {READ}; wait time=300ms until=1; wait time=9ms", count=count
            )
            self.assertEqual(count > 2, report["loops"][0]["iterations"][0]["warmup"])
            self.assertIn(words, text)
            self.assertNotIn("per iteration (", text)
            self.assertNotIn("(±", text.split("Loop 0")[1].split("GPU 0")[0])
            markdown = cli.run("analyze", "--format=markdown", self.folder / "trace.kineto").stdout
            self.assertNotIn("(±", markdown)

    def test_no_bars_of_one_value(self):
        """Other kernels follow one of two periods: no bar is drawn, so none is named."""
        events, at = [], 1000
        for step in range(3):
            names = [f"kernel_{i}" for i in range(10)] + [f"other_{i}" for i in range(5) if step == 1]
            events.append({"ph": "X", "cat": "user_annotation", "name": f"step {step}", "pid": 1, "tid": 1,
                           "ts": at - 1, "dur": 1010})
            for name in names:
                link = {"correlation": len(events)}
                events.extend((
                    {"ph": "X", "cat": "kernel", "name": name, "pid": 0, "tid": 7, "ts": at + 10, "dur": 80,
                     "args": {"device": 0, "stream": 7, **link}},
                    {"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "pid": 1, "tid": 1,
                     "ts": at, "dur": 5, "args": link}))
                at += 100
            at += 500
        trace = self.folder / "apart.json"
        trace.write_text(json.dumps({"schemaVersion": 1, "traceEvents": events}))
        text = cli.run("analyze", "--marks=^step", trace).stdout
        self.assertIn("\n  period  1.500 ms; excludes 1 followed by other kernels\n", text)

    def named_wait(self, iterations, wait_us=700000, category="cpu_op", name="read_table", early=False, twin=None):
        """
        A report of kernels of a Kineto trace, after one of which an operator takes 700 ms. early:
        the next kernel is launched before. twin: another operator, at the start.
        """
        events = []
        for k in range(iterations):
            for i in range(40):
                late = k > iterations // 2 or k == iterations // 2 and i >= 20
                start = 1000 + 8000 * k + 200 * i + (wait_us if late else 0)
                link = {"correlation": len(events) + 1}
                first = late and k == iterations // 2 and i == 20
                called = start - wait_us if early and first else start
                events.extend((
                    {"ph": "X", "cat": "kernel", "name": f"kernel_{i}", "pid": 0, "tid": 7,
                     "ts": start + 10, "dur": 190, "args": {"device": 0, "stream": 7, **link}},
                    {"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "pid": 1,
                     "tid": 1, "ts": called, "dur": 5, "args": link}))
        events.append({"ph": "X", "cat": category, "name": name, "pid": 1, "tid": 1,
                       "ts": 1000 + 8000 * (iterations // 2) + 19 * 200 + 100, "dur": wait_us - 1000})
        if twin:
            events.append({**events[-1], "name": twin, "ts": 1000, "dur": 1})
        trace = self.folder / "named.json"
        trace.write_text(json.dumps({"schemaVersion": 1, "traceEvents": events}))
        report = json.loads(cli.run("analyze", "--format=json", trace).stdout)
        return report, cli.run("analyze", trace).stdout

    def test_starved_names_the_operator(self):
        """That the host was in: in a capture without a loop, and in some iteration of a loop."""
        for iterations in 1, 30:
            report, text = self.named_wait(iterations)
            self.assertEqual(iterations > 1, bool(report["loops"]))
            finding = self.rules(report)["starved"]
            (row,) = finding["ranges"]
            self.assertEqual("read_table", row["name"])
            self.assertGreater(row["share"], 0.9)
            self.assertAlmostEqual(699e6, row["ns"], delta=5e6)
            self.assertIn("read_table", text)

    def test_numbered_annotations_are_one(self):
        """A part of a name behind '#' is a class's only for methods."""
        for names, shown in (
            (("shard_7_load", "shard_8_load"), "shard_#_load"),
            (("shard7_load", "shard8_load"), "shard#_load"),
            (("shard_7", None), "shard_7"),
            (("Loader.step#Table.step", None), "Loader.step"),
            (("enumerate(Table)#_Iter.__next__", None), "enumerate(Table)"),
        ):
            report, text = self.named_wait(30, category="user_annotation", name=names[0], twin=names[1])
            self.assertIn(f"mostly {shown};", " ".join(text.split()))
            name = shown if names[1] else names[0]
            self.assertEqual(name, self.rules(report)["starved"]["ranges"][0]["name"])

    def test_starved_names_calls_once(self):
        """What the idle time is spent in, then what the longest gap is."""
        _, text = self.named_wait(1, category="cuda_runtime", name="cudaMalloc")
        self.assertRegex(
            " ".join(text.split()), r"idle GPU time, mostly cudaMalloc; longest gap 7\d\d\.\d ms, nearly all of it in cudaMalloc"
        )

    def test_advice_on_the_call_that_takes_most(self):
        """A copy has to be made each time, and a wait is for something else: only others are made once."""
        for name, words in (
            ("hipMemcpyWithStream", "if these copies recur, make them asynchronous: cudaMemcpyAsync, from "
             "and to pinned memory"),
            ("cuStreamSynchronize", "the host waits although this GPU is idle"),
            ("cudaMalloc", "if these calls recur, make them once"),
        ):
            report, _ = self.named_wait(1, category="cuda_runtime", name=name)
            self.assertIn(words, self.rules(report)["starved"]["advice"])
        # what waits for work that is launched and does not start is not to blame
        report, text = self.named_wait(1, category="cuda_runtime", name="hipMemcpyWithStream", early=True)
        self.assertIn("work is launched and does not start", self.rules(report)["starved"]["advice"])
        self.assertNotIn("hipMemcpyWithStream", text)

    def test_captures_with_few_kernels_per_stream(self):
        """The device is judged, whatever its streams; without findings, the report says so."""
        path = self.folder / "streams.csv"
        for length, found in (1000, ["starved"]), (9999, []):
            path.write_text(
                '"Start","Duration","Device","Stream","Name"\nms,us,,,\n'
                + "".join(f'{k}0.0,{length},"GPU (0)",{k % 4},"kernel_{k}"\n' for k in range(12))
            )
            report = json.loads(cli.run("analyze", "--format=json", path).stdout)
            self.assertEqual(([], found), (report["loops"], list(self.rules(report))))
            for form in "text", "markdown":
                text = cli.run("analyze", f"--format={form}", path).stdout
                self.assertEqual(not found, "No findings. Without iterations" in text, form)

    def test_words_of_a_range(self):
        """Under --range, the capture is still the whole file."""
        events = [{"ph": "X", "cat": "kernel", "name": "abcd"[k % 4], "pid": 0, "tid": 7,
                   "ts": 1000 + 100 * k + (40000 if k >= 40 else 0), "dur": 50,
                   "args": {"device": 3, "stream": 7}} for k in range(60)]
        path = self.folder / "range.json"
        path.write_text(json.dumps({"schemaVersion": 1, "traceEvents": events}))
        env = cli.environment(LC_ALL="C.UTF-8")
        text = " ".join(cli.run("analyze", "-n", "10", "--range=0:12ms", path, env=env).stdout.split())
        self.assertIn("GPU 3, 45.95 ms", text)
        self.assertIn("runs from 0 ns to 3.950 ms; the rest of the range: ", text)
        text = " ".join(cli.run("analyze", "-n", "10", "--range=0:4ms", path, env=env).stdout.split())
        self.assertNotIn("runs from", text)

    def test_the_rest_of_a_capture(self):
        """If a loop takes little of it, the report says what the GPU does before and after."""
        path = self.folder / "rest.csv"
        rows = [(0, 700, "[CUDA memcpy HtoD]")]
        rows += [(1000 + k, 0.9, "abc"[k % 3]) for k in range(60)]
        rows += [(1060, 200, "[CUDA memcpy DtoH]")]
        small = [(800, 12, "[CUDA memset]"), (900, 24, "set_up")]
        # parts may overlap
        for more, parts in ([], "uploads 58.3%, downloads 16.7%, idle 25.0%"), \
                (small, "uploads 58.3%, downloads 16.7%, idle 22.0%, all else 3.0%"), \
                ([(300, 400, "set_up"), small[0]],
                 "kernels 33.3%, uploads 58.3%, downloads 16.7%, idle 24.0%, all else 1.0%"):
            path.write_text(
                '"Start","Duration","Device","Stream","Name"\nms,ms,,,\n'
                + "".join(f'{start},{length},"GPU (0)",7,"{name}"\n' for start, length, name in rows + more)
            )
            text = " ".join(cli.run("analyze", path).stdout.split())
            self.assertRegex(text, f"the rest of the capture: {parts}(?!,)")

    def test_copies_without_bytes(self):
        """The table of copies says once that their sums are unknown, not only with a dash."""
        path = self.folder / "bytes.json"
        for known, words in (0, "the bytes of copies are not recorded"), \
                (5, "the bytes of 7 of 12 copies are not recorded"), (12, None):
            events = [{"ph": "X", "cat": category, "name": name, "pid": 0, "tid": 7, "ts": 100 * k + start, "dur": 20,
                       "args": {"device": 0, "stream": 7, **({"bytes": 4096} if k < known else {})}}
                      for k in range(12) for start, name, category in (
                          (0, "Memcpy HtoD (Pinned -> Device)", "gpu_memcpy"), (30, "gemm", "kernel"),
                          (60, "relu", "kernel"))]
            path.write_text(json.dumps({"schemaVersion": 1, "traceEvents": events}))
            text = cli.run("analyze", "-v", path).stdout
            if words:
                self.assertIn(f"\n{words}\n", text)
            else:
                self.assertNotIn("the bytes of", text)

    def test_kernels_on_other_streams(self):
        """They are counted per iteration, and are not minor because the GPU is mostly idle."""
        path = self.folder / "streams.csv"
        rows = []
        for k in range(30):
            rows += [(100 * k + 10 * i, 1, 7, "abcdefgh"[i]) for i in range(8)]
            rows += [(100 * k + 5 + 20 * i, 0.2, 8 + i, "worker") for i in range(2)]
        path.write_text(
            '"Start","Duration","Device","Stream","Name"\nms,ms,,,\n'
            + "".join(f'{start},{length},"GPU (0)",{stream},"{name}"\n'
                      for start, length, stream, name in sorted(rows))
        )
        text = " ".join(cli.run("analyze", path).stdout.split())
        self.assertIn("30 iterations of 8 kernels", text)
        self.assertIn("stream 7: 100% of its kernels; 2 more per iteration on 2 other streams;", text)
        self.assertIn("9.000 ms between kernels of the loop", text)
        self.assertNotIn("minor", text)

    def test_contents_of_iterations(self):
        """A range where many iterations have another number of kernels, and the copies of each."""
        for most, copies, words in (
            (0, 0, "8 kernels, median"), (2, 0, "8-10 kernels, median"),
            (0, 3, "8 kernels and 3 copies, median"), (2, 3, "8-10 kernels and 3 copies, median"),
        ):
            path = self.folder / "contents.csv"
            rows = []
            for k in range(30):
                names = "abcdefgh"[:4] + "x" * (k * 7 % 3 * most // 2) + "efgh"
                rows += [(100 * k + 5 * i, 1, name) for i, name in enumerate(names)]
                rows += [(100 * k + 80 + i, 0.5, "[CUDA memcpy HtoD]") for i in range(copies)]
            path.write_text(
                '"Start","Duration","Device","Stream","Name"\nms,ms,,,\n'
                + "".join(f'{start},{length},"GPU (0)",7,"{name}"\n' for start, length, name in rows))
            self.assertIn(f"30 iterations of {words}", cli.run("analyze", path).stdout)
            text = cli.run("analyze", "--format=markdown", path).stdout
            self.assertIn(f"30 iterations of {words.split(',')[0]}", text.replace("\u2013", "-"))

    def test_varying_copies(self):
        """Where iterations vary, so do the copies that were searched: their number is the pattern's."""
        path, rows, now = self.folder / "varying.csv", [], 0.0
        for times in 5, 2, 5, 4, 5, 3, 5, 6:
            now += 90
            rows.append((now, 1, "[CUDA memcpy HtoD]"))
            for step in range(times):
                for name in ("[CUDA memset]", "[CUDA memset]", "[CUDA memcpy HtoD]", "[CUDA memcpy HtoD]",
                             "insert" if step else "first", "[CUDA memcpy DtoH]"):
                    now += 1.1
                    rows.append((now, 1, name))
        path.write_text(
            '"Start","Duration","Device","Stream","Name"\nms,ms,,,\n'
            + "".join(f'{start:.3f},{length},"GPU (0)",7,"{name}"\n' for start, length, name in rows))
        text = " ".join(cli.run("analyze", path).stdout.split())
        self.assertIn("8 iterations of 2-6 kernels (pattern: 5 kernels, 16 copies and 10 memsets), median",
                      text.replace("\u2013", "-"))

    def test_minor_findings(self):
        """What costs next to nothing of the run is shown with -v only, and is no warning."""
        path = self.folder / "minor.csv"
        rows, now = [], 0
        for name, length, gap, count in ("a", 1000, 20, 100), ("b", 12, 0.8, 100):
            for _ in range(count):
                rows.append((now, length, name))
                now += length + gap
        path.write_text(
            '"Start","Duration","Device","Stream","Name"\nus,us,,,\n'
            + "".join(f'{start:.3f},{length},"GPU (0)",7,"{name}"\n' for start, length, name in rows))
        report = json.loads(cli.run("analyze", "--format=json", "--threshold=host-bound=1%", path).stdout)
        self.assertEqual([(0, "info"), (1, "info")],
                         [(f["loop"], f["severity"]) for f in report["findings"] if f["rule"] == "host-bound"])
        text = cli.run("analyze", "--threshold=host-bound=1%", path).stdout
        self.assertRegex(text, r"1\. info host-bound in loop 0 \(\d\d% confidence\): costs 20\.00 us")
        self.assertNotIn("in loop 1", text)
        self.assertIn("and 1 more finding (-v shows all)", text)
        text = cli.run("analyze", path).stdout
        self.assertIn("\nNo findings but 1 minor one (-v shows it)\n", text)
        self.assertRegex(cli.run("analyze", "-v", path).stdout,
                         r"1\. info host-bound in loop 1 \(\d\d% confidence\): costs 800")

    def test_what_starts_long_after_its_launch(self):
        """The host is not to blame for the time in which a kernel was launched and did not start."""
        events, now = [], 1000
        for k in range(20):
            for i in range(10):
                delay = 4000 if i == 5 else 5
                link = {"correlation": len(events) + 1}
                events.extend((
                    {"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "pid": 1, "tid": 1,
                     "ts": now, "dur": 5, "args": link},
                    {"ph": "X", "cat": "kernel", "name": f"kernel_{i}", "pid": 0, "tid": 7,
                     "ts": now + 5 + delay, "dur": 900, "args": {"device": 0, "stream": 7, **link}}))
                now += delay + 910
        trace = self.folder / "late.json"
        trace.write_text(json.dumps({"schemaVersion": 1, "traceEvents": events}))
        report = json.loads(cli.run("analyze", "--format=json", trace).stdout)
        (loop,) = report["loops"]
        self.assertAlmostEqual(4e6, loop["summary"]["avg_idle_other_ns"], delta=1e4)
        self.assertLess(loop["summary"]["avg_idle_host_ns"], 2e5)
        self.assertEqual([], report["findings"])
        text = " ".join(cli.run("analyze", trace).stdout.split())
        self.assertIn("No findings", text)
        self.assertRegex(text, r"But for 3\d\.\d% of an iteration, the GPU is idle for a reason that the trace does not show", text)

    def test_repeated_uploads_by_size(self):
        """A trace has the sizes of uploads: whether the data is the same is left to the reader."""
        text, report = self.run_of(
            f"upload bytes=32M memory=pinned; upload bytes=256M memory=pinned; {STEP}"
        )
        self.assertIn("repeated-upload", self.rules(report))
        self.assertIn(" uploads of the same sizes", text)
        self.assertIn("→ if these uploads carry the same data (", text)

    def test_repetitions_that_may_be_layers(self):
        """The report says why they are refused, and how to get them."""
        trace = self.folder / "few.json"
        trace.write_text(json.dumps({"schemaVersion": 1, "traceEvents": [
            {"ph": "X", "cat": "kernel", "name": ("abs_elementwise_kernel", "reduce_kernel")[i % 2],
             "pid": 0, "tid": 7, "ts": 100 * i, "dur": 50, "args": {"device": 0, "stream": 7}}
            for i in range(20)]}))
        text = " ".join(cli.run("analyze", trace).stdout.split())
        # two kernels are too few for a layer of a network
        self.assertIn("10 repetitions of 2 kernels are 100% of the stream: iterations of a short "
                      "loop, or parts of a single pass.", text)
        self.assertNotIn("layer", text)
        self.assertIn("If each of the 10 repetitions is an iteration, pass -n 10.", text)
        self.assertIn("10 iterations of 2 kernels", cli.run("analyze", "-n10", trace).stdout)
        self.assertIn("10 repetitions of 2 kernels may be a short loop or parts of a single pass",
                      cli.run("analyze", "--format=csv", trace).stderr)

    def test_number_of_partial_layers(self):
        """No number is suggested where pauses within layers cut the first and the last of 24."""
        path = self.folder / "cut.json"
        setup = [f"setup_{k}" for k in range(7)]
        layer = ("norm copy copy copy flash copy add norm gemm act gemm add").split()
        for pause, hint in (0, "pass -n 24."), (6, None):
            at, events = 0, []
            for k, name in enumerate([*setup, *layer * 24, "norm", "head", "loss"]):
                at += 720 if (k - len(setup)) % len(layer) == pause else 20
                link = {"correlation": k + 1}
                events.extend((
                    {"ph": "X", "cat": "kernel", "name": name, "pid": 0, "tid": 7, "ts": at + 10,
                     "dur": 15, "args": {"device": 0, "stream": 7, **link}},
                    {"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "pid": 1,
                     "tid": 1, "ts": at, "dur": 5, "args": link}))
            path.write_text(json.dumps({"schemaVersion": 1, "traceEvents": events}))
            text = " ".join(cli.run("analyze", path).stdout.split())
            self.assertRegex(text, r"looks like a single pass through a network: 2[34] repetitions of "
                             r"12 kernels \(9\d\.\d% of the stream\) look like its layers \(\d\d% confidence")
            self.assertIn(hint or "", text)
            self.assertEqual(bool(hint), "pass -n " in text)
            self.assertIn("Record several iterations, so that the whole pass repeats.", text)
            self.assertIn("or record it with annotations (--marks)", text)
            if hint:
                self.assertIn("stream 7: the 24 iterations of 12 kernels look like the layers of a "
                              "single pass", cli.run("analyze", "-n", "24", path).stderr)
        # one step is marked, as in many short captures: annotations are there
        events.append({"ph": "X", "cat": "user_annotation", "name": "ProfilerStep#6", "pid": 1,
                       "tid": 1, "ts": 0, "dur": at + 100})
        path.write_text(json.dumps({"schemaVersion": 1, "traceEvents": events}))
        for options in [], ["--ignore-marks"]:
            text = " ".join(cli.run("analyze", *options, path).stdout.split())
            self.assertIn("pass their number (-n N).", text)

    def test_suggested_number_is_found(self):
        """No number is suggested with which no loop is found either."""
        names = {"a": "relu_elementwise_kernel", "d": "sgemm_64", "g": "reduce_kernel", "j": "sgemm_128"}
        path = self.folder / "backward.json"
        events = []
        for k, of in enumerate("abcdefg" * 3 + "bcdehijkgabcdehijkgabcdehidkgabcjehidkabcal"):
            link = {"correlation": k + 1}
            events.extend((
                {"ph": "X", "cat": "kernel", "name": names.get(of, f"winograd_{of}"), "pid": 0, "tid": 7,
                 "ts": 20 * k + 10, "dur": 10, "args": {"device": 0, "stream": 7, **link}},
                {"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "pid": 1, "tid": 1,
                 "ts": 20 * k, "dur": 5, "args": link}))
        path.write_text(json.dumps({"schemaVersion": 1, "traceEvents": events}))
        known = json.loads(cli.run("analyze", "--format=json", path).stdout)["streams"][0]["candidate"]
        self.assertEqual((7, 3), (known["length"], known["iterations"]))
        self.assertIn("has no loop of 3 iterations", cli.run("analyze", "-n3", path).stderr)
        text = " ".join(cli.run("analyze", path).stdout.split())
        self.assertIn("3 repetitions of 7 kernels", text)
        self.assertNotIn("pass -n", text)

    def test_marked_step_of_layers_alone(self):
        """The report says that equal layers, which fill a marked step and pass for iterations, may be layers."""
        path = self.folder / "blocks.json"
        layer = "rmsnorm gemm_q gemm_k gemm_v rope flash_fwd gemm_o add rmsnorm gemm_up silu gemm_down add".split()
        events = [{"ph": "X", "cat": "user_annotation", "name": "ProfilerStep#3", "pid": 1, "tid": 1,
                   "ts": 0, "dur": 4000}]
        for k, name in enumerate(layer * 12):
            link = {"correlation": k + 1}
            events.extend((
                {"ph": "X", "cat": "kernel", "name": name, "pid": 0, "tid": 7, "ts": 20 * k + 10,
                 "dur": 15, "args": {"device": 0, "stream": 7, **link}},
                {"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "pid": 1, "tid": 1,
                 "ts": 20 * k, "dur": 5, "args": link}))
        for marked in True, False:
            path.write_text(json.dumps({"schemaVersion": 1, "traceEvents": events[not marked:]}))
            text = " ".join(cli.run("analyze", path).stdout.split())
            self.assertRegex(text, r"12 iterations of 13 kernels.* detected from kernel order \(8\d% confidence\)")
            self.assertEqual(marked, "; an annotation marks nearly all of the stream as a single iteration, "
                                     "whose layers these may be" in text)
            (loop,) = json.loads(cli.run("analyze", "--format=json", path).stdout)["loops"]
            self.assertEqual(marked, loop["single_iteration"])

    def test_layers_of_a_marked_step(self):
        """What is inside a single marked step is named, with the reason why it is not reported."""
        path = self.folder / "step.json"
        letters = [chr(97 + k // 26) + chr(97 + k % 26) for k in range(200)]
        names = [f"embed_{k}" for k in letters[:20]]
        names += [f"block_{k}" for k in letters] * 4 + [f"head_{k}" for k in letters[:20]]
        events = [{"ph": "X", "cat": "kernel", "name": kernel, "pid": 0, "tid": 7,
                   "ts": 20 * k + 10, "dur": 15,
                   "args": {"device": 0, "stream": 7, "correlation": k + 1}} for k, kernel in enumerate(names)]
        events += [{"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "pid": 1,
                    "tid": 1, "ts": 20 * k, "dur": 5, "args": {"correlation": k + 1}}
                   for k in range(840)]
        for duration in 20000, 16500:  # of all kernels, and of 97% of them
            step = {"ph": "X", "cat": "user_annotation", "name": "ProfilerStep#6", "pid": 1,
                    "tid": 1, "ts": 0, "dur": duration}
            path.write_text(json.dumps({"schemaVersion": 1, "traceEvents": [*events, step]}))
            text = " ".join(cli.run("analyze", path).stdout.split())
            self.assertRegex(text, r"An annotation marks nearly all of the stream as a single "
                             r"iteration\. Inside, 4 repetitions of 200 kernels cover 97\.6% of it: its "
                             r"layers, or iterations themselves \(\d\d% confidence that they are\)\.")
            self.assertIn("pass -n 4.", text)
            known = json.loads(cli.run("analyze", "--format=json", path).stdout)["streams"][0]["candidate"]
            self.assertEqual([known[key] for key in ("length", "iterations", "kernels", "longest_row")],
                             [200, 4, 840, None])
            self.assertGreater(known["coverage"], 0.95)
            self.assertIs(known["single_iteration"], True)
            self.assertIn(known["advice"], text)
            brief = json.loads(cli.run("analyze", "--format=json", "--brief", path).stdout)
            self.assertEqual(brief["streams"], [{"device": 0, "stream": 7, "candidate": known}])

    def test_brief_counts_streams_without_a_loop(self):
        path = self.folder / "five.json"
        events = [{"ph": "X", "cat": "kernel", "name": f"kernel_{chr(97 + k % 26)}{chr(97 + k // 26)}", "pid": device,
                   "tid": 7, "ts": 20 * k + 10, "dur": 15, "args": {"device": device, "stream": 7}}
                  for device in range(5) for k in range(100)]
        path.write_text(json.dumps({"schemaVersion": 1, "traceEvents": events}))
        brief = json.loads(cli.run("analyze", "--format=json", "--brief", path).stdout)
        self.assertEqual([stream["device"] for stream in brief["streams"]], [0, 1])
        self.assertEqual(brief["left_out"], {"streams": 3, "loops": 0, "findings": 0})

    def test_marked_step_without_repetitions(self):
        """A single marked step is mentioned, unless it is to be ignored."""
        path = self.folder / "once.json"
        events = [{"ph": "X", "cat": "kernel", "name": "kernel_" + chr(97 + k % 26) + chr(97 + k // 26), "pid": 0,
                   "tid": 7, "ts": 20 * k + 10, "dur": 15, "args": {"device": 0, "stream": 7, "correlation": k + 1}}
                  for k in range(100)]
        events += [{"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "pid": 1,
                    "tid": 1, "ts": 20 * k, "dur": 5, "args": {"correlation": k + 1}} for k in range(100)]
        events.append({"ph": "X", "cat": "user_annotation", "name": "ProfilerStep#6", "pid": 1, "tid": 1,
                       "ts": 0, "dur": 2500})
        path.write_text(json.dumps({"schemaVersion": 1, "traceEvents": events}))
        words = "An annotation marks nearly all of the stream as a single iteration. No part of its stream repeats"
        for form in "text", "html", "markdown":
            for options in [], ["--ignore-marks"], ["-n", "3"]:
                text = " ".join(cli.run("analyze", "--format", form, *options, path).stdout.split())
                (self.assertNotIn if options else self.assertIn)(words, text)
                self.assertIn("No part of its stream repeats", text)

    def test_loop_of_a_part_of_a_marked_step(self):
        """What repeats in less than half of a marked step is neither its iterations nor its layers."""
        path = self.folder / "part.json"
        runs = {"init": 97, "fill": 73, "cast": 293, "copy": 97, "last": 80}
        names = [name for name, count in runs.items() for _ in range(count)]
        events = [{"ph": "X", "cat": "kernel", "name": name, "pid": 0, "tid": 7, "ts": 20 * k + 10,
                   "dur": 15, "args": {"device": 0, "stream": 7, "correlation": k + 1}}
                  for k, name in enumerate(names)]
        events += [{"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "pid": 1,
                    "tid": 1, "ts": 20 * k, "dur": 5, "args": {"correlation": k + 1}}
                   for k in range(len(names))]
        step = {"ph": "X", "cat": "user_annotation", "name": "ProfilerStep#6", "pid": 1, "tid": 1,
                "ts": 0, "dur": 20 * len(names)}
        path.write_text(json.dumps({"schemaVersion": 1, "traceEvents": events}))
        self.assertIn("293 iterations of 1 kernel", cli.run("analyze", path).stdout)
        path.write_text(json.dumps({"schemaVersion": 1, "traceEvents": [*events, step]}))
        self.assertRegex(" ".join(cli.run("analyze", path).stdout.split()),
                         r"An annotation marks nearly all of the stream as a single iteration\. Inside, "
                         r"293 repetitions of 1 kernel cover \d\d\.\d% of it, too little for its "
                         r"layers, or for iterations\.")

    def test_words_of_a_capture(self):
        """Without iterations, numbers are of the capture; lines of one label are shown as one."""
        events = []

        def event(name, category, start, duration, **args):
            device = category == "kernel"
            events.append({"ph": "X", "cat": category, "name": name, "pid": 0 if device else 1,
                           "tid": 7 if device else 1, "ts": start, "dur": duration, "args": args})

        for i in range(20):
            at = 1000 + 300000 * i
            event("cudaLaunchKernel", "cuda_runtime", at, 5, correlation=i + 1)
            event(f"kernel_{i}", "kernel", at + 10, 190, device=0, stream=7, correlation=i + 1)
            event("cudaMalloc", "cuda_runtime", at + 100, 100000)
            event(f"{{'traceMarker': ['train.py:{i % 2}', '/torch/conv.py:456']}}", "cpu_op", at + 50,
                  250000)
        trace = self.folder / "capture.json"
        trace.write_text(json.dumps({"schemaVersion": 1, "traceEvents": events}))
        text = " ".join(cli.run("analyze", trace).stdout.split())
        self.assertRegex(text, r"api-stall: .*GPU busy 0\.\d% of the capture")
        self.assertEqual(1, text.count("conv.py:456"), text)
        self.assertIn("cudaMalloc (19 calls in all)", text)
        for at in events:
            at["name"] = re.sub(r"kernel_\d+", "kernel", at["name"])
        trace.write_text(json.dumps({"schemaVersion": 1, "traceEvents": events}))
        text = " ".join(cli.run("analyze", trace).stdout.split())
        self.assertIn("cudaMalloc (1 call per iteration)", text)

    def test_advice_for_named_host_work(self):
        """No look at a timeline is needed for what has a name."""
        for report, _ in self.named_wait(1, 6000), self.named_wait(30):
            self.assertRegex(self.rules(report)["starved"]["advice"],
                             "^do this host work ahead of time")

    def test_single_iteration(self):
        """The only step that is marked is judged, as far as one iteration can be."""
        text, report = self.run_of(
            f"{INPUT}; forward model; reduce bytes=3000M count=3 block=yes; optimize model",
            count=1, keys="marks = yes\n", loop="mark = step\n", args=("--marks=step",)
        )
        finding = self.rules(report)["exposed-communication"]
        (loop,) = [x for x in report["loops"] if x["parent"] is None]
        self.assertEqual((loop["id"], [0, 0]), (finding["loop"], finding["iterations"]))
        self.assertIn("of the iteration (", text)
        self.assertNotIn("per iteration", text)

    def test_slow_by_launch_latency(self):
        """What most slow iterations have more of is the advice."""
        trace = self.folder / "gaps.json"
        events, at = [], 1000.0
        for k in range(100):
            ids = {"correlation": k + 1}
            events.append({"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "pid": 1,
                           "tid": 1, "ts": k, "dur": 0.5, "args": ids})
            events.append({"ph": "X", "cat": "kernel", "name": "forward", "pid": 0, "tid": 7, "ts": at,
                           "dur": 8, "args": {"device": 0, "stream": 7, **ids}})
            # some of the slow ones wait longer than launches take
            at += 8 + (5 if k % 5 else 20 if k % 30 else 38)
        trace.write_text(json.dumps({"traceEvents": events}))
        text = " ".join(cli.run("analyze", trace).stdout.split())
        self.assertRegex(text, r"slow-iterations: .* slow iterations, (every 5th, )?\d+\.\d+ [uµ]s more launch latency "
                               r"\(in 16 of them\), ")
        self.assertIn("kernels follow each other more slowly there", text)

    def test_graphs_are_no_kernels(self):
        """Launches that are recorded as one operation are counted apart."""
        trace = cli.simulate(self.folder / "graphs", "-F", "nsys", "-p", "cuda-graph")
        with contextlib.closing(sqlite3.connect(trace)) as database, database:
            graphs = database.execute("SELECT COUNT(*) FROM CUPTI_ACTIVITY_KIND_GRAPH_TRACE").fetchone()[0]
        self.assertGreater(graphs, 1)
        self.assertIn(f" {graphs:,} graph launches, ", " ".join(cli.run("analyze", trace).stdout.split()))

    def test_cost_that_the_replayed_iterations_lack(self):
        """Only the first half waits; outliers there leave the second half to the replay."""
        text, report = self.run_of(
            f"{STEP}; {READ}; wait time=12ms until=22; wait time=90ms every=5 until=22"
        )
        finding = self.rules(report)["host-bound"]
        self.assertIsNone(finding["predicted_ns"])
        self.assertEqual("warning", finding["severity"])
        self.assertNotIn("no gain by itself", text)

    def test_clocks_that_differ(self):
        """Host times are corrected if kernels start before their launch: findings stay the same."""
        do = f"wait time=20ms; {STEP}; {READ}"
        before = self.rules(self.run_of(do)[1])["host-bound"]
        trace = self.folder / "trace.kineto"
        events = json.loads(trace.read_text())
        for event in events["traceEvents"]:
            if event.get("cat") in ("kernel", "gpu_memcpy", "gpu_memset"):
                event["ts"] -= 100
        trace.write_text(json.dumps(events))
        self.assertRegex(
            " ".join(cli.run("analyze", trace).stdout.split()),
            r"inexact: [\d,]+ of [\d,]+ operations start before the call that launches them, as the "
            r"clocks of host and GPU differ: the host's times are moved \d+(\.\d)? us earlier",
        )
        report = json.loads(cli.run("analyze", "--format=json", trace).stdout)
        self.assertRegex(report["trace"]["inexact"][0], "^[\\d,]+ of [\\d,]+ operations start before the call")
        found = self.rules(report)
        for key in "recoverable_ns", "predicted_ns":
            self.assertAlmostEqual(before[key], found["host-bound"][key], delta=0.02 * before[key])
        for event in events["traceEvents"]:
            if event.get("cat") in ("kernel", "gpu_memcpy", "gpu_memset"):
                event["ts"] += 200e6
        trace.write_text(json.dumps(events))
        report = json.loads(cli.run("analyze", "--format=json", trace).stdout)
        self.assertRegex(
            report["trace"]["inexact"][0],
            r"^all [\d,]+ operations start 200\.0 s after the calls that launch them, as the clocks of host "
            r"and GPU differ: the host's times are moved 200\.0 s later$",
        )
        found = self.rules(report)
        for key in "recoverable_ns", "predicted_ns":
            self.assertAlmostEqual(before[key], found["host-bound"][key], delta=0.02 * before[key])

    def test_kernels_that_were_replayed(self):
        """Times between kernels are the profiler's: nothing is found in them."""
        do = f"wait time=20ms; {STEP}; {READ}"
        self.assertIn("host-bound", self.rules(self.run_of(do, form="nvprof")[1]))
        trace = self.folder / "trace.nvprof"
        with contextlib.closing(sqlite3.connect(trace)) as database, database:
            database.execute("CREATE TABLE CUPTI_ACTIVITY_KIND_METRIC(id INT, correlationId INT)")
            database.execute("INSERT INTO CUPTI_ACTIVITY_KIND_METRIC VALUES(1, 1)")
        text = " ".join(cli.run("analyze", trace).stdout.split())
        self.assertEqual(1, text.count("inexact: the profiler ran each kernel alone"), text)
        self.assertIn("No findings: times between kernels are the profiler's. Record", text)
        report = json.loads(cli.run("analyze", "--format=json", trace).stdout)
        self.assertEqual([], report["findings"])
        self.assertRegex(report["trace"]["inexact"][0], "^the profiler ran each kernel alone")

    def test_small_uploads_are_no_input(self):
        """What the host makes of results is not waited for as input."""
        advice = {}
        for form in "kineto", "nvprof-csv":
            for size, rule in ("1k", "host-bound"), ("64k", "input-bound"):
                text, report = self.run_of(
                    f"wait time=20ms; upload bytes={size} memory=pinned; {STEP}; {READ}", form=form
                )
                # without records of launches there is no telling them apart but by the advice
                rule = rule if form == "kineto" else "host-bound"
                found = self.rules(report)
                self.assertIn(rule, found, (form, size))
                self.assertIs(rule == "input-bound", "input-bound" in found, (form, size))
                advice[form, size] = found[rule]["advice"]
                # a number that is none, or one that repeats another
                self.assertNotRegex(text, r"\b0(%| ns) of it|\b(\S+) iterations of \2\b")
        for (form, size), text in advice.items():
            words = "data loading" if form == "kineto" else "prepare what is uploaded next"
            self.assertIs(size == "64k", words in text, (form, size, text))


if __name__ == "__main__":
    unittest.main()

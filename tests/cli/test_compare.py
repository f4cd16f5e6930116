"""Two runs against each other: what is reported, what limits are crossed, what is refused."""

import contextlib
import csv
import gzip
import io
import json
import os
import pathlib
import random
import re
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import unittest

import cli

sys.path.insert(0, str(cli.SOURCE / "tests" / "robust"))
import hostile

# A line per limit that is crossed.
CROSSED = re.compile(
    r"(?m)^deepprof: (\w+) of (loop .*?) (rose|fell)( from 0)? by (\S+(?: \S+)?)"
    r" \(95% CI: at least (\S+(?: \S+)?)\), more than (\S+)$"
)


def setUpModule():
    """Runs of one program: two that are equal but for chance, and one with slower kernels."""
    Case.runs = pathlib.Path(tempfile.mkdtemp(prefix="deepprof-test-"))
    unittest.addModuleCleanup(shutil.rmtree, Case.runs)
    Case.before = Case.run_of("before")
    # Other iterations of the same program, which differ by chance.
    Case.again = Case.run_of("again", "-n", "40", "-s", "after=30")
    Case.slower = Case.run_of("slower", "-s", "model.kernel=44us")


class Case(cli.Case):
    @classmethod
    def run_of(cls, name, *args):
        same = "-n", "30", "-s", "jitter=0.05", "-s", "model.layers=2"
        return cli.simulate(cls.runs / f"{name}.json", *same, *args)

    def compare(self, *args, **kwargs):
        return cli.run("compare", *args, **kwargs)

    def median_period(self, trace):
        report = json.loads(cli.run("analyze", "--format=json", trace).stdout)
        return report["loops"][0]["summary"]["median_period_ns"]


class Limits(Case):
    def crossed(self, *args):
        result = self.compare(*args)
        self.assertEqual(result.returncode, 3, result.stderr)
        self.assertTrue(result.stdout)
        lines = result.stderr.splitlines()
        matches = [CROSSED.match(line) for line in lines]
        self.assertTrue(matches and all(matches), result.stderr)
        return [match.groups() for match in matches]

    def kept(self, *args):
        result = self.compare(*args)
        self.assert_done(result)
        self.assertEqual(result.stderr, "")
        self.assertTrue(result.stdout)

    def test_the_same_twice(self):
        """Nothing rises and nothing falls, by any metric that the trace has."""
        rows = list(csv.DictReader(io.StringIO(cli.run("analyze", "--format=csv", self.before).stdout)))
        reported = json.loads(cli.run("info", "--build", "--format=json").stdout)
        names = [row["name"] for row in reported["metrics"]]
        known = [name for name in names if sum(row[name] != "" for row in rows) > 10]
        self.assertGreater(len(known), 20)
        limits = [f"{name}={sign}0%" for name in known for sign in "+-"]
        for some in range(0, len(limits), 60):
            self.kept("--fail-on", ",".join(limits[some : some + 60]), self.before, self.before)

    def test_slower(self):
        ratio = self.median_period(self.slower) / self.median_period(self.before) - 1
        self.assertGreater(ratio, 0.08)
        ((metric, loop, verb, zero, measured, least, most),) = self.crossed(
            "--fail-on=iteration_time=+5%", self.before, self.slower
        )
        self.assertEqual((metric, loop, verb, zero, most), ("iteration_time", "loop 0", "rose", None, "5%"))
        self.assertAlmostEqual(float(measured[:-1]), ratio * 100, delta=0.006)
        self.assertTrue(5 < float(least[:-1]) <= float(measured[:-1]))
        args = f"--fail-on=iteration_time=+{ratio * 100 - 0.01:.3f}%", self.before, self.slower
        result = self.compare(*args)
        self.assert_done(result)
        self.assertRegex(
            result.stderr,
            r"\Adeepprof: warning: --fail-on=\S+: exceeded, but not significantly, by loop 0: \+8\.\d\d%"
            r" \(95% CI \+8\.\d\d% to \+8\.\d\d%\)\n\Z",
        )
        self.kept("-q", *args)
        self.kept("--fail-on=iteration_time=+20%", self.before, self.slower)
        self.kept("--fail-on=iteration_time=-1%", self.before, self.slower)

    def test_faster(self):
        ratio = 1 - self.median_period(self.before) / self.median_period(self.slower)
        ((metric, _, verb, _, measured, least, most),) = self.crossed(
            "--fail-on=period_ns=-5%", self.slower, self.before
        )
        self.assertEqual((metric, verb, most), ("period_ns", "fell", "5%"))
        self.assertAlmostEqual(float(measured[:-1]), ratio * 100, delta=0.006)
        self.assertTrue(5 < float(least[:-1]) <= float(measured[:-1]))
        self.kept("--fail-on=iteration_time=+0%", self.slower, self.before)

    def test_noise(self):
        """Two runs that differ by chance; one that is cut short, too."""
        for limit in "iteration_time=+1%", "iteration_time=-1%", "compute_ns=+1%", "h2d_bytes=+0%":
            self.kept("--fail-on", limit, self.before, self.again)
            self.kept("--fail-on", limit, "--range=:100ms", self.before, self.again)

    def test_amounts(self):
        rise = self.median_period(self.slower) - self.median_period(self.before)
        ((_, _, _, _, measured, least, most),) = self.crossed(
            "--fail-on=iteration_time=+0.4ms", self.before, self.slower
        )
        self.assertEqual(most, "0.4ms")
        self.assertAlmostEqual(float(measured.removesuffix(" us")), rise / 1e3, delta=0.1)
        self.assertTrue(400 < float(least.removesuffix(" us")) <= float(measured.removesuffix(" us")))
        self.kept("--fail-on=iteration_time=+1s", self.before, self.slower)
        self.kept("--fail-on=iteration_time=-0", self.before, self.slower)
        uploads = self.more_uploads()
        for text in "1K", "1023KiB", "1024", "0.5%":
            ((*reported, most),) = self.crossed(f"--fail-on=h2d_bytes=+{text}", self.before, uploads)
            self.assertEqual(reported[:4], ["h2d_bytes", "loop 0", "rose", None])
            self.assertEqual(most, text)
        self.assertEqual(reported[4], "25.0%")
        self.kept("--fail-on=h2d_bytes=+1M", self.before, uploads)
        waits = self.run_of("waits", "-s", "train.do=wait time=20ms")
        less = self.crossed("--fail-on=utilization=-0.1", self.before, waits)
        self.assertEqual(less[0][::6], ("utilization", "0.1"))
        self.kept("--fail-on=utilization=-0.9", self.before, waits)

    def more_uploads(self):
        """A mebibyte more in each iteration."""
        return self.run_of("uploads", "-s", "train.do=upload bytes=1048576")

    def test_from_nothing(self):
        """No share of 0 is known, but what was not there and certainly is now rose."""
        more = self.run_of("downloads", "-s", "train.do=download bytes=65536")
        ((metric, _, verb, zero, measured, least, _),) = self.crossed(
            "--fail-on=d2h_bytes=+500%", self.before, more
        )
        self.assertEqual((metric, verb, zero), ("d2h_bytes", "rose", " from 0"))
        self.assertEqual((measured, least), ("64.00 KiB", "64.00 KiB"))
        self.kept("--fail-on=d2h_bytes=-0%", self.before, more)
        ((_, _, verb, _, measured, _, _),) = self.crossed("--fail-on=d2h_bytes=-99%", more, self.before)
        self.assertEqual((verb, measured), ("fell", "100.0%"))
        self.kept("--fail-on=d2h_bytes=+0%", more, self.before)

    def test_several(self):
        """All are judged, in their order; one that is crossed decides."""
        reported = self.crossed(
            "--fail-on=h2d_bytes=+1%,compute_ns=+0.1ms", "--fail-on=iteration_time=+1%,copy_ns=+1s",
            self.before, self.slower,
        )
        self.assertEqual([each[0] for each in reported], ["compute_ns", "iteration_time"])

    def test_kept_limit_is_reported(self):
        result = self.compare("-v", "--fail-on=iteration_time=+20%", self.before, self.slower)
        self.assert_done(result)
        self.assertRegex(
            result.stderr,
            r"deepprof: --fail-on=iteration_time=\+20%: not exceeded by loop 0: \+[89]\.\d\d%"
            r" \(95% CI \+[89]\.\d\d% to \+[89]\.\d\d%\)\n",
        )

    def test_confidence(self):
        """Where it is higher, less is sure."""
        least = []
        for percent in "60%", "95%", "99.9%":
            result = self.compare(
                "--fail-on=iteration_time=+1%", f"--confidence={percent}", self.before, self.slower
            )
            self.assertEqual(result.returncode, 3)
            least.append(float(re.search(rf"\({percent} CI: at least ([\d.]+)%\)", result.stderr)[1]))
        self.assertEqual(least, sorted(least, reverse=True))
        self.assertGreater(least[0], least[2])

    def unknown(self, *args, words):
        """The report is there, the limit cannot be checked."""
        result = self.compare(*args)
        self.assertEqual(result.returncode, 1, result.stderr)
        self.assertTrue(result.stdout)
        self.assertRegex(result.stderr, r"\A(deepprof: [^\n]+\n)+\Z")
        for word in words:
            self.assertIn(word, result.stderr)
        return result.stderr

    def test_too_few(self):
        few = self.run_of("few", "-n", "4")
        for traces, name in ((few, self.before), "the run before"), ((self.before, few), "the run after"):
            self.unknown(
                "--fail-on=iteration_time=+5%", *traces,
                words=("iteration_time=+5%: cannot be checked for loop 0", f"{name} has only 3 steady", "4 are required"),
            )
        self.assert_done(self.compare(few, self.before))

    def test_what_a_trace_lacks(self):
        reported = self.unknown("--fail-on=power_W=+5%", self.before, self.slower, words=())
        self.assertEqual(
            reported,
            "deepprof: --fail-on=power_W=+5%: cannot be checked: the run before was recorded without clocks"
            " and power; see 'deepprof info'\n",
        )
        # one line for all loops
        both = cli.SOURCE / "data" / "sample.json.gz"
        self.assertEqual(self.unknown("--fail-on=power_W=+5%", both, both, words=()), reported)
        self.unknown("--fail-on=comm_overlap=-5%", self.before, self.slower, words=("no steady iteration",))

    def test_crossed_and_unknown(self):
        result = self.compare("--fail-on=power_W=+5%,iteration_time=+5%", self.before, self.slower)
        self.assertEqual(result.returncode, 3)
        self.assertIn("power_W=+5%: cannot be checked", result.stderr)
        self.assertRegex(result.stderr, CROSSED)

    def test_no_loops(self):
        none = self.folder / "none.json"
        subprocess.run([cli.SIM, "--no-truth", "-p", "random", "-o", str(none)], check=True)
        for traces in (self.before, none), (none, self.before), (none, none):
            self.unknown("--fail-on=iteration_time=+5%", *traces, words=("no iterations were found in", "none.json"))
            # the reason appears once: in the report, or on standard error if the report is for programs
            result = self.compare(*traces)
            self.assertEqual(result.returncode, 1)
            self.assertEqual(result.stderr, "deepprof: nothing was compared\n")
            self.assertRegex(result.stdout, r"\nNo iterations were found in [^.]+\. If the program repeats its work,\s[^.]+\s\(-n\s+N\)")
            self.assertIn("(--marks=REGEX)", result.stdout)
            result = self.compare("--format=json", *traces)
            self.assertRegex(result.stderr, r"\A\S+ nothing was compared: no iterations were found in [^;]+; try -n or --marks\n\Z")

    def test_the_main_loop_alone(self):
        """What was kept elsewhere says nothing of the main loop."""
        program = subprocess.run(
            [cli.SIM, "--dump-preset", "demo"], capture_output=True, encoding="utf-8", check=True
        ).stdout
        traces = []
        for name, mended in ("both", "count = 12\n"), ("only", "count = 12\ndefault = yes\n"):
            text = program.replace("count = 6\n", mended)
            if name == "only":
                text = text.replace("loop train; ", "").replace("count = 20\ndefault = yes\n", "count = 20\n")
            (self.folder / name).write_text(text)
            traces.append(self.folder / f"{name}.json")
            subprocess.run(
                [cli.SIM, "--no-truth", "-f", str(self.folder / name), "-o", str(traces[-1])], check=True
            )
        for both, run in (traces, "before"), (traces[::-1], "after"):
            self.unknown("--fail-on=iteration_time=+50%", *both, words=(f"main loop of the run {run}",))

    def test_a_saved_baseline_has_times(self):
        """A loop of little time is not paired with an unlike one, also if a report is compared."""
        traces = []
        for kernel, duration_us in ("tiny", 0.1), ("big", 12):
            events, now_us = [], 0.0

            def run(name, kernels, each_us):
                nonlocal now_us
                for i in range(kernels):
                    where = {"stream": 7, "device": 0, "correlation": len(events) + 1}
                    events.append(
                        {"ph": "X", "cat": "kernel", "name": f"{name}_{i}", "pid": 0, "tid": 7,
                         "ts": now_us, "dur": each_us, "args": where}
                    )
                    now_us += each_us + 0.1

            run("load", 10, 10)
            for _ in range(60):
                run("train", 40, 10)
            run("between", 7, 10)
            for _ in range(40):
                run(kernel, 30, duration_us)
            run("end", 5, 10)
            traces.append(self.folder / f"{kernel}.json")
            traces[-1].write_text(json.dumps({"schemaVersion": 1, "traceEvents": events}))
        saved = self.folder / "saved.json"
        cli.run("analyze", "--format=json", "-o", saved, traces[0])
        for baseline in traces[0], saved:
            result = self.compare("--format=json", "--fail-on=iteration_time=+5%", baseline, traces[1])
            self.assertEqual(result.returncode, 0, result.stderr)
            self.assertEqual([pair["loops"] for pair in json.loads(result.stdout)["pairs"]], [[0, 0]])

    def repeats(self, name, kernels, iterations, each_us=10, mark=None):
        """A trace of a loop of these kernels, each iteration with an annotation if one is named."""
        events, now_us = [], 0.0
        for i in range(iterations):
            begin_us = now_us
            for kernel in kernels:
                where = {"stream": 7, "device": 0, "correlation": len(events) + 1}
                for what, category, args in ("cudaLaunchKernel", "cuda_runtime", where), (kernel, "kernel", where):
                    events.append(
                        {"ph": "X", "cat": category, "name": what, "pid": 0, "tid": 7, "args": args,
                         "ts": now_us, "dur": 1 if category == "cuda_runtime" else each_us + i % 3 / 10}
                    )
                now_us += each_us + 0.5
            now_us += 20
            if mark:
                events.append(
                    {"ph": "X", "cat": "user_annotation", "name": f"{mark}#{i}", "pid": 0, "tid": 7,
                     "ts": begin_us - 0.1, "dur": now_us - begin_us - 10}
                )
        path = self.folder / name
        path.write_text(json.dumps({"schemaVersion": 1, "traceEvents": events}))
        return path

    def test_other_units_of_work(self):
        """Loops that only their share of the time pairs have no verdict: their iterations are other work."""
        few = [f"few_{i}" for i in range(12)]
        many = few[:6] + [f"many_{i}" for i in range(40)]
        traces = self.repeats("few.json", few, 60), self.repeats("many.json", many, 30)
        self.assertEqual(
            self.unknown("--fail-on=iteration_time=+5%", *traces, words=()),
            "deepprof: --fail-on=iteration_time=+5%: cannot be checked for loop 0: its iterations may not be the same"
            " unit of work in both runs; try -n, --marks or --level\n",
        )
        result = self.compare(*traces)
        self.assert_done(result)
        text = " ".join(result.stdout.split())
        self.assertIn("not comparable: too few kernels match", text)
        self.assertRegex(text, r"median \S+ .s before, \S+ .s after")
        self.assertRegex(text, r"Whole capture: \S+ \S+ \S+ .s, streams busy for [^,]+, 720 \S+ 1,380 kernels")
        self.assertRegex(text, r"kernel \(mean time of one call\) 10\.\d+ [µu]s 10\.\d+ [µu]s")
        self.assertNotRegex(text, r"slower|faster|times as long|worse|per iteration")
        for form in "markdown", "html":
            page = self.compare(f"--format={form}", *traces).stdout
            self.assertNotRegex(page, r"\d% slower|\d times as long|\"kind\":\"slower\"")
            self.assertIn("not comparable", page)
        (pair,) = json.loads(self.compare("--format=json", *traces).stdout)["pairs"]
        self.assertEqual((pair["paired_by_time"], pair["comparable"], pair["verdict"]), (True, False, "unknown"))
        # a saved report does not tell how many kernels the capture has
        saved = self.folder / "saved.json"
        saved.write_text(cli.run("analyze", "--format=json", traces[0]).stdout)
        text = " ".join(self.compare(saved, traces[1]).stdout.split())
        self.assertRegex(text, r"Whole capture: \S+ \S+ \S+ .s before")
        # the user says that they are the same
        result = self.compare("--loops=0:0", "--fail-on=iteration_time=+5%", *traces)
        self.assertEqual(result.returncode, 3, result.stderr)
        self.assertIn("times as long", result.stdout)

    def test_defined_units_of_work(self):
        """Annotations of one name, or as many iterations, make unlike loops comparable."""
        few, many = [f"few_{i}" for i in range(12)], [f"many_{i}" for i in range(40)]
        for mark, other, times, args, comparable in (
            ("step", "step", 31, ["--marks=^step#"], True), ("step", "part", 30, ["--marks=^(step|part)#"], False),
            (None, None, 30, ["-n30"], True), (None, None, 30, [], True), (None, None, 31, [], False),
        ):
            traces = self.repeats("few.json", few, 30, mark=mark), self.repeats("many.json", many, times, mark=other)
            result = self.compare("--format=json", *args, *traces)
            self.assert_done(result)
            (pair,) = json.loads(result.stdout)["pairs"]
            self.assertEqual((pair["paired_by_time"], pair["comparable"]), (True, comparable), args)
            self.assertEqual(pair["verdict"], "slower" if comparable else "unknown", args)
            if not comparable:
                reason = "names of the annotations" if mark else "numbers of iterations"
                text = " ".join(self.compare(*args, *traces).stdout.split())
                self.assertIn(f"too few kernels match, and the {reason} differ", text)

    def test_kernels_are_those_of_analyze(self):
        """The kernels of varying iterations are a range, as analyze reports them, for both runs."""
        varying = self.folder / "varying.json"
        trace = json.loads(self.repeats("base.json", [f"kernel_{i}" for i in range(20)], 60).read_text())
        random.seed(1)
        steps, events = [trace["traceEvents"][i : i + 40] for i in range(0, 2400, 40)], []
        for step in steps:
            events += step[:16] + step[16 + 8 * random.randrange(3) :]
        varying.write_text(json.dumps({"schemaVersion": 1, "traceEvents": events}))
        title = cli.run("analyze", varying).stdout
        count, kernels = re.search(r"(\d+) iterations of (\S+\d) kernels", title).groups()
        self.assertRegex(kernels, r"\d\D+\d")
        self.assertIn(f"{count} iterations of {kernels} kernels; after: {count} of {kernels};", self.compare(varying, varying).stdout)

    def test_costs_of_a_saved_baseline(self):
        """They are of typical iterations, or of the whole loop, as those of its trace."""
        for name, words in ("sample.json.gz", "per typical iteration"), ("h200-training.db.gz", "in all"):
            trace, saved = cli.SOURCE / "data" / name, self.folder / f"{name}.json"
            self.assert_done(cli.run("analyze", "--format=json", "-o", saved, trace))
            want = self.compare(trace, trace).stdout
            self.assertIn(words, want)
            self.assertEqual(self.compare(saved, trace).stdout, want)

    def test_second_loops(self):
        """A loop of few iterations next to one of many is a warning, one that crosses is reported."""
        before = cli.SOURCE / "data" / "sample.json.gz"
        result = self.compare("--fail-on=iteration_time=+5%", before, before)
        self.assert_done(result)
        program = subprocess.run(
            [cli.SIM, "--dump-preset", "demo"], capture_output=True, encoding="utf-8", check=True
        ).stdout
        (self.folder / "mended").write_text(program.replace("time=108ms", "time=5ms"))
        after = self.folder / "mended.json"
        subprocess.run(
            [cli.SIM, "--no-truth", "-f", str(self.folder / "mended"), "-o", str(after)], check=True
        )
        ((metric, loop, verb, *_),) = self.crossed("--fail-on=iteration_time=-5%", before, after)
        self.assertEqual((metric, loop, verb), ("iteration_time", "loop 0", "fell"))
        (self.folder / "short").write_text(program.replace("count = 6\n", "count = 4\n"))
        short = self.folder / "short.json"
        subprocess.run(
            [cli.SIM, "--no-truth", "-f", str(self.folder / "short"), "-o", str(short)], check=True
        )
        result = self.compare("--fail-on=iteration_time=+50%", before, short)
        self.assert_done(result)
        self.assertRegex(
            result.stderr,
            rf"\Adeepprof: warning: --fail-on=iteration_time=\+50%: not checked for loop 1:"
            r" the run after has only 3 steady iterations with this metric; 4 are required\n\Z",
        )

    def test_each_loop_lacks_something_else(self):
        """What a trace lacks is reported of a second loop, too, if the first one has another reason."""
        program = subprocess.run(
            [cli.SIM, "--dump-preset", "demo"], capture_output=True, encoding="utf-8", check=True
        ).stdout
        (self.folder / "long").write_text(program.replace("time=80ms", "time=2s").replace("count = 6\n", "count = 4\n"))
        before, after = self.folder / "long.json", self.folder / "lacks.json"
        subprocess.run(
            [cli.SIM, "--no-truth", "-f", str(self.folder / "long"), "-o", str(before)], check=True
        )
        trace = json.loads(before.read_text())
        trace["traceEvents"] = [event for event in trace["traceEvents"] if event.get("cat") != "cuda_runtime"]
        after.write_text(json.dumps(trace))
        self.assertRegex(
            self.unknown("--fail-on=idle_host_ns=+5%", before, after, words=()),
            r"\A\S+ --fail-on=\S+ cannot be checked for loop 0: the run before has only 3 steady iterations [^\n]+\n"
            r"\S+ warning: --fail-on=\S+ not checked for loop 1: the run after was recorded without launches; "
            r"see 'deepprof info'\n\Z",
        )


class Numbers(Case):
    """What is written, against what analyze reports each run."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.all_of_it = cls.both()
        cls.tables = [cls.rows(trace) for trace in (cls.before, cls.slower)]

    @classmethod
    def both(cls, *args):
        return json.loads(cli.run("compare", "--format=json", *args, cls.before, cls.slower).stdout)

    @staticmethod
    def rows(trace):
        """Steady iterations: in the simulated runs all but those that are cut off or warm up."""
        rows = csv.DictReader(io.StringIO(cli.run("analyze", "--format=csv", trace).stdout))
        return [row for row in rows if row["loop"] == "0" and row["partial"] == row["warmup"] == "false"]

    def test_medians(self):
        reported = self.all_of_it["pairs"][0]["metrics"]
        self.assertGreater(len(reported), 30)
        for name, each in reported.items():
            for run, rows in enumerate(self.tables):
                values = [float(row[name]) for row in rows if row[name]]
                self.assertAlmostEqual(len(values), each["iterations"][run], delta=1, msg=name)
                # The last iteration has a value of some metrics, but no period.
                values = [values] if len(values) == each["iterations"][run] else [values[:-1], values[1:]]
                medians = [statistics.median(each) for each in values]
                near = min(abs(median - each["values"][run]) for median in medians)
                self.assertLessEqual(near, max(abs(medians[0]) * 1e-6, 0.51), name)
            self.assertAlmostEqual(each["change"], each["values"][1] - each["values"][0], delta=1.01)
            low, high = each["change_ci"]
            self.assertTrue(low - 1 <= each["change"] <= high + 1, name)
        period = reported["period_ns"]
        self.assertTrue(period["significant"] and period["change_ci"][0] > 0 and period["ratio_ci"][0] > 1.05)

    def test_parts_sum(self):
        (pair,) = self.all_of_it["pairs"]
        *parts, period = pair["parts"]
        self.assertEqual(period["metric"], "period_ns")
        self.assertGreaterEqual(len(parts), 4)
        for run, rows in enumerate(self.tables):
            self.assertAlmostEqual(
                sum(part["values"][run] for part in parts), period["values"][run], delta=len(parts)
            )
            mean = statistics.mean(float(row["period_ns"]) for row in rows if row["period_ns"])
            self.assertAlmostEqual(period["values"][run], mean, delta=0.51)
        self.assertAlmostEqual(sum(part["change"] for part in parts), period["change"], delta=len(parts))

    def test_kernels(self):
        """Each is a tenth slower; places and names are those of the trace."""
        (pair,) = self.all_of_it["pairs"]
        report = json.loads(cli.run("analyze", "--format=json", self.before).stdout)
        names = report["loops"][0]["pattern"]["kernels"]
        self.assertEqual([place[:2] for place in pair["positions"]], [[i, i] for i in range(len(names))])
        self.assertEqual((pair["same"], pair["similarity"], pair["added"], pair["removed"]), (len(names), 1, 0, 0))
        self.assertEqual(
            sorted(each["names"][0] for each in pair["kernels"] for _ in range(each["positions"])), sorted(names)
        )
        slower = [each for each in pair["kernels"] if each["change"] == "slower"]
        self.assertGreater(len(slower), len(pair["kernels"]) / 2)
        times = [sum(each["ns"]["values"][run] for each in pair["kernels"]) for run in (0, 1)]
        self.assertAlmostEqual(times[1] / times[0], 1.1, delta=0.01)
        for each in slower:
            self.assertEqual(*each["names"])
        changes = [abs(each["ns"]["change"]) for each in pair["kernels"]]
        self.assertEqual(changes, sorted(changes, reverse=True))

    def test_csv(self):
        """The same numbers as JSON has."""
        reported = self.all_of_it["pairs"][0]["metrics"]
        text = self.compare("--format=csv", self.before, self.slower).stdout
        rows = list(csv.DictReader(io.StringIO(text)))
        self.assertEqual([row["metric"] for row in rows], list(reported))
        for row in rows:
            self.assertEqual((row["before"], row["after"]), (str(self.before), str(self.slower)))
            self.assertEqual((row["loop_before"], row["loop_after"]), ("0", "0"))
            each = reported[row["metric"]]
            for key, value in (
                ("value_before", each["values"][0]), ("value_after", each["values"][1]),
                ("change", each["change"]), ("low", each["change_ci"][0]), ("high", each["change_ci"][1]),
                ("ratio_low", (each["ratio_ci"] or [None])[0]), ("ratio_high", (each["ratio_ci"] or [None])[-1]),
                ("iterations_before", each["iterations"][0]), ("iterations_after", each["iterations"][1]),
            ):
                self.assertEqual(row[key], "" if value is None else str(value), (row["metric"], key))
            self.assertEqual(row["significant"], str(each["significant"]).lower())

    def test_some_metrics(self):
        """Which are shown changes no number, nor what a limit is judged by."""
        all_of_it = self.all_of_it["pairs"][0]
        some = self.both("--metric=overlap,period_ns")["pairs"][0]
        self.assertEqual(list(some["metrics"]), ["overlap", "period_ns"])
        for name, each in some["metrics"].items():
            self.assertEqual(each, all_of_it["metrics"][name])
        for key in set(some) - {"metrics"}:
            self.assertEqual(some[key], all_of_it[key])
        for form in "json", "csv", "text":
            result = self.compare(
                f"--format={form}", "--metric=overlap", "--fail-on=compute_ns=+5%", self.before, self.slower
            )
            self.assertEqual(result.returncode, 3)

    def test_confidence(self):
        wide, narrow = self.both("--confidence=99.5%"), self.both("--confidence=60%")
        self.assertEqual((wide["confidence"], narrow["confidence"]), (0.995, 0.6))
        least, most = narrow["pairs"][0]["metrics"]["period_ns"]["change_ci"]
        low, high = wide["pairs"][0]["metrics"]["period_ns"]["change_ci"]
        self.assertTrue(low < least < most < high)

    def test_loops(self):
        """Those that are named, and no others."""
        sample, faster = (cli.SOURCE / "data" / f"{name}.json.gz" for name in ("sample", "faster"))
        for loops in [0, 0], [1, 1], [0, 1]:
            words = "--loops={}:{}".format(*loops)
            reported = json.loads(self.compare("--format=json", words, sample, faster).stdout)
            self.assertEqual([pair["loops"] for pair in reported["pairs"]], [loops])
            self.assertEqual(reported["runs"][0]["path"], str(sample))
        reported = json.loads(self.compare("--format=json", sample, faster).stdout)
        self.assertEqual([pair["loops"] for pair in reported["pairs"]], [[0, 0], [1, 1]])

    def test_text(self):
        """It says what JSON has: the answer, and which kernels."""
        period = self.all_of_it["pairs"][0]["metrics"]["period_ns"]
        text = self.compare(self.before, self.slower).stdout
        share = 100 * (period["values"][1] / period["values"][0] - 1)
        self.assertIn(f"\n  {share:.1f}% slower: ", text)
        self.assertRegex(text, r"\n +\S+ .s +\S+ .s +\+\S+ .s +\S+ .s  compute\n")
        self.assertRegex(text, r"\+\S+ .s +\S+ .s  slower   \w")
        self.assertNotRegex(text, r"  faster   \w")
        back = self.compare(self.slower, self.before).stdout
        self.assertRegex(back, r"\n  [78]\.\d% faster: ")
        same = self.compare(self.before, self.before).stdout
        self.assertIn("\n  no significant difference: ", same)
        self.assertNotRegex(same, r"  (slower|faster|added|removed|replaced)   \w")
        self.assertRegex(text, r"  mean period: \d\.\d% slower\n")
        self.assertRegex(same, r"  mean period\n")

    def test_means(self):
        """A mean that differs otherwise than the median has its own percentage, if it is significant."""
        sample, faster = (cli.SOURCE / "data" / f"{name}.json.gz" for name in ("sample", "faster"))
        text = " ".join(self.compare(sample, faster).stdout.split())
        self.assertRegex(text, r" 40\.5% faster: median [^;]+; mean 42\.7% faster: 122\.5 \S+ 70\.20 ms ")
        self.assertRegex(text, r" no significant difference: median [^;]+; mean 106\.5 \S+ 112\.4 ms")


class Interrupted(cli.Case):
    def program(self, name, kernel_us, after=range(20)):
        """Twenty iterations of ten kernels; three others, that no mark contains, follow some, or each."""
        events, now = [], 1000

        def event(what, category, start, length, **args):
            events.append({"ph": "X", "name": what, "cat": category, "ts": start, "dur": length,
                           "pid": 1, "tid": 1, "args": args})

        for i in range(20 * 13):
            k = i % 13
            if k >= 10 and i // 13 not in after:
                continue
            if k == 0:
                event("step", "user_annotation", now - 1, 199)
            event("cudaLaunchKernel", "cuda_runtime", now, 2, correlation=i)
            event(f"kernel_{k}" if k < 10 else f"other_{i * i % 17}", "kernel", now + 5,
                  kernel_us + i % 3 / 10 if k < 10 else 3, correlation=i, device=0, stream=7)
            now += 20
        path = self.folder / name
        path.write_text(json.dumps({"traceEvents": events}))
        return path

    def test_durations(self):
        """Other kernels follow every iteration: there is no period, and durations are compared."""
        runs = self.program("before.json", 8), self.program("after.json", 14)
        result = cli.run("compare", "--format=json", "--marks=^step$", "--fail-on=iteration_time=+2%", *runs)
        self.assertEqual(result.returncode, 3, result.stderr)
        pair = json.loads(result.stdout)["pairs"][0]
        self.assertEqual(pair["verdict"], "slower")
        self.assertEqual(pair["metrics"]["duration_ns"]["iterations"], [20, 20])
        self.assertNotIn("period_ns", pair["metrics"])
        self.assertEqual(pair["parts"], [])


    def test_chart(self):
        """The chart of periods has those that medians include, and the number of the interrupted ones."""
        runs = [self.program(f"{i}.json", 8, after) for i, after in enumerate(([4, 9], []))]
        page = cli.run("compare", "--format=html", "--marks=^step$", *runs).stdout
        data = json.loads(re.search(r'(?s)<script type="application/json" id="data">(.*?)</script>', page)[1])
        for run, interrupted in zip(data["runs"], ([4, 9], [])):
            (loop,) = run["loops"]
            self.assertEqual(loop["interrupted"], len(interrupted))
            self.assertEqual(
                [k for k, value in enumerate(loop["series"]["y"]) if value is None],
                sorted({*range(loop["warmup"]), *interrupted, 19}),
            )


class Findings(cli.Case):
    def test_one_measure(self):
        """Costs are those of the findings; means of what they are parts of are in the table of parts."""
        data = cli.SOURCE / "data"
        runs = data / "sample.json.gz", data / "faster.json.gz"
        env = cli.environment(LC_ALL="C.UTF-8", COLUMNS="80")
        text = cli.run("compare", *runs, env=env).stdout
        before, after = re.search(r"\n +(\S+) ms +(\S+) ms +\S+ ms +\S+ ms  input wait\n", text).groups()
        self.assertIn(f"; not reported after; mean input wait fell: {before} → {after} ms Loop 1", " ".join(text.split()))
        self.assertIn("still   warning → info extra-work: costs", text)
        markdown = cli.run("compare", "--format=markdown", *runs).stdout
        self.assertIn("| `extra-work` | still | warning → info |", markdown)

    def test_recorded(self):
        """Costs are as analyze reports them, and what a run does not have is not still there."""
        runs = [cli.SOURCE / "data" / f"h200-{name}.db.gz" for name in ("training", "inference")]
        found = [json.loads(cli.run("analyze", "--format=json", run).stdout)["findings"] for run in runs]
        costs = [{row["rule"]: row["recoverable_ns"] for row in run} for run in found]
        (pair,) = json.loads(cli.run("compare", "--format=json", *runs).stdout)["pairs"]
        for row in pair["findings"]:
            self.assertEqual(row["cost_ns"], [run.get(row["rule"]) for run in costs], row["rule"])
            self.assertEqual(row["metric"] is None, None not in row["cost_ns"] or row["rule"] == "slow-iterations")
            self.assertEqual(row["metric_mean"] is None, row["metric"] is None)
        change = {row["rule"]: row["change"] for row in pair["findings"]}
        self.assertEqual(change["launch-bound"], "gone")  # at 10.7% of the period: its threshold is 15%
        self.assertEqual(change["warm-up"], "still")
        env = cli.environment(LC_ALL="C.UTF-8", COLUMNS="200")
        text = cli.run("compare", "-v", "--loops=0:0", *runs, env=env).stdout
        host, after = re.search(r"\n +(\S+ ms) +(\S+ ns) +\S+ ms +\S+ µs  host wait\n", text).groups()
        self.assertRegex(text, rf"host-bound: cost \S+ ms per iteration; not reported after; mean host wait fell: {host} → {after}\n")
        analyzed = [re.search(r"warm-up: costs (\S+) ms in all", cli.run("analyze", run).stdout)[1] for run in runs]
        self.assertIn(f"warm-up: costs {' → '.join(analyzed)} ms in all\n", text)
        for run in runs:  # though a bar stands for two iterations
            periods = re.search(r"(?s)\n  period .*?(\S+–\S+ [µm]s)", cli.run("analyze", run, env=env).stdout)[1]
            self.assertRegex(cli.run("compare", run, run, env={**env, "COLUMNS": "80"}).stdout,
                             rf"\n  before .* {periods}\n")

    def test_kernels_outside_the_loop(self):
        """A kernel that left the loop, but runs on another stream, is not removed; an operator is no kernel."""
        def write(name, stream):
            path, events = self.folder / name, []
            for k in range(12):
                for i, (kernel, place) in enumerate([("gemm", 7), ("relu", 7), ("norm", 7), ("log", stream)]):
                    if not place:
                        events.append({"ph": "X", "cat": "cpu_op", "name": kernel, "pid": 1, "tid": 1,
                                       "ts": 1000 * k + 300, "dur": 90})
                        continue
                    events.append({"ph": "X", "cat": "kernel", "name": kernel, "pid": 0, "tid": place,
                                   "ts": 1000 * k + 100 * i, "dur": 90, "args": {"device": 0, "stream": place}})
            path.write_text(json.dumps({"schemaVersion": 1, "traceEvents": events}))
            return path
        runs = write("inside.json", 7), write("outside.json", 8)
        gone = runs[0], write("gone.json", 0)
        for order, word, wrong in (runs, "left", "removed"), (runs[::-1], "joined", "added"), \
                (gone, "removed", "left"), (gone[::-1], "added", "joined"):
            text = cli.run("compare", "-vv", *order).stdout
            self.assertRegex(text, rf"  {word} +log \(1\)")
            self.assertNotRegex(text, rf"  {wrong} +log \(1\)")

    def test_a_change_within_its_interval(self):
        """Percentages and factors are not mixed: rounding would exclude the change from its interval."""
        def write(name, periods):
            path, events, now = self.folder / name, [], 0
            for period in periods:
                for i, kernel in enumerate(["gemm", "relu", "norm", "log"]):
                    events.append({"ph": "X", "cat": "kernel", "name": kernel, "pid": 0, "tid": 7,
                                   "ts": now + 10 * i, "dur": 9, "args": {"device": 0, "stream": 7}})
                now += period
            path.write_text(json.dumps({"schemaVersion": 1, "traceEvents": events}))
            return path
        before = write("before.json", [1000 + k % 3 for k in range(12)])
        after = write("after.json", [1597, 1597, 1598, 1596, 1597, 1595, 2600, 2600, 2601, 1594, 2602])
        text = " ".join(cli.run("compare", before, after).stdout.split())
        self.assertRegex(text, r"59\.[5-9]% slower: .*CI 59\.\d% slower to 2\.60 times as long\)")

    def test_names(self):
        """Kernels of different names have different rows."""
        runs = [cli.SOURCE / "data" / f"h200-{name}.db.gz" for name in ("training", "inference")]
        for arguments in ("-v", "--loops=0:0"), ("-vv", "--loops=0:0"):
            text = cli.run("compare", *arguments, *runs, env=cli.environment(LC_ALL="C.UTF-8", COLUMNS="80")).stdout
            table = text[text.index("kernel (calls per iteration)"):].split("\n\n")[0]
            names = re.findall(r"(?m)  removed  (.*?) \(\d+\)$", table)
            self.assertGreater(len(names), 10)
            self.assertEqual(len(set(names)), len(names))

    def program(self, name, input_us, host_us):
        """
        Ten iterations that wait for their input, and for the host after half of the kernels: each
        as long, or for as long as a list says.
        """
        host_us = host_us if isinstance(host_us, list) else [host_us] * 10
        events, now = [], 1000

        def event(what, category, start, length, **args):
            events.append({"ph": "X", "name": what, "cat": category, "ts": start, "dur": length,
                           "pid": 1, "tid": 1, "args": args})

        for i in range(10 * 21):
            copies = not i % 21
            if copies:
                event("enumerate(DataLoader)#_Iter.__next__", "user_annotation", now, input_us)
            now += input_us if copies else host_us[i // 21] if i % 21 == 10 else 0
            event("cudaMemcpyAsync" if copies else "cudaLaunchKernel", "cuda_runtime", now, 2,
                  correlation=i)
            event("Memcpy HtoD (Pinned -> Device)" if copies else f"kernel_{i % 21 // 3}_{i % 3}",
                  "gpu_memcpy" if copies else "kernel", now + 3, 300, correlation=i, device=0,
                  stream=7, **({"bytes": 10**6} if copies else {}))
            now += 300
        path = self.folder / name
        path.write_text(json.dumps({"schemaVersion": 1, "traceEvents": events}))
        return path

    def test_the_most_severe_is_first(self):
        """By what the second run has."""
        runs = self.program("before.json", 5000, 900), self.program("after.json", 900, 5000)
        for pair in runs, runs[::-1]:
            (found,) = json.loads(cli.run("compare", "--format=json", *pair).stdout)["pairs"]
            rules = [row["rule"] for row in found["findings"]]
            after = json.loads(cli.run("analyze", "--format=json", pair[1]).stdout)["findings"]
            self.assertIn("input-bound", rules)
            self.assertIn("host-bound", rules)
            self.assertEqual(rules[:len(after)], [row["rule"] for row in after])

    def test_requested_thresholds(self):
        """A finding is new if the first run was below the requested threshold, also as a saved report."""
        runs = self.program("before.json", 900, 500), self.program("after.json", 900, 3000)
        saved = self.folder / "saved.json"
        for threshold, expected in ("host-bound=10%", "new"), ("host-bound=2%", "still"):
            threshold = f"--threshold={threshold}"
            self.assert_done(cli.run("analyze", threshold, "--format=json", "-f", "-o", saved, runs[0]))
            for before in runs[0], saved:
                done = cli.run("compare", threshold, "--format=json", before, runs[1])
                (pair,) = json.loads(done.stdout)["pairs"]
                change = {row["rule"]: row["change"] for row in pair["findings"]}
                self.assertEqual(expected, change["host-bound"], threshold)

    def test_trend(self):
        """A finding of one run alone is worse or better if what it reports grew or shrank."""
        less, more = self.program("less.json", 900, 500), self.program("more.json", 900, 900)
        saved = self.folder / "saved.json"
        self.assert_done(cli.run("analyze", "--threshold=host-bound=90%", "-o", saved, less))
        for before, after, expected in (
            (saved, more, r"worse   \w+ host-bound: "), (more, saved, r"better  \w+ host-bound: "),
            (saved, less, r"unclear \w+ host-bound: [^;]+; not\s+reported\s+before;\s+mean host"),
            (less, saved, r"unclear \w+ host-bound: [^;]+; not\s+reported\s+after;\s+mean host"),
        ):
            self.assertRegex(cli.run("compare", before, after).stdout, f"\n  {expected}")
            (pair,) = json.loads(cli.run("compare", "--format=json", before, after).stdout)["pairs"]
            (row,) = [row for row in pair["findings"] if row["rule"] == "host-bound"]
            self.assertEqual(row["change"], "still")
            mean = row["metric_mean"]
            self.assertEqual(mean["values"], row["metric_ns"])
            self.assertEqual(mean["significant"], not expected.startswith("unclear"))
            if mean["significant"]:
                self.assertEqual(mean["change"] > 0, expected.startswith("worse"))
                self.assertTrue(mean["change_ci"][0] <= mean["change"] <= mean["change_ci"][1])
        # the median shrinks significantly, but not the mean, which is what is shown
        uneven = self.program("uneven.json", 900, [500, 510, 500, 510, 3500, 500, 510, 500, 510, 500])
        self.assert_done(cli.run("analyze", "--threshold=host-bound=90%", "-f", "-o", saved, uneven))
        shown = cli.run("compare", more, saved).stdout
        self.assertRegex(shown, r"\n  unclear \w+ host-bound: [^(]+; not\s+reported\s+after;\s+[^(]+\(no significant\s+difference\)")


class Usage(Case):
    def refused(self, *args, words=()):
        """Refused before anything is read: the files do not exist."""
        self.assert_fails(self.compare(*args, "no-such-file", "no-other"), 2, *words)

    def test_operands(self):
        for count in 0, 1, 3:
            result = self.compare(*[self.before] * count)
            self.assert_fails(result, 2, "expected two traces", f"not {count}")
        self.assert_fails(self.compare("-", "-"), 2, "standard input")

    def test_limits(self):
        self.refused("--fail-on", "iteration_time", words=("METRIC=+P%",))
        self.refused("--fail-on==+5%", words=("METRIC=+P%",))
        self.refused("--fail-on=", words=("METRIC=+P%",))
        self.refused("--fail-on=iteration_tim=+5%", words=("did you mean 'iteration_time'?",))
        self.refused("--fail-on=period=+5%", words=("did you mean 'period_ns'?",))
        self.refused("--fail-on=xyzzy=+5%", words=("unknown metric 'xyzzy'", "info --build"))
        self.refused("--fail-on=" + "x" * 300 + "=+5%", words=("unknown metric",))
        self.refused("--fail-on=median_period_ns=+5%", words=("the one of its iterations is period_ns",))
        self.refused("--fail-on=iteration_time=5%", words=("expected a sign",))
        self.refused("--fail-on=iteration_time=", words=("expected a sign",))
        for value in "", "5", "5s%", "%", "5%%", "1e3ms", "--5%", " 5%", "5d", "99999999999s", "9" * 40 + "%":
            self.refused(f"--fail-on=iteration_time=+{value}", words=("a percentage or a time",))
        for value in "", "5P", "x", "1.5.5M", "5Ki", "5KB", "99999999999G":
            self.refused(f"--fail-on=h2d_bytes=+{value}", words=("a percentage or a size",))
        for value in "", "x", "1,5", ".5", "5.x":
            self.refused(f"--fail-on=utilization=-{value}")
        self.refused("--fail-on", ",".join(["iteration_time=+5%"] * 65), words=("more than 64",))

    def test_confidence(self):
        for value in "", "95", "50%", "100%", "0.95", "-95%", "95%%", "x":
            self.refused(f"--confidence={value}", words=("--confidence=", "above 50%"))

    def test_loops(self):
        for value in "", "0", ":", "0:", ":0", "0:x", "-1:0", "0:1:2", "0:18446744073709551616":
            self.refused(f"--loops={value}", words=("--loops=",))
        for value in "99:0", "0:99", "18446744073709551615:0":
            result = self.compare(f"--loops={value}", self.before, self.slower)
            self.assert_fails(result, 1, "loop")

    def test_contradictions(self):
        self.refused("--paper", words=("requires the number of iterations",))
        self.refused("-f", words=("-f requires -o FILE",))
        self.refused("--format=chrome", words=("text", "json", "csv", "html"))

    def test_endings(self):
        for name in "x.trace", "x.pftrace", "x.db", "x.jsonl", "x.pdf":
            self.refused("-o", name, words=(f"compare cannot write .{name[2:]}", ".txt .json .csv .md .html,"))


class Input(Case):
    def test_missing(self):
        """Nothing is written where one of the two can't be read."""
        for traces in (self.before, "no-such-file"), ("no-such-file", self.before), ("", self.before):
            for output in [], ["-o", "report.txt"]:
                result = self.compare(*output, *traces, cwd=self.folder)
                self.assert_fails(result, 1, "No such file")
                self.assertEqual(os.listdir(self.folder), [])

    def test_damaged(self):
        (self.folder / "text").write_text("hello\n")
        self.assert_fails(self.compare(self.before, self.folder / "text"), 1, "text: ")
        (self.folder / "copies").write_text(json.dumps({"traceEvents": [
            e for e in json.loads(self.before.read_text())["traceEvents"] if e.get("cat") != "kernel"
        ]}))
        for traces in (self.before, self.folder / "copies"), (self.folder / "copies", self.before):
            self.assert_fails(self.compare(*traces), 1, "copies: no kernels, only copies")

    def test_warnings_name_their_file(self):
        cut = self.folder / "cut.json.gz"
        cut.write_bytes(gzip.compress(self.again.read_bytes())[:-9])
        for traces in (self.before, cut), (cut, self.before):
            result = self.compare(*traces)
            self.assert_done(result)
            self.assertRegex(result.stderr, rf"\Adeepprof: warning: {re.escape(str(cut))}: [^\n]+\n\Z")
            self.assertEqual(self.compare("-q", *traces).stderr, "")
        sample = cli.SOURCE / "data" / "sample.json.gz"
        shutil.copy(sample, self.folder / "copy")
        result = self.compare("-n21,6", sample, self.folder / "copy")
        for name, line in zip((sample, self.folder / "copy"), result.stderr.splitlines(), strict=True):
            self.assertIn(f"warning: {name}: stream 7 has no loop of 21 iterations", line)

    def test_standard_input(self):
        expected = self.compare("--format=csv", self.before, self.slower).stdout
        for data in self.slower.read_bytes(), gzip.compress(self.slower.read_bytes(), 1):
            packed = self.folder / "trace"
            packed.write_bytes(data)
            with open(packed, "rb") as stdin:
                result = self.compare("--format=csv", self.before, "-", stdin=stdin)
            self.assert_done(result)
            self.assertEqual(result.stdout.replace(",-,", f",{self.slower},"), expected)
            packed.write_bytes(gzip.compress(self.before.read_bytes()))
            with open(packed, "rb") as stdin:
                result = self.compare("--format=csv", "-", self.slower, stdin=stdin)
            self.assertEqual(result.stdout.replace("\n-,", f"\n{self.before},"), expected)
            # under a name, as of a shell's <(zcat trace.gz)
            with subprocess.Popen(["cat", packed], stdout=subprocess.PIPE) as cat:
                result = self.compare("--format=csv", "/dev/stdin", self.slower, stdin=cat.stdout)
            self.assertEqual(result.stdout.replace("\n/dev/stdin,", f"\n{self.before},"), expected)
        with open("/dev/null", "rb") as stdin:
            self.assert_fails(self.compare(self.before, "-", stdin=stdin), 1, "standard input")

    def test_other_formats(self):
        """One run as two profilers have it is one run."""
        other = self.run_of("nsys", "-F", "nsys")
        for traces in (self.before, other), (other, self.before):
            for limit in "iteration_time=+0.1%", "iteration_time=-0.1%", "compute_ns=+0.1%":
                self.assert_done(self.compare("--fail-on", limit, *traces))


class Baseline(Case):
    """A saved report stands for the trace that it is of."""

    def report_of(self, trace, name, *args):
        path = self.folder / name
        self.assert_done(cli.run("analyze", "-q", "-o", path, *args, trace))
        return path

    def near(self, have, want):
        """Equal but for what is rounded in the report."""
        if isinstance(want, dict):
            self.assertEqual(set(have), set(want))
            for key, value in want.items():
                self.near(have[key], value)
        elif isinstance(want, list):
            self.assertEqual(len(have), len(want))
            for pair in zip(have, want):
                self.near(*pair)
        elif isinstance(want, (int, float)) and not isinstance(want, bool):
            self.assertAlmostEqual(have, want, delta=2 + abs(want) * 1e-3)
        else:
            self.assertEqual(have, want)

    def test_reports_are_traces(self):
        want = json.loads(self.compare("--format=json", self.before, self.slower).stdout)["pairs"]
        before = self.report_of(self.before, "before.json.gz")
        after = self.report_of(self.slower, "after.json")
        for runs in (before, self.slower), (self.before, after), (before, after):
            result = self.compare("--format=json", "--fail-on=iteration_time=+5%", *runs)
            self.assertEqual(result.returncode, 3)
            reported = json.loads(result.stdout)
            self.assertEqual([run["path"] for run in reported["runs"]], [str(self.before), str(self.slower)])
            self.near(reported["pairs"], want)
        for form in "text", "csv", "markdown":
            self.assert_done(self.compare(f"--format={form}", before, after))

    def test_hostile_report(self):
        """No text of a report reaches a terminal as a command, or a page as markup."""
        evil = "\033[31m\x9b31m\u202e\r\n<b>|@a"
        report = json.loads(self.report_of(self.before, "hostile.json").read_text())
        report["trace"].update(path=evil, format=evil)
        for device in report["trace"]["devices"]:
            device["name"] = evil
        for loop in report["loops"]:
            loop["pattern"]["kernels"] = [name + evil for name in loop["pattern"]["kernels"]]
            for at in loop["kernel_times"]:
                at["name"] += evil
        for finding in report["findings"]:
            finding["advice"] = evil
        (self.folder / "hostile.json").write_text(json.dumps(report))
        for form in "text", "csv", "html", "markdown", "json":
            result = self.compare(f"--format={form}", "-v", self.folder / "hostile.json", self.slower)
            self.assert_done(result)
            self.assertNotRegex(result.stdout, "[\\x00-\\x08\\x0b-\\x1f\\x7f-\\x9f\u202e]", form)
            if form == "html":
                self.assertNotIn("<b>|", result.stdout)
                data = json.loads(re.search(r'(?s)id="data">(.*?)</script>', result.stdout)[1])
                self.assertEqual(["timelines" in run["loops"][0] for run in data["runs"]], [False, True])
            if form == "markdown":
                self.assertNotRegex(re.sub("`[^`\n]*`", "", result.stdout), r"(?<!\\)[<>]|@a")

    def test_report_with_long_names(self):
        """A pattern repeats its kernels' names: long ones are cut if that adds up, and read back."""
        for length, cut in (2000, False), (16000, True):
            trace = self.folder / "long.sqlite"
            hostile.long_pattern(trace, 1, positions=500, length=length, names=2)
            saved = self.report_of(trace, f"{length}.json")
            report = json.loads(saved.read_text())
            self.assertEqual("long_names" in report, cut)
            full = report.get("long_names", {})
            for loop in report["loops"]:
                names = loop["pattern"]["kernels"] + [at["name"] for at in loop["kernel_times"]]
                self.assertEqual({full.get(name, name) for name in names}, {"a" * length, "b" * length})
                self.assertEqual(any(len(name) < 1100 for name in names), cut)
            results = [self.compare("--format=json", first, trace) for first in (saved, trace)]
            self.assert_done(results[0])
            pairs = [json.loads(result.stdout)["pairs"] for result in results]
            self.assertEqual(pairs[0][0]["similarity"], 1)
            self.near(pairs[0], pairs[1])

    def test_report_of_schema_1(self):
        whole = self.report_of(self.before, "whole.json")
        text = whole.read_text()
        for new, old in (('"schema": 2', '"schema": 1'), ("selected", "at_level"),
                         ("matches_count", "fits"), ("matches_in_sequence", "in_row")):
            self.assertIn(new, text)
            text = text.replace(new, old)
        old = self.folder / "old" / "whole.json"
        old.parent.mkdir()
        old.write_text(text)
        results = [self.compare("--format=json", path, self.slower) for path in (whole, old)]
        self.assert_done(results[0])
        self.assertEqual(results[0].stdout, results[1].stdout)

    def test_reports_that_are_none(self):
        for text, words in (
            ('{ "schema": 3, "loops": [] }', "schema 1 or 2"),
            ('{ "schema": 2 }', "schema 1 or 2"),
            ('{ "schema": 2, "loops": [', "line 1"),
            ('{ "schema": 2, "loops": [{ "selected": true }] }', "a loop of no stream"),
        ):
            (self.folder / "bad.json").write_text(text)
            self.assert_fails(self.compare(self.folder / "bad.json", self.before), 1, "bad.json", words)
        for name, write in (("bad.json", open), ("bad.json.gz", gzip.open)):
            with write(self.folder / name, "wb") as file:
                file.write(b'{ "schema": 2, "loops": [' + b"[]," * 1000000 + b"[] ] }")
            result = self.compare(self.folder / name, self.before)
            self.assert_fails(result, 1, name, "more values than a report of this size has")
        with gzip.open(self.folder / "bad.json.gz", "wb") as file:
            file.write(b'{ "schema": 2, "loops": [], "x": "' + b"x" * 10000000 + b'" }')
        result = self.compare(self.folder / "bad.json.gz", self.before)
        self.assert_fails(result, 1, "bad.json.gz", "200 times its size")
        whole = self.report_of(self.before, "whole.json")
        late = json.loads(whole.read_text())
        late["loops"][0]["iterations"][0]["end_ns"] = 2**62
        (self.folder / "bad.json").write_text(json.dumps(late))
        result = self.compare(self.folder / "bad.json", self.before)
        self.assert_fails(result, 1, "bad.json", "impossible times")
        half = self.folder / "half.json"
        half.write_text(whole.read_text()[: whole.stat().st_size // 2])
        self.assert_fails(self.compare(self.before, half), 1, "half.json")

    def test_lists_of_other_lengths(self):
        """What a report has not is not known; what it has too much of is left out."""
        whole = json.loads(self.report_of(self.before, "whole.json").read_text())
        path = self.folder / "changed.json"
        for change in (
            lambda loop: loop.pop("kernel_times"),
            lambda loop: loop["position_times"].pop(),
            lambda loop: loop["pattern"]["kernels"].clear(),
            lambda loop: loop["iterations"].clear(),
            lambda loop: [each.clear() for each in loop["iterations"]],
            lambda loop: loop.update(iterations=7, pattern=[], summary=None),
        ):
            report = json.loads(json.dumps(whole))
            change(report["loops"][0])
            report["findings"] += [{"rule": "host-bound", "loop": 99}, {"rule": 5}, 7]
            path.write_text(json.dumps(report))
            # what is left is compared, or nothing is left that could be
            result = self.compare(path, self.before)
            self.assertIn(result.returncode, (0, 1), result.stderr)
            self.assertEqual(result.returncode == 1, "nothing was compared" in result.stderr)


class Output(Case):
    def test_same_bytes(self):
        for form in "text", "json", "csv":
            first, second = (
                self.compare(f"--format={form}", self.before, self.slower, env=cli.environment(**env)).stdout
                for env in ({}, {"LC_ALL": "de_DE.UTF-8", "LC_CTYPE": "C"} if form != "text" else {})
            )
            self.assertTrue(first)
            self.assertEqual(first, second)

    def test_file(self):
        for name, form in ("a.txt", "text"), ("a.json", "json"), ("a.CSV", "csv"), ("a", "text"):
            expected = self.compare(f"--format={form}", self.before, self.slower).stdout
            result = self.compare("-o", name, self.before, self.slower, cwd=self.folder)
            self.assert_done(result)
            self.assertEqual(result.stdout, "")
            self.assertEqual((self.folder / name).read_text(), expected)
            again = self.compare("-o", name, self.before, self.before, cwd=self.folder)
            self.assert_fails(again, 1, "already exists")
            result = self.compare("-f", "-o", name, self.before, self.before, cwd=self.folder)
            self.assert_done(result)
            self.assertNotEqual((self.folder / name).read_text(), expected)

    def test_compressed_by_name(self):
        for form in "txt", "json", "csv":
            for name in f"a.{form}", f"a.{form}.gz":
                self.assert_done(self.compare("-o", name, self.before, self.slower, cwd=self.folder))
            packed = (self.folder / f"a.{form}.gz").read_bytes()
            self.assertEqual(gzip.decompress(packed), (self.folder / f"a.{form}").read_bytes())

    def test_crossed_writes_the_report(self):
        name = self.folder / "report.txt"
        result = self.compare("--fail-on=iteration_time=+1%", "-o", name, self.before, self.slower)
        self.assertEqual(result.returncode, 3)
        self.assertEqual(name.read_text(), self.compare(self.before, self.slower).stdout)

    def test_the_input_itself(self):
        for trace in self.before, self.slower:
            saved = trace.read_bytes()
            result = self.compare("-f", "-o", trace, "--format=text", self.before, self.slower)
            self.assert_fails(result, 2, "a file that is read")
            self.assertEqual(trace.read_bytes(), saved)

    def test_full_device(self):
        for form in "text", "json", "csv":
            result = self.compare(
                f"--format={form}", "-o", "/dev/full", "--fail-on=iteration_time=+1%",
                self.before, self.slower,
            )
            self.assertEqual(result.returncode, 1)
            self.assertIn("No space left", result.stderr)

    def test_broken_pipe(self):
        for ignored, status in (False, -signal.SIGPIPE), (True, 1):
            read, write = os.pipe()
            os.close(read)
            with contextlib.closing(os.fdopen(write, "wb")) as stdout:
                result = self.compare(
                    self.before, self.slower, stdout=stdout,
                    preexec_fn=(lambda: signal.signal(signal.SIGPIPE, signal.SIG_IGN)) if ignored else None,
                )
            self.assertEqual((result.returncode, result.stderr), (status, ""))

    def test_width(self):
        for columns in 60, 80, 100, 200:
            for args in (), ("-v",), ("-vv",):
                env = cli.environment(COLUMNS=columns, LC_ALL="C.UTF-8")
                text = self.compare(*args, self.before, self.slower, env=env).stdout
                self.assertTrue(text)
                for line in text.splitlines():
                    self.assertLessEqual(len(line), columns, line)

    def test_markdown(self):
        """The verdict of the text, and tables whose rows have the columns of their head."""
        env = cli.environment(LC_ALL="C.UTF-8", COLUMNS=200)
        text = self.compare(self.before, self.slower, env=env).stdout
        marked = self.compare("--format=markdown", self.before, self.slower).stdout
        (headline,) = re.findall(r"(?m)^### (.*)$", marked)
        self.assertIn(headline, text)
        tables = re.findall(r"(?m)(?:^\|.*\n)+", marked)
        self.assertEqual(len(tables), 4)
        for table in tables:
            columns = {len(re.findall(r"(?<!\\)\|", row)) for row in table.splitlines()}
            self.assertEqual(len(columns), 1, table)
        reported = json.loads(self.compare("--format=json", self.before, self.slower).stdout)["pairs"][0]
        self.assertIn("| period | ", tables[0])
        self.assertIn(" | slower | 4 | ", tables[1])
        for finding in reported["findings"]:
            self.assertIn(f"| `{finding['rule']}` | {finding['change']} | ", tables[2])
        self.assert_done(self.compare("-o", "a.md", self.before, self.slower, cwd=self.folder))
        self.assertEqual((self.folder / "a.md").read_text(), marked)

    def test_html(self):
        """A page that loads nothing; its document has what the other formats have, and timelines."""
        page = self.compare("--format=html", self.before, self.slower).stdout
        want = json.loads(self.compare("--format=json", self.before, self.slower).stdout)["pairs"][0]
        self.assertNotRegex(page, r"(?i)<(script|img|iframe|link)[^>]*(src|href)=\"(?!data:)")
        data = json.loads(re.search(r'(?s)id="data">(.*?)</script>', page)[1])
        pair = data["pairs"][0]
        self.assertEqual([part[2:4] for part in pair["parts"]], [part["values"] for part in want["parts"]])
        self.assertEqual(pair["kind"], "slower")
        self.assertTrue(pair["kernels"])
        for run in data["runs"]:
            lines = run["loops"][0]["timelines"]
            self.assertEqual(len(lines), 1)
            self.assertTrue(lines[0]["lanes"][0]["ops"])
            self.assertLess(max(lines[0]["lanes"][0]["ops"][2::6]), len(run["names"]))
        self.assertRegex(pair["headline"], r"^8\.")

    def test_ascii_and_color(self):
        text = self.compare(self.before, self.slower, env=cli.environment(LC_ALL="C")).stdout
        self.assertTrue(text.isascii())
        self.assertNotIn("\033", text)
        colored = self.compare("--color=always", self.before, self.slower).stdout
        self.assertIn("\033[", colored)
        self.assertEqual(re.sub(r"\033\[[\d;]*m", "", colored), self.compare(self.before, self.slower).stdout)


if __name__ == "__main__":
    cli.main()

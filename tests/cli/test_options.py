"""Command lines: what is taken, what is refused, and what is printed about it."""

import json
import os
import pathlib
import re
import shutil

import cli

TRACES = pathlib.Path(os.environ.get("DEEPPROF_TRACES", cli.SOURCE.parent / "shared" / "traces"))


class Commands(cli.Case):
    def test_nothing(self):
        result = cli.run()
        self.assertEqual(result.returncode, 2)
        self.assertEqual(result.stderr, cli.run("help").stdout)
        self.assertEqual(result.stdout, "")

    def test_version(self):
        for option in "--version", "-V":
            result = cli.run(option)
            self.assert_done(result)
            self.assertRegex(result.stdout, r"\Adeepprof \d+\.\d+\.\d+\n\Z")

    def test_help(self):
        for args in ("help",), ("--help",), ("-h",):
            result = cli.run(*args)
            self.assert_done(result)
            for verb in "analyze", "compare", "export", "info", "help":
                self.assertRegex(result.stdout, rf"(?m)^  {verb} +\w")

    def test_help_of_a_command(self):
        for verb in "analyze", "compare", "export", "info", "help":
            reported = cli.run("help", verb)
            self.assert_done(reported)
            for option in "--help", "-h":
                self.assertEqual(cli.run(verb, option).stdout, reported.stdout)

    def test_help_shows_an_example_first(self):
        for verb in "analyze", "compare", "export", "info", "help":
            text = cli.run("help", verb).stdout
            self.assertLess(text.index(f"  deepprof {verb}"), text.index("usage:"))

    def test_help_wins_over_what_follows(self):
        self.assert_done(cli.run("analyze", "--help", "--no-such-option"))

    def test_unknown(self):
        self.assert_fails(cli.run("analize"), 2, "unknown command 'analize'", "'analyze'?")
        self.assert_fails(cli.run("xyzzy"), 2, "unknown command 'xyzzy'", "analyze, compare, ranks, reduce, export, info, help")
        self.assert_fails(cli.run("help", "infp"), 2, "did you mean 'info'?")
        self.assert_fails(cli.run("--colour"), 2, "unknown option '--colour'")
        # What other profilers call it.
        self.assert_fails(cli.run("report", "x"), 2, "did you mean 'analyze'?")
        self.assert_fails(cli.run("run", "x"), 2, "did you mean 'record'?")
        self.assert_fails(cli.run("diff", "x", "y"), 2, "did you mean 'compare'?")

    def test_a_file_in_place_of_a_command(self):
        self.assert_fails(cli.run(self.trace), 2, f"deepprof analyze {self.trace}"[:60])

    def test_suggested_commands_are_quoted(self):
        """A file's name may be a command, too."""
        name = "a; rm -r 'x"
        quoted = "'a; rm -r '\\''x'"
        path = self.folder / name
        path.write_text("")
        result = cli.run(name, cwd=self.folder)
        self.assert_fails(result, 2, f"deepprof analyze {quoted}")

    def test_help_takes_one_command(self):
        self.assert_fails(cli.run("help", "info", "analyze"), 2, "one command")


class Options(cli.Case):
    def refused(self, *args, words=()):
        """Refused before anything is read: the file does not exist."""
        self.assert_fails(cli.run("analyze", *args, "no-such-file"), 2, *words)

    def test_unknown(self):
        self.refused("--itrations=3", words=("unknown option '--itrations'", "'--iterations'?"))
        self.refused("--xyzzy", words=("unknown option '--xyzzy'",))
        for word, option in ("html", "format"), ("kineto", "input-format"), ("never", "color"):
            self.refused(f"--{word}", words=(f"unknown option '--{word}'; did you mean '--{option}={word}'?",))
        self.refused("-Z", words=("unknown option '-Z'",))
        self.refused("-vZ", words=("unknown option '-Z'",))
        self.refused("-\n", words=("unknown option '-?'",))
        self.refused("--iter=3", words=("did you mean '--iterations'?",))

    def test_values(self):
        self.refused("--paper=yes", "-n1", words=("--paper takes no value",))
        self.assert_fails(cli.run("analyze", "-n"), 2, "-n needs a value: -n N[,N...]")
        self.assert_fails(cli.run("analyze", "--iterations"), 2, "--iterations needs a value: --it")
        self.assert_fails(cli.run("analyze", "--format"), 2, "--format needs a value")

    def test_counts(self):
        for count in "-1", "0", "", "x", "3x", " 3", "+3", "1e3", "0x10", "3.0", "5,,6", "5,", ",":
            words = f"-n {count.split(',')[-1] if count != '5,,6' else ''}: ", "1 or more"
            self.refused("-n", count, words=words)
            self.refused("--iterations", count, words=("--iterations=", "1 or more"))
        self.refused("-n", "18446744073709551616", words=("too large",))
        self.refused("-n", ",".join(["1"] * 65), words=("more than 64",))
        self.refused("--device=-1", words=("--device=-1", "0 or more"))
        self.refused("--stream=9223372036854775808", words=("too large",))
        self.refused("--paper", "-n2", "--epsilon=0", words=("--epsilon=0",))
        self.refused("--paper", "-n2", "--max-unmatched=-3", words=("--max-unmatched=-3",))
        self.assert_fails(cli.run("info", "--top=-1", "f"), 2, "--top=-1")

    def test_an_option_is_no_value(self):
        """What was left out is reported, not taken from what follows; a value may look like one."""
        self.refused("--marks", "--ignore-marks", words=("--marks needs a value", "--ignore-marks is"))
        self.refused("--marks", "--level=default", words=("--marks needs a value",))
        self.refused("-n", "-v", words=("-n needs a value", "-v is an option"))
        self.refused("--marks", "--", words=("--marks needs a value",))
        self.assert_fails(cli.run("analyze", "--marks", "--step", "no-such-file"), 1, "no-such-file")
        self.assert_fails(cli.run("analyze", "--marks=--paper", "no-such-file"), 1, "no-such-file")

    def test_choices(self):
        self.refused("--format=jsn", words=("'jsn'", "did you mean 'json'?"))
        self.refused("--format=yaml", words=("'yaml'", "text", "json", "csv"))
        self.refused("--format=", words=("--format",))
        self.refused("--input-format=nsis", words=("did you mean 'nsys'?",))
        self.refused("--level=upper", words=("outermost", "innermost"))
        self.refused("--color=yes", words=("auto", "always", "never"))
        self.refused("--metric=intervl_ns", words=("did you mean 'interval_ns'?",))
        self.refused("--metric=interval_ns,nothing", words=("'nothing'", "deepprof info --build"))

    def test_narrow_help(self):
        """Where COLUMNS or a terminal has less room than 80."""
        for command in "record", "analyze":
            wide = cli.run(command, "--help").stdout
            text = cli.run(command, "--help", env=cli.environment(COLUMNS="60")).stdout
            self.assertEqual(wide.split(), text.split())
            table = text[text.index("usage: "):text.index("'man ")].splitlines()
            self.assertLessEqual(max(map(len, table)), 60)

    def test_ranges(self):
        for text in "5", "1:2", "1s", "2s:1s", "1s:1s", "x:1s", "1s:1", "-1s:2s", "1.5:2s", "1d:2d":
            self.refused(f"--range={text}", words=("--range=",))
        self.refused("--range=10000000000s:", words=("too large",))
        for text in ":", "0:1s", "1us:2ms", "0.000001ms:3\u00b5s", "1.5s:", ":9223372036s", "1m:2m", "0.5h:":
            result = cli.run("analyze", f"--range={text}", "no-such-file")
            self.assertEqual(result.returncode, 1, text)

    def test_regular_expression(self):
        self.refused("--marks=(", words=("--marks=(",))

    def test_a_file_in_place_of_the_regular_expression(self):
        for command in "analyze", "export":
            self.assert_fails(cli.run(command, "--marks", self.trace), 2,
                              f"{command}: --marks needs a regular expression before the file: --marks=REGEX {self.trace}")

    def test_a_regular_expression_that_is_a_file_name(self):
        """With a default trace, no file is missing."""
        shutil.copy(self.trace, self.folder / "deepprof.db")
        (self.folder / "ProfilerStep").write_text("")
        for command in ("analyze",), ("export", "--format=chrome"):
            result = cli.run(*command, "--marks=ProfilerStep", cwd=self.folder)
            self.assertEqual(result.returncode, 0, result.stderr)

    def test_contradictions(self):
        self.refused("--paper", words=("requires the number of iterations",))
        self.refused("--epsilon=2", words=("require --paper",))
        self.refused("--max-unmatched=2", "-n3", words=("require --paper",))
        self.refused("--marks=x", "-n3", words=("cannot be combined",))
        self.refused("-f", words=("-f requires -o FILE",))
        self.assert_fails(cli.run("info", "-f", self.trace), 2, "-f requires -o FILE")
        self.assert_fails(cli.run("export", "-f", "--format=chrome", self.trace), 2, "requires -o")
        self.refused("--marks=x", "--ignore-marks", words=("cannot be combined",))
        self.assert_fails(cli.run("info", "--build", "f"), 2, "takes no FILE")

    def test_control_characters_are_not_shown(self):
        self.refused("--format=\033[2J\r", words=("?[2J?",))

    def test_spellings(self):
        """Ways to say the same."""
        lines = [
            ["-n", "10", "--format", "json", self.trace],
            ["-n10", "--format=json", self.trace],
            [self.trace, "--iterations=10", "--format=json"],
            ["--iterations", "10", "--format=json", "--", self.trace],
            ["-qn10", "--format=json", self.trace],
            ["--format=text", "-n", "10", "--format=json", self.trace],
        ]
        outputs = set()
        for line in lines:
            result = cli.run("analyze", *line)
            self.assert_done(result)
            outputs.add(result.stdout)
        self.assertEqual(len(outputs), 1)

    def test_operands_after_two_dashes(self):
        result = cli.run("analyze", "--", "-n", cwd=self.folder)
        self.assert_fails(result, 1, "-n: No such file")

    def rules(self, trace, *args):
        report = json.loads(cli.run("analyze", "--format=json", *args, trace).stdout)
        return {finding["rule"]: finding["severity"] for finding in report["findings"]}

    def test_loops_inside_of_what_was_reported(self):
        """Those that are found without a number, under the loop that it was given for."""
        def loops(*args):
            text = cli.run("analyze", "--format=json", *args, self.trace).stdout
            return [
                (loop["parent"], loop["pattern"]["length"], len(loop["iterations"]), loop["selected"])
                for loop in json.loads(text)["loops"]
            ]

        reported = loops("-n10")
        self.assertEqual(reported[0], (None, 667, 10, True))
        self.assertEqual(reported, loops("--ignore-marks"))
        self.assertGreater(len(reported), 2)
        self.assertEqual({parent for parent, *_ in reported[1:]}, {0})
        self.assertEqual(len(loops("-n10", "--paper")), 1)

    def test_numbers_that_fit_nothing(self):
        """The loop that is reported instead is not the one that another number fits."""
        sample = cli.SOURCE / "data" / "sample.json.gz"
        for numbers, words in (
            ("20,7", ["stream 7 has no loop of 7 iterations; the nearest has 6"]),
            ("7,20", ["stream 7 has no loop of 7 iterations; the nearest has 6"]),
            ("21,6", ["stream 7 has no loop of 21 iterations; the nearest has 20"]),
            ("21,7", ["stream 7 has no loop of 21 iterations; the nearest has 20",
                      "stream 7 has no loop of 7 iterations; the nearest has 6"]),
        ):
            result = cli.run("analyze", "-v", "-n", numbers, sample)
            self.assert_done(result)
            self.assertEqual(
                result.stderr, "".join(f"deepprof: warning: {sample}: {line}\n" for line in words)
            )
            if len(words) > 1:
                words[1:] = [f"{len(words) - 1} more warning with -v"]
            self.assertEqual(
                cli.run("analyze", "-n", numbers, sample).stderr,
                "".join(f"deepprof: warning: {sample}: {line}\n" for line in words),
            )

    def test_thresholds_of_no_rule(self):
        """Where the rules that have one are listed, or which was probably meant."""
        self.refused("--threshold", "foo=1%", words=("called 'foo'; 'deepprof info --build' lists them",))
        self.refused("--threshold", "host-bund=1%", words=("did you mean 'host-bound'?",))
        self.refused("--threshold", "starved=1%", words=("no rule with a threshold is called 'starved'",))
        self.refused("--threshold", "host-bound", words=("expected a percentage",))
        self.refused("--threshold", "5%", words=("expected RULE=P%",))

    def test_metrics_without_their_unit(self):
        """A misspelled name is similar to a metric's without its unit, too."""
        self.refused("--metric=perod", words=("unknown value 'perod'; did you mean 'period_ns'?",))

    def test_number_far_off(self):
        """The loop is reported, also if it has several times the iterations."""
        rank = cli.SOURCE / "data" / "ranks" / "rank-0000.pt.trace.json.gz"
        for number in "3", "19":
            result = cli.run("analyze", "-n", number, rank)
            self.assertIn(f": stream 7 has no loop of {number} iterations; the nearest has 8, as many as annotations mark\n", result.stderr)
            self.assertIn("Loop 0  8 iterations of ", result.stdout)
            self.assertIn("does not match -n", " ".join(result.stdout.split()))
        result = cli.run("analyze", "-n", "40", cli.SOURCE / "data" / "sample.json.gz")
        self.assertIn("found 40 iterations; without -n, 20 iterations of 181 kernels are found", result.stderr)

    def test_number_unlike_kernels_and_annotations(self):
        """Where these differ, the warning gives both, and that of annotations is another -n."""
        events = []
        for k in range(96):
            link = {"correlation": k + 1}
            events.extend((
                {"ph": "X", "cat": "kernel", "name": f"step_{'abcdef'[k % 6]}", "pid": 0, "tid": 7,
                 "ts": 20 * k + 10, "dur": 8, "args": {"device": 0, "stream": 7, **link}},
                {"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "pid": 1, "tid": 1,
                 "ts": 20 * k + 2, "dur": 5, "args": link}))
        events.extend({"ph": "X", "cat": "user_annotation", "name": f"ProfilerStep#{k}", "pid": 1,
                       "tid": 1, "ts": 240 * k, "dur": 239} for k in range(8))
        path = self.folder / "pairs.json"
        path.write_text(json.dumps({"schemaVersion": 1, "traceEvents": events}))
        self.assertIn("no loop of 20 iterations; the nearest has 16; annotations, which -n overrides, mark 8\n",
                      cli.run("analyze", "-n", "20", path).stderr)
        self.assertIn("8 iterations of 12 kernels", cli.run("analyze", "-n", "8", path).stdout)

    def test_single_mark(self):
        """It is no loop: a warning says that the report is of one that kernels show."""
        rank = cli.SOURCE / "data" / "ranks" / "rank-0000.pt.trace.json.gz"
        for command in ("analyze", rank), ("compare", rank, rank):
            result = cli.run(command[0], "--marks=^ProfilerStep#5$", *command[1:])
            self.assert_done(result)
            self.assertIn("stream 7: the marks '^ProfilerStep#5$' match fewer than two whole iterations; using "
                          "kernel order instead\n", result.stderr)
            self.assertEqual(cli.run(command[0], "--marks=^ProfilerStep#[56]$", *command[1:]).stderr, "")

    def kernels(self, kernels):
        """A trace of kernels: name, stream, start, duration, launch in µs, and their device if it is not GPU 0."""
        trace, events = self.folder / "kernels.json", []
        for k, (name, stream, at, duration, launch, *device) in enumerate(kernels):
            ids = {"correlation": k + 1}
            events.append({"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "pid": 1, "tid": 1,
                           "ts": launch, "dur": 0.5, "args": ids})
            events.append({"ph": "X", "cat": "kernel", "name": name, "pid": 0, "tid": stream, "ts": at,
                           "dur": duration, "args": {"device": (device or [0])[0], "stream": stream, **ids}})
        trace.write_text(json.dumps({"schemaVersion": 1, "traceEvents": events}))
        return trace

    def test_number_of_one_stream(self):
        """Streams together lack the number, but one of them alone has it: no warning is left of that."""
        kernels = [("add", 13, 1000, 800, 100), ("sqrt", 14, 1720, 2500, 990)]
        kernels += [("sqrt", 14, 11000 + 1200 * n, 1150, 10990 + n) for n in range(2)]
        kernels += [("add", 13, 11000 + 65 * n, 64, 10995 + n) for n in range(33)]
        kernels += [("sqrt", 14, 13400, 290, 11030)]
        for n in range(13):
            at = 21000 + 50 * n
            kernels += [("add", 13, at, 28, at - 40), ("add", 14, at + 25, 28, at - 35)]
        kernels += [("sqrt", 14, 21650, 1400, 21640), ("sqrt", 13, 21651, 2200, 21645)]
        result = cli.run("analyze", "-n", "13", self.kernels(sorted(kernels, key=lambda k: k[4])))
        self.assert_done(result)
        self.assertIn("Loop 0  13 iterations of 1 kernel,", result.stdout)
        self.assertEqual(result.stderr, "")

    def test_devices_without_loops(self):
        """Two are described, and the others named before what holds for all of them."""
        for count, others in (3, "GPU 2"), (4, "GPU 2 and GPU 3"), (8, "GPU 2, GPU 3, GPU 4, GPU 5 and 2 more"):
            trace = self.kernels(
                (f"part_{chr(97 + k)}", 7, 100 * k, 90, 100 * k - 5, d) for d in range(count) for k in range(2)
            )
            text = cli.run("analyze", trace).stdout
            self.assertIn(f"\n\nNo stable iteration found on {others} either.\n\nNo findings. ", text)

    def test_long_durations_in_tables(self):
        """Minutes and hours take more columns than other durations."""
        hour = 3600e6
        kernels = [(f"kern_{k % 4}", 7, k * hour / 4, hour / 5 + k % 4 * hour / 100, k * hour / 4 - 5) for k in range(80)]
        trace = self.kernels(kernels)
        for command in ("info", trace), ("analyze", "-v", "--ignore-marks", trace):
            text = cli.run(*command).stdout
            self.assertRegex(text, r" \d+ h \d\d min")
            self.assertNotRegex(text, r"\d{3,} (h|min) |[%s]\d+ (h|min) ")
        rows = re.findall(r"(?m)^ +\d+ +\d+ h \d\d min.*", text)
        self.assertGreater(len(rows), 5)
        self.assertEqual({len(row) for row in rows if not re.search("warm-up|cut off", row)}, {len(rows[3])})

    def test_notes_of_iterations(self):
        """What distinguishes an iteration fits its row, and takes the place of metrics."""
        kernels, steps, at = [], [], 1000
        for k in range(20):
            steps.append({"ph": "X", "cat": "user_annotation", "name": f"ProfilerStep#{k}", "pid": 1, "tid": 1,
                          "ts": at - 55, "dur": 400})
            for name in "upload", "forward", "backward", "update":
                kernels.append((name, 7, at, 90, at - 50))
                at += 100
            for n in range(7 if k % 6 == 5 else 0):
                kernels.append((f"check_{'abcdefg'[n]}", 7, at, 90, at - 50))
                at += 100
            at += 300
        trace = self.kernels(kernels)
        events = json.loads(trace.read_text())["traceEvents"]
        trace.write_text(json.dumps({"schemaVersion": 1, "traceEvents": events + steps}))
        text = cli.run("analyze", "-v", trace).stdout
        (note, *_) = re.findall(r"(?m)^.*after 7 other kernels$", text)
        self.assertLessEqual(len(note), 80)

    def test_copies_within_one_kind_of_memory(self):
        """It is named once, so that the row fits."""
        trace = self.kernels(("f", 7, 100 * k, 50, 100 * k - 5) for k in range(12))
        events = json.loads(trace.read_text())["traceEvents"]
        for event in events[1::4]:
            event.update(cat="gpu_memcpy", name="Memcpy DtoD (Managed -> Managed)")
            event["args"]["bytes"] = 1000000
        trace.write_text(json.dumps({"schemaVersion": 1, "traceEvents": events}))
        self.assertIn("  device to device (managed)\n", cli.run("analyze", "-v", trace).stdout)

    def test_quiet_and_verbose(self):
        """One is about standard error, the other about the report."""
        sample = cli.SOURCE / "data" / "sample.json.gz"
        for command in ("analyze", "-n", "7", sample), ("compare", "-n", "7", sample, sample):
            verbose = cli.run(command[0], "-v", *command[1:])
            self.assertIn("warning: ", verbose.stderr)
            for options in ["-v", "-q"], ["-q", "-v"]:
                result = cli.run(command[0], *options, *command[1:])
                self.assertEqual(result.stdout, verbose.stdout)
                self.assertEqual(result.stderr, "")

    def test_number_next_to_annotations(self):
        """The nearest loop is one that is reported, and annotations are not dropped silently."""
        trace = TRACES / "hta-ns-resolution.json.gz"
        if not trace.exists():
            self.skipTest("no real traces")
        result = cli.run("analyze", "-n", "1000", trace)
        self.assertIn(
            ": stream 7 has no loop of 1,000 iterations; the nearest has 5, as many as annotations mark\n",
            result.stderr,
        )
        self.assertIn("Loop 0  5 iterations", result.stdout)

    def test_number_that_parts_of_two_loops_nearly_have(self):
        """20 training steps and 6 evaluations share 26 forward passes, which are not the 25 iterations."""
        sample = cli.SOURCE / "data" / "sample.json.gz"
        result = cli.run("analyze", "-n", "25", sample)
        self.assertIn(": stream 7 has no loop of 25 iterations; the nearest has 20\n", result.stderr)
        self.assertIn("Loop 0  20 iterations of 181 kernels", result.stdout)

    def write_names(self, names):
        """Kernels one after the other, and their launches."""
        events = []
        for i, name in enumerate(names):
            at = {"ph": "X", "pid": 1, "tid": 1, "ts": 10 * i, "dur": 5, "args": {"correlation": i + 1}}
            kernel = {"device": 0, "stream": 7, "correlation": i + 1}
            events += [dict(at, cat="cuda_runtime", name="cudaLaunchKernel"),
                       dict(at, cat="kernel", name=name, ts=10 * i + 7, pid=0, tid=7, args=kernel)]
        path = self.folder / "names.json"
        path.write_text(json.dumps({"schemaVersion": 1, "traceEvents": events}))
        return path

    def counts(self, path, numbers):
        """Iterations and kernels of each loop at the level of the report."""
        report = json.loads(cli.run("analyze", "--format=json", "-n", numbers, path).stdout)
        return [(len(x["iterations"]), x["pattern"]["length"]) for x in report["loops"] if x["selected"]]

    def test_numbers_of_rows(self):
        """Launches in a row are preferred to a kernel's launches everywhere in groups."""
        path = self.write_names(2 * (60 * ["write"] + 53 * ["keep"]) + 60 * ["write"])
        self.assertEqual(self.counts(path, "60"), 3 * [(60, 1)])
        self.assertEqual(self.counts(path, "53"), 2 * [(53, 1)])
        self.assertEqual(self.counts(path, "180"), [(180, 1)])

    def test_confidence_in_rows(self):
        """As for the kernel's launches everywhere: nearly all kernels are in rows."""
        path = self.write_names(2 * (60 * ["write"] + 53 * ["keep"]) + 60 * ["write"])
        for numbers in "60", "180":
            report = json.loads(cli.run("analyze", "--format=json", "-n", numbers, path).stdout)
            for loop in report["loops"]:
                self.assertGreater(loop["confidence"], 0.85)

    def test_rows_that_are_no_loop(self):
        """A benchmark's launches among other work are mentioned, with the number that finds them."""
        other = [f"kernel_{a}{b}" for a in "abcdefghij" for b in "abcdefghij"]
        path = self.write_names(other[:60] + 20 * ["bench"] + other[60:])
        text = " ".join(cli.run("analyze", path).stdout.split())
        self.assertIn("On its stream, one kernel runs up to 20 times in a row.", text)
        known = json.loads(cli.run("analyze", "--format=json", path).stdout)["streams"][0]["candidate"]
        self.assertEqual((known["length"], known["longest_row"]), (None, 20))
        self.assertIn("pass the number of launches, such as -n 20.", text)
        self.assertEqual(self.counts(path, "20"), [(20, 1)])
        self.assertNotIn("number of launches", cli.run("analyze", "-n", "21", path).stdout)

    def test_one_number_of_two(self):
        """The loop of one is reported where the other has none."""
        path = self.write_names(254 * ["step"])
        self.assertEqual(self.counts(path, "127,128"), [(127, 2)])
        result = cli.run("analyze", "-n", "127,128", path)
        self.assertIn("stream 7 has no loop of 128 iterations\n", result.stderr)
        self.assertNotIn("no loop of 127 iterations", result.stderr)

    def test_number_without_a_loop(self):
        """Who has given a number is not advised to give one."""
        path = self.folder / "nothing.csv"
        path.write_text(
            '"Start","Duration","Device","Stream","Name"\nms,us,,,\n'
            + "".join(f'{k}.0,500,"GPU (0)",7,"kernel_{k}"\n' for k in range(40))
        )
        for form in "text", "html":
            without, given = (cli.run("analyze", "--format", form, *args, path).stdout for args in ((), ("-n", "3")))
            without, given = " ".join(without.split()), " ".join(given.split())
            self.assertIn("If you know the number of iterations, pass it (-n N)", without)
            self.assertNotIn("pass it (-n N)", given)
            self.assertIn("No likely loop has the number of iterations that -n gives: record a longer part", given)

    def test_whether_a_number_fits(self):
        """In JSON, of loops that were found by one."""
        def fits(trace, *args):
            report = json.loads(cli.run("analyze", "--format=json", *args, trace).stdout)
            return [(x["matches_count"], x["matches_in_sequence"]) for x in report["loops"] if x["selected"]]

        sample = cli.SOURCE / "data" / "sample.json.gz"
        self.assertEqual(fits(sample), 2 * [(None, None)])
        self.assertEqual(fits(sample, "-n", "20,6"), 2 * [(True, False)])
        self.assertEqual(fits(sample, "-n", "20,7"), [(True, False), (False, False)])
        again = cli.simulate(self.folder / "again.json", "-p", "recompile", "-n", "60")
        self.assertEqual(fits(again, "-n", "60"), 2 * [(True, True)])

    def test_what_has_no_confidence(self):
        """A number that contradicts a likely loop, and the published algorithm."""
        sample = cli.SOURCE / "data" / "sample.json.gz"
        for args in ("-n", "7"), ("-n", "40"), ("--paper", "-n", "20"):
            report = json.loads(cli.run("analyze", "--format=json", *args, sample).stdout)
            self.assertIsNone(report["loops"][0]["confidence"], args)
            self.assertEqual({finding["confidence"] for finding in report["findings"]} - {None}, set(), args)
            text = " ".join(cli.run("analyze", *args, sample).stdout.split())
            self.assertIn("matched to -n;", text)
            self.assertNotIn("confidence", text)
        report = json.loads(cli.run("analyze", "--format=json", "-n", "20", sample).stdout)
        self.assertGreater(report["loops"][0]["confidence"], 0.9)

    def test_one_of_several(self):
        text = cli.run("analyze", "-v", "--paper", "-n20", cli.SOURCE / "data" / "sample.json.gz").stdout
        self.assertIn("GPU over 50% idle in 1 of 30 equal time slices", " ".join(text.split()))

    def test_one_iteration_is_not_several(self):
        text = cli.run("analyze", "-v", "-n1", cli.SOURCE / "data" / "sample.json.gz").stdout
        self.assertIn("one iteration of 4,106 kernels", text)
        self.assertIn("\n  nested  181 kernels x 20 (loop", text)
        self.assertNotRegex(text, r"\beach\b")

    def test_one_marked_iteration(self):
        """To look inside of it is advised where there is something inside."""
        whole = json.loads(self.trace.read_text())
        launches = [e for e in whole["traceEvents"] if e.get("cat") == "cuda_runtime"]
        times = [float(e["ts"]) for e in launches]
        epoch = dict(launches[0], cat="user_annotation", name="epoch", args={})
        epoch.update(ts=min(times) - 1, dur=max(times) - min(times) + 2)
        whole["traceEvents"].append(epoch)
        path = self.folder / "epoch.json"
        path.write_text(json.dumps(whole))
        result = cli.run("analyze", "--marks=epoch", path)
        self.assertIn("one iteration of", result.stdout)
        self.assertIn("look for loops inside it with --ignore-marks", " ".join(result.stdout.split()))
        self.assertRegex(
            cli.run("analyze", "--marks=epoch", "--range=0:5ms", path).stdout,
            r"Record more\s+iterations\.",
        )

    def test_marked_iteration_that_was_lost(self):
        """A file that ends within a marked iteration says nothing of how long that is."""
        text = '{"schemaVersion": 1, "traceEvents": ['
        for step in range(2):
            at = {"ph": "X", "pid": 1, "tid": 1, "ts": 10000 * step, "dur": 9000}
            text += json.dumps(dict(at, cat="user_annotation", name=f"ProfilerStep#{step}")) + ","
            for k in range(15 if step else 40):
                link = {"correlation": 100 * step + k + 1}
                launch = dict(at, cat="cuda_runtime", name="cudaLaunchKernel", ts=10000 * step + 100 * k + 10, dur=5,
                              args=link)
                kernel = dict(launch, cat="kernel", name=f"kernel_{k}", ts=launch["ts"] + 20, dur=50, pid=0, tid=7,
                              args=dict(link, device=0, stream=7))
                text += json.dumps(launch) + "," + json.dumps(kernel) + ","
        path = self.folder / "lost.json"
        path.write_text(text)
        loop = json.loads(cli.run("analyze", "-q", "--format=json", path).stdout)["loops"][0]
        self.assertEqual((loop["found_by"], loop["pattern"]["length"], loop["pattern"]["occurrences"]), ("marks", 40, 1))

    def test_number_of_marked_iterations(self):
        """-n is the number of annotations where kernels have no such loop."""
        events = []
        for i in range(80):
            at = {"ph": "X", "pid": 1, "tid": 1, "ts": 100 * i, "dur": 10, "args": {"correlation": i + 1}}
            kernel = {"device": 0, "stream": 7, "correlation": i + 1}
            events += [dict(at, cat="cuda_runtime", name="cudaLaunchKernel"),
                       dict(at, cat="kernel", name=f"kernel_{'abcdefghij'[i // 8]}<{i}>", ts=100 * i + 20,
                            pid=0, tid=7, args=kernel)]
            if i % 40 == 0:
                events.append(dict(at, cat="user_annotation", name=f"ProfilerStep#{i // 40}", dur=3990, args={}))
        path = self.folder / "two.json"
        path.write_text(json.dumps({"schemaVersion": 1, "traceEvents": events}))
        # layers can be split into two groups, but are hardly iterations
        names, layers, marks = [], [f"layer_gemm_{k}" for k in range(12)] * 12, self.folder / "layers.json"
        for i in range(2):
            names += [f"setup_{i}_{k}" for k in range(30 * (i + 1))] + layers + [f"tail_{i}_{k}" for k in range(25)]
        at = {"ph": "X", "pid": 1, "tid": 1, "dur": 10}
        events = [dict(at, cat="user_annotation", name=f"ProfilerStep#{i}", ts=start * 100, dur=count * 100 - 1)
                  for i, (start, count) in enumerate(((0, 199), (199, 229)))]
        for k, name in enumerate(names):
            link = {"correlation": k + 1}
            events += [dict(at, cat="cuda_runtime", name="cudaLaunchKernel", ts=100 * k, args=link),
                       dict(at, cat="kernel", name=name, ts=100 * k + 20, pid=0, tid=7,
                            args=dict(link, device=0, stream=7))]
        marks.write_text(json.dumps({"schemaVersion": 1, "traceEvents": events}))
        loops = json.loads(cli.run("analyze", "--format=json", "-n2", marks).stdout)["loops"]
        self.assertEqual([loop["found_by"] for loop in loops], ["marks"])
        for number, found in ((2, ["marks"]), (3, [])):
            result = cli.run("analyze", "--format=json", f"-n{number}", path)
            self.assertEqual([loop["found_by"] for loop in json.loads(result.stdout)["loops"]], found)
            self.assertEqual("has no loop of" in result.stderr, not found)
        result = cli.run("analyze", "--format=json", "-n2", "--ignore-marks", path)
        self.assertEqual(json.loads(result.stdout)["loops"], [])

    def test_numbers_of_annotations(self):
        """Only those that differ between the annotations are replaced."""
        whole = json.loads(self.trace.read_text())
        steps = [e for e in whole["traceEvents"] if e.get("cat") == "user_annotation"]
        whole["traceEvents"].append(dict(steps[0], name="conv3d", dur=1))
        path = self.folder / "numbers.json"
        for name, shown in (
            ("ProfilerStep#{}", "ProfilerStep#"), ("conv2d", "conv2d"), ("gpu0 step {}", "gpu0 step #"),
            ("step {} of 10", "step # of 10"), ("{}", "#"),
        ):
            for i, step in enumerate(steps):
                step["name"] = name.format(i)
            path.write_text(json.dumps(whole))
            text = cli.run("analyze", f"--marks=^{name.format('[0-9]*')}$", path).stdout
            self.assertIn(f"from annotations ({shown})", re.sub(r"\n\s+", " ", text))
        for i, step in enumerate(steps):
            step["name"] = f"{'forward' if i % 2 == 0 else 'backward'} {i}"
        path.write_text(json.dumps(whole))
        for marks, shown in ("ward", "forward # and others"), ("back", "backward #"):
            text = cli.run("analyze", "--marks", marks, path).stdout
            self.assertIn(f"from annotations ({shown})", re.sub(r"\n\s+", " ", text))
            loop = json.loads(cli.run("analyze", "--format=json", "--marks", marks, path).stdout)["loops"][0]
            self.assertEqual(loop["annotation"], f"{shown.split(' ')[0]} {0 if marks == 'ward' else 1}")
            self.assertIs(loop["mixed_annotations"], marks == "ward")

    def write_chunks(self, chunks, copy_us):
        """Chunks of data on streams of their own: all uploads, then all kernels, then all downloads."""
        events, now = [], 0
        for kind in ("HtoD", "kernel", "DtoH"):
            for i in range(chunks):
                call = len(events)
                at = {"ph": "X", "ts": now, "dur": 20 if kind == "kernel" else copy_us, "pid": 0, "tid": 7 + i,
                      "args": {"device": 0, "stream": 7 + i, "correlation": call, "bytes": 1 << 20}}
                events += [dict(at, cat="kernel", name="add") if kind == "kernel" else
                           dict(at, cat="gpu_memcpy", name=f"Memcpy {kind} (Pageable -> Device)"),
                           {"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "ts": now - 5, "dur": 2,
                            "pid": 1, "tid": 1, "args": {"correlation": call}}]
                now += at["dur"] + 1
        path = self.folder / "chunks.json"
        path.write_text(json.dumps({"schemaVersion": 1, "traceEvents": events}))
        return path

    def test_known_number_of_single_kernels(self):
        path = self.write_chunks(2, 100)
        self.assertIn("too few to show a loop", " ".join(cli.run("analyze", path).stdout.split()))
        self.assertIn("2 iterations of 1 kernel", cli.run("analyze", "-n2", path).stdout)
        self.assertNotIn("Loop 0", cli.run("analyze", "-n3", path).stdout)

    def test_loop_takes_little_of_the_capture(self):
        path = self.write_chunks(4, 1000)
        text = " ".join(cli.run("analyze", "-n4", path).stdout.split())
        self.assertRegex(text, r"of an iteration, but the loop takes only [0-9.]+% of the capture\.")
        self.assertNotIn("only faster or fewer kernels", text)

    def test_no_number_is_shown_twice_in_a_finding(self):
        """What costs is reported next to the cost, without its number; all of something is called so."""
        reported = set()
        for preset in ("input-bound", "copy-bound", "growing-interval", "launch-bound", "sync-call",
                       "exposed-communication", "slow-iterations", "extra-work", "demo"):
            trace = cli.simulate(self.folder / "waits.json", "-n", "30", "-p", preset)
            text = cli.run("analyze", "-v", trace, env=cli.environment(COLUMNS=400)).stdout
            for title, evidence in re.findall(r"(?m)^\d+\. (.*)\n   ((?! *\u2192).*)$", text):
                self.assertIn(" iteration (", title)
                reported.add(re.match(r"\w+ ([a-z-]+)", title)[1])
                numbers = re.findall(r"[\d.,]+ (?:ns|\u00b5s|ms|s|[KMG]iB)\b", title + "; " + evidence)
                self.assertEqual(sorted(numbers), sorted(set(numbers)), title + "\n" + evidence)
                self.assertNotIn("period", evidence.replace("of the period", ""))
        self.assertGreaterEqual(len(reported), 9, reported)

    def test_one_profiler_step(self):
        """What is reported instead of it, and whence that is."""
        whole = json.loads(self.trace.read_text())
        steps = [e for e in whole["traceEvents"] if e.get("cat") == "user_annotation"]
        times = [float(e["ts"]) for e in whole["traceEvents"] if e.get("cat") == "cuda_runtime"]
        one = dict(steps[0], name="ProfilerStep#3", ts=min(times) - 1, dur=max(times) - min(times) + 2)
        for step in steps:
            step["name"] = "train"
        whole["traceEvents"].append(one)
        path = self.folder / "step.json"
        for found_by, words in ("marks", "other annotations"), ("auto", "kernel order"):
            path.write_text(json.dumps(whole))
            result = cli.run("analyze", "--format=json", path)
            self.assert_done(result)
            self.assertEqual(
                result.stderr,
                f"deepprof: warning: {path}: stream 7: annotations mark fewer than two iterations; "
                f"using {words} instead\n",
            )
            loop = json.loads(result.stdout)["loops"][0]
            self.assertEqual((loop["found_by"], len(loop["iterations"])), (found_by, 10))
            whole["traceEvents"] = [e for e in whole["traceEvents"] if e.get("name") != "train"]

    def test_thresholds(self):
        """A rule reports from its threshold on."""
        trace = cli.simulate(self.folder / "waits.json", "-p", "input-bound")
        self.assertEqual(self.rules(trace)["input-bound"], "critical")
        self.assertEqual(self.rules(trace, "--threshold=input-bound=5%")["input-bound"], "critical")
        self.assertIn("input-bound", self.rules(trace, "--threshold", "input-bound=10.5%"))
        high = self.rules(trace, "--threshold=input-bound=99%")
        self.assertNotIn("input-bound", high)
        self.refused("--threshold=nothing=5%", words=("no rule with a threshold is called 'nothing'",))
        self.refused("--threshold=starved=5%", words=("no rule with a threshold",))
        for value in "", "=", "=5", "=0%", "=101%", "=-5%", "=5%%", "=1e1%", "= 5%", "=0.0000001%":
            self.refused("--threshold=host-bound" + value, words=("host-bound=10%",))

    def test_metrics(self):
        both = cli.run("analyze", "--format=csv", self.trace)
        some = cli.run("analyze", "--format=csv", "--metric=interval_ns,overlap", self.trace)
        again = cli.run(
            "analyze", "--format=csv", "--metric=interval_ns", "--metric", "overlap", self.trace
        )
        for result in both, some, again:
            self.assert_done(result)
        self.assertEqual(some.stdout, again.stdout)
        header = some.stdout.splitlines()[0].split(",")
        self.assertIn("interval_ns", header)
        self.assertNotIn("h2d_bytes", header)
        self.assertIn("h2d_bytes", both.stdout.splitlines()[0].split(","))


if __name__ == "__main__":
    cli.main()

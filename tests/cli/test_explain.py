"""--explain: how iterations were found, as text and in JSON."""
import json
import os
import pathlib
import re
import unittest

import cli

try:
    import jsonschema
except ImportError:
    jsonschema = None

SAMPLE = str(cli.SOURCE / "data" / "sample.json.gz")
TRACES = pathlib.Path(os.environ.get("DEEPPROF_TRACES", cli.SOURCE.parent / "shared" / "traces"))


class Explain(cli.Case):
    def entries(self, *args):
        result = cli.run("analyze", "--explain", "--format=json", *args, SAMPLE)
        self.assert_done(result)
        report = json.loads(result.stdout)
        found = [stream["explain"] for stream in report["streams"] if "explain" in stream]
        self.assertEqual(len(found), 1)
        if jsonschema:
            schema = (cli.BUILD / "data/report.schema.json").read_text(encoding="utf-8")
            jsonschema.Draft7Validator(json.loads(schema)).validate(report)
        return report, found[0]

    def test_json(self):
        """Facts lead from the sequence to the loops of the report."""
        report, entries = self.entries()
        stages = [entry["stage"] for entry in entries]
        order = ["stream", "sequence", "anchors", "candidate", "pattern", "levels", "votes", "vote"]
        order += ["boundary", "iterations", "confidence", "feature", "loop", "change"]
        self.assertEqual([s for s in dict.fromkeys(stages) if s in order], order)
        self.assertLessEqual(len(entries), 1001)
        self.assertEqual(entries[0]["facts"]["kernels"], 4106)
        for loop in report["loops"]:
            facts = [
                entry["facts"]
                for entry in entries
                if entry["stage"] == "loop"
                and entry["facts"]["length"] == loop["pattern"]["length"]
                and entry["facts"]["listed"]
            ]
            self.assertEqual(len(facts), 1)
            self.assertEqual(facts[0]["iterations"], loop["summary"]["iterations"])
            self.assertAlmostEqual(facts[0]["confidence"], loop["confidence"], places=6)
        for facts in (entry["facts"] for entry in entries if entry["stage"] == "confidence"):
            self.assertAlmostEqual(facts["confidence"], facts["loop"] * facts["boundary"])

    def test_names(self):
        """Texts are about kernels, by their names, and of none where the loop has none."""
        report, entries = self.entries()
        texts = [e["text"] for e in entries]
        self.assertFalse([t for t in texts if re.search("[0-9] symbol", t)])
        first = report["loops"][0]["pattern"]["kernels"][0]
        boundary = next(e["text"] for e in entries if e["stage"] == "boundary")
        name = re.search(r"place [\d,]+ \(([^)]+)\) of", boundary).group(1).rstrip(".")
        self.assertTrue(any(name in k for loop in report["loops"]
                            for k in loop["pattern"]["kernels"][:1]), first)

    def test_nested(self):
        """Nested loops are indented below the loop around them, in one line each."""
        result = cli.run("analyze", "--explain", SAMPLE)
        reported = result.stdout[result.stdout.index("How iterations were found") :]
        titles = re.findall(r"^( *)\d+ iterations of (\d+) kernels?:", reported, re.M)
        report, _ = self.entries()
        depth = {}
        for loop in report["loops"]:
            depth[loop["id"]] = 1 + depth.get(loop["parent"], 0)
        self.assertEqual(
            sorted((len(blanks) // 2, int(length)) for blanks, length in titles),
            sorted((depth[x["id"]], x["pattern"]["length"]) for x in report["loops"]))

    def test_refused(self):
        """What several stages find and refuse is listed once."""
        trace = TRACES / "nsys-2024-mmagic.sqlite"
        if not trace.exists():
            self.skipTest("the real traces are not there")
        text = cli.run("analyze", "--explain", trace).stdout
        rows = re.findall(r"(?m)^    (\d+ kernels? .* confidence)$", text[text.index("Considered") :])
        self.assertGreaterEqual(len(rows), 3)
        # it has ranges already
        self.assertIn("or name annotations around them, if there are any (--marks).", " ".join(text.split()))
        self.assertEqual(len(rows), len(set(rows)))

    def test_replaced(self):
        """Iterations have as many kernels as in the report; what was likely and replaced says so."""
        trace = TRACES / "real" / "nsys-balinski-4a073ef23d.sqlite"
        if not trace.exists():
            self.skipTest("the real traces are not there")
        text = cli.run("analyze", "--explain", trace, env=cli.environment(LC_ALL="C.UTF-8")).stdout
        self.assertEqual(text.count("246 iterations of 12–63 kernels"), 2)
        self.assertIn("    13 kernels 8 times, 70% confidence, replaced by what a later stage found\n", text)

    def test_fates(self):
        """What is accepted, or votes on its boundary, is named again: no pattern just vanishes."""
        _, entries = self.entries()
        for i, entry in enumerate(entries):
            if entry["stage"] not in ("pattern", "votes") or not entry["facts"].get("accepted", 1):
                continue
            later = [e for e in entries[i + 1 :] if e["stage"] not in ("candidate", "anchors")]
            later = [e for e in later if e["facts"].get("length") == entry["facts"]["length"]]
            self.assertTrue(later, entry["text"])
            if entry["stage"] == "votes":
                self.assertIn("iterations", [e["stage"] for e in later])

    def test_iterations(self):
        """Between the boundary and the confidence: what the iterations are, and what changed."""
        report, entries = self.entries()
        for loop in report["loops"]:
            facts = [e["facts"] for e in entries if e["stage"] == "iterations"
                     and e["facts"]["length"] == loop["pattern"]["length"]]
            self.assertEqual(len(facts), 1)
            self.assertEqual(facts[0]["iterations"], loop["summary"]["iterations"])
            self.assertEqual(facts[0]["partial"],
                             sum(i["partial"] for i in loop["iterations"]))
            self.assertEqual(facts[0]["equal"], loop["variants"][0]["iterations"])
        text = " ".join(cli.run("analyze", "--explain", SAMPLE).stdout.split())
        self.assertIn("20 whole; 16 equal the pattern, the others differ from it in 1 way", text)
        self.assertIn("1 end of its spans next to other loops moved by up to 74 kernels", text)

    def write(self, iterations):
        """A trace of iterations, each in an annotation, by their kernels."""
        path, events, now = self.folder / "written.json", [], 0
        for names in iterations:
            events.append({"ph": "X", "cat": "user_annotation", "name": "execute_model", "pid": 1, "tid": 1,
                           "ts": now - 3, "dur": 10 * len(names) - 2})
            for name in names:
                correlation = {"correlation": len(events)}
                events.append({"ph": "X", "cat": "kernel", "name": name, "pid": 0, "tid": 7, "ts": now, "dur": 9,
                               "args": {"device": 0, "stream": 7, **correlation}})
                events.append({"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "pid": 1, "tid": 1,
                               "ts": now - 2, "dur": 1, "args": correlation})
                now += 10
            now += 50
        path.write_text(json.dumps({"schemaVersion": 1, "traceEvents": events}))
        return path

    def test_iterations_that_differ_in_the_end(self):
        """Where rows of kernels were one symbol, fewer iterations equal the pattern in kernels."""
        path = self.write([[*"abc", *["solve", "reset"] * (6 + k * 7 % 5), *"def",
                            *["solve", "reset"] * (3 + k * 3 % 4), "step"] for k in range(60)])
        text = " ".join(cli.run("analyze", "--ignore-marks", "--explain", path).stdout.split())
        self.assertIn("57 differ from the pattern", text)
        self.assertIn("in the end, 57 of the 60 differ from the pattern in their kernels", text)
        text = " ".join(cli.run("analyze", "--explain", SAMPLE).stdout.split())
        self.assertNotIn("in the end", text)

    def test_loops_inside_some_iterations(self):
        """A loop of a few iterations is inside these; one that also runs outside, mostly inside."""
        prefill = "norm quant gemm rope cache flash gemm norm quant gemm silu gemm add".split()
        decode = "norm quant gemm rope cache paged gemm norm quant gemm silu add".split()
        path = self.write([["fill", "embed", *(prefill if k < 2 else decode) * 32, "head", "sample", "end"]
                           for k in range(22)])
        text = cli.run("analyze", "--explain", path).stdout
        self.assertRegex(text, r"64 iterations of 13 kernels: \d+% confidence, inside some of the 22 iterations")
        inner = ["gemm", "relu", "norm"]
        path = self.write([["load", "cast", *inner * 20, "loss", "adam", "step"]] * 12 +
                          [[f"set_up_{chr(97 + i)}{chr(97 + j)}" for i in range(26)] + inner * 15
                           for j in range(3)])
        text = cli.run("analyze", "--ignore-marks", "--level=innermost", path).stdout
        self.assertIn("\n  mostly inside loop 1; ", text)

    def test_counts(self):
        _, entries = self.entries("-n", "20")
        facts = [entry["facts"] for entry in entries if entry["stage"] == "count"]
        self.assertEqual((facts[0]["known"], facts[0]["iterations"]), (20, 20))

    def test_decisions_once(self):
        """A search that -n repeats is not listed twice, and nothing claims that there is no loop."""
        text = cli.run("analyze", "--explain", "-n", "2", SAMPLE).stdout
        text = text[text.index("How iterations were found") :]
        rows = [" ".join(row.split()) for row in re.split(r"\n  (?=\w)", text)]
        counts = [row for row in rows if row.startswith("count ")]
        self.assertTrue(counts)
        self.assertEqual(len(counts), len(set(counts)))
        self.assertNotIn("no loop so far", text)

    def test_paper(self):
        _, entries = self.entries("--paper", "-n", "20")
        self.assertEqual([e["stage"] for e in entries], ["stream", "sequence", "paper"])
        self.assertEqual(entries[2]["facts"]["known"], 20)
        self.assertGreater(entries[2]["facts"]["length"], 8)
        text = cli.run("analyze", "--explain", "--paper", "-n", "20", SAMPLE).stdout
        self.assertRegex(text, r"(?m)^  20 iterations of \d+ kernels$")

    def test_fractions(self):
        """Iterations of a candidate are no whole number."""
        _, entries = self.entries()
        numbers = [e["facts"].get("iterations", 0) for e in entries if e["stage"] == "candidate"]
        self.assertTrue(any(number % 1 for number in numbers))

    def test_text(self):
        """The report is unchanged; with -v the entries follow it, in 80 columns."""
        plain = cli.run("analyze", "-v", SAMPLE).stdout
        result = cli.run("analyze", "-v", "--explain", SAMPLE)
        self.assert_done(result)
        self.assertTrue(result.stdout.startswith(plain))
        reported = result.stdout[len(plain) :]
        self.assertRegex(reported, r"\A\nHow iterations were found on GPU 0, stream 7 \(see deepprof")
        self.assertLessEqual(max(map(len, reported.splitlines())), 80)
        words = " ".join(reported.split())
        for entry in self.entries()[1]:
            self.assertIn(" ".join((entry["stage"] + " " + entry["text"]).split()), words)

    def test_summary(self):
        """For each loop of the report: its kernels, where it starts, and what makes it likely."""
        plain = cli.run("analyze", SAMPLE).stdout
        result = cli.run("analyze", "--explain", SAMPLE)
        self.assert_done(result)
        self.assertTrue(result.stdout.startswith(plain))
        reported = result.stdout[len(plain) :]
        self.assertIn("all stages: -v", " ".join(reported.split()))
        self.assertLessEqual(max(map(len, reported.splitlines())), 80)
        report, entries = self.entries()
        loops = [loop for loop in report["loops"] if loop["selected"]]
        titles = re.findall(r"(?m)^  (\d+) iterations of (\d+) kernels: [\d.]+% confidence$", reported)
        self.assertEqual(
            titles,
            [
                (str(loop["summary"]["iterations"]), str(loop["pattern"]["length"]))
                for loop in loops
            ],
        )
        for word in "starts at", "iterations", "is a loop", "boundaries":
            self.assertEqual(len(re.findall(rf"(?m)^    {word} ", reported)), len(loops))
        features = [entry for entry in entries if entry["stage"] == "feature"]
        phrases = {entry["text"].split(":")[0] for entry in features}
        reasons = re.findall(r"(?m)^ {16}[+-] (.*)$", reported)
        self.assertTrue(set(reasons) & phrases)
        for entry in features:
            self.assertEqual(len(entry["facts"]), 3)
            self.assertTrue({"loop", "boundary"} < set(entry["facts"]))

    def test_off(self):
        self.assertNotIn('"explain":', cli.run("analyze", "--format=json", SAMPLE).stdout)

    def test_formats(self):
        for name in "csv", "html", "chrome":
            result = cli.run("analyze", "--explain", f"--format={name}", SAMPLE)
            self.assert_fails(result, 2, "--explain requires --format=text or --format=json")

    def test_page(self):
        """Each stage, vote and feature is in the page that the report names."""
        page = (cli.SOURCE / "man" / "deepprof-detection.7").read_text(encoding="utf-8")
        stages = set()
        for source in (cli.SOURCE / "lib").rglob("*.c"):
            text = source.read_text(encoding="utf-8")
            stages |= set(re.findall(r'dp_explain__add\([^;]*?"([a-z-]+)",\s*DP_FACTS', text))
        self.assertGreater(len(stages), 12)
        page = page.replace("\\-", "-")
        for stage in stages:
            self.assertIn(f"\n.TP\n.B {stage}\n", page)
        text = (cli.SOURCE / "lib" / "iterate" / "votes.c").read_text(encoding="utf-8")
        votes = re.findall(r'\{ "([a-z-]+)", DP_PHASE', text)
        self.assertGreater(len(votes), 10)
        text = (cli.SOURCE / "lib" / "iterate" / "changes.c").read_text(encoding="utf-8")
        changes = re.findall(r'\[DP_CUT_CHANGE_\w+\] =\s+"([a-z]+):', text)
        self.assertGreater(len(changes), 6)
        text = (cli.SOURCE / "lib" / "loops" / "confidence.c").read_text(encoding="utf-8")
        features = re.findall(r'\[DP_FEATURE_\w+\] = \{ "([a-z_]+)"', text)
        self.assertEqual(len(features), len(set(re.findall(r"DP_FEATURE_\w+", text))))
        for name in votes + changes + features:
            self.assertRegex(page, rf"(?m)^\.BR {name}(?: [,:])?$")


if __name__ == "__main__":
    unittest.main()

"""The man pages' examples: C is extracted, compiled without a warning, and run on a trace; commands are
run, too."""
import json
import os
import re
import shutil
import subprocess
import unittest

import cli

BEGIN = re.compile(r'^\.\\" example begin (\S+)$')
END = '.\\" example end'


def examples():
    """(page, file name, C text) of each; what man shows is what is compiled."""
    folders = cli.BUILD / "man", cli.SOURCE / "man"
    names = sorted({path.name for folder in folders for path in folder.glob("*.3")})
    for name in names:
        path = folders[0] / name
        text, current = [], None
        for line in (path if path.exists() else folders[1] / name).read_text("utf-8").splitlines():
            begin = BEGIN.match(line)
            if begin:
                current, text = begin[1], []
            elif line == END:
                yield name, current, "\n".join(text) + "\n"
                current = None
            elif current and not re.match(r"^\.(EX|EE|nf|fi|PP)\b", line):
                text.append(unescape(line))


def unescape(line):
    escapes = {"\\e": "\\", "\\-": "-", "\\&": "", "\\(aq": "'", "\\(dq": '"', "\\(rs": "\\"}
    return re.sub(r"\\(?:\(..|.)", lambda match: escapes[match[0]], line)


def shell_examples(name):
    """The commands among a page's examples."""
    text = (cli.SOURCE / "man" / name).read_text("utf-8")
    section = re.search(r"^\.SH EXAMPLES\n(.*?)^\.SH ", text, re.M | re.S)[1]
    return [unescape(block) for block in re.findall(r"^\.EX\n(.*?)^\.EE$", section, re.M | re.S)]


class ShellExamples(cli.Case):
    @unittest.skipUnless(shutil.which("jq") and shutil.which("sqlite3"), "needs jq and sqlite3")
    def test_reports(self):
        """Each prints something: the keys and columns that it names are there."""
        data = cli.SOURCE / "data"
        for name in "run.sqlite", "before.sqlite", "a.json.gz":
            shutil.copy(data / "sample.json.gz", self.folder / name)
        shutil.copy(data / "faster.json.gz", self.folder / "after.sqlite")
        path = f"{os.path.dirname(cli.DEEPPROF)}:{os.environ['PATH']}"
        for script in shell_examples("deepprof-report.5"):
            with self.subTest(script):
                result = subprocess.run(
                    ["sh", "-ec", script], cwd=self.folder, env=cli.environment(PATH=path),
                    capture_output=True, encoding="utf-8", timeout=cli.TIMEOUT_S, check=False,
                )  # fmt: skip
                self.assertEqual((result.returncode, result.stderr), (0, ""))
                self.assertRegex(result.stdout, r"\d")


    @unittest.skipUnless(shutil.which("sqlite3"), "needs sqlite3")
    def test_queries(self):
        """A query selects the columns that it groups by: without them, its rows cannot be read."""
        text = (cli.SOURCE / "man" / "deepprof-export.1").read_text("utf-8")
        queries = re.findall(r"^\.EX\n(SELECT .*?;)\n\.EE$", text, re.M | re.S)
        queries = [query for query in queries if " FROM slice" not in query]  # of Perfetto
        self.assertGreater(len(queries), 3)
        database = self.folder / "queries.sqlite"
        cli.run("export", "--format=sqlite", "-o", database, cli.SOURCE / "data" / "sample.json.gz")
        for query in map(unescape, queries):
            with self.subTest(query):
                result = subprocess.run(["sqlite3", database, query], capture_output=True, encoding="utf-8", check=False)
                self.assertEqual((result.returncode, result.stderr), (0, ""))
                chosen = query.split(" FROM ")[0].split()
                for column in re.findall(r"\w+", (re.search(r" GROUP BY ([\w, ]+?)(?: ORDER | LIMIT |;)", query) or [""] * 2)[1]):
                    self.assertIn(column + ",", chosen)


WARNINGS = "-pedantic", "-Wall", "-Wextra", "-Wno-unused-parameter", "-Werror"


class Examples(cli.Case):
    def call_compiler(self, *words):
        result = subprocess.run(words, capture_output=True, encoding="utf-8", check=False)
        self.assertEqual(result.returncode, 0, result.stderr)

    def compile(self, name, text):
        source = self.folder / name
        source.write_text(text)
        program = self.folder / name.removesuffix(".c")
        library = cli.BUILD / "lib"
        self.call_compiler(
            *os.environ["DEEPPROF_CC"].split(), "-std=c11", *WARNINGS,
            f"-I{cli.SOURCE / 'include'}", "-o", str(program), str(source),
            f"-L{library}", f"-Wl,-rpath,{library}", "-ldeepprof", "-lm",
            *os.environ.get("DEEPPROF_CFLAGS", "").split(),
        )  # fmt: skip
        return program

    @unittest.skipUnless(shutil.which("c++"), "there is no compiler of C++")
    def test_all_are_cpp(self):
        """The headers are for C++ as well, and so is what they are shown by."""
        for _, name, text in examples():
            source = self.folder / (name + "pp")
            source.write_text(text)
            self.call_compiler(
                "c++", "-std=c++11", *WARNINGS, "-fsyntax-only",
                f"-I{cli.SOURCE / 'include'}", str(source),
            )  # fmt: skip

    def run_example(self, name, *args):
        for _, other, text in examples():
            if other == name:
                return subprocess.run(
                    [self.compile(name, text), *map(str, args)],
                    capture_output=True,
                    encoding="utf-8",
                    timeout=cli.TIMEOUT_S,
                    check=False,
                )
        self.fail(f"there is no example {name}")

    def test_all_compile_and_run(self):
        """Those of other pages too: without a trace where they take none."""
        names = [name for _, name, _ in examples()]
        self.assertIn("iterations.c", names)
        self.assertEqual(len(names), len(set(names)))
        for page, name, text in examples():
            traces = 2 if "dp_comparison_run" in text else int("dp_trace_open" in text)
            result = self.run_example(name, *[self.trace] * traces)
            self.assertEqual(result.returncode, 0, (page, name, result.stderr))
            self.assertTrue(result.stdout, (page, name))

    def report(self):
        return json.loads(cli.run("analyze", "--format=json", self.trace).stdout)

    def test_iterations(self):
        """It prints what the report has."""
        result = self.run_example("iterations.c", self.trace)
        shown = re.findall(r"^ *(\d+) +(\d+) ns +(\d+) ns", result.stdout, re.M)
        expected = [
            tuple(str(each[key]) for key in ("index", "start_ns", "end_ns"))
            for loop in self.report()["loops"]
            for each in loop["iterations"]
        ]
        self.assertTrue(expected)
        self.assertEqual(shown, expected)

    def test_iterations_of_a_missing_file(self):
        result = self.run_example("iterations.c", "no-such-file")
        self.assertEqual(result.returncode, 1)
        self.assertIn("no-such-file: No such file", result.stderr)

    def test_metric(self):
        result = self.run_example("metric.c", self.trace)
        known = json.loads(cli.run("analyze", "-n10", "--format=json", self.trace).stdout)
        expected = [
            f"{each['index']} {each['interval_ns']} ns"
            for each in known["loops"][0]["iterations"]
            if each["interval_ns"] is not None
        ]
        self.assertTrue(expected)
        self.assertEqual(result.stdout.splitlines(), expected)

    def test_finding(self):
        """It prints the first finding of a program whose trouble is known."""
        trace = self.folder / "waits.json"
        cli.simulate(trace, "-p", "input-bound")
        top = json.loads(cli.run("analyze", "--format=json", trace).stdout)["findings"][0]
        self.assertEqual(top["rule"], "input-bound")
        first, advice, *evidence = self.run_example("finding.c", trace).stdout.splitlines()
        self.assertEqual(
            first,
            f"input-bound in iterations {top['iterations'][0]} to {top['iterations'][1]}, "
            f"{top['recoverable_ns']} ns of each",
        )
        self.assertEqual(advice, top["advice"])
        self.assertEqual([each.split(" = ")[0] for each in evidence], list(top["evidence"]))

    def test_json(self):
        result = self.run_example("json.c", self.trace)
        self.assertEqual(json.loads(result.stdout), self.report())

    def test_compare(self):
        """The change that is planted, and its kernels."""
        slower = cli.simulate(self.folder / "slower.json", "-s", "model.kernel=60us")
        reported = json.loads(cli.run("compare", "--format=json", self.trace, slower).stdout)["pairs"][0]
        first, *kernels = self.run_example("compare.c", self.trace, slower).stdout.splitlines()
        period = reported["metrics"]["period_ns"]
        self.assertEqual(
            first,
            "loops 0 and 0: {:+} ns, 95% CI {:+} to {:+} ns".format(
                period["change"], *period["change_ci"]
            ),
        )
        expected = [each["names"][1] for each in reported["kernels"] if each["change"] == "slower"]
        self.assertTrue(expected)
        self.assertEqual([line.split(" ns  ", 1)[1] for line in kernels], expected)

    def test_longest(self):
        events = json.loads(self.trace.read_text())["traceEvents"]
        names = {each["name"] for each in events if each.get("cat") == "kernel"}
        result = self.run_example("longest.c", self.trace)
        match = re.match(r"stream 0: (\d+) ns, (.*)\n", result.stdout)
        self.assertIn(match[2], names)


if __name__ == "__main__":
    cli.main()

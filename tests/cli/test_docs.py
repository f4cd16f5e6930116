"""Help, man pages and completions against each other; the library's pages against the library."""
import json
import pathlib
import re
import shutil
import subprocess
import tempfile
import unittest

import cli

FISH = cli.SOURCE / "data" / "completions" / "deepprof.fish"
BASH = str(cli.SOURCE / "data" / "completions" / "deepprof.bash")
VERBS = ["record", "analyze", "compare", "ranks", "reduce", "export", "info", "help"]
PAGES_WITH_OPTIONS = {
    "record": "deepprof-record.1",
    "analyze": "deepprof-analyze.1",
    "compare": "deepprof-compare.1",
    "ranks": "deepprof-ranks.1",
    "reduce": "deepprof-reduce.1",
    "export": "deepprof-export.1",
    "info": "deepprof-info.1",
}


def page(name):
    """A man page as it is installed: built, or as it is in the source."""
    built = cli.BUILD / "man" / name
    return (built if built.exists() else cli.SOURCE / "man" / name).read_text(encoding="utf-8")


def pages():
    names = {path.name for path in (cli.BUILD / "man").glob("*.[1357]")}
    names |= {path.name for path in (cli.SOURCE / "man").glob("*.[1357]")}
    return sorted(names)


def plain(roff):
    """Without fonts and escapes."""
    return re.sub(r"\\f.", "", roff).replace("\\-", "-").replace("\\e", "\\").replace("\\&", "")


def options_of_help(verb):
    """{"--iterations": ("-n", True)}: the letter, and whether it takes a value."""
    text = cli.run("help", verb).stdout
    found = {}
    for match in re.finditer(r"^  (?:(-\w),|   ) (--[a-z-]+)(=)?", text, re.M):
        found[match[2]] = (match[1], bool(match[3]))
    return found


def options_of_page(name):
    found = {}
    tag = re.compile(r"^\.TP\n(?:\.B[IR]? )?(.*)$", re.M)
    for match in tag.finditer(page(name)):
        words = plain(match[1])
        option = re.match(r"(?:(-\w), )?(--[a-z-]+)(=)?", words)
        if option:
            found[option[2]] = (option[1], bool(option[3]))
    return found


class Help(unittest.TestCase):
    def test_width(self):
        for args in ("help",), ("info", "--build"), *(("help", verb) for verb in VERBS):
            for line in cli.run(*args).stdout.splitlines():
                self.assertLessEqual(len(line), 80, line)

    def test_ascii(self):
        for verb in VERBS:
            self.assertTrue(cli.run("help", verb).stdout.isascii())

    def test_help_has_options(self):
        self.assertIn("--iterations", options_of_help("analyze"))
        self.assertIn("--help", options_of_help("help"))
        self.assertEqual(options_of_help("analyze")["--iterations"], ("-n", True))


class Formats(unittest.TestCase):
    """All that a command can write; under sanitizers, which see what tests of its content don't."""

    def check(self, verb, *files):
        listed = re.search(r"(?s)-o\s+extension\):(.*?)\n +-", cli.run("help", verb).stdout)[1]
        forms = re.findall(r"\w+", listed)
        self.assertGreater(len(forms), 1)
        for form in forms:
            result = cli.run(verb, "-q", "-o", "-", f"--format={form}", *files, encoding=None)
            self.assertEqual(result.returncode, 0, (verb, form, result.stderr))
            self.assertGreater(len(result.stdout), 100, (verb, form))

    def test_formats(self):
        with tempfile.TemporaryDirectory() as folder:
            trace = cli.simulate(pathlib.Path(folder) / "trace.json")
            for verb in "analyze", "export", "info":
                self.check(verb, trace)
            self.check("compare", trace, trace)
        self.check("ranks", cli.SOURCE / "data" / "ranks")


class Pages(unittest.TestCase):
    def test_options(self):
        for verb, name in PAGES_WITH_OPTIONS.items():
            self.assertEqual(options_of_page(name), options_of_help(verb), name)

    def test_every_command_has_a_page(self):
        for verb in PAGES_WITH_OPTIONS:
            self.assertIn(f"deepprof-{verb}.1", pages())
            self.assertIn(f".B {verb}\n", page("deepprof.1"))

    def test_tables(self):
        reported = json.loads(cli.run("info", "--build", "--format=json").stdout)
        where = {
            "importers": "deepprof.1",
            "renderers": "deepprof-analyze.1",
            "metrics": "deepprof-metrics.7",
            "summary_metrics": "deepprof-metrics.7",
            "rules": "deepprof-metrics.7",
        }
        for table, name in where.items():
            text = plain(page(name))
            for row in reported[table]:
                self.assertRegex(text, rf"(?m)^\.TP\n\.B {re.escape(row['name'])}$")
                self.assertIn(row["help"], text)
            self.assertNotRegex(text, "(?m)^@")

    def test_report(self):
        """Every key of JSON and every column of CSV but metrics; every label of the text."""
        text = plain(page("deepprof-report.5"))
        schema = json.loads((cli.BUILD / "data/report.schema.json").read_text(encoding="utf-8"))
        reported = json.loads(cli.run("info", "--build", "--format=json").stdout)
        metrics = {row["name"] for row in reported["metrics"] + reported["summary_metrics"]}
        definitions = schema["definitions"]
        keys = set(schema["properties"]) | set(definitions["loop"]["properties"]["phase"]["enum"])
        for name in "trace", "stream", "loop", "iteration", "finding":
            keys |= set(definitions[name]["properties"])
        trace = str(cli.SOURCE / "data" / "sample.json.gz")
        keys |= set(cli.run("analyze", "--format=csv", trace).stdout.split("\n")[0].split(","))
        self.assertGreater(len(keys - metrics), 30)
        for key in keys - metrics:
            self.assertRegex(text, rf"(?m)\b{key}\b", key)
        labels = set(re.findall(r"(?m)^  (\w+)   *\S", cli.run("analyze", trace).stdout))
        self.assertIn("spent", labels)
        for label in labels:
            self.assertRegex(plain(page("deepprof-analyze.1")), rf"(?m)^\.TP\n\.B {label}$", label)

    def test_comparison(self):
        """The same of two runs."""
        text = plain(page("deepprof-report.5"))
        text = text[text.index("JSON OF TWO RUNS") :]
        reported = json.loads(cli.run("info", "--build", "--format=json").stdout)
        metrics = {row["name"] for row in reported["metrics"]}
        traces = [str(cli.SOURCE / "data" / f"{name}.json.gz") for name in ("sample", "faster")]
        keys = set(cli.run("compare", "--format=csv", *traces).stdout.split("\n")[0].split(","))
        self.assertGreater(len(keys), 10)

        def add_keys(value):
            if isinstance(value, dict):
                keys.update(value)
            for each in value.values() if isinstance(value, dict) else value:
                if isinstance(each, (dict, list)):
                    add_keys(each)

        add_keys(json.loads(cli.run("compare", "--format=json", *traces).stdout))
        self.assertIn("paired_by_time", keys)
        for key in keys - metrics:
            self.assertRegex(text, rf"(?m)\b{key}\b", key)

    def test_choices(self):
        """Fixed choices in the help text are all in the page."""
        for verb, name in PAGES_WITH_OPTIONS.items():
            text = plain(page(name))
            reported = cli.run("help", verb).stdout
            for choices in re.findall(r"(?s)(?:: )((?:\w+,\s+)+\w+)\n", reported):
                for choice in re.split(r",\s+", choices):
                    if choice not in plain(page("deepprof.1")):
                        self.assertRegex(text, rf"\b{choice}\b")

    def test_lint(self):
        """No warnings but for dates, which the pages don't have, and long lines of code."""
        for name in pages():
            if shutil.which("groff"):
                result = subprocess.run(
                    ["groff", "-ww", "-man", "-Tutf8", "-rLL=80n"],
                    input=page(name).encode(),
                    capture_output=True,
                    check=False,
                )
                self.assertEqual((result.returncode, result.stderr), (0, b""), name)
            elif shutil.which("mandoc"):
                result = subprocess.run(
                    ["mandoc", "-T", "lint", "-W", "error"],
                    input=page(name).encode(),
                    capture_output=True,
                    check=False,
                )
                self.assertEqual((result.returncode, result.stdout), (0, b""), name)
            else:
                self.skipTest("neither groff nor mandoc is there")

    def test_heads(self):
        """All pages begin alike: their name and section, and what they are about."""
        for name in pages():
            stem, section = name.rsplit(".", 1)
            title, head, about = plain(page(name)).split("\n")[:3]
            self.assertEqual(title, f".TH {stem.upper()} {section}", name)
            self.assertEqual(head, ".SH NAME", name)
            self.assertRegex(about, f"^{stem} - ", name)

    def test_references(self):
        """Pages that are named exist."""
        for name in pages():
            for other, section in re.findall(
                r"^\.BR ((?:lib)?deepprof\S*) \((\d)\)", page(name), re.M
            ):
                self.assertIn(f"{plain(other)}.{section}", pages(), name)


class Readme(unittest.TestCase):
    def test_report(self):
        """What it shows of the samples is what the program shows."""
        text = (cli.SOURCE / "README.md").read_text(encoding="utf-8")
        env = cli.environment(LC_ALL="C.UTF-8")
        shown = re.findall(r"(?m)^    \$ deepprof (.* data/.*)\n((?:    .*\n|\n)+)", text)
        self.assertEqual([words.split()[0] for words, _ in shown], ["analyze", "compare", "ranks", "analyze"])
        for words, block in shown:
            reported = cli.run(*words.split(), env=env, cwd=cli.SOURCE).stdout
            self.assertEqual(
                [line.strip() for line in block.strip().splitlines()],
                [line.strip() for line in reported.strip().splitlines()],
                f"README.md is to show:\n{reported}",
            )

    def test_recorded(self):
        """Of an H200: as many iterations as train.py had, with those before it warmed up and its
        graph was captured."""
        for name, count in ("training", 25), ("inference", 48):
            trace = cli.SOURCE / "data" / f"h200-{name}.db.gz"
            report = json.loads(cli.run("analyze", "--format=json", trace).stdout)
            self.assertEqual(len(report["loops"][0]["iterations"]), count)
            self.assertEqual(report["trace"]["lost"], 0)

    def test_formats(self):
        """Its table has every importer."""
        text = (cli.SOURCE / "README.md").read_text(encoding="utf-8")
        reported = json.loads(cli.run("info", "--build", "--format=json").stdout)
        for row in reported["importers"]:
            self.assertIn(f"| `{row['name']}` |", text)


class Completions(unittest.TestCase):
    def text(self, name):
        return (cli.SOURCE / "data" / "completions" / name).read_text(encoding="utf-8")

    def test_bash(self):
        """Asked of bash itself: what it completes after "deepprof VERB -"."""
        script = """
            source "$1"
            compopt() { :; }
            COMP_WORDS=(deepprof "$2" "$3") COMP_CWORD=2
            _deepprof
            printf '%s\\n' "${COMPREPLY[@]}"
        """
        for verb in VERBS:
            result = subprocess.run(
                ["bash", "-c", script, "bash", BASH, verb, "-"],
                capture_output=True,
                encoding="utf-8",
                check=True,
            )
            expected = set()
            for option, (letter, value) in options_of_help(verb).items():
                expected.add(option + ("=" if value else ""))
                if letter:
                    expected.add(letter)
            self.assertEqual(set(result.stdout.split()), expected)
            self.assertEqual(result.stderr, "")

    def test_bash_values(self):
        """Formats and metrics come from the program."""
        script = """
            source "$1"
            compopt() { :; }
            deepprof() { "$DEEPPROF" "$@"; }
            COMP_WORDS=(deepprof "${@:2}") COMP_CWORD=$(($# - 1))
            _deepprof
            printf '%s\\n' "${COMPREPLY[@]}"
        """
        reported = json.loads(cli.run("info", "--build", "--format=json").stdout)
        metrics = [row["name"] for row in reported["metrics"] + reported["summary_metrics"]]
        cases = [
            (["analyze", "--format", "=", ""], [row["name"] for row in reported["renderers"]]),
            (["analyze", "--format", "="], [row["name"] for row in reported["renderers"]]),
            (["info", "--format", ""], ["text", "json"]),
            (["export", "--format", ""], ["chrome", "perfetto", "sqlite"]),
            (["compare", "--format", ""], ["text", "json", "csv", "markdown", "html"]),
            (["compare", "--fail-on", "=", "iter"], ["iteration_time="]),
            (["compare", "--fail-on", "peak"], ["peak_bytes="]),
            (["compare", "--loops", "="], []),
            (["info", "--input-format", "=", "n"], None),
            (["analyze", "--metric", ""], metrics),
            (["analyze", "--metric", "overlap,int"], ["overlap,interval_ns"]),
            (["record", "--capture", "="], ["all", "profiler"]),
            (["record", "--nvtx", "=", "of"], ["off"]),
            (["record", "--delay", "=", "5s", "--dur"], ["--duration="]),
            (["record", "--delay", "5s", "--dur"], ["--duration="]),
            (["record", "train", "--dur"], []),
            (["record", "--delay", "=", "5s", "train", "--dur"], []),
            (["record", "-f", "--delay", "5s", "--", "--dur"], []),
            (["analyze", "--threshold", "=", "host"], ["host-bound="]),
            (["analyze", "--threshold", "s"], ["sync-call="]),
            (["analyze", "--level", "="], ["default", "outermost", "innermost"]),
            (["help", ""], VERBS),
            (["an"], ["analyze"]),
        ]
        for words, expected in cases:
            result = subprocess.run(
                ["bash", "-c", script, "bash", BASH, *words],
                capture_output=True,
                encoding="utf-8",
                check=True,
                env=cli.environment(),
            )
            if expected is None:
                expected = [r["name"] for r in reported["importers"] if r["name"].startswith("n")]
            self.assertEqual(sorted(result.stdout.split()), sorted(expected), words)

    def test_zsh(self):
        text = self.text("_deepprof")
        common = re.search(r"(?s)common=\((.*?)\n\t\)", text)[1]
        shared = re.search(r"(?s)shared=\((.*?)\n\t\)", text)[1]
        for verb in VERBS:
            block = re.search(rf"(?s)\n\t{verb}\)\n(.*?)\n\t\t;;", text)[1]
            block += common if "$common" in block else ""
            block += shared if "$shared" in block else ""
            self.assertEqual(
                set(re.findall(r"--[a-z-]+", re.sub(r"\([^)]*\)", "", block))) | {"--help"},
                set(options_of_help(verb)),
                verb,
            )
            for option, (letter, value) in options_of_help(verb).items():
                self.assertRegex(block, rf"{option}{'=' if value else '[^=]'}")
                if letter:
                    self.assertRegex(block, rf"{{{letter}\+?,{option}")

    def test_fish(self):
        text = self.text("deepprof.fish")
        for verb in VERBS:
            conditions = {
                "record": r"\$record",
                "analyze": r"\$(?:analyze|report|shared|both|all)",
                "compare": r"\$(?:compare|report|shared|both|all)",
                "ranks": r"\$(?:ranks|report|both|all)",
                "reduce": r"\$(?:reduce|all)",
                "export": r"\$(?:export|shared|all)",
                "info": r"\$(?:info|both|all)",
                "help": "-",
            }
            found = {"--help": ("-h", False)}
            for match in re.finditer(
                rf"^complete -c deepprof -n {conditions[verb]}(?: -s (\w))? -l (\S+)( -[xr])?",
                text,
                re.M,
            ):
                found["--" + match[2]] = ("-" + match[1] if match[1] else None, bool(match[3]))
            self.assertEqual(found, options_of_help(verb), verb)
        self.assertIn("complete -c deepprof -s h -l help", text)

    @unittest.skipUnless(shutil.which("fish"), "no fish")
    def test_fish_values(self):
        reported = json.loads(cli.run("info", "--build", "--format=json").stdout)
        metrics = {row["name"] for row in reported["metrics"] + reported["summary_metrics"]}
        script = """
            function deepprof; $DEEPPROF $argv; end
            source $argv[1]
            complete -C $argv[2]
        """
        for option, some, others in (
            ("--metric=", metrics, set()),
            ("--threshold=", {"host-bound=", "sync-call="}, {"slow-iterations="}),
        ):
            result = subprocess.run(
                ["fish", "-c", script, str(FISH), "deepprof analyze " + option],
                capture_output=True,
                encoding="utf-8",
                check=True,
                env=cli.environment(),
            )
            found = {line.split("\t")[0][len(option) :] for line in result.stdout.splitlines()}
            self.assertLessEqual(some, found)
            self.assertFalse(others & found)

    def test_syntax(self):
        files = {"bash": "deepprof.bash", "zsh": "_deepprof", "fish": "deepprof.fish"}
        for shell, name in files.items():
            if shutil.which(shell):
                path = cli.SOURCE / "data" / "completions" / name
                subprocess.run([shell, "-n", str(path)], check=True)


class Library(unittest.TestCase):
    def exported(self):
        result = subprocess.run(
            ["nm", "-D", "--defined-only", str(cli.BUILD / "lib" / "libdeepprof.so")],
            capture_output=True,
            encoding="utf-8",
            check=True,
        )
        found = set()
        for line in result.stdout.splitlines():
            name = line.split()[-1].split("@")[0]
            if not name.startswith("__") and not name.startswith("_"):
                found.add(name)
        return found

    def declared(self):
        found = set()
        for header in (cli.SOURCE / "include" / "deepprof").glob("*.h"):
            text = re.sub(r"(?s)/\*.*?\*/", "", header.read_text(encoding="utf-8"))
            found |= set(re.findall(r"DP_API\s[^;]*?\b(dp_\w+)\(", text))
        return found

    def documented(self):
        """In a SYNOPSIS."""
        found = set()
        for name in pages():
            synopsis = re.search(r"(?s)^\.SH SYNOPSIS\n(.*?)^\.SH ", page(name), re.M)
            if name.endswith(".3") and synopsis:
                found |= set(re.findall(r"\b(dp_\w+)\(", plain(synopsis[1])))
        return found

    def inline(self):
        found = set()
        for header in (cli.SOURCE / "include" / "deepprof").glob("*.h"):
            text = header.read_text(encoding="utf-8")
            found |= set(re.findall(r"static inline [^;{]*?\b(dp_\w+)\(", text))
        return found

    def test_exported_is_declared(self):
        exported = self.exported()
        self.assertIn("dp_trace_open", exported)
        self.assertEqual(exported, self.declared())

    def test_exported_is_documented(self):
        self.assertEqual(self.exported() - self.documented(), set())

    def test_documented_is_exported(self):
        self.assertEqual(self.documented() - self.exported() - self.inline(), set())

    def members(self):
        """Of public structs: (struct, member)."""
        for header in (cli.SOURCE / "include" / "deepprof").glob("*.h"):
            text = re.sub(r"(?s)/\*.*?\*/", "", header.read_text(encoding="utf-8"))
            for struct, body in re.findall(r"(?s)\bstruct (dp_\w+) \{(.*?)\n\}", text):
                for declaration in body.split(";"):
                    callback = re.search(r"\(\*(\w+)\)", declaration)
                    declared = [callback[1]] if callback else [
                        re.findall(r"\w+", re.sub(r"\[.*?\]", "", one))[-1]
                        for one in declaration.split(",") if one.strip()
                    ]
                    for name in declared:
                        yield struct, name

    def test_members_are_documented(self):
        """Marked up in a page of the library."""
        text = "".join(page(name) for name in pages() if name.startswith("libdeepprof"))
        marked = re.findall(r"(?m)^\.[BIR]+ .*|^.*\\f[BI].*", text)
        words = set(re.findall(r"\w+", re.sub(r"\\f.", " ", "\n".join(marked))))
        members = set(self.members())
        self.assertIn(("dp_analysis_options", "epsilon"), members)
        self.assertEqual({pair for pair in members if not words.issuperset(pair)}, set())

    def test_status_codes(self):
        header = (cli.SOURCE / "include/deepprof/common.h").read_text(encoding="utf-8")
        for code in re.findall(r"\b(DP_ERR_\w+) =", header):
            self.assertIn(code, page("libdeepprof-error.3"))


if __name__ == "__main__":
    cli.main()

"""On a terminal: colours, width, pager, progress. Each test gets a pseudo-terminal."""
import fcntl
import json
import os
import pty
import re
import select
import struct
import subprocess
import termios
import time
import unittest

import cli

ESCAPE = "\033["


def on_terminal(*args, env=None, columns=80, stdin=subprocess.DEVNULL, feed=None):
    """Runs deepprof with stdout and stderr on a terminal; its status, and what was shown."""
    try:
        master, slave = pty.openpty()
    except OSError as error:
        raise unittest.SkipTest(f"no pseudo-terminals here: {error}") from error
    fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    with subprocess.Popen(
        [cli.DEEPPROF, *map(str, args)],
        stdin=stdin,
        stdout=slave,
        stderr=slave,
        env=env or cli.environment(),
    ) as process:
        os.close(slave)
        shown = b""
        deadline = time.monotonic() + cli.TIMEOUT_S
        while time.monotonic() < deadline:
            if feed:
                feed(process)
            # what it wrote before its end is there once it has ended
            ended = process.poll() is not None
            if not select.select([master], [], [], 0.05)[0]:
                if ended:
                    break
                continue
            try:
                data = os.read(master, 65536)
            except OSError:
                break
            if not data:
                break
            shown += data
        status = process.wait(cli.TIMEOUT_S)
    os.close(master)
    return status, shown.decode().replace("\r\n", "\n")


class Terminal(cli.Case):
    def test_colors(self):
        def colored(*args, **env):
            status, shown = on_terminal(
                "analyze", "--no-pager", *args, self.trace, env=cli.environment(**env)
            )
            self.assertEqual(status, 0)
            return ESCAPE in shown

        self.assertTrue(colored())
        self.assertTrue(colored(NO_COLOR=""))
        self.assertFalse(colored(NO_COLOR="1"))
        self.assertFalse(colored(TERM="dumb"))
        self.assertFalse(colored(TERM=None))
        self.assertFalse(colored("--color=never"))
        self.assertTrue(colored("--color=always", NO_COLOR="1"))

    def test_no_colors_in_files(self):
        self.assertNotIn(ESCAPE, cli.run("analyze", self.trace).stdout)
        self.assertIn(ESCAPE, cli.run("analyze", "--color=always", self.trace).stdout)
        path = self.folder / "report"
        status, _ = on_terminal("analyze", "-o", path, self.trace)
        self.assertEqual(status, 0)
        self.assertNotIn(ESCAPE, path.read_text())

    def test_not_for_a_terminal(self):
        for verb, form in ("analyze", "html"), ("analyze", "sqlite"), ("analyze", "perfetto"), \
                ("export", "sqlite"), ("export", "perfetto"):
            status, shown = on_terminal(verb, f"--format={form}", self.trace)
            self.assertEqual(status, 2, shown)
            self.assertIn(f"{verb}: --format={form} is binary; use -o FILE", shown)

    def test_one_screen(self):
        """The report of one file fits a terminal of 80 by 24."""
        for locale in None, "C.UTF-8":
            _, shown = on_terminal(
                "analyze",
                "--no-pager",
                "--color=never",
                self.trace,
                env=cli.environment(LC_ALL=locale),
            )
            lines = shown.splitlines()
            self.assertLessEqual(len(lines), 24)
            for line in lines:
                self.assertLessEqual(len(line), 80, line)

    def test_no_screen(self):
        """A file and a pipe get the same report, including what does not fit a terminal's screen."""
        sample = cli.SOURCE / "data" / "sample.json.gz"
        _, shown = on_terminal("analyze", "--no-pager", "--color=never", sample)
        piped = cli.run("analyze", sample).stdout
        path = self.folder / "report.txt"
        self.assert_done(cli.run("analyze", "-o", path, sample))
        self.assertEqual(path.read_text(), piped)
        status, _ = on_terminal("analyze", "-f", "-o", path, sample)
        self.assertEqual((status, path.read_text()), (0, piped))
        findings = json.loads(cli.run("analyze", "--format=json", sample).stdout)["findings"]
        words = " ".join(piped.split())
        for finding in findings:
            self.assertIn(f"-> {finding['advice']}", words)
        self.assertEqual(words.count("-> "), len(findings))
        self.assertLess(shown.count("->"), len(findings))
        self.assertLessEqual(shown.count("\n"), 23)  # one line is for the prompt
        self.assertTrue(shown.endswith("\n-v shows all findings in full\n"))
        self.assertNotIn("-v shows all findings", piped)
        # Each finding has its headline there; what is before them gives way.
        for number, finding in enumerate(findings, 1):
            self.assertRegex(shown, rf"(?m)^{number}\. {finding['severity']} {finding['rule']}")
        self.assertEqual(cli.run("analyze", sample, env=cli.environment(LINES=24)).stdout, piped)

    def test_headlines_keep_what_a_cost_is_worth(self):
        """What else includes a cost, and what the period would be, are shown on any screen."""
        program, trace = self.folder / "program", self.folder / "faults.json"
        program.write_text(
            "[program]\ndo = loop train; sync\nmarks = no\n[net model]\nkind = conv\nlayers = 2\n"
            "kernel = 20us\nhost = 12us\n[loop train]\ncount = 40\ndefault = yes\n"
            "do = wait time=3ms; upload bytes=8M memory=pageable; upload bytes=8M memory=pinned "
            "block=yes; forward model; loss; download bytes=4 memory=pinned block=yes; wait "
            "time=2ms; copy bytes=900M memory=device; backward model; optimize model; stall "
            "api=malloc time=1ms; wait time=30ms every=11; download bytes=4 block=yes\n"
        )
        subprocess.run([cli.SIM, "--no-truth", "-f", program, "-o", trace], check=True)
        whole = " ".join(cli.run("analyze", trace).stdout.split())
        _, shown = on_terminal("analyze", "--no-pager", "--color=never", trace)
        self.assertIn("-v shows all findings in full", shown)
        short = " ".join(shown.split())
        for words in "partly included in", "without it":
            self.assertGreater(whole.count(words), 0, whole)
            self.assertEqual(short.count(words), whole.count(words), shown)
        # of the period without it, a screen that is too small has the difference only
        self.assertRegex(whole, r"without it \d")
        self.assertRegex(short, r"without it [-\u2212]\d")

    def test_ascii(self):
        plain = cli.run("analyze", self.trace, env=cli.environment(LC_ALL="C")).stdout
        self.assertTrue(plain.isascii())
        for name in "LC_ALL", "LC_CTYPE", "LANG":
            env = cli.environment(**{name: "en_US.utf8"})
            self.assertFalse(cli.run("analyze", self.trace, env=env).stdout.isascii())
        env = cli.environment(LANG="en_US.UTF-8", LC_ALL="POSIX")
        self.assertTrue(cli.run("analyze", self.trace, env=env).stdout.isascii())

    def test_what_leads_to_advice_is_not_cut(self):
        """Evidence is cut to one line, but not the kernel that grows."""
        events, now = [], 1000
        for i in range(30 * 12):
            length = 300 + 200 * (i // 12) if i % 12 == 7 else 300
            name = "concatenate" if i % 12 == 7 else f"kernel_{i % 12}"
            events.append({"ph": "X", "cat": "kernel", "name": name, "pid": 0, "tid": 7, "ts": now,
                           "dur": length, "args": {"device": 0, "stream": 7, "correlation": i}})
            now += length + 1
        path = self.folder / "grows.json"
        path.write_text(json.dumps({"schemaVersion": 1, "traceEvents": events}))
        _, shown = on_terminal("analyze", "--no-pager", path, columns=50)
        self.assertRegex(" ".join(shown.split()), "growing-iteration: costs .* all of it compute, "
                         ".* in concatenate")

    def test_width(self):
        for columns in 60, 80, 132:
            _, shown = on_terminal("info", "--no-pager", self.trace, columns=columns)
            longest = max(len(line) for line in shown.splitlines()[1:])
            self.assertLessEqual(longest, columns)
        self.assertGreater(longest, 80)

    def test_narrow(self):
        """Nothing is wider than 60 columns; at 40 only words of the text that can't be broken."""
        sample = cli.SOURCE / "data" / "sample.json.gz"
        for columns, most in (60, 60), (40, 60):
            env = cli.environment(COLUMNS=columns)
            for words in ["analyze"], ["analyze", "-v"], ["analyze", "-vv"], ["info"]:
                lines = cli.run(*words, sample, env=env).stdout.splitlines()[1:]
                self.assertLessEqual(max(map(len, lines)), most, words)
                self.assertLess(sum(len(line) > columns for line in lines), 4, words)

    def test_width_of_the_environment(self):
        """COLUMNS wins, with and without a terminal."""
        env = cli.environment(COLUMNS="70")
        _, shown = on_terminal(
            "analyze", "--no-pager", "--color=never", self.trace, env=env, columns=132
        )
        piped = cli.run("analyze", self.trace, env=env).stdout
        for text in shown, piped:
            longest = max(len(line) for line in text.splitlines()[1:])
            self.assertTrue(60 < longest <= 70, longest)
        for columns in "", "x", "-5", "7":
            env = cli.environment(COLUMNS=columns)
            self.assertEqual(
                cli.run("analyze", self.trace, env=env).stdout,
                cli.run("analyze", self.trace).stdout,
            )

    def test_pager(self):
        _, direct = on_terminal("info", "--no-pager", self.trace)
        for name in "PAGER", "DEEPPROF_PAGER":
            status, shown = on_terminal(
                "info", self.trace, env=cli.environment(**{name: "sed s/^/paged:/"})
            )
            self.assertEqual(status, 0)
            self.assertEqual(shown.replace("paged:", ""), direct)
            self.assertTrue(shown.startswith("paged:"))

    def test_no_pager(self):
        for env in {"PAGER": "cat"}, {"PAGER": ""}, {"PAGER": "false", "TERM": "dumb"}:
            status, shown = on_terminal("info", self.trace, env=cli.environment(**env))
            self.assertEqual(status, 0)
            self.assertTrue(shown.startswith("trace  "))
        env = cli.environment(DEEPPROF_PAGER="", PAGER="sed s/^/paged:/")
        self.assertTrue(on_terminal("info", self.trace, env=env)[1].startswith("trace  "))
        result = cli.run("info", self.trace, env=cli.environment(PAGER="false"))
        self.assertTrue(result.stdout.startswith("trace  "))

    def test_help_is_paged(self):
        env = cli.environment(PAGER="sed s/^/paged:/")
        direct = cli.run("help", "analyze").stdout
        for args in ("help", "analyze"), ("analyze", "--help"):
            status, shown = on_terminal(*args, env=env)
            self.assertEqual(status, 0)
            self.assertEqual(shown, re.sub("(?m)^(?!\\Z)", "paged:", direct))
        for pager in "head -n 1", "true":
            status, shown = on_terminal("help", "analyze", env=cli.environment(PAGER=pager))
            self.assertEqual(status, 0)
            self.assertLessEqual(shown.count("\n"), 1)
        status, shown = on_terminal("help", "analyze", env=cli.environment(PAGER="cat"))
        self.assertEqual((status, shown), (0, direct))

    def test_pager_that_leaves(self):
        status, shown = on_terminal(
            "analyze", "--format=json", self.trace, env=cli.environment(PAGER="head -n 1")
        )
        self.assertEqual((status, shown), (0, "{\n"))

    def test_pager_that_is_not_there(self):
        """The report is shown without it, a long one too, which its pipe would not hold."""
        report = ["analyze", "--format=json", self.trace]
        for words in ["info", self.trace], ["help", "analyze"], report:
            _, direct = on_terminal(*words, env=cli.environment(PAGER="cat"))
            for pager in "no-such-pager 2>/dev/null", "false", "exec /dev/null 2>/dev/null":
                status, shown = on_terminal(*words, env=cli.environment(PAGER=pager))
                self.assertEqual(status, 0)
                said, _, rest = shown.partition("--no-pager\n")
                self.assertIn("deepprof: the pager ", said)
                self.assertEqual(rest, direct)

    def test_pager_starts_after_errors(self):
        status, shown = on_terminal(
            "analyze", "no-such-file", env=cli.environment(PAGER="sed s/^/paged:/")
        )
        self.assertEqual(status, 1)
        self.assertNotIn("paged:", shown)

    def slow(self, *args):
        """Reads a trace that comes through a pipe over two seconds."""
        data = self.trace.read_bytes()
        read, write = os.pipe()
        begin = time.monotonic()
        left = [data]

        def feed(process):
            if not left[0]:
                return
            late = time.monotonic() - begin > 2
            size = len(left[0]) if late else 1 << 16
            if not late and len(left[0]) < len(data) // 2:
                return
            try:
                os.set_blocking(write, late)
                left[0] = left[0][os.write(write, left[0][:size]) :]
            except BlockingIOError:
                return
            if not left[0]:
                os.close(write)

        try:
            return on_terminal(*args, "-", stdin=read, feed=feed)
        finally:
            os.close(read)

    def test_quick_things_show_no_progress(self):
        begin = time.monotonic()
        _, shown = on_terminal("analyze", "--no-pager", "--color=never", self.trace)
        if time.monotonic() - begin >= 1:
            self.skipTest("the machine is too busy for anything to be quick")
        self.assertNotIn("\r", shown)

    def test_progress(self):
        status, shown = self.slow("info", "--no-pager")
        self.assertEqual(status, 0)
        self.assertIn(" MB/s", shown)
        self.assertTrue(shown.split("\r" + ESCAPE + "K")[-1].startswith("trace  "))
        status, shown = self.slow("info", "--no-pager", "--quiet")
        self.assertEqual(status, 0)
        self.assertNotIn(" MB/s", shown)


if __name__ == "__main__":
    cli.main()

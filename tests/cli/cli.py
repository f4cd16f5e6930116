"""What the tests of the command line share: where the programs are, and how to run them.

Set by meson: DEEPPROF, DEEPPROF_SIM, DEEPPROF_SOURCE and DEEPPROF_BUILD, the root folders.
"""
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import unittest

DEEPPROF = os.environ["DEEPPROF"]
SIM = os.environ["DEEPPROF_SIM"]
SOURCE = pathlib.Path(os.environ["DEEPPROF_SOURCE"])
BUILD = pathlib.Path(os.environ["DEEPPROF_BUILD"])
TIMEOUT_S = 400  # ends what hangs: on a busy machine with sanitizers a minute is too little


def environment(**changes):
    """One that says nothing about locale, colours or pagers; None removes a variable."""
    env = {
        key: value
        for key, value in os.environ.items()
        if not key.startswith("LC_")
        and key not in ("LANG", "NO_COLOR", "PAGER", "DEEPPROF_PAGER", "LESS", "COLUMNS", "LINES")
    }
    env["TERM"] = "xterm"
    env.update({key: str(value) for key, value in changes.items() if value is not None})
    for key, value in changes.items():
        if value is None:
            env.pop(key, None)
    return env


def default_signals():
    """For preexec_fn: under nohup the tests ignore a hangup, but what they run must not."""
    for number in signal.valid_signals():
        if signal.getsignal(number) == signal.SIG_IGN:
            signal.signal(number, signal.SIG_DFL)


def run(*args, env=None, **kwargs):
    """Runs deepprof; stdout and stderr are text, unless encoding is None."""
    kwargs.setdefault("stdin", subprocess.DEVNULL)
    kwargs.setdefault("stdout", subprocess.PIPE)
    kwargs.setdefault("stderr", subprocess.PIPE)
    kwargs.setdefault("encoding", "utf-8")
    return subprocess.run(
        [DEEPPROF, *map(str, args)],
        env=env or environment(),
        timeout=TIMEOUT_S,
        check=False,
        **kwargs,
    )


def can_run_as(become):
    """False where the user that become, a preexec_fn, turns to may not enter deepprof's folder."""
    try:
        return run("--version", preexec_fn=become).returncode == 0
    except PermissionError:
        return False


def simulate(path, *args):
    """Writes a small simulated trace: 10 iterations, unless args say otherwise."""
    subprocess.run(
        [SIM, "--no-truth", "-p", "clean", "-n", "10", *args, "-o", str(path)],
        check=True,
        timeout=TIMEOUT_S,
        stdout=subprocess.DEVNULL,
    )
    return path


class Case(unittest.TestCase):
    """A test with a folder of its own that is the current one of what it runs."""

    @classmethod
    def setUpClass(cls):
        cls.top = pathlib.Path(tempfile.mkdtemp(prefix="deepprof-test-"))
        cls.trace = simulate(cls.top / "trace.json")

    @classmethod
    def tearDownClass(cls):
        shutil.rmtree(cls.top)

    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(dir=self.top))

    def assert_fails(self, result, status, *words):
        """It ended with status, said one to three lines, with these words, and wrote nothing."""
        self.assertEqual(result.returncode, status, result.stderr)
        self.assertFalse(result.stdout)
        self.assertRegex(result.stderr, r"\A(deepprof: [^\n]+\n){1,3}\Z")
        for word in words:
            self.assertIn(word, result.stderr)

    def assert_done(self, result):
        self.assertEqual(result.returncode, 0, result.stderr)


def main():
    unittest.main(argv=[sys.argv[0], *sys.argv[1:]], verbosity=1)

"""What the tests of deepprof record share: a folder of their own, and what may be left in it."""

import contextlib
import os
import pathlib
import re
import shutil
import signal
import sqlite3
import subprocess
import tempfile
import time
import unittest

import cli

PRODUCER = os.environ["DEEPPROF_PRODUCER"]
NVML = pathlib.Path(os.environ["DEEPPROF_FAKE_NVML"])
# Libraries that are built with a sanitizer can't be preloaded into programs that are not.
SANITIZED = bool(os.environ.get("DEEPPROF_CFLAGS"))
GUARD = ["--exit-guard=off"] if SANITIZED else []


def environment(**changes):
    env = cli.environment(**changes)
    for name in "CUDA_INJECTION64_PATH", "NVTX_INJECTION64_PATH", "LD_PRELOAD":
        if name not in changes:
            env.pop(name, None)
    return env


def with_nvml(**changes):
    """An environment in which the fake NVML is found."""
    env = environment(**changes)
    env["LD_LIBRARY_PATH"] = f"{NVML.parent}:{env.get('LD_LIBRARY_PATH', '')}"
    return env


DRIVER = os.access("/dev/nvidiactl", os.R_OK | os.W_OK)
NO_DRIVER = re.compile(r"^deepprof: warning: [^\n]*: .* will probably not be recorded\n", re.M)


class Case(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="deepprof-record-"))
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)

    def tearDown(self):
        """Whatever was tried: of each trace file, completed is stored and lost."""
        for path in self.folder.rglob("*.db*"):
            if path.is_symlink() or not path.is_file():
                continue
            if path.read_bytes()[:15] == b"SQLite format 3":
                self.assert_balanced(path.relative_to(self.folder))

    def run_record(self, *args, env=None, **kwargs):
        kwargs.setdefault("cwd", self.folder)
        kwargs.setdefault("stdin", subprocess.DEVNULL)
        kwargs.setdefault("stdout", subprocess.PIPE)
        kwargs.setdefault("stderr", subprocess.PIPE)
        kwargs.setdefault("preexec_fn", cli.default_signals)
        # Without a command to run there is nothing to guard.
        guard = [] if any(str(arg).startswith("--recover") for arg in args) else GUARD
        result = subprocess.run(
            [cli.DEEPPROF, "record", *guard, *map(str, args)],
            env=env or environment(),
            timeout=cli.TIMEOUT_S,
            encoding="utf-8",
            check=False,
            **kwargs,
        )
        # Printed on a machine without a GPU, where the fake GPU is recorded anyway.
        if result.stderr:
            result.stderr = NO_DRIVER.sub("", result.stderr)
        return result

    def start_record(self, *args, env=None, **kwargs):
        kwargs.setdefault("cwd", self.folder)
        kwargs.setdefault("stdin", subprocess.DEVNULL)
        kwargs.setdefault("stdout", subprocess.PIPE)
        kwargs.setdefault("stderr", subprocess.PIPE)
        kwargs.setdefault("preexec_fn", cli.default_signals)
        return subprocess.Popen(
            [cli.DEEPPROF, "record", *GUARD, *map(str, args)],
            env=env or environment(),
            encoding="utf-8",
            **kwargs,
        )

    def produce(self, *words, options=(), env=None):
        """Records the producer with its words; the result."""
        return self.run_record(*options, "--", PRODUCER, *words, env=env)

    def query(self, sql, name="deepprof.db"):
        with sqlite3.connect(f"file:{self.folder / name}?mode=ro", uri=True) as db:
            self.assertEqual(db.execute("PRAGMA integrity_check").fetchone()[0], "ok")
            return db.execute(sql).fetchall()

    def one(self, sql, name="deepprof.db"):
        return self.query(sql, name)[0][0]

    def assert_balanced(self, name="deepprof.db"):
        """Completed is stored and lost, for each kind of each process."""
        self.assertEqual(
            self.query("SELECT * FROM count WHERE completed != stored + lost", name), []
        )

    def left(self):
        """What there is but trace files."""
        return sorted(p.name for p in self.folder.iterdir() if p.name.startswith("."))

    def assert_clean(self, wait_s=0):
        """No temporary folder, and no process that works in it."""
        until = time.monotonic() + wait_s
        while self.left() and time.monotonic() < until:
            time.sleep(0.01)
        self.assertEqual(self.left(), [])
        self.assertEqual(self.processes(wait_s), [])

    def processes(self, wait_s=0):
        """Command lines of processes that have the folder in them, or as their current one."""
        until = time.monotonic() + wait_s
        while True:
            found = []
            for path in pathlib.Path("/proc").glob("[0-9]*"):
                try:
                    where = os.readlink(path / "cwd")
                    line = (path / "cmdline").read_bytes()
                except OSError:
                    continue
                if where == str(self.folder) or str(self.folder).encode() in line:
                    found.append(line)
            if not found or time.monotonic() >= until:
                return found
            time.sleep(0.01)

    def wait_for(self, condition, what):
        until = time.monotonic() + cli.TIMEOUT_S
        while not condition():
            self.assertLess(time.monotonic(), until, f"no {what}")
            time.sleep(0.005)

    def pids(self):
        """Of the processes that work in the folder."""
        found = []
        for path in pathlib.Path("/proc").glob("[0-9]*"):
            # A process may end meanwhile, and others' folders cannot be read.
            with contextlib.suppress(OSError):
                if os.readlink(path / "cwd") == str(self.folder.resolve()):
                    found.append(int(path.name))
        return found

    def wait_for_kernel(self):
        """Of a loop of the program under test."""
        self.wait_for(lambda: any(b"layer_a" in p.read_bytes() for p in self.spools()), "kernel")

    def spools(self):
        return list(self.folder.glob(".*/*.spool"))


def exit_of(process, number):
    """True where it ended by that signal."""
    return process.returncode == -number


__all__ = [
    "Case",
    "SANITIZED",
    "PRODUCER",
    "NVML",
    "cli",
    "environment",
    "with_nvml",
    "exit_of",
    "signal",
]

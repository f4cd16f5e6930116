"""What the checks on a GPU share: programs run with a limit, trace files read, a list of checks."""

import gzip
import importlib.metadata
import json
import os
import pathlib
import re
import shutil
import signal
import sqlite3
import statistics
import subprocess
import sys
import time

CHECKS = []


class Skip(Exception):
    """What the check needs is not here."""


class Failed(Exception):
    """What deepprof did is wrong."""


class OutOfTime(Failed):
    """A program did not end within the time that was left."""


def check(name, about):
    """Makes a function a check; its lines are its result, in Markdown."""

    def add(function):
        CHECKS.append((name, about, function))
        return function

    return add


def expect(condition, what):
    if not condition:
        raise Failed(what)


def same(found, wanted, what):
    expect(found == wanted, f"{what}: {found!r}, not {wanted!r}")


class Result:
    def __init__(self, status, stdout, stderr, seconds):
        self.status, self.stdout, self.stderr, self.seconds = status, stdout, stderr, seconds


def end_group(process):
    """Ends a process that we started in a session of its own, and what it started."""
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except ProcessLookupError:
        pass
    process.communicate()


def find_cupti(build):
    """A libcupti, or a folder with some, for programs that bring none: what pack was given, which is
    unpacked, or a Python package's. None: deepprof looks itself."""
    for path in (build / "cupti").glob("*.gz"):
        with gzip.open(path) as packed, open(path.with_suffix(""), "wb") as library:
            shutil.copyfileobj(packed, library)
        path.unlink()
    if any((build / "cupti").glob("libcupti.so*")):
        return build / "cupti"
    for folder in map(pathlib.Path, filter(None, sys.path)):
        for below in "nvidia/cu13/lib", "nvidia/cuda_cupti/lib":
            if any((folder / below).glob("libcupti.so*")):
                return folder / below
    return None


class Place:
    """Where and with what a check runs: programs, a folder of its own, the time that is left."""

    def __init__(self, options, name):
        self.options = options
        self.name = name
        self.folder = pathlib.Path(options.out) / name
        shutil.rmtree(self.folder, ignore_errors=True)
        self.folder.mkdir(parents=True)
        self.until = time.monotonic() + options.limit
        self.lines = []
        self.started = []
        self.busy = False  # something was not judged, because others use the machine
        self.keeps = False  # what is in the folder, when the check has passed

    @property
    def pretends(self):
        """True with a libcuda that only seems to have a GPU: then time is not to be judged."""
        return bool(self.options.cuda)

    def left_s(self):
        return self.until - time.monotonic()

    def rounds(self, most):
        """Counts to most, or as far as the time is enough for one more like the last."""
        longest = 0
        for i in range(most):
            began = time.monotonic()
            if i and self.left_s() < 1.2 * longest:
                self.say(f"{i} of {most} measurements: no time for more.")
                return
            yield i
            longest = max(longest, time.monotonic() - began)

    def say(self, line):
        self.lines.append(line)

    def judge(self, condition, what):
        """Expects what depends on times, unless these mean nothing: a stand-in's, or those of a
        machine that others use as well."""
        if condition:
            return
        why = "no GPU" if self.pretends else why_busy()
        if not why:
            raise Failed(what)
        self.busy = not self.pretends
        self.say(f"not judged ({why}): {what}")

    def run(self, command, status=0, env=None, limit_s=None):
        """Runs it to its end; what it printed. status None: any."""
        began = time.monotonic()
        limit_s = min(limit_s or 1e9, self.left_s())
        if limit_s <= 0:
            raise OutOfTime("no time left")
        process = self.start(command, env=env)
        stdout, stderr = self.finish(process, limit_s)
        result = Result(process.returncode, stdout, stderr, time.monotonic() - began)
        if status is not None and result.status != status:
            raise Failed(
                f"status {result.status}, not {status}: {' '.join(map(str, command))}\n"
                + (stdout + stderr)[-2000:]
            )
        return result

    def finish(self, process, limit_s=60):
        """What a process prints until its end; one that takes longer is ended."""
        try:
            return process.communicate(timeout=limit_s)
        except subprocess.TimeoutExpired:
            end_group(process)
            raise OutOfTime(f"not done after {limit_s:.0f} s: {' '.join(process.args)}") from None

    def end_all(self):
        """Ends what still runs: it would disturb the checks that follow."""
        for process in self.started:
            if process.poll() is None:
                end_group(process)

    def start(self, command, env=None):
        process = subprocess.Popen(
            [str(word) for word in command],
            cwd=self.folder,
            env={**os.environ, **(env or {})},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            encoding="utf-8",
            errors="replace",
            start_new_session=True,
        )
        self.started.append(process)
        return process

    def work_command(self, *words):
        """The driver's program, whatever GPU it is to use."""
        more = [f"cuda={self.options.cuda}"] if self.options.cuda else []
        return [self.options.work, *more, *words]

    def record_command(self, command, *switches, output="trace.db"):
        # Two copies in a process get in each other's way: what PyTorch and JAX bring is theirs.
        ours = self.name.startswith("work") or command[0] == self.options.work
        if self.options.cupti and ours:
            switches = (f"--cupti={self.options.cupti}", *switches)
        return [self.options.deepprof, "record", "-f", "-o", output, *switches, "--", *command]

    def record(self, command, *switches, output="trace.db", status=0, env=None):
        """Records it; the trace is whole: sums that add up, and nothing left behind."""
        result = self.run(
            self.record_command(command, *switches, output=output), status=status, env=env
        )
        trace = self.folder / output
        expect(trace.exists(), f"no trace: {result.stderr[-1000:]}")
        self.expect_whole(trace)
        return trace, result

    def expect_whole(self, trace):
        same(rows(trace, "PRAGMA integrity_check"), [("ok",)], "the file's integrity")
        same(rows(trace, "SELECT * FROM count WHERE completed != stored + lost"), [], "the sums")
        hidden = [p.name for p in self.folder.iterdir() if p.name.startswith(".")]
        same(hidden, [], "left behind")

    def analyze(self, trace, *switches):
        result = self.run([self.options.deepprof, "analyze", "--format=json", *switches, trace])
        return json.loads(result.stdout)

    def truth(self, name="truth.json"):
        return json.loads((self.folder / name).read_text())

    def work(self, *words):
        """Runs the driver's program without deepprof; what it did."""
        self.run(self.work_command(*words, "truth=truth.json"))
        return self.truth()

    def record_work(self, *words, switches=(), output="trace.db"):
        """Records it; (trace, truth, what was printed)."""
        command = self.work_command(*words, "truth=truth.json")
        trace, result = self.record(command, *switches, output=output)
        return trace, self.truth(), result


def rows(trace, sql, *values):
    with sqlite3.connect(f"file:{trace}?mode=ro", uri=True) as db:
        return db.execute(sql, values).fetchall()


def one(trace, sql, *values):
    return rows(trace, sql, *values)[0][0]


def plain(name):
    """Demanglers differ in where they put spaces."""
    return re.sub(r"\s+", "", name)


def kernels_of(trace, mangled=False):
    """{name: how many}."""
    column = "coalesce(s.mangled, s.value)" if mangled else "s.value"
    sql = f"SELECT {column}, count(*) FROM kernel k JOIN string s ON s.id = k.name GROUP BY 1"
    found = {}
    for name, count in rows(trace, sql):
        found[plain(name)] = found.get(plain(name), 0) + count
    return found


def expect_launched(trace):
    """The calls that launched kernels, copies and sets are recorded."""
    for name in "kernel", "memcpy", "memset":
        sql = (
            f"SELECT count(*) FROM {name} o WHERE NOT EXISTS (SELECT 1 FROM api a WHERE "
            "a.process = o.process AND a.corr = o.corr AND a.epoch = o.epoch)"
        )
        same(one(trace, sql), 0, f"rows of {name} without a call")


UPLOAD, DOWNLOAD = 1, 2


def copies_of(trace, where="true"):
    """{kind: (how many, bytes)}."""
    sql = f"SELECT kind, count(*), sum(bytes) FROM memcpy WHERE {where} GROUP BY kind"
    return {kind: (count, size) for kind, count, size in rows(trace, sql)}


def lost(trace):
    return one(trace, "SELECT coalesce(sum(records), 0) FROM loss")


def whole_iterations(loop):
    return [i for i in loop["iterations"] if not i["partial"]]


def loops_of(report, count):
    """The loops that iterate so often."""
    return [loop for loop in report["loops"] if len(loop["iterations"]) == count]


def rules_of(report):
    return [finding["rule"] for finding in report["findings"]]


def expect_even(loop, kernels):
    """Each iteration is this many kernels, the next begins where it ends."""
    first = [i["first_kernel"] for i in loop["iterations"]]
    steps = {b - a for a, b in zip(first, first[1:])}
    same(steps, {kernels} if len(first) > 1 else set(), "kernels from one iteration to the next")


def table(head, lines):
    """A table in Markdown."""
    out = ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
    return out + ["| " + " | ".join(str(cell) for cell in line) + " |" for line in lines]


def median(numbers):
    return statistics.median(numbers)


def spread(numbers):
    """The median distance from the median."""
    middle = median(numbers)
    return median([abs(n - middle) for n in numbers])


def about_machine(options):
    """Lines that say where this is: GPU, driver, processor, versions."""
    lines = []
    for line in output_of(
        ["nvidia-smi", "--query-gpu=name,driver_version,memory.total", "--format=csv,noheader"]
    ).splitlines():
        lines.append(f"- GPU: {line}")
    if options.cuda:
        lines.append("- GPU: none; a stand-in for the driver. Times mean nothing.")
    try:
        cpu = re.search(r"model name\s*:\s*(.*)", pathlib.Path("/proc/cpuinfo").read_text())
    except OSError:
        cpu = None
    system = os.uname()
    lines.append(f"- CPU: {cpu.group(1) if cpu else system.machine}, {os.cpu_count()} cores")
    lines.append(f"- {system.sysname} {system.release}")
    lines.append(f"- {output_of([options.deepprof, '--version']).strip()}")
    for name in "torch", "jax":
        try:
            lines.append(f"- {name} {importlib.metadata.version(name)}")
        except importlib.metadata.PackageNotFoundError:
            pass
    return lines


def waiting_threads():
    """How many threads that want to run have no processor, now."""
    running = int(pathlib.Path("/proc/loadavg").read_text().split()[3].partition("/")[0])
    return running - len(os.sched_getaffinity(0))


def why_busy():
    """Whether others use the processors or the GPU: a reason, or nothing. Asked while nothing of
    ours runs; in a second of that an idle GPU's use is back at 0%."""
    waiting = []
    for _ in range(5):
        time.sleep(0.25)
        waiting.append(waiting_threads())
    if median(waiting) > 0:
        return "machine busy: more threads than processors"
    used = output_of(
        ["nvidia-smi", "--query-gpu=utilization.gpu", "--format=csv,noheader,nounits"]
    ).split()
    if any(part.isdigit() and int(part) for part in used):
        return "machine busy: others use the GPU"
    return ""


def output_of(command):
    try:
        return subprocess.run(
            command,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            encoding="utf-8",
            timeout=60,
            check=False,
        ).stdout
    except (OSError, subprocess.TimeoutExpired):
        return ""


def why_not(command, limit_s=100):
    """The last thing that a command said that failed; nothing where it did not."""
    try:
        result = subprocess.run(
            command,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            encoding="utf-8",
            errors="replace",
            timeout=limit_s,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return f"not done after {limit_s} s"
    if not result.returncode:
        return ""
    return (result.stderr.strip().splitlines() or [f"status {result.returncode}"])[-1]

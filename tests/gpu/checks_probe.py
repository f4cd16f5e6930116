"""Questions that only a GPU answers. A probe reports what it sees; it fails where the program is
harmed, or the sums don't add up."""

import ctypes.util
import os
import signal
import sys
import time

import harness
from checks_torch import command as torch_command
from checks_torch import need_torch
from checks_work import count_kernels, kill_program, read_counts, start_counted
from harness import Skip, check, expect, one, rows, same


def stop(place, process):
    """Ends a program that runs forever, and its recorder; returns what record printed."""
    process.send_signal(signal.SIGTERM)
    return place.finish(process)[1]


def record_until_file(place, command, *switches):
    """Waits for the trace while the program runs on; returns (trace, seconds, output)."""
    began = time.monotonic()
    process = place.start(place.record_command(command, *switches))
    trace = place.folder / "trace.db"
    while not trace.exists():
        if process.poll() is not None or place.left_s() < 5:
            harness.end_group(process)
            raise harness.Failed("the recording did not end")
        time.sleep(0.05)
    seconds = time.monotonic() - began
    stderr = stop(place, process)
    place.expect_whole(trace)
    return trace, seconds, stderr


def iterations_of(report):
    """Of the loop that covers the most of its stream: layers are loops as well, and what is done
    before it may be."""
    outer = [loop for loop in report["loops"] if loop["parent"] is None]
    most = max(outer, key=lambda loop: loop["coverage"], default=None)
    return len(most["iterations"]) if most else 0


def limit_iterations(place, program, n):
    trace, seconds, _ = record_until_file(place, program, f"--iterations={n}")
    found = iterations_of(place.analyze(trace))
    place.say(f"{found} iterations; the file was there after {seconds:.1f} s.")
    place.judge(n <= found <= 1.1 * n + 10, f"-n {n} recorded {found}")


def limit_duration(place, program):
    trace, seconds, _ = record_until_file(place, program, "--duration=2s")
    began, ended = rows(trace, "SELECT min(start), max(start) FROM kernel")[0]
    found = (ended - began) / 1e9
    place.say(f"{found:.2f} s of kernels; the file was there after {seconds:.1f} s.")
    place.judge(abs(found - 2) < 0.5, f"kernels over {found:.2f} s, not 2 s")


def add_limit(name, limit, *values):
    """In programs that do not end. PyTorch takes its time: each limit is a check by itself."""

    @check(f"probe-limits-{name}", "What a limit lets an endless loop record")
    def work_limit(place):
        limit(place, place.work_command("forever=1", "busy=50"), *values)

    @check(f"probe-torch-limits-{name}", "What a limit lets a PyTorch loop record")
    def torch_limit(place):
        need_torch(place)
        limit(place, torch_command("--model=transformer", "--iterations=100000"), *values)


for N in 10, 20, 100:
    add_limit(N, limit_iterations, N)
add_limit("duration", limit_duration)


@check("probe-flush", "kill -9: how old the times are that are lost, and how many")
def flush(place):
    lines = []
    for busy in "busy=20", "busy=200", "busy=5000":
        process, path = start_counted(place, busy)
        time.sleep(1.5)
        kill_program(place, path)
        place.finish(process)
        trace = place.folder / "trace.db"
        place.expect_whole(trace)
        timed, untimed = count_kernels(trace)
        rate = max(1, timed) / 1.5
        lines.append((busy, read_counts(path)[0], timed, untimed, f"{untimed / rate * 1e3:.0f} ms"))
        trace.unlink()
        path.unlink()
    place.lines += harness.table(["", "launched", "with times", "without", "of so long"], lines)


@check("probe-nodes", "Ten million nodes of CUDA graphs: do they have times?")
def nodes(place):
    wanted = 20000 if place.pretends else 10**7
    layers = 100
    place.record_work("graph=1", f"layers={layers}", "iterations=1", "busy=0",
                      switches=["--cuda-graph=node"])  # fmt: skip
    each = place.truth()["per_iteration"]
    trace, truth, result = place.record_work(
        "graph=1", f"layers={layers}", f"iterations={-(-wanted // each)}", "busy=0",
        switches=["--cuda-graph=node"], output="nodes.db",
    )  # fmt: skip
    timed, untimed = count_kernels(trace)
    same(timed + untimed, truth["replays"] * each, "nodes")
    place.say(f"{timed} nodes have times, {untimed} have none.")
    if untimed:
        expect("no memory left on the GPU" in result.stderr, "times are missing, and nothing was printed")


@check("probe-missing-library", "An injection library that is not there, as in a container")
def missing(place):
    place.run(place.work_command("iterations=5", "truth=truth.json"),
              env={"CUDA_INJECTION64_PATH": "/no/such/libdeepprof-cupti.so"},
              status=None if place.pretends else 0)  # fmt: skip
    place.say("The program ran.")


@check("probe-attach", "What a start and an end under record take")
def attach(place):
    times = {"alone": [], "record": []}
    for _ in place.rounds(5):
        times["alone"].append(place.run(place.work_command("iterations=1")).seconds)
        _, result = place.record(place.work_command("iterations=1"))
        times["record"].append(result.seconds)
    middle = {way: harness.median(some) for way, some in times.items()}
    place.say(f"{middle['alone'] * 1e3:.0f} ms alone, {middle['record'] * 1e3:.0f} ms with record.")


@check("probe-threads", "Four hundred threads that launch")
def threads(place):
    trace, truth, _ = place.record_work("threads=400", "iterations=5")
    timed, untimed = count_kernels(trace)
    launched = sum(truth["kernels"].values())
    # Each thread has a buffer of its own, and together they may be more than the pool.
    lost = harness.lost(trace)
    expect(timed <= launched <= timed + untimed + lost, f"{timed} of {launched}, {lost} lost")
    place.say(f"{timed} of {launched} kernels have times, {untimed} have none; {lost} records lost.")


def cpu_seconds(pid, ours):
    """Processor time of a process's threads: the collector's, or all."""
    ticks = 0
    for task in os.listdir(f"/proc/{pid}/task"):
        try:
            with open(f"/proc/{pid}/task/{task}/stat", encoding="utf-8", errors="replace") as stat:
                name, _, rest = stat.read().partition("(")[2].rpartition(")")
        except OSError:
            continue
        if not ours or name.startswith("deepprof"):
            ticks += int(rest.split()[11]) + int(rest.split()[12])
    return ticks / os.sysconf("SC_CLK_TCK")


@check("probe-cpu", "Processor time of the collector in a long recording: does it grow?")
def cpu(place):
    process, path = start_counted(place, "busy=50")
    pid = kill_program(place, path, number=0)
    lines = []
    step = 1 if place.pretends else 30
    before = [cpu_seconds(pid, True), cpu_seconds(pid, False), cpu_seconds(process.pid, False)]
    until = time.monotonic() + min(600, place.left_s() - 40, 3 * step if place.pretends else 600)
    while time.monotonic() + step < until:
        time.sleep(step)
        now = [cpu_seconds(pid, True), cpu_seconds(pid, False), cpu_seconds(process.pid, False)]
        lines.append(tuple(f"{(b - a) / step:.1%}" for a, b in zip(before, now)))
        before = now
    kill_program(place, path)
    place.finish(process)
    place.lines += harness.table(["our threads", "the program", "record"], lines)
    place.say(f"{len(lines) * step} s of recording, {step} s a row.")


CUPTI_FIRST = """
import ctypes, sys
lib = ctypes.CDLL(sys.argv[1])
handle = ctypes.c_void_p()
callback = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_uint, ctypes.c_uint, ctypes.c_void_p)(lambda *a: None)
print("subscribed", lib.cuptiSubscribe(ctypes.byref(handle), callback, None))
import torch
torch.zeros(1000, device="cuda").add_(1); torch.cuda.synchronize()
"""


@check("probe-cupti-first", "Another tool has CUPTI before CUDA starts: it is named")
def cupti_first(place):
    need_torch(place)
    path = place.options.cupti or ctypes.util.find_library("cupti")
    if not path:
        raise Skip("no libcupti to load")
    if os.path.isdir(path):
        path = os.path.join(path, sorted(n for n in os.listdir(path) if "libcupti.so" in n)[-1])
    result = place.run(place.record_command([sys.executable, "-c", CUPTI_FIRST, path]), status=None)
    place.lines += ["```", (result.stdout + result.stderr).strip()[-1500:], "```"]


@check("probe-kineto-daemon", "KINETO_USE_DAEMON=1: what is recorded then")
def kineto_daemon(place):
    need_torch(place)
    result = place.run(place.record_command(torch_command("--iterations=10")),
                       env={"KINETO_USE_DAEMON": "1"})  # fmt: skip
    expect("KINETO_USE_DAEMON is set" in result.stderr, "nothing was printed")
    trace = place.folder / "trace.db"
    place.say(f"{one(trace, 'SELECT count(*) FROM kernel') if trace.exists() else 0} kernels.")
    place.lines += ["```", result.stderr.strip()[-1000:], "```"]


POLL = """
import torch, time
a = torch.zeros(1 << 26, device="cuda")
asked = 0
for _ in range(50):
    for _ in range(20): a.add_(1)
    event = torch.cuda.Event(); event.record()
    while not event.query(): asked += 1
print(asked)
"""


@check("probe-queries", "A program that asks for an event until it is there: how many records")
def queries(place):
    need_torch(place)
    trace, result = place.record([sys.executable, "-c", POLL])
    asked = int(result.stdout)
    syncs, calls = (one(trace, f"SELECT count(*) FROM {table}") for table in ("sync", "api"))
    place.say(f"{asked} queries; {syncs} synchronizations and {calls} calls recorded.")
    expect(syncs < asked / 2 + 1000, "a record for each query")


EXITS = """
import multiprocessing, os, torch
def work():
    a = torch.zeros(1000, device="cuda")
    for _ in range(100): a.add_(1)
    torch.cuda.synchronize()
    os._exit(0)
if __name__ == "__main__":
    context = multiprocessing.get_context("spawn")
    children = [context.Process(target=work) for _ in range(2)]
    for child in children: child.start()
    for child in children: child.join()
"""


@check("probe-exits", "Workers that leave by os._exit(): their kernels are there, with times")
def exits(place):
    need_torch(place)
    (place.folder / "exits.py").write_text(EXITS)
    trace, _ = place.record([sys.executable, "exits.py"])
    timed, untimed = count_kernels(trace)
    place.say(f"{timed} kernels with times, {untimed} without.")
    expect(timed >= 200, "kernels are missing")


OVERLAP = """
import torch
one, two = torch.cuda.Stream(), torch.cuda.Stream()
for _ in range(200):
    with torch.cuda.stream(one): torch.cuda._sleep(200000)
    with torch.cuda.stream(two): torch.cuda._sleep(200000)
torch.cuda.synchronize()
"""


@check("probe-overlap", "Kernels of two streams overlap under record as they do alone")
def overlap(place):
    need_torch(place)
    trace, _ = place.record([sys.executable, "-c", OVERLAP])
    both = one(
        trace,
        "SELECT count(*) FROM kernel a JOIN kernel b ON a.stream < b.stream AND "
        "a.start < b.start + b.dur_ns AND b.start < a.start + a.dur_ns",
    )
    place.say(f"{both} pairs of kernels of two streams overlap.")
    # Each takes a tenth of a millisecond on one processor of many.
    place.judge(both >= 200, "kernels of two streams run one after another")


@check("probe-metrics", "--gpu-metrics: counters are sampled from another process, and what that costs")
def metrics(place):
    # Long enough for the sampler, which starts CUDA for itself, to be there before the end.
    work = f"iterations={1000 if place.pretends else 20000}", "busy=20"
    lines = []
    for switches in [], ["--gpu-metrics=1ms"]:
        trace, _, result = place.record_work(*work, switches=switches)
        times = "SELECT count(*), avg(dur_ns), min(start), max(start + dur_ns) FROM kernel"
        count, length, began, ended = rows(trace, times)[0]
        lines.append((" ".join(switches) or "without", count, f"{length / 1e3:.2f} us"))
    place.lines += harness.table(["", "kernels", "mean duration"], lines)
    found, first, last = rows(trace, "SELECT count(*), min(start), max(start) FROM gpu_metric")[0]
    if not found:
        raise Skip(result.stderr.strip()[-500:])
    place.judge(last > ended - 100e6, f"samples end early: {result.stderr.strip()[-500:]}")
    means = "avg(sm_ppm), avg(tensor_ppm), avg(dram_read_ppm), avg(gr_ppm)"
    within = rows(trace, f"SELECT {means} FROM gpu_metric WHERE start BETWEEN ? AND ?", began, ended)
    place.say(f"{found} samples from {(first - began) / 1e6:.1f} ms after the first kernel to "
              f"{(last - ended) / 1e6:.1f} ms after the last; SM, tensor, reads, engine: {within[0]}.")  # fmt: skip
    place.judge(within[0][3], "the engine was never active while kernels ran")


TRITON = """
import multiprocessing, os, sys, torch, triton
import triton.language as tl
@triton.jit
def add_one(x, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(x + at, tl.load(x + at, mask=at < n) + 1, mask=at < n)
def work():
    a = torch.zeros(1 << 16, device="cuda")
    more = {"launch_pdl": True} if "pdl" in sys.argv else {}
    for _ in range(200): add_one[(64,)](a, a.numel(), BLOCK=1024, **more)
    torch.cuda.synchronize()
    os._exit(0)
if __name__ == "__main__":
    child = multiprocessing.get_context("spawn").Process(target=work)
    child.start(); child.join(); sys.exit(child.exitcode)
"""


@check("probe-triton", "Triton's kernels in a worker that leaves by os._exit(), and launched with PDL")
def triton(place):
    need_torch(place)
    (place.folder / "program.py").write_text(TRITON)
    why = harness.why_not([sys.executable, place.folder / "program.py"])
    if why:
        raise Skip(f"no Triton, or nothing that it can compile with: {why}")
    for words in [], ["pdl"]:
        command = place.record_command([sys.executable, "program.py", *words])
        result = place.run(command, status=None)
        if result.status:
            place.say(f"{' '.join(words) or 'plain'}: {result.stderr.strip()[-300:]}")
            expect(words, "Triton does not work under record")
            continue
        trace = place.folder / "trace.db"
        place.expect_whole(trace)
        name = "SELECT count(*) FROM kernel k JOIN string s ON s.id = k.name WHERE s.value LIKE ?"
        found = one(trace, name, "add_one%")
        early = one(trace, "SELECT count(*) FROM kernel a JOIN kernel b ON b.id = a.id + 1 AND "
                    "b.stream = a.stream WHERE b.start < a.start + a.dur_ns")  # fmt: skip
        place.say(f"{' '.join(words) or 'plain'}: {found} kernels; {early} begin before the one "
                  "ahead of them has ended.")  # fmt: skip
        same(found, 200, "kernels")

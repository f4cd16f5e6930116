"""Checks that need the driver alone: a program that knows what it did (work.c)."""

import os
import pathlib
import random
import struct
import time

import harness
from harness import DOWNLOAD, UPLOAD, check, expect, one, rows, same

# The names of switches are those of work.c.
SHAPES = {
    "plain": [],
    "pageable": ["pageable=1", "copy=1000000"],
    "evaluation": ["evaluate=10"],
    "accumulation": ["accumulate=4"],
    "waits": ["wait=1"],
    "four threads": ["threads=4"],
    "no waits": ["free=1", "busy=0"],
}


def expect_counted(trace, truth, processes=1):
    """Kernels by name, copies by bytes, sets and waits: as the program counted them."""
    same(harness.lost(trace), 0, "records lost")
    wanted = {name: count * processes for name, count in truth["kernels"].items()}
    same(harness.kernels_of(trace, mangled=True), wanted, "kernels")
    copies = harness.copies_of(trace)
    for kind, name in (UPLOAD, "upload"), (DOWNLOAD, "download"):
        wanted = (truth[name + "s"] * processes, truth[name + "_bytes"] * processes)
        same(copies.get(kind, (0, 0)), wanted, name + "s and their bytes")
    same(one(trace, "SELECT count(*) FROM memset"), truth["sets"] * processes, "sets")
    found = one(trace, "SELECT count(*) FROM sync")
    expect(found >= truth["waits"] * processes, f"{found} waits, {truth['waits']} were made")


def expect_times(trace):
    """They can be true: nothing ends before it begins, or runs for longer than all of it."""
    for name in "kernel", "memcpy", "memset":
        bad = one(trace, f"SELECT count(*) FROM {name} WHERE dur_ns IS NULL OR dur_ns < 0")
        same(bad, 0, f"rows of {name} without a time")
    bad = one(
        trace,
        "SELECT count(*) FROM kernel k JOIN api a ON a.process = k.process AND a.corr = k.corr "
        "AND a.epoch = k.epoch WHERE k.start < a.start - 20000",
    )
    same(bad, 0, "kernels that began before they were launched")
    harness.expect_launched(trace)


def expect_described(trace):
    """The GPU and the context of each kernel; CUPTI reports them once, as CUDA begins."""
    for what in "device", "context":
        sql = (
            f"SELECT count(*) FROM kernel k WHERE NOT EXISTS (SELECT 1 FROM {what} t WHERE "
            f"t.process = k.process AND t.{what} = k.{what})"
        )
        same(one(trace, sql), 0, f"kernels of an unknown {what}")
    expect(one(trace, "SELECT count(*) FROM device WHERE name != '' AND sms > 0"), "no GPU's name")


@check("work-counts", "Kernels by name, copies and bytes, sets and waits: as the program counted")
def counts(place):
    lines = []
    for shape, words in SHAPES.items():
        trace, truth, _ = place.record_work(*words)
        expect_counted(trace, truth)
        expect_described(trace)
        expect_times(trace)
        uploads = harness.copies_of(trace).get(UPLOAD, (0, 0))
        lines.append((shape, sum(truth["kernels"].values()), *uploads, truth["waits"]))
    place.lines += harness.table(["", "kernels", "uploads", "bytes", "waits"], lines)


@check("work-graphs", "CUDA graphs: a replay is one, or with --cuda-graph=node all that is in it")
def graphs(place):
    trace, truth, _ = place.record_work("graph=1", "accumulate=2")
    same(one(trace, "SELECT count(*) FROM graph_launch"), truth["replays"], "graphs launched")
    same(one(trace, "SELECT count(*) FROM kernel"), 0, "kernels")
    same(one(trace, "SELECT count(DISTINCT graph) FROM graph_launch"), 1, "graphs")
    nodes, truth, _ = place.record_work(
        "graph=1", "accumulate=2", switches=["--cuda-graph=node"], output="nodes.db"
    )
    wanted = truth["replays"] * truth["per_iteration"]
    same(one(nodes, "SELECT count(*) FROM kernel"), wanted, "kernels, by node")
    same(one(nodes, "SELECT count(*) FROM kernel WHERE graph IS NULL"), 0, "kernels of no graph")
    place.say(f"{truth['replays']} replays of {truth['per_iteration']} kernels each.")


@check("work-processes", "Four processes in one file")
def processes(place):
    trace, truth, _ = place.record_work("processes=4")
    same(one(trace, "SELECT count(DISTINCT process) FROM kernel"), 4, "processes with kernels")
    expect_counted(trace, truth, processes=4)


@check("work-range", "--capture=profiler, --duration and --delay record what they should")
def ranges(place):
    trace, truth, _ = place.record_work("range=1", switches=["--capture=profiler"])
    expect_described(trace)
    expect_times(trace)
    whole = sum(truth["kernels"].values())
    found = one(trace, "SELECT count(*) FROM kernel")
    slack = 2 * truth["per_iteration"]
    expect(abs(found - whole / 2) <= slack, f"{found} kernels in the range, of {whole}")
    trace, _, _ = place.record_work(
        "iterations=3000", "busy=50", "layers=8", switches=["--delay=300ms", "--duration=500ms"]
    )
    began, ended = rows(trace, "SELECT min(start), max(start + dur_ns) FROM kernel")[0]
    seconds = (ended - began) / 1e9
    place.judge(0.3 < seconds < 0.9, f"kernels over {seconds:.2f} s, not 0.5")
    place.say(f"{found} of {whole} kernels in the range; 500 ms gave {seconds * 1e3:.0f}.")


def counts_of(report):
    return [len(loop["iterations"]) for loop in report["loops"]]


def expect_phases(report, trained, rounds):
    """Training, and evaluation of five batches a round, as loops of their own. Both begin with the
    same kernels, so that one iteration in each round may be reported either way."""
    training = [o for o in report["loops"] if abs(len(o["iterations"]) - trained) <= rounds]
    batches = [o for o in report["loops"] if abs(len(o["iterations"]) - 5 * rounds) <= rounds]
    expect(training and batches, f"loops of {counts_of(report)} iterations")
    expect(training[0] is not batches[0], "one loop for training and evaluation")
    return training


@check("work-iterations", "Iterations: as many as the loop had, of its kernels, at its boundaries")
def iterations(place):
    lines = []
    count = 50
    for shape, words in SHAPES.items():
        if shape == "four threads":
            continue
        trace, truth, _ = place.record_work(*words, f"iterations={count}")
        report = place.analyze(trace)
        loops = harness.loops_of(report, count)
        if shape == "evaluation":
            loops = expect_phases(report, count, count // 10)
        elif shape == "accumulation":
            loops = harness.loops_of(place.analyze(trace, "-n", str(count)), count)
        expect(loops, f"{shape}: loops of {counts_of(report)}")
        if shape not in ("evaluation", "accumulation"):
            harness.expect_even(loops[0], truth["per_iteration"])
        lines.append((shape, count, len(loops[0]["iterations"]), loops[0]["confidence"]))
    place.lines += harness.table(["", "true", "found", "confidence"], lines)


@check("work-graph-loop", "Iterations of a loop that replays a graph")
def graph_loop(place):
    trace, truth, _ = place.record_work("graph=1", switches=["--cuda-graph=node"])
    loops = harness.loops_of(place.analyze(trace), truth["iterations"])
    expect(loops, "by node: no loop of as many iterations")
    trace, truth, _ = place.record_work("graph=1", "evaluate=10", output="whole.db")
    report = place.analyze(trace)
    expect(report["loops"], "whole graphs: no loop")
    found = [len(loop["iterations"]) for loop in report["loops"]]
    place.say(f"By node {truth['iterations']}; whole, with evaluation, loops of {found}.")


FAULTS = {
    # The paper's first case: what the host does between iterations grows.
    "a list that grows": (["grow=20000", "iterations=100"], {"growing-interval"}),
    # The paper's second: an oversize batch from pageable memory.
    "an oversize pageable batch": (
        ["pageable=1", "copy=67108864"],
        {"pageable-copy", "copy-bound"},
    ),
    "a wait in each iteration": (["wait=1", "think=50"], {"sync-call"}),
    "kernels too short": (
        ["busy=0", "copy=0", "free=1", "layers=20"],
        {"launch-bound", "host-bound"},
    ),
    "no fault": (["free=1", "busy=100"], set()),
}


@check("work-verdicts", "Planted faults are named; where there is none, none is")
def verdicts(place):
    lines = []
    for fault, (words, wanted) in FAULTS.items():
        trace, _, _ = place.record_work(*words)
        found = harness.rules_of(place.analyze(trace))
        lines.append((fault, ", ".join(sorted(wanted)) or "none", ", ".join(found) or "none"))
        if wanted:
            place.judge(wanted & set(found), f"{fault}: {found}, none of {sorted(wanted)}")
        else:
            planted = set().union(*(rules for _, rules in FAULTS.values()))
            place.judge(not planted & set(found), f"{fault}: {found}")
    place.lines += harness.table(["planted", "one of", "found"], lines)


def read_counts(path):
    return struct.unpack("2Q", path.read_bytes()[:16])


def start_counted(place, *words):
    """Records a program that runs forever and counts; returns once it has launched something."""
    path = place.folder / "count"
    process = place.start(
        place.record_command(place.work_command("forever=1", f"count={path}", *words))
    )
    until = time.monotonic() + 60
    while not (path.exists() and path.stat().st_size == 16 and read_counts(path)[0]):
        if time.monotonic() > until or process.poll() is not None:
            harness.end_group(process)
            raise harness.Failed("nothing was launched")
        time.sleep(0.01)
    return process, path


def kill_program(place, path, number=9):
    """The program under record, whose number is returned."""
    pid = program_of(place.options.work, path)
    os.kill(pid, number)
    return pid


def count_kernels(trace):
    """Those with times, and those without."""
    return (
        one(trace, "SELECT count(*) FROM kernel"),
        one(trace, "SELECT count(*) FROM untimed WHERE kind = 10"),
    )


# CUPTI's times are read four times a second; a flush and its thread need some time as well.
FLUSH_S = 0.75


@check("work-kill", "kill -9 at any moment: what is missing, or has no times")
def kills(place):
    lines = []
    numbers = random.Random(1)
    for i in range(3 if place.pretends else 6):
        process, path = start_counted(place, "busy=20")
        began, first = time.monotonic(), read_counts(path)[1]
        time.sleep(1 + 2 * numbers.random())
        rate = (read_counts(path)[1] - first) / (time.monotonic() - began)
        kill_program(place, path)
        _, stderr = place.finish(process)
        same(process.returncode, -9, "its end: " + stderr[-500:])
        trace = place.folder / "trace.db"
        place.expect_whole(trace)
        launched, ended = read_counts(path)
        timed, untimed = count_kernels(trace)
        expect(timed + untimed <= launched + 1, f"{timed + untimed} stored, {launched} launched")
        missing = max(0, ended - timed - untimed)
        if place.pretends:
            expect(not missing, f"{timed + untimed} stored, {launched} launched")
        place.judge(ended - timed <= FLUSH_S * rate, f"{ended - timed} of {ended} have no times")
        lines.append((launched, ended, timed, untimed, missing))
        trace.unlink()
        path.unlink()
    place.lines += harness.table(
        ["launched", "ended", "with times", "without", "ended, not stored"], lines
    )


def program_of(program, path):
    """The process that runs the program under record, and counts there."""
    for folder in pathlib.Path("/proc").glob("[0-9]*"):
        try:
            words = (folder / "cmdline").read_bytes().split(b"\0")
        except OSError:
            continue
        # It parts its arguments at their "=", where they are.
        if words[0] == os.fsencode(program) and os.fsencode(path) in words:
            return int(folder.name)
    raise harness.Failed("the program is not to be found")


@check("work-untouched", "Output and exit status are the program's own")
def untouched(place):
    command = " ".join(f"'{word}'" for word in place.work_command("iterations=5"))
    _, result = place.record(
        ["sh", "-c", f"echo begun; {command} && echo done && exit 42"], status=42
    )
    same(result.stdout, "begun\ndone\n", "what it printed")


@check("work-samples", "Power, clocks and use of the GPU are sampled while it runs")
def samples(place):
    trace, truth, result = place.record_work("iterations=4000", "busy=20")
    found = one(trace, "SELECT count(*) FROM gpu_sample")
    if not found:
        raise harness.Skip("no samples: " + (result.stderr.strip() or "no NVML"))
    expect(found >= truth["loop_ns"] / 1e8 / 2, f"{found} samples in {truth['loop_ns'] / 1e9} s")
    power = rows(trace, "SELECT min(power_mW), max(power_mW), max(sm_clk) FROM gpu_sample")[0]
    place.say(f"{found} samples; power {power[0]} to {power[1]} mW, SM clock to {power[2]}.")


OVERHEAD = {
    "kernels of 10 us": ["busy=10", "layers=20", "iterations=300"],
    "kernels of 50 us": ["busy=50", "layers=20", "iterations=100"],
    "kernels of 10 us, no waits": ["busy=10", "layers=20", "iterations=300", "free=1"],
    "the shortest, no waits": ["busy=0", "layers=20", "iterations=500", "free=1"],
    "graphs of the shortest": ["busy=0", "layers=20", "iterations=500", "graph=1"],
}
WAYS = {
    "record": [],
    "--api=off": ["--api=off"],
    "--cuda-graph=node": ["--cuda-graph=node"],
}
# CUPTI itself takes 0.2 to 0.3 us a kernel on an H200, also with --api=off.
TARGETS = {"kernels of 10 us": 0.04, "kernels of 50 us": 0.01}


@check("work-overhead", "What recording costs: the loop's time with and without, interleaved")
def overhead(place):
    lines = []
    over = []
    measured = {name: {} for name in OVERHEAD}
    for _ in place.rounds(place.options.repeat):
        for name, words in OVERHEAD.items():
            alone = place.work(*words)["loop_ns"]
            measured[name].setdefault("alone", []).append(alone)
            for way, switches in WAYS.items():
                if "node" in way and "graph=1" not in words:
                    continue
                _, truth, _ = place.record_work(*words, switches=switches)
                # To the run just before: clocks and neighbours change from minute to minute.
                measured[name].setdefault(way, []).append(truth["loop_ns"] / alone - 1)
    for name, times in measured.items():
        alone = times.pop("alone")
        middle = harness.median(alone)
        cells = [f"{middle / 1e6:.2f} ms ± {harness.spread(alone) / middle:.1%}"]
        for way in WAYS:
            some = times.get(way)
            if not some:
                cells.append("")
                continue
            more, noise = harness.median(some), harness.spread(some)
            cells.append(f"{more:+.2%} ± {noise:.2%}")
            # Half of all lie within one spread of the median: three are hardly chance.
            target = next((most for what, most in TARGETS.items() if what in name), None)
            if way == "record" and target and len(some) > 2:
                over += [f"{name}: {more:+.2%}, not {target:.0%}"] * (more - 3 * noise > target)
        lines.append((name, *cells))
    place.lines += harness.table(["", "alone", *WAYS], lines)
    place.judge(not over, f"recording takes more: {over}")

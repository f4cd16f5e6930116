"""Checks with PyTorch: small programs with a known number of iterations (programs/train.py)."""

import functools
import pathlib
import sys
import time

import harness
import profiler
from harness import Skip, check, expect, one, same

PROGRAM = pathlib.Path(__file__).resolve().parent / "programs" / "train.py"

# How far the kernels' time may be from torch.profiler's.
NEAR = 0.05

SHAPES = {
    "mlp": [],
    "cnn": ["--model=cnn"],
    "transformer": ["--model=transformer"],
    "inference": ["--model=transformer", "--inference"],
    "evaluation": ["--model=cnn", "--evaluate=10"],
    "accumulation": ["--accumulate=4"],
    "graph": ["--model=transformer", "--mode=graph"],
    "compile": ["--model=transformer", "--mode=compile"],
}


@functools.lru_cache
def torch_works():
    """A reason why not, or nothing."""
    code = "import torch; assert torch.cuda.is_available(); torch.zeros(1, device='cuda')"
    return harness.why_not([sys.executable, "-c", code])


@functools.lru_cache
def compile_works():
    """A reason why not, or nothing: it needs Triton, a C compiler, and Python's headers."""
    code = "import torch; torch.compile(lambda x: x.sin() + 1)(torch.zeros(8, device='cuda'))"
    return harness.why_not([sys.executable, "-c", code])


def need_torch(place, words=()):
    if place.pretends:
        raise Skip("PyTorch needs a GPU")
    if torch_works():
        raise Skip(f"no PyTorch that uses the GPU: {torch_works()}")
    if "--mode=compile" in words and compile_works():
        raise Skip(f"no torch.compile: {compile_works()}")


def command(*words):
    return [sys.executable, PROGRAM, "--truth=truth.json", *words]


def train(place, *words):
    place.run(command(*words))
    return place.truth()


def record(place, *words, switches=(), output="trace.db", status=0):
    trace, result = place.record(command(*words), *switches, output=output, status=status)
    return trace, place.truth(), result


def record_range(place, *words, switches=(), output="trace.db"):
    """The iterations alone, without what comes before them."""
    return record(
        place, *words, "--range", switches=["--capture=profiler", *switches], output=output
    )


def add_counts(shape, words):
    @check(f"torch-counts-{shape}", "Kernels, copies and bytes: those of torch.profiler")
    def counts(place):
        need_torch(place, words)
        switches = ["--cuda-graph=node"] if shape == "graph" else []
        theirs = place.folder / "theirs.json"
        train(place, *words, f"--profile={theirs}")
        # Of two runs: clocks may differ.
        for _ in place.rounds(3):
            trace, _, _ = record_range(place, *words, switches=switches)
            *sizes, apart = profiler.compare(trace, theirs)
            harness.expect_launched(trace)
            if abs(apart) <= NEAR:
                break
        head = ["kernels", "names", "bytes", "kernels' time"]
        place.lines += harness.table(head, [(*sizes, f"{apart:+.2%}")])
        place.judge(abs(apart) <= NEAR, f"the kernels' time: {apart:+.2%} of torch.profiler's")
        theirs.unlink()


def add_iterations(shape, words):
    @check(f"torch-iterations-{shape}", "Iterations found: as many as the loop had")
    def iterations(place):
        need_torch(place, words)
        switches = ["--cuda-graph=node"] if shape == "graph" else []
        lines = []
        for extent, record_it in ("all of it", record), ("the loop", record_range):
            trace, truth, _ = record_it(place, *words, switches=switches)
            wanted = truth["iterations"] + (truth["warmup"] if extent == "all of it" else 0)
            report = place.analyze(trace)
            found = [len(loop["iterations"]) for loop in report["loops"]]
            lines.append((extent, wanted, found[:6]))
        place.lines += harness.table(["recorded", "true", "loops found"], lines)
        # An evaluation begins as an iteration does: one of each may be reported either way.
        slack = wanted // truth["evaluate"] if truth["evaluate"] else 0
        expect(any(abs(count - wanted) <= slack for count in found), f"loops of {found}")


# The paper's two cases first.
FAULTS = {
    "grow": (["--fault=grow", "--iterations=60"], {"growing-interval"}),
    "oversize": (["--fault=oversize"], {"pageable-copy", "copy-bound"}),
    # Its work is short: without the waits the host would take as long, and the GPU wait for it.
    "sync": (["--fault=sync"], {"sync-call", "host-bound"}),
    "loader": (
        ["--model=cnn", "--workers=0", "--batch=256", "--iterations=15"],
        {"input-bound", "host-bound"},
    ),
    "none": (["--model=cnn", "--batch=512"], set()),
}


def add_verdict(fault, words, wanted):
    @check(f"torch-verdict-{fault}", "The planted fault is named, and none where there is none")
    def verdict(place):
        need_torch(place, words)
        trace, _, _ = record_range(place, *words)
        report = place.analyze(trace)
        found = harness.rules_of(report)
        place.say(f"Planted: {fault}; found: {', '.join(found) or 'none'}.")
        if wanted:
            place.judge(wanted & set(found), f"{found}, none of {sorted(wanted)}")
        else:
            # Each batch is uploaded: that some of it is exposed is for information.
            planted = {"growing-interval", "pageable-copy", "copy-bound"}
            grave = {f["rule"] for f in report["findings"] if f["severity"] != "info"}
            place.judge(not planted & grave, f"{found}")


for SHAPE, WORDS in SHAPES.items():
    add_counts(SHAPE, WORDS)
    add_iterations(SHAPE, WORDS)
for FAULT, (WORDS, WANTED) in FAULTS.items():
    add_verdict(FAULT, WORDS, WANTED)


@check("torch-nvtx", "NVTX ranges of the program are recorded, and mark iterations")
def nvtx(place):
    need_torch(place)
    trace, truth, _ = record(place, "--nvtx")
    sql = (
        "SELECT count(*) FROM nvtx n JOIN string s ON s.id = n.name "
        "WHERE s.value LIKE 'iteration %'"
    )
    same(one(trace, sql), truth["iterations"], "ranges")
    report = place.analyze(trace, "--marks", "iteration .*")
    same(len(report["loops"][0]["iterations"]), truth["iterations"], "iterations by marks")


@check("torch-profiler", "torch.profiler inside a recorded program: the program is not harmed")
def inside(place):
    need_torch(place)
    result = place.run(
        place.record_command(command(f"--profile={place.folder}/inside.json", "--marks"))
    )
    events = profiler.read(place.folder / "inside.json")
    kernels = len(profiler.of_kind(events, "kernel"))
    trace = place.folder / "trace.db"
    stored = 0
    if trace.exists():
        place.expect_whole(trace)
        stored = one(trace, "SELECT count(*) FROM kernel")
    place.say(f"torch.profiler had {kernels} kernels, deepprof {stored}. It said:")
    place.lines += ["```", result.stderr.strip()[-1500:], "```"]


@check("torch-workers", "DataLoader workers and two training processes: one file, all of them")
def workers(place):
    need_torch(place)
    trace, truth, _ = record(place, "--workers=2", "--iterations=20")
    same(one(trace, "SELECT count(DISTINCT process) FROM kernel"), 1, "processes with kernels")
    trace, truth, _ = record(place, "--processes=2", "--iterations=20")
    same(one(trace, "SELECT count(DISTINCT process) FROM kernel"), 2, "processes with kernels")
    counts_of = "SELECT count(*) FROM kernel GROUP BY process"
    first, second = (row[0] for row in harness.rows(trace, counts_of))
    expect(abs(first - second) <= 0.02 * first, f"{first} and {second} kernels")


OVERHEAD = {
    "mlp": ["--batch=1024", "--iterations=200"],
    "transformer": ["--model=transformer", "--iterations=60"],
    "tiny": ["--batch=1", "--iterations=300"],
    "graph": ["--model=transformer", "--mode=graph", "--iterations=300"],
    "compile": ["--model=transformer", "--mode=compile", "--iterations=60"],
}


def time_one(place, words, way):
    """The loop's time: alone, recorded, or under torch.profiler."""
    if way == "alone":
        return train(place, *words)["loop_ns"]
    if way == "torch.profiler":
        return train(place, *words, f"--profile={place.folder}/overhead.json")["loop_ns"]
    switches = [way] if way.startswith("-") else []
    return record(place, *words, switches=switches)[1]["loop_ns"]


def time_them(place, words, ways):
    """The loop's times, {way: [...]}, in turn, as many as there is time for."""
    times = {}
    longest = 0
    for _ in place.rounds(min(place.options.repeat, 2)):
        for way in ways:
            left, began = max(place.left_s(), 0), time.monotonic()
            try:
                times.setdefault(way, []).append(time_one(place, words, way))
            except harness.OutOfTime:
                # With three times what others took left, it hangs.
                if longest and left > 3 * longest:
                    raise
                place.say(f"{way}: {left:.0f} s were left, which was not enough.")
                return {way: some for way, some in times.items() if some}
            longest = max(longest, time.monotonic() - began)
    return times


def add_overhead(name, words):
    @check(f"torch-overhead-{name}", "What recording costs the loop, by turns")
    def overhead(place):
        need_torch(place, words)
        nodes = ["--cuda-graph=node"] if name == "graph" else []
        times = time_them(place, words, ["alone", "record", *nodes, "torch.profiler"])
        if "record" not in times:
            raise Skip("no time for one run alone and one that is recorded")
        alone = times.pop("alone")
        middle = harness.median(alone)
        cells = [f"{middle / 1e6:.2f} ms ± {harness.spread(alone) / middle:.1%}"]
        cells += [f"{harness.median(some) / middle - 1:+.2%}" for some in times.values()]
        place.lines += harness.table(["alone", *times], [cells])


for NAME, WORDS in OVERHEAD.items():
    add_overhead(NAME, WORDS)

TRACES = {**SHAPES, **{fault: words for fault, (words, wanted) in FAULTS.items() if wanted}}


def add_trace(name, words):
    @check(f"torch-trace-{name}", "A trace of torch.profiler, with marks and its truth")
    def trace_it(place):
        need_torch(place, words)
        place.keeps = True
        path = place.folder / f"{name}.json.gz"
        train(place, *words, "--marks", f"--profile={path}")
        report = place.analyze(path, "--ignore-marks")
        found = [len(loop["iterations"]) for loop in report["loops"]]
        line = (path.stat().st_size, place.truth()["iterations"], found[:6])
        place.lines += harness.table(["bytes", "iterations", "loops found"], [line])


for NAME, WORDS in TRACES.items():
    add_trace(NAME, WORDS)

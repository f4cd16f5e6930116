#!/usr/bin/env python3
"""Precision and recall of the rules, on simulated programs with one planted fault each.

eval_rules.py SIM PROGRAM [--seeds FIRST:END] [--sizes NAME,…] [--check] [--verbose]

Of each seed there are healthy programs of several families, and per rule programs with its fault in
four sizes: below the rule's threshold, where the rule must be silent, just above it, moderate and
large. Sizes are shares of the period of the same program without the fault, drawn from the seed. A
rule that fires where its fault is planted counts for its recall; where it is not (too small, on a
healthy program, or next to a fault that doesn't bring it along), it counts against its precision.
Severities are judged where they are clear: critical at 1.3 times the rule's threshold for it or
more, not critical below 0.75. Where a fault has a culprit, a range, a call or a kernel, the finding
must name it first. --check fails below 95% of any of these, or where a healthy program has a critical
finding.
"""
import argparse
import collections
import json
import os
import random
import subprocess
import sys
import tempfile

BAR = 0.95
COUNT = 60

INPUT = "upload bytes=1M memory=pinned copy_stream=yes ahead=yes"
STEP = "zero model; forward model; loss; backward model; optimize model"
# What a loop does that reads its loss at the end: the device is idle from there on.
READ = "download bytes=4 memory=pinned block=yes"

BELOW, NEAR, MODERATE, LARGE = range(4)
SIZES = ("below", "near", "moderate", "large")


def net(rng, name, kernel_us, host_us, kinds=("conv", "transformer", "mlp", "fused")):
    kind = rng.choice(kinds)
    layers = rng.randint(6, 14) * (3 if kind in ("mlp", "fused") else 1)
    return (f"[net {name}]\nkind = {kind}\nlayers = {layers}\nkernel = {kernel_us}us\n"
            f"host = {host_us}us\nseed = {rng.randint(1, 999)}\n"
            f"optimizer = {rng.choice(['sgd', 'adam', 'foreach'])}\n")


def us(nanoseconds):
    return f"{max(1, round(nanoseconds / 1000))}us"


def size(nanoseconds, bytes_per_us):
    return str(max(1, round(nanoseconds / 1000 * bytes_per_us)))


def part(period, share):
    """What has to be added to a period to be this share of the sum."""
    return period * share / (1 - share)


RANGE = "compute_metrics"
LOADER = "enumerate(DataLoader)#_MultiProcessingDataLoaderIter.__next__"
API = {"malloc": "cudaMalloc", "free": "cudaFree", "host_alloc": "cudaHostAlloc"}


class Fault:
    """What the iteration does, keys of its loop and program, the program before it; rules that it
    brings along; what its severity must be; a part of the culprit's name, or who knows it."""

    def __init__(self, do, along=(), keys="", before="", critical=None, tiny=None,
                 form="kineto", nets="", program="", culprit=None):
        self.do, self.along, self.keys, self.before = do, set(along), keys, before
        self.critical, self.tiny, self.form = critical, tiny, form
        self.nets, self.program, self.culprit = nets, program, culprit


def draw(rng, sizes, level):
    return rng.uniform(*sizes[level])


def severity(share, threshold):
    """True: critical, False: not, None: either."""
    return True if share >= 1.3 * threshold else False if share < 0.75 * threshold else None


# Shares of the period around thresholds of 5% and 20%, 10% and 20%, and 3% and 15%.
FIVE = [(0.015, 0.033), (0.065, 0.085), (0.11, 0.14), (0.3, 0.6)]
TEN = [(0.03, 0.07), (0.12, 0.14), (0.15, 0.19), (0.3, 0.6)]
THREE = [(0.005, 0.02), (0.04, 0.05), (0.07, 0.1), (0.22, 0.4)]


def waits(rng, period, level):
    share = draw(rng, FIVE, level)
    wait = us(part(period, share))
    critical = severity(share, 0.2)
    # Long waits are what starves, if they come to half of a second.
    yield "host-bound", Fault(f"{INPUT}; wait time={wait} jitter=0.05 within=metrics; {STEP}; "
                              f"{READ}", {"starved"}, critical=critical, culprit=RANGE)
    # Without launches only the interval tells, and not what for.
    yield "host-bound", Fault(f"wait time={wait} jitter=0.05; {INPUT}; {STEP}; {READ}",
                              {"starved"}, critical=critical, program="launches = no\n")
    yield "input-bound", Fault(f"wait time={wait} jitter=0.1 within=loader; "
                               f"upload bytes=256k memory=pinned; {STEP}; {READ}", {"starved"},
                               critical=critical, culprit=LOADER)
    # The same, in a call that launches nothing.
    api = rng.choice(["malloc", "free", "host_alloc"])
    yield "api-stall", Fault(f"{INPUT}; stall api={api} time={wait} jitter=0.05; {STEP}; {READ}",
                             {"starved"}, critical=critical, culprit=API[api])
    # Many calls, none of them long, while launches would have to be made.
    count = rng.randint(4, 10)
    each = us(part(period, share) / count)
    several = "; ".join([f"stall api={api} time={each} jitter=0.1"] * count)
    yield "api-stall", Fault(f"{several}; {INPUT}; {STEP}; {READ}", {"starved"},
                             critical=critical, culprit=API[api])
    yield "sync-call", Fault(f"{INPUT}; zero model; forward model; loss; {READ} within=item; "
                             f"wait time={wait}; backward model; optimize model",
                             {"host-bound", "starved"}, critical=critical, culprit="aten::item")


def copies(rng, period, level):
    share = draw(rng, FIVE, level)
    length = part(period, share)
    critical = severity(share, 0.2)
    yield "copy-bound", Fault(f"upload bytes={size(length, 23000)} memory=pinned within=metrics; "
                              f"{STEP}", critical=critical, culprit=RANGE)
    # Not before the iteration, but in the midst of it: kernels wait there as well. A size that is
    # the same each time may be the same data.
    exposed = draw(rng, TEN, level)
    middle = size(part(period, exposed), 23000)
    yield "copy-bound", Fault(f"{INPUT}; zero model; forward model; loss; "
                              f"upload bytes={middle} memory=pinned within=metrics; "
                              "backward model; optimize model", {"repeated-upload"},
                              critical=severity(exposed, 0.2), culprit=RANGE)
    # Staging the data makes the caller wait: idle time of its own.
    yield "pageable-copy", Fault(f"upload bytes={size(length, 9000)} memory=pageable within=metrics; "
                                 f"{STEP}", {"copy-bound", "host-bound", "input-bound"}, culprit=RANGE)
    yield "blocking-copy", Fault(f"upload bytes={size(length, 23000)} memory=pinned block=yes "
                                 f"within=metrics; {STEP}", {"copy-bound", "host-bound", "input-bound"},
                                 culprit=RANGE)
    # The table is added to the input, the shorter one, which may be too long already.
    yield "repeated-upload", Fault(
        f"upload bytes={size(length, 23000)} memory=pinned within=metrics; "
        f"upload bytes={size(0.015 * period, 23000)} memory=pinned; {STEP}", {"copy-bound"},
        culprit=RANGE)
    moved = draw(rng, FIVE, level)
    yield "device-copy", Fault(f"{INPUT}; zero model; forward model; loss; "
                               f"copy bytes={size(part(period, moved), 600000)} memory=device within=metrics; "
                               "backward model; optimize model", critical=severity(moved, 0.2),
                               culprit=RANGE)
    # Several smaller ones instead.
    count = rng.randint(5, 20)
    each = size(part(period, moved) / count, 600000)
    copies_each = "; ".join([f"copy bytes={each} memory=device within=metrics"] * count)
    yield "device-copy", Fault(f"{INPUT}; {STEP}; {copies_each}; {READ}",
                               critical=severity(moved, 0.2), culprit=RANGE)
    share = draw(rng, THREE, level)
    yield "exposed-communication", Fault(
        f"{INPUT}; zero model; forward model; loss; backward model; "
        f"reduce bytes={size(part(period, share), 100000)} block=yes; optimize model",
        critical=severity(share, 0.15), culprit="nccl")


def over_time(rng, period, level):
    every = rng.randint(9, 14)
    stall = period * draw(rng, [(0.02, 0.05), (0.15, 0.2), (0.4, 0.8), (10, 30)], level)
    yield "slow-iterations", Fault(f"{INPUT}; {STEP}; {READ}; wait time={us(stall)} every={every} "
                                   "offset=7 within=metrics", {"starved"}, culprit=RANGE)
    rise = period * draw(rng, [(0.002, 0.006), (0.04, 0.06), (0.1, 0.2), (0.5, 1)], level)
    yield "growing-interval", Fault(
        f"wait time={us(period * 0.1)} jitter=0.02 grow={rise / COUNT:.0f}ns within=metrics; "
        f"{INPUT}; {STEP}; {READ}",
        {"host-bound", "input-bound", "starved", "slow-iterations", "warm-up"}, culprit=RANGE)
    rise = draw(rng, [(0.02, 0.06), (0.14, 0.18), (0.3, 0.6), (1, 2)], level)
    yield "growing-iteration", Fault(
        f"{INPUT}; forward model; loss; backward model; optimize model",
        {"slow-iterations", "warm-up", "throttled"},
        keys=f"swell = {rise * period / COUNT:.0f}ns\n", culprit=growing_kernel)
    cost = COUNT * period * draw(rng, [(0.01, 0.035), (0.07, 0.1), (0.15, 0.2), (0.4, 0.6)], level)
    yield "warm-up", Fault(f"{INPUT}; {STEP}; {READ}; wait time={us(cost / 3)} until=3")
    gap = draw(rng, [(200, 430), (560, 700), (900, 1200), (1500, 2500)], level)
    yield "starved", Fault(f"{INPUT}; {STEP}; {READ}; wait time={gap:.0f}ms "
                           f"every={rng.randint(20, 28)} offset=11 within=metrics", {"slow-iterations"},
                           culprit=RANGE)


def device(rng, period, level):
    rise = draw(rng, [(0.01, 0.06), (0.14, 0.2), (0.3, 0.6), (2, 5)], level)
    leak = rise * 2 ** 30 / COUNT / (1 - min(0.5, rise / 2))
    yield "memory-growth", Fault(
        f"{INPUT}; allocate bytes=64M; {STEP}; free bytes=64M; allocate bytes={leak:.0f}",
        before="allocate bytes=1G; ", form="deepprof")
    heat = draw(rng, [(1.002, 1.012), (1.045, 1.06), (1.1, 1.2), (1.4, 1.8)], level)
    yield "throttled", Fault(f"{INPUT}; {STEP}", {"slow-iterations", "starved"},
                             keys=f"hot = {rng.randint(20, 40)}..{COUNT}\nheat = {heat:.3f}\n",
                             form="deepprof")
    # Extra kernels of a share of the period each time; what is too little is one small kernel.
    every, share = rng.randint(9, 14), draw(rng, [(0, 0), (0.01, 0.02), (0.05, 0.09), (0.3, 0.9)],
                                            level)
    extra = ("statistics count=1 every={0} offset=5" if level == BELOW else
             "; ".join(["forward extra every={0} offset=5"] * 3)).format(every)
    yield "extra-work", Fault(f"{INPUT}; {STEP}; {extra}", {"slow-iterations"},
                              nets="[net extra]\nkind = mlp\nlayers = 4\nhost = 1us\n"
                              f"kernel = {us(share * period / 45)}\n",
                              culprit=longest_kernels)
    kernel, host = {BELOW: (40, 4), NEAR: (4, 4), MODERATE: (3, 6), LARGE: (2, rng.randint(7, 12))
                    }[level]
    yield "launch-bound", Fault(f"{INPUT}; {STEP}", tiny=(kernel, host))


def healthy(rng, model):
    """Programs that have nothing to mend, by family, and rules that may report them as they are."""
    small = net(rng, "other", rng.randint(40, 80), 4)
    loop = f"[loop train]\ncount = {COUNT}\ndefault = yes\nmark = ProfilerStep\n"
    train = f"do = loop train; sync\n{model}"
    yield "training", f"{train}{loop}do = {INPUT}; {STEP}\n", set()
    yield "reads its loss", f"{train}{loop}do = {INPUT}; {STEP}; {READ}\n", set()
    yield "short waits", (f"{train}{loop}do = wait time=40us jitter=0.5; {INPUT}; {STEP}\n"), set()
    yield "allocates", (f"{train}{loop}do = {INPUT}; zero model; forward model; loss; stall api=malloc "
                        "time=15us jitter=0.5; backward model; stall api=free time=15us; "
                        "optimize model\n"), set()
    yield "shapes", f"{train}{loop}buckets = 8\ndo = {INPUT}; {STEP}\n", set()
    yield "two networks", (f"{train}{small}{loop}do = {INPUT}; {STEP}; zero other; forward other; "
                           "loss; backward other; optimize other\n"), set()
    yield "evaluation", (f"do = loop epoch; sync\n{model}[loop epoch]\ncount = 4\n"
                         "do = loop train; loop eval\n[loop train]\ncount = 25\ndefault = yes\n"
                         f"mark = ProfilerStep\ndo = {INPUT}; {STEP}\n[loop eval]\ncount = 10\n"
                         f"do = {INPUT}; forward model; statistics count=3\n"), {"extra-work"}
    yield "logging", (f"{train}{loop}do = {INPUT}; {STEP}; statistics count=9 every=10 offset=9\n"
                      ), {"extra-work", "slow-iterations"}
    yield "accumulation", (f"do = loop step; sync\n{model}[loop step]\ncount = 30\ndefault = yes\n"
                           "mark = ProfilerStep\ndo = zero model; loop micro; optimize model\n"
                           f"[loop micro]\ncount = 4\ndo = {INPUT}; forward model; loss; "
                           "backward model\n"), set()
    yield "graphs", (f"{train}[loop train]\ncount = 120\ndefault = yes\nmark = ProfilerStep\n"
                     f"do = {INPUT}; graph model; loss\n"), set()
    yield "two devices", (f"{train}{loop}do = {INPUT}; {STEP}; reduce bytes=4M count=2\n"
                          "[program]\ndevices = 2\n"), set()
    yield "decoding", (f"do = loop request; sync\n"
                       f"{net(rng, 'decoder', 40, 4, ('transformer',))}[loop request]\ncount = 8\n"
                       "do = forward decoder; loop decode\n[loop decode]\ncount = 12..40\n"
                       "default = yes\nmark = decode\n"
                       "do = upload bytes=64 memory=pinned; forward decoder; statistics count=4\n"
                       ), {"extra-work", "slow-iterations"}
    yield "noise", (f"{train}{loop}insert = 0.01\nerase = 0.01\nsubstitute = 0.01\n"
                    f"do = {INPUT}; {STEP}\n"), set()
    yield "no launches", f"launches = no\n{train}{loop}do = {INPUT}; {STEP}; {READ}\n", set()
    yield "uneven kernels", f"jitter = 0.1\n{train}{loop}do = {INPUT}; {STEP}\n", set()
    yield "steady memory", (f"do = allocate bytes=1G; loop train; sync\nsample = 10ms\n{model}{loop}"
                            f"do = {INPUT}; allocate bytes=64M; {STEP}; free bytes=64M\n"), set()


def kernels_of(trace):
    """Calls and time by name, in the first and the second half of a Kineto trace."""
    with open(trace, encoding="utf-8") as file:
        kernels = [event for event in json.load(file)["traceEvents"] if event.get("cat") == "kernel"]
    middle = (kernels[0]["ts"] + kernels[-1]["ts"] + kernels[-1]["dur"]) / 2
    calls, time = collections.Counter(), collections.Counter()
    for event in kernels:
        calls[event["name"], event["ts"] > middle] += 1
        time[event["name"], event["ts"] > middle] += event["dur"]
    return calls, time


def growing_kernel(calls, time):
    """The name whose kernels take most more time in the second half."""

    def rise(name):
        """By calls, as the second half has fewer iterations."""
        return time[name, True] - time[name, False] / max(1, calls[name, False]) * calls[name, True]

    return [max({name for name, _ in calls}, key=rise)]


def longest_kernels(_, time):
    """Names that take nearly as much time as that of most."""
    names = {name for name, _ in time}
    most = max(time[name, False] + time[name, True] for name in names)
    return [name for name in names if time[name, False] + time[name, True] >= 0.8 * most]


class Judge:
    def __init__(self, sim, program, folder):
        self.sim, self.program, self.folder = sim, program, folder
        self.kernels, self.named = None, {}  # of the last program: names by rule

    def findings(self, text, seed, form="kineto", kernels=False):
        description = os.path.join(self.folder, "program")
        trace = os.path.join(self.folder, "trace." + form)
        with open(description, "w", encoding="ascii") as file:
            file.write(text)
        subprocess.run([self.sim, "--program", description, "--seed", str(seed), "--no-truth",
                        "-F", form, "-o", trace], check=True)
        report = json.loads(subprocess.run([self.program, "analyze", "--format=json", trace],
                                           stdout=subprocess.PIPE, check=True).stdout)
        self.kernels = kernels_of(trace) if kernels else None
        os.unlink(trace)
        loops = [loop for loop in report["loops"] if loop["parent"] is None]
        period = loops[0]["summary"]["median_period_ns"] if loops else None
        self.named = {f["rule"]: (f["evidence"].get("call"), *(r["name"] for r in f["ranges"][:1]))
                      for f in reversed(report["findings"])}
        return period, {f["rule"]: f["severity"] for f in reversed(report["findings"])}


def program_of(model, do, seed, keys="", before="", extra=""):
    marks = "yes" if seed % 2 else "no"
    return (f"[program]\ndo = {before}loop train; sync\nmarks = {marks}\n{extra}{model}"
            f"[loop train]\ncount = {COUNT}\ndefault = yes\nmark = ProfilerStep\n{keys}do = {do}\n")


class Score:
    def __init__(self, verbose):
        self.planted, self.hit, self.wrong, self.odd = (collections.Counter() for _ in range(4))
        self.nameable, self.named = collections.Counter(), collections.Counter()
        self.critical, self.healthy, self.verbose = 0, 0, verbose

    def tell(self, *words):
        if self.verbose:
            print(*words)

    def fault(self, seed, rule, level, fault, found):
        wanted = level != BELOW
        size_name = SIZES[level]
        if wanted:
            self.planted[rule] += 1
            self.hit[rule] += rule in found
        for name in set(found) - fault.along - ({rule} if wanted else set()):
            self.wrong[name] += 1
            self.tell(f"seed {seed}, {rule} {size_name}: {name} ({found[name]})")
        if wanted and rule not in found:
            self.tell(f"seed {seed}, {rule} {size_name}: missed, {found}")
        if wanted and rule in found and fault.critical is not None and \
                (found[rule] == "critical") != fault.critical:
            self.odd[rule] += 1
            self.tell(f"seed {seed}, {rule} {size_name}: {found[rule]}")

    def culprit(self, seed, rule, level, culprits, named):
        if level == BELOW or rule not in named:
            return
        right = any(name and culprit in name for name in named[rule] for culprit in culprits)
        self.nameable[rule] += 1
        self.named[rule] += right
        if not right:
            self.tell(f"seed {seed}, {rule} {SIZES[level]}: {culprits} not in {named[rule]}")

    def sound(self, seed, family, allowed, found):
        self.healthy += 1
        self.critical += "critical" in found.values()
        for name in set(found) - allowed:
            self.wrong[name] += 1
            self.tell(f"seed {seed}, healthy ({family}): {name} ({found[name]})")

    def print(self):
        failed = self.critical > 0
        print(f"{'rule':24} planted  found  elsewhere  severity  recall  precision  named")
        for rule in sorted(set(self.planted) | set(self.wrong)):
            hit, wrong = self.hit[rule], self.wrong[rule]
            recall = hit / self.planted[rule] if self.planted[rule] else 1
            precision = hit / (hit + wrong) if hit + wrong else 1
            failed |= recall < BAR or precision < BAR
            failed |= self.odd[rule] > (1 - BAR) * max(1, hit)
            named = self.named[rule] / self.nameable[rule] if self.nameable[rule] else 1
            failed |= named < BAR
            print(f"{rule:24} {self.planted[rule]:7} {hit:6} {wrong:10} {self.odd[rule]:9} "
                  f"{recall:7.2f} {precision:10.2f} " +
                  (f"{named:6.2f}" if self.nameable[rule] else "     -"))
        print(f"critical findings on {self.healthy} healthy programs: {self.critical}")
        return failed


def culprits_of(judge, fault, model, seed):
    if isinstance(fault.culprit, str):
        return [fault.culprit]
    if fault.nets:
        named = judge.named
        # The networks together, as the draw of the second continues that of the first.
        judge.findings(program_of(model + fault.nets, "forward extra", seed), seed, kernels=True)
        judge.named = named
    return fault.culprit(*judge.kernels)


def judge_seed(judge, score, seed, sizes):
    rng = random.Random(seed)
    model = net(rng, "model", rng.randint(40, 80), 4)
    for family, text, allowed in healthy(rng, model):
        marks = "yes" if seed % 2 else "no"
        text = f"[program]\nmarks = {marks}\n{text}"
        _, found = judge.findings(text, seed, "deepprof" if "memory" in family else "kineto")
        score.sound(seed, family, allowed, found)
    period, _ = judge.findings(program_of(model, f"{INPUT}; {STEP}; {READ}", seed), seed)
    for level in sizes:
        for group in (waits, copies, over_time, device):
            for rule, fault in group(rng, period, level):
                used = net(rng, "model", *fault.tiny) if fault.tiny else model
                extra = f"{fault.program}jitter = {rng.uniform(0.01, 0.08):.3f}\n"
                if fault.form == "deepprof":
                    extra += f"sample = {us(period * rng.uniform(0.3, 3))}\n"
                text = program_of(used + fault.nets, fault.do, seed, fault.keys, fault.before,
                                  extra)
                _, found = judge.findings(text, seed, fault.form, callable(fault.culprit))
                score.fault(seed, rule, level, fault, found)
                if fault.culprit:
                    culprits = culprits_of(judge, fault, used, seed)
                    score.culprit(seed, rule, level, culprits, judge.named)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("sim")
    parser.add_argument("program")
    parser.add_argument("--seeds", default="1:11")
    parser.add_argument("--sizes", type=lambda text: [SIZES.index(name) for name in text.split(",")],
                        default=range(len(SIZES)))
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--verbose", action="store_true")
    options = parser.parse_args()
    first, end = (int(word) for word in options.seeds.split(":"))
    score = Score(options.verbose)
    with tempfile.TemporaryDirectory() as folder:
        judge = Judge(options.sim, options.program, folder)
        for seed in range(first, end):
            judge_seed(judge, score, seed, options.sizes)
    return 1 if score.print() and options.check else 0


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
"""Verdicts of deepprof ranks on simulated jobs with one planted fault each, and on healthy ones.

eval_ranks.py SIM PROGRAM [--seeds FIRST:END] [--healthy N] [--kinds A,B] [--check] [-j N]

Of each seed there is a job of each kind: a rank that is late in one part of its iteration (compute
of one operator or of all, a clock that is held down, host, input), a slow link, a pipeline stage
with more work, several equally slow ranks, ranks that are late in turn, replicas with longer
sequences, captures that begin later, lack an iteration, are damaged, missing or doubled, and files of other formats. Layouts (data, sharded, tensor, expert,
pipeline and mixed parallel), sizes, clocks and where the fault is are drawn from the seed.
--healthy adds this many jobs without a fault. A straggler counts as found with its rank, its part and
its first iteration (one either way counts); see judge(). Nothing here is tuned to the program.
--check fails below the bars: 95% of stragglers, 90% of those in turn, 1% of healthy jobs, costs
within 5% in 8 of 10 jobs.
"""
import argparse
import collections
import concurrent.futures
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile

FOUND, FALSE_ALARMS = 0.95, 0.01
FOUND_TURNS = 0.9  # all of two or three ranks: what partners inherit may hide the third
COST_OFF, COSTS = 0.05, 0.8
TURN_COST_OFF = 0.2  # what one of several costs depends on the others
CLOCK_NS = 10000
PARTS = {"compute": "compute", "operator": "compute", "clock": "compute", "host": "host-wait",
         "launches": "host-wait", "input": "input-wait"}
STRAGGLERS = tuple(PARTS)
OTHERS = ("link", "stage", "sequence", "several", "turns")
BROKEN = ("late", "missing-iteration", "damaged", "missing-file", "doubled")
FORMATS = ("deepprof", "inspector", "nsys")
# What costs less of the period need not be found: pipelines hide it, or ranks differ by as much.
LEAST_COST = 0.02


def layout(rng, kind):
    """The job's settings, and its period in ms, roughly."""
    layouts = [("ranks=4", 6), ("ranks=8", 6), ("ranks=8 sharded=1", 6),
               ("ranks=8 buffers=1 buckets=1", 6), ("ranks=8 tensor=2", 7),
               ("ranks=8 tensor=4", 7), ("ranks=8 expert=4", 7),
               ("ranks=16 tensor=2 hosts=4", 7), ("ranks=16 expert=2 sharded=1", 7),
               ("ranks=8 pipeline=2 microbatches=4", 20),
               ("ranks=16 tensor=2 pipeline=2 microbatches=4", 21)]
    if kind == "stage":
        layouts = layouts[-2:]
    if kind in ("sequence", "link", "inspector", "several", "turns"):
        layouts = layouts[:-2]
    settings, period = rng.choice(layouts)
    settings = settings.split() + ["layers=3", f"iterations={rng.randint(16, 24)}",
                                   f"noise={rng.choice(['0.2%', '0.5%', '1%'])}",
                                   f"names={rng.choice(['rank', 'torch', 'plain'])}"]
    if rng.random() < 0.5:
        settings += ["offset=50ms", "drift=50ppm"]
    return settings, period


def number(settings, key, default=1):
    return next((int(s.split("=")[1]) for s in settings if s.startswith(key + "=")), default)


def plant(rng, kind, settings, period):
    """Adds the fault; returns the settings."""
    ranks, stages = number(settings, "ranks"), number(settings, "pipeline")
    rank = rng.randrange(ranks // stages if kind == "input" else ranks)
    first = rng.choice((0, 0, 5, 8))
    every = rng.choice((1, 1, 1, 3)) if first == 0 else 1
    when = f"rank={rank},first={first},every={every}"
    share = rng.uniform(0.08, 0.3) * (2 if every > 1 else 1)
    extra = max(1, round(period * share * 1000))
    faults = {"compute": f"compute:{when},factor={1 + share:.3f}",
              "operator": f"compute:{when},factor={rng.uniform(3, 6):.2f},operator="
                          f"{rng.choice(['attention', 'linear-backward'])}",
              "clock": f"clock:{when},factor={1 + share:.3f}",
              "host": f"host:{when},time={extra}us",
              "launches": f"host:rank={rank},first={first},factor={rng.uniform(14, 20):.1f}",
              "input": f"input:{when},time={extra}us",
              "link": f"link:rank={rank},first={first},factor={rng.uniform(4, 8):.1f}"}
    if kind in BROKEN + FORMATS:
        kind_of_fault = rng.choice(("compute", "host"))
        settings = settings + ["fault=" + faults[kind_of_fault]]
        other = rng.choice([i for i in range(ranks) if i != rank])
        if kind == "late":
            settings.append(f"late={other}:{rng.randint(1, 6)}")
        if kind == "missing-iteration":
            settings.append(f"missing={other}:{rng.randint(3, 10)}")
        return settings
    if kind == "stage":
        return settings + [f"stage={rng.randrange(stages)}:{rng.uniform(1.25, 1.5):.2f}"]
    if kind == "several":
        slow = rng.sample(range(ranks), rng.randint(2, min(4, ranks // 2)))
        return settings + [f"fault=compute:rank={r},first={first},factor={1 + share:.3f}" for r in slow]
    if kind == "turns":
        late = rng.sample(range(ranks), rng.randint(2, min(3, ranks // 2)))
        settings = [s for s in settings if not s.startswith("iterations=")] + ["iterations=36"]
        return settings + [f"fault=host:rank={r},first={i},every={len(late)},"
                           f"time={max(1, round(period * rng.uniform(0.15, 0.4) * 1000))}us"
                           for i, r in enumerate(late)]
    if kind == "sequence":
        return settings + [f"sequence={rng.choice((15, 25, 35))}%"]
    if kind == "link":
        settings = settings + ["data-bytes=60M"]
    return settings + ["fault=" + faults[kind]] if kind in faults else settings


def break_files(rng, kind, folder, truth):
    """Damages files; returns the file that must be named, or None."""
    stragglers = [fault["rank"] for fault in truth["faults"]]
    others = [place for place in truth["ranks"] if place["rank"] not in stragglers]
    place = rng.choice(others)
    path = os.path.join(folder, place["file"])
    if kind == "damaged":
        with open(path, "wb") as file:
            file.write(b'{"traceEvents": [{"ph": "X", "cat": "cpu_op"}')
    elif kind == "missing-file":
        os.unlink(path)
    elif kind == "doubled":
        path = os.path.join(folder, "zz-copy.pt.trace.json")
        shutil.copy(os.path.join(folder, place["file"]), path)
    else:
        return None
    return os.path.basename(path)


def check_clocks(truth, result):
    """The largest error of an offset in ns, or None where none is known."""
    hosts = {host["name"]: host for host in truth["hosts"]}
    clocks = {place["rank"]: hosts[place["host"]] for place in truth["ranks"]}
    known = (result["clock"] or {}).get("ranks", [])
    if not known:
        return None
    base, worst = clocks[known[0]["rank"]], 0
    start = truth["ranks"][0]["starts_ns"][0]
    for rank in known:
        if rank["offset_ns"] is None:
            continue
        own = clocks[rank["rank"]]
        expected = (own["zero_ns"] - base["zero_ns"] +
                    start * (own["drift_ppb"] - base["drift_ppb"]) / 1e9)
        worst = max(worst, abs(rank["offset_ns"] - expected))
    return worst


def cost_error(truth, result):
    """The verdict's cost over the iterations that it is about, less that of the truth, as a share
    of it, and whether it has bounds that hold the truth; None where either has none."""
    verdict = result["verdict"]
    if len(truth["faults"]) != 1 or verdict["kind"] == "none" or not truth["faults"][0]["cost_ns"]:
        return None
    true_ns = truth["faults"][0]["cost_ns"] / (truth["iterations"] - verdict["since_iteration"])
    least_ns, most_ns = verdict["cost_least_ns"], verdict["cost_most_ns"]
    has_bounds = most_ns - least_ns > COST_OFF * verdict["cost_ns"]
    return (verdict["cost_ns"] / true_ns - 1,
            has_bounds and least_ns <= true_ns * (1 + COST_OFF) and most_ns >= true_ns * (1 - COST_OFF))


def judge(kind, truth, result, broken):
    """What is wrong with the verdict, as words; an empty list where nothing is."""
    verdict, wrong = result["verdict"], []
    ranks = verdict["ranks"]
    fault = truth["faults"][0] if truth["faults"] else None
    if kind in STRAGGLERS + BROKEN + FORMATS:
        period = (truth["ends_ns"][-1] - truth["ends_ns"][0]) / (len(truth["ends_ns"]) - 1)
        if fault["cost_ns"] < LEAST_COST * period * truth["iterations"] and \
                verdict["kind"] == "none":
            return []
        if verdict["kind"] != "straggler" or ranks != [fault["rank"]]:
            return [f"{verdict['kind']} {ranks[:4]} for rank {fault['rank']}"]
        part = PARTS.get(kind) or PARTS[fault["part"]]
        if verdict["part"] != part and kind != "inspector":
            wrong.append(f"part {verdict['part']} for {part}")
        if abs(verdict["since_iteration"] - fault["first"]) > 1:
            wrong.append(f"since {verdict['since_iteration']} for {fault['first']}")
        if (verdict["every"] or 1) != fault["every"]:
            wrong.append(f"every {verdict['every']} for {fault['every']}")
    elif kind == "link":
        if verdict["kind"] != "slow-communication" or fault["rank"] not in ranks:
            wrong.append(f"{verdict['kind']} {ranks[:4]} for the link of rank {fault['rank']}")
    elif kind == "stage":
        stage = [p["rank"] for p in truth["ranks"] if p["stage"] == truth["slow_stage"]]
        if verdict["kind"] != "stage-imbalance" or ranks != stage:
            wrong.append(f"{verdict['kind']} {ranks[:4]} for stage {truth['slow_stage']}")
    elif kind == "several":
        slow = sorted(fault["rank"] for fault in truth["faults"])
        if verdict["kind"] != "straggler" or ranks != slow:
            wrong.append(f"{verdict['kind']} {ranks[:4]} for ranks {slow}")
    elif kind == "turns":
        costs = {fault["rank"]: fault["cost_ns"] / truth["iterations"] for fault in truth["faults"]}
        period = (truth["ends_ns"][-1] - truth["ends_ns"][0]) / (len(truth["ends_ns"]) - 1)
        needed = {rank for rank, cost in costs.items() if cost >= LEAST_COST * period}
        if verdict["kind"] != "straggler" or not needed <= set(ranks) <= set(costs):
            wrong.append(f"{verdict['kind']} {ranks[:4]} for ranks {sorted(costs)}")
        for found in verdict.get("stragglers", []):
            true_ns = costs.get(found["rank"])
            if true_ns and abs(found["cost_ns"] / true_ns - 1) > TURN_COST_OFF:
                wrong.append(f"rank {found['rank']} costs {found['cost_ns'] / true_ns:.2f} of the truth")
    elif kind == "sequence":
        if verdict["kind"] != "sequence-imbalance":
            wrong.append(f"{verdict['kind']} {ranks[:4]} for sequences")
    elif verdict["kind"] != "none":
        wrong.append(f"{verdict['kind']} {ranks[:4]} of a healthy job")
    if kind == "missing-file" and not result["matching"]["absent"]:
        wrong.append("the missing rank is not counted")
    elif broken and kind != "missing-file" and \
            broken not in (os.path.basename(left["file"]) for left in result["left_out"]):
        wrong.append(f"{broken} is not named")
    return wrong


def run(simulator, program, kind, seed, keep):
    """(kind, seed, what is wrong, clock error, cost error, settings)"""
    rng = random.Random(f"{kind} {seed}")
    settings, period = layout(rng, kind)
    settings = plant(rng, kind, settings, period)
    folder = tempfile.mkdtemp(prefix="job-", dir=keep)
    form = {"deepprof": "deepprof", "inspector": "nccl-inspector", "nsys": "nsys"}.get(kind, "kineto")
    if kind == "nsys":  # which has no ranks: their order in files named by host is theirs
        settings.append("names=rank")
    command = [simulator, "job", "--seed", str(seed), "-F", form, "-o", folder, *settings]
    try:
        subprocess.run(command, check=True)
        with open(os.path.join(folder, "truth.json"), encoding="utf-8") as file:
            truth = json.load(file)
        os.unlink(os.path.join(folder, "truth.json"))
        broken = break_files(rng, kind, folder, truth)
        done = subprocess.run([program, "ranks", "-q", "-j1", "--format=json", folder],
                              capture_output=True, text=True, check=False)
        if done.returncode:
            return kind, seed, [done.stderr.strip()[-200:] or "failed"], None, None, settings
        result = json.loads(done.stdout)
        return (kind, seed, judge(kind, truth, result, broken), check_clocks(truth, result),
                cost_error(truth, result), settings)
    finally:
        shutil.rmtree(folder)


def report(results, verbose):
    failed = collections.Counter()
    count = collections.Counter()
    clocks = collections.defaultdict(list)
    costs = collections.defaultdict(list)
    bounded = 0
    for kind, seed, wrong, clock, cost, settings in results:
        if cost is not None and not wrong:
            costs[kind].append(abs(cost[0]))
            bounded += abs(cost[0]) > COST_OFF and cost[1]
        count[kind] += 1
        failed[kind] += bool(wrong)
        if clock is not None:
            clocks[kind].append(clock)
        if clock is not None and clock > CLOCK_NS:
            wrong = wrong + [f"clock {clock / 1000:.1f} µs"]
        if wrong and verbose:
            print(f"{kind} seed {seed}: {'; '.join(wrong)}\n    {' '.join(settings)}")
    print(f"{'job':18} {'jobs':>5} {'right':>5}  worst clock  cost off by: median, worst")
    for kind in count:
        worst = max(clocks[kind], default=float("nan"))
        off = sorted(costs[kind])
        print(f"{kind:18} {count[kind]:5} {count[kind] - failed[kind]:5}  {worst / 1000:8.1f} µs" +
              (f"  {off[len(off) // 2]:11.1%} {off[-1]:8.1%}" if off else ""))
    off = sorted(sum(costs.values(), []))
    near = sum(error <= COST_OFF for error in off)
    if off:
        print(f"cost: {near} of {len(off)} within {COST_OFF:.0%}, median {off[len(off) // 2]:.1%}; "
              f"{bounded} others have bounds that hold the truth")
    worst = max((clock for values in clocks.values() for clock in values), default=0)
    return failed, count, worst, near >= COSTS * len(off)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("simulator")
    parser.add_argument("program")
    parser.add_argument("--seeds", default="1:21")
    parser.add_argument("--healthy", type=int, default=20)
    parser.add_argument("--kinds", default=",".join(STRAGGLERS + OTHERS + BROKEN + FORMATS))
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--quiet", action="store_true")
    parser.add_argument("-j", type=int, default=os.cpu_count() or 1)
    options = parser.parse_args()
    first, _, end = options.seeds.partition(":")
    work = [(kind, seed) for kind in options.kinds.split(",") if kind
            for seed in range(int(first), int(end))]
    work += [("healthy", int(first) + i) for i in range(options.healthy)]
    with tempfile.TemporaryDirectory(prefix="ranks-") as keep, \
            concurrent.futures.ThreadPoolExecutor(options.j) as pool:
        results = list(pool.map(lambda item: run(options.simulator, options.program, *item, keep),
                                work))
    failed, count, clock, costs_right = report(results, not options.quiet)
    found = sum(count[kind] - failed[kind] for kind in STRAGGLERS)
    planted = sum(count[kind] for kind in STRAGGLERS)
    good = (not planted or found >= FOUND * planted) and clock <= CLOCK_NS and costs_right and \
        failed["healthy"] <= FALSE_ALARMS * max(count["healthy"], 1) and \
        failed["turns"] <= (1 - FOUND_TURNS) * count["turns"] and \
        not any(failed[kind] for kind in OTHERS + BROKEN + FORMATS if kind != "turns")
    print(f"stragglers found: {found} of {planted}; false alarms: {failed['healthy']} of "
          f"{count['healthy']}; worst clock {clock / 1000:.1f} µs")
    return 0 if good or not options.check else 1


if __name__ == "__main__":
    sys.exit(main())

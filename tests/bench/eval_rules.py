#!/usr/bin/env python3
"""Precision and recall of the rules, on simulated programs with one planted fault each.

eval_rules.py SIM PROGRAM [--seeds FIRST:END] [--check] [--verbose]

Of each seed there is a healthy program, whose iteration takes a certain time, and one per rule with
a fault whose size is a multiple of that time, drawn from the seed. A rule that fires where its fault
is planted counts for its recall; where neither its own fault nor one that brings it along is
planted, it counts against its precision. --check fails below 95%, or where a healthy program has a
critical finding.
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

HEALTHY_INPUT = "upload bytes=2M memory=pinned copy_stream=yes ahead=yes"


def net(rng, kernel_us, host_us):
    kind = rng.choice(["conv", "transformer", "mlp", "fused"])
    layers = rng.randint(6, 14) * (3 if kind in ("mlp", "fused") else 1)
    return (f"[net model]\nkind = {kind}\nlayers = {layers}\nkernel = {kernel_us}us\n"
            f"host = {host_us}us\nseed = {rng.randint(1, 999)}\n"
            f"optimizer = {rng.choice(['sgd', 'adam', 'foreach'])}\n")


def us(nanoseconds):
    return f"{max(1, round(nanoseconds / 1000))}us"


def megabytes(nanoseconds, per_us):
    return f"{max(1, round(nanoseconds / 1000 * per_us / 1024))}k"


# Per rule: what the iteration does, with {period} of the healthy program's at hand, keys of the
# loop, and the rules that the same fault brings along.
def faults(rng, period):
    step = "zero model; forward model; loss; backward model; optimize model"
    wait = us(period * rng.uniform(1.4, 3))
    copy = period * rng.uniform(0.2, 0.6)
    every = rng.randint(9, 14)
    healthy = f"{HEALTHY_INPUT}; {step}"
    return {
        "host-bound": (
            f"{HEALTHY_INPUT}; zero model; wait time={wait} jitter=0.1; forward model; loss; "
            "backward model; optimize model", "", {"starved"}),
        "input-bound": (
            f"wait time={wait} jitter=0.2; upload bytes=8M memory=pinned; {step}", "",
            {"copy-bound", "starved"}),
        "copy-bound": (
            f"upload bytes={megabytes(copy, 23000)} memory=pinned; {step}", "", set()),
        "pageable-copy": (
            f"upload bytes={megabytes(copy, 9000)} memory=pageable; {step}", "", {"copy-bound"}),
        "blocking-copy": (
            f"upload bytes={megabytes(copy, 23000)} memory=pinned block=yes; {step}", "",
            {"copy-bound"}),
        "sync-call": (
            f"{HEALTHY_INPUT}; zero model; forward model; loss; download bytes=4 memory=pinned "
            f"block=yes; wait time={us(period * rng.uniform(0.15, 0.6))}; backward model; "
            "optimize model", "", {"host-bound"}),
        "exposed-communication": (
            f"{HEALTHY_INPUT}; zero model; forward model; loss; backward model; reduce "
            f"bytes={megabytes(copy, 100000)} block=yes; optimize model", "", set()),
        "slow-iterations": (
            f"{healthy}; wait time={us(period * rng.uniform(20, 40))} every={every} offset=7", "",
            {"starved"}),
        "extra-work": (
            f"{healthy}; forward model every={every} offset=5; statistics "
            f"count={rng.randint(14, 31)} every={every} offset=5", "",
            {"slow-iterations"}),
        "growing-interval": (
            f"wait time={us(period * 1.3)} jitter=0.05; {healthy}",
            f"grow = {us(period * rng.uniform(0.01, 0.04))}\n", {"host-bound", "input-bound", "starved"}),
        "warm-up": (
            f"wait time={us(period * rng.uniform(4, 8))} until=3; {healthy}", "", set()),
        "starved": (
            f"{healthy}; wait time={rng.randint(1500, 2500)}ms every={rng.randint(20, 28)} "
            "offset=11", "", {"slow-iterations"}),
        "launch-bound": (healthy, "", set()),
        "": (healthy, "", set()),
    }


class Judge:
    def __init__(self, sim, program, folder):
        self.sim, self.program, self.folder = sim, program, folder

    def findings(self, text, seed):
        description = os.path.join(self.folder, "program")
        trace = os.path.join(self.folder, "trace.json")
        with open(description, "w", encoding="ascii") as file:
            file.write(text)
        subprocess.run([self.sim, "--program", description, "--seed", str(seed), "--no-truth",
                        "-o", trace], check=True)
        report = json.loads(subprocess.run([self.program, "analyze", "--format=json", trace],
                                           stdout=subprocess.PIPE, check=True).stdout)
        loops = [loop for loop in report["loops"] if loop["parent"] is None]
        period = loops[0]["summary"]["median_period_ns"] if loops else None
        return period, report["findings"]


def program_of(model, do, keys, seed):
    marks = "yes" if seed % 2 else "no"
    return (f"[program]\ndo = loop train; sync\nmarks = {marks}\n{model}[loop train]\n"
            f"count = {COUNT}\ndefault = yes\nmark = ProfilerStep\n{keys}do = {do}\n")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("sim")
    parser.add_argument("program")
    parser.add_argument("--seeds", default="1:11")
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--verbose", action="store_true")
    options = parser.parse_args()
    first, end = (int(word) for word in options.seeds.split(":"))
    hit, missed, wrong = (collections.Counter() for _ in range(3))
    critical = 0
    with tempfile.TemporaryDirectory() as folder:
        judge = Judge(options.sim, options.program, folder)
        for seed in range(first, end):
            rng = random.Random(seed)
            model = net(rng, rng.randint(40, 80), 4)
            period, _ = judge.findings(
                program_of(model, faults(rng, 1e6)[""][0], "", seed), seed)
            tiny = net(rng, 2, rng.randint(7, 12))
            for rule, (do, keys, along) in faults(rng, period).items():
                text = program_of(tiny if rule == "launch-bound" else model, do, keys, seed)
                _, found = judge.findings(text, seed)
                fired = {finding["rule"] for finding in found}
                if rule:
                    (hit if rule in fired else missed)[rule] += 1
                extra = fired - along - {rule}
                for name in extra:
                    wrong[name] += 1
                bad = not rule and any(f["severity"] == "critical" for f in found)
                critical += bad
                if options.verbose and (extra or bad or (rule and rule not in fired)):
                    print(f"seed {seed}, {rule or 'healthy'}: {sorted(fired)}")
    failed = critical > 0
    print(f"{'rule':24} planted  found  elsewhere  recall  precision")
    for rule in sorted(set(hit) | set(missed) | set(wrong)):
        planted = hit[rule] + missed[rule]
        recall = hit[rule] / planted if planted else 1
        precision = hit[rule] / (hit[rule] + wrong[rule]) if hit[rule] + wrong[rule] else 0
        failed |= recall < BAR or precision < BAR
        print(f"{rule:24} {planted:7} {hit[rule]:6} {wrong[rule]:10} {recall:7.2f} {precision:10.2f}")
    print(f"critical findings on healthy programs: {critical}")
    return 1 if options.check and failed else 0


if __name__ == "__main__":
    sys.exit(main())

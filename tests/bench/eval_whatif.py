#!/usr/bin/env python3
"""Predicted periods, held against the same simulated program without the fault.

eval_whatif.py SIM PROGRAM [--seeds FIRST:END] [--check] [--verbose] [RULE…]

Of each seed and rule there are two programs: one with the rule's fault, of a size drawn from the seed,
and one without. A prediction is right within 5% of the latter's mean period. --check fails below 95%
for any rule, or where a fault is not found.
"""
import argparse
import collections
import json
import os
import random
import subprocess
import sys
import tempfile

import eval_rules
from eval_rules import INPUT, READ, STEP, part, program_of, size, us

BAR = 0.95
TOLERANCE = 0.05
HEAD = "zero model; forward model; loss"
TAIL = "backward model; optimize model"


class Fault(str):
    """What a loop does, with keys of the loop, networks, and the form of the trace."""

    def __new__(cls, do, keys="", nets="", form="kineto"):
        made = super().__new__(cls, do)
        made.keys, made.nets, made.form = keys, nets, form
        return made


def pairs(rng, period):
    """Rule, what a loop with its fault does, and what one without it does."""
    length = part(period, rng.uniform(0.07, 0.5))
    wait, step = us(length), f"{STEP}; {READ}"
    yield "host-bound", f"{INPUT}; wait time={wait} jitter=0.05; {step}", f"{INPUT}; {step}"
    small = "upload bytes=256k memory=pinned"
    yield "input-bound", f"wait time={wait} jitter=0.1; {small}; {step}", f"{small}; {step}"
    api = rng.choice(["malloc", "free", "host_alloc"])
    yield "api-stall", f"{INPUT}; stall api={api} time={wait} jitter=0.05; {step}", f"{INPUT}; {step}"
    read = "download bytes=4 memory=pinned"
    yield "sync-call", *(f"{INPUT}; {HEAD}; {read}{block}; wait time={wait}; {TAIL}"
                         for block in (" block=yes", ""))
    upload = f"upload bytes={size(length, 23000)} memory=pinned"
    yield "copy-bound", f"{upload}; {STEP}", f"{upload} copy_stream=yes ahead=yes; {STEP}"
    staged = f"upload bytes={size(length, 9000)} memory"
    yield "pageable-copy", f"{staged}=pageable; {STEP}", f"{staged}=pinned; {STEP}"
    yield "blocking-copy", f"{upload} block=yes; {STEP}", f"{upload}; {STEP}"
    table = f"upload bytes={size(0.015 * period, 23000)} memory=pinned"
    yield "repeated-upload", f"{upload}; {table}; {STEP}", f"{table}; {STEP}"
    moved = size(part(period, rng.uniform(0.07, 0.4)), 600000)
    yield "device-copy", f"{INPUT}; {HEAD}; copy bytes={moved} memory=device; {TAIL}", f"{INPUT}; {STEP}"
    reduced = f"reduce bytes={size(part(period, rng.uniform(0.05, 0.4)), 100000)}"
    yield "exposed-communication", *(f"{INPUT}; {HEAD}; backward model; {reduced}{block}; "
                                     "optimize model" for block in (" block=yes", ""))
    often = f"every={rng.randint(9, 14)} offset=7"
    yield ("slow-iterations",
           f"{INPUT}; {step}; wait time={us(period * rng.uniform(0.4, 0.8))} {often}",
           f"{INPUT}; {step}")
    gap = f"wait time={rng.uniform(560, 2500):.0f}ms every={rng.randint(20, 28)} offset=11"
    yield "starved", f"{INPUT}; {step}; {gap}", f"{INPUT}; {step}"
    rise = rng.uniform(0.1, 1) * period / eval_rules.COUNT
    grows = f"wait time={us(period * 0.1)} jitter=0.02"
    yield "growing-interval", f"{grows} grow={rise:.0f}ns; {INPUT}; {step}", f"{grows}; {INPUT}; {step}"
    yield "growing-iteration", Fault(f"{INPUT}; {HEAD}; {TAIL}", f"swell = {rise:.0f}ns\n"), \
        f"{INPUT}; {HEAD}; {TAIL}"
    extra = "; ".join([f"forward extra {often}"] * 3)
    yield "extra-work", Fault(f"{INPUT}; {step}; {extra}", nets=(
        "[net extra]\nkind = mlp\nlayers = 4\nhost = 1us\n"
        f"kernel = {us(period * rng.uniform(0.05, 0.9) / 45)}\n")), f"{INPUT}; {step}"
    hot = f"hot = {rng.randint(20, 40)}..{eval_rules.COUNT}\nheat = {rng.uniform(1.1, 1.8):.3f}\n"
    yield "throttled", Fault(f"{INPUT}; {STEP}", hot, form="deepprof"), f"{INPUT}; {STEP}"
    yield "warm-up", f"{INPUT}; {step}; wait time={us(20 * period)} until=3", f"{INPUT}; {step}"
    leak = rng.uniform(0.2, 2) * 2 ** 30 / eval_rules.COUNT
    yield "memory-growth", Fault(f"{INPUT}; {STEP}; allocate bytes={leak:.0f}", form="deepprof"), \
        f"{INPUT}; {STEP}"
    yield "launch-bound", f"{INPUT}; {STEP}", f"{INPUT}; {STEP}"


class Runs:
    def __init__(self, sim, program, folder):
        self.sim, self.program, self.folder = sim, program, folder

    def report(self, text, seed, form="kineto"):
        description = os.path.join(self.folder, "program")
        trace = os.path.join(self.folder, "trace." + form)
        with open(description, "w", encoding="ascii") as file:
            file.write(text)
        subprocess.run([self.sim, "--program", description, "--seed", str(seed), "--no-truth",
                        "-F", form, "-o", trace], check=True)
        report = json.loads(subprocess.run([self.program, "analyze", "--format=json", trace],
                                           stdout=subprocess.PIPE, check=True).stdout)
        os.unlink(trace)
        loop = next(loop for loop in report["loops"] if loop["parent"] is None)
        return loop["summary"]["avg_period_ns"], report["findings"]


def judge(runs, seed, only, say):
    """Yields a rule, and whether its prediction was right."""
    rng = random.Random(seed)
    model = eval_rules.net(rng, "model", rng.randint(40, 80), 4)
    # Kernels that are shorter than launches; without the fault these cost nothing.
    tiny = eval_rules.net(random.Random(seed), "model", 3, 7)
    period, _ = runs.report(program_of(model, f"{INPUT}; {STEP}; {READ}", seed), seed)
    for rule, fault, sound in pairs(rng, period):
        keys = f"jitter = {rng.uniform(0.01, 0.08):.3f}\n"
        if only and rule not in only:
            continue
        nets, without = (tiny, "launch = 1ns\n") if rule == "launch-bound" else (model, "")
        fault = fault if isinstance(fault, Fault) else Fault(fault)
        sampled = keys + (f"sample = {us(period)}\n" if fault.form == "deepprof" else "")
        # A fault's network is drawn after the others, and does not change them.
        before, findings = runs.report(
            program_of(nets + fault.nets, fault, seed, fault.keys, extra=sampled), seed, fault.form)
        nets = nets.replace("host = 7us", "host = 0us") if without else nets
        true, _ = runs.report(program_of(nets, sound, seed, extra=keys + without), seed)
        found = [f["predicted_ns"] for f in findings if f["rule"] == rule]
        if found and not found[0]:
            yield rule, None
            continue
        right = bool(found and found[0] and abs(found[0] - true) <= TOLERANCE * true)
        if not right or say:
            print(f"seed {seed}, {rule}: {before / 1e6:.3f} ms, predicted {found}, "
                  f"{true / 1e6:.3f} ms without it")
        yield rule, right


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("sim")
    parser.add_argument("program")
    parser.add_argument("rules", nargs="*")
    parser.add_argument("--seeds", default="1:21")
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--verbose", action="store_true")
    options = parser.parse_args()
    first, end = (int(word) for word in options.seeds.split(":"))
    right, all_of, without = (collections.Counter() for _ in range(3))
    with tempfile.TemporaryDirectory() as folder:
        runs = Runs(options.sim, options.program, folder)
        for seed in range(first, end):
            for rule, good in judge(runs, seed, options.rules, options.verbose):
                right[rule] += bool(good)
                without[rule] += good is None
                all_of[rule] += good is not None
    for rule, count in all_of.items():
        print(f"{rule:24} {right[rule]:4} of {count:4} within {TOLERANCE:.0%}" +
              (f", {without[rule]} without a prediction" if without[rule] else ""))
    failed = any(right[rule] < BAR * count for rule, count in all_of.items())
    return 1 if failed and options.check else 0


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
"""How far comparisons of two runs can be trusted, on simulated programs.

eval_compare.py SIM PROGRAM [--seeds FIRST:END] [--check] [--verbose]

Each program of several families is run twice: nothing differs but what is random in a run.
A period that is called different is a false alarm; so is one that a limit of 1% would stop a
build for. Then the second run has a wait that makes its period longer by a share: how often is that
seen, and does the interval hold the share? Last, pairs of runs whose periods scatter by 3%, with 6
and with 50 iterations: equal ones, and ones that are 10% and 2% longer. --check fails where more
than one pair in twenty is a false alarm, where fewer than nine in ten waits of a tenth of the period
are seen, or where fewer than nine in ten intervals hold the truth.
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

SHARES = (0.02, 0.05, 0.1, 0.3)
FEW = 12
# Iterations whose mean the truth is taken from. Both long runs draw the same random numbers, so that
# their ratio is known much better than their periods are.
LONG = 240
# Of pairs of which a period scatters by 3%: the iterations, and how much longer the second is.
NOISE = 0.03
NOISY = ((6, 0), (6, 0.1), (50, 0), (50, 0.02))
WAIT = 0.4  # a wait of that share of the period scatters for all of it


class Runs:
    def __init__(self, sim, program, folder):
        self.sim, self.program, self.folder, self.seed = sim, program, folder, 1

    def trace(self, name, text, seed):
        description = os.path.join(self.folder, "program")
        path = os.path.join(self.folder, name + ".json")
        with open(description, "w", encoding="ascii") as file:
            file.write(text)
        subprocess.run([self.sim, "--program", description, "--seed", str(self.seed),
                        "--run-seed", str(seed), "--no-truth", "-F", "kineto", "-o", path], check=True)
        return path

    def compare(self, before, after):
        out = subprocess.run([self.program, "compare", "-q", "--format=json", before, after],
                             stdout=subprocess.PIPE, check=True).stdout
        return json.loads(out)["pairs"]


def same_programs(rng):
    model = eval_rules.net(rng, "model", rng.randint(60, 200), 4)
    for family, text, _ in eval_rules.healthy(rng, model):
        yield family, text
    few = text_of(rng, model, FEW, "")
    yield "few iterations", few
    yield "few and noisy", text_of(rng, model, FEW, "wait time=2ms jitter=0.5; ")
    yield "noisy", text_of(rng, model, eval_rules.COUNT, "wait time=2ms jitter=0.5; ")


def text_of(rng, model, count, before):
    jitter = rng.choice((0.01, 0.03, 0.1))
    return (f"[program]\ndo = loop train; sync\njitter = {jitter}\n{model}[loop train]\n"
            f"count = {count}\ndefault = yes\n"
            f"do = {before}{eval_rules.INPUT}; {eval_rules.STEP}; {eval_rules.READ}\n")


def period_of(pairs):
    return pairs[0]["metrics"]["period_ns"] if pairs else None


class Score:
    def __init__(self, verbose):
        self.verbose = verbose
        self.count, self.sure, self.stopped, self.alone = (collections.Counter() for _ in range(4))
        self.planted, self.seen, self.held = (collections.Counter() for _ in range(3))

    def same(self, seed, family, pairs):
        self.alone[family] += not pairs
        for pair in pairs:
            at = pair["metrics"].get("period_ns")
            if not at or not at["ratio_ci"]:
                continue
            self.count[family] += 1
            self.sure[family] += at["significant"]
            self.stopped[family] += at["ratio_ci"][0] > 1.01
            if at["significant"] and self.verbose:
                print(f"seed {seed}, {family}: {at}")

    def waits(self, seed, share, at, truth):
        self.planted[share] += 1
        if not at or not at["ratio_ci"]:
            return
        self.seen[share] += at["significant"] and at["change"] > 0
        held = at["ratio_ci"][0] <= truth <= at["ratio_ci"][1]
        self.held[share] += held
        if self.verbose and not held:
            print(f"seed {seed}, {share}: {at['values']}, {at['ratio_ci']} without {truth:.4f}")

    def print(self):
        print(f"{'the same program twice':24}{'pairs':>7}{'signif.':>7}{'over 1%':>9}{'none':>6}")
        for family in self.count | self.alone:
            print(f"{family:24}{self.count[family]:7}{self.sure[family]:7}"
                  f"{self.stopped[family]:9}{self.alone[family]:6}")
        print(f"{'all':24}{self.count.total():7}{self.sure.total():7}"
              f"{self.stopped.total():9}{self.alone.total():6}")
        print(f"\n{'a wait longer by':24}{'runs':>7}{'seen':>7}{'held':>7}")
        for share in SHARES:
            print(f"{share:<24.0%}{self.planted[share]:7}{self.seen[share]:7}{self.held[share]:7}")
        return (self.sure.total() <= 0.05 * self.count.total() and
                self.seen[0.1] >= 0.9 * self.planted[0.1] and
                self.held.total() >= 0.9 * self.planted.total())


def planted(runs, rng, seed, score):
    """Every pair has runs of its own: pairs that share one are right or wrong together."""
    model = eval_rules.net(rng, "model", rng.randint(60, 200), 4)
    count = rng.choice((FEW, 30, eval_rules.COUNT))
    jitter = rng.choice((0.02, 0.1, 0.4))
    text = "wait time={0}us jitter=" + str(jitter) + "; "
    state = rng.getstate()

    def run(name, length, wait, run_seed):
        rng.setstate(state)
        return runs.trace(name, text_of(rng, model, length, text.format(round(wait))), run_seed)

    long_before = run("long_before", LONG, 300, 1000000 + seed)
    base_ns = period_of(runs.compare(long_before, long_before))["values"][0]
    for i, share in enumerate(SHARES):
        wait = 300 + base_ns * share / 1000
        truth = period_of(runs.compare(long_before, run("long", LONG, wait, 1000000 + seed)))
        before = run("before", count, 300, 2 * (len(SHARES) * seed + i) + 1)
        after = run("after", count, wait, 2 * (len(SHARES) * seed + i) + 2)
        score.waits(seed, share, period_of(runs.compare(before, after)),
                    truth["values"][1] / truth["values"][0])


def noisy(runs, rng, pairs):
    """How many of this many pairs are called, and have a lower limit above 1.02, by NOISY."""
    model = eval_rules.net(rng, "model", 20, 4, ("conv",))
    # The simulator's jitter is triangular: of +-j the standard deviation is j / sqrt(6).
    jitter = round(NOISE * 6 ** 0.5 / WAIT, 4)

    def text(count, wait, more):
        return (f"[program]\ndo = loop train; sync\njitter = 0.01\n{model}[loop train]\n"
                f"count = {count}\ndefault = yes\nmark = ProfilerStep\n"
                f"do = wait time={wait:.0f}us jitter={jitter}; wait time={1 + more:.0f}us; "
                f"{eval_rules.INPUT}; {eval_rules.STEP}; {eval_rules.READ}\n")

    probe = runs.trace("probe", text(40, 1, 0), 1)
    period_us = period_of(runs.compare(probe, probe))["values"][0] / 1000 / (1 - WAIT)
    for count, more in NOISY:
        called = beyond = known = 0
        for k in range(pairs):
            # One more: the last has no period.
            before = runs.trace("before", text(count + 1, WAIT * period_us, 0), 2 * k + 1)
            after = runs.trace("after", text(count + 1, WAIT * period_us, more * period_us), 2 * k + 2)
            at = period_of(runs.compare(before, after))
            known += bool(at and at["ratio_ci"])
            called += bool(at and at["ratio_ci"] and (at["ratio_ci"][0] > 1 or at["ratio_ci"][1] < 1))
            beyond += bool(at and at["ratio_ci"] and at["ratio_ci"][0] > 1.02)
        print(f"{count:3} iterations, {more:4.0%} longer: {known} pairs, {called / known:6.1%} called, "
              f"{beyond / known:6.1%} beyond 2%")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("sim")
    parser.add_argument("program")
    parser.add_argument("--seeds", default="1:3")
    parser.add_argument("--pairs", type=int, default=0, help="of each kind of noisy pairs")
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--verbose", action="store_true")
    arguments = parser.parse_args()
    first, end = map(int, arguments.seeds.split(":"))
    score = Score(arguments.verbose)
    with tempfile.TemporaryDirectory() as folder:
        runs = Runs(arguments.sim, arguments.program, folder)
        for seed in range(first, end):
            rng = random.Random(seed)
            runs.seed = seed
            for family, text in same_programs(rng):
                before = runs.trace("a", text, 2 * seed + 1)
                after = runs.trace("b", text, 2 * seed + 2)
                score.same(seed, family, runs.compare(before, after))
            planted(runs, rng, seed, score)
        if arguments.pairs:
            noisy(runs, random.Random(first), arguments.pairs)
    good = score.print()
    return 0 if good or not arguments.check else 1


if __name__ == "__main__":
    sys.exit(main())

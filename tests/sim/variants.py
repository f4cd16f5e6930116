#!/usr/bin/env python3
"""Periods of variants, found unaided: those that programs have, and none in those that have none.

variants.py SIM PROGRAM FOLDER SEEDS
"""
import json
import os
import subprocess
import sys

EVERY = (2, 3, 7, 10, 12)
# Differences that come at random, in every iteration, or once.
IRREGULAR = ("random-statistics", "async-inserts", "shape-buckets", "gemm-jitter", "event-loss",
             "dense-noise", "autotune", "clean")

failures = 0


def check(condition, *words):
    global failures
    if not condition:
        failures += 1
        print("FAILED:", *words)


def loops(sim, program, folder, preset, seed, *settings):
    path = os.path.join(folder, "trace.json")
    subprocess.run([sim, "--preset", preset, "--seed", str(seed), "--no-truth", "-o", path,
                    *settings], check=True)
    report = json.loads(subprocess.run(
        [program, "analyze", "--ignore-marks", "--format=json", path], stdout=subprocess.PIPE,
        check=True).stdout)
    os.unlink(path)
    return [loop for loop in report["loops"] if loop["selected"]]


def judge_superstep(sim, program, folder, every, seed):
    """Every few steps 14 kernels more, behind the step."""
    rounds = max(5, 40 // every)
    found = loops(sim, program, folder, "superstep", seed, "-s", f"train.count={every}",
                  "-s", f"super.count={rounds}")
    name = f"superstep of {every}, seed {seed}"
    check(len(found) == 1, name, "has", len(found), "loops")
    complete = found[0]["summary"]["iterations"]
    if complete < every * rounds - 2:
        check(every == 2, name, "was found as", complete, "iterations")
        return
    reported = [v for v in found[0]["variants"]
            if v["period"] and v["inserted"] - v["deleted"] == 14]
    check(len(reported) == 1, name, "has", len(reported), "periodic variants with 14 kernels more")
    for variant in reported:
        check(variant["period"] == every, name, "has a period of", variant["period"])
        check(abs(variant["iterations"] - rounds) <= 1, name, "came", variant["iterations"])
        check(variant["extra_ns"] > 0, name, "costs", variant["extra_ns"])
        listed = [k["index"] for k in found[0]["iterations"]
                  if k["variant"] == variant["variant"]]
        check(listed[0] == variant["first"], name, "begins at", variant["first"])
        check({b - a for a, b in zip(listed, listed[1:])} == {every}, name, "comes at", listed)


def main():
    sim, program, folder, count = sys.argv[1:]
    seeds = range(1, 1 + int(count))
    os.makedirs(folder, exist_ok=True)
    for seed in seeds:
        for every in EVERY:
            judge_superstep(sim, program, folder, every, seed)
        for preset in IRREGULAR:
            for loop in loops(sim, program, folder, preset, seed):
                periods = [v["period"] for v in loop["variants"] if v["period"]]
                check(not periods, preset, "of seed", seed, "has periods", periods)
    print(f"{len(seeds) * (len(EVERY) + len(IRREGULAR))} programs, {failures} failures")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
"""Where nothing repeats no loop is reported: single passes through networks, random kernels.

phantoms.py SIM PROGRAM FOLDER SEEDS
"""
import json
import os
import subprocess
import sys

# Two layers of a kind in two variants: these were taken for loops inside of loops.
ALTERNATING = (8606, 8744)
# Halves of a network that are alike: these were taken for two iterations.
HALVES = (48, 97, 127, 134)


def loops(sim, program, path, preset, seed):
    subprocess.run([sim, "--preset", preset, "--seed", str(seed), "--no-truth", "-o", path],
                   check=True)
    report = json.loads(subprocess.run([program, "analyze", "--format=json", path],
                                       stdout=subprocess.PIPE, check=True).stdout)
    os.unlink(path)
    return report["loops"]


def main():
    sim, program, folder, seeds = sys.argv[1:]
    failures = 0
    os.makedirs(folder, exist_ok=True)
    path = os.path.join(folder, "trace.json")
    for preset, tried in (("single-pass", ALTERNATING + HALVES), ("random", ())):
        for seed in [*tried, *range(1, int(seeds) + 1)]:
            found = loops(sim, program, path, preset, seed)
            if found:
                failures += 1
                print(f"FAILED: {preset} {seed}: {found[0]['pattern']['length']} kernels")
    sys.exit(failures > 0)


main()

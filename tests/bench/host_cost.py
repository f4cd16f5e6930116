#!/usr/bin/env python3
"""What sampling the host costs: host_cost.py DEEPPROF FAKE_CUPTI FAKE_APP [SECONDS]

The processor time of the recorder itself, next to a program of 64 threads that sleep, of these and 4
that run all the time, and of 64 that wake up a thousand times a second; with --sample-host=off subtracted.
"""
import os
import pathlib
import subprocess
import sys
import tempfile
import time


def ran_ns(pid):
    return sum(
        int(path.read_text().split()[0])
        for path in pathlib.Path(f"/proc/{pid}/task").glob("*/schedstat")
    )


def cost(deepprof, cupti, app, words, options, seconds):
    """Processor time per second, after the first."""
    with tempfile.TemporaryDirectory() as folder:
        record = subprocess.Popen(
            [deepprof, "record", "-q", f"--cupti={cupti}", "--sample-gpu=off", "--exit-guard=off",
             *options, "--", app, "init", "launch=1", *words, f"sleep={1000 * (seconds + 3)}"],
            cwd=folder, stderr=subprocess.DEVNULL,
        )  # fmt: skip
        time.sleep(2)
        before, start = ran_ns(record.pid), time.monotonic()
        time.sleep(seconds)
        used = (ran_ns(record.pid) - before) / 1e9 / (time.monotonic() - start)
        record.wait()
    return used


def main():
    deepprof, cupti, app = map(os.path.abspath, sys.argv[1:4])
    seconds = int(sys.argv[4]) if len(sys.argv) > 4 else 10
    for words in ["idle=64"], ["idle=64", "turning=4"], ["wake=64"]:
        base = cost(deepprof, cupti, app, words, ["--sample-host=off"], seconds)
        for options in ["--context-switches=off"], []:
            used = cost(deepprof, cupti, app, words, options, seconds)
            print(f"{' '.join(words)} {' '.join(options) or '(defaults)'}: "
                  f"{100 * (used - base):.2f}% of a processor")


if __name__ == "__main__":
    main()

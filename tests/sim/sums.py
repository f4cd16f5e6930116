#!/usr/bin/env python3
"""What has to sum to what, on every preset, in formats that take turns; and on files given.

sums.py SIM SUMS EVERY FOLDER FILE...

If EVERY is more than 12, only every third preset is read.
"""
import os
import subprocess
import sys

FORMATS = ["kineto", "deepprof", "nsys"]


def main():
    sim, sums, every, folder, *files = sys.argv[1:]
    os.makedirs(folder, exist_ok=True)
    presets = subprocess.run([sim, "--list-presets"], stdout=subprocess.PIPE, check=True,
                             encoding="utf-8").stdout.split("\n")
    failed = 0
    names = [line.split()[0] for line in presets if line]
    # Each takes the next turn, so that all metrics have one.
    for turn, preset in enumerate(names[::3 if int(every) > 12 else 1]):
        path = os.path.join(folder, preset)
        # a Kineto trace holds one process only
        formats = FORMATS[1:] if preset == "two-processes" else FORMATS
        subprocess.run([sim, "--preset", preset, "-F", formats[turn % len(formats)], "--no-truth",
                        "-s", "sample=3ms", "-o", path], check=True)
        failed |= subprocess.run([sums, every, str(turn), path], check=False).returncode
        os.unlink(path)
    failed |= subprocess.run([sums, every, "0", *files], check=False).returncode
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
"""Makes a sample under data/ again: what it decompresses to must be the same bytes.

usage: check_sample.py SIMULATOR SAMPLE OUTPUT OPTION...

A sample is a file, or a folder with the traces of a job. To make new samples after a change:

    deepprof-sim --no-truth --preset demo -o data/sample.json.gz
    deepprof-sim --no-truth --program tests/sim/faster.program -o data/faster.json.gz
    deepprof-sim job --preset late-host -z -o data/ranks layers=1 iterations=8
    rm data/ranks/truth.json
"""

import gzip
import os
import subprocess
import sys


def content(path):
    """What a file, or each file of a folder, holds without compression."""
    if os.path.isdir(path):
        return {name: content(os.path.join(path, name)) for name in os.listdir(path)
                if name != "truth.json"}
    with (gzip.open if path.endswith(".gz") else open)(path, "rb") as file:
        return file.read()


def main():
    simulator, sample, output, *options = sys.argv[1:]
    kind = ["job"] if os.path.isdir(sample) else ["--no-truth"]
    subprocess.run([simulator, *kind, "-o", output, *options], check=True)
    if content(sample) != content(output):
        sys.exit("%s is not what %s makes; see %s" % (sample, " ".join(options), sys.argv[0]))


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""Makes the sample under data/ anew: what it decompresses to must be the same bytes.

usage: check_sample.py SIMULATOR SAMPLE OUTPUT

To make a new sample after a change: deepprof-sim --preset demo -o data/sample.json.gz --no-truth
"""

import gzip
import subprocess
import sys


def main():
    simulator, sample, output = sys.argv[1:]
    subprocess.run([simulator, "--preset", "demo", "-o", output, "--no-truth"], check=True)
    with gzip.open(sample) as old, open(output, "rb") as new:
        if old.read() != new.read():
            sys.exit("%s is not what the preset demo makes; see %s" % (sample, sys.argv[0]))


if __name__ == "__main__":
    main()

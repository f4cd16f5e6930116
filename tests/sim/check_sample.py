#!/usr/bin/env python3
"""Makes a sample under data/ again: what it decompresses to must be the same bytes.

usage: check_sample.py SIMULATOR SAMPLE OUTPUT OPTION...

To make new samples after a change:

    deepprof-sim --no-truth --preset demo -o data/sample.json.gz
    deepprof-sim --no-truth --program tests/sim/faster.program -o data/faster.json.gz
"""

import gzip
import subprocess
import sys


def main():
    simulator, sample, output, *options = sys.argv[1:]
    subprocess.run([simulator, "--no-truth", *options, "-o", output], check=True)
    with gzip.open(sample) as old, open(output, "rb") as new:
        if old.read() != new.read():
            sys.exit("%s is not what %s makes; see %s" % (sample, " ".join(options), sys.argv[0]))


if __name__ == "__main__":
    main()

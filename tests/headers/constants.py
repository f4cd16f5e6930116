#!/usr/bin/env python3
"""The results on constants name each one of the table, and none that is gone.

    constants.py ROOT
"""
import pathlib
import re
import sys


def main():
    root = pathlib.Path(sys.argv[1])
    table = (root / "lib/base/parameters.inc.h").read_text(encoding="utf-8")
    results = (root / "tests/bench/RESULTS.md").read_text(encoding="utf-8")
    section = results.split("\n## Constants\n")[1].split("\n## ")[0]
    names = set(re.findall(r"DP_(?:REAL|WHOLE)\((\w+)", table))
    listed = set(re.findall(r"\w+", section))
    missing = sorted(names - listed)
    gone = sorted(w for w in listed - names if "_" in w and w != "eval_parameters")
    if missing:
        print("not in RESULTS.md:", ", ".join(missing))
    if gone:
        print("not in parameters.inc.h:", ", ".join(gone))
    sys.exit(bool(missing or gone))


main()

#!/usr/bin/env python3
"""What a data frame of iterations costs beyond the analysis.

table.py SIMULATOR [ITERATIONS] [REPEAT]

A trace of this many iterations (1,000,000) is simulated and analyzed once; then its table of
iterations becomes a pandas DataFrame and NumPy arrays in turn. Printed are the least and the median
processor time of each, and as a scale that of a sum over one column, which only reads memory.
"""
import pathlib
import resource
import statistics
import subprocess
import sys
import tempfile
import time

import deepprof

PROGRAM = """[program]
do = loop train; sync
launches = no
operators = no
marks = no
[net model]
kind = mlp
layers = 1
kernel = 10us
host = 1us
[loop train]
default = yes
do = forward model
"""


def main():
    count, repeat = ([int(word) for word in sys.argv[2:]] + [1000000, 15][len(sys.argv) - 2:])[:2]
    with tempfile.TemporaryDirectory() as folder:
        program, path = pathlib.Path(folder, "program"), pathlib.Path(folder, "trace.db")
        program.write_text(PROGRAM)
        words = [sys.argv[1], "-f", program, "-n", str(count), "-F", "deepprof", "-o", path]
        subprocess.run([*words, "--no-truth"], check=True)
        begin = time.perf_counter()
        analysis = deepprof.analyze(path)
        print(f"analyze {time.perf_counter() - begin:.2f} s")
    table = analysis.table("iterations")
    rows = len(table.to_pandas())
    ways = {
        "to_pandas": table.to_pandas,
        "to_numpy": table.to_numpy,
        "sum of a column": table.to_numpy()["period_ns"].sum,
    }
    seconds = {name: [] for name in ways}
    for _ in range(repeat):
        for name, way in ways.items():
            begin = time.process_time()
            way()
            seconds[name].append(time.process_time() - begin)
    print(f"{rows} iterations, {len(table.columns)} columns")
    for name, took in seconds.items():
        least, median = min(took) * 1e3, statistics.median(took) * 1e3
        print(f"{name:16} {least:8.2f} ms least {median:8.2f} ms median")
    print(f"peak memory {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:.0f} MiB")


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""Traces that cost more than their size: each is read in the time of an ordinary one, or refused.

costs.py DEEPPROF

Sizes are such that a way through them that is not linear takes minutes, or gigabytes.
"""
import argparse
import pathlib
import resource
import subprocess
import sys
import tempfile

import hostile
import summaries

MIB = 1 << 20
CPU_SECONDS = 30
MEMORY_BYTES = 1 << 30
SHARED = "rows share pages or values: reading stops at 16 times the file's size"

# the maker, its scale, the command, its exit status, what it prints, bytes of output at most
CASES = [
    ('chains', 1, ['info'], 0, SHARED, MIB),
    ('chains', 1, ['analyze'], 0, SHARED, MIB),
    ('skipped_chains', 4, ['info'], 0, SHARED, MIB),
    ('defaults', 4, ['info'], 0, SHARED, MIB),
    ('hidden_rowid', 2, ['analyze'], 0, '80,000 kernels', MIB),
    ('shadowed_rowids', 2, ['info'], 0, 'columns hide the row numbers', MIB),
    ('bogus_tables', 8, ['info'], 1, "the database's schema is too large: more than about 3,500", MIB),
    ('devices', 5, ['analyze'], 0, 'kernel', 64 * MIB),
    ('devices_and_ranges', 4, ['analyze'], 0, 'kernel', 64 * MIB),
    ('devices_and_streams', 4, ['analyze'], 0, 'kernel', 64 * MIB),
    ('long_ranges', 1, ['analyze', '--format=json'], 0, '"annotation": "step xxx', 16 * MIB),
    ('long_ranges', 1, ['analyze', '-vv'], 0, 'from annotations', MIB),
    ('long_kernels', 1, ['analyze'], 0, 'kernels', MIB),
    ('one_thread', 2, ['analyze'], 1, 'the same threads launch on more than 256 devices', MIB),
    ('nested_ranges', 80, ['analyze'], 0, 'host wait, mostly range', MIB),
    ('overlapping_waits', 4, ['analyze'], 0, '32,000 iterations', MIB),
    ('streams', 1, ['info'], 0, 'and 11,900 other streams (-v lists all)', MIB // 16),
    ('streams', 1, ['info', '-v'], 0, '11999', 2 * MIB),
    ('groups', 0.75, ['ranks'], 0, 'of 75,000 calls matched', MIB),
    ('group_streams', 1.25, ['ranks'], 0, 'of 125,000 calls matched', MIB),
    ('merged_ranks', 1, ['ranks'], 0, '1,024 ranks', MIB),
    ('long_group', 1, ['ranks'], 0, '2 ranks', MIB),
    ('many_pairs', 1, ['ranks'], 0, 'of 160,000 calls matched', MIB),
    ('other_jobs', 1, ['ranks'], 0, 'rank 3 has too many files of other jobs', MIB),
    ('uneven_ranks', 1, ['ranks'], 0, '6,001 ranks', 2 * MIB),
    ('missing_iterations', 1, ['ranks'], 1, 'the ranks have iterations of different times', MIB),
    ('straggler', 6, ['ranks'], 0, 'rank 2 holds the others up', MIB),
    ('crossing_iterations', 2, ['ranks'], 0, 'rank 2 holds the others up', MIB),
    ('long_pattern', 1, ['analyze', '-vv'], 0, 'aaa', MIB),
    ('long_pattern', 1, ['analyze', '--format=html'], 0, 'aaa', MIB),
    ('long_pattern', 1, ['analyze', '--format=json'], 0, 'aaa... [name ', 64 * MIB),
    ('open_values', 4, ['info'], 0, 'file ends inside a line', MIB),
    ('open_lists', 1, ['info'], 0, 'file ends before its JSON does', MIB),
    ('open_objects', 1, ['info'], 1, 'it has no complete record', MIB),
    ('shared_notes', 1, ['info'], 0, '20,000 kernels', MIB),
    ('shared_details', 1, ['info'], 0, '20,000 copies', MIB),
    ('shared_op', 1, ['info'], 0, '10 kernels', MIB),
    ('long_names', 1, ['export', '--format=chrome', '-o', '-'], 0, 'aaa... [name ', 32 * MIB),
]


def limits():
    resource.setrlimit(resource.RLIMIT_CPU, (CPU_SECONDS, CPU_SECONDS + 1))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY_BYTES, MEMORY_BYTES))


def fault_of(command, case, path):
    """What is wrong with how the command ended, or None."""
    _, _, words, status, text, most = case
    result = subprocess.run([command] + words + [str(path)], stdin=subprocess.DEVNULL,
                            capture_output=True, preexec_fn=limits, check=False)
    said = result.stderr.decode(errors='replace')
    if result.returncode != status:
        return f'exit status {result.returncode}: {said[:1000]}'
    if text not in said + result.stdout.decode(errors='replace'):
        return f'no "{text}" in: {said[:1000]}'
    if len(result.stdout) > most:
        return f'{len(result.stdout):,} bytes of output, at most {most:,} expected'
    return None


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('command')
    options = parser.parse_args()
    makers = hostile.MAKERS | summaries.MAKERS
    faults = 0
    with tempfile.TemporaryDirectory() as folder:
        made = None
        for case in CASES:
            path = pathlib.Path(folder) / 'trace'
            if made != case[:2]:
                makers[case[0]](path, case[1])
                made = case[:2]
            fault = fault_of(options.command, case, path)
            if fault:
                print(f'{case[0]}, {" ".join(case[2])}: {fault}')
                faults += 1
    return 1 if faults else 0


if __name__ == '__main__':
    sys.exit(main())

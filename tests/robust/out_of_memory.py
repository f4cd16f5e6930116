#!/usr/bin/env python3
"""Out of memory never changes an answer: with each allocation that fails, a command does the same or
says so.

out_of_memory.py [--share=N] [--formats=NAME,…] PRELOAD SIMULATOR DEEPPROF [FILE…]

Every command and format reads a small trace of the formats that the simulator knows, or each FILE,
once for each place (or each Nth) in the program and its libraries that allocates, where that fails; in a
place that several formats of one command share, with the first of them. It has to end with 0 and the
bytes that it has without a failure, or with 1 or 2 and a message. Exit status: 0, 1 for a fault, 77
where allocations can't be made to fail.
"""
import argparse
import collections
import concurrent.futures
import itertools
import os
import pathlib
import resource
import signal
import subprocess
import sys
import tempfile

import damage

ITERATIONS = '8'
# First the formats that show most: what they share with others fails for them alone.
COMMANDS = [['analyze', '--format=' + name, '-vv']
            for name in ('json', 'text', 'csv', 'html', 'chrome', 'perfetto', 'sqlite')]
COMMANDS += [['compare', '-v', '--format=' + name] for name in ('json', 'text', 'csv')]
COMMANDS += [['analyze', '-n', ITERATIONS], ['analyze', '--paper', '-n', ITERATIONS],
             ['analyze', '--marks', '.'], ['info', '-v'], ['info', '--format=json'],
             ['export', '--format=chrome', '--compat=kineto'], ['export', '--format=sqlite'],
             ['reduce', '-o', '-'], ['ranks', '--format=json']]


def environment(**changes):
    env = {key: value for key, value in os.environ.items() if key != 'MALLOC_PERTURB_'}
    env.update(changes)
    return env


def limits():
    resource.setrlimit(resource.RLIMIT_CPU, (30, 31))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def run(command, **env):
    return subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, check=False,
                          preexec_fn=limits, env=environment(**env))


def places(preload, command):
    """Allocations to be tried: their numbers and what tells them from others, see alloc_fails.c."""
    there, here = os.pipe()
    os.set_inheritable(here, True)
    with subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                          stderr=subprocess.DEVNULL, pass_fds=[here],
                          env=environment(LD_PRELOAD=preload, DEEPPROF_ALLOC_PLACES=str(here))):
        os.close(here)
        with open(there, encoding='ascii') as file:
            return [(int(number), place) for number, place in
                    (line.rstrip().split(' ', 1) for line in file)]


def fault_of(preload, command, number, expected):
    result = run(command, LD_PRELOAD=preload, DEEPPROF_ALLOC_FAILS=str(number))
    if result.returncode == 0 and result.stdout == expected:
        return None
    if result.returncode in (1, 2) and result.stderr:
        return None
    what = 'another output' if result.returncode == 0 else f'exit status {result.returncode}'
    if result.returncode < 0:
        what = signal.Signals(-result.returncode).name
    said = result.stderr.decode(errors='replace')[:500]
    return f'{" ".join(command[1:])}: allocation {number}: {what}\n{said}'


def sweep(preload, command, pool, tried, share=1):
    """How many places there were that have not been tried, and the faults; adds them to tried."""
    expected = run(command)
    if expected.returncode:
        return 0, [f'{" ".join(command[1:])}: {expected.stderr.decode(errors="replace")}']
    new = {place: number for number, place in places(preload, command) if place not in tried}
    tried.update(new)
    numbers = list(new.values())[::share]
    found = pool.map(lambda n: fault_of(preload, command, n, expected.stdout), numbers)
    return len(numbers), [fault for fault in found if fault]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('--share', type=int, default=1)
    parser.add_argument('--formats', type=lambda text: text.split(','), default=[])
    parser.add_argument('preload')
    parser.add_argument('simulator')
    parser.add_argument('deepprof')
    parser.add_argument('files', nargs='*', type=pathlib.Path)
    options = parser.parse_args()
    count, faults = 0, []
    if not places(options.preload, [options.deepprof, '--version']):
        print('allocations are not seen')
        return 77
    with tempfile.TemporaryDirectory() as folder, \
            concurrent.futures.ThreadPoolExecutor(os.cpu_count() or 1) as pool:
        files = options.files or damage.simulated(options.simulator, folder, ITERATIONS,
                                                  options.formats)
        tried = collections.defaultdict(set)
        for file, command in itertools.product(files, COMMANDS):
            twice = [str(file)] * (2 if command[0] == 'compare' else 1)
            new, found = sweep(options.preload, [options.deepprof, *command, *twice], pool,
                               tried[file, command[0]], options.share)
            count += new
            faults += found
    damage.tell(faults)
    print(f'{count} allocations, {len(faults)} faults')
    return 1 if faults or not count else 0


if __name__ == '__main__':
    sys.exit(main())

#!/usr/bin/env python3
"""Damages traces and requires that a command survives every one of them.

damage.py [--count=N] [--seconds=S] [--seed=N] [--sanitized] [--simulator=PROGRAM]
          FILE|DIR… -- COMMAND…

Each file is cut at N random places and has random bytes flipped N times; of a compressed one
that is done to the content as well. The command gets the damaged file's path as its last argument.
It has to end by itself within ten seconds (of processor time, so that a busy machine is no fault),
with 0, or with 1, nothing on stdout and one to three lines on stderr, and no sanitizer may have
said anything. With --simulator a small trace of every format that it knows is made and damaged
too. --seconds ends early; files take turns, so all get the same share. Exit status: 0,
1 for a fault, 77 where there is no file. The same seed gives the same damage.
"""
import argparse
import concurrent.futures
import gzip
import json
import os
import pathlib
import random
import re
import resource
import subprocess
import sys
import tempfile
import time
import zlib

CPU_SECONDS = 10
MEMORY_BYTES = 4 << 30
SAID_BY_SANITIZERS = (b'Sanitizer', b'runtime error:', b'DEADLYSIGNAL')


def inflate(data):
    """The content of a gzip file, or None."""
    if data[:2] != b'\x1f\x8b':
        return None
    try:
        return gzip.decompress(data)
    except (OSError, EOFError, zlib.error):
        return None


def cases(path):
    """Kinds of damage: a name, and the bytes it starts from."""
    data = path.read_bytes()
    content = inflate(data)
    made = [('cut', data), ('flip', data)]
    if content is not None:
        made += [('content cut', content), ('content flip', content)]
    return made


def damage(kind, data, chance):
    if not data:
        return data
    if kind.endswith('cut'):
        return data[:chance.randrange(len(data))]
    bad = bytearray(data)
    for _ in range(chance.choice((1, 1, 2, 4, 16, 64))):
        # Half of them near the beginning: headers and schemas are there.
        limit = len(bad) if chance.random() < 0.5 else min(len(bad), 4096)
        bad[chance.randrange(limit)] = chance.randrange(256)
    return bytes(bad)


def limits(sanitized):
    seconds = CPU_SECONDS * (4 if sanitized else 1)
    resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds + 1))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    if not sanitized:
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY_BYTES, MEMORY_BYTES))


def fault_of(result):
    """What is wrong with how a run ended, or None."""
    if any(word in result.stderr for word in SAID_BY_SANITIZERS):
        return 'a sanitizer found something'
    if result.returncode not in (0, 1):
        return f'exit status {result.returncode}'
    if result.returncode == 1:
        lines = len(result.stderr.splitlines())
        if not 1 <= lines <= 3:
            return f'{lines} lines on stderr'
        if result.stdout:
            return 'failed after output'
    return None


def run(command, data, suffix, sanitized):
    """The fault and the end of stderr; (None, …) where all is well."""
    with tempfile.NamedTemporaryFile(prefix='damaged-', suffix=suffix) as file:
        file.write(data)
        file.flush()
        try:
            result = subprocess.run(command + [file.name], stdin=subprocess.DEVNULL,
                                    capture_output=True, timeout=120,
                                    preexec_fn=lambda: limits(sanitized), check=False)
        except subprocess.TimeoutExpired:
            return 'runs for 120 s', b''
    return fault_of(result), result.stderr[:3000] + result.stderr[3000:][-500:]


def files_of(places):
    found = []
    for place in map(pathlib.Path, places):
        if place.is_dir():
            found += sorted(p for p in place.iterdir() if p.is_file() and p.suffix != '.md')
        elif place.exists():
            found.append(place)
    return found


def simulated(simulator, folder, iterations='2', wanted=()):
    """A short trace of a small model in each of the simulator's formats, or the wanted ones, and of a
    job's."""
    made = []
    for job in ([], ['job']):
        listed = subprocess.run([simulator, *(job or ['--list-formats']), *(job and ['--help'])],
                                check=True, capture_output=True, text=True).stdout
        names = re.findall(r'(?m)^ +(\S+) +jobs: ' if job else r'(?m)^ +(\S+)', listed)
        for name in names:
            if wanted and name not in wanted:
                continue
            path = pathlib.Path(folder) / ('simulated.' + name)
            if job:
                subprocess.run([simulator, 'job', '-F', name, '-o', str(path), 'ranks=2',
                                'iterations=' + iterations], check=True)
                path = sorted(path.glob('*.log'))[0]
            else:
                subprocess.run([simulator, '-F', name, '-n', iterations, '-s', 'model.layers=2',
                                '--no-truth', '-o', str(path)], check=True)
            made.append(path)
    return made


def check_importers(deepprof, files):
    """Every importer has a trace among the simulated ones: a new format can't be forgotten."""
    def reported(*words):
        return json.loads(subprocess.run([deepprof, 'info', '--format=json', *map(str, words)],
                                         check=True, capture_output=True).stdout)
    importers = {row['name'] for row in reported('--build')['importers']}
    read = {reported(path)['trace']['format'] for path in files}
    assert read == importers, f'not damaged: {importers - read}'


def sweep(options, command, files):
    """Runs all; returns how many there were and a list of faults."""
    work = []
    for path in files:
        for kind, data in cases(path):
            work.append((path, kind, data))
    runs, faults = 0, []
    until = time.monotonic() + options.seconds if options.seconds else None

    def one(item, turn):
        path, kind, data = item
        chance = random.Random(f'{options.seed} {path.name} {kind} {turn}')
        fault, said = run(command, damage(kind, data, chance), '.' + path.name.split('.', 1)[-1],
                          options.sanitized)
        return fault and f'{path.name}: {kind} {turn}: {fault}\n{said.decode(errors="replace")}'

    with concurrent.futures.ThreadPoolExecutor(os.cpu_count() or 1) as pool:
        for turn in range(options.count):
            if until and time.monotonic() > until:
                break
            for fault in pool.map(lambda item, turn=turn: one(item, turn), work):
                runs += 1
                if fault:
                    faults.append(fault)
    return runs, faults


def tell(faults):
    """One of each kind in full, by what was printed last; how many are alike."""
    kinds = {}
    for fault in faults:
        last = fault.rstrip().splitlines()[-1]
        kinds.setdefault(last if last.startswith('SUMMARY') else fault, []).append(fault)
    for alike in list(kinds.values())[:20]:
        print(alike[0])
        print(f'({len(alike)} times)')


def self_test():
    """What must be found is found."""
    bad = ['import os; os.abort()', 'import sys; sys.exit(2)', 'import sys; sys.exit(1)',
           'print(1); import sys; sys.exit("no")', 'import sys; sys.exit("1\\n2\\n3\\n4")',
           'import sys; print("x.c:1: runtime error: y", file=sys.stderr)']
    for program in bad:
        assert run([sys.executable, '-c', program], b'x', '.x', True)[0], program
    for program in ['', 'import sys; sys.exit("one line")']:
        assert not run([sys.executable, '-c', program], b'x', '.x', True)[0], program


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('--count', type=int, default=200)
    parser.add_argument('--seconds', type=float, default=0)
    parser.add_argument('--seed', type=int, default=1)
    parser.add_argument('--sanitized', action='store_true')
    parser.add_argument('--simulator')
    parser.add_argument('places', nargs='*')
    split = sys.argv.index('--')
    options = parser.parse_args(sys.argv[1:split])
    command = sys.argv[split + 1:]
    self_test()
    files = files_of(options.places)
    with tempfile.TemporaryDirectory() as folder:
        if options.simulator:
            made = simulated(options.simulator, folder)
            check_importers(command[0], made)
            files += made
        if not files:
            print('no traces here')
            return 77
        runs, faults = sweep(options, command, files)
    tell(faults)
    print(f'{len(files)} files, {runs} runs, {len(faults)} faults')
    return 1 if faults else 0


if __name__ == '__main__':
    sys.exit(main())

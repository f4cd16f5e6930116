#!/usr/bin/env python3
"""Traces with the largest times, durations and sizes that a file can have: every command survives.

extremes.py [--seed=N] [--rounds=N] [--share=N] [--sanitized] SIMULATOR DEEPPROF [FILE…]

A trace of each format that the simulator knows, and each FILE, is changed in four ways: all times
scaled until they are near the limit, so that what is found in it is computed from such values; all
durations and sizes so large that sums of them overflow; half of all numbers replaced by extreme
ones; or a few. Every command and format (of --share each Nth, in turns) has to
end with 0, or with 1 and a line that says why, and no sanitizer may say anything. What a report has
of times must lie within the limit. Exit status: 0, or 1 for a fault. The same seed gives the same
traces.
"""
import argparse
import concurrent.futures
import csv
import itertools
import json
import os
import pathlib
import random
import re
import shutil
import sqlite3
import subprocess
import sys
import tempfile

import damage

LIMIT = 1 << 61
EXTREMES = [0, -1, LIMIT, LIMIT - 1, LIMIT + 1, -LIMIT, -LIMIT - 1, LIMIT // 2, 1 << 62, -(1 << 62),
            (1 << 63) - 1, -(1 << 63), 1 << 64, 10**18, 10**30]
WAYS = ['scaled', 'long', 'half', 'few']
TIME = re.compile(r'start|end$|^ts$|timestamp|queued|submitted|time', re.I)
LENGTH = re.compile(r'^dur|duration|bytes|size|energy', re.I)
COMMANDS = [['analyze', '--format=' + name, '-vv']
            for name in ('text', 'json', 'csv', 'html', 'chrome', 'perfetto', 'sqlite')]
COMMANDS += [['compare', '--format=text'], ['compare', '--format=json'], ['info', '-v'],
             ['info', '--format=json'], ['export', '--format=chrome', '--compat=kineto'],
             ['analyze', '-n', '10', '--device=0'], ['analyze', '--paper', '-n', '10']]


class Change:
    """What becomes of a number, in units of its file: unit_ns is how many ns one is."""

    def __init__(self, way, seed, unit_ns=1):
        self.way = way
        self.chance = random.Random(seed)
        self.unit_ns = unit_ns
        self.first = None
        self.factor = 1

    def begin(self, times):
        """Looks at all times first."""
        times = [t for t in times if t]
        self.first = min(times, default=0)
        span = max(times, default=0) - self.first
        self.factor = max(1, int(LIMIT / self.unit_ns / 1.1 / max(span, 1)))

    def extreme(self):
        return self.chance.choice(EXTREMES) // self.unit_ns

    def of_time(self, value):
        if self.way == 'scaled':
            return int((value - self.first) * self.factor) - LIMIT // 3 // self.unit_ns
        return self.of_any(value)

    def of_length(self, value):
        if self.way == 'scaled':
            return int(value * self.factor)
        if self.way == 'long':
            # Longer, and what began in this century would end beyond the limit.
            return LIMIT // 4 // self.unit_ns
        return self.of_any(value)

    def of_any(self, value):
        share = {'half': 0.5, 'few': 0.01}.get(self.way, 0)
        return self.extreme() if self.chance.random() < share else value


def change_json(path, make):
    change = make(1000)
    text = path.read_text(encoding='utf-8')
    number = r'("%s"\s*:\s*)(-?[0-9.]+)'
    change.begin(float(match[2]) for match in re.finditer(number % 'ts', text))

    def replace(of):
        return lambda match: match[1] + str(of(float(match[2])))

    text = re.sub(number % 'ts', replace(change.of_time), text)
    text = re.sub(number % 'dur', replace(change.of_length), text)
    for key in 'bytes', 'Bytes', 'Total Allocated', 'Total Reserved', 'size':
        text = re.sub(number % key, replace(change.of_length), text)
    path.write_text(text, encoding='utf-8')


def change_csv(path, make):
    lines = path.read_text(encoding='utf-8').split('\n')
    head = next(i for i, line in enumerate(lines) if line.startswith('"Start"'))
    units = {'s': 10**9, 'ms': 10**6, 'us': 1000, 'ns': 1}
    change = make(units.get(lines[head + 1].split(',')[0], 1000))
    rows = [line.split(',') for line in lines[head + 2 :]]
    change.begin(float(row[0]) for row in rows if re.fullmatch(r'[0-9.]+', row[0]))
    for row in rows:
        for i, of in (0, change.of_time), (1, change.of_length), (11, change.of_length):
            if len(row) > i and re.fullmatch(r'[0-9.]+', row[i]):
                row[i] = str(of(float(row[i])))
    path.write_text('\n'.join(lines[: head + 2] + [','.join(row) for row in rows]), encoding='utf-8')


def change_tables(path, make):
    """rocprofv3's tables, with a header each: its names show where the times are."""
    with open(path, encoding='utf-8', newline='') as file:
        rows = list(csv.reader(file))
    change, head, cells = make(1), [], []
    for row in rows:
        if row and row[0] in ('Kind', 'Domain'):
            head = [i for i, name in enumerate(row) if TIME.search(name)]
        else:
            cells += [(row, i) for i in head if i < len(row)]
    change.begin(int(row[i]) for row, i in cells)
    for row, i in cells:
        row[i] = str(change.of_time(int(row[i])))
    with open(path, 'w', encoding='utf-8', newline='') as file:
        csv.writer(file).writerows(rows)


def columns_of(db):
    """(table, column, is a time) of what is a time or a length."""
    for (table,) in db.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall():
        for row in db.execute(f'PRAGMA table_info("{table}")').fetchall():
            if TIME.search(row[1]) or LENGTH.search(row[1]):
                yield table, row[1], not LENGTH.search(row[1])


def clamp(value):
    """As SQLite has it: what is larger is no integer."""
    return value if -(1 << 63) <= value < 1 << 63 else float(value)


def change_database(path, make):
    change = make(1)
    with sqlite3.connect(path) as db:
        columns = list(columns_of(db))
        change.begin(
            value
            for table, column, is_time in columns if is_time
            for (value,) in db.execute(
                f'SELECT "{column}" FROM "{table}" WHERE typeof("{column}") = \'integer\'')
        )
        db.create_function('of_time', 1, lambda v: clamp(change.of_time(v)))
        db.create_function('of_length', 1, lambda v: clamp(change.of_length(v)))
        for table, column, is_time in columns:
            of = 'of_time' if is_time else 'of_length'
            db.execute(f'UPDATE "{table}" SET "{column}" = {of}("{column}") '
                       f'WHERE typeof("{column}") = \'integer\'')
    db.close()


def change_file(path, make):
    head = path.read_bytes()[:16]
    if head.startswith(b'SQLite format 3'):
        change_database(path, make)
    elif head.startswith(b'"Kind"'):
        change_tables(path, make)
    elif path.name.endswith('csv') or head.startswith(b'=='):
        change_csv(path, make)
    else:
        change_json(path, make)


def numbers_of(value, key=''):
    """(key, number) of all in a JSON document."""
    for each in value.items() if isinstance(value, dict) else ((key, v) for v in value):
        if isinstance(each[1], (dict, list)):
            yield from numbers_of(each[1], each[0])
        elif isinstance(each[1], int):
            yield each


def fault_of(command, path, sanitized):
    """What is wrong with how it ended; None; and whether it had something to report."""
    files = [path, path] if command[1] == 'compare' else [path]
    result = subprocess.run(command + ['--'] + [str(f) for f in files], stdin=subprocess.DEVNULL,
                            capture_output=True, check=False,
                            preexec_fn=lambda: damage.limits(sanitized))
    said = result.stderr.decode(errors='replace')
    if any(word in result.stderr for word in damage.SAID_BY_SANITIZERS):
        return 'a sanitizer found something\n' + said[:2000], False
    if result.returncode not in (0, 1) or (result.returncode == 1 and not said):
        return f'exit status {result.returncode}\n{said[:2000]}', False
    if command[1:3] == ['analyze', '--format=json'] and not result.returncode:
        for key, value in numbers_of(json.loads(result.stdout)):
            if key in ('start_ns', 'end_ns', 'duration_ns') and not -LIMIT <= value <= LIMIT:
                return f'{key} is {value}', True
    return None, not result.returncode


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('--seed', type=int, default=1)
    parser.add_argument('--rounds', type=int, default=1)
    parser.add_argument('--share', type=int, default=1)
    parser.add_argument('--sanitized', action='store_true')
    parser.add_argument('simulator')
    parser.add_argument('deepprof')
    parser.add_argument('files', nargs='*')
    options = parser.parse_args()
    faults, reported = [], set()
    with tempfile.TemporaryDirectory() as folder:
        files = damage.simulated(options.simulator, folder) + [pathlib.Path(f) for f in options.files]
        # Numbers of protocol buffers are changed by their fuzzers' grammar.
        files = [file for file in files if not file.name.endswith(('.xplane', '.perfetto'))]
        work = []
        for number, (turn, file, way) in enumerate(
            itertools.product(range(options.rounds), files, WAYS)):
            path = pathlib.Path(folder) / f'{number}.{way}.{file.name}'
            shutil.copy(file, path)
            seed = f'{options.seed} {turn} {file.name} {way}'
            change_file(path, lambda unit, way=way, seed=seed: Change(way, seed, unit))
            # Each way meets each command, in some format.
            first = (number + number // len(WAYS)) % options.share
            turns = COMMANDS[first :: options.share]
            work += [([options.deepprof] + command, path) for command in turns]

        def one(item):
            fault, done = fault_of(*item, options.sanitized)
            if done and '.few.' not in item[1].name:
                reported.add(item[1].suffix)
            return fault and f'{item[1].name}: {" ".join(item[0][1:])}: {fault}'

        with concurrent.futures.ThreadPoolExecutor(os.cpu_count() or 1) as pool:
            faults = [fault for fault in pool.map(one, work) if fault]
    damage.tell(faults)
    print(f'{len(work)} runs, {len(faults)} faults; reports of {", ".join(sorted(reported))}')
    # Where nothing is left of a trace, nothing is computed.
    missing = {file.suffix for file in files} - reported
    if missing:
        print('nothing was reported of', *missing)
    return 1 if faults or missing else 0


if __name__ == '__main__':
    sys.exit(main())

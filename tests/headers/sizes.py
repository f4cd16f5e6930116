#!/usr/bin/env python3
"""Holds that a short .c file is a row of a table, or has a reason to be a file. sizes.py ROOT

A helper of a few lines belongs in the file whose idea it shares. Rows are the files of a rule, a family
of metrics, a format that is read or written: the words of a list in their folder's meson.build.
"""
import pathlib
import re
import sys

SHORT = 60  # lines; a file with fewer is short

# Where rows are: folder, and the lists of its meson.build.
ROWS = {
    'lib/diagnose': ['rules'],
    'lib/import': ['importers'],
    'lib/metric': ['families'],
    'lib/report': ['renderers', 'comparison_renderers', 'ranks_renderers'],
}
# Short files that are no rows, and why. One that is gone or has grown must be taken off.
KEPT = {
    'collectors/cupti/exit_guard.c': 'a library of its own, preloaded into every program',
    'collectors/spool/descriptor.c': 'how all of the collector holds its descriptors',
    'lib/base/hash.c': 'the hash that all tables of lib share',
    'lib/base/parameters.c': 'a definition that tests/bench/eval_parameters.c replaces by its own',
    'lib/diagnose/evidence.c': 'how all rules give numbers',
    'lib/import/kineto_mtia.c': 'one dialect of Kineto, as kineto_npu.c and kineto_rocprof.c are',
    'lib/import/nccl_call.c': 'shared by two formats, which do not include each other',
    'lib/ranks/recurrence.c': 'since when, and how often: of slow ranks, slow groups and pauses',
}


def rows(folder, build):
    """The files, relative to the root, of the rows that a folder's meson.build lists."""
    found = set()
    for name in ROWS.get(folder, []):
        words = re.search(rf'^{name} = \[(.*?)\]', build, re.M | re.S)
        assert words, f'{folder}/meson.build has no list {name}'
        found.update(f'{folder}/{word}.c' for word in re.findall(r"'(\w+)'", words.group(1)))
    return found


def faults(lines, row_files, kept):
    """What is wrong, for {path: number of lines}."""
    for path, count in sorted(lines.items()):
        if count < SHORT and path not in row_files and path not in kept:
            yield (f'{path}: {count} lines: move them into the file whose idea they share, or say in '
                   'KEPT of sizes.py why not')
    for path in sorted(kept):
        if path in row_files or lines.get(path, SHORT) >= SHORT:
            yield f'{path} is gone, a row or no longer short: take it off KEPT'


def self_test():
    """Short files are found, and only those without a reason."""
    build = "x = ['no']\nrules = [\n    'one',\n    'two_three',\n]\n"
    assert rows('lib/diagnose', build) == {'lib/diagnose/one.c', 'lib/diagnose/two_three.c'}
    assert not rows('lib/base', build)
    assert not list(faults({'a.c': SHORT, 'b.c': SHORT - 1, 'c.c': 1}, {'b.c'}, {'c.c'}))
    assert list(faults({'a.c': SHORT - 1}, set(), {}))
    assert list(faults({'a.c': SHORT}, set(), {'a.c'}))
    assert list(faults({}, set(), {'a.c'}))
    assert list(faults({'a.c': 1}, {'a.c'}, {'a.c'}))


def main():
    root = pathlib.Path(sys.argv[1])
    self_test()
    lines = {str(path.relative_to(root)): len(path.read_text(encoding='utf-8').splitlines())
             for top in ('lib', 'cli', 'collectors') for path in (root / top).rglob('*.c')}
    row_files = set()
    for folder in ROWS:
        row_files |= rows(folder, (root / folder / 'meson.build').read_text(encoding='utf-8'))
    found = list(faults(lines, row_files, KEPT))
    for fault in found:
        print(fault)
    print(f'{len(lines)} files, {len(found)} faults')
    return 1 if found or not lines else 0


if __name__ == '__main__':
    sys.exit(main())

#!/usr/bin/env python3
"""How work grows with the file: an exponent for each format and command.

growth.py [--only=WORD] [--repeat=N] DEEPPROF SIMULATOR

Traces of each format are simulated, and made by tests/robust/hostile.py, at 1, 4 and 16 times a
size; each command runs on them. Work is counted as instructions in user space where perf can
count them: neither a busy machine nor its caches change these. Elsewhere it is processor time, the
least of --repeat runs, user and system time together, as the kernel only samples how they divide;
where the exponent is too high then, instructions decide, as valgrind counts them. The exponent is that
of the file's bytes, from 4 to 16 times: 1 is linear, 2 quadratic. Exit status 1 where one is above
1.1.
"""
import argparse
import math
import pathlib
import resource
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / 'robust'))
import hostile
import summaries

MOST = 1.1
SCALES = (1, 4, 16)
OUT = ['-f', '-o']
COMMANDS = {
    'info': ['info'],
    'analyze': ['analyze'],
    'json': ['analyze', '--format=json'],
    'csv': ['analyze', '--format=csv'],
    'html': ['analyze', '--format=html'],
    'chrome': ['export', '--format=chrome'],
    'perfetto': ['export', '--format=perfetto'],
    'sqlite': ['export', '--format=sqlite'],
    'compare': ['compare'],
    'ranks': ['ranks'],
}
# Iterations at 1: 300 MB of JSON at 16.
ITERATIONS = 20
# Makers and their scale at 1, which must not be refused at 16.
HOSTILE = {
    'chains': 0.125, 'skipped_chains': 0.5, 'defaults': 0.5, 'hidden_rowid': 0.25,
    'shadowed_rowids': 0.25, 'bogus_tables': 1, 'devices': 0.5, 'streams': 0.5,
    'long_names': 0.25, 'shared_thread': 0.1, 'devices_and_ranges': 0.25,
    'devices_and_streams': 0.25,
    'nested_ranges': 4, 'merged_ranks': 0.25,
}
# Summaries, which ranks alone reads.
SUMMARIES = {
    'long_group': 0.5, 'many_pairs': 0.25, 'other_jobs': 0.5, 'uneven_ranks': 0.25,
    'straggler': 1, 'crossing_iterations': 0.5,
}


def can_count():
    if not shutil.which('perf'):
        return False
    result = subprocess.run(['perf', 'stat', '-x,', '-e', 'instructions:u', 'true'],
                            capture_output=True, text=True, check=False)
    return result.returncode == 0 and result.stderr[:1].isdigit()


def work_of(command, counts):
    """Instructions, or seconds."""
    if counts:
        result = subprocess.run(['perf', 'stat', '-x,', '-e', 'instructions:u', '--'] + command,
                                stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, check=False,
                                stdin=subprocess.DEVNULL)
        lines = [x for x in result.stderr.decode(errors='replace').splitlines()
                 if 'instructions' in x]
        return float(lines[-1].split(',')[0])
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False,
                   stdin=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime


def exact_work_of(command):
    """Instructions, some 20 times slower."""
    result = subprocess.run(['valgrind', '--tool=cachegrind', '--cache-sim=no',
                             '--cachegrind-out-file=/dev/null', '--'] + command,
                            stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, check=False,
                            stdin=subprocess.DEVNULL)
    lines = [x for x in result.stderr.decode(errors='replace').splitlines() if 'I ' in x]
    return float(lines[-1].split()[-1].replace(',', ''))


def simulated(simulator, form):
    def make(path, scale):
        subprocess.run([simulator, '-F', form, '-n', str(ITERATIONS * scale), '--no-truth', '-o',
                        path], check=True, stdout=subprocess.DEVNULL)
    return make


def traces(simulator):
    """Name: what makes it at a scale, and the commands to run."""
    listed = subprocess.run([simulator, '--list-formats'], capture_output=True, text=True,
                            check=True).stdout
    forms = [line.split()[0] for line in listed.splitlines() if line.strip()]
    for form in forms:
        every = form == forms[0]
        yield form, simulated(simulator, form), COMMANDS if every else ('info', 'analyze')
    for name, base in HOSTILE.items():
        maker = hostile.MAKERS[name]
        yield (name, lambda path, scale, maker=maker, base=base: maker(path, base * scale),
               ('info', 'analyze', 'json', 'chrome', 'ranks'))
    for name, base in SUMMARIES.items():
        maker = summaries.MAKERS[name]
        yield (name, lambda path, scale, maker=maker, base=base: maker(path, base * scale),
               ('ranks',))


def exponent_of(points):
    (s4, w4), (s16, w16) = points[1:]
    return math.log(w16 / w4) / math.log(s16 / s4)


def measure(command, paths, counts, repeat):
    """(bytes, work) for each scale, and what work is counted in."""
    sizes = [path.stat().st_size for path in paths]
    work = [min(work_of(command(path), counts) for _ in range(1 if counts else repeat))
            for path in paths]
    if not counts and shutil.which('valgrind') and exponent_of(list(zip(sizes, work))) > MOST:
        work = [exact_work_of(command(path)) for path in paths]
        counts = True
    return list(zip(sizes, work)), 'M instr.' if counts else 's'


def measure_all(deepprof, make, words, folder, counts, repeat):
    """Yields a command's word, its points and their unit."""
    paths = [folder / f'trace{scale}' for scale in SCALES]
    for path, scale in zip(paths, SCALES):
        make(path, scale)
    for word in words:
        def command(path, word=word):
            both = [str(path)] * (2 if word == 'compare' else 1)
            return [deepprof] + COMMANDS[word] + OUT + [str(folder / 'out')] + both
        yield word, *measure(command, paths, counts, repeat)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('--only', default='')
    parser.add_argument('--repeat', type=int, default=3)
    parser.add_argument('deepprof')
    parser.add_argument('simulator')
    options = parser.parse_args()
    counts = can_count()
    above = 0
    print(f'{"trace":16} {"command":9} {"MB at 16":>9} {"work":>26} {"unit":8} exponent')
    for name, make, words in traces(options.simulator):
        if options.only not in name:
            continue
        with tempfile.TemporaryDirectory() as folder:
            for word, points, unit in measure_all(options.deepprof, make, words,
                                                  pathlib.Path(folder), counts, options.repeat):
                exponent = exponent_of(points)
                numbers = ' '.join(f'{work / (1 if unit == "s" else 1e6):8.3g}'
                                   for _, work in points)
                print(f'{name:16} {word:9} {points[-1][0] / 1e6:9.1f} {numbers:>26} {unit:8} '
                      f'{exponent:8.2f}{"  above" if exponent > MOST else ""}', flush=True)
                above += exponent > MOST
    return 1 if above else 0


if __name__ == '__main__':
    sys.exit(main())

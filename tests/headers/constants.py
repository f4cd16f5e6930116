#!/usr/bin/env python3
"""What the detection decides by stands in the table of constants, and the results on constants name
each one of it, and none that is gone.

    constants.py ROOT

Numbers in the sources of the detection other than 0, 1, halves and doubles are constants, unless they
are an array's bound, count bits, or are in KEPT. What is fitted is generated: loops/confidence.c.
"""
import pathlib
import re
import sys

SOURCES = [f'lib/{name}/*.[ch]' for name in
           ('sequence', 'pattern', 'align', 'iterate', 'loops', 'online')]
SOURCES += [f'lib/analysis_{name}.c' for name in
            ('loops', 'number', 'operations', 'search', 'startup', 'streams')]
FITTED = 'lib/loops/confidence.c'
# Numbers that are no constants, or have to be known when an array is declared, and why. One that is
# gone must be taken off.
KEPT = {
    'lib/align/align.c': {'8': 'symbols that are compared at once', '64': 'room to begin with'},
    'lib/align/alignment.h': {'3': 'a value of an enum'},
    'lib/align/wave.c': {'64': 'a part of the reach'},
    'lib/align/wave.h': {'32': 'rows', '16': 'a part of the reach', '1280': 'the reach, an array',
                         '4': 'out of reach', '5': 'cells next to a row'},
    'lib/analysis_number.c': {'3': 'ranks of loops'},
    'lib/iterate/offsets.c': {'3': 'the parts of an array', '4': 'a quartile, and these'},
    'lib/iterate/phase.c': {'1e-9': 'rounding'},
    'lib/iterate/seams.c': {'64': 'an array', '8': 'an array', '3': 'of a match, which follows'},
    'lib/iterate/uploads.c': {'33': 'an array'},
    'lib/iterate/votes.c': {'1e-6': 'stands for zero'},
    'lib/online/detector.c': {'3': 'room for windows', '4': 'room for a part of one'},
    'lib/online/stream.c': {'3': 'iterations in an array'},
    'lib/pattern/alternation.c': {'8': 'an array'},
    'lib/pattern/anchors.c': {'512': 'an array', '7': 'an array', '31': 'an array'},
    'lib/pattern/anchors.h': {'7': 'an array'},
    'lib/pattern/choose.c': {'6': 'an array'},
    'lib/pattern/classes.c': {'3': 'an array'},
    'lib/pattern/levels.h': {'4': 'a bit', '8': 'a bit'},
    'lib/pattern/runs.c': {'4': 'symbols that are compared at once'},
    'lib/pattern/search.h': {'32': 'an array'},
    'lib/sequence/family.c': {'4096': 'characters that are read of a name'},
}
NO_CODE = re.compile(r'/\*.*?\*/|"(?:\\.|[^"\\])*"|\'(?:\\.|[^\'\\])+\'', re.S)
BOUND_OR_BITS = re.compile(r'\[[^\]]*\]|(?:<<|>>)=?\s*\d+')
NUMBER = re.compile(r'(?<![\w.])\d+(?:\.\d*)?(?:[eE][-+]?\d+)?(?![\w.])')


def numbers(source):
    """The numbers of a source text that may be constants."""
    code = BOUND_OR_BITS.sub('', NO_CODE.sub('', source))
    return {text for text in NUMBER.findall(code) if float(text) not in (0, 0.5, 1, 2)}


def strays(root):
    """Constants outside of the table, and entries of KEPT that are not needed."""
    for path in sorted(path for glob in SOURCES for path in root.glob(glob)):
        name = str(path.relative_to(root))
        found, kept = numbers(path.read_text(encoding='utf-8')), set(KEPT.get(name, {}))
        if name == FITTED:
            continue
        for text in sorted(found - kept):
            yield f'{name}: {text}: move it into parameters.inc.h, or say in KEPT why not'
        for text in sorted(kept - found):
            yield f'{name}: {text} is gone: take it off KEPT'


def self_test():
    """Constants are found, in names and without, and what looks like one is not."""
    assert numbers('enum { MOST = 7 }; x = 0.75 * y + 1e-9;') == {'7', '0.75', '1e-9'}
    assert not numbers('/* 7 */ int a[7]; x = "7" + \'7\' + u32 + (y << 32) + 0x7 + 0.5 + 2;')


def main():
    self_test()
    root = pathlib.Path(sys.argv[1])
    table = (root / "lib/base/parameters.inc.h").read_text(encoding="utf-8")
    results = (root / "tests/bench/RESULTS.md").read_text(encoding="utf-8")
    section = results.split("\n## Constants\n")[1].split("\n## ")[0]
    names = set(re.findall(r"DP_(?:REAL|WHOLE)\((\w+)", table))
    listed = set(re.findall(r"\w+", section))
    faults = [f'{name} is not in RESULTS.md' for name in sorted(names - listed)]
    faults += [f'{word} is not in parameters.inc.h' for word in sorted(listed - names)
               if "_" in word and not word.startswith("eval_")]
    faults += strays(root)
    print('\n'.join(faults))
    sys.exit(bool(faults))


main()

#!/usr/bin/env python3
"""Holds that the files of a folder do not call each other in circles. cycles.py ROOT

A file calls another where it names a function that the other defines. Functions are those that a
file defines for others: at the left margin, not static, with a body.
"""
import pathlib
import re
import sys

# Folders that are yet to be put in order. One that has no cycle any more must be taken off.
OPEN = {'cli', 'lib/diagnose', 'lib/import',
        'lib/report'}

# Comments, strings and characters: what is named there is not called.
NOISE = re.compile(r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])+\'', re.S)
# A definition's first line: a type, a name, its parameters, and the body at the next margin.
DEFINITION = re.compile(r'^(?!static\b|typedef\b)[A-Za-z_][\w \t\n*]*?\b(\w+)\s*\([^;{}]*\)\s*\{', re.M)
# What may be a function's name: a type's tag is none, though it may be the same word.
WORD = re.compile(r'(?:\b(?:struct|enum|union)\s+)?\b[A-Za-z_]\w*\b')


def plain(text):
    """The text without preprocessor lines, comments and strings."""
    text = NOISE.sub(' ', text)
    return re.sub(r'^[ \t]*#(?:[^\n]*\\\n)*[^\n]*', '', text, flags=re.M)


def calls(files):
    """Which files of {name: text} each file calls, with a function for each: {a: {b: function}}."""
    bare = {name: plain(text) for name, text in files.items()}
    owner = {}
    for name, text in bare.items():
        for match in DEFINITION.finditer(text):
            owner[match.group(1)] = name
    graph = {name: {} for name in files}
    for name, text in bare.items():
        for word in WORD.findall(text):
            other = owner.get(word, name)
            if other != name:
                graph[name].setdefault(other, word)
    return graph


def cycles(graph):
    """One shortest cycle through each file that is on one and on none of those before."""
    found, seen = [], set()
    for start in sorted(graph):
        if start in seen:
            continue
        back, queue = {start: None}, [start]
        for at in queue:
            for other in sorted(graph[at]):
                if other == start:
                    path = [at]
                    while back[path[-1]] is not None:
                        path.append(back[path[-1]])
                    found.append(path[::-1])
                    seen.update(path)
                    queue = []
                    break
                if other not in back:
                    back[other] = at
                    queue.append(other)
            if start in seen:
                break
    return found


def faults(folder, files):
    graph = calls(files)
    for cycle in cycles(graph):
        steps = [f'{a} calls {graph[a][b]} of {b}' for a, b in zip(cycle, cycle[1:] + cycle[:1])]
        yield f'{folder}: ' + ', '.join(steps)


def self_test():
    """Cycles are found where they are, and only there."""
    a = 'int dp_a(void)\n{\n\treturn dp_b();\n}\n'
    b = 'static int dp_c(void)\n{\n\treturn 0;\n}\n\nint\ndp_b(void)\n{\n\treturn dp_c();\n}\n'
    up = b + 'const char *dp_d(int x,\n\t\t int y)\n{\n\treturn x ? dp_e : NULL;\n}\n'
    assert not list(faults('x', {'a.c': a, 'b.c': b}))
    assert list(faults('x', {'a.c': a, 'b.c': b.replace('dp_c();', 'dp_a();')}))
    assert not list(faults('x', {'a.c': a, 'b.c': '/* dp_a */\n' + b + 'char *s = "dp_a()";\n'}))
    assert not list(faults('x', {'a.c': a, 'b.c': b + 'struct dp_a x;\n'}))
    assert list(faults('x', {'a.c': a, 'b.c': up, 'c.c': 'void dp_e(void)\n{\n\tdp_a();\n}\n'}))


def main():
    root = pathlib.Path(sys.argv[1])
    self_test()
    found, count = [], 0
    folders = {path.parent for top in ('lib', 'collectors', 'cli')
               for path in (root / top).rglob('*.c')}
    for folder in sorted(folders):
        files = {path.name: path.read_text(encoding='utf-8') for path in sorted(folder.glob('*.c'))}
        count += len(files)
        name = str(folder.relative_to(root))
        cyclic = list(faults(name, files))
        if name not in OPEN:
            found += cyclic
        elif not cyclic:
            found.append(f'{name} has no cycle any more: take it off OPEN')
    for fault in found:
        print(fault)
    print(f'{count} files, {len(found)} cycles')
    return 1 if found or not count else 0


if __name__ == '__main__':
    sys.exit(main())

#!/usr/bin/env python3
"""Files, functions and types of the source that documents and comments name are there.

names.py ROOT

Looked at are the man page and the README about the library from the inside, and the comments of the
library. A name in capitals (NAME.c) is to be filled in.
"""
import pathlib
import re
import sys

DOCUMENTS = ('man/deepprof-detection.7', 'lib/README.md')
FOLDERS = ('cli', 'collectors', 'data', 'include', 'lib', 'man', 'python', 'tests')
# Those of others, and examples.
KEPT = {'cupti_activity.h', 'cupti_driver_cbid.h', 'cupti_runtime_cbid.h', 'posix_fallocate',
        'dp_noun_verb', 'dp_noun__verb'}

FILE = re.compile(r'(?<![\w*/.~-])(?:\.\./)?([\w/-]+(?:\.inc)?\.[ch])\b(?![\w(.])')
FUNCTION = re.compile(r'\b([a-z_]\w*) ?\(\)')
COMMENT = re.compile(r'/\*.*?\*/', re.S)
TYPE = re.compile(r'\b((?:struct|enum) dp_\w+)')


def read(path):
    return path.read_text(encoding='utf-8', errors='replace')


def plain(path):
    """The text of a document, or a source file's comments."""
    text = read(path)
    if path.suffix in ('.c', '.h'):
        return '\n'.join(COMMENT.findall(text))
    return re.sub(r'\\f.', '', text).replace('\\-', '-').replace('\\e', '\\')


def main():
    root = pathlib.Path(sys.argv[1])
    paths = [path for folder in FOLDERS for path in sorted((root / folder).rglob('*'))
             if path.suffix in ('.c', '.h', '.py', '.in')]
    files, known, faults = set(), set(KEPT), 0
    for path in paths:
        parts = path.relative_to(root).parts
        files |= {'/'.join(parts[i:]) for i in range(len(parts))}
        text = COMMENT.sub('', read(path))
        known |= set(re.findall(r'\b[A-Za-z_]\w*(?=\()', text)) | set(TYPE.findall(text))
    read_from = [root / name for name in DOCUMENTS]
    read_from += [path for path in paths if path.relative_to(root).parts[0] == 'lib']
    for path in read_from:
        text = plain(path)
        named = [name for name in FILE.findall(text)
                 if name not in files | KEPT and not re.search('[A-Z]', name)]
        named += [name for name in FUNCTION.findall(text) + TYPE.findall(text) if name not in known]
        for name in sorted(set(named)):
            print(f'{path.relative_to(root)}: there is no {name}')
            faults += 1
    print(f'{len(read_from)} files, {faults} faults')
    return 1 if faults else 0


if __name__ == '__main__':
    sys.exit(main())

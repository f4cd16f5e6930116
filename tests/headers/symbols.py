#!/usr/bin/env python3
"""The shared library exports what the public headers declare, and nothing else.

symbols.py NM LIBRARY INCLUDE_DIR
"""
import pathlib
import re
import subprocess
import sys

# Every linker's own, and what sanitizers and coverage put in.
NOT_OURS = re.compile(r'^(__|_init$|_fini$|_edata$|_end$)')
DECLARED = re.compile(r'^DP_API\b([^;{]*?)\b(dp_\w+)\s*\(', re.M)


def main():
    nm, library, include = sys.argv[1:]
    declared = set()
    for header in sorted(pathlib.Path(include).glob('*.h')):
        text = header.read_text(encoding='utf-8')
        text = re.sub(r'/\*.*?\*/', '', text, flags=re.S)
        found = {match.group(2) for match in DECLARED.finditer(text)}
        if len(found) != len(re.findall(r'^DP_API\b', text, re.M)):
            print(f'{header.name}: a DP_API that is no function was not understood')
            return 1
        for name in sorted(found & declared):
            print(f'{header.name}: {name} is declared twice')
            return 1
        declared |= found
    output = subprocess.run([nm, '-D', '--defined-only', library], check=True,
                            capture_output=True, text=True).stdout
    exported = {line.split()[-1].split('@')[0] for line in output.splitlines() if line.split()}
    exported = {name for name in exported if not NOT_OURS.match(name)}
    for name in sorted(declared - exported):
        print(f'declared, not exported: {name}')
    for name in sorted(exported - declared):
        print(f'exported, not declared: {name}')
    print(f'{len(declared)} declared, {len(exported)} exported')
    return 0 if declared and declared == exported else 1


if __name__ == '__main__':
    sys.exit(main())

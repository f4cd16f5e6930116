#!/usr/bin/env python3
"""Small compressed files with much in them: a command must refuse each, in little memory.

bombs.py [--sanitized] COMMAND…

The command gets the file's path as its last argument. It has to end with 1 and one to three lines,
within its limits of memory and processor time.
"""
import argparse
import pathlib
import resource
import struct
import subprocess
import sys
import tempfile
import zlib

MIB = 1 << 20
MEMORY_BYTES = 256 * MIB
CPU_SECONDS = 20

# name: the beginning, what is repeated after it, and how many MiB of that
PLANE = b'\x0a\xff\xff\xff\xff\x01\x12\x0d/device:GPU:0'
EVENTS = b'{"schemaVersion": 1, "traceEvents": ['
BOMBS = {
    'spaces.json': (EVENTS, b' ', 300),
    'newlines.json': (EVENTS, b'\n', 300),
    'commas.json': (EVENTS, b',', 300),
    'string.json': (EVENTS + b'{"ph": "X", "cat": "kernel", "name": "', b'a', 300),
    'key.json': (b'{"', b'a', 300),
    'brackets.json': (EVENTS, b'[', 300),
    'value.json': (b'{"x": ', b'[', 300),
    'braces.json': (EVENTS, b'{', 256),
    'begun.json': (EVENTS, b'{"ph": ', 256),
    'cell.csv': (b'==1== Profiling result:\n"Start","Duration","Name"\nms,ms,\n1,1,"', b'a', 300),
    'zeros.sqlite': (b'SQLite format 3\0\x10\0\1\1', b'\0', 300),
    'calls.json': (EVENTS, b'{"ph":"X","cat":"cpu_op","name":"f","pid":1,"ts":1,"dur":1},', 300),
    'planes.xplane.pb': (PLANE, b'\x1a\0', 300),
}

# The second: where the disk is nearly full.
REASONS = ('unpacks to more than 200 times its size', 'more than half of the free space')


def write_bomb(path, head, unit, mib):
    """A gzip file (RFC 1952). What comes after a full flush doesn't depend on what came before: one
    packed block serves for all."""
    pack = zlib.compressobj(6, zlib.DEFLATED, -15)
    block = unit * (MIB // len(unit))
    first, again = (pack.compress(data) + pack.flush(zlib.Z_FULL_FLUSH) for data in (head, block))
    crc = zlib.crc32(head)
    for _ in range(mib):
        crc = zlib.crc32(block, crc)
    with open(path, 'wb') as file:
        file.write(b'\x1f\x8b\x08\0\0\0\0\0\0\xff' + first)
        for _ in range(mib):
            file.write(again)
        length = len(head) + len(block) * mib
        file.write(pack.flush() + struct.pack('<II', crc, length & 0xffffffff))


def limits(sanitized):
    seconds = CPU_SECONDS * (5 if sanitized else 1)
    resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds + 1))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    if not sanitized:
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY_BYTES, MEMORY_BYTES))


def fault_of(command, path, sanitized):
    """What is wrong with how the command ended, or None."""
    result = subprocess.run(command + [str(path)], stdin=subprocess.DEVNULL, capture_output=True,
                            preexec_fn=lambda: limits(sanitized), check=False)
    said = result.stderr.decode(errors='replace')
    if result.returncode != 1 or result.stdout:
        return f'exit status {result.returncode}: {said}'
    if not 1 <= len(said.splitlines()) <= 3 or 'out of memory' in said:
        return f'said: {said}'
    if not sanitized and not any(reason in said for reason in REASONS):
        return f'said: {said}'
    return None


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('--sanitized', action='store_true')
    parser.add_argument('command', nargs='+')
    options = parser.parse_args()
    faults = 0
    with tempfile.TemporaryDirectory() as folder:
        for name, (head, unit, mib) in BOMBS.items():
            path = pathlib.Path(folder) / (name + '.gz')
            write_bomb(path, head, unit, mib // (8 if options.sanitized else 1))
            fault = fault_of(options.command, path, options.sanitized)
            if fault:
                print(f'{name}: {fault}')
                faults += 1
            path.unlink()
    return 1 if faults else 0


if __name__ == '__main__':
    sys.exit(main())

"""Summaries of ranks, deepprof-summary(5), that are made to cost more than their size.

Each is a function make(path, scale), as in hostile.py.
"""
import functools
import pathlib
import struct
import zlib

ALLREDUCE, BROADCAST, SEND_RECEIVE = 1, 6, 10
PERIOD_NS = 1000000


@functools.lru_cache(10000)
def number(value):
    out = bytearray()
    while value > 0x7f:
        out.append(value & 0x7f | 0x80)
        value >>= 7
    return bytes(out + bytes([value]))


def signed(value):
    return number(2 * value if value >= 0 else -2 * value - 1)


def text(value):
    return number(len(value)) + value.encode() + b'\0'


def call(start, end, iteration=None, group=0, kind=ALLREDUCE, size=64, peer=-1, sends=False):
    """Without a sequence number; all of it is exposed, and it was not queued."""
    return (start, end, iteration, (kind | sends << 7, group, size, peer, -1))


def step(index, period=PERIOD_NS):
    return (index * period, period - 10, period, (period // 2, 0, 0, 0, 0, 0))


def pack_calls(calls):
    keys = {key: i for i, key in enumerate(dict.fromkeys(c[3] for c in calls))}
    out = bytearray(number(len(keys)))
    for kind, group, size, peer, own in keys:
        out += number(kind) + number(group) + number(size) + signed(peer) + signed(own)
    out += number(len(calls)) + (signed(calls[0][1]) if calls else b'')
    last = calls[0][1] if calls else 0
    keys = {key: number(i) for key, i in keys.items()}
    # 2: the sequence number is as expected, none; 8: exposed; 32: not queued
    head = number(2 | 8 | 32)
    for start, end, iteration, key in calls:
        out += head + number(end - last) + number(end - start) + keys[key]
        out += number(0 if iteration is None else iteration + 1)
        last = end
    return bytes(out)


def rank(index, calls, groups=(('0', 2),), steps=(), time_0=0):
    out = bytearray(signed(index) + signed(1) + number(1) + signed(time_0) + text('host'))
    out += number(10) + number(0) + number(0) + number(len(groups))
    for name, size in groups:
        out += text(name) + number(size)
    out += number(len(steps))
    before = 0
    for start, length, period, parts in steps:
        out += number(1) + signed(start - before) + signed(length) + number(2 * period + 1)
        out += b''.join(number(2 * part + 1) for part in parts)
        before = start
    return bytes(out) + pack_calls(calls) + number(0)


def write(path, ranks):
    """One section: the ranks of one trace."""
    section = text('trace') + number(1) + signed(1) + text('') + number(len(ranks))
    section += b''.join(ranks)
    pathlib.Path(path).write_bytes(
        b'\x89dpsum\r\n' + struct.pack('<IIII', 3, 1, len(section), zlib.crc32(section)) + section)


def at(index, **details):
    return call(index * PERIOD_NS + 900000, index * PERIOD_NS + 950000, **details)


def long_group(path, scale, count=60000, names=400000):
    """Two ranks that send to each other in a group whose name lists half a million others."""
    name = 'x [' + ','.join('1' for _ in range(int(names * scale))) + ']'
    write(path, [rank(r, [at(i, kind=(SEND_RECEIVE, ALLREDUCE)[i % 2],
                             peer=2**31 - 1 if i % 2 == 0 else -1, sends=r == 0)
                          for i in range(int(count * scale))], [(name, 2)]) for r in range(2)])


def many_pairs(path, scale, count=80000):
    """A pair for each call, in a group with a long name."""
    write(path, [rank(r, [at(i, kind=SEND_RECEIVE, peer=i, sends=r == 0)
                          for i in range(int(count * scale))], [('g' * 4000, 2)])
                 for r in range(2)])


def other_jobs(path, scale, count=50000, others=10000):
    """Three ranks, and many of the number of a fourth, which share no collective with them."""
    ranks = [rank(r, [at(i) for i in range(int(count * scale))], [('0', 3)]) for r in range(3)]
    ranks += [rank(3, [at(0)], [(f'other {i}', 2)]) for i in range(int(others * scale))]
    write(path, ranks)


def uneven_ranks(path, scale, count=100000, others=6000):
    """A rank with many different collectives, each of which few of the others have."""
    count, others = int(count * scale), int(others * scale)
    ranks = [rank(0, [at(i, size=i) for i in range(count)], [('0', others + 1)])]
    ranks += [rank(r + 1, [at(r * 7 % count, size=r * 7 % count)], [('0', others + 1)])
              for r in range(others)]
    write(path, ranks)


def missing_iterations(path, scale, count=100000, others=20000):
    """A rank with many iterations, and many with none."""
    count, others = int(count * scale), int(others * scale)
    calls = [at(0, iteration=0), at(1, iteration=1)]
    ranks = [rank(0, calls, [('0', others + 1)], [step(i) for i in range(count)])]
    ranks += [rank(r + 1, [at(0), at(1)], [('0', others + 1)]) for r in range(others)]
    write(path, ranks)


def straggler(path, scale, iterations=1600, calls=20, period=3000000):
    """A rank that comes late to the first collective of each iteration."""
    def of(r, i, k):
        start = i * period + 1000000 + 40000 * k
        late = 300000 if r == 2 and k == 0 else 0
        return call(start + late, start + 330000, iteration=i, size=64 + k)

    count = int(iterations * scale)
    write(path, [rank(r, [of(r, i, k) for i in range(count) for k in range(calls)], [('0', 4)],
                      [step(i, period) for i in range(count)]) for r in range(4)])


def crossing_iterations(path, scale, iterations=16000, period=3000000):
    """The same, and broadcasts that come in the opposite order of iterations."""
    count = int(iterations * scale)

    def of(r, i, k):
        start = (i if k == 0 else 2 * count - i) * period + 1000000
        late = 300000 if r == 2 and k == 0 else 0
        return call(start + late, start + 330000, iteration=i, kind=(ALLREDUCE, BROADCAST)[k])

    write(path, [rank(r, sorted((of(r, i, k) for i in range(count) for k in range(2)),
                                key=lambda made: made[1]), [('0', 4)],
                      [step(i, period) for i in range(count)]) for r in range(4)])


MAKERS = {maker.__name__: maker for maker in (
    long_group, many_pairs, other_jobs, uneven_ranks, missing_iterations, straggler,
    crossing_iterations)}

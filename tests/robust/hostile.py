#!/usr/bin/env python3
"""Traces that are made to cost more than their size; and ordinary ones, to compare with.

hostile.py NAME SCALE FILE writes one; without arguments it lists the names. Each is a function
make(path, scale) whose file grows in proportion to scale; at 1 it has between 0.5 and 4 MB.
"""
import json
import pathlib
import sqlite3
import struct
import sys

import summaries

KERNEL_TABLE = ('CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL(start INTEGER, end INTEGER, '
                'deviceId INTEGER, contextId INTEGER, streamId INTEGER, correlationId INTEGER, '
                'globalPid INTEGER, demangledName INTEGER, shortName INTEGER)')
RUNTIME_TABLE = ('CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME(start INTEGER, end INTEGER, '
                 'eventClass INTEGER, globalTid INTEGER, correlationId INTEGER, nameId INTEGER)')
STRINGS_TABLE = 'CREATE TABLE StringIds(id INTEGER PRIMARY KEY, value TEXT NOT NULL)'
PAGE = 512  # the smallest: the most rows to a page of overflow


def open_new(path, page=4096):
    pathlib.Path(path).unlink(missing_ok=True)
    database = sqlite3.connect(path, isolation_level=None)
    database.execute('PRAGMA journal_mode = OFF')
    database.execute('PRAGMA synchronous = OFF')
    database.execute(f'PRAGMA page_size = {page}')
    return database


def add_kernels(database, count, name=lambda i: i % 20):
    database.execute('BEGIN')
    database.executemany(
        'INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES(?, ?, 0, 1, 7, ?, 16777216, ?, NULL)',
        ((1000 * i + 1, 1000 * i + 900, i + 1, name(i)) for i in range(count)))
    database.execute('COMMIT')


def varint(number):
    groups = [number & 127]
    number >>= 7
    while number:
        groups.append(number & 127 | 128)
        number >>= 7
    return bytes(reversed(groups))


class Pages:
    """The pages of a database that are written by hand (sqlite.org/fileformat2.html)."""

    def __init__(self, path):
        self.path = path
        self.data = bytearray(pathlib.Path(path).read_bytes())

    def add(self, content):
        self.data += content.ljust(PAGE, b'\0')
        return len(self.data) // PAGE

    def tree_page(self, kind, cells, right=None):
        head = 8 if right is None else 12
        page = bytearray(PAGE)
        at, pointers = PAGE, []
        for cell in cells:
            at -= len(cell)
            page[at:at + len(cell)] = cell
            pointers.append(at)
        struct.pack_into('>BHHHB', page, 0, kind, 0, len(cells), at, 0)
        if right is not None:
            struct.pack_into('>I', page, 8, right)
        struct.pack_into(f'>{len(pointers)}H', page, head, *pointers)
        return self.add(bytes(page))

    def tree(self, cells, root):
        """A table of (rowid, cell) in order; its root's page is overwritten."""
        level = []
        fit = (PAGE - 8) // (max(len(cell) for _, cell in cells) + 2)
        for i in range(0, len(cells), fit):
            part = cells[i:i + fit]
            level.append((self.tree_page(13, [cell for _, cell in part]), part[-1][0]))
        while len(level) > 1:
            above = []
            for i in range(0, len(level), 40):
                part = level[i:i + 40]
                inner = [struct.pack('>I', page) + varint(last) for page, last in part[:-1]]
                above.append((self.tree_page(5, inner, part[-1][0]), part[-1][1]))
            level = above
        self.data[(root - 1) * PAGE:root * PAGE] = self.data[(level[0][0] - 1) * PAGE:
                                                             level[0][0] * PAGE]

    def chain(self, length):
        """As many overflow pages, each naming the next; returns the first."""
        first = len(self.data) // PAGE + 1
        for i in range(length):
            last = i == length - 1
            self.add(struct.pack('>I', 0 if last else first + i + 1) + b'x' * (PAGE - 4))
        return first

    def write(self):
        struct.pack_into('>I', self.data, 28, len(self.data) // PAGE)
        pathlib.Path(self.path).write_bytes(self.data)


def chained_cell(rowid, header, first_page, length):
    """A row whose payload of length bytes begins with header and continues in a shared chain."""
    least = (PAGE - 12) * 32 // 255 - 23
    local = least + (length - least) % (PAGE - 4)
    local = local if local <= PAGE - 35 else least
    return (varint(length) + varint(rowid) + header.ljust(local, b'x') +
            struct.pack('>I', first_page))


def chains(path, scale, pages=2000, rows=36000):
    """Names of a megabyte each, which all lie in one chain of overflow pages."""
    database = open_new(path, PAGE)
    database.execute(KERNEL_TABLE)
    database.execute(STRINGS_TABLE)
    count = int(rows * scale)
    add_kernels(database, count, lambda i: i + 1)
    root = database.execute("SELECT rootpage FROM sqlite_master WHERE name = 'StringIds'")
    root = root.fetchone()[0]
    database.close()
    made = Pages(path)
    first = made.chain(int(pages * scale))
    local = (PAGE - 12) * 32 // 255 - 23
    length = local + int(pages * scale) * (PAGE - 4)
    text = length - 6  # the header: its length, NULL for the rowid, the text's length
    for _ in range(4):
        serial = varint(2 * text + 13)
        text = length - 2 - len(serial)
    header = bytes([2 + len(serial), 0]) + varint(2 * text + 13)
    made.tree([(i + 1, chained_cell(i + 1, header, first, length)) for i in range(count)], root)
    made.write()


def skipped_chains(path, scale, pages=2000, rows=36000):
    """Kernels whose times lie behind a megabyte that nobody reads, in one chain."""
    database = open_new(path, PAGE)
    database.execute('CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL(hidden BLOB, start INTEGER, '
                     'end INTEGER, deviceId INTEGER, streamId INTEGER, shortName INTEGER)')
    database.execute(STRINGS_TABLE)
    root = database.execute("SELECT rootpage FROM sqlite_master WHERE name LIKE 'CUPTI%'")
    root = root.fetchone()[0]
    database.close()
    made = Pages(path)
    first = made.chain(int(pages * scale))
    local = (PAGE - 12) * 32 // 255 - 23
    length = local + int(pages * scale) * (PAGE - 4)
    types = bytes([6, 6, 9, 9, 9])  # two integers of eight bytes, and three that are 1
    blob = length
    for _ in range(4):
        head = varint(2 * blob + 12) + types
        blob = length - 1 - len(head) - 16
    made.data[-16:] = struct.pack('>qq', 1000, 2000)
    header = bytes([1 + len(head)]) + head
    count = int(rows * scale)
    made.tree([(i + 1, chained_cell(i + 1, header, first, length)) for i in range(count)], root)
    made.write()


def defaults(path, scale, rows=100000, text=500000):
    """Rows that lack the column of their text, whose default is half a megabyte."""
    database = open_new(path)
    database.execute(KERNEL_TABLE)
    database.execute(STRINGS_TABLE)
    database.execute('CREATE TABLE NVTX_EVENTS(start INTEGER, end INTEGER, eventType INTEGER, '
                     'globalTid INTEGER)')
    add_kernels(database, 100)
    database.execute('BEGIN')
    database.executemany('INSERT INTO NVTX_EVENTS VALUES(?, ?, 59, 16777217)',
                         ((i, i + 1) for i in range(int(rows * scale))))
    database.execute('COMMIT')
    database.execute("ALTER TABLE NVTX_EVENTS ADD COLUMN text TEXT DEFAULT '%s'" %
                     ('x' * min(int(text * scale), 900000)))
    database.close()


def hidden_rowid(path, scale, kernels=40000):
    """A generated column by the name of rowid, so that no row is found by its number."""
    database = open_new(path)
    database.execute(KERNEL_TABLE)
    database.execute('CREATE TABLE StringIds(id INTEGER PRIMARY KEY, value TEXT NOT NULL, '
                     'rowid INTEGER GENERATED ALWAYS AS (id) VIRTUAL)')
    count = int(kernels * scale)
    database.execute('BEGIN')
    database.executemany('INSERT INTO StringIds VALUES(?, ?)',
                         ((i, f'kernel_{i}') for i in range(count)))
    database.execute('COMMIT')
    add_kernels(database, count, lambda i: i)
    database.close()


def shadowed_rowids(path, scale, kernels=20000):
    """Columns by all names of the rowid, and damage at each row."""
    database = open_new(path)
    database.execute(KERNEL_TABLE)
    database.execute('CREATE TABLE StringIds(id INTEGER, value TEXT NOT NULL, '
                     'rowid INTEGER, _rowid_ INTEGER, oid INTEGER)')
    count = int(kernels * scale)
    database.execute('BEGIN')
    database.executemany('INSERT INTO StringIds VALUES(?, ?, ?, ?, ?)',
                         ((i, f'kernel_{i}', i ^ 1, i ^ 1, i ^ 1) for i in range(count)))
    database.execute('COMMIT')
    add_kernels(database, count, lambda i: i)
    database.close()


def bogus_tables(path, scale, count=32000):
    """A schema of tables that all have the same root."""
    database = open_new(path)
    database.execute(KERNEL_TABLE)
    database.execute(STRINGS_TABLE)
    add_kernels(database, 100)
    root = database.execute("SELECT rootpage FROM sqlite_master WHERE name = 'StringIds'")
    root = root.fetchone()[0]
    database.execute('PRAGMA writable_schema = ON')
    database.execute('BEGIN')
    database.executemany(
        "INSERT INTO sqlite_master VALUES('table', ?, ?, ?, ?)",
        ((f't{i}', f't{i}', root, f'CREATE TABLE t{i}(a)') for i in range(int(count * scale))))
    database.execute('COMMIT')
    database.close()


def kernel(at, name, device=0, stream=7, correlation=0):
    return {'ph': 'X', 'cat': 'kernel', 'name': name, 'pid': device, 'tid': stream, 'ts': at,
            'dur': 3, 'args': {'device': device, 'context': 1, 'stream': stream,
                               'correlation': correlation}}


def write_kineto(path, events):
    with open(path, 'w', encoding='utf-8') as file:
        file.write('{"schemaVersion": 1, "traceEvents": [\n')
        for i, event in enumerate(events):
            file.write((',\n' if i else '') + json.dumps(event, separators=(',', ':')))
        file.write('\n]}\n')


def add_devices(path, count, kernels, thread):
    database = open_new(path)
    database.execute(KERNEL_TABLE)
    database.execute(STRINGS_TABLE)
    database.execute(RUNTIME_TABLE)
    database.execute('BEGIN')
    database.executemany('INSERT INTO StringIds VALUES(?, ?)',
                         [(i, f'kernel_{i}') for i in range(8)] + [(8, 'cudaLaunchKernel')])
    rows = [(10000 * i, d, i * count + d + 1) for i in range(kernels) for d in range(count)]
    database.executemany('INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL '
                         'VALUES(?, ?, ?, 1, 7, ?, 16777216, ?, NULL)',
                         ((at + 2000, at + 9000, d, c, at // 10000 % 8) for at, d, c in rows))
    database.executemany('INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES(?, ?, 0, ?, ?, 8)',
                         ((at + 1, at + 1500, 16777217 + thread(d), c) for at, d, c in rows))
    database.execute('COMMIT')
    database.close()


def devices(path, scale, count=400, kernels=160):
    """Many devices with a few kernels each, and a thread each that launches them."""
    add_devices(path, int(count * scale), kernels, lambda device: device)


def one_thread(path, scale, count=400, kernels=160):
    """The same, all launched by one thread."""
    add_devices(path, int(count * scale), kernels, lambda device: 0)


def shared_thread(path, scale, count=256, kernels=160):
    """As many devices as one thread may launch on."""
    add_devices(path, count, int(kernels * scale), lambda device: 0)


def devices_and_ranges(path, scale, count=1000, ranges=100000):
    """Devices with a dozen kernels each, and ranges that may mark iterations of any of them."""
    add_devices(path, int(count * scale), 12, lambda device: device)
    database = sqlite3.connect(path, isolation_level=None)
    database.execute('CREATE TABLE NVTX_EVENTS(start INTEGER, end INTEGER, eventType INTEGER, '
                     'globalTid INTEGER, textId INTEGER)')
    database.execute('BEGIN')
    database.execute("INSERT INTO StringIds VALUES(99, 'step 1')")
    database.executemany('INSERT INTO NVTX_EVENTS VALUES(?, ?, 59, 16777217, 99)',
                         ((10 * i, 10 * i + 5) for i in range(int(ranges * scale))))
    database.execute('COMMIT')
    database.close()


def long_ranges(path, scale, count=300, kernels=64, length=500000):
    """Iterations of many devices that share a range with a long name."""
    devices(path, scale, count, kernels)
    database = sqlite3.connect(path, isolation_level=None)
    database.execute('CREATE TABLE NVTX_EVENTS(start INTEGER, end INTEGER, eventType INTEGER, '
                     'globalTid INTEGER, textId INTEGER)')
    database.execute('BEGIN')
    database.execute('INSERT INTO StringIds VALUES(99, ?)', ('step ' + 'x' * length,))
    database.executemany('INSERT INTO NVTX_EVENTS VALUES(?, ?, 59, ?, 99)',
                         ((80000 * i, 80000 * i + 79990, 16777217 + d)
                          for d in range(int(count * scale)) for i in range(kernels // 8)))
    database.execute('COMMIT')
    database.close()


def long_kernels(path, scale, count=300, kernels=64, length=500000):
    """Devices whose kernels share long names."""
    devices(path, scale, count, kernels)
    database = sqlite3.connect(path)
    with database:
        database.execute("UPDATE StringIds SET value = value || ? WHERE value LIKE 'kernel%'",
                         ('k' * length,))
    database.close()


def devices_and_streams(path, scale, count=1000, kernels=60):
    """Devices with a stream for each of their kernels."""
    database = open_new(path)
    database.execute(KERNEL_TABLE)
    database.execute(STRINGS_TABLE)
    count = int(count * scale)
    database.execute('BEGIN')
    database.executemany('INSERT INTO StringIds VALUES(?, ?)',
                         ((i, f'kernel_{i}') for i in range(8)))
    database.executemany(
        'INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES(?, ?, ?, 1, ?, ?, 16777216, ?, NULL)',
        ((1000 * i + 1, 1000 * i + 900, i % count, i, i + 1, i // count % 8)
         for i in range(count * kernels)))
    database.execute('COMMIT')
    database.close()


def nested_ranges(path, scale, count=16000, kernels=400):
    """Twenty iterations with ranges that begin one after the other while the GPU waits, and all
    end with the last kernel."""
    database = open_new(path)
    database.execute(KERNEL_TABLE)
    database.execute(STRINGS_TABLE)
    database.execute(RUNTIME_TABLE)
    database.execute('CREATE TABLE NVTX_EVENTS(start INTEGER, end INTEGER, eventType INTEGER, '
                     'globalTid INTEGER, textId INTEGER)')
    per_kernel = int(count * scale) // kernels
    step = 10000 * per_kernel
    database.execute('BEGIN')
    database.executemany('INSERT INTO StringIds VALUES(?, ?)',
                         [(i, f'kernel_{i}') for i in range(20)] +
                         [(20, 'cudaLaunchKernel'), (21, 'range')])
    database.executemany(
        'INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES(?, ?, 0, 1, 7, ?, 16777216, ?, NULL)',
        ((step * i + 2000, step * i + 6000, i + 1, i % 20) for i in range(kernels)))
    database.executemany('INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME '
                         'VALUES(?, ?, 0, 16777217, ?, 20)',
                         ((step * i, step * i + 1000, i + 1) for i in range(kernels)))
    database.executemany(
        'INSERT INTO NVTX_EVENTS VALUES(?, ?, 59, 16777217, 21)',
        ((step * i + 7000 + 9000 * k, step * (i // 20 * 20 + 19) + 1500)
         for i in range(kernels) if i % 20 in range(3, 19) for k in range(per_kernel)))
    database.execute('COMMIT')
    database.close()


def overlapping_waits(path, scale, count=8000):
    """A thread launches everything, and as many waits as iterations begin together and last to the end."""
    count = int(count * scale)
    database = open_new(path)
    database.execute(KERNEL_TABLE)
    database.execute(STRINGS_TABLE)
    database.execute(RUNTIME_TABLE)
    database.execute('BEGIN')
    database.executemany('INSERT INTO StringIds VALUES(?, ?)',
                         [(i, f'kernel_{i}') for i in range(4)] +
                         [(4, 'cudaLaunchKernel'), (5, 'cudaDeviceSynchronize')])
    first = 20 * count
    database.executemany(
        'INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES(?, ?, 0, 1, 7, ?, 16777216, ?, NULL)',
        ((first + 1000 * i, first + 1000 * i + 900, i + 1, i % 4) for i in range(4 * count)))
    database.executemany('INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES(?, ?, 0, 16777217, ?, 4)',
                         ((4 * i, 4 * i + 3, i + 1) for i in range(4 * count)))
    database.executemany('INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES(?, ?, 0, 16777217, ?, 5)',
                         ((first + i, first + 4000 * count + i, 4 * count + i + 1)
                          for i in range(count)))
    database.execute('COMMIT')
    database.close()


def streams(path, scale, count=12000):
    """A stream for each kernel."""
    write_kineto(path, (kernel(10 * i, f'kernel_{i % 8}', stream=i)
                        for i in range(int(count * scale))))


def collective(at, stream, **details):
    event = kernel(at, 'ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevComm*)', stream=stream)
    event['args'].update({'Collective name': 'allreduce', 'dtype': 'Float',
                          'In msg nelems': 64, 'Out msg nelems': 64, **details})
    return event


def groups(path, scale, count=100000):
    """A process group for each collective."""
    write_kineto(path, (collective(10 * i, 7, **{'Process Group Name': str(i), 'Group size': 2})
                        for i in range(int(count * scale))))


def group_streams(path, scale, count=20000):
    """Collectives without a process group, on many streams."""
    count = int(count * scale)
    write_kineto(path, (collective(10 * i, i % count) for i in range(5 * count)))


def merged_ranks(path, scale, count=1024, kernels=24):
    """Many ranks in one file, each with a few kernels, every third a collective of all."""
    count = int(count * scale)

    def event(rank, i):
        one = (kernel(100 * i, f'kernel_{i % 3}', stream=7) if i % 3
               else collective(100 * i, 7, **{'Process Group Name': '0', 'Group size': count}))
        one['pid'] = f'rank {rank}'
        one['args']['correlation'] = i + 1
        return one

    write_kineto(path, (event(rank, i) for rank in range(count) for i in range(kernels)))


def long_names(path, scale, events=14000, length=50000, names=20):
    """A few long names, of many kernels."""
    names = int(names * scale)
    database = open_new(path)
    database.execute(KERNEL_TABLE)
    database.execute(STRINGS_TABLE)
    database.executemany('INSERT INTO StringIds VALUES(?, ?)',
                         ((i, str(i) + chr(97 + i % 26) * length) for i in range(names)))
    add_kernels(database, int(events * scale), lambda i: i % names)
    database.close()


def long_pattern(path, scale, positions=5000, length=50000, names=20):
    """Iterations of many kernels that share a few long names."""
    database = open_new(path)
    database.execute(KERNEL_TABLE)
    database.execute(STRINGS_TABLE)
    database.executemany('INSERT INTO StringIds VALUES(?, ?)',
                         ((i, chr(97 + i) * length) for i in range(names)))
    count = int(positions * scale)
    order = [i * i * 7919 % 10007 % names for i in range(count)]
    add_kernels(database, 4 * count, lambda i: order[i % count])
    database.close()


def repeated(path, head, text, count):
    with open(path, 'w', encoding='utf-8') as file:
        file.write(head + text * int(count))


def open_values(path, scale, lines=200000):
    """A value of the NCCL Inspector's log begins in each line, and never ends."""
    repeated(path, '{"header": {"id": "0", "n_ranks": 2}, "coll_perf": {"coll": "AllReduce"}}\n',
             '{"a":"\n', lines * scale)


def open_lists(path, scale, events=12000):
    """A list begins behind each event of Kineto, and never ends."""
    event = json.dumps(kernel(1, 'a'))
    repeated(path, '{"traceEvents": [' + event + ']', ',"a":[[' + event + ']', events * scale)


def open_objects(path, scale, count=100000):
    """An object of rocprofv3 begins in each line, and never ends."""
    repeated(path, '{"rocprofiler-sdk-tool": [{"metadata": {"pid": 1}, "agents": [',
             '{"size": 1, "id": {"handle": 7}, "a": [\n', count * scale)


def message(*fields):
    """A message of protobuf: pairs of numbers and values."""
    parts = []
    for field, value in fields:
        key = summaries.number(field << 3 | (0 if isinstance(value, int) else 2))
        parts += [key, summaries.number(value if isinstance(value, int) else len(value))]
        parts += [] if isinstance(value, int) else [value]
    return b''.join(parts)


def shared_notes(path, scale, events=20000, length=500000):
    """Slices of Perfetto that share a long text, where an annotation has a number."""
    long = message((1, 1), (2, b' ' * length))
    names = message((1, message((1, 1), (2, b'kernel_dispatch'))),
                    (2, message((1, 1), (2, b'MEMORY_COPY'))),
                    (3, message((1, 1), (2, b'queue'))), (29, long))
    note = message((1, 1), (17, 1))
    with open(path, 'wb') as file:
        file.write(message((1, message((10, 1), (13, 1), (12, b'')))))
        file.write(message((1, message((10, 1), (12, names)))))
        for i in range(int(events * scale)):
            begin = message((9, 1), (3, 1), (10, 1), (11, 7), (4, note))
            for at, event in (10 * i, begin), (10 * i + 9, message((9, 2), (11, 7))):
                file.write(message((1, message((8, at), (10, 1), (58, 6), (11, event)))))


def shared_details(path, scale, events=20000, length=500000):
    """Copies of an XPlane that share long details."""
    names = {4: [(1, b'MemcpyH2D')], 5: [(1, b'memcpy_details'), (2, b' ' * length)]}
    parts = [(2, b'/device:GPU:0')]
    parts += [(field, message((1, i), (2, message((1, i), (2, name)))))
              for field, texts in names.items() for i, name in texts]
    stat = message((1, 1), (7, 2))
    parts.append((3, message((1, 7), (2, b'Stream #7'), *(
        (4, message((1, 1), (2, 10000 * i), (3, 9000), (4, stat)))
        for i in range(int(events * scale))))))
    pathlib.Path(path).write_bytes(message((1, message(*parts))))


def shared_op(path, scale, events=40000, length=500000):
    """Ranges of NCCL that share a long name."""
    database = open_new(path)
    database.execute(KERNEL_TABLE)
    database.execute(STRINGS_TABLE)
    database.execute('INSERT INTO StringIds VALUES(0, ?)', ('n' * length,))
    add_kernels(database, 10, lambda i: 0)
    database.execute('CREATE TABLE NVTX_PAYLOAD_SCHEMA_ENTRIES(domainId, schemaId, idx, type, name,'
                     ' offset)')
    database.executemany('INSERT INTO NVTX_PAYLOAD_SCHEMA_ENTRIES VALUES(1, 1, ?, 18, ?, ?)',
                         ((0, 'NCCL communicator ID', 0), (1, 'Message size [bytes]', 8)))
    database.execute('CREATE TABLE NVTX_EVENTS(start, "end", eventType, globalTid, textId, binaryData)')
    payload = struct.pack('<6Q', 1, 1, 16, 32, 7, 1024)
    database.executemany('INSERT INTO NVTX_EVENTS VALUES(?, ?, 59, 1, 0, ?)',
                         ((1000 * i, 1000 * i + 500, payload) for i in range(int(events * scale))))
    database.close()


MAKERS = {maker.__name__: maker for maker in (
    chains, skipped_chains, defaults, hidden_rowid, shadowed_rowids, bogus_tables, devices,
    one_thread, shared_thread, devices_and_ranges, long_ranges, long_kernels, devices_and_streams,
    nested_ranges, overlapping_waits, streams, groups, group_streams, merged_ranks, long_names, long_pattern, open_values, open_lists, open_objects, shared_notes,
    shared_details, shared_op)}


def main():
    if len(sys.argv) != 4:
        for name, maker in MAKERS.items():
            print(f'{name}: {maker.__doc__.splitlines()[0]}')
        return 2
    MAKERS[sys.argv[1]](sys.argv[3], float(sys.argv[2]))
    return 0


if __name__ == '__main__':
    sys.exit(main())

"""Arrow C streams: as capsules for other packages, and as NumPy arrays without any of them."""
import ctypes
import sys


class Schema(ctypes.Structure):
    """struct ArrowSchema"""


Schema._fields_ = [
    ("format", ctypes.c_char_p),
    ("name", ctypes.c_char_p),
    ("metadata", ctypes.c_void_p),
    ("flags", ctypes.c_int64),
    ("n_children", ctypes.c_int64),
    ("children", ctypes.POINTER(ctypes.POINTER(Schema))),
    ("dictionary", ctypes.POINTER(Schema)),
    ("release", ctypes.CFUNCTYPE(None, ctypes.POINTER(Schema))),
    ("private_data", ctypes.c_void_p),
]


class Array(ctypes.Structure):
    """struct ArrowArray"""


Array._fields_ = [
    ("length", ctypes.c_int64),
    ("null_count", ctypes.c_int64),
    ("offset", ctypes.c_int64),
    ("n_buffers", ctypes.c_int64),
    ("n_children", ctypes.c_int64),
    ("buffers", ctypes.POINTER(ctypes.c_void_p)),
    ("children", ctypes.POINTER(ctypes.POINTER(Array))),
    ("dictionary", ctypes.POINTER(Array)),
    ("release", ctypes.CFUNCTYPE(None, ctypes.POINTER(Array))),
    ("private_data", ctypes.c_void_p),
]


class Stream(ctypes.Structure):
    """struct ArrowArrayStream"""


Stream._fields_ = [
    ("get_schema", ctypes.CFUNCTYPE(ctypes.c_int, ctypes.POINTER(Stream), ctypes.POINTER(Schema))),
    ("get_next", ctypes.CFUNCTYPE(ctypes.c_int, ctypes.POINTER(Stream), ctypes.POINTER(Array))),
    ("get_last_error", ctypes.CFUNCTYPE(ctypes.c_char_p, ctypes.POINTER(Stream))),
    ("release", ctypes.CFUNCTYPE(None, ctypes.POINTER(Stream))),
    ("private_data", ctypes.c_void_p),
]


def release(struct):
    """Releases a schema, an array or a stream, unless it was moved or released already."""
    if struct.release:
        struct.release(ctypes.byref(struct))


# Capsules: the struct lives as long as the capsule; who takes its content clears its release.

_new = ctypes.pythonapi.PyCapsule_New
_new.restype = ctypes.py_object
_new.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
_pointer = ctypes.pythonapi.PyCapsule_GetPointer
_pointer.restype = ctypes.c_void_p
_pointer.argtypes = [ctypes.c_void_p, ctypes.c_char_p]

_alive: dict = {}  # address of the struct: the struct
_NAMES = {Schema: b"arrow_schema", Stream: b"arrow_array_stream"}


def _destroy(name):
    @ctypes.PYFUNCTYPE(None, ctypes.c_void_p)
    def destroy(capsule):
        struct = _alive.pop(_pointer(capsule, name), None)
        if struct is not None and not sys.is_finalizing():
            release(struct)

    return destroy


_DESTROYERS = {kind: _destroy(name) for kind, name in _NAMES.items()}


def capsule(struct):
    """A capsule of a Schema or a Stream, as the Arrow PyCapsule interface asks for."""
    kind = type(struct)
    address = ctypes.addressof(struct)
    _alive[address] = struct
    destroyer = ctypes.cast(_DESTROYERS[kind], ctypes.c_void_p)
    return _new(address, _NAMES[kind], destroyer)


def schema_of(stream):
    """The schema of a stream; the caller's to release."""
    schema = Schema()
    if stream.get_schema(ctypes.byref(stream), ctypes.byref(schema)):
        raise MemoryError(stream.get_last_error(ctypes.byref(stream)).decode())
    return schema


def metadata(schema):
    """A field's metadata as a dict."""
    found = {}
    if not schema.metadata:
        return found
    at = schema.metadata

    def integer():
        nonlocal at
        value = ctypes.c_int32.from_buffer_copy(ctypes.string_at(at, 4)).value
        at += 4
        return value

    def text():
        nonlocal at
        length = integer()
        value = ctypes.string_at(at, length).decode()
        at += length
        return value

    for _ in range(integer()):
        key = text()
        found[key] = text()
    return found


def fields(schema):
    """Name, format and metadata of each column."""
    columns = (schema.children[i].contents for i in range(schema.n_children))
    return [(field.name.decode(), field.format.decode(), metadata(field)) for field in columns]


def batches(stream):
    """The batches of a stream one by one, each released when the next is asked for."""
    while True:
        batch = Array()
        if stream.get_next(ctypes.byref(stream), ctypes.byref(batch)):
            raise MemoryError(stream.get_last_error(ctypes.byref(stream)).decode())
        if not batch.release:
            return
        try:
            yield batch
        finally:
            release(batch)


# Python's own objects.


def _values(kind, array):
    """A column as a list, None where there is no value."""
    count, buffers = array.length, array.buffers
    if kind == "U":
        offsets = (ctypes.c_int64 * (count + 1)).from_address(buffers[1])
        data = ctypes.string_at(buffers[2], offsets[count])
        values = [data[offsets[i] : offsets[i + 1]].decode() for i in range(count)]
    elif kind == "b":
        data = ctypes.string_at(buffers[1], (count + 7) // 8)
        values = [bool(data[i // 8] >> i % 8 & 1) for i in range(count)]
    else:
        values = list((_NUMBERS[kind] * count).from_address(buffers[1])) if count else []
    if array.null_count:
        bits = ctypes.string_at(buffers[0], (count + 7) // 8)
        values = [v if bits[i // 8] >> i % 8 & 1 else None for i, v in enumerate(values)]
    if array.dictionary:
        texts = _values("U", array.dictionary.contents)
        values = [None if code is None else texts[code] for code in values]
    return values


def rows(stream):
    """A list of dicts, one for each row. Takes the stream."""
    schema = schema_of(stream)
    found = []
    try:
        described = [(name, kind) for name, kind, _ in fields(schema)]
        names = [name for name, _ in described]
        for batch in batches(stream):
            values = [
                _values(kind, batch.children[i].contents) for i, (_, kind) in enumerate(described)
            ]
            found += [dict(zip(names, row)) for row in zip(*values)]
    finally:
        release(schema)
        release(stream)
    return found


# NumPy.


class _Owner:
    """Keeps a batch until the last array over its memory is gone."""

    def __init__(self, batch):
        self.batch = batch

    def __del__(self):
        release(self.batch)


_NUMBERS = {"l": ctypes.c_int64, "g": ctypes.c_double, "I": ctypes.c_uint32}


def _view(np, kind, address, count, owner):
    """An array over foreign memory; nothing is copied."""
    if not count:
        return np.empty(0, dtype=np.dtype(kind))
    memory = (kind * count).from_address(address)
    memory.owner = owner
    view = np.frombuffer(memory, dtype=np.dtype(kind))
    view.flags.writeable = False
    return view


def _bits(np, address, count):
    packed = _view(np, ctypes.c_uint8, address, (count + 7) // 8, None)
    return np.unpackbits(packed, count=count, bitorder="little").view(bool)


def _texts(np, array):
    count = array.length
    offsets = _view(np, ctypes.c_int64, array.buffers[1], count + 1, None)
    data = ctypes.string_at(array.buffers[2], int(offsets[-1]))
    values = np.empty(count, dtype=object)
    bounds = offsets.tolist()
    for i in range(count):
        values[i] = data[bounds[i] : bounds[i + 1]].decode()
    if array.null_count:
        values[~_bits(np, array.buffers[0], count)] = None
    return values


class Names:
    """A dictionary of texts and, for each row, which of them it has: codes, -1 for none."""

    def __init__(self, codes, texts):
        self.codes = codes
        self.texts = texts

    def values(self, np):
        """The texts, a row each."""
        return np.append(self.texts, None)[self.codes]


def _names(np, array, owner):
    codes = _view(np, ctypes.c_uint32, array.buffers[1], array.length, owner).view(np.int32)
    return Names(codes, _texts(np, array.dictionary.contents))


def _column(np, kind, array, owner):
    count = array.length
    if kind == "U":
        return _texts(np, array)
    if kind == "b":
        return _bits(np, array.buffers[1], count)
    if array.dictionary:
        return _names(np, array, owner)
    values = _view(np, _NUMBERS[kind], array.buffers[1], count, owner)
    if array.null_count:
        values = values.astype(np.float64)
        values[~_bits(np, array.buffers[0], count)] = np.nan
    return values


def _join(np, parts):
    if len(parts) == 1:
        return parts[0]
    if parts and isinstance(parts[0], Names):
        return Names(np.concatenate([part.codes for part in parts]), parts[0].texts)
    return np.concatenate(parts)


_EMPTY = {"l": "i8", "I": "u4", "g": "f8", "U": object, "b": bool}


def columns(stream):
    """Columns by name: NumPy arrays, or Names. Takes the stream. A whole number that is missing
    makes its column one of floats, with NaN."""
    import numpy as np

    schema = schema_of(stream)
    try:
        described = [(name, kind) for name, kind, _ in fields(schema)]
        named = [bool(schema.children[i].contents.dictionary) for i in range(len(described))]
        parts = {name: [] for name, _ in described}
        while True:
            batch = Array()
            if stream.get_next(ctypes.byref(stream), ctypes.byref(batch)):
                raise MemoryError(stream.get_last_error(ctypes.byref(stream)).decode())
            if not batch.release:
                break
            owner = _Owner(batch)
            for i, (name, kind) in enumerate(described):
                child = batch.children[i].contents
                parts[name].append(_column(np, kind, child, owner))
        for (name, kind), is_named in zip(described, named):
            if not parts[name]:
                empty = np.empty(0, dtype=_EMPTY[kind])
                parts[name].append(
                    Names(empty.view("i4"), np.empty(0, dtype=object)) if is_named else empty
                )
    finally:
        release(schema)
        release(stream)
    return {name: _join(np, part) for name, part in parts.items()}

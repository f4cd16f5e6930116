"""Arrow C streams: as capsules for other packages, and as NumPy arrays without any of them."""
from __future__ import annotations

import ctypes
import sys
import threading
from collections.abc import Callable, Iterator
from typing import Any


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


def release(struct: Any) -> None:
    """Releases a schema, an array or a stream, unless it was moved or released already."""
    if struct.release:
        struct.release(ctypes.byref(struct))


# Capsules: the struct lives as long as the capsule; a consumer that takes its content clears its
# release. A capsule's destructor may run while an exception propagates, when Python code must not
# run: capsules without a reference are released when the next one is made.

# Our own prototype: those of ctypes.pythonapi are shared by all its users.
_new = ctypes.PYFUNCTYPE(ctypes.py_object, ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p)(
    ("PyCapsule_New", ctypes.pythonapi)
)
_NAMES = {Schema: b"arrow_schema", Stream: b"arrow_array_stream"}

_made: list[tuple[Any, Any]] = []  # structs and their capsules
_lock = threading.Lock()


def _sweep() -> None:
    held = []
    for pair in _made:
        # those of the pair, and the call's
        if sys.getrefcount(pair[1]) > 2:
            held.append(pair)
        else:
            release(pair[0])
    _made[:] = held


def capsule(struct: Schema | Stream) -> object:
    """A capsule of a Schema or a Stream, as the Arrow PyCapsule interface asks for."""
    made = _new(ctypes.addressof(struct), _NAMES[type(struct)], None)
    with _lock:
        _sweep()
        _made.append((struct, made))
    return made


def schema_of(stream: Stream) -> Schema:
    """The schema of a stream; the caller's to release."""
    schema = Schema()
    if stream.get_schema(ctypes.byref(stream), ctypes.byref(schema)):
        raise MemoryError(stream.get_last_error(ctypes.byref(stream)).decode())
    return schema


def metadata(schema: Schema) -> dict[str, str]:
    """A field's metadata as a dict."""
    found: dict[str, str] = {}
    if not schema.metadata:
        return found
    at = schema.metadata

    def integer() -> int:
        nonlocal at
        value = ctypes.c_int32.from_buffer_copy(ctypes.string_at(at, 4)).value
        at += 4
        return value

    def text() -> str:
        nonlocal at
        length = integer()
        value = ctypes.string_at(at, length).decode()
        at += length
        return value

    for _ in range(integer()):
        key = text()
        found[key] = text()
    return found


def fields(schema: Schema) -> list[tuple[str, str, dict[str, str]]]:
    """Name, format and metadata of each column."""
    columns = (schema.children[i].contents for i in range(schema.n_children))
    return [(field.name.decode(), field.format.decode(), metadata(field)) for field in columns]


def batches(stream: Stream) -> Iterator[Array]:
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


_CHUNK = 4096  # rows that are read at a time: few, to save memory


def _bit_list(address: int, start: int, stop: int) -> list[bool]:
    data = ctypes.string_at(address + start // 8, (stop + 7) // 8 - start // 8)
    return [bool(data[i // 8 - start // 8] >> i % 8 & 1) for i in range(start, stop)]


def _values(kind: str, array: Any, texts: list[Any] | None, start: int, stop: int) -> list[Any]:
    """Rows of a column as a list, None where there is no value. texts: of a dictionary."""
    buffers = array.buffers
    values: list[Any]
    if kind == "U":
        ends = list((ctypes.c_int64 * (stop - start + 1)).from_address(buffers[1] + 8 * start))
        data = ctypes.string_at(buffers[2] + ends[0], ends[-1] - ends[0])
        bounds = zip(ends, ends[1:])
        values = [data[begin - ends[0] : end - ends[0]].decode() for begin, end in bounds]
    elif kind == "b":
        values = _bit_list(buffers[1], start, stop)
    else:
        number = _NUMBERS[kind]
        address = buffers[1] + ctypes.sizeof(number) * start
        values = list((number * (stop - start)).from_address(address))
    if array.null_count:
        known = _bit_list(buffers[0], start, stop)
        values = [value if there else None for value, there in zip(values, known)]
    if texts is not None:
        values = [None if code is None else texts[code] for code in values]
    return values


def _dictionary(array: Any) -> list[Any] | None:
    if not array.dictionary:
        return None
    texts = array.dictionary.contents
    return _values("U", texts, None, 0, texts.length)


def rows(stream: Stream) -> Iterator[dict[str, Any]]:
    """A dict for each row. Takes the stream."""
    schema = Schema()
    try:
        schema = schema_of(stream)
        names = [name for name, _, _ in fields(schema)]
        kinds = [kind for _, kind, _ in fields(schema)]
        for batch in batches(stream):
            columns = [batch.children[i].contents for i in range(len(kinds))]
            texts = [_dictionary(column) for column in columns]
            for start in range(0, batch.length, _CHUNK):
                stop = min(start + _CHUNK, batch.length)
                values = [_values(*column, start, stop) for column in zip(kinds, columns, texts)]
                for row in zip(*values):
                    yield dict(zip(names, row))
    finally:
        release(schema)
        release(stream)


# NumPy.


class _Owner:
    """Keeps a batch alive until the last array over its memory is freed."""

    def __init__(self, batch: Array) -> None:
        self.batch = batch

    def __del__(self) -> None:
        release(self.batch)


_NUMBERS: dict[str, Any] = {"l": ctypes.c_int64, "g": ctypes.c_double, "I": ctypes.c_uint32}


def _view(np: Any, kind: Any, address: int, count: int, owner: _Owner | None) -> Any:
    """An array over foreign memory; nothing is copied."""
    if not count:
        return np.empty(0, dtype=np.dtype(kind))
    memory = (kind * count).from_address(address)
    memory.owner = owner
    view = np.frombuffer(memory, dtype=np.dtype(kind))
    view.flags.writeable = False
    return view


def _bits(np: Any, address: int, count: int) -> Any:
    packed = _view(np, ctypes.c_uint8, address, (count + 7) // 8, None)
    return np.unpackbits(packed, count=count, bitorder="little").view(bool)


def _texts(np: Any, array: Any) -> Any:
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

    def __init__(self, codes: Any, texts: Any) -> None:
        self.codes = codes
        self.texts = texts

    def values(self, np: Any) -> Any:
        """The texts, a row each."""
        return np.append(self.texts, None)[self.codes]


def _names(np: Any, array: Any, owner: _Owner) -> Names:
    codes = _view(np, ctypes.c_uint32, array.buffers[1], array.length, owner).view(np.int32)
    return Names(codes, _texts(np, array.dictionary.contents))


def _column(np: Any, kind: str, array: Any, owner: _Owner) -> Any:
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


def _join(np: Any, parts: list[Any]) -> Any:
    if len(parts) == 1:
        return parts[0]
    if parts and isinstance(parts[0], Names):
        return Names(np.concatenate([part.codes for part in parts]), parts[0].texts)
    return np.concatenate(parts)


_EMPTY: dict[str, Any] = {"l": "i8", "I": "u4", "g": "f8", "U": object, "b": bool}


def columns(stream: Stream, names: tuple[str, ...] | None = None) -> dict[str, Any]:
    """Columns by name: NumPy arrays, or Names; None: all. Takes the stream. A whole number that is
    missing makes its column one of floats, with NaN."""
    import numpy as np

    schema = schema_of(stream)
    try:
        described = [(name, kind) for name, kind, _ in fields(schema)]
        named = [bool(schema.children[i].contents.dictionary) for i in range(len(described))]
        parts: dict[str, list[Any]] = {
            name: [] for name, _ in described if names is None or name in names
        }
        while True:
            batch = Array()
            if stream.get_next(ctypes.byref(stream), ctypes.byref(batch)):
                raise MemoryError(stream.get_last_error(ctypes.byref(stream)).decode())
            if not batch.release:
                break
            owner = _Owner(batch)
            for i, (name, kind) in enumerate(described):
                if name not in parts:
                    continue
                child = batch.children[i].contents
                parts[name].append(_column(np, kind, child, owner))
        for (name, kind), is_named in zip(described, named):
            if name in parts and not parts[name]:
                empty = np.empty(0, dtype=_EMPTY[kind])
                parts[name].append(
                    Names(empty.view("i4"), np.empty(0, dtype=object)) if is_named else empty
                )
    finally:
        release(schema)
        release(stream)
    return {name: _join(np, part) for name, part in parts.items()}

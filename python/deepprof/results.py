"""Traces, analyses, comparisons, and their tables."""
from __future__ import annotations

import contextlib
import ctypes
import dataclasses
import difflib
import functools
import html
import json
import operator
import os
import threading
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, TypeVar, Union

from . import _arrow, _library, errors

if TYPE_CHECKING:
    import numpy
    import pandas
    import polars
    import pyarrow

_lib = _library.lib

Path = Union[str, os.PathLike[str]]


# How many similar names a message suggests, as in the library.
_LISTED_MOST = 10


def unknown(what: str, name: str, names: list[str]) -> str:
    """An error message for a name that is not one of names: the most similar ones first."""
    near = difflib.get_close_matches(name, names, _LISTED_MOST, 0)
    more = f", ... ({len(names) - len(near)} more)" if len(names) > len(near) else ""
    return f"unknown {what} {name!r}; choose {', '.join(near)}{more}"


class Table:
    """A table of results, which data frames take over without a copy where they can.

    It has the Arrow PyCapsule interface, so ``polars.DataFrame(table)``,
    ``pyarrow.table(table)`` and ``duckdb.from_arrow(table)`` read it. ``schema`` has the unit and
    a line of help for each column.

    ``len(table)`` is the number of rows, ``for row in table`` gives each as a dict,
    ``table["period_ns"]`` is a column as a NumPy array, and ``"period_ns" in table`` is true if there
    is such a column.
    """

    def __init__(self, owner: _Owner, name: str, make: Any, loop: int | None = None) -> None:
        self._owner = owner  # must live until streams are read
        self._make = make
        self._loop = -1 if loop is None else loop
        self.name = name

    def _stream(self, nan: bool = False) -> _arrow.Stream:
        stream = _arrow.Stream()
        options = _library.TableOptions(
            ctypes.sizeof(_library.TableOptions), nan, self._loop
        )
        error = _library.Error()
        with self._owner._held() as handle:
            status = self._make(
                ctypes.addressof(stream),
                handle,
                encoded("a table's name", self.name),
                ctypes.byref(options),
                ctypes.byref(error),
            )
        errors.check(status, error)
        return stream

    @functools.cached_property
    def schema(self) -> dict[str, dict[str, str]]:
        """Columns: ``{name: {"unit": "ns", "help": "start of its first kernel"}}``."""
        stream = self._stream()
        schema = _arrow.schema_of(stream)
        try:
            return {name: about for name, _, about in _arrow.fields(schema)}
        finally:
            _arrow.release(schema)
            _arrow.release(stream)

    @property
    def columns(self) -> list[str]:
        """The names of the columns."""
        return list(self.schema)

    @functools.cached_property
    def _length(self) -> int:
        stream = self._stream(nan=True)
        try:
            return sum(batch.length for batch in _arrow.batches(stream))
        finally:
            _arrow.release(stream)

    def __len__(self) -> int:
        return self._length

    def __iter__(self) -> Iterator[dict[str, Any]]:
        yield from _arrow.rows(self._stream())

    def __contains__(self, column: object) -> bool:
        return column in self.schema

    def __getitem__(self, column: str) -> numpy.ndarray:
        if not isinstance(column, str):
            raise TypeError(
                f"expected the name of a column, not {column!r}; to_list() has rows by number"
            )
        if column not in self.schema:
            raise KeyError(unknown("column", column, self.columns))
        return self._arrays((column,))[column]

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        return _arrow.capsule(self._stream())

    def __arrow_c_schema__(self) -> object:
        stream = self._stream()
        try:
            return _arrow.capsule(_arrow.schema_of(stream))
        finally:
            _arrow.release(stream)

    def to_list(self) -> list[dict[str, Any]]:
        """A list of dicts, one for each row; what is missing is None."""
        return list(self)

    def to_numpy(self) -> dict[str, numpy.ndarray]:
        """A dict of NumPy arrays by column.

        The times and sizes of operations, and the metrics of iterations where they are of one loop,
        are views of the library's memory, read-only; other columns are copies. With
        several loops, ``table("iterations", loop=k)`` has the views of each. A missing number is
        NaN, a missing text None.
        """
        return self._arrays(None)

    def _arrays(self, names: tuple[str, ...] | None) -> dict[str, numpy.ndarray]:
        import numpy as np

        found = _arrow.columns(self._stream(nan=True), names)
        return {
            name: column.values(np) if isinstance(column, _arrow.Names) else column
            for name, column in found.items()
        }

    def to_pandas(self) -> pandas.DataFrame:
        """A ``pandas.DataFrame``. Names of operations are categories."""
        import pandas as pd

        found = {}
        for name, column in _arrow.columns(self._stream(nan=True)).items():
            if isinstance(column, _arrow.Names):
                column = pd.Categorical.from_codes(column.codes, column.texts)
            found[name] = column
        return pd.DataFrame(found, copy=False)

    def to_polars(self) -> polars.DataFrame:
        """A ``polars.DataFrame``."""
        import polars

        return polars.DataFrame(self)

    def to_arrow(self) -> pyarrow.Table:
        """A ``pyarrow.Table``."""
        import pyarrow

        return pyarrow.table(self)

    def __repr__(self) -> str:
        if self._owner.closed:
            return f"<deepprof.Table {self.name!r} (closed)>"
        return f"<deepprof.Table {self.name!r}: {len(self)} rows, {len(self.columns)} columns>"


@dataclasses.dataclass(frozen=True)
class Finding:
    """What a rule found.

    ``rule`` and ``severity`` ("info", "warning" or "critical") say what, ``advice`` what to do, and
    ``metric`` which number shows it in each iteration, if one does. ``recoverable_ns`` is the time
    in nanoseconds per iteration that acting on it may save, None where that is not known;
    ``confidence`` is 0 to 1, None if that of the loop is not known; ``iterations`` are the first and
    the last one to look at; ``evidence`` has the numbers, by name (``analysis.table("evidence")`` has
    their units), and ``call`` the API call or kernel that they are about, if it is one; ``ranges``
    what the host did meanwhile; ``loop`` is the id of the loop, and ``loops`` are those of all GPUs
    that it is about; ``overlaps`` is the rule of an earlier finding that includes this cost. A
    finding about the whole capture has neither loop nor iterations: they are None.
    """

    rule: str
    severity: str
    confidence: float | None
    loop: int | None
    loops: list[int]
    iterations: tuple[int, int] | None
    recoverable_ns: float | None
    advice: str
    evidence: dict[str, float]
    ranges: list[dict[str, Any]]
    overlaps: str | None
    metric: str | None
    call: str | None


_Self = TypeVar("_Self", bound="_Owner")


class _Owner:
    """A handle of the library, freed with the last reference."""

    _free: Any = None

    def __init__(self, handle: int | None) -> None:
        self._handle = handle
        self._closed = False
        self._users = 0
        self._guard = threading.Lock()

    @property
    def closed(self) -> bool:
        """Whether :meth:`close` was called."""
        return self._closed

    def close(self) -> None:
        """Frees what it holds, as far as no table needs it: at once, or when calls that use it in
        other threads have returned. Later calls raise ValueError."""
        self._closed = True
        self._free_unused()

    def _free_unused(self) -> None:
        with self._guard:
            if not self._closed or self._users:
                return
            handle, self._handle = self._handle, None
        if handle:
            type(self)._free(handle)

    def __del__(self) -> None:
        if getattr(self, "_guard", None):
            self.close()

    def __enter__(self: _Self) -> _Self:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()

    @contextlib.contextmanager
    def _held(self) -> Iterator[int]:
        """The handle, which is valid until the end of the block, even if another thread closes."""
        with self._guard:
            if self._closed or not self._handle:
                raise ValueError(f"the {type(self).__name__} is closed")
            handle = self._handle
            self._users += 1
        try:
            yield handle
        finally:
            with self._guard:
                self._users -= 1
            self._free_unused()

    def __reduce__(self) -> Any:
        raise TypeError(
            f"cannot copy or pickle {type(self).__name__}: it holds memory of this process"
        )

    def _about(self) -> str:
        """What the representation shows while it is open."""
        raise NotImplementedError

    def __repr__(self) -> str:
        return f"<deepprof.{type(self).__name__}{' (closed)' if self.closed else self._about()}>"


def collected(write: Callable[[Any, Any], int]) -> bytes:
    """The bytes that ``write(sink, error)`` sends to the sink; it returns a status."""
    parts: list[bytes] = []
    raised: list[BaseException] = []

    def take(_: object, data: int, size: int) -> int:
        try:
            parts.append(ctypes.string_at(data, size))
        except BaseException as error:  # raised again below, since ctypes would print it and continue
            raised.append(error)
        return len(raised)

    sink, error = _library.Sink(_library.WRITE(take), None), _library.Error()
    status = write(ctypes.byref(sink), ctypes.byref(error))
    if raised:
        raise raised[0]
    errors.check(status, error)
    return b"".join(parts)


class _Report(_Owner):
    """A result that can be written as a report."""

    _write: Any = None

    def report(
        self,
        format: str = "text",
        *,
        width: int = 80,
        verbose: bool = False,
        brief: bool = False,
        color: bool = False,
    ) -> Any:
        """The report in a format that the command knows: text, json, csv, html, markdown, …

        Returns str, or bytes where the format is binary. Width is in columns, of text.
        """
        options = _library.ReportOptions(
            size=ctypes.sizeof(_library.ReportOptions),
            width=width,
            color=color,
            verbose=verbose,
            brief=brief,
            height=0xFFFFFFFF,
        )
        write, name = type(self)._write, encoded("format", format)
        with self._held() as handle:
            data = collected(
                lambda sink, error: write(handle, name, ctypes.byref(options), sink, error)
            )
        return data if format in ("sqlite", "perfetto") else data.decode()

    def to_json(self) -> str:
        """The JSON report, whole, as a str: libraries for JSON Schema and jq read it."""
        return str(self.report("json"))

    def __str__(self) -> str:
        return str(self.report("text"))


class _Tables(_Report):
    """A report that has tables, too."""

    _make: Any = None
    _of = ""

    def table(self, name: str, loop: int | None = None) -> Table:
        """A :class:`Table` by name; ``tables()`` lists them.

        With ``loop``, the id of a loop of an analysis, only rows of it, for tables that have a
        column "loop".
        """
        table = Table(self, name, type(self)._make, whole("loop", loop))
        if self.closed or not isinstance(name, str) or name not in self.tables():
            table._stream()  # raises the error
        return table

    @classmethod
    def tables(cls) -> dict[str, str]:
        """The tables that there are, with a line of help each."""
        return _library.tables(cls._of)

    def _repr_html_(self) -> str:
        page = html.escape(self.report("html"), quote=True)
        return (
            f'<iframe srcdoc="{page}" sandbox="allow-scripts allow-downloads" '
            'style="width: 100%; height: 640px; border: 0"></iframe>'
        )


class Trace(_Owner):
    """A trace in memory, for several analyses of a file that is read once:
    ``deepprof.analyze(trace, level="innermost")``. Analyses keep what they need of it."""

    _free = _lib.dp_trace_free

    @property
    def path(self) -> str:
        """Where it was read from."""
        with self._held() as handle:
            return os.fsdecode(_lib.dp_trace_path(handle))

    @property
    def format(self) -> str:
        """The importer that read it: "kineto", "nsys", …"""
        with self._held() as handle:
            return os.fsdecode(_lib.dp_trace_format(handle))

    @property
    def duration_ns(self) -> int:
        """Nanoseconds from the first GPU operation's start to the last one's end."""
        with self._held() as handle:
            return int(_lib.dp_trace_duration_ns(handle))

    def _about(self) -> str:
        return f" {self.path!r}: {self.format}, {self.duration_ns / 1e9:.3f} s"


class Analysis(_Tables):
    """What :func:`deepprof.analyze` found."""

    _free = _lib.dp_analysis_free
    _write = _lib.dp_report_write
    _make = _lib.dp_analysis_table
    _of = "analysis"

    def __init__(self, handle: int | None) -> None:
        super().__init__(handle)
        self._lock = threading.Lock()
        self._summary: dict[str, Any] | None = None
        self._findings: list[Finding] | None = None

    @property
    def path(self) -> str:
        """The trace's."""
        with self._held() as handle:
            return os.fsdecode(_lib.dp_trace_path(_lib.dp_analysis_trace(handle)))

    @property
    def diagnosed(self) -> bool:
        """Whether rules were run. They need all metrics: with ``metrics=`` there are no findings,
        which says nothing of the run."""
        with self._held() as handle:
            return bool(_lib.dp_analysis_is_diagnosed(handle))

    @property
    def summary(self) -> dict[str, Any]:
        """The report in brief, as a dict: the main loop, those with the most time, and the first findings."""
        with self._lock:
            if self._summary is None:
                self._summary = json.loads(self.report("json", brief=True))
            return self._summary

    @property
    def findings(self) -> list[Finding]:
        """All findings, by severity, then by what they cost in all: a list of :class:`Finding`."""
        with self._lock:
            if self._findings is None:
                self._findings = self._read_findings()
            return self._findings

    def _read_findings(self) -> list[Finding]:
        found = self.table("findings").to_list()
        calls: dict[int, str] = {}
        lists: Iterator[list[list[Any]]] = ([[] for _ in found] for _ in range(3))
        evidence, ranges, loops = lists
        for row in self.table("evidence").to_list():
            evidence[row["finding"]].append((row["name"], row["value"]))
            if row["call"]:
                calls.setdefault(row["finding"], row["call"])
        for row in self.table("finding_ranges").to_list():
            ranges[row.pop("finding")].append(row)
        for row in self.table("finding_loops").to_list():
            loops[row["finding"]].append(row["loop"])
        return [
            Finding(
                rule=row["rule"],
                severity=row["severity"],
                confidence=row["confidence"],
                loop=row["loop"],
                loops=loops[i],
                iterations=None
                if row["loop"] is None
                else (row["first_iteration"], row["last_iteration"]),
                recoverable_ns=row["recoverable_ns"],
                advice=row["advice"],
                evidence=dict(evidence[i]),
                ranges=ranges[i],
                overlaps=row["overlaps"],
                metric=row["metric"],
                call=calls.get(i),
            )
            for i, row in enumerate(found)
        ]

    def _about(self) -> str:
        return f" {self.path!r}"


class Comparison(_Tables):
    """What :func:`deepprof.compare` found."""

    _free = _lib.dp_comparison_free
    _write = _lib.dp_comparison_write
    _make = _lib.dp_comparison_table
    _of = "comparison"

    def __init__(self, handle: int | None, before: Analysis, after: Analysis) -> None:
        super().__init__(handle)
        self.before = before
        self.after = after

    def _about(self) -> str:
        return f" {self.before!r} -> {self.after!r}"


class Ranks(_Tables):
    """What :func:`deepprof.ranks` found: the formats are text, json, csv, html, markdown and perfetto, and
    ``table("ranks")`` has a row for each rank."""

    _free = _lib.dp_ranks_free
    _write = _lib.dp_ranks_write
    _make = _lib.dp_ranks_table
    _of = "ranks"

    @property
    def verdict(self) -> dict[str, Any]:
        """Who holds the job up, as a dict: ``kind`` is "none" where nobody does."""
        return dict(json.loads(self.to_json())["verdict"])

    def _about(self) -> str:
        return f": {self.verdict['kind']}"


class Summary(_Owner):
    """What comparing ranks needs of one trace, or of several."""

    _free = _lib.dp_summary_free


def whole(name: str, value: Any) -> int | None:
    """An option that is a whole number from 0 on, of NumPy's types, too, or None."""
    if value is None:
        return None
    number = operator.index(value)
    if number < 0:
        raise errors.ArgumentError(f"{name} is negative: {number}")
    return number


def encoded(what: str, value: Any) -> bytes:
    """A text as the library takes it."""
    if not isinstance(value, str):
        raise TypeError(f"{what} is a str, not {value!r}")
    return without_null(what, value.encode())


def without_null(what: str, value: bytes) -> bytes:
    """The bytes, unless C would take only what precedes a null byte."""
    if b"\0" in value:
        raise ValueError(f"{what} has a null byte: {value!r}")
    return value


def path_bytes(path: Path) -> bytes:
    """A path as the library takes it."""
    return without_null("a path", os.fsencode(path))

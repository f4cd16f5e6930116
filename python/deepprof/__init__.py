"""What one iteration of a GPU program is, how long each takes, and what the GPU waited for.

>>> import deepprof
>>> r = deepprof.analyze("data/sample.json.gz")
>>> r.findings[0].rule
'input-bound'
>>> round(r.summary["loops"][0]["summary"]["median_period_ns"] / 1e6)  # milliseconds
115
>>> len(r.table("iterations").to_list())
26

Times are nanoseconds from the trace's first GPU operation, sizes are bytes, shares are 0 to 1.
"""
from __future__ import annotations

import contextlib
import ctypes
import operator
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from . import _library, errors, plot as plot, progress as _progress
from .engines import analyze_many, local
from .errors import (
    ArgumentError,
    DamagedError,
    DeepprofError,
    FileError,
    FormatError,
    LimitError,
    NoGpuError,
    UnsupportedError,
)
from .ranks import ranks, reduce
from .record import record
from .results import (
    Analysis,
    Comparison,
    Finding,
    Path,
    Ranks,
    Table,
    Trace,
    encoded,
    path_bytes,
    whole,
)

__all__ = [
    "Analysis",
    "ArgumentError",
    "Comparison",
    "DamagedError",
    "DeepprofError",
    "FileError",
    "Finding",
    "FormatError",
    "LimitError",
    "NoGpuError",
    "Ranks",
    "Table",
    "Trace",
    "UnsupportedError",
    "analyze",
    "analyze_many",
    "compare",
    "open",
    "plot",
    "ranks",
    "record",
    "reduce",
]

_lib = _library.lib
__version__ = _lib.dp_version().decode()


def __dir__() -> list[str]:
    return [*__all__, "__doc__", "__version__"]


_LEVELS = {"default": 0, "outermost": 1, "innermost": 2}


class _Calls:
    """Callbacks that the library calls. An exception, which cannot propagate through C, ends
    them, and is raised once the library has returned."""

    def __init__(self) -> None:
        self.error: BaseException | None = None

    def make(self, function: Callable[..., object], *args: object) -> None:
        if self.error is None:
            try:
                function(*args)
            except BaseException as error:  # an interrupt, too
                self.error = error

    def check(self) -> None:
        if self.error is not None:
            raise self.error


def _log(log: Callable[[str, str], object] | None, calls: _Calls) -> Any:
    """struct dp_log for a function of (level, message), or none."""
    if log is None:
        return _library.Log()
    names = ("debug", "info", "warning")

    def write(_: object, level: int, text: bytes) -> None:
        calls.make(log, names[level], text.decode("utf-8", "replace"))

    return _library.Log(_library.LOG(write), None)


def open(
    path: Path,
    *,
    input_format: str | None = None,
    label: str | None = None,
    progress: Callable[[int, int], object] | bool | None = None,
    log: Callable[[str, str], object] | None = None,
) -> Trace:
    """Reads a trace file whole: Kineto, nsys, nvprof, rocprofv3, XPlane, deepprof's own, and gzip.

    path          the trace file, or a URL that fsspec knows (s3://, gs://)
    input_format  the importer, by name; None: whichever recognizes the file
    label         what reports and errors call a file that stands for another, such as a temporary
                  copy; None: its path
    progress      called with the bytes read so far and the file's size in bytes (0: not known),
                  by the calling thread. Only reading reports progress, not the analysis.
                  None or True: a bar in a notebook, once reading takes longer than a second, and
                  nothing elsewhere; False: nothing
    log           called with a level ("debug", "info", "warning") and a message

    An exception in progress or log is raised once the file has been read.
    """
    report, calls = _progress.reporter(progress), _Calls()
    options = _library.OpenOptions(
        size=ctypes.sizeof(_library.OpenOptions),
        input_format=encoded("input_format", input_format) if input_format is not None else None,
        log=_log(log, calls),
    )
    if report is not None:
        options.progress = _library.PROGRESS(lambda _, done, total: calls.make(report, done, total))
    handle, error = ctypes.c_void_p(), _library.Error()
    with local(path) as (name, url):
        called = url if label is None else label
        options.label = path_bytes(called) if called is not None else None
        status = _lib.dp_trace_open(
            ctypes.byref(handle), path_bytes(name), ctypes.byref(options), ctypes.byref(error)
        )
    trace = Trace(handle.value)
    calls.check()
    errors.check(status, error)
    return trace


def _ns(time: Any) -> int:
    """Nanoseconds as an int, from any number: NumPy's, or a float from a table."""
    return int(time) if isinstance(time, float) else operator.index(time)


def _pair(name: str, values: Iterable[Any]) -> tuple[Any, Any]:
    """An option of two numbers."""
    numbers = tuple(values)
    if len(numbers) != 2:
        raise errors.ArgumentError(f"{name} has two numbers, not {len(numbers)}: {values!r}")
    return numbers[0], numbers[1]


def _array(kind: Any, values: Iterable[Any]) -> tuple[ctypes.Array[Any], int]:
    values = list(values)
    return (kind * len(values))(*values), len(values)


def _options(
    iterations: Any, marks: Any, ignore_marks: Any, level: Any, device: Any, stream: Any,
    range_ns: Any, batch_size: Any, flops: Any, metrics: Any, thresholds: Any, paper: Any,
    explain: Any, log: Any, calls: _Calls,
) -> Any:  # fmt: skip
    if level not in _LEVELS:
        raise errors.ArgumentError(f"unknown level {level!r}; choose {', '.join(_LEVELS)}")
    device, stream = whole("device", device), whole("stream", stream)
    bounds = (-(2**63), 2**63 - 1) if range_ns is None else map(_ns, _pair("range_ns", range_ns))
    range_start_ns, range_end_ns = bounds
    options = _library.AnalysisOptions(
        size=ctypes.sizeof(_library.AnalysisOptions),
        paper=bool(paper),
        epsilon=1,
        max_unmatched=100,
        marks=encoded("marks", marks) if marks is not None else None,
        ignore_marks=bool(ignore_marks),
        level=_LEVELS[level],
        device=-1 if device is None else device,
        stream=-1 if stream is None else stream,
        range_start_ns=range_start_ns,
        range_end_ns=range_end_ns,
        batch_size=whole("batch_size", batch_size) or 0,
        flops=float(flops or 0),
        explain=bool(explain),
        log=_log(log, calls),
    )
    if options.flops < 0:
        raise errors.ArgumentError(f"flops is negative: {flops}")
    if iterations is not None:
        counts = iterations if isinstance(iterations, Iterable) else [iterations]
        numbers = (whole("a number of iterations", count) for count in counts)
        options.iterations, options.iterations_count = _array(ctypes.c_uint64, numbers)
    if metrics is not None:
        if isinstance(metrics, str):
            raise TypeError(f"expected a list of names of metrics, not one text: {metrics!r}")
        names = (encoded("the name of a metric", name) for name in metrics)
        options.metrics, options.metrics_count = _array(ctypes.c_char_p, names)
    if thresholds:
        pairs = (
            _library.Threshold(encoded("the name of a rule", rule), float(share))
            for rule, share in thresholds.items()
        )
        options.thresholds, options.thresholds_count = _array(_library.Threshold, pairs)
    return options


def analyze(
    path: Trace | Path,
    *,
    iterations: int | Sequence[int] | None = None,
    marks: str | None = None,
    ignore_marks: bool = False,
    level: str = "default",
    device: int | None = None,
    stream: int | None = None,
    range_ns: tuple[int, int] | None = None,
    batch_size: int | None = None,
    flops: float | None = None,
    metrics: Iterable[str] | None = None,
    thresholds: Mapping[str, float] | None = None,
    paper: bool = False,
    explain: bool = False,
    input_format: str | None = None,
    label: str | None = None,
    progress: Callable[[int, int], object] | bool | None = None,
    log: Callable[[str, str], object] | None = None,
) -> Analysis:
    """Finds the iterations of a trace and what its GPUs waited for; returns an :class:`Analysis`.

    path            a trace file, a :class:`Trace` that :func:`open` read, or the JSON report of an
                    earlier analysis; of files, also a URL that fsspec knows (s3://, gs://)
    iterations      how many there are, if that is known: a number, or one for each loop
    marks           a regular expression: iterations are the annotations whose names it matches
    ignore_marks    find iterations from kernels, whatever annotations say
    level           which of nested loops to report on: default, outermost, innermost
    device, stream  of these only
    range_ns        (start, end) in nanoseconds from the trace's first GPU operation: only kernels
                    that start between them
    batch_size      samples in an iteration, for throughput
    flops           floating-point operations of an iteration on one GPU, for MFU
    metrics         names of those to compute; None: all. Rules need all: with names they are not
                    run, ``diagnosed`` of the result is False, and there are no findings
    thresholds      {rule: share} at which a rule reports, in place of its own
    paper           the published algorithm to the letter; needs iterations
    explain         keep how the iterations were found, for ``report("json")``
    input_format, label, progress, log
                    as in :func:`open`; of a file

    The GIL is released while it works.
    """
    calls = _Calls()
    options = _options(
        iterations, marks, ignore_marks, level, device, stream, range_ns, batch_size, flops,
        metrics, thresholds, paper, explain, log, calls,
    )  # fmt: skip
    if isinstance(path, Trace):
        return _analysis(path, options, calls)
    with local(path) as (name, url):
        if _lib.dp_analysis_is_report(path_bytes(name)):
            return _saved(name)
        label = url if label is None else label
        trace = open(name, input_format=input_format, label=label, progress=progress, log=log)
    with trace:  # the analysis keeps what it needs
        return _analysis(trace, options, calls)


def _saved(path: Path) -> Analysis:
    """The analysis of a JSON report."""
    handle, error = ctypes.c_void_p(), _library.Error()
    status = _lib.dp_analysis_read(ctypes.byref(handle), path_bytes(path), ctypes.byref(error))
    errors.check(status, error)
    return Analysis(handle.value)


def _analysis(trace: Trace, options: Any, calls: _Calls) -> Analysis:
    handle, error = ctypes.c_void_p(), _library.Error()
    with trace._held() as held:
        status = _lib.dp_analysis_run(
            ctypes.byref(handle), held, ctypes.byref(options), ctypes.byref(error)
        )
    errors.check(status, error)
    analysis = Analysis(handle.value)
    calls.check()
    return analysis


def compare(
    before: Analysis | Trace | Path,
    after: Analysis | Trace | Path,
    *,
    confidence: float = 0.95,
    loops: tuple[int, int] | None = None,
) -> Comparison:
    """Compares two runs, iteration by iteration; returns a :class:`Comparison`.

    before, after   analyses, traces that :func:`open` read, or what :func:`analyze` reads
    confidence      of the intervals, above 0.5 and below 1
    loops           ids of a loop of each run; None: those that are alike
    """
    runs = [run if isinstance(run, Analysis) else analyze(run) for run in (before, after)]
    options = _library.CompareOptions(ctypes.sizeof(_library.CompareOptions), float(confidence))
    if loops is not None:
        ids = (whole("a loop", loop) for loop in _pair("loops", loops))
        options.loops, _ = _array(ctypes.c_size_t, ids)
    handle, error = ctypes.c_void_p(), _library.Error()
    with contextlib.ExitStack() as held:
        handles = [held.enter_context(run._held()) for run in runs]
        status = _lib.dp_comparison_run(
            ctypes.byref(handle), *handles, ctypes.byref(options), ctypes.byref(error)
        )
    errors.check(status, error)
    return Comparison(handle.value, *runs)

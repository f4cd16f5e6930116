"""The ranks of a distributed job."""
from __future__ import annotations

import contextlib
import ctypes
import os
import pathlib
from collections.abc import Iterable, Iterator
from typing import Any

from . import _library, errors
from .engines import Executor, engine, listed, local
from .results import Path, Ranks, Summary, collected, path_bytes

_lib = _library.lib

# Options that do not affect results.
_SILENT = ("log", "progress", "label")

# Levels of subfolders: profilers create one for each host or rank.
_DEPTH = 3


def settings(options: dict[str, Any]) -> str:
    """What decides what an analysis finds, in the command's words."""
    options = {
        name: value
        for name, value in options.items()
        if value is not None and value is not False and name not in _SILENT
    }
    words = [f"deepprof {_lib.dp_version().decode()}"]
    if counts := options.pop("iterations", None):
        counts = counts if isinstance(counts, (list, tuple)) else [counts]
        words.append("-n " + ",".join(map(str, counts)))
    for name in "marks", "ignore_marks", "level", "input_format":
        value = options.pop(name, None)
        if value is True:
            words.append("--ignore-marks")
        elif value and value != "default":
            words.append(f"--{name.replace('_', '-')}={value}")
    for name in sorted(options):
        value = options[name]  # NumPy's numbers as Python's
        words.append(f"{name}={value.item() if hasattr(value, 'item') else value!r}")
    return " ".join(words)


def source_of(path: Path, options: dict[str, Any]) -> Any:
    """struct dp_summary_source of a trace that is about to be read; of a URL without size and
    time."""
    source = _library.SummarySource(
        size=ctypes.sizeof(_library.SummarySource),
        name=path_bytes(path),
        settings=settings(options).encode(),
    )
    if "://" not in os.fspath(path):
        with contextlib.suppress(OSError):
            status = os.stat(path)
            source.bytes, source.modified_ns = status.st_size, status.st_mtime_ns
    return source


@contextlib.contextmanager
def held(summaries: list[Summary]) -> Iterator[Any]:
    """An array of handles, as the library takes them."""
    with contextlib.ExitStack() as stack:
        handles = [stack.enter_context(one._held()) for one in summaries]
        yield (ctypes.c_void_p * len(handles))(*handles)


def to_bytes(summaries: list[Summary]) -> bytes:
    """Summaries as one file's bytes."""
    with held(summaries) as handles:
        return collected(
            lambda sink, error: _lib.dp_summary_write(handles, len(handles), sink, error)
        )


def from_bytes(data: bytes) -> Summary:
    """Summaries that were written."""
    handle, error = ctypes.c_void_p(), _library.Error()
    status = _lib.dp_summary_read(ctypes.byref(handle), data, len(data), ctypes.byref(error))
    errors.check(status, error)
    return Summary(handle.value)


def state(source: Any) -> tuple[int, int, bytes]:
    """What a summary is up to date by."""
    return source.bytes, source.modified_ns, source.settings


def kept_summary(path: Path, source: Any) -> bytes | None:
    """The bytes of the summary that lies next to a trace, None unless it was made of the trace as it
    is now, with these options."""
    with contextlib.suppress(OSError, errors.DeepprofError):
        data = pathlib.Path(f"{os.fspath(path)}.dpsum").read_bytes()
        with from_bytes(data) as summary, summary._held() as handle:
            of, another = (_lib.dp_summary_source(handle, i) for i in range(2))
            if of and not another and source.modified_ns and state(of[0]) == state(source):
                return data
    return None


def summarize(path: Path, options: dict[str, Any]) -> bytes | errors.DeepprofError:
    """The bytes of a trace's summary, or the error that it cannot be read for."""
    import deepprof

    handle, error = ctypes.c_void_p(), _library.Error()
    source = source_of(path, options)
    if data := kept_summary(path, source):
        return data
    try:
        with local(path) as (name, label):
            if _lib.dp_summary_is_summary(path_bytes(name)):
                data = pathlib.Path(name).read_bytes()
                from_bytes(data).close()
                return data
            with deepprof.analyze(name, label=label, **options) as one, one._held() as analysis:
                status = _lib.dp_summary_run(
                    ctypes.byref(handle), analysis, ctypes.byref(source), ctypes.byref(error)
                )
            errors.check(status, error)
    except errors.DeepprofError as trouble:
        return trouble
    with Summary(handle.value) as summary:
        return to_bytes([summary])


def files_of(folder: str, depth: int = 1) -> Iterator[str]:
    """The traces and summaries in a folder, and in those in it, as the command finds them."""
    with os.scandir(folder) as entries:
        for entry in entries:
            if entry.name.startswith("."):
                continue
            if entry.is_dir() and depth < _DEPTH:
                yield from files_of(entry.path, depth + 1)
            elif entry.is_file() and _lib.dp_trace_is_trace_name(os.fsencode(entry.name)):
                yield entry.path


def found_files(paths: Iterable[Path] | Path) -> list[str]:
    """Paths in order, each once, with files in place of folders. A trace's own summary in a folder
    is left out."""
    found: set[str] = set()
    given = [os.fspath(one) for one in listed(paths)]
    for path in given:
        found.update(files_of(path) if os.path.isdir(path) else [path])
    if not given:
        raise errors.ArgumentError("no traces, summaries or folders were given")
    if not found:
        raise errors.ArgumentError(
            f"{given[0]}: contains no files that are named as traces (.json, .json.gz, .db, "
            ".sqlite, .nsys-rep, .xplane.pb and others) or summaries (.dpsum)",
            given[0],
        )
    return sorted(
        path for path in found if not (path.endswith(".dpsum") and path[:-6] in found)
    )


def summarize_all(
    paths: Iterable[Path] | Path, executor: Executor | None, threads: int | None, options: dict[str, Any]
) -> tuple[list[str], list[Any]]:
    """Paths in order, and for each what :func:`summarize` returns."""
    files = found_files(paths)
    with engine(executor, threads) as pool:
        futures = [pool.submit(summarize, path, options) for path in files]
        return files, [future.result() for future in futures]


def named(path: str, error: Any) -> Any:
    """An error whose message begins with the path that was given."""
    text = str(error)
    if text.startswith(path):
        return error
    kind, (_, _, *where) = error.__reduce__()
    return kind(f"{path}: {text}", path, *where)


def ranks(
    paths: Iterable[Path] | Path,
    executor: Executor | None = None,
    *,
    threads: int | None = None,
    **options: Any,
) -> Ranks:
    """Compares the ranks of a job, of traces, summaries, or both; returns :class:`Ranks`.

    paths     files, or folders of them; one path alone may be given as it is
    executor  anything with ``submit``: ``concurrent.futures`` pools, ``dask.distributed.Client``,
              ``mpi4py.futures.MPIPoolExecutor``; None: threads
    threads   without an executor: files that are analyzed at a time; None: one for each core
    options   those of :func:`deepprof.analyze`

    Paths may be folders, which are searched for files named as traces or summaries, and URLs of
    files that fsspec reads; the worker fetches them, and only summaries come back. Files that cannot
    be read are named in the report and left out, unless that is all of them: then the first one's
    error is raised. Where an up-to-date summary lies next to a trace (TRACE.dpsum), the trace is not
    read. The result depends neither on the order of files nor on what runs them.
    """
    paths, found = summarize_all(paths, executor, threads, options)
    summaries = [from_bytes(one) for one in found if isinstance(one, bytes)]
    lost = [(path, one) for path, one in zip(paths, found) if isinstance(one, Exception)]
    if lost and not summaries:
        raise named(*lost[0])
    left_out = (_library.LeftOut * len(lost))(
        *(
            _library.LeftOut(path_bytes(path), str(error).removeprefix(f"{path}: ").encode())
            for path, error in lost
        )
    )
    settled = _library.RanksOptions(
        ctypes.sizeof(_library.RanksOptions), left_out, len(left_out)
    )
    handle, error = ctypes.c_void_p(), _library.Error()
    with held(summaries) as handles:
        status = _lib.dp_ranks_run(
            ctypes.byref(handle), handles, len(handles), ctypes.byref(settled), ctypes.byref(error)
        )
    errors.check(status, error)
    return Ranks(handle.value)


def reduce(
    paths: Iterable[Path] | Path,
    executor: Executor | None = None,
    *,
    threads: int | None = None,
    **options: Any,
) -> bytes:
    """The summaries of traces and of other summaries, merged, as bytes.

    They are what ``deepprof reduce -o FILE.dpsum`` writes: the command and :func:`deepprof.ranks`
    read them from a file. Arguments are those of :func:`deepprof.ranks`. A file that cannot be read
    is an error. The bytes depend neither on the order of files nor on what runs them, nor on which
    were merged before.
    """
    paths, found = summarize_all(paths, executor, threads, options)
    for path, one in zip(paths, found):
        if isinstance(one, Exception):
            raise named(path, one)
    return to_bytes([from_bytes(one) for one in found])

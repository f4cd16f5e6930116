"""Many files at once: on threads, on a Dask cluster, over MPI."""
from __future__ import annotations

import concurrent.futures
import contextlib
import errno
import os
import pathlib
import shutil
import tempfile
from collections.abc import Callable, Iterable, Iterator
from typing import Any, Protocol

from . import errors
from .results import Path


class Executor(Protocol):
    """What runs calls somewhere and returns futures of their results."""

    def submit(self, function: Callable[..., Any], /, *args: Any) -> Any: ...


@contextlib.contextmanager
def local(path: Path) -> Iterator[tuple[str, str | None]]:
    """A path on this machine for a path or a URL that fsspec knows (s3://, gs://), and what to call
    it in reports: None for a path."""
    text = os.fsdecode(path)
    if "://" not in text:
        yield text, None
        return
    try:
        import fsspec
    except ImportError as error:
        raise ImportError(f"{text}: pip install 'deepprof[url]' to read URLs") from error

    with tempfile.TemporaryDirectory(prefix="deepprof-") as folder:
        name = pathlib.Path(folder, text.rpartition("/")[2] or "trace")
        try:
            with fsspec.open(text, "rb") as source, open(name, "wb") as target:
                shutil.copyfileobj(source, target, 1 << 20)
        except ImportError:
            raise  # the message says what to install
        except Exception as error:  # each file system has its own
            message = f"{text}: {error or type(error).__name__}"
            number = getattr(error, "errno", None)
            if number is None and isinstance(error, FileNotFoundError):
                number = errno.ENOENT  # a store's own error has a message only
            raise errors.file_error(message, text, errno=number) from error
        yield str(name), text


def report(path: Path, brief: bool, options: dict[str, Any]) -> str:
    """The JSON report of one file, where the worker is."""
    import deepprof

    with deepprof.analyze(path, **options) as analysis:
        return str(analysis.report("json", brief=brief))


def listed(paths: Iterable[Path] | Path) -> list[Path]:
    """Paths as a list; one path alone is a list of it."""
    return [paths] if isinstance(paths, (str, os.PathLike)) else list(paths)


@contextlib.contextmanager
def engine(executor: Executor | None, threads: int | None = None) -> Iterator[Executor]:
    """What has ``submit``; threads where it is None: that many, or one for each core."""
    if executor is not None:
        yield executor
        return
    with concurrent.futures.ThreadPoolExecutor(threads or os.cpu_count()) as pool:
        yield pool


def analyze_many(
    paths: Iterable[Path] | Path,
    executor: Executor | None = None,
    *,
    brief: bool = True,
    **options: Any,
) -> list[str]:
    """JSON reports (str) of many traces, in the order of paths.

    executor  anything with ``submit``: ``concurrent.futures`` pools, ``dask.distributed.Client``,
              ``mpi4py.futures.MPIPoolExecutor``; None: threads, one for each core
    brief     at most 20 KB for each, without iterations
    options   those of :func:`deepprof.analyze`

    Paths may be URLs that fsspec reads; the worker fetches them. The bytes do not depend on the
    executor.
    """
    paths = listed(paths)
    with engine(executor) as pool:
        futures = [pool.submit(report, path, brief, options) for path in paths]
        return [future.result() for future in futures]

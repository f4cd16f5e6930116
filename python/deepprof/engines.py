"""Many files at once: on threads, on a Dask cluster, over MPI."""
from __future__ import annotations

import concurrent.futures
import contextlib
import os
import pathlib
import shutil
import tempfile
from collections.abc import Callable, Iterable
from typing import Any, Protocol

from .results import Path


class Executor(Protocol):
    """What runs calls somewhere and returns futures of their results."""

    def submit(self, function: Callable[..., Any], /, *args: Any) -> Any: ...


@contextlib.contextmanager
def local(path):
    """A path on this machine for a path or a URL that fsspec knows (s3://, gs://)."""
    text = os.fspath(path)
    if "://" not in text:
        yield text
        return
    import fsspec

    with tempfile.TemporaryDirectory(prefix="deepprof-") as folder:
        name = pathlib.Path(folder, text.rpartition("/")[2] or "trace")
        with fsspec.open(text, "rb") as source, open(name, "wb") as target:
            shutil.copyfileobj(source, target, 1 << 20)
        yield str(name)


def report(path, brief, options):
    """The JSON report of one file, where the worker is."""
    import deepprof

    with local(path) as name, deepprof.analyze(name, **options) as analysis:
        return analysis.report("json", brief=brief)


@contextlib.contextmanager
def engine(executor):
    """What has ``submit``; threads where it is None."""
    if executor is not None:
        yield executor
        return
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as threads:
        yield threads


def analyze_many(
    paths: Iterable[Path],
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
    with engine(executor) as pool:
        futures = [pool.submit(report, path, brief, options) for path in paths]
        return [future.result() for future in futures]

"""The ranks of a distributed job."""
import concurrent.futures
import ctypes
import os

from . import _library, errors
from .results import Ranks, Summary, path_bytes

_lib = _library.lib


def summarize(path, options):
    """A trace's summary, or the error that it cannot be read for."""
    import deepprof

    handle, error = ctypes.c_void_p(), _library.Error()
    try:
        with deepprof.analyze(path, **options) as analysis:
            status = _lib.dp_summary_run(
                ctypes.byref(handle), analysis._alive(), path_bytes(path), ctypes.byref(error)
            )
        errors.check(status, error)
    except errors.DeepprofError as trouble:
        return trouble
    return Summary(handle.value)


def compare_summaries(paths, found):
    """The result of summaries; what could not be read is named in it."""
    summaries = [one for one in found if isinstance(one, Summary)]
    lost = [(path, one) for path, one in zip(paths, found) if not isinstance(one, Summary)]
    handles = (ctypes.c_void_p * len(summaries))(*(one._alive() for one in summaries))
    left_out = (_library.LeftOut * len(lost))(
        *(_library.LeftOut(path_bytes(path), str(why).encode()) for path, why in lost)
    )
    options = _library.RanksOptions(
        ctypes.sizeof(_library.RanksOptions), left_out, len(left_out)
    )
    handle, error = ctypes.c_void_p(), _library.Error()
    status = _lib.dp_ranks_run(
        ctypes.byref(handle), handles, len(handles), ctypes.byref(options), ctypes.byref(error)
    )
    errors.check(status, error)
    return Ranks(handle.value)


def ranks(paths, *, threads=None, **options):
    """Compares the ranks of a job, a trace file each; returns :class:`Ranks`.

    threads   files that are analyzed at a time; None: one for each core
    options   those of :func:`deepprof.analyze`

    Files that cannot be read are named in the report and left out. The result depends neither on
    the order of files nor on threads.
    """
    paths = sorted(os.fspath(path) for path in paths)
    with concurrent.futures.ThreadPoolExecutor(threads or os.cpu_count()) as pool:
        found = list(pool.map(lambda path: summarize(path, options), paths))
    return compare_summaries(paths, found)

"""The C library, and the prototypes of its functions for ctypes."""
from __future__ import annotations

import ctypes
import os
import pathlib
from typing import Any

# Where meson-python puts the library, the command and the collector of a wheel.
FOLDER = pathlib.Path(__file__).parent.parent / ".deepprof.mesonpy.libs"

_P = ctypes.POINTER
_TEXT, _INT, _SIZE, _BOOL = ctypes.c_char_p, ctypes.c_int, ctypes.c_size_t, ctypes.c_bool

LOG = ctypes.CFUNCTYPE(None, ctypes.c_void_p, _INT, _TEXT)
PROGRESS = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_uint64, ctypes.c_uint64)
WRITE = ctypes.CFUNCTYPE(_INT, ctypes.c_void_p, ctypes.c_void_p, _SIZE)


def _struct(name: str, /, **members: Any) -> Any:
    """A struct of the library's headers, its members in their order."""
    return type(name, (ctypes.Structure,), {"__doc__": name, "_fields_": list(members.items())})


Error = _struct(
    "struct dp_error",
    status=_INT,
    path=ctypes.c_char * 256,
    table=ctypes.c_char * 64,
    line=ctypes.c_uint64,
    column=ctypes.c_uint64,
    message=ctypes.c_char * 512,
    system=_INT,
)
Log = _struct("struct dp_log", write=LOG, ctx=ctypes.c_void_p)
Sink = _struct("struct dp_sink", write=WRITE, ctx=ctypes.c_void_p)
OpenOptions = _struct(
    "struct dp_open_options",
    size=_SIZE,
    input_format=_TEXT,
    allow_no_gpu=_BOOL,
    log=Log,
    progress=PROGRESS,
    progress_ctx=ctypes.c_void_p,
    label=_TEXT,
    temporary_folder=_TEXT,
)
Threshold = _struct("struct dp_threshold", rule=_TEXT, share=ctypes.c_double)
AnalysisOptions = _struct(
    "struct dp_analysis_options",
    size=_SIZE,
    iterations=_P(ctypes.c_uint64),
    iterations_count=_SIZE,
    paper=_BOOL,
    epsilon=ctypes.c_uint64,
    max_unmatched=ctypes.c_uint64,
    marks=_TEXT,
    ignore_marks=_BOOL,
    level=_INT,
    device=ctypes.c_int64,
    stream=ctypes.c_int64,
    range_start_ns=ctypes.c_int64,
    range_end_ns=ctypes.c_int64,
    log=Log,
    batch_size=ctypes.c_uint64,
    metrics=_P(_TEXT),
    metrics_count=_SIZE,
    thresholds=_P(Threshold),
    thresholds_count=_SIZE,
    explain=_BOOL,
    flops=ctypes.c_double,
)
ReportOptions = _struct(
    "struct dp_report_options",
    size=_SIZE,
    width=ctypes.c_uint,
    color=_BOOL,
    ascii=_BOOL,
    verbose=_BOOL,
    metrics=_P(_TEXT),
    metrics_count=_SIZE,
    gzip=_BOOL,
    kineto=_BOOL,
    follows=_BOOL,
    height=ctypes.c_uint,
    all=_BOOL,
    brief=_BOOL,
    top=_SIZE,
)
CompareOptions = _struct(
    "struct dp_compare_options", size=_SIZE, confidence=ctypes.c_double, loops=_P(_SIZE)
)
SummarySource = _struct(
    "struct dp_summary_source",
    size=_SIZE,
    name=_TEXT,
    bytes=ctypes.c_uint64,
    modified_ns=ctypes.c_int64,
    settings=_TEXT,
)
LeftOut = _struct("struct dp_left_out", file=_TEXT, why=_TEXT)
RanksOptions = _struct(
    "struct dp_ranks_options", size=_SIZE, left_out=_P(LeftOut), left_out_count=_SIZE
)
TableOptions = _struct(
    "struct dp_table_options", size=_SIZE, nan=_BOOL, loop=ctypes.c_int64
)
TableInfo = _struct("struct dp_table_info", name=_TEXT, of=_TEXT, help=_TEXT)

_HANDLE = ctypes.c_void_p
_OUT = _P(ctypes.c_void_p)
_ERROR = _P(Error)
_STREAM = ctypes.c_void_p

# Result, then arguments. ctypes releases the GIL for the call.
_FUNCTIONS = {
    "dp_version": (_TEXT,),
    "dp_error_format": (_SIZE, _ERROR, _TEXT, _SIZE),
    "dp_trace_open": (_INT, _OUT, _TEXT, _P(OpenOptions), _ERROR),
    "dp_trace_free": (None, _HANDLE),
    "dp_trace_format": (_TEXT, _HANDLE),
    "dp_trace_is_trace_name": (_BOOL, _TEXT),
    "dp_trace_path": (_TEXT, _HANDLE),
    "dp_trace_duration_ns": (ctypes.c_int64, _HANDLE),
    "dp_analysis_run": (_INT, _OUT, _HANDLE, _P(AnalysisOptions), _ERROR),
    "dp_analysis_read": (_INT, _OUT, _TEXT, _ERROR),
    "dp_analysis_is_report": (_BOOL, _TEXT),
    "dp_analysis_is_diagnosed": (_BOOL, _HANDLE),
    "dp_analysis_trace": (_HANDLE, _HANDLE),
    "dp_analysis_free": (None, _HANDLE),
    "dp_comparison_run": (_INT, _OUT, _HANDLE, _HANDLE, _P(CompareOptions), _ERROR),
    "dp_comparison_free": (None, _HANDLE),
    "dp_summary_run": (_INT, _OUT, _HANDLE, _P(SummarySource), _ERROR),
    "dp_summary_write": (_INT, _OUT, _SIZE, _P(Sink), _ERROR),
    "dp_summary_is_summary": (_BOOL, _TEXT),
    "dp_summary_read": (_INT, _OUT, _TEXT, _SIZE, _ERROR),
    "dp_summary_source": (_P(SummarySource), _HANDLE, _SIZE),
    "dp_summary_free": (None, _HANDLE),
    "dp_ranks_run": (_INT, _OUT, _OUT, _SIZE, _P(RanksOptions), _ERROR),
    "dp_ranks_free": (None, _HANDLE),
    "dp_ranks_write": (_INT, _HANDLE, _TEXT, _P(ReportOptions), _P(Sink), _ERROR),
    "dp_report_write": (_INT, _HANDLE, _TEXT, _P(ReportOptions), _P(Sink), _ERROR),
    "dp_comparison_write": (_INT, _HANDLE, _TEXT, _P(ReportOptions), _P(Sink), _ERROR),
    "dp_table": (_P(TableInfo), _SIZE),
    "dp_analysis_table": (_INT, _STREAM, _HANDLE, _TEXT, _P(TableOptions), _ERROR),
    "dp_ranks_table": (_INT, _STREAM, _HANDLE, _TEXT, _P(TableOptions), _ERROR),
    "dp_comparison_table": (_INT, _STREAM, _HANDLE, _TEXT, _P(TableOptions), _ERROR),
}


def _path() -> str:
    """The library: DEEPPROF_LIBRARY, the package's own, or the system's."""
    chosen = os.environ.get("DEEPPROF_LIBRARY")
    if chosen:
        return chosen
    own = FOLDER / "libdeepprof.so"
    return str(own) if own.exists() else "libdeepprof.so.0"


def _load() -> ctypes.CDLL:
    library = ctypes.CDLL(_path())
    for name, (result, *arguments) in _FUNCTIONS.items():
        function = getattr(library, name)
        function.restype = result
        function.argtypes = arguments
    return library


lib = _load()


def tables(of: str) -> dict[str, str]:
    """Names and help of the tables of an "analysis", a "comparison" or "ranks"."""
    found, index = {}, 0
    while info := lib.dp_table(index):
        if info.contents.of.decode() == of:
            found[info.contents.name.decode()] = info.contents.help.decode()
        index += 1
    return found

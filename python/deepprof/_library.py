"""The C library, and its functions as ctypes sees them."""
import ctypes
import os
import pathlib

# Where meson-python puts the library, the command and the collector of a wheel.
FOLDER = pathlib.Path(__file__).parent.parent / ".deepprof.mesonpy.libs"


class Error(ctypes.Structure):
    """struct dp_error"""

    _fields_ = [
        ("status", ctypes.c_int),
        ("path", ctypes.c_char * 256),
        ("table", ctypes.c_char * 64),
        ("line", ctypes.c_uint64),
        ("column", ctypes.c_uint64),
        ("message", ctypes.c_char * 512),
    ]


LOG = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_int, ctypes.c_char_p)
PROGRESS = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_uint64, ctypes.c_uint64)
WRITE = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_size_t)


class Log(ctypes.Structure):
    """struct dp_log"""

    _fields_ = [("write", LOG), ("ctx", ctypes.c_void_p)]


class Sink(ctypes.Structure):
    """struct dp_sink"""

    _fields_ = [("write", WRITE), ("ctx", ctypes.c_void_p)]


class OpenOptions(ctypes.Structure):
    """struct dp_open_options"""

    _fields_ = [
        ("size", ctypes.c_size_t),
        ("input_format", ctypes.c_char_p),
        ("allow_no_gpu", ctypes.c_bool),
        ("log", Log),
        ("progress", PROGRESS),
        ("progress_ctx", ctypes.c_void_p),
        ("label", ctypes.c_char_p),
        ("temporary_folder", ctypes.c_char_p),
    ]


class Threshold(ctypes.Structure):
    """struct dp_threshold"""

    _fields_ = [("rule", ctypes.c_char_p), ("share", ctypes.c_double)]


class AnalysisOptions(ctypes.Structure):
    """struct dp_analysis_options"""

    _fields_ = [
        ("size", ctypes.c_size_t),
        ("iterations", ctypes.POINTER(ctypes.c_uint64)),
        ("iterations_count", ctypes.c_size_t),
        ("paper", ctypes.c_bool),
        ("epsilon", ctypes.c_uint64),
        ("max_unmatched", ctypes.c_uint64),
        ("marks", ctypes.c_char_p),
        ("ignore_marks", ctypes.c_bool),
        ("level", ctypes.c_int),
        ("device", ctypes.c_int64),
        ("stream", ctypes.c_int64),
        ("range_start_ns", ctypes.c_int64),
        ("range_end_ns", ctypes.c_int64),
        ("log", Log),
        ("batch_size", ctypes.c_uint64),
        ("metrics", ctypes.POINTER(ctypes.c_char_p)),
        ("metrics_count", ctypes.c_size_t),
        ("thresholds", ctypes.POINTER(Threshold)),
        ("thresholds_count", ctypes.c_size_t),
        ("explain", ctypes.c_bool),
        ("flops", ctypes.c_double),
    ]


class ReportOptions(ctypes.Structure):
    """struct dp_report_options"""

    _fields_ = [
        ("size", ctypes.c_size_t),
        ("width", ctypes.c_uint),
        ("color", ctypes.c_bool),
        ("ascii", ctypes.c_bool),
        ("verbose", ctypes.c_bool),
        ("metrics", ctypes.POINTER(ctypes.c_char_p)),
        ("metrics_count", ctypes.c_size_t),
        ("gzip", ctypes.c_bool),
        ("kineto", ctypes.c_bool),
        ("follows", ctypes.c_bool),
        ("height", ctypes.c_uint),
        ("all", ctypes.c_bool),
        ("brief", ctypes.c_bool),
    ]


class CompareOptions(ctypes.Structure):
    """struct dp_compare_options"""

    _fields_ = [
        ("size", ctypes.c_size_t),
        ("confidence", ctypes.c_double),
        ("loops", ctypes.POINTER(ctypes.c_size_t)),
    ]


class SummarySource(ctypes.Structure):
    """struct dp_summary_source"""

    _fields_ = [
        ("size", ctypes.c_size_t),
        ("name", ctypes.c_char_p),
        ("bytes", ctypes.c_uint64),
        ("modified_ns", ctypes.c_int64),
        ("settings", ctypes.c_char_p),
    ]


class LeftOut(ctypes.Structure):
    """struct dp_left_out"""

    _fields_ = [("file", ctypes.c_char_p), ("why", ctypes.c_char_p)]


class RanksOptions(ctypes.Structure):
    """struct dp_ranks_options"""

    _fields_ = [
        ("size", ctypes.c_size_t),
        ("left_out", ctypes.POINTER(LeftOut)),
        ("left_out_count", ctypes.c_size_t),
    ]


class TableOptions(ctypes.Structure):
    """struct dp_table_options"""

    _fields_ = [("size", ctypes.c_size_t), ("nan", ctypes.c_bool)]


class TableInfo(ctypes.Structure):
    """struct dp_table_info"""

    _fields_ = [
        ("name", ctypes.c_char_p),
        ("of", ctypes.c_char_p),
        ("help", ctypes.c_char_p),
    ]


_HANDLE = ctypes.c_void_p
_OUT = ctypes.POINTER(ctypes.c_void_p)
_ERROR = ctypes.POINTER(Error)
_STREAM = ctypes.c_void_p

# Result, then arguments. ctypes releases the GIL for the call.
_FUNCTIONS = {
    "dp_version": (ctypes.c_char_p,),
    "dp_error_format": (ctypes.c_size_t, _ERROR, ctypes.c_char_p, ctypes.c_size_t),
    "dp_trace_open": (ctypes.c_int, _OUT, ctypes.c_char_p, ctypes.POINTER(OpenOptions), _ERROR),
    "dp_trace_free": (None, _HANDLE),
    "dp_trace_format": (ctypes.c_char_p, _HANDLE),
    "dp_trace_path": (ctypes.c_char_p, _HANDLE),
    "dp_trace_duration_ns": (ctypes.c_int64, _HANDLE),
    "dp_analysis_run": (
        ctypes.c_int,
        _OUT,
        _HANDLE,
        ctypes.POINTER(AnalysisOptions),
        _ERROR,
    ),
    "dp_analysis_read": (ctypes.c_int, _OUT, ctypes.c_char_p, _ERROR),
    "dp_analysis_is_report": (ctypes.c_bool, ctypes.c_char_p),
    "dp_analysis_trace": (_HANDLE, _HANDLE),
    "dp_analysis_take_trace": (ctypes.c_int, _HANDLE, _HANDLE, _ERROR),
    "dp_analysis_free": (None, _HANDLE),
    "dp_comparison_run": (
        ctypes.c_int,
        _OUT,
        _HANDLE,
        _HANDLE,
        ctypes.POINTER(CompareOptions),
        _ERROR,
    ),
    "dp_comparison_free": (None, _HANDLE),
    "dp_summary_run": (ctypes.c_int, _OUT, _HANDLE, ctypes.POINTER(SummarySource), _ERROR),
    "dp_summary_write": (
        ctypes.c_int,
        _OUT,
        ctypes.c_size_t,
        ctypes.POINTER(Sink),
        _ERROR,
    ),
    "dp_summary_is_summary": (ctypes.c_bool, ctypes.c_char_p),
    "dp_summary_read": (ctypes.c_int, _OUT, ctypes.c_char_p, ctypes.c_size_t, _ERROR),
    "dp_summary_free": (None, _HANDLE),
    "dp_ranks_run": (
        ctypes.c_int,
        _OUT,
        _OUT,
        ctypes.c_size_t,
        ctypes.POINTER(RanksOptions),
        _ERROR,
    ),
    "dp_ranks_free": (None, _HANDLE),
    "dp_ranks_write": (
        ctypes.c_int,
        _HANDLE,
        ctypes.c_char_p,
        ctypes.POINTER(ReportOptions),
        ctypes.POINTER(Sink),
        _ERROR,
    ),
    "dp_report_write": (
        ctypes.c_int,
        _HANDLE,
        ctypes.c_char_p,
        ctypes.POINTER(ReportOptions),
        ctypes.POINTER(Sink),
        _ERROR,
    ),
    "dp_comparison_write": (
        ctypes.c_int,
        _HANDLE,
        ctypes.c_char_p,
        ctypes.POINTER(ReportOptions),
        ctypes.POINTER(Sink),
        _ERROR,
    ),
    "dp_table": (ctypes.POINTER(TableInfo), ctypes.c_size_t),
    "dp_analysis_table": (
        ctypes.c_int,
        _STREAM,
        _HANDLE,
        ctypes.c_char_p,
        ctypes.POINTER(TableOptions),
        _ERROR,
    ),
    "dp_ranks_table": (
        ctypes.c_int,
        _STREAM,
        _HANDLE,
        ctypes.c_char_p,
        ctypes.POINTER(TableOptions),
        _ERROR,
    ),
    "dp_comparison_table": (
        ctypes.c_int,
        _STREAM,
        _HANDLE,
        ctypes.c_char_p,
        ctypes.POINTER(TableOptions),
        _ERROR,
    ),
}


def _path():
    """The library: DEEPPROF_LIBRARY, the package's own, or the system's."""
    chosen = os.environ.get("DEEPPROF_LIBRARY")
    if chosen:
        return chosen
    own = FOLDER / "libdeepprof.so"
    return str(own) if own.exists() else "libdeepprof.so.0"


def _load():
    library = ctypes.CDLL(_path())
    for name, (result, *arguments) in _FUNCTIONS.items():
        function = getattr(library, name)
        function.restype = result
        function.argtypes = arguments
    return library


lib = _load()


def tables(of):
    """Names and help of the tables of an "analysis", a "comparison" or "ranks"."""
    found, index = {}, 0
    while info := lib.dp_table(index):
        if info.contents.of.decode() == of:
            found[info.contents.name.decode()] = info.contents.help.decode()
        index += 1
    return found

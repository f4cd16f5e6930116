"""What can go wrong: one class for each status of the library."""
from __future__ import annotations

import ctypes

from . import _library


class DeepprofError(Exception):
    """Something failed.

    ``path``, ``table``, ``line`` and ``column`` say where, and are None where that is not known.
    """

    def __init__(
        self,
        message: str,
        path: str | None = None,
        table: str | None = None,
        line: int | None = None,
        column: int | None = None,
    ) -> None:
        super().__init__(message)
        self.path = path
        self.table = table
        self.line = line
        self.column = column

    def __reduce__(self):
        where = (self.path, self.table, self.line, self.column)
        return type(self), (str(self), *where)


class FileError(DeepprofError, OSError):
    """A file could not be opened, read or written."""


class FormatError(DeepprofError, ValueError):
    """The content is of no known format."""


class DamagedError(DeepprofError, ValueError):
    """The format is known, the content is broken."""


class NoGpuError(DeepprofError, ValueError):
    """A good trace, but without any GPU operation."""


class ArgumentError(DeepprofError, ValueError):
    """An argument asks for something that does not exist."""


class LimitError(DeepprofError):
    """More than the library can hold."""


class UnsupportedError(DeepprofError):
    """Known, and known not to be supported."""


_CLASSES = {
    -2: FileError,
    -3: FormatError,
    -4: DamagedError,
    -5: NoGpuError,
    -6: ArgumentError,
    -7: LimitError,
    -8: UnsupportedError,
}


def check(status, error):
    """Raises what a call's status and struct dp_error say; 0 is no error."""
    if not status:
        return
    text = ctypes.create_string_buffer(1024)
    _library.lib.dp_error_format(ctypes.byref(error), text, len(text))
    message = text.value.decode("utf-8", "replace")
    if status == -1:
        raise MemoryError(message)
    raise _CLASSES.get(status, DeepprofError)(
        message,
        error.path.decode("utf-8", "replace") or None,
        error.table.decode("utf-8", "replace") or None,
        error.line or None,
        error.column or None,
    )

"""What can go wrong: one class for each status of the library."""
from __future__ import annotations

import ctypes
import errno as _errno
import os
from typing import Any

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

    def __str__(self) -> str:
        return str(self.args[0])

    def __reduce__(self) -> tuple[Any, ...]:
        where = (self.path, self.table, self.line, self.column)
        return type(self), (str(self), *where)


class FileError(DeepprofError, OSError):
    """A file could not be opened, read or written. It is also a FileNotFoundError, PermissionError,
    IsADirectoryError or NotADirectoryError where the system's error is one.

    ``errno``, ``strerror`` and ``filename`` are those of an OSError; None where the system reported
    no error, as for a file that is cut off.
    """

    def __init__(
        self,
        message: str,
        path: str | None = None,
        table: str | None = None,
        line: int | None = None,
        column: int | None = None,
        errno: int | None = None,
    ) -> None:
        super().__init__(message, path, table, line, column)
        self.errno = errno
        self.strerror = os.strerror(errno) if errno else None
        self.filename = path

    def __reduce__(self) -> tuple[Any, ...]:
        _, arguments = super().__reduce__()
        return file_error, (*arguments, self.errno)


_FILE_ERRORS: dict[int | None, Any] = {
    number: type("FileError", (FileError, kind), {"__module__": __name__})
    for number, kind in (
        (_errno.ENOENT, FileNotFoundError),
        (_errno.EACCES, PermissionError),
        (_errno.EPERM, PermissionError),
        (_errno.EISDIR, IsADirectoryError),
        (_errno.ENOTDIR, NotADirectoryError),
    )
}


def file_error(
    message: str,
    path: str | None = None,
    table: str | None = None,
    line: int | None = None,
    column: int | None = None,
    errno: int | None = None,
) -> FileError:
    """A FileError, of the class that fits errno."""
    made: FileError = _FILE_ERRORS.get(errno, FileError)(message, path, table, line, column, errno)
    return made


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


def check(status: int, error: Any) -> None:
    """Raises what a call's status and struct dp_error say; 0 is no error."""
    if not status:
        return
    text = ctypes.create_string_buffer(1024)
    _library.lib.dp_error_format(ctypes.byref(error), text, len(text))
    message = text.value.decode("utf-8", "replace")
    if status == -1:
        raise MemoryError(message)
    where = (
        error.path.decode("utf-8", "replace") or None,
        error.table.decode("utf-8", "replace") or None,
        error.line or None,
        error.column or None,
    )
    kind = _CLASSES.get(status, DeepprofError)
    if kind is FileError:
        raise file_error(message, *where, error.system or None)
    raise kind(message, *where)

"""Recording a program with the command that comes with the package."""
from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Sequence
from typing import Any

from . import _library, errors
from .results import Path


def command() -> str:
    """The path of the deepprof command: the package's own, or the one on the PATH."""
    own = _library.FOLDER / "deepprof" / "deepprof"
    found = str(own) if own.exists() else shutil.which("deepprof")
    if not found:
        raise errors.UnsupportedError("the deepprof command is not installed")
    return found


def _written(path: Path) -> tuple[int, int] | None:
    """What distinguishes a file from the one that replaces it; None if there is no file."""
    try:
        status = os.stat(path)
    except OSError:
        return None
    return status.st_ino, status.st_mtime_ns


def record(
    program: Sequence[Path],
    output: Path = "deepprof.db",
    *,
    options: Sequence[str] = (),
    force: bool = False,
    **kwargs: Any,
) -> Path:
    """Runs a program under the collector and returns the path of its trace file.

    program   the command and its arguments, as ``subprocess.run`` takes them
    output    the trace file
    options   more of ``deepprof record``, as in ``["-n", "100"]``
    force     replace the file

    Other arguments are those of ``subprocess.run``. Raises ``subprocess.CalledProcessError`` where
    the program fails, and :class:`deepprof.NoGpuError` where nothing was recorded; what the command
    writes to standard error says why.
    """
    for words in program, options:
        if isinstance(words, (str, bytes)):
            raise TypeError(f"expected a list of words, not one text: {words!r}")
    if not program:
        raise errors.ArgumentError("there is no program to record: the list is empty")
    recorder = [command(), "record", *options, "-o", os.fspath(output)]
    if force:
        recorder.append("-f")
    place = os.path.join(kwargs.get("cwd") or "", output)
    before = _written(place)
    subprocess.run([*recorder, "--", *program], check=True, **kwargs)
    if _written(place) == before:
        raise errors.NoGpuError(f"{os.fspath(output)}: nothing was recorded", os.fspath(output))
    return output

"""Recording a program with the command that comes with the package."""
import os
import shutil
import subprocess

from . import _library, errors


def command():
    """The path of the deepprof command: the package's own, or the one on the PATH."""
    own = _library.FOLDER / "deepprof" / "deepprof"
    found = str(own) if own.exists() else shutil.which("deepprof")
    if not found:
        raise errors.UnsupportedError("the deepprof command is not installed")
    return found


def record(program, output="deepprof.db", *, options=(), force=False, **kwargs):
    """Runs a program under the collector and returns the path of its trace file.

    program   the command and its arguments, as ``subprocess.run`` takes them
    output    the trace file
    options   more of ``deepprof record``, as in ``["-n", "100"]``
    force     replace the file

    Other arguments are those of ``subprocess.run``. Raises ``subprocess.CalledProcessError`` where
    the program fails.
    """
    words = [command(), "record", *options, "-o", os.fspath(output)]
    if force:
        words.append("-f")
    subprocess.run([*words, "--", *program], check=True, **kwargs)
    return output

"""The progress of reading a file, as a bar below a notebook's cell."""
from __future__ import annotations

import sys
import time
from collections.abc import Callable
from typing import Any

# As in the command: shorter reads need no bar.
_SHOWN_AFTER_S = 1.0
_BETWEEN_S = 0.1


def _display() -> Callable[..., Any] | None:
    """IPython's display function in a notebook, else None."""
    shell: Any = sys.modules.get("IPython")
    shell = shell and shell.get_ipython()
    if shell is None or not hasattr(shell, "kernel"):
        return None
    from IPython.display import display

    shown: Callable[..., Any] = display
    return shown


class _Bar:
    def __init__(self, display: Callable[..., Any]) -> None:
        self.display = display
        self.next = time.monotonic() + _SHOWN_AFTER_S
        self.handle: Any = None

    def __call__(self, done: int, total: int) -> None:
        now = time.monotonic()
        if self.handle and total and done >= total:
            self.handle.update({"text/html": ""}, raw=True)
            return
        if now < self.next:
            return
        self.next = now + _BETWEEN_S
        share = f' value="{done / total:.3f}"' if total else ""
        shown = {"text/html": f"<progress{share}></progress> {done / 1e6:.0f} MB read"}
        if self.handle:
            self.handle.update(shown, raw=True)
        else:
            self.handle = self.display(shown, raw=True, display_id=True)


def reporter(
    progress: Callable[[int, int], object] | bool | None,
) -> Callable[[int, int], object] | None:
    """What to call with the bytes read so far and the file's size, or None: progress if it can be
    called; for None and True, a bar in a notebook."""
    if callable(progress):
        return progress
    if progress is False:
        return None
    display = _display()
    return _Bar(display) if display else None

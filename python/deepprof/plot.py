"""Plots of results, with Matplotlib: each function draws into ``ax``, or a new figure, and returns
its axes."""
from __future__ import annotations

from typing import TYPE_CHECKING, Any

from . import errors
from .results import Analysis, Ranks, unknown

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["breakdown", "periods", "ranks", "timeline"]


def __dir__() -> list[str]:
    return [*__all__, "__doc__"]


# The parts of an iteration's period, in stacking order.
PARTS = (
    ("compute_ns", "compute", "#4269d0"),
    ("comm_exposed_ns", "exposed communication", "#a463f2"),
    ("copy_exposed_ns", "exposed copies", "#3ca951"),
    ("input_wait_ns", "input wait", "#ff725c"),
    ("host_wait_ns", "host wait", "#efb118"),
)
REST = ("other idle time", "#b0b0b0")
_WARM_UP = 0.35  # how opaque its bars are
_OPERATIONS = ((True, "kernels", "#4269d0"), (False, "copies and memsets", "#3ca951"))
_CELLS = 1000  # of a timeline: about the pixels of its width


def _axes(ax: Axes | None, **size: Any) -> Any:
    if ax is not None:
        return ax
    import matplotlib.pyplot as plt

    return plt.subplots(layout="constrained", **size)[1]


def _check(result: Any, kind: type, function: str) -> None:
    if not isinstance(result, kind):
        raise TypeError(
            f"expected what deepprof.{function}() returns, not {type(result).__name__}: {result!r}"
        )


def _iterations(analysis: Analysis, loop: int) -> dict[str, Any]:
    """Columns of a loop's whole iterations."""
    _check(analysis, Analysis, "analyze")
    columns = analysis.table("iterations", loop=loop).to_numpy()
    whole = ~columns["partial"]
    if not whole.any():
        raise errors.ArgumentError(f"loop {loop} has no whole iterations that are reported on")
    return {name: values[whole] for name, values in columns.items()}


def periods(analysis: Analysis, loop: int = 0, ax: Axes | None = None) -> Axes:
    """The period of each iteration, warm-up hollow."""
    it = _iterations(analysis, loop)
    ax = _axes(ax, figsize=(8, 3))
    warm = it["warmup"]
    ms = it["period_ns"] / 1e6
    ax.plot(it["index"][~warm], ms[~warm], "o-", ms=3, lw=0.8, color="#4269d0", label="steady")
    if warm.any():
        ax.plot(it["index"][warm], ms[warm], "o", mfc="none", color="#4269d0", label="warm-up")
        ax.legend()
    ax.set(xlabel="iteration", ylabel="period (ms)", title=f"Loop {loop}")
    ax.set_ylim(bottom=0)
    ax.locator_params(axis="x", integer=True)
    return ax


def breakdown(analysis: Analysis, loop: int = 0, ax: Axes | None = None) -> Axes:
    """What the period of each iteration is made of, stacked; warm-up, which is in none of the
    report's averages, paler."""
    import numpy as np
    from matplotlib.patches import Patch

    it = _iterations(analysis, loop)
    ax = _axes(ax, figsize=(8, 3))
    known = ~np.isnan(it["period_ns"])
    left = it["period_ns"][known] / 1e6
    bottom = np.zeros(len(left))
    warm = it["warmup"][known]

    def stack(values: Any, label: str, color: str) -> None:
        for chosen, alpha, shown in ((~warm, 1, label), (warm, _WARM_UP, None)):
            ax.bar(it["index"][known][chosen], values[chosen], 1, bottom[chosen], label=shown,
                   color=color, alpha=alpha)
        bottom[:] += values

    for name, label, color in PARTS:
        values = np.nan_to_num(it[name][known]) / 1e6
        if values.any():
            stack(values, label, color)
    stack(np.maximum(left - bottom, 0), *REST)
    handles = ax.get_legend_handles_labels()[0]
    if warm.any():
        handles.append(Patch(color="black", alpha=_WARM_UP, label="warm-up: paler"))
    ax.set(xlabel="iteration", ylabel="time (ms)", title=f"Loop {loop}")
    ax.locator_params(axis="x", integer=True)
    ax.legend(handles=handles, loc="upper left", bbox_to_anchor=(1, 1), frameon=False)
    return ax


def _busy(start: Any, end: Any, edges: Any) -> Any:
    """The share of time between edges in which a stream's operations, given in order, run."""
    import numpy as np

    if not len(start):
        return 0
    end = np.maximum.accumulate(end)
    start = np.maximum(start, np.append(start[:1], end[:-1]))
    ran = np.cumsum(end - start)
    times = np.column_stack([start, end]).ravel()
    before = np.interp(edges, times, np.column_stack([np.append(0, ran[:-1]), ran]).ravel())
    return np.diff(before) / np.diff(edges)


def timeline(
    analysis: Analysis, loop: int = 0, iteration: int | None = None, ax: Axes | None = None
) -> Axes:
    """The operations of one iteration, a row for each stream of its GPU, from its first kernel to
    the next iteration; by default of the iteration whose period is the median. The paler a row, the
    less of that time the stream is busy."""
    import numpy as np
    from matplotlib.colors import to_rgb

    it = _iterations(analysis, loop)
    if iteration is None:
        known = np.flatnonzero(~np.isnan(it["period_ns"]))
        order = known[np.argsort(it["period_ns"][known])] if len(known) else [0]
        iteration = int(it["index"][order[len(order) // 2]])
    found = np.flatnonzero(it["index"] == iteration)
    if not len(found):
        raise errors.ArgumentError(f"loop {loop} has no whole iteration {iteration}")
    at = int(found[0])
    start, last = int(it["start_ns"][at]), int(it["end_ns"][at])
    period = it["period_ns"][at]
    end = last if np.isnan(period) else start + int(period)
    ops = analysis.table("operations").to_numpy()
    inside = (ops["start_ns"] < end) & (ops["end_ns"] > start)
    used, device = set(ops["stream"][inside].tolist()), _value(it["device"][at])
    streams = [
        row
        for row in analysis.table("streams").to_list()
        if row["device"] == device and row["index"] in used
    ]
    ax = _axes(ax, figsize=(10, 1.4 + 0.5 * len(streams)))
    edges = np.linspace(start, end, _CELLS + 1)
    for kernels, label, color in _OPERATIONS:
        for line, stream in enumerate(streams):
            chosen = inside & (ops["stream"] == stream["index"]) & (ops["kernel"] == kernels)
            row = np.full((1, _CELLS, 4), (*to_rgb(color), 0))
            busy = _busy(ops["start_ns"][chosen], ops["end_ns"][chosen], edges)
            row[0, :, 3] = np.where(busy, np.maximum(busy, 0.2), 0)  # shows short kernels, too
            ax.imshow(row, aspect="auto", zorder=1,
                      extent=(0, (end - start) / 1e6, line + 0.4, line - 0.4))
        ax.broken_barh([], (0, 0), color=color, label=label)
    if end > last:
        ax.axvspan((last - start) / 1e6, (end - start) / 1e6, color="#eeeeee", zorder=0,
                   label="until the next iteration")
    ax.set_yticks(range(len(streams)), [f"stream {_value(s['stream'])}" for s in streams])
    ax.set(xlabel="ms since its first kernel", title=f"Loop {loop}, iteration {iteration}")
    ax.set(xlim=(0, (end - start) / 1e6), ylim=(len(streams) - 0.4, -0.6))
    ax.legend(loc="upper left", bbox_to_anchor=(1, 1), frameon=False)
    return ax


def _value(number: Any) -> int | None:
    return None if number is None or number != number else int(number)


def ranks(result: Ranks, value: str = "own_ns", ax: Axes | None = None) -> Axes:
    """A heat map of ranks and iterations: what each took by itself, or another column of the table
    ``rank_iterations``, in ms."""
    _check(result, Ranks, "ranks")
    table = result.table("rank_iterations")
    if value not in table:
        raise errors.ArgumentError(unknown("column", value, table.columns))
    import numpy as np

    columns = table.to_numpy()
    numbers, rows = np.unique(columns["rank"], return_inverse=True)
    known = ~np.isnan(columns[value])  # the last iteration has no period
    iterations = columns["iteration"][known]
    cells = np.full((len(numbers), int(iterations.max(initial=-1)) + 1), np.nan)
    cells[rows[known], iterations] = columns[value][known] / 1e6
    ax = _axes(ax, figsize=(8, 1 + min(6, 0.2 * len(numbers))))
    image = ax.imshow(cells, aspect="auto", interpolation="nearest", cmap="viridis")
    ax.figure.colorbar(image, ax=ax, label=f"{value.removesuffix('_ns')} (ms)")
    ticks = np.unique(np.linspace(0, len(numbers) - 1, min(16, len(numbers))).astype(int))
    ax.set_yticks(ticks, numbers[ticks])
    ax.set(xlabel="iteration", ylabel="rank", title="Iterations of the ranks")
    return ax

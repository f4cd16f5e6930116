"""Plots of results, with Matplotlib: each function draws into ``ax``, or a new figure, and returns
its axes."""
from __future__ import annotations

from typing import TYPE_CHECKING

from .results import Analysis, Ranks

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# What the period of an iteration is made of, in the order in which it is stacked.
PARTS = (
    ("compute_ns", "compute", "#4269d0"),
    ("comm_exposed_ns", "exposed communication", "#a463f2"),
    ("copy_exposed_ns", "exposed copies", "#3ca951"),
    ("input_wait_ns", "input wait", "#ff725c"),
    ("host_wait_ns", "host wait", "#efb118"),
)
REST = ("other idle time", "#b0b0b0")


def _axes(ax, **size):
    if ax is not None:
        return ax
    import matplotlib.pyplot as plt

    return plt.subplots(**size)[1]


def _iterations(analysis, loop):
    """Columns of a loop's whole iterations."""
    columns = analysis.table("iterations").to_numpy()
    rows = (columns["loop"] == loop) & ~columns["partial"]
    return {name: values[rows] for name, values in columns.items()}


def periods(analysis: Analysis, loop: int = 0, ax: Axes | None = None) -> Axes:
    """The period of each iteration, warm-up hollow."""
    ax = _axes(ax, figsize=(8, 3))
    it = _iterations(analysis, loop)
    warm = it["warmup"]
    ms = it["period_ns"] / 1e6
    ax.plot(it["index"][~warm], ms[~warm], "o-", ms=3, lw=0.8, color="#4269d0", label="steady")
    if warm.any():
        ax.plot(it["index"][warm], ms[warm], "o", mfc="none", color="#4269d0", label="warm-up")
        ax.legend()
    ax.set(xlabel="iteration", ylabel="period (ms)", title=f"Loop {loop}")
    ax.set_ylim(bottom=0)
    ax.xaxis.get_major_locator().set_params(integer=True)
    return ax


def breakdown(analysis: Analysis, loop: int = 0, ax: Axes | None = None) -> Axes:
    """What the period of each iteration is made of, stacked."""
    import numpy as np

    ax = _axes(ax, figsize=(8, 3))
    it = _iterations(analysis, loop)
    known = ~np.isnan(it["period_ns"])
    index, left = it["index"][known], it["period_ns"][known] / 1e6
    bottom = np.zeros(len(index))
    for name, label, color in PARTS:
        values = np.nan_to_num(it[name][known]) / 1e6
        if values.any():
            ax.bar(index, values, 1, bottom, label=label, color=color)
            bottom = bottom + values
    ax.bar(index, np.maximum(left - bottom, 0), 1, bottom, label=REST[0], color=REST[1])
    ax.set(xlabel="iteration", ylabel="time (ms)", title=f"Loop {loop}")
    ax.xaxis.get_major_locator().set_params(integer=True)
    ax.legend(loc="upper left", bbox_to_anchor=(1, 1), frameon=False)
    return ax


def timeline(
    analysis: Analysis, loop: int = 0, iteration: int | None = None, ax: Axes | None = None
) -> Axes:
    """The operations of one iteration, a row for each stream of its GPU; by default of the
    iteration whose period is the median."""
    import numpy as np

    ax = _axes(ax, figsize=(10, 2.5))
    it = _iterations(analysis, loop)
    if iteration is None:
        order = np.argsort(it["period_ns"])
        iteration = it["index"][order[(~np.isnan(it["period_ns"])).sum() // 2]]
    at = int(np.flatnonzero(it["index"] == iteration)[0])
    start, end = it["start_ns"][at], it["end_ns"][at]
    ops = analysis.table("operations").to_numpy()
    streams = [
        row
        for row in analysis.table("streams").to_list()
        if row["device"] == _value(it["device"][at])
    ]
    for line, stream in enumerate(streams):
        rows = (ops["stream"] == stream["index"]) & (ops["start_ns"] < end)
        rows &= ops["end_ns"] > start
        for kernels, color in ((True, "#4269d0"), (False, "#3ca951")):
            chosen = rows & (ops["kernel"] == kernels)
            begin = np.maximum(ops["start_ns"][chosen], start)
            length = np.minimum(ops["end_ns"][chosen], end) - begin
            bars = np.column_stack([(begin - start) / 1e6, length / 1e6])
            ax.broken_barh(bars, (line - 0.4, 0.8), color=color, lw=0)
    ax.set_yticks(range(len(streams)), [f"stream {_value(s['stream'])}" for s in streams])
    ax.set(xlabel="ms since its first kernel", title=f"Loop {loop}, iteration {iteration}")
    ax.invert_yaxis()
    return ax


def _value(number):
    return None if number is None or number != number else int(number)


def ranks(result: Ranks, value: str = "own_ns", ax: Axes | None = None) -> Axes:
    """A heat map of ranks and iterations: what each took by itself, or another column of the table
    ``rank_iterations``, in ms."""
    import numpy as np

    columns = result.table("rank_iterations").to_numpy()
    numbers, rows = np.unique(columns["rank"], return_inverse=True)
    cells = np.full((len(numbers), int(columns["iteration"].max(initial=-1)) + 1), np.nan)
    cells[rows, columns["iteration"]] = columns[value] / 1e6
    ax = _axes(ax, figsize=(8, 1 + min(6, 0.2 * len(numbers))))
    image = ax.imshow(cells, aspect="auto", interpolation="nearest", cmap="viridis")
    ax.figure.colorbar(image, ax=ax, label=f"{value.removesuffix('_ns')} (ms)")
    ticks = np.unique(np.linspace(0, len(numbers) - 1, min(16, len(numbers))).astype(int))
    ax.set_yticks(ticks, numbers[ticks])
    ax.set(xlabel="iteration", ylabel="rank", title="Iterations of the ranks")
    return ax

"""How plots look. The only module that imports matplotlib, and only while drawing."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

import attrs

from epcg_core.plugin import Bin, Distribution, require

if TYPE_CHECKING:
    from matplotlib.axes import Axes

COLORS = ("#1f4e79", "#e07b39", "#3f8f6b", "#8a4f9e", "#b3a125", "#5f6b73", "#c23b4b", "#3aa0c2")
MOST_BARS = 60
LABELLED_POINTS = 14

_SETTINGS: Any = {
    "axes.spines.right": False,
    "axes.spines.top": False,
    "axes.edgecolor": "#666666",
    "axes.axisbelow": True,
    "axes.titlesize": 11,
    "axes.titlelocation": "left",
    "axes.titlepad": 12,
    "grid.color": "#e3e3e3",
    "font.size": 10,
    "legend.frameon": False,
    "svg.hashsalt": "epcg",  # else every drawing of the same numbers would be another file
    "svg.fonttype": "none",
}


@attrs.frozen
class Series:
    """The percentages of one stack of layers."""

    label: str
    layers: list[int]
    solvable: list[float]
    unique: list[float]


def require_matplotlib() -> None:
    """Raise PluginError, which names the extra to install, if matplotlib is missing."""
    require("Plots need", "matplotlib", extra="epcg-research[plot]")


def save_figure(target: Path | BinaryIO, *draws: Callable[[Axes], None]) -> None:
    """Draw plots, one below the other, into a file in the format that its ending says, or as SVG into bytes.

    Raises PluginError, or OSError.
    """
    require_matplotlib()
    import matplotlib
    from matplotlib.figure import Figure

    with matplotlib.rc_context(_SETTINGS):
        figure = Figure(figsize=(7.2, 4.2 * len(draws)), layout="constrained")
        for i, draw in enumerate(draws, 1):
            draw(figure.add_subplot(len(draws), 1, i))
        suffix = ".svg"
        if isinstance(target, Path):
            suffix = target.suffix.lower()
            target.parent.mkdir(parents=True, exist_ok=True)
        dates: dict[str, Any] = {".svg": {"Date": None}, ".pdf": {"CreationDate": None}}
        figure.savefig(target, format=suffix[1:], dpi=150, metadata=dates.get(suffix, {}))


def draw_distributions(
    target: Path | BinaryIO, metrics: Sequence[Sequence[Distribution]], title: str | None, log: bool
) -> None:
    """Draw a plot for each metric: one run as bars of counts, several as outlines of shares."""

    def draw(axes: Axes, found: Sequence[Distribution]) -> None:
        metric = found[0].metric
        if len(found) == 1:
            _bars(axes, found[0])
        else:
            _outlines(axes, found)
        axes.set_title(title or (found[0].space if len(found) == 1 else metric.description or metric.name))
        axes.set_xlabel(f"{metric.name} ({metric.unit})" if metric.unit else metric.name)
        axes.grid(axis="y")
        if log:
            axes.set_yscale("log")
            if len(found) == 1:
                axes.set_ylim(bottom=0.5)  # a bar of one candidate is seen, too
        elif len(found) == 1:
            axes.yaxis.set_major_formatter(lambda value, _: f"{value:,.0f}")

    save_figure(target, *(partial(draw, found=found) for found in metrics))


def _bars(axes: Axes, found: Distribution) -> None:
    from matplotlib.ticker import MaxNLocator

    axes.set_ylabel("candidates")
    if found.metric.kind == "bool":
        counts = {bool(low): count for low, _, count in found.bins}
        places = axes.bar(
            ["no", "yes"], [counts.get(False, 0), counts.get(True, 0)], 0.6, color=[COLORS[5], COLORS[0]]
        )
        texts = [
            f"{counts.get(b, 0):,} ({100 * counts.get(b, 0) / found.total:.3g} %)" for b in (False, True)
        ]
        axes.bar_label(places, texts, padding=3, color="#444444")
        return
    edges, counts_of_bins = even_bins(found.bins, found.metric.kind)
    widths = [high - low for low, high in pairwise(edges)]
    gap = 0.12 if len(widths) <= 30 else 0.0
    axes.bar(
        edges[:-1], counts_of_bins, widths, align="edge", color=COLORS[0],
        edgecolor="white", linewidth=min(2.0, gap * 600 / len(widths)) if gap else 0.4,
    )  # fmt: skip
    if found.metric.kind == "int":
        axes.xaxis.set_major_locator(MaxNLocator(integer=True))
    axes.margins(x=0.01)
    axes.axvline(found.mean, color=COLORS[1], linewidth=1.4, linestyle=(0, (4, 3)))
    axes.annotate(
        f"mean {found.mean:.4g}", (found.mean, 1), xycoords=("data", "axes fraction"),
        xytext=(5, -2), textcoords="offset points", va="top", color=COLORS[1],
    )  # fmt: skip
    axes.annotate(
        f"{found.total:,} candidates", (1, 1), xycoords="axes fraction", xytext=(0, 12),
        textcoords="offset points", ha="right", color="#666666",
    )  # fmt: skip


def _outlines(axes: Axes, found: Sequence[Distribution]) -> None:
    axes.set_ylabel("share of the candidates (%)")
    kind = found[0].metric.kind
    low = min(one.bins[0][0] for one in found)
    high = max(one.bins[-1][1] for one in found)
    for color, one in zip(COLORS * len(found), found, strict=False):
        edges, counts = even_bins(one.bins, kind, low, high)
        shares = [100 * count / one.total for count in counts]
        axes.stairs(shares, edges, color=color, linewidth=1.8, label=f"run {one.run_id}: {one.space}")
    axes.set_ylim(bottom=0)
    axes.legend(fontsize=8.5)


def even_bins(
    bins: Sequence[Bin], kind: str, low: Any = None, high: Any = None
) -> tuple[list[float], list[int]]:
    """(edges, counts) of at most MOST_BARS equal bins; integers stand in the middle of their bins."""
    low = bins[0][0] if low is None else low
    high = bins[-1][1] if high is None else high
    if kind == "real" or not all(bin[0] == bin[1] for bin in bins):
        number = MOST_BARS if high > low else 1
        width = (high - low) / number or 1.0
        edges = [low + i * width for i in range(number + 1)]
    else:
        width = max(1, -(-(high - low + 1) // MOST_BARS))
        number = -(-(high - low + 1) // width)
        edges = [low - 0.5 + i * width for i in range(number + 1)]
    counts = [0] * number
    for bin_low, bin_high, count in bins:
        middle = (bin_low + bin_high) / 2
        counts[min(int((middle - edges[0]) / width), number - 1)] += count
    return edges, counts


def draw_layers(path: Path, found: Sequence[Series], layer_name: str, title: str, log: bool) -> None:
    """Percentages by layer: solid the solvable, dashed the uniquely solvable."""

    def draw(axes: Axes) -> None:
        from matplotlib.ticker import MaxNLocator

        single = len(found) == 1
        axes.xaxis.set_major_locator(MaxNLocator(integer=True))
        for i, series in enumerate(found):
            color = COLORS[i % len(COLORS)]
            second = COLORS[1] if single else color
            name = "" if single else f"{series.label}: "
            axes.plot(series.layers, series.solvable, "o-", color=color, label=f"{name}solvable")
            axes.plot(
                series.layers, series.unique, "s--", color=second, markerfacecolor="white",
                label=f"{name}uniquely solvable",
            )  # fmt: skip
            if single and len(series.layers) <= LABELLED_POINTS:
                _label_points(axes, series)
        axes.set_title(f"{title}: {found[0].label}" if single else title)
        axes.set_xlabel(layer_name)
        axes.set_ylabel("percentage of the layer")
        axes.grid()
        if log:
            axes.set_yscale("log")
        else:
            axes.set_ylim(0, max(max(s.solvable) for s in found) * 1.12 or 1)
        axes.legend()

    save_figure(path, draw)


def _label_points(axes: Axes, series: Series) -> None:
    """Write the percentages in two rows below the layers, where no line runs through them."""
    for i, percentages in enumerate((series.solvable, series.unique)):
        for layer, percentage in zip(series.layers, percentages, strict=True):
            axes.annotate(
                f"{percentage:.3g}", (layer, 0), xycoords=("data", "axes fraction"), ha="center", va="top",
                xytext=(0, -20 - 11 * i), textcoords="offset points", fontsize=8, color=COLORS[i],
                annotation_clip=False,
            )  # fmt: skip
    axes.set_xticks(series.layers)
    axes.xaxis.labelpad = 26


def draw_columns(path: Path, names: Sequence[str], rows: Sequence[Any], title: str, log: bool) -> None:
    """Draw the second column over the first: bars for strings, a line if x increases, else dots."""

    def draw(axes: Axes) -> None:
        xs, ys = [row[0] for row in rows], [row[1] for row in rows]
        if not all(isinstance(x, int | float) for x in xs):
            _named_bars(axes, names, [str(x) for x in xs], ys, log)
            axes.set_title(title)
            return
        if all(a < b for a, b in pairwise(xs)):
            axes.plot(xs, ys, "o-" if len(xs) <= 100 else "-", color=COLORS[0])
        else:
            size = max(4.0, min(30.0, 6000 / len(xs)))
            axes.scatter(xs, ys, s=size, color=COLORS[0], alpha=0.6, linewidths=0)
        axes.set_title(title)
        axes.set_xlabel(names[0])
        axes.set_ylabel(names[1])
        axes.grid(axis="y")
        if log:
            axes.set_yscale("log")
        elif max(map(abs, ys)) >= 10_000:
            axes.yaxis.set_major_formatter(lambda value, _: f"{value:,.0f}")

    save_figure(path, draw)


def _named_bars(axes: Axes, names: Sequence[str], labels: list[str], values: list[Any], log: bool) -> None:
    """Horizontal bars, the first on top: names of any length can be read."""
    places = range(len(labels))
    axes.barh(places, values, 0.65, color=COLORS[0])
    axes.set_yticks(places, labels)
    axes.invert_yaxis()
    axes.set_xlabel(names[1])
    axes.grid(axis="x")
    if log:
        axes.set_xscale("log")
    elif max(map(abs, values)) >= 10_000:
        axes.xaxis.set_major_formatter(lambda value, _: f"{value:,.0f}")

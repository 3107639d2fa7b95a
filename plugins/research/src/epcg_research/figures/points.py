"""Plots of layers, and of any two columns."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

import attrs

from epcg_research.figures.paper import COLORS, Paper, save_figure, small

if TYPE_CHECKING:
    from matplotlib.axes import Axes

LABELLED_POINTS = 14


@attrs.frozen
class Series:
    """The percentages of one stack of layers."""

    label: str
    layers: list[int]
    solvable: list[float]
    unique: list[float]


def draw_layers(
    path: Path, found: Sequence[Series], layer_name: str, title: str, log: bool, paper: Paper | None = None
) -> None:
    """Draw percentages by layer: solid the solvable, dashed the uniquely solvable.

    Args:
        path: the file.
        found: the stacks of layers.
        layer_name: what numbers the layers.
        title: the title; '' for none.
        log: whether the vertical axis is logarithmic.
        paper: its size and font; None for a picture on a page.
    """

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
        axes.set_title(f"{title}: {found[0].label}" if single and title else title)
        axes.set_xlabel(layer_name)
        axes.set_ylabel("percentage of the layer")
        axes.grid()
        if log:
            axes.set_yscale("log")
        else:
            axes.set_ylim(0, max(max(s.solvable) for s in found) * 1.12 or 1)
        axes.legend()

    save_figure(path, draw, paper=paper)


def _label_points(axes: Axes, series: Series) -> None:
    """Write the percentages in two rows below the layers, where no line runs through them."""
    for i, percentages in enumerate((series.solvable, series.unique)):
        for layer, percentage in zip(series.layers, percentages, strict=True):
            axes.annotate(
                f"{percentage:.3g}", (layer, 0), xycoords=("data", "axes fraction"), ha="center", va="top",
                xytext=(0, -20 - 11 * i), textcoords="offset points", fontsize=small(0.8),
                color=COLORS[i], annotation_clip=False,
            )  # fmt: skip
    axes.set_xticks(series.layers)
    axes.xaxis.labelpad = 26


def draw_columns(
    path: Path, names: Sequence[str], rows: Sequence[Any], title: str, log: bool, paper: Paper | None = None
) -> None:
    """Draw the second column over the first: bars for strings, a line if x increases, else dots.

    Args:
        path: the file.
        names: of the two columns.
        rows: pairs of values.
        title: the title; '' for none.
        log: whether the axis of the second column is logarithmic.
        paper: its size and font; None for a picture on a page.
    """

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

    save_figure(path, draw, paper=paper)


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

"""Bars and outlines: how many candidates have which value."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from epcg_core.inside import Bin, sampled_share
from epcg_research.figures.gathered import Spread
from epcg_research.figures.paper import COLORS

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MOST_BARS = 60


def draw_bars(axes: Axes, found: Sequence[Spread], shares: bool, log: bool) -> None:
    """Draw one spread as bars, of counts or of shares, or several as outlines of shares.

    Shares of candidates that were drawn by chance have 95 % intervals (Clopper & Pearson 1934).
    """
    if len(found) > 1:
        _outlines(axes, found)
    else:
        _bars(axes, found[0], shares)
    axes.grid(axis="y")
    if log:
        axes.set_yscale("log")
        if len(found) == 1 and not shares:
            axes.set_ylim(bottom=0.5)  # a bar of one candidate is seen, too
    elif len(found) == 1 and not shares:
        axes.yaxis.set_major_formatter(lambda value, _: f"{value:,.0f}")


def _bars(axes: Axes, found: Spread, shares: bool) -> None:
    from matplotlib.ticker import MaxNLocator

    axes.set_ylabel("share of the candidates (%)" if shares else "candidates")
    each = 100 / found.total if shares else 1.0
    if found.metric.kind == "bool":
        counts = {bool(low): count for low, _, count in found.bins}
        numbers = [counts.get(b, 0) for b in (False, True)]
        places = axes.bar(["no", "yes"], [each * n for n in numbers], 0.6, color=[COLORS[5], COLORS[0]])
        texts = [f"{n:,} ({100 * n / found.total:.3g} %)" for n in numbers]
        axes.bar_label(places, texts, padding=3, color="#444444")
        _intervals(axes, [0, 1], numbers, found, shares)
        return
    edges, counts_of_bins = even_bins(found.bins, found.metric.kind)
    widths = [high - low for low, high in pairwise(edges)]
    gap = 0.12 if len(widths) <= 30 else 0.0
    axes.bar(
        edges[:-1], [each * count for count in counts_of_bins], widths, align="edge", color=COLORS[0],
        edgecolor="white", linewidth=min(2.0, gap * 600 / len(widths)) if gap else 0.4,
    )  # fmt: skip
    _intervals(axes, [(low + high) / 2 for low, high in pairwise(edges)], counts_of_bins, found, shares)
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


def _intervals(
    axes: Axes, places: Sequence[float], counts: Sequence[int], found: Spread, shares: bool
) -> None:
    if not shares or found.population is None:
        return
    there = [(place, count) for place, count in zip(places, counts, strict=True) if count]
    places = [place for place, _ in there]
    ends = [sampled_share(count, found.total, found.population) for _, count in there]
    middles = [100 * each.value for each in ends]
    lower = [100 * (each.value - (each.low or 0.0)) for each in ends]
    upper = [100 * ((each.high or 0.0) - each.value) for each in ends]
    axes.errorbar(places, middles, [lower, upper], fmt="none", ecolor="#222222", elinewidth=1, capsize=2)


def _outlines(axes: Axes, found: Sequence[Spread]) -> None:
    axes.set_ylabel("share of the candidates (%)")
    kind = found[0].metric.kind
    low = min(one.bins[0][0] for one in found)
    high = max(one.bins[-1][1] for one in found)
    for color, one in zip(COLORS * len(found), found, strict=False):
        edges, counts = even_bins(one.bins, kind, low, high)
        shares = [100 * count / one.total for count in counts]
        axes.stairs(shares, edges, color=color, linewidth=1.8, label=one.label)
    axes.set_ylim(bottom=0)
    axes.legend(title=found[0].group or None)


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

"""Two measures of the same things: points, their line with its band, and how closely they go together."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import attrs
import numpy as np
from numpy.typing import NDArray

from epcg_research.figures.gathered import Floats, Pairs
from epcg_research.figures.paper import COLORS, set_logarithmic, small
from epcg_research.statistics.estimates import need_statistics

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MOST_POINTS = 3_000
"""Different pairs: more are counted in cells instead."""
CELLS = 80
"""On each side, at most."""


@attrs.frozen(eq=False)
class Line:
    """A straight line by least squares, with the interval of the mean of y at each x."""

    slope: float
    height: float
    """Where x is 0."""
    n: int
    error: float
    """The standard deviation of residuals, with n - 2 degrees of freedom; 0 for two points."""
    middle: float
    """The mean of x."""
    spread: float
    """The sum of the squared distances of x from its mean."""

    def at(self, x: Floats) -> Floats:
        """Return (n,) values of the line at (n,) places."""
        return self.height + self.slope * x

    def half(self, x: Floats) -> Floats:
        """Return half the width of the 95 % interval of the mean of y at (n,) places, by Student's t."""
        need_statistics("Bands need")
        from scipy import stats

        t = float(stats.t.ppf(0.975, self.n - 2))
        found: Floats = t * self.error * np.sqrt(1 / self.n + (x - self.middle) ** 2 / self.spread)
        return found


def least_squares(x: Floats, y: Floats, counts: NDArray[np.int64] | None = None) -> Line | None:
    """Fit y = height + slope x to points, each as often as it is counted; None if x is constant."""
    weights = np.ones(len(x)) if counts is None else counts.astype(np.float64)
    n = int(weights.sum())
    middle, mean = float((weights * x).sum() / n), float((weights * y).sum() / n)
    spread = float((weights * (x - middle) ** 2).sum())
    if n < 2 or spread <= 1e-12 * n * max(1.0, middle**2):
        return None
    slope = float((weights * (x - middle) * (y - mean)).sum()) / spread
    height = mean - slope * middle
    left = float((weights * (y - height - slope * x) ** 2).sum())
    return Line(slope, height, n, float(np.sqrt(left / (n - 2))) if n > 2 else 0.0, middle, spread)


def midranks(values: Floats, counts: NDArray[np.int64]) -> Floats:
    """Return (n,) ranks of values, each as often as it is counted; equal ones share their mean rank."""
    different, places = np.unique(values, return_inverse=True)
    sums = np.bincount(places, counts, len(different))
    found: Floats = (np.cumsum(sums) - (sums - 1) / 2)[places]
    return found


def coefficient(x: Floats, y: Floats, counts: NDArray[np.int64]) -> float | None:
    """Return Pearson's r of points, each as often as it is counted; None if a side is constant."""
    total = counts.sum()
    one, other = x - (counts * x).sum() / total, y - (counts * y).sum() / total
    product = float((counts * one * one).sum()) * float((counts * other * other).sum())
    return float((counts * one * other).sum()) / product**0.5 if product > 0 else None


def draw_pairs(axes: Axes, found: Pairs, fit: bool, log: bool) -> None:
    """Draw different pairs as dots, larger if many candidates have them, or their counts in cells.

    With `fit`, the line by least squares; candidates that were drawn by chance give it a band.
    """
    if len(found.counts) <= MOST_POINTS:
        area = 36 * np.sqrt(found.counts / found.counts.max())
        axes.scatter(found.x, found.y, s=np.maximum(area, 3), color=COLORS[0], alpha=0.65, linewidths=0)
    else:
        _cells(axes, found)
    axes.grid()
    if log:
        set_logarithmic(axes, "y", [float(found.y.min())])
    if fit and (line := least_squares(found.x, found.y, found.counts)) is not None:
        draw_line(axes, line, float(found.x.min()), float(found.x.max()), band=found.sample)


def _cells(axes: Axes, found: Pairs) -> None:
    from matplotlib.colors import LogNorm

    edges = [_edges(side) for side in (found.x, found.y)]
    counts, _, _ = np.histogram2d(found.x, found.y, edges, weights=found.counts.astype(np.float64))
    shown = np.ma.masked_equal(counts.T, 0)
    mesh = axes.pcolormesh(*edges, shown, cmap="Blues", norm=LogNorm(vmin=0.5), rasterized=True)
    axes.figure.colorbar(mesh, ax=axes, label="candidates in a cell", pad=0.02)


def _edges(values: Floats) -> Floats:
    """Return the edges of at most CELLS equal cells; cells are centred on whole numbers."""
    low, high = float(values.min()), float(values.max())
    if (values == np.round(values)).all():
        width = max(1.0, np.ceil((high - low + 1) / CELLS))
        number = int(np.ceil((high - low + 1) / width))
        return np.asarray(low - 0.5 + width * np.arange(number + 1))
    return np.linspace(low, high if high > low else low + 1, CELLS + 1)


def draw_line(axes: Axes, line: Line, low: float, high: float, band: bool) -> None:
    """Draw a line between two places, with the band of its 95 % intervals where there can be one."""
    x = np.linspace(low, high, 200)
    axes.plot(x, line.at(x), color=COLORS[1], linewidth=1.6, zorder=4)
    if band and line.n > 2:
        half = line.half(x)
        axes.fill_between(
            x, line.at(x) - half, line.at(x) + half, color=COLORS[1], alpha=0.2, linewidth=0, zorder=1
        )


@attrs.frozen
class Point:
    """A puzzle on a plot: its measure, what people did, and the interval of that."""

    x: float
    y: float
    low: float | None = None
    high: float | None = None


def draw_points(axes: Axes, points: Sequence[Point], fit: bool, log: bool) -> None:
    """Draw puzzles with their intervals, and their line with its band."""
    x, y = np.array([point.x for point in points]), np.array([point.y for point in points])
    axes.plot(x, y, "o", color=COLORS[0], markersize=4, zorder=3)
    for point in points:
        if point.low is not None and point.high is not None:
            axes.vlines(point.x, point.low, point.high, color=COLORS[0], linewidth=0.9, alpha=0.6)
    if fit and len(points) > 2 and (line := least_squares(x, y)) is not None:
        draw_line(axes, line, float(x.min()), float(x.max()), band=True)
    axes.grid()
    if log:
        set_logarithmic(axes, "y", [point.y if point.low is None else point.low for point in points])
    axes.annotate(
        f"{len(points)} puzzles", (1, 1), xycoords="axes fraction", xytext=(0, 4), fontsize=small(),
        textcoords="offset points", ha="right", color="#666666",
    )  # fmt: skip

"""Shapes of whole distributions: what share is at most a value (ECDF), and violins."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from epcg_research.figures.gathered import Floats, Spread
from epcg_research.figures.paper import COLORS, set_logarithmic

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MOST_STEPS = 2_000
"""Of an ECDF: more are finer than a page."""
MOST_RODS = 40
"""Different values: a violin of so many has a rod at each; one of more is smoothed."""
_DASHES = ("-", (0, (5, 2)), (0, (1, 1.5)), (0, (5, 1.5, 1, 1.5)))
_GRID = 256


def draw_ecdf(axes: Axes, found: Sequence[Spread], log: bool) -> None:
    """Draw for each spread the share of its candidates that a value is not exceeded by, as steps."""
    for i, one in enumerate(found):
        values, counts = one.exact
        shares = 100 * np.cumsum(counts) / one.total
        if len(values) > MOST_STEPS:
            values, shares = _thinned(values, shares)
        style = _DASHES[i // len(COLORS) % len(_DASHES)] if len(found) > len(COLORS) else _DASHES[i % 4]
        axes.step(
            np.concatenate([values[:1], values]), np.concatenate([[0.0], shares]), where="post",
            color=COLORS[i % len(COLORS)], linestyle=style, linewidth=1.6, label=one.label,
        )  # fmt: skip
    axes.set_ylabel("candidates with at most as much (%)")
    axes.set_ylim(0, 102)
    axes.grid()
    if log:
        set_logarithmic(axes, "x", [one.bins[0][0] for one in found])
    if len(found) > 1:
        axes.legend(title=found[0].group or None)


def _thinned(values: Floats, shares: Floats) -> tuple[Floats, Floats]:
    """Return the steps at evenly many shares and at both ends; each that stays is where it was."""
    wanted = np.linspace(shares[0], shares[-1], MOST_STEPS)
    places = np.unique(np.clip(np.searchsorted(shares, wanted), 0, len(shares) - 1))
    return values[places], shares[places]


def draw_violins(axes: Axes, found: Sequence[Spread], log: bool) -> None:
    """Draw a violin for each spread, with its quartiles as a bar and its median as a dot.

    Up to MOST_RODS different values have a rod each, as long as the candidates are many; more are smoothed
    by a Gaussian kernel with the bandwidth of Scott's rule. The longest rod of each violin is as wide as
    that of the others.
    """
    places = np.arange(len(found))
    gaps = [np.diff(one.exact[0]).min() for one in found if 1 < len(one.exact[0]) <= MOST_RODS]
    thick = 0.8 * float(min(gaps)) if gaps else 0.8
    for place, one in zip(places, found, strict=True):
        values, counts = one.exact
        color = COLORS[0] if len(found) == 1 else COLORS[place % len(COLORS)]
        if len(values) <= MOST_RODS:
            half = 0.42 * counts / counts.max()
            axes.barh(values, 2 * half, thick, left=place - half, color=color, alpha=0.65, linewidth=0)
        else:
            grid, heights = density(values, counts, log)
            half = 0.42 * heights / heights.max()
            axes.fill_betweenx(grid, place - half, place + half, color=color, alpha=0.65, linewidth=0)
        low, middle, high = (one.quantile(share) for share in (0.25, 0.5, 0.75))
        axes.vlines(place, low, high, color="#222222", linewidth=4)
        axes.plot([place], [middle], "o", color="white", markeredgecolor="#222222", markersize=5, zorder=4)
    axes.set_xticks(places, [f"{one.short}\n{one.total:,}" for one in found])
    if found[0].group:
        axes.set_xlabel(found[0].group)
    axes.set_xlim(-0.6, len(found) - 0.4)
    axes.grid(axis="y")
    if log:
        set_logarithmic(axes, "y", [one.bins[0][0] for one in found])


def density(values: Floats, counts: NDArray[np.int64], log: bool = False) -> tuple[Floats, Floats]:
    """Return points and the density of counted values there: a Gaussian kernel, bandwidth by Scott's rule.

    Values are put into 4,096 equal bins first, which are far finer than the kernel.

    Args:
        values: (n,) different values, ascending.
        counts: (n,) how many candidates have each.
        log: whether densities are those of the logarithms, if all values are positive.

    Returns:
        (256,) points between the extremes, and (256,) densities, in shares by unit.
    """
    logarithms = log and values[0] > 0
    own = np.log(values) if logarithms else values
    total = counts.sum()
    mean = (own * counts).sum() / total
    spread = float(np.sqrt((counts * (own - mean) ** 2).sum() / max(total - 1, 1)))
    width = spread * float(total) ** -0.2 or 1.0
    sums, edges = np.histogram(own, 4_096, weights=counts.astype(np.float64))
    middles, filled = (edges[:-1] + edges[1:]) / 2, sums > 0
    grid = np.linspace(own[0], own[-1], _GRID)
    kernel = np.exp(-0.5 * ((grid[:, None] - middles[filled]) / width) ** 2)
    heights = (kernel * sums[filled]).sum(axis=1) / (total * width * np.sqrt(2 * np.pi))
    return (np.exp(grid) if logarithms else grid), heights

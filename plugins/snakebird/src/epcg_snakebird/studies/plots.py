"""The figure of the study: the three distributions of lengths (2020, Figure 4)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING, TypeAlias

from epcg_core.plugin import writing
from epcg_snakebird.studies.data import StudiedLevel

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Save: TypeAlias = "Callable[[Path, Callable[[Axes], None]], None]"
"""Draws a plot into a file: the function `save_figure` that epcg-research adds."""

_BINS = 16
_STEPS = (1, 2, 5, 10, 20, 50, 100, 200, 500)
"""Widths of the bins, in moves."""


def draw_lengths(path: Path, levels: Sequence[StudiedLevel], save: Save) -> None:
    """Draw what share of the levels has solutions of which length: as they are, the longest, the shortest.

    Args:
        path: the file.
        levels: those that are counted.
        save: draws a plot into a file.

    Raises:
        EpcgError: if the picture cannot be written.
    """
    kinds = (
        ("shortest change", [level.shortest for level in levels], "C2", ":"),
        ("original", [level.original for level in levels], "C0", "-"),
        ("longest change", [level.longest for level in levels], "C1", "--"),
    )
    highest = max(max(values) for _, values, _, _ in kinds)
    step = next((step for step in _STEPS if step * _BINS > highest), _STEPS[-1])
    edges = list(range(0, highest + step + 1, step))

    def draw(axes: Axes) -> None:
        for name, values, colour, style in kinds:
            shares = [
                100 * sum(low <= value < low + step for value in values) / len(values) for low in edges[:-1]
            ]
            middle = median(values)
            axes.stairs(
                shares, edges, color=colour, linewidth=2, linestyle=style, label=f"{name}, median {middle:g}"
            )
            axes.axvline(middle, color=colour, linewidth=1.2, linestyle=style, alpha=0.7)
        axes.set_ylim(bottom=0)
        axes.set_xlim(0, edges[-1])
        axes.set_xlabel("moves of the shortest solution")
        axes.set_ylabel("% of the levels")
        axes.set_title(f"{len(levels)} levels, and the extremes of their single changes")
        axes.grid(axis="y")
        axes.legend(loc="upper center", bbox_to_anchor=(0.5, -0.14), ncols=3)

    with writing(path):
        save(path, draw)

"""Scatter plots of measures against votes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from epcg_core.plugin import writing
from epcg_witness.studies.correlations import Correlation

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Save: TypeAlias = "Callable[[Path, Callable[[Axes], None]], None]"
"""Draws a plot into a file: the function `save_figure` that epcg-research adds."""

_TITLES = {
    "muse": "MUSE",
    "remuse": "ReMUSE",
    "adversarial": "Adversarial entropy",
    "msi": "MSI",
    "tsi": "TSI",
}


def plot_all(folder: Path, found: Sequence[Correlation], save: Save) -> list[Path]:
    """Write one SVG for each measure into `folder`: a dot a puzzle, and the line of least squares.

    Args:
        folder: where the files are written.
        found: the measures.
        save: draws a plot into a file.

    Returns:
        The files.
    """
    written = []
    for correlation in found:
        path = folder / f"{correlation.measure}.svg"
        with writing(path):
            save(path, partial(_scatter, correlation))
        written.append(path)
    return written


def _scatter(correlation: Correlation, axes: Axes) -> None:
    x, y = np.array(correlation.values), np.array(correlation.residuals)
    axes.scatter(x, y, s=22, color="C0", alpha=0.75, linewidths=0, zorder=3)
    if np.ptp(x) > 0.0:
        slope, height = np.polyfit(x, y, 1)
        ends = np.array([x.min(), x.max()])
        axes.plot(ends, slope * ends + height, color="C1", linewidth=2)
    title = _TITLES.get(correlation.measure, correlation.measure)
    axes.set_title(f"{title}: r = {correlation.r:.3f}, p = {correlation.p:.2e}, {len(x)} puzzles")
    axes.set_xlabel(f"{title}, bits")
    axes.set_ylabel("upvotes, detrended")
    axes.grid()

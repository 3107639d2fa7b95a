"""Scatter plots of measures against votes. The only module of the plugin that imports matplotlib."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from epcg_core.errors import EpcgError
from epcg_witness.difficulty_study import Correlation

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_DARK, _LIGHT = "#1f4e79", "#e07b39"
_TITLES = {
    "muse": "MUSE",
    "remuse": "ReMUSE",
    "adversarial": "Adversarial entropy",
    "msi": "MSI",
    "tsi": "TSI",
}
_SETTINGS: Any = {
    "axes.spines.right": False,
    "axes.spines.top": False,
    "axes.grid": True,
    "grid.color": "#dddddd",
    "font.size": 10,
    # Without these two, every run would write another file for the same numbers.
    "svg.hashsalt": "epcg",
    "svg.fonttype": "none",
}


def require_matplotlib() -> None:
    """Raises EpcgError with the extra to install where matplotlib is missing."""
    try:
        import matplotlib  # noqa: F401
    except ImportError as error:
        raise EpcgError(
            "The plots need matplotlib, which is not installed: pip install 'epcg-witness[plot]', or leave "
            "the plots out with --no-plots."
        ) from error


def plot_all(folder: Path, found: Sequence[Correlation]) -> list[Path]:
    """Write one SVG for each measure into `folder`: a dot a puzzle, and the line of least squares."""
    import matplotlib
    from matplotlib.figure import Figure

    written = []
    for correlation in found:
        path = folder / f"{correlation.measure}.svg"
        with matplotlib.rc_context(_SETTINGS):
            figure = Figure(figsize=(6.4, 4), layout="constrained")
            _scatter(figure.add_subplot(), correlation)
            try:
                figure.savefig(path, metadata={"Date": None})
            except OSError as error:
                raise EpcgError(f"{path} cannot be written: {error.strerror}.") from error
        written.append(path)
    return written


def _scatter(axes: Axes, correlation: Correlation) -> None:
    x, y = np.array(correlation.values), np.array(correlation.residuals)
    axes.scatter(x, y, s=22, color=_DARK, alpha=0.75, linewidths=0, zorder=3)
    if np.ptp(x) > 0.0:
        slope, height = np.polyfit(x, y, 1)
        ends = np.array([x.min(), x.max()])
        axes.plot(ends, slope * ends + height, color=_LIGHT, linewidth=2)
    title = _TITLES.get(correlation.measure, correlation.measure)
    axes.set_title(f"{title}: r = {correlation.r:.3f}, p = {correlation.p:.2e}, {len(x)} puzzles")
    axes.set_xlabel(f"{title}, bits")
    axes.set_ylabel("upvotes, detrended")

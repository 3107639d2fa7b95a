"""The paper that figures are drawn on: size, font, format. Imports matplotlib only while drawing."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, Literal

import attrs

from epcg_core.plugin import EpcgError, UnknownNameError, require

if TYPE_CHECKING:
    from matplotlib.axes import Axes

COLORS = ("#1f4e79", "#e07b39", "#3f8f6b", "#8a4f9e", "#b3a125", "#5f6b73", "#c23b4b", "#3aa0c2")
ENDINGS = (".svg", ".pdf", ".png")
ONE_COLUMN, TWO_COLUMNS = 3.5, 7.16
"""Inches: the width of a column, and of two with the space between, in the two-column pages of IEEE."""
_SETTINGS: Any = {
    "axes.spines.right": False,
    "axes.spines.top": False,
    "axes.edgecolor": "#666666",
    "axes.axisbelow": True,
    "axes.prop_cycle": f"cycler(color={list(COLORS)})",  # 'C0' to 'C7' for those who draw
    "axes.titlelocation": "left",
    "axes.titlepad": 12,
    "grid.color": "#e3e3e3",
    "legend.frameon": False,
    "svg.hashsalt": "epcg",  # else every drawing of the same numbers would be another file
    "svg.fonttype": "none",
    "pdf.fonttype": 42,  # fonts are embedded as TrueType: journals refuse matplotlib's usual Type 3
}


@attrs.frozen
class Paper:
    """How large a figure is, and how it is set.

    Drawing on it raises EpcgError if a size is out of its range or the font is not installed.
    """

    width: float = 7.2
    """Inches."""
    height: float | None = None
    """Inches of each plot; None for a height that suits the width."""
    font: str | None = None
    """The name of an installed font; None for matplotlib's own."""
    size: float = 10
    """Of the font, in points; titles are a tenth larger, notes a sixth smaller."""
    dots: int = 150
    """Of a PNG, on an inch."""

    @classmethod
    def of_journal(cls, columns: int) -> Paper:
        """Return paper for one column of a journal's page or for two: 8 points, and 600 dots in a PNG."""
        return cls(ONE_COLUMN if columns == 1 else TWO_COLUMNS, size=8, dots=600)

    @property
    def tall(self) -> float:
        """The height of each plot, in inches."""
        return self.height if self.height is not None else max(2.0, min(4.2, 0.72 * self.width))

    def check(self) -> None:
        """Raise EpcgError if a figure cannot be drawn on it."""
        for name, value, low, high in (
            ("width", self.width, 1, 40),
            ("height", self.tall, 0.8, 40),
            ("font size", self.size, 3, 72),
        ):
            if not low <= value <= high:
                raise EpcgError(f"The {name} {value:g} is not between {low:g} and {high}.")
        if self.font is not None:
            _check_font(self.font)

    def settings(self) -> Any:
        """Return the settings of matplotlib for it."""
        fonts = {} if self.font is None else {"font.family": self.font}
        return {
            **_SETTINGS,
            **fonts,
            "font.size": self.size,
            "axes.titlesize": 1.1 * self.size,
            "legend.fontsize": 0.85 * self.size,
        }


def set_logarithmic(axes: Axes, axis: Literal["x", "y"], values: Iterable[float]) -> None:
    """Make an axis logarithmic for values: around zero it is straight, if there are some at or below."""
    from matplotlib.ticker import LogFormatter

    if min(values) <= 0:
        axes.set(**{f"{axis}scale": "symlog"})
        return
    axes.set(**{f"{axis}scale": "log"})
    own = axes.xaxis if axis == "x" else axes.yaxis
    own.set_major_formatter(LogFormatter())  # 20 instead of 2 x 10^1
    own.set_minor_formatter(LogFormatter(labelOnlyBase=False, minor_thresholds=(1.5, 0.5)))


def small(share: float = 0.85) -> float:
    """Return the size of notes on a plot that is being drawn, in points: smaller than its other text."""
    import matplotlib

    return share * float(matplotlib.rcParams["font.size"])


def _check_font(name: str) -> None:
    from matplotlib import font_manager

    known = {font.name for font in font_manager.fontManager.ttflist}
    if name not in known:
        raise UnknownNameError("font", name, known, "--font")


def require_matplotlib() -> None:
    """Raise PluginError, which names the extra to install, if matplotlib is missing."""
    require("Plots need", "matplotlib", extra="epcg-research[plot]")


def save_figure(
    target: Path | BinaryIO, *draws: Callable[[Axes], None], paper: Paper | None = None, format: str = ".svg"
) -> None:
    """Draw plots, one below the other, into a file or as bytes. The same numbers give the same bytes.

    Args:
        target: the file, in the format that its ending says, or where bytes go.
        draws: each draws a plot.
        paper: its size and font; None for a picture on a page.
        format: of bytes: '.svg', '.pdf' or '.png'.

    Raises:
        PluginError: without matplotlib.
        EpcgError: if the paper has no such size or font.
        OSError: if the file cannot be written.
    """
    require_matplotlib()
    import matplotlib
    from matplotlib.figure import Figure

    paper = paper or Paper()
    paper.check()
    with matplotlib.rc_context(paper.settings()):
        figure = Figure(figsize=(paper.width, paper.tall * len(draws)), layout="constrained")
        for i, draw in enumerate(draws, 1):
            draw(figure.add_subplot(len(draws), 1, i))
        if isinstance(target, Path):
            format = target.suffix.lower()
            target.parent.mkdir(parents=True, exist_ok=True)
        dates: dict[str, Any] = {".svg": {"Date": None}, ".pdf": {"CreationDate": None}}
        figure.savefig(target, format=format[1:], dpi=paper.dots, metadata=dates.get(format, {}))

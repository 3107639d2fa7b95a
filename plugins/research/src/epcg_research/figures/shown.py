"""A plot as an object that displays itself in a notebook."""

from __future__ import annotations

import io
from pathlib import Path

import attrs

from epcg_core.inside import checked_methods
from epcg_core.plugin import EpcgError
from epcg_research.figures.drawing import Drawing
from epcg_research.figures.paper import ENDINGS, Paper


@checked_methods
@attrs.frozen
class Plot:
    """A plot, as an SVG document, with the caption that says what it shows."""

    svg: str = attrs.field(repr=False)
    caption: str
    _drawing: Drawing = attrs.field(repr=False)
    _paper: Paper = attrs.field(repr=False)

    @classmethod
    def of(cls, drawing: Drawing, paper: Paper) -> Plot:
        """Draw it on a paper. Raises PluginError without matplotlib."""
        drawn = io.BytesIO()
        drawing.save(drawn, paper)
        return cls(drawn.getvalue().decode(), drawing.caption, drawing, paper)

    def save(self, path: str | Path) -> None:
        """Draw it into a file that ends in .svg, .pdf or .png.

        Raises:
            EpcgError: if it has another ending.
            OSError: if it cannot be written.
        """
        target = Path(path)
        if target.suffix.lower() not in ENDINGS:
            raise EpcgError(f"'{target}' must end in .svg, .png or .pdf.")
        self._drawing.save(target, self._paper)

    def _repr_svg_(self) -> str:
        return self.svg

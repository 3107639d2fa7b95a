"""How figures look and what they show. matplotlib is imported only while drawing: the extra `plot`.

paper      size, font and format; domains draw with it, too
gathered   values of runs, counted
bars       bars and outlines
shapes     ECDFs and violins
relations  points, lines with bands
points     layers, any two columns
drawing    what is drawn of runs, with its caption
shown      plots as objects in notebooks
"""

from epcg_research.figures.drawing import KINDS, Asked, Drawing, Kind, drawing
from epcg_research.figures.paper import (
    COLORS,
    ENDINGS,
    ONE_COLUMN,
    TWO_COLUMNS,
    Paper,
    require_matplotlib,
    save_figure,
)
from epcg_research.figures.points import Series, draw_columns, draw_layers
from epcg_research.figures.shown import Plot

__all__ = [
    "COLORS",
    "ENDINGS",
    "KINDS",
    "ONE_COLUMN",
    "TWO_COLUMNS",
    "Asked",
    "Drawing",
    "Kind",
    "Paper",
    "Plot",
    "Series",
    "draw_columns",
    "draw_layers",
    "drawing",
    "require_matplotlib",
    "save_figure",
]

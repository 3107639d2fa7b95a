"""The shapes of marks and clues that people know by their look, in a box from -0.5 to 0.5.

A mark or a clue whose word has no shape here is written, or its cell is filled if it is the filled one.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Final

import attrs

DARK, WATER, GREEN, RED, GOLD, BLUE, PAPER = (
    "#55504a", "#8fbfe6", "#3f7d3a", "#b3392f", "#d99a12", "#1f5fa8", "#ffffff",
)  # fmt: skip


@attrs.frozen
class Glyph:
    """A shape with its colour; `stroke` is that of its outline, if it has one."""

    path: str
    colour: str = DARK
    stroke: str = ""


def circle(radius: float, x: float = 0.0, y: float = 0.0) -> str:
    """Return the data of an SVG path that is a circle."""
    half = f"a{radius:.3g} {radius:.3g} 0 1 0 "
    return f"M{x - radius:.3g} {y:.3g}{half}{2 * radius:.3g} 0{half}{-2 * radius:.3g} 0z"


def _star(points: int, outer: float, inner: float) -> str:
    turns = [(outer if i % 2 == 0 else inner, math.pi * i / points - math.pi / 2) for i in range(2 * points)]
    return "M" + "L".join(f"{r * math.cos(a):.3g} {r * math.sin(a):.3g}" for r, a in turns) + "z"


FILLS: Final[Mapping[str, str]] = {
    "shaded": DARK, "black": DARK, "filled": "#8a837a", "water": WATER, "sea": WATER,
}  # fmt: skip
"""Marks that fill their cell, by their words."""

MARKS: Final[Mapping[str, Glyph]] = {
    "lamp": Glyph(circle(0.22), "#ffd84d", DARK),
    "star": Glyph(_star(5, 0.36, 0.15), GOLD),
    "tent": Glyph("M0 -.32L.34 .3L.08 .3L0 .12L-.08 .3L-.34 .3z", RED),
    "mine": Glyph(_star(8, 0.36, 0.22), DARK),
    "tree": Glyph("M0 -.38L.28 .02L.14 .02L.32 .26L.06 .26L.06 .4L-.06 .4L-.06 .26L-.32 .26L-.14 .02"
                  "L-.28 .02z", GREEN),
}  # fmt: skip
"""Marks with a shape of their own, by their words."""

CLUES: Final[Mapping[str, Glyph]] = {
    "white": Glyph(circle(0.3), PAPER, DARK),
    "black": Glyph(circle(0.3), "#2b2622", "#2b2622"),
    "tree": MARKS["tree"],
}
"""Clues with a shape, by the names of their kinds; all have one value."""

SIGNS: Final[Mapping[str, str]] = {
    "plus": "+", "sum": "", "times": "×", "product": "×", "minus": "−", "difference": "−", "over": "÷",
    "quotient": "÷",
}  # fmt: skip
"""What is written behind the number of a clue where several kinds of clues stand on regions."""
BLANKS: Final = ("blank", "white", "none", "empty", "land")
"""Marks of cells that are drawn as nothing, or as a dot where it matters that the mark was put."""

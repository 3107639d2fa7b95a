"""The shapes in pictures of Fling! boards (see `epcg_core.rendering.svg`); one cell is 48 units wide.

What a colour says, a shape says too, so the pictures can be read in black and white.
"""

from __future__ import annotations

import attrs

from epcg_core.plugin import INK, number, svg
from epcg_fling.rules.moves import BoardShape

CELL = 48
MARGIN = 10
_TABLE, _FLOOR, _LINE = "#e9dfcd", "#fffdf8", "#d3c6b0"
_TURN = (0, 90, 180, 270)
"""Degrees from pointing up, by direction."""


@attrs.frozen
class Fur:
    """The colours of a ball."""

    body: str
    shade: str


COLOURS = (
    Fur("#ffa98a", "#d9633a"),
    Fur("#ffd166", "#c98f10"),
    Fur("#a5dd80", "#5b9e33"),
    Fur("#8fd0f5", "#3787bd"),
    Fur("#c9b3f2", "#7d5fc0"),
    Fur("#f9b0d0", "#c7568d"),
    Fur("#86dccb", "#2e9884"),
)
PLAIN = Fur("#efe6d8", "#8d7f6c")


@attrs.frozen
class Board:
    """The places of a board's cells in a picture; `left` and `top` are the corner of cell 0."""

    shape: BoardShape
    left: float = MARGIN
    top: float = MARGIN

    @property
    def width(self) -> float:
        """The width of the cells together."""
        return self.shape.width * CELL

    @property
    def height(self) -> float:
        """The height of the cells together."""
        return self.shape.height * CELL

    def corner(self, cell: int) -> tuple[float, float]:
        """Return the top left corner of a cell."""
        y, x = divmod(cell, self.shape.width)
        return self.left + x * CELL, self.top + y * CELL

    def centre(self, cell: int) -> tuple[float, float]:
        """Return the centre of a cell."""
        x, y = self.corner(cell)
        return x + CELL / 2, y + CELL / 2

    def grid(self) -> list[str]:
        """Draw the empty board."""
        edge = MARGIN - 3
        x, y, w, h = self.left - edge, self.top - edge, self.width + 2 * edge, self.height + 2 * edge
        lines = "".join(
            [f"M{number(self.left + i * CELL)} {number(self.top)}v{h - 2 * edge:g}"
             for i in range(1, self.shape.width)]
            + [f"M{number(self.left)} {number(self.top + i * CELL)}h{w - 2 * edge:g}"
               for i in range(1, self.shape.height)]
        )  # fmt: skip
        return [
            f'<rect x="{number(x)}" y="{number(y)}" width="{number(w)}" height="{number(h)}" rx="9" '
            f'fill="{_TABLE}" stroke="{_LINE}"/>',
            f'<rect x="{number(self.left)}" y="{number(self.top)}" width="{number(self.width)}" '
            f'height="{number(self.height)}" rx="4" fill="{_FLOOR}"/>',
            f'<path d="{lines}" stroke="{_LINE}" stroke-width="1.2" fill="none"/>',
        ]

    def tint(self, cell: int, colour: str) -> str:
        """Draw a coloured cell."""
        x, y = self.corner(cell)
        return (
            f'<rect x="{number(x + 1)}" y="{number(y + 1)}" width="{CELL - 2}" height="{CELL - 2}" rx="3" '
            f'fill="{colour}"/>'
        )

    def ball(self, cell: int, fur: Fur, inside: str) -> str:
        """Draw a piece: a furry ball with `inside` drawn on it (around 0, 0)."""
        x, y = self.centre(cell)
        return f'<g class="piece" transform="translate({number(x)} {number(y)})">{_fur(fur)}{inside}</g>'

    def ghost(self, cell: int) -> str:
        """Draw the outline of a piece that could be added."""
        x, y = self.centre(cell)
        return (
            f'<circle cx="{number(x)}" cy="{number(y)}" r="16" fill="none" stroke="{INK}" '
            'stroke-width="1.4" stroke-dasharray="4 3.2" stroke-opacity=".5"/>'
        )

    def pointer(self, cell: int, direction: int) -> str:
        """Draw an arrow from the edge of a ball into the next cell, which is free when the ball is flung."""
        x, y = self.centre(cell)
        return (
            '<path class="arrow" d="M-4.5-16v-8h-7l11.5-15l11.5 15h-7v8z" '
            f'transform="translate({number(x)} {number(y)}) rotate({_TURN[direction]})" fill="{INK}" '
            'stroke="#fff" stroke-width="1.6" stroke-linejoin="round"/>'
        )


def _fur(fur: Fur) -> str:
    """Draw a ring of bristles, made of dashes, around a body with a glint of light."""
    return (
        f'<circle r="17" fill="none" stroke="{fur.shade}" stroke-width="6.4" stroke-dasharray="1.5 1.17"/>'
        f'<circle r="16.2" fill="{fur.body}" stroke="{fur.shade}" stroke-width="1.4"/>'
        '<ellipse cx="-5.5" cy="-9.5" rx="5" ry="2.8" transform="rotate(-28 -5.5 -9.5)" fill="#fff" '
        'fill-opacity=".65"/>'
    )


def face() -> str:
    """Draw two eyes and a smile."""
    return (
        f'<g fill="{INK}"><circle cx="-5" cy="-1.5" r="2.5"/><circle cx="5" cy="-1.5" r="2.5"/></g>'
        '<g fill="#fff"><circle cx="-4.2" cy="-2.3" r=".8"/><circle cx="5.8" cy="-2.3" r=".8"/></g>'
        f'<path d="M-4 5.5q4 4 8 0" fill="none" stroke="{INK}" stroke-width="1.6" stroke-linecap="round"/>'
    )


def label(content: str) -> str:
    """Draw a number on a ball."""
    size = 20 if len(content) < 2 else 17
    return svg.text(0, size * 0.36, size, content, bold=True)


def arrow(direction: int) -> str:
    """Draw an arrow from the middle of a ball to its edge."""
    return (
        '<path class="arrow" d="M-2.6-4v-7.5h-5l7.6-11.5l7.6 11.5h-5v7.5z" '
        f'transform="rotate({_TURN[direction]})" fill="{INK}" stroke="#fff" stroke-width="1.2" '
        'stroke-linejoin="round"/>'
    )


@attrs.frozen
class Mark:
    """The mark of a verdict in a picture: a tint of the cell and a sign on it."""

    tint: str
    sign: str
    """An SVG element around 0, 0, at most 20 units wide."""


_CROSS = f'<path d="M-5-5l10 10M5-5l-10 10" stroke="{INK}" stroke-width="3.2" stroke-linecap="round"/>'
MARKS = {
    "unsolvable": Mark("#f4b3a8", _CROSS),
    "solvable": Mark("#fbdf9d", svg.text(0, 5.6, 16, "2+", bold=True)),
    "unique": Mark("#aedca0", svg.text(0, 6, 17, "1", bold=True)),
}


def sign(verdict: str, x: float, y: float, scale: float = 1.0) -> str:
    """Draw the sign of a verdict at a point."""
    return (
        f'<g class="sign" transform="translate({number(x)} {number(y)}) scale({number(scale)})">'
        f"{MARKS[verdict].sign}</g>"
    )


def sign_badge(verdict: str, x: float, y: float) -> str:
    """Draw the sign of a verdict on a small disc, for cells with a piece."""
    disc = f'<circle cx="{number(x)}" cy="{number(y)}" r="7.6" fill="{MARKS[verdict].tint}" stroke="{INK}"/>'
    return disc + sign(verdict, x, y, 0.7)


def legend_mark(verdict: str, x: float, y: float) -> str:
    """Draw the sign of a verdict on its tint, for the legend."""
    return (
        f'<rect x="{number(x - 10)}" y="{number(y - 10)}" width="20" height="20" rx="3" '
        f'fill="{MARKS[verdict].tint}"/>' + sign(verdict, x, y)
    )


def legend_arrow(x: float, y: float) -> str:
    """Draw the arrow of a winning move, for the legend."""
    return (
        f'<path d="M-9-2.6h7.5v-5l11.5 7.6l-11.5 7.6v-5h-7.5z" fill="{INK}" '
        f'transform="translate({number(x)} {number(y)})"/>'
    )


def paper(width: float, height: float) -> str:
    """Draw a white ground for pictures with text on it."""
    return f'<rect width="{number(width)}" height="{number(height)}" rx="9" fill="#fff"/>'

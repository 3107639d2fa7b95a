"""What the SVG pictures of all domains have in common: plain text, as a viewer and a page need it.

No gradients, filters, ids or style sheets: any number of pictures can stand in one page, and every viewer
draws them alike.
"""

from __future__ import annotations

from collections.abc import Iterable
from xml.sax.saxutils import escape

INK = "#2b2622"


def number(value: float) -> str:
    """A coordinate, as short as it can be."""
    return f"{round(value, 1) + 0.0:.1f}".removesuffix(".0")  # + 0.0, because "-0" is no shorter than "0"


def text(
    x: float,
    y: float,
    size: float,
    content: str,
    *,
    anchor: str = "middle",
    bold: bool = False,
    colour: str = INK,
) -> str:
    """A line of text whose baseline is at y."""
    weight = ' font-weight="bold"' if bold else ""
    return (
        f'<text x="{number(x)}" y="{number(y)}" font-family="sans-serif" font-size="{number(size)}"{weight} '
        f'text-anchor="{anchor}" fill="{colour}">{escape(content)}</text>'
    )


def document(width: float, height: float, title: str, parts: Iterable[str]) -> str:
    """An SVG document on a transparent ground; `title` is what a screen reader says."""
    size = f"{number(width)} {number(height)}"
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {size}" width="{number(width)}" '
            f'height="{number(height)}" role="img">',
            f"<title>{escape(title)}</title>",
            *parts,
            "</svg>",
            "",
        ]
    )

"""Elements of SVG pictures, shared by all domains.

No gradients, filters, ids or style sheets: any number of pictures can stand in one page, and every viewer
draws them alike.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Sequence
from xml.sax.saxutils import escape

INK = "#2b2622"
"""The colour of lines and letters."""


def number(value: float) -> str:
    """Format a coordinate as briefly as possible."""
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
    """Draw a line of text with its baseline at y."""
    weight = ' font-weight="bold"' if bold else ""
    return (
        f'<text x="{number(x)}" y="{number(y)}" font-family="sans-serif" font-size="{number(size)}"{weight} '
        f'text-anchor="{anchor}" fill="{colour}">{escape(content)}</text>'
    )


def size_of(picture: str) -> tuple[float, float]:
    """Return the (width, height) of an SVG document, 1 by 1 if it names none."""
    head = picture.partition(">")[0]
    found = [re.search(rf'\s{name}="([0-9.]+)', head) for name in ("width", "height")]
    width, height = (float(match[1]) if match else 0.0 for match in found)
    box = re.search(r'viewBox="[-0-9.]+ [-0-9.]+ ([0-9.]+) ([0-9.]+)"', head)
    if box is not None and not (width and height):
        width, height = float(box[1]), float(box[2])
    return (width, height) if width and height else (1.0, 1.0)


_BETWEEN = 12
"""Between pictures in rows."""


def in_rows(pictures: Sequence[str], title: str) -> str:
    """Put SVG documents into one, in rows that are about as wide as all of them are high."""
    sizes = [size_of(picture) for picture in pictures]
    columns = math.ceil(math.sqrt(len(pictures)))
    rows = [range(start, min(start + columns, len(sizes))) for start in range(0, len(sizes), columns)]
    parts, y = [], 0.0
    for row in rows:
        x = 0.0
        for place in row:
            inner = re.sub(r"<\?xml.*?\?>|<!DOCTYPE[^>]*>", "", pictures[place]).strip()
            parts.append(f'<g transform="translate({number(x)},{number(y)})">{inner}</g>')
            x += sizes[place][0] + _BETWEEN
        y += max(sizes[place][1] for place in row) + _BETWEEN
    width = max(sum(sizes[place][0] + _BETWEEN for place in row) for row in rows)
    return document(width - _BETWEEN, y - _BETWEEN, title, parts)


def document(width: float, height: float, title: str, parts: Iterable[str]) -> str:
    """Make an SVG document on a transparent ground; screen readers read its `title`."""
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

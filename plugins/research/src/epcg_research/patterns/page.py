"""A page with pictures of patterns: the window, what is asked for, and what follows.

`found` is a `FoundPatterns` of the module `report`, which imports this one.
"""

from __future__ import annotations

from collections.abc import Iterator
from html import escape
from importlib.resources import files
from typing import Any

from epcg_core.inside import PatternPlace

UNIT = 17
"""Pixels of half a cell."""
DRAWN = ("line", "drawn", "border")
CROSSED = ("none", "open", "gap")
FILLED = ("shaded", "black", "lamp", "covered", "tree", "star", "mine", "wall")


def page_of(found: Any) -> str:
    """Return a page with all patterns of a report, as HTML."""
    lead = "".join(f"<p>{escape(str(part))}</p>" for part in found.parts() if isinstance(part, str))
    items = "".join(_item(found, number, own) for number, own in enumerate(found.patterns, 1))
    title = f"Patterns of run {found.run}"
    style = files("epcg_research.patterns").joinpath("page.css").read_text(encoding="utf-8")
    return (
        '<!doctype html><html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{escape(title)}</title><style>{style}</style></head><body><main><h1>{escape(title)}</h1>"
        f"{lead}"
        "<p><small>A cell that is empty here may be anything. The place in the dashed frame is what the "
        "pattern speaks about. Turned and mirrored it holds, too.</small></p>"
        f"<ol>{items}</ol></main></body></html>\n"
    )


def _item(found: Any, number: int, own: Any) -> str:
    facts = [("says", f"{own.says:,}"), ("adds", f"{own.adds:,}"), ("together", f"{100 * own.share:.1f} %")]
    if own.failures is not None:
        facts.append((f"fails in run {found.other}", f"{own.failures:,}"))
    if own.bits is not None:
        facts.append(("bits", f"{own.bits:.3f}"))
    conclusion = found.conclusions[own.pattern.conclusion]
    return (
        f"<li><h2>{number}. {escape(conclusion)}</h2>{picture(found, own)}<code>{escape(own.text)}</code>"
        f"<dl>{''.join(f'<dt>{escape(name)}</dt><dd>{value}</dd>' for name, value in facts)}</dl></li>"
    )


def picture(found: Any, own: Any) -> str:
    """Return the window of a pattern as SVG."""
    places = [
        place for place in found.places if place.name in found.looked_at or _is_asked(found, own, place)
    ]
    points = [(place.x, place.y) for place in places] + [found.target]
    left, right = min(x for x, _ in points) - 1.4, max(x for x, _ in points) + 1.4
    top, bottom = min(y for _, y in points) - 1.4, max(y for _, y in points) + 1.4
    asked = {found.places[at]: found.places[at].values[value] for at, value in own.pattern.conditions}
    cells = sorted({(place.x, place.y) for place in found.places if place.kind == "cell"})
    shapes = [_cell(x, y) for x, y in cells]
    even = (cells[0][0] % 2, cells[0][1] % 2)
    order = {"cell": 0, "edge": 1, "corner": 2}
    for place, value in sorted(asked.items(), key=lambda pair: order[pair[0].kind]):
        shapes += _value(place, value, level=place.x % 2 == even[0])
    x, y = found.target
    wide = 0.7 if x % 2 != even[0] else 2.2 if y % 2 != even[1] else 1.7
    high = 2.2 if x % 2 != even[0] else 0.7 if y % 2 != even[1] else 1.7
    shapes.append(
        f'<rect class="target" x="{UNIT * (x - wide / 2)}" y="{UNIT * (y - high / 2)}" width="{UNIT * wide}" '
        f'height="{UNIT * high}" rx="4"/>'
    )
    box = f"{UNIT * left} {UNIT * top} {UNIT * (right - left)} {UNIT * (bottom - top)}"
    size = f'width="{UNIT * (right - left):.0f}" height="{UNIT * (bottom - top):.0f}"'
    return f'<svg role="img" viewBox="{box}" {size} aria-label="{escape(own.text)}">{"".join(shapes)}</svg>'


def _is_asked(found: Any, own: Any, place: PatternPlace) -> bool:
    return any(found.places[at] is place for at, _ in own.pattern.conditions)


def _cell(x: float, y: float, kind: str = "cell") -> str:
    return (
        f'<rect class="{kind}" x="{UNIT * (x - 1)}" y="{UNIT * (y - 1)}" width="{2 * UNIT}" '
        f'height="{2 * UNIT}"/>'
    )


def _value(place: PatternPlace, value: str, level: bool) -> Iterator[str]:
    """Yield the shapes of a value that a pattern asks for."""
    x, y = UNIT * place.x, UNIT * place.y
    if place.kind == "corner":
        yield f'<circle class="corner" cx="{x}" cy="{y}" r="4"/>'
        if value not in DRAWN:
            yield f'<text x="{x}" y="{y - 11}">{escape(_short(value))}</text>'
    elif place.kind == "edge":
        dx, dy = (UNIT, 0) if level else (0, UNIT)
        if value in DRAWN:
            yield f'<line class="drawn" x1="{x - dx}" y1="{y - dy}" x2="{x + dx}" y2="{y + dy}"/>'
        elif value in CROSSED:
            yield (f'<path class="crossed" d="M{x - 4} {y - 4}l8 8m0 -8l-8 8"/>')
        else:
            yield f'<text x="{x}" y="{y}">{escape(_short(value))}</text>'
    elif value == "outside":
        yield _cell(place.x, place.y, "out")
    elif value in FILLED:
        yield _cell(place.x, place.y, "filled")
        yield f'<text class="on" x="{x}" y="{y}">{escape(_short(value))}</text>'
    else:
        yield f'<text x="{x}" y="{y}">{escape(_short(value))}</text>'


def _short(value: str) -> str:
    """Return a value that fits into a cell."""
    words = value.split()
    return (
        value if len(value) <= 4 else "".join(word if word.isdigit() else word[0].upper() for word in words)
    )

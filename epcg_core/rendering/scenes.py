"""Scenes of editors as SVG: the picture of a domain that registers no renderer of its own."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from html import escape
from typing import Any

from epcg_core.domain import EditorInfo, resolve
from epcg_core.domain.content import opened_state
from epcg_core.domain.editing import EDGE, VERTEX, Mark, Path, Point, Scene, Site
from epcg_core.rendering.svg import document

UNIT = 48
"""The length of a unit of the board, in units of the picture."""
_MARGIN = 0.3
_FLOOR, _LINE, _INK = "#fffdf8", "#c9c4bb", "#1d1d1f"


def number(value: float) -> str:
    """Format a coordinate in units of the board."""
    return f"{round(value, 3) + 0.0:g}"


def scene_renderer(info: EditorInfo, generator: Any) -> Callable[[Any], str]:
    """Return a function that draws states as their domain's editor shows them."""
    open_editor = resolve(info.factory)

    def draw(state: Any) -> str:
        editor = open_editor(opened_state(generator, state))
        ground = getattr(editor, "ground", None)
        return scene_svg(editor.scene(editor.content), editor.palette, info.domain, ground)

    return draw


def scene_svg(scene: Scene, palette: Sequence[Mark], title: str, ground: Mark | None = None) -> str:
    """Draw a scene as an SVG document.

    Args:
        scene: the scene.
        palette: its marks.
        title: the title of the document.
        ground: what lies below everything, if it can be seen.

    Returns:
        The document.
    """
    points = [point for site in scene.sites for point in site.points]
    points += [point for path in scene.paths for point in path.points]
    left, top = (min(values) - _MARGIN for values in zip(*points, strict=True))
    right, bottom = (max(values) + _MARGIN for values in zip(*points, strict=True))
    shift = f"scale({UNIT}) translate({number(-left)} {number(-top)})"
    marks = {mark.name: mark for mark in palette}
    parts = [f'<g transform="{shift}">', *_parts(scene, marks, ground), "</g>"]
    return document((right - left) * UNIT, (bottom - top) * UNIT, title, parts)


def _parts(scene: Scene, marks: dict[str, Mark], ground: Mark | None) -> Iterator[str]:
    order = {EDGE: 1, VERTEX: 2}
    for site in sorted(scene.sites, key=lambda site: order.get(site.kind, 0)):
        if site.kind == EDGE:
            yield _shape(site, f'stroke="{_LINE}" stroke-width="0.1" stroke-linecap="round"')
        elif site.kind == VERTEX:
            yield _shape(site, f'fill="{_LINE}"', 0.06)
        else:
            yield _shape(site, f'fill="{_FLOOR}" stroke="{_LINE}" stroke-width="0.03"')
    for site in scene.sites:
        if ground is not None and site.kind in ground.kinds:
            yield from _mark(ground, site)
    for site in scene.sites:
        for name in scene.marks.get(site.id, ()):
            yield from _mark(marks[name], site)
    for path in scene.paths:
        yield from _path(path)


def _mark(mark: Mark, site: Site) -> Iterator[str]:
    x, y = _middle(site.points)
    colour = escape(mark.colour or "#888888")
    place = f'transform="translate({number(x)} {number(y)})"'
    if mark.picture:
        for ink, data in mark.picture:
            yield f'<path d="{escape(data)}" fill="{escape(ink)}" {place}/>'
        return
    if mark.fills or not (mark.glyph or mark.outline):
        line = f'stroke="{colour}" stroke-width="0.16" stroke-linecap="round"'
        yield _shape(site, line if site.kind == EDGE else f'fill="{colour}"', 0.16)
    if mark.outline and not mark.fills:
        yield f'<path d="{escape(mark.outline)}" fill="{colour}" {place}/>'
    if mark.glyph:
        size = 0.5 if len(mark.glyph) > 1 else 0.8
        ink = _INK if mark.fills or not mark.colour else colour
        yield (
            f'<text x="{number(x)}" y="{number(y)}" font-size="{size}" font-family="sans-serif" fill="{ink}" '
            f'text-anchor="middle" dominant-baseline="central">{escape(mark.glyph)}</text>'
        )


def _path(path: Path) -> Iterator[str]:
    data = " ".join(f"{'L' if n else 'M'} {number(x)} {number(y)}" for n, (x, y) in enumerate(path.points))
    fill = escape(path.fill) if path.closed and path.fill else "none"
    yield (
        f'<path d="{data}{" Z" if path.closed else ""}" fill="{fill}" stroke="{escape(path.colour)}" '
        f'stroke-width="{number(path.width)}" stroke-linecap="round" stroke-linejoin="round"/>'
    )
    if path.head:
        x, y = path.points[0]
        for radius, colour in ((0.62, escape(path.colour)), (0.22, "#ffffff")):
            yield _circle(x, y, radius * path.width, f'fill="{colour}"')


def _shape(site: Site, style: str, radius: float = 0.1) -> str:
    if site.kind == VERTEX:
        return _circle(*site.points[0], radius, style)
    if site.kind == EDGE:
        (x, y), (u, v) = site.points
        ends = f'x1="{number(x)}" y1="{number(y)}" x2="{number(u)}" y2="{number(v)}"'
        return f"<line {ends} {style}/>"
    corners = " ".join(f"{number(x)},{number(y)}" for x, y in site.points)
    return f'<polygon points="{corners}" {style}/>'


def _circle(x: float, y: float, radius: float, style: str) -> str:
    return f'<circle cx="{number(x)}" cy="{number(y)}" r="{number(radius)}" {style}/>'


def _middle(points: Sequence[Point]) -> Point:
    return sum(x for x, _ in points) / len(points), sum(y for _, y in points) / len(points)

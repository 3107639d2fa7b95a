"""Where people go wrong, as pictures: positions of a puzzle side by side, each with a caption."""

from __future__ import annotations

import math
import re
import textwrap
from collections.abc import Sequence
from typing import Any

import attrs

from epcg_core.inside import render_state, scene_svg
from epcg_core.plugin import EpcgError, Path as Line, Point, Scene, Site, find, svg
from epcg_research.players.decisions import Puzzle
from epcg_research.players.shown import caption_of_bottleneck, caption_of_stop, caption_of_wrong
from epcg_research.players.sights import Sights

_SIDE, _GAP, _LINE = 260.0, 28.0, 17.0
_LETTERS = 42
"""Of a line of a caption."""
WRONG = "First wrong moves"
_MARK, _HALO = "#b3261e", "#ffffff"


@attrs.frozen
class Panel:
    """A picture with its caption."""

    picture: str
    caption: str


def draw(puzzle: Puzzle, found: Sights) -> str:
    """Draw the places of a puzzle that people find hard, as an SVG document.

    A row for each kind: first wrong moves, with a ring around what is touched and an arrow to where it
    goes; bottlenecks; stops. Raises EpcgError if the domain draws no positions of play.
    """
    rows = [
        (WRONG, [
            Panel(picture_of(puzzle, each.position, each.move), caption_of_wrong(each))
            for each in found.wrong
        ]),
        ("Positions that most of those pass who solve it", [
            Panel(picture_of(puzzle, each.position), caption_of_bottleneck(each, found))
            for each in found.bottlenecks
        ]),
        ("Where people stop", [
            Panel(picture_of(puzzle, each.position), caption_of_stop(each)) for each in found.stops
        ]),
    ]  # fmt: skip
    title = f"{found.people} people, {found.solved} of whom solved it"
    parts, y = [svg.text(0, 22, 20, title, anchor="start", bold=True)], 48.0
    widest = max([1, *(len(panels) for _, panels in rows)])
    for heading, panels in rows:
        parts.append(svg.text(0, y + 12, 15, heading, anchor="start", bold=True))
        y += 26
        if not panels:
            unknown = heading == WRONG and not found.exhausted
            none = "not known, because the puzzle has too many positions" if unknown else "none"
            parts.append(svg.text(0, y + 12, 13, none, anchor="start"))
            y += 40
            continue
        captions = [textwrap.wrap(panel.caption, _LETTERS) for panel in panels]
        height = max(_height(panel.picture) for panel in panels)
        for i, (panel, lines) in enumerate(zip(panels, captions, strict=True)):
            x = i * (_SIDE + _GAP)
            parts.append(_placed(panel.picture, x, y))
            parts += [
                svg.text(x, y + height + _LINE * (n + 1), 13, line, anchor="start")
                for n, line in enumerate(lines)
            ]
        y += height + _LINE * (max(map(len, captions)) + 2)
    width = max(widest * (_SIDE + _GAP) - _GAP, 560.0)
    ground = f'<rect width="{svg.number(width + 2 * _GAP)}" height="{svg.number(y + _GAP)}" fill="#ffffff"/>'
    inside = [ground, f'<g transform="translate({svg.number(_GAP)} {svg.number(_GAP)})">', *parts, "</g>"]
    return svg.document(width + 2 * _GAP, y + _GAP, f"{found.puzzle}: {title}", inside)


def picture_of(puzzle: Puzzle, number: int, move: int | None = None) -> str:
    """Draw a position of play as its domain does, and a move over it.

    Args:
        puzzle: the puzzle.
        number: the position.
        move: the number of a move; None for none.

    Raises:
        EpcgError: if the domain draws no positions of play.
    """
    state = puzzle.positions.states[number]
    editor: Any = None if puzzle.document is None else puzzle.document.editor
    if hasattr(editor, "position_scene"):
        scene: Scene = editor.position_scene(editor.content, state)
        if move is not None and hasattr(editor, "gesture"):
            gesture = editor.gesture(editor.content, state, puzzle.positions.moves(number)[move])
            scene = _marked(scene, gesture.sites)
        return scene_svg(scene, editor.palette, f"position {number}", getattr(editor, "ground", None))
    if type(state) is type(puzzle.content):
        space, _ = find.named(puzzle.id, None, "")
        return render_state(space, puzzle.generator, state, "svg")
    raise EpcgError(
        f"{puzzle.domain} draws no positions of play: its editor has no position_scene. Without --output "
        "there is the table."
    )


def _marked(scene: Scene, sites: Sequence[str]) -> Scene:
    """Draw a ring around the first site that a gesture touches, and an arrow to the last one."""
    known = {site.id: site for site in scene.sites}
    touched = [known[site] for site in sites if site in known]
    if not touched:
        return scene
    (x, y), end = _middle(touched[0]), _middle(touched[-1])
    radius = 0.45 if touched[0].kind == "cell" else 0.2
    lines = [[(x + dx * radius, y + dy * radius) for dx, dy in _RING]]
    if end != (x, y):
        lines += _arrow((x, y), end, radius)
    drawn = [
        Line(points, colour, width) for colour, width in ((_HALO, 0.16), (_MARK, 0.08)) for points in lines
    ]
    return attrs.evolve(scene, paths=(*scene.paths, *drawn))


_RING = [(math.cos(turn * math.pi / 12), math.sin(turn * math.pi / 12)) for turn in range(25)]


def _arrow(start: Point, end: Point, radius: float) -> list[list[Point]]:
    """Return the shaft and the head of an arrow that begins at the ring."""
    (x, y), (u, v) = start, end
    length = ((u - x) ** 2 + (v - y) ** 2) ** 0.5
    a, b = (u - x) / length, (v - y) / length
    head = [(u - 0.25 * a + s * 0.2 * b, v - 0.25 * b - s * 0.2 * a) for s in (1, -1)]
    return [[(x + radius * a, y + radius * b), (u, v)], [head[0], (u, v), head[1]]]


def _middle(site: Site) -> Point:
    return (
        sum(x for x, _ in site.points) / len(site.points),
        sum(y for _, y in site.points) / len(site.points),
    )


def _scale(picture: str) -> float:
    width, height = svg.size_of(picture)
    return min(_SIDE / width, _SIDE / height)


def _height(picture: str) -> float:
    return svg.size_of(picture)[1] * _scale(picture)


def _placed(picture: str, x: float, y: float) -> str:
    """Put an SVG document somewhere, scaled to a panel."""
    inner = re.sub(r"<\?xml.*?\?>|<!DOCTYPE[^>]*>", "", picture).strip()
    head, _, rest = inner.partition(">")
    size, scale = svg.size_of(picture), _scale(picture)
    head = re.sub(r'\s(?:x|y|width|height)="[^"]*"', "", head)  # some have no height
    places = {"x": x, "y": y, "width": size[0] * scale, "height": size[1] * scale}
    head += "".join(f' {name}="{svg.number(value)}"' for name, value in places.items())
    if "viewBox" not in head:
        head += f' viewBox="0 0 {svg.number(size[0])} {svg.number(size[1])}"'
    return f"{head}>{rest}"

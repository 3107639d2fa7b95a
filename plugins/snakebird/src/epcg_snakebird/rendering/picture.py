"""The shapes in pictures of Snakebird levels (see `epcg_core.rendering.svg`); one cell is 48 units wide.

What a colour says, a shape says too: snakes carry their number, objects their letter.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import partial

import attrs

from epcg_core.plugin import INK, number, svg
from epcg_snakebird.rules.level import GROUND, SPIKES, Level

CELL = 48
_SKY, _SKY_LOW, _SEA, _FOAM, _DOTS = "#cfe9f5", "#e4f3f4", "#5fa9c4", "#a9d6e2", "#b3d8e8"
_EARTH, _EARTH_DARK, _GRASS = "#b98357", "#9a6840", "#7fb548"
_STEEL, _STEEL_LIGHT = "#5a5560", "#8d8794"
_LEAF, _PORTAL, _PORTAL_LIGHT = "#5c9e3f", "#7b4fb0", "#d9c3f5"
_EXIT = ("#f0663f", "#f7b733", "#7cc36a", "#3d9bd4")

Point = tuple[float, float]


@attrs.frozen
class Plumage:
    """The colours of a snake."""

    body: str
    shade: str


PLUMAGES = (
    Plumage("#ef6f5e", "#b5412f"),
    Plumage("#5ab1e8", "#246f9f"),
    Plumage("#8ac75a", "#4d7f2b"),
    Plumage("#f4c148", "#a9790e"),
    Plumage("#b78be0", "#6f469a"),
    Plumage("#f095bd", "#b0497a"),
)


@attrs.frozen
class Wood:
    """The colours of an object."""

    face: str
    edge: str


WOODS = (
    Wood("#e6c48b", "#8a6428"),
    Wood("#cfc3b4", "#6b6055"),
    Wood("#d9a58c", "#86462b"),
    Wood("#b9c79a", "#59683a"),
    Wood("#b3bccb", "#4b5669"),
)


words = partial(svg.text, bold=True)
"""A line of bold text whose baseline is at y."""


def centre(cell: int, width: int) -> Point:
    """Return the centre of a cell of a level of that width."""
    y, x = divmod(cell, width)
    return (x + 0.5) * CELL, (y + 0.5) * CELL


def scene(level: Level) -> list[str]:
    """Draw the sky, the sea, the ground and the spikes."""
    width, height = level.width * CELL, level.height * CELL
    sea = height - CELL * 0.62
    dots = "".join(
        f"M{x * CELL - 1} {y * CELL}h2" for y in range(1, level.height) for x in range(1, level.width)
    )
    waves = f"M0 {number(sea)}" + "q12 -7 24 0t24 0" * level.width
    return [
        f'<rect width="{width}" height="{height}" fill="{_SKY}"/>',
        f'<rect y="{number(height * 0.55)}" width="{width}" height="{number(height * 0.45)}" '
        f'fill="{_SKY_LOW}"/>',
        f'<path d="{dots}" stroke="{_DOTS}" stroke-width="2" stroke-linecap="round"/>',
        f'<path d="{waves}V{height}H0z" fill="{_SEA}"/>',
        f'<path d="{waves}" fill="none" stroke="{_FOAM}" stroke-width="3"/>',
        *_ground(level),
        *(
            thorns(*centre(cell, level.width))
            for cell, tile in enumerate(level.tiles)
            if tile == SPIKES and cell < (level.height - 1) * level.width
        ),
        _teeth(level),
    ]


def _ground(level: Level) -> list[str]:
    """Draw earth, rounded at the air, with stones in it and grass under the air."""
    width = level.width

    def solid(x: int, y: int) -> bool:
        # Ground at the edge of the world goes on beyond it.
        return 0 <= y < level.height and level.tiles[y * width + min(max(x, 0), width - 1)] == GROUND

    blocks, stones, blades, turf = [], [], [], []
    for cell, tile in enumerate(level.tiles):
        if tile != GROUND:
            continue
        y, x = divmod(cell, width)
        left, top = x * CELL, y * CELL
        nw, ne, se, sw = (
            0 if solid(x + dx, y) or solid(x, y + dy) else 11
            for dx, dy in ((-1, -1), (1, -1), (1, 1), (-1, 1))
        )
        blocks.append(
            f"M{left + nw} {top}H{left + CELL - ne}q{ne} 0 {ne} {ne}V{top + CELL - se}q0 {se} {-se} {se}"
            f"H{left + sw}q{-sw} 0 {-sw} {-sw}V{top + nw}q0 {-nw} {nw} {-nw}z"
        )
        if (x * 7 + y * 5) % 3 == 0:
            stones.append(f"M{left + 12 + (x * 11 + y * 3) % 18} {top + 24 + (x * 5 + y * 7) % 8}h6")
        if (x * 3 + y * 11) % 4 == 1:
            stones.append(f"M{left + 10 + (x * 13 + y) % 20} {top + 38}h3")
        if not solid(x, y - 1):
            start, end = (0 if solid(x + dx, y) else 6 for dx in (-1, 1))
            turf.append(f"M{left + start} {top + 4}h{CELL - start - end}")
            blades += [f"M{left + a} {top + 5}l2 {b}" for a, b in ((8, 8), (18, 11), (29, 7), (39, 10))]
    lines = ((stones, _EARTH_DARK, 5), (blades, _GRASS, 4), (turf, _GRASS, 9))
    return [f'<path d="{"".join(blocks)}" fill="{_EARTH}"/>'] + [
        f'<path d="{"".join(path)}" stroke="{colour}" stroke-width="{thick}" stroke-linecap="round"/>'
        for path, colour, thick in lines
    ]


def thorns(x: float, y: float) -> str:
    """Draw a ball of thorns: eight long points and eight short ones."""
    points = []
    for i in range(32):
        length = (23, 10, 17, 10)[i % 4]
        angle = math.pi * i / 16
        points.append(f"{number(x + length * math.sin(angle))},{number(y - length * math.cos(angle))}")
    return (
        f'<g class="spikes"><polygon points="{" ".join(points)}" fill="{_STEEL}"/>'
        f'<circle cx="{number(x)}" cy="{number(y)}" r="8" fill="{_STEEL_LIGHT}"/>'
        f'<circle cx="{number(x - 2.5)}" cy="{number(y - 2.5)}" r="2.5" fill="#fff" fill-opacity=".7"/></g>'
    )


def _teeth(level: Level) -> str:
    """Draw the row of spikes that every level ends with, standing in the sea."""
    bottom = level.height * CELL
    teeth = f"M0 {bottom}" + f"l8 {-CELL * 0.62:g}l8 {CELL * 0.62:g}" * (3 * level.width) + "z"
    return f'<path class="spikes" d="{teeth}" fill="{_STEEL}" fill-opacity=".8"/>'


def fruit(cell: int, width: int, kind: int = 0) -> str:
    """Draw a fruit with its leaf; there are three kinds."""
    x, y = centre(cell, width)
    colour, shade = (("#e2574c", "#a93226"), ("#f39c3c", "#b9651b"), ("#a75fb5", "#713880"))[kind % 3]
    return (
        f'<g class="fruit" transform="translate({number(x)} {number(y)})">'
        f'<path d="M0 -9q1 -6 5 -9" fill="none" stroke="{_EARTH_DARK}" stroke-width="3" '
        'stroke-linecap="round"/>'
        f'<path d="M3 -12q9 -8 14 0q-8 6 -14 0z" fill="{_LEAF}"/>'
        f'<path d="M0 -9c7 -5 15 0 14 8s-7 16 -14 14c-7 2 -13 -6 -14 -14s7 -13 14 -8z" fill="{colour}" '
        f'stroke="{shade}" stroke-width="1.6"/>'
        '<ellipse cx="-6" cy="-2" rx="3" ry="5" transform="rotate(24 -6 -2)" fill="#fff" fill-opacity=".6"/>'
        "</g>"
    )


def portal(cell: int, width: int) -> str:
    """Draw a portal: a ring that turns inwards."""
    x, y = centre(cell, width)
    return (
        f'<g class="portal" transform="translate({number(x)} {number(y)})">'
        f'<circle r="20" fill="{_PORTAL_LIGHT}" stroke="{_PORTAL}" stroke-width="4.5"/>'
        f'<circle r="13.5" fill="none" stroke="{_PORTAL}" stroke-width="2.5" stroke-dasharray="10.6 10.6"/>'
        f'<path d="M7 0a7 7 0 1 1 -7 -7a4 4 0 0 1 1 7.6" fill="none" stroke="{_PORTAL}" stroke-width="2.5" '
        'stroke-linecap="round"/></g>'
    )


def way_out(cell: int, width: int, is_open: bool) -> str:
    """Draw the exit: a bright whirl while it is open; grey and barred while there is fruit left."""
    x, y = centre(cell, width)
    petals = []
    for i in range(8):
        colour = _EXIT[i % 4] if is_open else ("#b9bfc4", "#a4abb1")[i % 2]
        petals.append(
            f'<path d="M0 0C-2 -12 6 -20 14 -19C11 -14 8 -6 0 0z" transform="rotate({45 * i})" '
            f'fill="{colour}" stroke="#fff" stroke-width="1"/>'
        )
    bars = (
        ""
        if is_open
        else f'<path d="M-8 -12V12M0 -14V14M8 -12V12M-13 0H13" stroke="{INK}" stroke-width="2.6" '
        'stroke-linecap="round"/>'
    )
    core = f'<circle r="5" fill="#fff" stroke="{INK}" stroke-width="1.2"/>' if is_open else bars
    return (
        f'<g class="exit" transform="translate({number(x)} {number(y)})">'
        f'<circle r="22" fill="#fff" fill-opacity=".55"/>{"".join(petals)}{core}</g>'
    )


def wood(cells: Sequence[int], width: int, letter: str, colours: Wood) -> str:
    """Draw an object: its cells joined if they touch, by a rod if not; its letter on the first."""
    own = set(cells)
    parts = [_rods(cells, width, colours)]
    for cell in cells:
        y, x = divmod(cell, width)
        parts.append(
            f'<rect x="{x * CELL + 3}" y="{y * CELL + 3}" width="{CELL - 6}" height="{CELL - 6}" rx="7"/>'
        )
        if x + 1 < width and cell + 1 in own:
            parts.append(f'<rect x="{x * CELL + 30}" y="{y * CELL + 3}" width="36" height="{CELL - 6}"/>')
        if cell + width in own:
            parts.append(f'<rect x="{x * CELL + 3}" y="{y * CELL + 30}" width="{CELL - 6}" height="36"/>')
        if x + 1 < width and {cell + 1, cell + width, cell + width + 1} <= own:
            parts.append(f'<rect x="{x * CELL + 30}" y="{y * CELL + 30}" width="36" height="36"/>')
    shape = "".join(parts)
    middle, line = centre(min(cells), width)
    face = f'<g fill="{colours.face}">{shape}</g>'
    edge = f'<g fill="{colours.edge}" stroke="{colours.edge}" stroke-width="4">{shape}</g>'
    return f'<g class="object">{edge}{face}{words(middle, line + 7, 20, letter, colour=colours.edge)}</g>'


def _rods(cells: Sequence[int], width: int, colours: Wood) -> str:
    """Draw lines between the cells of an object that do not touch: each part to the nearest one before."""
    parts: list[list[int]] = []
    left = set(cells)
    while left:
        part, found = [], [min(left)]
        left.discard(found[0])
        while found:
            cell = found.pop()
            part.append(cell)
            x = cell % width
            for other in (cell - width, cell + width, *((cell - 1,) if x else ()), cell + 1):
                if other in left and (other != cell + 1 or x + 1 < width):
                    left.discard(other)
                    found.append(other)
        parts.append(part)

    def distance(a: int, b: int) -> int:
        return abs(a // width - b // width) + abs(a % width - b % width)

    joined, lines = list(parts[0]), []
    for part in parts[1:]:
        a, b = min(((a, b) for a in joined for b in part), key=lambda pair: (distance(*pair), pair))
        (ax, ay), (bx, by) = centre(a, width), centre(b, width)
        lines.append(
            f'<path d="M{number(ax)} {number(ay)}L{number(bx)} {number(by)}" stroke="{colours.edge}" '
            'stroke-width="7" stroke-dasharray="9 5"/>'
        )
        joined += part
    return "".join(lines)


def snake(cells: Sequence[int], width: int, index: int) -> str:
    """Draw a snake: head first, its number on the neck if there is one."""
    points = [centre(cell, width) for cell in cells]
    return f'<g class="snake">{body(points, index)}{head(points[0], facing(cells, width), index)}</g>'


def facing(cells: Sequence[int], width: int) -> int:
    """Return the degrees by which the head is turned from looking right."""
    if len(cells) < 2:
        return 0
    step = cells[0] - cells[1]
    return 0 if step == 1 else 180 if step == -1 else 90 if step == width else 270


def body(points: Sequence[Point], index: int, inside: str = "") -> str:
    """Draw the body of a snake along the centres of its cells; `inside` goes into each of its lines."""
    plumage = PLUMAGES[index % len(PLUMAGES)]
    path = " ".join(f"{number(x)},{number(y)}" for x, y in points)
    common = f'points="{path}" fill="none" stroke-linecap="round" stroke-linejoin="round"'
    lines = ((plumage.shade, 38, ""), (plumage.body, 33, ""), ("#fff", 5, ' stroke-dasharray="1 14"'))
    return "".join(
        f'<polyline {common} stroke="{colour}" stroke-width="{thick}"{dashes}'
        + (' stroke-opacity=".75"' if dashes else "")
        + (f">{inside}</polyline>" if inside else "/>")
        for colour, thick, dashes in lines
    )


def head(place: Point | None, turn: int, index: int) -> str:
    """Draw the head: a beak, an eye and a crest in the direction of the snake, and the snake's number.

    Without a place it is drawn around 0, 0.
    """
    plumage = PLUMAGES[index % len(PLUMAGES)]
    flip = " scale(1 -1)" if turn == 180 else ""
    shift = "" if place is None else f' transform="translate({number(place[0])} {number(place[1])})"'
    return (
        f'<g class="head"{shift}><g transform="rotate({turn}){flip}">'
        f'<path d="M-9 -17q-3 -7 3 -9q-1 4 3 5q0 -6 6 -6q-2 5 1 8z" fill="{plumage.shade}"/>'
        '<path d="M14 -9l13 7q1 2 -1 3l-12 8z" fill="#f7a823" stroke="#a9650c" stroke-width="1.6" '
        'stroke-linejoin="round"/>'
        f'<circle r="20" fill="{plumage.body}" stroke="{plumage.shade}" stroke-width="2.6"/>'
        '<circle cx="7" cy="-6" r="7" fill="#fff"/>'
        f'<circle cx="9" cy="-6" r="3.6" fill="{INK}"/><circle cx="10" cy="-7.4" r="1.2" fill="#fff"/>'
        f"</g>{words(-6, 13, 15, str(index), colour='#fff')}</g>"
    )

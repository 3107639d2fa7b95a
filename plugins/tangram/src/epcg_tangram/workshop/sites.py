"""The canvases of a game of pieces: what can be painted of its board and its pieces, and where."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any

from epcg_core.plugin import Canvas, Mark, ParamsError, Path, Setting, Site
from epcg_tangram.design.definition import MOST_COPIES, PALETTE, CellColour, Place
from epcg_tangram.design.layout import layout_of
from epcg_tangram.design.shapes import group_of, orientations
from epcg_tangram.lattices import LATTICES, Cell, Flat, Lattice
from epcg_tangram.lattices.lattice import difference
from epcg_tangram.rendering.faces import outlines
from epcg_tangram.texts.game_text import GameText

BOARD, PIECE, CELL, OPTIONAL = "board", "piece", "cell", "optional"
_AROUND = 2
"""Rows of free cells that are shown around what is painted."""
_LEAST = {BOARD: 8.0, PIECE: 4.0}
"""The height, in edges, of what can be painted at the least."""
_WIDE = {BOARD: 1.4, PIECE: 2.2}
"""The width of what can be painted at the least, as a multiple of its height."""
_FLOOR = "#f6efe2"
_OVER = {True: "may be turned over", False: "its mirror image will do, too"}
"""The flag of pieces by whether the lattice has them turned over."""
_OPTIONAL = "#d8d2c4"


def lattice_of(found: GameText) -> Lattice:
    """Return the lattice of a text that names it."""
    assert found.lattice is not None
    return found.lattice


def colour_name(own: CellColour) -> str:
    """Return the name of the mark that paints such cells of a piece."""
    return own.front if own.front == own.back else f"sign {own.sign}"


def mark_name(place: Place) -> str:
    """Return the name of the mark that paints such cells: the colour that they want, or OPTIONAL."""
    if place.optional and not place.colours:
        return OPTIONAL
    return place.colours[0] if len(place.colours) == 1 and not place.optional else f"sign {place.sign}"


def board_canvas(found: GameText) -> Canvas:
    """Return the canvas of the board."""
    lattice = lattice_of(found)
    definition = found.definition
    paints = definition.colours if definition else tuple(PALETTE.values())[:5]
    floor = Mark(name=CELL, title="a place of the board", colour=_FLOOR, fills=True, key="b")
    own = {mark_name(place): place for place in found.signs.values()}
    others = [place for name, place in own.items() if name not in (OPTIONAL, *(p.name for p in paints))]
    wants = [
        *(Mark(name=p.name, title=f"a place for {p.name} pieces", colour=p.face, fills=True) for p in paints),
        Mark(name=OPTIONAL, title="a place that may stay empty", colour=_OPTIONAL, fills=True),
        *(_mark(found, place) for place in others),
    ]
    names = {place.sign: name for name, place in own.items()}
    painted = {cell: names.get(sign, CELL) for cell, sign in found.board.items()}
    return _canvas(
        lattice,
        painted,
        kind=BOARD,
        id=BOARD,
        title="Board",
        subtitle=_counted(lattice, len(painted)),
        marks=(floor, *wants),
    )


def _mark(found: GameText, place: Place) -> Mark:
    """Return the mark of cells that want one of several colours, or may stay empty."""
    faces = {paint.name: paint.face for paint in _paints(found)}
    asked = f"{' or '.join(place.colours)} pieces"
    title = f"a place for {asked}{', which may stay empty' if place.optional else ''} ({place.sign})"
    return Mark(name=mark_name(place), title=title, colour=faces[place.colours[0]], fills=True)


def piece_canvas(found: GameText, number: int) -> Canvas:
    """Return the canvas of a piece, by its number."""
    lattice, kind = lattice_of(found), found.kinds[number]
    paint = PALETTE.get(kind.colour) or next(
        p
        for p in (found.definition.colours if found.definition else PALETTE.values())
        if p.name == kind.colour
    )
    ways = len(orientations(lattice, kind.shape, group_of(lattice, kind.turn, kind.flip)))
    places = ""
    if found.definition is not None:
        count = Counter(p.piece for p in layout_of(found.definition).placements)[number]
        places = f", in {count} place{'s' * (count != 1)} of the board"
    settings = (
        Setting(key="name", title="name", kind="text", value=kind.name),
        Setting(
            key="copies", title="copies", kind="range", value=[kind.least, kind.most], maximum=MOST_COPIES
        ),
        Setting(
            key="colour",
            title="colour",
            kind="colour",
            value=kind.colour,
            choices=tuple((p.name, p.face) for p in _paints(found)),
        ),
        Setting(key="turn", title="may be turned", kind="flag", value=kind.turn),
        Setting(key="flip", title=_OVER[lattice.flips], kind="flag", value=kind.flip),
    )
    marks = dict(kind.marks)
    painted = {cell: colour_name(marks[cell]) if cell in marks else CELL for cell in kind.shape}
    faces = {own.name: own.face for own in _paints(found)}
    sides = {colour_name(own): own for own in marks.values() if own.front != own.back}
    shown = found.definition.colours if found.definition else tuple(PALETTE.values())[:5]
    names = dict.fromkeys([*(own.name for own in shown), *kind.colours])
    others = [
        *(Mark(name=own, title=f"a {own} cell", colour=faces[own], fills=True) for own in names),
        *(
            Mark(
                name=name,
                title=f"a cell that is {own.front}, its back {own.back}",
                colour=faces[own.front],
                fills=True,
            )
            for name, own in sides.items()
        ),
    ]
    return _canvas(
        lattice,
        painted,
        kind=PIECE,
        id=f"{PIECE} {number}",
        title=kind.name,
        subtitle=_counted(lattice, kind.size),
        marks=(Mark(name=CELL, title="a cell of the piece", colour=paint.face, fills=True), *others),
        settings=settings,
        note=f"lies in {ways} way{'s' * (ways != 1)}{places}",
    )


def _paints(found: GameText) -> list[Any]:
    own = list(found.definition.colours) if found.definition else []
    return [*own, *(paint for paint in PALETTE.values() if paint.name not in {p.name for p in own})]


def _counted(lattice: Lattice, count: int) -> str:
    return f"{count} {lattice.cell_word[count != 1]}"


def _canvas(lattice: Lattice, painted: Mapping[Cell, str], **about: Any) -> Canvas:
    """Return a canvas of cells, with those around them that can be painted too."""
    places = _around(lattice, painted, _LEAST[about["kind"]], _WIDE[about["kind"]])
    flat, shown = lattice.flat, lattice.unfolded(places)
    points = {vertex: flat.place(vertex) for cell in shown.values() for vertex in flat.corners(cell)}
    left, top = min(x for x, _ in points.values()), max(y for _, y in points.values())

    def at(vertex: Cell) -> tuple[float, float]:
        x, y = points[vertex]
        return x - left, top - y

    word = lattice.cell_word[0]
    first = [min(axis) - 1 for axis in zip(*map(lattice.reading, places), strict=True)]
    names = ("layer", "row", "column" if flat is LATTICES["squares"] else "place")[-len(first) :]

    def told(cell: Cell) -> str:
        numbers = difference(lattice.reading(cell), tuple(first))
        *layer, row, place = (f"{name} {at}" for name, at in zip(names, numbers, strict=True))
        return ", ".join([*layer, place, row])

    sites = tuple(
        Site(
            _site_of(cell),
            tuple(map(at, flat.corners(shown[cell]))),
            title=f"{word} in {told(cell)}",
        )
        for cell in sorted(places, key=lattice.reading)
    )
    around = outlines(flat, [shown[cell] for cell in painted]) if painted else ()
    lines = tuple(Path(tuple(map(at, line)), closed=True) for line in around)
    marks = {_site_of(cell): mark for cell, mark in painted.items()}
    return Canvas(sites=sites, painted=marks, outline=lines, **about)


def _around(lattice: Lattice, painted: Iterable[Cell], least: float, wide: float) -> set[Cell]:
    """Return the cells of a box around what is painted, of layers one more above and below."""
    parts = [lattice.in_plane(cell) for cell in painted] or [lattice.in_plane(lattice.first)]
    cells = {cell for _, cell in parts}
    if not lattice.layered:
        return _around_in_plane(lattice.flat, cells, _AROUND, least, wide)
    layers = [layer for layer, _ in parts]
    every = range(min(layers) - 1, max(layers) + 2)
    near = _around_in_plane(lattice.flat, cells, 1, 0.0, 0.0)
    return {lattice.in_layer(layer, cell) for layer in every for cell in near}


def _around_in_plane(lattice: Flat, cells: set[Cell], margin: int, least: float, wide: float) -> set[Cell]:
    """Return the cells of a box around some, which are added to them."""
    middles = [lattice.middle(cell) for cell in cells]
    lows = [min(axis) - margin for axis in zip(*middles, strict=True)]
    highs = [max(axis) + margin for axis in zip(*middles, strict=True)]
    for axis in (1, 0):
        missing = (least if axis else wide * (highs[1] - lows[1])) - (highs[axis] - lows[axis])
        if missing > 0:
            lows[axis] -= missing / 2
            highs[axis] += missing / 2
    front = list(cells)
    while front:
        for other in lattice.neighbours(front.pop()):
            middle = lattice.middle(other)
            if other not in cells and all(a <= x <= b for a, x, b in zip(lows, middle, highs, strict=True)):
                cells.add(other)
                front.append(other)
    return cells


def cell_of(lattice: Lattice, site: str) -> Cell:
    """Return the cell of a site's id. Raises ParamsError."""
    usual = _site_of(lattice.first)
    try:
        cell = tuple(map(int, site.split(",")))
    except ValueError:
        raise ParamsError(f"'{site}' is not a cell: cells are written as in '{usual}'.") from None
    if len(cell) != len(lattice.first):
        raise ParamsError(f"'{site}' is not a cell: cells are written as in '{usual}'.")
    if cell not in {near for other in lattice.neighbours(cell) for near in lattice.neighbours(other)}:
        raise ParamsError(f"'{site}' is not a cell of {lattice.name}.")
    return cell


def _site_of(cell: Cell) -> str:
    """Return the id of a cell's site."""
    return ",".join(map(str, cell))

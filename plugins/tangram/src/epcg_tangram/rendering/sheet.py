"""A cut-out sheet: the pieces at true size on printed pages, for scissors or a laser cutter.

Lengths are millimetres, y down. Without a bump pattern a piece is one shape; with one it is two layers, front
and back, which are glued together: a layer has its holes cut through it, so that the piece has holes on
either side that do not meet. Red lines are to be cut, blue ones to be engraved, grey words are for people.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from xml.sax.saxutils import escape

import attrs

from epcg_core.plugin import EpcgError, UnknownNameError
from epcg_tangram.design.definition import PieceKind
from epcg_tangram.design.layout import Layout, layout_of
from epcg_tangram.lattices import Point
from epcg_tangram.lattices.lattice import area
from epcg_tangram.params import GameRef
from epcg_tangram.rendering.faces import Face, Polygon, face, inner_edges, outlines, widened
from epcg_tangram.rules.bumps import BumpPattern

CUT, ENGRAVE, WORDS = "#ff0000", "#0000ff", "#808080"
PAGES: Mapping[str, tuple[float, float]] = {"a4": (210.0, 297.0), "letter": (215.9, 279.4)}
MARGIN = 10.0
GAP = 3.0
"""Between two items, at the least."""
FOOT = 9.0
"""The strip at the bottom that holds the ruler."""
RULER = 50.0
LETTERS, STRIP = 2.6, 4.0
"""The size of labels, and the strip for them below an item."""
SMALLEST_EDGE, LARGEST_EDGE = 5.0, 1000.0
PLAY = 0.3
"""The play: a hole's radius minus its bump's, and the board's well on each side."""
HOLE = 0.55
"""The radius of a hole, as a share of the largest circle in a cell."""
RIM = 0.4
"""The width of the board's rim, in edges."""
_STROKE = 0.1


@attrs.frozen(kw_only=True)
class SheetParams:
    """The items to cut, and their size."""

    game: GameRef = attrs.field(factory=GameRef)
    edge: float = 20.0
    """An edge of a cell."""
    kerf: float = 0.0
    """The width of the cut: shapes are drawn half of it larger, holes half of it smaller."""
    page: str = "a4"
    pattern: BumpPattern | None = None
    board: bool = True
    """Whether the sheet has the board too: floor and rim, with a pattern those of the back and the bumps."""


@attrs.frozen
class Item:
    """Shapes that are kept together on a page, their upper left corner at (0, 0)."""

    label: str
    size: Point
    """Width and height, the label's strip included."""
    cuts: tuple[Polygon, ...] = ()
    """Closed lines, the inner ones first: nothing is cut out of what has come loose."""
    holes: tuple[tuple[Point, float], ...] = ()
    """Centres and radii of circular cuts."""
    lines: tuple[tuple[Point, Point], ...] = ()
    """To be engraved."""
    marks: tuple[tuple[Point, float], ...] = ()
    """Centres and radii of circles to be engraved."""


@attrs.frozen
class Placed:
    """An item on a page."""

    item: Item
    x: float
    y: float


def sheet(params: SheetParams) -> list[str]:
    """Draw the pages as SVG documents. Raises EpcgError if the sizes do not fit together."""
    pages = layout(list(items(params)), params)
    return [_page(page, number + 1, len(pages), params) for number, page in enumerate(pages)]


def items(params: SheetParams) -> Iterator[Item]:
    """Yield the items to cut: each copy of each piece, then the board."""
    _check(params)
    for kind in params.game.definition.pieces:
        for copy in range(kind.most):
            label = f"{kind.name} {copy + 1}" if kind.most > 1 else kind.name
            if params.pattern is None:
                yield _piece(kind, face(kind), label, params)
            else:
                for back, side in enumerate(("front", "back")):
                    yield _piece(kind, face(kind, bool(back), params.pattern), f"{label} {side}", params)
    if params.board:
        yield from _board(layout_of(params.game.definition), params)


def _check(params: SheetParams) -> None:
    lattice = params.game.definition.lattice
    if lattice.layered:
        raise EpcgError(
            f"Pieces of {lattice.cell_word[1]} are not flat, so they cannot be cut out of a sheet: print "
            "them with `epcg tangram solid`, or glue cubes together."
        )
    if params.page not in PAGES:
        raise UnknownNameError("page", params.page, PAGES)
    if not SMALLEST_EDGE <= params.edge <= LARGEST_EDGE:
        raise EpcgError(
            f"The edge must be from {SMALLEST_EDGE:g} to {LARGEST_EDGE:g} mm, not {params.edge:g}."
        )
    if not 0 <= params.kerf <= params.edge / 20:
        raise EpcgError(
            f"The kerf must be from 0 to {params.edge / 20:g} mm, a twentieth of the edge, "
            f"not {params.kerf:g}."
        )


def _piece(kind: PieceKind, seen: Face, label: str, params: SheetParams) -> Item:
    """Return a side of a piece, turned so that it is as low as it can be."""

    def height(turned: Face) -> float:
        return round(turned.box[3] - turned.box[1], 9)

    low = min((seen.turned(30 * turn) for turn in range(12)), key=height)
    holes = [(point, HOLE * kind.lattice.flat.inradius) for point in low.holes]
    return _item(label, low.outlines, params, lines=low.lines, holes=holes)


def _board(board: Layout, params: SheetParams) -> Iterator[Item]:
    """Yield the floor of the board, the rim to be glued on it, and with a pattern its back and the bumps.

    What lies within the board without being part of it is cut out of the rim's inner line, and stays as an
    island.
    """
    lattice, definition = board.lattice.flat, board.definition
    around = [tuple(map(lattice.place, line)) for line in outlines(lattice, board.drawn)]
    outer = widened(around[0], RIM)
    wells = [widened(line, PLAY / params.edge) for line in around]
    guide = [edge for well in wells for edge in pairwise([*well, well[0]])]
    inner = inner_edges(lattice, board.drawn)
    lines = [*((lattice.place(a), lattice.place(b)) for a, b in inner), *guide]
    yield _item("Board, front", [outer], params, lines=lines)
    yield _item("Rim, front", [outer], params, inside=wells)
    if params.pattern is not None and definition.back is not None:
        centres = bumps_of(board)
        radius = HOLE * lattice.inradius - PLAY / params.edge
        marks = [(centre, radius) for centre in centres]
        yield _item("Board, back", [outer], params, lines=lines, marks=marks)
        yield _item("Rim, back", [outer], params, inside=wells)
        yield _bumps(len(centres), radius * params.edge + params.kerf / 2)


def bumps_of(board: Layout) -> list[Point]:
    """Return the centres of the bumps on the back of a board."""
    back = board.definition.back
    lattice, pairs = board.lattice.flat, zip(board.drawn, board.kinds, strict=True)
    return [lattice.middle(place) for place, kind in pairs if back is not None and kind == back.bumps]


def _bumps(count: int, radius: float) -> Item:
    """Draw the bumps: discs in rows of nine, to be glued on the marks of the board's back."""
    step = 2 * radius + GAP
    holes = tuple(
        ((radius + step * column, radius + step * row), radius)
        for row, column in (divmod(number, 9) for number in range(count))
    )
    width, height = (max(point[axis] for point, _ in holes) + radius for axis in (0, 1))
    label = f"{count} bumps"
    return Item(label, (max(width, _label_width(label)), height + STRIP), holes=holes)


def _item(
    label: str,
    around: Sequence[Polygon],
    params: SheetParams,
    *,
    inside: Sequence[Polygon] = (),
    holes: Sequence[tuple[Point, float]] = (),
    lines: Sequence[tuple[Point, Point]] = (),
    marks: Sequence[tuple[Point, float]] = (),
) -> Item:
    """Make an item of shapes that are given in edges, y up, at their true size: the kerf is added here.

    `around` are the lines around it, those around holes among them, and `inside` lines that are cut out of
    it.
    """
    half = params.kerf / 2 / params.edge
    outside = [widened(line, half) for line in around]
    left, top = min(x for cut in outside for x, _ in cut), max(y for cut in outside for _, y in cut)

    def put(point: Point) -> Point:
        return (point[0] - left) * params.edge, (top - point[1]) * params.edge

    lasting = sorted(outside, key=lambda line: area(line) > 0)  # holes first
    cuts = tuple(tuple(map(put, line)) for line in (*(widened(p, -half) for p in inside), *lasting))
    width, height = (max(put(point)[axis] for line in outside for point in line) for axis in (0, 1))
    return Item(
        label,
        (max(width, _label_width(label)), height + STRIP),
        cuts,
        tuple((put(centre), (radius - half) * params.edge) for centre, radius in holes),
        tuple((put(one), put(other)) for one, other in lines),
        tuple((put(centre), radius * params.edge) for centre, radius in marks),
    )


def _label_width(label: str) -> float:
    return 0.6 * LETTERS * len(label)


def layout(found: Sequence[Item], params: SheetParams) -> list[list[Placed]]:
    """Place the items in rows on pages, the highest first, each in the first row that has room for it.

    Raises EpcgError if an item is larger than a page.
    """
    width, height = PAGES[params.page]
    width, height = width - 2 * MARGIN, height - 2 * MARGIN - FOOT
    for item in found:
        share = max(item.size[0] / width, item.size[1] / height)
        if share > 1:
            raise EpcgError(
                f"An edge of {params.edge:g} mm makes '{item.label}' larger than the {width:g} by {height:g} "
                f"mm that a page {params.page} has room for: choose an edge of at most "
                f"{math.floor(params.edge / share):g} mm, or leave the board out."
            )
    shelves: list[_Shelf] = []
    heights: list[float] = []
    pages: list[list[Placed]] = []
    for item in sorted(found, key=lambda item: -round(item.size[1], 6)):
        shelf = next((s for s in shelves if s.right + item.size[0] <= width), None)
        if shelf is None:
            page = next((p for p, used in enumerate(heights) if used + item.size[1] <= height), len(pages))
            if page == len(pages):
                pages.append([])
                heights.append(0.0)
            shelf = _Shelf(page, heights[page])
            shelves.append(shelf)
            heights[page] += item.size[1] + GAP
        pages[shelf.page].append(Placed(item, MARGIN + shelf.right, MARGIN + shelf.top))
        shelf.right += item.size[0] + GAP
    return pages


@attrs.define
class _Shelf:
    """A row of items on a page."""

    page: int
    top: float
    right: float = 0.0
    """The place of the row's next item."""


def _page(placed: Sequence[Placed], number: int, count: int, params: SheetParams) -> str:
    """Draw a page as an SVG document of its true size."""
    width, height = PAGES[params.page]
    name = params.game.definition.title or "A game of pieces"
    title = f"{name}, edge {params.edge:g} mm, kerf {params.kerf:g} mm, page {number} of {count}"
    foot = height - MARGIN
    ruler = ((MARGIN, foot), (MARGIN + RULER, foot))
    ends = [((x, foot - 1.5), (x, foot + 1.5)) for x in (MARGIN, MARGIN + RULER)]
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:g}mm" height="{height:g}mm" '
            f'viewBox="0 0 {width:g} {height:g}">',
            f"<title>{escape(title)}</title>",
            *(line for one in placed for line in _drawn(one)),
            f'<path class="ruler" d="{_path([ruler, *ends])}" fill="none" stroke="{ENGRAVE}" '
            f'stroke-width="{_STROKE}"/>',
            _text(MARGIN + RULER + 2, foot + 1, f"{RULER:g} mm, so that the size can be checked"),
            _text(MARGIN, foot - 4, title),
            "</svg>",
            "",
        ]
    )


def _drawn(placed: Placed) -> Iterator[str]:
    """Draw an item at its place: its cuts in one path, its engraving in another, its label."""
    item = placed.item

    def put(point: Point) -> Point:
        return point[0] + placed.x, point[1] + placed.y

    def circles(given: Sequence[tuple[Point, float]], colour: str, kind: str) -> Iterator[str]:
        for centre, radius in given:
            x, y = put(centre)
            yield (
                f'<circle class="{kind}" cx="{_n(x)}" cy="{_n(y)}" r="{_n(radius)}" fill="none" '
                f'stroke="{colour}" stroke-width="{_STROKE}"/>'
            )

    yield f'<g class="item"><title>{escape(item.label)}</title>'
    if item.lines:
        lines = _path([(put(one), put(other)) for one, other in item.lines])
        yield (f'<path class="engrave" d="{lines}" fill="none" stroke="{ENGRAVE}" stroke-width="{_STROKE}"/>')
    yield from circles(item.marks, ENGRAVE, "engrave")
    yield from circles(item.holes, CUT, "cut")
    for polygon in item.cuts:
        path = _path([[put(point) for point in polygon]]) + "z"
        yield f'<path class="cut" d="{path}" fill="none" stroke="{CUT}" stroke-width="{_STROKE}"/>'
    yield _text(placed.x, placed.y + item.size[1] - 0.8, item.label)
    yield "</g>"


def _path(lines: Sequence[Sequence[Point]]) -> str:
    return "".join("M" + "L".join(f"{_n(x)} {_n(y)}" for x, y in line) for line in lines)


def _text(x: float, y: float, content: str) -> str:
    return (
        f'<text x="{_n(x)}" y="{_n(y)}" font-family="sans-serif" font-size="{LETTERS:g}" fill="{WORDS}">'
        f"{escape(content)}</text>"
    )


def _n(value: float) -> str:
    """Write millimetres, to a thousandth."""
    return f"{round(value, 3) + 0.0:g}" if abs(value) < 1000 else f"{value:.3f}"

"""Games of pieces from the files of others: BurrTools' xmpuzzle, and plain lists of pieces."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator
from xml.etree import ElementTree

import attrs

from epcg_core.plugin import ParamsError, documents
from epcg_tangram.design.definition import MOST_COPIES, PALETTE, Definition, PieceKind, Place
from epcg_tangram.lattices import LATTICES, Cell, Lattice
from epcg_tangram.texts.drawings import OUTSIDE, read_drawing
from epcg_tangram.texts.game_writer import format_game
from epcg_tangram.texts.piece_tables import bad_name

_GRIDS = {"0": "squares", "1": "triangles"}
"""The kinds of grid that are read; cubes in one layer are squares."""
_MOST_VOXELS = 100_000
_BOARDS = ("board", "box", "tray", "result")


@attrs.frozen
class _Voxels:
    """A shape of a file."""

    name: str
    cells: frozenset[Cell]
    optional: frozenset[Cell]
    """Cells that may stay empty, if it is the result."""


def read_xmpuzzle(text: str, name: str) -> list[str]:
    """Return the game of each problem of a BurrTools file. Raises ParamsError for grids of another kind."""
    if "<!DOCTYPE" in text or "<!ENTITY" in text:
        raise ParamsError(f"{name}: documents with a DOCTYPE or entities are not read.")
    try:
        root = ElementTree.fromstring(text)
    except (ElementTree.ParseError, UnicodeEncodeError) as error:  # or half a character
        raise ParamsError(f"{name} is not valid XML: {error}.") from None
    if root.tag != "puzzle":
        raise ParamsError(f"{name}: the outermost element is '{root.tag}', not 'puzzle'.")
    grid = root.find("gridType")
    kind = "0" if grid is None else grid.get("type", "0")
    if kind not in _GRIDS:
        raise ParamsError(
            f"{name}: its grid, number {kind}, is not read: only grids of cubes (0) and of triangular "
            "prisms (1), one layer high, are."
        )
    voxels = list(root.iterfind("shapes/voxel"))
    deep = kind == "0" and any(own.get("z", "1") != "1" for own in voxels)
    lattice = LATTICES["cubes" if deep else _GRIDS[kind]]
    shapes = [_voxels(lattice, own, f"{name}, shape {number}") for number, own in enumerate(voxels, 1)]
    problems = list(root.iterfind("problems/problem"))
    if not problems:
        raise ParamsError(f"{name} has no problem: give it pieces and a result shape in BurrTools first.")
    title = (root.findtext("comment") or "").strip().split("\n")[0][:80]
    return [
        format_game(_problem(lattice, shapes, own, f"{name}, problem {number}", title))
        for number, own in enumerate(problems, 1)
    ]


def _voxels(lattice: Lattice, own: ElementTree.Element, where: str) -> _Voxels:
    sizes = [own.get(axis, "") for axis in "xyz"]
    numbers = [documents.whole_number(size, 999) for size in sizes]
    if not all(numbers):
        raise ParamsError(f"{where}: its sizes are not three numbers from 1 to 999.")
    x, y, z = (number or 0 for number in numbers)
    signs = re.findall(r"[_#+][0-9]*", own.text or "")
    if x * y * z > _MOST_VOXELS or len(signs) != x * y * z:
        raise ParamsError(f"{where}: it has {len(signs):,} voxels, and its sizes say {x * y * z:,}.")
    cells, optional = set(), set()
    for at, sign in enumerate(signs):
        if sign[0] == "_":
            continue
        layer, place = divmod(at, x * y)
        row, column = divmod(place, x)
        if layer and not lattice.layered:
            raise ParamsError(f"{where}: it is more than one layer high, so it is not flat.")
        in_plane = lattice.flat.signs.cell(row, column)
        assert in_plane is not None  # every place of a grid of squares or triangles is a cell
        cell = lattice.in_layer(layer, in_plane)
        cells.add(cell)
        if sign[0] == "+":
            optional.add(cell)
    return _Voxels((own.get("name") or "").strip(), frozenset(cells), frozenset(optional))


def _problem(
    lattice: Lattice, shapes: list[_Voxels], own: ElementTree.Element, where: str, title: str
) -> Definition:
    result = own.find("result")
    board = None if result is None else _shape(shapes, result, where)
    if board is None or not board.cells:
        raise ParamsError(f"{where}: it has no result shape, which is the board.")
    found: list[PieceKind] = []
    pieces = [*own.iterfind("shapes/shape"), *own.iterfind("shapes/part")]
    colours = list(PALETTE)
    for number, piece in enumerate(pieces):
        shape = _shape(shapes, piece, where)
        if shape is None or not shape.cells:
            raise ParamsError(f"{where}: piece {number + 1} has no cells.")
        count = piece.get("count")
        texts = [piece.get(key, count or "1") for key in ("min", "max")]
        least, most = (documents.whole_number(text, MOST_COPIES) for text in texts)
        if least is None or most is None or least > most:
            told = "' to '".join(text[:20] for text in texts)
            raise ParamsError(
                f"{where}: piece {number + 1} has from '{told}' copies; 0 to {MOST_COPIES} are possible."
            )
        name = _free_name(shape.name or f"piece {number + 1}", {kind.name for kind in found})
        kind = PieceKind(
            name,
            lattice.at_origin(shape.cells),
            lattice,
            least,
            most,
            colours[number % len(colours)],
            flip=lattice.flips,
        )
        found.append(kind)
    if not found:
        raise ParamsError(f"{where}: it has no pieces.")
    drawn = sorted(board.cells, key=lattice.reading)
    cells = tuple(
        sorted(lattice.at_origin(board.cells), key=lattice.reading)
    )  # in the same order: they are shifted
    optional = {moved for cell, moved in zip(drawn, cells, strict=True) if cell in board.optional}
    used = {kind.colour for kind in found}
    may_stay_empty = Place("o", (), True)
    return Definition(
        lattice=lattice,
        cells=cells,
        pieces=tuple(found),
        title=(own.get("name") or "").strip() or title,
        colours=tuple(paint for name, paint in PALETTE.items() if name in used),
        places=frozenset([may_stay_empty] if optional else []),
        marks=tuple((number, may_stay_empty) for number, cell in enumerate(cells) if cell in optional),
        empty=None if optional else 0,
    )


def _shape(shapes: list[_Voxels], own: ElementTree.Element, where: str) -> _Voxels | None:
    text = own.get("id", "")
    number = documents.whole_number(text, len(shapes) - 1)
    if number is None:
        raise ParamsError(f"{where}: there is no shape '{text:.20}'; the file has {len(shapes)}, from 0.")
    return shapes[number]


def _free_name(name: str, taken: set[str]) -> str:
    """Return a name that a piece can have, close to the one wished."""
    name = re.sub(r"[;\"'\\\s]+", "-", name).strip("-")[:40] or "piece"
    if bad_name(name):
        name = f"piece-{name}"
    numbered = (f"{name}-{number}" for number in range(2, 10_000))
    return name if name not in taken else next(other for other in numbered if other not in taken)


def read_list(text: str, name: str) -> list[str]:
    """Return the game of a plain list of pieces: drawings with blank lines between, names above them.

    A drawing that is called board, box or tray is the board. Without one it is a rectangle, or the like, that
    has the area of the pieces. Raises ParamsError.
    """
    blocks = list(_blocks(text, name))
    if not blocks:
        raise ParamsError(f"{name} holds no drawing.")
    lattice = _lattice_of([rows for _, _, rows in blocks])
    board: frozenset[Cell] | None = None
    found: list[PieceKind] = []
    colours = list(PALETTE)
    for line, given, rows in blocks:
        drawn = read_drawing(lattice, "\n".join(rows))
        if drawn.faults:
            row, column, message = drawn.faults[0]
            raise ParamsError(f"{name}: line {line + row}, column {column + 1}: {message}")
        if given.lower() in _BOARDS:
            board = frozenset(drawn.cells)
            continue
        own = _free_name(given or f"piece {len(found) + 1}", {kind.name for kind in found})
        colour = colours[len(found) % len(colours)]
        found.append(PieceKind(own, frozenset(drawn.cells), lattice, colour=colour))
    if not found:
        raise ParamsError(f"{name} holds a board and no piece.")
    area = sum(kind.size for kind in found)
    cells = _a_board(lattice, area) if board is None else board
    used = {kind.colour for kind in found}
    definition = Definition(
        lattice=lattice,
        cells=tuple(sorted(cells, key=lattice.reading)),
        pieces=tuple(found),
        title=name.rsplit("/", 1)[-1].rsplit(".", 1)[0],
        colours=tuple(paint for own, paint in PALETTE.items() if own in used),
    )
    return [format_game(definition)]


def _blocks(text: str, where: str) -> Iterator[tuple[int, str, list[str]]]:
    """Yield (first line of its drawing, name, rows) of each drawing.

    Where there is a # letters are names, also those that triangles and quarters are drawn with. Raises
    ParamsError for a line that is neither a name nor a row, and for a name without a drawing.
    """
    signs = set("#") if "#" in text else set(_pointed(text.split("\n")).flat.signs.read)
    name, lonely = (0, ""), list[tuple[int, str]]()
    rows, first, drawings = list[str](), 0, 0
    for number, line in enumerate([*text.expandtabs().split("\n"), ""], 1):
        own = set(line.rstrip())
        if own <= {*signs, *OUTSIDE} and (own & signs or (rows and own)):
            first = first or number
            rows.append(line)
            continue
        if rows:
            yield first, name[1], rows
            name, rows, first, drawings = (0, ""), [], 0, drawings + 1
        if "#" in line or ".." in line:
            stray = next((at for at, sign in enumerate(line) if sign not in {*signs, *OUTSIDE}), 0)
            raise ParamsError(
                f"{where}: line {number}, column {stray + 1}: '{line[stray]}' is not a sign of a drawing, "
                "and a name has neither # nor two dots."
            )
        if line.strip():
            lonely += [name] * bool(name[0])
            name = number, line.strip().rstrip(":")
    lonely += [name] * bool(name[0])
    if drawings and lonely:
        at, said = lonely[0]
        raise ParamsError(f"{where}: line {at}: below the name '{said[:60]}' a drawing is missing.")


def _pointed(lines: Iterable[str]) -> Lattice:
    """Return the lattice of drawings whose signs point: quarters if some point to a side, else triangles."""
    quarters, triangles = (LATTICES[name].flat for name in ("quarters", "triangles"))
    rows = (set(line) - {*OUTSIDE} for line in lines)
    asides = quarters.signs.read.keys() - triangles.signs.read
    return quarters if any(row & asides and row <= {*quarters.signs.read} for row in rows) else triangles


def _lattice_of(drawings: list[list[str]]) -> Lattice:
    """Return the lattice whose signs drawings have."""
    lines = [row for drawing in drawings for row in drawing]
    if not any("#" in line for line in lines):
        return _pointed(lines)
    hexagons = LATTICES["hexagons"]
    spaced = all(not read_drawing(hexagons, "\n".join(rows)).faults for rows in drawings)
    several = any(sum(row.count("#") for row in rows) > 1 for rows in drawings)
    return hexagons if spaced and several else LATTICES["squares"]


def _a_board(lattice: Lattice, area: int) -> frozenset[Cell]:
    """Return a board of an area: as square as it can be."""
    each = {"triangles": 2, "quarters": 4}.get(lattice.name, 1)
    form, family = next(iter(lattice.families.items()))
    sides = [n for n in range(1, math.isqrt(max(1, area // each)) + 1) if area % (n * each) == 0]
    if not sides:
        raise ParamsError(f"The pieces have {area} cells together, which no {form} has: draw a board.")
    return lattice.at_origin(family.cells(area // each // sides[-1], sides[-1]))

"""Addresses of penpa-edit: the clues of Slitherlink, Nurikabe, Masyu, Akari and Sudoku in its drawings.

Clues stand where penpa-edit itself puts them when it takes over an address of puzz.link: numbers in cells,
circles as symbols, walls of Akari as black cells, boxes of a Sudoku as thick edges. A drawing says which
genre it is by its tags, or by its title. Whatever else is drawn may change the rules, so that it is refused.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import attrs

from epcg_core.plugin import EpcgError
from epcg_deduction.exchange.bodies import EMPTY, Cell
from epcg_deduction.exchange.penpa_text import Drawing, read_drawing, write_drawing
from epcg_deduction.exchange.puzzlink import boxes, cells_of, puzzle_of, shipped_name
from epcg_deduction.model.puzzles import Puzzle

_NUMBER, _SYMBOL, _SURFACE, _EDGES = "number", "symbol", "surface", "lineE"
_NORMAL_SIZES = ("1", "10")
_DARK = (1, 3, 4, 8)
"""Black and the greys of surfaces."""
_BLACK, _THICK = 4, 2
_CIRCLES = ("circle_L", "circle_M", "circle_S")
_ASIDE = ("noconflict", "puzzlehunt")
"""Tags that say nothing about the rules."""
_MOST_SIDE = 100
_DIGITS = tuple(map(str, range(10_000)))


@attrs.frozen
class _Drawn:
    """How a genre is drawn: its tag, layers, and for solvers the lines of the grid and the tool."""

    tag: str
    layers: tuple[str, ...]
    grid: str
    tool: tuple[str, Sequence[Any]]
    ink: int = 1


_DRAWN: Mapping[str, _Drawn] = {
    "slitherlink": _Drawn("slitherlink", (_NUMBER,), "312", ("combi", ["edgex", 3])),
    "nurikabe": _Drawn("nurikabe", (_NUMBER,), "121", ("combi", ["blpo", 3])),
    "masyu": _Drawn("masyu", (_SYMBOL,), "221", ("combi", ["linex", 3])),
    "akari": _Drawn("akari", (_NUMBER, _SURFACE), "121", ("combi", ["akari", 3]), ink=7),
    "sudoku": _Drawn("classic", (_NUMBER, _EDGES), "121", ("sudoku", ["1", 9])),
}
_BY_TAG = {drawn.tag: name for name, drawn in _DRAWN.items()}


def read_penpa(address: str) -> Puzzle:
    """Return the puzzle of an address of penpa-edit; marks of a solution are read over.

    Args:
        address: the address.

    Returns:
        A puzzle of a genre that is shipped.

    Raises:
        EpcgError: the genre is not told or not known here, or something is drawn that is not a clue of it.
    """
    drawing = read_drawing(address)
    name = _genre(drawing)
    drawn = _DRAWN[name]
    for layer in drawing.layers:
        if layer not in drawn.layers:
            raise EpcgError(
                f"The address of penpa-edit has a drawing in its layer '{layer}', which {name} does not use."
            )
    cells: list[Cell] = [EMPTY] * (drawing.width * drawing.height)
    for square, colour in _squares(drawing, _SURFACE):
        if colour not in _DARK:
            raise _fault(drawing, square, "the colour of the cell is none of a wall")
        cells[square] = None
    for square, symbol in _squares(drawing, _SYMBOL):
        if (
            not isinstance(symbol, list)
            or len(symbol) < 2
            or symbol[1] not in _CIRCLES
            or symbol[0] not in (1, 2)
        ):
            raise _fault(drawing, square, "the symbol is neither a white nor a black circle")
        cells[square] = int(symbol[0])
    for square, number in _squares(drawing, _NUMBER):
        found = _number(drawing, square, number)
        if name == "akari":
            if cells[square] == EMPTY:
                raise _fault(drawing, square, "the number is not in a black cell")
            found = None if found == EMPTY else found
        cells[square] = found
    puzzle = puzzle_of(name, drawing.width, drawing.height, cells)
    if name == "sudoku" and {*drawing.layers.get(_EDGES, ())} != {*_outlines(drawing)}:
        raise EpcgError(
            "The address of penpa-edit does not draw the usual boxes of a Sudoku, and nothing else."
        )
    return puzzle


def _genre(drawing: Drawing) -> str:
    """Return our name of the genre. Raises EpcgError if it is not told, or not known here."""
    tags = [tag for tag in drawing.tags if tag not in _ASIDE]
    title = drawing.title.strip().lower()
    if not tags and title in _DRAWN:
        return title
    if len(tags) == 1 and tags[0] in _BY_TAG:
        return _BY_TAG[tags[0]]
    known = ", ".join(_BY_TAG)
    told = ", ".join(tags)[:80] or "none"
    raise EpcgError(f"The address of penpa-edit should have one genre tag of these: {known}. It has: {told}.")


def _squares(drawing: Drawing, layer: str) -> list[tuple[int, Any]]:
    """Return the squares of a layer with what is there. Raises EpcgError if something is beside the board."""
    found = []
    for key, value in drawing.layers.get(layer, {}).items():
        square = drawing.square_at(key)
        if square is None:
            raise EpcgError(f"The address of penpa-edit has a {layer} that is not in a cell of the board.")
        found.append((square, value))
    return found


def _number(drawing: Drawing, square: int, value: Any) -> Cell:
    """Return the clue that a number is. Raises EpcgError if it is none."""
    if not isinstance(value, list) or len(value) < 3 or value[2] not in _NORMAL_SIZES:
        raise _fault(drawing, square, "what is written is not a number of the usual size")
    text = str(value[0]).strip()
    if text in ("", "?"):
        return None if text else EMPTY
    if text not in _DIGITS:
        raise _fault(drawing, square, f"'{text[:20]}' is not a number")
    return int(text)


def _fault(drawing: Drawing, square: int, said: str) -> EpcgError:
    y, x = divmod(square, drawing.width)
    return EpcgError(f"The address of penpa-edit cannot be read in r{y + 1}c{x + 1}: {said}.")


def _outlines(drawing: Drawing) -> list[str]:
    """Return the keys of the edges between the usual boxes of a Sudoku."""
    box = {square: at for at, own in enumerate(boxes(drawing.width, drawing.height)[0]) for square in own}
    found = []
    for square in range(drawing.width * drawing.height):
        y, x = divmod(square, drawing.width)
        if x + 1 < drawing.width and box[square] != box[square + 1]:
            found.append(drawing.edge((x + 1, y), (x + 1, y + 1)))
        if y + 1 < drawing.height and box[square] != box[square + drawing.width]:
            found.append(drawing.edge((x, y + 1), (x + 1, y + 1)))
    return found


def write_penpa(puzzle: Puzzle) -> str:
    """Return the address of penpa-edit at which a puzzle can be solved.

    Raises:
        EpcgError: the genre has no address here, or the board has what is not drawn.
    """
    name = shipped_name(puzzle.genre, "address of penpa-edit", "puzz.link", _DRAWN)
    board, drawn, cells = puzzle.board, _DRAWN[name], cells_of(puzzle, "An address of penpa-edit")
    if max(board.width, board.height) > _MOST_SIDE:
        raise EpcgError(f"The board is {board.width} by {board.height}; penpa-edit has up to 100 on a side.")
    drawing = Drawing(board.width, board.height, {}, puzzle.genre.title, (drawn.tag,))
    layers: dict[str, dict[str, Any]] = {layer: {} for layer in drawn.layers}
    for square, cell in enumerate(cells):
        if cell == EMPTY:
            continue
        key = drawing.key(square)
        if name == "masyu":
            layers[_SYMBOL][key] = [cell, _CIRCLES[0], 1]
            continue
        if name == "akari":
            layers[_SURFACE][key] = _BLACK
        if name != "akari" or cell is not None:
            layers[_NUMBER][key] = ["?" if cell is None else str(cell), drawn.ink, _NORMAL_SIZES[0]]
    if name == "sudoku":
        layers[_EDGES] = dict.fromkeys(_outlines(drawing), _THICK)
    sort = "sudoku" if name == "sudoku" else "square"
    return write_drawing(attrs.evolve(drawing, layers=layers), sort, drawn.grid, drawn.tool)

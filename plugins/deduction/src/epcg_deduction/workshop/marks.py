"""The marks of the workbench's palette: clues of all kinds and values, walls, and what the solver writes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import attrs

from epcg_core.plugin import EDGE, Mark
from epcg_deduction.model.boards import Board
from epcg_deduction.model.genre import ClueKind, Genre
from epcg_deduction.model.puzzles import Puzzle, Value
from epcg_deduction.model.sites import admits, cell_marks, places_of, value_text, values_at
from epcg_deduction.rendering.glyphs import BLANKS, BLUE, CLUES, DARK, FILLS, MARKS, SIGNS, circle
from epcg_deduction.states.lists import lists_of

WALL = "wall"
CELL = "cell"
MOST_VALUES = 40
"""Values of a kind of clues that a palette offers, besides those of the puzzle."""
_LAYERS = {"cells": "cell", "edges": "edge", "links": "link", "borders": "border"}
_WALL_COLOUR = "#3a342e"
_SHADE = "#a39a8e"
"""A cell that is filled where clues may stand on it, which are dark."""
_CROSS = "M-.11 -.07L-.07 -.11L.11 .07L.07 .11zM.11 -.07L.07 -.11L-.11 .07L-.07 .11z"


@attrs.frozen
class Offered:
    """A clue that a mark of the palette puts."""

    kind: str
    value: Value
    across: bool | None = None
    """For clues of stretches: whether the stretch lies in a row."""


def clue_mark_name(kind: ClueKind, value: Value, across: bool | None = None) -> str:
    """Return the name of the mark of a clue, such as 'n 3'."""
    way = "" if across is None else " across" if across else " down"
    return f"{kind.name} {value_text(value)}{way}"


def solver_mark_name(layer: str, word: str) -> str:
    """Return the name of a mark that the solver writes, such as 'cell: shaded'."""
    return f"{_LAYERS[layer]}: {word}"


def offered(puzzle: Puzzle) -> dict[str, Offered]:
    """Return the clues that the palette of a puzzle offers, by the names of their marks."""
    found: dict[str, Offered] = {}
    for kind in puzzle.genre.clues.values():
        own = [clue.value for clue in puzzle.clues if clue.kind == kind.name]
        ways = (True, False) if kind.on == "stretches" else (None,)
        for value in dict.fromkeys((*_values(puzzle, kind), *own)):
            for across in ways:
                found[clue_mark_name(kind, value, across)] = Offered(kind.name, value, across)
    return found


def _values(puzzle: Puzzle, kind: ClueKind) -> Iterator[Value]:
    """Yield the values that are offered of a kind of clues: what it can have at any place, up to a number."""
    board = puzzle.board
    places = places_of(board, kind.on) or tuple(board.cells[:1] if kind.on == "walls" else ())
    found: dict[Value, None] = {}
    for place in places:
        if kind.values == "lists":
            found |= dict.fromkeys(lists_of(puzzle, kind, place))
        values = values_at(puzzle, kind, place)
        if values is None and kind.values != "lists":
            values = tuple(value for value in range(MOST_VALUES) if admits(puzzle, kind, place, value))
        found |= dict.fromkeys(values or ())
        if len(found) >= MOST_VALUES:
            break
    yield from list(found)[:MOST_VALUES]
    if places and admits(puzzle, kind, places[0], None):
        yield None


def clue_mark(genre: Genre, name: str, clue: Offered) -> Mark:
    """Return the mark of a clue."""
    kind = genre.clues[clue.kind]
    text = value_text(clue.value)
    sites = (EDGE,) if kind.on == "borders" else (CELL,)
    key = text if len(text) == 1 and kind.name == next(iter(genre.clues)) and text != "?" else ""
    several = sum(other.on == kind.on for other in genre.clues.values()) > 1
    title = _clue_words(kind, clue.value, several)
    title += (
        "" if clue.across is None else " of the row to the right" if clue.across else " of the column below"
    )
    shown = Mark(name=name, title=title, key=key, kinds=sites, layer=kind.on, group=kind.name)
    shape = CLUES.get(kind.name) if isinstance(clue.value, str) else None
    if shape is not None and shape.stroke:
        return attrs.evolve(shown, picture=((shape.stroke, circle(0.32)), (shape.colour, circle(0.27))))
    if shape is not None:
        return attrs.evolve(shown, outline=shape.path, colour=shape.colour)
    arrow = {True: "→", False: "↓", None: ""}[clue.across]
    sign = SIGNS.get(kind.name, "") if several and kind.on == "regions" else ""
    colour = "#e8e2d8" if kind.on == "walls" else ""
    layer = f"{kind.on} across" if clue.across else f"{kind.on} down" if clue.across is False else kind.on
    glyph = "(?)" if text == "?" else text  # a bare question mark is what the palette cannot draw
    return attrs.evolve(shown, glyph=f"{glyph}{sign}{arrow}", colour=colour, layer=layer)


_ARROWS = {"^": "up", "v": "down", "<": "left", ">": "right"}


def _clue_words(kind: ClueKind, value: Value, several: bool) -> str:
    """Return what people call a clue: 'clue 3', 'clue 3 to the left', 'white clue', 'clue without a number'.

    Args:
        kind: the kind of the clue; of a name of one letter nothing is said.
        value: its value.
        several: whether the genre has other kinds in the same places.
    """
    name, text = "" if len(kind.name) == 1 else kind.name, value_text(value)
    if text == "?":
        return f"{name} clue without a value" if name and several else "clue without a value"
    if isinstance(value, str) and name and text == name[0].upper():
        return f"{name} clue"
    way = _ARROWS.get(text[:1], "") if text[1:].isdigit() else ""
    told = f"{text[1:]}, {way}" if way else text
    return f"{name} {told}" if name and (several or not text.isdigit()) else f"clue {told}"


def wall_mark() -> Mark:
    """Return the mark of a wall."""
    return Mark(name=WALL, colour=_WALL_COLOUR, fills=True, key="#", layer="wall", group="board")


def solver_marks(puzzle: Puzzle) -> Iterator[Mark]:
    """Yield the marks that the solver writes, which play shows; editing refuses them."""
    marks, board = puzzle.genre.marks, puzzle.board
    words = _cell_words(puzzle, board)
    below = any(kind.on == "cells" for kind in puzzle.genre.clues.values())
    for number, word in enumerate(words):
        mark = _solver_mark("cells", word, number, len(words))
        yield attrs.evolve(mark, colour=_SHADE) if below and mark.colour == DARK and mark.fills else mark
    borders = ("border", "none") if marks.pieces else ()
    for layer, own in (("edges", marks.edges), ("links", marks.links), ("borders", borders)):
        for number, word in enumerate(own):
            yield _solver_mark(layer, word, number, len(own))


def _cell_words(puzzle: Puzzle, board: Board) -> tuple[str, ...]:
    if not puzzle.genre.marks.cells:
        return ()
    own: Sequence[tuple[str, ...]] = [cell_marks(puzzle, square) for square in board.cells]
    return max(own, key=len, default=())


def _solver_mark(layer: str, word: str, number: int, count: int) -> Mark:
    name = solver_mark_name(layer, word)
    sites = (CELL,) if layer == "cells" else (EDGE,)
    about = Mark(name=name, title=word, kinds=sites, layer="marks", group="marks that the solver writes")
    if layer != "cells":
        if number == 0:
            colour = "#2b2622" if layer == "borders" else BLUE
            return attrs.evolve(about, colour=colour, fills=True)
        if number == count - 1:
            return attrs.evolve(about, outline=_CROSS, colour="#9a938a")
        return attrs.evolve(about, glyph=word[:2], colour=BLUE)
    if word in MARKS:
        return attrs.evolve(about, outline=MARKS[word].path, colour=MARKS[word].colour)
    if word in FILLS:
        return attrs.evolve(about, colour=FILLS[word], fills=True)
    if word in BLANKS or (number == 1 and count == 2):
        return attrs.evolve(about, outline=circle(0.07), colour="#9a938a")
    if number == 0 and count == 2:
        return attrs.evolve(about, colour=DARK, fills=True)
    return attrs.evolve(about, glyph=word if word.isdigit() else word[:1].upper(), colour=BLUE)

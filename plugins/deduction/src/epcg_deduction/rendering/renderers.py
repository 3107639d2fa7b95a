"""Renderers: puzzles as SVG and as text, alone or solved."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from epcg_deduction.model.boards import CELL, WALL
from epcg_deduction.model.puzzles import Puzzle
from epcg_deduction.model.sites import marks_of, place_name, sites_of, value_text
from epcg_deduction.rendering.picture import Marks, puzzle_svg, two_solutions_svg

MOST_WORK = 50_000_000
"""The work of a search for a picture."""


def svg_renderer(generator: Any) -> Callable[..., str]:
    """Make `render(state, *, solution=False)`, which draws a puzzle as SVG.

    With `solution` its solution is drawn; two of them, side by side, if there are several.
    """

    def render(state: Puzzle, *, solution: bool = False) -> str:
        found = first_solutions(state) if solution else []
        if len(found) > 1:
            return two_solutions_svg(state, found[0], found[1])
        return puzzle_svg(state, found[0] if found else None)

    return render


def text_renderer(generator: Any) -> Callable[..., str]:
    """Make `render(state, *, solution=False)`, which draws a puzzle with signs."""

    def render(state: Puzzle, *, solution: bool = False) -> str:
        text = drawn(state, None)
        if not solution:
            return text
        found = first_solutions(state)
        if not found:
            return f"{text}\nNo solution.\n"
        number = "One solution" if len(found) == 1 else "Several solutions, the first"
        return f"{text}\n{number}:\n\n{drawn(state, found[0])}"

    return render


def first_solutions(puzzle: Puzzle, count: int = 2) -> list[tuple[int, ...]]:
    """Return up to a number of solutions as marks by site; none if none is found within some work."""
    from epcg_deduction.rules import problem_of
    from epcg_deduction.solving.compiled import Compiled

    shown = len(sites_of(puzzle))
    rows, _ = Compiled(problem_of(puzzle)).some(count, MOST_WORK)
    return [tuple(map(int, row[:shown])) for row in rows]


_SIGNS = {
    "shaded": "#",
    "black": "#",
    "filled": "#",
    "water": "~",
    "lamp": "*",
    "star": "*",
    "tent": "A",
    "mine": "*",
}
_EMPTY = ("blank", "white", "empty", "none", "land")


def drawn(puzzle: Puzzle, marks: Marks | None) -> str:
    """Draw a puzzle with signs: cells in rows, lines between them, clues beside the board below it."""
    board, genre = puzzle.board, puzzle.genre
    wide, high = 2 * board.width + 1, 2 * board.height + 1
    shown = [[" "] * wide for _ in range(high)]
    for square, kind in enumerate(board.kinds):
        y, x = divmod(square, board.width)
        shown[2 * y + 1][2 * x + 1] = "." if kind == CELL else "#" if kind == WALL else " "
    _regions(puzzle, shown)
    beside = []
    for clue in puzzle.clues:
        on = genre.clues[clue.kind].on
        if on in ("cells", "walls") and len(value_text(clue.value)) == 1:
            y, x = divmod(clue.place, board.width)
            shown[2 * y + 1][2 * x + 1] = value_text(clue.value)
        elif on == "borders":
            _between(puzzle, shown, clue.place, value_text(clue.value))
        else:
            several = len(genre.clues) > 1
            name = f"{clue.kind} " if several else ""
            beside.append(f"{place_name(board, on, clue.place)}: {name}{value_text(clue.value)}")
    if marks is not None:
        _solved(puzzle, shown, marks)
    lines = ["".join(row).rstrip() for row in shown]
    while lines and not lines[-1]:
        lines.pop()
    while lines and not lines[0]:
        lines.pop(0)
    return "\n".join([genre.title, "", *lines, *([""] if beside else []), *beside, ""])


def _regions(puzzle: Puzzle, shown: list[list[str]]) -> None:
    board = puzzle.board
    if not board.regions:
        return
    for y in range(board.height + 1):
        for x in range(board.width):
            if board.region_of.get(board.at(x, y - 1), -1) != board.region_of.get(board.at(x, y), -1):
                shown[2 * y][2 * x + 1] = "-"
    for y in range(board.height):
        for x in range(board.width + 1):
            if board.region_of.get(board.at(x - 1, y), -1) != board.region_of.get(board.at(x, y), -1):
                shown[2 * y + 1][2 * x] = "|"


def _between(puzzle: Puzzle, shown: list[list[str]], place: int, sign: str) -> None:
    board = puzzle.board
    one, other = board.borders[place]
    y, x = divmod(one, board.width)
    down = other != one + 1
    shown[2 * y + 1 + down][2 * x + 1 + (not down)] = sign[:1]


def _solved(puzzle: Puzzle, shown: list[list[str]], marks: Sequence[int | None]) -> None:
    """Put the marks into a drawing."""
    board = puzzle.board
    given = {clue.place for clue in puzzle.clues if puzzle.genre.clues[clue.kind].on == "cells"}
    for site, names, mark in zip(sites_of(puzzle), marks_of(puzzle), marks, strict=True):
        if mark is None:
            continue
        word = names[mark]
        if site.layer == "cells":
            y, x = divmod(site.place, board.width)
            if site.place not in given and word not in _EMPTY:
                plain = "#" if mark == 0 and len(names) == 2 else word[:1].upper()
                shown[2 * y + 1][2 * x + 1] = word if len(word) == 1 else _SIGNS.get(word, plain)
        elif mark == 0 and site.layer == "edges":
            across = board.width + 1
            (y, x), (v, u) = (divmod(corner, across) for corner in board.edges[site.place])
            shown[y + v][x + u] = "-" if y == v else "|"
        elif mark == 0:
            one, other = board.borders[site.place]
            line = ("-", "|") if site.layer == "links" else ("|", "-")
            _between(puzzle, shown, site.place, line[other != one + 1])

"""Squares cut into four triangles: the classic tangram, and which convex boards its pieces fill.

Fu Traing Wang & Chuan-Chih Hsiung, "A Theorem on the Tangram", American Mathematical Monthly 49 (1942),
596-599: exactly 13 convex boards can be made of the tangram's seven pieces.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from pathlib import Path

import attrs
import pytest
from epcg_tangram.design.layout import Layout
from epcg_tangram.design.shapes import canonical, group_for
from epcg_tangram.formats.importers import read_list
from epcg_tangram.lattices import LATTICES
from epcg_tangram.lattices.lattice import Shape
from epcg_tangram.params import GameRef
from epcg_tangram.rules.covers import count_boards
from epcg_tangram.texts.game_text import parse_game

from tests.tangram.random_games import every_cover, orbits
from tests.workplace import ask_sql, epcg

QUARTERS = LATTICES["quarters"]
AREA = 16
"""The area of the tangram's pieces, in squares."""


def convex_boards(longest: int) -> Iterator[Shape]:
    """Yield the boards of that area whose sides run along sides and diagonals of squares: rectangles without
    their corners.
    """
    for wide, high in product(range(1, longest + 1), repeat=2):
        for low, right, up, left in product(range(min(wide, high) + 1), repeat=4):
            fits = low + right <= wide and left + up <= wide and low + left <= high and right + up <= high
            if fits and 2 * wide * high - low**2 - right**2 - up**2 - left**2 == 2 * AREA:
                cells = QUARTERS.families["rectangle"].cells(wide, high)
                middles = ((cell, QUARTERS.middle(cell)) for cell in cells)  # the corner is (-1/2, -1/2)
                yield frozenset(
                    cell
                    for cell, (x, y) in middles
                    if x + y + 1 > low
                    and wide - x + y > right
                    and wide - x + high - y - 1 > up
                    and x + high - y > left
                )


def filled(longest: int) -> tuple[int, list[tuple[int, int]]]:
    """Return how many convex boards there are, and the solved boards of each that can be filled:
    modulo symmetries, and in all.
    """
    game = GameRef("tangram").definition
    copies = [(kind.least, kind.most) for kind in game.pieces]
    boards = {canonical(QUARTERS, own, group_for(QUARTERS, "free")) for own in convex_boards(longest)}
    found = []
    for board in boards:
        assert len(board) == 4 * AREA
        cells = tuple(sorted(board, key=QUARTERS.reading))
        layout = Layout(attrs.evolve(game, cells=cells, sizes=(), family=""))
        counts = count_boards(layout, copies), count_boards(layout, copies, "all")
        found += [counts] if counts[0] else []
    return len(boards), sorted(found)


def test_small_convex_boards_of_the_tangram() -> None:
    """The square alone is 4 by 4; its solution is the one that the pieces are cut by."""
    assert filled(4) == (1, [(1, 8)])


@pytest.mark.slow
def test_the_tangram_fills_thirteen_convex_boards() -> None:
    boards, found = filled(16)
    assert boards == 34
    assert len(found) == 13


def test_solutions_of_a_game_are_recorded_by_the_shipped_query(reader: Path) -> None:
    """Modulo turns and mirror images, and in all; a board that is drawn has no sizes, and needs none."""
    for run, game in enumerate(("tangram", "first-steps"), 1):
        epcg("run", "tangram/solutions", "--quiet", "--set", f"generator.game={game}")
        asked = f"SELECT metric, minimum FROM metrics WHERE run_id = {run} AND metric LIKE '%solutions'"
        found = {name: int(value) for name, value in ask_sql(reader / "epcg.db", asked)}
        layout = Layout(GameRef(game).definition)
        covers = every_cover(layout)
        assert found == {"solutions": len(orbits(layout, covers)), "all_solutions": len(covers)}
    assert epcg("run", "tangram/boards", "--quiet", "--set", "generator.game=first-steps").exit_code == 0


def test_a_list_of_pieces_may_be_of_quarters() -> None:
    """Without a board it gets a rectangle of whole squares; drawings of triangles stay triangles."""
    (text,) = read_list("diamond\n<>\n\nhalf\n>\n A\n\nsquare\n V\n> <\n A\n", "mine.pieces")
    game = parse_game(text)
    assert game.lattice is QUARTERS
    assert [(kind.name, kind.size) for kind in game.pieces] == [("diamond", 2), ("half", 2), ("square", 4)]
    assert set(game.cells) == QUARTERS.at_origin(QUARTERS.families["rectangle"].cells(2, 1))
    (text,) = read_list("bar\nAVAV\n\nto > from\nAVA\nVAV\n", "mine.pieces")
    assert parse_game(text).lattice is LATTICES["triangles"]

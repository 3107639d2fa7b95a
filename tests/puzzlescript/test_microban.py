"""Levels of others whose fewest moves are known: the first ten of Microban, by David Skinner.

The levels come with the reference engine's simulations, in ../shared, and are not part of this repository.
The level that the game there gives as the fifth is another than the collection's fifth. The fewest moves of
the others are those that solvers of Sokoban give; plain breadth-first search over sets, below, says the same.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from epcg_puzzlescript import params
from epcg_puzzlescript.generators.levels import Levels

from tests.puzzlescript.recorded import simulations
from tests.workplace import Workplace

MOVES = [33, 16, 41, 23, 3, 107, 26, 97, 30, 89]
PUSHES = {0: 8, 1: 3, 2: 13}
LARGE = 6
"""The level of nine million positions."""
QUERY = """
name = "microban"
domain = "puzzlescript"
[generator]
name = "levels"
game = "{game}"
[[evaluators]]
name = "shortest_solution"
limit = {limit}
[[evaluators]]
name = "along_solution"
"""


@pytest.fixture
def game(tmp_path: Path) -> Path:
    """The file of the game."""
    (source,) = {each["source"] for each in simulations() if each["source"].startswith("title Microban\n")}
    path = tmp_path / "microban.txt"
    path.write_text(source, encoding="utf-8")
    return path


def boards(game: Path) -> list[list[str]]:
    """The rows of the levels, as they stand in the file."""
    blocks = game.read_text("utf-8").partition("LEVELS\n=======\n")[2].split("\n\n")
    return [block.split() for block in blocks if block.strip() and "message" not in block]


def fewest_moves(rows: list[str]) -> int | None:
    """The layers of breadth-first search over (the player's cell, the crates' cells)."""
    width, cells = len(rows[0]), "".join(rows)
    walls = {cell for cell, mark in enumerate(cells) if mark == "#"}
    targets = {cell for cell, mark in enumerate(cells) if mark in "O@"}
    layer = {(cells.index("P"), frozenset(cell for cell, mark in enumerate(cells) if mark in "*@"))}
    met, depth = set(layer), 0
    while layer:
        if any(targets <= crates for _, crates in layer):
            return depth
        after = set()
        for player, crates in layer:
            for step in (-1, 1, -width, width):
                to, beyond = player + step, player + 2 * step
                if to not in crates and to not in walls:
                    after.add((to, crates))
                elif to in crates and beyond not in walls and beyond not in crates:
                    after.add((to, crates - {to} | {beyond}))
        layer = after - met
        met |= layer
        depth += 1
    return None


def test_the_levels_are_those_of_the_file(game: Path) -> None:
    space = Levels(params.LevelsParams(str(game)))
    assert space.max_rank == len(MOVES) == len(boards(game))


def test_the_fewest_moves_of_a_small_level(game: Path) -> None:
    """The large one is not solved within its limit."""
    place, small = Workplace(game.parent), 4
    query = QUERY.partition('[[evaluators]]\nname = "along_solution"')[0]
    for rank, limit, moves in ((small, 10_000, MOVES[small]), (LARGE, 10, None)):
        asked = query.format(game=game, limit=limit) + f"[range]\nstart = {rank}\nstop = {rank + 1}\n"
        run = place.run(asked).goal.id
        assert place.read(lambda reader, run=run, rank=rank: reader.value(run, "moves", rank)) == moves


@pytest.mark.slow
def test_the_fewest_moves(game: Path) -> None:
    place = Workplace(game.parent)
    run = place.run(QUERY.format(game=game, limit=1_000_000)).goal.id
    read = place.read
    for rank in range(len(MOVES)):
        moves = read(lambda reader, rank=rank: reader.value(run, "moves", rank))
        assert moves == (MOVES[rank] if rank != LARGE else None)
        if rank in PUSHES:
            pushes = read(lambda reader, rank=rank: reader.value(run, "displacements", rank))
            assert pushes == PUSHES[rank]


@pytest.mark.slow
def test_the_fewest_moves_of_a_large_level(game: Path) -> None:
    place = Workplace(game.parent)
    asked = QUERY.format(game=game, limit=10_000_000) + f"[range]\nstart = {LARGE}\nstop = {LARGE + 1}\n"
    run = place.run(asked).goal.id
    assert place.read(lambda reader: reader.value(run, "moves", LARGE)) == MOVES[LARGE]


def test_a_search_over_sets_says_the_same(game: Path) -> None:
    small = [rank for rank in range(len(MOVES)) if rank != LARGE]
    assert [fewest_moves(boards(game)[rank]) for rank in small] == [MOVES[rank] for rank in small]

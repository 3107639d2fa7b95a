"""Spaces: ranks rebuild puzzles, and a space holds exactly the puzzles that trying everything finds."""

from __future__ import annotations

import random
from collections import Counter
from itertools import combinations, product
from typing import Any

import attrs
import numpy as np
import pytest
from epcg_deduction.evaluation.facts import counted, facts, needed, solutions
from epcg_deduction.evaluation.steps import Steps, steps
from epcg_deduction.generators.clues import clues
from epcg_deduction.generators.divisions import Limits, divisions
from epcg_deduction.generators.fair import FairPuzzles, fair
from epcg_deduction.generators.layouts import layouts
from epcg_deduction.generators.symmetry import orbits
from epcg_deduction.model.boards import Board
from epcg_deduction.model.puzzles import Clue, Puzzle
from epcg_deduction.model.sites import places_of, value_text, values_at
from epcg_deduction.params import CluesParams, FairParams, LayoutsParams, SolutionsParams, StepsParams
from epcg_deduction.states.changes import with_clues

from epcg_core.base.errors import ParamsError, RankError
from epcg_core.plugin import NoParams


def space(genre: str, **params: Any) -> FairPuzzles:
    return fair(FairParams(genre=genre, **params))


def every_puzzle(base: Puzzle, kinds: list[str]) -> list[Puzzle]:
    """Return all puzzles of a board, with any set of clues of some kinds and any values."""
    options: list[list[Clue | None]] = []
    for kind in kinds:
        own = base.genre.clues[kind]
        for place in places_of(base.board, own.on):
            values = values_at(base, own, place) or ()
            options.append([None, *(Clue(kind, place, value) for value in values)])
    return [with_clues(base, [clue for clue in chosen if clue]) for chosen in product(*options)]


SMALL = [
    ("slitherlink", {"size": (1, 3)}, ["n"]),
    ("mosaic", {"size": (1, 3)}, ["n"]),
    ("minesweeper", {"size": (1, 3)}, ["n"]),
    ("kuromasu", {"size": (2, 2)}, ["n"]),
    ("latin", {"size": (2, 2)}, ["given"]),
    ("futoshiki", {"size": (2, 2), "kinds": ("less",)}, ["less"]),
    ("masyu", {"size": (2, 3)}, ["white"]),
    pytest.param("slitherlink", {"size": (2, 2)}, ["n"], marks=pytest.mark.slow),
    pytest.param("mosaic", {"size": (2, 2)}, ["n"], marks=pytest.mark.slow),
    pytest.param("minesweeper", {"size": (2, 2)}, ["n"], marks=pytest.mark.slow),
    pytest.param("futoshiki", {"size": (2, 2)}, ["given", "less"], marks=pytest.mark.slow),
    pytest.param("skyscrapers", {"size": (2, 2), "kinds": ("see",)}, ["see"], marks=pytest.mark.slow),
]


@pytest.mark.sweep(3)
@pytest.mark.parametrize(("genre", "params", "kinds"), SMALL)
def test_fair_puzzles_are_those_with_one_solution_among_all(
    genre: str, params: dict[str, Any], kinds: list[str]
) -> None:
    found = space(genre, **params)
    own = [found.unrank(rank) for rank in range(found.max_rank)]
    if genre == "masyu":  # both kinds stand in cells: those with a black circle are left out here
        own = [puzzle for puzzle in own if all(clue.kind == "white" for clue in puzzle.clues)]
    base = with_clues(found.setting, [])
    assert set(own) == {puzzle for puzzle in every_puzzle(base, kinds) if counted(puzzle).fair}
    assert len(set(own)) == len(own)


@pytest.mark.parametrize(("genre", "params", "kinds"), SMALL[:6])
def test_minimal_puzzles_are_the_fair_ones_without_a_fair_part(
    genre: str, params: dict[str, Any], kinds: list[str]
) -> None:
    every, least = space(genre, **params), space(genre, minimal=True, **params)
    clues_of = {frozenset(every.unrank(rank).clues) for rank in range(every.max_rank)}
    expected = {own for own in clues_of if not any(other < own for other in clues_of)}
    found = [frozenset(least.unrank(rank).clues) for rank in range(least.max_rank)]
    assert set(found) == expected
    assert len(found) == len(expected)


SPACES = [
    space("slitherlink", size=(3, 3)),
    space("slitherlink", size=(3, 3), minimal=True),
    space("slitherlink", size=(3, 3), symmetry="half_turn", clues=(2, 4)),
    space("tents", size=(2, 3), boards="tree"),
    space("akari", size=(2, 2), boards="walls"),
    space("heyawake", size=(2, 3), boards="rectangles"),
    space("nonogram", size=(3, 3), every=True),
    space("aquarium", size=(2, 2), boards="regions", every=True),
    clues(CluesParams("nurikabe", size=(2, 3), clues=(0, 3), total=(0, 6))),
    clues(CluesParams("numberlink", size=(2, 3), clues=(0, 6), pairs=True)),
    clues(CluesParams("slitherlink", size=(3, 3), clues=(0, 9), symmetry="quarter_turn")),
    clues(CluesParams("akari", clues=(0, 2))),
    clues(CluesParams("futoshiki", size=(3, 3), kind="less", clues=(3,))),
    layouts(LayoutsParams("starbattle", size=(3, 3), boards="regions", regions=(3,))),
    layouts(LayoutsParams("akari", size=(2, 2), boards="walls")),
]


@pytest.mark.sweep(5)
@pytest.mark.parametrize("own", SPACES, ids=[f"{type(own).__name__}-{n}" for n, own in enumerate(SPACES)])
def test_ranks_rebuild_puzzles_and_texts_read_back(own: Any) -> None:
    chance = random.Random(own.max_rank)
    ranks = {0, own.max_rank - 1, *(chance.randrange(own.max_rank) for _ in range(20))}
    for rank in ranks:
        puzzle = own.unrank(rank)
        assert own.rank(puzzle) == rank
        assert own.parse(own.format(puzzle)) == puzzle
    with pytest.raises(RankError):
        own.unrank(own.max_rank)


def test_a_puzzle_that_is_not_fair_has_no_rank() -> None:
    own = space("slitherlink", size=(2, 2))
    with pytest.raises(RankError, match="not one of this space"):
        own.rank(own.setting)


def test_blocks_are_the_puzzles_one_by_one() -> None:
    own = space("slitherlink", size=(2, 3))
    rows = own.states_block(100, 300)
    assert [own.puzzle_of(row) for row in rows] == [own.unrank(rank) for rank in range(100, 400)]
    assert (own.states_at(np.arange(100, 400, 7)) == rows[::7]).all()
    assert own.states_block(0, 0).shape == (0, 2)


@pytest.mark.parametrize("kind", ["half_turn", "quarter_turn", "left_right", "top_bottom", "both_mirrors"])
def test_symmetric_puzzles_are_the_fair_ones_whose_places_a_turn_or_mirror_keeps(kind: Any) -> None:
    every, own = space("slitherlink", size=(2, 2)), space("slitherlink", size=(2, 2), symmetry=kind)
    board = every.setting.board
    groups = orbits(board, [("cells", cell) for cell in board.cells], kind)
    expected = {
        puzzle for puzzle in map(every.unrank, range(every.max_rank))
        if all(len({*group} & {clue.place for clue in puzzle.clues}) in (0, len(group)) for group in groups)
    }  # fmt: skip
    assert {own.unrank(rank) for rank in range(own.max_rank)} == expected
    assert 0 < len(expected) < every.max_rank


def test_the_sites_of_lines_and_borders_are_turned_with_the_board() -> None:
    board = Board(3, 3, bytes(9))
    lines = [("lines", place) for place in range(6)]
    assert orbits(board, lines, "left_right") == [[0], [1], [2], [3, 5], [4]]
    assert orbits(board, lines, "quarter_turn") == [[0, 2, 3, 5], [1, 4]]
    borders = [("borders", place) for place in range(len(board.borders))]
    assert sorted(map(len, orbits(board, borders, "half_turn"))) == [2] * 6


def test_a_quarter_turn_of_a_board_that_is_not_square_is_refused() -> None:
    with pytest.raises(ParamsError, match="as many columns as rows"):
        clues(CluesParams("slitherlink", size=(2, 3), symmetry="quarter_turn")).max_rank  # noqa: B018


@pytest.mark.parametrize("seed", range(12))
def test_placed_clues_are_all_ways_to_place_them(seed: int) -> None:
    chance = random.Random(seed)
    fewest = chance.randint(0, 2)
    most = chance.randint(fewest, 4)
    low = chance.randint(0, 4)
    total = chance.choice([(), (low, chance.randint(low, 9))])
    values = tuple(str(value) for value in sorted(chance.sample(range(5), 3)))
    own = clues(
        CluesParams("slitherlink", size=(2, 2), clues=(fewest, most), total=total, values=values)
    )  # fmt: skip
    expected = set()
    for puzzle in every_puzzle(own.setting, ["n"]):
        numbers = [clue.value for clue in puzzle.clues]
        fits = not total or total[0] <= sum(numbers) <= total[1]
        if fewest <= len(numbers) <= most and fits and {value_text(n) for n in numbers} <= {*values}:
            expected.add(puzzle)
    found = [own.unrank(rank) for rank in range(own.max_rank)]
    assert set(found) == expected
    assert len(found) == len(expected)


def test_pairs_are_all_ways_to_pair_some_cells_whatever_their_names() -> None:
    own = clues(CluesParams("numberlink", size=(2, 3), clues=(0, 6), pairs=True))
    pairings = set()
    for puzzle in map(own.unrank, range(own.max_rank)):
        by_name: dict[Any, set[int]] = {}
        for clue in puzzle.clues:
            by_name.setdefault(clue.value, set()).add(clue.place)
        assert all(len(cells) == 2 for cells in by_name.values())
        pairings.add(frozenset(map(frozenset, by_name.values())))
    assert len(pairings) == own.max_rank == 76  # involutions of six things


def connected(board: Board, cells: set[int]) -> bool:
    seen, front = {min(cells)}, [min(cells)]
    while front:
        cell = front.pop()
        for one, other in board.borders:
            for near in {one: other, other: one}.keys() & {cell} and ({one: other, other: one}[cell],):
                if near in cells and near not in seen:
                    seen.add(near)
                    front.append(near)
    return seen == cells


def partitions(cells: list[int]) -> list[list[set[int]]]:
    if not cells:
        return [[]]
    first, *rest = cells
    found = []
    for size in range(len(rest) + 1):
        for others in combinations(rest, size):
            left = [cell for cell in rest if cell not in others]
            found += [[{first, *others}, *own] for own in partitions(left)]
    return found


@pytest.mark.parametrize("walls", [b"\0\0\0\0\0\0", b"\0\0\1\0\0\0", b"\0\1\0\0\0\2"])
def test_divisions_are_the_partitions_into_connected_regions(walls: bytes) -> None:
    board = Board(3, 2, walls)
    every = [own for own in partitions(list(board.cells)) if all(connected(board, part) for part in own)]
    for limits in (
        Limits(), Limits(fewest=2, most=3), Limits(smallest=2), Limits(largest=2), Limits(rectangles=True),
    ):  # fmt: skip
        expected = {
            frozenset(map(frozenset, own)) for own in every
            if limits.fewest <= len(own) <= (limits.most or 9)
            and all(limits.smallest <= len(part) <= (limits.largest or 9) for part in own)
            and (not limits.rectangles or all(is_box(board, part) for part in own))
        }  # fmt: skip
        found = [frozenset(map(frozenset, own)) for own in divisions(board, limits)]
        assert set(found) == expected
        assert len(found) == len(expected)


def is_box(board: Board, cells: set[int]) -> bool:
    xs, ys = {cell % board.width for cell in cells}, {cell // board.width for cell in cells}
    return len(cells) == (max(xs) - min(xs) + 1) * (max(ys) - min(ys) + 1)


def test_the_number_of_divisions_into_four_regions_is_the_known_one() -> None:
    assert sum(1 for _ in divisions(Board(3, 3, bytes(9)), Limits())) == 1434
    assert sum(1 for _ in divisions(Board(4, 3, bytes(12)), Limits(smallest=4))) == 113


def test_too_many_divisions_are_refused_with_a_sentence() -> None:
    own = layouts(LayoutsParams("starbattle", size=(2, 60), boards="walls"))
    with pytest.raises(ParamsError, match="has no walls"):
        own.max_rank  # noqa: B018
    with pytest.raises(ParamsError, match="more boards than can be tried"):
        layouts(LayoutsParams("akari", size=(5, 5), boards="walls")).max_rank  # noqa: B018


def test_clues_that_do_not_follow_from_the_solution_are_refused() -> None:
    with pytest.raises(ParamsError, match="do not follow from the solution"):
        space("nurikabe", size=(2, 2), kinds=("area",)).max_rank  # noqa: B018
    with pytest.raises(ParamsError, match="has no clues 'x', but n"):
        space("slitherlink", size=(2, 2), kinds=("x",)).max_rank  # noqa: B018
    with pytest.raises(ParamsError, match="'b' is not one of given, regions, rectangles, walls, n"):
        space("slitherlink", size=(2, 2), boards="b").max_rank  # noqa: B018


def test_a_genre_of_ones_own_is_named_by_its_text_and_its_clues_stay() -> None:
    text = """title = "Own"
[marks]
cells = ["on", "off"]
[clues.n]
on = "cells"
values = "0..9"
[clues.hint]
on = "cells"
values = "X"
[[rules]]
at = "hint"
mark = "on"
[[rules]]
each = "clue n"
look = "nine"
count = "on"
is = "clue"
[puzzle]
drawing = '''
X.
'''
"""
    own = space(text, kinds=("n",))
    puzzles = [own.unrank(rank) for rank in range(own.max_rank)]
    assert {clue.kind for puzzle in puzzles for clue in puzzle.clues} == {"n"}
    again = FairParams(**attrs.asdict(own.params))
    assert again == own.params


def test_what_is_measured_of_rows_is_what_is_measured_of_puzzles() -> None:
    for own in (space("slitherlink", size=(2, 2)), space("akari", size=(2, 2), boards="walls"),
                space("nonogram", size=(2, 2), every=True), space("futoshiki", size=(2, 2))):  # fmt: skip
        count = min(own.max_rank, 60)
        rows, puzzles = own.states_block(0, count), [own.unrank(rank) for rank in range(count)]
        of_facts = facts(NoParams(), own).evaluate_states(rows)  # type: ignore[attr-defined]
        assert [tuple(map(int, row)) for row in zip(*of_facts.values, strict=True)] == [
            facts(NoParams(), None).evaluate(puzzle) for puzzle in puzzles
        ]
        for kinds in ("1", "0123"):
            of_steps = steps(StepsParams(kinds), own).evaluate_states(rows)  # type: ignore[attr-defined]
            for place, puzzle in enumerate(puzzles):
                values = [
                    None if status[place] else value[place]
                    for value, status in zip(of_steps.values, of_steps.status, strict=True)
                ]
                assert values == list(Steps(StepsParams(kinds)).evaluate(puzzle))


def test_spare_clues_are_those_without_which_a_puzzle_stays_fair() -> None:
    every = space("slitherlink", size=(2, 2))
    least = space("slitherlink", size=(2, 2), minimal=True).max_rank
    found = [needed(SolutionsParams(), every).evaluate(every.unrank(rank)) for rank in range(every.max_rank)]
    assert sum(own[0] for own in found if own) == least == 28
    assert all((own[1] == 0) == own[0] for own in found if own)
    assert Counter(own is None for own in found) == {False: every.max_rank}
    assert needed(SolutionsParams(), every).evaluate(every.setting) is None


def test_solutions_are_counted_up_to_the_limit() -> None:
    empty = space("slitherlink", size=(2, 2)).setting
    assert solutions(SolutionsParams(limit=100), None).evaluate(empty) == (False, 13)
    assert solutions(SolutionsParams(limit=5), None).evaluate(empty) == (False, 5)

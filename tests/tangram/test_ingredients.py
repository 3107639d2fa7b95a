"""Sets of pieces and boards as spaces: against brute force, and the one set that fills the star."""

from __future__ import annotations

import random
from itertools import combinations, product
from math import comb

import attrs
import numpy as np
import pytest
from epcg_tangram.design.definition import Definition
from epcg_tangram.design.layout import Layout
from epcg_tangram.design.multisets import ANY, SizedMultisets
from epcg_tangram.design.shapes import all_shapes, canonical, group_for
from epcg_tangram.evaluation.counts import board_solutions, set_solutions
from epcg_tangram.generators.boards import solved_boards
from epcg_tangram.generators.sets import PieceSet, sets
from epcg_tangram.generators.variants import boards
from epcg_tangram.params import BoardsParams, GameRef, SetsParams, SolutionsParams, VariantsParams
from epcg_tangram.rules.covers import problem_of
from epcg_tangram.texts.game_text import parse_game
from epcg_tangram.texts.game_writer import format_game
from epcg_tangram.workshop.taking import game_of

from epcg_core.base.errors import EpcgError, ParamsError, RankError
from epcg_core.domain import NoParams
from tests.core.search.exact_cover.algorithm_x import all_covers

NO = NoParams()
UNUSED = (
    "lattice = 'squares'\n[board]\ndrawing = '##'\n[[pieces]]\nname = 'bar'\ndrawing = '##'\ncopies = 0\n"
    "[[pieces]]\nname = 'dot'\ndrawing = '#'\ncopies = 2\n"
)
"""A game with a piece of which there is no copy."""


@pytest.mark.parametrize("seed", range(60))
def test_subsets_of_a_total_are_ranked_as_a_list_of_all(seed: int) -> None:
    chance = random.Random(seed)
    sizes = [chance.randint(1, 5) for _ in range(chance.randint(0, 9))]
    total, count = chance.randint(0, 14), chance.choice([ANY, 0, 1, 2, 3, 4])
    space = SizedMultisets(sizes, total, count)
    expected = sorted(
        chosen
        for length in range(len(sizes) + 1)
        for chosen in combinations(range(len(sizes)), length)
        if sum(sizes[n] for n in chosen) == total and count in (ANY, length)
    )
    assert [space.unrank(rank) for rank in range(space.max_rank)] == expected
    assert [space.rank(chosen) for chosen in expected] == list(range(len(expected)))
    for rank in (-1, len(expected)):
        with pytest.raises(RankError, match="no multiset"):
            space.unrank(rank)
    wrong = [chosen for chosen in combinations(range(len(sizes)), 2) if chosen not in expected]
    for chosen in wrong[:3]:
        with pytest.raises(RankError, match="not one of this space"):
            space.rank(chosen)


@pytest.mark.parametrize("seed", range(40))
def test_choices_with_copies_are_ranked_as_a_list_of_all(seed: int) -> None:
    chance = random.Random(seed)
    sizes = [chance.randint(1, 5) for _ in range(chance.randint(0, 6))]
    most = [chance.randint(0, 3) for _ in sizes]
    total, count = chance.randint(0, 14), chance.choice([ANY, 0, 1, 2, 3, 4])
    space = SizedMultisets(sizes, total, count, most)
    every = (
        tuple(n for n, copies in enumerate(own) for _ in range(copies))
        for own in product(*(range(each + 1) for each in most))
    )
    expected = sorted(
        own for own in every if sum(sizes[n] for n in own) == total and count in (ANY, len(own))
    )
    assert [space.unrank(rank) for rank in range(space.max_rank)] == expected
    assert [space.rank(own) for own in expected] == list(range(len(expected)))


def test_more_sets_than_could_be_listed_have_exact_ranks() -> None:
    space = SizedMultisets([6] * 250, 600)
    assert space.max_rank == comb(250, 100)
    assert space.rank(space.unrank(10**50)) == 10**50


@pytest.mark.nightly
def test_one_of_all_sets_of_eight_fills_the_star() -> None:
    space = sets(SetsParams(game="star", size=8))
    assert space.max_rank == 495
    evaluator = set_solutions(NO, space)
    filling = [rank for rank in range(495) if evaluator.evaluate(space.unrank(rank))[0]]
    assert len(filling) == 1
    assert evaluator.evaluate(space.unrank(filling[0]))[0] == 1
    text = space.format(space.unrank(filling[0]))
    assert space.rank(space.parse(text)) == filling[0]


def test_sets_with_pieces_that_every_set_has() -> None:
    space = sets(SetsParams(game="star", size=8, always=("bar", "hexagon")))
    assert space.max_rank == comb(10, 6)
    names = GameRef("star").definition.names
    wanted = {names.index("bar"), names.index("hexagon")}
    assert all(wanted <= set(space.unrank(rank).pieces) for rank in range(space.max_rank))
    assert [space.rank(space.unrank(rank)) for rank in range(space.max_rank)] == list(range(space.max_rank))
    rows = space.states_block(5, 7)
    assert [tuple(np.flatnonzero(row)) for row in rows] == [
        space.unrank(rank).pieces for rank in range(5, 12)
    ]
    assert (space.states_at(np.arange(5, 12)) == rows).all()


@pytest.mark.parametrize(
    ("params", "said"),
    [
        ({"size": 9}, "no choice of 9 of the pieces covers the 48 cells"),
        ({"size": 13}, "a set of 13 pieces cannot be chosen from 12"),
        ({"game": UNUSED, "always": ("bar",)}, "there is no copy of 'bar', so no set has it"),
        ({"always": ("bat",)}, "unknown piece 'bat'. Did you mean 'bar'"),
        ({"game": "stars"}, "'stars' is neither a file nor a game"),
    ],
)
def test_sets_that_there_are_not(params: dict[str, object], said: str) -> None:
    with pytest.raises(EpcgError, match=said):
        sets(SetsParams(**{"game": "star", **params}))


def test_a_set_of_another_game_has_no_rank() -> None:
    with pytest.raises(RankError, match="not one of this space"):
        sets(SetsParams(game="star", size=8)).rank(PieceSet(GameRef("crate"), (0, 1)))


@pytest.mark.parametrize("holes", [1, 2])
def test_boards_with_holes_are_all_modulo_symmetry(holes: int) -> None:
    space = boards(VariantsParams(game="snowflake", holes=holes))
    lattice, cells = space.lattice, GameRef("snowflake").definition.cells
    group = group_for(lattice, "free")
    expected = {canonical(lattice, set(cells) - set(gone), group) for gone in combinations(cells, holes)}
    found = [space.unrank(rank) for rank in range(space.max_rank)]
    assert {canonical(lattice, own.cells, group) for own in found} == expected
    assert len(found) == len(expected)
    assert [space.rank(space.parse(space.format(own))) for own in found] == list(range(len(found)))


def test_of_equal_boards_one_stays_however_the_cells_were_taken_out() -> None:
    game = (
        "lattice = 'squares'\n[board]\ndrawing = '####'\n[[pieces]]\nname = 'bar'\ndrawing = '##'\n"
        "[rules]\nunused = 'any'\n"
    )
    space = boards(VariantsParams(game=game, holes=2))
    found = {space.format(space.unrank(rank)) for rank in range(space.max_rank)}
    assert found == {"##", "#.#", "#..#"}  # the two in the middle are those at an end, moved
    assert sorted(space.rank(space.parse(own)) for own in found) == list(range(space.max_rank))


def test_boards_of_any_shape_are_the_free_shapes_if_pieces_may_be_turned_over() -> None:
    space = boards(VariantsParams(game="crate", area=6))
    assert space.max_rank == len(all_shapes(space.lattice, 6)) == 35
    game = (
        "lattice = 'squares'\n[board]\ndrawing = '##'\n[[pieces]]\nname = 'ell'\nflip = false\n"
        "drawing = '''\n###\n#..\n'''\n"
    )
    assert boards(VariantsParams(game=game, area=6)).max_rank == 60  # its mirror image is another game


def test_boards_of_a_family_in_a_range_of_sizes() -> None:
    space = boards(VariantsParams(game="crate", least=(2, 2), most=(4, 4)))
    sizes = {tuple(sorted((a, b))) for a in (2, 3, 4) for b in (2, 3, 4)}
    assert space.max_rank == len(sizes)
    texts = [format_game(game_of(space.unrank(rank))) for rank in range(space.max_rank)]
    assert all('family = "rectangle"' in text for text in texts)
    assert [parse_game(text).cells for text in texts] == [
        space.unrank(rank).definition.cells for rank in range(space.max_rank)
    ]
    (whole,) = [boards(VariantsParams(game="crate", holes=0)).unrank(0)]
    assert 'family = "rectangle"' in format_game(game_of(whole))


@pytest.mark.parametrize("step", [4, pytest.param(1, marks=pytest.mark.slow)])
def test_solutions_of_boards_are_those_of_a_plain_search(step: int) -> None:
    space = boards(VariantsParams(game="crate", sizes=(7, 3), holes=1))
    evaluator = board_solutions(SolutionsParams(), space)
    for rank in range(0, space.max_rank, step):
        state = space.unrank(rank)
        definition = attrs.evolve(GameRef("crate").definition, cells=state.definition.cells)
        layout = Layout(definition)
        problem = problem_of(layout, [(1, 1)] * 6)
        every = len(list(all_covers(problem)))
        distinct, _ = evaluator.evaluate(state)
        images = len(layout.symmetries)
        assert distinct <= every <= images * distinct


@pytest.mark.parametrize(
    ("params", "said"),
    [
        ({"holes": 1, "area": 4}, "say one of `holes`"),
        ({"holes": 24}, "has 24 cells, so 24 cannot be taken out"),
        ({"holes": 12}, "ways to take 12 of 24 cells out; at most"),
        ({"area": 13}, "at most 12 cells"),
        ({"least": (1, 1), "most": (2, 2)}, "each size of the board: side"),
    ],
)
def test_boards_that_there_are_not(params: dict[str, object], said: str) -> None:
    with pytest.raises(ParamsError, match=said):
        boards(VariantsParams(**{"game": "snowflake", **params})).max_rank  # noqa: B018


def test_a_set_is_counted_modulo_the_symmetries_of_its_own_pieces() -> None:
    """A piece of the library that may not be turned over says nothing of the sets without it."""
    library = """lattice = "squares"
[board]
family = "rectangle"
width = 3
height = 3
[[pieces]]
shapes = { cells = 2 }
[[pieces]]
shapes = { cells = 3 }
[[pieces]]
shapes = { cells = 4 }
[[pieces]]
name = "chiral"
drawing = '''
###
#..
'''
flip = false
"""
    space = sets(SetsParams(game=library, size=3))
    evaluator = set_solutions(NO, space)
    names = GameRef(library).definition.names
    compiled = evaluator.evaluate_states(space.states_block(0, space.max_rank)).values[0]
    seen = set()
    for rank in range(space.max_rank):
        state = space.unrank(rank)
        chosen = [names[n] for n in state.pieces]
        own = GameRef(library).definition
        own = attrs.evolve(own, pieces=tuple(own.pieces[n] for n in state.pieces))
        alone = solved_boards(BoardsParams(game=format_game(own))).max_rank if _fits(own) else 0
        assert evaluator.evaluate(state)[0] == compiled[rank] == alone, chosen
        seen.add(("chiral" in chosen, alone > 0))
    assert {(True, True), (False, True)} <= seen


def _fits(definition: Definition) -> bool:
    return all(
        any(p.piece == n for p in Layout(definition).placements) for n in range(len(definition.pieces))
    )

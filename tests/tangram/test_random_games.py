"""Laws of games of pieces, on random small texts: lattices, copies, parts, turns, wants, boxes."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import cache
from itertools import permutations, product
from random import Random

import attrs
import numpy as np
import pytest
from epcg_tangram.design.layout import Layout, layout_of
from epcg_tangram.evaluation import entropy, weighing_kernels
from epcg_tangram.evaluation.counts import BoardSolutions, CompiledSetSolutions, SetSolutions
from epcg_tangram.generators.instances import Instances
from epcg_tangram.generators.sets import sets
from epcg_tangram.generators.variants import BoardVariants
from epcg_tangram.inference.rules import OnePiece, OnePlacement, region_shape, region_size
from epcg_tangram.params import (
    RULE_NAMES,
    GameParams,
    InstanceEntropyParams,
    InstancesParams,
    SetsParams,
    SolutionsParams,
    VariantsParams,
)
from epcg_tangram.rules.covers import count_boards
from epcg_tangram.rules.games import game
from epcg_tangram.rules.instance import Instance
from epcg_tangram.rules.model import BranchingError, Position
from epcg_tangram.rules.one_cover import one_cover
from epcg_tangram.texts.game_writer import format_game
from epcg_tangram.workshop.taking import game_of

from epcg_core.base.errors import ParamsError
from epcg_core.difficulty import Answer
from epcg_core.domain import LimitReachedError
from tests.tangram.random_games import every_cover, every_placement, images, orbits, proper, text_of

MOST_COVERS = 400


@cache
def played(seed: int) -> tuple[str, Layout, set[frozenset[int]]]:
    """Return the text, layout and solutions of a game."""
    text = text_of(seed)
    layout = layout_of(GameParams(text).definition)
    covers = every_cover(layout)
    assert covers, text
    return text, layout, covers


def games(
    fast: int, slow: int = 200, nightly: int = 5_000, each: int = 10
) -> Callable[..., Callable[..., None]]:
    """Ask for random games, so many each time: so many by each kind of tests."""
    cases = []
    first = 0
    while first < nightly:
        mark = [] if first < fast else [pytest.mark.slow] if first < slow else [pytest.mark.nightly]
        following = min(nightly, first + (10 * each if first >= slow else each))
        cases.append(pytest.param(range(first, following), marks=mark))
        first = following
    return pytest.mark.parametrize("seeds", cases, ids=str)


@pytest.mark.sweep
@games(60)
def test_solved_boards_in_all_and_modulo_symmetry(seeds: range) -> None:
    for seed in seeds:
        text, layout, covers = played(seed)
        own = game(GameParams(text))
        assert {frozenset(n for n in row if n >= 0) for row in own.covers.tolist()} == covers, text
        assert len(own.distinct) == len(orbits(layout, covers)), text
        turned = orbits(layout, covers, turns_alone=True)
        assert len(game(GameParams(text, boards="turned")).distinct) == len(turned), text
        copies = [(kind.least, kind.most) for kind in layout.definition.pieces]
        assert count_boards(layout, copies, "turned") == len(turned), text


@pytest.mark.sweep
@games(60)
def test_placements_are_all_ways_to_lie_with_colours_as_cells_want_them(seeds: range) -> None:
    for seed in seeds:
        text, layout, _ = played(seed)
        expected = every_placement(layout)
        assert {(own.piece, frozenset(own.cells)) for own in layout.placements} == expected, text
        assert len(layout.placements) == len(expected), text
        wants = {cell: place.colours for cell, place in layout.definition.marks if place.colours}
        for number, own in enumerate(layout.placements):
            seen = zip(own.cells, layout.colours_of(number), strict=True)
            assert all(colour in wants.get(cell, (colour,)) for cell, colour in seen), text


@pytest.mark.sweep
@games(60)
def test_a_random_search_finds_a_solution_if_there_is_one(seeds: range) -> None:
    """Of each game, and of what is left of it without a copy of some piece."""
    for seed in seeds:
        text, layout, covers = played(seed)
        copies = [(kind.least, kind.most) for kind in layout.definition.pieces]
        found = [one_cover(layout, copies, own, limit=10_000) for own in (0, 1, 0)]
        assert all(frozenset(own.placements) in covers for own in found), text
        assert found[0] == found[2], text
        definition = layout.definition
        piece = Random(seed).randrange(len(copies))
        fewer = [(min(a, b - 1), b - 1) if n == piece and b else (a, b) for n, (a, b) in enumerate(copies)]
        kinds = [
            attrs.evolve(kind, least=a, most=b) for kind, (a, b) in zip(definition.pieces, fewer, strict=True)
        ]
        other = Layout(attrs.evolve(definition, pieces=tuple(kinds)))
        own = one_cover(other, fewer, seed, limit=10_000)
        expected = every_cover(other)
        if expected:
            assert frozenset(own.placements) in expected, text
        else:  # of some games 10,000 placements are not all
            assert own.outcome in ("none", "limit"), text


@pytest.mark.sweep
@games(60)
def test_the_symmetries_are_all_that_map_placements_to_placements(seeds: range) -> None:
    for seed in seeds:
        text, layout, _ = played(seed)
        kinds = layout.definition.pieces
        placements = {(p.piece, p.cells) for p in layout.placements}
        orders = [
            order
            for order in permutations(range(len(kinds)))
            if all(
                (kinds[a].least, kinds[a].most) == (kinds[b].least, kinds[b].most)
                for a, b in enumerate(order)
            )
        ]
        found = set()
        for number in range(len(layout.lattice.symmetries)):
            cells = layout.images_under(number)
            if cells is not None and {(cells[c], own.meaning) for c, own in layout.definition.marks} == {
                (c, own.meaning) for c, own in layout.definition.marks
            }:
                moved = {(piece, tuple(sorted(cells[c] for c in own))) for piece, own in placements}
                if any({(order[piece], own) for piece, own in moved} == placements for order in orders):
                    found.add(number)
        assert {own.number for own in layout.symmetries} == found, text


@pytest.mark.parametrize(("games", "least"), [(5, 2), pytest.param(60, 6, marks=pytest.mark.slow)])
def test_some_random_games_have_pieces_that_are_exchanged(games: int, least: int) -> None:
    symmetries = [own for seed in range(games) for own in played(seed)[1].symmetries]
    assert sum(own.pieces != tuple(range(len(own.pieces))) for own in symmetries) >= least


@pytest.mark.sweep
@games(60)
def test_puzzles_count_once_however_they_lie(seeds: range) -> None:
    for seed in seeds:
        text, layout, covers = played(seed)
        if len(covers) > MOST_COVERS:
            continue
        for size in (0, 1, 2):
            if size >= min(map(len, covers)):
                break
            found = proper(covers, size)
            listed, every = (
                Instances(
                    InstancesParams(game=text, size=size, keep="all", excluded="unknown", boards=boards)
                )
                for boards in ("distinct", "all")
            )
            each = [listed.unrank(rank) for rank in range(listed.max_rank)]
            assert len(each) == len(orbits(layout, found)), (text, size)
            assert {frozenset(own.shown) for own in each} <= found
            assert [listed.rank(own) for own in each] == list(range(len(each)))
            assert every.max_rank == len(found), (text, size)


@pytest.mark.sweep
@games(60)
def test_no_rule_drops_all_that_leads_to_a_solution_and_kernels_say_the_same(seeds: range) -> None:
    for seed in seeds:
        text, layout, covers = played(seed)
        own, random = game(GameParams(text)), Random(seed)
        tiles = entropy.tiles(own.params)
        for _ in range(3):
            cover = sorted(random.choice(sorted(covers, key=sorted)))
            shown = tuple(sorted(random.sample(cover, random.randrange(len(cover)))))
            position = Position(Instance(own.params, shown))
            useful = {n for each in covers if each.issuperset(shown) for n in each} - {*shown}
            for rule in (OnePlacement(), OnePiece()):
                assert useful.intersection(rule.keep(position, position.legal)), text
            for action in position.legal:
                after = position.after(action)
                empty = np.uint64(sum(1 << cell for cell in after.empty))
                copies = np.array(after.copies, np.int64)
                for bits, plain in ((4, region_size), (8, region_shape)):
                    if layout.definition.most_empty:
                        assert plain(position, action) is Answer.UNKNOWN
                        continue
                    dead = plain(position, action) is Answer.CANNOT
                    assert weighing_kernels.is_dead(tiles, empty, copies, bits) == dead, text
                    assert not dead or action not in useful, text


def difficulty(
    layout: Layout, shown: Iterable[int], text: str, params: InstanceEntropyParams
) -> list[float] | None:
    """Return all measures of a puzzle; None of one that is not solvable, or that takes too many states.

    Not how many states there are: dead ends show sooner or later, depending on which forced piece lies first.
    """
    own = Instance(GameParams(text), tuple(sorted(shown)))
    listed = Instances(InstancesParams(game=text, size=0, keep="all", excluded="unknown", completions="any"))
    try:
        found = entropy.InstanceEntropy(params, listed).evaluate(own)
        walked = entropy.WholeWalk(params, listed).evaluate(own)
    except (BranchingError, LimitReachedError):
        return None
    return None if found is None else [-1.0 if v is None else float(v) for v in (*found, *walked[:-1])]


@pytest.mark.sweep
@games(6, 120, 1_000, each=2)
def test_a_puzzle_is_as_hard_as_its_images_and_with_its_pieces_in_another_order(seeds: range) -> None:
    for seed in seeds:
        text, layout, covers = played(seed)
        random, definition = Random(seed), layout.definition
        other_text = format_game(attrs.evolve(definition, pieces=definition.pieces[::-1]))
        other = layout_of(GameParams(other_text).definition)
        last = len(definition.pieces) - 1
        number = {(last - p.piece, p.cells): n for n, p in enumerate(other.placements)}
        cover = sorted(random.choice(sorted(covers, key=sorted)))
        shown = random.sample(cover, min(len(cover) - 1, 2))
        for branching, order in product(entropy.BRANCHINGS, entropy.ORDERS):
            rules = random.choice((RULE_NAMES, RULE_NAMES[1:], RULE_NAMES[1:2], RULE_NAMES[2:], ()))
            params = InstanceEntropyParams(branching=branching, order=order, rules=rules, limit=300)
            first = difficulty(layout, shown, text, params)
            for image in images(layout)[1:]:
                found = difficulty(layout, [image[n] for n in shown], text, params)
                assert found == pytest.approx(first), (text, shown, params)
            moved = [number[layout.placements[n].piece, layout.placements[n].cells] for n in shown]
            assert difficulty(other, moved, other_text, params) == pytest.approx(first), (text, shown)


@pytest.mark.sweep
@games(60)
def test_compiled_and_plain_measures_agree(seeds: range) -> None:
    for seed in seeds:
        text, layout, covers = played(seed)
        shown = min(2, min(map(len, covers)) - 1)
        listed = Instances(InstancesParams(game=text, size=shown, keep="all", excluded="unknown"))
        params = InstanceEntropyParams(branching="cell", limit=2_000)
        if not listed.max_rank:
            continue
        if layout.definition.most_empty:
            with pytest.raises(BranchingError, match="every cell is covered"):
                entropy.InstanceEntropy(params, listed)
            continue
        plain = entropy.plain_entropy(entropy.InstanceEntropy.metrics, params, listed)
        evaluator = entropy.InstanceEntropy(params, listed)
        for rank in range(0, listed.max_rank, max(1, listed.max_rank // 2)):
            state = listed.unrank(rank)
            try:
                walked = plain.evaluate(state)
            except LimitReachedError:
                continue
            found = evaluator.evaluate(state)
            assert found is not None, text
            assert list(found) == list(walked[:-1]), text


@pytest.mark.sweep
@games(30, 100, 2_000)
def test_boards_with_a_cell_out_want_what_they_wanted(seeds: range) -> None:
    for seed in seeds:
        text, layout, _ = played(seed)
        variants = BoardVariants(VariantsParams(game=text, holes=1))
        evaluator = BoardSolutions(SolutionsParams(), variants)
        ranks = [variants.rank(board) for board in map(variants.unrank, range(variants.max_rank))]
        assert ranks == list(range(len(ranks)))
        for rank in ranks[:4]:
            board = variants.unrank(rank)
            assert variants.parse(variants.format(board)) == board
            own = Layout(board.definition)
            assert len(board.marks) == len(board.definition.marks) <= len(layout.definition.marks)
            assert evaluator.evaluate(board)[0] == len(orbits(own, every_cover(own))), (text, rank)


@pytest.mark.sweep
@games(30, 100, 2_000)
def test_sets_have_copies_and_as_many_boards_as_are_found_by_trying(seeds: range) -> None:
    for seed in seeds:
        text, layout, _ = played(seed)
        kinds, random = layout.definition.pieces, Random(seed)
        if layout.definition.empty is None:
            with pytest.raises(ParamsError, match="how many cells stay empty is not said"):
                sets(SetsParams(game=text))
            continue
        covered = layout.cells - layout.definition.empty
        space = sets(SetsParams(game=text))
        expected = sorted(
            tuple(n for n, copies in enumerate(chosen) for _ in range(copies))
            for chosen in product(*(range(kind.most + 1) for kind in kinds))
            if sum(n * kind.size for n, kind in zip(chosen, kinds, strict=True)) == covered
        )
        assert [space.unrank(rank).pieces for rank in range(space.max_rank)] == expected, text
        ranks = random.sample(range(space.max_rank), min(3, space.max_rank))
        arrays = CompiledSetSolutions(space).evaluate_states(space.states_at(np.array(ranks, np.int64)))
        for at, rank in enumerate(ranks):
            chosen = space.unrank(rank)
            assert space.rank(space.parse(space.format(chosen))) == rank
            own = Layout(game_of(chosen))
            solutions = len(orbits(own, every_cover(own)))
            assert SetSolutions(space).evaluate(chosen)[0] == solutions, (text, rank)
            assert int(arrays.values[0][at]) == solutions, (text, rank)


def test_of_pieces_that_lie_alike_it_does_not_matter_which_is_in_a_set() -> None:
    """Two equal one-sided pieces and the mirror image of one: either pairs with it, in both forms."""
    text = """
title = "Alike"
lattice = "squares"
board = { family = "rectangle", width = 4, height = 3 }
pieces = [
  { name = "L1", drawing = "#.\\n#.\\n##", flip = false, copies = [0, 1], colour = "red" },
  { name = "L2", drawing = "#.\\n#.\\n##", flip = false, copies = [0, 1], colour = "blue" },
  { name = "J1", drawing = ".#\\n.#\\n##", flip = false, copies = [0, 1], colour = "green" },
  { name = "dot", drawing = "#", copies = [0, 12], colour = "pink" },
]
"""
    space = sets(SetsParams(game=text))
    ranks = np.arange(space.max_rank)
    compiled = CompiledSetSolutions(space).evaluate_states(space.states_at(ranks)).values[0]
    plain = [SetSolutions(space).evaluate(space.unrank(rank))[0] for rank in ranks.tolist()]
    assert compiled.tolist() == plain
    pieces = [space.unrank(rank).pieces for rank in ranks.tolist()]
    alike = [plain[pieces.index((own, 2, 3, 3, 3, 3))] for own in (0, 1)]
    assert alike == [8, 8]


def test_sets_with_many_equal_pieces_are_counted_without_a_search_of_each() -> None:
    """Dominoes alone cover the chessboard in 1,629,189 ways modulo symmetry, of 12,988,816."""
    text = """
title = "Chessboard"
lattice = "squares"
board = { family = "rectangle", width = 8, height = 8 }
pieces = [
  { name = "domino", drawing = "##", copies = [0, 32] },
  { name = "bar", drawing = "########", copies = [0, 8] },
]
"""
    space = sets(SetsParams(game=text))
    every = [space.unrank(rank).copies for rank in range(space.max_rank)]
    found = CompiledSetSolutions(space).evaluate_states(space.states_at(np.arange(space.max_rank))).values[0]
    counts = dict(zip((own.get(1, 0) for own in every), found.tolist(), strict=True))
    assert counts[0] == 1_629_189
    assert counts[8] == 1
    # seven bars leave one row, which four dominoes fill: at one of eight places, four modulo symmetry
    assert counts[7] == 4

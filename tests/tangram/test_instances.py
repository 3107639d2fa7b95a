"""Puzzle instances: which subsets of solved boards have exactly one completion."""

from __future__ import annotations

import os
import random
import subprocess
import sys
from collections import Counter
from functools import cache
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from epcg_tangram.evaluation.entropy import players
from epcg_tangram.evaluation.instances import InstanceFacts, instance_facts, instance_solutions
from epcg_tangram.generators import listing
from epcg_tangram.generators.boards import SolvedBoards
from epcg_tangram.generators.instances import Instances, _listed
from epcg_tangram.params import BoardsParams, GameParams, InstancesParams
from epcg_tangram.rules.adjacency import constraints_met
from epcg_tangram.rules.boards import Board
from epcg_tangram.rules.bumps import is_legal
from epcg_tangram.rules.games import Constraint, game

from epcg_core.base.errors import ParamsError, RankError
from epcg_core.domain import NoParams
from tests.tangram.hexagon import GAME, PIECE_ORDER, geometry, named
from tests.workplace import facts


@cache
def of(**params: Any) -> Instances:
    return Instances(InstancesParams(**params))


def sizes(generator: Instances) -> dict[str, int]:
    found = instance_facts(NoParams(), generator).evaluate_states(generator.rows)  # type: ignore[attr-defined]
    assert found.values[2].all()
    return {str(size): count for size, count in sorted(Counter(found.values[0].tolist()).items())}


def test_the_smallest_sizes_are_the_golden_ones() -> None:
    assert sizes(of()) == facts("tangram")["instances_smallest_unique_k_excluded_piece_known"]


def test_the_boards_are_the_solved_boards() -> None:
    own = game(GameParams())
    assert len(own.covers) == facts("tangram")["raw_solutions_total"]
    assert (own.distinct == SolvedBoards(BoardsParams()).covers).all()


@pytest.mark.sweep(4)
@pytest.mark.parametrize(
    "params",
    [
        {"game": "crate"},
        {"game": "crate", "keep": "all", "larger": 1},
        {"game": "honeycomb", "excluded": "unknown"},
        {"game": "crate", "completions": "any", "size": 2},
        {"game": "star"},
        {"size": 1, "keep": "all"},
        {"size": 2, "keep": "first"},
        {"game": "crate", "size": 40},
    ],
)
def test_arrays_list_what_kernels_list(params: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    generator = of(**params)
    compiled = generator.rows
    monkeypatch.setattr(listing, "compiled_or_small", lambda compiled, small: small())
    _listed.cache_clear()
    assert of.__wrapped__(**params).rows.tolist() == compiled.tolist()
    _listed.cache_clear()


def test_where_listing_by_arrays_takes_long_kernels_do_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(listing, "compiled_or_small", lambda compiled, small: (small(), compiled())[1])
    compiled = of(game="crate").rows
    monkeypatch.setattr(listing, "MOST_WORDS", 100)
    _listed.cache_clear()
    assert of.__wrapped__(game="crate").rows.tolist() == compiled.tolist()


@pytest.mark.slow
@pytest.mark.parametrize("puzzle", ["game=crate#0", "game=honeycomb#3", "game=star#0"])
def test_a_puzzle_is_scored_without_compiling(puzzle: str, tmp_path: Path) -> None:
    command = [sys.executable, "-m", "epcg_core.cli", "score", f"tangram:instances?{puzzle}"]
    empty = os.environ | {"EPCG_CACHE": str(tmp_path)}
    first = subprocess.run(command, env=empty, cwd=tmp_path, capture_output=True, text=True, check=True)
    assert not (tmp_path / "kernels").exists()
    second = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True)
    assert first.stdout == second.stdout


def test_of_each_board_the_first_smallest_subset() -> None:
    """Against plain sets: all smaller subsets, and all before it, have several completions."""
    generator = of()
    placed = [frozenset(n for n in row if n >= 0) for row in generator.game.covers.tolist()]
    pieces = geometry(3).placements
    families: dict[frozenset[int], list[frozenset[int]]] = {}
    for cover in placed:
        families.setdefault(frozenset(pieces[n].piece for n in cover), []).append(cover)
    for rank in random.Random(5).sample(range(generator.max_rank), 6):
        instance = generator.unrank(rank)
        family = families[frozenset(pieces[n].piece for n in instance.board)]
        subsets = (s for size in range(11) for s in combinations(instance.board, size))
        first = next(s for s in subsets if sum(cover.issuperset(s) for cover in family) == 1)
        assert instance.shown == first
        assert [PIECE_ORDER[p] for p in instance.excluded] == [
            name for name in PIECE_ORDER if name not in named(instance.solution)
        ]


def test_all_of_a_size_and_the_first_of_them() -> None:
    every, first = of(size=2, keep="all"), of(size=2)
    assert (every.rows[np.unique(every.rows[:, 0], return_index=True)[1]] == first.rows).all()
    expected = facts("tangram")["instances_smallest_unique_k_excluded_piece_known"]
    assert first.max_rank == expected["1"] + expected["2"]  # one piece more keeps one completion


def test_with_and_without_the_condition() -> None:
    proper, any_ = of(size=2, keep="all"), of(size=2, keep="all", completions="any")
    facts = instance_facts(NoParams(), any_).evaluate_states(any_.rows)  # type: ignore[attr-defined]
    unique = np.asarray(facts.values[2])
    assert (any_.rows[unique] == proper.rows).all()
    pieces = Counter(len(any_.game.distinct[board][any_.game.distinct[board] >= 0]) for board in range(2508))
    assert any_.max_rank == sum(count * (size * (size - 1) // 2) for size, count in pieces.items())
    assert of(size=0).max_rank == 0


@pytest.mark.sweep(2)
@pytest.mark.parametrize(
    "params",
    [
        {},
        {"excluded": "unknown"},
        {"relation": "edges_must_touch", "colours": (0,)},
        {"bumps": 60_000},
        {"bumps": 5, "relation": "neither_edges_nor_corners", "colours": (0, 3)},
    ],
    ids=["front", "unknown", "colours", "back", "both"],
)
def test_arrays_and_plain_values_agree(params: dict[str, Any]) -> None:
    generator = of(size=2, keep="all", completions="any", **params)
    ranks = np.array(sorted(random.Random(3).sample(range(generator.max_rank), 6)))
    evaluator = instance_facts(NoParams(), generator)
    arrays = evaluator.evaluate_states(generator.states_at(ranks))  # type: ignore[attr-defined]
    plain = InstanceFacts(generator)
    covers = [tuple(n for n in row if n >= 0) for row in generator.game.covers.tolist()]
    for i, rank in enumerate(ranks.tolist()):
        instance = generator.unrank(rank)
        assert tuple(values[i] for values in arrays.values) == plain.evaluate(instance)
        # By the definition, over all solutions of the game.
        shown = set(instance.shown)
        kinds = geometry(3).placements
        found = [
            cover
            for cover in covers
            if shown.issubset(cover) and not {kinds[n].piece for n in cover} & set(instance.excluded)
        ]
        assert instance.completions() == found
        assert generator.rank(generator.unrank(rank)) == rank


def test_an_unknown_excluded_piece_asks_for_more() -> None:
    known, unknown = of(), of(excluded="unknown")
    more = np.bitwise_count(unknown.rows[:, 1]) >= np.bitwise_count(known.rows[:, 1])
    assert more.all()
    assert all(not unknown.unrank(rank).excluded for rank in range(5))


def test_colour_constraints_count_as_on_the_boards() -> None:
    """The games under constraints have as many boards as the golden colour puzzles, summed over colours."""
    for relation in ("edges_must_touch", "corners_must_touch_not_edges"):
        boards = [
            len(game(GameParams(relation=relation, colours=(colour,))).distinct)  # type: ignore[arg-type]
            for colour in range(5)
        ]
        assert sum(boards) == facts("tangram")["colour_puzzles_on_2508"][relation]


@pytest.mark.parametrize("step", [16, pytest.param(4, marks=pytest.mark.slow)])
def test_a_game_has_the_boards_that_meet_its_constraint(step: int) -> None:
    own = game(GameParams(relation="edges_must_not_touch", colours=(1, 3)))
    relation, colours = own.constraint.relation, own.constraint.colours
    boards = [tuple(n for n in row if n >= 0) for row in SolvedBoards(BoardsParams()).covers.tolist()]
    kept = {tuple(n for n in row if n >= 0) for row in own.distinct.tolist()}
    some = boards[::step]
    assert kept.intersection(some) == {
        b for b in some if (relation, colours) in constraints_met(Board(GAME, b))
    }
    assert 0 < len(kept.intersection(some)) < len(some)
    assert kept < set(boards)
    assert all(own.satisfied(board) == (board in kept) for board in boards[:200])


def test_on_the_back_boards_are_counted_modulo_turns_by_thirds() -> None:
    own = game(GameParams(bumps=60_000))
    assert len(own.covers) == 3 * len(own.distinct) > 0
    bumps = own.constraint.bumps
    assert bumps is not None
    front = game(GameParams())
    legal = sum(
        is_legal(Board(GAME, tuple(n for n in row if n >= 0)), bumps) for row in front.covers.tolist()
    )
    assert legal == len(own.covers)


def test_a_puzzle_as_text() -> None:
    generator = of()
    for rank in (0, 1234, 2507):
        instance = generator.unrank(rank)
        text = generator.format(instance)
        assert text.count("without") == 1
        assert generator.parse(text) == instance
    (solution,) = instance_solutions(NoParams(), generator)(instance)
    assert len(solution) == len(instance.hidden) == sum(instance.copies)


def test_a_text_with_several_completions_has_no_board() -> None:
    assert of().parse("side 3; without Hook").board == ()


def row_of_dots(count: int) -> str:
    """A game with one solution, which has `count` pieces."""
    board = f"[board]\nfamily = 'rectangle'\nwidth = {count}\nheight = 1\n"
    return f"lattice = 'squares'\n{board}[[pieces]]\nname = 'dot'\ndrawing = '#'\ncopies = {count}\n"


@pytest.mark.parametrize("count", [36, 80])
def test_choices_that_would_fill_the_memory_are_refused(count: int) -> None:
    with pytest.raises(ParamsError, match=f"up to {count} pieces, of which"):
        _ = of(game=row_of_dots(count), keep="all").max_rank


def test_the_first_choice_of_many_pieces_is_found() -> None:
    assert of(game=row_of_dots(36)).max_rank == 1  # nothing is shown


def test_a_game_without_solutions_has_no_instances() -> None:
    game = "lattice = 'squares'\n[board]\ndrawing = '#.##.#'\n[[pieces]]\nname = 'two'\ndrawing = '##'\n"
    space = of(game=game + "copies = 2\n")
    assert space.max_rank == 0
    assert space.bases.shape == (0, space.game.bits.shape[1])
    assert players(space.game, ()).available.shape == (0, 1)


@pytest.mark.parametrize(
    ("params", "sentence"),
    [
        ({"completions": "any"}, "how many pieces are shown"),
        ({"colours": (1,)}, "needs a relation"),
        ({"relation": "edges_must_touch"}, "one colour or two"),
        ({"relation": "edges_must_touch", "colours": (1, 1)}, "one colour or two"),
        ({"bumps": 124_416}, "124,416 patterns"),
        ({"sizes": (5,)}, "cannot cover the board"),
    ],
)
def test_params_that_make_no_sense_are_refused(params: dict[str, Any], sentence: str) -> None:
    with pytest.raises(ParamsError, match=sentence):
        of(**params)


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("side 3; without Ship", "no piece 'Ship'"),
        ("side 2; without Hook", "of another size, than 'side 3'"),
        ("side 3; Line 0 1 2 3 4 5; without Line", "More copies"),
    ],
)
def test_texts_that_are_no_puzzle_are_refused(text: str, sentence: str) -> None:
    with pytest.raises(ParamsError, match=sentence):
        of().parse(text)


def test_ranks_and_states_outside_the_space_are_refused() -> None:
    generator = of()
    with pytest.raises(RankError, match="no instance 2508"):
        generator.unrank(2508)
    with pytest.raises(RankError, match="not one of this space"):
        generator.rank(of(size=3).unrank(0))


def test_no_constraint_concerns_no_pair() -> None:
    assert not Constraint().concerns(0, 1)


# --- an independent solver ---------------------------------------------------------------------------------


def solutions_by_sat(instance: Any, most: int = 2) -> int:
    """How many completions CP-SAT finds, up to `most`."""
    cp_model = pytest.importorskip("ortools.sat.python.cp_model")
    board = geometry(3)
    model = cp_model.CpModel()
    used = [model.new_bool_var(f"p{n}") for n in range(len(board.placements))]
    for cell in range(board.cells):
        model.add_exactly_one(used[n] for n, p in enumerate(board.placements) if cell in p.cells)
    for piece, name in enumerate(PIECE_ORDER):
        copies = 0 if piece in instance.excluded else 2 if name == "Trapezoid" else 1
        model.add(sum(used[n] for n, p in enumerate(board.placements) if p.piece == piece) <= copies)
    for n in instance.shown:
        model.add(used[n] == 1)
    bumps = instance.constraint.bumps
    if bumps is not None:
        for n in range(len(used)):
            if not is_legal(Board(GAME, (n,)), bumps):
                model.add(used[n] == 0)
    solver = cp_model.CpSolver()
    solver.parameters.num_workers = 1
    found = 0
    while found < most and solver.solve(model) == cp_model.OPTIMAL:
        found += 1
        placed = [n for n in range(len(used)) if solver.value(used[n])]
        model.add(sum(used[n] for n in placed) <= len(placed) - 1)
    return found


@pytest.mark.slow
@pytest.mark.parametrize(
    "params", [{}, {"excluded": "unknown"}, {"bumps": 60_000}], ids=["known", "unknown", "back"]
)
def test_an_independent_solver_finds_one_completion(params: dict[str, Any]) -> None:
    proper = of(**params)
    for rank in random.Random(11).sample(range(proper.max_rank), 8):
        assert solutions_by_sat(proper.unrank(rank)) == 1
    every = of(size=1, keep="all", completions="any", **params)
    several = [r for r in range(0, every.max_rank, 97) if len(every.unrank(r).completions()) > 1]
    assert all(solutions_by_sat(every.unrank(rank)) == 2 for rank in several[:4])
    assert several

"""The measures of a board: compiled against plain, with and without endgame tables, against known counts."""

from __future__ import annotations

import json
from collections.abc import Sequence
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from epcg_fling.evaluation import trees
from epcg_fling.evaluation.solutions import EditEffect, Solution, Solvable, Unique, WinningMoves
from epcg_fling.evaluation.trees import DeadEnds, ExpertRatio, ReachableStates
from epcg_fling.formats.boards import parse_board
from epcg_fling.generators.boards import Boards
from epcg_fling.params import BoardsParams, ReachableParams, TreeParams, UniquenessParams
from epcg_fling.retrograde.layers import BoardLayers
from epcg_fling.rules.moves import DOWN, LEFT, RIGHT, UP, BoardShape, fling, legal_moves
from epcg_fling.rules.solving import Solver, moves_touching_disturbed, piece_switches, tree_size
from epcg_fling.search import solutions
from epcg_fling.search.endgame import (
    TableMetric,
    edit_needs,
    most_pieces,
    solvable_needs,
    table_role,
    winning_needs,
)
from numpy.typing import NDArray

from epcg_core.base.errors import EpcgError
from epcg_core.domain import LIMIT, NONE, Bits, LimitReachedError, NoParams
from tests.workplace import SHARED, ask_sql, epcg

BOTH = ["successors", "moves"]
LEVELS = SHARED / "data/fling/levels_1_to_17.json"


def boards(width: int = 7, height: int = 8, pieces: int = 6) -> Boards:
    return Boards(BoardsParams(width, height, pieces))


def board(*cells: int) -> int:
    return sum(1 << cell for cell in cells)


def uniqueness(name: str) -> UniquenessParams:
    return UniquenessParams("moves" if name == "moves" else "successors")


def all_states(space: Boards) -> NDArray[np.uint64]:
    return space.states_block(0, space.max_rank)


def sample(space: Boards, count: int, seed: int = 1) -> NDArray[np.uint64]:
    ranks = np.random.default_rng(seed).integers(0, space.max_rank, count)
    return space.states_at(np.sort(ranks))


def bits_of(values: Any) -> Bits:
    return Bits(np.packbits(values, bitorder="little"), values.size)


def tables_of(width: int, height: int, layers: Sequence[int], name: str) -> dict[str, Bits]:
    """Endgame tables made by the evaluators themselves, each layer from the ones below."""
    tables: dict[str, Bits] = {}
    for layer in layers:
        space = boards(width, height, layer)
        states = all_states(space)
        parts: dict[TableMetric, Any] = {
            "solvable": Solvable(NoParams(), space, tables),
            "unique": Unique(uniqueness(name), space, tables),
        }
        for metric, part in parts.items():
            tables[table_role(metric, layer, name)] = bits_of(part.evaluate_states(states).values[0])
    return tables


def evaluators(space: Boards, name: str = "successors", tables: dict[str, Bits] | None = None) -> list[Any]:
    return [
        Solvable(NoParams(), space, tables),
        Unique(uniqueness(name), space, tables),
        WinningMoves(NoParams(), space, tables),
        EditEffect(uniqueness(name), space, tables),
        Solution(NoParams(), space, tables),
        ReachableStates(ReachableParams(), space),
        DeadEnds(ReachableParams(), space),
        ExpertRatio(TreeParams(), space),
    ]


def rows(evaluator: Any, states: NDArray[np.uint64]) -> list[Any]:
    """What `evaluate_states` says, in the form of `evaluate`."""
    found = evaluator.evaluate_states(states)
    values = [column.tolist() for column in found.values]
    status = [0] * states.size if found.status is None else found.status.tolist()
    table = zip(*values, strict=True)
    return [None if s == NONE else row for s, row in zip(status, table, strict=True)]


# --- definitions ------------------------------------------------------------------------------------------


def test_every_solvable_board_of_two_pieces_is_unique() -> None:
    game = BoardShape(7, 8)
    for name in BOTH:
        assert Solver(game, name).unique(board(0, 5))
        assert not Solver(game, name).unique(board(0, 1))


def test_two_moves_to_one_board_are_one_way_by_successors_and_two_by_moves() -> None:
    shape = BoardShape(5, 3)
    pair = parse_board(shape, "o.o.. ..... .o...")  # two moves in the first row, both to the column below
    assert Solver(shape).winning_moves(pair) == [(0, RIGHT), (2, LEFT)]
    assert Solver(shape, "successors").unique(pair)
    assert not Solver(shape, "moves").unique(pair)


def test_an_expert_skips_moves_that_could_have_come_before() -> None:
    """Two pairs that never meet, with two moves each: 1 + 4 + 4 * 2 nodes, and none below the first moves."""
    shape = BoardShape(7, 8)
    bits = board(0, 2, 53, 55)
    assert tree_size(shape, bits, 1000) == 13
    assert tree_size(shape, bits, 1000, expert=True) == 5


def test_switches_follow_the_flung_piece_to_where_it_rests() -> None:
    shape = BoardShape(7, 8)
    moves = [(5, LEFT), (29, UP), (31, LEFT), (29, UP), (15, RIGHT)]
    bits = board(0, 5, 19, 28, 29, 31)
    assert Solver(shape).first_solution(bits) == moves
    assert piece_switches(shape, bits, moves) == 2  # after the first and the second move
    assert moves_touching_disturbed(shape, bits, moves) == 3  # all but the first and the third
    assert piece_switches(shape, board(0, 3, 23), [(0, RIGHT), (2, DOWN)]) == 0


def test_dead_ends_of_boards_by_hand() -> None:
    space = boards(5, 3, 3)
    # A move of o.o.o loses if the two balls that it leaves cannot be flung at each other.
    row = board(0, 2, 4)
    assert len(legal_moves(space.setting, row)) == 4
    assert DeadEnds(ReachableParams(), space).evaluate(row)[0] == sum(
        not legal_moves(space.setting, fling(space.setting, row, move))
        for move in legal_moves(space.setting, row)
    )
    # Two balls that see each other are won at once; two that do not are lost, and so is the only board.
    pairs = boards(5, 3, 2)
    assert DeadEnds(ReachableParams(), pairs).evaluate(board(0, 2)) == (0, 0, 0.0)
    assert DeadEnds(ReachableParams(), pairs).evaluate(board(0, 6)) == (0, 1, 1.0)


@pytest.mark.parametrize(("size", "pieces", "count"), [((4, 4), 4, 300), ((7, 8), 7, 40), ((8, 8), 6, 40)])
def test_compiled_dead_ends_equal_the_definition_on_random_boards(
    size: tuple[int, int], pieces: int, count: int
) -> None:
    space = boards(*size, pieces)
    part = DeadEnds(ReachableParams(), space)
    states = sample(space, count, seed=pieces)
    assert rows(part, states) == [part.evaluate(int(state)) for state in states]
    assert part.evaluate_states(states).values[0].any()


def test_dead_ends_have_a_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    space = boards(7, 8, 7)
    states = sample(space, 20)
    monkeypatch.setattr(trees, "_FIRST_QUEUE", 4)  # so that the tables grow on the way
    every = DeadEnds(ReachableParams(), space).evaluate_states(states)
    reached = ReachableStates(ReachableParams(), space).evaluate_states(states).values[0]
    limit = int(np.median(reached))
    some = DeadEnds(ReachableParams(limit), space).evaluate_states(states)
    assert some.status is not None
    assert (some.status == LIMIT).tolist() == (reached > limit).tolist()
    for full, part in zip(every.values, some.values, strict=True):
        assert (full == part)[reached <= limit].all()
    over = int(states[np.argmax(reached)])
    with pytest.raises(LimitReachedError):
        DeadEnds(ReachableParams(limit), space).evaluate(over)


def test_the_edits_of_two_pieces() -> None:
    space = boards(4, 1, 2)
    part = EditEffect(UniquenessParams(), space)
    edits = part.edits(board(0, 2))  # o.o.
    assert [edit.adds for edit in edits] == [False, True, False, True]
    assert [edit.solvable for edit in edits] == [True, False, True, True]
    assert [edit.cell for edit in edits if edit.changes_solvability] == [1]  # ooo. has no moves
    assert part.evaluate(board(0, 2)) == (1, 1)


# --- compiled against plain ---------------------------------------------------------------------------------


@pytest.mark.parametrize("name", BOTH)
@pytest.mark.parametrize(
    ("width", "height", "pieces", "count"),
    [
        (7, 8, 1, 10),
        (7, 8, 2, 40),
        (7, 8, 4, 40),
        (7, 8, 6, 3),
        pytest.param(7, 8, 6, 12, marks=pytest.mark.slow),
        (8, 8, 5, 5),
        pytest.param(8, 8, 5, 10, marks=pytest.mark.slow),
        (3, 5, 15, 1),
        (16, 2, 5, 20),
    ],
)
def test_compiled_and_plain_agree(width: int, height: int, pieces: int, count: int, name: str) -> None:
    space = boards(width, height, pieces)
    states = sample(space, count)
    for part in evaluators(space, name):
        if not (isinstance(part, EditEffect) and count > 12 and pieces > 2):
            plain = [part.evaluate(int(state)) for state in states]
            assert rows(part, states) == plain, type(part).__name__


@pytest.mark.parametrize("name", BOTH)
def test_edits_agree_with_the_plain_solver(name: str) -> None:
    space = boards(5, 5, 5)
    part, solver = EditEffect(uniqueness(name), space), Solver(space.setting, name)
    for state in map(int, sample(space, 8)):
        edits = part.edits(state)
        for edit in edits:
            after = state ^ 1 << edit.cell
            assert (edit.solvable, edit.unique) == (solver.solvable(after), solver.unique(after))
        assert part.evaluate(state) == (
            sum(edit.changes_solvability for edit in edits),
            sum(edit.changes_uniqueness for edit in edits),
        )


@pytest.mark.sweep
@pytest.mark.parametrize(
    ("layers", "name"),
    [
        ((3,), "successors"),
        ((3, 4, 5, 6), "moves"),
        ((3, 4), "successors"),
        *(
            pytest.param(*case, marks=pytest.mark.slow)
            for case in (((3,), "moves"), ((3, 4, 5, 6), "successors"), ((3, 4), "moves"))
        ),
    ],
)
def test_endgame_tables_change_no_value(layers: tuple[int, ...], name: str) -> None:
    tables = tables_of(4, 5, layers, name)
    for pieces in (4, 5, 8):
        space = boards(4, 5, pieces)
        states = sample(space, 300)
        without, within = evaluators(space, name), evaluators(space, name, tables)
        for plain, tabled in zip(without[:5], within[:5], strict=True):
            assert rows(tabled, states) == rows(plain, states), (type(plain).__name__, pieces)


def test_endgame_tables_are_used() -> None:
    space = boards(4, 5, 4)
    lies = {"solvable:4": bits_of(np.ones(space.max_rank, bool))}
    assert Solvable(NoParams(), space, lies).evaluate_states(all_states(space)).values[0].all()
    lies = {"solvable:3": bits_of(np.zeros(boards(4, 5, 3).max_rank, bool))}
    assert not WinningMoves(NoParams(), space, lies).evaluate_states(all_states(space)).values[0].any()


def test_tables_of_unique_boards_serve_their_own_uniqueness_only() -> None:
    space = boards(4, 5, 4)
    every = bits_of(np.ones(space.max_rank, bool))
    lies = {table_role("unique", 4, "moves"): every, table_role("solvable", 4, "moves"): every}

    def all_hold(part: Any) -> bool:
        return bool(part.evaluate_states(all_states(space)).values[0].all())

    assert all_hold(Unique(uniqueness("moves"), space, lies))
    assert not all_hold(Unique(uniqueness("successors"), space, lies))
    assert all_hold(Solvable(NoParams(), space, lies))


DIFFERING = [([], "successors", "moves"), (["moves"], "successors", "moves")]
"""Tables that neither or one of the evaluators can use; where they mean the same, a query computes less."""


@pytest.mark.sweep
@pytest.mark.parametrize(
    ("size", "recorded", "unique", "edits"),
    [
        *(((3, 3, 3), *case) for case in DIFFERING),
        *(
            pytest.param((3, 4, 4), *case, marks=pytest.mark.slow)
            for case in product(([], ["successors"], ["moves"], BOTH), BOTH, BOTH)
        ),
    ],
)
def test_evaluators_that_differ_in_the_meaning_of_unique_share_a_query(
    reader: Path, size: tuple[int, int, int], recorded: list[str], unique: str, edits: str
) -> None:
    """Their values are those of each alone, whatever tables are recorded."""
    keys = dict(zip(("width", "height", "pieces"), size, strict=True))
    layers = [word for key, value in keys.items() for word in ("--set", f"generator.{key}={value}")]
    for name in recorded:
        epcg("run", "fling/layers", *layers, "--set", f"search.uniqueness={name}")
    parts = [f'name = "unique"\nuniqueness = "{unique}"', f'name = "edit_effect"\nuniqueness = "{edits}"']
    parts += ['name = "solvable"', 'name = "winning_moves"', 'name = "solution"']
    (reader / "all.toml").write_text(
        'name = "all"\ndomain = "fling"\n[generator]\nname = "boards"\n'
        + "".join(f"{key} = {value}\n" for key, value in keys.items())
        + "".join(f"[[evaluators]]\n{part}\n" for part in parts)
        + '[record]\nrows = "all"\n'
    )
    epcg("run", "all.toml")
    space = boards(*size)
    solved, by_unique, winning, _, length = evaluators(space, unique)[:5]
    parts_alone = [solved, by_unique, winning, evaluators(space, edits)[3], length]
    names = [metric.name for part in parts_alone for metric in part.metrics]
    alone = [rows(part, all_states(space)) for part in parts_alone]
    last = "WHERE run_id = (SELECT max(run_id) FROM runs)"  # layers have rows, too
    found = ask_sql(reader / "epcg.db", f"SELECT rank, metric, value FROM materialized_scores {last}")
    values = {(rank, metric): value for rank, metric, value in found}
    for rank in range(space.max_rank):
        expected = [
            value
            for part, row in zip(parts_alone, (of[rank] for of in alone), strict=True)
            for value in (row or [None] * len(part.metrics))
        ]
        assert [values[rank, name] for name in names] == expected, rank


def test_endgame_tables_may_be_mapped_files(tmp_path: Path) -> None:
    tables = tables_of(4, 4, (3,), "successors")
    path = tmp_path / "solvable"
    tables["solvable:3"].data.tofile(path)
    mapped = Bits(np.memmap(path, dtype=np.uint8, mode="r"), tables["solvable:3"].count)
    space = boards(4, 4, 4)
    found = rows(Solvable(NoParams(), space, {"solvable:3": mapped}), all_states(space))
    assert found == rows(Solvable(NoParams(), space), all_states(space))


def test_a_table_of_another_board_is_refused() -> None:
    with pytest.raises(EpcgError, match="'solvable:3' has 560 bits, but there are 1140 boards of 3 pieces"):
        Solvable(NoParams(), boards(4, 5, 4), tables_of(4, 4, (3,), "successors"))


def test_needs_name_the_layers_that_can_be_used() -> None:
    space = boards(4, 5, 5)
    assert [need.role for need in solvable_needs(NoParams(), space)] == [f"solvable:{k}" for k in (5, 4, 3)]
    assert [need.role for need in winning_needs(NoParams(), space)] == ["solvable:4", "solvable:3"]
    needs = edit_needs(UniquenessParams("moves"), space)
    assert {need.role for need in needs} == {
        f"{m}:{k}:moves" for m in ("solvable", "unique") for k in (3, 4, 5, 6)
    }
    assert {need.search_params["uniqueness"] for need in needs} == {"moves"}
    assert needs[0].params == BoardsParams(4, 5, 6)
    assert not any(need.required for need in needs)


def test_a_list_of_boards_asks_for_tables_by_its_largest_board() -> None:
    class Levels:
        setting = BoardShape(4, 5)
        max_rank = 3

        def unrank(self, rank: int) -> int:
            return [board(0, 2), board(0, 2, 5, 7, 9), board(1, 3, 4)][rank]

    assert most_pieces(Levels()) == 5
    assert WinningMoves(NoParams(), Levels()).evaluate(Levels().unrank(0)) == (2,)


# --- memory and limits ------------------------------------------------------------------------------------


def test_a_small_memo_grows_and_changes_no_value(monkeypatch: pytest.MonkeyPatch) -> None:
    space = boards(pieces=8)
    states = sample(space, 40)
    expected = [rows(part, states) for part in evaluators(space)[:6]]
    monkeypatch.setattr(solutions, "_FIRST_MEMO", 4)
    monkeypatch.setattr(trees, "_FIRST_QUEUE", 2)
    assert [rows(part, states) for part in evaluators(space)[:6]] == expected


def test_a_board_too_large_for_the_memory_gets_a_limit_and_the_others_their_values(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    space = boards(pieces=8)
    states = sample(space, 40)
    expected = Solvable(NoParams(), space).evaluate_states(states).values[0]
    monkeypatch.setattr(solutions, "_FIRST_MEMO", 64)
    monkeypatch.setattr(solutions, "_LARGEST_MEMO", 64)
    found = Solvable(NoParams(), space).evaluate_states(states)
    assert found.status is not None
    limited = found.status == LIMIT
    assert 0 < limited.sum() < states.size
    assert (found.values[0] == expected)[~limited].all()


@pytest.mark.parametrize(
    ("part", "column"),
    [
        (lambda space, limit: ReachableStates(ReachableParams(limit), space), 0),
        (lambda space, limit: ExpertRatio(TreeParams(limit), space), 0),
    ],
)
def test_a_limit_is_exact(part: Any, column: int) -> None:
    space = boards(pieces=5)
    states = sample(space, 30)
    exact = part(space, 10**6).evaluate_states(states).values[column]
    limit = int(np.median(exact))
    found = part(space, limit).evaluate_states(states)
    assert (found.status == np.where(exact > limit, LIMIT, 0)).all()
    for state, beyond in zip(states.tolist(), exact > limit, strict=True):
        if beyond:
            with pytest.raises(LimitReachedError):
                part(space, limit).evaluate(state)
        else:
            part(space, limit).evaluate(state)


def test_boards_without_a_solution_have_no_measures_of_it() -> None:
    space = boards(pieces=3)
    found = Solution(NoParams(), space).evaluate_states(np.array([board(0, 1, 2), 6656], np.uint64))
    assert found.status is not None
    assert found.status.tolist() == [NONE, 0]
    assert Solution(NoParams(), space).evaluate(board(0, 1, 2)) is None
    assert Solution(NoParams(), boards(pieces=1)).evaluate(board(9)) == (0, 0, 0, 0.0)


def test_no_boards_are_no_values() -> None:
    for part in evaluators(boards()):
        found = part.evaluate_states(np.zeros(0, np.uint64))
        assert [column.size for column in found.values] == [0] * len(part.metrics)


# --- known counts -------------------------------------------------------------------------------------------


@pytest.mark.sweep(4)
@pytest.mark.parametrize(
    ("width", "height", "pieces", "solvable", "by_moves", "by_successors"),
    [
        (7, 8, 1, 56, 56, 56),
        (7, 8, 2, 267, 267, 267),
        (7, 8, 3, 2720, 2110, 2500),
        pytest.param(7, 8, 4, 35518, 15724, 21958, marks=pytest.mark.slow),
        (4, 4, 4, 173, 24, 112),
        (4, 4, 6, 738, 0, 136),
        (4, 5, 5, 2050, 80, 680),
        (4, 5, 6, 6284, 20, 992),
        (5, 5, 3, 286, 204, 276),
        (5, 5, 5, 8241, 768, 2948),
    ],
)
def test_solvable_and_unique_boards(
    width: int, height: int, pieces: int, solvable: int, by_moves: int, by_successors: int
) -> None:
    space = boards(width, height, pieces)
    states = all_states(space)
    found = [
        int(part.evaluate_states(states).values[0].sum())
        for part in (
            Solvable(NoParams(), space),
            Unique(UniquenessParams("moves"), space),
            Unique(UniquenessParams("successors"), space),
        )
    ]
    assert found == [solvable, by_moves, by_successors]


def unique_boards(pieces: int, below: Sequence[int]) -> dict[str, NDArray[np.uint64]]:
    """The uniquely solvable boards; those by moves are among those by successors."""
    space = boards(pieces=pieces)
    part = Unique(uniqueness("successors"), space, tables_of(7, 8, below, "successors"))
    found = []
    for start in range(0, space.max_rank, 1 << 20):
        states = space.states_block(start, min(1 << 20, space.max_rank - start))
        found.append(states[part.evaluate_states(states).values[0]])
    by_successors = np.concatenate(found)
    by_moves = Unique(uniqueness("moves"), space).evaluate_states(by_successors).values[0]
    return {"successors": by_successors, "moves": by_successors[by_moves]}


def ratios(states: NDArray[np.uint64]) -> tuple[int, float, list[int], int, float]:
    """(boards, mean ratio, the first three best boards and how many there are, up to mirrors and translation,
    best ratio).
    """
    space = boards()
    values = ExpertRatio(TreeParams(), space).evaluate_states(states).values[2]
    best = sorted({space.normal_form(int(state)) for state in states[values == values.max()]})
    return states.size, round(float(values.mean()), 6), best[:3], len(best), float(values.max())


def unique_boards_of_the_layers(pieces: int) -> dict[str, NDArray[np.uint64]]:
    """The uniquely solvable boards, by retrograde analysis (see test_retrograde.py)."""
    space, found = boards(pieces=pieces), {}
    for name in BOTH:
        layers, lower = BoardLayers(7, 8, pieces), dict[str, Bits]()
        for layer in layers.layers:
            tables: dict[str, NDArray[np.uint64]] = {}

            def allocate(table: str, words: int, tables: Any = tables) -> NDArray[np.uint64]:
                tables[table] = np.zeros(words, np.uint64)
                return tables[table]  # type: ignore[no-any-return]

            layers.working_tables(layer, lower, allocate)
            size = boards(pieces=layer).max_rank
            lower = dict(
                zip(("solvable", "unique"), layers.solve_block(layer, tables, 0, size, name), strict=True)
            )
        ranks = np.flatnonzero(np.unpackbits(lower["unique"].data, bitorder="little"))
        found[name] = space.states_at(ranks)
    return found


def test_expert_ratio_of_all_unique_boards_of_five_pieces() -> None:
    found = unique_boards_of_the_layers(5)
    best = [2490377, 2883601, 3670049]
    assert ratios(found["successors"]) == (182_016, 1.095502, best, 7, 39 / 15)
    assert ratios(found["moves"]) == (103_324, 1.110138, best, 7, 39 / 15)


@pytest.mark.slow
def test_expert_ratio_of_all_unique_boards_of_six_pieces() -> None:
    """Sturtevant & Ota 2018, "Evaluating selected boards": the best board saves 172 of 195 nodes."""
    found = unique_boards(6, (3, 4, 5))
    best = [2953314337, 2953838657, 171832248337]
    assert ratios(found["successors"]) == (1_174_996, 1.569039, best, 17, 195 / 23)
    assert ratios(found["moves"]) == (548_966, 1.652309, best, 17, 195 / 23)


@pytest.mark.skipif(not LEVELS.exists(), reason="the published levels are not beside the repository")
def test_the_published_levels() -> None:
    levels = [level for chapter in json.loads(LEVELS.read_text()).values() for level in chapter]
    states = np.array([level["bitboard"] for level in levels], np.uint64)
    space = boards()
    measures = {
        "reachable_states": ReachableStates(ReachableParams(), space),
        "unique_by_moves": Unique(UniquenessParams("moves"), space),
        "unique_by_successors": Unique(UniquenessParams("successors"), space),
    }
    for key, part in measures.items():
        assert part.evaluate_states(states).values[0].tolist() == [level[key] for level in levels]


def test_reachable_states_of_published_boards() -> None:
    states = np.array([37154696925872128, 6656, 9077636720494592, 18016619007582208], np.uint64)
    found = ReachableStates(ReachableParams(), boards()).evaluate_states(states)
    assert found.values[0].tolist() == [5, 4, 10, 20]

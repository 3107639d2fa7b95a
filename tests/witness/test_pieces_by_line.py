"""All lines and what each allows: the panels of `pieces` that have a solution, line by line."""

from __future__ import annotations

import itertools
import json
import random
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from epcg_witness.evaluation.solutions import Solutions
from epcg_witness.generators import pieces_by_line
from epcg_witness.generators.libraries import library
from epcg_witness.generators.pieces_by_line import PiecesByLine
from epcg_witness.generators.placements import pieces
from epcg_witness.params import PiecesByLineParams, PiecesParams, SolutionsParams
from epcg_witness.rules.grid import grid_of
from epcg_witness.rules.panel import Panel, Square
from epcg_witness.rules.reference import all_paths, is_solution, solutions
from epcg_witness.rules.tiling import covers
from epcg_witness.solving import tilings
from epcg_witness.solving.tilings import Tilings

from epcg_core.base.errors import ParamsError, RankError
from epcg_core.query.query import load
from epcg_core.runs.coordinator import Options, execute
from epcg_core.store import Store

QUERY = Path(__file__).parents[2] / "plugins/witness/queries/five_pieces_by_line.toml"
GOLDEN = json.loads((Path(__file__).parents[1] / "golden/witness.json").read_text(encoding="utf-8"))
SLOW = ((2, 2, 2), (2, 2, 3), (3, 1, 2), (3, 2, 2))
"""Sizes of many panels, for the plain rules."""
SIZES = [(1, 1, 1), (2, 1, 0), (2, 1, 2), (2, 2, 1), (2, 2, 2), (2, 2, 3), (3, 1, 2), (3, 2, 2), (2, 2, 4)]


def made(width: int, height: int, count: int, **params: Any) -> PiecesByLine:
    return PiecesByLine(PiecesByLineParams(width, height, count, **params))


def listed(generator: PiecesByLine) -> list[Panel]:
    return [generator.unrank(rank) for rank in range(generator.max_rank)]


def solved(width: int, height: int, count: int) -> dict[Panel, list[tuple[int, ...]]]:
    """The solutions of each panel of `pieces` that has any, by the plain rules."""
    generator = pieces(PiecesParams(width, height, count))
    panels = (generator.unrank(rank) for rank in range(generator.max_rank))
    return {panel: found for panel in panels if (found := list(solutions(panel)))}


@pytest.mark.sweep(2)
@pytest.mark.parametrize(
    ("width", "height", "count"),
    [pytest.param(*size, marks=[pytest.mark.slow] * (size in SLOW)) for size in SIZES[:-1]],
)
def test_the_panels_are_those_that_have_a_solution(width: int, height: int, count: int) -> None:
    by_rule = solved(width, height, count)
    once, unique = made(width, height, count), made(width, height, count, panels="unique")
    assert Counter(listed(once)) == Counter(list(by_rule))
    assert Counter(listed(unique)) == Counter([panel for panel, found in by_rule.items() if len(found) == 1])
    each = made(width, height, count, panels="each_line")
    assert Counter(listed(each)) == {panel: len(found) for panel, found in by_rule.items()}
    lines = list(all_paths(grid_of(width, height), (0,), (once.setting.base.ends[0],)))
    in_order = [lines.index(by_rule[panel][0]) for panel in listed(once)]
    assert in_order == sorted(in_order)
    for line in lines:
        letters = grid_of(width, height).path_letters(line)
        own = made(width, height, count, line=letters)
        assert set(listed(own)) == {panel for panel, found in by_rule.items() if line in found}
        alone = made(width, height, count, line=letters, panels="unique")
        assert set(listed(alone)) == {panel for panel, found in by_rule.items() if found == [line]}


@pytest.mark.parametrize(
    ("width", "height", "count"),
    [pytest.param(*size, marks=[pytest.mark.slow] * (size == (3, 2, 2))) for size in SIZES],
)
@pytest.mark.parametrize("panels", ["once", "each_line", "unique"])
def test_arrays_and_ranks_agree_with_single_panels(width: int, height: int, count: int, panels: str) -> None:
    generator = made(width, height, count, panels=panels)
    states = listed(generator)
    rows = generator.states_block(0, len(states))
    assert rows.dtype == np.int32
    assert [generator.setting.unpack(row) for row in rows] == states
    ranks = np.array(random.Random(1).choices(range(len(states)), k=50 if states else 0), np.int64)
    assert generator.states_at(ranks).tolist() == rows[ranks].tolist()
    assert generator.states_block(len(states), 0).shape == (0, count)
    if panels == "each_line":
        assert not hasattr(generator, "rank")
    else:
        assert [generator.rank(state) for state in states] == list(range(len(states)))
    for rank in (-1, len(states)):
        with pytest.raises(RankError):
            generator.unrank(rank)
        with pytest.raises(RankError):
            generator.states_at(np.array([rank]))


def solution_counts(generator: Any) -> np.ndarray[Any, Any]:
    """The numbers of solutions of all panels, by the compiled solver."""
    evaluator = Solutions(SolutionsParams(), generator.setting)
    blocks = range(0, generator.max_rank, 2**15)
    sizes = [min(2**15, generator.max_rank - start) for start in blocks]
    found = [
        evaluator.evaluate_states(generator.states_block(start, size)).values[0]
        for start, size in zip(blocks, sizes, strict=True)
    ]
    return np.concatenate(found)


def test_three_pieces_have_the_numbers_of_the_study() -> None:
    known = GOLDEN["three_pieces_on_3x3"]
    found = solution_counts(made(3, 3, 3))
    assert len(found) == known["solvable"]
    assert (found.min(), found.max()) == (1, known["most_solutions"])
    assert np.count_nonzero(found == 1) == known["unique_solution"] == made(3, 3, 3, panels="unique").max_rank
    assert found.sum() == known["sum_of_solutions"] == made(3, 3, 3, panels="each_line").max_rank


@pytest.mark.slow
def test_three_pieces_have_the_histogram_of_all_panels() -> None:
    every = Counter(solution_counts(pieces(PiecesParams(3, 3, 3))).tolist())
    found = Counter(solution_counts(made(3, 3, 3)).tolist())
    assert every.pop(0) == 1_161_216 - 113_296
    assert found == every


@pytest.mark.slow
@pytest.mark.parametrize(
    ("count", "panels", "solutions_of_all", "unique"),
    [(4, 386_508, 1_905_204, 3_218), (5, 266_292, 2_493_772, 550), (6, 59_258, 1_164_092, 88)],
)
def test_more_pieces_than_all_placements_can_be_gone_through(
    count: int, panels: int, solutions_of_all: int, unique: int
) -> None:
    """The solver counts as many solutions of the panels as there are pairs of a line and a panel."""
    generator = made(3, 3, count)
    found = solution_counts(generator)
    assert (len(found), found.sum()) == (panels, solutions_of_all)
    assert made(3, 3, count, panels="each_line").max_rank == solutions_of_all
    assert np.count_nonzero(found == 1) == unique == made(3, 3, count, panels="unique").max_rank
    for rank in random.Random(count).sample(range(panels), 8):
        panel = generator.unrank(rank)
        assert sum(1 for _ in solutions(panel)) == found[rank]
        assert generator.rank(panel) == rank


@pytest.mark.parametrize(
    ("size", "count", "pairs"),
    [
        (3, 3, GOLDEN["three_pieces_on_3x3"]["sum_of_solutions"]),
        pytest.param(4, 5, 50_343_073_230, marks=pytest.mark.slow),
    ],
)
def test_pairs_of_large_panels_are_exact_and_solved(size: int, count: int, pairs: int) -> None:
    generator = made(size, size, count, panels="each_line")
    assert generator.max_rank == pairs
    for rank in random.Random(5).sample(range(generator.max_rank), 3):
        panel = generator.unrank(rank)
        assert len(panel.symbols) == count
        assert next(solutions(panel), None) is not None
        assert generator.setting.unpack(generator.states_at(np.array([rank]))[0]) == panel


def test_the_panels_of_one_line_of_a_panel_too_large_for_all_lines() -> None:
    letters = "UURRDRURURUULLURRR"
    grid = grid_of(6, 6)
    line = grid.parse_path(0, letters)
    generator = made(6, 6, 6, line=letters)
    assert generator.max_rank > 0
    for rank in random.Random(6).sample(range(generator.max_rank), 5):
        panel = generator.unrank(rank)
        assert is_solution(panel, line)
        assert generator.rank(panel) == rank


@pytest.mark.sweep
@pytest.mark.parametrize("name", ["without_s_and_z", "up_to_four"])
def test_selections_are_all_that_fill_a_region(name: Any) -> None:
    grid, every = grid_of(3, 3), library(name)
    found = Tilings(grid, every, 3)
    for region in random.Random(3).sample(range(1, 2**9), 60):
        cells = [grid.cell_at(cell) for cell in range(9) if region >> cell & 1]
        for count in (1, 2, 3):
            fitting = {
                chosen
                for chosen in itertools.combinations_with_replacement(range(len(every)), count)
                if sum(every[piece].area for piece in chosen) == len(cells)
                and covers([every[piece] for piece in chosen], cells)
            }
            assert found.selections(region, count) == fitting
            orders = {order for chosen in fitting for order in itertools.permutations(chosen)}
            assert found.ways(region, count) == len(orders)
            assert sorted(map(tuple, found.orders(region, count).tolist())) == sorted(orders)


def test_the_pairs_are_compared_in_batches_of_any_size(monkeypatch: pytest.MonkeyPatch) -> None:
    expected = listed(made(3, 2, 2)), listed(made(3, 2, 2, panels="unique"))
    monkeypatch.setattr(pieces_by_line, "_BATCH", 50)
    monkeypatch.setattr(pieces_by_line, "_CHUNK", 7)
    pieces_by_line.all_lines.cache_clear()
    assert (listed(made(3, 2, 2)), listed(made(3, 2, 2, panels="unique"))) == expected
    pieces_by_line.all_lines.cache_clear()


def test_panels_of_other_spaces_have_no_rank() -> None:
    generator, unique = made(2, 2, 2), made(2, 2, 2, panels="unique")
    monomino, domino = library("without_s_and_z")[:2]
    for panel, message in (
        (Panel(width=3, height=2), "differs from the base"),
        (Panel(width=2, height=2, symbols={0: monomino}), "hold 2 pieces of the library"),
        (Panel(width=2, height=2, symbols={0: monomino, 1: Square("black")}), "hold 2 pieces"),
        (Panel(width=2, height=2, symbols={0: domino, 3: domino}), None),
        (Panel(width=2, height=2, symbols={0: monomino, 1: monomino}), None),
    ):
        solvable = message is None and any(solutions(panel))
        if solvable:
            assert generator.unrank(generator.rank(panel)) == panel
        else:
            with pytest.raises(RankError, match=message or "no line of it solves"):
                generator.rank(panel)
    several = next(panel for panel in listed(generator) if len(list(solutions(panel))) > 1)
    with pytest.raises(RankError, match="only panels that one line solves"):
        unique.rank(several)


@pytest.mark.parametrize(
    ("params", "message"),
    [
        ({"line": "UX"}, "line: 'X' is not a move"),
        ({"line": "UUUU"}, "line: There is no vertex"),
        ({"line": "UR"}, "line: 'UR', drawn from the lower left corner, does not end"),
        ({"line": "RURDLLUURR"}, "line: "),
        ({"pieces": 10}, "10 pieces do not fit"),
    ],
)
def test_lines_that_are_none_are_refused(params: dict[str, Any], message: str) -> None:
    with pytest.raises(ParamsError, match=message):
        _ = PiecesByLine(PiecesByLineParams(**params)).max_rank


def test_spaces_that_are_too_large_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pieces_by_line, "MOST_COMPARED", 1000)
    pieces_by_line.all_lines.cache_clear()
    with pytest.raises(ParamsError, match="too many to find those that occur more than once"):
        _ = made(3, 3, 2).max_rank
    assert made(3, 3, 2, panels="each_line").max_rank > 1000
    monkeypatch.setattr(pieces_by_line, "MOST_LINES", 100)
    pieces_by_line.all_lines.cache_clear()
    with pytest.raises(ParamsError, match=r"184 lines, and at most 100 are gone through.*or one line"):
        _ = made(3, 3, 2, panels="each_line").max_rank
    pieces_by_line.all_lines.cache_clear()
    monkeypatch.setattr(tilings, "MOST_ORDERS", 10)
    with pytest.raises(ParamsError, match=r"3 pieces fill a region of 9 cells in .* orders, and at most 10"):
        made(3, 3, 3, line="UUURRR").unrank(0)


def test_the_query_keeps_the_panels_with_the_most_solutions(tmp_path: Path) -> None:
    query = load(QUERY, ["generator.width=2", "generator.height=2", "generator.pieces=2"])
    counts = [len(list(solutions(panel))) for panel in listed(made(2, 2, 2))]
    with Store.open(str(tmp_path / "epcg.db"), write=True) as store:
        outcome = execute(query, store, Options(executor="serial", quiet=True))
    assert (outcome.goal.evaluated, outcome.kept) == (len(counts), counts.count(max(counts)))

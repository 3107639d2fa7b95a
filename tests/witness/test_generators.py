"""Generators and evaluators: exact counts, and plain and array forms that agree."""

from __future__ import annotations

import random
import tomllib
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from epcg_witness.evaluation import solutions as solution_evaluators
from epcg_witness.evaluation.entropy import Entropy, make_entropy
from epcg_witness.evaluation.solutions import (
    LongestSolution,
    OneByOne,
    ShortestSolution,
    Solutions,
    Unique,
    make_longest_solution,
    make_shortest_solution,
    make_solutions,
    make_unique,
)
from epcg_witness.generators.placements import Placements, blanks, must_cross, pieces, placements
from epcg_witness.joint_panels.generator import JointPanels
from epcg_witness.params import (
    BlanksParams,
    GroupParams,
    JointPanelsParams,
    MustCrossParams,
    PanelEntropyParams,
    PiecesParams,
    PlacementParams,
    SolutionsParams,
)
from epcg_witness.rules.grid import PanelError, grid_of
from epcg_witness.rules.panel import Panel, Square, Star
from epcg_witness.rules.reference import solutions
from epcg_witness.rules.spaces import panel_alone
from epcg_witness.solving.paths import TooManyPathsError
from epcg_witness.solving.search import search_panel
from epcg_witness.solving.solver import Solver

from epcg_core.base.errors import EpcgError, ParamsError, QueryError, RankError
from epcg_core.base.params import structure
from epcg_core.domain import LIMIT, NONE, VALUE, LimitReachedError, NoParams
from epcg_core.query.query import load, parse_query
from epcg_core.runs.coordinator import Options, execute
from epcg_core.store import Store
from tests.witness.doubled import Doubled

QUERIES = Path(__file__).parents[2] / "plugins/witness/queries"
COUNT = SolutionsParams()
CAN_BE_NONE = SolutionsParams(unsolvable="none")


def solution_counts(generator: Placements) -> np.ndarray[Any, Any]:
    """The number of solutions of every panel of a small space."""
    states = generator.states_block(0, generator.max_rank)
    return np.asarray(Solutions(COUNT, generator.setting).evaluate_states(states).values[0])


def group(*symbols: str, count: int = 1, **where: Any) -> GroupParams:
    return GroupParams(symbols=symbols, count=count, **where)


# --- the known numbers -----------------------------------------------------------------------------------


@pytest.mark.sweep(3)
@pytest.mark.parametrize(
    ("size", "count", "panels", "fewest", "with_fewest"),
    [
        (2, 1, 21, 5, 10), (2, 2, 210, 1, 2), (2, 3, 1330, 1, 270), (2, 4, 5985, 1, 2140),
        (2, 5, 20349, 1, 8248), (2, 6, 54264, 1, 20290), (3, 1, 40, 68, 4), (3, 2, 780, 14, 2),
        (3, 3, 9880, 4, 36), (3, 4, 91390, 1, 166), (3, 5, 658008, 1, 9572),
        pytest.param(3, 6, 3838380, 1, 166520, marks=pytest.mark.slow),
    ],
)  # fmt: skip
def test_must_cross_panels_with_the_fewest_solutions(
    size: int, count: int, panels: int, fewest: int, with_fewest: int
) -> None:
    generator = must_cross(MustCrossParams(size, size, count))
    assert generator.max_rank == panels
    found = solution_counts(generator)
    assert found[found > 0].min() == fewest
    assert np.count_nonzero(found == fewest) == with_fewest


@pytest.mark.slow
def test_three_pieces_on_three_by_three() -> None:
    """The same numbers by way of the classes: test_the_classes_of_the_study."""
    generator = pieces(PiecesParams(3, 3, 3))
    assert generator.max_rank == 1_161_216
    counts, sets = [], []
    solver = Solver(generator.setting)
    for start in range(0, generator.max_rank, 24**3 * 6):
        solved = solver.solve(generator.states_block(start, 24**3 * 6), sets=True)
        counts.append(solved.solutions)
        sets.append(solved.sets[solved.solutions > 0])
    found = np.concatenate(counts)
    assert np.count_nonzero(found) == 113_296
    assert np.count_nonzero(found == 1) == 15_196
    assert (found.max(), found.sum()) == (19, 400_146)
    assert len(np.unique(np.concatenate(sets), axis=0)) == 7_316


@pytest.mark.parametrize(
    ("size", "panels", "solvable", "unique", "total"),
    [(1, 3, 3, 0, 6), (2, 81, 79, 8, 528), (3, 19683, 17119, 1056, None)],
)
def test_squares_of_two_colours(
    size: int, panels: int, solvable: int, unique: int, total: int | None
) -> None:
    every_cell = group("none", "square black", "square white", count=size * size)
    found = solution_counts(placements(PlacementParams(width=size, height=size, groups=(every_cell,))))
    assert len(found) == panels
    assert np.count_nonzero(found) == solvable
    assert np.count_nonzero(found == 1) == unique
    assert total is None or found.sum() == total


# --- ranks and arrays --------------------------------------------------------------------------------------

SPACES = (
    must_cross(MustCrossParams(2, 3, 2)),
    pieces(PiecesParams(2, 2, 2, "up_to_four")),
    placements(
        PlacementParams(
            panel="+---+---E\n|   | a |\n+---+- -+\n|   |   |\nS---+---+\na: star black",
            groups=(
                group("square black", "none", count=1),
                group("triangles 1", "triangles 2", "none", count=1),
                group("dot", count=2, where="lines"),
            ),
        )
    ),
    placements(
        PlacementParams(
            width=3,
            height=2,
            groups=(
                group("square white", "star white", count=2, mask="##./.#."),
                group("polyomino ##/#. free", "polyomino # negative", locations=(0, 2)),
                group("dot", "gap", count=1, where="edges", locations=(0, 5, 16)),
                group("dot", count=1, where="vertices"),
            ),
        )
    ),
    blanks(
        BlanksParams(
            "+---+---E\n| ? | a |\n+-*-+---+\n| ? | ? |\nS---+---+\na: triangles 2",
            ("none", "square red", "square blue", "polyomino #/#"),
        )
    ),
)  # fmt: skip


@pytest.mark.parametrize("generator", SPACES)
def test_ranks_states_and_arrays_are_the_same_panels(generator: Placements) -> None:
    r = random.Random(1)
    ranks = sorted(r.sample(range(generator.max_rank), min(80, generator.max_rank)))
    packed = generator.states_at(np.array(ranks))
    for rank, row in zip(ranks, packed, strict=True):
        panel = generator.unrank(rank)
        assert generator.setting.unpack(row) == panel
        assert generator.unrank(generator.rank(panel)) == panel
        assert generator.parse(generator.format(panel)) == panel
    start = max(0, generator.max_rank // 2 - 20)
    count = min(40, generator.max_rank - start)
    block = generator.states_block(start, count)
    assert np.array_equal(block, generator.states_at(np.arange(start, start + count)))
    assert generator.states_block(start, 0).shape == (0, block.shape[1])


@pytest.mark.sweep(2)
@pytest.mark.parametrize("generator", SPACES)
def test_plain_and_array_forms_of_the_evaluators_agree(generator: Placements) -> None:
    r = random.Random(2)
    ranks = sorted(r.sample(range(generator.max_rank), min(60, generator.max_rank)))
    states = generator.states_at(np.array(ranks))
    for evaluator in (
        Solutions(COUNT, generator.setting),
        Solutions(CAN_BE_NONE, generator.setting),
        Unique(NoParams(), generator.setting),
        ShortestSolution(NoParams(), generator.setting),
        LongestSolution(NoParams(), generator.setting),
    ):
        found = evaluator.evaluate_states(states)
        status = np.zeros(len(ranks), np.uint8) if found.status is None else found.status
        values = np.asarray(found.values[0])
        for i, rank in enumerate(ranks):
            expected = evaluator.evaluate(generator.unrank(rank))
            assert status[i] == (NONE if expected is None else VALUE)
            assert expected is None or values[i] == expected[0]


def test_distinct_ranks_are_distinct_panels_where_no_group_shares_symbols() -> None:
    for generator in (SPACES[0], SPACES[1], SPACES[4]):
        panels = [generator.unrank(rank) for rank in range(generator.max_rank)]
        assert len(set(panels)) == generator.max_rank
        assert [generator.rank(panel) for panel in panels[:100]] == list(range(min(100, len(panels))))


def test_ranks_follow_combinations_and_then_pieces() -> None:
    generator = pieces(PiecesParams(3, 3, 3))
    library = generator.setting.alphabet
    assert generator.unrank(0).symbols == tuple((cell, library[0]) for cell in range(3))
    assert generator.unrank(1).symbols[2] == (2, library[1])
    assert [cell for cell, _ in generator.unrank(24**3).symbols] == [0, 1, 3]


def test_panels_of_other_spaces_have_no_rank() -> None:
    generator = SPACES[1]
    for panel in (Panel(width=2, height=2), Panel(width=2, height=2, dots=[3]), Panel(width=3, height=2)):
        with pytest.raises(RankError):
            generator.rank(panel)
    with pytest.raises(RankError):
        generator.unrank(generator.max_rank)


class Mixed:
    """Panels of different sizes, starts and ends, without a setting."""

    panels = (
        Panel(width=1, height=2),
        Panel(width=2, height=2, symbols={0: Square("black"), 1: Star("red")}),
        Panel(width=3, height=1, starts=[0, 1], ends=[6], gaps=[0]),
        Panel(width=2, height=3, dots=[7]),
    )
    max_rank = len(panels)

    def unrank(self, rank: int) -> Panel:
        return self.panels[rank]


def test_panels_that_have_nothing_in_common_are_solved_one_by_one() -> None:
    generator = Mixed()
    for make, params in (
        (make_solutions, COUNT),
        (make_solutions, CAN_BE_NONE),
        (make_unique, NoParams()),
        (make_shortest_solution, NoParams()),
        (make_longest_solution, NoParams()),
    ):
        alone = make(params, generator)
        for panel in generator.panels:
            plain = make.args[0](params, panel_alone(panel)).evaluate(panel)
            assert alone.evaluate(panel) == plain
    assert make_solutions(CAN_BE_NONE, generator).evaluate(generator.panels[1]) is None
    assert make_solutions(COUNT, generator).evaluate(Panel(width=7, height=1)) == (128,)
    with pytest.raises(PanelError, match="a str is not a panel"):
        make_solutions(COUNT, generator).evaluate("no panel")


def test_sets_of_sub_panels_are_refused_before_anything_is_computed() -> None:
    generator = JointPanels(JointPanelsParams())
    for make in (make_solutions, make_unique, make_shortest_solution, make_longest_solution):
        with pytest.raises(QueryError, match="measures panels, and the generator JointPanels makes none"):
            make(NoParams(), generator)


def test_a_space_of_panels_keeps_its_compiled_solver() -> None:
    generator = must_cross(MustCrossParams(2, 2, 1))
    assert isinstance(make_solutions(COUNT, generator), Solutions)
    assert isinstance(make_solutions(COUNT, Mixed()), OneByOne)


# --- large panels ------------------------------------------------------------------------------------------


def test_dots_on_large_panels_are_counted_over_the_frontier() -> None:
    generator = must_cross(MustCrossParams(6, 5, 1))
    states = generator.states_at(np.array([0, 20]))
    counts = np.asarray(Solutions(COUNT, generator.setting).evaluate_states(states).values[0])
    assert 0 < counts[0] < 20_562_673


def test_symbols_on_large_panels_come_to_a_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    generator = pieces(PiecesParams(6, 5, 1))
    with pytest.raises(TooManyPathsError):
        Solver(generator.setting)
    monkeypatch.setattr(solution_evaluators, "search_panel", partial(search_panel, limit=1000))
    for kind in (Solutions, ShortestSolution, LongestSolution):
        params: Any = COUNT if kind is Solutions else NoParams()
        found = kind(params, generator.setting).evaluate_states(generator.states_block(0, 2))
        assert found.status is not None
        assert found.status.tolist() == [LIMIT, LIMIT]
    with pytest.raises(LimitReachedError):
        make_solutions(COUNT, None).evaluate(generator.unrank(0))


# --- params that cannot be ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("groups", "message"),
    [
        ((), "at least one group"),
        ((group(),), r"groups 1.symbols: name at least one symbol"),
        ((group("square blak"),), "Did you mean 'black'"),
        ((group("eraser black white"),), "at most a colour follows"),
        ((group("dot"),), "cannot be placed in cells"),
        ((group("square black", where="lines"),), "cannot be placed in edges and vertices"),
        ((group("gap", where="lines"),), "gaps are placed on edges"),
        ((group("star red", "star red"),), "named twice"),
        ((group("star red", count=5),), "5 symbols do not fit on 4 allowed cells"),
        ((group("star red", mask="#./##/##"),), "is not a mask of 2 by 2"),
        ((group("dot", mask="#./##", where="lines"),), "needs where = 'cells'"),
        ((group("star red", locations=(4,)),), "4 is not one of the allowed cells"),
        ((group("star red", mask="#./##"), group("star blue", mask="##/##")), "not all: give them"),
        ((group("star red"), group("star blue", "star red")), "both place 'star red' on the same sites"),
    ],
)
def test_impossible_groups_are_refused(groups: tuple[GroupParams, ...], message: str) -> None:
    with pytest.raises(ParamsError, match=message):
        placements(PlacementParams(width=2, height=2, groups=groups))


def test_groups_of_the_same_sites_take_turns() -> None:
    three = group("star red", count=3), group("star blue", count=1)
    assert placements(PlacementParams(width=2, height=2, groups=three)).max_rank == 4
    full = group("star red", count=4), group("star blue", count=1)
    assert placements(PlacementParams(width=2, height=2, groups=full)).max_rank == 0


def test_other_impossible_params_are_refused() -> None:
    with pytest.raises(ParamsError, match="22 dots do not fit"):
        MustCrossParams(2, 2, 22)
    with pytest.raises(ParamsError, match="5 pieces do not fit"):
        PiecesParams(2, 2, 5)
    with pytest.raises(EpcgError, match="nothing to fill"):
        blanks(BlanksParams("+---E\n|   |\nS---+", ("star red",)))
    with pytest.raises(EpcgError, match="unknown value 'tetris'"):
        structure(PiecesParams, {"library": "tetris"}, "generator")


# --- queries -----------------------------------------------------------------------------------------------


def test_placements_can_be_described_in_toml() -> None:
    table = tomllib.loads(
        """
        panel = '''
        +---+---E
        |   |   |
        S---+---+
        '''
        [[groups]]
        symbols = ["square black", "square white"]
        count = 2
        """
    )
    generator = placements(structure(PlacementParams, table, "generator"))
    assert generator.max_rank == 4
    counts = solution_counts(generator).tolist()
    assert counts == [sum(1 for _ in solutions(generator.unrank(rank))) for rank in range(4)]


def test_must_cross_query_keeps_the_panels_with_the_fewest_solutions(tmp_path: Path) -> None:
    query = load(QUERIES / "must_cross.toml", ["generator.count=2"])
    with Store.open(str(tmp_path / "epcg.db"), write=True) as store:
        outcome = execute(query, store, Options(executor="serial", quiet=True))
    assert (outcome.goal.evaluated, outcome.kept) == (780, 2)


def test_three_pieces_query_keeps_the_panels_with_the_most_solutions(tmp_path: Path) -> None:
    query = load(QUERIES / "three_pieces.toml", ["generator.width=2", "generator.height=2"])
    generator = pieces(PiecesParams(2, 2, 3))
    counts = solution_counts(generator)
    with Store.open(str(tmp_path / "epcg.db"), write=True) as store:
        outcome = execute(query, store, Options(executor="serial", quiet=True))
    assert outcome.goal.evaluated == generator.max_rank == 4 * 24**3
    assert outcome.kept == np.count_nonzero(counts == counts.max())


ENTROPY_OF_PLACEMENTS = """
name = "entropy-of-placements"
domain = "witness"
[generator]
name = "placements"
width = 2
height = 2
[[generator.groups]]
symbols = ["square black", "square white"]
count = 4
[[generator.groups]]
symbols = ["dot"]
where = "vertices"
[[evaluators]]
name = "entropy"
OPTIONS
[record]
rows = "all"
"""


@pytest.mark.sweep
@pytest.mark.parametrize("options", ["", "depth_limit = 50"], ids=["compiled", "plain"])
def test_placements_can_be_ranked_by_entropy(tmp_path: Path, options: str) -> None:
    query = parse_query(ENTROPY_OF_PLACEMENTS.replace("OPTIONS", options))
    generator = placements(structure(PlacementParams, query.generator.params, "generator"))
    evaluator = make_entropy(PanelEntropyParams(), generator)
    assert isinstance(evaluator, Entropy)
    expected = [evaluator.evaluate(generator.unrank(rank)) for rank in range(generator.max_rank)]
    with Store.open(str(tmp_path / "epcg.db"), write=True) as store:
        run = execute(query, store, Options(executor="serial", quiet=True)).goal
        with store.reader() as reader:
            scores = reader.scores_at(run.id, range(generator.max_rank))
            status = [reader.status_at(run.id, rank) for rank in range(generator.max_rank)]
    assert run.evaluated == generator.max_rank == 144
    names = [metric.name for metric in evaluator.metrics]
    assert scores == [dict(zip(names, row, strict=True)) for row in expected if row is not None]
    assert status == [NONE if row is None or None in row else VALUE for row in expected]
    assert 0 < status.count(NONE) < 144


def test_the_numbers_of_locations_are_those_of_the_rules() -> None:
    for width, height in ((1, 1), (2, 5), (7, 7)):
        grid = grid_of(width, height)
        assert grid.locations == 3 * width * height + 2 * width + 2 * height + 1
        assert must_cross(MustCrossParams(width, height, 1)).max_rank == grid.locations


@pytest.mark.sweep
@pytest.mark.parametrize(
    ("drawing", "edges"),
    [
        ("+-S-+---E\n|   |   |\n+---+---+\nvariant: game\n", (0, 1, 4)),
        ("+---E---+\n|   |   |\n+-S-+---+\nshape: pillar\n", (1, 2, 4)),
        ("+-E-+-S-+\n|   |   |\n+-S-+-E-+\nsymmetry: rotational\nvariant: pairs twice\n", (4, 5, 6)),
    ],
)
def test_panels_that_depart_are_bases_and_hold_four_triangles_and_their_own_marks(
    drawing: str, edges: tuple[int, ...]
) -> None:
    groups = (
        GroupParams(("triangles 4", "triangles 2", "triangles 1", "eraser"), 1),
        GroupParams(("missing", "dot first", "dot second", "gap"), 1, "edges", locations=edges),
    )
    space = placements(PlacementParams(panel=drawing, groups=groups))
    ranks = np.arange(space.max_rank)
    found = make_solutions(SolutionsParams(), space).evaluate_states(space.states_at(ranks))
    panels = [space.unrank(rank) for rank in range(space.max_rank)]
    assert [*found.values[0]] == [sum(Doubled(panel).solutions().values()) for panel in panels]
    assert any(found.values[0])

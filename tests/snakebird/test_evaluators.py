"""Evaluators against plain searches, the inference rule, and the query of the incremental study."""

from __future__ import annotations

import random
from contextlib import closing
from math import inf, log2
from pathlib import Path
from sqlite3 import Connection, connect
from typing import Any

import pytest
from epcg_snakebird.evaluation.positions import Branching, StateSpace
from epcg_snakebird.formats.drawing import parse_level
from epcg_snakebird.generators.edits import tile_edits
from epcg_snakebird.inference.rules import changes_nothing_rule
from epcg_snakebird.params import BranchingParams, LevelEntropyParams, StateSpaceParams
from epcg_snakebird.rules.level import Level
from epcg_snakebird.rules.model import SnakebirdModel
from epcg_snakebird.rules.moves import Move, Position, start

import epcg_core.query.query
from epcg_core.difficulty.evaluator import Entropy
from epcg_core.difficulty.rules import Answer
from epcg_core.domain import Edit, LimitReachedError, NoParams
from epcg_core.plugins.registry import registry
from epcg_core.runs.coordinator import Options, execute, plan
from epcg_core.store import Store
from tests.snakebird.random_levels import random_level
from tests.snakebird.real_levels import LEVELS, real_level
from tests.workplace import facts

QUERY = Path(__file__).parents[2] / "plugins/snakebird/queries/single_edits.toml"
GROW = "....E..\n.......\n.......\n.F.....\n..1<<..\n#.####.\n"
"""Only a snake of four cells reaches the exit."""


class Played:
    """A generator's model, for evaluators that need no more."""

    transition_model = SnakebirdModel()


class Graph:
    """All positions of a level, by plain search; solved ones are not played on."""

    def __init__(self, level: Level, limit: int = 3000) -> None:
        model = SnakebirdModel()
        self.positions: list[Position] = [model.initial(level)]
        self.children: list[list[int]] = []
        numbers = {model.key(self.positions[0]): 0}
        for position in self.positions:
            found = []
            for move in [] if position.solved else model.actions(position):
                after = model.apply(position, move)
                found.append(numbers.setdefault(model.key(after), len(self.positions)))
                if found[-1] == len(self.positions):
                    self.positions.append(after)
            self.children.append(found)
            if len(self.positions) > limit:
                raise LimitReachedError

    def least(self, weights: list[float]) -> list[float]:
        """For each position the least sum of weights on a way to a solved one, by Bellman and Ford."""
        value = [0.0 if position.solved else inf for position in self.positions]
        changed = True
        while changed:
            changed = False
            for i in reversed(range(len(value))):
                for child in self.children[i]:
                    through = weights[i] + value[child]
                    if through < value[i] - 1e-9:
                        value[i], changed = through, True
        return value

    def useful(self, i: int) -> list[int]:
        return [child for child in self.children[i] if child != i]


def state_space(level: Level, limit: int = 1_000_000) -> tuple[int, int, int]:
    return StateSpace(StateSpaceParams(limit), Played()).evaluate(level)


def branching(level: Level, limit: int = 1_000_000) -> tuple[float, int] | None:
    return Branching(BranchingParams(limit), Played()).evaluate(level)


def small_graphs(seed: int, count: int) -> list[tuple[Level, Graph]]:
    r = random.Random(seed)
    found = []
    while len(found) < count:
        level = random_level(r, most_objects=2, most_snakes=2)
        try:
            graph = Graph(level, 400)
        except LimitReachedError:
            continue
        if len(graph.positions) > 5:
            found.append((level, graph))
    return found


def test_positions_are_counted_as_by_plain_search() -> None:
    graphs = small_graphs(11, 30)
    graphs.append((parse_level(GROW), Graph(parse_level(GROW))))
    lost = 0
    for level, graph in graphs:
        steps = graph.least([1.0] * len(graph.children))
        stuck = [i for i, p in enumerate(graph.positions) if not p.solved and not graph.useful(i)]
        expected = (len(graph.positions), steps.count(inf), len(stuck))
        assert state_space(level) == expected
        lost += 0 < expected[1] < expected[0]
    assert lost > 5


def test_branching_counts_the_moves_that_matter() -> None:
    """Along the solution 1L 1U 1R 1R 1R 1U 1U 1U 1U."""
    level = parse_level(GROW)
    position, counts = start(level), []
    model = SnakebirdModel()
    for text in ("1L", "1U", "1R", "1R", "1R", "1U", "1U", "1U", "1U"):
        key = model.key(position)
        counts.append(sum(model.key(model.apply(position, m)) != key for m in model.actions(position)))
        position = model.apply(position, Move.parse(text))
    assert position.solved
    assert branching(level) == (sum(counts) / 9, sum(count > 1 for count in counts))


def test_levels_without_a_solution_have_no_branching() -> None:
    level = parse_level(GROW.replace("F", "."))
    assert branching(level) is None
    reachable, dead_ends, _ = state_space(level)
    assert reachable == dead_ends > 1


def test_limits_are_outcomes() -> None:
    level = parse_level(GROW)
    reachable, _, _ = state_space(level)
    assert state_space(level, reachable)[0] == reachable
    with pytest.raises(LimitReachedError):
        state_space(level, reachable - 1)
    assert branching(level, 171) is not None
    with pytest.raises(LimitReachedError):
        branching(level, 170)


# --- inference and entropy -----------------------------------------------------------------------------


def test_the_rule_excludes_what_changes_nothing() -> None:
    rule = changes_nothing_rule(NoParams(), Played())
    position = start(parse_level("....\n.a..\n.1..\n.^..\n####\nE...\n"))
    answers = {str(move): rule(position, move) for move in Played.transition_model.actions(position)}
    assert answers == {"1U": Answer.CANNOT, "1R": Answer.UNKNOWN, "1L": Answer.UNKNOWN}


def entropy(level: Level, **params: Any) -> tuple[Any, ...]:
    info = registry().evaluator("snakebird", "entropy")
    evaluator = Entropy("snakebird", info.metrics, LevelEntropyParams(**params), Played())
    return tuple(evaluator.evaluate(level))


def test_entropy_is_the_least_sum_of_the_logarithms_of_choices() -> None:
    """On a state graph with cycles MUSE is a shortest path, and MSI of the uniform policy the same."""
    solvable = 0
    for level, graph in [*small_graphs(12, 25), (parse_level(GROW), Graph(parse_level(GROW)))]:
        expected = graph.least([log2(len(graph.useful(i)) or 1) for i in range(len(graph.children))])[0]
        muse, msi, states = entropy(level)
        if expected == inf:
            assert (muse, msi) == (None, None)
            continue
        solvable += 1
        assert muse == pytest.approx(expected)
        assert msi == pytest.approx(expected)
        assert states <= len(graph.positions)
        without_rule = entropy(level, rules=())
        assert without_rule[0] >= muse - 1e-9
    assert solvable > 3


def test_entropy_gives_up_at_its_limit() -> None:
    with pytest.raises(LimitReachedError):
        entropy(parse_level(GROW), limit=50)


# --- the study of single edits -------------------------------------------------------------------------


def run_single_edits(level: str, database: Path) -> Connection:
    """Run the shipped query; a connection to what it recorded."""
    query = epcg_core.query.query.load(QUERY, [f"generator.level={level}"])
    with Store.open(database, write=True) as store:
        execute(query, store, Options(executor="serial", quiet=True))
    return connect(database)


def outcomes(recorded: Connection, metric: str) -> dict[int, int]:
    """Rank -> value of a metric, of those variants that have one."""
    return dict(
        recorded.execute("SELECT rank, value FROM scores WHERE metric = ? AND value IS NOT NULL", (metric,))
    )


GOLDEN_QUERIES = [
    "snakebird_1",
    "snakebird_2",
    pytest.param("snakebird_24", marks=pytest.mark.slow),
]


@pytest.mark.sweep
@pytest.mark.parametrize("name", GOLDEN_QUERIES)
def test_the_query_finds_the_longest_and_shortest_variants(name: str, tmp_path: Path) -> None:
    """All variants are recorded, and all ties of both ends are kept."""
    golden = facts("snakebird")["single_tile_edits"][name]
    edits = tile_edits(real_level(name))
    with closing(run_single_edits(str(LEVELS / f"{name}.map"), tmp_path / "edits.db")) as recorded:
        moves, gains = outcomes(recorded, "moves"), outcomes(recorded, "gain")
        assert len(outcomes(recorded, "expansions")) == len(edits) == golden["variants"]
        assert gains == {rank: length - golden["moves"] for rank, length in moves.items()}
        assert sum(gain > 0 for gain in gains.values()) == golden["longer"]
        assert sum(gain < 0 for gain in gains.values()) == golden["shorter"]
        kept = {rank for (rank,) in recorded.execute("SELECT rank FROM kept")}
    for end, best in (("longest", max), ("shortest", min)):
        assert best(moves.values()) == golden[end]
        found = [
            [*place_and_tile(edits[rank]), length] for rank, length in moves.items() if length == golden[end]
        ]
        assert sorted(found) == sorted(golden[f"{end}_edits"])
        assert {rank for rank, length in moves.items() if length == golden[end]} <= kept


def place_and_tile(edit: Edit) -> tuple[int, int, str]:
    """As in the golden file."""
    return edit.change["x"], edit.change["y"], {"sky": ".", "ground": "G", "spikes": "S"}[edit.change["to"]]


def test_the_query_has_a_level_of_its_own() -> None:
    query = epcg_core.query.query.load(QUERY)
    _, spec = plan(query)
    assert spec.max_rank > 0
    assert [metric.name for metric in spec.metrics] == ["moves", "gain", "expansions", "evidence"]


def test_everything_is_registered() -> None:
    found = registry()
    for name in ("levels", "edits"):
        assert found.generator("snakebird", name)
    for name in ("shortest_solution", "edit_effect", "state_space", "branching", "entropy"):
        assert found.evaluator("snakebird", name)
    assert found.inference_rule("snakebird", "changes-nothing", "rules")
    for picture in ("svg", "text"):
        assert found.renderer("snakebird", picture) is not None

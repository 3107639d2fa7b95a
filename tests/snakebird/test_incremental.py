"""Every single-tile change of published levels: incrementally, by brute force, and the golden numbers."""

from __future__ import annotations

import random
from typing import Any

import pytest
from _pytest.mark import ParameterSet
from epcg_snakebird.rules.level import GROUND, SKY, SPIKES, Level
from epcg_snakebird.rules.model import SnakebirdModel
from epcg_snakebird.rules.variants import GAME, PAPER, Rules

from epcg_core.search.shortest_path.incremental import UNTOUCHED, VariantAnswer, VariantSearch
from epcg_core.search.shortest_path.positions import PositionTable
from epcg_core.search.shortest_path.solver import packed_model, shortest_path
from tests.snakebird.random_levels import tail_level
from tests.snakebird.real_levels import real_level
from tests.workplace import facts

TILES = {SKY: ".", GROUND: "G", SPIKES: "S"}
FAST_BELOW, BRUTE_BELOW = 100, 20_000
"""Expansions of the original: levels of the fast tests; levels compared with brute force."""

Edit = tuple[int, int]
"""(cell, new tile)"""


def golden_names(below: int) -> list[ParameterSet]:
    """The levels with golden edits whose search takes fewer expansions; slow ones are marked."""
    golden = facts("snakebird")
    sizes = {name: golden["levels"][name]["expansions"] for name in golden["single_tile_edits"]}
    return [
        pytest.param(name, marks=[pytest.mark.slow] if size >= FAST_BELOW else [])
        for name, size in sorted(sizes.items())
        if size < below
    ]


def edits_of(level: Level) -> list[Edit]:
    return [(cell, tile) for cell in level.plain_cells for tile in TILES if tile != level.tiles[cell]]


def assert_as_published(level: Level, answers: dict[Edit, VariantAnswer], golden: dict[str, Any]) -> None:
    """Longest and shortest with all ties (if any differs from the original), and how many came out how."""
    lengths = {edit: a.length for edit, a in answers.items() if a.length is not None}
    own = golden["moves"]
    assert len(answers) == golden["variants"]
    assert sum(a.limit_reached for a in answers.values()) == golden["over_limit"]
    unsolvable = sum(a.length is None and not a.limit_reached for a in answers.values())
    assert unsolvable == golden["unsolvable"]
    assert sum(length > own for length in lengths.values()) == golden["longer"]
    assert sum(length < own for length in lengths.values()) == golden["shorter"]
    assert sum(length == own for length in lengths.values()) == golden["same"]
    for name, best in (("longest", max(lengths.values())), ("shortest", min(lengths.values()))):
        assert best == golden[name]
        ties = [[*level.place(cell), TILES[tile], best] for (cell, tile), n in lengths.items() if n == best]
        assert sorted(golden[f"{name}_edits"]) == (sorted(ties) if best != own else [])


LONGEST = ("snakebird_9", "snakebird_28")
"""The levels whose edits take half of the time of all."""


@pytest.mark.sweep
@pytest.mark.parametrize("name", golden_names(BRUTE_BELOW))
def test_incremental_answers_are_those_of_brute_force_and_the_published_ones(name: str) -> None:
    level, model = real_level(name), SnakebirdModel()
    search = VariantSearch(model, level)
    packed = packed_model(model, level)
    assert packed is not None
    table = PositionTable(packed.words)
    answers = {}
    brute_force = 0
    for cell, tile in edits_of(level):
        variant = level.with_tile(cell, tile)
        answer = answers[cell, tile] = search.answer(variant)
        found = shortest_path(model, variant, table=table)
        brute_force += found.expansions
        assert (answer.length, answer.expansions, answer.limit_reached) == (
            found.length, found.expansions, found.limit_reached
        )  # fmt: skip
    assert_as_published(level, answers, facts("snakebird")["single_tile_edits"][name])
    assert any(answer.evidence == UNTOUCHED for answer in answers.values())
    assert 5 * search.expanded < brute_force


@pytest.mark.parametrize("rules", [PAPER, GAME])
@pytest.mark.parametrize("levels", [12, pytest.param(80, marks=pytest.mark.slow)])
def test_incremental_answers_are_those_of_brute_force_if_snakes_push_into_their_tails(
    rules: Rules, levels: int
) -> None:
    r = random.Random(17)
    for _ in range(levels):
        level, model = tail_level(r), SnakebirdModel(rules)
        search = VariantSearch(model, level, 2_000)
        for cell, tile in r.choices(edits_of(level), k=12):
            variant = level.with_tile(cell, tile)
            answer, found = search.answer(variant), shortest_path(model, variant, 2_000)
            assert (answer.length, answer.expansions, answer.limit_reached) == (
                found.length, found.expansions, found.limit_reached
            )  # fmt: skip


@pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=pytest.mark.nightly if name in LONGEST else pytest.mark.slow)
        for name in golden_names(10_000_000)
    ],
)
def test_incremental_answers_are_the_published_ones(name: str) -> None:
    level = real_level(name)
    search = VariantSearch(SnakebirdModel(), level)
    answers = {(cell, tile): search.answer(level.with_tile(cell, tile)) for cell, tile in edits_of(level)}
    assert_as_published(level, answers, facts("snakebird")["single_tile_edits"][name])

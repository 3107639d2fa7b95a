"""Play and searches are those of the reference engine, at every step."""

from __future__ import annotations

import sys

import pytest
from epcg_puzzlescript.rules.model import PuzzleScriptModel
from epcg_puzzlescript.rules.turn import EndlessError

from epcg_core.search.shortest_path.solver import shortest_path
from tests.puzzlescript.recorded import (
    ENGINES,
    SEARCHES,
    SIMULATIONS,
    first_difference,
    layers_of,
    level,
    searches,
    simulations,
)

LONG = {18, 19, 70, 100, 102, 108, 111, 122, 128, 148, 174, 180, 234}
"""Simulations that take the plain engine more than five seconds."""
BLOCKS = 8
"""So many tests play all simulations of an engine, so that processes share them evenly."""
QUICK = [number for number in range(0, SIMULATIONS, 28) if number not in LONG]


@pytest.mark.sweep(4)
@pytest.mark.parametrize("engine", list(ENGINES))
@pytest.mark.parametrize("number", QUICK)
def test_a_simulation_agrees_at_every_step(number: int, engine: str) -> None:
    record = simulations()[number]
    if engine == "plain" and len(record["source"]) > 20_000:
        pytest.skip("a long game, which the slow test plays")
    assert first_difference(record, ENGINES[engine]) == ""


@pytest.mark.slow
@pytest.mark.parametrize("block", range(BLOCKS))
@pytest.mark.parametrize("engine", list(ENGINES))
def test_all_simulations_agree_at_every_step(engine: str, block: int) -> None:
    assert len(simulations()) == SIMULATIONS
    records = simulations()[block::BLOCKS]
    found = {record["name"]: first_difference(record, ENGINES[engine]) for record in records}
    assert {name: difference for name, difference in found.items() if difference} == {}


def layers(number: int) -> tuple[list[int], int | None]:
    search = searches()[number]
    return layers_of(level(search), layers=len(search["layers"]), positions=sys.maxsize)


def check_search(number: int) -> None:
    search = searches()[number]
    if search["stopped"] == "again":
        with pytest.raises(EndlessError, match="come to rest"):
            layers(number)
        return
    found, length = layers(number)
    if search["stopped"] in ("states", "time"):  # the last layer was not finished
        whole = len(search["layers"]) - 1
        assert found[:whole] == search["layers"][:whole]
        assert length is None or length >= whole
    else:
        assert found == search["layers"]
        assert length == (len(search["solution"]) if search["solution"] else None)


@pytest.mark.sweep(4)
@pytest.mark.parametrize("number", range(3, SEARCHES, 36))
def test_a_search_has_the_layers_of_the_reference(number: int) -> None:
    check_search(number)


@pytest.mark.slow
@pytest.mark.parametrize("number", range(SEARCHES))
def test_all_searches_have_the_layers_of_the_reference(number: int) -> None:
    check_search(number)


def test_plain_searches_find_solutions_of_the_same_length() -> None:
    small = [n for n, s in enumerate(searches()) if s["stopped"] == "solved" and s["states"] <= 40]
    assert len(small) > 10
    for number in small[::4]:
        search = searches()[number]
        found = shortest_path(PuzzleScriptModel(), level(search), plain=True)
        assert found.length == len(search["solution"])


@pytest.mark.slow
def test_plain_searches_have_the_layers_of_the_reference() -> None:
    model = PuzzleScriptModel()
    for search in searches():
        if search["stopped"] is None and search["states"] * search["width"] * search["height"] < 40_000:
            found = shortest_path(model, level(search), plain=True)
            assert (found.length, found.expansions) == (None, search["states"]), search["name"]

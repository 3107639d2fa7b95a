"""Games with slips are played as the reference engine plays them, refused where it refuses them, and told."""

from __future__ import annotations

import json
import sys
from functools import cache
from typing import Any

import pytest
from epcg_puzzlescript.formats.text import level_of, read_game_text
from epcg_puzzlescript.language.game import parse_game
from epcg_puzzlescript.language.problems import GameError

from tests.puzzlescript.recorded import ENGINES, first_difference, layers_of
from tests.puzzlescript.test_slips_page import game
from tests.workplace import shared


@cache
def records(name: str) -> list[dict[str, Any]]:
    """The records of a file of cases; skips the test if they are not at hand."""
    found: list[dict[str, Any]] = json.loads(shared(f"cases/puzzlescript/{name}.json").read_text())
    return found


def test_there_are_cases_of_every_section() -> None:
    found = {record["section"] for record in records("slips")}
    assert len(found) == 10
    assert (len(records("slips")), len(records("slips_unplayable"))) == (442, 45)


SOME = [slice(None, None, 15), pytest.param(slice(None), marks=pytest.mark.slow)]
"""One in so many cases, and all of them."""


@pytest.mark.parametrize("some", SOME, ids=["some", "all"])
@pytest.mark.parametrize("engine", list(ENGINES))
def test_a_game_with_a_slip_is_played_as_the_reference_plays_it(engine: str, some: slice) -> None:
    found = {record["name"]: first_difference(record, ENGINES[engine]) for record in records("slips")[some]}
    assert {name: difference for name, difference in found.items() if difference} == {}


def test_the_faults_of_a_game_are_counted_as_the_reference_counts_them() -> None:
    """So a game is refused for having too many just where the reference refuses it."""
    found, expected = {}, {}
    for record in records("slips"):
        problems = parse_game(record["source"]).problems
        found[record["name"]] = [sum(p.errors for p in problems), sum(p.warnings for p in problems)]
        expected[record["name"]] = [record["errors"], record["warnings"]]
    assert found == expected


def test_a_fault_is_told_at_the_line_where_the_reference_tells_it() -> None:
    told = missed = 0
    for record in records("slips"):
        lines = {problem.line for problem in parse_game(record["source"]).problems}
        for line in {*record["error_lines"], *record["warning_lines"]} - {None, 0}:
            told += line in lines
            missed += line not in lines
    assert missed == 0
    assert told > 350


def test_games_that_the_reference_does_not_play_are_refused_with_sentences() -> None:
    for record in records("slips_unplayable"):
        with pytest.raises(GameError, match="cannot be played") as refused:
            parse_game(record["source"])
        assert "line " in str(refused.value), record["name"]


def check_search(record: dict[str, Any]) -> str:
    """Where a search of the first level differs from the reference's; nothing if it does not."""
    search, game = record["search"], parse_game(record["source"])
    if search is None or game.draws:
        return ""
    number = game.maps.index(game.levels[record["level"]])  # type: ignore[arg-type]
    layers, length = layers_of(level_of(game, number), layers=sys.maxsize, positions=search["limit"])
    known = len(search["layers"]) - (search["stopped"] == "states")
    if layers[:known] != search["layers"][:known]:
        return f"{layers} instead of {search['layers']}"
    if search["stopped"] in (None, "solved") and length != search["solution_length"]:
        return f"{length} inputs instead of {search['solution_length']}"
    return ""


@pytest.mark.parametrize("some", SOME, ids=["some", "all"])
def test_a_search_of_a_game_with_a_slip_finds_what_the_reference_finds(some: slice) -> None:
    found = {record["name"]: check_search(record) for record in records("slips")[some]}
    assert {name: difference for name, difference in found.items() if difference} == {}


def walks() -> list[dict[str, Any]]:
    """The walks of the other cases, as records."""
    cases: dict[str, Any] = json.loads(shared("cases/puzzlescript/cases.json").read_text())
    return [
        {"name": name, "source": case["source"], **walk}
        for name, case in cases.items() for walk in case["walks"]
    ]  # fmt: skip


@pytest.mark.parametrize("some", [slice(None, None, 6), SOME[1]], ids=["some", "all"])
@pytest.mark.parametrize("engine", list(ENGINES))
def test_games_about_one_point_of_the_rules_are_played_alike(engine: str, some: slice) -> None:
    found = {
        record["name"]: difference for record in walks()[some]
        if (difference := first_difference(record, ENGINES[engine]))
    }  # fmt: skip
    assert found == {}


def test_minimal_games_have_the_solutions_of_the_reference() -> None:
    for case in records("minimal"):
        game = parse_game(case["source"])
        number = game.maps.index(game.levels[case["level"]])  # type: ignore[arg-type]
        layers, length = layers_of(level_of(game, number), layers=sys.maxsize, positions=100_000)
        expected = case["reference"]
        assert length == (len(expected["solution"]) if expected["solution"] else None), case["name"]
        assert layers == expected["layers"], case["name"]


def test_a_text_is_read_alike_whether_its_game_was_read_before_or_not() -> None:
    """The game of the last texts is kept, and of further ones only the levels are read."""
    rule = "[ > Player | Crate zork ] -> [ > Player | > Crate ]"
    whole = parse_game(game("rules", f"{rule}\n{rule} \n"))
    for level in ("#P*.O#", "#P*?O#", "#P*??#\n######\n\n#?####", "message only", "#P*)O#"):
        text = game("rules", f"{rule}\n{rule} \n").replace("#P*.O#", level)
        found = []
        for read in (parse_game, read_game_text):
            read_game_text(whole.text)  # so that it is kept
            try:
                told = read(text)
                found.append((told.levels, told.problems, told.unread))
            except GameError as error:
                found.append(str(error))
        assert found[0] == found[1]

"""What commands say about levels: recorded solutions, levels without one, and levels over a limit."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from epcg_snakebird.rendering import renderers

from tests.workplace import epcg

HARD = "12_a_push_for_a_friend"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_the_recorded_solution_is_shown_though_a_renderer_would_give_up(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(renderers, "SOLUTION_EXPANSIONS", 3)
    puzzle = f"snakebird:levels?path={HARD}#0"
    assert "Unknown: no solution within 3 expansions." in epcg("render", puzzle, "--solution").stdout
    answer = epcg("run", "snakebird/levels", "--set", f"generator.path={HARD}", "--quiet").stdout
    assert "\n26 moves: 2L 2U" in answer
    assert "Unknown" not in answer
    for asked in ("1#0", puzzle):
        assert "\n26 moves: 2L 2U" in epcg("render", asked, "--solution").stdout
        picture = epcg("render", asked, "--solution", "--format", "svg").stdout
        assert picture.count('class="move"') == 26
    assert "moves" not in epcg("render", "1#0").stdout


def test_a_candidate_that_was_not_kept_is_solved_with_the_limits_of_its_run(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(renderers, "SOLUTION_EXPANSIONS", 3)
    epcg("run", "snakebird/single_edits", "--quiet")
    assert "18 moves: " in epcg("render", "1#0", "--solution").stdout


def test_moving_pictures_are_asked_for(folder: Path) -> None:
    puzzle = f"snakebird:levels?path={HARD}#0"
    assert "<animate" not in epcg("render", puzzle, "--format", "svg").stdout
    assert "<animate" in epcg("render", puzzle, "--animate").stdout
    assert "<animate" in epcg("render", "fling:boards?pieces=4#1", "--animate").stdout
    still = epcg("render", "fling:boards?pieces=3#0", "--animate")  # three balls in touch
    assert "<animate" not in still.stdout
    assert "no solution to play is found, so the picture does not move" in still.stderr
    said = epcg("render", "tangram:solved_boards#7", "--animate", code=1).stderr
    assert "The domain tangram draws no moving pictures: leave out --animate." in said


SHUT = "name: Shut\n>1#..#E\n#######\n"
FREE = "name: Free\n.......\n>1..#.E\n#######\n"


def test_levels_without_a_solution_are_told_from_those_over_a_limit(folder: Path) -> None:
    (folder / "levels").mkdir()
    (folder / "levels/a.txt").write_text(SHUT)
    (folder / "levels/b.txt").write_text(FREE)
    asked = ("run", "snakebird/levels", "--set", "generator.path=levels", "--set", "evaluators.0.limit=3")
    said = epcg(*asked, "--quiet").stdout
    lines = [line.split(maxsplit=1) for line in said.splitlines()]
    assert ["0", "no solution (proven), expansions 1"] in lines
    assert ["1", "unknown (limit), expansions 4"] in lines
    assert "\nRun 1, candidates without moves\n" in said
    assert "\nRun 1, candidates without moves\n" in epcg("show", 1).stdout
    [facts] = json.loads(epcg("show", 1, "--json").stdout)["missing"]
    assert (facts["none"], facts["limit"], facts["meaning"]) == (1, 1, "no solution (proven)")
    assert facts["first"][0] == {"rank": 0, "status": "none", "expansions": 1}


def test_many_candidates_without_a_value_are_counted(folder: Path) -> None:
    said = epcg("run", "snakebird/single_edits", "--quiet").stdout
    assert "\nRun 1, candidates without moves: 28 (no solution (proven) 28)\n" in said

"""What commands say about levels: recorded solutions, levels without one, and levels over a limit."""

from __future__ import annotations

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
    said = epcg("render", "fling:boards?pieces=3#7", "--animate", code=1).stderr
    assert "The domain fling draws no moving pictures: leave out --animate." in said

"""Real-time games are searched and played with their clock: a tick is an input."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest
from epcg_puzzlescript import params
from epcg_puzzlescript.commands.info import notes_of
from epcg_puzzlescript.evaluation.along import AlongSolution, NeededRules
from epcg_puzzlescript.evaluation.positions import Solutions, StateSpace
from epcg_puzzlescript.evaluation.starts import make_start_moves
from epcg_puzzlescript.formats.text import format_level
from epcg_puzzlescript.generators.levels import Levels
from epcg_puzzlescript.generators.starts import make_starts
from epcg_puzzlescript.rendering.editor import LevelEditor
from epcg_puzzlescript.rendering.how_to_play import how_to_play
from epcg_puzzlescript.rules.batches import BatchSearch, Levels as Rows
from epcg_puzzlescript.rules.model import PuzzleScriptModel
from epcg_puzzlescript.rules.solver_source import ELSEWHERE, EXHAUSTED, SOLVED

from epcg_core.search.shortest_path.solver import shortest_path
from tests.puzzlescript.rafts import CLOCK, game as drift, level
from tests.puzzlescript.random_games import playable, random_game, widened_game
from tests.puzzlescript.test_kernels import WAYS, compared_game, write_for_large_games
from tests.workplace import epcg

QUERY = """
name = "drift"
domain = "puzzlescript"
[generator]
name = "levels"
game = "drift.txt"
[[evaluators]]
name = "shortest_solution"
"""


def test_a_level_that_waiting_solves_is_solved(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("drift.toml").write_text(QUERY)
    Path("drift.txt").write_text(format_level(level(settings=f"{CLOCK}\nnoaction\nrequire_player_movement")))
    epcg("run", "drift.toml", "--executor", "serial")
    assert "no solution" not in epcg("show", "1").stdout
    assert "2 moves: tt" in epcg("render", "1#0", "--solution").stdout
    epcg("verify", "1")


@pytest.mark.parametrize(
    ("interval", "inputs"),
    [("0.5", 1), ("1e-1", 1), (".2", 1), ("0", 0), ("-1", 0), ("fast", 0), ("0.5s", 0), ("nan", 0)],
)
def test_a_clock_ticks_if_its_interval_is_a_number_above_zero(interval: str, inputs: int) -> None:
    found = drift(settings=f"realtime_interval {interval}\nnoaction")
    assert PuzzleScriptModel().inputs(found) == ("up", "left", "down", "right", *["tick"] * inputs)
    if not inputs:
        assert found.identity == drift(settings="noaction").identity


def test_a_tick_that_changes_nothing_is_not_a_move() -> None:
    model = PuzzleScriptModel()
    stuck = level("P.#\nR#O")
    assert list(model.actions(model.initial(stuck))) == ["right"]


def test_measures_count_ticks(tmp_path: Path) -> None:
    path = tmp_path / "drift.txt"
    path.write_text(format_level(level("#######\n#P.R.O#\n#######")))
    generator = Levels(params.LevelsParams(str(path)))
    found = generator.unrank(0)
    space = StateSpace(params.PositionsParams(), generator)
    assert space.evaluate(found) == space.plain().evaluate(found) == (6, 0, 0)
    solutions = Solutions(params.PositionsParams(), generator)
    assert solutions.evaluate(found) == solutions.plain().evaluate(found) == (25,)
    along = AlongSolution(params.SolutionParams(), generator)
    assert along.evaluate(found) == (2, 5, 2, 1)
    assert NeededRules(params.NeededRulesParams(), generator).evaluate(found) == (1, 1)


def test_all_starts_at_once_know_the_clock(tmp_path: Path) -> None:
    path = tmp_path / "drift.txt"
    path.write_text(format_level(level("P..\nR.O\n...")))
    starts = make_starts(params.StartsParams(str(path), ("raft", "player")))
    at_once = make_start_moves(params.PositionsParams(), starts)
    assert at_once.in_blocks
    lengths = [at_once.evaluate(starts.unrank(rank)) for rank in range(starts.max_rank)]
    assert lengths == [at_once.plain().evaluate(starts.unrank(rank)) for rank in range(starts.max_rank)]
    assert 0 < sum(length is not None for (length,) in lengths) < len(lengths)


@pytest.mark.parametrize(
    ("settings", "first"),
    [
        (CLOCK, 0),
        pytest.param(f"{CLOCK}\nnoaction", 1, marks=pytest.mark.slow),
        pytest.param("", 1, marks=pytest.mark.slow),
    ],
)
def test_arrays_of_levels_are_searched_with_the_clock(settings: str, first: int) -> None:
    boards = ["#P#R.O#", "P.R.O.#", "R.P.O.#", "R#..O#P", "P.O.R.#"]
    for found in [level(board, settings) for board in boards[first:]]:
        rows = Rows(found.game, found.width, found.height)
        ((outcome, moves, _),) = BatchSearch(rows).search(rows.row(found).reshape(1, -1), 1000, wait=True)
        length = shortest_path(PuzzleScriptModel(), found, plain=True).length
        assert (outcome, moves) == ((EXHAUSTED, 0) if length is None else (SOLVED, length))
        assert outcome != ELSEWHERE


def test_play_has_a_key_for_the_tick() -> None:
    for settings, site in ((f"{CLOCK}\nnoaction", ("x1y1",)), (CLOCK, ())):
        editor = LevelEditor(format_level(level(settings=settings)))
        position = editor.transition_model.initial(editor.content)
        gesture = editor.gesture(editor.content, position, "tick")
        assert (gesture.keys, len(gesture.sites)) == (("t",), len(site))
        assert "key T" in gesture.text


def test_players_and_designers_are_told_of_the_clock() -> None:
    assert any("key T" in told.text for told in how_to_play([level()]))
    assert not any("clock" in told.text for told in how_to_play([level(settings="")]))
    assert any("tick" in note for note in notes_of(drift()))


def with_clock(random: Random, chance: bool = False, rules: int = 4) -> str:
    """A random game with a clock."""
    make = random_game if random.random() < 0.7 else widened_game
    noaction = "noaction\n" if random.random() < 0.5 else ""
    return f"realtime_interval 0.3\n{noaction}{make(random, chance, rules)}"


SEEDS = [range(1), *(pytest.param(each, marks=pytest.mark.slow) for each in (range(5), range(100, 130)))]


@pytest.mark.parametrize("seeds", SEEDS, ids=str)
def test_all_engines_play_random_games_with_clocks_alike(seeds: range) -> None:
    positions = done = 0
    for seed in seeds:
        found = compared_game(playable(with_clock, Random(seed), rules=3), 10, plain=True)
        positions, done = positions + found[0], done + found[1]
    assert positions > 5 * len(seeds)
    assert done > positions // 2


@pytest.mark.slow
@pytest.mark.parametrize("way", WAYS)
def test_kernels_of_large_games_play_random_games_with_clocks(
    way: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_for_large_games(monkeypatch, way)
    for seed in range(200, 220):
        compared_game(playable(with_clock, Random(seed)), 10, plain=True)


@pytest.mark.parametrize("settings", [CLOCK, f"{CLOCK}\nnoaction"])
def test_a_kernel_for_large_games_plays_ticks(settings: str, monkeypatch: pytest.MonkeyPatch) -> None:
    write_for_large_games(monkeypatch, "shared")
    positions, done = compared_game(drift("P.R.O.", settings), 20, plain=True)
    assert positions == done > 2

"""A restart is an input where it leads from a checkpoint to a board that was not seen."""

from __future__ import annotations

import pytest
from epcg_puzzlescript import params
from epcg_puzzlescript.commands.info import engine_of, notes_of
from epcg_puzzlescript.evaluation.along import AlongSolution, NeededRules
from epcg_puzzlescript.evaluation.positions import Solutions, StateSpace
from epcg_puzzlescript.formats.text import format_level
from epcg_puzzlescript.generators.levels import Levels
from epcg_puzzlescript.rendering.editor import LevelEditor
from epcg_puzzlescript.rules.model import PuzzleScriptModel

from epcg_core.search.shortest_path.solver import shortest_path
from tests.puzzlescript.rafts import FLAG, PUSH, REST, START, level

AGAIN = level("P.M#R.O", f"{START}\nrequire_player_movement\nnoaction", f"{REST}\n{FLAG}")


def test_a_level_that_a_restart_solves_is_solved() -> None:
    model = PuzzleScriptModel()
    found = shortest_path(model, AGAIN)
    assert found == shortest_path(model, AGAIN, plain=True)
    assert model.solution_text(AGAIN, found.actions) == "rrcl"


@pytest.mark.parametrize(
    ("settings", "rules"),
    [
        (START, f"{PUSH}\n{FLAG}"),  # the rules of the start leave the checkpoint's board as it is
        ("", f"{REST}\n{FLAG}"),  # no rules run there
        (f"{START}\nnorestart", f"{REST}\n{FLAG}"),
        (START, REST),  # no checkpoint
    ],
)
def test_a_restart_that_leads_to_a_known_board_is_no_input(settings: str, rules: str) -> None:
    model = PuzzleScriptModel()
    waiting = [model.initial(level("P.M#R.O", f"{settings}\nnoaction", rules))]
    seen = set(waiting)
    while waiting:
        position = waiting.pop()
        assert "restart" not in list(model.actions(position))
        after = {model.apply(position, given) for given in model.actions(position)} - seen
        seen |= after
        waiting += after
    assert len(seen) > 2
    assert {position.checkpoint for position in seen} == {None}


def test_measures_know_the_checkpoint(tmp_path) -> None:  # type: ignore[no-untyped-def]
    path = tmp_path / "rafts.txt"
    path.write_text(format_level(AGAIN))
    generator = Levels(params.LevelsParams(str(path)))
    found = generator.unrank(0)
    space = StateSpace(params.PositionsParams(), generator)
    assert space.evaluate(found) == space.plain().evaluate(found) == (7, 0, 0)
    solutions = Solutions(params.PositionsParams(), generator)
    assert solutions.evaluate(found) == solutions.plain().evaluate(found) == (1,)
    assert AlongSolution(params.SolutionParams(), generator).evaluate(found) is not None
    assert NeededRules(params.NeededRulesParams(), generator).evaluate(found) == (2, 2)


def test_play_and_info_tell_of_the_restart() -> None:
    editor = LevelEditor(format_level(AGAIN))
    model = editor.transition_model
    position = model.initial(editor.content)
    for given in ("right", "right"):
        position = model.apply(position, given)
    assert editor.gesture(editor.content, position, "restart").keys == ("c",)
    assert any("checkpoint" in note for note in notes_of(AGAIN.game))
    assert engine_of(AGAIN.game)[0] == "bit planes"

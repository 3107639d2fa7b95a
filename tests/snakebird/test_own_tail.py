"""Pushing into the cell of the own tail: which rules each command, page and picture follows."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import Result
from epcg_publishing.play_graph import play_graph
from epcg_snakebird.commands import heatmap, play, study
from epcg_snakebird.formats.drawing import parse_level
from epcg_snakebird.params import EditsParams, LevelsParams
from epcg_snakebird.play.game import Game
from epcg_snakebird.rendering.editor import LevelEditor
from epcg_snakebird.rules.moves import Move, Position, start, successors
from epcg_snakebird.rules.variants import GAME, PAPER, Rules

from epcg_core.base.params import plain, structure
from epcg_core.curriculum.plan import load
from epcg_core.editing.editing import open_document
from epcg_core.search.shortest_path.solver import shortest_path
from tests.snakebird.test_rules import OWN_TAIL, assert_looks
from tests.workplace import epcg, invoke

MOVES = 6
"""The moves of OWN_TAIL by the rules of the game; by the paper's there is none."""


@pytest.fixture
def level(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.delenv("EPCG_DB", raising=False)
    monkeypatch.chdir(tmp_path)
    path = Path("level.txt")
    path.write_text(OWN_TAIL, "utf-8")
    return path


def measured(*arguments: object) -> dict[str, Any]:
    """The answer of `epcg score`: status or value of each measure."""
    found = json.loads(epcg("score", *arguments, "--json").stdout)
    return {each["measure"]: each.get("value") for each in found["measures"]} | {"puzzle": found["puzzle"]}


# --- what is opened follows the game -----------------------------------------------------------------------


def test_the_editor_plays_and_solves_as_in_the_game() -> None:
    editor = LevelEditor(OWN_TAIL)
    model = editor.transition_model
    found = shortest_path(model, editor.content)
    assert found.length == shortest_path(model, editor.content, plain=True).length == MOVES
    position = model.initial(editor.content)
    assert Move(0, "R") in list(model.actions(position))
    assert editor.gesture(editor.content, position, Move(0, "R")).keys == ("ArrowRight",)


def test_a_file_that_is_measured_or_drawn_is_played_as_in_the_game(level: Path) -> None:
    found = measured(level)
    assert found["moves"] == MOVES
    assert "own_tail=leaves" in found["puzzle"]
    said = epcg("render", found["puzzle"], "--solution").stdout
    assert "6 moves: 1R" in said
    assert epcg("render", found["puzzle"], "--solution", "--format", "svg").stdout.count('class="move"') == 6
    assert "<animate" in epcg("render", found["puzzle"], "--animate").stdout


def test_the_game_in_the_terminal_is_that_of_the_game() -> None:
    game = Game(parse_level(OWN_TAIL))
    game.hint()
    assert game.message == "Hint: snake 1 right, 6 to go."
    game.move("R")
    assert_looks(game.position, "..........\n..v<<..E..\n.#>1a.....\n.######.##\n..........\n")
    paper = Game(parse_level(OWN_TAIL), PAPER)
    paper.move("R")
    assert paper.message == "Snake 1 cannot go right."
    paper.hint()
    assert paper.message == "There is no way out from here: undo (u) or restart (r)."


def run_command(module: Any, *arguments: object) -> Result:
    result = invoke(module.command(), *arguments)
    assert result.exit_code == 0, result.output
    return result


def test_a_heat_map_is_made_by_the_rules_that_are_asked_for(level: Path) -> None:
    asked = (level, "--db", "heat.db", "--workers", 1, "--json")
    game = json.loads(run_command(heatmap, *asked).stdout)
    paper = json.loads(run_command(heatmap, *asked, "--own-tail", "stays").stdout)
    assert (game["moves"], game["proven_unsolvable"]) == (MOVES, False)
    assert (paper["moves"], paper["proven_unsolvable"]) == (None, True)
    assert game["run"] != paper["run"]
    for data, rules in ((game, GAME), (paper, PAPER)):
        assert min(c["moves"] for c in data["changes"] if c["moves"] is not None) == shortest_change(rules)


def shortest_change(rules: Rules) -> int:
    """The fewest moves of a variant with one other tile, by plain searches."""
    from epcg_snakebird.generators.edits import edited, tile_edits
    from epcg_snakebird.rules.model import SnakebirdModel

    original, model = parse_level(OWN_TAIL), SnakebirdModel(rules)
    lengths = (shortest_path(model, edited(original, [e]), plain=True).length for e in tile_edits(original))
    return min(length for length in lengths if length is not None)


def test_commands_say_their_default() -> None:
    for module, default in ((play, "leaves"), (heatmap, "leaves"), (study, "stays")):
        [option] = [each for each in module.command().params if each.name == "own_tail"]
        assert option.default == default


def test_a_play_page_has_the_moves_of_the_game() -> None:
    document = open_document("snakebird", OWN_TAIL)
    graph = play_graph(document)
    assert graph.complete
    assert graph.distances[0] == MOVES
    assert len(graph.states) == len(reached(GAME)) > len(reached(PAPER))


def reached(rules: Rules) -> set[Position]:
    """The positions of OWN_TAIL within reach, by the plain rules."""
    found, waiting = set(), [start(parse_level(OWN_TAIL))]
    while waiting:
        position = waiting.pop()
        if position not in found:
            found.add(position)
            waiting += [] if position.solved else [after for _, after in successors(position, rules)]
    return found


def test_measures_of_a_level_follow_the_rules_of_its_space(level: Path) -> None:
    found = measured(level)
    assert found["reachable_states"] == len(reached(GAME))
    assert found["muse"] is not None
    paper = measured(found["puzzle"].replace("own_tail=leaves&", ""))
    assert paper["reachable_states"] == len(reached(PAPER))
    assert paper["muse"] is None


def test_the_shipped_curriculum_is_played_by_the_rules_by_which_it_is_measured() -> None:
    """Play pages follow the game."""
    plan = load(Path(__file__).parents[2] / "plugins/snakebird/plans/harder_edits.toml")
    queries = [part.query for chapter in plan.chapters for part in chapter.parts]
    assert {query.generator.params["own_tail"] for query in queries if query is not None} == {"leaves"}


# --- runs follow the paper, unless they are told -----------------------------------------------------------


@pytest.mark.parametrize(("params", "key"), [(LevelsParams, "path"), (EditsParams, "level")])
def test_runs_follow_the_paper_and_have_the_names_that_they_had(params: Any, key: str, level: Path) -> None:
    own = structure(params, {key: str(level)}, "generator")
    assert own.rules == PAPER
    assert "own_tail" not in plain(own)
    assert plain(structure(params, {key: str(level), "own_tail": "stays"}, "generator")) == plain(own)
    other = structure(params, {key: str(level), "own_tail": "leaves"}, "generator")
    assert other.rules == GAME
    assert plain(other) == {**plain(own), "own_tail": "leaves"}


def test_a_run_solves_by_the_rules_of_its_param(level: Path) -> None:
    asked = ("run", "snakebird/levels", "--set", f"generator.path={level}", "--quiet")
    assert "no solution (proven)" in epcg(*asked).stdout
    assert "\n6 moves: 1R" in epcg(*asked, "--set", "generator.own_tail=leaves").stdout
    again = epcg(*asked, "--set", "generator.own_tail=stays").stdout
    assert "Run 1" in again
    assert (
        "unknown value 'goes'. Known: leaves, stays."
        in epcg(*asked, "--set", "generator.own_tail=goes", code=1).stderr
    )


def test_a_picture_plays_objects_that_fall_out() -> None:
    """Pictures follow the rules of their level's space; those of the paper refuse these moves."""
    from types import SimpleNamespace

    from epcg_snakebird.rendering.renderers import svg_renderer, text_renderer
    from epcg_snakebird.rules.model import SnakebirdModel

    falls = parse_level("name: Falls\n>1a...\n##....\n......\n##....\n...E..\n")
    space = SimpleNamespace(transition_model=SnakebirdModel(Rules(objects_may_fall_out=True)))
    found = shortest_path(space.transition_model, falls)
    assert found.length is not None
    assert any(gone(position) for position in positions(space.transition_model, falls, found.actions))
    moves = [str(move) for move in found.actions]
    for asked in (True, moves):
        assert f"{found.length} moves: {' '.join(moves)}" in text_renderer(space)(falls, solution=asked)
        assert "<animate" in svg_renderer(space)(falls, solution=asked, animate=True)


def positions(model: Any, level: Any, moves: Any) -> list[Position]:
    found = [start(level)]
    for move in moves:
        found.append(model.apply(found[-1], move))
    return found


def gone(position: Position) -> bool:
    return any(not position.object_cells(index) for index in range(len(position.objects)))

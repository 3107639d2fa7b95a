"""The domain: generators, measures, texts, pictures, the editor and the command."""

from __future__ import annotations

import json
import re
from itertools import pairwise
from pathlib import Path
from typing import Any

import attrs
import pytest
from epcg_puzzlescript import params
from epcg_puzzlescript.evaluation.along import AlongSolution, NeededRules
from epcg_puzzlescript.evaluation.positions import Solutions, StateSpace
from epcg_puzzlescript.evaluation.starts import StartMoves
from epcg_puzzlescript.formats.files import shipped_game
from epcg_puzzlescript.formats.text import format_level, parse_level
from epcg_puzzlescript.generators.levels import Levels
from epcg_puzzlescript.generators.starts import Starts
from epcg_puzzlescript.language.problems import GameError
from epcg_puzzlescript.rendering.editor import LevelEditor, examples, new_level
from epcg_puzzlescript.rendering.renderers import svg_renderer, text_renderer
from epcg_puzzlescript.rules.turn import RandomError

from epcg_core.base.errors import EpcgError, ParamsError, RankError
from epcg_core.domain import LimitReachedError
from epcg_core.domain.editing import ERASE
from epcg_core.search.shortest_path.solver import shortest_path
from tests.workplace import epcg

SOLUTIONS = {
    "badger": [9, 10], "frost": [3, 7, 9], "herons": [7, 13, 13], "ivy": [9, 15, 16],
    "lanterns": [1, 20, 16, 33], "magnet": [4, 20, 45],
}  # fmt: skip


def levels(game: str) -> Levels:
    return Levels(params.LevelsParams(game))


@pytest.mark.parametrize("name", list(SOLUTIONS))
def test_our_own_levels_have_solutions_of_known_length(name: str) -> None:
    space = levels(name)
    found = [shortest_path(space.transition_model, space.unrank(rank)) for rank in range(space.max_rank)]
    assert [path.length for path in found] == SOLUTIONS[name]


def test_levels_of_a_folder_and_a_file_that_is_not_a_game(tmp_path: Path) -> None:
    for name in ("ivy", "frost"):
        (tmp_path / f"{name}.txt").write_text(shipped_game(name).read_text())  # type: ignore[union-attr]
    (tmp_path / "notes.txt").write_text("not a game")
    space = levels(str(tmp_path))
    assert space.max_rank == 3 + 3 + 1
    with pytest.raises(GameError, match=r"notes\.txt"):
        space.unrank(6)
    with pytest.raises(RankError):
        space.unrank(7)
    with pytest.raises(GameError, match="cannot be played"):
        levels(str(tmp_path / "notes.txt"))


def of_lanterns(levels: str) -> str:
    """The game Lanterns with other levels."""
    head, mark, _ = shipped_game("lanterns").read_text().partition("\nLEVELS\n")  # type: ignore[union-attr]
    return head + mark + levels


@pytest.mark.slow
def test_a_game_that_cannot_be_played_does_not_stop_the_larger_ones(tmp_path: Path) -> None:
    (tmp_path / "frost.txt").write_text(shipped_game("frost").read_text())  # type: ignore[union-attr]
    (tmp_path / "broken.txt").write_text(with_rule("[ > Keeper | Lantern ] -> [ ]"))
    (tmp_path / "ivy.txt").write_text(shipped_game("ivy").read_text())  # type: ignore[union-attr]
    database = str(tmp_path / "levels.db")
    told = epcg("run", "puzzlescript/levels", "--set", f"generator.game={tmp_path}", "--db", database).stdout
    assert "moves                     6" in told
    assert re.search(r"0  broken\.txt +broken\.txt: the game cannot be played: line", told)
    assert "Pattern 1 has 2 cells on the left and 1 on the right" in told
    assert re.search(r"ivy\.txt, level 3 +16 ", told)
    top = epcg("top", "1", "--metric", "moves", "--db", database).stdout
    assert re.search(r"^ *\d+ +frost\.txt, level 3 ", top, re.MULTILINE)
    (tmp_path / "frost.txt").unlink()
    assert "frost.txt" not in epcg("top", "1", "--metric", "moves", "--db", database).stdout


def test_a_file_is_taken_for_a_game_though_the_name_of_a_section_is_misspelt(tmp_path: Path) -> None:
    path = tmp_path / "mine.txt"
    text = shipped_game("ivy").read_text()  # type: ignore[union-attr]
    path.write_text(text.replace("COLLISIONLAYERS", "COLLISION LAYERS"))
    sentence = "was 'COLLISION LAYERS' meant? Write its name alone on a line."
    assert sentence in epcg("score", str(path), code=1).stderr
    told = epcg("puzzlescript", "info", str(path), code=1).stderr
    assert "mine.txt: the game cannot be played:" in told
    assert sentence in told
    path.write_text(text.replace("\nLEVELS\n", "\nLEVELS (three of them)\n"))
    assert "P" in epcg("render", str(path)).stdout


def test_a_game_that_changed_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "game.txt"
    path.write_text(shipped_game("ivy").read_text())  # type: ignore[union-attr]
    told = params.LevelsParams(str(path))
    path.write_text(path.read_text() + "\n######\n#P...#\n######\n")
    with pytest.raises(GameError, match="have changed since"):
        Levels(told)
    with pytest.raises(ParamsError, match="There is no file or folder of games"):
        params.LevelsParams("no_such_game")


def test_a_game_that_cannot_be_played_does_not_stop_the_others(tmp_path: Path) -> None:
    """The keeper pushes the lantern as many cells as the level is told to need."""
    near, far = "\n#####\n#P*O#\n#####\n", "\n######\n#P*.O#\n######\n"
    (tmp_path / "a.txt").write_text(of_lanterns(far + near + near))
    (tmp_path / "broken.txt").write_text(with_rule("[ > Keeper | Lantern ] -> [ ]"))
    (tmp_path / "c.txt").write_text(of_lanterns(near + far))
    database = str(tmp_path / "levels.db")
    told = epcg("run", "puzzlescript/levels", "--set", f"generator.game={tmp_path}", "--db", database).stdout
    assert "moves                     5" in told
    assert re.search(r"3  broken\.txt +broken\.txt: the game cannot be played: line", told)
    assert "Pattern 1 has 2 cells on the left and 1 on the right" in told
    assert re.search(r"c\.txt, level 2 +2 ", told)
    top = epcg("top", "1", "--metric", "moves", "--db", database).stdout
    assert re.search(r"^ *\d+ +a\.txt, level 1 ", top, re.MULTILINE)
    (tmp_path / "a.txt").unlink()
    assert "a.txt" not in epcg("top", "1", "--metric", "moves", "--db", database).stdout


@pytest.mark.parametrize("more", ["", pytest.param("those of the game", marks=pytest.mark.slow)])
def test_levels_without_a_solution_are_counted_for_each_game(tmp_path: Path, more: str) -> None:
    text = shipped_game("lanterns").read_text() if more else of_lanterns("")  # type: ignore[union-attr]
    for name, count in (("one", 7), ("two", 6)):
        (tmp_path / f"{name}.txt").write_text(text + "\n\n######\n#PO.*#\n######\n" * count)
    told = epcg("run", "puzzlescript/levels", "--set", f"generator.game={tmp_path}", "--db",
                str(tmp_path / "levels.db")).stdout  # fmt: skip
    assert "candidates without moves: 13 (no solution (proven) 13)" in told
    assert re.search(r"^title +no solution \(proven\)\none.txt +7\ntwo.txt +6$", told, re.MULTILINE)


def with_rule(rule: str) -> str:
    text = shipped_game("lanterns").read_text()  # type: ignore[union-attr]
    line = "[ > Keeper | Lantern ] -> [ > Keeper | > Lantern ]"
    return text.replace(line, f"{line}\n{rule}")


def test_a_game_of_chance_is_not_searched(tmp_path: Path) -> None:
    (tmp_path / "game.txt").write_text(with_rule("[ > Keeper ] -> [ randomdir Keeper ]"))
    space = levels(str(tmp_path / "game.txt"))
    with pytest.raises(RandomError, match="random numbers"):
        space.transition_model.initial(space.unrank(0))


STARTS = params.StartsParams("lanterns", ("keeper", "lantern"), 2)


def test_starts_are_ranked() -> None:
    space = Starts(STARTS)
    assert space.max_rank == 18 * 17
    for rank in range(0, space.max_rank, 7):
        assert space.rank(space.unrank(rank)) == rank
    original = levels("lanterns").unrank(1)
    assert space.unrank(space.rank(original)) == original
    assert Starts(params.StartsParams("lanterns", level=2)).unrank(9) == space.unrank(9)
    with pytest.raises(RankError, match="differs from the original"):
        space.rank(levels("lanterns").unrank(0))


@pytest.mark.parametrize(
    ("objects", "told"),
    [(("moon",), "is not an object"), (("water",), "has no 'water'"), (("keeper",) * 2, "name one")],
)
def test_starts_refuse_what_cannot_be_placed(objects: tuple[str, ...], told: str) -> None:
    with pytest.raises(ParamsError, match=told):
        Starts(params.StartsParams("lanterns", objects))


@pytest.mark.parametrize("every", [7, pytest.param(1, marks=pytest.mark.slow)])
def test_all_starts_at_once_are_as_long_as_each_by_itself(every: int) -> None:
    space = Starts(STARTS)
    at_once = StartMoves(params.PositionsParams(), space)
    ranks = range(0, space.max_rank, every)
    moves = [at_once.evaluate(space.unrank(rank))[0] for rank in ranks]
    # A lantern that begins on its post has won only after a turn.
    assert moves == [shortest_path(space.transition_model, space.unrank(rank)).length for rank in ranks]
    assert at_once.plain().evaluate(space.unrank(every)) == (moves[1],)
    with pytest.raises(ParamsError, match="starts"):
        StartMoves(params.PositionsParams(), levels("lanterns"))


@pytest.mark.sweep(3)
@pytest.mark.parametrize("name", list(SOLUTIONS))
def test_compiled_measures_are_the_plain_ones(name: str) -> None:
    space = levels(name)
    for kind, given in (
        (StateSpace, params.PositionsParams()), (Solutions, params.PositionsParams()),
        (AlongSolution, params.SolutionParams()),
    ):  # fmt: skip
        evaluator: Any = kind(given, space)  # type: ignore[operator]
        level = space.unrank(0)
        assert evaluator.evaluate(level) == evaluator.plain().evaluate(level)


def test_known_measures() -> None:
    space = levels("lanterns")
    level = space.unrank(0)
    assert Solutions(params.PositionsParams(), space).evaluate(level) == (1,)
    assert AlongSolution(params.SolutionParams(), space).evaluate(level) == (1, 4.0, 1, 1)
    assert AlongSolution(params.SolutionParams(objects=("Player",)), space).evaluate(level) == (1, 4.0, 1, 1)
    assert NeededRules(params.NeededRulesParams(), space).evaluate(level) == (1, 1)
    with pytest.raises(LimitReachedError):
        StateSpace(params.PositionsParams(limit=5), space).evaluate(level)
    with pytest.raises(ParamsError, match="not defined"):
        AlongSolution(params.SolutionParams(objects=("moon",)), space).evaluate(level)


def test_needed_rules_of_gravity() -> None:
    space = levels("badger")
    needed, essential = NeededRules(params.NeededRulesParams(), space).evaluate(space.unrank(0))  # type: ignore[misc]
    assert needed >= essential == 2  # without pushing and without falling boulders nothing is won


def test_texts_are_whole_games() -> None:
    for text in examples().values():
        level = parse_level(text)
        assert parse_level(format_level(level)) == level
        assert len(level.game.maps) == 1


def test_cells_without_a_glyph_get_one() -> None:
    level = levels("lanterns").unrank(0)
    names = {thing.name: 1 << thing.number for thing in level.game.objects}
    odd = attrs.evolve(level, cells=(names["water"] | names["rock"], *level.cells[1:]))
    text = format_level(odd)
    assert "a = Water and Rock" in text  # as the author writes them
    assert parse_level(text) == odd
    assert "a = water and rock" in text_renderer(None)(odd)


def test_glyphs_of_the_legend_stay_in_texts() -> None:
    text = shipped_game("lanterns").read_text()  # type: ignore[union-attr]
    head = text[: text.index("\nLEVELS\n")].replace("\nO = Post", "\n, = Post\n[ = Lantern and Post")
    level = parse_level(f"{head}\nLEVELS\n\n.....\n[p*,[\n.....\n")
    assert text_renderer(None)(level) == ".....\n[p*,[\n.....\n"
    assert parse_level(format_level(level)) == level


def test_pictures() -> None:
    space = levels("magnet")
    level = space.unrank(0)
    picture = svg_renderer(space)(level, solution=True)
    assert picture.startswith("<svg")
    assert "→→→✕" in picture
    assert picture.count("<use") == sum(cell.bit_count() for cell in level.cells)
    assert text_renderer(space)(level, solution=["right", "right", "right", "action"]).endswith(
        "4 moves: rrra\n"
    )
    sealed = attrs.evolve(
        level, cells=tuple(c & ~(1 << level.game.entries["iron"].members[0]) for c in level.cells)
    )
    assert "No solution (proven" in text_renderer(space)(sealed, solution=True)


def test_titles_are_text() -> None:
    text = shipped_game("ivy").read_text().replace("title Ivy", "title <script>&")  # type: ignore[union-attr]
    picture = svg_renderer(None)(parse_level(text))
    assert "<script>" not in picture
    assert "&lt;script&gt;&amp;" in picture


def test_the_editor() -> None:
    editor = LevelEditor(new_level(6, 4))
    level = editor.content
    assert editor.scene(level).marks["c2,2"] == ("keeper",)
    changed = editor.put(level, "c3,3", "lantern")
    assert editor.scene(changed).marks["c3,3"] == ("lantern",)
    assert editor.put(changed, "c3,3", ERASE) == level
    assert editor.put(changed, "c3,3", "rock").cells != changed.cells
    both = editor.put(changed, "c3,3", "post")
    assert set(editor.scene(both).marks["c3,3"]) == {"lantern", "post"}
    assert all(mark.picture for mark in editor.palette)
    position = editor.transition_model.initial(level)
    gestures = [editor.gesture(level, position, a) for a in editor.transition_model.actions(position)]
    assert [gesture.keys for gesture in gestures] == [("ArrowDown",), ("ArrowRight",)]
    assert [gesture.sites for gesture in gestures] == [("c2,3",), ("c3,2",)]
    with pytest.raises(EpcgError, match="by itself"):
        editor.parse(new_level(7, 4))


def test_info() -> None:
    told = epcg("puzzlescript", "info", "lanterns", "--json").stdout
    facts = json.loads(told)
    assert (facts["title"], facts["elementary_rules"], facts["faults"]) == ("Lanterns on the Pier", 4, [])
    assert "everywhere at once" in facts["engine"]
    assert "13 of 14" not in epcg("puzzlescript", "info", "magnet").stdout
    assert "several rows, an ellipsis" in epcg("puzzlescript", "info", "magnet").stdout


def test_info_tells_faults(tmp_path: Path) -> None:
    (tmp_path / "game.txt").write_text(with_rule("[ Moon ] -> [ ]\n[ Keeper ] -> [ random Solid ]"))
    told = epcg("puzzlescript", "info", str(tmp_path / "game.txt")).stdout
    assert "'moon', but expected" in told
    assert "not searched" in told


def test_distances_shrink_along_solutions() -> None:
    space = levels("herons")
    found = shortest_path(space.transition_model, space.unrank(2))
    position, seen = space.transition_model.initial(space.unrank(2)), []
    for given in found.actions:
        seen.append(shortest_path(space.transition_model, None, start=position, plain=True).length)
        position = space.transition_model.apply(position, given)
    assert all(a == b + 1 for a, b in pairwise([*seen, 0]))  # type: ignore[operator]

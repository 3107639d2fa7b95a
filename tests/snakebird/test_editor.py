"""The editor of levels: what marks make of a level, and what all single changes do to its solution."""

from __future__ import annotations

from pathlib import Path
from sqlite3 import connect

import pytest
from epcg_snakebird.formats.drawing import format_level
from epcg_snakebird.rendering.editor import LevelEditor, examples, new_level
from epcg_snakebird.rules.level import Level, LevelError
from epcg_snakebird.rules.model import SnakebirdModel
from epcg_snakebird.rules.moves import Move

from epcg_core.combinatorics.contents import changes_of
from epcg_core.domain import resolve
from epcg_core.domain.editing import ERASE
from epcg_core.plugins.registry import registry
from epcg_core.search.shortest_path.solver import shortest_path
from tests.workplace import epcg

PUSH = "A Push for a Friend"
SMALL = "E.1<.\n#####\n"
LEVEL = """
name: All there is
....E.
.v.F.O
.1..aO
2<.ba.
######
""".lstrip()


def editor() -> LevelEditor:
    return LevelEditor(LEVEL)


def drawn(level: Level) -> list[str]:
    return format_level(level).splitlines()[1:]


def put(site: str, mark: str) -> list[str]:
    """The rows of the level after a mark is put."""
    own = editor()
    return drawn(own.put(own.content, site, mark))


def refused(site: str, mark: str) -> str:
    own = editor()
    with pytest.raises(LevelError) as error:
        own.put(own.content, site, mark)
    return str(error.value)


def test_a_scene_shows_all_that_lies_on_the_level() -> None:
    scene = editor().scene(editor().content)
    assert len(scene.sites) == 30
    assert scene.marks["c1,5"] == ("ground",)
    assert scene.marks["c4,2"] == ("fruit",)
    assert [name for name, marks in scene.marks.items() if marks == ("portal",)] == ["c6,2", "c6,3"]
    assert [name for name, marks in scene.marks.items() if marks == ("object-a",)] == ["c5,3", "c5,4"]
    assert scene.marks["c2,2"] == scene.marks["c2,3"] == ("snake-1",)
    assert [path.points for path in scene.paths] == [((1.5, 2.5), (1.5, 1.5)), ((0.5, 3.5), (1.5, 3.5))]
    assert all(path.head for path in scene.paths)


def test_the_palette_has_a_mark_for_each_object_and_snake_and_for_a_new_one() -> None:
    assert [mark.key for mark in editor().palette] == ["#", "*", "F", "E", "O", "a", "b", "c", "1", "2", "3"]


def test_tiles_fruit_and_the_exit_are_put_where_something_else_was() -> None:
    assert put("c4,2", "ground")[1] == ".v.#.O"
    assert put("c1,5", "spikes")[4] == "*#####"
    assert put("c1,5", "fruit")[4] == "F#####"
    assert put("c4,2", "exit")[:2] == ["......", ".v.E.O"]
    assert put("c1,5", ERASE)[4] == ".#####"
    assert refused("c5,1", "ground").startswith("Column 5, row 1: this is the exit")


def test_the_nearer_portal_moves_and_both_vanish_together() -> None:
    assert put("c6,1", "portal")[:3] == ["....EO", ".v.F..", ".1..aO"]
    assert put("c6,4", "portal")[1:4] == [".v.F.O", ".1..a.", "2<.baO"]
    assert put("c6,2", ERASE)[1:3] == [".v.F..", ".1..a."]
    own = editor()
    without = own.put(own.content, "c6,2", ERASE)
    with pytest.raises(LevelError, match="portals come in pairs"):
        own.put(without, "c1,1", "portal")
    assert drawn(own.stroke(without, ["c1,1", "c2,1", "c3,1"], "portal"))[0] == "O.O.E."


def test_objects_grow_cell_by_cell_and_need_not_touch() -> None:
    assert put("c1,1", "object-a")[0] == "a...E."
    assert put("c1,1", "object-c")[0] == "c...E."
    assert put("c5,3", "object-b")[2] == ".1..bO"
    assert put("c4,4", "object-a")[3] == "2<.aa."  # the other object had no more
    assert "no other cell" in refused("c4,4", "object-c")
    own = LevelEditor(new_level(4, 3))
    with pytest.raises(LevelError, match="the next object is object a"):
        own.put(own.content, "c1,1", "object-b")


def test_snakes_grow_and_shrink_at_their_tails() -> None:
    assert put("c2,1", "snake-1")[:3] == [".v..E.", ".v.F.O", ".1..aO"]
    assert put("c3,2", "snake-1")[1:3] == [".v<F.O", ".1..aO"]
    assert put("c3,4", "snake-2")[3] == "2<<ba."
    assert "not beside the tail" in refused("c4,1", "snake-1")
    assert "draw it from its head" in refused("c4,1", "snake-3")
    own = editor()
    longer = own.put(own.content, "c2,1", "snake-1")
    assert own.put(longer, "c2,1", ERASE) == own.content
    with pytest.raises(LevelError, match="would be torn"):
        own.put(longer, "c2,2", ERASE)
    alone = own.put(longer, "c1,4", ERASE)
    assert len(alone.snakes) == 1
    assert len(own.put(alone, "c2,3", ERASE).snakes[0]) == 2
    with pytest.raises(LevelError, match="the only snake"):
        own.put(own.put(alone, "c2,1", ERASE), "c2,2", ERASE)


def test_snakes_are_drawn_from_head_to_tail() -> None:
    own = editor()
    assert drawn(own.stroke(own.content, ["c1,3", "c1,2", "c1,1", "c2,1"], "snake-3"))[:3] == [
        "v<..E.", "vv.F.O", "12..aO",
    ]  # fmt: skip
    assert drawn(own.stroke(own.content, ["c2,2", "c2,1"], "snake-1"))[:3] == [".v..E.", ".1.F.O", "....aO"]
    with pytest.raises(LevelError, match="torn"):
        own.stroke(own.content, ["c1,1", "c3,1"], "snake-3")
    with pytest.raises(LevelError, match="another snake"):
        own.stroke(own.content, ["c1,3", "c1,4"], "snake-3")


def test_a_level_is_resized() -> None:
    own = editor()
    assert own.resized(own.content, 7, 6).splitlines()[1:] == [
        "....E..", ".v.F.O.", ".1..aO.", "2<.ba..", "######.", ".......",
    ]  # fmt: skip
    assert own.resized(own.content, 5, 3).splitlines()[1:] == ["....E", ".v.F.", ".1..a"]
    with pytest.raises(LevelError, match="The exit is not within"):
        own.resized(own.content, 4, 5)
    with pytest.raises(LevelError, match="no snake"):
        own.resized(own.content, 5, 2)


def test_a_new_level_can_be_solved() -> None:
    own = LevelEditor(new_level(*registry().editor("snakebird").size))
    assert shortest_path(own.transition_model, own.content).length == 8
    with pytest.raises(LevelError, match="3 columns and 2 rows"):
        new_level(2, 2)
    for size in ((128, 128), (10**9, 10**9), (10**9, 5)):  # before room for it is taken
        with pytest.raises(LevelError, match="at most 16,384 cells"):
            new_level(*size)
        with pytest.raises(LevelError, match="at most 16,384 cells"):
            own.resized(own.content, *size)


def test_moves_are_touches_of_a_head_and_of_the_cell_beside_it() -> None:
    own = editor()
    position = own.transition_model.initial(own.content)
    made = {
        action: own.gesture(own.content, position, action)
        for action in own.transition_model.actions(position)
    }
    assert made[Move(0, "R")].sites == ("c2,3", "c3,3")
    assert made[Move(0, "R")].keys == ("ArrowRight",)
    assert made[Move(1, "U")].sites == ("c1,4", "c1,3")
    assert made[Move(1, "U")].keys == ()
    after = own.transition_model.apply(position, Move(0, "R"))
    scene = own.position_scene(own.content, after)
    assert scene.paths[0].points[0] != own.scene(own.content).paths[0].points[0]


def test_other_sizes_and_texts_are_refused() -> None:
    own = editor()
    assert own.parse(own.format(own.content)) == own.content
    with pytest.raises(LevelError, match="10 columns and 6 rows, not 6 and 5"):
        own.parse(examples()[PUSH])
    with pytest.raises(LevelError, match="line 1, column 3"):
        LevelEditor("..?")


@pytest.fixture(scope="module")
def push() -> LevelEditor:
    return LevelEditor(examples()[PUSH])


def test_every_change_of_a_level_is_answered_as_by_a_search_of_its_own(push: LevelEditor) -> None:
    space = changes_of(push)
    info = registry().evaluator("snakebird", "edit_effect")
    evaluator = resolve(info.factory)(info.params(), space, None)
    anew = registry().evaluator("snakebird", "shortest_solution")
    alone = resolve(anew.factory)(anew.params(), space, None)
    best: dict[str, int] = {}
    for rank in range(space.max_rank):
        state, (edit,) = space.unrank(rank), (space.edits[number] for number in space.edits_of(rank))
        moves, gain, expansions, _ = evaluator.evaluate(state)
        assert (moves, expansions) == tuple(alone.evaluate(state))
        assert gain == (None if moves is None else moves - 26)
        best[edit.change["mark"]] = max(best.get(edit.change["mark"], 0), moves or 0)
    assert space.max_rank == 298
    assert (best["ground"], best["spikes"], best[ERASE], best["fruit"], best["exit"]) == (34, 26, 26, 42, 25)
    assert {"object-a", "snake-1", "snake-2"} <= best.keys()


@pytest.mark.parametrize("title", [SMALL, pytest.param(PUSH, marks=pytest.mark.slow)])
def test_a_query_over_all_changes_finds_the_hardest(title: str, tmp_path: Path) -> None:
    level = tmp_path / "level.txt"
    text = examples().get(title, title)
    level.write_text(text, "utf-8")
    query = tmp_path / "changes.toml"
    query.write_text(
        f"""
name = "changes"
domain = "snakebird"
[generator]
name = "changes"
content = "{level}"
[[evaluators]]
name = "edit_effect"
[[select]]
metric = "moves"
keep = "best"
[record]
rows = "all"
""",
        "utf-8",
    )
    epcg("run", query, "--db", tmp_path / "runs.db", "--executor", "serial")
    with connect(tmp_path / "runs.db") as db:
        rows = dict(db.execute("SELECT rank, value FROM scores WHERE metric = 'moves'"))
    space = changes_of(LevelEditor(text))
    found = {space.edits[rank].description: moves for rank, moves in rows.items()}
    if title == PUSH:
        assert found["column 4, row 5: fruit"] == max(moves or 0 for moves in found.values()) == 42
        assert found["column 3, row 5: ground"] == 34
        return
    model = SnakebirdModel()
    levels = ((space.edits[rank].description, space.unrank(rank)) for rank in range(space.max_rank))
    assert found == {words: shortest_path(model, level).length for words, level in levels}

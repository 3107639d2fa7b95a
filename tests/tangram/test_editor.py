"""The editor of tangram instances: pieces in all orientations, the tray, and measures of all changes."""

from __future__ import annotations

from typing import Any

import pytest
from epcg_tangram.rendering.editor import InstanceEditor, examples, new_instance
from epcg_tangram.rules.instance import Instance

from epcg_core.base.errors import CandidateError, EpcgError, ParamsError, UnknownNameError
from epcg_core.combinatorics.contents import changes_of
from epcg_core.domain import resolve
from epcg_core.domain.editing import ERASE
from epcg_core.plugins.registry import registry
from tests.tangram.hexagon import PIECE_ORDER

TEXT = "side 3; Line 0 1 2 3 4 5; Wrench 13 22 23 31 32 33; without Hook"
SMALL = examples()["A small hexagon"]


def editor(text: str = TEXT) -> InstanceEditor:
    return InstanceEditor(text)


def put(site: str, mark: str, text: str = TEXT) -> str:
    own = editor(text)
    return own.format(own.put(own.content, site, mark))


def measure(name: str, generator: Any, state: Instance, **params: Any) -> Any:
    info = registry().evaluator("tangram", name)
    return resolve(info.factory)(info.params(**params), generator, None).evaluate(state)


def test_a_scene_shows_each_piece_on_all_its_triangles_and_the_tray() -> None:
    own = editor()
    scene = own.scene(own.content)
    assert len(scene.sites) == 54 + 10
    (line,) = {scene.marks[f"t{cell}"] for cell in range(6)}
    assert line[0].startswith("Line ")
    assert scene.marks["tray-Hook"] == ("excluded",)
    assert "t6" not in scene.marks
    assert [path.title for path in scene.paths] == [
        "Line", "Wrench", "Mountains", "Triangle", "Snake", "Hexagon", "Elbow", "Butterfly", "Trapezoid",
    ]  # fmt: skip
    points = next(site.points for site in scene.sites if site.id == "t0")
    assert [(x, round(y, 3)) for x, y in sorted(points)] == [(1.0, 0.866), (1.5, 0.0), (2.0, 0.866)]


def test_the_palette_turns_each_piece_through_all_its_orientations() -> None:
    marks = {mark.name: mark for mark in editor().palette}
    for piece, count in (("Line", 6), ("Hook", 12), ("Hexagon", 1), ("Butterfly", 3), ("Trapezoid", 6)):
        own = [name for name in marks if name.startswith(piece + " ")]
        assert len(own) == count
        name, seen = own[0], set[str]()
        while name and name not in seen:
            seen.add(name)
            name = marks[name].turned
        assert seen == set(own)


def test_a_piece_that_is_turned_over_twice_lies_as_before() -> None:
    marks = {mark.name: mark for mark in editor().palette}
    flipped = {name: marks[mark.flipped].flipped for name, mark in marks.items() if mark.flipped}
    assert set(flipped) == {mark.flipped for mark in marks.values()} - {""}
    assert all(name == twice for name, twice in flipped.items())
    assert sum(name.startswith("Hook ") for name in flipped) == 12
    assert not any(name.startswith("Hexagon ") for name in flipped)


def test_what_a_piece_would_cover_is_what_it_covers() -> None:
    own = editor()
    cells = [
        site.id for site in own.scene(own.content).sites if site.id.startswith("t") and "-" not in site.id
    ]
    fits = 0
    for mark in ("Hook 1", "Trapezoid 2", "Line 3"):
        casts = own.casts(own.content, mark)
        for site in cells:
            if site in casts and casts[site].fits:
                fits += 1
                shown = own.scene(own.put(own.content, site, mark)).marks
                assert {cell for cell in cells if mark in shown.get(cell, ())} >= {*casts[site].sites}
            else:
                with pytest.raises(ParamsError):
                    own.put(own.content, site, mark)
    assert fits > 3
    with pytest.raises(UnknownNameError):
        own.casts(own.content, "Wheel 1")


def test_a_piece_is_put_by_a_triangle_and_taken_away() -> None:
    assert put("t7", "Hexagon 1") == TEXT.replace("; without", "; Hexagon 7 8 9 17 18 19; without")
    assert put("t3", ERASE) == "side 3; Wrench 13 22 23 31 32 33; without Hook"
    own = editor()
    number = own.content.shown[0]
    (line,) = own.scene(own.content).marks["t0"]
    moved = own.put(own.content, "t16", line)
    assert len(moved.shown) == 2
    assert number not in moved.shown  # there is one Line
    two = own.content
    for site in ("t7", "t15", "t26"):
        two = own.put(two, site, "Trapezoid 1")
    assert [PIECE_ORDER[two.game.pieces[n]] for n in two.shown].count("Trapezoid") == 2


def test_pieces_that_do_not_fit_are_refused() -> None:
    own = editor()
    refused = {
        ("t53", "Hexagon 1"): "over the edge",
        ("t12", "Hexagon 1"): "another piece",
        ("t41", "Hook 1"): "is excluded",
        ("t40", "excluded"): "in the tray",
        ("tray-Hook", "Line 1"): "not part of the board",
        ("tray-Line", "excluded"): "lies on the board",
    }
    for (site, mark), reason in refused.items():
        with pytest.raises(ParamsError, match=reason):
            own.put(own.content, site, mark)
    with pytest.raises(UnknownNameError, match="Hexagon 2"):
        own.put(own.content, "t14", "Hexagon 2")


def test_the_tray_excludes_pieces_and_gives_them_back() -> None:
    assert put("tray-Hook", ERASE) == "side 3; Line 0 1 2 3 4 5; Wrench 13 22 23 31 32 33"
    assert put("tray-Snake", "excluded").endswith("; without Hook; without Snake")


@pytest.mark.parametrize("more", ["", "; relation edges_must_touch; colours 0 1", "; bumps 1674"])
def test_texts_say_which_game_is_played(more: str) -> None:
    own = editor("side 3; Line 0 1 2 3 4 5; without Hook" + more)
    text = own.format(own.content)
    assert text == "side 3; Line 0 1 2 3 4 5; without Hook" + more
    assert own.parse(text) == own.content
    if more:
        with pytest.raises(ParamsError, match="of another game"):
            own.parse(TEXT)


def test_bad_texts_and_sizes_are_refused() -> None:
    for text in (
        "side 4",
        "side x",
        "side 3; colours 0",
        "side 3; Line 0 1",
        "side 3; relation beside",
        "",
        "Line",
    ):
        with pytest.raises(EpcgError, match=r"\w"):
            InstanceEditor(text)
    with pytest.raises(ParamsError, match="together cover 60"):
        new_instance(4, 4)
    with pytest.raises(ParamsError, match="one size"):
        new_instance(3, 4)


def test_every_change_is_measured_as_its_own_instance() -> None:
    own = editor(SMALL)
    space = changes_of(own)
    counts = set[int]()
    for rank in range(space.max_rank):
        state = space.unrank(rank)
        given, completions, unique, _ = measure("instance", space, state)
        assert completions == len(state.completions())
        assert (given, unique) == (len(state.shown), completions == 1)
        assert bool(state.board) == unique
        assert own.parse(own.format(state)) == state
        counts.add(completions)
    assert counts == {0, 1, 2}
    assert measure("entropy", space, own.content) == [0.0, 0.0, 0.0, 0.0]


def test_an_evaluator_that_cannot_measure_says_so() -> None:
    own = editor("side 3; Line 0 1 2 3 4 5")
    space = changes_of(own, marks=[""])
    with pytest.raises(CandidateError, match="one may be left out"):
        measure("entropy", space, own.content)
    for name in ("board", "colours", "back", "back_chapters", "published_entropy"):
        with pytest.raises(ParamsError, match="measure"):
            measure(name, space, own.content)


def test_a_placement_is_touched_triangle_by_triangle() -> None:
    own = editor(SMALL)
    position = own.transition_model.initial(own.content)
    actions = list(own.transition_model.actions(position))
    gestures = [own.gesture(own.content, position, action) for action in actions]
    assert len({gesture.sites for gesture in gestures}) == len(actions)
    after = own.transition_model.apply(position, actions[0])
    shown = own.position_scene(own.content, after)
    assert all(shown.marks[site] for site in gestures[0].sites)


@pytest.mark.parametrize(
    ("title", "place", "move"),
    [
        (
            "",
            "triangle 1, row 1",
            "Line on triangles 1 and 2, row 1; triangles 1 and 2, row 2",
        ),
        ("Soma", "layer 1, column 1, row 1", "layer 1, column"),
        ("Crate", "column 1, row 1", ", rows 1 to "),
    ],
)
def test_places_are_told_as_one_counts_them_column_first(title: str, place: str, move: str) -> None:
    editor = InstanceEditor(examples()[title] if title else "side 3; without Butterfly")
    assert editor.scene(editor.content).sites[0].title == place
    model = editor.transition_model
    start = model.initial(editor.content)
    told = [editor.gesture(editor.content, start, action).text for action in model.actions(start)]
    assert any(move in each for each in told), told[:5]
    assert len(set(told)) == len(told)


def test_an_orientation_is_told_by_how_often_the_piece_was_turned() -> None:
    titles = [mark.title for mark in InstanceEditor("side 3").palette if mark.group == "Line"]
    assert titles[:4] == ["Line", "Line, turned once", "Line, turned twice", "Line, turned 3 times"]
    own = InstanceEditor("side 3")
    last = [site.id for site in own.scene(own.content).sites if site.id.startswith("t")][53]
    with pytest.raises(ParamsError, match=r"^Line, turned once does not fit here"):
        own.put(own.content, last, "Line 2")

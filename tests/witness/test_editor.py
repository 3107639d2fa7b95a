"""The editor of panels: marks on cells, edges and vertices, and measures of all single changes."""

from __future__ import annotations

import numpy as np
import pytest
from epcg_witness.formats.drawing import parse_panel
from epcg_witness.formats.symbols import parse_cell_symbol
from epcg_witness.rendering.editor import PanelEditor, examples, new_panel
from epcg_witness.rendering.names import symbol_in_words
from epcg_witness.rules.grid import PanelError, grid_of
from epcg_witness.rules.model import Action
from epcg_witness.rules.panel import Eraser, Panel, Triangles
from epcg_witness.rules.symmetry import Reflection

from epcg_core.combinatorics.contents import Changes, changes_of
from epcg_core.domain import NONE, resolve
from epcg_core.domain.editing import ERASE
from epcg_core.plugins.registry import registry

SMALL = """
+---+---E
| a |   |
+---+-*-+
|   : b |
S---+---+
a: square black
b: triangles 2
"""
TWO_LINES = examples()["Two lines"]


def editor(text: str = SMALL) -> PanelEditor:
    return PanelEditor(text)


def put(site: str, mark: str, text: str = SMALL) -> list[str]:
    own = editor(text)
    return own.format(own.put(own.content, site, mark)).splitlines()


def test_a_scene_has_cells_edges_and_vertices_counted_from_the_top_left() -> None:
    scene = editor().scene(editor().content)
    kinds = [site.kind for site in scene.sites]
    assert [kinds.count(kind) for kind in ("cell", "edge", "vertex")] == [4, 12, 9]
    assert scene.marks == {
        "c1,1": ("square black",), "c2,2": ("triangles 2",), "v2,2": ("gap",), "h2,2": ("dot",),
        "p1,3": ("start",), "p3,1": ("end",),
    }  # fmt: skip
    points = {site.id: site.points for site in scene.sites}
    assert points["v2,2"] == ((1, 1), (1, 2))
    assert points["h2,2"] == ((1, 1), (2, 1))
    assert points["p1,3"] == ((0, 2),)


def test_symbols_dots_gaps_and_ends_are_put_and_erased() -> None:
    assert put("c2,1", "polyomino ##/#. free")[1] == "| b | c |"
    assert put("c1,1", ERASE)[1] == "|   |   |"
    assert put("h2,2", "gap")[2] == "+---+- -+"
    assert put("h2,2", ERASE)[2] == "+---+---+"
    assert put("v2,2", "dot")[3] == "|   * a |"
    assert put("p2,2", "dot")[2] == "+---*-*-+"
    assert put("p1,3", "dot")[4] == "s---+---+"
    assert put("p3,3", "start")[4] == "S---+---S"
    assert put("p2,1", "end")[0] == "+---E---E"


def test_the_last_start_and_end_stay() -> None:
    own = editor()
    for site, mark, missing in (
        ("p1,3", ERASE, "no start"),
        ("p1,3", "end", "no start"),
        ("p3,1", ERASE, "no end"),
    ):
        with pytest.raises(PanelError, match=missing):
            own.put(own.content, site, mark)


def test_with_symmetry_starts_and_ends_come_in_pairs() -> None:
    assert put("p1,3", "start", TWO_LINES)[4] == "S---+---+---S"
    assert put("p2,1", "end", TWO_LINES)[0] == "E---E---E---E"
    own = editor(TWO_LINES)
    with pytest.raises(PanelError, match="no start"):
        own.put(own.content, "p1,4", ERASE)


def test_the_palette_has_every_kind_of_symbol_and_turns_pieces() -> None:
    marks = {mark.name: mark for mark in editor().palette}
    kinds = [name.partition(" ")[0] for name in marks]
    assert [kinds.count(kind) for kind in ("square", "star", "triangles", "eraser", "polyomino")] == [
        9,
        9,
        3,
        1,
        74,
    ]
    turned, seen = "polyomino ##/#.", []
    while turned not in seen:
        seen.append(turned)
        turned = marks[turned].turned
    assert len(seen) == 4
    assert marks["polyomino ##/##"].turned == ""
    large = {mark.name: mark for mark in editor(SMALL.replace("square black", "polyomino ###/###")).palette}
    assert {mark.turned for mark in large.values()} <= {"", *large}
    colours = {mark.name for mark in editor(examples()["Stars"]).palette}
    assert {"triangles 2 cyan", "eraser orange"} <= colours


def test_a_symbol_that_the_palette_lacks_can_be_put_by_its_name() -> None:
    own = editor()
    assert own.put(own.content, "c1,1", "triangles 1 green").symbol_at[2] == Triangles(1, "green")
    with pytest.raises(PanelError, match="not a symbol"):
        own.put(own.content, "c1,1", "hexagon")


def test_a_panel_is_resized_from_its_upper_left_corner() -> None:
    own = editor()
    larger = own.resized(own.content, 3, 3).splitlines()
    assert larger[:7] == [
        "+---+---E---+", "| b |   |   |", "+---+-*-+---+", "|   : a |   |", "S---+---+---+", "|   |   |   |",
        "+---+---+---+",
    ]  # fmt: skip
    assert own.resized(own.content, 1, 1).splitlines()[:3] == ["+---E", "| a |", "S---+"]
    with pytest.raises(PanelError, match="1 to 7 cells"):
        own.resized(own.content, 8, 1)


def test_a_line_is_drawn_by_touching_vertices() -> None:
    own = editor()
    model, content = own.transition_model, own.content
    position = model.initial(content)
    (start,) = model.actions(position)
    assert own.gesture(content, position, start).sites == ("p1,3",)
    assert own.gesture(content, position, start).keys == ("Enter",)
    position = model.apply(position, start)
    up = next(iter(model.actions(position)))
    assert own.gesture(content, position, up).sites == ("p1,2",)
    assert own.gesture(content, position, up).keys == ("ArrowUp",)
    position = model.apply(position, up)
    (line,) = own.position_scene(content, position).paths
    assert line.points[0] == (0, 1)
    assert line.points[-1] == (0, 2)
    assert own.gesture(content, position, Action("end", 8)).sites == ("p3,1",)


def test_other_sizes_and_symmetries_are_refused() -> None:
    with pytest.raises(PanelError, match="3 by 3 cells, not 2 by 2 cells"):
        editor().parse(new_panel(3, 3))
    with pytest.raises(PanelError, match="with horizontal symmetry"):
        PanelEditor(new_panel(3, 3)).parse(TWO_LINES)


def test_examples_have_solutions() -> None:
    info = registry().evaluator("witness", "solutions")
    for title, text in examples().items():
        own = PanelEditor(text)
        (solutions,) = resolve(info.factory)(info.params(), own, None).evaluate(own.content)
        assert solutions > 0, title


@pytest.mark.sweep(3)
@pytest.mark.parametrize("name", ["solutions", "unique", "shortest_solution", "longest_solution"])
@pytest.mark.parametrize("text", [SMALL, TWO_LINES.replace("+---+---+---+", "+---+- -+---+", 1)])
def test_all_single_changes_are_measured_together_as_one_by_one(name: str, text: str) -> None:
    space: Changes[Panel] = changes_of(editor(text))
    info = registry().evaluator("witness", name)
    evaluator = resolve(info.factory)(info.params(), space, None)
    # every change for one measure, some for the others, which come of the same search
    ranks = range(0, space.max_rank, (1 if name == "solutions" else 7) if text == SMALL else 57)
    found = evaluator.evaluate_states(space.states_at(np.array(ranks)))  # type: ignore[attr-defined]
    plain = evaluator.plain()
    for i, rank in enumerate(ranks):
        expected = plain.evaluate(space.unrank(rank))
        missing = found.status is not None and found.status[i] == NONE
        assert (None if missing else (found.values[0][i],)) == expected
    states = [space.unrank(rank) for rank in ranks]
    assert text != SMALL or any(isinstance(s, Eraser) for panel in states for _, s in panel.symbols)
    assert text != SMALL or len({panel.starts for panel in states}) > 1


def test_entropy_is_measured_or_says_why_it_is_not() -> None:
    space = changes_of(editor(), marks=["square white", "eraser"])
    info = registry().evaluator("witness", "entropy")
    evaluator = resolve(info.factory)(info.params(), space, None)
    assert len(evaluator.evaluate(parse_panel(SMALL))) == 6
    erased = next(panel for panel in map(space.unrank, range(space.max_rank)) if panel.has_erasers)
    with pytest.raises(PanelError, match="without erasers"):
        evaluator.evaluate(erased)


PILLAR = """
+-S-+---E---+
|   |   | a |
+...+---+-1-+
E   2   |   E
+---+---+---+
a: square red
shape: pillar
variant: game
"""


def test_panels_that_depart_are_drawn_changed_and_written() -> None:
    own = editor(PILLAR)
    scene = own.scene(own.content)
    kinds = [site.kind for site in scene.sites]
    assert [kinds.count(kind) for kind in ("cell", "edge", "vertex")] == [6, 15, 9]
    assert scene.marks == {
        "c3,1": ("square red",), "h1,1": ("start",), "p3,1": ("end",), "h1,2": ("missing",),
        "h3,2": ("dot first",), "v2,2": ("dot second",), "v1,2": ("end",),
    }  # fmt: skip
    points = {site.id: site.points for site in scene.sites}
    assert points["h3,2"] == ((2, 1), (3, 1))
    assert scene.note == "A pillar: the right border is the left one. Variant: game."
    assert editor().scene(editor().content).note == ""
    assert put("h1,2", ERASE, PILLAR)[2] == "+---+---+-1-+"
    assert put("h3,1", "missing", PILLAR)[0] == "+-S-+---E...+"
    assert put("v1,1", "gap", PILLAR)[1] == ":   |   | a :"
    assert put("h1,1", "dot second", PILLAR)[0] == "+-t-+---E---+"
    assert put("h3,2", "dot", PILLAR)[2] == "+...+---+-*-+"
    assert put("v2,2", "end", PILLAR)[3] == "E   f   |   E"
    assert put("v2,2", ERASE, PILLAR)[3] == "E   |   |   E"
    assert put("v2,2", "dot", PILLAR)[-2:] == ["shape: pillar", "variant: game"]
    names = {mark.name: mark.kinds for mark in own.palette}
    keys = [mark.key for mark in own.palette if mark.key]
    assert len({*keys}) == len(keys)
    assert {"y", "b", ".", "4"} <= {*keys}
    assert {"missing", "dot first", "dot second", "triangles 4"} <= set(names)
    assert names["start"] == ("edge", "vertex")
    larger = own.resized(own.content, 4, 2).splitlines()
    assert larger[:5] == [
        "+-S-+---E---+---+", "|   |   | a |   |", "+...+---+-1-+---+", "E   2   |   |   E",
        "+---+---+---+---+",
    ]  # fmt: skip
    with pytest.raises(PanelError, match="3 by 2 cells, a pillar, variant 'game'"):
        editor().parse(PILLAR)
    assert own.images(own.content) == [own.content]


def test_a_flat_panel_takes_the_marks_of_others_by_name() -> None:
    assert put("h1,1", "missing")[0] == "+...+---E"
    assert put("h1,1", "start")[0] == "+-S-+---E"
    assert put("v1,1", "end")[1] == "E b |   |"
    assert "missing" not in {mark.name for mark in editor().palette}


def test_changes_of_panels_that_depart_are_measured() -> None:
    space: Changes[Panel] = changes_of(editor(PILLAR))
    info = registry().evaluator("witness", "solutions")
    evaluator = resolve(info.factory)(info.params(), space, None)
    ranks = range(0, space.max_rank, 41)
    found = evaluator.evaluate_states(space.states_at(np.array(ranks)))  # type: ignore[attr-defined]
    plain = evaluator.plain()
    assert list(found.values[0]) == [plain.evaluate(space.unrank(rank))[0] for rank in ranks]


def test_images_of_panels_that_depart_are_they_themselves_on_pillars_of_two_cells_too() -> None:
    for grid in (grid_of(3, 2), grid_of(2, 2, True), grid_of(4, 1, True)):
        sites = range(grid.cells + grid.locations)
        assert [Reflection(grid, False, False, False).site(site) for site in sites] == [*sites]
    own = editor("+---E---+\n|   |   |\nS---+- -S\nshape: pillar\n")
    assert own.images(own.content) == [own.content]


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("square black", "black square"),
        ("star red", "red star"),
        ("triangles 1", "1 triangle"),
        ("triangles 3", "3 triangles"),
        ("triangles 2 red", "red 2 triangles"),
        ("eraser", "eraser"),
        ("eraser red", "red eraser"),
        ("polyomino .##/##.", "S-tetromino"),
        ("polyomino #./##/.#", "S-tetromino turned right"),
        ("polyomino ##./.## free", "Z-tetromino that may be turned"),
        ("polyomino .#./### negative", "negative T-tetromino upside down"),
        ("polyomino ##./.##/.#. red", "red mirrored F-pentomino"),
        ("polyomino ######", "polyomino of 6 squares"),
    ],
)
def test_symbols_are_called_what_people_call_them(name: str, words: str) -> None:
    assert symbol_in_words(parse_cell_symbol(name)) == words


def test_edges_and_vertices_are_told_by_the_cells_that_pictures_number() -> None:
    """Each of them has words of its own, also on a pillar, where the right border is the left one."""
    for text in (new_panel(3, 2), examples()["A pillar"]):
        editor = PanelEditor(text)
        titles = {site.id: site.title for site in editor.scene(editor.content).sites}
        assert len({*titles.values()}) == len(titles)
        assert titles["p1,1"] == "upper left corner of column 1, row 1"
        assert titles["h2,1"] == "edge above column 2, row 1"
        assert titles["h2,3"] == "edge below column 2, row 2"
        assert titles["v2,1"] == "edge left of column 2, row 1"
    assert titles["p1,3"] == "lower left corner of column 1, row 2"
    editor = PanelEditor(new_panel(3, 2))
    titles = {site.id: site.title for site in editor.scene(editor.content).sites}
    assert (titles["p4,3"], titles["v4,2"]) == (
        "lower right corner of column 3, row 2",
        "edge right of column 3, row 2",
    )
    start = editor.transition_model.initial(editor.content)
    (first,) = editor.transition_model.actions(start)
    told = editor.gesture(editor.content, start, first).text
    assert told == "the line starts at the lower left corner of column 1, row 2"

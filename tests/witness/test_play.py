"""Play of panels that depart from the default rules: positions, gestures, and how lines are drawn."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator

import pytest
from epcg_witness.formats.drawing import format_panel, parse_panel
from epcg_witness.rendering.editor import PanelEditor, examples
from epcg_witness.rules.model import PanelModel, PartialPath
from epcg_witness.rules.panel import Panel
from epcg_witness.rules.reference import both_lines, solutions

from epcg_core.base.errors import EpcgError
from epcg_core.combinatorics.contents import contents_of
from epcg_core.domain import resolve
from epcg_core.editing.editing import open_document
from epcg_core.editing.play import Play
from epcg_core.plugins.registry import registry
from tests.witness.random_variants import FEATURES, features_of, random_variant_panel

MODEL = PanelModel()
PILLAR = """
+---E---+---+
|   |   |   |
S---+---+---S
shape: pillar
"""


def positions(panel: Panel) -> Iterator[PartialPath]:
    """Every position of a panel's play."""
    stack = [MODEL.initial(panel)]
    while stack:
        position = stack.pop()
        yield position
        stack += [MODEL.apply(position, action) for action in MODEL.actions(position)]


@pytest.mark.parametrize("panels", [30, pytest.param(1000, marks=pytest.mark.slow)])
def test_the_lines_that_can_be_drawn_and_solve_a_panel_are_its_solutions(panels: int) -> None:
    r = random.Random(61)
    played: Counter[str] = Counter()
    for _ in range(panels):
        panel = random_variant_panel(r)
        expected = Counter(solutions(panel))
        found = Counter(position.path for position in positions(panel) if MODEL.is_goal(position))
        assert found == expected, format_panel(panel)
        played.update(features_of(panel) if expected else ())
    assert min(played[feature] for feature in FEATURES) > 0, played


@pytest.mark.parametrize("panels", [15, pytest.param(60, marks=pytest.mark.slow)])
def test_every_action_has_a_gesture_of_its_own_and_the_lines_are_drawn_whole(panels: int) -> None:
    r = random.Random(62)
    over_the_seam = 0
    for _ in range(panels):
        panel = random_variant_panel(r)
        editor = PanelEditor(format_panel(panel))
        sites = {site.id for site in editor.scene(panel).sites}
        for position in list(positions(panel))[:150]:
            actions = list(MODEL.actions(position))
            gestures = [editor.gesture(panel, position, action) for action in actions]
            touched = [gesture.sites for gesture in gestures]
            keys = [key for gesture in gestures for key in gesture.keys]
            assert len({*touched}) == len(touched), format_panel(panel)
            assert len({*keys}) == len(keys)
            assert sites.issuperset(site for each in touched for site in each)
            scene = editor.position_scene(panel, position)
            drawn = both_lines(panel, position.path)[0] if position.path else set()
            lengths = [abs(x - u) + abs(y - v) for path in scene.paths
                       for (x, y), (u, v) in zip(path.points, path.points[1:], strict=False)]  # fmt: skip
            assert max(lengths, default=0) <= 1
            lines = 1 if panel.symmetry is None else 2
            halves = (position.begin >= 0) + (position.last >= 0)
            unfinished = position.begin >= 0 and not position.vertices
            whole = len(position.edges) + (0 if unfinished else halves / 2)
            assert sum(lengths) == lines * whole
            assert not position.path or unfinished or len(drawn) == lines * (len(position.edges) + halves)
            assert sum(path.head for path in scene.paths) == (lines if position.path else 0)
            over_the_seam += len(scene.paths) > lines
    assert over_the_seam > panels / 3


def play(text: str, *sites: str) -> Play:
    """Touch sites, one after the other, in the play of a content; two at once for one move."""
    document = open_document("witness", text)
    taken: list[int] = []
    for site in sites:
        steps = Play(document, taken).position().steps
        taken.append([step.gesture.sites for step in steps].index(tuple(site.split())))
    return Play(document, taken)


def test_a_line_is_drawn_round_a_pillar() -> None:
    walked = play(PILLAR, "p1,2", "p3,2", "p3,1", "p2,1", "p2,1")
    position = walked.position()
    assert position.solved
    assert [path.points for path in position.scene.paths] == [
        ((0, 1), (0, 1)), ((1, 0), (2, 0), (2, 1), (3, 1), (3, 1)),
    ]  # fmt: skip
    step = play(PILLAR, "p1,2").position().steps[2]
    assert (step.gesture.keys, step.text) == (("ArrowLeft",), "the line goes left")
    assert [path.head for path in position.scene.paths] == [False, True]


def test_a_line_begins_and_ends_in_edges() -> None:
    text = "+-E-+---+\n|   |   S\n+---+---+\n"
    steps = play(text).position().steps
    assert [step.gesture.sites for step in steps] == [("v3,1",)]
    assert "the middle of the edge" in steps[0].text
    steps = play(text, "v3,1").position().steps
    assert [step.gesture.keys for step in steps] == [("ArrowDown",), ("ArrowUp",)]
    steps = play(text, "v3,1", "p3,1", "p2,1").position().steps
    assert [step.gesture.sites for step in steps] == [("h1,1",), ("p2,2",), ("p1,1",)]
    assert steps[0].gesture.keys == ("Enter",)
    position = play(text, "v3,1", "p3,1", "p2,1", "h1,1").position()
    assert position.solved
    assert position.scene.paths[0].points == ((0.5, 0), (1, 0), (2, 0), (2, 0.5), (2, 0.5))


def test_two_lines_move_together_and_do_not_meet() -> None:
    text = "E---+---+---E\n|   |   |   |\nS---+---+---S\nsymmetry: horizontal\n"
    steps = play(text).position().steps
    assert [step.gesture.sites for step in steps] == [("p1,2",)]
    assert [step.text for step in play(text, "p1,2", "p2,2").position().steps] == ["the line goes up"]
    position = play(text, "p1,2", "p1,1", "p1,1").position()
    assert position.solved
    assert [(path.points[0], path.title) for path in position.scene.paths] == [
        ((3, 0), "the other line, at its end"), ((0, 0), "the line, at its end"),
    ]  # fmt: skip


def test_on_a_pillar_of_two_cells_edges_are_touched_where_they_lie() -> None:
    text = "E---+---E\n|   |   |\nS---+---S\nshape: pillar\n"
    steps = play(text, "p1,2").position().steps
    assert [step.gesture.sites for step in steps] == [("p1,1",), ("p2,2",), ("h2,2", "p2,2")]
    assert [step.gesture.keys for step in steps] == [("ArrowUp",), ("ArrowRight",), ("ArrowLeft",)]
    assert [path.points for path in play(text, "p1,2", "h2,2 p2,2").position().scene.paths] == [
        ((0, 1), (0, 1)), ((1, 1), (1.5, 1), (2, 1), (2, 1)),
    ]  # fmt: skip


def test_a_missing_edge_cannot_be_drawn() -> None:
    steps = play("+---E\n|   .\nS...+\n", "p1,2").position().steps
    assert [step.gesture.sites for step in steps] == [("p1,1",)]


@pytest.mark.parametrize("title", ["Two lines", "An eraser"])
def test_panels_with_symmetry_or_erasers_are_played_and_solved(title: str) -> None:
    document = open_document("witness", examples()[title])
    found = Play(document).solve()
    assert found.length is not None
    assert Play(document, Play(document).numbers(found.actions)).position().solved


@pytest.mark.parametrize("text", [PILLAR, PILLAR.replace("shape: pillar", "variant: game")])
@pytest.mark.parametrize("plain", [False, True])
@pytest.mark.parametrize("name", ["entropy", "leave_one_out"])
def test_measures_of_difficulty_refuse_what_the_inference_rules_do_not_know(
    name: str, plain: bool, text: str
) -> None:
    editor = PanelEditor(text)
    info = registry().evaluator("witness", name)
    evaluator = resolve(info.factory)(
        info.params(**({"rule": "path"} if name != "entropy" else {})),
        contents_of(editor, [editor.content]),
        None,
    )
    if plain:
        evaluator = evaluator.plain()
    with pytest.raises(EpcgError, match="flat and under the default rules, and this panel has"):
        evaluator.evaluate(parse_panel(text))

"""The moves that play pages carry, against the domain's own transition model and scenes."""

from __future__ import annotations

import json
import random
import re
from collections.abc import Sequence
from functools import cache
from typing import Any

import attrs
import pytest
from epcg_publishing.play_data import packed, scene_data
from epcg_publishing.play_graph import DEAD, UNKNOWN, PlayGraph, play_graph

from epcg_core.base.errors import CandidateError, EpcgError
from epcg_core.editing.editing import Document, examples, new_text, open_document
from epcg_core.editing.play import Play, solution_steps
from epcg_core.rendering.board import board_file
from tests.publishing.play_files import Moves

CONTENTS = [
    ("fling", "o..o..o\n.......\n..o....\n.....o.\n.o.....\n...o..o"),
    ("fling", "o..o\n.o..\n...."),
    ("sliding", "5 1 2/0 3 4"),
    ("sliding", "1 2 3/4 5 6/7 8 0"),
    ("tangram", examples("tangram")["A small hexagon"]),
    ("witness", examples("witness")["Triangles"]),
    ("witness", examples("witness")["Dots and gaps"]),
    *(("snakebird", examples("snakebird")[name]) for name in ("Thorns", "Two at a Time", "The Step")),
    ("snakebird", examples("snakebird")["Elsewhere"]),
]
LARGE = [
    ("sliding", "8 6 7/2 5 4/3 0 1"),
    ("witness", examples("witness")["Polyominoes"]),
    ("tangram", examples("tangram")["Two wide pieces"]),
    ("snakebird", examples("snakebird")["Patience"]),
]


@cache
def whole_of(case: tuple[str, str]) -> tuple[Document, PlayGraph, Moves]:
    """A content, the graph of all its positions, and the moves of a play page; no test changes them."""
    document = open_document(*case)
    graph = play_graph(document)
    return document, graph, Moves(packed(graph))


def described(case: Sequence[str]) -> str:
    return f"{case[0]}-{case[1].split(chr(10))[0][:20]}"


def as_told(play: Play) -> tuple[object, object, bool]:
    """The scene, the actions and whether it is solved, as the workbench shows them."""
    position = play.position()
    shown = json.loads(json.dumps(scene_data(position.scene)))
    actions = [(list(s.gesture.sites), list(s.gesture.keys), s.text) for s in position.steps]
    return shown, actions, position.solved


@pytest.mark.sweep(2)
@pytest.mark.parametrize("case", CONTENTS, ids=described)
def test_every_way_leads_to_the_position_whose_scene_the_model_shows(case: tuple[str, str]) -> None:
    document, graph, moves = whole_of(case)
    assert graph.complete
    assert moves.tables["complete"]
    assert len(moves.positions) == len(graph.states)
    chance = random.Random(7)
    for _ in range(6):
        number, play = 0, Play(document)
        for _ in range(40):
            shown, actions, solved = as_told(play)
            assert moves.scene(number) == shown
            assert [action[:3] for action in moves.actions(number)] == actions
            assert moves.positions[number].goal == solved
            if not actions:
                break
            chosen = chance.randrange(len(actions))
            play.state = document.model.apply(play.state, list(document.model.actions(play.state))[chosen])
            number = moves.actions(number)[chosen][3]


@pytest.mark.sweep(4)
@pytest.mark.parametrize("case", CONTENTS, ids=described)
def test_distances_are_those_of_shortest_solutions(case: tuple[str, str]) -> None:
    document, graph, moves = whole_of(case)
    assert [position.distance for position in moves.positions] == graph.distances
    chance = random.Random(11)
    for _ in range(8):
        number, taken = 0, []
        for _ in range(chance.randrange(12)):
            if not graph.edges[number]:
                break
            taken.append(chance.randrange(len(graph.edges[number])))
            number = graph.edges[number][taken[-1]].target
        found = Play(document, taken).solve()
        assert not found.limit_reached
        assert graph.distances[number] == (DEAD if found.length is None else found.length)


@pytest.mark.parametrize(
    "case",
    [pytest.param(each, marks=[] if each[0] == "snakebird" else [pytest.mark.slow]) for each in LARGE],
    ids=described,
)
def test_a_part_has_a_solution_and_says_what_it_does_not_know(case: tuple[str, str]) -> None:
    document = open_document(*case)
    graph = play_graph(document, most=1000)
    assert not graph.complete
    assert len(graph.states) == 200
    way = graph.solution()
    assert way is not None
    model, content = document.model, document.editor.content
    for number, edges in enumerate(graph.edges):
        actions = list(model.actions(graph.states[number])) if number not in graph.goals else []
        assert not graph.expanded[number] or len(actions) == len(edges)
        for action, edge in zip(actions, edges, strict=False):
            if edge.target != UNKNOWN:
                after = model.apply(graph.states[number], action)
                assert model.key(after) == model.key(graph.states[edge.target])
    assert [edge.target for edge in way][-1] in graph.goals
    assert graph.states[0] == model.initial(content)
    moves = Moves(packed(graph))
    assert [(p.distance, p.known) for p in moves.positions] == list(
        zip(graph.distances, graph.expanded, strict=True)
    )
    assert [[a[3] for a in moves.actions(n)] for n in range(200)] == [
        [edge.target for edge in edges] for edges in graph.edges
    ]


def test_a_part_proves_dead_only_what_is_dead() -> None:
    document = open_document("snakebird", examples("snakebird")["Patience"])
    whole = play_graph(document)
    part = play_graph(document, most=1000)
    numbers = {document.model.key(state): number for number, state in enumerate(whole.states)}
    verdicts = set()
    for number, state in enumerate(part.states):
        exact, told = whole.distances[numbers[document.model.key(state)]], part.distances[number]
        verdicts.add(told >= 0 or told)
        assert told == UNKNOWN or (exact == DEAD if told == DEAD else 0 <= exact <= told)
    assert verdicts == {True, UNKNOWN, DEAD}


def test_a_recorded_solution_leads_through_the_part() -> None:
    document = open_document("sliding", "8 6 7/2 5 4/3 0 1")
    shortest = Play(document).solve().actions
    recorded = ["down", "up", *shortest]
    steps = solution_steps(document, recorded)
    assert steps is not None
    assert [step.action for step in steps] == recorded
    part = play_graph(document, recorded, most=300)
    assert part.solution() is not None
    keys = {document.model.key(state) for state in part.states}
    state = document.model.initial(document.editor.content)
    for action in recorded:
        state = document.model.apply(state, action)
        assert document.model.key(state) in keys


def test_steps_are_those_of_play() -> None:
    document = open_document("fling", ".....\n.o...\n..o.o\no...o")
    steps = solution_steps(document)
    assert steps is not None
    taken: list[int] = []
    for step in steps:
        texts = [each.text for each in Play(document, taken).position().steps]
        taken.append(texts.index(step.text))
    assert Play(document, taken).position().solved
    assert solution_steps(open_document("fling", "o.o\n...\n..o")) is None


@pytest.mark.parametrize("case", CONTENTS, ids=described)
def test_actions_are_not_asked_of_a_goal(case: tuple[str, str], monkeypatch: pytest.MonkeyPatch) -> None:
    document = open_document(*case)
    model, ask = document.model, type(document.model).actions

    def strict(self: Any, state: Any) -> Any:
        assert not self.is_goal(state)
        return ask(self, state)

    monkeypatch.setattr(type(model), "actions", strict)
    steps = solution_steps(document)
    assert play_graph(document, most=20).goals or not steps


def test_what_cannot_be_played_says_why(monkeypatch: pytest.MonkeyPatch) -> None:
    document = open_document("witness", examples("witness")["An eraser"])

    def refuse(self: Any, content: Any) -> None:
        raise CandidateError("panels like this one are not played")

    monkeypatch.setattr(type(document.model), "initial", refuse)
    with pytest.raises(EpcgError, match="panels like this one are not played"):
        play_graph(document)


@pytest.mark.parametrize("title", ["An eraser", "Two lines"])
def test_panels_with_erasers_or_two_lines_are_played(title: str) -> None:
    graph = play_graph(open_document("witness", examples("witness")[title]))
    solution = graph.solution()
    assert solution is not None
    assert solution[-1].target in graph.goals


def test_an_editor_that_shows_no_positions_is_not_played(monkeypatch: pytest.MonkeyPatch) -> None:
    document = open_document("fling", "o..o\n.o..\n....")
    monkeypatch.delattr(type(document.editor), "position_scene")
    with pytest.raises(EpcgError, match="no position_scene"):
        play_graph(document)


def sizes(graph: PlayGraph) -> tuple[int, int]:
    return len(graph.states), len(packed(graph))


def test_ten_bytes_a_position_are_enough() -> None:
    for domain, name in (("snakebird", "Patience"), ("witness", "Triangles")):
        positions, length = sizes(play_graph(open_document(domain, examples(domain)[name])))
        assert length < 11 * positions + 2000


def test_a_new_content_has_a_graph_in_every_domain() -> None:
    for domain in ("fling", "sliding", "witness"):
        graph = play_graph(open_document(domain, new_text(domain)), most=500)
        assert Moves(packed(graph)).scene(0)["sites"]


@pytest.mark.parametrize("domain", ["snakebird", "puzzlescript"])
def test_marks_have_all_that_the_board_draws_them_from(domain: str) -> None:
    drawing = board_file("board.js").partition("export function drawMark")[2].partition("export class")[0]
    names = {"name", *re.findall(r"\bmark\.(\w+)", drawing)} - {"tile"}  # only a palette has tiles
    document = open_document(domain, next(iter(examples(domain).values())))
    palette = Moves(packed(play_graph(document))).tables["palette"]
    own = {mark.name: attrs.asdict(mark) for mark in document.editor.palette}
    ground = getattr(document.editor, "ground", None)
    own |= {} if ground is None else {"": attrs.asdict(ground) | {"name": ""}}
    assert ("" in {mark["name"] for mark in palette}) == (ground is not None)
    assert palette
    for mark in palette:
        kept = {name: own[mark["name"]][name] for name in names}
        rare = {"picture": mark.get("picture", []), "lines": mark.get("lines", "")}
        assert {name: mark[name] for name in names & mark.keys()} | rare == json.loads(json.dumps(kept))
        assert names - mark.keys() <= rare.keys()
    assert any("picture" in mark for mark in palette) == (domain == "puzzlescript")

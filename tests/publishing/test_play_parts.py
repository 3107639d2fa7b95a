"""Play part by part, against the domain's own transition model, scenes and reasons."""

from __future__ import annotations

import base64
import json
import random
import zlib
from pathlib import Path
from typing import Any

import attrs
import pytest
from epcg_publishing.limits import positions_in_words
from epcg_publishing.play import carried
from epcg_publishing.play_data import packed, scene_data
from epcg_publishing.play_graph import play_graph
from epcg_publishing.play_parts import PlayParts, packed_parts, play_parts
from epcg_publishing.share import Shared, share_page
from epcg_publishing.share_check import verify
from epcg_publishing.sharing import content_named

from epcg_core.editing.editing import Document, examples, open_document
from epcg_core.editing.play import Play
from tests.publishing.play_files import Moves

pytest.importorskip(
    "epcg_deduction", reason="there are no deduction puzzles here: pip install epcg-deduction"
)

GENRES = ["Slitherlink", "Nurikabe", "Akari", "Sudoku", "Masyu", "Fillomino", "Star battle", "Kakuro"]
UNFAIR = 'genre = "slitherlink"\n\n[puzzle]\ndrawing = """\n3.\n..\n"""\n'
SMALL = 'genre = "slitherlink"\n\n[puzzle]\ndrawing = """\n3.\n.3\n"""\n'
NONE = 'genre = "slitherlink"\n\n[puzzle]\ndrawing = """\n00\n03\n"""\n'


def opened(genre: str) -> Document:
    return open_document("deduction", examples("deduction")[genre])


def of(document: Document) -> PlayParts:
    found = play_parts(document)
    assert found is not None
    return found


class Page:
    """What a page does with the tables, written apart from its script."""

    def __init__(self, data: bytes) -> None:
        text = zlib.decompress(data)
        start = next(at for at, byte in enumerate(text) if byte < 128) + 1
        self.tables = json.loads(text[start:])
        self.here = [0] * len(self.tables["parts"])

    def actions(self) -> list[tuple[list[str], list[str], str, int, int]]:
        """(sites, keys, text, part, value afterwards) of each action."""
        found = []
        for part, value in enumerate(self.here):
            for gesture, to in self.tables["parts"][part][value][1]:
                sites, keys, text = self.tables["gestures"][gesture]
                found.append(([self.tables["sites"][site][0] for site in sites], keys, text, part, to))
        return found

    def scene(self) -> dict[str, Any]:
        tables, marks = self.tables, dict(self.tables["scene"]["marks"])
        for part, value in enumerate(self.here):
            for site, own in tables["parts"][part][value][0]:
                marks[tables["sites"][site][0]] = tables["marks"][own]
        shown = {site: own for site, own in marks.items() if own}
        return {**tables["scene"], "sites": tables["sites"], "marks": shown}

    @property
    def solved(self) -> bool:
        return any(
            all(v in own for v, own in zip(self.here, goal, strict=True)) for goal in self.tables["goals"]
        )


def go(page: Page, play: Play, chosen: int) -> None:
    part, to = page.actions()[chosen][3:]
    page.here[part] = to
    model = play._model
    play.state = model.apply(play.state, list(model.actions(play.state))[chosen])


def agree(page: Page, play: Play) -> None:
    position = play.position()
    assert page.scene() == json.loads(json.dumps(scene_data(position.scene)))
    assert page.solved == position.solved
    if not page.solved:
        told = [(list(s.gesture.sites), list(s.gesture.keys), s.text) for s in position.steps]
        assert [action[:3] for action in page.actions()] == told


@pytest.mark.sweep(2)
@pytest.mark.parametrize("genre", GENRES)
def test_every_way_of_writing_leads_where_the_model_leads(genre: str) -> None:
    document = opened(genre)
    page, play = Page(packed_parts(of(document))), Play(document)
    chance = random.Random(5)
    for _ in range(25):
        agree(page, play)
        go(page, play, chance.randrange(len(page.actions())))


@pytest.mark.sweep(2)
@pytest.mark.parametrize("genre", GENRES)
def test_the_hints_are_a_solution_and_each_is_the_reason_that_the_model_gives(genre: str) -> None:
    document = opened(genre)
    parts = of(document)
    page, play = Page(packed_parts(parts)), Play(document)
    assert [words for _, words in page.tables["hints"]]
    for number, (part, words) in enumerate(page.tables["hints"]):
        solution = play._model.solution(play.state)
        assert page.tables["words"][words] == play.reason()
        chosen = list(play._model.actions(play.state)).index(solution[0])
        assert page.actions()[chosen][2:4] == (parts.hints[number].step.text, part)
        go(page, play, chosen)
        agree(page, play)
    assert page.solved


def test_a_reason_holds_whatever_else_is_written_rightly() -> None:
    document = opened("Slitherlink")
    parts, model = of(document), document.model
    content: Any = document.editor.content
    start = model.initial(content)
    order = list(parts.hints)
    random.Random(3).shuffle(order)
    [goal] = model.goals(content)
    written = model.values(start)
    for hint in order:
        value = goal[hint.part][0]
        written = (*written[: hint.part], value, *written[hint.part + 1 :])
        state = model.position(content, written)
        assert "wrong" not in model.reason(state)
    assert model.is_goal(state)


def test_a_wrong_mark_has_its_reason() -> None:
    document = opened("Slitherlink")
    parts, model = of(document), document.model
    wrong = [value.why for part in parts.parts for value in part if value.why]
    assert wrong
    assert all(why.startswith("A mark is wrong: ") for why in wrong)
    [goal] = model.goals(document.editor.content)
    turned = sum(len(part) - len(own) for part, own in zip(parts.parts, goal, strict=True))
    assert len(wrong) == turned - sum(value[0] == 0 for value in goal)


def test_all_solutions_of_a_puzzle_that_is_not_fair_are_goals() -> None:
    parts = of(open_document("deduction", UNFAIR))
    document, model = parts.document, parts.document.model
    assert len(parts.goals) > 1
    for goal in model.goals(document.editor.content):
        values = [min(own) for own in goal]
        assert model.is_goal(model.position(document.editor.content, values))


def test_a_puzzle_without_a_solution_can_be_tried() -> None:
    play = of(open_document("deduction", NONE))
    assert (play.goals, play.hints, play.solution()) == ([], [], None)


def test_a_page_carries_all_positions_of_a_large_puzzle_in_few_bytes() -> None:
    found = carried(opened("Sudoku"))
    assert found.complete
    assert found.positions > 10**6
    assert len(found.moves) < 20_000
    assert positions_in_words(1234) == "1,234 positions"
    assert positions_in_words(found.positions**9) == "more positions than a list could hold"


@pytest.mark.parametrize("domain", ["fling", "sliding"])
def test_positions_that_are_not_made_of_parts_are_a_graph(domain: str) -> None:
    assert play_parts(open_document(domain, next(iter(examples(domain).values())))) is None


def test_a_page_of_puzzles_that_are_written_is_verified_and_a_forged_hint_is_found(tmp_path: Path) -> None:
    names = [f"deduction:puzzles?genre={name}#0" for name in ("slitherlink", "akari")]
    documents = [content_named(name) for name in names]
    shared = [Shared(document, puzzle=name) for document, name in zip(documents, names, strict=True)]
    page = share_page(shared, "Two")
    assert page.incomplete == []
    path = tmp_path / "two.html"
    path.write_bytes(page.html)
    checks, _ = verify(path, {"db": None})
    assert [(check.name, check.passed) for check in checks] == [
        ("form", True), ("program", True), ("puzzles", True), ("numbers", True),
    ]  # fmt: skip
    text = zlib.decompress(base64.b64decode(carried(documents[0]).moves))
    forged = base64.b64encode(
        zlib.compress(text.replace(b"Suppose", b"Believe").replace(b"Look", b"Gaze"), 9)
    )
    path.write_bytes(page.html.replace(carried(documents[0]).moves.encode(), forged))
    assert not all(check.passed for check in verify(path, {"db": None})[0])


def test_a_graph_of_a_model_that_explains_has_a_reason_at_each_position() -> None:
    document = open_document("deduction", SMALL)
    graph = play_graph(document, most=2000)
    moves, model = Moves(packed(graph)), document.model
    told = 0
    for number, position in enumerate(moves.positions):
        hint = graph.hint(number) if graph.expanded[number] else None
        assert position.hint == hint
        if hint is None:
            continue
        told += 1
        state, (action, why) = graph.states[number], hint
        assert list(model.actions(state))[action] == model.solution(state)[0]
        assert why == model.reason(state)
        assert graph.distances[graph.edges[number][action].target] >= 0
    assert told > 5


def test_a_graph_of_a_model_that_does_not_explain_has_no_reasons() -> None:
    graph = play_graph(open_document("fling", "o..o\n.o..\n...."))
    assert "words" not in Moves(packed(graph)).tables


class Overdrawn:
    """An editor that draws two parts at one site."""

    def __init__(self, editor: Any) -> None:
        self._editor = editor

    def __getattr__(self, name: str) -> Any:
        return getattr(self._editor, name)

    def position_scene(self, content: Any, state: Any) -> Any:
        scene = self._editor.position_scene(content, state)
        first = scene.sites[0].id
        return attrs.evolve(scene, marks={**scene.marks, first: tuple(map(str, state.marks))})


def test_parts_that_share_a_site_are_not_shown_apart() -> None:
    document = opened("Slitherlink")
    assert play_parts(attrs.evolve(document, editor=Overdrawn(document.editor))) is None

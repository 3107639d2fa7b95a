"""A GIF of moves: its pictures are those of the positions, in their order, with the times asked for."""

from __future__ import annotations

import io
import json
from itertools import pairwise
from pathlib import Path

import pytest

pytest.importorskip("resvg_py", reason="the extra 'gif' is not installed")
pytest.importorskip("PIL", reason="the extra 'gif' is not installed")

from epcg_publishing import gif as made_by
from PIL import Image, ImageSequence

from epcg_core.editing.editing import examples, open_document
from epcg_core.editing.play import solution_actions
from tests.publishing.test_share import GAME
from tests.workplace import Workplace


@pytest.fixture
def here(tmp_path: Path) -> Workplace:
    path = tmp_path / "game.txt"
    path.write_text(GAME, encoding="utf-8")
    return Workplace(tmp_path)


def frames(data: bytes) -> list[Image.Image]:
    return [frame.convert("RGB").copy() for frame in ImageSequence.Iterator(Image.open(io.BytesIO(data)))]


def durations(data: bytes) -> list[int]:
    return [int(frame.info["duration"]) for frame in ImageSequence.Iterator(Image.open(io.BytesIO(data)))]


def test_a_solution_of_a_level(here: Workplace) -> None:
    target = here.folder / "a.gif"
    said = here.epcg("gif", here.folder / "game.txt", "--output", target, "--json", "--size", 304, code=0)
    told = json.loads(said.stdout)
    data = target.read_bytes()
    assert told == {"output": str(target), "moves": ["right"], "solved": True, "bytes": len(data)}
    assert "shows 1 move, to the end" in said.stderr
    first, last = frames(data)
    assert first.size == last.size == (304, 145), "7 by 3 cells of 40 pixels, with margins of 12"
    at = [last.getpixel((12 + 40 * x + 20, 72)) for x in range(7)]
    before = [first.getpixel((12 + 40 * x + 20, 72)) for x in range(7)]
    assert before[3] == at[4], "the crate has moved by a cell"
    assert before[2] == at[3], "and the player"
    assert before[0] == at[0], "and the wall has not"
    assert durations(data) == [600, 1500]


def test_the_same_moves_are_the_same_bytes(here: Workplace) -> None:
    for name in ("a.gif", "b.gif"):
        here.epcg("gif", here.folder / "game.txt", "--output", here.folder / name, code=0)
    assert (here.folder / "a.gif").read_bytes() == (here.folder / "b.gif").read_bytes()


def test_moves_that_are_named_by_words_and_by_numbers(here: Workplace) -> None:
    path, target = here.folder / "game.txt", here.folder / "moves.gif"
    said = here.epcg("gif", path, "--move", "Left", "--move", 1, "--output", target, "--json", code=0)
    told = json.loads(said.stdout)
    assert (told["moves"], told["solved"]) == (["left", "right"], False)
    assert "which do not solve it" in said.stderr
    first, second, third = frames(target.read_bytes())
    assert first.tobytes() == third.tobytes() != second.tobytes()


def test_moves_that_are_named_as_an_intended_solution_names_them() -> None:
    """By the text of the action, which the workbench and the evaluator `intended_solution` show."""
    document = open_document("fling", next(iter(examples("fling").values())))
    actions = solution_actions(document, ())
    assert actions
    states, words = made_by._played(document, [str(action) for action in actions])
    assert document.model.is_goal(states[-1])
    assert words != [str(action) for action in actions]


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("--level", 2), "No solution of it is known"),
        (("--level", 9), "There is no level 9 in it"),
        (("--move", "jump"), "Move 1 is 'jump', and those of its position are 1 ("),
        (("--move", "9"), "Move 1 is '9'"),
        (("--move", "right", "--move", "right"), "Move 2 is 'right', and its position has no moves."),
        (("--move", "right") * 1001, "up to 1,000 moves, not 1,001"),
    ],
)
def test_mistakes_are_sentences(here: Workplace, arguments: tuple[object, ...], sentence: str) -> None:
    target = here.folder / "x.gif"
    said = here.epcg("gif", here.folder / "game.txt", *arguments, "--output", target, code=1)
    assert sentence in said.stderr
    assert "Traceback" not in said.stderr
    assert not target.exists()


def test_a_machine_without_fonts_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    import resvg_py

    drawn = resvg_py.svg_to_bytes
    monkeypatch.setattr(resvg_py, "svg_to_bytes", lambda **how: drawn(**how, skip_system_fonts=True))
    made_by._check_fonts.cache_clear()
    document = open_document("sliding", "1 2 3/4 0 5/7 8 6")
    with pytest.raises(made_by.QueryError, match="no font"):
        made_by.as_gif(document, [document.model.initial(document.editor.content)])
    made_by._check_fonts.cache_clear()


@pytest.mark.parametrize("domain", ["fling", "snakebird", "witness", "tangram", "deduction"])
def test_every_position_of_a_domain_is_a_picture(domain: str) -> None:
    """Pictures of one size, of which two that follow each other differ."""
    document = open_document(domain, next(iter(examples(domain).values())))
    actions = solution_actions(document, ())
    assert actions
    states = [document.model.initial(document.editor.content)]
    for action in actions:
        states.append(document.model.apply(states[-1], action))
    data = made_by.as_gif(document, states, 200)
    found = frames(data)
    assert {max(each.size) for each in found} == {200}
    assert sum(durations(data)) == 300 * (len(states) + 5)
    assert all(one.tobytes() != other.tobytes() for one, other in pairwise(found))

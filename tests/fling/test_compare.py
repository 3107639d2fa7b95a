"""Boards of others beside a whole space: texts, numbers of the game's files, a folder, images."""

from __future__ import annotations

import json
from itertools import product
from pathlib import Path
from typing import Any

import pytest

import epcg_core

pytest.importorskip("scipy", reason="the extra 'statistics' is not installed")
pytest.importorskip("statsmodels", reason="the extra 'statistics' is not installed")
faces: Any = epcg_core
QUERY = """domain = "fling"
[generator]
name = "boards"
width = 3
height = 3
pieces = 2
[[evaluators]]
name = "legal_moves"
"""


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Path("query.toml").write_text(QUERY)
    epcg_core.answer("query.toml", db="epcg.db", executor="serial")
    return tmp_path


def test_boards_are_read_in_each_form_and_compared_up_to_symmetry(place: Path) -> None:
    """A corner beside an edge in two images, and two pieces apart: two classes of all that there are."""
    boards = ["oo.\n...\n...\n", "...\n...\n.oo\n", "o..\n...\n..o\n"]
    Path("boards.txt").write_text("\n".join(boards))
    Path("boards.json").write_text(json.dumps(boards))
    Path("many").mkdir()
    for number, text in enumerate(boards):
        Path("many", f"{number}.txt").write_text(text)
    told = []
    for name in ("boards.txt", "boards.json", "many"):
        found = faces.compare(name, 1, db="epcg.db")
        assert (found.contents, found.inside, found.evaluated) == (3, 3, 36)
        assert (found.same.different, found.alike.different, found.alike.of) == (3, 2, 8)
        told.append(found.json() | {"file": ""})
    assert told[0] == told[1] == told[2]
    by_hand = {frozenset(image) for image in _classes()}
    assert len(by_hand) == 8


def _classes() -> list[list[frozenset[tuple[int, int]]]]:
    """All pairs of cells of a square of three, in classes of turns and reflections, by trying everything."""
    cells = list(product(range(3), repeat=2))
    found = []
    for one, other in product(cells, cells):
        if one < other:
            images = []
            for flip, turns in product((False, True), range(4)):
                image = []
                for x, y in (one, other):
                    x = 2 - x if flip else x
                    for _ in range(turns):
                        x, y = y, 2 - x
                    image.append((x, y))
                images.append(frozenset(image))
            found.append(images)
    return found


def test_a_board_of_another_size_is_outside_and_says_why(place: Path) -> None:
    Path("boards.txt").write_text("oo.\n...\n...\n\noo..\n....\n....\n....\n\nooo\n...\n...\n")
    found = faces.compare("boards.txt", 1, db="epcg.db")
    assert (found.contents, found.inside) == (3, 1)
    assert [where for where, _ in found.outside] == ["line 5", "line 10"]

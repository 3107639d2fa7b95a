"""How many ways a board has, as designers are told: published numbers, and those of other programs."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.workplace import epcg

DOMINOES = """
title = "Dominoes"
lattice = "squares"
board = {{ family = "rectangle", width = {width}, height = {height} }}
rules = {{ empty = {empty} }}
pieces = [{{ name = "domino", drawing = "##", copies = {copies} }}]
"""
ONE_SIDED = """
title = "One-sided pentominoes"
lattice = "squares"
board = { family = "rectangle", width = 30, height = 3 }
pieces = [{ shapes = { cells = 5, equal = "one-sided" } }]
"""
CORNERS = """
title = "Corners"
lattice = "squares"
board = { family = "rectangle", width = 6, height = 6 }
pieces = [{ name = "corner", drawing = "#.\\n##", copies = 12 }]
"""


def told(text: str) -> str:
    """Return what `epcg tangram info` says last of a game."""
    Path("own.packing").write_text(text)
    return epcg("tangram", "info", "own.packing").stdout.splitlines()[-1]


@pytest.mark.parametrize(
    ("width", "height", "copies", "empty", "answer"),
    [
        (8, 8, "32", 0, "In 1,629,189 ways. Turned and mirrored: 12,988,816."),
        (5, 5, "[0, 12]", 1, "In 282 ways. Turned and mirrored: 2,180."),
        (7, 5, "[0, 17]", 1, "In 9,502 ways. Turned and mirrored: 37,924."),
    ],
)
def test_dominoes(reader: Path, width: int, height: int, copies: str, empty: int, answer: str) -> None:
    """The chessboard of Kasteleyn (1961); the others were counted by a program that shares no code."""
    text = DOMINOES.format(width=width, height=height, copies=copies, empty=empty)
    assert told(text) == f"Can be filled. {answer}"


@pytest.mark.slow
def test_one_sided_pentominoes_are_as_many_as_in_published_lists(reader: Path) -> None:
    assert told(ONE_SIDED) == "Can be filled. In 46 ways. Turned and mirrored: 184."


@pytest.mark.slow
def test_puzzles_of_a_symmetric_board_are_as_hard_as_their_images(reader: Path) -> None:
    Path("corners.packing").write_text(CORNERS)
    values = []
    for boards in ("distinct", "all"):
        epcg(
            "run", "tangram/puzzles", "--set", "generator.game=corners.packing", "--set", "generator.size=2",
            "--set", f"generator.boards={boards}", "--set", "select.0.count=99", "--quiet",
            "--db", f"{boards}.db",
        )  # fmt: skip
        rows = epcg(
            "sql",
            "SELECT json_extract(scores, '$.muse') FROM kept",
            "--db",
            f"{boards}.db",
            "--format",
            "csv",
        ).stdout
        values.append([round(float(row), 9) for row in rows.splitlines()[1:]])
    assert [len(own) for own in values] == [4, 28]
    assert set(values[0]) == set(values[1])

"""The hours of the tutorial and of the guide on games of pieces, walked in a real browser."""

from __future__ import annotations

import importlib.util
import re
from pathlib import Path
from types import ModuleType

import pytest

from tests.whole.browser.chromium import browser_marks, open_page
from tests.whole.browser.test_workbench import said

pytestmark = browser_marks("starlette")
DOCS = Path(__file__).parents[3] / "docs"
NUMBERS = ["17 moves", "232 changes", "25 moves", "729 ways", "337 of the 729", "47 moves", "717 others"]
"""What the text says, which the steps wait for, or which is asked for below."""


OF_PIECES = [
    "in 145 ways", "1,728 have one way", "all 26", "169 boards", "534 ways", "3,128 of them", "6.58 bits",
    "has 3.17", "there are 144",
]  # fmt: skip


def hour(name: str) -> ModuleType:
    """Load the steps, which are a script of the pages."""
    spec = importlib.util.spec_from_file_location(name, DOCS / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_hour_of_the_tutorial_leads_to_a_booklet_and_a_page_for_a_friend(tmp_path: Path) -> None:
    steps = hour("make_workbench_pictures")
    text = (DOCS / "tutorial.md").read_text(encoding="utf-8")
    shown: list[str] = []
    with steps.served(tmp_path) as address, open_page(1280, 800) as (page, complaints):
        page.goto(address)
        for step in steps.STEPS:
            step(page, shown.append)
            if step is steps.fill:
                assert page.locator("#sketch-found").inner_text().startswith("47 moves")
        assert complaints == []
    for name in shown:
        assert f"(pictures/workbench_{name}.png)" in text
    for words in NUMBERS:
        assert words in text
    opened = re.findall(r"columns ([\d, and]+) of row (\d)", text)
    assert tuple(f"c{column},{row}" for columns, row in opened for column in re.findall(r"\d", columns)) == (
        steps.PLACES
    )
    folder = tmp_path / "games" / "crates"
    assert {"game.txt", "crates.toml", "crates.html", "crates-page.html", "epcg.db"} <= {
        path.name for path in folder.iterdir()
    }


def test_the_hour_of_the_guide_designs_a_game_of_pieces_by_questions(tmp_path: Path) -> None:
    pytest.importorskip(
        "epcg_tangram", reason="no domain here has a game that is drawn: pip install epcg-tangram"
    )
    steps = hour("make_pieces_pictures")
    text = (DOCS / "guides" / "pieces.md").read_text(encoding="utf-8")
    shown: list[str] = []
    told = {
        steps.sets: [("#shop-about", "In 145 ways."), ("#shop-kind-list", "1,728 have one way")],
        steps.chapters: [("#chapter-met", "144 of 144 puzzles"), ("#plan-chapters", "3.17 bits of choice")],
    }
    with steps.served(tmp_path) as address, open_page(1280, 800) as (page, complaints):
        page.goto(address)

        def seen(name: str) -> None:
            shown.append(name)
            for selector, words in {
                "which_board": [("#ask-said", "169 of 169"), ("#ask-answer", "534 ways")],
                "which_constraint": [("#ask-said", "3,128 of 3,128"), ("#ask-answer", "6.58 bits")],
                "which_puzzles": [("#ask-said", "144 of 144"), ("#ask-answer", "3.17 bits")],
            }.get(name, []):
                assert words in page.inner_text(selector)

        for step in steps.STEPS:
            step(page, seen)
            for selector, words in told.get(step, []):
                said(page, selector, words)
        assert complaints == []
    for name in shown:
        assert f"(../pictures/pieces_{name}.png)" in text
    for words in OF_PIECES:
        assert words in text
    folder = tmp_path / "games" / "snow"
    made = {"game.packing", "game 2.packing", "snow.toml", "snow.html", "snow-page.html", "epcg.db"}
    assert made <= {path.name for path in folder.iterdir()}

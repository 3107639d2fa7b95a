"""A kind of logic puzzle is made in a real browser: rules, faults, clues, hints, all fair puzzles, a page."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.whole.browser.chromium import browser_marks, open_page
from tests.whole.browser.test_project import saved, served
from tests.whole.browser.test_workbench import choose, drag, rest, said, shot

pytestmark = browser_marks("starlette")
pytest.importorskip(
    "epcg_deduction", reason="there are no deduction puzzles here: pip install epcg-deduction"
)

FIRES = '''title = "Campfires"
about = "Fires never share a side. Each row and each column has one or two. A number counts those beside it."

[marks]
cells = ["fire", "blank"]

[clues.n]
on = "cells"
values = "0..4"

[[rules]]
at = "n"
mark = "blank"

[[rules]]
each = "clue n"
look = "around"
count = "fire"
is = "clue"

[[rules]]
each = "pair"
count = "fire"
is = "..1"

[[rules]]
each = "line"
count = "fire"
is = "1..2"

[[puzzles]]
title = "first"
drawing = """
...
...
.2.
"""
'''
FAULTS = {
    ('look = "around"', 'looks = "around"'): (17, "Unknown key 'looks'. Did you mean 'look'?"),
    ('count = "fire"', 'count = "fires"'): (18, "Unknown mark 'fires'. Did you mean 'fire'?"),
    ('is = "1..2"', 'is = "half"'): (31, "Half of row 1 (and 5 more) is not a whole number"),
    (".2.\n", ".9.\n"): (36, "9 is outside the values of 'n' at r3c2"),
    (".2.\n", ".2\n"): (36, "This row has 2 signs, and the first one 3"),
}
"""What is written wrongly, with the line and the sentence that tell it."""


def test_a_genre_that_does_not_exist_is_made_played_asked_and_shared(tmp_path: Path) -> None:
    folder = tmp_path / "fires"
    folder.mkdir()
    (folder / "game.deduction").write_text(FIRES, encoding="utf-8")
    with served(folder) as (address, _), open_page(1280, 800) as (page, complaints):
        page.goto(address)
        rest(page)

        # every fault is a sentence with its line, and the text that is typed stays
        page.click("#text-button")
        for (right, wrong), (line, sentence) in FAULTS.items():
            page.fill("#source", FIRES.replace(right, wrong, 1))
            said(page, "#faults", sentence)
            assert f"{line}\n" in page.locator("#faults").inner_text()
            assert page.input_value("#source") == FIRES.replace(right, wrong, 1)
        page.fill("#source", FIRES)
        said(page, "#faults-button", "no faults")
        page.click("#text-button")

        # clues by mouse, and how many solutions they leave
        page.locator("#levels .piece").first.click()
        said(page, "#levels .chip", "✕ several solutions")
        said(page, "#verdict", "Several solutions")
        choose(page, "n 3")
        drag(page, ["c1,2"])
        said(page, "#levels .chip", "✓ fair")
        said(page, "#verdict", "It has exactly one solution.")
        shot(page, "deduction-edit")

        # play by the hints, each with its reason
        page.click('[data-mode="play"]')
        rest(page)
        assert page.locator("#play-keys").inner_text().startswith("Touch the board")
        assert page.locator("#actions").is_hidden()
        for _ in range(9):
            page.click("#hint")
            said(page, "#note", "Try: r")
            told = page.inner_text("#note").removeprefix("Try: r")
            row, column = told[0], told[2]
            assert len(told.split(". ")) > 1, "a hint says why"
            drag(page, [f"c{column},{row}"])
            if "blank" in told.split(".")[0]:
                drag(page, [f"c{column},{row}"])
            if "Solved" in page.inner_text("#play-state"):
                break
        said(page, "#play-state", "Solved")
        shot(page, "deduction-play")

        # all fair puzzles of the board, the hardest first
        page.click('[data-mode="edit"]')
        page.locator("#shop-list .piece").first.click()
        said(page, "#shop-title", "One solution")
        page.locator("#shop-questions button", has_text="Which need each of their clues?").click()
        page.wait_for_selector("#ask:not([hidden])")
        said(page, "#ask-metric", "hardest step")
        assert page.locator("#ask-metric").input_value() == "steps/hardest_step"
        page.click("#ask-run")
        page.locator("#ask-gallery img").nth(2).wait_for()
        rest(page)
        said(page, "#ask-said", "have a value of hardest step")
        shot(page, "deduction-ask")

        # one page for a friend, which has hints
        page.evaluate("location.hash = '#file/game.deduction/1'")
        page.wait_for_selector("#bench:not([hidden])")
        rest(page)
        saved(page)
        page.click("#share")
        said(page, "#shared", ".html")
        assert complaints == []
    [shared] = folder.glob("*.html")
    with open_page(390, 844, touch=True) as (page, complaints):
        page.goto(shared.as_uri())
        page.wait_for_selector("body[aria-busy=false]")
        page.locator("#hint").click()
        page.locator("#note", has_text="Try: r").wait_for()
        shot(page, "deduction-friend")
        assert complaints == []

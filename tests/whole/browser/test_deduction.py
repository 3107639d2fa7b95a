"""A kind of logic puzzle is made in a real browser: rules, faults, clues, hints, all fair puzzles, a page."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.whole.browser.chromium import browser_marks, open_page
from tests.whole.browser.test_project import saved, served
from tests.whole.browser.test_workbench import choose, drag, rest, said, shot, until

if TYPE_CHECKING:
    from playwright.sync_api import Page

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
        anchors = "all => [...all].map((each) => getComputedStyle(each).textAnchor)"
        assert set(page.locator("#levels .small text").evaluate_all(anchors)) == {"middle"}
        shot(page, "deduction-edit")

        # undo comes back to what was there, also from a state that was there once
        fair, several = page.input_value("#source"), FIRES
        page.click("#undo")
        until(page, lambda: page.input_value("#source") == several)
        page.click("#redo")
        until(page, lambda: page.input_value("#source") == fair)
        choose(page, "")
        drag(page, ["c1,2"])
        until(page, lambda: page.input_value("#source") == several)
        page.click("#undo")
        until(page, lambda: page.input_value("#source") == fair)
        page.click("#undo")
        until(page, lambda: page.input_value("#source") == several)
        page.click("#redo")
        said(page, "#levels .chip", "✓ fair")

        # the first wish of all changes is the hardest step, told in words
        page.click('[data-mode="analyse"]')
        assert page.locator("#metric").input_value() == "steps/hardest_step"
        page.click("#analyse")
        said(page, "#suggestions", "hardest step: ")
        rest(page)
        said(page, "#heat-legend", "hardest step")
        shot(page, "deduction-changes")

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
        said(page, "#ask-said", "can be ranked by hardest step")
        shot(page, "deduction-ask")

        # one page for a friend, which has hints
        chaptered(page, folder)
        page.evaluate("location.hash = '#file/game.deduction/1'")
        page.wait_for_selector("#bench:not([hidden])")
        rest(page)
        saved(page)
        page.click("#share")
        page.click("#share-make")
        said(page, "#shared", ".html")
        assert complaints == []
    booklet, chapter, shared = (folder / name for name in ("fires.html", "fires-page.html", "game.html"))
    with open_page(800, 1000) as (page, complaints):
        page.goto(booklet.as_uri())
        text = page.inner_text("body")
        assert "Fires never share a side." in text
        assert "rounds of steps" in text
        assert page.locator("svg").count() + page.locator("img").count() >= 2 * PUZZLES
        shot(page, "deduction-booklet")
        assert complaints == []
    for path, puzzles in ((chapter, PUZZLES), (shared, 1)):
        with open_page(390, 844, touch=True) as (page, complaints):
            page.goto(path.as_uri())
            page.wait_for_selector("body[aria-busy=false]")
            for number in range(1, puzzles + 1):
                page.evaluate("n => { location.hash = n; }", number)
                page.wait_for_function("n => RegExp(`Puzzle ${n}\\\\b`).test(document.title)", arg=number)
                page.wait_for_selector("body[aria-busy=false]")
                write_all(page)
                follow_hints(page)
            shot(page, f"deduction-{path.stem}")
            assert complaints == []


PUZZLES = 6


def chaptered(page: Page, folder: Path) -> None:
    """Put puzzles of the question into a chapter, from the fewest rounds to the most, and give it away."""
    page.click('a[href="#curricula"]')
    page.fill("#plan-title", "Fires")
    page.get_by_text("Begin the plan").click()
    page.select_option("#chapter-from", label="Which need each of their clues?")
    rest(page)
    page.fill("#chapter-keep-count", str(PUZZLES))
    page.keyboard.press("Tab")
    page.select_option("#chapter-metric", label="rounds of steps")
    rest(page)
    page.locator('[data-part="0.0"] li[data-entry] .open').nth(PUZZLES - 1).wait_for()
    said(page, '[data-part="0.0"]', "rounds of steps")
    shot(page, "deduction-chapter")
    for format, name in (("html", "fires.html"), ("page", "fires-page.html")):
        page.click(f'[data-format="{format}"]')
        until(page, (folder / name).exists)
        said(page, "#plan-give", name)


def write_all(page: Page) -> None:
    """Write a mark into every cell, one after the other: a friend's page knows where each of them leads."""
    cells = page.locator('#board [data-site^="c"]')
    sites = sorted({cells.nth(n).get_attribute("data-site") or "" for n in range(cells.count())})
    assert len(sites) == 9
    for site in sites:
        touched = page.inner_text("#state").partition(".")[0]
        page.locator(f'#board [data-site="{site}"]').first.click(force=True)
        page.wait_for_timeout(20)
        assert "not in this page" not in page.inner_text("#state") + page.inner_text("#note")
        if "Solved" in touched:
            break


def follow_hints(page: Page) -> None:
    """Solve a puzzle on a friend's page by its hints: wrong marks go first, and each hint says why."""
    for _ in range(60):
        if "Solved" in page.inner_text("#state"):
            return
        page.locator("#hint").click()
        page.locator("#note", has_text="Try: r").wait_for()
        note = page.inner_text("#note")
        assert len(note.split(". ")) > 1, note
        told = note.removeprefix("Try: r")
        page.locator(f'#board [data-site="c{told[2]},{told[0]}"]').first.click(force=True)
        page.wait_for_function("note => document.getElementById('note').textContent !== note", arg=note)
    raise AssertionError("The hints do not lead to a solution.")

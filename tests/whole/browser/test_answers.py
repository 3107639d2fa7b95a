"""The answers beside the board in a real browser: what people ask first, where it stands, and no spoilers."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import TYPE_CHECKING

from tests.whole.browser.chromium import browser_marks, open_page
from tests.whole.browser.test_drawing import FROST
from tests.whole.browser.test_workbench import rest, said, shot, until, workbench

if TYPE_CHECKING:
    from playwright.sync_api import Route

pytestmark = browser_marks("starlette")


def test_first_what_people_ask_then_where_it_stands(tmp_path: Path) -> None:
    with workbench(tmp_path, "fling") as address, open_page(1280, 800) as (page, complaints):
        page.goto(f"{address}#/fling/o..o%0A.o..%0Ao..o")
        said(page, "#verdict-word", "Can be solved")
        said(page, "#verdict-how", "In 4 moves, and in no fewer.")
        assert page.locator("#verdict-way li").count() == 4
        rest(page)
        headlines = page.locator("#measures tr[data-metric]:visible td:first-child").all_inner_texts()
        assert headlines[:2] == ["can be solved", "one way only"]
        page.click("#standing")
        page.click("#record-whole")
        said(page, "#stands", "Of 792 boards")
        assert page.locator("#stands .place .equal").first.evaluate("bar => bar.offsetWidth > 0")
        shot(page, "answers")
        page.click('[data-mode="analyse"]')
        page.check("#blind")  # nothing is told after that, and all again without it
        for part in ("#verdict", "#stands-part"):
            page.wait_for_selector(part, state="hidden")
        page.click('[data-mode="edit"]')
        assert page.locator("#verdict").is_hidden()
        assert set(page.locator("#measures td.value:visible").all_inner_texts()) == {"…"}
        page.evaluate("location.hash = '#/fling/oo..%0A....%0A....'")
        rest(page)
        assert page.locator("#verdict").is_hidden()
        page.uncheck("#blind")
        said(page, "#verdict-word", "Cannot be solved")
        page.click('[data-mode="play"]')
        rest(page)
        page.evaluate("location.hash = '#/fling/o.o.%0A....%0A....'")
        rest(page)
        page.click('[data-mode="edit"]')
        said(page, "#verdict-word", "Can be solved")
        page.click("#verdict-show")
        assert page.locator('[data-mode="play"]').get_attribute("aria-pressed") == "true"
        assert complaints == []


SPOILERS = """() => [...document.querySelectorAll(
  "#sketch-answer, #sketch-bars svg, #sketch-found li, #suggestions li, #wish-answer, #verdict, "
    + "#stands .place, #levels .chip, #board .tile, #board2 .tile, #measures td.value")]
  .filter((each) => each.checkVisibility({ visibilityProperty: true }) && each.textContent.trim() !== "…")
  .map((each) => each.closest("[id]").id)"""
"""Where the page tells what can be known of the content on the board."""


def test_answers_that_are_hidden_are_hidden_on_all_pages_of_the_board(tmp_path: Path) -> None:
    (tmp_path / "game").mkdir()
    shutil.copy(FROST, tmp_path / "game" / "frost.txt")
    with workbench(tmp_path, str(tmp_path / "game")) as address, open_page(1280, 800) as (page, complaints):
        page.goto(address)
        said(page, "#levels .chip", "✓ 3 moves")
        page.click('[data-mode="analyse"]')
        page.select_option("#metric2", "shortest_solution/expansions")
        page.click("#analyse")
        said(page, "#progress", "nothing is left out")
        page.wait_for_selector("#board2 .tile")
        page.click('[data-mode="sketch"]')
        page.locator("#board").focus()
        page.keyboard.press("Enter")
        page.wait_for_selector("#sketch-found li")
        page.wait_for_selector("#sketch-bars svg")
        rest(page)
        everything = {"levels", "sketch-answer", "sketch-bars", "sketch-found"}
        assert set(page.evaluate(SPOILERS)) == everything
        assert page.locator("#blind-note").is_hidden()
        page.click('[data-mode="analyse"]')
        page.wait_for_selector("#board .tile")
        page.check("#blind")
        for mode in ("edit", "play", "analyse", "sketch"):
            page.click(f'[data-mode="{mode}"]')
            rest(page)
            assert page.evaluate(SPOILERS) == [], mode
            assert page.locator("#blind-note").is_visible() == (mode in ("analyse", "sketch"))
        page.click("#unblind")
        assert set(page.evaluate(SPOILERS)) == everything
        page.click('[data-mode="analyse"]')
        assert {"board", "board2"} <= set(page.evaluate(SPOILERS)), "the maps are there again"
        assert complaints == []


def test_fill_shows_no_answers_about_what_was_written_before(tmp_path: Path) -> None:
    """The text changes on the page itself: by Undo, by a guess beside a fault, by another program."""
    (tmp_path / "game").mkdir()
    shutil.copy(FROST, tmp_path / "game" / "frost.txt")
    with workbench(tmp_path, str(tmp_path / "game")) as address, open_page(1280, 800) as (page, complaints):
        page.goto(address)
        said(page, "#levels .chip", "✓ 3 moves")
        page.locator("#board").focus()
        for key in ("ArrowRight", "Enter"):
            page.keyboard.press(key)
        page.wait_for_selector("#undo:not([disabled])")
        rest(page)
        page.click('[data-mode="sketch"]')
        page.locator("#board").focus()
        page.keyboard.press("Enter")
        page.wait_for_selector("#sketch-found li")
        rest(page)
        page.route("**/fillings", lambda _: None)  # new answers do not come
        page.click("#undo")
        page.wait_for_selector("#sketch-found li", state="detached")
        assert page.locator("#sketch-answer").inner_text() == ""
        assert complaints == []


def test_nothing_can_be_asked_before_there_is_a_question(tmp_path: Path) -> None:
    with workbench(tmp_path, "fling") as address, open_page(1280, 800) as (page, complaints):
        held: list[Route] = []
        page.route("**/parts", lambda route: held.append(route))
        page.goto(f"{address}#ask")
        page.wait_for_selector("#ask-run:visible")
        assert page.locator("#ask-run").is_disabled()
        assert page.locator("#ask-save").is_disabled()
        until(page, lambda: bool(held))
        held[0].continue_()
        page.wait_for_selector("#ask-run:enabled")
        assert complaints == []

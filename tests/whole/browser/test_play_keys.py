"""Keys play wherever the focus is, but in fields and in what arrows lead through, on all pages that play."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from epcg_core.editing.editing import examples
from tests.whole.browser.chromium import browser_marks, open_page
from tests.whole.browser.test_game import folder, played, screen
from tests.whole.browser.test_share import at_level, friend, shown
from tests.whole.browser.test_site import FLING, PANEL, site
from tests.whole.browser.test_workbench import paste, rest, said, until, workbench

if TYPE_CHECKING:
    from playwright.sync_api import Page

pytestmark = browser_marks("starlette", "epcg_puzzlescript")
__all__ = ["folder", "site"]

FOCUS = "document.activeElement?.id ?? ''"
PANEL_TEXT = "+---E\n|   |\nS---+"
MOVED = {
    "witness": (PANEL_TEXT, "ArrowRight", "2 moves."),
    "snakebird": (examples("snakebird")["First Bite"], "ArrowRight", "1 move."),
    "fling": (".o..o\n.....\no...o", "ArrowRight", ""),
}


def focus(page: Page) -> str:
    found: str = page.evaluate(FOCUS)
    return found


@pytest.mark.parametrize("domain", MOVED)
def test_arrows_play_after_a_click_on_the_tab(domain: str, tmp_path: Path) -> None:
    """Where an arrow makes no move, it moves the cursor of the board."""
    text, key, state = MOVED[domain]
    with workbench(tmp_path) as address, open_page() as (page, complaints):
        page.goto(address)
        rest(page)
        paste(page, text, domain)
        page.wait_for_selector("#bench:not([hidden])")
        rest(page)
        page.click('[data-mode="play"]')
        said(page, "#play-state", "0 moves.")
        if domain == "witness":
            said(page, "#play-keys", "Arrow keys or WASD move")
        page.keyboard.press(key)
        until(page, lambda: focus(page) == "board")
        rest(page)
        assert page.locator("#board .here").count() == (not state), "the cursor is shown where it chooses"
        if state:
            said(page, "#play-state", state)
            page.click("#play-undo")
            rest(page)
            page.click("#restart")  # a pointer leaves the keys to the board
            said(page, "#play-state", "0 moves.")
            page.keyboard.press(key)
            said(page, "#play-state", state)
            page.focus("#restart")  # Enter is for the button that Tab has led to
            page.keyboard.press("Shift+Tab")
            page.keyboard.press("Tab")
            page.keyboard.press("Enter")
            said(page, "#play-state", "0 moves.")
        assert complaints == []


def test_a_line_is_drawn_to_its_end_by_keys(tmp_path: Path) -> None:
    with workbench(tmp_path) as address, open_page() as (page, complaints):
        page.goto(address)
        rest(page)
        paste(page, PANEL_TEXT, "witness")
        page.wait_for_selector("#bench:not([hidden])")
        rest(page)
        page.click('[data-mode="play"]')
        said(page, "#play-state", "0 moves.")
        for pressed in ("ArrowRight", "ArrowUp", "Enter"):
            page.keyboard.press(pressed)
        said(page, "#play-state", "Solved in 4 moves.")
        page.keyboard.press("z")
        said(page, "#play-state", "3 moves.")
        page.click('[data-mode="play"]')  # begins again
        said(page, "#play-state", "0 moves.")
        page.keyboard.press("Enter")  # is not for the tab
        said(page, "#play-state", "1 move.")
        assert complaints == []


def test_a_list_keeps_its_arrows_and_enter_goes_on_after_a_click(folder: Path) -> None:
    with played(folder, 1280, 800) as (page, complaints):
        told = page.locator("#play-keys").inner_text()
        assert "WASD move, Z or U takes back" in told, "the game has no action key, no clock, no checkpoints"
        page.keyboard.press("ArrowRight")  # after a click on the tab
        said(page, "#play-state", "Solved in 1 move.")
        page.locator('#modes [data-mode="play"]').click()
        said(page, "#play-state", "0 moves.")
        page.keyboard.press("ArrowRight")
        said(page, "#play-state", "Solved in 1 move.")
        page.keyboard.press("Enter")
        said(page, "#play-state", "0 moves.")
        assert page.url.endswith("/3")
        page.locator("#levels .level .piece").first.click()
        said(page, "#play-state", "0 moves.")
        page.keyboard.press("ArrowRight")
        said(page, "#play-state", "Solved in 1 move.")
        page.locator("#board").focus()
        page.locator("#levels .level .piece").first.focus()
        page.keyboard.press("Tab")
        page.keyboard.press("Shift+Tab")
        before = page.locator("#play-state").inner_text()
        page.keyboard.press("ArrowDown")
        assert page.evaluate("document.activeElement?.closest('#levels > li')?.dataset.number") != "1"
        assert page.locator("#play-state").inner_text() == before
        page.locator("#run-title").click()
        screen(page, "Three rooms")
        page.keyboard.press("Enter")
        screen(page, "Push it home")
        assert complaints == []


@pytest.mark.parametrize("number", [FLING, PANEL])
def test_arrows_play_on_the_page_of_a_puzzle(number: int, site: Path) -> None:
    with open_page(1280, 800) as (page, complaints):
        page.goto(f"{(site / 'play.html').as_uri()}#{number}")
        page.locator("#state", has_text="0 moves.").wait_for()
        page.locator("#restart").click()
        page.keyboard.press("ArrowUp")
        until(page, lambda: focus(page) == "board")
        if number == PANEL:
            page.locator("#state", has_text="2 moves.").wait_for()
        assert complaints == []


def test_arrows_play_on_the_page_for_a_friend(tmp_path: Path) -> None:
    with open_page(1280, 800) as (page, complaints):
        page.goto(friend(tmp_path).as_uri())
        shown(page, "Three rooms")
        page.locator("#game p").first.click()
        shown(page, "Push it home")
        page.keyboard.press("Enter")
        at_level(page, "Level 1")
        page.locator("#restart").click()
        page.keyboard.press("ArrowRight")
        page.locator("#state", has_text="Solved in 1 move.").wait_for()
        page.locator("#undo").click()
        page.keyboard.press("ArrowRight")
        page.keyboard.press("Enter")
        at_level(page, "Level 2")
        assert complaints == []

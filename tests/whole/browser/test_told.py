"""What is told at once, and where it belongs: that a search goes on, that a condition lacks its number."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.whole.browser.chromium import browser_marks, open_page
from tests.whole.browser.test_workbench import paste, rest, said, shot, until, workbench

if TYPE_CHECKING:
    from playwright.sync_api import Page, Route

pytestmark = browser_marks("starlette")
BOARD = "oo..o\n.o...\no..o.\n....."


@contextmanager
def opened(folder: Path, width: int = 1280) -> Iterator[tuple[Page, list[str]]]:
    """Open a board."""
    with workbench(folder) as address, open_page(width, 844) as (page, complaints):
        page.goto(address)
        rest(page)
        paste(page, BOARD, "fling")
        page.wait_for_selector("#bench:not([hidden])")
        rest(page)
        yield page, complaints


@pytest.mark.parametrize(
    ("button", "place", "told", "after"),
    [
        ("#show-solution", "#play-state", "Looking for a solution …", "moves"),
        ("#hint", "#note", "Looking for a hint …", "Try: "),
    ],
)
def test_a_search_that_a_person_waits_for_is_told_at_once(
    button: str, place: str, told: str, after: str, tmp_path: Path
) -> None:
    with opened(tmp_path) as (page, complaints):
        page.click('[data-mode="play"]')
        said(page, "#play-state", "0 moves.")
        rest(page)
        held: list[Route] = []
        page.route("**/api/solve", lambda route: held.append(route))
        page.click(button)
        said(page, place, told)
        while not held:
            page.wait_for_timeout(20)
        held[0].continue_()
        said(page, place, after)
        assert complaints == []


@pytest.mark.parametrize("width", [1280, 390])
def test_a_page_that_waits_says_so(width: int, tmp_path: Path) -> None:
    """Before anything has come, and while the first answers are searched; nothing is said at rest."""
    moment = "#moment"
    with workbench(tmp_path) as address, open_page(width, 844) as (page, complaints):
        held: list[Route] = []
        page.route("**/settings", lambda route: held.append(route))
        page.goto(address)
        page.wait_for_selector(moment, state="visible")
        shot(page, f"moment-{width}")
        until(page, lambda: bool(held))
        held.pop().continue_()
        page.unroute("**/settings")
        rest(page)
        page.wait_for_selector(moment, state="hidden")
        paste(page, BOARD, "fling")
        page.wait_for_selector("#bench:not([hidden])")
        rest(page)
        page.route("**/api/solve", lambda route: held.append(route))
        page.reload()
        said(page, "#waits", "One moment: a solution is searched …")
        assert page.locator("#waits button").count() == 0, "it can be stopped when it takes long"
        assert page.locator(moment).is_hidden(), "it is said once"
        for route in held:
            route.continue_()
        page.unroute("**/api/solve")
        page.wait_for_selector("#waits p", state="detached")
        assert complaints == []


@pytest.mark.parametrize("width", [1280, 390])
def test_a_condition_without_its_number_is_told_and_not_counted(width: int, tmp_path: Path) -> None:
    lacks = "Type a number: until then this condition is left out."
    with opened(tmp_path, width) as (page, complaints):
        page.click('[data-mode="analyse"]')
        page.click("#add-condition")
        page.select_option("#condition-0", "winning_moves/winning_moves")
        said(page, "#condition-0-lacks", lacks)
        assert page.get_attribute("#condition-0-number", "aria-describedby") == "condition-0-lacks"
        page.click("#analyse")  # begins nothing: it asks for the number
        page.wait_for_selector("#condition-0-number:focus")
        assert "bad" in (page.get_attribute("#condition-0-lacks", "class") or "")
        assert page.locator("#wish-answer .verdict").count() == 0
        shot(page, f"wish-lacks-{width}")
        page.keyboard.type("3")
        page.keyboard.press("Tab")
        page.wait_for_selector("#condition-0-lacks", state="detached")
        page.click("#analyse")
        said(page, "#wish-answer .verdict", "meet all conditions")
        page.fill("#condition-0-number", "")
        page.press("#condition-0-number", "Tab")
        said(page, "#condition-0-lacks", lacks)

        # what is tried without being asked for says what it leaves out
        page.click('[data-mode="sketch"]')
        page.locator("#board").focus()
        page.keyboard.press("Enter")
        page.check('#sketch-marks input[value=""]', force=True)
        page.check('#sketch-marks input[value="ball"]', force=True)
        page.click("#sketch-add-condition")
        said(page, "#sketch-condition-0-lacks", lacks)
        said(page, "#sketch-answer", "1 condition is left out: it lacks a number.")
        assert complaints == []

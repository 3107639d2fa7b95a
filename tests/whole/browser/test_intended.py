"""The solution that a designer intends, in a real browser: played, chosen, and kept by changes."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from epcg_workbench.changes import Effects

from epcg_core.editing.editing import open_document
from tests.whole.browser.chromium import browser_marks, open_page
from tests.whole.browser.test_workbench import paste, rest, said, shot, text_of, workbench

if TYPE_CHECKING:
    from playwright.sync_api import Page

pytestmark = browser_marks("starlette")

LEVEL = """\
........
........
........
.>1..E..
########
"""
KEYS = ["ArrowUp", "ArrowRight", "ArrowRight", "ArrowRight"]
WRITTEN = "1U, 1R, 1R, 1R"


def wish(page: Page) -> None:
    """Wish for changes with the fewest other solutions that keep the intended one a shortest one."""
    page.select_option("#metric", "other_solutions/other_solutions")
    page.select_option("#keep", "lowest")
    page.click("#add-condition")
    page.select_option("#condition-0", "intended_solution/intended_stays")
    page.select_option("#condition-0-is", "true")
    page.click("#add-condition")
    page.select_option("#condition-1", "intended_solution/moves_saved")
    page.select_option("#condition-1-how", "equals")
    page.fill("#condition-1-number", "0")
    page.press("#condition-1-number", "Tab")


def met(solution: str) -> tuple[int, int]:
    """How many changes meet that wish, and of how many, by the evaluators alone."""
    effects = Effects(
        open_document("snakebird", LEVEL), "other_solutions", others=["intended_solution"], solution=solution
    )
    changes = [change for part in effects for change in part]
    good = [c for c in changes if c.values["intended_stays"] and c.values["moves_saved"] == 0]
    return len(good), len(changes)


def tried(page: Page) -> str:
    page.click("#analyse")
    said(page, "#progress", "nothing is left out")
    rest(page)
    return page.locator("#wish-answer").inner_text()


def test_changes_keep_the_first_shortest_solution_or_the_one_that_was_played(tmp_path: Path) -> None:
    with workbench(tmp_path) as address, open_page() as (page, complaints):
        page.goto(address)
        rest(page)
        paste(page, LEVEL, "snakebird")
        page.wait_for_selector("#bench:not([hidden])")
        rest(page)
        page.click('[data-mode="analyse"]')
        assert page.locator("#intended-part").is_hidden()
        wish(page)
        assert page.locator("#intended option").all_inner_texts() == ["the first shortest one of this level"]
        good, every = met("")
        assert 0 < good < every
        assert f"{good} of {every} meet all conditions" in tried(page)

        page.click('[data-mode="play"]')
        rest(page)
        for key in KEYS:
            page.keyboard.press(key)
            rest(page)
        said(page, "#play-state", f"Solved in {len(KEYS)} moves")
        page.click('[data-mode="analyse"]')
        rest(page)
        page.select_option("#intended", label="the one played last (4 moves)")
        longer, every = met(WRITTEN)
        assert 0 < longer < good
        assert f"{longer} of {every} meet all conditions" in tried(page)
        shot(page, "intended")
        page.set_viewport_size({"width": 390, "height": 844})
        shot(page, "intended-narrow")

        page.click("#record")
        said(page, "#progress", "Kept (run")
        before = text_of(page)
        page.locator("#suggestions button.change").first.click()
        rest(page)
        assert text_of(page) != before
        assert page.locator("#intended").input_value() == WRITTEN
        assert complaints == []

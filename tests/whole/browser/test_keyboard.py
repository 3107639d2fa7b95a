"""A game is made, played, changed and printed by the keyboard; each control has a role and a name."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.whole.browser.chromium import browser_marks, open_page
from tests.whole.browser.test_curricula import entries
from tests.whole.browser.test_first import board, started
from tests.whole.browser.test_project import saved
from tests.whole.browser.test_workbench import rest, said, until

if TYPE_CHECKING:
    from playwright.sync_api import Page

pytestmark = browser_marks("starlette", "epcg_puzzlescript")

ARROWS = {"up": "ArrowUp", "right": "ArrowRight", "down": "ArrowDown", "left": "ArrowLeft"}
NAMED = {
    "button", "link", "checkbox", "radio", "combobox", "textbox", "searchbox", "spinbutton", "slider", "tab",
    "menuitem", "image", "dialog", "radiogroup", "toolbar", "navigation", "DisclosureTriangle",
}  # fmt: skip
"""The roles of what one uses or looks at, which needs a name."""
ON = "selector => document.activeElement?.matches(selector) ?? false"
MOST_TABS = 400


def reach(page: Page, selector: str) -> None:
    """Press Tab until the focus is on an element."""
    page.wait_for_selector(f"{selector}:visible")
    for _ in range(MOST_TABS):
        if page.evaluate(ON, selector):
            return
        page.keyboard.press("Tab")
    raise AssertionError(f"{selector} is not reached by Tab.")


def press(page: Page, selector: str, *keys: str) -> None:
    """Reach an element, and press keys there."""
    reach(page, selector)
    for key in keys or ("Enter",):
        page.keyboard.press(key)
    rest(page)


def nameless(page: Page) -> list[str]:
    """The controls and pictures of the page that have no name, and ids that several elements have."""
    session = page.context.new_cdp_session(page)
    nodes = session.send("Accessibility.getFullAXTree")["nodes"]
    found = []
    for node in nodes:
        role, name = (node.get(key, {}).get("value", "") for key in ("role", "name"))
        if node["ignored"] or role not in NAMED:
            continue
        if not name.strip() or re.search(r"undefined|null|NaN|\[object", name):
            described = session.send("DOM.describeNode", {"backendNodeId": node["backendDOMNodeId"]})
            found.append(f"{role} {name!r}: {described['node'].get('attributes')}")
    ids = page.evaluate("[...document.querySelectorAll('[id]')].map(each => each.id)")
    return found + [f"#{name} is there {count} times" for name, count in Counter(ids).items() if count > 1]


def is_told(page: Page, selector: str) -> bool:
    """Whether readers of screens hear what an element comes to say."""
    told: bool = page.locator(selector).evaluate(
        "each => Boolean(each.closest('[aria-live], [role=status], [role=alert]'))"
    )
    return told


def test_a_game_is_made_by_the_keyboard_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """From the first page to a booklet: no pointer is used."""
    monkeypatch.setenv("EPCG_STATE", str(tmp_path / "state"))
    folder = tmp_path / "games"
    folder.mkdir()
    with started(folder) as (address, _), open_page(1280, 800) as (page, complaints):
        page.goto(address)
        rest(page)
        until(page, lambda: page.locator("#around img").count() > 0)
        assert nameless(page) == []
        press(page, "#make-rules")
        assert nameless(page) == []
        page.keyboard.type("frost")
        page.keyboard.press("Enter")
        page.wait_for_selector("#levels .level:nth-child(2)")
        rest(page)
        assert nameless(page) == []

        # level 3 is drawn, and the drawing undone
        press(page, "#levels .piece", *["ArrowDown"] * 9, "Enter")
        page.wait_for_selector('#levels .piece[aria-label^="Level 3"][aria-current]')
        saved(page)
        level = board(page)
        reach(page, '#palette [role="radio"]')
        for _ in range(10):
            if page.evaluate(ON, '[data-mark="wall"]'):
                break
            page.keyboard.press("ArrowRight")
        assert page.locator('#palette [data-mark="wall"]').get_attribute("aria-checked") == "true"
        press(page, "#board", "ArrowRight", "ArrowDown", "Enter")
        said(page, "#note", "column 2, row 2")
        assert board(page) != level
        page.keyboard.press("Control+z")
        until(page, lambda: board(page) == level)
        assert page.evaluate(ON, "#board")

        # it is played to the end by arrows, with hints
        press(page, '[data-mode="play"]')
        assert nameless(page) == []
        for _ in range(40):
            if "Solved" in page.locator("#play-state").inner_text():
                break
            press(page, "#hint")
            said(page, "#note", "Try: ")
            page.keyboard.press(ARROWS[page.locator("#note").inner_text().removeprefix("Try: ").strip(".")])
            until(page, lambda: not page.locator("#note").inner_text())
            rest(page)
        said(page, "#play-state", "Solved in 17 moves.")
        assert all(is_told(page, selector) for selector in ("#play-state", "#note"))

        # all changes, a condition, and the best suggestion
        press(page, '[data-mode="analyse"]')
        press(page, "#add-condition")
        assert page.evaluate(ON, "#condition-0")
        page.keyboard.type("shortest sol")
        rest(page)
        assert page.evaluate(ON, "#condition-0")
        press(page, "#condition-0-number", "1", "Tab")
        assert page.evaluate("document.activeElement !== document.body")
        press(page, "#analyse")
        page.wait_for_selector("#suggestions button.change")
        rest(page)
        assert nameless(page) == []
        assert is_told(page, "#wish-answer")
        press(page, "#suggestions button.change")
        until(page, lambda: board(page) != level)
        saved(page)
        assert page.evaluate("document.activeElement !== document.body")

        # two places are filled in all ways
        press(page, '[data-mode="sketch"]')
        press(page, "#board", "Enter", "ArrowRight", "Enter")
        for mark in ("wall", "crate"):
            press(page, f'#sketch-marks input[value="{mark}"]', "Space")
            assert page.evaluate(ON, f'#sketch-marks input[value="{mark}"]')
        said(page, "#sketch-count", "9 ways to fill 2 places")
        page.wait_for_selector("#sketch-run:enabled")
        press(page, "#sketch-run")
        said(page, "#sketch-progress", "run 1")
        page.wait_for_selector("#sketch-found li:nth-child(4)")
        rest(page)
        assert nameless(page) == []
        assert all(is_told(page, f"#sketch-{name}") for name in ("count", "progress", "answer"))

        # a plan takes four of them evenly; one is moved; a booklet is written
        press(page, 'a[href="#curricula"]')
        page.wait_for_selector("#plan-title:focus")
        page.keyboard.type("Rising")
        page.keyboard.press("Enter")
        page.locator('[data-part="0.0"]', has_text="No puzzle yet").wait_for()
        rest(page)
        page.wait_for_selector("#chapter-from")
        reach(page, "#chapter-from")
        page.keyboard.type("All levels")
        page.wait_for_selector('[data-part="0.0"] li[data-entry]:nth-child(4)')
        rest(page)
        assert page.evaluate(ON, "#chapter-from")
        own = entries(page, "0.0")
        assert len(own) == 4
        press(page, '[data-part="0.0"] .open', "Alt+ArrowRight")
        until(page, lambda: entries(page, "0.0") == [own[1], own[0], *own[2:]])
        rest(page)
        assert page.evaluate(
            "id => document.activeElement?.closest('[data-entry]')?.dataset.entry === id", own[0]
        )
        assert is_told(page, "#plan-said")
        assert nameless(page) == []
        press(page, '#plan-give [data-format="html"]')
        written = '#plan-give .give:has([data-format="html"]) .giving'
        said(page, written, "rising.html")
        assert is_told(page, written)
        press(page, 'a[href="#ask"]')
        page.wait_for_selector("#ask-metric")
        rest(page)
        assert nameless(page) == []
        assert complaints == []
    booklet = next(tmp_path.rglob("rising.html")).read_text("utf-8")
    assert "Rising" in booklet

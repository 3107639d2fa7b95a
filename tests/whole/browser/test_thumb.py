"""A level is drawn, played, changed and given away on a phone, by touch alone; nothing is cut there."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from epcg_workbench.project.templates import new_project

from tests.whole.browser.chromium import browser_marks, finger, open_page
from tests.whole.browser.test_project import saved, served
from tests.whole.browser.test_workbench import SMALL_BOARD, rest, said, shot, swipe, text_of, until, workbench

if TYPE_CHECKING:
    from playwright.sync_api import Page

pytestmark = browser_marks("starlette", "epcg_puzzlescript")

TABS = ("edit", "play", "analyse", "sketch")
WAYS = {"up": (0, -90), "right": (90, 0), "down": (0, 90), "left": (-90, 0)}
SMALL = """least => [...document.querySelectorAll("button, select, summary, input, a[href], textarea")]
  .filter(each => each.checkVisibility({ visibilityProperty: true }) && !each.closest("epcg-board"))
  .map(each => [each, each.closest("label") ?? each])
  .map(([each, touched]) => [each, touched.getBoundingClientRect()])
  .filter(([, box]) => box.width && box.height && (box.height < least || box.width < least))
  .map(([each, box]) => `${each.id || each.className || each.outerHTML.slice(0, 80)} \
${Math.round(box.width)} x ${Math.round(box.height)}`)"""
COVERED = """() => {
  const tabs = document.getElementById("tabs").getBoundingClientRect();
  scrollTo(0, document.body.scrollHeight);
  const ends = [...document.querySelectorAll("main:not([hidden]) :is(button, select, input, summary)")]
    .filter(each => each.checkVisibility()).map(each => each.getBoundingClientRect().bottom);
  scrollTo(0, 0);
  return Math.max(...ends) - tabs.top; }"""

CLIPPED = """() => [...document.querySelectorAll("main:not([hidden]) :is(button, select, input, summary)")]
  .filter(each => each.checkVisibility())
  .filter(each => { for (let up = each.parentElement; up; up = up.parentElement)
    if (getComputedStyle(up).overflowY !== "visible" && up.clientHeight + 1 < each.offsetHeight) return true;
    return false; })
  .map(each => `${each.id || each.value || each.textContent} is clipped`)"""


def cut(page: Page, least: int = 40) -> list[str]:
    """What is too small for a thumb, clipped by what it lies in, wider than the page, or below the tabs."""
    found: list[str] = page.evaluate(SMALL, least)
    found += page.evaluate(CLIPPED)
    wide = page.evaluate("document.documentElement.scrollWidth - innerWidth")
    below = page.evaluate(COVERED)
    return found + [f"{wide} px too wide"] * (wide > 0) + [f"{below} px below the tabs"] * (below > 1)


def move(page: Page, way: str) -> None:
    """Swipe on the free part of the page."""
    box = page.locator("#play-swipes").bounding_box()
    assert box is not None
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    dx, dy = WAYS[way]
    finger(page, (x, y), (x + dx / 2, y + dy / 2), (x + dx, y + dy))


def test_a_shipped_level_in_the_hand(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is drawn, locked, played by swipes, changed with a wish, filled, and made a page for a friend."""
    monkeypatch.setenv("EPCG_STATE", str(tmp_path / "state"))
    monkeypatch.chdir(tmp_path)
    with (
        workbench(tmp_path, "fling") as address,
        open_page(390, 844, touch=True) as (page, complaints),
    ):
        page.goto(address)
        rest(page)
        page.locator("#home").tap()
        rest(page)
        page.locator("#around-all").tap()
        page.locator('[data-title="Frost Fox 1"]').tap()
        page.wait_for_selector("#bench:not([hidden])")
        rest(page)
        level = text_of(page)

        # board, tools and palette are on the first screen; a stroke draws, and a touch locks
        board = page.locator("#board").bounding_box()
        assert board is not None
        assert board["width"] >= 370
        for part in ("#draw-tools", "#palette", "#verdict-word"):
            box = page.locator(part).bounding_box()
            assert box is not None
            assert 56 <= box["y"] <= 844 - 56 - box["height"] + 1, part
        page.locator('#palette [data-mark="pine"]').tap()
        swipe(page, ["c3,3", "c4,3"])
        drawn = text_of(page)
        assert drawn != level
        page.locator("#undo").tap()
        until(page, lambda: text_of(page) == level)
        rest(page)
        page.locator('[data-tool="lock"]').tap()
        swipe(page, ["c3,3"])
        said(page, "#note", "locked")
        assert text_of(page) == level
        shot(page, "thumb-draw")

        # it is played to the end by swipes
        page.locator('[data-mode="play"]').tap()
        rest(page)
        for _ in range(30):
            if "Solved" in page.locator("#play-state").inner_text():
                break
            page.locator("#hint").tap()
            said(page, "#note", "Try: ")
            move(page, page.locator("#note").inner_text().removeprefix("Try: ").strip("."))
            until(page, lambda: not page.locator("#note").inner_text())
            rest(page)
        said(page, "#play-state", "Solved")
        shot(page, "thumb-play")

        # the best of all changes that keep a single solution
        page.locator('[data-mode="analyse"]').tap()
        rest(page)
        page.locator("#add-condition").tap()
        page.select_option("#condition-0", label="shortest solutions")
        page.locator("#condition-0-number").tap()
        page.keyboard.type("1")
        page.locator("#analyse").tap()
        page.wait_for_selector("#suggestions button.change")
        rest(page)
        assert "meet" in page.locator("#wish-answer").inner_text()
        page.locator("#suggestions button.change").first.tap()
        until(page, lambda: text_of(page) != level)
        rest(page)

        # two places are filled
        page.locator('[data-mode="sketch"]').tap()
        swipe(page, ["c5,4", "c6,4"])
        said(page, "#sketch-count", "fill 2 places")
        page.wait_for_selector("#sketch-found li")
        rest(page)
        page.locator("#undo").tap()
        until(page, lambda: text_of(page) == level)
        page.locator("#share").tap()
        page.locator("#share-make").tap()
        said(page, "#shared", ".html")
        assert complaints == []


def test_a_tap_right_after_a_swipe_counts(tmp_path: Path) -> None:
    """What comes while a move is in work, and right after a fast finger, is done in its order."""
    with (
        workbench(tmp_path, "puzzlescript") as address,
        open_page(390, 844, touch=True) as (page, complaints),
    ):
        page.goto(address)
        rest(page)
        page.locator('[data-mode="play"]').tap()
        said(page, "#play-state", "0 moves.")
        first = page.inner_html("#board .marks")
        ways = page.locator("#actions button").all_inner_texts()
        undo = page.locator("#play-undo").bounding_box()
        assert undo is not None
        at = undo["x"] + undo["width"] / 2, undo["y"] + undo["height"] / 2
        for _ in range(8):
            move(page, ways[0])
            page.touchscreen.tap(*at)
            page.wait_for_timeout(50)
        until(page, lambda: page.inner_html("#board .marks") == first)
        said(page, "#play-state", "0 moves.")
        move(page, ways[0])
        page.keyboard.press("z")
        move(page, ways[0])
        said(page, "#play-state", "1 move.")
        assert complaints == []


@pytest.mark.parametrize(("width", "height"), [(360, 740), pytest.param(390, 844, marks=pytest.mark.nightly)])
def test_nothing_is_cut_on_a_phone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, width: int, height: int
) -> None:
    monkeypatch.setenv("EPCG_STATE", str(tmp_path / "state"))
    folder = tmp_path / "frost-fox"
    new_project(folder)
    with served(folder) as (address, _), open_page(width, height, touch=True) as (page, complaints):
        page.goto(address)
        rest(page)
        page.locator("#levels .level .piece").nth(1).tap()
        saved(page)
        for name in TABS:
            page.locator(f'#modes [data-mode="{name}"]').tap()
            rest(page)
            if name == "analyse":
                page.locator("#analyse").tap()
                page.wait_for_selector("#suggestions button.change")
                rest(page)
            assert cut(page) == [], name
            shot(page, f"thumb-{name}-{width}")
        for name in ("ask", "curricula"):
            page.locator("#more-tab").tap()
            page.locator(f'#pages a[href="#{name}"]').tap()
            page.wait_for_selector(f"#{name}:not([hidden])")
            rest(page)
            assert cut(page) == [], name
        assert complaints == []


@pytest.mark.parametrize("what", ["fling", "witness", "snakebird", SMALL_BOARD])
def test_boards_of_each_kind_fit_a_phone(tmp_path: Path, what: str) -> None:
    """Board, answers and tools of Draw, and the board and the controls of Play, lie beside each other."""
    with workbench(tmp_path, what) as address, open_page(360, 740, touch=True) as (page, complaints):
        page.goto(address)
        page.wait_for_selector("#measures tr")
        for name in ("edit", "play"):
            tab = page.locator(f'#modes [data-mode="{name}"]')
            if tab.is_disabled():
                continue
            tab.tap()
            if name == "play":
                said(page, "#play-state", "0 moves")
            assert cut(page) == [], name
            box = page.locator("#board").bounding_box()
            assert box is not None
            assert box["x"] >= 0
            assert box["x"] + box["width"] <= 360
            dock = page.locator("#draw-tools" if name == "edit" else "#play-doing").bounding_box()
            assert dock is not None
            assert box["y"] + box["height"] <= dock["y"] + 1, name
            pieces = page.locator("#palette-section").bounding_box()
            if name == "play" and pieces is not None:  # what is laid is taken from there
                assert pieces["y"] + pieces["height"] <= dock["y"] + 1
        assert complaints == []

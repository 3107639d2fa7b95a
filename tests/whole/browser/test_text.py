"""The text of a game has colours, faults under its words, names that are offered, words that are found."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from epcg_workbench.project.templates import new_project

from tests.whole.browser.chromium import browser_marks, open_page
from tests.whole.browser.test_project import RULE, served
from tests.whole.browser.test_workbench import rest, shot
from tests.workbench.test_causes import SIX

if TYPE_CHECKING:
    from playwright.sync_api import Page

pytestmark = browser_marks("starlette", "epcg_puzzlescript")

MARGINS = 20
"""The most rows that are drawn above and below those in view."""
SHOWN = "() => [...document.querySelectorAll('#colours > div')].map(row => row.textContent)"
LAID = """() => {
  const area = document.getElementById("source"), box = area.getBoundingClientRect();
  const lines = area.value.split("\\n"), isOnly = text => lines.filter(line => line === text).length === 1;
  const row = [...document.querySelectorAll("#colours > div")].find(each => isOnly(each.textContent));
  const top = box.top + lines.indexOf(row.textContent) * 20 - area.scrollTop;
  return row.getBoundingClientRect().top - top; }"""
STROKE = """() => {
  const area = document.getElementById("source");
  area.setRangeText("x", 400, 400, "end");
  area.dispatchEvent(new InputEvent("input", { inputType: "insertText", data: "x" })); }"""


@pytest.fixture(scope="module")
def game(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, Path, str]]:
    """The address of a workbench with a new game, its file, and its text."""
    folder = tmp_path_factory.mktemp("text") / "frost"
    file = folder / new_project(folder)
    with served(folder) as (address, _):
        yield address, file, file.read_text("utf-8")


@contextmanager
def opened(game: tuple[str, Path, str]) -> Iterator[tuple[Page, str]]:
    """The game as it was at first, with its text beside the board, and the text."""
    address, file, text = game
    file.write_text(text, encoding="utf-8")
    with open_page(1280, 800) as (page, complaints):
        page.goto(address)
        rest(page)
        if page.locator("#source").is_hidden():
            page.click("#text-button")
        assert page.locator("#source").input_value() == text
        yield page, text
        assert complaints == []


def test_the_colours_lie_below_the_lines_in_view(game: tuple[str, Path, str]) -> None:
    with opened(game) as (page, text):
        rows = page.evaluate(SHOWN)
        assert "\n".join(rows) in text
        assert len(rows) < text.count("\n")
        assert page.evaluate(LAID) == 0
        page.locator("#source").evaluate("area => { area.scrollTop = area.scrollHeight; }")
        page.locator("#colours .in-word", has_text="message").first.wait_for()
        assert page.evaluate(SHOWN)[-1] == text.split("\n")[-1]
        assert page.evaluate(LAID) == 0


def test_faults_are_under_their_words_until_these_change(game: tuple[str, Path, str]) -> None:
    with opened(game) as (page, text):
        page.locator("#source").fill(text.replace(RULE, RULE.replace("Player", "Playr")))
        page.locator("#faults button").first.click()
        assert page.locator("#colours .in-at-hint").first.inner_text() == "Playr"
        shot(page, "text-faults")
        page.keyboard.type("!")
        assert page.locator("#colours .in-at-hint", has_text="Playr").count() == 0


def test_the_list_the_strip_and_the_bar_count_the_same_faults(game: tuple[str, Path, str]) -> None:
    """Six slips are six faults; what follows from one stands below it, and a click mends all that it is."""
    with opened(game) as (page, text):
        broken = text
        for right, wrong in SIX:
            broken = broken.replace(right, wrong)
        page.locator("#source").fill(broken)
        page.locator("#faults-button", has_text="6 faults").wait_for()
        assert page.locator("#faults-heading").inner_text() == "6 faults"
        assert page.locator("#older-when").inner_text() == "the 6 faults are gone"
        assert page.locator("#faults > li:not(.follows)").count() == 6
        shot(page, "text-six-faults")
        rule = page.locator("#faults > li", has_text="Found 'crtae'")
        rule.locator(".guess").click()
        page.locator("#faults-button", has_text="5 faults").wait_for()
        assert RULE in page.locator("#source").input_value()


def test_names_of_the_game_are_offered_and_put_in(game: tuple[str, Path, str]) -> None:
    with opened(game) as (page, text):
        page.locator("#source").focus()
        at = text.index(RULE) + len(RULE)
        page.locator("#source").evaluate("(area, at) => area.setSelectionRange(at, at)", at)
        page.keyboard.press("Enter")
        page.keyboard.type("[ Pl")
        assert page.locator("#offers li").all_inner_texts() == ["Plate", "Player"]
        page.keyboard.press("ArrowDown")
        page.keyboard.press("Enter")
        assert page.locator("#source").input_value() == f"{text[:at]}\n[ Player{text[at:]}"
        assert page.locator("#offers").is_hidden()
        page.keyboard.type(" | Cr")
        page.keyboard.press("Escape")
        page.keyboard.press("Enter")
        assert page.locator("#source").input_value().startswith(f"{text[:at]}\n[ Player | Cr\n")


def test_words_are_found_and_brackets_are_shown_in_pairs(game: tuple[str, Path, str]) -> None:
    with opened(game) as (page, text):
        page.locator("#source").focus()
        page.keyboard.press("Control+f")
        page.keyboard.type("CRATE")
        many = text.lower().count("crate")
        assert page.locator("#find-count").inner_text().endswith(f"of {many}")
        first = page.locator("#find-count").inner_text()
        page.keyboard.press("Enter")
        assert page.locator("#find-count").inner_text() != first
        assert page.locator("#colours .in-here").inner_text().lower() == "crate"
        page.keyboard.press("Escape")
        assert page.locator("#find").is_hidden()
        chosen = "area => area.value.slice(area.selectionStart, area.selectionEnd).toLowerCase()"
        assert page.locator("#source").evaluate(chosen) == "crate"
        assert page.locator("#colours .in-found").count() == 0
        at = text.index(RULE)
        top = 20 * (text[:at].count("\n") - 3)
        page.locator("#source").evaluate(
            "(area, [at, top]) => { area.setSelectionRange(at, at); area.scrollTop = top; }", [at, top]
        )
        page.locator("#colours .in-bracket").nth(1).wait_for()
        assert page.locator("#colours .in-bracket").all_inner_texts() == ["[", "]"]


def test_a_stroke_in_a_long_text_draws_only_what_is_in_view(game: tuple[str, Path, str]) -> None:
    """Counted, not timed: as many rows as in a short text."""
    with opened(game) as (page, text):
        rows = len(page.evaluate(SHOWN))
        head, tail = text.split("(Whoever", 1)
        long = head + f"{RULE}\n" * 8_000 + "(Whoever" + tail
        page.locator("#source").evaluate(
            "(area, text) => { area.value = text; area.oninput(new Event('input')); }", long
        )
        page.evaluate(STROKE)
        assert len(page.evaluate(SHOWN)) <= rows + MARGINS


def test_typing_is_taken_back_word_by_word(game: tuple[str, Path, str]) -> None:
    """The page changes while one types, after which browsers take back letters."""
    with opened(game) as (page, text):
        area = page.locator("#source")
        first, rest_of = text.split("\n", 1)
        area.evaluate("(area, at) => { area.focus(); area.setSelectionRange(at, at); }", len(first))
        page.keyboard.type(" of two foxes")
        assert area.input_value() == f"{first} of two foxes\n{rest_of}"
        for keys, shown in (
            ("Control+z", " of two "), ("Control+z", " of "), ("Control+y", " of two "),
            ("Control+z", " of "), ("Control+z", " "), ("Control+z", ""), ("Control+z", ""),
            ("Control+Shift+Z", " "),
        ):  # fmt: skip
            page.keyboard.press(keys)
            assert area.input_value() == f"{first}{shown}\n{rest_of}", keys
        page.keyboard.type("x")
        page.keyboard.press("Backspace")
        page.keyboard.press("Control+z")
        assert area.input_value() == f"{first} x\n{rest_of}"
        rest(page)

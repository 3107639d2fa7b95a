"""The tutorial's hour in a real browser, and its pictures: python docs/make_workbench_pictures.py.

Each step does what a section of docs/tutorial.md says, and a test walks them, too.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from playwright.sync_api import Page

from tests.whole.browser.chromium import open_page

PICTURES = Path(__file__).with_name("pictures")
AT_REST = 'body[aria-busy="false"]'
PLACES = ("c2,2", "c3,2", "c5,2", "c6,2", "c5,4", "c6,4")
"""The places that are opened."""
SIZE = re.compile("[kM]B")
LONG_MS = 300_000
Taken = Callable[[str], None]
"""Takes a picture with a name."""
Step = Callable[[Page, Taken], None]


def rest(page: Page) -> None:
    """Wait until nothing is under way."""
    page.wait_for_selector(AT_REST)


def said(page: Page, selector: str, words: str) -> None:
    """Wait until an element says some words."""
    page.locator(selector, has_text=words).first.wait_for()
    rest(page)


def first(page: Page, taken: Taken) -> None:
    """Look at the first page."""
    page.locator("#around li:not([hidden]) :is(img, svg)").nth(12).wait_for()
    rest(page)
    page.wait_for_timeout(500)
    taken("start")


def make(page: Page, taken: Taken) -> None:
    """Make a game, and look at its third level."""
    page.locator("#makers button").first.click()
    page.locator("dialog[open] input").first.fill("crates")
    page.keyboard.press("Enter")
    said(page, "#levels .chip", "17")
    page.locator("#levels .piece").nth(4).click()
    said(page, "#verdict-how", "In 17 moves, and in no fewer.")
    page.locator("#measures tr", has_text="shortest solutions").wait_for()
    rest(page)
    taken("edit")


def play(page: Page, taken: Taken) -> None:
    """Play by keys, take back, and let the solution play itself."""
    page.click('[data-mode="play"]')
    rest(page)
    for key in ("ArrowUp", "ArrowRight", "z"):
        page.keyboard.press(key)
        rest(page)
    page.click("#show-solution")
    said(page, "#play-state", "Solved in 17 moves.")


def draw(page: Page, taken: Taken) -> None:
    """Draw a wall, and take it back."""
    page.click('[data-mode="edit"]')
    page.locator("#palette button", has_text="wall").click()
    page.locator('#board [data-site="c5,2"]').click()
    said(page, "#verdict", "Cannot be solved")
    page.keyboard.press("Control+z")
    said(page, "#verdict-how", "In 17 moves")


def write(page: Page, taken: Taken) -> None:
    """Write a name in a rule wrongly, and take the guess that stands beside the fault."""
    page.click("#text-button")
    source = page.input_value("#source")
    page.fill("#source", re.sub(r"(\[ *> *\w+ *\| *)Crate", r"\1Krate", source, count=1, flags=re.IGNORECASE))
    said(page, "#faults", "Found 'krate'")
    page.locator("#faults button", has_text="Found 'krate'").click()
    page.wait_for_timeout(500)
    taken("text")
    page.locator("#faults button", has_text="Crate?").click()
    said(page, "#faults-button", "no faults")
    assert page.input_value("#source") == source
    page.click("#text-button")
    said(page, "#verdict-how", "In 17 moves")


def changes(page: Page, taken: Taken) -> None:
    """Try all single changes, wish for one solution only, and go on from the hardest."""
    page.click('[data-mode="analyse"]')
    rest(page)
    page.click("#analyse")
    said(page, "#progress", "All 232 changes were tried")
    said(page, "#suggestions", "25 moves")
    taken("analyse")
    page.click("#add-condition")
    page.select_option("#condition-0", "solutions/shortest_solutions")
    page.select_option("#condition-0-how", "max")
    page.fill("#condition-0-number", "1")
    page.keyboard.press("Tab")
    page.click("#analyse")
    said(page, "#wish-answer", "meet all conditions")
    page.locator("#suggestions button.change").first.click()
    rest(page)


def fill(page: Page, taken: Taken) -> None:
    """Open six places, try all that can stand there, and look at the hardest."""
    page.keyboard.press("Control+z")
    page.click('[data-mode="sketch"]')
    rest(page)
    for mark in ("wall", "crate"):
        page.locator("#bench label", has_text=mark).first.click()
    for site in PLACES:
        page.locator(f'#board [data-site="{site}"]').click()
    said(page, "#sketch-count", "729 ways to fill 6 places")
    page.click("#sketch-run")
    said(page, "#sketch-progress", "Kept (run 1)")
    page.locator("#sketch-found li").first.wait_for()
    said(page, "#sketch-answer", "337 of 729 can be ranked by moves")
    page.wait_for_timeout(500)
    taken("sketch")


def give(page: Page, taken: Taken, title: str, source: str, chapter: str) -> None:
    """Take twelve puzzles of an answer evenly, name the chapter, and give them away."""
    page.evaluate("location.hash = '#curricula'")
    page.fill("#plan-title", title)
    page.click("#plan-make")
    rest(page)
    page.fill("#chapter-title", chapter)
    page.keyboard.press("Tab")
    answer = page.locator("#chapter-from option", has_text=source).first
    answer.wait_for(state="attached")
    page.select_option("#chapter-from", answer.get_attribute("value"))
    rest(page)
    page.fill("#chapter-keep-count", "12")
    page.keyboard.press("Tab")
    page.locator("#plan-chapters .strip > li, #plan-chapters li").nth(11).wait_for()
    page.wait_for_timeout(1500)
    taken("curricula")
    for kind in ("html", "page"):
        page.click(f'#plan-give [data-format="{kind}"]')
        page.locator(f'#plan-give .give:has([data-format="{kind}"]) .written', has_text=SIZE).wait_for(
            timeout=LONG_MS
        )
        rest(page)


def chapters(page: Page, taken: Taken) -> None:
    """Make a chapter of what filled the places."""
    give(page, taken, "Crates", "open places", "Warehouse")
    said(page, "#chapter-met", "337 of 729")


def ask(page: Page, taken: Taken) -> None:
    """Look at the answer again, and brush over its columns."""
    page.evaluate("location.hash = '#ask'")
    page.locator("#ask-kept button, #ask-questions button", has_text="open places").first.click()
    page.locator("#ask-gallery img").first.wait_for()
    rest(page)
    page.wait_for_timeout(1500)
    taken("ask")


STEPS = (first, make, play, draw, write, changes, fill, chapters, ask)


@contextmanager
def served(folder: Path) -> Iterator[str]:
    """Serve a workbench in an empty folder, and yield its address."""
    command = [sys.executable, "-m", "epcg_core.cli", "workbench", "--no-open"]
    around = os.environ | {"EPCG_STATE": str(folder / "state")}
    (folder / "games").mkdir()
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, text=True, cwd=folder / "games", env=around
    ) as server:
        try:
            assert server.stdout is not None
            told = iter(server.stdout.readline, "")
            found = next(match for line in told if (match := re.search(r"http://\S+", line)))
            yield found[0]
        finally:
            server.terminate()


def main(steps: Sequence[Step], prefix: str) -> None:
    """Take all pictures."""
    with (
        tempfile.TemporaryDirectory() as folder,
        served(Path(folder)) as address,
        open_page(1280, 800) as (page, _),
    ):
        page.set_default_timeout(60_000)
        page.goto(address)
        for step in steps:
            step(page, lambda name: page.screenshot(path=PICTURES / f"{prefix}_{name}.png") and None)


if __name__ == "__main__":
    main(STEPS, "workbench")

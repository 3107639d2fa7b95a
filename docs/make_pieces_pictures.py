"""The hour of the guide on games of pieces in a real browser, with pictures: docs/make_pieces_pictures.py.

Each step does what a section of docs/guides/pieces.md says, and a test walks them, too.
"""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

from make_workbench_pictures import Taken, give, main, rest, said, served as served
from playwright.sync_api import Page

STROKES = (
    ("1,7", "2,8", "4,7", "5,8", "7,7"),
    ("10,4",),
    ("10,1", "11,2"),
    ("1,1",),
    ("5,-1", "7,-2", "8,-1", "10,-2", "11,-1"),
)
"""The triangles that make a snowflake of the first board: '1,1' is one of its own, so it is taken away."""
POINTS = (("4,13",), ("8,-1",))
"""Two more."""


def _at(page: Page, site: str) -> tuple[float, float]:
    box = page.locator(f'#shop-board [data-site="{site}"]').bounding_box()
    assert box is not None
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


def _paint(page: Page, strokes: tuple[tuple[str, ...], ...]) -> None:
    """Paint with the pointer from one triangle to the next."""
    for stroke in strokes:
        page.mouse.move(*_at(page, stroke[0]))
        page.mouse.down()
        for site in stroke[1:]:
            page.mouse.move(*_at(page, site), steps=12)
        page.mouse.up()
        rest(page)


def _ask(page: Page, question: str) -> None:
    """Open a question of the game."""
    page.locator("#shop-questions button", has_text=question).click()
    page.wait_for_selector("#ask:not([hidden])")
    rest(page)


def _answered(page: Page, count: int) -> None:
    """Ask it, and wait for the pictures."""
    page.click("#ask-run")
    page.locator("#ask-gallery img").nth(count - 1).wait_for()
    rest(page)
    page.wait_for_timeout(500)


def make(page: Page, taken: Taken) -> None:
    """Make a game on triangles."""
    page.click("#make-drawn-packing")
    page.locator("dialog[open] input").first.fill("snow")
    page.keyboard.press("Enter")
    page.wait_for_selector("#shop-kind-list button")
    page.locator("#shop-settings button", has_text="Triangles").click()
    said(page, "#shop-title", "Can be filled")


def board(page: Page, taken: Taken) -> None:
    """Paint a snowflake of 24 triangles."""
    page.locator("#shop-list button", has_text="Board").click()
    rest(page)
    _paint(page, STROKES)
    said(page, "#shop-count", "24 triangles")


def pieces(page: Page, taken: Taken) -> None:
    """Take all shapes of four triangles, and all of five."""
    for cells, count in (("4", 3), ("5", 4)):
        _ask(page, "Which pieces are there?")
        page.locator("#ask-of").click()
        page.locator('#ask-fields [aria-label="count"]').fill(cells)
        page.keyboard.press("Tab")
        said(page, "#ask-cost", f"{count} puzzles")
        _answered(page, count)
        if cells == "5":
            taken("which_pieces")
        page.locator("#ask-answer button", has_text=f"Take all {count}").click()
        page.wait_for_selector("#shop-dock:not([hidden])")
        rest(page)


def sets(page: Page, taken: Taken) -> None:
    """Ask which set fills the board in most ways, and make a game of it."""
    _ask(page, "Which set of the pieces?")
    _answered(page, 2)
    taken("which_set")
    page.locator("#ask-answer button", has_text="Make a game of it").click()
    page.click("#make-go")
    page.wait_for_selector("#shop-kind-list button")
    said(page, "#shop-title", "Can be filled")
    taken("game")


def another_board(page: Page, taken: Taken) -> None:
    """Paint two triangles more, and ask which two to take away."""
    page.locator("#shop-list button", has_text="Board").click()
    rest(page)
    _paint(page, POINTS)
    said(page, "#shop-count", "26 triangles")
    _ask(page, "Which board?")
    _answered(page, 6)
    taken("which_board")
    page.click('[data-mode="edit"]')
    for _ in POINTS:
        page.keyboard.press("Control+z")
        rest(page)
    said(page, "#shop-title", "Can be filled")


def constraint(page: Page, taken: Taken) -> None:
    """Ask what colours that must touch, or must not, leave of the puzzles."""
    _ask(page, "What constraint on the colours?")
    _answered(page, 6)
    taken("which_constraint")


def puzzles(page: Page, taken: Taken) -> None:
    """Try all puzzles with two pieces, and keep the hardest that have one way."""
    page.click('[data-mode="edit"]')
    page.wait_for_selector("#shop-kind-list button")
    page.locator("#shop-kind-list button", has_text="Two pieces lie there").click()
    page.click("#shop-ask")
    page.wait_for_selector("#ask-run:not([hidden])")
    _answered(page, 6)
    taken("which_puzzles")
    page.locator("#ask-answer button", has_text="Play").click()
    said(page, "#play-state", "0 moves")


def chapters(page: Page, taken: Taken) -> None:
    """Take twelve puzzles evenly into a chapter, and give them away."""
    give(page, taken, "Snow", "Two pieces lie there", "Twelve puzzles")


STEPS = (make, board, pieces, sets, another_board, constraint, puzzles, chapters)

if __name__ == "__main__":
    main(STEPS, "pieces")

"""A game of pieces is made in a real browser: from nothing to a board, pieces and puzzles of one's own."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import pytest

from tests.whole.browser.chromium import browser_marks, open_page
from tests.whole.browser.test_curricula import NARROW
from tests.whole.browser.test_project import saved, served
from tests.whole.browser.test_thumb import cut
from tests.whole.browser.test_workbench import rest, said, shot, until

if TYPE_CHECKING:
    from playwright.sync_api import Page

pytestmark = browser_marks("starlette")
pytest.importorskip(
    "epcg_tangram", reason="no domain here has a game that is drawn: pip install epcg-tangram"
)

GAME = """title = "Small"
lattice = "squares"

[board]
drawing = '''
####
##..
'''

[[pieces]]
name = "bar"
drawing = "####"

[[pieces]]
name = "domino"
drawing = "##"
"""


def folder_of(tmp_path: Path, text: str = GAME) -> Path:
    (tmp_path / "small.packing").write_text(text)
    return tmp_path


def middle(page: Page, canvas: str, site: str) -> tuple[float, float]:
    box = page.locator(f'#{canvas} [data-site="{site}"]').bounding_box()
    assert box is not None
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


def paint(page: Page, canvas: str, *sites: str) -> None:
    """Draw over cells in one stroke."""
    page.mouse.move(*middle(page, canvas, sites[0]))
    page.mouse.down()
    for site in sites[1:]:
        page.mouse.move(*middle(page, canvas, site), steps=20)
    page.mouse.up()
    rest(page)


def painted(page: Page, canvas: str = "shop-board") -> int:
    found: int = page.evaluate(f"Object.keys(document.getElementById('{canvas}').scene.marks).length")
    return found


def parts(page: Page) -> list[str]:
    return [" ".join(each.split()) for each in page.locator("#shop-list .piece").all_inner_texts()]


def play(page: Page) -> None:
    """Play the puzzle that is open to its end, by the hints."""
    page.click('[data-mode="play"]')
    rest(page)
    for _ in range(9):
        page.click("#hint")
        said(page, "#note", "Try: ")
        words = page.inner_text("#note").removeprefix("Try: ").removesuffix(".")
        page.locator("#actions button", has_text=words).first.click()
        rest(page)
        if "Solved" in page.inner_text("#play-state"):
            return
    raise AssertionError("The hints do not lead to the end.")


def open_board(page: Page, address: str, file: str = "small.packing") -> None:
    page.goto(address)
    rest(page)
    page.goto(f"{page.url.partition('#')[0]}#file/{file}/board")
    page.wait_for_selector("#shop-kind-list button")
    rest(page)


def test_a_stroke_on_the_board_and_on_a_piece_is_mirrored(tmp_path: Path) -> None:
    """The middle is that of what is painted: what is symmetric stays it. A stroke is one step."""
    folder = folder_of(tmp_path, GAME.replace("##..", "####"))
    with served(folder) as (address, _), open_page() as (page, complaints):
        page.goto(address)
        rest(page)
        page.click('#shop-list [data-key="board"]')
        rest(page)
        assert painted(page) == 8
        page.click("#shop-mirror")
        said(page, "#under", "Each stroke is mirrored: left-right.")
        paint(page, "shop-board", "0,2")  # above the first row
        until(page, lambda: painted(page) == 10)
        saved(page)
        assert "#..#\n####\n####" in (tmp_path / "small.packing").read_text()
        page.keyboard.press("Control+z")
        until(page, lambda: painted(page) == 8)
        page.locator("#shop-board").focus()
        page.keyboard.press("m")
        said(page, "#under", "Each stroke is mirrored: up-down.")
        paint(page, "shop-piece", "1,1")
        until(page, lambda: painted(page, "shop-piece") == 6)
        saved(page)
        assert ".#..\n####\n.#.." in (tmp_path / "small.packing").read_text()
        assert complaints == []


def test_a_game_is_made_from_nothing_and_a_puzzle_of_it_is_played_to_its_end(tmp_path: Path) -> None:
    begun = tmp_path / "begun"
    begun.mkdir()
    with served(begun) as (address, _), open_page(1280, 800) as (page, complaints):
        page.goto(address)
        rest(page)
        page.goto(f"{page.url.partition('#')[0]}#/")
        page.click("#make-drawn-packing")
        page.fill("#make-name", "Two ells")
        page.click("#make-go")
        page.wait_for_selector("#shop-kind-list button")
        path = tmp_path / "Two ells" / "game.packing"
        assert 'title = "Two ells"' in path.read_text()
        assert page.locator('[data-mode="edit"]').get_attribute("aria-pressed") == "true"
        said(page, "#shop-title", "Can be filled")

        # other cells: a board of 2 by 4, one ell twice
        for piece in ("domino", "square", "bar", "ess"):
            page.click(f'#shop-list >> text="{piece}"')
            page.click("#shop-fields >> text=Remove")
            rest(page)
        paint(page, "shop-board", "0,0", "5,0")
        until(page, lambda: painted(page) == 12)
        paint(page, "shop-board", "5,1", "5,0")
        paint(page, "shop-board", "4,1", "4,0")
        until(page, lambda: painted(page) == 8)
        said(page, "#shop-title", "Cannot be filled")
        assert "✕" in page.inner_text("#shop-facts")
        page.locator("#shop-list input.copies").fill("2")
        page.keyboard.press("Enter")
        said(page, "#shop-title", "Can be filled")
        assert parts(page) == ["Board 8 squares", "ell 4 squares"]
        page.click('#shop-fields [aria-label="purple"]')
        page.uncheck("text=may be turned over")
        rest(page)
        said(page, "#shop-note", "lies in 4 ways")
        saved(page)
        assert 'colour = "purple"' in path.read_text()
        assert "copies = 2\n" in path.read_text()
        assert "flip = false\n" in path.read_text()
        shot(page, "pieces")

        # a puzzle of it, which is played
        page.locator("#shop-kind-list button", has_text="One piece lies there").click()
        page.click("#shop-add-puzzle")
        rest(page)
        page.wait_for_selector("#shop", state="hidden")
        assert page.locator("#levels .level").count() == 2
        play(page)
        saved(page)
        assert path.read_text().count("[[puzzles]]") == 2
        assert complaints == []


def test_strokes_are_steps_and_nothing_moves_while_one_paints(tmp_path: Path) -> None:
    path = folder_of(tmp_path) / "small.packing"
    with served(tmp_path) as (address, _), open_page(1280, 800) as (page, complaints):
        open_board(page, address)
        before = page.evaluate("document.querySelector('#shop-board svg').getAttribute('viewBox')")
        at = middle(page, "shop-board", "0,1")
        assert painted(page) == 6
        paint(page, "shop-board", "0,2", "3,2")  # above the first row: the drawing begins elsewhere now
        until(page, lambda: page.inner_text("#shop-count") == "10 squares")
        page.mouse.move(*at)
        said(page, "#under", "a place of the board; press to take it away")
        assert page.evaluate("document.querySelector('#shop-board svg').getAttribute('viewBox')") == before
        page.mouse.click(*at)  # what was the first cell is still there
        until(page, lambda: page.inner_text("#shop-count") == "9 squares")
        saved(page)
        assert '"""\n####\n.###\n##..\n"""' in path.read_text()
        page.keyboard.press("Control+z")
        until(page, lambda: page.inner_text("#shop-count") == "10 squares")
        page.keyboard.press("Control+z")
        until(page, lambda: page.inner_text("#shop-count") == "6 squares")
        saved(page)
        assert path.read_text() == GAME
        page.keyboard.press("Control+y")
        until(page, lambda: page.inner_text("#shop-count") == "10 squares")
        assert complaints == []


def test_a_fault_is_told_and_the_game_is_drawn_as_it_was(tmp_path: Path) -> None:
    path = folder_of(tmp_path) / "small.packing"
    with served(tmp_path) as (address, _), open_page(1280, 800) as (page, complaints):
        open_board(page, address)
        page.click("#text-button")
        page.locator("#source").fill(GAME.replace('"squares"', '"spheres"'))
        said(page, "#shop-older", "This is the game as it was before: line 2:")
        said(page, "#shop-title", "Not a game yet")
        assert page.locator("#shop-kinds").is_hidden()
        assert painted(page) == 6
        page.locator("#source").fill(GAME.replace('"domino"', '"bar"'))
        said(page, "#shop-about", "Line 15: There is a piece 'bar' already")
        assert page.locator("#shop-older").is_hidden()
        assert parts(page) == ["Board 6 squares", "bar 4 squares", "bar 2 squares"]
        page.locator("#source").fill(GAME)
        said(page, "#shop-title", "Can be filled")
        saved(page)
        path.write_text(GAME.replace("##..", "#..#"))  # another program
        until(
            page,
            lambda: (
                "This board cannot" in page.inner_text("#shop-about")
                or "Cannot" in page.inner_text("#shop-title")
            ),
        )
        assert "#..#" in page.locator("#source").input_value()
        assert complaints == []


STRIP = """() => [...document.querySelectorAll("#levels > li")].map(row =>
  [row.querySelector(".chip").textContent, Boolean(row.querySelector(".small").firstChild)])"""
"""The chip of each puzzle in the strip, and whether it has a picture."""


def test_a_fault_leaves_the_strip_with_its_pictures_and_chips_as_they_were(tmp_path: Path) -> None:
    text = GAME + '\n[[puzzles]]\ntitle = "One"\n\n[[puzzles]]\ntitle = "Two"\n'
    folder_of(tmp_path, text)
    with served(tmp_path) as (address, _), open_page(1280, 800) as (page, complaints):
        page.goto(address)
        rest(page)
        page.goto(f"{page.url.partition('#')[0]}#file/small.packing/1")
        page.wait_for_selector("#levels > li:nth-child(2) .chip.yes")
        until(page, lambda: all(drawn for _, drawn in page.evaluate(STRIP)))
        until(page, lambda: all("…" not in chip for chip, _ in page.evaluate(STRIP)))
        rest(page)
        before = page.evaluate(STRIP)
        assert len(before) == 2
        page.click("#text-button")
        faults = text.replace('"squares"', '"spheres"'), text.replace('"One"', '"One'), "[[puzzles"
        for fault in faults:  # in the last one no puzzle is found
            page.locator("#source").fill(fault)
            page.wait_for_selector("#older:not([hidden])")
            rest(page)
            assert page.evaluate(STRIP) == before
            assert page.locator("#levels.older").count() == 1
            shot(page, "pieces-older")
            page.locator("#source").fill(text)
            page.wait_for_selector("#older", state="hidden")
            rest(page)
            assert page.evaluate(STRIP) == before
        assert complaints == []


CONTRASTS = """selector => {
  const canvas = document.createElement("canvas").getContext("2d", {willReadFrequently: true});
  const light = colour => {
    canvas.fillStyle = colour;
    canvas.fillRect(0, 0, 1, 1);
    const [r, g, b] = [...canvas.getImageData(0, 0, 1, 1).data].map(part => (part / 255) ** 2.2);
    return 0.05 + 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  return [...document.querySelectorAll(selector)].map(each => {
    const {fill, stroke} = getComputedStyle(each), [one, other] = [light(fill), light(stroke)];
    return Math.max(one, other) / Math.min(one, other);
  });
}"""
"""How far the line around each shape stands out from it."""


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_cells_of_a_board_and_pieces_beside_each_other_have_lines_that_are_seen(
    tmp_path: Path, scheme: Literal["light", "dark"]
) -> None:
    folder_of(tmp_path, GAME + '\n[[puzzles]]\nshown = ["domino 4 5"]\n')
    with served(tmp_path) as (address, _), open_page(1280, 800) as (page, _):
        page.emulate_media(color_scheme=scheme)
        page.goto(address)
        rest(page)
        page.goto(f"{page.url.partition('#')[0]}#file/small.packing/1")
        page.wait_for_selector("#board .paths path")
        rest(page)
        shot(page, f"pieces-{scheme}")
        cells = page.evaluate(CONTRASTS, "#board .cell:not(.hit)")
        assert len(cells) >= 6
        assert min(cells) > 1.3
        assert min(page.evaluate(CONTRASTS, "#board .paths path")) > 1.8


def test_the_wish_of_changes_is_read_whole_beside_the_text(tmp_path: Path) -> None:
    folder_of(tmp_path, GAME)
    with served(tmp_path) as (address, _), open_page(1280, 800) as (page, complaints):
        page.goto(address)
        rest(page)
        page.goto(f"{page.url.partition('#')[0]}#file/small.packing/1")
        rest(page)
        page.click("#text-button")
        page.click("#modes >> text=Changes")
        page.wait_for_selector("#wish select")
        rest(page)
        chosen = "[...document.querySelectorAll('#wish select')].map(each => each.selectedOptions[0].text)"
        assert "ways to complete it" in page.evaluate(chosen)
        assert page.evaluate(NARROW, "#wish select") == []
        lines = "[...document.querySelectorAll('#wish .row')].map(each => each.offsetHeight)"
        assert max(page.evaluate(lines)) < 48, "a row of the sentence is one line"
        assert complaints == []


def test_the_keyboard_alone_paints_and_asks_and_hidden_answers_stay_hidden(tmp_path: Path) -> None:
    with served(folder_of(tmp_path)) as (address, _), open_page(1280, 800) as (page, complaints):
        open_board(page, address)
        page.locator("#shop-list .piece").first.focus()
        page.keyboard.press("ArrowDown")
        page.keyboard.press("Enter")
        until(page, lambda: page.url.endswith("piece%200"))
        page.locator("#shop-piece").focus()
        for key in ("ArrowRight", "ArrowDown", "ArrowLeft", "ArrowDown"):
            page.keyboard.press(key)
        assert re.match(r"square in column \d, row 3", page.inner_text("#shop-said"))
        count = painted(page, "shop-piece")
        page.keyboard.press(" ")
        rest(page)
        until(page, lambda: painted(page, "shop-piece") != count)
        page.keyboard.press("Control+z")
        until(page, lambda: painted(page, "shop-piece") == count)
        page.locator("#shop-blind").check()
        assert page.locator("#shop-solved").is_hidden()
        page.locator("#shop-blind").uncheck()
        assert page.locator("#shop-solved img").is_visible()
        page.locator('#shop-kind-list [aria-checked="true"]').focus()
        page.keyboard.press("ArrowUp")
        checked = page.locator('#shop-kind-list [aria-checked="true"]')
        until(page, lambda: "Nothing lies there" in checked.inner_text())
        page.locator("#shop-ask").focus()
        page.keyboard.press("Enter")
        page.wait_for_selector("#ask:not([hidden])")
        said(page, "#ask-cost", "1 puzzle")
        assert "small.packing" in page.locator("#ask-text").input_value()
        assert complaints == []


def test_a_question_is_about_the_board_after_the_last_stroke(tmp_path: Path) -> None:
    """Though what is offered was told of the board before, as on a machine with much to do."""
    with served(folder_of(tmp_path)) as (address, _), open_page(1280, 800) as (page, complaints):
        open_board(page, address)
        paint(page, "shop-board", "2,0")
        question = page.locator("#shop-questions button", has_text="Which board?")
        said(page, "#shop-questions", "without 1 square")
        page.route(
            "**/api/workshop_questions", lambda route: (page.wait_for_timeout(1500), route.continue_())
        )
        paint(page, "shop-board", "3,0")
        assert "without 1 square" in question.inner_text()
        question.click()
        page.wait_for_selector("#ask:not([hidden])")
        said(page, "#ask-wish", "2 holes")
        assert "holes = 2" in page.locator("#ask-text").input_value()
        assert (tmp_path / "small.packing").read_text().count("####") >= 2, (
            "what is asked about is in the file"
        )
        page.unroute("**/api/workshop_questions")
        page.go_back()
        page.wait_for_selector("#shop:not([hidden])")
        paint(page, "shop-board", "3,0")
        said(page, "#shop-questions", "without 1 square")
        question.click()
        said(page, "#ask-wish", "1 hole")
        assert "1 holes" not in page.locator("#ask-wish").inner_text()
        assert complaints == []


def test_a_thumb_paints_on_a_phone_and_nothing_is_cut(tmp_path: Path) -> None:
    with served(folder_of(tmp_path)) as (address, _), open_page(390, 844, touch=True) as (page, complaints):
        open_board(page, address)
        page.touchscreen.tap(*middle(page, "shop-board", "2,0"))
        until(page, lambda: page.inner_text("#shop-count") == "7 squares")
        shot(page, "pieces-390-board")
        assert cut(page) == []
        page.locator("#shop-list .piece").nth(1).tap()
        rest(page)
        page.wait_for_selector("#shop-dock:not([hidden])")
        count = painted(page, "shop-piece")
        page.touchscreen.tap(*middle(page, "shop-piece", "0,1"))
        until(page, lambda: painted(page, "shop-piece") == count + 1)
        shot(page, "pieces-390-piece")
        assert cut(page) == []
        assert complaints == []


def test_a_piece_in_hand_shows_where_it_fits_and_is_turned_by_wheel_and_keys(tmp_path: Path) -> None:
    with served(folder_of(tmp_path)) as (address, _), open_page(1280, 800) as (page, complaints):
        page.goto(address)
        rest(page)
        chosen = page.locator('#palette [aria-checked="true"]')

        def held() -> str:
            return chosen.get_attribute("data-mark") or ""

        page.click('#palette [data-mark="bar 1"]')
        page.mouse.move(*middle(page, "board", "s0"))
        page.wait_for_selector("#board .fits")
        page.mouse.move(*middle(page, "board", "s4"))  # it would stand over the edge
        page.wait_for_selector("#board .misfits")
        page.mouse.wheel(0, 100)
        until(page, lambda: held() == "bar 2")
        page.locator("#board").focus()
        page.keyboard.press("R")
        assert held() == "bar 1"
        page.mouse.click(*middle(page, "board", "s0"))
        rest(page)
        page.click('#palette [data-mark^="domino"]')
        page.mouse.move(*middle(page, "board", "s1"))  # it would take the place of the bar
        page.wait_for_selector("#board .fits")

        page.click('[data-mode="play"]')
        rest(page)
        assert held() == "", "in play the hand is empty at first"
        page.click('#palette [data-mark^="domino"]')
        page.mouse.move(*middle(page, "board", "s4"))
        page.wait_for_selector("#board .fits")
        page.mouse.click(*middle(page, "board", "s4"))
        said(page, "#play-state", "Solved in 1 move.")
        assert complaints == []


CUBES = """title = "Two layers"
lattice = "cubes"

[board]
family = "box"
width = 2
depth = 2
height = 2

[[pieces]]
name = "tripod"
drawing = '''
##
#.

#.
..
'''
copies = 2
"""


def test_cubes_are_painted_by_layers_and_a_puzzle_of_them_is_played(tmp_path: Path) -> None:
    folder_of(tmp_path, CUBES)
    with served(tmp_path) as (address, _), open_page(1280, 800) as (page, complaints):
        open_board(page, address)
        said(page, "#shop-title", "Can be filled")
        assert painted(page) == 8
        assert page.locator("#shop-board [data-site]").count() == 4 * 4 * 4  # a free layer above and below
        paint(page, "shop-board", "0,0,2")
        until(page, lambda: painted(page) == 9)
        said(page, "#shop-title", "Cannot be filled")
        paint(page, "shop-board", "0,0,2")
        until(page, lambda: painted(page) == 8)
        said(page, "#shop-title", "Can be filled")
        shot(page, "cubes_board")
        page.locator("#shop-kind-list button", has_text="Nothing lies").click()
        page.click("#shop-add-puzzle")
        rest(page)
        page.wait_for_selector("#shop", state="hidden")
        play(page)
        shot(page, "cubes_played")
        assert complaints == []

"""What makers of puzzles who do not program meet in a real browser: lists, answers, costs, addresses."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from epcg_core.editing.editing import examples
from tests.whole.browser.chromium import browser_marks, open_page
from tests.whole.browser.test_game import ROOMS
from tests.whole.browser.test_pieces import folder_of, open_board
from tests.whole.browser.test_project import levels, served
from tests.whole.browser.test_workbench import (
    begin,
    choose,
    drag,
    middle,
    paste,
    rest,
    said,
    text_of,
    until,
    workbench,
)  # fmt: skip
from tests.workbench.test_plans import PLAN, QUERY

if TYPE_CHECKING:
    from playwright.sync_api import Page

pytestmark = browser_marks("starlette", "epcg_puzzlescript")

PANELS = [text.strip("\n") for text in list(examples("witness").values())[:3]]


def files_of(page: Page) -> list[str]:
    return [each.strip() for each in page.locator("#files button > span").all_inner_texts()]


def test_changes_of_a_game_of_pieces_begin_with_fewer_ways(tmp_path: Path) -> None:
    folder = folder_of(tmp_path)
    with served(folder) as (address, _), open_page(1280, 800) as (page, complaints):
        open_board(page, address)
        page.click("#levels .piece") if page.locator("#levels .piece").count() else page.click(
            "#shop-add-puzzle"
        )
        rest(page)
        page.click('[data-mode="analyse"]')
        until(page, lambda: page.locator('[data-change="one"] .count').count() == 1)
        assert page.input_value("#keep") == "lowest"
        assert page.input_value("#metric").endswith("/completions")
        assert page.input_value("#condition-0-number") == "1", "what cannot be completed is no puzzle"
        for name in ("move", "swap"):
            kind = page.locator(f'[data-change="{name}"]')
            assert "none" in kind.inner_text()
            assert kind.is_disabled()
            assert "there is none here" in (kind.get_attribute("title") or "")
        assert page.locator('[data-change="flip"]').is_enabled(), "there may be some in other regions"
        page.click("#analyse")
        said(page, "#progress", "were tried: nothing is left out")
        told = page.locator("#suggestions .wished .told b").all_inner_texts()
        assert told
        assert all("ways to complete it: 1" in each or each.endswith("ways to complete it") for each in told)
        own = int(page.locator("#measures tr", has_text="ways to complete it").locator(".value").inner_text())
        gains = page.locator("#suggestions .wished .gain").all_inner_texts()
        assert own < 2 or all(gain.strip().startswith("−") for gain in gains)
        further = page.locator("#suggestions details .kind").all_inner_texts()
        assert not any(each.startswith("More") for each in further[:1]), "what is worse does not come first"
        assert complaints == []


TRAY = """title = "Tea Tray"
lattice = "squares"
[board]
drawing = '''
#####
#####
#####
..##.
'''
""" + "".join(
    f"[[pieces]]\nname = '{name}'\ndrawing = \"\"\"\n{drawing}\n\"\"\"\n"
    for name, drawing in {
        "spoon": "####", "corner": "##\n#.", "cup": "#.#\n###", "saucer": "##\n##", "lump": "#",
    }.items()
)  # fmt: skip


def test_a_picture_tells_no_number_of_a_board(tmp_path: Path) -> None:
    """Which of the solutions of the game a puzzle has is not a measure of the puzzle."""
    folder = folder_of(tmp_path, TRAY)
    with served(folder) as (address, _), open_page(1280, 800) as (page, complaints):
        open_board(page, address)
        page.locator("#shop-kind-list button", has_text="One piece lies there").click()
        page.click("#shop-ask")
        page.wait_for_selector("#ask-gallery .open")
        rest(page)
        assert page.locator("#ask-gallery .open").count() == 4
        assert not any("board" in each for each in page.locator("#ask-gallery .facts").all_inner_texts())
        assert complaints == []


def test_try_all_of_a_kind_of_puzzle_is_one_press(tmp_path: Path) -> None:
    folder = folder_of(tmp_path)
    with served(folder) as (address, _), open_page(1280, 800) as (page, complaints):
        open_board(page, address)
        until(page, lambda: page.locator("#shop-ask").is_visible())
        assert page.inner_text("#shop-ask") == "Try all"
        page.click("#shop-ask")
        page.wait_for_selector("#ask-gallery .open")
        said(page, "#ask-tried", "all tried")
        assert len(list(folder.glob("*.toml"))) == 1
        page.go_back()
        rest(page)
        until(page, lambda: page.locator("#shop-ask").is_visible())
        page.click("#shop-ask")
        page.wait_for_selector("#ask-gallery .open")
        rest(page)
        assert len(list(folder.glob("*.toml"))) == 1, "what is answered already is not asked again"
        assert complaints == []


@pytest.mark.parametrize("width", [1280, 390])
def test_a_question_says_how_many_it_tries_and_tiles_say_what_their_numbers_are(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, width: int
) -> None:
    monkeypatch.chdir(tmp_path)
    with workbench(tmp_path) as address, open_page(width, 844) as (page, complaints):
        page.goto(address)
        rest(page)
        page.goto(f"{page.url.partition('#')[0]}#ask")
        page.wait_for_selector("#ask-of")
        rest(page)
        page.click("#ask-new")
        wide = page.locator("#ask-begin").bounding_box()
        side = page.locator("#ask .side").bounding_box()
        assert wide is not None
        assert side is not None
        assert wide["x"] + wide["width"] <= side["x"] + side["width"]
        page.select_option("#ask-begin", "fling")
        rest(page)
        text = (
            'title = "All boards of three balls on three by three cells, the ones with most choice"\n'
            'domain = "fling"\n[generator]\nname = "boards"\nwidth = 3\nheight = 3\npieces = 3\n'
            '[[evaluators]]\nname = "solution"\n[[select]]\nmetric = "solution_branching"\ncount = 5\n'
            'keep = "highest"\nwhere = [{metric = "piece_switches", min = 0}]\n'
        )
        page.click("#ask-toml-button")
        page.fill("#ask-text", text)
        said(page, "#ask-cost", "84 boards")
        assert page.inner_text("#ask-run") == "Try all 84"
        assert page.is_hidden("#ask-sample")
        for names in (1, 2):
            page.click("#ask-save")
            until(page, lambda many=names: len(list(tmp_path.glob("all-boards-*.toml"))) == many)  # type: ignore[misc]
            if names == 1:
                page.click("#ask-new")
                page.select_option("#ask-begin", "fling")
                rest(page)
                page.fill("#ask-text", text)
                said(page, "#ask-cost", "84 boards")
        page.click("#ask-run")
        page.wait_for_selector("#ask-gallery .open")
        rest(page)
        second = page.locator("#ask-gallery .facts > span:not(.heard)")
        assert second.count() > 0
        shown = second.first.inner_text()
        assert any(letter.isalpha() for letter in shown), "the second number says what it is"
        assert {re.sub(r"[\d.,\s]+$", "", each) for each in second.all_inner_texts()} == {"piece switches"}
        assert complaints == []


@pytest.mark.parametrize("width", [1280, 390])
def test_a_chapter_says_how_many_puzzles_it_has_only_when_that_is_known(tmp_path: Path, width: int) -> None:
    (tmp_path / "course.toml").write_text(
        'title = "Course"\n[[chapters]]\nname = "one"\ntitle = "One"\nquery = "boards.toml"\n'
        'description = "A sentence about the chapter that is longer than a line of a phone."\n'
        'measure = "solution_length"\nstrategy = "lowest"\ncount = 3\n',
        encoding="utf-8",
    )
    (tmp_path / "boards.toml").write_text(QUERY, encoding="utf-8")
    with served(tmp_path) as (address, _), open_page(width, 844) as (page, complaints):
        page.goto(address)
        rest(page)
        page.add_init_script(
            "new MutationObserver(() => { const told = document.querySelector('#plan-list .facts');"
            " if (told && told.innerText) (window.told ??= new Set()).add(told.innerText.trim()); })"
            ".observe(document, {subtree: true, childList: true, characterData: true})"
        )
        page.goto(f"{page.url.partition('#')[0]}#curricula/course.toml")
        page.reload()
        page.wait_for_selector("#plan-chapters .part .add")
        rest(page)
        told = page.evaluate("[...(window.told ?? [])]")
        assert told, "something is told of each chapter"
        assert not any("0 puzzles" in each for each in told[:-1])
        part, add = (
            page.locator(f"#plan-chapters {each}").first.bounding_box() for each in (".part", ".add")
        )
        why = page.locator("#plan-chapters .part > p").first.bounding_box()
        assert part is not None
        assert add is not None
        assert why is not None
        assert add["y"] >= why["y"] + why["height"] - 1, "what can be added stands below what is said"
        assert add["x"] + add["width"] <= part["x"] + part["width"] + 1
        assert complaints == []


@pytest.mark.parametrize("width", [1280, 390])
def test_a_panel_alone_becomes_a_list_of_panels(tmp_path: Path, width: int) -> None:
    with served(tmp_path) as (address, _), open_page(width, 844) as (page, complaints):
        page.goto(address)
        rest(page)
        page.goto(f"{page.url.partition('#')[0]}#/")
        paste(page, PANELS[0], "witness")
        rest(page)
        page.click("text=Make a list of panels …")
        assert "to which others are added" in page.inner_text("#make-about")
        if page.locator("#make-inside").is_visible():
            page.check("#make-inside")
        page.fill("#make-name", "mine")
        page.click("#make-go")
        page.wait_for_selector("#strip-adds:not([hidden])")
        rest(page)
        page.click("#add-level")
        until(page, lambda: len(levels(page)) == 2)
        rest(page)
        page.wait_for_selector('#saving[data-state="saved"]')
        (path,) = tmp_path.rglob("mine.txt")
        assert path.read_text(encoding="utf-8").startswith(PANELS[0])
        assert complaints == []


def test_several_panels_of_one_paste_are_one_file(tmp_path: Path) -> None:
    text = "\n\n".join(PANELS) + "\n"
    (tmp_path / "own.txt").write_text(text, encoding="utf-8")
    with served(tmp_path) as (address, _), open_page(1280, 800) as (page, complaints):
        page.goto(address)
        rest(page)
        until(page, lambda: len(levels(page)) == 3)
        page.goto(f"{page.url.partition('#')[0]}#/")
        page.click("#paste-button")
        page.fill("#paste", text)
        page.click("#open-paste")
        page.wait_for_selector("#make-dialog[open]")
        assert "It holds 3 panels." in page.inner_text("#make-about")
        page.check("#make-inside")
        page.fill("#make-name", "other")
        page.click("#make-go")
        page.wait_for_url("**other.txt**")
        page.locator("#files [aria-current=true]", has_text="other.txt").wait_for()
        rest(page)
        until(page, lambda: len(levels(page)) == 3)
        assert (tmp_path / "other.txt").read_text(encoding="utf-8") == text
        assert complaints == []


def test_a_further_game_is_asked_for_its_name_and_long_names_end_in_dots(tmp_path: Path) -> None:
    long = f"{'a very long name of a game ' * 3}.txt".replace(" .", ".")
    with served(tmp_path) as (address, _), open_page(1280, 800) as (page, complaints):
        page.goto(address)
        rest(page)
        for name in ("game", long.removesuffix(".txt")):
            page.evaluate("document.querySelector('#new-game').click()")
            page.wait_for_selector("#make-dialog[open]")
            assert page.is_checked("#make-inside")
            page.fill("#make-name", name)
            page.click("#make-go")
            until(page, lambda file=f"{name}.txt": (tmp_path / file).exists())  # type: ignore[misc]
            page.wait_for_selector("#levels .level")
            rest(page)
        page.evaluate("document.querySelector('#new-game').click()")
        page.fill("#make-name", "game")
        assert "has a file game.txt" in page.inner_text("#make-where")
        page.click("#make-dialog [data-close]")
        assert sorted(files_of(page)) == sorted(["game.txt", long])
        style, wide, fits = page.evaluate(
            "(() => { const name = [...document.querySelectorAll('#files button > span')]"
            ".find(each => each.innerText.startsWith('a very')); return [getComputedStyle(name).textOverflow,"
            " name.scrollWidth > name.clientWidth, name.getBoundingClientRect().right <= innerWidth]; })()"
        )
        assert (style, wide, fits) == ("ellipsis", True, True)
        assert complaints == []


def test_an_address_that_is_too_long_for_a_message_says_so(tmp_path: Path) -> None:
    with workbench(tmp_path) as address, open_page(1280, 800) as (page, complaints):
        page.context.grant_permissions(["clipboard-read", "clipboard-write"])
        page.goto(address)
        rest(page)
        begin(page, "fling")
        page.click("#copy-address")
        said(page, "#note", "Address copied. It holds this board, for any workbench.")
        page.click("#home")
        rows = [*["." * 50] * 42, "." * 49 + "E", ".>>1" + "." * 46, "#" * 50]
        paste(page, "\n".join(rows), "snakebird")
        rest(page)
        page.click("#copy-address")
        said(page, "#note", "send the text as a file instead")
        copied = page.evaluate("navigator.clipboard.readText()")
        assert len(copied) > 2000
        page.goto("about:blank")
        page.goto(copied)
        rest(page)
        assert page.inner_text("#size") == "50 × 45"
        assert complaints == []


def test_an_export_says_what_it_took_last_time_and_nothing_before(tmp_path: Path) -> None:
    (tmp_path / "boards.toml").write_text(QUERY, encoding="utf-8")
    (tmp_path / "course.toml").write_text(PLAN, encoding="utf-8")
    with served(tmp_path) as (address, _), open_page(1280, 800) as (page, complaints):
        page.goto(address)
        rest(page)
        page.goto(f"{page.url.partition('#')[0]}#curricula/course.toml")
        page.wait_for_selector('#plan-give [data-format="json"]:not([disabled])')
        rest(page)
        assert page.locator("#plan-give .cost").all_inner_texts() == [""] * 4
        page.click('#plan-give [data-format="json"]')
        page.locator("#plan-give .cost", has_text="last time").wait_for()
        (told,) = (each for each in page.locator("#plan-give .cost").all_inner_texts() if each)
        assert re.fullmatch(r"last time JSON \d+ s", told)
        page.reload()
        page.locator("#plan-give .cost", has_text=told).wait_for()
        assert complaints == []


@pytest.mark.parametrize(("width", "height"), [(1280, 800), (900, 800), (390, 844)])
def test_the_board_has_one_place_on_all_pages(tmp_path: Path, width: int, height: int) -> None:
    folder_of(tmp_path)
    (tmp_path / "panels.txt").write_text("\n\n".join(PANELS) + "\n", encoding="utf-8")
    (tmp_path / "crates.txt").write_text(ROOMS, encoding="utf-8")
    with served(tmp_path) as (address, _), open_page(width, height) as (page, complaints):
        page.goto(address)
        rest(page)

        def place() -> list[int]:
            found: list[int] = page.evaluate(
                "(() => { const board = document.querySelector('#board').getBoundingClientRect();"
                " return [board.x, board.y + scrollY, board.width, board.height].map(Math.round); })()"
            )
            return found

        seen = set()
        for file in ("small.packing", "panels.txt", "crates.txt"):
            page.goto(f"{page.url.partition('#')[0]}#file/{file}/2")
            page.locator("#files [aria-current=true]", has_text=file).wait_for(state="attached")
            rest(page)
            if not page.locator("#board .marks").count():
                continue  # the game of pieces has no puzzle yet
            seen.add(file)
            places = {}
            for mode in ("edit", "play", "analyse", "sketch", "edit"):
                page.click(f'[data-mode="{mode}"]')
                rest(page)
                until(page, lambda: page.locator("#board").is_visible())
                places[mode] = place()
                if mode == "analyse":
                    page.click('[data-change="turn"]')
                    rest(page)
                    places["turned"] = place()
            assert places["edit"][2] > 100
            assert places["edit"][3] > 100, "the board is seen"
            assert len({*map(tuple, places.values())}) == 1, (file, places)
        assert seen >= {"panels.txt", "crates.txt"}
        assert complaints == []


@pytest.mark.parametrize("width", [1280, 390])
def test_a_stroke_is_mirrored_as_one_step(tmp_path: Path, width: int) -> None:
    with workbench(tmp_path) as address, open_page(width, 844) as (page, complaints):
        page.goto(address)
        rest(page)
        paste(page, "......\n......\n..oo..\n......", "fling")
        rest(page)

        def rows() -> list[str]:
            return text_of(page).split("\n")

        def stroke(*sites: str) -> None:
            drag(page, sites)
            rest(page)

        assert page.get_attribute("#mirror", "aria-label") == "Mirror: none"
        page.click("#mirror")
        said(page, "#note", "Each stroke is mirrored: left-right.")
        assert page.get_attribute("#mirror", "aria-pressed") == "true"
        choose(page, "ball")
        stroke("c1,1", "c2,1")
        assert rows() == ["oo..oo", "......", "..oo..", "......"]
        page.keyboard.press("Control+z")
        rest(page)
        assert rows() == ["......", "......", "..oo..", "......"], "a stroke and its images are one step"
        page.locator("#board").focus()
        page.keyboard.press("m")
        page.keyboard.press("m")
        assert page.get_attribute("#mirror", "aria-label") == "Mirror: both"
        stroke("c2,1", "c3,1")
        assert rows() == [".oooo.", "......", "..oo..", ".oooo."]
        page.click('[data-tool="lock"]')
        stroke("c5,4")
        page.click('[data-tool="pencil"]')
        page.mouse.click(*middle(page, "c2,1"), button="right")
        rest(page)
        assert rows() == ["..oo..", "......", "..oo..", "..ooo."], "a locked place stays"
        page.locator("#board").focus()
        page.keyboard.press("m")
        assert page.get_attribute("#mirror", "aria-label") == "Mirror: none"
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        assert complaints == []

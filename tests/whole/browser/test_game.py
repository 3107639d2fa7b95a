"""Play runs the open file as a game: its title, its messages, one level after the other, its end."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.publishing.test_share import GAME, data_of
from tests.whole.browser.chromium import browser_marks, finger, open_page
from tests.whole.browser.test_project import served
from tests.whole.browser.test_workbench import rest, said, shot

if TYPE_CHECKING:
    from playwright.sync_api import Page

pytestmark = browser_marks("starlette", "epcg_puzzlescript")

ROOMS = GAME.replace("#P#O#\n#*..#", "#P*O#\n#...#")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("EPCG_STATE", str(tmp_path / "state"))
    (tmp_path / "rooms").mkdir()
    (tmp_path / "rooms" / "game.txt").write_text(ROOMS, encoding="utf-8")
    return tmp_path / "rooms"


@contextmanager
def played(folder: Path, width: int, height: int, touch: bool = False) -> Iterator[tuple[Page, list[str]]]:
    """Open the first level in Play."""
    with served(folder) as (address, _), open_page(width, height, touch=touch) as (page, complaints):
        page.goto(address)
        rest(page)
        page.locator("#levels .level .piece").first.click()
        rest(page)
        page.locator('#modes [data-mode="play"]').click()
        said(page, "#play-state", "0 moves.")
        yield page, complaints


def screen(page: Page, text: str) -> None:
    page.locator("#game-screen:not([hidden])", has_text=text).wait_for()
    assert page.locator("#board").is_hidden()


def test_a_file_runs_from_its_title_to_its_end(folder: Path) -> None:
    with played(folder, 1280, 800) as (page, complaints):
        page.locator("#run-title").click()
        screen(page, "Three rooms")
        assert page.locator("#game-screen p").first.inner_text() == "by A & B"
        shot(page, "game-title")
        page.keyboard.press("x")
        screen(page, "Push it home, & <b>soon</b>.")
        assert page.url.endswith("/1"), "the strip shows the message"
        page.keyboard.press("Enter")
        said(page, "#play-state", "0 moves.")
        page.keyboard.press("d")
        said(page, "#play-state", "Solved in 1 move.")
        assert page.locator("#hint").is_hidden()
        page.keyboard.press("x")
        said(page, "#play-state", "0 moves.")
        assert page.url.endswith("/3")
        page.keyboard.press("d")
        said(page, "#play-state", "Solved in 1 move.")
        page.locator("#run-next").click()
        screen(page, "The end.")
        page.keyboard.press(" ")
        screen(page, "All are solved.")
        page.get_by_role("button", name="Back to the title").click()
        screen(page, "Three rooms")
        page.locator("#levels .level .piece").nth(1).click()
        said(page, "#play-state", "0 moves.")
        page.locator("#levels .message .piece").first.click()
        screen(page, "Push it home")
        page.locator('#modes [data-mode="edit"]').click()
        page.locator("#board").wait_for()
        assert page.locator("#game-screen").is_hidden()
        assert complaints == []


def test_a_key_leads_from_the_text_to_the_game_and_back(folder: Path) -> None:
    with played(folder, 1280, 800) as (page, complaints):
        page.locator('#modes [data-mode="edit"]').click()
        page.keyboard.press("Control+Enter")
        page.locator("#source:focus").wait_for()
        assert page.evaluate("document.getElementById('source').value.split('\\n').length") > 40
        area = page.locator("#source")
        area.evaluate("area => area.setSelectionRange(...Array(2).fill(area.value.indexOf('#P*O#')))")
        page.keyboard.press("Control+Enter")
        page.locator("#board:focus").wait_for()
        said(page, "#play-state", "0 moves.")
        assert page.url.endswith("/3"), "the level at the caret"
        page.keyboard.press("d")
        said(page, "#play-state", "Solved in 1 move.")
        page.keyboard.press("Control+Enter")
        page.locator("#source:focus").wait_for()
        page.keyboard.press("x")  # which is typed there
        page.keyboard.press("Control+z")
        area.evaluate("area => area.setSelectionRange(...Array(2).fill(area.value.indexOf('message The')))")
        page.keyboard.press("Control+Enter")
        screen(page, "The end.")
        assert complaints == []


def test_swipes_and_taps_count_on_the_whole_board(folder: Path) -> None:
    text = ROOMS.replace("#.P*O.#", "#.P...#\n#..*O.#\n#.....#")
    (folder / "game.txt").write_text(text, encoding="utf-8")
    with played(folder, 390, 844, touch=True) as (page, complaints):
        box = page.locator("#board").bounding_box()
        assert box is not None
        x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
        for number, (dx, dy) in enumerate(((0, 80), (0, -80), (0, 80), (80, 0)), 1):
            finger(page, (x, y), (x + dx / 2, y + dy / 2), (x + dx, y + dy))
            said(page, "#play-state", f"{number} move" if number < 4 else "Solved in 4 moves.")
        assert page.evaluate("scrollY") == 0
        page.locator("#board").tap()
        said(page, "#play-state", "0 moves.")
        assert page.url.endswith("/3")
        assert complaints == []


def test_a_tap_goes_on_by_one_place_only(folder: Path) -> None:
    """The tap on a solved board ends in a click, which the message that stands there by then took."""
    with played(folder, 390, 844, touch=True) as (page, complaints):
        page.locator("#levels .level .piece").nth(1).tap()
        page.wait_for_url("**/3")
        rest(page)
        page.keyboard.press("d")
        said(page, "#play-state", "Solved in 1 move.")
        page.locator("#board").tap()
        screen(page, "The end.")
        page.wait_for_timeout(500)  # for as long as it takes a browser to make a click of a tap
        screen(page, "The end.")
        page.locator("#game-screen").tap(position={"x": 5, "y": 5})
        screen(page, "1 of 2 solved.")
        page.get_by_role("button", name="Back to the title").tap()
        screen(page, "Three rooms")
        assert complaints == []


def test_share_asks_what_the_player_gets(folder: Path) -> None:
    (folder / "game.txt").write_text(GAME, encoding="utf-8")
    with played(folder, 1280, 800) as (page, complaints):
        page.wait_for_selector("#levels .chip.no")
        page.locator("#share").click()
        assert page.locator("#share-levels li").all_inner_texts() == ["Level 1", "Level 2 – cannot be solved"]
        assert page.locator("#share-told").inner_text() == "Level 2 cannot be solved."
        shot(page, "share")
        page.locator("#share-levels input").first.uncheck()
        page.locator("#share-levels input").nth(1).uncheck()
        assert page.locator("#share-make").is_disabled()
        page.locator("#share-solved").click()
        assert page.locator("#share-told").inner_text() == ""
        page.locator("#share-hints").uncheck()
        page.locator("#share-make").click()
        said(page, "#shared", "game.html")
        data = data_of((folder / "game.html").read_text(encoding="utf-8"))
        assert [each["heading"] for each in data["puzzles"]] == ["Level 1"]
        assert (data["hints"], data["puzzles"][0]["warn"]) == (False, True)
        assert complaints == []


def test_a_level_is_given_a_name_that_its_players_see(folder: Path) -> None:
    with played(folder, 1280, 800) as (page, complaints):
        assert page.locator("#levels .message input").count() == 0
        name = page.get_by_label("Name of the level")
        name.fill("The yard")
        name.press("Enter")
        page.locator("#levels .title", has_text="The yard").wait_for(state="attached")
        page.wait_for_selector('#saving[data-state="saved"]')
        assert "(title: The yard)\n" in (folder / "game.txt").read_text(encoding="utf-8")
        assert name.input_value() == "The yard"
        page.locator("#share").click()
        assert page.locator("#share-levels li").first.inner_text() == "Level 1: The yard"
        shot(page, "level-name")
        page.locator("#share-close").click()
        page.keyboard.press("Control+z")
        page.locator("#levels .title").wait_for(state="detached")
        assert complaints == []


def test_an_address_holds_the_whole_game_for_another_workbench(folder: Path, tmp_path: Path) -> None:
    """It is opened where the workbench runs, or pasted as a text, also the address of a page for a friend."""
    with played(folder, 1280, 800) as (page, complaints):
        page.context.grant_permissions(["clipboard-read", "clipboard-write"])
        page.locator("#share").click()
        page.locator("#share-address").click()
        said(page, "#note", "Address copied. It has")
        address = page.evaluate("navigator.clipboard.readText()")
        assert len(address) < 1000
        page.goto("about:blank")
        page.goto(address)
        said(page, "#make-about", "It holds 2 levels and 2 messages.")
        page.locator("#make-dialog [data-close]").click()
        page.locator("#paste-button").click()
        page.locator("#paste").fill(address.replace("127.0.0.1", "localhost"))
        page.locator("#open-paste").click()
        said(page, "#make-about", "It holds 2 levels and 2 messages.")
        page.locator("#make-name").fill("another")
        page.locator("#make-go").click()
        page.wait_for_url("**/another.puzzlescript/2")
        rest(page)
        assert page.locator("#levels .message").count() == 2
        assert complaints == []


def test_what_mends_a_level_is_one_press_away(folder: Path) -> None:
    """A level that cannot be solved leads to the changes that give it a solution."""
    (folder / "game.txt").write_text(GAME, encoding="utf-8")
    with played(folder, 1280, 800) as (page, complaints):
        page.locator('#modes [data-mode="edit"]').click()
        said(page, "#verdict-show", "Show")
        page.locator("#levels .level .piece").nth(1).click()
        said(page, "#verdict-word", "Cannot be solved")
        said(page, "#verdict-show", "What mends it?")
        page.locator("#verdict-show").click()
        page.wait_for_selector("#suggestions button.change")
        said(page, "#wish-answer", "cannot be solved")
        shot(page, "mends")
        page.locator("#suggestions button.change").first.click()
        rest(page)
        page.locator('#modes [data-mode="edit"]').click()
        said(page, "#verdict-word", "Can be solved")
        assert complaints == []


def test_a_gif_is_written_of_what_was_played(folder: Path) -> None:
    pytest.importorskip("resvg_py", reason="the extra 'gif' is not installed")
    with played(folder, 1280, 800) as (page, complaints):
        assert page.locator("#play-gif").inner_text() == "GIF of a solution"
        page.keyboard.press("a")
        said(page, "#play-state", "1 move.")
        assert page.locator("#play-gif").inner_text() == "GIF of what was played"
        page.locator("#play-gif").click()
        said(page, "#gif-said", "game.gif")
        assert (folder / "game.gif").read_bytes()[:6] == b"GIF89a"
        assert complaints == []

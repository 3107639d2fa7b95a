"""The page for a friend: a game runs on it as its player sees it, on a phone, and from an address alone."""

from __future__ import annotations

import random
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from string import ascii_letters
from typing import TYPE_CHECKING

import pytest

from tests.publishing.test_share import GAME
from tests.whole.browser.chromium import browser_marks, finger, open_page
from tests.workplace import Workplace

if TYPE_CHECKING:
    from playwright.sync_api import Page

pytestmark = browser_marks()

SOLVABLE = GAME.replace("#P#O#\n#*..#", "#P*O#\n#...#")
WAYS = {"up": (0, -80), "right": (80, 0), "down": (0, 80), "left": (-80, 0)}


def friend(folder: Path, text: str = SOLVABLE, *words: str) -> Path:
    """Make the page of a game."""
    (folder / "game.txt").write_text(text, encoding="utf-8")
    target = folder / "friend.html"
    Workplace(folder).epcg("share", folder / "game.txt", "--output", target, *words, code=0)
    return target


def shown(page: Page, text: str) -> None:
    """Wait until a screen of the game shows a text."""
    page.locator("#game:not([hidden])", has_text=text).wait_for()


def at_level(page: Page, name: str) -> None:
    """Wait until a level is on the board."""
    page.locator("#play:not([hidden])").wait_for()
    page.wait_for_function("name => document.getElementById('heading').textContent === name", arg=name)


def swipe(page: Page, way: str) -> None:
    """Swipe in the middle of the board."""
    box = page.locator("#board").bounding_box()
    assert box is not None
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    dx, dy = WAYS[way]
    finger(page, (x, y), (x + dx / 2, y + dy / 2), (x + dx, y + dy))


@contextmanager
def served(folder: Path) -> Iterator[str]:
    """Serve a folder; yields its address."""

    class Quiet(SimpleHTTPRequestHandler):
        def log_message(self, *words: object) -> None:
            """Say nothing."""

    with ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=str(folder))) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}"
        finally:
            server.shutdown()
            thread.join()


def test_a_game_runs_from_its_title_to_its_end(tmp_path: Path) -> None:
    with open_page(1280, 800) as (page, complaints):
        page.goto(friend(tmp_path).as_uri())
        shown(page, "Three rooms")
        assert page.locator("#game p").first.inner_text() == "by A & B"
        assert page.locator("#play").is_hidden()
        page.keyboard.press("x")
        shown(page, "Push it home, & <b>soon</b>.")
        page.keyboard.press("Enter")
        at_level(page, "Level 1")
        assert page.locator("#later").is_hidden()
        page.keyboard.press("d")
        page.locator("#state", has_text="Solved in 1 move.").wait_for()
        assert page.locator("#hint").is_hidden()
        assert page.locator("#dots .solved").count() == 1
        page.keyboard.press("x")
        at_level(page, "Level 2")
        page.keyboard.press("ArrowRight")
        page.locator("#state", has_text="Solved in 1 move.").wait_for()
        page.locator("#later").click()
        shown(page, "The end.")  # the last message of the game
        page.keyboard.press(" ")
        shown(page, "All are solved.")
        page.get_by_role("button", name="Back to the title").click()
        shown(page, "by A & B")
        assert page.locator("#game button").all_inner_texts() == ["Begin"]
        assert complaints == []


def test_the_page_goes_on_where_one_was(tmp_path: Path) -> None:
    with open_page(1280, 800) as (page, complaints):
        address = friend(tmp_path).as_uri()
        page.goto(address)
        page.locator("#levels-button").click()
        assert page.locator("#level-list button").all_inner_texts() == ["Level 1", "Level 2"]
        page.locator("#level-list button").nth(1).click()
        at_level(page, "Level 2")
        assert page.url.endswith("#2")
        page.goto("about:blank")
        page.goto(address)
        shown(page, "Go on: Level 2")
        page.keyboard.press("x")
        at_level(page, "Level 2")
        page.keyboard.press("d")
        page.locator("#later:not([hidden])").click()
        page.keyboard.press("x")
        shown(page, "1 of 2 solved.")
        page.get_by_role("button", name="Go to Level 1").click()
        shown(page, "Push it home")
        assert complaints == []


def test_a_shared_game_is_played_on_a_phone(tmp_path: Path) -> None:
    """All of the page is seen without scrolling; the board takes swipes in all directions, and taps."""
    with open_page(390, 844, touch=True) as (page, complaints):
        page.goto(friend(tmp_path, GAME).as_uri())
        page.locator("#game").tap(position={"x": 5, "y": 5})
        shown(page, "Push it home")
        page.locator("#game").tap(position={"x": 5, "y": 5})
        at_level(page, "Level 1")
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
        assert page.evaluate("document.documentElement.scrollHeight <= innerHeight")
        assert not page.evaluate("document.activeElement === document.getElementById('board')")
        swipe(page, "right")
        page.locator("#state", has_text="Solved in 1 move.").wait_for()
        swipe(page, "right")  # a swipe too many does not leave the solved level
        assert page.locator("#heading").inner_text() == "Level 1"
        page.locator("#undo").tap()
        page.locator("#state", has_text="0 moves.").wait_for()
        page.locator("#hint").tap()
        page.locator("#note", has_text="Try: right.").wait_for()
        finger(page, (100, 640), (160, 640), (220, 640))  # below the board
        page.locator("#state", has_text="Solved in 1 move.").wait_for()
        page.locator("#board").tap()
        at_level(page, "Level 2")
        page.evaluate("document.getElementById('solution').open = true")
        assert "It has no solution (proven)." in (page.locator("#words").text_content() or "")
        assert complaints == []


def test_the_page_tells_how_its_game_is_played(tmp_path: Path) -> None:
    """A friend may never have seen a game of its kind."""
    with open_page(390, 844, touch=True) as (page, complaints):
        page.goto(friend(tmp_path).as_uri())
        page.locator("#how-button").tap()
        told = page.locator("#rules p").all_inner_texts()
        assert "play with the arrow keys" in told[0]
        assert any("You have won" in each for each in told)
        page.keyboard.press("Escape")
        shown(page, "Three rooms")
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
        assert complaints == []


def test_a_tap_on_a_solved_level_shows_the_message_behind_it(tmp_path: Path) -> None:
    """The tap ends in a click, which the screen that stands there by then took for one of its own."""
    with open_page(390, 844, touch=True) as (page, complaints):
        page.goto(f"{friend(tmp_path).as_uri()}#2")
        at_level(page, "Level 2")
        swipe(page, "right")
        page.locator("#state", has_text="Solved").wait_for()
        page.locator("#board").tap()
        shown(page, "The end.")
        page.wait_for_timeout(500)  # for as long as it takes a browser to make a click of a tap
        shown(page, "The end.")
        page.locator("#game").tap(position={"x": 5, "y": 5})
        shown(page, "1 of 2 solved.")
        assert complaints == []


def test_up_and_down_are_moves_and_do_not_scroll(tmp_path: Path) -> None:
    rooms = SOLVABLE.replace("#.P*O.#", "#.P...#\n#..*O.#\n#.....#")
    with open_page(390, 844, touch=True) as (page, complaints):
        page.goto(f"{friend(tmp_path, rooms).as_uri()}#1")
        at_level(page, "Level 1")
        for number, way in enumerate(("down", "up", "down", "right"), 1):
            swipe(page, way)
            done = "Solved in 4 moves." if number == 4 else f"{number} move"
            page.locator("#state", has_text=done).wait_for()
        assert page.evaluate("scrollY") == 0
        assert complaints == []


def test_what_was_not_given_is_not_there(tmp_path: Path) -> None:
    with open_page(1280, 800) as (page, complaints):
        page.goto(f"{friend(tmp_path, SOLVABLE, '--no-hints', '--no-solutions', '--no-warnings').as_uri()}#2")
        at_level(page, "Level 2")
        page.get_by_role("button", name="More").click()
        for name in ("hint", "solution", "warning"):
            assert page.locator(f"#{name}").is_hidden(), name
        page.keyboard.press("Escape")
        page.keyboard.press("h")
        page.wait_for_timeout(100)
        assert page.locator("#note").inner_text() == ""
        assert complaints == []


def test_an_address_holds_a_game_and_another_page_runs_it(tmp_path: Path) -> None:
    friend(tmp_path)
    other = GAME.replace("title Three rooms", "title Another one")
    (tmp_path / "other").mkdir()
    friend(tmp_path / "other", other)
    with served(tmp_path) as site, open_page(1280, 800) as (page, complaints):
        page.context.grant_permissions(["clipboard-read", "clipboard-write"])
        page.goto(f"{site}/other/friend.html")
        page.get_by_role("button", name="More").click()
        page.locator("#link").click()
        page.wait_for_function("document.getElementById('told').textContent.startsWith('Copied')")
        address = page.evaluate("navigator.clipboard.readText()").replace("/other/", "/")
        said = Workplace(tmp_path).epcg(
            "share", tmp_path / "other" / "game.txt", "--output", tmp_path / "again.html",
            "--link", f"{site}/friend.html", code=0,
        )  # fmt: skip
        for link in (address, said.stdout.strip()):
            page.goto("about:blank")
            page.goto(link)
            shown(page, "Another one")
            page.locator("#levels-button").click()
            page.locator("#level-list button").first.click()
            shown(page, "Push it home")
            page.keyboard.press("x")
            at_level(page, "Level 1")
            assert page.url == link, "a reload opens the same game"
        page.goto(f"{site}/friend.html")
        shown(page, "Three rooms")
        assert page.locator("#game button").all_inner_texts() == ["Begin"], "its progress is its own"
        assert complaints == []


@pytest.mark.parametrize(
    ("more", "said"),
    [
        (0, "takes 2,000 in a message: send the file there"),
        (9_000, "Some programs cut its"),
        (1_100_000, "Not copied: browsers open 1,048,572 letters"),
    ],
)
def test_a_page_says_what_to_do_with_an_address_that_is_too_long(
    tmp_path: Path, more: int, said: str
) -> None:
    path = friend(tmp_path)
    text = path.read_text(encoding="utf-8")
    noise = "".join(random.Random(1).choices(ascii_letters, k=more))
    assert text.count('"source":"') == 1
    path.write_text(text.replace('"source":"', f'"source":"{noise}'), encoding="utf-8")
    with served(tmp_path) as site, open_page(390, 844) as (page, complaints):
        page.context.grant_permissions(["clipboard-read", "clipboard-write"])
        page.goto(f"{site}/friend.html")
        page.evaluate("navigator.clipboard.writeText('before')")
        page.get_by_role("button", name="More").click()
        page.locator("#link").click()
        page.locator("#told", has_text=said).wait_for()
        is_copied = page.evaluate("navigator.clipboard.readText()") != "before"
        assert is_copied == ("Not copied" not in said)
        assert complaints == []


@pytest.mark.parametrize("letters", ["", "eJ", "!!!", "eNqrVkrOT0lVslIqz0gtTVWqBQAyWAXP"])
def test_an_address_that_was_cut_says_so(tmp_path: Path, letters: str) -> None:
    with open_page(1280, 800) as (page, complaints):
        page.goto(f"{friend(tmp_path).as_uri()}#game={letters}")
        page.locator("#why", has_text="This address does not hold a whole game").wait_for()
        assert complaints == []

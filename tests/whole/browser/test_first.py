"""The first page, games that are made from it, their history, and the frame on a phone."""

from __future__ import annotations

import os
import re
import signal
import socket
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from epcg_workbench.project.templates import new_project

from epcg_core.inside import shipped_queries
from tests.whole.browser.chromium import browser_marks, open_page
from tests.whole.browser.test_project import levels, saved, served
from tests.whole.browser.test_workbench import begin, choose, drag, rest, said, shot, until
from tests.workplace import epcg_command

if TYPE_CHECKING:
    from playwright.sync_api import Page

pytestmark = browser_marks("starlette", "epcg_puzzlescript")
LOADED = "images => images.length > 0 && images.every(image => image.complete && image.naturalWidth > 0)"


@pytest.fixture(autouse=True)
def own_state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("EPCG_STATE", str(tmp_path / "state"))


@contextmanager
def started(folder: Path, *words: object) -> Iterator[tuple[str, subprocess.Popen[str]]]:
    """Start the workbench in a folder, and yield its address and its process."""
    command = epcg_command("workbench", *words, "--no-open")
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=folder) as process:
        try:
            assert process.stdout is not None
            told = iter(process.stdout.readline, "")
            yield next(found[0] for line in told if (found := re.search(r"http://\S+", line))), process
        finally:
            process.terminate()
            process.wait(60)


def board(page: Page) -> str:
    """The rows of the level that is open."""
    found: str = page.locator("#text").input_value()
    return found.rstrip().rpartition("\n\n")[2]


def test_from_nothing_to_a_game_in_two_clicks_and_a_name(tmp_path: Path) -> None:
    """The server becomes that of the game; when it is killed, its next start goes on with the same tab."""
    folder = tmp_path / "games"
    folder.mkdir()
    with socket.socket() as free:  # other servers here look for ports, too
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    with (
        started(folder, "--port", port) as (address, process),
        open_page(1280, 800) as (page, complaints),
    ):
        page.goto(address)
        rest(page)
        until(page, lambda: bool(page.locator("#around img").evaluate_all(LOADED)))
        assert page.locator("#around > li").count() > 40
        page.click('[data-filter="snakebird"]')
        shown = page.locator("#around > li:visible")
        assert {each.get_attribute("data-domain") for each in shown.all()} == {"snakebird"}
        assert page.locator("#recent").is_hidden()
        shot(page, "first")

        page.click("#make-rules")
        page.fill("#make-name", "frost/fox?")
        page.click("#make-go")
        said(page, "#make-trouble", "A name cannot have")
        page.fill("#make-name", "frost fox")
        page.keyboard.press("Enter")
        page.wait_for_selector("#board .marks")
        rest(page)
        until(page, lambda: levels(page)[1::2] == ["1 ✓ 1 move", "2 ✓ 4 moves"])
        path = folder / "frost fox" / "game.txt"
        before = path.read_text()
        choose(page, "wall")
        drag(page, ["c2,2"])
        saved(page)
        assert [x for x, y in zip(path.read_text().splitlines(), before.splitlines(), strict=True) if x != y]

        os.kill(process.pid, signal.SIGKILL)
        process.wait()
        page.click("#undo")  # needs no server but to be shown
        with started(folder, "frost fox", "--port", port) as (again, _):
            assert again.partition("?")[2] == address.partition("?")[2], "the key is that of the user"
            assert page.url.startswith(again.partition("?")[0])
            until(page, lambda: page.locator("#lost").is_hidden())
            page.reload()
            rest(page)
            page.click("#home")
            until(page, lambda: page.locator('[data-recent="frost fox"] img').count() == 3)
            assert "open" in page.locator('[data-recent="frost fox"]').inner_text()
            page.click('[data-recent="frost fox"]')
            page.wait_for_selector("#board .marks")
    assert [
        each for each in complaints if "ERR_CONNECTION" not in each and "Failed to fetch" not in each
    ] == []


def test_what_was_open_is_found_again_and_told_when_it_is_gone(tmp_path: Path) -> None:
    for name in ("one", "two"):
        new_project(tmp_path / name)
    with served(tmp_path / "two") as _:
        pass
    with served(tmp_path / "one") as (address, _), open_page(1280, 800) as (page, complaints):
        page.goto(address)
        rest(page)
        page.click("#home")
        begin(page, "fling")
        said(page, "#place-folder", "one")
        page.click("#home")
        page.locator('[data-recent="Fling!"]').wait_for()
        page.locator('[data-recent="two"]').click()
        said(page, "#place-folder", "two")
        rest(page)
        page.click("#home")
        page.locator('[data-recent="one"]').wait_for()
        (tmp_path / "one").rename(tmp_path / "moved")
        page.reload()
        said(page, "#recent .gone", "is gone")
        page.locator("#recent .is-gone .remove").click()
        page.wait_for_selector("#recent .is-gone", state="detached")
        assert complaints == []


def test_a_file_of_many_levels_becomes_a_game(tmp_path: Path) -> None:
    text = (tmp_path / "source" / new_project(tmp_path / "source")).read_text()
    folder = tmp_path / "here"
    folder.mkdir()
    with started(folder) as (address, _), open_page(1280, 800) as (page, complaints):
        page.goto(address)
        rest(page)
        data = text.replace("\n", "\r\n").encode()
        page.set_input_files("#file", files=[{"name": "found.txt", "mimeType": "text/plain", "buffer": data}])
        said(page, "#make-about", "It holds 3 levels and 2 messages.")
        page.click("#make-go")
        page.wait_for_selector("#board .marks")
        rest(page)
        assert (folder / "found" / "found.txt").read_text() == text
        assert page.locator("#levels .level").count() == 3
        assert complaints == []


def test_what_is_undone_stays_a_branch_over_levels_and_starts(tmp_path: Path) -> None:
    new_project(tmp_path)
    with served(tmp_path) as (address, _), open_page(1280, 800) as (page, complaints):
        page.goto(address)
        rest(page)
        new = board(page)
        choose(page, "wall")
        states = [new]
        for site in ("c2,2", "c3,2"):
            drag(page, [site])
            saved(page)
            states.append(board(page))
        page.keyboard.press("Control+z")
        until(page, lambda: board(page) == states[1])
        rest(page)
        drag(page, ["c6,4"])
        saved(page)
        states.append(board(page))
        assert page.locator("#redo").is_disabled()

        # another level is drawn; undo leads back to both
        page.locator("#levels .level .piece").nth(1).click()
        rest(page)
        other = board(page)
        drag(page, ["c2,2"])
        saved(page)
        assert board(page) != other
        page.reload()
        rest(page)
        page.click("#undo")
        until(page, lambda: board(page) == other)
        page.click("#undo")
        until(page, lambda: board(page) == states[1])
        page.click("#redo")
        until(page, lambda: board(page) == states[3])

        # the state that was undone before one drew on is in the list, with a picture, and is gone to
        page.click("#past-button")
        rows = page.locator("#history button")
        until(page, lambda: rows.count() == 5)
        assert page.locator('#history [data-lane="1"]').count() == 2
        until(page, lambda: page.locator("#history .look img").count() == 5)
        rows.nth(2).focus()
        page.wait_for_selector("#past-picture img")
        shot(page, "history")
        page.keyboard.press("Enter")
        until(page, lambda: board(page) == states[2])
        assert rows.nth(2).get_attribute("aria-current") == "true"
        page.keyboard.press("Escape")
        saved(page)

        # in play, undo takes back a move and never the drawing
        page.click('[data-mode="play"]')
        rest(page)
        page.locator("#actions button").first.click()
        rest(page)
        said(page, "#play-state", "1 move.")
        page.click("#undo")
        said(page, "#play-state", "0 moves.")
        assert page.locator("#undo").is_disabled()
        page.click('[data-mode="edit"]')
        rest(page)
        assert board(page) == states[2]
        assert complaints == []


def test_page_level_mode_and_wish_outlive_the_server(tmp_path: Path) -> None:
    new_project(tmp_path)
    question = shipped_queries()["fling/entropy"].read_text()
    (tmp_path / "hard.toml").write_text(question)
    with served(tmp_path) as (address, process), open_page(1280, 800) as (page, complaints):
        page.goto(address)
        rest(page)
        page.locator("#levels .level .piece").nth(2).click()
        rest(page)
        page.click('[data-mode="analyse"]')
        rest(page)
        page.locator("#metric").select_option("shortest_solution/moves")
        page.wait_for_timeout(1000)
        os.kill(process.pid, signal.SIGKILL)
        process.wait()
        with served(tmp_path):
            assert page.context.browser is not None
            other = page.context.browser.new_page()  # what browsers keep is not what is asked for
            other.goto(address)
            rest(other)
            assert other.url.endswith("#file/game.txt/5")
            assert other.locator('[data-mode="analyse"]').get_attribute("aria-pressed") == "true"
            assert other.locator("#metric").input_value() == "shortest_solution/moves"
            other.click('#files [data-file="hard.toml"]')
            other.locator('#ask-questions [data-file="hard.toml"][aria-current="true"]').wait_for()
            rest(other)
            assert other.locator("#ask-text").input_value() == question
            other.click('[data-mode="edit"]')
            other.wait_for_selector("#bench:not([hidden])")
    assert [each for each in complaints if "ERR_CONNECTION" not in each] == []


def test_contents_are_called_as_players_call_them(tmp_path: Path) -> None:
    (tmp_path / "boards.txt").write_text("o..o\n.o..\no..o\n")
    with served(tmp_path / "boards.txt") as (address, _), open_page(1280, 800) as (page, complaints):
        page.goto(address)
        rest(page)
        assert page.locator("#add-level").inner_text() == "+ board"
        chip = "Board 1 ✓ 4 first moves, can be solved; first moves that win: 4"
        page.get_by_role("button", name=chip, exact=True).wait_for()
        assert complaints == []


@pytest.mark.parametrize("width", [360, pytest.param(430, marks=pytest.mark.nightly)])
def test_the_frame_on_a_phone(tmp_path: Path, width: int) -> None:
    """Tabs under the thumb, the strip a row, and nothing wider than the page."""
    new_project(tmp_path)
    with served(tmp_path) as (address, _), open_page(width, 800, touch=True) as (page, complaints):
        page.goto(address)
        rest(page)

        def box(selector: str) -> dict[str, float]:
            found = page.locator(selector).bounding_box()
            assert found is not None
            return {**found}

        tabs = page.locator("#tabs button:visible")
        assert [each.inner_text() for each in tabs.all()] == ["Draw", "Play", "Changes", "Fill", "More"]
        for each in tabs.all():
            place = each.bounding_box()
            assert place is not None
            assert place["y"] + place["height"] <= 801
            assert place["y"] > 700
            assert min(place["width"], place["height"]) >= 44
        height = box("#strip")["height"]
        assert height < 200
        page.locator("#files-part summary").tap()
        assert box("#strip")["height"] == height
        assert page.locator('#files [data-file="game.txt"]').is_visible()
        page.locator("#files-part summary").tap()
        for name in ("#undo", "#redo", "#share", "#home"):
            assert min(box(name)["height"], box(name)["width"]) >= 44, name
        page.locator('[data-mode="play"]').tap()
        rest(page)
        page.locator("#more-tab").tap()
        page.locator('#pages a[href="#curricula"]').tap()
        page.wait_for_selector("#curricula:not([hidden])")
        assert page.locator("#pages").is_hidden()
        page.locator('[data-mode="edit"]').tap()
        rest(page)
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        shot(page, f"phone-{width}")
        page.locator("#home").tap()
        rest(page)
        until(page, lambda: bool(page.locator("#around img").evaluate_all(LOADED)))
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        for each in page.locator("#start button:visible").all()[:12]:
            place = each.bounding_box()
            assert place is not None
            assert place["height"] >= 44, each.inner_text()
        assert complaints == []

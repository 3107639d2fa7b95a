"""A game is made in a project of the workbench: drawn, typed, broken and mended, and never lost."""

from __future__ import annotations

import os
import re
import signal
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from epcg_workbench.project.templates import new_project

from tests.whole.browser.chromium import browser_marks, open_page
from tests.whole.browser.test_workbench import choose, drag, rest, said, shot, until
from tests.whole.faults.mounts import small_disk
from tests.workplace import epcg_command

if TYPE_CHECKING:
    from playwright.sync_api import Page

pytestmark = browser_marks("starlette", "epcg_puzzlescript")

RULE = "[ > Player | Crate ] -> [ > Player | > Crate ]"
FAULTY = "[ > Player | Crate | Crate ] -> [ > Player | > Crate ]"


@contextmanager
def served(folder: Path) -> Iterator[tuple[str, subprocess.Popen[str]]]:
    """Serve the workbench of a project, and yield its address and its process."""
    command = epcg_command("workbench", folder, "--no-open")
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            address = None
            while address is None:
                line = process.stdout.readline()
                assert line, "the server has ended"
                address = re.search(r"http://\S+", line)
            yield address[0], process
        finally:
            process.terminate()
            process.wait(60)


def saved(page: Page) -> None:
    """Wait until what was done last is saved."""
    rest(page)
    page.wait_for_selector('#saving[data-state="saved"]')


def levels(page: Page) -> list[str]:
    """The chips of the levels, and the words of the messages, in their order."""
    return [" ".join(each.split()) for each in page.locator("#levels > li > .piece").all_inner_texts()]


def test_a_game_is_broken_mended_drawn_saved_and_survives_its_server(tmp_path: Path) -> None:
    folder = tmp_path / "frost & fox"
    name = new_project(folder)
    path = folder / name
    before = path.read_bytes()
    with served(folder) as (address, process), open_page(1280, 800) as (page, complaints):
        page.goto(address)
        rest(page)
        until(page, lambda: levels(page)[1::2] == ["1 ✓ 1 move", "2 ✓ 4 moves"])
        assert levels(page)[0] == "“Every plate wants a crate.”"
        assert page.locator("#levels .level").count() == 3
        shot(page, "project")

        # a rule is broken: the board stays, and says that it is older; the fault stands at its line
        page.click("#text-button")
        text = page.locator("#source").input_value()
        assert text.encode() == before
        page.locator("#source").fill(text.replace(RULE, FAULTY))
        said(page, "#older", "Older than the text")
        line = text[: text.index(RULE)].count("\n") + 1
        assert page.locator("#faults .line").first.inner_text() == f"⚠ {line}"
        assert page.locator("#board .marks").count() == 1
        page.locator("#faults button").first.click()
        assert f"line {line} of" in page.locator("#text-where").inner_text()
        shot(page, "project-fault")
        saved(page)
        assert path.read_text() == text.replace(RULE, FAULTY)
        page.locator("#source").fill(text)
        page.wait_for_selector("#older", state="hidden")
        saved(page)
        assert path.read_bytes() == before

        # a level is drawn: its rows alone differ
        page.locator("#levels .level .piece").nth(1).click()
        rest(page)
        page.click("#text-button")
        choose(page, "wall")
        drag(page, ["c2,2"])
        saved(page)
        drawn = path.read_text()
        pairs = zip(text.splitlines(), drawn.splitlines(), strict=True)
        assert [pair for pair in pairs if pair[0] != pair[1]] == [("#..#..#", "##.#..#")]

        # a level is added, moved by the keyboard, deleted, and brought back
        page.click("#add-level")
        saved(page)
        until(page, lambda: page.locator("#levels .level").count() == 4)
        added = path.read_text()
        assert (
            added.replace("\n\n#######\n#.....#\n#.....#\n#.....#\n#######\n", "\n", 1).split()
            == drawn.split()
        )
        page.locator('#levels [aria-current="true"]').press("Alt+ArrowUp")
        saved(page)
        moved = path.read_text()
        assert moved != added
        assert sorted(moved.split()) == sorted(added.split())
        page.locator('#levels [aria-current="true"]').press("Delete")
        said(page, "#strip-undone", "The level is deleted.")
        saved(page)
        assert path.read_text().split() == drawn.split()
        page.click("#strip-undo")
        saved(page)
        assert path.read_text() == moved

        # the server is killed while one types; another one takes its place, and the tab goes on
        os.kill(process.pid, signal.SIGKILL)
        process.wait()
        page.click("#text-button")
        typed = moved.replace("author somebody", "author me")
        page.locator("#source").fill(typed)
        said(page, "#saving", "does not answer")
        assert path.read_text() == moved
        with served(folder) as (again, _):
            assert again == address
            saved(page)
            until(page, lambda: page.locator("#lost").is_hidden())
            assert path.read_text() == typed
            page.reload()
            rest(page)
            assert page.locator("#source").input_value() == typed
            page.click("#past-button")
            until(page, lambda: page.locator("#history button").count() >= 6)
    unexpected = [each for each in complaints if "ERR_CONNECTION" not in each]
    assert unexpected == []


def test_levels_are_dragged_to_another_place_and_messages_written(tmp_path: Path) -> None:
    path = tmp_path / new_project(tmp_path)
    with served(tmp_path) as (address, _), open_page(1280, 800) as (page, complaints):
        page.goto(address)
        rest(page)
        rows = page.locator("#levels > li")
        rows.nth(4).drag_to(rows.nth(0), target_position={"x": 60, "y": 3})
        saved(page)
        assert levels(page)[1] == "“Every plate wants a crate.”"
        assert path.read_text().index("#..o...#") < path.read_text().index("message Every")
        page.locator("#levels .message .piece").first.click()
        rest(page)
        page.locator("#levels input").fill('100 % "free" <b>words</b> & more')
        page.locator("#levels input").press("Enter")
        saved(page)
        assert 'message 100 % "free" <b>words</b> & more\n' in path.read_text()
        assert levels(page)[1] == '“100 % "free" <b>words</b> & more”'
        assert complaints == []


def test_two_programs_write_one_file(tmp_path: Path) -> None:
    path = tmp_path / new_project(tmp_path)
    with served(tmp_path) as (address, _), open_page(1280, 800) as (page, complaints):
        page.goto(address)
        rest(page)
        page.click("#text-button")
        text = page.locator("#source").input_value()

        # nothing is typed here: the file is read again
        other = text.replace("author somebody", "author other")
        path.write_text(other)
        until(page, lambda: bool(page.locator("#source").input_value() == other))

        # something is typed: one is asked, and both can be kept
        path.write_text(text)
        page.locator("#source").fill(text.replace("author somebody", "author mine"))
        said(page, "#elsewhere", "changed by another program")
        assert path.read_text() == text
        page.click("#elsewhere-both")
        page.wait_for_selector("#elsewhere", state="hidden")
        rest(page)
        mine = path.with_stem(f"{path.stem} (mine)")
        assert mine.read_text() == text.replace("author somebody", "author mine")
        assert path.read_text() == text
        assert page.locator("#text-file").inner_text() == mine.name

        # the file is gone: what is typed is kept beside
        mine.unlink()
        page.locator("#source").fill(text.replace("author somebody", "author again"))
        said(page, "#elsewhere", "is gone")
        assert page.locator("#elsewhere-reload").is_hidden()

        # two tabs share a file
        page.click("#elsewhere-both")
        rest(page)
        second = page.context.new_page()
        second.goto(page.url)
        rest(second)
        page.locator("#source").fill(text.replace("author somebody", "author tab"))
        saved(page)
        until(second, lambda: "author tab" in second.locator("#source").input_value())
        assert complaints == []


def test_a_full_disk_is_told_and_nothing_is_lost(tmp_path: Path) -> None:
    with small_disk(tmp_path / "disk", "4m") as folder:
        path = folder / new_project(folder)
        with served(folder) as (address, _), open_page(1280, 800) as (page, _):
            page.goto(address)
            rest(page)
            page.click("#text-button")
            text = page.locator("#source").input_value()
            filler = folder / "filler"
            with filler.open("wb", buffering=0) as file:
                try:
                    while True:
                        file.write(b"x" * 4096)
                except OSError:
                    pass
            typed = text.replace("author somebody", f"author {'me ' * 3000}")
            page.locator("#source").fill(typed)
            said(page, "#saving", "No space left")
            assert path.read_text() == text
            assert page.locator("#source").input_value() == typed
            filler.unlink()
            saved(page)
            assert path.read_text() == typed

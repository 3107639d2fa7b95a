"""Several projects in one server, tabs that go on after a restart, undo of the list, history in pictures."""

from __future__ import annotations

import os
import random
import re
import signal
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from epcg_workbench.project.templates import new_project

from tests.whole.browser.chromium import browser_marks, open_page
from tests.whole.browser.test_first import board, started
from tests.whole.browser.test_project import levels, saved, served
from tests.whole.browser.test_workbench import begin, choose, drag, rest, said, shot, text_of, until

if TYPE_CHECKING:
    from playwright.sync_api import Page

pytestmark = browser_marks("starlette", "epcg_puzzlescript")

SEED = 20261130


@pytest.fixture(autouse=True)
def own_state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("EPCG_STATE", str(tmp_path / "state"))


def ended(process: subprocess.Popen[str]) -> None:
    """End a server as a cut of power does."""
    os.kill(process.pid, signal.SIGKILL)
    process.wait()


def port_of(address: str) -> str:
    return re.findall(r":(\d+)/", address)[0]


def source(page: Page) -> str:
    """The text of the open file, as the tab has it."""
    found: str = page.locator("#source").input_value()
    return found


def edited(page: Page, rng: random.Random) -> None:
    """Do something to the file that is open: draw, add, duplicate, delete, move, type, undo or redo."""
    rows = page.locator("#levels .level .piece")
    rows.nth(rng.randrange(rows.count())).click()
    rest(page)
    acts = ["draw", "draw", "type", "Control+d", "Alt+ArrowDown", "#add-level", "#undo", "#redo"]
    act = rng.choice([*acts, "Delete"] if rows.count() > 2 else acts)
    if act == "draw":
        choose(page, rng.choice(["wall", "crate"]))
        drag(page, [f"c{rng.randrange(2, 5)},{rng.randrange(2, 4)}"])
    elif act == "type":
        page.click("#text-button")
        page.locator("#source").fill(re.sub("author .*", f"author {rng.randrange(1000)}", source(page)))
        rest(page)
        page.click("#text-button")
    elif act.startswith("#"):
        if page.locator(act).is_enabled():
            page.click(act)
    else:
        page.locator('#levels [aria-current="true"]').press(act)
    rest(page)


def test_two_projects_in_two_tabs_are_edited_at_random(tmp_path: Path) -> None:
    """Each file is what its tab shows, and nothing of one comes into the other."""
    rng = random.Random(SEED)
    paths = [tmp_path / name / new_project(tmp_path / name) for name in ("one", "two")]
    with served(tmp_path / "two") as _:
        pass  # so that it is among the recent ones
    with served(tmp_path / "one") as (address, _), open_page(1280, 800) as (page, complaints):
        page.goto(address)
        rest(page)
        other = page.context.new_page()
        other.goto(page.url.partition("#")[0] + "#/")
        with page.context.expect_page() as opened:
            other.locator('[data-recent="two"]').click(modifiers=["Control"])
        other.close()
        second = opened.value
        said(second, "#place-folder", "two")
        assert second.title().endswith("two – EPCG workbench")
        assert page.title().endswith("one – EPCG workbench")
        tabs = [page, second]
        for tab in tabs:
            rest(tab)
        for _ in range(16):
            edited(rng.choice(tabs), rng)
        for tab, path in zip(tabs, paths, strict=True):
            saved(tab)
            assert path.read_text() == source(tab)
            tab.reload()
            rest(tab)
            assert path.read_text() == source(tab)
            said(tab, "#place-folder", path.parent.name)
        assert paths[0].read_text() != paths[1].read_text()
        found = {path.relative_to(tmp_path).parts[0] for path in tmp_path.rglob("*.txt")}
        assert found == {"one", "two"}
        assert complaints == []


def test_tabs_go_on_with_any_later_server_of_the_user(tmp_path: Path) -> None:
    """It was started in another folder, by the words of the banner; what was drawn and typed is sent then."""
    paths = [tmp_path / name / new_project(tmp_path / name) for name in ("one", "two")]
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    with served(tmp_path / "two") as (address, process):
        pass
    with served(tmp_path / "one") as (address, process), open_page(1280, 800) as (page, complaints):
        page.goto(address)
        rest(page)
        second, third = page.context.new_page(), page.context.new_page()
        second.goto(page.url.partition("#")[0] + "#/")
        second.click('[data-recent="two"]')
        said(second, "#place-folder", "two")
        third.goto(page.url.partition("#")[0] + "#/")
        rest(third)
        begin(third, "fling")
        for tab in (page, second):
            rest(tab)
        second.click("#text-button")
        choose(page, "wall")
        drag(page, ["c2,2"])
        typed = source(second).replace("author somebody", "author me")
        ended(process)
        drag(third, ["c3,3"])
        second.locator("#source").fill(typed)
        for tab in (page, second, third):
            words = f"epcg workbench --port {port_of(address)}"
            said(tab, "#lost", words)
        shot(page, "lost")
        drawn = source(page)
        with started(elsewhere, "--port", port_of(address)) as (again, _):
            assert again.partition("?")[2] == address.partition("?")[2]
            for tab in (page, second, third):
                until(tab, lambda tab=tab: tab.locator("#lost").is_hidden())
            for tab in (page, second):
                saved(tab)
            assert [path.read_text() for path in paths] == [drawn, typed]
            drag(page, ["c6,4"])
            saved(page)
            assert paths[0].read_text() == source(page) != drawn
            before = text_of(third)
            drag(third, ["c3,3"])
            until(third, lambda: text_of(third) != before)
            assert not list(elsewhere.glob("*.txt"))
    assert [each for each in complaints if "ERR_CONNECTION" not in each] == []


def test_what_another_program_wrote_while_the_server_was_gone_is_asked_about(tmp_path: Path) -> None:
    path = tmp_path / new_project(tmp_path)
    with served(tmp_path) as (address, process), open_page(1280, 800) as (page, _):
        page.goto(address)
        rest(page)
        page.click("#text-button")
        text = source(page)
        ended(process)
        mine, other = (text.replace("author somebody", f"author {name}") for name in ("mine", "other"))
        page.locator("#source").fill(mine)
        said(page, "#saving", "does not answer")
        path.write_text(other)
        with served(tmp_path):
            said(page, "#elsewhere", "changed by another program")
            assert source(page) == mine
            assert path.read_text() == other
            page.click("#elsewhere-both")
            page.wait_for_selector("#elsewhere", state="hidden")
            rest(page)
            assert path.with_stem(f"{path.stem} (mine)").read_text() == mine
            assert path.read_text() == other


def test_what_is_given_up_for_another_text_is_in_the_history(tmp_path: Path) -> None:
    path = tmp_path / new_project(tmp_path)
    with served(tmp_path) as (address, _), open_page(1280, 800) as (page, complaints):
        page.goto(address)
        rest(page)
        page.click("#text-button")
        text = source(page)
        page.locator("#source").fill(text.replace("author somebody", "author mine"))
        path.write_text(text.replace("author somebody", "author other"))
        said(page, "#elsewhere", "changed by another program")
        page.click("#elsewhere-reload")
        until(page, lambda: "author other" in source(page))
        saved(page)
        page.reload()
        rest(page)
        page.click("#undo")
        until(page, lambda: "author mine" in source(page))
        saved(page)
        assert "author mine" in path.read_text()
        assert complaints == []


def test_a_tab_with_an_old_key_goes_on_when_any_tab_has_the_new_one(tmp_path: Path) -> None:
    path = tmp_path / "project" / new_project(tmp_path / "project")
    with served(path.parent) as (address, process), open_page(1280, 800) as (page, _):
        page.goto(address)
        rest(page)
        page.click("#text-button")
        ended(process)
        (tmp_path / "state" / "token").unlink()
        typed = source(page).replace("author somebody", "author me")
        page.locator("#source").fill(typed)
        with served(path.parent) as (again, _):
            assert again != address
            said(page, "#lost", "open the address that `epcg workbench` printed")
            assert path.read_text() != typed
            page.context.new_page().goto(again)
            until(page, lambda: page.locator("#lost").is_hidden())
            saved(page)
            assert path.read_text() == typed


@pytest.mark.parametrize("mode", ["edit", "play", "analyse", "text"])
def test_a_copy_that_was_deleted_comes_back_wherever_one_is(tmp_path: Path, mode: str) -> None:
    path = tmp_path / new_project(tmp_path)
    with served(tmp_path) as (address, _), open_page(1280, 800) as (page, complaints):
        page.goto(address)
        rest(page)
        page.locator("#levels .level .piece").nth(1).click()
        rest(page)
        page.click("#text-button" if mode == "text" else f'[data-mode="{mode}"]')
        rest(page)
        states = [path.read_text()]
        page.get_by_label("Duplicate").click()
        saved(page)
        states.append(path.read_text())
        page.locator("#levels [aria-label^=Delete]").click()
        saved(page)
        assert path.read_text().split() == states[0].split()
        deleted = path.read_text()
        for keys, state in (
            ("Control+z", states[1]), ("Control+z", states[0]), ("Control+y", states[1]),
            ("Control+Shift+Z", deleted), ("Control+z", states[1]),
        ):  # fmt: skip
            page.keyboard.press(keys)
            until(page, lambda state=state: path.read_text() == state)
            rest(page)
        until(page, lambda: len(levels(page)) == 6)
        assert complaints == []


def test_undo_follows_at_once_on_keys_that_are_pressed_fast(tmp_path: Path) -> None:
    path = tmp_path / new_project(tmp_path)
    with served(tmp_path) as (address, _), open_page(1280, 800) as (page, complaints):
        page.goto(address)
        rest(page)
        page.locator('#levels [aria-current="true"]').press("Control+d")
        page.keyboard.press("Delete")
        page.keyboard.press("Control+z")
        rest(page)
        until(page, lambda: len(levels(page)) == 6)
        saved(page)
        assert path.read_text().count("\n\n") > 0
        assert complaints == []


def test_the_history_has_pictures_and_branches_that_outlive_the_server(tmp_path: Path) -> None:
    new_project(tmp_path)
    with open_page(1280, 800) as (page, complaints):
        with served(tmp_path) as (address, _):
            page.goto(address)
            rest(page)
            choose(page, "wall")
            states = [board(page)]
            for site in ("c2,2", "c3,2"):
                drag(page, [site])
                saved(page)
                states.append(board(page))
            page.click("#undo")
            rest(page)
            page.click("#undo")
            until(page, lambda: board(page) == states[0])
            rest(page)
            drag(page, ["c6,4"])
            saved(page)
            states.append(board(page))
        with served(tmp_path) as (address, _):
            page.goto(address)
            rest(page)
            page.click("#past-button")
            rows = page.locator("#history button")
            until(page, lambda: rows.count() == 4 and page.locator("#history .look img").count() == 4)
            shown = page.locator("#history .look img").evaluate_all("images => images.map(each => each.src)")
            assert len(set(shown)) == 4
            lanes = page.locator("#history li").evaluate_all("rows => rows.map(row => row.dataset.lane)")
            assert lanes == ["1", "0", "0", "0"]
            assert page.locator("#history .rail .here").count() == 1
            assert page.locator("#history .rail path").last.get_attribute("d").count("Q") == 2
            shot(page, "history-branches")
            rows.nth(1).click()  # the other way is gone back to
            until(page, lambda: board(page) == states[2])
            assert rows.nth(1).get_attribute("aria-current") == "true"
            page.keyboard.press("Escape")
            drag(page, ["c4,2"])
            saved(page)
            page.click("#past-button")
            until(page, lambda: rows.count() == 5 and page.locator("#history .look img").count() == 5)
            lanes = page.locator("#history li").evaluate_all("rows => rows.map(row => row.dataset.lane)")
            assert lanes == ["0", "1", "0", "0", "0"]
    assert [each for each in complaints if "ERR_CONNECTION" not in each] == []


def test_a_file_is_opened_by_its_name_and_a_reload_keeps_the_place(tmp_path: Path) -> None:
    folder = tmp_path / "frost & fox"
    (folder / new_project(folder)).rename(folder / "my game.txt")
    new_project(tmp_path / "more")
    (tmp_path / "more" / "game.txt").rename(folder / "another.txt")
    with (
        started(tmp_path, folder / "my game.txt") as (address, _),
        open_page(1280, 800) as (page, complaints),
    ):
        page.goto(address)
        said(page, "#place-folder", "frost & fox")
        rest(page)
        assert page.locator("#place-file").input_value() == "my game.txt"
        page.locator("#levels .level .piece").nth(2).click()
        rest(page)
        page.click('[data-mode="play"]')
        rest(page)
        second = page.context.new_page()
        second.goto(address)
        rest(second)
        second.locator("#levels .level .piece").nth(1).click()
        rest(second)
        second.click('[data-mode="analyse"]')
        rest(second)
        for tab, level, mode in ((page, "Level 3", "play"), (second, "Level 2", "analyse")):
            tab.reload()
            rest(tab)
            chosen = tab.locator('#levels [aria-current="true"]')
            until(tab, lambda chosen=chosen: chosen.count() == 1)
            assert (chosen.get_attribute("aria-label") or "").startswith(level)
            assert tab.locator('#modes [aria-pressed="true"]').get_attribute("data-mode") == mode
        page.click("#home")
        rest(page)
        page.reload()
        rest(page)
        assert page.locator("#start").is_visible()
        begin(page, "fling")
        page.click('[data-mode="sketch"]')
        rest(page)
        page.reload()
        rest(page)
        assert page.locator('#modes [aria-pressed="true"]').get_attribute("data-mode") == "sketch"
        assert complaints == []

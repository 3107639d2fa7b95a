"""Play tests in the workbench: what is played is recorded while that is wished, and joins with measures."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

import pytest

import epcg_core as epcg
from epcg_core.editing import editing
from epcg_core.store import Store
from tests.whole.browser.chromium import browser_marks, open_page
from tests.whole.browser.test_findings import unfold_moves
from tests.whole.browser.test_workbench import ask, rest, said, workbench
from tests.workplace import epcg as command

if TYPE_CHECKING:
    from playwright.sync_api import Page

pytestmark = browser_marks("starlette", "epcg_puzzlescript")


def act(page: Page, number: int) -> str:
    """Take an action from the list, and return its text."""
    unfold_moves(page)
    button = page.locator("#actions button").nth(number)
    text = button.inner_text()
    button.click()
    rest(page)
    return text


def playable(page: Page, domain: str) -> str:
    """An example that takes three moves or more."""
    for text in editing.examples(domain).values():
        found = ask(page, "solve", text=quote(text), taken=[])
        if found["solution"] is not None and len(found["solution"]) >= 3:
            return text
    raise AssertionError("no example takes three moves")


ALIKE = ("snakebird", "witness")
"""Domains whose plays the page records as it does those of others."""


def file_of(page: Page) -> Any:
    with page.expect_download() as saved:
        page.click("#playtest-save")
    return json.loads(Path(saved.value.path()).read_text(encoding="utf-8"))


@pytest.mark.parametrize(
    "domain", ["fling", "puzzlescript", *(pytest.param(name, marks=pytest.mark.nightly) for name in ALIKE)]
)
def test_what_is_played_is_recorded_and_imported(domain: str, tmp_path: Path) -> None:
    with workbench(tmp_path, domain) as address, open_page() as (page, complaints):
        page.goto(address)
        rest(page)
        page.goto(f"{address}#/{domain}/{quote(playable(page, domain))}")
        rest(page)
        page.click('[data-mode="play"]')
        rest(page)
        page.click("#playtest-part summary")
        assert not page.is_checked("#playtest")
        assert page.is_disabled("#playtest-save")
        act(page, 0)  # nothing is recorded yet
        page.check("#playtest")
        said(page, "#playtest-note", "You had begun already")
        act(page, 0)
        assert page.is_disabled("#playtest-save")
        page.click("#restart")
        rest(page)
        texts = [act(page, 0)]
        page.click("#play-undo")
        rest(page)
        page.click("#hint")
        said(page, "#note", "Try")
        texts.append(act(page, 0))
        page.click("#restart")
        rest(page)
        for number in ask(page, "solve", taken=[])["solution"]:
            texts.append(act(page, number))
        said(page, "#play-state", "Solved in")
        page.click("#show-solution")  # after the end nothing counts
        rest(page)
        data = file_of(page)
        (trace,) = data["puzzles"]
        kinds = [action[1] for action in trace["actions"]]
        moves = len(texts)
        assert kinds == ["move", "undo", "hint", "move", "restart", *["move"] * (moves - 2)]
        assert [action[2] for action in trace["actions"] if action[1] == "move"] == texts
        assert trace["finished"] is True
        assert trace["solution"] is False
        assert (trace["moves"], trace["undos"], trace["restarts"], trace["hints"]) == (moves, 1, 1, 1)
        page.reload()
        rest(page)
        page.click('[data-mode="play"]')
        rest(page)
        assert page.is_checked("#playtest")  # kept on the device
        page.click("#playtest-part summary")
        page.click("#playtest-drop")
        assert page.is_disabled("#playtest-save")
        assert complaints == []
    file = tmp_path / "traces.json"
    file.write_text(json.dumps(data))
    database = tmp_path / "epcg.db"
    Store.open(str(database), write=True).close()
    assert "1 new traces" in command("import", "traces", file, "--db", database).stderr
    rows = epcg.open(database).sql("SELECT kind, action FROM play_actions ORDER BY position").rows
    assert [kind for kind, _ in rows] == kinds


def test_what_is_looked_at_is_not_played(tmp_path: Path) -> None:
    with workbench(tmp_path, "fling") as address, open_page() as (page, complaints):
        page.goto(address)
        rest(page)
        page.goto(f"{address}#/fling/{quote(playable(page, 'fling'))}")
        rest(page)
        page.click('[data-mode="play"]')
        rest(page)
        page.click("#playtest-part summary")
        page.check("#playtest")
        rest(page)
        act(page, 0)
        page.click("#show-solution")
        said(page, "#playtest-note", "It goes on with the next restart.")
        page.locator("#slider").fill("1")
        rest(page)
        page.click("#play-undo")
        rest(page)
        page.click("#restart")
        rest(page)
        act(page, 0)
        (trace,) = file_of(page)["puzzles"]
        assert [action[1] for action in trace["actions"]] == ["move", "solution", "restart", "move"]
        assert trace["solution"] is True
        assert complaints == []

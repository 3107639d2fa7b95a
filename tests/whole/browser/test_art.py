"""Pictures of objects, painted in a small window while the board shows them."""

from __future__ import annotations

from pathlib import Path

from tests.whole.browser.chromium import browser_marks, open_page
from tests.whole.browser.test_project import new_project, saved, served
from tests.whole.browser.test_workbench import rest, shot, until

pytestmark = browser_marks("starlette")


def test_a_picture_is_painted_while_the_board_shows_it(tmp_path: Path) -> None:
    path = tmp_path / new_project(tmp_path)
    before = path.read_text()
    with served(tmp_path) as (address, _), open_page(1280, 800) as (page, complaints):
        page.goto(address)
        rest(page)
        page.click('#palette [data-mark="crate"]')
        page.click("#art-open")
        until(page, lambda: page.locator("#art-board .hit").count() == 25)
        assert page.locator("#art-of").input_value() == "crate"
        drawn = page.locator("#board .marks").inner_html()
        page.click('#art-board .hit[data-site="c1,1"]')
        until(page, lambda: page.locator("#board .marks").inner_html() != drawn)
        page.click('#art-settings [aria-label="pink"] >> nth=0')
        saved(page)
        until(page, lambda: "pink" in path.read_text())
        shot(page, "art")
        after = path.read_text()
        assert after != before
        assert len(set(after.splitlines()) - set(before.splitlines())) <= 6
        page.keyboard.press("Escape")
        assert not page.locator("#art").is_visible()

        # all is taken back, stroke by stroke
        page.click("#undo")
        rest(page)
        page.click("#undo")
        until(page, lambda: path.read_text() == before)
        assert complaints == []

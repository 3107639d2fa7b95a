"""Files with very many levels, and with levels that are too large for the board."""

from __future__ import annotations

from pathlib import Path

from tests.whole.browser.chromium import browser_marks, open_page
from tests.whole.browser.test_project import saved, served
from tests.whole.browser.test_workbench import rest, until
from tests.workbench.test_project import game

pytestmark = browser_marks("starlette", "epcg_puzzlescript")

MARK = "document.querySelectorAll('#levels > li').forEach(each => { each.own = true; })"
KEPT = "[...document.querySelectorAll('#levels > li')].filter(each => each.own).length"


def test_of_five_hundred_levels_those_in_view_are_drawn_and_few_rows_are_made_again(tmp_path: Path) -> None:
    (tmp_path / "game.txt").write_text(game(500))
    with served(tmp_path) as (address, _), open_page(1280, 800) as (page, complaints):
        page.goto(address)
        rest(page)
        pictures, rows = page.locator("#levels .small svg"), page.locator("#levels > li.level")
        until(page, lambda: pictures.count() > 5)
        assert rows.count() == 500
        page.evaluate(MARK)
        rows.nth(499).locator(".piece").click()
        rest(page)
        until(page, lambda: rows.nth(499).locator(".small svg").count() == 1)
        assert pictures.count() < 60, "what has left the view is not drawn any more"
        assert page.evaluate(KEPT) == 500
        page.locator("#board").click()
        saved(page)
        assert page.evaluate(KEPT) >= 499
        assert complaints == []


def test_a_file_whose_first_level_is_too_large_opens_with_the_next_and_can_be_edited(tmp_path: Path) -> None:
    rows = ["#" * 200, *["#" + "." * 198 + "#"] * 198, "#" * 200]
    small = game(3)
    head, mark, levels = small.partition("LEVELS\n=======\n")
    assert levels
    text = f"{head}{mark}\n" + "\n".join(rows) + f"\n{levels}"
    (tmp_path / "game.txt").write_text(text)
    with served(tmp_path) as (address, _), open_page(1280, 800) as (page, complaints):
        page.goto(address)
        rest(page)
        large, sentence = page.locator("#levels .level").first, "40000 cells; boards of up to 2500"
        assert page.locator("#levels .level").nth(1).locator('[aria-current="true"]').count() == 1
        until(page, lambda: sentence in (large.locator(".chip").get_attribute("title") or ""))
        large.locator(".piece").click()
        until(page, lambda: sentence in page.locator("#trouble").inner_text())
        page.click("#text-button")
        page.locator("#source").fill(text.replace("title Test", "title Other", 1))
        saved(page)
        assert "title Other" in (tmp_path / "game.txt").read_text()
        assert complaints == []


def test_a_message_is_offered_only_in_files_that_have_messages(tmp_path: Path) -> None:
    (tmp_path / "game.txt").write_text(game(3))
    (tmp_path / "two.xsb").write_text("#####\n#@$.#\n#####\n\n######\n#@$ .#\n######\n")
    with served(tmp_path) as (address, _), open_page(1280, 800) as (page, complaints):
        page.goto(address)
        for name, has_messages in (("two.xsb", False), ("game.txt", True), ("two.xsb", False)):
            page.evaluate(f"location.hash = '#file/{name}'")
            until(page, lambda name=name: page.locator("#text-file").text_content() == name)  # type: ignore[misc]
            rest(page)
            assert page.locator("#add-level").is_visible()
            assert page.locator("#add-message").is_visible() == has_messages
        assert complaints == []

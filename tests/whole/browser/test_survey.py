"""The page of a survey in a real browser: sorted by a click, searched by words, with the network off."""

from __future__ import annotations

from pathlib import Path

from epcg_puzzlescript.formats.files import games_folder

from tests.whole.browser.chromium import browser_marks, open_page
from tests.workplace import epcg

pytestmark = browser_marks()


def test_the_table_is_sorted_and_searched(tmp_path: Path) -> None:
    path = tmp_path / "page.html"
    epcg("puzzlescript", "survey", games_folder(), "--page", path, "--quiet")
    with open_page() as (page, complaints):
        page.goto(path.as_uri())
        names = "#games tbody tr:not([hidden]) th b"
        assert page.locator(names).all_inner_texts()[0] == "badger.txt"
        assert page.evaluate("[...document.images].every((image) => image.complete && image.naturalWidth)")
        heading = page.get_by_role("columnheader", name="rules", exact=True)
        heading.get_by_role("button").click()
        assert page.locator(names).all_inner_texts()[0] == "herons.txt"
        heading.get_by_role("button").click()
        assert heading.get_attribute("aria-sort") == "descending"
        assert page.locator(names).all_inner_texts()[:2] == ["frost.txt", "badger.txt"]
        page.get_by_label("Show rows with").fill("MAG net")
        assert page.locator(names).all_inner_texts() == ["magnet.txt"]
        assert page.locator("#shown").inner_text() == "1 of 6 rows of games, 1 of 6 rows of levels"
    assert complaints == []

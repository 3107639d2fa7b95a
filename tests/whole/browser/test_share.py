"""The page for a friend, played on a phone."""

from __future__ import annotations

from pathlib import Path

from tests.publishing.test_share import GAME
from tests.whole.browser.chromium import browser_marks, finger, open_page
from tests.workplace import Workplace

pytestmark = browser_marks()


def test_a_shared_game_is_played_on_a_phone(tmp_path: Path) -> None:
    (tmp_path / "game.txt").write_text(GAME, encoding="utf-8")
    Workplace(tmp_path).epcg("share", tmp_path / "game.txt", "--output", tmp_path / "friend.html", code=0)
    with open_page(390, 844, touch=True) as (page, complaints):
        page.goto((tmp_path / "friend.html").as_uri())
        page.wait_for_selector("body[aria-busy=false]")
        assert page.locator("#message").text_content() == "Push it home, & <b>soon</b>."
        finger(page, (200, 780), (260, 780), (320, 780))
        page.locator("#state", has_text="Solved in 1 move.").wait_for()
        page.keyboard.press("z")
        page.locator("#hint").click()
        page.locator("#note", has_text="Try: right.").wait_for()
        page.keyboard.press("d")  # the focus is on a button
        page.locator("#state", has_text="Solved in 1 move.").wait_for()
        assert page.locator("#dots a.solved").count() == 1
        page.locator("#dots a").nth(1).click()
        page.wait_for_function("document.getElementById('heading').textContent === 'Level 2'")
        page.evaluate("document.getElementById('solution').open = true")
        assert "No solution is known." in (page.locator("#words").text_content() or "")
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
        assert not complaints

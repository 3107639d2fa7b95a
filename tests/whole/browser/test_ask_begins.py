"""The page that asks begins with what one has: the newest answer, or a question about what one works on."""

from __future__ import annotations

from pathlib import Path

from epcg_workbench.project.templates import new_project

import epcg_core as epcg
from epcg_core.query.query import parse_query
from tests.whole.browser.chromium import browser_marks, open_page
from tests.whole.browser.test_project import served
from tests.whole.browser.test_workbench import rest, said, shot, until
from tests.workbench.test_plans import QUERY

pytestmark = browser_marks("starlette", "epcg_puzzlescript")


def test_the_first_question_is_about_the_open_level_and_later_the_newest_answer_is_shown(
    tmp_path: Path,
) -> None:
    made = new_project(tmp_path)
    for each in tmp_path.glob("*.toml"):
        each.unlink()
    with served(tmp_path) as (address, _), open_page(1280, 800) as (page, complaints):
        page.goto(address)
        rest(page)
        page.click('a[href="#ask"]')
        said(page, "#ask-of", "all single changes")
        until(page, lambda: 'name = "changes"' in page.locator("#ask-text").input_value())
        query = parse_query(page.locator("#ask-text").input_value())
        level = query.generator.params["content"].strip().splitlines()[-1]
        assert query.domain == "puzzlescript"
        assert level in (tmp_path / made).read_text()
        shot(page, "ask-begins")
        said(page, "#ask-cost", "levels, about")
        assert complaints == []
    epcg.answer(parse_query(QUERY), db=tmp_path / "epcg.db")
    with served(tmp_path) as (address, _), open_page(1280, 800) as (page, complaints):
        page.goto(f"{address.partition('#')[0]}#ask")
        page.wait_for_selector("#ask-gallery li")
        rest(page)
        assert parse_query(page.locator("#ask-text").input_value()).domain == "fling"
        assert complaints == []


def test_a_text_with_a_fault_is_not_asked_and_not_lost(tmp_path: Path) -> None:
    """Ask ran the question as it was before the fault, and wrote it over what was typed."""
    (tmp_path / "one.toml").write_text(QUERY)
    (tmp_path / "other.toml").write_text(f'description = "other"\n{QUERY}')
    with served(tmp_path) as (address, _), open_page(1280, 900) as (page, complaints):
        page.goto(f"{address.partition('#')[0]}#ask")
        page.wait_for_selector("#ask-questions [data-file]")
        page.click('#ask-questions [data-file="one.toml"]')
        rest(page)
        page.click("#ask-toml-button")
        good = page.locator("#ask-text").input_value()
        bad = good.replace("[generator]", "[generator")
        page.fill("#ask-text", bad)
        page.locator("#ask-run").dispatch_event("click")  # at once, before the text was read
        said(page, "#ask-trouble", "not valid TOML")
        assert page.locator("#ask-run").is_disabled()
        assert page.locator("#ask-sample").is_disabled()
        assert page.locator("#ask-text").input_value() == bad
        page.click('#ask-questions [data-file="other.toml"]')
        until(page, lambda: 'description = "other"' in page.locator("#ask-text").input_value())
        assert page.locator("#ask-run").is_enabled()
        page.click('#ask-questions [data-file="one.toml"]')
        until(page, lambda: page.locator("#ask-text").input_value() == bad)
        said(page, "#ask-trouble", "not valid TOML")
        assert (tmp_path / "one.toml").read_text() == QUERY
        shot(page, "ask-fault")
        better = good.replace("pieces = 5", "pieces = 4")
        page.fill("#ask-text", better)
        page.locator("#ask-run").dispatch_event("click")
        page.wait_for_selector("#ask-gallery li")
        rest(page)
        assert page.locator("#ask-text").input_value() == better
        assert (tmp_path / "one.toml").read_text() == better
        assert complaints == []


def test_the_end_is_drawn_and_the_farthest_start_is_found(tmp_path: Path) -> None:
    """Backward design: what moves is put wherever there is floor, and solved backwards from what is won."""
    made = new_project(tmp_path)
    for each in tmp_path.glob("*.toml"):
        each.unlink()
    with served(tmp_path) as (address, _), open_page(1280, 800) as (page, complaints):
        page.goto(address)
        rest(page)
        page.locator("#levels .piece").nth(4).click()
        said(page, "#verdict-how", "In 17 moves")
        begin = page.locator("#further-questions button", has_text="Where else could it begin?")
        said(page, "#further-questions", "4,620 levels, solved together, backwards from what is won")
        begin.click()
        said(page, "#ask-cost", "4,620 levels, about")
        page.click("#ask-run")
        said(page, "#ask-said", "1,598 of 4,620 can be ranked by start moves; 3,022 cannot be solved.")
        page.locator("#ask-gallery li").first.click()
        said(page, "#ask-answer", "Solved in 26 moves")
        shot(page, "ask-starts")
        before = (tmp_path / made).read_text()
        page.locator("#ask-answer button", has_text=f"Add it to {Path(made).name}").click()
        said(page, "#verdict-how", "In 26 moves, and in no fewer.")
        said(page, "#levels li:last-child .chip", "26 moves")
        until(page, lambda: (tmp_path / made).read_text() != before)
        assert (tmp_path / made).read_text().startswith(before.rstrip("\n"))
        assert complaints == []

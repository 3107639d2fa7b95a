"""From a painted level to a site that is played: the whole way of a designer in a real browser."""

from __future__ import annotations

from pathlib import Path

import pytest

import epcg_core as epcg
from epcg_core.curriculum.plan import load
from epcg_core.curriculum.verify import verify
from epcg_core.editing.editing import open_document
from epcg_core.store import Store
from tests.processes import wait_until
from tests.whole.browser.chromium import browser_marks, open_page
from tests.whole.browser.test_site import best, phone, said as site_said, show, tap
from tests.whole.browser.test_workbench import SHOTS, choose, drag, rest, said, shot, text_of, workbench

pytestmark = browser_marks("starlette")


def test_from_a_sketch_to_a_site_that_is_played(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Six open cells: counted, sampled, run to the end; the hardest goes into a chapter; it is exported and
    played from the file system, with the network off, on a phone."""
    monkeypatch.chdir(tmp_path)
    with workbench(tmp_path, "snakebird") as address, open_page() as (page, complaints):
        page.goto(address)
        rest(page)
        page.click("#home")
        rest(page)
        page.click("#around-all")
        page.click('[data-title="Bed of Nails"]')
        rest(page)
        level = open_document("snakebird", text_of(page))
        empty = [site.id for site in level.scene.sites if not level.scene.marks.get(site.id)]
        choose(page, "ground")
        drag(page, [empty[0]])
        painted = text_of(page)
        assert painted != level.text
        page.click('[data-mode="sketch"]')
        for mark in ("ground", "spikes"):
            page.check(f'#sketch-marks input[value="{mark}"]')
        for site in empty[16:22]:
            drag(page, [site])
        assert page.locator("#board .open").count() == 6
        said(page, "#sketch-count", "729 ways to fill 6 places. All of them take")
        page.click("#sketch-sample")
        said(page, "#sketch-progress", "Kept (run")
        rest(page)
        page.click("#sketch-run")
        database = epcg.open(tmp_path / "epcg.db")
        wait_until(
            lambda: database.runs[-1].record.done, "the end of the run"
        )  # its sample has pictures, too
        page.wait_for_selector("#sketch-found .into")
        rest(page)
        run = database.runs[-1]
        assert (run.record.evaluated, run.record.done) == (729, True)
        _, moves = run.values("moves")

        page.locator("#sketch-found button").first.click()
        rest(page)
        assert page.locator('[data-metric="moves"] .value').inner_text() == str(moves.max())
        hardest = text_of(page)
        page.click("#bench-into")
        page.wait_for_selector("#into-add:not([disabled])")
        page.fill("#into-title", "Nails")
        page.select_option("#into-measure", "moves")
        page.click("#into-add")
        said(page, "#into-said", "It is in chapter 1")
        page.click("#into-close")
        page.click('[data-mode="sketch"]')
        page.locator("#sketch-found .into").nth(4).click()
        page.wait_for_selector('#into-chapter option[value="1"]', state="attached")
        page.click("#into-add")
        said(page, "#into-said", "It is in chapter 1")
        page.click("#into-said a")
        page.wait_for_selector("#plan-chapters .strip > li:nth-child(2)")
        page.locator("#plan-chapters .strip > li .open").first.click()
        page.locator("#chapter-puzzle .new", has_text="New: ").wait_for()
        rest(page)
        page.wait_for_selector("#plan-chapters .picture img")
        page.locator("#plan-chapters .grip").first.focus()
        page.keyboard.press("ArrowRight")
        page.locator("#plan-said", has_text="Moved within chapter 1").wait_for(state="attached")
        rest(page)
        shot(page, "done-curriculum")
        for format in ("html", "site"):
            page.click(f'#plan-give [data-format="{format}"]')
            row = f'.give:has([data-format="{format}"]) .giving'
            said(page, row, "Written: ")
            said(page, row, "index.html" if format == "site" else "nails.html")
        assert complaints == []

    (chapter,) = load(tmp_path / "nails.toml").chapters
    assert (chapter.parts[0].puzzles or ())[-1] == hardest
    with Store.open(tmp_path / "epcg.db") as store:
        assert all(check.passed for check in verify(store, 1))
    booklet = (tmp_path / "nails.html").read_text("utf-8")
    assert "Nails" in booklet
    assert booklet.count("data:image/svg+xml") >= 2

    site = tmp_path / "nails-site"
    with phone(offline=True) as (page, complaints):
        asked: list[str] = []
        page.on("request", lambda request: asked.append(request.url))
        page.goto(f"{site.as_uri()}/index.html")
        site_said(page, "#progress", "0 of 2 solved.")
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
        page.screenshot(path=SHOTS / "done-list.png")
        for number in (1, 2):
            known = show(page, site, number)
            at = count = 0
            while not known.positions[at].goal:
                sites, _, _, at = best(known, at)
                for one in sites:
                    tap(page, one)
                count += 1
                site_said(page, "#state", f"{count} move")
            site_said(page, "#state", f"Solved in {count} moves.")
            assert number == 1 or count == moves.max()
            page.screenshot(path=SHOTS / f"done-solved-{number}.png")
        page.tap("text=All puzzles")
        site_said(page, "#progress", "2 of 2 solved.")
        assert complaints == []
        assert {address.partition(":")[0] for address in asked} <= {"file", "data"}

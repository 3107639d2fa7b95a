"""All pages as axe sees them, and what it cannot see: the focus, keys, forced colours, little motion."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from runpy import run_path
from shutil import copy
from typing import TYPE_CHECKING, Literal

import pytest
from epcg_publishing.html import as_html
from epcg_publishing.site import write_site
from epcg_workbench.project.templates import new_project

import epcg_core as epcg
from epcg_core.curriculum.booklet import Booklet, BookletChapter, BookletPuzzle
from epcg_core.query.query import parse_query
from tests.page_types import ROOT
from tests.publishing.test_share import GAME
from tests.whole.browser.axe import findings
from tests.whole.browser.chromium import SCREENS, browser_marks, new_page
from tests.whole.browser.test_first import started
from tests.whole.browser.test_keyboard import ON
from tests.whole.browser.test_workbench import rest, said, until
from tests.workbench.test_plans import PLAN, QUERY
from tests.workplace import Workplace, epcg as command

if TYPE_CHECKING:
    from playwright.sync_api import Page

pytestmark = browser_marks("starlette", "epcg_puzzlescript")


BOARDS = "fling:boards?height=8&pieces=6&width=7"
Scheme = Literal["light", "dark"]
OPENED = "() => { for (const each of document.querySelectorAll('details')) each.open = true; }"


@contextmanager
def shown(width: int, scheme: Scheme) -> Iterator[Page]:
    with new_page(width, 844, touch=width < 500, color_scheme=scheme) as page:
        yield page


@SCREENS
def test_the_workbench(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, width: int, scheme: Scheme) -> None:
    """Each of its pages, with what a question, a plan and all changes answer."""
    monkeypatch.setenv("EPCG_STATE", str(tmp_path / "state"))
    folder = tmp_path / "frost"
    new_project(folder)
    query = f'{QUERY}[[select]]\nmetric = "solution_length"\nkeep = "highest"\ncount = 3\n'
    (folder / "boards.toml").write_text(query, encoding="utf-8")
    (folder / "course.toml").write_text(PLAN, encoding="utf-8")
    epcg.answer(parse_query(query), db=folder / "epcg.db")
    with started(folder) as (address, _), shown(width, scheme) as page:
        found: list[str] = []

        def looked_at(name: str) -> None:
            rest(page)
            found.extend(f"{name}: {each}" for each in findings(page))
            assert page.locator("main:visible").count() == page.locator("main:visible h1").count() == 1, name

        page.goto(address)
        page.wait_for_selector("#levels .level:nth-child(2)")
        rest(page)
        looked_at("draw")
        page.click('[data-mode="analyse"]')
        rest(page)
        page.click("#analyse")
        page.wait_for_selector("#suggestions button.change")
        looked_at("changes")
        page.click('[data-mode="sketch"]')
        looked_at("fill")
        page.click('[data-mode="play"]')
        page.click("#hint")
        said(page, "#note", "Try: ")
        looked_at("play")
        page.goto(f"{address}#ask/boards.toml")
        looked_at("ask")
        page.goto(f"{address}#curricula/course.toml")
        page.wait_for_selector('[data-part="1.0"] .strip > li')
        page.locator('[data-part="0.0"] li[data-entry] .open').first.click()
        page.wait_for_selector("#chapter-puzzle:not([hidden])")
        looked_at("chapters")
        page.goto(f"{address}#/")
        until(page, lambda: page.locator("#around img").count() > 0)
        page.locator("#recorded button").nth(2).wait_for()
        looked_at("first")
        page.click("#make-rules")
        looked_at("make")
        page.keyboard.press("Escape")
        page.click("#paste-button")
        looked_at("paste")
        assert not found, "\n".join(found)


def booklet() -> Booklet:
    """A booklet of two boards of Fling!."""
    puzzles = [
        BookletPuzzle(number, number, "", f"{BOARDS}#{rank}", "state", "m", 1, {"m": 1},
                      "5 moves", "Solved so.", [])
        for number, rank in enumerate((38012, 61193), 1)
    ]  # fmt: skip
    return Booklet(
        "steps",
        "Steps",
        "From easy to hard.",
        "0",
        [BookletChapter(1, "a", "One", "Begin here.", "m 1", puzzles)],
        "Play.",
    )


@SCREENS
def test_pages_to_play_and_to_print(tmp_path: Path, width: int, scheme: Scheme) -> None:
    """The list and a puzzle of a site, the page for a friend, and the booklet: with what folds open."""
    write_site(booklet(), tmp_path / "site")
    (tmp_path / "game.txt").write_text(GAME, encoding="utf-8")
    Workplace(tmp_path).epcg("share", tmp_path / "game.txt", "--output", tmp_path / "friend.html", code=0)
    (tmp_path / "booklet.html").write_bytes(as_html(booklet()))
    found: list[str] = []
    with shown(width, scheme) as page:
        for name in ("site/index.html", "site/play.html#1", "friend.html", "friend.html#1", "booklet.html"):
            page.goto("about:blank")
            page.goto(f"{tmp_path.as_uri()}/{name}")
            if "play" in name or "friend" in name:
                page.wait_for_selector('body[aria-busy="false"]')
                page.evaluate(OPENED)
            found += [f"{name}: {each}" for each in findings(page)]
            assert page.locator("main:visible").count() == page.locator("h1:visible").count() == 1, name
    assert not found, "\n".join(found)


@SCREENS
def test_a_study(tmp_path: Path, width: int, scheme: Scheme) -> None:
    """Who takes part, consent, rules, a puzzle, a question, and the end."""
    command("study", "site", "fling/which_is_harder", "--output", tmp_path / "study")
    found: list[str] = []
    with shown(width, scheme) as page:
        page.on("dialog", lambda dialog: dialog.accept())

        def looked_at(name: str) -> None:
            found.extend(f"{name}: {each}" for each in findings(page))
            assert page.locator("main:visible").count() == page.locator("h1:visible").count() == 1, name

        page.goto(f"{(tmp_path / 'study').as_uri()}/index.html")
        looked_at("who")
        page.goto(f"{(tmp_path / 'study').as_uri()}/index.html?p=1")
        looked_at("consent")
        page.click("#agree")
        looked_at("rules")
        page.click("#read")
        for name in ("training", "training", "puzzle"):
            page.locator("#task:visible").wait_for()
            page.wait_for_selector('body[aria-busy="false"]')
            looked_at(name)
            page.click("#give-up")
        page.locator("#answer").wait_for()
        page.click("#answer")
        looked_at("question")
        page.click("#stop")
        looked_at("stop")
    assert not found, "\n".join(found)


@pytest.fixture
def made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """The address of a workbench with a new game."""
    monkeypatch.setenv("EPCG_STATE", str(tmp_path / "state"))
    new_project(tmp_path / "frost")
    with started(tmp_path / "frost") as (address, _):
        yield address


def solvable(page: Page, address: str) -> None:
    """Open the game, and wait until its levels are judged."""
    page.goto(address)
    page.get_by_role("button", name="Level 3 ✓ 17 moves, can be solved in 17 moves", exact=True).wait_for()
    rest(page)


def test_the_focus_is_where_one_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A first key skips the bar, a game that is made has the focus on its board, and tabs have keys."""
    monkeypatch.setenv("EPCG_STATE", str(tmp_path / "state"))
    (tmp_path / "games").mkdir()
    with started(tmp_path / "games") as (address, _), shown(1200, "light") as page:
        page.goto(address)
        rest(page)
        page.keyboard.press("Tab")
        assert page.evaluate(ON, "#skip")
        page.keyboard.press("Enter")
        assert page.evaluate(ON, "main#start")
        page.click("#make-rules")
        page.keyboard.type("frost")
        page.keyboard.press("Enter")
        page.wait_for_selector("#board:focus")
        rest(page)
        for number, mode in enumerate(("edit", "play", "analyse", "sketch"), 1):
            page.keyboard.press(f"Alt+Shift+Digit{number}")
            page.wait_for_selector(f'[data-mode="{mode}"][aria-pressed="true"]')
        page.keyboard.press("Alt+Shift+Digit5")
        page.get_by_role("heading", level=1, name="Ask").wait_for()
        page.click("#home")
        page.click("#around-all")
        page.locator('#around [data-title="Frost Fox 1"]').click()
        page.wait_for_selector("#board:focus")


def test_what_is_chosen_is_seen_in_forced_colours(made: str) -> None:
    with new_page(1200, 844, forced_colors="active") as page:
        solvable(page, made)
        seen = """([selector, pseudo, key]) =>
          getComputedStyle(document.querySelector(selector), pseudo).getPropertyValue(key)"""
        for mode, width in (("edit", "3px"), ("play", "0px")):
            own = [f'[data-mode="{mode}"]', None, "border-bottom-width"]
            assert page.evaluate(seen, own) == width
        bar, ground = (
            page.evaluate(seen, [selector, pseudo, "background-color"])
            for selector, pseudo in (("#levels > li:has([aria-current])", "::before"), ("#strip", None))
        )
        assert bar != ground


def test_the_strip_folds_on_a_page_that_is_enlarged_twice(made: str) -> None:
    with shown(960, "light") as page:
        solvable(page, made)
        strip, board = page.locator("#strip").bounding_box(), page.locator("#board").bounding_box()
        assert strip is not None
        assert board is not None
        assert strip["width"] == 960
        assert strip["y"] + strip["height"] <= board["y"]
        assert board["width"] > 400
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def test_a_solution_moves_by_itself_only_if_one_likes_that(made: str, tmp_path: Path) -> None:
    write_site(booklet(), tmp_path / "site")
    with new_page(1200, 844, reduced_motion="reduce") as page:
        solvable(page, made)
        page.click('[data-mode="play"]')
        page.click("#show-solution")
        said(page, "#slider-play", "Play it")
        page.goto(f"{tmp_path.as_uri()}/site/play.html#1")
        page.wait_for_selector('body[aria-busy="false"]')
        page.click("#solution summary")
        page.click("#animate")
        for count in ("0 moves", "1 move", "2 moves"):
            said(page, "#state", f"The solution: {count}.")
            said(page, "#animate", "Next move")
            page.click("#animate")
        page.keyboard.press("h")
        said(page, "#animate", "Show it on the board")


BUILT = ("index", "tutorial", "guides/workbench", "reference/queries", "explanations/epcg", "accessibility")


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Some pages of the documentation as `make docs` builds them, with links to pages that are not there."""
    pytest.importorskip("furo", reason="Furo is not installed: pip install -e '.[dev]'")
    folder, docs = tmp_path_factory.mktemp("docs"), ROOT / "docs"
    source, target = folder / "source", folder / "built"
    for name in BUILT:
        (source / name).parent.mkdir(parents=True, exist_ok=True)
        copy(docs / f"{name}.md", source / f"{name}.md")
    (source / "pictures").symlink_to(docs / "pictures")
    extensions = [each for each in run_path(str(docs / "conf.py"))["extensions"] if each != "links"]
    builds = [sys.executable, "-m", "sphinx", "-Q", "-b", "html", "-c", docs]
    subprocess.run([*builds, "-D", f"extensions={','.join(extensions)}", source, target], check=True)
    return target


@SCREENS
def test_the_documentation(built: Path, width: int, scheme: Scheme) -> None:
    found: list[str] = []
    with shown(width, scheme) as page:
        for name in BUILT:
            page.goto(f"{built.as_uri()}/{name}.html")
            # the theme calls neither of its two bars by a name
            found += [f"{name}: {each}" for each in findings(page, "landmark-unique")]
            assert page.locator("h1:visible").count() == 1, name
    assert not found, "\n".join(found)

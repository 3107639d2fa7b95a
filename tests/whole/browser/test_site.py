"""Play pages in a real browser, from the file system with the network off: played by touch at phone width."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from epcg_publishing.play_graph import DEAD
from epcg_publishing.site import write_site
from epcg_research.exchange.traces import import_traces, read

from epcg_core.curriculum.booklet import Booklet, BookletChapter, BookletPuzzle
from epcg_core.editing.editing import examples, open_document
from epcg_core.plugins.registry import registry
from epcg_core.query.puzzle_id import puzzle_id
from epcg_core.query.spec import space_spec
from epcg_core.store import Store
from tests.publishing.play_files import Moves, moves_of, puzzle_of
from tests.whole.browser.chromium import browser_marks, new_page
from tests.workplace import new_database

if TYPE_CHECKING:
    from playwright.sync_api import Page

pytestmark = browser_marks()

SHOTS = Path(__file__).parents[3] / "build" / "site"
"""Where a picture of each page is kept, to be looked at."""
EVIL = "<script>alert(1)</script><img src=x onerror=alert(1)>"
FLING, LEVEL, PANEL, TILES, JOINT, LARGE = range(1, 7)
JOINT_PANELS = "witness:joint_panels?width=2&height=2&pieces=2&sub_panels=2#5"
"""A set of two panels, which the editor does not draw."""


def contents(domain: str, text: str) -> str:
    """The id of the puzzle that a text shows."""
    own = open_document(domain, text).text
    return puzzle_id(space_spec(registry(), domain, "contents", {"contents": [own]}).name, 0)


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Six puzzles of four domains, of which the fifth cannot be played, and the sixth not completely."""
    texts = [
        ("fling", ".....\n.o...\n..o.o\no...o"),
        ("snakebird", examples("snakebird")["First Bite"]),
        ("witness", examples("witness")["Triangles"]),
        ("sliding", "5 1 2/0 3 4"),
        ("sliding", "1 2 3/4 0 5/7 8 6"),
    ]
    ids = [contents(*text) for text in texts]
    ids.insert(JOINT - 1, JOINT_PANELS)
    puzzles = [
        BookletPuzzle(n, n, "", name, "state", "m", 1, {"m": 1}, "", "", []) for n, name in enumerate(ids, 1)
    ]
    chapters = [
        BookletChapter(1, "a", f"One {EVIL}", EVIL, "m 1", puzzles[:3]),
        BookletChapter(2, "b", "Two", "", "m 1", puzzles[3:], warns=False),
    ]
    folder = tmp_path_factory.mktemp("site") / "play"
    shown = write_site(Booklet("steps", f"Steps {EVIL}", "", "0", chapters, "Play."), folder, most=4000)
    assert [bool(each.why) for each in shown] == [False] * 4 + [True, False]
    assert [each.complete for each in shown] == [True] * 5 + [False]
    return folder


@contextmanager
def phone(**options: Any) -> Iterator[tuple[Page, list[str]]]:
    """A page of a phone, 390 px wide with touch, and what it complains about."""
    complaints: list[str] = []
    with new_page(390, 844, touch=True, is_mobile=True, **options) as page:
        page.on("console", lambda m: complaints.append(m.text))
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.on("dialog", lambda dialog: complaints.append(dialog.message))
        yield page, complaints


def opened(page: Page, folder: Path, number: int) -> None:
    """Open a puzzle anew."""
    page.goto("about:blank")
    page.goto(f"{folder.as_uri()}/play.html#{number}")
    page.wait_for_selector('body[aria-busy="false"]')


def show(page: Page, folder: Path, number: int) -> Moves:
    """Open a puzzle anew; returns its moves as they lie in its file."""
    opened(page, folder, number)
    return moves_of(folder, number)


def tap(page: Page, site: str) -> None:
    there = page.locator(f'#board [data-site="{site}"]')
    there.scroll_into_view_if_needed()
    box = there.bounding_box()
    assert box is not None
    page.touchscreen.tap(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)


def said(page: Page, selector: str, sentence: str) -> None:
    page.locator(selector, has_text=sentence).wait_for()


def best(moves: Moves, number: int) -> tuple[list[str], list[str], str, int]:
    """The action of a position that leads nearest to a goal."""
    here = moves.positions[number].distance
    return next(a for a in moves.actions(number) if moves.positions[a[3]].distance == here - 1)


@pytest.mark.parametrize("scheme", ["light", pytest.param("dark", marks=pytest.mark.nightly)])
def test_played_to_the_end_by_touch_with_the_network_off(site: Path, scheme: str) -> None:
    SHOTS.mkdir(parents=True, exist_ok=True)
    with phone(offline=True, color_scheme=scheme) as (page, complaints):
        asked: list[str] = []
        page.on("request", lambda request: asked.append(request.url))
        page.goto(f"{site.as_uri()}/index.html")
        said(page, "#progress", "0 of 6 solved.")
        assert page.locator(".tiles a").count() == 6
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
        assert [page.locator(".tiles img").nth(n).evaluate("i => i.decode()") for n in range(2)] == [None] * 2
        page.screenshot(path=str(SHOTS / f"list-{scheme}.png"))
        for number in (FLING, LEVEL, PANEL, TILES, LARGE):
            moves = show(page, site, number)
            assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
            at = count = 0
            while not moves.positions[at].goal:
                sites, _, _, at = best(moves, at)
                for one in sites:
                    tap(page, one)
                count += 1
                said(page, "#state", f"{count} move")
            said(page, "#state", f"Solved in {count} moves.")
            page.screenshot(path=str(SHOTS / f"solved-{number}-{scheme}.png"))
        page.tap("text=All puzzles")
        said(page, "#progress", "5 of 6 solved.")
        assert page.locator(".solved").count() == 5
        page.reload()
        said(page, "#progress", "5 of 6 solved.")
        said(page, "#next", "Go on")
        assert page.locator("#next").get_attribute("href") == f"play.html#{JOINT}"
        page.screenshot(path=str(SHOTS / f"list-solved-{scheme}.png"))
        assert complaints == []
        assert asked
        assert {address.partition(":")[0] for address in asked} <= {"file", "data"}


def test_hints_undo_restart_and_a_reload(site: Path) -> None:
    with phone(offline=True) as (page, complaints):
        moves = show(page, site, LEVEL)
        first = page.inner_html("#board svg .paths")
        at = 0
        for count in range(1, 4):
            page.tap("#hint")
            sites, _, text, at = best(moves, at)
            said(page, "#note", f"Try: {text}.")
            assert page.locator("#board .touched").count() == len(sites)
            for one in sites:
                tap(page, one)
            said(page, "#state", f"{count} move")
        drawn = page.inner_html("#board svg .paths")
        assert drawn != first
        page.reload()
        said(page, "#state", "3 moves.")
        assert page.inner_html("#board svg .paths") == drawn
        for left in ("2 moves.", "1 move.", "0 moves."):
            page.tap("#undo")
            said(page, "#state", left)
        assert page.inner_html("#board svg .paths") == first
        assert page.locator("#undo").is_disabled()
        for one in best(moves, 0)[0]:
            tap(page, one)
        said(page, "#state", "1 move.")
        page.tap("#restart")
        said(page, "#state", "0 moves.")
        assert complaints == []


def test_a_play_test_is_kept_on_request_saved_as_a_file_and_imported(site: Path, tmp_path: Path) -> None:
    with phone(offline=True) as (page, complaints):
        moves = show(page, site, TILES)
        assert not page.is_checked("#record")
        assert page.locator("#save").is_disabled()
        page.locator("#test summary").click()
        page.check("#record")
        at = 0
        for one in best(moves, 0)[0]:
            tap(page, one)
        page.tap("#undo")
        said(page, "#state", "0 moves.")
        page.tap("#hint")
        count = 0
        while not moves.positions[at].goal:
            sites, _, _, at = best(moves, at)
            for one in sites:
                tap(page, one)
            count += 1
            said(page, "#state", f"{count} move")
        page.select_option("#rating", "4")
        page.reload()
        page.wait_for_selector('body[aria-busy="false"]')
        page.locator("#test summary").click()
        assert page.is_checked("#record")
        assert page.input_value("#rating") == "4"
        opened(page, site, LEVEL)  # looked at, and given up
        page.locator("#solution summary").click()
        page.locator("#test summary").click()
        with page.expect_download() as saved:
            page.tap("#save")
        file = tmp_path / saved.value.suggested_filename
        saved.value.save_as(file)
        page.tap("#drop")
        assert not page.is_checked("#record")
        assert complaints == []
    solved, given_up = read(file)
    assert (solved.moves, solved.undos, solved.hints, solved.restarts) == (count + 1, 1, 1, 0)
    assert (solved.finished, solved.rating, solved.solution_shown) == (True, 4, False)
    assert (given_up.finished, given_up.rating, given_up.solution_shown) == (False, None, True)
    assert solved.seconds > 0
    assert solved.actions is not None
    assert [each.kind for each in solved.actions] == ["move", "undo", "hint", *["move"] * count]
    assert solved.actions[0].text == solved.actions[3].text != ""
    assert given_up.actions is not None
    assert [each.kind for each in given_up.actions] == ["solution"]
    new_database(tmp_path / "epcg.db")
    for new, seen in ((2, 0), (0, 2)):
        with Store.open(tmp_path / "epcg.db", write=True) as store:
            found = import_traces(store, [file])
        assert (found.new, found.seen, found.players, found.puzzles) == (new, seen, 1, 2)


def test_of_a_puzzle_that_was_begun_before_nothing_is_kept(site: Path) -> None:
    with phone(offline=True) as (page, _):
        moves = show(page, site, TILES)
        for one in best(moves, 0)[0]:
            tap(page, one)
        said(page, "#state", "1 move.")
        page.locator("#test summary").click()
        page.check("#record")
        said(page, "#early", "You began this puzzle before")
        page.tap("#undo")
        said(page, "#state", "0 moves.")
        assert page.locator("#save").is_disabled()


def test_a_dead_position_is_told_if_the_player_and_the_chapter_want_it(site: Path) -> None:
    with phone(offline=True) as (page, complaints):
        moves = show(page, site, FLING)
        dead = next(
            (number, action)
            for number in range(len(moves.positions))
            for action in moves.actions(number)
            if moves.positions[action[3]].distance == DEAD and not number
        )[1]
        for one in dead[0]:
            tap(page, one)
        said(page, "#state", "1 move.")
        assert "Nothing can be won" not in page.inner_text("#state")
        page.check("#warn")
        said(page, "#state", "Nothing can be won from here.")
        page.tap("#hint")
        said(page, "#note", "Nothing can be won from here. Take back 1 move.")
        show(page, site, TILES)
        assert page.locator("#warn").is_hidden()
        assert complaints == []


def test_a_part_says_what_it_does_not_know(site: Path) -> None:
    with phone(offline=True) as (page, complaints):
        moves = show(page, site, LARGE)
        said(page, "#unknown", "it knows the 800 nearest to a solution")
        at = 0
        way = []
        while moves.positions[at].known:
            at = max(action[3] for action in moves.actions(at))
            way.append(at)
            text = next(a[2] for a in moves.actions(moves.positions[at].parent) if a[3] == at)
            if not page.evaluate("document.getElementById('all').open"):
                page.tap("#all summary")
            page.locator("#moves button", has_text=text).first.tap()
        said(page, "#state", "How it goes on from here is not in this page: take back a move.")
        page.tap("#hint")
        said(page, "#note", "Take back")
        assert complaints == []


def test_keys_play_too(site: Path) -> None:
    with phone(offline=True) as (page, complaints):
        moves = show(page, site, TILES)
        at = count = 0
        while not moves.positions[at].goal:
            _, keys, _, at = best(moves, at)
            page.keyboard.press(keys[0])
            count += 1
            said(page, "#state", f"{count} move")
        said(page, "#state", f"Solved in {count} moves.")
        page.keyboard.press("u")
        said(page, "#state", f"{count - 1} moves.")
        page.keyboard.press("h")
        said(page, "#note", "Try: ")
        page.keyboard.press("r")
        said(page, "#state", "0 moves.")
        moves = show(page, site, PANEL)
        at = count = 0
        while not moves.positions[at].goal:
            _, keys, _, at = best(moves, at)
            page.keyboard.press(keys[0])
            count += 1
            said(page, "#state", f"{count} move")
        said(page, "#state", f"Solved in {count} moves.")
        assert complaints == []


def test_solutions_wait_behind_a_tap_and_print_has_no_controls(site: Path) -> None:
    with phone(offline=True) as (page, complaints):
        show(page, site, LEVEL)
        assert page.locator("#steps").is_hidden()
        assert page.locator("#solved-picture").get_attribute("src") is None
        page.tap("#solution summary")
        steps = puzzle_of(site, LEVEL)["steps"]
        page.locator("#steps li").nth(len(steps) - 1).wait_for()
        assert page.locator("#steps li").all_inner_texts() == steps
        page.locator("#solved-picture").evaluate("image => image.decode()")
        opened(page, site, JOINT)
        said(page, "#why", "This puzzle cannot be played here")
        page.locator("#picture").evaluate("image => image.decode()")
        assert page.locator("#play").is_hidden()
        page.tap("#solution summary")
        said(page, "#words", "joint solution")
        page.emulate_media(media="print")
        controls = "button, input, summary, .button"
        for address in ("index.html", f"play.html#{LEVEL}"):
            page.goto("about:blank")
            page.goto(f"{site.as_uri()}/{address}")
            assert [each for each in page.locator(controls).all() if each.is_visible()] == []
        page.wait_for_selector('body[aria-busy="false"]')
        assert page.locator("#board").is_visible()
        page.screenshot(path=str(SHOTS / "print.png"), full_page=True)
        assert complaints == []


def test_a_puzzle_that_is_not_there_is_named(site: Path) -> None:
    with phone(offline=True) as (page, _complaints):
        page.goto(f"{site.as_uri()}/play.html#99")
        said(page, "#why", "There is no puzzle 99: there are 6.")
        page.goto("about:blank")
        page.goto(f"{site.as_uri()}/play.html#x")
        said(page, "#why", "There is no puzzle x")


def test_a_browser_that_keeps_nothing_plays_all_the_same(site: Path) -> None:
    with phone(offline=True) as (page, complaints):
        page.context.add_init_script(
            "Object.defineProperty(window, 'localStorage', {get() { throw new DOMException('no'); }});"
        )
        moves = show(page, site, TILES)
        for one in best(moves, 0)[0]:
            tap(page, one)
        said(page, "#state", "1 move.")
        said(page, "#kept", "keeps no progress")
        assert complaints == []


class Quiet(SimpleHTTPRequestHandler):
    def log_message(self, *_: object) -> None:
        pass


def test_where_it_is_served_it_is_installed_and_works_without_network(site: Path) -> None:
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=str(site))) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            with phone() as (page, complaints):
                address = f"http://127.0.0.1:{server.server_port}"
                page.goto(f"{address}/index.html")
                page.evaluate("navigator.serviceWorker.ready.then(() => true)")
                page.reload()
                page.wait_for_function("navigator.serviceWorker.controller !== null")
                devtools = page.context.new_cdp_session(page)
                found = devtools.send("Page.getInstallabilityErrors")
                assert [error["errorId"] for error in found["installabilityErrors"]] in ([], ["in-incognito"])
                server.shutdown()
                thread.join()
                server.server_close()
                page.goto(f"{address}/play.html#{FLING}")
                page.wait_for_selector('body[aria-busy="false"]')
                said(page, "#state", "0 moves.")
                assert complaints == []
        finally:
            server.shutdown()
            thread.join()

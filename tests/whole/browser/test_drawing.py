"""Drawing, playing and changing in a real browser: tools, regions, keys, pictures that are saved."""

from __future__ import annotations

import re
import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from epcg_core.editing.editing import open_document
from tests.whole.browser.chromium import browser_marks, open_page
from tests.whole.browser.test_workbench import drag, rest, said, shot, text_of, until, workbench

if TYPE_CHECKING:
    from playwright.sync_api import Page

pytestmark = browser_marks("starlette")

FROST = Path(__file__).parents[3] / "plugins" / "puzzlescript" / "games" / "frost.txt"
EMPTY = "\n".join(["......"] * 5)


def rows(page: Page) -> list[str]:
    return text_of(page).splitlines()


def marks(page: Page) -> dict[str, list[str]]:
    found: dict[str, list[str]] = page.evaluate("document.querySelector('#board').scene.marks")
    return {site: names for site, names in found.items() if names}


def tool(page: Page, name: str) -> None:
    page.click(f'[data-tool="{name}"]')


def keys(page: Page, pressed: Sequence[str]) -> None:
    for key in pressed:
        page.keyboard.press(key)
    rest(page)


def test_tools_draw_and_one_stroke_is_one_step(tmp_path: Path) -> None:
    with workbench(tmp_path, EMPTY) as address, open_page() as (page, complaints):
        page.goto(address)
        rest(page)
        page.click('#palette [data-mark="ball"]')
        tool(page, "rectangle")
        drag(page, ["c2,2", "c3,2", "c4,3"])
        drawn = [".ooo..", ".ooo.."]
        assert rows(page)[1:3] == drawn
        tool(page, "pencil")
        page.keyboard.down("Shift")
        drag(page, ["c1,5", "c6,5"])
        page.keyboard.up("Shift")
        assert rows(page)[4] == "oooooo"
        page.click("#undo")
        rest(page)
        assert rows(page)[4] == "......"
        page.click('#palette [data-mark=""]')
        tool(page, "flood")
        drag(page, ["c2,2"])
        assert "o" not in text_of(page)
        page.click("#undo")
        rest(page)
        page.keyboard.down("Alt")
        drag(page, ["c2,2"])
        page.keyboard.up("Alt")
        assert page.locator('#palette [data-mark="ball"]').get_attribute("aria-checked") == "true"
        assert rows(page)[1:3] == drawn
        tool(page, "lock")
        page.keyboard.down("Shift")
        drag(page, ["c1,4", "c6,5"])
        page.keyboard.up("Shift")
        tool(page, "rectangle")
        drag(page, ["c1,3", "c6,5"])
        assert rows(page)[2:] == ["oooooo", "......", "......"], "locked places stay"
        assert complaints == []


def test_a_region_is_copied_cut_pasted_and_moved_by_keys_and_pointer(tmp_path: Path) -> None:
    with workbench(tmp_path, "oo....\no.....\n......\n......") as address, open_page() as (page, complaints):
        page.goto(address)
        rest(page)
        tool(page, "select")
        drag(page, ["c1,1", "c2,2"])
        assert page.locator("#board .chosen").count() == 1
        keys(page, ["Control+c"])
        said(page, "#note", "4 places copied")
        keys(page, ["Escape"])
        page.locator('#board [data-site="c4,3"]').hover()
        keys(page, ["Control+v"])
        assert rows(page) == ["oo....", "o.....", "...oo.", "...o.."]
        drag(page, ["c4,3", "c5,3"])
        assert rows(page) == ["oo....", "o.....", "....oo", "....o."], "the pasted region is selected"
        page.click("#undo")
        rest(page)
        page.locator("#board").focus()
        page.evaluate("document.querySelector('#board').here = 'c1,1'")
        keys(page, ["Shift+ArrowRight", "Shift+ArrowDown", "Control+x"])
        assert rows(page) == ["......", "......", "...oo.", "...o.."]
        keys(page, ["Escape", "ArrowDown", "Shift+ArrowRight", "Enter"])
        assert sum(row.count("o") for row in rows(page)) == 5
        other = page.context.new_page()
        other.goto(page.url)
        assert complaints == []


def test_a_region_of_triangles_and_of_lines(tmp_path: Path) -> None:
    """What is copied lies elsewhere in the same form, also where sites have no columns and rows."""
    with workbench(tmp_path, "witness") as address, open_page() as (page, complaints):
        page.goto(address)
        rest(page)
        page.fill("#palette-search", "square black")
        page.click('#palette [data-mark="square black"]')
        drag(page, ["c1,1"])
        page.fill("#palette-search", "dot")
        page.click('#palette [data-mark="dot"]')
        drag(page, ["v1,1"])
        before = marks(page)
        assert before["c1,1"] == ["square black"]
        tool(page, "select")
        drag(page, ["c1,1", "c2,1"])
        keys(page, ["Control+c", "Escape"])
        page.locator('#board [data-site="c2,3"]').hover()
        keys(page, ["Control+v"])
        after = marks(page)
        assert after["c2,3"] == ["square black"]
        assert len(after) == len(before) + 2, sorted(after)
        assert page.locator('#palette [data-mark="dot"]').count() == 1
        assert complaints == []


def test_pictures_have_no_locks_and_nothing_of_the_page(tmp_path: Path) -> None:
    with workbench(tmp_path, "o..o\n....") as address, open_page() as (page, complaints):
        page.goto(address)
        rest(page)

        def saved(name: str) -> str:
            with page.expect_download() as download:
                page.click(name)
            return Path(download.value.path()).read_text("latin-1")

        plain, picture = saved("#svg"), saved("#png")
        page.locator("#board").focus()
        keys(page, ["l"])
        assert page.locator("#board .locked").count() == 1
        tool(page, "select")
        drag(page, ["c1,1", "c3,2"])
        assert (saved("#svg"), saved("#png")) == (plain, picture)
        page.click('[data-mode="analyse"]')
        page.click("#analyse")
        said(page, "#progress", "nothing is left out")
        assert page.locator("#board .tile").count()
        page.click('[data-mode="edit"]')
        assert not re.search(r'class="(over|tile|chosen|locked|ruler|hit)', plain)
        assert complaints == []


def test_a_game_is_drawn_in_its_art_played_by_keys_and_kept_as_a_note(tmp_path: Path) -> None:
    """Its ground is drawn, invisible marks are folded, digits choose, undo of play spares the drawing."""
    (tmp_path / "game").mkdir()
    shutil.copy(FROST, tmp_path / "game" / "frost.txt")
    with workbench(tmp_path, str(tmp_path / "game")) as address, open_page(1280, 800) as (page, complaints):
        page.goto(address)
        rest(page)
        assert page.locator("#invisible summary").inner_text() == "4 invisible"
        assert page.locator('#palette [data-mark=""] path').count(), "nothing looks like snow"
        page.locator("#board").focus()
        keys(page, ["5"])
        assert page.locator('#palette [aria-checked="true"]').get_attribute("data-mark") == "pine"
        page.locator('#board [data-site="c4,3"]').hover()
        assert page.locator("#under").inner_text() == "column 4, row 3: ice, will be ice and pine"
        shot(page, "draw-frost")
        drawn = text_of(page)
        page.click('[data-mode="play"]')
        said(page, "#play-state", "0 moves")
        keys(page, ["d", "s"])
        said(page, "#play-state", "2 moves")
        keys(page, ["Control+z", "u", "z"])
        said(page, "#play-state", "0 moves")
        assert text_of(page) == drawn
        page.click("#show-solution")
        said(page, "#play-state", "Solved in 3 moves")
        page.click("#keep-note")
        said(page, "#notes", "Solved in 3 moves")
        keys(page, ["r"])
        said(page, "#play-state", "0 moves")
        page.locator("#notes button").first.click()
        said(page, "#play-state", "Solved in 3 moves")
        assert "notes.json" in {path.name for path in (tmp_path / "game" / ".epcg").iterdir()}
        assert complaints == []


def test_only_a_region_is_changed_and_turned(tmp_path: Path) -> None:
    with workbench(tmp_path, "o..o..\n......\n..o...\n.....o") as address, open_page() as (page, complaints):
        page.goto(address)
        rest(page)
        page.click('[data-mode="analyse"]')
        page.click('[data-change-tool="region"]')
        drag(page, ["c1,1", "c3,3"])
        said(page, "#within", "Only from column 1, row 1 to column 3, row 3 (9 places)")
        page.click("#analyse")
        said(page, "#progress", "All 9 changes were tried")
        page.click('[data-change="turn"]')
        page.click('[data-change="one"]')
        assert page.locator("#region").is_hidden(), "the region is the selected one"
        page.click("#analyse")
        said(page, "#progress", "The one change was tried")  # by a half turn the region stays
        rest(page)
        shot(page, "changes-region")
        page.click("#whole-board")
        assert page.locator("#within").is_hidden()
        assert complaints == []


def test_a_swipe_anywhere_is_a_move(tmp_path: Path) -> None:
    (tmp_path / "game").mkdir()
    shutil.copy(FROST, tmp_path / "game" / "frost.txt")
    with workbench(tmp_path, str(tmp_path / "game")) as address, open_page(390, 844, touch=True) as (page, _):
        page.goto(address)
        rest(page)
        page.locator('[data-mode="play"]').tap()
        said(page, "#play-state", "0 moves")
        swipe = """([id, dx]) => { const part = document.querySelector(id);
            const box = part.getBoundingClientRect();
            const [x, y] = [box.left + box.width / 2, box.top + box.height / 2];
            const own =
              {bubbles: true, cancelable: true, pointerId: 7, pointerType: "touch", isPrimary: true};
            const at = (name, x) =>
              part.dispatchEvent(new PointerEvent(name, {...own, clientX: x, clientY: y}));
            at("pointerdown", x); at("pointerup", x + dx); }"""
        for part in ("#play-state", "#board svg"):
            page.evaluate(swipe, [part, 80])
            said(page, "#play-state", "1 move.")
            page.click("#play-undo")
            said(page, "#play-state", "0 moves")
        for button in page.locator("[data-in='play'] button:visible").all():
            box = button.bounding_box()
            assert box is not None
            assert box["height"] >= 40


def test_the_drawing_is_the_same_document(tmp_path: Path) -> None:
    """What tools make is a content that the domain reads."""
    with workbench(tmp_path, "snakebird") as address, open_page() as (page, complaints):
        page.goto(address)
        rest(page)
        page.click('#palette [data-mark="ground"]')
        page.locator("#board").focus()
        keys(page, ["Shift+ArrowRight", "Shift+ArrowRight", "Shift+ArrowDown", "Enter"])
        found = open_document("snakebird", text_of(page)).scene.marks
        assert all(found.get(f"c{x},{y}") == ("ground",) for x in (1, 2, 3) for y in (1, 2))
        keys(page, ["Delete"])
        assert page.locator("#trouble").is_hidden()
        assert complaints == []


def test_one_place_and_one_lock_are_told_in_the_singular(tmp_path: Path) -> None:
    with workbench(tmp_path, "oo....\n......\n......\n......") as address, open_page() as (page, complaints):
        page.goto(address)
        rest(page)
        tool(page, "select")
        page.locator("#board").focus()
        page.evaluate("document.querySelector('#board').here = 'c1,1'")
        keys(page, ["Shift+ArrowRight", "Control+c"])
        said(page, "#note", "2 places copied.")
        keys(page, ["Shift+ArrowLeft", "Control+c"])
        said(page, "#note", "1 place copied.")
        keys(page, ["Escape", "l"])
        keys(page, ["Shift+ArrowRight", "Control+x"])
        said(page, "#note", "1 locked place stays as it is.")
        assert rows(page)[0] == "o....."
        numbers = "[0, 1, 2, 2000n].map((number) => words.counted(number, 'way'))"
        told = page.evaluate(f"import('/static/words.js').then((words) => {numbers})")
        assert told == ["0 ways", "1 way", "2 ways", "2,000 ways"]
        assert complaints == []


@pytest.mark.parametrize("is_file", [False, True], ids=["board", "level of a file"])
def test_undo_takes_back_locks_by_brush_rectangle_and_key_in_their_turn(
    tmp_path: Path, is_file: bool
) -> None:
    """Locks by brush, rectangle and key, and strokes: back in the order in which they were done."""
    (tmp_path / "game").mkdir()
    shutil.copy(FROST, tmp_path / "game" / "frost.txt")
    lying = "[...document.querySelector('#board').locked].sort().join(' ')"
    with (
        workbench(tmp_path, str(tmp_path / "game") if is_file else EMPTY) as address,
        open_page() as (page, complaints),
    ):
        page.goto(address)
        rest(page)

        def stands(locked: str, text: str) -> bool:
            return page.evaluate(lying) == locked and text_of(page) == text

        before = text_of(page)
        assert page.locator("#undo").is_disabled()
        tool(page, "lock")
        drag(page, ["c2,2", "c3,2"])
        drag(page, ["c2,2"])
        page.keyboard.down("Shift")
        drag(page, ["c3,2", "c4,3"])  # the first of them is locked, so all are unlocked
        page.keyboard.up("Shift")
        assert stands("", before)
        keys(page, ["Control+z"])
        assert stands("c3,2", before)
        keys(page, ["Control+z"])
        assert stands("c2,2 c3,2", before)
        page.locator('#palette [role="radio"]').nth(1).click()
        tool(page, "pencil")
        drag(page, ["c4,4"])
        drawn = text_of(page)
        assert drawn != before
        page.locator("#board").focus()
        page.evaluate("document.querySelector('#board').here = 'c4,4'")
        keys(page, ["l"])
        assert stands("c2,2 c3,2 c4,4", drawn)
        page.click("#undo")
        until(page, lambda: stands("c2,2 c3,2", drawn))
        page.click("#undo")
        until(page, lambda: stands("c2,2 c3,2", before))
        page.click("#undo")
        until(page, lambda: stands("", before))
        assert page.locator("#undo").is_disabled()
        for after in (("c2,2 c3,2", before), ("c2,2 c3,2", drawn), ("c2,2 c3,2 c4,4", drawn)):
            page.keyboard.press("Control+y")
            until(page, lambda after=after: stands(*after))  # type: ignore[misc]
        page.click('[data-mode="analyse"]')
        page.click('[data-change-tool="lock"]')
        drag(page, ["c2,3"])
        assert stands("c2,2 c2,3 c3,2 c4,4", drawn)
        keys(page, ["Control+z"])
        assert stands("c2,2 c3,2 c4,4", drawn)
        assert complaints == []


def test_each_kind_of_change_tells_how_many_there_are_before_they_are_measured(tmp_path: Path) -> None:
    board = "o..o..\n......\n..o...\n.....o"
    with workbench(tmp_path, board) as address, open_page(1280, 800) as (page, complaints):

        def told() -> dict[str, str]:
            shown = page.locator("#change-kinds button")
            return {
                str(each.get_attribute("data-change")): each.locator(".count").all_inner_texts()[0]
                for each in shown.all()
                if each.locator(".count").count()
            }

        page.goto(address)
        rest(page)
        page.click('[data-mode="analyse"]')
        until(page, lambda: len(told()) == 5)
        assert {name: told()[name] for name in ("one", "move", "swap")} == {
            "one": "24",
            "move": "80",
            "swap": "80",
        }
        before = told()
        tops = page.locator("#change-bar button:visible").evaluate_all(
            "all => all.map((each) => each.offsetTop)"
        )
        assert len(set(tops)) == 1, "the bar is one row, and the board stays where it is"
        shot(page, "changes-kinds")
        page.click('[data-change="move"]')
        assert page.locator('[data-change="move"]').evaluate("each => each === document.activeElement")
        page.click("#analyse")
        said(page, "#progress", "All 104 changes were tried")
        rest(page)
        page.click('[data-change="one"]')
        page.click("#analyse")
        said(page, "#progress", "All 80 changes were tried")
        rest(page)
        page.click('[data-change-tool="lock"]')
        drag(page, ["c1,1"])
        until(page, lambda: told() != before and told().get("one") == "23")
        page.keyboard.press("Control+z")
        until(page, lambda: told() == before)
        page.click('[data-change-tool="region"]')
        drag(page, ["c1,1", "c3,3"])
        until(page, lambda: told().get("one") == "9")
        page.click('[data-change="turn"]')
        page.click('[data-change="move"]')
        assert told()["turn"] == "1"
        page.click("#analyse")
        said(page, "#progress", "The one change was tried: nothing is left out.")
        assert complaints == []


def test_emptied_places_have_one_brush_though_something_lies_there(tmp_path: Path) -> None:
    """What lies on emptied places is no second brush beside "empty", in Draw, Changes and Fill."""
    pytest.importorskip("epcg_puzzlescript")
    from tests.puzzlescript.test_habits import GAME

    path = tmp_path / "pier.txt"
    path.write_text(GAME)
    names = "places => places.map(place => place.querySelector('span').textContent)"
    with workbench(tmp_path, str(path)) as address, open_page(1280, 800) as (page, complaints):
        page.goto(address)
        rest(page)
        offered = page.locator("#palette [data-mark]").evaluate_all(
            "all => all.map(each => each.dataset.mark)"
        )
        assert "" in offered
        assert "plank" not in offered
        assert {"crate", "hero", "wall"} <= set(offered)
        page.click('#palette [data-mark="crate"]')
        drag(page, ["c2,2"])
        assert "crate" in marks(page)["c2,2"]
        page.click('#palette [data-mark=""]')
        drag(page, ["c2,2"])
        assert marks(page)["c2,2"] == ["plank"]
        page.click('[data-mode="analyse"]')
        rest(page)
        page.click("#change-marks summary")
        ticks = page.locator("#change-ticks label").evaluate_all(names)
        page.click('[data-mode="sketch"]')
        rest(page)
        filled = page.locator("#sketch-part label.tick, #bench label.tick").evaluate_all(names)
        for told in (ticks, filled):
            assert "empty (plank)" in told
            assert "plank" not in told
        assert complaints == []

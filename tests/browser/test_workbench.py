"""The workbench in a real browser: made, solved, played, analysed, shared and exported by pointer and
keys."""

from __future__ import annotations

import json
import re
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import attrs
import pytest

import epcg_core as epcg
from epcg_core.services.editing import Effects, open_document
from tests.browser.chromium import chromium, open_page
from tests.workplace import epcg_command

if TYPE_CHECKING:
    from playwright.sync_api import Page

pytest.importorskip("starlette", reason="Starlette is not installed: pip install 'epcg-core[workbench]'")
pytest.importorskip("playwright", reason="playwright is not installed: pip install playwright")

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(chromium() is None, reason="chromium is not installed: apt-get install chromium"),
]

SHOTS = Path(__file__).parents[2] / "build" / "workbench"
"""Where a picture of each page is kept, to be looked at."""

SMALL_BOARD = (
    "side 2; without Line; without Triangle; without Snake; without Hexagon; without Elbow; without Butterfly"
)


@attrs.frozen
class Scenario:
    """How a content of a domain is made from its new one."""

    domain: str
    strokes: Sequence[tuple[str, Sequence[str]]]
    """Marks, each with the sites that it is drawn over by the pointer; '' empties."""
    typed: tuple[str, str]
    """A site, and the key by which a mark is put there."""
    metric: str
    """'evaluator/metric' of the heat map."""
    text: str = ""
    """What is typed to begin with, instead of the new content."""


SCENARIOS = [
    Scenario("fling", [("ball", ["c2,3"]), ("ball", ["c4,3"])], ("c1,3", "b"), "winning_moves/winning_moves"),
    Scenario(
        "snakebird",
        [("ground", ["c4,4", "c5,4"]), ("spikes", ["c6,3"]), ("fruit", ["c3,3"])],
        ("c5,1", "F"),
        "shortest_solution/moves",
    ),
    Scenario(
        "witness",
        [("square black", ["c1,1"]), ("square white", ["c4,4"]), ("dot", ["p3,3"])],
        ("h2,3", ":"),
        "solutions/solutions",
    ),
    Scenario("sliding", [("6", ["c3,3"]), ("1", ["c2,1"])], ("c1,3", "8"), "shortest_solution/moves"),
    Scenario(
        "puzzlescript",
        [("rock", ["c4,4", "c5,4"]), ("water", ["c6,3"]), ("lantern", ["c3,3"])],
        ("c5,5", "o"),
        "shortest_solution/moves",
    ),
    Scenario("tangram", [("Mountains 2", ["t0"])], ("t9", "h"), "instance/completions", text=SMALL_BOARD),
]  # fmt: skip


@contextmanager
def workbench(folder: Path, *what: str) -> Iterator[str]:
    """Serve a workbench, and yield its address."""
    command = epcg_command("workbench", *what, "--db", folder / "epcg.db", "--no-open")
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            found = re.search(r"http://\S+", process.stdout.readline())
            assert found is not None
            yield found[0]
        finally:
            process.terminate()
            process.wait(60)


def rest(page: Page) -> None:
    """Wait until nothing is under way."""
    page.wait_for_selector('body[aria-busy="false"]')


def said(page: Page, selector: str, sentence: str) -> None:
    """Wait until the page says a sentence."""
    page.locator(selector, has_text=sentence).wait_for()


def middle(page: Page, site: str) -> tuple[float, float]:
    box = page.locator(f'#board [data-site="{site}"]').bounding_box()
    assert box is not None
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


def drag(page: Page, sites: Sequence[str]) -> None:
    """Draw over sites with the pointer."""
    page.mouse.move(*middle(page, sites[0]))
    page.mouse.down()
    for site in sites[1:]:
        page.mouse.move(*middle(page, site), steps=4)
    page.mouse.up()
    rest(page)


def choose(page: Page, mark: str) -> None:
    """Choose a mark in the palette; one that another becomes when it is turned, by turning that."""
    button = page.locator(f'#palette [data-mark="{mark}"]')
    if button.count():
        button.click()
        return
    page.click(f'#palette [data-mark^="{mark.split()[0]} "]')
    page.locator("#board").focus()
    for _ in range(20):
        page.keyboard.press("r")
        if button.count():
            return
    raise AssertionError(f"No mark becomes {mark} when it is turned.")


def text_of(page: Page) -> str:
    found: str = page.locator("#text").input_value()
    return found


def shot(page: Page, name: str) -> None:
    SHOTS.mkdir(parents=True, exist_ok=True)
    page.screenshot(path=SHOTS / f"{name}.png", full_page=True)


def solve(page: Page) -> bool:
    """Play the solution that the workbench knows, by pointer; say whether there is one."""
    page.click('[data-mode="play"]')
    rest(page)
    page.click("#show-solution")
    rest(page)
    if page.locator("#slider-part").is_hidden():
        return False
    moves = int(page.locator("#slider").get_attribute("max") or 0)
    page.locator("#slider").fill(str(moves))
    rest(page)
    assert f"Solved in {moves} moves" in page.locator("#play-state").inner_text()
    page.click("#restart")
    rest(page)
    for _ in range(moves):
        answer = ask(page, "solve", taken=taken(page))
        here = ask(page, "play", taken=taken(page))
        gesture = here["actions"][answer["solution"][0]]
        if len(gesture["sites"]) > 2:
            for site in reversed(gesture["sites"]):
                drag(page, [site])
            if "again" in page.locator("#note").inner_text():  # other pieces hold these triangles, too
                drag(page, [gesture["sites"][0]])
        else:
            drag(page, gesture["sites"])
        page.evaluate("n => window.played = [...(window.played ?? []), n]", answer["solution"][0])
    assert f"Solved in {moves} moves" in page.locator("#play-state").inner_text()
    return True


def taken(page: Page) -> list[int]:
    found: list[int] = page.evaluate("window.played ?? []")
    return found


def ask(page: Page, name: str, **more: Any) -> Any:
    """Ask the server what the page would ask."""
    domain, text = page.url.partition("#/")[2].split("/")
    lines: str = page.evaluate(
        """async ([name, body]) => (await fetch(`/api/${name}`, {method: "POST", body: JSON.stringify(
        {...body, domain: decodeURIComponent(body.domain), text: decodeURIComponent(body.text)})})).text()""",
        [name, {"domain": domain, "text": text, **more}],
    )
    return json.loads(lines.splitlines()[0])


@pytest.mark.parametrize("scenario", SCENARIOS, ids=lambda scenario: scenario.domain)
def test_a_content_is_made_solved_played_analysed_shared_and_exported(
    scenario: Scenario, tmp_path: Path
) -> None:
    with workbench(tmp_path) as address, open_page() as (page, complaints):
        page.goto(address)
        rest(page)
        shot(page, "start")
        if scenario.text:
            page.fill("#paste", scenario.text)
            page.select_option("#paste-domain", scenario.domain)
            page.click("#open-paste")
            page.wait_for_selector("#bench:not([hidden])")
        else:
            page.click(f'[data-domain="{scenario.domain}"] [data-title="new"]')
        rest(page)
        new = text_of(page)
        for mark, sites in scenario.strokes:
            choose(page, mark)
            before = text_of(page)
            drag(page, sites)
            assert text_of(page) != before, page.locator("#trouble").inner_text()
        drawn = text_of(page)
        site, key = scenario.typed
        page.locator("#board").focus()
        walk(page, site)
        page.keyboard.press(key)
        page.keyboard.press("Enter")
        rest(page)
        made = text_of(page)
        assert made not in (new, drawn)
        shot(page, f"{scenario.domain}-edit")

        assert solve(page)
        shot(page, f"{scenario.domain}-play")

        page.click('[data-mode="analyse"]')
        page.select_option("#metric", scenario.metric)
        page.click("#analyse")
        said(page, "#progress", "All of them")
        rest(page)
        shot(page, f"{scenario.domain}-analyse")
        page.click("#record")
        said(page, "#progress", "Recorded as run")
        rest(page)
        evaluator, metric = scenario.metric.split("/")
        effects = Effects(open_document(scenario.domain, made), evaluator, limit=None)
        shown = {c.rank: c.values[metric] for part in effects for c in part if c.values[metric] is not None}
        ranks, values = epcg.open(tmp_path / "epcg.db").runs[-1].values(metric)
        assert shown == dict(zip(ranks.tolist(), values.tolist(), strict=True))
        labels = {*page.locator("#board .heat text").all_text_contents()} - {"×", "yes", "no"}
        assert {label for label in labels if "K" not in label} <= {str(value) for value in shown.values()}

        suggestion = page.locator("#suggestions button.change").first
        suggestion.click()
        rest(page)
        adopted = text_of(page)
        assert adopted != made
        page.keyboard.press("Control+z")
        rest(page)
        assert text_of(page) == made

        other = page.context.new_page()
        other.goto(page.url)
        rest(other)
        assert text_of(other) == made
        other.close()
        page.click('[data-mode="edit"]')
        with page.expect_download() as saved:
            page.click("#save")
        assert Path(saved.value.path()).read_text() == made
        page.click("#home")
        rest(page)
        page.set_input_files(
            "#file", files=[{"name": "x.txt", "mimeType": "text/plain", "buffer": made.encode()}]
        )
        page.wait_for_selector("#bench:not([hidden])")
        rest(page)
        assert text_of(page) == made
        assert complaints == []


def walk(page: Page, site: str) -> None:
    """Go to a site by the arrow keys alone, on a shortest way."""
    here: str = page.evaluate("document.querySelector('#board').here")
    ways: dict[str, list[str]] = {here: []}
    for at in (queue := [here]):
        for key in ("ArrowRight", "ArrowDown", "ArrowLeft", "ArrowUp"):
            to = page.evaluate("([at, key]) => document.querySelector('#board').nearest(at, key)", [at, key])
            if to and to not in ways:
                ways[to] = [*ways[at], key]
                queue.append(to)
    sites = page.evaluate("[...document.querySelector('#board').sites.keys()]")
    assert set(ways) == set(sites), "arrow keys lead to every site"
    for key in ways[site]:
        page.keyboard.press(key)


def test_the_best_changes_of_a_shipped_level(tmp_path: Path) -> None:
    """26 moves; the best tile gives 34, one fruit 42."""
    with workbench(tmp_path, "snakebird") as address, open_page() as (page, complaints):
        page.goto(address)
        rest(page)
        page.click("#home")
        rest(page)
        page.click('[data-title="A Push for a Friend"]')
        rest(page)
        assert page.locator('[data-metric="moves"] .value').inner_text() == "26"
        page.click('[data-mode="analyse"]')
        page.click("#analyse")
        said(page, "#progress", "All of them")
        highest = page.locator('[data-kind="highest"] button.change').all_inner_texts()
        assert highest[0].startswith("42: ")
        assert highest[0].endswith("fruit")
        assert any(text.startswith("34: ") and text.endswith("ground") for text in highest)
        assert complaints == []


def test_the_figure_of_2013(tmp_path: Path) -> None:
    """Reachable states, winning moves, and the effect of each edit of a board with two measures side by
    side."""
    board = "o..o\n.o..\no..o"
    with workbench(tmp_path, board) as address, open_page() as (page, complaints):
        page.goto(address)
        rest(page)
        found = {
            c.rank: c.values["solvable"]
            for part in Effects(open_document("fling", board), "solvable")
            for c in part
        }
        assert page.locator('[data-metric="reachable_states"] .value').inner_text() == "16"
        assert page.locator('[data-metric="winning_moves"] .value').inner_text() == "4"
        page.click('[data-mode="analyse"]')
        page.select_option("#metric", "solvable/solvable")
        page.select_option("#metric2", "winning_moves/winning_moves")
        page.click("#analyse")
        page.wait_for_selector("#board2 .heat text")
        rest(page)
        changing = sum(value is not True for value in found.values())
        assert page.locator("#board .heat text").count() == changing
        assert page.locator('[data-metric="edits_changing_solvability"] .value').inner_text() == str(changing)
        shot(page, "fling-two-measures")
        assert complaints == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1200, 390])
def test_nothing_is_wider_than_the_page(tmp_path: Path, scheme: Any, width: int) -> None:
    with workbench(tmp_path, "snakebird") as address, open_page(width) as (page, complaints):
        page.emulate_media(color_scheme=scheme)
        page.goto(address)
        rest(page)
        for mode in ("edit", "play", "analyse"):
            page.click(f'[data-mode="{mode}"]')
            rest(page)
            shot(page, f"{mode}-{scheme}-{width}")
            assert page.evaluate("document.documentElement.scrollWidth") <= width
        assert complaints == []


def test_wrong_texts_and_files_leave_the_board_as_it_was(tmp_path: Path) -> None:
    with workbench(tmp_path, "o..o\n.o..\no..o") as address, open_page() as (page, complaints):
        page.goto(address)
        rest(page)
        before = text_of(page)
        page.locator("summary", has_text="Text").click()
        page.locator("#text").fill("o..o\n<b>x</b>\n....")
        page.click("#read-text")
        rest(page)
        assert "Row 2" in page.locator("#trouble").inner_text()
        assert page.locator("#trouble b").count() == 0
        assert f"#/fling/{before.replace(chr(10), '%0A')}" in page.url
        page.click("#home")
        rest(page)
        for name, data, sentence in (
            ("large.txt", b"o" * 10_000_000, "at most 100,000"),
            ("binary.bin", bytes(range(256)), "not a text"),
            ("page.html", b"<script>alert(1)</script>", "No domain's editor reads this"),
        ):
            page.set_input_files("#file", files=[{"name": name, "mimeType": "text/plain", "buffer": data}])
            said(page, "#trouble", sentence)
        assert [text for text in complaints if "400" not in text] == []


def test_a_lost_server_is_said_and_nothing_is_lost(tmp_path: Path) -> None:
    with open_page() as (page, _):
        with workbench(tmp_path, "o..o\n.o..\no..o") as address:
            page.goto(address)
            rest(page)
        before = text_of(page)
        drag(page, ["c3,3"])
        assert "does not answer" in page.locator("#trouble").inner_text()
        assert text_of(page) == before
        assert before.replace("\n", "%0A") in page.url

"""The workbench in a real browser: made, solved, played, analysed, shared and exported by pointer and
keys."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import TYPE_CHECKING, Any

import attrs
import pytest
from epcg_workbench.changes import Effects

import epcg_core as epcg
from epcg_core.editing.editing import open_document
from epcg_core.query.query import parse_query
from tests.faces import only
from tests.forks.forked import epcg_serving
from tests.processes import wait_until
from tests.testing.test_new_domain import install
from tests.whole.browser.chromium import SCREENS, browser_marks, finger, open_page
from tests.workplace import epcg_command

if TYPE_CHECKING:
    from playwright.sync_api import Page

pytestmark = browser_marks("starlette")

SHOTS = Path(__file__).parents[3] / "build" / "workbench"
"""Where a picture of each page is kept, to be looked at."""

ADDRESS = re.compile(r"http://\S+(?=\s)")
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

ALIKE = {"sliding", "snakebird"}
"""Domains that are drawn and played as others are: cells with marks, and moves by buttons."""


@contextmanager
def workbench(folder: Path, *what: str, **environment: str) -> Iterator[str]:
    """Serve a workbench, and yield its address. (`test_project.served` starts one as people do.)"""
    with epcg_serving("workbench", *what, "--db", folder / "epcg.db", "--no-open", **environment) as printed:
        wait_until(lambda: ADDRESS.search(printed()), "an address")
        found = ADDRESS.search(printed())
        assert found is not None
        yield found[0]


def rest(page: Page) -> None:
    """Wait until nothing is under way."""
    page.wait_for_selector('body[aria-busy="false"]')


def said(page: Page, selector: str, sentence: str) -> None:
    """Wait until the page says a sentence."""
    from playwright.sync_api import TimeoutError as TooLateError

    try:
        page.locator(selector, has_text=sentence).wait_for()
    except TooLateError:
        raise AssertionError(f"It does not say {sentence!r} but {seen(page)}.") from None


def until(page: Page, check: Callable[[], bool]) -> None:
    """Wait until something holds."""
    for _ in range(600):
        if check():
            return
        page.wait_for_timeout(100)
    raise AssertionError(f"It does not come to hold: {seen(page)}.")


def seen(page: Page) -> dict[str, str]:
    """What the page says that is not as it should be, for a message."""
    found: dict[str, str] = page.evaluate("""() => {
      const parts = document.querySelectorAll("[id$=trouble], [id$=said], #note, [id$=state]");
      const shown = [...parts].filter((each) => each.checkVisibility() && each.textContent.trim());
      const told = shown.map((each) => [each.id, each.textContent.trim()]);
      return Object.fromEntries([["address", location.hash], ["busy", document.body.ariaBusy], ...told]);
    }""")
    return found


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


def paste(page: Page, text: str, domain: str = "") -> None:
    """Open a text from the first page, as a content of a domain or of the one that reads it."""
    page.click("#paste-button")
    page.fill("#paste", text)
    page.select_option("#paste-domain", domain)
    page.click("#open-paste")


def begin(page: Page, domain: str) -> None:
    """Begin a new content of a domain from the first page."""
    page.click("#make-known")
    page.click(f'#known [data-domain="{domain}"] button')
    page.wait_for_selector("#bench:not([hidden])")


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
    assert f"Solved in {moves} move" in page.locator("#play-state").inner_text()
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
    assert f"Solved in {moves} move" in page.locator("#play-state").inner_text()
    return True


def taken(page: Page) -> list[int]:
    found: list[int] = page.evaluate("window.played ?? []")
    return found


def ask(page: Page, name: str, **more: Any) -> Any:
    """Ask the server what the page would ask."""
    domain, text = page.url.partition("#/")[2].split("/")
    lines: str = page.evaluate(
        """async ([name, body]) => (await fetch(`/api/${name}`, {method: "POST",
        headers: {"x-epcg-token": localStorage.getItem("epcg:token")}, body: JSON.stringify(
        {...body, domain: decodeURIComponent(body.domain), text: decodeURIComponent(body.text)})})).text()""",
        [name, {"domain": domain, "text": text, **more}],
    )
    return json.loads(lines.splitlines()[0])


@pytest.mark.parametrize(
    "scenario",
    [
        pytest.param(each, id=each.domain, marks=pytest.mark.nightly if each.domain in ALIKE else ())
        for each in SCENARIOS
    ],
)
def test_a_content_is_made_solved_played_analysed_shared_and_exported(
    scenario: Scenario, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)  # where a game gets a folder of its own
    with workbench(tmp_path) as address, open_page() as (page, complaints):
        page.goto(address)
        rest(page)
        shot(page, "start")
        if scenario.text:
            paste(page, scenario.text, scenario.domain)
            page.wait_for_selector("#bench:not([hidden])")
        else:
            begin(page, scenario.domain)
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
        said(page, "#progress", "nothing is left out")
        rest(page)
        shot(page, f"{scenario.domain}-analyse")
        page.click("#record")
        said(page, "#progress", "Kept (run")
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
        if scenario.domain == "puzzlescript":
            said(page, "dialog[open]", "It is a game of its own.")
            page.keyboard.press("Enter")
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
        page.click("#around-all")
        page.click('[data-title="A Push for a Friend"]')
        rest(page)
        assert page.locator('[data-metric="moves"] .value').inner_text() == "26"
        page.click('[data-mode="analyse"]')
        page.click("#analyse")
        said(page, "#progress", "nothing is left out")
        rest(page)
        best = page.locator('[data-kind="wish"] button.change').all_inner_texts()
        assert len(best) == 5
        assert best[0].strip().startswith("42 moves +16")
        assert best[0].endswith("fruit")
        page.click("#more-suggestions")
        every = page.locator('[data-kind="wish"] button.change').all_inner_texts()
        assert every[:5] == best
        assert any(text.strip().startswith("34 moves +8") and text.endswith("ground") for text in every)
        assert "no such change gives more" in page.locator("#suggestions").inner_text()
        assert complaints == []


def condition(page: Page, metric: str, how: str = "", number: str = "") -> None:
    """Add a condition to the wish of the changes; for a measure of yes or no, that it is a yes."""
    page.click("#add-condition")
    at = page.locator("#wish [data-condition]").count() - 1
    page.select_option(f"#condition-{at}", metric)
    if how:
        page.select_option(f"#condition-{at}-how", how)
        page.fill(f"#condition-{at}-number", number)
        page.press(f"#condition-{at}-number", "Tab")


def test_a_wish_is_granted_or_what_stands_in_its_way_is_said(tmp_path: Path) -> None:
    """Conditions by several measures, moves and swaps, what others allow, and a run that keeps the same."""
    board = "oo..o\n.o...\no..o.\n....."
    with workbench(tmp_path, board) as address, open_page() as (page, complaints):
        page.goto(address)
        rest(page)
        page.click('[data-mode="analyse"]')
        page.select_option("#metric", "solution/solution_length")
        for typed in ("5000", "3.7"):
            page.fill("#keep-count", typed)
            page.press("#keep-count", "Tab")
            said(page, "#keep-told", f"{typed} cannot be kept: a whole number from 1 to 60 can. It is 5.")
            assert page.input_value("#keep-count") == "5"
        page.fill("#keep-count", "3")
        page.press("#keep-count", "Tab")
        page.wait_for_selector("#keep-told", state="hidden")
        condition(page, "winning_moves/winning_moves", "max", "3")
        condition(page, "unique/unique")
        page.select_option("#condition-1-is", "false")
        condition(page, "legal_moves/legal_moves", "min", "40")
        page.select_option("#then-0", "legal_moves/legal_moves")
        page.select_option("#apart", "2 places")
        page.click('[data-change="move"]')
        page.click('[data-change="swap"]')
        page.click("#analyse")
        said(page, "#progress", "nothing is left out")
        rest(page)
        shot(page, "wish-none")
        answer = page.locator("#wish-answer").inner_text()
        assert "None of 104 meets all conditions" in answer
        assert "alone stands in the way" in answer
        assert "The map shows what the other conditions allow." in answer
        assert page.locator("#board .heat text").count() > 0
        page.click("#ask-nearest")
        said(page, "#progress", "nothing is left out")
        rest(page)
        shot(page, "wish-met")
        assert page.locator("#wish-answer .verdict").inner_text().startswith("5 of 104 meet all conditions")
        page.click('#wish [data-condition="2"] button')
        page.click("#analyse")
        said(page, "#progress", "nothing is left out")
        rest(page)
        tiles = page.locator('[data-kind="wish"] > li')
        assert tiles.count() == 3
        assert tiles.first.locator("epcg-board .chosen").count() > 0
        page.click("#record")
        said(page, "#progress", "Kept (run 1")
        rest(page)
        kept = epcg.open(tmp_path / "epcg.db").sql("SELECT state, kept_by FROM candidate WHERE kept = 1").rows
        assert len(kept) == 3
        assert "2 places apart" in kept[0][1]
        before = text_of(page)
        tiles.first.locator("button", has_text="Go on").click()
        rest(page)
        said(page, "#progress", "nothing is left out")
        assert text_of(page) != before
        assert text_of(page).strip() in {text.replace("/", "\n").strip() for text, _ in kept}
        assert complaints == []


def test_what_was_found_before_a_stop_is_kept_and_said_to_be_a_part(tmp_path: Path) -> None:
    rows = ["o..o...", "...o..o", ".o.....", "....o..", "o.....o", "...o...", ".......", "..o...."]
    board = "\n".join(rows)
    with workbench(tmp_path, board) as address, open_page() as (page, complaints):
        page.goto(address)
        rest(page)
        page.click('[data-mode="analyse"]')
        page.select_option("#metric", "legal_moves/legal_moves")
        condition(page, "expert_ratio/expert_ratio", "min", "1")
        page.select_option("#most", "2")
        page.click("#analyse")
        page.wait_for_selector('[data-kind="wish"] > li')
        page.click("#stop")
        rest(page)
        assert "Stopped: what is shown is a part of all changes." in page.locator("#progress").inner_text()
        assert page.locator("#wish-answer .verdict").inner_text().startswith("So far: ")
        assert page.locator('[data-kind="wish"] > li').count() > 0
        assert complaints == []


def test_a_board_is_reduced_compared_and_its_space_recorded(tmp_path: Path) -> None:
    """Simplify, tighten, what differs most, and the cost of the space, which is then recorded."""
    board = "o..o\n.o..\no..o"
    with workbench(tmp_path, board) as address, open_page() as (page, complaints):
        page.goto(address)
        rest(page)
        choose(page, "ball")
        page.click('[data-mode="analyse"]')
        page.select_option("#metric", "legal_moves/legal_moves")
        own = page.locator('[data-metric="legal_moves"] .value').inner_text()
        for button, change in (("simplify", min), ("tighten", max)):
            page.click(f"#{button}")
            rest(page)
            told = page.locator("#progress").inner_text()
            assert "proven: each was tried" in told
            assert page.locator('[data-metric="legal_moves"] .value').inner_text() == own
            balls = text_of(page).count("o")
            assert balls == change(balls, board.count("o"))
            if text_of(page) != board:
                page.keyboard.press("Control+z")
                rest(page)
        page.select_option("#metric", "solution/solution_length")
        page.click("#analyse")
        said(page, "#progress", "nothing is left out")
        rest(page)
        assert page.locator('[data-kind="different"] button.change').count() > 0
        page.click("#standing")
        said(page, "#stands-offer", "792 are to be tried")
        rest(page)
        shot(page, "fling-cost")
        page.click("#record-whole")
        said(page, "#stands", "792 were tried.")
        rest(page)
        page.click("#standing")
        said(page, "#stands-offer", "All of its kind are recorded")
        assert page.locator("#record-whole").count() == 0
        page.click("#home")
        said(page, "#runs", "All boards of Fling!: width 4, height 3, pieces 5")
        rest(page)
        assert complaints == []


def test_a_sketch_is_painted_counted_tried_and_its_hardest_opened(tmp_path: Path) -> None:
    """Six open cells of a level: a sample, then all of them, and the hardest is opened."""
    with workbench(tmp_path, "snakebird") as address, open_page() as (page, complaints):
        page.goto(address)
        rest(page)
        page.click("#home")
        rest(page)
        page.click("#around-all")
        page.click('[data-title="Bed of Nails"]')
        rest(page)
        page.click('[data-mode="sketch"]')
        assert "No place is open" in page.locator("#sketch-count").inner_text()
        for mark in ("ground", "spikes"):
            page.check(f'#sketch-marks input[value="{mark}"]')
        level = open_document("snakebird", text_of(page))
        empty = [s.id for s in level.scene.sites if not level.scene.marks.get(s.id)][16:22]
        for site in empty:
            drag(page, [site])
        said(page, "#sketch-count", "729 ways to fill 6 places. All of them take")
        assert page.locator("#board .open").count() == 6
        shot(page, "sketch-open")
        page.fill('[data-count="spikes"] input[aria-label^="at most"]', "1")
        page.press('[data-count="spikes"] input[aria-label^="at most"]', "Tab")
        said(page, "#sketch-count", "256 ways to fill 6 places. All of them take")
        page.click("#sketch-sample")
        said(page, "#sketch-of", "A sample: shown are the best of 200 of 256 candidates, drawn by chance.")
        rest(page)
        assert page.locator("#sketch-found button").count()
        page.click("#sketch-run")
        page.wait_for_selector("#sketch-found button")
        said(page, "#sketch-progress", "Kept (run")
        rest(page)
        shot(page, "sketch-found")
        name = page.locator("#sketch-bars svg").get_attribute("aria-label") or ""
        assert re.match(r"How many have each value of .+: .*\d: \d+(, \d+ as wished)?[;.]", name), name
        assert page.locator("#sketch-bars .brushed").count() == 0, "nothing is chosen by dragging here"
        tips = page.locator("#sketch-bars title").all_text_contents()
        assert all(tip in name for tip in tips)
        labels = page.locator("#sketch-bars svg g text").all_text_contents()
        assert [tip.partition(": ")[2].split(",")[0] for tip in tips] == labels, "each column says how many"
        query = parse_query(page.locator("#sketch-toml").input_value())
        assert query.generator.params["counts"] == {"spikes": [0, 1]}
        run = epcg.open(tmp_path / "epcg.db").runs[-1]
        _, moves = run.values("moves")
        first = page.locator("#sketch-found button").first
        assert first.locator("b").inner_text() == f"{moves.max()} moves"
        first.click()
        rest(page)
        assert page.locator('[data-metric="moves"] .value').inner_text() == str(moves.max())
        assert complaints == []


def test_a_game_is_edited_sketched_and_played(tmp_path: Path) -> None:
    """A level of a game in PuzzleScript: a rock is put, a sketch's hardest completion opened and played."""
    with workbench(tmp_path, "puzzlescript") as address, open_page() as (page, complaints):
        page.goto(address)
        rest(page)
        page.click("#home")
        rest(page)
        page.click("#around-all")
        page.click('[data-title="Lanterns on the Pier 2"]')
        rest(page)
        before = text_of(page)
        choose(page, "rock")
        drag(page, ["c5,5"])
        assert text_of(page) != before
        page.click('[data-mode="sketch"]')
        for mark in ("rock", "post"):
            page.check(f'#sketch-marks input[value="{mark}"]')
        for site in ("c4,2", "c5,3", "c5,4", "c3,5"):
            drag(page, [site])
        said(page, "#sketch-count", "81 ways to fill 4 places. All of them take")
        page.click("#sketch-run")
        said(page, "#sketch-progress", "Kept (run")
        rest(page)
        shot(page, "puzzlescript-sketch")
        run = epcg.open(tmp_path / "epcg.db").runs[-1]
        _, moves = run.values("moves")
        first = page.locator("#sketch-found button").first
        assert first.locator("b").inner_text() == f"{moves.max()} moves"
        first.click()
        rest(page)
        assert page.locator('[data-metric="moves"] .value').inner_text() == str(moves.max())
        assert solve(page)
        assert complaints == []


def test_touch_paints_and_plays(tmp_path: Path) -> None:
    with workbench(tmp_path, "fling") as address, open_page(390, 800, touch=True) as (page, complaints):
        page.goto(address)
        rest(page)
        page.locator('#palette [data-mark="ball"]').tap()
        swipe(page, ["c2,2", "c3,2", "c4,2"])
        assert text_of(page).splitlines()[:2] == ["o.....o", ".ooo..."]
        page.locator('#palette [data-mark=""]').tap()
        swipe(page, ["c3,2"])
        assert text_of(page).splitlines()[1] == ".o.o..."
        page.locator('[data-mode="play"]').tap()
        rest(page)
        (first, *_) = ask(page, "play")["actions"]
        for part in (first["sites"][:1], first["sites"][1:]):
            swipe(page, part)
        assert "1 move." in page.locator("#play-state").inner_text()
        shot(page, "touch-play")
        assert complaints == []


def swipe(page: Page, sites: Sequence[str]) -> None:
    """Touch a site and draw the finger over the others."""
    page.locator(f'#board [data-site="{sites[0]}"]').scroll_into_view_if_needed()
    finger(page, *(middle(page, site) for site in sites))
    rest(page)


def test_a_domain_of_others_has_an_editor_without_javascript(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What `epcg new-domain` writes: made by pointer, played to the end, analysed, recorded."""
    monkeypatch.chdir(tmp_path)
    subprocess.run(epcg_command("new-domain", "demo"), check=True, stdout=subprocess.DEVNULL)
    install(tmp_path / "epcg-demo", tmp_path / "site", "demo")
    path = os.pathsep.join([str(tmp_path / "site"), *filter(None, sys.path)])
    alone = {"PYTHONPATH": path, "EPCG_PLUGINS": only("demo")}
    with workbench(tmp_path, **alone) as address, open_page() as (page, complaints):
        page.goto(address)
        rest(page)
        begin(page, "demo")
        rest(page)
        choose(page, "")
        drag(page, ["c1,1", "c2,1", "c3,1"])
        assert text_of(page)[:4] == "...*"
        assert solve(page)
        page.click('[data-mode="analyse"]')
        page.click("#analyse")
        said(page, "#progress", "nothing is left out")
        rest(page)
        shot(page, "demo-analyse")
        page.click("#record")
        said(page, "#progress", "Kept (run")
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
        assert page.locator("#board .heat text:not(.same)").count() == changing
        assert page.locator('[data-metric="edits_changing_solvability"] .value').inner_text() == str(changing)
        shot(page, "fling-two-measures")
        assert complaints == []


@SCREENS
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
            ("page.html", b"<script>alert(1)</script>", "No puzzle of a known kind is seen in this text"),
        ):
            page.set_input_files("#file", files=[{"name": name, "mimeType": "text/plain", "buffer": data}])
            said(page, "#trouble", sentence)
        assert [text for text in complaints if "400" not in text] == []


def test_two_workbenches_in_one_browser(tmp_path: Path) -> None:
    """The first goes on after the second was opened, also in a new tab; no other port hears a token."""
    heard: list[str] = []
    with (
        workbench(tmp_path) as first,
        workbench(tmp_path) as second,
        listening(heard) as other,
        open_page() as (page, complaints),
    ):
        page.goto(first)
        rest(page)
        assert "token" not in page.url
        beside = page.context.new_page()
        beside.goto(second)
        rest(beside)
        page.reload()
        rest(page)
        begin(page, "fling")
        rest(page)
        choose(page, "ball")
        before = text_of(page)
        drag(page, ["c2,3"])
        assert text_of(page) != before, page.locator("#trouble").inner_text()
        again = page.context.new_page()
        again.goto(first.partition("?")[0])
        rest(again)
        beside.goto(other, wait_until="commit")
        assert not complaints
        assert heard
        for address in (first, second):
            assert address.partition("token=")[2] not in "".join(heard)


@contextmanager
def listening(heard: list[str]) -> Iterator[str]:
    """Serve on another port of this machine, and note what is sent there; yield the address."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            heard.append(f"{self.path} {self.headers}")
            self.send_response(200)
            self.end_headers()

        def log_message(self, format: str, *args: Any) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}/"
        finally:
            server.shutdown()
            thread.join()


def test_the_pages_of_the_database_work_under_their_policy(tmp_path: Path) -> None:
    pytest.importorskip(
        "datasette", reason="Datasette is not installed: pip install 'epcg-workbench[datasette]'"
    )
    query = parse_query(
        'domain = "fling"\ngenerator = { name = "boards", width = 3, height = 3, pieces = 3 }\n'
        'evaluators = [{ name = "solvable" }]\nselect = [{ metric = "solvable", keep = "top", count = 3 }]\n'
    )
    epcg.answer(query, db=tmp_path / "epcg.db", executor="serial")
    with workbench(tmp_path, "fling") as address, open_page() as (page, complaints):
        page.goto(address)
        rest(page)
        root = address.partition("?")[0]
        for path in ("data/", "data/epcg", "data/epcg/kept", "data/epcg/run", "data/epcg/kept?_facet=rank"):
            page.goto(root + path)
        page.goto(f"{root}data/epcg?sql=select+count(*)+from+run")
        page.locator(".cm-editor, .CodeMirror").first.wait_for()  # the editor of SQL is made by scripts
        page.goto(f"{root}data/epcg/run")
        page.locator("th .dropdown-menu-icon, th svg").first.click()
        page.locator(".dropdown-menu").first.wait_for()
        assert not [text for text in complaints if "Content Security Policy" in text]


def test_a_lost_server_is_said_and_nothing_is_lost(tmp_path: Path) -> None:
    with open_page() as (page, _):
        with workbench(tmp_path, "o..o\n.o..\no..o") as address:
            page.goto(address)
            rest(page)
        before = text_of(page)
        drag(page, ["c3,3"])
        assert "does not answer" in page.locator("#lost").inner_text()
        assert (
            f"epcg workbench --port {page.url.split(':')[2].split('/')[0]}"
            in page.locator("#lost").inner_text()
        )
        assert text_of(page) == before
        assert before.replace("\n", "%0A") in page.url


def test_a_question_is_asked_by_form_and_text_run_and_looked_at(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A sentence, a form and TOML, all in step, comments kept; cost, run, pictures, brush, dots, table."""
    monkeypatch.chdir(tmp_path)
    with workbench(tmp_path) as address, open_page(1280, 800) as (page, complaints):
        page.goto(address)
        rest(page)
        page.click('a[href="#ask"]')
        page.wait_for_selector("#ask-of")
        rest(page)
        page.click("#ask-new")
        page.select_option("#ask-begin", "fling")
        page.click("#ask-of")
        page.click("#ask-toml-button")
        page.wait_for_selector('[data-part="generator"] [data-field="pieces"]')

        def written() -> str:
            return str(page.locator("#ask-text").input_value())

        page.fill("#ask-text", written().replace("[generator]", "# small boards\n[generator]"))
        for field, value in (("width", "4"), ("height", "3"), ("pieces", "5")):
            page.fill(f'[data-part="generator"] [data-field="{field}"]', value)
            page.press(f'[data-part="generator"] [data-field="{field}"]', "Tab")
            until(page, lambda line=f"{field} = {value}": line in written())  # type: ignore[misc]
        rest(page)
        said(page, "#ask-of", "all boards, 4 × 3, 5 pieces")
        page.select_option("#ask-metric", "solution/solution_branching")
        page.select_option("#ask-keep", "highest")
        until(page, lambda: 'keep = "highest"' in written())
        until(page, lambda: "solution_branching" in written() and '"solution"' in written())
        rest(page)
        page.click("#ask-add-condition")
        page.select_option("#ask-condition-0", "solution/piece_switches")
        page.fill("#ask-condition-0-number", "1")
        page.press("#ask-condition-0-number", "Tab")
        until(page, lambda: '{metric = "piece_switches", min = 1}' in written())
        rest(page)
        text = written()
        assert "# small boards" in text
        query = parse_query(text)
        assert query.generator.params == {"width": 4, "height": 3, "pieces": 5}
        assert (query.select[0].metric, query.select[0].keep) == ("solution_branching", "highest")
        said(page, "#ask-cost", "792 boards, about")
        page.fill("#ask-text", text.replace("width = 4", "width = 'wide'"))
        said(page, "#ask-cost", "not an integer")
        page.fill("#ask-text", text.replace("[generator]", "[generator"))
        said(page, "#ask-trouble", "line 4")
        page.fill("#ask-text", text)
        said(page, "#ask-cost", "792 boards, about")
        page.click("#ask-toml-button")
        page.click("#ask-of")
        shot(page, "ask-question")
        page.click("#ask-run")
        page.wait_for_selector("#ask-gallery img")
        rest(page)
        assert (tmp_path / "all-boards-4-3-5-pieces.toml").read_text().count("# small boards") == 1
        page.wait_for_selector('#ask-questions [aria-current="true"][data-file]')
        said(page, "#ask-tried", "all tried")
        run = epcg.open(tmp_path / "epcg.db").runs[-1]
        ranks, values = run.values("solution_branching")
        switches = dict(zip(*(each.tolist() for each in run.values("piece_switches")), strict=True))
        met = [v for r, v in zip(ranks.tolist(), values.tolist(), strict=True) if switches.get(r, 0) >= 1]
        said(page, "#ask-said", f"{len(met)} of 792")
        assert page.locator("#ask-gallery li").count() == query.select[0].count
        best = page.locator("#ask-gallery li .open b").first.inner_text()
        assert float(best) == pytest.approx(max(met), rel=1e-3)

        # another wish is answered from what is recorded
        page.select_option("#ask-keep", "lowest")
        until(
            page,
            lambda: (
                float(page.locator("#ask-gallery li .open b").first.inner_text())
                == pytest.approx(min(met), rel=1e-3)
            ),
        )
        rest(page)
        name = page.locator("#ask-histogram .brushed").get_attribute("aria-label") or ""
        assert re.match(r"How many have each value of .+\. Drag over columns to see some of them only", name)
        box = page.locator("#ask-histogram svg").bounding_box()
        assert box is not None
        page.mouse.move(box["x"] + 1, box["y"] + 30)
        page.mouse.down()
        page.mouse.move(box["x"] + 0.4 * box["width"], box["y"] + 30, steps=3)
        page.mouse.up()
        said(page, "#ask-count", "as wished in these columns")
        rest(page)
        low, high = (float(page.locator(f"#ask-{end}").input_value()) for end in ("low", "high"))
        inside = sum(low <= each <= high for each in met)
        said(page, "#ask-count", f"{inside} as wished in these columns")
        shot(page, "ask-answers")
        page.click("#ask-everything")
        said(page, "#ask-count", f"{query.select[0].count} kept")
        page.click("#ask-tab-table")
        assert page.locator("#ask-table tbody tr").count() == query.select[0].count
        page.click("#ask-tab-two")
        page.select_option("#ask-second", "piece_switches")
        page.wait_for_selector("#ask-scatter circle")
        rest(page)
        assert page.locator("#ask-scatter circle").count() == len(values)
        page.click("#ask-cite")
        said(page, "#ask-citation", "fling:boards?height=3&pieces=5&width=4, run 1, digest ")
        page.click("#ask-tab-pictures")
        page.locator("#ask-gallery li button").nth(1).click()
        rest(page)
        page.get_by_role("button", name="Draw on").click()
        page.wait_for_selector("#bench:not([hidden])")
        rest(page)
        assert text_of(page).count("o") == 5
        assert complaints == []


def test_a_part_of_an_answer_is_told_with_intervals_and_gone_on_with(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    text = (
        'title = "Five"\ndomain = "fling"\n[generator]\nname = "boards"\nwidth = 5\nheight = 4\npieces = 5\n'
        '[[evaluators]]\nname = "solution"\n[[select]]\nmetric = "solution_branching"\nkeep = "highest"\n'
    )
    (tmp_path / "five.toml").write_text(text)
    with workbench(tmp_path) as address, open_page(1280, 800) as (page, complaints):
        page.goto(address)
        rest(page)
        page.click('a[href="#ask"]')
        page.wait_for_selector('#ask-questions [data-file="five.toml"]')
        rest(page)
        page.click("#ask-sample")
        page.wait_for_selector("#ask-histogram .interval")
        rest(page)
        said(page, "#ask-tried", "1,000 of 15,504 tried, by chance")
        words = page.locator("#ask-said").inner_text()
        assert words.startswith("Of the 1,000 tried: ")
        assert re.search(r"Of all 15,504, some [\d,]+ to [\d,]+ are as wished \(95 % sure\)\.", words)
        tips = page.locator("#ask-histogram title").all_text_contents()
        assert tips
        assert all(re.search(r"some [\d,]+ to [\d,]+ of 15,504", tip) for tip in tips)
        assert page.locator("#ask-histogram .interval").count() == len(tips)
        for never in ("proven", "all tried", "each of"):
            assert never not in page.locator("#ask").inner_text().lower()
        shot(page, "ask-sample")
        page.click("#ask-resume")
        page.locator("#ask-tried", has_text="all tried").and_(page.locator(".yes")).wait_for()
        rest(page)
        assert page.locator("#ask-histogram .interval").count() == 0
        assert complaints == []

"""The pictures of the workbench, taken in a real browser: python docs/make_workbench_pictures.py."""

import re
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from playwright.sync_api import Page

from tests.whole.browser.chromium import open_page

PICTURES = Path(__file__).with_name("pictures")
AT_REST = 'body[aria-busy="false"]'


def main() -> None:
    """Take them all."""
    with tempfile.TemporaryDirectory() as folder:
        command = [
            sys.executable,
            "-m",
            "epcg_core.cli",
            "workbench",
            "--no-open",
            "--db",
            f"{folder}/epcg.db",
        ]
        (Path(folder) / "course.toml").write_text(PLAN)
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=folder) as server:
            try:
                assert server.stdout is not None
                found = re.search(r"http://\S+", server.stdout.readline())
                assert found is not None
                take(found[0])
            finally:
                server.terminate()


def take(address: str) -> None:
    """Take the pictures of a workbench."""
    with open_page(1100, 760) as (page, _):
        page.goto(address)
        page.wait_for_selector(AT_REST)
        page.screenshot(path=PICTURES / "workbench_start.png")
        page.click('[data-title="A Push for a Friend"]')
        page.wait_for_selector(AT_REST)
        page.screenshot(path=PICTURES / "workbench_edit.png")
        page.click('[data-mode="analyse"]')
        page.click("#analyse")
        page.locator("#progress", has_text="All of them").wait_for()
        page.screenshot(path=PICTURES / "workbench_analyse.png")
        sketch(page)
        ask(page)
        curricula(page)


def sketch(page: Page) -> None:
    """Open six places of a level, and find the hardest completions."""
    page.click('[data-mode="sketch"]')
    for mark in ("ground", "spikes"):
        page.check(f'#sketch-marks input[value="{mark}"]')
    for site in ("c1,4", "c2,4", "c1,5", "c2,5", "c3,5", "c3,4"):
        page.locator(f'#board [data-site="{site}"]').click()
    page.locator("#sketch-count", has_text="All of them take").wait_for()
    page.click("#sketch-run")
    page.locator("#sketch-found button").first.wait_for()
    page.wait_for_selector(AT_REST)
    page.screenshot(path=PICTURES / "workbench_sketch.png", full_page=True)


QUESTION = """domain = "fling"

[generator]
name = "boards"
width = 5
height = 4
pieces = 5

[[evaluators]]
name = "solution"

[[select]]
metric = "solution_branching"
keep = "top"
"""


def ask(page: Page) -> None:
    """Ask for boards, and look at the answers."""
    page.click('a[href="#ask"]')
    page.wait_for_selector("#ask-fields fieldset")
    page.wait_for_selector(AT_REST)
    page.fill("#ask-text", QUESTION)
    page.locator("#ask-cost", has_text="candidates").wait_for()
    page.click("#ask-run")
    page.locator("#ask-progress", has_text="Recorded as run").wait_for()
    page.select_option("#ask-metric", "solution_branching")
    page.select_option("#ask-second", "piece_switches")
    page.wait_for_selector("#ask-scatter circle")
    page.set_viewport_size({"width": 1100, "height": 1000})
    page.locator("#ask-gallery").scroll_into_view_if_needed()
    page.locator("#ask-gallery img").first.wait_for()
    page.evaluate("document.querySelector('#ask-runs').scrollIntoView()")
    page.wait_for_timeout(4000)
    page.screenshot(path=PICTURES / "workbench_ask.png")


PLAN = """title = "Three balls and more"

[[chapters]]
name = "three"
title = "Three balls"
query = "fling/best_by_expert_ratio"
set = { generator = { pieces = 3 } }
rows = "all"
measure = "expert_tree"
strategy = { name = "evenly", apart = 0.5 }
count = 5
distinct = true

[[chapters]]
name = "four"
title = "Four balls"
query = "fling/best_by_expert_ratio"
set = { generator = { pieces = 4 } }
rows = "all"
filters = [{ measure = "expert_tree", min = 8 }]
measure = "expert_tree"
strategy = { name = "evenly", apart = 0.5 }
count = 5
distinct = true
"""


def curricula(page: Page) -> None:
    """Build a plan, and look at what it chooses."""
    page.set_viewport_size({"width": 1100, "height": 1000})
    page.click('a[href="#curricula"]')
    page.wait_for_selector("#plan-chapters .chapter")
    page.click("#plan-build")
    page.locator("#plan-progress", has_text="is recorded").wait_for()
    page.locator("#plan-chapters .new", has_text="most so far").last.wait_for()
    page.evaluate(
        "for (const id of ['plan-folder', 'plan-progress']) document.getElementById(id).textContent = ''"
    )
    page.evaluate("scrollTo(0, 0)")
    page.wait_for_timeout(4000)
    page.screenshot(path=PICTURES / "workbench_curricula.png")


if __name__ == "__main__":
    main()

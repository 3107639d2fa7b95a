"""Panels that depart from the default rules are played in the workbench: the solution, by pointer."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.whole.browser.chromium import browser_marks, open_page
from tests.whole.browser.test_workbench import paste, rest, shot, solve, text_of, workbench

pytestmark = browser_marks("starlette")
PANELS = {
    "pillar": """
E---+---+---E---+---+---E
|   | a |   |   | b |   |
+---+---+---+---+---1---+
|   | a |   : b |   |   |
S---+---+---S---+---+---S
a: square black
b: square white
symmetry: parallel
shape: pillar
variant: game
""",
    "round": """
+---+-E-+---+
|   | a |   |
S---+---+---S
|   |   |   |
+-*-+---+---+
a: triangles 3
shape: pillar
variant: game
""",
    "in_edges": """
+...+-E-+---+
| a | b |   S
+---+---+---+
|   |   |   |
+---+- -+---+
a: square white
b: triangles 3
""",
    "two_lines": """
E---+---+---E
|   | c |   |
+---+---+---+
| b | a | c |
S---+---+---S
a: eraser
b: square black
c: square white
symmetry: horizontal
""",
}


@pytest.mark.parametrize("name", PANELS)
def test_the_solution_is_played_by_pointer(name: str, tmp_path: Path) -> None:
    with workbench(tmp_path) as address, open_page() as (page, complaints):
        page.goto(address)
        rest(page)
        paste(page, PANELS[name].strip("\n"), "witness")
        page.wait_for_selector("#bench:not([hidden])")
        rest(page)
        assert text_of(page).splitlines()[0] == PANELS[name].strip("\n").splitlines()[0]
        shot(page, f"witness-{name}")
        page.locator('[data-metric="muse"] .why').wait_for(state="attached")  # a long sentence
        assert page.evaluate("document.documentElement.scrollWidth") <= 1200
        assert solve(page)
        shot(page, f"witness-{name}-play")
        assert complaints == []

"""The tutorial's hour, walked in a real browser, and what its text says of it."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from types import ModuleType

from tests.whole.browser.chromium import browser_marks, open_page

pytestmark = browser_marks("starlette")
DOCS = Path(__file__).parents[3] / "docs"
NUMBERS = ["17 moves", "192 changes", "25 moves", "729 ways", "337 of the 729", "47 moves", "717 others"]
"""What the text says, which the steps wait for, or which is asked for below."""


def hour() -> ModuleType:
    """Load the steps, which are a script of the pages."""
    spec = importlib.util.spec_from_file_location("hour", DOCS / "make_workbench_pictures.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_hour_of_the_tutorial_leads_to_a_booklet_and_a_page_for_a_friend(tmp_path: Path) -> None:
    steps = hour()
    text = (DOCS / "tutorial.md").read_text(encoding="utf-8")
    shown: list[str] = []
    with steps.served(tmp_path) as address, open_page(1280, 800) as (page, complaints):
        page.goto(address)
        for step in steps.STEPS:
            step(page, shown.append)
            if step is steps.fill:
                assert page.locator("#sketch-found").inner_text().startswith("47 moves")
        assert complaints == []
    for name in shown:
        assert f"(pictures/workbench_{name}.png)" in text
    for words in NUMBERS:
        assert words in text
    folder = tmp_path / "games" / "crates"
    assert {"game.txt", "crates.toml", "crates.html", "crates-page.html", "epcg.db"} <= {
        path.name for path in folder.iterdir()
    }

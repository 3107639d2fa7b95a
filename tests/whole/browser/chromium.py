"""A real browser, where one is installed: Debian's chromium, driven by playwright."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from playwright.sync_api import Page

FLAGS = [
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
    "--disable-background-networking", "--disable-component-update", "--disable-sync",
]  # fmt: skip
LOADED = "image => image.complete && image.naturalWidth > 0"
PATIENCE_MS = 120_000


def chromium() -> str | None:
    """Where it is installed."""
    return shutil.which("chromium")


NEEDED = {
    "starlette": "Starlette is not installed: pip install epcg-workbench",
    "playwright": "playwright is not installed: pip install playwright",
    "epcg_puzzlescript": "PuzzleScript is not installed: pip install epcg-puzzlescript",
}
"""What tests in a browser may need, each with the sentence if it is missing."""


def browser_marks(*modules: str) -> list[pytest.MarkDecorator]:
    """Skip a module of tests if something of NEEDED is missing, and return the marks of its tests."""
    for name in ("playwright", *modules):
        pytest.importorskip(name, reason=NEEDED[name])
    reason = "chromium is not installed: apt-get install chromium"
    return [pytest.mark.slow, pytest.mark.skipif(chromium() is None, reason=reason)]


@contextmanager
def open_page(width: int = 1200, height: int = 900, touch: bool = False) -> Iterator[tuple[Page, list[str]]]:
    """A page of a new browser, and what it complains about on its console."""
    from playwright.sync_api import sync_playwright

    complaints: list[str] = []
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium(), args=FLAGS, timeout=PATIENCE_MS)
        try:
            page = browser.new_context(
                viewport={"width": width, "height": height}, has_touch=touch
            ).new_page()
            page.set_default_timeout(PATIENCE_MS)
            page.on(
                "console", lambda m: complaints.append(m.text) if m.type in ("error", "warning") else None
            )
            page.on("pageerror", lambda error: complaints.append(str(error)))
            yield page, complaints
        finally:
            browser.close()


def finger(page: Page, *points: tuple[float, float]) -> None:
    """Put a finger on the screen, move it over points, and lift it, as a device tells it."""
    touch = page.context.new_cdp_session(page)
    for number, (x, y) in enumerate(points):
        kind = "touchMove" if number else "touchStart"
        touch.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": [{"x": x, "y": y}]})
    touch.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})
    touch.detach()


def wait_for_pictures(page: Page, selector: str, count: int) -> int:
    """Wait until the first `count` pictures have been loaded; returns how many there are."""
    found = page.locator(selector)
    found.nth(count - 1).wait_for(state="attached")
    for position in range(count):
        picture = found.nth(position)
        picture.scroll_into_view_if_needed()
        picture.evaluate(
            f"async image => {{ await image.decode(); if (!({LOADED})(image)) throw image.src; }}"
        )
    page.evaluate("window.scrollTo(0, 0)")
    return found.count()

"""A real browser, where one is installed: Debian's chromium, driven by playwright."""

from __future__ import annotations

import asyncio
import os
import re
import shutil
from asyncio import AbstractEventLoop
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page, Playwright

FLAGS = [
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
    "--disable-background-networking", "--disable-component-update", "--disable-sync",
]  # fmt: skip
LOADED = "image => image.complete && image.naturalWidth > 0"
SCREENS = pytest.mark.parametrize(
    ("width", "scheme"),
    [
        (1200, "light"),
        (390, "dark"),
        pytest.param(1200, "dark", marks=pytest.mark.nightly),
        pytest.param(390, "light", marks=pytest.mark.nightly),
    ],
)
"""Both widths and both schemes of colours, which do not depend on each other."""
PATIENCE_MS = 120_000
FAILED = Path(__file__).parents[3] / "build" / "failed"
"""Where a picture is kept of each page that a test failed on."""


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


class Kept:
    """A browser that the tests of a module share: its start takes longer than most of what they do."""

    def __init__(self) -> None:
        self._playwright: Playwright | None = None
        self._browser: Browser | None = None
        self._loop: AbstractEventLoop | None = None

    @contextmanager
    def used(self) -> Iterator[Browser]:
        """Start it if need be. What runs between two uses may have an event loop of its own."""
        before = asyncio._get_running_loop()
        try:
            yield self._started()
        finally:
            asyncio._set_running_loop(before)

    def _started(self) -> Browser:
        if self._browser is not None and self._browser.is_connected():
            asyncio._set_running_loop(self._loop)
            return self._browser
        self.close()
        from playwright.sync_api import sync_playwright

        self._playwright = sync_playwright().start()
        self._loop = asyncio.get_running_loop()
        self._browser = self._playwright.chromium.launch(
            executable_path=chromium(), args=FLAGS, timeout=PATIENCE_MS
        )
        return self._browser

    def close(self) -> None:
        if self._playwright is None:
            return
        before = asyncio._get_running_loop()
        asyncio._set_running_loop(self._loop)
        try:
            if self._browser is not None:
                self._browser.close()  # else it would be killed, and not waited for
            self._playwright.stop()
        finally:
            self._playwright = self._browser = self._loop = None
            asyncio._set_running_loop(before)


KEPT = Kept()


@contextmanager
def new_page(width: int, height: int, touch: bool = False, **options: Any) -> Iterator[Page]:
    """A page that knows nothing of former pages. If the test fails, a picture of the page is kept."""
    screen: Any = {"width": width, "height": height}
    with (
        KEPT.used() as browser,
        browser.new_context(viewport=screen, has_touch=touch, **options) as context,
    ):
        context.set_default_timeout(PATIENCE_MS)
        page = context.new_page()
        try:
            yield page
        except Exception as problem:
            with suppress(Exception):  # perhaps the page is closed, or the browser has died
                problem.add_note(f"The page looked like this: {picture(page)}")
            raise


def picture(page: Page) -> Path:
    """Keep what a page shows under the name of the test that runs."""
    test = os.environ.get("PYTEST_CURRENT_TEST", "page").rpartition("::")[2].rpartition(" ")[0]
    name = re.sub(r"[^-.\w]+", "-", test)[:100]
    path = FAILED / f"{name}.png"
    page.screenshot(path=path, timeout=10_000)
    return path


@contextmanager
def open_page(width: int = 1200, height: int = 900, touch: bool = False) -> Iterator[tuple[Page, list[str]]]:
    """A new page, and what it complains about on its console."""
    complaints: list[str] = []
    with new_page(width, height, touch) as page:
        page.on("console", lambda m: complaints.append(m.text) if m.type in ("error", "warning") else None)
        page.on("pageerror", lambda error: complaints.append(str(error)))
        yield page, complaints


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

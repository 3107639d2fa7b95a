"""The published levels and golden numbers, where they are at hand."""

from __future__ import annotations

import json
import warnings
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from epcg_snakebird.formats.drawing import read_level
from epcg_snakebird.formats.text import LevelWarning
from epcg_snakebird.rules.level import Level

SHARED = Path(__file__).parents[3] / "shared"
LEVELS = SHARED / "data/snakebird"
GOLDEN = SHARED / "golden/snakebird.json"
TRANSITIONS = SHARED / "golden/snakebird_transitions.json"


@cache
def _read(path: Path) -> Any:
    return json.loads(path.read_text(encoding="utf-8"))


def shared_json(path: Path) -> Any:
    """The content of a shared file; skips the test where it is not at hand."""
    if not path.is_file():
        pytest.skip(f"{path.name} is not at hand")
    return _read(path)


def real_level(name: str) -> Level:
    """A published level by its name; skips the test where it is not at hand."""
    if not LEVELS.is_dir():
        pytest.skip("the published levels are not at hand")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", LevelWarning)
        return read_level(LEVELS / f"{name}.map")

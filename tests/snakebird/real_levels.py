"""The published levels and transitions of games, if they are beside this repository."""

from __future__ import annotations

import warnings

from epcg_snakebird.formats.drawing import read_level
from epcg_snakebird.formats.text import LevelWarning
from epcg_snakebird.rules.level import Level

from tests.workplace import SHARED, shared

LEVELS = SHARED / "data/snakebird"
TRANSITIONS = "golden/snakebird_transitions.json"


def real_level(name: str) -> Level:
    """A published level by its name; skips the test if it is not at hand."""
    path = shared(f"data/snakebird/{name}.map")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", LevelWarning)
        return read_level(path)

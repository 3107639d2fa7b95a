"""The domain of toy_lands.py alone."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from epcg_core.runs.coordinator import Options
from tests.core.search.components.place import Lands

SOURCE = Path(__file__).with_name("toy_lands.py")


@pytest.fixture
def place(alone: Callable[[str, str, str], Path]) -> Lands:
    return Lands(
        alone("lands", "epcg_lands", SOURCE.read_text(encoding="utf-8")), Options("serial", 2, quiet=True)
    )

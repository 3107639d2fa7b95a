"""The domain of `classics.py` alone, and questions to it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from epcg_core.runs.coordinator import Options
from tests.core.search.published.place import Classics

SOURCE = Path(__file__).with_name("classics.py")


@pytest.fixture
def place(alone: Callable[[str, str, str], Path]) -> Classics:
    folder = alone("classics", "epcg_classics", SOURCE.read_text(encoding="utf-8"))
    return Classics(folder, Options("serial", 2, quiet=True))

"""The domain of toy_graphs.py alone."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from epcg_core.runs.coordinator import Options
from tests.core.search.breadth_first.place import Graphs

SOURCE = Path(__file__).with_name("toy_graphs.py")


@pytest.fixture
def place(alone: Callable[[str, str, str], Path]) -> Graphs:
    return Graphs(
        alone("graphs", "epcg_graphs", SOURCE.read_text(encoding="utf-8")), Options("serial", 2, quiet=True)
    )

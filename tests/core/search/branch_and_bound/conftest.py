"""The domain of toy_sets.py alone."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from epcg_core.runs.coordinator import Options
from tests.core.search.branch_and_bound.place import Sets

SOURCE = "from tests.core.search.branch_and_bound.toy_sets import *\n"
"""The module where the kernels stay, so that they are compiled once."""


@pytest.fixture
def place(alone: Callable[[str, str, str], Path]) -> Sets:
    return Sets(alone("sets", "epcg_sets", SOURCE), Options("serial", 2, quiet=True))

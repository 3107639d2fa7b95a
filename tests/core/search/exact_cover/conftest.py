"""The toy domain `dominoes` alone."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.core.search.exact_cover.place import Tilings

SOURCE = "from tests.core.search.exact_cover.toy_dominoes import *\n"


@pytest.fixture
def place(alone: Callable[[str, str, str], Path]) -> Tilings:
    return Tilings(alone("dominoes", "epcg_dominoes", SOURCE))

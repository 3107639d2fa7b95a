"""A place where things go wrong on purpose."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.forks.forked import Coordinators
from tests.whole.faults.place import Faults

SOURCE = Path(__file__).with_name("fault_plugin.py")


@pytest.fixture
def place(alone: Callable[[str, str, str], Path]) -> Faults:
    """The domain of fault_plugin.py alone."""
    return Faults(alone("faults", "epcg_faults", SOURCE.read_text(encoding="utf-8")))


@pytest.fixture
def coordinators(place: Faults) -> Iterator[Coordinators]:
    """Starts coordinators at once, in forks."""
    with Coordinators(place.folder) as made:
        yield made

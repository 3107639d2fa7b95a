"""A place where things go wrong on purpose."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.faults.forked import Coordinators
from tests.faults.place import Place, Processes

SOURCE = Path(__file__).with_name("fault_plugin.py")


@pytest.fixture
def place(
    install_plugin: Callable[[str, str, str, str], None], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Place:
    """The domain of fault_plugin.py alone, in an empty working directory without EPCG_DB."""
    monkeypatch.setenv("EPCG_PLUGINS", "faults")
    for name in [key for key in os.environ if key == "EPCG_DB" or key.startswith("EPCG_TEST_")]:
        monkeypatch.delenv(name, raising=False)
    install_plugin("faults", "epcg_faults", SOURCE.read_text(encoding="utf-8"), "epcg-faults")
    folder = tmp_path / "work"
    folder.mkdir()
    monkeypatch.chdir(folder)
    return Place(folder)


@pytest.fixture
def coordinators(place: Place) -> Iterator[Coordinators]:
    """Starts coordinators at once, in forks."""
    with Coordinators(place.folder) as made:
        yield made


@pytest.fixture
def processes() -> Iterator[Processes]:
    """Starts coordinators; whatever is left of them after the test is killed."""
    with Processes() as made:
        yield made

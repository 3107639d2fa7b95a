"""The domain of toy_sets.py alone, and a database in an empty folder."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.branch_and_bound.place import Place
from tests.faults.place import Processes

ROOT = str(Path(__file__).resolve().parents[2])
SOURCE = (
    "from tests.branch_and_bound.toy_sets import *  # where kernels stay, so that they are compiled once\n"
)


@pytest.fixture
def place(
    install_plugin: Callable[[str, str, str, str], None], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Place:
    """An empty working directory without EPCG_DB."""
    monkeypatch.setenv("EPCG_PLUGINS", "sets")
    for name in ("EPCG_DB", "EPCG_TEST_PAUSE", "EPCG_TEST_UNIT"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join((os.environ["PYTHONPATH"], ROOT)))
    install_plugin("sets", "epcg_sets", SOURCE, "epcg-sets")
    folder = tmp_path / "work"
    folder.mkdir()
    monkeypatch.chdir(folder)
    return Place(folder)


@pytest.fixture
def processes() -> Iterator[Processes]:
    """Starts coordinators; whatever is left of them after the test is killed."""
    with Processes() as made:
        yield made

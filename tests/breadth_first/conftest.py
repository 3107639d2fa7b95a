"""The domain of toy_graphs.py alone, and a database in an empty folder."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.breadth_first.place import Place
from tests.faults.place import Processes

SOURCE = Path(__file__).with_name("toy_graphs.py")


@pytest.fixture
def place(
    install_plugin: Callable[[str, str, str, str], None], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Place]:
    """An empty working directory without EPCG_DB."""
    monkeypatch.setenv("EPCG_PLUGINS", "graphs")
    for name in ("EPCG_DB", "EPCG_TEST_PAUSE", "EPCG_TEST_UNIT"):
        monkeypatch.delenv(name, raising=False)
    install_plugin("graphs", "epcg_graphs", SOURCE.read_text(encoding="utf-8"), "epcg-graphs")
    folder = tmp_path / "work"
    folder.mkdir()
    monkeypatch.chdir(folder)
    yield Place(folder)
    sys.modules.pop("epcg_graphs", None)


@pytest.fixture
def processes() -> Iterator[Processes]:
    """Starts coordinators; whatever is left of them after the test is killed."""
    with Processes() as made:
        yield made

"""The domain of toy_lands.py alone."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from epcg_core.runs.coordinator import Options
from epcg_core.search import layer_files
from tests.core.search.components.place import Lands

SOURCE = Path(__file__).with_name("toy_lands.py")


@pytest.fixture
def place(alone: Callable[[str, str, str], Path]) -> Lands:
    return Lands(
        alone("lands", "epcg_lands", SOURCE.read_text(encoding="utf-8")), Options("serial", 2, quiet=True)
    )


@pytest.fixture
def disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where layers lie that do not fit in memory, in small pieces."""
    folder = tmp_path / "disk"
    folder.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(folder))
    monkeypatch.setattr(layer_files, "HELD", 16)
    monkeypatch.setattr(layer_files, "BATCH", 3)
    return folder

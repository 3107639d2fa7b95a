"""The domain of toy_lands.py, and a disk of a test's own."""

from __future__ import annotations

from pathlib import Path

import pytest

from epcg_core.search import layer_files
from tests.core.search.components.conftest import place

__all__ = ["disk", "place"]


@pytest.fixture
def disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where layers lie that do not fit in memory, in small pieces."""
    folder = tmp_path / "disk"
    folder.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(folder))
    monkeypatch.setattr(layer_files, "HELD", 16)
    monkeypatch.setattr(layer_files, "BATCH", 3)
    return folder

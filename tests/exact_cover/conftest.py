"""The toy domain `dominoes` alone, installed for the test."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.exact_cover.place import Place

SOURCE = "from tests.exact_cover.toy_dominoes import *\n"


@pytest.fixture
def place(
    install_plugin: Callable[[str, str, str, str], None], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Place:
    root = str(Path(__file__).resolve().parents[2])
    monkeypatch.setenv("EPCG_PLUGINS", "dominoes")
    monkeypatch.delenv("EPCG_DB", raising=False)
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join((os.environ["PYTHONPATH"], root)))
    install_plugin("dominoes", "epcg_dominoes", SOURCE, "epcg-dominoes")
    return Place(tmp_path / "epcg.db")

"""The numbers that the tangram must reproduce."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

import pytest

PATH = Path(__file__).resolve().parents[3] / "shared" / "golden" / "tangram.json"


@cache
def golden() -> dict[str, Any]:
    """The golden file. Skips the test where it is absent."""
    if not PATH.exists():
        pytest.skip(f"there is no {PATH.name}, the file of golden numbers")
    found: dict[str, Any] = json.loads(PATH.read_text(encoding="utf-8"))
    return found

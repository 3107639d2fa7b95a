"""The domain of toy_lands.py, and a disk of a test's own, as for components."""

from __future__ import annotations

from tests.core.search.components.conftest import disk, place

__all__ = ["disk", "place"]

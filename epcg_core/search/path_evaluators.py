"""Forward the names that plugins imported from here (deprecated)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from epcg_core.plugins.facade import moved

if not TYPE_CHECKING:
    __getattr__ = moved(__name__, "epcg_core.search.shortest_path.evaluators")

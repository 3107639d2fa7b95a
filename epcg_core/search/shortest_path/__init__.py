"""Shortest solutions of puzzles that are played, from scratch or by reusing those of similar puzzles."""

from __future__ import annotations

from typing import TYPE_CHECKING

from epcg_core.plugins.facade import moved

if not TYPE_CHECKING:
    __getattr__ = moved(__name__, "epcg_core.search.shortest_path.solver")

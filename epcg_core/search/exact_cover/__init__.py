"""Exact cover: all covers of a problem modulo its symmetries."""

from __future__ import annotations

from typing import TYPE_CHECKING

from epcg_core.plugins.facade import moved

if not TYPE_CHECKING:
    __getattr__ = moved(__name__, "epcg_core.search.exact_cover.solver")

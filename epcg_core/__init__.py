"""Exhaustive procedural content generation: generate all content of a kind, evaluate it, keep the best.

import epcg_core as epcg

epcg.answer("query.toml", {"generator.size": 4})   # see epcg_core.api
"""

from importlib.metadata import version as _version
from typing import TYPE_CHECKING, Any

__version__ = _version("epcg-core")

API_VERSION = 1
"""The version of the plugin API; a plugin module declares the version that it supports as
`EPCG_API_VERSION`."""

from epcg_core.plugins.hookspecs import hookimpl  # noqa: E402

if TYPE_CHECKING:
    from epcg_core.api import (
        Curriculum,
        Database,
        Puzzle,
        Puzzles,
        Run,
        Table,
        answer,
        build_curriculum,
        open,
    )

__all__ = [
    "API_VERSION",
    "Curriculum",
    "Database",
    "Puzzle",
    "Puzzles",
    "Run",
    "Table",
    "__version__",
    "answer",
    "build_curriculum",
    "hookimpl",
    "open",
]


def __getattr__(name: str) -> Any:
    """Import names of `epcg_core.api` on first access, so that listing plugins stays fast."""
    if name not in __all__:
        raise AttributeError(f"module 'epcg_core' has no attribute '{name}'")
    from epcg_core import api

    return getattr(api, name)

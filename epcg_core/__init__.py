"""Exhaustive procedural content generation: generate all content of a kind, evaluate it, keep the best.

import epcg_core as epcg

epcg.answer("query.toml", {"generator.size": 4})   # see epcg_core.api

Names are imported when they are first used, so that listings and help stay light.
"""

from typing import TYPE_CHECKING, Any

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
    from epcg_core.browsing.notebook import edit
    from epcg_core.plugins import API_VERSION, hookimpl
    from epcg_core.plugins.register import register

    __version__: str

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
    "edit",
    "hookimpl",
    "open",
    "register",
]


def __getattr__(name: str) -> Any:
    if name == "__version__":
        from epcg_core.plugins.installed import version

        return version("epcg-core")
    if name not in __all__:
        raise AttributeError(f"module 'epcg_core' has no attribute '{name}'")
    from epcg_core import plugins

    if name in plugins.__all__:
        return getattr(plugins, name)
    if name == "register":
        from epcg_core.plugins.register import register

        return register
    if name == "edit":
        from epcg_core.browsing.notebook import edit

        return edit
    from epcg_core import api

    return getattr(api, name)

"""Exhaustive procedural content generation: generate all content of a kind, evaluate it, keep the best.

import epcg_core as epcg

epcg.answer("query.toml", {"generator.size": 4})   # see epcg_core.api

Names are imported when they are first used, so that listings and help stay light. Plugins import from
`epcg_core.plugin`.
"""

from importlib.util import find_spec
from typing import TYPE_CHECKING

from epcg_core.plugins.facade import facade

if TYPE_CHECKING:
    from epcg_core.api import (
        Curriculum as Curriculum,
        Database as Database,
        Puzzle as Puzzle,
        Puzzles as Puzzles,
        Run as Run,
        Table as Table,
        answer as answer,
        build_curriculum as build_curriculum,
        open as open,
    )
    from epcg_core.plugins import API_VERSION as API_VERSION, hookimpl as hookimpl
    from epcg_core.plugins.register import register as register

    __version__: str
else:
    _load, _dir, __all__ = facade(__name__, __file__)

    def __getattr__(name):
        if name == "__version__":
            from epcg_core.plugins.installed import version

            return version("epcg-core")
        if name in __all__ or name.startswith("_") or find_spec(f"{__name__}.{name}"):
            return _load(name)
        from epcg_core.services.methods import added

        return added(name)

    def __dir__():
        from epcg_core.services.methods import MODULE, names_of

        return [*_dir(), *names_of(MODULE)]

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
    from epcg_core.api.answering import (
        Answer as Answer,
        answer as answer,
        estimate as estimate,
        resume as resume,
    )
    from epcg_core.api.asking import sql as sql
    from epcg_core.api.changing import (
        forget as forget,
        materialize as materialize,
        merge as merge,
        upgrade as upgrade,
    )
    from epcg_core.api.checking import (
        Verification as Verification,
        verify as verify,
        verify_curriculum as verify_curriculum,
    )
    from epcg_core.api.converting import (
        convert as convert,
        formats as formats,
    )
    from epcg_core.api.curricula import (
        build_curriculum as build_curriculum,
        estimate_curriculum as estimate_curriculum,
        list_curricula as list_curricula,
        show_curriculum as show_curriculum,
    )
    from epcg_core.api.drawing import (
        Picture as Picture,
        render as render,
    )
    from epcg_core.api.ledger import (
        list_runs as list_runs,
        show as show,
        top as top,
    )
    from epcg_core.api.listing import domains as domains
    from epcg_core.api.objects import (
        Curriculum as Curriculum,
        Database as Database,
        Run as Run,
        open as open,
    )
    from epcg_core.api.puzzles import (
        Puzzle as Puzzle,
        Puzzles as Puzzles,
    )
    from epcg_core.api.report import (
        Note as Note,
        Report as Report,
        Table as Table,
    )
    from epcg_core.api.scoring import (
        Score as Score,
        score as score,
    )
    from epcg_core.base.errors import EpcgError as EpcgError
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
        from epcg_core.plugins.methods import added

        return added(name)

    def __dir__():
        from epcg_core.plugins.methods import MODULE, names_of

        return [*_dir(), *names_of(MODULE)]

"""Queries, runs, and the database that holds them: for commands, studies and faces."""

from __future__ import annotations

from typing import TYPE_CHECKING

from epcg_core.plugins.facade import facade

if TYPE_CHECKING:
    from epcg_core.execution import (
        Executor as Executor,
        Unit as Unit,
        Work as Work,
        make_executor as make_executor,
    )
    from epcg_core.plugins.registry import (
        registry as registry,
    )
    from epcg_core.query.named import (
        load_query as load_query,
    )
    from epcg_core.query.query import (
        PartRef as PartRef,
        Query as Query,
        from_data as from_data,
        load as load,
    )
    from epcg_core.query.spec import (
        PartSpec as PartSpec,
        SpaceSpec as SpaceSpec,
    )
    from epcg_core.runs.coordinator import (
        Coordinator as Coordinator,
        Options as Options,
        Outcome as Outcome,
        execute as execute,
    )
    from epcg_core.services.columns import (
        Wanted as Wanted,
        columns as columns,
    )
    from epcg_core.store import (
        Reader as Reader,
        RunRecord as RunRecord,
        Store as Store,
    )
    from epcg_core.store.extensions import (
        has_tables as has_tables,
        make_tables as make_tables,
    )
    from epcg_core.verification.reproduce import (
        Bench as Bench,
    )
    from epcg_core.verification.verify import (
        verify as verify,
    )
else:
    __getattr__, __dir__, __all__ = facade(__name__, __file__)

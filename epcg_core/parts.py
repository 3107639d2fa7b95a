"""The core's own plugin: its searches, registered through the hooks like everybody's parts."""

from __future__ import annotations

from collections.abc import Callable

from epcg_core import API_VERSION, hookimpl
from epcg_core.domain import SearchInfo
from epcg_core.search.params import ExhaustiveParams, RetrogradeParams

EPCG_API_VERSION = API_VERSION


@hookimpl
def epcg_register_searches(register: Callable[[SearchInfo], None]) -> None:
    register(
        SearchInfo(
            name="exhaustive",
            summary="evaluate every rank (Sturtevant & Ota 2018, Algorithm 1)",
            params=ExhaustiveParams,
            factory="epcg_core.search.exhaustive:ExhaustiveSearch",
        )
    )
    register(
        SearchInfo(
            name="retrograde",
            summary="solve layer by layer from the bottom (Sturtevant & Ota 2018, Algorithm 5)",
            params=RetrogradeParams,
            factory="epcg_core.search.retrograde:RetrogradeSearch",
        )
    )

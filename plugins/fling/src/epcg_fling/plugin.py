"""What the Fling! plugin registers. Light: no kernel is imported until a part is made."""

from __future__ import annotations

from collections.abc import Callable

from epcg_core import hookimpl
from epcg_core.domain import DomainInfo

EPCG_API_VERSION = 1


@hookimpl
def epcg_register_domains(register: Callable[[DomainInfo], None]) -> None:
    register(
        DomainInfo(
            "fling",
            "Fling!",
            "fling pieces at each other until one is left; boards are sets of cells",
        )
    )

"""What the Witness plugin registers. Light: no kernel is imported until a part is made."""

from __future__ import annotations

from collections.abc import Callable

from epcg_core import hookimpl
from epcg_core.domain import DomainInfo

EPCG_API_VERSION = 1


@hookimpl
def epcg_register_domains(register: Callable[[DomainInfo], None]) -> None:
    register(
        DomainInfo(
            "witness",
            "The Witness",
            "draw one line through a panel so that every symbol on it is satisfied",
        )
    )

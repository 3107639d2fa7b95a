"""The parts of the plugin of deduction puzzles. Light: no kernel is imported until a part is made."""

from __future__ import annotations

from collections.abc import Callable

from epcg_core.plugin import Domain, DomainInfo, hookimpl

EPCG_API_VERSION = 1
NAME = "deduction"

DEDUCTION = Domain(NAME, "Deduction puzzles", "write marks into a grid until all rules hold")


@hookimpl
def epcg_register_domains(register: Callable[[DomainInfo], None]) -> None:
    register(DEDUCTION)

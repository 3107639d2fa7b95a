"""The evaluator `panel_solutions`: solutions of panels that have nothing in common, one by one."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from epcg_core.domain import Bits, NoParams
from epcg_witness import metrics
from epcg_witness.panel import Panel
from epcg_witness.solver import count_solutions


class PanelSolutions:
    """The number of paths that satisfy every symbol, of panels of any sizes, starts and ends."""

    metrics = (metrics.SOLUTIONS,)

    def __init__(self, params: NoParams, generator: Any, tables: Mapping[str, Bits] | None = None) -> None:
        count_solutions(Panel(width=1, height=1))  # compiled where it is made, before workers start

    def evaluate(self, panel: Panel) -> tuple[int]:
        """Raises TooManyPathsError for a panel whose paths are too many to be listed."""
        return (count_solutions(panel),)

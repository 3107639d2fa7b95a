"""Kinds of steps as inference rules: a move is dropped if steps until nothing changes exclude its mark.

Of an action that takes a mark away, as play has them, they say nothing.
"""

from __future__ import annotations

from typing import Any

from epcg_core.plugin import Answer, NoParams
from epcg_deduction.rules.model import Move, Position
from epcg_deduction.solving.steps import steps


class StepRule:
    """A player who knows some kinds of steps.

    Args:
        kinds: the kinds in the order in which they are tried.
    """

    def __init__(self, kinds: str) -> None:
        self.kinds = kinds
        self._position: Position | None = None
        self._left: tuple[int, ...] = ()

    def __call__(self, state: Position, action: Move) -> Answer:
        """Answer whether the steps exclude what an action writes."""
        if action.mark < 0:
            return Answer.UNKNOWN
        if state is not self._position:
            trace = steps(state.compiled, self.kinds, state.masks)
            nothing = trace.end == "contradiction"
            self._left = (0,) * len(state.masks) if nothing else trace.position
            self._position = state
        return Answer.UNKNOWN if self._left[action.site] >> action.mark & 1 else Answer.CANNOT


def without_notes(params: NoParams, generator: Any) -> StepRule:
    """Make the rule `without-notes`."""
    return StepRule("0")


def one_instance(params: NoParams, generator: Any) -> StepRule:
    """Make the rule `one-instance`."""
    return StepRule("01")


def two_instances(params: NoParams, generator: Any) -> StepRule:
    """Make the rule `two-instances`."""
    return StepRule("012")


def assumption(params: NoParams, generator: Any) -> StepRule:
    """Make the rule `assumption`."""
    return StepRule("013")

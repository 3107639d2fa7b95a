"""Kinds of steps as inference rules of play: they drop marks; of a mark taken away they say nothing."""

from __future__ import annotations

from typing import Any

from epcg_core.plugin import Answer, NoParams
from epcg_deduction.inference.rules import StepRule


class PlayedRule:
    """A rule about the marks that an action writes.

    Args:
        kinds: the kinds of steps in the order in which they are tried.
    """

    def __init__(self, kinds: str) -> None:
        self._rule = StepRule(kinds)

    def __call__(self, state: Any, action: Any) -> Answer:
        """Answer whether the steps exclude what an action writes."""
        return Answer.UNKNOWN if action.mark < 0 else self._rule(state, action)


def without_notes(params: NoParams, generator: Any) -> PlayedRule:
    """Make the rule `without-notes`."""
    return PlayedRule("0")


def one_instance(params: NoParams, generator: Any) -> PlayedRule:
    """Make the rule `one-instance`."""
    return PlayedRule("01")


def two_instances(params: NoParams, generator: Any) -> PlayedRule:
    """Make the rule `two-instances`."""
    return PlayedRule("012")


def assumption(params: NoParams, generator: Any) -> PlayedRule:
    """Make the rule `assumption`."""
    return PlayedRule("013")

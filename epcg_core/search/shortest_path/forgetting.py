"""The evaluator `forgetting`: how much of a puzzle's distance is lost if something is not seen.

The transition model says what can be forgotten (`Abstracting`).
"""

# Functions import kernels, so that planning and listing load no numba.
from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from copy import copy
from typing import TYPE_CHECKING, Any

from epcg_core.base.errors import ParamsError
from epcg_core.domain import WHOLE, Bits, Metric, TableNeed, Value, transition_model

if TYPE_CHECKING:
    from epcg_core.search.params import ForgettingParams

_NONE = WHOLE.proven("no solution")
_MISSING = "no solution, or the puzzle lacks a thing that is named"
THINGS = Metric(
    "things", "int", "max", "things", "things of the puzzle that can be forgotten", none=_NONE, at_least=0
)
NEEDED = Metric(
    "things_needed",
    "int",
    "max",
    "things",
    "things that a player must see: without each alone, the puzzle seems to take fewer moves",
    none=_NONE,
    sentence="{} thing[s] that one must see",
    at_least=0,
)
LEAST_LOST = Metric(
    "least_lost",
    "int",
    "max",
    "moves",
    "moves that seem not to be needed if the thing that matters least is forgotten",
    none=_NONE,
    at_least=0,
)
MOST_LOST = Metric(
    "most_lost",
    "int",
    "max",
    "moves",
    "moves that seem not to be needed if the thing that matters most is forgotten",
    none=_NONE,
    at_least=0,
)
ABSTRACT = Metric(
    "abstract_moves",
    "int",
    "max",
    "moves",
    "moves that are needed at least, without what is forgotten together, or without the thing that matters "
    "least",
    none=_MISSING,
    at_least=0,
)
SHARE = Metric(
    "abstract_share",
    "real",
    "max",
    "",
    "the same as a share of the moves that are needed",
    none=_MISSING,
    at_least=0,
    at_most=1,
)
METRICS = (THINGS, NEEDED, LEAST_LOST, MOST_LOST, ABSTRACT, SHARE)


class Forgetting:
    """Explores a puzzle whole, and compares the distances of its images with its own."""

    def __init__(
        self, params: ForgettingParams, generator: Any, tables: Mapping[str, Bits] | None = None
    ) -> None:
        self._params, self._model, self._plain = params, transition_model(generator), False
        self.metrics = (*METRICS, *losses(params, None))

    def evaluate(self, state: Any) -> Sequence[Value | None] | None:
        """Compute the metrics; None if there is no solution. Raises LimitReachedError."""
        from epcg_core.search.shortest_path.abstractions import Whole, lost

        whole = Whole(self._model, state, self._params.limit, self._plain)
        moves = int(whole.graph.distances[0])
        if moves == whole.graph.UNREACHED:
            return None
        model: Any = self._model
        things = list(model.things(state))
        loss_of = lost(whole, things)
        least, together = min(loss_of.values(), default=0), self._params.together
        left: int | None = moves - least
        if together:  # without a number if the puzzle lacks one, which may be misspelt
            left = int(whole.distances(together)[0]) if set(together) <= set(things) else None
        return (
            len(things),
            sum(loss > 0 for loss in loss_of.values()),
            least,
            max(loss_of.values(), default=0),
            left,
            None if left is None else left / moves if moves else 1.0,
            *(loss_of.get(name) for name in self._params.each),
        )

    def plain(self) -> Forgetting:
        """Return an evaluator that explores plain positions."""
        found = copy(self)
        found._plain = True
        return found


def losses(params: ForgettingParams, registry: Any) -> tuple[Metric, ...]:
    """Return a metric for each thing that is asked for. Raises ParamsError if two have the same name."""
    names = [f"lost_{re.sub(r'[^a-z0-9]+', '_', name.lower()).strip('_')}" for name in params.each]
    for name, other in zip(params.each, names, strict=True):
        if names.count(other) > 1:
            raise ParamsError(f"each: {name} is named twice, or like another thing.")
    return tuple(
        Metric(
            name,
            "int",
            "max",
            "moves",
            f"moves that seem not to be needed if this is forgotten: {thing}",
            none="no such thing, or no way found",
            at_least=0,
        )
        for name, thing in zip(names, params.each, strict=True)
    )


def no_needs(params: Any, generator: Any) -> tuple[TableNeed, ...]:
    """Ask for no tables, but refuse unfit generators when a query is planned."""
    from epcg_core.search.shortest_path.abstractions import abstracting

    abstracting(transition_model(generator))
    return ()

"""Contracts of branch and bound: partial evaluation, cutoffs and results."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Protocol, TypeVar, runtime_checkable

import attrs

from epcg_core.domain.values import Value

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

Partial = TypeVar("Partial")


BOUND, INFEASIBLE = 0, 1
"""Reasons of prunings: no pruned rank can reach the incumbent; no pruned rank has a value."""
PRUNING_REASONS = ("bound", "infeasible")
"""The names of these reasons, by their number."""
BOUND_HINT = "Mend `bound`, which no completion may exceed, or use the exhaustive search."
"""Advice about a bound that is not admissible."""


class PrefixSpace(Protocol):
    """A generator's `prefixes`: its states as tuples of items that are chosen one after the other.

    States that begin with the same items have neighbouring ranks, so the completions of a prefix are one
    range of ranks. `epcg_core.combinatorics.prefixes` provides the prefixes of the usual lexicographic
    spaces, and `epcg_core.combinatorics.listed` those of listed states.
    """

    @property
    def length(self) -> int:
        """Number of items of a state."""

    def items(self, rank: int) -> Sequence[int]:
        """Return the items of the state of `rank`."""

    def following(self, prefix: tuple[int, ...]) -> Sequence[int]:
        """Return the items that may come after `prefix`, each once, in the order of their ranks."""

    def first_rank(self, prefix: tuple[int, ...]) -> int:
        """Return the lowest rank of the states that begin with `prefix`."""

    def completions(self, prefix: tuple[int, ...]) -> int:
        """Return the number of states that begin with `prefix`, from first_rank(prefix) on."""


@runtime_checkable
class PartialEvaluator(Protocol[Partial]):
    """An evaluator that also bounds incomplete states (Sturtevant & Ota 2018, Algorithm 6).

    The capability of an `Evaluator` whose first metric is the objective, in the metric's direction. A partial
    holds the evaluator's knowledge of the items chosen so far; it is never modified.
    """

    def empty(self) -> Partial:
        """Return the partial without items."""

    def extend(self, partial: Partial, item: int) -> Partial:
        """Return the partial with one item more."""

    def bound(self, partial: Partial) -> Value | None:
        """Return an admissible bound: no completion is better. None if no completion has a value."""

    def value(self, complete: Partial) -> Value | None:
        """Return the objective of a complete partial, as `evaluate` gives it; None if it has no value."""


@runtime_checkable
class SearchingEvaluator(PartialEvaluator[Partial], Protocol[Partial]):
    """A partial evaluator whose `value` takes a search, which can be cut short."""

    def value_reaching(self, complete: Partial, incumbent: Cutoff, rank: int) -> Value | None:
        """Return `value` if it reaches the incumbent at `rank`; else None or any value that does not."""


@attrs.frozen
class Cutoff:
    """A threshold for candidates: the best known value, and the last rank at which an equal value counts."""

    value: Value | None
    """The best known value; None if nothing is known, so that any value reaches it."""
    ties_to: int
    """The last rank at which an equal value reaches it; at later ranks only better values do."""
    fixed: bool
    """Whether it stays, so that all candidates that reach it are reported (a proof). If not, each candidate
    that reaches it takes its place, so that later ones must be better (a search)."""
    sign: int = 1
    """1 if larger values are better, -1 if smaller ones are."""

    def reached_by(self, value: Value, rank: int) -> bool:
        """Return whether a candidate of this value and rank reaches the incumbent."""
        if self.value is None:
            return True
        return self.sign * value > self.sign * self.value or (value == self.value and rank <= self.ties_to)

    def excludes(self, bound: Value, start: int) -> bool:
        """Return whether no candidate from rank `start` on, whose values this bound limits, reaches it."""
        return not self.reached_by(bound, start)


@attrs.frozen(eq=False)
class Prunings:
    """Ranges of ranks that were not evaluated, increasing and without overlap, and why."""

    start: NDArray[np.int64]
    """(n,) first ranks."""
    count: NDArray[np.int64]
    """(n,) numbers of ranks in each range."""
    bound: NDArray[np.float64]
    """(n,) admissible bounds of all values in each range; NaN if the reason is INFEASIBLE."""
    reason: NDArray[np.uint8]
    """(n,) BOUND or INFEASIBLE."""


@attrs.frozen(eq=False)
class BlockResult:
    """The result of a search over a block of ranks: every rank is either evaluated or pruned."""

    evaluated: int
    """Number of evaluated complete candidates, including those without a value."""
    ranks: NDArray[np.int64]
    """(n,) increasing: the evaluated candidates that reached the incumbent of their moment."""
    values: NDArray[Any]
    """(n,) their values."""
    prunings: Prunings


@runtime_checkable
class CompiledPartialEvaluator(Protocol):
    """The compiled capability of a `PartialEvaluator`: branch and bound over a block of ranks in one kernel.

    It may prune more or less than the plain search, but finds the same. Every pruning between two evaluated
    ranks becomes a row of the record, so it is better to evaluate than to prune a few ranks between them.
    `epcg_core.search.branch_and_bound.kernels` merges prunings on the way.
    """

    def search_block(self, start: int, count: int, incumbent: Cutoff) -> BlockResult:
        """Search the ranks start .. start + count - 1.

        Args:
            start: The first rank of the block.
            count: The number of ranks.
            incumbent: The threshold when the block begins.

        Returns:
            The evaluated candidates that reached the incumbent, and prunings that cover all other ranks.
        """

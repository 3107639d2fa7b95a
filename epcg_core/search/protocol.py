"""Contracts of searches: planned from a query, prepared once, solved unit by unit."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

import attrs

from epcg_core.chunks.objective import Best
from epcg_core.domain import Bits, Metric, Value
from epcg_core.domain.layers import Allocate
from epcg_core.plugins.registry import Registry
from epcg_core.query.query import Query
from epcg_core.query.spec import RunSpec

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from epcg_core.chunks.blocks import Block


Tables = Mapping[str, "NDArray[Any]"]


Solver = Callable[[int, int], "Block"]


@attrs.frozen(eq=False)
class Checker:
    """Solvers that compute single ranks again, for comparison with what is recorded."""

    plain: Solver
    """Solve by plain Python code; `Block.compiled` names the parts that have none."""
    compiled: Solver | None = None
    """Solve by compiled code, without memory between ranks; None if plain code is all, or fast."""
    same: bool = False
    """The run itself is computed by the code of `plain`, so comparing them shows nothing."""
    bounds: Callable[[int], Sequence[Value | None]] | None = None
    """If the search prunes: the bounds of the partial states that lead to a rank, the shortest first."""
    proof: Callable[[int, int, Best | None], Block] | None = None
    """If the search prunes: (start, count, best candidate) to the block that a proof records."""


class Search(Protocol):
    """A way to cover a space. Made by a SearchInfo's factory with the registry."""

    def plan(self, query: Query) -> RunSpec:
        """Plan the run that answers the query; its inputs name the runs that it needs."""

    def prepare(self, spec: RunSpec, inputs: Mapping[str, Bits], allocate: Allocate) -> None:
        """Make the tables that workers share."""

    def solver(self, spec: RunSpec, inputs: Mapping[str, Bits], tables: Tables) -> Solver:
        """Make, in a worker, a function (start, count) -> Block."""

    def checker(self, spec: RunSpec, inputs: Mapping[str, Bits]) -> Checker:
        """Make the solvers that verify single ranks, without the tables of `prepare`."""

    def block_size(self, spec: RunSpec) -> int | None:
        """Return roughly the number of ranks in less than a second's work; None if probes must tell."""


class SearchBase:
    """The base of the core's searches: without shared tables, and with blocks whose size probes tell."""

    def __init__(self, registry: Registry) -> None:
        self._registry = registry

    def prepare(self, spec: RunSpec, inputs: Mapping[str, Bits], allocate: Allocate) -> None:
        """Prepare nothing: workers read recorded tables, or make what they need."""

    def block_size(self, spec: RunSpec) -> int | None:
        return None


@runtime_checkable
class SizedSearch(Protocol):
    """A search that says before a run how large the tables are that it prepares."""

    def working_bytes(self, spec: RunSpec) -> int:
        """Return the bytes of the tables that `prepare` makes, beside the inputs."""


@runtime_checkable
class ShownSearch(Protocol):
    """A search whose every result people look at, so that verification computes it again like a winner."""

    each_is_shown: str
    """The metric whose candidates with a value are the results."""


@runtime_checkable
class ExplainedSearch(Protocol):
    """A search whose own metrics, not those of evaluators, say what it means to have no value."""

    explained: Sequence[Metric]


@runtime_checkable
class EvenSearch(Protocol):
    """A search whose units take the same time, however many they are: each worker gets one."""

    workers: int
    """How many units are computed at once; told before `prepare`."""


@runtime_checkable
class ConclusiveSearch(Search, Protocol):
    """A search whose answer follows only if the runs that it reads have some property."""

    def objection(self, spec: RunSpec, total: Callable[[RunSpec], int]) -> str | None:
        """Say why a run does not follow from its inputs, as a sentence; None if it does.

        `total` counts the candidates of a finished run for which its first metric, a bool, holds.
        """


@runtime_checkable
class RunSequenceSearch(Search, Protocol):
    """A search whose number of runs shows only while it goes on: `plan` gives the first of them."""

    def next_run(self, goal: RunSpec, last: RunSpec, total: Callable[[RunSpec], int]) -> RunSpec | None:
        """Plan the run after the finished run `last` on the way to `goal`; None at the end.

        `total` counts the candidates of a finished run for which its first metric, a bool, holds.
        """

    def obsolete_run(self, last: RunSpec) -> RunSpec | None:
        """Return the run whose values are obsolete once `last` is finished; None if there is none."""

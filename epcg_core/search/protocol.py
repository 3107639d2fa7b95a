"""What a search is: planned from a query, prepared once, solved unit by unit."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

from epcg_core.domain import Bits
from epcg_core.domain.layers import Allocate
from epcg_core.query.query import Query
from epcg_core.query.spec import RunSpec

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from epcg_core.chunks.blocks import Block


Tables = Mapping[str, "NDArray[Any]"]


Solver = Callable[[int, int], "Block"]


class Search(Protocol):
    """A way to cover a space. Made by a SearchInfo's factory with the registry."""

    def plan(self, query: Query) -> RunSpec:
        """The run that answers the query; the runs it needs are among its inputs."""

    def prepare(self, spec: RunSpec, inputs: Mapping[str, Bits], allocate: Allocate) -> None:
        """Make the tables that workers share."""

    def solver(self, spec: RunSpec, inputs: Mapping[str, Bits], tables: Tables) -> Solver:
        """In a worker: a function (start, count) -> Block."""

    def checker(self, spec: RunSpec, inputs: Mapping[str, Bits]) -> Solver:
        """A solver for single ranks, to verify what was recorded: without tables, plain where it can be."""

    def block_size(self, spec: RunSpec) -> int | None:
        """About how many ranks make less than a second's work; None where it must be tried."""


@runtime_checkable
class RunSequenceSearch(Search, Protocol):
    """A search whose number of runs shows only while it goes on: `plan` gives the first of them."""

    def next_run(self, goal: RunSpec, last: RunSpec, total: Callable[[RunSpec], int]) -> RunSpec | None:
        """The run after `last`, which is finished, on the way from `goal`; None at the end.

        `total` gives in how many candidates of a finished run its first metric, a bool, holds.
        """

    def obsolete_run(self, last: RunSpec) -> RunSpec | None:
        """The run whose values need not be kept any longer once `last` is finished; None where all stay."""

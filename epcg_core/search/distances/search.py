"""The search for distances: how many positions lie how many actions from each state.

Every state of the range is the start of a search of its own. What fits in memory is hashed; what does not is
kept on disk, if the query allows it, as sorted files. A run that is cut off goes on with the layer in which
it was.
"""

# Functions import kernels, so that planning and listing load no numba.
from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import attrs
import numpy as np

from epcg_core.base.params import structure
from epcg_core.chunks.blocks import Block
from epcg_core.domain import LIMIT, NONE, VALUE, Bits, Evaluation, Metric
from epcg_core.query.query import Query
from epcg_core.query.spec import RunSpec, make_generator
from epcg_core.search.params import DistancesParams
from epcg_core.search.planner import RunDraft
from epcg_core.search.protocol import Checker, SearchBase, Solver, Tables

if TYPE_CHECKING:
    from epcg_core.search.distances.explore import Sizes

POSITIONS = Metric(
    "positions",
    "int",
    "max",
    "positions",
    "positions that actions lead to, with the state itself",
    at_least=1,
)
FARTHEST = Metric(
    "farthest", "int", "max", "actions", "actions that the farthest position needs",
    none="there may be positions beyond the depth", at_least=0,
)  # fmt: skip
WIDEST = Metric(
    "widest", "int", "max", "positions", "the most positions that need the same number of actions", at_least=1
)


def metrics_of(params: DistancesParams) -> tuple[Metric, ...]:
    """Return the metrics that a search with these params records."""
    each = () if params.depth is None else range(params.depth + 1)
    return (
        POSITIONS,
        FARTHEST,
        WIDEST,
        *(
            Metric(
                f"at_{number}", "int", "max", "positions", f"positions that need {number} actions", at_least=0
            )
            for number in each
        ),
    )


class DistancesSearch(SearchBase):
    """Counts, from each state, the positions that so many actions lead to, and no fewer."""

    explained = (FARTHEST,)

    def plan(self, query: Query) -> RunSpec:
        draft = RunDraft.of(self._registry, query, "distances")
        metrics = metrics_of(draft.params)
        _counter(draft.generator, draft.max_rank, draft.params, "")
        draft.check_selections(metrics)
        return draft.spec(metrics)

    def block_size(self, spec: RunSpec) -> int | None:
        """Return 1 with a disk: a single state may take hours, and nothing is tried before the run begins."""
        return None if spec.search.params.get("disk") is None else 1  # left out if it is the default

    def solver(self, spec: RunSpec, inputs: Mapping[str, Bits], tables: Tables) -> Solver:
        params, generator = self._parts(spec)
        return CountsOfRanks(params, _counter(generator, spec.max_rank, params, _key(spec)))

    def checker(self, spec: RunSpec, inputs: Mapping[str, Bits]) -> Checker:
        """Make solvers by the rules of play; what memory cannot hold, plain code cannot either."""
        params, generator = self._parts(spec)
        fast = CountsOfRanks(params, _counter(generator, spec.max_rank, params, f"{_key(spec)}-again"))
        if params.disk is not None or getattr(generator, "transition_model", None) is None:
            return Checker(attrs.evolve(fast, compiled=(f"the graph of {type(generator).__name__}",)))
        plain = CountsOfRanks(params, _plain(generator, params))
        return Checker(plain, same=True) if _is_plain(generator) else Checker(plain, fast)

    def _parts(self, spec: RunSpec) -> tuple[DistancesParams, Any]:
        params = structure(DistancesParams, spec.search.params, "search")
        return params, make_generator(self._registry, spec.space)


def _key(spec: RunSpec) -> str:
    """Return what names the files of a run, and of no other or by other code."""
    return hashlib.sha256(f"{spec.identity} {spec.sources().digest}".encode()).hexdigest()[:16]


Counter = Callable[[int], "Sizes | None"]
"""A rank to the sizes of its layers; None if there are more positions than there may be."""


def _is_plain(generator: Any) -> bool:
    return all(getattr(generator, name, None) is None for name in ("position_graph", "ranked_graph"))


def _plain(generator: Any, params: DistancesParams) -> Counter:
    from epcg_core.search.distances.explore import Plain

    plain = Plain(generator)
    return lambda rank: plain.sizes(rank, params.depth, params.limit)


def _counter(generator: Any, max_rank: int, params: DistancesParams, key: str) -> Counter:
    """Make what counts from a rank, in files that the key names. Raises QueryError without a graph."""
    from epcg_core.search.components.graph import vertices_of

    graph = vertices_of(generator, max_rank, backwards=False)
    if graph is None:
        return _plain(generator, params)
    from epcg_core.search.distances.explore import InMemory, OnDisk
    from epcg_core.search.layer_files import folder_of

    memory, disk = InMemory(graph), params.disk

    def count(rank: int) -> Sizes | None:
        found = memory.sizes(rank, params.depth, params.limit)
        if found is not None or disk is None:
            return found
        with folder_of("distances", key, rank) as folder:
            return OnDisk(graph, folder, int(disk * 1e9)).sizes(rank, params.depth)

    return count


@attrs.frozen(eq=False)
class CountsOfRanks:
    """Solves ranges of ranks, one rank after the other."""

    params: DistancesParams
    counter: Counter
    compiled: tuple[str, ...] = ()
    one_by_one: bool = True
    """Each rank is computed by itself, so one of them can be given up."""

    def __call__(self, start: int, count: int) -> Block:
        metrics = metrics_of(self.params)
        values = [np.zeros(count, np.int64) for _ in metrics]
        status = np.full((len(metrics), count), LIMIT, np.uint8)
        for at in range(count):
            found = self.counter(start + at)
            if found is None:
                continue
            status[:, at] = VALUE
            status[1, at] = VALUE if found.ended else NONE
            own = _values(found, len(metrics) - 3)
            for row, value in zip(values, own, strict=True):
                row[at] = value
        return Block(start, count, Evaluation(values, status), compiled=self.compiled)


def _values(found: Sizes, each: int) -> Sequence[int]:
    layers = found.layers
    farthest = len(layers) - 1 if found.ended else 0
    own = [layers[number] if number < len(layers) else 0 for number in range(each)]
    return sum(layers), farthest, max(layers), *own

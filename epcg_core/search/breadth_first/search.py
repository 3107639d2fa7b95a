"""Complete breadth-first search over ranks: the reachable ranks and their depths.

Every layer is a run of its own over the whole space, because runs can be resumed, verified and certified. It
records one bit a rank: whether the rank is reached at this depth or before. That single table is enough: the
frontier is its difference from the table before it, and its ranks have been seen, in directed graphs too. So
a layer is computed from the two layers before it, and names them as its inputs. How many layers there are
shows only when one has brought nothing new. That layer is recorded as well: this proves that the search is
complete. The run after it is the answer, computed from all of them.

Units tile the ranks that are *written*, as in Sturtevant & Rutherford, "Minimizing Writes in Parallel
External Memory Search" (2013): a unit holds its part of the next table in memory and writes it once; reads
are unlimited. So workers share nothing but read-only tables, and a unit's result does not depend on the
others. A unit either expands the frontier and keeps what falls into its part, or asks of every rank in it
that is not reached yet whether the frontier leads there, whichever is less (Beamer, Asanović & Patterson,
"Direction-optimizing breadth-first search", 2012).
"""

# Functions import kernels, so that planning and listing load no numba.
from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

import attrs
import numpy as np
from numpy.typing import NDArray

from epcg_core.base.errors import QueryError
from epcg_core.base.params import plain
from epcg_core.chunks.bitsets import unpack
from epcg_core.chunks.blocks import Block
from epcg_core.domain import NONE, VALUE, Bits, Evaluation, Metric
from epcg_core.domain.layers import Allocate
from epcg_core.plugins.registry import Registry
from epcg_core.query.query import Query
from epcg_core.query.spec import (
    InputSpec,
    PartSpec,
    RunSpec,
    make_generator,
)
from epcg_core.search.breadth_first.check import Definition
from epcg_core.search.breadth_first.graph import Edges, SingleRanks, edges_of
from epcg_core.search.params import BreadthFirstParams
from epcg_core.search.planner import RunDraft
from epcg_core.search.protocol import Checker, SearchBase, Solver, Tables

if TYPE_CHECKING:
    from epcg_core.search.breadth_first.layers import LayerWork

REACHED = Metric("reached", "bool", "max", "", "the number of actions, or fewer, is enough")
DEPTH = Metric(
    "depth", "int", "max", "actions", "the fewest actions; none where it cannot be reached", at_least=0
)
REACHABLE = Metric("reachable", "bool", "max", "", "any number of actions is enough")

FRONTIER, DIRECTION = "frontier", "direction"


class BreadthFirstSearch(SearchBase):
    """One run a layer, until one is empty; then the answer, computed from all of them."""

    workers = 1
    """Each unit goes through the whole frontier, so there are as few as possible."""

    def __init__(self, registry: Registry) -> None:
        super().__init__(registry)
        self._work: LayerWork | None = None

    def plan(self, query: Query) -> RunSpec:
        """Plan the layer or answer that the params name; by default the layer of the starts."""
        draft = RunDraft.of(self._registry, query, "breadth_first")
        params = draft.params
        if params.layer is not None and params.layers is not None:
            raise QueryError("search: 'layer' stops at a depth, 'layers' names the answer: give one of them.")
        edges_of(draft.generator, params.starts, params.distance)
        answer = _metric(params.record)
        _check_selections(query, answer if params.layer is None else REACHED)
        draft.check_selections((answer if params.layer is None else REACHED,))
        spec = draft.spec(
            (REACHED,),
            search=_part(attrs.evolve(params, layer=None, layers=None)),
            layer=0,
            on_the_way=True,
            final_metrics=(answer,),
        )
        for _ in range(params.layer or params.layers or 0):
            spec = _next_layer(spec)
        if params.layers is not None:
            return _answer(spec)
        return spec if params.layer is None else attrs.evolve(spec, on_the_way=False, final_metrics=())

    def next_run(self, goal: RunSpec, last: RunSpec, total: Callable[[RunSpec], int]) -> RunSpec | None:
        """Plan the next layer; after a layer without new ranks, the answer; None after the answer."""
        if goal.layer != 0 or last.layer is None:
            return None
        if last.layer > 0 and total(last) == total(last.inputs[0].run):
            return _answer(last)
        return _next_layer(last)

    def obsolete_run(self, last: RunSpec) -> RunSpec | None:
        """Return, with record = "frontier", the layer three below: the last three layers stay verifiable."""
        if last.layer is None or last.layer < 3 or last.search.params["record"] == "depths":
            return None
        return last.inputs[1].run.inputs[0].run

    def objection(self, spec: RunSpec, total: Callable[[RunSpec], int]) -> str | None:
        """Object to an answer if the last layer that it reads brought new ranks: there are more."""
        if spec.layer is not None:
            return None
        last = spec.inputs[-1].run
        new = total(last) - (total(last.inputs[0].run) if last.inputs else 0)
        if not new:
            return None
        return (
            f"layers: layer {last.layer} still reaches {new:,} new ranks, so {last.layer} layers are not all "
            "and give no answer: leave 'layers' out, which searches to the end, or stop at a depth with "
            f"layer = {last.layer}."
        )

    def prepare(self, spec: RunSpec, inputs: Mapping[str, Bits], allocate: Allocate) -> None:
        """Prepare the frontier's table, and choose the direction of a layer's units."""
        if not spec.layer:
            return
        from epcg_core.search.breadth_first.layers import LayerWork

        edges = self._edges(spec)
        reached = inputs["reached"]
        frontier = allocate(FRONTIER, (spec.max_rank + 63) // 64).view(np.uint8)[: len(reached.data)]
        frontier[:] = reached.data
        if "before" in inputs:
            frontier &= ~inputs["before"].data
        size, missing = _count(frontier), spec.max_rank - _count(reached.data)
        self._work = LayerWork(edges, reached, size, missing, self.workers)
        allocate(DIRECTION, 1)[0] = self._work.direction

    def block_size(self, spec: RunSpec) -> int | None:
        """Return the size chosen by `prepare`; the first layer and the answer are a scan."""
        return max(1, spec.max_rank) if self._work is None else self._work.block_size()

    def solver(self, spec: RunSpec, inputs: Mapping[str, Bits], tables: Tables) -> Solver:
        edges = self._edges(spec)
        if spec.layer == 0:
            return lambda start, count: _starts(edges, start, count)
        if spec.layer is None:
            return _solver_of_answer(spec, inputs)
        from epcg_core.search.breadth_first.layers import ONWARD, Back, Onward

        frontier = Bits(tables[FRONTIER].view(np.uint8), spec.max_rank)
        if tables[DIRECTION][0] == ONWARD:
            return Onward(edges, frontier, inputs["reached"]).solve
        return Back(edges, frontier, inputs["reached"]).solve

    def checker(self, spec: RunSpec, inputs: Mapping[str, Bits]) -> Checker:
        """Make a checker by the definition, with plain neighbours of single ranks if possible."""
        edges = self._edges(spec)
        generator = make_generator(self._registry, spec.space)
        if spec.layer == 0:
            return Checker(lambda start, count: _starts(edges, start, count))
        single = SingleRanks(generator, edges, str(spec.search.params["distance"]))
        layers = [inputs[needed.role] for needed in spec.inputs]
        return Checker(Definition(spec.metrics == (DEPTH,), single, edges, layers).solve)

    def _edges(self, spec: RunSpec) -> Edges:
        params = spec.search.params
        generator = make_generator(self._registry, spec.space)
        return edges_of(generator, params["starts"], str(params["distance"]))


def _check_selections(query: Query, answer: Metric) -> None:
    """Raise QueryError if a selection is by a metric that this search records with other params only."""
    for number, select in enumerate(query.select):
        if select.metric != answer.name and select.metric in (REACHED.name, DEPTH.name, REACHABLE.name):
            raise QueryError(
                f"select {number + 1}: with these params the search records '{answer.name}', and no "
                f"'{select.metric}': select by '{answer.name}', or nothing, with --set 'select=[]'."
            )


def _metric(record: str) -> Metric:
    return DEPTH if record == "depths" else REACHABLE


def _part(params: BreadthFirstParams) -> PartSpec:
    return PartSpec("breadth_first", plain(params))


def _renamed(spec: RunSpec, layer: int | None, layers: int | None) -> PartSpec:
    return PartSpec(spec.search.name, spec.search.params | {"layer": layer, "layers": layers})


def _next_layer(spec: RunSpec) -> RunSpec:
    """Plan the layer after `spec` from its table and the one before it."""
    assert spec.layer is not None
    inputs = [InputSpec("reached", spec, REACHED.name)]
    if spec.inputs:
        inputs.append(InputSpec("before", spec.inputs[0].run, REACHED.name))
    layer = spec.layer + 1
    spec = attrs.evolve(
        spec, search=_renamed(spec, layer, None), layer=layer, inputs=tuple(inputs), on_the_way=True
    )
    # computed now, from below, because the digests of the thousandth layer need no thousand calls
    _ = spec.identity, spec.request
    return spec


def _answer(last: RunSpec) -> RunSpec:
    """Plan the answer after `last`, the first layer without new ranks."""
    layers = [last]
    while layers[-1].inputs:
        layers.append(layers[-1].inputs[0].run)
    layers.reverse()
    record = str(last.search.params["record"])
    kept = layers if record == "depths" else layers[-1:]
    return attrs.evolve(
        last,
        search=_renamed(last, None, last.layer),
        metrics=(_metric(record),),
        final_metrics=(),
        layer=None,
        on_the_way=False,
        inputs=tuple(InputSpec(_role(spec.layer or 0), spec, REACHED.name) for spec in kept),
    )


def _role(layer: int) -> str:
    return f"layer {layer}"


def _starts(edges: Edges, start: int, count: int) -> Block:
    reached = Bits(np.zeros((count + 7) // 8, np.uint8), count)
    for rank in edges.starts:
        if start <= rank < start + count:
            reached.data[(rank - start) >> 3] |= np.uint8(1 << ((rank - start) & 7))
    return Block(start, count, Evaluation((reached,)), edges=0)


def _solver_of_answer(spec: RunSpec, inputs: Mapping[str, Bits]) -> Solver:
    layers = [inputs[needed.role] for needed in spec.inputs]

    def depths(start: int, count: int) -> Block:
        found = np.zeros(count, np.int64)
        for reached in layers:
            found += ~unpack(reached, start, start + count)
        missing = ~unpack(layers[-1], start, start + count)
        found[missing] = 0
        status = np.where(missing, NONE, VALUE).astype(np.uint8) if missing.any() else None
        return Block(start, count, Evaluation((found,), status))

    def reachable(start: int, count: int) -> Block:
        from epcg_core.search.breadth_first.layers import own_table

        return Block(start, count, Evaluation((Bits(own_table(layers[-1], start, count), count),)))

    return depths if spec.metrics == (DEPTH,) else reachable


def _count(data: NDArray[np.uint8]) -> int:
    return int(np.bitwise_count(data).sum(dtype=np.int64))

"""The work on a unit in a worker: solve, encode, digest. Workers never open the database."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal

import attrs
import numpy as np
from numpy.typing import NDArray

from epcg_core.base.documents import places
from epcg_core.base.errors import PLUGIN_EXCEPTIONS, EpcgError
from epcg_core.base.guests import visit
from epcg_core.chunks import solutions
from epcg_core.chunks.blocks import Block, as_array
from epcg_core.chunks.codec import aligned_pieces, encode_block, unit_digest
from epcg_core.chunks.objective import Best, best_of
from epcg_core.chunks.result import UnitResult
from epcg_core.chunks.sparse import encode_sparse
from epcg_core.domain import Bits
from epcg_core.execution import Unit, as_epcg_error
from epcg_core.execution.apart import cpu_seconds
from epcg_core.plugins.registry import registry
from epcg_core.query.query import from_data
from epcg_core.query.spec import RunSpec
from epcg_core.runs.limited import limited
from epcg_core.runs.sampled_units import Known, SampledRanks, SampledUnit, completed, singles
from epcg_core.search.planner import plan
from epcg_core.search.protocol import Search, Solver


@attrs.frozen
class TableFile:
    """A read-only table that workers map into memory: an input, or a table that a search prepared."""

    kind: Literal["input", "values", "table"]
    name: str
    path: str
    length: int
    """Bits or values of an input, 64-bit words of a table."""
    dtype: str = "u1"
    """The type of an input's values."""


def plan_run(query_data: Mapping[str, Any]) -> tuple[Search, RunSpec]:
    """Plan the search and the run of a query."""
    return plan(registry(), from_data(query_data))


def make_solver(search: Search, spec: RunSpec, tables: tuple[TableFile, ...]) -> Solver:
    """Make the solver of a run, with its tables mapped into memory."""
    words = {
        table.name: _mapped(table.path, np.uint64, table.length) for table in tables if table.kind == "table"
    }
    return limited(search.solver(spec, mapped_inputs(tables), words), spec)


def mapped_inputs(tables: tuple[TableFile, ...]) -> dict[str, Any]:
    """Map the inputs among `tables` into memory, as Bits or (length,) arrays of values."""
    return {
        table.name: Bits(_mapped(table.path, np.uint8, (table.length + 7) // 8), table.length)
        if table.kind == "input"
        else _mapped(table.path, table.dtype, table.length)
        for table in tables
        if table.kind != "table"
    }


def _mapped(path: str, dtype: Any, length: int) -> Any:
    if length == 0:
        return np.zeros(0, dtype)
    return np.memmap(Path(path), dtype=dtype, mode="r", shape=(length,)).view(np.ndarray)


def compile_kernels(solver: Solver, spec: RunSpec) -> None:
    """Compile every kernel here, once, so that workers find them in the cache."""
    try:
        solver(spec.start, 0)
    except PLUGIN_EXCEPTIONS as error:
        raise as_epcg_error(error, None) from error


@attrs.frozen
class RunWork:
    """The work of one run, small enough to be sent to every worker."""

    query_data: dict[str, Any]
    identity: str
    tables: tuple[TableFile, ...]
    chunk_size: int
    needs: tuple[str, ...] = ()
    """'distribution version' of every plugin involved in the run."""
    sources: str = ""
    """The digest of the source files involved, if it is to be compared."""
    has_kernels: bool = False
    """Whether a part has compiled code."""
    compiles: bool = False
    """Whether its set-up may have to compile kernels."""
    places: Mapping[str, str] = attrs.field(factory=dict)
    """Where files and folders that params name are (see `epcg_core.base.documents.places`)."""

    @property
    def preload(self) -> tuple[str, ...]:
        """The modules that take longest to import; parts without kernels need no numba."""
        return ("epcg_core.compiled", __name__) if self.has_kernels else (__name__,)

    @property
    def files(self) -> tuple[str, ...]:
        """The paths of its tables."""
        return tuple(table.path for table in self.tables if table.length)

    def at(self, places: Mapping[str, str]) -> RunWork:
        """Return the same work for another machine, with the tables at other paths."""
        tables = tuple(attrs.evolve(table, path=places.get(table.path, table.path)) for table in self.tables)
        return attrs.evolve(self, tables=tables, compiles=True)

    def set_up(self) -> UnitSolver:
        with places(self.places), visit():
            return self._set_up()

    def _set_up(self) -> UnitSolver:
        search, spec = plan_run(self.query_data)
        if spec.identity != self.identity:
            raise EpcgError(
                "A worker has other versions of the plugins than the coordinator: start the run again."
            )
        if self.sources not in ("", spec.sources().digest):
            raise EpcgError(
                "A source file was changed while the run was computed, so its workers would have other code "
                "than it began with: start the run again."
            )
        solver = make_solver(search, spec, self.tables)
        if self.compiles:
            compile_kernels(solver, spec)
        return UnitSolver(solver, spec, self.chunk_size)


@attrs.frozen(order=True)
class InformedUnit(Unit):
    """A unit of a search that improves, with the best candidate known when the unit is handed out."""

    best: Best | None = attrs.field(default=None, order=False)


Results = UnitResult | list[UnitResult]
"""A result for a unit; each sampled rank is a unit of its own."""


class UnitSolver:
    """Turns units into results: the function that a worker runs."""

    def __init__(self, solver: Solver, spec: RunSpec, chunk_size: int) -> None:
        self._solver: Any = solver
        self._piecewise = getattr(solver, "piecewise", False) and not spec.solutions
        self._metrics = spec.metrics
        self._objective = spec.objective
        self._finds_solutions = spec.solutions
        self._may_exclude = spec.may_exclude
        self._chunk_size = chunk_size

    def __call__(self, unit: Unit) -> Results:
        with visit():
            if isinstance(unit, SampledRanks):
                return self.singly(np.array(unit.ranks, np.int64))
            return self.solve(unit)

    def solve(self, unit: Unit) -> UnitResult:
        """Solve a unit of a range of ranks."""
        if self._piecewise and type(unit) is Unit and unit.count > self._chunk_size:
            return self._together(unit)
        started = cpu_seconds()
        block: Block
        known = None
        if isinstance(unit, SampledUnit):
            block, known = completed(unit, self._solver), unit.known
        elif isinstance(unit, InformedUnit):
            block = self._solver(unit.start, unit.count, unit.best)
        else:
            block = self._solver(unit.start, unit.count)
        return self._encoded(block, started, known)

    def singly(self, ranks: NDArray[np.int64]) -> list[UnitResult]:
        """Solve single ranks, increasing, at once if the solver can; each is a unit."""
        if self._finds_solutions or not hasattr(self._solver, "at"):
            return [self.solve(Unit(rank, 1)) for rank in ranks.tolist()]
        started = cpu_seconds()
        block: Block = self._solver.at(ranks)
        shared = (cpu_seconds() - started) / len(ranks)
        found = (self._encoded(one, cpu_seconds()) for one in singles(block, ranks))
        return [attrs.evolve(each, seconds=each.seconds + shared) for each in found]

    def _encoded(self, block: Block, started: float, known: Known | None = None) -> UnitResult:
        best = None
        if self._objective is None:
            chunks = encode_block(block, self._metrics, self._chunk_size)
        else:
            chunks = encode_sparse(block, self._metrics)
            if block.ranks is not None:
                best = best_of(self._objective, block.ranks, as_array(block.evaluation.values[0]))
        found = sorted(block.solutions or ())
        if found and not self._finds_solutions:
            raise EpcgError(
                "The search found solutions, and its plan does not say that it finds any, so no digest would "
                "cover them: its plan should have RunSpec.solutions."
            )
        there = frozenset[int]() if known is None else frozenset(known.ranks.tolist())
        evaluated = block.evaluated + block.counted
        excluded = block.count - evaluated - block.pruned
        _check_accounts(block, excluded, self._may_exclude, self._objective is not None)
        return UnitResult(
            start=block.start,
            count=block.count,
            evaluated=evaluated,
            excluded=excluded,
            seconds=cpu_seconds() - started,
            digest=unit_digest(chunks, solutions.digest(found) if self._finds_solutions else None),
            chunks=chunks,
            errors=tuple(block.errors),
            limits=tuple(block.limits),
            pruned=block.pruned,
            replaces=0 if known is None else len(known.ranks),
            prunings=block.prunings,
            best=best,
            solutions=[solution for solution in found if solution[0] not in there],
            edges=block.edges,
        )

    def _together(self, unit: Unit) -> UnitResult:
        """Solve and encode a unit chunk by chunk, so that its arrays stay in the processor's cache."""
        started = cpu_seconds()
        ranges = aligned_pieces(unit.start, unit.count, self._chunk_size)
        parts = [self.solve(Unit(start, count)) for start, count in ranges]
        chunks = [chunk for part in parts for chunk in part.chunks]
        return UnitResult(
            start=unit.start,
            count=unit.count,
            evaluated=sum(part.evaluated for part in parts),
            excluded=sum(part.excluded for part in parts),
            seconds=cpu_seconds() - started,
            digest=unit_digest(chunks),
            chunks=chunks,
            errors=tuple(error for part in parts for error in part.errors),
            limits=tuple(limit for part in parts for limit in part.limits),
        )


def _check_accounts(block: Block, excluded: int, may_exclude: bool, prunes: bool) -> None:
    """Raise EpcgError if a search leaves ranks out, or prunes, and its plan does not say that it does."""
    ranks = f"of ranks {block.start} to {block.start + block.count - 1}"
    if excluded and not may_exclude:
        raise EpcgError(
            f"The search left out {excluded:,} {ranks}, and its plan does not say that it leaves any out: "
            "its plan should have RunSpec.chooses."
        )
    if block.pruned and not prunes:
        raise EpcgError(
            f"The search pruned {block.pruned:,} {ranks}, and its plan has no objective by which bounds are "
            "compared: its plan should have RunSpec.objective."
        )

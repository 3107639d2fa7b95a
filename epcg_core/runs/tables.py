"""The working folder of a run: tables as files that all workers map read-only.

Tables are files because the operating system loads a memory-mapped file once for all workers, /dev/shm may be
small, and a killed process leaves only a folder behind, which the next run removes.
"""

from __future__ import annotations

import math
import shutil
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import attrs
import numpy as np
from numpy.typing import NDArray

from epcg_core.base import documents
from epcg_core.base.errors import StoreError
from epcg_core.chunks.objective import as_words
from epcg_core.domain import Bits
from epcg_core.query.spec import FilterSpec, InputSpec, RunSpec
from epcg_core.runs.reuse import input_run
from epcg_core.runs.sequence import read_run
from epcg_core.runs.worker import TableFile, mapped_inputs
from epcg_core.search.planner import FILTER
from epcg_core.search.protocol import Search
from epcg_core.store import Reader, RunRecord, Store, sparse


def folder_beside(database: Path) -> Path:
    """Return the working folder of the database's writer."""
    return database.with_name(f"{database.name}.work")


def limits_of(needed: InputSpec, spec: RunSpec) -> tuple[float, float]:
    """Return the limits for the values of an input of bits: those of a filter, or at least 1."""
    if needed.role != FILTER or spec.filter is None:
        return 1.0, math.inf
    return limits_between(spec.filter)


def limits_between(limits: FilterSpec) -> tuple[float, float]:
    """Return a filter's limits, infinite if it names none."""
    low, high = limits.min, limits.max
    return -math.inf if low is None else low, math.inf if high is None else high


def in_memory(tables: Mapping[str, Any]) -> dict[str, Any]:
    """Copy tables by role, bits or (n,) arrays, so that they outlive the files that they are mapped from."""
    return {
        role: attrs.evolve(table, data=np.array(table.data)) if isinstance(table, Bits) else np.array(table)
        for role, table in tables.items()
    }


class WorkingFolder:
    """A folder beside the database, there while a run is computed."""

    def __init__(self, database: Path | None) -> None:
        self._database = database
        self._folder = Path()
        self._files: list[TableFile] = []

    def __enter__(self) -> WorkingFolder:
        if self._database is None:
            self._folder = Path(tempfile.mkdtemp(prefix=documents.temporary_prefix()))
        else:
            self._folder = folder_beside(self._database)
            shutil.rmtree(self._folder, ignore_errors=True)  # left by a run that was killed
        return self

    def __exit__(self, *exception: object) -> None:
        shutil.rmtree(self._folder, ignore_errors=True)

    def tables(
        self, search: Search, spec: RunSpec, store: Store, record: RunRecord | None = None
    ) -> tuple[TableFile, ...]:
        """Prepare the tables of the run's solver: its inputs, and those that the search makes of them.

        `record` is the run, if it is recorded already: it goes on with the inputs that it began with.
        """
        self.inputs(spec, store, record)
        search.prepare(spec, mapped_inputs(tuple(self._files)), self._allocate)
        return tuple(self._files)

    def inputs(self, spec: RunSpec, store: Store, record: RunRecord | None = None) -> dict[str, Any]:
        """Prepare the inputs from other runs, as bits or values by rank: those that `record` read, if any."""
        self._files = []
        with store.reader() as reader:
            for needed in spec.inputs:
                run = input_run(reader, record, needed.role) or read_run(needed, reader)
                if run is not None and needed.kind == "best":
                    self._best(reader, run, needed)
                elif run is not None and needed.kind == "values":
                    self._values(reader, run, needed)
                elif run is not None:
                    self._input(reader, run, needed, spec)
                elif needed.required:
                    raise StoreError(f"The run that '{needed.role}' is read from is not finished.")
        return mapped_inputs(tuple(self._files))

    def _input(self, reader: Reader, run: RunRecord, needed: InputSpec, spec: RunSpec) -> None:
        """Write a recorded metric as an array of bits by rank; for a filter, whether it is in the limits."""
        low, high = limits_of(needed, spec)
        data = self._map(f"input-{len(self._files)}", np.dtype(np.uint8), (run.max_rank + 7) // 8)
        reader.bits(run, needed.metric, low, high, data)
        path = str(self._folder / f"input-{len(self._files)}")
        self._files.append(TableFile("input", needed.role, path, run.max_rank))

    def _values(self, reader: Reader, run: RunRecord, needed: InputSpec) -> None:
        """Write a recorded metric as an array of values by rank."""
        name = f"input-{len(self._files)}"
        dtype = reader.table_type(run, needed.metric)
        data = self._map(name, dtype, run.max_rank).view(dtype)
        reader.table(run, needed.metric, data)
        self._files.append(
            TableFile("values", needed.role, str(self._folder / name), run.max_rank, dtype.str)
        )

    def _best(self, reader: Reader, run: RunRecord, needed: InputSpec) -> None:
        """Write the best candidate of another run as a table for the solvers."""
        objective = sparse.objective_of(run)
        assert objective is not None
        metric = needed.run.metrics[0]
        self._allocate(needed.role, 3)[:] = as_words(sparse.recorded_best(reader, run, objective), metric)

    def _allocate(self, name: str, words: int) -> NDArray[np.uint64]:
        found = self._map(f"table-{len(self._files)}", np.dtype(np.uint64), words)
        path = str(self._folder / f"table-{len(self._files)}")
        self._files.append(TableFile("table", name, path, words))
        return found.view(np.uint64)

    def _map(self, file: str, dtype: np.dtype[np.generic], length: int) -> NDArray[np.uint8]:
        if length == 0:
            return np.zeros(0, np.uint8)
        path = self._folder / file
        try:
            self._folder.mkdir(exist_ok=True)
            documents.reserve(path, length * dtype.itemsize)
        except OSError as error:
            raise StoreError(
                f"The working folder {self._folder} cannot hold a table of "
                f"{documents.size_in_words(length * dtype.itemsize)} "
                f"({error.strerror}). Recorded values are kept: make room and run the query again."
            ) from error
        return np.memmap(path, dtype=dtype, mode="r+", shape=(length,)).view(np.ndarray).view(np.uint8)

"""The working folder of a run: tables as files that all workers map read-only.

Files, because a table that workers share as a memory map is loaded once by the operating system, survives
a small /dev/shm and leaves nothing behind when a process is killed but a folder, which the next run removes.
"""

from __future__ import annotations

import math
import shutil
import tempfile
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from epcg_core.bits import pack
from epcg_core.domain import Bits
from epcg_core.errors import StoreError
from epcg_core.search.exhaustive import FILTER
from epcg_core.search.plan import InputSpec, RunSpec, Search
from epcg_core.store import Reader, RunRecord, Store
from epcg_core.store.chunks import decode
from epcg_core.work import TableFile, mapped_inputs


class WorkingFolder:
    """A folder beside the database, there while a run is computed."""

    def __init__(self, database: Path | None) -> None:
        self._database = database
        self._folder = Path()
        self._files: list[TableFile] = []

    def __enter__(self) -> WorkingFolder:
        if self._database is None:
            self._folder = Path(tempfile.mkdtemp(prefix="epcg-"))
        else:
            self._folder = self._database.with_name(f"{self._database.name}.work")
            shutil.rmtree(self._folder, ignore_errors=True)  # of a run that was killed
        return self

    def __exit__(self, *exception: object) -> None:
        shutil.rmtree(self._folder, ignore_errors=True)

    def tables(self, search: Search, spec: RunSpec, store: Store) -> tuple[TableFile, ...]:
        """All that the run's solver reads: its inputs, and the tables that the search makes of them."""
        self.inputs(spec, store)
        search.prepare(spec, mapped_inputs(tuple(self._files)), self._allocate)
        return tuple(self._files)

    def inputs(self, spec: RunSpec, store: Store) -> dict[str, Bits]:
        """What the run reads of others, as bits by rank."""
        self._files = []
        with store.reader() as reader:
            for needed in spec.inputs:
                run = reader.find(needed.run.identity)
                if run is not None and run.done:
                    self._input(reader, run, needed, spec)
                elif needed.required:
                    raise StoreError(f"The run that '{needed.role}' is read from is not finished.")
        return mapped_inputs(tuple(self._files))

    def _input(self, reader: Reader, run: RunRecord, needed: InputSpec, spec: RunSpec) -> None:
        """A recorded metric as one array of bits, by rank; for a filter, whether it lies in the limits."""
        low, high = 1.0, math.inf
        if needed.role == FILTER and spec.filter is not None:
            low = -math.inf if spec.filter.min is None else spec.filter.min
            high = math.inf if spec.filter.max is None else spec.filter.max
        if run.start != 0 or run.stop != run.max_rank:
            raise StoreError(f"Run {run.id} covers a part of its space only, so other runs cannot read it.")
        count = run.stop
        bits = self._map(f"input-{len(self._files)}", np.dtype(np.uint8), (count + 7) // 8)
        column = reader.column(run.id, needed.metric)
        direct = column.metric is not None and column.metric.kind == "bool" and (low, high) == (1.0, math.inf)
        for chunk in reader.chunks(run.id, needed.metric):
            if direct and chunk.evaluated == chunk.valued == chunk.count and chunk.start % 8 == 0:
                packed = np.frombuffer(chunk.data, np.uint8)
            else:
                wanted = np.zeros(chunk.count, np.bool_)
                values = decode(chunk)
                inside = (values >= low) & (values <= high)
                missing = reader.missing(run.id, column, chunk)
                if missing is not None:
                    inside &= ~missing
                wanted[reader.ranks(run.id, chunk) - chunk.start] = inside
                packed = pack(wanted).data
            bits[chunk.start // 8 : chunk.start // 8 + len(packed)] = packed
        path = str(self._folder / f"input-{len(self._files)}")
        self._files.append(TableFile("input", needed.role, path, count))

    def _allocate(self, name: str, words: int) -> NDArray[np.uint64]:
        found = self._map(f"table-{len(self._files)}", np.dtype(np.uint64), words)
        path = str(self._folder / f"table-{len(self._files)}")
        self._files.append(TableFile("table", name, path, words))
        return found.view(np.uint64)

    def _map(self, file: str, dtype: np.dtype[np.generic], length: int) -> NDArray[np.uint8]:
        if length == 0:
            return np.zeros(0, dtype)
        self._folder.mkdir(exist_ok=True)
        return np.memmap(self._folder / file, dtype=dtype, mode="w+", shape=(length,)).view(np.ndarray)

"""Parts of a run: which units each computes."""

from __future__ import annotations

import shlex

import sqlalchemy as sa

from epcg_core.base.errors import ParamsError, StoreError
from epcg_core.query.spec import RunSpec
from epcg_core.runs.sequence import search_of
from epcg_core.search.protocol import RunSequenceSearch
from epcg_core.store import Reader, RunRecord, schema
from epcg_core.store.records import Part

UNITS = 64
"""Units of a part, if that makes none larger than a chunk."""
LAYER_UNITS = 2
"""Units of a part of a layer, for each of which a search may go through all of the layer before."""


def part_unit_size(spec: RunSpec, chunk_size: int, part: Part, wanted: int | None) -> int:
    """Return the ranks in a unit, the same for all parts of a run, on any machine.

    Raises ParamsError if the size that is wanted neither divides chunks nor is a multiple of them.
    """
    if wanted is not None:
        if wanted % chunk_size and chunk_size % wanted:
            raise ParamsError(
                f"unit_size: {wanted} does not fit chunks of {chunk_size} ranks, which parts need: choose a "
                "divisor or a multiple."
            )
        return wanted
    layered = isinstance(search_of(spec), RunSequenceSearch)
    total = spec.stop - spec.start
    size = max(1, -(-total // ((LAYER_UNITS if layered else UNITS) * part.of)))
    if size >= chunk_size:
        return size // chunk_size * chunk_size if layered else chunk_size
    return int(1 << (size.bit_length() - 1))


def check_part(record: RunRecord, part: Part | None, location: str) -> None:
    """Raise StoreError if an unfinished run is not computed in this part."""
    if record.part == part:
        return
    is_ = "was begun whole" if record.part is None else f"is part {record.part}"
    goes_on = f"epcg resume {record.id} --db {shlex.quote(location)}"
    raise StoreError(f"Run {record.id} of {location} {is_}: go on with {goes_on}, or choose another --db.")


def is_complete(reader: Reader, record: RunRecord) -> bool:
    """Return whether all units of a run are recorded."""
    table = schema.unit.c
    covered = sa.select(sa.func.sum(table.count)).where(table.run_id == record.id)
    return record.part is None and int(reader.connection.scalar(covered) or 0) == record.candidates

"""Facts of a run that stand in columns of their own: how it came about, what it keeps, what its space is."""

from __future__ import annotations

import json
from collections.abc import Mapping
from itertools import pairwise
from typing import Any

import attrs
import sqlalchemy as sa

from epcg_core.base.errors import DamagedError
from epcg_core.base.params import canonical_json
from epcg_core.domain import WHOLE, Omission, Reading
from epcg_core.store import recorded, schema
from epcg_core.store.records import Part, Sample


@attrs.frozen
class Facts:
    """The facts of a new run."""

    counted: bool = False
    """Whether it keeps counts instead of values."""
    solutions: bool = False
    """Whether its digests cover the solutions that its search finds."""
    part: Part | None = None
    again_of: int | None = None
    """The earlier run beside which it is computed again."""
    omission: Omission | None = None
    reading: Reading | None = None
    files: Mapping[str, str] = attrs.field(factory=dict)
    """The absolute path of each file or folder that its params name."""

    def columns(self) -> dict[str, Any]:
        """Return the columns of the table of runs that hold them."""
        return {
            "kept_values": "counts" if self.counted else "all",
            "solutions": int(self.solutions),
            "part": None if self.part is None else self.part.index,
            "parts": None if self.part is None else self.part.of,
            "again_of": self.again_of,
            "left_out": None if self.omission is None else canonical_json(attrs.asdict(self.omission)),
            "reading": None if self.reading is None else canonical_json(self.reading.data()),
            "files": canonical_json(dict(self.files)) if self.files else None,
        }


def facts_of(row: Any) -> dict[str, Any]:
    """Read what a run's columns tell beside its specification, as keywords of `RunRecord`.

    Raises DamagedError if a column is not what EPCG writes.
    """

    def parsed(name: str, shape: Any) -> Any:
        text = getattr(row, name)
        return None if text is None else recorded.parsed(text, f"The column {name} of run {row.id}", shape)

    omission, reading = parsed("left_out", recorded.OMISSION), parsed("reading", recorded.READING)
    whole = row.part is None
    _check_numbers(row)
    return {
        "kept_values": row.kept_values,
        "solutions": bool(row.solutions),
        "sample": None if row.sample_size is None else _sample(row, parsed("sample_strata", recorded.STRATA)),
        "part": None if whole else Part(row.part, row.parts),
        "merged_of": row.parts if whole else None,
        "again_of": row.again_of,
        "omission": None if omission is None else Omission(**omission),
        "reading": WHOLE if reading is None else Reading(**reading),
        "files": parsed("files", recorded.TEXTS) or {},
        "imported": parsed("imported", recorded.IMPORTED) or {},
    }


def _sample(row: Any, strata: Any) -> Sample:
    if strata is None:
        return Sample(row.sample_size, row.sample_seed)
    cuts = tuple(strata["cuts"])
    if strata["by"] < 1 or any(high <= low for low, high in pairwise((row.start, *cuts, row.stop))):
        raise DamagedError(f"The record of run {row.id} is damaged: its strata do not lie in its range.")
    if row.sample_size is None or row.sample_size <= len(cuts):
        raise DamagedError(
            f"The record of run {row.id} is damaged: it has more strata than ranks were drawn."
        )
    return Sample(row.sample_size, row.sample_seed, strata["by"], cuts)


def _check_numbers(row: Any) -> None:
    """Raise DamagedError if the numbers of its part or its sample do not fit together."""
    part, parts, size, seed = row.part, row.parts, row.sample_size, row.sample_seed
    if (part is not None and not 1 <= part <= (parts or 0)) or (parts is not None and parts < 1):
        raise DamagedError(f"The record of run {row.id} is damaged: it is called part {part} of {parts}.")
    if (size is None) != (seed is None) or (size is not None and size < 1):
        raise DamagedError(
            f"The record of run {row.id} is damaged: it is called a sample of {size} with seed {seed}."
        )


def set_state(connection: sa.Connection, run_id: int, state: str) -> None:
    """Record that a run is 'running' or was 'stopped'."""
    connection.execute(sa.update(schema.run).where(schema.run.c.id == run_id).values(state=state))


def set_rows(connection: sa.Connection, run_id: int, rows: str) -> None:
    """Record of which candidates a run has rows: 'all', 'kept' or 'none'."""
    connection.execute(sa.update(schema.run).where(schema.run.c.id == run_id).values(rows=rows))


def set_sample(connection: sa.Connection, run_id: int, sample: Sample) -> None:
    """Record a run's sample, which is not part of the run's identity."""
    strata = json.dumps({"by": sample.by, "cuts": sample.cuts}) if sample.by else None
    values = {"sample_size": sample.size, "sample_seed": sample.seed, "sample_strata": strata}
    connection.execute(sa.update(schema.run).where(schema.run.c.id == run_id).values(values))


def drop_values(connection: sa.Connection, run_id: int) -> None:
    """Drop the values of a finished run; its units, counts and digests stay."""
    connection.execute(sa.delete(schema.score_chunk).where(schema.score_chunk.c.run_id == run_id))
    connection.execute(sa.update(schema.run).where(schema.run.c.id == run_id).values(kept_values="none"))

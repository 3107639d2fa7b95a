"""The edits of a space of variants, and those that make each recorded variant."""

from __future__ import annotations

from itertools import groupby

import sqlalchemy as sa

from epcg_core.domain import EditedContent
from epcg_core.errors import CheckFailedError
from epcg_core.params import canonical_json
from epcg_core.store import schema
from epcg_core.verification.derived.subject import Subject, same


def edits(subject: Subject) -> str:
    """Check the space's list of edits, and the edits of every variant that has rows."""
    run, connection = subject.run, subject.reader.connection
    if subject.planned:
        return subject.planned
    space = sa.select(schema.run.c.space_id).where(schema.run.c.id == run.id).scalar_subquery()
    table, generator = schema.edit.c, subject.generator
    rows = connection.execute(
        sa.select(table.position, table.description, table.change)
        .where(table.space_id == space)
        .order_by(table.position)
    )
    wanted = [
        (position, edit.description, canonical_json(dict(edit.change)))
        for position, edit in enumerate(getattr(generator, "edits", ()))
    ]
    same("list of the space's edits", [*map(tuple, rows)], wanted)
    variant = schema.variant_edit.c
    made = connection.execution_options(stream_results=True).execute(
        sa.select(variant.rank, variant.position)
        .where(variant.space_id == space)
        .order_by(variant.rank, variant.position)
    )
    if not isinstance(generator, EditedContent):
        if made.first() is not None:
            raise CheckFailedError("Edits of variants are recorded, and the space is not one of variants.")
        return "The space is not one of edited content."
    number = 0
    for rank, group in groupby(made, key=lambda row: int(row.rank)):
        same(f"list of edits of rank {rank}", [row.position for row in group], [*generator.edits_of(rank)])
        number += 1
    _check_none_missing(subject, space)
    return f"{len(wanted):,} edits and those of {number:,} recorded variants are the generator's."


def _check_none_missing(subject: Subject, space: sa.ScalarSelect[int]) -> None:
    """Check that each variant with rows in a finished run has its edits recorded."""
    run, score, variant = subject.run, schema.score.c, schema.variant_edit.c
    first = subject.reader.columns(run.id)[0].id
    known = sa.exists().where(variant.space_id == space, variant.rank == score.rank)
    without = sa.select(score.rank).where(score.run_id == run.id, score.metric_id == first, ~known)
    for rank in subject.reader.connection.scalars(without) if run.done else ():
        if len(subject.generator.edits_of(rank)):
            raise CheckFailedError(f"The edits of the variant at rank {rank} are not recorded.")

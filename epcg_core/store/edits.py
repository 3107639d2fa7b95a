"""The elementary edits of a space of variants, and the edits that make each recorded variant."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

import sqlalchemy as sa

from epcg_core.base.params import canonical_json
from epcg_core.domain import Edit
from epcg_core.store import schema, statements
from epcg_core.store.reader import Reader

_BATCH = 10_000

EditsOf = Callable[[int], Sequence[int]]
"""rank -> the positions of the edits that make the variant."""


def save_edits(connection: sa.Connection, space_id: int, edits: Sequence[Edit]) -> None:
    """Record the elementary edits of a space; of those that are there, other words for the same change."""
    table = schema.edit
    of_space = table.c.space_id == space_id
    recorded = {
        position: (description, change)
        for position, description, change in connection.execute(
            sa.select(table.c.position, table.c.description, table.c.change).where(of_space)
        )
    }
    rows = [
        {"space_id": space_id, "position": position, "description": edit.description,
         "change": canonical_json(dict(edit.change))}
        for position, edit in enumerate(edits)
    ]  # fmt: skip
    if rows and not recorded:
        connection.execute(sa.insert(table), rows)
    for row in rows if recorded else ():
        position = row["position"]
        description, change = recorded.get(position, ("", ""))
        if change == row["change"] and description != row["description"]:
            other = sa.update(table).where(of_space, table.c.position == position)
            connection.execute(other.values(description=row["description"]))


def has_edits(connection: sa.Connection, run_id: int) -> bool:
    """Return whether a run's space has recorded edits."""
    space = sa.select(schema.run.c.space_id).where(schema.run.c.id == run_id).scalar_subquery()
    known = sa.select(schema.edit.c.position).where(schema.edit.c.space_id == space).limit(1)
    return connection.scalar(known) is not None


def save_variants(connection: sa.Connection, run_id: int, edits_of: EditsOf) -> None:
    """Record the edits of every variant with rows in a run."""
    run, score, table = schema.run.c, schema.score.c, schema.variant_edit
    space_id = connection.scalar(sa.select(run.space_id).where(run.id == run_id))
    metrics = [column.id for column in Reader(connection).columns(run_id) if column.metric is not None]
    known = sa.select(table.c.rank).where(table.c.space_id == space_id)
    wanted = (
        sa.select(score.rank)
        .where(score.run_id == run_id, score.metric_id == metrics[0], score.rank.not_in(known))
        .order_by(score.rank)
    )
    ranks = list(connection.scalars(wanted))
    for low in range(0, len(ranks), _BATCH):
        statements.insert_many(connection, table, _rows(space_id, ranks[low : low + _BATCH], edits_of))


def edits_in_words(connection: sa.Connection, run_id: int, ranks: Iterable[int]) -> dict[int, str]:
    """Map the ranks of a run's recorded variants to their edits, as the view `edit_effects` shows them."""
    space_id = connection.scalar(sa.select(schema.run.c.space_id).where(schema.run.c.id == run_id))
    edit, variant = schema.edit.c, schema.variant_edit.c
    same = sa.and_(variant.space_id == edit.space_id, variant.position == edit.position)
    query = (
        sa.select(edit.description)
        .join(schema.variant_edit, same)
        .where(variant.space_id == space_id, variant.rank == sa.bindparam("variant"))
        .order_by(variant.position)
    )
    found = {rank: connection.scalars(query, {"variant": rank}).all() for rank in ranks}
    return {rank: "; ".join(descriptions) for rank, descriptions in found.items() if descriptions}


def _rows(space_id: int | None, ranks: Iterable[int], edits_of: EditsOf) -> list[dict[str, int | None]]:
    return [
        {"space_id": space_id, "rank": rank, "position": int(position)}
        for rank in ranks
        for position in edits_of(rank)
    ]

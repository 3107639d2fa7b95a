"""Votes in the database: recorded, read and checked."""

from __future__ import annotations

from typing import Any

import sqlalchemy as sa

from epcg_core.plugin import CheckFailedError, EpcgError, Reader, RunRecord, Store, has_tables, make_tables

NAME = "votes"


def add(location: str, run_id: int, rank: int, stars: int) -> None:
    """Record a vote.

    Args:
        location: the database.
        run_id: the run's number.
        rank: the rank of the puzzle that the vote is on.
        stars: 1 to 5.

    Raises:
        EpcgError: if the run did not evaluate the rank.
    """
    with Store.open(location) as store, store.reader() as reader:
        _require_evaluated(reader, reader.run(run_id), rank)
    with Store.open(location, write=True) as store:
        make_tables(store, NAME)
        with store.transaction() as connection:
            connection.execute(
                sa.text("INSERT INTO votes_vote (run_id, rank, stars) VALUES (:run, :rank, :stars)"),
                {"run": run_id, "rank": rank, "stars": stars},
            )


def listed(reader: Reader, run_id: int) -> list[tuple[int, int, float]]:
    """Return (rank, number of votes, mean of their stars) of the puzzles of a run, the best first."""
    if not has_tables(reader, NAME):
        return []
    rows = reader.connection.execute(
        sa.text("SELECT rank, votes, stars FROM votes WHERE run_id = :run ORDER BY stars DESC, rank"),
        {"run": run_id},
    )
    return [(rank, votes, stars) for rank, votes, stars in rows]


def of_run(run: Any) -> list[tuple[int, int, float]]:
    """Return what `listed` does: the method `votes` of the runs of `epcg_core`."""
    with Store.open(run.database.location) as store, store.reader() as reader:
        return listed(reader, run.number)


def prove(reader: Reader, run: RunRecord) -> str | None:
    """Check that the run evaluated all candidates that have votes."""
    votes = listed(reader, run.id)
    if not votes:
        return None
    for rank, _, _ in votes:
        try:
            _require_evaluated(reader, run, rank)
        except EpcgError as error:
            raise CheckFailedError(str(error)) from error
    return f"The run evaluated all {len(votes):,} candidates that have votes."


def _require_evaluated(reader: Reader, run: RunRecord, rank: int) -> None:
    if not run.start <= rank < run.stop or not _has_values(reader, run, rank):
        raise EpcgError(f"Run {run.id} has no values of rank {rank}, so it cannot have votes.")


def _has_values(reader: Reader, run: RunRecord, rank: int) -> bool:
    (values,) = reader.scores_at(run.id, [rank])
    return any(value is not None for value in values.values())

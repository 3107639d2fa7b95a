"""Changes of a database: merging, forgetting, upgrading, rows of chunks."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import attrs
import sqlalchemy as sa

from epcg_core.api import words
from epcg_core.api.arguments import checked
from epcg_core.api.report import Note, Report, Table, location_of
from epcg_core.api.words import naming_db
from epcg_core.plugins.scripts import end_of_parts
from epcg_core.runs import merging
from epcg_core.runs.coordinator import Options, materialize as make_rows
from epcg_core.runs.ledger import run_data
from epcg_core.runs.merging import Merged
from epcg_core.store import Store, schema
from epcg_core.store.forget import Loss, forget as delete, loss_of
from epcg_core.store.upgrade import Upgraded, upgrade as upgraded


@attrs.frozen(repr=False)
class Merge(Report):
    """The runs that were put together of parts."""

    into: str
    runs: tuple[Merged, ...]

    def parts(self) -> Iterator[str | Table]:
        """Yield the digest of each run, and what is missing."""
        for merged in self.runs:
            run = merged.run
            yield Note(f"Run {run.id} ({run.space}): {merged.units:,} units merged.")
            if merged.gaps:
                missing = sum(high - low for low, high in merged.gaps)
                yield Note(
                    f"{missing:,} ranks are missing: merge further parts, or compute them with epcg resume "
                    f"{run.id}{naming_db(self.into)}."
                )
                continue
            yield f"{run.digest}"
            kept = merged.outcome.kept if merged.outcome is not None else 0
            yield Note(f"It is complete: {run.evaluated:,} candidates evaluated, {kept:,} kept.")

    def json(self) -> dict[str, Any]:
        """Return the runs, with what is missing."""
        return {
            "into": self.into,
            "runs": [
                run_data(each.run)
                | {
                    "query": each.query.name,
                    "units_merged": each.units,
                    "missing": [[low, high - 1] for low, high in each.gaps],
                }
                for each in self.runs
            ],
        }


@checked
def merge(
    into: str | Path,
    parts: Sequence[str | Path],
    *,
    incomplete: bool = False,
    accept_older: bool = False,
) -> Merge:
    """Put the parts of a run together in a database, as `epcg merge` does.

    Args:
        into: the database, which is made if there is none.
        parts: the databases of the parts.
        incomplete: merge what there is, although ranks are missing.
        accept_older: merge parts that were computed with other sources.

    Raises:
        EpcgError: if the parts do not fit.
    """
    end_of_parts()
    options = Options(quiet=True, accept_older=accept_older)
    found = merging.merge(str(into), [*map(str, parts)], incomplete=incomplete, options=options)
    return Merge(str(into), tuple(found))


@attrs.frozen(repr=False)
class Forgetting(Report):
    """A run that is deleted, or would be, and what is lost with it."""

    run: int
    search: str
    space: str
    loss: Loss
    deleted: bool

    @property
    def lost(self) -> str:
        """The losses, in words."""
        loss = self.loss
        values = f"{words.count(loss.evaluated)} evaluated candidates, {words.size(loss.bytes)}"
        found = [f"run {self.run}, {self.search} {self.space}: {values}"]
        if loss.kept:
            found.append(f"{words.count(loss.kept)} kept candidates")
        found += [f"the answer to the query {name}" for name in loss.queries]
        found += [f"where the curriculum {name} has its puzzles from" for name in loss.curricula]
        return "; ".join(found)

    def parts(self) -> Iterator[str | Table]:
        """Yield a sentence."""
        yield Note(f"Forgotten: {self.lost}." if self.deleted else f"This would be lost: {self.lost}.")

    def json(self) -> dict[str, Any]:
        """Return the run and what is lost."""
        about = {"run": self.run, "search": self.search, "space": self.space, "deleted": self.deleted}
        return about | attrs.asdict(self.loss)


@checked
def forget(run: int, *, yes: bool = False, db: str | Path | None = None) -> Forgetting:
    """Delete a run, and what only it needs, as `epcg forget` does; without `yes`, say what would be lost.

    Raises StoreError if there is no such run, or if others were computed from it.
    """
    location = location_of(db)
    with Store.open(location) as store, store.reader() as reader:
        record, loss = reader.run(run), loss_of(reader, run)
    if yes:
        with Store.open(location, write=True) as store, store.transaction() as connection:
            delete(connection, run)
    return Forgetting(run, record.search, record.space, loss, yes)


@attrs.frozen(repr=False)
class Upgrade(Report):
    """The outcome of an upgrade of a database."""

    location: str
    done: Upgraded

    def parts(self) -> Iterator[str | Table]:
        """Yield a sentence."""
        done = self.done
        kept = f" What it was is in {done.copy}." if done.copy is not None else ""
        if done.old != done.new:
            yield Note(
                f"The database {self.location} is upgraded from schema {done.old} to {done.new}.{kept}"
            )
        elif done.tables:
            tables = ", ".join(done.tables)
            yield Note(f"The tables of plugins in {self.location} are upgraded: {tables}.{kept}")
        else:
            yield Note(f"The database {self.location} has the newest schema, {done.new}, already.")

    def json(self) -> dict[str, Any]:
        """Return the revisions, and the file with what was before."""
        done = self.done
        copy = None if done.copy is None else str(done.copy)
        return {"old": done.old, "new": done.new, "copy": copy, "tables": list(done.tables)}


@checked
def upgrade(db: str | Path | None = None) -> Upgrade:
    """Bring a database of an older EPCG up to this one's schema, as `epcg db upgrade` does.

    Raises StoreError if that fails, for example because another process is writing.
    """
    location = location_of(db)
    return Upgrade(location, upgraded(location))


@attrs.frozen(repr=False)
class Materialized(Report):
    """The rows that were made of a run's chunks."""

    run: int
    rows: int

    def parts(self) -> Iterator[str | Table]:
        """Yield a sentence."""
        asked = f"SELECT * FROM scores WHERE run_id = {self.run}"
        yield Note(f"Run {self.run} has {words.count(self.rows)} rows: {asked}.")

    def json(self) -> dict[str, Any]:
        """Return the number of rows."""
        return {"run": self.run, "rows": self.rows}


@checked
def materialize(
    run: int, where: str | None = None, *, index: bool = False, db: str | Path | None = None
) -> Materialized:
    """Make rows of a run's chunks, as `epcg db materialize` does, so that plain SQL reads its scores.

    Args:
        run: the number of the run.
        where: an SQL condition over rank and the run's metrics; None for all candidates.
        index: whether an index by value is made, too.
        db: the database; as for `open`.

    Raises:
        StoreError: if there is no such run, or the condition is invalid.
    """
    location = location_of(db)
    Store.open(location).close()  # a database that does not exist must not be made
    with Store.open(location, write=True) as store:
        with store.reader() as reader:
            reader.run(run)
        make_rows(store, run, where, index)
        with store.reader() as reader:
            rows = reader.connection.scalar(
                sa.select(sa.func.count()).select_from(schema.score).where(schema.score.c.run_id == run)
            )
    return Materialized(run, int(rows or 0))

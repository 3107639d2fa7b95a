"""Runs, their best candidates and curricula as Python objects that display themselves.

    import epcg_core as epcg

    run = epcg.answer("query.toml", {"generator.size": 4})   # a file, or a query that a plugin ships
    run.values("unique")                                    # numpy arrays, by rank
    run.best("unique", 10)                                  # puzzles, drawn in a notebook

    database = epcg.open("epcg.db")
    database.sql("SELECT * FROM layers").frame()            # a pandas or polars DataFrame

Everything is read when it is asked for; a database is opened for a moment only, so that runs can write.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from operator import index
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, overload

import attrs
import numpy as np
from numpy.typing import NDArray

from epcg_core.api.arguments import checked, checked_methods
from epcg_core.api.puzzles import Puzzle, Puzzles
from epcg_core.api.report import Table, location_of
from epcg_core.base.errors import QueryError
from epcg_core.curriculum.booklet import Booklet, read_booklet
from epcg_core.domain import Metric
from epcg_core.plugins.methods import Extensible
from epcg_core.plugins.scripts import end_of_parts
from epcg_core.query.conditions import Written, conditions
from epcg_core.query.puzzle_id import puzzle_id
from epcg_core.query.query import SelectParams
from epcg_core.runs import ledger
from epcg_core.runs.estimates import SampleEstimate, estimates
from epcg_core.store import RunRecord, Store, chunk_queries, columns
from epcg_core.store.short_ids import whole
from epcg_core.store.sql import ask_sql
from epcg_core.verification.verify import VerifyReport, verify

if TYPE_CHECKING:
    AnyNumber = float | np.number[Any] | np.bool_


@checked
def open(location: str | Path | None = None) -> Database:
    """Open a database for reading: `location`, else the file named by EPCG_DB, else epcg.db.

    Raises StoreError if it cannot be read.
    """
    end_of_parts()
    database = Database(location_of(location))
    Store.open(database.location).close()
    return database


@checked_methods
@attrs.frozen
class Database(Extensible):
    """The recorded runs and curricula of a database. No connection is held open."""

    location: str

    @property
    def runs(self) -> list[Run]:
        """All runs, oldest first."""
        with Store.open(self.location) as store, store.reader() as reader:
            return [Run(self, record) for record in reader.runs()]

    def run(self, number: int) -> Run:
        """Return the run with a number. Raises UnknownNameError if there is none."""
        with Store.open(self.location) as store, store.reader() as reader:
            return Run(self, reader.run(index(number)))

    def sql(self, statement: str) -> Table:
        """Run a SELECT. Raises StoreError if the statement is invalid or would change the database."""
        with Store.open(self.location) as store, store.reader() as reader:
            found = ask_sql(reader.connection, statement)
            return Table(found.columns, tuple(found))

    def puzzle(self, id: str) -> Puzzle:
        """Return a puzzle by its id, or by the short id that tables show. Raises QueryError."""
        with Store.open(self.location) as store, store.reader() as reader:
            return Puzzle(whole(reader, id))

    def curriculum(self, name: str) -> Curriculum:
        """Return the newest curriculum with a name, or an older build: 'name#3'. Raises UnknownNameError."""
        with Store.open(self.location) as store, store.reader() as reader:
            return Curriculum(read_booklet(reader, name))

    def _repr_html_(self) -> str:
        columns = "run_id AS run, space, search, state, coverage, candidates, evaluated"
        return self.sql(f"SELECT {columns} FROM runs ORDER BY run_id")._repr_html_()


@checked_methods
@attrs.frozen
class Run(Extensible):
    """A run: the space that was searched, and every recorded value."""

    database: Database
    record: RunRecord = attrs.field(repr=lambda record: f"{record.id}: {record.search} {record.space}")

    @property
    def number(self) -> int:
        return self.record.id

    @property
    def metrics(self) -> list[Metric]:
        """The recorded metrics, in order; imported ones come last."""
        with Store.open(self.database.location) as store, store.reader() as reader:
            return reader.every_metric(self.record.id)

    def values(self, metric: str) -> tuple[NDArray[np.int64], NDArray[Any]]:
        """Return ((n,) ranks, (n,) values) of the candidates that have a value: bool, int64 or float64.

        Raises UnknownNameError. All of them are in memory at once: 9 to 16 bytes a candidate.
        """
        with Store.open(self.database.location) as store, store.reader() as reader:
            dtype = columns.DTYPES[columns.metric_of(reader, self.record.id, metric).kind]
            parts = list(reader.values(self.record.id, metric))
        ranks = [np.zeros(0, np.int64), *(ranks for ranks, _ in parts)]
        values = [np.zeros(0, dtype), *(found for _, found in parts)]
        return np.concatenate(ranks), np.concatenate(values, dtype=dtype)

    def frame(self, library: Literal["pandas", "polars"] | None = None) -> Any:
        """Return a DataFrame with one row per evaluated candidate: its rank and every metric.

        Whole numbers are int64, reals float64, truths bool. A metric that some candidates lack is float64
        with NaN for these, truths as 1 and 0; whole numbers beyond 2^53, which float64 would round, are
        Python's then, with None.
        """
        with Store.open(self.database.location) as store, store.reader() as reader:
            metrics = reader.every_metric(self.record.id)
            parts = list(columns.columns(reader, self.record.id, [metric.name for metric in metrics]))
        ranks = np.concatenate([np.zeros(0, np.int64), *(part.ranks for part in parts)])
        return columns.frame({"rank": ranks} | {m.name: columns.joined(parts, m) for m in metrics}, library)

    def best(
        self,
        metric: str,
        count: int = 10,
        *,
        distinct: bool | Sequence[str] = False,
        lowest: bool | None = None,
        where: Sequence[Mapping[str, Any]] | Sequence[Written] | str = (),
        then: Sequence[str] = (),
        apart: int | str | None = None,
    ) -> Puzzles:
        """Return the best candidates by a metric, as `[[select]]` of a query keeps them.

        Args:
            metric: the metric.
            count: how many.
            distinct: whether only one state of each symmetry class counts; or the symmetries by name.
            lowest: whether the lowest values come first; None for the metric's own direction.
            where: conditions, as "solutions <= 1 and unique" or {"metric": "solutions", "max": 1}.
            then: the metrics that order candidates with equal values.
            apart: in how many places any two differ at least, or a share, as '30 %'.

        Raises:
            UnknownNameError: if the run has no such metric.
            ParamsError: if a condition or `apart` says nothing.
            QueryError: if the space has no symmetries, or `count` is not a positive integer.
        """
        if count < 1:
            raise QueryError(f"count: {count!r} is not a number of candidates: give 1 or more.")
        direction: Literal["max", "min"] | None = None if lowest is None else "min" if lowest else "max"
        rule = SelectParams(
            metric,
            "top",
            count,
            None,
            None,
            direction,
            distinct if isinstance(distinct, bool) else tuple(distinct),
            conditions(where, "where"),
            tuple(then),
            apart,
        )
        with Store.open(self.database.location) as store, store.reader() as reader:
            found = ledger.chosen(reader, self.record, rule).found
        return Puzzles(
            tuple(Puzzle(puzzle_id(self.record.space, rank), {metric: value}) for rank, value in found)
        )

    def percentile(self, metric: str, value: AnyNumber) -> float | None:
        """Return the mid-rank of a value: the percentage of lower values of a metric and half of the equal.

        None if no candidate has a value. Raises UnknownNameError.
        """
        with Store.open(self.database.location) as store, store.reader() as reader:
            return chunk_queries.percentile_of(reader, self.record.id, metric, value)

    def estimates(self) -> SampleEstimate:
        """Return what the sample of the run tells of all candidates, with 95 % confidence intervals.

        Raises StoreError if the run has no sample, or the sample is incomplete.
        """
        with Store.open(self.database.location) as store, store.reader() as reader:
            return estimates(reader, self.record)

    def puzzle(self, rank: int) -> Puzzle:
        """Return a candidate with all its values."""
        with Store.open(self.database.location) as store, store.reader() as reader:
            return Puzzle(puzzle_id(self.record.space, rank), reader.scores_at(self.record.id, [rank])[0])

    def verify(
        self,
        sample: int = 1000,
        seed: int | None = None,
        *,
        this_run_only: bool = False,
        remake: bool = False,
    ) -> VerifyReport:
        """Check the run, and those that it was computed from, as `epcg verify` does.

        Without a seed, the sample is drawn by chance. With `this_run_only` the run holds at best if the other
        runs do, which are not checked. With `remake`, runs whose values were dropped are computed again.
        """
        with Store.open(self.database.location) as store:
            return verify(store, self.record.id, sample, seed, this_run_only=this_run_only, remake=remake)

    def _repr_html_(self) -> str:
        record = self.record
        title = escape(f"Run {record.id}: {record.search} {record.space}")
        facts = f"{record.state}, {record.coverage}: {record.evaluated:,} of {record.candidates:,} evaluated"
        facts += f", {record.pruned:,} pruned" if record.pruned else ""
        facts += f", {record.excluded:,} left out" if record.excluded else ""
        columns = "metric, valued AS 'values', minimum AS lowest, maximum AS highest, mean"
        table = self.database.sql(f"SELECT {columns} FROM metrics WHERE run_id = {record.id}")
        return f"<p><b>{title}</b><br/>{facts}</p>{table._repr_html_()}"


@checked_methods
@attrs.frozen
class Curriculum(Extensible):
    """A curriculum: chapters of puzzles."""

    booklet: Booklet = attrs.field(repr=lambda booklet: booklet.name)

    @property
    def puzzles(self) -> Puzzles:
        """All of them, in order, each with the measures that it was chosen by."""
        return Puzzles(tuple(Puzzle(each.puzzle, each.measures) for each in self.booklet.puzzles()))

    if TYPE_CHECKING:  # a method of epcg-publishing, found by Extensible

        @overload
        def export(self, format: Literal["html", "pdf", "json", "csv"]) -> bytes: ...

        @overload
        def export(self, format: Literal["site"], output: str | Path, **options: Any) -> Path: ...

        def export(self, format: str, output: str | Path | None = None, **options: Any) -> bytes | Path: ...

    def _repr_html_(self) -> str:
        text = f"<h3>{escape(self.booklet.title)}</h3>"
        for chapter in self.booklet.chapters:
            drawn = "".join(
                Puzzle(each.puzzle, {each.measure: each.value})._figure() for each in chapter.puzzles
            )
            text += f"<h4>{chapter.number}. {escape(chapter.title)}</h4><div>{drawn}</div>"
        return text

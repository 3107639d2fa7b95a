"""The functions `epcg_core.reproduce` and `epcg_core.publications`: published results next to ours."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import attrs

import epcg_core as epcg
from epcg_core import Note, Table
from epcg_core.inside import Number, ProgressListener, checked, count, json_value, location_of
from epcg_core.plugin import CheckFailedError, Options, Store, load_query
from epcg_research.reproduce import report
from epcg_research.reproduce.bench import Bench
from epcg_research.reproduce.catalogue import Publication, catalogue, chosen
from epcg_research.reproduce.claims import ClaimResult, claims_of
from epcg_research.reproduce.printed import answer_in_words
from epcg_research.reproduce.rows import TableResult, reproduced
from epcg_research.reproduce.tables import Table as Printed
from epcg_research.reproduce.verdicts import RowResult, Verdict


@attrs.frozen(repr=False)
class Reproduced(epcg.Report):
    """Published results, computed again and compared."""

    results: tuple[TableResult, ...]
    """A result for each table and figure, with its rows."""
    cpu_seconds: float
    """What all runs behind them took together, each counted once."""

    @property
    def claims(self) -> list[ClaimResult]:
        """What each paper claims, with the verdict."""
        return list(claims_of(self.results))

    @property
    def unexplained(self) -> list[tuple[TableResult, RowResult]]:
        """The rows that differ without a reason, each with its table."""
        return [(t, r) for t in self.results for r in t.rows if r.verdict is Verdict.UNEXPLAINED]

    def demand(self) -> None:
        """Raise CheckFailedError if a row differs without a reason."""
        wrong = self.unexplained
        if wrong:
            told = [f"{t.name}, '{r.row.label}' is {_ours(r)}, not {r.row.expected}" for t, r in wrong]
            raise CheckFailedError(f"{len(wrong)} differences have no reason: {'; '.join(told)}.")

    def parts(self) -> Iterator[str | Table]:
        """Yield the rows of each table, then how many are equal."""
        for result in self.results:
            rows = [_cells(row) for row in result.rows]
            yield Table.of(report.HEADER, rows, title=heading(result))
            yield ""
        yield Note(report.summary(self.results, self.cpu_seconds))

    def table(self) -> Table:
        """Return a row for each published number: its table, both numbers, the verdict and why."""
        rows = [[result.name, *_cells(row)] for result in self.results for row in result.rows]
        return Table.of(("table", *report.HEADER), rows)

    def claim_table(self) -> Table:
        """Return a row for each claim of the papers: where it stands, what it says, the verdict and why."""
        return Table.of(report.CLAIM_HEADER, [report.claim_cells(claim) for claim in self.claims])

    def json(self) -> dict[str, Any]:
        """Return all tables with their rows, and the claims."""
        found: dict[str, Any] = json_value(report.as_data(self.results, self.cpu_seconds))
        return found


@attrs.frozen(repr=False)
class Publications(epcg.Report):
    """The papers whose results can be computed again."""

    publications: tuple[Publication, ...]

    @property
    def tables(self) -> list[tuple[Publication, Printed]]:
        """The tables and figures, each with its paper."""
        return [(publication, table) for publication in self.publications for table in publication.tables]

    def parts(self) -> Iterator[str | Table]:
        """Yield the papers, then their tables and figures."""
        for publication in self.publications:
            yield Note(f"{publication.name}: {publication.info.title}")
        yield Note("")
        yield self.table()

    def table(self) -> Table:
        """Return a row for each table or figure: how much content lies behind it, and what is quick of it."""
        columns = ("table", "printed", "candidates", "rows", "quick", "data", "what it says")
        return Table.of(columns, [
            [
                publication.full_name(table),
                table.printed or "-",
                count(table.candidates),
                len(table.rows),
                sum(row.quick for row in table.rows),
                "needed" if any(row.reads_data for row in table.rows) else "-",
                table.title,
            ]
            for publication, table in self.tables
        ])  # fmt: skip

    def json(self) -> list[dict[str, Any]]:
        """Return an object for each table or figure."""
        return [
            {
                "table": publication.full_name(table),
                "paper": publication.paper,
                "source": publication.info.title,
                "printed": table.printed,
                "title": table.title,
                "candidates": table.candidates,
                "rows": len(table.rows),
                "quick": sum(row.quick for row in table.rows),
                "out_of_reach": sum(row.out_of_reach is not None for row in table.rows),
                "needs_data": any(row.reads_data for row in table.rows),
            }
            for publication, table in self.tables
        ]


@checked
def publications() -> Publications:
    """Return the papers whose results can be computed again, as `epcg reproduce list` prints them.

    Raises:
        EpcgError: if the file of a publication is at fault.
    """
    return Publications(catalogue())


@checked
def reproduce(
    name: str = "all",
    *,
    quick: bool = False,
    data: str | Path | None = None,
    db: str | Path | None = None,
    workers: int | None = None,
    executor: str | None = None,
    again: bool = False,
    accept_older: bool = False,
    progress: ProgressListener | None = None,
) -> Reproduced:
    """Compute published results again and compare, as `epcg reproduce run` does.

    Every result comes from recorded runs; those that are absent are made first.

    Args:
        name: 'all', a paper such as '2018', a publication, or one table as 'publication/table'.
        quick: compute only what takes seconds.
        data: the folder of published levels and puzzles that some rows read.
        db: the database; as for `open`.
        workers: the number of workers; default: one for each core.
        executor: 'serial', 'processes', 'threads' or 'dask'.
        again: compute recorded runs again.
        accept_older: use recorded runs that were computed with other sources.
        progress: is called with the table that is begun, how many were before it, and how many there are.

    Raises:
        UnknownNameError: if there is no such paper or table.
        EpcgError: if a plugin, a file or the database is at fault.
    """
    options = Options(executor, workers, True, again=again, accept_older=accept_older)
    found = chosen(catalogue(), name)
    number = sum(len(publication.tables) for publication in found)
    begun = iter(range(number))

    def begin(publication: Publication, table: Printed) -> None:
        if progress is not None:
            progress(publication.full_name(table), next(begun), number)

    folder = None if data is None else Path(data)
    with Bench(location_of(db), load_query, folder, options) as bench:
        return compared(found, bench, quick, begin)


def compared(
    found: Sequence[Publication], bench: Bench, quick: bool, begin: Callable[[Publication, Printed], None]
) -> Reproduced:
    """Compute the tables of publications; `begin(publication, table)` is called before each."""
    results = tuple(reproduced(found, bench, quick, begin))
    used = {run for table in results for row in table.rows for run in row.runs}
    with Store.open(bench.store.location) as store, store.reader() as reader:
        return Reproduced(results, sum(reader.run(each).cpu_seconds for each in sorted(used)))


def heading(result: TableResult) -> str:
    """Return the title of a table's rows."""
    printed = f" ({result.table.printed})" if result.table.printed else ""
    return f"{result.name}{printed}: {result.table.title}"


def _cells(row: RowResult) -> list[Any]:
    own = report.cells(row)
    return [own[0], Number(own[1]), own[2], Number(own[3]), *own[4:7], Number(own[7])]


def _ours(result: RowResult) -> str:
    return "-" if result.ours is None else answer_in_words(result.ours)

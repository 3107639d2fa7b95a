"""The rows of publications, computed one after the other."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import attrs

from epcg_core.plugin import PluginError, RunInterruptedError, resolve
from epcg_research.reproduce.bench import Bench, NoDataError, NotAtHandError, with_run
from epcg_research.reproduce.catalogue import Publication
from epcg_research.reproduce.printed import RowAnswer
from epcg_research.reproduce.tables import Computed, Row, Table
from epcg_research.reproduce.verdicts import RowResult, Verdict, compare, without_result

QUICK = "--quick leaves it out"


@attrs.frozen
class TableResult:
    """A table with the results of its rows."""

    publication: Publication
    table: Table
    rows: tuple[RowResult, ...]

    @property
    def name(self) -> str:
        return self.publication.full_name(self.table)


def reproduced(
    publications: Sequence[Publication],
    bench: Bench,
    quick: bool = False,
    begin: Callable[[Publication, Table], None] = lambda publication, table: None,
) -> Iterator[TableResult]:
    """Yield every table of the publications as soon as it is computed, after calling `begin` with it.

    With `quick`, only rows marked as quick are computed. Raises RunInterruptedError if a run stopped (the
    same call goes on there), PluginError if a row is malformed.
    """
    for publication in publications:
        for table in publication.tables:
            begin(publication, table)
            name = publication.full_name(table)
            yield TableResult(
                publication, table, tuple(_result(row, bench, quick, name) for row in table.rows)
            )


def _result(row: Row, bench: Bench, quick: bool, where: str) -> RowResult:
    if not row.computable or (quick and not row.quick):
        return without_result(row, QUICK)
    bench.begin()
    try:
        ours, how, sql = _ours(row, bench)
    except NoDataError as error:
        return without_result(row, str(error), Verdict.NEEDS_DATA)
    except NotAtHandError as error:
        return without_result(row, str(error))
    except RunInterruptedError as error:
        error.add_note(f"It was made for '{row.label}' of {where}; the same command goes on there.")
        raise
    verdict, reason = compare(row, ours.value)
    used = bench.used()
    return RowResult(
        row=row,
        verdict=verdict,
        ours=ours.value,
        detail=ours.detail,
        reason=reason,
        how=how,
        sql=sql,
        runs=tuple(run.id for run in used),
        computed=bench.computed(),
        cpu_seconds=sum(run.cpu_seconds for run in used) if used else None,
    )


def _ours(row: Row, bench: Bench) -> tuple[Computed, str, str]:
    """Compute (ours, the question as a command, the SELECT)."""
    if row.ask is not None:
        run = bench.answer(row.ask.query, row.ask.set)
        if row.reduce is None:
            ours = bench.value(row.sql, run)
        else:
            ours = resolve(row.reduce)(bench.rows(row.sql, run))
        return _checked(row, ours), bench.in_words(row.ask), with_run(row.sql, run)
    assert row.compute is not None
    return _checked(row, row.compute(bench)), row.how, ""


def _checked(row: Row, found: Any) -> Computed:
    if isinstance(found, tuple) and len(found) == 2:
        found = Computed(*found)
    computed = found if isinstance(found, Computed) else Computed(found)
    ours: RowAnswer = computed.value
    if isinstance(ours, bool) or not isinstance(ours, int | float | str):
        raise PluginError(
            f"The row '{row.label}' is computed as {ours!r}, which is neither a number nor a string."
        )
    return computed

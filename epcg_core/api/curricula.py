"""Curricula: built from plans, listed, and shown with the reasons of their choices."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import attrs

from epcg_core.api import words
from epcg_core.api.answering import quietly
from epcg_core.api.arguments import checked, checked_methods
from epcg_core.api.costs import Costs
from epcg_core.api.objects import Curriculum, Database
from epcg_core.api.report import Report, Table, location_of
from epcg_core.curriculum.build import Built, build, check, queries_of
from epcg_core.curriculum.plan import Plan, load_plan
from epcg_core.execution.progress import listened_to_by
from epcg_core.plugins.scripts import end_of_parts
from epcg_core.runs.answers import estimates, with_on_error
from epcg_core.runs.coordinator import Options
from epcg_core.runs.dry_run import TRY_SECONDS, together
from epcg_core.store import Store, curricula
from epcg_core.store.curricula import CurriculumRow

if TYPE_CHECKING:
    from epcg_core.execution.progress import ProgressListener


@checked_methods
@attrs.frozen(repr=False)
class Choices(Report):
    """The choices of a curriculum: chapters, their parts, and why each puzzle was chosen or rejected."""

    number: int
    row: CurriculumRow

    def parts(self) -> Iterator[str | Table]:
        """Yield the chosen puzzles, each with its reason."""
        header = ["chapter", "position", "puzzle", "measure", "value", "reason"]
        yield Table.of(header, [
            [i, row.position, row.puzzle.puzzle, part.measure, row.value, row.reason]
            for i, chapter in enumerate(self.row.chapters, 1)
            for part in chapter.parts
            for row in part.selections
        ])  # fmt: skip

    def rejected(self) -> Table:
        """Return how many candidates each rule rejected."""
        header = ["chapter", "part", "rule", "rejected", "recorded"]
        return Table.of(header, [
            [i, part.name, *counts]
            for i, chapter in enumerate(self.row.chapters, 1)
            for part in chapter.parts
            for counts in part.rejections
        ])  # fmt: skip

    def chapters(self) -> Table:
        """Return a row for each part of a chapter: how many were chosen, and of what measure."""
        rows = []
        for i, chapter in enumerate(self.row.chapters, 1):
            for part in chapter.parts:
                values = [row.value for row in part.selections if row.position is not None]
                rows.append([
                    i, chapter.title, part.name, words.count(part.candidates), len(values), part.measure,
                    min(values), max(values),
                ])  # fmt: skip
        header = ["chapter", "title", "part", "candidates", "chosen", "measure", "lowest", "highest"]
        if not any(row[2] for row in rows):
            header, rows = [h for h in header if h != "part"], [[*row[:2], *row[3:]] for row in rows]
        return Table.of(header, rows)

    def json(self) -> dict[str, Any]:
        """Return the chapters with all their puzzles."""
        return _data(self.row, self.number)


@checked
def list_curricula(db: str | Path | None = None) -> Table:
    """List the curricula of a database, as `epcg curriculum show` does. Raises StoreError."""
    with Store.open(location_of(db)) as store, store.reader() as reader:
        rows = [*curricula.listed(reader.connection)]
    return Table.of(("number", "name", "title", "chapters", "puzzles"), rows)


@checked
def show_curriculum(name: str, *, db: str | Path | None = None) -> Choices:
    """Return why the puzzles of a curriculum were chosen, as `epcg curriculum show` does.

    Args:
        name: of the newest build; of an older one with its number: 'first-steps#3'.
        db: the database; as for `open`.

    Raises:
        UnknownNameError: if there is no such curriculum.
    """
    with Store.open(location_of(db)) as store, store.reader() as reader:
        number = curricula.find(reader.connection, name)
        return Choices(number, curricula.read(reader.connection, number, rejected=False))


@checked
def build_curriculum(
    plan: str | Path | Plan,
    values: Mapping[str, Any] | None = None,
    *,
    db: str | Path | None = None,
    workers: int | None = None,
    executor: str | None = None,
    quiet: bool | None = None,
    again: bool = False,
    accept_older: bool = False,
    progress: ProgressListener | None = None,
) -> Curriculum:
    """Build the curriculum of a plan, as `epcg curriculum build` does.

    Args:
        plan: a file, the name of a plan that a plugin ships, or a plan that was read.
        values: other values for some keys of the plan, as in {"chapters.0.count": 5}.
        db: the database; as for `open`.
        workers: the number of workers; default: one for each core.
        executor: 'serial', 'processes', 'threads' or 'dask'.
        quiet: show no progress; default: show it in notebooks only.
        again: compute recorded runs again.
        accept_older: use recorded runs that were computed with other sources.
        progress: is called with the title of what is computed, how much of it is done, and how much it is.

    Raises:
        EpcgError: if the plan, a query, a plugin or the database is at fault.
    """
    end_of_parts()
    location = location_of(db)
    read = _plan_of(plan, values)
    options = Options(executor, workers, quietly(quiet), again=again, accept_older=accept_older)
    with listened_to_by(progress):
        built(read, location, options)
    return Database(location).curriculum(read.name)


def built(
    plan: Plan, location: str, options: Options, on_error: Literal["stop", "record"] | None = None
) -> Built:
    """Build the curriculum of a plan that was read.

    Args:
        plan: the plan.
        location: the database.
        options: how runs are computed.
        on_error: what happens to candidates whose evaluator raises; None for what the queries say.

    Raises:
        EpcgError: if the plan, a query, a plugin or the database is at fault.
    """
    check(plan)
    with Store.open(location, write=True) as store:
        return build(plan, store, options, partial(with_on_error, on_error=on_error))


@checked
def estimate_curriculum(
    plan: str | Path | Plan, values: Mapping[str, Any] | None = None, *, db: str | Path | None = None
) -> Costs | None:
    """Check a plan, and say what its runs would take, as `epcg curriculum build --dry-run` does.

    Args:
        plan: as for `build_curriculum`.
        values: other values for some keys of the plan.
        db: the database; as for `open`.

    Returns:
        The costs; None of a plan without queries.

    Raises:
        EpcgError: if the plan is at fault.
    """
    end_of_parts()
    location = location_of(db)
    read = _plan_of(plan, values)
    check(read)
    if Path(location).is_file():
        with Store.open(location) as store, store.reader() as reader:
            check(read, reader)
    queries = list(queries_of(read).values())
    if not queries:
        return None
    seconds = max(0.5, TRY_SECONDS / len(queries))
    found = together([estimates(query, location, seconds=seconds) for query in queries])
    return Costs("plan", read.name, location, found)


def _plan_of(plan: str | Path | Plan, values: Mapping[str, Any] | None) -> Plan:
    if isinstance(plan, Plan):
        return plan
    return load_plan(str(plan), (values or {}).items())


def _data(found: curricula.CurriculumRow, number: int) -> dict[str, Any]:
    return {
        "curriculum": number,
        "name": found.name,
        "title": found.title,
        "sha256": found.sha256,
        "runs": [run for run, _ in found.runs],
        "chapters": [
            {
                "name": chapter.name,
                "title": chapter.title,
                "parts": [
                    {
                        "name": part.name,
                        "source": part.source,
                        "measure": part.measure,
                        "rule": part.rule,
                        "candidates": part.candidates,
                        "chosen": [
                            {"position": row.position, "puzzle": row.puzzle.puzzle, "value": row.value,
                             "reason": row.reason}
                            for row in part.selections if row.position is not None
                        ],
                        "rejected": [
                            {"rule": rule, "count": count, "recorded": recorded}
                            for rule, count, recorded in part.rejections
                        ],
                    }
                    for part in chapter.parts
                ],
            }
            for chapter in found.chapters
        ],
    }  # fmt: skip

"""Answers to queries, what they would take, and runs that go on."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import attrs

from epcg_core.api import words
from epcg_core.api.arguments import checked, checked_methods
from epcg_core.api.costs import Costs
from epcg_core.api.facts import (
    METRIC_HEADER,
    candidate_table,
    error_parts,
    metric_row,
    missing_parts,
    reading_parts,
)
from epcg_core.api.objects import Database, Run
from epcg_core.api.report import Note, Report, Table, Warned, location_of
from epcg_core.api.samples import sample_data, sample_parts
from epcg_core.base.errors import EpcgError
from epcg_core.domain import Reading
from epcg_core.execution.notebook_bar import in_notebook
from epcg_core.execution.progress import listened_to_by
from epcg_core.plugins.scripts import end_of_parts
from epcg_core.query import named
from epcg_core.query.query import Query
from epcg_core.query.short_ids import shortened
from epcg_core.rendering.render import render
from epcg_core.runs import answers
from epcg_core.runs.answers import Answered
from epcg_core.runs.coordinator import Options, Outcome
from epcg_core.runs.ledger import error_facts, metric_facts, missing_facts, run_data, selected
from epcg_core.runs.solutions import Solutions
from epcg_core.store import Reader, RunRecord, Store
from epcg_core.store.records import Part, Sample

if TYPE_CHECKING:
    from epcg_core.execution.progress import ProgressListener

SHOWN = 10
"""Kept candidates that the text shows of each selection."""
SHOWN_AS_JSON = 100


@checked_methods
@attrs.frozen(repr=False)
class Answer(Run, Report):
    """The run that answers a query; as a report, what `epcg run` prints."""

    query: Query
    outcome: Outcome

    @classmethod
    def of(cls, answered: Answered) -> Answer:
        """Return the answer that a service gave."""
        outcome = answered.outcome
        return cls(Database(answered.store.location), outcome.goal, answered.query, outcome)

    @property
    def runs(self) -> list[Run]:
        """The run, and those that were needed for it, oldest first."""
        return [Run(self.database, record) for record in self.outcome.runs]

    @property
    def sampled(self) -> bool:
        """Whether the run is a sample that leaves candidates open."""
        goal = self.outcome.goal
        recorded = goal.evaluated + goal.pruned + goal.excluded
        return goal.sample is not None and recorded < goal.population

    def json(self) -> dict[str, Any]:
        """Return the runs with their metrics, and the first hundred of what each selection kept."""
        with Store.open(self.database.location) as store, store.reader() as reader:
            data = _outcome_data(reader, self.query, self.outcome)
            if self.sampled:
                data["estimates"] = sample_data(reader, self.outcome.goal)
        return data

    def parts(self) -> Iterator[str | Table]:
        """Yield the runs, their metrics, and the best of what was kept, with a picture of the first."""
        goal = self.outcome.goal
        part = goal.part if not goal.done else None
        with Store.open(self.database.location) as store, store.reader() as reader:
            data = _outcome_data(reader, self.query, self.outcome)
            if self.query.title:
                yield f"{self.query.title}\n"
            yield _runs(data)
            if self.sampled:
                yield from sample_parts(reader, goal)
                return
            if part is not None:
                low, high = part.limits(goal)
                no = "no rank, because there are fewer units"
                covers = f"ranks {low:,} to {high - 1:,}" if high > low else no
                where = self.database.location
                yield Note(f"\nPart {part} is computed: {covers}. All parts: epcg merge INTO {where} ...")
                return
            yield from _metrics(data)
            yield from _kept(data, reader, goal)


@checked
def answer(
    query: str | Path | Mapping[str, Any] | Query,
    values: Mapping[str, Any] | None = None,
    *,
    db: str | Path | None = None,
    workers: int | None = None,
    executor: str | None = None,
    sample: int | None = None,
    quiet: bool | None = None,
    again: bool = False,
    accept_older: bool = False,
    progress: ProgressListener | None = None,
) -> Answer:
    """Answer a query, as `epcg run` does, and return the run that answers it.

    Args:
        query: a file, the name of a shipped query, a table, a text in TOML, or a query that was read.
        values: other values for some keys of the query, as in {"generator.size": 5}.
        db: the database; as for `open`.
        workers: the number of workers; default: one for each core.
        executor: 'serial', 'processes', 'threads' or 'dask'.
        sample: evaluate only that many candidates, drawn by a seed that follows from the space.
        quiet: show no progress; default: show it in notebooks only.
        again: compute a recorded run again.
        accept_older: use a recorded run that was computed with other sources.
        progress: is called with the title of what is computed, how much of it is done, and how much it is.

    Raises:
        EpcgError: if the query, a plugin or the database is at fault.
        OutdatedRunError: if a recorded run was computed with other sources.
    """
    end_of_parts()
    query = named.query_of(query, values or {})
    options = Options(executor, workers, quietly(quiet), again=again, accept_older=accept_older)
    drawn = None if sample is None else Sample(sample)
    with listened_to_by(progress), answers.answer(query, location_of(db), options, drawn) as found:
        return Answer.of(found)


@checked
def resume(
    run: int | None = None,
    *,
    db: str | Path | None = None,
    workers: int | None = None,
    executor: str | None = None,
    on_error: Literal["stop", "record"] | None = None,
    quiet: bool | None = None,
    accept_older: bool = False,
    progress: ProgressListener | None = None,
) -> Answer | None:
    """Go on with a run that stopped, as `epcg resume` does, and return the answer of its query.

    Args:
        run: its number; None for the newest run that is not finished.
        db: the database; as for `open`.
        workers: the number of workers; default: one for each core.
        executor: 'serial', 'processes', 'threads' or 'dask'.
        on_error: what happens to candidates whose evaluator raises; None for what the query says.
        quiet: show no progress; default: show it in notebooks only.
        accept_older: go on although the run was begun with other sources.
        progress: is called with the title of what is computed, how much of it is done, and how much it is.

    Returns:
        The answer; None if every run is finished.

    Raises:
        EpcgError: if the run, a plugin or the database is at fault.
    """
    end_of_parts()
    options = Options(executor, workers, quietly(quiet), accept_older=accept_older)
    location = location_of(db)
    number = answers.resumable(location) if run is None else run
    if number is None:
        return None
    with listened_to_by(progress), answers.resume(location, number, options, on_error) as found:
        return Answer.of(found)


@checked
def estimate(
    query: str | Path | Mapping[str, Any] | Query,
    values: Mapping[str, Any] | None = None,
    *,
    db: str | Path | None = None,
    sample: int | None = None,
) -> Costs:
    """Say what a query would take, as `epcg run --dry-run` does; nothing is recorded.

    Args:
        query: as for `answer`.
        values: other values for some keys of the query.
        db: the database; as for `open`.
        sample: the size of the sample, if only that is to be evaluated.

    Raises:
        EpcgError: if the query, a plugin or the database is at fault.
    """
    end_of_parts()
    query = named.query_of(query, values or {})
    return estimated(query, location_of(db), None if sample is None else Sample(sample))


def estimated(query: Query, location: str, sample: Sample | None = None, part: Part | None = None) -> Costs:
    """Say what a query that was read would take."""
    return Costs("query", query.name, location, answers.estimates(query, location, sample, part=part), part)


def quietly(quiet: bool | None) -> bool:
    """Return whether no progress is shown: unless it is asked for, it is shown in notebooks only."""
    return not in_notebook() if quiet is None else quiet


def _outcome_data(reader: Reader, query: Query, outcome: Outcome) -> dict[str, Any]:
    """Everything that an answer is made of, as JSON-like data."""
    runs = [
        run_data(record)
        | {
            "computed": record.id in outcome.computed,
            "metrics": metric_facts(reader, record.id),
            "missing": missing_facts(reader, record),
            "errors": error_facts(reader, record.id),
        }
        for record in outcome.runs
    ]
    rules = query.select if outcome.goal.done else ()
    part = None if outcome.goal.done or outcome.goal.part is None else str(outcome.goal.part)
    kept = [selected(reader, outcome.goal, rule, SHOWN_AS_JSON) for rule in rules]
    again = None if outcome.again is None or not outcome.again.number else str(outcome.again)
    return {"query": query.name, "title": query.title, "runs": runs, "goal": outcome.goal.id, "part": part,
            "kept_candidates": outcome.kept, "kept": kept, "computed_again": again}  # fmt: skip


def _runs(data: dict[str, Any]) -> Table:
    counts = ["candidates", "evaluated", "excluded"]
    if any(run["pruned"] for run in data["runs"]):
        counts.insert(2, "pruned")
    return Table.of(
        ["run", "space", "search", *counts, "coverage", "", "digest"],
        [
            [
                run["run"],
                run["space"],
                run["search"],
                *(words.count(run[name]) for name in counts),
                run["coverage"],
                "computed" if run["computed"] else "reused",
                (run["digest"] or "")[:12],
            ]
            for run in data["runs"]
        ],
    )


def _metrics(data: dict[str, Any]) -> Iterator[str | Table]:
    yield ""
    yield Table.of(
        ["run", *METRIC_HEADER],
        [[run["run"], *metric_row(facts)] for run in data["runs"] for facts in run["metrics"]],
    )
    for unread, unsearched in dict.fromkeys(
        (run["unread"] or "", tuple(run["unsearched"] or ())) for run in data["runs"]
    ):
        yield from reading_parts(Reading("", unread, unsearched), "\n")
    for run in data["runs"]:
        yield from missing_parts(run["run"], run["missing"])
        yield from error_parts(run["run"], run["errors"])


def _kept(data: dict[str, Any], reader: Reader, goal: RunRecord) -> Iterator[str | Table]:
    for kept in data["kept"]:
        shown = kept["candidates"][:SHOWN]
        more = f"; the first {len(shown)}" if len(shown) < kept["count"] else ""
        yield f"\nKept by '{kept['rule']}': {kept['count']:,}{more}"
        if shown:
            yield Table.of(*candidate_table(shown, list(shown[0]["scores"])))
        if kept["wish"] is not None:
            equal = kept["wish"]["equal"]
            more = f" As good as the last of them: {equal:,} more." if equal else ""
            yield Note(kept["wish"]["text"] + more)
        if kept["tied"] is not None:
            yield Warned(
                f"all {kept['count']:,} have the same value, and so have {kept['tied']:,} "
                "candidates in all: the first by rank were kept. A second measure would tell them apart, or "
                'a finer one; keep = "best" keeps all of them.'
            )
    first = next((kept["candidates"][0] for kept in data["kept"] if kept["candidates"]), None)
    if first is not None:
        try:
            recorded = Solutions(reader).recorded(goal.space, first["rank"])
            drawn = render(first["puzzle"], solution=next(iter(recorded), True) or True)
        except EpcgError as error:  # the run is complete and recorded all the same
            yield Warned(error)
        else:
            yield f"\n{shortened(first['puzzle'])}\n{drawn.rstrip()}"

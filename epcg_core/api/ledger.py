"""Recorded runs: the runs of a database, all about one of them, and its best candidates."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

import attrs
import sqlalchemy as sa

from epcg_core.api import words
from epcg_core.api.arguments import checked
from epcg_core.api.facts import (
    METRIC_HEADER,
    candidate_table,
    error_parts,
    histogram_bars,
    metric_row,
    missing_parts,
)
from epcg_core.api.report import Note, Report, Table, location_of
from epcg_core.base import documents
from epcg_core.base.errors import QueryError, UnknownNameError
from epcg_core.base.params import toml_text
from epcg_core.plugins.scripts import end_of_parts
from epcg_core.query.conditions import Written, conditions
from epcg_core.query.query import SelectParams
from epcg_core.query.short_ids import shortened
from epcg_core.runs.ledger import differences, run_data, run_details, selected
from epcg_core.runs.sampling import drawn_by
from epcg_core.store import Reader, RunRecord, Store, extensions

NOTED = 5
"""Kept candidates with a note whose ranks are shown."""


@attrs.frozen(repr=False)
class RunList(Report):
    """The runs of a database, oldest first."""

    records: tuple[RunRecord, ...]
    queries: Mapping[int, str]
    """The queries that asked for each run, by its number."""
    differs: Mapping[int, Mapping[str, Any]]
    """The params in which each run differs from others of the same search over the same space."""
    unseen: tuple[str, ...] = ()
    """Tables of plugins that are not in use here."""

    def __len__(self) -> int:
        return len(self.records)

    def parts(self) -> Iterator[str | Table]:
        """Yield a row for each run."""
        told = {
            number: ", ".join(
                key if value is True else f"{key} = {toml_text(value)}" for key, value in own.items()
            )
            for number, own in self.differs.items()
        }
        extra = ["differs in"] if any(told.values()) else []
        header = ["run", "space", "search", "state", "coverage", "candidates", "evaluated", "CPU time"]
        yield Table.of(
            [*header, *extra, "query"],
            [
                [
                    record.id,
                    record.space,
                    record.search,
                    record.state,
                    record.coverage,
                    words.count(record.candidates),
                    words.count(record.evaluated),
                    words.duration(record.cpu_seconds),
                    *([told[record.id]] if extra else []),
                    self.queries[record.id],
                ]
                for record in self.records
            ],
        )
        if self.unseen:
            yield Note(f"Tables of plugins that are not in use here: {', '.join(self.unseen)}.")

    def json(self) -> list[dict[str, Any]]:
        """Return the entry of each run."""
        return [
            run_data(each) | {"queries": self.queries[each.id], "differs": dict(self.differs[each.id])}
            for each in self.records
        ]


@checked
def list_runs(db: str | Path | None = None) -> RunList:
    """List the runs of a database, as `epcg runs` does. Raises EpcgError."""
    with Store.open(location_of(db)) as store, store.reader() as reader:
        records = reader.runs()
        unseen = extensions.without_plugin(reader.connection)
        rows = reader.connection.execute(sa.text("SELECT run_id, queries FROM runs"))
        queries = {row.run_id: row.queries or "" for row in rows}
    return RunList(tuple(records), queries, differences(records), tuple(unseen))


@attrs.frozen(repr=False)
class RunDetails(Report):
    """All that is recorded about a run except its candidates."""

    record: RunRecord
    data: Mapping[str, Any]
    """Everything by name, as `json` returns it."""

    def parts(self) -> Iterator[str | Table]:
        """Yield facts, the metrics, candidates without a value, and the distributions."""
        data = dict(self.data)
        yield "\n".join(f"{name:<13}{text}" for name, text in _facts(self.record, data))
        yield ""
        yield Table.of(METRIC_HEADER, [metric_row(facts) for facts in data["metrics"]])
        yield from missing_parts(self.record.id, data["missing"])
        yield from error_parts(self.record.id, data["errors"])
        for facts in data["metrics"]:
            bins = data["histograms"].get(facts["metric"], [])
            if bins:
                yield "\n" + "\n".join(histogram_bars(facts, bins))

    def json(self) -> dict[str, Any]:
        """Return everything by name."""
        return dict(self.data)


@checked
def show(run: int, *, db: str | Path | None = None) -> RunDetails:
    """Return everything about a run by its number, as `epcg show` does. Raises EpcgError."""
    end_of_parts()
    with Store.open(location_of(db)) as store, store.reader() as reader:
        record = reader.run(run)
        return RunDetails(record, run_details(reader, record))


def _facts(record: RunRecord, data: dict[str, Any]) -> list[tuple[str, str]]:
    """(label, text) of all that is not a table."""
    layer = "" if record.layer is None else f", layer {record.layer}"
    rate = f", {record.evaluated / record.cpu_seconds:,.0f} candidates a second" if record.cpu_seconds else ""
    facts = [
        ("Run", f"{record.id}, {record.state}{layer}"),
        ("Space", f"{record.space} ({record.max_rank:,} ranks)"),
        ("Search", _part(record.search, data["search_params"])),
    ]
    facts += [
        ("Evaluator" + (f" {e['as']}" if "as" in e else ""), _part(e["name"], e["params"]))
        for e in data["evaluators"]
    ]
    if data["filter"]:
        limits = data["filter"]
        facts.append(("Filter", f"{limits['metric']} in {_limits(limits['min'], limits['max'])}"))
    facts.append(("Coverage", coverage_in_words(record)))
    facts += [("Input", _input(each)) for each in data["inputs"]]
    for query in data["queries"]:
        title = f", titled by its asker: {query['title']}" if query["title"] else ""
        facts.append(("Query", f"{query['name']}{title}" + ("" if query["goal"] else " (on its way)")))
    facts += [
        ("Units", f"{data['units']:,} of {record.unit_size:,} ranks each"),
        ("Recorded", f"{words.size(data['bytes'])} in {data['chunks']:,} chunks; rows: {record.rows}"),
        ("CPU time", f"{words.duration(record.cpu_seconds)}{rate}"),
        ("Time", f"{record.created_at} to {record.finished_at or '?'}"),
        ("Made with", ", ".join([*data["versions"], *map(" ".join, data["environment"].items())])),
        ("Sources", _sources(record)),
        ("Digest", record.digest or "-"),
    ]
    if data["computed_again"] is not None:
        facts.append(("Again", f"computed again beside run {data['computed_again']}"))
    if record.part is not None and not record.done:
        low, high = record.part.limits(record)
        facts.append(("Part", f"{record.part}: ranks {low} to {high - 1}"))
    if record.merged_of is not None:
        facts.append(("Merged", f"of {record.merged_of} parts"))
    facts += [
        ("Imported", f"{name}, {origin['values']:,} values of {origin['file']}, at {origin['at']}")
        for name, origin in data["imported"].items()
    ]
    for note in dict.fromkeys(data["notes"].values()):
        ranks = [rank for rank, own in data["notes"].items() if own == note]
        more = ", ..." if len(ranks) > NOTED else ""
        facts.append(("Kept", f"{len(ranks):,} of the kept ({', '.join(ranks[:NOTED])}{more}) were {note}"))
    facts += [("Accepted", f"for other sources ({d[:12]}) at {at}") for d, at in data["accepted"].items()]
    return facts


def _sources(record: RunRecord) -> str:
    """Say how many source files a run was computed with, and their digest."""
    if record.sources is None:
        return "unknown: the run is older than their record"
    return f"{len(record.sources.files)} files ({record.sources.digest[:12]})"


def coverage_in_words(record: RunRecord) -> str:
    """Say what a run covers, and why that is all, or not all, of its space."""
    covered = record.evaluated + record.pruned + record.excluded
    if not record.done:
        part = words.share(covered, record.candidates)
        drawn = ""
        if record.sample is not None:
            chosen = ", which was chosen by hand" if drawn_by(record) == "hand" else ""
            drawn = f", with a sample of {record.sample.size:,} drawn with seed {record.sample.seed}{chosen}"
            strata = len(record.sample.cuts) + 1
            drawn += f", from {strata:,} strata" if record.sample.by else ""
        return (
            f"partial: {covered:,} of {record.candidates:,} candidates ({part}){drawn}; "
            f"`epcg resume {record.id}`"
        )
    parts = [f"{record.evaluated:,} evaluated"]
    if record.pruned:
        parts.append(f"{record.pruned:,} pruned by a bound")
    if record.excluded:
        by = "excluded by the filter" if record.spec.get("filter") else "left out by the search"
        parts.append(f"{record.excluded:,} {by}")
        if not record.spec.get("filter"):
            parts.append("not exhaustive: a better candidate may be among these")
    if record.omission is not None:
        parts.append(f"the space leaves out {record.omission}")
    if str(record.reading):
        parts.append(f"of the content {record.reading}")
    if record.candidates == record.max_rank:
        return f"{record.coverage}: all {record.max_rank:,} ranks, {', '.join(parts)}"
    return (
        f"{record.coverage}: ranks {record.start:,} to {record.stop - 1:,} of {record.max_rank:,}, "
        f"{', '.join(parts)}"
    )


def _part(name: str, params: dict[str, Any]) -> str:
    text = ", ".join(f"{key} = {json.dumps(value)}" for key, value in params.items())
    return f"{name} ({text})" if text else name


def _limits(low: float | None, high: float | None) -> str:
    return f"{'..' if low is None else f'{low:g}'} to {'..' if high is None else f'{high:g}'}"


@attrs.frozen(repr=False)
class Top(Report):
    """The best candidates of a run by a metric."""

    run: int
    metric: str
    direction: Literal["max", "min"]
    """Which end comes first."""
    so_far: str
    """Which of the candidates the run has so far; '' if all."""
    chosen: Mapping[str, Any]
    """The rule, how many meet its conditions, and the candidates with their values."""

    @property
    def candidates(self) -> Sequence[Mapping[str, Any]]:
        """The candidates, best first: rank, puzzle and scores."""
        found: Sequence[Mapping[str, Any]] = self.chosen["candidates"]
        return found

    def parts(self) -> Iterator[str | Table]:
        """Yield the table, and before it what is first."""
        end, other = ("largest", "min") if self.direction == "max" else ("smallest", "max")
        among = f" Of {self.so_far}." if self.so_far else ""
        yield Note(f"The {end} {self.metric} first; --direction {other} shows the other end.{among}")
        if self.chosen["wish"] is not None:
            yield Note(self.chosen["wish"]["text"])
        found = [dict(each) for each in self.candidates]
        others = (name for name in (found[0]["scores"] if found else ()) if name != self.metric)
        yield Table.of(*candidate_table(found, [self.metric, *others], with_ranks=True))


@checked
def top(
    run: int,
    metric: str | None = None,
    count: int = 10,
    *,
    direction: Literal["max", "min"] | None = None,
    distinct: bool | Sequence[str] = False,
    where: Sequence[Written] | str = (),
    then: Sequence[str] = (),
    apart: int | str | None = None,
    db: str | Path | None = None,
) -> Top:
    """List the best candidates of a run, as `epcg top` does; `Run.best` returns them as puzzles.

    Args:
        run: the number of the run.
        metric: the metric; None for the query's first, else the run's first.
        count: how many candidates.
        direction: which end is best; None for the metric's own.
        distinct: whether only one of each symmetry class counts; or the symmetries by name.
        where: conditions, as 'solutions <= 1 and unique' or {"metric": "solutions", "max": 1}.
        then: the metrics that order candidates with equal values.
        apart: in how many places any two differ at least, or a share, as '30 %'.
        db: the database; as for `open`.

    Raises:
        EpcgError: if there is no such run, metric or symmetry, or a condition says nothing.
    """
    end_of_parts()
    if count < 1:
        raise QueryError(f"count: {count!r} is not a number of candidates: give 1 or more.")
    with Store.open(location_of(db)) as store, store.reader() as reader:
        record = reader.run(run)
        name = metric or _default_metric(reader, run)
        known = {each.name: each for each in reader.every_metric(run)}
        if name not in known:
            raise UnknownNameError("metric", name, known, f"run {run}")
        rule = SelectParams(
            name,
            "top",
            count,
            direction=direction,
            distinct=distinct if isinstance(distinct, bool) else tuple(distinct),
            where=conditions(where, "where"),
            then=tuple(then),
            apart=apart,
        )
        chosen = selected(reader, record, rule, count)
    return Top(run, name, direction or known[name].direction, record.so_far, chosen)


def apart_of(text: str | None) -> int | str | None:
    """Return a distance that was written as text: a whole number as such, else a share."""
    number = None if text is None else documents.whole_number(text.strip())
    return text if number is None else number


def _value(text: str) -> float | bool | None:
    if text in ("true", "false"):
        return text == "true"
    try:
        found = float(text)
    except ValueError:
        return None
    return found if math.isfinite(found) else None


def _default_metric(reader: Reader, run_id: int) -> str:
    names = [metric.name for metric in reader.every_metric(run_id)]
    query = reader.query_of(run_id)
    asked = [rule["metric"] for rule in query[1]["select"]] if query else []
    return next((name for name in asked if name in names), names[0])


def _input(each: dict[str, Any]) -> str:
    """Describe something that a run read."""
    where = f"run {each['run']}" if each["run"] is not None else shortened(each["source"])
    return f"{each['role']}: {where} ({(each['digest'] or '')[:12]})"

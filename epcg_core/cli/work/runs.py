"""Print what is recorded, for `epcg runs`, `epcg show` and `epcg top`."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping, Sequence
from typing import Any, Literal

import click
import sqlalchemy as sa

from epcg_core import documents
from epcg_core.cli import output
from epcg_core.cli.work.facts import (
    METRIC_HEADER,
    candidate_table,
    histogram_bars,
    metric_row,
    print_errors,
    print_missing,
)
from epcg_core.errors import UnknownNameError
from epcg_core.params import toml_text
from epcg_core.query.query import SelectParams, WhereParams
from epcg_core.query.short_ids import shortened
from epcg_core.runs.sampling import drawn_by
from epcg_core.services.ledger import differences, run_data, run_details, selected
from epcg_core.store import Reader, RunRecord, Store, extensions

NOTED = 5
"""Kept candidates with a note whose ranks are printed."""


def runs(location: str, as_json: bool) -> None:
    """Print the runs of a database, oldest first."""
    with Store.open(location) as store, store.reader() as reader:
        records = reader.runs()
        unseen = extensions.without_plugin(reader.connection)
        rows = reader.connection.execute(sa.text("SELECT run_id, queries FROM runs"))
        queries = {row.run_id: row.queries or "" for row in rows}
    differ = differences(records)
    if as_json:
        more = {
            record.id: {"queries": queries[record.id], "differs": differ[record.id]} for record in records
        }
        output.write_json([run_data(record) | more[record.id] for record in records])
        return
    told = {
        number: ", ".join(
            key if value is True else f"{key} = {toml_text(value)}" for key, value in own.items()
        )
        for number, own in differ.items()
    }
    extra = ["differs in"] if any(told.values()) else []
    output.write_table(
        [
            "run",
            "space",
            "search",
            "state",
            "coverage",
            "candidates",
            "evaluated",
            "CPU time",
            *extra,
            "query",
        ],
        [
            [
                record.id,
                record.space,
                record.search,
                record.state,
                record.coverage,
                output.count(record.candidates),
                output.count(record.evaluated),
                output.duration(record.cpu_seconds),
                *([told[record.id]] if extra else []),
                queries[record.id],
            ]
            for record in records
        ],
    )
    if unseen:
        output.say(f"Tables of plugins that are not in use here: {', '.join(unseen)}.")


def show(run_id: int, location: str, as_json: bool) -> None:
    """Print everything about a run."""
    with Store.open(location) as store, store.reader() as reader:
        record = reader.run(run_id)
        data = run_details(reader, record)
    if as_json:
        output.write_json(data)
        return
    output.show("\n".join(f"{name:<13}{text}" for name, text in _facts(record, data)))
    output.show()
    output.write_table(METRIC_HEADER, [metric_row(facts) for facts in data["metrics"]])
    print_missing(run_id, data["missing"])
    print_errors(run_id, data["errors"])
    for facts in data["metrics"]:
        bins = data["histograms"].get(facts["metric"], [])
        if bins:
            output.show("\n" + "\n".join(histogram_bars(facts, bins)))


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
        ("Recorded", f"{output.size(data['bytes'])} in {data['chunks']:,} chunks; rows: {record.rows}"),
        ("CPU time", f"{output.duration(record.cpu_seconds)}{rate}"),
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
        part = output.share(covered, record.candidates)
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


def top(
    run_id: int,
    metric: str | None,
    count: int,
    direction: Literal["max", "min"] | None,
    distinct: bool,
    symmetries: Sequence[str],
    wish: Mapping[str, Any],
    location: str,
    format: str,
) -> None:
    """Print the best candidates of a run by a metric."""
    with Store.open(location) as store, store.reader() as reader:
        record = reader.run(run_id)
        name = metric or _default_metric(reader, run_id)
        known = {each.name: each for each in reader.every_metric(run_id)}
        if name not in known:
            raise UnknownNameError("metric", name, known, f"run {run_id}")
        of_class = tuple(symmetries) or distinct
        rule = SelectParams(name, "top", count, direction=direction, distinct=of_class, **wish)
        chosen = selected(reader, record, rule, count)
        found = chosen["candidates"]
    better = direction or known[name].direction
    end, other = ("largest", "min") if better == "max" else ("smallest", "max")
    among = f" Of {record.so_far}." if record.so_far else ""
    output.say(f"The {end} {name} first; --direction {other} shows the other end.{among}")
    if chosen["wish"] is not None:
        output.say(chosen["wish"]["text"])
    names = [name, *(other for other in (found[0]["scores"] if found else ()) if other != name)]
    output.write(format, *candidate_table(found, names, with_ranks=True))


_CONDITION = re.compile(r"\s*([A-Za-z_]\w*)\s*(<=|>=|=)\s*(\S+)\s*")


def wish_of(conditions: Sequence[str], then: Sequence[str], apart: str | None) -> dict[str, Any]:
    """Read what options say of a wish, as keywords of `SelectParams`. Raises UsageError."""
    where = []
    for text in conditions:
        found = _CONDITION.fullmatch(text)
        value = None if found is None else _value(found[3])
        if found is None or value is None or (isinstance(value, bool) and found[2] != "="):
            raise click.UsageError(
                f"--where {text!r}: write a metric, <=, >= or =, and a number, as 'solutions <= 1' or "
                "'even = true'."
            )
        key = {"<=": "max", ">=": "min", "=": "equals"}[found[2]]
        where.append(WhereParams(found[1], **{key: value}))
    number = None if apart is None else documents.whole_number(apart.strip())
    return {"where": tuple(where), "then": tuple(then), "apart": apart if number is None else number}


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

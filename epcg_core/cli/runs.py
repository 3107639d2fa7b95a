"""`epcg runs`, `epcg show`, `epcg top` and `epcg verify`: what is recorded, and whether it is true.

Imports inside functions keep help and listings free of numpy, SQLAlchemy and plugins.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from click.core import ParameterSource

from epcg_core.cli import output
from epcg_core.cli.options import (
    command,
    db_option,
    format_option,
    json_option,
    run_argument,
    security_options,
    share_option,
)

if TYPE_CHECKING:
    from epcg_core.store import Reader, RunRecord
    from epcg_core.verification.verdicts import Check

BARS = 12
BAR_WIDTH = 40


@command("runs")
@db_option
@json_option
def runs(location: str, as_json: bool) -> None:
    """List the runs of a database, oldest first. Each covers one space; `epcg show RUN` tells more.

    Runs of one search over one space are told apart by the params in which they differ.

    \b
    Example:
      epcg runs --db size7.db
    """
    import sqlalchemy as sa

    from epcg_core.params import toml_text
    from epcg_core.services.ledger import differences, run_data
    from epcg_core.store import Store, extensions

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


@command("show")
@run_argument
@db_option
@json_option
def show(run_id: int, location: str, as_json: bool) -> None:
    """Show everything about RUN: what was searched and how, what it covers, how each metric is distributed,
    what it was computed from, and which query asked for it.

    \b
    Examples:
      epcg show 4
      epcg show 4 --json
    """
    from epcg_core.services.ledger import run_details
    from epcg_core.store import Store

    with Store.open(location) as store, store.reader() as reader:
        record = reader.run(run_id)
        data = run_details(reader, record)
    if as_json:
        output.write_json(data)
        return
    output.show("\n".join(f"{name:<13}{text}" for name, text in _facts(record, data)))
    output.show()
    from epcg_core.cli.work.facts import METRIC_HEADER, metric_row, print_errors, print_missing

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
    facts += [("Input", f"{i['role']}: run {i['run']} ({(i['digest'] or '')[:12]})") for i in data["inputs"]]
    for query in data["queries"]:
        title = f": {query['title']}" if query["title"] else ""
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
    facts += [("Accepted", f"for other sources ({d[:12]}) at {at}") for d, at in data["accepted"].items()]
    return facts


def _sources(record: RunRecord) -> str:
    """Say how many source files a run was computed with, and their digest."""
    if record.sources is None:
        return "unknown: the run is older than their record"
    return f"{len(record.sources.files)} files ({record.sources.digest[:12]})"


def coverage_in_words(record: RunRecord) -> str:
    """Say what a run covers, and why that is all, or not all, of its space."""
    from epcg_core.runs.sampling import was_chosen

    covered = record.evaluated + record.pruned + record.excluded
    if not record.done:
        part = output.share(covered, record.candidates)
        drawn = ""
        if record.sample is not None:
            chosen = ", which was chosen by hand" if was_chosen(record) else ""
            drawn = f", with a sample of {record.sample.size:,} drawn with seed {record.sample.seed}{chosen}"
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
    if record.reading.unread:
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


def histogram_bars(facts: dict[str, Any], bins: Sequence[Sequence[Any]]) -> list[str]:
    """Draw a histogram of at most BARS bars as text; `facts` has the metric's name, kind and unit."""
    merged = _merged(bins)
    most, total = max(bin[2] for bin in merged), sum(bin[2] for bin in merged)
    labels = [_bin_label(low, high, facts["kind"]) for low, high, _ in merged]
    width = max(map(len, labels))
    block = "█" if "utf" in (sys.stdout.encoding or "").lower() else "#"
    unit = f" ({facts['unit']})" if facts["unit"] else ""
    lines = [f"{facts['metric']}{unit}"]
    counts = [f"{number:,}" for _, _, number in merged]
    for label, (_, _, number), text in zip(labels, merged, counts, strict=True):
        bar = block * max(1, round(BAR_WIDTH * number / most)) if number else ""
        percent = output.share(number, total)
        lines.append(f"  {label:>{width}}  {text:>{max(map(len, counts))}}  {percent:>7}  {bar}".rstrip())
    return lines


def _merged(bins: Sequence[Sequence[Any]]) -> list[list[Any]]:
    """Bins of equal width, at most BARS of them; unchanged if they are few."""
    if len(bins) <= BARS:
        return [list(bin) for bin in bins]
    lowest, highest = bins[0][0], bins[-1][1]
    exact = all(isinstance(bin[0], int) and bin[0] == bin[1] for bin in bins)
    step = -(-(highest - lowest + 1) // BARS) if exact else (highest - lowest) / BARS
    merged: list[list[Any]] = []
    for i in range(BARS):
        low = lowest + i * step
        if low <= highest:
            merged.append([low, min(low + step - 1, highest) if exact else low + step, 0])
    for low, _, number in bins:
        merged[min(int((low - lowest) / step), len(merged) - 1)][2] += number
    return merged


def _bin_label(low: Any, high: Any, kind: str) -> str:
    if kind == "bool":
        return "yes" if low else "no"
    if low == high:
        return f"{low:,}" if isinstance(low, int) else f"{low:.4g}"
    if isinstance(low, int) and isinstance(high, int):
        return f"{low:,} to {high:,}"
    return f"{low:.4g} to {high:.4g}"


@command("top")
@run_argument
@click.option("--metric", help="The metric to order by; default: the query's first, else the run's first.")
@click.option("--count", default=10, show_default=True, type=click.IntRange(1), help="How many.")
@click.option(
    "--direction", type=click.Choice(["max", "min"]), help="Which end is best; default: the metric's own."
)
@click.option("--distinct", is_flag=True, help="Only one of the candidates that a symmetry makes equal.")
@click.option(
    "--symmetry", "symmetries", multiple=True, metavar="NAME",
    help="--distinct by these symmetries alone: mirror, say. Repeatable.",
)  # fmt: skip
@db_option
@format_option
def top(
    run_id: int,
    metric: str | None,
    count: int,
    direction: Any,
    distinct: bool,
    symmetries: Sequence[str],
    location: str,
    format: str,
) -> None:
    """List the best candidates of RUN by a metric, from everything that it recorded, with the puzzle ids that
    `epcg render` draws. Equal values are ordered by rank.

    \b
    Examples:
      epcg top 4
      epcg top 4 --metric length --direction min --count 3 --distinct
      epcg top 4 --symmetry mirror --symmetry turn
    """
    from epcg_core.cli.work.facts import candidate_table
    from epcg_core.errors import UnknownNameError
    from epcg_core.query.query import SelectParams
    from epcg_core.services.ledger import selected
    from epcg_core.store import Store

    with Store.open(location) as store, store.reader() as reader:
        record = reader.run(run_id)
        name = metric or _default_metric(reader, run_id)
        known = {each.name: each for each in reader.every_metric(run_id)}
        if name not in known:
            raise UnknownNameError("metric", name, known, f"run {run_id}")
        rule = SelectParams(name, "top", count, direction=direction, distinct=tuple(symmetries) or distinct)
        found = selected(reader, record, rule, count)["candidates"]
    better = direction or known[name].direction
    end, other = ("largest", "min") if better == "max" else ("smallest", "max")
    among = f" Of {record.so_far}." if record.so_far else ""
    output.say(f"The {end} {name} first; --direction {other} shows the other end.{among}")
    names = [name, *(other for other in (found[0]["scores"] if found else ()) if other != name)]
    output.write(format, *candidate_table(found, names, with_ranks=True))


def _default_metric(reader: Reader, run_id: int) -> str:
    names = [metric.name for metric in reader.every_metric(run_id)]
    query = reader.query_of(run_id)
    asked = [rule["metric"] for rule in query[1]["select"]] if query else []
    return next((name for name in asked if name in names), names[0])


@command("verify")
@click.argument("run_id", metavar="[RUN]", required=False, type=click.IntRange(1))
@click.option(
    "--certificate",
    "path",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    metavar="FILE",
    help="Check a certificate, against a database only if --db is given.",
)
@click.option("--sample", default=1000, show_default=True, type=click.IntRange(0),
              help="How many recorded candidates to compute again.")  # fmt: skip
@click.option("--seed", type=click.IntRange(0), help="Which ones; default: a new one, which is shown.")
@click.option("--this-run-only", is_flag=True,
              help="Leave the runs that it was computed from unchecked.")  # fmt: skip
@click.option("--remake", is_flag=True,
              help="Compute runs again whole whose values were dropped when they had served.")  # fmt: skip
@security_options
@share_option("--recompute", "0", "Of a certificate: compute this share of all ranks again whole.")
@db_option
@json_option
@click.pass_context
def verify(
    ctx: click.Context,
    run_id: int | None,
    path: Path | None,
    sample: int,
    seed: int | None,
    this_run_only: bool,
    remake: bool,
    share: float,
    tries: int,
    recompute: float,
    location: str,
    as_json: bool,
) -> None:
    """Prove that RUN is complete and true: its units tile its ranks without gap or overlap, its sums agree,
    its digests match what is recorded, and a random sample is equal when it is computed again: by plain code,
    as far as there is some and a minute goes. The runs that it was computed from are checked in the same way,
    each once.

    A run that is only a sample is checked as one: the recorded ranks are those that its seed draws.

    With --certificate, check a file that `epcg certificate` wrote: with --db against the run in that
    database, without it by computing again what the file opens, and the runs that it was computed from.
    The openings must show that a liar with 2^40 tries (--tries) has changed at most 1 % of the values
    (--share). Exact counts and the best of all need --db, or --recompute.

    The verdicts: it holds (exit code 0); it does not hold, because a check failed (4); it cannot be checked
    here (5), for example because the plugin is missing or has changed: all that can be checked holds. With
    --this-run-only it holds at best if the runs underneath hold, which the verdict names (6).

    \b
    Examples:
      epcg verify 4
      epcg verify 4 --sample 10000 --seed 7
      epcg verify 4 --this-run-only
      epcg verify --certificate run4.json
      epcg verify --certificate run4.json --share 0.5% --recompute 5%
    """
    if (run_id is None) == (path is None):
        raise click.UsageError("Name a RUN, or a certificate with --certificate FILE.")
    if path is not None:
        with_database = ctx.get_parameter_source("location") is ParameterSource.COMMANDLINE
        asked = {"sample": sample, "seed": seed, "share": share, "tries": tries, "recompute": recompute}
        _verify_certificate(path, location if with_database else None, asked, as_json)
        return
    assert run_id is not None
    from epcg_core.errors import CheckFailedError, DamagedError
    from epcg_core.execution import Progress
    from epcg_core.store import Store
    from epcg_core.verification.covered import not_covered
    from epcg_core.verification.verify import number_of_runs, verify as check

    try:
        with Store.open(location) as store:
            total = sample * (1 if this_run_only else number_of_runs(store, run_id))
            with Progress("sample", total, quiet=not sys.stderr.isatty()) as progress:
                report = check(
                    store, run_id, sample, seed, progress.advance,
                    this_run_only=this_run_only, remake=remake,
                )  # fmt: skip
    except DamagedError as error:
        raise CheckFailedError(f"Run {run_id} cannot be checked. {error}") from error
    about = {"run": run_id, "sample": sample, "seed": report.seed, "not_covered": not_covered(report.run)}
    about["runs"] = [
        {
            "run": other.run.id, "verdict": other.verdict,
            "failed": [check.name for check in other.checks if not check.passed],
        }
        for other in report.beneath
    ]  # fmt: skip
    report_checks(f"Run {run_id}", report.checks, about, as_json)


def _verify_certificate(path: Path, location: str | None, asked: dict[str, Any], as_json: bool) -> None:
    from epcg_core.services.methods import required
    from epcg_core.verification.verify import new_seed

    if asked["seed"] is None:
        asked["seed"] = new_seed()
    check = required("check_certificate", "`epcg verify --certificate`")
    checks = check(path, location, **asked, quiet=not sys.stderr.isatty())
    report_checks(str(path), checks, {"certificate": str(path)} | asked, as_json)


_SIGNS = {
    "holds": "ok",
    "holds if others hold": "if",
    "does not hold": "FAILED",
    "cannot be checked here": "?",
}


def report_checks(subject: str, found: Sequence[Check], about: dict[str, Any], as_json: bool) -> None:
    """Print checks and what they do not cover.

    Raises CheckFailedError if one failed, UncheckedError if one is impossible here, ConditionalError if the
    rest holds and other runs were left unchecked.
    """
    from epcg_core.errors import CheckFailedError, ConditionalError, UncheckedError
    from epcg_core.verification.verdicts import verdict_of

    verdict = verdict_of(found)
    if as_json:
        checks = [
            {"name": c.name, "verdict": c.verdict, "passed": c.passed, "detail": c.detail} for c in found
        ]
        output.write_json(about | {"verdict": verdict, "passed": verdict == "holds", "checks": checks})
    else:
        rows = [[_SIGNS[c.verdict], c.name, c.detail] for c in found]
        output.write_table(["", "check", "what it proves"], rows)
        if about.get("not_covered"):
            output.show(f"Not covered: {', '.join(about['not_covered'])}.")
    odd = [check for check in found if check.verdict == verdict]
    names = ", ".join(check.name for check in odd)
    if verdict == "does not hold":
        raise CheckFailedError(
            f"{subject} is not what it claims: {len(odd)} of {len(found)} checks failed ({names})."
        )
    if verdict == "cannot be checked here":
        raise UncheckedError(
            f"{subject} cannot be checked here ({names}), because: {odd[0].detail} The other checks hold."
        )
    if verdict == "holds if others hold":
        raise ConditionalError(f"{subject}: {odd[0].detail} The other checks hold.")

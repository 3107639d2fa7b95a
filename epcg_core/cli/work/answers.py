"""Answer queries for `epcg run` and `epcg resume`, and print the answers."""

from __future__ import annotations

import importlib.util
import re
import shlex
import shutil
import sys
from pathlib import Path
from typing import Any, Literal

import click

from epcg_core.cli import output
from epcg_core.cli.groups import active_registry
from epcg_core.cli.options import naming_db
from epcg_core.cli.output import say
from epcg_core.cli.work.costs import estimates_data, sentences, write_estimates
from epcg_core.cli.work.estimates import print_estimates, sample_data
from epcg_core.cli.work.facts import (
    METRIC_HEADER,
    candidate_table,
    metric_row,
    print_errors,
    print_missing,
    print_reading,
)
from epcg_core.domain import CommandInfo, Reading
from epcg_core.errors import EpcgError
from epcg_core.query.query import Query
from epcg_core.query.short_ids import shortened
from epcg_core.rendering.render import render
from epcg_core.runs.coordinator import Options, Outcome
from epcg_core.services import answers
from epcg_core.services.answers import Answered
from epcg_core.services.ledger import error_facts, metric_facts, missing_facts, run_data, selected
from epcg_core.services.solutions import Solutions
from epcg_core.store import Reader, RunRecord, Store
from epcg_core.store.records import Part, Sample

SHOWN = 10
"""Kept candidates that are printed of each selection."""
SHOWN_AS_JSON = 100


def run(
    query: Query,
    location: str,
    options: Options,
    sample: Sample | None,
    part: Part | None,
    base: str | None,
    as_json: bool,
) -> None:
    """Answer a query, and print the answer."""
    with answers.answer(query, location, options, sample, part, base) as answered:
        _answer(answered, as_json, options.quiet)
    goal = answered.outcome.goal
    if sample is not None and goal.id not in answered.outcome.computed and not options.quiet:
        say(f"Run {goal.id} is {'complete' if goal.done else 'sampled'} already: nothing to sample.")


def resume(
    run_id: int | None,
    location: str,
    options: Options,
    on_error: Literal["stop", "record"] | None,
    as_json: bool,
) -> None:
    """Go on with a run, or with the newest that is not finished, and print the answer of its query."""
    if run_id is None:
        run_id = answers.resumable(location)
        if run_id is None:
            say(f"There is nothing to resume: every run in {location} is finished.")
            return
    with Store.open(location) as store, store.reader() as reader:
        if reader.run(run_id).done:
            say(f"Run {run_id} is finished already.")
    with answers.resume(location, run_id, options, on_error) as answered:
        _answer(answered, as_json, options.quiet)


def part_of(text: str) -> Part:
    """Read a part, such as 3/8."""
    match = re.fullmatch(r"(\d{1,6})/(\d{1,6})", text)
    if match is None or not 1 <= int(match[1]) <= int(match[2]):
        raise click.UsageError(f"--part {text}: of four parts, write 1/4, 2/4, 3/4 or 4/4.")
    return Part(int(match[1]), int(match[2]))


def dry_run(query: Query, location: str, sample: Sample | None, part: Part | None, as_json: bool) -> None:
    """Print what the runs of a query would take."""
    estimates = answers.estimates(query, location, sample, part=part)
    if as_json:
        output.write_json({"query": query.name} | estimates_data(estimates))
        return
    write_estimates(estimates)
    for reading in dict.fromkeys(e.spec.reading for e in estimates):
        print_reading(reading)
    for e in estimates:
        if e.sample is not None:
            strata = f" from {len(e.sample.cuts) + 1:,} strata" if e.sample.by else ""
            whole = f"its {e.spec.stop - e.spec.start:,} candidates" if part is None else f"part {part}"
            drawn = f"{e.sample.size:,} of {whole}, drawn with seed {e.sample.seed}{strata}"
            say(f"The last run is a sample: {drawn}.")
    for line in sentences(estimates, location):
        say(line)


def _answer(answered: Answered, as_json: bool, quiet: bool) -> None:
    query, outcome, store = answered.query, answered.outcome, answered.store
    part = outcome.goal.part if not outcome.goal.done else None
    recorded = outcome.goal.evaluated + outcome.goal.pruned + outcome.goal.excluded
    sampled = outcome.goal.sample is not None and recorded < outcome.goal.population
    with store.reader() as reader:
        data = _outcome_data(reader, query, outcome)
        if sampled and as_json:
            data["estimates"] = sample_data(reader, outcome.goal)
    if as_json:
        output.write_json(data)
        return
    if query.title:
        output.show(f"{query.title}\n")
    _print_runs(data)
    if part is not None and not sampled:
        low, high = part.limits(outcome.goal)
        covers = f"ranks {low:,} to {high - 1:,}" if high > low else "no rank, because there are fewer units"
        say(f"\nPart {part} is computed: {covers}. All parts: epcg merge INTO {store.location} ...")
        return
    if sampled:
        with store.reader() as reader:
            print_estimates(reader, outcome.goal)
        if not quiet:
            resume = f"epcg resume {data['goal']}{naming_db(store.location)}"
            say(f"\nThe same command without --sample, or {resume}, goes on to the end.")
        return
    _print_metrics(data)
    with store.reader() as reader:
        _print_kept(data, reader, outcome.goal)
    again = outcome.again
    if again is not None and again.number and (not quiet or again.left):
        say(f"\n{again}")
    if not quiet:
        _suggest(query, store.location, data)


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


def _print_runs(data: dict[str, Any]) -> None:
    counts = ["candidates", "evaluated", "excluded"]
    if any(run["pruned"] for run in data["runs"]):
        counts.insert(2, "pruned")
    output.write_table(
        ["run", "space", "search", *counts, "coverage", "", "digest"],
        [
            [
                run["run"],
                run["space"],
                run["search"],
                *(output.count(run[name]) for name in counts),
                run["coverage"],
                "computed" if run["computed"] else "reused",
                (run["digest"] or "")[:12],
            ]
            for run in data["runs"]
        ],
    )


def _print_metrics(data: dict[str, Any]) -> None:
    output.show()
    output.write_table(
        ["run", *METRIC_HEADER],
        [[run["run"], *metric_row(facts)] for run in data["runs"] for facts in run["metrics"]],
    )
    for unread, unsearched in dict.fromkeys(
        (run["unread"] or "", tuple(run["unsearched"] or ())) for run in data["runs"]
    ):
        print_reading(Reading("", unread, unsearched), "\n")
    for run in data["runs"]:
        print_missing(run["run"], run["missing"])
        print_errors(run["run"], run["errors"])


def _print_kept(data: dict[str, Any], reader: Reader, goal: RunRecord) -> None:
    for kept in data["kept"]:
        shown = kept["candidates"][:SHOWN]
        more = f"; the first {len(shown)}" if len(shown) < kept["count"] else ""
        output.show(f"\nKept by '{kept['rule']}': {kept['count']:,}{more}")
        if shown:
            names = list(shown[0]["scores"])
            output.write_table(*candidate_table(shown, names))
        if kept["wish"] is not None:
            equal = kept["wish"]["equal"]
            more = f" As good as the last of them: {equal:,} more." if equal else ""
            say(kept["wish"]["text"] + more)
        if kept["tied"] is not None:
            say(
                f"Warning: all {kept['count']:,} have the same value, and so have {kept['tied']:,} "
                "candidates in all: the first by rank were kept. A second measure would tell them apart, or "
                'a finer one; keep = "best" keeps all of them.'
            )
    first = next((kept["candidates"][0] for kept in data["kept"] if kept["candidates"]), None)
    if first is not None:
        try:
            recorded = Solutions(reader).recorded(goal.space, first["rank"])
            drawn = render(first["puzzle"], solution=next(iter(recorded), True) or True)
        except EpcgError as error:  # the run is complete and recorded all the same
            click.secho(output.printable(f"Warning: {error}"), err=True, fg="yellow")
        else:
            output.show(f"\n{shortened(first['puzzle'])}\n{drawn.rstrip()}")


def _command() -> str:
    """Return how `epcg` is called here."""
    if shutil.which("epcg"):
        return "epcg"
    module = Path(sys.argv[0]).name == "__main__.py"  # python -m epcg_core.cli
    return f"{shlex.quote(sys.executable)} -m epcg_core.cli" if module else shlex.quote(sys.argv[0])


def _plots() -> bool:
    """Return whether a plugin in use has the command `epcg plot`."""
    return any((info.name, info.group) == ("plot", "") for info in active_registry().all(CommandInfo, ""))


def _suggest(query: Query, location: str, data: dict[str, Any]) -> None:
    db, epcg = naming_db(location), _command()
    goal = data["goal"]
    tried = [f"{epcg} top {goal}{db}", f"{epcg} show {goal}{db}", f"{epcg} verify {goal}{db}"]
    if any(run["search"] == "breadth_first" for run in data["runs"]):
        tried[0] = f'{epcg} sql "SELECT space, depth, states, edges FROM depths"{db}'
    elif any(run["layer"] is not None for run in data["runs"]):
        tried[0] = f'{epcg} sql "SELECT * FROM layers"{db}'
        if _plots() and importlib.util.find_spec("matplotlib"):
            tried.insert(1, f"{epcg} plot --layers --output layers.svg{db}")
    elif query.select:
        tried[0] = f'{epcg} sql "SELECT puzzle, scores FROM kept WHERE run_id = {goal}"{db}'
    say("\nTry next:\n" + "\n".join(f"  {line}" for line in tried))

"""`epcg run` and `epcg resume`: answer queries.

Imports inside functions keep help and listings free of numpy, SQLAlchemy and plugins.
"""

from __future__ import annotations

import importlib.util
import shlex
import shutil
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import click

from epcg_core.cli import output
from epcg_core.cli.options import (
    candidate_timeout_option,
    command,
    db_option,
    execution_options,
    json_option,
    naming_db,
    reuse_options,
)
from epcg_core.cli.output import say
from epcg_core.query.short_ids import shortened

if TYPE_CHECKING:
    from epcg_core.query.query import Query
    from epcg_core.runs.coordinator import Outcome
    from epcg_core.services.answers import Answered
    from epcg_core.store import Reader, RunRecord
    from epcg_core.store.records import Part, Sample

SHOWN = 10
"""Kept candidates that are printed of each selection."""
SHOWN_AS_JSON = 100


@command("run")
@click.argument("query_file", metavar="QUERY")
@click.option(
    "--set", "overrides", multiple=True, metavar="KEY=VALUE",
    help="Change a value of the query: generator.size=7, evaluators.0.limit=100. Repeatable.",
)  # fmt: skip
@db_option
@execution_options
@candidate_timeout_option
@reuse_options
@click.option("--dry-run", is_flag=True, help="Only say what it would take; nothing is recorded.")
@click.option(
    "--sample",
    "sample_size",
    type=click.IntRange(1),
    metavar="N",
    help="Evaluate N candidates drawn at random first, and estimate the rest from them.",
)
@click.option(
    "--seed",
    type=click.IntRange(0),
    help="Which candidates --sample draws; default: a seed that follows from the query.",
)
@click.option("--part", metavar="I/N", help="Compute part I of N of the last run only, to be merged.")
@click.option(
    "--base", metavar="DB", type=click.Path(), help="With --part: take finished runs that are needed from DB."
)
@json_option
def run(
    query_file: str,
    overrides: Sequence[str],
    location: str,
    workers: int | None,
    executor: str | None,
    scheduler: str | None,
    unit_timeout: float | None,
    on_error: Literal["stop", "record"] | None,
    quiet: bool,
    candidate_timeout: float | None,
    again: bool,
    accept_older: bool,
    dry_run: bool,
    sample_size: int | None,
    seed: int | None,
    part: str | None,
    base: str | None,
    as_json: bool,
) -> None:
    """Answer QUERY: a TOML file, or a query that a plugin ships (`epcg domains` names them).

    Generates every candidate, evaluates it, records every score, and keeps what the query selects. Runs that
    are recorded already are reused; one that stopped goes on where it was. Prints the runs, their metrics and
    the best of what was kept.

    A run that was computed with other source files than those installed is not reused: --again computes it
    again beside the older run, --accept-older uses it. Without a difference, --again computes the answer
    again.

    With --candidate-timeout a candidate that takes longer is recorded without a value, with the status limit
    and this reason, and the run goes on. The time is a part of what is asked: with another one the run is
    another run.

    With --sample the last run stops after N candidates drawn evenly at random, and what they say of all of
    them is printed. The same command without --sample goes on to the end; no candidate is evaluated twice.

    With --part 3/8 the third of eight parts of the last run is computed, into a database of its own, by a
    process that knows nothing of the others; `epcg merge` puts the parts together. Runs that the last one
    reads are taken from --base, or else computed whole. Of a search in layers the last run is the next layer.

    With --executor dask the run is computed by a dask cluster: of this machine's processors, or, with
    --scheduler, of all the workers that were started with `dask worker ADDRESS`, on any machines. They need
    epcg-core and the plugins in the same versions, which is checked first, but neither the database nor any
    other file. Workers may come and go during the run. The answer is the same, byte for byte.

    \b
    Examples:
      epcg run query.toml --dry-run
      epcg run query.toml --set generator.size=7 --db size7.db
      epcg run query.toml --sample 10000
      epcg run query.toml --sample 10000 --dry-run
      epcg run query.toml --part 3/8 --db part3.db
      epcg run query.toml --scheduler tcp://192.168.0.7:8786
      epcg run query.toml --json > answer.json
    """
    from epcg_core.query.named import load_query

    if on_error is not None:
        overrides = [*overrides, f"record.on_error={on_error}"]
    if candidate_timeout is not None:
        overrides = [*overrides, f"record.candidate_timeout={candidate_timeout!r}"]
    query = load_query(query_file, overrides)
    if seed is not None and sample_size is None:
        raise click.UsageError("--seed says which candidates --sample draws: give both.")
    from epcg_core.store.records import Sample

    own = None if part is None else _part(part)
    if own is not None and (dry_run or again or sample_size is not None):
        raise click.UsageError("--part goes with none of --sample, --dry-run and --again.")
    if base is not None and own is None:
        raise click.UsageError("--base belongs to --part.")
    sample = None if sample_size is None else Sample(sample_size, seed)
    if dry_run:
        _dry_run(query, location, sample, as_json)
        return

    from epcg_core.runs.coordinator import Options
    from epcg_core.services import answers

    options = Options(
        executor, workers, quiet, unit_timeout, scheduler, again=again, accept_older=accept_older
    )
    with answers.answer(query, location, options, sample, own, base) as answered:
        _answer(answered, as_json, quiet)
    goal = answered.outcome.goal
    if sample is not None and goal.id not in answered.outcome.computed and not quiet:
        say(f"Run {goal.id} is {'complete' if goal.done else 'sampled'} already: nothing to sample.")


def _part(text: str) -> Part:
    """Read a part, such as 3/8."""
    import re

    from epcg_core.store.records import Part

    match = re.fullmatch(r"(\d{1,6})/(\d{1,6})", text)
    if match is None or not 1 <= int(match[1]) <= int(match[2]):
        raise click.UsageError(f"--part {text}: of four parts, write 1/4, 2/4, 3/4 or 4/4.")
    return Part(int(match[1]), int(match[2]))


@command("resume")
@click.argument("run_id", metavar="[RUN]", required=False, type=click.IntRange(1))
@db_option
@execution_options
@click.option(
    "--accept-older",
    is_flag=True,
    help="Go on although the run was begun with other sources; the database records it.",
)
@json_option
def resume(
    run_id: int | None,
    location: str,
    workers: int | None,
    executor: str | None,
    scheduler: str | None,
    unit_timeout: float | None,
    on_error: Literal["stop", "record"] | None,
    quiet: bool,
    accept_older: bool,
    as_json: bool,
) -> None:
    """Go on with RUN, or with the newest run that is not finished, and with the query that asked for it.

    What was recorded is kept and not computed again: the end is the same, byte for byte, as if the run had
    never stopped.

    \b
    Examples:
      epcg resume
      epcg resume 3 --on-error record
    """
    from epcg_core.runs.coordinator import Options
    from epcg_core.services import answers
    from epcg_core.store import Store

    if run_id is None:
        run_id = answers.resumable(location)
        if run_id is None:
            say(f"There is nothing to resume: every run in {location} is finished.")
            return
    with Store.open(location) as store, store.reader() as reader:
        if reader.run(run_id).done:
            say(f"Run {run_id} is finished already.")
    options = Options(executor, workers, quiet, unit_timeout, scheduler, accept_older=accept_older)
    with answers.resume(location, run_id, options, on_error) as answered:
        _answer(answered, as_json, quiet)


def _dry_run(query: Query, location: str, sample: Sample | None, as_json: bool) -> None:
    from epcg_core.cli.work.costs import estimates_data, sentences, write_estimates
    from epcg_core.cli.work.facts import print_reading
    from epcg_core.services import answers

    estimates = answers.estimates(query, location, sample)
    if as_json:
        output.write_json({"query": query.name} | estimates_data(estimates))
        return
    write_estimates(estimates)
    for unread in dict.fromkeys(e.spec.reading.unread for e in estimates if e.spec.reading is not None):
        print_reading(unread)
    for e in estimates:
        if e.sample is not None:
            say(
                f"The last run is a sample: {e.sample.size:,} of its {e.spec.stop - e.spec.start:,} "
                f"candidates, drawn with seed {e.sample.seed}."
            )
    for line in sentences(estimates, location):
        say(line)


def _answer(answered: Answered, as_json: bool, quiet: bool) -> None:
    query, outcome, store = answered.query, answered.outcome, answered.store
    part = outcome.goal.part if not outcome.goal.done else None
    sampled = not outcome.goal.done and part is None
    with store.reader() as reader:
        data = _outcome_data(reader, query, outcome)
        if sampled and as_json:
            from epcg_core.cli.work.estimates import estimates_data

            data["estimates"] = estimates_data(reader, outcome.goal)
    if as_json:
        output.write_json(data)
        return
    if query.title:
        output.show(f"{query.title}\n")
    _print_runs(data)
    if part is not None:
        low, high = part.limits(outcome.goal)
        covers = f"ranks {low:,} to {high - 1:,}" if high > low else "no rank, because there are fewer units"
        say(f"\nPart {part} is computed: {covers}. All parts: epcg merge INTO {store.location} ...")
        return
    if sampled:
        from epcg_core.cli.work.estimates import print_estimates

        with store.reader() as reader:
            print_estimates(reader, outcome.goal)
        if not quiet:
            resume = f"epcg resume {data['goal']}{naming_db(store.location)}"
            say(f"\nThe same command without --sample, or {resume}, goes on to the end.")
        return
    _print_metrics(data)
    with store.reader() as reader:
        _print_kept(data, reader, outcome.goal)
    if not quiet:
        _suggest(query, store.location, data)


def _outcome_data(reader: Reader, query: Query, outcome: Outcome) -> dict[str, Any]:
    """Everything that an answer is made of, as JSON-like data."""
    from epcg_core.services.ledger import error_facts, metric_facts, missing_facts, run_data, selected

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
    return {"query": query.name, "title": query.title, "runs": runs, "goal": outcome.goal.id, "part": part,
            "kept_candidates": outcome.kept, "kept": kept}  # fmt: skip


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
    from epcg_core.cli.work.facts import METRIC_HEADER, metric_row, print_errors, print_missing, print_reading

    output.show()
    output.write_table(
        ["run", *METRIC_HEADER],
        [[run["run"], *metric_row(facts)] for run in data["runs"] for facts in run["metrics"]],
    )
    for unread in dict.fromkeys(run["unread"] for run in data["runs"]):
        print_reading(unread, "\n")
    for run in data["runs"]:
        print_missing(run["run"], run["missing"])
        print_errors(run["run"], run["errors"])


def _print_kept(data: dict[str, Any], reader: Reader, goal: RunRecord) -> None:
    from epcg_core.cli.work.facts import candidate_table
    from epcg_core.errors import EpcgError
    from epcg_core.rendering.render import render
    from epcg_core.services.solutions import Solutions

    for kept in data["kept"]:
        shown = kept["candidates"][:SHOWN]
        more = f"; the first {len(shown)}" if len(shown) < kept["count"] else ""
        output.show(f"\nKept by '{kept['rule']}': {kept['count']:,}{more}")
        if shown:
            names = list(shown[0]["scores"])
            output.write_table(*candidate_table(shown, names))
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
    from epcg_core.domain import CommandInfo
    from epcg_core.plugins.registry import registry

    return any((info.name, info.group) == ("plot", "") for info in registry().all(CommandInfo, ""))


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

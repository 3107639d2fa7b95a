"""`epcg run` and `epcg resume`: answer queries."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import click

from epcg_core.cli import completion
from epcg_core.cli.options import (
    candidate_timeout_option,
    command,
    db_option,
    execution_options,
    json_option,
    reuse_options,
)
from epcg_core.cli.output import write_report


@command("run")
@click.argument("query_file", metavar="QUERY", shell_complete=completion.shipped("queries"))
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
    help="Which candidates --sample draws; default: a seed that follows from the space.",
)
@click.option(
    "--by",
    type=click.IntRange(1),
    metavar="ITEMS",
    help="With --sample: draw as many of each stratum, whose states share this number of first items.",
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
    by: int | None,
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
    With --by 2 as many are drawn from each set of states that share their first two items, so that what is
    frequent in a small part of a large space is met; estimates weigh each stratum by its size.

    With --part 3/8 the third of eight parts of the last run is computed, into a database of its own, by a
    process that knows nothing of the others; `epcg merge` puts the parts together. Runs that the last one
    reads are taken from --base, or else computed whole. Of a search in layers the last run is the next layer.
    With --sample, the sample is drawn from the part.

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
      epcg run query.toml --sample 10000 --by 1
      epcg run query.toml --part 3/8 --db part3.db
      epcg run query.toml --scheduler tcp://192.168.0.7:8786
      epcg run query.toml --json > answer.json
    """
    if seed is not None and sample_size is None:
        raise click.UsageError("--seed says which candidates --sample draws: give both.")
    if by is not None and sample_size is None:
        raise click.UsageError("--by says how --sample draws: give both.")
    if base is not None and part is None:
        raise click.UsageError("--base belongs to --part.")
    from epcg_core.api.answering import estimated
    from epcg_core.cli.work import answers
    from epcg_core.query.named import load_query
    from epcg_core.runs.coordinator import Options
    from epcg_core.store.records import Sample

    own = None if part is None else answers.part_of(part)
    if on_error is not None:
        overrides = [*overrides, f"record.on_error={on_error}"]
    if candidate_timeout is not None:
        overrides = [*overrides, f"record.candidate_timeout={candidate_timeout!r}"]
    query = load_query(query_file, overrides)
    sample = None if sample_size is None else Sample(sample_size, seed, by or 0)
    if dry_run:
        costs = estimated(query, location, sample, own)
        write_report(costs, "json" if as_json else "table")
        return
    options = Options(
        executor, workers, quiet, unit_timeout, scheduler, again=again, accept_older=accept_older
    )
    answers.run(query, location, options, sample, own, base, as_json)


@command("resume")
@click.argument(
    "run_id", metavar="[RUN]", required=False, type=click.IntRange(1), shell_complete=completion.runs
)
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
    from epcg_core.cli.work import answers
    from epcg_core.runs.coordinator import Options

    options = Options(executor, workers, quiet, unit_timeout, scheduler, accept_older=accept_older)
    answers.resume(run_id, location, options, on_error, as_json)

"""`epcg runs`, `epcg show`, `epcg top` and `epcg verify`: what is recorded, and whether it is true."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Literal

import click
from click.core import ParameterSource

from epcg_core.base import documents
from epcg_core.base.errors import ParamsError
from epcg_core.cli import completion
from epcg_core.cli.options import (
    command,
    db_option,
    format_option,
    json_option,
    run_argument,
    security_options,
    share_option,
)
from epcg_core.cli.output import write_report


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
    from epcg_core.api.ledger import list_runs

    write_report(list_runs(location), "json" if as_json else "table")


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
    from epcg_core.api import ledger

    write_report(ledger.show(run_id, db=location), "json" if as_json else "table")


@command("top")
@run_argument
@click.option(
    "--metric",
    shell_complete=completion.metrics,
    help="The metric to order by; default: the query's first, else the run's first.",
)
@click.option("--count", default=10, show_default=True, type=click.IntRange(1), help="How many.")
@click.option(
    "--direction", type=click.Choice(["max", "min"]), help="Which end is best; default: the metric's own."
)
@click.option("--distinct", is_flag=True, help="Only one of the candidates that a symmetry makes equal.")
@click.option(
    "--symmetry", "symmetries", multiple=True, metavar="NAME",
    help="--distinct by these symmetries alone: mirror, say. Repeatable.",
)  # fmt: skip
@click.option("--where", "conditions", multiple=True, metavar="CONDITION",
              help="Only candidates that meet this: 'moves >= 12 and unique'. Repeatable.")  # fmt: skip
@click.option("--then", multiple=True, metavar="METRIC", shell_complete=completion.metrics,
              help="The metric that orders candidates with equal values. Repeatable.")  # fmt: skip
@click.option("--apart", metavar="N|SHARE",
              help="In how many places any two differ at least; or '30 %' of what lies where.")  # fmt: skip
@db_option
@format_option
def top(
    run_id: int,
    metric: str | None,
    count: int,
    direction: Literal["max", "min"] | None,
    distinct: bool,
    symmetries: Sequence[str],
    conditions: Sequence[str],
    then: Sequence[str],
    apart: str | None,
    location: str,
    format: str,
) -> None:
    """List the best candidates of RUN by a metric, from everything that it recorded, with the puzzle ids that
    `epcg render` draws. Equal values are ordered by --then, and then by rank.

    \b
    Examples:
      epcg top 4
      epcg top 4 --metric length --direction min --count 3 --distinct
      epcg top 4 --symmetry mirror --symmetry turn
      epcg top 4 --metric moves --where "solutions <= 1" --then entropy --apart 2
    """
    from epcg_core.api import ledger
    from epcg_core.query.conditions import read

    try:
        where = [each for text in conditions for each in read(text)]
    except ParamsError as error:
        raise click.UsageError(f"--where: {error}") from error
    report = ledger.top(
        run_id, metric, count, direction=direction, distinct=tuple(symmetries) or distinct, where=where,
        then=then, apart=ledger.apart_of(apart), db=location,
    )  # fmt: skip
    write_report(report, format)


@command("verify")
@click.argument("what", metavar="[RUN|FILE]", required=False, shell_complete=completion.runs_and_files)
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
    what: str | None,
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
    """Prove that RUN, or what FILE holds, is complete and true. Of a run: its units tile its ranks without
    gap or overlap, its sums agree, its digests match what is recorded, and a random sample is equal when it
    is computed again: by plain code, as far as there is some and a minute goes. The runs that it was computed
    from are checked in the same way, each once.

    A run that is only a sample is checked as one: the recorded ranks are those that its seed draws.

    FILE is anything that EPCG publishes: a database (all of its finished runs and curricula, and what people
    did), a certificate, an archive of `epcg bundle`, a player model, a page of `epcg share` or a site of play
    pages. The verdict names what in it no check covers.

    A certificate (also --certificate FILE) is checked with --db against the run in that
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
      epcg verify epcg.db
      epcg verify run-4.zip
      epcg verify --certificate run4.json
      epcg verify --certificate run4.json --share 0.5% --recompute 5%
    """
    if (what is None) == (path is None):
        raise click.UsageError("Name a RUN or a FILE, or a certificate with --certificate FILE.")
    run_id = documents.whole_number(what or "")
    if run_id is not None and run_id < 1:
        raise click.UsageError(f"There is no run {run_id}: runs are numbered from 1.")
    file = None if what is None or run_id is not None else Path(what)
    if file is not None and not file.exists():
        raise click.UsageError(f"'{what:.100}' is neither the number of a run nor a file that there is.")
    from epcg_core.cli.work import checks

    if run_id is not None:
        own = {"sample": sample, "seed": seed, "this_run_only": this_run_only, "remake": remake}
        checks.run(run_id, location, own, as_json)
        return
    with_database = ctx.get_parameter_source("location") is ParameterSource.COMMANDLINE
    database = location if with_database else None
    asked = {"sample": sample, "seed": seed, "share": share, "tries": tries, "recompute": recompute}
    if path is not None:
        checks.certificate(path, database, asked, as_json)
    elif file is not None:
        checks.file(file, database, asked, as_json)

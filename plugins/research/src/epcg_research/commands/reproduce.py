"""`epcg reproduce`: published results next to ours."""

from __future__ import annotations

from pathlib import Path

import click

from epcg_core.inside import computing_options, json_option, reuse_options
from epcg_core.plugin import command, db_option

FORMATS = ("table", "markdown", "html", "json")


@click.group("reproduce")
def reproduce() -> None:
    """Compute published tables and figures again, and show them next to what was published."""


@command("list")
@json_option
def list_(as_json: bool) -> None:
    """List the papers and their tables and figures: how much content lies behind each, and what --quick
    computes of it.

    \b
    Examples:
      epcg reproduce list
      epcg reproduce list --json
    """
    from epcg_research.commands.work import reproduce as work

    work.list_(as_json)


@command("run")
@click.argument("name", metavar="[PAPER|TABLE|all]", default="all")
@click.option("--quick", is_flag=True, help="Only what takes seconds; under five minutes of CPU in all.")
@db_option
@click.option(
    "--data", type=click.Path(exists=True, file_okay=False, path_type=Path), envvar="EPCG_DATA",
    show_envvar=True, metavar="FOLDER",
    help="Published levels and puzzles, which are not shipped; rows name the files that they read.",
)  # fmt: skip
@click.option(
    "--format", "format", type=click.Choice(FORMATS), help="Default: what the output's ending says."
)
@click.option("--json", "format", flag_value="json", help="The same as --format json.")
@click.option("--output", "targets", metavar="FILE", type=click.Path(dir_okay=False, path_type=Path),
              multiple=True, help="Write a file instead of standard output; may be given again.")  # fmt: skip
@click.option("--no-plots", is_flag=True, help="Draw nothing (matplotlib is not needed).")
@click.option("--claims", is_flag=True, help="Print what each paper claims, with the verdict, not the rows.")
@computing_options
@reuse_options
def run(
    name: str,
    quick: bool,
    location: str,
    data: Path | None,
    format: str | None,
    targets: tuple[Path, ...],
    no_plots: bool,
    claims: bool,
    executor: str | None,
    scheduler: str | None,
    workers: int | None,
    unit_timeout: float | None,
    quiet: bool,
    again: bool,
    accept_older: bool,
) -> None:
    """Compute published results again and compare: a paper's, one table's or figure's, or all of them.

    Every result comes from runs that are recorded in the database; those that are absent are made first, so
    a second call makes none, and one that was interrupted goes on. A row is 'equal', 'differs' for a
    reason that it gives, 'out of reach' (user studies, drawings, spaces above 10^11), 'not compared' if
    there is nothing printed or nothing of ours to compare, 'needs data' if it reads a file that is not in
    the folder of --data, or 'not run' if a library is missing or --quick leaves it out. The last line counts
    the equal numbers by where they are published, and the other rows. A difference without a reason is an
    error: exit code 4.

    \b
    Examples:
      epcg reproduce run --quick
      epcg reproduce run 2018 --db papers.db --output 2018.html --output 2018.json
      epcg reproduce run 2013 --claims
    """
    from epcg_core.plugin import Options
    from epcg_research.commands.work import reproduce as work

    options = Options(
        executor, workers, True, unit_timeout, scheduler, again=again, accept_older=accept_older
    )
    work.run(name, quick, location, data, format, targets, no_plots, claims, options, quiet)


for one in (list_, run):
    reproduce.add_command(one)

"""`epcg curriculum`: build one from a plan, show why its puzzles were chosen, prove it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import click

from epcg_core.cli import completion
from epcg_core.cli.groups import OpenGroup
from epcg_core.cli.options import command, db_option, execution_options, json_option, reuse_options


@click.group("curriculum", cls=OpenGroup)
def curriculum() -> None:
    """Build, show and print a curriculum: chapters of puzzles, chosen from the database by a plan."""


@command("build")
@click.argument("plan_file", metavar="PLAN", shell_complete=completion.shipped("plans"))
@click.option(
    "--set", "overrides", multiple=True, metavar="KEY=VALUE",
    help="Change a value of the plan: chapters.0.count=5. Repeatable.",
)  # fmt: skip
@db_option
@execution_options
@reuse_options
@click.option("--dry-run", is_flag=True, help="Only check the plan, and say what its runs would take.")
@json_option
def build(
    plan_file: str,
    overrides: Sequence[str],
    location: str,
    workers: int | None,
    executor: str | None,
    scheduler: str | None,
    unit_timeout: float | None,
    on_error: Literal["stop", "record"] | None,
    quiet: bool,
    again: bool,
    accept_older: bool,
    dry_run: bool,
    as_json: bool,
) -> None:
    """Build the curriculum of PLAN: a TOML file, or a plan that a plugin ships ('plugin/name').

    Runs that its queries need are made if they are not recorded. Every puzzle that is chosen is recorded
    with the rule that chose it, every rejected one with the reason: views selections and rejections. The same
    plan over the same runs gives the same curriculum, which is recorded once.

    \b
    Examples:
      epcg curriculum build plan.toml
      epcg curriculum build plan.toml --set chapters.0.count=5 --json
    """
    from epcg_core.cli.work import curriculum as work
    from epcg_core.runs.coordinator import Options

    if dry_run:
        work.dry_run(plan_file, overrides, location, as_json)
        return
    options = Options(
        executor, workers, quiet, unit_timeout, scheduler, again=again, accept_older=accept_older
    )
    work.build(plan_file, overrides, location, options, on_error, as_json)


@command("show")
@click.argument("name", required=False, shell_complete=completion.curricula)
@click.option("--rejected", is_flag=True, help="How many candidates each rule rejected.")
@db_option
@json_option
def show(name: str | None, rejected: bool, location: str, as_json: bool) -> None:
    """Show the puzzles of the curriculum NAME, each with the reason why it was chosen; without a name, list
    the curricula.

    A name means its newest build; older builds have a number: 'first-steps#3', or 3.

    The rejected candidates one by one: epcg sql "SELECT * FROM selections WHERE chosen = 0".

    \b
    Examples:
      epcg curriculum show
      epcg curriculum show first-steps
      epcg curriculum show first-steps --rejected
    """
    from epcg_core.cli.work import curriculum as work

    work.show(name, rejected, location, as_json)


@command("verify")
@click.argument("name", shell_complete=completion.curricula)
@click.option("--sample", default=1000, show_default=True, type=click.IntRange(0),
              help="How many recorded candidates of each run to compute again.")  # fmt: skip
@click.option("--seed", type=click.IntRange(0), help="Which ones; default: by chance.")
@click.option(
    "--this-curriculum-only", is_flag=True, help="Leave the runs that it was chosen from unchecked."
)
@db_option
@json_option
def verify(
    name: str, sample: int, seed: int | None, this_curriculum_only: bool, location: str, as_json: bool
) -> None:
    """Prove that the curriculum NAME, or an older build of it (first-steps#3), is what its plan chooses: the
    plan is executed again over the recorded runs, and every chosen and rejected puzzle compared. The runs,
    and those that they were computed from, are checked as epcg verify does.

    Exits with 4 if a check fails, with 5 if it cannot be checked here, and with 6 if it holds but for the
    runs, which --this-curriculum-only left unchecked.

    \b
    Examples:
      epcg curriculum verify first-steps
      epcg curriculum verify first-steps --this-curriculum-only
    """
    from epcg_core.cli.work import checks

    asked = {"sample": sample, "seed": seed, "this_curriculum_only": this_curriculum_only}
    checks.curriculum(name, location, asked, as_json)


for one in (build, show, verify):
    curriculum.add_command(one)

"""`epcg curriculum`: build one from a plan, show why its puzzles were chosen, prove it.

Imports inside functions keep help and listings free of numpy, SQLAlchemy and plugins.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import click

from epcg_core.cli import output
from epcg_core.cli.groups import OpenGroup
from epcg_core.cli.options import command, db_option, execution_options, json_option, naming_db, reuse_options
from epcg_core.cli.output import say

if TYPE_CHECKING:
    from epcg_core.curriculum.plan import Plan
    from epcg_core.store import curricula


@click.group("curriculum", cls=OpenGroup)
def curriculum() -> None:
    """Build, show and print a curriculum: chapters of puzzles, chosen from the database by a plan."""


@command("build")
@click.argument("plan_file", metavar="PLAN")
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
    from epcg_core.curriculum.build import build as make, check
    from epcg_core.curriculum.plan import load_plan
    from epcg_core.runs.coordinator import Options
    from epcg_core.services.answers import with_on_error
    from epcg_core.store import Store

    plan = load_plan(plan_file, overrides)
    check(plan)
    if dry_run:
        if Path(location).is_file():
            with Store.open(location) as store, store.reader() as reader:
                check(plan, reader)
        total = sum(part.count for _, part in plan.parts())
        _print_cost(plan, location, as_json)
        say(f"The plan {plan.name} is in order: {len(plan.chapters)} chapters, {total} puzzles.")
        return
    with Store.open(location, write=True) as store:
        built = make(
            plan,
            store,
            Options(
                executor, workers, quiet, unit_timeout, scheduler, again=again, accept_older=accept_older
            ),
            partial(with_on_error, on_error=on_error),
        )
    _print(built.curriculum, built.number, as_json)
    state = "is recorded" if built.new else "was recorded before, and is the same"
    if not quiet:
        say(
            f"Curriculum {built.number}, {plan.name}, {state}. Print it with: "
            f"epcg curriculum export {plan.name}{naming_db(location)}"
        )


def _print_cost(plan: Plan, location: str, as_json: bool) -> None:
    """Print what the runs of a plan's queries would take."""
    from epcg_core.cli.work.costs import estimates_data, sentences, write_estimates
    from epcg_core.curriculum.build import queries_of
    from epcg_core.runs.dry_run import TRY_SECONDS, together
    from epcg_core.services.answers import estimates

    queries = list(queries_of(plan).values())
    if not queries:
        return
    seconds = max(0.5, TRY_SECONDS / len(queries))
    found = together([estimates(query, location, seconds=seconds) for query in queries])
    if as_json:
        output.write_json({"plan": plan.name} | estimates_data(found))
        return
    write_estimates(found)
    for line in sentences(found, location):
        say(line)


@command("show")
@click.argument("name", required=False)
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
    from epcg_core.store import Store, curricula

    format = "json" if as_json else "table"
    with Store.open(location) as store, store.reader() as reader:
        if name is None:
            header = ["number", "name", "title", "chapters", "puzzles"]
            output.write(format, header, curricula.listed(reader.connection))
            return
        number = curricula.find(reader.connection, name)
        found = curricula.read(reader.connection, number, rejected=False)
    if rejected:
        header = ["chapter", "part", "rule", "rejected", "recorded"]
        output.write(format, header, [
            [i, part.name, *counts]
            for i, chapter in enumerate(found.chapters, 1)
            for part in chapter.parts
            for counts in part.rejections
        ])  # fmt: skip
    elif as_json:
        _print(found, number, True)
    else:
        header = ["chapter", "position", "puzzle", "measure", "value", "reason"]
        output.write(format, header, [
            [i, row.position, row.puzzle.puzzle, part.measure, row.value, row.reason]
            for i, chapter in enumerate(found.chapters, 1)
            for part in chapter.parts
            for row in part.selections
        ])  # fmt: skip


@command("verify")
@click.argument("name")
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
    from epcg_core.cli.runs import report_checks
    from epcg_core.curriculum.verify import verify as check
    from epcg_core.store import Store, curricula
    from epcg_core.verification.covered import not_covered

    with Store.open(location) as store:
        with store.reader() as reader:
            number = curricula.find(reader.connection, name)
        checks = check(store, number, sample, seed, this_curriculum_only=this_curriculum_only)
    about = {"curriculum": number, "name": name, "not_covered": not_covered()}
    report_checks(f"Curriculum {number}", checks, about, as_json)


for one in (build, show, verify):
    curriculum.add_command(one)


def _print(found: curricula.CurriculumRow, number: int, as_json: bool) -> None:
    """Print the chapters, a line each; as JSON with all their puzzles."""
    if as_json:
        output.write_json(_data(found, number))
        return
    rows = []
    for i, chapter in enumerate(found.chapters, 1):
        for part in chapter.parts:
            values = [row.value for row in part.selections if row.position is not None]
            rows.append([
                i, chapter.title, part.name, output.count(part.candidates), len(values), part.measure,
                min(values), max(values),
            ])  # fmt: skip
    header = ["chapter", "title", "part", "candidates", "chosen", "measure", "lowest", "highest"]
    if not any(row[2] for row in rows):
        header, rows = [h for h in header if h != "part"], [[*row[:2], *row[3:]] for row in rows]
    output.write_table(header, rows)


def _data(found: curricula.CurriculumRow, number: int) -> dict[str, Any]:
    return {
        "curriculum": number,
        "name": found.name,
        "title": found.title,
        "sha256": found.sha256,
        "runs": [run for run, _ in found.runs],
        "chapters": [
            {
                "name": chapter.name,
                "title": chapter.title,
                "parts": [
                    {
                        "name": part.name,
                        "source": part.source,
                        "measure": part.measure,
                        "rule": part.rule,
                        "candidates": part.candidates,
                        "chosen": [
                            {"position": row.position, "puzzle": row.puzzle.puzzle, "value": row.value,
                             "reason": row.reason}
                            for row in part.selections if row.position is not None
                        ],
                        "rejected": [
                            {"rule": rule, "count": count, "recorded": recorded}
                            for rule, count, recorded in part.rejections
                        ],
                    }
                    for part in chapter.parts
                ],
            }
            for chapter in found.chapters
        ],
    }  # fmt: skip

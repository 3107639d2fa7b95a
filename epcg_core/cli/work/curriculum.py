"""Build and check curricula for `epcg curriculum`."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Literal

from epcg_core.cli import output
from epcg_core.cli.options import naming_db
from epcg_core.cli.output import say
from epcg_core.cli.work.chapters import print_curriculum
from epcg_core.cli.work.checks import report_checks
from epcg_core.cli.work.costs import estimates_data, sentences, write_estimates
from epcg_core.curriculum.build import build as make, check, queries_of
from epcg_core.curriculum.plan import Plan, load_plan
from epcg_core.curriculum.verify import verify as verified
from epcg_core.runs.coordinator import Options
from epcg_core.runs.dry_run import TRY_SECONDS, together
from epcg_core.services.answers import estimates, with_on_error
from epcg_core.store import Store, curricula
from epcg_core.verification.covered import not_covered


def build(
    plan_file: str,
    overrides: Sequence[str],
    location: str,
    options: Options,
    on_error: Literal["stop", "record"] | None,
    as_json: bool,
) -> None:
    """Build the curriculum of a plan, and print its chapters."""
    plan = load_plan(plan_file, overrides)
    check(plan)
    with Store.open(location, write=True) as store:
        built = make(plan, store, options, partial(with_on_error, on_error=on_error))
    print_curriculum(built.curriculum, built.number, as_json)
    state = "is recorded" if built.new else "was recorded before, and is the same"
    if not options.quiet:
        say(built.again)
        say(
            f"Curriculum {built.number}, {plan.name}, {state}. Print it with: "
            f"epcg curriculum export {plan.name}{naming_db(location)}"
        )


def dry_run(plan_file: str, overrides: Sequence[str], location: str, as_json: bool) -> None:
    """Check a plan, and print what the runs of its queries would take."""
    plan = load_plan(plan_file, overrides)
    check(plan)
    if Path(location).is_file():
        with Store.open(location) as store, store.reader() as reader:
            check(plan, reader)
    total = sum(part.count for _, part in plan.parts())
    _print_cost(plan, location, as_json)
    say(f"The plan {plan.name} is in order: {len(plan.chapters)} chapters, {total} puzzles.")


def _print_cost(plan: Plan, location: str, as_json: bool) -> None:
    """Print what the runs of a plan's queries would take."""
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


def verify(
    name: str, sample: int, seed: int | None, this_curriculum_only: bool, location: str, as_json: bool
) -> None:
    """Check a curriculum, and print the checks."""
    with Store.open(location) as store:
        with store.reader() as reader:
            number = curricula.find(reader.connection, name)
        checks = verified(store, number, sample, seed, this_curriculum_only=this_curriculum_only)
    about = {"curriculum": number, "name": name, "not_covered": not_covered()}
    report_checks(f"Curriculum {number}", checks, about, as_json)

"""Build curricula for `epcg curriculum`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from epcg_core.api.curricula import Choices, built, estimate_curriculum, list_curricula, show_curriculum
from epcg_core.cli.options import naming_db
from epcg_core.cli.output import say, write_report
from epcg_core.curriculum.plan import load_plan
from epcg_core.runs.coordinator import Options


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
    found = built(plan, location, options, on_error)
    choices = Choices(found.number, found.curriculum)
    write_report(choices if as_json else choices.chapters(), "json" if as_json else "table")
    state = "is recorded" if found.new else "was recorded before, and is the same"
    if not options.quiet:
        say(found.again)
        say(
            f"Curriculum {found.number}, {plan.name}, {state}. Print it with: "
            f"epcg curriculum export {plan.name}{naming_db(location)}"
        )


def dry_run(plan_file: str, overrides: Sequence[str], location: str, as_json: bool) -> None:
    """Check a plan, and print what the runs of its queries would take."""
    plan = load_plan(plan_file, overrides)
    costs = estimate_curriculum(plan, db=location)
    if costs is not None:
        write_report(costs, "json" if as_json else "table")
    total = sum(part.count for _, part in plan.parts())
    say(f"The plan {plan.name} is in order: {len(plan.chapters)} chapters, {total} puzzles.")


def show(name: str | None, rejected: bool, location: str, as_json: bool) -> None:
    """Print the puzzles of a curriculum, or the curricula."""
    format = "json" if as_json else "table"
    if name is None:
        write_report(list_curricula(location), format)
        return
    found = show_curriculum(name, db=location)
    write_report(found.rejected() if rejected else found, format)

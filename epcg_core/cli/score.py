"""`epcg score`: every measure of a puzzle, with its standing in runs."""

from __future__ import annotations

import click

from epcg_core.cli.options import command, db_option, domain_option, json_option
from epcg_core.cli.output import write_report


@command("score")
@click.argument("puzzle")
@domain_option("The domain that reads PUZZLE, if several could.")
@click.option(
    "--set",
    "overrides",
    multiple=True,
    metavar="PARAM=VALUE",
    help="A param for all evaluators that have it, or EVALUATOR.PARAM=VALUE for one; repeatable.",
)
@db_option
@json_option
def score(puzzle: str, domain: str | None, overrides: tuple[str, ...], location: str, as_json: bool) -> None:
    """Print every measure of PUZZLE, and how many candidates of recorded runs have other values.

    PUZZLE is a puzzle's id, RUN#RANK of the database, a file, or a puzzle as text. All evaluators of its
    domain measure it, with their default params and with those of recorded runs. Beside each stand the
    numbers of candidates with a lower, an equal and a higher value, in runs about puzzles of the same kind:
    runs over its own space first, then over others that hold it, or variants of it. If a run evaluated
    some candidates of its space only, as a sample or those that a filter admits, that is said.

    \b
    Examples:
      epcg score "domain:generator?size=5#17"
      epcg score 4#17
      epcg score mine.txt
      epcg score mine.txt --json
      epcg score mine.txt --set solution=URDL
    """
    from epcg_core.api import scoring

    params = scoring.params_of(overrides)
    report = scoring.score(puzzle, domain=domain, db=location, rounded=not as_json, params=params)
    write_report(report, "json" if as_json else "table")

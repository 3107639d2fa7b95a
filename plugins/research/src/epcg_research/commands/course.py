"""`epcg study learning` and `engagement`: what people do at each place of the order, and how many still play.

Imports inside functions keep help and listings free of numpy, SQLAlchemy and plugins.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import click

from epcg_core.plugin import command, db_option, format_option
from epcg_research.commands.paper import check_ending

_STUDY = click.option("--study", "name", metavar="NAME", help="The data set. Default: the only one.")
_BY = click.option(
    "--by", type=click.Choice(["group", "condition", "label"]),
    help="Apart by groups, conditions of sets, or what puzzles are in their sets.",
)  # fmt: skip
_PLOT = click.option("--plot", "drawn", type=click.Path(path_type=Path), metavar="FILE", help="Draw it, too.")


@command("learning")
@_STUDY
@click.option("--response", "responses", multiple=True, help="Only this response. Repeatable.")
@click.option(
    "--only-solved", is_flag=True, help="Leave out people who gave up, which may turn results round."
)
@_BY
@click.option("--adjust", type=click.Choice(["holm", "benjamini-hochberg", "none"]), default="holm",
              show_default=True, help="How p of trends is adjusted for their number.")  # fmt: skip
@_PLOT
@db_option
@format_option
def learning(
    name: str | None,
    responses: Sequence[str],
    only_solved: bool,
    by: str | None,
    adjust: str,
    drawn: Path | None,
    location: str,
    format: str,
) -> None:
    """Say what people do at each place of the order: how often they solve, the median of how long they need.

    Below stands for each response whether people have more or less of it the later they play a puzzle. For
    that, people are compared with others who played the same puzzle at another place, so puzzles that come
    late make no trend. Training is not a place.

    \b
    Examples:
      epcg study learning --response solved --response seconds
      epcg study learning --by group --plot learning.svg
    """
    if drawn is not None:
        check_ending(drawn)
    from epcg_research.commands.work import course as work

    work.learning(location, format, name, responses, by, adjust, drawn, only_solved)


@command("engagement")
@_STUDY
@_BY
@_PLOT
@db_option
@format_option
def engagement(name: str | None, by: str | None, drawn: Path | None, location: str, format: str) -> None:
    """Say how many of those who began still play at each place of the order.

    A person leaves at a place if the person played before and was given a puzzle there, but played neither
    that nor a later one. With --by, the log-rank test says whether groups, conditions or labels differ in it.

    \b
    Examples:
      epcg study engagement
      epcg study engagement --by condition --plot engagement.svg
    """
    if drawn is not None:
        check_ending(drawn)
    from epcg_research.commands.work import course as work

    work.engagement(location, format, name, by, drawn)

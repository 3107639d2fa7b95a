"""`epcg plot`: what to plot, from a run, the layers, or any SQL statement."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click

from epcg_core.plugin import command, db_option
from epcg_research.commands.paper import check_ending, paper_options


def _groups(
    ctx: click.Context, parameter: click.Parameter, value: str | None
) -> tuple[str, int | None] | None:
    """Read METRIC or METRIC:N."""
    if value is None:
        return None
    name, colon, parts = value.partition(":")
    if not colon:
        return name, None
    if parts not in map(str, range(2, 13)):
        raise click.BadParameter(f"'{value:.80}': after the colon stands into how many groups, 2 to 12.")
    return name, int(parts)


@command("plot")
@click.argument("run_ids", metavar="[RUN]...", nargs=-1, type=click.IntRange(1))
@click.option(
    "--metric", "metrics", multiple=True,
    help="A metric that is drawn; default: the run's first. Repeatable: one below the other.",
)  # fmt: skip
@click.option("--kind", type=click.Choice(["bars", "ecdf", "violins"]),
              help="Bars (several runs or groups: outlines), curves of the share with at most so much, or "
              "violins. Default: bars.")  # fmt: skip
@click.option("--by", callback=_groups, metavar="METRIC[:N]",
              help="In groups by another metric: by its values, or into N groups of about equal size."
)  # fmt: skip
@click.option("--over", metavar="METRIC", help="Candidates as points, over another metric.")
@click.option("--fit", is_flag=True, help="With --over: a straight line, with a band if RUN is a sample.")
@click.option("--shares", is_flag=True, help="Bars of shares, with intervals if RUN is a sample.")
@click.option("--where", metavar="SQL", help="Only candidates of RUN for which this is true.")
@click.option("--layers", is_flag=True, help="The percentage solvable, and uniquely solvable, by layer.")
@click.option("--domain", help="With --layers: only this domain's.")
@click.option("--sql", "statement", metavar="SELECT", help="Plot the second column over the first.")
@click.option("--log", is_flag=True, help="A logarithmic axis: the vertical one, of ecdf the horizontal one.")
@click.option("--title", help="The title, instead of the one that says what is drawn; '' for none.")
@paper_options
@click.option(
    "--output", "target", required=True, metavar="FILE", type=click.Path(dir_okay=False, path_type=Path),
    help="The picture: FILE.svg, FILE.png or FILE.pdf, with fonts embedded.",
)  # fmt: skip
@db_option
def plot(
    run_ids: Sequence[int],
    metrics: Sequence[str],
    layers: bool,
    domain: str | None,
    statement: str | None,
    target: Path,
    location: str,
    **how: Any,
) -> None:
    """Draw a picture: how a metric is distributed in RUN (in several runs or groups side by side), one metric
    over another, the percentage solvable by layer, or any two columns. What it shows is said in a caption.
    Needs matplotlib: pip install 'epcg-research[plot]'.

    \b
    Examples:
      epcg plot 4 --metric length --output length.svg
      epcg plot 4 --metric length --metric branching --output both.svg
      epcg plot 4 --metric entropy --kind violins --by length --output groups.svg
      epcg plot 4 --metric entropy --over length --fit --columns 1 --caption --output figure-3.pdf
      epcg plot --layers --output layers.png
      epcg plot --sql "SELECT layer, candidates FROM layers" --log --output sizes.svg
    """
    if bool(run_ids) + layers + (statement is not None) != 1:
        raise click.UsageError("Name what to plot: RUN, --layers, or --sql; one of them.")
    if domain is not None and not layers:
        raise click.UsageError("--domain belongs to --layers.")
    for option, value in (
        ("--metric", metrics),
        *((f"--{name}", how[name]) for name in ("kind", "by", "over", "fit", "shares", "where")),
    ):
        if value and not run_ids:
            raise click.UsageError(f"{option} belongs to RUN.")
    check_ending(target)
    from epcg_research.commands.work import plot as work

    work.plot(run_ids, metrics, layers, domain, statement, target, location, how)

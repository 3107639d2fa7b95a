"""`epcg plot`: what to plot, from a run, the layers, or any SQL statement."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import click

from epcg_core.plugin import command, db_option


@command("plot")
@click.argument("run_ids", metavar="[RUN]...", nargs=-1, type=click.IntRange(1))
@click.option(
    "--metric", "metrics", multiple=True,
    help="A metric whose distribution is drawn; default: the run's first. Repeatable: one below the other.",
)  # fmt: skip
@click.option("--layers", is_flag=True, help="The percentage solvable, and uniquely solvable, by layer.")
@click.option("--domain", help="With --layers: only this domain's.")
@click.option("--sql", "statement", metavar="SELECT", help="Plot the second column over the first.")
@click.option("--log", is_flag=True, help="A logarithmic vertical axis.")
@click.option("--title", help="The title, instead of the one that says what is drawn.")
@click.option(
    "--output", "target", required=True, metavar="FILE", type=click.Path(dir_okay=False, path_type=Path),
    help="The picture: FILE.svg, FILE.png or FILE.pdf.",
)  # fmt: skip
@db_option
def plot(
    run_ids: Sequence[int],
    metrics: Sequence[str],
    layers: bool,
    domain: str | None,
    statement: str | None,
    log: bool,
    title: str | None,
    target: Path,
    location: str,
) -> None:
    """Draw a picture: the distribution of a metric in RUN (in several, side by side as shares), the
    percentage solvable by layer, or any two columns. Needs matplotlib: pip install 'epcg-research[plot]'.

    \b
    Examples:
      epcg plot 4 --metric length --output length.svg
      epcg plot 4 --metric length --metric branching --output both.svg
      epcg plot --layers --output layers.png
      epcg plot --sql "SELECT layer, candidates FROM layers" --log --output sizes.svg
    """
    if bool(run_ids) + layers + (statement is not None) != 1:
        raise click.UsageError("Name what to plot: RUN, --layers, or --sql; one of them.")
    if domain is not None and not layers:
        raise click.UsageError("--domain belongs to --layers.")
    if metrics and not run_ids:
        raise click.UsageError("--metric belongs to RUN.")
    if target.suffix.lower() not in (".svg", ".png", ".pdf"):
        raise click.UsageError(f"'{target}' must end in .svg, .png or .pdf.")
    from epcg_research.commands.work import plot as work

    work.plot(run_ids, metrics, layers, domain, statement, log, title, target, location)

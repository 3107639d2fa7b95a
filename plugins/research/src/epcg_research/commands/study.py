"""`epcg study`: what recorded data say together.

Imports inside functions keep help and listings free of numpy, SQLAlchemy and plugins.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import attrs
import click

from epcg_core.plugin import Number, OpenGroup, StoreError, command, db_option, say, write, write_json

if TYPE_CHECKING:
    from epcg_research.exchange.traces import Correlation


@click.group("study", cls=OpenGroup)
def study() -> None:
    """Compare measures with what players did."""


@command("traces")
@click.option("--run", "run_id", type=click.IntRange(1), metavar="RUN", help="Measures of this run only.")
@click.option("--metric", "metrics", multiple=True, help="Only this measure. Repeatable.")
@click.option("--format", "format", type=click.Choice(["table", "json", "csv"]), default="table",
              show_default=True)  # fmt: skip
@click.option("--plot", type=click.Path(path_type=Path), metavar="FILE.svg",
              help="Draw the puzzles too: one measure against what players did.")  # fmt: skip
@click.option("--against", default="seconds", show_default=True,
              type=click.Choice(["seconds", "moves", "undos", "restarts", "hints", "rating"]),
              help="With --plot: what players did.")  # fmt: skip
@db_option
def traces(
    run_id: int | None,
    metrics: Sequence[str],
    format: str,
    plot: Path | None,
    against: str,
    location: str,
) -> None:
    """Correlate measures with traces of play: time, moves, undos, restarts, hints, rating.

    By puzzle: Spearman's rank correlation of the measure with the median over the puzzle's players, with its
    95 % interval (Bonett & Wright 2000). For time and moves, players count who finished the puzzle. Of traces
    of the same player and puzzle, the one that was imported last counts. Players often play the same puzzles,
    so many players of few puzzles make no narrow interval.

    \b
    Examples:
      epcg study traces
      epcg study traces --run 4 --metric muse --plot muse.svg
      epcg study traces --format csv > correlations.csv
    """
    from epcg_core.plugin import Store
    from epcg_research.exchange.traces import study as compare

    if plot is not None and plot.suffix.lower() != ".svg":
        raise click.UsageError(f"'{plot}' must end in .svg.")
    with Store.open(location) as store, store.reader() as reader:
        found = compare(reader, run_id, metrics)
    header = ["run", "metric", "with", "puzzles", "players", "rho", "lowest", "highest", "left out"]
    if format == "json":
        write_json(attrs.asdict(found))
    else:
        write(format, header, [_row(each, format) for each in found.found])
    if plot is not None:
        _plot(found.found, against, plot)
        say(f"Drawn into {plot}.")
    if format == "table":
        say(
            f"{found.traces:,} traces of {found.players:,} players and {found.puzzles:,} puzzles; "
            f"{found.unmeasured:,} of puzzles without a measure here."
        )
        say("Left out: traces without a value or a rating, and for seconds and moves unfinished ones.")
        if any(each.rho is None for each in found.found):
            say("'-': fewer than two puzzles, or the same for all; an interval takes four puzzles.")


def _row(found: Correlation, format: str) -> list[Any]:
    ends: list[Any] = [found.rho, found.low, found.high]
    if format == "table":
        ends = [Number("-") if end is None else Number(f"{end:.3f}") for end in ends]
    return [
        found.run, found.metric, found.response, found.puzzles, found.players, *ends, found.left_out,
    ]  # fmt: skip


def _plot(found: Sequence[Correlation], against: str, target: Path) -> None:
    """Draw the first measure with the most puzzles against a response."""
    from epcg_research import figures

    chosen = [each for each in found if each.response == against and each.puzzles]
    if not chosen:
        raise StoreError(f"No puzzle has both a measure and {against}: there is nothing to draw.")
    best = max(chosen, key=lambda each: each.puzzles)
    figures.require_matplotlib()
    rho = "" if best.rho is None else f", rho {best.rho:.2f}"
    title = f"{best.puzzles} puzzles, {best.players} players{rho}"
    figures.draw_columns(target, [best.metric, f"{against}, median of players"], best.points, title, False)


study.add_command(traces)

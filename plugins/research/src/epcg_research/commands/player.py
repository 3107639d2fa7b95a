"""`epcg study player`: models of how people choose their moves.

Imports inside functions keep help and listings free of numpy, SQLAlchemy and plugins.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click

from epcg_core.inside import OpenGroup
from epcg_core.plugin import command, db_option, format_option

MODELS = ["uniform", "rules", "counts", "softmax"]


@click.group("player", cls=OpenGroup)
def player() -> None:
    """Fit models of how people choose their moves, and see where they go wrong."""


_MOVES = click.option(
    "--moves", "table", type=click.Path(path_type=Path), metavar="FILE.csv",
    help="Read moves from a table with the columns person, puzzle and move instead of traces of play pages.",
)  # fmt: skip
_SPACE = click.option(
    "--space", metavar="SPACE", help="With --moves: the space whose ranks the column of puzzles has."
)
_STUDY = click.option(
    "--study", metavar="NAME", help="Only people of this study; traces for players who are in none."
)
_PLAYER = click.option(
    "--player", "path", required=True, type=click.Path(path_type=Path), metavar="FILE.json",
    help="A model that `epcg study player fit` wrote.",
)  # fmt: skip


@command("fit")
@click.option("--model", type=click.Choice(MODELS), default="softmax", show_default=True, help="The model.")
@click.option("--output", type=click.Path(path_type=Path), metavar="FILE.json", help="Write the model here.")
@click.option("--domain", help="The domain, if there are traces of several.")
@click.option("--puzzle", "puzzles", multiple=True, metavar="ID", help="Only this puzzle. Repeatable.")
@_STUDY
@_MOVES
@_SPACE
@click.option("--rule", "rules", multiple=True,
              help="An inference rule, of the model 'rules' or as a feature. Repeatable.")  # fmt: skip
@click.option(
    "--way", is_flag=True, help="Let a softmax look at the moves before; no measure can use it then."
)
@click.option("--without", multiple=True, metavar="FEATURE", help="Leave a feature out. Repeatable.")
@click.option("--penalty", default=1.0, show_default=True, help="On the squares of a softmax's weights.")
@click.option("--hold-out", "held", type=click.Choice(["people", "puzzles", "nothing"]), default="people",
              show_default=True, help="What the model is not fitted on when its loss is found.")  # fmt: skip
@click.option(
    "--folds", type=click.IntRange(2), default=5, show_default=True, help="Parts that are held out."
)
@click.option("--seed", default=0, show_default=True, help="Of what is drawn by chance.")
@db_option
@format_option
def fit(
    model: str,
    output: Path | None,
    domain: str | None,
    puzzles: Sequence[str],
    study: str | None,
    table: Path | None,
    space: str | None,
    location: str,
    format: str,
    **how: Any,
) -> None:
    """Fit a model to the moves of people, and say how well it foresees those of others.

    Every move of a trace is a decision between the legal moves of its position, also one that was taken back
    later; undo and restart are not decisions, and moves after a hint or a look at the solution do not count.
    The loss is the mean of -log2 of the probability of the chosen move, of people who were held out,
    beside that of a player to whom all moves are alike.

    \b
    Examples:
      epcg study player fit --output player.json
      epcg study player fit --model counts --hold-out puzzles
      epcg study player fit --moves clicks.csv --space "domain:generator?size=5" --output player.json
    """
    from epcg_research.commands.work import player as work

    work.fit(location, format, model, output, domain, puzzles, table, space, study, how)


@command("score")
@click.argument("puzzle")
@_PLAYER
@click.option("--depth", type=click.IntRange(1), metavar="MOVES",
              help="Moves after which a player gives up; TSI needs it if positions recur.")  # fmt: skip
@db_option
@format_option
def score(puzzle: str, path: Path, depth: int | None, location: str, format: str) -> None:
    """Print the solution information (MSI and TSI) of PUZZLE for a player model.

    Beside it stands that of a player to whom all legal moves are alike. In a query, the evaluator `entropy`
    records the same numbers, with the lines that `epcg study player fit` prints.

    \b
    Examples:
      epcg study player score "domain:generator?size=5#17" --player player.json
      epcg study player score 4#17 --player player.json --depth 12 --format json
    """
    from epcg_research.commands.work import player as work

    work.score(location, format, puzzle, path, depth)


@command("show")
@click.argument("puzzle")
@click.option(
    "--output", type=click.Path(path_type=Path), metavar="FILE.svg", help="Draw the positions here."
)
@_STUDY
@_MOVES
@_SPACE
@click.option("--most", type=click.IntRange(1, 6), default=3, show_default=True,
              help="Positions of each kind.")  # fmt: skip
@db_option
@format_option
def show(
    puzzle: str,
    output: Path | None,
    study: str | None,
    table: Path | None,
    space: str | None,
    most: int,
    location: str,
    format: str,
) -> None:
    """Show where people go wrong in PUZZLE, where they spend their time, and where they stop.

    First wrong moves: the first move of each person after which nothing can be won, or the goal is as far
    as before. Bottlenecks: positions that most of those pass who solve it, by the share of their
    time. Stops: the last positions of people who did not solve it. Shares are of people, with Wilson's
    interval.

    \b
    Examples:
      epcg study player show "domain:generator?size=5#17" --output where.svg
      epcg study player show 4#17 --format json
    """
    from epcg_research.commands.work import player as work

    if output is not None and output.suffix.lower() != ".svg":
        raise click.UsageError(f"'{output}' must end in .svg.")
    work.show(location, format, puzzle, output, table, space, study, most)


@command("simulate")
@click.argument("puzzles", nargs=-1, required=True, metavar="PUZZLE...")
@click.option("--player", "path", type=click.Path(path_type=Path), metavar="FILE.json",
              help="A model that `epcg study player fit` wrote. Default: all moves are alike.")  # fmt: skip
@click.option("--people", type=click.IntRange(1, 10_000), default=20, show_default=True, help="Their number.")
@click.option("--moves", "most", type=click.IntRange(1, 20_000), default=200, show_default=True,
              help="Moves after which a person gives up.")  # fmt: skip
@click.option("--seed", default=0, show_default=True, help="Of what is drawn by chance.")
@click.option("--output", required=True, type=click.Path(path_type=Path), metavar="FOLDER",
              help="The new folder of their files, as play pages save them.")  # fmt: skip
@db_option
def simulate(
    puzzles: Sequence[str], path: Path | None, people: int, most: int, seed: int, output: Path, location: str
) -> None:
    """Make traces of people who play as a model says, before there are real ones.

    Every move takes a second; in a position without moves they begin again. `epcg import traces` brings the
    files in.

    \b
    Examples:
      epcg study player simulate 4#17 --player player.json --people 40 --output simulated
    """
    from epcg_research.commands.work import player as work

    work.simulate(location, puzzles, path, people, most, seed, output)


for _command in (fit, score, show, simulate):
    player.add_command(_command)

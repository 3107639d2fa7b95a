"""`epcg import`: measures of others become metrics of a run.

Imports inside functions keep help and listings free of numpy, SQLAlchemy and plugins.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import click

from epcg_core.plugin import OpenGroup, command, count, db_option, run_argument, say


@click.group("import", cls=OpenGroup)
def import_group() -> None:
    """Bring in what others measured."""


@command("parquet")
@run_argument
@click.argument("path", metavar="FILE", type=click.Path(path_type=Path))
@click.option("--metric", "wanted", multiple=True,
              help="Only this column. Repeatable; default: all that the run has not.")  # fmt: skip
@click.option("--ranks", is_flag=True, help="The ranks in the file are those of RUN's space.")
@click.option("--replace", is_flag=True, help="Replace what was imported before under the same names.")
@db_option
def parquet(
    run_id: int, path: Path, wanted: Sequence[str], ranks: bool, replace: bool, location: str
) -> None:
    """Bring columns of a Parquet FILE, or a folder of them, in as metrics of RUN: votes, times of play tests.

    Puzzles are named by a column 'puzzle' with their ids, or by a column 'rank' in a file that was exported
    from a run over the same space. Imported metrics show in top, sql, plot, export and plans as others do.
    The run's digest does not cover them, and `epcg verify` names them. Needs pyarrow:
    pip install 'epcg-research[parquet]'.

    \b
    Examples:
      epcg import parquet 4 votes.parquet
      epcg import parquet 4 play_tests.parquet --metric seconds --metric gave_up --replace
    """
    from epcg_core.plugin import Store
    from epcg_research.exchange.importing import import_parquet

    Store.open(location).close()  # a database that does not exist must not be made
    with Store.open(location, write=True) as store:
        found = import_parquet(store, run_id, path, wanted, ranks=ranks, replace=replace)
    names = ", ".join(found.metrics)
    say(f"Run {run_id} has {names} of {count(found.candidates)} candidates, from {path}.")


@command("traces")
@click.argument("paths", metavar="FILE...", nargs=-1, required=True, type=click.Path(path_type=Path))
@db_option
def traces(paths: Sequence[Path], location: str) -> None:
    """Bring in FILES that players saved on play pages: time, moves, undos, hints, ratings.

    Every trace is recorded once, however often its file is imported, and none is ever changed: of several of
    one player and puzzle, the view `traces` shows the one imported last. A file at fault brings in nothing of
    any. `epcg study traces` compares measures with them.

    \b
    Examples:
      epcg import traces traces-7f3a.json
      epcg import traces inbox/*.json
    """
    from epcg_core.plugin import Store
    from epcg_research.exchange.traces import import_traces

    Store.open(location).close()  # a database that does not exist must not be made
    with Store.open(location, write=True) as store:
        found = import_traces(store, paths)
    say(
        f"{found.new:,} new traces, {found.seen:,} that were here before, of {found.players:,} players and "
        f"{found.puzzles:,} puzzles."
    )
    if found.unknown:
        say(f"{found.unknown:,} of the puzzles are of spaces that no run of {location} has.")


import_group.add_command(parquet)
import_group.add_command(traces)

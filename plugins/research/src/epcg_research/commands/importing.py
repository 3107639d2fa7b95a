"""`epcg import`: measures of others become metrics of a run, and what people did is brought in.

Imports inside functions keep help and listings free of numpy, SQLAlchemy and plugins.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import click

from epcg_core.plugin import OpenGroup, command, count, db_option, run_argument, say


@click.group("import", cls=OpenGroup)
def import_group() -> None:
    """Bring in what others measured, and what people did."""


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
    """Bring in FILES that players saved on play pages, or folders of them: time, moves, hints, ratings.

    Every trace is recorded once, however often its file is imported, and none is ever changed: of several of
    one player and puzzle, the view `traces` shows the one imported last. A file at fault brings in nothing of
    any. `epcg study traces` compares measures with them.

    \b
    Examples:
      epcg import traces traces-7f3a.json
      epcg import traces inbox
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


@command("responses")
@click.argument("path", metavar="FILE", type=click.Path(path_type=Path))
@click.option("--puzzle", "puzzle", required=True, metavar="COLUMN", help="The column of puzzles.")
@click.option("--person", "person", required=True, metavar="COLUMN", help="The column of people.")
@click.option("--response", "responses", multiple=True, metavar="NAME[=COLUMN][UNIT]:LOW..HIGH",
              help="A number that people gave, with unit and scale if it has them. Repeatable.")  # fmt: skip
@click.option("--time", "times", multiple=True, metavar="NAME[=COLUMN][ms|s|min|h]",
              help="A time, with its unit; recorded in seconds. Repeatable.")  # fmt: skip
@click.option("--finished", metavar="COLUMN",
              help="1 (true, yes) if the person solved the puzzle: times count only then.")  # fmt: skip
@click.option("--order", "order", metavar="COLUMN",
              help="The place of an answer among those of its person, or its time.")  # fmt: skip
@click.option("--space", metavar="SPACE|RUN", help="The column of puzzles has ranks of this space.")
@click.option("--labels", metavar="FILE.csv", type=click.Path(path_type=Path),
              help="The column of puzzles has labels; FILE.csv has columns label and puzzle.")  # fmt: skip
@click.option("--separator", default=",", show_default=True, metavar="CHARACTER",
              help="Between the cells of a line.")  # fmt: skip
@click.option("--name", "study", help="The name of the study. Default: that of the file.")
@click.option("--replace", is_flag=True, help="Replace a study of the same name.")
@db_option
def responses(
    path: Path,
    puzzle: str,
    person: str,
    responses: Sequence[str],
    times: Sequence[str],
    finished: str | None,
    order: str | None,
    space: str | None,
    labels: Path | None,
    separator: str,
    study: str | None,
    replace: bool,
    location: str,
) -> None:
    """Bring in a table of a study with people: a CSV or Parquet FILE with a row for each person and puzzle.

    Puzzles are ids, short ids, RUN#RANK or texts of puzzles; with --space ranks, with --labels labels. Empty
    cells, NA and nan say that there is no number. If anything is wrong, lines and columns are named and
    nothing is recorded. `epcg study` asks what was brought in, and so does the view `responses`.

    \b
    Examples:
      epcg import responses play.csv --puzzle id --person who --response rating:1..5
      epcg import responses tower.csv --space 4 --puzzle problem --person person --time "seconds=total[ms]"
      epcg import responses votes.parquet --labels levels.csv --puzzle level --person user --response fun
    """
    from epcg_core.plugin import Store
    from epcg_research.exchange.responses import Form, column_of, origin_of, read
    from epcg_research.studies.answers import save

    if len(separator) != 1:
        raise click.UsageError("--separator: one character is expected; of tabs, name the file .tsv.")
    columns = (*map(column_of, responses), *(column_of(text, time=True) for text in times))
    form = Form(puzzle, person, columns, order, finished, separator, space, labels)
    with Store.open(location) as store, store.reader() as reader:
        found = read(reader, location, path, study or path.name.partition(".")[0], form)
    with Store.open(location, write=True) as store:
        save(store, found, origin_of(path), replace)
    say(
        f"{count(len(found.answers))} answers of {count(len(found.people))} people to "
        f"{count(len(found.puzzles))} puzzles are the study '{found.study}'."
    )


import_group.add_command(parquet)
import_group.add_command(responses)
import_group.add_command(traces)

"""`epcg import`: measures of others become metrics of a run, and what people did is brought in.

Imports inside functions keep help and listings free of numpy, SQLAlchemy and plugins.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click

from epcg_core.inside import OpenGroup, json_option, write_report
from epcg_core.plugin import command, db_option, run_argument


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
@json_option
def parquet(
    run_id: int, path: Path, wanted: Sequence[str], ranks: bool, replace: bool, location: str, as_json: bool
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
    from epcg_research import brought_in

    found = brought_in.import_parquet(run_id, path, metrics=wanted, ranks=ranks, replace=replace, db=location)
    write_report(found, "json" if as_json else "table")


@command("traces")
@click.argument("paths", metavar="FILE...", nargs=-1, required=True, type=click.Path(path_type=Path))
@db_option
@json_option
def traces(paths: Sequence[Path], location: str, as_json: bool) -> None:
    """Bring in FILES that players saved on play pages, or folders of them: time, moves, hints, ratings.

    Every trace is recorded once, however often its file is imported, and none is ever changed: of several of
    one player and puzzle, the view `traces` shows the one imported last. A file at fault brings in nothing of
    any. `epcg study traces` compares measures with them.

    \b
    Examples:
      epcg import traces traces-7f3a.json
      epcg import traces inbox
    """
    from epcg_research import brought_in

    write_report(brought_in.import_traces(*paths, db=location), "json" if as_json else "table")


@command("responses")
@click.argument("path", metavar="FILE", type=click.Path(path_type=Path))
@click.option("--puzzle", "puzzle", required=True, metavar="COLUMN", help="The column of puzzles.")
@click.option("--person", "person", required=True, metavar="COLUMN", help="The column of people.")
@click.option("--response", "responses", multiple=True, metavar="NAME[=COLUMN][UNIT]:LOW..HIGH",
              help="A number that people gave, with unit and scale if it has them. Repeatable.")  # fmt: skip
@click.option("--time", "times", multiple=True, metavar="NAME[=COLUMN][ms|s|min|h]",
              help="A time, with its unit; recorded in seconds. Repeatable.")  # fmt: skip
@click.option("--finished", metavar="COLUMN",
              help="1 (true, yes) if the person solved the puzzle, 0 if the person gave up.")  # fmt: skip
@click.option("--order", "order", metavar="COLUMN",
              help="The place of an answer among those of its person, or its time.")  # fmt: skip
@click.option("--training", metavar="COLUMN",
              help="1 (true, yes) if the person only tried the puzzle out: it is left out.")  # fmt: skip
@click.option("--set", "set_", metavar="COLUMN", help="The set of puzzles that were compared.")
@click.option("--label", metavar="COLUMN", help="The name of the puzzle in its set, such as variant.")
@click.option("--condition", metavar="COLUMN", help="The condition under which the person played it.")
@click.option("--group", metavar="COLUMN", help="The group of the person.")
@click.option("--about", multiple=True, metavar="NAME[=COLUMN]",
              help="Something about the person, such as age. Repeatable.")  # fmt: skip
@click.option("--space", metavar="SPACE|RUN", help="The column of puzzles has ranks of this space.")
@click.option("--labels", metavar="FILE.csv", type=click.Path(path_type=Path),
              help="The column of puzzles has labels; FILE.csv has columns label and puzzle.")  # fmt: skip
@click.option("--separator", default=",", show_default=True, metavar="CHARACTER",
              help="Between the cells of a line.")  # fmt: skip
@click.option("--study", metavar="NAME", help="The name of the study. Default: that of the file.")
@click.option("--replace", is_flag=True, help="Replace a study of the same name.")
@db_option
@json_option
def responses(
    path: Path,
    puzzle: str,
    person: str,
    responses: Sequence[str],
    times: Sequence[str],
    finished: str | None,
    order: str | None,
    training: str | None,
    set_: str | None,
    label: str | None,
    condition: str | None,
    group: str | None,
    about: Sequence[str],
    space: str | None,
    labels: Path | None,
    separator: str,
    study: str | None,
    replace: bool,
    location: str,
    as_json: bool,
) -> None:
    """Bring in a table of a study with people: a CSV or Parquet FILE with a row for each person and puzzle.

    Puzzles are ids, short ids, RUN#RANK or texts of puzzles; with --space ranks, with --labels labels. Empty
    cells, NA and nan say that there is no number. With --condition, --label or --group `epcg study
    conditions` compares what people did under each. If anything is wrong, lines and columns are named and
    nothing is recorded. `epcg study` asks what was brought in, and so does the view `responses`.

    \b
    Examples:
      epcg import responses play.csv --puzzle id --person who --response rating:1..5
      epcg import responses tower.csv --space 4 --puzzle problem --person person --time "seconds=total[ms]"
      epcg import responses votes.parquet --labels levels.csv --puzzle level --person user --response fun
    """
    from epcg_research import brought_in

    if len(separator) != 1:
        raise click.UsageError("--separator: one character is expected; of tabs, name the file .tsv.")
    found = brought_in.import_responses(
        path, puzzle=puzzle, person=person, responses=responses, times=times, finished=finished, order=order,
        training=training, set=set_, label=label, condition=condition, group=group, about=about, space=space,
        labels=labels, separator=separator, study=study, replace=replace, db=location,
    )  # fmt: skip
    write_report(found, "json" if as_json else "table")


@command("study")
@click.argument("paths", metavar="FILE...", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option("--plan", "plan", required=True, metavar="FOLDER|study.json", type=click.Path(path_type=Path),
              help="The folder of the study's pages, or its study.json.")  # fmt: skip
@click.option("--study", metavar="NAME", help="The name of the study. Default: that of the plan.")
@click.option("--replace", is_flag=True, help="Replace people who are recorded already.")
@db_option
@json_option
def of_study(
    paths: Sequence[Path], plan: Path, study: str | None, replace: bool, location: str, as_json: bool
) -> None:
    """Bring in FILES that people saved on the pages that `epcg study site` made: traces, answers, choices.

    Files may come one after the other. If one belongs to another plan, was cut or changed, or is of a person
    who is recorded already, nothing of any is brought in; --replace takes the newer file of a person. `epcg
    study` asks what was brought in, and so do the views `responses`, `traces`, `study_choices`,
    `study_people`, `study_played` and `study_said`.

    \b
    Examples:
      epcg import study inbox/*.json --plan study
      epcg import study snakebird-2020-17.json --plan study/study.json --replace
    """
    from epcg_research import brought_in

    found = brought_in.import_study(*paths, plan=plan, study=study, replace=replace, db=location)
    write_report(found, "json" if as_json else "table")


@command("choices")
@click.argument("path", metavar="FILE", type=click.Path(path_type=Path))
@click.option("--person", required=True, metavar="COLUMN", help="The column of people.")
@click.option("--chosen", required=True, metavar="COLUMN", help="The puzzle that was chosen.")
@click.option("--other", required=True, metavar="COLUMN", help="The puzzle that was not.")
@click.option("--question", metavar="COLUMN", help="The column of questions. Default: one, 'preferred'.")
@click.option("--chosen-is", metavar="COLUMN", help="What the chosen puzzle is, such as variant.")
@click.option("--other-is", metavar="COLUMN", help="What the other one is, such as original.")
@click.option("--space", metavar="SPACE|RUN", help="The columns of puzzles have ranks of this space.")
@click.option("--labels", metavar="FILE.csv", type=click.Path(path_type=Path),
              help="The columns of puzzles have labels; FILE.csv has columns label and puzzle.")  # fmt: skip
@click.option("--separator", default=",", show_default=True, metavar="CHARACTER",
              help="Between the cells of a line.")  # fmt: skip
@click.option("--study", metavar="NAME", help="The name of the study. Default: that of the file.")
@click.option("--replace", is_flag=True, help="Replace a study of the same name.")
@db_option
@json_option
def choices(
    path: Path, study: str | None, replace: bool, location: str, as_json: bool, separator: str, **columns: Any
) -> None:
    """Bring in choices between two puzzles: a CSV or Parquet FILE with a row for each person, question and
    pair, which names the puzzle that was chosen and the one that was not.

    Puzzles are named as in `epcg import responses`. If anything is wrong, lines and columns are named and
    nothing is recorded. `epcg study choices` asks what was brought in, and so does the view `study_choices`.

    \b
    Examples:
      epcg import choices votes.csv --person who --question word --chosen yes --other no
      epcg import choices votes.csv --person who --chosen a --other b --chosen-is kind_a --other-is kind_b
    """
    from epcg_research import brought_in

    if len(separator) != 1:
        raise click.UsageError("--separator: one character is expected; of tabs, name the file .tsv.")
    found = brought_in.import_choices(
        path, separator=separator, study=study, replace=replace, db=location, **columns
    )
    write_report(found, "json" if as_json else "table")


import_group.add_command(choices)
import_group.add_command(of_study)
import_group.add_command(parquet)
import_group.add_command(responses)
import_group.add_command(traces)

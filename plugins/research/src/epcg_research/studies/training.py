"""The one filter of what people did: training is left out, and puzzles without an answer are known.

Every command of `epcg study`, archives, figures and player models read answers, choices and traces through
this module, so that what a person tried out before a study began counts nowhere.
"""

from __future__ import annotations

from collections.abc import Mapping

import attrs

from epcg_core.inside import Trace, newest_traces
from epcg_core.plugin import Reader, has_tables

TABLES = "responses"
"""The name of the distribution's set of tables."""
Puzzle = tuple[str, int]
"""A space, by its name, and a rank in it."""
Given = tuple[str, Puzzle]
"""A person, and a puzzle that the person was given."""


@attrs.frozen
class Course:
    """What the people of a study were given."""

    training: frozenset[Given]
    """Puzzles to try out, before the study began."""
    asked: Mapping[Given, float]
    """The puzzles of the study, with their place in what the person was given; empty if that is not known."""


def given(reader: Reader, study: str) -> Course:
    """Return what the people of a study were given.

    Args:
        reader: the database.
        study: the name of the study.

    Returns:
        The puzzles of training, and those of sets. Of a table that was imported, training alone is known.
    """
    training, asked = set[Given](), dict[Given, float]()
    if has_tables(reader, TABLES):
        for person, space, rank, name, position in reader.connection.exec_driver_sql(
            "SELECT person, space, rank, set_name, position FROM responses_played "
            "JOIN responses_study AS study ON study.id = study_id WHERE study.name = ? ORDER BY "
            "responses_played.id",
            (study,),
        ):
            key = person, (space, rank)
            if name:
                asked[key] = float(position)
            else:
                training.add(key)
    return Course(frozenset(training), asked)


def counted_traces(reader: Reader) -> tuple[list[Trace], list[Trace]]:
    """Return the newest trace of each player and puzzle: those that count, and those of training."""
    trained = set[Given]()
    if has_tables(reader, TABLES):
        trained |= {
            (player, (space, rank))
            for player, space, rank in reader.connection.exec_driver_sql(
                "SELECT player, space, rank FROM responses_played AS played JOIN responses_person AS person "
                "ON person.study_id = played.study_id AND person.person = played.person WHERE set_name = ''"
            )
        }
    kept, training = list[Trace](), list[Trace]()
    for trace in newest_traces(reader.connection):
        (training if (trace.player, (trace.space, trace.rank)) in trained else kept).append(trace)
    return kept, training


def of_training(number: int, what: str = "answer") -> list[str]:
    """Say how many answers, traces or choices were left out because they are of training; nothing of none."""
    if not number:
        return []
    some, are = (f"one {what}", "is") if number == 1 else (f"{number:,} {what}s", "are")
    return [f"Training is left out: {some} {are} about puzzles that people tried out before the study."]

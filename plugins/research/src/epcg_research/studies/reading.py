"""The one filter of what people did: every command, figure, archive and player model reads through it.

It leaves out what people tried out before a study began, knows the puzzles that people were given and did not
come to, and keeps traces of people of a study with their study. What it leaves out, `SetAside` counts and
says; whether being left out goes with a measure, `studies.omitted` asks.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import attrs

from epcg_core.inside import StoreError, Trace, newest_traces
from epcg_core.plugin import Reader, UnknownNameError, has_tables
from epcg_research.studies.answers import (
    OF_TRACES,
    TRACES,
    Answer,
    Answers,
    Choice,
    Given,
    Response,
    SetAside,
)

TABLES = "responses"
"""The name of the distribution's set of tables."""


# --- traces -----------------------------------------------------------------------------------------------


@attrs.frozen
class Traces:
    """The newest trace of each player and puzzle."""

    counted: tuple[Trace, ...]
    training: tuple[Trace, ...]
    of_studies: int = 0
    """How many are left out because their players are people of a study."""
    people: Mapping[str, str] = {}
    """The names of players who are people of the study that was asked for."""


def traces(reader: Reader, study: str | None = None) -> Traces:
    """Return the newest trace of each player and puzzle.

    Args:
        reader: the database.
        study: 'traces' for those of players who are in no study, or the name of a study for those of its
            people; None for all.
    """
    people, trained = dict[str, dict[str, str]](), set[Given]()
    if has_tables(reader, TABLES):
        connection = reader.connection
        for player, person, name in connection.exec_driver_sql(
            "SELECT player, person, name FROM responses_person JOIN responses_study AS study "
            "ON study.id = study_id WHERE player <> ''"
        ):
            people.setdefault(player, {})[name] = person
        trained |= {
            (player, (space, rank))
            for player, space, rank in connection.exec_driver_sql(
                "SELECT player, space, rank FROM responses_played AS played JOIN responses_person AS person "
                "ON person.study_id = played.study_id AND person.person = played.person WHERE set_name = ''"
            )
        }
    counted, training, elsewhere = list[Trace](), list[Trace](), 0
    for trace in newest_traces(reader.connection):
        if study is not None and study not in people.get(trace.player, {TRACES: ""}):
            elsewhere += study == TRACES
            continue
        (training if (trace.player, (trace.space, trace.rank)) in trained else counted).append(trace)
    names = {player: own[study] for player, own in people.items() if study in own}
    return Traces(tuple(counted), tuple(training), elsewhere, names)


def of_traces(reader: Reader) -> Answers:
    """Return what players of play pages did who are in no study, by the newest trace of each puzzle."""
    found, all_traces = [], traces(reader, TRACES)
    for trace in all_traces.counted:
        numbers = {each.name: getattr(trace, each.name) for each in OF_TRACES}
        values = {name: float(value) for name, value in numbers.items() if value is not None}
        found.append(Answer(trace.player, (trace.space, trace.rank), values, finished=trace.finished))
    aside = SetAside(len(all_traces.training), of_studies=all_traces.of_studies)
    return Answers(TRACES, OF_TRACES, tuple(found), aside)


# --- studies ----------------------------------------------------------------------------------------------


def recorded(reader: Reader) -> list[Answers]:
    """Return all data sets of a database: traces of play, if there are any, then studies by name."""
    found = of_traces(reader)
    return [*([found] if found.answers else []), *(_study(reader, name) for name in _names(reader))]


def asked(reader: Reader, study: str | None = None, only_solved: bool = False) -> Answers:
    """Return a data set as commands ask it, with the response 'solved' if people gave up.

    Args:
        reader: the database.
        study: its name; None for the only one.
        only_solved: whether answers of people who gave up are left out, which must be asked for.

    Raises:
        StoreError: if there is none, or several and no name.
        UnknownNameError: if there is none of that name.
    """
    found = named(reader, study)
    return found.only_solved() if only_solved else found.with_solved()


def named(reader: Reader, study: str | None = None) -> Answers:
    """Return a data set by its name, or the only one.

    Args:
        reader: the database.
        study: the name; None for the only one that there is, where choices alone are no data set.

    Raises:
        StoreError: if there is none, or several and no name.
        UnknownNameError: if there is none of that name.
    """
    names, played = _names(reader), of_traces(reader)
    known = [*([TRACES] if played.answers else []), *names]
    if not known:
        raise StoreError(
            "There is nothing of people here: bring in traces of play with `epcg import traces FILE...`, or "
            "a table of a study with `epcg import responses FILE ...`."
        )
    with_numbers = _names(reader, "JOIN responses_column AS col ON study_id = s.id")
    answered = [name for name in known if name == TRACES or name in with_numbers]
    if study is None and len(answered) > 1:
        raise StoreError(f"There are several data sets, {', '.join(answered)}: choose one with --study.")
    wanted = study or (answered or known)[0]
    if wanted not in known:
        raise UnknownNameError("study", wanted, sorted(known), "--study")
    return played if wanted == TRACES else _study(reader, wanted)


def _names(reader: Reader, joined: str = "") -> list[str]:
    """Return the names of studies, of those that are joined with rows of another table if one is given."""
    if not has_tables(reader, TABLES):
        return []
    statement = f"SELECT DISTINCT s.name FROM responses_study AS s {joined} ORDER BY 1"
    return list(reader.connection.exec_driver_sql(statement).scalars())


def _rows(reader: Reader, select: str, study: str) -> list[Any]:
    """Return rows of a table of studies, joined with `study`, of the study of a name."""
    statement = f"{select} JOIN responses_study AS study ON study.id = study_id WHERE study.name = ?"
    return list(reader.connection.exec_driver_sql(f"{statement} ORDER BY 1", (study,)))


def every_answer(reader: Reader, study: str) -> tuple[tuple[Response, ...], list[Answer]]:
    """Return the responses and all answers of a study, of training and empty ones, too, before the filter.

    Answers that were given come first, as they were recorded; then puzzles that people did not come to.
    """
    columns = _rows(
        reader, "SELECT c.id, c.name, unit, low, high, of_finished FROM responses_column AS c", study
    )
    names = {row[0]: row[1] for row in columns}
    values: dict[int, dict[str, float]] = {}
    if names:
        marks = ", ".join("?" * len(names))
        for answer, column, value in reader.connection.exec_driver_sql(
            f"SELECT answer_id, column_id, value FROM responses_value WHERE column_id IN ({marks})",
            tuple(names),
        ):
            values.setdefault(answer, {})[names[column]] = value
    found: dict[Given, Answer] = {}
    for key, person, space, rank, position, done in _rows(
        reader, "SELECT a.id, person, space, rank, position, finished FROM responses_answer AS a", study
    ):
        finished = None if done is None else bool(done)
        found[person, (space, rank)] = Answer(person, (space, rank), values.get(key, {}), position, finished)
    for _, person, space, rank, name, label, condition, position in _rows(
        reader,
        "SELECT played.id, person, space, rank, set_name, label, condition, position "
        "FROM responses_played AS played",
        study,
    ):
        key = person, (space, rank)
        own = found.get(key) or Answer(*key, {}, float(position))
        found[key] = attrs.evolve(own, training=not name, set=name, label=label, condition=condition)
    groups = {
        person: group
        for _, person, group in _rows(
            reader, "SELECT own.id, person, group_name FROM responses_person AS own", study
        )
    }
    responses = tuple(
        Response(name, unit, low, high, bool(of_finished))
        for _, name, unit, low, high, of_finished in columns
    )
    return responses, [attrs.evolve(each, group=groups.get(each.person, "")) for each in found.values()]


def _study(reader: Reader, study: str) -> Answers:
    responses, found = every_answer(reader, study)
    kept = tuple(each for each in found if not each.training)
    aside = SetAside(sum(each.training and not each.empty for each in found))
    return Answers(study, responses, kept, aside)


def about_people(reader: Reader, study: str) -> dict[str, dict[str, str]]:
    """Return what people of a study answered about themselves: by question, the answer of each person."""
    found: dict[str, dict[str, str]] = {}
    if has_tables(reader, TABLES):
        for _, person, question, answer in _rows(
            reader,
            "SELECT said.id, person, question, answer FROM (SELECT * FROM responses_said WHERE about = '') "
            "AS said",
            study,
        ):
            found.setdefault(question, {})[person] = answer
    return found


# --- choices ----------------------------------------------------------------------------------------------


@attrs.frozen
class Choices:
    """The choices of a study."""

    study: str
    counted: list[Choice]
    set_aside: SetAside
    """Those with a puzzle of training."""


def recorded_choices(reader: Reader, study: str | None = None) -> Choices:
    """Return the choices of a study.

    Args:
        reader: the database.
        study: its name; None for the only one that has choices.

    Raises:
        StoreError: if there are no choices, or several studies have some and no name is given.
        UnknownNameError: if no study of that name has choices.
    """
    rows: list[Any] = []
    if has_tables(reader, TABLES):
        rows += reader.connection.exec_driver_sql(
            "SELECT study.name, person, question, set_name, space, rank, label, other_space, other_rank, "
            "other_label, first, equal FROM responses_choice AS choice "
            "JOIN responses_study AS study ON study.id = study_id ORDER BY choice.id"
        ).all()
    names = sorted({row[0] for row in rows})
    if not names:
        raise StoreError(
            "There are no choices here: bring some in with `epcg import study FILE... --plan FOLDER`, or as "
            "a table with `epcg import choices FILE ...`."
        )
    if study is None and len(names) > 1:
        raise StoreError(f"Several studies have choices, {', '.join(names)}: choose one with --study.")
    if study is not None and study not in names:
        raise UnknownNameError("study with choices", study, names, "--study")
    name = study or names[0]
    found = [
        Choice(
            row[1], row[2], row[3], (row[4], row[5]), row[6], (row[7], row[8]), row[9],
            None if row[10] is None else bool(row[10]), bool(row[11]),
        )
        for row in rows
        if row[0] == name
    ]  # fmt: skip
    trained = {(each.person, each.puzzle) for each in every_answer(reader, name)[1] if each.training}
    kept = [each for each in found if not {(each.person, each.chosen), (each.person, each.other)} & trained]
    return Choices(name, kept, SetAside(len(found) - len(kept)))

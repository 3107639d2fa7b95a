"""Studies in the database: tables whole, results of pages person by person, in the same tables."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

import attrs
import sqlalchemy as sa

from epcg_core.inside import StoreError, append_traces
from epcg_core.plugin import Store, make_tables
from epcg_research.exchange.results import Plan, Result
from epcg_research.studies.answers import Answer, Answers, Choice, Response
from epcg_research.studies.digests import seal
from epcg_research.studies.reading import TABLES

_OF_PEOPLE = ("answer", "person", "played", "said", "choice")
"""Tables with a row for what belongs to a person."""


def save(
    store: Store,
    answers: Answers,
    origin: Mapping[str, Any],
    replace: bool = False,
    *,
    about: Mapping[str, Mapping[str, str]] = {},
    choices: Sequence[Choice] = (),
) -> None:
    """Record a table of answers or choices as a study, whole or not at all.

    Args:
        store: a database, open for writing.
        answers: the data set, training included.
        origin: `file`, `sha256` and `imported_at`.
        replace: whether one of the same name is replaced.
        about: what is known of people: by question, the answer of each person.
        choices: choices of these people.

    Raises:
        StoreError: if there is one of the same name that is not to be replaced.
    """
    make_tables(store, TABLES)
    with store.transaction() as connection:
        there = sa.text("SELECT id FROM responses_study WHERE name = :name")
        old = connection.scalar(there, {"name": answers.study})
        if old is not None and not replace:
            raise StoreError(
                f"There is a study '{answers.study}' already: add --replace, or choose another name with "
                "--study."
            )
        if old is not None:
            _forget(connection, old)
            for table, key in (("column", "study_id"), ("study", "id")):
                connection.execute(sa.text(f"DELETE FROM responses_{table} WHERE {key} = :id"), {"id": old})
        number = _add_rows(connection, "study", [{"name": answers.study, **origin}])[0]
        columns = _add_columns(connection, number, answers.responses)
        people = dict[str, list[Answer]]()
        for each in answers.answers:
            people.setdefault(each.person, []).append(each)
        if any(each.set for each in answers.answers):
            rows = [
                {"study_id": number, "person": person, "player": "", "group_name": own[0].group,
                 "complete": int(not any(each.empty for each in own))}
                for person, own in people.items()
            ]  # fmt: skip
            _add_rows(connection, "person", rows)
        _add_answers(connection, number, columns, answers.answers)
        said = [
            {"study_id": number, "person": person, "question": question, "about": "", "answer": answer}
            for question, own in about.items()
            for person, answer in own.items()
        ]
        _add_rows(connection, "said", said)
        _add_rows(connection, "choice", [{"study_id": number} | _row(each) for each in choices])
        seal(connection, number)


def record_results(store: Store, results: Sequence[Result], plan: Plan, study: str, replace: bool) -> int:
    """Record results of pages, all of them or none.

    Args:
        store: a database, open for writing.
        results: the results.
        plan: the study that they belong to.
        study: its name in the database.
        replace: whether people who are recorded already are replaced.

    Returns:
        How many people the study has then.

    Raises:
        StoreError: if the name is that of another study, or a person is recorded already.
    """
    make_tables(store, TABLES)
    with store.transaction() as connection:
        number = _study(connection, plan, study)
        known = set(_scalars(connection, "SELECT person FROM responses_person WHERE study_id = :id", number))
        twice = [each.person for each in results if each.person in known]
        if twice and not replace:
            raise StoreError(
                f"Of person {', '.join(twice[:5])}{' and others' if len(twice) > 5 else ''} the study "
                f"'{study}' has a result already, and nothing is recorded: leave the file out, or add "
                "--replace."
            )
        for person in twice:
            _forget(connection, number, person)
        named = sa.text("SELECT name, id FROM responses_column WHERE study_id = :id")
        columns = {row.name: row.id for row in connection.execute(named, {"id": number})}
        for result in results:
            own = {"study_id": number, "person": result.person}
            about = {"player": result.player, "group_name": result.group, "complete": int(result.complete)}
            _add_rows(connection, "person", [own | about])
            _add_answers(connection, number, columns, result.answers)
            _add_rows(connection, "said", [own | attrs.asdict(each) for each in result.said])
            _add_rows(connection, "choice", [own | _row(each) for each in result.choices])
        seal(connection, number)
        append_traces(connection, [trace for result in results for trace in result.traces])
        return len(known | {each.person for each in results})


def _study(connection: sa.Connection, plan: Plan, study: str) -> int:
    """Return the number of a study, which is made if there is none of that name."""
    found = connection.execute(
        sa.text("SELECT id, sha256 FROM responses_study WHERE name = :name"), {"name": study}
    ).one_or_none()
    if found is not None:
        if found[1] != plan.digest:
            raise StoreError(
                f"There is another study '{study}' already, with another plan or none: choose another name "
                "with --study."
            )
        return int(found[0])
    at = datetime.now(UTC).isoformat(timespec="seconds")
    row = {"name": study, "file": plan.name, "sha256": plan.digest, "imported_at": at}
    number = _add_rows(connection, "study", [row])[0]
    _add_columns(connection, number, plan.responses)
    return number


def _forget(connection: sa.Connection, study: int, person: str | None = None) -> None:
    """Delete what belongs to a person of a study, or to all people."""
    own, whose = {"id": study, "person": person}, "" if person is None else "AND person = :person"
    connection.execute(
        sa.text(
            "DELETE FROM responses_value WHERE answer_id IN (SELECT id FROM responses_answer "
            f"WHERE study_id = :id {whose})"
        ),
        own,
    )
    for table in _OF_PEOPLE:
        connection.execute(sa.text(f"DELETE FROM responses_{table} WHERE study_id = :id {whose}"), own)


def _add_columns(connection: sa.Connection, study: int, responses: Iterable[Response]) -> dict[str, int]:
    """Insert the responses of a study; return their ids by name."""
    rows = [attrs.asdict(r) | {"of_finished": int(r.of_finished), "study_id": study} for r in responses]
    return dict(zip((row["name"] for row in rows), _add_rows(connection, "column", rows), strict=True))


def _add_answers(
    connection: sa.Connection, study: int, columns: Mapping[str, int], answers: Sequence[Answer]
) -> None:
    """Insert answers: what people were given, of training and of sets, and what they did.

    A puzzle of a set that a person did not come to is there as what was given alone.
    """
    own = [
        {"study_id": study, "person": each.person, "space": each.puzzle[0], "rank": each.puzzle[1]}
        for each in answers
    ]
    given = [
        key | {"set_name": each.set, "label": each.label, "condition": each.condition,
               "position": int(each.position or 0)}
        for key, each in zip(own, answers, strict=True)
        if each.training or each.set
    ]  # fmt: skip
    _add_rows(connection, "played", given)
    done = [
        (each, key | {"position": each.position,
                      "finished": None if each.finished is None else int(each.finished)})
        for key, each in zip(own, answers, strict=True)
        if not (each.empty and each.set)
    ]  # fmt: skip
    keys = _add_rows(connection, "answer", [row for _, row in done])
    values = [
        {"answer_id": key, "column_id": columns[name], "value": value}
        for key, (each, _) in zip(keys, done, strict=True)
        for name, value in each.values.items()
    ]
    if values:
        statement = "INSERT INTO responses_value VALUES (:answer_id, :column_id, :value)"
        connection.execute(sa.text(statement), values)


def _add_rows(connection: sa.Connection, table: str, rows: Sequence[Mapping[str, Any]]) -> range:
    """Insert rows into a table of studies with ids of their own; return the ids."""
    if not rows:
        return range(0)
    last = connection.scalar(sa.text(f"SELECT coalesce(max(id), 0) FROM responses_{table}"))
    ids = range(int(last or 0) + 1, int(last or 0) + 1 + len(rows))
    names = ["id", *rows[0]]
    marks = ", ".join(f":{name}" for name in names)
    statement = f"INSERT INTO responses_{table} ({', '.join(names)}) VALUES ({marks})"
    connection.execute(sa.text(statement), [{"id": key, **row} for key, row in zip(ids, rows, strict=True)])
    return ids


def _row(choice: Choice) -> dict[str, object]:
    return {
        "person": choice.person,
        "question": choice.question,
        "set_name": choice.set,
        "space": choice.chosen[0],
        "rank": choice.chosen[1],
        "label": choice.label,
        "other_space": choice.other[0],
        "other_rank": choice.other[1],
        "other_label": choice.other_label,
        "first": None if choice.first is None else int(choice.first),
        "equal": int(choice.equal),
    }


def _scalars(connection: sa.Connection, statement: str, study: int) -> list[str]:
    return list(connection.execute(sa.text(statement), {"id": study}).scalars())

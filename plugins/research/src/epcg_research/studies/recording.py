"""Results of studies in the database: person by person, so that files may come one after the other."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime

import attrs
import sqlalchemy as sa

from epcg_core.inside import StoreError, append_traces
from epcg_core.plugin import Store, make_tables
from epcg_research.exchange.results import Plan, Result
from epcg_research.studies.answers import TABLES, Answers, add_rows, save
from epcg_research.studies.choices import Choice
from epcg_research.studies.digests import seal


def record_results(store: Store, results: Sequence[Result], plan: Plan, study: str, replace: bool) -> int:
    """Record results, all of them or none.

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
            _record(connection, number, columns, result)
        seal(connection, number)
        append_traces(connection, [trace for result in results for trace in result.traces])
        return len(known | {each.person for each in results})


def record_choices(store: Store, choices: Sequence[Choice], study: str, origin: dict[str, str],
                   replace: bool) -> None:  # fmt: skip
    """Record a table of choices as a study of its own, whole or not at all.

    Args:
        store: a database, open for writing.
        choices: the choices.
        study: the name.
        origin: `file`, `sha256` and `imported_at`.
        replace: whether a study of the same name is replaced.

    Raises:
        StoreError: if there is a study of the same name that is not to be replaced.
    """

    def add(connection: sa.Connection, number: int) -> None:
        add_rows(connection, "responses_choice", [_row(each) | {"study_id": number} for each in choices])

    save(store, Answers(study, (), ()), origin, replace, add)


def _study(connection: sa.Connection, plan: Plan, study: str) -> int:
    """Return the number of a study, which is made if there is none of that name."""
    found = connection.execute(
        sa.text("SELECT id, sha256 FROM responses_study WHERE name = :name"), {"name": study}
    ).one_or_none()
    if found is not None:
        if found[1] != plan.digest:
            raise StoreError(
                f"There is another study '{study}' already, with another plan or none: choose another --name."
            )
        return int(found[0])
    at = datetime.now(UTC).isoformat(timespec="seconds")
    row = {"name": study, "file": plan.name, "sha256": plan.digest, "imported_at": at}
    number = add_rows(connection, "responses_study", [row])[0]
    columns = [
        attrs.asdict(each) | {"of_finished": int(each.of_finished), "study_id": number}
        for each in plan.responses
    ]
    add_rows(connection, "responses_column", columns)
    return number


def _forget(connection: sa.Connection, study: int, person: str) -> None:
    own = {"id": study, "person": person}
    connection.execute(
        sa.text(
            "DELETE FROM responses_value WHERE answer_id IN (SELECT id FROM responses_answer "
            "WHERE study_id = :id AND person = :person)"
        ),
        own,
    )
    for table in ("answer", "person", "played", "said", "choice"):
        connection.execute(
            sa.text(f"DELETE FROM responses_{table} WHERE study_id = :id AND person = :person"), own
        )


def _record(connection: sa.Connection, study: int, columns: dict[str, int], result: Result) -> None:
    own = {"study_id": study, "person": result.person}
    about = {"player": result.player, "group_name": result.group, "complete": int(result.complete)}
    add_rows(connection, "responses_person", [own | about])
    played = [
        own | {"space": each.puzzle[0], "rank": each.puzzle[1], "set_name": each.set, "label": each.label,
               "condition": each.condition, "position": each.position}
        for each in result.played
    ]  # fmt: skip
    add_rows(connection, "responses_played", played)
    add_rows(connection, "responses_said", [own | attrs.asdict(each) for each in result.said])
    add_rows(connection, "responses_choice", [own | _row(each) for each in result.choices])
    answers = [
        own | {"space": each.puzzle[0], "rank": each.puzzle[1], "position": each.position,
               "finished": None if each.finished is None else int(each.finished)}
        for each in result.answers
    ]  # fmt: skip
    keys = add_rows(connection, "responses_answer", answers)
    values = [
        {"answer_id": key, "column_id": columns[name], "value": value}
        for key, each in zip(keys, result.answers, strict=True)
        for name, value in each.values.items()
    ]
    if values:
        statement = "INSERT INTO responses_value VALUES (:answer_id, :column_id, :value)"
        connection.execute(sa.text(statement), values)


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

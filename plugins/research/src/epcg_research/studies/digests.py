"""Digests of the rows of studies: recorded as a study is imported, and compared by `epcg verify FILE`.

They depend on what the rows say, on neither their numbers nor their order.
"""

from __future__ import annotations

import hashlib
from typing import Any

import sqlalchemy as sa

from epcg_core.inside import canonical_json

_OF_STUDY = {
    "study": "SELECT name, file, sha256, imported_at FROM responses_study WHERE id = :id",
    "columns": "SELECT name, unit, low, high, of_finished FROM responses_column WHERE study_id = :id",
    "answers": "SELECT person, space, rank, position, finished FROM responses_answer WHERE study_id = :id",
    "values": "SELECT answer.person, answer.space, answer.rank, col.name, value.value "
    "FROM responses_answer AS answer JOIN responses_value AS value ON value.answer_id = answer.id "
    "LEFT JOIN responses_column AS col ON col.id = value.column_id WHERE answer.study_id = :id",
    "people": "SELECT person, player, group_name, complete FROM responses_person WHERE study_id = :id",
    "played": "SELECT person, space, rank, set_name, label, condition, position FROM responses_played "
    "WHERE study_id = :id",
    "said": "SELECT person, question, about, answer FROM responses_said WHERE study_id = :id",
    "choices": "SELECT person, question, set_name, space, rank, label, other_space, other_rank, other_label, "
    "first, equal FROM responses_choice WHERE study_id = :id",
}
"""What a study's digest covers: each kind of row with its SELECT."""


def rows_of(connection: sa.Connection, study: int, kind: str) -> list[list[Any]]:
    """Return the rows of a study, given by its number, of one kind of `_OF_STUDY`, sorted."""
    found = connection.execute(sa.text(_OF_STUDY[kind]), {"id": study}).all()
    return sorted((list(row) for row in found), key=canonical_json)


def digest_of(connection: sa.Connection, study: int) -> str:
    """Return the SHA-256 of all rows of a study, given by its number."""
    rows = {kind: rows_of(connection, study, kind) for kind in _OF_STUDY}
    return hashlib.sha256(canonical_json(rows).encode()).hexdigest()


def seal(connection: sa.Connection, study: int) -> None:
    """Record the digest of a study's rows."""
    statement = sa.text("UPDATE responses_study SET digest = :digest WHERE id = :id")
    connection.execute(statement, {"digest": digest_of(connection, study), "id": study})

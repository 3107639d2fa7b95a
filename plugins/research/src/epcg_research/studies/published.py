"""What people did, as it lies in a database, checked for `epcg verify FILE`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import sqlalchemy as sa

from epcg_core.inside import Check, canonical_json, make_check
from epcg_core.plugin import CheckFailedError, EpcgError, Reader, Store, UncheckedError, has_tables
from epcg_research.studies.digests import digest_of, rows_of
from epcg_research.studies.reading import TABLES

FEW = 20
"""As many values may be the same in two studies by chance, if the people have other names."""
_OFF_SCALE = (
    "SELECT answer.person, answer.space, answer.rank, col.name, value.value FROM responses_value AS value "
    "JOIN responses_answer AS answer ON answer.id = value.answer_id "
    "JOIN responses_column AS col ON col.id = value.column_id WHERE answer.study_id = :id "
    "AND (col.study_id <> answer.study_id OR value.value < col.low OR value.value > col.high "
    "OR (col.of_finished AND value.value < 0)) LIMIT 1"
)
"""A value that its column's scale does not have, or that belongs to a column of another study."""
_NO_PUZZLE = (
    "SELECT answer.space, answer.rank FROM responses_answer AS answer "
    "JOIN space ON space.name = answer.space WHERE answer.study_id = :id "
    "AND (answer.rank < 0 OR answer.rank >= CAST(space.max_rank AS INTEGER)) LIMIT 1"
)


def recognise(path: Path) -> bool:
    """Return whether a file is a database with tables of studies."""
    try:
        with path.open("rb") as file:
            if file.read(16) != b"SQLite format 3\0":
                return False
        with Store.open(path) as store, store.reader() as reader:
            return bool(
                reader.connection.exec_driver_sql(
                    "SELECT count(*) FROM sqlite_master WHERE name = 'responses_study'"
                ).scalar()
            )
    except (EpcgError, OSError):
        return False


def verify(path: Path, options: Mapping[str, Any]) -> tuple[Sequence[Check], Sequence[str]]:
    """Check the rows of every study of a database; return the checks, and what none covers."""
    with Store.open(path) as store, store.reader() as reader:
        try:
            has_tables(reader, TABLES)
        except EpcgError as error:
            return [Check("studies", "cannot be checked here", str(error))], []
        names = reader.connection.exec_driver_sql("SELECT id, name FROM responses_study ORDER BY name").all()
        checks = [make_check(f"study {name:.60}", partial(_study, reader, number)) for number, name in names]
        if len(names) > 1:
            checks.append(make_check("studies apart", partial(_apart, reader, dict(names))))
    left = ["that people did what a study says: a digest shows what was changed after the import"]
    return checks, left if names else []


def _study(reader: Reader, number: int) -> str:
    """Check that a study's rows are those that were imported, and can be what a person did."""
    connection = reader.connection
    odd = connection.execute(sa.text(_OFF_SCALE), {"id": number}).first()
    if odd is not None:
        raise CheckFailedError(
            f"Person {odd[0]:.60} has {odd[4]:g} as '{odd[3]}' of {odd[1]}#{odd[2]}, not on its scale."
        )
    odd = connection.execute(sa.text(_NO_PUZZLE), {"id": number}).first()
    if odd is not None:
        raise CheckFailedError(f"There are answers about {odd[0]}#{odd[1]}, and no such puzzle.")
    file, sha256, recorded = connection.execute(
        sa.text("SELECT file, sha256, digest FROM responses_study WHERE id = :id"), {"id": number}
    ).one()
    if recorded is None:
        raise UncheckedError(
            "Not covered: it was imported before digests were recorded. Import it again with --replace."
        )
    try:
        found = digest_of(connection, number)
    except ValueError as error:
        raise CheckFailedError(f"A row has a number that is not finite: {error}.") from error
    if found != recorded:
        raise CheckFailedError("Its rows are not those that were imported: they have another digest.")
    return (
        f"Its rows have the digest {recorded} that was recorded as {file:.60} was imported, whose SHA-256 is "
        f"{sha256}."
    )


def _apart(reader: Reader, names: Mapping[int, str]) -> str:
    """Check that no two studies are the same answers twice."""
    known: dict[str, int] = {}
    for number in names:
        for key in _contents(reader.connection, number):
            if key in known:
                raise CheckFailedError(
                    f"The studies '{names[known[key]]}' and '{names[number]}' are the same answers under two "
                    "names, so that each person would count twice: take one away."
                )
            known[key] = number
    return f"No two of the {len(names):,} studies have the same answers."


def _contents(connection: sa.Connection, number: int) -> list[str]:
    """Return what a study's answers are, with the names of people and without them."""
    kinds = ("values", "choices", "said")
    rows = {kind: rows_of(connection, number, kind) for kind in kinds}
    if not any(rows.values()):
        return []
    found = [canonical_json(rows)]
    if sum(map(len, rows.values())) > FEW:
        people: dict[str, list[Any]] = {}
        for kind in kinds:
            for person, *rest in rows[kind]:
                people.setdefault(person, []).append([kind, *rest])
        nameless = Counter(canonical_json(sorted(own, key=canonical_json)) for own in people.values())
        found.append(canonical_json(sorted(nameless.items())))
    return found

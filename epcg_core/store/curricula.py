"""Curricula in the database: chosen and rejected puzzles, with sources and reasons."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import attrs
import sqlalchemy as sa

from epcg_core.base import documents
from epcg_core.base.errors import CurriculumError, DamagedError, StoreError, UnknownNameError
from epcg_core.base.params import canonical_json
from epcg_core.store import recorded, schema
from epcg_core.store.writer import now

_BATCH = 500
"""Puzzles looked up by one statement."""


@attrs.frozen
class PuzzleRow:
    """A puzzle as it is recorded."""

    puzzle: str
    content_sha256: str
    """A digest of its domain and its state as text: equal for one content in two spaces."""
    state: str
    space: str
    rank: int
    run_id: int | None = attrs.field(eq=False)
    """A run that it was found in: the first that a curriculum found it in."""


@attrs.frozen
class SelectionRow:
    """A candidate that was chosen or rejected."""

    puzzle: PuzzleRow
    position: int | None
    """Its number in the chapter, from 1; None if it was rejected."""
    value: Any
    """The value of the part's measure; None if there is none."""
    measures: str
    """All measures that the part reads, as JSON."""
    rule: str
    reason: str


@attrs.frozen
class PartRow:
    """A part of a chapter, and the outcome for its candidates."""

    name: str
    source: str
    measure: str
    harder: str
    rule: str
    candidates: int
    digest: str
    selections: Sequence[SelectionRow] = attrs.field(repr=False)
    rejections: Sequence[tuple[str, int, int]]
    """(rule, how many it rejected, how many of them are recorded one by one)."""


@attrs.frozen
class ChapterRow:
    """A chapter."""

    name: str
    title: str
    description: str
    parts: Sequence[PartRow]


@attrs.frozen
class CurriculumRow:
    """A curriculum."""

    name: str
    title: str
    plan: dict[str, Any] = attrs.field(repr=False)
    sha256: str
    chapters: Sequence[ChapterRow]
    runs: Sequence[tuple[int, str | None]]
    """(run, its digest) of its source."""


def save(connection: sa.Connection, new: CurriculumRow) -> tuple[int, bool]:
    """Record a curriculum: (its number, whether it was written). The same one is recorded once.

    In either case it is the newest of its name.
    """
    table = schema.curriculum
    curriculum_id = connection.scalar(sa.select(table.c.id).where(table.c.sha256 == new.sha256))
    if curriculum_id is not None:
        _set_newest(connection, new.name, int(curriculum_id))
        if read(connection, int(curriculum_id)) == new:
            return int(curriculum_id), False
        _clear(connection, int(curriculum_id))
    else:
        curriculum_id = _insert(connection, table, {
            "name": new.name, "title": new.title, "plan": canonical_json(new.plan), "sha256": new.sha256,
            "created_at": now(),
        })  # fmt: skip
        _set_newest(connection, new.name, curriculum_id)
    for run_id, digest in new.runs:
        row = {"curriculum_id": curriculum_id, "run_id": run_id, "digest": digest}
        connection.execute(sa.insert(schema.curriculum_run), [row])
    for position, chapter in enumerate(new.chapters, 1):
        chapter_id = _insert(connection, schema.chapter, {
            "curriculum_id": curriculum_id, "position": position, "name": chapter.name,
            "title": chapter.title,
        })  # fmt: skip
        for number, part in enumerate(chapter.parts, 1):
            _save_part(connection, chapter_id, number, part)
    return int(curriculum_id), True


def _set_newest(connection: sa.Connection, name: str, curriculum_id: int) -> None:
    table = schema.newest_build
    connection.execute(sa.delete(table).where(table.c.name == name))
    connection.execute(sa.insert(table).values(name=name, curriculum_id=curriculum_id))


def _save_part(connection: sa.Connection, chapter_id: int, number: int, part: PartRow) -> None:
    connection.execute(sa.insert(schema.part).values(
        chapter_id=chapter_id, position=number, name=part.name, source=part.source, measure=part.measure,
        harder=part.harder, rule=part.rule, candidates=part.candidates, digest=part.digest,
    ))  # fmt: skip
    ids = _save_puzzles(connection, [selection.puzzle for selection in part.selections])
    selections = [
        {"chapter_id": chapter_id, "part": number, "puzzle_id": ids[s.puzzle.puzzle], "position": s.position,
         "chosen": int(s.position is not None), "value": s.value, "measures": s.measures, "rule": s.rule,
         "reason": s.reason}
        for s in part.selections
    ]  # fmt: skip
    rejections = [
        {"chapter_id": chapter_id, "part": number, "position": i, "rule": rule, "count": count,
         "recorded": recorded}
        for i, (rule, count, recorded) in enumerate(part.rejections, 1)
    ]  # fmt: skip
    for table, rows in ((schema.selection, selections), (schema.rejection, rejections)):
        if rows:
            connection.execute(sa.insert(table), rows)


def _save_puzzles(connection: sa.Connection, puzzles: Sequence[PuzzleRow]) -> dict[str, int]:
    """Record puzzles that are new, and map each puzzle to its number."""
    table = schema.puzzle
    names = [row.puzzle for row in puzzles]
    known = _puzzle_ids(connection, names)
    spaces = {
        name: _space_id(connection, name) for name in sorted({row.space for row in puzzles})
    }  # fmt: skip
    rows = [
        attrs.asdict(row, filter=attrs.filters.exclude("space")) | {"space_id": spaces[row.space]}
        for row in puzzles
        if row.puzzle not in known
    ]
    if rows:
        connection.execute(sa.insert(table), rows)
        known |= _puzzle_ids(connection, [row["puzzle"] for row in rows])
    return known


def _puzzle_ids(connection: sa.Connection, names: Sequence[str]) -> dict[str, int]:
    table, found = schema.puzzle.c, {}
    for low in range(0, len(names), _BATCH):
        some = table.puzzle.in_(names[low : low + _BATCH])
        found.update(
            {row.puzzle: row.id for row in connection.execute(sa.select(table.puzzle, table.id).where(some))}
        )
    return found


def _space_id(connection: sa.Connection, name: str) -> int:
    table = schema.space.c
    found = connection.scalar(sa.select(table.id).where(table.name == name))
    if found is None:
        raise CurriculumError(
            f"There is no run over {name} in the database, so its puzzles are not recorded."
        )
    return int(found)


def _clear(connection: sa.Connection, curriculum_id: int) -> None:
    chapters = sa.select(schema.chapter.c.id).where(schema.chapter.c.curriculum_id == curriculum_id)
    for table in (schema.selection, schema.rejection, schema.part):
        connection.execute(sa.delete(table).where(table.c.chapter_id.in_(chapters)))
    for table in (schema.chapter, schema.curriculum_run):
        connection.execute(sa.delete(table).where(table.c.curriculum_id == curriculum_id))


def find(connection: sa.Connection, name: str) -> int:
    """Return the number of the newest curriculum with a name, or of the build 'name#number' or 'number'.

    Raises UnknownNameError.
    """
    documents.check(name, "The name of a curriculum", StoreError)
    builds = [(row.id, row.name) for row in _builds(connection)]
    names = labels(connection)
    for known in (names.items(), ((i, f"{own}#{i}") for i, own in builds), ((i, str(i)) for i, _ in builds)):
        for number, label in known:
            if label == name:
                return number
    raise UnknownNameError("curriculum", name, set(names.values()))


def labels(connection: sa.Connection) -> dict[int, str]:
    """Map the number of each curriculum to its name in views: older builds are 'name#number'."""
    return {
        row.id: row.name if row.id == row.curriculum_id else f"{row.name}#{row.id}"
        for row in _builds(connection)
    }


def _builds(connection: sa.Connection) -> Sequence[Any]:
    """Return (id, name, curriculum_id: the newest build of the name) of every curriculum, oldest first."""
    table, newest = schema.curriculum, schema.newest_build
    statement = (
        sa.select(table.c.id, table.c.name, newest.c.curriculum_id)
        .outerjoin(newest, newest.c.name == table.c.name)
        .order_by(table.c.id)
    )
    return connection.execute(statement).all()


def listed(connection: sa.Connection) -> list[tuple[int, str, str, int, int]]:
    """Return (number, label, title, chapters, puzzles) of every curriculum, oldest first."""
    rows = connection.exec_driver_sql(
        "SELECT id, title, (SELECT count(*) FROM chapter WHERE curriculum_id = curriculum.id), "
        "(SELECT count(*) FROM selections WHERE curriculum_id = curriculum.id AND chosen = 1) "
        "FROM curriculum ORDER BY id"
    )
    names = labels(connection)
    return [(row[0], names[row[0]], row[1], row[2], row[3]) for row in rows]


def _as_many(planned: list[Any], chapters: int, curriculum_id: int) -> list[Any]:
    if len(planned) != chapters:
        raise DamagedError(
            f"The plan of curriculum {curriculum_id} is damaged: it has {len(planned)} chapters, and "
            f"recorded are {chapters}."
        )
    return planned


def read(connection: sa.Connection, curriculum_id: int, *, rejected: bool = True) -> CurriculumRow:
    """Read a curriculum as it was saved, with or without its rejected candidates."""
    curriculum, chapter, part = schema.curriculum.c, schema.chapter.c, schema.part.c
    own = connection.execute(sa.select(schema.curriculum).where(curriculum.id == curriculum_id)).one()
    plan = recorded.parsed(own.plan, f"The plan of curriculum {curriculum_id}", recorded.PLAN)
    runs = connection.execute(
        sa.select(schema.curriculum_run.c.run_id, schema.curriculum_run.c.digest)
        .where(schema.curriculum_run.c.curriculum_id == curriculum_id)
        .order_by(schema.curriculum_run.c.run_id)
    )
    chapters = []
    numbers = connection.execute(
        sa.select(schema.chapter).where(chapter.curriculum_id == curriculum_id).order_by(chapter.position)
    ).all()
    for row, planned in zip(numbers, _as_many(plan["chapters"], len(numbers), curriculum_id), strict=True):
        rows = connection.execute(
            sa.select(schema.part).where(part.chapter_id == row.id).order_by(part.position)
        ).all()
        parts = [_read_part(connection, each, rejected) for each in rows]
        chapters.append(ChapterRow(row.name, row.title, planned["description"], parts))
    return CurriculumRow(
        own.name, own.title, plan, own.sha256, chapters, [(r.run_id, r.digest) for r in runs]
    )


def _read_part(connection: sa.Connection, row: Any, rejected: bool) -> PartRow:
    rejection = schema.rejection
    counts = connection.execute(
        sa.select(rejection.c.rule, rejection.c.count, rejection.c.recorded)
        .where(rejection.c.chapter_id == row.chapter_id, rejection.c.part == row.position)
        .order_by(rejection.c.position)
    )
    return PartRow(
        row.name, row.source, row.measure, row.harder, row.rule, row.candidates, row.digest,
        list(_selections(connection, row.chapter_id, row.position, rejected)),
        [(each[0], each[1], each[2]) for each in counts],
    )  # fmt: skip


def _selections(
    connection: sa.Connection, chapter_id: int, part: int, rejected: bool
) -> Iterable[SelectionRow]:
    """Return the chosen puzzles in order, then the rejected ones by space and rank."""
    selection, puzzle, space = schema.selection, schema.puzzle, schema.space
    statement = (
        sa.select(selection, puzzle, space.c.name.label("space"))
        .join(puzzle, puzzle.c.id == selection.c.puzzle_id)
        .join(space, space.c.id == puzzle.c.space_id)
        .where(selection.c.chapter_id == chapter_id, selection.c.part == part)
        .order_by(selection.c.chosen.desc(), selection.c.position, space.c.name, puzzle.c.rank)
    )
    if not rejected:
        statement = statement.where(selection.c.chosen == 1)
    for row in connection.execute(statement):
        yield SelectionRow(
            PuzzleRow(row.puzzle, row.content_sha256, row.state, row.space, row.rank, row.run_id),
            row.position, row.value, row.measures, row.rule, row.reason,
        )  # fmt: skip


def _insert(connection: sa.Connection, table: sa.Table, values: dict[str, Any]) -> int:
    key = connection.execute(sa.insert(table).values(**values)).inserted_primary_key
    assert key is not None
    return int(key[0])

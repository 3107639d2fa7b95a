"""What people did with puzzles: traces of play, and tables of other studies, in one form."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import attrs
import numpy as np
import sqlalchemy as sa
from numpy.typing import NDArray

from epcg_core.inside import StoreError, puzzle_id
from epcg_core.plugin import Reader, Store, UnknownNameError, has_tables, make_tables
from epcg_research.studies.digests import seal
from epcg_research.studies.training import TABLES as TABLES, Puzzle as Puzzle, counted_traces, given

TRACES = "traces"
"""The name of the data set that play pages fill."""


@attrs.frozen
class Response:
    """A number that people gave or that was taken of them, such as a rating or a time."""

    name: str
    unit: str = ""
    low: float | None = None
    """The lower end of its scale; None if it has none."""
    high: float | None = None
    of_finished: bool = False
    """Whether it would have been more of a puzzle that a person gave up, as times are."""

    @property
    def scale(self) -> str:
        """The scale in words: '1 to 5', 'from 0'."""
        if self.low is None and self.high is None:
            return ""
        if self.high is None:
            return f"from {self.low:g}"
        return f"to {self.high:g}" if self.low is None else f"{self.low:g} to {self.high:g}"


@attrs.frozen
class Answer:
    """What one person did with one puzzle."""

    person: str
    puzzle: Puzzle
    values: Mapping[str, float]
    """By the names of responses; one that is missing is not there."""
    position: float | None = None
    """Its place in what the person did, or its time; None if that is not known."""
    finished: bool | None = None
    """None if that is not known."""
    training: bool = False
    """Whether the person only tried the puzzle out: it is recorded so, and not read again."""

    @property
    def empty(self) -> bool:
        """Whether nothing is known: the person was given the puzzle and did not come to it."""
        return not self.values and self.finished is None


@attrs.frozen
class Answers:
    """A data set: the answers of people to puzzles.

    Puzzles that a person was given and has not answered are there, too, as empty answers.
    """

    study: str
    responses: tuple[Response, ...]
    answers: tuple[Answer, ...]
    training: int = 0
    """How many answers to training puzzles are left out."""

    @property
    def answered(self) -> tuple[Answer, ...]:
        """The answers that are not empty."""
        return tuple(each for each in self.answers if not each.empty)

    @property
    def people(self) -> list[str]:
        """All people, in order."""
        return sorted({answer.person for answer in self.answers})

    @property
    def puzzles(self) -> list[Puzzle]:
        """All puzzles, in order."""
        return sorted({answer.puzzle for answer in self.answers})

    def response(self, name: str) -> Response:
        """Return a response by its name. Raises UnknownNameError."""
        for response in self.responses:
            if response.name == name:
                return response
        raise UnknownNameError("response", name, [each.name for each in self.responses], self.study)

    def is_longer(self, answer: Answer, name: str) -> bool:
        """Return whether all that is known of a response is that it would have been more: the person gave up.

        Raises UnknownNameError if there is no such response.
        """
        return self.response(name).of_finished and answer.finished is False

    def counted(self, name: str) -> list[Answer]:
        """Return the answers with a response, or of which it is known that it would have been more.

        Raises UnknownNameError if there is no such response.
        """
        longer = self.response(name).of_finished
        return [each for each in self.answers if name in each.values or (longer and each.finished is False)]

    def with_solved(self) -> Answers:
        """Return these answers with the response 'solved', 1 or 0, if some people gave up."""
        if all(each.finished is not False for each in self.answers):
            return self
        if any(each.name == SOLVED.name for each in self.responses):
            return self
        return attrs.evolve(
            self,
            responses=(*self.responses, SOLVED),
            answers=tuple(
                each
                if each.finished is None
                else attrs.evolve(each, values={**each.values, SOLVED.name: float(each.finished)})
                for each in self.answers
            ),
        )

    def matrix(
        self, name: str, puzzles: Sequence[Puzzle]
    ) -> tuple[list[str], NDArray[np.float64], NDArray[np.bool_] | None]:
        """Return a response as a table of people and puzzles.

        Args:
            name: of the response.
            puzzles: the columns, in this order.

        Returns:
            The people who have an answer to one of them; (people, puzzles) values, NaN without an answer; and
            (people, puzzles) whether a person gave up then, None if none did.

        Raises:
            UnknownNameError: if there is no such response.
        """
        places = {puzzle: i for i, puzzle in enumerate(puzzles)}
        counted = [answer for answer in self.counted(name) if answer.puzzle in places]
        people = sorted({answer.person for answer in counted})
        rows = {person: i for i, person in enumerate(people)}
        found = np.full((len(people), len(puzzles)), math.nan)
        longer = np.zeros(found.shape, np.bool_)
        for answer in counted:
            at = rows[answer.person], places[answer.puzzle]
            found[at] = answer.values.get(name, 0.0)
            longer[at] = self.is_longer(answer, name)
        return people, found, longer if longer.any() else None


SOLVED = Response("solved", "", 0, 1)
OF_TRACES = (
    Response("seconds", "s", 0, of_finished=True),
    Response("moves", "", 0, of_finished=True),
    Response("undos", "", 0),
    Response("restarts", "", 0),
    Response("hints", "", 0),
    Response("rating", "", 1, 5),
)


def of_traces(reader: Reader) -> Answers:
    """Return what players of play pages did: the newest trace of each player and puzzle, but for training."""
    found = []
    kept, training = counted_traces(reader)
    for trace in kept:
        numbers = {each.name: getattr(trace, each.name) for each in OF_TRACES}
        values = {name: float(value) for name, value in numbers.items() if value is not None}
        found.append(Answer(trace.player, (trace.space, trace.rank), values, finished=trace.finished))
    return Answers(TRACES, OF_TRACES, tuple(found), len(training))


def recorded(reader: Reader) -> list[Answers]:
    """Return all data sets of a database: traces of play, if there are any, then imported ones by name."""
    traces = of_traces(reader)
    found = [traces] if traces.answers else []
    if has_tables(reader, TABLES):
        names = reader.connection.exec_driver_sql("SELECT name FROM responses_study ORDER BY name").scalars()
        found += [_imported(reader, name) for name in names.all()]
    return found


def named(reader: Reader, study: str | None = None) -> Answers:
    """Return a data set by its name, or the only one.

    Args:
        reader: the database.
        study: the name; None for the only one that there is.

    Raises:
        StoreError: if there is none, or several and no name.
        UnknownNameError: if there is none of that name.
    """
    found = {each.study: each for each in recorded(reader)}
    if not found:
        raise StoreError(
            "There is nothing of people here: bring in traces of play with `epcg import traces FILE...`, or "
            "a table of a study with `epcg import responses FILE ...`."
        )
    if study is None:
        if len(found) > 1:
            raise StoreError(f"There are several data sets, {', '.join(found)}: choose one with --study.")
        return next(iter(found.values()))
    if study not in found:
        raise UnknownNameError("study", study, sorted(found), "--study")
    return found[study]


def _imported(reader: Reader, study: str) -> Answers:
    connection = reader.connection
    columns = connection.exec_driver_sql(
        "SELECT col.id, col.name, unit, low, high, of_finished FROM responses_column AS col "
        "JOIN responses_study AS study ON study.id = study_id WHERE study.name = ? ORDER BY col.id",
        (study,),
    ).all()
    values: dict[int, dict[str, float]] = {}
    names = {row[0]: row[1] for row in columns}
    if names:
        marks = ", ".join("?" * len(names))
        for answer, column, value in connection.exec_driver_sql(
            f"SELECT answer_id, column_id, value FROM responses_value WHERE column_id IN ({marks})",
            tuple(names),
        ):
            values.setdefault(answer, {})[names[column]] = value
    rows = connection.exec_driver_sql(
        "SELECT answer.id, person, space, rank, position, finished FROM responses_answer AS answer "
        "JOIN responses_study AS study ON study.id = study_id WHERE study.name = ? ORDER BY answer.id",
        (study,),
    )
    answers = [
        Answer(person, (space, rank), values.get(key, {}), position, None if done is None else bool(done))
        for key, person, space, rank, position, done in rows
    ]
    course = given(reader, study)
    kept = [each for each in answers if (each.person, each.puzzle) not in course.training]
    there = {(each.person, each.puzzle) for each in kept}
    training = len(answers) - len(kept)
    kept += [Answer(*key, {}, position) for key, position in course.asked.items() if key not in there]
    return Answers(
        study,
        tuple(
            Response(name, unit, low, high, bool(of_finished))
            for _, name, unit, low, high, of_finished in columns
        ),
        tuple(kept),
        training,
    )


def save(
    store: Store,
    answers: Answers,
    origin: Mapping[str, Any],
    replace: bool = False,
    further: Callable[[sa.Connection, int], None] = lambda connection, study: None,
) -> None:
    """Record a data set, whole or not at all.

    Args:
        store: a database, open for writing.
        answers: the data set.
        origin: `file`, `sha256` and `imported_at`.
        replace: whether one of the same name is replaced.
        further: records what else belongs to it, called with the connection and the number of the study.

    Raises:
        StoreError: if there is one of the same name that is not to be replaced.
    """
    make_tables(store, TABLES)
    with store.transaction() as connection:
        there = sa.text("SELECT id FROM responses_study WHERE name = :name")
        old = connection.scalar(there, {"name": answers.study})
        if old is not None and not replace:
            raise StoreError(
                f"There is a study '{answers.study}' already: add --replace, or choose another --name."
            )
        if old is not None:
            for statement in (
                "DELETE FROM responses_value WHERE answer_id IN "
                "(SELECT id FROM responses_answer WHERE study_id = :id)",
                "DELETE FROM responses_answer WHERE study_id = :id",
                "DELETE FROM responses_column WHERE study_id = :id",
                "DELETE FROM responses_person WHERE study_id = :id",
                "DELETE FROM responses_played WHERE study_id = :id",
                "DELETE FROM responses_said WHERE study_id = :id",
                "DELETE FROM responses_choice WHERE study_id = :id",
                "DELETE FROM responses_study WHERE id = :id",
            ):
                connection.execute(sa.text(statement), {"id": old})
        connection.execute(
            sa.text(
                "INSERT INTO responses_study (name, file, sha256, imported_at) "
                "VALUES (:name, :file, :sha256, :imported_at)"
            ),
            {"name": answers.study, **origin},
        )
        study = connection.scalar(there, {"name": answers.study})
        columns = add_rows(
            connection,
            "responses_column",
            [
                attrs.asdict(r) | {"of_finished": int(r.of_finished), "study_id": study}
                for r in answers.responses
            ],
        )
        keys = add_rows(
            connection,
            "responses_answer",
            [
                {
                    "study_id": study,
                    "person": answer.person,
                    "space": answer.puzzle[0],
                    "rank": answer.puzzle[1],
                    "position": answer.position,
                    "finished": None if answer.finished is None else int(answer.finished),
                }
                for answer in answers.answers
            ],
        )
        trained = [
            {
                "study_id": study,
                "person": answer.person,
                "space": answer.puzzle[0],
                "rank": answer.puzzle[1],
                "set_name": "",
                "label": "",
                "condition": "",
                "position": int(answer.position or 0),
            }
            for answer in answers.answers
            if answer.training
        ]
        add_rows(connection, "responses_played", trained)
        at = dict(zip((response.name for response in answers.responses), columns, strict=True))
        values = [
            {"answer_id": key, "column_id": at[name], "value": value}
            for key, answer in zip(keys, answers.answers, strict=True)
            for name, value in answer.values.items()
        ]
        further(connection, study)
        if values:
            connection.execute(
                sa.text("INSERT INTO responses_value VALUES (:answer_id, :column_id, :value)"), values
            )
        seal(connection, int(study or 0))


def add_rows(connection: sa.Connection, table: str, rows: Sequence[Mapping[str, Any]]) -> range:
    """Insert rows with ids of their own; return the ids."""
    if not rows:
        return range(0)
    last = connection.scalar(sa.text(f"SELECT coalesce(max(id), 0) FROM {table}"))
    ids = range(int(last or 0) + 1, int(last or 0) + 1 + len(rows))
    names = ["id", *rows[0]]
    statement = f"INSERT INTO {table} ({', '.join(names)}) VALUES ({', '.join(f':{name}' for name in names)})"
    connection.execute(sa.text(statement), [{"id": key, **row} for key, row in zip(ids, rows, strict=True)])
    return ids


def text_of(puzzle: Puzzle) -> str:
    """Return the id of a puzzle."""
    return puzzle_id(*puzzle)

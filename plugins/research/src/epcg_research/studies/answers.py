"""The one form of what people did: answers to puzzles, and choices between two.

Traces of play, tables of other studies, and studies that ran on pages are read into it by `studies.reading`,
and written by `studies.recording`. Nothing here knows the database.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Literal, get_args

import attrs
import numpy as np
from numpy.typing import NDArray

from epcg_core.inside import StoreError, puzzle_id
from epcg_core.plugin import UnknownNameError

Puzzle = tuple[str, int]
"""A space, by its name, and a rank in it."""
Given = tuple[str, Puzzle]
"""A person, and a puzzle that the person was given."""
By = Literal["group", "condition", "label"]
BY: tuple[By, ...] = get_args(By)
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
    """Whether the person only tried the puzzle out: it is recorded so, and counts nowhere."""
    set: str = ""
    """The set of puzzles that were compared with each other; '' if the study has none."""
    label: str = ""
    """The name of the puzzle in its set, such as 'variant'."""
    condition: str = ""
    """The condition under which the person played it."""
    group: str = ""
    """The group of the person."""

    @property
    def empty(self) -> bool:
        """Whether nothing is known: the person was given the puzzle and did not come to it."""
        return not self.values and self.finished is None


@attrs.frozen
class Choice:
    """One person's choice between two puzzles."""

    person: str
    question: str
    set: str
    """'' if the puzzles are not of one set."""
    chosen: Puzzle
    label: str
    """The name of the chosen one in its set, such as 'variant'; '' if that is not known."""
    other: Puzzle
    other_label: str
    first: bool | None = None
    """Whether the chosen one was played before the other; None if that is not known."""
    equal: bool = False
    """Whether the person saw no difference; which is called chosen means nothing then."""


@attrs.frozen
class SetAside:
    """The numbers of answers, traces or choices that the filter of studies leaves out."""

    training: int = 0
    """About puzzles that people tried out before the study."""
    given_up: int = 0
    """Of people who gave up, if only solved puzzles were asked for."""
    of_studies: int = 0
    """Traces of people of studies, which count there."""

    def told(self, what: str = "answer") -> list[str]:
        """Say what is left out, and why; nothing of nothing.

        Args:
            what: the kind of record: answer, trace or choice.
        """
        return [
            f"{why}: {f'one {what} is' if number == 1 else f'{number:,} {what}s are'} {rest}"
            for number, why, rest in (
                (self.training, "Training is left out",
                 "about puzzles that people tried out before the study."),
                (self.given_up, "Only solved puzzles count",
                 "of people who gave up and left out; of hard puzzles mostly quick people remain, so these "
                 "may say the opposite of the whole."),
                (self.of_studies, "Traces of studies are left out here",
                 "of people of a study; name it with --study."),
            )
            if number
        ]  # fmt: skip


@attrs.frozen
class Answers:
    """A data set: the answers of people to puzzles.

    Puzzles that a person was given and has not answered are there, too, as empty answers.
    """

    study: str
    responses: tuple[Response, ...]
    answers: tuple[Answer, ...]
    set_aside: SetAside = SetAside()
    """The answers that the filter leaves out."""

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

    def only_solved(self) -> Answers:
        """Return these answers as if those of people who gave up were missing.

        They stay as empty answers, so that it is asked whether being left out goes with a measure.
        """
        gone = sum(each.finished is False for each in self.answers)
        return attrs.evolve(
            self,
            answers=tuple(
                attrs.evolve(each, values={}, finished=None) if each.finished is False else each
                for each in self.answers
            ),
            set_aside=attrs.evolve(self.set_aside, given_up=gone),
        )

    def under(self, by: By) -> dict[Given, str]:
        """Return the condition under which each person was given each puzzle, of those that have one.

        Args:
            by: the kind of condition: the person's group, the condition of the set, or the puzzle's label.

        Raises:
            StoreError: if no two such conditions are known.
        """
        found = {(each.person, each.puzzle): name for each in self.answers if (name := getattr(each, by))}
        if not found and not any(each.group or each.set for each in self.answers):
            raise StoreError(
                f"Study '{self.study}' did not run on pages, and its table was brought in without --group, "
                "--condition or --label, so these are not known; puzzles are compared by `epcg study pairs`."
            )
        if len(set(found.values())) < 2:
            raise StoreError(
                f"Study '{self.study}' has not two of what --by {by} asks for, so none are compared."
            )
        return found

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


def text_of(puzzle: Puzzle) -> str:
    """Return the id of a puzzle."""
    return puzzle_id(*puzzle)

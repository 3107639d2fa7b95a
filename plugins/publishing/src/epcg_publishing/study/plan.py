"""Plans of studies: a TOML file, read and checked.

name = "which-is-harder"
title = "Which is harder?"
seed = 7
consent = "..."                   # read before anything else; a person who does not agree plays nothing
training = ["puzzle"]             # everybody plays these first
order = "balanced"                # of the sets; or "latin", "random", "fixed"
within = "balanced"               # of the puzzles of a set
sets_each = 2                     # the number of sets that a person gets; default: all

[tools]                           # what everybody has, if their group or condition says nothing else
hints = true

[[groups]]                        # between people
name = "alone"
hints = false

[[conditions]]                    # within people: the sets take turns
name = "with a solver"
solution = true

[[sets]]
name = "thorns"
puzzles = { original = "...", variant = "..." }

[[questions]]
when = "set"
kind = "which"
words = ["fun", "frustrating"]

Puzzles are whole ids, short ids, RUN#RANK, texts, or files beside the plan.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

import attrs

from epcg_core.plugin import QueryError, documents, param, structure, toml_tables

Order = Literal["balanced", "latin", "random", "fixed"]
Language = Literal["en", "de"]
MOST_STEPS = 11
"""Answers on a scale, so that it fits a phone."""
RESERVED = ("seconds", "moves", "undos", "restarts", "hints", "solution")
"""Responses that every study has, from the traces of its puzzles."""
_NAME = re.compile(r"[^\W_][\w .!?'+-]{0,59}")


@attrs.frozen(kw_only=True)
class ToolParams:
    """What a person has beside a puzzle; undo and restart are always there."""

    hints: bool = param(True, help="a button that shows the next move")
    solution: bool = param(False, help="the solution: as a list, and moved on the board")
    warn: bool = param(False, help="offer to say when nothing can be won any more")


@attrs.frozen(kw_only=True)
class ArmParams:
    """A group of people or a condition; tools that it does not name are those of `tools`, or of the group."""

    name: str = param(help="its name")
    hints: bool | None = param(None, help="a button that shows the next move")
    solution: bool | None = param(None, help="the solution: as a list, and moved on the board")
    warn: bool | None = param(None, help="offer to say when nothing can be won any more")


@attrs.frozen(kw_only=True)
class SetParams:
    """A pair, or a set of more puzzles, that are played one after the other."""

    name: str = param(help="its name")
    puzzles: dict[str, str] | tuple[str, ...] = param(
        help="two puzzles or more: a list, or a table that says what each is, as in "
        '{ original = "...", variant = "..." }'
    )

    @property
    def labels(self) -> list[str]:
        """What the puzzles are called within the set: keys of the table, or numbers from 1."""
        if isinstance(self.puzzles, Mapping):
            return list(self.puzzles)
        return [str(number) for number, _ in enumerate(self.puzzles, 1)]

    @property
    def entries(self) -> list[str]:
        """The puzzles as the plan names them."""
        return list(self.puzzles.values() if isinstance(self.puzzles, Mapping) else self.puzzles)


@attrs.frozen(kw_only=True)
class QuestionParams:
    """A question; its kind says which of the keys it has."""

    name: str = param("", help="what its answers are called; of a question with words, the words are")
    when: Literal["begin", "puzzle", "set", "end"] = param(
        help="before all puzzles, after each puzzle, after each set, or at the end"
    )
    kind: Literal["scale", "which", "choice", "number", "text"] = param(
        help="a scale; which of the puzzles of the set, or at the end of all; one of several options; a "
        "number; free text"
    )
    text: str = param("", help="the question as people read it; default: made of the name")
    low: int = param(1, help="scale: its lower end")
    high: int = param(5, help="scale: its upper end")
    ends: tuple[str, ...] = param((), help="scale: what the lower and the upper end mean")
    words: tuple[str, ...] = param(
        (), help="which: one question for each word, as in 'Which was more ...?'; each has its own answers"
    )
    equal: bool = param(False, help="which: offer 'no difference'")
    options: tuple[str, ...] = param((), help="choice: what to choose from")
    minimum: float | None = param(None, help="number: the smallest that is taken")
    maximum: float | None = param(None, help="number: the largest that is taken")
    optional: bool = param(False, help="whether it may stay without an answer")
    training: bool = param(False, help="whether it is asked after puzzles of the training, too")

    @property
    def names(self) -> tuple[str, ...]:
        """The names of its answers."""
        return self.words or (self.name,)


@attrs.frozen(kw_only=True)
class StudyParams:
    """A study as its plan asks for it."""

    name: str = param("", help="its name; default: that of the file")
    title: str = param("", help="the heading of the first page")
    description: str = param("", help="what those who run it should know; the pages do not show it")
    seed: int = param(1, minimum=0, help="of all that is drawn by chance")
    people: int | None = param(
        None, minimum=1, help="how many people are to take part; refused if the design is not balanced then"
    )
    welcome: str = param("", help="what people read first")
    consent: str = param(help="what they agree to; without agreement nothing is played and nothing is kept")
    thanks: str = param("", help="what they read at the end: where the file goes, say")
    texts: Language = param("en", help="the language of the pages' own texts")
    training: tuple[str, ...] = param((), help="puzzles that everybody plays first, in this order")
    sets_each: int | None = param(None, minimum=1, help="how many of the sets a person gets; default: all")
    order: Order = param("balanced", help="of a person's sets")
    within: Order = param("balanced", help="of the puzzles of a set")
    tools: ToolParams = param(ToolParams(), help="what everybody has")
    groups: tuple[ArmParams, ...] = param((), help="between people: each gets one of them")
    conditions: tuple[ArmParams, ...] = param((), help="within people: the sets of a person take turns")
    sets: tuple[SetParams, ...] = param(help="write [[sets]]")
    questions: tuple[QuestionParams, ...] = param((), help="write [[questions]]")

    @property
    def each(self) -> int:
        """How many sets a person gets."""
        return len(self.sets) if self.sets_each is None else self.sets_each


def load_study(path: Path) -> StudyParams:
    """Read a plan from a file. Raises QueryError, ParamsError or UnknownNameError, which name the place."""
    return parse_study(documents.read_text(path, "plan of a study", QueryError), path.name, path.stem)


def parse_study(text: str, where: str = "plan", name: str = "study") -> StudyParams:
    """Parse a plan in TOML, and check it.

    Args:
        text: the plan.
        where: the beginning of every message.
        name: the study's name, if the plan has none.

    Raises:
        QueryError, ParamsError, UnknownNameError: if it is not a plan, or one that cannot be run.
    """
    with toml_tables.placing(text, where):
        plan = structure(StudyParams, documents.parse_toml(text, where, QueryError), where)
        plan = attrs.evolve(plan, name=plan.name or name, title=plan.title or plan.name or name)
        _check(plan, where)
        return plan


def _check(plan: StudyParams, where: str) -> None:
    _check_name(plan.name, f"{where}: the study")
    if not plan.consent.strip():
        raise QueryError(f"{where}: 'consent' is empty: say what people agree to.")
    if not plan.sets:
        raise QueryError(f"{where}: a study has one set of puzzles or more: write [[sets]].")
    for kind, arms in (("group", plan.groups), ("condition", plan.conditions)):
        _check_names([arm.name for arm in arms], where, kind)
        if len(arms) == 1:
            raise QueryError(f"{where}: there is one {kind}, '{arms[0].name}': compare it with another.")
    _check_names([each.name for each in plan.sets], where, "set")
    if "training" in {each.name for each in plan.sets}:
        raise QueryError(f"{where}: a set is called 'training', as the first puzzles are: rename it.")
    for each in plan.sets:
        _check_names(each.labels, f"{where}: set '{each.name}'", "puzzle")
        if len(each.labels) < 2:
            raise QueryError(
                f"{where}: set '{each.name}' has {len(each.labels)} puzzle{'s' * (not each.labels)}: a set "
                "has two or more. Puzzles that are not compared go into one set together."
            )
    if plan.each > len(plan.sets):
        raise QueryError(
            f"{where}: sets_each is {plan.each}, and there are {len(plan.sets)} sets: take fewer, or leave "
            "it out."
        )
    if plan.conditions and plan.each % len(plan.conditions):
        raise QueryError(
            f"{where}: {plan.each} sets of a person cannot be shared out equally among "
            f"{len(plan.conditions)} conditions: take {plan.each // len(plan.conditions) or 1} or more of "
            "each, with sets_each, or make groups of the conditions."
        )
    for number, question in enumerate(plan.questions):
        _check_question(question, f"{where}: questions {number + 1}")
    names = [name for question in plan.questions for name in question.names]
    _check_names(names, where, "question")
    for name in names:
        if name in RESERVED:
            raise QueryError(f"{where}: '{name}' is taken of every puzzle anyhow: rename the question.")


def _check_question(question: QuestionParams, where: str) -> None:
    kind = question.kind
    own = {
        "low": "scale", "high": "scale", "ends": "scale", "words": "which", "equal": "which",
        "options": "choice", "minimum": "number", "maximum": "number",
    }  # fmt: skip
    usual = {field.name: field.default for field in attrs.fields(QuestionParams)}
    for key, of in own.items():
        if kind != of and getattr(question, key) != usual[key]:
            raise QueryError(f"{where}: '{key}' belongs to a question of kind '{of}', and this is '{kind}'.")
    if bool(question.name) == bool(question.words):
        raise QueryError(f"{where}: a question has a name, or else words.")
    if kind == "scale":
        if question.low >= question.high:
            raise QueryError(
                f"{where}: the scale goes from {question.low} to {question.high}: 'low' must be the smaller. "
                "What the ends mean is said by 'ends'."
            )
        if question.high - question.low >= MOST_STEPS:
            raise QueryError(f"{where}: a scale has at most {MOST_STEPS} steps: ask for a number instead.")
        if len(question.ends) not in (0, 2):
            raise QueryError(f"{where}: 'ends' are two texts, for {question.low} and {question.high}.")
    if kind == "which" and question.when not in ("set", "end"):
        raise QueryError(f"{where}: which puzzle is asked after a set or at the end, not '{question.when}'.")
    if kind == "choice":
        if len(question.options) < 2:
            raise QueryError(f"{where}: a choice has two options or more.")
        _check_twice(question.options, where, "option")
        if "" in question.options:
            raise QueryError(f"{where}: an option is empty.")
    low, high = question.minimum, question.maximum
    if low is not None and high is not None and low >= high:
        raise QueryError(f"{where}: minimum is {low:g} and maximum {high:g}: it must be the larger.")
    if question.training and question.when != "puzzle":
        raise QueryError(f"{where}: 'training' belongs to a question after each puzzle.")


def _check_names(names: Sequence[str], where: str, kind: str) -> None:
    for name in names:
        _check_name(name, f"{where}: a {kind}")
    _check_twice(names, where, kind)


def _check_twice(names: Sequence[str], where: str, kind: str) -> None:
    for name, times in Counter(names).items():
        if times > 1:
            raise QueryError(f"{where}: {times} {kind}s are called '{name}': rename them, so that answers "
                             "say which is meant.")  # fmt: skip


def _check_name(name: str, where: str) -> None:
    if not _NAME.fullmatch(name):
        raise QueryError(
            f"{where} is called '{name}': a name has 1 to 60 letters, digits, spaces and .!?'+-_, and "
            "begins with a letter or a digit."
        )


def laid_questions(plan: StudyParams) -> list[dict[str, Any]]:
    """Return the questions as the pages read them: one for each name, with its text."""
    found = []
    for number, question in enumerate(plan.questions):
        data = attrs.asdict(question)
        del data["words"]
        for name in question.names:
            found.append({**data, "name": name, "text": _text(question, name), "block": number})
    return found


def _text(question: QuestionParams, name: str) -> str:
    if question.words:
        return name if question.text else f"Which was more {name}?"
    return question.text or f"{name[:1].upper()}{name[1:]}?"

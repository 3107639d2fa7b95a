"""Files that people saved on the pages of a study, read with its `study.json`.

A file may be forged or cut: all of it is checked against the plan, and nothing is recorded if it is at fault.
"""

from __future__ import annotations

import hashlib
import math
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import attrs

from epcg_core.inside import StoreError, Trace, canonical_json
from epcg_core.plugin import documents
from epcg_research.exchange.traces import MOST_BYTES, traces_of
from epcg_research.studies.answers import TRACES, Answer, Choice, Puzzle, Response

PLAN, FORMAT, VERSION = "study.json", "epcg-study", 1
PLAN_FORMAT = "epcg-study-plan"
LONGEST_TEXT = 4000
_KEYS = {"format", "version", "study", "plan", "person", "row", "group", "complete", "sequence", "answers",
         "traces"}  # fmt: skip
_OF_QUESTIONS = (
    "name", "when", "kind", "low", "high", "equal", "options", "minimum", "maximum", "optional", "training",
)  # fmt: skip
_OF_PUZZLES = (
    Response("seconds", "s", 0, of_finished=True),
    Response("moves", "", 0, of_finished=True),
    Response("undos", "", 0),
    Response("restarts", "", 0),
    Response("hints", "", 0),
    Response("solution", "", 0, 1),
)


@attrs.frozen
class Played:
    """A puzzle that a person was given."""

    name: str
    puzzle: Puzzle
    set: str
    label: str
    condition: str
    position: int


@attrs.frozen
class Said:
    """An answer as it was given, whatever it is about."""

    question: str
    about: str
    answer: str


@attrs.frozen
class Result:
    """What one file says."""

    person: str
    player: str
    group: str
    complete: bool
    answers: tuple[Answer, ...]
    """One for each puzzle that the person was given, in order; empty if the person did not come to it."""
    said: tuple[Said, ...]
    choices: tuple[Choice, ...]
    traces: tuple[Trace, ...]


@attrs.frozen
class Plan:
    """A study as it was run, from its `study.json`."""

    name: str
    digest: str
    data: Mapping[str, Any] = attrs.field(repr=False)

    @property
    def responses(self) -> tuple[Response, ...]:
        """The numbers that the study has of puzzles: of their traces, of scales and numbers, of choices."""
        found = list(_OF_PUZZLES)
        for each in self.data["questions"]:
            if each["kind"] == "scale" and each["when"] == "puzzle":
                found.append(Response(each["name"], "", each["low"], each["high"]))
            elif each["kind"] == "number" and each["when"] == "puzzle":
                found.append(Response(each["name"], "", each["minimum"], each["maximum"]))
            elif each["kind"] == "which":
                found.append(Response(each["name"], "", 0, 1))
        return tuple(found)

    def puzzle(self, number: int) -> Puzzle:
        """Return the space and rank of a puzzle by its number in the plan."""
        space, _, rank = self.data["puzzles"][number]["puzzle"].rpartition("#")
        return space, int(rank)

    def sequence(self, row: int) -> list[Played]:
        """Return the puzzles of a row of the table in their order; positions count from 1."""
        puzzles, found = self.data["puzzles"], []
        order = [(number, "") for number in self.data["training"]]
        for own, condition, places in self.data["rows"][row][1]:
            name = self.data["conditions"][condition] if self.data["conditions"] else ""
            order += [(self.data["sets"][own]["puzzles"][place], name) for place in places]
        for position, (number, condition) in enumerate(order, 1):
            each = puzzles[number]
            found.append(
                Played(each["name"], self.puzzle(number), each["set"], each["label"], condition, position)
            )
        return found


def read_plan(path: Path) -> Plan:
    """Read the `study.json` of a study's pages, or that of their folder. Raises StoreError."""
    path = path / PLAN if path.is_dir() else path
    if path.suffix == ".toml":
        raise StoreError(
            f"'{path}' is the plan as it is written: name the {PLAN} of the pages, which says what was run."
        )
    where = f"The plan '{path}'"
    data = documents.parse_json(documents.read_text(path, "plan of a study", StoreError), where, StoreError)
    if not isinstance(data, dict) or data.get("format") != PLAN_FORMAT:
        raise StoreError(f"{where} is not the {PLAN} that `epcg study site` wrote.")
    if data.get("version") != 1:
        raise StoreError(f"{where}: its version is not known: install a newer EPCG.")
    own = {key: value for key, value in data.items() if key != "digest"}
    digest = hashlib.sha256(canonical_json(own).encode()).hexdigest()
    if data.get("digest") != digest:
        raise StoreError(f"{where} was changed since it was written: its digest does not fit. Copy it again.")
    plan = Plan(str(data.get("name")), digest, data)
    try:
        _check_form(plan)
    except (LookupError, TypeError, ValueError, AttributeError):
        raise StoreError(f"{where} is not of the form that `epcg study site` writes.") from None
    return plan


def _check_form(plan: Plan) -> None:
    """Read all that is read of a plan later. Raises the error of Python that something else leads to."""
    if not plan.data["name"] or not plan.data["rows"] or len(plan.responses) < len(_OF_PUZZLES):
        raise ValueError
    for question in plan.data["questions"]:
        for key in _OF_QUESTIONS:
            question[key]
    for row, (group, _) in enumerate(plan.data["rows"]):
        plan.sequence(row)
        if plan.data["groups"]:
            plan.data["groups"][group]


def row_of(person: str, rows: int) -> int:
    """Return the row of a person in a table; `rowOf` of the pages does the same."""
    if re.fullmatch(r"[0-9]{1,15}", person):
        return (int(person) - 1) % rows
    found = 0x811C9DC5  # FNV-1a of 32 bits
    for byte in person.encode():
        found = (found ^ byte) * 0x01000193 % 2**32
    return found % rows


def read_results(paths: Sequence[Path], plan: Plan, study: str) -> list[Result]:
    """Read files of results.

    Args:
        paths: the files.
        plan: the study that they belong to.
        study: the name under which they are recorded.

    Raises:
        StoreError: if one is not a file of this study, was cut or changed, or a person is there twice.
    """
    if study == TRACES:
        raise StoreError(f"'{TRACES}' are the traces of play pages: name the study otherwise with --study.")
    found: dict[str, tuple[Path, Result]] = {}
    for path in paths:
        result = _read(path, plan, study)
        if result.person in found:
            raise StoreError(
                f"'{found[result.person][0]}' and '{path}' are both of person {result.person}: keep one."
            )
        found[result.person] = path, result
    return [result for _, result in found.values()]


def _read(path: Path, plan: Plan, study: str) -> Result:
    where = f"The file of results '{path}'"
    text = documents.read_text(path, "file of results", StoreError, MOST_BYTES)
    data = documents.parse_json(text, where, StoreError)
    if not isinstance(data, dict) or data.get("format") != FORMAT:
        raise StoreError(
            f'{where} is not one that the pages of a study save; its "format" would be "{FORMAT}".'
        )
    if data.get("version") != VERSION:
        raise StoreError(f"{where}: its version is not known: install a newer EPCG.")
    if data.keys() != _KEYS:
        odd = sorted(data.keys() ^ _KEYS)[0]
        raise StoreError(f'{where}: "{odd}" is {"not known" if odd in data else "missing"}.')
    if data["plan"] != plan.digest:
        raise StoreError(
            f"{where} belongs to another plan: its study is {data['study']!r} with the digest "
            f"{str(data['plan'])[:12]}, and this plan is '{plan.name}' with {plan.digest[:12]}."
        )
    person, row = data["person"], data["row"]
    if not isinstance(person, str) or not re.fullmatch(r"[A-Za-z0-9_-]{1,40}", person):
        raise StoreError(f'{where}: "person" is neither a number nor a code.')
    expected = row_of(person, len(plan.data["rows"]))
    if row != expected:
        raise StoreError(
            f"{where}: person {person} has row {expected} of the plan, and the file says {row!r}."
        )
    group = plan.data["groups"][plan.data["rows"][row][0]] if plan.data["groups"] else ""
    sequence = plan.sequence(row)
    if data["group"] != group or data["sequence"] != [[each.name, each.condition] for each in sequence]:
        raise StoreError(f"{where}: its group or its order of puzzles is not that of person {person}.")
    if type(data["complete"]) is not bool or not isinstance(data["answers"], list):
        raise StoreError(f'{where}: "complete" is true or false, and "answers" is a list.')
    traces = _traces(data["traces"], where, plan, sequence, study, person)
    given = _given(data["answers"], where, plan, sequence)
    if data["complete"]:
        _check_complete(given, where, plan, sequence)
    choices = _choices(given, plan, sequence, person)
    player = hashlib.sha256(f"{plan.digest}\0{person}".encode()).hexdigest()[:16]
    said = tuple(Said(name, about, _text(value)) for (name, about), value in given.items())
    answers = _answers(given, traces, sequence, plan, person, group)
    return Result(
        person, player, group, data["complete"], answers, said, choices,
        tuple(attrs.evolve(trace, player=player) for trace in traces.values()),
    )  # fmt: skip


def _traces(
    data: Any, where: str, plan: Plan, sequence: Sequence[Played], study: str, person: str
) -> dict[str, Trace]:
    """Return the traces by the names of their puzzles."""
    names = {f"{each.puzzle[0]}#{each.puzzle[1]}": each.name for each in sequence}
    found = {}
    for trace in traces_of(data, f"{where}, traces"):
        if trace.puzzle not in names:
            raise StoreError(f"{where}: person {person} was not given the puzzle {trace.puzzle[:100]}.")
        found[names[trace.puzzle]] = attrs.evolve(trace, curriculum=study)
    return found


def _given(
    data: Sequence[Any], where: str, plan: Plan, sequence: Sequence[Played]
) -> dict[tuple[str, str], Any]:
    """Return the answers by question and what it is about, each one that the question admits."""
    asked = dict(_asked(plan, sequence))
    found: dict[tuple[str, str], Any] = {}
    for number, each in enumerate(data, 1):
        at = f"{where}, answer {number}"
        if not isinstance(each, dict) or each.keys() != {"question", "about", "value"}:
            raise StoreError(f'{at}: "question", "about" and "value" are expected.')
        key = str(each["question"]), str(each["about"])
        if key not in asked:
            about = f" about '{key[1]}'" if key[1] else ""
            raise StoreError(f"{at}: there is no question '{key[0]}'{about} for this person.")
        if key in found:
            raise StoreError(f"{at}: the question '{key[0]}' is answered twice.")
        problem = _problem(asked[key], each["value"], key[1], sequence)
        if problem:
            raise StoreError(f"{at}, '{key[0]}': {_shown(each['value'])} {problem}.")
        found[key] = each["value"]
    return found


def _asked(plan: Plan, sequence: Sequence[Played]) -> list[tuple[tuple[str, str], Mapping[str, Any]]]:
    """Return ((question, about), question) of all that a person is asked."""
    found: list[tuple[tuple[str, str], Mapping[str, Any]]] = []
    sets = list(dict.fromkeys(each.set for each in sequence if each.set))
    for question in plan.data["questions"]:
        if question["when"] == "puzzle":
            about = [each.name for each in sequence if each.set or question["training"]]
        else:
            about = sets if question["when"] == "set" else [""]
        found += [((question["name"], each), question) for each in about]
    return found


def _problem(question: Mapping[str, Any], value: Any, about: str, sequence: Sequence[Played]) -> str:
    """Say why a value is not an answer to a question; '' if it is."""
    kind = question["kind"]
    if kind == "scale":
        if type(value) is not int or not question["low"] <= value <= question["high"]:
            return f"is not on the scale {question['low']} to {question['high']}"
    elif kind == "which":
        names = [each.name for each in sequence if each.set and about in ("", each.set)]
        if value not in (names + [""] * question["equal"]):
            return "is not one of the puzzles that were compared"
    elif kind == "choice":
        if value not in question["options"]:
            return "is not one of the options"
    elif kind == "number":
        low, high = question["minimum"], question["maximum"]
        if type(value) not in (int, float) or not math.isfinite(value):
            return "is not a number"
        if (low is not None and value < low) or (high is not None and value > high):
            return "is not between the smallest and the largest number that the question takes"
    elif not isinstance(value, str) or len(value) > LONGEST_TEXT:
        return f"is not a text of at most {LONGEST_TEXT:,} characters"
    return ""


def _check_complete(
    given: Mapping[tuple[str, str], Any], where: str, plan: Plan, sequence: Sequence[Played]
) -> None:
    for key, question in _asked(plan, sequence):
        if key not in given and not question["optional"]:
            about = f" about '{key[1]}'" if key[1] else ""
            raise StoreError(
                f"{where} says that it is complete, and the question '{key[0]}'{about} has no answer."
            )


def _choices(
    given: Mapping[tuple[str, str], Any], plan: Plan, sequence: Sequence[Played], person: str
) -> tuple[Choice, ...]:
    """Return the choices as pairs: the puzzle that was chosen, and each one that was not."""
    kinds = {each["name"]: each["kind"] for each in plan.data["questions"]}
    found = []
    for (question, about), value in given.items():
        if kinds[question] != "which":
            continue
        compared = [each for each in sequence if each.set and about in ("", each.set)]
        chosen = next((each for each in compared if each.name == value), compared[0])
        for other in compared:
            if other is not chosen:
                first = None if value == "" else chosen.position < other.position
                found.append(
                    Choice(person, question, about, chosen.puzzle, chosen.label, other.puzzle, other.label,
                           first, value == "")
                )  # fmt: skip
    return tuple(found)


def _answers(
    given: Mapping[tuple[str, str], Any],
    traces: Mapping[str, Trace],
    sequence: Sequence[Played],
    plan: Plan,
    person: str,
    group: str,
) -> tuple[Answer, ...]:
    """Return the numbers of each puzzle: of its trace, of scales, and 1 or 0 for chosen or not."""
    kinds = {each["name"]: each["kind"] for each in plan.data["questions"]}
    found = []
    for each in sequence:
        values: dict[str, float] = {}
        trace = traces.get(each.name)
        if trace is not None:
            for name in ("seconds", "moves", "undos", "restarts", "hints"):
                values[name] = float(getattr(trace, name))
            values["solution"] = float(trace.solution_shown)
        for (question, about), value in given.items():
            if about == each.name and kinds[question] in ("scale", "number"):
                values[question] = float(value)
            elif kinds[question] == "which" and each.set and about in ("", each.set) and value != "":
                values[question] = float(value == each.name)
        found.append(
            Answer(
                person, each.puzzle, values, float(each.position), None if trace is None else trace.finished,
                not each.set, each.set, each.label, each.condition, group,
            )
        )  # fmt: skip
    return tuple(found)


def _text(value: Any) -> str:
    return f"{value:g}" if isinstance(value, int | float) else str(value)


def _shown(value: Any) -> str:
    text = repr(value)
    return text if len(text) < 60 else f"{text[:56]} ..."

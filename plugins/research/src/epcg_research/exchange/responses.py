"""Tables of studies of others: one row for each person and puzzle, as CSV or Parquet.

Nothing is recorded if one row is at fault; the message names its line and column.
"""

from __future__ import annotations

import csv
import hashlib
import io
import math
import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import attrs

from epcg_core.inside import PLUGIN_EXCEPTIONS, StoreError, max_rank_of
from epcg_core.plugin import (
    EpcgError,
    Reader,
    UnknownNameError,
    documents,
    find,
    make_generator,
    registry,
)
from epcg_research.exchange.arrow import need_arrow
from epcg_research.studies.answers import TRACES, Answer, Answers, Puzzle, Response

MOST_FAULTS = 5
"""More are counted."""
ENOUGH_FAULTS = 20
"""After so many faults the rest of a file is not read."""
MISSING = {"", "na", "nan", "null", "none"}
SECONDS = {"ms": 0.001, "s": 1.0, "min": 60.0, "h": 3600.0}
_NUMBER = r"-?\d+(?:\.\d+)?"
_COLUMN = re.compile(
    r"(?P<name>[^=\[\]:]+)(=(?P<column>[^\[\]:]+))?(\[(?P<unit>[^\[\]]*)\])?"
    rf"(:(?P<low>{_NUMBER})\.\.(?P<high>{_NUMBER}))?"
)
_TRUTHS = {"true": 1.0, "yes": 1.0, "false": 0.0, "no": 0.0}


@attrs.frozen
class Column:
    """A column of a file, and the response that it becomes."""

    column: str
    response: Response
    factor: float = 1.0
    """By which its numbers are multiplied: times become seconds."""


def column_of(text: str, time: bool = False) -> Column:
    """Read how a column is named: NAME, NAME=COLUMN, NAME[UNIT], NAME:LOW..HIGH, or together.

    Args:
        text: 'rating:1..5', 'seconds=ms_total[ms]'.
        time: whether it is a time, which is recorded in seconds, and counts for finished puzzles only.

    Raises:
        StoreError: if the text is not of the form, or a time has another unit than ms, s, min or h.
    """
    match = _COLUMN.fullmatch(text.strip())
    if match is None:
        raise StoreError(
            f"'{text}' does not name a column: expected NAME, NAME=COLUMN, NAME[UNIT] or NAME:LOW..HIGH, "
            "as in rating=q3:1..5 or seconds=total[ms]."
        )
    name = match["name"].strip()
    low, high = (None if match[end] is None else float(match[end]) for end in ("low", "high"))
    if low is not None and high is not None and low >= high:
        raise StoreError(f"'{text}': the scale ends at {high:g}, which is not above {low:g}.")
    unit, factor = (match["unit"] or "").strip(), 1.0
    if time:
        if unit not in SECONDS:
            raise StoreError(f"'{text}': say the unit of the time: {name}[ms], [s], [min] or [h].")
        factor, unit, low = SECONDS[unit], "s", low if low is None else low * SECONDS[unit]
        low, high = (0.0 if low is None else low), high if high is None else high * factor
    return Column((match["column"] or name).strip(), Response(name, unit, low, high, time), factor)


def about_of(texts: Sequence[str]) -> dict[str, str]:
    """Read how columns about people are named, NAME or NAME=COLUMN; return columns by names.

    Raises StoreError if a text is not of the form, or a name is there twice.
    """
    found: dict[str, str] = {}
    for text in texts:
        name, _, column = text.partition("=")
        if not name.strip() or ("=" in text and not column.strip()):
            raise StoreError(f"'{text}' does not name a column: expected NAME or NAME=COLUMN, as in age=q7.")
        if name.strip() in found:
            raise StoreError(f"'{name.strip()}' is named twice with --about: give one of them another name.")
        found[name.strip()] = (column or name).strip()
    return found


@attrs.frozen
class Form:
    """What the columns of a file mean."""

    puzzle: str
    person: str
    columns: tuple[Column, ...]
    position: str | None = None
    finished: str | None = None
    separator: str = ","
    space: str | None = None
    """The space whose ranks the column of puzzles holds, by name, short name or number of a run."""
    labels: Path | None = None
    """A CSV file with the columns `label` and `puzzle`: what the labels in the column of puzzles mean."""
    training: str | None = None
    """The column that says whether a person only tried a puzzle out, before the study began."""
    set: str | None = None
    """The column of sets of puzzles that were compared; if it is not named, all are of one set."""
    label: str | None = None
    """The column of the names of puzzles in their sets."""
    condition: str | None = None
    group: str | None = None
    """The column of the groups of people."""
    about: Mapping[str, str] = {}
    """What is known of people, by name, and the columns that say it."""

    @property
    def texts(self) -> list[str]:
        """The columns of texts that say how the study was made."""
        return [each for each in (self.set, self.label, self.condition, self.group) if each is not None]


@attrs.define
class Faults:
    """What is wrong with a file, by line and column."""

    file: Path
    found: list[str] = attrs.field(factory=list)

    def add(self, line: int, column: str, what: str) -> None:
        """Add a fault. Raises StoreError if there are so many that reading on is of no use."""
        self.found.append(f"line {line}, column '{column}': {what}")
        if len(self.found) >= ENOUGH_FAULTS:
            self.check(" or more")

    def check(self, or_more: str = "") -> None:
        """Raise StoreError if there is a fault."""
        if self.found:
            more = len(self.found) - MOST_FAULTS
            told = "; ".join(self.found[:MOST_FAULTS]) + (f"; and {more:,} more" if more > 0 else "")
            faults = "one fault" if len(self.found) == 1 else f"{len(self.found):,}{or_more} faults"
            raise StoreError(f"{self.file} has {faults}, and nothing is recorded: {told}.")


def read(
    reader: Reader, location: str, path: Path, study: str, form: Form
) -> tuple[Answers, dict[str, dict[str, str]]]:
    """Read a file of responses.

    Args:
        reader: the database, which knows short ids and the spaces of runs.
        location: where it is, for messages.
        path: a file .csv, .tsv or .parquet.
        study: the name of the data set.
        form: what its columns mean.

    Returns:
        The data set, in which every puzzle is one that there is; and what is known of people.

    Raises:
        EpcgError: if the file or a row is not what is expected; it names lines and columns.
    """
    if study == TRACES:
        raise StoreError(f"'{TRACES}' are the traces of play pages: name the study otherwise with --study.")
    names = [each.response.name for each in form.columns]
    if not names:
        raise StoreError("There is nothing to import: name a column with --response or --time.")
    for name in names:
        if names.count(name) > 1:
            raise StoreError(f"Two responses are called '{name}': rename one, as in {name}2={name}.")
    header, rows = table_of(path, form.separator)
    wanted = [form.puzzle, form.person, *(each.column for each in form.columns)]
    optional = filter(None, (form.position, form.finished, form.training))
    for column in [*wanted, *optional, *form.texts, *form.about.values()]:
        if column not in header:
            raise UnknownNameError("column", column, header, str(path))
    places, faults, found = Places(reader, location, form), Faults(path), []
    first: dict[tuple[str, Puzzle], int] = {}
    positions: dict[tuple[str, float], int] = {}
    constant: dict[tuple[str, str], tuple[str, int]] = {}
    """Of a person and a column about people: the text, and the first line that has it."""
    about: dict[str, dict[str, str]] = {name: {} for name in form.about}
    for line, row in rows:
        before = len(faults.found)
        answer = _answer(line, row, form, places, faults, study)
        if answer is None or len(faults.found) > before:
            continue
        key = answer.person, answer.puzzle
        if key in first:
            what = f"{answer.person!r} answered this puzzle in line {first[key]} already: keep one of the two"
            faults.add(line, form.person, what)
        first.setdefault(key, line)
        if answer.position is not None and form.position is not None:
            at = answer.person, answer.position
            if at in positions:
                what = f"{answer.person!r} has the place {answer.position:g} in line {positions[at]} already"
                faults.add(line, form.position, what)
            positions.setdefault(at, line)
        for column in [*filter(None, (form.group,)), *form.about.values()]:
            text = text_of_cell(row[column]) or ""
            other, there = constant.setdefault((answer.person, column), (text, line))
            if other != text:
                what = (
                    f"{text!r}, and {answer.person!r} has {other!r} in line {there}: it is about the person"
                )
                faults.add(line, column, what)
        for name, column in form.about.items():
            if (known := text_of_cell(row[column])) is not None:
                about[name][answer.person] = known
        found.append(answer)
    faults.check()
    if not found:
        raise StoreError(f"{path} has no rows.")
    return Answers(study, tuple(each.response for each in form.columns), tuple(found)), about


def origin_of(path: Path) -> dict[str, str]:
    """Return where a data set comes from, as it is recorded."""
    digest = hashlib.sha256(path.read_bytes()).hexdigest()
    return {
        "file": path.name,
        "sha256": digest,
        "imported_at": datetime.now(UTC).isoformat(timespec="seconds"),
    }


def _answer(
    line: int, row: Mapping[str, Any], form: Form, places: Places, faults: Faults, study: str
) -> Answer | None:
    person = text_of_cell(row[form.person])
    if person is None:
        faults.add(line, form.person, "there is no person")
    puzzle = None
    text = text_of_cell(row[form.puzzle])
    if text is None:
        faults.add(line, form.puzzle, "there is no puzzle")
    else:
        try:
            puzzle = places.find(text)
        except PLUGIN_EXCEPTIONS as error:
            faults.add(line, form.puzzle, str(error).partition("\n")[0].rstrip("."))
    values: dict[str, float] = {}
    for column in form.columns:
        value = _number(line, row, column.column, faults)
        if value is None:
            continue
        value *= column.factor
        response = column.response
        low, high = response.low, response.high
        if response.of_finished and value < 0:
            what = f"{row[column.column]} is negative: the clock went back between beginning and end"
            faults.add(line, column.column, what)
        elif (low is not None and value < low) or (high is not None and value > high):
            faults.add(line, column.column, f"{row[column.column]} is not on the scale {response.scale}")
        else:
            values[response.name] = value
    position = None if form.position is None else _number(line, row, form.position, faults)
    finished = None if form.finished is None else _number(line, row, form.finished, faults)
    if form.finished is not None and finished not in (None, 0, 1):
        faults.add(line, form.finished, f"{finished:g} is neither 1 (solved) nor 0 (given up)")
    training = None if form.training is None else _number(line, row, form.training, faults)
    if form.training is not None and training not in (None, 0, 1):
        faults.add(line, form.training, f"{training:g} is neither 1 (training) nor 0 (of the study)")
    if person is None or puzzle is None:
        return None
    done = None if finished is None else bool(finished)
    set_, label, condition, group = (
        "" if column is None else text_of_cell(row[column]) or ""
        for column in (form.set, form.label, form.condition, form.group)
    )
    if training == 1:
        return Answer(person, puzzle, values, position, done, True, "", label, condition, group)
    if form.texts:
        set_ = set_ or study
    return Answer(person, puzzle, values, position, done, False, set_, label, condition, group)


def text_of_cell(value: Any) -> str | None:
    """Return a cell as text; None if it is empty."""
    text = "" if value is None else str(value).strip()
    return text or None


def _number(line: int, row: Mapping[str, Any], column: str, faults: Faults) -> float | None:
    """Return a cell as a number; None if it is empty, or a fault."""
    text = text_of_cell(row[column])
    if text is None or text.lower() in MISSING:
        return None
    if text.lower() in _TRUTHS:
        return _TRUTHS[text.lower()]
    try:
        found = float(text)
    except ValueError:
        found = math.nan
    if not math.isfinite(found) or "_" in text:
        shown = text if len(text) < 40 else f"{text[:36]} ..."
        faults.add(line, column, f"{shown!r} is not a number; an empty cell says that there is none")
        return None
    return found


# --- files ------------------------------------------------------------------------------------------------


def table_of(path: Path, separator: str) -> tuple[list[str], Iterator[tuple[int, Mapping[str, Any]]]]:
    """Return the names of the columns, and the rows with their line numbers."""
    if path.suffix.lower() == ".parquet":
        return _parquet(path)
    text = documents.read_text(path, "file of responses", StoreError).removeprefix("\ufeff")
    return _csv(path, text, "\t" if path.suffix.lower() == ".tsv" else separator)


def _csv(path: Path, text: str, separator: str) -> tuple[list[str], Iterator[tuple[int, Mapping[str, Any]]]]:
    lines = csv.reader(io.StringIO(text, newline=""), delimiter=separator, strict=True)

    def rows() -> Iterator[tuple[int, list[str]]]:
        try:
            for row in lines:
                if row:
                    yield lines.line_num, row
        except csv.Error as error:
            raise StoreError(f"{path}, line {lines.line_num}: {error}; the file may be cut off.") from error

    cells = rows()
    _, header = next(cells, (0, []))
    header = [name.strip() for name in header]
    if not header:
        raise StoreError(f"{path} is empty: the first line names the columns.")
    if len(header) == 1 and (other := next((mark for mark in ";\t" if mark in header[0]), None)):
        said = "a tab" if other == "\t" else f"'{other}'"
        raise StoreError(
            f"{path} has one column '{header[0][:60]}': its separator may be {said}; say --separator."
        )
    _check_names(path, header)

    def named() -> Iterator[tuple[int, Mapping[str, Any]]]:
        for line, row in cells:
            if len(row) != len(header):
                raise StoreError(
                    f"{path}, line {line} has {len(row)} cells, and there are {len(header)} columns: the "
                    "file may be cut off, or a text with a separator lacks its quotation marks."
                )
            yield line, dict(zip(header, row, strict=True))

    return header, named()


def _parquet(path: Path) -> tuple[list[str], Iterator[tuple[int, Mapping[str, Any]]]]:
    need_arrow("Importing Parquet needs")
    import pyarrow
    from pyarrow import parquet

    if not path.is_file():
        raise StoreError(f"There is no file '{path}'.")
    try:
        table = parquet.read_table(path, partitioning=None)
        table.validate(full=True)
        rows = table.to_pylist()
    except (pyarrow.ArrowException, OSError, UnicodeDecodeError) as error:
        reason = str(error).partition("\n")[0].rstrip(".")
        raise StoreError(f"{path} cannot be read as a Parquet file: {reason}.") from error
    _check_names(path, table.schema.names)
    return list(table.schema.names), enumerate(rows, 1)


def _check_names(path: Path, header: Sequence[str]) -> None:
    for name in header:
        if header.count(name) > 1:
            raise StoreError(f"{path} has two columns '{name}': rename one.")


# --- puzzles ----------------------------------------------------------------------------------------------


class Places:
    """The puzzles that texts name."""

    def __init__(self, reader: Reader, location: str, form: Form) -> None:
        self._reader, self._location = reader, location
        self._known: dict[str, Puzzle] = {}
        self._unknown: dict[str, EpcgError] = {}
        """Texts that name no puzzle, and why: a text may stand in thousands of rows."""
        self._sizes: dict[str, int] = {}
        self._label_of: dict[Puzzle, str] = {}
        self._labels = None if form.labels is None else self._read(form.labels)
        self._space = form.space
        if self._space is not None:
            run = documents.whole_number(self._space)
            name = self._space if run is None else reader.run(run).space
            space, _ = find.named(f"{name}#0", reader, location)
            self._space = space.name

    def find(self, text: str) -> Puzzle:
        """Return the puzzle that a text names. Raises EpcgError."""
        if text in self._unknown:
            raise self._unknown[text]
        if text not in self._known:
            try:
                found = self._found(text)
            except EpcgError as error:
                self._unknown[text] = error
                raise
            if self._labels is not None and self._label_of.setdefault(found, text) != text:
                raise StoreError(f"{text!r} and {self._label_of[found]!r} are labels of one puzzle")
            self._known[text] = found
        return self._known[text]

    def _found(self, text: str) -> Puzzle:
        if self._labels is not None:
            if text not in self._labels:
                raise StoreError(f"the file of labels does not say which puzzle {text!r} is")
            text = self._labels[text]
        rank = text.removesuffix(".0")
        if rank.isdecimal():
            if self._space is None:
                raise StoreError(f"'{text}' is a rank, and of which space is not said: add --space")
            text = f"{self._space}#{rank}"
        space, number = find.named(text, self._reader, self._location)
        if space.name not in self._sizes:
            self._sizes[space.name] = max_rank_of(registry(), space, make_generator(registry(), space))
        if not 0 <= number < self._sizes[space.name]:
            raise StoreError(f"{space.name} has ranks 0 to {self._sizes[space.name] - 1}, not {number}")
        return space.name, number

    def _read(self, path: Path) -> dict[str, str]:
        """Read what labels mean. Raises StoreError if one label means two puzzles."""
        header, rows = table_of(path, ",")
        for name in ("label", "puzzle"):
            if name not in header:
                raise UnknownNameError("column", name, header, str(path))
        found: dict[str, str] = {}
        for line, row in rows:
            label, puzzle = text_of_cell(row["label"]), text_of_cell(row["puzzle"])
            if label is None or puzzle is None:
                raise StoreError(f"{path}, line {line}: a label and a puzzle are expected.")
            if found.setdefault(label, puzzle) != puzzle:
                raise StoreError(f"{path}, line {line}: two puzzles have the label {label!r}.")
        return found

"""Tables of a TOML text, read value by value, so that every fault is told with its line and column."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from epcg_core.base import documents
from epcg_core.base.errors import EpcgError, UnknownNameError
from epcg_core.base.params import toml_text
from epcg_core.domain.files import Fault

Path = tuple[str | int, ...]
"""("pieces", 2, "drawing") is the key `drawing` of the third table of the array `pieces`."""

_HEADER = re.compile(r"\s*(\[\[?)\s*([^\[\]]+?)\s*\]\]?\s*(#.*)?$")
_NAME = r"""(?:"[^"]*"|'[^']*'|[A-Za-z0-9_-]+)"""
_NAMES = re.compile(_NAME)
_KEY = re.compile(rf"\s*({_NAME}(?:\s*\.\s*{_NAME})*)\s*=\s*")
_LONG = ('"""', "'''")


class Places:
    """The places of the tables and keys of a TOML text; of nested inline tables only the outermost key.

    Args:
        text: the text.
    """

    def __init__(self, text: str) -> None:
        self._found: dict[Path, tuple[int, int]] = {(): (1, 1)}
        self._values: dict[Path, tuple[int, int]] = {}
        self._tables: list[tuple[Path, int]] = []
        for path, line, column, value in _keys(text):
            if value == 0:
                self._tables.append((path, line))
            deepest = min(len(path), documents.MOST_DEPTH)  # further parts are refused by who parses the text
            for length in range(1, deepest + 1):  # [board.wants] is a place of the board, too
                self._found.setdefault(path[:length], (line, column))
            self._values.setdefault(path, (line, value))
        self._lines = text.split("\n")

    @property
    def tables(self) -> tuple[tuple[Path, int], ...]:
        """The (path, line) of each header of a table, from above; inline tables have none."""
        return tuple(self._tables)

    def has(self, path: Path) -> bool:
        """Return whether the text has a key or table; of nested inline tables, the key that they are in."""
        return any(path[:length] in self._values for length in range(1, len(path) + 1))

    def of(self, path: Path) -> tuple[int, int]:
        """Return the (line, column) of a key or table, from 1; of the nearest one around it that there is."""
        while path not in self._found:
            path = path[:-1]
        return self._found[path]

    def within(self, path: Path, row: int, column: int) -> tuple[int, int]:
        """Return the (line, column), from 1, of a place of a string, which is counted from 0.

        A string in three quotation marks may begin on the line below them.
        """
        if path not in self._values:
            return self.of(path)
        line, start = self._values[path]
        rest = self._lines[line - 1][start - 1 :]
        if rest[:3] not in _LONG:
            return line, start + 1 + column
        if not rest[3:].strip("\r"):
            return line + 1 + row, column + 1
        return line + row, column + 1 + (start + 2 if row == 0 else 0)


def _keys(text: str) -> Iterator[tuple[Path, int, int, int]]:
    """Yield (path, line, column, column of the value) of each table and key; a table has no value."""
    table: Path = ()
    counts: dict[str, int] = {}
    closing, depth = "", 0
    for number, line in enumerate(text.split("\n"), 1):
        if closing:
            closing = "" if closing in line else closing
            continue
        if depth > 0:  # within an array over several lines
            depth += _depth(line)
            continue
        header = _HEADER.match(line)
        if header is not None:
            names = _names(header[2])
            if header[1] == "[[" and len(names) == 1:
                counts[names[0]] = counts.get(names[0], -1) + 1
            first = names[:1]
            table = (*first, *(counts[name] for name in first if name in counts), *names[1:])
            yield table, number, header.start(1) + 1, 0
            continue
        key = _KEY.match(line)
        if key is None:
            continue
        yield (*table, *_names(key[1])), number, key.start(1) + 1, key.end() + 1
        rest = line[key.end() :]
        if rest[:3] in _LONG:
            closing = "" if rest[:3] in rest[3:] else rest[:3]
        else:
            depth = _depth(rest)


def _names(text: str) -> list[str]:
    """Return the parts of a dotted key."""
    return [name.strip("\"'") for name in _NAMES.findall(text)]


def _depth(text: str) -> int:
    """Return how many brackets a line opens without closing them, strings and comments left out."""
    bare = re.sub(r"\"[^\"]*\"|'[^']*'|#.*", "", text)
    return bare.count("[") + bare.count("{") - bare.count("]") - bare.count("}")


class TableReader:
    """Reads values, and gathers faults with their places.

    Args:
        places: where the keys of the text stand.
    """

    def __init__(self, places: Places) -> None:
        self.places = places
        self.faults: list[Fault] = []

    def fault(self, path: Path, message: str, serious: bool = True) -> None:
        """Add a fault at a key or a table.

        Args:
            path: the path of the key or table.
            message: a sentence: first the fault, then what to do.
            serious: whether the text cannot be used as it is.
        """
        line, column = self.places.of(path)
        self.faults.append(Fault(line, message, column=column, serious=serious))

    def fault_once(self, path: Path, message: str) -> None:
        """Add a serious fault unless it was added before."""
        line, column = self.places.of(path)
        fault = Fault(line, message, column=column)
        if fault not in self.faults:
            self.faults.append(fault)

    def keys(self, table: Mapping[str, Any], known: Sequence[str], path: Path) -> None:
        """Add a fault for each key of a table that is not known.

        Args:
            table: the table.
            known: the keys that it may have.
            path: the path of the table.
        """
        for key in table:
            if key not in known:
                self.fault((*path, key), sentence(UnknownNameError("key", key, known)))

    def table(self, table: Mapping[str, Any], key: str, path: Path = ()) -> Mapping[str, Any]:
        """Return the table at a key.

        Args:
            table: the table.
            key: the key of the value.
            path: the path of the table.

        Returns:
            The table; {} if there is none, or if something else is there, which is a fault.
        """
        found = table.get(key, {})
        if isinstance(found, Mapping):
            return found
        self.fault_once((*path, key), f"'{key}' is a table of keys: write [{key}] above them.")
        return {}

    def text(self, table: Mapping[str, Any], key: str, path: Path, usual: str = "") -> str:
        """Return the string at a key.

        Args:
            table: the table.
            key: the key of the value.
            path: the path of the table.
            usual: the string if there is none.

        Returns:
            The string; the usual one if something else is there, which is a fault.
        """
        found = table.get(key, usual)
        if isinstance(found, str):
            return found
        self.fault((*path, key), f"'{key}' is written in quotation marks, not {shown(found)}.")
        return usual

    def flag(self, table: Mapping[str, Any], key: str, path: Path) -> bool:
        """Return the truth value at a key.

        Args:
            table: the table.
            key: the key of the value.
            path: the path of the table.

        Returns:
            The value; true if there is none, or if something else is there, which is a fault.
        """
        found = table.get(key, True)
        if isinstance(found, bool):
            return found
        self.fault((*path, key), f"'{key}' is true or false, not {shown(found)}.")
        return True

    def whole(self, value: Any, path: Path, low: int, high: int, usual: int) -> int:
        """Return a whole number in a range.

        Args:
            value: the value that the text has.
            path: the path of its key.
            low: the least number that is accepted.
            high: the largest number that is accepted.
            usual: the number in place of one that is not accepted.

        Returns:
            The number; the usual one if the value is not accepted, which is a fault.
        """
        if isinstance(value, int) and not isinstance(value, bool) and low <= value <= high:
            return value
        name = next(str(part) for part in reversed(path) if isinstance(part, str))
        self.fault(path, f"'{name}' is a whole number from {low} to {high:,}, not {shown(value)}.")
        return usual


_PLACE = re.compile(r"[\w-]+(?: \d+)*(?:\.[\w-]+(?: \d+)*)*")
"""A key as messages name it: 'generator.width', 'chapters 2.parts 1.where'."""


@contextmanager
def placing(text: str, name: str, others: Collection[str] = ()) -> Iterator[None]:
    """Name the line and column of the key of a text that the message of an error begins with.

    Args:
        text: the text, in TOML; '' if there is none.
        name: the name of the text, which the message may begin with and which it begins with afterwards.
        others: keys whose values are not those of the text, such as 'generator.width'.
    """
    try:
        yield
    except EpcgError as error:
        said = str(error).removeprefix(f"{name}: ").removeprefix(f"{name}.")
        path = _path_in(text, said, others)
        unknown = re.match(r"unknown key '([^']*)'", said)
        if path is None and unknown and unknown[1] in {key.partition(".")[0] for key in others}:
            error.args = (f"The setting {unknown[1]}: {said}", *error.args[1:])  # it is not in the text
        if path is not None:
            line, column = Places(text).of(path)
            error.args = (f"{name}, line {line}, column {column}: {said}", *error.args[1:])
        raise


def _path_in(text: str, said: str, others: Collection[str]) -> Path | None:
    """Return the path of the key that a message begins with; None if the text has no such key."""
    named = _PLACE.match(said)
    unknown = re.search(r"unknown key '([^']*)'", said) or re.match(r"'([\w-]+)' must ", said)
    whole = path_of(named[0]) if named else ()
    given = [tuple(int(part) if part.isdecimal() else part for part in key.split(".")) for key in others]
    if not text or any(whole[: len(key)] == key for key in given):
        return None
    ends = (": ", " is ", " = ", " has ")
    path = path_of(named[0]) if named and said[named.end() :].startswith(ends) else ()
    if unknown is not None and (path or said.startswith(("unknown key", "'"))):
        path = (*path, unknown[1])
    places = Places(text)
    return next((known for known in (path, (*path, 0)) if path and places.has(known)), None)


def path_of(name: str) -> Path:
    """Return the path of a key as messages name it: ("select", 0, "count") of 'select 1.count'."""
    parts = re.findall(r" (\d+)|([\w-]+)", name)
    return tuple(int(number) - 1 if number else key for number, key in parts)


def parsed(text: str) -> tuple[dict[str, Any], tuple[Fault, ...]]:
    """Return the tables of a TOML text and its faults: {} and one fault if it is not TOML."""
    try:
        return documents.parse_toml(text, "The text", EpcgError), ()
    except EpcgError as error:
        return {}, (toml_fault(str(error), text),)


def toml_fault(said: str, text: str) -> Fault:
    """Return the fault of a text that is not TOML, with the place that the parser names."""
    value = re.match(r"The text: ([\w-]+(?: \d+)*(?:\.[\w-]+(?: \d+)*)*): ", said)
    if value is not None:
        at = Places(text).of(path_of(value[1]))
        return Fault(at[0], sentence(EpcgError(said[value.end() :])), column=at[1])
    place = re.search(r" \(at line (\d+), column (\d+)\)", said)
    if "(at end of document)" in said:
        lines = text.rstrip("\n").split("\n")
        return Fault(len(lines), said, column=len(lines[-1]) + 1)
    if place is None:
        line = re.search(r"line (\d+)", said)
        return Fault(int(line[1]) if line else 1, said)
    return Fault(int(place[1]), said.replace(place[0], ""), column=int(place[2]))


def shown(value: Any) -> str:
    """Return a value as TOML writes it, cut where it is long."""
    text: str = toml_text(value) if isinstance(value, (str, int, float, bool, list)) else "a table"
    return text if len(text) <= 60 else f"{text[:57]}..."


def sentence(error: EpcgError) -> str:
    """Return the message of an error with a capital letter."""
    said = str(error)
    return said[:1].upper() + said[1:]

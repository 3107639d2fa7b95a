"""Where the keys of a TOML text stand, so that a fault can name its line and column."""

from __future__ import annotations

import re
from collections.abc import Iterator

Path = tuple[str | int, ...]
"""("pieces", 2, "drawing") is the key `drawing` of the third table of the array `pieces`."""

_HEADER = re.compile(r"\s*(\[\[?)\s*([^\[\]]+?)\s*\]\]?\s*(#.*)?$")
_NAME = r"""(?:"[^"]*"|'[^']*'|[A-Za-z0-9_-]+)"""
_NAMES = re.compile(_NAME)
_KEY = re.compile(rf"\s*({_NAME}(?:\s*\.\s*{_NAME})*)\s*=\s*")
_LONG = ('"""', "'''")


class Places:
    """The places of the tables and keys of a TOML text; of nested inline tables only the outermost key."""

    def __init__(self, text: str) -> None:
        self._found: dict[Path, tuple[int, int]] = {(): (1, 1)}
        self._values: dict[Path, tuple[int, int]] = {}
        for path, line, column, value in _keys(text):
            for length in range(1, len(path) + 1):  # [board.wants] is a place of the board, too
                self._found.setdefault(path[:length], (line, column))
            self._values.setdefault(path, (line, value))
        self._lines = text.split("\n")

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

"""Traces of play: files of play pages brought in.

A file holds what one player did, and may be forged: its puzzles are named, not built.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import attrs

from epcg_core.inside import ACTIONS, StoreError, Trace, TracedAction, append_traces
from epcg_core.plugin import Store, documents

FORMAT, VERSIONS = "epcg-traces", (1, 2)
"""Version 2 has every action with its time; 1 only counts them."""
MOST_BYTES = 16_000_000
MOST_PUZZLES = 10_000
MOST_COUNT = 10**7
MOST_SECONDS = 10**7
LONGEST_PUZZLE = 100_000
MOST_ACTIONS = 20_000
"""A page keeps so many actions of a puzzle, and counts further ones."""
LONGEST_ACTION = 1000

_PUZZLE = re.compile(r"[a-z][a-z0-9_-]*:[^#\n]+#(0|[1-9][0-9]{0,18})")
_COUNTS = ("moves", "undos", "restarts", "hints")
_KEYS = {"puzzle", "seconds", *_COUNTS, "solution", "finished", "rating"}


@attrs.frozen
class Received:
    """The result of reading files."""

    new: int
    seen: int
    """Traces that were recorded before, or stood twice in the files."""
    players: int
    puzzles: int
    unknown: int
    """Puzzles of spaces that the database does not hold."""


def import_traces(store: Store, paths: Sequence[Path]) -> Received:
    """Append the traces of some files, and of those in folders: all of them, or none if one is at fault.

    Raises StoreError if a file is at fault, or a folder has none.
    """
    files = [file for path in paths for file in _files(path)]
    found = [trace for path in files for trace in read(path)]
    with store.transaction() as connection:
        new = append_traces(connection, found)
        spaces = set(connection.exec_driver_sql("SELECT name FROM space").scalars())
    return Received(
        new,
        len(found) - new,
        len({trace.player for trace in found}),
        len({trace.puzzle for trace in found}),
        len({trace.puzzle for trace in found if trace.space not in spaces}),
    )


def _files(path: Path) -> list[Path]:
    """Return a file itself, or the files *.json of a folder."""
    if not path.is_dir():
        return [path]
    found = sorted(path.glob("*.json"))
    if not found:
        raise StoreError(f"The folder '{path}' has no files *.json, as play pages save them.")
    return found


def read(path: Path) -> list[Trace]:
    """Read a file of traces. Raises StoreError, which says what is wrong with it, and where."""
    where = f"The file of traces '{path}'"
    text = documents.read_text(path, "file of traces", StoreError, MOST_BYTES)
    return traces_of(documents.parse_json(text, where, StoreError), where)


def traces_of(data: Any, where: str) -> list[Trace]:
    """Read the data of a file of traces; `where` begins every message. Raises StoreError."""
    if not isinstance(data, dict) or data.get("format") != FORMAT:
        raise StoreError(f'{where}: this is not a file of a play page; its "format" would be "{FORMAT}".')
    version = data.get("version")
    if type(version) is not int or version not in VERSIONS:
        raise StoreError(
            f"{where}: version {_short(data.get('version'))} is not known: install a newer EPCG."
        )
    player = data.get("player")
    if not isinstance(player, str) or not re.fullmatch(r"[0-9a-f]{8,64}", player):
        raise StoreError(f'{where}: "player" is not a number of 8 to 64 hexadecimal digits.')
    curriculum, puzzles = data.get("curriculum"), data.get("puzzles")
    if not isinstance(curriculum, str) or len(curriculum) > 1000:
        raise StoreError(f'{where}: "curriculum" is not the name of a curriculum.')
    if not isinstance(puzzles, list) or len(puzzles) > MOST_PUZZLES:
        raise StoreError(f'{where}: "puzzles" is not a list of at most {MOST_PUZZLES:,} puzzles.')
    found = [
        _trace(each, player, curriculum, f"{where}, puzzle {n}", version) for n, each in enumerate(puzzles, 1)
    ]
    if len({trace.puzzle for trace in found}) != len(found):
        raise StoreError(f"{where}: a puzzle is there twice.")
    return found


def _trace(data: Any, player: str, curriculum: str, where: str, version: int) -> Trace:
    if not isinstance(data, dict):
        raise StoreError(f"{where}: a table is expected.")
    keys = _KEYS | ({"actions"} if version > 1 else set())
    if data.keys() != keys:
        odd = sorted(data.keys() ^ keys)[0]
        raise StoreError(f'{where}: "{_short(odd)}" is {"not known" if odd in data else "missing"}.')
    puzzle = data["puzzle"]
    if not isinstance(puzzle, str) or len(puzzle) > LONGEST_PUZZLE or not _PUZZLE.fullmatch(puzzle):
        raise StoreError(f"{where}: {_short(puzzle)} is not the id of a puzzle.")
    space, _, rank = puzzle.rpartition("#")
    if int(rank) >= 2**63:
        raise StoreError(f"{where}: {_short(puzzle)} is not the id of a puzzle: its rank is too large.")
    for name in _COUNTS:
        if type(data[name]) is not int or not 0 <= data[name] <= MOST_COUNT:
            raise StoreError(f'{where}: "{name}" is not a number from 0 to {MOST_COUNT:,}.')
    for name in ("solution", "finished"):
        if type(data[name]) is not bool:
            raise StoreError(f'{where}: "{name}" is neither true nor false.')
    seconds, rating = data["seconds"], data["rating"]
    if type(seconds) not in (int, float) or not 0 <= seconds <= MOST_SECONDS:
        raise StoreError(f'{where}: "seconds" is not a number from 0 to {MOST_SECONDS:,}.')
    if rating is not None and (type(rating) is not int or not 1 <= rating <= 5):
        raise StoreError(f'{where}: "rating" is neither null nor one of 1 to 5.')
    return Trace(
        player, puzzle, space, int(rank), curriculum, float(seconds), data["moves"], data["undos"],
        data["restarts"], data["hints"], data["solution"], data["finished"], rating,
        _actions(data, where),
    )  # fmt: skip


def _actions(data: Mapping[str, Any], where: str) -> tuple[TracedAction, ...] | None:
    """Read the actions of a puzzle; None if the page only counted them. Raises StoreError."""
    given = data.get("actions")
    if given is None:
        return None
    if not isinstance(given, list) or len(given) > MOST_ACTIONS:
        raise StoreError(f'{where}: "actions" is not a list of at most {MOST_ACTIONS:,} actions.')
    found, before = [], 0
    for number, each in enumerate(given, 1):
        at = f"{where}, action {number}"
        if not isinstance(each, list) or not 2 <= len(each) <= 3:
            raise StoreError(f"{at}: [milliseconds, kind] or [milliseconds, 'move', text] is expected.")
        ms, kind, text = (*each, "")[:3]
        if type(ms) is not int or not 0 <= ms <= 1000 * MOST_SECONDS:
            raise StoreError(f"{at}: {_short(ms)} is not a number of milliseconds.")
        if ms < before:
            raise StoreError(f"{at}: its time is {ms} ms, and that of the action before it {before} ms.")
        if kind not in ACTIONS:
            raise StoreError(f"{at}: {_short(kind)} is not one of {', '.join(ACTIONS)}.")
        if not isinstance(text, str) or len(text) > LONGEST_ACTION or (text and kind != "move"):
            raise StoreError(f"{at}: its text is not that of a move.")
        found.append(TracedAction(ms, kind, text))
        before = ms
    if before > 1000 * data["seconds"] + 1:
        raise StoreError(
            f"{where}: its last action is at {before} ms, and the time of all is {data['seconds']} seconds."
        )
    for kind, name in zip(ACTIONS, _COUNTS, strict=False):
        number = sum(each.kind == kind for each in found)
        if number != data[name] and len(found) < MOST_ACTIONS:
            raise StoreError(f'{where}: "{name}" is {data[name]}, and {number} of the actions are such.')
    return tuple(found)


def _short(value: Any) -> str:
    text = str(value)
    return repr(text if len(text) < 60 else f"{text[:56]} ...")

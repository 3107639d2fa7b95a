"""Surveys as files, and the rows in which two of them differ."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from epcg_core.plugin import EpcgError, documents
from epcg_puzzlescript.commands.survey_levels import EXPANSIONS, SECONDS, Limits
from epcg_puzzlescript.commands.survey_rows import Row

FORMAT = 1
Change = tuple[str, str, str, str]
"""The file, what differs, and the old and the new value in words."""

_FACTS = (
    "outcome", "reason", "title", "author", "levels", "objects", "layers", "rules", "elementary_rules",
    "conditions", "engine", "notes", "errors", "warnings",
)  # fmt: skip
"""The values of a row that are compared as they are; what was not read is among the notes."""


def as_document(rows: Sequence[Row], limits: Limits | None, total: int) -> dict[str, Any]:
    """Return a survey as one JSON document.

    Args:
        rows: the rows.
        limits: those of the searches; None if nothing was searched.
        total: the number of files; more than rows if the survey was interrupted.
    """
    searched = None if limits is None else {"expansions": limits.expansions, "seconds": limits.seconds}
    return {"survey": FORMAT, "limits": searched, "files": total, "games": list(rows)}


def read_survey(path: Path) -> dict[str, Any]:
    """Return the document of a survey. Raises EpcgError if the file is not one."""
    data = documents.parse_json(documents.read_bytes(path, "survey"), f"The survey '{path}'")
    if not (isinstance(data, dict) and data.get("survey") == FORMAT and _is_survey(data)):
        raise EpcgError(
            f"'{path}' is not a survey; `epcg puzzlescript survey FOLDER --json FILE` writes one."
        )
    return data


def _is_survey(data: Mapping[str, Any]) -> bool:
    """Return whether a document has what comparisons look at."""
    games, limits = data.get("games"), data.get("limits")
    return (
        isinstance(games, list)
        and isinstance(data.get("files"), int)
        and "limits" in data and (limits is None or isinstance(limits, dict))
        and all(
            isinstance(row, dict) and isinstance(row.get("file"), str)
            and _are(row.get("faults"), "form", str) and _are(row.get("solved", []), "level", int)
            for row in games
        )
    )  # fmt: skip


def _are(found: object, key: str, kind: type) -> bool:
    return isinstance(found, list) and all(
        isinstance(each, dict) and isinstance(each.get(key), kind) for each in found
    )


def changes(old: Mapping[str, Any], new: Mapping[str, Any]) -> Iterator[Change]:
    """Yield the differences of two documents, game by game in the order of the new one, then the old.

    Games that an interrupted survey did not reach are left out. Levels are compared if both surveys searched
    them; if their limits differ, those that reached a limit are left out.
    """
    before = {row["file"]: row for row in old["games"]}
    after = {row["file"]: row for row in new["games"]}
    same_limits = old["limits"] == new["limits"]
    for name, row in after.items():
        if name in before:
            yield from ((name, *change) for change in _row_changes(before[name], row, same_limits))
        elif len(before) == old["files"]:
            yield name, "file", "", "new"
    if len(after) == new["files"]:
        yield from ((name, "file", "there", "") for name in before if name not in after)


def _row_changes(old: Row, new: Row, same_limits: bool) -> Iterator[tuple[str, str, str]]:
    if old.get("sha256") != new.get("sha256"):
        yield "text", str(old.get("sha256"))[:8], str(new.get("sha256"))[:8]
    for key in _FACTS:
        if old.get(key) != new.get(key):
            yield key.replace("_", " "), _words(old.get(key)), _words(new.get(key))
    faults = [{kind["form"]: kind for kind in row["faults"]} for row in (old, new)]
    for form in dict.fromkeys([*faults[0], *faults[1]]):
        before, after = (found.get(form) for found in faults)
        if before != after:
            yield f"fault: {form}", _fault(before), _fault(after)
    if "solved" in old and "solved" in new:
        levels = [{level["level"]: level for level in row["solved"]} for row in (old, new)]
        for number in dict.fromkeys([*levels[0], *levels[1]]):
            was, now = (found.get(number, {}) for found in levels)
            limited = any(level.get("outcome") in (EXPANSIONS, SECONDS) for level in (was, now))
            if _compared(was) != _compared(now) and (same_limits or not limited):
                yield f"level {number}", _level(was), _level(now)


def _compared(level: Mapping[str, Any]) -> dict[str, Any]:
    """Return a level's row without the time that its search took."""
    return {name: value for name, value in level.items() if name != "cpu_seconds"}


def _words(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, list):
        sized = all(isinstance(item, list) and len(item) == 2 for item in value)
        return ", ".join(f"{item[0]} by {item[1]}" if sized else str(item) for item in value)
    return str(value)


def _fault(kind: Mapping[str, Any] | None) -> str:
    if kind is None:
        return "0"
    return f"{kind.get('count')} (errors {kind.get('errors')}, warnings {kind.get('warnings')})"


def _level(level: Mapping[str, Any]) -> str:
    """Return in words what became of a level."""
    names = ("moves", "lucky_moves", "sure_moves", "win_chance", "expansions")
    said = [f"{name.replace('_', ' ')} {level[name]}" for name in names if name in level]
    said += [str(level["reason"])] if "reason" in level else []
    return str(level.get("outcome", "")) + (f" ({', '.join(said)})" if said else "")

"""Rows of a survey: what each game is, its faults by kind, and what becomes of its levels."""

from __future__ import annotations

import hashlib
import os
import re
from collections import Counter
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from epcg_core.plugin import WHOLE, EpcgError, format_exception
from epcg_puzzlescript.commands.info import facts
from epcg_puzzlescript.commands.survey_levels import (
    AS_READ,
    CHANCES,
    FAILED,
    IN_PART,
    OUTCOMES,
    PROOF,
    UNSOLVABLE,
    Limits,
    solved,
    standing,
)
from epcg_puzzlescript.formats.files import SUFFIXES, natural
from epcg_puzzlescript.formats.found import is_game
from epcg_puzzlescript.language.files import read_text
from epcg_puzzlescript.language.game import Game, parse_game
from epcg_puzzlescript.language.problems import GameError, Problem
from epcg_puzzlescript.rules.model import PuzzleScriptModel

if TYPE_CHECKING:
    from epcg_puzzlescript.commands.survey_store import Kept

Row = dict[str, Any]
"""A row as JSON has it (see `row_of`)."""

READ, REFUSED, NOT_A_GAME = "read", "refused", "not a game"
"""The outcomes of a file, beside FAILED: a mistake in EPCG, whatever the file holds."""

_QUOTED = re.compile(r"(?<![^\s(])'.*?'(?![^\s.,;:!?)])", re.DOTALL)
_NUMBER = re.compile(r"\d+(?:,\d{3})*")


def survey_files(place: Path) -> list[tuple[str, Path]]:
    """Return the names and paths of all files of games in a folder and below it, in the order of their names.

    A name is the path from the folder on, with '/'. Folders whose names begin with '.' are passed over, and
    links to folders are not followed. A file is returned alone, whatever its ending.

    Raises:
        EpcgError: `place` does not exist, a folder cannot be listed, or there is no file of a game.
    """
    if place.is_file():
        return [(_shown(place.name), place)]
    if not place.is_dir():
        raise EpcgError(f"There is no folder '{place}'; name one that has games in it.")
    found = []
    for folder, inner, names in os.walk(place, onerror=_refuse):
        inner[:] = [name for name in inner if not name.startswith(".")]
        paths = (Path(folder) / name for name in names if Path(name).suffix.lower() in SUFFIXES)
        found += [(_shown(path.relative_to(place).as_posix()), path) for path in paths]
    if not found:
        raise EpcgError(f"There is no game in '{place}' or below it: no {' and no '.join(SUFFIXES)} file.")
    return sorted(found, key=lambda named: [natural(part) for part in named[0].split("/")])


def _refuse(error: OSError) -> None:
    raise EpcgError(f"The folder {error.filename} cannot be listed: {error.strerror}.") from error


def _shown(name: str) -> str:
    """Return a name as text, because that of a file may hold any bytes."""
    return os.fsencode(name).decode("utf-8", "replace")


def row_of(
    name: str,
    path: Path,
    limits: Limits | None = None,
    drawing: Callable[[Game], None] | None = None,
    kept: Kept | None = None,
) -> Row:
    """Return the row of a file. Faults of the file, and mistakes in EPCG, become the row's reason.

    A row has `file`, `outcome` (one of READ, REFUSED, NOT_A_GAME, FAILED), `reason` (a sentence, '' if it was
    read), `sha256` of the text ('' if it cannot be read), `errors` and `warnings` as the reference engine
    counts them, and `faults`: for each kind its `form`, `count`, `errors` and `warnings`. The row of a game
    that was read has the facts of `epcg puzzlescript info --json`, too, `answers`, what can be said of each
    level (see `standing`), and, if limits are given, `solved`, what was found of each (see `solved`).

    Args:
        name: the file's name in the survey.
        path: the file.
        limits: what the search of a level may take; None to search nothing.
        drawing: is called with the game that was read.
        kept: keeps rows as they are found, and has those of earlier surveys; None to keep none.
    """
    row: Row = {"file": name, "outcome": NOT_A_GAME, "reason": "", "sha256": ""}
    row |= {"errors": 0, "warnings": 0, "faults": []}
    game = None
    try:
        text = read_text(path)
        row["sha256"] = hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
        game = parse_game(text)
        model = PuzzleScriptModel()
        row |= facts(game, path) | {"file": name, "faults": kinds(game.problems), "outcome": READ}
        row["answers"] = [standing(game, number, model) for number in range(len(game.maps))]
        if drawing is not None:
            drawing(game)
    except GameError as error:
        if not row["sha256"]:
            row["reason"] = str(error).replace(str(path), name)
        elif is_game(text):
            row |= {"outcome": REFUSED, "reason": _reason(error), "faults": kinds(error.problems)}
            row["errors"] = sum(problem.errors for problem in error.problems)
            row["warnings"] = sum(problem.warnings for problem in error.problems)
        else:
            row["reason"] = "OBJECTS, COLLISIONLAYERS and LEVELS are not there; each game has them."
    except Exception as error:  # of one file; the others are to be looked at all the same
        row |= {"outcome": FAILED, "reason": f"a mistake in EPCG: {format_exception(error)}"}
    known = {} if kept is None else kept.begin(row, row.get("answers", []))
    if game is not None and limits is not None and row["outcome"] == READ:
        row["solved"] = solved(game, limits, known, None if kept is None else kept.found)
    return row


def _reason(error: GameError) -> str:
    """Return why a game was refused: the faults without which it would be played."""
    fatal = [str(problem) for problem in error.problems if problem.fatal]
    return " ".join(" ".join(fatal or [str(error)]).split())


def kinds(problems: Iterable[Problem]) -> list[dict[str, Any]]:
    """Return the kinds of faults, the most frequent first: form, count, errors, warnings."""
    found: dict[str, dict[str, Any]] = {}
    for problem in problems:
        form = form_of(problem.sentence)
        kind = found.setdefault(form, {"form": form, "count": 0, "errors": 0, "warnings": 0})
        kind["count"] += 1
        kind["errors"] += problem.errors
        kind["warnings"] += problem.warnings
    return sorted(found.values(), key=lambda kind: (-kind["count"], kind["form"]))


def form_of(sentence: str) -> str:
    """Return a sentence without what it quotes and counts, so that faults of one kind are alike."""
    return _NUMBER.sub("N", _QUOTED.sub("'...'", sentence))


def counts_of(row: Row) -> str:
    """Return in words what became of a row's levels: '3 solved, 1 no solution'; '' if none was searched."""
    pairs = zip(row.get("solved", ()), row.get("answers", ()), strict=False)
    found = [_outcome(level, told) for level, told in pairs]
    return ", ".join(f"{count} {words}" for words, count in sorted(Counter(found).items(), key=_order))


def _outcome(found: Row, told: Row) -> str:
    """Return the outcome of a search; that there is no solution only with what keeps it from a proof."""
    if found["outcome"] != UNSOLVABLE:
        return str(found["outcome"])
    return f"{UNSOLVABLE}, {told['but']}" if told["standing"] in (AS_READ, IN_PART) else _NO_SOLUTION


_NO_SOLUTION = WHOLE.proven(UNSOLVABLE)


def _order(counted: tuple[str, int]) -> tuple[int, str]:
    words = counted[0]
    return next(number for number, each in enumerate(OUTCOMES) if words.startswith(each)), words


def share(rows: Iterable[Row]) -> list[tuple[str, int, int]]:
    """Return for how many games and levels an answer can be proven, and what keeps it from the others.

    Each row is (what can be said, games, levels). A game counts where its levels stand worst, and a game that
    is refused by the reference engine, too, under that: the answer about it is true. Files that are no games
    do not count.
    """
    games: Counter[str] = Counter()
    levels: Counter[str] = Counter()
    for row in rows:
        if row["outcome"] in (REFUSED, FAILED):
            games[_REFUSED if row["outcome"] == REFUSED else FAILED] += 1
        elif row["outcome"] == READ:
            kinds = [_kind(level) for level in row["answers"]]
            levels.update(kinds)
            games[max(kinds, key=_worse)] += 1
    order = sorted({*games, *levels}, key=_worse)
    return [(kind, games[kind], levels[kind]) for kind in order]


_REFUSED = "refused, as by PuzzleScript itself"
CERTAIN = (PROOF, CHANCES)
"""Of the kinds of `share` those in which an answer can be proven."""


def _kind(level: Row) -> str:
    """Return what can be said of a level: its standing, and the kind of what keeps it from a proof."""
    standing, but = level["standing"], level["but"]
    if standing == AS_READ:
        slips = dict.fromkeys(re.findall("(rule)s? (left out)|(line)s? (read in part)", but))
        return f"{AS_READ}: {' and '.join(' '.join(filter(None, words)) for words in slips)}"
    return str(but) if standing == IN_PART else str(standing)


def _worse(kind: str) -> tuple[int, str]:
    firsts = (PROOF, CHANCES, AS_READ, "without", _REFUSED, FAILED)
    return next(number for number, each in enumerate(firsts) if kind.startswith(each)), kind


def all_kinds(rows: Iterable[Row]) -> list[dict[str, Any]]:
    """Return the kinds of faults of several rows, with the number of games that have them."""
    found: dict[str, dict[str, Any]] = {}
    for row in rows:
        for kind in row["faults"]:
            blank = {"form": kind["form"], "games": 0, "count": 0, "errors": 0, "warnings": 0}
            total = found.setdefault(kind["form"], blank)
            total["games"] += 1
            for name in ("count", "errors", "warnings"):
                total[name] += kind[name]
    return sorted(found.values(), key=lambda kind: (-kind["games"], -kind["count"], kind["form"]))

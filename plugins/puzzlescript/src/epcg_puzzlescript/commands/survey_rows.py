"""Rows of a survey: what each game is, its faults by kind, and which of its levels are solved."""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import attrs

from epcg_core.plugin import Apart, EpcgError, Reading, TimeUpError, format_exception, shortest_path
from epcg_puzzlescript.commands.info import facts
from epcg_puzzlescript.formats.files import SUFFIXES, natural, shipped_games
from epcg_puzzlescript.formats.found import is_game
from epcg_puzzlescript.formats.text import level_of
from epcg_puzzlescript.language.files import read_text
from epcg_puzzlescript.language.game import Game, parse_game
from epcg_puzzlescript.language.problems import GameError, Problem
from epcg_puzzlescript.rules.model import PuzzleScriptModel
from epcg_puzzlescript.rules.turn import EndlessError, RandomError

Row = dict[str, Any]
"""A row as JSON has it (see `row_of`)."""

READ, REFUSED, NOT_A_GAME, FAILED = "read", "refused", "not a game", "failed"
"""The outcomes of a file. FAILED: a mistake in EPCG, whatever the file holds."""

SOLVED, UNSOLVABLE = "solved", "no solution"
EXPANSIONS, SECONDS = "limit of expansions", "limit of seconds"
ENDLESS, DRAWS, UNPLAYABLE = "does not come to rest", "draws random numbers", "cannot be played"
OUTCOMES = (SOLVED, UNSOLVABLE, EXPANSIONS, SECONDS, ENDLESS, DRAWS, UNPLAYABLE, FAILED)
"""The outcomes of a level."""

_QUOTED = re.compile(r"(?<![^\s(])'.*?'(?![^\s.,;:!?)])", re.DOTALL)
_NUMBER = re.compile(r"\d+(?:,\d{3})*")


@attrs.frozen
class Limits:
    """The limits of the search of a level."""

    expansions: int
    seconds: float
    """CPU seconds; they are not counted on systems other than Linux."""


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
    name: str, path: Path, limits: Limits | None = None, drawing: Callable[[Game], None] | None = None
) -> Row:
    """Return the row of a file. Faults of the file, and mistakes in EPCG, become the row's reason.

    A row has `file`, `outcome` (one of READ, REFUSED, NOT_A_GAME, FAILED), `reason` (a sentence, '' if it was
    read), `sha256` of the text ('' if it cannot be read), `errors` and `warnings` as the reference engine
    counts them, and `faults`: for each kind its `form`, `count`, `errors` and `warnings`. The row of a game
    that was read has the facts of `epcg puzzlescript info --json`, too, and, if limits are given, `solved`: a
    table for each level with `level` (from 1), `outcome` (one of OUTCOMES), and `moves`, `expansions` and
    `reason` if there are any.

    Args:
        name: the file's name in the survey.
        path: the file.
        limits: what the search of a level may take; None to search nothing.
        drawing: is called with the game that was read.
    """
    row: Row = {"file": name, "outcome": NOT_A_GAME, "reason": "", "sha256": ""}
    row |= {"errors": 0, "warnings": 0, "faults": []}
    try:
        text = read_text(path)
        row["sha256"] = hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
        game = parse_game(text)
        row |= facts(game, path) | {"file": name, "faults": kinds(game.problems), "outcome": READ}
        if drawing is not None:
            drawing(game)
        if limits is not None:
            row["solved"] = solved(game, limits)
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


def solved(game: Game, limits: Limits) -> list[dict[str, Any]]:
    """Return what becomes of each level of a game when it is searched within limits (see `row_of`)."""
    numbers = range(len(game.maps))
    model = PuzzleScriptModel()
    with Apart[int, dict[str, Any]](lambda number: _search(model, game, number, limits.expansions)) as search:
        return [{"level": number + 1, **_in_time(search, number, limits.seconds)} for number in numbers]


def _in_time(search: Apart[int, dict[str, Any]], number: int, seconds: float) -> dict[str, Any]:
    try:
        return search(number, seconds)
    except TimeUpError:
        return {"outcome": SECONDS}
    except EpcgError as error:  # the process ended, or there is a mistake in EPCG
        return {"outcome": FAILED, "reason": str(error)}


def _search(model: PuzzleScriptModel, game: Game, number: int, limit: int) -> dict[str, Any]:
    try:
        found = shortest_path(model, level_of(game, number), limit)
    except RandomError:
        return {"outcome": DRAWS}
    except EndlessError:
        return {"outcome": ENDLESS}
    except GameError as error:
        return {"outcome": UNPLAYABLE, "reason": str(error)}
    if found.length is not None:
        return {"outcome": SOLVED, "moves": found.length, "expansions": found.expansions}
    return {"outcome": EXPANSIONS if found.limit_reached else UNSOLVABLE, "expansions": found.expansions}


def load_kernels() -> None:
    """Load what all searches share, so that no level's CPU seconds pay for it."""
    for path in shipped_games()[:1]:
        shortest_path(PuzzleScriptModel(), level_of(parse_game(read_text(path)), 0), 100)


def counts_of(row: Row) -> str:
    """Return in words what became of a row's levels: '3 solved, 1 no solution'; '' if none was searched."""
    found = [level["outcome"] for level in row.get("solved", ())]
    reading = Reading("", row.get("unread") or "", row.get("unsearched") or ())
    words = {UNSOLVABLE: reading.proven(UNSOLVABLE)}
    return ", ".join(
        f"{found.count(outcome)} {words.get(outcome, outcome)}" for outcome in OUTCOMES if outcome in found
    )


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

"""What can be said of each level of a game, and what a search of it within limits finds."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from typing import Any

import attrs

from epcg_core.plugin import Apart, EpcgError, LimitReachedError, TimeUpError, shortest_path
from epcg_puzzlescript.commands.info import engine_of_level
from epcg_puzzlescript.evaluation.chance import process_of
from epcg_puzzlescript.formats.text import level_of
from epcg_puzzlescript.language.game import Game
from epcg_puzzlescript.language.problems import GameError
from epcg_puzzlescript.metrics import CHANCE
from epcg_puzzlescript.params import ChanceParams
from epcg_puzzlescript.rules.level import Level
from epcg_puzzlescript.rules.model import PuzzleScriptModel
from epcg_puzzlescript.rules.turn import EndlessError

LevelRow = dict[str, Any]
"""A level as JSON has it (see `standing` and `solved`)."""

SOLVED, UNSOLVABLE, BY_CHANCE = "solved", "no solution", "by chance"
EXPANSIONS, SECONDS = "limit of expansions", "limit of seconds"
ENDLESS, UNPLAYABLE, FAILED = "does not come to rest", "cannot be played", "failed"
OUTCOMES = (SOLVED, UNSOLVABLE, BY_CHANCE, EXPANSIONS, SECONDS, ENDLESS, UNPLAYABLE, FAILED)
"""The outcomes of a search. BY_CHANCE: all draws were tried; FAILED: a mistake in EPCG."""

PROOF, CHANCES, AS_READ, IN_PART = "proof", "by chance", "as read", "in part"
STANDINGS = (PROOF, CHANCES, AS_READ, IN_PART)
"""What a whole search of a level makes sure: a proof; a proof about all draws; an answer about the game as it
was read; one without what searches leave out."""


@attrs.frozen
class Limits:
    """The limits of the search of a level."""

    expansions: int
    seconds: float
    """CPU seconds; they are not counted on systems other than Linux."""


def standing_of(level: Level) -> tuple[str, str]:
    """Return what a whole search of a level makes sure, one of STANDINGS, and what keeps it from a proof."""
    reading, draws = level.reading, level.searched.game.draws
    if draws:  # all draws are tried
        left = tuple(reason for reason in reading.unsearched if reason != CHANCE)
        reading = attrs.evolve(reading, unsearched=left)
    if reading.unread:
        return AS_READ, str(reading)
    return (IN_PART, str(reading)) if reading.unsearched else (CHANCES if draws else PROOF, "")


def standing(game: Game, number: int, model: PuzzleScriptModel) -> LevelRow:
    """Return what can be said of a level before it is searched.

    The row has `level` (from 1), `width`, `height`, `standing` (one of STANDINGS), `but` (what keeps it
    from a proof, in words, '' for none), `engine` and `engine_why`.
    """
    level = level_of(game, number)
    engine, why = engine_of_level(level, model)
    sure, but = standing_of(level)
    return {
        "level": number + 1, "width": level.width, "height": level.height, "standing": sure, "but": but,
        "engine": engine, "engine_why": why,
    }  # fmt: skip


def solved(
    game: Game,
    limits: Limits,
    known: Mapping[int, LevelRow] | None = None,
    note: Callable[[LevelRow], None] | None = None,
) -> list[LevelRow]:
    """Return what becomes of each level of a game when it is searched within limits.

    A row has `level` (from 1), `outcome` (one of OUTCOMES), `cpu_seconds`, and of `moves`, `expansions`,
    `reason`, `lucky_moves`, `sure_moves` and `win_chance` those that there are.

    Args:
        game: the game.
        limits: what each search may take.
        known: rows that were found before, by the level's number from 1; these levels are not searched.
        note: is called with each new row.
    """
    known = known or {}
    model = PuzzleScriptModel()
    rows = []
    with Apart[int, LevelRow](lambda number: _search(model, game, number, limits.expansions)) as search:
        for number in range(len(game.maps)):
            row = known.get(number + 1)
            if row is None:
                row = {"level": number + 1, **_in_time(search, number, limits.seconds)}
                if note is not None:
                    note(row)
            rows.append(row)
    return rows


def _in_time(search: Apart[int, LevelRow], number: int, seconds: float) -> LevelRow:
    try:
        return search(number, seconds)
    except TimeUpError:
        return {"outcome": SECONDS, "cpu_seconds": seconds}
    except EpcgError as error:  # the process ended, or there is a mistake in EPCG
        return {"outcome": FAILED, "reason": str(error)}


def _search(model: PuzzleScriptModel, game: Game, number: int, limit: int) -> LevelRow:
    begun = time.process_time()
    level = level_of(game, number)
    try:
        found = _by_chance(level, limit) if level.searched.game.draws else _shortest(model, level, limit)
    except EndlessError:
        found = {"outcome": ENDLESS}
    except GameError as error:
        found = {"outcome": UNPLAYABLE, "reason": str(error)}
    return found | {"cpu_seconds": round(time.process_time() - begun, 3)}


def _shortest(model: PuzzleScriptModel, level: Level, limit: int) -> LevelRow:
    found = shortest_path(model, level, limit)
    if found.length is not None:
        return {"outcome": SOLVED, "moves": found.length, "expansions": found.expansions}
    return {"outcome": EXPANSIONS if found.limit_reached else UNSOLVABLE, "expansions": found.expansions}


def _by_chance(level: Level, limit: int) -> LevelRow:
    usual = ChanceParams()
    try:
        found = process_of(level, max(1, min(limit, usual.limit)), usual.draws)
        lucky, sure = found.lucky(), found.sure()
        measured = {"win_chance": found.chance(), "expansions": len(found.won)}
    except LimitReachedError as error:
        if isinstance(error, EndlessError):
            raise
        return {"outcome": EXPANSIONS, "reason": str(error)}
    if lucky is None:
        return {"outcome": UNSOLVABLE} | measured
    moves = {"lucky_moves": lucky} | ({"sure_moves": sure} if sure is not None else {})
    return {"outcome": BY_CHANCE} | moves | measured


def load_kernels(level: Level) -> None:
    """Load what all searches share, so that no level's CPU seconds pay for it."""
    shortest_path(PuzzleScriptModel(), level, 100)


def is_answered(row: LevelRow) -> bool:
    """Return whether a search of a level was finished."""
    return row.get("outcome") in (SOLVED, UNSOLVABLE, BY_CHANCE)


def words_of(row: LevelRow) -> str:
    """Return what was found of a level in words: 'solvable in 12 moves', 'no solution'."""
    outcome = row.get("outcome", "")
    if outcome == SOLVED:
        return f"solvable in {_moves(row['moves'])}"
    if outcome == BY_CHANCE:
        sure = f", {_moves(row['sure_moves'])} whatever is drawn" if "sure_moves" in row else ""
        return f"{_moves(row['lucky_moves'])} with luck{sure}, won with a chance of {row['win_chance']:.3g}"
    return str(outcome)


def _moves(count: int) -> str:
    return "1 move" if count == 1 else f"{count:,} moves"

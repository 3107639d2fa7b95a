"""The reference engine's simulations and searches, if they are beside this repository."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from functools import cache
from typing import Any

import attrs
import numpy as np
from epcg_puzzlescript.formats.text import level_of, read_game_text
from epcg_puzzlescript.language.elementary import Rule
from epcg_puzzlescript.language.game import Game, RuleList, parse_game
from epcg_puzzlescript.rules.chance import Chance
from epcg_puzzlescript.rules.level import Level
from epcg_puzzlescript.rules.model import PuzzleScriptModel
from epcg_puzzlescript.rules.plain import PlainEngine
from epcg_puzzlescript.rules.planes import plane_engines
from epcg_puzzlescript.rules.session import Recorded
from epcg_puzzlescript.rules.turn import Engine

from epcg_core.search.shortest_path.positions import PositionTable
from tests.workplace import shared

SIMULATIONS, SEARCHES = 265, 408
MakeEngines = Callable[[Game, Chance], Callable[[int, int], Engine]]


def plain_engines(game: Game, chance: Chance) -> Callable[[int, int], Engine]:
    return lambda width, height: PlainEngine(game, width, height, chance)


ENGINES: dict[str, MakeEngines] = {"plain": plain_engines, "planes": plane_engines}


@cache
def simulations() -> list[dict[str, Any]]:
    """The simulations; skips the test if they are not at hand."""
    found: list[dict[str, Any]] = json.loads(shared("data/puzzlescript/simulations.json").read_text())
    return found


@cache
def searches() -> list[dict[str, Any]]:
    """The searches; skips the test if they are not at hand."""
    found: list[dict[str, Any]] = json.loads(shared("data/puzzlescript/searches.json").read_text())
    return found


def digest(text: str) -> str:
    return hashlib.md5(text.encode(), usedforsecurity=False).hexdigest()[:16]


@cache
def sources() -> dict[str, str]:
    return {digest(record["source"]): record["source"] for record in simulations()}


def level(search: dict[str, Any]) -> Level:
    """The level of a search, without checkpoints, which the recorded searches ignore."""
    game = read_game_text(sources()[search["source_md5"]])
    number = game.maps.index(game.levels[search["level"]])
    return level_of(without_checkpoints(game), number)


def without_checkpoints(game: Game) -> Game:
    if "checkpoint" not in game.commands:
        return game

    def left(rules: RuleList) -> RuleList:
        return attrs.evolve(
            rules, groups=tuple(attrs.evolve(g, rules=tuple(map(rule, g.rules))) for g in rules.groups)
        )

    def rule(found: Rule) -> Rule:
        return attrs.evolve(found, commands=tuple(c for c in found.commands if c != "checkpoint"))

    return attrs.evolve(game, normal=left(game.normal), late=left(game.late))


def first_difference(record: dict[str, Any], make: MakeEngines) -> str:
    """Where play differs from a simulation: the number of the input, or nothing."""
    game = parse_game(record["source"])
    chance = Chance("" if record["seed"] is None else record["seed"])
    play = Recorded(game, make(game, chance), int(record["level"]))
    for number, given in enumerate([None, *record["inputs"]]):
        if given is not None:
            play.give(given)
        if play.level != int(record["levels"][number]):
            return f"input {number}: level {play.level}"
        if digest(play.text()) != record["digests"][number]:
            return f"input {number}: {play.text()}"
    return "" if play.text() == record.get("expected", play.text()) else "the last text"


def layers_of(level: Level, *, layers: int, positions: int) -> tuple[list[int], int | None]:
    """The new positions of each number of inputs, and the inputs of a solution.

    A search goes on while it has fewer layers and not more positions than that.
    """
    model = PuzzleScriptModel()
    packed = model.packed(level)
    table = PositionTable(packed.words)
    table.add(packed.pack(model.initial(level)).reshape(1, -1))
    found, start = [1], 0
    while start < table.count <= positions and len(found) <= layers:
        rows = table.rows(start, table.count)
        start = table.count
        after = packed.successors(rows).positions
        won = packed.solved(after)
        if won.any():
            return found, len(found)
        table.add(np.ascontiguousarray(after[~won]))
        if table.count > start:
            found.append(table.count - start)
    return found, None

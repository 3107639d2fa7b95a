"""People who play as a model says: traces as play pages save them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from epcg_research.players.decisions import Puzzle
from epcg_research.players.models import Model, in_proportion

SECONDS = 1.0
"""The time that every move takes."""


def simulate(
    puzzles: Sequence[Puzzle], model: Model, people: int, most: int = 200, seed: int = 0
) -> list[dict[str, Any]]:
    """Return the traces of some people, each as the JSON of a play page.

    Args:
        puzzles: what they play, in order.
        model: how they choose their moves.
        people: their number.
        most: the moves after which one gives a puzzle up.
        seed: of the choices.
    """
    files = []
    for person in range(people):
        random = np.random.default_rng([seed, person])
        played = [_trace(puzzle, model, random, most) for puzzle in puzzles]
        name = f"{seed % 2**32:08x}{person:08x}"
        files.append(
            {"format": "epcg-traces", "version": 2, "player": name, "curriculum": "simulated",
             "puzzles": played}
        )  # fmt: skip
    return files


def _trace(puzzle: Puzzle, model: Model, random: np.random.Generator, most: int) -> dict[str, Any]:
    positions, way, actions = puzzle.positions, [0], list[list[Any]]()
    moves = restarts = 0
    while moves < most and not positions.goals[way[-1]]:
        here = way[-1]
        at = round(1000 * SECONDS * (len(actions) + 1))
        if not positions.moves(here):
            if len(way) == 1:
                break
            actions.append([at, "restart"])
            way, restarts = [0], restarts + 1
            continue
        chances = model.probabilities(positions, here, way[:-1])
        chosen = int(random.choice(len(chances), p=in_proportion(chances.tolist())))
        actions.append([at, "move", positions.words(here)[chosen]])
        way.append(positions.targets(here)[chosen])
        moves += 1
    return {
        "puzzle": puzzle.id, "seconds": len(actions) * SECONDS, "moves": moves, "undos": 0,
        "restarts": restarts, "hints": 0, "solution": False, "finished": positions.goals[way[-1]],
        "rating": None, "actions": actions,
    }  # fmt: skip

"""What a player may look at when choosing a move: numbers for each move of a position, by name.

    solves    1 if the move reaches a goal
    nearer    1 if the nearest goal is nearer after the move
    farther   1 if it is farther
    lost      1 if no goal can be reached after the move, and one could before
    choices   log2(1 + the number of moves that there are after it)
    undoes    1 if the move leads back to the position before this one
    returns   1 if it leads to an earlier position of the way from the start
    ruled_out 1 if the domain's inference rules that the model names exclude the move
    kind:X    1 if the move's text without numbers is X
    own:X     what the domain's transition model calls X (`move_features`)

`undoes` and `returns` look at the way to the position, so no measure can use models with them.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from epcg_core.inside import Inference, choice_of
from epcg_core.plugin import EpcgError
from epcg_research.players.positions import DEAD, UNKNOWN, Positions

OF_GOALS = ("solves", "nearer", "farther", "lost")
OF_THE_WAY = ("undoes", "returns")
RULED_OUT = "ruled_out"
KIND, OWN = "kind:", "own:"
ALWAYS = (*OF_GOALS, "choices")
MOST_KINDS = 8
"""If moves are of more kinds, their kind is not a feature: they name places, not kinds."""
_NUMBERS = re.compile(r"\s*\S*\d\S*")


def kind_of(text: str) -> str:
    """Return a move's text without its words that have digits: 'left' of 'c3 left'."""
    return _NUMBERS.sub("", text).strip()


class Features:
    """The numbers of some features, in order, for the moves of positions."""

    def __init__(self, names: Sequence[str], inference: Inference[Any, Any] | None = None) -> None:
        """Take features by name. Raises EpcgError for one that there is not."""
        for name in names:
            if name not in (*ALWAYS, *OF_THE_WAY, RULED_OUT) and not name.startswith((KIND, OWN)):
                raise EpcgError(f"There is no feature '{name[:80]}' of moves: install a newer EPCG.")
        self.names = tuple(names)
        self.looks_back = any(name in OF_THE_WAY for name in names)
        self._inference = inference or Inference(())
        if inference is not None and inference.looks_back:
            self.looks_back = True

    def of(self, positions: Positions, number: int, way: Sequence[int] = ()) -> NDArray[np.float64]:
        """Return (moves, features) numbers.

        Args:
            positions: the puzzle's.
            number: the position.
            way: the positions that led to it, the start first; a feature of the way is 0 without them.
        """
        targets = positions.targets(number)
        found = np.zeros((len(targets), len(self.names)))
        for column, name in enumerate(self.names):
            found[:, column] = self._column(name, positions, number, targets, way)
        return found

    def _column(
        self, name: str, positions: Positions, number: int, targets: Sequence[int], way: Sequence[int]
    ) -> list[float]:
        if name in OF_GOALS:
            return [float(name == each) for each in outcomes(positions, number)]
        if name == "choices":
            return [math.log2(1 + len(positions.moves(target))) for target in targets]
        if name == "undoes":
            return [float(bool(way) and target == way[-1]) for target in targets]
        if name == "returns":
            return [float(target in way or target == number) for target in targets]
        if name == RULED_OUT:
            left = remaining(self._inference, positions, number, way)
            return [float(bool(left) and move not in left) for move in positions.moves(number)]
        if name.startswith(KIND):
            return [float(kind_of(text) == name.removeprefix(KIND)) for text in positions.words(number)]
        return [own_of(positions, number, move).get(name.removeprefix(OWN), 0.0)
                for move in positions.moves(number)]  # fmt: skip


def outcomes(positions: Positions, number: int) -> list[str]:
    """Return for each move what it does to the distance: one of OF_GOALS, 'level', or '' if unknown."""
    here = positions.distance(number)
    found = []
    for target in positions.targets(number):
        there = positions.distance(target)
        if positions.goals[target]:
            found.append("solves")
        elif UNKNOWN in (here, there) or here == DEAD:
            found.append("")
        elif there == DEAD:
            found.append("lost")
        else:
            found.append("nearer" if there < here else "farther" if there > here else "level")
    return found


def remaining(
    inference: Inference[Any, Any], positions: Positions, number: int, way: Sequence[int] = ()
) -> tuple[Any, ...]:
    """Return the moves of a position that rules leave; none where they contradict each other."""
    step = None
    if way and inference.looks_back:
        before = way[-1]
        moves = [m for m, to in zip(positions.moves(before), positions.targets(before), strict=True)
                 if to == number]  # fmt: skip
        step = (positions.states[before], moves[0]) if moves else None
    return inference.remaining(
        positions.states[number], positions.moves(number), step, choice_of(positions.model)
    ).actions


def own_of(positions: Positions, number: int, move: Any) -> dict[str, float]:
    """Return the domain's own features of a move; none if it has none."""
    told = getattr(positions.model, "move_features", None)
    return {} if told is None else dict(told(positions.states[number], move))


def found_in(places: Iterable[tuple[Positions, int]]) -> list[str]:
    """Return the features of kinds and the domain's own ones that some positions have, sorted."""
    kinds: set[str] = set()
    own: set[str] = set()
    for positions, number in places:
        kinds.update(map(kind_of, positions.words(number)))
        for move in positions.moves(number):
            own.update(own_of(positions, number, move))
    several = kinds if 2 <= len(kinds) <= MOST_KINDS else ()
    return [*(f"{KIND}{kind}" for kind in sorted(several)), *(f"{OWN}{name}" for name in sorted(own))]

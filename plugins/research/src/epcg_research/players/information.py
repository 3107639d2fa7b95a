"""Solution information of a puzzle for a player model: MSI and TSI."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import attrs

from epcg_core.inside import CyclicGraphError, Inference, StoreError, make_scorer, words_of
from epcg_core.plugin import LimitReachedError, StateSpace
from epcg_research.players import files
from epcg_research.players.decisions import Puzzle
from epcg_research.players.models import Rules, made_rules

MOST_STATES = 1_000_000
MEASURES = ("msi", "tsi")


@attrs.frozen
class Information:
    """A measure of a puzzle."""

    measure: str
    player: float | None
    """Bits for the model; None if there is no solution for it, or `note` says why not."""
    uniform: float | None
    """Bits for a player to whom all legal moves are alike."""
    way: tuple[str, ...] = ()
    """The moves of the likeliest solution."""
    note: str = ""


def information(puzzle: Puzzle, path: Path, depth: int | None = None) -> list[Information]:
    """Compute MSI and TSI of a puzzle for a model in a file, and for a uniform player.

    The model 'rules' without slips plays as the evaluator `entropy` does with its rules.

    Args:
        puzzle: the puzzle.
        path: the model's file.
        depth: the moves after which a player gives up; None for no limit.

    Raises:
        EpcgError: if the file is not a model of this domain, or the puzzle has too many positions.
    """
    model = files.load(path, puzzle.generator).model
    inference = Inference[Any, Any](())
    how: dict[str, Any] = {
        "policy": "player", "policy_params": {"model": str(path), "sha256": files.digest(str(path))}
    }  # fmt: skip
    if isinstance(model, Rules) and not model.slip:
        rules = made_rules(puzzle.generator, puzzle.domain, model.rules, model.rule_params)
        inference, how = Inference[Any, Any](rules), {"policy": "uniform"}
    found = []
    for measure in MEASURES:
        bits, ways, note = list[float | None](), list[tuple[str, ...]](), ""
        for params, rules_of in ((how, inference), ({"policy": "uniform"}, Inference[Any, Any](()))):
            space = StateSpace(
                puzzle.positions.model, puzzle.content, rules_of, depth_limit=depth, limit=MOST_STATES
            )
            try:
                told = make_scorer(measure, params, generator=puzzle.generator)(space)
            except CyclicGraphError:
                note = f"{measure}: positions of this puzzle recur, so it needs --depth."
                bits.append(None)
                continue
            except LimitReachedError as error:
                raise StoreError(f"{puzzle.id}: {error} It is too large to be measured.") from error
            bits.append(told.value if told.value < float("inf") else None)
            ways.append(tuple(map(words_of(puzzle.positions.model), told.path)))
        found.append(Information(measure, bits[0], bits[1], ways[0] if ways else (), note))
    return found

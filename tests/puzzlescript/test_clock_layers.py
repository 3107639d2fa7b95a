"""Searches with ticks and restarts have the layers of the reference engine, in plain positions and rows."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import pytest
from epcg_puzzlescript.rules.level import Level, Position
from epcg_puzzlescript.rules.model import PuzzleScriptModel

from tests.puzzlescript.rafts import SEARCHED, level

Steps = Callable[[Position], Iterable[Position]]


def plain_steps(model: PuzzleScriptModel, found: Level) -> Steps:
    return lambda position: [model.apply(position, given) for given in model.actions(position)]


def packed_steps(model: PuzzleScriptModel, found: Level) -> Steps:
    packed = model.packed(found)
    return lambda position: [
        packed.unpack(row) for row in packed.successors(packed.pack(position).reshape(1, -1)).positions
    ]


def kernel_steps(model: PuzzleScriptModel, found: Level) -> Steps:
    packed: Any = model.packed(found)
    if found.game.keeps_checkpoints:
        pytest.skip("the game has no kernel")
    own = packed.kernel.compile()
    return lambda position: [
        packed.unpack(row) for row in packed.by_kernel(own, packed.pack(position).reshape(1, -1)).positions
    ]


def layers(first: Position, steps: Steps) -> tuple[list[int], int | None]:
    """The new boards of each number of inputs, and the inputs of a shortest solution."""
    seen, boards, layer = {first}, {first.cells}, [first]
    found, length = [1], None
    while layer:
        after = {position: None for here in layer for position in steps(here)}
        if length is None and any(position.won for position in after):
            length = len(found)
        layer = [position for position in after if not position.won and position not in seen]
        seen.update(layer)
        found.append(len({position.cells for position in layer} - boards))
        boards.update(position.cells for position in layer)
    while not found[-1]:
        found.pop()
    return found, length


@pytest.mark.sweep(4)
@pytest.mark.parametrize("steps", [plain_steps, packed_steps, kernel_steps])
@pytest.mark.parametrize("name", list(SEARCHED))
def test_the_layers_are_those_of_the_reference(
    name: str, steps: Callable[[PuzzleScriptModel, Level], Steps]
) -> None:
    settings, rules, win, board, expected, length = SEARCHED[name]
    found = level(board, "\n".join(settings), "\n".join(rules), win)
    model = PuzzleScriptModel()
    assert layers(model.initial(found), steps(model, found)) == (expected, length)

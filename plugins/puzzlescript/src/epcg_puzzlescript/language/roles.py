"""Tell by a game's rules and conditions what moves, what is a goal, and whether starts are forgotten."""

from __future__ import annotations

from functools import lru_cache

from epcg_puzzlescript.language.elementary import Replacement
from epcg_puzzlescript.language.game import Game
from epcg_puzzlescript.language.prelude import START_TICK


@lru_cache(maxsize=32)
def moving_bits(game: Game) -> int:
    """Return the objects that the player or a rule moves."""
    layers = [sum(1 << number for number in numbers) for numbers in game.layers]
    found = game.player.bits
    for part in (game.normal, game.late):
        for group in part.groups:
            for rule in group.rules:
                for pattern in rule.patterns:
                    after = pattern.replacement
                    if after is None or not (after.moves_set or after.random_layers):
                        continue
                    named = pattern.required | after.set
                    for mask in pattern.any_of:
                        named |= mask
                    for layer in _moved(after):
                        found |= named & layers[layer]
    return found & ~game.background_layer


def _moved(after: Replacement) -> set[int]:
    """Return the layers in which a replacement moves something: of many layers mostly one."""
    found, moves = set(after.random_layers), after.moves_set
    while moves:
        layer = ((moves & -moves).bit_length() - 1) // 5
        found.add(layer)
        moves &= ~(31 << 5 * layer)
    return found


def unnoticed_bits(game: Game) -> int:
    """Return the objects that no rule looks at, though conditions to win may.

    There are none if rules win, or if ticks follow: then not the position alone tells if a level is won.
    """
    rules = [r for part in (game.normal, game.late) for group in part.groups for r in group.rules]
    if any({"win", "again"} & set(rule.commands) for rule in rules):
        return 0
    looked_at = game.player.bits
    for rule in rules:
        for pattern in rule.patterns:
            looked_at |= pattern.required | pattern.forbidden
            for mask in pattern.any_of:
                looked_at |= mask
            if pattern.replacement is not None:
                looked_at |= pattern.replacement.set | pattern.replacement.clear
    return ((1 << len(game.objects)) - 1) & ~looked_at


def goal_bits(game: Game) -> int:
    """Return the objects that conditions to win name and no rule looks at: targets."""
    named = 0
    for condition in game.conditions:
        named |= condition.what.bits | (condition.on.bits if condition.on else 0)
    return named & unnoticed_bits(game) & ~game.background_layer


def forgets_start(game: Game) -> bool:
    """Return whether what follows from a position does not depend on the level that it came from."""
    return not (game.draws or game.says(START_TICK) or "restart" in game.commands or game.keeps_checkpoints)

"""Games without their random rules, for levels on which these cannot matter.

A random rule does not matter on a level if it can never match there (see `living`), or if it changes only
decoration. The objects of a layer are decoration if no rule but those that change decoration alone looks at
them, if no condition does, and if the player and the background do not lie there: then the rest of the board
goes its way whatever they do, so a search may leave them out. Commands of rules that change decoration could
show in the rest, and ticks of 'again' go on while anything changes: there is no decoration in such games.
"""

from __future__ import annotations

from functools import lru_cache

import attrs

from epcg_puzzlescript.language.elementary import ALL, LAYER_BITS, Pattern, Rule, RuleRow
from epcg_puzzlescript.language.game import Game, RuleList
from epcg_puzzlescript.rules.changes import Changes
from epcg_puzzlescript.rules.living import Living, left

_KEPT = 64
_NAMED = 4


@attrs.frozen
class WithoutChance:
    """A game that draws no random numbers, and plays like another on levels with some objects."""

    game: Game
    decoration: int
    """The mask of the objects that are left out."""
    why: str
    """The reason why random rules do not matter, as a sentence."""


@lru_cache(maxsize=_KEPT)
def without_chance(game: Game, objects: int) -> WithoutChance | None:
    """Return the game without its random rules if they do not matter on levels with a mask of objects.

    Args:
        game: a game that draws random numbers.
        objects: the objects of the levels.

    Returns:
        The game; None if chance may decide.
    """
    living = Living(game)
    life = living.life(objects)
    alive = living.game(life)
    if not alive.draws:
        return WithoutChance(alive, 0, "Its random rules can match nothing on this level.")
    layers = _decorated(alive)
    if not layers:
        return None
    decoration = sum(game.vocabulary.layer_mask(layer) for layer in layers)
    changes = Changes(alive)
    lists = []
    for rules in (alive.normal, alive.late):
        kept = [[not _only(changes, rule, layers) for rule in group.rules] for group in rules.groups]
        lists.append(_without(rules, kept, decoration, layers))
    found = attrs.evolve(alive, normal=lists[0], late=lists[1])
    if found.draws:
        return None
    names = [thing.name for thing in game.objects if (life.objects & decoration) >> thing.number & 1]
    told = ", ".join(names[:_NAMED]) + (" and others" if len(names) > _NAMED else "")
    why = f"Its random rules change only {told}, at which no other rule and no condition looks."
    return WithoutChance(found, decoration, why)


def _decorated(game: Game) -> frozenset[int]:
    """Return the layers of decoration: the most that can be left out together."""
    rules = [rule for part in (game.normal, game.late) for group in part.groups for rule in group.rules]
    if any(rule.rigid for rule in rules) or "again" in game.commands:
        return frozenset()
    fixed = game.player.bits | game.background_layer
    for condition in game.conditions:
        fixed |= condition.what.bits | (condition.on.bits if condition.on is not None else 0)
    layers = frozenset(
        layer for layer in range(len(game.layers)) if not game.vocabulary.layer_mask(layer) & fixed
    )
    changes = Changes(game)
    while True:
        looked_at: frozenset[int] = frozenset()
        for rule in rules:
            if not _only(changes, rule, layers):
                looked_at |= _looks_at(game, rule)
        if not layers & looked_at:
            return layers
        layers -= looked_at


def _only(changes: Changes, rule: Rule, layers: frozenset[int]) -> bool:
    """Return whether all that a rule can change lies in some layers."""
    if rule.commands or not any(pattern.replacement for pattern in rule.patterns):
        return False
    return changes.layers_of(rule) <= layers


def _looks_at(game: Game, rule: Rule) -> frozenset[int]:
    """Return the layers on which it depends whether and where a rule matches."""
    objects = moves = 0
    for pattern in rule.patterns:
        objects |= pattern.required | pattern.forbidden
        for mask in pattern.any_of:
            objects |= mask
        moves |= pattern.moves | pattern.still
    return frozenset(
        layer
        for layer in range(len(game.layers))
        if objects & game.vocabulary.layer_mask(layer) or moves >> LAYER_BITS * layer & ALL
    )


def _without(rules: RuleList, kept: list[list[bool]], decoration: int, layers: frozenset[int]) -> RuleList:
    """Return a list without some of its rules, and without changes of decoration."""
    moves = sum(ALL << LAYER_BITS * layer for layer in layers)
    alive: set[int] = set()
    number = 0
    groups = []
    for group, own in zip(rules.groups, kept, strict=True):
        alive |= {number + at for at, stays in enumerate(own) if stays}
        number += len(own)
        bare = tuple(_bare(rule, decoration, moves, layers) for rule in group.rules)
        groups.append(attrs.evolve(group, rules=bare, random=group.random and any(own)))
    return left(RuleList(tuple(groups), rules.loops), alive)


def _bare(rule: Rule, decoration: int, moves: int, layers: frozenset[int]) -> Rule:
    def bare(part: tuple[Pattern, ...]) -> tuple[Pattern, ...]:
        return tuple(_bare_cell(cell, decoration, moves, layers) for cell in part)

    return attrs.evolve(rule, rows=tuple(RuleRow(tuple(map(bare, row.parts))) for row in rule.rows))


def _bare_cell(pattern: Pattern, decoration: int, moves: int, layers: frozenset[int]) -> Pattern:
    what = pattern.replacement
    if what is None:
        return pattern
    drawn = tuple(number for number in what.random_objects if not decoration >> number & 1)
    return attrs.evolve(
        pattern,
        replacement=attrs.evolve(
            what,
            clear=what.clear & ~decoration,
            set=what.set & ~decoration,
            moves_clear=what.moves_clear & ~moves,
            moves_set=what.moves_set & ~moves,
            touched=what.touched & ~moves,
            random_objects=drawn,
            random_layers=tuple(layer for layer in what.random_layers if layer not in layers),
        ),
    )

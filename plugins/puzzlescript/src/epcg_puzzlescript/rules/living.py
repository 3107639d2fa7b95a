"""The rules that can match on a level: where it is searched, the others are left out.

A rule is dead if it needs an object that the level does not have, or a movement that no input begins, and
that no living rule makes.
"""

from __future__ import annotations

from collections.abc import Set
from functools import reduce
from operator import or_

import attrs

from epcg_puzzlescript.language.elementary import ALL, LAYER_BITS, Pattern, Rule, RuleRow
from epcg_puzzlescript.language.game import Game, Group, RuleList

_DIRECTIONS = 15
"""The movement bits of a layer of which 'randomdir' draws one."""
_KEPT = 64


@attrs.frozen
class Life:
    """The rules, objects and movements that play can bring about on a level, possibly more."""

    rules: frozenset[int]
    """The numbers of the rules that can match; those of the late list follow the others."""
    objects: int
    """The mask of the objects that can lie anywhere."""
    moves: int
    """The movements, as bits of all layers."""


@attrs.frozen
class _Need:
    """The objects and movements that a rule needs, and those that it makes."""

    objects: int
    choices: tuple[int, ...]
    moves: int
    made: int
    moves_made: int

    def is_met(self, objects: int, moves: int) -> bool:
        if self.objects & ~objects or self.moves & ~moves:
            return False
        return not self.choices or all(mask & objects for mask in self.choices)


class Living:
    """Finds what can happen in a game on levels, by the objects that they have."""

    def __init__(self, game: Game) -> None:
        self._game = game
        lists = (game.normal, game.late)
        self._needs = [_need(rule) for rules in lists for group in rules.groups for rule in group.rules]
        self._found: dict[int, Life] = {}

    def life(self, objects: int) -> Life:
        """Return what can happen on levels that have the objects of a mask."""
        found = self._found.get(objects)
        if found is None:
            while len(self._found) >= _KEPT:
                self._found.pop(next(iter(self._found)))
            found = self._found[objects] = self._life(objects)
        return found

    def _life(self, objects: int) -> Life:
        moves = 0
        waiting = list(enumerate(self._needs))
        alive: set[int] = set()
        before = -1
        while len(alive) > before:
            before = len(alive)
            for thing in self._game.objects:
                if (self._game.player.bits & objects) >> thing.number & 1:
                    moves |= ALL << LAYER_BITS * thing.layer
            left = []
            for number, need in waiting:
                if need.is_met(objects, moves):
                    alive.add(number)
                    objects |= need.made
                    moves |= need.moves_made
                else:
                    left.append((number, need))
            waiting = left
        return Life(frozenset(alive), objects, moves)

    def game(self, life: Life) -> Game:
        """Return the game without dead rules, and without tests for what cannot be there.

        Play on the levels of this life is that of the whole game. Groups of which nothing is left go, too,
        but for one of each loop: the loop makes a round of its own if something changed before it.
        """
        normal = sum(len(group.rules) for group in self._game.normal.groups)
        lists = left(self._game.normal, life.rules), left(self._game.late, life.rules, normal)
        return attrs.evolve(self._game, normal=_reduced(lists[0], life), late=_reduced(lists[1], life))


def _need(rule: Rule) -> _Need:
    made = moves_made = 0
    for pattern in rule.patterns:
        what = pattern.replacement
        if what is not None:
            made |= what.set | sum(1 << number for number in what.random_objects)
            moves_made |= what.moves_set
            for layer in what.random_layers:
                moves_made |= _DIRECTIONS << LAYER_BITS * layer
    return _Need(
        reduce(or_, (p.required for p in rule.patterns), 0),
        tuple({mask for p in rule.patterns for mask in p.any_of}),
        reduce(or_, (p.moves for p in rule.patterns), 0),
        made,
        moves_made,
    )


def left(rules: RuleList, alive: Set[int], first: int = 0) -> RuleList:
    """Return a list of groups with some of its rules only.

    Args:
        rules: the list.
        alive: the numbers of the rules that stay.
        first: the number of the list's first rule.

    Returns:
        The list, without empty groups but for one of each loop.
    """
    groups: list[Group] = []
    for group in rules.groups:
        kept = tuple(rule for at, rule in enumerate(group.rules, first) if at in alive)
        groups.append(attrs.evolve(group, rules=kept))
        first += len(group.rules)
    if not any(rule.rigid for group in groups for rule in group.rules):  # then no group is ever banned
        groups = [attrs.evolve(group, rigid=0) for group in groups]
    stays = [bool(group.rules) for group in groups]
    for begin, last in rules.loops:
        stays[last] |= not any(stays[begin : last + 1])
    numbers = [number for number, stay in enumerate(stays) if stay]
    loops = []
    for begin, last in rules.loops:
        inside = [new for new, old in enumerate(numbers) if begin <= old <= last]
        loops.append((inside[0], inside[-1]))
    return RuleList(tuple(groups[number] for number in numbers), tuple(loops))


def _reduced(rules: RuleList, life: Life) -> RuleList:
    groups = [
        attrs.evolve(group, rules=tuple(_reduced_rule(rule, life) for rule in group.rules))
        for group in rules.groups
    ]
    return attrs.evolve(rules, groups=tuple(groups))


def _reduced_rule(rule: Rule, life: Life) -> Rule:
    rows = [
        RuleRow(tuple(tuple(_reduced_cell(pattern, life) for pattern in part) for part in row.parts))
        for row in rule.rows
    ]
    return attrs.evolve(rule, rows=tuple(rows))


def _reduced_cell(pattern: Pattern, life: Life) -> Pattern:
    """Return a cell of a rule without objects and movements that are never there."""
    what = pattern.replacement
    if what is not None:
        clear, moves_clear = what.clear & life.objects, what.moves_clear & life.moves
        if (clear, moves_clear) != (what.clear, what.moves_clear):
            what = attrs.evolve(what, clear=clear, moves_clear=moves_clear)
    return Pattern(
        pattern.required,
        pattern.forbidden & life.objects,
        tuple(mask & life.objects for mask in pattern.any_of),
        pattern.moves,
        pattern.still & life.moves,
        what,
    )

"""Find what a game's rules can change, without playing."""

from __future__ import annotations

from functools import reduce
from operator import or_

from epcg_puzzlescript.language.elementary import ALL, LAYER_BITS, Pattern, Rule
from epcg_puzzlescript.language.game import Game


def bits_of(mask: int) -> list[int]:
    """Return the numbers of the bits of a mask, ascending."""
    found = []
    while mask:
        low = mask & -mask
        found.append(low.bit_length() - 1)
        mask ^= low
    return found


def _turns(pattern: Pattern, layer: int) -> bool:
    """Return whether a rule can change the movement of a layer in a cell, which has one or none."""
    what = pattern.replacement
    if what is None:
        return False
    if layer in what.random_layers:
        return True
    had, still, puts, clears = (
        bits >> LAYER_BITS * layer & ALL
        for bits in (pattern.moves, pattern.still, what.moves_set, what.moves_clear)
    )
    if had:
        return puts != had and bool(puts or clears)
    return bool(puts or (clears and not still))


class Changes:
    """Which objects a game can put, remove or move: an analysis of its rules that never says too few.

    Rows of a rule may share cells, and the later one is then applied to what the earlier one made; so a
    rule of several rows may clear what another of its cells put, and put again what another cleared.
    """

    def __init__(self, game: Game) -> None:
        self._game = game
        self._layer_of = [thing.layer for thing in game.objects]
        self._layers = [sum(1 << number for number in numbers) for numbers in game.layers]
        self.exclusive = self._layers_are_exclusive()
        moved = game.player.bits
        changed = 0
        for rules in (game.normal, game.late):
            for rule in (rule for group in rules.groups for rule in group.rules):
                put = reduce(or_, map(self.put, rule.patterns))
                several = len(rule.rows) > 1
                cleared = reduce(or_, (self.cleared(p, put if several else 0) for p in rule.patterns))
                changed |= put | cleared
                for pattern in rule.patterns:
                    moved |= self._moved(pattern)
        self.objects = changed | moved
        """The objects of which a cell can gain or lose one."""
        self.kept = moved & ~changed
        """Those of them that no rule puts or removes: they only move, one step at a time."""

    def _layers_are_exclusive(self) -> bool:
        """Return whether no cell of a level holds two objects of a layer, and no rule draws a second one."""
        return not self._game.crowded and not any(
            what.set & self._layers[self._layer_of[number]]
            for rules in (self._game.normal, self._game.late) for group in rules.groups
            for rule in group.rules for pattern in rule.patterns
            if (what := pattern.replacement) is not None for number in what.random_objects
        )  # fmt: skip

    def _possible(self, pattern: Pattern, layer: int) -> int:
        """Return which objects of a layer a cell may hold if a pattern matches."""
        mask = self._layers[layer] & ~pattern.forbidden
        if not self.exclusive:
            return mask
        if pattern.required & mask:
            return pattern.required & mask
        for choice in pattern.any_of:
            mask &= choice if choice & self._layers[layer] else -1
        return mask

    def put(self, pattern: Pattern) -> int:
        """Return the objects that a rule adds to a cell that does not have them."""
        if pattern.replacement is None:
            return 0
        drawn = sum(1 << number for number in pattern.replacement.random_objects)
        return pattern.replacement.set & ~pattern.required | drawn

    def cleared(self, pattern: Pattern, also: int = 0) -> int:
        """Return the objects that a rule can remove from a cell. `also`: what else the cell may hold."""
        what = pattern.replacement
        if what is None:
            return 0
        may = reduce(or_, (self._possible(pattern, layer) for layer in range(len(self._layers))), also)
        drawn = reduce(or_, (self._layers[self._layer_of[n]] for n in what.random_objects), 0)
        return (what.clear & ~what.set | drawn) & may

    def layers_of(self, rule: Rule) -> frozenset[int]:
        """Return the layers of which a rule can change an object or a movement in a cell."""
        put = reduce(or_, map(self.put, rule.patterns))
        several = len(rule.rows) > 1
        cleared = reduce(or_, (self.cleared(p, put if several else 0) for p in rule.patterns))
        return frozenset(
            layer
            for layer, mask in enumerate(self._layers)
            if (put | cleared) & mask or any(_turns(pattern, layer) for pattern in rule.patterns)
        )

    def _moved(self, pattern: Pattern) -> int:
        """Return the objects that can get a movement at a cell, or take one over."""
        what = pattern.replacement
        if what is None:
            return 0
        found = what.set & ~pattern.required
        for layer, mask in enumerate(self._layers):
            if what.moves_set >> LAYER_BITS * layer & 31 or layer in what.random_layers:
                found |= what.set & mask or self._possible(pattern, layer)
        return found

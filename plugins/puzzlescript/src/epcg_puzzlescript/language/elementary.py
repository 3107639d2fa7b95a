"""Elementary rules as bits: what a cell must hold, and what it holds afterwards."""

from __future__ import annotations

from functools import cached_property

import attrs

from epcg_puzzlescript.language.expansion import ElementaryText
from epcg_puzzlescript.language.rule_trees import ELLIPSIS, Cell
from epcg_puzzlescript.language.vocabulary import Vocabulary

UP, DOWN, LEFT, RIGHT, ACTION = 1, 2, 4, 8, 16
BITS = {"up": UP, "down": DOWN, "left": LEFT, "right": RIGHT, "action": ACTION}
ALL = 31
"""All movement bits of a layer."""
LAYER_BITS = 5


@attrs.frozen
class Replacement:
    """The change that a rule makes to a cell: (old & ~clear) | set, for objects and for movements."""

    clear: int
    set: int
    moves_clear: int
    moves_set: int
    touched: int
    """All bits of the layers whose movements the right side decides; marked by rigid rules."""
    random_objects: tuple[int, ...] = ()
    """The numbers of the objects of which one is drawn."""
    random_layers: tuple[int, ...] = ()
    """The layers whose object gets a random direction."""


@attrs.frozen
class Pattern:
    """The condition of a rule on a cell, and the change that the rule makes to it."""

    required: int
    forbidden: int
    any_of: tuple[int, ...]
    """Masks of which each must be hit."""
    moves: int
    """The movement bits that must be set."""
    still: int
    """The movement bits that must not be set."""
    replacement: Replacement | None
    """None if the rule has commands only."""


@attrs.frozen
class RuleRow:
    """A row: the parts between its ellipses."""

    parts: tuple[tuple[Pattern, ...], ...]

    @property
    def cells(self) -> int:
        return sum(map(len, self.parts))


@attrs.frozen
class Rule:
    """An elementary rule."""

    line: int
    direction: str
    rows: tuple[RuleRow, ...]
    commands: tuple[str, ...]
    rigid: bool

    @cached_property
    def patterns(self) -> tuple[Pattern, ...]:
        """The patterns of all cells, row by row."""
        return tuple(pattern for row in self.rows for part in row.parts for pattern in part)


@attrs.frozen
class Overlap:
    """Two objects of a layer that a right side puts into one cell."""

    first: str
    second: str
    drawn: bool
    """Whether the second one is drawn by 'random'."""


@attrs.define
class Faults:
    """What is wrong with the elementary rules of a line."""

    overlaps: set[Overlap] = attrs.field(factory=set)
    forbidden: set[int] = attrs.field(factory=set)
    """The objects, as bits, that a cell both requires and forbids."""
    clashes: int = 0
    """The rules of which a cell requires two things of one layer."""


def elementary(
    text: ElementaryText,
    line: int,
    rigid: bool,
    commands: tuple[str, ...],
    vocabulary: Vocabulary,
    faults: Faults,
) -> Rule | None:
    """Return a rule as bits; None if it can never match. Its faults are added."""
    rows = []
    clashes = never = False
    for y, row in enumerate(text.left):
        parts: list[list[Pattern]] = [[]]
        for x, cell in enumerate(row):
            if cell == ELLIPSIS:
                parts.append([])
                continue
            found, used, clash = _left(cell, vocabulary)
            clashes |= clash
            never |= any(not mask & ~found.forbidden for mask in found.any_of)
            never |= any(word == "randomdir" for word, _ in cell)
            if found.required & found.forbidden:
                faults.forbidden.add(found.required & found.forbidden)
                return None
            if text.right:
                here: set[Overlap] = set()
                change = _replacement(found, used, text.right[y][x], vocabulary, here)
                found = attrs.evolve(found, replacement=change)
                faults.overlaps |= {overlap for overlap in here if overlap.drawn or not clashes}
            parts[-1].append(found)
        rows.append(RuleRow(tuple(map(tuple, parts))))
    faults.clashes += clashes
    return None if clashes or never else Rule(line, text.direction, tuple(rows), commands, rigid)


def _left(left: Cell, vocabulary: Vocabulary) -> tuple[Pattern, dict[int, bool], bool]:
    """Return the condition on a cell, of each layer that it names if an object does, and if two things do."""
    required = forbidden = moves = still = 0
    any_of: list[int] = []
    used: dict[int, bool] = {}
    clash = False
    for word, name in left:
        entry = vocabulary.entries[name]
        if word == "no":
            forbidden |= entry.mask
            continue
        layer = entry.layers[0]
        clash |= layer in used
        used[layer] = entry.kind == "object"
        if entry.kind == "object":
            required |= entry.mask
        else:
            any_of.append(entry.mask)
        if word == "stationary":
            still |= ALL << LAYER_BITS * layer
        elif word in BITS:
            moves |= BITS[word] << LAYER_BITS * layer
    return Pattern(required, forbidden, tuple(any_of), moves, still, None), used, clash


def _replacement(
    left: Pattern, used: dict[int, bool], right: Cell, vocabulary: Vocabulary, overlaps: set[Overlap]
) -> Replacement:
    """Return what the right cell does. `used` says of each layer named on the left if by an object."""
    put = clear = moves_set = moves_clear = touched = 0
    random_objects: set[int] = set()
    random_layers: set[int] = set()
    here: dict[int, str] = {}
    concrete: set[int] = set()
    drawn: dict[int, str] = {}
    for word, name in right:
        entry = vocabulary.entries[name]
        if word == "random":
            random_objects.update(entry.members)
            for number in entry.members:
                drawn[vocabulary.objects[number].layer] = vocabulary.objects[number].name
            continue
        if word == "no":
            clear |= entry.mask
            continue
        layer = entry.layers[0]
        if layer in here:
            overlaps.add(Overlap(here[layer], name, False))
        here[layer] = name
        if entry.kind == "object":
            concrete.add(layer)
            put |= entry.mask
            clear |= _layer_mask(layer, vocabulary)
        if word:
            touched |= ALL << LAYER_BITS * layer
        if word == "randomdir":
            random_layers.add(layer)
        elif word and word != "stationary":
            moves_set |= BITS[word] << LAYER_BITS * layer
    overlaps.update(
        Overlap(here[layer], name, True) for layer, name in drawn.items()
        if layer in here and here[layer] != name
    )  # fmt: skip
    if left.required & ~put:
        clear |= left.required
    if left.moves & ~moves_set:
        moves_clear |= left.moves
    for layer, by_object in used.items():
        if layer not in here:
            clear |= _layer_mask(layer, vocabulary)
            touched |= ALL << LAYER_BITS * layer
        elif by_object and layer not in concrete:
            touched |= ALL << LAYER_BITS * layer
    return Replacement(
        clear, put, moves_clear | touched, moves_set, touched, tuple(sorted(random_objects)),
        tuple(sorted(random_layers)),
    )  # fmt: skip


def _layer_mask(layer: int, vocabulary: Vocabulary) -> int:
    return sum(1 << number for number in vocabulary.layers[layer])

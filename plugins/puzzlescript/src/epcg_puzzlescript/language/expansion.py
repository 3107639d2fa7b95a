"""From rules as written to elementary rules: one direction, concrete movements, objects or single layers.

Source: section 6.2 of the rules of the language; the order of the elementary rules matters.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Callable, Iterator

import attrs

from epcg_puzzlescript.language.rule_trees import ELLIPSIS, Cell, Pair, Row, RuleLine, Side
from epcg_puzzlescript.language.rule_words import AMBIGUOUS, RELATIVE
from epcg_puzzlescript.language.vocabulary import Entry, Vocabulary

MOST_RULES = 100_000
"""So many elementary rules may one line become, and be weighed on the way."""
_TURNED = {
    "right": {"^": "up", "v": "down", "<": "left", ">": "right"},
    "up": {"^": "left", "v": "right", "<": "down", ">": "up"},
    "down": {"^": "right", "v": "left", "<": "up", ">": "down"},
    "left": {"^": "down", "v": "up", "<": "right", ">": "left"},
}
_ALONG = {"up": "vertical", "down": "vertical", "left": "horizontal", "right": "horizontal"}
_ACROSS = {"up": "horizontal", "down": "horizontal", "left": "vertical", "right": "vertical"}


class ExpansionError(Exception):
    """A rule that cannot be made elementary; the message is a sentence."""


class UndecidedError(ExpansionError):
    """A movement on the right that the left does not decide: then nothing of the game is played."""


@attrs.frozen
class ElementaryText:
    """An elementary rule in names."""

    direction: str
    left: Side
    right: Side


@attrs.frozen
class _Draft:
    """A rule on its way, with what was replaced on its left side."""

    left: Side
    right: Side
    replaced: tuple[tuple[Pair, str], ...] = ()
    """A (word, name) and what took its place, an entry for each cell."""


def expanded(rule: RuleLine, vocabulary: Vocabulary) -> list[ElementaryText]:
    """Return the elementary rules of a line in their order. Raises ExpansionError."""
    found = []
    for direction in _directions(rule):
        left, right = _absolute(rule.left, direction), _absolute(rule.right, direction)
        turned = direction
        if direction in ("up", "left") and not any(cell == ELLIPSIS for row in left for cell in row):
            turned = {"up": "down", "left": "right"}[direction]
            left, right = _reversed(left), _reversed(right)
        left, right = (_mapped(side, lambda cell: _members(cell, vocabulary)) for side in (left, right))
        for moved in _with_movements(_Draft(left, right)):
            for made in _with_properties(moved, vocabulary):
                still = made.right if rule.late else _standing(made, vocabulary)
                found.append(ElementaryText(turned, made.left, still))
                if len(found) > MOST_RULES:
                    raise ExpansionError(_TOO_MANY)
    return found


_TOO_MANY = f"The rule stands for more than {MOST_RULES} elementary rules; use fewer properties in it."


def _directions(rule: RuleLine) -> tuple[str, ...]:
    cells = [cell for side in (rule.left, rule.right) for row in side for cell in row]
    relative = any(word in RELATIVE for cell in cells for word, _ in cell)
    if relative or any(len(row) > 1 for row in rule.left):
        return rule.directions
    return rule.directions[:1]


def _mapped(side: Side, change: Callable[[Cell], Cell]) -> Side:
    return tuple(tuple(change(cell) for cell in row) for row in side)


def _reversed(side: Side) -> Side:
    return tuple(tuple(reversed(row)) for row in side)


def _absolute(side: Side, direction: str) -> Side:
    words = {
        **_TURNED[direction],
        "parallel": _ALONG[direction] + "_par",
        "perpendicular": _ACROSS[direction] + "_perp",
    }
    return _mapped(side, lambda cell: tuple((words.get(word, word), name) for word, name in cell))


def _members(cell: Cell, vocabulary: Vocabulary) -> Cell:
    """Return a cell with objects in place of aggregates and of other names."""
    if cell == ELLIPSIS:
        return cell
    first: list[Pair] = []
    last: list[Pair] = []
    for word, name in cell:
        entry = vocabulary.entries[name]
        if entry.kind == "or":
            first.append((word, name))
            continue
        if entry.kind == "and":
            names = [vocabulary.part(part) for part in entry.parts]
        else:
            names = [vocabulary.names[entry.members[0]]]
        first.append((word, names[0]))
        last += [(word, other) for other in names[1:]]
    return (*first, *last)


def _with_movements(draft: _Draft) -> Iterator[_Draft]:
    """Yield copies with concrete movements on both sides.

    Of a draft, only the last ambiguous cell is expanded: copies by way of other cells come earlier in the
    order of the language, and of equal rules only the last is kept.
    """
    waiting, weighed = deque([draft]), 0
    while waiting:
        present = waiting.popleft()
        weighed += 1
        if weighed + len(waiting) > MOST_RULES:
            raise ExpansionError(_TOO_MANY)
        ambiguous = (
            (y, x, pair)
            for y, x, cell in reversed([*_cells(present.left)])
            for pair in cell if pair[0] in AMBIGUOUS
        )  # fmt: skip
        place = next(ambiguous, None)
        if place is None:
            yield _moved_right(present)
            continue
        y, x, pair = place
        for word in AMBIGUOUS[pair[0]]:
            waiting.append(_replaced(present, y, x, pair, (word, pair[1]), word))


def _cells(side: Side) -> Iterator[tuple[int, int, Cell]]:
    for y, row in enumerate(side):
        for x, cell in enumerate(row):
            yield y, x, cell


def _replaced(draft: _Draft, y: int, x: int, pair: Pair, new: Pair, note: str) -> _Draft:
    """Return a copy with another pair in a cell, on both sides."""

    def changed(side: Side) -> Side:
        if not side:
            return side
        cell = tuple(new if other == pair else other for other in side[y][x])
        row: Row = (*side[y][:x], cell, *side[y][x + 1 :])
        return (*side[:y], row, *side[y + 1 :])

    return _Draft(changed(draft.left), changed(draft.right), (*draft.replaced, (pair, note)))


def _moved_right(draft: _Draft) -> _Draft:
    """Return a draft whose right side takes movements from the left. Raises ExpansionError."""
    pairs = Counter(pair for pair, _ in draft.replaced)
    words = Counter(pair[0] for pair, _ in draft.replaced)
    by_pair = {pair: word for pair, word in draft.replaced if pairs[pair] == 1}
    by_word = {pair[0]: word for pair, word in draft.replaced if words[pair[0]] == 1}

    def moved(cell: Cell) -> Cell:
        return tuple((by_pair.get(pair, by_word.get(pair[0], pair[0])), pair[1]) for pair in cell)

    right = _mapped(draft.right, moved)
    for _, _, cell in _cells(right):
        for word, name in cell:
            if word in AMBIGUOUS:
                shown = word.split("_")[0]
                raise UndecidedError(
                    f"'{shown} {name}' on the right does not say which movement is meant; use the same words "
                    "once on the left, or a direction."
                )
    return _Draft(draft.left, right)


def _with_properties(draft: _Draft, vocabulary: Vocabulary) -> Iterator[_Draft]:
    """Yield copies with objects in place of the properties that need it."""

    def forbidden(cell: Cell) -> Cell:
        found: list[Pair] = []
        for word, name in cell:
            if word == "no" and vocabulary.entries[name].kind == "or":
                members = vocabulary.entries[name].members
                found += [("no", vocabulary.names[number]) for number in members]
            else:
                found.append((word, name))
        return tuple(found)

    def is_property(pair: Pair) -> bool:
        return pair != ELLIPSIS[0] and vocabulary.entries[pair[1]].kind == "or"

    left, right = _mapped(draft.left, forbidden), _mapped(draft.right, forbidden)
    needed = {
        pair[1]
        for y, x, cell in _cells(right)
        for pair in cell
        if is_property(pair) and pair[0] != "random" and all(name != pair[1] for _, name in left[y][x])
    }

    def open_in(cell: Cell) -> str | None:
        for pair in cell:
            if is_property(pair) and (pair[1] in needed or spread(vocabulary.entries[pair[1]])):
                return pair[1]
        return None

    def spread(entry: Entry) -> bool:
        return len(entry.layers) > 1 or bool(entry.unknown)

    waiting, weighed = deque([_Draft(left, right)]), 0
    while waiting:
        present = waiting.popleft()
        weighed += 1
        if weighed + len(waiting) > MOST_RULES:
            raise ExpansionError(_TOO_MANY)
        place = next(
            ((y, x, name) for y, x, cell in _cells(present.left) if (name := open_in(cell)) is not None), None
        )
        if place is None:
            yield _filled_right(present, needed, is_property)
            continue
        y, x, name = place
        for number in vocabulary.entries[name].members:
            waiting.append(_with_object(present, y, x, name, vocabulary.names[number]))
        if vocabulary.entries[name].unknown:  # a copy asks for what is not defined, and so for nothing
            waiting.append(_with_object(present, y, x, name, None))


def _with_object(draft: _Draft, y: int, x: int, name: str, member: str | None) -> _Draft:
    """Return a copy with an object, or nothing, in place of a property in a cell, on both sides."""

    def changed(side: Side, whole: bool) -> Side:
        if not side:
            return side
        found = (
            (word, member if other == name and (whole or word != "random") else other)
            for word, other in side[y][x]
        )
        cell = tuple((word, other) for word, other in found if other is not None)
        row: Row = (*side[y][:x], cell, *side[y][x + 1 :])
        return (*side[:y], row, *side[y + 1 :])

    return _Draft(
        changed(draft.left, True), changed(draft.right, False), (*draft.replaced, (("", name), member or ""))
    )


def _filled_right(draft: _Draft, needed: set[str], is_property: Callable[[Pair], bool]) -> _Draft:
    """Return a draft whose right side takes objects from the left. Raises ExpansionError."""
    counts = Counter(pair for pair, _ in draft.replaced)
    single = {pair[1]: member for pair, member in draft.replaced if counts[pair] == 1}

    def filled(cell: Cell) -> Cell:
        filled_in = ((word, name if word == "random" else single.get(name, name)) for word, name in cell)
        return tuple((word, name) for word, name in filled_in if name)

    right = _mapped(draft.right, filled)
    for _, _, cell in _cells(right):
        for pair in cell:
            if is_property(pair) and pair[0] != "random" and pair[1] in needed:
                raise ExpansionError(
                    f"'{pair[1]}' on the right does not say which of its objects is meant; it must stand "
                    "once on the left, or in the same cell there."
                )
    return _Draft(draft.left, right)


def _standing(draft: _Draft, vocabulary: Vocabulary) -> Side:
    """Return the right side, with 'stationary' in front of objects that are new on their layer."""

    def still(y: int, x: int, cell: Cell) -> Cell:
        held = {layer for _, n in draft.left[y][x] for layer in _layers(n, vocabulary)}
        return tuple(
            ("stationary", name)
            if word == "" and vocabulary.entries[name].kind == "object"
            and held.isdisjoint(_layers(name, vocabulary))
            else (word, name)
            for word, name in cell
        )  # fmt: skip

    return tuple(tuple(still(y, x, cell) for x, cell in enumerate(row)) for y, row in enumerate(draft.right))


def _layers(name: str, vocabulary: Vocabulary) -> tuple[int, ...]:
    return () if name == "..." else vocabulary.entries[name].layers

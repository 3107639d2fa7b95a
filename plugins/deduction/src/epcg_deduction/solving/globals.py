"""Plain tests of global instances on a position, as `deduction_vocabulary`, section 5, defines them.

A test only gets stricter as marks go, and on a complete position it says whether the rule holds.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import combinations

from epcg_deduction.model.boards import Pair
from epcg_deduction.solving.problem import (
    Connected,
    Groups,
    Instance,
    Joined,
    Matched,
    OneLoop,
    Pieces,
)

Masks = Sequence[int]
"""The possible marks of the sites of one instance, in the order of its `sites`."""
Parts = list[list[int]]


def components(nodes: Iterable[int], pairs: Iterable[Pair]) -> Parts:
    """Return the components of a graph as sorted lists, by their first node; foreign pairs are left out."""
    parent = {node: node for node in nodes}

    def root(node: int) -> int:
        while parent[node] != node:
            node = parent[node]
        return node

    for one, other in pairs:
        if one in parent and other in parent:
            low, high = sorted((root(one), root(other)))
            parent[high] = low
    found: dict[int, list[int]] = {}
    for node in sorted(parent):
        found.setdefault(root(node), []).append(node)
    return list(found.values())


def _connected(instance: Connected, masks: Masks) -> bool:
    possible = [site for site, mask in enumerate(masks) if mask & instance.mask]
    sure = {site for site in possible if not masks[site] & ~instance.mask}
    return sum(1 for part in components(possible, instance.pairs) if sure & set(part)) <= 1


def _lines(ends: Sequence[Pair], masks: Masks) -> tuple[list[Pair], list[Pair]]:
    """Return the ends of the sure and of the possible lines."""
    sure = [pair for pair, mask in zip(ends, masks, strict=True) if mask == 1]
    return sure, [pair for pair, mask in zip(ends, masks, strict=True) if mask & 1]


def _has_loop(lines: Sequence[Pair]) -> bool:
    nodes = {node for line in lines for node in line}
    return len(nodes) - len(components(nodes, lines)) < len(lines)


def _one_loop(instance: OneLoop, masks: Masks) -> bool:
    sure, possible = _lines(instance.ends, masks)
    if not possible:
        return False
    if not _has_loop(sure):
        return True
    degrees = Counter(node for line in sure for node in line)
    return set(degrees.values()) == {2} and len(components(degrees, sure)) == 1


def _joined(instance: Joined, masks: Masks) -> bool:
    sure, possible = _lines(instance.ends, masks)
    clues = dict(instance.clues)
    nodes = {node for line in instance.ends for node in line} | set(clues)
    if _has_loop(sure):
        return False
    if any(len({clues[node] for node in part if node in clues}) > 1 for part in components(nodes, sure)):
        return False
    values = [[clues[node] for node in part if node in clues] for part in components(nodes, possible)]
    return all(count > 1 for part in values for count in Counter(part).values())


def _sizes_hold(instance: Groups | Pieces, own: Sequence[int], reach: Sequence[int], mark: int = -1) -> bool:
    """Return whether a sure group (or what it surely covers) can become one with the size and clues asked."""
    clues = dict(instance.clues)
    inside = [clues[cell] for cell in own if cell in clues]
    least = 0 if instance.least is None else instance.least
    most = len(reach) if instance.most is None else instance.most
    bounds = [(least, most)]
    if instance.by_clue:
        bounds += [(value, value) for value in inside if value is not None]
    if mark >= 0:
        bounds.append((mark + 1, mark + 1))
    if any(len(reach) < low or len(own) > high for low, high in bounds):
        return False
    if instance.exactly is None:
        return True
    return len(inside) <= instance.exactly <= sum(1 for cell in reach if cell in clues)


def _groups(instance: Groups, masks: Masks) -> bool:
    every = 0
    for mask in masks:
        every |= mask
    classes = [instance.mask] if instance.mask else [1 << mark for mark in range(every.bit_length())]
    for own in classes:
        possible = [site for site, mask in enumerate(masks) if mask & own]
        sure = [site for site in possible if not masks[site] & ~own]
        reach = {site: part for part in components(possible, instance.pairs) for site in part}
        mark = own.bit_length() - 1 if instance.by_mark else -1
        if not all(
            _sizes_hold(instance, group, reach[group[0]], mark) for group in components(sure, instance.pairs)
        ):
            return False
    return True


def _box(instance: Pieces, group: Sequence[int]) -> list[int]:
    """Return the squares of the smallest rectangle around a group of cells (indices)."""
    places = [divmod(instance.cells[cell], instance.width) for cell in group]
    rows, columns = [y for y, _ in places], [x for _, x in places]
    return [
        y * instance.width + x
        for y in range(min(rows), max(rows) + 1)
        for x in range(min(columns), max(columns) + 1)
    ]


def _sure_pieces(instance: Pieces, pairs: list[Pair]) -> Parts | None:
    """Return the cells that are surely in one piece: rectangles grow until they are; None: over a hole."""
    cells = range(len(instance.cells))
    parts = components(cells, pairs)
    if not instance.rectangle:
        return parts
    number = {square: cell for cell, square in enumerate(instance.cells)}
    boxes = [[number.get(square, -1) for square in _box(instance, part)] for part in parts]
    if any(-1 in box for box in boxes):
        return None
    grown = pairs + [(box[0], cell) for box in boxes for cell in box[1:]]
    return parts if components(cells, grown) == parts else _sure_pieces(instance, grown)


def _pieces(instance: Pieces, masks: Masks) -> bool:
    parts = _sure_pieces(instance, [p for p, mask in zip(instance.pairs, masks, strict=True) if mask == 2])
    can = [pair for pair, mask in zip(instance.pairs, masks, strict=True) if mask & 2]
    reach = {cell: part for part in components(range(len(instance.cells)), can) for cell in part}
    if parts is None:
        return False
    piece = {cell: index for index, part in enumerate(parts) for cell in part}
    apart = [pair for pair, mask in zip(instance.pairs, masks, strict=True) if mask == 1]
    if any(piece[one] == piece[other] for one, other in apart):
        return False
    closed = []
    for part in parts:
        around = reach[part[0]]
        if not set(part) <= set(around) or not _sizes_hold(instance, part, around):
            return False
        if instance.values and len(part) in (len(around), instance.most):
            closed.append(sorted(instance.values[cell] for cell in part))
    return all(one != other for one, other in combinations(closed, 2))


def _matched(instance: Matched, masks: Masks) -> bool:
    clues = range(len(instance.near))
    beside: dict[int, list[int]] = {site: [] for site in range(len(masks))}
    for clue, sites in enumerate(instance.near):
        for site in sites:
            beside[site].append(clue)
    sure = [site for site, mask in enumerate(masks) if not mask & ~instance.mask]
    can = [[site for site in sites if masks[site] & instance.mask] for sites in instance.near]
    return _covers(clues, can) and _covers(sure, [beside[site] for site in range(len(masks))])


def _covers(nodes: Iterable[int], partners: Sequence[Sequence[int]]) -> bool:
    """Return whether all nodes can have partners, each its own.

    If all clues can, and all sure sites can, then a pairing exists that covers both.
    """
    taken: dict[int, int] = {}

    def place(node: int, tried: set[int]) -> bool:
        for partner in partners[node]:
            if partner not in tried:
                tried.add(partner)
                if partner not in taken or place(taken[partner], tried):
                    taken[partner] = node
                    return True
        return False

    return all(place(node, set()) for node in nodes)


_TESTS: dict[type[Instance], Callable[..., bool]] = {
    Connected: _connected,
    OneLoop: _one_loop,
    Joined: _joined,
    Groups: _groups,
    Pieces: _pieces,
    Matched: _matched,
}


def is_global(instance: Instance) -> bool:
    """Return whether the instance is one of the global kinds."""
    return type(instance) in _TESTS


def global_holds(instance: Instance, masks: Masks) -> bool:
    """Test a global instance on the possible marks of its sites."""
    return _TESTS[type(instance)](instance, masks)


def marks_of(mask: int) -> Iterator[int]:
    """Yield the numbers of the marks in a mask, lowest first."""
    while mask:
        low = mask & -mask
        yield low.bit_length() - 1
        mask ^= low

"""Hash trees (Merkle 1980) whose nodes also say which ranks they cover and how many were evaluated.

The leaves are blocks of equally many ranks. The nodes of one level, at most 4,096, are the crown. A
certificate holds all of them, so each can be compared after its ranks were computed again. Leaves are shown
by the few nodes beside their ways up to the crown.
"""

from __future__ import annotations

import hashlib
import struct
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property

import attrs

from epcg_core.plugin import CheckFailedError

MOST_IN_CROWN = 4_096
Place = tuple[int, int]
"""(level, position) of a node; level 0 has the leaves."""


@attrs.frozen
class Node:
    """A subtree: its ranks, how they are accounted for, and its hash."""

    start: int
    count: int
    evaluated: int
    pruned: int
    digest: bytes

    @property
    def stop(self) -> int:
        return self.start + self.count

    @property
    def excluded(self) -> int:
        """Number of ranks that are neither recorded nor pruned."""
        return self.count - self.evaluated - self.pruned

    def packed(self) -> bytes:
        return _PACKED.pack(self.start, self.count, self.evaluated, self.pruned, self.digest)


_PACKED = struct.Struct(">4q32s")


def leaf(start: int, count: int, evaluated: int, pruned: int, content: bytes) -> Node:
    """Make the leaf of some ranks with the hash of their content."""
    if min(start, evaluated, pruned) < 0 or evaluated + pruned > count or count < 1:
        raise CheckFailedError(f"The leaf of {count} ranks from {start} on does not account for all of them.")
    head = _PACKED.pack(start, count, evaluated, pruned, b"")
    return Node(start, count, evaluated, pruned, hashlib.sha256(b"\0" + head + content).digest())


def join(left: Node, right: Node) -> Node:
    """Make the parent of two neighbours. Raises CheckFailedError if they leave a gap or overlap."""
    if left.stop != right.start:
        raise CheckFailedError(f"In a hash tree rank {right.start} follows rank {left.stop - 1}.")
    return Node(
        left.start,
        left.count + right.count,
        left.evaluated + right.evaluated,
        left.pruned + right.pruned,
        hashlib.sha256(b"\1" + left.packed() + right.packed()).digest(),
    )


@attrs.frozen
class Layout:
    """The shape of the tree over ranks start .. stop - 1, cut at the multiples of `size`."""

    start: int
    stop: int
    size: int

    @cached_property
    def _first(self) -> int:
        return self.start // self.size

    @cached_property
    def leaves(self) -> int:
        """Number of leaves."""
        return (self.stop - 1) // self.size - self._first + 1

    @cached_property
    def crown(self) -> int:
        """The level of the crown."""
        level = 0
        while self.width(level) > MOST_IN_CROWN:
            level += 1
        return level

    def width(self, level: int) -> int:
        """Return the number of nodes of a level."""
        return -(-self.leaves >> level)

    def leaf_of(self, rank: int) -> int:
        """Return the position of the leaf that holds a rank."""
        return rank // self.size - self._first

    def ranks(self, place: Place) -> tuple[int, int]:
        """Return (start, stop) of the ranks below a node."""
        level, position = place
        low = (self._first + (position << level)) * self.size
        high = (self._first + ((position + 1) << level)) * self.size
        return max(self.start, low), min(self.stop, high)

    def beside(self, opened: Iterable[int]) -> list[Place]:
        """List the nodes that lead, together with the opened leaves, up to the crown."""
        found: list[Place] = []
        here = sorted(set(opened))
        for level in range(self.crown):
            present, width = set(here), self.width(level)
            found += [(level, i ^ 1) for i in here if i ^ 1 not in present and i ^ 1 < width]
            here = sorted({i // 2 for i in here})
        return found

    def nodes(self, leaves: Iterable[Node], top: int | None = None) -> Iterator[tuple[Place, Node]]:
        """Yield every node over `leaves`, in order, up to level `top` (the crown); one a level is kept."""
        top = self.crown if top is None else top
        waiting: list[Node | None] = [None] * top
        for position, node in enumerate(leaves):
            level = 0
            yield (0, position), node
            while level < top:
                if position % 2:
                    left = waiting[level]
                    assert left is not None
                    node = join(left, node)
                elif position + 1 < self.width(level):
                    waiting[level] = node
                    break
                level, position = level + 1, position // 2
                yield (level, position), node

    def climb(self, opened: Mapping[int, Node], beside: Mapping[Place, Node]) -> dict[int, Node]:
        """Return the nodes of the crown above opened leaves."""
        here = dict(opened)
        for level in range(self.crown):
            above = {}
            for position in here:
                pair = position & ~1
                left, right = (here.get(i) or beside.get((level, i)) for i in (pair, pair + 1))
                assert left is not None
                above[position // 2] = left if right is None else join(left, right)
            here = above
        return here


def root_of(crown: Sequence[Node]) -> Node:
    """Return the root above all nodes of a crown."""
    level = list(crown)
    while len(level) > 1:
        odd = level[-1:] if len(level) % 2 else []
        level = [join(left, right) for left, right in zip(level[::2], level[1::2], strict=False)] + odd
    return level[0]

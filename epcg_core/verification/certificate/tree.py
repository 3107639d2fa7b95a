"""Hash trees (Merkle 1980) whose nodes also say which ranks they cover and how many were evaluated.

A path from a leaf to the root proves the leaf's content; because every node adds up those below it, it also
shows sums and the absence of gaps along the path.
"""

from __future__ import annotations

import hashlib
import struct
from collections.abc import Iterable, Sequence

import attrs

from epcg_core.errors import CheckFailedError


@attrs.frozen
class Node:
    """A subtree: its ranks, how they are accounted for, and its hash."""

    start: int
    count: int
    evaluated: int
    pruned: int
    excluded: int
    digest: str

    @property
    def stop(self) -> int:
        return self.start + self.count

    def packed(self) -> bytes:
        numbers = (self.start, self.count, self.evaluated, self.pruned, self.excluded)
        try:
            return struct.pack(">5q", *numbers) + bytes.fromhex(self.digest)
        except (struct.error, ValueError):
            raise CheckFailedError(f"A node of a hash tree is malformed: {self}.") from None


def leaf(start: int, count: int, evaluated: int, pruned: int, excluded: int, content: bytes) -> Node:
    """Make the leaf of some ranks with the hash of their content."""
    if min(start, evaluated, pruned, excluded) < 0 or evaluated + pruned + excluded != count or count < 1:
        raise CheckFailedError(f"The leaf of {count} ranks from {start} on does not account for all of them.")
    node = Node(start, count, evaluated, pruned, excluded, "")
    return attrs.evolve(node, digest=hashlib.sha256(b"\0" + node.packed() + content).hexdigest())


def join(left: Node, right: Node) -> Node:
    """Make the parent of two neighbours. Raises CheckFailedError if they leave a gap or overlap."""
    if left.stop != right.start:
        raise CheckFailedError(f"In a hash tree rank {right.start} follows rank {left.stop - 1}.")
    return Node(
        left.start,
        left.count + right.count,
        left.evaluated + right.evaluated,
        left.pruned + right.pruned,
        left.excluded + right.excluded,
        hashlib.sha256(b"\1" + left.packed() + right.packed()).hexdigest(),
    )


class Tree:
    """A tree over leaves that tile a range."""

    def __init__(self, leaves: Iterable[Node]) -> None:
        self._levels = [list(leaves)]
        while len(self._levels[-1]) > 1:
            below = self._levels[-1]
            pairs = zip(below[::2], below[1::2], strict=False)
            odd = below[-1:] if len(below) % 2 else []
            self._levels.append([join(left, right) for left, right in pairs] + odd)

    @property
    def leaves(self) -> Sequence[Node]:
        return self._levels[0]

    @property
    def root(self) -> Node:
        return self._levels[-1][0]

    def path(self, position: int) -> list[Node]:
        """Return the nodes that lead from a leaf to the root, lowest first."""
        found = []
        for level in self._levels[:-1]:
            other = position ^ 1
            if other < len(level):
                found.append(level[other])
            position //= 2
        return found


def climb(node: Node, path: Sequence[Node]) -> Node:
    """Return the root of a leaf's path."""
    for other in path:
        node = join(other, node) if other.start < node.start else join(node, other)
    return node

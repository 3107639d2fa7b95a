"""How symmetry is broken before a search: stages that share no cover and, up to symmetry, miss none.

For a piece that a cover has at most once, and that no symmetry exchanges for another, only one placement of
each orbit is tried, and only the symmetries that keep this placement remain. A piece that no symmetry maps
onto itself leaves no symmetry. Covers without that piece are a stage of their own, with the next piece; if no
such piece is left, a cover counts if no symmetry maps it to a smaller one.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from functools import cached_property

import attrs

from epcg_core.search.exact_cover.problem import CoverProblem


@attrs.frozen
class Root:
    """A part of the search: covers with one placement fixed, or without any fixed."""

    fixed: tuple[int, ...]
    """The number of the fixed placement, or None."""
    most: tuple[int, ...]
    """For each piece how many copies these covers have at most."""
    kept_by: tuple[int, ...]
    """The elements of the problem's group, except the identity, that map such covers to each other."""


@attrs.frozen
class Stage:
    """Covers that have a piece once, or all that are left."""

    piece: int | None
    most: tuple[int, ...]
    """For each piece how many copies these covers have at most."""
    roots: tuple[Root, ...]
    """One for each placement of the piece that is tried, ascending; one root without the piece."""

    @property
    def tried(self) -> frozenset[int]:
        """The placements of the piece that are tried."""
        return frozenset(number for root in self.roots for number in root.fixed)

    @property
    def tests(self) -> list[tuple[int | None, int]]:
        """(placement or None, element): no cover with the placement may be made smaller by the element."""
        return [
            (root.fixed[0] if root.fixed else None, member) for root in self.roots for member in root.kept_by
        ]


class Orbits:
    """The orbits of each piece's placements under the symmetries, and which piece is best fixed."""

    def __init__(self, problem: CoverProblem) -> None:
        self.problem = problem

    @cached_property
    def each(self) -> list[list[tuple[int, tuple[int, ...]]]]:
        """For each piece the lowest placement of each orbit, and the symmetries that keep it."""
        seen: set[int] = set()
        found: list[list[tuple[int, tuple[int, ...]]]] = [[] for _ in range(self.problem.pieces)]
        images = self.problem.images
        for number, (piece, _) in enumerate(self.problem.placements):
            if number not in seen:
                orbit = [own[number] for own in images]
                seen.update(orbit)
                kept_by = tuple(g for g in range(1, len(orbit)) if orbit[g] == number)
                found[piece].append((number, kept_by))
        return found

    @cached_property
    def kept(self) -> list[float]:
        """For each piece by how many symmetries a placement is kept, on average of its orbits."""
        return [sum(len(kept) for _, kept in own) / max(1, len(own)) for own in self.each]

    def to_fix(self, least: Sequence[int], most: Sequence[int]) -> int | None:
        """Choose a piece that covers have at most once, and that is not exchanged; None if there is none.

        The preferred piece has placements kept by the fewest symmetries; then one that every cover has; then
        the most orbits, which would branch most.
        """
        pieces = [piece for piece in sorted(self.problem.kept_pieces) if most[piece] == 1]
        return min(
            pieces, key=lambda own: (self.kept[own], -least[own], -len(self.each[own]), own), default=None
        )

    def stage(self, piece: int | None, most: Sequence[int]) -> Stage:
        """Return the stage of covers that have `piece` once, or of all covers without symmetry broken."""
        copies = tuple(most)
        if piece is None:
            return Stage(None, copies, (Root((), copies, tuple(range(1, len(self.problem.group)))),))
        return Stage(piece, copies, tuple(Root((number,), copies, kept) for number, kept in self.each[piece]))


def stages(problem: CoverProblem) -> Iterator[Stage]:
    """Split the search into parts that share no cover and, up to symmetry, miss none."""
    most = list(problem.most)
    orbits = Orbits(problem)
    while problem.impossible(most) is None:
        piece = orbits.to_fix(problem.least, most) if len(problem.group) > 1 else None
        yield orbits.stage(piece, most)
        if piece is None:
            return
        most[piece] = 0


def estimate_nodes(problem: CoverProblem, probes: int = 1000, seed: int = 0) -> float:
    """Return about how many partial covers a search visits: the mean of random dives (Knuth 1975).

    A dive multiplies the numbers of ways that it had at every step. The mean is unbiased, its spread large.
    """
    roots = [root for stage in stages(problem) for root in stage.roots]
    if not roots:
        return 0.0
    masks = [sum(1 << cell for cell in cells) for _, cells in problem.placements]
    by_lowest: list[list[int]] = [[] for _ in range(problem.cells)]
    for number, (_, cells) in enumerate(problem.placements):
        by_lowest[cells[0]].append(number)
    chance = random.Random(seed)
    total = 0.0
    for _ in range(probes):
        root = chance.choice(roots)
        left = list(root.most)
        filled = 0
        for number in root.fixed:
            filled |= masks[number]
            left[problem.placements[number][0]] -= 1
        weight = float(len(roots))
        total += weight * len(root.fixed)
        while filled != (1 << problem.cells) - 1:
            cell = (~filled & (filled + 1)).bit_length() - 1
            ways = [n for n in by_lowest[cell] if not masks[n] & filled and left[problem.placements[n][0]]]
            skip = cell in problem.optional
            if not ways and not skip:
                break
            choice = chance.randrange(len(ways) + skip)
            weight *= len(ways) + skip
            if choice == len(ways):
                filled |= 1 << cell
                continue
            total += weight
            filled |= masks[ways[choice]]
            left[problem.placements[ways[choice]][0]] -= 1
    return total / probes

"""Knuth's Algorithm X in plain Python, and random problems: the reference for the compiled search."""

from __future__ import annotations

from collections.abc import Iterator

from hypothesis import strategies as st

from epcg_core.search.exact_cover.problem import CoverProblem

Cover = tuple[int, ...]


def all_covers(problem: CoverProblem) -> list[Cover]:
    """Every cover as ascending placement numbers, symmetric ones too: the cell with the fewest ways first."""

    def search(empty: frozenset[int], left: tuple[int, ...], chosen: Cover) -> Iterator[Cover]:
        if not empty - problem.optional:
            # Optional cells that are still empty may be covered by further placements, in ascending order.
            if all(
                most - rest >= least
                for most, rest, least in zip(problem.most, left, problem.least, strict=True)
            ):
                yield tuple(sorted(chosen))
            for number, (piece, cells) in enumerate(problem.placements):
                if left[piece] and empty.issuperset(cells) and number > last_extra(chosen):
                    yield from search(empty - set(cells), used(left, piece), (*chosen, number))
            return
        ways = {
            cell: [
                number
                for number, (piece, cells) in enumerate(problem.placements)
                if cell in cells and left[piece] and empty.issuperset(cells)
            ]
            for cell in empty - problem.optional
        }
        for number in ways[min(ways, key=lambda cell: len(ways[cell]))]:
            piece, cells = problem.placements[number]
            yield from search(empty - set(cells), used(left, piece), (*chosen, number))

    def last_extra(chosen: Cover) -> int:
        """The last placement that covers optional cells only, -1 before the first."""
        if chosen and problem.optional.issuperset(problem.placements[chosen[-1]][1]):
            return chosen[-1]
        return -1

    return [
        cover
        for cover in sorted(set(search(frozenset(range(problem.cells)), problem.most, ())))
        if problem.empty in (None, problem.cells - sum(len(problem.placements[n][1]) for n in cover))
        and (problem.unused is None or sum(problem.most) - len(cover) <= problem.unused)
    ]


def used(left: tuple[int, ...], piece: int) -> tuple[int, ...]:
    return tuple(count - (p == piece) for p, count in enumerate(left))


def modulo_symmetry(problem: CoverProblem, covers: list[Cover]) -> list[Cover]:
    """The smallest of the images of each cover."""
    return sorted(
        {min(tuple(sorted(image[n] for n in cover)) for image in problem.images) for cover in covers}
    )


DIHEDRAL = (
    lambda x, y, w, h: (y, w - 1 - x),
    lambda x, y, w, h: (w - 1 - x, y),
    lambda x, y, w, h: (x, h - 1 - y),
)


@st.composite
def boards(draw: st.DrawFn, width: int = 4, height: int = 3) -> CoverProblem:
    """Random polyominoes on a small board, every placement of them, with or without symmetry.

    Some symmetries exchange two of the pieces.
    """
    w, h = draw(st.integers(1, width)), draw(st.integers(1, height))
    candidates = list(DIHEDRAL[1:] + DIHEDRAL[:1] if w == h else DIHEDRAL[1:])
    chosen = draw(st.lists(st.sampled_from(range(len(candidates))), unique=True))
    symmetries = [
        tuple(y * w + x for x, y in (candidates[i](c % w, c // w, w, h) for c in range(w * h)))
        for i in chosen
    ]
    pieces = draw(st.integers(1, 3))
    if exchange := pieces > 1 and draw(st.booleans()):
        orders = [(*range(pieces),), (1, 0, *range(2, pieces))]
        symmetries = [(*own, *draw(st.sampled_from(orders))) for own in symmetries]
    problem = CoverProblem(w * h, (), (0,) * pieces, (0,) * pieces, (), symmetries)
    every: set[tuple[int, tuple[int, ...]]] = set()
    for piece in range(pieces):
        size = draw(st.integers(1, 4))
        shape = {(0, 0)}
        for _ in range(size - 1):
            x, y = draw(st.sampled_from(sorted(shape)))
            dx, dy = draw(st.sampled_from([(1, 0), (0, 1), (-1, 0), (0, -1)]))
            shape.add((x + dx, y + dy))
        found = set()
        for dx in range(-4, w + 4):
            for dy in range(-4, h + 4):
                moved = [(x + dx, y + dy) for x, y in shape]
                if all(0 <= x < w and 0 <= y < h for x, y in moved):
                    found.add(tuple(sorted(y * w + x for x, y in moved)))
        every |= {
            (s[w * h + piece], tuple(sorted(s[c] for c in cells))) for cells in found for s in problem.group
        }
    placements = sorted(every)
    most = [draw(st.integers(0, 4)) for _ in range(pieces)]
    least = [draw(st.integers(0, min(1, m))) for m in most]
    if exchange:
        most[1], least[1] = most[0], least[0]
    optional: set[int] = set()
    for cell in draw(st.lists(st.integers(0, w * h - 1), max_size=2)):
        optional |= {s[cell] for s in problem.group}
    return CoverProblem(
        w * h, draw(st.permutations(placements)), least, most, optional, symmetries,
        empty=draw(st.none() | st.integers(0, min(2, len(optional)))),
        unused=draw(st.none() | st.integers(0, 3)),
    )  # fmt: skip

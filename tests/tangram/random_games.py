"""Random small games of pieces, which can be solved, and ten lines that try everything."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import combinations
from random import Random

import attrs
from epcg_tangram.design.definition import PALETTE, CellColour, Definition, PieceKind, Place
from epcg_tangram.design.layout import Layout
from epcg_tangram.design.shapes import canonical, group_for, group_of
from epcg_tangram.lattices import LATTICES, Cell, Lattice
from epcg_tangram.lattices.lattice import total
from epcg_tangram.texts.game_writer import format_game

BOARDS: dict[str, list[tuple[str, tuple[int, ...]]]] = {
    "squares": [("rectangle", (3, 3)), ("rectangle", (4, 3)), ("rectangle", (5, 2)), ("rectangle", (4, 4))],
    "triangles": [
        ("hexagon", (1,)),
        ("triangle", (3,)),
        ("parallelogram", (3, 2)),
        ("parallelogram", (2, 2)),
    ],
    "hexagons": [("hexagon", (2,)), ("parallelogram", (3, 3)), ("parallelogram", (4, 2)), ("triangle", (4,))],
    "quarters": [("rectangle", (2, 1)), ("diamond", (1,)), ("triangle", (2,)), ("rectangle", (3, 1))],
    "cubes": [("box", (2, 2, 2)), ("box", (3, 2, 1)), ("box", (3, 2, 2)), ("box", (2, 2, 3))],
}
"""(family, sizes) of small boards, most of which have symmetries."""


def text_of(seed: int) -> str:
    """Return the text of a game that has at least one solution."""
    random = Random(seed)
    lattice = LATTICES[random.choice(sorted(LATTICES))]
    family, sizes = random.choice(BOARDS[lattice.name])
    cells = sorted(lattice.at_origin(lattice.families[family].cells(*sizes)), key=lattice.reading)
    one_sided = random.random() < 0.45  # some pieces are mirror images of others
    for _ in range(0 if one_sided else random.choice((0, 0, 0, 1, 2))):
        cells.remove(random.choice(cells))
    groups = list(_groups(lattice, cells, random))
    left_out = groups.pop() if len(groups) > 1 and not one_sided and random.random() < 0.3 else []
    may_stay_empty = random.random() < 0.6
    pieces: list[PieceKind] = []
    colour_of: dict[Cell, str] = {}
    for group in groups:
        turn, flip = (True, False) if one_sided else (random.random() < 0.9, random.random() < 0.8)
        shape = lattice.at_origin(group)
        own = canonical(lattice, shape, group_for(lattice, "one-sided" if one_sided else "free"))
        same = next((n for n, kind in enumerate(pieces) if kind.shape == own), None)
        if same is None or not (one_sided or (turn and flip)):
            shape = own if one_sided or (turn and flip) else shape
            colour = random.choice(("red", "blue"))
            name = f"piece {chr(97 + len(pieces))}"
            marks_of = () if one_sided else _cell_colours(lattice, shape, random)
            kind = PieceKind(name, shape, lattice, 1, 1, colour, turn, flip, marks_of)
            pieces.append(kind)
        else:
            kind = pieces[same]
            kind = pieces[same] = attrs.evolve(
                kind, least=kind.least + 1, most=kind.most + 1, turn=True, flip=not one_sided
            )
        lying = lattice.at_origin(group)
        ways = group_of(lattice, kind.turn, kind.flip)
        seen = next(own for own in map(kind.colours_under, ways) if own.keys() == lying)
        colour_of |= {total(cell, lattice.corner(group)): own for cell, own in seen.items()}
    unused: int | None = random.choice((0, 0, 0, 1, None))
    if one_sided:
        pieces, unused = _with_mirror_images(pieces), None
    if unused != 0:
        more = {random.randrange(len(pieces)) for _ in range(unused or random.randrange(3))}
        pieces = [attrs.evolve(k, least=0, most=k.most + (n in more)) for n, k in enumerate(pieces)]
    marks: list[tuple[int, Place]] = []
    signs: dict[tuple[tuple[str, ...], bool], str] = {}
    wanting = random.choice((0.06, 0.06, 0.4)) if any(kind.marks for kind in pieces) else 0.06
    for n, cell in enumerate(cells):
        optional = may_stay_empty and bool(left_out) and (cell in left_out or random.random() < 0.2)
        colours: tuple[str, ...] = ()
        if cell in colour_of and random.random() < (0.01 if one_sided else wanting):
            colours = random.choice(((colour_of[cell],), ("blue", "red")))
        if colours or optional:
            sign = signs.setdefault((colours, optional), "abcdefgh"[len(signs)])
            marks.append((n, Place(sign, colours, optional)))
    empty: int | None = len(left_out)
    if any(own.optional for _, own in marks) and random.random() < 0.5:
        empty = None
    used = {colour for kind in pieces for colour in kind.colours}
    used |= {colour for _, own in marks for colour in own.colours}
    return format_game(
        Definition(
            lattice=lattice, cells=tuple(cells), pieces=tuple(pieces), title=f"Game {seed}",
            colours=tuple(paint for paint in PALETTE.values() if paint.name in used),
            places=frozenset(own for _, own in marks), marks=tuple(marks), unused=unused, empty=empty,
        )
    )  # fmt: skip


def _cell_colours(
    lattice: Lattice, shape: frozenset[Cell], random: Random
) -> tuple[tuple[Cell, CellColour], ...]:
    """Give some cells of some pieces a colour of their own, of some another one behind."""
    if random.random() < 0.6:
        return ()
    sides = [(random.choice(("red", "blue")), random.choice(("red", "blue", "green"))) for _ in "xy"]
    own = [
        CellColour(sign, front, front if lattice.layered else back)
        for sign, (front, back) in zip("xy", sides, strict=True)
    ]
    return tuple((cell, random.choice(own)) for cell in sorted(shape) if random.random() < 0.5)


def _with_mirror_images(pieces: list[PieceKind]) -> list[PieceKind]:
    """Return one-sided pieces and their mirror images, as many copies of each other."""
    found = {kind.shape: kind for kind in pieces}
    for kind in pieces:
        lattice = kind.lattice
        flip = next(n for n in range(len(lattice.symmetries)) if lattice.is_mirrored(n))
        mirrored = canonical(lattice, lattice.moved(kind.shape, flip), group_for(lattice, "one-sided"))
        name = f"piece {chr(97 + len(found))}"
        other = found.setdefault(mirrored, attrs.evolve(kind, name=name, shape=mirrored))
        most = max(kind.most, other.most)
        found[kind.shape] = attrs.evolve(found[kind.shape], least=0, most=most)
        found[mirrored] = attrs.evolve(found[mirrored], least=0, most=most)
    return list(found.values())


def _groups(lattice: Lattice, cells: Iterable[Cell], random: Random) -> Iterator[list[Cell]]:
    """Divide a board into pieces; a few of them are in several parts."""
    left = list(cells)
    while left:
        group = [left.pop(random.randrange(len(left)))]
        scattered = random.random() < 0.12
        for _ in range(random.choice((0, 1, 1, 2, 2, 3))):
            near = [c for c in left if scattered or any(c in lattice.neighbours(own) for own in group)]
            if near:
                group.append(random.choice(near))
                left.remove(group[-1])
        yield group


# --- what can be found by trying everything


def every_placement(layout: Layout) -> set[tuple[int, frozenset[int]]]:
    """Return (piece, cells) of each way to lie: every motion, every shift, colours as cells want them."""
    lattice, step = layout.lattice, layout.lattice.step
    wants = {layout.places[cell]: place.colours for cell, place in layout.definition.marks if place.colours}
    found = set()
    for piece, kind in enumerate(layout.definition.pieces):
        marks = dict(kind.marks)
        for motion in range(len(lattice.symmetries)):
            over = lattice.is_mirrored(motion)
            if (over and not kind.flip) or (motion % lattice.turns and not kind.turn):
                continue
            lying = [
                (lattice.image(cell, motion), (mark.back if over else mark.front) if mark else kind.colour)
                for cell in kind.shape
                for mark in [marks.get(cell)]
            ]
            for place in layout.places:
                by = tuple(a - b for a, b in zip(place, lying[0][0], strict=True))
                there = [(tuple(a + b for a, b in zip(cell, by, strict=True)), own) for cell, own in lying]
                if all(own % step == 0 for own in by) and all(
                    cell in layout.number and own in wants.get(cell, (own,)) for cell, own in there
                ):
                    found.add((piece, frozenset(layout.number[cell] for cell, _ in there)))
    return found


def every_cover(layout: Layout) -> set[frozenset[int]]:
    """Return the placements of each solution, in every orientation."""
    definition, kinds = layout.definition, layout.definition.pieces
    lowest: dict[int, list[tuple[int, int, int]]] = {cell: [] for cell in range(layout.cells)}
    for n, own in enumerate(layout.placements):
        lowest[min(own.cells)].append((n, own.piece, sum(1 << cell for cell in own.cells)))
    wanted = sum(1 << cell for cell, place in definition.marks if place.optional)
    may_stay_empty = wanted or ((1 << layout.cells) - 1 if definition.empty else 0)
    found: set[frozenset[int]] = set()

    def go_on(lying: tuple[int, ...], left: tuple[int, ...], free: int, empty: int) -> None:
        if not free:
            enough = all(kind.most - own >= kind.least for kind, own in zip(kinds, left, strict=True))
            if definition.empty in (None, empty) and enough and sum(left) <= (definition.unused or sum(left)):
                found.add(frozenset(lying))
            return
        cell = free & -free
        for n, piece, mask in lowest[cell.bit_length() - 1]:
            if left[piece] and not mask & ~free:
                after = (*left[:piece], left[piece] - 1, *left[piece + 1 :])
                go_on((*lying, n), after, free & ~mask, empty)
        if cell & may_stay_empty and (definition.empty is None or empty < definition.empty):
            go_on(lying, left, free & ~cell, empty + 1)

    go_on((), tuple(kind.most for kind in kinds), (1 << layout.cells) - 1, 0)
    return found


def images(layout: Layout, turns_alone: bool = False) -> list[list[int]]:
    """Return the image of each placement under each symmetry of the game, or each turn."""
    number = {(p.piece, p.cells): n for n, p in enumerate(layout.placements)}
    return [
        [number[own.pieces[p.piece], tuple(sorted(own.cells[c] for c in p.cells))] for p in layout.placements]
        for own in layout.symmetries
        if not (turns_alone and layout.lattice.is_mirrored(own.number))
    ]


def orbits(layout: Layout, sets: Iterable[frozenset[int]], turns_alone: bool = False) -> set[tuple[int, ...]]:
    """Return of sets of placements that a symmetry makes equal, or a turn, the least."""
    moved = images(layout, turns_alone)
    return {min(tuple(sorted(image[n] for n in own)) for image in moved) for own in sets}


def proper(covers: Iterable[frozenset[int]], size: int) -> set[frozenset[int]]:
    """Return the sets of so many placements that exactly one solution has."""
    found = Counter(frozenset(some) for cover in covers for some in combinations(sorted(cover), size))
    return {some for some, count in found.items() if count == 1}

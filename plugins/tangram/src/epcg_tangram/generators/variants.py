"""The generator `boards`: which boards a game's pieces may fill."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable
from functools import cached_property, partial
from itertools import chain, combinations, product
from math import comb

import attrs

from epcg_core.plugin import ParamsError, RankError, UnknownNameError
from epcg_tangram.design.definition import Definition, PieceKind, Place
from epcg_tangram.design.layout import Layout, layout_of
from epcg_tangram.design.shapes import all_shapes, canonical, group_for
from epcg_tangram.lattices import Cell, Lattice
from epcg_tangram.lattices.lattice import Shape, difference
from epcg_tangram.params import GameRef, VariantsParams
from epcg_tangram.texts.drawings import draw_in_line, read_signs_in_line

MOST_TRIED = 1_000_000
"""The most choices of cells that are taken out, each of which is looked at."""
MOST_AREA = 12
"""The most cells of a board of any shape."""


@attrs.frozen
class BoardShape:
    """A board, for the pieces of a game."""

    game: GameRef
    cells: Shape
    """At the origin."""
    marks: frozenset[tuple[Cell, Place]] = frozenset()
    """(cell, what is asked of it) of cells with a sign of their own."""
    empty: int | None = None
    """How many cells stay empty; None for as many as the game says."""
    sizes: tuple[tuple[str, int], ...] = attrs.field(default=(), eq=False)
    """(name, cells) of each size, if it is a board of the game's family."""
    left: tuple[str, ...] = attrs.field(default=(), eq=False)
    """The labels of the cells that stay empty, as those of a date: of each date with this board."""

    @property
    def definition(self) -> Definition:
        """The game on this board."""
        own = self.game.definition
        cells = tuple(sorted(self.cells, key=own.lattice.reading))
        marks = tuple(sorted((cells.index(cell), place) for cell, place in self.marks))
        empty = own.empty if self.empty is None else self.empty
        sizes = own.sizes if self.cells == own.lattice.at_origin(own.cells) else self.sizes
        kept = self.cells == own.lattice.at_origin(own.cells)
        labels = own.labels if kept else ()
        return attrs.evolve(own, cells=cells, marks=marks, sizes=sizes, empty=empty, labels=labels)


_Key = tuple[tuple[Cell, object], ...]
"""A board however it lies: its cells, each with what is asked of it."""


class BoardVariants:
    """Boards up to the symmetries under which the game's pieces stay the same, each once.

    `holes`: the game's board without some of its cells, wherever they are; of the others is asked what is
    asked there. `sizes`: its family in a range of sizes; `shapes`: all connected boards of an area.
    """

    domain_attributes = ("lattice", "params")

    def __init__(self, params: VariantsParams) -> None:
        self.params = params
        self._game = params.ref
        definition = params.definition
        self.lattice: Lattice = definition.lattice
        given = {
            "holes": params.holes is not None,
            "sizes": bool(params.least or params.most),
            "shapes": params.area is not None,
            "leave": bool(params.leave),
        }
        if sum(given.values()) > 1:
            raise ParamsError(
                "boards: say one of `holes`, how many cells are taken out, `least` and `most`, the range of "
                "sizes, `area`, the cells of boards of any shape, or `leave`, signs of which a cell stays "
                "empty."
            )
        self._kind = next((kind for kind, own in given.items() if own), "holes")
        free = len(definition.cells) - definition.most_empty - definition.most_area
        self._out = max(0, free) if params.holes is None else params.holes

    @property
    def setting(self) -> Layout:
        """The game's own board without pieces."""
        return layout_of(self.params.definition)

    @cached_property
    def _group(self) -> tuple[int, ...]:
        """The symmetries that keep the pieces together: without flips if some may not be turned over.

        Those may that have their mirror images among the pieces, too.
        """
        own = self._ways_under(0)
        return tuple(n for n in group_for(self.lattice, "free") if self._ways_under(n) == own)

    def _ways_under(self, number: int) -> Counter[object]:
        """Return of each piece what tells it from others, the ways in which it lies moved by a symmetry."""
        moved = partial(self.lattice.moved, symmetry=number)

        def lying(kind: PieceKind) -> object:
            """Return the ways, with the colours of the cells if colours matter."""
            if not self.params.definition.coloured:
                return frozenset(self.lattice.at_origin(moved(shape)) for shape in kind.orientations)
            return kind.looks(number)

        kinds = self.params.definition.pieces
        return Counter((lying(kind), kind.least, kind.most) for kind in kinds)

    @cached_property
    def _listed(self) -> list[BoardShape]:
        if self._kind in ("holes", "leave"):
            return self._holes() if self._kind == "holes" else self._left()
        if self._kind == "sizes":
            return self._sizes()
        return [BoardShape(self._game, own) for own in self._shapes()]

    def _key(self, state: BoardShape) -> _Key:
        """Return what boards have in common that only lie differently."""
        marks = {cell: place.meaning for cell, place in state.marks}
        return min(
            tuple(sorted((cell, marks.get(place, ((), False))) for place, cell in images))
            for images in (self._images_under(state.cells, number) for number in self._group)
        )

    def _images_under(self, cells: Shape, symmetry: int) -> list[tuple[Cell, Cell]]:
        """Return each cell with its image under a symmetry, at the origin."""
        places = sorted(cells)
        moved = [self.lattice.image(place, symmetry) for place in places]
        corner = self.lattice.corner(moved)
        return [(place, difference(own, corner)) for place, own in zip(places, moved, strict=True)]

    def _holes(self) -> list[BoardShape]:
        cells, holes = self.params.definition.cells, self._out
        if holes >= len(cells):
            raise ParamsError(f"holes: the board has {len(cells)} cells, so {holes} cannot be taken out.")
        if comb(len(cells), holes) > MOST_TRIED:
            raise ParamsError(
                f"holes: there are {comb(len(cells), holes):,} ways to take {holes} of {len(cells)} cells "
                "out; at most "
                f"{MOST_TRIED:,} are tried."
            )
        images = [own.cells for own in self.setting.symmetries]
        return self._without(
            out
            for out in combinations(range(len(cells)), holes)
            if all(tuple(sorted(image[cell] for cell in out)) >= out for image in images)
        )

    def _left(self) -> list[BoardShape]:
        """Return the boards of which a cell of each sign is left empty."""
        cells_of: dict[str, list[int]] = {}
        for cell, place in self.params.definition.marks:
            cells_of.setdefault(place.sign, []).append(cell)
        for number, sign in enumerate(self.params.leave):
            if sign not in cells_of:
                raise UnknownNameError("sign of the board", sign, sorted(cells_of), f"leave {number + 1}")
        times = Counter(self.params.leave)
        for sign, count in times.items():
            if count > len(cells_of[sign]):
                raise ParamsError(
                    f"leave: {count} cells '{sign}' cannot stay empty, the board has {len(cells_of[sign])}."
                )
        if len(self.params.leave) >= len(self.params.definition.cells):
            raise ParamsError("leave: all cells of the board would stay empty.")
        each = [combinations(cells_of[sign], count) for sign, count in times.items()]
        if math.prod(comb(len(cells_of[sign]), count) for sign, count in times.items()) > MOST_TRIED:
            raise ParamsError(f"leave: there are more than {MOST_TRIED:,} ways to choose these cells.")
        return self._without(tuple(sorted(chain(*chosen))) for chosen in product(*each))

    def _without(self, every: Iterable[tuple[int, ...]]) -> list[BoardShape]:
        """Return the board without some of its cells, each once however it lies."""
        definition = self.params.definition
        cells, marks, labels = definition.cells, dict(definition.marks), definition.label_of
        found: dict[_Key, BoardShape] = {}
        for out in every:
            gone = set(out)
            kept = {place: marks.get(cell) for cell, place in enumerate(cells) if cell not in gone}
            shifted = self._images_under(frozenset(kept), 0)
            asked = ((cell, kept[place]) for place, cell in shifted)
            date = ", ".join(label for cell, label in labels.items() if cell in gone)
            own = BoardShape(
                self._game,
                frozenset(cell for _, cell in shifted),
                frozenset((cell, place) for cell, place in asked if place is not None),
                0 if self._kind == "leave" else None,
                left=(date,) if date else (),
            )
            # What is left may be equal without a symmetry of the whole board, moved or turned.
            key = self._key(own)
            before = found.get(key)
            found[key] = own if before is None else attrs.evolve(before, left=(*before.left, *own.left))
        return list(found.values())

    def _sizes(self) -> list[BoardShape]:
        definition, least, most = self.params.definition, self.params.least, self.params.most
        names = [name for name, _ in definition.sizes]
        if not names:
            raise ParamsError(
                "least: the game's board is drawn, so it has no sizes; take cells out of it instead."
            )
        if not len(least) == len(most) == len(names):
            raise ParamsError(
                f"least, most: a number is needed for each size of the board: {', '.join(names)}."
            )
        found: dict[Shape, BoardShape] = {}
        for sizes in product(*(range(a, b + 1) for a, b in zip(least, most, strict=True))):
            own = GameRef(self._game.game, sizes, self._game.sha256).definition
            cells = self.lattice.at_origin(own.cells)
            board = BoardShape(self._game, cells, sizes=own.sizes)
            found.setdefault(canonical(self.lattice, cells, self._group), board)
        return list(found.values())

    def _shapes(self) -> list[Shape]:
        area = self.params.area or 0
        if area > MOST_AREA:
            raise ParamsError(
                f"area: boards of any shape have at most {MOST_AREA} cells here: of {area} there are too "
                "many to list."
            )
        free = all_shapes(self.lattice, area)
        return sorted({canonical(self.lattice, own, self._group) for own in self._images(free)}, key=sorted)

    def _images(self, free: list[Shape]) -> list[Shape]:
        """Return shapes, and their turns and mirror images if the pieces tell them apart."""
        every = group_for(self.lattice, "free")
        if self._group == every:
            return free
        return [self.lattice.at_origin(self.lattice.moved(own, number)) for own in free for number in every]

    @cached_property
    def _ranks(self) -> dict[_Key, int]:
        return {self._key(own): rank for rank, own in enumerate(self._listed)}

    @property
    def max_rank(self) -> int:
        return len(self._listed)

    def unrank(self, rank: int) -> BoardShape:
        """Return the board of a rank. Raises RankError."""
        if not 0 <= rank < self.max_rank:
            raise RankError(f"There is no board {rank}: there are {self.max_rank:,}, ranks from 0.")
        return self._listed[rank]

    def rank(self, state: BoardShape) -> int:
        """Return the rank of a board, however it lies. Raises RankError if it is not one of the space."""
        own = self._key(state)
        if state.game != self._game or own not in self._ranks:
            raise RankError("The board is not one of this space.")
        return self._ranks[own]

    def parse(self, text: str) -> BoardShape:
        """Read a drawing of a board, its rows divided by strokes. Raises ParamsError."""
        signs = self.params.definition.signs
        found = read_signs_in_line(self.lattice, text, signs)
        marks = frozenset((cell, signs[sign]) for cell, sign in found.items() if sign in signs)
        return BoardShape(self._game, frozenset(found), marks, 0 if self._kind == "leave" else None)

    def format(self, state: BoardShape) -> str:
        """Draw a board, its rows divided by strokes, with the signs of cells of which something is asked."""
        signs = {cell: place.sign for cell, place in state.marks}
        return draw_in_line(self.lattice, {cell: signs.get(cell, "") for cell in state.cells})


def boards(params: VariantsParams) -> BoardVariants:
    """Make the space of boards. Raises ParamsError."""
    return BoardVariants(params)

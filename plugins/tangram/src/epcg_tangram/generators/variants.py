"""The generator `boards`: which boards a game's pieces may fill."""

from __future__ import annotations

from collections import Counter
from functools import cached_property, partial
from itertools import combinations, product
from math import comb

import attrs

from epcg_core.plugin import ParamsError, RankError
from epcg_tangram.design.definition import Definition
from epcg_tangram.design.layout import Layout, layout_of
from epcg_tangram.design.shapes import all_shapes, canonical, group_for
from epcg_tangram.lattices import Cell, Lattice
from epcg_tangram.lattices.lattice import Shape
from epcg_tangram.params import GameRef, VariantsParams
from epcg_tangram.texts.drawings import draw_in_line, read_signs_in_line
from epcg_tangram.texts.game_writer import signs_of_wants

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
    wants: frozenset[tuple[Cell, str]] = frozenset()
    """(cell, the colour that a piece on it must have)."""

    @property
    def definition(self) -> Definition:
        """The game on this board."""
        own = self.game.definition
        cells = tuple(sorted(self.cells, key=own.lattice.reading))
        wants = tuple(sorted((cells.index(cell), colour) for cell, colour in self.wants))
        return attrs.evolve(own, cells=cells, wants=wants, sizes=())


_Key = tuple[tuple[Cell, str], ...]
"""A board however it lies: its cells, each with the colour that it wants; '' for none."""


class BoardVariants:
    """Boards up to the symmetries under which the game's pieces stay the same, each once.

    `holes`: the game's board without some of its cells, wherever they are; the others want the colours that
    they want there. `sizes`: its family in a range of sizes; `shapes`: all connected boards of an area.
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
        }
        if sum(given.values()) > 1:
            raise ParamsError(
                "boards: say one of `holes`, how many cells are taken out, `least` and `most`, the range of "
                "sizes, "
                "or `area`, the cells of boards of any shape."
            )
        self._kind = next((kind for kind, own in given.items() if own), "holes")
        free = len(definition.cells) - definition.empty - definition.most_area
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
        return Counter(
            (
                frozenset(self.lattice.at_origin(moved(shape)) for shape in kind.orientations),
                kind.colour if self.params.definition.wants else "", kind.least, kind.most,
            )
            for kind in self.params.definition.pieces
        )  # fmt: skip

    @cached_property
    def _listed(self) -> list[BoardShape]:
        if self._kind == "holes":
            return self._holes()
        shapes = self._sizes() if self._kind == "sizes" else self._shapes()
        return [BoardShape(self._game, own) for own in shapes]

    def _key(self, state: BoardShape) -> _Key:
        """Return what boards have in common that only lie differently."""
        wants = dict(state.wants)
        return min(
            tuple(sorted((cell, wants.get(place, "")) for place, cell in images))
            for images in (self._images_under(state.cells, number) for number in self._group)
        )

    def _images_under(self, cells: Shape, symmetry: int) -> list[tuple[Cell, Cell]]:
        """Return each cell with its image under a symmetry, at the origin."""
        places = sorted(cells)
        p, q, r, s = self.lattice.symmetries[symmetry]
        moved = [(p * a + q * b, r * a + s * b) for a, b in places]
        step = self.lattice.step
        low = [min(cell[axis] for cell in moved) // step * step for axis in (0, 1)]
        return [(place, (a - low[0], b - low[1])) for place, (a, b) in zip(places, moved, strict=True)]

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
        wants = dict(self.params.definition.wants)
        found: dict[_Key, BoardShape] = {}
        for out in combinations(range(len(cells)), holes):
            if all(tuple(sorted(image[cell] for cell in out)) >= out for image in images):
                gone = set(out)
                kept = {place: wants.get(cell, "") for cell, place in enumerate(cells) if cell not in gone}
                shifted = self._images_under(frozenset(kept), 0)
                wanted = frozenset((cell, kept[place]) for place, cell in shifted if kept[place])
                own = BoardShape(self._game, frozenset(cell for _, cell in shifted), wanted)
                # What is left may be equal without a symmetry of the whole board, moved or turned.
                found.setdefault(self._key(own), own)
        return list(found.values())

    def _sizes(self) -> list[Shape]:
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
        found: dict[Shape, None] = {}
        for sizes in product(*(range(a, b + 1) for a, b in zip(least, most, strict=True))):
            cells = GameRef(self._game.game, sizes, self._game.sha256).definition.cells
            found.setdefault(canonical(self.lattice, cells, self._group))
        return list(found)

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
        colours = {sign: colour for colour, sign in signs_of_wants(self.params.definition).items()}
        found = read_signs_in_line(self.lattice, text, colours)
        wants = frozenset((cell, colours[sign]) for cell, sign in found.items() if sign in colours)
        return BoardShape(self._game, frozenset(found), wants)

    def format(self, state: BoardShape) -> str:
        """Draw a board, its rows divided by strokes, with letters where a colour is wanted."""
        signs = signs_of_wants(self.params.definition)
        wants = {cell: signs[colour] for cell, colour in state.wants}
        return draw_in_line(self.lattice, {cell: wants.get(cell, "") for cell in state.cells})


def boards(params: VariantsParams) -> BoardVariants:
    """Make the space of boards. Raises ParamsError."""
    return BoardVariants(params)

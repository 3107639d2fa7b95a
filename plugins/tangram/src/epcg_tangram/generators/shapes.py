"""The generator `shapes`: which pieces there are."""

from __future__ import annotations

from functools import cached_property

import attrs

from epcg_core.plugin import ParamsError, RankError, UnknownNameError
from epcg_tangram.design.shapes import all_shapes, canonical, compositions, group_for
from epcg_tangram.lattices import Lattice, lattice_of
from epcg_tangram.lattices.lattice import Shape
from epcg_tangram.params import ShapesParams
from epcg_tangram.texts.drawings import draw_in_line, read_in_line
from epcg_tangram.texts.names import known_shapes

MOST_SHAPES = 300_000
"""A size whose shapes would probably be more is refused: they are listed before they are ranked."""
MOST_COMPOSED = 50_000
"""The same of shapes that copies of one make, which takes longer."""
GROWTH = 5.2
"""Shapes of one more cell are at most about so many times as many, on every lattice."""


@attrs.frozen
class ShapeState:
    """A shape."""

    lattice: Lattice
    cells: Shape
    """At the origin."""


class Shapes:
    """All shapes of so many cells, or of so many copies of a base, ascending by their sorted cells."""

    domain_attributes = ("lattice", "params")

    def __init__(self, params: ShapesParams) -> None:
        self.params = params
        self.lattice = lattice_of(params.lattice)
        if not params.of:
            self._check_size()

    def _check_size(self) -> None:
        cells = self.params.count
        known = 8
        if cells <= known:
            return
        about = len(all_shapes(self.lattice, known, self.params.equal)) * GROWTH ** (cells - known)
        if about > MOST_SHAPES:
            raise ParamsError(
                f"shapes: {cells} {self.lattice.cell_word[1]} make about {about:.0e} shapes; they are "
                "listed in "
                f"memory, at most {MOST_SHAPES:,}. Choose fewer cells."
            )

    @cached_property
    def _base(self) -> Shape:
        text = self.params.of
        known = known_shapes(self.lattice)
        if text in known:
            return known[text]
        if "\n" not in text and not set(text) <= {*self.lattice.flat.signs.read, *"./ "}:
            raise UnknownNameError("shape", text, known, "of")
        return read_in_line(self.lattice, text)

    @cached_property
    def _listed(self) -> list[Shape]:
        if not self.params.of:
            return all_shapes(self.lattice, self.params.count, self.params.equal)
        if len(self._base) * self.params.count > 24:
            raise ParamsError(
                f"count: {self.params.count} copies have {len(self._base) * self.params.count} cells; at "
                "most 24 are "
                "put together."
            )
        return compositions(self.lattice, self._base, self.params.count, self.params.equal, MOST_COMPOSED)

    @cached_property
    def _ranks(self) -> dict[Shape, int]:
        return {shape: rank for rank, shape in enumerate(self._listed)}

    @property
    def max_rank(self) -> int:
        return len(self._listed)

    def unrank(self, rank: int) -> ShapeState:
        """Return the shape of a rank. Raises RankError."""
        if not 0 <= rank < self.max_rank:
            raise RankError(f"There is no shape {rank}: there are {self.max_rank:,}, ranks from 0.")
        return ShapeState(self.lattice, self._listed[rank])

    def rank(self, state: ShapeState) -> int:
        """Return the rank of a shape, however it lies. Raises RankError if it is not one of the space."""
        own = canonical(self.lattice, state.cells, group_for(self.lattice, self.params.equal))
        if state.lattice is not self.lattice or own not in self._ranks:
            raise RankError("The shape is not one of this space.")
        return self._ranks[own]

    def parse(self, text: str) -> ShapeState:
        """Read a drawing of a shape, in lines, or in parts divided by strokes. Raises ParamsError."""
        return ShapeState(self.lattice, read_in_line(self.lattice, text))

    def format(self, state: ShapeState) -> str:
        """Draw a shape, its rows divided by strokes: '###/#..'."""
        return draw_in_line(self.lattice, state.cells)


def shapes(params: ShapesParams) -> Shapes:
    """Make the space of shapes. Raises ParamsError."""
    return Shapes(params)

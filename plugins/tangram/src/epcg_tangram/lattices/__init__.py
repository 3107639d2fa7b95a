"""The lattices on which games of pieces are played: a file for each, and the contract that they meet."""

from __future__ import annotations

from epcg_core.plugin import UnknownNameError
from epcg_tangram.lattices.cubes import Cubes
from epcg_tangram.lattices.hexagons import Hexagons
from epcg_tangram.lattices.lattice import Cell, Flat, Lattice, Point, Vertex
from epcg_tangram.lattices.quarters import Quarters
from epcg_tangram.lattices.squares import SQUARES
from epcg_tangram.lattices.triangles import Triangles

_ALL: tuple[Lattice, ...] = (SQUARES, Triangles(), Hexagons(), Quarters(), Cubes())
LATTICES = {own.name: own for own in _ALL}
"""Every lattice by its name."""


def lattice_of(name: str, where: str = "lattice") -> Lattice:
    """Return the lattice of a name. Raises UnknownNameError, which begins with `where`."""
    if name not in LATTICES:
        raise UnknownNameError("lattice", name, LATTICES, where)
    return LATTICES[name]


__all__ = ["LATTICES", "Cell", "Flat", "Lattice", "Point", "Vertex", "lattice_of"]

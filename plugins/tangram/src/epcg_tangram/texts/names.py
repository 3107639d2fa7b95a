"""The names that everybody knows for small shapes."""

from __future__ import annotations

from functools import lru_cache

from epcg_tangram.design.shapes import canonical, group_for
from epcg_tangram.lattices import Lattice
from epcg_tangram.lattices.lattice import Shape
from epcg_tangram.texts.drawings import read_drawing

_KNOWN = {
    "squares": {
        "monomino": "#", "domino": "##", "I3": "###", "L3": "##/#.",
        "I4": "####", "O4": "##/##", "T4": "###/.#.", "S4": ".##/##.", "L4": "###/#..",
        "F": ".##/##./.#.", "I": "#####", "L": "####/#...", "N": ".###/##..", "P": "##/##/#.",
        "T": "###/.#./.#.", "U": "#.#/###", "V": "###/#../#..", "W": ".##/##./#..", "X": ".#./###/.#.",
        "Y": "####/.#..", "Z": "##./.#./.##",
    },
    "triangles": {
        "moniamond": "A", "diamond": "AV", "trapezoid": "AVA", "bar-4": "AVAV", "triangle-4": ".A./AVA",
        "bar": "AVAVAV", "hexagon": "AVA/VAV", "butterfly": ".A../AVAV/..V.",
    },
    "hexagons": {
        "monohex": "#", "dihex": "# #", "bar-3": "# # #", "corner-3": "# #../...#.", "triangle-3": "# #/ # ",
        "bar": "# # # #", "bee": "# #./.# #", "propeller": "...#/# #./...#",
    },
    "quarters": {
        "quarter": "V", "half": ">./.A", "diamond": "A/V", "square": ".V./>.</.A.",
    },
    "cubes": {
        "monocube": "#", "dicube": "##", "bar-3": "###", "V": "##/#.", "bar-4": "####", "square": "##/##",
        "L": "###/#..", "T": "###/.#.", "Z": "##./.##", "tripod": "##/#.//#./..", "screw": "##/#.//.#/..",
    },
}  # fmt: skip
"""Lattice -> name -> drawing, its rows divided by strokes, its layers by two."""


@lru_cache
def _shapes(lattice: Lattice) -> dict[str, Shape]:
    group = group_for(lattice, "free")
    drawn = {
        name: read_drawing(lattice, text.replace("/", "\n")) for name, text in _KNOWN[lattice.name].items()
    }
    return {name: canonical(lattice, own.cells, group) for name, own in drawn.items()}


def known_shapes(lattice: Lattice) -> dict[str, Shape]:
    """Return the shapes that have a name, as `canonical` has them."""
    return _shapes(lattice)


def known_name(lattice: Lattice, shape: Shape) -> str:
    """Return the name of a shape, however it lies; '' if there is none that everybody knows."""
    own = canonical(lattice, shape, group_for(lattice, "free"))
    return next((name for name, known in _shapes(lattice).items() if known == own), "")

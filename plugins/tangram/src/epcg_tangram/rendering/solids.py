"""The pieces and the board as solids for a 3D printer: prisms added and taken away, one after the other.

Lengths are millimetres, z up. A piece lies with its front down and has holes from either side, which do not
meet. The board is two trays, its front and its back with the bumps, to be glued together.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import attrs

from epcg_core.plugin import EpcgError, require
from epcg_tangram.design.definition import PieceKind
from epcg_tangram.design.layout import Layout, layout_of
from epcg_tangram.lattices import Cell, Point
from epcg_tangram.lattices.lattice import area
from epcg_tangram.params import GameRef
from epcg_tangram.rendering.faces import Polygon, face, has_hole, holes_of, in_order, outlines, widened
from epcg_tangram.rendering.sheet import bumps_of
from epcg_tangram.rules.bumps import BumpPattern

if TYPE_CHECKING:
    from manifold3d import Manifold
    from trimesh import Trimesh

HOLE = 0.55
"""The radius of a hole, as a share of the largest circle in a cell."""
PLAY = 0.3
"""A hole's radius minus its bump's."""
FLOOR = 0.8
"""The least thickness between the holes of both sides, and of anything else."""
CORNERS = 48
"""The corners of the polygons that stand for circles."""
THROUGH = 1.0
"""The length by which a cut reaches beyond a surface."""
APART = 4.0
"""Between two solids of one file."""
SMALLEST_EDGE = 10.0
LARGEST = 1000.0
"""The largest value of any size."""


@attrs.frozen(kw_only=True)
class SolidParams:
    """The sizes of the solids."""

    game: GameRef = attrs.field(factory=GameRef)
    edge: float = 20.0
    """An edge of a cell."""
    thickness: float = 6.0
    """The thickness of a piece, and the depth of the board's trays."""
    clearance: float = 0.15
    """The length by which each side of a piece is drawn in."""
    bump: float = 1.5
    """The height of a bump; holes are PLAY deeper."""
    plate: float = 2.0
    """The thickness of a tray's floor."""
    rim: float = 6.0
    """The width of a tray's rim."""
    pattern: BumpPattern | None = None
    """The holes of the pieces; without a pattern they have none, and the board has no back."""


@attrs.frozen
class Prism:
    """A polygon that is drawn up from one height to another."""

    outline: Polygon
    low: float
    high: float


@attrs.frozen
class Solid:
    """Something to print."""

    name: str
    steps: tuple[tuple[bool, Prism], ...]
    """Prisms, each added (True) to what is there or taken away."""
    copies: int = 1
    """The number of copies that a game needs."""


def solids(params: SolidParams) -> list[Solid]:
    """Return the pieces, and the board if it is flat. Raises EpcgError if the sizes do not fit together."""
    _check(params)
    definition = params.game.definition
    if definition.lattice.layered:
        return [_of_cubes(kind, params) for kind in definition.pieces]
    return [*(_piece(kind, params) for kind in definition.pieces), *_board(layout_of(definition), params)]


def _check(params: SolidParams) -> None:
    for name, least in (("edge", SMALLEST_EDGE), ("thickness", FLOOR), ("plate", FLOOR), ("rim", FLOOR)):
        if not least <= getattr(params, name) <= LARGEST:
            raise EpcgError(
                f"The {name} must be from {least:g} to {LARGEST:g} mm, not {getattr(params, name):g}."
            )
    if not 0 <= params.clearance <= params.edge / 20:
        raise EpcgError(
            f"The clearance must be from 0 to {params.edge / 20:g} mm, a twentieth of the edge, "
            f"not {params.clearance:g}."
        )
    highest = (params.thickness - FLOOR) / 2 - PLAY
    if params.pattern is not None and not 0 < params.bump <= highest:
        raise EpcgError(
            f"Bumps of {params.bump:g} mm do not fit pieces that are {params.thickness:g} mm thick and have "
            f"holes on both sides: choose a height above 0 and up to {highest:g} mm, or thicker pieces."
        )


def _scaled(polygon: Sequence[Point], edge: float) -> Polygon:
    return tuple((x * edge, y * edge) for x, y in polygon)


def _circle(centre: Point, radius: float) -> Polygon:
    """Return the polygon that approximates a circle; its corners lie on the circle."""
    angles = [2 * math.pi * i / CORNERS for i in range(CORNERS)]
    return tuple((centre[0] + radius * math.cos(a), centre[1] + radius * math.sin(a)) for a in angles)


def _piece(kind: PieceKind, params: SolidParams) -> Solid:
    """Make a piece as its shape is given, its front down (see `epcg_tangram.rendering.faces.face`)."""
    lattice, shown = kind.lattice.flat, kind.lattice.unfolded(kind.shape)
    top, depth = params.thickness, params.bump + PLAY
    steps = []
    for line in sorted(face(kind).outlines, key=area, reverse=True):  # what is around, then what is cut out
        drawn_in = widened(_scaled(line, params.edge), -params.clearance)
        if area(line) > 0:
            steps.append((True, Prism(drawn_in, 0.0, top)))
        else:
            steps.append((False, Prism(drawn_in[::-1], -THROUGH, top + THROUGH)))
    holes = holes_of(kind.name, params.pattern)
    if holes is not None:
        heights = ((-THROUGH, depth), (top - depth, top + THROUGH))  # of the front, of the back
        for side, (low, high) in zip(holes, heights, strict=True):
            for cell in in_order(kind):
                if has_hole(kind.lattice, side, cell):
                    (centre,) = _scaled([lattice.middle(shown[cell])], params.edge)
                    radius = HOLE * lattice.inradius * params.edge
                    steps.append((False, Prism(_circle(centre, radius), low, high)))
    return Solid(kind.name, tuple(steps), kind.most)


def _of_cubes(kind: PieceKind, params: SolidParams) -> Solid:
    """Make a piece of cubes: a box for each, drawn in where no other cube of the piece is."""

    def reach(cell: Cell, axis: int) -> tuple[float, float]:
        """Return from where to where the box of a cube goes along an axis."""
        beside = [tuple(own + by * (n == axis) for n, own in enumerate(cell)) for by in (-1, 1)]
        low, high = (params.clearance * (other not in kind.shape) for other in beside)
        return cell[axis] * params.edge + low, (cell[axis] + 1) * params.edge - high

    steps = []
    for cell in in_order(kind):
        (left, right), (front, back), (low, high) = (reach(cell, axis) for axis in range(3))
        outline = ((left, front), (right, front), (right, back), (left, back))
        steps.append((True, Prism(outline, low, high)))
    return Solid(kind.name, tuple(steps), kind.most)


def _board(board: Layout, params: SolidParams) -> Iterator[Solid]:
    """Yield the trays: a floor with a rim that is half as high as a piece, on the back with bumps.

    What lies within the board without being part of it is as high as the rim.
    """
    lattice = board.lattice.flat
    lines = [tuple(map(lattice.place, line)) for line in outlines(lattice, board.drawn)]
    wells = [widened(_scaled(line, params.edge), params.clearance) for line in lines]
    outer = widened(wells[0], params.rim)
    top = params.plate + params.thickness / 2
    tray = [(True, Prism(outer, 0.0, top))]
    for well in sorted(wells, key=area, reverse=True):
        if area(well) > 0:
            tray.append((False, Prism(well, params.plate, top + THROUGH)))
        else:
            tray.append((True, Prism(well[::-1], 0.0, top)))
    yield Solid("Board front", tuple(tray))
    if params.pattern is None or board.definition.back is None:
        return
    radius = HOLE * lattice.inradius * params.edge - PLAY
    bumps = [
        # From within the floor, so that the two are one body.
        (True, Prism(_circle(centre, radius), params.plate / 2, params.plate + params.bump))
        for centre in _scaled(bumps_of(board), params.edge)
    ]
    yield Solid("Board back", (*tray, *bumps))


def manifold(solid: Solid) -> Manifold:
    """Make the body of a solid. Raises EpcgError if manifold3d is missing."""
    require(
        "STL files need", "manifold3d", "trimesh", extra="epcg-tangram[solid]",
        otherwise=". OpenSCAD files need nothing: --format scad",
    )  # fmt: skip
    import numpy as np
    from manifold3d import CrossSection, Manifold

    body = Manifold()
    for added, prism in solid.steps:
        outline = np.array(prism.outline, np.float64)
        drawn = CrossSection([outline]).extrude(prism.high - prism.low).translate((0.0, 0.0, prism.low))
        body = body + drawn if added else body - drawn
    return body


def stl(solid: Solid) -> bytes:
    """Write a solid as binary STL. Raises EpcgError if manifold3d or trimesh is missing."""
    return bytes(_mesh(solid).export(file_type="stl"))


def _mesh(solid: Solid) -> Trimesh:
    """Make the closed mesh of a solid. Raises EpcgError if it is not closed, or a library is missing."""
    body = manifold(solid).to_mesh64()
    import trimesh

    # Copies: what manifold3d lends must not outlive it.
    vertices, faces = body.vert_properties[:, :3].copy(), body.tri_verts.copy()
    mesh = trimesh.Trimesh(vertices, faces, process=False)
    if not mesh.is_watertight:
        raise EpcgError(f"The mesh of '{solid.name}' is not closed: choose other sizes.")
    return mesh


def plate_3mf(parts: Sequence[Solid]) -> bytes:
    """Write solids as one 3MF file: every copy has a name, and they stand side by side in rows.

    Raises EpcgError if manifold3d, trimesh or what writes 3MF is missing, or if a mesh is not closed.
    """
    require("3MF files need", "networkx", "lxml", extra="epcg-tangram[solid]")
    from trimesh import Scene

    scene = Scene()
    meshes = [(solid, _mesh(solid)) for solid in parts]
    width = (
        math.sqrt(sum(float(mesh.extents[0] * mesh.extents[1]) * own.copies for own, mesh in meshes)) * 1.4
    )
    x = y = deepest = 0.0
    for solid, mesh in meshes:
        for copy in range(solid.copies):
            wide, deep = (float(size) + APART for size in mesh.extents[:2])
            if x and x + wide > width:
                x, y, deepest = 0.0, y + deepest, 0.0
            placed = mesh.copy()
            placed.apply_translation([x - mesh.bounds[0][0], y - mesh.bounds[0][1], 0.0])
            name = solid.name if solid.copies == 1 else f"{solid.name} {copy + 1}"
            scene.add_geometry(placed, geom_name=name, node_name=name)
            x, deepest = x + wide, max(deepest, deep)
    return bytes(scene.export(file_type="3mf"))


def openscad(solid: Solid) -> str:
    """Write a solid in OpenSCAD's language."""
    body = ""
    for added, prism in solid.steps:
        corners = ", ".join(f"[{_n(x)}, {_n(y)}]" for x, y in prism.outline)
        drawn = (
            f"translate([0, 0, {_n(prism.low)}]) linear_extrude(height = {_n(prism.high - prism.low)}) "
            f"polygon([{corners}]);"
        )
        # Steps of a kind that follow each other share a block, so that the nesting stays shallow.
        opening = "union() {\n" if added else "difference() {\n"
        if not body:
            body = f"union() {{\n{drawn}\n}}\n"
        elif body.startswith(opening):
            body = body.removesuffix("}\n") + f"{drawn}\n}}\n"
        else:
            body = f"{opening}{body}{drawn}\n}}\n"
    return f"// {solid.name}; lengths are millimetres\n{body}"


def _n(value: float) -> str:
    return f"{value + 0.0:.4f}".rstrip("0").rstrip(".")

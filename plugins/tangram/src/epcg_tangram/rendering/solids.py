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
from epcg_tangram.rendering.faces import (
    INRADIUS,
    Point,
    Polygon,
    at,
    face,
    has_hole,
    holes_of,
    middle,
    outlines,
    widened,
)
from epcg_tangram.rules.bumps import BumpPattern
from epcg_tangram.rules.geometry import PIECE_ORDER, TRAPEZOID, geometry, is_up, piece

if TYPE_CHECKING:
    from manifold3d import Manifold

HOLE = INRADIUS * 0.55
"""The radius of a hole, in edges."""
PLAY = 0.3
"""A hole's radius minus its bump's."""
FLOOR = 0.8
"""The least thickness between the holes of both sides, and of anything else."""
CORNERS = 48
"""The corners of the polygons that stand for circles."""
THROUGH = 1.0
"""The length by which a cut reaches beyond a surface."""
SMALLEST_EDGE = 10.0
LARGEST = 1000.0
"""The largest value of any size."""
_SIDE = 3


@attrs.frozen(kw_only=True)
class SolidParams:
    """The sizes of the solids."""

    edge: float = 20.0
    """An edge of a triangle."""
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
    """Return the ten pieces and the board. Raises EpcgError if the sizes do not fit together."""
    _check(params)
    return [*(_piece(name, params) for name in PIECE_ORDER), *_board(params)]


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


def _piece(name: str, params: SolidParams) -> Solid:
    """Make a piece as its shape is given, its front down (see `epcg_tangram.rendering.faces.face`)."""
    outline = widened(_scaled(face(name).outline, params.edge), -params.clearance)
    top, depth = params.thickness, params.bump + PLAY
    steps = [(True, Prism(outline, 0.0, top))]
    holes = holes_of(name, params.pattern)
    if holes is not None:
        heights = ((-THROUGH, depth), (top - depth, top + THROUGH))  # of the front, of the back
        for side, (low, high) in zip(holes, heights, strict=True):
            for triangle in sorted(piece(name).shape, key=sorted):
                if has_hole(side, triangle):
                    (centre,) = _scaled([middle(triangle)], params.edge)
                    steps.append((False, Prism(_circle(centre, HOLE * params.edge), low, high)))
    return Solid(name, tuple(steps), 1 + (name == TRAPEZOID))


def _board(params: SolidParams) -> Iterator[Solid]:
    """Yield the trays: a floor with a rim that is half as high as a piece, on the back with bumps."""
    board = geometry(_SIDE)
    (corners,) = outlines(board.triangles)
    well = widened(_scaled(list(map(at, corners)), params.edge), params.clearance)
    outer = widened(well, params.rim)
    top = params.plate + params.thickness / 2
    tray = ((True, Prism(outer, 0.0, top)), (False, Prism(well, params.plate, top + THROUGH)))
    yield Solid("Board front", tray)
    if params.pattern is None:
        return
    radius = HOLE * params.edge - PLAY
    centres = _scaled([middle(triangle) for triangle in board.triangles if is_up(triangle)], params.edge)
    bumps = [
        # From within the floor, so that the two are one body.
        (True, Prism(_circle(centre, radius), params.plate / 2, params.plate + params.bump))
        for centre in centres
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
    body = manifold(solid).to_mesh64()
    import trimesh

    mesh = trimesh.Trimesh(body.vert_properties[:, :3], body.tri_verts, process=False)
    if not mesh.is_watertight:
        raise EpcgError(f"The mesh of '{solid.name}' is not closed: choose other sizes.")
    return bytes(mesh.export(file_type="stl"))


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

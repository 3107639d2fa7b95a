"""Solids: every mesh is closed, and its volume is what the sizes say."""

from __future__ import annotations

import io
import math
import random
import sys
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest
from epcg_tangram.commands.solid import command
from epcg_tangram.generators.bumps import bump_patterns
from epcg_tangram.lattices.lattice import area
from epcg_tangram.lattices.triangles import ROW
from epcg_tangram.params import BumpParams
from epcg_tangram.rendering.faces import face, outlines
from epcg_tangram.rendering.solids import (
    CORNERS,
    FLOOR,
    HOLE,
    PLAY,
    Prism,
    Solid,
    SolidParams,
    manifold,
    openscad,
    solids,
    stl,
)
from epcg_tangram.rules.boards import Board
from epcg_tangram.rules.bumps import is_legal
from hypothesis import given, settings, strategies as st

from epcg_core.base.errors import EpcgError
from tests.tangram.hexagon import GAME, PIECE_ORDER, TRAPEZOID, TRIANGLES, geometry, piece
from tests.workplace import invoke, needs

pytestmark = [needs("trimesh"), needs("manifold3d")]
PATTERNS = bump_patterns(BumpParams())
PATTERN = PATTERNS.unrank(77777)
ROUND = CORNERS / 2 * math.sin(2 * math.pi / CORNERS)
"""The area of the polygon that stands for a circle of radius 1."""
INRADIUS = ROW / 3
"""Of the largest circle in a triangle."""


def by_name(params: SolidParams) -> dict[str, Solid]:
    return {solid.name: solid for solid in solids(params)}


def read(content: bytes) -> Any:
    """A mesh as a slicer reads it: single precision, equal points merged."""
    import trimesh

    return trimesh.load(io.BytesIO(content), file_type="stl")


def test_a_set_is_ten_pieces_and_the_board() -> None:
    plain, bumped = solids(SolidParams()), solids(SolidParams(pattern=PATTERN))
    assert [solid.name for solid in plain] == [*PIECE_ORDER, "Board front"]
    assert [solid.name for solid in bumped] == [*PIECE_ORDER, "Board front", "Board back"]
    assert {solid.name: solid.copies for solid in plain if solid.copies > 1} == {TRAPEZOID: 2}


@pytest.mark.sweep(6)
@pytest.mark.parametrize("rank", [None, 77777])
@pytest.mark.parametrize("name", [*PIECE_ORDER, "Board front", "Board back"])
def test_every_mesh_is_closed_and_of_one_body(name: str, rank: int | None) -> None:
    solid = by_name(SolidParams(pattern=None if rank is None else PATTERNS.unrank(rank))).get(name)
    if solid is None:
        assert (name, rank) == ("Board back", None)
        return
    mesh = read(stl(solid))
    assert mesh.is_watertight
    assert mesh.is_winding_consistent
    assert mesh.is_volume
    assert mesh.volume == pytest.approx(manifold(solid).volume(), rel=1e-5)
    assert len(manifold(solid).decompose()) == 1


@pytest.mark.parametrize("name", PIECE_ORDER)
def test_a_plain_piece_has_its_area_times_its_thickness(name: str) -> None:
    mesh = read(stl(by_name(SolidParams(edge=20, thickness=6, clearance=0))[name]))
    assert mesh.volume == pytest.approx(len(piece(name).shape) * ROW / 2 * 20**2 * 6, rel=1e-6)
    low, high = mesh.bounds
    assert high[2] - low[2] == pytest.approx(6)


@settings(max_examples=15)
@given(
    name=st.sampled_from(PIECE_ORDER),
    rank=st.integers(0, PATTERNS.max_rank - 1),
    edge=st.floats(12, 40),
    bump=st.floats(0.5, 2.5),
)
def test_holes_take_their_area_times_their_depth(name: str, rank: int, edge: float, bump: float) -> None:
    pattern = PATTERNS.unrank(rank)
    thickness = 2 * (bump + PLAY) + FLOOR + 0.1
    params = SolidParams(edge=edge, thickness=thickness, bump=bump, pattern=pattern, clearance=0)
    holes = sum(len(face(piece(name), back, pattern).holes) for back in (False, True))
    full = len(piece(name).shape) * ROW / 2 * edge**2 * thickness
    expected = full - holes * ROUND * (INRADIUS * HOLE * edge) ** 2 * (bump + PLAY)
    assert manifold(by_name(params)[name]).volume() == pytest.approx(expected, rel=1e-6)


def test_the_trays_hold_the_pieces_and_the_back_has_27_bumps() -> None:
    params = SolidParams(pattern=PATTERN)
    found = by_name(params)
    front, back = manifold(found["Board front"]), manifold(found["Board back"])
    bump = ROUND * (INRADIUS * HOLE * params.edge - PLAY) ** 2 * params.bump
    assert back.volume() - front.volume() == pytest.approx(27 * bump, rel=1e-6)
    (corners,) = outlines(TRIANGLES, geometry(3).places)
    board = tuple((x * params.edge, y * params.edge) for x, y in map(TRIANGLES.place, corners))
    # The board's place is free above the floor.
    place = Solid("", ((True, Prism(board, params.plate, params.plate + 10)),))
    assert (front ^ manifold(place)).volume() == pytest.approx(0, abs=1e-9)
    assert area(board) == pytest.approx(54 * ROW / 2 * params.edge**2)


def test_a_bump_fits_its_hole_and_holes_of_both_sides_do_not_meet() -> None:
    params = SolidParams(pattern=PATTERN)
    assert params.bump < params.bump + PLAY
    assert params.thickness - 2 * (params.bump + PLAY) >= FLOOR
    assert INRADIUS * HOLE * params.edge < ROW / 3 * params.edge - params.clearance


@pytest.mark.parametrize("patterns", [2, pytest.param(12, marks=pytest.mark.slow)])
def test_a_printed_piece_lies_on_the_printed_bumps_where_the_pattern_allows_it(patterns: int) -> None:
    """Moved as a body: turned over about the vertical axis or not, turned by steps of 60 degrees."""
    choice = random.Random(3)
    seen: Counter[bool] = Counter()
    for _ in range(patterns):
        pattern = PATTERNS.unrank(choice.randrange(PATTERNS.max_rank))
        params = SolidParams(pattern=pattern)
        found = {name: manifold(solid) for name, solid in by_name(params).items()}
        for placement in choice.sample(geometry(3).placements, 12):
            name = PIECE_ORDER[placement.piece]
            place = frozenset(geometry(3).places[cell] for cell in placement.cells)
            lies = False
            for number in range(12):
                turned = TRIANGLES.moved(piece(name).shape, number)
                (a, b), (c, d) = (min_corner(shape) for shape in (place, turned))
                by = a - c, b - d
                if {(x + 3 * by[0], y + 3 * by[1]) for x, y in turned} != place:
                    continue
                body = found[name]
                if number >= 6:
                    body = body.rotate((0, 180, 0)).translate((0, 0, params.thickness))
                x, y = TRIANGLES.place(by)
                body = body.rotate((0, 0, 60 * (number % 6)))
                body = body.translate((x * params.edge, y * params.edge, params.plate))
                lies = lies or (body ^ found["Board back"]).volume() < 1e-6
            index = geometry(3).placements.index(placement)
            assert lies == is_legal(Board(GAME, (index,)), pattern)
            seen[lies] += 1
    assert min(seen[True], seen[False]) > 2 * patterns


def min_corner(shape: Iterable[tuple[int, int]]) -> tuple[int, int]:
    vertices = [vertex for triangle in shape for vertex in TRIANGLES.corners(triangle)]
    return min(a for a, _ in vertices), min(b for _, b in vertices)


def test_without_the_libraries_the_command_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    solid = solids(SolidParams())[0]
    monkeypatch.setitem(sys.modules, "manifold3d", None)
    with pytest.raises(EpcgError, match=r"pip install 'epcg-tangram\[solid\]'.*--format scad"):
        stl(solid)
    assert "polygon" in openscad(solid)


@pytest.mark.parametrize("name", ["Line", "Board back"])
def test_openscad_has_every_prism(name: str) -> None:
    solid = by_name(SolidParams(pattern=PATTERN))[name]
    text = openscad(solid)
    assert text.count("linear_extrude") == len(solid.steps)
    assert text.count("{") == text.count("}")
    assert text.startswith(f"// {name}; lengths are millimetres\n")
    operations = [line.split("(")[0] for line in text.splitlines() if line.endswith("{")]
    assert operations == (["difference", "union"] if name == "Line" else ["union", "difference", "union"])


@pytest.mark.parametrize(
    ("params", "message"),
    [
        (SolidParams(edge=5), "edge must be from 10 to 1000 mm, not 5"),
        (SolidParams(thickness=0), "thickness must be from 0.8 to 1000 mm, not 0"),
        (SolidParams(rim=float("nan")), "rim must be from 0.8 to 1000 mm, not nan"),
        (SolidParams(clearance=3), "clearance must be from 0 to 1 mm"),
        (SolidParams(bump=3, pattern=PATTERN), "above 0 and up to 2.3 mm, or thicker"),
        (SolidParams(bump=0, pattern=PATTERN), "Bumps of 0 mm do not fit"),
    ],
)  # fmt: skip
def test_sizes_that_do_not_go_together(params: SolidParams, message: str) -> None:
    with pytest.raises(EpcgError, match=message):
        solids(params)


@pytest.mark.parametrize("format", ["stl", "scad"])
def test_the_command_writes_the_files(tmp_path: Path, format: str) -> None:
    arguments = ["--pattern", "77777", "--format", format, "--output", str(tmp_path)]
    done = invoke(command(), *arguments)
    assert done.exit_code == 0, done.output
    written = {Path(line).name: Path(line).read_bytes() for line in done.stdout.splitlines()}
    assert set(written) == {path.name for path in tmp_path.iterdir()}
    assert f"trapezoid-x2.{format}" in written
    expected = by_name(SolidParams(pattern=PATTERN))["Hook"]
    assert written[f"hook.{format}"] == (stl(expected) if format == "stl" else openscad(expected).encode())


def test_names_of_pieces_become_files_of_the_folder(tmp_path: Path) -> None:
    game = "lattice = 'squares'\n[board]\ndrawing = '#######'\n"
    for name, drawing in (("../a/b", "#"), ("a-b", "##"), ("board-front", "####")):
        game += f"[[pieces]]\nname = '{name}'\ndrawing = '{drawing}'\n"
    folder = tmp_path / "folder"
    done = invoke(command(), "--game", game, "--format", "scad", "--output", str(folder))
    assert done.exit_code == 0, done.output
    written = {path.name for path in folder.iterdir()}
    assert written == {"a-b.scad", "a-b-2.scad", "board-front.scad", "board-front-2.scad"}
    assert [path.name for path in tmp_path.iterdir()] == ["folder"]

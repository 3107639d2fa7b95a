"""Cubes: their motions and shapes, the Soma cube, and what people see of a board of layers."""

from __future__ import annotations

import random
import re
from collections.abc import Iterable
from itertools import combinations, product
from pathlib import Path

import numpy as np
import pytest
from epcg_tangram.design.definition import PALETTE, Definition, PieceKind
from epcg_tangram.design.faults import straight_lines
from epcg_tangram.design.layout import Layout
from epcg_tangram.design.shapes import facts_of
from epcg_tangram.formats.importers import read_xmpuzzle
from epcg_tangram.generators.boards import solved_boards
from epcg_tangram.lattices import LATTICES, Cell
from epcg_tangram.params import BoardsParams, GameRef
from epcg_tangram.rendering.game_data import TangramData
from epcg_tangram.rendering.isometric import SolidPiece, solid
from epcg_tangram.rendering.renderers import board_svg, text_renderer
from epcg_tangram.rendering.solids import SolidParams, manifold, solids
from epcg_tangram.rules.boards import Board
from epcg_tangram.texts.drawings import draw, read_drawing
from epcg_tangram.texts.game_text import parse_game, read_game
from epcg_tangram.texts.game_writer import format_game
from epcg_tangram.workshop.canvases import PackingWorkshop
from manifold3d import Manifold

from epcg_core.plugin import ERASE
from tests.workplace import ask_sql, epcg

CUBES = LATTICES["cubes"]
SMALL = """title = "Two layers"
lattice = "cubes"

[board]
drawing = '''
##
##

##
#.
'''

[[pieces]]
name = "screw"
drawing = '''
##
#.

.#
..
'''

[[pieces]]
name = "V"
drawing = '''
##
#.
'''
"""


def quarter_turns(cells: Iterable[Cell]) -> list[frozenset[Cell]]:
    """The images of cells under all turns: those that quarter turns about two axes lead to."""
    found = [frozenset(cells)]
    for own in found:  # which grows
        for other in ({(-y, x, z) for x, y, z in own}, {(x, -z, y) for x, y, z in own}):
            if frozenset(other) not in found:
                found.append(frozenset(other))
    return found


def all_ways(shape: Iterable[Cell], flip: bool) -> set[frozenset[Cell]]:
    mirrored = [(-x, y, z) for x, y, z in shape]
    return {*quarter_turns(shape), *(quarter_turns(mirrored) if flip else ())}


def blob(source: random.Random, size: int) -> frozenset[Cell]:
    found = [(0, 0, 0)]
    while len(found) < size:
        x, y, z = source.choice(found)
        axis, step = source.randrange(3), source.choice((-1, 1))
        beside = (x + step * (axis == 0), y + step * (axis == 1), z + step * (axis == 2))
        found += [beside] if beside not in found else []
    return frozenset(found)


# --- motions, placements and facts ------------------------------------------------------------------------


def test_symmetries_are_all_turns_then_those_of_the_mirror_image() -> None:
    corner = frozenset([(0, 0, 0), (1, 0, 0), (2, 0, 0), (0, 1, 0), (0, 1, 1)])  # no symmetry of its own
    turned = [CUBES.moved(corner, number) for number in range(24)]
    assert set(turned) == set(quarter_turns(corner))
    assert turned[0] == corner
    mirrored = [CUBES.moved(corner, number) for number in range(24, 48)]
    assert set(mirrored) == set(quarter_turns((-x, y, z) for x, y, z in corner))
    assert len({*turned, *mirrored}) == 48
    assert [CUBES.is_mirrored(number) for number in (0, 23, 24, 47)] == [False, False, True, True]


@pytest.mark.parametrize("flip", [False, True])
def test_placements_are_all_ways_to_lie_in_the_board(flip: bool) -> None:
    source = random.Random(5)
    for _ in range(6):
        box = list(product(range(3), range(2), range(3)))
        cells = tuple(sorted(source.sample(box, 15), key=CUBES.reading))
        shape = blob(source, source.randrange(1, 6))
        kind = PieceKind("p", CUBES.at_origin(shape), CUBES, colour="red", flip=flip)
        layout = Layout(Definition(lattice=CUBES, cells=cells, pieces=(kind,), colours=(PALETTE["red"],)))
        expected = set()
        for own in all_ways(shape, flip):
            for by in product(range(-5, 8), repeat=3):
                there = frozenset(tuple(a + b for a, b in zip(cell, by, strict=True)) for cell in own)
                expected |= {there} if there <= set(cells) else set()
        assert {frozenset(cells[n] for n in p.cells) for p in layout.placements} == expected
        assert len(layout.placements) == len(expected)


def test_what_is_said_of_a_shape() -> None:
    whole = frozenset(product(range(3), repeat=3))
    shell = facts_of(CUBES, whole - {(1, 1, 1)})
    assert (shell.holes, shell.perimeter, shell.order, shell.balance) == (1, 60, 48, 2)
    assert facts_of(CUBES, whole).convexity == 1
    assert facts_of(CUBES, frozenset([(0, 0, 0), (1, 0, 0), (0, 1, 0)])).convexity == pytest.approx(3 / 3.5)


def test_the_convexity_of_random_shapes() -> None:
    source = random.Random(3)
    for _ in range(25):
        shape = blob(source, source.randrange(1, 10))
        points = [corner for cell in shape for corner in CUBES.corners(cell)]
        hull = Manifold.hull_points(np.array(points, np.float64))
        assert facts_of(CUBES, shape).convexity == pytest.approx(len(shape) / hull.volume())


def test_planes_of_fault_are_those_between_all_cubes() -> None:
    layout = Layout(GameRef("soma").definition)
    lines = straight_lines(layout)
    assert len(lines) == 6
    assert all(len(pairs) == 9 for pairs in lines)
    apart = {axis for pairs in lines for a, b in pairs[:1] for axis in range(3) if differ(layout, a, b, axis)}
    assert apart == {0, 1, 2}


def differ(layout: Layout, one: int, other: int, axis: int) -> bool:
    return layout.places[one][axis] != layout.places[other][axis]


# --- the Soma cube ----------------------------------------------------------------------------------------


def test_the_soma_cube_is_solved_in_240_ways(reader: Path) -> None:
    """Modulo turns and mirror images, which exchange the two screws; 480 modulo turns alone."""
    counted = '[{name="solutions"}, {name="solutions", as="turned", boards="turned"}]'
    epcg(
        "run",
        "tangram/solutions",
        "--quiet",
        "--set",
        "generator.game=soma",
        "--set",
        f"evaluators={counted}",
    )
    asked = "SELECT metric, minimum FROM metrics WHERE metric LIKE '%solutions'"
    found = dict(ask_sql(reader / "epcg.db", asked))
    assert found == {"solutions": 240, "turned_solutions": 480}
    assert solved_boards(BoardsParams("soma", boards="all")).max_rank == 11_520
    assert solved_boards(BoardsParams("soma", boards="turned")).max_rank == 480


# --- texts ------------------------------------------------------------------------------------------------


def test_layers_are_drawn_from_the_top_with_a_blank_line_between() -> None:
    drawn = read_drawing(CUBES, "##\n#.\n\n.#\n..\n")
    top, below = [{(x, y) for x, y, z in drawn.cells if z == height} for height in (1, 0)]
    assert (top, below) == ({(0, 0), (0, 1), (1, 1)}, {(1, 1)})
    assert draw(CUBES, drawn.cells) == "##\n#.\n\n.#\n..\n"
    apart = [(0, 0, 0), (0, 0, 2)]
    assert draw(CUBES, apart) == "#\n\n.\n\n#\n"
    (fault,) = read_drawing(CUBES, "##\n\n\n#x\n").faults
    assert fault[:2] == (3, 1)


def test_a_solid_is_not_turned_over_unless_its_text_says_so() -> None:
    game = parse_game(SMALL)
    assert [(kind.turn, kind.flip) for kind in game.pieces] == [(True, False)] * 2
    assert "flip" not in format_game(game)
    both = parse_game(SMALL.replace('name = "screw"', 'name = "screw"\nflip = true'))
    assert [len(kind.orientations) for kind in game.pieces] == [12, 12]
    assert [len(kind.orientations) for kind in both.pieces] == [24, 12]
    assert parse_game(format_game(both)) == both
    shapes = parse_game("lattice='cubes'\n[board]\nfamily='cube'\nside=4\n[[pieces]]\nshapes={cells=4}\n")
    assert [kind.name for kind in shapes.pieces].count("screw") == 1
    assert "screw-mirrored" in shapes.names
    assert len(shapes.pieces) == 8


def test_a_board_of_cubes_has_no_back() -> None:
    faults = read_game(SMALL + "[back]\nbumps = 'light'\n").faults
    assert [fault.message for fault in faults if fault.serious] == [
        "A board of cubes has no back: take the table away."
    ]


# --- what people see --------------------------------------------------------------------------------------


def test_a_picture_shows_the_layers_side_by_side_and_the_whole() -> None:
    boards = solved_boards(BoardsParams("soma"))
    for rank in (0, 100, 239):
        picture = board_svg(boards.unrank(rank))
        assert picture.count('class="piece"') >= 7
        assert picture.count('class="cube"') == 19  # of 27 those that one sees
        assert len(re.findall(r'<path d="M[^"z]*z" fill="#\w+"/>', picture)) == 27  # three sides of nine
    assert 'class="cube"' not in board_svg(Board(GameRef("soma"), ()))
    text = text_renderer(boards)(boards.unrank(0)).splitlines()
    assert text[0].split() == ["+---+---+---+"] * 3


def test_nearer_cubes_hide_others_and_lines_stand_between_pieces() -> None:
    red, blue = PALETTE["red"], PALETTE["blue"]
    alone, wide, high = solid([SolidPiece(((0, 0, 0), (1, 0, 0)), red, "both")], 0, 0, 10)
    assert (round(wide, 6), high) == (round(15 * 3**0.5, 6), 25)
    (hidden,) = [part for part in alone if part.count('z"') == 2]
    assert "both" in hidden
    assert "".join(alone).count("stroke-opacity") == 4  # above and in front, on both sides of the joint
    two = solid([SolidPiece(((0, 0, 0),), red, "a"), SolidPiece(((1, 0, 0),), blue, "b")], 0, 0, 10)[0]
    assert "stroke-opacity" not in "".join(two)
    assert solid([], 0, 0, 10) == ([], 0, 0)
    lettered = solid([SolidPiece(((0, 0, 0), (0, 0, 1)), red, "a", "R")], 0, 0, 10)[0]
    assert [">R<" in part for part in lettered] == [False, True]


def test_pieces_are_printed_as_boxes_drawn_in_where_they_end() -> None:
    found = solids(SolidParams(game=GameRef("soma"), edge=20, clearance=0))
    assert [(own.name, round(manifold(own).volume())) for own in found] == [
        (kind.name, kind.size * 8000) for kind in GameRef("soma").definition.pieces
    ]
    loose = {own.name: manifold(own) for own in solids(SolidParams(game=GameRef("soma"), clearance=0.5))}
    straight = parse_game("lattice='cubes'\n[board]\nfamily='box'\nwidth=2\ndepth=1\nheight=1\n"
                          "[[pieces]]\nname='bar'\ndrawing='##'\n")  # fmt: skip
    (bar,) = solids(SolidParams(game=GameRef(format_game(straight)), clearance=0.5))
    assert manifold(bar).volume() == pytest.approx(39 * 19 * 19)
    game = GameRef("soma")
    layout = Layout(game.definition)
    board = solved_boards(BoardsParams("soma")).unrank(7)
    lying = []
    for number in board.placements:
        own = layout.placements[number]
        kind = game.definition.pieces[own.piece]
        rows = np.array(CUBES.symmetries[own.symmetry], np.float64)
        turned = loose[kind.name].transform(np.hstack([rows, np.zeros((3, 1))]))
        cells = CUBES.moved(kind.shape, own.symmetry)
        low = [min(axis) for axis in zip(*(layout.places[n] for n in own.cells), strict=True)]
        low_of_body = np.array(turned.bounding_box()[:3]) / 20
        by = 20 * (np.array(low) - np.round(low_of_body))
        assert len(cells) == len(own.cells)
        lying.append(turned.translate(tuple(by)))
    for one, other in combinations(lying, 2):
        assert (one ^ other).volume() < 1e-6


def test_a_sheet_to_cut_out_is_refused() -> None:
    done = epcg("tangram", "cutout", "--game", "soma", code=1)
    assert "Pieces of cubes are not flat" in done.stderr
    assert "epcg tangram solid" in done.stderr


def test_cells_of_game_data_say_their_layer() -> None:
    boards = solved_boards(BoardsParams("soma"))
    data = TangramData(boards).layout(boards.unrank(3))
    assert {key: data[key] for key in ("grid", "columns", "rows", "layers")} == {
        "grid": "cubes", "columns": 3, "rows": 3, "layers": 3
    }  # fmt: skip
    cells = [tuple(cell) for item in data["items"] for cell in item["cells"]]
    assert sorted(cells) == list(product((1, 2, 3), repeat=3))


def test_a_cube_is_painted_below_the_board_and_puzzles_keep_their_meaning() -> None:
    shop, shown = PackingWorkshop(), '\n[[puzzles]]\nshown = ["V 0 1 2"]\n'
    board, screw, _ = shop.canvases(SMALL + shown)
    assert len(board.painted) == 7
    assert screw.note.startswith("lies in 12 ways")
    assert any(site.title == "cube in layer 1, column 2, row 2" for site in board.sites)
    below = min(board.painted, key=lambda site: int(site.split(",")[2])).split(",")
    site = ",".join([*below[:2], str(int(below[2]) - 1)])
    text = shop.paint(SMALL + shown, "board", [site], "cell")
    assert len(parse_game(text.split("[[puzzles]]")[0]).cells) == 8
    assert "V 0 1 2" in text
    again = shop.paint(text, "board", [",".join([*below[:2], "0"])], ERASE)
    assert len(parse_game(again.split("[[puzzles]]")[0]).cells) == 7


def test_a_file_of_burrtools_with_layers_is_a_game_of_cubes() -> None:
    """The Soma cube, each piece turned in some way and in a box that is larger than it."""
    source, game = random.Random(4), GameRef("soma").definition

    def voxel(cells: Iterable[Cell]) -> str:
        own = CUBES.at_origin(CUBES.moved(cells, source.randrange(24)))
        wide, deep, high = (max(axis) + 2 for axis in zip(*own, strict=True))
        places = ((x, y, z) for z in range(high) for y in range(deep) for x in range(wide))
        signs = "".join("#" if place in own else "_" for place in places)
        return f'<voxel x="{wide}" y="{deep}" z="{high}" type="0">{signs}</voxel>'

    shapes = [game.cells, *(kind.shape for kind in game.pieces)]
    pieces = "".join(f'<shape id="{number}" count="1"/>' for number in range(1, 8))
    (text,) = read_xmpuzzle(
        f'<puzzle version="2"><gridType type="0"/><shapes>{"".join(map(voxel, shapes))}</shapes><problems>'
        f'<problem name="Soma"><shapes>{pieces}</shapes><result id="0"/></problem></problems></puzzle>',
        "soma.xmpuzzle",
    )
    read = parse_game(text)
    assert (read.lattice, len(read.cells), read.most_area) == (CUBES, 27, 27)
    assert not any(kind.flip for kind in read.pieces)
    assert solved_boards(BoardsParams(text)).max_rank == 240


# --- a program that shares nothing with the plugin --------------------------------------------------------


def turned_boxes(cells: Iterable[Cell]) -> list[dict[Cell, Cell]]:
    """The turns that keep a board: where each cell goes, by all quarter turns and shifts back."""
    own = sorted(cells)
    found = [{cell: cell for cell in own}]
    for known in found:  # which grows
        for turn in (lambda x, y, z: (-y, x, z), lambda x, y, z: (x, -z, y)):
            moved = {cell: turn(*there) for cell, there in known.items()}
            low = [min(axis) for axis in zip(*moved.values(), strict=True)]
            there = {c: (x - low[0], y - low[1], z - low[2]) for c, (x, y, z) in moved.items()}
            found += [there] if there not in found else []
    return [own_map for own_map in found if set(own_map.values()) == set(own)]


def fillings(board: frozenset[Cell], pieces: list[list[frozenset[Cell]]]) -> set[frozenset[frozenset[Cell]]]:
    """All ways to fill a board, each piece, given by its images, used once."""
    if not board:
        return {frozenset()}
    first, found = min(board), set()
    for number, images in enumerate(pieces):
        for image in images:
            for x, y, z in image:
                by = first[0] - x, first[1] - y, first[2] - z
                there = frozenset((a + by[0], b + by[1], c + by[2]) for a, b, c in image)
                if there <= board:
                    rest = [*pieces[:number], *pieces[number + 1 :]]
                    found |= {own | {there} for own in fillings(board - there, rest)}
    return found


@pytest.mark.parametrize("seed", range(10))
def test_games_of_cubes_are_solved_as_another_program_solves_them(seed: int) -> None:
    source = random.Random(seed)
    board = frozenset(
        product(*map(range, source.choice([(2, 2, 3), (3, 2, 2), (3, 3, 1), (2, 3, 2), (4, 2, 1)])))
    )
    left, shapes = set(board), list[frozenset[Cell]]()
    while left:
        shape = {source.choice(sorted(left))}
        for _ in range(source.randrange(1, 5)):
            near = [c for c in left - shape if any(sum(map(abs, map(int.__sub__, c, d))) == 1 for d in shape)]
            shape |= {source.choice(sorted(near))} if near else set()
        left -= shape
        shapes.append(frozenset(shape))
    # Pieces that are equal but for a turn are copies of one.
    kinds: list[list[frozenset[Cell]]] = []
    for shape in shapes:
        low = [[min(axis) for axis in zip(*own, strict=True)] for own in quarter_turns(shape)]
        at_zero = {
            frozenset((x - a, y - b, z - c) for x, y, z in own)
            for own, (a, b, c) in zip(quarter_turns(shape), low, strict=True)
        }
        kinds.append(sorted(at_zero, key=sorted))
    text = "lattice = 'cubes'\n[board]\ndrawing = '''\n" + draw(CUBES, board) + "'''\n"
    for number, images in enumerate(dict.fromkeys(map(tuple, kinds))):
        copies = kinds.count(list(images))
        drawing = draw(CUBES, source.choice(images))
        name = "abcdefghijkl"[number]
        text += f"[[pieces]]\nname = '{name}'\ncopies = {copies}\ndrawing = '''\n{drawing}'''\n"
    every = fillings(board, kinds)
    assert solved_boards(BoardsParams(text, boards="all")).max_rank == len(every), text
    turns = turned_boxes(board)
    orbits = {
        frozenset(frozenset(frozenset(turn[cell] for cell in piece) for piece in own) for turn in turns)
        for own in every
    }
    assert solved_boards(BoardsParams(text, boards="turned")).max_rank == len(orbits), text

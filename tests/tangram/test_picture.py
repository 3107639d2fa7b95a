"""Pictures and drawings: what they show is what is there."""

from __future__ import annotations

import math
import random
import xml.etree.ElementTree as ElementTree
from collections import Counter
from pathlib import Path

import pytest
from epcg_tangram.formats.drawing import codes, draw
from epcg_tangram.formats.instances import parse_instance
from epcg_tangram.generators.boards import solved_boards
from epcg_tangram.generators.bumps import bump_patterns
from epcg_tangram.lattices.lattice import area
from epcg_tangram.lattices.triangles import ROW
from epcg_tangram.params import BoardsParams, BumpParams, GameParams
from epcg_tangram.rendering import picture
from epcg_tangram.rendering.faces import (
    face,
    has_hole,
    holes_of,
    inner_edges,
    outlines,
    widened,
)
from epcg_tangram.rendering.renderers import (
    Puzzle,
    board_svg,
    constraint_in_words,
    pattern_svg,
    pattern_text,
    puzzle_of,
    puzzle_svg,
    puzzle_text,
    svg_renderer,
    text_renderer,
)
from epcg_tangram.rendering.sheet import SheetParams, sheet
from epcg_tangram.rules.adjacency import RELATIONS
from epcg_tangram.rules.boards import Board
from epcg_tangram.rules.bumps import BumpPattern, is_legal
from hypothesis import given, strategies as st

from epcg_core.rendering.render import render
from tests.tangram.hexagon import (
    COLOUR_OF,
    DEFINITION,
    GAME,
    PIECE_ORDER,
    TRAPEZOID,
    TRIANGLES,
    geometry,
    named,
    of_side,
    piece,
)

DOCS = Path(__file__).resolve().parents[2] / "plugins" / "tangram" / "docs"
SVG = "{http://www.w3.org/2000/svg}"
BOARDS = solved_boards(BoardsParams())
PATTERNS = bump_patterns(BumpParams())
BOARD = BOARDS.unrank(1234)


def svg(text: str) -> ElementTree.Element:
    """The root of a picture: nothing in it may need ids, styles or other files."""
    root = ElementTree.fromstring(text)
    assert root.tag == f"{SVG}svg"
    found = {element.tag.removeprefix(SVG) for element in root.iter()}
    assert found <= {"svg", "title", "rect", "path", "g", "circle", "text"}
    assert not any(element.get("id") or element.get("style") for element in root.iter())
    width, height = (float(root.get(name, "")) for name in ("width", "height"))
    assert root.get("viewBox") == f"0 0 {picture.number(width)} {picture.number(height)}"
    for x, y in points(root):
        assert -1 <= x <= width + 1, "something lies outside the picture"
        assert -1 <= y <= height + 1, "something lies outside the picture"
    return root


def points(root: ElementTree.Element) -> list[tuple[float, float]]:
    """All points of paths, and the centres of circles."""
    found = []
    for path in root.iter(f"{SVG}path"):
        for part in path.get("d", "").replace("z", "").replace("M", "L").split("L")[1:]:
            x, y = map(float, part.split())
            found.append((x, y))
    return found + [(float(c.get("cx", "")), float(c.get("cy", ""))) for c in root.iter(f"{SVG}circle")]


def count(root: ElementTree.Element) -> Counter[str | None]:
    return Counter(element.get("class") for element in root.iter() if element.get("class"))


def names(root: ElementTree.Element) -> list[str | None]:
    """The pieces that are drawn, by their tooltips."""
    groups = [group for group in root.iter(f"{SVG}g") if group.get("class") == "piece"]
    return [group.findtext(f"{SVG}title") for group in groups]


# --- outlines and holes ------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", PIECE_ORDER)
def test_an_outline_encloses_the_piece(name: str) -> None:
    for back in (False, True):
        (outline,) = face(piece(name), back).outlines
        assert area(outline) == pytest.approx(len(piece(name).shape) * ROW / 2)
        for i in range(len(outline)):  # no corner is in the middle of a side
            a, b, c = (outline[(i + k) % len(outline)] for k in (-1, 0, 1))
            assert abs((b[0] - a[0]) * (c[1] - b[1]) - (b[1] - a[1]) * (c[0] - b[0])) > 0.5


@pytest.mark.sweep(2)
@pytest.mark.parametrize("name", PIECE_ORDER)
@given(by=st.floats(-0.1, 0.1))
def test_a_widened_outline_has_its_sides_that_far_away(name: str, by: float) -> None:
    (outline,) = face(piece(name)).outlines
    wide = widened(outline, by)
    length = sum(math.dist(a, b) for a, b in zip(outline, (*outline[1:], outline[0]), strict=True))
    # A corner that turns by t adds tan(t / 2) times the square of the distance.
    corner = sum(
        math.tan(turn / 2)
        for turn in (
            math.remainder(
                math.atan2(c[1] - b[1], c[0] - b[0]) - math.atan2(b[1] - a[1], b[0] - a[0]), 2 * math.pi
            )
            for a, b, c in ((outline[i - 2], outline[i - 1], outline[i]) for i in range(len(outline)))
        )
    )
    assert area(wide) == pytest.approx(area(outline) + by * length + by * by * corner)


@given(st.integers(1, 5), st.randoms(use_true_random=False))
def test_outlines_of_any_triangles_enclose_just_them(side: int, choice: random.Random) -> None:
    board = geometry(side)
    chosen = [triangle for triangle in board.places if choice.random() < 0.6]
    enclosed = sum(area(tuple(map(TRIANGLES.place, line))) for line in outlines(TRIANGLES, chosen))
    assert enclosed == pytest.approx(len(chosen) * ROW / 2)
    corners = [set(TRIANGLES.corners(triangle)) for triangle in chosen]
    pairs = sum(len(a & b) == 2 for i, a in enumerate(corners) for b in corners[:i])
    assert len(inner_edges(TRIANGLES, chosen)) == pairs


def is_up(triangle: tuple[int, int]) -> bool:
    """By its corners: one of three is in its upper row."""
    rows = sorted(b for _, b in TRIANGLES.corners(triangle))
    return rows[0] == rows[1] < rows[2]


def lies(board: Board, pattern: BumpPattern) -> bool:
    """From the pieces as they are made: can each lie so that every bump is in a hole of the side below?"""
    setting = board.layout
    for name, (_, cells) in zip(named(board), board.pieces, strict=True):
        place = {setting.places[cell] for cell in cells}
        sides = holes_of(name, pattern)
        assert sides is not None
        found = False
        for turn in range(12):
            at_zero = TRIANGLES.moved(piece(name).shape, turn)
            low, own_low = ([min(t[i] for t in shape) for i in (0, 1)] for shape in (place, at_zero))
            by = low[0] - own_low[0], low[1] - own_low[1]
            if {(a + by[0], b + by[1]) for a, b in at_zero} != place or by[0] % 3 or by[1] % 3:
                continue
            bumped = [own for own in piece(name).shape if is_up(next(iter(TRIANGLES.moved([own], turn))))]
            found = found or all(has_hole(TRIANGLES, sides[turn >= 6], own) for own in bumped)
        if not found:
            return False
    return True


def test_the_holes_decide_which_boards_lie_on_the_back() -> None:
    choice = random.Random(5)
    seen = Counter()
    placements = geometry(3).placements
    for _ in range(300):
        pattern = PATTERNS.unrank(choice.randrange(PATTERNS.max_rank))
        board = Board(GAME, (choice.randrange(len(placements)),))
        assert lies(board, pattern) == is_legal(board, pattern)
        seen[lies(board, pattern)] += 1
    assert min(seen[True], seen[False]) > 30


def test_a_pattern_gives_holes_to_its_sides() -> None:
    pattern = PATTERNS.unrank(77777)
    for name, *sides in pattern.sides:
        for back, letter in enumerate(sides):
            ups = sum(map(is_up, piece(name).shape))
            expected = {"none": len(piece(name).shape), "blocked": 0, "odd": ups}
            assert len(face(piece(name), bool(back), pattern).holes) == expected.get(
                letter, len(piece(name).shape) - ups
            )
    assert len(face(piece("Hexagon"), False, pattern).holes) == 6
    assert face(piece("Hexagon")).holes == ()


# --- boards ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("rank", [0, 1234, 2507])
def test_a_solved_board_shows_its_pieces_in_their_colours(rank: int) -> None:
    board = BOARDS.unrank(rank)
    root = svg(board_svg(board))
    assert names(root) == named(board)
    fills = [path.get("fill") for group in root.iter(f"{SVG}g") for path in list(group)[1:2]]
    assert fills == [DEFINITION.colours[COLOUR_OF[PIECE_ORDER.index(str(name))]].face for name in names(root)]
    assert count(root)["lattice"] == 1
    assert count(root)["bump"] == 0


@pytest.mark.parametrize("side", [1, 3, 5])
def test_the_back_has_a_bump_on_every_other_triangle(side: int) -> None:
    root = svg(board_svg(Board(of_side(side), ()), back=True))
    assert count(root)["bump"] == 3 * side * side
    lattice = next(path.get("d", "") for path in root.iter(f"{SVG}path") if path.get("class") == "lattice")
    assert lattice.count("M") == len(geometry(side).edge_pairs)


# --- puzzles -----------------------------------------------------------------------------------------------


def instance(text: str, **rules: object) -> Puzzle:
    return puzzle_of(parse_instance(GameParams(**rules), text))  # type: ignore[arg-type]


def test_a_puzzle_shows_what_is_given_and_beside_it_what_is_to_be_placed() -> None:
    first = BOARDS.format(Board(GAME, BOARD.placements[:3]))
    absent = next(name for name in PIECE_ORDER if name not in named(BOARD))
    puzzle = instance(f"{first}; without {absent}")
    assert puzzle.solution is not None
    assert not puzzle.spare
    left = Counter(named(BOARD)) - Counter(named(BOARD)[:3])
    assert Counter(kind.name for kind in puzzle.to_place) == left
    root = svg(puzzle_svg(puzzle))
    assert Counter(names(root)) == Counter(named(BOARD))
    solved = svg(puzzle_svg(puzzle, solution=True))
    assert Counter(names(solved)) == Counter(names(root))
    assert len(points(solved)) < len(points(root)) + 1
    assert "not all are needed" not in puzzle_text(puzzle)


def test_a_puzzle_that_does_not_tell_what_is_left_over_says_so() -> None:
    puzzle = instance(BOARDS.format(Board(GAME, BOARD.placements[:2])))
    assert puzzle.spare
    assert len(puzzle.to_place) == 9
    assert "not all are needed" in puzzle_text(puzzle)
    words = [text.text for text in svg(puzzle_svg(puzzle)).iter(f"{SVG}text")]
    assert words == ["To place", "Not all are needed."]


@pytest.mark.parametrize("relation", [relation.name for relation in RELATIONS])
@pytest.mark.parametrize("colours", [(1,), (0, 4)])
def test_a_constraint_shows_the_pieces_it_speaks_of(relation: str, colours: tuple[int, ...]) -> None:
    puzzle = Puzzle(BOARD, (), BOARD, relation, colours)
    plain = Counter(names(svg(puzzle_svg(Puzzle(BOARD, (), BOARD)))))
    more = Counter(names(svg(puzzle_svg(puzzle)))) - plain
    assert {COLOUR_OF[PIECE_ORDER.index(str(name))] for name in more} == set(colours)
    assert sum(more.values()) == 2 * len(colours)
    assert constraint_in_words(DEFINITION, relation, colours) in puzzle_text(puzzle)


def test_a_puzzle_on_the_back_shows_both_sides_of_the_pieces() -> None:
    pattern = PATTERNS.unrank(77777)
    puzzle = Puzzle(
        Board(GAME, BOARD.placements[:2]),
        tuple(map(piece, ("Elbow", TRAPEZOID, TRAPEZOID))),
        None,
        pattern=pattern,
    )
    found = count(svg(puzzle_svg(puzzle)))
    assert found["bump"] == 27
    assert found["face"] == 4
    holes = sum(
        len(face(piece(name), back, pattern).holes) for name in ("Elbow", TRAPEZOID) for back in (False, True)
    )
    assert found["hole"] == holes
    assert pattern_text(DEFINITION, pattern) in puzzle_text(puzzle)


def test_a_puzzle_without_a_solution_is_drawn_without_one() -> None:
    puzzle = Puzzle(Board(GAME, ()), (), None)
    assert puzzle_svg(puzzle, solution=True) == puzzle_svg(puzzle)
    assert puzzle_text(puzzle, solution=True) == "No solution.\n"


# --- bump patterns -----------------------------------------------------------------------------------------


def test_a_pattern_shows_every_side_that_can_be_constrained() -> None:
    pattern = PATTERNS.unrank(0)
    found = count(svg(pattern_svg(GAME, pattern)))
    assert found["face"] == 2 * len(pattern.sides)
    assert found["hole"] == sum(
        len(face(piece(name), back, pattern).holes) for name, _, _ in pattern.sides for back in (False, True)
    )
    assert len(pattern_text(DEFINITION, pattern).splitlines()) == len(pattern.sides)


# --- drawings ----------------------------------------------------------------------------------------------


def test_the_pieces_have_different_letters() -> None:
    assert len(set(codes(PIECE_ORDER).values())) == len(PIECE_ORDER)


def test_a_board_of_side_1() -> None:
    hexagon = next(
        number for number, p in enumerate(geometry(1).placements) if PIECE_ORDER[p.piece] == "Hexagon"
    )
    assert draw(geometry(1), Board(of_side(1), (hexagon,)).pieces).splitlines() == [
        r"   ______",
        r"  /      \ ".rstrip(),
        r" /He He He\ ".rstrip(),
        r"/          \ ".rstrip(),
        r"\          /",
        r" \He He He/",
        r"  \______/",
    ]
    back = draw(geometry(1), [], True).split()
    assert Counter("".join(back))["o"] == 3


@given(st.integers(0, BOARDS.max_rank - 1))
def test_a_drawing_has_the_letters_of_every_triangle_and_a_line_at_every_border(rank: int) -> None:
    board = BOARDS.unrank(rank)
    text = draw(geometry(3), board.pieces)
    for number, name in enumerate(PIECE_ORDER):
        cells = sum(len(own) for other, own in board.pieces if other == number)
        assert text.count(codes(PIECE_ORDER)[name]) == cells
    owner = {cell: number for number, (_, cells) in enumerate(board.pieces) for cell in cells}
    places = geometry(3).places
    slanted, flat = 12, 6  # of the board's border
    for one, other in geometry(3).edge_pairs:
        if owner[one] != owner[other]:
            a, b = set(TRIANGLES.corners(places[one])) & set(TRIANGLES.corners(places[other]))
            slanted, flat = slanted + (a[1] != b[1]), flat + (a[1] == b[1])
    assert text.count("/") + text.count("\\") == 3 * slanted
    assert 4 * flat <= text.count("_") <= 6 * flat


# --- the registered renderers ------------------------------------------------------------------------------


def test_every_state_has_a_picture_and_a_text() -> None:
    pattern, own = PATTERNS.unrank(3), parse_instance(GameParams(), BOARDS.format(BOARD))
    for state in (BOARD, pattern, own):
        for solution in (False, True):
            svg(svg_renderer(PATTERNS)(state, solution=solution))
            assert text_renderer(PATTERNS)(state, solution=solution).endswith("\n")


def test_pictures_by_id() -> None:
    assert render("tangram:solved_boards#1234", "svg") == board_svg(BOARD)
    assert render("tangram:solved_boards#1234", "text", back=True) == draw(geometry(3), BOARD.pieces, True)
    assert render("tangram:bump_patterns#7", "text") == pattern_text(DEFINITION, PATTERNS.unrank(7))
    svg(render("tangram:instances#5", "svg", solution=True))


# --- the README's pictures ---------------------------------------------------------------------------------

PUZZLE = "tangram:instances?colours=[1]&relation=edges_must_touch#200"


@pytest.mark.parametrize(
    ("name", "puzzle", "solution"),
    [
        ("board", "tangram:solved_boards#1234", False),
        ("pattern", "tangram:bump_patterns#192", False),
        ("back", "tangram:instances?bumps=192#30", False),
        ("puzzle", PUZZLE, False),
        ("solution", PUZZLE, True),
    ],
)  # fmt: skip
def test_the_readmes_pictures_are_what_the_program_draws(name: str, puzzle: str, solution: bool) -> None:
    assert (DOCS / f"{name}.svg").read_text(encoding="utf-8") == render(puzzle, "svg", solution=solution)


def test_the_readmes_sheet_is_what_the_program_writes() -> None:
    pages = sheet(SheetParams(edge=26, pattern=PATTERNS.unrank(192)))
    assert (DOCS / "cutout.svg").read_text(encoding="utf-8") == pages[0]
    readme = (DOCS.parent / "README.md").read_text(encoding="utf-8")
    assert readme.count("    tangram-cutout/page-") == len(pages)
    for line in render(PUZZLE, "text").splitlines():
        assert f"    {line}\n" in readme

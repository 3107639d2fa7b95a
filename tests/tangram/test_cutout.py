"""Cut-out sheets: the true size of everything, and that nothing overlaps."""

from __future__ import annotations

import math
import re
import xml.etree.ElementTree as ElementTree
from collections import Counter
from functools import cached_property
from itertools import combinations
from pathlib import Path

import pytest
from epcg_tangram.commands.cutout import command, pattern_of
from epcg_tangram.generators.bumps import bump_patterns
from epcg_tangram.lattices.lattice import area
from epcg_tangram.lattices.triangles import ROW
from epcg_tangram.params import BumpParams
from epcg_tangram.rendering.faces import face
from epcg_tangram.rendering.sheet import CUT, ENGRAVE, HOLE, PAGES, PLAY, RULER, SheetParams, sheet
from hypothesis import given, settings, strategies as st

from epcg_core.base.errors import EpcgError, ParamsError, RankError, UnknownNameError
from tests.sweeps import most
from tests.tangram.hexagon import GAME, PIECE_ORDER, TRIANGLES, piece
from tests.workplace import invoke

SVG = "{http://www.w3.org/2000/svg}"
PATTERNS = bump_patterns(BumpParams())
PATTERN = PATTERNS.unrank(77777)
Points = list[tuple[float, float]]


class Cut:
    """An item as a cutter sees it: the closed lines and the circles that are cut, the last line outermost."""

    def __init__(self, page: int, group: ElementTree.Element) -> None:
        self.page = page
        self.label = group.findtext(f"{SVG}title")
        self.lines: list[Points] = []
        for path in group.iter(f"{SVG}path"):
            assert path.get("stroke") == {"cut": CUT, "engrave": ENGRAVE}[str(path.get("class"))]
            if path.get("class") == "cut":
                text = path.get("d", "")
                assert text.startswith("M")
                assert text.endswith("z")
                corners = [part.split() for part in text[1:-1].split("L")]
                self.lines.append([(float(x), float(y)) for x, y in corners])
        self.circles = [
            (float(c.get("cx", "")), float(c.get("cy", "")), float(c.get("r", "")))
            for c in group.iter(f"{SVG}circle")
            if c.get("class") == "cut"
        ]

    @cached_property
    def box(self) -> tuple[float, float, float, float]:
        """Least x and y, greatest x and y, of all that is cut."""
        points = [point for line in self.lines for point in line]
        points += [(x + side * r, y + side * r) for x, y, r in self.circles for side in (-1, 1)]
        xs, ys = zip(*points, strict=True)
        return min(xs), min(ys), max(xs), max(ys)


def size(root: ElementTree.Element) -> tuple[float, float]:
    """Of a page in millimetres; a unit of its picture is a millimetre."""
    width, height = (re.fullmatch(r"([\d.]+)mm", root.get(name, "")) for name in ("width", "height"))
    assert width
    assert height
    assert root.get("viewBox") == f"0 0 {width[1]} {height[1]}"
    return float(width[1]), float(height[1])


def cuts(pages: list[str]) -> list[Cut]:
    roots = [ElementTree.fromstring(text) for text in pages]
    return [
        Cut(number, group)
        for number, root in enumerate(roots)
        for group in root.iter(f"{SVG}g")
        if group.get("class") == "item"
    ]


def inside(point: tuple[float, float], polygon: Points) -> bool:
    """Whether a point lies within a polygon: a line to the right crosses its sides an odd number of times."""
    x, y = point
    crossings = 0
    for (a, b), (c, d) in zip(polygon, polygon[1:] + polygon[:1], strict=True):
        if (b > y) != (d > y) and a + (y - b) / (d - b) * (c - a) > x:
            crossings += 1
    return crossings % 2 == 1


def test_the_sheet_has_each_piece_once_and_the_trapezoid_twice() -> None:
    found = [cut.label for cut in cuts(sheet(SheetParams(board=False)))]
    assert sorted(found) == sorted([*PIECE_ORDER[:-1], "Trapezoid 1", "Trapezoid 2"])
    with_board = [cut.label for cut in cuts(sheet(SheetParams()))]
    assert Counter(with_board) - Counter(found) == Counter(["Board, front", "Rim, front"])


def test_with_a_pattern_each_piece_has_two_layers_and_the_board_bumps() -> None:
    found = {cut.label: cut for cut in cuts(sheet(SheetParams(pattern=PATTERN)))}
    assert len(found) == 2 * 11 + 5
    assert len(found["27 bumps"].circles) == 27
    for name in PIECE_ORDER[:-1]:
        for back, side in enumerate(("front", "back")):
            assert len(found[f"{name} {side}"].circles) == len(face(piece(name), bool(back), PATTERN).holes)


@pytest.mark.parametrize("page", PAGES)
@settings(max_examples=most(30))
@given(
    edge=st.floats(5, 26),
    kerf=st.floats(0, 0.25),
    board=st.booleans(),
    rank=st.none() | st.integers(0, PATTERNS.max_rank - 1),
)
def test_nothing_overlaps_and_all_is_on_its_page(
    page: str, edge: float, kerf: float, board: bool, rank: int | None
) -> None:
    pattern = None if rank is None else PATTERNS.unrank(rank)
    pages = sheet(SheetParams(edge=edge, kerf=kerf, page=page, board=board, pattern=pattern))
    for text in pages:
        assert size(ElementTree.fromstring(text)) == PAGES[page]
    found = cuts(pages)
    width, height = PAGES[page]
    for cut in found:
        left, top, right, bottom = cut.box
        assert min(left, top) >= 5
        assert right <= width - 5
        assert bottom <= height - 5
    for one, other in combinations(found, 2):
        if one.page == other.page:  # there are kerf and more between their boxes, so between them
            (a, b, c, d), (e, f, g, h) = one.box, other.box
            assert max(e - c, a - g, f - d, b - h) >= 2


@settings(max_examples=most(30))
@given(edge=st.floats(5, 26), kerf=st.floats(0, 0.25))
def test_a_piece_has_its_true_size_when_the_cut_has_taken_its_share(edge: float, kerf: float) -> None:
    """Its area: what is drawn, less half the kerf along the outline, and what that takes at the corners."""
    exact = {cut.label: cut for cut in cuts(sheet(SheetParams(edge=edge, board=False)))}
    drawn = {cut.label: cut for cut in cuts(sheet(SheetParams(edge=edge, kerf=kerf, board=False)))}
    for name in PIECE_ORDER[:-1]:
        triangles = len(piece(name).shape)
        (line,), (wide,) = exact[name].lines, drawn[name].lines
        assert abs(area(tuple(line))) == pytest.approx(triangles * ROW / 2 * edge**2, abs=0.01 * edge)
        sides = sorted(math.dist(a, b) / edge for a, b in zip(line, line[1:] + line[:1], strict=True))
        assert all(abs(side - round(side)) < 0.001 for side in sides)
        perimeter = sum(sides) * edge
        more = abs(area(tuple(wide))) - abs(area(tuple(line)))
        # Up to eight corners add up to tan(60 degrees) times the square of half the kerf each.
        assert more == pytest.approx(kerf / 2 * perimeter, abs=14 * (kerf / 2) ** 2 + 0.02 * edge)


def test_holes_lie_within_their_piece_and_take_the_bumps() -> None:
    kerf = 0.2
    found = cuts(sheet(SheetParams(pattern=PATTERN, kerf=kerf)))
    bumps = next(cut for cut in found if cut.label == "27 bumps")
    # What is left of a disc is smaller than what is left of a hole, by the play.
    disc = {round(r - kerf / 2, 6) for _, _, r in bumps.circles}
    for cut in found:
        if cut.circles and cut is not bumps:
            hole = {round(r + kerf / 2, 6) for _, _, r in cut.circles}
            assert len(hole) == len(disc) == 1
            assert hole.pop() - next(iter(disc)) == pytest.approx(PLAY, abs=0.002)
            for x, y, r in cut.circles:
                rim = [(x + r * math.cos(t), y + r * math.sin(t)) for t in range(7)]
                assert all(inside(point, cut.lines[-1]) for point in rim)


def test_the_backs_are_the_mirror_images_of_the_fronts() -> None:
    """Laid on each other back to back they are the same shape: each turns the other way round."""
    for name in PIECE_ORDER:
        front, back = face(piece(name), False, PATTERN), face(piece(name), True, PATTERN)
        (front_line,), (back_line,) = front.outlines, back.outlines
        assert sorted((round(-x, 9), round(y, 9)) for x, y in back_line) == sorted(
            (round(x, 9), round(y, 9)) for x, y in front_line
        )
        assert 0 < area(front_line) == pytest.approx(area(back_line))


def test_the_well_of_the_board_holds_the_pieces() -> None:
    edge = 20.0
    rim = next(cut for cut in cuts(sheet(SheetParams(edge=edge))) if cut.label == "Rim, front")
    well, outer = rim.lines
    assert all(inside(point, outer) for point in well)
    xs = [x for x, _ in well]
    assert max(xs) - min(xs) == pytest.approx(6 * edge + 2 * PLAY / ROW, abs=0.002)


def test_the_ruler_is_as_long_as_it_says() -> None:
    for text in sheet(SheetParams()):
        ruler = next(p for p in ElementTree.fromstring(text).iter(f"{SVG}path") if p.get("class") == "ruler")
        first = ruler.get("d", "")[1:].split("M")[0]
        (x, y), (x2, y2) = (map(float, part.split()) for part in first.split("L"))
        assert (x2 - x, y2 - y) == (RULER, 0)
        assert f"{RULER:g} mm" in text


def test_a_hole_leaves_material_around_it() -> None:
    assert HOLE * TRIANGLES.inradius < ROW / 3


@pytest.mark.parametrize(
    ("params", "message"),
    [
        (SheetParams(edge=40), "'Board, front' larger than the 190 by 268 mm .* at most 27 mm"),
        (SheetParams(edge=0), "from 5 to 1000 mm, not 0"),
        (SheetParams(edge=float("nan")), "from 5 to 1000 mm, not nan"),
        (SheetParams(edge=float("inf")), "from 5 to 1000 mm, not inf"),
        (SheetParams(kerf=2), "from 0 to 1 mm, a twentieth of the edge, not 2"),
        (SheetParams(kerf=-0.1), "kerf must be from 0"),
    ],
)  # fmt: skip
def test_sizes_that_do_not_go_together(params: SheetParams, message: str) -> None:
    with pytest.raises(EpcgError, match=message):
        sheet(params)


def test_an_unknown_page() -> None:
    with pytest.raises(UnknownNameError, match="unknown page 'a5'"):
        sheet(SheetParams(page="a5"))


def test_the_largest_edge_that_is_named_fits() -> None:
    assert sheet(SheetParams(edge=27))


def test_patterns_are_named_by_rank_or_written_out() -> None:
    assert pattern_of(GAME, None) is None
    assert pattern_of(GAME, "77777") == PATTERN
    assert pattern_of(GAME, PATTERNS.format(PATTERN)) == PATTERN
    other = bump_patterns(BumpParams(group_one="none")).unrank(5)
    assert pattern_of(GAME, PATTERNS.format(other)) == other
    with pytest.raises(RankError, match="ranks are 0 to 124415"):
        pattern_of(GAME, "124416")
    with pytest.raises(ParamsError, match="Holes are written"):
        pattern_of(GAME, "Line odd")
    with pytest.raises(RankError, match="not one of this space"):
        pattern_of(GAME, "Line odd/odd")


def test_the_command_writes_the_pages(tmp_path: Path) -> None:
    done = invoke(command(), "--edge", "15", "--page", "letter", "--output", str(tmp_path / "sheet"))
    assert done.exit_code == 0, done.output
    files = sorted((tmp_path / "sheet").iterdir())
    assert done.stdout.splitlines() == [str(path) for path in files]
    assert [path.read_text() for path in files] == sheet(SheetParams(edge=15, page="letter"))
    (tmp_path / "file").write_text("")
    refused = invoke(command(), "--output", str(tmp_path / "file" / "sheet"))
    assert isinstance(refused.exception, EpcgError)
    assert "cannot be written" in str(refused.exception)

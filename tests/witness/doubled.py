"""Solutions of panels by brute force on the doubled grid, under any variant, unlike the plain rules.

Points are (X, Y), twice the coordinates: vertices are even and even, middles of edges even and odd, cells
odd and odd. Lines are sets of points; regions flow through all points that no line covers.
"""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Iterator
from functools import cache
from typing import TypeAlias

from epcg_witness.rules.panel import CellSymbol, Eraser, Panel, Polyomino, Square, Star, Triangles

Point: TypeAlias = tuple[int, int]
Line: TypeAlias = tuple[Point, ...]
Thing: TypeAlias = tuple[str, Point]
STEPS = ((0, 1), (1, 0), (0, -1), (-1, 0))


class Doubled:
    """A panel on the doubled grid."""

    def __init__(self, panel: Panel) -> None:
        self.panel = panel
        self.width, self.height = 2 * panel.width, 2 * panel.height
        grid = panel.grid

        def points(edges: tuple[int, ...], vertices: tuple[int, ...] = ()) -> set[Point]:
            found = {grid.point_at(grid.vertices + edge) for edge in edges}
            return found | {grid.point_at(vertex) for vertex in vertices}

        def dots(numbers: tuple[int, ...]) -> set[Point]:
            edges = grid.edges
            return points(
                tuple(d for d in numbers if d < edges), tuple(d - edges for d in numbers if d >= edges)
            )

        self.starts = points(panel.edge_starts, panel.starts)
        self.ends = points(panel.edge_ends, panel.ends)
        self.missing = points(panel.missing)
        if panel.variant.gaps == "missing":
            self.missing |= points(panel.gaps)
        self.closed = self.missing | points(panel.gaps)
        self.dots = dots(panel.dots)
        self.first, self.second = dots(panel.first_dots), dots(panel.second_dots)
        self.symbols: dict[Point, CellSymbol] = {
            (2 * x + 1, 2 * y + 1): symbol
            for (x, y), symbol in ((grid.cell_at(cell), symbol) for cell, symbol in panel.symbols)
        }
        self.outside = self._outside()

    def around(self, point: Point) -> Iterator[Point]:
        """Yield the neighbours of a point."""
        for dx, dy in STEPS:
            x, y = point[0] + dx, point[1] + dy
            if self.panel.pillar:
                x %= self.width
            if 0 <= x <= self.width and 0 <= y <= self.height:
                yield x, y

    def _outside(self) -> set[Point]:
        border = {
            (x, y) for x, y in self.missing
            if y in (0, self.height) or (not self.panel.pillar and x in (0, self.width))
        }  # fmt: skip
        found, front = set(border), list(border)
        while front:
            for other in self.around(front.pop()):
                cell = other[0] % 2 and other[1] % 2
                if (cell or other in self.missing) and other not in found:
                    found.add(other)
                    front.append(other)
        return found

    def pinched(self) -> bool:
        """Whether cells that belong to regions touch in a corner only, beside cells outside."""
        for x, y in itertools.product(range(0, self.width + 1, 2), range(0, self.height + 1, 2)):
            cells = [((x + dx) % self.width if self.panel.pillar else x + dx, y + dy)
                     for dx, dy in ((-1, -1), (1, -1), (1, 1), (-1, 1))]  # fmt: skip
            inside = [0 <= a <= self.width and 0 <= b <= self.height and (a, b) not in self.outside
                      for a, b in cells]  # fmt: skip
            if inside in ([True, False, True, False], [False, True, False, True]):
                return True
        return False

    def beside_cells(self, point: Point) -> bool:
        """Whether a point is, or touches, a cell that belongs to a region."""
        x, y = point
        xs = (x,) if x % 2 else (x - 1, x + 1)
        ys = (y,) if y % 2 else (y - 1, y + 1)
        cells = [(a % self.width if self.panel.pillar else a, b) for a in xs for b in ys]
        return any(
            0 <= a <= self.width and 0 <= b <= self.height and (a, b) not in self.outside for a, b in cells
        )

    def twin(self, point: Point) -> Point:
        """Return the point of the other line."""
        x, y = point
        symmetry = self.panel.symmetry
        if symmetry in ("horizontal", "rotational"):
            x = self.width - x
        if symmetry in ("vertical", "rotational"):
            y = self.height - y
        return ((x + self.width // 2) % self.width if self.panel.pillar else x), y

    def lines(self) -> Iterator[Line]:
        """Yield every line from a start to an end, all of its points."""
        stack: list[Line] = [(start,) for start in self.starts]
        while stack:
            line = stack.pop()
            if line[-1] in self.ends and len(line) > 1:
                yield line
            x, y = line[-1]
            for to in self.around(line[-1]):
                straight = x % 2 == y % 2 or len(line) == 1 or self.straight(line[-2], line[-1], to)
                if to not in line and to not in self.closed and not (to[0] % 2 and to[1] % 2) and straight:
                    stack.append((*line, to))

    def straight(self, one: Point, two: Point, three: Point) -> bool:
        """Whether a step over the middle of an edge goes on in its direction."""
        return one[0] == two[0] == three[0] or one[1] == two[1] == three[1]

    def solutions(self) -> Counter[Line]:
        """Return the solutions, each as the points of its first line."""
        found: Counter[Line] = Counter()
        for line in self.lines():
            other: Line = ()
            if self.panel.symmetry is not None:
                other = tuple(map(self.twin, line))
                if other[0] not in self.starts or other[-1] not in self.ends or set(line) & set(other):
                    continue
                if set(other) & self.closed or set(line) & self.second or set(other) & self.first:
                    continue
                if self.panel.variant.pairs == "once" and self.number(other[0]) < self.number(line[0]):
                    continue
            if self.satisfied(set(line) | set(other)):
                found[line] += 1
        return found

    def number(self, point: Point) -> tuple[bool, int]:
        """Return the order of starts: vertices first, each kind by its numbers."""
        grid = self.panel.grid
        numbers = {grid.point_at(number): number for number in range(grid.vertices + grid.edges)}
        return numbers[point] >= grid.vertices, numbers[point]

    def satisfied(self, drawn: set[Point]) -> bool:
        """Whether what two lines cover satisfies every region."""
        seen = set(drawn) | self.outside
        inside = [
            (x, y) for x in range(1, self.width, 2) for y in range(1, self.height, 2) if (x, y) not in seen
        ]
        for start in inside:
            if start in seen:
                continue
            region, front = {start}, [start]
            while front:
                for other in self.around(front.pop()):
                    if other not in region and other not in seen and self.beside_cells(other):
                        region.add(other)
                        front.append(other)
            seen |= region
            if not self.region_satisfied(region, drawn):
                return False
        return self.dots <= seen

    def region_satisfied(self, region: set[Point], drawn: set[Point]) -> bool:
        """Whether the symbols in the points of a region are satisfied."""
        held = {point: symbol for point, symbol in self.symbols.items() if point in region}
        must: set[Thing] = {("dot", dot) for dot in self.dots & region}
        for point, symbol in held.items():
            sides = sum(side in drawn for side in self.around(point))
            if isinstance(symbol, Triangles) and sides != symbol.count:
                must.add(("cell", point))

        def agree(left: dict[Point, CellSymbol]) -> bool:
            return not self.violated(left, region)

        erasers: list[Thing] = [("cell", point) for point, s in held.items() if isinstance(s, Eraser)]
        if not erasers:
            return not must and agree(held)
        others = {*must, *(("cell", point) for point in held)} - set(erasers)
        early = {("cell", point) for point in self.violated(held, region)} | must
        colours = Counter(symbol.colour for symbol in held.values())
        hopeless = must | {
            ("cell", point) for point, s in held.items() if isinstance(s, Star) and colours[s.colour] == 1
        }
        stay = self.panel.variant.erasers == "stay"
        every = self.panel.variant.erased == "any"
        held_others = [point for point, symbol in held.items() if not isinstance(symbol, Eraser)]

        @cache
        def fewest(left_erasers: frozenset[Point]) -> int:
            """The fewest symbols and dots without which the rest agrees, if these erasers are left; or -1."""
            for number in range(len(held_others) + 1):
                for some in itertools.combinations(held_others, number):
                    gone = {("cell", point) for point in some}
                    left = {
                        p: s for p, s in held.items() if p in left_erasers or p in {*held_others} - {*some}
                    }
                    if all(thing in gone for thing in must if thing[0] == "cell") and agree(left):
                        return number + sum(thing[0] == "dot" for thing in must)
            return -1

        satisfied = False
        for targets in itertools.product(
            [None, *(early if every else others), *erasers], repeat=len(erasers)
        ):
            gone = {target for target in targets if target is not None}
            if len(gone) < sum(target is not None for target in targets) or any(
                by in gone and target is not None for by, target in zip(erasers, targets, strict=True)
            ):
                continue
            by_eraser = gone.intersection(erasers)
            idle = [
                by for by, target in zip(erasers, targets, strict=True) if target is None and by not in gone
            ]
            if len(idle) > (0 if every else 1):
                continue
            if every and by_eraser and early - hopeless and not gone & (early - hopeless):
                continue
            away = gone if stay else gone | (set(erasers) - set(idle))
            left = {point: s for point, s in held.items() if ("cell", point) not in away}
            if must - gone or not agree(left):
                continue
            left_erasers = frozenset(point for point, s in left.items() if isinstance(s, Eraser))
            if every:
                return True
            if len(gone - by_eraser) == fewest(left_erasers):
                if idle:
                    return False
                satisfied = True
        return satisfied

    def violated(self, left: dict[Point, CellSymbol], region: set[Point]) -> set[Point]:
        """Return the squares, stars and pieces that are violated."""
        colours = Counter(symbol.colour for symbol in left.values())
        squares = {symbol.colour for symbol in left.values() if isinstance(symbol, Square)}
        pieces = {point: symbol for point, symbol in left.items() if isinstance(symbol, Polyomino)}
        found = {
            point
            for point, symbol in left.items()
            if (isinstance(symbol, Square) and len(squares) > 1)
            or (isinstance(symbol, Star) and colours[symbol.colour] != 2)
        }
        return found | (set() if self.covered(list(pieces.values()), region) else set(pieces))

    def covered(self, pieces: list[Polyomino], region: set[Point]) -> bool:
        """Whether pieces cover a region: all ways to lay the negative ones, then the others on the rest."""
        variant = self.panel.variant
        net = sum(piece.area for piece in pieces)
        cells = {(x, y) for x, y in region if x % 2 and y % 2}
        if not pieces or (net == 0 and variant.equal_areas == "accepted"):
            return True
        if net not in (0, len(cells)):
            return False
        room: Counter[Point] = Counter(region if net else ())
        crossed = variant.crossing == "forbidden"  # whether the middles of edges have room, too
        reach = 0 if variant.off_panel == "forbidden" else 2 * sum(max(p.width, p.height) for p in pieces)
        columns = range(1, self.width, 2) if self.panel.pillar else range(1 - reach, self.width + reach, 2)
        rows = range(1 - reach, self.height + reach, 2)
        negative = [piece for piece in pieces if piece.negative]
        positive = [piece for piece in pieces if not piece.negative]

        def inside(lain: list[Point]) -> bool:
            return reach > 0 or all(
                0 <= y <= self.height and (self.panel.pillar or 0 <= x <= self.width) for x, y in lain
            )

        def wrapped(points: list[Point]) -> list[Point]:
            return [(x % self.width, y) for x, y in points] if self.panel.pillar else points

        def lay(left: list[Polyomino]) -> bool:
            if not left:
                return fill(positive)
            for shape in left[0].orientations():
                for x, y in itertools.product(columns, rows):
                    lain = [(x + 2 * a, y + 2 * b) for a, b in shape]
                    if not inside(lain):
                        continue
                    sides = {(u + dx, v + dy) for u, v in lain for dx, dy in STEPS if crossed}
                    change = Counter(wrapped([*lain, *sides]))
                    room.update(change)
                    if lay(left[1:]):
                        return True
                    room.subtract(change)
            return False

        def fill(left: list[Polyomino]) -> bool:
            free = sorted(point for point, n in room.items() if n > 0 and point[0] % 2 and point[1] % 2)
            if not free or not left:
                return not free and not left
            for i, piece in enumerate(left):
                for shape in piece.orientations():
                    for a, b in shape:
                        lain = [(free[0][0] + 2 * (c - a), free[0][1] + 2 * (d - b)) for c, d in shape]
                        if not inside(lain):
                            continue
                        joints = [
                            (x + dx, y + dy) for x, y in lain for dx, dy in ((1, 0), (0, 1))
                            if crossed and (x + 2 * dx, y + 2 * dy) in lain
                        ]  # fmt: skip
                        change = Counter(wrapped([*lain, *joints]))
                        if all(room[point] >= n for point, n in change.items()):
                            room.subtract(change)
                            if fill(left[:i] + left[i + 1 :]):
                                return True
                            room.update(change)
            return False

        return lay(negative)

"""Boards as text: a line around every piece, its two letters in each of its triangles.

A triangle is three lines high and six columns wide. Empty triangles hold a dot, or an o for a bump.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from epcg_tangram.rules.geometry import TRAPEZOID, Geometry, Vertex, is_up

WIDE, HIGH = 6, 3
EMPTY, BUMP = ". ", "o "


def code(name: str) -> str:
    """Return the two letters of a piece."""
    return "Tz" if name == TRAPEZOID else name[:2]


def draw(board: Geometry, placed: Iterable[tuple[str, Sequence[int]]], bumps: bool = False) -> str:
    """Draw a board with pieces on it, and with `bumps` its back."""
    names: list[str] = []
    owner: dict[int, int] = {}
    for number, (name, cells) in enumerate(placed):
        names.append(name)
        owner.update(dict.fromkeys(cells, number))
    paper = _Paper(board)
    for low in (True, False):  # floors first: slanted lines run through their ends
        for cell, triangle in enumerate(board.triangles):
            for apex in sorted(triangle):
                one, two = sorted(triangle - {apex})
                other = frozenset([one, two, (one[0] + two[0] - apex[0], one[1] + two[1] - apex[1])])
                beyond = board.number.get(other)
                if beyond is not None and owner.get(cell) == owner.get(beyond):
                    continue
                if (one[1] == two[1]) == low:
                    paper.edge(one, two)
    for cell, triangle in enumerate(board.triangles):
        corner = min(triangle, key=lambda v: (v[1], v[0]))
        if cell in owner:
            text = code(names[owner[cell]])
        else:
            text = BUMP if bumps and is_up(triangle) else EMPTY
        paper.letters(corner, is_up(triangle), text)
    return paper.text()


class _Paper:
    """A grid of characters, and where the lattice lies on it."""

    def __init__(self, board: Geometry) -> None:
        self.side = board.side
        self.lines = [[" "] * (2 * WIDE * board.side + 1) for _ in range(2 * HIGH * board.side + 1)]

    def _at(self, vertex: Vertex) -> tuple[int, int]:
        """Return the column right of a vertex and the line below it."""
        a, b = vertex
        return WIDE * a + WIDE // 2 * b + WIDE * self.side, HIGH * (self.side - b) + 1

    def edge(self, one: Vertex, two: Vertex) -> None:
        """Draw the edge between two vertices, the lesser first."""
        (x, y), (x2, _) = self._at(one), self._at(two)
        if one[1] == two[1]:
            for column in range(x, x2):
                self.lines[y - 1][column] = "_"
        elif one[0] == two[0]:  # up to the right
            for step in range(HIGH):
                self.lines[y - 1 - step][x + step] = "/"
        else:  # the lesser vertex is the upper one
            for step in range(HIGH):
                self.lines[y + step][x + step] = "\\"

    def letters(self, lowest: Vertex, up: bool, text: str) -> None:
        """Write two letters into the triangle whose lowest (leftmost) vertex is given."""
        x, y = self._at(lowest)
        start = x + WIDE // 2 - 1 if up else x - 1
        self.lines[y - 2][start : start + 2] = text

    def text(self) -> str:
        return "".join("".join(line).rstrip() + "\n" for line in self.lines)

"""The picture of a puzzle as SVG, with marks or without, as it is printed on paper."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from functools import cached_property
from itertools import pairwise

import attrs

from epcg_core.plugin import INK, number, svg
from epcg_deduction.model.boards import CELL, HOLE, WALL
from epcg_deduction.model.puzzles import Clue, Puzzle
from epcg_deduction.model.sites import ARROWS, marks_of, sites_of, value_text
from epcg_deduction.rendering.glyphs import (
    BLANKS,
    BLUE,
    CLUES,
    DARK,
    FILLS,
    MARKS,
    PAPER,
    SIGNS,
    WATER,
    Glyph,
    circle,
)

UNIT = 40.0
"""The side of a cell."""
_MARGIN = 8.0
_GRID, _WALL, _TINT, _TUBE = "#c9c2b8", "#3a342e", "#fbd3cd", "#ddd6cb"
Marks = Sequence[int | None]
"""The number of the mark of each site of `sites_of`; None: it is open."""


def puzzle_svg(puzzle: Puzzle, marks: Marks | None = None, told: Collection[int] = ()) -> str:
    """Draw a puzzle as an SVG document.

    Args:
        puzzle: the puzzle.
        marks: the marks of its sites, or those that are known; None for the puzzle alone.
        told: numbers of sites to be pointed out.

    Returns:
        The document.
    """
    picture = Picture(puzzle)
    board = puzzle.board
    title = f"{puzzle.genre.title}, {board.width} by {board.height}"
    words = title if marks is None else f"{title}, solved" if None not in marks else f"{title}, in part"
    return svg.document(*picture.size, words, picture.parts(marks, told))


def two_solutions_svg(puzzle: Puzzle, one: Marks, other: Marks) -> str:
    """Draw two solutions of a puzzle side by side, and point out the sites where they differ."""
    told = [site for site, (a, b) in enumerate(zip(one, other, strict=True)) if a != b]
    pictures = [puzzle_svg(puzzle, marks, told) for marks in (one, other)]
    sizes = [svg.size_of(picture) for picture in pictures]
    shifts = (0.0, sizes[0][0] + UNIT / 2)
    parts = [
        f'<g transform="translate({number(shift)},0)">{picture}</g>'
        for shift, picture in zip(shifts, pictures, strict=True)
    ]
    title = f"Two solutions of a puzzle of {puzzle.genre.title}, which differ at {len(told)} places"
    return svg.document(shifts[1] + sizes[1][0], sizes[0][1], title, parts)


@attrs.frozen(slots=False)
class Picture:
    """The coordinates and the elements of a puzzle's picture."""

    puzzle: Puzzle

    @cached_property
    def _outside(self) -> tuple[float, float, float, float]:
        """The room for clues to the left, above, to the right and below, in cells."""
        board, left, above, right, below = self.puzzle.board, 0.0, 0.0, 0.0, 0.0
        for clue in self.puzzle.clues:
            on = self.puzzle.genre.clues[clue.kind].on
            words = value_text(clue.value).split()
            if on == "lines" and clue.place < board.height:
                left = max(left, 0.25 + 0.5 * len(words))
            elif on == "lines":
                above = max(above, 0.2 + 0.55 * len(words))
            elif on == "sides":
                side = _side(clue.place, board.width, board.height)[0]
                above, below = max(above, side == "top"), max(below, side == "bottom")
                left, right = max(left, side == "left"), max(right, side == "right")
            elif on == "stretches":
                first, across = self._before(clue.place)
                x, y = first
                left, above = max(left, across and x < 0), max(above, not across and y < 0)
        return left, above, right, below

    @property
    def size(self) -> tuple[float, float]:
        """The width and the height of the picture."""
        left, above, right, below = self._outside
        board = self.puzzle.board
        return (
            2 * _MARGIN + (left + board.width + right) * UNIT,
            2 * _MARGIN + (above + board.height + below) * UNIT,
        )

    def at(self, x: float, y: float) -> tuple[float, float]:
        """Return where a point of the board is drawn, given in columns and rows."""
        left, above, _, _ = self._outside
        return _MARGIN + (left + x) * UNIT, _MARGIN + (above + y) * UNIT

    def middle(self, square: int) -> tuple[float, float]:
        """Return the middle of a square, in columns and rows."""
        y, x = divmod(square, self.puzzle.board.width)
        return x + 0.5, y + 0.5

    # ---- elements

    def rect(self, square: int, colour: str) -> str:
        x, y = self.at(square % self.puzzle.board.width, square // self.puzzle.board.width)
        side = number(UNIT)
        return f'<rect x="{number(x)}" y="{number(y)}" width="{side}" height="{side}" fill="{colour}"/>'

    def line(self, ends: Sequence[tuple[float, float]], colour: str, width: float, dashes: str = "") -> str:
        (x1, y1), (x2, y2) = (self.at(*end) for end in ends)
        dashed = f' stroke-dasharray="{dashes}"' if dashes else ""
        return (
            f'<line x1="{number(x1)}" y1="{number(y1)}" x2="{number(x2)}" y2="{number(y2)}" '
            f'stroke="{colour}" stroke-width="{number(width)}" stroke-linecap="round"{dashed}/>'
        )

    def glyph(self, place: tuple[float, float], glyph: Glyph, scale: float = 1.0) -> str:
        x, y = self.at(*place)
        size = UNIT * scale
        stroke = f' stroke="{glyph.stroke}" stroke-width="{2 / size:.3f}"' if glyph.stroke else ""
        return (
            f'<path transform="translate({number(x)},{number(y)}) scale({number(size)})" d="{glyph.path}" '
            f'fill="{glyph.colour}"{stroke}/>'
        )

    def words(self, place: tuple[float, float], text: str, size: float, **style: object) -> str:
        """Write words with their middle at a place, as high as a part of a cell."""
        x, y = self.at(*place)
        if text.isascii() is False or len(text) > 2:
            size *= 1.0 if len(text) <= 2 else 2.2 / len(text)
        bold, colour = bool(style.get("bold", False)), str(style.get("colour", INK))
        return svg.text(x, y + size * UNIT * 0.35, size * UNIT, text, bold=bold, colour=colour)

    # ---- the whole

    def parts(self, marks: Marks | None, told: Collection[int] = ()) -> list[str]:
        """Return the elements of the picture (see `puzzle_svg`)."""
        ground, lines = self._ground(), self._lines()
        below = [] if marks is None else self._fills(marks)
        above = [] if marks is None else self._marks(marks)
        dark = set() if marks is None else {cell for cell, colour in self._colours(marks) if colour != WATER}
        return [*ground, *below, *self._told(told), *lines, *above, *self._clues(dark, marks is not None)]

    def _ground(self) -> list[str]:
        board = self.puzzle.board
        colours = {CELL: "#ffffff", WALL: _WALL}
        found = [self.rect(n, colours[kind]) for n, kind in enumerate(board.kinds) if kind != HOLE]
        if self._tubes:
            for cells in board.regions:
                places = [self.middle(cell) for cell in cells]
                found.append(self.glyph(places[0], Glyph(circle(0.36), _TUBE)))
                pairs = pairwise(places)
                found += [self.line(pair, _TUBE, UNIT * 0.36) for pair in pairs]
        return found

    @property
    def _tubes(self) -> bool:
        """Whether regions are drawn as tubes with a bulb."""
        return any(rule.fields.get("from") == "bulb" for rule in self.puzzle.genre.rules)

    def _sides(self) -> dict[tuple[tuple[int, int], tuple[int, int]], tuple[int, int]]:
        """Return the squares on both sides of each side of a square, by its ends; -1 outside the board."""
        board, found = self.puzzle.board, {}
        for y in range(board.height + 1):
            for x in range(board.width):
                found[(x, y), (x + 1, y)] = (self._shown(x, y - 1), self._shown(x, y))
        for y in range(board.height):
            for x in range(board.width + 1):
                found[(x, y), (x, y + 1)] = (self._shown(x - 1, y), self._shown(x, y))
        return found

    def _shown(self, x: int, y: int) -> int:
        square = self.puzzle.board.at(x, y)
        return square if square >= 0 and self.puzzle.board.kinds[square] != HOLE else -1

    def _lines(self) -> list[str]:
        genre, board = self.puzzle.genre, self.puzzle.board
        thin, thick = [], []
        for ends, (one, other) in self._sides().items():
            if one < 0 and other < 0:
                continue
            if genre.marks.edges:
                thin.append(self.line(ends, _GRID, 1, "1,5"))
                continue
            rooms = [board.region_of.get(square, -1) for square in (one, other)]
            parted = rooms[0] != rooms[1] and board.is_cell(one) and board.is_cell(other) and not self._tubes
            if min(one, other) < 0 or parted:
                thick.append(self.line(ends, INK, 3 if board.regions and not self._tubes else 2))
            else:
                thin.append(self.line(ends, _GRID, 1, "3,3" if genre.marks.pieces else ""))
        if genre.marks.edges:
            corners = sorted({end for ends, pair in self._sides().items() if max(pair) >= 0 for end in ends})
            dot = Glyph(circle(0.06), INK)
            thick += [self.glyph(corner, dot) for corner in corners]
        return [*thin, *thick]

    def _told(self, told: Collection[int]) -> list[str]:
        """Tint the cells, or draw wide pale lines below the edges and links, that are pointed out."""
        found = []
        for site in (sites_of(self.puzzle)[each] for each in told):
            if site.layer == "cells":
                x, y = self.middle(site.place)
                box = Glyph("M-.44 -.44L.44 -.44L.44 .44L-.44 .44z", _TINT)
                found.append(self.glyph((x, y), box))
            else:
                found.append(self.line(self._ends(site.layer, site.place), _TINT, UNIT * 0.36))
        return found

    def _ends(self, layer: str, place: int) -> list[tuple[float, float]]:
        """Return the ends of the line of an edge, of a link, or of the border between two cells."""
        board = self.puzzle.board
        if layer == "edges":
            across = board.width + 1
            return [(float(corner % across), float(corner // across)) for corner in board.edges[place]]
        one, other = board.borders[place]
        if layer == "links":
            return [self.middle(one), self.middle(other)]
        x, y = divmod(other, board.width)[::-1]
        return [(x, y), (x, y + 1.0)] if other == one + 1 else [(x, y), (x + 1.0, y)]

    # ---- marks

    def _colours(self, marks: Marks) -> Iterator[tuple[int, str]]:
        """Yield the cells that a mark fills, with its colour."""
        for site, own, mark in zip(sites_of(self.puzzle), marks_of(self.puzzle), marks, strict=True):
            if site.layer == "cells" and mark is not None:
                colour = FILLS.get(own[mark], "")
                if not colour and mark == 0 and own[0] not in MARKS and not own[0].isdigit():
                    colour = DARK if len(own) == 2 else ""
                if colour:
                    yield site.place, colour

    def _fills(self, marks: Marks) -> list[str]:
        found = []
        for cell, colour in self._colours(marks):
            found += self._tube_of(cell, colour) if self._tubes else [self.rect(cell, colour)]
        return found

    def _tube_of(self, cell: int, colour: str) -> list[str]:
        """Fill the part of a tube that lies in a cell."""
        board = self.puzzle.board
        inside = board.region_of.get(cell)
        if inside is None:
            return [self.rect(cell, colour)]
        cells = board.regions[inside]
        at = cells.index(cell)
        (x, y), found = self.middle(cell), []
        if at == 0:
            found.append(self.glyph((x, y), Glyph(circle(0.32), colour)))
        for near in (*cells[max(at - 1, 0) : at], *cells[at + 1 : at + 2]):
            u, v = self.middle(near)
            found.append(self.line([(x, y), ((x + u) / 2, (y + v) / 2)], colour, UNIT * 0.26))
        return found

    def _marks(self, marks: Marks) -> list[str]:
        names, found = marks_of(self.puzzle), []
        kinds = self.puzzle.genre.clues
        given = {clue.place for clue in self.puzzle.clues if kinds[clue.kind].on == "cells"}
        rooms = {clue.place for clue in self.puzzle.clues if kinds[clue.kind].on == "regions"}
        cornered = {min(self.puzzle.board.regions[room]) for room in rooms}
        for site, own, mark in zip(sites_of(self.puzzle), names, marks, strict=True):
            if mark is None:
                continue
            if site.layer != "cells":
                if mark == 0:
                    width = 3.0 if site.layer == "borders" else UNIT * 0.12
                    colour = INK if site.layer == "borders" else BLUE
                    found.append(self.line(self._ends(site.layer, site.place), colour, width))
                elif own[mark] not in BLANKS:
                    x, y = (sum(part) / 2 for part in zip(*self._ends(site.layer, site.place), strict=True))
                    found.append(self.words((x, y), own[mark], 0.3, colour=BLUE))
                continue
            word, place = own[mark], self.middle(site.place)
            if word in MARKS:
                found.append(self.glyph(place, MARKS[word]))
            elif word in BLANKS and None in marks and site.place not in given:
                found.append(self.glyph(place, Glyph(circle(0.05))))
            elif word.isdigit() and site.place not in given:
                lower = 0.1 if site.place in cornered else 0.0  # below the number of a region
                found.append(self.words((place[0], place[1] + lower), word, 0.55, colour=BLUE))
            elif not word.isdigit() and word not in BLANKS and word not in FILLS and len(own) > 2:
                found.append(self.words(place, word[:1].upper(), 0.5, colour=BLUE))
        return found

    # ---- clues

    def _clues(self, dark: Collection[int], solved: bool) -> list[str]:
        """Draw the clues, white in cells that are dark, on white where a line may end."""
        draw: dict[str, Callable[[Clue], list[str]]] = {
            "walls": self._on_wall, "borders": self._between, "lines": self._of_line, "sides": self._at_side,
            "stretches": self._of_stretch,
        }  # fmt: skip
        found, genre = [], self.puzzle.genre
        for clue in self.puzzle.clues:
            on = genre.clues[clue.kind].on
            if on in draw:
                found += draw[on](clue)
            elif on == "regions":
                ink = PAPER if min(self.puzzle.board.regions[clue.place]) in dark else INK
                found += self._of_region(clue, ink)
            else:
                if solved and genre.marks.links and clue.kind not in CLUES:
                    found.append(self.glyph(self.middle(clue.place), Glyph(circle(0.3), PAPER)))
                found += self._in_cell(clue, PAPER if clue.place in dark else INK)
        return found

    def _in_cell(self, clue: Clue, ink: str) -> list[str]:
        place, value = self.middle(clue.place), clue.value
        if clue.kind in CLUES and isinstance(value, str):
            return [self.glyph(place, CLUES[clue.kind])]
        if isinstance(value, tuple) and value and isinstance(value[0], str):
            (dx, dy), (x, y) = ARROWS[value[0]], place
            level = dx != 0
            at = (x, y - 0.3) if level else (x + 0.3, y)
            tip, tail = (at[0] + 0.3 * dx, at[1] + 0.3 * dy), (at[0] - 0.3 * dx, at[1] - 0.3 * dy)
            turned = (-dy, dx)
            barbs = [
                (tip[0] - 0.14 * dx + sign * 0.1 * turned[0], tip[1] - 0.14 * dy + sign * 0.1 * turned[1])
                for sign in (1, -1)
            ]
            text = self.words(
                (x, y + 0.12) if level else (x - 0.1, y), str(value[1]), 0.5, bold=True, colour=ink
            )
            return [self.line((tail, tip), ink, 2), *(self.line((barb, tip), ink, 2) for barb in barbs), text]
        parts = value_text(value).split()
        if len(parts) == 1:
            return [self.words(place, parts[0], 0.55, bold=True, colour=ink)]
        spots = {2: ((-0.2, -0.15), (0.2, 0.2)), 3: ((0.0, -0.22), (-0.22, 0.2), (0.22, 0.2))}
        four = ((0.0, -0.3), (-0.28, 0.0), (0.28, 0.0), (0.0, 0.3))
        shifts = spots.get(len(parts), four)
        placed = zip(parts, shifts, strict=False)
        return [
            self.words((place[0] + dx, place[1] + dy), part, 0.36, bold=True, colour=ink)
            for part, (dx, dy) in placed
        ]

    def _on_wall(self, clue: Clue) -> list[str]:
        return [
            self.words(self.middle(clue.place), value_text(clue.value), 0.55, bold=True, colour="#ffffff")
        ]

    def _between(self, clue: Clue) -> list[str]:
        (x, y), (u, v) = map(self.middle, self.puzzle.board.borders[clue.place])
        place = (x + u) / 2, (y + v) / 2
        if clue.value in ("<", ">", "^", "v"):
            dx, dy = {"<": (-1, 0), ">": (1, 0), "^": (0, -1), "v": (0, 1)}[str(clue.value)]
            tip = place[0] + 0.09 * dx, place[1] + 0.09 * dy
            ends = [
                (place[0] - 0.09 * dx + sign * 0.14 * dy, place[1] - 0.09 * dy + sign * 0.14 * dx)
                for sign in (1, -1)
            ]
            return [self.line((end, tip), INK, 2) for end in ends]
        box = Glyph("M-.18 -.18L.18 -.18L.18 .18L-.18 .18z", "#ffffff")
        return [self.glyph(place, box), self.words(place, value_text(clue.value), 0.34, bold=True)]

    def _of_line(self, clue: Clue) -> list[str]:
        parts, height = value_text(clue.value).split(), self.puzzle.board.height
        found = []
        for back, part in enumerate(reversed(parts)):
            if clue.place < height:
                place = -0.35 - 0.5 * back, clue.place + 0.5
            else:
                place = clue.place - height + 0.5, -0.35 - 0.55 * back
            found.append(self.words(place, part, 0.45, bold=True))
        return found

    def _at_side(self, clue: Clue) -> list[str]:
        board = self.puzzle.board
        side, line = _side(clue.place, board.width, board.height)
        places = {
            "top": (line + 0.5, -0.45), "bottom": (line + 0.5, board.height + 0.45),
            "left": (-0.45, line + 0.5), "right": (board.width + 0.45, line + 0.5),
        }  # fmt: skip
        return [self.words(places[side], value_text(clue.value), 0.45, bold=True)]

    def _of_region(self, clue: Clue, ink: str) -> list[str]:
        genre = self.puzzle.genre
        x, y = self.middle(min(self.puzzle.board.regions[clue.place]))
        several = sum(kind.on == "regions" for kind in genre.clues.values()) > 1
        sign = SIGNS.get(clue.kind, f" {clue.kind}") if several else ""
        text = f"{value_text(clue.value)}{sign}"
        return [self.words((x - 0.34 + 0.09 * (len(text) - 1), y - 0.3), text, 0.32, bold=True, colour=ink)]

    def _before(self, place: int) -> tuple[tuple[int, int], bool]:
        """Return the square before a stretch, and whether the stretch lies in a row."""
        board = self.puzzle.board
        cells = board.stretches[place]
        across = (
            place < sum(_is_level(own) for own in board.stretches) if len(cells) == 1 else _is_level(cells)
        )
        x, y = cells[0] % board.width, cells[0] // board.width
        return ((x - 1, y) if across else (x, y - 1)), across

    def _of_stretch(self, clue: Clue) -> list[str]:
        (x, y), across = self._before(clue.place)
        inside = (
            self.puzzle.board.at(x, y) >= 0 and self.puzzle.board.kinds[self.puzzle.board.at(x, y)] == WALL
        )
        colour = "#ffffff" if inside else INK
        shift = (0.68, 0.32) if across else (0.32, 0.68)
        if not inside:
            shift = (0.62, 0.5) if across else (0.5, 0.62)
        found = [
            self.words((x + shift[0], y + shift[1]), value_text(clue.value), 0.36, bold=True, colour=colour)
        ]
        return [self.line(((x, y), (x + 1, y + 1)), "#8a837a", 1), *found] if inside else found


def _is_level(cells: Sequence[int]) -> bool:
    return len(cells) < 2 or cells[1] == cells[0] + 1


def _side(place: int, width: int, height: int) -> tuple[str, int]:
    """Return the side of the board where a clue stands, and the number of its column or row."""
    for side, first, count in (
        ("top", 0, width),
        ("bottom", width, width),
        ("left", 2 * width, height),
        ("right", 2 * width + height, height),
    ):
        if first <= place < first + count:
            return side, place - first
    raise ValueError(place)

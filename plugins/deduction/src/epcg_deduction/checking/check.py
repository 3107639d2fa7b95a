"""The plain check of a complete marking, straight from a genre's text: which rules fail, and where.

It knows nothing of the classes in `rules` or of the solvers, so that both can be compared with it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import combinations

from epcg_core.plugin import EpcgError
from epcg_deduction.checking.each import check_each
from epcg_deduction.checking.marked import Fields, Marked
from epcg_deduction.model.boards import Pair
from epcg_deduction.model.puzzles import Puzzle
from epcg_deduction.model.sites import (
    clue_name,
    line_name,
    square_name,
    squares_name,
)


def failing(puzzle: Puzzle, marks: Sequence[int]) -> list[tuple[int, str]]:
    """Return which rules a complete marking breaks, and where.

    Args:
        puzzle: the puzzle.
        marks: the number of the mark of each site, in the order of `sites_of`.

    Returns:
        For each instance of a rule that fails: the number of the rule in the genre (-1: a border lies inside
        a piece, which no rule has to forbid), and the place in words.

    Raises:
        EpcgError: a kind of rule is unknown here, or a word of a rule.
    """
    return list(failures(puzzle, marks))


def failures(puzzle: Puzzle, marks: Sequence[int]) -> Iterator[tuple[int, str]]:
    """Yield what `failing` returns, one by one."""
    marked = Marked(puzzle, marks)
    if puzzle.genre.marks.pieces:
        for index, (first, second) in enumerate(puzzle.board.borders):
            if (
                marked.name("borders", index) == "border"
                and marked.piece_of[first] == marked.piece_of[second]
            ):
                yield -1, squares_name(puzzle.board, (first, second))
    for index, rule in enumerate(puzzle.genre.rules):
        if rule.kind not in CHECKS:
            raise EpcgError(f"The plain check does not know rules of the kind '{rule.kind}'.")
        for place in CHECKS[rule.kind](marked, rule.fields):
            yield index, place


def _at(marked: Marked, fields: Fields) -> Iterator[str]:
    for clue in marked.clues(fields["at"]):
        mark = fields["mark"]
        if isinstance(mark, Mapping):
            mark = mark.get(str(clue.value))
        elif mark == "clue":
            mark = None if clue.value is None else str(clue.value)
        if clue.value is not None or mark is not None:
            cell = marked.board.is_cell(clue.place)
            if not cell or mark is None or not marked.has(("cells", clue.place), mark):
                yield clue_name(marked.puzzle, clue)


def _never(marked: Marked, fields: Fields) -> Iterator[str]:
    rows = [row for row in fields["never"].split("\n") if row.strip()]
    drawn = frozenset(
        (x, y, sign) for y, row in enumerate(rows) for x, sign in enumerate(row) if sign not in ". "
    )
    turned = set()
    for _ in range(4):
        drawn = frozenset((-y, x, sign) for x, y, sign in drawn)
        turned |= {drawn, frozenset((-x, y, sign) for x, y, sign in drawn)}
    seen = set()
    for pattern in turned:
        for square in range(len(marked.board.kinds)):
            first = min(pattern)
            placed = frozenset(
                (marked.board.step(square, x - first[0], y - first[1]), sign) for x, y, sign in pattern
            )
            if placed not in seen and all(
                marked.board.is_cell(at) and marked.has(("cells", at), fields["signs"][sign])
                for at, sign in placed
            ):
                seen.add(placed)
                yield squares_name(marked.board, sorted(at for at, _ in placed))


def _connected(marked: Marked, fields: Fields) -> Iterator[str]:
    mark = fields["connected"]
    if mark in ("edges", "links"):
        if len(_parts(marked.lines(mark))) > 1:
            yield "the board"
        return
    places = [("the board", marked.board.cells)]
    if fields.get("in", "board") == "region":
        places = [(f"region {name}", cells) for name, cells in marked.regions()]
    for place, cells in places:
        inside = [cell for cell in cells if marked.has(("cells", cell), mark)]
        if len(marked.groups(inside, lambda a, b: True)) > 1:
            yield place


def _parts(lines: Sequence[Pair]) -> list[list[Pair]]:
    """Return the largest sets of lines that hang together."""
    parts: list[list[Pair]] = []
    for line in lines:
        touching = [part for part in parts if any(set(line) & set(other) for other in part)]
        parts = [part for part in parts if part not in touching]
        parts.append([line, *(other for part in touching for other in part)])
    return parts


def _degrees(lines: Iterable[Pair]) -> dict[int, int]:
    degrees: dict[int, int] = {}
    for line in lines:
        for end in line:
            degrees[end] = degrees.get(end, 0) + 1
    return degrees


def _loop(marked: Marked, fields: Fields) -> Iterator[str]:
    lines = marked.lines(fields["loop"])
    for end, degree in sorted(_degrees(lines).items()):
        if degree != 2:
            yield f"vertex {end}" if fields["loop"] == "edges" else square_name(marked.board, end)
    if len(_parts(lines)) != 1:
        yield "the board"


def _paths(marked: Marked, fields: Fields) -> Iterator[str]:
    ends = {clue.place: clue.value for clue in marked.clues(fields["ends"])}
    lines = marked.lines("links")
    degrees = _degrees(lines)
    for cell in marked.board.cells:
        wanted = (1,) if cell in ends else (2,) if fields.get("cover", "all") == "all" else (0, 2)
        if degrees.get(cell, 0) not in wanted:
            yield square_name(marked.board, cell)
    for part in _parts(lines):
        values = [ends[cell] for cell in {cell for line in part for cell in line} if cell in ends]
        if not values or len(set(values)) > 1:
            yield squares_name(marked.board, part[0])


def _matched(marked: Marked, fields: Fields) -> Iterator[str]:
    cells = [cell for cell in marked.board.cells if marked.has(("cells", cell), fields["matched"])]
    near = {clue.place: [cell for cell in marked.around(clue.place) if cell in cells]
            for clue in marked.clues(fields["with"])}  # fmt: skip
    pairs: dict[int, int] = {}  # cell -> its clue

    def paired(clue: int, tried: set[int]) -> bool:
        for cell in near[clue]:
            if cell not in tried:
                tried.add(cell)
                if cell not in pairs or paired(pairs[cell], tried):
                    pairs[cell] = clue
                    return True
        return False

    if len(cells) != len(near) or not all(paired(clue, set()) for clue in near):
        yield "the board"


def _distinct(marked: Marked, fields: Fields) -> Iterator[str]:
    what, board = fields["distinct"], marked.board
    if what == "piece":
        lists = [(squares_name(board, piece), piece) for piece in marked.pieces]
    else:
        first, last = {"row": (0, board.height), "column": (board.height, None)}[what]
        lists = [
            (line_name(board, first + index), line) for index, line in enumerate(board.lines[first:last])
        ]
    values: Callable[[int], object] = lambda cell: marked.name("cells", cell)  # noqa: E731
    if "values" in fields:
        given = {clue.place: clue.value for clue in marked.clues(fields["values"])}
        values = lambda cell: given.get(cell)  # noqa: E731
    for (place, cells), (other, others) in combinations(lists, 2):
        both = [[values(cell) for cell in each] for each in (cells, others)]
        if fields.get("order") == "any":
            both = [sorted(each, key=repr) for each in both]
        if cells and both[0] == both[1]:
            yield f"{place} and {other}"


def _fills(marked: Marked, fields: Fields) -> Iterator[str]:
    board, side = marked.board, fields["from"]
    for name, cells in marked.regions():
        across = {"bottom": (0, -1), "top": (0, 1), "left": (1, 0), "right": (-1, 0)}.get(side)
        level = {cell: index for index, cell in enumerate(cells)}
        if across is not None:
            dx, dy = across
            level = {cell: cell % board.width * dx + cell // board.width * dy for cell in cells}
        filled = [level[cell] for cell in cells if marked.has(("cells", cell), fields["fills"])]
        if len(filled) != sum(1 for cell in cells if filled and level[cell] <= max(filled)):
            yield f"region {name}"


CHECKS: dict[str, Callable[[Marked, Fields], Iterator[str]]] = {
    "at": _at,
    "each": check_each,
    "never": _never,
    "connected": _connected,
    "loop": _loop,
    "paths": _paths,
    "matched": _matched,
    "distinct": _distinct,
    "fills": _fills,
}
"""The check of each kind of rule; a plugin that brings a kind adds its own here."""

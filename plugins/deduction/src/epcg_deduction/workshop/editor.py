"""The editor of puzzles: clues and walls are put on a board; play puts what the solver writes."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property, lru_cache

import attrs

from epcg_core.plugin import (
    ERASE,
    Gesture,
    Judgement,
    Mark,
    ParamsError,
    Path,
    Point,
    Scene,
    UnknownNameError,
)
from epcg_deduction.formats.own import format_puzzle, parse_puzzle, shipped_puzzles
from epcg_deduction.model.boards import CELL, HOLE, WALL as WALL_SQUARE, Board
from epcg_deduction.model.puzzles import Clue, Puzzle
from epcg_deduction.model.sites import admits, marks_of
from epcg_deduction.states.changes import (
    in_order,
    resized,
    with_clue,
    with_square,
    without_clue,
)
from epcg_deduction.states.layout import (
    CLEAR,
    PAD,
    Layout,
    Place,
    clue_places,
    is_across,
    is_turned,
    layout_of,
)
from epcg_deduction.states.play import OPEN, Action, PlayModel, Position, action_in_words, known
from epcg_deduction.workshop.marks import (
    WALL,
    Offered,
    clue_mark,
    clue_mark_name,
    offered,
    solver_mark_name,
    solver_marks,
    wall_mark,
)

USUAL = "slitherlink"
_OUTLINE, _TUBE = "#2b2622", "#d8d0c4"


def new_puzzle(columns: int, rows: int) -> str:
    """Return the text of a Slitherlink without a clue. Raises ParamsError for an impossible size."""
    first = next(iter(shipped_puzzles(USUAL)))
    return format_puzzle(resized(attrs.evolve(first, clues=(), title=""), columns, rows))


def examples() -> dict[str, str]:
    """Return a puzzle of each shipped genre, by title."""
    from epcg_deduction.genres import shipped

    return {puzzles[0].genre.title: format_puzzle(puzzles[0]) for puzzles in map(shipped_puzzles, shipped())}


class PuzzleEditor:
    """Puzzles of one genre on boards of one size.

    A clue takes the place of another one at the same place. A clue that stands on walls makes its square a
    wall. Regions are drawn in the game, not here.
    """

    transition_model = PlayModel()

    def __init__(self, text: str) -> None:
        self.content = parse_puzzle(text)
        self._layout = layout_of(self.content)
        self._offered = offered(self.content)

    @property
    def setting(self) -> Layout:
        """What all puzzles of the setting share: the genre and the size."""
        return self._layout

    @cached_property
    def palette(self) -> tuple[Mark, ...]:
        """The clues by their kinds, walls, and what the solver writes."""
        genre = self.content.genre
        clues = [clue_mark(genre, name, own) for name, own in self._offered.items()]
        board = [wall_mark()] if genre.walls else []
        return _distinct_keys((*clues, *board, *solver_marks(self.content)))

    @cached_property
    def _fills(self) -> frozenset[str]:
        """The marks that fill a cell: clues are drawn above them."""
        return frozenset(mark.name for mark in self.palette if mark.fills and mark.name != WALL)

    def parse(self, text: str) -> Puzzle:
        puzzle = parse_puzzle(text)
        if layout_of(puzzle) != self._layout:
            raise ParamsError(
                f"The text is a puzzle of {puzzle.genre.title} of {puzzle.board.width} by "
                f"{puzzle.board.height}, and what is open is one of {self.content.genre.title} of "
                f"{self._layout.width} by {self._layout.height}: open it by itself."
            )
        return puzzle

    def format(self, state: Puzzle) -> str:
        return format_puzzle(state)

    # ---- pictures

    def scene(self, state: Puzzle) -> Scene:
        return Scene(self._layout.sites, _clue_marks(state), _outlines(state.board, _is_tube(state)))

    def position_scene(self, content: Puzzle, position: Position) -> Scene:
        marks = dict(_clue_marks(content))
        own, names = known(content), marks_of(content)
        for number, (site, mark) in enumerate(zip(own.sites, position.marks, strict=True)):
            if mark != OPEN and own.fixed[number] == OPEN:
                place = self._layout.site_of_mark(content.board, site)
                name = solver_mark_name(site.layer, names[number][mark])
                clues = marks.get(place, ())
                marks[place] = (name, *clues) if name in self._fills else (*clues, name)
        rules = " ".join(content.genre.about.split())
        return Scene(self._layout.sites, marks, _outlines(content.board, _is_tube(content)), rules)

    def judged(self, state: Puzzle) -> Judgement:
        """Say whether there is one solution: how many marks it has tells nothing (`Judged`)."""
        own = known(state)
        if len(own.solutions) > 1:
            return Judgement(False, "several solutions", "The board shows two, and where they differ.")
        if not own.complete:
            return Judgement(False, "not known", "A solution is known; whether it is the only one, is not.")
        return Judgement(True, "fair", "It has exactly one solution.")

    def gesture(self, content: Puzzle, position: Position, action: Action) -> Gesture:
        return _gesture(content, action)

    # ---- changes

    def put(self, state: Puzzle, site: str, mark: str) -> Puzzle:
        places = clue_places(state)
        if site.startswith(PAD):
            raise ParamsError("The pad is not part of the board: it serves to play.")
        if mark == ERASE:
            return self._emptied(state, site, places.get(site, ()))
        if mark == WALL:
            return with_square(state, self._square(site), WALL_SQUARE)
        own = self._offered.get(mark)
        if own is None:
            if mark in {each.name for each in self.palette}:
                raise ParamsError("The solver writes these marks, in play: put clues and walls here.")
            raise UnknownNameError("mark", mark, list(self._offered), "put")
        kind = state.genre.clues[own.kind]
        if kind.on == "walls":
            state = with_square(state, self._square(site), WALL_SQUARE)
            places = clue_places(state)
        place = self._place(state, places.get(site, ()), kind.on, own)
        if place is None:
            where = f"on {kind.on}" if kind.on in ("cells", "walls") else f"at {kind.on}"
            raise ParamsError(f"The clue '{own.kind}' stands {where}, so it cannot stand here.")
        if not admits(state, kind, place, own.value):
            raise ParamsError(f"A clue '{own.kind}' cannot have this value here: {kind.values} are possible.")
        return with_clue(state, Clue(own.kind, place, own.value))

    def _place(self, state: Puzzle, places: tuple[Place, ...], on: str, own: Offered) -> int | None:
        """Return the place at a site where a clue stands that is offered."""
        fitting = [place for where, place in places if where == on]
        if own.across is not None:
            fitting = [place for place in fitting if is_across(state.board, place) == own.across]
        return fitting[0] if fitting else None

    def _square(self, site: str) -> int:
        for square in range(self._layout.width * self._layout.height):
            if self._layout.square_id(square) == site:
                return square
        raise ParamsError("Walls are squares of the board: choose one.")

    def _emptied(self, state: Puzzle, site: str, places: tuple[Place, ...]) -> Puzzle:
        for on, place in places:
            state = without_clue(state, on, place)
        squares = [self._layout.square_id(square) for square in range(len(state.board.kinds))]
        if site in squares and state.board.kinds[squares.index(site)] == WALL_SQUARE:
            if not state.genre.walls:
                raise ParamsError("This square is a wall that the text draws: change it there.")
            state = with_square(state, squares.index(site), CELL)
        return state

    def resized(self, state: Puzzle, columns: int, rows: int) -> str:
        return format_puzzle(resized(state, columns, rows))


@lru_cache(maxsize=4096)
def _gesture(content: Puzzle, action: Action) -> Gesture:
    site, words = known(content).sites[action.site], known(content).words[action.site]
    place = layout_of(content).site_of_mark(content.board, site)
    text = action_in_words(content, action)
    if is_turned(words):
        return Gesture((place,), (), text)
    word = CLEAR if action.mark == OPEN else words[action.mark]
    key = "0" if action.mark == OPEN else word if len(word) == 1 else ""
    return Gesture((place, f"{PAD} {word}"), (key,) if key else (), text)


def _distinct_keys(marks: tuple[Mark, ...]) -> tuple[Mark, ...]:
    """Return marks of which the first has a key that several have."""
    taken: set[str] = set()
    found = []
    for mark in marks:
        found.append(attrs.evolve(mark, key="") if mark.key in taken else mark)
        taken.add(mark.key)
    return tuple(found)


def _is_tube(puzzle: Puzzle) -> bool:
    return any(rule.fields.get("from") == "bulb" for rule in puzzle.genre.rules)


@lru_cache(maxsize=4096)
def _clue_marks(puzzle: Puzzle) -> Mapping[str, tuple[str, ...]]:
    """Return the marks of all sites of a puzzle that is not played yet."""
    layout, board = layout_of(puzzle), puzzle.board
    found: dict[str, tuple[str, ...]] = {}
    for square, own in enumerate(board.kinds):
        if own == WALL_SQUARE:
            found[layout.square_id(square)] = (WALL,)
    for clue in in_order(puzzle.genre, puzzle.clues):
        kind = puzzle.genre.clues[clue.kind]
        across = is_across(board, clue.place) if kind.on == "stretches" else None
        site = layout.site_of_clue(board, kind.on, clue.place)
        found[site] = (*found.get(site, ()), clue_mark_name(kind, clue.value, across))
    for word in layout.pad:
        if word != CLEAR:
            found[f"{PAD} {word}"] = (solver_mark_name("cells", word),)
    return found


@lru_cache(maxsize=256)
def _outlines(board: Board, tube: bool) -> tuple[Path, ...]:
    """Return lines around the regions, or along them where they are tubes; holes are covered."""
    found = []
    for square, kind in enumerate(board.kinds):
        if kind == HOLE:
            y, x = divmod(square, board.width)
            corners = ((x, y), (x + 1, y), (x + 1, y + 1), (x, y + 1))
            found.append(
                Path(corners, "#ffffff", 0.04, closed=True, fill="#ffffff", title="not on the board")
            )
    if tube:
        for cells in board.regions:
            middles: list[Point] = [(c % board.width + 0.5, c // board.width + 0.5) for c in cells]
            found.append(Path(middles if len(middles) > 1 else middles * 2, _TUBE, 0.3, head=True))
        return tuple(found)
    if board.regions:
        sides = [
            ((x, y), (x + 1, y))
            for y in range(board.height + 1)
            for x in range(board.width)
            if _parted(board, board.at(x, y - 1), board.at(x, y))
        ] + [
            ((x, y), (x, y + 1))
            for y in range(board.height)
            for x in range(board.width + 1)
            if _parted(board, board.at(x - 1, y), board.at(x, y))
        ]
        found += [Path(ends, _OUTLINE, 0.09) for ends in sides]
    return tuple(found)


def _parted(board: Board, one: int, other: int) -> bool:
    """Return whether two squares, -1 outside the board, are in different regions."""
    return board.region_of.get(one, -1) != board.region_of.get(other, -1)

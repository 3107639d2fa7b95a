"""Play: marks are put and taken away by touch, until all rules hold.

A touch turns a mark of a site with two marks: none, the filled one, the other one, none again. Where a cell
has more, or digits, it is touched and then the pad, or a key is pressed. What is left open counts as the last
of two marks (blank, no line), so a player need not put a dot into every cell.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property, lru_cache

import attrs

from epcg_core.plugin import LimitReachedError
from epcg_deduction.model.boards import Site
from epcg_deduction.model.puzzles import Puzzle
from epcg_deduction.model.sites import marks_of, sites_of, square_name
from epcg_deduction.rules import problem_of
from epcg_deduction.solving.compiled import Compiled
from epcg_deduction.states.layout import is_turned, layout_of

OPEN = -1
MOST_WORK = 20_000_000
"""The work of searches for solutions in play, some tenths of a second."""

MOST_GOALS = 1000
"""Solutions of a puzzle that is not fair; play pages carry all of them, or positions near one."""


@attrs.frozen(slots=False)
class Position:
    """A state of play: the mark of each site of `sites_of`, or OPEN."""

    puzzle: Puzzle = attrs.field(repr=False)
    marks: tuple[int, ...]

    @property
    def compiled(self) -> Compiled:
        """What the rules say about the sites, for steps."""
        return known(self.puzzle).compiled

    @cached_property
    def masks(self) -> tuple[int, ...]:
        """The possible marks of each site, as steps take them: one where a mark is written."""
        start = self.compiled.problem.start
        own = zip(self.marks, start, strict=False)
        shown = tuple(mask if mark == OPEN else mask & 1 << mark for mark, mask in own)
        return (*shown, *start[len(shown) :])


@attrs.frozen(order=True)
class Action:
    """A site, by its number in `sites_of`, and its mark afterwards, or OPEN."""

    site: int
    mark: int


@attrs.frozen(eq=False)
class Known:
    """What play needs of a puzzle, found once.

    Args:
        compiled: what the rules say about the sites.
        sites: the sites.
        words: the words of the marks of each.
        fixed: the mark of each site that a clue settles, else OPEN.
        solutions: the solutions, at most two; (): none is known.
        complete: whether these are all, or there are more than two.
        order: the sites in the order in which steps settle them.
    """

    compiled: Compiled
    sites: tuple[Site, ...]
    words: tuple[tuple[str, ...], ...]
    fixed: tuple[int, ...]
    solutions: tuple[tuple[int, ...], ...]
    complete: bool
    order: tuple[int, ...]


@lru_cache(maxsize=64)
def known(puzzle: Puzzle) -> Known:
    """Return what play needs of a puzzle."""
    problem = problem_of(puzzle)
    compiled = Compiled(problem)
    fixed = tuple(mask.bit_length() - 1 if mask.bit_count() == 1 else OPEN for mask in problem.start)
    shown = len(sites_of(puzzle))
    rows, complete = compiled.some(2, MOST_WORK)
    solutions = tuple(dict.fromkeys(tuple(map(int, row[:shown])) for row in rows))
    order = _order(puzzle, fixed[:shown])
    return Known(
        compiled,
        sites_of(puzzle),
        marks_of(puzzle),
        fixed[:shown],
        solutions,
        complete or len(rows) > 1,
        order,
    )


def _order(puzzle: Puzzle, fixed: Sequence[int]) -> tuple[int, ...]:
    """Return the sites in the order in which the easiest steps settle them, then the others."""
    from epcg_deduction.inference.order import settled

    found = [site for site in settled(puzzle) if site < len(fixed)]
    return tuple(dict.fromkeys((*found, *range(len(fixed)))))


class PlayModel:
    """The transition model of play (see the module)."""

    def initial(self, content: Puzzle) -> Position:
        """Return the position where only what clues settle has a mark."""
        return Position(content, known(content).fixed)

    def actions(self, state: Position) -> Iterator[Action]:
        """Yield what can be done at each site that no clue settles."""
        own = known(state.puzzle)
        for site, (mark, words) in enumerate(zip(state.marks, own.words, strict=True)):
            if own.fixed[site] != OPEN:
                continue
            if is_turned(words):
                yield Action(site, OPEN if mark == len(words) - 1 else mark + 1)
            else:
                yield from (Action(site, each) for each in range(OPEN, len(words)) if each != mark)

    def apply(self, state: Position, action: Action) -> Position:
        """Return the position after a mark is put or taken away."""
        marks = (*state.marks[: action.site], action.mark, *state.marks[action.site + 1 :])
        return Position(state.puzzle, marks)

    def predecessors(self, state: Position) -> Iterator[Position]:
        """Yield the positions from which one action leads to a position."""
        own = known(state.puzzle)
        for site, (mark, words) in enumerate(zip(state.marks, own.words, strict=True)):
            if own.fixed[site] != OPEN:
                continue
            before = len(words) - 1 if mark == OPEN else mark - 1
            others = [before] if is_turned(words) else [n for n in range(OPEN, len(words)) if n != mark]
            for each in others:
                position = self.apply(state, Action(site, each))
                if not self.is_goal(position):
                    yield position

    def is_goal(self, state: Position) -> bool:
        """Return whether all rules hold."""
        marks = completed(state)
        if OPEN in marks:
            return False
        solutions = known(state.puzzle).solutions
        if marks in solutions:
            return True
        return len(solutions) != 1 and _holds(state.puzzle, marks)

    def key(self, state: Position) -> tuple[int, ...]:
        return state.marks

    def solution(self, state: Position) -> list[Action] | None:
        """Return the actions that lead to a solution, the easiest step first; None if there is no solution.

        Raises LimitReachedError if no solution is known.
        """
        own = known(state.puzzle)
        if not own.solutions:
            if own.complete:
                return None
            raise LimitReachedError("No solution is known within the work of a search.")
        goal, found, position = own.solutions[0], list[Action](), state
        step = easiest(state)
        order = own.order if step is None or step.site < 0 else (step.site, *own.order)
        for site in order:
            while not self.is_goal(position) and completed(position)[site] != goal[site]:
                here = [action for action in self.actions(position) if action.site == site]
                found.append(next((each for each in here if each.mark == goal[site]), here[0]))
                position = self.apply(position, found[-1])
        return found

    def reason(self, state: Position) -> str:
        """Return why the first action of `solution` is right: the easiest step in words."""
        step = easiest(state)
        return NO_STEP if step is None else step.text

    def values(self, state: Position) -> tuple[int, ...]:
        """Return the mark of each site, or OPEN."""
        return state.marks

    def position(self, content: Puzzle, values: Sequence[int]) -> Position:
        """Return the position with these marks."""
        return Position(content, tuple(values))

    def goals(self, content: Puzzle) -> list[list[tuple[int, ...]]] | None:
        """Return the solutions as the marks that each site may have; None if more than MOST_GOALS."""
        own = known(content)
        solutions = own.solutions
        if len(solutions) > 1:
            rows, complete = own.compiled.some(MOST_GOALS + 1, MOST_WORK)
            solutions = tuple(dict.fromkeys(tuple(map(int, row[: len(own.sites)])) for row in rows))
            if not complete or len(solutions) > MOST_GOALS:
                return None
        elif not own.complete:
            return None
        return [
            [
                (mark, OPEN) if is_turned(words) and mark == len(words) - 1 else (mark,)
                for mark, words in zip(solution, own.words, strict=True)
            ]
            for solution in solutions
        ]

    def action_text(self, action: Action) -> str:
        """Return an action as a number of a site and of a mark; editors say it in words."""
        return f"{action.site + 1} {'open' if action.mark == OPEN else action.mark + 1}"


@attrs.frozen
class Reason:
    """A step in words, with the site where it makes a mark sure; -1 if it only says that a mark is wrong."""

    site: int
    text: str


NO_STEP = "No step leads to it: it is a mark of the solution."
MOST_STEPS = 100
"""Steps that are made in the mind before one makes a mark sure that is to be written."""


@lru_cache(maxsize=256)
def easiest(state: Position) -> Reason | None:
    """Return the easiest step that writes a mark of a position; those that only exclude are made silently.

    None if no step leads on.
    """
    from epcg_deduction.inference.hints import hint

    masks, now = list(state.masks), completed(state)
    solutions = known(state.puzzle).solutions
    for site, mark in enumerate(state.marks) if len(solutions) == 1 else ():
        if mark not in (OPEN, solutions[0][site]):
            named = action_in_words(state.puzzle, Action(site, mark))
            return Reason(site, f"A mark is wrong: {named}.")
    for _ in range(MOST_STEPS):
        step = hint(state.puzzle, masks, compiled=state.compiled)
        if step.wrong:
            return Reason(-1, step.text)
        if not step.kind:
            return None
        for site, mark in step.written:
            if site < len(now) and now[site] != mark:
                return Reason(site, step.text)
        for site, mark in step.excluded:
            masks[site] &= ~(1 << mark)
    return None


def completed(state: Position) -> tuple[int, ...]:
    """Return the marks where open sites with two marks have the last one."""
    words = known(state.puzzle).words
    return tuple(
        len(own) - 1 if mark == OPEN and is_turned(own) else mark
        for mark, own in zip(state.marks, words, strict=True)
    )


@lru_cache(maxsize=4096)
def _holds(puzzle: Puzzle, marks: tuple[int, ...]) -> bool:
    """Return whether all rules hold; what is not shown follows from the marks."""
    compiled = known(puzzle).compiled
    start = [1 << mark for mark in marks]
    start += compiled.problem.start[len(marks) :]
    return compiled.count(1, start=start).number == 1


@lru_cache(maxsize=4096)
def action_in_words(puzzle: Puzzle, action: Action) -> str:
    """Return an action in words for people: 'r1c2: shaded'."""
    site, board = sites_of(puzzle)[action.site], puzzle.board
    word = "cleared" if action.mark == OPEN else marks_of(puzzle)[action.site][action.mark]
    if site.layer == "cells":
        return f"{square_name(board, site.place)}: {word}"
    if site.layer == "edges":
        layout = layout_of(puzzle)
        name = layout.site_of_mark(board, site)
        return f"{next(each.title for each in layout.sites if each.id == name)}: {word}"
    one, other = board.borders[site.place]
    return f"between {square_name(board, one)} and {square_name(board, other)}: {word}"

"""The values that clues would have: for each solution of a board and each place, read off the solution."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from functools import cache

import attrs
import numpy as np
from numpy.typing import NDArray

from epcg_core.plugin import EpcgError, ParamsError
from epcg_deduction.model.puzzles import Clue, Puzzle, Value
from epcg_deduction.model.sites import admits, places_of, sites_of, values_at
from epcg_deduction.rules import determined, problem_of, values_of
from epcg_deduction.solving.compiled import Compiled
from epcg_deduction.solving.problem import Automaton, Local
from epcg_deduction.states.changes import with_clues
from epcg_deduction.states.lists import lists_of

MOST_SOLUTIONS = 3_000_000
"""Solutions of one board that are listed."""


@attrs.frozen(eq=False)
class Column:
    """A place where a clue may stand, with the clue that each solution has there.

    Args:
        on: a word of `PLACES`.
        place: the number of the place.
        clues: the clues that occur.
        codes: (solutions,) int16: which of `clues` the solution has; -1: there can be none.
    """

    on: str
    place: int
    clues: tuple[Clue, ...]
    codes: NDArray[np.int16]

    def clue(self, solution: int) -> Clue:
        """Return the clue that a solution has here."""
        return self.clues[int(self.codes[solution])]

    def has(self, clue: Clue) -> NDArray[np.bool_]:
        """Return which solutions have a clue: (solutions,)."""
        if clue not in self.clues:
            return np.zeros(len(self.codes), np.bool_)
        found: NDArray[np.bool_] = self.codes == self.clues.index(clue)
        return found


def solutions_of(puzzle: Puzzle, most: int = MOST_SOLUTIONS) -> NDArray[np.uint8]:
    """Return all solutions of a puzzle: (solutions, sites) uint8. Raises ParamsError if they are too many."""
    try:
        rows = Compiled(problem_of(puzzle)).listed(most)
    except EpcgError as error:
        raise ParamsError(
            f"The board has more than {most:,} solutions without clues, or listing them takes too long, and "
            "all of them are needed here: choose a smaller board."
        ) from error
    return np.ascontiguousarray(rows[:, : len(sites_of(puzzle))])


def has_one_solution(puzzle: Puzzle) -> bool:
    """Return whether a puzzle has exactly one solution. Raises ParamsError if that takes too long."""
    found = Compiled(problem_of(puzzle)).count(2).fair
    if found is None:
        raise ParamsError("The number of solutions of a board is not known in time: choose a smaller board.")
    return found


def is_arrow(puzzle: Puzzle, kind: str) -> bool:
    """Return whether clues of a kind are arrows, whose number follows from the solution and the direction."""
    return puzzle.genre.clues[kind].values.startswith("arrows")


def determined_kinds(puzzle: Puzzle, asked: Sequence[str], boards: str = "") -> tuple[str, ...]:
    """Return the kinds of clues that follow from the solution, or those of them that are asked for.

    Args:
        puzzle: a puzzle of the genre.
        asked: the kinds that are asked for; (): all.
        boards: a kind of clues that stands at every set of places; if they are arrows, their numbers follow.

    Returns:
        Their names.

    Raises:
        ParamsError: if a kind that is asked for does not follow, or is not known.
    """
    genre = puzzle.genre
    if boards in genre.clues and is_arrow(puzzle, boards):
        return (boards,)
    for name in asked:
        if name not in genre.clues:
            raise ParamsError(f"kinds: {genre.title} has no clues '{name}', but {', '.join(genre.clues)}.")
        if not determined(genre, name):
            raise ParamsError(
                f"kinds: clues '{name}' of {genre.title} do not follow from the solution: place them one by "
                "one, with the generator clues."
            )
    return tuple(asked) or tuple(name for name in genre.clues if determined(genre, name))


def columns_of(puzzle: Puzzle, kinds: Sequence[str], rows: NDArray[np.uint8]) -> list[Column]:
    """Return the values of all clues of some kinds in all solutions.

    Args:
        puzzle: the board, with the clues that stand there in any case.
        kinds: the kinds of clues, which follow from the solution.
        rows: (solutions, sites) uint8: the solutions.

    Returns:
        A column for each place; of kinds that one solution can have at one place, a column each.
    """
    found = []
    for name in kinds:
        read = _reader(puzzle, name, rows)
        if is_arrow(puzzle, name):
            blank = (clue for clue in puzzle.clues if clue.kind == name)
            found += [column for clue in blank for column in _arrows(puzzle, clue, rows)]
            continue
        for place in places_of(puzzle.board, puzzle.genre.clues[name].on):
            found.append(_column(puzzle, name, place, rows, read))
    return _merged(found)


def _merged(columns: Sequence[Column]) -> list[Column]:
    """Join the columns of one place of which no solution has two values: a circle is white or black."""
    found: list[Column] = []
    for column in columns:
        for at, own in enumerate(found):
            if (own.on, own.place) == (column.on, column.place) and (
                (own.codes < 0) | (column.codes < 0)
            ).all():
                shifted = np.where(column.codes < 0, -1, column.codes + len(own.clues))
                codes = np.where(own.codes < 0, shifted, own.codes).astype(np.int16)
                found[at] = Column(own.on, own.place, (*own.clues, *column.clues), codes)
                break
        else:
            found.append(column)
    return found


def _reader(puzzle: Puzzle, kind: str, rows: NDArray[np.uint8]) -> Callable[[int], dict[int, Value]]:
    """Return a function from the number of a solution to its values by place."""

    @cache
    def read(at: int) -> dict[int, Value]:
        return values_of(puzzle, kind, tuple(map(int, rows[at])))

    return read


def _arrows(puzzle: Puzzle, clue: Clue, rows: NDArray[np.uint8]) -> Iterator[Column]:
    """Yield a column for each direction of a clue without a number: its number in each solution."""
    kind = puzzle.genre.clues[clue.kind]
    by_way: dict[str, list[Value]] = {}
    for value in values_at(puzzle, kind, clue.place) or ():
        assert isinstance(value, tuple)
        by_way.setdefault(str(value[0]), []).append(value)
    for values in by_way.values():
        codes = np.full(len(rows), -1, np.int16)
        for code, value in enumerate(values):
            codes[_holds(puzzle, attrs.evolve(clue, value=value), rows)] = code
        yield Column(kind.on, clue.place, tuple(Clue(clue.kind, clue.place, v) for v in values), codes)


def _holds(puzzle: Puzzle, clue: Clue, rows: NDArray[np.uint8]) -> NDArray[np.bool_]:
    """Return in which solutions a clue holds that takes the place of one without a number: (solutions,)."""
    others = [own for own in puzzle.clues if (own.kind, own.place) != (clue.kind, clue.place)]
    known = {*problem_of(puzzle).instances}
    new = [own for own in problem_of(with_clues(puzzle, [*others, clue])).instances if own not in known]
    found = np.ones(len(rows), np.bool_)
    for instance in new:
        assert isinstance(instance, Local)
        marks, of_row = np.unique(rows[:, list(instance.sites)], axis=0, return_inverse=True)
        held = np.array([_accepts(instance.automaton, map(int, own)) for own in marks], np.bool_)
        found &= held[of_row.reshape(-1)]
    return found


def _accepts(automaton: Automaton, marks: Iterable[int]) -> bool:
    state: Hashable | None = automaton.first()
    for index, mark in enumerate(marks):
        state = automaton.after(state, index, mark)
        if state is None:
            return False
    return automaton.accepts(state)


def _column(
    puzzle: Puzzle, kind: str, place: int, rows: NDArray[np.uint8], read: Callable[[int], dict[int, Value]]
) -> Column:
    """Read the value of one clue off the solutions; those that agree on what it depends on are asked once."""
    own = _depends_on(puzzle, kind, place)
    first, of_row = np.zeros(min(1, len(rows)), np.int64), np.zeros(len(rows), np.int64)
    if own and len(rows):
        _, first, of_row = np.unique(rows[:, own], axis=0, return_index=True, return_inverse=True)
    values = [read(at).get(place, _NONE) for at in first.tolist()]
    names = tuple(dict.fromkeys(value for value in values if value is not _NONE))
    numbers = np.array([-1 if value is _NONE else names.index(value) for value in values], np.int16)
    codes = numbers[of_row.reshape(-1)] if len(rows) else np.zeros(0, np.int16)
    clues = tuple(Clue(kind, place, value) for value in names)  # type: ignore[arg-type]
    return Column(puzzle.genre.clues[kind].on, place, clues, codes)


_NONE = object()


def _depends_on(puzzle: Puzzle, kind: str, place: int) -> list[int]:
    """Return the sites on which the value of a clue depends, those that its rules speak of."""
    own = puzzle.genre.clues[kind]
    values = values_at(puzzle, own, place) or (lists_of(puzzle, own, place) if own.values == "lists" else ())
    value = values[0] if values else next(n for n in range(10**6) if admits(puzzle, own, place, n))
    others = [clue for clue in puzzle.clues if clue.kind != kind]
    without = problem_of(with_clues(puzzle, others))
    given = problem_of(with_clues(puzzle, [*others, Clue(kind, place, value)]))
    known = {*without.instances}
    found = {site for instance in given.instances if instance not in known for site in instance.sites}
    pairs = enumerate(zip(without.start, given.start, strict=True))
    found |= {site for site, (before, after) in pairs if before != after}
    return sorted(found)

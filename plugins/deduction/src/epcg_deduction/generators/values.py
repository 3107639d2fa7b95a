"""The values that clues would have: for each solution of a board and each place, read off the solution."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from functools import cache

import attrs
import numpy as np
from numpy.typing import NDArray

from epcg_core.plugin import ParamsError
from epcg_deduction.generators.solutions import Solutions
from epcg_deduction.model.puzzles import Clue, Puzzle, Value
from epcg_deduction.model.sites import admits, places_of, values_at
from epcg_deduction.rules import determined, problem_of, values_of
from epcg_deduction.solving.compiled import Compiled
from epcg_deduction.solving.problem import Automaton, Local
from epcg_deduction.states.changes import with_clues
from epcg_deduction.states.lists import lists_of


@attrs.frozen(eq=False)
class Column:
    """A place where a clue may stand, with the clue that each solution has there.

    Args:
        on: a word of `PLACES`.
        place: the number of the place.
        clues: the clues that occur.
        codes: (solutions,) int8 or int16: which of `clues` the solution has; -1: there can be none.
    """

    on: str
    place: int
    clues: tuple[Clue, ...]
    codes: NDArray[np.signedinteger]

    def clue(self, solution: int) -> Clue:
        """Return the clue that a solution has here."""
        return self.clues[int(self.codes[solution])]

    def has(self, clue: Clue, solutions: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Return which of some solutions have a clue: (n,)."""
        if clue not in self.clues:
            return np.zeros(len(solutions), np.bool_)
        found: NDArray[np.bool_] = self.codes[solutions] == self.clues.index(clue)
        return found


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


def columns_of(puzzle: Puzzle, kinds: Sequence[str], solutions: Solutions) -> list[Column]:
    """Return the values of all clues of some kinds in all solutions.

    Args:
        puzzle: the board, with the clues that stand there in any case.
        kinds: the kinds of clues, which follow from the solution.
        solutions: those of the board.

    Returns:
        A column for each place; of kinds that one solution can have at one place, a column each.
    """
    found = []
    for name in kinds:
        read = _reader(puzzle, name, solutions)
        if is_arrow(puzzle, name):
            blank = (clue for clue in puzzle.clues if clue.kind == name)
            found += [column for clue in blank for column in _arrows(puzzle, clue, solutions)]
            continue
        for place in places_of(puzzle.board, puzzle.genre.clues[name].on):
            found.append(_column(puzzle, name, place, solutions, read))
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


def _reader(puzzle: Puzzle, kind: str, solutions: Solutions) -> Callable[[int], dict[int, Value]]:
    """Return a function from the number of a solution to its values by place."""

    @cache
    def read(at: int) -> dict[int, Value]:
        return values_of(puzzle, kind, solutions.marks(at))

    return read


def _arrows(puzzle: Puzzle, clue: Clue, solutions: Solutions) -> Iterator[Column]:
    """Yield a column for each direction of a clue without a number: its number in each solution."""
    kind = puzzle.genre.clues[clue.kind]
    by_way: dict[str, list[Value]] = {}
    for value in values_at(puzzle, kind, clue.place) or ():
        assert isinstance(value, tuple)
        by_way.setdefault(str(value[0]), []).append(value)
    for values in by_way.values():
        codes = np.full(solutions.count, -1, np.int16)
        for code, value in enumerate(values):
            codes[_holds(puzzle, attrs.evolve(clue, value=value), solutions)] = code
        yield Column(kind.on, clue.place, tuple(Clue(clue.kind, clue.place, v) for v in values), codes)


def _holds(puzzle: Puzzle, clue: Clue, solutions: Solutions) -> NDArray[np.bool_]:
    """Return in which solutions a clue holds that takes the place of one without a number: (solutions,)."""
    others = [own for own in puzzle.clues if (own.kind, own.place) != (clue.kind, clue.place)]
    known = {*problem_of(puzzle).instances}
    new = [own for own in problem_of(with_clues(puzzle, [*others, clue])).instances if own not in known]
    found = np.ones(solutions.count, np.bool_)
    for instance in new:
        assert isinstance(instance, Local)
        first, of_solution = solutions.choices(instance.sites)
        marks = map(solutions.marks, first.tolist())
        held = [_accepts(instance.automaton, [own[site] for site in instance.sites]) for own in marks]
        found &= np.array(held, np.bool_)[of_solution]
    return found


def _accepts(automaton: Automaton, marks: Iterable[int]) -> bool:
    state: Hashable | None = automaton.first()
    for index, mark in enumerate(marks):
        state = automaton.after(state, index, mark)
        if state is None:
            return False
    return automaton.accepts(state)


def _column(
    puzzle: Puzzle, kind: str, place: int, solutions: Solutions, read: Callable[[int], dict[int, Value]]
) -> Column:
    """Read the value of one clue off the solutions; those that agree on what it depends on are asked once."""
    first, of_solution = solutions.choices(_depends_on(puzzle, kind, place))
    values = [read(at).get(place, _NONE) for at in first.tolist()] if solutions.count else []
    names = tuple(dict.fromkeys(value for value in values if value is not _NONE))
    small = np.int8 if len(names) < 128 else np.int16
    codes = np.array([-1 if value is _NONE else names.index(value) for value in values], small)
    clues = tuple(Clue(kind, place, value) for value in names)  # type: ignore[arg-type]
    return Column(puzzle.genre.clues[kind].on, place, clues, codes[of_solution])


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

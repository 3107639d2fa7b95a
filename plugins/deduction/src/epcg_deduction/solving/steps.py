"""Solving by steps of kinds 0 to 3: rounds, what each excludes, how wide the choice is, the hardest kind.

Kind 0: one instance, without notes; 1: one instance; 2: two instances that share an open site; 3: an
assumption, refuted by kinds 0 and 1; 3+: refuted by kinds 0 to 2. In each round all exclusions of the first
kind that has one are applied at once, so a trace is a function of the puzzle and of the order of kinds. Kind
3 does not contain kind 2: the order is part of a result.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, Literal

import attrs
import numpy as np
from numpy.typing import NDArray

from epcg_core.plugin import EpcgError
from epcg_deduction.solving import plain, plain_steps
from epcg_deduction.solving.compiled import Compiled, remembering
from epcg_deduction.solving.plain import Position, holds, without_mark
from epcg_deduction.solving.problem import Problem
from epcg_deduction.solving.step_kernels import Slate, new_slate, traces

KINDS: Final = ("0", "1", "2", "3", "3+")
ENDS: Final = ("solved", "stuck", "contradiction", "not known")
BUDGET: Final = 200_000_000
"""Work after which the end of a trace is not known: sites that instances looked at."""
ORDER: Final = ("0", "1", "2", "3")

End = Literal["solved", "stuck", "contradiction", "not known"]


@attrs.frozen
class Exclusion:
    """A mark that cannot be at a site.

    Args:
        site: the number of the site.
        mark: the number of the mark.
        instances: the first instance, or pair of them, that excludes it; of an assumption one that fails
            then, or () where that is not told.
    """

    site: int
    mark: int
    instances: tuple[int, ...] = attrs.field(default=(), eq=False)


@attrs.frozen
class Round:
    """The exclusions of one kind that are made at once; their number is the width of the round."""

    kind: str
    exclusions: tuple[Exclusion, ...]

    @property
    def width(self) -> int:
        """How many exclusions are open."""
        return len(self.exclusions)


@attrs.frozen
class Trace:
    """How far steps lead.

    Args:
        kinds: the kinds in the order in which they were tried.
        rounds: what they excluded.
        position: the possible marks at the end.
        end: "solved", "stuck", "contradiction" (there is no solution), or "not known" within the budget.
        failed: the first instance whose test failed at a contradiction; None: a site has no mark left.
    """

    kinds: tuple[str, ...]
    rounds: tuple[Round, ...]
    position: Position
    end: End
    failed: int | None = attrs.field(default=None, eq=False)

    @property
    def solved(self) -> bool:
        """Whether every site has its mark."""
        return self.end == "solved"

    @property
    def hardest(self) -> str | None:
        """The kind latest in the order that a round needed; None: none was needed."""
        return max((own.kind for own in self.rounds), key=self.kinds.index, default=None)


@attrs.frozen
class Grade:
    """A trace in numbers: rounds, most and fewest exclusions in one, their sum, rounds of each kind."""

    end: End
    rounds: int
    hardest: str | None
    widest: int
    narrowest: int
    exclusions: int
    by_kind: tuple[int, ...]


def kinds_of(kinds: str | Sequence[str]) -> tuple[str, ...]:
    """Return kinds by their names, of a text such as "013" or "0123+"; raise EpcgError for other names."""
    names = tuple(kinds.replace("3+", "+")) if isinstance(kinds, str) else tuple(kinds)
    names = tuple("3+" if name == "+" else name for name in names)
    for name in names:
        if name not in KINDS:
            raise EpcgError(f"{name!r} is not a kind of steps. Kinds are {', '.join(KINDS)}, such as 0123.")
    if not names or len(set(names)) < len(names):
        raise EpcgError(
            "Kinds of steps are named once each, such as 0123, in the order in which they are tried."
        )
    return names


def steps(
    problem: Problem | Compiled,
    kinds: str | Sequence[str] = ORDER,
    position: Sequence[int] | None = None,
    rounds: int | None = None,
    budget: int = BUDGET,
) -> Trace:
    """Solve a problem by steps.

    Args:
        problem: what is solved.
        kinds: the kinds of steps in the order in which they are tried.
        position: the possible marks to begin with instead of the problem's start.
        rounds: the most rounds; None: until it is solved, or nothing more can be excluded.
        budget: the work after which the end is not known.

    Returns:
        The rounds, and how they end.

    Raises:
        EpcgError: for a kind that does not exist.
    """
    names = kinds_of(kinds)
    made = problem if isinstance(problem, Compiled) else Compiled(problem)
    start = tuple(made.problem.start if position is None else map(int, position))
    if made.kernels(budget) is None:
        return plain_trace(made.problem, names, start, rounds, budget)
    desk, slate = made.desk, _slate(made)
    most = len(start) * 64 if rounds is None else rounds
    (row,) = _graded(made, np.array([start], np.int64), None, names, most, budget).tolist()
    end, turns = row[:2]
    found: list[list[Exclusion]] = [[] for _ in range(turns)]
    kind_of = [""] * turns
    for turn, site, mark, kind, one, other in slate.steps[: slate.many[0]].tolist():
        kind_of[turn] = KINDS[kind]
        found[turn].append(Exclusion(site, mark, tuple(number for number in (one, other) if number >= 0)))
    made_rounds = tuple(Round(kind, _sorted(own)) for kind, own in zip(kind_of, found, strict=True))
    left = tuple(desk.masks.tolist())
    failed = int(desk.failed[0]) if ENDS[end] == "contradiction" and all(left) else None
    return Trace(names, made_rounds, left, ENDS[end], failed)


def excluded_by(
    made: Compiled, kind: str, position: Sequence[int], budget: int = BUDGET
) -> tuple[Exclusion, ...] | None:
    """Return what steps of one kind exclude in a position; None if a test of kind 0 or 1 fails.

    Args:
        made: the problem.
        kind: the kind.
        position: the possible marks of each site.
        budget: see `steps`.

    Returns:
        The exclusions, by site and mark.
    """
    found = steps(made, kind, position, 1, budget)
    if found.rounds:
        return found.rounds[0].exclusions
    return None if found.end == "contradiction" else ()


def _sorted(exclusions: Sequence[Exclusion]) -> tuple[Exclusion, ...]:
    return tuple(sorted(exclusions, key=lambda own: (own.site, own.mark)))


def _slate(made: Compiled) -> Slate:
    """Return what steps of a compiled problem are written on, made once."""
    assert made.arrays is not None
    slate: Slate | None = made.__dict__.get("slate")
    if slate is None:
        slate = made.__dict__["slate"] = new_slate(made.arrays)
    return slate


def plain_trace(
    problem: Problem,
    kinds: tuple[str, ...],
    position: Position,
    rounds: int | None = None,
    budget: int | None = None,
) -> Trace:
    """Solve a problem by steps as their definitions read; arguments as of `steps`."""
    done: list[Round] = []
    with plain.allowed(budget):
        try:
            return _plain_trace(problem, kinds, position, rounds, done)
        except plain.SpentError:
            for own in (own for turn in done for own in turn.exclusions):
                position = without_mark(position, own.site, own.mark)
            return Trace(kinds, tuple(done), position, "not known")


def _plain_trace(
    problem: Problem, kinds: tuple[str, ...], position: Position, rounds: int | None, done: list[Round]
) -> Trace:
    while True:
        if not all(position):
            return Trace(kinds, tuple(done), position, "contradiction")
        if not any(map(plain_steps.is_open, position)):
            solved = all(holds(instance, position) for instance in problem.instances)
            return Trace(kinds, tuple(done), position, "solved" if solved else "contradiction")
        if len(done) == rounds:
            return Trace(kinds, tuple(done), position, "stuck")
        for kind in kinds:
            found = plain_steps.of_kind(problem, position, KINDS.index(kind))
            if found is None:
                return Trace(kinds, tuple(done), position, "contradiction")
            if found:
                done.append(Round(kind, _sorted([Exclusion(*own) for own in found])))
                break
        else:
            return Trace(kinds, tuple(done), position, "stuck")
        for own in done[-1].exclusions:
            position = without_mark(position, own.site, own.mark)


def grades(
    problem: Problem | Compiled,
    starts: NDArray[np.int64],
    active: NDArray[np.bool_] | None = None,
    kinds: str | Sequence[str] = ORDER,
    budget: int = BUDGET,
) -> NDArray[np.int64]:
    """Grade puzzles that differ in where they start and in which instances belong to them.

    Args:
        problem: with the instances of all clues that a puzzle may have.
        starts: the possible marks at each site; (puzzles, sites) int64.
        active: which instances belong to each puzzle; (puzzles, instances); None: all.
        kinds: the kinds of steps in the order in which they are tried.
        budget: of each puzzle.

    Returns:
        For each puzzle the number of its end in `ENDS`, its rounds, the place of its hardest kind among
        `kinds` (-1: no step was needed), the most and the fewest exclusions in a round, all exclusions, and
        the rounds of each of `kinds`; (puzzles, 6 + kinds) int64.

    Raises:
        EpcgError: for a kind that does not exist.
    """
    names = kinds_of(kinds)
    made = problem if isinstance(problem, Compiled) else Compiled(problem)
    if made.kernels(budget) is not None:
        return _graded(made, starts, active, names, starts.shape[1] * 64, budget)
    found = np.zeros((len(starts), 6 + len(names)), np.int64)
    for puzzle, start in enumerate(starts.tolist()):
        inside = made.problem.instances
        if active is not None:
            inside = tuple(inst for inst, here in zip(inside, active[puzzle], strict=True) if here)
        part = attrs.evolve(made.problem, start=tuple(start), instances=inside)
        found[puzzle] = _numbers(plain_trace(part, names, part.start, None, budget))
    return found


def plain_grades(problem: Problem, kinds: tuple[str, ...]) -> NDArray[np.int64]:
    """Grade one puzzle as the definitions read, however long it takes: a row as of `grades`."""
    return np.array([_numbers(plain_trace(problem, kinds, problem.start))], np.int64)


def _graded(
    made: Compiled,
    starts: NDArray[np.int64],
    active: NDArray[np.bool_] | None,
    names: Sequence[str],
    rounds: int,
    budget: int,
) -> NDArray[np.int64]:
    """Grade by the kernel; see `grades`."""
    assert made.arrays is not None
    own = np.ones((1, len(made.problem.instances)), np.bool_) if active is None else active
    found = np.zeros((len(starts), 6 + len(names)), np.int64)
    numbers = np.array([KINDS.index(name) for name in names], np.int64)
    with remembering(made.desk) as desk:
        traces(
            made.arrays,
            desk,
            _slate(made),
            np.ascontiguousarray(starts, np.int64),
            np.ascontiguousarray(own, np.bool_),
            numbers,
            rounds,
            budget,
            found,
        )
    return found


def _numbers(own: Trace) -> list[int]:
    """Return a trace as a row of `grades`."""
    widths = [turn.width for turn in own.rounds]
    kinds = [own.kinds.index(turn.kind) for turn in own.rounds]
    row = [ENDS.index(own.end), len(widths), max(kinds, default=-1)]
    row += [max(widths, default=0), min(widths, default=0), sum(widths)]
    return row + [kinds.count(kind) for kind in range(len(own.kinds))]


def grade(problem: Problem | Compiled, kinds: str | Sequence[str] = ORDER, budget: int = BUDGET) -> Grade:
    """Grade one puzzle; arguments and errors as of `steps`."""
    names = kinds_of(kinds)
    made = problem if isinstance(problem, Compiled) else Compiled(problem)
    start = made.problem.start
    if made.kernels(budget) is None:
        row = _numbers(plain_trace(made.problem, names, start, None, budget))
    else:
        row = grades(made, np.array([start], np.int64), None, names, budget)[0].tolist()
    hardest = None if row[2] < 0 else names[row[2]]
    return Grade(ENDS[row[0]], row[1], hardest, row[3], row[4], row[5], tuple(row[6:]))

"""Hints: the easiest step in a position, with its rule, its place, its cells and its reason in words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import attrs

from epcg_deduction.model.puzzles import Puzzle
from epcg_deduction.rules import problem_of, rules_of
from epcg_deduction.rules.step_words import cells_of, says, site_name
from epcg_deduction.solving.compiled import Compiled
from epcg_deduction.solving.problem import Problem
from epcg_deduction.solving.steps import ORDER, Exclusion, steps

PIECES = "A border never lies inside a piece."
"""The rule that marks of pieces imply."""
_LITTLE = 5_000_000
"""Work that a hint takes to say more than its step."""
Mark = tuple[int, int]
_BY = {
    "0": "By the marks that are sure,",
    "1": "In every way that is left,",
    "2": "In every way that suits both,",
    "3": "So",
    "3+": "So",
}


@attrs.frozen
class Step:
    """A step for a person.

    Args:
        kind: its kind; "" if there is none.
        rules: the sentences of the rules that it uses.
        places: what a person would point at.
        sites: the sites that these are about.
        cells: the squares of the sites that change.
        written: the marks that are sure after it, as (site, mark).
        excluded: the marks that it excludes, as (site, mark).
        text: the reason in words.
        wrong: whether the position has no solution any more by what the step sees.
    """

    kind: str
    rules: tuple[str, ...]
    places: tuple[str, ...]
    sites: tuple[int, ...]
    cells: tuple[int, ...]
    written: tuple[Mark, ...]
    excluded: tuple[Mark, ...]
    text: str
    wrong: bool = False


def position_of(problem: Problem, marks: Mapping[int, int], excluded: Sequence[Mark] = ()) -> tuple[int, ...]:
    """Return the position of a player.

    Args:
        problem: the puzzle's problem.
        marks: the number of the mark at each site that has one.
        excluded: the marks that the player excluded, as (site, mark).

    Returns:
        The possible marks of each site; 0 where a mark was written that the start does not allow.
    """
    masks = list(problem.start)
    for site, mark in excluded:
        masks[site] &= ~(1 << mark)
    for site, mark in marks.items():
        masks[site] &= 1 << mark
    return tuple(masks)


def hint(
    puzzle: Puzzle,
    position: Sequence[int] | None = None,
    kinds: str | Sequence[str] = ORDER,
    compiled: Compiled | None = None,
) -> Step:
    """Return the easiest step: of the first kind that has one, and rather one that makes a mark sure.

    Args:
        puzzle: the puzzle.
        position: the possible marks of each site; default: the start.
        kinds: the kinds of steps, the easiest first.
        compiled: the puzzle's problem, if it is there already.

    Returns:
        The step; one of no kind if there is none.
    """
    made = Compiled(problem_of(puzzle)) if compiled is None else compiled
    problem = made.problem
    masks = tuple(problem.start if position is None else position)
    names = _Names(puzzle, problem)
    bare = [site for site, mask in enumerate(masks) if mask == 0]
    if bare:
        what = ", ".join(site_name(puzzle.board, problem.sites[site]) for site in bare[:3])
        said = f"No mark is possible at {what}: a mark that was written is wrong."
        return names.step("", (), said, sites=bare, wrong=True)
    if masks == problem.start and _none(made):
        return names.step("", (), _contradiction(puzzle), wrong=True)
    trace = steps(made, kinds, masks, rounds=1)
    if trace.rounds:
        kind = trace.rounds[0].kind
        return _of_group(names, kind, masks, _best(trace.rounds[0].exclusions, masks, kind))
    if trace.end == "contradiction":
        numbers = () if trace.failed is None else (trace.failed,)
        said = f"Look at {names.places(numbers)}. {names.rules(numbers)} This cannot hold any more: "
        return names.step("0", numbers, f"{said}a mark is wrong.", wrong=True)
    said = {
        "solved": "All marks are written, and all rules hold.",
        "stuck": f"No step of these kinds is left: {_beyond(made, trace.kinds, masks)}.",
        "not known": "A step is not known within the work that a hint may take.",
    }[trace.end]
    return names.step("", (), said)


def _none(made: Compiled) -> bool:
    """Return whether it is known, after little work, that there is no solution."""
    found = made.count(1, _LITTLE)
    return found.complete and not found.number


def _contradiction(puzzle: Puzzle) -> str:
    """Return why a puzzle without a solution has none: its clues, or its rules alone."""
    if puzzle.clues and not _none(Compiled(problem_of(attrs.evolve(puzzle, clues=())))):
        return "The puzzle has no solution: its clues contradict each other."
    return (
        "The puzzle has no solution, whatever its clues: no marks on this board meet all rules of the genre."
    )


def _beyond(made: Compiled, kinds: Sequence[str], masks: Sequence[int]) -> str:
    """Return what leads on where steps of some kinds do not."""
    if "3" in kinds and "3+" not in kinds and steps(made, "3+", masks, rounds=1, budget=_LITTLE).rounds:
        return "an assumption leads on that takes steps of two instances to refute, kind 3+"
    return "only trying leads on"


def _best(exclusions: Sequence[Exclusion], masks: Sequence[int], kind: str) -> list[Exclusion]:
    """Return the exclusions of one reason: the first that make a mark sure, or else the first."""
    groups: dict[tuple[int, ...], list[Exclusion]] = {}
    for own in exclusions:
        reason = (own.site, own.mark) if kind.startswith("3") else own.instances
        groups.setdefault(reason, []).append(own)
    if kind.startswith("3"):
        return next((g for g in groups.values() if _written(g, masks)), next(iter(groups.values())))
    ordered = [groups[reason] for reason in sorted(groups)]
    return next((group for group in ordered if _written(group, masks)), ordered[0])


def _written(group: Sequence[Exclusion], masks: Sequence[int]) -> tuple[Mark, ...]:
    """Return the marks that are sure after these exclusions."""
    left: dict[int, int] = {}
    for own in group:
        left[own.site] = left.get(own.site, masks[own.site]) & ~(1 << own.mark)
    return tuple(
        (site, mask.bit_length() - 1) for site, mask in left.items() if mask and not mask & (mask - 1)
    )


def _of_group(names: _Names, kind: str, masks: Sequence[int], group: Sequence[Exclusion]) -> Step:
    written = _written(group, masks)
    sure = {site for site, _ in written}
    lost = tuple((own.site, own.mark) for own in group)
    numbers = group[0].instances
    facts = [names.fact(site, mark, True) for site, mark in written]
    facts += [names.fact(site, mark, False) for site, mark in lost if site not in sure]
    if kind.startswith("3"):
        where = names.places(numbers) or "the board"
        said = f"Suppose that {names.fact(*lost[0], True)}: step by step, {where} can then no longer hold."
    else:
        together = " together" if len({*map(names.place, numbers)}) > 1 else ""
        said = f"Look at {names.places(numbers)}{together}."
    said = " ".join(filter(None, (said, names.rules(numbers), f"{_BY[kind]} {_listed(facts)}.")))
    return names.step(kind, numbers, said, written, lost)


def _listed(facts: Sequence[str]) -> str:
    return ", ".join(facts[:-1]) + " and " + facts[-1] if len(facts) > 1 else "".join(facts)


class _Names:
    """A puzzle's instances and sites in words."""

    def __init__(self, puzzle: Puzzle, problem: Problem) -> None:
        self._puzzle = puzzle
        self._problem = problem

    def fact(self, site: int, mark: int, holds: bool) -> str:
        return says(self._puzzle.board, self._problem.sites[site], self._problem.names[site][mark], holds)

    def place(self, number: int) -> str:
        return self._problem.instances[number].place

    def places(self, numbers: Sequence[int]) -> str:
        return _listed(list(dict.fromkeys(map(self.place, numbers))))

    def sentences(self, numbers: Sequence[int]) -> tuple[str, ...]:
        rules = rules_of(self._puzzle.genre)
        own = [self._problem.instances[number].rule for number in numbers]
        return tuple(dict.fromkeys(PIECES if rule < 0 else rules[rule].sentence() for rule in own))

    def rules(self, numbers: Sequence[int]) -> str:
        return " ".join(self.sentences(numbers))

    def step(
        self,
        kind: str,
        numbers: Sequence[int],
        text: str,
        written: tuple[Mark, ...] = (),
        lost: tuple[Mark, ...] = (),
        sites: Sequence[int] = (),
        wrong: bool = False,
    ) -> Step:
        """Return a step with what follows from its instances."""
        instances = [self._problem.instances[number] for number in numbers]
        about = dict.fromkeys((*sites, *(site for instance in instances for site in instance.sites)))
        changed = dict.fromkeys((*sites, *(site for site, _ in lost)))
        cells = dict.fromkeys(
            cell for site in changed for cell in cells_of(self._puzzle.board, self._problem.sites[site])
        )
        places = tuple(dict.fromkeys(instance.place for instance in instances))
        return Step(
            kind, self.sentences(numbers), places, tuple(about), tuple(cells), written, lost, text, wrong
        )

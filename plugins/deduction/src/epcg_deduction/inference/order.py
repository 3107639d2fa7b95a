"""The order in which the easiest steps settle the sites of a puzzle."""

from __future__ import annotations

from epcg_deduction.model.puzzles import Puzzle
from epcg_deduction.rules import problem_of
from epcg_deduction.solving.steps import ORDER, steps

WORK = 20_000_000
"""The work that finding an order may take, some tenths of a second."""


def settled(puzzle: Puzzle, kinds: str | tuple[str, ...] = ORDER, budget: int = WORK) -> list[int]:
    """Return the sites that steps settle, first those that are settled first.

    Args:
        puzzle: the puzzle.
        kinds: the kinds of steps in the order in which they are tried.
        budget: the work that this may take; what is not settled within is left out.

    Returns:
        The numbers of sites; those that are sure at the start are not among them.
    """
    problem = problem_of(puzzle)
    masks = list(problem.start)
    order: list[int] = []
    for turn in steps(problem, kinds, budget=budget).rounds:
        before = list(masks)
        for own in turn.exclusions:
            masks[own.site] &= ~(1 << own.mark)
        order += [site for site, mask in enumerate(masks) if mask != before[site] and not mask & (mask - 1)]
    return order

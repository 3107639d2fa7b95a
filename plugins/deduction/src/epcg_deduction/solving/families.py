"""Puzzles that differ in their clues alone, as choices from the instances of one problem.

Where each clue only adds instances, and narrows where a puzzle starts, all puzzles of a board are choices
from one problem with the instances of all clues: kernels then read many puzzles in one call.
"""

from __future__ import annotations

from collections.abc import Sequence

import attrs
import numpy as np
from numpy.typing import NDArray

from epcg_deduction.solving.arrays import MOST_MARKS
from epcg_deduction.solving.problem import Problem


@attrs.frozen(eq=False)
class Family:
    """Puzzles by their clues.

    Args:
        problem: with the instances of the rules that hold for every puzzle, and of all clues.
        fixed: how many of its instances hold for every puzzle; they come first.
        starts: the possible marks if one clue is given; (clues, sites) int64.
        own: which instances each clue adds; (clues, instances).
    """

    problem: Problem
    fixed: int
    starts: NDArray[np.int64]
    own: NDArray[np.bool_]

    def puzzles(self, given: NDArray[np.bool_]) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
        """Return where puzzles start, and which instances belong to them.

        Args:
            given: which of the clues each puzzle has; (puzzles, clues).

        Returns:
            The possible marks of each site, (puzzles, sites) int64, and the instances, (puzzles, instances):
            what `counts_of_clues` and `grades` read.
        """
        starts = np.empty((len(given), len(self.problem.sites)), np.int64)
        starts[:] = self.problem.start
        for clue, start in enumerate(self.starts):
            starts[given[:, clue]] &= start
        active = given @ self.own
        active[:, : self.fixed] = True
        return starts, active


def family_of(base: Problem, single: Sequence[Problem]) -> Family | None:
    """Return the family of the puzzles of a board.

    Args:
        base: the board without clues.
        single: the board with one clue, for each clue that a puzzle may have.

    Returns:
        The family; None if a clue changes what others say, as where groups or paths read all clues at once,
        or if a site has more marks than a kernel reads.
    """
    if any(len(names) > MOST_MARKS for names in base.names):
        return None
    known = dict.fromkeys(base.instances)
    instances = list(base.instances)
    added: list[list[int]] = []
    for problem in single:
        if problem.sites != base.sites or problem.names != base.names:
            return None
        own = set(problem.instances)
        if not own.issuperset(known):
            return None
        further = [instance for instance in problem.instances if instance not in known]
        added.append(list(range(len(instances), len(instances) + len(further))))
        instances += further
    belongs = np.zeros((len(single), len(instances)), np.bool_)
    for clue, numbers in enumerate(added):
        belongs[clue, numbers] = True
    whole = attrs.evolve(base, instances=tuple(instances))
    starts = np.array([problem.start for problem in single], np.int64).reshape(len(single), len(base.sites))
    return Family(whole, len(base.instances), starts, belongs)

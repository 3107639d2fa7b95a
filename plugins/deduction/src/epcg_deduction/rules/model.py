"""The play of a deduction puzzle: states are positions, a move writes one mark.

Decisions where the papers on entropy leave a choice:

- A state has the marks that were written; what a player excludes is not part of it, since inference rules
  conclude it again in every state. Marks that the rules `at` give are written from the start.
- A move is a mark that is possible at the start, at a site without one. If an instance of a rule fails for
  the sure marks alone (kind 0), the player sees it: there is no move.
- Inference rules drop moves first. The player then weighs those at the site that has fewest left; a site
  without any is a dead end. A site with one move is forced, whatever the order, so it costs nothing.
- Ties: of several sites with equally few moves the first one is weighed (`ties = "lowest"`), so that a
  player without rules meets few states; a puzzle may then differ from its images. With `ties = "all"` the
  moves at all of these sites are weighed together (with one move each still the first alone), which numbers
  no site before another, and meets many more states.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Literal

import attrs

from epcg_core.plugin import Stage
from epcg_deduction.model.puzzles import Puzzle
from epcg_deduction.rules.problems import problem_of
from epcg_deduction.rules.step_words import says
from epcg_deduction.solving.compiled import Compiled
from epcg_deduction.solving.globals import marks_of
from epcg_deduction.solving.plain import with_mark
from epcg_deduction.solving.steps import excluded_by

Ties = Literal["lowest", "all"]


@attrs.frozen
class Move:
    """A mark, by its number, written at a site."""

    site: int
    mark: int
    text: str = attrs.field(default="", eq=False)

    def __str__(self) -> str:
        return self.text or f"mark {self.mark} at site {self.site}"


@attrs.frozen(slots=False)
class Position:
    """A state of play: the possible marks of each site; one that was not written has those of the start."""

    compiled: Compiled = attrs.field(eq=False, repr=False)
    puzzle: Puzzle = attrs.field(eq=False, repr=False)
    masks: tuple[int, ...]

    @cached_property
    def open(self) -> tuple[int, ...]:
        """The shown sites without a mark."""
        problem = self.compiled.problem
        shown = len(problem.sites) - problem.hidden
        return tuple(site for site, mask in enumerate(self.masks[:shown]) if mask & (mask - 1))

    @cached_property
    def broken(self) -> bool:
        """Whether a rule fails for the sure marks alone."""
        return not all(self.masks) or excluded_by(self.compiled, "0", self.masks) is None


class DeductionModel:
    """The rules of play of deduction puzzles.

    Args:
        ties: which of several sites with equally few moves a player weighs.
    """

    stages: Sequence[Stage] = ("filters", "answers", "choice")

    def __init__(self, ties: Ties = "lowest") -> None:
        self.ties = ties

    def initial(self, content: Puzzle) -> Position:
        """Return the position at the start of a puzzle."""
        problem = problem_of(content)
        return Position(Compiled(problem), content, problem.start)

    def actions(self, state: Position) -> list[Move]:
        """Return the marks at all open sites; none if a rule fails already."""
        if state.broken:
            return []
        problem, board = state.compiled.problem, state.puzzle.board
        return [
            Move(site, mark, says(board, problem.sites[site], problem.names[site][mark]))
            for site in state.open
            for mark in marks_of(state.masks[site])
        ]

    def apply(self, state: Position, action: Move) -> Position:
        """Return the position with one mark more."""
        return attrs.evolve(state, masks=with_mark(state.masks, action.site, action.mark))

    def is_goal(self, state: Position) -> bool:
        """Return whether all marks are written, and all rules hold."""
        return not state.open and not state.broken and state.compiled.count(1, start=state.masks).number == 1

    def key(self, state: Position) -> tuple[int, ...]:
        """Return the possible marks of each site."""
        return state.masks

    def action_text(self, action: Move) -> str:
        """Return a move in words."""
        return str(action)

    def choose(self, state: Position, actions: Sequence[Move]) -> Sequence[Move]:
        """Return the moves at the site that has fewest; none if a site has none."""
        at: dict[int, list[Move]] = {site: [] for site in state.open}
        for action in actions:
            at[action.site].append(action)
        fewest = min(map(len, at.values()), default=0)
        if self.ties == "lowest" or fewest < 2:
            return next((own for own in at.values() if len(own) == fewest), [])
        return [move for own in at.values() if len(own) == fewest for move in own]

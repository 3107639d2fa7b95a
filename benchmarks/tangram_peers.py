"""The hexagon tangram for other solvers: the boards as an exact-cover matrix, and as a model for CP-SAT.

None of them knows identical copies, so a second copy is an item of its own and boards come twice. All get
what our search has: of one piece without symmetries only a placement of each orbit.
"""

from __future__ import annotations

from collections.abc import Iterator

import attrs
import numpy as np
from epcg_tangram.params import GameRef
from numpy.typing import NDArray

from epcg_core.search.exact_cover.problem import CoverProblem
from epcg_core.search.exact_cover.solver import CoverSearch

Cover = frozenset[int]
PIECES = GameRef().definition.names
TRAPEZOID = "Trapezoid"


@attrs.frozen
class Family:
    """All boards of one choice of pieces."""

    pieces: tuple[int, ...]
    """One of each, the trapezoid twice if it is among them."""
    options: tuple[tuple[int, int, tuple[int, ...]], ...]
    """(placement, item of the piece from 0 on, cells)."""


def families(problem: CoverProblem) -> Iterator[Family]:
    """Yield the ten families of boards, each without one piece, modulo the symmetries."""
    trapezoid = PIECES.index(TRAPEZOID)
    fixed: dict[int, set[int]] = {}
    for root in CoverSearch(problem).roots:
        (number,) = root.fixed
        fixed.setdefault(problem.placements[number][0], set()).add(number)
    for excluded in range(len(PIECES)):
        pieces = [piece for piece in range(len(PIECES)) if piece != excluded]
        if excluded != trapezoid:
            pieces.append(trapezoid)
        first = next(piece for piece in fixed if piece != excluded)
        yield Family(
            tuple(pieces),
            tuple(
                (number, item, cells)
                for item, piece in enumerate(pieces)
                for number, (own, cells) in enumerate(problem.placements)
                if own == piece and (piece != first or number in fixed[first])
            ),
        )


def matrix(family: Family, cells: int) -> NDArray[np.int32]:
    """Return what each option covers: (options, cells + pieces)."""
    found = np.zeros((len(family.options), cells + len(family.pieces)), np.int32)
    for row, (_, item, covered) in enumerate(family.options):
        found[row, list(covered)] = 1
        found[row, cells + item] = 1
    return found


def with_xcover(family: Family, cells: int) -> set[Cover]:
    """Find all covers by the package xcover (Knuth's Algorithm C on dancing cells, numba)."""
    import xcover

    options = [[*covered, cells + item] for _, item, covered in family.options]
    return {frozenset(family.options[i][0] for i in cover) for cover in xcover.covers(options)}


def with_exact_cover(family: Family, cells: int) -> set[Cover]:
    """Find all covers by the package exact-cover (dancing links, C)."""
    import exact_cover

    found = exact_cover.get_all_solutions(matrix(family, cells))
    return {frozenset(family.options[i][0] for i in cover) for cover in found}


def with_cp_sat(family: Family, cells: int) -> set[Cover]:
    """Find all covers by OR-Tools CP-SAT on one core, model building included."""
    from ortools.sat.python import cp_model

    model = cp_model.CpModel()
    chosen = [model.new_bool_var(f"o{i}") for i in range(len(family.options))]
    incidence = matrix(family, cells)
    for column in range(incidence.shape[1]):
        model.add_exactly_one(chosen[i] for i in np.flatnonzero(incidence[:, column]))
    found: set[Cover] = set()

    class Collect(cp_model.CpSolverSolutionCallback):  # type: ignore[misc]
        def on_solution_callback(self) -> None:
            found.add(frozenset(family.options[i][0] for i, on in enumerate(chosen) if self.value(on)))

    solver = cp_model.CpSolver()
    solver.parameters.num_workers = 1
    solver.parameters.enumerate_all_solutions = True
    solver.solve(model, Collect())
    return found

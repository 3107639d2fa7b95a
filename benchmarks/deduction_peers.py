"""The same puzzles in the languages of general solvers: clingo and OR-Tools CP-SAT, each on one core.

Both count solutions up to a limit. The models are those that people write for these genres (in clingo as
noqx does it: choices, counts as constraints, and reachability for the loop); grounding and building are part
of the time, since every puzzle is another program.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import combinations
from typing import Any

from epcg_deduction.model.puzzles import Puzzle
from epcg_deduction.model.sites import numbers_of

DIGITS = """
1 { x(C,D) : D = 1..size } 1 :- cell(C).
:- given(C,D), not x(C,D).
:- alike(A,B), x(A,D), x(B,D).
#show x/2.
"""
COUNTS = """
{ x(C) : cell(C) }.
:- sum(G,L,H), not L { x(C) : member(G,C) } H.
:- given(C,1), not x(C).
:- given(C,0), x(C).
differ(A,B) :- pair(A,B), opposite(A,B,C,D), x(C), not x(D).
differ(A,B) :- pair(A,B), opposite(A,B,C,D), x(D), not x(C).
:- pair(A,B), not differ(A,B).
#show x/1.
"""
LOOP = """
{ x(E) : ends(E,_,_) }.
:- sum(G,L,H), not L { x(E) : member(G,E) } H.
meets(V,E) :- ends(E,V,_).
meets(V,E) :- ends(E,_,V).
on(V) :- meets(V,E), x(E).
:- on(V), not 2 { x(E) : meets(V,E) } 2.
first(V) :- on(V), not on(U) : meets(U,_), U < V.
reached(V) :- first(V).
reached(V) :- reached(U), ends(E,U,V), x(E).
reached(V) :- reached(U), ends(E,V,U), x(E).
:- on(V), not reached(V).
:- not on(V) : meets(V,_).
#show x/1.
"""

Sum = tuple[tuple[int, ...], int, int]
"""Sites, and the fewest and the most of them that are filled."""


def near(puzzle: Puzzle, square: int, corners: bool = False) -> list[int]:
    """Return the cells beside a square, or around it."""
    steps = [(dx, dy) for dx in (-1, 0, 1) for dy in (-1, 0, 1) if dx or dy]
    found = (puzzle.board.step(square, dx, dy) for dx, dy in steps if corners or not dx or not dy)
    return [cell for cell in found if puzzle.board.is_cell(cell)]


def sums_of(puzzle: Puzzle) -> Iterator[Sum]:
    """Yield the conditions on numbers of filled sites."""
    board, name = puzzle.board, puzzle.genre.name
    values = {clue.place: int(str(clue.value)) for clue in puzzle.clues if clue.kind == "n"}
    if name == "slitherlink":
        yield from ((board.edges_of[cell], value, value) for cell, value in values.items())
    elif name == "mosaic":
        for cell, value in values.items():
            yield (cell, *near(puzzle, cell, corners=True)), value, value
    elif name == "akari":
        yield from ((stretch, 0, 1) for stretch in board.stretches)
        for cell in board.cells:
            seen = {each for stretch in board.stretches if cell in stretch for each in stretch}
            yield tuple(sorted(seen)), 1, len(seen)
        for wall, value in values.items():
            yield tuple(near(puzzle, wall)), value, value
    elif name == "starbattle":
        stars = numbers_of(puzzle).get("stars", 1)
        yield from ((thing, stars, stars) for thing in (*board.lines, *board.regions))
        for cell in board.cells:
            yield from (((cell, other), 0, 1) for other in near(puzzle, cell, corners=True) if other > cell)
    elif name == "binairo":
        for line in board.lines:
            yield line, len(line) // 2, len(line) // 2
            yield from ((line[at : at + 3], 1, 2) for at in range(len(line) - 2))


def given(puzzle: Puzzle) -> dict[int, int]:
    """Return the digits that are given; for Binairo 1: filled."""
    return {clue.place: int(str(clue.value)) for clue in puzzle.clues if clue.kind == "given"}


def alike(puzzle: Puzzle) -> Iterator[tuple[int, int]]:
    """Yield the pairs of cells whose digits differ."""
    board = puzzle.board
    yield from {pair for thing in (*board.lines, *board.regions) for pair in combinations(thing, 2)}


def lines_that_differ(puzzle: Puzzle) -> Iterator[tuple[tuple[int, ...], tuple[int, ...]]]:
    """Yield the pairs of lines of Binairo that are not equal."""
    if puzzle.genre.name == "binairo":
        rows = puzzle.board.height
        yield from combinations(puzzle.board.lines[:rows], 2)
        yield from combinations(puzzle.board.lines[rows:], 2)


def ready_for_clingo(puzzle: Puzzle, limit: int) -> Callable[[], int]:
    """Ground the puzzle, and return what counts its solutions."""
    import clingo

    program = {"sudoku": DIGITS, "slitherlink": LOOP}.get(puzzle.genre.name, COUNTS)
    control: Any = clingo.Control(
        [str(limit), "--warn=no-atom-undefined", "-c", f"size={puzzle.board.width}"]
    )
    control.add("base", [], program + " ".join(_facts(puzzle)))
    control.ground([("base", [])])

    def solve() -> int:
        control.solve()
        return int(control.statistics["summary"]["models"]["enumerated"])

    return solve


def _facts(puzzle: Puzzle) -> Iterator[str]:
    board = puzzle.board
    yield from (f"cell({cell})." for cell in board.cells)
    yield from (f"given({cell},{digit})." for cell, digit in given(puzzle).items())
    if puzzle.genre.name == "sudoku":
        yield from (f"alike({one},{other})." for one, other in alike(puzzle))
    if puzzle.genre.name == "slitherlink":
        yield from (f"ends({edge},{one},{other})." for edge, (one, other) in enumerate(board.edges))
    for number, (sites, low, high) in enumerate(sums_of(puzzle)):
        yield f"sum({number},{low},{high})."
        yield from (f"member({number},{site})." for site in sites)
    for number, (one, other) in enumerate(lines_that_differ(puzzle)):
        yield f"pair({number},{number})."
        yield from (f"opposite({number},{number},{a},{b})." for a, b in zip(one, other, strict=True))


def ready_for_cp_sat(puzzle: Puzzle, limit: int) -> Callable[[], int]:
    """Build the model of the puzzle, and return what counts its solutions."""
    from ortools.sat.python import cp_model

    model: Any = cp_model.CpModel()
    board = puzzle.board
    if puzzle.genre.name == "sudoku":
        known = given(puzzle)
        sites = {
            cell: model.new_int_var(known.get(cell, 1), known.get(cell, board.width), "")
            for cell in board.cells
        }
        for thing in (*board.lines, *board.regions):
            model.add_all_different([sites[cell] for cell in thing])
    else:
        names = range(len(board.edges)) if puzzle.genre.name == "slitherlink" else board.cells
        sites = {site: model.new_bool_var("") for site in names}
        for cell, digit in given(puzzle).items():
            model.add(sites[cell] == digit)
        for chosen, low, high in sums_of(puzzle):
            model.add_linear_constraint(sum(sites[site] for site in chosen), low, high)
        for one, other in lines_that_differ(puzzle):
            unequal = []
            for a, b in zip(one, other, strict=True):
                unequal.append(model.new_bool_var(""))
                model.add(sites[a] + sites[b] == 1).only_enforce_if(unequal[-1])
                model.add(sites[a] == sites[b]).only_enforce_if(unequal[-1].negated())
            model.add_bool_or(unequal)
    if puzzle.genre.name == "slitherlink":
        arcs = []
        for edge, (begin, end) in enumerate(board.edges):
            there, back = model.new_bool_var(""), model.new_bool_var("")
            model.add(there + back == sites[edge])
            arcs += [(begin, end, there), (end, begin, back)]
        for vertex in {vertex for pair in board.edges for vertex in pair}:
            arcs.append((vertex, vertex, model.new_bool_var("")))
        model.add_circuit(arcs)
        model.add_bool_or(list(sites.values()))

    class Found(cp_model.CpSolverSolutionCallback):  # type: ignore[misc]
        """Both ways around a loop are one solution."""

        def __init__(self) -> None:
            super().__init__()
            self.solutions: set[tuple[int, ...]] = set()

        def on_solution_callback(self) -> None:
            self.solutions.add(tuple(self.value(site) for site in sites.values()))
            if len(self.solutions) == limit:
                self.stop_search()

    solver: Any = cp_model.CpSolver()
    solver.parameters.num_workers = 1
    solver.parameters.enumerate_all_solutions = True
    found = Found()

    def solve() -> int:
        solver.solve(model, found)
        return len(found.solutions)

    return solve

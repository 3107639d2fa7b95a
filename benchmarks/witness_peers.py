"""The Witness for two general solvers: all solutions of panels with dots, gaps, squares and triangles.

OR-Tools CP-SAT and clingo, each with a model of its own kind and on one core. Every solution of a model is
one path, because all its other variables follow from the path. Neither is imported before it is used.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import permutations
from typing import Any

from epcg_witness.rules.panel import Panel, Square, Triangles


def check_expressible(panel: Panel) -> None:
    """Raise ValueError if a panel has symbols that the models do not know."""
    for _, symbol in panel.symbols:
        if not isinstance(symbol, Square | Triangles):
            raise ValueError(f"The models have no {type(symbol).__name__}.")


def squares_of(panel: Panel) -> dict[int, str]:
    """Return the colours of the squares, by cell."""
    return {cell: symbol.colour for cell, symbol in panel.symbols if isinstance(symbol, Square)}


def triangles_of(panel: Panel) -> dict[int, int]:
    """Return the numbers of triangles, by cell."""
    return {cell: symbol.count for cell, symbol in panel.symbols if isinstance(symbol, Triangles)}


def walls(panel: Panel) -> Iterator[tuple[int, int, int]]:
    """Yield (cell, cell, edge): the edges between two cells."""
    for edge in range(panel.grid.edges):
        one, other = panel.grid.edge_cells(edge)
        if one is not None and other is not None:
            yield one, other, edge


def count_with_cp_sat(panel: Panel) -> int:
    """Count the solutions with CP-SAT, the building of the model included."""
    from ortools.sat.python import cp_model

    class Counter(cp_model.CpSolverSolutionCallback):  # type: ignore[misc]
        found = 0

        def on_solution_callback(self) -> None:
            self.found += 1

    solver, counter = cp_model.CpSolver(), Counter()
    solver.parameters.num_workers = 1
    solver.parameters.enumerate_all_solutions = True
    # Of the settings that were tried these are the fastest, by 3 to 20 times.
    solver.parameters.linearization_level = 0
    solver.parameters.cp_model_presolve = False
    status = solver.solve(cp_sat_model(panel), counter)
    if status not in (cp_model.OPTIMAL, cp_model.INFEASIBLE):
        raise RuntimeError(f"CP-SAT ended with {solver.status_name(status)}.")
    return counter.found


def cp_sat_model(panel: Panel) -> Any:
    """Return a `CpModel` of a panel.

    The path is a circuit through one node more, which leads to the starts and is reached from the ends;
    vertices that are not on the path loop to themselves. Gaps have no arcs.
    """
    from ortools.sat.python import cp_model

    check_expressible(panel)
    grid, model = panel.grid, cp_model.CpModel()
    outside = grid.vertices
    arcs: list[tuple[int, int, Any]] = []
    drawn: list[list[Any]] = [[] for _ in range(grid.edges)]
    for start in panel.starts:
        arcs.append((outside, start, model.new_bool_var("")))
    for end in panel.ends:
        arcs.append((end, outside, model.new_bool_var("")))
    dots = set(panel.vertex_dots)
    for vertex in range(grid.vertices):
        if vertex not in dots:
            arcs.append((vertex, vertex, model.new_bool_var("")))
        for neighbour, edge in grid.neighbours[vertex]:
            if edge not in panel.gaps:
                arc = model.new_bool_var("")
                arcs.append((vertex, neighbour, arc))
                drawn[edge].append(arc)
    model.add_circuit(arcs)
    for edge in panel.edge_dots:
        model.add_exactly_one(drawn[edge])
    for cell, count in triangles_of(panel).items():
        model.add(sum(arc for edge in grid.cell_edges(cell) for arc in drawn[edge]) == count)
    if len(set(squares_of(panel).values())) > 1:
        _separate_squares(panel, model, drawn)
    return model


def _separate_squares(panel: Panel, model: Any, drawn: list[list[Any]]) -> None:
    """Give each cell the colour of the squares of its region, or none.

    Neighbours that no drawn edge separates share a colour. A region has a colour only if it has a square,
    which its cells prove by their distance to the nearest square: 0 at squares, elsewhere one more than the
    nearest neighbour's, `far` if the region has no square.
    """
    grid, squares = panel.grid, squares_of(panel)
    colours = sorted(set(squares.values()))
    far = grid.cells
    has = [[model.new_bool_var("") for _ in colours] for _ in range(grid.cells)]
    distance = [model.new_int_var(0, far, "") for _ in range(grid.cells)]
    around: list[list[tuple[int, Any]]] = [[] for _ in range(grid.cells)]
    for one, other, edge in walls(panel):
        wall = model.new_bool_var("")
        model.add(sum(drawn[edge]) == wall)
        around[one].append((other, wall))
        around[other].append((one, wall))
        for mine, its in zip(has[one], has[other], strict=True):
            model.add(mine == its).only_enforce_if(~wall)
    for cell in range(grid.cells):
        if cell in squares:
            model.add(distance[cell] == 0)
            for colour, mine in zip(colours, has[cell], strict=True):
                model.add(mine == int(colour == squares[cell]))
            continue
        model.add_at_most_one(has[cell])
        none = model.new_bool_var("")
        model.add(distance[cell] == far).only_enforce_if(none)
        model.add(distance[cell] < far).only_enforce_if(~none)
        model.add_exactly_one([none, *has[cell]])
        steps = []
        for neighbour, wall in around[cell]:
            step = model.new_int_var(1, far, "")
            model.add(step == far).only_enforce_if(wall)
            model.add_min_equality(step, [distance[neighbour] + 1, far]).only_enforce_if(~wall)
            steps.append(step)
        model.add_min_equality(distance[cell], steps)


PROGRAM = """
1 { head(V) : start(V) } 1.
1 { final(V) : end(V) } 1.
on(V) :- head(V).
1 { step(U,V) : arc(U,V,_) } 1 :- on(U), not final(U).
on(V) :- step(_,V).
:- step(U,V), step(W,V), U < W.
:- step(_,V), head(V).
:- final(V), not on(V).
drawn(E) :- step(U,V), arc(U,V,E).

:- dot(E), not drawn(E).
:- vertex_dot(V), not on(V).
:- triangles(C,N), not N { drawn(E) : around(C,E) } N.

has(C,K) :- square(C,K).
has(D,K) :- has(C,K), wall(C,D,E), not drawn(E).
:- square(C,K), has(C,L), K != L.
"""
"""A path grows from its head, step by step, to its final vertex; colours spread through open walls. Both are
least fixed points, so neither loops beside the path nor colours from nowhere can appear."""


def count_with_clingo(panel: Panel) -> int:
    """Count the solutions with clingo, grounding included."""
    import clingo

    control = clingo.Control(["0", "--warn=no-atom-undefined"])
    control.add("base", [], PROGRAM + " ".join(facts(panel)))
    control.ground([("base", [])])
    control.solve()
    return int(control.statistics["summary"]["models"]["enumerated"])


def facts(panel: Panel) -> Iterator[str]:
    """Yield the panel as facts of the program."""
    check_expressible(panel)
    grid = panel.grid
    for vertex in range(grid.vertices):
        for neighbour, edge in grid.neighbours[vertex]:
            if edge not in panel.gaps:
                yield f"arc({vertex},{neighbour},{edge})."
    yield from (f"start({vertex})." for vertex in panel.starts)
    yield from (f"end({vertex})." for vertex in panel.ends)
    yield from (f"dot({edge})." for edge in panel.edge_dots)
    yield from (f"vertex_dot({vertex})." for vertex in panel.vertex_dots)
    for cell, count in triangles_of(panel).items():
        yield f"triangles({cell},{count})."
        yield from (f"around({cell},{edge})." for edge in grid.cell_edges(cell))
    squares = squares_of(panel)
    if len(set(squares.values())) > 1:
        yield from (f"square({cell},{colour})." for cell, colour in squares.items())
        for *cells, edge in walls(panel):
            yield from (f"wall({one},{other},{edge})." for one, other in permutations(cells))

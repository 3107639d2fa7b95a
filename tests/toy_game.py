"""A second plugin for tests, the module `epcg_game`: a layered game, and more parts for `numbers`.

domain pegs        generator `line`: pegs on a line of cells. A move takes a peg away: one that stands beside
                   it captures it in place (on odd cells in two manners, which lead to the same state), or
                   jumps over it to the empty cell beyond. The goal is a single peg on a cell whose number
                   divides by 3. Layers are numbers of pegs. Evaluators `span` and `lowest`, `lowest_again`,
                   which read the solved layer of single pegs
domain numbers     generator `stepped`: as `range`, with `increment` (it counts its calls to unrank)
                   evaluators `mixed`, `mixed_array`, `mixed_fused` (four metrics, three statuses),
                   `strange`, `strange_real` (return what their params say)
Nothing here may import from the tests.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import combinations
from typing import Any

import attrs
import numpy as np
from numpy.typing import NDArray

from epcg_core import hookimpl
from epcg_core.plugin import (
    LIMIT,
    NONE,
    VALUE,
    Bits,
    DomainInfo,
    Evaluation,
    EvaluatorInfo,
    GeneratorInfo,
    LimitReachedError,
    Metric,
    NoParams,
    TableNeed,
    param,
)

EPCG_API_VERSION = 1

MIXED = (
    Metric("curve", "int", "min"),
    Metric("share", "real"),
    Metric("third", "bool"),
    Metric("effort", "int", always=True),
)


def curve(number: int) -> tuple[int, tuple[int, float, bool, int]]:
    """(status, values) of a number: the definition that all forms of `mixed` share."""
    status = LIMIT if number % 11 == 3 else NONE if number % 7 == 2 else VALUE
    return status, (number * number % 1009 - 300, number / 7, number % 3 == 0, 0 if status else number)


class Mixed:
    """State by state."""

    metrics = MIXED

    def evaluate(self, state: int) -> Sequence[int | float | bool] | None:
        status, values = curve(state)
        if status == LIMIT:
            raise LimitReachedError
        return None if status == NONE else values


class ArrayMixed(Mixed):
    """By arrays, with other numbers than 0 where there is no value."""

    def evaluate_states(self, states: NDArray[np.int64]) -> Evaluation:
        found = [curve(int(state)) for state in states]
        status = np.array([status for status, _ in found], np.uint8)
        columns = [np.array([values[m] for _, values in found]) for m in range(4)]
        kinds = (np.int64, np.float64, np.bool_, np.int64)
        return Evaluation([c.astype(kind) for c, kind in zip(columns, kinds, strict=True)], status)


class FusedMixed(ArrayMixed):
    """In one step, without states."""

    def evaluate_block(self, start: int, count: int) -> Evaluation:
        return self.evaluate_states(np.arange(start, start + count))


@attrs.frozen
class StrangeParams:
    """What the evaluator returns at every number."""

    returns: str = param("1", help="a Python expression over n")


class Strange:
    metrics = (Metric("strange", "int"),)

    def __init__(self, params: StrangeParams) -> None:
        self._returns = compile(params.returns, "returns", "eval")

    def evaluate(self, state: int) -> Any:
        return eval(self._returns, {"n": state})


class StrangeReal(Strange):
    metrics = (Metric("strange_real", "real"),)


class Stepped:
    """0 .. size - 1, each state made from the one before."""

    unranked = 0

    def __init__(self, params: SteppedParams) -> None:
        self.max_rank = params.size

    def unrank(self, rank: int) -> int:
        Stepped.unranked += 1
        return rank

    def increment(self, state: int) -> int | None:
        return state + 1 if state + 1 < self.max_rank else None


@attrs.frozen
class SteppedParams:
    """How many numbers there are."""

    size: int = param(100, minimum=1)


# --- pegs -------------------------------------------------------------------------------------------------


@attrs.frozen
class LineParams:
    """A line of cells and how many pegs stand on it."""

    cells: int = param(8, minimum=1, maximum=64, help="cells of the line")
    pegs: int = param(3, minimum=1, maximum=64, help="pegs on it")


State = frozenset[int]


class Moves:
    """The rules. An action is (the peg that goes away, the one that takes it, where it goes, manner)."""

    def __init__(self, cells: int) -> None:
        self._cells = cells

    def initial(self, content: State) -> State:
        return content

    def actions(self, state: State) -> Iterator[tuple[int, int, int, int]]:
        for peg in sorted(state):
            for side in (-1, 1):
                if peg + side in state:
                    for manner in range(1 + peg % 2):
                        yield peg, peg + side, peg + side, manner
                    beyond = peg - side
                    if 0 <= beyond < self._cells and beyond not in state:
                        yield peg, peg + side, beyond, 0

    def apply(self, state: State, action: tuple[int, int, int, int]) -> State:
        gone, mover, where, _ = action
        return state - {gone, mover} | {where}

    def is_goal(self, state: State) -> bool:
        return len(state) == 1 and min(state) % 3 == 0

    def key(self, state: State) -> State:
        return state


class Layers:
    """Numbers of pegs, from 1 on."""

    def __init__(self, params: LineParams) -> None:
        self._cells = params.cells
        self.layers = range(1, params.pegs + 1)

    def params(self, layer: int) -> LineParams:
        return LineParams(self._cells, layer)


class Line:
    """All placements of the pegs."""

    def __init__(self, params: LineParams) -> None:
        self._states = [frozenset(cells) for cells in combinations(range(params.cells), params.pegs)]
        self._ranks = {state: rank for rank, state in enumerate(self._states)}
        self.max_rank = len(self._states)
        self.transition_model = Moves(params.cells)
        self.layered_space = Layers(params)

    def unrank(self, rank: int) -> State:
        return self._states[rank]

    def rank(self, state: State) -> int:
        return self._ranks[state]

    def format(self, state: State) -> str:
        return "-".join(map(str, sorted(state)))


class Span:
    metrics = (Metric("span", "int"),)

    def evaluate(self, state: State) -> tuple[int]:
        return (max(state) - min(state),)


@attrs.frozen
class GoalParams:
    """Which table is read."""

    role: str = param("goals", help="the name under which the table is asked for")
    cells: int = param(8, minimum=1, help="the line whose single pegs are looked up")
    required: bool = param(False, help="make the other run first")


class LowestOnGoal:
    """Whether the lowest peg stands on a goal cell: by the table of single pegs, or without it."""

    metrics = (Metric("lowest_on_goal", "bool"), Metric("tables", "int"))

    def __init__(self, params: GoalParams, generator: Any, tables: dict[str, Bits]) -> None:
        self._tables = tables
        self._role = params.role

    def evaluate(self, state: State) -> tuple[bool, int]:
        low = min(state)
        bits = self._tables.get(self._role)
        found = low % 3 == 0 if bits is None else bool(bits.data[low // 8] >> low % 8 & 1)
        return found, len(self._tables)


class LowestAgain(LowestOnGoal):
    metrics = (Metric("lowest_again", "bool"), Metric("tables_again", "int"))


def goal_needs(params: GoalParams, generator: Any) -> list[TableNeed]:
    """The solved layer of single pegs."""
    line = LineParams(params.cells, 1)
    return [TableNeed(params.role, "line", line, "retrograde", {}, "solvable", required=params.required)]


def _evaluator(
    name: str, domain: str, cls: Any, params: type = NoParams, needs: Callable[..., Any] | None = None
) -> EvaluatorInfo:
    def factory(own: Any, generator: Any, tables: dict[str, Bits]) -> Any:
        if needs is not None:
            return cls(own, generator, tables)
        return cls() if params is NoParams else cls(own)

    return EvaluatorInfo(
        name=name, domain=domain, summary="", params=params, metrics=cls.metrics, factory=factory, needs=needs
    )


@hookimpl
def epcg_register_domains(register: Callable[[DomainInfo], None]) -> None:
    register(DomainInfo("pegs", "Pegs", "pegs on a line"))


@hookimpl
def epcg_register_generators(register: Callable[[GeneratorInfo], None]) -> None:
    register(GeneratorInfo(name="line", domain="pegs", summary="", params=LineParams, factory=Line))
    register(
        GeneratorInfo(name="stepped", domain="numbers", summary="", params=SteppedParams, factory=Stepped)
    )


@hookimpl
def epcg_register_evaluators(register: Callable[[EvaluatorInfo], None]) -> None:
    register(_evaluator("mixed", "numbers", Mixed))
    register(_evaluator("mixed_array", "numbers", ArrayMixed))
    register(_evaluator("mixed_fused", "numbers", FusedMixed))
    register(_evaluator("strange", "numbers", Strange, StrangeParams))
    register(_evaluator("strange_real", "numbers", StrangeReal, StrangeParams))
    register(_evaluator("span", "pegs", Span))
    register(_evaluator("lowest", "pegs", LowestOnGoal, GoalParams, goal_needs))
    register(_evaluator("lowest_again", "pegs", LowestAgain, GoalParams, goal_needs))

"""The evaluator of whole spaces of starts: all solved at once, backwards from the won positions."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import Any

import attrs
import numpy as np
from numpy.typing import NDArray

from epcg_core.plugin import (
    LIMIT,
    NONE,
    VALUE,
    Bits,
    Evaluation,
    LimitReachedError,
    ParamsError,
    ReachableGraph,
    reachable,
    read_only,
    shortest_path,
)
from epcg_puzzlescript import metrics
from epcg_puzzlescript.evaluation.graph import UNREACHED
from epcg_puzzlescript.evaluation.graph_kernels import distances_to
from epcg_puzzlescript.generators.starts import ArrayStarts, Starts
from epcg_puzzlescript.language.game import Mask
from epcg_puzzlescript.language.roles import forgets_start, unnoticed_bits
from epcg_puzzlescript.params import PositionsParams
from epcg_puzzlescript.rules.batches import BatchSearch
from epcg_puzzlescript.rules.level import Level
from epcg_puzzlescript.rules.model import PuzzleScriptModel
from epcg_puzzlescript.rules.solver_source import ELSEWHERE, LIMITED, SOLVED

_Numbers = NDArray[np.int32]
_Words = NDArray[np.uint64]
_MOST_GRAPHS = 4


class StartMoves:
    """`start_moves`: the inputs of a shortest solution of each start.

    The graph of the positions that any start of a layout reaches is explored once, and solved by retrograde
    analysis: a breadth-first search from the won positions, against the inputs. A layout is where the chosen
    objects lie that rules cannot change. Of these, goals, which occur in conditions only, need no graph of
    their own: positions are won or not, and all else is the same.
    """

    metrics = (metrics.START_MOVES,)
    domain_attributes = ("in_blocks",)

    def __init__(
        self, params: PositionsParams, generator: Any, tables: Mapping[str, Bits] | None = None
    ) -> None:
        if not isinstance(generator, Starts):
            raise ParamsError("start_moves measures the generator 'starts' only; choose shortest_solution.")
        self._limit, self._generator = params.limit, generator
        self._space: _Space | None = None
        if isinstance(generator, ArrayStarts) and forgets_start(generator.setting.game):
            self._space = _Space(generator, params.limit)
        self._plain = False

    @property
    def in_blocks(self) -> bool:
        """Whether starts are solved together."""
        return self._space is not None

    def plain(self) -> StartMoves:
        """Return an evaluator that searches each start by itself, in plain positions."""
        found = _PlainStartMoves.__new__(_PlainStartMoves)
        found.__dict__.update(vars(self))
        return found

    def evaluate(self, level: Level) -> tuple[int | None]:
        """Evaluate a start. Raises LimitReachedError if the starts reach more positions than the limit."""
        if self._space is None:
            return (shortest_path(self._generator.transition_model, level, self._limit).length,)
        moves = int(self._space.moves(np.array([self._generator.rank(level)], np.int64))[0])
        return (None if moves == UNREACHED else moves,)


class _PlainStartMoves(StartMoves):
    """The same by plain code."""

    def evaluate(self, level: Level) -> tuple[int | None]:
        return (shortest_path(self._generator.transition_model, level, self._limit, plain=True).length,)


class ArrayStartMoves(StartMoves):
    """Starts that are scored in blocks."""

    def evaluate_block(self, start: int, count: int) -> Evaluation:
        """Evaluate the starts of ranks start .. start + count - 1."""
        assert self._space is not None
        try:
            moves = self._space.block(start, count)
        except LimitReachedError:
            return Evaluation([np.zeros(count, np.int32)], np.full(count, LIMIT, np.uint8))
        status = np.where(moves < 0, np.uint8(NONE), np.uint8(VALUE))
        return Evaluation([np.maximum(moves, 0, out=moves)], status)


def make_start_moves(
    params: PositionsParams, generator: Any, tables: Mapping[str, Bits] | None = None
) -> StartMoves:
    """Make the evaluator of a space of starts. Raises ParamsError for another generator."""
    found = ArrayStartMoves(params, generator, tables)
    return found if found.in_blocks else StartMoves(params, generator, tables)


@attrs.frozen(eq=False)
class _Solvable:
    """The graph of a layout, ready for retrograde analysis from any set of won positions."""

    first: NDArray[np.int64]
    before: _Numbers
    planes: _Words
    """(count, objects that change, words)."""
    won: NDArray[np.bool_]
    firsts: _Numbers
    """The position of each start of the layout."""
    lost: _Numbers
    """The moves of the starts if no position is won."""
    holders: dict[Mask, tuple[_Words, _Words]] = attrs.field(factory=dict)

    @classmethod
    def of(cls, graph: ReachableGraph, planes: _Words, firsts: _Numbers) -> _Solvable:
        order = np.argsort(graph.target, kind="stable")
        first = np.searchsorted(graph.target[order], np.arange(graph.count + 1)).astype(np.int64)
        won = np.zeros(graph.count, np.bool_)
        won[graph.won] = True
        lost = np.full(len(firsts), UNREACHED, np.int32)
        return cls(read_only(first), read_only(graph.source[order]), planes, won, firsts, lost)


class _Space:
    """The moves of all starts, layout by layout."""

    def __init__(self, generator: ArrayStarts, limit: int) -> None:
        self._generator, self._limit = generator, limit
        self._levels = generator.setting
        game, tables = self._levels.game, self._levels.tables
        self._model = PuzzleScriptModel()
        self._changing = tables.changing
        layers = [sum(1 << number for number in numbers) for numbers in game.layers]
        moving = sum(1 << number for number in self._changing)
        goals = unnoticed_bits(game)
        placed = generator.placed
        sizes = [size for _, size in placed]
        weights = [int(np.prod(sizes[at + 1 :], dtype=object)) for at in range(len(sizes))]
        self._kinds = []
        for bit, _ in placed:
            alone = not layers[game.objects[bit].layer] & moving
            kind = "moving" if moving >> bit & 1 else "goal" if goals >> bit & 1 and alone else "fixed"
            self._kinds.append(kind)
        self._axes = {
            kind: [(weights[at], sizes[at]) for at, each in enumerate(self._kinds) if each == kind]
            for kind in ("moving", "goal", "fixed")
        }
        self._shared = bool(self._axes["goal"])
        self._graphs: dict[int, _Solvable] = {}
        self._answers: dict[tuple[int, int], _Numbers] = {}
        self._goals: tuple[int, _Words] | None = None
        self._arrays = np.empty(0, np.int32), np.empty(0, np.int32)

    @cached_property
    def _offsets(self) -> NDArray[np.int64]:
        """The offsets of the ranks of a layout's starts from the lowest one, in order of the numbers."""
        found = np.zeros(1, np.int64)
        for weight, size in self._axes["moving"]:
            found = (found[:, None] + weight * np.arange(size, dtype=np.int64)).reshape(-1)
        if len(found) > self._limit * 64:
            raise LimitReachedError(f"A layout has {len(found)} starts: too many to be solved at once.")
        return found

    def moves(self, ranks: NDArray[np.int64]) -> _Numbers:
        """Return the moves of (n,) ranks, or UNREACHED. Raises LimitReachedError."""
        parts = {kind: np.zeros(len(ranks), np.int64) for kind in self._axes}
        numbers = np.zeros(len(ranks), np.int64)
        for kind, axes in self._axes.items():
            for weight, size in axes:
                digit = ranks // weight % size
                parts[kind] += weight * digit
                if kind == "moving":
                    numbers = numbers * size + digit
        found = np.empty(len(ranks), np.int32)
        both = parts["fixed"] + parts["goal"]
        order = np.argsort(both, kind="stable")
        ends = [*(np.flatnonzero(np.diff(both[order])) + 1).tolist(), len(ranks)]
        start = 0
        for stop in ends if len(ranks) else ():
            here = order[start:stop]
            answer = self._answer(int(parts["fixed"][here[0]]), int(parts["goal"][here[0]]))
            found[here] = answer[numbers[here]]
            start = stop
        return found

    def block(self, start: int, count: int) -> _Numbers:
        """Return the moves of `count` ranks from `start` on, or UNREACHED. Raises LimitReachedError."""
        many = len(self._offsets)
        if self._offsets[-1] != many - 1:  # ranks of a layout do not follow each other
            return self.moves(np.arange(start, start + count, dtype=np.int64))
        found = np.empty(count, np.int32)
        done = 0
        while done < count:
            layout, number = divmod(start + done, many)
            some = min(many - number, count - done)
            fixed = sum(layout * many // weight % size * weight for weight, size in self._axes["fixed"])
            answer = self._answer(fixed, layout * many - fixed)
            found[done : done + some] = answer[number : number + some]
            done += some
        return found

    def _answer(self, fixed: int, goal: int) -> _Numbers:
        """Return the moves of all starts of a layout with given goals."""
        found = self._answers.get((fixed, goal))
        if found is None:
            graph = self._graph(fixed)
            row = self._goal_rows(fixed)[self._goal_number(goal)]
            won = self._won(graph, row)
            if won is None:
                return graph.lost
            distances, queue = self._room(len(won))
            distances_to(graph.first, graph.before, won, distances, queue)
            found = distances[graph.firsts]
            self._begin_won(graph, row, found)
            while len(self._answers) >= self._kept:
                self._answers.pop(next(iter(self._answers)))
            self._answers[fixed, goal] = found
        return found

    def _room(self, count: int) -> tuple[_Numbers, _Numbers]:
        """Return two arrays to work with."""
        if len(self._arrays[0]) < count:
            self._arrays = np.empty(count, np.int32), np.empty(count, np.int32)
        return self._arrays[0][:count], self._arrays[1][:count]

    def _goal_number(self, goal: int) -> int:
        number = 0
        for weight, size in self._axes["goal"]:
            number = number * size + goal // weight % size
        return number

    def _goal_rows(self, fixed: int) -> _Words:
        """Return a start of a layout with each set of goals, in the order of their numbers."""
        if self._goals is None or self._goals[0] != fixed:
            offsets = np.full(1, fixed, np.int64)
            for weight, size in self._axes["goal"]:
                offsets = (offsets[:, None] + weight * np.arange(size, dtype=np.int64)).reshape(-1)
            self._goals = fixed, self._generator.states_at(offsets)
        return self._goals[1]

    @cached_property
    def _kept(self) -> int:
        return max(2, 2**24 // len(self._offsets))

    def _begin_won(self, graph: _Solvable, row: _Words, found: _Numbers) -> None:
        """Search the starts that look won by themselves, because winning is tested after an input."""
        early = np.flatnonzero(found == 0)
        if not len(early):
            return
        words = self._levels.tables.words
        rows = np.tile(row, (len(early), 1))
        for place, number in enumerate(self._changing):
            rows[:, number * words : (number + 1) * words] = graph.planes[graph.firsts[early], place]
        answers = self._search.search(rows, self._limit)
        if answers is not None and answers[:, 0].max() < LIMITED:
            found[early] = np.where(answers[:, 0] == SOLVED, answers[:, 1], UNREACHED)
            return
        for number, start in enumerate(early.tolist()):
            if answers is None or answers[number, 0] in (ELSEWHERE, LIMITED):
                length = shortest_path(self._model, self._levels.level(rows[number]), self._limit).length
                found[start] = UNREACHED if length is None else length
            else:
                found[start] = answers[number, 1] if answers[number, 0] == SOLVED else UNREACHED

    @cached_property
    def _search(self) -> BatchSearch:
        return BatchSearch(self._levels)

    def _graph(self, fixed: int) -> _Solvable:
        """Return the graph of all positions that starts of a layout reach. Raises LimitReachedError."""
        found = self._graphs.get(fixed)
        if found is not None:
            return found
        rows = self._generator.states_at(fixed + self._offsets)
        level = self._levels.level(rows[0])
        if self._shared:  # nothing is won before all positions are known
            level = attrs.evolve(level, game=attrs.evolve(level.game, conditions=()))
        packed = self._model.packed_anywhere(level, sum(1 << number for number in self._changing))
        planes = rows.reshape(len(rows), len(self._levels.game.objects), -1)[:, self._changing]
        firsts = packed.short(np.ascontiguousarray(planes.reshape(len(rows), -1)))
        distinct, numbers = np.unique(firsts, axis=0, return_inverse=True)
        graph = reachable(packed, np.ascontiguousarray(distinct), self._limit)
        every = packed.long(graph.rows).reshape(graph.count, len(self._changing), -1)
        while len(self._graphs) >= _MOST_GRAPHS:
            self._graphs.pop(next(iter(self._graphs)))
        # The numbers of the first positions are those of their order in the graph.
        found = self._graphs[fixed] = _Solvable.of(graph, every, numbers.reshape(-1).astype(np.int32))
        return found

    def _won(self, graph: _Solvable, row: _Words) -> NDArray[np.bool_] | None:
        """Return which positions are won with the goals of a row; None if there are none."""
        if not self._shared:
            return graph.won
        game = self._levels.game
        still = row.reshape(len(game.objects), -1)
        at = {number: place for place, number in enumerate(self._changing)}
        moving = sum(1 << number for number in at)

        def holders(mask: Mask) -> tuple[_Words, _Words]:
            """Return the cells that hold a mask, in each position and in any."""
            if mask in graph.holders:
                return graph.holders[mask]
            planes = [
                graph.planes[:, at[n]] if n in at else still[n][None]
                for n in range(len(game.objects)) if mask.bits >> n & 1
            ]  # fmt: skip
            joined = planes[0]
            for plane in planes[1:]:
                joined = joined & plane if mask.whole else joined | plane
            found = np.ascontiguousarray(joined), np.bitwise_or.reduce(joined, axis=0)
            if not mask.bits & ~moving:
                graph.holders[mask] = found
            return found

        won: NDArray[np.bool_] | None = None
        for condition in game.conditions:
            what, anywhere = holders(condition.what)
            on, somewhere = holders(condition.on) if condition.on else (what, anywhere)
            if condition.quantifier == "all":
                if len(what) == 1 and (what & ~somewhere).any():
                    return None
                holds = ~_some(what & ~on)
            else:
                holds = _some(what & on) == (condition.quantifier == "some")
            won = holds if won is None else won & holds
        if won is None:
            return None
        return np.repeat(won, graph.planes.shape[0]) if len(won) == 1 else won


def _some(planes: _Words) -> NDArray[np.bool_]:
    """Return which planes have a bit."""
    found: NDArray[np.bool_] = planes[:, 0] != 0
    for word in planes.T[1:]:
        found |= word != 0
    return found

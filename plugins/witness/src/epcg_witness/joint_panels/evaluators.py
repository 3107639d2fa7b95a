"""Evaluators of sets of sub-panels: how much the last sub-panel is needed, and how many sets are alike.

`joint_difficulty` is the objective of Sturtevant & Ota (2018), Figures 3 and 4. Plain forms are the
definition; the search and the array form are compiled.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from itertools import combinations
from typing import Any

import attrs
import numpy as np
from numpy.typing import NDArray

from epcg_core.plugin import (
    NONE,
    VALUE,
    Bits,
    BlockResult,
    Cutoff,
    Evaluation,
    NoParams,
    Prunings,
    QueryError,
    binomial_table,
    read_only,
)
from epcg_witness import metrics
from epcg_witness.joint_panels import kernels
from epcg_witness.joint_panels.generator import JointPanels
from epcg_witness.joint_panels.state import SubPanels
from epcg_witness.rules.panel import Panel
from epcg_witness.rules.reference import Path, regions, solutions

_FIRST_PRUNINGS, _FIRST_FOUND = 1024, 64


@attrs.frozen
class JointPartial:
    """Some sub-panels of a set, as sets of paths: bit p of an int stands for path p."""

    sets: tuple[int, ...]
    """The paths that solve each."""
    shared: int
    """The paths that solve all of the sub-panels."""
    allowed: int
    """The paths of `shared` that may be the joint solution."""


class JointDifficulty:
    """`joint_difficulty`: the fewest paths that solve all sub-panels but one.

    There is no value unless exactly one path, which the restriction allows, solves all sub-panels.
    Satisfies `Evaluator`, `ArrayEvaluator` and `CompiledPartialEvaluator` of `epcg_core.domain`. The bound of
    some sub-panels is how many paths solve all of them: in a set they are what is left when others are left
    out, and any further one takes paths away.
    """

    domain_attributes = ("generator",)

    metrics = (metrics.JOINT_DIFFICULTY,)

    def __init__(self, params: NoParams, generator: Any, tables: Mapping[str, Bits] | None = None) -> None:
        self.generator = _joint(generator, metrics.JOINT_DIFFICULTY.name)

    def evaluate(self, state: SubPanels) -> tuple[int] | None:
        """Evaluate by the definition, from the panels."""
        solved = [frozenset(solutions(panel)) for panel in state.panels]
        joint = frozenset.intersection(*solved)
        if len(joint) != 1:
            return None
        parts = self.generator.params.restriction == "not_one_region"
        if parts and not all(_parts_pieces(panel, next(iter(joint))) for panel in state.panels):
            return None
        some = combinations(solved, len(solved) - 1)
        return (min(len(frozenset.intersection(*subset)) for subset in some),)

    def evaluate_states(self, states: NDArray[np.int64]) -> Evaluation:
        values = np.empty(len(states), np.int64)
        classes = self.generator.classes
        kernels.joint_values(read_only(states), classes.sets, classes.allowed, values)
        return Evaluation([values], np.where(values < 0, NONE, VALUE).astype(np.uint8))

    def empty(self) -> JointPartial:
        every = (1 << self.generator.classes.paths.count) - 1
        return JointPartial((), every, every)

    def extend(self, partial: JointPartial, item: int) -> JointPartial:
        own, allowed = self._sets[item], self._allowed[item]
        return JointPartial((*partial.sets, own), partial.shared & own, partial.allowed & allowed)

    def bound(self, partial: JointPartial) -> int | None:
        return partial.shared.bit_count() if partial.allowed else None

    def value(self, complete: JointPartial) -> int | None:
        if complete.shared.bit_count() != 1 or not complete.allowed:
            return None
        return min(_shared(subset) for subset in combinations(complete.sets, len(complete.sets) - 1))

    @cached_property
    def _sets(self) -> list[int]:
        return _as_ints(self.generator.classes.sets)

    @cached_property
    def _allowed(self) -> list[int]:
        return _as_ints(self.generator.classes.allowed)

    def search_block(self, start: int, count: int, incumbent: Cutoff) -> BlockResult:
        """Search ranks start .. start + count - 1.

        A set whose first sub-panels are promising is evaluated rather than pruned, even if leaving out the
        last but one shows at once that it is not good enough.
        """
        classes, k = self.generator.classes, self.generator.params.sub_panels
        n, words = classes.sets.shape
        value = -1 if incumbent.value is None else int(incumbent.value)
        size, most = _FIRST_PRUNINGS, _FIRST_FOUND
        while True:
            record = kernels.Record(
                starts=np.empty(size, np.int64),
                counts=np.empty(size, np.int64),
                bounds=np.empty(size, np.float64),
                reasons=np.empty(size, np.uint8),
                ranks=np.empty(most, np.int64),
                values=np.empty(most, np.int64),
            )
            evaluated, used, found = kernels.search_joint(
                start, count, k, self._binomials, classes.sets, classes.allowed, value, incumbent.ties_to,
                int(incumbent.fixed), _room(k, n, words), record,
            )  # fmt: skip
            if used <= size and found <= most:
                prunings = Prunings(
                    record.starts[:used], record.counts[:used], record.bounds[:used], record.reasons[:used]
                )
                return BlockResult(evaluated, record.ranks[:found], record.values[:found], prunings)
            size, most = max(size, 2 * used), max(most, 2 * found)

    @cached_property
    def _binomials(self) -> NDArray[np.int64]:
        space = self.generator.space
        return binomial_table(max(space.n + space.k - 1, 0), space.k)


class Selections:
    """`selections`: how many sets of panels a set of classes stands for."""

    domain_attributes = ("quotient",)

    metrics = (metrics.SELECTIONS,)

    def __init__(self, params: NoParams, generator: Any, tables: Mapping[str, Bits] | None = None) -> None:
        self.quotient = _joint(generator, metrics.SELECTIONS.name).quotient

    def evaluate(self, state: SubPanels) -> tuple[int]:
        return (self.quotient.weight(state.classes),)

    def evaluate_states(self, states: NDArray[np.int64]) -> Evaluation:
        weight = self.quotient.weight
        return Evaluation([np.array([weight(row) for row in states.tolist()], np.int64)])


def _joint(generator: Any, name: str) -> JointPanels:
    if not isinstance(generator, JointPanels):
        raise QueryError(
            f"'{name}' measures sets of sub-panels, which only the generator joint_panels makes."
        )
    return generator


def _parts_pieces(panel: Panel, path: Path) -> bool:
    """Return whether a path does not leave all pieces of a panel in one region."""
    cells = {cell for cell, _ in panel.symbols}
    drawn = set(panel.grid.path_edges(path))
    return not any(cells <= region for region in regions(panel.grid, drawn))


def _shared(sets: Sequence[int]) -> int:
    """Count the paths that are in all of some sets."""
    common = sets[0]
    for one in sets[1:]:
        common &= one
    return common.bit_count()


def _as_ints(rows: NDArray[np.uint64]) -> list[int]:
    """Convert sets of paths, (n, words) uint64, to integers."""
    return [int.from_bytes(row.astype("<u8").tobytes(), "little") for row in rows]


def _room(k: int, n: int, words: int) -> kernels.Room:
    def numbers(*shape: int) -> NDArray[np.int64]:
        return np.zeros(shape, np.int64)

    return kernels.Room(
        items=numbers(k),
        tried=numbers(k),
        shared=np.zeros((k, words), np.uint64),
        joint=np.zeros((k, words), np.uint64),
        without=np.zeros((k, words), np.uint64),
        partner=numbers(k, n),
        common=numbers(k, n),
        weakest=numbers(k, n + 1),
        length=numbers(k),
        position=numbers(k),
        pending=numbers(k),
        end=numbers(k),
    )

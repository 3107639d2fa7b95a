"""The array forms of plain parts: scoring a range or a list of ranks, whatever the parts can do.

Plain and compiled parts meet here. A fused evaluator is asked first, then arrays of states, then single
states; an evaluator that raises is narrowed down to the rank at fault.
"""

from __future__ import annotations

import traceback
from array import array
from collections.abc import Sequence
from operator import itemgetter
from typing import Any

import attrs
import numpy as np
from numpy.typing import NDArray

from epcg_core.bits import unpack
from epcg_core.domain import (
    ERROR,
    LIMIT,
    NONE,
    VALUE,
    ArrayEvaluator,
    ArrayGenerator,
    Bits,
    Evaluation,
    FusedEvaluator,
    LimitReachedError,
    Metric,
    Prunings,
)
from epcg_core.errors import EpcgError, EvaluationError

_DTYPES = {"int": np.int64, "real": np.float64, "bool": np.bool_}


@attrs.frozen(eq=False)
class Block:
    """What a search computed for the ranks start .. start + count - 1."""

    start: int
    count: int
    evaluation: Evaluation
    ranks: NDArray[np.int64] | None = None
    """The evaluated ranks, increasing, where a filter left others out; None where all were evaluated."""
    errors: Sequence[tuple[int, str]] = ()
    """(rank, message) of candidates whose evaluator raised; their status is ERROR."""
    prunings: Prunings | None = None
    """What was pruned, where the search prunes: then the block holds only the values that are recorded."""
    counted: int = 0
    """Further candidates that were evaluated, whose values are not recorded."""

    @property
    def pruned(self) -> int:
        return 0 if self.prunings is None else int(self.prunings.count.sum())

    @property
    def evaluated(self) -> int:
        """How many candidates' values the block holds."""
        return self.count if self.ranks is None else len(self.ranks)


class BlockEvaluator:
    """Scores candidates of one generator by one evaluator, in arrays."""

    def __init__(self, generator: Any, evaluator: Any, record_errors: bool = False) -> None:
        self.generator = generator
        self.evaluator = evaluator
        self.metrics: Sequence[Metric] = tuple(evaluator.metrics)
        self._record_errors = record_errors
        self._arrays = isinstance(generator, ArrayGenerator) and isinstance(evaluator, ArrayEvaluator)
        self._fused = isinstance(evaluator, FusedEvaluator)
        self._increment = getattr(generator, "increment", None)

    def block(self, start: int, count: int) -> Block:
        """Score the ranks start .. start + count - 1."""
        if self._fused or self._arrays:
            try:
                if self._fused:
                    return Block(start, count, self.evaluator.evaluate_block(start, count))
                states = self.generator.states_block(start, count)
                return Block(start, count, self.evaluator.evaluate_states(states))
            except EpcgError:
                raise
            except Exception as error:  # an evaluator may raise anything; its rank is found below
                return self._narrow(
                    np.arange(start, start + count, dtype=np.int64), error, None, start, count
                )
        return self._plain(range(start, start + count), None, start, count)

    def at(self, start: int, count: int, ranks: NDArray[np.int64]) -> Block:
        """Score only `ranks`, increasing, of the ranks start .. start + count - 1."""
        if self._arrays:
            try:
                evaluation = self.evaluator.evaluate_states(self.generator.states_at(ranks))
                return Block(start, count, evaluation, ranks)
            except EpcgError:
                raise
            except Exception as error:
                return self._narrow(ranks, error, ranks, start, count)
        return self._plain(ranks.tolist(), ranks, start, count)

    def _plain(self, ranks: Sequence[int], listed: NDArray[np.int64] | None, start: int, count: int) -> Block:
        """The loop for plain parts, kept short: what it does for every candidate is what a user waits for."""
        evaluate, unrank = self.evaluator.evaluate, self.generator.unrank
        increment = self._increment if listed is None else None
        rows: list[Any] = []
        odd: dict[int, int] = {}
        errors: list[tuple[int, str]] = []
        append = rows.append

        def failed(rank: int, error: Exception) -> None:
            odd[len(rows)] = LIMIT if isinstance(error, LimitReachedError) else ERROR
            if odd[len(rows)] == ERROR:
                errors.append((rank, self._failed(rank, error)))
            append(None)

        if increment is None:
            states = map(unrank, ranks)
            scored = map(evaluate, states)
            while len(rows) < len(ranks):
                try:
                    rows.extend(scored)  # the loop runs in C; what was scored before an error stays
                except Exception as error:
                    failed(ranks[len(rows)], error)
                else:
                    if len(rows) < len(ranks):  # a StopIteration ends the loop like its own end
                        failed(ranks[len(rows)], StopIteration())
        else:
            state = None
            for rank in ranks:
                try:
                    state = unrank(rank) if state is None else increment(state)
                    append(evaluate(state))
                except Exception as error:
                    failed(rank, error)
                    state = None
        return Block(start, count, self._columns(rows, odd), listed, errors)

    def _columns(self, rows: list[Any], odd: dict[int, int]) -> Evaluation:
        """One array per metric from rows of values; a row that is None has the status in `odd`, or NONE."""
        status = None
        try:
            values = self._arrays_of(rows)
        except TypeError:  # some rows are None, or malformed
            status = np.array([VALUE if row is not None else odd.get(i, NONE) for i, row in enumerate(rows)])
            blank = (0,) * len(self.metrics)
            try:
                values = self._arrays_of([blank if row is None else row for row in rows])
            except TypeError as error:
                raise self._misfit(error) from error
        return Evaluation(values, None if status is None else status.astype(np.uint8))

    def _arrays_of(self, rows: list[Any]) -> list[NDArray[Any] | Bits]:
        """Raises TypeError where a row is None, EpcgError where the rows do not fit the metrics."""
        lengths = set(map(len, rows))
        try:
            if lengths - {len(self.metrics)}:
                raise ValueError(f"{len(self.metrics)} values are expected")
            return [_column(metric, list(map(itemgetter(i), rows))) for i, metric in enumerate(self.metrics)]
        except (ValueError, TypeError, OverflowError) as error:
            raise self._misfit(error) from error

    def _misfit(self, error: Exception) -> EpcgError:
        names = ", ".join(f"{metric.name} ({metric.kind})" for metric in self.metrics)
        return EpcgError(f"An evaluator returned values that do not fit its metrics {names}: {error}.")

    def _narrow(
        self,
        ranks: NDArray[np.int64],
        error: Exception,
        listed: NDArray[np.int64] | None,
        start: int,
        count: int,
    ) -> Block:
        """An array evaluator raised: score the ranks one by one to learn which of them is at fault."""
        parts: list[Evaluation] = []
        errors: list[tuple[int, str]] = []
        for rank in ranks.tolist():
            try:
                parts.append(self._single(rank))
            except Exception as single:
                errors.append((rank, self._failed(rank, single)))
                blanks: list[NDArray[Any] | Bits] = [
                    np.zeros(1, _DTYPES[metric.kind]) for metric in self.metrics
                ]
                parts.append(Evaluation(blanks, np.array([ERROR], np.uint8)))
        if not errors:
            raise error
        return Block(start, count, concatenate(parts, len(self.metrics)), listed, errors)

    def _single(self, rank: int) -> Evaluation:
        if not self._arrays:
            evaluation: Evaluation = self.evaluator.evaluate_block(rank, 1)
            return evaluation
        states = self.generator.states_at(np.array([rank], np.int64))
        single: Evaluation = self.evaluator.evaluate_states(states)
        return single

    def _failed(self, rank: int, error: Exception) -> str:
        message = f"{type(error).__name__}: {error}"
        if self._record_errors:
            return message
        name = type(self.evaluator).__name__
        failure = EvaluationError(f"The evaluator {name} raised {message} at rank {rank}.", rank)
        failure.add_note("".join(traceback.format_exception(error)))
        raise failure from error


def _column(metric: Metric, values: list[Any]) -> NDArray[Any]:
    """A metric's values as an array. Raises ValueError where numpy would silently change a value."""
    if metric.kind == "real" or not values:
        return np.array(values, _DTYPES[metric.kind])
    try:
        # array takes integers only, and three times as fast as numpy finds out what a list holds
        return np.frombuffer(array("q", values), np.int64).astype(_DTYPES[metric.kind], copy=False)
    except (TypeError, OverflowError):
        column = np.array(values)
    if column.dtype.kind not in "ib":
        for value in values:
            if not isinstance(value, int | np.integer | np.bool_) or not -(2**63) <= value < 2**63:
                raise ValueError(f"{metric.name} cannot be {value!r}")
    return column.astype(_DTYPES[metric.kind], copy=False)


def as_array(column: NDArray[Any] | Bits) -> NDArray[Any]:
    """A column of values as an array, bits as booleans."""
    return unpack(column, 0, column.count) if isinstance(column, Bits) else np.asarray(column)


def concatenate(parts: Sequence[Evaluation], metrics: int) -> Evaluation:
    """One evaluation from those of neighbouring candidates."""
    values = [np.concatenate([as_array(part.values[m]) for part in parts]) for m in range(metrics)]
    if all(part.status is None for part in parts):
        return Evaluation(values)
    status = [
        np.zeros(len(as_array(part.values[0])), np.uint8) if part.status is None else part.status
        for part in parts
    ]
    return Evaluation(values, np.concatenate(status))


def side_by_side(blocks: Sequence[Block]) -> Block:
    """One block from those of several evaluators for the same candidates, each metric with its own status."""
    first = blocks[0]
    if len(blocks) == 1:
        return first
    values = [column for block in blocks for column in block.evaluation.values]
    status = None
    if any(block.evaluation.status is not None for block in blocks):
        status = np.zeros((len(values), first.evaluated), np.uint8)
        row = 0
        for block in blocks:
            if block.evaluation.status is not None:
                status[row : row + len(block.evaluation.values)] = block.evaluation.status
            row += len(block.evaluation.values)
    errors = [error for block in blocks for error in block.errors]
    return Block(first.start, first.count, Evaluation(values, status), first.ranks, errors)

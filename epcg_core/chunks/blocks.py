"""Array forms of plain parts: scoring of ranges and lists of ranks.

Plain and compiled parts meet here: a fused evaluator is preferred, then arrays of states, then single states.
If an evaluator raises, its ranks are scored one by one to find the rank at fault.
"""

from __future__ import annotations

import traceback
from array import array
from collections.abc import Mapping, Sequence
from operator import itemgetter
from typing import Any

import attrs
import numpy as np
from numpy.typing import NDArray

from epcg_core.base.errors import (
    PLUGIN_EXCEPTIONS,
    CandidateError,
    EpcgError,
    EvaluationError,
    OutOfMemoryError,
    RunInterruptedError,
    format_exception,
    whereabouts,
)
from epcg_core.chunks.bitsets import unpack
from epcg_core.domain import (
    ERROR,
    LIMIT,
    NONE,
    VALUE,
    ArrayEvaluator,
    ArrayGenerator,
    Bits,
    CompiledEvaluator,
    Evaluation,
    FusedEvaluator,
    LimitReachedError,
    Metric,
    Prunings,
)

BLANKS = {"int": np.int64, "real": np.float64, "bool": np.bool_}


@attrs.frozen(eq=False)
class Block:
    """Values computed for the ranks start .. start + count - 1."""

    start: int
    count: int
    evaluation: Evaluation
    ranks: NDArray[np.int64] | None = None
    """The evaluated ranks, increasing, if a filter left others out; None if all were evaluated."""
    errors: Sequence[tuple[int, str]] = ()
    """(rank, message) of candidates whose evaluator raised; their status is ERROR."""
    limits: Sequence[tuple[int, str]] = attrs.field(default=(), kw_only=True)
    """(rank, message) of candidates that were given up after a time; their status is LIMIT."""
    prunings: Prunings | None = None
    """Pruned ranges, if the search prunes; the block then holds only recorded values."""
    counted: int = 0
    """Further candidates that were evaluated, whose values are not recorded."""
    solutions: Sequence[tuple[int, int, str]] | None = None
    """(rank, position, actions as JSON) of the solutions found; None if the search does not find
    solutions."""

    edges: int | None = None
    """Number of edges that a graph search visited."""
    compiled: tuple[str, ...] = ()
    """Where plain code was asked for: the parts that have none, so that compiled code answered."""

    @property
    def pruned(self) -> int:
        return 0 if self.prunings is None else int(self.prunings.count.sum())

    @property
    def evaluated(self) -> int:
        """Number of candidates with values in the block."""
        return self.count if self.ranks is None else len(self.ranks)


@attrs.frozen
class Names:
    """Names of the parts in messages: 'generator domain:name' and 'evaluator domain:name'."""

    generator: str
    evaluator: str
    plugins: Mapping[str, str] = attrs.field(factory=dict)
    """'distribution version' of the plugin of each, by the name above."""
    packages: Mapping[str, str] = attrs.field(factory=dict)
    """The same of all plugins, by the top package of their code: parts call those of others."""


class BlockEvaluator:
    """Scores candidates of one generator by one evaluator, in arrays."""

    def __init__(
        self,
        generator: Any,
        evaluator: Any,
        record_errors: bool = False,
        names: Names | None = None,
        plain: bool = False,
    ) -> None:
        """Name parts without registered `names` after their classes; `plain` uses only plain forms."""
        self._names = names or Names(
            f"generator {type(generator).__name__}", f"evaluator {type(evaluator).__name__}"
        )
        self._compiled: tuple[str, ...] = ()
        if plain and isinstance(evaluator, CompiledEvaluator):
            found = evaluator.plain()
            if found is None:
                self._compiled = (self._names.evaluator,)
            evaluator = found or evaluator
        self.generator = generator
        self.evaluator = evaluator
        self.metrics: Sequence[Metric] = tuple(evaluator.metrics)
        self._record_errors = record_errors
        arrays = not plain and isinstance(evaluator, ArrayEvaluator)
        self._arrays = arrays and isinstance(generator, ArrayGenerator)
        self._fused = not plain and isinstance(evaluator, FusedEvaluator)
        self._increment = getattr(generator, "increment", None)

    @property
    def has_plain_form(self) -> bool:
        """Whether plain code gives the same values in another way."""
        return self._arrays or self._fused or isinstance(self.evaluator, CompiledEvaluator)

    def block(self, start: int, count: int) -> Block:
        """Score the ranks start .. start + count - 1."""
        if self._fused or self._arrays:
            try:
                if self._fused:
                    evaluation = self.evaluator.evaluate_block(start, count)
                else:
                    evaluation = self.evaluator.evaluate_states(self.generator.states_block(start, count))
                self._check_arrays(evaluation, range(start, start + count))
                return Block(start, count, evaluation)
            except PLUGIN_EXCEPTIONS as error:  # an evaluator may raise anything; its rank is found below
                if isinstance(error, EpcgError) and not isinstance(error, CandidateError):
                    raise
                return self._narrow(
                    np.arange(start, start + count, dtype=np.int64), error, None, start, count
                )
        return self._plain(range(start, start + count), None, start, count)

    def at(self, start: int, count: int, ranks: NDArray[np.int64]) -> Block:
        """Score only `ranks`, increasing, of the ranks start .. start + count - 1."""
        if self._arrays:
            try:
                evaluation = self.evaluator.evaluate_states(self.generator.states_at(ranks))
                self._check_arrays(evaluation, ranks)
                return Block(start, count, evaluation, ranks)
            except PLUGIN_EXCEPTIONS as error:
                if isinstance(error, EpcgError) and not isinstance(error, CandidateError):
                    raise
                return self._narrow(ranks, error, ranks, start, count)
        return self._plain(ranks.tolist(), ranks, start, count)

    def _plain(self, ranks: Sequence[int], listed: NDArray[np.int64] | None, start: int, count: int) -> Block:
        """Score plain parts in a loop that is kept short, because it dominates the run time."""
        evaluate, unrank = self.evaluator.evaluate, self.generator.unrank
        increment = self._increment if listed is None else None
        rows: list[Any] = []
        odd: dict[int, int] = {}
        errors: list[tuple[int, str]] = []
        append = rows.append

        def failed(rank: int, error: BaseException, who: str | None = None) -> None:
            odd[len(rows)] = LIMIT if isinstance(error, LimitReachedError) else ERROR
            if odd[len(rows)] == ERROR:
                errors.append((rank, self._failed(rank, error, who or self._at_fault(rank))))
            append(getattr(error, "values", None) if odd[len(rows)] == LIMIT else None)

        if increment is None:
            states = map(unrank, ranks)
            scored = map(evaluate, states)
            while len(rows) < len(ranks):
                try:
                    rows.extend(scored)  # the loop runs in C; rows scored before an error stay
                except PLUGIN_EXCEPTIONS as error:
                    failed(ranks[len(rows)], error)
                else:
                    if len(rows) < len(ranks):  # a StopIteration ends the loop like its own end
                        failed(ranks[len(rows)], StopIteration())
        else:
            state = None
            for rank in ranks:
                try:
                    state = unrank(rank) if state is None else increment(state)
                except PLUGIN_EXCEPTIONS as error:
                    failed(rank, error, self._names.generator)
                    state = None
                    continue
                try:
                    append(evaluate(state))
                except PLUGIN_EXCEPTIONS as error:
                    failed(rank, error, self._names.evaluator)
                    state = None
        columns = self._columns(rows, odd, ranks)
        return Block(start, count, columns, listed, errors, compiled=self._compiled)

    def _at_fault(self, rank: int) -> str:
        """Return the name of the part that raised: the generator if it raises again, else the evaluator."""
        try:
            self.generator.unrank(rank)
        except PLUGIN_EXCEPTIONS:
            return self._names.generator
        return self._names.evaluator

    def _columns(self, rows: list[Any], odd: dict[int, int], ranks: Sequence[int]) -> Evaluation:
        """Return one array per metric from rows of values.

        A row that is None has the status in `odd`, or NONE; inside a row, None means that the metric has no
        value.
        """
        status = None
        if odd:
            status = np.array([odd.get(i, VALUE) for i in range(len(rows))], np.uint8)
        try:
            columns = self._columns_of(rows)
        except TypeError:  # some rows are None, or malformed
            by_row = [odd.get(i, NONE if row is None else VALUE) for i, row in enumerate(rows)]
            status = np.array(by_row, np.uint8)
            blank = (0,) * len(self.metrics)
            filled = [blank if row is None else row for row in rows]
            try:
                columns = self._columns_of(filled)
            except (TypeError, _UnfitError) as error:
                raise self._misfit(filled, ranks, error) from error
        except _UnfitError as error:
            raise self._misfit(rows, ranks, error) from error
        if any(missing is not None for _, missing in columns):
            status = np.tile(np.zeros(len(rows), np.uint8) if status is None else status, (len(columns), 1))
            for own, (_, missing) in zip(status, columns, strict=True):
                if missing is not None:
                    own[missing & (own == VALUE)] = NONE
        return Evaluation([values for values, _ in columns], status)

    def _columns_of(self, rows: list[Any]) -> list[tuple[NDArray[Any], NDArray[np.bool_] | None]]:
        """Return each metric's values and a mask of the missing ones (None if all are present).

        Raises TypeError if a row is None, _UnfitError if the rows do not fit the metrics.
        """
        lengths = set(map(len, rows))
        try:
            if lengths - {len(self.metrics)}:
                raise ValueError(f"values expected: {len(self.metrics)}")
            return [_column(metric, list(map(itemgetter(i), rows))) for i, metric in enumerate(self.metrics)]
        except (ValueError, TypeError, OverflowError) as error:
            raise _UnfitError(str(error)) from error

    def _misfit(self, rows: Sequence[Any], ranks: Sequence[int], error: Exception) -> EpcgError:
        """Return an error that names the first row which does not fit the metrics."""
        where = ""
        for rank, row in zip(ranks, rows, strict=True):
            try:
                self._columns_of([row])
            except (TypeError, _UnfitError) as single:
                where, error = f" at rank {rank}", single
                break
        return self._misfit_error(where, str(error))

    def _misfit_error(self, where: str, why: str) -> MisfitError:
        names = ", ".join(f"{metric.name} ({metric.kind})" for metric in self.metrics)
        reason = f"do not fit its metrics {names}: {why}."
        failure = MisfitError(f"The {self._names.evaluator} returned values{where} that {reason}", reason)
        plugin = self._names.plugins.get(self._names.evaluator, "")
        if plugin:
            failure.add_note(f"The code at fault is of the plugin {plugin}.")
        return failure

    def _check_arrays(self, evaluation: Evaluation, ranks: Sequence[int] | NDArray[np.int64]) -> None:
        """Raise MisfitError if an array of numbers for a metric of kind bool has others than 0 and 1."""
        for m, (metric, column) in enumerate(zip(self.metrics, evaluation.values, strict=False)):
            if metric.kind != "bool" or isinstance(column, Bits) or np.asarray(column).dtype == np.bool_:
                continue
            values, status = np.asarray(column), evaluation.status
            wrong = (values != 0) & (values != 1)
            if status is not None and not metric.always:
                wrong = wrong & ((status if status.ndim == 1 else status[m]) == VALUE)
            if wrong.any():
                at = int(wrong.argmax())
                where = f" at rank {ranks[at]}" if at < len(ranks) else ""
                raise self._misfit_error(where, _not_a_bool(metric, values[at].item()))

    def _narrow(
        self,
        ranks: NDArray[np.int64],
        error: BaseException,
        listed: NDArray[np.int64] | None,
        start: int,
        count: int,
    ) -> Block:
        """Score ranks one by one after an array evaluator raised, to find the rank at fault."""
        parts: list[Evaluation] = []
        errors: list[tuple[int, str]] = []
        for rank in ranks.tolist():
            who = self._names.evaluator
            try:
                if not self._arrays:
                    parts.append(self.evaluator.evaluate_block(rank, 1))
                    continue
                who = self._names.generator
                states = self.generator.states_at(np.array([rank], np.int64))
                who = self._names.evaluator
                parts.append(self.evaluator.evaluate_states(states))
            except PLUGIN_EXCEPTIONS as single:
                errors.append((rank, self._failed(rank, single, who)))
                blanks: list[NDArray[Any] | Bits] = [
                    np.zeros(1, BLANKS[metric.kind]) for metric in self.metrics
                ]
                parts.append(Evaluation(blanks, np.array([ERROR], np.uint8)))
        if not errors:
            if isinstance(error, MemoryError):
                raise error
            asked = f"{len(ranks):,} candidates from rank {start} on at once, but for none of them alone"
            raise RunInterruptedError(
                f"The {self._names.evaluator}, or the {self._names.generator}, raised "
                f"{format_exception(error)} when asked for {asked if len(ranks) else 'no candidate at all'}."
            ) from error
        return Block(start, count, concatenate(parts, len(self.metrics)), listed, errors)

    def _failed(self, rank: int, error: BaseException, who: str) -> str:
        """Return the message to record. Raises EvaluationError if such errors are not recorded."""
        if isinstance(error, CandidateError):
            return str(error)
        message = format_exception(error)
        if isinstance(error, MemoryError):  # another machine, or fewer workers, would have had enough
            raise OutOfMemoryError(
                f"The {who} ran out of memory at rank {rank}: use fewer workers (--workers), or "
                "let it give up by itself (LimitReachedError)."
            ) from error
        if self._record_errors:
            return message
        failure = EvaluationError(f"The {who} raised {message} at rank {rank}.", rank)
        if note := whereabouts(error, self._names.plugins.get(who, ""), self._names.packages):
            failure.add_note(note)
        if error.__traceback__ is not None:
            failure.add_note("".join(traceback.format_exception(error)))
        raise failure from error


class MisfitError(EpcgError):
    """An evaluator returned values that do not fit its metrics; `reason` omits part and rank."""

    def __init__(self, message: str, reason: str) -> None:
        super().__init__(message)
        self.reason = reason

    def __reduce__(self) -> tuple[object, ...]:
        return (type(self), (str(self), self.reason))


class _UnfitError(Exception):
    """Rows of values do not fit the metrics."""


def _column(metric: Metric, values: list[Any]) -> tuple[NDArray[Any], NDArray[np.bool_] | None]:
    """Return a metric's values as an array with 0 for None, and a mask of the missing ones.

    The mask is None if no value is missing.

    Raises ValueError if numpy would silently change a value, or a metric must have one.
    """
    column = _quick_column(metric, values)
    if column is not None:
        return column, None
    missing = np.array([value is None for value in values])
    if not missing.any():
        return _slow_column(metric, values), None
    if metric.always:
        raise ValueError(f"{metric.name} always has a value, so it cannot be None")
    filled = [0 if value is None else value for value in values]
    return _slow_column(metric, filled), missing


def _quick_column(metric: Metric, values: list[Any]) -> NDArray[Any] | None:
    """Return a metric's values as an array, or None if `_column` has to check them one by one."""
    if metric.kind == "real" or not values:
        column: NDArray[Any] = np.array(values, BLANKS[metric.kind])
        return None if np.isnan(column).any() else column  # numpy makes NaN of None
    try:
        # array takes integers only, and three times as fast as numpy infers the type of a list
        integers = np.frombuffer(array("q", values), np.int64)
    except (TypeError, OverflowError):
        return None
    if metric.kind == "bool" and (integers.min() < 0 or integers.max() > 1):
        return None
    return integers.astype(BLANKS[metric.kind], copy=False)


def _slow_column(metric: Metric, values: list[Any]) -> NDArray[Any]:
    if metric.kind == "real":
        return np.array(values, np.float64)
    column = np.array(values)
    if column.dtype.kind not in "ib":
        for value in values:
            if not isinstance(value, int | np.integer | np.bool_) or not -(2**63) <= value < 2**63:
                raise ValueError(f"{metric.name} cannot be {value!r}")
    if metric.kind == "bool":
        for value in values:
            if value not in (0, 1):
                raise ValueError(_not_a_bool(metric, value))
    return column.astype(BLANKS[metric.kind], copy=False)


def _not_a_bool(metric: Metric, value: object) -> str:
    return f"{metric.name} is true or false and cannot be {value!r}: give bool(...)"


def as_array(column: NDArray[Any] | Bits) -> NDArray[Any]:
    """Return a column as an array, with bits as booleans."""
    return unpack(column, 0, column.count) if isinstance(column, Bits) else np.asarray(column)


def concatenate(parts: Sequence[Evaluation], metrics: int) -> Evaluation:
    """Concatenate evaluations of neighbouring candidates."""
    values = [np.concatenate([as_array(part.values[m]) for part in parts]) for m in range(metrics)]
    if all(part.status is None for part in parts):
        return Evaluation(values)
    status = [
        np.broadcast_to(
            np.uint8(VALUE) if part.status is None else part.status, (metrics, len(as_array(part.values[0])))
        )
        for part in parts
    ]
    return Evaluation(values, np.concatenate(status, axis=1))


def side_by_side(blocks: Sequence[Block]) -> Block:
    """Join the blocks of several evaluators for the same candidates; each metric keeps its status."""
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
    errors = list(dict.fromkeys(error for block in blocks for error in block.errors))
    compiled = tuple(name for block in blocks for name in block.compiled)
    return Block(first.start, first.count, Evaluation(values, status), first.ranks, errors, compiled=compiled)

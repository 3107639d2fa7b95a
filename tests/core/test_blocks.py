"""The array forms of plain parts: what becomes of the rows that a plain evaluator gives."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from hypothesis import given, strategies as st
from numpy.typing import NDArray

from epcg_core.base.errors import CandidateError, EpcgError, EvaluationError
from epcg_core.chunks.blocks import BlockEvaluator, as_array, concatenate, side_by_side
from epcg_core.domain import ERROR, LIMIT, NONE, VALUE, Evaluation, LimitReachedError, Metric

METRICS = (Metric("length"), Metric("weight", "real"), Metric("even", "bool"), Metric("effort", always=True))
Row = Sequence[Any] | None


class Listed:
    """A generator whose states are rows, and an evaluator that gives them back; "limit" and "error" raise."""

    metrics = METRICS

    def __init__(self, rows: Sequence[Any]) -> None:
        self.rows = rows
        self.max_rank = len(rows)

    def unrank(self, rank: int) -> Any:
        return self.rows[rank]

    def evaluate(self, state: Any) -> Row:
        if state == "limit":
            raise LimitReachedError
        if state == "error":
            raise ValueError("no")
        row: Row = state
        return row


def scored(rows: Sequence[Any]) -> Evaluation:
    part = Listed(rows)
    return BlockEvaluator(part, part, record_errors=True).block(0, len(rows)).evaluation


def statuses(evaluation: Evaluation, count: int) -> NDArray[np.uint8]:
    """(metrics, count)"""
    status = np.uint8(VALUE) if evaluation.status is None else evaluation.status
    return np.broadcast_to(status, (len(METRICS), count))


def rows() -> st.SearchStrategy[list[Any]]:
    row = st.tuples(
        st.none() | st.integers(-(2**63), 2**63 - 1),
        st.none() | st.floats(allow_nan=False),
        st.none() | st.booleans(),
        st.integers(0, 9),
    )
    return st.lists(row | st.none() | st.sampled_from(["limit", "error"]), min_size=1, max_size=12)


@given(rows())
def test_every_metric_has_its_own_status(rows: list[Any]) -> None:
    found = scored(rows)
    status = statuses(found, len(rows))
    for m, column in enumerate(found.values):
        for row, value, said in zip(rows, as_array(column).tolist(), status[m].tolist(), strict=True):
            if isinstance(row, tuple):
                assert said == (NONE if row[m] is None else VALUE)
                assert said == NONE or value == row[m]
            else:
                assert said == {None: NONE, "limit": LIMIT, "error": ERROR}[row]


def test_one_status_is_enough_where_metrics_do_not_differ() -> None:
    assert scored([(1, 2.0, True, 3)]).status is None
    status = scored([(1, 2.0, True, 3), None]).status
    assert status is not None
    assert status.tolist() == [VALUE, NONE]


def test_a_metric_that_always_has_a_value_cannot_be_none() -> None:
    with pytest.raises(EpcgError, match="effort always has a value, so it cannot be None"):
        scored([(1, 2.0, True, None)])


def test_a_real_that_is_no_number_is_not_taken_for_none() -> None:
    found = scored([(1, float("nan"), True, 3), (1, None, True, 3)])
    assert np.isnan(as_array(found.values[1])).tolist() == [True, False]
    assert statuses(found, 2)[1].tolist() == [VALUE, NONE]


@given(st.lists(st.integers(-3, 3) | st.booleans() | st.none(), min_size=1, max_size=8))
def test_a_bool_is_true_or_false_one_or_zero(values: list[Any]) -> None:
    rows = [(1, 2.0, value, 3) for value in values]
    if all(value in (0, 1, None) for value in values):
        assert [bool(value) for value in values] == as_array(scored(rows).values[2]).tolist()
    else:
        with pytest.raises(EpcgError, match=r"even is true or false and cannot be -?[123]: give bool"):
            scored(rows)


@given(rows(), rows())
def test_evaluations_of_neighbours_are_joined(left: list[Any], right: list[Any]) -> None:
    joined = concatenate([scored(left), scored(right)], len(METRICS))
    whole = scored([*left, *right])
    count = len(left) + len(right)
    assert (statuses(joined, count) == statuses(whole, count)).all()
    for one, other in zip(joined.values, whole.values, strict=True):
        assert as_array(one).tolist() == as_array(other).tolist()


class Pages:
    """A generator whose state 3 cannot be read, and an evaluator that cannot score `heavy` states."""

    metrics = (Metric("size"),)
    max_rank = 6

    def __init__(self, heavy: tuple[int, ...] = ()) -> None:
        self.heavy = heavy

    def unrank(self, rank: int) -> int:
        if rank == 3:
            raise CandidateError("Page 3 is torn.")
        return rank

    def evaluate(self, state: int) -> tuple[int]:
        if state in self.heavy:
            raise CandidateError(f"Page {state} is too heavy.")
        return (state,)


@pytest.mark.parametrize("record_errors", [False, True])
def test_a_candidate_that_cannot_be_read_has_its_reason_and_the_others_their_values(
    record_errors: bool,
) -> None:
    evaluators = [BlockEvaluator(Pages(), Pages(heavy), record_errors) for heavy in ((), (5,))]
    together = side_by_side([evaluator.block(0, 6) for evaluator in evaluators])
    assert together.errors == [(3, "Page 3 is torn."), (5, "Page 5 is too heavy.")]
    status = np.array(together.evaluation.status)
    assert np.argwhere(status == ERROR).tolist() == [[0, 3], [1, 3], [1, 5]]
    assert [
        as_array(column)[status[m] == VALUE].tolist() for m, column in enumerate(together.evaluation.values)
    ] == [
        [0, 1, 2, 4, 5],
        [0, 1, 2, 4],
    ]
    chosen = evaluators[0].at(0, 6, np.array([1, 3]))
    assert chosen.errors == [(3, "Page 3 is torn.")]


def test_other_errors_of_a_candidate_stop_unless_they_are_recorded() -> None:
    part = Listed(["error"])
    with pytest.raises(EvaluationError, match="raised ValueError: no at rank 0"):
        BlockEvaluator(part, part).block(0, 1)

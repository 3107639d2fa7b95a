"""The array capabilities: blocks of states, and evaluators of arrays, agree with the plain forms."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from itertools import takewhile
from typing import Any

import numpy as np

from epcg_core.inside import PLUGIN_EXCEPTIONS, ArrayEvaluator, FusedEvaluator, score_difference
from epcg_core.plugin import ArrayGenerator, CompiledEvaluator, Evaluation
from epcg_testing.report import SCORED, SPACES, Laws
from epcg_testing.subject import Scored, Space, plain_score, scores_of
from epcg_testing.violations import Broken, Case, Cases, Skip, require

LAWS = Laws()

_BLOCK = 64


@LAWS.listed(
    "blocks-equal-single-states",
    "states_block and states_at give the same packed states, in blocks of any length",
    "a state's packing may depend on its rank alone: not on the block's start, nor on its neighbours.",
    SPACES,
)
def blocks_equal_single_states(space: Space) -> Cases:
    if not isinstance(space.generator, ArrayGenerator):
        yield Skip(space.where, "the generator offers no states_block and states_at")
        return
    yield Case(f"{space.where}, states_block", partial(_block, space), space.few(16))
    yield Case(f"{space.where}, states_at", partial(_at, space), space.few(16))
    yield Case.once(f"{space.where}, no states", partial(_none, space))


def _block(space: Space, rank: int) -> None:
    """Compare blocks of several lengths with single states."""
    generator = space.generator
    following = range(rank, min(rank + _BLOCK, space.max_rank))
    most = sum(1 for _ in takewhile(space.has_state, following))
    for count in {1, 2, most}:
        if count <= most:
            ranks = np.arange(rank, rank + count, dtype=np.int64)
            single = np.concatenate([generator.states_at(ranks[i : i + 1]) for i in range(count)])
            _same(f"states_block({rank}, {count})", single, generator.states_block(rank, count))


def _at(space: Space, rank: int) -> None:
    ranks = np.array([r for r in space.ranks if r >= rank], np.int64)
    found = space.generator.states_at(ranks)
    single = np.concatenate([space.generator.states_block(int(r), 1) for r in ranks])
    _same(f"states_at of {len(ranks)} ranks", single, found)


def _none(space: Space) -> None:
    block = space.generator.states_block(0, 0)
    require("states in states_block(0, 0)", 0, len(block))
    if space.ranks:
        one = space.generator.states_at(np.array(space.ranks[:1], np.int64))
        require("the shape and type of a state in it", _form(one), _form(block))


def _form(states: Any) -> tuple[Any, str]:
    return states.shape[1:], str(states.dtype)


def _same(what: str, expected: Any, got: Any) -> None:
    require(f"the shape and type of {what}", (len(expected), *_form(expected)), (len(got), *_form(got)))
    different = np.flatnonzero(np.any((expected != got).reshape(len(expected), -1), axis=1))
    if len(different):
        i = int(different[0])
        raise Broken(f"{what}, state {i}", expected[i], got[i])


@LAWS.listed(
    "arrays-equal-evaluate",
    "evaluate_states gives the values and statuses that evaluate gives, bit by bit",
    "compare the kernel with evaluate at the rank above; sum floats in the same order, with scalar math.",
    SPACES,
)
def arrays_equal_evaluate(space: Space) -> Cases:
    if not isinstance(space.generator, ArrayGenerator):
        yield Skip(space.where, "the generator offers no arrays of states")
        return
    for scored in space.evaluators:
        if isinstance(scored.evaluator, ArrayEvaluator):
            found = _scores(scored, _in_arrays(scored))
            yield Case(scored.where, partial(_equal, scored, found, "evaluate_states"), space.ranks)
            yield Case.once(f"{scored.where}, no states", partial(_no_states, scored))
        else:
            yield Skip(scored.where, "the evaluator offers no evaluate_states")


def _in_arrays(scored: Scored) -> Any:
    ranks = np.array(scored.space.ranks, np.int64)
    return partial(scored.evaluator.evaluate_states, scored.space.generator.states_at(ranks))


def _scores(scored: Scored, ask: Any) -> dict[int, Any] | BaseException:
    """Return the scores by rank, or the exception, which a separate case reports."""
    try:
        evaluation: Evaluation = ask()
        rows = scores_of(evaluation, scored.evaluator.metrics)
    except PLUGIN_EXCEPTIONS as error:
        return error
    return dict(zip(scored.space.ranks, rows, strict=False))


def _equal(scored: Scored, found: dict[int, Any] | BaseException, what: str, rank: int) -> None:
    if isinstance(found, BaseException):
        raise found
    if rank not in found and rank in scored.space.ranks:
        raise Broken(f"{what} gives a score for each state", len(scored.space.ranks), len(found))
    if rank in found:
        names = tuple(metric.name for metric in scored.evaluator.metrics)
        require(f"(status, value) of {', '.join(names)} by {what}", scored.score(rank), found[rank])


def _no_states(scored: Scored) -> None:
    states = scored.space.generator.states_block(0, 0)
    require(
        "scores of no states",
        [],
        scores_of(scored.evaluator.evaluate_states(states), scored.evaluator.metrics),
    )


@LAWS.listed(
    "fused-equals-evaluate",
    "evaluate_block gives the values and statuses that evaluate gives",
    "look at the first and the last rank of a block: that is where a fused kernel goes wrong.",
    SCORED,
)
def fused_equals_evaluate(scored: Scored) -> Cases:
    if isinstance(scored.evaluator, FusedEvaluator):
        yield Case(scored.where, partial(_fused, scored), scored.space.few(16))
    else:
        yield Skip(scored.where, "the evaluator offers no evaluate_block")


def _fused(scored: Scored, rank: int) -> None:
    for count in (1, min(5, scored.space.max_rank - rank)):
        evaluation = scored.evaluator.evaluate_block(rank, count)
        expected: Sequence[Any] = [scored.score(r) for r in range(rank, rank + count)]
        require(f"evaluate_block({rank}, {count})", expected, scores_of(evaluation, scored.evaluator.metrics))


@LAWS.listed(
    "evaluate-equals-plain",
    "where evaluate runs compiled code, plain() gives the same values, reals but for rounding",
    "compare the kernel with the plain form at the rank above: `epcg verify` and each run's first unit do.",
    SCORED,
)
def evaluate_equals_plain(scored: Scored) -> Cases:
    if not isinstance(scored.evaluator, CompiledEvaluator):
        yield Skip(scored.where, "the evaluator offers no plain, so evaluate is the plain form")
        return
    plain = scored.evaluator.plain()
    if plain is None:
        yield Skip(scored.where, "the evaluator says that it has no plain form")
    else:
        yield Case(scored.where, partial(_plain, scored, plain), scored.space.few(16))


def _plain(scored: Scored, plain: Any, rank: int) -> None:
    expected = plain_score(plain, scored.space.unrank(rank))
    text = score_difference(plain.metrics, expected, scored.score(rank), close=True)
    if text is not None:
        require(f"(status, value) by plain(): {text}", expected, scored.score(rank))

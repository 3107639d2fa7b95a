"""The first unit of a run, compared with plain code, so that a wrong kernel stops the run at once."""

from __future__ import annotations

import random
import time

import numpy as np

from epcg_core.base.errors import CheckFailedError
from epcg_core.chunks.codec import Chunk
from epcg_core.chunks.objective import Objective
from epcg_core.chunks.result import UnitResult
from epcg_core.chunks.scores import RecordedScores, block_scores
from epcg_core.domain import PRUNING_REASONS, VALUE
from epcg_core.domain.bounds import BOUND_HINT
from epcg_core.query.puzzle_id import puzzle_id
from epcg_core.query.spec import RunSpec
from epcg_core.runs.limited import given_up
from epcg_core.runs.recompute import Recomputation
from epcg_core.search.protocol import Search

RANKS = 8
"""Ranks of the unit that are compared."""
SECONDS = 0.5
"""The CPU time after which no further rank is compared."""


def check_first_unit(search: Search, spec: RunSpec, inputs: dict[str, object], result: UnitResult) -> None:
    """Compare some ranks of a unit with plain code, as far as it is fast enough; a rank may take for ever.

    Raises CheckFailedError, which names the rank and both values, if they differ.
    """
    checker = search.checker(spec, inputs)  # type: ignore[arg-type]
    if checker.same:
        return
    again = Recomputation(checker, spec.metrics, SECONDS, limited=False)
    chunks = {(chunk.column, chunk.start): chunk for chunk in result.chunks}

    def find(column: str, rank: int) -> Chunk | None:
        own = (chunk for (name, _), chunk in chunks.items() if name == column)
        return next((chunk for chunk in own if chunk.start <= rank < chunk.start + chunk.count), None)

    scores = RecordedScores(find, spec.metrics)
    begun = time.thread_time()
    for rank in _ranks(spec, result):
        if again.slow or time.thread_time() - begun > SECONDS:
            return
        recorded = scores.at(rank)
        if given_up(spec, recorded):
            continue
        if spec.objective is None or recorded is not None:
            text = again.difference(rank, recorded)
        else:
            text = _not_pruned_well(again, spec.objective, spec, result, rank)
        if text is not None:
            puzzle = puzzle_id(spec.space.name, rank)
            raise CheckFailedError(
                f"The first unit does not agree with what is computed again: {puzzle}: {text} One of the two "
                "forms of a part is wrong, so the unit is not recorded; "
                f"`epcg check {spec.space.domain}` compares all parts of the domain."
            )


def _ranks(spec: RunSpec, result: UnitResult) -> list[int]:
    """Draw ranks of a unit; of a search that prunes, recorded and pruned ones."""
    chance = random.Random(result.digest)
    if spec.objective is None:
        span = range(result.start, result.start + result.count)
        return chance.sample(span, min(RANKS, len(span)))
    found = [chunk.start for chunk in result.chunks][: RANKS // 2]  # a chunk begins with a recorded rank
    if result.prunings is not None and len(result.prunings.start):
        for _ in range(RANKS // 2):
            i = chance.randrange(len(result.prunings.start))
            start, count = int(result.prunings.start[i]), int(result.prunings.count[i])
            found.append(start + chance.randrange(count))
    return sorted(set(found))


def _not_pruned_well(
    again: Recomputation, objective: Objective, spec: RunSpec, result: UnitResult, rank: int
) -> str | None:
    """Say how a pruned rank contradicts its pruning; None if it does not."""
    assert result.prunings is not None
    scores = block_scores(again.block(rank), spec.metrics, rank)
    assert scores is not None
    status, value = scores[0]
    if status != VALUE or value is None:
        return None
    i = int(np.searchsorted(result.prunings.start, rank, "right")) - 1
    bound, reason = float(result.prunings.bound[i]), PRUNING_REASONS[result.prunings.reason[i]]
    if bound == bound and objective.sign * value <= objective.sign * bound:
        return None
    return (
        f"it was pruned for '{reason}' with the bound {bound}, and its {objective.metric} is {value}, so the "
        f"bound is not admissible. {BOUND_HINT}"
    )

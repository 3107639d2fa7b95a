"""Solutions of single candidates: recorded ones, else those that the evaluators of a run find."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from epcg_core.plugins.registry import registry
from epcg_core.query.spec import PartSpec, make_generator
from epcg_core.runs.keep import solver_of
from epcg_core.services.ledger import space_of
from epcg_core.store import Reader, RunRecord


def solution_of(reader: Reader, record: RunRecord, rank: int) -> list[Any]:
    """Return the first solution of a run's candidate, as its actions; an empty list if there is none.

    A solution that no run over the space has recorded is searched by the run's evaluators, within their
    limits.
    """
    if recorded := recorded_solution(reader, record.space, rank):
        return recorded
    generator = make_generator(registry(), space_of(record))
    evaluators = [PartSpec(part["name"], part["params"]) for part in record.spec["evaluators"]]
    solve = solver_of(record.domain, evaluators, generator)
    found: Sequence[Any] = solve(generator.unrank(rank)) if solve is not None else ()
    return list(next(iter(found), ()))


def recorded_solution(reader: Reader, space: str, rank: int) -> list[Any]:
    """Return the first solution that any run over a space has recorded; an empty list if none has."""
    for run in reader.runs():
        if run.space == space:
            for _, actions in reader.solutions(run.id, rank):
                return list(json.loads(actions))
    return []

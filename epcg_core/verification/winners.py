"""The winners of a recorded run, computed again: a search for the best selects what draws miss."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from functools import partial
from math import inf

from epcg_core.base.documents import places
from epcg_core.chunks.blocks import Block
from epcg_core.execution.apart import Apart
from epcg_core.plugins.registry import registry
from epcg_core.query.query import from_data
from epcg_core.query.spec import RunSpec, make_generator
from epcg_core.runs.tables import WorkingFolder
from epcg_core.runs.winners import KEPT, NEXT, RESULT, Plain, compute_again, kept_and_next, of_run
from epcg_core.search.protocol import Search, ShownSearch, Solver
from epcg_core.store import Reader, RunRecord, Store
from epcg_core.store.chunk_queries import between
from epcg_core.store.inputs import answered_by
from epcg_core.store.kept import kept_by
from epcg_core.store.likeness import likeness_of
from epcg_core.verification.planned import PlannedAgain

MOST_RESULTS = 10_000
"""The results of a search whose every result is shown that are computed again, drawn by the run's digest."""


def winners(store: Store, plan: PlannedAgain, seconds: float) -> str:
    """Compute again kept candidates, those by which selections decided, and the extremes of each metric.

    Args:
        store: the database.
        plan: the run, planned again.
        seconds: the CPU seconds of plain code; compiled code has as many for what is left then.

    Returns:
        What was computed again.

    Raises:
        CheckFailedError: if a value differs.
        UncheckedError: if one differs and the run had other sources, or nothing can be computed here.
    """
    if plan.run.counted:
        return "The run keeps counts, so no winner has a rank; the sample begins with the chunks of extremes."
    return computed_again(store, plan, lambda reader: _winners_of(reader, plan), seconds)


def computed_again(
    store: Store, plan: PlannedAgain, winners: Callable[[Reader], Mapping[int, str]], seconds: float
) -> str:
    """Compute ranks of a run again, each with its role, and say what was computed, as `winners` does."""
    run = plan.run

    def prove(search: Search, spec: RunSpec, _: str) -> str:
        with WorkingFolder(None) as folder, ExitStack() as stack:
            own = Plain(search, spec, folder.inputs(spec, store, run))
            plain, solve = stack.enter_context(Apart(own)), own.checker.compiled
            fast = None if solve is None else stack.enter_context(Apart(partial(_one, solve)))
            reader = stack.enter_context(store.reader())
            return str(compute_again(reader, run, spec, own.checker, winners(reader), seconds, plain, fast))

    with places(run.files):
        return plan.prove(prove)


def _one(solve: Solver, rank: int) -> Block:
    return solve(rank, 1)


def winners_of(reader: Reader, run: RunRecord) -> dict[int, str]:
    """Map the winners of a run to their roles: those that are kept first."""
    return _winners_of(reader, PlannedAgain(run))


def _winners_of(reader: Reader, plan: PlannedAgain) -> dict[int, str]:
    run = plan.run
    with places(run.files):
        search, spec = plan.found
        generator = make_generator(registry(), spec.space)
        kept = dict.fromkeys(kept_by(reader.connection, run.id), KEPT)
        following: dict[int, str] = {}
        for data in answered_by(reader, run.id) if run.done else ():
            for rule in from_data(data).select:
                likeness = likeness_of(rule, spec.space, generator)
                following |= dict.fromkeys(kept_and_next(reader, run.id, rule, likeness)[1], NEXT)
    others = of_run(reader, run) | following
    if isinstance(search, ShownSearch):
        results = [rank for rank, _ in between(reader, run.id, search.each_is_shown, -inf, inf)]
        random.Random(run.digest).shuffle(results)
        others |= dict.fromkeys(results[:MOST_RESULTS], RESULT)
    return kept | {rank: role for rank, role in others.items() if rank not in kept}

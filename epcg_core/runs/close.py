"""Close a finished branch-and-bound run: merge chunks across unit borders and make rows."""

from __future__ import annotations

from itertools import islice

from epcg_core.base.errors import CheckFailedError
from epcg_core.chunks.objective import INCUMBENT
from epcg_core.domain.bounds import BOUND_HINT
from epcg_core.domain.content import format_state
from epcg_core.plugins.registry import registry
from epcg_core.query.puzzle_id import puzzle_id
from epcg_core.query.spec import RunSpec, make_generator
from epcg_core.store import Reader, RunRecord, sparse
from epcg_core.store.kept import save_kept

MOST_ROWS = 10_000
"""Most recorded candidates that become rows with their states; chunks hold all of them."""


def close(reader: Reader, run: RunRecord, spec: RunSpec) -> None:
    """Merge chunks and prunings across unit borders, and make rows of the recorded candidates.

    Raises CheckFailedError if a proof pruned the candidate whose value it was to prove.
    """
    objective = spec.objective
    assert objective is not None
    _check_incumbent(reader, run, spec)
    sparse.merge_prunings(reader.connection, run.id, objective)
    if objective.keep == "feasible":
        return  # the query says which of them become rows
    role = "incumbent" if objective.phase == "search" else "optimum"
    generator = make_generator(registry(), spec.space)
    ranks = islice(sparse.recorded_ranks(reader, run, objective), MOST_ROWS)
    save_kept(
        reader.connection,
        run,
        [(rank, role) for rank in ranks],
        lambda rank: format_state(generator, generator.unrank(rank)),
    )


def _check_incumbent(reader: Reader, run: RunRecord, spec: RunSpec) -> None:
    assert spec.objective is not None
    for role, number, _ in reader.inputs_of(run.id):
        if role != INCUMBENT:
            continue
        other = reader.run(number)
        searched = sparse.objective_of(other)
        known = None if searched is None else sparse.recorded_best(reader, other, searched)
        found = sparse.recorded_best(reader, run, spec.objective)
        if known is not None and known != found:
            puzzle = puzzle_id(spec.space.name, known[1])
            raise CheckFailedError(
                f"The search found {puzzle} with the {spec.objective.metric} {known[0]}, and the proof does "
                "not have it among the best: the bound of a partial state on the way to it is not "
                f"admissible. {BOUND_HINT}"
            )

"""Close a finished branch-and-bound run: merge chunks across unit borders and make rows."""

from __future__ import annotations

from itertools import islice

from epcg_core.plugins.registry import registry
from epcg_core.query.spec import RunSpec, make_generator
from epcg_core.rendering.render import format_state
from epcg_core.store import Reader, RunRecord, sparse
from epcg_core.store.kept import save_kept

MOST_ROWS = 10_000
"""Most recorded candidates that become rows with their states; chunks hold all of them."""


def close(reader: Reader, run: RunRecord, spec: RunSpec) -> None:
    """Merge chunks and prunings across unit borders, and make rows of the recorded candidates."""
    objective = spec.objective
    assert objective is not None
    sparse.merge_prunings(reader.connection, run.id, objective)
    role = "incumbent" if objective.phase == "search" else "optimum"
    generator = make_generator(registry(), spec.space)
    ranks = islice(sparse.recorded_ranks(reader, run, objective), MOST_ROWS)
    save_kept(
        reader.connection,
        run,
        [(rank, role) for rank in ranks],
        lambda rank: format_state(generator, generator.unrank(rank)),
    )

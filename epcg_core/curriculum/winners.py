"""The puzzles that a plan chose, computed again by plain code: choosing selects errors, like any search."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from epcg_core.base.errors import UncheckedError
from epcg_core.runs.winners import CHOSEN
from epcg_core.store import Reader, Store, curricula
from epcg_core.verification.planned import PlannedAgain
from epcg_core.verification.winners import computed_again

SECONDS = 10.0
"""The CPU seconds of plain code for the puzzles of all runs."""


def chosen_again(store: Store, curriculum: curricula.CurriculumRow, seconds: float = SECONDS) -> str:
    """Compute the chosen puzzles of a curriculum again, in the runs that they were chosen from.

    Args:
        store: the database.
        curriculum: the curriculum, recorded or not.
        seconds: the CPU seconds of plain code; compiled code has as many for what is left then.

    Returns:
        A sentence about what was computed again.

    Raises:
        CheckFailedError: if a puzzle has other values than its run has.
        UncheckedError: if a run cannot be computed again here.
    """
    chosen = [
        selection.puzzle
        for chapter in curriculum.chapters
        for part in chapter.parts
        for selection in part.selections
        if selection.position is not None
    ]
    with store.reader() as reader:
        runs = [reader.run(number) for number, _ in curriculum.runs]
    found, left, gone = [], set(chosen), 0
    for run in runs:
        low, high = run.extent
        mine = {p.rank: p for p in chosen if p.space == run.space and low <= p.rank < high}
        if run.dropped or run.counted:
            gone += len(mine)
            left -= {*mine.values()}
            continue
        with store.reader() as reader:  # another run over the same space may have left some out
            ranks = [rank for rank in sorted(mine) if reader.status_at(run.id, rank) is not None]
        if ranks:
            again = computed_again(store, PlannedAgain(run), _roles(ranks), seconds / len(runs))
            found.append(f"Of run {run.id}: {again}")
        left -= {mine[rank] for rank in ranks}
    if gone:
        raise UncheckedError(f"{gone:,} puzzles were chosen from runs that keep no values.")
    if left:
        found.append(f"{len(left):,} come from no run.")
    return " ".join(found) or "It has no puzzle."


def _roles(ranks: Sequence[int]) -> Callable[[Reader], Mapping[int, str]]:
    return lambda _: dict.fromkeys(ranks, CHOSEN)

"""The runs of a study: one over the levels of a folder, and one over the single changes of each level."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import attrs

from epcg_core.plugin import LIMIT, EpcgError, from_data
from epcg_snakebird.edits.runs import Variant, longest, recorded_variants, shortest
from epcg_snakebird.formats.drawing import read_level
from epcg_snakebird.formats.files import level_files
from epcg_snakebird.rules.variants import STAYS, OwnTail
from epcg_snakebird.studies.data import Outcome, StudiedLevel

if TYPE_CHECKING:
    from epcg_core.plugin import Coordinator, Query, Store


def originals_query(
    folder: str, limit: int, candidate_timeout: float | None = None, own_tail: OwnTail = STAYS
) -> Query:
    """Return the query that solves every level of a folder (see `studied_levels` for the arguments)."""
    return from_data({
        "name": "levels",
        "title": "The shortest solutions of a folder of Snakebird levels",
        "domain": "snakebird",
        "generator": {"name": "levels", "params": {"path": folder, "own_tail": own_tail}},
        "search": {"name": "exhaustive", "params": {}},
        "evaluators": [{"name": "shortest_solution", "params": {"limit": limit}}],
        "record": {"rows": "all", "on_error": "record"}
        | ({} if candidate_timeout is None else {"candidate_timeout": candidate_timeout}),
    })  # fmt: skip


def studied_levels(
    coordinator: Coordinator,
    store: Store,
    folder: Path,
    limit: int,
    candidate_timeout: float | None = None,
    own_tail: OwnTail = STAYS,
) -> Iterator[StudiedLevel]:
    """Yield the levels of a folder in the order of their names, each as soon as it is recorded.

    Levels that the database has already are read.

    Args:
        coordinator: the coordinator that runs the queries.
        store: the database.
        folder: the folder of levels.
        limit: the most expansions of each search.
        candidate_timeout: the seconds after which a level or a variant is given up; None for no limit.
        own_tail: whether the own tail 'stays' in the way of what is pushed, as published, or 'leaves'.

    Raises:
        RunInterruptedError: if a run is stopped.
    """
    files = level_files(str(folder))
    within = f"{limit:,} expansions" + ("" if candidate_timeout is None else f" or {candidate_timeout:g} s")
    run = coordinator.answer(originals_query(str(folder), limit, candidate_timeout, own_tail)).goal
    with store.reader() as reader:
        found = [(reader.value(run.id, "moves", r), reader.status_at(run.id, r)) for r in range(len(files))]
    for file, (moves, status) in zip(files, found, strict=True):
        if moves is None:
            yield _not_counted(file, status, within)
            continue
        number, variants = recorded_variants(
            coordinator, store, str(file), limit, candidate_timeout, own_tail
        )
        yield _studied(file, int(moves), number, variants)


def _not_counted(file: Path, status: int | None, within: str) -> StudiedLevel:
    outcome: Outcome = "unsolvable"
    note = f"{file.stem} has no solution."
    if status == LIMIT:
        outcome, note = (
            "limit",
            f"{file.stem} has no solution within {within}.",
        )
    else:
        try:
            read_level(file)
        except EpcgError as error:
            outcome, note = "unreadable", str(error)
    return StudiedLevel(file.stem, outcome, note)


def _studied(file: Path, moves: int, run: int, variants: list[Variant]) -> StudiedLevel:
    level, most, least = read_level(file), longest(variants), shortest(variants)
    found = StudiedLevel(
        file.stem,
        "counted",
        run=run,
        original=moves,
        variants=len(variants),
        unsolvable=sum(variant.moves is None and not variant.over_limit for variant in variants),
        over_limit=sum(variant.over_limit for variant in variants),
    )
    if not most or not least:
        note = f"No single change of {file.stem} leaves a solution within the limit."
        return attrs.evolve(found, outcome="unsolvable", note=note)
    return attrs.evolve(
        found,
        longest=most[0].moves or 0,
        shortest=least[0].moves or 0,
        longest_changes=tuple(variant.in_words(level) for variant in most),
        shortest_changes=tuple(variant.in_words(level) for variant in least),
    )

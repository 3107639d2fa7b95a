"""Rows of candidates: those with errors and those that selections keep, with their texts and solutions."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from typing import Any

import attrs
import numpy as np
from numpy.typing import NDArray

from epcg_core.base.errors import CheckFailedError, UncheckedError
from epcg_core.domain import ERROR, LIMIT, STATUS_NAMES, VALUE
from epcg_core.domain.content import format_state
from epcg_core.plugins.registry import registry
from epcg_core.query.query import from_data
from epcg_core.runs.close import MOST_ROWS
from epcg_core.runs.keep import solver_of
from epcg_core.runs.limited import note
from epcg_core.runs.sequence import search_of
from epcg_core.runs.tables import WorkingFolder
from epcg_core.runs.winners import NOTE
from epcg_core.store import Reader, sparse
from epcg_core.store.kept import BETWEEN
from epcg_core.store.likeness import likeness_of
from epcg_core.store.recorded import ASKED, parsed
from epcg_core.store.selection import rule_text, select
from epcg_core.verification.derived.queries import linked
from epcg_core.verification.derived.subject import Subject

NOTES = 100
"""Most candidates with errors that are evaluated again for their notes."""
SOLVED = 20
"""Most kept candidates that are solved again."""
_BATCH = 10_000
_WITH_STATUS = """
SELECT DISTINCT start FROM score_chunk WHERE run_id = :run AND status IS NOT NULL ORDER BY start
"""
_WITHOUT_SCORES = """
SELECT candidate.rank FROM candidate JOIN run_metric ON run_metric.run_id = candidate.run_id
WHERE candidate.run_id = :run AND kept = 1 AND NOT EXISTS
      (SELECT 1 FROM score WHERE score.run_id = :run AND score.metric_id = run_metric.metric_id
       AND score.rank = candidate.rank)
"""
_NOT_KEPT = """
SELECT rank FROM score WHERE run_id = :run AND NOT EXISTS
       (SELECT 1 FROM candidate WHERE run_id = :run AND kept = 1 AND candidate.rank = score.rank)
"""
_NOTES = "SELECT rank, note FROM candidate WHERE run_id = :run AND kept = 0 AND status = 'error'"
_ADDRESS = re.compile(r"0x[0-9a-fA-F]+")


def candidates(subject: Subject) -> str:
    """Check that the candidates with rows are those with errors in the chunks and those that are selected."""
    run, reader = subject.run, subject.reader
    if run.dropped:
        raise UncheckedError("The values of the candidates were dropped.")
    if run.counted:
        if next(_batches(subject), None):
            raise UncheckedError(
                "The run keeps counts, so the candidates with rows have no values to compare."
            )
        return "The run keeps counts; no candidate has a row."
    subject.need_plan()
    kept = _selected(subject)
    for rank, role in _optima(subject):
        kept.setdefault(rank, set()).add(role)
    number = {"kept": 0, "error": 0, "limit": 0}
    for rows in _batches(subject):
        statuses = _statuses(reader, run.id, np.array([row.rank for row in rows], np.int64))
        for row, status in zip(rows, statuses, strict=True):
            rules = kept.get(row.rank)
            _check_candidate(subject, row, status, rules)
            number[row.status if rules is None else "kept"] += 1
    if number["kept"] != len(kept):
        known = {row.rank for rows in _batches(subject) for row in rows if row.kept}
        rank = min(kept.keys() - known)
        raise CheckFailedError(
            f"Rank {rank} is selected ({BETWEEN.join(sorted(kept[rank]))}) and not recorded as kept; ask the "
            "query again."
        )
    errors = sum(1 for rank in _error_ranks(subject) if rank not in kept)
    if errors != number["error"]:
        raise CheckFailedError(f"{errors:,} candidates have errors, and {number['error']:,} rows name them.")
    _check_scores(subject)
    noted = _check_notes(subject, number["error"])
    limits = f"; given up after a time: {number['limit']:,}" if number["limit"] else ""
    return (
        f"Kept candidates: {len(kept):,}, those that the recorded selections keep; other candidates with "
        f"errors: {errors:,}{noted}{limits}."
    )


def _selected(subject: Subject) -> dict[int, set[str]]:
    """Return the rules by which the recorded queries select each rank of the run, executed again."""
    found: dict[int, set[str]] = {}
    for row in linked(subject.reader, subject.run.id) if subject.run.done else ():
        query = from_data(parsed(row.source, f"The query {row.id}", ASKED))
        for rule in query.select if row.goal else ():
            likeness = likeness_of(rule, subject.spec.space, subject.generator)
            for rank, _ in select(subject.reader, subject.run.id, rule, likeness):
                found.setdefault(rank, set()).add(rule_text(rule))
    return found


def _optima(subject: Subject) -> Iterator[tuple[int, str]]:
    """Yield the ranks that a finished branch-and-bound run keeps by itself, each with its role."""
    objective = sparse.objective_of(subject.run)
    if objective is None or objective.keep == "feasible" or not subject.run.done:
        return
    role = "incumbent" if objective.phase == "search" else "optimum"
    for rank in islice(sparse.recorded_ranks(subject.reader, subject.run, objective), MOST_ROWS):
        yield rank, role


def _batches(subject: Subject) -> Iterator[Sequence[Any]]:
    """Yield the run's rows of candidates, by rank, in batches."""
    rows = subject.rows("SELECT * FROM candidate WHERE run_id = :run ORDER BY rank")
    while batch := list(islice(rows, _BATCH)):
        yield batch


def _statuses(reader: Reader, run_id: int, ranks: NDArray[np.int64]) -> list[int]:
    """Return the status of each of the increasing `ranks`; -1 for one that was not evaluated."""
    found: list[int] = []
    first = reader.columns(run_id)[0].name
    while len(found) < len(ranks):
        chunk = reader.chunk_at(run_id, first, int(ranks[len(found)]))
        if chunk is None:
            found.append(-1)
            continue
        part = ranks[len(found) : int(np.searchsorted(ranks, chunk.start + chunk.count))]
        evaluated, status = reader.ranks(run_id, chunk), reader.status(run_id, chunk.start)
        places = np.minimum(np.searchsorted(evaluated, part), max(len(evaluated) - 1, 0))
        known = np.full(len(evaluated), VALUE, np.int64) if status is None else status.astype(np.int64)
        if len(evaluated):
            found += np.where(evaluated[places] == part, known[places], -1).tolist()
        else:
            found += [-1] * len(part)
    return found


def _check_candidate(subject: Subject, row: Any, status: int, rules: set[str] | None) -> None:
    """Check one row; `rules` are those that keep it, None if it must be there for its error."""
    here = f"The row of the candidate at rank {row.rank}"
    if status < 0 or row.status != STATUS_NAMES[status]:
        was = "it was not evaluated" if status < 0 else f"its chunks say '{STATUS_NAMES[status]}'"
        raise CheckFailedError(f"{here} has the status '{row.status}'; {was}.")
    if rules is None:
        seconds = subject.spec.candidate_timeout
        by_time = status == LIMIT and seconds is not None and row.note == note(seconds)
        if row.kept or row.kept_by is not None or (status != ERROR and not by_time):
            raise CheckFailedError(f"{here} is there, and no recorded selection keeps it.")
        if row.state is not None or row.note is None:
            raise CheckFailedError(f"{here} has no note about its error, or a state beside it.")
        return
    by = sorted((row.kept_by or "").split(BETWEEN))
    if row.kept != 1 or by != sorted(rules):
        raise CheckFailedError(
            f"{here} is recorded as kept by '{row.kept_by}'; the recorded selections keep it by "
            f"'{BETWEEN.join(sorted(rules))}'."
        )
    generator = subject.generator
    space = subject.spec.space
    with registry().attribute_errors_to(registry().generator(space.domain, space.generator.name)):
        state = format_state(generator, generator.unrank(row.rank))
    if row.note is not None and not row.note.startswith(NOTE):
        raise CheckFailedError(f"{here} has the note {row.note!r}, and is kept.")
    if row.state != state:
        raise CheckFailedError(f"{here} has the state {row.state!r}; the generator makes {state!r}.")


def _error_ranks(subject: Subject) -> Iterator[int]:
    """Yield the ranks whose chunks record an error."""
    reader, run_id = subject.reader, subject.run.id
    first = reader.columns(run_id)[0].name
    for (start,) in list(subject.rows(_WITH_STATUS)):
        chunk, status = reader.chunk_at(run_id, first, start), reader.status(run_id, start)
        if chunk is not None and status is not None:
            yield from reader.ranks(run_id, chunk)[status == ERROR].tolist()


def _check_scores(subject: Subject) -> None:
    """Check that every kept candidate has rows of all its values, and others only if the run makes them."""
    rank = subject.first(_WITHOUT_SCORES)
    if rank is not None:
        raise CheckFailedError(f"A row of the values of the kept candidate at rank {rank} is missing.")
    rank = subject.first(_NOT_KEPT) if subject.run.rows == "none" else None
    if rank is not None:
        raise CheckFailedError(
            f"The run is recorded to have no rows but those of kept candidates, and rank {rank} has one."
        )


def _check_notes(subject: Subject, number: int) -> str:
    """Evaluate candidates with errors again and compare their notes; return what was done."""
    run = subject.run
    if not number:
        return ""
    gone = [n for _, n, _ in subject.reader.inputs_of(run.id) if subject.reader.run(n).dropped]
    if gone:
        return f", whose notes are not checked, because the values of run {gone[0]} were dropped"
    notes = {row.rank: row.note for row in subject.rows(_NOTES)}
    drawn = sorted(random.Random(subject.seed).sample(sorted(notes), min(NOTES, len(notes))))
    spec = attrs.evolve(subject.spec, on_error="record")
    with WorkingFolder(None) as folder:
        solve = search_of(spec).checker(spec, folder.inputs(spec, subject.store)).plain
        for rank in drawn:
            note = BETWEEN.join(text for _, text in solve(rank, 1).errors)
            if _anywhere(subject, note) != _anywhere(subject, notes[rank]):
                raise CheckFailedError(
                    f"The note of the candidate at rank {rank} is {notes[rank]!r}; evaluated again it is "
                    f"{note!r}."
                )
    return f"; the notes of {len(drawn):,}, evaluated again, are as recorded"


def _anywhere(subject: Subject, note: str) -> str:
    """Return a note without addresses in memory and folders, which differ from place to place."""
    for name, place in subject.run.files.items():
        note = note.replace(place, name)
    return _ADDRESS.sub("0x", note)


def solutions(subject: Subject) -> str:
    """Check that only selected candidates have solutions, and solve some of them again."""
    run, reader = subject.run, subject.reader
    if run.solutions:
        return "The digests of units and run cover the solutions."
    if run.dropped:
        raise UncheckedError("The values of the candidates were dropped.")
    if run.counted:
        if subject.first("SELECT rank FROM solution WHERE run_id = :run") is not None:
            raise CheckFailedError("Solutions are recorded, and the run keeps counts only.")
        return "The run keeps counts; no solutions are recorded."
    subject.need_plan()
    if subject.spec.solutions:
        raise UncheckedError(
            "The run is older than digests of solutions, so nothing proves that none is missing: compute it "
            "again with --again."
        )
    selected: Mapping[int, object] = _selected(subject)
    solve = solver_of(subject.spec.space.domain, subject.spec.evaluators, subject.generator)
    for (rank,) in subject.rows("SELECT DISTINCT rank FROM solution WHERE run_id = :run"):
        if rank not in selected or solve is None:
            raise CheckFailedError(f"Solutions of rank {rank} are recorded, and no query asked for them.")
    if solve is None:
        return "No evaluator of the run finds solutions, and none are recorded."
    drawn = sorted(random.Random(subject.seed).sample(sorted(selected), min(SOLVED, len(selected))))
    for rank in drawn:
        found = [list(actions) for actions in solve(subject.generator.unrank(rank))]
        if [
            (i, parsed(text, f"A solution of rank {rank}")) for i, text in reader.solutions(run.id, rank)
        ] != [*enumerate(found)]:
            raise CheckFailedError(f"The recorded solutions of rank {rank} are not those found again.")
    return f"Solved again: {len(drawn):,} of {len(selected):,} kept candidates, with the recorded solutions."

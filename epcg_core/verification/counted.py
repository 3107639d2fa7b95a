"""Runs that keep counts (`record = "counts"`): chunks without values, some of them computed again.

A chunk's digest covers its values, so a chunk that is computed again proves all that is recorded of it. What
it proves of the other chunks is a matter of chance, and the check says how large that chance is.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Iterator, Sequence

import numpy as np

from epcg_core.base.errors import CheckFailedError
from epcg_core.chunks.codec import EVALUATED, UNKEPT, Chunk, chunk_status, decode_chunk, encode_block
from epcg_core.chunks.scores import RecordedScores
from epcg_core.domain import VALUE
from epcg_core.query.puzzle_id import puzzle_id
from epcg_core.query.spec import RunSpec
from epcg_core.runs.recompute import Recomputation
from epcg_core.runs.tables import WorkingFolder
from epcg_core.runs.worker import make_solver, mapped_inputs
from epcg_core.search.protocol import Search
from epcg_core.store import Reader, RunRecord, Store, chunk_queries

RANKS = 4
"""Ranks of each chunk that plain code computes, too."""


def chunks(reader: Reader, run: RunRecord) -> str:
    """Check that the chunks of every metric tile the range, hold no values, and have possible sums."""
    number = 0
    for column in reader.columns(run.id):
        position = run.start
        for chunk in reader.chunks(run.id, column.name):
            number += 1
            kept = chunk.codec != UNKEPT or bool(chunk.data) or chunk.status is not None
            if kept and (run.done or not run.unit_size % run.chunk_size):
                raise CheckFailedError(f"The chunk of '{column.name}' at rank {chunk.start} holds values.")
            if column.metric is None:
                continue
            if chunk.start != position and (run.done or chunk.start < position):
                raise CheckFailedError(
                    f"The chunks of '{column.name}' have a gap or overlap at rank {position}."
                )
            _check_sums(chunk)
            position = chunk.start + chunk.count
        if column.metric is not None and position != run.stop and (run.done or position > run.stop):
            raise CheckFailedError(f"The chunks of '{column.name}' end at rank {position}, not {run.stop}.")
    return f"{number:,} chunks tile the range; they keep digests and sums, no values."


def _check_sums(chunk: Chunk) -> None:
    """Raise CheckFailedError if no values have the sums of a chunk."""
    low, high, total = chunk.minimum, chunk.maximum, chunk.total
    if not chunk.valued:
        fits = (low, high) == (None, None) and not total
    else:
        fits = None not in (low, high) and low <= high  # type: ignore[operator]
        if fits and isinstance(total, int):
            fits = chunk.valued * low <= total <= chunk.valued * high  # type: ignore[operator]
    if not fits:
        raise CheckFailedError(f"The sums of '{chunk.column}' at rank {chunk.start} fit no values.")


def sample(
    store: Store,
    run: RunRecord,
    search: Search,
    spec: RunSpec,
    most: int,
    seed: int,
    seconds: float,
    advance: Callable[[int], None] | None,
) -> str:
    """Compute up to `most` random chunks again, within a number of CPU seconds, and compare all of each."""
    begun, compared = time.process_time(), 0
    with WorkingFolder(None) as folder, store.reader() as reader:
        tables = folder.tables(search, spec, store, run)
        solver = make_solver(search, spec, tables)
        again = Recomputation(search.checker(spec, mapped_inputs(tables)), spec.metrics, seconds)
        name = spec.metrics[0].name
        starts = [start for start, _, _ in reader.digests(run.id, name)]
        chance = random.Random(seed)
        chance.shuffle(starts)
        first = [*dict.fromkeys(_of_extremes(reader, run))]
        starts = [*first, *(start for start in starts if start not in set(first))]
        for start in starts[:most]:
            recorded = {c.name: reader.chunk_at(run.id, c.name, start) for c in reader.columns(run.id)}
            whole = recorded[name]
            assert whole is not None
            found = encode_block(solver(start, whole.count), spec.metrics, run.chunk_size)
            for chunk in found:
                if recorded[chunk.column] is None or _claims(recorded[chunk.column]) != _claims(chunk):
                    raise CheckFailedError(
                        f"The chunk of '{chunk.column}' for ranks {start} to {start + chunk.count - 1}, "
                        "computed again, has other sums or another digest than was recorded."
                    )
            encoded = RecordedScores(_finder({c.column: c for c in found}), spec.metrics)
            drawn = chance.sample(range(start, start + whole.count), min(RANKS, whole.count))
            for rank in [*drawn, *(_extremes(found, spec) if start in first else ())]:
                scores = encoded.at(rank)
                if scores is not None and (text := again.difference(rank, scores)) is not None:
                    raise CheckFailedError(f"{puzzle_id(run.space, rank)}: {text}")
            compared += 1
            if advance is not None:
                advance(1)
            if time.process_time() - begun > seconds:
                break
    passes = (1 - 0.01) ** compared
    return (
        f"{compared:,} of {len(starts):,} chunks, those of the extremes first and others drawn with seed "
        f"{seed}, computed again, have the digests and sums that were recorded; the extremes and {RANKS} "
        f"ranks of each, computed again {again.forms}, agree. "
        "Values were not recorded: a run with one wrong chunk in a hundred would pass with a probability of "
        f"{passes:.0%}."
    )


def _of_extremes(reader: Reader, run: RunRecord) -> Iterator[int]:
    """Yield where the chunks begin that hold the greatest and the least value of each metric."""
    for metric in reader.metrics(run.id):
        for sign in (1, -1):
            start = chunk_queries.extreme_chunk(reader, run.id, metric.name, sign)
            if start is not None:
                yield start


def _extremes(chunks: Sequence[Chunk], spec: RunSpec) -> Iterator[int]:
    """Yield the ranks of the greatest and the least value of each metric in chunks of one range."""
    by_column = {chunk.column: chunk for chunk in chunks}
    for metric in spec.metrics:
        chunk = by_column[metric.name]
        values, status = decode_chunk(chunk), chunk_status(chunk)
        places = np.arange(chunk.count)
        if EVALUATED in by_column:
            places = np.flatnonzero(decode_chunk(by_column[EVALUATED]))
        valued = np.arange(len(values)) if status is None else np.flatnonzero(status == VALUE)
        if len(valued):
            for place in {int(np.argmax(values[valued])), int(np.argmin(values[valued]))}:
                yield chunk.start + int(places[valued[place]])


def _finder(chunks: dict[str, Chunk]) -> Callable[[str, int], Chunk | None]:
    return lambda column, _: chunks.get(column)


def _claims(chunk: Chunk | None) -> tuple[object, ...]:
    assert chunk is not None
    return (
        chunk.start, chunk.count, chunk.evaluated, chunk.valued, chunk.dtype, chunk.minimum, chunk.maximum,
        chunk.total, chunk.digest,
    )  # fmt: skip

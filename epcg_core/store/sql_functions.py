"""SQL functions on our connections, so that plain SQL reads chunks and draws puzzles.

epcg_score(run, metric, rank)         the recorded value, from rows or chunks
epcg_count(run, metric, low, high)    how many candidates have a value in low .. high; NULL means no limit
epcg_ranks(run, metric, low, high)    their ranks, as a JSON array
epcg_top(run, metric, count)          the ranks of the best candidates, best first, as a JSON array
epcg_top(run, metric, count, 'min')   the same if the smallest value is best, or 'max' the largest
epcg_percentile(run, metric, value)   the mid-rank: the percentage of lower values and half of the equal ones
epcg_quantile(run, metric, share)     the least value that a share of the values do not exceed; 0.5: median
epcg_canonical(run, rank)             the first rank of a candidate's symmetry class
epcg_puzzle(run, rank)                the puzzle's id, which rebuilds it anywhere
epcg_rank(puzzle)                     the rank of an id, or of a text in the newest recorded space that has it
epcg_rank(run, puzzle)                the rank in the space of a run
epcg_text(puzzle)                     the puzzle as text
epcg_svg(puzzle)                      the puzzle as SVG

epcg_values(run, metric, start), epcg_statuses(run, metric, start) and epcg_real(text) are what views read
chunks with.

A JSON array is a table to SQL: SELECT value AS rank FROM json_each(epcg_top(4, 'moves', 10)).
What reads chunks is imported when a function is called: it needs numpy, which most SQL does not.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from itertools import islice
from typing import TYPE_CHECKING, Any

import sqlalchemy as sa

from epcg_core.base.errors import EpcgError, StoreError, UnknownNameError, format_exception, shortened
from epcg_core.store import chunk_rows

if TYPE_CHECKING:
    from epcg_core.query.spec import CanonicalRanks
    from epcg_core.store.reader import Reader
    from epcg_core.store.records import RunRecord

PROBLEM = "epcg_function_problem"
"""Key of a connection's `info` for the last error message of our functions, which SQLite discards."""
MOST_RANKS = 1_000_000
"""Most ranks in an array: some ten megabytes of text."""
NAMES = (
    ("epcg_score", 3), ("epcg_count", 4), ("epcg_ranks", 4), ("epcg_top", 3), ("epcg_top", 4),
    ("epcg_puzzle", 2), ("epcg_text", 1), ("epcg_svg", 1), ("epcg_percentile", 3), ("epcg_rank", 1),
    ("epcg_rank", 2), ("epcg_values", 3), ("epcg_statuses", 3), ("epcg_quantile", 3), ("epcg_canonical", 2),
)  # fmt: skip
"""(name, number of arguments) of the functions."""

Function = tuple[str, int, Callable[..., Any]]
"""(name, number of arguments, what it does)."""


def register(connection: sa.Connection) -> None:
    """Make the functions known to an SQLite connection."""
    raw: Any = connection.connection.driver_connection
    for position, (name, arguments) in enumerate(NAMES):
        function = _noted(_imported(position, connection), connection)
        raw.create_function(name, arguments, function, deterministic=True)
    raw.create_function("epcg_real", 1, _noted(float, connection), deterministic=True)


def _imported(position: int, connection: sa.Connection) -> Callable[..., Any]:
    """Return a function of `functions` that imports what it needs when it is called."""
    known: list[Function] = []

    def call(*arguments: Any) -> Any:
        if not known:
            from epcg_core.store.reader import Reader

            known.append(functions(Reader(connection))[position])
        return known[0][2](*arguments)

    return call


def functions(reader: Reader) -> tuple[Function, ...]:
    """Return the functions, which read with `reader` and raise EpcgError."""

    def puzzle(run: int, rank: int) -> str:
        return f"{reader.run(run).space}#{_rank('epcg_puzzle', rank)}"

    chunks = _Chunks(reader)
    found: tuple[Callable[..., Any], ...] = (
        chunks.score, chunks.count, chunks.ranks, chunks.top, chunks.top,
        puzzle, _drawer(reader, "text"), _drawer(reader, "svg"), chunks.percentile, chunks.rank,
        chunks.rank_in, chunks.values, chunks.statuses, chunks.quantile, chunks.canonical,
    )  # fmt: skip
    return tuple((*name, function) for name, function in zip(NAMES, found, strict=True))


class _Chunks:
    """The functions that read chunks."""

    def __init__(self, reader: Reader) -> None:
        self._reader = reader
        self._canonical: dict[int, CanonicalRanks] = {}

    def score(self, run: int, metric: str, rank: int) -> Any:
        self._check(run, metric)
        found = self._reader.value(run, metric, _rank("epcg_score", rank))
        return int(found) if isinstance(found, bool) else found

    def count(self, run: int, metric: str, low: Any, high: Any) -> int:
        from epcg_core.store import chunk_queries

        self._check(run, metric)
        return chunk_queries.count(self._reader, run, metric, *_limits("epcg_count", low, high))

    def ranks(self, run: int, metric: str, low: Any, high: Any) -> str:
        from epcg_core.store import chunk_queries

        self._check(run, metric)
        inside = chunk_queries.between(self._reader, run, metric, *_limits("epcg_ranks", low, high))
        found = [rank for rank, _ in islice(inside, MOST_RANKS + 1)]
        if len(found) > MOST_RANKS:
            raise StoreError(
                f"epcg_ranks: more than {MOST_RANKS:,} candidates of run {run} have a {metric} within these "
                f"limits. Choose narrower ones, or make rows: epcg db materialize {run} --where CONDITION"
            )
        return json.dumps(found)

    def top(self, run: int, metric: str, count: Any, direction: Any = None) -> str:
        from epcg_core.store import chunk_queries

        self._check(run, metric)
        column = self._reader.column(run, metric).metric
        own = column.direction if column is not None else "max"
        if not isinstance(count, int) or not 0 <= count <= MOST_RANKS:
            raise StoreError(f"epcg_top: the count is a number from 0 to {MOST_RANKS:,}, not {count!r}.")
        if direction not in (None, "max", "min"):
            raise StoreError(f"epcg_top: the direction is 'max' or 'min', not {direction!r}.")
        sign = 1 if (direction or own) == "max" else -1
        found = chunk_queries.top(self._reader, run, metric, sign, count) if count else []
        return json.dumps([rank for rank, _ in found])

    def percentile(self, run: int, metric: str, value: Any) -> float | None:
        from epcg_core.store import chunk_queries

        self._check(run, metric)
        if value is None:
            return None
        if not isinstance(value, int | float):
            raise StoreError(f"epcg_percentile: a value is a number, not {value!r}.")
        return chunk_queries.percentile_of(self._reader, run, metric, value)

    def quantile(self, run: int, metric: str, share: Any) -> Any:
        from epcg_core.store import chunk_queries

        self._check(run, metric)
        if share is None:
            return None
        if not isinstance(share, int | float) or not 0 <= share <= 1:
            raise StoreError(f"epcg_quantile: a share is a number from 0 to 1, not {share!r}.")
        return chunk_queries.quantile_of(self._reader, run, metric, share)

    def canonical(self, run: int, rank: Any) -> int | None:
        if rank is None:
            return None
        record = self._reader.run(run)
        if not 0 <= _rank("epcg_canonical", rank) < record.max_rank:
            raise StoreError(
                f"epcg_canonical: {record.space} has ranks 0 to {record.max_rank - 1}, not {rank}."
            )
        if run not in self._canonical:
            self._canonical[run] = _canonical_ranks(record)
        import numpy as np

        return int(self._canonical[run](np.array([rank], np.int64))[0])

    def rank(self, puzzle: Any) -> int | None:
        return self.rank_in(None, puzzle)

    def rank_in(self, run: int | None, puzzle: Any) -> int | None:
        from epcg_core.store.naming import recorded_rank

        if puzzle is None:
            return None
        if not isinstance(puzzle, str):
            raise StoreError(f"epcg_rank: a puzzle is named by its id or its text, not {puzzle!r}.")
        return recorded_rank(self._reader, puzzle, run)

    def values(self, run: int, metric: str, start: int) -> str:
        self._check(run, metric)
        return chunk_rows.values(self._reader, run, metric, _rank("epcg_values", start))

    def statuses(self, run: int, metric: str, start: int) -> str:
        self._check(run, metric)
        return chunk_rows.statuses(self._reader, run, metric, _rank("epcg_statuses", start))

    def _check(self, run: Any, metric: Any) -> None:
        if not isinstance(metric, str):
            named = "NULL" if metric is None else shortened(repr(metric), 40)
            raise StoreError(f"A metric is named by a text, not by {named}.")
        try:
            self._reader.column(run, metric)
        except UnknownNameError:
            self._reader.run(run)  # raises if there is no such run
            raise


def _canonical_ranks(record: RunRecord) -> CanonicalRanks:
    from epcg_core.plugins.registry import registry
    from epcg_core.query.spec import canonical_ranks_of, make_generator
    from epcg_core.store.naming import space_of

    space = space_of(record)
    generator = make_generator(registry(), space)
    if getattr(generator, "canonical_rank", None) is None:
        return lambda ranks: ranks  # without symmetries each candidate is a class of its own
    return canonical_ranks_of(space, generator)


def _rank(function: str, rank: Any) -> int:
    if not isinstance(rank, int):
        raise StoreError(f"{function}: a rank is an integer, not {'NULL' if rank is None else repr(rank)}.")
    return rank


def _limits(function: str, low: Any, high: Any) -> tuple[float, float]:
    for limit in (low, high):
        if not isinstance(limit, int | float | None):
            raise StoreError(f"{function}: a limit is a number, or NULL for none, not {limit!r}.")
    return -math.inf if low is None else low, math.inf if high is None else high


def _drawer(reader: Reader, format: str) -> Callable[[str], str]:
    def draw(puzzle: str) -> str:
        from epcg_core.rendering.render import render
        from epcg_core.store.short_ids import whole

        return render(whole(reader, puzzle), format)

    return draw


def _noted(function: Callable[..., Any], connection: sa.Connection) -> Callable[..., Any]:
    """Wrap `function` to leave the message of what it raises, or an interrupt, in the connection's `info`."""

    def noted(*arguments: Any) -> Any:
        try:
            return function(*arguments)
        except KeyboardInterrupt as interrupt:
            connection.info[PROBLEM] = interrupt
            raise
        except Exception as error:
            connection.info[PROBLEM] = str(error) if isinstance(error, EpcgError) else format_exception(error)
            raise

    return noted

"""Traces of play: files of play pages brought in, and measures compared with what players did.

A file holds what one player did, and may be forged: its puzzles are named, not built. The comparison
is by puzzle: the median over its players against the recorded value.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from statistics import NormalDist, median
from typing import Any

import attrs
import numpy as np
from numpy.typing import NDArray

from epcg_core.plugin import (
    ACTIONS,
    Reader,
    Store,
    StoreError,
    Trace,
    TracedAction,
    UnknownNameError,
    append_traces,
    documents,
    newest_traces,
)

FORMAT, VERSIONS = "epcg-traces", (1, 2)
"""Version 2 has every action with its time; 1 only counts them."""
MOST_BYTES = 1 << 24
MOST_PUZZLES = 10_000
MOST_COUNT = 10**7
MOST_SECONDS = 10**7
LONGEST_PUZZLE = 100_000
MOST_ACTIONS = 20_000
"""A page keeps so many actions of a puzzle, and counts further ones."""
LONGEST_ACTION = 1000
CONFIDENCE = 0.95
LEAST_FOR_INTERVAL = 4
RESPONSES = ("seconds", "moves", "undos", "restarts", "hints", "rating")
"""The numbers of a trace that are compared with measures."""
FINISHED_ONLY = ("seconds", "moves")
"""Numbers that say little about the puzzle if the player gave up: only traces of finished puzzles count."""

_PUZZLE = re.compile(r"[a-z][a-z0-9_-]*:[^#\n]+#(0|[1-9][0-9]{0,18})")
_COUNTS = ("moves", "undos", "restarts", "hints")
_KEYS = {"puzzle", "seconds", *_COUNTS, "solution", "finished", "rating"}


@attrs.frozen
class Received:
    """The result of reading files."""

    new: int
    seen: int
    """Traces that were recorded before, or stood twice in the files."""
    players: int
    puzzles: int
    unknown: int
    """Puzzles of spaces that the database does not hold."""


def import_traces(store: Store, paths: Sequence[Path]) -> Received:
    """Append the traces of some files: all of them, or none if one is at fault. Raises StoreError."""
    found = [trace for path in paths for trace in read(path)]
    with store.transaction() as connection:
        new = append_traces(connection, found)
        spaces = set(connection.exec_driver_sql("SELECT name FROM space").scalars())
    return Received(
        new,
        len(found) - new,
        len({trace.player for trace in found}),
        len({trace.puzzle for trace in found}),
        len({trace.puzzle for trace in found if trace.space not in spaces}),
    )


def read(path: Path) -> list[Trace]:
    """Read a file of traces. Raises StoreError, which says what is wrong with it, and where."""
    where = f"The file of traces '{path}'"
    text = documents.read_text(path, "file of traces", StoreError, MOST_BYTES)
    data = documents.parse_json(text, where, StoreError)
    if not isinstance(data, dict) or data.get("format") != FORMAT:
        raise StoreError(f'{where}: this is not a file of a play page; its "format" would be "{FORMAT}".')
    version = data.get("version")
    if type(version) is not int or version not in VERSIONS:
        raise StoreError(
            f"{where}: version {_short(data.get('version'))} is not known: install a newer EPCG."
        )
    player = data.get("player")
    if not isinstance(player, str) or not re.fullmatch(r"[0-9a-f]{8,64}", player):
        raise StoreError(f'{where}: "player" is not a number of 8 to 64 hexadecimal digits.')
    curriculum, puzzles = data.get("curriculum"), data.get("puzzles")
    if not isinstance(curriculum, str) or len(curriculum) > 1000:
        raise StoreError(f'{where}: "curriculum" is not the name of a curriculum.')
    if not isinstance(puzzles, list) or len(puzzles) > MOST_PUZZLES:
        raise StoreError(f'{where}: "puzzles" is not a list of at most {MOST_PUZZLES:,} puzzles.')
    found = [
        _trace(each, player, curriculum, f"{where}, puzzle {n}", version) for n, each in enumerate(puzzles, 1)
    ]
    if len({trace.puzzle for trace in found}) != len(found):
        raise StoreError(f"{where}: a puzzle is there twice.")
    return found


def _trace(data: Any, player: str, curriculum: str, where: str, version: int) -> Trace:
    if not isinstance(data, dict):
        raise StoreError(f"{where}: a table is expected.")
    keys = _KEYS | ({"actions"} if version > 1 else set())
    if data.keys() != keys:
        odd = sorted(data.keys() ^ keys)[0]
        raise StoreError(f'{where}: "{_short(odd)}" is {"not known" if odd in data else "missing"}.')
    puzzle = data["puzzle"]
    if not isinstance(puzzle, str) or len(puzzle) > LONGEST_PUZZLE or not _PUZZLE.fullmatch(puzzle):
        raise StoreError(f"{where}: {_short(puzzle)} is not the id of a puzzle.")
    space, _, rank = puzzle.rpartition("#")
    if int(rank) >= 2**63:
        raise StoreError(f"{where}: {_short(puzzle)} is not the id of a puzzle: its rank is too large.")
    for name in _COUNTS:
        if type(data[name]) is not int or not 0 <= data[name] <= MOST_COUNT:
            raise StoreError(f'{where}: "{name}" is not a number from 0 to {MOST_COUNT:,}.')
    for name in ("solution", "finished"):
        if type(data[name]) is not bool:
            raise StoreError(f'{where}: "{name}" is neither true nor false.')
    seconds, rating = data["seconds"], data["rating"]
    if type(seconds) not in (int, float) or not 0 <= seconds <= MOST_SECONDS:
        raise StoreError(f'{where}: "seconds" is not a number from 0 to {MOST_SECONDS:,}.')
    if rating is not None and (type(rating) is not int or not 1 <= rating <= 5):
        raise StoreError(f'{where}: "rating" is neither null nor one of 1 to 5.')
    return Trace(
        player, puzzle, space, int(rank), curriculum, float(seconds), data["moves"], data["undos"],
        data["restarts"], data["hints"], data["solution"], data["finished"], rating,
        _actions(data, where),
    )  # fmt: skip


def _actions(data: Mapping[str, Any], where: str) -> tuple[TracedAction, ...] | None:
    """Read the actions of a puzzle; None if the page only counted them. Raises StoreError."""
    given = data.get("actions")
    if given is None:
        return None
    if not isinstance(given, list) or len(given) > MOST_ACTIONS:
        raise StoreError(f'{where}: "actions" is not a list of at most {MOST_ACTIONS:,} actions.')
    found, before = [], 0
    for number, each in enumerate(given, 1):
        at = f"{where}, action {number}"
        if not isinstance(each, list) or not 2 <= len(each) <= 3:
            raise StoreError(f"{at}: [milliseconds, kind] or [milliseconds, 'move', text] is expected.")
        ms, kind, text = (*each, "")[:3]
        if type(ms) is not int or not 0 <= ms <= 1000 * MOST_SECONDS:
            raise StoreError(f"{at}: {_short(ms)} is not a number of milliseconds.")
        if ms < before:
            raise StoreError(f"{at}: its time is {ms} ms, and that of the action before it {before} ms.")
        if kind not in ACTIONS:
            raise StoreError(f"{at}: {_short(kind)} is not one of {', '.join(ACTIONS)}.")
        if not isinstance(text, str) or len(text) > LONGEST_ACTION or (text and kind != "move"):
            raise StoreError(f"{at}: its text is not that of a move.")
        found.append(TracedAction(ms, kind, text))
        before = ms
    if before > 1000 * data["seconds"] + 1:
        raise StoreError(
            f"{where}: its last action is at {before} ms, and the time of all is {data['seconds']} seconds."
        )
    for kind, name in zip(ACTIONS, _COUNTS, strict=False):
        number = sum(each.kind == kind for each in found)
        if number != data[name] and len(found) < MOST_ACTIONS:
            raise StoreError(f'{where}: "{name}" is {data[name]}, and {number} of the actions are such.')
    return tuple(found)


def _short(value: Any) -> str:
    text = str(value)
    return repr(text if len(text) < 60 else f"{text[:56]} ...")


# --- correlation ------------------------------------------------------------------------------------------


@attrs.frozen
class Correlation:
    """A measure compared with what players did, over puzzles."""

    run: int
    metric: str
    response: str
    puzzles: int
    """Puzzles with a value and at least one trace."""
    players: int
    rho: float | None
    """Spearman's rank correlation; None if one side is the same for all puzzles, or there are below two."""
    low: float | None
    high: float | None
    """The ends of the 95 % interval; None below four puzzles."""
    left_out: int
    """Traces that do not count: not finished (for seconds and moves), without rating, or without a value."""
    points: tuple[tuple[float, float], ...]
    """The puzzles: (value, median over players)."""


@attrs.frozen
class Study:
    """The correlations of traces with the measures of a database."""

    players: int
    puzzles: int
    traces: int
    unmeasured: int
    """Traces of puzzles that no run of the study has evaluated."""
    found: tuple[Correlation, ...]


def study(reader: Reader, run_id: int | None = None, metrics: Sequence[str] = ()) -> Study:
    """Compare measures of runs with traces. Raises StoreError or UnknownNameError.

    Args:
        reader: a database with traces.
        run_id: the run; None for every finished run over a space that was played.
        metrics: the measures; none for all of a run's, imported ones included.
    """
    played = newest_traces(reader.connection)
    if not played:
        raise StoreError("There are no traces of play: bring some in with: epcg import traces FILE...")
    spaces = {trace.space for trace in played}
    runs = [
        record
        for record in reader.runs()
        if record.done and record.space in spaces and run_id in (None, record.id)
    ]
    if not runs:
        what = "No finished run" if run_id is None else f"Run {run_id} is not finished, or it"
        raise StoreError(f"{what} covers a puzzle that was played: run the query of the curriculum here.")
    known = {metric.name for record in runs for metric in reader.every_metric(record.id)}
    for name in metrics:
        if name not in known:
            raise UnknownNameError("metric", name, sorted(known), "--metric")
    measured: set[str] = set()
    found: list[Correlation] = []
    for record in runs:
        own = [trace for trace in played if trace.space == record.space]
        ranks = sorted({trace.rank for trace in own})
        inside = [rank for rank in ranks if record.start <= rank < record.stop]
        scores = dict(zip(inside, reader.scores_at(record.id, inside), strict=True))
        for metric in reader.every_metric(record.id):
            if metrics and metric.name not in metrics:
                continue
            values = {r: _number(v[metric.name]) for r, v in scores.items() if v.get(metric.name) is not None}
            measured |= {trace.puzzle for trace in own if trace.rank in values}
            found += [correlation(record.id, metric.name, name, values, own) for name in RESPONSES]
    return Study(
        len({trace.player for trace in played}),
        len({trace.puzzle for trace in played}),
        len(played),
        sum(trace.puzzle not in measured for trace in played),
        tuple(found),
    )


def correlation(
    run: int, metric: str, response: str, values: Mapping[int, float], played: Sequence[Trace]
) -> Correlation:
    """Correlate a measure, by rank, with the median response of each puzzle's players."""
    counted = [
        trace
        for trace in played
        if trace.rank in values
        and getattr(trace, response) is not None
        and (trace.finished or response not in FINISHED_ONLY)
    ]
    by_rank: dict[int, list[float]] = {}
    for trace in counted:
        by_rank.setdefault(trace.rank, []).append(float(getattr(trace, response)))
    points = tuple((values[rank], median(own)) for rank, own in sorted(by_rank.items()))
    rho = spearman([x for x, _ in points], [y for _, y in points])
    low, high = (None, None) if rho is None else interval(rho, len(points))
    players = len({trace.player for trace in counted})
    left_out = len(played) - len(counted)
    return Correlation(run, metric, response, len(points), players, rho, low, high, left_out, points)


def _number(value: Any) -> float:
    return float(value)


def spearman(first: Sequence[float], second: Sequence[float]) -> float | None:
    """Return Spearman's rank correlation: Pearson's of the ranks, equal values sharing their mean rank.

    None below two pairs, and if one side is constant.
    """
    one, other = _ranks(np.asarray(first, float)), _ranks(np.asarray(second, float))
    one, other = one - one.mean() if len(one) else one, other - other.mean() if len(other) else other
    size = math.sqrt(float((one**2).sum() * (other**2).sum()))
    return None if len(one) < 2 or not size else min(1.0, max(-1.0, float((one * other).sum()) / size))


def _ranks(values: NDArray[np.float64]) -> NDArray[np.float64]:
    _, inverse, counts = np.unique(values, return_inverse=True, return_counts=True)
    ends = np.cumsum(counts)
    means: NDArray[np.float64] = (ends - counts + 1 + ends) / 2
    return means[inverse]


def interval(rho: float, number: int) -> tuple[float | None, float | None]:
    """Return the ends of the 95 % interval of Spearman's correlation of `number` pairs.

    Fisher's z with the variance (1 + rho^2 / 2) / (n - 3) of Bonett & Wright, "Sample size requirements for
    estimating Pearson, Kendall and Spearman correlations", Psychometrika 65 (2000), 23-28. None below four.
    """
    if number < LEAST_FOR_INTERVAL:
        return None, None
    if abs(rho) >= 1:
        return rho, rho
    half = NormalDist().inv_cdf(0.5 + CONFIDENCE / 2) * math.sqrt((1 + rho**2 / 2) / (number - 3))
    return math.tanh(math.atanh(rho) - half), math.tanh(math.atanh(rho) + half)

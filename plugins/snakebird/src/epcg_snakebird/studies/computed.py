"""Values of the Snakebird publication that take more than one SELECT: the study."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

from epcg_snakebird.studies.data import Statistics, StudiedLevel, statistics
from epcg_snakebird.studies.published_levels import FOLDER, STUDY_LIMIT

if TYPE_CHECKING:
    from epcg_research.reproduce import Bench

_studied: WeakKeyDictionary[Bench, dict[int, list[StudiedLevel]]] = WeakKeyDictionary()
_KINDS = ("original", "longest", "shortest")
_PAIRS = ("longest", "shortest", "plus_1")


def of_study(bench: Bench, what: str, limit: int) -> float:
    """Return one number of the study: 'counted', or one of `_NUMBERS`."""
    levels = _levels(bench, limit)
    if what == "counted":
        return sum(level.outcome == "counted" for level in levels)
    bench.require("scipy.stats", "epcg-snakebird[study]")
    return _NUMBERS[what](statistics(levels))


def _sample(kind: int, field: str) -> Callable[[Statistics], float]:
    return lambda found: float(getattr(found.samples[kind], field))


def _comparison(pair: int, field: str) -> Callable[[Statistics], float]:
    return lambda found: float(getattr(found.comparisons[pair], field))


_NUMBERS: dict[str, Callable[[Statistics], float]] = {
    **{
        f"{field}_{kind}": _sample(i, field)
        for i, kind in enumerate(_KINDS)
        for field in ("median", "w", "p")
    },
    **{f"u_{pair}": _comparison(i, "u") for i, pair in enumerate(_PAIRS)},
    **{f"rank_sum_p_{pair}": _comparison(i, "p") for i, pair in enumerate(_PAIRS)},
}


def _levels(bench: Bench, limit: int) -> list[StudiedLevel]:
    from epcg_snakebird.studies.runs import studied_levels

    folder = bench.file(FOLDER).resolve()
    known = _studied.setdefault(bench, {})
    if limit not in known:
        known[limit] = list(studied_levels(bench.coordinator, bench.store, folder, limit))
    for level in known[limit]:
        if level.run is not None:
            bench.note(level.run)
    return known[limit]


def draw(bench: Bench, path: Path) -> None:
    """Plot the three distributions (figure 4)."""
    from epcg_snakebird.studies.plots import draw_lengths

    draw_lengths(path, [level for level in _levels(bench, STUDY_LIMIT) if level.outcome == "counted"])

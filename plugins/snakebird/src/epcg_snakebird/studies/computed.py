"""Values of the Snakebird publication that take more than one SELECT: the study."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from statistics import fmean
from typing import TYPE_CHECKING, Any, Protocol
from weakref import WeakKeyDictionary

from epcg_core.plugin import Coordinator, EpcgError, RunRecord, Store
from epcg_snakebird.studies.data import Statistics, StudiedLevel, statistics

if TYPE_CHECKING:
    from matplotlib.axes import Axes

FOLDER = "snakebird"
"""The folder of the levels in the published data."""
STUDY_LIMIT = 20_000
"""Expansions, in the figure."""


class Bench(Protocol):
    """What a publication's functions get: runs are recorded with it, and published files read."""

    @property
    def coordinator(self) -> Coordinator: ...
    @property
    def store(self) -> Store: ...
    def answer(self, query: str, settings: Sequence[str] = ()) -> RunRecord: ...
    def rows(self, sql: str, run: RunRecord | None = None) -> list[tuple[Any, ...]]: ...
    def note(self, run_id: int) -> None: ...
    def file(self, name: str) -> Path: ...
    def table(self, name: str, columns: Sequence[str]) -> list[dict[str, str]]: ...
    def require(self, module: str, extra: str) -> None: ...
    def save_figure(self, path: Path, draw: Callable[[Axes], None]) -> None: ...


_studied: WeakKeyDictionary[Bench, dict[int, list[StudiedLevel]]] = WeakKeyDictionary()
_KINDS = ("original", "longest", "shortest")
_PAIRS = ("longest", "shortest", "plus_1")
RESPONSES = "snakebird/responses.csv"
"""Answers of people: who, which pair of levels, a word, and which level of the pair was ranked first."""
COLUMNS = ("person", "pair", "word", "first")


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


def _paired(pair: int) -> Callable[[Statistics], float]:
    return lambda found: found.paired[pair].p


_NUMBERS: dict[str, Callable[[Statistics], float]] = {
    **{
        f"{field}_{kind}": _sample(i, field)
        for i, kind in enumerate(_KINDS)
        for field in ("median", "w", "p")
    },
    **{f"u_{pair}": _comparison(i, "u") for i, pair in enumerate(_PAIRS)},
    **{f"rank_sum_p_{pair}": _comparison(i, "p") for i, pair in enumerate(_PAIRS)},
    **{f"signed_rank_p_{pair}": _paired(i) for i, pair in enumerate(_PAIRS[:2])},
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


def mean_length(bench: Bench, beginning: str) -> tuple[float, str]:
    """Return the mean number of positions on the shortest solutions of levels whose names begin so.

    Raises EpcgError if no such level has a solution.
    """
    files = [path for path in sorted(bench.file(FOLDER).glob("*.map")) if path.stem.startswith(beginning)]
    moves = "SELECT minimum FROM metrics WHERE run_id = :run AND metric = 'moves'"
    found = []
    for path in files:
        run = bench.answer("snakebird/levels", [f'generator.path="{path.resolve()}"'])
        found += [length for (length,) in bench.rows(moves, run) if length is not None]
    if not found:
        raise EpcgError(
            f"{FOLDER}: there is no level {beginning}*.map with a solution: name the folder above by --data."
        )
    return 1 + fmean(found), f"n = {len(found)} of {len(files)}"


def draw(bench: Bench, path: Path) -> None:
    """Plot the three distributions (figure 4)."""
    from epcg_snakebird.studies.plots import draw_lengths

    counted = [level for level in _levels(bench, STUDY_LIMIT) if level.outcome == "counted"]
    draw_lengths(path, counted, bench.save_figure)


def variant_first(bench: Bench, word: str) -> tuple[float, str]:
    """Return in how many percent of the answers to a word the variant was ranked first, and of how many."""
    firsts = _answers(bench, word)
    return 100 * sum(firsts) / len(firsts), f"n = {len(firsts)}"


def variant_first_p(bench: Bench, word: str) -> tuple[float, str]:
    """Return p of the paired Wilcoxon signed-rank test of the ranks of the original and of the variant."""
    firsts = _answers(bench, word)
    bench.require("scipy.stats", "epcg-snakebird[study]")
    from scipy.stats import wilcoxon

    original, variant = [1 + first for first in firsts], [2 - first for first in firsts]
    found = wilcoxon(original, variant, method="asymptotic")
    return float(found.pvalue), f"n = {len(firsts)}"


def _answers(bench: Bench, word: str) -> list[bool]:
    """Return for each answer to a word whether the variant was ranked first.

    Raises EpcgError, which names the line, if an answer is not 'variant' or 'original', or is given twice.
    """
    rows = bench.table(RESPONSES, COLUMNS)
    seen: dict[tuple[str, str, str], int] = {}
    for number, row in enumerate(rows, 2):
        if row["first"] not in ("variant", "original"):
            raise EpcgError(
                f"{RESPONSES}, answer {number - 1}: '{row['first']}' was not ranked first: write 'variant' "
                "or 'original'."
            )
        key = (row["person"], row["pair"], row["word"])
        if key in seen:
            raise EpcgError(
                f"{RESPONSES}, answer {number - 1}: '{row['person']}' answered '{row['word']}' for this "
                f"pair in answer {seen[key]} already: leave one of them out."
            )
        seen[key] = number - 1
    found = [row["first"] == "variant" for row in rows if row["word"] == word]
    if not found:
        raise EpcgError(f"{RESPONSES}: there is no answer to the word '{word}'.")
    return found

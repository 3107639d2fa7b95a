"""Values of the Witness publications that take more than one SELECT."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from math import comb
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, Protocol

from epcg_core.plugin import RunRecord
from epcg_witness.params import PUBLISHED_RULES

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from epcg_witness.studies.correlations import Correlation

Method = Literal["pearson", "spearman", "kendall"]

_KEYS = {"adversarial": "adv_entropy"}
"""The file's name of a measure, if that is not the measure's own name."""
AGREE = 1e-4
ENTROPY_FILE = "windmill/puzzles_103.json"
SUB_PANELS = 3


class Bench(Protocol):
    """What a publication's functions get: it answers queries by recorded runs, and reads published files.

    `correlation` and `difference` give an object with `value` and `p`, each with what it is of.
    """

    def answer(self, query: str, settings: Sequence[str] = ()) -> RunRecord: ...
    def rows(self, sql: str, run: RunRecord | None = None) -> list[tuple[Any, ...]]: ...
    def json(self, name: str) -> Any: ...
    def table(self, name: str, columns: Sequence[str]) -> list[dict[str, str]]: ...
    def require(self, module: str, extra: str) -> None: ...
    def save_figure(self, path: Path, draw: Callable[[Axes], None]) -> None: ...
    def correlation(self, x: Sequence[float], y: Sequence[float], method: Method) -> Any: ...
    def difference(
        self, y: Sequence[float], first: Sequence[float], second: Sequence[float], method: Method
    ) -> Any: ...


def piece_types(bench: Bench) -> int:
    """Count the polyominoes of the library."""
    from epcg_witness.generators.libraries import library

    return len(library("without_s_and_z"))


def ways_to_place(bench: Bench) -> int:
    """Count the ways to choose three cells of 3 by 3."""
    return comb(9, SUB_PANELS)


def types_of_three(bench: Bench) -> int:
    """Count the ways to choose a type for each of three pieces."""
    types: int = piece_types(bench) ** SUB_PANELS
    return types


def panels_of_three(bench: Bench) -> float:
    """Count the ways to choose three sub-panels one after the other."""
    return float((ways_to_place(bench) * types_of_three(bench)) ** SUB_PANELS)


def classes_of(rows: Sequence[tuple[Any, ...]]) -> int:
    """Return how many classes there are, if the one row is the number of multisets of three of them."""
    ((multisets,),) = rows
    classes = 0
    while comb(classes + SUB_PANELS - 1, SUB_PANELS) < multisets:
        classes += 1
    return classes


def joint_solutions(rows: Sequence[tuple[Any, ...]]) -> str:
    """Return the joint solutions of sets of sub-panels; each row is (the set as a string,)."""
    found = [re.search(r"joint solution.* from \(\d+, \d+\): ([UDLR]+),", text) for (text,) in rows]
    return ", ".join(sorted({match[1] for match in found if match is not None}))


def figure_3_solution(rows: Sequence[tuple[Any, ...]]) -> str:
    """Return the figure's joint solution if it is one of the sets', else all of the sets' solutions."""
    found = joint_solutions(rows)
    return "URDRUURU" if "URDRUURU" in found.split(", ") else found


def _puzzles(bench: Bench) -> list[tuple[dict[str, Any], dict[str, Any]]]:
    """Return (entry of the file, our measures) of every puzzle; the player knows the published rules."""
    rules = ", ".join(f'"{name}"' for name in PUBLISHED_RULES)
    run = bench.answer(
        "witness/three_pieces",
        [
            f'generator={{name="windmill_file", path="{{data}}/{ENTROPY_FILE}"}}',
            f'evaluators=[{{name="solutions"}}, {{name="entropy", rules=[{rules}]}}]',
            "select=[]",
            'record={rows="all", on_error="record"}',
        ],
    )
    entries = bench.json(ENTROPY_FILE)
    scores: list[dict[str, Any]] = [{} for _ in entries]
    for rank, metric, value in bench.rows("SELECT rank, metric, value FROM scores WHERE run_id = :run", run):
        scores[rank][metric] = value
    return list(zip(entries, scores, strict=True))


def agree(bench: Bench, measure: str) -> int:
    """Count the puzzles that have the published value of a measure."""
    key = _KEYS.get(measure, measure)
    compared = [(e["published"][key], s.get(measure)) for e, s in _puzzles(bench) if "published" in e]
    return sum(ours is not None and abs(theirs - ours) <= AGREE for theirs, ours in compared)


def _used(bench: Bench, measure: str, trend: bool) -> tuple[list[float], list[float]]:
    """Return the values of a measure, and the votes, with or without their trend."""
    bench.require("scipy.stats", "epcg-witness[study]")
    from epcg_witness.studies.correlations import detrended

    used = [(e, s) for e, s in _puzzles(bench) if s.get(measure) is not None]
    votes = [float(e["upvotes"]) for e, _ in used]
    if not trend:
        votes = [float(vote) for vote in detrended(votes, [float(e["created_ms"]) for e, _ in used])]
    return [s[measure] for _, s in used], votes


def correlation(bench: Bench, measure: str, trend: bool = False) -> Any:
    """Return Pearson's correlation of a measure with the votes, detrended or with their trend."""
    return bench.correlation(*_used(bench, measure, trend), "pearson").value


def p_value(bench: Bench, measure: str, trend: bool = False) -> Any:
    """Return how probable so large a correlation is by chance."""
    found = bench.correlation(*_used(bench, measure, trend), "pearson").p
    assert found is not None
    return found


def _correlated(bench: Bench, measure: str) -> Correlation:
    bench.require("scipy.stats", "epcg-witness[study]")
    from epcg_witness.studies.correlations import correlations

    used = [(e, s) for e, s in _puzzles(bench) if s.get(measure) is not None]
    return correlations(
        {measure: [s[measure] for _, s in used]},
        [float(e["upvotes"]) for e, _ in used],
        [float(e["created_ms"]) for e, _ in used],
    )[0]


def draw(bench: Bench, path: Path, measure: str) -> None:
    """Plot the puzzles by a measure and their votes."""
    from epcg_witness.studies.plots import plot_all

    (drawn,) = plot_all(path.parent, [_correlated(bench, measure)], bench.save_figure)
    drawn.replace(path)

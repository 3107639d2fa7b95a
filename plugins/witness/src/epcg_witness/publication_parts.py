"""What the rows of the Witness publications compute beyond one SELECT."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from functools import partial
from math import comb
from pathlib import Path
from typing import TYPE_CHECKING, Any

from epcg_witness.publications import ENTROPY_FILE, entropy_ask

if TYPE_CHECKING:
    from epcg_core.reproduce import Bench
    from epcg_witness.difficulty_study import Correlation

_KEYS = {"adversarial": "adv_entropy"}
"""What the file calls a measure, where that is not its own name."""
AGREE = 1e-4


# --- joint panels -------------------------------------------------------------------------------------------

SUB_PANELS = 3


def classes_of(rows: Sequence[tuple[Any, ...]]) -> int:
    """How many classes there are, where the one row is the number of multisets of three of them."""
    ((multisets,),) = rows
    classes = 0
    while comb(classes + SUB_PANELS - 1, SUB_PANELS) < multisets:
        classes += 1
    return classes


def joint_solutions(rows: Sequence[tuple[Any, ...]]) -> str:
    """The joint solutions of sets of sub-panels; each row is (the set as text,)."""
    found = [re.search(r"joint solution.* from \(\d+, \d+\): ([UDLR]+),", text) for (text,) in rows]
    return ", ".join(sorted({match[1] for match in found if match is not None}))


def figure_3_solution(rows: Sequence[tuple[Any, ...]]) -> str:
    """The figure's joint solution where it is one of the sets', else all of theirs."""
    found = joint_solutions(rows)
    return "URDRUURU" if "URDRUURU" in found.split(", ") else found


# --- entropy ------------------------------------------------------------------------------------------------


def _puzzles(bench: Bench) -> list[tuple[dict[str, Any], dict[str, Any]]]:
    """(entry of the file, our measures) of every puzzle."""
    path = bench.file(ENTROPY_FILE)
    run = bench.answer(entropy_ask())
    entries = json.loads(path.read_text(encoding="utf-8"))
    scores: list[dict[str, Any]] = [{} for _ in entries]
    for rank, metric, value in bench.rows("SELECT rank, metric, value FROM scores WHERE run_id = :run", run):
        scores[rank][metric] = value
    return list(zip(entries, scores, strict=True))


def _agree(bench: Bench, measure: str) -> int:
    key = _KEYS.get(measure, measure)
    compared = [(e["published"][key], s.get(measure)) for e, s in _puzzles(bench) if "published" in e]
    return sum(ours is not None and abs(theirs - ours) <= AGREE for theirs, ours in compared)


agree_muse = partial(_agree, measure="muse")
agree_remuse = partial(_agree, measure="remuse")
agree_adversarial = partial(_agree, measure="adversarial")
agree_solutions = partial(_agree, measure="solutions")
agree_tsi = partial(_agree, measure="tsi")


def _correlation(bench: Bench, measure: str) -> Correlation:
    bench.require("scipy.stats", "epcg-witness[study]")
    from epcg_witness.difficulty_study import correlations

    used = [(e, s) for e, s in _puzzles(bench) if s.get(measure) is not None]
    return correlations(
        {measure: [s[measure] for _, s in used]},
        [float(e["upvotes"]) for e, _ in used],
        [float(e["created_ms"]) for e, _ in used],
    )[0]


def _r(bench: Bench, measure: str) -> float:
    return _correlation(bench, measure).r


def _p(bench: Bench, measure: str) -> float:
    return _correlation(bench, measure).p


r_muse, p_muse = partial(_r, measure="muse"), partial(_p, measure="muse")
r_remuse, p_remuse = partial(_r, measure="remuse"), partial(_p, measure="remuse")
r_tsi, p_tsi = partial(_r, measure="tsi"), partial(_p, measure="tsi")


def _draw(bench: Bench, path: Path, measure: str) -> None:
    from epcg_witness.difficulty_plots import plot_all

    (drawn,) = plot_all(path.parent, [_correlation(bench, measure)])
    drawn.replace(path)


draw_remuse = partial(_draw, measure="remuse")
draw_tsi = partial(_draw, measure="tsi")

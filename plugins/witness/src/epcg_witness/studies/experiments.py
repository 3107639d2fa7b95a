"""The experiments of the 2024 paper, and what the whole corpus says: values of rows of `epcg reproduce`."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from typing import Any, Literal
from weakref import WeakKeyDictionary

from epcg_core.plugin import EpcgError
from epcg_witness.formats.windmill import read_windmill
from epcg_witness.params import PUBLISHED_RULES
from epcg_witness.rules.panel import Square
from epcg_witness.studies.computed import ENTROPY_FILE, Bench
from epcg_witness.studies.corpus import CORPUS_FILE, Posted, Set, is_measured, published_set, read_corpus

POLICY_FILES = {
    "policy_puzzle_difficulty.csv": ("policy_msi", "policy_tsi"),
    "policy_learned_policy_results.csv": ("difficulty",),
}
"""The published difficulties of the 24 panels by learned policies, and their columns."""
BASELINE = {"triangles": (*PUBLISHED_RULES, "triangle"), "other": PUBLISHED_RULES}
PLAYERS = 24
RULES = (*PUBLISHED_RULES, "triangle")
"""The rules under which all panels of the corpus are measured."""
MOST_PATHS = 1_000_000
"""Partial paths: a panel with more is left out."""
LEAST_SOLVES = 30
Response = Literal["votes", "rate"]
_read: WeakKeyDictionary[Bench, list[Posted]] = WeakKeyDictionary()


def posted(bench: Bench) -> list[Posted]:
    """Read the corpus, once a bench."""
    if bench not in _read:
        _read[bench] = read_corpus(bench.json(CORPUS_FILE))
    return _read[bench]


def measured(
    bench: Bench, file: str, ids: Sequence[str], evaluators: str, metrics: Sequence[str]
) -> dict[str, dict[str, float]]:
    """Return the values of metrics of puzzles of a file, by their ids; those that have them all."""
    path = f"{{data}}/{file}"
    run = bench.answer(
        "witness/three_pieces",
        [
            f'generator={{name="windmill_file", path="{path}", ids={json.dumps(sorted(ids))}}}',
            f"evaluators={evaluators}",
            "select=[]",
            'record={rows="all", on_error="record"}',
        ],
    )
    order = [entry["id"] for entry in bench.json(file) if entry["id"] in set(ids)]
    names = ", ".join(f"'{metric}'" for metric in metrics)
    found: dict[str, dict[str, float]] = {}
    sql = f"SELECT rank, metric, value FROM scores WHERE run_id = :run AND metric IN ({names})"
    for rank, metric, value in bench.rows(sql, run):
        if value is not None and math.isfinite(value):
            found.setdefault(order[rank], {})[metric] = value
    return {name: values for name, values in found.items() if len(values) == len(metrics)}


def entropy_of(rules: Sequence[str], limit: int | None = None) -> str:
    """Write the evaluators that measure what a player with these rules finds hard."""
    own = ', rule_params={triangle={counting="published"}}' if "triangle" in rules and limit is None else ""
    most = "" if limit is None else f", limit={limit}"
    return f'[{{name="entropy", rules={json.dumps(list(rules))}{own}{most}}}]'


# --- rules -------------------------------------------------------------------------------------------------


def panels(bench: Bench, which: Set) -> int:
    """Count the panels of a set that have a TSI under its baseline rules."""
    return len(_set(bench, which, ()))


def rules_correlation(bench: Bench, which: Set, added: tuple[str, ...], p: bool) -> Any:
    """Return r (or p) of TSI and the detrended votes on a set, for a player who knows further rules."""
    values = _set(bench, which, added)
    chosen = [each for each in published_set(posted(bench), which) if each.id in values]
    found = bench.correlation([values[each.id]["tsi"] for each in chosen], detrended_votes(chosen), "pearson")
    assert found.p is not None
    return found.p if p else found.value


def _set(bench: Bench, which: Set, added: tuple[str, ...]) -> dict[str, dict[str, float]]:
    ids = [each.id for each in published_set(posted(bench), which)]
    rules = (*BASELINE[which], *added)
    return measured(bench, CORPUS_FILE, ids, entropy_of(rules), ("tsi",))


def detrended_votes(chosen: Sequence[Posted]) -> list[float]:
    """Return the upvotes without their trend over time."""
    from epcg_witness.studies.correlations import detrended

    times = [each.created_ms for each in chosen]
    return [float(v) for v in detrended([float(each.upvotes) for each in chosen], times)]


# --- player models -----------------------------------------------------------------------------------------


def players(bench: Bench) -> list[dict[str, Any]]:
    """Return the entries of the 24 panels: those of the published list with two colours of squares only.

    Raises EpcgError if the file holds another number of them.
    """
    found = []
    for entry in bench.json(ENTROPY_FILE):
        panel = read_windmill(entry["contents"], f"puzzle {entry['id']}")
        colours = {symbol.colour for _, symbol in panel.symbols if isinstance(symbol, Square)}
        if len(colours) == 2 and not panel.dots and not panel.gaps:
            found.append(entry)
    if len(found) != PLAYERS:
        raise EpcgError(
            f"{ENTROPY_FILE} has {len(found)} panels with two colours of squares only, and the paper's list "
            f"has {PLAYERS}: it is another file."
        )
    return found


def player_correlation(bench: Bench, rules: tuple[str, ...]) -> Any:
    """Return r of TSI and the detrended votes on the 24 panels, for a player who knows rules."""
    entries = players(bench)
    known = ("path", "reach-goal", *rules)
    ids = [entry["id"] for entry in entries]
    values = measured(bench, ENTROPY_FILE, ids, entropy_of(known), ("tsi",))
    return _with_votes(bench, {name: own["tsi"] for name, own in values.items()})


def policy_correlation(bench: Bench, file: str, column: str) -> Any:
    """Return r of a learned policy's published difficulties and the detrended votes on the 24 panels."""
    rows = bench.table(f"windmill/{file}", ("id", column))
    try:
        return _with_votes(bench, {row["id"]: float(row[column]) for row in rows})
    except ValueError as error:
        raise EpcgError(f"windmill/{file}, column '{column}': {error}.") from None


def _with_votes(bench: Bench, values: dict[str, float]) -> Any:
    from epcg_witness.studies.correlations import detrended

    entries = [entry for entry in players(bench) if entry["id"] in values]
    votes = detrended([float(e["upvotes"]) for e in entries], [float(e["created_ms"]) for e in entries])
    return bench.correlation([values[e["id"]] for e in entries], [float(v) for v in votes], "pearson").value


# --- all panels of the corpus ------------------------------------------------------------------------------


def corpus_count(bench: Bench, what: str) -> int:
    """Count panels of the corpus, or solves."""
    entries = bench.json(CORPUS_FILE)
    if what == "panels":
        return len(entries)
    if what == "solves":
        return sum(entry["solves"] for entry in entries)
    if what == "solved":
        return sum(entry["solves"] >= LEAST_SOLVES for entry in entries)
    often = [each for each in posted(bench) if each.solves >= LEAST_SOLVES]
    if what == "read":
        return len(often)
    if what == "defined":
        return sum(is_measured(each.panel) for each in often)
    return len(_corpus(bench))


def corpus_correlation(bench: Bench, measure: str, response: Response) -> Any:
    """Return Spearman's rho of a measure, or a baseline, and a response, on all panels that are measured."""
    values = _corpus(bench)
    chosen = [each for each in posted(bench) if each.id in values]
    x = [values[each.id][measure] for each in chosen]
    return bench.correlation(x, _response(chosen, response), "spearman").value


def corpus_difference(bench: Bench, measure: str, baseline: str, response: Response) -> Any:
    """Return how much more rho a measure has than a baseline, on the same panels."""
    values = _corpus(bench)
    chosen = [each for each in posted(bench) if each.id in values]
    first, second = ([values[each.id][name] for each in chosen] for name in (measure, baseline))
    return bench.difference(_response(chosen, response), first, second, "spearman").value


def _response(chosen: Sequence[Posted], response: Response) -> list[float]:
    if response == "rate":
        return [each.upvotes / each.solves for each in chosen]
    return detrended_votes(chosen)


def _corpus(bench: Bench) -> dict[str, dict[str, float]]:
    """Return measures and baselines of all panels solved often that have every one of them."""
    often = [e for e in posted(bench) if e.solves >= LEAST_SOLVES and is_measured(e.panel)]
    sizes = {each.id: float(each.panel.width * each.panel.height) for each in often}
    measures = ("muse", "remuse", "msi", "tsi")
    hard = measured(bench, CORPUS_FILE, list(sizes), entropy_of(RULES, MOST_PATHS), measures)
    solved = measured(
        bench,
        CORPUS_FILE,
        list(hard),
        '[{name="solutions"}, {name="shortest_solution"}]',
        ("solutions", "shortest_solution"),
    )
    return {
        name: {
            **hard[name],
            "few_solutions": -math.log2(own["solutions"]),
            "length": own["shortest_solution"],
            "size": sizes[name],
        }
        for name, own in solved.items()
        if own["solutions"] > 0
    }

"""Rows of tables about metrics and candidates, for several commands."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from epcg_core.api import words
from epcg_core.api.report import Table
from epcg_core.base import guests
from epcg_core.domain import Reading

MOST_GROUPS = 100
"""Rows of a table of wholes that is printed."""
BARS = 12
BAR_WIDTH = 40
METRIC_HEADER = ["metric", "values", "lowest", "highest", "mean", "total"]


def metric_row(facts: dict[str, Any]) -> list[Any]:
    """Return a metric's facts as cells below METRIC_HEADER; the total of a boolean counts the true values."""
    total, valued = facts["total"], facts["valued"]
    if facts["kind"] == "bool":
        mean: Any = words.share(total or 0, valued)
        return [facts["metric"], words.count(valued), None, None, mean, words.count(total)]
    total = words.count(total) if isinstance(total, int) else total
    return [facts["metric"], words.count(valued), facts["min"], facts["max"], facts["mean"], total]


def missing_parts(run_id: int, missing: Sequence[dict[str, Any]]) -> Iterator[str | Table]:
    """Yield why candidates of a run have no value: a row for each if they are few, else their numbers."""
    for facts in missing:
        reasons = {"none": facts["meaning"] or "no value", "limit": "unknown (limit)"}
        count = facts["none"] + facts["limit"]
        if count == len(facts["first"]):
            yield f"\nRun {run_id}, candidates without {facts['metric']}"
            yield _reasons([(row, _reason(reasons, row)) for row in facts["first"]])
        else:
            numbers = [f"{reasons[key]} {facts[key]:,}" for key in reasons if facts[key]]
            yield f"\nRun {run_id}, candidates without {facts['metric']}: {count:,} ({', '.join(numbers)})"
            yield from _groups(facts["groups"], reasons)


def _groups(groups: Sequence[dict[str, Any]], reasons: dict[str, str]) -> Iterator[str | Table]:
    """Yield for each whole of titles how many of its candidates have no value, and why."""
    if not groups:
        return
    used = [key for key in reasons if any(group[key] for group in groups)]
    rows = [[group["title"], *(words.count(group[key]) for key in used)] for group in groups[:MOST_GROUPS]]
    yield Table.of(["title", *(reasons[key] for key in used)], rows)
    if len(groups) > MOST_GROUPS:
        yield f"and {len(groups) - MOST_GROUPS} more; --json has all of them"


def _reason(reasons: dict[str, str], row: dict[str, Any]) -> str:
    """Write 'no solution (proven), expansions 2,788'."""
    values = [f"{name} {value:,}" for name, value in row.items() if name not in ("rank", "title", "status")]
    return ", ".join([reasons[row["status"]], *values])


def reading_parts(reading: Reading | None, before: str = "") -> Iterator[str]:
    """Yield what of a space's texts was not read or is not searched, if there is anything."""
    for sentence in () if reading is None else reading.sentences:
        yield f"{before}{sentence}"


def error_parts(run_id: int, errors: dict[str, Any]) -> Iterator[str | Table]:
    """Yield the candidates of a run that have an error instead of values, if there are any."""
    count, first = errors["count"], errors["first"]
    if not count:
        return
    candidates = "1 candidate" if count == 1 else f"{count:,} candidates"
    more = f"; the first {len(first)}" if len(first) < count else ""
    yield f"\nWithout values in run {run_id}, with the reason: {candidates}{more}"
    yield _reasons([(row, row["reason"]) for row in first])


def _reasons(rows: Sequence[tuple[dict[str, Any], str]]) -> Table:
    """Return a table of candidates with their titles, if they have some, and a reason for each.

    Candidates of one reason whose ranks follow each other share a row.
    """
    titled = any("title" in row for row, _ in rows)
    header = ["rank", *(["title"] if titled else []), "reason"]
    spans: list[tuple[dict[str, Any], dict[str, Any], str]] = []
    for row, reason in rows:
        first, last, before = spans[-1] if spans else (row, row, None)
        if before == reason and row["rank"] == last["rank"] + 1:
            spans[-1] = first, row, reason
        else:
            spans.append((row, row, reason))
    return Table.of(
        header,
        [
            [_span(first, last, "rank"), *([_span(first, last, "title")] if titled else []), reason]
            for first, last, reason in spans
        ],
    )


def _span(first: dict[str, Any], last: dict[str, Any], key: str) -> Any:
    """Return a value that two rows have in common, or the first and the last of several."""
    one, other = first.get(key), last.get(key)
    return one if one == other else f"{one} to {other}"


def candidate_table(
    candidates: Sequence[dict[str, Any]], names: Sequence[str], with_ranks: bool = False
) -> tuple[list[str], list[list[Any]]]:
    """Header and rows of selected candidates: scores in the order of `names`, edits and notes, if any."""
    edits = ["edits"] if any("edits" in candidate for candidate in candidates) else []
    titles = ["title"] if any("title" in candidate for candidate in candidates) else []
    notes = ["note"] if any("note" in candidate for candidate in candidates) else []
    header = [*(["rank"] if with_ranks else []), *titles, *names, *edits, *notes, "puzzle"]
    rows = [[(candidate | candidate["scores"]).get(name) for name in header] for candidate in candidates]
    return header, rows


def histogram_bars(facts: dict[str, Any], bins: Sequence[Sequence[Any]]) -> list[str]:
    """Draw a histogram of at most BARS bars as text; `facts` has the metric's name, kind and unit."""
    merged = _merged(bins)
    most, total = max(bin[2] for bin in merged), sum(bin[2] for bin in merged)
    labels = [_bin_label(low, high, facts["kind"]) for low, high, _ in merged]
    width = max(map(len, labels))
    block = "█" if "utf" in (guests.output().encoding or "").lower() else "#"
    unit = f" ({facts['unit']})" if facts["unit"] else ""
    lines = [f"{facts['metric']}{unit}"]
    counts = [f"{number:,}" for _, _, number in merged]
    for label, (_, _, number), text in zip(labels, merged, counts, strict=True):
        bar = block * max(1, round(BAR_WIDTH * number / most)) if number else ""
        percent = words.share(number, total)
        lines.append(f"  {label:>{width}}  {text:>{max(map(len, counts))}}  {percent:>7}  {bar}".rstrip())
    return lines


def _merged(bins: Sequence[Sequence[Any]]) -> list[list[Any]]:
    """Bins of equal width, at most BARS of them; unchanged if they are few."""
    if len(bins) <= BARS:
        return [list(bin) for bin in bins]
    lowest, highest = bins[0][0], bins[-1][1]
    exact = all(isinstance(bin[0], int) and bin[0] == bin[1] for bin in bins)
    step = -(-(highest - lowest + 1) // BARS) if exact else (highest - lowest) / BARS
    merged: list[list[Any]] = []
    for i in range(BARS):
        low = lowest + i * step
        if low <= highest:
            merged.append([low, min(low + step - 1, highest) if exact else low + step, 0])
    for low, _, number in bins:
        merged[min(int((low - lowest) / step), len(merged) - 1)][2] += number
    return merged


def _bin_label(low: Any, high: Any, kind: str) -> str:
    if kind == "bool":
        return "yes" if low else "no"
    if low == high:
        return f"{low:,}" if isinstance(low, int) else f"{low:.4g}"
    if isinstance(low, int) and isinstance(high, int):
        return f"{low:,} to {high:,}"
    return f"{low:.4g} to {high:.4g}"

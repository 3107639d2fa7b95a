"""Ask what measures say of people, for `epcg study`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import attrs

from epcg_core.plugin import Number, Store, StoreError, say, write, write_json
from epcg_research import figures, statistics
from epcg_research.statistics import Estimate, Power
from epcg_research.statistics.multiple import IN_WORDS
from epcg_research.studies import answers as data
from epcg_research.studies.analysis import (
    PEOPLE_IN_WORDS,
    Beside,
    Correlated,
    Finding,
    Halves,
    How,
    compare as compared,
    correlate as correlated,
    halves,
)
from epcg_research.studies.measures import measures


def responses(location: str, format: str) -> None:
    """List the data sets and their responses."""
    with Store.open(location) as store, store.reader() as reader:
        found = data.recorded(reader)
    header = ["study", "response", "unit", "scale", "people", "puzzles", "answers"]
    rows = [
        [
            each.study,
            response.name,
            response.unit,
            response.scale,
            len({answer.person for answer in each.counted(response.name)}),
            len({answer.puzzle for answer in each.counted(response.name)}),
            len(each.counted(response.name)),
        ]
        for each in found
        for response in each.responses
    ]
    write(format, header, rows)
    if format == "table" and not found:
        say("There is nothing: `epcg import traces` and `epcg import responses` bring something in.")


def correlate(
    location: str,
    format: str,
    name: str | None,
    responses: Sequence[str],
    metrics: Sequence[str],
    run_id: int | None,
    baselines: Sequence[str],
    how: Mapping[str, Any],
) -> Correlated:
    """Print correlations, baselines and comparisons with these."""
    statistics.need_statistics("Studies need")
    with Store.open(location) as store, store.reader() as reader:
        answers = data.named(reader, name)
        measured = measures(reader, answers, run_id, metrics, baselines)
    found = correlated(answers, measured, responses, How(**how))
    header = ["run", "metric", "with", "puzzles", "people", _name(found.found), "lowest", "highest", "p"]
    header += [
        "p adjusted",
        "left out",
        *(["baseline"] if any(each.baseline for each in found.found) else []),
    ]
    if format == "json":
        write_json(attrs.asdict(found))
        return found
    write(format, header, (_row(each, format)[: len(header)] for each in found.found))
    if format != "table":
        return found
    if found.beside:
        say("Beside baselines, over the puzzles that have both:")
        write("table", _BESIDE, (_beside(each, format) for each in found.beside))
    _explain(found)
    return found


def traces(
    location: str, format: str, run_id: int | None, metrics: Sequence[str], plot: Path | None, against: str
) -> None:
    """Print correlations with traces of play, and draw one."""
    with Store.open(location) as store, store.reader() as reader:
        if not data.of_traces(reader).answers:
            raise StoreError("There are no traces of play: bring some in with: epcg import traces FILE...")
    found = correlate(location, format, data.TRACES, (), metrics, run_id, (), {})
    if plot is not None:
        _plot(found.found, against, plot)
        say(f"Drawn into {plot}.")


def _name(found: Sequence[Finding]) -> str:
    """Return the heading of the column of estimates."""
    names = {each.estimate.name for each in found}
    return {
        "Spearman's rho": "rho",
        "Pearson's r": "r",
        "Kendall's tau-b": "tau",
        "standardized slope": "slope",
    }[names.pop()]


def _row(found: Finding, format: str) -> list[Any]:
    estimate = found.estimate
    numbers = [estimate.value, estimate.low, estimate.high, estimate.p, found.adjusted]
    runs = ", ".join(map(str, found.runs))
    return [
        int(runs) if runs.isdecimal() else runs, found.metric, found.response, found.puzzles, found.people,
        *_cells(numbers, format), found.left_out, found.baseline,
    ]  # fmt: skip


_BESIDE = ["metric", "beside", "with", "n", "one", "other", "difference", "lowest", "highest"]


def _beside(found: Beside, format: str) -> list[Any]:
    estimate = found.estimate
    numbers = [found.first, found.second, estimate.value, estimate.low, estimate.high]
    return [found.metric, found.other, found.response, estimate.n, *_cells(numbers, format)]


def _cells(numbers: Iterable[float | None], format: str) -> list[Any]:
    if format != "table":
        return list(numbers)
    return [Number("-") if number is None else Number(f"{number:.3f}") for number in numbers]


def _explain(found: Correlated) -> None:
    """Say what the table cannot: methods, numbers, assumptions, what is left out, and what is missing."""
    say(
        f"Study '{found.study}': {found.answers:,} answers of {found.people:,} people to {found.puzzles:,} "
        f"puzzles; {found.unmeasured:,} of puzzles without a measure here."
    )
    say(f"A point is a puzzle with {PEOPLE_IN_WORDS[found.how.people]}.")
    own = [each for each in found.found if not each.baseline]
    tests = sum(each.estimate.p is not None for each in own)
    say(f"p adjusted: {IN_WORDS[found.how.adjust].format(tests)}; baselines do not count.")
    _methods(each.estimate for each in found.found)
    _methods(each.estimate for each in found.beside)
    say(
        "Left out: answers without the response, and of times and moves those of puzzles given up, or of "
        "puzzles without a value."
    )


def _methods(estimates: Iterable[Estimate]) -> None:
    """Say each method once, with the range of n, and each reason for a missing number once."""
    by_method: dict[tuple[str, str, str], list[Estimate]] = {}
    notes: dict[str, None] = {}
    for each in estimates:
        if each.value is not None:
            by_method.setdefault((each.name, each.method, each.interval), []).append(each)
        if each.note:
            notes[each.note] = None
    for group in by_method.values():
        ns = sorted({each.n for each in group})
        n = f"{ns[0]:,}" if len(ns) == 1 else f"{ns[0]:,} to {ns[-1]:,}"
        (line, *_) = group[0].told()
        say(line.replace(f"; n = {group[0].n:,}.", f"; n = {n}.", 1))
    for note in list(notes)[:5]:
        say(f"'-': {note}")
    if len(notes) > 5:
        say(f"And {len(notes) - 5} further reasons; --format json has all.")


def compare(
    location: str,
    format: str,
    name: str | None,
    metric: str,
    other: str,
    response: str,
    run_id: int | None,
    how: Mapping[str, Any],
) -> None:
    """Print the difference of two correlations."""
    with Store.open(location) as store, store.reader() as reader:
        answers = data.named(reader, name)
        measured = measures(reader, answers, run_id, (metric, other))
    found = compared(answers, measured, metric, other, response, How(**how))
    if format == "json":
        write_json(attrs.asdict(found))
        return
    rows = [_beside(found, format)]
    if found.resampled is not None:
        rows.append(_beside(attrs.evolve(found, estimate=found.resampled), format))
    write(format, _BESIDE, rows)
    if format == "table":
        _methods([found.estimate, *([found.resampled] if found.resampled is not None else [])])
        say(f"A point is a puzzle with {PEOPLE_IN_WORDS[how['people']]}.")


def pairs(
    location: str,
    format: str,
    name: str | None,
    responses: Sequence[str],
    metrics: Sequence[str],
    run_id: int | None,
    at: float | None,
    how: Mapping[str, Any],
) -> None:
    """Print comparisons of the upper and the lower puzzles of measures."""
    with Store.open(location) as store, store.reader() as reader:
        answers = data.named(reader, name)
        measured = measures(reader, answers, run_id, metrics)
    if not metrics:
        measured = [attrs.evolve(measure, baseline="") for measure in measured]
    found = halves(answers, measured, responses, at, How(**how))
    if format == "json":
        write_json([attrs.asdict(each) for each in found])
        return
    header = [
        "run",
        "metric",
        "with",
        "above",
        "puzzles",
        "compared",
        "n",
        "effect",
        "lowest",
        "highest",
        "p",
    ]
    write(format, [*header, "p adjusted"], (row for each in found for row in _halves(each, format)))
    if format != "table":
        return
    for part in ("within", "share", "between"):
        _methods(getattr(each, part) for each in found)
    tests = sum(each.between.p is not None for each in found)
    say(f"p adjusted, of the tests between puzzles: {IN_WORDS[How(**how).adjust].format(tests)}.")
    say("Tests within people speak of other people, for these puzzles; those between of other puzzles.")


def _halves(found: Halves, format: str) -> list[list[Any]]:
    rows = []
    runs = ", ".join(map(str, found.runs))
    start = [
        int(runs) if runs.isdecimal() else runs, found.metric, found.response,
        Number(f"{found.at:g}") if format == "table" else found.at,
        f"{found.upper} and {found.lower}",
    ]  # fmt: skip
    for what, estimate, adjusted in (
        ("within people: rank-biserial", found.within, None),
        ("share of people", found.share, None),
        ("between puzzles: Cliff's delta", found.between, found.adjusted),
    ):
        numbers = [estimate.value, estimate.low, estimate.high, estimate.p, adjusted]
        rows.append([*start, what, estimate.n, *_cells(numbers, format)])
    return rows


def power_of_correlation(
    format: str, puzzles: int, people: int, rho: float, noise: float, more: Mapping[str, Any]
) -> None:
    """Print the power of a study of a correlation."""
    statistics.need_statistics("Studies need")
    _power(format, statistics.power_of_correlation(puzzles, people, rho, noise, **more))


def power_of_preference(format: str, pairs: int, share: float, more: Mapping[str, Any]) -> None:
    """Print the power of a study of preferences."""
    statistics.need_statistics("Studies need")
    _power(format, statistics.power_of_preference(pairs, share, **more))


def _power(format: str, found: Power) -> None:
    if format == "json":
        write_json(attrs.asdict(found))
        return
    header = ["power", "lowest", "highest", "mean estimate", "mean width of intervals"]
    numbers = [found.power.value, found.power.low, found.power.high, found.mean, found.width]
    write(format, header, [_cells(numbers, format)])
    if format == "table":
        _methods([found.power])


def _plot(found: Sequence[Finding], against: str, target: Path) -> None:
    """Draw the first measure with the most puzzles against a response."""
    chosen = [each for each in found if each.response == against and each.puzzles]
    if not chosen:
        raise StoreError(f"No puzzle has both a measure and {against}: there is nothing to draw.")
    best = max(chosen, key=lambda each: each.puzzles)
    figures.require_matplotlib()
    value = best.estimate.value
    rho = "" if value is None else f", rho {value:.2f}"
    title = f"{best.puzzles} puzzles, {best.people} players{rho}"
    figures.draw_columns(target, [best.metric, f"{against}, median of players"], best.points, title, False)

"""Ask what measures say of people, for `epcg study`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import attrs

from epcg_core.plugin import Number, Store, StoreError, say, write, write_json
from epcg_research import figures, statistics
from epcg_research.statistics import Power
from epcg_research.studies import answers as data, shown
from epcg_research.studies.analysis import (
    Correlated,
    Finding,
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
    if format == "json":
        write_json(attrs.asdict(found))
        return found
    header = shown.columns_of(found)
    write(format, header, _cells(header, shown.rows_of(found), format))
    if format != "table":
        return found
    if found.beside:
        say("Beside baselines, over the puzzles that have both:")
        rows = [row for each in found.beside for row in shown.rows_beside(each)]
        write("table", shown.BESIDE, _cells(shown.BESIDE, rows, format))
    _say(shown.lines_of(found))
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


def _cells(header: Sequence[str], rows: Iterable[Sequence[Any]], format: str) -> Iterable[Sequence[Any]]:
    """Write reals with three digits in a table, and small p as such."""
    if format != "table":
        return rows
    return [[_cell(cell, name) for cell, name in zip(row, header, strict=True)] for row in rows]


def _cell(cell: Any, name: str) -> Any:
    if not isinstance(cell, float):
        return cell
    small = name in ("p", "p adjusted") and cell < 0.0005
    return Number("<0.001" if small else f"{cell:.3f}")


def _say(lines: Iterable[str]) -> None:
    for line in lines:
        say(line)


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
    write(format, shown.BESIDE, _cells(shown.BESIDE, shown.rows_beside(found), format))
    if format == "table":
        _say(shown.lines_beside(found, How(**how)))


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
    found = halves(answers, measured, responses, at, How(**how))
    if format == "json":
        write_json([attrs.asdict(each) for each in found])
        return
    rows = [row for each in found for row in shown.rows_of_halves(each)]
    header = shown.columns_of_halves()
    write(format, header, _cells(header, rows, format))
    if format == "table":
        _say(shown.lines_of_halves(found, How(**how)))


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
    write(format, header, _cells(header, [numbers], format))
    if format == "table":
        _say(shown.methods([found.power]))


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

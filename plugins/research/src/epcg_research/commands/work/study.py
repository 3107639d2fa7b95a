"""Ask what measures say of people, for `epcg study`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from epcg_core import Note, Table
from epcg_core.inside import StoreError, write_report
from epcg_core.plugin import Store, UnknownNameError
from epcg_research import figures, statistics
from epcg_research.commands.paper import paper_of, say_drawn
from epcg_research.commands.work.sections import Sectioned, sectioned
from epcg_research.statistics import Power
from epcg_research.studies import choices as chosen, reading, shown
from epcg_research.studies.analysis import (
    How,
    compare as compared,
    correlate as correlated,
    halves,
    one_measure,
)
from epcg_research.studies.answers import TRACES, Answer, Answers
from epcg_research.studies.conditions import conditions as compared_by
from epcg_research.studies.factors import asked_factors
from epcg_research.studies.factors_shown import FACTORS, lines_of_factors, rows_of_factors
from epcg_research.studies.measures import measures
from epcg_research.studies.plots import study_drawing


def responses(location: str, format: str) -> None:
    """List the data sets and their responses."""
    with Store.open(location) as store, store.reader() as reader:
        found = reading.recorded(reader)
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
    notes = [f"{each.study}: {line}" for each in found for line in each.set_aside.told()]
    if not found:
        notes.append("There is nothing: `epcg import traces` and `epcg import responses` bring something in.")
    write_report(sectioned(None, header, rows, notes), format)


def correlate(
    location: str,
    format: str,
    name: str | None,
    responses: Sequence[str],
    metrics: Sequence[str],
    run_id: int | None,
    baselines: Sequence[str],
    how: Mapping[str, Any],
    only_solved: bool = False,
) -> None:
    """Print correlations, baselines and comparisons with these."""
    statistics.need_statistics("Studies need")
    with Store.open(location) as store, store.reader() as reader:
        answers = reading.asked(reader, name, only_solved)
        measured = measures(reader, answers, run_id, metrics, baselines)
    found = correlated(answers, measured, responses, How(**how))
    sections: list[str | Table] = [Table.of(shown.columns_of(found), list(shown.rows_of(found)))]
    if found.beside:
        rows = [row for each in found.beside for row in shown.rows_beside(each)]
        sections.append(Note("Beside baselines, over the puzzles that have both:"))
        sections.append(Table.of(shown.BESIDE, rows))
    write_report(Sectioned(found, (*sections, *map(Note, shown.lines_of(found)))), format)


def traces(
    location: str, format: str, run_id: int | None, metrics: Sequence[str], drawn: Path | None, against: str
) -> None:
    """Print correlations with traces of play, and draw the measure that has the most puzzles."""
    with Store.open(location) as store, store.reader() as reader:
        answers = reading.of_traces(reader)
        if not answers.answers:
            more = "".join(f" {line}" for line in answers.set_aside.told("trace"))
            raise StoreError(
                f"There are no traces of play: bring some in with: epcg import traces FILE...{more}"
            )
        measured = measures(reader, answers, run_id, metrics)
    correlate(location, format, TRACES, (), metrics, run_id, (), {})
    if drawn is not None:
        figures.require_matplotlib()
        most = max(measured, key=lambda each: (not each.baseline, len(each.values)))
        found = study_drawing(answers, most, against, How())
        found.save(drawn)
        say_drawn(drawn, found.caption, False)


def compare(
    location: str,
    format: str,
    name: str | None,
    metric: str,
    other: str,
    response: str,
    run_id: int | None,
    how: Mapping[str, Any],
    only_solved: bool,
) -> None:
    """Print the difference of two correlations."""
    with Store.open(location) as store, store.reader() as reader:
        answers = reading.asked(reader, name, only_solved)
        measured = measures(reader, answers, run_id, (metric, other))
    found = compared(answers, measured, metric, other, response, How(**how))
    lines = shown.lines_beside(found, How(**how))
    write_report(sectioned(found, shown.BESIDE, shown.rows_beside(found), lines), format)


def pairs(
    location: str,
    format: str,
    name: str | None,
    responses: Sequence[str],
    metrics: Sequence[str],
    run_id: int | None,
    at: float | None,
    how: Mapping[str, Any],
    only_solved: bool,
) -> None:
    """Print comparisons of the upper and the lower puzzles of measures."""
    with Store.open(location) as store, store.reader() as reader:
        answers = reading.asked(reader, name, only_solved)
        measured = measures(reader, answers, run_id, metrics)
    found = halves(answers, measured, responses, at, How(**how))
    rows = [row for each in found for row in shown.rows_of_halves(each)]
    lines = shown.lines_of_halves(found, How(**how))
    write_report(sectioned(found, shown.columns_of_halves(), rows, lines), format)


def choices(
    location: str,
    format: str,
    name: str | None,
    questions: Sequence[str],
    label: str | None,
    metric: str | None,
    run_id: int | None,
    adjust: Any,
) -> None:
    """Print how often one of two was chosen, for each question."""
    with Store.open(location) as store, store.reader() as reader:
        recorded = reading.recorded_choices(reader, name)
        found = recorded.counted
        if metric is not None:
            puzzles = dict.fromkeys(puzzle for each in found for puzzle in (each.chosen, each.other))
            answers = Answers(recorded.study, (), tuple(Answer("", each, {}) for each in puzzles))
            measured = measures(reader, answers, run_id, (metric,))
    known = list(dict.fromkeys(each.question for each in found))
    for question in questions:
        if question not in known:
            raise UnknownNameError("question", question, known, "--question")
    if label is not None:
        sorted_out, of = chosen.by_label(found, label), label
    elif metric is not None:
        sorted_out, of = chosen.by_measure(found, one_measure(measured, metric).values), f"higher {metric}"
    else:
        sorted_out, of = chosen.by_order(found), chosen.PLAYED_FIRST
    rows = chosen.shares(sorted_out, of, list(dict.fromkeys(questions)) or known, adjust, recorded.set_aside)
    lines = shown.lines_of_chosen(rows, adjust, len(found) - len(sorted_out))
    write_report(sectioned(rows, shown.CHOSEN, map(shown.row_of_chosen, rows), lines), format)


def conditions(
    location: str,
    format: str,
    name: str | None,
    responses: Sequence[str],
    by: Any,
    adjust: Any,
    only_solved: bool,
) -> None:
    """Print responses under each two groups, conditions or labels."""
    with Store.open(location) as store, store.reader() as reader:
        answers = reading.asked(reader, name, only_solved)
    found = compared_by(answers, answers.under(by), by, responses, adjust)
    header, lines = shown.columns_of_compared(found), shown.lines_of_compared(found, adjust)
    write_report(sectioned(found, header, shown.rows_of_compared(found), lines), format)


def factors(
    location: str,
    format: str,
    name: str | None,
    by: Any,
    label: str | None,
    names: Sequence[str],
    about: Sequence[str] | None,
    only_solved: bool,
    adjust: Any,
) -> None:
    """Print tests of factors on responses, or on choices of the puzzle with a label."""
    with Store.open(location) as store, store.reader() as reader:
        found = asked_factors(reader, name, by, label, names, about, only_solved, adjust)
    rows, lines = rows_of_factors(found), lines_of_factors(found, adjust)
    write_report(sectioned(found, FACTORS, rows, lines), format)


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
    header = ["power", "lowest", "highest", "mean estimate", "mean width of intervals"]
    numbers = [found.power.value, found.power.low, found.power.high, found.mean, found.width]
    write_report(sectioned(found, header, [numbers], shown.methods([found.power])), format)


def plot(
    location: str,
    name: str | None,
    metric: str,
    response: str,
    run_id: int | None,
    target: Path,
    how: Mapping[str, Any],
    only_solved: bool,
) -> None:
    """Draw a response over a measure.

    Args:
        location: the database.
        name: of the data set; None for the only one.
        metric: the measure.
        response: the response.
        run_id: the run whose measure counts; None for all runs.
        target: the file.
        how: `method`, `people`, `no_fit`, `log`, `title`, and options of the paper.
        only_solved: whether answers of people who gave up are left out.

    Raises:
        EpcgError: if there is no such response or measure, or nothing to draw.
    """
    statistics.need_statistics("Studies need")
    figures.require_matplotlib()
    with Store.open(location) as store, store.reader() as reader:
        answers = reading.asked(reader, name, only_solved)
        measured = measures(reader, answers, run_id, (metric,))
    own = How(how["method"], how["people"])
    found = study_drawing(
        answers, one_measure(measured, metric), response, own,
        fit=not how["no_fit"], log=how["log"], title=how["title"],
    )  # fmt: skip
    found.save(target, paper_of(how))
    say_drawn(target, found.caption, how["caption"])

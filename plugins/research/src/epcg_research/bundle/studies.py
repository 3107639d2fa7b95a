"""An archive of a study: what people did, the measures, how they go together, and how to find it again."""

from __future__ import annotations

import csv
import shlex
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import attrs

from epcg_core.inside import ask_sql, query_toml, run_details
from epcg_core.plugin import EpcgError, PluginError, RunRecord, Store, documents
from epcg_research.bundle import archive
from epcg_research.bundle.archive import CERTIFICATE, CITATION, COMMON, ENVIRONMENT, QUERY
from epcg_research.certificate import Security, certify
from epcg_research.figures import Paper
from epcg_research.studies import shown
from epcg_research.studies.analysis import Correlated, Finding, How, correlate
from epcg_research.studies.answers import SOLVED, TRACES, Answers, Response, text_of
from epcg_research.studies.measures import Measure, measures
from epcg_research.studies.plots import study_drawing
from epcg_research.studies.reading import Traces, asked, traces

RESPONSES, ACTIONS, MEASURES = "responses.csv", "actions.csv", "measures.csv"
FINDINGS, NUMBERS, FIGURES, RUNS = "findings.txt", "findings.json", "figures", "runs"
MOST_FIGURES = 24
_ACTIONS = "SELECT * FROM play_actions ORDER BY player, space, rank, position"


def write_study_bundle(
    store: Store, name: str | None, target: Path, security: Security, sample: int, how: How | None = None
) -> list[str]:
    """Write the archive of a study, with the runs that its measures come from.

    People get other names, in the order of their own ones: what was a name or an address is not packed.

    Args:
        store: the database.
        name: the study, 'traces' for traces of play; None for the only one.
        target: the zip file.
        security: how many values the certificates of runs open.
        sample: how many recorded candidates of each run are computed again before.
        how: how measures and responses are compared; None for the usual way.

    Returns:
        Sentences about what the archive lacks.

    Raises:
        UnknownNameError: if there is no such study.
        StoreError: if no finished run covers its puzzles.
        PluginError: without scipy and statsmodels.
    """
    how = how or How()
    with store.reader() as reader:
        own = asked(reader, name)
        names = _numbered(own.people)
        answers = _renamed(own, names)
        measured = measures(reader, answers)
        used = sorted({number for measure in measured for number in measure.runs})
        runs = [reader.run(number) for number in used]
        made = {run.id: archive.of_run(run_details(reader, run)["environment"], run) for run in runs}
        actions = ask_sql(reader.connection, _ACTIONS)
        acted = _acted(actions.columns, actions, names, traces(reader, own.study))
    found = correlate(answers, measured, how=how)
    lacking: list[str] = []
    with TemporaryDirectory(prefix=documents.temporary_prefix()) as temporary:
        folder = Path(temporary)
        _write_responses(folder / RESPONSES, answers)
        if acted:
            _write_csv(folder / ACTIONS, actions.columns, acted)
        _write_measures(folder / MEASURES, measured)
        (folder / FINDINGS).write_text(findings_text(found), encoding="utf-8")
        archive.write_json(folder / NUMBERS, _numbers(found, answers))
        lacking += _write_figures(folder / FIGURES, answers, measured, found.found, how)
        for run in runs:
            place = folder / RUNS / str(run.id)
            place.mkdir(parents=True)
            query = query_toml(f"run {run.id}", run.spec["query"])
            (place / QUERY).write_text(query, encoding="utf-8")
            lacking += archive.add_named_files(run, folder)
            try:
                archive.write_json(place / CERTIFICATE, certify(store, run.id, security, sample))
            except EpcgError as error:
                lacking.append(f"The archive has no certificate of run {run.id}: {error}")
        environment = {"runs": made, "archive": archive.here()}
        archive.write_json(folder / ENVIRONMENT, environment)
        digests = {run.id: str(run.digest) for run in runs}
        (folder / CITATION).write_text(archive.citation(digests), encoding="utf-8")
        page = "\n".join(_readme(folder, answers, found, runs)) + "\n"
        (folder / "README.md").write_text(page, encoding="utf-8")
        archive.pack(folder, target)
    return lacking


def _numbered(people: Sequence[str]) -> dict[str, str]:
    """Return a name for each person: 'p01', 'p02', in the order of their own."""
    digits = len(str(len(people)))
    return {person: f"p{i:0{digits}}" for i, person in enumerate(people, 1)}


def _renamed(answers: Answers, names: Mapping[str, str]) -> Answers:
    """Return a data set with other names of people."""
    own = [attrs.evolve(answer, person=names[answer.person]) for answer in answers.answers]
    study = "play" if answers.study == TRACES else answers.study  # no table can be called as traces are
    return attrs.evolve(answers, study=study, answers=tuple(own))


def _acted(
    header: Sequence[str], rows: Iterable[Sequence[Any]], names: Mapping[str, str], own: Traces
) -> list[list[Any]]:
    """Return the actions of a study's people, by their other names, without those in training puzzles."""
    player, puzzle = (list(header).index(name) for name in ("player", "puzzle"))
    counted = {(each.player, each.puzzle) for each in own.counted}
    return [
        [names[own.people.get(cell, cell)] if i == player else cell for i, cell in enumerate(row)]
        for row in rows
        if (row[player], row[puzzle]) in counted
    ]


def _write_csv(path: Path, header: Sequence[str], rows: Iterable[Sequence[Any]]) -> None:
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(header)
        writer.writerows(["" if cell is None else cell for cell in row] for row in rows)


def _write_responses(path: Path, answers: Answers) -> None:
    header = ["person", "puzzle", "position", "finished", *(each.name for each in answers.responses)]
    rows = [
        [
            answer.person,
            text_of(answer.puzzle),
            answer.position,
            None if answer.finished is None else int(answer.finished),
            *(answer.values.get(each.name) for each in answers.responses),
        ]
        for answer in answers.answers
    ]
    _write_csv(path, header, rows)


def _write_measures(path: Path, measured: Sequence[Measure]) -> None:
    rows = [
        [text_of(puzzle), measure.metric, "+".join(map(str, measure.runs)), measure.values[puzzle]]
        for measure in measured
        for puzzle in sorted(measure.values)
    ]
    _write_csv(path, ["puzzle", "metric", "run", "value"], rows)


def _numbers(found: Correlated, answers: Answers) -> dict[str, Any]:
    """Return findings as JSON has them, with what their responses are, so that they can be computed again."""
    return attrs.asdict(found) | {"responses": [attrs.asdict(each) for each in answers.responses]}


def findings_text(found: Correlated) -> str:
    """Write findings as lines of cells, with methods, numbers and assumptions below."""
    lines = ["\t".join(shown.columns_of(found))]
    lines += ["\t".join(map(_cell, row)) for row in shown.rows_of(found)]
    if found.beside:
        lines += ["", "Beside baselines, over the puzzles that have both:", "\t".join(shown.BESIDE)]
        lines += ["\t".join(map(_cell, row)) for each in found.beside for row in shown.rows_beside(each)]
    return "\n".join([*lines, "", *shown.lines_of(found)]) + "\n"


def _cell(value: Any) -> str:
    return "-" if value is None else f"{value:.4g}" if isinstance(value, float) else str(value)


def _write_figures(
    folder: Path, answers: Answers, measured: Sequence[Measure], found: Sequence[Finding], how: How
) -> Iterator[str]:
    """Draw each measure that correlates with a response, with its caption beside; yield what is missing."""
    own = {(measure.metric, measure.runs): measure for measure in measured}
    drawable = [each for each in found if each.estimate.value is not None and not each.baseline]
    for each in drawable[:MOST_FIGURES]:
        measure = own[each.metric, each.runs]
        runs = "+".join(map(str, each.runs))
        name = documents.file_name(f"{each.response}-{each.metric}-{runs}")
        try:
            drawn = study_drawing(answers, measure, each.response, how)
            drawn.save(folder / f"{name}.pdf", Paper.of_journal(1))
        except PluginError as error:
            yield f"The archive has no figures: {error}"
            return
        (folder / f"{name}.txt").write_text(f"{drawn.caption}\n", encoding="utf-8")
    if len(drawable) > MOST_FIGURES:
        yield f"The archive has {MOST_FIGURES} of {len(drawable)} figures; {FINDINGS} has all numbers."


def _imported(answers: Answers) -> str:
    """Return the command that brings the responses in."""
    words = ["epcg", "import", "responses", RESPONSES, "--study", answers.study]
    words += ["--person", "person", "--puzzle", "puzzle"]
    if any(answer.position is not None for answer in answers.answers):
        words += ["--order", "position"]
    if any(answer.finished is not None for answer in answers.answers):
        words += ["--finished", "finished"]
    for each in answers.responses:
        if each is SOLVED:
            continue  # what is imported with --finished has it again, also of those who gave up
        words += ["--time" if each.unit == "s" and each.of_finished else "--response", _column(each)]
    return shlex.join([*words, "--db", "again.db"])


def _column(response: Response) -> str:
    unit = f"[{response.unit}]" if response.unit else ""
    both = response.low is not None and response.high is not None
    return f"{response.name}{unit}" + (f":{response.low:g}..{response.high:g}" if both else "")


def _readme(folder: Path, answers: Answers, found: Correlated, runs: Sequence[RunRecord]) -> Iterator[str]:
    there = {path.name for path in folder.iterdir()}
    yield f"# Study {answers.study}"
    yield ""
    yield (
        f"{found.answers:,} answers of {found.people:,} people to {found.puzzles:,} puzzles, beside "
        f"the measures of {len(runs)} runs. People are numbered here; their own names are not in the archive."
    )
    yield from found.set_aside.told()
    yield ""
    yield "| file | what it is |"
    yield "|---|---|"
    for name, what in (
        (RESPONSES, "what people did, one row a person and puzzle"),
        (ACTIONS, "every action of people on play pages, with its milliseconds"),
        (MEASURES, "the measures of their puzzles, by run"),
        (FINDINGS, "how measures and responses go together, with methods, numbers and assumptions"),
        (NUMBERS, "the same, all numbers, with the points of each puzzle"),
        (FIGURES, "a figure for each measure and response (PDF), with its caption"),
        (RUNS, f"the query ({QUERY}) and the certificate ({CERTIFICATE}) of each run"),
        *COMMON,
    ):
        if name in there or name == archive.SUMS:
            yield f"| `{name}` | {what} |"
    for name in dict.fromkeys(name for run in runs for name in run.files):
        if (folder / name).exists():
            yield f"| `{name}` | what a question reads |"
    yield ""
    yield (
        f"Install the versions that {ENVIRONMENT} names (`pip install {archive.versions(list(runs))} "
        "'epcg-research[statistics]'`). Then:"
    )
    yield ""
    for run in runs:
        yield f"    epcg run {RUNS}/{run.id}/{QUERY} --db again.db"
    for run in runs:
        certificate = f"{RUNS}/{run.id}/{CERTIFICATE}"
        if (folder / certificate).exists():
            yield f"    epcg verify --certificate {certificate} --db again.db"
    yield f"    {_imported(answers)}"
    how = found.how
    more = f" --method {how.method} --people {how.people} --adjust {how.adjust}"
    yield f"    epcg study correlate --study {shlex.quote(answers.study)}{more} --db again.db"
    yield ""
    took = sum(run.cpu_seconds for run in runs)
    yield f"The runs took {took:,.1f} CPU seconds."

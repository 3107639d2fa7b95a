"""Fit and use player models, for `epcg study player`."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import attrs

from epcg_core import Note, Table
from epcg_core.inside import StoreError, say, write_report
from epcg_core.plugin import Store, find, writing
from epcg_research import statistics
from epcg_research.commands.work.sections import Sectioned, sectioned
from epcg_research.players import files, panels, shown
from epcg_research.players.decisions import Log, from_table, from_traces, open_puzzle
from epcg_research.players.files import Fitted
from epcg_research.players.fitting import Ask, fit as fitted
from epcg_research.players.information import information
from epcg_research.players.models import Softmax, Uniform, looks_back
from epcg_research.players.sights import sights
from epcg_research.players.simulation import simulate as simulated
from epcg_research.players.validation import validate


def fit(
    location: str,
    format: str,
    model: str,
    output: Path | None,
    domain: str | None,
    puzzles: Sequence[str],
    table: Path | None,
    space: str | None,
    study: str | None,
    how: Mapping[str, Any],
) -> None:
    """Fit a model, print its loss and its weights, and write it."""
    statistics.need_statistics("Player models need")
    log = _log(location, domain, puzzles, table, space, study)
    ask = Ask(model, tuple(how["rules"]), {}, how["way"], tuple(how["without"]), how["penalty"])
    found = None if how["held"] == "nothing" else validate(log, [ask], how["held"], how["folds"], how["seed"])
    made = fitted(log, ask)
    file = Fitted.of(log.domain, log.puzzles[0].generator, made, ask.about(log))
    if output is not None:
        with writing(output):
            output.write_text(file.text(), encoding="utf-8")
    notes = [*shown.lines_of_fit(log, made, found, ask.penalty)]
    weights = dict(made.weights) if isinstance(made, Softmax) else None
    errors = dict(made.errors) if isinstance(made, Softmax) else None
    numbers = {
        "model": made.name, "in_words": made.in_words(), "fitted_on": dict(file.fitted_on),
        "loss": None if found is None else attrs.asdict(found), "weights": weights, "errors": errors,
        "sha256": file.sha256, "notes": notes,
    }  # fmt: skip
    sections: list[str | Table] = []
    if found is not None:
        sections.append(Table.of(shown.LOSSES, list(shown.rows_of_losses(found))))
    if isinstance(made, Softmax):
        sections.append(Table.of(shown.WEIGHTS, list(shown.rows_of_weights(made))))
    if output is not None:
        notes = [*notes, *_written(output, file, looks_back(made))]
    write_report(Sectioned(numbers, (*sections, *map(Note, notes))), format)


def _written(output: Path, file: Fitted, no_measure: bool) -> Sequence[str]:
    """Say where a model is, and how a query uses it."""
    if no_measure:
        use = ["It looks at the moves before, so MSI and TSI cannot use it: fit one without --way."]
    else:
        use = [
            "For the evaluator entropy in a query:",
            '  policy = "player"',
            f'  policy_params = {{ model = "{output}", sha256 = "{file.sha256}" }}',
        ]
    return [f"Written to {output}.", *use]


def _log(
    location: str,
    domain: str | None,
    puzzles: Sequence[str],
    table: Path | None,
    space: str | None,
    study: str | None,
) -> Log:
    if table is not None:
        if study is not None:
            raise StoreError("--study and --moves name different people: give one of them.")
        with find.reading(location) as reader:
            log = from_table(table, reader, location, space)
        return log.only([open_puzzle(text).id for text in puzzles]) if puzzles else log
    if space is not None:
        raise StoreError("--space belongs to --moves: traces name their puzzles.")
    with Store.open(location) as store, store.reader() as reader:
        ids = [open_puzzle(text, reader, location).id for text in puzzles]
        return from_traces(reader, domain, ids, study)


def score(location: str, format: str, puzzle: str, path: Path, depth: int | None) -> None:
    """Print MSI and TSI of a puzzle for a model."""
    with find.reading(location) as reader:
        opened = open_puzzle(puzzle, reader, location)
    found = information(opened, path, depth)
    notes = [each.note for each in found if each.note]
    way = found[0].way
    if way:
        more = f", and {len(way) - 12} more" if len(way) > 12 else ""
        notes.append(f"Bits. The player's likeliest solution: {', '.join(way[:12])}{more}.")
    elif found[0].player is None and not found[0].note:
        notes.append("'-': the player finds no solution.")
    numbers = {"puzzle": opened.id, "measures": [attrs.asdict(each) for each in found]}
    rows = [[each.measure, each.player, each.uniform] for each in found]
    write_report(sectioned(numbers, ["measure", "player", "uniform"], rows, notes), format)


def show(
    location: str,
    format: str,
    puzzle: str,
    output: Path | None,
    table: Path | None,
    space: str | None,
    study: str | None,
    most: int,
) -> None:
    """Print where people go wrong in a puzzle, and draw it."""
    statistics.need_statistics("Wilson's intervals need")
    log = _log(location, None, [puzzle], table, space, study)
    found = sights(log, 0, most)
    if output is not None:
        picture = panels.draw(log.puzzles[0], found)
        with writing(output):
            output.write_text(picture, encoding="utf-8")
    notes = [*shown.lines_of_sights(found, log)]
    if output is not None:
        notes.append(f"Drawn into {output}.")
    write_report(sectioned(found, shown.SIGHTS, shown.rows_of_sights(found), notes), format)


def simulate(
    location: str, puzzles: Sequence[str], path: Path | None, people: int, most: int, seed: int, output: Path
) -> None:
    """Write the traces of simulated people."""
    with find.reading(location) as reader:
        opened = [open_puzzle(text, reader, location) for text in puzzles]
    ids = [each.id for each in opened]
    for text in ids:
        if ids.count(text) > 1:
            raise StoreError(f"The puzzle {text} is named twice.")
    model = Uniform() if path is None else files.load(path, opened[0].generator).model
    for each in opened[1:]:
        if files.play_of(each.generator) != files.play_of(opened[0].generator):
            raise StoreError(
                f"{each.id} is not played by the rules of {ids[0]}: simulate one domain at a time."
            )
    traces = simulated(opened, model, people, most, seed)
    if output.exists():
        raise StoreError(f"'{output}' is there already: name a new folder with --output.")
    with writing(output):
        output.mkdir(parents=True)
        for number, data in enumerate(traces, 1):
            text = json.dumps(data, ensure_ascii=False) + "\n"
            (output / f"person-{number:0{len(str(people))}}.json").write_text(text, encoding="utf-8")
    solved = sum(each["finished"] for data in traces for each in data["puzzles"])
    say(f"{people:,} people in {output}, {solved:,} of {people * len(opened):,} puzzles solved.")
    say(f"Next: epcg import traces {output}")

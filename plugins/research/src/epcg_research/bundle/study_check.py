"""The numbers of a study's archive: measures are computed again, and so is how they go with responses."""

from __future__ import annotations

import csv
import io
import json
import math
import random
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import attrs

from epcg_core.inside import Check, Recomputation, block_scores, checker_of, make_check, plan
from epcg_core.plugin import (
    CheckFailedError,
    EpcgError,
    RunSpec,
    UncheckedError,
    documents,
    load_query,
    structure,
)
from epcg_research.bundle.archive import ENVIRONMENT, QUERY, here
from epcg_research.bundle.studies import (
    ACTIONS,
    FINDINGS,
    MEASURES,
    NUMBERS,
    RESPONSES,
    RUNS,
    findings_text,
)
from epcg_research.studies.analysis import How, correlate
from epcg_research.studies.answers import Answer, Answers, Puzzle, Response, SetAside
from epcg_research.studies.measures import Measure

SECONDS = 30.0
"""CPU time for measures that are computed again."""
MOST_REPETITIONS = 100_000
CLOSE, CLOSE_IN_WORDS = 1e-6, 1e-2
"""Relative differences of numbers of other arithmetic, and of those that are written with four digits."""
Key = tuple[str, tuple[int, ...]]
"""A metric, and the runs that it is of."""


def verify(folder: Path, left: list[str]) -> list[Check]:
    """Check the numbers of an unpacked archive; add to `left` what no check covers."""
    left.append(f"that people did what {RESPONSES} says")
    if (folder / ACTIONS).exists():
        left.append(f"what {ACTIONS} says")
    return [
        make_check("measures", lambda: _measures(folder, left)),
        make_check("findings", lambda: _findings(folder)),
    ]


def _rows(path: Path) -> Iterator[dict[str, str]]:
    text = documents.read_text(path, "table", CheckFailedError)
    try:
        for row in csv.DictReader(io.StringIO(text, newline=""), strict=True):
            if None in row or None in row.values():
                raise CheckFailedError(f"{path.name} has a row with more or fewer cells than its first line.")
            yield row
    except csv.Error as error:
        raise CheckFailedError(f"{path.name} is not a CSV file: {error}.") from error


def _puzzle(text: str) -> Puzzle:
    space, _, rank = text.rpartition("#")
    number = documents.whole_number(rank)
    if not space or number is None:
        raise CheckFailedError(f"{text!r:.100} is not the id of a puzzle.")
    return space, number


def _number(text: str, where: str) -> float:
    try:
        found = float(text)
    except ValueError:
        found = math.nan
    if not math.isfinite(found):
        raise CheckFailedError(f"{where}: {text!r:.40} is not a number.")
    return found


def _read_measures(path: Path) -> dict[Key, dict[Puzzle, float]]:
    found: dict[Key, dict[Puzzle, float]] = {}
    for row in _rows(path):
        try:
            runs = tuple(int(each) for each in row["run"].split("+") if len(each) < 19)
            key = row["metric"], runs
            found.setdefault(key, {})[_puzzle(row["puzzle"])] = _number(row["value"], path.name)
        except (KeyError, ValueError) as error:
            raise CheckFailedError(f"{path.name} has a row that cannot be read: {error}.") from error
    return found


def _measures(folder: Path, left: list[str]) -> str:
    """Compute the measures again, in random order for some time."""
    asked = [
        (key, puzzle, value)
        for key, own in _read_measures(folder / MEASURES).items()
        for puzzle, value in own.items()
    ]
    random.SystemRandom().shuffle(asked)
    runs: dict[int, tuple[RunSpec, Recomputation]] = {}
    imported: set[str] = set()
    done, begun = 0, time.process_time()
    for (metric, numbers), (space, rank), value in asked:
        for number in numbers:
            if number not in runs:
                search, spec = plan(load_query(str(folder / RUNS / str(number) / QUERY)))
                runs[number] = (
                    spec,
                    Recomputation(checker_of(search, spec, lambda reader: None)[0], spec.metrics, SECONDS),
                )
        own = [runs[number] for number in numbers if runs[number][0].space.name == space]
        if not own:
            raise CheckFailedError(f"No run of {metric} is over the space of {space}#{rank}.")
        spec, again = own[0]
        if not spec.start <= rank < spec.stop:
            raise CheckFailedError(f"The run of {metric} does not cover {space}#{rank}.")
        names = [each.name for each in spec.metrics]
        if metric not in names:
            imported.add(metric)
            continue
        if done and time.process_time() - begun > SECONDS:
            break
        scores = block_scores(again.block(rank), spec.metrics, rank)
        found = None if scores is None else scores[names.index(metric)]
        if found is None or not _close(found[1], value, CLOSE):
            now = "nothing" if found is None else found[1]
            raise CheckFailedError(f"{space}#{rank}: {metric} is {value:g} here, computed again {now}.")
        done += 1
    left += [f"the imported measure '{name}'" for name in sorted(imported)]
    total = sum(metric not in imported for (metric, _), _, _ in asked)
    if done < total:
        left.append(f"{total - done:,} of {total:,} values of {MEASURES}, for which there was no time")
    return f"{done:,} of {total:,} values of {MEASURES}, computed again, agree."


def _findings(folder: Path) -> str:
    """Correlate again, and compare with the numbers and the sentences of the archive."""
    where = documents.read_text(folder / NUMBERS, "list of numbers", CheckFailedError)
    told = documents.parse_json(where, NUMBERS, CheckFailedError)
    if not isinstance(told, dict) or not isinstance(told.get("found"), list):
        raise CheckFailedError(f"{NUMBERS} is not a table of findings.")
    if "responses" not in told:
        raise UncheckedError(f"{NUMBERS} does not say which responses there are: make the archive again.")
    try:
        how = structure(How, told["how"], NUMBERS)
        responses = tuple(structure(Response, each, NUMBERS) for each in told["responses"])
        aside = structure(SetAside, told["set_aside"], NUMBERS)
        known = {(e["metric"], tuple(e["runs"])): str(e["baseline"]) for e in told["found"]}
    except (EpcgError, LookupError, TypeError) as error:
        raise CheckFailedError(f"{NUMBERS} is not of the form that EPCG writes: {error}") from error
    if how.repetitions > MOST_REPETITIONS:
        raise UncheckedError(f"It asks for {how.repetitions:,} repetitions, which take too long here.")
    values = _read_measures(folder / MEASURES)
    if known.keys() != values.keys():
        raise CheckFailedError(f"{NUMBERS} is about other measures than {MEASURES} has.")
    measured = [Measure(*key, values[key], role) for key, role in known.items()]
    if min(attrs.astuple(aside)) < 0:
        raise CheckFailedError(f"{NUMBERS} leaves out a negative number of answers.")
    rows = tuple(_answers(folder / RESPONSES, responses))
    answers = Answers(str(told.get("study")), responses, rows, aside)
    again = correlate(answers, measured, how=how)
    now = json.loads(json.dumps(attrs.asdict(again)))
    odd = _difference({key: told.get(key) for key in now}, now, "")
    if odd:
        raise CheckFailedError(f"{NUMBERS} has other numbers than its tables give: {odd}.")
    said = _difference(
        documents.read_text(folder / FINDINGS, "findings", CheckFailedError).split(),
        findings_text(again).split(), "word ", CLOSE_IN_WORDS,
    )  # fmt: skip
    if said:
        if not _same_version(folder):
            raise UncheckedError(f"{FINDINGS} was written by another version of epcg-research.")
        raise CheckFailedError(f"{FINDINGS} says something else than {NUMBERS}: {said}.")
    return f"{len(again.found):,} findings follow from {RESPONSES} and {MEASURES}, and {FINDINGS} tells them."


def _answers(path: Path, responses: Sequence[Response]) -> Iterator[Answer]:
    for row in _rows(path):
        try:
            values = {r.name: _number(row[r.name], path.name) for r in responses if row[r.name]}
            position, finished = row["position"], row["finished"]
            yield Answer(
                row["person"], _puzzle(row["puzzle"]), values,
                _number(position, path.name) if position else None, finished == "1" if finished else None,
            )  # fmt: skip
        except KeyError as error:
            raise CheckFailedError(f"{path.name} lacks the column {error}.") from error
        for response in responses:
            value = values.get(response.name)
            if value is not None and not (
                (response.low is None or response.low <= value)
                and (response.high is None or value <= response.high)
            ):
                raise CheckFailedError(
                    f"{path.name}: {value:g} is not on the scale of '{response.name}', {response.scale}."
                )


def _difference(told: Any, now: Any, where: str, close: float = CLOSE) -> str:
    """Say where two documents differ, '' if nowhere but in the last digits."""
    if isinstance(told, dict) and isinstance(now, dict) and told.keys() == now.keys():
        pairs = [(f"{where}.{key}".lstrip("."), told[key], now[key]) for key in now]
    elif isinstance(told, list) and isinstance(now, list) and len(told) == len(now):
        pairs = [(f"{where}{at}", *both) for at, both in enumerate(zip(told, now, strict=True))]
    else:
        same = told == now or _close(_as_number(now), _as_number(told), close)
        return "" if same else f"{where} is {_short(told)}, computed again {_short(now)}"
    return next((odd for name, a, b in pairs if (odd := _difference(a, b, name, close))), "")


def _as_number(value: Any) -> float | None:
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        return None
    try:
        return float(value)
    except ValueError:
        return None


def _close(found: Any, told: float | None, close: float) -> bool:
    return found is not None and told is not None and math.isclose(found, told, rel_tol=close, abs_tol=close)


def _short(value: Any) -> str:
    return f"{value!r:.60}"


def _same_version(folder: Path) -> bool:
    data: Any = documents.parse_json(
        documents.read_text(folder / ENVIRONMENT, "environment", CheckFailedError),
        ENVIRONMENT,
        CheckFailedError,
    )
    made: Mapping[str, Any] = data.get("archive", {}) if isinstance(data, dict) else {}
    name = "epcg-research"
    packages = made.get("packages") if isinstance(made, dict) else None
    return isinstance(packages, dict) and packages.get(name) == here()["packages"].get(name)

"""Measure puzzles for `epcg score`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from epcg_core.cli import output
from epcg_core.cli.output import say
from epcg_core.params import toml_text
from epcg_core.plugins.registry import registry
from epcg_core.query.puzzle_id import puzzle_id
from epcg_core.query.spec import space_in_words
from epcg_core.rendering.render import render
from epcg_core.services import score as service
from epcg_core.services.score import Measure, Scored, Standing


def score(puzzle: str, domain: str | None, location: str, as_json: bool) -> None:
    """Print every measure of a puzzle, and where it stands."""
    with service.reading(location) as reader:
        space, rank = service.named(puzzle, reader, location, domain)
        found = service.score(space, rank, reader, rounded=not as_json)
        compared = reader is not None
    if as_json:
        output.write_json(_data(found))
        return
    _print(found)
    if not compared:
        say(f"There is no database {location}, so there is nothing to compare with: `epcg run` makes one.")


def _print(found: Scored) -> None:
    puzzle = puzzle_id(found.space.name, found.rank)
    output.show(f"{puzzle}\n{render(puzzle).rstrip()}\n")
    header = ["measure", "value", "lower", "equal", "higher", "of", "run", "space"]
    rows: list[list[Any]] = []
    several = _variants(found)
    for measure in found.measures:
        name = measure.metric.name + several.get(id(measure), "")
        value = measure.reason if measure.value is None else _cell(measure.value)
        if not measure.standings:
            rows.append([name, value, *[None] * 6])
        for place in measure.standings:
            rows.append(
                [
                    name,
                    value,
                    *_counts(place),
                    output.count(place.valued),
                    place.run,
                    _space(place),
                ]
            )
            name = value = ""
    output.write_table(header, rows)
    places = {place.run: place for measure in found.measures for place in measure.standings}
    for run, place in sorted(places.items()):
        if place.among:
            say(f"Run {run} compares with {place.among}.")
    for name, reason in found.left_out.items():
        say(f"Not measured: {name} ({reason})")


def _counts(place: Standing) -> Sequence[str]:
    """Write how many values are lower, equal and higher, with percentages unless they are yes and no."""
    counts = [output.count(number) for number in (place.lower, place.equal, place.higher)]
    shares = place.shares()
    if shares is None:
        return counts
    return [f"{count} ({share:.1f} %)" for count, share in zip(counts, shares, strict=True)]


def _space(place: Standing) -> str:
    return space_in_words(registry(), place.domain, place.generator, place.params)


def _variants(found: Scored) -> dict[int, str]:
    """Name measures of an evaluator with several params by the params that differ, as in ' (limit = 5)'."""
    names: dict[int, str] = {}
    by_evaluator: dict[str, list[Measure]] = {}
    for measure in found.measures:
        by_evaluator.setdefault(measure.evaluator.name, []).append(measure)
    for measures in by_evaluator.values():
        params = [measure.evaluator.params for measure in measures]
        differ = [key for key in params[0] if any(own.get(key) != params[0][key] for own in params)]
        for measure in measures:
            told = ", ".join(f"{key} = {toml_text(measure.evaluator.params.get(key))}" for key in differ)
            names[id(measure)] = f" ({told})" if told else ""
    return names


def _cell(value: Any) -> Any:
    return ("yes" if value else "no") if isinstance(value, bool) else value


def _data(found: Scored) -> dict[str, Any]:
    return {
        "puzzle": puzzle_id(found.space.name, found.rank),
        "measures": [
            {
                "measure": measure.metric.name,
                "evaluator": measure.evaluator.name,
                "params": measure.evaluator.params,
                "value": measure.value,
                "reason": measure.reason,
                "standings": [
                    {
                        "run": place.run,
                        "percentile": place.percentile,
                        "lower": place.lower,
                        "equal": place.equal,
                        "higher": place.higher,
                        "candidates": place.valued,
                        "among": place.among or None,
                    }
                    for place in measure.standings
                ],
            }
            for measure in found.measures
        ],
        "left_out": dict(found.left_out),
    }

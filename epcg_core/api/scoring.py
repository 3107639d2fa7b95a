"""Every measure of a puzzle, beside those of recorded runs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import attrs

from epcg_core.api import words
from epcg_core.api.arguments import checked
from epcg_core.api.puzzles import Puzzle
from epcg_core.api.report import Note, Report, Table, location_of
from epcg_core.base.params import toml_text
from epcg_core.editing import score as service
from epcg_core.editing.score import Measure, Standing
from epcg_core.plugins.registry import registry
from epcg_core.plugins.scripts import end_of_parts
from epcg_core.query.puzzle_id import puzzle_id
from epcg_core.query.query import override
from epcg_core.query.spec import space_in_words
from epcg_core.rendering.render import render
from epcg_core.store import find


@attrs.frozen(repr=False)
class Score(Report):
    """Every measure of a puzzle, with its standings in runs."""

    puzzle: str
    """The puzzle's id."""
    measures: Sequence[Measure]
    left_out: Mapping[str, str]
    """The evaluators that do not apply, each with the reason."""
    lacking: str = ""
    """The database that is not there, so that nothing is compared; '' if it is there."""

    @property
    def values(self) -> dict[str, Any]:
        """The values by metric; of an evaluator with several params, those with its defaults."""
        return {each.metric.name: each.value for each in reversed(self.measures)}

    def parts(self) -> Iterator[str | Table]:
        """Yield the puzzle, its measures with their standings, and what was not measured."""
        yield f"{self.puzzle}\n{render(self.puzzle).rstrip()}\n"
        yield self.table()
        places = {place.run: place for measure in self.measures for place in measure.standings}
        for run, place in sorted(places.items()):
            if place.among:
                yield Note(f"Run {run} compares with {place.among}.")
        for name, reason in self.left_out.items():
            yield Note(f"Not measured: {name} ({reason})")
        if self.lacking:
            yield Note(
                f"There is no database {self.lacking}, so there is nothing to compare with: `epcg run` "
                "makes one."
            )

    def table(self) -> Table:
        """Return a row for each measure and run."""
        header = ["measure", "value", "lower", "equal", "higher", "of", "run", "space"]
        rows: list[list[Any]] = []
        several = _variants(self.measures)
        for measure in self.measures:
            name = measure.metric.name + several.get(id(measure), "")
            value = measure.reason if measure.value is None else _cell(measure.value)
            if not measure.standings:
                rows.append([name, value, *[None] * 6])
            for place in measure.standings:
                counts = [*_counts(place), words.count(place.valued)]
                rows.append([name, value, *counts, place.run, _space(place)])
                name = value = ""
        return Table.of(header, rows)

    def json(self) -> dict[str, Any]:
        """Return the measures with their standings."""
        return {
            "puzzle": self.puzzle,
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
                for measure in self.measures
            ],
            "left_out": dict(self.left_out),
        }

    def _repr_html_(self) -> str:
        return Puzzle(self.puzzle)._figure() + self.table()._repr_html_()


@checked
def score(
    puzzle: str | Path | Puzzle,
    *,
    domain: str | None = None,
    db: str | Path | None = None,
    rounded: bool = False,
    params: Mapping[str, Any] | None = None,
) -> Score:
    """Measure a puzzle, and compare it with recorded runs, as `epcg score` does.

    Args:
        puzzle: its id, RUN#RANK of the database, a file, a text, or a puzzle.
        domain: the domain that reads it, if several could.
        db: the database; as for `open`. Without one nothing is compared.
        rounded: whether the last digits of reals may differ, which saves compiling.
        params: values by the names of params for all evaluators, or by an evaluator's name for it alone.

    Raises:
        EpcgError: if nothing reads the puzzle, or an evaluator does not have such a param.
    """
    end_of_parts()
    location = location_of(db)
    text = puzzle.id if isinstance(puzzle, Puzzle) else str(puzzle)
    with find.reading(location) as reader:
        space, rank = find.named(text, reader, location, domain)
        found = service.score(space, rank, reader, rounded=rounded, params=params)
        lacking = "" if reader is not None else location
    return Score(puzzle_id(space.name, rank), found.measures, found.left_out, lacking)


def params_of(settings: Sequence[str]) -> dict[str, Any]:
    """Return the params that settings name, such as 'solution=URDL'. Raises QueryError."""
    found: dict[str, Any] = {}
    override(found, settings)
    return found


def _counts(place: Standing) -> Sequence[str]:
    """Write how many values are lower, equal and higher, with percentages unless they are yes and no."""
    counts = [words.count(number) for number in (place.lower, place.equal, place.higher)]
    shares = place.shares()
    if shares is None:
        return counts
    return [f"{count} ({share:.1f} %)" for count, share in zip(counts, shares, strict=True)]


def _space(place: Standing) -> str:
    return space_in_words(registry(), place.domain, place.generator, place.params)


def _variants(measures: Sequence[Measure]) -> dict[int, str]:
    """Name measures of an evaluator with several params by the params that differ, as in ' (limit = 5)'."""
    names: dict[int, str] = {}
    by_evaluator: dict[str, list[Measure]] = {}
    for measure in measures:
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

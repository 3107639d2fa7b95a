"""One content among an answer: its values, and the plans of the folder that have it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import suppress
from functools import lru_cache
from pathlib import Path
from typing import Any

from epcg_core.inside import PLUGIN_EXCEPTIONS, choose, puzzle_id
from epcg_core.plugin import (
    Metric,
    QueryError,
    Value,
    documents,
    find,
)
from epcg_workbench.answers import opens, titled
from epcg_workbench.messages import Message, digest, metric_message, plain_value, text_of, whole_of
from epcg_workbench.plans import choices_of, is_plan, parsed
from epcg_workbench.project.painting import leading_on

MOST_PLANS = 50
"""Plans of a folder that are looked through."""


def placed(request: Mapping[str, Any]) -> Iterator[Message]:
    """Tell a `puzzle` of a recorded `run`: its whole id, its values, and which `plans` have it.

    `leads` has the formats whose games take it, or are made of it (see `leading_on`).
    """
    location, name = text_of(request, "db"), text_of(request, "puzzle")
    with find.reading(location) as reader:
        space, rank = find.named(name, reader, location)
        if reader is None:
            raise QueryError("Nothing is recorded yet.")
        record = reader.run(whole_of(request, "run"))
        values = reader.scores_at(record.id, [rank])[0]
        metrics = {each.name: each for each in titled(reader, record)}
    whole = puzzle_id(space.name, rank)
    measures = [
        metric_message(metrics[key]) | {"value": plain_value(value), "said": _said(metrics[key], value)}
        for key, value in values.items()
        if key in metrics
    ]
    yield {
        "puzzle": whole,
        "domain": space.domain,
        "editor": opens(space, rank),
        "leads": list(leading_on(space.domain, space.generator.name)),
        "measures": sorted(measures, key=lambda each: each["headline"] or 100),
        "plans": list(_plans_with(request, whole, location)),
    }


def _said(metric: Metric, value: Value | None) -> str:
    """Say a value as players read it, or behind the title of its metric."""
    if value is None:
        return f"{metric.heading}: no value"
    if metric.sentence:
        return metric.told(value)
    told = (
        ("yes" if value else "no")
        if isinstance(value, bool)
        else f"{value:,.4g}"
        if isinstance(value, float)
        else f"{value:,}"
    )
    return f"{metric.heading}: {told}"


def _plans_with(request: Mapping[str, Any], puzzle: str, location: str) -> Iterator[Message]:
    """Yield the plans of the folder that have a puzzle, with its number through all chapters."""
    folder = Path(text_of(request, "folder"))
    changed = tuple(  # what is recorded lies in the log first
        each.stat().st_mtime_ns if each.exists() else 0 for each in (Path(location), Path(f"{location}-wal"))
    )
    for path in sorted(folder.glob("*.toml"))[:MOST_PLANS]:
        with suppress(*PLUGIN_EXCEPTIONS):
            text = documents.read_text(path, "plan")
            if is_plan(path, text):
                numbers, title = _numbers(str(path), digest(text), changed, location)
                if puzzle in numbers:
                    yield {"name": path.name, "title": title, "number": numbers[puzzle]}


@lru_cache(MOST_PLANS)
def _numbers(path: str, stamp: str, changed: tuple[int, ...], location: str) -> tuple[dict[str, int], str]:
    """Map the puzzles of a plan to their numbers; parts that cannot be chosen have none."""
    found = parsed(documents.read_text(Path(path), "plan"), Path(path))
    numbers: dict[str, int] = {}
    with choices_of(found, {"db": location}) as choices:
        for number, _ in enumerate(found.parts()):
            with suppress(*PLUGIN_EXCEPTIONS):
                row = choose(choices.of(number), choices.chosen, 0)
                for each in row.selections:
                    if each.position is not None:
                        numbers.setdefault(each.puzzle.puzzle, len(numbers) + 1)
    return numbers, found.title


PLACING = {"placed": placed}
"""The requests, by name."""

"""The requests of the page that arranges, about where puzzles come from, and which were chosen by hand."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from epcg_core.inside import PLUGIN_EXCEPTIONS, Part, Plan, choose, editing, parse_plan
from epcg_core.plugin import EditorInfo, Query, QueryError, Reader, find, load_query, registry
from epcg_workbench.answers import measures_of, measures_of_domain, questions, titled
from epcg_workbench.kept_texts import path_of
from epcg_workbench.messages import Message, metric_message, text_of, whole_of
from epcg_workbench.plan_parts import strategies
from epcg_workbench.plan_texts import without_list
from epcg_workbench.plans import choices_of, number_in, parsed
from epcg_workbench.project.belonging import own_domains, shipped_questions


def sources(request: Mapping[str, Any]) -> Iterator[Message]:
    """List what a part can take puzzles from: questions of the folder, shipped ones, and recorded runs."""
    found = list(questions(request))
    done = [each for each in found if "run" in each and each["state"] == "done"]
    with find.reading(text_of(request, "db")) as reader:
        measures = {each["run"]: reader and _first_measure(reader, each["run"]) for each in done}
    yield {
        "questions": [
            {"name": each["file"], "title": each["title"], "measure": each.get("measure", "")}
            for each in found
            if "file" in each
        ],
        "shipped": shipped_questions(),
        "own": own_domains(request),
        "runs": [
            {
                "run": each["run"],
                "title": each["title"],
                "about": each["about"],
                "measure": measures[each["run"]] or "",
            }
            for each in done
        ],
        "strategies": strategies(),
    }


def _first_measure(reader: Reader, run: int) -> str:
    """Return the name of the number of a run that people ask for first."""
    found = [metric_message(each) for each in titled(reader, reader.run(run))]
    order = sorted(found, key=lambda each: (each["kind"] == "bool", each["headline"] or 100))
    return order[0]["metric"] if order else ""


def part_measures(request: Mapping[str, Any]) -> Iterator[Message]:
    """List what a part of a plan can be measured by, its source's measures first."""
    found, chapter, part = _asked(request)
    own = found.chapters[chapter].parts[part]
    if own.query is not None:
        yield {"measures": _of_query(own.query)}
    elif own.run is not None:
        yield {"measures": _of_run(own.run, request)}
    else:
        listed = _of_editors(own.puzzles) if own.puzzles else []
        yield {"measures": listed if own.sql is None else _of_columns(own)}


def source_measures(request: Mapping[str, Any]) -> Iterator[Message]:
    """List what a part could be measured by if it took its puzzles from a `query` or a `run`."""
    if "run" in request:
        yield {"measures": _of_run(whole_of(request, "run"), request)}
    else:
        query = load_query(text_of(request, "query"), folder=Path(text_of(request, "folder")))
        yield {"measures": _of_query(query)}


def _of_query(query: Query) -> list[Message]:
    return [each for each in measures_of(query) if each["own"]]


def _of_run(run: int, request: Mapping[str, Any]) -> list[Message]:
    with find.reading(text_of(request, "db")) as reader:
        metrics = [] if reader is None else titled(reader, reader.run(run))
    found = [metric_message(each) | {"evaluator": "run"} for each in metrics]
    return sorted(found, key=lambda each: each["headline"] or 100)


def _of_columns(part: Part) -> list[Message]:
    """Return what is known of the columns of a SELECT: the names that the part uses."""
    usual = {"kind": "real", "direction": "max", "description": "", "headline": 0, "unit": ""}
    return [
        usual | {"metric": name, "title": name.replace("_", " "), "evaluator": "sql"} for name in part.columns
    ]


def _of_editors(entries: Sequence[str]) -> list[Message]:
    """Return the measures of the domains of a list by hand, whose entries are ids or texts."""
    found: dict[str, Message] = {}
    for domain in sorted({_domain_of(entry) for entry in entries} - {""}):
        for each in measures_of_domain(domain):
            found.setdefault(each["metric"], each)
    return sorted(found.values(), key=lambda each: each["headline"] or 100)


def _domain_of(entry: str) -> str:
    """Return the domain of a puzzle that is listed by hand; '' if none is known."""
    named = entry.partition(":")[0]
    if any(editor.domain == named for editor in registry().all(EditorInfo)):
        return named
    return next(iter(editing.recognised(entry)), "")


def by_hand(request: Mapping[str, Any]) -> Iterator[Message]:
    """Tell which `entries` of a part's list its strategy would not choose: they were chosen by hand."""
    found, chapter, part = _asked(request)
    own = found.chapters[chapter].parts[part]
    if own.puzzles is None or (own.query is None and own.run is None and own.sql is None):
        yield {"entries": list(own.puzzles or ())}
        return
    if own.fill:
        yield {"entries": list(own.puzzles)}
        return
    text = without_list(text_of(request, "text"), chapter, part)
    path = path_of(request)
    plan = parse_plan(text, where=path.name, name=path.stem, folder=path.parent)
    chosen: set[str] = set()
    with choices_of(plan, request) as choices, suppress(*PLUGIN_EXCEPTIONS):
        number = number_in(plan, chapter, part)
        for before in range(number):
            with suppress(*PLUGIN_EXCEPTIONS):
                choose(choices.of(before), choices.chosen, 0)
        row = choose(choices.of(number), choices.chosen, 0)
        chosen = {each.puzzle.puzzle for each in row.selections if each.position is not None}
    yield {"entries": [entry for entry in own.puzzles if entry not in chosen]}


def _asked(request: Mapping[str, Any]) -> tuple[Plan, int, int]:
    """Return the plan, and the numbers of the chapter and part, that a request names, from 0."""
    found = parsed(text_of(request, "text"), path_of(request))
    chapter, part = whole_of(request, "chapter") - 1, whole_of(request, "part", 1) - 1
    if chapter >= len(found.chapters) or part >= len(found.chapters[chapter].parts):
        raise QueryError(f"The plan has no part {part + 1} of chapter {chapter + 1}.")
    return found, chapter, part


SOURCES = {
    "sources": sources,
    "part_measures": part_measures,
    "source_measures": source_measures,
    "by_hand": by_hand,
}
"""The requests, by name."""

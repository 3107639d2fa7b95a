"""The requests of the workbench's page, each answered by a stream of plain data.

A request is {"do": NAME, ...}; see the functions for its other keys. Messages are JSON objects. What belongs
to a content carries its `hash`, so that a page can tell late answers from current ones.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Generator, Iterator, Mapping
from contextlib import suppress
from typing import Any

from epcg_core.inside import PLUGIN_EXCEPTIONS, Document, Play, Solvability, editing, puzzle_id, written
from epcg_core.plugin import (
    ERASE,
    EditorInfo,
    EpcgError,
    ParamsError,
    QueryError,
    changes_of,
    find,
    format_exception,
    registry,
)
from epcg_workbench.answers import ANSWERING
from epcg_workbench.changes import Suggestions, own_values, reduced
from epcg_workbench.details import PLACING
from epcg_workbench.fillings import first_fillings
from epcg_workbench.messages import (
    Message,
    digest,
    document_message,
    judged,
    metric_message,
    opened,
    rules_of,
    scene_message,
    solution_of,
    taken_of,
    text_of,
    texts_of,
    value_message,
)
from epcg_workbench.percentiles import STANDING
from epcg_workbench.plan_exports import GIVING
from epcg_workbench.plan_sources import SOURCES
from epcg_workbench.plans import ARRANGING
from epcg_workbench.project.chips import MOST_EXPANSIONS as VERDICT_EXPANSIONS
from epcg_workbench.project.intake import intake
from epcg_workbench.project.requests import PROJECT
from epcg_workbench.questions import ASKING
from epcg_workbench.recorded import RECORDING
from epcg_workbench.regions import also_put, casts, images_of, lay
from epcg_workbench.sharing import SHARING
from epcg_workbench.tiles import drawn
from epcg_workbench.wishes import Granting, change_message, effects_of, owned, spaces_of, wish_of

MOST_COUNTED = 50_000
"""Contents that are made to count the changes of one kind, at most."""

Job = Callable[[Mapping[str, Any]], Iterator[Message]]


def answer(request: Mapping[str, Any]) -> Generator[Message, None, None]:
    """Answer a request; an error is a message with a sentence."""
    try:
        job = JOBS.get(str(request.get("do")))
        if job is None:
            raise QueryError(f"There is no request '{request.get('do')}'.")
        yield from job(request)
    except PLUGIN_EXCEPTIONS as error:
        known = isinstance(error, EpcgError)
        yield {"error": str(error) if known else format_exception(error), "expected": known}


def domains(request: Mapping[str, Any]) -> Iterator[Message]:
    """List the domains that have an editor, and what they measure."""
    for info in registry().all(EditorInfo):
        domain = registry().domain(info.domain)
        yield {
            "domain": domain.name,
            "title": domain.title,
            "summary": domain.summary,
            "editor": info.summary,
            "word": domain.content_word,
            "size": info.size,
            "rules": [
                {"name": name, "summary": summary, "known": known}
                for name, summary, known in editing.known_rules(info.domain)
            ],
            "evaluators": [
                {
                    "name": evaluator.name,
                    "summary": evaluator.summary,
                    "metrics": [metric_message(metric) for metric in evaluator.metrics],
                }
                for evaluator in editing.evaluators(info.domain)
            ],
        }


def evaluators(request: Mapping[str, Any]) -> Iterator[Message]:
    """List the evaluators of `domain` that measure contents."""
    yield {"evaluators": [info.name for info in editing.evaluators(text_of(request, "domain"))]}


def examples(request: Mapping[str, Any]) -> Iterator[Message]:
    """List contents of `domain` to begin with, each with its picture."""
    domain = text_of(request, "domain")
    for title, text in {"new": editing.new_text(domain), **editing.examples(domain)}.items():
        with suppress(EpcgError):
            document = editing.open_document(domain, text)
            yield {"title": title, "text": document.text, "svg": drawn(document)}


def open_content(request: Mapping[str, Any]) -> Iterator[Message]:
    """Open `text` in the editor of `domain`, or of the domain that reads it."""
    text = text_of(request, "text")
    domain = request.get("domain")
    if not domain:
        found = intake(text)
        domain = found.kind.domain
        text = found.content or text
    yield document_message(editing.open_document(domain, text), palette=True)


def new_content(request: Mapping[str, Any]) -> Iterator[Message]:
    """Open a new content of `domain` with `columns` and `rows`, or of the usual size."""
    domain = text_of(request, "domain")
    size = [request.get(key) for key in ("columns", "rows")]
    text = editing.new_text(domain, *(None if number is None else _size(number) for number in size))
    yield document_message(editing.open_document(domain, text), palette=True)


def put(request: Mapping[str, Any]) -> Iterator[Message]:
    """Put `mark` on `sites` of a content, and as far as it may stand there on the sites of `images`."""
    document, sites, mark = opened(request), texts_of(request, "sites"), text_of(request, "mark")
    document = editing.open_document(document.domain, document.put(sites, mark))
    for image in images_of(request):
        document = also_put(document, sites, image, mark)
    yield document_message(document)


def resize(request: Mapping[str, Any]) -> Iterator[Message]:
    """Give a content another size."""
    document = opened(request)
    text = document.resized(_size(request.get("columns")), _size(request.get("rows")))
    yield document_message(editing.open_document(document.domain, text), palette=True)


def apply(request: Mapping[str, Any]) -> Iterator[Message]:
    """Make the changes `edits`, pairs of a site and a mark."""
    document = opened(request)
    edits = [(str(site), str(mark)) for site, mark in request.get("edits", ())]
    yield document_message(editing.open_document(document.domain, editing.applied(document, edits)))


def measures(request: Mapping[str, Any]) -> Iterator[Message]:
    """Measure a content by all evaluators, or by `evaluators`, for a player who knows `rules`.

    With `plain`, plain code measures it.
    """
    document = opened(request)
    names = texts_of(request, "evaluators") if "evaluators" in request else None
    plain = bool(request.get("plain"))
    for info, found in editing.measures(document, names, rules=rules_of(request), plain_code=plain):
        message: Message = {"hash": digest(document.text), "evaluator": info.name}
        if isinstance(found, str):
            yield message | {"metrics": [], "left_out": found}
        else:
            told = [
                metric_message(each.metric) | value_message(each.metric, each.value, each.reason)
                for each in found
            ]
            yield message | {"metrics": told}
    yield {"hash": digest(document.text), "end": True}


def change_counts(request: Mapping[str, Any]) -> Iterator[Message]:
    """Count the single changes of each of the `kinds`, before any is measured; of other keys see `effects`.

    A count is None, with a reason, if it would take long, or if no region has the size.
    """
    document = opened(request)
    editor: Any = document.editor
    sites, marks = len(document.scene.sites), len(request.get("marks") or editor.palette)
    for kind in texts_of(request, "kinds"):
        found: Message = {"kind": kind, "count": None}
        if sites * max(marks, sites // 2 if kind in ("move", "swap") else 0) > MOST_COUNTED:
            yield found | {"reason": "there are too many to count them at once"}
            continue
        try:
            space = changes_of(editor, **spaces_of(dict(request) | {"kinds": [kind], "most": 1}))
        except ParamsError as error:
            yield found | {"reason": str(error)}
            continue
        yield found | {"count": space.max_rank}


def effects(request: Mapping[str, Any]) -> Iterator[Message]:
    """Measure all changes of a content by `evaluator`, and suggest some by `metric`, or by a `wish`.

    `most` changes of some `kinds` are made together at most, by `marks`, except on sites that are `locked`;
    regions that are flipped and turned have a `size`. `solution` is the intended one, as text. Messages hold
    the single changes; there may be millions of the others, which are counted and may be suggested. With a
    wish, they tell which conditions a change fails, how many meet it so far, and from time to time the
    suggestions so far.
    """
    document = opened(request)
    wished = wish_of(request, document.domain) if request.get("wish") is not None else None
    name = text_of(request, "evaluator") if wished is None else wished.evaluators[0]
    metric = text_of(request, "metric") if wished is None else wished.rule.metric
    began, cpu = time.perf_counter(), time.process_time()
    found = effects_of(request, document, (name,) if wished is None else wished.evaluators)
    of_player = rules_of(request), solution_of(request)
    values = own_values(document, name, *of_player)
    if metric not in values:
        raise QueryError(f"The evaluator {name} has no metric {metric}.")
    hash_ = digest(document.text)
    first: Message = {
        "hash": hash_,
        "own": values[metric],
        "total": len(found),
        "done": 0,
        "evaluator": found.info.name,
    }
    suggestions, done = Suggestions(found, metric, values), 0
    granting = None
    if wished is not None:
        granting = Granting(found, wished)
        for other in wished.evaluators[1:]:
            values = values | own_values(document, other, *of_player)
        first["owns"] = owned(wished, values)
    yield first
    for part in found:
        suggestions.add(part)
        done += len(part)
        fails = {} if granting is None else granting.add(part)
        yield {
            "hash": hash_,
            "changes": [
                change_message(change, metric)
                | ({"fails": fails[change.rank]} if change.rank in fails else {})
                for change in part
                if len(change.edits) == 1
            ],
            "done": done,
            "total": len(found),
            "seconds": round(time.perf_counter() - began, 3),
        } | ({} if granting is None else granting.so_far())
    granted = {} if granting is None else granting.message(final=True)
    yield {
        "hash": hash_,
        "end": True,
        "tried": document.reading.proven("By trying all of them"),
        "done": done,
        "total": len(found),
        "seconds": round(time.perf_counter() - began, 3),
        "cpu": round(time.process_time() - cpu, 3),
        "suggestions": [
            {"kind": each.kind, **change_message(each.change, metric)} for each in suggestions.found()
        ],
    } | granted


def reduce(request: Mapping[str, Any]) -> Iterator[Message]:
    """Put `mark`, or nothing, on places one by one as long as `metric` of `evaluator` keeps its value."""
    document = opened(request)
    hash_, text = digest(document.text), document.text
    mark = text_of(request, "mark") if "mark" in request else ERASE
    locked = texts_of(request, "locked") if "locked" in request else ()
    for step in reduced(document, text_of(request, "evaluator"), text_of(request, "metric"), mark, locked):
        text = step.text
        yield {"hash": hash_, "text": text, "made": list(step.made)}
    tried = document.reading.proven("another value", "each was tried")
    yield {"hash": hash_, "end": True, "text": text, "tried": tried}


def play(request: Mapping[str, Any]) -> Iterator[Message]:
    """Show the position after the actions `taken`.

    With `warn`, say which actions lose; with `named`, say which puzzle it is, by its id, or why it has none.
    A solution is `written` as a text, too.
    """
    document = opened(request)
    taken = taken_of(request)
    game = Play(document, taken)
    position = game.position()
    yield {
        "hash": digest(document.text),
        "scene": scene_message(position.scene),
        "solved": position.solved,
        "actions": [
            {"sites": step.gesture.sites, "keys": step.gesture.keys, "text": step.text}
            for step in position.steps
        ],
        **({"dead": game.dead(), "lost": document.lost_words} if request.get("warn") else {}),
        **(_named(document) if request.get("named") else {}),
        **({"written": written(document, taken)} if position.solved else {}),
    }


def _named(document: Document) -> Message:
    """Return the id of a content, by which traces of play are joined with what runs measured."""
    try:
        space, rank = find.by_text(document.text, None, document.domain)
    except PLUGIN_EXCEPTIONS as error:
        return {"puzzle": "", "unnamed": str(error)}
    return {"puzzle": puzzle_id(space.name, rank)}


def solve(request: Mapping[str, Any]) -> Iterator[Message]:
    """Search a shortest solution from the position after the actions `taken`.

    The answer has the numbers of its actions and their texts, or the `reason` why there is none; `exhausted`
    if all positions were tried, `why` says in words why the first action is right, '' if the model does not
    say it, and `about` what was left out, '' if nothing was. With `verdict`, any solution will do (`shortest`
    tells whether its actions are the fewest, and the domain counts them as moves), no more positions are
    tried than for the levels of a project, and puzzles that are solved by writing are `judged` in place of a
    `why`.
    """
    document = opened(request)
    game = Play(document, taken_of(request))
    verdict = bool(request.get("verdict"))
    found = game.solvability(VERDICT_EXPANSIONS) if verdict else Solvability.of(game.solve())
    message: Message = {"hash": digest(document.text), "expansions": found.positions}
    if found.actions is None:
        none = document.reading.proven("no solution")
        reason = none if found.is_proven else "unknown (limit)"
        about = str(document.reading)
        yield message | {"solution": None, "reason": reason, "exhausted": found.is_proven, "about": about}
        return
    message |= {"solution": game.numbers(found.actions), "words": game.texts(found.actions)}
    is_told = found.is_shortest and editing.counts_moves(document.domain)
    yield message | {"shortest": is_told} | (judged(document) if verdict else {"why": game.reason()})


JOBS: Mapping[str, Job] = {
    "domains": domains,
    "evaluators": evaluators,
    "examples": examples,
    "open": open_content,
    "new": new_content,
    "put": put,
    "casts": casts,
    "lay": lay,
    "fillings": first_fillings,
    "resize": resize,
    "apply": apply,
    "measures": measures,
    "effects": effects,
    "change_counts": change_counts,
    "reduce": reduce,
    "play": play,
    "solve": solve,
    **ANSWERING,
    **ARRANGING,
    **ASKING,
    **GIVING,
    **PLACING,
    **PROJECT,
    **SOURCES,
    **RECORDING,
    **SHARING,
    **STANDING,
}
"""The requests, by name."""


# ---- requests


def _size(number: object) -> int:
    if not isinstance(number, int) or isinstance(number, bool) or not 1 <= number <= 1000:
        raise QueryError(f"A board has 1 to 1,000 columns and rows, not {number!r}.")
    return number

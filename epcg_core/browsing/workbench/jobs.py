"""The requests of the workbench's page, each answered by a stream of plain data.

A request is {"do": NAME, ...}; see the functions for its other keys. Messages are JSON objects. What belongs
to a content carries its `hash`, so that a page can tell late answers from current ones.
"""

from __future__ import annotations

import hashlib
import json
import math
import time
from collections.abc import Callable, Generator, Iterator, Mapping
from contextlib import suppress
from typing import Any

import attrs

from epcg_core.browsing.workbench.asking import ASKING
from epcg_core.browsing.workbench.messages import Message, text_of, texts_of
from epcg_core.domain import EditorInfo, EvaluatorInfo, Metric, Value
from epcg_core.domain.editing import ERASE, Scene
from epcg_core.errors import PLUGIN_EXCEPTIONS, EpcgError, QueryError, format_exception
from epcg_core.params import toml_text
from epcg_core.plugins.registry import registry
from epcg_core.query.query import Query, parse
from epcg_core.query.spec import make_generator, max_rank_of, space_spec
from epcg_core.rendering.render import format_state
from epcg_core.services import editing
from epcg_core.services import score as scores
from epcg_core.services.answers import estimates
from epcg_core.services.changes import Change, Effects, Suggestions, own_values, reduced
from epcg_core.services.editing import Document
from epcg_core.services.play import Play

Job = Callable[[Mapping[str, Any]], Iterator[Message]]
MOST_TAKEN = 10_000
"""Actions of one play."""


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
            "size": info.size,
            "rules": [
                {"name": name, "summary": summary, "known": known}
                for name, summary, known in editing.known_rules(info.domain)
            ],
            "evaluators": [
                {
                    "name": evaluator.name,
                    "summary": evaluator.summary,
                    "metrics": [_metric(metric) for metric in evaluator.metrics],
                }
                for evaluator in editing.evaluators(info.domain)
            ],
        }


def evaluators(request: Mapping[str, Any]) -> Iterator[Message]:
    """List the evaluators of `domain` that measure contents."""
    yield {"evaluators": [info.name for info in editing.evaluators(text_of(request, "domain"))]}


def examples(request: Mapping[str, Any]) -> Iterator[Message]:
    """List contents of `domain` to begin with, each with its scene."""
    domain = text_of(request, "domain")
    for title, text in {"new": editing.new_text(domain), **editing.examples(domain)}.items():
        with suppress(EpcgError):
            document = editing.open_document(domain, text)
            yield {"title": title, "text": document.text, "scene": _scene(document.scene)}


def open_content(request: Mapping[str, Any]) -> Iterator[Message]:
    """Open `text` in the editor of `domain`, or of the domain that reads it."""
    text = text_of(request, "text")
    domain = request.get("domain")
    if not domain:
        found = editing.recognised(text)
        if len(found) != 1:
            raise QueryError(
                f"Several domains read this: {', '.join(found)}. Choose one."
                if found
                else "No domain's editor reads this as a content."
            )
        domain = found[0]
    yield _document(editing.open_document(domain, text), palette=True)


def new_content(request: Mapping[str, Any]) -> Iterator[Message]:
    """Open a new content of `domain` with `columns` and `rows`, or of the usual size."""
    domain = text_of(request, "domain")
    size = [request.get(key) for key in ("columns", "rows")]
    text = editing.new_text(domain, *(None if number is None else _size(number) for number in size))
    yield _document(editing.open_document(domain, text), palette=True)


def put(request: Mapping[str, Any]) -> Iterator[Message]:
    """Put `mark` on `sites` of a content."""
    document = _opened(request)
    text = document.put(texts_of(request, "sites"), text_of(request, "mark"))
    yield _document(editing.open_document(document.domain, text))


def resize(request: Mapping[str, Any]) -> Iterator[Message]:
    """Give a content another size."""
    document = _opened(request)
    text = document.resized(_size(request.get("columns")), _size(request.get("rows")))
    yield _document(editing.open_document(document.domain, text), palette=True)


def apply(request: Mapping[str, Any]) -> Iterator[Message]:
    """Make the changes `edits`, pairs of a site and a mark."""
    document = _opened(request)
    edits = [(str(site), str(mark)) for site, mark in request.get("edits", ())]
    yield _document(editing.open_document(document.domain, editing.applied(document, edits)))


def measures(request: Mapping[str, Any]) -> Iterator[Message]:
    """Measure a content by all evaluators, or by `evaluators`, for a player who knows `rules`.

    With `plain`, plain code measures it.
    """
    document = _opened(request)
    names = texts_of(request, "evaluators") if "evaluators" in request else None
    plain = bool(request.get("plain"))
    for info, found in editing.measures(document, names, rules=_rules(request), plain_code=plain):
        message: Message = {"hash": digest(document.text), "evaluator": info.name}
        if isinstance(found, str):
            yield message | {"metrics": [], "left_out": found}
        else:
            yield message | {
                "metrics": [
                    _metric(measure.metric) | _value(measure.metric, measure.value, measure.reason)
                    for measure in found
                ]
            }
    yield {"hash": digest(document.text), "end": True}


def effects(request: Mapping[str, Any]) -> Iterator[Message]:
    """Measure all changes of a content by `evaluator`, and suggest some by `metric`.

    `most` sites are changed at most, by `marks`, except those that are `locked`. Messages hold the changes of
    one site; there may be millions of the others, which are counted and may be suggested.
    """
    document = _opened(request)
    name, metric = text_of(request, "evaluator"), text_of(request, "metric")
    began, cpu = time.perf_counter(), time.process_time()
    found = Effects(
        document,
        name,
        most=int(request.get("most", 1)),
        marks=texts_of(request, "marks") if "marks" in request else (),
        locked=texts_of(request, "locked") if "locked" in request else (),
        rules=_rules(request),
    )
    values = own_values(document, name, _rules(request))
    if metric not in values:
        raise QueryError(f"The evaluator {name} has no metric {metric}.")
    own = values[metric]
    hash_ = digest(document.text)
    yield {"hash": hash_, "own": own, "total": len(found), "done": 0, "evaluator": found.info.name}
    suggestions, done = Suggestions(found, metric, values), 0
    for part in found:
        suggestions.add(part)
        done += len(part)
        yield {
            "hash": hash_,
            "changes": [_change(change, metric) for change in part if len(change.edits) == 1],
            "done": done,
            "total": len(found),
            "seconds": round(time.perf_counter() - began, 3),
        }
    yield {
        "hash": hash_,
        "end": True,
        "done": done,
        "total": len(found),
        "seconds": round(time.perf_counter() - began, 3),
        "cpu": round(time.process_time() - cpu, 3),
        "suggestions": [{"kind": each.kind, **_change(each.change, metric)} for each in suggestions.found()],
    }


def reduce(request: Mapping[str, Any]) -> Iterator[Message]:
    """Put `mark`, or nothing, on places one by one as long as `metric` of `evaluator` keeps its value."""
    document = _opened(request)
    hash_, text = digest(document.text), document.text
    mark = text_of(request, "mark") if "mark" in request else ERASE
    locked = texts_of(request, "locked") if "locked" in request else ()
    for step in reduced(document, text_of(request, "evaluator"), text_of(request, "metric"), mark, locked):
        text = step.text
        yield {"hash": hash_, "text": text, "made": list(step.made)}
    yield {"hash": hash_, "end": True, "text": text}


def play(request: Mapping[str, Any]) -> Iterator[Message]:
    """Show the position after the actions `taken`; with `warn`, say which actions lose."""
    document = _opened(request)
    game = Play(document, _taken(request))
    position = game.position()
    yield {
        "hash": digest(document.text),
        "scene": _scene(position.scene),
        "solved": position.solved,
        "actions": [
            {"sites": step.gesture.sites, "keys": step.gesture.keys, "text": step.text}
            for step in position.steps
        ],
        **({"dead": game.dead()} if request.get("warn") else {}),
    }


def solve(request: Mapping[str, Any]) -> Iterator[Message]:
    """Search a shortest solution from the position after the actions `taken`."""
    document = _opened(request)
    game = Play(document, _taken(request))
    found = game.solve()
    message: Message = {"hash": digest(document.text), "expansions": found.expansions}
    if found.length is None:
        reason = "unknown (limit)" if found.limit_reached else "no solution (proven)"
        yield message | {"solution": None, "reason": reason}
    else:
        yield message | {"solution": game.numbers(found.actions)}


def standing(request: Mapping[str, Any]) -> Iterator[Message]:
    """Say where a content stands in the recorded runs of the database `db`; `space` is '' if in none."""
    document = _opened(request)
    with scores.reading(text_of(request, "db")) as reader:
        try:
            space, rank = scores.find(document.text, reader, document.domain)
        except QueryError:  # no generator reads it
            yield {"hash": digest(document.text), "space": "", "rank": "", "measures": []}
            return
        found = scores.score(space, rank, reader)
    yield {
        "hash": digest(document.text),
        "space": space.name,
        "rank": str(rank),
        "measures": [
            _metric(measure.metric)
            | _value(measure.metric, measure.value, measure.reason)
            | {
                "standings": [
                    {
                        "run": at.run,
                        "generator": at.generator,
                        "params": at.params,
                        "valued": at.valued,
                        "lower": at.lower,
                        "equal": at.equal,
                        "percentile": round(at.percentile, 3),
                    }
                    for at in measure.standings
                ]
            }
            for measure in found.measures
        ],
    }


def query(request: Mapping[str, Any]) -> Iterator[Message]:
    """Write the query, as TOML, whose run records all changes of a content."""
    document = _opened(request)
    evaluator = text_of(request, "evaluator")
    found = Effects(document, evaluator, limit=None)
    keys = {"name": "changes", "content": document.text, "most": int(request.get("most", 1))}
    keys |= {key: texts_of(request, key) for key in ("marks", "locked") if request.get(key)}
    title = f"all changes of a content of {document.domain}"
    yield {
        "hash": digest(document.text),
        "title": title,
        "toml": _toml(document.domain, title, keys, found.info, request),
        "evaluator": found.info.name,
    }


def space(request: Mapping[str, Any]) -> Iterator[Message]:
    """Write the query, as TOML, whose run records the space that a content stands in, and what it costs."""
    document = _opened(request)
    location = text_of(request, "db")
    with scores.reading(location) as reader:
        found, rank = scores.find(document.text, reader, document.domain)
    info = registry().evaluator(document.domain, text_of(request, "evaluator"))
    keys = {"name": found.generator.name, **found.generator.params}
    title = f"all of {found.name}"
    toml = _toml(document.domain, title, keys, info, request)
    yield {
        "hash": digest(document.text),
        "title": title,
        "toml": toml,
        "space": found.name,
        "rank": str(rank),
    } | _cost(parse(toml), location)


def _cost(query: Query, location: str) -> Message:
    """Return how many candidates a query leaves to be done, and what they cost."""
    runs = estimates(query, location)
    known = [each for each in runs if each.seconds is not None]
    return {
        "remaining": str(sum(each.remaining for each in runs)),
        "seconds": sum(each.seconds or 0 for each in known),
        "bytes": str(sum(each.bytes or 0 for each in known)),
        "unknown": " and ".join(dict.fromkeys(each.unknown for each in runs if each.unknown)),
    }


def sketch(request: Mapping[str, Any]) -> Iterator[Message]:
    """Count the contents that fill the open sites `open`, and write the query that records all of them."""
    document = _opened(request)
    keys = {"name": "sketch", "content": document.text, "open": request.get("open", [])}
    if request.get("counts"):
        keys["counts"] = request["counts"]
    info = registry().evaluator(document.domain, text_of(request, "evaluator"))
    title = f"all contents of {document.domain} that fill open sites"
    toml = _toml(document.domain, title, keys, info, request)
    asked = parse(toml)
    del keys["name"]
    found = space_spec(registry(), document.domain, "sketch", keys)
    message = {
        "hash": digest(document.text),
        "completions": str(max_rank_of(registry(), found, make_generator(registry(), found))),
    }
    yield message
    if message["completions"] != "0":
        yield message | {"title": title, "toml": toml} | _cost(asked, text_of(request, "db"))


def _toml(
    domain: str,
    title: str,
    generator: Mapping[str, Any],
    evaluator: EvaluatorInfo,
    request: Mapping[str, Any],
) -> str:
    """Return a query that keeps the ten contents with the highest values of the request's `metric`."""
    named = _rules(request)
    known = any(field.name == editing.RULES for field in attrs.fields(evaluator.params))
    rules = [] if named is None or not known else [f"{editing.RULES} = {toml_text(named)}"]
    lines = [
        f"domain = {toml_text(domain)}",
        f"title = {toml_text(title)}",
        "",
        "[generator]",
        *(f"{key} = {toml_text(value)}" for key, value in generator.items() if value is not None),
        "",
        "[[evaluators]]",
        f"name = {toml_text(evaluator.name)}",
        *rules,
        "",
        "[[select]]",
        f"metric = {toml_text(text_of(request, 'metric'))}",
        'keep = "top"',
        "count = 10",
    ]
    return "\n".join(lines) + "\n"


def puzzle(request: Mapping[str, Any]) -> Iterator[Message]:
    """Open a `puzzle` by its id: RUN#RANK, a short one or a whole one."""
    name = text_of(request, "puzzle")
    found = text_of_puzzle(name, text_of(request, "db"))
    if found is None:
        raise QueryError(f"'{name}' is not the id of a puzzle.")
    yield _document(editing.open_document(*found), palette=True)


def recorded(request: Mapping[str, Any]) -> Iterator[Message]:
    """List kept candidates of the newest runs of the database, or of one `run`, with scenes and scores."""
    own = request.get("run")
    with scores.reading(text_of(request, "db")) as reader:
        if reader is None:
            return
        ask = reader.connection.exec_driver_sql
        runs = [int(own)] if own is not None else [run for (run,) in ask(_KEPT_RUNS, (_MOST_SHOWN,))]
        most = _MOST_OF_ONE if own is not None else _MOST_SHOWN
        kept = [(run, ask(_KEPT, (run, most)).fetchall()) for run in runs]
    for run, puzzles in kept:
        for name, found_scores in puzzles:
            with suppress(*PLUGIN_EXCEPTIONS):  # no editor reads it, or its plugin is missing
                found = text_of_puzzle(name, text_of(request, "db"))
                if found is not None:
                    opened = _document(editing.open_document(*found), palette=True)
                    yield {**opened, "title": f"run {run}", "run": run, "scores": json.loads(found_scores)}


_MOST_SHOWN, _MOST_OF_ONE = 6, 24
_KEPT_RUNS = "SELECT run_id FROM kept GROUP BY run_id ORDER BY run_id DESC LIMIT ?"
_KEPT = "SELECT puzzle, scores FROM kept WHERE run_id = ? ORDER BY rank LIMIT ?"


JOBS: Mapping[str, Job] = {
    "domains": domains,
    "evaluators": evaluators,
    "examples": examples,
    "open": open_content,
    "new": new_content,
    "puzzle": puzzle,
    "recorded": recorded,
    "put": put,
    "resize": resize,
    "apply": apply,
    "measures": measures,
    "effects": effects,
    "reduce": reduce,
    "play": play,
    "solve": solve,
    "standing": standing,
    "query": query,
    "space": space,
    "sketch": sketch,
    **ASKING,
}
"""The requests, by name."""


def digest(text: str) -> str:
    """Return the hash of a content, which its answers carry."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:16]


def text_of_puzzle(what: str, location: str) -> tuple[str, str] | None:
    """Return the domain and the text of a puzzle that is named by an id; None for anything else."""
    if not scores.is_id(what):
        return None
    with scores.reading(location) as reader:
        space, rank = scores.named(what, reader, location)
    generator = make_generator(registry(), space)
    return space.domain, format_state(generator, generator.unrank(rank))


# ---- requests


def _opened(request: Mapping[str, Any]) -> Document:
    return editing.open_document(text_of(request, "domain"), text_of(request, "text"))


def _rules(request: Mapping[str, Any]) -> list[str] | None:
    return texts_of(request, "rules") if request.get("rules") is not None else None


def _size(number: object) -> int:
    if not isinstance(number, int) or isinstance(number, bool) or not 1 <= number <= 1000:
        raise QueryError(f"A board has 1 to 1,000 columns and rows, not {number!r}.")
    return number


def _taken(request: Mapping[str, Any]) -> list[int]:
    found = request.get("taken", [])
    if not isinstance(found, list) or len(found) > MOST_TAKEN or not all(type(n) is int for n in found):
        raise QueryError(f"The actions taken are a list of at most {MOST_TAKEN:,} numbers.")
    return found


# ---- messages


def _document(document: Document, palette: bool = False) -> Message:
    editor: Any = document.editor
    message: Message = {
        "domain": document.domain,
        "text": document.text,
        "hash": digest(document.text),
        "scene": _scene(document.scene),
    }
    if palette:
        message |= {
            "palette": [attrs.asdict(mark) for mark in editor.palette],
            "playable": document.playable,
            "resizable": hasattr(editor, "resized"),
        }
    return message


def _scene(scene: Scene) -> Message:
    return {
        "sites": [[site.id, site.kind, site.points, site.title or site.id] for site in scene.sites],
        "marks": {site: list(marks) for site, marks in scene.marks.items() if marks},
        "paths": [attrs.asdict(line) for line in scene.paths],
        "note": scene.note,
    }


def _metric(metric: Metric) -> Message:
    return {
        "metric": metric.name,
        "kind": metric.kind,
        "direction": metric.direction,
        "unit": metric.unit,
        "description": metric.description,
    }


def _value(metric: Metric, value: Value | None, reason: str) -> Message:
    told = reason if value is None else metric.told(value)
    return {"value": _json(value), "told": told, "reason": reason}


def _json(value: Value | None) -> Value | None:
    return None if isinstance(value, float) and not math.isfinite(value) else value


def _change(change: Change, metric: str) -> Message:
    return {
        "rank": change.rank,
        "edits": [[edit.change["site"], edit.change["mark"]] for edit in change.edits],
        "description": change.description,
        "value": _json(change.values.get(metric)),
        "reason": change.reason,
    }

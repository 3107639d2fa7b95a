"""The requests that compare contents with what is recorded, and write queries that record more."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Any

import attrs

from epcg_core.inside import (
    PLUGIN_EXCEPTIONS,
    Condition,
    SelectParams,
    StoreError,
    about_all,
    asked,
    editing,
    ledger,
    max_rank_of,
    met_of_all,
    opened_state,
    parse_query,
    puzzle_id,
    space_spec,
)
from epcg_core.plugin import (
    EvaluatorInfo,
    QueryError,
    Reader,
    RunRecord,
    counted,
    find,
    make_generator,
    registry,
    toml_text,
)
from epcg_workbench.fillings import BARS, sketch_keys, with_gaps
from epcg_workbench.messages import (
    Message,
    digest,
    document_message,
    opened,
    rules_of,
    solution_of,
    text_of,
    whole_of,
)
from epcg_workbench.questions import costs
from epcg_workbench.tiles import drawn
from epcg_workbench.wishes import Wish, effects_of, select_of, spaces_of, wish_message, wish_of


def query(request: Mapping[str, Any]) -> Iterator[Message]:
    """Write the query, as TOML, whose run records all changes of a content, and keeps what a `wish` asks."""
    document = opened(request)
    wished = request_wish(request, document.domain)
    found = effects_of(request, document, wished.evaluators, limit=None)
    keys = {"name": "changes", "content": document.text, **spaces_of(request)}
    title = f"All changes of a {registry().domain(document.domain).content_word[0]}"
    yield {
        "hash": digest(document.text),
        "title": title,
        "toml": query_of(document.domain, title, keys, found.infos, request, wished),
        "evaluator": found.info.name,
    }


def request_wish(request: Mapping[str, Any], domain: str) -> Wish:
    """Return the wish of a request; without one, the ten contents with the best values of `metric`."""
    if request.get("wish") is not None:
        return wish_of(request, domain)
    info, name = registry().evaluator(domain, text_of(request, "evaluator")), text_of(request, "metric")
    metrics = {metric.name: metric for metric in info.metrics}
    return Wish(SelectParams(name), (info.name,), {name: metrics[name]} if name in metrics else {})


def sketch(request: Mapping[str, Any]) -> Iterator[Message]:
    """Count the contents that fill the open sites `open`, and write the query that records all of them."""
    document = opened(request)
    keys = sketch_keys(request, document)
    wished = request_wish(request, document.domain)
    infos = [registry().evaluator(document.domain, name) for name in wished.evaluators]
    found = space_spec(registry(), document.domain, "sketch", keys)
    number = sum(len(each["sites"]) for each in keys["open"])
    word = registry().domain(document.domain).content_word[1]
    title = f"All {word} that fill {counted(number, 'open place')}"
    toml = query_of(document.domain, title, {"name": "sketch", **keys}, infos, request, wished)
    message = {
        "hash": digest(document.text),
        "completions": str(max_rank_of(registry(), found, make_generator(registry(), found))),
    }
    yield message
    if message["completions"] != "0":
        yield message | {"title": title, "toml": toml} | costs(parse_query(toml), text_of(request, "db"))


def query_of(
    domain: str,
    title: str,
    generator: Mapping[str, Any],
    evaluators: Sequence[EvaluatorInfo],
    request: Mapping[str, Any],
    wished: Wish,
    search: str = "",
) -> str:
    """Return a query that keeps what a wish asks for, answered by a named search or by the default one."""
    named = rules_of(request)
    lines = [
        f"domain = {toml_text(domain)}",
        f"title = {toml_text(title)}",
        "",
        "[generator]",
        *(f"{key} = {toml_text(value)}" for key, value in generator.items() if value is not None),
        *(["", "[search]", f"name = {toml_text(search)}"] if search else []),
    ]
    for info in evaluators:
        known = any(field.name == editing.RULES for field in attrs.fields(info.params))
        rules = [] if named is None or not known else [f"{editing.RULES} = {toml_text(named)}"]
        meant = (
            solution_of(request) if editing.SOLUTION in {f.name for f in attrs.fields(info.params)} else ""
        )
        solution = [f"{editing.SOLUTION} = {toml_text(meant)}"] if meant else []
        lines += ["", "[[evaluators]]", f"name = {toml_text(info.name)}", *rules, *solution]
    return "\n".join([*lines, "", "[[select]]", *select_of(wished), ""])


def puzzle(request: Mapping[str, Any]) -> Iterator[Message]:
    """Open a `puzzle` by its id: RUN#RANK, a short one or a whole one."""
    name = text_of(request, "puzzle")
    found = text_of_puzzle(name, text_of(request, "db"))
    if found is None:
        raise QueryError(f"'{name}' is not the id of a puzzle.")
    yield document_message(editing.open_document(*found), palette=True)


def recorded(request: Mapping[str, Any]) -> Iterator[Message]:
    """List kept candidates of the newest runs of the database, or of one `run`, with scenes and scores.

    A run that is not finished keeps none yet: of `run`, the best by `metric` are listed that it found so far.
    With a `wish`, those that it keeps of the run are listed, in its order, after how many meet it.
    """
    own = whole_of(request, "run") if "run" in request else None
    so_far = of_all = ""
    granted: Message | None = None
    bars: list[list[Any]] = []
    with find.reading(text_of(request, "db")) as reader:
        if reader is None:
            return
        ask = reader.connection.exec_driver_sql
        runs = [own] if own is not None else [run for (run,) in ask(_KEPT_RUNS, (_MOST_SHOWN,))]
        most = _MOST_OF_ONE if own is not None else _MOST_SHOWN
        kept: list[tuple[int, Sequence[Any]]]
        kept = [(run, ask(_KEPT, (run, most)).fetchall()) for run in runs]
        if own is not None and request.get("wish") is not None:
            record, wished = reader.run(own), wish_of(request, reader.run(own).domain)
            try:
                answer = asked(reader, record, _counted(wished.rule), most_bars=BARS)
                chosen = answer.granted
                bars = with_gaps([[b.low, b.high, b.count, b.met] for b in answer.bars])
            except StoreError:  # none has a value
                chosen = ledger.chosen(reader, record, _counted(wished.rule))
            kept, so_far = [(own, _scored(reader, record, chosen.found[:most]))], record.so_far
            granted = wish_message(chosen, wished, ledger.reasons_of(reader, record, chosen))
            if so_far:
                told = [met_of_all(record, granted["met"], granted["candidates"])]
                told += [] if wished.rule.where else [about_all(reader, record, wished.rule.metric)]
                of_all = " ".join(filter(None, told))
        elif own is not None and "metric" in request and (so_far := reader.run(own).so_far):
            kept = [(own, _best_so_far(reader, own, text_of(request, "metric")))]
            of_all = about_all(reader, reader.run(own), text_of(request, "metric"))
    if granted is not None:
        yield {"wish": granted, "so_far": so_far, "of_all": of_all, "histogram": bars}
    for run, puzzles in kept:
        for name, found_scores in puzzles:
            with suppress(*PLUGIN_EXCEPTIONS):  # no editor reads it, or its plugin is missing
                found_text = text_of_puzzle(name, text_of(request, "db"))
                if found_text is not None:
                    document = editing.open_document(*found_text)
                    message = document_message(document, palette=True)
                    message |= {"title": f"run {run}", "run": run, "so_far": so_far}
                    if own is None:
                        message["svg"] = drawn(document)
                    message |= {"of_all": of_all} if of_all else {}
                    yield message | {"scores": json.loads(found_scores)}


def _counted(rule: SelectParams) -> SelectParams:
    """Return a rule as one that has conditions to count by, if only that there is a value."""
    return rule if rule.wishes else attrs.evolve(rule, where=(Condition(rule.metric),))


def _scored(reader: Reader, record: RunRecord, found: Sequence[tuple[int, Any]]) -> list[tuple[str, str]]:
    """Return (puzzle, scores as JSON) of candidates, in their order."""
    ranks = [rank for rank, _ in found]
    scored = zip(ranks, reader.scores_at(record.id, ranks), strict=True)
    return [(puzzle_id(record.space, rank), json.dumps(each)) for rank, each in scored]


def _best_so_far(reader: Reader, run: int, metric: str) -> list[tuple[str, str]]:
    """Return (puzzle, scores as JSON) of the best candidates that an unfinished run has, the best first."""
    rule = SelectParams(metric, "top", _BEST)
    found = ledger.selected(reader, reader.run(run), rule, _BEST)["candidates"]
    return [(each["puzzle"], json.dumps(each["scores"])) for each in found]


_MOST_SHOWN, _MOST_OF_ONE, _BEST = 6, 24, 10
_KEPT_RUNS = "SELECT run_id FROM kept GROUP BY run_id ORDER BY run_id DESC LIMIT ?"
_KEPT = "SELECT puzzle, scores FROM kept WHERE run_id = ? ORDER BY rank LIMIT ?"


def text_of_puzzle(what: str, location: str) -> tuple[str, str] | None:
    """Return the domain and the text of a puzzle that is named by an id; None for anything else."""
    if not find.is_id(what):
        return None
    with find.reading(location) as reader:
        space, rank = find.named(what, reader, location)
    generator = make_generator(registry(), space)
    return space.domain, opened_state(generator, generator.unrank(rank))


RECORDING: Mapping[str, Callable[[Mapping[str, Any]], Iterator[Message]]] = {
    "query": query,
    "sketch": sketch,
    "puzzle": puzzle,
    "recorded": recorded,
}
"""The requests, by name."""

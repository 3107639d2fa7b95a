"""The requests of the page that asks, about answers: which questions there are, what runs answer to them.

An answer comes from what is recorded. A question's wish can change as often as one likes without a new run,
as long as the run measured what it asks for.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from epcg_core.inside import (
    PLUGIN_EXCEPTIONS,
    Field,
    SelectParams,
    asked,
    distribution,
    editing,
    form_of,
    kept_notes,
    ledger,
    max_rank_of,
    opened_state,
    parse_query,
    present,
    puzzle_id,
    query_toml,
    run_for,
    run_of,
    selection,
    space_spec,
)
from epcg_core.plugin import (
    EditorInfo,
    EpcgError,
    EvaluatorInfo,
    Metric,
    Query,
    QueryError,
    Reader,
    RunRecord,
    SpaceSpec,
    Store,
    counted,
    documents,
    make_generator,
    plain,
    registry,
    structure,
)
from epcg_workbench.kept_texts import QUERY, kind_of, path_of, read, saved, stamp_of
from epcg_workbench.messages import (
    Message,
    metric_message,
    number_of,
    plain_value,
    text_of,
    whole_of,
)
from epcg_workbench.told_apart import told_apart
from epcg_workbench.wishes import Wish, wish_message

MOST_QUESTIONS = 200
"""Questions of a folder that are listed."""
MOST_LISTED = 10_000
"""Contents that can be paged through."""
PAGE = 60
"""Contents of one page."""
USUAL = 12
"""Contents that are kept for a question that says nothing of it."""
CHANGES, SKETCH = "changes", "sketch"
"""The generator of all changes of a content."""
_PLAIN = ("contents", "instances")
"""The generators whose names are the engine's word for what people call levels, boards or puzzles."""
_SIZES = (("width", "height"), ("columns", "rows"))


# ---- questions


def questions(request: Mapping[str, Any]) -> Iterator[Message]:
    """List the questions in files of the folder, each with its size, and the runs that no file asks for."""
    folder, found = Path(text_of(request, "folder")), []
    for path in sorted(folder.glob("*.toml"))[:MOST_QUESTIONS]:
        with suppress(EpcgError):
            text = documents.read_text(path, "question")
            table = documents.parse_toml(text, path.name)
            if kind_of(table) != QUERY:
                continue
            message: Message = {"file": path.name, "title": str(table.get("title") or path.stem), "size": ""}
            with suppress(*PLUGIN_EXCEPTIONS):
                query = parse_query(text, where=path.name, name=path.stem)
                found.append(query)
                message |= {"title": title_of(query, path.stem), "measure": _first_measure(query)}
                message |= population(query)
            yield message
    yield from _unasked(text_of(request, "db"), found, folder)


def question_file(request: Mapping[str, Any]) -> Iterator[Message]:
    """Read the question of the file `name`, with its stamp."""
    path = path_of(request, "question")
    yield {"name": path.name, "text": read(path, "question", QueryError), "stamp": stamp_of(path)}


def save_question(request: Mapping[str, Any]) -> Iterator[Message]:
    """Write `text` as the question `name`, if its file is what `stamp` says, or with `force` in any case."""
    path, text = path_of(request, "question"), text_of(request, "text")
    parse_query(text, where=path.name, name=path.stem)
    yield saved(path, text, text_of(request, "stamp"), request.get("force") is True)


def _unasked(location: str, known: Sequence[Query], folder: Path) -> Iterator[Message]:
    """Yield the recorded runs that answer none of some queries, the newest first.

    Each has in `about` what tells it from others of the same title; '' if there are none.
    """
    if not Path(location).is_file():
        return
    with Store.open(location) as store, store.reader() as reader:
        theirs = set()
        for query in known:
            with suppress(*PLUGIN_EXCEPTIONS):
                run = run_of(query, store, reader)
                theirs |= {run.id} if run is not None else set()
        titles: dict[int, str] = {}
        records = [record for record in reversed(reader.runs()) if record.id not in theirs]
        for record in records:
            named = reader.query_of(record.id)
            if named is not None:
                titles[record.id] = str(named[1].get("title") or named[0])
        about = told_apart(reader, titles, folder, lambda query: str(population(query)["of"]))
        for record in records:
            if record.id in titles:
                yield {
                    "run": record.id,
                    "title": titles[record.id],
                    "about": about.get(record.id, ""),
                    "state": record.state,
                    "count": str(record.candidates),
                }


def _first_measure(query: Query) -> str:
    """Return what a question ranks by, else the first number that it measures."""
    if query.select:
        return query.select[0].metric
    return next((each["metric"] for each in measures_of(query) if each["kind"] != "bool"), "")


def of_run(request: Mapping[str, Any]) -> Iterator[Message]:
    """Write the question that asked for a `run`, as TOML."""
    with _reader(text_of(request, "db")) as (_, reader):
        number = whole_of(request, "run")
        reader.run(number)
        named = reader.query_of(number)
    if named is None:
        raise QueryError(f"Run {number} has no recorded question.")
    yield {"text": query_toml(named[0], named[1]), "run": number}


def title_of(query: Query, name: str) -> str:
    """Return what people call a question."""
    return query.title or name.replace("-", " ").replace("_", " ").capitalize()


def population(query: Query) -> Message:
    """Say what a question is about: `of` in words, its `size` on paper, and how many there are."""
    params = dict(query.generator.params)
    info = registry().generator(query.domain, query.generator.name, "generator")
    fields = form_of(info.params)
    values = {field.name: params.get(field.name, field.default) for field in fields}
    usual = {field.name for field in fields if values[field.name] == field.default}
    size = next(
        (
            f"{values[a]} × {values[b]}"
            for a, b in _SIZES
            if _is_number(values.get(a)) and _is_number(values.get(b))
        ),
        "",
    )
    sized = {key for pair in _SIZES for key in pair} if size else set()
    told = [
        _number_in_words(field, value)
        for field in fields
        for value in [values[field.name]]
        if field.name not in sized and _is_number(value)
        if field.name not in usual or Metric(field.name).counts
    ]
    kind, contents = query.generator.name.replace("_", " "), registry().domain(query.domain).content_word[1]
    if not kind.endswith("s"):  # 'all binary puzzles', but 'all boards'
        kind = f"{kind} {contents}"
    if query.generator.name == CHANGES:
        told = []
        kind = "single changes" if values["most"] == 1 else f"changes of up to {values['most']} places"
    if query.generator.name in _PLAIN:
        kind = contents
    spec = space_spec(registry(), query.domain, query.generator.name, params)
    if query.generator.name == SKETCH:
        places = sum(len(each["sites"]) for each in params["open"])
        told, kind = [], f"{contents} that fill {counted(places, 'open place')}"
    return {
        "of": ", ".join(filter(None, [f"all {kind}", size, *told])),
        "size": size,
        "count": str(max_rank_of(registry(), spec, make_generator(registry(), spec))),
        "words": list(registry().domain(query.domain).content_word),
    }


def opens(space: SpaceSpec, rank: int) -> bool:
    """Return whether an editor opens a candidate: those of some generators are no contents."""
    if all(info.domain != space.domain for info in registry().all(EditorInfo)):
        return False
    with suppress(*PLUGIN_EXCEPTIONS):
        generator = make_generator(registry(), space)
        editing.open_document(space.domain, opened_state(generator, generator.unrank(rank)))
        return True
    return False


def _number_in_words(field: Field, value: Any) -> str:
    """Tell a number of a generator's params: '2 pieces given', '7 balls', 'level 2'."""
    if field.told:
        return Metric(field.name, sentence=field.told).told(value)
    metric = Metric(field.name)
    return metric.brief(value) if metric.counts else f"{metric.heading} {value}"


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


# ---- the wish of a question


def measures_of(query: Query) -> list[Message]:
    """List the measures that a question's wish can name, its own first, of these people's."""
    found: dict[str, Message] = {}
    for part in query.evaluators:
        with suppress(EpcgError):
            info = registry().evaluator(query.domain, part.name)
            for metric in info.metrics:
                name = f"{part.alias}_{metric.name}" if part.alias else metric.name
                found.setdefault(name, _measure(part.name, name, metric, own=True))
    for info in registry().usable(EvaluatorInfo, query.domain):
        if not info.scores(query.generator.name) or any(field.required for field in form_of(info.params)):
            continue
        for metric in info.metrics:
            found.setdefault(metric.name, _measure(info.name, metric.name, metric, own=False))
    return sorted(found.values(), key=lambda each: (not each["own"], each["headline"] or 100))


def measures_of_domain(domain: str) -> list[Message]:
    """List what any content of a domain can be measured by, those first that people are shown first."""
    found: dict[str, Message] = {}
    for info in editing.evaluators(domain):
        for metric in info.metrics:
            found.setdefault(metric.name, metric_message(metric) | {"evaluator": info.name})
    return sorted(found.values(), key=lambda each: each["headline"] or 100)


def _measure(evaluator: str, name: str, metric: Metric, own: bool) -> Message:
    return metric_message(metric) | {"metric": name, "evaluator": evaluator, "own": own}


def wish_of_question(query: Query, rule: SelectParams) -> Message | None:
    """Return a `[[select]]` as the sentence has it; None if it keeps what no such sentence says."""
    if not rule.keeps_count:
        return None
    kinds = {each["metric"]: each for each in measures_of(query)}
    end = rule.end or kinds.get(rule.metric, {}).get("direction", "max")
    where = [present(plain(each)) for each in rule.where]
    if rule.min is not None or rule.max is not None:
        where.insert(0, present({"metric": rule.metric, "min": rule.min, "max": rule.max}))
    found: Message = {
        "metric": rule.metric,
        "keep": "highest" if end == "max" else "lowest",
        "count": rule.count,
    }
    found |= {"where": where, "then": list(rule.then)}
    return found | ({"apart": rule.apart} if rule.apart is not None else {})


def wish_changes(
    query: Query, wish: Mapping[str, Any], lent: Sequence[str] = ()
) -> list[tuple[list[str | int], Any]]:
    """Return the changes of a question's text that make a wish its first `[[select]]`.

    Args:
        query: the question.
        wish: the wish, as data; the evaluators that it needs are added to the question's.
        lent: evaluators that earlier wishes added, which go if nothing needs them any more.

    Returns:
        (path, value) of each change, in order.

    Raises:
        ParamsError: for a wrong wish.
    """
    rule = structure(SelectParams, wish, "wish")
    known = {each["metric"]: each for each in measures_of(query)}
    changes: list[tuple[list[str | int], Any]] = []
    names = [name for each in (rule, *query.select[1:]) for name in selection.metrics_of(each)]
    needed = dict.fromkeys(known[name]["evaluator"] for name in names if name in known)
    for at, part in reversed(list(enumerate(query.evaluators))):
        if part.name in lent and part.name not in needed:
            changes.append((["evaluators", at], None))
    left = len(query.evaluators) - len(changes)
    there = [part.name for part in query.evaluators]
    for name in (each for each in needed if each not in there):
        changes.append((["evaluators", left], {"name": name}))
        left += 1
    values: dict[str, Any] = {"metric": rule.metric, "keep": rule.keep, "count": rule.count}
    written = plain(rule)
    before = plain(query.select[0]) if query.select else {}
    if not query.select:
        changes.append((["select", 0], {"metric": rule.metric}))
    for key in ("where", "then", "apart"):
        if written.get(key):
            values[key] = present(wish[key])
        elif before.get(key):
            values[key] = None
    for key in ("min", "max", "direction"):
        if before.get(key) is not None:
            values[key] = None
    for key, value in values.items():
        if before.get(key) != (None if value is None else written[key]):
            changes.append((["select", 0, key], value))
    return changes


# ---- answers


@contextmanager
def _reader(location: str) -> Iterator[tuple[Store, Reader]]:
    if not Path(location).is_file():
        raise QueryError("Nothing is recorded yet.")
    with Store.open(location) as store, store.reader() as reader:
        yield store, reader


def answered(request: Mapping[str, Any]) -> Iterator[Message]:
    """Answer the question `text` from what is recorded: {"run": 0} if that is nothing.

    `low` and `high` list what lies between them, as wished; without them what the wish keeps is listed. Of
    long lists `page` is shown, counted from 1.
    """
    query = parse_query(text_of(request, "text"))
    location = text_of(request, "db")
    if not Path(location).is_file():
        yield {"run": 0}
        return
    with Store.open(location) as store, store.reader() as reader:
        record = run_for(query, store, reader)
        if record is None or not (record.done or record.evaluated):
            yield {"run": 0 if record is None else record.id}
            return
        rule = query.select[0] if query.select else usual_rule(query)
        yield _answer(reader, record, rule, request)


def usual_rule(query: Query) -> SelectParams:
    """Return what is kept for a question that says nothing of it."""
    return SelectParams(_first_measure(query), "highest", USUAL)


def _answer(reader: Reader, record: RunRecord, rule: SelectParams, request: Mapping[str, Any]) -> Message:
    message = _about(reader, record, rule)
    if record.counted or record.dropped:
        bins = [
            [low, high, count, count]
            for low, high, count in distribution(reader, record.id, rule.metric).bins
        ]
        told = "Only counts were kept of this run, so there are no contents to show."
        return message | {"bars": bins, "text": told, "total": 0, "found": []}
    limits: tuple[float | None, float | None] = (None, None)
    if "low" in request or "high" in request:
        limits = number_of(request, "low"), number_of(request, "high")
    try:
        found = asked(reader, record, rule, limits, MOST_LISTED)
    except EpcgError as error:  # nothing has a value
        return message | {"bars": [], "text": str(error), "total": 0, "found": []}
    metrics = {each.name: each for each in titled(reader, record)}
    reasons = ledger.reasons_of(reader, record, found.granted)
    wished = wish_message(found.granted, Wish(rule, (), metrics), reasons)
    if limits == (None, None):
        listed, total = found.granted.found, len(found.granted.found)
    else:
        listed = found.inside.found
        total = len(listed) if found.inside.verdict is None else found.inside.verdict.met
    page = whole_of(request, "page", 1)
    some = listed[(page - 1) * PAGE : page * PAGE]
    values = reader.scores_at(record.id, [rank for rank, _ in some])
    notes = kept_notes(reader.connection, record.id)
    return message | {
        "text": wished["text"],
        "wish": wished,
        "of_all": found.met_of_all,
        "bars": [_bar(each) for each in found.bars],
        "total": total,
        "page": page,
        "pages": max(1, -(-len(listed) // PAGE)),
        "found": [
            {"puzzle": puzzle_id(record.space, rank), "values": _plain(own), "note": notes.get(rank, "")}
            for (rank, _), own in zip(some, values, strict=True)
        ],
    }


def _bar(bar: Any) -> list[Any]:
    ends = [plain_value(bar.low), plain_value(bar.high)]
    return [*ends, bar.count, bar.met, bar.of_all, bar.met_of_all]


def _about(reader: Reader, record: RunRecord, rule: SelectParams) -> Message:
    """Describe the run behind an answer, and how much of what is asked it tried."""
    tried = record.evaluated + record.pruned + record.excluded
    return {
        "run": record.id,
        "domain": record.domain,
        "done": record.done,
        "sample": record.is_sample,
        "tried": str(tried),
        "of": str(record.population),
        "resumable": not record.done and reader.query_of(record.id) is not None,
        "editor": any(info.domain == record.domain for info in registry().all(EditorInfo)),
        "cite": f"{record.space}, run {record.id}"
        + (f", digest {record.digest[:16]}" if record.digest else ""),
        "metric": rule.metric,
        "metrics": sorted(
            (metric_message(each) for each in titled(reader, record)),
            key=lambda each: each["headline"] or 100,
        ),
    }


def titled(reader: Reader, record: RunRecord) -> list[Metric]:
    """Return the metrics of a run with the titles that their evaluators give them, which are not recorded."""
    known: dict[str, Metric] = {}
    for part in record.spec["evaluators"]:
        with suppress(EpcgError):  # the plugin is missing
            metrics = registry().metrics_of(record.domain, part["name"], part["params"])
            known |= {each.name: each for each in metrics}
    return [known.get(each.name, each) for each in reader.every_metric(record.id)]


def _plain(values: Mapping[str, Any]) -> Message:
    return {name: plain_value(value) for name, value in values.items()}


ANSWERING = {
    "questions": questions,
    "question_file": question_file,
    "save_question": save_question,
    "of_run": of_run,
    "answered": answered,
}
"""The requests, by name."""

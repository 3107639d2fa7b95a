"""The requests of the page that asks questions: queries as forms and as TOML, their cost, their results.

The text is the one truth: a form changes keys of it, and comments stay.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from functools import lru_cache
from itertools import pairwise
from typing import Any

import attrs
import numpy as np

from epcg_core.inside import (
    NO_COST,
    PLUGIN_EXCEPTIONS,
    Field,
    FilterParams,
    RecordParams,
    SelectParams,
    editing,
    estimates,
    form_of,
    parse_query,
    render,
    selection,
    shipped_queries,
    space_spec,
)
from epcg_core.plugin import (
    DomainInfo,
    EditorInfo,
    EpcgError,
    EvaluatorInfo,
    GeneratorInfo,
    Metric,
    Query,
    QueryError,
    Reader,
    SelectionRuleInfo,
    UnknownNameError,
    documents,
    find,
    registry,
    structure,
    toml_text,
)
from epcg_workbench.answers import (
    CHANGES,
    measures_of,
    opens,
    population,
    usual_rule,
    wish_changes,
    wish_of_question,
)
from epcg_workbench.messages import Message, opened, text_of, texts_of, whole_of
from epcg_workbench.project.belonging import own_domains, shipped_questions

MOST_TABLED = 1_000
"""Candidates of a table or a gallery."""
MOST_POINTS = 2_000
"""Candidates of a scatter plot."""
_START = """domain = {domain}
{title}
[generator]
{generator}

[[evaluators]]
name = {evaluator}

[[select]]
metric = {metric}
keep = "top"
count = 10
{where}"""


def parts(request: Mapping[str, Any]) -> Iterator[Message]:
    """List the domains with their generators and evaluators as forms, and the shipped queries."""
    of_editors = {info.domain for info in registry().all(EditorInfo)}
    for info in registry().all(DomainInfo):
        yield {
            "domain": info.name,
            "title": info.title,
            "editor": info.name in of_editors,
            "generators": [_part(each) for each in registry().usable(GeneratorInfo, info.name)],
            "evaluators": [
                _part(each)
                | {"metrics": [[m.name, m.kind, m.direction, m.description] for m in each.metrics]}
                for each in registry().usable(EvaluatorInfo, info.name)
            ],
        }
    rules = [info.name for info in registry().all(SelectionRuleInfo)]
    yield {
        "select": [_field(field) for field in form_of(SelectParams)],
        "keep": ["best", "top", "threshold", *rules],
        "filter": [_field(field) for field in form_of(FilterParams)],
        "record": [_field(field) for field in form_of(RecordParams)],
        "shipped": shipped_questions(),
        "own": own_domains(request),
    }


def _part(info: GeneratorInfo | EvaluatorInfo) -> Message:
    fields = [_field(field) for field in form_of(info.params)]
    return {"name": info.name, "summary": info.summary, "fields": fields}


def _field(field: Field) -> Message:
    return attrs.asdict(field)


def question(request: Mapping[str, Any]) -> Iterator[Message]:
    """Change keys of a query's text, and return it with its tables.

    `text` is the query; without it, one for `domain` is begun, about `content` if it needs one, or
    `shipped` is read. `changes` is a list of [path, value]: a path of keys and positions, and a value,
    {"toml": text} for one in TOML, or null, which removes the key; a new item of a list has the position
    behind the last. `wish` becomes the first `[[select]]`; the evaluators that wishes have added are `lent`,
    and go if they are needed no more.
    """
    if "shipped" in request:
        known = shipped_queries()
        if text_of(request, "shipped") not in known:
            raise UnknownNameError("query", text_of(request, "shipped"), known)
        text = known[text_of(request, "shipped")].read_text(encoding="utf-8")
    elif "text" in request:
        text = text_of(request, "text")
    else:
        text = _begun(text_of(request, "domain"), text_of(request, "content") if "content" in request else "")
    for path, value in changes_of(request.get("changes", [])):
        text = changed(text, path, value)
        if path == ["generator"]:
            text = _fitting(text)
    query = parse_query(text)
    added: list[str] = []
    if request.get("wish") is not None:
        before = [part.name for part in query.evaluators]
        lent = texts_of(request, "lent") if "lent" in request else []
        for path, value in wish_changes(query, request["wish"], lent):
            text = changed(text, path, value)
        query = parse_query(text)
        added = [part.name for part in query.evaluators if part.name in lent or part.name not in before]
    message: Message = {"text": text, "query": query.resolved(), "metrics": _metrics(query), "lent": added}
    yield message | _sentence(query)


def _sentence(query: Query) -> Message:
    """Return what the sentence of a question says: what it is about, its wish, and the measures to name."""
    rule = query.select[0] if query.select else usual_rule(query)
    found: Message = {"measures": measures_of(query), "title": query.title}
    wish = wish_of_question(query, rule)
    found |= {"wish": wish, "kept": "" if wish else selection.rule_text(rule)}
    with suppress(*PLUGIN_EXCEPTIONS):  # planning says what is wrong
        found |= population(query)
    return found


def changes_of(found: Any) -> list[Any]:
    """Return the changes of a request. Raises QueryError if they are no pairs of a path and a value."""
    pairs = isinstance(found, list) and all(isinstance(each, list) and len(each) == 2 for each in found)
    if not pairs or not all(isinstance(path, list) and path for path, _ in found):
        raise QueryError("The request needs 'changes', a list of [path, value], each path a list of keys.")
    return list(found)


def _begun(domain: str, content: str = "") -> str:
    """Return the text of a first query of a domain, by the measure that people ask for first.

    It is about a generator whose params have defaults; without one, or if that makes what no editor opens,
    or if a content is of a game of its own, about all single changes of `content`, or of a new content.
    """
    generators = registry().usable(GeneratorInfo, domain)
    usual = min(generators, key=_needs, default=None)
    if usual is None:
        raise QueryError(f"{domain} has no generator.")
    keys: dict[str, Any] = {"name": usual.name}
    title = ""
    is_drawn = any(info.domain == domain for info in registry().all(EditorInfo))
    is_of_game = any(field.name == "game" for field in form_of(usual.params))  # the usual one is another's
    if is_drawn and (_needs(usual) or (content and is_of_game) or not _makes_contents(domain, usual)):
        keys = {"name": CHANGES, "content": content or editing.new_text(domain)}
        title = f"All changes of a {registry().domain(domain).content_word[0]}"
    first = _first_measure(domain, keys["name"])
    if first is None:
        raise QueryError(f"{domain} has no evaluator for {usual.summary}.")
    evaluator, metric = first
    return _START.format(
        domain=toml_text(domain),
        title=f"title = {toml_text(title)}\n" if title else "",
        generator="\n".join(f"{key} = {toml_text(value)}" for key, value in keys.items()),
        evaluator=toml_text(evaluator),
        metric=toml_text(metric.name),
        where="".join(f"where = {toml_text([each])}\n" for each in _none_wished(metric)),
    )


def _none_wished(metric: Metric) -> list[Message]:
    """Return the condition of a count of which less is better: a puzzle with 0 ways to solve it is none."""
    is_count = metric.kind == "int" and metric.at_least == 0 and metric.direction == "min"
    return [{"metric": metric.name, "min": 1}] if is_count else []


def _makes_contents(domain: str, info: GeneratorInfo) -> bool:
    """Return whether what a generator makes with its usual params is opened by the domain's editor."""
    return opens(space_spec(registry(), domain, info.name, {}), 0)


def _first_measure(domain: str, generator: str) -> tuple[str, Metric] | None:
    """Return the evaluator and the metric that people ask for first of what a generator makes, if any."""
    of_changes = generator == CHANGES
    offered = [
        (
            metric.kind == "bool",
            metric.headline or math.inf,
            bool(info.incremental_for) != of_changes,
            info.name,
            place,
            metric,
        )
        for info in registry().usable(EvaluatorInfo, domain)
        if not _needs(info) and info.scores(generator) and (of_changes or not info.incremental_for)
        for place, metric in enumerate(info.metrics)
    ]
    if not offered:
        return None
    *_, evaluator, _, metric = min(offered, key=lambda each: each[:-1])
    return evaluator, metric


def _fitting(text: str) -> str:
    """Let a question measure what it is about now.

    Evaluators that score other generators go, with the rules that rank by them; the usual one comes if none
    is left.
    """
    query = parse_query(text)
    infos = [registry().evaluator(query.domain, part.name) for part in query.evaluators]
    wrong = [at for at, info in enumerate(infos) if not info.scores(query.generator.name)]
    first = _first_measure(query.domain, query.generator.name)
    if not wrong or (first is None and len(wrong) == len(infos)):
        return text
    stay = [part for at, part in enumerate(query.evaluators) if at not in wrong]
    known = {name for part in stay for name in _metrics_of(query, part)}
    if len(wrong) == len(infos) and first is not None:
        text = changed(text, ["evaluators", 0], {"name": first[0]})
        wrong, known = wrong[1:], {first[1].name}
    for at in reversed(wrong):
        text = changed(text, ["evaluators", at], None)
    for at, rule in reversed(list(enumerate(query.select))):
        if not set(selection.metrics_of(rule)) <= known:
            text = changed(text, ["select", at], _usual_rule(first[1], rule) if first and not at else None)
    return text


def _usual_rule(metric: Metric, before: SelectParams) -> Message:
    """Return the rule that keeps the best by a metric, as many as the rule before it."""
    where = _none_wished(metric)
    return {"metric": metric.name, "keep": "top", "count": before.count or 10} | (
        {"where": where} if where else {}
    )


def _needs(info: GeneratorInfo | EvaluatorInfo) -> bool:
    """Return whether a generator or an evaluator is nothing without params that are given."""
    try:
        structure(info.params, {}, info.name)
    except PLUGIN_EXCEPTIONS:
        return True
    return False


def further(request: Mapping[str, Any]) -> Iterator[Message]:
    """List the questions by which one goes on with a content, each with its `question`, a query."""
    document = opened(request)
    editor: Any = document.editor
    if not hasattr(editor, "questions"):
        return
    with registry().attribute_errors_to(document.info):
        found = [
            {"title": each.title, "about": each.about}
            | {"question": question_text(document.domain, "", attrs.asdict(each) | {"unique": ""})}
            for each in editor.questions(editor.content)
        ]
    yield from found


def question_text(domain: str, file: str, kind: Mapping[str, Any]) -> str:
    """Return the query that asks for all puzzles of a kind, those first that are highest.

    A generator that names a file gets `file`, unless that is ''.
    """
    if kind["query"] is None:
        return ""
    generator = registry().generator(domain, kind["query"]["name"])
    names = [field.name for field in attrs.fields(generator.params) if field.metadata.get("names_file")]
    table = dict(kind["query"]) | (dict.fromkeys(names[:1], file) if file else {})
    lines = [f"domain = {toml_text(domain)}", f"title = {toml_text(kind['title'])}", "", "[generator]"]
    lines += [f"{key} = {toml_text(value)}" for key, value in table.items()]
    for name in kind["measures"]:
        lines += ["", "[[evaluators]]", f"name = {toml_text(name)}"]
    if kind["measures"]:
        measured = registry().evaluator(domain, kind["measures"][-1]).metrics
        higher = [each for each in measured if each.kind != "bool" and each.direction != "min"]
        metric = higher[0] if measured[0].kind == "bool" and higher else measured[0]
        lines += ["", "[[select]]", f"metric = {toml_text(metric.name)}", 'keep = "top"', "count = 12"]
        if kind["unique"]:
            lines += [f"where = [{{ metric = {toml_text(kind['unique'])}, equals = true }}]"]
    return "\n".join(lines) + "\n"


def changed(text: str, path: Sequence[str | int], value: Any) -> str:
    """Return a TOML text with one value changed; all else stays as it is, comments too.

    Raises QueryError if there is no such place, or the text is not TOML.
    """
    import tomlkit
    from tomlkit.exceptions import TOMLKitError

    documents.parse_toml(text, "query", QueryError)  # its sentences name line and column
    if isinstance(value, Mapping) and set(value) == {"toml"}:
        value = documents.toml_value(str(value["toml"]), ".".join(map(str, path)), QueryError)
    try:
        document: Any = tomlkit.parse(text)
        target = document
        for step, following in pairwise(path):
            if isinstance(step, str) and step not in target:
                target[step] = tomlkit.aot() if isinstance(following, int) else tomlkit.table()
            elif isinstance(step, int) and step == len(target):
                target.append(tomlkit.table())
            target = target[step]
        last = path[-1]
        if value is None:
            del target[last]
        elif isinstance(last, int) and last == len(target):
            target.append(tomlkit.item(value))
        elif isinstance(value, Mapping) and isinstance(_at(target, last), Mapping):  # its blank lines stay
            for key in set(target[last]) - set(value):
                del target[last][key]
            target[last].update(value)
        else:
            put_key(target, last, value)
        return tomlkit.dumps(document)
    except (TOMLKitError, KeyError, IndexError, TypeError, ValueError) as error:
        raise QueryError(f"{'.'.join(map(str, path))} cannot be changed: {error}.") from None


def put_key(table: Any, key: str | int, value: Any) -> None:
    """Set a key of a table of tomlkit; a new one stands behind the others, before comments at the end."""
    from tomlkit.items import AoT, Table

    keys = [] if not isinstance(table, Table) else list(table.value.body)
    own = [each for each, kept in keys if each is not None and not isinstance(kept, Table | AoT)]
    if isinstance(key, int) or key in table or not own or isinstance(value, Mapping):
        table[key] = value if isinstance(value, Mapping) else _item(value)
    else:
        table.value._insert_after(own[-1], key, _item(value))


def _item(value: Any) -> Any:
    """Return a value of TOML; a list of tables stands on one line, where its key is."""
    import tomlkit

    if not isinstance(value, list) or not all(isinstance(each, Mapping) for each in value):
        return tomlkit.item(value)
    array = tomlkit.array()
    for each in value:
        table = tomlkit.inline_table()
        table.update(each)
        array.append(table)
    return array


def _at(target: Any, step: str | int) -> Any:
    return target[step] if isinstance(step, int) or step in target else None


def _metrics(query: Query) -> list[str]:
    """Return the names of the metrics that a query's evaluators record."""
    return [name for part in query.evaluators for name in _metrics_of(query, part)]


def _metrics_of(query: Query, part: Any) -> list[str]:
    """Return the names of the metrics that an evaluator of a query records."""
    try:
        metrics = registry().metrics_of(query.domain, part.name, part.params)
    except EpcgError:  # planning says what is wrong
        return []
    prefix = f"{part.alias}_" if part.alias else ""
    return [prefix + metric.name for metric in metrics]


def cost(request: Mapping[str, Any]) -> Iterator[Message]:
    """Say what answering a query's `text` would take, run by run and together."""
    yield costs(parse_query(text_of(request, "text")), text_of(request, "db"))


def costs(query: Query, location: str) -> Message:
    """Estimate what answering a query would take, together and run by run; large integers are strings."""
    found = estimates(query, location)
    time = found.total or NO_COST
    return {
        "remaining": str(found.remaining),
        "seconds": time.expected,
        "between": [time.low, time.high],
        "bytes": str(found.bytes or 0),
        "start": found.start.expected,
        "memory": None if found.memory is None else str(found.memory),
        "known": found.total is not None,
        "unknown": "; ".join(found.unknown),
        "runs": [
            {
                "space": each.spec.space.name,
                "search": each.spec.search.name,
                "state": each.state,
                "remaining": str(each.remaining),
                "seconds": None if each.seconds is None else each.seconds.expected,
                "bytes": None if each.bytes is None else str(each.bytes),
                "tried": each.tried,
                "unknown": each.unknown,
            }
            for each in found
        ],
    }


def asked(request: Mapping[str, Any]) -> Iterator[Message]:
    """Check a query's `text`, and return it with its title, to be answered."""
    query = parse_query(text_of(request, "text"))
    yield {"title": query.title or query.name, "toml": text_of(request, "text")}


def points(request: Mapping[str, Any]) -> Iterator[Message]:
    """Return values of two metrics of candidates of a run: of all, or of some drawn evenly."""
    first, second = text_of(request, "metric"), text_of(request, "second")
    with _run(request) as (reader, run):
        record = reader.run(run)
        ranks, drawn = _some_ranks(reader, run, first, record.evaluated)
        values = reader.scores_at(run, ranks)
    found = [
        [str(rank), own[first], own[second]]
        for rank, own in zip(ranks, values, strict=True)
        if own.get(first) is not None and own.get(second) is not None
    ]
    yield {"points": found, "drawn": drawn}


def _some_ranks(reader: Reader, run: int, name: str, evaluated: int) -> tuple[list[int], bool]:
    """Return ranks that have a value, and whether they are a sample of these."""
    rng = np.random.default_rng(0)
    share = min(1.0, 4 * MOST_POINTS / max(1, evaluated))
    found: list[int] = []
    for ranks, _ in reader.values(run, name):
        found += ranks[rng.random(len(ranks)) < share].tolist() if share < 1 else ranks.tolist()
    if len(found) <= MOST_POINTS:
        return found, share < 1
    chosen = np.sort(rng.permutation(len(found))[:MOST_POINTS])
    return [found[at] for at in chosen.tolist()], True


def picture(request: Mapping[str, Any]) -> Iterator[Message]:
    """Draw puzzles, given by their ids, as SVG."""
    for puzzle in texts_of(request, "puzzles")[:MOST_TABLED]:
        try:
            yield {"puzzle": puzzle, "svg": _drawn(puzzle)}
        except EpcgError as error:
            yield {"puzzle": puzzle, "svg": "", "reason": str(error).partition("\n")[0]}


@lru_cache(MOST_TABLED)
def _drawn(puzzle: str) -> str:
    """Draw a puzzle as SVG, once as long as the process lives."""
    return render(puzzle, "svg")


@contextmanager
def _run(request: Mapping[str, Any]) -> Iterator[tuple[Reader, int]]:
    """Open the database at a run. Raises QueryError if there is none."""
    location = text_of(request, "db")
    with find.reading(location) as reader:
        if reader is None:
            raise QueryError(f"There is no database {location} yet.")
        yield reader, whole_of(request, "run")


ASKING = {
    "parts": parts,
    "question": question,
    "further": further,
    "cost": cost,
    "asked": asked,
    "points": points,
    "picture": picture,
}
"""The requests, by name."""

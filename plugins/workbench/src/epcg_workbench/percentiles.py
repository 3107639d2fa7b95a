"""The requests that say where a content stands among all of its kind, and record all of its kind."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import suppress
from typing import Any

import attrs

from epcg_core.inside import PLUGIN_EXCEPTIONS, parse_query, plan, score as scores
from epcg_core.plugin import (
    PartRef,
    QueryError,
    Reader,
    RunRecord,
    SearchInfo,
    counted,
    find,
    registry,
)
from epcg_workbench.messages import (
    Message,
    digest,
    metric_message,
    opened,
    text_of,
    texts_of,
    value_message,
)
from epcg_workbench.questions import costs
from epcg_workbench.recorded import query_of, request_wish
from epcg_workbench.wishes import Wish

EXHAUSTIVE = "exhaustive"
MOST_OF_VALUE = 20
"""Longer values of parameters are left out of titles."""


def standing(request: Mapping[str, Any]) -> Iterator[Message]:
    """Say where a content stands in the recorded runs of the database `db`; `space` is '' if in none.

    With `evaluators`, only their measures are compared.
    """
    document = opened(request)
    only = texts_of(request, "evaluators") if "evaluators" in request else None
    with find.reading(text_of(request, "db")) as reader:
        try:
            space, rank = find.by_text(document.text, reader, document.domain)
        except QueryError:  # no generator reads it
            yield {"hash": digest(document.text), "space": "", "rank": "", "measures": []}
            return
        measures = [] if reader is None else scores.score(space, rank, reader, only).measures
        stood = {at.run for measure in measures for at in measure.standings}
        runs = (
            {}
            if reader is None
            else {r.id: (_title(r, reader), r.evaluated) for r in reader.runs() if r.id in stood}
        )
    words = registry().domain(document.domain).content_word
    yield {
        "hash": digest(document.text),
        "space": space.name,
        "rank": str(rank),
        "measures": [
            metric_message(measure.metric)
            | value_message(measure.metric, measure.value, measure.reason)
            | {"standings": [_message(measure, at, *runs[at.run], words) for at in measure.standings]}
            for measure in measures
        ],
    }


def _title(run: RunRecord, reader: Reader) -> str:
    """Return the title of the question that a run answers, or of its space."""
    asked = reader.query_of(run.id)
    title = asked[1].get("title") if asked is not None else None
    return str(title or _all_of(run.domain, run.spec["query"]["generator"]))


def _message(
    measure: scores.Measure, at: scores.Standing, title: str, evaluated: int, words: tuple[str, str]
) -> Message:
    return {
        "run": at.run,
        "title": title,
        "generator": at.generator,
        "params": at.params,
        "valued": at.valued,
        "lower": at.lower,
        "equal": at.equal,
        "higher": at.higher,
        "shares": [round(share, 3) for share in at.shares() or ()],
        "among": at.among,
        "told": told(measure.value, at, words, evaluated),
    }


def told(value: Any, at: scores.Standing, words: tuple[str, str], evaluated: int) -> str:
    """Say in a sentence which share of the compared contents is lower, equal and higher.

    Args:
        value: the value that is compared.
        at: its place.
        words: the domain's words for one content and for several.
        evaluated: the number of candidates of the run, of which not all need have a value.

    Returns:
        A sentence with shares exact to a tenth of a percent, which are never rounded to nothing or to all.
    """
    if at.ordered:
        lower, equal, higher = (percent(part, at.valued) for part in (at.lower, at.equal, at.higher))
        those = counted(at.valued, *words)
        if at.valued != evaluated:
            those = f"the {those} with a value"
        all_tried = "" if at.valued == evaluated else f" {counted(evaluated, 'was', 'were')} tried."
        return f"Of {those}, {lower} are lower, {equal} equal, {higher} higher.{all_tried}"
    have = at.equal if value else at.lower + at.higher
    this = "yes" if value else "no"
    return f"Yes for {percent(have, at.valued)} of {counted(at.valued, *words)}; {this} for this one."


def percent(part: int, whole: int) -> str:
    """Return a share in words, such as '58 %', 'under 0.1 %' or 'none'."""
    if part in (0, whole):
        return "all" if part else "none"
    thousandths = (1000 * part + whole // 2) // whole
    if thousandths in (0, 1000):
        return "over 99.9 %" if thousandths else "under 0.1 %"
    return f"{thousandths // 10} %" if thousandths % 10 == 0 else f"{thousandths / 10} %"


def space(request: Mapping[str, Any]) -> Iterator[Message]:
    """Write the query, as TOML, whose run records the space that a content stands in, and what it costs.

    Of the searches that give the wished measures, the one that takes least time is chosen; the request's
    `search` names the one that was chosen before.
    """
    document = opened(request)
    location = text_of(request, "db")
    with find.reading(location) as reader:
        found, rank = find.by_text(document.text, reader, document.domain)
    wished = request_wish(request, document.domain)
    infos = [registry().evaluator(document.domain, name) for name in wished.evaluators]
    keys = {"name": found.generator.name, **found.generator.params}
    title = _all_of(document.domain, attrs.asdict(found.generator))
    toml = query_of(document.domain, title, keys, infos, request, wished)
    ways = {EXHAUSTIVE: toml} | {
        name: query_of(document.domain, title, keys, (), request, wished, name)
        for name in _searches_of(toml, wished)
    }
    chosen = request.get("search")
    if chosen in ways:
        costed = {chosen: costs(parse_query(ways[chosen]), location)}
    else:
        costed = {name: costs(parse_query(way), location) for name, way in ways.items()}
    search = min(costed, key=lambda name: (not costed[name]["known"], costed[name]["seconds"]))
    yield {
        "hash": digest(document.text),
        "title": title,
        "toml": ways[search],
        "search": search,
        "space": found.name,
        "rank": str(rank),
    } | costed[search]


def _all_of(name: str, generator: Mapping[str, Any]) -> str:
    """Return a title such as 'All boards of Fling!: width 7, height 8, pieces 4'."""
    domain, params = registry().domain(name), generator["params"]
    fields = [field.name for field in attrs.fields(registry().generator(name, generator["name"]).params)]
    numbers = [
        f"{key.replace('_', ' ')} {params[key]}"
        for key in fields
        if isinstance(value := params.get(key), int | str)
        and not isinstance(value, bool)
        and len(str(value)) < MOST_OF_VALUE
    ]
    title = f"All {domain.content_word[1]} of {domain.title}"
    return f"{title}: {', '.join(numbers)}" if numbers else title


def _searches_of(toml: str, wished: Wish) -> Iterator[str]:
    """Yield the searches that give the wished measures themselves, as a query's evaluators define them."""
    asked = parse_query(toml)
    params = plan(asked)[1].evaluators
    for info in registry().all(SearchInfo):
        with suppress(*PLUGIN_EXCEPTIONS):  # it does not apply to this space
            query = attrs.evolve(asked, search=PartRef(info.name), evaluators=())
            spec = plan(query)[1]
            same = all(
                spec.search.params.get(key, value) == value
                for part in params
                for key, value in part.params.items()
            )
            if same and wished.metrics.keys() <= {metric.name for metric in spec.metrics}:
                yield info.name


STANDING = {"standing": standing, "space": space}
"""The requests, by name."""

"""Planted studies on pages: what people were given and what they did, recorded as an import does."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import attrs
from epcg_research.exchange.results import Plan, Result
from epcg_research.studies.answers import Answer, Choice
from epcg_research.studies.recording import record_results

from epcg_core.store import Store
from epcg_core.store.traces import Trace
from tests.workplace import Numbers

SPACE = "numbers:range?size=100"
HARD = {"name": "hard", "when": "puzzle", "kind": "scale", "low": -99, "high": 99}


@attrs.frozen
class Page:
    """A puzzle that a person was given, and what the person did; without values the person did nothing."""

    rank: int
    set: str = "a"
    label: str = ""
    condition: str = ""
    values: dict[str, float] | None = None
    finished: bool | None = True


def record(
    place: Numbers,
    people: dict[str, list[Page]],
    group: Callable[[str], str] = lambda who: "",
    choices: Iterable[Choice] = (),
    study: str = "planted",
) -> None:
    """Record the pages of people, in order, as a study; 'hard' and what traces have are its responses."""
    results = []
    chosen = list(choices)
    for number, (who, pages) in enumerate(people.items()):
        player, answers, traces = f"{number:016x}", list[Answer](), []
        for position, page in enumerate(pages, 1):
            puzzle = SPACE, page.rank
            done = None if page.values is None else page.finished
            answers.append(
                Answer(who, puzzle, page.values or {}, float(position), done, not page.set, page.set,
                       page.label, page.condition, group(who))
            )  # fmt: skip
            if page.values is None:
                continue
            own: dict[str, Any] = {"moves": 1, "undos": 0, "restarts": 0, "hints": 0, "rating": None}
            traces.append(
                Trace(player, f"{SPACE}#{page.rank}", *puzzle, study, page.values.get("seconds", 1.0),
                      solution_shown=False, finished=page.finished is not False, **own)
            )  # fmt: skip
        mine = tuple(each for each in chosen if each.person == who)
        results.append(Result(who, player, group(who), True, tuple(answers), (), mine, tuple(traces)))
    with Store.open(place.database, write=True) as store:
        record_results(store, results, Plan(study, "0" * 64, {"questions": [HARD]}), study, False)

"""Fillings of open places: the first answers while one still draws, and how values are distributed."""

from __future__ import annotations

import math
import random
import time
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from epcg_core.plugin import (
    MOST_EXPANSIONS,
    Document,
    EpcgError,
    Reader,
    format_state,
    likeness,
    make_generator,
    max_rank_of,
    registry,
    selection,
    space_spec,
    wish,
)
from epcg_workbench.changes import Measuring
from epcg_workbench.messages import Message, digest, opened, plain_value, rules_of, scene_message
from epcg_workbench.wishing import Wish, column_of, wish_message, wish_of

MOST_TRIED = 1_000
"""If there are no more fillings, all of them are tried at once."""
SECONDS = 4.0
"""The time that the first answers may take."""
PAUSE = 0.4
MOST_SHOWN = 24
BARS = 14
"""Most bars of a histogram."""


def sketch_keys(request: Mapping[str, Any], document: Document) -> dict[str, Any]:
    """Return the params of the generator `sketch` that a request describes."""
    keys = {"content": document.text, "open": request.get("open", [])}
    return keys | ({"counts": request["counts"]} if request.get("counts") else {})


def first_fillings(request: Mapping[str, Any]) -> Iterator[Message]:
    """Try some fillings of the open sites at once, and answer the wish for these.

    Messages tell how many were `tried` `of` all, drawn by chance; the last one has `end`. If all were tried,
    the answer is exact.
    """
    document, wished = opened(request), wish_of(request, text_domain(request))
    space = space_spec(registry(), document.domain, "sketch", sketch_keys(request, document))
    generator: Any = make_generator(registry(), space)
    trial = _Trial(document, wished, generator, request)
    ranks, total = _drawn(max_rank_of(registry(), space, generator))
    began = said = math.inf
    for at, rank in enumerate(ranks):
        trial.add(rank)
        now = time.perf_counter()
        if not at:  # kernels are compiled now
            began = said = now
        if now - began > SECONDS and at + 1 < len(ranks):
            break
        if now - said > PAUSE:
            yield {"hash": digest(document.text), "of": str(total)} | trial.message()
            said = time.perf_counter()
    yield {"hash": digest(document.text), "of": str(total), "end": True} | trial.message()


def text_domain(request: Mapping[str, Any]) -> str:
    """Return the domain of a request."""
    return str(request.get("domain"))


def _drawn(total: int) -> tuple[Sequence[int], int]:
    """Return ranks in an order by chance, and how many there are."""
    rng = random.Random(total)
    if total <= MOST_TRIED:
        ranks = list(range(total))
        rng.shuffle(ranks)
        return ranks, total
    found: dict[int, None] = {}
    while len(found) < MOST_TRIED:
        found[rng.randrange(total)] = None
    return list(found), total


class _Trial:
    """Fillings that are measured one by one, and what a wish keeps of them."""

    def __init__(self, document: Document, wished: Wish, generator: Any, request: Mapping[str, Any]) -> None:
        self._document, self._wish, self._space = document, wished, generator
        self._measuring = [
            Measuring(document, name, rules_of(request), MOST_EXPANSIONS, generator, "sketch")
            for name in wished.evaluators
        ]
        looks = None
        if wished.rule.apart is not None:
            looks = likeness.looks_of(document.domain, "sketch", generator)
        self._choosing = selection.Choosing(wished.rule, wished.metrics, likeness.Likeness(None, looks))
        self._ranks: list[int] = []
        self._values: list[dict[str, Any]] = []
        self._met: list[bool] = []

    def add(self, rank: int) -> None:
        """Measure a filling."""
        values: dict[str, Any] = {}
        for each in self._measuring:
            ((found, _, _),) = each.measured(rank, 1)
            values |= found
        columns = {name: column_of(metric, [values.get(name)]) for name, metric in self._wish.metrics.items()}
        self._met += self._choosing.add(np.array([len(self._ranks)], np.int64), columns).tolist()
        self._ranks.append(rank)
        self._values.append(values)

    def message(self) -> Message:
        """Answer the wish for the fillings so far."""
        granted = self._choosing.granted(MOST_SHOWN)
        name = self._wish.rule.metric
        valued = [at for at, values in enumerate(self._values) if values.get(name) is not None]
        own = np.array([float(self._values[at][name]) for at in valued])
        met = np.array([self._met[at] for at in valued], np.bool_)
        return {
            "tried": len(self._ranks),
            "wish": wish_message(granted, self._wish),
            "histogram": histogram(own, met),
            "found": [found for at, _ in granted.found if (found := self._filling(at))],
        }

    def _filling(self, at: int) -> Message:
        editor: Any = self._document.editor
        try:
            with registry().attribute_errors_to(self._document.info):
                state = self._space.unrank(self._ranks[at])
                text, scene = format_state(self._space, state), editor.scene(state)
        except EpcgError:  # it makes no content
            return {}
        scores = {name: plain_value(self._values[at].get(name)) for name in self._wish.metrics}
        return {"text": text, "scene": scene_message(scene), "scores": scores}


def histogram(values: NDArray[np.float64], met: NDArray[np.bool_]) -> list[list[float]]:
    """Count values in bars: [low, high, how many, how many of these are as wished].

    Whole numbers have a bar each as long as there are few of them; low and high are then equal.
    """
    if not len(values):
        return []
    least, most = float(values.min()), float(values.max())
    if (values == np.floor(values)).all() and most - least < BARS:
        edges = np.arange(least, most + 2)
        bounds = [(low, low) for low in edges[:-1].tolist()]
    else:
        edges = np.linspace(least, most if most > least else least + 1, BARS - 1)
        bounds = list(zip(edges[:-1].tolist(), edges[1:].tolist(), strict=True))
    every, _ = np.histogram(values, edges)
    wished, _ = np.histogram(values[met], edges)
    return [
        [low, high, all_, own]
        for (low, high), all_, own in zip(bounds, every.tolist(), wished.tolist(), strict=True)
    ]


def run_histogram(reader: Reader, run: int, wished: Wish) -> list[list[float]]:
    """Count the values of a run's candidates in bars, as `histogram` does."""
    ranks, values = _all_values(reader, run, wished.rule.metric)
    met = np.ones(len(ranks), np.bool_)
    for condition in wish.conditions_of(wished.rule):
        own, column = _all_values(reader, run, condition.metric)
        met &= np.isin(ranks, own[wish.holds(condition, wish.Column(column))])
    return histogram(values.astype(np.float64), met)


def _all_values(reader: Reader, run: int, metric: str) -> tuple[NDArray[np.int64], NDArray[Any]]:
    found = list(reader.values(run, metric))
    if not found:
        return np.empty(0, np.int64), np.empty(0)
    ranks, values = zip(*found, strict=True)
    return np.concatenate(ranks), np.concatenate(values)

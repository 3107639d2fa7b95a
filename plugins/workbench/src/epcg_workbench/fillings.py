"""Fillings of open places: the first answers while one still draws, and how values are distributed."""

from __future__ import annotations

import math
import random
import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from epcg_core.inside import (
    MOST_EXPANSIONS,
    Document,
    coarse,
    format_state,
    likeness,
    max_rank_of,
    selection,
    space_spec,
)
from epcg_core.plugin import EpcgError, make_generator, registry
from epcg_workbench.changes import Measuring
from epcg_workbench.messages import Message, digest, opened, plain_value, rules_of, scene_message
from epcg_workbench.wishes import Wish, column_of, reason_of, wish_message, wish_of

MOST_TRIED = 1_000
"""If there are no more fillings, all of them are tried at once."""
SECONDS = 4.0
"""The time that the first answers may take."""
PAUSE = 0.4
MOST_SHOWN = 24
BARS = 12
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
        self._reasons = Counter[str]()
        self._ranks: list[int] = []
        self._values: list[dict[str, Any]] = []
        self._met: list[bool] = []

    def add(self, rank: int) -> None:
        """Measure a filling."""
        values: dict[str, Any] = {}
        name = self._wish.rule.metric
        for each in self._measuring:
            ((found, reason, _),) = each.measured(rank, 1)
            values |= found
            if name in found and found[name] is None:
                self._reasons[reason_of(reason, each.meanings.get(name, ""))] += 1
        columns = {name: column_of(metric, [values.get(name)]) for name, metric in self._wish.metrics.items()}
        self._met += self._choosing.add(np.array([len(self._ranks)], np.int64), columns).tolist()
        self._ranks.append(rank)
        self._values.append(values)

    def message(self) -> Message:
        """Answer the wish for the fillings so far."""
        granted = self._choosing.granted(MOST_SHOWN)
        name = self._wish.rule.metric
        valued = [at for at, values in enumerate(self._values) if values.get(name) is not None]
        own = np.array([self._values[at][name] for at in valued])
        met = np.array([self._met[at] for at in valued], np.bool_)
        return {
            "tried": len(self._ranks),
            "wish": wish_message(granted, self._wish, self._reasons),
            "histogram": histogram(own, met) if valued else [],
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


def histogram(values: NDArray[Any], met: NDArray[np.bool_]) -> list[list[Any]]:
    """Count n values, (n,), in bars: [low, high, how many, how many of these are as wished]."""
    single, counts = np.unique(values, return_counts=True)
    listed = single.tolist()
    bars = coarse(list(zip(listed, listed, counts.tolist(), strict=True)), BARS)
    lows = np.array([low for low, _, _ in bars])
    places = np.searchsorted(lows, values[met], "right") - 1
    wished = np.bincount(places, minlength=len(bars)).tolist()
    return with_gaps([[low, high, count, own] for (low, high, count), own in zip(bars, wished, strict=True)])


def with_gaps(bars: Sequence[list[Any]]) -> list[list[Any]]:
    """Add empty bars for whole numbers that no value has, if there are few of them."""
    ends = [each for low, high, _, _ in bars for each in (low, high)]
    single = all(low == high and float(low).is_integer() for low, high, _, _ in bars if math.isfinite(low))
    if not bars or not single or not all(map(math.isfinite, ends)) or ends[-1] - ends[0] >= BARS:
        return list(bars)
    known = {int(bar[0]): bar for bar in bars}
    return [known.get(value, [value, value, 0, 0]) for value in range(int(ends[0]), int(ends[-1]) + 1)]

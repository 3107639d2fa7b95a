"""The parts that every domain has: `sequences`, `choices` and `products` of libraries, and `of_items`."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, get_args

import attrs

from epcg_core.base.errors import ParamsError, UnknownNameError
from epcg_core.base.params import param
from epcg_core.combinatorics.several import (
    ChosenPlaces,
    How,
    Item,
    OfItems,
    Places,
    SeveralItems,
    joined,
    neighbours,
    sums,
)
from epcg_core.domain import EditorInfo, Generator
from epcg_core.plugins.registry import registry
from epcg_core.query.library import Library

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_JOINED = param(
    True, help="whether items become one content, if the domain can join them", named_if_default=False
)
_LIBRARY = "the items: { query = ... }, { run = ... } or { texts = [...] }"


@attrs.frozen
class Neighbours:
    """Relate the values of an item and of the one after it."""

    metric: str = param(help="a metric of the library")
    least: float | None = param(None, help="the next value is at least so much larger; below 0: smaller")
    most: float | None = param(None, help="the next value is at most so much larger")
    differ: bool = param(False, help="the two values differ")

    def __attrs_post_init__(self) -> None:
        if self.least is None and self.most is None and not self.differ:
            raise ParamsError(f"neighbours, {self.metric}: give least, most or differ.")

    @property
    def is_strict(self) -> bool:
        """Whether values only rise, or only fall, so that no item occurs twice."""
        return (self.least is not None and self.least > 0) or (self.most is not None and self.most < 0)


@attrs.frozen
class Limit:
    """Limits of the sum of a metric over the items of a choice."""

    metric: str = param(help="a metric of the library, in whole numbers")
    least: int | None = param(None, help="the smallest sum")
    most: int | None = param(None, help="the largest sum")


@attrs.frozen
class SequencesParams:
    """Sequences of items of a library."""

    library: Library = param(help=_LIBRARY)
    length: int = param(minimum=1, maximum=64, help="how many items a sequence has")
    neighbours: tuple[Neighbours, ...] = param(
        (), help="what holds from each item to the next: { metric = ..., least = ..., most = ... }"
    )
    repeats: bool = param(True, help="whether an item may occur several times")
    joined: bool = _JOINED


@attrs.frozen
class ChoicesParams:
    """Choices of different items of a library."""

    library: Library = param(help=_LIBRARY)
    count: int = param(minimum=1, maximum=64, help="how many items a choice has")
    limits: tuple[Limit, ...] = param((), help="limits of sums: { metric = ..., least = ..., most = ... }")
    joined: bool = _JOINED


@attrs.frozen
class ProductsParams:
    """One item of each of several libraries."""

    libraries: tuple[Library, ...] = param(help="a list of libraries, each as in { query = ... }")
    joined: bool = _JOINED

    def __attrs_post_init__(self) -> None:
        if not self.libraries:
            raise ParamsError("libraries: there are none: give one or more.")


@attrs.frozen
class OfItemsParams:
    """Which values of the items become which number."""

    metric: str = param(help="a metric of the library")
    how: How = param("sum", help="the number: " + ", ".join(get_args(How)))


def make_sequences(domain: str, params: SequencesParams) -> Generator[Any]:
    """Make the generator `sequences` of a domain. Raises ParamsError."""
    from epcg_core.combinatorics import KPermutations, MixedRadix

    count, length = len(params.library), params.length
    if not params.repeats and length > count:
        raise ParamsError(f"A library of {count} items has no sequence of {length} different ones.")
    if params.neighbours:
        if not params.repeats and not any(each.is_strict for each in params.neighbours):
            raise ParamsError(
                "repeats = false with neighbours: one of them has to rise or fall (least above 0, or most "
                "below 0), or the space has no simple order. Without it, use differ = true."
            )
        places = Places(neighbours(_allowed(params), length))
    elif params.repeats:
        places = Places(MixedRadix((count,) * length))
    else:
        places = Places(KPermutations(count, length))
    return _generator(domain, [params.library], places, params.joined)


def make_choices(domain: str, params: ChoicesParams) -> Generator[Any]:
    """Make the generator `choices` of a domain. Raises ParamsError."""
    from epcg_core.combinatorics import Combinations

    count = len(params.library)
    if params.count > count:
        raise ParamsError(f"A library of {count} items has no choice of {params.count} different ones.")
    if not params.limits:
        return _generator(domain, [params.library], Places(Combinations(count, params.count)), params.joined)
    columns = [_whole(params.library, limit.metric) for limit in params.limits]
    bounds = [
        (-(1 << 62) if limit.least is None else limit.least, (1 << 62) if limit.most is None else limit.most)
        for limit in params.limits
    ]
    space = sums(columns, bounds, params.count)
    return _generator(domain, [params.library], ChosenPlaces(space, params.count), params.joined)


def make_products(domain: str, params: ProductsParams) -> Generator[Any]:
    """Make the generator `products` of a domain. Raises ParamsError."""
    from epcg_core.combinatorics import MixedRadix

    sizes = [len(library) for library in params.libraries]
    starts = [sum(sizes[:i]) for i in range(len(sizes))]
    places = Places(MixedRadix(tuple(sizes)), starts if len(sizes) > 1 else ())
    return _generator(domain, params.libraries, places, params.joined)


def make_of_items(params: OfItemsParams, generator: Any, tables: Mapping[str, Any]) -> OfItems:
    """Make the evaluator `of_items`. Raises UnknownNameError if the library has no such metric."""
    length = len(generator.unrank(0).places) if generator.max_rank else 1
    return OfItems(generator.column(params.metric), params.how, length)


def _generator(domain: str, libraries: Sequence[Library], places: Places, join: bool) -> Generator[Any]:
    import numpy as np

    items = [
        Item(found.space, found.generator, state, text)
        for found in (library.items for library in libraries)
        for state, text in zip(found.states, found.texts, strict=True)
    ]
    editor = next((info for info in registry().all(EditorInfo, domain) if info.joins is not None), None)
    if join and editor is not None:
        return joined(editor, items, places)

    def column(metric: str) -> NDArray[np.float64]:
        found: NDArray[np.float64] = np.concatenate([library.column(metric) for library in libraries])
        return found

    return SeveralItems(items, places, column)


def _allowed(params: SequencesParams) -> NDArray[np.bool_]:
    import numpy as np

    count = len(params.library)
    allowed = np.ones((count, count), np.bool_)
    for each in params.neighbours:
        values = _column(params.library, each.metric, "neighbours")
        larger = values[np.newaxis, :] - values[:, np.newaxis]
        allowed &= ~np.isnan(larger)
        allowed &= larger >= (-math.inf if each.least is None else each.least)
        allowed &= larger <= (math.inf if each.most is None else each.most)
        if each.differ:
            allowed &= larger != 0
    return allowed


def _column(library: Library, metric: str, where: str) -> NDArray[np.float64]:
    if metric not in library.values:
        raise UnknownNameError("metric", metric, list(library.values), where)
    return library.column(metric)


def _whole(library: Library, metric: str) -> NDArray[np.int64]:
    import numpy as np

    values = _column(library, metric, "limits")
    if np.isnan(values).any():
        raise ParamsError(f"limits: {int(np.isnan(values).sum())} items of the library have no {metric}.")
    if (values != np.round(values)).any() or np.abs(values).max(initial=0) > 1 << 40:
        raise ParamsError(
            f"limits: {metric} has values that are not whole numbers, so sums cannot be counted."
        )
    return values.astype(np.int64)

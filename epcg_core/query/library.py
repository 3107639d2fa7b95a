"""Libraries: candidates that another run recorded, of which a generator makes larger content.

A param of type `Library` holds the name of the other space and the ranks of its items, with their recorded
values, so it rebuilds the items anywhere. A query asks for one by where it comes from (`LibrarySource`), and
a run finds or makes that first (`epcg_core.runs.libraries`).
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, Any, get_args

import attrs

from epcg_core.base.errors import LibraryNotMadeError, ParamsError, QueryError, UnknownNameError
from epcg_core.base.params import fields_of, param, plain, structure
from epcg_core.domain import EditorInfo, GeneratorInfo, resolve
from epcg_core.domain.content import opened_state
from epcg_core.plugins.registry import Registry, registry
from epcg_core.query.puzzle_id import parse_puzzle_id, puzzle_id
from epcg_core.query.query import PartRef, Query, SelectParams
from epcg_core.query.short_ids import shortened
from epcg_core.query.spec import SpaceSpec, make_generator, space_spec

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

MOST_ITEMS = 20_000
"""The items of a library, whose ranks and values are a part of the space's name."""


@attrs.frozen
class LibrarySource:
    """Where a library comes from: a query, a run, or texts."""

    query: str | dict[str, Any] | None = param(
        None, help="a query file, relative to this one, or a shipped query, plugin/name; made first if needed"
    )
    set: dict[str, Any] | None = param(
        None, help="values of that query to change: { generator = { size = 5 } }"
    )
    run: int | None = param(None, minimum=1, help="or a run, by its number in the database")
    texts: tuple[str, ...] | None = param(None, help="or texts of contents")
    select: SelectParams | None = param(
        None, help="which candidates, as in [[select]]; default: those that are kept"
    )
    metrics: tuple[str, ...] | None = param(
        None, help="the metrics whose values belong to the library; default: all that were recorded"
    )

    def __attrs_post_init__(self) -> None:
        given = [name for name in ("query", "run", "texts") if getattr(self, name) is not None]
        if len(given) != 1:
            told = " and ".join(given) if given else "nothing"
            raise ParamsError(f"a library comes from one of query, run and texts, and {told} is given.")
        if self.texts is not None and (self.select is not None or self.metrics is not None):
            raise ParamsError("a library of texts has no recorded values: leave 'select' and 'metrics' out.")
        if self.set is not None and self.query is None:
            raise ParamsError("'set' changes values of a query: leave it out.")


@attrs.frozen
class Library:
    """Items that a generator makes larger content of: states of another space, with recorded values.

    Two libraries are equal if they have the same items and values, in the same order. In a query, a table
    with the keys of `LibrarySource` stands for it.
    """

    space: str = param(help="the name of the space that the items are from")
    ranks: tuple[int, ...] = param(help="the ranks of the items in it")
    sha256: str = param(help="the digest of the items as texts")
    run: str = param("", help="the digest of the run that they were chosen from")
    values: dict[str, tuple[int | float | None, ...]] = attrs.field(
        factory=dict, hash=False, metadata={"help": "the recorded values of the items, by metric"}
    )
    """None stands for an item without a value."""

    @staticmethod
    def of_texts(domain: str, texts: Sequence[str]) -> Library:
        """Make a library of contents that are given as texts.

        Args:
            domain: the domain, which has an editor.
            texts: the texts.

        Returns:
            The library, without values.

        Raises:
            EpcgError: if there are no texts, two show the same, or the domain cannot read one.
        """
        if not texts:
            raise QueryError("there are no texts.")
        space = space_spec(registry(), domain, "contents", {"contents": list(texts)})
        shown: dict[str, int] = {}
        for number, text in enumerate(LibraryItems(space, range(len(texts))).texts, 1):
            if text in shown:
                raise QueryError(f"texts {shown[text]} and {number} are the same: leave one out.")
            shown[text] = number
        return library_of(space, range(len(texts)), {}, "")

    @staticmethod
    def from_former(table: Mapping[str, Any]) -> Mapping[str, Any]:
        """Refuse a table that says where a library comes from: a run makes the library of it."""
        if is_source(table):
            structure(LibrarySource, table, "library")  # what is wrong with it is the better sentence
            raise LibraryNotMadeError(
                "The library of this query is not made yet: it is made from its query or run when this query "
                "is run (`epcg run`)."
            )
        return table

    def __attrs_post_init__(self) -> None:
        for name, values in self.values.items():
            if len(values) != len(self.ranks):
                raise ParamsError(
                    f"A library of {len(self.ranks)} items has {len(values)} values of {name}: it was cut."
                )

    def __len__(self) -> int:
        return len(self.ranks)

    @property
    def items(self) -> LibraryItems:
        """The items themselves.

        Raises:
            ParamsError: if their generator makes others of them than when the library was made.
        """
        return _items(self.space, self.ranks, self.sha256)

    @property
    def states(self) -> tuple[Any, ...]:
        """The state of each item, as its own generator makes it."""
        return self.items.states

    @property
    def texts(self) -> tuple[str, ...]:
        """The text of each item, as the domain's editor opens it."""
        return self.items.texts

    @property
    def puzzles(self) -> tuple[str, ...]:
        """The id of each item."""
        return tuple(puzzle_id(self.space, rank) for rank in self.ranks)

    def column(self, metric: str) -> NDArray[np.float64]:
        """Return the recorded values of a metric.

        Args:
            metric: the metric's name.

        Returns:
            (n,) float64, one value an item; NaN for an item without a value.

        Raises:
            UnknownNameError: if the library has no values of the metric.
        """
        import numpy as np

        if metric not in self.values:
            raise UnknownNameError("metric", metric, list(self.values), "library")
        return np.array([np.nan if value is None else value for value in self.values[metric]], np.float64)


class LibraryItems:
    """The items of a library: their generator, states, texts and titles."""

    def __init__(self, space: SpaceSpec, ranks: Sequence[int]) -> None:
        self.space = space
        self.generator = make_generator(registry(), space)
        self._ranks = tuple(ranks)
        info = registry().generator(space.domain, space.generator.name)
        with registry().attribute_errors_to(info):
            self.states = tuple(map(self.generator.unrank, self._ranks))
            self.texts = tuple(opened_state(self.generator, state) for state in self.states)

    @cached_property
    def sha256(self) -> str:
        """The digest of the texts."""
        return digest_of(self.texts)

    @cached_property
    def titles(self) -> tuple[str, ...]:
        """Name each item for people: by its title, if its space has titles, else by its short id."""
        info = registry().generator(self.space.domain, self.space.generator.name)
        if info.titles is not None:
            params: Any = structure(info.params, self.space.generator.params, "generator")
            title = resolve(info.titles)(params)
            return tuple(" ".join(filter(None, title(rank))) for rank in self._ranks)
        return tuple(shortened(puzzle_id(self.space.name, rank)) for rank in self._ranks)


@lru_cache(maxsize=16)
def _items(space: str, ranks: tuple[int, ...], sha256: str) -> LibraryItems:
    found = LibraryItems(parse_puzzle_id(registry(), puzzle_id(space, 0))[0], ranks)
    if found.sha256 != sha256:
        raise ParamsError(
            f"The items of the library from {shortened(space)} are not what they were when it was made: the "
            "plugin makes other content of their ranks now. Ask the query again, so that the library is made "
            "again, or install the plugin as it was."
        )
    return found


def digest_of(texts: Sequence[str]) -> str:
    """Return the SHA-256 of some texts, in their order."""
    found = hashlib.sha256()
    for text in texts:
        data = text.encode("utf-8", "surrogatepass")
        found.update(len(data).to_bytes(8, "little") + data)
    return found.hexdigest()


def library_of(
    space: SpaceSpec, ranks: Sequence[int], values: Mapping[str, Sequence[int | float | None]], run: str
) -> Library:
    """Make a library of some ranks of a space; items with the same text are one, the first.

    Args:
        space: the space.
        ranks: (n,) ranks.
        values: (n,) recorded values by metric.
        run: the digest of the run that recorded them; '' for none.

    Raises:
        QueryError: if there are no items, or too many.
    """
    if not len(ranks):
        raise QueryError("there is no candidate to make a library of.")
    if len(ranks) > MOST_ITEMS:
        raise QueryError(
            f"{len(ranks):,} candidates are too many for a library, which has {MOST_ITEMS:,} at most: keep "
            'fewer, by select = { metric = "...", keep = "top", count = ... }.'
        )
    texts = LibraryItems(space, ranks).texts
    firsts = sorted({text: place for place, text in reversed(list(enumerate(texts)))}.values())
    return Library(
        space.name,
        tuple(int(ranks[place]) for place in firsts),
        digest_of([texts[place] for place in firsts]),
        run,
        {name: tuple(column[place] for place in firsts) for name, column in values.items()},
    )


_SOURCE = frozenset(field.name for field in attrs.fields(LibrarySource))


def is_source(table: Any) -> bool:
    """Return whether a param is a table that says where a library comes from."""
    return isinstance(table, Mapping) and "space" not in table and bool(_SOURCE & set(table))


def replaced(query: Query, make: Callable[[LibrarySource, str], Mapping[str, Any]]) -> Query:
    """Replace the libraries that a query asks for.

    Args:
        query: the query.
        make: (source, its place in the query) -> what stands in its place.

    Returns:
        The query; the same one if it asks for none.
    """
    asked = list(_asked(query))
    if not asked:
        return query
    params = dict(query.generator.params)
    for key, place in asked:
        where = f"generator.{key}" if place is None else f"generator.{key}, item {place + 1}"
        table = params[key] if place is None else params[key][place]
        try:
            made = dict(make(structure(LibrarySource, table, where), where))
        except (QueryError, ParamsError) as error:
            text = str(error)
            raise error if text.startswith(where) else type(error)(f"{where}: {text}") from error
        if place is None:
            params[key] = made
        else:
            params[key] = [*params[key][:place], made, *params[key][place + 1 :]]
    return attrs.evolve(query, generator=PartRef(query.generator.name, params, query.generator.alias))


def _asked(query: Query) -> Iterator[tuple[str, int | None]]:
    """Yield the params, and places in them, that say where a library comes from."""
    if not any(isinstance(value, dict | list | tuple) for value in query.generator.params.values()):
        return
    try:
        fields = fields_of(registry().generator(query.domain, query.generator.name).params)
    except UnknownNameError:  # planning says what is wrong
        return
    for key, value in query.generator.params.items():
        if key not in fields or not _takes_library(fields[key].type):
            continue
        if is_source(value):
            yield key, None
        elif isinstance(value, list | tuple):
            yield from ((key, place) for place, each in enumerate(value) if is_source(each))


def _takes_library(kind: Any) -> bool:
    return kind is Library or any(map(_takes_library, get_args(kind)))


def with_named_queries(query: Query, load: Callable[[str, Mapping[str, Any]], Query]) -> Query:
    """Put the queries that the libraries of a query name in the place of their names.

    Args:
        query: the query, as read.
        load: (name, values to change) -> the query of that name.
    """

    def named(source: LibrarySource, where: str) -> Mapping[str, Any]:
        table = {key: value for key, value in plain(source).items() if value is not None}
        if isinstance(source.query, str):
            table["query"] = load(source.query, source.set or {}).resolved()
            table.pop("set", None)
        return table

    return replaced(query, named)


def with_texts(query: Query) -> Query:
    """Put libraries of texts in the place of the texts; other libraries stay as they are asked for.

    Raises:
        QueryError: if there are no texts, two are the same, or the domain cannot read one.
    """

    def made(source: LibrarySource, where: str) -> Mapping[str, Any]:
        if source.texts is None:
            return {key: value for key, value in plain(source).items() if value is not None}
        return plain(Library.of_texts(query.domain, source.texts))

    return replaced(query, made)


def parts_of(registry: Registry, space: SpaceSpec) -> list[GeneratorInfo | EditorInfo]:
    """Return the parts that make and join the items of a space's libraries, and of their libraries."""
    found: list[GeneratorInfo | EditorInfo] = []
    for source in spaces_of_items(registry, space):
        found += [
            registry.generator(source.domain, source.generator.name),
            *(info for info in registry.all(EditorInfo, source.domain) if info.joins is not None),
        ]
    return found


def spaces_of_items(registry: Registry, space: SpaceSpec) -> Iterator[SpaceSpec]:
    """Yield the spaces that the items of a space's libraries are of, and those of their libraries."""
    for library in libraries_of(registry, space):
        source = space_of_items(registry, library)
        yield source
        yield from spaces_of_items(registry, source)


def libraries_by_key(registry: Registry, space: SpaceSpec) -> Iterator[tuple[str, Library]]:
    """Yield the libraries among the params of a space's generator, each with its place in them."""
    info = registry.generator(space.domain, space.generator.name)
    for key, field in fields_of(info.params).items():
        if not _takes_library(field.type):
            continue
        value = space.generator.params.get(key)
        if isinstance(value, Mapping):
            yield key, structure(Library, value, key)
        for place, table in enumerate(value if isinstance(value, list | tuple) else ()):
            if isinstance(table, Mapping):
                yield f"{key}[{place}]", structure(Library, table, key)


def libraries_of(registry: Registry, space: SpaceSpec) -> list[Library]:
    """Return the libraries among the params of a space's generator."""
    return [library for _, library in libraries_by_key(registry, space)]


def space_of_items(registry: Registry, library: Library) -> SpaceSpec:
    """Return the space that the items of a library are of."""
    return parse_puzzle_id(registry, puzzle_id(library.space, 0))[0]

"""Ranks: one for each state, states in their order, the lowest of those that a symmetry makes equal."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np

from epcg_core.inside import PLUGIN_EXCEPTIONS, EditedContent
from epcg_core.plugin import RendererInfo, resolve
from epcg_testing.report import SPACES, Laws, offering
from epcg_testing.snapshot import snapshot
from epcg_testing.subject import Space
from epcg_testing.violations import Broken, Case, Cases, Skip, require, require_type

LAWS = Laws()


@LAWS.once(
    "ranks-are-exact",
    "max_rank is an exact int, 0 or more",
    "compute it with Python's ints: int(...) of a numpy number if need be.",
    SPACES,
)
def _exact(space: Space) -> None:
    found = space.generator.max_rank
    require_type("max_rank", int, found)
    if found < 0:
        raise Broken("max_rank counts states", "0 or more", found)


@LAWS.ranked(
    "unrank-repeats",
    "unrank gives equal states for equal ranks",
    "draw nothing at random, keep nothing from one call to the next, and give states that "
    "compare by content.",
    SPACES,
)
def _repeats(space: Space, rank: int) -> None:
    require("unrank, asked twice", snapshot(space.unrank(rank)), snapshot(space.unrank(rank)))


@LAWS.ranked(
    "rank-inverts-unrank",
    "rank(unrank(rank)) is rank, a plain int",
    "look for a digit that rank and unrank weigh differently; int(...) of a numpy number.",
    offering("rank"),
)
def _inverse(space: Space, rank: int) -> None:
    require("rank(unrank(rank))", rank, space.generator.rank(space.unrank(rank)))


_COMPARED = 2_000
_DRAWN = 200


@LAWS.listed(
    "states-occur-once",
    "no two ranks have the same content",
    "list each content once, by a canonical form, say; if a space has copies on purpose, write why into "
    "conformance.toml: repeats = '...'.",
    SPACES,
)
def states_occur_once(space: Space) -> Cases:
    """Compare states of generators without `rank`: content and text, or drawings if they have no text."""
    if space.offers("rank"):
        yield Skip(space.where, "rank tells states apart (see rank-inverts-unrank)")
        return
    if space.declared.repeats:
        yield Skip(space.where, space.declared.repeats)
        return
    yield _distinct(space, "content", lambda rank: snapshot(space.unrank(rank)), _COMPARED)
    if space.offers("format"):
        yield _distinct(space, "text", lambda rank: space.generator.format(space.unrank(rank)), _COMPARED)
    elif infos := space.subject.parts(RendererInfo):
        yield _distinct(space, "drawing", partial(_drawings, space, infos), _DRAWN)


def _drawings(space: Space, infos: Sequence[RendererInfo], rank: int) -> Any:
    """Draw a state in every way; return its rank if a renderer fails, which the law of renderers tells."""
    try:
        return [resolve(info.factory)(space.generator)(space.unrank(rank)) for info in infos]
    except PLUGIN_EXCEPTIONS:
        return rank


def _distinct(space: Space, what: str, view: Callable[[int], Any], most: int) -> Case:
    """Compare the first and the last states of a space in one view; the content counts as compared."""
    half = most // 2
    ranks = (
        range(space.max_rank)
        if space.max_rank <= most
        else [*range(half), *range(space.max_rank - half, space.max_rank)]
    )
    first: dict[str, int] = {}

    def check(rank: int) -> None:
        seen = view(rank)
        other = first.setdefault(repr(seen), rank)
        if other != rank:
            raise Broken(f"its {what} is also that of rank {other}", f"one {what} for one rank", seen)

    counted = space.max_rank if what == "content" else None
    return Case(space.where, check, ranks, compared_of=counted)


@LAWS.ranked(
    "increment-follows-unrank",
    "increment(unrank(rank)) is unrank(rank + 1), and None at the end",
    "increment must follow the order of ranks; leave it out if it is no faster than unrank.",
    offering("increment"),
)
def _next(space: Space, rank: int) -> None:
    expected = snapshot(space.unrank(rank + 1)) if rank + 1 < space.max_rank else None
    require("increment(unrank(rank))", expected, snapshot(space.generator.increment(space.unrank(rank))))


@LAWS.ranked(
    "canonical-rank-is-lowest",
    "canonical_rank(rank) is at most rank, and its own canonical rank",
    "take the least rank of all symmetric states, the state itself among them.",
    offering("canonical_rank"),
)
def _lowest(space: Space, rank: int) -> None:
    canonical = space.generator.canonical_rank
    found = canonical(rank)
    require_type("canonical_rank(rank)", int, found)
    if not 0 <= found <= rank:
        raise Broken("canonical_rank(rank) is the lowest rank of its class", f"0 to {rank}", found)
    require("canonical_rank asked of its own answer", found, canonical(found))


@LAWS.listed(
    "canonical-rank-is-one-for-an-orbit",
    "all states that a symmetry makes equal have one canonical rank, the lowest of the class",
    "canonical_rank must go through the whole group of symmetries, not only its generators.",
    offering("canonical_rank", "rank"),
)
def canonical_rank_is_one_for_an_orbit(space: Space) -> Cases:
    if space.declared.orbit is None:
        yield Skip(space.where, "no orbit is declared: orbit = 'module:function'")
    else:
        orbit = resolve(space.declared.orbit)
        yield Case(space.where, partial(_orbit, space, orbit), space.ranks)


def _orbit(space: Space, orbit: Any, rank: int) -> None:
    state = space.unrank(rank)
    ranks = [int(space.generator.rank(other)) for other in orbit(space.generator, state)]
    lowest = min([rank, *ranks])
    for other in [rank, *ranks]:
        found = int(space.generator.canonical_rank(other))
        require(f"canonical_rank({other}), symmetric to rank {rank}", lowest, found)


@LAWS.listed(
    "canonical-ranks-are-those-of-single-ranks",
    "canonical_ranks(ranks) gives canonical_rank of each rank, by all and by some symmetries",
    "compare the kernel with canonical_rank and canonical_rank_by(names) at the rank above.",
    offering("canonical_rank", "canonical_ranks"),
)
def canonical_ranks_are_those_of_single_ranks(space: Space) -> Cases:
    names = tuple(getattr(space.generator, "symmetries", ()))
    for chosen in (None, *((name,) for name in names), *([names] if len(names) > 1 else [])):
        by = "" if chosen is None else f" by {', '.join(chosen)}"
        yield Case.once(f"{space.where}{by}", partial(_in_arrays, space, chosen))


def _in_arrays(space: Space, names: tuple[str, ...] | None) -> None:
    generator = space.generator
    single = generator.canonical_rank if names is None else generator.canonical_rank_by(names)
    given = np.array(space.ranks, np.int64)
    found = generator.canonical_ranks(given, names)
    require("the shape and type of canonical_ranks", (given.shape, "int64"), (found.shape, str(found.dtype)))
    require("the ranks that canonical_ranks was given, afterwards", list(space.ranks), given.tolist())
    for rank, canonical in zip(space.ranks, found.tolist(), strict=True):
        require(f"canonical_ranks at rank {rank}", int(single(rank)), canonical)
    require("canonical_ranks of no ranks", [], generator.canonical_ranks(given[:0], names).tolist())


@LAWS.listed(
    "edits-make-variants",
    "edits_of names the edits that make a variant: ascending, of different places, JSON-ready",
    "Use EditedSpace of epcg_core.plugin: it takes edits and a function that applies them.",
    SPACES,
)
def edits_make_variants(space: Space) -> Cases:
    if isinstance(space.generator, EditedContent):
        yield Case.once(f"{space.where}, its edits", partial(_edits, space.generator))
        yield Case(space.where, partial(_variant, space), space.ranks)
    else:
        yield Skip(space.where, "the generator edits no content")


def _edits(generator: Any) -> None:
    seen = set()
    for number, edit in enumerate(generator.edits):
        if edit.description in seen:
            raise Broken(f"the description of edit {number}", "one of its own", edit.description)
        seen.add(edit.description)
        change = dict(edit.change)
        require(f"the change of edit {number} as JSON", change, json.loads(json.dumps(change)))


def _variant(space: Space, rank: int) -> None:
    generator = space.generator
    edits = generator.edits_of(rank)
    require("edits_of(rank)", tuple(sorted(set(edits))), edits)
    places = [generator.edits[number].place for number in edits]
    require("edits of the variant that share a place", 0, len(places) - len(set(places)))
    changed = snapshot(space.unrank(rank)) != snapshot(generator.original)
    require("whether the variant differs from the original", bool(edits), changed)

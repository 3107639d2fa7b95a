"""Branch and bound: prefixes tile the ranks, bounds are admissible, kernels equal plain searches."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any

from epcg_core.inside import CompiledPartialEvaluator, PartialEvaluator, check_block
from epcg_core.plugin import LAST_RANK, Cutoff, PlainSearch, PrefixSpace, RankedSpace, Value, prefixes
from epcg_testing.report import SPACES, Laws
from epcg_testing.subject import Scored, Space, Subject
from epcg_testing.violations import Broken, Case, Cases, Skip, require

LAWS = Laws()


def _prefixes(space: Space) -> PrefixSpace | None:
    own: PrefixSpace | None = getattr(space.generator, "prefixes", None)
    if own is None and isinstance(space.generator, RankedSpace):
        return prefixes(space.generator)
    return own


def _nodes(tree: PrefixSpace, prefix: tuple[int, ...] = ()) -> Iterator[tuple[int, ...]]:
    """Yield all prefixes, each before those that begin with it."""
    yield prefix
    if len(prefix) < tree.length:
        for item in tree.following(prefix):
            yield from _nodes(tree, (*prefix, int(item)))


@LAWS.listed(
    "prefixes-tile",
    "the states that begin with the same items have neighbouring ranks, and all ranks are among them",
    "ranks must be lexicographic in the items; `prefixes` of epcg_core.plugin has the usual spaces.",
    SPACES,
)
def prefixes_tile(space: Space) -> Cases:
    tree = _prefixes(space)
    if tree is None:
        yield Skip(space.where, "the generator offers no prefixes")
    elif not space.small:
        yield Skip(space.where, f"it has {space.max_rank:,} states: declare a smaller one")
    else:
        yield Case.once(space.where, partial(_tile, space, tree))


def _tile(space: Space, tree: PrefixSpace) -> None:
    require("the completions of no items", (0, space.max_rank), (tree.first_rank(()), tree.completions(())))
    for prefix in _nodes(tree):
        first, count = tree.first_rank(prefix), tree.completions(prefix)
        if len(prefix) == tree.length:
            require(
                f"(completions, items of its rank) of the state {prefix}",
                (1, prefix),
                (count, _items(tree, first)),
            )
            continue
        at = first
        for item in tree.following(prefix):
            child = (*prefix, int(item))
            require(f"the first rank of {child}, behind its elder sisters", at, tree.first_rank(child))
            at += tree.completions(child)
        require(f"the completions of {prefix}, as those of its children add up", count, at - first)


def _items(tree: PrefixSpace, rank: int) -> tuple[int, ...]:
    return tuple(int(item) for item in tree.items(rank))


def _bounded(subject: Subject) -> Iterator[tuple[Scored, PrefixSpace] | Skip]:
    for scored in subject.scored():
        tree = _prefixes(scored.space)
        if not isinstance(scored.evaluator, PartialEvaluator):
            yield Skip(scored.where, "the evaluator offers no bounds")
        elif tree is None:
            yield Skip(scored.where, "the generator offers no prefixes")
        elif not scored.space.small:
            yield Skip(scored.where, f"the space has {scored.space.max_rank:,} states: declare a smaller one")
        else:
            yield scored, tree


@LAWS.listed(
    "bounds-are-admissible",
    "no completion of a partial state is better than its bound; None only if no completion has a value",
    "a bound may be too good, never too bad: drop anything that the rest of the items could still "
    "make up for.",
    _bounded,
)
def bounds_are_admissible(found: tuple[Scored, PrefixSpace]) -> Cases:
    yield Case.once(found[0].where, partial(_admissible, *found))


def _values(scored: Scored) -> list[Value | None]:
    """Evaluate the objective of every rank."""
    return [scored.score(rank)[0][1] for rank in range(scored.space.max_rank)]


def _admissible(scored: Scored, tree: PrefixSpace) -> None:
    evaluator, values = scored.evaluator, _values(scored)
    best = max if evaluator.metrics[0].direction == "max" else min
    partials: dict[tuple[int, ...], Any] = {(): evaluator.empty()}
    for prefix in _nodes(tree):
        if prefix:
            partials[prefix] = evaluator.extend(partials[prefix[:-1]], prefix[-1])
        if len(prefix) == tree.length:
            continue
        first = tree.first_rank(prefix)
        known = [v for v in values[first : first + tree.completions(prefix)] if v is not None]
        bound = evaluator.bound(partials[prefix])
        if known and (bound is None or best(bound, best(known)) != bound):
            side = "at least" if best is max else "at most"
            raise Broken(
                f"the bound of {prefix}", f"{side} {best(known)}, the best of its completions", bound
            )


@LAWS.listed(
    "partial-values-equal-evaluate",
    "value of a partial with all its items is what evaluate gives",
    "extend must take the items in the order of the prefix, and value must mean the first metric.",
    _bounded,
)
def partial_values_equal_evaluate(found: tuple[Scored, PrefixSpace]) -> Cases:
    yield Case(found[0].where, partial(_complete, *found), found[0].space.ranks)


def _complete(scored: Scored, tree: PrefixSpace, rank: int) -> None:
    partial_state = scored.evaluator.empty()
    for item in _items(tree, rank):
        partial_state = scored.evaluator.extend(partial_state, item)
    require("value(complete)", scored.score(rank)[0][1], scored.evaluator.value(partial_state))


@LAWS.listed(
    "compiled-search-equals-plain",
    "search_block finds what the plain branch and bound finds, and accounts for every rank",
    "look at ties: an equal value reaches the incumbent at ranks up to `ties_to`.",
    _bounded,
)
def compiled_search_equals_plain(found: tuple[Scored, PrefixSpace]) -> Cases:
    if not isinstance(found[0].evaluator, CompiledPartialEvaluator):
        yield Skip(found[0].where, "the evaluator offers no search_block")
    else:
        yield Case.once(found[0].where, partial(_searches, *found))


def _searches(scored: Scored, tree: PrefixSpace) -> None:
    """Compare searches without incumbent, with the optimum or a worse one, fixed or improving."""
    sign = 1 if scored.evaluator.metrics[0].direction == "max" else -1
    known = sorted({v for v in _values(scored) if v is not None}, key=lambda v: -sign * v)
    size = scored.space.max_rank
    for value in (None, *known[:1], *known[len(known) // 2 :][:1]):
        for fixed, ties in ((True, LAST_RANK), (False, LAST_RANK), (True, size // 2)):
            incumbent = Cutoff(value, ties, fixed, sign)
            for start, count in ((0, size), (size // 3, size - size // 3)):
                _search(scored, tree, start, count, incumbent)


def _search(scored: Scored, tree: PrefixSpace, start: int, count: int, incumbent: Cutoff) -> None:
    expected = PlainSearch(tree, scored.evaluator).search_block(start, count, incumbent)
    found = scored.evaluator.search_block(start, count, incumbent)
    check_block(found, start, count, "search_block")
    require(
        f"(rank, value) found by search_block({start}, {count}, {incumbent})",
        list(zip(expected.ranks.tolist(), expected.values.tolist(), strict=True)),
        list(zip(found.ranks.tolist(), found.values.tolist(), strict=True)),
    )

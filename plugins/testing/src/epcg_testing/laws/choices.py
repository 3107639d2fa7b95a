"""Searches, strategies of curricula and rules of selections: parts that choose among candidates."""

from __future__ import annotations

import operator
import tempfile
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from epcg_core.inside import PLUGIN_EXCEPTIONS
from epcg_core.plugin import (
    Options,
    Pick,
    Pool,
    Query,
    QueryError,
    SearchInfo,
    SelectionRuleInfo,
    Store,
    StrategyInfo,
    execute,
    from_data,
    plain,
    resolve,
    structure,
    verify,
)
from epcg_testing.report import Laws
from epcg_testing.snapshot import snapshot
from epcg_testing.subject import Space, Subject, required
from epcg_testing.violations import Broken, Case, Cases, Skip, require, require_type

LAWS = Laws()

_MOST_STATES = 1_000
_SPACES = 3
_VALUES = (0.0, 1.0, 1.0, 1.5, 2.0, 2.0, 2.0, 5.0, 8.0, 8.0, 13.0)
_COUNTS = (1, 3, 20)


@LAWS.whole(
    "searches-hold",
    "a search records the values that its run's parts give, the same in units of any size",
    "what a unit records must depend on its ranks and the params alone, with draws from a seed among them, "
    "and values must come from the evaluators.",
)
def searches_hold(subject: Subject) -> Cases:
    for info in subject.parts(SearchInfo):
        where = f"search {info.name}"
        if missing := required(info.params):
            yield Skip(where, f"its params have no defaults: {', '.join(missing)}")
            continue
        asked = 0
        for space in subject.spaces:
            if asked == _SPACES:
                break
            if not 0 < space.max_rank <= _MOST_STATES:
                yield Skip(f"{where}, {space.where}", f"it has not 1 to {_MOST_STATES:,} states")
                continue
            reasons = []
            for query in _queries(info, space):
                try:
                    _digest(query, space.max_rank)
                except QueryError as error:  # the search refuses the space, or the evaluator
                    reasons.append(str(error))
                    continue
                except PLUGIN_EXCEPTIONS:
                    pass  # the case below tells of it
                yield Case.once(f"{where}, {space.where}", partial(_recorded, query, space.max_rank))
                asked += 1
                break
            else:
                yield Skip(
                    f"{where}, {space.where}", "; ".join(dict.fromkeys(reasons)) or "no evaluator fits"
                )


def _queries(info: SearchInfo, space: Space) -> Iterator[Query]:
    """Yield the queries that the search may answer: one, or one by each evaluator."""
    for scored in (None,) if "evaluators" in info.refuses else space.measures:
        part = [] if scored is None else [{"name": scored.info.name, "params": plain(scored.params)}]
        yield from_data({
            "name": "check",
            "domain": space.spec.domain,
            "generator": plain(space.spec.generator),
            "search": {"name": info.name, "params": {}},
            "evaluators": part,
            "record": {} if "on_error" in info.refuses else {"on_error": "record"},
        })  # fmt: skip


def _recorded(query: Query, states: int) -> None:
    """Run a query in units of three sizes, verify the first run, and compare the others with it."""
    sizes = (states, max(1, states // 3), max(1, states // 7))
    digests = [_digest(query, size, prove=size == states) for size in sizes]
    if len(set(digests)) > 1:
        raise Broken("the digest of what it records, in units of three sizes", "one", digests)


def _digest(query: Query, unit_size: int, prove: bool = False) -> str | None:
    """Run a query in a database of its own, and return the digest; verify the run if `prove` is set."""
    with tempfile.TemporaryDirectory() as folder, Store.open(Path(folder) / "check.db", write=True) as store:
        goal = execute(query, store, Options("serial", quiet=True, unit_size=unit_size)).goal
        for check in verify(store, goal.id, sample=unit_size, seed=1).checks if prove else ():
            if check.verdict == "does not hold":
                raise Broken(f"verification of its run, {check.name}", "it holds", check.detail)
        return goal.digest


@LAWS.whole(
    "strategies-choose",
    "a strategy chooses as many different candidates as it may, the same each time, and gives reasons",
    "`choose` returns Picks with positions of the pool, `declined` and `rule` a sentence; nothing is drawn "
    "without a seed, and the pool is not changed.",
)
def strategies_choose(subject: Subject) -> Cases:
    for info in subject.parts(StrategyInfo):
        where = f"strategy {info.name}"
        if missing := required(info.params):
            yield Skip(where, f"its params have no defaults: {', '.join(missing)}")
            continue
        strategy: Any = structure(info.params, {}, where)
        yield Case.once(where, partial(_described, info, strategy))
        for size in (0, 1, 4, len(_VALUES)):
            for count in _COUNTS:
                what = f"{where}, {count} of {size} candidates"
                yield Case.once(what, partial(_chosen, strategy, size, count))


def _described(info: StrategyInfo, strategy: Any) -> None:
    require("the name of the strategy, which its registration has", info.name, strategy.name)
    _require_sentence("rule('moves', 3)", strategy.rule("moves", 3))
    for column in strategy.columns:
        require_type("a measure among its columns", str, column)


def _pool(strategy: Any, size: int) -> Pool:
    numbers = np.arange(size)
    needs = getattr(strategy, "needs", ())
    return Pool(
        np.array(_VALUES[:size]),
        None if getattr(strategy, "differ_by", None) is None else numbers % 3,
        (numbers[:, None] >> np.arange(len(needs))) % 2 == 1 if needs else None,
        (lambda a, b: abs(a - b) / size) if getattr(strategy, "apart", 0) else None,
        measure=lambda name: np.where(numbers % 4 == 3, np.nan, numbers * 1.0),
        puzzle=lambda place: f"domain:space#{place}",
    )


def _chosen(strategy: Any, size: int, count: int) -> None:
    pool = _pool(strategy, size)
    before = [snapshot(array) for array in (pool.values, pool.shapes, pool.needs)]
    picks = list(strategy.choose(pool, count))
    for pick in picks:
        require_type("what `choose` returns", Pick, pick)
        _require_sentence("the reason of a pick", pick.reason)
    _check_positions([pick.position for pick in picks], size)
    if len(picks) > count:
        raise Broken("the number of picks", f"up to {count}", len(picks))
    require(
        "choose, asked twice", snapshot(picks), snapshot(list(strategy.choose(_pool(strategy, size), count)))
    )
    chosen = {pick.position for pick in picks}
    for position in range(size) if picks else ():
        if position not in chosen:
            _require_sentence(f"declined(pool, picks, {position})", strategy.declined(pool, picks, position))
    require(
        "the pool after it was asked", before, [snapshot(a) for a in (pool.values, pool.shapes, pool.needs)]
    )


def _require_sentence(what: str, found: object) -> None:
    require_type(what, str, found)
    if not str(found).strip():
        raise Broken(what, "words", found)


def _check_positions(positions: Sequence[Any], size: int) -> None:
    numbers = [operator.index(position) for position in positions]
    wrong = [number for number in numbers if not 0 <= number < size]
    require(f"positions outside of 0 to {size - 1}", [], wrong)
    require("how often a position is chosen again", 0, len(numbers) - len(set(numbers)))


@LAWS.whole(
    "selection-rules-choose",
    "a selection rule returns different positions of candidates, the same each time",
    "return positions in the arrays, not ranks, each once; draw nothing without a seed; copy arrays before "
    "you sort them in place.",
)
def selection_rules_choose(subject: Subject) -> Cases:
    columns = {"integers": np.int64, "reals": np.float64, "booleans": np.bool_}
    for info in subject.parts(SelectionRuleInfo):
        for size in (1, 3, len(_VALUES)):
            for name, dtype in columns.items():
                values: NDArray[Any] = np.array(_VALUES[:size]).astype(dtype)[::-1].copy()
                where = f"selection rule {info.name}, {size} {name}"
                yield Case.once(where, partial(_selected, info, values))


def _selected(info: SelectionRuleInfo, values: Any) -> None:
    choose = resolve(info.choose)
    ranks = 7 * np.arange(len(values), dtype=np.int64) + 1000
    before = snapshot(ranks), snapshot(values)
    for sign in (1, -1):
        for count in _COUNTS:
            found = [operator.index(position) for position in choose(ranks, values, sign, count)]
            require("the arrays after it was asked", before, (snapshot(ranks), snapshot(values)))
            _check_positions(found, len(values))
            again = [operator.index(position) for position in choose(ranks, values, sign, count)]
            require("choose, asked twice", found, again)

"""Choosing from the record agrees with choosing from a plain list."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from types import SimpleNamespace
from typing import Any, Literal

import attrs
import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from epcg_core.base.errors import PluginError, UnknownNameError
from epcg_core.chunks.blocks import Block
from epcg_core.chunks.codec import encode_block, unit_digest
from epcg_core.domain import ERROR, NONE, VALUE, DomainInfo, Evaluation, Metric
from epcg_core.query.query import SelectParams
from epcg_core.query.spec import PartSpec, SpaceSpec, canonical_ranks_of
from epcg_core.store import Reader, Store, chunk_queries, reader as reader_module, run_digest, writer
from epcg_core.store.likeness import Likeness
from epcg_core.store.selection import rule_text, select
from tests.workplace import new_database

CHUNK = 16
METRICS = (Metric("number", "int", "max"), Metric("share", "real", "min"), Metric("flag", "bool", "max"))
Values = list[tuple[int, float, bool] | None]
laws = settings(max_examples=settings().max_examples // 3)
"""Each example makes a database."""


@contextmanager
def recorded(values: Values, mask: list[bool] | None = None) -> Iterator[Reader]:
    """A finished run whose evaluated ranks (all, or those of the mask) have these values, in order."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / "test.db"
        new_database(path)
        with Store.open(path, write=True) as store:
            run = record(store, values, mask)
            assert run == 1
        with Store.open(path) as store, store.reader() as reader:
            yield reader


def record(store: Store, values: Values, mask: list[bool] | None, start: int = 0) -> int:
    count = len(values) if mask is None else len(mask)
    with store.transaction() as connection:
        run_id = writer.create_run(connection, new_run(start, start + count))
        run = Reader(connection).run(run_id)
    ranks = None if mask is None else start + np.flatnonzero(np.array(mask, np.bool_))
    status = np.array([VALUE if v is not None else NONE for v in values], np.uint8)
    full = [(0, 0.0, False) if v is None else v for v in values]
    columns: list[Any] = [
        np.array([v[m] for v in full], d) for m, d in enumerate((np.int64, np.float64, np.bool_))
    ]
    block = Block(start, count, Evaluation(columns, status if status.any() else None), ranks)
    chunks = encode_block(block, METRICS, CHUNK)
    unit_writer = writer.UnitWriter(store.engine, run)
    unit_writer.add(
        writer.UnitResult(
            start, count, block.evaluated, count - block.evaluated, 0.0, unit_digest(chunks), chunks
        )
    )
    unit_writer.flush()
    with store.transaction() as connection:
        reader = Reader(connection)
        writer.finish_run(
            connection, run_id, run_digest.run_digest(reader, run_id), run_digest.histograms(reader, run_id)
        )
    return run_id


_PART: dict[str, Any] = {"name": "g", "params": {}}
_SPEC: dict[str, Any] = {
    "space": "d:g", "search": _PART, "evaluators": [_PART], "metrics": ["number", "share", "flag"],
    "range": [], "inputs": {}, "versions": ["epcg-d 1"],
    "query": {"domain": "d", "generator": _PART, "search": _PART, "evaluators": [_PART]},
}  # fmt: skip


def new_run(start: int, stop: int) -> writer.NewRun:
    return writer.NewRun(
        identity=f"identity {start} {stop}", domain=DomainInfo("d", "D", ""), domain_version="epcg-d 1",
        space="d:g", generator="g", params={}, max_rank=stop, search="exhaustive", search_params={},
        spec=_SPEC, versions=("epcg-d 1",), metrics=METRICS, inputs=(), layer=None, start=start, stop=stop,
        unit_size=1 << 20, chunk_size=CHUNK, rows="none", environment={},
    )  # fmt: skip


rows = st.lists(
    st.none() | st.tuples(st.integers(-3, 3) | st.integers(-(2**63), 2**63 - 1),
                          st.sampled_from([0.0, 0.5, -1.25, 1e300, math.inf]), st.booleans()),
    max_size=70,
)  # fmt: skip


def brute_force(values: Values, ranks: list[int], rule: SelectParams, canonical: Any = None) -> list[Any]:
    """The rules in words, applied to a list."""
    column = [m.name for m in METRICS].index(rule.metric)
    better = rule.direction or METRICS[column].direction
    sign = -1 if better == "max" else 1
    scored = [(r, v[column]) for r, v in zip(ranks, values, strict=True) if v is not None]
    scored.sort(key=lambda s: (sign * s[1], s[0]))
    low = -math.inf if rule.min is None else rule.min
    high = math.inf if rule.max is None else rule.max
    scored = [s for s in scored if low <= s[1] <= high]
    if rule.keep == "best":
        scored = [s for s in scored if s[1] == scored[0][1]]
    if rule.distinct:
        firsts: dict[int, Any] = {}
        for s in scored:
            firsts.setdefault(canonical(s[0]), s)
        scored = list(firsts.values())
    return scored[: rule.count] if rule.keep == "top" else scored


@laws
@given(
    rows,
    st.sampled_from([m.name for m in METRICS]),
    st.sampled_from(["max", "min", None]),
    st.data(),
)
def test_every_rule_agrees_with_brute_force(
    values: Values, metric: str, direction: Literal["max", "min"] | None, data: st.DataObject
) -> None:
    """On filtered runs too, with ties by rank."""
    mask = None
    ranks = list(range(len(values)))
    if data.draw(st.booleans()) and values:
        gaps = data.draw(st.lists(st.integers(0, 5), min_size=len(values), max_size=len(values)))
        mask = [flag for gap in gaps for flag in [*[False] * gap, True]]
        ranks = [i for i, flag in enumerate(mask) if flag]
    limit = st.none() | st.sampled_from([-1.0, 0.0, 0.5, 1.0, 2.0])
    low, high = data.draw(limit), data.draw(limit)

    def canonical(rank: int) -> int:
        return rank // 5

    rules = [
        SelectParams(metric, "best", direction=direction),
        SelectParams(metric, "threshold", min=low, max=high, direction=direction),
        *(SelectParams(metric, "top", count, direction=direction) for count in (1, 3, 17, 100)),
    ]
    rules += [attrs.evolve(rule, min=low, max=high) for rule in rules if rule.keep != "threshold"]
    with recorded(values, mask) as reader:
        for rule in [*rules, *(attrs.evolve(rule, distinct=True) for rule in rules)]:
            assert select(reader, 1, rule, Likeness(canonical)) == brute_force(
                values, ranks, rule, canonical
            ), rule


@settings(max_examples=settings().max_examples // 5)  # each sorts hundreds of numbers in twelve ways
@given(st.integers(0, 2**32), st.sampled_from(["max", "min"]), st.sampled_from([2, 30, 10**6]), st.booleans())
def test_the_top_of_many_chunks_is_that_of_a_full_sort(
    seed: int, direction: Literal["max", "min"], spread: int, filtered: bool
) -> None:
    """Few and many equal values, chunks of different types and levels, counts below and above a chunk."""
    random = np.random.default_rng(seed)
    size = int(random.integers(100, 500))
    numbers = random.integers(-spread, spread, size) + np.repeat(
        random.integers(0, 3, -(-size // CHUNK)) * spread, CHUNK
    )[:size]  # fmt: skip
    if random.random() < 0.3:
        numbers[random.integers(0, size, 3)] = 2**63 - 1, -(2**63), 2**62
    missing = random.random(size) < random.choice([0.0, 0.2, 0.9])
    values: Values = [
        None if none else (number, number / 4, number > 0)
        for number, none in zip(numbers.tolist(), missing.tolist(), strict=True)
    ]
    mask = [True] * size
    if filtered:
        mask = (random.random(3 * size) < 0.4).tolist()
        values = (values * 3)[: sum(mask)]
    ranks = [rank for rank, evaluated in enumerate(mask) if evaluated]
    with recorded(values, mask if filtered else None) as reader:
        for metric in METRICS:
            for count in (1, CHUNK, 3 * CHUNK + 1, 4 * size):
                rule = SelectParams(metric.name, "top", count, direction=direction, distinct=count == CHUNK)
                found = select(reader, 1, rule, Likeness(lambda rank: rank // 3))
                assert found == brute_force(values, ranks, rule, lambda rank: rank // 3)


@laws
@given(rows)
def test_the_best_value_is_the_extreme(values: Values) -> None:
    there = [v for v in values if v is not None]
    with recorded(values) as reader:
        for column, metric in enumerate(METRICS):
            found = [chunk_queries.best_value(reader, 1, metric.name, sign) for sign in (1, -1)]
            assert found == (
                [max(v[column] for v in there), min(v[column] for v in there)] if there else [None] * 2
            )


@laws
@given(rows, st.data())
def test_candidates_within_limits_are_counted(values: Values, data: st.DataObject) -> None:
    limit = st.sampled_from([-math.inf, -2, -1.25, 0, 0.5, 1, 2.5, 2**62, 2**63 - 1, 1e300, math.inf])
    low, high = data.draw(limit), data.draw(limit)
    with recorded(values) as reader:
        for column, metric in enumerate(METRICS):
            inside = [rank for rank, v in enumerate(values) if v is not None and low <= v[column] <= high]
            assert chunk_queries.count(reader, 1, metric.name, low, high) == len(inside)
            assert [rank for rank, _ in chunk_queries.between(reader, 1, metric.name, low, high)] == inside


def test_ties_are_kept_in_the_order_of_ranks() -> None:
    values: Values = [(rank % 3, 0.0, True) for rank in range(60)]
    with recorded(values) as reader:
        assert select(reader, 1, SelectParams("number", "best")) == [(r, 2) for r in range(2, 60, 3)]
        assert select(reader, 1, SelectParams("number", "top", 3)) == [(2, 2), (5, 2), (8, 2)]
        assert select(reader, 1, SelectParams("share", "top", 2)) == [(0, 0.0), (1, 0.0)]


def test_most_chunks_are_never_read(monkeypatch: pytest.MonkeyPatch) -> None:
    """Chunks know their extremes: the top of 200 chunks is found in one or two of them."""
    values: Values = [(rank, float(rank), True) for rank in range(200 * CHUNK)]
    with recorded(values) as reader:
        read: list[int] = []
        genuine = Reader.ranks

        def ranks(self: Reader, run_id: int, chunk: Any) -> Any:
            read.append(chunk.start)
            return genuine(self, run_id, chunk)

        monkeypatch.setattr(Reader, "ranks", ranks)
        select(reader, 1, SelectParams("number", "top", 5))
        select(reader, 1, SelectParams("number", "best"))
        select(reader, 1, SelectParams("number", "threshold", min=40, max=50))
        assert len(read) <= 2 + 1 + 2


def test_scores_of_candidates_in_any_order_decode_each_chunk_once(monkeypatch: pytest.MonkeyPatch) -> None:
    values: Values = [(rank * 7 % 160, rank / 2, rank % 3 == 0) for rank in range(10 * CHUNK)]
    with recorded(values) as reader:
        ranks = [rank for rank, _ in select(reader, 1, SelectParams("number", "top", len(values)))]
        decoded: list[int] = []
        genuine = reader_module.decode_chunk

        def decode_chunk(chunk: Any) -> Any:
            decoded.append(chunk.start)
            return genuine(chunk)

        monkeypatch.setattr(reader_module, "decode_chunk", decode_chunk)
        found = reader.scores_at(1, ranks)
        assert [tuple(scores.values()) for scores in found] == [values[rank] for rank in ranks]
        assert len(decoded) == 10 * len(METRICS)


def test_values_and_ranks_are_pythons() -> None:
    with recorded([(3, 0.5, True)]) as reader:
        for metric, kind in (("number", int), ("share", float), ("flag", bool)):
            ((rank, value),) = select(reader, 1, SelectParams(metric, "top"))
            assert (type(rank), type(value)) == (int, kind)


def test_an_unknown_metric() -> None:
    with recorded([]) as reader, pytest.raises(UnknownNameError, match="run 1: unknown metric 'numbr'"):
        select(reader, 1, SelectParams("numbr"))


@pytest.mark.parametrize(
    ("rule", "text"),
    [
        (SelectParams("a", "top", 3), "top 3 by a"),
        (SelectParams("a", "best", distinct=True), "best by a, one of each symmetry class"),
        (SelectParams("a", "best", direction="min"), "best by a, the smallest"),
        (SelectParams("a", "threshold", min=1.0, max=2.0), "a from 1 to 2"),
        (SelectParams("a", "threshold", min=1.5), "a of 1.5 or more"),
        (
            SelectParams("a", "top", 3, max=2.0, distinct=True),
            "top 3 by a of 2 or less, one of each symmetry class",
        ),
    ],
)
def test_the_rule_in_words(rule: SelectParams, text: str) -> None:
    assert rule_text(rule) == text


def test_errors_are_never_selected() -> None:
    """Not even by a metric that has a value whatever the status."""
    metric = Metric("effort", always=True)
    status = np.array([VALUE, ERROR, NONE], np.uint8)
    (chunk,) = encode_block(Block(0, 3, Evaluation([np.array([1, 9, 5])], status)), (metric,), CHUNK)
    assert (chunk.minimum, chunk.maximum, chunk.valued, chunk.total) == (1, 5, 2, 6)


@pytest.mark.parametrize("wrong", [lambda rank: -1, lambda rank: rank + 1])
@pytest.mark.parametrize("arrays", [False, True])
def test_a_canonical_rank_that_is_no_lowest_rank_is_refused(
    wrong: Callable[[Any], Any], arrays: bool
) -> None:
    space = SpaceSpec("toy", PartSpec("none", {}))
    generator = SimpleNamespace(canonical_rank=wrong)
    if arrays:
        generator.canonical_ranks = lambda ranks, names: np.array(list(map(wrong, ranks)))
    with pytest.raises(PluginError, match=r"canonical rank of 1 in .* is .*: it must be the lowest"):
        canonical_ranks_of(space, generator)(np.array([1, 2]))


def test_classes_that_a_plugin_cannot_tell_are_a_sentence() -> None:
    def fail(rank: int) -> int:
        raise KeyError(rank)

    space, ranks = SpaceSpec("toy", PartSpec("none", {})), np.array([1, 2])
    generator = SimpleNamespace(canonical_rank=fail)
    with pytest.raises(PluginError, match=r"^The symmetry classes of toy:none .* raised KeyError: 1\.$"):
        canonical_ranks_of(space, generator)(ranks)
    for answer in (np.array([1]), np.array([1.0, 2.0])):
        generator.canonical_ranks = lambda ranks, names, answer=answer: answer
        with pytest.raises(PluginError, match="they must be one whole number for each"):
            canonical_ranks_of(space, generator)(ranks)

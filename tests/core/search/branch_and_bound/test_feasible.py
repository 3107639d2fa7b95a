"""The search for all that is feasible: every candidate with a value, and a reason for every rank without."""

from __future__ import annotations

import sys
from functools import cache
from pathlib import Path
from typing import Any

import attrs
import pytest
from epcg_research.certificate import certify, check_certificate

from epcg_core.base.errors import CheckFailedError, QueryError
from epcg_core.query.query import parse_query
from epcg_core.runs import merging
from epcg_core.runs.coordinator import execute
from epcg_core.store import Store
from epcg_core.store.records import Part
from tests.core.search.branch_and_bound.place import Sets
from tests.core.search.branch_and_bound.toy_sets import (
    Common,
    Cost,
    JointParams,
    Multisets,
    SetsParams,
    digits,
    subsets,
)
from tests.workplace import SERIAL, new_database

GENERATORS: dict[str, Any] = {"multisets": Multisets, "subsets": subsets, "digits": digits}
Instance = tuple[str, str, SetsParams, int]
INSTANCES = [
    ("multisets", "common", SetsParams(n=9, k=3, elements=8, seed=4), 1),
    ("multisets", "common_compiled", SetsParams(n=12, k=3, elements=12, seed=1), 1),
    ("subsets", "cost", SetsParams(n=12, k=4, elements=9, seed=3), 21),
    ("digits", "common", SetsParams(n=5, k=4, elements=6, seed=6), 1),
    ("multisets", "common", SetsParams(n=6, k=3, elements=4, seed=8), 5),  # nothing has a value
]


@cache
def feasible(kind: str, sets: SetsParams, evaluator: str, joint: int) -> list[tuple[int, Any]]:
    """(rank, value) of every candidate with a value, by evaluating everything."""
    generator = GENERATORS[kind](sets)
    scorer: Any = (Cost if evaluator == "cost" else Common)(JointParams(joint), generator)
    every = [(rank, scorer.evaluate(generator.unrank(rank))) for rank in range(generator.max_rank)]
    return [(rank, row[0]) for rank, row in every if row is not None]


def asked(
    instance: tuple[str, str, SetsParams, int], more: str = "", also: tuple[str, ...] = ()
) -> dict[str, Any]:
    kind, evaluator, sets, joint = instance
    params = ", ".join(f"{key} = {value}" for key, value in attrs.asdict(sets).items())
    return {
        "generator": kind,
        "params": params,
        "search": "",
        "evaluators": (f"{evaluator} joint = {joint}", *also),
        "more": more,
    }


def query(place: Sets, **params: Any) -> Any:
    return parse_query(place.text(**params).replace('"branch_and_bound", ', '"feasible"'))


@pytest.mark.sweep(2)
@pytest.mark.parametrize(
    "instance",
    [
        pytest.param(one, id=f"{one[0]} {one[1]} {one[3]}", marks=[] if fast else [pytest.mark.slow])
        for one, fast in zip(INSTANCES, (False, True, True, False, True), strict=True)
    ],
)
def test_what_is_recorded_is_every_candidate_with_a_value(place: Sets, instance: Instance) -> None:
    kind, evaluator, sets, joint = instance
    outcome = place.run(query(place, **asked(instance)), unit_size=32)
    run = outcome.goal
    assert place.optima(run.id) == feasible(kind, sets, evaluator, joint)
    assert run.coverage == "exhaustive"
    assert run.evaluated + run.pruned == run.max_rank
    assert run.pruned > 0
    reasons = place.sql(f"SELECT DISTINCT reason FROM pruning WHERE run_id = {run.id}")
    assert reasons == [("infeasible",)]
    report = place.verify(run.id, 200)
    assert report.passed, [check for check in report.checks if not check.passed]


@pytest.mark.parametrize(("number", "of"), [(0, 2), pytest.param(1, 3, marks=pytest.mark.slow)])
def test_units_parts_and_executors_change_no_digest(
    place: Sets, tmp_path: Path, number: int, of: int
) -> None:
    wanted = query(place, **asked(INSTANCES[number]))
    whole = place.run(wanted, unit_size=64).goal
    other = place.run(wanted, database=tmp_path / "other.db", unit_size=8, executor="threads").goal
    assert other.digest == whole.digest
    parts = []
    for index in range(1, of + 1):
        parts.append(tmp_path / f"part{index}.db")
        new_database(parts[-1])
        with Store.open(parts[-1], write=True) as store:
            execute(wanted, store, SERIAL, part=Part(index, of))
    (merged,) = merging.merge(str(tmp_path / "all.db"), [*map(str, parts)], incomplete=False, options=SERIAL)
    assert merged.run.digest == whole.digest
    with Store.open(tmp_path / "all.db") as store:
        certificate = certify(store, merged.run.id)
    assert all(check.passed for check in check_certificate(certificate, None))


def test_the_query_chooses_among_them_and_others_measure_them(place: Sets) -> None:
    instance = INSTANCES[1]
    kind, evaluator, sets, joint = instance
    select = '[[select]]\nmetric = "weight"\nkeep = "highest"\ncount = 3\n'
    run = place.run(query(place, **asked(instance, select, ("weight",)))).goal
    every = [rank for rank, _ in feasible(kind, sets, evaluator, joint)]
    generator = Multisets(sets)
    weights = {rank: generator.quotient.weight(generator.unrank(rank)) for rank in every}
    best = sorted(every, key=lambda rank: (-weights[rank], rank))[:3]
    assert place.sql(f"SELECT rank FROM kept WHERE run_id = {run.id} ORDER BY rank") == [
        (r,) for r in sorted(best)
    ]


def test_a_value_that_was_hidden_is_found(place: Sets, monkeypatch: pytest.MonkeyPatch) -> None:
    """A program that denies values records the lie with all its digests; the honest one notices."""
    wanted = query(place, **asked(INSTANCES[0]))
    place.run(wanted)
    kind, liar = sys.modules["epcg_sets"].Common, place.other("liar")
    genuine = kind.evaluate, kind.value

    def evaluate(self: Any, state: Any) -> Any:
        found = genuine[0](self, state)
        return None if found == (2,) else found

    def value(self: Any, complete: Any) -> Any:
        found = genuine[1](self, complete)
        return None if found == 2 else found

    with monkeypatch.context() as lie:
        lie.setattr(kind, "evaluate", evaluate)
        lie.setattr(kind, "value", value)
        run = liar.run(wanted).goal
    assert 2 in [found for _, found in feasible(INSTANCES[0][0], INSTANCES[0][2], "common", 1)]
    assert 2 not in [found for _, found in liar.optima(run.id)]
    report = liar.verify(run.id, 300)
    assert [check.name for check in report.checks if not check.passed] == ["sample"]


def test_a_bound_that_denies_too_much_is_met_at_once(place: Sets, monkeypatch: pytest.MonkeyPatch) -> None:
    wanted = query(place, **asked(INSTANCES[0]))
    place.run(wanted)
    kind, liar = sys.modules["epcg_sets"].Common, place.other("liar")
    genuine = kind.bound
    monkeypatch.setattr(
        kind, "bound", lambda self, partial: None if len(partial.sets) == 2 else genuine(self, partial)
    )
    with pytest.raises(CheckFailedError, match=r"it was pruned for 'infeasible' .* is not admissible"):
        liar.run(wanted)


@pytest.mark.parametrize(
    ("more", "also", "sentence"),
    [
        ('[record]\nvalues = "counts"', (), "keeps no values, but a search that prunes"),
        ('[filter]\nmetric = "weight"\nmin = 1', (), "leaves ranks out by what they begin with"),
    ],
)
def test_what_it_does_not_take(place: Sets, more: str, also: tuple[str, ...], sentence: str) -> None:
    with pytest.raises(QueryError, match=sentence):
        place.run(query(place, **asked(INSTANCES[0], more, also)))


def test_an_evaluator_without_bounds_is_refused(place: Sets) -> None:
    instance = ("multisets", "weight", INSTANCES[0][2], 0)
    params = asked(instance) | {"evaluators": ("weight",)}
    with pytest.raises(QueryError, match="'weight' scores whole states only"):
        place.run(query(place, **params))

"""Certificates of searches and proofs: prunings are opened too, and a false optimum shows."""

from __future__ import annotations

import json
from typing import Any

import attrs
import pytest
from epcg_research.certificate import Security, certify, check_certificate
from epcg_research.certificate.form import to_json
from epcg_research.certificate.issue import claim, opened

from epcg_core.store import Store
from tests.core.search.branch_and_bound.place import Sets

PARALLEL = {"params": "n = 9, k = 3, elements = 8, seed = 4", "evaluators": ("common", "weight")}


def failed(
    data: Any, sets: Sets | None = None, security: Security | None = None, recompute: float = 0.0
) -> dict[str, str]:
    if sets is None:
        checks = check_certificate(data, None, security, recompute=recompute)
    else:
        with Store.open(sets.database) as store:
            checks = check_certificate(data, store, sample=100)
    return {check.name: check.detail for check in checks if not check.passed}


@pytest.mark.parametrize("keep", ["all", pytest.param("first", marks=pytest.mark.slow)])
def test_searches_and_proofs_pass(sets: Sets, keep: str) -> None:
    for run in sets.run(sets.query(search=f'keep = "{keep}"', **PARALLEL), unit_size=16).runs:
        with Store.open(sets.database) as store:
            data = json.loads(json.dumps(certify(store, run.id, sample=100)))
        assert data["claims"]["pruned"] == run.pruned > 0
        assert failed(data) == failed(data, sets) == {}


def test_a_false_optimum_is_found(sets: Sets) -> None:
    run = sets.run(sets.query(**PARALLEL)).goal
    with Store.open(sets.database) as store, store.reader() as reader:
        claims, crown = claim(reader, run, 20)
        assert claims.best is not None
        found = {}
        few = Security(share=0.9, tries=0)
        for name, best in {
            "higher": attrs.evolve(claims.best, value=claims.best.value + 1),
            "elsewhere": attrs.evolve(claims.best, rank=claims.best.rank + 1),
            "none": None,
        }.items():
            own = attrs.evolve(claims, best=best)
            found[name] = failed(to_json(opened(reader, run, own, crown)), None, few)
    assert set(found["higher"]) == set(found["elsewhere"]) == {"openings"}
    assert "The best is not recorded at rank" in found["higher"]["openings"]
    assert set(found["none"]) <= {"openings", "values"}
    assert found["none"]


def test_openings_do_not_show_the_best_of_all_and_computing_again_does(sets: Sets) -> None:
    run = sets.run(sets.query(**PARALLEL)).goal
    with Store.open(sets.database) as store, store.reader() as reader:
        data = to_json(opened(reader, run, *claim(reader, run, 20)))
    few = Security(share=0.9, tries=0)
    assert failed(data, None, few, recompute=1.0) == {}
    detail = {c.name: c.detail for c in check_certificate(data, None, few, recompute=1.0)}
    assert "cannot show the best of all, the bounds of prunings" in detail["values"]
    assert "the best was found by trying (proven)" in detail["pieces"]
    assert failed(data, None, few, recompute=0.01) == {}

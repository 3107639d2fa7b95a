"""Certificates of searches and proofs: prunings are opened too, and a false optimum shows."""

from __future__ import annotations

import json
from typing import Any

import attrs
import pytest

from epcg_core.store import Store
from epcg_core.verification.certificate import certify, check_certificate
from epcg_core.verification.certificate.form import FORM, Certificate, to_json
from epcg_core.verification.certificate.issue import _openings, claim
from tests.branch_and_bound.place import Sets

PARALLEL = {"params": "n = 30, k = 3, elements = 40, seed = 12", "evaluators": ("common", "weight")}


def failed(data: Any, place: Sets | None = None) -> dict[str, str]:
    if place is None:
        checks = check_certificate(data, None, 300)
    else:
        with Store.open(place.database) as store:
            checks = check_certificate(data, store, 100)
    return {check.name: check.detail for check in checks if not check.passed}


@pytest.mark.parametrize("keep", ["all", "first"])
def test_searches_and_proofs_pass(place: Sets, keep: str) -> None:
    for run in place.run(place.query(search=f'keep = "{keep}"', **PARALLEL), unit_size=64).runs:
        with Store.open(place.database) as store:
            data = json.loads(json.dumps(certify(store, run.id, openings=8, sample=100)))
        assert data["claims"]["best"]["rank"] in [opening["rank"] for opening in data["openings"]]
        assert data["claims"]["pruned"] == run.pruned > 0
        assert failed(data) == failed(data, place) == {}


def test_a_false_optimum_is_found(place: Sets) -> None:
    run = place.run(place.query(**PARALLEL)).goal
    with Store.open(place.database) as store, store.reader() as reader:
        claims, trees = claim(reader, run, 20)
        assert claims.best is not None
        found = {}
        for name, best in {
            "higher": attrs.evolve(claims.best, value=claims.best.value + 1),
            "elsewhere": attrs.evolve(claims.best, rank=claims.best.rank + 1),
            "none": None,
        }.items():
            own = attrs.evolve(claims, best=best)
            found[name] = failed(to_json(Certificate(FORM, own, list(_openings(reader, run, own, trees)))))
    assert set(found["higher"]) == set(found["elsewhere"]) == {"openings"}
    assert "The best is not recorded at rank" in found["higher"]["openings"]
    assert set(found["none"]) <= {"openings", "sample"}
    assert found["none"]

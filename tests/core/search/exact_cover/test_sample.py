"""Sampled partial covers: the covers that go on from each are recorded once, whenever it was searched."""

from __future__ import annotations

import pytest
from epcg_research.certificate import certify, check_certificate

from epcg_core.store import Store
from epcg_core.store.records import Sample
from tests.core.search.exact_cover.place import Tilings

HEIGHT = pytest.mark.parametrize("height", [4, pytest.param(6, marks=pytest.mark.slow)])


@HEIGHT
def test_a_sample_and_the_rest_are_all_covers(place: Tilings, height: int) -> None:
    whole = place.other("whole")
    goal = whole.tiled(width=4, height=height, depth=3).goal
    sampled = place.run(place.query(width=4, height=height, depth=3), sample=Sample(4)).goal
    assert sampled.evaluated == 4 < sampled.candidates
    assert place.failed() == {}
    assert 0 < len(place.solutions()) < len(whole.solutions())
    assert place.tile(width=4, height=height, depth=3).goal.digest == goal.digest
    assert place.solutions() == whole.solutions()
    assert place.failed() == {}


@HEIGHT
def test_their_certificate(place: Tilings, height: int) -> None:
    run = place.tiled(width=4, height=height, depth=3).goal
    with Store.open(place.database) as store:
        data = certify(store, run.id, sample=10)
        for where in (None, store):
            assert all(check.passed for check in check_certificate(data, where, sample=50))

"""Sampled partial covers: the covers that go on from each are recorded once, whenever it was searched."""

from __future__ import annotations

from pathlib import Path

from epcg_core.query.query import parse
from epcg_core.runs.coordinator import Options, execute
from epcg_core.store import Store
from epcg_core.store.records import Sample
from epcg_core.verification.certificate import certify, check_certificate
from tests.exact_cover.place import QUERY, Place


def test_a_sample_and_the_rest_are_all_covers(place: Place, tmp_path: Path) -> None:
    whole = Place(tmp_path / "whole.db")
    goal = whole.run(width=4, height=6, depth=3).goal
    text = QUERY.format(generator="partial", width=4, height=6, depth=3, record="covers", more="")
    with Store.open(place.database, write=True) as store:
        options = Options(executor="serial", quiet=True)
        sampled = execute(parse(text), store, options, Sample(5)).goal
    assert sampled.evaluated == 5 < sampled.candidates
    assert place.failed() == []
    assert 0 < len(place.solutions()) < len(whole.solutions())
    assert place.run(width=4, height=6, depth=3).goal.digest == goal.digest
    assert place.solutions() == whole.solutions()
    assert place.failed() == []


def test_their_certificate(place: Place) -> None:
    run = place.run(width=4, height=6, depth=3).goal
    with Store.open(place.database) as store:
        data = certify(store, run.id, sample=10)
        for where in (None, store):
            assert all(check.passed for check in check_certificate(data, where, 50))

"""Recorded covers are part of the record: no row is changed, lost or added without a check failing."""

from __future__ import annotations

import hashlib

import attrs
import numpy as np
import pytest
import sqlalchemy as sa
from epcg_research.certificate import certify, check_certificate, issue

from epcg_core.base.errors import CheckFailedError, EpcgError
from epcg_core.chunks.blocks import Block
from epcg_core.domain import Evaluation
from epcg_core.execution import Unit
from epcg_core.query.query import parse_query
from epcg_core.runs.coordinator import plan
from epcg_core.runs.worker import UnitSolver
from epcg_core.store import Store, schema
from epcg_core.store.records import Sample
from epcg_core.verification.verify import VerifyReport
from tests.core.search.exact_cover.place import QUERY, Tilings

MIDDLE = "run_id = 1 AND rank = 2 AND position = 0"
CHANGES = {
    "one changed": f"UPDATE solution SET actions = replace(actions, ', ', ',') WHERE {MIDDLE}",
    "one that is no text": f"UPDATE solution SET actions = CAST(x'ff00ff' AS TEXT) WHERE {MIDDLE}",
    "one at another rank": f"UPDATE solution SET rank = 3, position = 1000 WHERE {MIDDLE}",
    "two that changed places": "UPDATE solution SET actions = (SELECT actions FROM solution AS other WHERE "
    "other.run_id = 1 AND other.rank = 2 AND other.position = 1 - solution.position) "
    "WHERE run_id = 1 AND rank = 2 AND position < 2",
    "one deleted": f"DELETE FROM solution WHERE {MIDDLE}",
    "one added": "INSERT INTO solution VALUES (1, 2, 1000, '[0]')",
    "one added beyond the range": "INSERT INTO solution VALUES (1, 1000000, 0, '[0]')",
    "one added before the range": "INSERT INTO solution VALUES (1, -1, 0, '[0]')",
}


def recorded_before(place: Tilings, run: int = 1) -> None:
    """Make the run one of the days when digests covered chunks alone."""
    with Store.open(place.database, write=True) as store, store.transaction() as connection:
        table, chunk = schema.run, schema.score_chunk
        assert connection.scalar(sa.select(table.c.solutions).where(table.c.id == run)) == 1
        of_run = hashlib.sha256()
        chunks = connection.execute(
            sa.select(chunk.c.start, chunk.c.count, chunk.c.digest, schema.metric.c.name)
            .join(schema.metric, schema.metric.c.id == chunk.c.metric_id)
            .where(chunk.c.run_id == run)
            .order_by(schema.metric.c.name != "covers", schema.metric.c.name != "nodes", chunk.c.start)
        ).all()
        for start, count, digest, name in chunks:
            of_run.update(f"{name}\0{start}\0{count}\0".encode() + digest)
        for unit in connection.execute(sa.select(schema.unit).where(schema.unit.c.run_id == run)).all():
            of_unit = hashlib.sha256()
            for start, count, digest, _ in chunks:
                if (start, count) == (unit.start, unit._mapping["count"]):
                    of_unit.update(digest)
            connection.execute(
                sa.update(schema.unit)
                .where(schema.unit.c.run_id == run, schema.unit.c.start == unit.start)
                .values(digest=of_unit.digest())
            )
        connection.execute(sa.update(table).where(table.c.id == run).values(solutions=0))
        done = table.c.state == "done"
        connection.execute(sa.update(table).where(table.c.id == run, done).values(digest=of_run.hexdigest()))


@pytest.mark.sweep(3)
@pytest.mark.parametrize("change", CHANGES)
def test_no_row_changes_unnoticed(place: Tilings, change: str) -> None:
    place.tiled(depth=3)
    assert place.failed(sample=0) == {}
    place.change(CHANGES[change])
    failed = place.failed(sample=0)
    assert set(failed) == {"unit digests", "run digest"}
    assert failed["run digest"] == "The run's digest does not follow from its chunks and solutions."
    assert failed["unit digests"] == (
        "1 solutions are recorded of ranks that no unit covers."
        if "range" in change
        else "The unit of ranks 0 to 5 has another digest (of its chunks and solutions) than was recorded."
    )


def test_the_unit_at_fault_is_named(place: Tilings) -> None:
    place.cut(unit_size=2)
    place.tiled(depth=3)
    place.change(CHANGES["one deleted"])
    assert place.failed(sample=0)["unit digests"].startswith("The unit of ranks 2 to 3 has another")


def test_a_row_in_counts_alone_is_noticed(place: Tilings) -> None:
    place.tiled(record="counts")
    assert place.failed(sample=0) == {}
    place.change(CHANGES["one added"])
    assert len(place.failed(sample=0)) == 2


def test_a_sample_proves_its_covers(place: Tilings) -> None:
    place.run(place.query(width=4, height=6, depth=3), sample=Sample(5))
    assert place.failed(sample=0) == {}
    place.change("DELETE FROM solution WHERE rank = (SELECT max(rank) FROM solution)")
    assert list(place.failed(sample=0)) == ["unit digests"]


# --- runs of before --------------------------------------------------------------------------------------


def test_what_is_not_checked_of_an_older_run_is_said(place: Tilings) -> None:
    now = place.tiled(depth=3).goal.digest
    recorded_before(place)
    assert set(place.failed()) == {"solutions"}
    (sample,) = [check.detail for check in place.checks(sample=2) if check.name == "sample"]
    assert sample.endswith(
        "agree bit for bit, solutions included. The run is older than digests of solutions: that the other "
        f"ones of its {len(place.solutions())} are what was found is not checked."
    )
    with Store.open(place.database) as store, store.reader() as reader:
        assert reader.run(1).digest != now
    place.change(CHANGES["one deleted"])
    assert set(place.failed(sample=0)) == {"solutions"}
    assert set(place.failed()) == {"solutions", "sample"}


@pytest.mark.parametrize("height", [4, pytest.param(6, marks=pytest.mark.slow)])
def test_an_older_run_goes_on(place: Tilings, height: int) -> None:
    place.cut(unit_size=4)
    place.run(place.query(width=4, height=height, depth=3), sample=Sample(5))
    recorded_before(place)
    assert set(place.failed()) == {"solutions"}
    assert place.tile(width=4, height=height, depth=3).goal.done
    assert set(place.failed()) == {"solutions"}


# --- certificates ----------------------------------------------------------------------------------------


def test_a_certificate_covers_every_cover(place: Tilings) -> None:
    run = place.tiled(depth=3).goal
    with Store.open(place.database) as store:
        data = certify(store, run.id, sample=10)
    place.change(CHANGES["one changed"])
    with Store.open(place.database) as store:
        failed = {check.name: check.detail for check in check_certificate(data, store) if not check.passed}
        assert "other digest" in failed["database"] or "other values" in failed["database"]
        with pytest.raises(CheckFailedError, match="unit digests, run digest, sample"):
            certify(store, run.id)


def test_without_the_database_the_opened_covers_are_found_again(
    place: Tilings, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = place.tiled(depth=3).goal
    with Store.open(place.database) as store:
        honest = certify(store, run.id, sample=0)
    assert all(check.passed for check in check_certificate(honest, None))
    place.change(CHANGES["one changed"])
    monkeypatch.setattr(issue, "verify", lambda *_, **__: VerifyReport(run, (), 0))
    with Store.open(place.database) as store:
        forged = certify(store, run.id)
    failed = [(check.name, check.detail) for check in check_certificate(forged, None) if not check.passed]
    assert [name for name, _ in failed] == ["values"]
    assert failed[0][1].endswith("#2: the recorded solutions are not those computed again.")


def test_a_search_that_does_not_say_what_it_finds_is_refused(place: Tilings) -> None:
    _, spec = plan(parse_query(QUERY.format(
        generator="partial", width=4, height=4, depth=2, record="covers", more=""
    )))  # fmt: skip
    silent = attrs.evolve(spec, solutions=False)
    block = Block(0, 0, Evaluation([np.zeros(0, np.int64)] * 2), solutions=[(0, 0, "[]")])
    with pytest.raises(EpcgError, match=r"should have RunSpec.solutions"):
        UnitSolver(lambda start, count: block, silent, 64)(Unit(0, 0))

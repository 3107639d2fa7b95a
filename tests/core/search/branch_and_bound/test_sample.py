"""There is no sample of a search that prunes."""

from __future__ import annotations

import pytest

from epcg_core.base.errors import QueryError
from epcg_core.runs.coordinator import execute
from epcg_core.store import Store
from epcg_core.store.records import Sample
from tests.core.search.branch_and_bound.place import Sets


def test_a_search_that_prunes_is_not_sampled(place: Sets) -> None:
    with (
        Store.open(place.database, write=True) as store,
        pytest.raises(
            QueryError, match=r"^The search branch_and_bound takes no sample, .* leave --sample out\.$"
        ),
    ):
        execute(place.query(), store, None, Sample(5))
    assert place.sql("SELECT count(*) FROM run") == [(0,)]

"""Columns of candidates: read chunk by chunk, as if all values were there at once."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
from hypothesis import given, strategies as st

from epcg_core.curriculum.sources import Candidates, candidates_of
from epcg_core.store import Reader
from tests.core.test_selection import METRICS, Values, laws, recorded

NUMBERS = st.sampled_from([0, 1, -1, 200, -200, 70_000, 2**40])
VALUES = st.lists(st.none() | st.tuples(NUMBERS, st.floats(0, 1), st.booleans()), max_size=60)


def read(reader: Reader) -> Candidates:
    part: Any = type("All", (), {"rows": "all", "query": None, "columns": tuple(m.name for m in METRICS)})
    return candidates_of(part, reader, reader.run(1), "here")


@laws
@given(VALUES, st.booleans())
def test_columns_are_those_of_all_chunks_together(values: Values, filtered: bool) -> None:
    """Chunks store whole numbers as narrow as they can, so that the type shows only at the end."""
    gaps = itertools.cycle([True, False, True, True]) if filtered else itertools.repeat(True)
    mask: list[bool] = []
    while sum(mask) < len(values):
        mask.append(next(gaps))
    with recorded(values, mask if filtered else None) as reader:
        found = read(reader)
        assert found.ranks.tolist() == [rank for rank, there in enumerate(mask) if there]
        for position, metric in enumerate(METRICS):
            column = found.columns[metric.name]
            expected = [None if value is None else value[position] for value in values]
            assert [column.at(place) for place in range(len(values))] == expected
            parts = [part for _, part in reader.values(1, metric.name)]
            kinds = np.concatenate(parts).dtype if parts else np.dtype(float)
            assert column.values.dtype == kinds

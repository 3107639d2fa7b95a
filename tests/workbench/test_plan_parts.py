"""Values on the cards of chapters."""

from __future__ import annotations

import pytest
from epcg_workbench.plan_parts import short_text

from epcg_core.plugin import EvaluatorInfo, registry

METRICS = {
    (info.domain, metric.name): metric for info in registry().all(EvaluatorInfo) for metric in info.metrics
}


@pytest.mark.parametrize("number", [0, 1, 12, 1234, -3, 0.5, 3.1699250014423126, 2 / 3, 12345.678])
def test_the_values_of_every_measure_are_told_with_the_number_first(number: float) -> None:
    assert METRICS
    for (domain, name), metric in METRICS.items():
        if metric.kind not in ("int", "float") or (metric.kind == "int") != isinstance(number, int):
            continue
        told = short_text(domain, name, number)
        assert told.strip()
        if metric.sentence and not metric.words:  # words, such as kinds of steps, are not numbers
            assert told[0] in "-0123456789", (domain, name, told)
            assert not told.replace(",", "").replace(".", "").isdigit(), (domain, name, told)


def test_a_measure_that_nobody_knows_is_told_by_its_name() -> None:
    assert short_text("tangram", "no_such_measure", 2) == "2 no such measure"

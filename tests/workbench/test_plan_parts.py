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
        if "|" in metric.sentence and number == 0:
            assert told == metric.sentence.partition("|")[2].partition(": ")[0]
        elif metric.sentence and not metric.words:  # words, such as kinds of steps, are not numbers
            assert told[0] in "-0123456789", (domain, name, told)
            assert not told.replace(",", "").replace(".", "").isdigit(), (domain, name, told)


def test_what_explains_a_value_does_not_stand_on_its_card() -> None:
    pytest.importorskip("epcg_tangram")
    assert short_text("tangram", "muse", 0.0) == "nothing to choose"
    assert short_text("tangram", "muse", 2.0) == "2 bits of choice"


def test_a_measure_that_nobody_knows_is_told_by_its_name() -> None:
    assert short_text("tangram", "no_such_measure", 2) == "2 no such measure"


def test_no_measure_speaks_of_searches_or_of_no_bits() -> None:
    """A friend's page said "Expansions 2,788" and "0 bits of choice"."""
    for (domain, name), metric in METRICS.items():
        zero = False if metric.kind == "bool" else 0
        for told in (metric.heading, metric.told(zero)):
            assert "expansion" not in told.lower(), (domain, name, told)
            assert "entropy states" not in told.lower(), (domain, name, told)
            assert not told.startswith("0 bits of choice"), (domain, name, told)

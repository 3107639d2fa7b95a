"""An evaluator that does not fit a generator says which one fits."""

from __future__ import annotations

import pytest

from epcg_core import score


@pytest.mark.parametrize("generator", ["boards", "sets", "solved_boards", "shapes"])
def test_what_is_not_an_instance_is_not_measured_as_one(generator: str) -> None:
    found = score(f"tangram:{generator}#0").json()
    assert "Error" not in str(found["measures"])
    for name in ("entropy", "instance", "leave_one_out", "rule_differentials", "adversarial"):
        assert "choose the generator instances" in found["left_out"][name]

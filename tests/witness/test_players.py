"""A player who knows the rules of The Witness: as a model, and as the measures have it."""

from __future__ import annotations

from math import inf
from typing import Any

import pytest
from epcg_research.players.models import Rules, Uniform, made_rules
from epcg_research.players.policy import PlayerPolicy

from epcg_core.difficulty import Inference, StateSpace, msi, tsi
from epcg_core.plugins.registry import registry
from epcg_core.query.spec import make_generator
from epcg_core.store.find import named

SPACE = 'witness:placements?groups=[{"symbols":["dot"],"count":2,"where":"edges"}]'
RULES = ("along-the-path", "path", "reach-goal")


@pytest.mark.parametrize(
    "rank", [5, *(pytest.param(rank, marks=pytest.mark.slow) for rank in (17, 100, 200))]
)
def test_a_rule_model_without_slips_is_the_player_with_the_rules(rank: int) -> None:
    """What the rules exclude has no solution, so that it adds nothing; -log2(1/3) is rounded otherwise."""
    space, _ = named(f"{SPACE}#{rank}", None, "")
    generator: Any = make_generator(registry(), space)
    rules = made_rules(generator, "witness", RULES, {})
    model, content = generator.transition_model, generator.unrank(rank)
    player = PlayerPolicy(Rules(RULES, {}, 0.0, Inference(rules)), generator)
    alike = PlayerPolicy(Uniform(), generator)
    for measure in (msi, tsi):
        with_rules = measure(StateSpace(model, content, rules))
        assert with_rules.value < inf
        assert measure(StateSpace(model, content), player).value == pytest.approx(with_rules.value, abs=1e-12)
        plain = measure(StateSpace(model, content))
        assert with_rules.value < plain.value
        assert measure(StateSpace(model, content), alike).value == pytest.approx(plain.value, abs=1e-12)

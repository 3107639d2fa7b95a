"""Levels that are explored in packed form for all readers are as plain play has them."""

from __future__ import annotations

import pytest
from epcg_snakebird.rules.model import SnakebirdModel
from epcg_snakebird.rules.variants import GAME, PAPER, Rules

from epcg_core.domain import explored as exploring
from epcg_core.domain.explored import Explored
from epcg_core.inside import editing

TITLES = sorted(editing.examples("snakebird"))


@pytest.mark.parametrize("rules", [GAME, PAPER], ids=["game", "paper"])
@pytest.mark.parametrize(
    "title", [*TITLES[:3], *(pytest.param(each, marks=pytest.mark.slow) for each in TITLES[3:])]
)
def test_levels_are_explored_as_they_are_played(
    title: str, rules: Rules, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(exploring, "PLAINLY", 2)
    level = editing.open_document("snakebird", editing.examples("snakebird")[title]).editor.content
    plain, play = SnakebirdModel(rules), Explored(SnakebirdModel(rules), level)
    start = plain.initial(level)
    met, queue = {plain.key(start)}, [(start, play.initial(level))]
    for here, other in queue:
        assert other == here
        assert play.is_goal(other) == plain.is_goal(here)
        if plain.is_goal(here):
            continue
        moves = list(plain.actions(here))
        assert list(play.actions(other)) == moves
        for move in moves:
            after = plain.apply(here, move)
            if plain.key(after) not in met and len(met) < 150:
                met.add(plain.key(after))
                queue.append((after, play.apply(other, move)))
    assert len(queue) > 20

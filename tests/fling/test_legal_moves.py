"""The evaluator `legal_moves`: its two forms agree, and count what the rules say."""

from __future__ import annotations

import numpy as np
from epcg_fling.evaluation.moves import LegalMoves
from epcg_fling.generators.boards import Boards
from epcg_fling.params import BoardsParams
from hypothesis import given, settings, strategies as st

from epcg_core.domain import NoParams
from tests.sweeps import most


@settings(max_examples=most(30))
@given(st.integers(1, 7), st.integers(1, 8), st.integers(1, 6), st.randoms(use_true_random=False))
def test_the_array_form_agrees_with_the_rules(width: int, height: int, pieces: int, random: object) -> None:
    space = Boards(BoardsParams(width=width, height=height, pieces=min(pieces, width * height)))
    ranks = sorted({random.randrange(space.max_rank) for _ in range(20)})  # type: ignore[attr-defined]
    part = LegalMoves(NoParams(), space)
    found = part.evaluate_states(space.states_at(np.array(ranks, np.int64)))
    assert found.values[0].tolist() == [part.evaluate(space.unrank(rank))[0] for rank in ranks]
    assert not found.status.any()


def test_moves_of_boards_drawn_by_hand() -> None:
    space = Boards(BoardsParams(width=4, height=1, pieces=2))
    moves = [
        LegalMoves(NoParams(), space).evaluate(space.parse(text))[0] for text in ("oo..", "o.o.", "o..o")
    ]
    assert moves == [0, 2, 2]

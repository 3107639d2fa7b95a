"""The transition model of Fling!."""

from __future__ import annotations

import attrs

from epcg_fling.rules.moves import BoardShape, Move, fling, legal_moves


@attrs.frozen
class FlingModel:
    """The rules of Fling! as a `TransitionModel` of `epcg_core.domain`."""

    domain_attributes = ("shape",)

    shape: BoardShape

    def initial(self, content: int) -> int:
        return content

    def actions(self, state: int) -> list[Move]:
        return legal_moves(self.shape, state)

    def apply(self, state: int, action: Move) -> int:
        return fling(self.shape, state, action)

    def is_goal(self, state: int) -> bool:
        return state.bit_count() == 1

    def key(self, state: int) -> int:
        return state

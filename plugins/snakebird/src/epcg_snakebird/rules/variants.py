"""Variants of the rules, where the game leaves them open. Light, because params name them."""

from __future__ import annotations

from typing import Literal

import attrs

OwnTail = Literal["stays", "leaves"]
STAYS: OwnTail = "stays"
LEAVES: OwnTail = "leaves"


@attrs.frozen
class Rules:
    """A variant of the rules; without arguments those of the paper's program."""

    objects_may_fall_out: bool = False
    """Whether an object that falls out of the world is gone; otherwise that counts as a death."""
    own_tail: OwnTail = STAYS
    """The state of a snake's own tail when it pushes others into the tail's cell.

    'stays': the tail is still there, and the move is illegal. 'leaves': the tail has left its cell, which is
    free for what is pushed, unless the snake eats and grows in the same move.
    """


PAPER = Rules()
"""The rules of the incremental design study, with which its numbers are made."""
GAME = Rules(own_tail=LEAVES)
"""The rules of the game, with which opened levels are played and analysed."""

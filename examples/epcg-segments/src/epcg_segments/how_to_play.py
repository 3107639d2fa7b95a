"""Tell players of levels the rules: the page "How to play" of booklets."""

from __future__ import annotations

from collections.abc import Sequence

from epcg_core.plugin import Instruction
from epcg_segments.rules import ENEMY, PLATFORM, Level


def how_to_play(states: Sequence[Level]) -> list[Instruction]:
    """Explain what occurs in some levels."""
    found = [
        Instruction(
            "You run to the right, one column a step, and cannot stop. On the ground you may jump. Reach the "
            "last column, and stand there."
        ),
        Instruction(
            "A jump rises two cells, then one, and falls after another step. On level ground it ends five "
            "columns further. You cannot steer in the air. A gap of one column needs no jump."
        ),
    ]
    signs = {sign for level in states for row in level for sign in row}
    if PLATFORM in signs:
        found.append(Instruction("You pass platforms from below and from the side, and stand on them."))
    if ENEMY in signs:
        found.append(Instruction("Enemies stay where they are. Touch none."))
    return found

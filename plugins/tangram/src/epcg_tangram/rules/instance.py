"""A puzzle instance: a board with some pieces of a solution on it. Light: no numba is imported."""

from __future__ import annotations

from functools import cached_property

import attrs

from epcg_tangram.params import GameParams, GameRef
from epcg_tangram.rules.boards import Board
from epcg_tangram.rules.games import Constraint, Game, game


@attrs.frozen
class Instance:
    """A puzzle: pieces that lie on the board already."""

    rules: GameParams
    """The game that it is played in (see `epcg_tangram.rules.games.game`)."""
    shown: tuple[int, ...]
    """The placements that are given, ascending."""
    excluded: tuple[int, ...] = ()
    """The pieces, by their numbers, that may not be used."""
    board: tuple[int, ...] = ()
    """The placements of the solved board from which it was made, ascending; empty if there is none."""

    @cached_property
    def ref(self) -> GameRef:
        """The game alone, without its constraint."""
        return self.rules.ref

    @cached_property
    def game(self) -> Game:
        return game(self.rules)

    @property
    def constraint(self) -> Constraint:
        """The condition on a solution besides covering the board."""
        return self.game.constraint

    @property
    def given(self) -> Board:
        """The board with the pieces that are shown."""
        return Board(self.ref, self.shown)

    @property
    def solution(self) -> Board:
        """The solved board."""
        return Board(self.ref, self.board)

    @property
    def hidden(self) -> tuple[int, ...]:
        """The placements of the solved board that are not shown, ascending."""
        return tuple(n for n in self.board if n not in self.shown)

    @cached_property
    def copies(self) -> tuple[int, ...]:
        """The copies of each piece that are left to place."""
        left = [0 if piece in self.excluded else most for piece, most in enumerate(self.game.most)]
        for number in self.shown:
            left[self.game.pieces[number]] -= 1
        return tuple(left)

    def completions(self) -> list[tuple[int, ...]]:
        """Return the placements of every solution that completes the instance, each ascending."""
        rows = self.game.covers[self.game.completing(self.shown, self.excluded)].tolist()
        return [tuple(n for n in row if n >= 0) for row in rows]

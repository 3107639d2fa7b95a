"""The transition model of an instance: states are partial placements, an action places one piece.

Decisions where the paper leaves a choice:

- An action is the number of a legal placement: of a piece that is left, on empty cells, meeting the bumps and
  breaking no colour constraint with a piece that lies. Copies of a piece are not told apart.
- A player weighs the placements of the piece that has fewest (`branching = "piece"`), those that cover the
  cell that has fewest ("cell"), or all ("all"). A piece without a placement is a dead end; with "cell", so is
  an empty cell that no placement covers.
- Ties: of several pieces, or cells, that have equally few, the player weighs the placements of all, so a
  puzzle is as hard as its images, and as with its pieces in another order. If they have one placement each,
  the lowest is placed: all of these must lie in the end, so their order changes no measure (only how many
  states are walked through until a dead end shows). Of the cells that one piece alone can cover, those that
  have fewest placements decide by rule 2; with `branching = "piece"` a piece that has one placement goes
  before it, whether the player knows rule 1 or not. With `ties = "lowest"` the lowest piece of the game, or
  the lowest cell, decides alone, which depends on how they are numbered. The paper says nothing of ties; our
  numbers for its hexagon are those of the lowest.
- The rules 1 and 2 look at all legal placements and are asked first; if one decides, the player weighs
  what it leaves. The rules 3 and 4 drop actions before the player chooses the piece or cell, and before
  actions are counted. `order` changes that: rules 3 and 4 before rules 1 and 2, which then look at what is
  left; or the piece or cell chosen among the legal placements, before rules 3 and 4 drop any.
- Rule 3 looks at each region by itself: one copy left of a piece may make the sizes of several regions
  possible.
- So rule 1 alone changes nothing with `branching = "piece"`: a piece with one placement has fewest anyway.
- If it is not known which pieces stay in the box, not every piece must be placed: then a piece can neither be
  forced by having one placement nor be chosen for having fewest, so `branching` is "cell" or "all".
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property, lru_cache
from itertools import chain

import attrs

from epcg_core.plugin import CandidateError, ParamsError, Stage
from epcg_tangram.design.layout import Layout
from epcg_tangram.params import Branching, Order, Ties
from epcg_tangram.rules.boards import piece_text
from epcg_tangram.rules.instance import Instance


@attrs.frozen
class Position:
    """A state of play: the pieces that the player has placed."""

    instance: Instance = attrs.field(repr=False)
    placed: frozenset[int] = frozenset()
    """Numbers of placements."""
    _last: dict[int, Position] = attrs.field(init=False, factory=dict, repr=False, eq=False)
    """The action that `after` was last asked about, and its state: rules ask about the same one in turn."""

    @cached_property
    def lying(self) -> tuple[int, ...]:
        """The placements on the board, those shown among them."""
        return (*self.instance.shown, *sorted(self.placed))

    @cached_property
    def empty(self) -> frozenset[int]:
        """The cells that are not covered."""
        board = self.instance.game.setting
        covered = {cell for number in self.lying for cell in board.placements[number].cells}
        return frozenset(range(board.cells)) - covered

    @cached_property
    def copies(self) -> tuple[int, ...]:
        """The copies of each piece that are left to place."""
        pieces = self.instance.game.pieces
        placed = Counter(pieces[number] for number in self.placed)
        return tuple(left - placed[piece] for piece, left in enumerate(self.instance.copies))

    @cached_property
    def legal(self) -> tuple[int, ...]:
        """All legal placements, ascending."""
        game, copies = self.instance.game, self.copies
        covered = sum(game.masks[number] for number in self.lying)
        placements = zip(game.masks, game.pieces, game.legal.tolist(), strict=True)
        lying = list(self.lying)
        return tuple(
            number
            for number, (mask, piece, legal) in enumerate(placements)
            if not mask & covered
            and copies[piece] > 0
            and legal
            and not (game.clashes.size and game.clashes[number, lying].any())
        )

    @cached_property
    def regions(self) -> tuple[frozenset[int], ...]:
        """The connected parts of the empty cells, by their lowest cell."""
        return _regions(self.empty, self.instance.game.setting.neighbours)

    @property
    def all_must_be_placed(self) -> bool:
        """Whether the pieces left cover no more than the cells that are to be covered."""
        definition = self.instance.game.setting.definition
        area = sum(copies * kind.size for copies, kind in zip(self.copies, definition.pieces, strict=True))
        return area <= len(self.empty) - definition.most_empty

    @property
    def may_leave_cells(self) -> bool:
        """Whether cells may stay empty in the end."""
        return bool(self.instance.game.setting.definition.most_empty)

    def after(self, action: int) -> Position:
        """Return the state that an action leads to."""
        if action not in self._last:
            self._last.clear()
            self._last[action] = Position(self.instance, self.placed | {action})
        return self._last[action]

    def piece(self, action: int) -> int:
        """Return the number of the piece that an action places."""
        return self.instance.game.pieces[action]


@lru_cache(maxsize=4096)
def _regions(cells: frozenset[int], neighbours: tuple[tuple[int, ...], ...]) -> tuple[frozenset[int], ...]:
    """Return the connected parts of cells, once for many players who come to them."""
    left, found = set(cells), []
    for cell in sorted(cells):
        if cell in left:
            left.remove(cell)
            region, front = {cell}, [cell]
            while front:
                for other in neighbours[front.pop()]:
                    if other in left:
                        left.remove(other)
                        region.add(other)
                        front.append(other)
            found.append(frozenset(region))
    return tuple(found)


class BranchingError(ParamsError, CandidateError):
    """A player who weighs actions in this way cannot play the instance."""


class TangramModel:
    """The transition model of instances, and which actions a player weighs (see the module)."""

    domain_attributes = ("branching", "layout", "measures", "ties")

    def __init__(
        self,
        layout: Layout,
        branching: Branching = "piece",
        order: Order = "filters, answers, choice",
        measures: bool = True,
        ties: Ties = "all",
        way: frozenset[int] | None = None,
    ) -> None:
        """Make the model of a player; one who only plays, and is not measured, may leave pieces out.

        Args:
            layout: the board.
            branching: the actions that the player weighs.
            order: the order in which rules and the choice narrow the actions.
            measures: whether the player is measured.
            ties: whose actions, if several pieces or cells have fewest.
            way: placements; a player who has placed another one has come to a dead end. None for any.
        """
        self.layout = layout
        self.branching = branching
        self.measures = measures
        self.ties = ties
        self._way = way
        self.stages: tuple[Stage, ...] = tuple(order.split(", "))  # type: ignore[arg-type]

    def initial(self, instance: Instance) -> Position:
        """Return the empty board. Raises BranchingError if the branching is not defined for the instance."""
        position = Position(instance)
        if not self.measures:
            return position
        if self.layout.definition.most_empty:
            number = self.layout.definition.empty
            raise BranchingError(
                "Difficulty is measured of games in which every cell is covered in the end; this one leaves "
                f"{'some' if number is None else number} empty."
            )
        if self.branching == "piece" and not position.all_must_be_placed:
            raise BranchingError(
                'branching: "piece" needs every piece to be placed, and here one may be left out; use "cell" '
                'or "all", or instances whose excluded piece is known.'
            )
        return position

    def actions(self, state: Position) -> Iterator[int]:
        """Yield all legal placements; none if a piece that must be placed has none."""
        if self._way is not None and not state.placed <= self._way:
            return
        if not state.all_must_be_placed or _all_pieces(state, state.legal):
            yield from state.legal

    def choose(self, state: Position, actions: Sequence[int]) -> Sequence[int]:
        """Return the placements of the pieces, or cells, that have fewest."""
        if state.all_must_be_placed and not _all_pieces(state, actions):
            return ()
        branching = self.branching
        if not self.measures and not state.all_must_be_placed:
            branching = "all" if self.layout.definition.most_empty else "cell"
        if branching == "all" or not actions:
            return actions
        if branching == "piece":
            return fewest(placements_by_piece(state, actions), self.ties)
        covering = placements_by_cell(state, actions)
        return fewest({cell: covering.get(cell, []) for cell in state.empty}, self.ties)

    def apply(self, state: Position, action: int) -> Position:
        return state.after(action)

    def action_text(self, action: int) -> str:
        """Write the piece and its cells, as solutions name it."""
        return piece_text(self.layout, action)

    def is_goal(self, state: Position) -> bool:
        """Return whether the board is covered and the constraint satisfied."""
        covered = self.layout.definition.may_stay_empty(state.empty)
        return covered and state.instance.game.satisfied(state.lying)

    def key(self, state: Position) -> frozenset[int]:
        return state.placed


def _all_pieces(state: Position, actions: Sequence[int]) -> bool:
    """Return whether every piece that is left is among the actions."""
    return {piece for piece, left in enumerate(state.copies) if left > 0} <= set(map(state.piece, actions))


def fewest(groups: Mapping[int, Sequence[int]], ties: Ties) -> Sequence[int]:
    """Return the actions of the groups that have fewest, by number; of the lowest if they have one each."""
    least = min(map(len, groups.values()))
    tied = [groups[number] for number in sorted(groups) if len(groups[number]) == least]
    return tied[0] if ties == "lowest" or least <= 1 else sorted({*chain.from_iterable(tied)})


def placements_by_piece(state: Position, actions: Sequence[int]) -> dict[int, list[int]]:
    """Return the actions that place each piece."""
    found: dict[int, list[int]] = {}
    for action in actions:
        found.setdefault(state.piece(action), []).append(action)
    return found


def placements_by_cell(state: Position, actions: Sequence[int]) -> dict[int, list[int]]:
    """Return the actions that cover each cell."""
    placements = state.instance.game.setting.placements
    found: dict[int, list[int]] = {}
    for action in actions:
        for cell in placements[action].cells:
            found.setdefault(cell, []).append(action)
    return found

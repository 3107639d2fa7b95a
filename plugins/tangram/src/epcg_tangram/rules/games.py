"""A game: a board and its pieces, with the constraint in force, and everything that solves it.

A constraint rules placements out (bumps on the back), or pairs of placements (colours). Both are final as
soon as the pieces lie, so a placement that breaks it is not legal.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from functools import cache, cached_property
from typing import TYPE_CHECKING

import attrs

from epcg_core.plugin import ParamsError
from epcg_tangram.design.layout import Layout
from epcg_tangram.params import BoardsParams, BumpParams, GameParams
from epcg_tangram.rules.boards import Board
from epcg_tangram.rules.covers import Covers, ranges

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from epcg_tangram.rules.adjacency import Relation
    from epcg_tangram.rules.bumps import BumpPattern


@attrs.frozen
class Constraint:
    """The condition on a solution besides covering the board."""

    relation: Relation | None = None
    """The relation of all pairs of pieces of `colours`."""
    colours: tuple[int, ...] = ()
    """One colour of the game, by its number, or two different ones, ascending."""
    bumps: BumpPattern | None = None
    """The pieces lie on the back of the board, with these holes."""

    def concerns(self, one: int, other: int) -> bool:
        """Return whether pieces of two colours, by their numbers, are a pair of the constraint."""
        return self.relation is not None and sorted((one, other)) == [self.colours[0], self.colours[-1]]


@cache
def _solved_boards(params: BoardsParams) -> Covers:
    return Covers(params)


@cache
def _in_every_orientation(params: BoardsParams) -> NDArray[np.int32]:
    """Return the solved boards turned and mirrored, without a constraint: (n, pieces), as `Game.covers`."""
    import numpy as np

    from epcg_core.plugin import read_only

    boards = _solved_boards(params)
    images = np.array(boards.cover_problem.images, np.int32)
    turned = images[:, boards.covers]
    last = images.shape[1]
    turned[:, boards.covers < 0] = last
    rows = np.unique(np.sort(turned, axis=2).reshape(-1, boards.covers.shape[1]), axis=0)
    rows[rows == last] = -1
    return read_only(rows)


class Game:
    """The set-up that a player plays with; made once per params (see `game`)."""

    def __init__(self, params: GameParams) -> None:
        self.params = params
        self.constraint = _constraint(params)
        own = {name: getattr(params, name) for name in attrs.fields_dict(BoardsParams)}
        # Puzzles are counted modulo symmetries, but every orientation of a solution counts.
        self._boards = _solved_boards(BoardsParams(**{**own, "boards": "distinct"}))
        self.most = self._boards.cover_problem.most

    @cached_property
    def setting(self) -> Layout:
        """The board without pieces."""
        return self._boards.setting

    @cached_property
    def pieces(self) -> tuple[int, ...]:
        """The piece of each placement."""
        return tuple(placement.piece for placement in self.setting.placements)

    @cached_property
    def masks(self) -> tuple[int, ...]:
        """The cells of each placement as bits."""
        return tuple(sum(1 << cell for cell in placement.cells) for placement in self.setting.placements)

    @property
    def images(self) -> tuple[tuple[int, ...], ...]:
        """The number of each placement's image, under each symmetry of the board."""
        return tuple(tuple(image) for image in self._boards.cover_problem.images)

    @cached_property
    def legal(self) -> NDArray[np.bool_]:
        """(placements,): which meet the bumps; all on the front of the board."""
        import numpy as np

        bumps = self.constraint.bumps
        placements = self.setting.placements
        if bumps is None:
            return np.ones(len(placements), np.bool_)
        from epcg_tangram.rules.bumps import is_legal

        game = self.params.ref
        return np.array([is_legal(Board(game, (n,)), bumps) for n in range(len(placements))], np.bool_)

    @cached_property
    def clashes(self) -> NDArray[np.bool_]:
        """(placements, placements): which pairs break the colour constraint; (0, 0) if there is none."""
        import numpy as np

        from epcg_core.plugin import read_only
        from epcg_tangram.rules.adjacency import shared_table

        relation = self.constraint.relation
        if relation is None:
            return read_only(np.zeros((0, 0), np.bool_))
        broken = ~np.isin(shared_table(self.setting), relation.shared)
        return read_only(broken & self._concerned)

    @cached_property
    def _concerned(self) -> NDArray[np.bool_]:
        """(placements, placements): whose pieces the colour constraint concerns."""
        import numpy as np

        kinds = self.setting.definition.colour_numbers
        pairs = np.array([[self.constraint.concerns(one, other) for other in kinds] for one in kinds])
        pieces = np.array(self.pieces, np.int64)
        found: NDArray[np.bool_] = pairs[pieces[:, None], pieces[None, :]]
        return found

    def satisfied(self, placements: tuple[int, ...]) -> bool:
        """Return whether pieces that cover the board satisfy the constraint, by some pair of the colours.

        As many of them must be used as the game says.
        """
        if not all(self.legal[n] for n in placements):
            return False
        used = Counter(self.pieces[n] for n in placements)
        if any(used[piece] < least for piece, least in enumerate(self._boards.cover_problem.least)):
            return False
        unused = self.setting.definition.unused
        if unused and sum(self.most) - len(placements) > unused:
            return False
        if self.constraint.relation is None:
            return True
        pairs = [(a, b) for i, a in enumerate(placements) for b in placements[:i] if self._concerned[a, b]]
        return bool(pairs) and not any(self.clashes[a, b] for a, b in pairs)

    @cached_property
    def covers(self) -> NDArray[np.int32]:
        """The solutions in every orientation, in lexicographic order: (n, pieces) int32.

        Each is ascending, with -1 behind its last placement.
        """
        import numpy as np

        from epcg_core.plugin import read_only

        rows = _in_every_orientation(self._boards.params)
        legal = np.append(self.legal, True)[rows].all(axis=1)
        rows = rows[legal]
        if self.constraint.relation is not None:
            rows = rows[self._coloured(rows)]
        return read_only(rows)

    def _coloured(self, rows: NDArray[np.int32]) -> NDArray[np.bool_]:
        """Return which covers satisfy the colour constraint: (n,)."""
        import numpy as np

        paired = np.zeros(len(rows), np.bool_)
        broken = np.zeros(len(rows), np.bool_)
        for one in range(rows.shape[1]):
            for other in range(one):
                a, b = rows[:, one], rows[:, other]
                there = (a >= 0) & (b >= 0)
                paired |= there & self._concerned[a, b]
                broken |= there & self.clashes[a, b]
        return paired & ~broken

    @cached_property
    def distinct(self) -> NDArray[np.int32]:
        """(n, pieces): of the solutions that a symmetry of the game makes equal the first, in order.

        On the front these are the solved boards; on the back only those turns count that keep the bumps.
        """
        import numpy as np

        from epcg_core.plugin import read_only

        if self.params.boards == "all":
            return self.covers
        rows = self._padded(self.covers)
        first = np.ones(len(rows), np.bool_)
        every = np.arange(len(rows))
        for image in self._own_images:
            turned = np.sort(image[rows], axis=1)
            differs = turned != rows
            at = np.argmax(differs, axis=1)
            first &= ~differs.any(axis=1) | (turned[every, at] > rows[every, at])
        return read_only(self.covers[first])

    @cached_property
    def _own_images(self) -> NDArray[np.int32]:
        """(symmetries, placements + 1): the image of each placement, and of none, under those of the game."""
        import numpy as np

        problem = self._boards.cover_problem
        kept = list(range(len(problem.group)))
        if self.constraint.bumps is not None:
            kept = self._turns()  # which exchange no pieces
        elif self.constraint.relation is not None:
            kept = self._keeping_colours()
        if self.params.boards == "turned":
            own = self.setting.symmetries_for("turned", ranges(self.params))
            turns = {(*each.cells, *each.pieces) for each in own}
            kept = [number for number in kept if problem.group[number] in turns]
        images = np.array(problem.images, np.int32)[kept]
        return np.concatenate([images, np.full((len(images), 1), images.shape[1], np.int32)], axis=1)

    def _padded(self, rows: NDArray[np.int32]) -> NDArray[np.int32]:
        """Return boards with the number after the last placement instead of -1, so that they ascend."""
        import numpy as np

        found: NDArray[np.int32] = np.where(rows < 0, len(self.pieces), rows)
        return found

    @cached_property
    def stabilisers(self) -> dict[int, tuple[tuple[int, ...], ...]]:
        """The symmetries that keep boards of `distinct`, by their numbers: where each moves the positions.

        Boards that only the identity keeps are left out; all are if every orientation counts.
        """
        import numpy as np

        if self.params.boards == "all":
            return {}
        rows = self._padded(self.distinct)
        found: dict[int, set[tuple[int, ...]]] = {}
        for image in self._own_images:
            turned = image[rows]
            for number in np.flatnonzero((np.sort(turned, axis=1) == rows).all(axis=1)).tolist():
                own = np.searchsorted(rows[number], turned[number][self.distinct[number] >= 0])
                found.setdefault(number, set()).add(tuple(own.tolist()))
        return {number: tuple(sorted(own)) for number, own in found.items() if len(own) > 1}

    @cached_property
    def distinct_numbers(self) -> NDArray[np.int64]:
        """(n,): the rank of each of `distinct` among the solved boards, which count modulo all symmetries."""
        from epcg_core.plugin import read_only

        return read_only(self.numbers([[n for n in row if n >= 0] for row in self.distinct.tolist()]))

    def numbers(self, boards: Sequence[Sequence[int]]) -> NDArray[np.int64]:
        """Return the ranks of boards, turned or not, among the solved boards: (n,)."""
        import numpy as np

        game = self.params.ref
        found = [self._boards.rank(Board(game, tuple(placements))) for placements in boards]
        return np.array(found, np.int64)

    def _turns(self) -> list[int]:
        """Return which symmetries of the board keep its bumps, and which side of a piece lies on them."""
        wanted = turns_with_bumps(self.setting)
        group = self._boards.cover_problem.group
        return [i for i, own in enumerate(group) if own[: self.setting.cells] in wanted]

    def _keeping_colours(self) -> list[int]:
        """Return which symmetries exchange no piece for one of another colour."""
        colours = [kind.colour for kind in self.setting.definition.pieces]
        group, cells = self._boards.cover_problem.group, self.setting.cells
        return [i for i, own in enumerate(group) if [colours[piece] for piece in own[cells:]] == colours]

    @cached_property
    def bits(self) -> NDArray[np.uint64]:
        """(placements, words): which of `covers` have each placement, 64 of them a word."""
        import numpy as np

        from epcg_core.plugin import read_only

        words = max(1, (len(self.covers) + 63) // 64)
        has = np.zeros((len(self.pieces), words * 64), np.bool_)
        for column in self.covers.T:
            there = np.flatnonzero(column >= 0)
            has[column[there], there] = True
        return read_only(np.packbits(has, axis=1, bitorder="little").view(np.uint64))

    def without(self, excluded: tuple[int, ...]) -> NDArray[np.uint64]:
        """Return which of `covers` do not use the pieces `excluded`: (words,)."""
        import numpy as np

        own = np.zeros(self.bits.shape[1] * 64, np.bool_)
        own[: len(self.covers)] = True
        found = np.packbits(own, bitorder="little").view(np.uint64)
        for piece in excluded:
            found &= ~np.bitwise_or.reduce(self.bits[np.array(self.pieces) == piece], axis=0)
        return found

    def completing(self, shown: tuple[int, ...], excluded: tuple[int, ...]) -> NDArray[np.int64]:
        """Return the numbers of the `covers` that have all of `shown` and none of the pieces `excluded`."""
        import numpy as np

        found = self.without(excluded)
        for number in shown:
            found &= self.bits[number]
        return np.flatnonzero(np.unpackbits(found.view(np.uint8), bitorder="little"))


@cache
def game(params: GameParams) -> Game:
    """Return the game of some params, made once in a process. Raises ParamsError."""
    return Game(params)


def turns_with_bumps(layout: Layout) -> set[tuple[int, ...]]:
    """Return the symmetries of a board that turn nothing over and keep its bumps, as images of the cells."""
    back = layout.definition.back
    assert back is not None
    return {
        own.cells
        for own in layout.symmetries
        if not layout.lattice.is_mirrored(own.number)
        and all(
            (kind == back.bumps) == (layout.kinds[own.cells[c]] == back.bumps)
            for c, kind in enumerate(layout.kinds)
        )
    }


def _constraint(params: GameParams) -> Constraint:
    from epcg_tangram.rules.adjacency import RELATIONS
    from epcg_tangram.rules.bumps import Patterns

    definition = params.definition
    relation = next((r for r in RELATIONS if r.name == params.relation), None)
    colours = tuple(sorted(set(params.colours)))
    if relation is None and params.colours:
        raise ParamsError("colours: a constraint needs a relation too; set one, or leave the colours out.")
    known = max(colours, default=0) < len(definition.colours)
    if relation is not None and not (
        known and 1 <= len(colours) <= 2 and len(colours) == len(params.colours)
    ):
        by_colour: list[list[str]] = [[] for _ in definition.colours]
        for kind, colour in zip(definition.pieces, definition.colour_numbers, strict=True):
            by_colour[colour].append(kind.name)
        listed = "; ".join(f"{i} {', '.join(names)}" for i, names in enumerate(by_colour))
        raise ParamsError(f"colours: name one colour or two different ones of {listed}.")
    bumps = None
    if params.bumps is not None:
        patterns = Patterns(BumpParams(**attrs.asdict(params.ref), group_one=params.group_one))
        if params.bumps >= patterns.max_rank:
            raise ParamsError(
                f"bumps: there are {patterns.max_rank:,} patterns, so {params.bumps} is not the rank of one."
            )
        bumps = patterns.unrank(params.bumps)
    return Constraint(relation, colours, bumps)

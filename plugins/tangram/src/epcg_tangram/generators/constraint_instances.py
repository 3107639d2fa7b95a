"""Puzzle instances of a type of constraint, under every choice of colours: what a chapter chooses from.

The types are none, four relations that all pairs of one colour must satisfy, and any of those relations
between two different colours. A board with colours is a puzzle for each choice that it satisfies.
"""

from __future__ import annotations

from functools import cached_property
from itertools import combinations
from typing import TYPE_CHECKING

import attrs
import numpy as np

from epcg_core.plugin import ParamsError, RankError, read_only
from epcg_tangram.formats.instances import format_instance, format_whole
from epcg_tangram.generators.instances import Instances
from epcg_tangram.params import ConstraintInstancesParams, GameParams, InstancesParams
from epcg_tangram.rules.adjacency import RELATIONS
from epcg_tangram.rules.instance import Instance

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from epcg_tangram.design.layout import Layout
    from epcg_tangram.rules.model import TangramModel


def choices(constraint: str, colours: int) -> tuple[tuple[str, tuple[int, ...]], ...]:
    """Return (relation, colours) of every game of a type of constraint, of so many colours."""
    if constraint == "none":
        return (("none", ()),)
    if constraint == "two_colours":
        pairs = tuple(combinations(range(colours), 2))
        return tuple((relation.name, pair) for relation in RELATIONS for pair in pairs)
    return tuple((constraint, (colour,)) for colour in range(colours))


class ConstraintInstances:
    """Instances by rank: by choice of the constraint, then as `Instances`."""

    domain_attributes = ("game_of", "games", "params", "rows")

    def __init__(self, params: ConstraintInstancesParams) -> None:
        self.params = params
        shared = {
            name: getattr(params, name)
            for name in attrs.fields_dict(InstancesParams)
            if name not in ("relation", "colours")
        }
        self.games = tuple(
            Instances(InstancesParams(relation=relation, colours=colours, **shared))  # type: ignore[arg-type]
            for relation, colours in choices(params.constraint, len(params.definition.colours))
        )
        """The instances of each game."""

    @property
    def setting(self) -> Layout:
        """The board without pieces."""
        return self.games[0].setting

    @cached_property
    def transition_model(self) -> TangramModel:
        """The transition model of the instances, by pieces (see `epcg_tangram.rules.model`)."""
        return self.games[0].transition_model

    @cached_property
    def rows(self) -> NDArray[np.int64]:
        """(n, 3): the number of the game, and what `Instances.rows` has."""
        parts = [np.insert(own.rows, 0, number, axis=1) for number, own in enumerate(self.games)]
        return read_only(np.concatenate(parts))

    @cached_property
    def _numbers(self) -> dict[GameParams, int]:
        return {own.rules: number for number, own in enumerate(self.games)}

    def game_of(self, state: Instance) -> int:
        """Return the number of an instance's game. Raises RankError if the instance is not in this space."""
        number = self._numbers.get(state.rules)
        if number is None:
            raise RankError("The instance is not one of this space.")
        return number

    @property
    def max_rank(self) -> int:
        return len(self.rows)

    def unrank(self, rank: int) -> Instance:
        """Return the instance of `rank`. Raises RankError."""
        if not 0 <= rank < self.max_rank:
            raise RankError(f"There is no instance {rank}: there are {self.max_rank}, ranks from 0.")
        row = self.rows[rank]
        return self.games[int(row[0])].state(row[1:])

    def rank(self, state: Instance) -> int:
        """Return the rank of an instance. Raises RankError if the instance is not in this space."""
        number = self.game_of(state)
        return sum(own.max_rank for own in self.games[:number]) + self.games[number].rank(state)

    def states_block(self, start: int, count: int) -> NDArray[np.int64]:
        """Return rows as in `rows`: (count, 3) int64."""
        return self.rows[start : start + count]

    def states_at(self, ranks: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return rows as in `rows`: (n, 3) int64."""
        return self.rows[ranks]

    def format(self, state: Instance) -> str:
        """Write the constraint and its colours, then the instance: 'edges_must_touch 1; side 3; ...'."""
        return self._head(state.rules) + format_instance(state)

    def opened(self, state: Instance) -> str:
        """Write an instance as the editor reads it."""
        return format_whole(state)

    def _head(self, rules: GameParams) -> str:
        head = " ".join([rules.relation, *map(str, rules.colours)])
        return f"{head}; " + ("" if rules.bumps is None else f"bumps {rules.bumps}; ")

    def parse(self, text: str) -> Instance:
        """Read the instance that `format` wrote. Raises ParamsError."""
        for own in self.games:
            head = self._head(own.rules)
            if text.startswith(head):
                return own.parse(text.removeprefix(head))
        raise ParamsError(
            f"An instance of this space begins with its constraint, as in '{self.format(self._empty)}'."
        )

    @property
    def _empty(self) -> Instance:
        return Instance(self.games[0].rules, ())


def constraint_instances(params: ConstraintInstancesParams) -> ConstraintInstances:
    """Make the instances of a type of constraint. Raises ParamsError if there cannot be any."""
    return ConstraintInstances(params)

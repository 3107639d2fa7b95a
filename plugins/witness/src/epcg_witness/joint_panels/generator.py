"""The generator `joint_panels`: sets of sub-panels that one path solves (Sturtevant & Ota 2018, Figures 3-4).

The space is a quotient: its items are classes of panels (see `classes`), in the order of
the classes, and its states the multisets of `sub_panels` of them.
"""

from __future__ import annotations

from functools import cached_property, reduce
from typing import TYPE_CHECKING

from epcg_core.plugin import Multisets, Omission, PrefixSpace, QuotientMultisets, prefixes
from epcg_witness.joint_panels.state import SubPanels
from epcg_witness.joint_panels.text import sub_panels_text
from epcg_witness.params import JointPanelsParams

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from epcg_witness.joint_panels.classes import PanelClasses


class JointPanels:
    """All sets of sub-panels, by rank; sub-panels that are solved alike are one class.

    Satisfies `Generator` and `ArrayGenerator` of `epcg_core.domain`, with `rank`, `format`, `prefixes`,
    `represents` and `omission`. Packed states are (n, sub_panels) int64, the numbers of the classes.
    """

    domain_attributes = ("classes", "params", "quotient", "space")

    def __init__(self, params: JointPanelsParams) -> None:
        self.params = params

    @cached_property
    def classes(self) -> PanelClasses:
        """The classes of panels. Raises ParamsError or TooManyPathsError."""
        from epcg_witness.joint_panels.classes import panel_classes

        p = self.params
        return panel_classes(p.panels, p.restriction, p.candidates, p.seed)

    @cached_property
    def quotient(self) -> QuotientMultisets:
        """The selections of panels that a state stands for."""
        return QuotientMultisets(self.classes.weights, self.params.sub_panels)

    @cached_property
    def space(self) -> Multisets:
        return self.quotient.space

    @cached_property
    def prefixes(self) -> PrefixSpace:
        return prefixes(self.space)

    @property
    def max_rank(self) -> int:
        """The number of multisets of classes."""
        return self.space.max_rank

    @cached_property
    def represents(self) -> int:
        """The number of multisets of panels."""
        return self.quotient.represents

    @cached_property
    def omission(self) -> Omission | None:
        """The panels that were not drawn."""
        every, drawn = self.classes.panels.max_rank, self.classes.candidates
        return Omission(every - drawn, every, "panels") if drawn < every else None

    def unrank(self, rank: int) -> SubPanels:
        """Return the set of `rank`. Raises RankError if there is none."""
        items = self.space.unrank(rank)
        classes = self.classes
        ranks = tuple(classes.examples[item] for item in items)
        joint = reduce(lambda one, other: one & other, (classes.sets[item] for item in items))
        return SubPanels(
            classes=items,
            weights=tuple(classes.weights[item] for item in items),
            panels=tuple(map(classes.panels.unrank, ranks)),
            ranks=ranks,
            joint=tuple(classes.paths.indices(joint).tolist()),
            paths=classes.paths,
        )

    def rank(self, state: SubPanels) -> int:
        """Return the rank of a set."""
        return self.space.rank(state.classes)

    def states_block(self, start: int, count: int) -> NDArray[np.int64]:
        """Return the classes of ranks start .. start + count - 1: (count, sub_panels) int64."""
        return self.space.states_block(start, count)

    def states_at(self, ranks: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the classes of the (n,) ranks: (n, sub_panels) int64."""
        return self.space.states_at(ranks)

    def format(self, state: SubPanels) -> str:
        """Draw the sub-panels side by side, with how many panels each stands for, and the joint solution."""
        return sub_panels_text(state)

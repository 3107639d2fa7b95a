"""Sets of sub-panels: the states of the generator `joint_panels`. Light: no numba is imported."""

from __future__ import annotations

from typing import TYPE_CHECKING

import attrs

from epcg_witness.rules.panel import Panel

if TYPE_CHECKING:
    from epcg_witness.solving.paths import PathTable


@attrs.frozen(kw_only=True)
class SubPanels:
    """A multiset of classes of panels, each with one of its panels."""

    classes: tuple[int, ...]
    """Ascending."""
    weights: tuple[int, ...]
    """The number of panels that each class stands for."""
    panels: tuple[Panel, ...]
    """The panel of lowest rank of each class."""
    ranks: tuple[int, ...]
    """These panels' ranks in the generator `pieces`."""
    joint: tuple[int, ...]
    """The numbers of the paths that solve all of them, see `PathTable`."""
    paths: PathTable = attrs.field(eq=False, repr=False)

    def joint_solution(self) -> tuple[int, ...] | None:
        """Return the vertices of the first joint solution, if there is one."""
        return self.paths.path(self.joint[0]) if self.joint else None

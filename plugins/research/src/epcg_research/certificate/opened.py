"""The blocks that a certificate opens, and what they say of the extremes that it claims."""

from __future__ import annotations

from collections.abc import Sequence
from math import inf

import attrs
import numpy as np

from epcg_core.inside import puzzle_id
from epcg_core.plugin import VALUE, CheckFailedError, RunSpec
from epcg_research.certificate.contents import Contents
from epcg_research.certificate.form import Claims
from epcg_research.certificate.tree import Layout, Node


@attrs.frozen
class Opened:
    """The part of a run that a certificate shows: its tree's crown, and the blocks of the drawn ranks."""

    layout: Layout
    crown: Sequence[Node]
    contents: dict[int, Contents]
    """By the position of the leaf."""

    def at(self, rank: int) -> Contents:
        return self.contents[self.layout.leaf_of(rank)]

    @property
    def has_values(self) -> bool:
        """Whether any opened candidate has a value."""
        return any(
            len(each.ranks) > 0 and (status is None or bool((status == VALUE).any()))
            for each in self.contents.values()
            for status in each.status
        )


def check_extremes(claims: Claims, spec: RunSpec, shown: Opened) -> None:
    """Check that no opened value of a metric exceeds those of the winners. Raises CheckFailedError."""
    for at, metric in enumerate(spec.metrics):
        each = (shown.at(winner.rank).at(winner.rank, spec.metrics) for winner in claims.winners)
        known = [value for scores in each if scores is not None and (value := scores[at][1]) is not None]
        low, high = min(known, default=inf), max(known, default=-inf)
        for contents in shown.contents.values():
            values, status = contents.values[at], contents.status[at]
            beyond = (values < low) | (values > high)
            if status is not None:
                beyond &= status == VALUE
            if beyond.any():
                place = int(np.flatnonzero(beyond)[0])
                raise CheckFailedError(
                    f"{puzzle_id(claims.space, int(contents.ranks[place]))} has the {metric.name} "
                    f"{values[place]}, beyond the extremes of the claimed winners."
                )

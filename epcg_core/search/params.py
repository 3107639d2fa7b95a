"""The searches' params, apart from their code so that listings stay light."""

from __future__ import annotations

from typing import Literal

import attrs

from epcg_core.params import param


@attrs.frozen
class ExhaustiveParams:
    """Algorithm 1 takes none of its own: range, filter and selection belong to the query."""


@attrs.frozen
class RetrogradeParams:
    """What counts as one way to go on."""

    uniqueness: Literal["successors", "moves"] = param(
        "successors",
        help="count distinct successors, or legal moves (two moves can reach the same successor)",
    )

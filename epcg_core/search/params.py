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


@attrs.frozen
class BranchAndBoundParams:
    """What is wanted, and how far to go."""

    keep: Literal["all", "first"] = param(
        "all", help="every candidate that has the best value, or the one of lowest rank"
    )
    phase: Literal["search", "proof"] = param(
        "proof",
        help="search: find the best value and its lowest rank; proof: that first, then prove it in "
        "independent units",
    )


@attrs.frozen
class ExactCoverParams:
    """What is recorded; the depth of the frontier belongs to the generator, whose ranks depend on it."""

    record: Literal["covers", "counts"] = param(
        "covers", help="every cover as a solution, or only how many there are"
    )


@attrs.frozen
class PathParams:
    """For the evaluators of shortest solutions."""

    limit: int = param(
        1_000_000, minimum=0, help="expansions; a puzzle that needs more gets the status 'limit'"
    )

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
class BreadthFirstParams:
    """Where the search starts, which way it goes, and what is kept of it."""

    record: Literal["depths", "frontier"] = param(
        "depths",
        help="depths: keep every layer, and the depth of every rank; frontier: how large every layer is, the "
        "last three layers, and which ranks can be reached",
    )
    distance: Literal["from", "to"] = param(
        "from", help="count actions from the starts to a rank, or from a rank to the nearest of the starts"
    )
    starts: tuple[int, ...] = param((), minimum=0, help="the ranks at depth 0; none: the generator's own")
    layer: int | None = param(
        None, minimum=1, help="stop at this depth; default: where no rank is left that can be reached"
    )
    layers: int | None = param(
        None, minimum=1, help="the answer from so many layers, the last of them empty; the search fills it in"
    )


@attrs.frozen
class PathParams:
    """For the evaluators of shortest solutions."""

    limit: int = param(
        1_000_000, minimum=0, help="expansions; a puzzle that needs more gets the status 'limit'"
    )

"""The searches' params, apart from their code so that listings stay light."""

from __future__ import annotations

from typing import Literal

import attrs

from epcg_core.base.params import param

MOST_DEPTH = 1000
"""Actions, at most, of which each has a metric of its own."""


@attrs.frozen
class ExhaustiveParams:
    """Algorithm 1 takes none of its own: range, filter and selection belong to the query."""


@attrs.frozen
class RetrogradeParams:
    """The meaning of a unique solution."""

    uniqueness: Literal["successors", "moves"] = param(
        "successors",
        help="count distinct successors, or legal moves (two moves can reach the same successor)",
    )


@attrs.frozen
class BranchAndBoundParams:
    """The params of branch and bound."""

    keep: Literal["all", "first"] = param(
        "all", help="every candidate that has the best value, or the one of lowest rank"
    )
    phase: Literal["search", "proof"] = param(
        "proof",
        help="search: find the best value and its lowest rank; proof: that first, then prove it in "
        "independent units",
    )


@attrs.frozen
class FeasibleParams:
    """It takes none of its own: what is feasible, the first evaluator says."""


@attrs.frozen
class ExactCoverParams:
    """The params of exact cover; the depth of the frontier is a param of the generator."""

    record: Literal["covers", "counts"] = param(
        "covers", help="every cover as a solution, or only how many there are"
    )


@attrs.frozen
class BreadthFirstParams:
    """The starts and the direction of the search, and the layers to keep."""

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
        None, minimum=1, help="stop at this depth; default: when no reachable rank is left"
    )
    layers: int | None = param(
        None,
        minimum=1,
        help="the number of layers of the answer, the last of them empty; the search fills it in",
    )


@attrs.frozen
class ComponentsParams:
    """How large a component may be."""

    limit: int = param(
        50_000_000,
        minimum=1,
        help="positions of a component that has to be held in memory, at some 40 bytes each; one of ranks "
        "alone takes bits instead, and has no limit",
    )
    disk: float | None = param(
        None,
        minimum=0.0,
        named_if_default=False,
        help="gigabytes of disk for a component with more positions, in sorted files below TMPDIR; default: "
        "none, and such a component ends the search",
    )


@attrs.frozen
class DistancesParams:
    """How far to go from each state, and how many positions there may be."""

    depth: int | None = param(
        None,
        minimum=1,
        maximum=MOST_DEPTH,
        help="stop after this number of actions, and record how many positions each number of them needs "
        "(at_0, at_1, ...); default: go on until there are no more, and record their number alone",
    )
    limit: int = param(
        10_000_000,
        minimum=1,
        help="positions of a state that are held in memory, at some 30 bytes each; a state with more gets "
        "the status 'limit', if no disk is allowed",
    )
    disk: float | None = param(
        None,
        minimum=0.0,
        named_if_default=False,
        help="gigabytes of disk for a state with more positions, in sorted files below TMPDIR",
    )


@attrs.frozen
class PathParams:
    """For the evaluators of shortest solutions."""

    limit: int = param(
        1_000_000, minimum=0, help="expansions; a puzzle that needs more gets the status 'limit'"
    )


@attrs.frozen
class ForgettingParams:
    """For the measures of what a player must see."""

    each: tuple[str, ...] = param(
        (),
        help="things whose loss has a measure of its own, as the game names them: 'tile 3'",
    )
    together: tuple[str, ...] = param(
        (),
        help="things that are forgotten together, for 'abstract_moves'; default: the one that costs least. "
        "A puzzle that lacks one of them has no value",
    )
    limit: int = param(200_000, minimum=0, help="positions; a puzzle with more gets the status 'limit'")


@attrs.frozen
class IntendedParams:
    """For the measures of the solution that a designer intends."""

    solution: str = param(
        "",
        from_file=True,
        help="the intended solution, or its file: actions with commas between, or a letter each, 'URDL'; "
        "default: the first shortest solution, of the original if one content is edited",
    )
    limit: int = param(
        1_000_000, minimum=0, help="positions; a puzzle that needs more gets the status 'limit'"
    )

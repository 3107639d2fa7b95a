"""The params of the tangram's parts. Light: no kernel is imported."""

from __future__ import annotations

from typing import Literal

import attrs

from epcg_core.plugin import EntropyParams, param


@attrs.frozen
class BoardsParams:
    """The boards to cover, and the pieces to cover them with."""

    side: int = param(3, minimum=1, maximum=12, help="triangles along a side of the hexagon")
    without: tuple[str, ...] = param((), help="pieces of six triangles that may not be used")
    copies: int = param(1, minimum=1, maximum=100, help="how often each of the others may be used")
    trapezoids: int = param(2, minimum=0, maximum=100, help="how many trapezoids may be used")
    boards: Literal["distinct", "all"] = param(
        "distinct", help="count boards modulo the 12 symmetries, or all of them"
    )


@attrs.frozen
class PartialBoardsParams(BoardsParams):
    """The frontier of the search for boards."""

    depth: int = param(2, minimum=0, maximum=20, help="pieces on the partial boards")


@attrs.frozen
class BumpParams:
    """Params of the bump patterns."""

    group_one: Literal["blocked", "none"] = param(
        "blocked",
        help="one side of the first two asymmetric pieces: bumps everywhere, or holes everywhere "
        "(the paper's word)",
    )


@attrs.frozen
class BackParams:
    """The boards that are tried on the back."""

    boards: BoardsParams = attrs.field(factory=BoardsParams, metadata={"help": "as for solved_boards"})


RULE_NAMES = ("one-placement", "one-piece", "region-size", "region-shape")
"""The four rules of the paper, in its order."""
Relation = Literal[
    "none",
    "edges_must_touch",
    "edges_must_not_touch",
    "corners_must_touch_not_edges",
    "neither_edges_nor_corners",
]
ConstraintType = Literal[Relation, "two_colours"]
"""The constraint types 1 to 6."""
Branching = Literal["piece", "cell", "all"]
Order = Literal["filters, answers, choice", "answers, filters, choice", "filters, choice, answers"]


@attrs.frozen
class GameParams(BoardsParams):
    """The pieces, the board, and the constraint in force."""

    relation: Relation = param("none", help="what pieces of `colours` must share, all pairs of them")
    colours: tuple[int, ...] = param(
        (), minimum=0, maximum=4, help="one colour, or two: all pairs of a piece of each"
    )
    bumps: int | None = param(
        None, minimum=0, help="the rank of a pattern of bump_patterns: the boards lie on the back"
    )
    group_one: Literal["blocked", "none"] = param("blocked", help="as for bump_patterns")


@attrs.frozen
class InstancesParams(GameParams):
    """The subsets of a solved board's pieces that are shown."""

    size: int | None = param(
        None, minimum=0, maximum=20, help="pieces shown; default: for each board the fewest that are enough"
    )
    keep: Literal["first", "all"] = param("first", help="subsets of a board: the first, or all of that size")
    excluded: Literal["known", "unknown"] = param(
        "known", help="whether the pieces that the solved board does without are forbidden"
    )
    completions: Literal["one", "any"] = param(
        "one", help="only the subsets that one board completes, or all of `size`"
    )
    larger: int = param(0, minimum=0, maximum=20, help="also subsets of up to so many more pieces")


@attrs.frozen
class ConstraintInstancesParams(BoardsParams):
    """The type of constraint in force; every choice of its colours is a game. The rest as for `instances`."""

    constraint: ConstraintType = param(
        "none", help="what pieces of one colour must share, or those of two colours; for every choice of them"
    )
    bumps: int | None = param(
        None, minimum=0, help="the rank of a pattern of bump_patterns: the boards lie on the back"
    )
    group_one: Literal["blocked", "none"] = param("blocked", help="as for bump_patterns")
    size: int | None = param(
        None, minimum=0, maximum=20, help="pieces shown; default: for each board the fewest that are enough"
    )
    keep: Literal["first", "all"] = param("first", help="subsets of a board: the first, or all of that size")
    excluded: Literal["known", "unknown"] = param(
        "known", help="whether the pieces that the solved board does without are forbidden"
    )
    completions: Literal["one", "any"] = param(
        "one", help="only the subsets that one board completes, or all of `size`"
    )
    larger: int = param(0, minimum=0, maximum=20, help="also subsets of up to so many more pieces")


@attrs.frozen
class InstanceEntropyParams(EntropyParams):
    """Params of the evaluators of difficulty."""

    rules: tuple[str, ...] = param(
        RULE_NAMES, help=f"the inference rules that the player knows: {', '.join(RULE_NAMES)}"
    )
    branching: Branching = param(
        "piece",
        help="the actions that count: the placements of the piece that has fewest, those on the cell that "
        "has fewest, or all",
    )
    order: Order = param(
        "filters, answers, choice",
        help="in which order actions are narrowed: filters (the first two rules), answers (CANNOT by the "
        "other two), choice (of the piece or cell)",
    )
    limit: int = param(
        1_000_000, minimum=1, help="states; only the plain form walks through them (status 'limit')"
    )


@attrs.frozen
class PublishedEntropyParams:
    """Params of the evaluator of the published recursion."""

    trapezoids: Literal["twice", "twice while both are left", "once"] = param(
        "twice", help="how often each placement of a trapezoid counts"
    )

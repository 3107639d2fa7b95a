"""The params of the parts. Light: no kernel is imported."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

import attrs

from epcg_core.plugin import EntropyParams, param
from epcg_tangram.design.definition import Definition
from epcg_tangram.design.layout import Boards
from epcg_tangram.texts.game_files import USUAL, definition_of, digest_of, is_text, without_puzzles

_COUNTED = "modulo the symmetries of the board, modulo those that turn nothing over, or all of them"


@attrs.frozen
class GameRef:
    """The game that is asked about: a board and pieces."""

    game: str = param(
        USUAL, names_file=True, named_if_default=False,
        help="a game's file, the name of a game shipped here, or a game's text",
    )  # fmt: skip
    sizes: tuple[int, ...] = param(
        (), minimum=1, maximum=100, named_if_default=False,
        help="other sizes of the board than the text says, in its order: [2]",
    )  # fmt: skip
    sha256: str = param(
        "", named_if_default=False, help="the digest of the game's file; default: of the file as it is now"
    )

    def __attrs_post_init__(self) -> None:
        if is_text(self.game):
            object.__setattr__(self, "game", without_puzzles(self.game))
        if not self.sha256:
            object.__setattr__(self, "sha256", digest_of(self.game))
        if self.sizes and self.sizes == tuple(n for _, n in definition_of(self.game, self.sha256).sizes):
            object.__setattr__(self, "sizes", ())

    @property
    def ref(self) -> GameRef:
        """The game alone, without what else is asked."""
        return GameRef(self.game, self.sizes, self.sha256)

    @property
    def definition(self) -> Definition:
        """What the game's text says. Raises ParamsError for a fault of the text."""
        return definition_of(self.game, self.sha256, self.sizes)


@attrs.frozen
class BoardsParams(GameRef):
    """The pieces to cover the board with, and how solved boards are counted."""

    without: tuple[str, ...] = param((), help="pieces that may not be used")
    copies: tuple[str, ...] = param(
        (), help='how often pieces may be used, in place of what the text says: ["corner 2", "bar 0 to 3"]'
    )
    boards: Boards = param("distinct", help=f"count boards {_COUNTED}")

    @staticmethod
    def from_former(table: Mapping[str, Any]) -> dict[str, Any]:
        """Return a table of the time when there was one game only, with `side`, `copies` and `trapezoids`."""
        found = dict(table)
        if found.get("game", USUAL) != USUAL:
            return found
        if type(found.get("side")) is int and "sizes" not in found:
            found["sizes"] = [found.pop("side")]
        changed = []
        for key, once, least in (("copies", True, 1), ("trapezoids", False, 0)):
            count = found.get(key)
            if type(count) is int and least <= count <= 100:
                del found[key]
                kinds = definition_of(USUAL).pieces
                several = [kind for kind in kinds if (kind.most == 1) is once and kind.most != count]
                changed += [f"{kind.name} {count}" for kind in several]
        if changed:
            found["copies"] = changed
        return found


@attrs.frozen
class PartialBoardsParams(BoardsParams):
    """The frontier of the search for boards."""

    depth: int = param(2, minimum=0, maximum=20, help="pieces on the partial boards")


@attrs.frozen
class ShapesParams:
    """The pieces that there are."""

    lattice: Literal["squares", "triangles", "hexagons", "quarters", "cubes"] = param(
        "squares", help="the lattice"
    )
    of: str = param(
        "", help="the shape that they are made of: its name, or a drawing; default: one cell", from_file=True
    )
    count: int = param(5, minimum=1, maximum=30, help="how many cells, or copies of that shape, make each")
    equal: Literal["free", "one-sided", "fixed"] = param(
        "free",
        help="shapes are equal if turns and reflections make one of the other, if turns do, or not at all",
    )


@attrs.frozen
class PlacesParams:
    """The board on which shapes are placed."""

    board: str = param(USUAL, help="the game whose board is meant: a file, or the name of a shipped game")


@attrs.frozen
class SetsParams(GameRef):
    """The sets of a game's pieces."""

    size: int | None = param(
        None, minimum=0, maximum=250, help="the pieces of a set; default: any number", told="{} piece[s]"
    )
    always: tuple[str, ...] = param((), help="pieces that every set has")


@attrs.frozen
class VariantsParams(GameRef):
    """The boards that a game's pieces may fill."""

    holes: int | None = param(
        None,
        minimum=0,
        maximum=100,
        help="cells that are taken out of the game's board; default: as many as its pieces leave over",
    )
    least: tuple[int, ...] = param((), minimum=1, maximum=100, help="or the least sizes of its family")
    most: tuple[int, ...] = param((), minimum=1, maximum=100, help="and the greatest sizes")
    area: int | None = param(None, minimum=1, maximum=30, help="or the cells of boards of any shape")
    leave: tuple[str, ...] = param(
        (),
        help="or signs of the board's drawing: a cell of each stays empty, and no other, as a calendar's "
        "month and day",
    )


@attrs.frozen
class SolutionsParams:
    """How the solved boards of a board are counted."""

    boards: Boards = param("distinct", help=f"count solved boards {_COUNTED}")


@attrs.frozen
class BumpParams(GameRef):
    """Params of the bump patterns."""

    group_one: Literal["blocked", "none"] = param(
        "blocked",
        help="one side of the pieces of the first group, if the game splits those without symmetry into two: "
        "bumps everywhere, or holes everywhere",
    )


@attrs.frozen
class BackParams:
    """The boards that are tried on the back."""

    boards: BoardsParams = attrs.field(factory=BoardsParams, metadata={"help": "as for solved_boards"})


RULE_NAMES = ("one-placement", "one-piece", "region-size", "region-shape")
"""The four general rules."""
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
Ties = Literal["all", "lowest"]
Order = Literal["filters, answers, choice", "answers, filters, choice", "filters, choice, answers"]


@attrs.frozen
class GameParams(BoardsParams):
    """The pieces, the board, and the constraint in force."""

    relation: Relation = param("none", help="what pieces of `colours` must share, all pairs of them")
    colours: tuple[int, ...] = param(
        (),
        minimum=0,
        help="one colour of the game, by its number from 0, or two: all pairs of a piece of each",
    )
    bumps: int | None = param(
        None, minimum=0, help="the rank of a pattern of bump_patterns: the boards lie on the back"
    )
    group_one: Literal["blocked", "none"] = param("blocked", help="as for bump_patterns")


_SIZE = "pieces shown; default: for each board the fewest that are enough"
_SHOWN, _MORE = "{} piece[s] given", "or up to {} more"
_KEEP = "subsets of a board: the first, or all of that size"
_EXCLUDED = "whether the pieces that the solved board does without are forbidden"
_COMPLETIONS = "only the subsets that one board completes, or all of `size`"
_LARGER = "also subsets of up to so many more pieces"


@attrs.frozen
class InstancesParams(GameParams):
    """The subsets of a solved board's pieces that are shown."""

    size: int | None = param(None, minimum=0, maximum=20, help=_SIZE, told=_SHOWN)
    keep: Literal["first", "all"] = param("first", help=_KEEP)
    excluded: Literal["known", "unknown"] = param("known", help=_EXCLUDED)
    completions: Literal["one", "any"] = param("one", help=_COMPLETIONS)
    larger: int = param(0, minimum=0, maximum=20, help=_LARGER, told=_MORE)


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
    size: int | None = param(None, minimum=0, maximum=20, help=_SIZE, told=_SHOWN)
    keep: Literal["first", "all"] = param("first", help=_KEEP)
    excluded: Literal["known", "unknown"] = param("known", help=_EXCLUDED)
    completions: Literal["one", "any"] = param("one", help=_COMPLETIONS)
    larger: int = param(0, minimum=0, maximum=20, help=_LARGER, told=_MORE)


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
    ties: Ties = param(
        "all",
        help="of several pieces or cells that have equally few: the placements of all of them, so that a "
        "puzzle is as hard when it is turned, or those of the lowest by number; what is forced counts as one",
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

"""The params of the parts. Light: no kernel is imported."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import attrs

from epcg_core.plugin import DifferentialParams, EntropyParams, ParamsError, param
from epcg_deduction.formats.named import USUAL, digest_of, first_puzzle, shortened

if TYPE_CHECKING:
    from epcg_deduction.model.puzzles import Puzzle

Symmetry = Literal["none", "half_turn", "quarter_turn", "left_right", "top_bottom", "both_mirrors"]
_SYMMETRY = "which turn or mirror keeps the places of the clues"
_AT_LEAST_MOST = "the fewest and the most, [2, 4]; or one number, [3]; default: any number"


@attrs.frozen
class GenreRef:
    """A genre, and the board of a puzzle of it."""

    genre: str = param(
        USUAL, names_file=True,
        help="the name of a genre shipped here, a genre's file, or its text; its first puzzle has the board",
    )  # fmt: skip
    size: tuple[int, ...] = param(
        (), minimum=1, maximum=60, named_if_default=False,
        help="rows and columns of an empty board, [4, 4]; default: the board of the text's first puzzle",
    )  # fmt: skip
    sha256: str = param(
        "", named_if_default=False, help="the digest of the genre's file; default: of the file as it is now"
    )

    def __attrs_post_init__(self) -> None:
        object.__setattr__(self, "genre", shortened(self.genre))
        if not self.sha256:
            object.__setattr__(self, "sha256", digest_of(self.genre))
        if self.size and len(self.size) != 2:
            raise ParamsError(f"size: rows and columns are two numbers, [4, 4], not {len(self.size)}.")
        board = first_puzzle(self.genre, self.sha256).board
        if self.size == (board.height, board.width):
            object.__setattr__(self, "size", ())

    @property
    def base(self) -> Puzzle:
        """The first puzzle of the text, or one without clues on a board of the other size."""
        found = attrs.evolve(first_puzzle(self.genre, self.sha256), title="")
        if not self.size:
            return found
        from epcg_deduction.model.boards import Board

        height, width = self.size
        return attrs.evolve(found, board=Board(width, height, bytes(width * height)), clues=())


@attrs.frozen
class PuzzlesParams:
    """The text whose puzzles are meant."""

    genre: str = param(
        USUAL, names_file=True, help="the name of a genre shipped here, a genre's file, or its text"
    )
    sha256: str = param(
        "", named_if_default=False, help="the digest of the genre's file; default: of the file as it is now"
    )

    def __attrs_post_init__(self) -> None:
        if not self.sha256:
            object.__setattr__(self, "sha256", digest_of(self.genre))


def least_most(name: str, given: tuple[int, ...], most: int) -> tuple[int, int]:
    """Return the least and the largest number that a param gives. Raises ParamsError."""
    if len(given) > 2 or (len(given) == 2 and given[0] > given[1]):
        raise ParamsError(f"{name}: {_AT_LEAST_MOST}.")
    if not given:
        return 0, most
    return given[0], given[-1]


@attrs.frozen
class LayoutsParams(GenreRef):
    """The boards of a genre: how it is divided into regions, or where its walls are."""

    boards: Literal["regions", "rectangles", "walls"] = param(
        "rectangles",
        help="all divisions into connected regions, into rectangles, or all sets of walls",
    )
    regions: tuple[int, ...] = param((), minimum=1, help=f"how many regions: {_AT_LEAST_MOST}")
    cells: tuple[int, ...] = param((), minimum=1, help=f"the cells of each region: {_AT_LEAST_MOST}")


@attrs.frozen
class FairParams(GenreRef):
    """The fair puzzles whose clues follow from the solution."""

    kinds: tuple[str, ...] = param(
        (), help="the kinds of clues that are chosen; default: all that follow from the solution"
    )
    boards: str = param(
        "given",
        help='"given": the board of the text; "regions", "rectangles", "walls": all of these; or a kind of '
        "clues that does not follow from the solution, at every set of places",
    )  # fmt: skip
    regions: tuple[int, ...] = param((), minimum=1, help=f"how many regions: {_AT_LEAST_MOST}")
    cells: tuple[int, ...] = param((), minimum=1, help=f"the cells of each region: {_AT_LEAST_MOST}")
    clues: tuple[int, ...] = param((), minimum=0, help=f"how many clues: {_AT_LEAST_MOST}")
    every: bool = param(False, help="whether there is a clue at every place, of one of the kinds")
    minimal: bool = param(False, help="whether no clue may go: only puzzles no part of whose clues is enough")
    symmetry: Symmetry = param("none", help=_SYMMETRY)


@attrs.frozen
class CluesParams(GenreRef):
    """All ways to place clues of one kind."""

    kind: str = param("", help="the kind of clues; default: the first of the genre")
    clues: tuple[int, ...] = param((1,), minimum=0, help=f"how many clues: {_AT_LEAST_MOST}")
    values: tuple[str, ...] = param((), help="the values that they may have, as texts; default: all")
    total: tuple[int, ...] = param((), minimum=0, help=f"the sum of their numbers: {_AT_LEAST_MOST}")
    pairs: bool = param(
        False, help="whether equal numbers come in pairs, 1, 1, 2, 2, ..., whose names do not matter"
    )
    symmetry: Symmetry = param("none", help=_SYMMETRY)


@attrs.frozen
class SolutionsParams:
    """How solutions are counted."""

    limit: int = param(2, minimum=1, maximum=1_000_000, help="the number of solutions after which to stop")
    work: int = param(
        200_000_000, minimum=1, help="the work after which a puzzle is given up (status 'limit')"
    )


@attrs.frozen
class StepsParams:
    """The steps that a solver knows."""

    kinds: str = param(
        "0123",
        help="kinds of steps in the order in which they are tried: 0 without notes, 1 one instance of a "
        "rule, 2 two of them, 3 an assumption, 3+ one that kinds 0 to 2 refute",
    )  # fmt: skip
    work: int = param(
        200_000_000, minimum=1, help="the work after which a puzzle is given up (status 'limit')"
    )


RULE_NAMES = ("without-notes", "one-instance", "two-instances", "assumption")
"""The inference rules: a player who knows one knows those before it, but for an assumption two instances."""
_RULES = f"the steps that the player knows, the last being enough: {', '.join(RULE_NAMES)}"
_LIMIT = "positions; a puzzle with more gets the status 'limit' (some milliseconds each)"
_TIES = (
    "of several cells or lines with equally few marks left: those of the first, or of all of them, so that a "
    "puzzle is as hard as its mirror images"
)


@attrs.frozen
class StepEntropyParams(EntropyParams):
    """A player whose inference rules are kinds of steps."""

    rules: tuple[str, ...] = param(("one-instance",), help=_RULES)
    limit: int = param(2_000, minimum=1, help=_LIMIT)
    ties: Literal["lowest", "all"] = param("lowest", help=_TIES)


@attrs.frozen
class StepDifferentialParams(DifferentialParams):
    """What one kind of steps is worth to such a player."""

    rules: tuple[str, ...] = param(("without-notes", "one-instance"), help=_RULES)
    rule: str = param("one-instance", help="the kind of steps whose worth is measured, by name")
    limit: int = param(2_000, minimum=1, help=_LIMIT)
    ties: Literal["lowest", "all"] = param("lowest", help=_TIES)

"""What the rows of the Fling! publications compute beyond one SELECT."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from statistics import fmean, median
from typing import TYPE_CHECKING, Any

from epcg_core.domain.publications import Ask
from epcg_fling.formats.boards import format_board
from epcg_fling.formats.levels import Level, read_levels
from epcg_fling.rules.moves import BoardShape

if TYPE_CHECKING:
    from epcg_core.reproduce import Bench

GAME = BoardShape(7, 8)
LEVEL_FILE = "fling/levels_1_to_17.json"
SAVING_BOARDS = 10
_SCORE = "SELECT epcg_score(:run, '{0}', 0)"


# --- ties of the best ---------------------------------------------------------------------------------------


def up_to_symmetry(rows: Sequence[tuple[Any, ...]]) -> int:
    """How many boards there are up to symmetry and translation; each row is (pieces, rank)."""
    from epcg_fling.generators.boards import Boards
    from epcg_fling.params import BoardsParams

    spaces = {pieces: Boards(BoardsParams(pieces=pieces)) for pieces, _ in rows}
    return len({spaces[pieces].normal_form(spaces[pieces].unrank(rank)) for pieces, rank in rows})


# --- the game's levels --------------------------------------------------------------------------------------


def board_ask(board: int, uniqueness: str) -> Ask:
    """One board, measured; as the only one of its variants with no change."""
    more = '{name="solvable"}, {name="reachable_states"}' if uniqueness == "successors" else ""
    return Ask(
        "fling/edits",
        (
            f'generator.board="{format_board(GAME, board).replace(chr(10), "/")}"',
            "generator.fewest=0",
            "range.stop=1",
            f'evaluators=[{{name="unique", uniqueness="{uniqueness}"}}{", " + more if more else ""}]',
            "select=[]",
        ),
    )


def _levels(bench: Bench) -> list[Level]:
    return list(read_levels(bench.file(LEVEL_FILE), GAME))


def _measured(bench: Bench, metric: str, uniqueness: str, level: str | None = None) -> list[int]:
    """A metric of every board of the levels, or of one level, in order."""
    return [
        int(bench.value(_SCORE.format(metric), bench.answer(board_ask(board, uniqueness))))
        for one in _levels(bench)
        for board in one.boards
        if level in (None, one.name)
    ]


def level_boards(bench: Bench) -> int:
    """All boards of the levels."""
    return sum(len(level.boards) for level in _levels(bench))


def level_solvable(bench: Bench) -> int:
    """Those that are solvable."""
    return sum(_measured(bench, "solvable", "successors"))


def level_unique(bench: Bench) -> int:
    """Those with one solution, where distinct boards are counted."""
    return sum(_measured(bench, "unique", "successors"))


def level_unique_by_moves(bench: Bench) -> int:
    """Those with one solution, where legal moves are counted."""
    return sum(_measured(bench, "unique", "moves"))


def level_reachable_agree(bench: Bench) -> int:
    """Boards with as many reachable states as the file says."""
    import json

    levels = json.loads(bench.file(LEVEL_FILE).read_text(encoding="utf-8"))
    said = [board["reachable_states"] for level in levels.values() for board in level]
    ours = _measured(bench, "reachable_states", "successors")
    return sum(a == b for a, b in zip(said, ours, strict=True))


def pieces_of_level(bench: Bench, level: str) -> float:
    """Figure 5: the mean number of pieces."""
    return fmean(board.bit_count() for one in _levels(bench) if one.name == level for board in one.boards)


def reachable_of_level(bench: Bench, level: str) -> float:
    """Figure 6: the median number of reachable states."""
    return median(_measured(bench, "reachable_states", "successors", level))


# --- endgame tables -----------------------------------------------------------------------------------------


def saving_at_14(bench: Bench, table: int) -> float:
    """Figure 7: boards searched without a table over those searched with one, random boards of 14 pieces."""
    from epcg_fling.studies.data import savings

    return savings(_searched_at_14(), (table,))[0].factor


@cache
def _searched_at_14() -> list[tuple[int, Any]]:
    """Random boards (seed 1): their pieces, and how many boards of each number of pieces are searched."""
    import numpy as np

    from epcg_fling.search.solutions import SolutionSearch
    from epcg_fling.studies.data import random_board, searched_states

    random = np.random.default_rng([1, 14])
    search = SolutionSearch(GAME)
    return [(14, searched_states(search, random_board(random, GAME, 14))[2]) for _ in range(SAVING_BOARDS)]

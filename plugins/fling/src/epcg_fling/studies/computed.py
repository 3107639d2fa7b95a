"""Values of the Fling! publications that take more than one SELECT."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path
from statistics import fmean
from typing import TYPE_CHECKING, Any, Protocol

from epcg_core.plugin import RunRecord
from epcg_fling.formats.boards import format_board
from epcg_fling.formats.levels import Level, read_levels
from epcg_fling.rules.moves import BoardShape

if TYPE_CHECKING:
    from matplotlib.axes import Axes

GAME = BoardShape(7, 8)
LEVEL_FILE = "fling/levels_1_to_17.json"
SAVING_BOARDS = 10
_SCORE = "SELECT epcg_score(:run, '{0}', 0)"


class Bench(Protocol):
    """What a publication's functions get: it answers queries by recorded runs, and reads published files."""

    def answer(self, query: str, settings: Sequence[str] = ()) -> RunRecord: ...
    def value(self, sql: str, run: RunRecord | None = None) -> int | float | str: ...
    def file(self, name: str) -> Path: ...
    def json(self, name: str) -> Any: ...
    def save_figure(self, path: Path, draw: Callable[[Axes], None]) -> None: ...


def up_to_symmetry(rows: Sequence[tuple[Any, ...]]) -> int:
    """Count the boards up to symmetry and translation; each row is (pieces, rank)."""
    from epcg_fling.generators.boards import Boards
    from epcg_fling.params import BoardsParams

    spaces = {pieces: Boards(BoardsParams(pieces=pieces)) for pieces, _ in rows}
    return len({spaces[pieces].normal_form(spaces[pieces].unrank(rank)) for pieces, rank in rows})


def boards_of(bench: Bench, pieces: int) -> int:
    """Count the boards of the game with a number of pieces."""
    from epcg_fling.generators.boards import Boards
    from epcg_fling.params import BoardsParams

    return Boards(BoardsParams(pieces=pieces)).max_rank


def boards_in(bench: Bench, pieces: int, unit: int) -> float:
    """Count the boards of the game with a number of pieces, in millions or another unit."""
    return boards_of(bench, pieces) / unit


def memory_of(bench: Bench, pieces: int) -> float:
    """Return the gibibytes of a table with one bit for each of these boards."""
    return boards_of(bench, pieces) / 8 / 2**30


def bytes_of(bench: Bench, pieces: int) -> int:
    """Return the bytes of a table with one bit for each of these boards."""
    return -(-boards_of(bench, pieces) // 8)


def combination(bench: Bench, rank: int) -> str:
    """Return the combination of 4 of 20 cells with this rank, as the paper writes it."""
    from epcg_core.plugin import Combinations

    return " ".join(map(str, Combinations(20, 4).unrank(rank)))


def board_settings(board: int, uniqueness: str) -> list[str]:
    """Return what to change in the query fling/edits so that one board is measured, without a change."""
    more = '{name="solvable"}, {name="reachable_states"}' if uniqueness == "successors" else ""
    return [
        f'generator.board="{format_board(GAME, board).replace(chr(10), "/")}"',
        "generator.fewest=0",
        "range.stop=1",
        f'evaluators=[{{name="unique", uniqueness="{uniqueness}"}}{", " + more if more else ""}]',
        "select=[]",
    ]


def _levels(bench: Bench) -> list[Level]:
    return list(read_levels(bench.file(LEVEL_FILE), GAME))


def _measured(bench: Bench, metric: str, uniqueness: str, level: str | None = None) -> list[int]:
    """Return a metric of every board of the levels, or of one level, in order."""
    return [
        int(
            bench.value(_SCORE.format(metric), bench.answer("fling/edits", board_settings(board, uniqueness)))
        )
        for one in _levels(bench)
        for board in one.boards
        if level in (None, one.name)
    ]


def level_boards(bench: Bench) -> int:
    """Count all boards of the levels."""
    return sum(len(level.boards) for level in _levels(bench))


def level_solvable(bench: Bench) -> int:
    """Count the solvable boards of the levels."""
    return sum(_measured(bench, "solvable", "successors"))


def level_unique(bench: Bench) -> int:
    """Count the boards with one solution if distinct boards are counted."""
    return sum(_measured(bench, "unique", "successors"))


def level_unique_by_moves(bench: Bench) -> int:
    """Count the boards with one solution if legal moves are counted."""
    return sum(_measured(bench, "unique", "moves"))


def level_reachable_agree(bench: Bench) -> int:
    """Count the boards with as many reachable states as the file says."""
    levels = bench.json(LEVEL_FILE)
    said = [board["reachable_states"] for level in levels.values() for board in level]
    ours = _measured(bench, "reachable_states", "successors")
    return sum(a == b for a, b in zip(said, ours, strict=True))


def reachable_of_level(bench: Bench, level: str) -> float:
    """Return the mean number of reachable states (figure 5)."""
    return fmean(_measured(bench, "reachable_states", "successors", level))


def fewest_of_level(bench: Bench, level: str) -> int:
    """Return the smallest number of reachable states (the lower end of figure 5's error bar)."""
    return min(_measured(bench, "reachable_states", "successors", level))


def most_of_level(bench: Bench, level: str) -> int:
    """Return the largest number of reachable states (the upper end of figure 5's error bar)."""
    return max(_measured(bench, "reachable_states", "successors", level))


def draw_reachable(bench: Bench, path: Path) -> None:
    """Plot the reachable states of the boards by level: the curve of the means and the error bars."""
    from epcg_fling.studies.plots import plot_states

    names = [level.name for level in _levels(bench)]
    plot_states(
        path,
        [(name, n) for name in names for n in _measured(bench, "reachable_states", "successors", name)],
        bench.save_figure,
    )


def pieces_of_level(bench: Bench, level: str) -> float:
    """Return the mean number of pieces (figure 6)."""
    return fmean(board.bit_count() for one in _levels(bench) if one.name == level for board in one.boards)


def saving_at_14(bench: Bench, table: int) -> float:
    """Return boards searched without a table over those with one, at 14 pieces (figure 7)."""
    from epcg_fling.studies.data import savings

    return savings(_searched_at_14(), (table,))[0].factor


@cache
def _searched_at_14() -> list[tuple[int, Any]]:
    """Draw boards (seed 1); return their pieces and the boards searched by number of pieces."""
    import numpy as np

    from epcg_fling.search.solutions import SolutionSearch
    from epcg_fling.studies.data import random_board, searched_states

    random = np.random.default_rng([1, 14])
    search = SolutionSearch(GAME)
    return [(14, searched_states(search, random_board(random, GAME, 14))[2]) for _ in range(SAVING_BOARDS)]

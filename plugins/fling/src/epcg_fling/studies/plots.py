"""The plots of `epcg fling study`: Figures 5 to 8 of Sturtevant 2013, as SVG and PNG."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from statistics import fmean
from typing import TYPE_CHECKING, TypeAlias

from epcg_fling.studies.data import LevelBoard, Saving, Solvable

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_DARK, _LIGHT = "C0", "C1"
"""The first colours of the one who saves figures."""

Save: TypeAlias = "Callable[[Path, Callable[[Axes], None]], None]"
"""Draws a plot into a file: the function `save_figure` that epcg-research adds."""


def plot_all(
    folder: Path,
    boards: Sequence[LevelBoard],
    savings: Sequence[Saving],
    solvable: Sequence[Solvable],
    save: Save,
) -> list[Path]:
    """Write figure_5 to figure_8, those that have data, as .svg and .png.

    Args:
        folder: where the files are written.
        boards: the boards of the levels.
        savings: what endgame tables save; none for no figure.
        solvable: how many boards are solvable; none for no figure.
        save: draws a plot into a file.

    Returns:
        The files.
    """
    states = [(board.level, board.reachable_states) for board in boards]
    pieces = [(board.level, board.pieces) for board in boards]
    figures: list[tuple[str, Callable[[Axes], None]]] = [
        ("figure_5_reachable_states", lambda axes: _states_by_level(axes, states)),
        ("figure_6_pieces", lambda axes: _by_level(axes, pieces, "pieces")),
    ]
    if savings:
        figures.append(("figure_7_saving", lambda axes: _saving(axes, savings)))
    if solvable:
        figures.append(("figure_8_solvable", lambda axes: _solvable(axes, solvable)))
    written = []
    for name, draw in figures:
        for form in ("svg", "png"):
            written.append(folder / f"{name}.{form}")
            save(written[-1], draw)
    return written


def plot_states(path: Path, points: Sequence[tuple[str, int]], save: Save) -> None:
    """Write figure 5 of (level, reachable states of a board).

    Args:
        path: the file.
        points: (level, reachable states) of each board.
        save: draws a plot into a file.
    """
    save(path, lambda axes: _states_by_level(axes, points))


def _by_level(axes: Axes, points: Sequence[tuple[str, int]], what: str) -> None:
    """Plot a dot for each value, larger if boards coincide, and the mean of each level as a line."""
    levels = list(dict.fromkeys(level for level, _ in points))
    place = {level: index for index, level in enumerate(levels)}
    counts = Counter(points)
    axes.scatter(
        [place[level] for level, _ in counts],
        [value for _, value in counts],
        s=[22 * count for count in counts.values()],
        color=_DARK,
        alpha=0.75,
        linewidths=0,
        label="a board (larger: several)",
        zorder=3,
    )
    means = [fmean(value for level, value in points if level == name) for name in levels]
    axes.plot(range(len(levels)), means, color=_LIGHT, linewidth=2, label="mean of the level")
    axes.set_xticks(range(len(levels)), labels=levels, rotation=90 if max(map(len, levels)) > 3 else 0)
    axes.set_xlabel("level")
    axes.set_ylabel(what)
    axes.set_title(f"{what.capitalize()} by level")
    axes.grid()
    axes.legend()


def _states_by_level(axes: Axes, points: Sequence[tuple[str, int]]) -> None:
    """Plot the states of the boards, with a bar from the smallest to the largest of each level."""
    own: dict[str, list[int]] = {}
    for level, value in points:
        own.setdefault(level, []).append(value)
    axes.vlines(
        range(len(own)),
        [min(values) for values in own.values()],
        [max(values) for values in own.values()],
        color=_LIGHT,
        label="smallest to largest",
    )
    _by_level(axes, points, "reachable states")
    axes.set_yscale("log")


def _saving(axes: Axes, savings: Sequence[Saving]) -> None:
    pieces = sorted({saving.pieces for saving in savings})
    tables = sorted({saving.table_pieces for saving in savings})
    without = {saving.pieces: saving.states for saving in savings}
    axes.plot(pieces, [without[p] for p in pieces], "o-", color=_DARK, linewidth=2, label="without a table")
    for index, table in enumerate(tables):
        rows = sorted((s.pieces, s.states_with_table) for s in savings if s.table_pieces == table)
        axes.plot(
            [p for p, _ in rows],
            [states for _, states in rows],
            marker="s^Dv"[index % 4],
            linestyle=("--", "-.", ":")[index % 3],
            color=_LIGHT,
            label=f"with the table of {table} pieces",
        )
    axes.set_yscale("log")
    axes.set_xticks(pieces)
    axes.set_xlabel("pieces")
    axes.set_ylabel("boards searched for a board and its edits, mean")
    axes.set_title("What an endgame table saves")
    axes.grid()
    axes.legend()


def _solvable(axes: Axes, rows: Sequence[Solvable]) -> None:
    exact = [row for row in rows if row.exact]
    sampled = [row for row in rows if not row.exact]
    axes.plot(
        [r.pieces for r in exact], [100 * r.share for r in exact], "o-", color=_DARK, label="all boards"
    )
    if sampled:
        below = [100 * (r.share - r.low) for r in sampled]
        above = [100 * (r.high - r.share) for r in sampled]
        axes.errorbar(
            [r.pieces for r in sampled],
            [100 * r.share for r in sampled],
            yerr=[below, above],
            fmt="D",
            color=_LIGHT,
            markerfacecolor="white",
            capsize=4,
            label="random boards, 95 % interval",
        )
    axes.set_xticks([row.pieces for row in rows])
    axes.set_ylim(0, 102)
    axes.set_xlabel("pieces")
    axes.set_ylabel("solvable boards, %")
    axes.set_title("Solvable boards by number of pieces")
    axes.grid()
    axes.legend()

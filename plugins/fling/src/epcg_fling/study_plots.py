"""The plots of `epcg fling study`: Figures 5 to 8 of Sturtevant 2013, as SVG and PNG."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from statistics import fmean
from typing import TYPE_CHECKING, Any

from epcg_core.errors import EpcgError
from epcg_fling.study_data import LevelBoard, Saving, Solvable

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_DARK, _LIGHT = "#1f4e79", "#e07b39"
_SETTINGS: Any = {
    "axes.spines.right": False,
    "axes.spines.top": False,
    "axes.grid": True,
    "grid.color": "#dddddd",
    "font.size": 10,
    # Without these two, every run would write another file for the same numbers.
    "svg.hashsalt": "epcg",
    "svg.fonttype": "none",
}


def require_matplotlib() -> None:
    """Raises EpcgError with the extra to install where matplotlib is missing."""
    try:
        import matplotlib  # noqa: F401
    except ImportError as error:
        raise EpcgError(
            "The plots need matplotlib, which is not installed: pip install 'epcg-fling[plot]', or leave the "
            "plots out with --no-plots."
        ) from error


def plot_all(
    folder: Path, boards: Sequence[LevelBoard], savings: Sequence[Saving], solvable: Sequence[Solvable]
) -> list[Path]:
    """Write figure_5 to figure_8, those that have data, as .svg and .png into `folder`; the files written."""
    levels = list(dict.fromkeys(board.level for board in boards))
    figures: list[tuple[str, Callable[[Axes], None]]] = [
        ("figure_5_pieces", lambda axes: _pieces_by_level(axes, levels, boards)),
        ("figure_6_reachable_states", lambda axes: _states_by_level(axes, levels, boards)),
    ]
    if savings:
        figures.append(("figure_7_saving", lambda axes: _saving(axes, savings)))
    if solvable:
        figures.append(("figure_8_solvable", lambda axes: _solvable(axes, solvable)))
    return [path for name, draw in figures for path in _write(folder / name, draw)]


def _write(path: Path, draw: Callable[[Axes], None]) -> list[Path]:
    import matplotlib
    from matplotlib.figure import Figure

    with matplotlib.rc_context(_SETTINGS):
        figure = Figure(figsize=(6.4, 4), layout="constrained")
        draw(figure.add_subplot())
        svg, png = path.with_suffix(".svg"), path.with_suffix(".png")
        figure.savefig(svg, metadata={"Date": None})
        figure.savefig(png, dpi=150)
    return [svg, png]


def _by_level(axes: Axes, levels: Sequence[str], points: Sequence[tuple[str, int]], what: str) -> None:
    """A dot a value, larger where boards coincide, and the mean of each level as a line."""
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
    axes.legend(frameon=False)


def _pieces_by_level(axes: Axes, levels: Sequence[str], boards: Sequence[LevelBoard]) -> None:
    _by_level(axes, levels, [(b.level, b.pieces) for b in boards], "pieces")
    axes.set_title("Pieces by level")


def _states_by_level(axes: Axes, levels: Sequence[str], boards: Sequence[LevelBoard]) -> None:
    _by_level(axes, levels, [(b.level, b.reachable_states) for b in boards], "reachable states")
    axes.set_yscale("log")
    axes.set_title("Reachable states by level")


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
    axes.legend(frameon=False)


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
    axes.legend(frameon=False)

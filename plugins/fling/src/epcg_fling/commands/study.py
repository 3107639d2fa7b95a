"""`epcg fling study`: Figures 5 to 8 of Sturtevant 2013, for any file of levels."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from statistics import fmean
from typing import TYPE_CHECKING

import click

from epcg_core.plugin import output, require, required, writing
from epcg_fling.formats.levels import read_levels
from epcg_fling.rules.moves import BoardShape
from epcg_fling.search.recorded import how_to_record, recorded_tables

if TYPE_CHECKING:
    from epcg_fling.studies.data import Advance, LevelBoard, Saving, Solvable
    from epcg_fling.studies.plots import Save

GAME = BoardShape(7, 8)


def command() -> click.Command:
    """Make the click command."""

    @click.command("study", short_help="Measures of published levels and of random boards (2013).")
    @click.argument("levels", type=click.Path(exists=True, dir_okay=False, path_type=Path))
    @click.option(
        "--random", "count", default=500, show_default=True, type=click.IntRange(0),
        help="Random boards for each number of pieces; 0 for none.",
    )  # fmt: skip
    @click.option(
        "--seed", default=1, show_default=True, type=click.IntRange(0), help="The seed of the random boards."
    )
    @click.option(
        "--pieces", default="14-16", show_default=True, metavar="A-B", callback=_pieces,
        help="The numbers of pieces of the random boards.",
    )  # fmt: skip
    @click.option(
        "--output", "out", default="fling-study", show_default=True,
        type=click.Path(file_okay=False, path_type=Path), help="The folder for the tables and the plots.",
    )  # fmt: skip
    @click.option("--no-plots", is_flag=True, help="Write the tables only (matplotlib is not needed).")
    @click.option(
        "--db", envvar="EPCG_DB", default="epcg.db", show_default=True, show_envvar=True,
        type=click.Path(dir_okay=False, path_type=Path),
        help="The database with the layers whose solvable boards are counted exactly.",
    )  # fmt: skip
    def study(
        levels: Path, count: int, seed: int, pieces: range, out: Path, no_plots: bool, db: Path
    ) -> None:
        """Measure the boards of LEVELS, a JSON file, and random boards of the game's 7 by 8 cells.

        Figure 5: reachable states by level. Figure 6: pieces by level. Figure 7: what endgame tables save
        when the boards are analyzed. Figure 8: how many boards are solvable, by pieces: all boards of the
        layers that are recorded in the database, and random boards with a 95 % confidence interval.

        LEVELS holds the boards level by level; bit y * 7 + x of a bitboard is set where a piece lies, row 0
        on top; the number of pieces is optional and checked:

        \b
            {"1": [{"bitboard": 6656, "pieces": 3}, {"bitboard": 557072}],
             "2": [{"bitboard": 1305686835200}]}
        """
        if not no_plots:
            require(
                "The plots need", "matplotlib", extra="epcg-fling[plot]",
                otherwise=", or leave the plots out with --no-plots",
            )  # fmt: skip
        save = None if no_plots else required("save_figure", "`epcg fling study` without --no-plots")
        _study(levels, count, seed, pieces, out, save, db)

    return study


def _pieces(context: click.Context, parameter: click.Parameter, value: str) -> range:
    match = re.fullmatch(r"([0-9]{1,6})(?:-([0-9]{1,6}))?", value.strip())
    if match is None:
        raise click.BadParameter(f"'{value}' is not a number or a range such as 14-16.")
    low, high = int(match[1]), int(match[2] or match[1])
    if not 1 <= low <= high <= GAME.cells:
        raise click.BadParameter(f"'{value}' is not a range within 1 to {GAME.cells}.")
    return range(low, high + 1)


def _study(
    levels: Path, count: int, seed: int, pieces: range, out: Path, save: Save | None, db: Path
) -> None:
    # The compiled parts take a second to import; a malformed file is found before.
    found = read_levels(levels, GAME)
    from epcg_fling.studies.data import recorded_solvable, sampled_solvable, study_levels

    with _progress("levels", sum(len(level.boards) for level in found)) as advance:
        boards, savings = study_levels(GAME, found, advance)
    solvable: list[Solvable] = []
    for layer in range(1, GAME.cells + 1):
        # One at a time: the tables of the higher layers are large.
        solvable += recorded_solvable(recorded_tables(db, GAME, [layer], "successors"))
    exact = {row.pieces for row in solvable}
    if not exact:
        print(
            f"No layer is recorded in {db}: Figure 8 shows random boards only. Compute layers with: "
            + how_to_record(GAME, 8, "successors"),
            file=sys.stderr,
        )
    for number in pieces if count else ():
        if number not in exact:
            with _progress(f"random boards of {number} pieces", count) as advance:
                solvable.append(sampled_solvable(GAME, number, count, seed, advance))
    solvable.sort(key=lambda row: row.pieces)
    _write_tables(out, boards, savings, solvable)
    _show(boards, savings, solvable, seed)
    files = ["levels.csv", "saving.csv", "solvable.csv"]
    if save is not None:
        from epcg_fling.studies.plots import plot_all

        files += [path.name for path in plot_all(out, boards, savings, solvable, save)]
    print(f"Written to {out}: {', '.join(files)}", file=sys.stderr)


@contextmanager
def _progress(what: str, total: int) -> Iterator[Advance]:
    """Show a progress bar on standard error if it is a terminal."""
    from rich.console import Console
    from rich.progress import Progress

    with Progress(console=Console(stderr=True), transient=True, disable=not sys.stderr.isatty()) as bar:
        task = bar.add_task(what, total=total)
        yield lambda done: bar.advance(task, done)


def _write_tables(
    folder: Path, boards: Sequence[LevelBoard], savings: Sequence[Saving], solvable: Sequence[Solvable]
) -> None:
    with writing(folder):
        folder.mkdir(parents=True, exist_ok=True)
        _write(
            folder / "levels.csv",
            ["level", "board", "bitboard", "pieces", "reachable_states", "solvable", "unique"],
            [
                [b.level, b.number, b.bitboard, b.pieces, b.reachable_states, int(b.solvable), int(b.unique)]
                for b in boards
            ],
        )
        _write(
            folder / "saving.csv",
            ["pieces", "table_pieces", "boards", "mean_states", "mean_states_with_table", "factor"],
            [[s.pieces, s.table_pieces, s.boards, s.states, s.states_with_table, s.factor] for s in savings],
        )
        _write(
            folder / "solvable.csv",
            ["pieces", "boards", "examined", "solvable", "undecided", "share", "low", "high", "exact"],
            [
                [
                    r.pieces,
                    r.boards,
                    r.examined,
                    r.solvable,
                    r.undecided,
                    r.share,
                    r.low,
                    r.high,
                    int(r.exact),
                ]
                for r in solvable
            ],
        )


def _write(path: Path, header: Sequence[str], rows: Sequence[Sequence[object]]) -> None:
    with path.open("w", encoding="utf-8", newline="") as file:
        file.writelines(f"{line}\n" for line in output.csv_lines(header, rows))


def _show(
    boards: Sequence[LevelBoard], savings: Sequence[Saving], solvable: Sequence[Solvable], seed: int
) -> None:
    output.write_table(
        ["level", "boards", "reachable states", "mean", "pieces", "mean", "solvable", "unique"],
        output.labelled(_level_rows(boards)),
        "Figures 5 and 6: reachable states and pieces by level",
    )
    if savings:
        print()
        header, rows = _saving_table(savings)
        output.write_table(
            header,
            output.labelled(rows),
            title="Figure 7: boards searched to judge a board and its edits, mean",
        )
    if solvable:
        print()
        output.write_table(
            ["pieces", "boards", "examined", "solvable", "95 % interval"],
            output.labelled(map(_solvable_row, solvable)),
            f"Figure 8: solvable boards by pieces (random boards: seed {seed})",
        )


def _level_rows(boards: Sequence[LevelBoard]) -> list[list[str]]:
    rows = []
    for level in dict.fromkeys(board.level for board in boards):
        own = [board for board in boards if board.level == level]
        pieces = [board.pieces for board in own]
        states = [board.reachable_states for board in own]
        rows.append(
            [
                level,
                str(len(own)),
                _span(states),
                f"{fmean(states):,.1f}",
                _span(pieces),
                f"{fmean(pieces):.1f}",
                str(sum(board.solvable for board in own)),
                str(sum(board.unique for board in own)),
            ]
        )
    return rows


def _span(values: Sequence[int]) -> str:
    low, high = min(values), max(values)
    return f"{low:,}" if low == high else f"{low:,} to {high:,}"


def _saving_table(savings: Sequence[Saving]) -> tuple[list[str], list[list[str]]]:
    tables = sorted({saving.table_pieces for saving in savings})
    header = ["pieces", "boards", "by search"]
    header += [text for table in tables for text in (f"table of {table}", "factor")]
    rows = []
    for pieces in sorted({saving.pieces for saving in savings}):
        own = {saving.table_pieces: saving for saving in savings if saving.pieces == pieces}
        some = next(iter(own.values()))
        row = [str(pieces), str(some.boards), f"{some.states:,.0f}"]
        for table in tables:
            cell = own.get(table)
            row += [f"{cell.states_with_table:,.0f}", f"{cell.factor:.1f}"] if cell else ["-", "-"]
        rows.append(row)
    return header, rows


def _solvable_row(row: Solvable) -> list[str]:
    interval = "exact" if row.exact else f"{100 * row.low:.1f} to {100 * row.high:.1f} %"
    undecided = f" ({row.undecided:,} undecided)" if row.undecided else ""
    examined = f"{row.examined:,}{undecided}"
    return [str(row.pieces), f"{row.boards:,}", examined, f"{100 * row.share:.2f} %", interval]

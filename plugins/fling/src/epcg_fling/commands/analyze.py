"""`epcg fling analyze`: what a designer asks about a board (Sturtevant 2013)."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from epcg_core.plugin import EpcgError, documents, output, registry, writing
from epcg_fling.formats.boards import drawn_rows, format_board, parse_board
from epcg_fling.params import BoardsParams
from epcg_fling.rendering.renderers import (
    VERDICT_SIGNS,
    VERDICT_WORDS,
    VERDICTS,
    analysis_svg,
    analysis_text,
    move_in_words,
    moves_in_words,
)
from epcg_fling.rules.moves import DIRECTION_NAMES, BoardShape, Move, legal_moves
from epcg_fling.rules.solving import Verdict
from epcg_fling.search.endgame import FIRST_TABLE
from epcg_fling.search.recorded import highest_tables, how_to_record

if TYPE_CHECKING:
    from epcg_fling.evaluation.analysis import Analysis, Timing


def command() -> click.Command:
    """Make the click command."""

    @click.command("analyze", short_help="What each move and each edit of a board leads to.")
    @click.argument("board")
    @click.option(
        "--width", type=click.IntRange(1, 64), help="Cells in a row; default: those of a drawing, else 7."
    )
    @click.option("--height", type=click.IntRange(1, 64), help="Rows; default: those of a drawing, else 8.")
    @click.option(
        "--output", "svg", metavar="FILE", type=click.Path(dir_okay=False, path_type=Path),
        help="Draw the analysis into this SVG file.",
    )  # fmt: skip
    @click.option(
        "--db",
        envvar="EPCG_DB",
        default="epcg.db",
        show_default=True,
        show_envvar=True,
        type=click.Path(dir_okay=False, path_type=Path),
        help="The database whose endgame tables are used.",
    )
    @click.option(
        "--uniqueness",
        type=click.Choice(["successors", "moves"]),
        default="successors",
        show_default=True,
        help="What makes a solution unique: distinct boards are counted, or moves.",
    )
    @click.option("--json", "as_json", is_flag=True, help="Print JSON.")
    def analyze(
        board: str, width: int | None, height: int | None, svg: Path | None, db: Path, uniqueness: str,
        as_json: bool,
    ) -> None:  # fmt: skip
        """Analyse BOARD for a designer.

        The answer says how many boards can be reached from BOARD, which moves win, and what adding or
        removing a piece in each cell would do.

        BOARD is a file, or rows such as o.o/..o/... (o is a piece), or cells such as 3,17,40, or a bitboard:
        the number whose bit y * width + x is set if the cell has a piece.

        If endgame tables are recorded in the database, everything is computed twice, with the tables and
        without, and the CPU times of both are shown.
        """
        shape, bits = read_board(board, width, height)
        _analyze(shape, bits, svg, db, uniqueness, as_json)

    return analyze


def read_board(board: str, width: int | None = None, height: int | None = None) -> tuple[BoardShape, int]:
    """Read the board that the argument names: the content of a file of that name, or the argument itself.

    A size that is not given is that of the drawing, or that of the game. Raises EpcgError if it is not a
    board, or one without pieces.
    """
    path = registry().named_path(board)
    text = board if path is None else documents.read_text(path, "file")
    rows = drawn_rows(text)
    if rows:
        width, height = width or len(rows[0]), height or len(rows)
    usual = BoardsParams(width or 7, height or 8, 1)
    shape = BoardShape(usual.width, usual.height)
    bits = parse_board(shape, text)
    if bits == 0:
        raise EpcgError("The board has no pieces: there is nothing to analyze.")
    return shape, bits


def _analyze(
    shape: BoardShape, bits: int, svg: Path | None, db: Path, uniqueness: str, as_json: bool
) -> None:
    # The compiled parts take a second to import; `--help` and mistakes in the arguments need not wait.
    from epcg_fling.evaluation.analysis import analyze_board

    top = min(bits.bit_count() + 1, shape.cells)
    analysis = analyze_board(shape, bits, uniqueness, highest_tables(db, shape, top, uniqueness))
    if svg is not None:
        picture = analysis_svg(shape, bits, analysis.judgement.winning_moves, analysis.changes)
        with writing(svg):
            svg.write_text(picture, encoding="utf-8")
    if as_json:
        print(json.dumps(as_data(shape, bits, uniqueness, db, analysis), indent=2))
    else:
        _print(shape, bits, uniqueness, analysis)
        rows = format_board(shape, bits).replace("\n", "/")
        print(
            f"Every measure, and where the board stands in recorded runs: epcg score {rows}", file=sys.stderr
        )
        if not analysis.layers and top >= FIRST_TABLE:
            print(
                f"No endgame table for this board is recorded in {db}; compute one with: "
                + how_to_record(shape, min(max(bits.bit_count() - 1, FIRST_TABLE), 8), uniqueness),
                file=sys.stderr,
            )
    if svg is not None:
        print(f"Drawn into {svg}.", file=sys.stderr)


def as_data(shape: BoardShape, bits: int, uniqueness: str, db: Path, analysis: Analysis) -> dict[str, Any]:
    """Return the analysis as JSON-like data. Columns and rows count from 1, cells from 0."""
    judged = analysis.judgement
    return {
        "board": {
            "bitboard": bits,
            "width": shape.width,
            "height": shape.height,
            "pieces": bits.bit_count(),
            "rows": format_board(shape, bits).splitlines(),
        },
        "uniqueness": uniqueness,
        **_verdict_data(judged.verdict),
        "reachable_states": analysis.reachable_states,
        "solution": None if analysis.solution is None else [_move_data(shape, m) for m in analysis.solution],
        "winning_moves": [_move_data(shape, move) for move in judged.winning_moves],
        "edits": [
            {
                **_cell_data(shape, cell),
                "change": "remove" if bits >> cell & 1 else "add",
                **_verdict_data(verdict),
                "changes_solvability": is_solvable(verdict) != is_solvable(judged.verdict),
                "changes_uniqueness": (verdict == "unique") != (judged.verdict == "unique"),
            }
            for cell, verdict in judged.edits.items()
        ],
        "endgame_tables": {"database": str(db), "layers": list(analysis.layers)},
        "cpu_seconds": {
            "reachable_states": analysis.reachable_cpu,
            "search": _timing_data(analysis.search),
            "with_tables": _timing_data(analysis.with_tables),
            "factor": _factor(analysis),
        },
    }


def is_solvable(verdict: Verdict) -> bool:
    """Return whether a board of this verdict is solvable."""
    return verdict != "unsolvable"


def _verdict_data(verdict: Verdict) -> dict[str, bool]:
    return {"solvable": is_solvable(verdict), "unique": verdict == "unique"}


def _cell_data(shape: BoardShape, cell: int) -> dict[str, int]:
    return {"cell": cell, "column": cell % shape.width + 1, "row": cell // shape.width + 1}


def _move_data(shape: BoardShape, move: Move) -> dict[str, Any]:
    return {
        **_cell_data(shape, move[0]),
        "direction": DIRECTION_NAMES[move[1]],
        "words": move_in_words(shape, move),
    }


def _timing_data(timing: Timing | None) -> dict[str, float] | None:
    return None if timing is None else {"winning_moves": timing.winning_moves, "edits": timing.edits}


def _factor(analysis: Analysis) -> float | None:
    if analysis.search is None or analysis.with_tables is None:
        return None
    return analysis.search.total / analysis.with_tables.total


def _print(shape: BoardShape, bits: int, uniqueness: str, analysis: Analysis) -> None:
    judged = analysis.judgement
    counted = " (distinct boards are counted)" if uniqueness == "successors" else " (moves are counted)"
    verdict = VERDICT_WORDS[judged.verdict] + (counted if is_solvable(judged.verdict) else "")
    pieces = f"{bits.bit_count()} piece{'s' * (bits.bit_count() != 1)}"
    print(f"Board {bits}, {shape.width} by {shape.height}, {pieces}: {verdict}.\n")
    print(format_board(shape, bits))
    if analysis.solution:
        print("\nA solution:" if judged.verdict == "solvable" else "\nThe solution:")
        print("\n".join(f"  {step}" for step in moves_in_words(shape, analysis.solution)))
    reachable = analysis.reachable_states
    print(f"\nReachable states: {'more than ten million' if reachable is None else f'{reachable:,}'}")
    print(f"Winning moves: {len(judged.winning_moves)} of {len(legal_moves(shape, bits))}")
    for move in judged.winning_moves:
        print(f"  {move_in_words(shape, move)}")
    _print_edits(shape, bits, analysis)
    print()
    header, rows = _timing_table(analysis)
    output.write_table(header, output.labelled(rows))


def _print_edits(shape: BoardShape, bits: int, analysis: Analysis) -> None:
    judged, changes = analysis.judgement, analysis.changes
    solvability = sum(is_solvable(v) != is_solvable(judged.verdict) for v in changes.values())
    uniqueness = sum((v == "unique") != (judged.verdict == "unique") for v in changes.values())
    print(
        f"Edits (a piece removed from a cell, or added): {solvability} of {shape.cells} change whether the "
        f"board is solvable,\n  {uniqueness} whether its solution is unique."
    )
    if not changes:
        return
    print("\n" + analysis_text(shape, bits, changes), end="")
    legend = [v for v in VERDICTS if v in changes.values()]
    print("It becomes: " + ", ".join(f"{VERDICT_SIGNS[v]} {VERDICT_WORDS[v]}" for v in legend) + ".")


def _timing_table(analysis: Analysis) -> tuple[list[str], list[list[str]]]:
    """Return the header and rows of the CPU times."""
    search, tables = analysis.search, analysis.with_tables
    header = ["CPU time", "by search"]
    rows: list[list[str]] = []
    columns: list[tuple[str, Callable[[Timing], float]]] = [
        ("winning moves", lambda timing: timing.winning_moves),
        ("edits", lambda timing: timing.edits),
        ("together", lambda timing: timing.total),
    ]
    if tables:
        layers = ", ".join(map(str, analysis.layers))
        header += [f"with tables of {layers} pieces", "factor"]
    rows.append(["reachable states", milliseconds(analysis.reachable_cpu), *["-"] * (len(header) - 2)])
    for name, part in columns:
        slow, fast = part(search) if search else None, part(tables) if tables else None
        row = [name, milliseconds(slow)]
        if tables:
            row += [milliseconds(fast), f"{slow / fast:.1f}" if slow is not None and fast else "-"]
        rows.append(row)
    return header, rows


def milliseconds(seconds: float | None) -> str:
    """Format a time in ms with three digits; 'too large' for None."""
    if seconds is None:
        return "too large"
    return f"{1000 * seconds:,.0f} ms" if seconds >= 0.1 else f"{1000 * seconds:.3g} ms"

"""`epcg snakebird study`: what single changes of tiles do to the solutions of a folder's levels.

After Sturtevant, Decroocq, Tripodi & Guzdial, "The Unexpected Consequence of Incremental Design Changes"
(2020), Figure 4 and its tests. Lengths are moves; the paper counts positions, one more.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import attrs
import click

from epcg_core.plugin import RunInterruptedError, candidate_timeout_option, output, require, required, writing
from epcg_snakebird.commands.options import own_tail_option
from epcg_snakebird.formats.files import level_files
from epcg_snakebird.rules.variants import STAYS, OwnTail
from epcg_snakebird.studies.data import FEWEST, Statistics, StudiedLevel, statistics

if TYPE_CHECKING:
    from epcg_snakebird.studies.plots import Save

COLUMNS = (
    "level", "outcome", "run", "original", "longest", "shortest", "variants", "unsolvable", "over_limit",
    "longest_changes", "shortest_changes", "note",
)  # fmt: skip
FIGURE = "figure_4.svg"


def command() -> click.Command:
    """Make the click command."""

    @click.command("study", short_help="What single changes do to the solutions of a folder's levels (2020).")
    @click.argument("folder", type=click.Path(exists=True, file_okay=False, path_type=Path))
    @click.option(
        "--db", envvar="EPCG_DB", default="epcg.db", show_default=True, show_envvar=True,
        help="The database that everything is recorded in.",
    )  # fmt: skip
    @click.option(
        "--limit", default=1_000_000, show_default=True, type=click.IntRange(1),
        help="Expansions of each search. Levels that need more are reported, not counted.",
    )  # fmt: skip
    @candidate_timeout_option
    @own_tail_option(STAYS)
    @click.option("--workers", type=click.IntRange(1), help="Processes; default: one for each processor.")
    @click.option(
        "--output", "out", default="snakebird-study", show_default=True,
        type=click.Path(file_okay=False, path_type=Path), help="The folder for the table and the figure.",
    )  # fmt: skip
    @click.option("--no-plots", is_flag=True, help="Draw no figure (matplotlib is not needed).")
    @click.option("--json", "as_json", is_flag=True, help="Print JSON.")
    def study(
        folder: Path,
        db: str,
        limit: int,
        candidate_timeout: float | None,
        own_tail: OwnTail,
        workers: int | None,
        out: Path,
        no_plots: bool,
        as_json: bool,
    ) -> None:
        """Change every tile of every level in FOLDER, and compare the lengths of the shortest solutions.

        Each level is one run over its single changes (the query snakebird/single_edits). Runs that are in the
        database are not repeated, so after an interruption the same command goes on where it stopped.

        Then three distributions are compared: the levels as they are, with the change that makes the
        solution the longest, and with the one that makes it the shortest. Shapiro-Wilk says whether they are
        normal, the Wilcoxon rank-sum test whether they differ; one move more is the reference. The samples
        are of the same levels, so the signed-rank test of the pairs says more; the paper has the other.
        """
        require("The tests need", "scipy.stats", extra="epcg-snakebird[study]")
        if not no_plots:
            require(
                "The plots need", "matplotlib", extra="epcg-snakebird[plot]",
                otherwise=", or leave the plots out with --no-plots",
            )  # fmt: skip
        save = None if no_plots else required("save_figure", "`epcg snakebird study` without --no-plots")
        levels = _record(folder, db, limit, candidate_timeout, own_tail, workers)
        _study(levels, folder, db, limit, out, save, as_json)

    return study


def _study(
    levels: Sequence[StudiedLevel],
    folder: Path,
    db: str,
    limit: int,
    out: Path,
    save: Save | None,
    as_json: bool,
) -> None:
    counted = [level for level in levels if level.outcome == "counted"]
    found = statistics(levels) if len(counted) >= FEWEST else None
    written = [_write(out, levels)]
    if save is not None and counted:
        from epcg_snakebird.studies.plots import draw_lengths

        written.append(out / FIGURE)
        draw_lengths(written[-1], counted, save)
    for level in levels:
        if level.outcome != "counted":
            print(f"Not counted: {level.note}", file=sys.stderr)
    if as_json:
        print(json.dumps(_as_data(folder, limit, levels, found), indent=2))
    else:
        _show(counted, found)
    print(f"Recorded in {db}. Written: {', '.join(map(str, written))}.", file=sys.stderr)


def _record(
    folder: Path,
    db: str,
    limit: int,
    candidate_timeout: float | None,
    own_tail: OwnTail,
    workers: int | None,
) -> list[StudiedLevel]:
    from epcg_core.plugin import Coordinator, Options, Progress, Store
    from epcg_snakebird.studies.runs import studied_levels

    options = Options(workers=workers, quiet=True)
    progress = Progress(f"study {folder}", len(level_files(str(folder))), unit="levels")
    levels = []
    try:
        with Store.open(db, write=True) as store, Coordinator(store, options) as coordinator, progress:
            for level in studied_levels(coordinator, store, folder, limit, candidate_timeout, own_tail):
                levels.append(level)
                progress.advance(1)
    except RunInterruptedError as error:
        error.add_note(f"Levels done: {len(levels)}. The same command goes on with the study.")
        raise
    return levels


def _write(folder: Path, levels: Sequence[StudiedLevel]) -> Path:
    path = folder / "levels.csv"
    rows = [
        ["; ".join(data[c]) if isinstance(data[c], list) else data[c] for c in COLUMNS]
        for data in map(_level_data, levels)
    ]
    with writing(path):
        folder.mkdir(parents=True, exist_ok=True)
        with path.open("w", encoding="utf-8", newline="") as file:
            file.writelines(f"{line}\n" for line in output.csv_lines(COLUMNS, rows))
    return path


def _level_data(level: StudiedLevel) -> dict[str, Any]:
    """Return what is known of a level, with its lengths only if the level is counted."""
    data = attrs.asdict(level)
    data["level"] = data.pop("name")
    if level.outcome != "counted":
        data |= dict.fromkeys(("original", "longest", "shortest"))
    return {key: list(value) if isinstance(value, tuple) else value for key, value in data.items()}


def _as_data(
    folder: Path, limit: int, levels: Sequence[StudiedLevel], found: Statistics | None
) -> dict[str, Any]:
    return {
        "folder": str(folder),
        "limit": limit,
        "counted": sum(level.outcome == "counted" for level in levels),
        "samples": [
            {"name": s.name, "median": s.median, "shapiro_w": _known(s.w), "shapiro_p": _known(s.p)}
            for s in (found.samples if found else ())
        ],
        "rank_sum": [{"name": c.name, "u": c.u, "p": c.p} for c in (found.comparisons if found else ())],
        "signed_rank": [
            {"name": c.name, "n": c.n, "w": _known(c.w), "p": _known(c.p)}
            for c in (found.paired if found else ())
        ],
        "levels": [_level_data(level) for level in levels],
    }


def _known(value: float) -> float | None:
    return None if value != value else value


def _show(counted: Sequence[StudiedLevel], found: Statistics | None) -> None:
    header = ["level", "original", "longest", "shortest", "variants", "unsolvable", "over limit", "ties"]
    rows = [
        [
            level.name,
            *map(str, (level.original, level.longest, level.shortest, level.variants, level.unsolvable)),
            str(level.over_limit),
            f"{len(level.longest_changes)}, {len(level.shortest_changes)}",
        ]
        for level in counted
    ]
    output.write_table(
        header, output.labelled(rows), "Moves of the shortest solution, and with single changes of tiles"
    )
    print()
    if found is None:
        print(f"{len(counted)} levels are counted; medians and tests need {FEWEST} or more.")
        return
    output.write_table(
        ["moves", "levels", "median", "Shapiro W", "p"],
        output.labelled(
            [[s.name, str(len(s.values)), f"{s.median:g}", f"{s.w:.4f}", f"{s.p:.2e}"] for s in found.samples]
        ),
    )
    print()
    output.write_table(
        ["rank-sum test", "U", "p"],
        output.labelled([[c.name, f"{c.u:g}", f"{c.p:.2e}"] for c in found.comparisons]),
    )
    print()
    output.write_table(
        ["signed-rank test of pairs", "n", "W", "p"],
        output.labelled([[c.name, str(c.n), f"{c.w:g}", f"{c.p:.2e}"] for c in found.paired]),
    )

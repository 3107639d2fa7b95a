"""`epcg puzzlescript survey`: what becomes of all games of a folder, and in what two surveys differ."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from epcg_core.plugin import (
    CheckFailedError,
    EpcgError,
    Progress,
    counted,
    db_option,
    documents,
    format_option,
    output,
    writing,
)
from epcg_puzzlescript.commands.survey_changes import as_document, changes, read_survey
from epcg_puzzlescript.commands.survey_levels import OUTCOMES, Limits, load_kernels
from epcg_puzzlescript.commands.survey_page import as_page, drawing_of
from epcg_puzzlescript.commands.survey_rows import (
    CERTAIN,
    READ,
    Row,
    all_kinds,
    counts_of,
    row_of,
    share,
    survey_files,
)
from epcg_puzzlescript.formats.files import shipped_games
from epcg_puzzlescript.formats.text import level_of
from epcg_puzzlescript.language.files import read_text
from epcg_puzzlescript.language.game import Game, parse_game

if TYPE_CHECKING:
    from epcg_puzzlescript.commands.survey_store import Kept

EXPANSIONS, SECONDS = 100_000, 10.0
_HEADER = (
    "game", "outcome", "levels", "largest", "objects", "rules", "elementary", "engine", "errors", "warnings",
    "searched", "remarks",
)  # fmt: skip
_KINDS = ("fault", "games", "times", "errors", "warnings")
_CHANGES = ("game", "what", "before", "now")
_SHARE = ("answers", "games", "of all", "levels", "of all levels")


def command() -> click.Command:
    """Make the click command."""
    file = click.Path(dir_okay=False, path_type=Path)

    @click.command("survey", short_help="What becomes of all games of a folder, and what changed since.")
    @click.argument("folder", type=click.Path(path_type=Path))
    @click.option("--solve", is_flag=True, help="Search each level, within --limit and --seconds.")
    @click.option(
        "--limit",
        type=click.IntRange(0),
        metavar="N",
        help=f"Expansions that the search of a level may take.  [default: {EXPANSIONS:,}]",
    )
    @click.option(
        "--seconds",
        type=click.FloatRange(0, 1e6, min_open=True),
        metavar="S",
        help=f"CPU seconds that it may take (on Linux).  [default: {SECONDS:g}]",
    )
    @click.option("--again", is_flag=True, help="Search levels again whose rows the database has.")
    @click.option(
        "--share", "shares", is_flag=True, help="Print for how many games and levels answers can be proofs."
    )
    @click.option("--kinds", is_flag=True, help="Print the kinds of faults of all games, not the games.")
    @click.option(
        "--against", type=file, metavar="FILE", help="Print in what games differ from this survey's."
    )
    @click.option("--json", "target", type=file, metavar="FILE", help="Write the survey into this file.")
    @click.option("--page", type=file, metavar="FILE", help="Write an HTML page with drawings.")
    @partial(format_option, json=False)
    @click.option("--quiet", is_flag=True, help="Show no progress.")
    @db_option
    def survey(
        folder: Path, solve: bool, limit: int | None, seconds: float | None, again: bool, shares: bool,
        kinds: bool, against: Path | None, target: Path | None, page: Path | None, format: str, quiet: bool,
        location: str,
    ) -> None:  # fmt: skip
        """Look at all games in FOLDER and below it: .txt, .puzzlescript and .pz files.

        A row says of a file whether the game is read, or why not; its sizes; which engine serves it; its
        errors and warnings as PuzzleScript itself counts them; what is not read as it is written; and with
        --solve what becomes of its levels. A file that is not a game is a row, too.

        With --solve the rows of games and levels are kept in the database (puzzlescript_game and
        puzzlescript_levels) as they are found, so that a survey that was stopped goes on where it was. An
        interrupt ends the survey with the rows that are there. With --against the exit code is 4 if a game
        differs.

        \b
        Examples:
          epcg puzzlescript survey games --solve --json before.json --page games.html
          epcg puzzlescript survey games --solve --against before.json
          epcg puzzlescript survey games --share
          epcg puzzlescript survey games --kinds
        """
        if not solve and (again or not (limit is None and seconds is None)):
            raise click.UsageError("--limit, --seconds and --again are for searches: add --solve.")
        if kinds + shares + (against is not None) > 1:
            raise click.UsageError("--kinds, --share and --against print different tables: choose one.")
        for place in (target, page):
            if place is not None and not place.parent.is_dir():
                raise EpcgError(f"There is no folder {place.parent}: make it, or choose another file.")
        old = None if against is None else read_survey(against)
        limits = None
        if solve:
            limits = Limits(EXPANSIONS if limit is None else limit, seconds or SECONDS)
        files = survey_files(folder)
        drawings: dict[str, str] = {}
        rows: list[Row] = []
        interrupted: KeyboardInterrupt | None = None
        with nullcontext() if limits is None else _kept(location, folder, limits, again) as kept:
            try:
                for row in _rows(files, limits, None if page is None else drawings, kept, quiet):
                    rows.append(row)
            except KeyboardInterrupt as error:
                interrupted = error
                interrupted.add_note(f"{counted(len(rows), 'file')} of {len(files)} were looked at.")
        document = output.json_value(as_document(rows, limits, len(files)))
        if target is not None:
            _write(target, json.dumps(document, indent=1, ensure_ascii=False) + "\n")
        if page is not None:
            _write(page, as_page(rows, drawings, f"Survey of {folder.name or folder}", _summary(rows)))
        if old is not None:
            found = list(changes(old, document))
            output.write(format, _CHANGES, found)
        elif shares:
            output.write(format, _SHARE, _shares(rows))
        elif kinds:
            output.write(format, _KINDS, [list(kind.values()) for kind in all_kinds(rows)])
        elif format == "json":
            output.write_json(document)
        else:
            output.write(format, _HEADER, [_cells(row, whole=format == "csv") for row in rows])
        if not quiet:
            if kept is not None and kept.taken:
                output.say(
                    f"{counted(kept.taken, 'level')} {'was' if kept.taken == 1 else 'were'} searched before "
                    f"within the same limits, and taken from {location}; --again searches all levels."
                )
            output.say(_summary(rows))
        if interrupted is not None:
            raise interrupted
        if old is not None and found:
            games = len({change[0] for change in found})
            said = "1 game differs" if games == 1 else f"{games} games differ"
            raise CheckFailedError(f"{said} from those of {against}.")
        if old is not None and not quiet:
            output.say(f"No game differs from those of {against}.")

    return survey


def _kept(location: str, folder: Path, limits: Limits, again: bool) -> AbstractContextManager[Kept]:
    from epcg_puzzlescript.commands.survey_store import kept  # which needs the database

    return kept(location, folder, limits, again)


def _rows(
    files: Sequence[tuple[str, Path]], limits: Limits | None, drawings: dict[str, str] | None,
    kept: Kept | None, quiet: bool,
) -> Iterator[Row]:  # fmt: skip
    """Yield the row of each file; add drawings by the files' names if there is a table for them."""
    if limits is not None:
        load_kernels(level_of(parse_game(read_text(shipped_games()[0])), 0))
    with Progress("survey", len(files), unit="files", quiet=quiet) as progress:
        for name, path in files:

            def draw(game: Game, name: str = name) -> None:
                drawing = drawing_of(game)
                if drawings is not None and drawing is not None:
                    drawings[name] = drawing

            yield row_of(name, path, limits, None if drawings is None else draw, kept)
            progress.advance(1)


def _write(place: Path, text: str) -> None:
    with writing(place), documents.replaced(place) as part:
        part.write_text(text, encoding="utf-8", errors="replace")


def _cells(row: Row, whole: bool) -> list[Any]:
    """Return the cells of a row; numbers are strings with commas unless they are to be `whole`."""
    largest = max(row.get("levels", ()), key=lambda size: size[0] * size[1], default=None)
    remarks = [row["reason"], *row.get("notes", ())]
    numbers = [
        len(row["levels"]) if row["outcome"] == READ else None,
        *(row.get(key) for key in ("objects", "rules", "elementary_rules")),
    ]
    levels, objects, rules, elementary = numbers if whole else map(output.count, numbers)
    remark = " ".join(filter(None, remarks))
    return [
        row["file"], row["outcome"], levels, largest and output.Number(f"{largest[0]} by {largest[1]}"),
        objects, rules, elementary, row.get("engine_kind", ""), row["errors"], row["warnings"],
        counts_of(row), remark,
    ]  # fmt: skip


def _shares(rows: Sequence[Row]) -> list[list[Any]]:
    """Return for each kind of answer how many games and levels have it, and which part of all that is."""
    found = share(rows)
    games, levels = sum(line[1] for line in found), sum(line[2] for line in found)
    return [
        [kind, count, _part(count, games), number, _part(number, levels)] for kind, count, number in found
    ]


def _part(count: int, whole: int) -> str:
    return f"{100 * count / whole:.1f} %" if whole else ""


def _summary(rows: Sequence[Row]) -> str:
    """Return in sentences what became of all files and levels, and how many answers can be proven."""
    outcomes = [row["outcome"] for row in rows]
    said = ", ".join(f"{outcomes.count(outcome)} {outcome}" for outcome in dict.fromkeys(outcomes))
    levels = [level["outcome"] for row in rows for level in row.get("solved", ())]
    searched = ", ".join(f"{levels.count(each)} {each}" for each in OUTCOMES if each in levels)
    sentence = f"{counted(len(rows), 'file')}: {said or 'none'}." + (
        f" {counted(len(levels), 'level')}: {searched}." if levels else ""
    )
    return " ".join(filter(None, [sentence, _certain(rows)]))


def _certain(rows: Sequence[Row]) -> str:
    """Return a sentence about the games and levels of which answers can be proven; '' without games."""
    found = share(rows)
    games, levels = sum(line[1] for line in found), sum(line[2] for line in found)
    sure = [line for line in found if line[0] in CERTAIN]
    sure_games, sure_levels = sum(line[1] for line in sure), sum(line[2] for line in sure)
    if not levels:
        return ""
    said = f"{sure_levels:,} of {counted(levels, 'level')} ({_part(sure_levels, levels)})"
    whole = f"{sure_games:,} of {counted(games, 'game')} ({_part(sure_games, games)})"
    return f"Answers can be proofs for {said}, and for all levels of {whole}."

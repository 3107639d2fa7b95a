"""`epcg tangram cutout`: a sheet of the pieces at true size, for scissors or a laser cutter."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import attrs
import click

from epcg_core.plugin import ParamsError, RankError, documents, writing
from epcg_tangram.generators.bumps import bump_patterns
from epcg_tangram.params import BumpParams, GameRef
from epcg_tangram.rendering.sheet import PAGES, SheetParams, sheet
from epcg_tangram.rules.bumps import BumpPattern
from epcg_tangram.texts.game_files import USUAL


def command() -> click.Command:
    """Make the click command."""

    @click.command("cutout", short_help="A sheet of the pieces at true size, to be cut out.")
    @click.option("--edge", default=20.0, show_default=True, help="The edge of a cell in mm.")
    @click.option("--kerf", default=0.0, show_default=True, help="The width of the cut in mm.")
    @click.option("--page", type=click.Choice(list(PAGES)), default="a4", show_default=True)
    @game_options
    @click.option(
        "--pattern", metavar="RANK|HOLES",
        help="The holes for the bumps of the back: the rank of a bump pattern, or the pattern as a string.",
    )  # fmt: skip
    @click.option("--no-board", is_flag=True, help="Leave the board out.")
    @click.option(
        "--output", "out", default="tangram-cutout", show_default=True,
        type=click.Path(file_okay=False, path_type=Path), help="The folder for the pages, SVG files.",
    )  # fmt: skip
    def cutout(
        edge: float,
        kerf: float,
        page: str,
        game: str,
        sizes: str,
        pattern: str | None,
        no_board: bool,
        out: Path,
    ) -> None:
        """Write the pieces and the board as SVG pages of true size: red lines are cut, blue ones engraved.

        With a bump pattern a piece is two layers, front and back, to be glued together: the holes are cut
        through the layers, so that those of the two sides do not meet. The back of the board is a second
        floor, and the bumps are discs of the same sheet to be glued on its marks.
        """
        ref = game_of(game, sizes)
        params = SheetParams(
            game=ref, edge=edge, kerf=kerf, page=page, pattern=pattern_of(ref, pattern), board=not no_board
        )
        write(out, {f"page-{number}.svg": text for number, text in enumerate(sheet(params), 1)})

    return cutout


def game_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options that choose a game."""
    command = click.option(
        "--sizes", default="", metavar="N[,M]", help="Other sizes of its board than the text says."
    )(command)
    return click.option(
        "--game", default=USUAL, show_default=True, metavar="FILE|NAME",
        help="A game's file, or the name of a shipped game.",
    )(command)  # fmt: skip


def game_of(game: str, sizes: str) -> GameRef:
    """Return the game that the options name. Raises ParamsError."""
    words = [word.strip() for word in sizes.split(",") if word.strip()]
    if not all(word.isdecimal() and 1 <= len(word) <= 3 for word in words):
        raise ParamsError(f"--sizes are whole numbers with commas between, as in 6,10, not '{sizes}'.")
    return GameRef(game, tuple(map(int, words)))


def pattern_of(game: GameRef, text: str | None) -> BumpPattern | None:
    """Return the bump pattern of a rank or of its string. Raises EpcgError."""
    if text is None:
        return None
    own = attrs.asdict(game)
    patterns = bump_patterns(BumpParams(**own))
    if text.isdecimal():
        rank = documents.whole_number(text, patterns.max_rank - 1)
        if rank is None:
            raise RankError(f"There is no bump pattern {text:.40}: ranks are 0 to {patterns.max_rank - 1}.")
        return patterns.unrank(rank)
    found = patterns.parse(text)
    try:
        patterns.rank(found)
    except RankError:  # of the other reading of the paper?
        bump_patterns(BumpParams(**own, group_one="none")).rank(found)
    return found


def write(folder: Path, files: Mapping[str, str | bytes]) -> None:
    """Write files into a folder and print their names. Raises EpcgError if that cannot be."""
    with writing(f"The folder {folder}"):
        folder.mkdir(parents=True, exist_ok=True)
        for name, content in files.items():
            data = content if isinstance(content, bytes) else content.encode("utf-8")
            (folder / name).write_bytes(data)
            click.echo(str(folder / name))

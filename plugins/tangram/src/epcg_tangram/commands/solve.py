"""`epcg tangram solve`: one solved board, also of a game that is too large to search whole."""

from __future__ import annotations

import json
from pathlib import Path

import click

from epcg_core.plugin import EpcgError, writing
from epcg_tangram.commands.cutout import game_of
from epcg_tangram.rules.one_cover import USUAL_LIMIT


def command() -> click.Command:
    """Make the click command."""

    @click.command("solve", short_help="One solved board, also of a game too large to search whole.")
    @click.argument("game")
    @click.option("--sizes", default="", metavar="N[,M]", help="Other sizes of its board than the text says.")
    @click.option("--seed", type=click.IntRange(0, 2**63 - 1), default=0, show_default=True,
                  help="Another seed finds another board; the same finds the same.")  # fmt: skip
    @click.option("--limit", type=click.IntRange(1, 10**12), default=USUAL_LIMIT, show_default=True,
                  help="The most placements that are tried.")  # fmt: skip
    @click.option("--output", "out", type=click.Path(dir_okay=False, path_type=Path),
                  help="A file for the picture, in SVG.")  # fmt: skip
    @click.option("--json", "as_json", is_flag=True, help="Print JSON.")
    def solve(game: str, sizes: str, seed: int, limit: int, out: Path | None, as_json: bool) -> None:
        """Search one solved board of GAME at random, and draw it.

        The search begins again and again, so it finds boards of games that have too many to list.
        If it ends without one at its limit, nothing is known; else the game has none.

        \b
        Examples:
          epcg tangram solve pentominoes --seed 7
          epcg tangram solve my.packing --limit 100000000 --output solved.svg
        """
        from epcg_tangram.formats.boards import format_board
        from epcg_tangram.formats.drawing import draw
        from epcg_tangram.params import BoardsParams
        from epcg_tangram.rendering.renderers import board_svg
        from epcg_tangram.rules.boards import Board
        from epcg_tangram.rules.covers import cover_problem
        from epcg_tangram.rules.one_cover import one_cover

        ref = game_of(game, sizes)
        board = Board(ref, ())
        cover_problem(BoardsParams(ref.game, ref.sizes, ref.sha256))  # refuses what cannot be at once
        kinds = ref.definition.pieces
        found = one_cover(board.layout, [(kind.least, kind.most) for kind in kinds], seed, limit)
        if found.outcome == "limit":
            raise EpcgError(
                f"No solved board was found by trying {found.tried:,} placements with the seed {seed}, which "
                "does not say that there is none: give a larger --limit, or another --seed."
            )
        if found.outcome == "none":
            raise EpcgError("The pieces cannot cover the board: every way to begin was tried to its end.")
        board = Board(ref, found.placements)
        if out is not None:
            with writing(f"The file {out}"):
                out.write_text(board_svg(board), encoding="utf-8")
        if as_json:
            told = {"board": format_board(board), "seed": seed, "tried": found.tried}
            click.echo(json.dumps(told, indent=2))
            return
        click.echo(draw(board.layout, board.pieces))
        click.echo(f"Found by trying {found.tried:,} placements, with the seed {seed}. As a text:")
        click.echo(format_board(board))

    return solve

"""`epcg tangram solid`: the pieces and the board for a 3D printer."""

from __future__ import annotations

from itertools import count as counting
from pathlib import Path
from typing import Literal

import click

from epcg_core.plugin import documents
from epcg_tangram.commands.cutout import game_of, game_options, pattern_of, write
from epcg_tangram.rendering.solids import SolidParams, openscad, plate_3mf, solids, stl


def command() -> click.Command:
    """Make the click command."""
    sizes = SolidParams()

    @click.command("solid", short_help="The pieces and the board for a 3D printer.")
    @click.option("--edge", default=sizes.edge, show_default=True, help="The edge of a cell in mm.")
    @click.option(
        "--thickness", default=sizes.thickness, show_default=True, help="A piece's thickness in mm."
    )
    @click.option(
        "--clearance", default=sizes.clearance, show_default=True,
        help="The millimetres by which each side of a piece is drawn in.",
    )  # fmt: skip
    @click.option("--bump", default=sizes.bump, show_default=True, help="The height of a bump in mm.")
    @click.option("--plate", default=sizes.plate, show_default=True, help="The board's floor in mm.")
    @click.option("--rim", default=sizes.rim, show_default=True, help="The width of the board's rim in mm.")
    @game_options
    @click.option(
        "--pattern", metavar="RANK|HOLES",
        help="The holes for the bumps of the back: the rank of a bump pattern, or the pattern as a string.",
    )  # fmt: skip
    @click.option("--format", type=click.Choice(["3mf", "stl", "scad"]), default="stl", show_default=True)
    @click.option(
        "--output", "out", default="tangram-solid", show_default=True,
        type=click.Path(file_okay=False, path_type=Path), help="The folder for the files.",
    )  # fmt: skip
    def solid(
        edge: float,
        thickness: float,
        clearance: float,
        bump: float,
        plate: float,
        rim: float,
        game: str,
        sizes: str,
        pattern: str | None,
        format: Literal["3mf", "stl", "scad"],
        out: Path,
    ) -> None:
        """Write a file for each piece and for the board: binary STL, or OpenSCAD's text.

        Pieces of cubes are printed without a board, and their thickness is that of their cubes.

        The format 3mf makes one file that holds all of them, each copy in its place.

        Without a bump pattern the pieces have no holes and the board is one tray. With one the board is two
        trays, the back with its bumps, to be glued together. What is needed twice has `-x2` in its name.
        """
        ref = game_of(game, sizes)
        params = SolidParams(
            game=ref, edge=edge, thickness=thickness, clearance=clearance, bump=bump, plate=plate, rim=rim,
            pattern=pattern_of(ref, pattern),
        )  # fmt: skip
        files: dict[str, str | bytes] = {}
        if format == "3mf":
            write(out, {"game.3mf": plate_3mf(solids(params))})
            return
        for one in solids(params):
            stem = documents.file_name(one.name.lower()) + f"-x{one.copies}" * (one.copies > 1)
            names = (f"{stem}{f'-{n}' * (n > 1)}.{format}" for n in counting(1))
            name = next(name for name in names if name not in files)
            files[name] = stl(one) if format == "stl" else openscad(one)
        write(out, files)

    return solid

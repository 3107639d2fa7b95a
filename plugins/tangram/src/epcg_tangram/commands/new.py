"""`epcg tangram new`: the text of a new game of pieces, without writing it by hand."""

from __future__ import annotations

from pathlib import Path

import attrs
import click

from epcg_core.plugin import (
    ParamsError,
    UnknownNameError,
    counted,
    db_option,
    documents,
    find,
    make_generator,
    registry,
    writing,
)
from epcg_tangram.design.definition import Definition
from epcg_tangram.lattices import LATTICES, lattice_of
from epcg_tangram.texts.game_files import ENDING
from epcg_tangram.texts.game_text import MOST_SIDE, parse_game
from epcg_tangram.texts.game_writer import format_game
from epcg_tangram.texts.piece_tables import MOST_GROWN
from epcg_tangram.workshop.taking import TAKES, game_of


def command() -> click.Command:
    """Make the click command."""

    @click.command("new", short_help="A new game of pieces, as a text.")
    @click.argument("file", type=click.Path(dir_okay=False, path_type=Path))
    @click.option("--lattice", type=click.Choice(list(LATTICES)), default="squares", show_default=True)
    @click.option("--board", default="", metavar="FAMILY", help="The form of the board.")
    @click.option("--sizes", default="", metavar="N[,M]", help="Its sizes, in cells along its edges.")
    @click.option(
        "--cells",
        default="",
        metavar="N[,M...]",
        help="The pieces: all shapes of so many cells, of each size.",
    )
    @click.option(
        "--from", "source", default="", metavar="ID",
        help="A set of pieces, or a board, that a run found: a game with these pieces, or on this board.",
    )  # fmt: skip
    @db_option
    @click.option("--title", default="", help="The game's title; default: the file's name.")
    @click.option("--any", "any_", is_flag=True, help="Pieces may stay in the box.")
    def new(
        file: Path,
        lattice: str,
        board: str,
        sizes: str,
        cells: str,
        source: str,
        location: str,
        title: str,
        any_: bool,
    ) -> None:
        """Write the game FILE: a board, and pieces to fill it.

        \b
        Examples:
          epcg tangram new library.packing --lattice triangles --board hexagon --sizes 2 --cells 2,3,4,5
          epcg tangram new snow.packing --from "tangram:sets?game=library.packing&size=6#8"
        """
        if not file.name:
            raise ParamsError("The new game's file needs a name.")
        path = file if file.suffix else file.with_suffix(ENDING)
        if path.exists():
            raise ParamsError(f"{path} is there already: choose another name.")
        name = title or path.stem.replace("-", " ").capitalize()
        if source:
            if board or sizes or cells:
                raise ParamsError(
                    "--from takes board and pieces from a run: leave --board, --sizes and --cells out."
                )
            definition = attrs.evolve(_found(source, location), title=name)
        else:
            definition = _begun(
                lattice, board, _numbers(sizes, "sizes", MOST_SIDE), _numbers(cells, "cells", MOST_GROWN)
            )
            definition = attrs.evolve(definition, title=name)
        if any_:
            kinds = tuple(attrs.evolve(kind, least=0) for kind in definition.pieces)
            definition = attrs.evolve(definition, unused=None, pieces=kinds)
        with writing(f"The file {path}"):
            path.write_text(format_game(definition), encoding="utf-8")
        count = len(definition.pieces)
        size = counted(len(definition.cells), *definition.lattice.cell_word)
        click.echo(
            f"{path}: a board of {size}, and {count} "
            f"{'piece that has' if count == 1 else 'pieces that have'} {definition.most_area}."
        )

    return new


def _numbers(text: str, name: str, most: int) -> list[int]:
    numbers = [documents.whole_number(word.strip(), most) for word in text.split(",") if word.strip()]
    if not all(numbers):
        raise ParamsError(f"--{name} are numbers from 1 to {most} with commas between, not '{text:.80}'.")
    return [number for number in numbers if number]


def _begun(lattice: str, board: str, sizes: list[int], cells: list[int]) -> Definition:
    """Return a game with a board of a family, and all shapes of some sizes."""
    families = lattice_of(lattice).families
    family = board or next(iter(families))
    if family not in families:
        raise UnknownNameError("form of board", family, families, "--board")
    names = families[family].sizes
    if len(sizes) != len(names):
        raise ParamsError(f"--sizes: a {family} has {', '.join(names)}: give {len(names)} of them.")
    if not cells:
        raise ParamsError("--cells: say of how many cells the pieces are, as in --cells 4,5.")
    lines = [f"lattice = '{lattice}'", "[board]", f"family = '{family}'"]
    lines += [f"{name} = {size}" for name, size in zip(names, sizes, strict=True)]
    for size in dict.fromkeys(cells):
        lines += ["[[pieces]]", f"shapes = {{ cells = {size} }}"]
    return parse_game("\n".join([*lines, ""]))


def _found(source: str, location: str) -> Definition:
    """Return the game of a set or of a board that a run found."""
    with find.reading(location) as reader:
        space, rank = find.named(source, reader, location, "tangram")
    if TAKES.get(space.generator.name) != "game":
        raise ParamsError(f"'{source}' is neither a set of pieces nor a board.")
    return game_of(make_generator(registry(), space).unrank(rank))

"""`epcg project`: a project of the workbench as one file.

Imports inside functions keep help and listings free of numpy, SQLAlchemy and plugins.
"""

from __future__ import annotations

from pathlib import Path

import click

from epcg_core.plugin import command, counted, output


@click.group("project")
def project() -> None:
    """Pack a folder of the workbench into one file, or unpack it."""


@command("pack")
@click.argument("folder", type=click.Path(exists=True, file_okay=False, path_type=Path))
@click.option("--output", "-o", "target", type=click.Path(path_type=Path), help="[default: FOLDER.zip, here]")
@click.option("--with-db", "database", is_flag=True, help="Also the databases, which may be large.")
def pack(folder: Path, target: Path | None, database: bool) -> None:
    """Write a project as a ZIP file: its games, levels, questions and plans.

    What is hidden stays out: the history, and the key to its workbench.

    \b
    Examples:
      epcg project pack my_game
      epcg project pack my_game --with-db --output to_a_friend.zip
    """
    from epcg_workbench.project import packing

    target = target or packing.default_pack(folder)
    count = packing.pack(folder, target, database)
    output.show(f"{target} has {counted(count, 'file')} of {folder}.")


@command("unpack")
@click.argument("file", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.argument("folder", type=click.Path(path_type=Path), required=False)
def unpack(file: Path, folder: Path | None) -> None:
    """Write the files of a packed project into a new folder, by default one with the pack's name, here.

    Names that lead elsewhere, links, and packs that grow too large are refused, and then nothing is written.

    \b
    Examples:
      epcg project unpack my_game.zip
      epcg project unpack my_game.zip games/hers
    """
    from epcg_workbench.project import packing

    folder = folder or packing.default_folder(file)
    count = packing.unpack(file, folder)
    output.show(f"{folder} has {counted(count, 'file')}. Open it: epcg workbench {folder}")


project.add_command(pack)
project.add_command(unpack)

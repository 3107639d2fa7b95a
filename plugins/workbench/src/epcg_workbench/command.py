"""`epcg workbench`: contents edited, played and analysed in the web browser.

Imports inside functions keep help and listings free of numpy, SQLAlchemy and plugins.
"""

from __future__ import annotations

import sys

import click
from click.core import ParameterSource

from epcg_core.plugin import command, db_option, output


@command("workbench")
@click.argument("what", required=False)
@db_option
@click.option(
    "--port", type=click.IntRange(0, 65535), help="0: any that is free. [default: 8247, or the next free one]"
)
@click.option("--new", "new", is_flag=True, help="Make the folder WHAT, with a small game to begin with.")
@click.option("--open/--no-open", "open_browser", default=True, help="Open it in the web browser, or do not.")
@click.pass_context
def workbench(
    context: click.Context, what: str | None, location: str, port: int | None, new: bool, open_browser: bool
) -> None:
    """Make, play and analyse puzzles of any domain in the web browser, until Ctrl-C.

    WHAT is a folder, or a file in it: the folder is opened as a project, with all its games, levels,
    questions and plans, its database (epcg.db) and its history (.epcg). Other projects are opened from the
    page, in the same tab or another one. The name of a domain, a puzzle's id, RUN#RANK of the database, or a
    content as text opens that alone. Without WHAT, the page begins with all domains, or with the project that
    this folder is. Only this machine can reach the page, and only with the address that is printed. Its key
    is yours and stays the same, so open tabs go on with the next start. Analyses can be recorded in the
    database, and contents are compared with its runs.

    Needs Starlette and uvicorn: pip install epcg-workbench.

    \b
    Examples:
      epcg workbench --new my_game
      epcg workbench my_game
      epcg workbench my_level.txt
      epcg workbench 4#17 --db boards.db
    """
    from epcg_workbench.serve import serve

    if new:
        from pathlib import Path

        from epcg_workbench.project.templates import new_project

        if what is None:
            raise click.UsageError("--new needs the name of the folder that it makes.")
        what = str(Path(what, new_project(Path(what))))
    chosen = context.get_parameter_source("location") is not ParameterSource.DEFAULT
    serve(
        what,
        location if chosen else None,
        port,
        open_browser,
        output.show,
        (sys.executable, "-m", "epcg_core"),
    )

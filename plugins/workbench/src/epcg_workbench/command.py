"""`epcg workbench`: contents edited, played and analysed in the web browser.

Imports inside functions keep help and listings free of numpy, SQLAlchemy and plugins.
"""

from __future__ import annotations

import sys

import click

from epcg_core.plugin import command, db_option, output


@command("workbench")
@click.argument("what", required=False)
@db_option
@click.option(
    "--port", type=click.IntRange(0, 65535), default=0, show_default=True, help="0: any that is free."
)
@click.option("--open/--no-open", "open_browser", default=True, help="Open it in the web browser, or do not.")
def workbench(what: str | None, location: str, port: int, open_browser: bool) -> None:
    """Edit, play and analyse contents of any domain in the web browser, until Ctrl-C.

    WHAT is the name of a domain, a puzzle's id, RUN#RANK of the database, a file, or a content as text;
    without it, the page begins with all domains. Only this machine can reach the page, and only with the
    address that is printed. Analyses can be recorded in the database, and contents are compared with its
    runs.

    Needs Starlette and uvicorn: pip install epcg-workbench.

    \b
    Examples:
      epcg workbench
      epcg workbench my_level.txt
      epcg workbench 4#17 --db boards.db
    """
    from epcg_workbench.serve import serve

    serve(what, location, port, open_browser, output.show, (sys.executable, "-m", "epcg_core"))

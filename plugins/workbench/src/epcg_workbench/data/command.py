"""`epcg browse`: a database in the web browser.

Imports inside functions keep help and listings free of numpy, SQLAlchemy and plugins.
"""

from __future__ import annotations

from contextlib import suppress

import click

from epcg_core.plugin import command, db_option


@command("browse")
@db_option
@click.option("--host", default="127.0.0.1", show_default=True, help="The default is this machine only.")
@click.option(
    "--port", type=click.IntRange(0, 65535), default=8001, show_default=True, help="0: any that is free."
)
@click.option("--open", "open_browser", is_flag=True, help="Open it in the web browser.")
def browse(location: str, host: str, port: int, open_browser: bool) -> None:
    """Look at a database in the web browser, with pictures of its puzzles, until Ctrl-C. A run may go on
    writing meanwhile: every page shows what is recorded by then.

    Needs Datasette: pip install 'epcg-workbench[datasette]'. `datasette epcg.db` does the same, without the
    settings that suit a growing database; its option --immutable is for databases that no run writes to.
    In SQL, the functions of `epcg sql` are known there too; they draw puzzles that the database records.
    All who reach the port can read the whole database, so think before you change --host.

    \b
    Examples:
      epcg browse --open
      epcg browse --db boards.db --port 8080
    """
    from epcg_workbench.data.serve import serve

    with suppress(click.Abort):  # so Datasette's own command says that it was interrupted
        serve(location, host, port, open_browser)

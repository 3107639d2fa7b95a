"""`epcg forget`: delete a run.

Imports inside functions keep help and listings free of numpy, SQLAlchemy and plugins.
"""

from __future__ import annotations

import click

from epcg_core.base.errors import StoreError
from epcg_core.cli.options import command, db_option, json_option, run_argument
from epcg_core.cli.output import write_report


@command("forget")
@run_argument
@click.option("--yes", is_flag=True, help="Delete it. Without this, only say what would be lost.")
@db_option
@json_option
def forget(run_id: int, yes: bool, location: str, as_json: bool) -> None:
    """Delete RUN with all its values, and what only it needs: its query, its space.

    A run that others were computed from stays until they are forgotten. Curricula keep the puzzles that they
    chose. The file does not become smaller; later runs use the room.

    \b
    Examples:
      epcg forget 3
      epcg forget 3 --yes
    """
    from epcg_core.api import changing

    report = changing.forget(run_id, yes=yes, db=location)
    if not yes:
        raise StoreError(f"Nothing was deleted. With --yes this is lost: {report.lost}.")
    write_report(report, "json" if as_json else "table")

"""`epcg db`: upgrade a database, make rows of its chunks.

Imports inside functions keep help and listings free of numpy, SQLAlchemy and plugins.
"""

from __future__ import annotations

import click

from epcg_core.cli.groups import OpenGroup
from epcg_core.cli.options import command, db_option, json_option, run_argument
from epcg_core.cli.output import write_report


@click.group("db", cls=OpenGroup)
def db() -> None:
    """Look after a database."""


@command("upgrade")
@db_option
@json_option
def upgrade(location: str, as_json: bool) -> None:
    """Bring a database of an older EPCG up to this one's schema, after a copy beside it.

    \b
    Example:
      epcg db upgrade --db old.db
    """
    from epcg_core.api import changing

    write_report(changing.upgrade(location), "json" if as_json else "table")


@command("materialize")
@run_argument
@click.option("--where", metavar="CONDITION", help="Only candidates for which this SQL condition holds.")
@click.option("--index", is_flag=True, help="Also an index by value; it takes longer than the rows.")
@db_option
@json_option
def materialize(run_id: int, where: str | None, index: bool, location: str, as_json: bool) -> None:
    """Make rows of RUN's chunks, so that plain SQL reads its scores: one row a candidate and metric.

    The condition is over rank and the run's metrics. Rows that were there are replaced.

    \b
    Examples:
      epcg db materialize 4 --index
      epcg db materialize 4 --where "solvable AND length > 12"
    """
    from epcg_core.api import changing

    report = changing.materialize(run_id, where, index=index, db=location)
    write_report(report, "json" if as_json else "table")


db.add_command(upgrade)
db.add_command(materialize)

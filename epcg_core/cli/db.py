"""`epcg db`: upgrade a database, make rows of its chunks.

Imports inside functions keep help and listings free of numpy, SQLAlchemy and plugins.
"""

from __future__ import annotations

import click

from epcg_core.cli import output
from epcg_core.cli.groups import OpenGroup
from epcg_core.cli.options import command, db_option, run_argument
from epcg_core.cli.output import say


@click.group("db", cls=OpenGroup)
def db() -> None:
    """Look after a database."""


@command("upgrade")
@db_option
def upgrade(location: str) -> None:
    """Bring a database of an older EPCG up to this one's schema, after a copy beside it.

    \b
    Example:
      epcg db upgrade --db old.db
    """
    from epcg_core.store.upgrade import upgrade as upgraded

    done = upgraded(location)
    kept = f" What it was is in {done.copy}." if done.copy is not None else ""
    if done.old != done.new:
        say(f"The database {location} is upgraded from schema {done.old} to {done.new}.{kept}")
    elif done.tables:
        say(f"The tables of plugins in {location} are upgraded: {', '.join(done.tables)}.{kept}")
    else:
        say(f"The database {location} has the newest schema, {done.new}, already.")


@command("materialize")
@run_argument
@click.option("--where", metavar="CONDITION", help="Only candidates for which this SQL condition holds.")
@click.option("--index", is_flag=True, help="Also an index by value; it takes longer than the rows.")
@db_option
def materialize(run_id: int, where: str | None, index: bool, location: str) -> None:
    """Make rows of RUN's chunks, so that plain SQL reads its scores: one row a candidate and metric.

    The condition is over rank and the run's metrics. Rows that were there are replaced.

    \b
    Examples:
      epcg db materialize 4 --index
      epcg db materialize 4 --where "solvable AND length > 12"
    """
    import sqlalchemy as sa

    from epcg_core.runs.coordinator import materialize as make_rows
    from epcg_core.store import Store, schema

    Store.open(location).close()  # a database that does not exist must not be made
    with Store.open(location, write=True) as store:
        with store.reader() as reader:
            reader.run(run_id)
        make_rows(store, run_id, where, index)
        with store.reader() as reader:
            rows = reader.connection.scalar(
                sa.select(sa.func.count()).select_from(schema.score).where(schema.score.c.run_id == run_id)
            )
    say(f"Run {run_id} has {output.count(rows)} rows: SELECT * FROM scores WHERE run_id = {run_id}.")


db.add_command(upgrade)
db.add_command(materialize)

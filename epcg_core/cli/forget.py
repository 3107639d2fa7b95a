"""`epcg forget`: delete a run.

Imports inside functions keep help and listings free of numpy, SQLAlchemy and plugins.
"""

from __future__ import annotations

import click

from epcg_core.cli import output
from epcg_core.cli.options import command, db_option, run_argument
from epcg_core.cli.output import say
from epcg_core.errors import StoreError


@command("forget")
@run_argument
@click.option("--yes", is_flag=True, help="Delete it. Without this, only say what would be lost.")
@db_option
def forget(run_id: int, yes: bool, location: str) -> None:
    """Delete RUN with all its values, and what only it needs: its query, its space.

    A run that others were computed from stays until they are forgotten. Curricula keep the puzzles that they
    chose. The file does not become smaller; later runs use the room.

    \b
    Examples:
      epcg forget 3
      epcg forget 3 --yes
    """
    from epcg_core.store import Store
    from epcg_core.store.forget import forget as delete, loss_of

    with Store.open(location) as store, store.reader() as reader:
        record, loss = reader.run(run_id), loss_of(reader, run_id)
    values = f"{output.count(loss.evaluated)} evaluated candidates, {output.size(loss.bytes)}"
    parts = [f"run {run_id}, {record.search} {record.space}: {values}"]
    if loss.kept:
        parts.append(f"{output.count(loss.kept)} kept candidates")
    parts += [f"the answer to the query {name}" for name in loss.queries]
    parts += [f"where the curriculum {name} has its puzzles from" for name in loss.curricula]
    lost = "; ".join(parts)
    if not yes:
        raise StoreError(f"Nothing was deleted. With --yes this is lost: {lost}.")
    with Store.open(location, write=True) as store, store.transaction() as connection:
        delete(connection, run_id)
    say(f"Forgotten: {lost}.")

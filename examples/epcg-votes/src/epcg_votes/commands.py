"""`epcg vote`."""

from __future__ import annotations

import click

from epcg_core.plugin import command, db_option, output, run_argument


@click.group("vote")
def _vote() -> None:
    """Vote on the puzzles of a run, and list the votes."""


@command("add")
@run_argument
@click.argument("rank", type=click.IntRange(0))
@click.argument("stars", type=click.IntRange(1, 5))
@db_option
def _add(run_id: int, rank: int, stars: int, location: str) -> None:
    """Give the puzzle at RANK of RUN some STARS, 1 to 5."""
    from epcg_votes.record import add

    add(location, run_id, rank, stars)
    output.say(f"Rank {rank} of run {run_id} has {stars} stars more.")


@command("list")
@run_argument
@db_option
def _list(run_id: int, location: str) -> None:
    """List the puzzles of RUN that have votes, the best first."""
    from epcg_core.plugin import Store
    from epcg_votes.record import listed

    with Store.open(location) as store, store.reader() as reader:
        reader.run(run_id)
        output.write_table(["rank", "votes", "stars"], listed(reader, run_id))


_vote.add_command(_add)
_vote.add_command(_list)


def vote() -> click.Command:
    return _vote

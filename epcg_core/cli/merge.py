"""`epcg merge`: parts of a run become the run.

Imports inside functions keep help and listings free of numpy, SQLAlchemy and plugins.
"""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import click

from epcg_core.cli import output
from epcg_core.cli.options import command, json_option
from epcg_core.cli.output import say

if TYPE_CHECKING:
    from epcg_core.services.merging import Merged


@command("merge")
@click.argument("into", metavar="INTO")
@click.argument("parts", metavar="PART...", nargs=-1, required=True)
@click.option("--incomplete", is_flag=True, help="Merge what there is, although ranks are missing.")
@click.option("--accept-older", is_flag=True, help="Merge parts that were computed with other sources.")
@json_option
def merge(into: str, parts: Sequence[str], incomplete: bool, accept_older: bool, as_json: bool) -> None:
    """Put the parts of a run, which `epcg run --part` computed, together in the database INTO.

    INTO is made if there is none. Before anything is written, the parts must fit: the same versions and
    sources, the same run, units that tile its range, and the same values if a unit is there twice. Digests
    are checked on the way. The complete run is closed and selected from as if it had been computed in one
    piece, and has the same digest. A merge that was killed goes on if it is asked for again.

    \b
    Examples:
      epcg merge all.db part*.db
      epcg merge all.db part1.db part3.db --incomplete
    """
    from epcg_core.runs.coordinator import Options
    from epcg_core.services.merging import merge as put_together

    found = put_together(
        into, parts, incomplete=incomplete, options=Options(quiet=True, accept_older=accept_older)
    )
    if as_json:
        output.write_json({"into": into, "runs": [_data(each) for each in found]})
        return
    for each in found:
        _print(each, into)


def _data(merged: Merged) -> dict[str, Any]:
    from epcg_core.services.ledger import run_data

    return run_data(merged.run) | {
        "query": merged.query.name,
        "units_merged": merged.units,
        "missing": [[low, high - 1] for low, high in merged.gaps],
    }


def _print(merged: Merged, into: str) -> None:
    run = merged.run
    say(f"Run {run.id} ({run.space}): {merged.units:,} units merged.")
    if merged.gaps:
        missing = sum(high - low for low, high in merged.gaps)
        say(
            f"{missing:,} ranks are missing: merge further parts, or compute them with epcg resume {run.id} "
            f"--db {shlex.quote(into)}."
        )
        return
    output.show(f"{run.digest}")
    kept = merged.outcome.kept if merged.outcome is not None else 0
    say(f"It is complete: {run.evaluated:,} candidates evaluated, {kept:,} kept.")

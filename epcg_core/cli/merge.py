"""`epcg merge`: parts of a run become the run.

Imports inside functions keep help and listings free of numpy, SQLAlchemy and plugins.
"""

from __future__ import annotations

from collections.abc import Sequence

import click

from epcg_core.cli.options import command, json_option
from epcg_core.cli.output import write_report


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
    from epcg_core.api import changing

    report = changing.merge(into, parts, incomplete=incomplete, accept_older=accept_older)
    write_report(report, "json" if as_json else "table")

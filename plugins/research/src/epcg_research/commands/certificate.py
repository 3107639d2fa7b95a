"""`epcg certificate`: a small file that says what a run claims.

Imports inside functions keep help and listings free of numpy, SQLAlchemy and plugins.
"""

from __future__ import annotations

import sys
from pathlib import Path

import click

from epcg_core.inside import check_ending, say, security_options, write_report
from epcg_core.plugin import command, db_option, run_argument


@command("certificate")
@run_argument
@click.option(
    "--output",
    "path",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE",
    help="Where to write it; default: stdout.",
)
@security_options
@click.option(
    "--sample",
    default=1000,
    show_default=True,
    type=click.IntRange(0),
    help="How many recorded candidates to compute again before.",
)
@click.option("--remake", is_flag=True,
              help="Compute runs again whole whose values were dropped when they had served.")  # fmt: skip
@db_option
def certificate(
    run_id: int, path: Path | None, share: float, tries: int, sample: int, remake: bool, location: str
) -> None:
    """Write what RUN claims as one JSON document: its query, the versions and the SHA-256 of every source
    file, what it covers, its digest, and the root of a hash tree over its values, with some of them opened.
    `epcg verify FILE` checks it, with the database or without.

    Which values are opened follows from the claims. There are so many that a liar who may have tried 2^40
    times has changed at most 1 % of the values; with a small run all are opened. Who checks the file decides
    what is enough: ask for more with --share or --tries.

    The run, and every run that it was computed from, has to pass the checks of `epcg verify` first; else
    this exits with 4, or with 5 if it cannot be checked here.

    \b
    Example:
      epcg certificate 4 --output run4.json
    """
    from epcg_research.issued import certificate as certified

    if path is not None:
        check_ending(path, ".json")
    found = certified(
        run_id, share=share, tries=tries, sample=sample, remake=remake, db=location,
        quiet=not sys.stderr.isatty(),
    )  # fmt: skip
    if path is None:
        write_report(found, "json")
        return
    found.save(path)
    say(f"{path}: the certificate of run {run_id}. Check it with: epcg verify {path}")

"""`epcg bundle`: an archive for those who check a result. Imports inside functions keep help light."""

from __future__ import annotations

from pathlib import Path

import click

from epcg_core.inside import json_option, security_options, write_report
from epcg_core.plugin import command, db_option


@command("bundle")
@click.argument("what", metavar="RUN|STUDY")
@click.option("--output", "path", type=click.Path(dir_okay=False, path_type=Path), metavar="FILE.zip",
              help="The archive; default: run-N.zip, or study-NAME.zip.")  # fmt: skip
@security_options
@click.option("--sample", default=1000, show_default=True, type=click.IntRange(0),
              help="How many recorded candidates of a run to compute again before.")  # fmt: skip
@db_option
@json_option
def bundle(
    what: str, path: Path | None, share: float, tries: int, sample: int, location: str, as_json: bool
) -> None:
    """Write one archive for a committee that checks artefacts, or for an appendix: of RUN, by its number, or
    of STUDY, by its name (`epcg study responses` lists them).

    Of a run it holds the query, every value (Parquet), the distributions (PDF) and a certificate; of a study
    what people did, the measures of their puzzles, how these go together (text, JSON, PDF), and the queries
    and certificates of the runs. Both have the versions and the processor, how to cite them, and a page with
    the commands that check everything and make it again. Files that need an extra of epcg-research (parquet,
    plot) are left out without it, and that is said. People of a study are numbered, and their own names are
    not packed.

    A run has to pass the checks of `epcg verify` first.

    \b
    Examples:
      epcg bundle 4 --output boards.zip
      epcg bundle play-tests
    """
    from epcg_research import issued

    found = issued.bundle(what, path, share=share, tries=tries, sample=sample, db=location)
    write_report(found, "json" if as_json else "table")

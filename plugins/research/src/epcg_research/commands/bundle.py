"""`epcg bundle`: an archive of a run for those who check it. Imports inside functions keep help light."""

from __future__ import annotations

from pathlib import Path

import click

from epcg_core.plugin import EpcgError, command, db_option, run_argument, say, security_options


@command("bundle")
@run_argument
@click.option("--output", "path", type=click.Path(dir_okay=False, path_type=Path), metavar="FILE.zip",
              help="The archive; default: run-N.zip.")  # fmt: skip
@security_options
@click.option("--sample", default=1000, show_default=True, type=click.IntRange(0),
              help="How many recorded candidates to compute again before.")  # fmt: skip
@db_option
def bundle(run_id: int, path: Path | None, share: float, tries: int, sample: int, location: str) -> None:
    """Write one archive about RUN, for a committee that checks artefacts, or for an appendix.

    It holds the query, every value (Parquet), the distributions (PDF), a certificate, the versions and the
    processor, how to cite it, and a page with the commands that check it and make it again. Values and
    distributions need extras: pip install 'epcg-research[parquet,plot]'; without them the archive says so.

    The run has to pass the checks of `epcg verify` first.

    \b
    Example:
      epcg bundle 4 --output boards.zip
    """
    from epcg_core.plugin import Store
    from epcg_research.bundle import write_bundle
    from epcg_research.certificate import Security

    target = Path(f"run-{run_id}.zip") if path is None else path
    if not target.parent.is_dir():
        raise EpcgError(f"There is no folder {target.parent}: make it, or choose another --output.")
    with Store.open(location) as store:
        lacking = write_bundle(store, run_id, target, Security(share, tries), sample)
    for sentence in lacking:
        say(sentence)
    say(f"{target}: run {run_id}, its values, certificate and environment. Its README.md has the commands.")

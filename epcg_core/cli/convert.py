"""`epcg convert`: puzzles from and to formats of others.

Imports inside functions keep help and listings free of plugins.
"""

from __future__ import annotations

from pathlib import Path

import click

from epcg_core.base import guests
from epcg_core.cli import completion
from epcg_core.cli.options import command, domain_option, json_option
from epcg_core.cli.output import say, write_report


@command("convert")
@click.argument("source", required=False)
@click.option(
    "--to",
    "to",
    metavar="FORMAT",
    shell_complete=completion.formats,
    help="Default: what the output's ending says; without one, text.",
)
@click.option(
    "--from",
    "read_as",
    metavar="FORMAT",
    shell_complete=completion.formats,
    help="Of a file; default: what its ending and its content say.",
)
@domain_option("Of a file, if several domains read it.")
@click.option("--number", type=click.IntRange(min=1), help="Which level of a file with several, from 1.")
@click.option("--output", "target", metavar="FILE", type=click.Path(dir_okay=False, path_type=Path),
              help="The file; default: print it.")  # fmt: skip
@json_option
def convert(
    source: str | None,
    to: str | None,
    read_as: str | None,
    domain: str | None,
    number: int | None,
    target: Path | None,
    as_json: bool,
) -> None:
    """Convert a puzzle to a format of others, or a file in such a format to the domain's own text, which
    commands and queries take. SOURCE is a puzzle's id or a file; without it, the formats are listed.

    \b
    Examples:
      epcg convert
      epcg convert "domain:generator?size=5#17" --output level.tmj
      epcg convert level.tmj --output level.txt
      epcg convert level.txt --to puzzlescript
    """
    from epcg_core.api import converting
    from epcg_core.editing import formats

    format = "json" if as_json else "table"
    if source is None:
        write_report(converting.formats(), format)
        return
    if to is None and target is not None:
        found = formats.by_ending(target)
        if not found and target.suffix.lower() not in ("", ".txt"):
            known = sorted({ending for info in formats.formats() for ending in info.endings})
            raise click.UsageError(
                f"'{target}' has the ending of no format: choose .txt, {', '.join(known)}, or add --to."
            )
        to = found[0].name if found else formats.OWN
    converted = converting.convert(source, to or formats.OWN, domain=domain, read_as=read_as, number=number)
    if target is not None:
        converted.save(target)
        say(f"{source} is in {target}.")
    elif as_json:
        write_report(converted, format)
    else:
        click.echo(converted.text, nl=False, file=guests.output())

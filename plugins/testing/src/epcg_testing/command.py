"""`epcg check`: does a domain keep the laws that the core relies on?

Imports inside functions keep help and listings free of numpy, SQLAlchemy and plugins.
"""

from __future__ import annotations

from collections.abc import Sequence

import click

from epcg_core.inside import json_option, say, show, write_report
from epcg_core.plugin import command


@command("check")
@click.argument("domain")
@click.option("--law", "laws", multiple=True, metavar="LAW", help="Ask this law only. Repeatable.")
@click.option(
    "--samples", type=click.IntRange(1), metavar="N",
    help="States of each space that a law looks at, if the plugin does not say.",
)  # fmt: skip
@click.option(
    "--plugin", metavar="NAME",
    help="Look at the parts that this plugin adds to the domain, instead of the domain's own.",
)  # fmt: skip
@click.option(
    "--seconds", type=click.FloatRange(0, min_open=True), default=20.0, show_default=True, metavar="S",
    help="CPU seconds for each law; a part that gives no answer within three times as many breaks it.",
)  # fmt: skip
@json_option
def check(
    domain: str, laws: Sequence[str], samples: int | None, plugin: str | None, seconds: float, as_json: bool
) -> None:
    """Check that DOMAIN keeps the laws that the core relies on: that arrays and compiled forms equal the
    plain ones, that bounds are admissible, that what is written can be read again, and so on.

    A broken law is told with the smallest counterexample that was found, and how to mend it; then the exit
    code is 4. What the domain does not offer is not applicable. Each law is told as it ends (with --json on
    stderr). The laws are checked in a process of their own: a part that ends it, or never returns, breaks the
    law that asked it. When a law has spent its seconds, it asks one state of each further part.

    \b
    Examples:
      epcg check DOMAIN
      epcg check DOMAIN --law arrays-equal-evaluate --samples 1000
    """
    from epcg_testing.check import chosen
    from epcg_testing.checked import check as asked
    from epcg_testing.report import Outcome, name_width

    width = name_width(chosen(laws or None))
    tell = say if as_json else show

    def told(outcome: Outcome) -> None:
        tell(outcome.line(width))

    found = asked(domain, laws=laws, samples=samples, plugin=plugin, seconds=seconds, told=told)
    if as_json:
        write_report(found, "json")
    else:
        show(f"\n{found.report.ending()}")
    found.demand()

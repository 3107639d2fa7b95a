"""`epcg check`: does a domain keep the laws that the core relies on?

Imports inside functions keep help and listings free of numpy, SQLAlchemy and plugins.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence

import click

from epcg_core.plugin import CheckFailedError, command, json_option, show, write_json


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
@json_option
def check(domain: str, laws: Sequence[str], samples: int | None, plugin: str | None, as_json: bool) -> None:
    """Check that DOMAIN keeps the laws that the core relies on: that arrays and compiled forms equal the
    plain ones, that bounds are admissible, that what is written can be read again, and so on.

    A broken law is told with the smallest counterexample that was found, and how to mend it; then the exit
    code is 4. What the domain does not offer is not applicable. The laws are checked in a process of their
    own: a part that ends it breaks the law that asked it.

    \b
    Examples:
      epcg check DOMAIN
      epcg check DOMAIN --law arrays-equal-evaluate --samples 1000
    """
    from epcg_testing.apart import check_apart
    from epcg_testing.subject import SAMPLES

    quiet = not sys.stderr.isatty()
    report = check_apart(domain, laws=laws or None, samples=samples or SAMPLES, plugin=plugin, quiet=quiet)
    if as_json:
        write_json({"domain": domain, "laws": report.data()})
    else:
        show(str(report))
    if not report:
        names = ", ".join(outcome.law.name for outcome in report.broken)
        raise CheckFailedError(f"The domain {domain} breaks {len(report.broken)} of its laws: {names}.")

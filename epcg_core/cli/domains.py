"""`epcg domains`: what there is to generate, evaluate and search, and which plugins work."""

from __future__ import annotations

import traceback

import click

from epcg_core.cli.completion import domains as complete
from epcg_core.cli.options import DEBUG, command, json_option
from epcg_core.cli.output import write_report


@command("domains")
@click.argument("name", required=False, shell_complete=complete)
@json_option
def domains(name: str | None, as_json: bool) -> None:
    """List the domains, the parts that belong to no domain, and the plugins; with NAME, all about one domain:
    its generators, evaluators and inference rules with their params and metrics, its renderers, formats and
    commands, and the publications, queries, plans and studies that are shipped with it.

    A query or plan is named as `epcg run` and `epcg curriculum build` take it.

    \b
    Examples:
      epcg domains
      epcg domains NAME --json
    """
    from epcg_core.api import listing
    from epcg_core.plugins.registry import registry

    if click.get_current_context().meta.get(DEBUG):
        for report in registry().reports:
            if report.error is not None:
                traceback.print_exception(report.error)
    write_report(listing.domains(name), "json" if as_json else "table")

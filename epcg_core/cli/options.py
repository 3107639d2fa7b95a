"""Options that commands have in common, and how a command is declared."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, TypeVar

import click

from epcg_core.api.words import DEFAULT_DB, naming_db as naming_db
from epcg_core.base.guests import hosting
from epcg_core.cli.completion import domains, runs
from epcg_core.cli.logs import hide_messages
from epcg_core.plugins.faces import FACES

DEBUG = "epcg.debug"

F = TypeVar("F", bound=Callable[..., Any])


def _set_debug(ctx: click.Context, parameter: click.Parameter, value: bool) -> None:
    if value:
        ctx.meta[DEBUG] = True


def debug_option(hidden: bool = False) -> Callable[[F], F]:
    """--debug, which is understood before the command and after it."""
    return click.option(
        "--debug", is_flag=True, is_eager=True, expose_value=False, callback=_set_debug, hidden=hidden,
        help="Show a traceback with an error.",
    )  # fmt: skip


def command(name: str) -> Callable[[Callable[..., Any]], click.Command]:
    """Declare a command, which knows --debug. While one of EPCG itself runs, parts do not reach stdout."""

    def declare(function: Callable[..., Any]) -> click.Command:
        kind = _Hosting if _is_ours(function.__module__) else click.Command
        return click.command(name, cls=kind)(debug_option(hidden=True)(function))

    return declare


class _Hosting(click.Command):
    def invoke(self, ctx: click.Context) -> Any:
        with hosting():
            return super().invoke(ctx)


def _is_ours(module: str) -> bool:
    """Tell whether a module is of the core or of a face; commands of domains print as they like."""
    package = module.partition(".")[0]
    return package == "epcg_core" or package.removeprefix("epcg_") in FACES


def db_option(function: F) -> F:
    """--db, else EPCG_DB, else epcg.db in the working directory."""
    return click.option(
        "--db", "location", default=DEFAULT_DB, envvar="EPCG_DB", show_default=True, show_envvar=True,
        metavar="PATH", help="The database.",
    )(function)  # fmt: skip


def domain_option(help: str) -> Callable[[F], F]:
    """Declare --domain."""
    return click.option("--domain", metavar="DOMAIN", shell_complete=domains, help=help)


def json_option(function: F) -> F:
    """Declare --json."""
    return click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")(function)


def json_flag(function: F) -> F:
    """Declare --json of a command that has --format: the same as --format json."""
    return click.option("--json", "format", flag_value="json", help="The same as --format json.")(function)


def format_option(function: F, json: bool = True) -> F:
    """Declare --format table|json|csv and, unless `json` is false, --json for short."""
    if json:
        function = json_flag(function)
    return click.option(
        "--format", "format", type=click.Choice(["table", "json", "csv"]), default="table",
        show_default=True, help="How to print.",
    )(function)  # fmt: skip


def share_option(name: str, default: str, help: str) -> Callable[[F], F]:
    """Declare an option whose value is a share of a whole: 0.05 or 5%."""

    def share(ctx: click.Context, parameter: click.Parameter, text: str) -> float:
        try:
            found = float(text.rstrip().removesuffix("%")) / (100 if "%" in text else 1)
        except ValueError:
            found = -1.0
        if not 0 <= found <= 1:
            raise click.BadParameter(
                f"{text!r} is not a share; expected a number from 0 to 1, or a percentage such as 5%."
            )
        return found

    return click.option(name, default=default, show_default=True, metavar="SHARE", callback=share, help=help)


def security_options(function: F) -> F:
    """Declare --share and --tries: which lies about a run have to be found."""
    tries = click.option(
        "--tries", default=40, show_default=True, type=click.IntRange(0, 256), metavar="N",
        help="How often a liar may have tried to find openings that hide the lie: 2^N times.",
    )  # fmt: skip
    help = "How many of a certificate's values a liar may have changed unnoticed."
    return share_option("--share", "1%", help)(tries(function))


def run_argument(function: F) -> F:
    """RUN, a run's number."""
    return click.argument("run_id", metavar="RUN", type=click.IntRange(1), shell_complete=runs)(function)


def _quiet(ctx: click.Context, parameter: click.Parameter, value: bool) -> bool:
    if value:
        hide_messages()
    return value


def _finite(ctx: click.Context, parameter: click.Parameter, value: float | None) -> float | None:
    if value is not None and not math.isfinite(value):
        raise click.BadParameter("a finite number is expected.", ctx, parameter)
    return value


def computing_options(function: F) -> F:
    """Add the options that choose the executor; none of them changes a result."""
    for option in (
        click.option("--quiet", is_flag=True, callback=_quiet, help="Show no progress and no hints."),
        click.option(
            "--executor", metavar="NAME",
            help="serial, processes, threads, dask (a cluster), or another that `epcg domains` lists. "
            "Default: processes; serial for a run of less than two seconds.",
        ),
        click.option(
            "--scheduler", metavar="ADDRESS",
            help="Compute on the workers of this dask scheduler: tcp://host:8786.",
        ),
        click.option(
            "--workers", type=click.IntRange(1), metavar="N", help="Default: one for each processor."
        ),
        click.option(
            "--unit-timeout", type=click.FloatRange(0, min_open=True), metavar="SECONDS",
            callback=_finite,
            help="Stop (resumable) if one work unit takes longer than this; the error names the unit.",
        ),
    ):  # fmt: skip
        function = option(function)
    return function


def candidate_timeout_option(function: F) -> F:
    """Declare --candidate-timeout."""
    return click.option(
        "--candidate-timeout", type=click.FloatRange(0, min_open=True), metavar="SECONDS", callback=_finite,
        help="Give a candidate up that takes more CPU time: its status is limit, and the run goes on.",
    )(function)  # fmt: skip


def reuse_options(function: F) -> F:
    """Declare what becomes of runs that were computed with other sources."""
    again = click.option(
        "--again", is_flag=True, help="Compute the answer again; the older runs stay beside the new ones."
    )
    accept = click.option(
        "--accept-older", is_flag=True,
        help="Use runs that were computed with other sources or versions; the database records it.",
    )  # fmt: skip
    return again(accept(function))


def execution_options(function: F) -> F:
    """Add the options that choose the executor, and that for errors."""
    on_error = click.option(
        "--on-error", type=click.Choice(["stop", "record"]),
        help="When an evaluator raises: stop (default), or record the candidate without a value.",
    )  # fmt: skip
    return computing_options(on_error(function))

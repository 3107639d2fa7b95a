"""The root command: finds commands without importing them, and turns what they raise into sentences.

A command is imported when it is used, or when its own help is asked for; listing them imports none.
"""

from __future__ import annotations

import errno
import importlib
import os
import sys
import traceback
import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, TextIO

import click

from epcg_core.base.errors import EpcgError, EvaluationError, PluginError, told_of_file
from epcg_core.cli.groups import OpenGroup, active_registry, made, tell_missing
from epcg_core.cli.logs import show_messages
from epcg_core.cli.options import DEBUG, debug_option
from epcg_core.cli.output import printable, say
from epcg_core.cli.refusals import plainly
from epcg_core.plugins.faces import face_of

if TYPE_CHECKING:
    from epcg_core.domain import CommandInfo

INTERRUPTED = 130
_MEANS = {errno.ENOMEM, errno.EMFILE, errno.ENFILE, errno.EAGAIN, errno.ENOSPC, errno.EDQUOT, errno.EIO}
"""Errors of a system that has no more memory, files or room."""
_OUTPUT_FAILS = {errno.EPIPE, errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO}
"""Errors of writing to stdout: its reader has gone, or the disk behind it is full or broken."""

Listing = Mapping[str, tuple[str, str]]
"""name -> ('module:attribute', summary)"""

COMMANDS: Listing = {
    "run": ("epcg_core.cli.run:run", "Answer a query: generate, evaluate, record, keep the best."),
    "resume": ("epcg_core.cli.run:resume", "Go on with a run that stopped."),
    "merge": ("epcg_core.cli.merge:merge", "Put the parts of a run together."),
    "runs": ("epcg_core.cli.runs:runs", "List the runs of a database."),
    "show": ("epcg_core.cli.runs:show", "Show everything about a run."),
    "top": ("epcg_core.cli.runs:top", "List the best candidates of a run."),
    "verify": ("epcg_core.cli.runs:verify", "Prove that a run is complete and true."),
    "forget": ("epcg_core.cli.forget:forget", "Delete a run, and what only it needs."),
    "sql": ("epcg_core.cli.sql:sql", "Ask the database anything in SQL."),
    "render": ("epcg_core.cli.render:render", "Draw puzzles as text or SVG."),
    "score": ("epcg_core.cli.score:score", "Measure a puzzle, and say where it stands in runs."),
    "convert": ("epcg_core.cli.convert:convert", "Convert puzzles from and to formats of others."),
    "curriculum": ("epcg_core.cli.curriculum:curriculum", "Build, show and print a curriculum."),
    "domains": ("epcg_core.cli.domains:domains", "List domains, their parts, and plugins."),
    "db": ("epcg_core.cli.db:db", "Look after a database: upgrade, materialize."),
}


class LazyGroup(click.Group):
    """A group whose commands are named here and imported when they are used."""

    def __init__(self, *args: Any, listing: Listing | None = None, **options: Any) -> None:
        super().__init__(*args, **options)
        self.listing = listing or {}

    def list_commands(self, ctx: click.Context) -> list[str]:
        return [*self.listing]

    def get_command(self, ctx: click.Context, name: str) -> click.Command | None:
        if name not in self.listing:
            return None
        module, _, attribute = self.listing[name][0].partition(":")
        command: click.Command = getattr(importlib.import_module(module), attribute)
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        try:
            return super().resolve_command(ctx, args)
        except click.exceptions.NoSuchCommand as error:  # click's knows only commands that are loaded
            tell_missing(" ".join(args[:2]))
            tell_missing(error.command_name)
            raise click.exceptions.NoSuchCommand(
                error.command_name, possibilities=self.list_commands(ctx), ctx=ctx
            ) from None

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        _section(formatter, "Commands", [(name, summary) for name, (_, summary) in self.listing.items()])


class DomainGroup(click.Group):
    """A domain's own commands; a factory is called only for the command that is used."""

    def __init__(self, name: str, title: str, summary: str, infos: Sequence[CommandInfo]) -> None:
        super().__init__(name, help=f"{title}: {summary}.", short_help=summary)
        self.infos = {info.name: info for info in infos}

    def list_commands(self, ctx: click.Context) -> list[str]:
        return [*self.infos]

    def get_command(self, ctx: click.Context, name: str) -> click.Command | None:
        return made(self.infos[name]) if name in self.infos else None

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        _section(formatter, "Commands", [(info.name, info.summary) for info in self.infos.values()])


class App(LazyGroup):
    """The root: the core's commands, those of plugins, then one group for every domain that has commands."""

    def plugin_commands(self) -> dict[str, CommandInfo]:
        """Return the commands of plugins at the top level; a core command of the same name goes first."""
        return {name: info for name, info in _at_the_top().items() if name not in self.listing}

    def domain_groups(self) -> dict[str, DomainGroup]:
        """Return the groups of the domains by name; a core command of the same name goes first."""
        from epcg_core.domain import CommandInfo, DomainInfo

        found = {}
        for domain in active_registry().all(DomainInfo):
            infos = [info for info in active_registry().all(CommandInfo, domain.name) if not info.group]
            if infos and domain.name not in self.listing and domain.name not in self.plugin_commands():
                found[domain.name] = DomainGroup(domain.name, domain.title, domain.summary, infos)
        return found

    def lone_group(self, name: str) -> OpenGroup | None:
        """Return the group of a name to which plugins add commands, if the plugin that has it is missing."""
        from epcg_core.domain import CommandInfo

        if any(info.group == name for info in active_registry().all(CommandInfo)):
            return OpenGroup(name, help="Commands that plugins add.")
        return None

    def is_ours(self, name: str | None) -> bool:
        """Return whether a command is of EPCG itself: one of the core's, or of a face."""
        return name is not None and (name in self.listing or face_of("command", name) is not None)

    def list_commands(self, ctx: click.Context) -> list[str]:
        return [*super().list_commands(ctx), *self.plugin_commands(), *self.domain_groups()]

    def get_command(self, ctx: click.Context, name: str) -> click.Command | None:
        core = super().get_command(ctx, name)
        if core is not None:
            return core
        info = self.plugin_commands().get(name)
        return self.domain_groups().get(name) or self.lone_group(name) if info is None else made(info)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        super().format_commands(ctx, formatter)
        taken = "cannot be used, because the core has a command of that name"
        found = [(name, taken if name in self.listing else i.summary) for name, i in _at_the_top().items()]
        _section(formatter, "Commands of plugins", found)
        rows = [(name, group.short_help or "") for name, group in self.domain_groups().items()]
        _section(formatter, "Domains", rows)

    def make_context(self, *args: Any, **options: Any) -> click.Context:
        """Read the arguments, and print help if it is asked for."""
        try:
            return super().make_context(*args, **options)
        except click.ClickException as error:
            raise plainly(error) from None
        except KeyboardInterrupt as error:
            click.secho(_sentence(error), err=True, fg="red")
            raise click.exceptions.Exit(INTERRUPTED) from None
        except OSError as error:
            if not _is_of_output(error):
                raise
            raise click.exceptions.Exit(_output_failed(error)) from None

    def invoke(self, ctx: click.Context) -> Any:
        """Run a command. Whatever it raises becomes a sentence on stderr and an exit code."""
        try:
            with _plain_warnings():
                _warn_of_unknown_plugins()
                result = super().invoke(ctx)
            sys.stdout.flush()  # so that a reader who has gone away is noticed here
        except EpcgError as error:
            _report(ctx, error, *_notes(error))
            ctx.exit(error.exit_code)
        except KeyboardInterrupt as error:
            _report(ctx, error, *_notes(error))
            ctx.exit(INTERRUPTED)
        except click.ClickException as error:
            raise plainly(error) from None
        except (click.exceptions.Exit, click.Abort):
            raise
        except SystemExit as error:
            if not self.is_ours(ctx.invoked_subcommand):
                raise  # a command of another plugin may end as it likes
            _report(ctx, PluginError(f"A plugin's part called sys.exit({error.code!r})."))
            ctx.exit(1)
        except OSError as error:
            if _is_of_output(error):
                ctx.exit(_output_failed(error))
            _report(ctx, error)
            ctx.exit(1)
        except Exception as error:  # a mistake in EPCG or a plugin: a report of it needs --debug
            _report(ctx, error)
            ctx.exit(1)
        return result


def _warn_of_unknown_plugins() -> None:
    if os.environ.get("EPCG_PLUGINS"):
        from epcg_core.plugins.entry_points import unknown_plugins

        for sentence in unknown_plugins():
            click.secho(printable(f"Warning: {sentence}"), err=True, fg="yellow")


@contextmanager
def _plain_warnings() -> Iterator[None]:
    """Show each warning for users once, as one line; others (RuntimeWarning, say) as Python does."""
    before, shown = warnings.showwarning, set[str]()

    def show(
        message: Warning | str,
        category: type[Warning],
        filename: str,
        lineno: int,
        file: TextIO | None = None,
        line: str | None = None,
    ) -> None:
        if not issubclass(category, UserWarning):
            before(message, category, filename, lineno, file, line)
        elif str(message) not in shown:
            shown.add(str(message))
            click.secho(printable(f"Warning: {message}"), err=True, fg="yellow")

    warnings.showwarning = show
    try:
        yield
    finally:
        warnings.showwarning = before


def _at_the_top() -> dict[str, CommandInfo]:
    """Return all commands that plugins add at the top level, by name."""
    from epcg_core.domain import CommandInfo

    return {info.name: info for info in active_registry().all(CommandInfo, "") if not info.group}


def _section(formatter: click.HelpFormatter, title: str, rows: list[tuple[str, str]]) -> None:
    if rows:
        with formatter.section(title):
            formatter.write_dl(rows)


def _report(ctx: click.Context, error: BaseException, *notes: str) -> None:
    if ctx.meta.get(DEBUG):
        traceback.print_exception(error)
        if details := getattr(error, "details", ""):  # the traceback of a worker process
            click.echo(details, err=True)
    click.secho(_sentence(error), err=True, fg="red")
    for note in notes:
        say(note)


def _sentence(error: BaseException) -> str:
    return printable(_words(error))


def _words(error: BaseException) -> str:
    if isinstance(error, EpcgError):
        return f"Error: {error}"
    if isinstance(error, KeyboardInterrupt):
        return "Interrupted."
    if isinstance(error, OSError) and error.filename is not None:
        return f"Error: {told_of_file(os.fsdecode(error.filename), error)}"
    if isinstance(error, MemoryError) or "can't start new thread" in str(error):
        return (
            "Error: there is not enough memory for this; what was recorded before stays. End other programs, "
            "ask for less, or use fewer workers."
        )
    if isinstance(error, OSError) and error.errno in _MEANS:
        return f"Error: the system refuses: {error.strerror}."
    return (
        f"Error: {type(error).__name__}: {error}. This is a mistake in EPCG or in a plugin, not yours; "
        "`epcg --debug` before the command shows the place."
    )


def _notes(error: BaseException) -> list[str]:
    """Return the notes that are sentences; tracebacks are for --debug."""
    notes = [note for note in getattr(error, "__notes__", []) if "\n" not in note.strip()]
    if isinstance(error, EvaluationError) and error.recordable:
        notes.append(
            "With --on-error record such a candidate is recorded without a value and the run goes on."
        )
    return notes


def _is_of_output(error: OSError) -> bool:
    """Tell whether writing to stdout failed: only an error of opening a file names the file."""
    return error.filename is None and error.errno in _OUTPUT_FAILS


def _output_failed(error: OSError) -> int:
    """Say that the output cannot be written, unless its reader has gone; returns the exit code.

    What is still buffered goes nowhere, silently.
    """
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    if error.errno == errno.EPIPE:
        return 0
    click.secho(f"Error: the output cannot be written: {error.strerror}.", err=True, fg="red")
    return 1


def _without_plugins(ctx: click.Context, parameter: click.Parameter, value: bool) -> None:
    if value:
        from epcg_core.plugins.registry import registry

        os.environ["EPCG_PLUGINS"] = ""  # the environment, so that worker processes do the same
        registry.cache_clear()


def _version(ctx: click.Context, parameter: click.Parameter, value: bool) -> None:
    if value and not ctx.resilient_parsing:
        from epcg_core.plugins.installed import version

        click.echo(f"epcg {version('epcg-core')}")
        ctx.exit()


@click.group(
    cls=App,
    listing=COMMANDS,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
@click.option("--version", is_flag=True, is_eager=True, expose_value=False, callback=_version,
              help="Show the version and exit.")  # fmt: skip
@click.option("--no-plugins", is_flag=True, is_eager=True, expose_value=False, callback=_without_plugins,
              help="Load no plugins (as EPCG_PLUGINS= does; EPCG_PLUGINS=a,b loads only those).")  # fmt: skip
@debug_option()
def app() -> None:
    """Exhaustive procedural content generation: generate all content of a kind, evaluate all of it, record
    every score, keep the best.

    A query (a TOML file) names a domain's generator and evaluators; `epcg run` answers it.

    \b
    Examples:
      epcg domains                       what there is
      epcg run query.toml --dry-run      how long it would take
      epcg run query.toml                answer a query
      epcg top 1                         the best candidates of run 1
      epcg sql "SELECT * FROM runs"      ask the database

    Results are recorded in epcg.db; --db or EPCG_DB names another database. Data goes to stdout, messages go
    to stderr. Exit codes: 0 done, 1 error, 2 usage, 3 interrupted and resumable, 4 a check failed, 5
    cannot be checked here, 6 holds if what it names does, 130 interrupted with nothing to resume.
    """
    show_messages()

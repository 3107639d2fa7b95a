"""Groups of commands to which plugins add commands."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from epcg_core.base.errors import PluginError

if TYPE_CHECKING:
    from epcg_core.domain import CommandInfo
    from epcg_core.plugins.registry import Registry


def active_registry() -> Registry:
    """Return the registry of plugins, which is loaded when a list or a command first needs it."""
    from epcg_core.plugins.registry import registry

    return registry()


class OpenGroup(click.Group):
    """A group to which plugins add commands; one with the name of one of the group's own is not used.

    `commands` stays empty, because pages and shells take it for all commands if it holds some.
    """

    def __init__(self, *args: Any, **options: Any) -> None:
        self._own: dict[str, click.Command] = {}
        super().__init__(*args, **options)

    def add_command(self, cmd: click.Command, name: str | None = None) -> None:
        self._own[name or cmd.name or ""] = cmd

    def list_commands(self, ctx: click.Context) -> list[str]:
        return sorted({*self._own, *self._of_plugins()})

    def get_command(self, ctx: click.Context, name: str) -> click.Command | None:
        if name in self._own:
            return self._own[name]
        info = self._of_plugins().get(name)
        return None if info is None else made(info)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        try:
            return super().resolve_command(ctx, args)
        except click.exceptions.NoSuchCommand as error:
            tell_missing(f"{self.name} {error.command_name}")
            if not self._own:  # only plugins add to it, and the one that has it is missing
                tell_missing(self.name or "")
            raise click.exceptions.NoSuchCommand(
                error.command_name, possibilities=self.list_commands(ctx), ctx=ctx
            ) from None

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """List the commands; those of plugins by their summaries, so that none is loaded."""
        rows = [(name, info.summary) for name, info in self._of_plugins().items()]
        rows += [(name, command.get_short_help_str(100)) for name, command in self._own.items()]
        with formatter.section("Commands"):
            formatter.write_dl(sorted(rows))

    def _of_plugins(self) -> dict[str, CommandInfo]:
        from epcg_core.domain import CommandInfo

        return {
            info.name: info
            for info in active_registry().all(CommandInfo)
            if info.group == self.name and info.name not in self._own
        }


def made(info: CommandInfo) -> click.Command:
    """Make a plugin's command. Raises PluginError if its factory raises or returns something else."""
    from epcg_core.domain import resolve

    with active_registry().attribute_errors_to(info):
        command = resolve(info.factory)
        if not isinstance(command, click.Command):
            command = command()
    if not isinstance(command, click.Command):
        words = " ".join(filter(None, (info.domain, info.group, info.name)))
        raise PluginError(f"The command '{words}' is not a click command; ask the author of the plugin.")
    return command


def tell_missing(name: str) -> None:
    """Raise PluginError if a command is that of a face that is not in use."""
    sentence = active_registry().missing("command", name)
    if sentence is not None:
        raise PluginError(f"There is no command `epcg {name}`. {sentence}")

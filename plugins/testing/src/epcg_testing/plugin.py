"""The plugin: the commands for authors of plugins. Light, because every command reads it."""

from collections.abc import Callable

from epcg_core.plugin import CommandInfo, MethodInfo, hookimpl

EPCG_API_VERSION = 1


@hookimpl
def epcg_register_commands(register: Callable[[CommandInfo], None]) -> None:
    register(
        CommandInfo(
            name="check",
            summary="Check that a domain keeps the laws that the core relies on.",
            factory="epcg_testing.command:check",
        )
    )
    register(
        CommandInfo(
            name="new-domain",
            summary="Write a new plugin with a small puzzle in it.",
            factory="epcg_testing.new_domain:new_domain",
        )
    )


@hookimpl
def epcg_register_methods(register: Callable[[MethodInfo], None]) -> None:
    register(
        MethodInfo(
            name="check",
            of="epcg",
            summary="the laws of a domain, and whether they are kept",
            function="epcg_testing.checked:check",
        )
    )

"""The parts of the workbench. Light, because every command reads it."""

from collections.abc import Callable

from epcg_core.plugin import CommandInfo, KindInfo, MethodInfo, hookimpl

EPCG_API_VERSION = 1


@hookimpl
def epcg_register_commands(register: Callable[[CommandInfo], None]) -> None:
    register(
        CommandInfo(
            name="workbench",
            summary="Edit, play and analyse contents in the web browser.",
            factory="epcg_workbench.command:workbench",
        )
    )
    register(
        CommandInfo(
            name="project",
            summary="Pack a folder of the workbench into one file, or unpack it.",
            factory="epcg_workbench.project.command:project",
        )
    )
    register(
        CommandInfo(
            name="browse",
            summary="Look at a database in the web browser.",
            factory="epcg_workbench.data.command:browse",
        )
    )


@hookimpl
def epcg_register_kinds(register: Callable[[KindInfo], None]) -> None:
    register(
        KindInfo(
            name="page",
            plural="pages",
            summary="Add pages of the workbench.",
            info="epcg_workbench.parts:PageInfo",
        )
    )


@hookimpl
def epcg_register_methods(register: Callable[[MethodInfo], None]) -> None:
    register(
        MethodInfo(
            name="edit",
            of="epcg",
            summary="edit a content in a notebook",
            function="epcg_workbench.notebook:edit",
        )
    )

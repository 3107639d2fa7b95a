"""The plugin: commands and a method that export curricula. Light, because every command reads it."""

from collections.abc import Callable

from epcg_core.plugin import CommandInfo, MethodInfo, PublishedInfo, hookimpl

EPCG_API_VERSION = 1


@hookimpl
def epcg_register_commands(register: Callable[[CommandInfo], None]) -> None:
    register(
        CommandInfo(
            name="export",
            group="curriculum",
            summary="Write a curriculum: a booklet, JSON for games, CSV, or a site.",
            factory="epcg_publishing.command:export",
        )
    )
    register(
        CommandInfo(
            name="schema",
            group="curriculum",
            summary="Print the JSON Schema of the JSON that `export` writes.",
            factory="epcg_publishing.command:schema",
        )
    )
    register(
        CommandInfo(
            name="share",
            summary="Make one HTML file of a puzzle or a game, to send to a friend.",
            factory="epcg_publishing.share_command:share",
        )
    )
    register(
        CommandInfo(
            name="gif",
            summary="Make a GIF of a solution of a puzzle, or of moves.",
            factory="epcg_publishing.gif_command:gif",
        )
    )
    register(
        CommandInfo(
            name="site",
            group="study",
            summary="Make the pages on which a study with people runs, from a plan.",
            factory="epcg_publishing.study.command:site",
        )
    )


@hookimpl
def epcg_register_methods(register: Callable[[MethodInfo], None]) -> None:
    register(
        MethodInfo(
            name="export",
            of="curriculum",
            summary="the bytes of a booklet, JSON or CSV, or a folder of play pages",
            function="epcg_publishing.exported:exported",
        )
    )
    register(
        MethodInfo(
            name="share",
            of="epcg",
            summary="one HTML file of a puzzle or a game, to send to a friend",
            function="epcg_publishing.shared_page:share",
        )
    )
    register(
        MethodInfo(
            name="gif",
            of="epcg",
            summary="a GIF of a solution of a puzzle, or of moves",
            function="epcg_publishing.gif:gif",
        )
    )


@hookimpl
def epcg_register_published_files(register: Callable[[PublishedInfo], None]) -> None:
    register(
        PublishedInfo(
            name="shared-page",
            summary="a page of `epcg share`",
            recognise="epcg_publishing.share_check:recognise",
            verify="epcg_publishing.share_check:verify",
        )
    )
    register(
        PublishedInfo(
            name="play-pages",
            summary="a folder of play pages",
            recognise="epcg_publishing.site_check:recognise",
            verify="epcg_publishing.site_check:verify",
        )
    )

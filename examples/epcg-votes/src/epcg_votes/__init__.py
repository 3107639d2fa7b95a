"""Votes on puzzles: what a plugin adds that has no puzzles of its own."""

from collections.abc import Callable

from epcg_core.plugin import (
    CheckInfo,
    CommandInfo,
    MethodInfo,
    TablesInfo,
    hookimpl,
)

EPCG_API_VERSION = 1


@hookimpl
def epcg_register_commands(register: Callable[[CommandInfo], None]) -> None:
    register(
        CommandInfo(name="vote", summary="Vote on the puzzles of a run.", factory="epcg_votes.commands:vote")
    )


@hookimpl
def epcg_register_tables(register: Callable[[TablesInfo], None]) -> None:
    register(TablesInfo(name="votes", summary="votes on puzzles", migrations="epcg_votes.migrations"))


@hookimpl
def epcg_register_checks(register: Callable[[CheckInfo], None]) -> None:
    register(
        CheckInfo(
            name="votes",
            summary="every vote is on a candidate that the run evaluated",
            prove="epcg_votes.record:prove",
        )
    )


@hookimpl(optionalhook=True)
def epcg_register_exporters(register: Callable[..., None]) -> None:
    register(
        name="markdown",
        summary="a table in Markdown",
        endings=(".md",),
        write="epcg_votes.markdown:write",
    )


@hookimpl(optionalhook=True)
def epcg_register_pages(register: Callable[..., None]) -> None:
    register(name="votes", title="Votes", summary="the votes on puzzles", factory="epcg_votes.page:make")


@hookimpl
def epcg_register_methods(register: Callable[[MethodInfo], None]) -> None:
    register(
        MethodInfo(
            name="votes", of="run", summary="the votes on its puzzles", function="epcg_votes.record:of_run"
        )
    )

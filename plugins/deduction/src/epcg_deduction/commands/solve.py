"""`epcg deduction genres`, `solve`, `check` and `hint`: puzzles in files, from the command line."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path
from typing import Any

import attrs
import click

from epcg_core.plugin import EpcgError, ParamsError, counted, output
from epcg_deduction.formats.named import is_text, puzzles_of, text_of
from epcg_deduction.model.puzzles import Puzzle
from epcg_deduction.texts import genre_document, read, shipped

_WORK = 2_000_000_000


def genres_command() -> click.Command:
    """Make the click command `genres`."""

    @click.command("genres", short_help="The genres that are shipped, or the rules of one.")
    @click.argument("name", required=False)
    def genres(name: str | None) -> None:
        """List the genres that are shipped, or tell the rules of the one that is NAMEd, and its text."""
        if name is not None:
            found = genre_document(name)
            click.echo(found.genre.text.rstrip())
            return
        rows = []
        for each, path in shipped().items():
            table = tomllib.loads(path.read_text("utf-8"))
            kinds = ", ".join(table.get("clues", {})) or "none"
            rows.append([each, table["title"], kinds, len(table.get("puzzles", []))])
        click.echo("\n".join(output.plain_table(["name", "title", "clues", "puzzles"], rows)))

    return genres


def check_command() -> click.Command:
    """Make the click command `check`."""

    @click.command("check", short_help="The faults of a text, and whether its puzzles are fair.")
    @click.argument("file")
    @click.option("--json", "as_json", is_flag=True, help="Print JSON.")
    def check(file: str, as_json: bool) -> None:
        """Tell every fault of FILE with its line and column, its rules in words, and which puzzles are fair.

        FILE is the text of a genre with puzzles, or the name of a genre that is shipped.
        """
        from epcg_deduction.rendering.how_to_play import rules_in_words

        found = read(_text(file))
        puzzles = [puzzle for puzzle in found.puzzles if puzzle is not None]
        named = [(_name(n, puzzle), puzzle) for n, puzzle in enumerate(puzzles)] if found.usable else []
        answers = [(name, *_fair(puzzle)) for name, puzzle in named]
        if as_json:
            faults = [attrs.asdict(fault) for fault in found.faults]
            rows = [{"puzzle": name, "fair": fair, "answer": said} for name, fair, said in answers]
            click.echo(json.dumps({"faults": faults, "puzzles": rows}, indent=2))
        else:
            for fault in found.faults:
                column = f", column {fault.column}" if fault.column else ""
                click.echo(f"line {fault.line}{column}: {fault.message}")
            if found.genre is not None:
                click.echo(f"{found.genre.title}. {rules_in_words(found.genre)}")
            for name, _, said in answers:
                click.echo(f"{name}: {said}")
        if not found.usable:
            raise ParamsError(f"{file} cannot be used as it is.")

    return check


def solve_command() -> click.Command:
    """Make the click command `solve`."""

    @click.command("solve", short_help="The solutions of the puzzles of a file.")
    @click.argument("file")
    @click.option("--puzzle", type=int, help="Only this one, counted from 1.")
    @click.option(
        "--limit", type=click.IntRange(1), default=2, show_default=True, help="Solutions that are drawn."
    )
    def solve(file: str, puzzle: int | None, limit: int) -> None:
        """Draw the solutions of the puzzles of FILE, and say how many there are.

        FILE is the text of a genre with puzzles, or the name of a genre that is shipped.
        """
        from epcg_deduction.rendering.renderers import drawn, first_solutions

        for name, own in _chosen(file, puzzle):
            click.echo(f"{name}: {_fair(own, limit)[1]}")
            for marks in first_solutions(own, limit):
                click.echo("\n" + "\n".join(drawn(own, marks).splitlines()[2:]))
            click.echo("")

    return solve


def hint_command() -> click.Command:
    """Make the click command `hint`."""

    @click.command("hint", short_help="How a puzzle is solved, step by step.")
    @click.argument("file")
    @click.option("--puzzle", type=int, default=1, show_default=True, help="Which one, counted from 1.")
    @click.option(
        "--kinds", default="0123", show_default=True, help="The kinds of steps, the easier ones first."
    )
    @click.option("--all", "every", is_flag=True, help="All steps to the solution, not the first only.")
    def hint(file: str, puzzle: int, kinds: str, every: bool) -> None:
        """Tell the easiest step of a puzzle of FILE, with its rule, its place and its reason.

        Kinds of steps: 0 one instance of a rule and what is sure, 1 one instance with notes, 2 two instances,
        3 an assumption that fails. FILE is the text of a genre with puzzles, or the name of a shipped genre.
        """
        from epcg_deduction.inference.hints import hint as easiest, position_of
        from epcg_deduction.rules import problem_of
        from epcg_deduction.solving.compiled import Compiled

        ((_, own),) = _chosen(file, puzzle)
        compiled = Compiled(problem_of(own))
        position = position_of(compiled.problem, {})
        number = 0
        while True:
            step = easiest(own, position, kinds, compiled)
            number += 1
            click.echo(f"{number}. {step.text}")
            if not every or not step.kind or step.wrong:
                return
            masks = list(position)
            for site, mark in step.excluded:
                masks[site] &= ~(1 << mark)
            position = tuple(masks)

    return hint


def _text(file: str) -> str:
    """Return the text that an argument means, with all its puzzles."""
    if not is_text(file) and file in shipped() and not Path(file).is_file():
        return genre_document(file).genre.text
    return text_of(file)


def _chosen(file: str, number: int | None) -> list[tuple[str, Puzzle]]:
    puzzles = puzzles_of(file)
    named = [(_name(n, puzzle), puzzle) for n, puzzle in enumerate(puzzles)]
    if not named:
        raise ParamsError(f"{file} has no puzzle: add a table [[puzzles]].")
    if number is None:
        return named
    if not 1 <= number <= len(named):
        raise ParamsError(f"{file} has {counted(len(named), 'puzzle')}, and no number {number}.")
    return [named[number - 1]]


def _name(number: int, puzzle: Puzzle) -> str:
    return f"{number + 1} {puzzle.title}".strip()


def _fair(puzzle: Puzzle, limit: int = 2) -> tuple[bool | None, str]:
    """Return whether a puzzle is fair, and its number of solutions in words."""
    from epcg_deduction.evaluation.facts import counted as count

    try:
        found: Any = count(puzzle, max(limit, 100), _WORK)
    except EpcgError as error:
        return None, str(error)
    if found.fair is None:
        return None, "not known within the work of a search"
    if found.number == 0:
        return False, "no solution"
    if found.fair:
        return True, "one solution, so it is fair"
    return False, f"{found.number:,}{'' if found.complete else ' or more'} solutions"

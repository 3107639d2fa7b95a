"""Options of commands that draw figures: size, font, caption. Imports inside functions keep help light."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from epcg_core.inside import say
from epcg_core.plugin import documents

if TYPE_CHECKING:
    from epcg_research.figures import Paper

F = TypeVar("F", bound=Callable[..., Any])
ENDINGS = (".svg", ".png", ".pdf")


def paper_options(function: F) -> F:
    """Declare --columns, --width, --height, --font, --font-size and --caption."""
    for option in reversed(
        (
            click.option(
                "--columns",
                type=click.IntRange(1, 2),
                help="For one column of a journal's page, or for two: 3.5 or 7.16 inches, 8 points, no "
                "title, 600 dots an inch in a PNG.",
            ),
            click.option("--width", type=float, metavar="INCHES", help="The width, instead."),
            click.option("--height", type=float, metavar="INCHES", help="The height of each plot."),
            click.option("--font", metavar="NAME", help="An installed font, such as 'DejaVu Serif'."),
            click.option("--font-size", type=float, metavar="POINTS", help="The size of the text."),
            click.option(
                "--caption",
                is_flag=True,
                help="Write what the figure shows into FILE.txt beside it: n, methods, runs, digests.",
            ),
        )
    ):
        function = option(function)
    return function


def check_ending(target: Path) -> None:
    """Raise UsageError if a figure cannot have this ending."""
    if target.suffix.lower() not in ENDINGS:
        raise click.UsageError(f"'{target}' must end in .svg, .png or .pdf.")


def paper_of(options: Mapping[str, Any]) -> Paper:
    """Return the paper that options of `paper_options` ask for."""
    import attrs

    from epcg_research.figures import Paper

    columns = options["columns"]
    asked = {
        "width": options["width"],
        "height": options["height"],
        "font": options["font"],
        "size": options["font_size"],
    }
    return attrs.evolve(
        Paper() if columns is None else Paper.of_journal(columns),
        **{name: value for name, value in asked.items() if value is not None},
    )


def say_drawn(target: Path, caption: str, write: bool) -> None:
    """Say that a figure is drawn, and what it shows; write that beside it, if it is asked for."""
    if write:
        beside = target.with_suffix(".txt")
        with documents.replaced(beside) as part:
            part.write_text(f"{caption}\n", encoding="utf-8")
        say(f"Drawn into {target}, with its caption in {beside}.")
        return
    say(f"Drawn into {target}. {caption}")

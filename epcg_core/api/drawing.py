"""Puzzles as text or pictures."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Literal

import attrs

from epcg_core.api.arguments import checked, checked_methods
from epcg_core.api.puzzles import Puzzle
from epcg_core.api.report import Note, Report, Table, location_of
from epcg_core.base import documents
from epcg_core.base.errors import QueryError, writing
from epcg_core.plugins.registry import registry
from epcg_core.plugins.scripts import end_of_parts
from epcg_core.query.puzzle_id import parse_puzzle_id, puzzle_id
from epcg_core.query.short_ids import is_short, shortened
from epcg_core.rendering import render as rendering

Format = Literal["svg", "text"]


@checked_methods
@attrs.frozen(repr=False)
class Picture(Report):
    """A drawing of a puzzle, as text or SVG."""

    puzzle: str
    """The puzzle's id."""
    format: Format
    content: str
    moves: bool = False
    """Whether the picture plays a solution."""

    def parts(self) -> Iterator[str | Table]:
        """Yield the drawing."""
        yield self.content.rstrip("\n")

    def json(self) -> dict[str, str]:
        """Return the id, the format and the drawing."""
        return {"puzzle": self.puzzle, "format": self.format, "content": self.content}

    def save(self, path: str | Path) -> None:
        """Write the drawing into a file, in a folder that exists."""
        target = Path(path)
        with writing(target), documents.replaced(target) as part:
            part.write_text(self.content, encoding="utf-8")

    def _repr_svg_(self) -> str | None:
        return self.content if self.format == "svg" else None

    def _repr_html_(self) -> str:
        return self.content if self.format == "svg" else super()._repr_html_()


@checked
def render(
    puzzle: str | Path | Puzzle,
    format: Literal["svg", "text"] | None = None,
    *,
    solution: bool = False,
    animate: bool = False,
    renderer: str = "",
    domain: str | None = None,
    db: str | Path | None = None,
) -> Picture:
    """Draw a puzzle, as `epcg render` does.

    Args:
        puzzle: its id, RUN#RANK or a short id of the database, a file, a text, or a puzzle.
        format: 'svg' or 'text'; None for text, and for SVG if it is to move.
        solution: whether a solution is drawn, too: the recorded one, if there is one.
        animate: whether the picture plays a solution.
        renderer: the name of a further renderer of the domain.
        domain: the domain that reads a file, if several could.
        db: the database; as for `open`.

    Raises:
        EpcgError: if nothing reads the puzzle, or its domain does not draw it so.
    """
    end_of_parts()
    text = puzzle.id if isinstance(puzzle, Puzzle) else str(puzzle)
    found = named_puzzles([text], location_of(db), solution, domain)
    return next(draw(found, format or ("svg" if animate else "text"), solution, animate, renderer))


def draw(
    puzzles: Sequence[tuple[str, Sequence[str]]],
    format: Format,
    solution: bool,
    animate: bool,
    renderer: str,
) -> Iterator[Picture]:
    """Draw puzzles one after the other.

    Args:
        puzzles: the id of each with its recorded solution, as `named_puzzles` returns them.
        format: 'svg' or 'text'.
        solution: whether a solution is drawn, too.
        animate: whether the pictures play a solution.
        renderer: the name of a further renderer of the domain.

    Raises:
        QueryError: if the domain draws no such pictures.
    """
    for puzzle, recorded in puzzles:
        drawn: str | None
        if animate:
            drawn = rendering.render_animated(puzzle, renderer)
        elif solution:
            drawn = rendering.render_solved(puzzle, format, recorded, renderer)
        else:
            drawn = rendering.render(puzzle, format, renderer)
        if drawn is None:
            domain, option = puzzle.partition(":")[0], "animate" if animate else "solution"
            what = "moving pictures" if animate else f"solutions as {format}"
            raise QueryError(f"The domain {domain} draws no {what}: leave out --{option}.")
        yield Picture(puzzle, format, drawn, animate and "<animate" in drawn)


def named_puzzles(
    names: Sequence[str], location: str, solution: bool, domain: str | None
) -> list[tuple[str, Sequence[str]]]:
    """Return the id of each puzzle that is named, with its recorded solution if that is wanted.

    Args:
        names: ids, short ids, RUN#RANK, files or texts.
        location: the database, which is opened if it is needed.
        solution: whether recorded solutions are wanted.
        domain: the domain that reads files and texts; None for any.

    Raises:
        EpcgError: if a name names no puzzle.
    """
    named = [re.fullmatch(r"(\d{1,9})#(\d{1,300})", text.strip()) for text in names]
    short = any(map(is_short, names))
    if not any(named) and not short and not (solution and Path(location).is_file()):
        return [(_found(text, location, domain), ()) for text in names]
    from epcg_core.runs.solutions import Solutions
    from epcg_core.store import Store
    from epcg_core.store.short_ids import whole

    puzzles: list[tuple[str, Sequence[str]]] = []
    with Store.open(location) as store, store.reader() as reader:
        solutions = Solutions(reader)

        def known(space: str, rank: int) -> Sequence[str]:
            return next(iter(solutions.of(space, rank)), ()) if solution else ()

        for text, match in zip(names, named, strict=True):
            if match is None:
                text = whole(reader, text) if is_short(text) else _found(text, location, domain)
                space, rank = parse_puzzle_id(registry(), text)
                puzzles.append((text, known(space.name, rank)))
                continue
            record, rank = reader.run(int(match[1])), int(match[2])
            if rank >= record.max_rank:
                raise QueryError(f"Run {record.id} has ranks 0 to {record.max_rank - 1}, not {rank}.")
            puzzles.append((puzzle_id(record.space, rank), known(record.space, rank)))
    return puzzles


def without_motion(picture: Picture) -> Note:
    """Say that a picture that was to move does not."""
    return Note(f"{shortened(picture.puzzle)}: no solution to play is found, so the picture does not move.")


def _found(text: str, location: str, domain: str | None) -> str:
    """Return the id of the puzzle that an id, a file or a text names."""
    if "#" in text and ":" in text and registry().named_path(text) is None:
        return text
    from epcg_core.store import find

    with find.reading(location) as reader:
        space, rank = find.by_text(text, reader, domain)
    return puzzle_id(space.name, rank)

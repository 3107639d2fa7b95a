"""Play pages: a curriculum as a folder of files that is played without Python and without network."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import attrs

from epcg_core.inside import Booklet, BookletChapter, BookletPuzzle, CurriculumError
from epcg_core.plugin import EpcgError, Progress, documents, writing
from epcg_publishing.limits import MOST_POSITIONS
from epcg_publishing.play import carried
from epcg_publishing.site import pages
from epcg_publishing.texts import ENGLISH, say

_STILL = "This puzzle cannot be played here: the page has its picture and its solution only."


@attrs.frozen
class Shown:
    """One puzzle of the pages."""

    puzzle: BookletPuzzle
    positions: int
    """How many positions it carries; 0 if it cannot be played."""
    complete: bool
    """Whether they are all that can be reached."""
    bytes: int
    """The length of the file that holds them."""
    why: str
    """Why it cannot be played, in words for authors; empty if it can."""


def write_site(
    booklet: Booklet,
    folder: Path,
    most: int = MOST_POSITIONS,
    told: Callable[[Shown], None] = lambda shown: None,
    *,
    quiet: bool = True,
    language: str = ENGLISH,
) -> list[Shown]:
    """Write the play pages of a booklet into a folder, which must not exist or be empty.

    Args:
        booklet: the curriculum.
        folder: the folder; it appears when all is written, and not at all if that fails.
        most: the most positions that a puzzle carries (see `play_graph`).
        told: called after each puzzle.
        quiet: show no progress.
        language: that of the texts of the pages.

    Raises:
        CurriculumError: if there are no puzzles, or there is something in the folder, or it cannot be
            written.
    """
    if not any(booklet.puzzles()):
        raise CurriculumError(f"The curriculum {booklet.name} has no puzzles: there is nothing to play.")
    _check(folder)
    shown: list[Shown] = []
    total = sum(1 for _ in booklet.puzzles())
    with (
        writing(folder),
        Progress(f"{booklet.name}, play pages", total, unit="puzzles", quiet=quiet) as progress,
        documents.replaced(folder, folder=True) as part,
    ):

        def done(one: Shown) -> None:
            progress.advance(1)
            told(one)

        for name, data in _files(booklet, most, shown, done, language):
            path = part / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(data)
    return shown


def _check(folder: Path) -> None:
    if folder.is_dir() and any(folder.iterdir()):
        raise CurriculumError(f"There is something in the folder '{folder}': name a new one, or empty it.")
    if folder.exists() and not folder.is_dir():
        raise CurriculumError(f"'{folder}' is a file: name a folder for the pages.")


def _files(
    booklet: Booklet, most: int, shown: list[Shown], told: Callable[[Shown], None], language: str
) -> Iterator[tuple[str, bytes]]:
    """Yield the name and bytes of each file; the last one is the list of the others."""
    digest = hashlib.sha256()
    names = []

    def one(name: str, data: bytes) -> tuple[str, bytes]:
        digest.update(name.encode() + b"\0" + hashlib.sha256(data).digest())
        names.append(name)
        return name, data

    pictured = {}
    for chapter in booklet.chapters:
        for puzzle in chapter.puzzles:
            svg, solved = puzzle.picture(), puzzle.solved_picture()
            pictured[puzzle.number] = svg is not None
            if svg is not None:
                yield one(f"pictures/{puzzle.number}.svg", svg.encode())
            if solved is not None:
                yield one(f"pictures/{puzzle.number}-solved.svg", solved.encode())
            data, found = _puzzle(chapter, puzzle, svg is not None, solved is not None, most, language)
            shown.append(found)
            told(found)
            yield one(f"puzzles/{puzzle.number}.js", data)
    for number, instruction in enumerate(booklet.how_to_play()):
        if instruction.picture:
            yield one(f"pictures/how-{number}.svg", instruction.picture.encode())
    keys = {puzzle.number: key_of(puzzle) for puzzle in booklet.puzzles()}
    yield one("index.html", pages.index(booklet, keys, pictured, language).encode())
    yield one("play.html", pages.play(booklet, language).encode())
    yield one("list.js", pages.script(*pages.LIST).encode())
    yield one("play.js", pages.script(*pages.PLAYER).encode())
    yield one("site.css", pages.style().encode())
    yield one("icon.svg", pages.static("icon.svg").encode())
    yield one("manifest.webmanifest", pages.manifest(booklet).encode())
    worker = pages.worker(booklet.name, digest.hexdigest()[:16], ["./", *names])
    yield "worker.js", worker.encode()


def key_of(puzzle: BookletPuzzle) -> str:
    """Return the name of a puzzle's progress, which it keeps in other curricula of the same name."""
    return hashlib.sha256(puzzle.puzzle.encode()).hexdigest()[:16]


def _puzzle(
    chapter: BookletChapter, puzzle: BookletPuzzle, pictured: bool, solved: bool, most: int, language: str
) -> tuple[bytes, Shown]:
    moves: str | None = None
    why, positions, complete = "", 0, True
    steps: list[str] | None = None
    try:
        play = carried(puzzle.document(), puzzle.recorded, most)
        moves, steps, positions, complete = play.moves, play.steps, play.positions, play.complete
    except EpcgError as error:
        why = str(error).partition("\n")[0]
    data: dict[str, Any] = {
        "number": puzzle.number,
        "key": key_of(puzzle),
        "puzzle": puzzle.puzzle,
        "chapter": chapter.title,
        "difficulty": puzzle.difficulty,
        "picture": f"pictures/{puzzle.number}.svg" if pictured else None,
        "text": "" if pictured else puzzle.text(),
        "solved": f"pictures/{puzzle.number}-solved.svg" if solved else None,
        "solution": puzzle.solution_text() if steps is None else "",
        "steps": steps,
        "warn": chapter.warns,
        "why": say(language, _STILL) if why else "",
        "moves": moves,
    }
    text = json.dumps(data, allow_nan=False, separators=(",", ":"))
    file = f"epcgPuzzle({text.replace('<', chr(92) + 'u003c')});\n".encode()
    return file, Shown(puzzle, positions, complete, len(file), why)

"""The domain's own text of a puzzle: its genre, by name if it is shipped, and one table [puzzle]."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache

import attrs

from epcg_core.plugin import EpcgError, ParamsError, toml_tables
from epcg_deduction.exchange import (
    is_address,
    is_file,
    is_penpa,
    read_address,
    read_file,
    read_penpa,
    write_address,
    write_file,
    write_penpa,
)
from epcg_deduction.model.genre import Genre
from epcg_deduction.model.puzzles import Puzzle
from epcg_deduction.texts import Document, genre_document, read_text, shipped
from epcg_deduction.texts.writer import written_puzzle

_PUZZLES = ("puzzle", "puzzles")


def puzzle_lines(text: str) -> list[tuple[int, int]]:
    """Return for each puzzle of a text the line of its header and the one behind it, from 0.

    Blank lines and comments above the header of another table belong to that table.
    """
    lines, found = text.split("\n"), list[tuple[int, int]]()
    headers = toml_tables.Places(text).tables
    ends = [line - 1 for _, line in headers[1:]] + [len(lines)]
    for (path, line), end in zip(headers, ends, strict=False):  # no header: the end alone is left
        if path[0] not in _PUZZLES:
            continue
        if len(path) > 2 or (len(path) == 2 and isinstance(path[1], str)):  # [puzzle.plus]
            found[-1:] = [(found[-1][0], end)] if found else []
        else:
            found.append((line - 1, end))
    others = {line - 1 for path, line in headers if path[0] not in _PUZZLES}
    for number, (start, end) in enumerate(found):
        while end in others and end > start + 1 and not lines[end - 1].split("#")[0].strip():
            others.add(end := end - 1)
        found[number] = start, end
    return found


@lru_cache(maxsize=256)
def definition_of(text: str) -> str:
    """Return the text of a genre without its puzzles, wherever they stand."""
    lines, kept, at = text.split("\n"), list[str](), 0
    for start, behind in puzzle_lines(text):
        kept += lines[at:start]
        at = behind
    return "\n".join([*kept, *lines[at:]]).rstrip() + "\n"


def document_of(text: str) -> Document:
    """Read a text; genres that are equal are the same one. Raises ParamsError with the place of a fault."""
    found = read_text(text)
    genre = _kept(definition_of(text), found.genre)
    puzzles = tuple(attrs.evolve(puzzle, genre=genre) for puzzle in found.puzzles)
    return Document(genre, puzzles, found.notes)


_GENRES: dict[str, Genre] = {}
"""Genres by the texts that define them."""


def _kept(definition: str, genre: Genre) -> Genre:
    if any(genre is genre_document(name).genre for name in [genre.name] if name in shipped()):
        return genre
    if definition not in _GENRES:
        _GENRES[definition] = _shipped_as(definition) or attrs.evolve(genre, text=definition)
    return _GENRES[definition]


def _shipped_as(definition: str) -> Genre | None:
    """Return the shipped genre whose text defines the same."""
    for name in shipped():
        own = genre_document(name).genre
        if definition_of(own.text) == definition:
            return own
    return None


def is_shipped(genre: Genre) -> bool:
    """Return whether a genre is one that is shipped."""
    return genre.name in shipped() and genre_document(genre.name).genre == genre


@lru_cache(maxsize=1024)
def parse_puzzle(text: str) -> Puzzle:
    """Return the puzzle of a text, of an address or of a file pzprv3, without its title.

    Raises ParamsError if it has none or several, or a fault.
    """
    if is_address(text):
        return _told(read_address, text)
    if is_penpa(text):
        return _told(read_penpa, text)
    if is_file(text):
        return _told(read_file, text)
    found = document_of(text).puzzles
    if len(found) != 1:
        raise ParamsError(
            "A text of one puzzle is expected, with its genre and a table [puzzle]; this one has "
            f"{len(found)}. A puzzle of a file is named by deduction:puzzles?genre=FILE#0, counted from 0."
        )
    return attrs.evolve(found[0], title="")


def _told(read: Callable[[str], Puzzle], text: str) -> Puzzle:
    """Return what is read from a text in a form of others. Raises ParamsError for its faults."""
    try:
        return read(text)
    except ParamsError:
        raise
    except EpcgError as error:
        raise ParamsError(str(error)) from error


def read_addresses(text: str, name: str) -> list[str]:
    """Return the own text of the puzzle of each address of puzz.link. Raises ParamsError with the line."""
    return _each_line(text, name, read_address)


def read_penpa_addresses(text: str, name: str) -> list[str]:
    """Return the own text of the puzzle of each address of penpa-edit. Raises ParamsError with the line."""
    return _each_line(text, name, _penpa_only)


def _penpa_only(text: str) -> Puzzle:
    if not is_penpa(text):
        raise EpcgError("An address of penpa-edit should stand here.")
    return read_penpa(text)


def _each_line(text: str, name: str, read: Callable[[str], Puzzle]) -> list[str]:
    """Return the own text of what is read from each line that is not empty."""
    found = []
    for number, line in enumerate(text.split("\n"), start=1):
        if line.strip():
            try:
                found.append(format_puzzle(_told(read, line)))
            except ParamsError as error:
                raise ParamsError(f"{name}, line {number}: {error}") from error
    return found


def written_address(own: str, title: str) -> str:
    """Return the address of a puzzle. Raises EpcgError if its genre or its board has none."""
    return write_address(parse_puzzle(own)) + "\n"


def written_penpa(own: str, title: str) -> str:
    """Return the address of penpa-edit of a puzzle. Raises EpcgError if its genre or its board has none."""
    return write_penpa(parse_puzzle(own)) + "\n"


def read_pzprv3(text: str, name: str) -> list[str]:
    """Return the own text of the puzzle of a file pzprv3. Raises ParamsError with the row of a fault."""
    try:
        return [format_puzzle(_told(read_file, text))]
    except ParamsError as error:
        raise ParamsError(f"{name}: {error}") from error


def written_pzprv3(own: str, title: str) -> str:
    """Return the file pzprv3 of a puzzle. Raises EpcgError if its genre or its board has none."""
    return write_file(parse_puzzle(own))


@lru_cache(maxsize=1024)
def format_puzzle(puzzle: Puzzle) -> str:
    """Return a puzzle as the text that `parse_puzzle` reads; titles belong to files."""
    genre = puzzle.genre
    head = f'genre = "{genre.name}"\n' if is_shipped(genre) else genre.text
    return f"{head}\n[puzzle]\n{written_puzzle(attrs.evolve(puzzle, title=''))}"


def shipped_puzzles(name: str) -> tuple[Puzzle, ...]:
    """Return the puzzles of a shipped genre. Raises UnknownNameError."""
    return genre_document(name).puzzles

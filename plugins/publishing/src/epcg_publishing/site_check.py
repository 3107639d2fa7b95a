"""Folders of play pages among what `epcg verify FILE` checks."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping, Sequence
from pathlib import Path, PurePosixPath
from typing import Any

from epcg_core.inside import Check, make_check
from epcg_core.plugin import CheckFailedError, UncheckedError, documents
from epcg_publishing.play import carried
from epcg_publishing.share_check import extent
from epcg_publishing.sharing import content_named
from epcg_publishing.site import pages

WORKER = "worker.js"
MOST_FILES = 100_000
_FILES = re.compile(r"^const FILES = (\[.*\]);$", re.MULTILINE)
_PUZZLE = re.compile(r"epcgPuzzle\((\{.*\})\);\n", re.DOTALL)
_PROGRAMS = {
    "list.js": pages.LIST,
    "play.js": pages.PLAYER,
}


def recognise(path: Path) -> bool:
    """Return whether a path is a folder of play pages, or the page in it that lists them."""
    folder = _folder(path)
    return all((folder / name).exists() for name in (WORKER, "play.html", "play.js", "puzzles"))


def _folder(path: Path) -> Path:
    return path.parent if path.name in ("index.html", "play.html") else path


def verify(path: Path, options: Mapping[str, Any]) -> tuple[Sequence[Check], Sequence[str]]:
    """Check the folder; return the checks, and what none covers."""
    folder = _folder(path)
    names: list[str] = []
    checks = [make_check("files", lambda: _files(folder, names))]
    if checks[0].passed:
        checks.append(make_check("program", lambda: _program(folder)))
        checks.append(make_check("puzzles", lambda: _puzzles(folder, names)))
    return checks, ["pictures, titles, difficulties and texts, whose source `epcg curriculum verify` checks"]


def _files(folder: Path, names: list[str]) -> str:
    """Check that the files are those that the pages keep, with the digest that they name."""
    text = _text(folder / WORKER)
    listed = _FILES.search(text)
    found = [] if listed is None else documents.parse_json(listed[1], WORKER, CheckFailedError)
    if (
        not isinstance(found, list)
        or not all(isinstance(name, str) for name in found)
        or len(found) > MOST_FILES
    ):
        raise CheckFailedError(f"{WORKER} does not list files.")
    digest = hashlib.sha256()
    for name in found[1:]:
        if ".." in PurePosixPath(name).parts or name.startswith("/"):
            raise CheckFailedError(f"{WORKER} lists {name!r:.100}, which leads out of the folder.")
        if not (folder / name).is_file():
            raise CheckFailedError(f"{name:.100} is missing.")
        data = documents.read_bytes(folder / name, "file", CheckFailedError)
        digest.update(name.encode() + b"\0" + hashlib.sha256(data).digest())
    if digest.hexdigest()[:16] not in text:
        raise CheckFailedError("A file was changed since the pages were made: their digest is another.")
    there = {each.relative_to(folder).as_posix() for each in folder.rglob("*") if each.is_file()}
    if more := sorted(there - {*found, WORKER}):
        raise CheckFailedError(f"{more[0]:.100} is in the folder, and not one of the pages' files.")
    names += found[1:]
    return f"All {len(names):,} files have the digest that the pages name. Anyone can write such a digest."


def _program(folder: Path) -> str:
    for name, modules in _PROGRAMS.items():
        if _text(folder / name) != pages.script(*modules):
            raise UncheckedError(
                f"{name} is not what is installed here: it may be of another version, or show something else."
            )
    return "The programs of the pages are those installed here."


def _puzzles(folder: Path, names: Sequence[str]) -> str:
    """Make each puzzle's play again from its id."""
    own = [name for name in names if name.startswith("puzzles/")]
    incomplete = []
    for name in own:
        match = _PUZZLE.fullmatch(_text(folder / name))
        data = None if match is None else documents.parse_json(match[1], name, CheckFailedError)
        if not isinstance(data, dict) or not isinstance(data.get("puzzle"), str):
            raise CheckFailedError(f"{name} is not of the form that EPCG writes.")
        puzzle = data["puzzle"]
        if data.get("key") != hashlib.sha256(puzzle.encode()).hexdigest()[:16]:
            raise CheckFailedError(f"{name} has another key than {puzzle:.100} has.")
        document = content_named(puzzle)
        if data.get("moves") is None:
            incomplete.append(name)
            continue
        if not extent(data["moves"], data.get("number", 0))[1]:
            incomplete.append(name)
            continue
        play = carried(document)
        if not play.complete or play.moves != data["moves"]:
            raise CheckFailedError(f"{name} plays another puzzle than {puzzle:.100} is.")
        if data.get("steps") != play.steps:
            raise CheckFailedError(f"{name} has other steps of a solution than {puzzle:.100} has.")
    if incomplete:
        raise UncheckedError(
            f"{len(incomplete):,} of {len(own):,} puzzles carry a part of their positions, or none: "
            f"{incomplete[0]}."
        )
    return f"The play of all {len(own):,} puzzles, made again from their ids, is the same."


def _text(path: Path) -> str:
    return documents.read_text(path, "file", CheckFailedError)

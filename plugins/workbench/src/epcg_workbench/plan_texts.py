"""Changes of a plan's text: lists by hand and the order of chapters; comments stay where they belong."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from epcg_core.inside import CurriculumError
from epcg_core.plugin import documents
from epcg_workbench.questions import put_key

Path = Sequence[str | int]
_HEADER = re.compile(r"^[ \t]*\[\[[ \t]*chapters[ \t]*\]\][^\n]*$", re.MULTILINE)
_COMMENTS_ABOVE = re.compile(r"(?:^[ \t]*#[^\n]*\n)+\Z", re.MULTILINE)


def with_list(text: str, path: Path, entries: Sequence[str]) -> str:
    """Return a plan whose part at a path lists these puzzles, one a line, each with its comment.

    Raises CurriculumError if there is no such part.
    """
    import tomlkit
    from tomlkit.exceptions import TOMLKitError

    documents.parse_toml(text, "plan", CurriculumError)  # its sentences name line and column
    try:
        document: Any = tomlkit.parse(text)
        comments = _comments(document)
        part = document
        for step in path:
            part = part[step]
        made = tomlkit.array()
        for entry in entries:
            made.add_line(_string(entry), comment=comments.get(entry))
        if entries:
            made.add_line(indent="")
        put_key(part, "puzzles", made)
        return tomlkit.dumps(document)
    except (TOMLKitError, KeyError, IndexError, TypeError, ValueError) as error:
        raise CurriculumError(
            f"The plan has no {'.'.join(map(str, path))} to list puzzles in: {error}."
        ) from None


def _comments(document: Mapping[str, Any]) -> dict[str, str]:
    """Return the comments behind the puzzles of all lists by hand, by puzzle."""
    found = {}
    for chapter in document["chapters"]:
        for part in (chapter, *chapter.get("parts", ())):
            for group in getattr(part.get("puzzles"), "_value", ()):
                if group.comment is not None and group.value is not None and str(group.value):
                    found[str(group.value)] = str(group.comment).strip().removeprefix("#").strip()
    return found


def _string(text: str) -> Any:
    """Return a string of TOML; one of several lines keeps them."""
    import tomlkit

    plain = "'''" not in text and not text.endswith("'") and text.replace("\n", "").isprintable()
    if "\n" in text and plain:
        return tomlkit.value(f"'''\n{text}'''")
    return tomlkit.string(text)


def with_chapters(text: str, order: Sequence[int]) -> str:
    """Return a plan whose chapters are those of some numbers, in their order, each with what stands above it.

    Raises CurriculumError if the text cannot be cut between its chapters.
    """
    before = documents.parse_toml(text, "plan", CurriculumError)
    starts: list[int] = []
    for match in _HEADER.finditer(text):
        above = _COMMENTS_ABOVE.search(text[: match.start()])
        starts.append(match.start() if above is None or above.start() == 0 else above.start())
    chapters = before.get("chapters")
    if not isinstance(chapters, list) or len(starts) != len(chapters):
        raise CurriculumError("The chapters of this plan cannot be told apart: write each as [[chapters]].")
    if not order or sorted(set(order)) != sorted(order) or not set(order) <= set(range(len(starts))):
        raise CurriculumError(f"A plan keeps one chapter or more of its {len(starts)}, each once.")
    pieces = [text[a:b] for a, b in zip(starts, [*starts[1:], len(text)], strict=True)]
    made = text[: starts[0]] + "\n".join(pieces[number].rstrip("\n") + "\n" for number in order)
    after = documents.parse_toml(made, "plan", CurriculumError)
    if after != before | {"chapters": [chapters[number] for number in order]}:
        raise CurriculumError("The chapters of this plan cannot be moved: something stands between them.")
    return made


def without_list(text: str, chapter: int, part: int) -> str:
    """Return a plan whose part, both numbers counted from 0, lists no puzzles by hand."""
    import tomlkit

    document: Any = tomlkit.parse(text)
    table = document["chapters"][chapter]
    table = table["parts"][part] if "parts" in table else table
    for key in ("puzzles", "fill"):
        if key in table:
            del table[key]
    return tomlkit.dumps(document)

"""Files of contents that other programs made: which contents they hold, and their ranks in a space.

A file may be a table, a list, a text or a folder; a content in it is a puzzle's id, a rank, or its text.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import attrs

from epcg_core.inside import PLUGIN_EXCEPTIONS
from epcg_core.plugin import (
    EpcgError,
    FormatInfo,
    Reader,
    RunRecord,
    UnknownNameError,
    documents,
    find,
    make_generator,
    registry,
    resolve,
)
from epcg_research.exchange.responses import table_of, text_of_cell

COLUMNS = ("puzzle", "rank", "content", "text")
"""Columns of a table that hold contents; the first that is there counts."""
MOST_CONTENTS = 1_000_000
MOST_BYTES = 256_000_000
_NUMBER = re.compile(r"[0-9]{1,18}")
_SHORT = 160


@attrs.frozen
class Item:
    """A content of a file."""

    place: str
    """Where it stands: 'line 3', 'content 2', the name of a file."""
    text: str
    is_rank: bool = False
    """Whether it is a rank of the run's space, and not an id or a text, which may be a number, too."""


@attrs.frozen
class Ranked:
    """The contents of a file in the space of a run."""

    ranks: tuple[int, ...]
    """Candidates of the run, in the order of the file; one may be there several times."""
    outside: tuple[tuple[str, str], ...]
    """(place, why) of each of the others."""


def items_of(path: Path, domain: str, column: str | None = None) -> list[Item]:
    """Read the contents of a file.

    Args:
        path: a table (.csv, .tsv, .parquet), a list (.json, .jsonl), a file of one of the domain's formats, a
            text, or a folder with a file for each content.
        domain: the domain of the contents.
        column: the column of a table that holds them; None for the first of COLUMNS.

    Raises:
        EpcgError: if the file cannot be read, or holds no content.
    """
    if path.is_dir():
        files = sorted(file for file in path.iterdir() if file.is_file() and not file.name.startswith("."))
        found = [Item(file.name, documents.read_text(file, "file of a content")) for file in files]
    elif path.suffix.lower() in (".csv", ".tsv", ".parquet"):
        found = list(_of_table(path, column))
    elif column is not None:
        raise EpcgError(f"{path} is not a table, so it has no column '{column}': leave it out.")
    elif path.suffix.lower() in (".json", ".jsonl"):
        found = list(_of_list(path, domain))
    else:
        text = documents.read_text(path, "file of contents", EpcgError, MOST_BYTES)
        found = list(_of_format(path, text, domain) or _of_text(text))
    if not found:
        raise EpcgError(f"{path} holds no content.")
    if len(found) > MOST_CONTENTS:
        raise EpcgError(f"{path} holds {len(found):,} contents, and {MOST_CONTENTS:,} are compared at most.")
    return found


def _of_table(path: Path, column: str | None) -> Iterator[Item]:
    header, rows = table_of(path, ",")
    name = column or next((each for each in COLUMNS if each in header), None)
    if name is None:
        raise EpcgError(
            f"{path} has none of the columns {', '.join(COLUMNS)}: name the one of contents with --column; "
            f"there are {', '.join(header)}."
        )
    if name not in header:
        raise UnknownNameError("column", name, header, "--column")
    for line, row in rows:
        yield Item(f"line {line}", text_of_cell(row[name]) or "", name == "rank")


def _of_list(path: Path, domain: str) -> Iterator[Item]:
    """Yield the contents of a list in JSON: texts, ranks, or tables with one of COLUMNS."""
    text = documents.read_text(path, "list of contents", EpcgError, MOST_BYTES)
    if path.suffix.lower() == ".jsonl":
        data: Any = [
            documents.parse_json(line, f"{path}, line {number}", EpcgError)
            for number, line in enumerate(text.splitlines(), 1)
            if line.strip()
        ]
    else:
        data = documents.parse_json(text, str(path), EpcgError)
    own = _of_format(path, text, domain)
    if own:
        yield from own
        return
    if not isinstance(data, list):
        raise EpcgError(f"{path} is not a list of contents: texts, ids, ranks, or tables with one of them.")
    for number, each in enumerate(data, 1):
        value, name = each, ""
        if isinstance(each, dict):
            name = next((name for name in COLUMNS if name in each), "")
            value = each.get(name)
        if type(value) not in (str, int):
            raise EpcgError(
                f"{path}, content {number}: a text, an id or a rank is expected, or a table with one of "
                f"{', '.join(COLUMNS)}."
            )
        yield Item(f"content {number}", str(value), name == "rank" or (not name and type(value) is int))


def _of_format(path: Path, text: str, domain: str) -> list[Item]:
    """Return the contents of a file of one of the domain's formats; none if it is not one."""
    for info in registry().all(FormatInfo, domain):
        if path.suffix.lower() not in info.endings:
            continue
        texts = _read(info, text, path)
        if texts:
            return [Item(f"content {number}", each) for number, each in enumerate(texts, 1)]
    return []


def _read(info: FormatInfo, text: str, path: Path) -> list[str]:
    try:
        if info.file is not None:
            with registry().attribute_errors_to(info):
                sheet = resolve(info.file)().read(text)
            return [piece.text for piece in sheet.pieces if piece.kind == "content"]
        return [] if info.read is None else list(resolve(info.read)(text, path.name))
    except PLUGIN_EXCEPTIONS:  # of another kind
        return []


def _of_text(text: str) -> Iterator[Item]:
    """Yield the contents of a text: ids or ranks in lines, or texts with empty lines between."""
    lines = text.splitlines()
    if all(_NUMBER.fullmatch(line.strip()) or find.is_id(line) for line in lines if line.strip()):
        for number, line in enumerate(map(str.strip, lines), 1):
            if line:
                yield Item(f"line {number}", line, _NUMBER.fullmatch(line) is not None)
        return
    block: list[str] = []
    for number, line in enumerate([*lines, ""], 1):
        if line.strip():
            block.append(line)
        elif block:
            yield Item(f"line {number - len(block)}", "\n".join(block) + "\n")
            block = []


def ranked(reader: Reader, location: str, run: RunRecord, items: Iterable[Item]) -> Ranked:
    """Find contents in the space of a run.

    Args:
        reader: the database.
        location: where it is, for messages.
        run: the run.
        items: the contents.

    Returns:
        The ranks of those that the run covers, and why others are outside.
    """
    space, _ = find.named(f"{run.id}#0", reader, location)
    generator = make_generator(registry(), space)
    info = registry().generator(space.domain, space.generator.name)
    known: dict[tuple[str, bool], int | str] = {}

    def rank_of(text: str, is_rank: bool) -> int:
        if not text.strip():
            raise EpcgError("it is empty")
        if is_rank:
            number = text.strip().removesuffix(".0")
            if _NUMBER.fullmatch(number):
                return int(number)
            raise EpcgError(f"{text.strip()!r:.40} is not a rank")
        if find.is_id(text):
            other, rank = find.named(text, reader, location)
            if other.name == run.space:
                return rank
            raise EpcgError(f"it is a puzzle of another space, {other.name}")
        if not hasattr(generator, "parse") or not hasattr(generator, "rank"):
            raise EpcgError("the generator of the run reads no texts: name contents by ids or ranks")
        with registry().attribute_errors_to(info):
            return int(generator.rank(generator.parse(text)))

    ranks, outside = list[int](), list[tuple[str, str]]()
    for item in items:
        key = item.text, item.is_rank
        if key not in known:
            try:
                found: int | str = rank_of(*key)
            except PLUGIN_EXCEPTIONS as error:
                found = " ".join(str(error).split()).rstrip(".")[:_SHORT]
            if isinstance(found, int) and not run.start <= found < run.stop:
                found = f"the run covers ranks {run.start:,} to {run.stop - 1:,}, not {found:,}"
            known[key] = found
        place = known[key]
        if isinstance(place, int):
            ranks.append(place)
        else:
            outside.append((item.place, place))
    return Ranked(tuple(ranks), tuple(outside))

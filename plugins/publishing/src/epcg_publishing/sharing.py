"""Gather what is shared: the contents of a file, of a puzzle's id, or of a text, with what is measured."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

import attrs

from epcg_core.inside import Document, editing, files, opened_state, puzzle_id
from epcg_core.plugin import (
    EpcgError,
    Metric,
    Piece,
    QueryError,
    Reader,
    RunRecord,
    Sheet,
    Store,
    Value,
    documents,
    find,
    make_generator,
    parse_puzzle_id,
    registry,
)
from epcg_publishing.share import Shared
from epcg_publishing.texts import ENGLISH, say

MOST_FACTS = 6
"""Sentences about one puzzle."""


@attrs.frozen
class Gathered:
    """What is shared."""

    shared: Sequence[Shared]
    title: str
    source: str
    """The text that a workbench opens."""
    left_out: Sequence[str] = ()
    """A sentence for each content that cannot be shared."""
    author: str = ""
    """Who made it, if the text says it."""
    after: Sequence[str] = ()
    """The messages behind the last content."""


def gathered(
    what: str,
    domain: str | None,
    levels: Sequence[int],
    numbers: bool,
    location: str,
    language: str = ENGLISH,
) -> Gathered:
    """Gather contents. Raises EpcgError if there are none.

    Args:
        what: a file, a puzzle's id, RUN#RANK, or a text.
        domain: the domain of a file or a text; None for the first that reads it.
        levels: the levels of a file, from 1; none means all.
        numbers: whether they are measured.
        location: the database that has RUN#RANK.
        language: that of the titles of levels.
    """
    path = registry().named_path(what)
    if find.is_id(what):
        run, _, rank_of_run = what.strip().partition("#")
        number, rank = documents.whole_number(run), documents.whole_number(rank_of_run)
        if number is not None and rank is not None:
            return _recorded(number, rank, location, numbers)
        with find.reading(location) as reader:
            space, rank = find.named(what, reader, location)
        generator = make_generator(registry(), space)
        text, domain, name = opened_state(generator, generator.unrank(rank)), space.domain, what
        kind = files.kind_named(space.domain, "")
    else:
        text = what if path is None else documents.read_text(path, "file", QueryError)
        name = "A puzzle" if path is None else path.stem.replace("_", " ").replace("-", " ")
        kinds = list(files.kinds_of(path or Path("text"), text, domain))
        if not kinds:
            if path is None:
                documents.check_not_path(what, QueryError)
            raise QueryError(_why(what, text, path, domain))
        kind = kinds[0]
    sheet = kind.format.read(text)
    word = registry().domain(kind.domain).content_word[0].capitalize()
    found, left_out, number = [], [], 0
    for number, one, piece, messages in _contents(kind, sheet):
        if levels and number not in levels:
            continue
        if isinstance(one, str):
            left_out.append(f"{word} {number} is left out: {one}")
            continue
        level = say(language, f"{word} {{number}}", number=number)
        is_one = not kind.name and len(sheet.pieces) == 1
        title = piece.title if is_one else f"{level}{f': {piece.title}' if piece.title else ''}"
        found.append(Shared(one, title, messages, facts_of(one) if numbers else ()))
    if not found:
        wanted = " or ".join(str(each) for each in levels)
        raise QueryError(
            left_out[0] if left_out else f"There is no level {wanted} in it: it has levels 1 to {number}."
        )
    left_out += [f"There is no level {each}: it has {number}." for each in levels if each > number]
    after = _last_messages(sheet) if not levels or number in levels else []
    title = sheet.title or name[:1].upper() + name[1:]
    return Gathered(found, title, text, left_out, sheet.author, after)


def _recorded(number: int, rank: int, location: str, numbers: bool) -> Gathered:
    """Gather a candidate of a run, with what was recorded of it."""
    with Store.open(location) as store, store.reader() as reader:
        run = reader.run(number)
        puzzle = puzzle_id(run.space, rank)
        space, _ = parse_puzzle_id(registry(), puzzle)
        generator = make_generator(registry(), space)
        text = opened_state(generator, generator.unrank(rank))
        facts = recorded_facts(reader, run, rank)
    digest = "" if run.digest is None else f", digest {run.digest[:12]}"
    covered = run.so_far or f"{run.candidates:,} candidates"
    origin = f"As computed: run {run.id}, {covered}, {run.coverage}{digest}. {puzzle}"
    document = editing.open_document(space.domain, text)
    shared = Shared(document, "", (), facts if numbers else (), origin if numbers else "", puzzle)
    return Gathered([shared], puzzle, text)


def recorded_facts(reader: Reader, run: RunRecord, rank: int) -> list[str]:
    """Tell what a run recorded of a candidate."""
    values = reader.scores_at(run.id, [rank])[0]
    metrics = [(registry().metric(run.domain, m.name) or m) for m in reader.every_metric(run.id)]
    return _told([(metric, values[metric.name]) for metric in metrics])


def contents_of(source: str) -> Iterator[Document]:
    """Yield all contents that a text holds, as each kind of files that reads it finds them."""
    for kind in files.kinds_of(Path("text"), source, None):
        yield from (
            one for _, one, *_ in _contents(kind, kind.format.read(source)) if not isinstance(one, str)
        )


def content_named(puzzle: str) -> Document:
    """Return the content that a puzzle's id rebuilds. Raises EpcgError."""
    space, rank = parse_puzzle_id(registry(), puzzle)
    generator = make_generator(registry(), space)
    return editing.open_document(space.domain, opened_state(generator, generator.unrank(rank)))


def _why(what: str, text: str, path: Path | None, domain: str | None) -> str:
    """Say why no editor reads a text."""
    if domain is not None:
        editing.open_document(domain, text)  # raises, with the reason
    shown = "This is neither a file nor a puzzle's id" if path is None else f"'{what}' is a file"
    return (
        f"{shown}, and no domain's editor reads it as a content: name its domain with --domain, which says "
        "what is wrong in it."
    )


def _contents(kind: files.Kind, sheet: Sheet) -> Iterator[tuple[int, Document | str, Piece, list[str]]]:
    """Yield (number from 1, content or why there is none, the piece, the messages before it)."""
    number, said = 0, list[str]()
    for piece in sheet.pieces:
        if piece.kind == "message":
            said.append(piece.text)
            continue
        number += 1
        try:
            yield number, editing.open_document(kind.domain, piece.text), piece, said
        except EpcgError as error:
            yield number, str(error), piece, []
        said = []


def _last_messages(sheet: Sheet) -> list[str]:
    """Return the messages behind the last content."""
    said: list[str] = []
    for piece in sheet.pieces:
        said = [*said, piece.text] if piece.kind == "message" else []
    return said


def facts_of(document: Document) -> list[str]:
    """Measure a content; return sentences about what has a value."""
    found = [measures for _, measures in editing.measures(document) if not isinstance(measures, str)]
    return _told([(each.metric, each.value) for measures in found for each in measures])


def _told(values: Iterable[tuple[Metric, Value | None]]) -> list[str]:
    """Tell values, one sentence each, those first that people are shown first."""
    found: list[tuple[bool, int, str]] = []
    for metric, value in values:
        if value is not None and metric.kind != "bool":
            told = metric.told(value)
            found.append((not metric.headline, metric.headline, f"{told[:1].upper()}{told[1:]}."))
    found.sort(key=lambda fact: fact[:2])
    return list(dict.fromkeys(text for *_, text in found))[:MOST_FACTS]

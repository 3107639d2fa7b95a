"""Pages of `epcg share` among the files that `epcg verify FILE` checks: all that they show is made again."""

from __future__ import annotations

import hashlib
import html
import re
import zlib
from base64 import b64decode
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from epcg_core.inside import Check, Document, make_check
from epcg_core.plugin import (
    CheckFailedError,
    ConditionalError,
    Store,
    UncheckedError,
    documents,
    parse_puzzle_id,
    registry,
)
from epcg_publishing.limits import MOST_POSITIONS
from epcg_publishing.play_graph import NEARBY
from epcg_publishing.share import Shared, page_html, puzzle_data
from epcg_publishing.sharing import content_named, contents_of, facts_of, recorded_facts
from epcg_publishing.texts import ENGLISH, LANGUAGES

MOST_BYTES = 128_000_000
MOST_TABLES = 1 << 24
_LANGUAGE = re.compile(r'^<html lang="([a-z]+)">$', re.MULTILINE)
_DATA = re.compile(r'<script type="application/json" id="puzzles">(.*?)</script>', re.DOTALL)
_TITLE = re.compile(r'<body data-waits data-name="[0-9a-f]*" data-title="([^"]*)"')
_ORIGIN = re.compile(r"As computed: run \d+, .*, digest ([0-9a-f]{12})\. (\S+)")
_DIGITS = re.compile(r"\d[\d.,]*")


def recognise(path: Path) -> bool:
    """Return whether a file is a page that carries its puzzles."""
    try:
        if path.is_dir() or path.stat().st_size > MOST_BYTES:
            return False
        with path.open("rb") as file:
            head = file.read(256).lstrip().lower()
            return head.startswith(b"<!doctype html>") and b'id="puzzles">' in file.read()
    except OSError:
        return False


def verify(path: Path, options: Mapping[str, Any]) -> tuple[Sequence[Check], Sequence[str]]:
    """Check a page; return the checks, and what none covers."""
    text = documents.read_text(path, "page", CheckFailedError, MOST_BYTES)
    puzzles: list[dict[str, Any]] = []
    found: list[Document] = []
    checks = [make_check("form", lambda: _form(text, puzzles))]
    if checks[0].passed:
        source = _parsed(text)[1].get("source", "")
        checks.append(make_check("program", lambda: _program(text)))
        checks.append(make_check("puzzles", lambda: _puzzles(puzzles, source, found, _language_of(text))))
        if len(found) == len(puzzles):
            checks.append(make_check("numbers", lambda: _numbers(puzzles, found, source, options["db"])))
    return checks, ["what titles, headings and messages say"]


def _parsed(text: str) -> tuple[str, Any]:
    data = _DATA.search(text)
    if data is None:
        raise CheckFailedError("It carries no puzzles.")
    return data[1], documents.parse_json(data[1], "The page's list of puzzles", CheckFailedError)


def _form(text: str, puzzles: list[dict[str, Any]]) -> str:
    data = _parsed(text)[1]
    own = data.get("puzzles") if isinstance(data, dict) else None
    texts = ("key", "heading", "origin", "solution", "why")
    known = isinstance(own, list) and own and all(isinstance(data.get(n), str) for n in ("title", "source"))
    if not known or not isinstance(own, list):
        raise CheckFailedError("Its list of puzzles is not of the form that EPCG writes.")
    for each in own:
        right = isinstance(each, dict) and all(isinstance(each.get(name), str) for name in texts)
        lists = [each.get(name, [0]) for name in ("facts", "messages")] if right else [[0]]
        if not all(isinstance(found, list) and all(isinstance(one, str) for one in found) for found in lists):
            raise CheckFailedError("A puzzle of it is not of the form that EPCG writes.")
    puzzles += own
    return f"It carries {len(own):,} puzzle{'s' * (len(own) != 1)}."


def _language_of(text: str) -> str:
    """Return the language that a page names, if there are texts of it; else English."""
    found = _LANGUAGE.search(text)
    return found[1] if found is not None and found[1] in LANGUAGES else ENGLISH


def _program(text: str) -> str:
    """Check that nothing but its puzzles is in the page."""
    title = _TITLE.search(text)
    data, parsed = _parsed(text)
    shown = "" if title is None else html.unescape(title[1])
    if shown != parsed["title"] or page_html(shown, data, _language_of(text)) != text:
        raise UncheckedError(
            "Its program, or what stands around its puzzles, is not what is installed here: it may be of "
            "another version, or show something else than it carries."
        )
    return "Its program is the one installed here, and shows what it carries."


def _puzzles(puzzles: Sequence[Mapping[str, Any]], source: str, found: list[Document], language: str) -> str:
    """Check that each puzzle is the one of its id, or of the page's source, and make its play again."""
    held = {key_of(one): one for one in contents_of(source)} if source else {}
    opened = []
    for number, each in enumerate(puzzles, 1):
        name = each.get("id")
        if name:
            document = content_named(str(name))
        elif each["key"] in held:
            document = held[each["key"]]
        elif not held:
            raise UncheckedError(
                f"The page has neither an id of puzzle {number} nor a text that is read here."
            )
        else:
            raise CheckFailedError(f"Puzzle {number} is none of those that the page's own text holds.")
        if key_of(document) != each["key"]:
            raise CheckFailedError(f"Puzzle {number} is another one than {name!s:.100} is.")
        if source and document.text != source and each["key"] not in held:
            raise CheckFailedError(f"Puzzle {number} is not in the text that the page gives to a workbench.")
        _same_play(number, each, document, language)
        opened.append(document)
    found += opened
    return f"{len(found):,} of {len(puzzles):,} are what their ids or the page's text say, and are played so."


def _same_play(number: int, told: Mapping[str, Any], document: Document, language: str) -> None:
    solutions = told.get("steps") is not None or bool(told["solution"])
    shared = Shared(
        document, told["heading"], told["messages"], told["facts"], told["origin"], str(told.get("id", ""))
    )
    positions, complete = extent(told.get("moves"), number)
    most = MOST_POSITIONS if complete else min(positions * NEARBY, MOST_POSITIONS * NEARBY)
    warns = told.get("warn") is True
    made = puzzle_data(number, shared, max(1, most), solutions, warns, language)[0]
    odd = [name for name in made if name != "id" and told.get(name) != made[name]]
    if odd and not complete:
        raise UncheckedError(f"Puzzle {number} carries a part of its positions, and which one is not known.")
    if odd:
        raise CheckFailedError(f"Puzzle {number}, made again, has another '{odd[0]}'.")


def extent(moves: Any, number: int) -> tuple[int, bool]:
    """Return how many positions packed moves say that they have, and whether these are all."""
    if moves is None:
        return 1, True
    try:
        data = zlib.decompressobj().decompress(b64decode(str(moves), validate=True), MOST_TABLES)
        length = shift = start = 0
        while True:
            length, shift, start = length | (data[start] & 127) << shift, shift + 7, start + 1
            if data[start - 1] < 128:
                break
        tables = documents.parse_json(data[start : start + length], "Its tables", CheckFailedError)
        return max(1, int(tables["positions"])), bool(tables["complete"])
    except (ValueError, LookupError, TypeError, zlib.error) as error:
        raise CheckFailedError(f"The moves of puzzle {number} cannot be read.") from error


def key_of(document: Document) -> str:
    """Return how a page names a content."""
    return hashlib.sha256(document.text.encode()).hexdigest()[:16]


def _numbers(
    puzzles: Sequence[Mapping[str, Any]], found: Sequence[Document], source: str, location: str | None
) -> str:
    """Check what the page says of each puzzle against what is measured now, or what was recorded."""
    told, taken = 0, list[str]()
    for number, (each, document) in enumerate(zip(puzzles, found, strict=True), 1):
        facts, origin = each["facts"], each["origin"]
        told += len(facts)
        if not facts and not origin:
            continue
        cited = _ORIGIN.fullmatch(origin)
        if origin and (cited is None or cited[2] != each.get("id")):
            raise CheckFailedError(f"What puzzle {number} says of its origin is not about it.")
        if cited is not None and location is not None:
            expected = _recorded(location, cited[1], cited[2])
        else:
            expected = facts_of(document)
        odd = [fact for fact in facts if fact not in expected]
        if not odd:
            continue
        if cited is not None and location is None:
            taken.append(f"the run with the digest {cited[1]} recorded of puzzle {number}: {odd[0]:.100}")
        elif cited is None and not source:
            taken.append(f"the curriculum that it was made of measured of puzzle {number}: {odd[0]:.100}")
        elif cited is None and _form_of(odd[0]) not in map(_form_of, expected):
            raise UncheckedError(f"Nothing here measures what it says of puzzle {number}: {odd[0]:.100}")
        else:
            raise CheckFailedError(f"It says of puzzle {number}: {odd[0]:.100} That is not what is found.")
    if taken:
        more = f", and {len(taken) - 1:,} more like it" if len(taken) > 1 else ""
        raise ConditionalError(f"It holds if {taken[0].rstrip('.')}{more}.")
    if not told:
        return "It tells no numbers."
    return f"{told:,} sentences with numbers are those that were recorded or are measured now."


def _recorded(location: str, digest: str, puzzle: str) -> list[str]:
    space, rank = parse_puzzle_id(registry(), puzzle)
    with Store.open(location) as store, store.reader() as reader:
        for run in reader.runs():
            if (run.digest or "").startswith(digest) and run.space == space.name:
                return recorded_facts(reader, run, rank)
    raise UncheckedError(f"{location} has no run with the digest {digest}.")


def _form_of(fact: str) -> str:
    """Return a sentence without its numbers."""
    return _DIGITS.sub("0", fact)

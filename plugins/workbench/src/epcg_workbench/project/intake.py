"""The one way in for texts: pasted, dropped, opened as a file, or named on the command line.

A text becomes a document of a domain and a format, with any number of levels and with its faults, or is
refused by one sentence of the reader that understood most of it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import attrs

from epcg_core.inside import editing, files
from epcg_core.plugin import (
    EpcgError,
    FormatInfo,
    QueryError,
    Sheet,
    counted,
    documents,
    find,
    registry,
)
from epcg_workbench.kept_texts import OTHER, PLAN, kind_of
from epcg_workbench.messages import Message, document_message, text_of
from epcg_workbench.project.causes import count_of, told_faults
from epcg_workbench.project.painting import has_art, has_workshop

LONGEST_REASON = 300
"""Characters of what a reader says."""
PASTED = "pasted"
"""The name of a text that has neither a name nor a title, without an ending."""
LONGEST_NAME = 60
"""Characters of a title that become the name of a file."""
_QUOTES = re.compile("[\"'`‘’“”]")
_UNNAMED = re.compile(r"[\x00-\x1f?%#\\/:*<>|]+")
"""What a title may have and the name of a file may not."""


@attrs.frozen
class Document:
    """A text as a domain reads it."""

    kind: files.Kind
    sheet: Sheet
    text: str

    @property
    def content(self) -> str:
        """The content that it holds, as its domain's editor opens it; '' if it does not hold just one."""
        pieces = self.sheet.pieces
        return pieces[0].text if len(pieces) == 1 and pieces[0].kind == "content" else ""

    @property
    def belongs(self) -> str:
        """Why it needs a file of a project to be kept whole; '' if a board shows all of it."""
        is_serious = any(fault.serious for fault in self.sheet.faults)
        pieces = self.sheet.pieces
        one, several = registry().domain(self.kind.domain).content_word
        if is_serious:
            many = count_of(told_faults(self.sheet, self.text, self.kind.format.read))
            faults = counted(many, "fault")
            return f"It has {faults}, which the page shows beside the text."
        if not self.content:
            levels = sum(piece.kind == "content" for piece in pieces)
            messages = len(pieces) - levels
            held = counted(levels, one, several)
            return f"It holds {held} and {counted(messages, 'message')}." if messages else f"It holds {held}."
        if is_game(self.kind):
            return "It is a game of its own."
        if self.kind.name and not _is_own(self.kind.domain, self.text):
            return f"It is a file of the format {self.kind.name}, which it keeps."
        return ""


def is_game(kind: files.Kind) -> bool:
    """Return whether files of a kind hold games: what they are made of is drawn, too."""
    return has_workshop(kind) or has_art(kind)


def name_of(title: str, ending: str) -> str:
    """Return the name of a file that holds what has a title: 'pasted.txt' without one."""
    stem = " ".join(_UNNAMED.sub(" ", _QUOTES.sub("", title)).split())
    if len(stem) > LONGEST_NAME:
        stem = stem[:LONGEST_NAME].rpartition(" ")[0] or stem[:LONGEST_NAME]
    stem = stem.strip(" .-")
    return f"{stem or PASTED}{ending}"


def intake(text: str, name: str = "", domain: str | None = None) -> Document:
    """Return the document that a text is.

    Args:
        text: the text.
        name: the name of its file; '' if it has none.
        domain: the domain that is to read it; None to find out.

    Raises:
        QueryError: with one sentence, if no domain reads it, or several do.
    """
    found = list(files.kinds_of(Path(name or PASTED), text, domain))
    usable = [kind for kind in found if kind.format.read(text).usable]
    domains = list(dict.fromkeys(kind.domain for kind in usable))
    if len(domains) > 1 and not _has_ending(usable[0], name):
        kinds = ", ".join(registry().domain(each).title for each in domains)
        raise QueryError(f"This may be a puzzle of several kinds: {kinds}. Choose one.")
    if usable:
        return Document(usable[0], usable[0].format.read(text), text)
    if found:
        faulty = [Document(kind, kind.format.read(text), text) for kind in found]
        return max(faulty, key=lambda each: _reach(each.sheet))
    for info in registry().all(FormatInfo, domain):
        if info.file is not None and domain is not None:  # a game without a level yet
            kind = files.kind_named(info.domain, info.name)
            sheet = kind.format.read(text)
            if _reach(sheet) > 1:
                return Document(kind, sheet, text)
    raise QueryError(refusal(text, domain))


def refusal(text: str, domain: str | None = None) -> str:
    """Return why no domain reads a text, in one sentence of the reader that understood most of it."""
    first = "No puzzle of a known kind is seen in this text"
    told = {name: said for name, said in editing.refusals(text).items() if domain in (None, name)}
    likeliest = domain if domain in told else find.likeliest(told)
    if likeliest is None or not told.get(likeliest):
        return f"{first}: choose its kind, and you are told what is wrong in it."
    said = told[likeliest]
    if len(said) > LONGEST_REASON:
        said = f"{said[:LONGEST_REASON].rstrip()} …"
    title = registry().domain(likeliest).title
    return f"{first}; {title} {'says' if domain else 'reads most of it, and says'}: {said}"


def _reach(sheet: Sheet) -> int:
    """Return the line of the first serious fault: how far a reader came."""
    return min((fault.line for fault in sheet.faults if fault.serious), default=0)


def _suffix(name: str) -> str:
    return Path(name).suffix.lower()


def _has_ending(kind: files.Kind, name: str) -> bool:
    return bool(kind.name) and _suffix(name) in registry().format(kind.domain, kind.name).endings


def _is_own(domain: str, text: str) -> bool:
    """Return whether a text is a content as the domain's editor opens it."""
    return files.OwnTexts(domain).read(text).usable


def take_in(request: Mapping[str, Any]) -> Iterator[Message]:
    """Take in `text`: the file `file` of another folder, or a text without a name; of `domain` if chosen.

    Answers the content, if it is one that a board shows whole. Otherwise `belongs` says why it needs a file
    of a project, and `file` how that may be called.
    """
    text, name = text_of(request, "text"), str(request.get("file") or "")
    if kept := _kept(name, text):
        yield {"belongs": kept[0], "file": name or name_of(kept[1], ".toml")}
        return
    found = intake(text, name, request.get("domain") or None)
    belongs = found.belongs
    if not belongs:
        document = editing.open_document(found.kind.domain, found.content)
        yield {"belongs": ""} | document_message(document, palette=True)
        return
    endings = registry().format(found.kind.domain, found.kind.name).endings if found.kind.name else ()
    yield {"belongs": belongs, "file": name or name_of(found.sheet.title, endings[0] if endings else ".txt")}


def _kept(name: str, text: str) -> tuple[str, str] | None:
    """Say that a text is a question or a plan, with its title; None if it is neither.

    Raises:
        EpcgError: for faulty TOML.
    """
    try:
        table = documents.parse_toml(text, name or "The text")
    except EpcgError:
        if _suffix(name) == ".toml":
            raise
        return None
    kind, title = kind_of(table), table.get("title")
    if kind == OTHER:
        return None
    return "It is a plan." if kind == PLAN else "It is a question.", title if isinstance(title, str) else ""

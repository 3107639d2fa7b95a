"""Puzzles in formats of others: from a puzzle's id or a file to a file."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from epcg_core.base import documents
from epcg_core.base.errors import PLUGIN_EXCEPTIONS, EpcgError, PluginError, UnknownNameError
from epcg_core.domain import FormatInfo, counted, resolve
from epcg_core.domain.content import format_state, opened_state
from epcg_core.plugins.registry import registry
from epcg_core.query.puzzle_id import parse_puzzle_id
from epcg_core.query.spec import make_generator
from epcg_core.store import find

OWN = "text"
"""The name of a domain's own text among its formats."""


def formats(domain: str | None = None) -> list[FormatInfo]:
    """Return all formats, or those of a domain."""
    return registry().all(FormatInfo, domain)


def convert(
    source: str, to: str, *, domain: str | None = None, read_as: str | None = None, number: int | None = None
) -> str:
    """Convert a puzzle to a format, by its name.

    Args:
        source: a puzzle's id, or a file.
        to: the name of a format, or OWN.
        domain: the domain of a file; default: the one that reads it.
        read_as: the format of a file; default: by its ending, else the own text, else by its content.
        number: which of the levels in a file, from 1; needed if there are several.

    Raises EpcgError.
    """
    if registry().named_path(source) is not None or "#" not in source:
        text = documents.read_text(Path(source), "file")
        if domain is None:
            domain, read_as = _recognised(Path(source), text, to, read_as)
        own, title = _read(text, Path(source), domain, read_as, to, number), Path(source).stem
    else:
        space, rank = parse_puzzle_id(registry(), source)
        generator = make_generator(registry(), space)
        domain, own, title = space.domain, opened_state(generator, generator.unrank(rank)), source
    if to == OWN:
        return own if own.endswith("\n") else own + "\n"
    info = registry().format(domain, to)
    if info.write is None:
        raise PluginError(f"The {registry().described(info)} is only read, not written.")
    with registry().attribute_errors_to(info):
        return str(resolve(info.write)(own, title))


def by_ending(path: Path, domain: str | None = None) -> list[FormatInfo]:
    """Return the formats whose files have a path's ending."""
    return [info for info in formats(domain) if path.suffix.lower() in info.endings]


def _read(text: str, path: Path, domain: str, read_as: str | None, to: str, number: int | None) -> str:
    """Return the own text of the content of a file, checked here unless the `write` of format `to` does."""
    found = by_ending(path, domain)
    if read_as == OWN or (read_as is None and not found):
        texts = [_own(path, domain) if to == OWN else text]
    else:
        info = registry().format(domain, read_as) if read_as else found[0]
        if info.read is None:
            raise PluginError(f"The {registry().described(info)} is only written, not read.")
        with registry().attribute_errors_to(info):
            texts = list(resolve(info.read)(text, path.name))
    if number is None and len(texts) > 1:
        raise EpcgError(f"{path} has {len(texts)} levels: add --number 1 to {len(texts)}.")
    if not 1 <= (number or 1) <= len(texts):
        raise EpcgError(f"{path} has {counted(len(texts), 'level')}, and no number {number}.")
    return str(texts[(number or 1) - 1])


def _own(path: Path, domain: str) -> str:
    """Read the content of a file in a domain's own text, and write it as the domain does."""
    space, rank = find.by_text(str(path), None, domain)
    generator = make_generator(registry(), space)
    return format_state(generator, generator.unrank(rank))


def _recognised(path: Path, text: str, to: str, read_as: str | None) -> tuple[str, str | None]:
    """Return the one domain that reads a file and has the format `to`, and the format of the file.

    The format is None if the domain is certain and reading will tell what is wrong.

    Raises EpcgError if several domains do, or none.
    """
    known = {info.name for info in formats()}
    for name in (to, read_as):
        if name not in (None, OWN, *known):
            raise UnknownNameError("format", str(name), {*known, OWN})
    domains = sorted({info.domain for info in formats() if to in (info.name, OWN)})
    tried = [info for info in formats() if info.domain in domains and info.read is not None]
    by_name = [info for info in tried if read_as in (None, info.name)]
    by_ending = [info for info in by_name if path.suffix.lower() in info.endings]
    fitting = by_ending or by_name
    certain = bool(by_ending) or read_as not in (None, OWN)
    of = {info.domain for info in fitting} if certain else set(domains)
    if certain and len(of) == 1:
        return of.pop(), read_as
    readers = [info for info in fitting if _reads(info, text, path)]
    if readers:
        domain = _only(path, dict.fromkeys(info.domain for info in readers))
        return domain, next(info.name for info in readers if info.domain == domain)
    if len(of) == 1:
        return of.pop(), read_as
    return _only(path, [] if certain else [name for name in domains if _reads_own(name, path)]), OWN


def _only(path: Path, domains: Iterable[str]) -> str:
    found = list(domains)
    if not found:
        raise EpcgError(f"No domain reads {path}: add --domain, which says what is wrong in it.")
    if len(found) > 1:
        raise EpcgError(f"{path} may be of {' or '.join(found)}: add --domain.")
    return found[0]


def _reads_own(domain: str, path: Path) -> bool:
    try:
        _own(path, domain)
    except EpcgError:
        return False
    return True


def _reads(info: FormatInfo, text: str, path: Path) -> bool:
    assert info.read is not None
    try:
        return bool(list(resolve(info.read)(text, path.name)))
    except PLUGIN_EXCEPTIONS:  # of another kind; what is read is read again with the error shown
        return False

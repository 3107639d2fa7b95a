"""Puzzles in formats of others: from a puzzle's id or a file to a file."""

from __future__ import annotations

from pathlib import Path

from epcg_core import documents
from epcg_core.domain import FormatInfo, resolve
from epcg_core.errors import EpcgError, PluginError, UnknownNameError
from epcg_core.plugins.registry import registry
from epcg_core.query.puzzle_id import parse_puzzle_id
from epcg_core.query.spec import make_generator
from epcg_core.rendering.render import format_state

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
        domain: the domain of a file, if its ending and the formats do not tell.
        read_as: the format of a file; default: by its ending, else the own text.
        number: which of the levels in a file, from 1; needed if there are several.

    Raises EpcgError.
    """
    if Path(source).is_file() or "#" not in source:
        text = documents.read_text(Path(source), "level")
        domain = domain or _domain_of(source, to, read_as)
        own, title = _read(text, Path(source), domain, read_as, number), Path(source).stem
    else:
        space, rank = parse_puzzle_id(registry(), source)
        generator = make_generator(registry(), space)
        domain, own, title = space.domain, format_state(generator, generator.unrank(rank)), source
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


def _read(text: str, path: Path, domain: str, read_as: str | None, number: int | None) -> str:
    """Return the own text of the content of a file."""
    found = by_ending(path, domain)
    if read_as == OWN or (read_as is None and not found):
        return text
    info = registry().format(domain, read_as) if read_as else found[0]
    if info.read is None:
        raise PluginError(f"The {registry().described(info)} is only written, not read.")
    with registry().attribute_errors_to(info):
        texts = list(resolve(info.read)(text, path.name))
    if number is None and len(texts) > 1:
        raise EpcgError(f"{path} has {len(texts)} levels: add --number 1 to {len(texts)}.")
    if not 1 <= (number or 1) <= len(texts):
        raise EpcgError(f"{path} has {len(texts)} levels, and no number {number}.")
    return str(texts[(number or 1) - 1])


def _domain_of(source: str, to: str, read_as: str | None) -> str:
    """Return the one domain that has the formats. Raises EpcgError if there are several or none."""
    by_name = [{info.domain for info in formats() if info.name == name} for name in (to, read_as) if name]
    fitting = [names for names in (*by_name, {info.domain for info in by_ending(Path(source))}) if names]
    found = set.intersection(*fitting) if fitting else set()
    if not found:
        named = [name for name in (to, read_as) if name and name != OWN]
        known = {info.name for info in formats()}
        for name in named:
            if name not in known:
                raise UnknownNameError("format", name, {*known, OWN})
        raise EpcgError(f"The domain of {source} is not known: add --domain.")
    if len(found) > 1:
        raise EpcgError(f"{source} may be of {' or '.join(sorted(found))}: add --domain.")
    return found.pop()

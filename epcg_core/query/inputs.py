"""Libraries and files: what a planned run reads beside the values of other runs."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from contextlib import suppress
from typing import Any

import attrs

from epcg_core.base.documents import place_of
from epcg_core.base.params import fields_of
from epcg_core.domain.kinds import KINDS
from epcg_core.domain.lazy import WithParams
from epcg_core.plugins.registry import Registry
from epcg_core.query.library import Library, libraries_by_key, space_of_items, spaces_of_items
from epcg_core.query.spec import RunSpec, SpaceSpec

TEXTS = "texts"
"""The source of a library of texts, which stand in the space of its items."""


@attrs.frozen
class Read:
    """A library or a file that a run reads."""

    role: str
    kind: str
    digest: str
    """The digest of the run that a library's items were chosen from, or of its items if they were texts; the
    digest that stands beside a file's name in the params."""
    source: str
    """The name of the space of a library's items, or of a file."""
    library: Library | None = None


def read_by(registry: Registry, spec: RunSpec) -> list[Read]:
    """List the libraries and files that a run reads, those of libraries too, each with a role of its own."""
    return [*_libraries(registry, spec.space), *_files(registry, spec)]


def _libraries(registry: Registry, space: SpaceSpec, before: str = "") -> Iterator[Read]:
    for key, library in libraries_by_key(registry, space):
        role = f"{before}{key}"
        if library.run:
            yield Read(f"library {role}", "library", library.run, library.space, library)
        else:
            yield Read(f"library {role}", "library", library.sha256, TEXTS, library)
        yield from _libraries(registry, space_of_items(registry, library), f"{role} / ")


def _files(registry: Registry, spec: RunSpec) -> Iterator[Read]:
    for name, digest in named_texts(registry, spec).items():
        yield Read(f"file {name}", "file", digest, name)


def named_texts(registry: Registry, spec: RunSpec) -> dict[str, str]:
    """Map each name of a file or folder in a run's params to the digest beside it, '' if there is none.

    Params hold those of other parts, of a policy say: a text at any depth counts if it has the key of a param
    that names files, of a part of the domain or of no domain. The params of libraries' spaces count, too. A
    name may also be that of something which a plugin ships.
    """
    spaces = (spec.space, *spaces_of_items(registry, spec.space))
    keys = _keys(registry, {None, "", *(space.domain for space in spaces)})
    parts = (*(space.generator for space in spaces), *spec.evaluators)
    found: dict[str, str] = {}
    for key, text, digest in (each for part in parts for each in _texts(part.params)):
        if key in keys and text:
            found.setdefault(text, digest)
    return found


def names_files(registry: Registry, query: Mapping[str, Any]) -> bool:
    """Return whether a query, as data, has a param that names a file."""
    keys = _keys(registry, {None, "", query.get("domain")})
    return any(key in keys and text for key, text, _ in _texts(query))


def _keys(registry: Registry, domains: Collection[object]) -> set[str]:
    """Return the keys of params that name files, of the parts of some domains."""
    return {
        key
        for kind in KINDS
        if issubclass(kind.info, WithParams)
        for info in registry.usable(kind.info)
        if getattr(info, "domain", None) in domains
        for key, field in fields_of(info.params).items()
        if field.metadata.get("names_file")
    }


def _texts(params: Any, key: str = "", digest: str = "") -> Iterator[tuple[str, str, str]]:
    """Yield (key, text, the digest beside it) of every text in params, at any depth."""
    if isinstance(params, str):
        yield key, params, digest
    elif isinstance(params, Mapping):
        beside = params.get("sha256", "")
        for own, value in params.items():
            yield from _texts(value, str(own), beside if isinstance(beside, str) else "")
    elif isinstance(params, list | tuple):
        for value in params:
            yield from _texts(value, key, digest)


def named_files(registry: Registry, spec: RunSpec) -> dict[str, str]:
    """Map each file or folder that a run's params name to its absolute path; none that a plugin ships."""
    found = {}
    for name in named_texts(registry, spec):
        with suppress(OSError, ValueError):  # a text may be longer than a name can be, or hold NUL
            if place_of(name).exists():
                found[name] = str(place_of(name).resolve())
    return found

"""Queries and plans by name: a file, or one that a plugin ships ('plugin/name')."""

from __future__ import annotations

import importlib.util
import os
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from epcg_core.base.errors import EpcgError, PluginError, QueryError, UnknownNameError
from epcg_core.plugins.entry_points import active_entry_points
from epcg_core.plugins.registry import registry

if TYPE_CHECKING:
    from epcg_core.query.query import Query, Setting


def shipped_queries() -> dict[str, Path]:
    """Map 'plugin/name' to the file of every query that the active plugins ship."""
    return _shipped("queries")


def shipped_plans() -> dict[str, Path]:
    """Map 'plugin/name' to the file of every plan that the active plugins ship."""
    return _shipped("plans")


def shipped_studies() -> dict[str, Path]:
    """Map 'plugin/name' to the file of every plan of a study that the active plugins ship."""
    return _shipped("studies")


def study_file(text: str) -> Path:
    """Find the plan of a study: a file, or one that a plugin ships. Raises UnknownNameError or QueryError."""
    return file_of(text, "study", shipped_studies())


def _shipped(kind: str) -> dict[str, Path]:
    found: dict[str, Path] = {}
    for entry_point in active_entry_points():
        for folder in _folders(entry_point.module.partition(".")[0]):
            for path in sorted((folder / kind).glob("*.toml")):
                found.setdefault(f"{entry_point.name}/{path.stem}", path)
    return found


def _folders(package: str) -> Iterator[Path]:
    """Yield the parent folders of a plugin's files: inside its wheel, or beside src/ in a checkout."""
    spec = importlib.util.find_spec(package)
    for folder in map(Path, (spec.submodule_search_locations or ()) if spec else ()):
        yield folder
        if folder.parent.name == "src":
            yield folder.parent.parent


def load_query(
    text: str, settings: Iterable[Setting] = (), folder: Path | None = None, above: tuple[Path, ...] = ()
) -> Query:
    """Load a query from a file, relative to `folder`, or a shipped one by its name. Raises EpcgErrors.

    The queries that its libraries name are read, too; `above` are the files whose libraries name this one.
    """
    from epcg_core.query.library import with_named_queries
    from epcg_core.query.query import load, settings_of

    path = file_of(text, "query", shipped_queries(), folder)
    place = Path(os.path.normpath(path.absolute()))  # the disk takes no names with NUL: it is not asked
    if place in above:
        raise QueryError(f"The query '{path.name}' takes a library from itself.")
    query = load(path, settings)
    return with_named_queries(
        query,
        lambda name, values: load_query(name, settings_of(values), path.parent, (*above, place)),
    )


def query_of(given: str | Path | Mapping[str, Any] | Query, values: Mapping[str, Any]) -> Query:
    """Read a query in any form that people have it in, and change some of its values.

    Args:
        given: a file, the name of a query that a plugin ships, a table or a text in TOML with the keys of a
            query file, or a query that has been read.
        values: other values for some keys, as in {"generator.size": 5}.

    Raises:
        EpcgError: if it is not a query, or has been read and values are to be changed.
    """
    from epcg_core.query.query import Query, from_table, parse_query

    if isinstance(given, Query):
        if values:
            raise EpcgError("Values can be changed only in a query file, not in a query that has been read.")
        return given
    if isinstance(given, Mapping):
        return from_table(given, values.items())
    if isinstance(given, str) and _is_text(given):
        return parse_query(given, values.items())
    return load_query(str(given), values.items())


def _is_text(given: str) -> bool:
    """Return whether a string is a query itself, not the name of one."""
    if "\n" in given or "=" not in given:
        return "\n" in given
    with suppress(OSError, ValueError):  # a name that no file can have
        return not given.endswith(".toml") and not Path(given).exists()
    return True


def file_of(text: str, kind: str, shipped: dict[str, Path], folder: Path | None = None) -> Path:
    """Find the file that `text` names: a path, relative to `folder`, or a shipped file.

    Raises UnknownNameError or QueryError.
    """
    path = (folder or Path()) / text
    there = is_folder = False
    with suppress(OSError, ValueError):  # a name that no file can have
        if path.is_file():
            return path
        there, is_folder = path.exists(), path.is_dir()
    if text in shipped:
        return shipped[text]
    if path.suffix != ".toml" and not there:
        plugin, slash, _ = text.partition("/")
        reason = registry().why_not_in_use(plugin) if slash else None
        if reason is not None:
            raise PluginError(reason) from registry().load_error(plugin)
        other = _other_kind(text, kind)
        if other:
            raise QueryError(f"'{text}' is {other}")
        if shipped:
            raise UnknownNameError(f"file or {kind}", text, shipped)
    if is_folder:
        raise QueryError(f"'{text}' is a folder: name a {kind} file in it.")
    return path


def _other_kind(text: str, kind: str) -> str:
    """Say what a name of a shipped file of another kind is, and what takes it; '' if there is none."""
    shipped = {
        "query": (shipped_queries, "a query, not a {}: `epcg run` answers it."),
        "plan": (shipped_plans, "a plan of a curriculum, not a {}: `epcg curriculum build` builds it."),
        "study": (shipped_studies, "a plan of a study, not a {}: `epcg study` takes it."),
    }
    return next(
        (said.format(kind) for name, (find, said) in shipped.items() if name != kind and text in find()), ""
    )


def query_title(path: Path) -> tuple[str, str]:
    """Return (domain, title) of a query file, for listings; empty strings if it cannot be read."""
    table = _table(path)
    return str(table.get("domain", "")), str(table.get("title", ""))


def plan_title(path: Path, known: Mapping[str, tuple[str, str]] | None = None) -> tuple[set[str], str]:
    """Return (domains of its queries, title) of a plan, for listings; empty if it cannot be read.

    Args:
        path: the plan's file.
        known: domain and title of shipped queries by name, as `query_title` returns them; None: read them.
    """
    table = _table(path)
    chapters = [part for part in table.get("chapters", ()) if isinstance(part, dict)]
    parts = [part for chapter in chapters for part in (chapter, *chapter.get("parts", ()))]
    queries = {str(part["query"]) for part in parts if isinstance(part, dict) and "query" in part}
    shipped = {} if known is not None else shipped_queries()
    domains = {
        (known or {}).get(query) or query_title(shipped.get(query, path.parent / query)) for query in queries
    }
    return {domain for domain, _ in domains} - {""}, str(table.get("title", ""))


def _table(path: Path) -> dict[str, Any]:
    from epcg_core.base import documents

    try:
        return documents.parse_toml(documents.read_text(path, "file"), str(path))
    except EpcgError:
        return {}

"""Where queries come from: a file, or one that a plugin ships ('plugin/name')."""

from __future__ import annotations

import importlib.util
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from epcg_core.errors import QueryError, UnknownNameError
from epcg_core.plugins import active_entry_points

if TYPE_CHECKING:
    from epcg_core.query import Query


def shipped_queries() -> dict[str, Path]:
    """'plugin/name' -> file of every query that the active plugins ship."""
    found: dict[str, Path] = {}
    for entry_point in active_entry_points():
        for folder in _folders(entry_point.module.partition(".")[0]):
            for path in sorted(folder.glob("*.toml")):
                found.setdefault(f"{entry_point.name}/{path.stem}", path)
    return found


def _folders(package: str) -> Iterator[Path]:
    """Where a plugin's queries lie: inside its wheel, or beside src/ in a checkout."""
    spec = importlib.util.find_spec(package)
    for folder in map(Path, (spec.submodule_search_locations or ()) if spec else ()):
        yield folder / "queries"
        if folder.parent.name == "src":
            yield folder.parent.parent / "queries"


def load_query(text: str, overrides: Sequence[str] = ()) -> Query:
    """The query of a file, or of a shipped one by its name. Raises QueryError and its relatives."""
    from epcg_core.query import load

    path = Path(text)
    if path.is_file():
        return load(path, overrides)
    shipped = shipped_queries()
    if text in shipped:
        return load(shipped[text], overrides)
    if path.suffix != ".toml" and shipped and not path.exists():
        raise UnknownNameError("query", text, shipped, "no such file")
    if path.is_dir():
        raise QueryError(f"'{text}' is a folder: name a query file in it.")
    return load(path, overrides)


def query_title(path: Path) -> tuple[str, str]:
    """(domain, title) of a query file, for listings; empty where it cannot be read."""
    import tomllib

    try:
        table = tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return "", ""
    return str(table.get("domain", "")), str(table.get("title", ""))

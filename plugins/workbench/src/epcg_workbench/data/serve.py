"""Starting Datasette on a database, with the settings that suit one that a run may be writing."""

from __future__ import annotations

import importlib.util
from pathlib import Path

from epcg_core.inside import StoreError, database_path, is_frozen
from epcg_core.plugin import PluginError, Store

SETTINGS = {
    "sql_time_limit_ms": 3000,
    "facet_time_limit_ms": 1000,
    "suggest_facets": "off",  # each suggestion is a query over every column of a table that grows
    "default_page_size": 50,
    "allow_download": "off",
}
"""A reader keeps the writer's log from being emptied while its statement lasts, so statements end soon."""


def serve(location: str, host: str, port: int, open_browser: bool) -> None:
    """Serve a database until interrupted, which is not an error.

    Raises StoreError if the database cannot be read or the server cannot start, PluginError if the extra is
    not installed.
    """
    arguments = datasette_arguments(location, host, port)
    from datasette.cli import cli

    try:
        cli.main(
            [*arguments, *(["--open"] if open_browser else [])], prog_name="datasette", standalone_mode=False
        )
    except KeyboardInterrupt:
        pass
    except SystemExit as error:
        if error.code:
            raise StoreError(
                f"The server ended; its last line says why. If port {port} is taken, another --port helps."
            ) from error


def datasette_arguments(location: str, host: str, port: int) -> list[str]:
    """Return the arguments of Datasette for a database. Raises like `serve`."""
    if importlib.util.find_spec("datasette") is None:
        raise PluginError(
            "Browsing needs Datasette, which is not installed: pip install 'epcg-workbench[datasette]'."
        )
    path = _file(location)
    database = ["--immutable", str(path)] if is_frozen(path) else [str(path)]
    settings = [text for name, value in SETTINGS.items() for text in ("--setting", name, str(value))]
    return ["serve", *database, "--host", host, "--port", str(port), *settings]


def _file(location: str) -> Path:
    Store.open(location).close()
    path = database_path(location)
    for character in "?#%":
        if character in str(path):
            raise StoreError(f"The path {path} has a '{character}', which Datasette cannot open: rename it.")
    return path

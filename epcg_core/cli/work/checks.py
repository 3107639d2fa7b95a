"""Check runs, certificates and files for `epcg verify`, and print the checks."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from epcg_core.api import checking
from epcg_core.api.checking import Verification
from epcg_core.cli.output import write_report


def run(number: int, location: str, asked: dict[str, Any], as_json: bool) -> None:
    """Check a run, and print the checks; `asked` has the options that concern runs."""
    _print(checking.verify_run(number, location, **asked, quiet=_quiet()), as_json)


def certificate(path: Path, location: str | None, asked: dict[str, Any], as_json: bool) -> None:
    """Check a certificate, with the database at `location` if there is one, and print the checks."""
    _print(checking.verify_certificate(path, location, asked, _quiet()), as_json)


def file(path: Path, location: str | None, asked: dict[str, Any], as_json: bool) -> None:
    """Check a file, with the database at `location` if there is one, and print the checks."""
    _print(checking.verify_file(path, location, asked, _quiet()), as_json)


def curriculum(name: str, location: str, asked: dict[str, Any], as_json: bool) -> None:
    """Check a curriculum, and print the checks."""
    _print(checking.verify_curriculum(name, db=location, **asked), as_json)


def _quiet() -> bool:
    return not sys.stderr.isatty()


def _print(found: Verification, as_json: bool) -> None:
    write_report(found, "json" if as_json else "table")
    found.demand()

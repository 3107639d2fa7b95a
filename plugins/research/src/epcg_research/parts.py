"""The kinds of parts that this face reads: published results to reproduce, and formats of exports."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable
from pathlib import Path
from typing import Any

import attrs

from epcg_core.plugin import PluginError

ImportString = str | Callable[..., Any]


@attrs.frozen(kw_only=True)
class PublicationInfo:
    """Published results to reproduce; `epcg-research` reads their tables, computes them and compares."""

    name: str
    """Letters, digits and hyphens, such as '2018-boards': the reproduced part of a paper."""
    title: str
    """Authors, year and title."""
    tables: str
    """Their TOML file: its place in a package, or beside a module, such as 'epcg_boards:papers/2018.toml'."""
    paper: str = ""
    """One name for all that several plugins reproduce of one paper, such as '2018'; default: the name."""

    @property
    def path(self) -> Path:
        """The path of the file of the tables. Raises PluginError if no package is named that can be found."""
        package, _, name = self.tables.partition(":")
        try:
            spec = importlib.util.find_spec(package) if name else None
        except (ImportError, ValueError) as error:
            raise PluginError(f"'{self.tables}' cannot be found: {error}.") from error
        if spec is None or spec.origin is None:
            raise PluginError(
                f"'{self.tables}' names no file of a package: write tables = 'package:folder/name.toml'."
            )
        return Path(spec.origin).parent / name


@attrs.frozen(kw_only=True)
class ExporterInfo:
    """A format of files in which `epcg export` writes the candidates of a run."""

    name: str
    summary: str
    endings: tuple[str, ...] = ()
    """The endings of its files: ('.parquet',)."""
    write: ImportString
    """(reader, run, wanted, path) -> the number of candidates that were written; `path` does not exist."""
    write_parts: ImportString | None = None
    """(reader, run, wanted, folder, count) -> the number of candidates: files of at most `count` each."""


def check_publication(info: PublicationInfo) -> None:
    """Look whether the file of a publication is there. Raises PluginError."""
    if not info.path.is_file():
        raise PluginError(f"There is no publication file {info.path}.")

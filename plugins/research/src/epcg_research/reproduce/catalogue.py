"""The publications and tables, and the choice among them by name."""

from __future__ import annotations

import re
from collections.abc import Sequence

import attrs

from epcg_core.plugin import PluginError, UnknownNameError, registry
from epcg_research.parts import PublicationInfo
from epcg_research.reproduce.reading import read_publication
from epcg_research.reproduce.tables import Claim, Table

ALL = "all"
_NAME = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")


@attrs.frozen
class Publication:
    """The part of a paper that one plugin reproduces."""

    info: PublicationInfo
    tables: tuple[Table, ...]
    claims: tuple[Claim, ...] = ()

    @property
    def name(self) -> str:
        return self.info.name

    @property
    def paper(self) -> str:
        """The name of the paper, shared by publications of other plugins."""
        return self.info.paper or self.info.name

    def full_name(self, table: Table) -> str:
        """Return 'publication/table'."""
        return f"{self.name}/{table.name}"


def catalogue() -> tuple[Publication, ...]:
    """Return all publications by name. Raises EpcgError, which names the file, if one is invalid."""
    return tuple(publication_of(info) for info in registry().all(PublicationInfo))


def chosen(publications: Sequence[Publication], name: str) -> tuple[Publication, ...]:
    """Choose publications by `name`: all, a paper, a publication, or one table as 'publication/table'.

    Raises UnknownNameError, which names the nearest name.
    """
    if name == ALL:
        return tuple(publications)
    of_paper = tuple(p for p in publications if name in (p.paper, p.name))
    if of_paper:
        return of_paper
    for publication in publications:
        for table in publication.tables:
            if publication.full_name(table) == name:
                named = {row.claim for row in table.rows}
                claims = tuple(claim for claim in publication.claims if claim.name in named)
                return (attrs.evolve(publication, tables=(table,), claims=claims),)
    papers = {ALL, *(p.paper for p in publications), *(p.name for p in publications)}
    of = next((p for p in publications if name.startswith(f"{p.name}/")), None)
    if of is not None:
        raise UnknownNameError("table", name, (of.full_name(table) for table in of.tables))
    raise UnknownNameError("paper or table", name, papers)


def publication_of(info: PublicationInfo) -> Publication:
    """Read the tables of a publication. Raises EpcgError, which names the publication or its file."""
    where = f"The publication '{info.name}'"
    if not _NAME.fullmatch(info.name) or info.name == ALL or (info.paper and not _NAME.fullmatch(info.paper)):
        raise PluginError(f"{where}: its name, and its paper's, are lower-case letters, digits and hyphens.")
    try:
        path = info.path
    except PluginError as error:
        raise PluginError(f"{where}: {error}") from error
    content = read_publication(path)
    return Publication(info, content.tables, content.claims)

"""Claims of publications, with the verdicts on the rows that check them, and counts of equal numbers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

import attrs

from epcg_research.reproduce.catalogue import Publication
from epcg_research.reproduce.rows import TableResult
from epcg_research.reproduce.tables import Claim, Origin
from epcg_research.reproduce.verdicts import RowResult, Verdict

ORIGINS: tuple[Origin, ...] = ("paper", "page", "reference")
_ORDER = (
    Verdict.UNEXPLAINED,
    Verdict.DIFFERS,
    Verdict.NEEDS_DATA,
    Verdict.NOT_RUN,
    Verdict.EQUAL,
    Verdict.OUT_OF_REACH,
    Verdict.NOT_COMPARED,
)
"""The verdict on a claim is the first of these that one of its rows has."""


@attrs.frozen
class ClaimResult:
    """A claim with the rows that check it."""

    publication: Publication
    claim: Claim
    rows: tuple[RowResult, ...]

    @property
    def name(self) -> str:
        return f"{self.publication.name}/{self.claim.name}"

    @property
    def verdict(self) -> Verdict:
        """EQUAL if all rows are equal that compare anything and can be computed; else the worst verdict.

        Rows of the same printed number, computed in another way, count only if the claim has no others.
        """
        if self.claim.reason:
            return Verdict.NOT_COMPARED if self.claim.not_compared else Verdict.OUT_OF_REACH
        found = {row.verdict for row in self.rows if not row.row.again} or {row.verdict for row in self.rows}
        return next(verdict for verdict in _ORDER if verdict in found)

    @property
    def counts(self) -> dict[str, int]:
        """How many rows have which verdict."""
        found = Counter(row.verdict for row in self.rows)
        return {verdict.value: found[verdict] for verdict in _ORDER if found[verdict]}

    @property
    def reasons(self) -> tuple[str, ...]:
        """Why it is not equal: the claim's own reason, or those of the rows with its verdict."""
        if self.claim.reason:
            return (self.claim.reason,)
        return tuple(
            dict.fromkeys(row.reason for row in self.rows if row.verdict is self.verdict and row.reason)
        )


def claims_of(results: Sequence[TableResult]) -> Iterator[ClaimResult]:
    """Yield the claims of the publications of these tables, in the order of their files."""
    publications = {result.publication.name: result.publication for result in results}
    for name, publication in publications.items():
        rows = [row for result in results if result.publication.name == name for row in result.rows]
        for claim in publication.claims:
            yield ClaimResult(publication, claim, tuple(row for row in rows if row.row.claim == claim.name))


def equal_numbers(results: Sequence[TableResult]) -> dict[Origin, int]:
    """Count the published numbers that ours equals, by where they stand, each once."""
    found = Counter(
        row.row.origin
        for result in results
        for row in result.rows
        if row.verdict is Verdict.EQUAL and not row.row.again
    )
    return {origin: found[origin] for origin in ORIGINS}

"""Comparison of our results with published ones, and the reasons for differences."""

from __future__ import annotations

import enum

import attrs

from epcg_research.reproduce.printed import RowAnswer
from epcg_research.reproduce.tables import OutOfReach, Row

NOT_AT_HAND = "the printed number is not at hand"


class Verdict(enum.Enum):
    """The verdict on a row."""

    EQUAL = "equal"
    DIFFERS = "differs"
    """A difference as large as the row expects, for the reason that it gives."""
    UNEXPLAINED = "UNEXPLAINED"
    """A difference without a reason: an error."""
    OUT_OF_REACH = "out of reach"
    NOT_COMPARED = "not compared"
    """There is nothing published to compare with, or nothing of ours: the reason says which."""
    NEEDS_DATA = "needs data"
    """It reads a file that is not in the folder."""
    NOT_RUN = "not run"
    """A library is missing, or --quick leaves it out."""


@attrs.frozen(kw_only=True)
class RowResult:
    """A row with its verdict."""

    row: Row
    verdict: Verdict
    ours: RowAnswer | None = None
    detail: str = ""
    """What our number is of: how many things, and its interval."""
    reason: str = ""
    how: str = ""
    """The query, command or description of the source of our number."""
    sql: str = ""
    """The SELECT, with the number of its run: it can be asked again."""
    runs: tuple[int, ...] = ()
    """The runs behind it, inputs first."""
    computed: tuple[int, ...] = ()
    """The runs that were computed now; the others were recorded before."""
    cpu_seconds: float | None = None
    """CPU seconds of these runs, whenever they were computed; None without a run."""


def compare(row: Row, ours: RowAnswer) -> tuple[Verdict, str]:
    """Compare a computed row with the published one: (verdict, reason)."""
    if row.published is None:
        if row.found is not None and not row.found.admits(ours):
            return Verdict.UNEXPLAINED, f"{row.found} was found when the row was written"
        return Verdict.NOT_COMPARED, row.reason or NOT_AT_HAND
    if row.found is None:
        if row.published.admits(ours):
            return Verdict.EQUAL, ""
        return Verdict.UNEXPLAINED, "there is no reason on record for this difference"
    if row.found.admits(ours):  # before the published number, which a wide one may admit too
        return Verdict.DIFFERS, row.reason
    if row.published.admits(ours):
        return Verdict.UNEXPLAINED, f"{row.found} is on record as found here, and the published number is not"
    return Verdict.UNEXPLAINED, f"the reason on record is for {row.found}: {row.reason}"


def without_result(row: Row, reason: str = "", verdict: Verdict = Verdict.NOT_RUN) -> RowResult:
    """Make the result of a row that is not computed, for `reason` or the row's own reason.

    Args:
        row: the row.
        reason: why it is not computed, if there is a way to compute it.
        verdict: the verdict in that case.

    Returns:
        The result, without a number.
    """
    if row.out_of_reach is not None:
        return RowResult(
            row=row, verdict=Verdict.OUT_OF_REACH, reason=out_of_reach_in_words(row.out_of_reach)
        )
    if not row.computable:
        return RowResult(row=row, verdict=Verdict.NOT_COMPARED, reason=row.reason)
    return RowResult(row=row, verdict=verdict, reason=reason, how=row.how)


def out_of_reach_in_words(obstacle: OutOfReach) -> str:
    """Describe an obstacle: 'a drawing: ...', or '1,000,000,000,000 candidates: ...'."""
    size = f"{obstacle.size:,} candidates" if obstacle.size is not None else f"a {obstacle.obstacle}"
    return f"{size}: {obstacle.sentence}"

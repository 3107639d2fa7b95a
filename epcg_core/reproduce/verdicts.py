"""Whether ours is what was published, and if not, whether that has a reason."""

from __future__ import annotations

import enum

import attrs

from epcg_core.domain.publications import Answer, OutOfReach, Row

NOT_AT_HAND = "the printed number is not at hand"


class Verdict(enum.Enum):
    """What is said of a row."""

    EQUAL = "equal"
    DIFFERS = "differs"
    """For a reason that the row gives, and by what it says."""
    UNEXPLAINED = "UNEXPLAINED"
    """A difference without a reason: an error."""
    OUT_OF_REACH = "out of reach"
    NOT_COMPARED = "not compared"
    """Nothing published is at hand to compare with."""
    NOT_RUN = "not run"
    """Something is missing (files, a library), or --quick leaves it out."""


@attrs.frozen(kw_only=True)
class RowResult:
    """A row with its verdict."""

    row: Row
    verdict: Verdict
    ours: Answer | None = None
    reason: str = ""
    how: str = ""
    """The query, the command or the words that say where ours comes from."""
    sql: str = ""
    """The SELECT, with the number of its run: it can be asked again."""
    runs: tuple[int, ...] = ()
    """The runs behind it, what is needed first first."""
    computed: tuple[int, ...] = ()
    """Those that were computed now; the others were recorded before."""
    cpu_seconds: float | None = None
    """What those runs took, whenever that was; None without a run."""


def compare(row: Row, ours: Answer) -> tuple[Verdict, str]:
    """The verdict on a computed row, and the reason for it."""
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


def without_result(row: Row, reason: str = "") -> RowResult:
    """The result of a row that is not computed; `reason` is why, where the row itself does not say it."""
    if row.out_of_reach is not None:
        return RowResult(
            row=row, verdict=Verdict.OUT_OF_REACH, reason=out_of_reach_in_words(row.out_of_reach)
        )
    if not row.computable:
        verdict = Verdict.NOT_COMPARED if row.published is None else Verdict.NOT_RUN
        return RowResult(row=row, verdict=verdict, reason=row.reason)
    return RowResult(row=row, verdict=Verdict.NOT_RUN, reason=reason, how=row.how)


def out_of_reach_in_words(obstacle: OutOfReach) -> str:
    """'a drawing: ...', or '1,000,000,000,000 candidates: ...'."""
    size = f"{obstacle.size:,} candidates" if obstacle.size is not None else f"a {obstacle.obstacle}"
    return f"{size}: {obstacle.sentence}"

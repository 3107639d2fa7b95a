"""The edits of a space of variants, and those that make each recorded variant."""

from __future__ import annotations

from itertools import groupby

from epcg_core.base.errors import CheckFailedError
from epcg_core.base.params import canonical_json
from epcg_core.domain import EditedContent
from epcg_core.verification.derived.subject import Subject, same

_SPACE = "(SELECT space_id FROM run WHERE id = :run)"
_EDITS = f"SELECT position, description, change FROM edit WHERE space_id = {_SPACE} ORDER BY position"
_VARIANTS = f"SELECT rank, position FROM variant_edit WHERE space_id = {_SPACE} ORDER BY rank, position"
_WITHOUT_EDITS = f"""
SELECT score.rank FROM score JOIN run_metric USING (run_id, metric_id)
WHERE run_id = :run AND run_metric.position = 0 AND NOT EXISTS
      (SELECT 1 FROM variant_edit WHERE space_id = {_SPACE} AND variant_edit.rank = score.rank)
"""


def edits(subject: Subject) -> str:
    """Check the space's list of edits, and the edits of every variant that has rows."""
    subject.need_plan()
    generator = subject.generator
    wanted = [
        (position, edit.description, canonical_json(dict(edit.change)))
        for position, edit in enumerate(getattr(generator, "edits", ()))
    ]
    same("list of the space's edits", [*map(tuple, subject.rows(_EDITS))], wanted)
    made = subject.rows(_VARIANTS)
    if not isinstance(generator, EditedContent):
        if next(made, None) is not None:
            raise CheckFailedError("Edits of variants are recorded, and the space is not one of variants.")
        return "The space is not one of edited content."
    number = 0
    for rank, group in groupby(made, key=lambda row: int(row.rank)):
        same(f"list of edits of rank {rank}", [row.position for row in group], [*generator.edits_of(rank)])
        number += 1
    _check_none_missing(subject)
    return f"{len(wanted):,} edits and those of {number:,} recorded variants are the generator's."


def _check_none_missing(subject: Subject) -> None:
    """Check that each variant with rows in a finished run has its edits recorded."""
    for row in subject.rows(_WITHOUT_EDITS) if subject.run.done else ():
        if len(subject.generator.edits_of(row.rank)):
            raise CheckFailedError(f"The edits of the variant at rank {row.rank} are not recorded.")

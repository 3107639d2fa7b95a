"""Derive again, for `epcg verify`, everything that a view shows beside the values.

`epcg_core.verification.covered` lists all columns: which check finds a change of each, or why none does.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial

from epcg_core.store import Reader, Store
from epcg_core.verification.derived.candidates import candidates, solutions
from epcg_core.verification.derived.edits import edits
from epcg_core.verification.derived.histograms import histograms
from epcg_core.verification.derived.objects import objects
from epcg_core.verification.derived.queries import queries
from epcg_core.verification.derived.specification import layout, specification
from epcg_core.verification.derived.subject import Subject
from epcg_core.verification.planned import PlannedAgain

PROOFS: dict[str, Callable[[Subject], str]] = {
    "schema": lambda subject: objects(subject.reader),
    "specification": specification,
    "layout": layout,
    "queries": queries,
    "histograms": histograms,
    "candidates": candidates,
    "solutions": solutions,
    "edits": edits,
}
"""Each check by its name: it returns what it proves, or raises CheckFailedError."""


def proofs(
    store: Store, reader: Reader, plan: PlannedAgain, seed: int, proven: set[object]
) -> Iterator[tuple[str, Callable[[], str]]]:
    """Yield the checks of a run, each with its name.

    Args:
        store: the database.
        reader: reads it.
        plan: the run, planned again.
        seed: draws the rows that are computed again.
        proven: what checks of other runs have proven in this verification; more is added.
    """
    subject = Subject(store, reader, plan, seed, proven)
    for name, proof in PROOFS.items():
        yield name, partial(proof, subject)

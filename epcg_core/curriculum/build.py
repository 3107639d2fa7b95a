"""Building a curriculum: make or reuse its runs, choose its chapters, and record everything.

Rejected candidates are recorded with the rule and the reason: passed over by a strategy, chosen before, equal
by symmetry, or excluded by a filter.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator

import attrs

from epcg_core.curriculum.choice import Chosen, PartChoice, choose
from epcg_core.curriculum.plan import Part, Plan
from epcg_core.curriculum.sources import candidates_of, check_size, measures_of, space_of
from epcg_core.curriculum.strategies import SYMMETRY_CLASS
from epcg_core.errors import CurriculumError, QueryError, UnknownNameError
from epcg_core.params import canonical_json
from epcg_core.plugins.registry import registry
from epcg_core.query.query import Query
from epcg_core.query.spec import canonical_rank_of, make_generator
from epcg_core.runs import coordinator as running
from epcg_core.store import Reader, RunRecord, Store, curricula


@attrs.frozen
class Built:
    """The result of building a plan."""

    number: int
    """The number of the curriculum in the database."""
    new: bool
    """Whether anything was recorded now: the same plan over the same runs is recorded once."""
    curriculum: curricula.CurriculumRow


def check(plan: Plan, reader: Reader | None = None) -> None:
    """Check a plan before anything is run: sources, measures, strategies.

    Without a database only what its queries say. Raises EpcgError.
    """
    for where, part in _named(plan):
        known = measures_of(part, reader, where)
        check_size(part, reader, where)
        if known is not None:
            for name in part.columns:
                if name not in known:
                    raise UnknownNameError("measure", name, known, where)
        if part.distinct or getattr(part.strategy, "differ_by", None) == SYMMETRY_CLASS:
            space = space_of(part, reader)
            if space is not None:
                try:
                    canonical_rank_of(space, make_generator(registry(), space), part.distinct or True)
                except (QueryError, UnknownNameError) as error:
                    raise CurriculumError(f"{where}: {error}") from None


def build(
    plan: Plan,
    store: Store,
    options: running.Options | None = None,
    adapt: Callable[[Query], Query] = lambda query: query,
) -> Built:
    """Build a curriculum and record it; `adapt` may change how a query is run.

    Raises CurriculumError if a chapter finds too few puzzles, and other EpcgErrors. In that case the runs are
    kept, but nothing of the curriculum is recorded.
    """
    with Store.open(store.location) as reading:
        with reading.reader() as reader:
            check(plan, reader)
        records = dict(_records(plan, store, options or running.Options(quiet=True), adapt))
        with reading.reader() as reader:
            new = choose_all(plan, reader, records)
    with store.transaction() as connection:
        number, written = curricula.save(connection, new)
    return Built(number, written, new)


def _named(plan: Plan) -> Iterator[tuple[str, Part]]:
    """Yield every part with the prefix of its error messages."""
    for chapter in plan.chapters:
        for i, part in enumerate(chapter.parts, 1):
            own = f", part '{part.name}'" if part.name else f", part {i}" if len(chapter.parts) > 1 else ""
            yield f"chapter '{chapter.name}'{own}", part


def _records(
    plan: Plan, store: Store, options: running.Options, adapt: Callable[[Query], Query]
) -> Iterator[tuple[str, RunRecord]]:
    """Yield each resolved query once with its run; queries without a run are run now."""
    for key, query in queries_of(plan).items():
        yield key, running.execute(adapt(query), store, options).goal


def queries_of(plan: Plan) -> dict[str, Query]:
    """Return each query of a plan once, by its resolved text."""
    asked = [part.query for _, part in plan.parts() if part.query is not None]
    return {canonical_json(query.resolved()): query for query in asked}


def choose_all(plan: Plan, reader: Reader, records: dict[str, RunRecord]) -> curricula.CurriculumRow:
    """Choose the puzzles of all chapters; `records` are the runs of the resolved queries."""
    chosen, runs = Chosen(), {}
    parts: list[curricula.PartRow] = []
    for where, part in _named(plan):
        record = reader.run(part.run) if part.run is not None else None
        if part.query is not None:
            record = records[canonical_json(part.query.resolved())]
        if record is not None:
            runs[record.id] = record.digest
        candidates = candidates_of(part, reader, record, where)
        parts.append(choose(PartChoice(part, candidates, reader, where), chosen, plan.rejected))
    rest = iter(parts)
    chapters = [
        curricula.ChapterRow(c.name, c.title, c.description, _numbered([next(rest) for _ in c.parts]))
        for c in plan.chapters
    ]
    resolved = plan.resolved()
    identity = {
        "plan": resolved,
        "sources": [part.digest for part in parts],
        "runs": sorted(runs.values(), key=str),
    }
    sha256 = hashlib.sha256(canonical_json(identity).encode()).hexdigest()
    return curricula.CurriculumRow(plan.name, plan.title, resolved, sha256, chapters, sorted(runs.items()))


def _numbered(parts: list[curricula.PartRow]) -> list[curricula.PartRow]:
    """Renumber the puzzles of one chapter's parts from 1."""
    numbered, before = [], 0
    for part in parts:
        selections = [
            attrs.evolve(s, position=before + s.position) if s.position is not None else s
            for s in part.selections
        ]
        before += sum(1 for s in part.selections if s.position is not None)
        numbered.append(attrs.evolve(part, selections=selections))
    return numbered

"""Building a curriculum: make or reuse its runs, choose its chapters, and record everything.

Rejected candidates are recorded with the rule and the reason: passed over by a strategy, chosen before, equal
by symmetry, or excluded by a filter.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import attrs

from epcg_core.base.errors import CurriculumError, QueryError, UncheckedError, UnknownNameError
from epcg_core.base.params import canonical_json
from epcg_core.curriculum.by_hand import ByHand, with_list
from epcg_core.curriculum.choice import PartChoice, choose
from epcg_core.curriculum.chosen import Chosen
from epcg_core.curriculum.plan import Part, Plan, with_made_libraries
from epcg_core.curriculum.sources import candidates_of, check_size, measures_of, space_of
from epcg_core.curriculum.strategies import SYMMETRY_CLASS
from epcg_core.curriculum.winners import chosen_again
from epcg_core.domain import DomainInfo
from epcg_core.plugins.registry import registry
from epcg_core.query.puzzle_id import parse_puzzle_id, puzzle_id
from epcg_core.query.query import Query
from epcg_core.query.spec import canonical_ranks_of, make_generator, max_rank_of
from epcg_core.runs import coordinator as running
from epcg_core.runs.standing_alone import run_of
from epcg_core.store import Reader, RunRecord, Store, curricula, writer


@attrs.frozen
class Built:
    """The result of building a plan."""

    number: int
    """The number of the curriculum in the database."""
    new: bool
    """Whether anything was recorded now: the same plan over the same runs is recorded once."""
    curriculum: curricula.CurriculumRow
    again: str
    """A sentence about the chosen puzzles that were computed again."""


def check(plan: Plan, reader: Reader | None = None) -> None:
    """Check a plan before anything is run: sources, measures, strategies.

    Without a database only what its queries say. Raises EpcgError.
    """
    by_hand = ByHand()
    for where, part in named_parts(plan):
        by_hand.puzzles(part, where)
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
                    canonical_ranks_of(space, make_generator(registry(), space), part.distinct or True)
                except (QueryError, UnknownNameError) as error:
                    raise CurriculumError(f"{where}: {error}") from None


def build(
    plan: Plan,
    store: Store,
    options: running.Options | None = None,
    adapt: Callable[[Query], Query] = lambda query: query,
) -> Built:
    """Build a curriculum and record it; `adapt` may change how a query is run.

    Raises CurriculumError if a chapter finds too few puzzles, CheckFailedError if plain code gives a chosen
    puzzle another value, and other EpcgErrors. In that case the runs are kept, but nothing of the curriculum
    is recorded.
    """
    options = options or running.Options(quiet=True)
    plan = with_made_libraries(plan, lambda query: running.made_to_stand_alone(query, store, options))
    with Store.open(store.location) as reading:
        with reading.reader() as reader:
            check(plan, reader)
        records = dict(_records(plan, store, options, adapt))
        with reading.reader() as reader:
            new = choose_all(plan, reader, records)
        try:
            again = chosen_again(reading, new)
        except UncheckedError as error:
            again = f"Not computed again: {error}"
    with store.transaction() as connection:
        for space in _spaces_of_lists(plan, new):
            writer.save_space(connection, *space_columns(space))
        number, written = curricula.save(connection, new)
    return Built(number, written, new, again)


def named_parts(plan: Plan) -> Iterator[tuple[str, Part]]:
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


def _spaces_of_lists(plan: Plan, new: curricula.CurriculumRow) -> list[str]:
    """Return the spaces of puzzles that come from no run, because they are listed by hand."""
    rows = (part for chapter in new.chapters for part in chapter.parts)
    spaces = (
        each.puzzle.space
        for (_, part), row in zip(plan.parts(), rows, strict=True)
        for each in row.selections
        if part.puzzles is not None and each.puzzle.run_id is None
    )
    return list(dict.fromkeys(spaces))


def space_columns(name: str) -> tuple[DomainInfo, str, str, str, Mapping[str, Any], int, int | None]:
    """Return what `writer.save_space` records of a space that no run is over."""
    spec = parse_puzzle_id(registry(), puzzle_id(name, 0))[0]
    generator, domain = make_generator(registry(), spec), registry().domain(spec.domain)
    return (
        domain, registry().version_of(domain), name, spec.generator.name, spec.generator.params,
        max_rank_of(registry(), spec, generator), getattr(generator, "represents", None),
    )  # fmt: skip


class Choices:
    """The choices of a plan, part by part.

    Args:
        plan: the plan.
        reader: the database; None if there is none.
        records: the runs of the resolved queries.
        by_hand: what finds and measures the puzzles that are listed by hand.

    Raises:
        CurriculumError: if two lists by hand have the same puzzle, or an entry names none.
    """

    def __init__(
        self,
        plan: Plan,
        reader: Reader | None,
        records: Mapping[str, RunRecord],
        by_hand: ByHand | None = None,
    ) -> None:
        self._plan, self._reader, self._records = plan, reader, records
        self._by_hand = ByHand() if by_hand is None else by_hand
        self._lists = [self._by_hand.puzzles(part, where) for where, part in named_parts(plan)]
        self.chosen = Chosen()
        self.runs: dict[int, str | None] = {}
        for (where, _), found in zip(named_parts(plan), self._lists, strict=True):
            for each in found:
                self.chosen.reserve(each, where)

    def of(self, number: int) -> PartChoice:
        """Return the choice of the part of a number, counted over all chapters from 0.

        Raises CurriculumError if its source cannot be read.
        """
        where, part = list(named_parts(self._plan))[number]
        reader = self._reader
        if reader is None and (part.run is not None or part.sql is not None):
            raise NotRecordedError(f"{where}: there is no database yet, so it has no {part.described}.")
        record = reader.run(part.run) if part.run is not None and reader is not None else None
        if part.query is not None:
            record = self._records.get(canonical_json(part.query.resolved()))
            if record is None:
                raise NotRecordedError(f"{where}: no finished run answers its query '{part.query.name}'.")
        if record is not None:
            self.runs[record.id] = record.digest
        sourced = record is not None or part.sql is not None
        candidates = candidates_of(part, reader, record, where) if sourced and reader is not None else None
        if part.puzzles is not None:
            candidates = with_list(candidates, part, self._lists[number], self._by_hand, where)
        assert candidates is not None
        return PartChoice(part, candidates, reader, where)


class NotRecordedError(CurriculumError):
    """A query of a plan has no finished run yet."""


def recorded_runs(plan: Plan, store: Store, reader: Reader) -> dict[str, RunRecord]:
    """Return the finished runs that answer queries of a plan, by the resolved query."""
    found = {}
    for _, part in plan.parts():
        if part.query is not None:
            record = run_of(part.query, store, reader)
            if record is not None and record.done:
                found[canonical_json(part.query.resolved())] = record
    return found


def choose_all(plan: Plan, reader: Reader, records: Mapping[str, RunRecord]) -> curricula.CurriculumRow:
    """Choose the puzzles of all chapters; `records` are the runs of the resolved queries."""
    choices = Choices(plan, reader, records)
    parts = [
        choose(choices.of(number), choices.chosen, plan.rejected) for number, _ in enumerate(plan.parts())
    ]
    runs = choices.runs
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

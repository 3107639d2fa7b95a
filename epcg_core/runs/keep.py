"""Records beyond scores: kept candidates with their solutions, and the edits of variants."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import attrs

from epcg_core.base.params import structure
from epcg_core.domain import EditedContent, resolve
from epcg_core.domain.content import format_state
from epcg_core.plugins.registry import registry
from epcg_core.query.puzzle_id import parse_puzzle_id, puzzle_id
from epcg_core.query.query import Query
from epcg_core.query.spec import PartSpec, RunSpec, make_generator
from epcg_core.runs.winners import KEPT, NEXT, kept_and_next
from epcg_core.store import Reader, RunRecord
from epcg_core.store.edits import has_edits, save_variants
from epcg_core.store.kept import BETWEEN, kept_by, save_kept, save_solutions
from epcg_core.store.likeness import likeness_of
from epcg_core.store.selection import rule_text

if TYPE_CHECKING:
    import sqlalchemy as sa


@attrs.frozen(eq=False)
class Choice:
    """The candidates of a run that a query's selections keep."""

    kept: tuple[tuple[int, str], ...]
    """(rank, the text of its rule), of each rule the best first."""
    winners: dict[int, str]
    """The ranks to compute again, with their roles: what becomes a row now, and what the rules decided by."""
    generator: Any


def choose(reader: Reader, query: Query, record: RunRecord, spec: RunSpec) -> Choice:
    """Choose what a query keeps of a finished run.

    Raises QueryError if the query asks for one of each symmetry class and the space has no symmetries.
    """
    generator = make_generator(registry(), spec.space)
    kept: list[tuple[int, str]] = []
    others: dict[int, str] = {}
    recorded = kept_by(reader.connection, record.id)
    for rule in query.select:
        likeness = likeness_of(rule, spec.space, generator)
        text = rule_text(rule)
        found, following = kept_and_next(reader, record.id, rule, likeness)
        kept += [(rank, text) for rank, _ in found]
        if any(text not in recorded.get(rank, "").split(BETWEEN) for rank, _ in found):
            others |= dict.fromkeys(following, NEXT)
    winners = {rank: KEPT for rank, _ in kept if rank not in recorded}
    return Choice(tuple(kept), winners | {rank: NEXT for rank in others if rank not in winners}, generator)


def keep(
    connection: sa.Connection, choice: Choice, record: RunRecord, spec: RunSpec, notes: Mapping[int, str]
) -> int:
    """Record the candidates that are chosen, some with notes; return their number."""
    generator = choice.generator

    def text(rank: int) -> str:
        with registry().attribute_errors_to(
            registry().generator(spec.space.domain, spec.space.generator.name)
        ):
            return format_state(generator, generator.unrank(rank))

    changed = save_kept(connection, record, choice.kept, text, notes)
    _keep_solutions(connection, record, spec, generator, changed)
    if isinstance(generator, EditedContent):
        save_variants(connection, record.id, generator.edits_of)
    return len({rank for rank, _ in choice.kept})


def name_variants(connection: sa.Connection, run_id: int) -> None:
    """Record the edits of every variant with rows, if the run's space is one of edited content."""
    if has_edits(connection, run_id):
        space, _ = parse_puzzle_id(registry(), puzzle_id(Reader(connection).run(run_id).space, 0))
        save_variants(connection, run_id, make_generator(registry(), space).edits_of)


def _keep_solutions(
    connection: sa.Connection, record: RunRecord, spec: RunSpec, generator: Any, ranks: Iterable[int]
) -> None:
    solutions = solver_of(spec.space.domain, spec.evaluators, generator)
    if solutions is not None:
        found = {rank: solutions(generator.unrank(rank)) for rank in ranks}
        save_solutions(connection, record.id, found)


def solver_of(
    domain: str, evaluators: Iterable[PartSpec], generator: Any
) -> Callable[[Any], Sequence[Sequence[str]]] | None:
    """Return the function of the first evaluator that finds solutions; None if there is none."""
    for part in evaluators:
        info = registry().evaluator(domain, part.name)
        if info.solutions is not None:
            params: Any = structure(info.params, part.params, part.name)
            solutions: Callable[[Any], Sequence[Sequence[str]]] = resolve(info.solutions)(params, generator)
            return solutions
    return None

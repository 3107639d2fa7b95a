"""Records beyond scores: kept candidates with their solutions, and the edits of variants."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any

from epcg_core.domain import EditedContent, resolve
from epcg_core.params import structure
from epcg_core.plugins.registry import registry
from epcg_core.query.puzzle_id import parse_puzzle_id, puzzle_id
from epcg_core.query.query import Query
from epcg_core.query.spec import PartSpec, RunSpec, make_generator
from epcg_core.rendering.render import format_state
from epcg_core.store import Reader, RunRecord
from epcg_core.store.edits import has_edits, save_variants
from epcg_core.store.kept import save_kept, save_solutions
from epcg_core.store.likeness import likeness_of
from epcg_core.store.selection import rule_text, select

if TYPE_CHECKING:
    import sqlalchemy as sa


def keep(connection: sa.Connection, query: Query, record: RunRecord, spec: RunSpec) -> int:
    """Record the candidates that a query selects from a finished run; return their number.

    Raises QueryError if the query asks for one of each symmetry class and the space has no symmetries.
    """
    if not query.select:
        return 0
    generator = make_generator(registry(), spec.space)
    reader = Reader(connection)
    kept: list[tuple[int, str]] = []
    for rule in query.select:
        found = select(reader, record.id, rule, likeness_of(rule, spec.space, generator))
        kept += [(rank, rule_text(rule)) for rank, _ in found]

    def text(rank: int) -> str:
        with registry().attribute_errors_to(
            registry().generator(spec.space.domain, spec.space.generator.name)
        ):
            return format_state(generator, generator.unrank(rank))

    changed = save_kept(connection, record, kept, text)
    _keep_solutions(connection, record, spec, generator, changed)
    if isinstance(generator, EditedContent):
        save_variants(connection, record.id, generator.edits_of)
    return len({rank for rank, _ in kept})


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

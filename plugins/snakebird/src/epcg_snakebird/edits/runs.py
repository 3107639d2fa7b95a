"""Runs over all single changes of a level's tiles, as the query `single_edits` makes them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import attrs

from epcg_core.plugin import LIMIT, NONE, VALUE, EpcgError, PartRef, load_query
from epcg_snakebird.generators.edits import Edits
from epcg_snakebird.params import EditsParams
from epcg_snakebird.rules.level import TILE_NAMES, Level
from epcg_snakebird.rules.variants import STAYS, OwnTail

if TYPE_CHECKING:
    from epcg_core.plugin import Coordinator, Query, Store

QUERY = "snakebird/single_edits"
EVALUATOR = "edit_effect"


@attrs.frozen
class Variant:
    """A level with one other tile."""

    cell: int
    tile: int
    """The new one."""
    moves: int | None
    """The moves of the variant's shortest solution; None if it has none, or none was found."""
    over_limit: bool = False
    """None was found within the limit; without this it is proven that there is none."""

    def in_words(self, level: Level) -> str:
        """Write '(8, 12) ground to spikes: 57 moves'."""
        x, y = level.place(self.cell)
        none = "no solution within the limit" if self.over_limit else "no solution"
        moves = none if self.moves is None else f"{self.moves} moves"
        return f"({x}, {y}) {TILE_NAMES[level.tiles[self.cell]]} to {TILE_NAMES[self.tile]}: {moves}"


def edits_query(
    level: str, limit: int, candidate_timeout: float | None = None, own_tail: OwnTail = STAYS
) -> Query:
    """Return the query over a level's single changes (see `recorded_variants` for the arguments)."""
    query = load_query(QUERY)
    return attrs.evolve(
        query,
        generator=PartRef(query.generator.name, {"level": level, "own_tail": own_tail}),
        evaluators=tuple(
            attrs.evolve(part, params={**part.params, "limit": limit}) if part.name == EVALUATOR else part
            for part in query.evaluators
        ),
        record=attrs.evolve(query.record, candidate_timeout=candidate_timeout),
    )


def recorded_variants(
    coordinator: Coordinator,
    store: Store,
    level: str,
    limit: int,
    candidate_timeout: float | None = None,
    own_tail: OwnTail = STAYS,
) -> tuple[int, list[Variant]]:
    """Record every single change of a level, or find the changes recorded.

    Args:
        coordinator: the coordinator that runs the query.
        store: the database.
        level: a file, or the name of a shipped level.
        limit: the most expansions of each search.
        candidate_timeout: the seconds after which a variant is given up; None for no limit.
        own_tail: whether the own tail 'stays' in the way of what is pushed, or 'leaves'.

    Returns:
        The run's number, and the variants in the order of their cells.

    Raises:
        EpcgError: if the level cannot be read.
        RunInterruptedError: if the run is stopped.
    """
    generator = Edits(EditsParams(level))
    run = coordinator.answer(edits_query(level, limit, candidate_timeout, own_tail)).goal
    with store.reader() as reader:
        moves = {
            int(rank): int(value)
            for ranks, values in reader.values(run.id, "moves")
            for rank, value in zip(ranks, values, strict=True)
        }
        return run.id, [
            _variant(
                generator, rank, moves.get(rank), VALUE if rank in moves else reader.status_at(run.id, rank)
            )
            for rank in range(generator.max_rank)
        ]


def _variant(generator: Edits, rank: int, moves: int | None, status: int | None) -> Variant:
    (edit,) = (generator.edits[number] for number in generator.edits_of(rank))
    if status not in (VALUE, NONE, LIMIT) or (moves is None and status == VALUE):
        raise EpcgError(f"The variant '{edit.description}' of the level has no recorded result.")
    cell = generator.original.cell(edit.change["x"], edit.change["y"])
    return Variant(cell, TILE_NAMES.index(edit.change["to"]), moves, status == LIMIT)


def longest(variants: Sequence[Variant]) -> list[Variant]:
    """Return the variants with the longest solution, all ties; none if no variant has a solution."""
    most = max((variant.moves for variant in variants if variant.moves is not None), default=None)
    return [variant for variant in variants if variant.moves is not None and variant.moves == most]


def shortest(variants: Sequence[Variant]) -> list[Variant]:
    """Return the variants with the shortest solution, all ties."""
    least = min((variant.moves for variant in variants if variant.moves is not None), default=None)
    return [variant for variant in variants if variant.moves is not None and variant.moves == least]

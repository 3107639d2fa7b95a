"""Endgame tables: which recorded layers an evaluator can use, and how they reach the kernels.

Retrograde analysis records for each layer (number of pieces) which boards are solvable and which uniquely
(Sturtevant & Ota 2018, Algorithm 5). With the table of layer j, a search ends at boards of j pieces.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from math import comb
from typing import Any, Literal

import numpy as np

from epcg_core.plugin import Bits, CandidateError, EpcgError, TableNeed
from epcg_fling.params import BoardsParams, UniquenessParams
from epcg_fling.rules.moves import BoardShape

TableMetric = Literal["solvable", "unique"]
TABLES = 3
"""Layers that a kernel can look up: the boards with a piece more, the boards, and those with one less."""
FIRST_TABLE = 3
"""Boards of fewer pieces are decided without a table."""

_SCAN_LIMIT = 1 << 22
_SCAN_BLOCK = 1 << 16


def most_pieces(generator: Any) -> int:
    """Return the most pieces of any board of `generator`: its `pieces`, or the maximum over a list."""
    pieces = getattr(generator, "pieces", None)
    if pieces is not None:
        return int(pieces)
    shape: BoardShape = generator.setting
    if generator.max_rank > _SCAN_LIMIT:
        return shape.cells
    found = 0
    for start in range(0, generator.max_rank, _SCAN_BLOCK):
        ranks = range(start, min(start + _SCAN_BLOCK, generator.max_rank))
        try:
            if hasattr(generator, "states_block"):
                block = np.asarray(generator.states_block(start, len(ranks)), dtype=np.uint64)
                found = max(found, int(np.bitwise_count(block).max()))
                continue
        except CandidateError:  # some ranks have no board: several changes that do not go together, say
            pass
        for rank in ranks:
            with suppress(CandidateError):
                found = max(found, generator.unrank(rank).bit_count())
    return found


def solvable_needs(params: Any, generator: Any) -> list[TableNeed]:
    """Name the tables for deciding whether boards are solvable."""
    return _needs(generator, ("solvable",), UniquenessParams().uniqueness, most_pieces(generator))


def unique_needs(params: UniquenessParams, generator: Any) -> list[TableNeed]:
    """Name the tables for deciding whether boards have a unique solution."""
    return _needs(generator, ("solvable", "unique"), params.uniqueness, most_pieces(generator))


def winning_needs(params: Any, generator: Any) -> list[TableNeed]:
    """Name the tables for deciding whether the boards after a move are solvable."""
    return _needs(generator, ("solvable",), UniquenessParams().uniqueness, most_pieces(generator) - 1)


def edit_needs(params: UniquenessParams, generator: Any) -> list[TableNeed]:
    """Name the tables for judging boards with a piece more or less."""
    return _needs(generator, ("solvable", "unique"), params.uniqueness, most_pieces(generator) + 1)


def _needs(generator: Any, metrics: tuple[TableMetric, ...], uniqueness: str, top: int) -> list[TableNeed]:
    shape: BoardShape = generator.setting
    return [
        TableNeed(
            role=table_role(metric, layer, uniqueness),
            generator="boards",
            params=BoardsParams(shape.width, shape.height, layer),
            search="retrograde",
            search_params={"uniqueness": uniqueness},
            metric=metric,
        )
        for metric in metrics
        for layer in range(min(top, shape.cells), FIRST_TABLE - 1, -1)
    ]


def table_role(metric: TableMetric, layer: int, uniqueness: str) -> str:
    """Return the name of a table: 'solvable:6', or 'solvable:6:moves' if it was made by another uniqueness.

    Evaluators of one query that mean different things by unique so have tables of their own.
    """
    suffix = "" if uniqueness == UniquenessParams().uniqueness else f":{uniqueness}"
    return f"{metric}:{layer}{suffix}"


def loaded_layers(
    shape: BoardShape, tables: Mapping[str, Bits], metric: TableMetric, uniqueness: str
) -> dict[int, Bits]:
    """Return the highest layers of a metric among `tables`, by their `table_role`, at most three.

    Whether a board is solvable does not depend on `uniqueness`, so those tables may be of either kind.

    Raises EpcgError for a table that does not have one bit for each board of its layer.
    """
    found = {}
    for role, bits in tables.items():
        name, number, *_ = role.split(":")
        if name == metric and (metric == "solvable" or role == table_role(metric, int(number), uniqueness)):
            found[int(number)] = bits
    chosen = dict(sorted(found.items(), reverse=True)[:TABLES])
    for layer, bits in chosen.items():
        boards = comb(shape.cells, layer)
        if bits.count != boards or bits.data.size * 8 < boards:
            raise EpcgError(
                f"The endgame table '{metric}:{layer}' has {bits.count} bits, but there are {boards} boards "
                f"of {layer} pieces on {shape.width} by {shape.height}: it belongs to another board."
            )
    return chosen

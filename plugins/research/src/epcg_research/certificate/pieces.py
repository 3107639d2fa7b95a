"""Pieces of a certificate's range, drawn after it was issued, and computed again whole."""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Iterator, Sequence

import numpy as np

from epcg_core.inside import Solver, as_array, best_of
from epcg_core.plugin import VALUE, WHOLE, CheckFailedError, RunSpec
from epcg_research.certificate.contents import from_block, leaf_of, to_bytes
from epcg_research.certificate.form import Claims
from epcg_research.certificate.tree import Layout, Node

PIECE = 65_536
"""Ranks that are computed again at once."""
Advance = Callable[[int], None] | None


def pieces(
    claims: Claims,
    spec: RunSpec,
    layout: Layout,
    crown: Sequence[Node],
    solver: Solver,
    share: float,
    seed: int,
    advance: Advance,
) -> str:
    """Check that pieces of the range, computed again whole, are those of the tree."""
    number = min(len(crown), math.ceil(share * len(crown)))
    drawn = sorted(random.Random(seed).sample(range(len(crown)), number))
    check = _no_better if spec.objective is not None else _same_piece
    for position in drawn:
        check(claims, spec, layout, crown[position], solver, advance)
    ranks = sum(crown[position].count for position in drawn)
    found = (
        "hold no better candidate than the claimed best"
        if spec.objective is not None
        else "have the hashes and the sums of the tree"
    )
    every = ""
    if number == len(crown):
        reading = spec.reading or WHOLE
        said = reading.proven("the best was found by trying")
        every = f" That is all: {said if spec.objective else 'counts are exact'}"
        every += ", and no value is taken on trust."
    return (
        f"{number:,} of the tree's {len(crown):,} pieces, drawn with seed {seed} ({ranks:,} ranks), computed "
        f"again whole, {found}.{every}"
    )


def _same_piece(
    claims: Claims, spec: RunSpec, layout: Layout, node: Node, solver: Solver, advance: Advance
) -> None:
    def leaves() -> Iterator[Node]:
        size = max(PIECE // layout.size, 1) * layout.size
        position = node.start
        while position < node.stop:
            stop = min(node.stop, (position // size + 1) * size)
            block = solver(position, stop - position)
            for contents in from_block(block, spec.metrics, layout.size, spec.solutions):
                yield leaf_of(contents, to_bytes(contents, spec.metrics))
            if advance is not None:
                advance(stop - position)
            position = stop

    own = Layout(node.start, node.stop, layout.size)
    *_, (_, top) = own.nodes(leaves(), layout.crown)
    if top != node:
        raise CheckFailedError(
            f"Ranks {node.start} to {node.stop - 1}, computed again, have other values than the tree, or not "
            "as many."
        )


def _no_better(
    claims: Claims, spec: RunSpec, layout: Layout, node: Node, solver: Solver, advance: Advance
) -> None:
    objective = spec.objective
    assert objective is not None
    best = None if claims.best is None else (claims.best.value, claims.best.rank)
    for start in range(node.start, node.stop, PIECE):
        count = min(PIECE, node.stop - start)
        block = solver(start, count)
        ranks = np.arange(start, start + count) if block.ranks is None else block.ranks
        values = as_array(block.evaluation.values[0])
        status = block.evaluation.status
        if status is not None:
            valued = np.broadcast_to(status, (len(spec.metrics), len(ranks)))[0] == VALUE
            ranks, values = ranks[valued], values[valued]
        found = best_of(objective, ranks, values)
        if found is not None and objective.better(found, best) != best:
            raise CheckFailedError(f"Rank {found[1]}, with the value {found[0]}, is better than the best.")
        if advance is not None:
            advance(count)

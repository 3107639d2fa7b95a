"""Issuing a certificate of a finished run, after it has passed every check of `epcg verify`."""

from __future__ import annotations

import base64
import zlib
from bisect import bisect_right
from collections.abc import Callable, Iterator
from typing import Any

import attrs

from epcg_core.errors import CheckFailedError, StoreError, UncheckedError
from epcg_core.plugins.registry import sources
from epcg_core.store import Reader, RunRecord, Store, sparse
from epcg_core.store.records import UnitRecord
from epcg_core.verification.certificate.contents import block_size, blocks, blocks_with, leaf_of, to_bytes
from epcg_core.verification.certificate.form import (
    FORM,
    BestClaim,
    BlockOpening,
    Certificate,
    Claims,
    InputClaim,
    Opening,
    UnitOpening,
    opened_ranks,
    to_json,
)
from epcg_core.verification.certificate.tree import Node, Tree, leaf
from epcg_core.verification.verify import not_checked, verify

OPENINGS = 16


def certify(
    store: Store,
    run_id: int,
    openings: int = OPENINGS,
    sample: int = 1000,
    advance: Callable[[int], None] | None = None,
) -> dict[str, Any]:
    """Issue the certificate of a run, as JSON-like data, with `openings` drawn ranks opened.

    `sample` recorded ranks are computed again before. Raises StoreError if the run is not finished, empty,
    or cannot be checked, CheckFailedError if it fails a check.
    """
    with store.reader() as reader:
        run = reader.run(run_id)
        gone = not_checked(reader, run)
    if gone:
        raise StoreError(f"Run {run_id} has no certificate. {gone}")
    if not run.done:
        raise StoreError(f"Run {run_id} is not finished, so it has no certificate; epcg resume {run_id}.")
    if not run.candidates:
        raise StoreError(f"Run {run_id} has no candidates, so there is nothing to certify.")
    report = verify(store, run_id, sample, None, advance)
    open_checks = [check for check in report.checks if check.verdict == "cannot be checked here"]
    if report.verdict == "cannot be checked here":
        raise UncheckedError(
            f"Run {run_id} cannot be checked here, so there is no certificate of it: {open_checks[0].detail}"
        )
    failed = [check.name for check in report.checks if check.verdict == "does not hold"]
    if failed:
        raise CheckFailedError(
            f"Run {run_id} fails checks ({', '.join(failed)}), so there is no certificate of it; "
            f"epcg verify {run_id}."
        )
    with store.reader() as reader:
        claims, trees = claim(reader, run, openings)
        return to_json(Certificate(FORM, claims, list(_openings(reader, run, claims, trees))))


@attrs.frozen(eq=False)
class Trees:
    """The two trees of a run."""

    recorded: list[UnitRecord]
    """The units, leaf by leaf."""
    units: Tree
    blocks: Tree


def claim(reader: Reader, run: RunRecord, openings: int) -> tuple[Claims, Trees]:
    """Make the claims of a finished run from its record."""
    metrics = reader.metrics(run.id)
    size = block_size(run)
    recorded = list(reader.units(run.id))
    trees = Trees(
        recorded,
        Tree(map(unit_leaf, recorded)),
        Tree(leaf_of(contents, to_bytes(contents, metrics)) for contents in blocks(reader, run, size)),
    )
    objective = sparse.objective_of(run)
    best = None if objective is None else sparse.best(reader, run, objective)
    return (
        Claims(
            space=run.space,
            query=run.spec["query"],
            identity=run.identity,
            versions=sorted(run.spec["versions"]),
            sources=dict(sources(run.spec["versions"])),
            metrics=[metric.name for metric in metrics],
            start=run.start,
            stop=run.stop,
            max_rank=run.max_rank,
            represents=sparse.represents(reader, run),
            left_out=run.spec.get("left_out"),
            coverage=run.coverage,
            evaluated=run.evaluated,
            pruned=run.pruned,
            excluded=run.excluded,
            best=None if best is None else BestClaim(*best),
            inputs={
                role: InputClaim(reader.run(number).identity, digest or "")
                for role, number, digest in reader.inputs_of(run.id)
            },
            digest=run.digest or "",
            unit_size=run.unit_size,
            units=trees.units.root.digest,
            block_size=size,
            blocks=trees.blocks.root.digest,
            openings=min(openings, run.candidates),
        ),
        trees,
    )


def unit_leaf(unit: UnitRecord | UnitOpening) -> Node:
    """Hash a unit to its leaf."""
    try:
        digest = unit.digest if isinstance(unit.digest, bytes) else bytes.fromhex(unit.digest)
    except ValueError:
        raise CheckFailedError(f"The digest of the unit at rank {unit.start} is malformed.") from None
    return leaf(unit.start, unit.count, unit.evaluated, unit.pruned, unit.excluded, digest)


def _openings(reader: Reader, run: RunRecord, claims: Claims, trees: Trees) -> Iterator[Opening]:
    """Yield the ranks that must be opened, each with its unit and its block."""
    ranks, metrics = opened_ranks(claims), reader.metrics(run.id)
    for rank, block in zip(ranks, blocks_with(reader, run, claims.block_size, ranks), strict=True):
        at = _position(trees.units, rank)
        unit = trees.recorded[at]
        data = base64.b64encode(zlib.compress(to_bytes(block, metrics), 9)).decode()
        yield Opening(
            rank,
            UnitOpening(
                unit.start, unit.count, unit.evaluated, unit.pruned, unit.excluded, unit.digest.hex(),
                trees.units.path(at),
            ),
            BlockOpening(
                block.start, block.count, data, trees.blocks.path(_position(trees.blocks, rank))
            ),
        )  # fmt: skip


def _position(tree: Tree, rank: int) -> int:
    return bisect_right(tree.leaves, rank, key=lambda node: node.start) - 1

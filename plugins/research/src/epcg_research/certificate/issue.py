"""Issuing a certificate of a finished run, after it has passed every check of `epcg verify`."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from itertools import islice
from typing import Any

import attrs

from epcg_core.inside import (
    StoreError,
    not_checked,
    objective_of,
    planned,
    recorded_best,
    sources_below,
    states_represented,
    winners_of,
)
from epcg_core.plugin import WHOLE, CheckFailedError, Metric, Reader, RunRecord, Store, UncheckedError, verify
from epcg_research.certificate.contents import blocks, layout_of, leaf_of, to_bytes
from epcg_research.certificate.form import (
    FORM,
    MOST_WINNERS,
    BestClaim,
    Certificate,
    Claims,
    InputClaim,
    WinnerClaim,
    nodes_packed,
    opened_ranks,
    packed,
    seed_of,
    to_json,
)
from epcg_research.certificate.security import Security
from epcg_research.certificate.tree import Layout, Node, Place, root_of


def certify(
    store: Store,
    run_id: int,
    security: Security | None = None,
    sample: int = 1000,
    advance: Callable[[int], None] | None = None,
    remake: bool = False,
) -> dict[str, Any]:
    """Issue the certificate of a run, as JSON-like data, that shows at least what `security` asks for.

    `sample` recorded ranks of it, and of each run that it rests on, are computed again before; with `remake`
    also runs whose values were dropped, whole. Raises StoreError if the run is not finished, empty,
    or cannot be checked, CheckFailedError if it fails a check.
    """
    with store.reader() as reader:
        run = reader.run(run_id)
        gone = not_checked(reader, run)
    if gone:
        raise StoreError(f"Run {run_id} has no certificate. {gone}")
    if not run.done:
        raise StoreError(f"Run {run_id} is not finished, so it has no certificate; epcg resume {run_id}.")
    if run.counted:
        raise StoreError(
            f"Run {run_id} keeps counts, and a certificate opens recorded values, so it has none. "
            f"`epcg verify {run_id}` computes some of its chunks again and says what that proves."
        )
    if "candidate_timeout" in run.spec:
        raise StoreError(
            f"Run {run_id} has a time limit of a candidate, and computing it again cannot show what took too "
            f"long, so it has no certificate. `epcg verify {run_id}` checks the others."
        )
    if not run.candidates:
        raise StoreError(f"Run {run_id} has no candidates, so there is nothing to certify.")
    openings = (security or Security()).openings(run.candidates)
    report = verify(store, run_id, sample, None, advance, remake=remake)
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
        claims, crown = claim(reader, run, openings)
        return to_json(opened(reader, run, claims, crown))


def claim(
    reader: Reader, run: RunRecord, openings: int, sources: Mapping[str, str] | None = None
) -> tuple[Claims, list[Node]]:
    """Make the claims of a finished run from its record, and the crown of the tree over its values.

    `sources` are those that verified the run; by default those of today.
    """
    crown = crown_of(reader, run)
    objective = objective_of(run)
    best = None if objective is None else recorded_best(reader, run, objective)
    return (
        Claims(
            space=run.space,
            query=run.spec["query"],
            identity=run.identity,
            versions=sorted(run.spec["versions"]),
            sources=dict(sources_below(planned(run)[1]) if sources is None else sources),
            metrics=[metric.name for metric in reader.metrics(run.id)],
            start=run.start,
            stop=run.stop,
            max_rank=run.max_rank,
            represents=states_represented(reader, run),
            left_out=None if run.omission is None else attrs.asdict(run.omission),
            coverage=run.coverage,
            evaluated=run.evaluated,
            pruned=run.pruned,
            excluded=run.excluded,
            best=None if best is None else BestClaim(*best),
            inputs=_inputs(reader, run),
            digest=run.digest or "",
            values=root_of(crown).digest.hex(),
            openings=openings,
            reading=None if run.reading == WHOLE else run.reading.data(),
            winners=_winners(reader, run),
        ),
        crown,
    )


def _winners(reader: Reader, run: RunRecord) -> list[WinnerClaim]:
    """Return the winners of a run, of too many the first ones, by rank."""
    found = islice(winners_of(reader, run).items(), MOST_WINNERS)
    return [WinnerClaim(rank, role) for rank, role in sorted(found)]


def _inputs(reader: Reader, run: RunRecord) -> dict[str, InputClaim]:
    every = reader.inputs_of(run.id)
    runs = {number: reader.run(number) for _, number, _ in every}
    digests = {number: content_digest(reader, other) for number, other in runs.items()}
    return {role: InputClaim(runs[number].identity, digests[number]) for role, number, _ in every}


def content_digest(reader: Reader, run: RunRecord) -> str:
    """Digest what a run recorded, independent of how it was cut into chunks."""
    if objective_of(run) is not None or not run.candidates:
        return run.digest or ""
    return root_of(crown_of(reader, run)).digest.hex()


def crown_of(reader: Reader, run: RunRecord) -> list[Node]:
    """Return the crown of the tree over the run's values."""
    layout = layout_of(reader.metrics(run.id), objective_of(run) is not None, run.start, run.stop)
    leaves = (node for node, _ in _leaves(reader, run, layout))
    return [node for (level, _), node in layout.nodes(leaves) if level == layout.crown]


def _leaves(reader: Reader, run: RunRecord, layout: Layout) -> Iterator[tuple[Node, bytes]]:
    metrics: list[Metric] = reader.metrics(run.id)
    for contents in blocks(reader, run, layout.size):
        raw = to_bytes(contents, metrics)
        yield leaf_of(contents, raw), raw


def opened(reader: Reader, run: RunRecord, claims: Claims, crown: list[Node]) -> Certificate:
    """Open the blocks that the claims draw, with the nodes beside their ways to the crown."""
    prunes = objective_of(run) is not None
    layout = layout_of(reader.metrics(run.id), prunes, run.start, run.stop)
    wanted = {layout.leaf_of(rank) for rank in opened_ranks(claims, claims.openings)}
    places = layout.beside(wanted)
    beside: dict[Place, Node] = {}
    contents: list[bytes] = []

    def leaves() -> Iterator[Node]:
        for position, (node, raw) in enumerate(_leaves(reader, run, layout)):
            if position in wanted:
                contents.append(raw)
            yield node

    missing = set(places)
    for place, node in layout.nodes(leaves()):
        if place in missing:
            beside[place] = node
    return Certificate(
        FORM,
        claims,
        seed_of(claims),
        nodes_packed(crown),
        packed(b"".join(contents)),
        nodes_packed([beside[place] for place in places]),
    )

"""Checks of a certificate against its database, or by computing its opened ranks again."""

from __future__ import annotations

import json
import random
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import attrs
import numpy as np

from epcg_core.chunks.blocks import Block, as_array
from epcg_core.domain import BOUND, ERROR, STATUS_NAMES, VALUE, Bits, Value
from epcg_core.errors import CheckFailedError, EpcgError
from epcg_core.params import canonical_json
from epcg_core.plugins.registry import sources
from epcg_core.query.puzzle_id import puzzle_id
from epcg_core.query.query import from_data
from epcg_core.query.spec import RunSpec
from epcg_core.runs.coordinator import Options, execute, in_order, plan
from epcg_core.runs.sequence import is_sequence
from epcg_core.runs.tables import WorkingFolder
from epcg_core.search.protocol import Search, Solver
from epcg_core.store import Store
from epcg_core.verification.certificate.contents import Contents, from_bytes, leaf_of, unpacked
from epcg_core.verification.certificate.form import Certificate, Claims, Opening, check_opened, from_json
from epcg_core.verification.certificate.issue import claim, unit_leaf
from epcg_core.verification.certificate.tree import Node, climb
from epcg_core.verification.verify import Check, checked, new_seed, verify


def check_certificate(
    data: Any,
    store: Store | None,
    sample: int = 1000,
    seed: int | None = None,
    advance: Callable[[int], None] | None = None,
) -> tuple[Check, ...]:
    """Check a certificate, given as JSON-like data, until a check fails on which the later ones depend.

    With a store, the run is found there, its trees are made again, and all checks of `verify` run.
    Without one, `sample` of the opened ranks, drawn with `seed`, are computed again.
    """
    seed = new_seed() if seed is None else seed
    checks: list[Check] = []

    def passes(name: str, prove: Callable[[], str]) -> bool:
        checks.append(checked(name, prove))
        return checks[-1].passed

    parsed: list[Certificate] = []
    planned: list[tuple[Search, RunSpec]] = []
    opened: list[Contents] = []
    if not passes("form", lambda: _form(data, parsed)):
        return tuple(checks)
    certificate = parsed[0]
    same = passes("query", lambda: _query(certificate.claims, planned))
    same &= passes("sources", lambda: _sources(certificate.claims))
    if planned and passes("openings", lambda: _openings(certificate, planned[0][1], opened)) and same:
        search, spec = planned[0]
        if store is None and sample:
            passes("sample", lambda: _sample(certificate, search, spec, opened, sample, seed, advance))
        elif store is not None and passes("database", lambda: _database(certificate, store)):
            with store.reader() as reader:
                run = reader.find(certificate.claims.identity)
            assert run is not None
            checks += verify(store, run.id, sample, seed, advance).checks
    return tuple(checks)


def _form(data: Any, parsed: list[Certificate]) -> str:
    parsed.append(from_json(data))
    claims = parsed[0].claims
    return (
        f"It speaks of the run {claims.identity[:12]} over ranks {claims.start} to {claims.stop - 1} of "
        f"{claims.space}: {claims.coverage}, {claims.evaluated:,} evaluated."
    )


def _query(claims: Claims, planned: list[tuple[Search, RunSpec]]) -> str:
    """Check that the query plans the run that the claims describe."""
    try:
        search, spec = plan(from_data(claims.query))
    except (EpcgError, KeyError, TypeError, ValueError, AttributeError) as error:
        raise CheckFailedError(f"Its query cannot be planned: {error}") from error
    omission = None if spec.omission is None else attrs.asdict(spec.omission)
    stated = {
        "versions": (claims.versions, sorted(spec.versions)),
        "space": (claims.space, spec.space.name),
        "metrics": (claims.metrics, [metric.name for metric in spec.metrics]),
        "first rank": (claims.start, spec.start),
        "last rank": (claims.stop - 1, spec.stop - 1),
        "ranks of the space": (claims.max_rank, spec.max_rank),
        "states it stands for": (
            claims.represents,
            spec.represents or spec.max_rank,
        ),
        "states left out": (claims.left_out, omission),
        "inputs": (
            {role: known.identity for role, known in claims.inputs.items()},
            {
                # the last run of a sequence is known only when all are made again (`_solver`)
                needed.role: claims.inputs[needed.role].identity
                if needed.last and needed.role in claims.inputs and is_sequence(needed.run)
                else needed.run.identity
                for needed in spec.inputs
                if needed.required or needed.role in claims.inputs
            },
        ),
        "query": (claims.query, json.loads(canonical_json(spec.query_data()))),
        "identity": (claims.identity, spec.identity),
    }
    for name, (stated_value, value) in stated.items():
        if stated_value != value:
            raise CheckFailedError(f"Its {name} should be {value}, not {stated_value}.")
    planned.append((search, spec))
    return f"The query plans this run of {spec.search.name} with {', '.join(spec.versions)}."


def _sources(claims: Claims) -> str:
    """Check that the installed source files are those of the certificate."""
    here = dict(sources(claims.versions))
    odd = sorted(name for name in here.keys() | claims.sources if here.get(name) != claims.sources.get(name))
    if odd:
        more = f" and {len(odd) - 3} more" if len(odd) > 3 else ""
        raise CheckFailedError(
            f"The source files installed are not those of the certificate: {', '.join(odd[:3])}{more} differ."
        )
    return f"The {len(here)} source files installed are those it was issued with."


def _openings(certificate: Certificate, spec: RunSpec, opened: list[Contents]) -> str:
    """Check that the opened ranks are those drawn from the claims, and lie in the claimed trees."""
    claims = certificate.claims
    if claims.openings < 1 or min(claims.unit_size, claims.block_size) < 1:
        raise CheckFailedError("Its numbers of openings, of ranks a unit and of ranks a block are above 0.")
    whole = claims.stop - claims.start == claims.max_rank and not claims.excluded and claims.left_out is None
    if claims.coverage != ("exhaustive" if whole else "semi-exhaustive"):
        raise CheckFailedError(f"The run is not {claims.coverage}.")
    check_opened(certificate)
    for opening in certificate.openings:
        opened.append(_opening(claims, spec, opening))
    if spec.objective is not None:
        _best(claims, spec, opened)
    return (
        f"{len(opened)} ranks drawn with the digest of the claims, each in a unit and a block of "
        f"{claims.block_size:,} ranks, are in the trees; their sums are the claimed ones."
    )


def _opening(claims: Claims, spec: RunSpec, opening: Opening) -> Contents:
    unit, block = opening.unit, opening.block
    for what, part, size in (("unit", unit, claims.unit_size), ("block", block, claims.block_size)):
        first = opening.rank // size * size
        low, high = max(claims.start, first), min(claims.stop, first + size)
        if (part.start, part.count) != (low, high - low):
            raise CheckFailedError(f"The {what} of rank {opening.rank} should be {low} to {high - 1}.")
    _is_root(climb(unit_leaf(unit), unit.path), claims, claims.units, "units", sums=True)
    raw = unpacked(block)
    prunes, solves = spec.objective is not None, spec.solutions
    contents = from_bytes(raw, block.start, block.count, spec.metrics, prunes, solves)
    root = climb(leaf_of(contents, raw), block.path)
    _is_root(root, claims, claims.blocks, "blocks", sums=spec.objective is None)
    if root.pruned != claims.pruned:
        raise CheckFailedError("The blocks hold another number of pruned ranks than is claimed.")
    return contents


def _is_root(root: Node, claims: Claims, digest: str, name: str, sums: bool) -> None:
    if root.digest != digest or (root.start, root.stop) != (claims.start, claims.stop):
        raise CheckFailedError(f"An opening does not lead to the claimed root of the {name}.")
    if sums and (root.evaluated, root.pruned, root.excluded) != (
        claims.evaluated, claims.pruned, claims.excluded,
    ):  # fmt: skip
        raise CheckFailedError(f"The sums of the {name} are not the claimed ones.")


def _best(claims: Claims, spec: RunSpec, opened: Sequence[Contents]) -> None:
    """Check that no opened rank contradicts the claimed best candidate."""
    assert spec.objective is not None
    best = None if claims.best is None else (claims.best.value, claims.best.rank)
    limit = spec.objective.cutoff(best)
    if best is not None:
        holding = next(c for c in opened if c.start <= best[1] < c.start + c.count)
        scores = holding.at(best[1], spec.metrics)
        if scores is None or scores[0] != (VALUE, best[0]) or type(scores[0][1]) is not type(best[0]):
            raise CheckFailedError(f"The best is not recorded at rank {best[1]} with the value {best[0]}.")
    for contents in opened:
        for rank, value in zip(contents.ranks.tolist(), contents.values[0].tolist(), strict=True):
            if spec.objective.better((value, rank), best) != best:
                raise CheckFailedError(f"Rank {rank}, with the value {value}, is better than the best.")
        assert contents.prunings is not None
        for start, _, bound, reason in zip(*(part.tolist() for part in contents.prunings), strict=True):
            if reason == BOUND and limit.reached_by(bound, start):
                raise CheckFailedError(f"The pruning at rank {start} has a bound that reaches the best.")


def _database(certificate: Certificate, store: Store) -> str:
    """Check that the run in the database makes these claims."""
    with store.reader() as reader:
        run = reader.find(certificate.claims.identity)
        if run is None:
            raise CheckFailedError(f"The database {store.location} has no such run.")
        if not run.done:
            raise CheckFailedError(f"Run {run.id} of {store.location} is not finished.")
        here, _ = claim(reader, run, certificate.claims.openings)
    for field in attrs.fields(Claims):
        stated, found = getattr(certificate.claims, field.name), getattr(here, field.name)
        if stated != found:
            raise CheckFailedError(f"Run {run.id} has other {field.name}: {found}, not {stated}.")
    return f"Run {run.id} of {store.location} makes the same claims; both trees were made again."


def _sample(
    certificate: Certificate,
    search: Search,
    spec: RunSpec,
    opened: Sequence[Contents],
    size: int,
    seed: int,
    advance: Callable[[int], None] | None,
) -> str:
    """Check that opened ranks have the recorded values when they are computed again."""
    solver, note = _solver(certificate.claims, search, spec)
    known = {contents.start: contents for contents in opened}
    drawn = {opening.rank for opening in certificate.openings}
    population = sum(contents.count for contents in known.values())
    # the drawn ranks first: no one could choose these or their neighbours
    ranks = sorted(drawn)[:size]
    rest = random.Random(seed).sample(range(population), min(population, size))
    starts, total = sorted(known), 0
    offsets = []
    for start in starts:
        offsets.append((total, start))
        total += known[start].count
    for number in rest:
        low, start = next(pair for pair in reversed(offsets) if pair[0] <= number)
        rank = start + number - low
        if len(ranks) < size and rank not in drawn:
            ranks.append(rank)
    for rank in sorted(ranks):
        contents = next(known[start] for start in reversed(starts) if start <= rank)
        _compare(certificate.claims, spec, contents, solver(rank, 1), rank)
        if advance is not None:
            advance(1)
    return (
        f"{len(ranks):,} of the {population:,} opened ranks, computed again, agree bit for bit{note}. The "
        "run's digest, and blocks that are not opened, are taken on trust without the database."
    )


def _solver(claims: Claims, search: Search, spec: RunSpec) -> tuple[Solver, str]:
    """Make a solver for single ranks; its inputs from other runs are computed in a temporary database."""
    needed = in_order(spec)[:-1]
    if not any(i.required and i.kind != "best" for i in spec.inputs):
        return search.checker(spec, {}).plain, ""
    with (
        tempfile.TemporaryDirectory(prefix="epcg-") as folder,
        Store.open(Path(folder) / "inputs.db", write=True) as store,
        WorkingFolder(None) as tables,
    ):
        for other in needed:
            execute(from_data(other.query_data()), store, Options(quiet=True))
        with store.reader() as reader:
            for role, stated in claims.inputs.items():
                run = reader.find(stated.identity)
                if run is None and role in {i.role for i in spec.inputs if i.required and i.last}:
                    raise CheckFailedError(f"The input '{role}' is another run when it is made again.")
                if run is not None and run.digest != stated.digest:
                    raise CheckFailedError(f"The input '{role}', computed again, has another digest.")
        mapped = tables.inputs(spec, store)
        inputs: dict[str, Any] = {
            role: attrs.evolve(table, data=np.array(table.data))
            if isinstance(table, Bits)
            else np.array(table)
            for role, table in mapped.items()
        }
    return search.checker(
        spec, inputs
    ).plain, f", with {len(needed)} runs that it was computed from made again"


def _compare(claims: Claims, spec: RunSpec, contents: Contents, block: Block, rank: int) -> None:
    puzzle = puzzle_id(claims.space, rank)
    recorded = contents.at(rank, spec.metrics)
    now = _scores(spec, block)
    if recorded is not None:
        if now is None:
            raise CheckFailedError(f"{puzzle}: values are recorded, and the filter leaves it out.")
        for metric, was, found in zip(spec.metrics, recorded, now, strict=True):
            if _bits(was) != _bits(found):
                raise CheckFailedError(
                    f"{puzzle}: the recorded {metric.name} is {_text(was)}, computed again {_text(found)}."
                )
        if contents.solutions is not None:
            own = [solution for solution in contents.solutions if solution[0] == rank]
            if own != sorted(block.solutions or ()):
                raise CheckFailedError(f"{puzzle}: the recorded solutions are not those computed again.")
        return
    if spec.objective is None:
        if now is not None:
            raise CheckFailedError(f"{puzzle}: nothing is recorded, and the filter does not leave it out.")
        return
    value = None if now is None or now[0][0] != VALUE else now[0][1]
    pruning = contents.pruning_at(rank)
    if value is None:
        return
    if pruning is not None:
        bound, reason = pruning
        if reason != BOUND or spec.objective.sign * value > spec.objective.sign * bound:
            raise CheckFailedError(
                f"{puzzle}: it was pruned with the bound {bound}, and its value is {value}."
            )
        return
    best = None if claims.best is None else (claims.best.value, claims.best.rank)
    if spec.objective.cutoff(best).reached_by(value, rank):
        raise CheckFailedError(f"{puzzle}: its value is {value}, as good as the best, and not recorded.")


def _scores(spec: RunSpec, block: Block) -> list[tuple[int, Value | None]] | None:
    """Return (status, value) of each metric of a block of one rank; None if a filter leaves it out."""
    if not block.evaluated:
        return None
    status = [VALUE] * len(spec.metrics)
    if block.evaluation.status is not None:
        status = np.broadcast_to(block.evaluation.status, (len(spec.metrics), 1))[:, 0].tolist()
    found: list[tuple[int, Value | None]] = []
    for metric, column, code in zip(spec.metrics, block.evaluation.values, status, strict=True):
        value = as_array(column)[0].item()
        missing = code == ERROR if metric.always else code != VALUE
        found.append((code, None if missing else bool(value) if metric.kind == "bool" else value))
    return found


def _bits(score: tuple[int, Value | None]) -> tuple[int, str]:
    """Return a value's bits for comparison: 0.0 and -0.0 differ."""
    return score[0], repr(score[1])


def _text(score: tuple[int, Value | None]) -> str:
    return str(score[1]) if score[1] is not None else f"'{STATUS_NAMES[score[0]]}'"

"""Checks of a certificate against its database, or by computing its opened ranks again."""

from __future__ import annotations

import json
import math
import random
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

import attrs

from epcg_core.inside import (
    Check,
    Checker,
    Recomputation,
    Search,
    block_scores,
    canonical_json,
    checker_of,
    compile_kernels,
    is_sequence,
    make_check,
    names_files,
    new_seed,
    plan,
    plugins_in_use,
    puzzle_id,
    read_by,
    sources_below,
    verdict_of,
)
from epcg_core.plugin import (
    BOUND,
    VALUE,
    CheckFailedError,
    ConditionalError,
    EpcgError,
    Reader,
    RunSpec,
    Store,
    UncheckedError,
    from_data,
    registry,
    verify,
)
from epcg_research.certificate.contents import (
    BlockReader,
    Contents,
    layout_of,
    most_bytes,
)
from epcg_research.certificate.form import (
    MOST_BYTES,
    Certificate,
    Claims,
    as_read,
    drawn_with_best,
    from_json,
    nodes_unpacked,
    opened_ranks,
    unpacked,
)
from epcg_research.certificate.issue import claim, content_digest
from epcg_research.certificate.opened import Opened, check_extremes
from epcg_research.certificate.pieces import pieces
from epcg_research.certificate.security import ERROR_BITS, Security, percent
from epcg_research.certificate.tree import Layout, Node, root_of

PLAIN_SECONDS, WINNER_SECONDS = 30.0, 15.0
"""CPU time of plain code, if there is compiled code for the rest: a check ends within a minute."""


def check_certificate(
    data: Any,
    store: Store | None,
    security: Security | None = None,
    *,
    sample: int = 1000,
    seed: int | None = None,
    recompute: float = 0.0,
    advance: Callable[[int], None] | None = None,
) -> tuple[Check, ...]:
    """Check a certificate, given as JSON-like data, until a check fails on which the later ones depend.

    What is installed may differ from what it was issued with; then less can be checked.

    Args:
        data: the JSON document.
        store: where the run is found, its tree made again, and all checks of `verify` run; without one, the
            opened ranks are computed again.
        security: the share of false values that is accepted, and against which liar.
        sample: how many recorded ranks `verify` computes again.
        seed: draws them, and what `recompute` computes; None draws a seed, which the checks name.
        recompute: the share of the ranks that is computed again whole, and compared with the tree.
        advance: receives the number of ranks that were just computed.

    Returns:
        The checks that were made; the certificate holds if all passed.
    """
    security = security or Security()
    seed = new_seed() if seed is None else seed
    checks: list[Check] = []

    def passes(name: str, prove: Callable[[], str]) -> bool:
        checks.append(make_check(name, prove))
        return checks[-1].passed

    parsed: list[Certificate] = []
    planned: list[tuple[Search, RunSpec]] = []
    shown: list[Opened] = []
    if not passes("form", lambda: _form(data, parsed)):
        return tuple(checks)
    certificate = parsed[0]
    same = passes("query", lambda: _query(certificate.claims, planned))
    same &= passes("sources", lambda: _sources(certificate.claims, planned))
    asked = security if store is None else None  # the database shows all
    if planned:
        same &= passes("openings", lambda: _openings(certificate, planned[0][1], asked, shown))
    if verdict_of(checks) == "does not hold":
        return tuple(checks)
    if store is not None and passes("database", lambda: _database(certificate, store)):
        with store.reader() as reader:
            run = reader.find(certificate.claims.identity, certificate.claims.digest)
        assert run is not None
        checks += verify(store, run.id, sample, seed, advance).checks
    if not same or (store is not None and not recompute):
        return tuple(checks)
    search, spec = planned[0]
    checkers: list[Checker] = []
    passes("inputs made again", lambda: _made_again(certificate.claims, search, spec, checkers))
    if checks[-1].verdict not in ("holds", "holds if others hold"):
        return tuple(checks)
    checker = checkers[0]
    if store is None:
        passes("winners", lambda: _winners(certificate.claims, spec, shown[0], checker))
        passes(
            "values", lambda: _values(certificate.claims, spec, shown[0], checker, security, seed, advance)
        )
    if recompute:
        solver = checker.compiled or checker.plain
        passes(
            "pieces",
            lambda: pieces(
                certificate.claims, spec, shown[0].layout, shown[0].crown, solver, recompute, seed, advance
            ),
        )
    return tuple(checks)


def ranks_to_compute(data: Any, security: Security, recompute: float = 0.0) -> int:
    """Return roughly how many ranks `check_certificate` computes again without a database."""
    try:
        claims = from_json(data).claims
        count = claims.stop - claims.start
        return min(claims.openings, security.openings(count)) + math.ceil(recompute * count)
    except EpcgError:
        return 1


def _form(data: Any, parsed: list[Certificate]) -> str:
    parsed.append(from_json(data))
    claims = parsed[0].claims
    return (
        f"It speaks of the run {claims.identity[:12]} over ranks {claims.start} to {claims.stop - 1} of "
        f"{claims.space}: {claims.coverage}, {claims.evaluated:,} evaluated{as_read(claims)}."
    )


def _query(claims: Claims, planned: list[tuple[Search, RunSpec]]) -> str:
    """Check that the query plans the run that the claims describe."""
    installed = plugins_in_use()
    other = sorted(version for version in claims.versions if version not in installed.values())
    if other:
        here = sorted(installed[name] for v in other if (name := v.rpartition(" ")[0]) in installed)
        raise UncheckedError(
            f"It was issued with {', '.join(other)}; in use here is {', '.join(here) or 'no such plugin'}."
        )
    try:
        search, spec = plan(from_data(claims.query))
    except (EpcgError, KeyError, TypeError, ValueError, AttributeError) as error:
        if isinstance(error, EpcgError) and names_files(registry(), claims.query):
            raise UncheckedError(
                f"Its query names files, and cannot be planned with those that are here: {error}"
            ) from error
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
        "reading of its texts": (
            claims.reading,
            None if spec.reading is None else spec.reading.data(),
        ),
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


def _sources(claims: Claims, planned: list[tuple[Search, RunSpec]]) -> str:
    """Check that the installed source files are those of the certificate."""
    if not planned:
        raise UncheckedError("Which source files compute the run is known only if its query can be planned.")
    here = sources_below(planned[0][1], again=True)
    odd = sorted(name for name in here.keys() | claims.sources if here.get(name) != claims.sources.get(name))
    if odd:
        more = f" and {len(odd) - 3} more" if len(odd) > 3 else ""
        raise UncheckedError(
            f"The source files installed are not those of the certificate: {', '.join(odd[:3])}{more} differ."
        )
    return f"The {len(here)} source files installed are those it was issued with."


def _openings(certificate: Certificate, spec: RunSpec, security: Security | None, shown: list[Opened]) -> str:
    """Check that the ranks drawn from the claims are opened, as many as asked for, in the claimed tree."""
    claims = certificate.claims
    whole = claims.stop - claims.start == claims.max_rank and not claims.excluded and claims.left_out is None
    if claims.coverage != ("exhaustive" if whole else "semi-exhaustive"):
        raise CheckFailedError(f"The run is not {claims.coverage}.")
    count = claims.stop - claims.start
    if claims.excluded and not spec.may_exclude:
        raise CheckFailedError(
            f"It leaves out {claims.excluded:,} ranks; its query has no filter, its search leaves none out."
        )
    if claims.pruned and spec.objective is None:
        raise CheckFailedError(f"It prunes {claims.pruned:,} ranks, and its search prunes nothing.")
    if security is not None:
        _enough(claims, security)
    layout = layout_of(spec.metrics, spec.objective is not None, claims.start, claims.stop)
    opened = sorted({layout.leaf_of(rank) for rank in opened_ranks(claims, claims.openings)})
    level = layout.crown
    crown = nodes_unpacked(
        certificate.crown, layout, [(level, i) for i in range(layout.width(level))], "nodes of the crown"
    )
    root = root_of(crown)
    if root.digest.hex() != claims.values:
        raise CheckFailedError("The crown of its tree does not lead to the claimed root.")
    recorded = (claims.evaluated, claims.pruned, claims.excluded)
    if (
        recorded != (root.evaluated, root.pruned, root.excluded)
        if spec.objective is None
        else (claims.pruned != root.pruned or sum(recorded) != count or root.evaluated > claims.evaluated)
    ):
        raise CheckFailedError("The sums of its tree are not the claimed ones.")
    contents, leaves = _blocks(certificate, spec, layout, opened)
    places = layout.beside(opened)
    beside = nodes_unpacked(certificate.beside, layout, places, "nodes beside the opened blocks")
    for position, node in layout.climb(leaves, dict(zip(places, beside, strict=True))).items():
        if node != crown[position]:
            raise CheckFailedError(
                f"The opened blocks of ranks {node.start} to {node.stop - 1} are not those of the tree: "
                "a block, or a claim, and so what has to be opened, was changed after it was issued."
            )
    shown.append(Opened(layout, crown, contents))
    if spec.objective is not None:
        _best(claims, spec, list(contents.values()))
    return (
        f"{claims.openings:,} of {count:,} ranks, drawn with the digest of the claims, are opened: "
        f"{len(contents):,} blocks of {layout.size:,} ranks lie in the claimed tree, and its sums are the "
        "claimed ones."
    )


def _enough(claims: Claims, security: Security) -> None:
    """Check that the openings show what the verifier asks for."""
    count = claims.stop - claims.start
    unnoticed = security.unnoticed(count, claims.openings)
    if unnoticed > security.share * count:
        raise CheckFailedError(
            f"Its {claims.openings:,} openings are not enough: a liar with 2^{security.tries} tries could "
            f"have changed {_share(unnoticed, count)} of the values, and {percent(security.share)} is "
            f"accepted. {security.openings(count):,} openings would show that: have it issued again (epcg "
            "certificate --share --tries), or accept more with --share."
        )


def _blocks(
    certificate: Certificate, spec: RunSpec, layout: Layout, opened: Sequence[int]
) -> tuple[dict[int, Contents], dict[int, Node]]:
    prunes = spec.objective is not None
    most = most_bytes(spec.metrics, layout.size, prunes, spec.solutions)
    limit = MOST_BYTES if most is None else min(MOST_BYTES, most * len(opened))
    reader = BlockReader(unpacked(certificate.blocks, limit, "blocks"), spec.metrics, prunes, spec.solutions)
    contents, leaves = {}, {}
    for position in opened:
        start, stop = layout.ranks((0, position))
        contents[position], leaves[position] = reader.block(start, stop - start)
    reader.end()
    return contents, leaves


def _share(part: int, count: int) -> str:
    return f"at most {percent(part / count)}" if part else "nothing"


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
        run = reader.find(certificate.claims.identity, certificate.claims.digest)
        if run is None:
            raise UncheckedError(f"The database {store.location} has no such run.")
        if not run.done:
            raise UncheckedError(f"Run {run.id} of {store.location} is not finished.")
        # the sources of today have a check of their own
        here, _ = claim(reader, run, certificate.claims.openings, certificate.claims.sources)
    for field in attrs.fields(Claims):
        stated, found = getattr(certificate.claims, field.name), getattr(here, field.name)
        if stated != found:
            raise CheckFailedError(f"Run {run.id} has other {field.name}: {found}, not {stated}.")
    return f"Run {run.id} of {store.location} makes the same claims; the tree over its values was made again."


def _made_again(claims: Claims, search: Search, spec: RunSpec, checkers: list[Checker]) -> str:
    """Make the runs that the run was computed from again, and the solver."""

    def agree(reader: Reader) -> None:
        for role, stated in claims.inputs.items():
            run = reader.find(stated.identity)
            if run is None and role in {i.role for i in spec.inputs if i.required and i.last}:
                raise CheckFailedError(f"The input '{role}' is another run when it is made again.")
            if run is not None and content_digest(reader, run) != stated.digest:
                raise CheckFailedError(f"The input '{role}', computed again, has another digest.")

    checker, made = checker_of(search, spec, agree)
    checkers.append(checker)
    told = f"The {made} runs that it was computed from, made again, are the claimed ones."
    if not made:
        told = "It was computed from no other run's values."
    chosen = [read for read in read_by(registry(), spec) if read.library is not None and read.library.run]
    if chosen:
        names = ", ".join(f"the {read.role} is what the run {read.digest[:12]} keeps" for read in chosen)
        raise ConditionalError(f"It holds if {names}, which no certificate shows. {told}")
    return told


def _values(
    claims: Claims,
    spec: RunSpec,
    shown: Opened,
    checker: Checker,
    security: Security,
    seed: int,
    advance: Callable[[int], None] | None,
) -> str:
    """Check that the drawn ranks have the recorded values when they are computed again."""
    count = claims.stop - claims.start
    number = min(claims.openings, security.openings(count))
    if checker.compiled is not None:
        compile_kernels(checker.compiled, spec)  # the time of loading kernels says nothing about plain code
    again = Recomputation(checker, spec.metrics, PLAIN_SECONDS)
    ranks = drawn_with_best(claims, number)
    random.Random(seed).shuffle(ranks)  # so that it is left to chance for which plain code has time
    for rank in ranks:
        _compare(claims, spec, shown.at(rank), again, rank)
        if advance is not None:
            advance(1)
    found = f"{number:,} drawn ranks, computed again {again.forms}, agree."
    if number == count:
        return f"{found} These are all, so no value is false. The run's own digest is taken on trust."
    unnoticed = security.unnoticed(count, number)
    trust = (
        "the best of all, the bounds of prunings"
        if spec.objective is not None
        else "exact counts, the best of all"
    )
    return (
        f"{found} A liar with 2^{security.tries} tries could still have changed {_share(unnoticed, count)} "
        f"of the values (more with a probability below 2^-{ERROR_BITS}). Openings cannot show {trust} and "
        "the run's own digest: --recompute SHARE computes a share of all ranks again, --db compares with "
        "the database."
    )


def _winners(claims: Claims, spec: RunSpec, shown: Opened, checker: Checker) -> str:
    """Check that the winners have the recorded values when they are computed again."""
    if not claims.winners:
        if shown.has_values:
            raise UncheckedError(
                "It opens values, and names no winner: certificates of earlier versions do not. What is the "
                "best of all is taken on trust; have it issued again (epcg certificate)."
            )
        return "It names no winner, and opens no value."
    check_extremes(claims, spec, shown)
    if checker.compiled is not None:
        compile_kernels(checker.compiled, spec)
        once = Recomputation(checker, spec.metrics, 0.0)
        once.block(claims.winners[0].rank)  # what parts make once says nothing about plain code
    again = Recomputation(checker, spec.metrics, WINNER_SECONDS)
    for winner in claims.winners:
        _compare(claims, spec, shown.at(winner.rank), again, winner.rank)
    roles = Counter(winner.role for winner in claims.winners)
    told = ", ".join(f"{role}: {number:,}" for role, number in roles.items())
    return (
        f"{len(claims.winners):,} winners ({told}), computed again {again.forms}, agree. No opened value "
        "exceeds the claimed extremes."
    )


def _compare(claims: Claims, spec: RunSpec, contents: Contents, again: Recomputation, rank: int) -> None:
    puzzle = puzzle_id(claims.space, rank)
    recorded = contents.at(rank, spec.metrics)
    if recorded is not None or spec.objective is None:
        found = again.difference(rank, recorded)
        if found is not None:
            raise CheckFailedError(f"{puzzle}: {found}")
        if contents.solutions is not None:
            own = [solution for solution in contents.solutions if solution[0] == rank]
            if own != sorted(again.solutions or ()):
                raise CheckFailedError(f"{puzzle}: the recorded solutions are not those computed again.")
        return
    now = block_scores(again.block(rank), spec.metrics, rank)
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

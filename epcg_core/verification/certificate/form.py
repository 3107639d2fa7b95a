"""The form of a certificate: typed claims and openings, to and from JSON."""

from __future__ import annotations

import hashlib
from typing import Any

import attrs

from epcg_core.errors import CheckFailedError, EpcgError
from epcg_core.params import canonical_json, plain, structure
from epcg_core.runs.sampling import drawn
from epcg_core.store.records import Sample
from epcg_core.verification.certificate.tree import Node

FORM = "epcg certificate 1"


@attrs.frozen
class InputClaim:
    """A run that was read."""

    identity: str
    digest: str


@attrs.frozen
class BestClaim:
    """The best candidate of a run that optimizes."""

    value: Any
    rank: int


@attrs.frozen
class Claims:
    """The claims of a run."""

    space: str
    query: dict[str, Any]
    identity: str
    versions: list[str]
    sources: dict[str, str]
    """SHA-256 of every source file of the core and the plugins involved."""
    metrics: list[str]
    start: int
    stop: int
    max_rank: int
    represents: int
    left_out: dict[str, Any] | None
    coverage: str
    evaluated: int
    pruned: int
    excluded: int
    best: BestClaim | None
    inputs: dict[str, InputClaim]
    digest: str
    """The run's own."""
    unit_size: int
    units: str
    """The root of the tree over the units and their digests."""
    block_size: int
    blocks: str
    """The root of the tree over the blocks of values."""
    openings: int
    """Number of drawn ranks."""


@attrs.frozen
class UnitOpening:
    """A unit of the run."""

    start: int
    count: int
    evaluated: int
    pruned: int
    excluded: int
    digest: str
    path: list[Node]


@attrs.frozen
class BlockOpening:
    """A block of values: its bytes, compressed by zlib, in base 64."""

    start: int
    count: int
    data: str
    path: list[Node]


@attrs.frozen
class Opening:
    """A rank, with the unit and the block that hold it."""

    rank: int
    unit: UnitOpening
    block: BlockOpening


@attrs.frozen
class Certificate:
    """Claims and openings."""

    form: str
    claims: Claims
    openings: list[Opening]


def from_json(data: Any) -> Certificate:
    """Read a certificate from a JSON document. Raises CheckFailedError if it is invalid."""
    if not isinstance(data, dict) or data.get("form") != FORM:
        raise CheckFailedError(f"This is not a certificate: its form is not '{FORM}'.")
    try:
        certificate = structure(Certificate, data, "certificate")
    except EpcgError as error:
        raise CheckFailedError(f"The certificate is malformed: {error}") from None
    _check_ranks(certificate)
    return certificate


def _check_ranks(certificate: Certificate) -> None:
    """Refuse ranks that cannot be, before anything is drawn from them."""
    claims = certificate.claims
    best = claims.best is None or claims.start <= claims.best.rank < claims.stop
    if not best or not 0 <= claims.start <= claims.stop < 2**63:
        raise CheckFailedError("The certificate is malformed: its ranks, or that of its best, cannot be.")


def to_json(certificate: Certificate) -> dict[str, Any]:
    return plain(certificate)


def opened_ranks(claims: Claims) -> list[int]:
    """Return the ranks that must be opened: those drawn with the digest of the claims, and the best."""
    text = canonical_json(plain(claims))
    seed = int.from_bytes(hashlib.sha256(text.encode()).digest(), "big")
    ranks = set(drawn(Sample(claims.openings, seed), claims.start, claims.stop).tolist())
    return sorted(ranks | ({claims.best.rank} if claims.best is not None else set()))


def check_opened(certificate: Certificate) -> None:
    """Raise CheckFailedError if the opened ranks are not those that the claims draw."""
    claims = certificate.claims
    fewest = min(claims.openings, claims.stop - claims.start)  # before so many are drawn
    ranks = [opening.rank for opening in certificate.openings]
    if len(ranks) < fewest or ranks != opened_ranks(claims):
        raise CheckFailedError(
            "The ranks it opens are not those that its claims draw: a claim was changed after it was issued."
        )

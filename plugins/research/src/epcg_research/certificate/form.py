"""The form of a certificate: typed claims, and bytes that are bounded before they are read."""

from __future__ import annotations

import base64
import hashlib
import zlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import attrs
import numpy as np

from epcg_core.inside import Sample, canonical_json, drawn_ranks, optional_key
from epcg_core.plugin import CheckFailedError, EpcgError, Reading, UncheckedError, documents, plain, structure
from epcg_research.certificate.security import MOST_OPENINGS
from epcg_research.certificate.tree import Layout, Node, Place

FORM = "epcg certificate 2"
MOST_WINNERS = 2_000
ROLES = ("kept", "first not kept", "extreme", "result")
"""The roles of winners; no certificate has words of its own for them."""
MOST_BYTES = 256_000_000
"""Limit of a certificate's file, and of what its blocks hold when they are decompressed."""
_MOST = 2**63 - 1
_NODE = 48


@attrs.frozen
class InputClaim:
    """A run that was read."""

    identity: str
    digest: str
    """The root of the tree over its values; of a run that optimizes, its own."""


@attrs.frozen
class BestClaim:
    """The best candidate of a run that optimizes."""

    value: int | float
    rank: int


@attrs.frozen
class WinnerClaim:
    """A candidate that people look at: kept, decisive for a selection, or an extreme of a metric."""

    rank: int
    role: str


@attrs.frozen
class Claims:
    """The claims of a run."""

    space: str
    query: dict[str, Any]
    identity: str
    versions: list[str]
    sources: dict[str, str]
    """SHA-256 of every source file that computes the run, and the runs that it was computed from."""
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
    values: str
    """The root of the tree over the blocks of values."""
    openings: int
    """Number of drawn ranks."""
    reading: dict[str, Any] | None = optional_key("reading", None)
    """How the texts were read from which the space's content comes, if it comes from texts."""
    winners: list[WinnerClaim] = optional_key("winners", [])
    """The winners, which are opened beside the drawn ranks; an older certificate opens none."""


@attrs.frozen
class Certificate:
    """Claims, and the opened part of the tree over the values, compressed by zlib, in base 64."""

    form: str
    claims: Claims
    seed: str
    """SHA-256 of the claims, with which the opened ranks are drawn."""
    crown: str
    """The crown of the tree."""
    blocks: str
    """The blocks of the drawn ranks, of the best and of the winners, by rank."""
    beside: str
    """The nodes beside the ways from these blocks to the crown."""


def read_json(path: Path) -> Any:
    """Read a certificate's file.

    Raises UncheckedError if it cannot be read, CheckFailedError if it is not JSON.
    """
    data = documents.read_bytes(path, "certificate", UncheckedError, MOST_BYTES)
    return documents.parse_json(data, f"{path} is not a certificate: it", CheckFailedError)


def from_json(data: Any) -> Certificate:
    """Read a certificate from a JSON document. Raises CheckFailedError if it is invalid."""
    form = data.get("form") if isinstance(data, dict) else None
    if form == "epcg certificate 1":
        raise CheckFailedError(
            "This certificate has the form 1, in which the openings show too little: issue it again from "
            "the database with this version (epcg certificate RUN)."
        )
    if form != FORM:
        raise CheckFailedError(f"This is not a certificate: its form is not '{FORM}'.")
    try:
        found = structure(Certificate, data, "certificate")
        _check_numbers(found.claims)
        seed = seed_of(found.claims)
    except (EpcgError, ValueError, RecursionError) as error:
        raise CheckFailedError(f"The certificate is malformed: {error}") from None
    if found.seed != seed:
        raise CheckFailedError("A claim was changed after it was issued: its seed is not their digest.")
    return found


def _check_numbers(claims: Claims) -> None:
    """Raise EpcgError if a number is none that a run has; time and memory are taken by them."""
    if not 0 <= claims.start < claims.stop <= _MOST:
        raise EpcgError("its ranks are none that a run has.")
    if not 1 <= claims.openings <= min(MOST_OPENINGS, claims.stop - claims.start):
        raise EpcgError(f"it opens {claims.openings:,} ranks; a certificate opens 1 to {MOST_OPENINGS:,}.")
    if claims.best is not None and not claims.start <= claims.best.rank < claims.stop:
        raise EpcgError(f"its best is at rank {claims.best.rank}, outside the run.")
    ranks = [winner.rank for winner in claims.winners]
    if len(ranks) > MOST_WINNERS or ranks != sorted(set(ranks)):
        raise EpcgError(f"its winners are more than {MOST_WINNERS:,}, or not in order.")
    if not all(claims.start <= rank < claims.stop for rank in ranks):
        raise EpcgError("a winner lies outside the run.")
    if not all(winner.role in ROLES for winner in claims.winners):
        raise EpcgError(f"the role of a winner is not one of: {', '.join(ROLES)}.")
    if not all(0 <= n <= _MOST for n in (claims.evaluated, claims.pruned, claims.excluded)):
        raise EpcgError("its sums are none that a run has.")


def as_read(claims: Claims) -> str:
    """Return what of the texts of the space was not read or is not searched, for the end of a sentence."""
    stated = claims.reading or {}
    unsearched = stated.get("unsearched") or ()
    without = tuple(map(str, unsearched)) if isinstance(unsearched, list) else ()
    about = str(Reading("", str(stated.get("unread") or ""), without))
    return f", of the content {about}" if about else ""


def to_json(certificate: Certificate) -> dict[str, Any]:
    return plain(certificate)


def seed_of(claims: Claims) -> str:
    """Digest the claims."""
    return hashlib.sha256(canonical_json(plain(claims)).encode()).hexdigest()


def opened_ranks(claims: Claims, number: int) -> list[int]:
    """Return the ranks that are opened: `number` drawn ones, the best and the winners; increasing."""
    return sorted({*drawn_with_best(claims, number), *(winner.rank for winner in claims.winners)})


def drawn_with_best(claims: Claims, number: int) -> list[int]:
    """Return the first `number` ranks drawn with the digest of the claims, and the best, increasing."""
    ranks = set(drawn_ranks(Sample(number, int(seed_of(claims), 16)), claims.start, claims.stop).tolist())
    return sorted(ranks | ({claims.best.rank} if claims.best is not None else set()))


def packed(raw: bytes) -> str:
    return base64.b64encode(zlib.compress(raw, 9)).decode()


def unpacked(text: str, most: int, name: str) -> bytes:
    """Invert `packed`. Raises CheckFailedError before more than `most` bytes are made."""
    try:
        source = zlib.decompressobj()
        raw = source.decompress(base64.b64decode(text, validate=True), most + 1)
    except (zlib.error, ValueError) as error:
        raise CheckFailedError(f"Its {name} cannot be read ({error}).") from None
    if len(raw) > most or not source.eof or source.unused_data:
        raise CheckFailedError(f"Its {name} are not what the claims require: at most {most:,} bytes.")
    return raw


def nodes_packed(nodes: Sequence[Node]) -> str:
    """Write nodes whose ranks follow from their places."""
    numbers = np.array([(node.evaluated, node.pruned) for node in nodes], "<i8").reshape(-1, 2)
    return packed(numbers.T.tobytes() + b"".join(node.digest for node in nodes))


def nodes_unpacked(text: str, layout: Layout, places: Sequence[Place], name: str) -> list[Node]:
    """Invert `nodes_packed` for nodes at these places."""
    size = _NODE * len(places)
    raw = unpacked(text, size, name)
    if len(raw) != size:
        raise CheckFailedError(f"Its {name} have {len(raw):,} bytes, not {size:,}.")
    digests = 16 * len(places)
    numbers = np.frombuffer(raw[:digests], "<i8").reshape(2, -1).T.tolist()
    found = []
    for i, (place, (evaluated, pruned)) in enumerate(zip(places, numbers, strict=True)):
        start, stop = layout.ranks(place)
        node = Node(start, stop - start, evaluated, pruned, raw[digests + 32 * i : digests + 32 * (i + 1)])
        if min(evaluated, pruned, node.excluded) < 0:
            raise CheckFailedError(f"Its {name} do not account for the ranks from {start} on.")
        found.append(node)
    return found

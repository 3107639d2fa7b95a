"""Solutions that a search finds itself, and their digest."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable

Solution = tuple[int, int, str]
"""(rank, position, actions as JSON)."""


def actions_to_bytes(actions: str) -> bytes:
    """Encode actions as the database stores them, damaged ones included."""
    return actions.encode(errors="surrogateescape")


def actions_to_text(actions: bytes) -> str:
    """Invert `to_bytes`. Invalid UTF-8 becomes a string that no search produces."""
    return actions.decode(errors="surrogateescape")


def digest(solutions: Iterable[Solution]) -> bytes:
    """Digest solutions in the order of their ranks and positions."""
    return digest_of_rows(
        (rank, position, actions_to_bytes(actions)) for rank, position, actions in solutions
    )[0]


def digest_of_rows(rows: Iterable[tuple[int, int, bytes]]) -> tuple[bytes, int]:
    """Return (digest, number) of rows (rank, position, actions) in order."""
    found, count = hashlib.sha256(b"solutions\0"), 0
    for rank, position, actions in rows:
        found.update(f"{rank}\0{position}\0{len(actions)}\0".encode() + actions)
        count += 1
    return found.digest(), count

"""Reading and writing protocol-buffer messages: numbers and byte strings, nothing else.

Strict: whatever is cut off, left over or of another wire type is an error, so that a damaged message is
never read as another one. See protobuf.dev, "Encoding".
"""

from __future__ import annotations

from collections.abc import Iterator

from epcg_core.plugin import EpcgError

NUMBER, BYTES = 0, 2
"""Wire types."""
_LONGEST_NUMBER = 10


class WireError(EpcgError):
    """A message cannot be read; the text says why and the caller puts the name of the source before it."""


def fields(message: bytes) -> Iterator[tuple[int, int | bytes]]:
    """Yield (field number, value) of each field of a message, in its order. Raises WireError."""
    at = 0
    while at < len(message):
        tag, at = _number(message, at)
        field, kind = tag >> 3, tag & 7
        if kind == NUMBER:
            value, at = _number(message, at)
            yield field, value
        elif kind == BYTES:
            length, at = _number(message, at)
            if at + length > len(message):
                raise WireError("the data ends in the middle of a field")
            yield field, message[at : at + length]
            at += length
        else:
            raise WireError(f"field {field} has the unknown wire type {kind}")


def numbers(packed: bytes) -> list[int]:
    """Read the numbers of a packed list. Raises WireError."""
    found, at = [], 0
    while at < len(packed):
        value, at = _number(packed, at)
        found.append(value)
    return found


def number_field(field: int, value: int) -> bytes:
    """Write a field that holds a number."""
    return _encoded(field << 3 | NUMBER) + _encoded(value)


def bytes_field(field: int, value: bytes) -> bytes:
    """Write a field that holds a byte string: a message, a packed list."""
    return _encoded(field << 3 | BYTES) + _encoded(len(value)) + value


def _number(message: bytes, at: int) -> tuple[int, int]:
    """Read the number that starts at `at`, seven bits a byte, lowest first; return it and where it ends."""
    value = 0
    for position in range(_LONGEST_NUMBER):
        if at + position >= len(message):
            raise WireError("the data ends in the middle of a number")
        byte = message[at + position]
        value |= (byte & 127) << (7 * position)
        if byte < 128:
            return value, at + position + 1
    raise WireError("a number is too long")


def _encoded(value: int) -> bytes:
    found = bytearray()
    while value > 127:
        found.append(value & 127 | 128)
        value >>= 7
    return bytes([*found, value])

"""The random numbers of PuzzleScript: the bytes of RC4 under a seed (section 13 of the rules)."""

from __future__ import annotations

_BYTES = 7
_LARGEST = float(2**56 - 1)


class Chance:
    """A generator of numbers from 0 to 1, by a seed."""

    def __init__(self, seed: str) -> None:
        key = bytearray()
        for character in seed or "\0":
            code = ord(character)
            key += code.to_bytes(max(1, (code.bit_length() + 7) // 8), "big")
        table, j = list(range(256)), 0
        for i in range(256):
            j = (j + table[i] + key[i % len(key)]) % 256
            table[i], table[j] = table[j], table[i]
        self._table, self._i, self._j = table, 0, 0

    def _byte(self) -> int:
        table = self._table
        self._i = (self._i + 1) % 256
        self._j = (self._j + table[self._i]) % 256
        table[self._i], table[self._j] = table[self._j], table[self._i]
        return table[(table[self._i] + table[self._j]) % 256]

    def number(self) -> float:
        """Return the next number."""
        found = 0.0
        for _ in range(_BYTES):
            found = found * 256 + self._byte()
        return found / _LARGEST

    def below(self, count: int) -> int:
        """Return floor(u * count) for the next number u, and `count` - 1 for u = 1."""
        return min(int(self.number() * count), count - 1)

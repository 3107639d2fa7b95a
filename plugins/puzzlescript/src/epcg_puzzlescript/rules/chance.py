"""The random numbers of PuzzleScript: the bytes of RC4 under a seed (section 13 of the rules), or all."""

from __future__ import annotations

from typing import Protocol

_BYTES = 7
_LARGEST = float(2**56 - 1)


class Drawing(Protocol):
    """Where an engine's random numbers come from."""

    def below(self, count: int) -> int:
        """Return a number of 0 .. `count` - 1."""


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
        self.state = [*table, 0, 0]
        """The table of 256 bytes, then the two places in it."""

    def _byte(self) -> int:
        state = self.state
        i = (state[256] + 1) % 256
        j = (state[257] + state[i]) % 256
        state[256], state[257] = i, j
        state[i], state[j] = state[j], state[i]
        return state[(state[i] + state[j]) % 256]

    def number(self) -> float:
        """Return the next number."""
        found = 0.0
        for _ in range(_BYTES):
            found = found * 256 + self._byte()
        return found / _LARGEST

    def below(self, count: int) -> int:
        """Return floor(u * count) for the next number u, and `count` - 1 for u = 1."""
        return min(int(self.number() * count), count - 1)


class Draws:
    """Draws every sequence of numbers once (a `Drawing`): an odometer whose wheels are found on the way."""

    def __init__(self) -> None:
        self._wheels: list[list[int]] = []
        self._at = 0
        self.probability = 1.0
        """The probability of the numbers that this sequence has so far."""

    def below(self, count: int) -> int:
        """Return the number of this sequence, of 0 .. count - 1, all equally likely."""
        if self._at == len(self._wheels):
            self._wheels.append([0, count])
        chosen, _ = self._wheels[self._at]
        self._at += 1
        self.probability /= count
        return chosen

    def next(self) -> bool:
        """Begin the next sequence; return False if there is none."""
        while self._wheels and self._wheels[-1][0] + 1 == self._wheels[-1][1]:
            self._wheels.pop()
        self._at, self.probability = 0, 1.0
        if not self._wheels:
            return False
        self._wheels[-1][0] += 1
        return True

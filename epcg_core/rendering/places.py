"""The places of what lies in the text of a content, and in how many of them two contents differ."""

from __future__ import annotations

from collections import Counter

Marks = frozenset[tuple[int, int, str]]
"""(line, column, letter) of everything that lies somewhere; of a text of one line, (-1, -1, word)."""


def marks(text: str) -> Marks:
    """Return what a text has at each place: (line, column, letter); of a text of one line, the words.

    Its spaces and its most frequent letter are left out.
    """
    if "\n" not in text.strip("\n"):
        return frozenset((-1, -1, word) for word in text.split())
    most, _ = Counter(text.replace("\n", "").replace(" ", "") or " ").most_common(1)[0]
    return frozenset(
        (row, column, letter)
        for row, line in enumerate(text.splitlines())
        for column, letter in enumerate(line)
        if letter not in (most, " ")
    )


def places_between(a: Marks, b: Marks) -> int:
    """Return in how many places two contents differ; of texts of one line, by how many words."""
    words = len({word for row, _, word in a - b if row < 0}), len({word for row, _, word in b - a if row < 0})
    return len({(row, column) for row, column, _ in a ^ b if row >= 0}) + max(words)


def share_between(a: Marks, b: Marks) -> float:
    """Return which share of what lies on either of two contents lies on one of them only, 0 to 1."""
    either = a | b
    return 1 - len(a & b) / len(either) if either else 0.0

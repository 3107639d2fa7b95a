"""Limits that help names, so that it is light, and how they are told."""

MOST_POSITIONS = 50_000
"""Positions of one content that a page of a site carries at most, unless it is asked for more."""
MOST_OF_PAGE, LEAST_OF_EACH = 60_000, 2_500
"""Positions that the contents of a page share unless it is asked for others, and what each has anyway."""
GIF_SIZE, GIF_MS = 480, 300
"""The pixels of the longer side of a GIF, and the time of a move."""
MOST_TOLD = 10**12
"""More positions than these are not told as a number; puzzles that are solved by writing have many more."""


def positions_in_words(number: int) -> str:
    """Return a number of positions in words."""
    return f"{number:,} positions" if number <= MOST_TOLD else "more positions than a list could hold"

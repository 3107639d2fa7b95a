"""Limits that help names, so that it is light."""

MOST_POSITIONS = 50_000
"""Positions of one content that a page of a site carries at most, unless it is asked for more."""

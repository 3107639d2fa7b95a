"""Short names of spaces and puzzles, for tables: 'domain:generator~1f2e3d4c#rank', if the params are long.

The digits are the beginning of the SHA-256 of the space's whole name, by which a database finds it
(`epcg_core.store.short_ids`). A short name means nothing without a database; records hold whole names only.
"""

from __future__ import annotations

import hashlib
import re

LONGEST = 48
"""Characters of a name that is shown as it is."""
_DIGITS = 8
_PART = r"[^\s:?#~/]+:[^\s?#~/]+"
_LONG = re.compile(rf"(?P<space>(?P<part>{_PART})\?[^\s#]*)(?P<rank>#[0-9]+)?")
_SHORT = re.compile(rf"{_PART}~[0-9a-f]{{{_DIGITS}}}(?P<rank>#[0-9]+)?")


def short(space: str) -> str:
    """Return the short name of a space, given by its name."""
    return f"{space.partition('?')[0]}~{hashlib.sha256(space.encode()).hexdigest()[:_DIGITS]}"


def shortened(text: str) -> str:
    """Return the short form of a space's name or a puzzle's id if it is long; any other text as it is."""
    if len(text) <= LONGEST:
        return text
    found = _LONG.fullmatch(text)
    return text if found is None else f"{short(found['space'])}{found['rank'] or ''}"


def is_short(text: str) -> bool:
    """Return whether a text looks like the short name of a space or puzzle."""
    return _SHORT.fullmatch(text) is not None

"""Words of dialects: PuzzleScript Plus, PuzzleScript Next, Pattern:Script.

A text of a dialect has a fault in each line that uses it, up to thousands; what it is says more than these.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from epcg_puzzlescript.language.sections import Line

_ANYWHERE: Mapping[str, re.Pattern[str]] = {
    "a section TAGS": re.compile(r"\s*tags\s*$", re.IGNORECASE),
    "a section MAPPINGS": re.compile(r"\s*mappings\s*$", re.IGNORECASE),
}
_IN_SECTIONS: Mapping[str, Mapping[str, re.Pattern[str]]] = {
    "prelude": {
        "the setting {}": re.compile(
            r"\s*(case_sensitive|runtime_metadata_twiddling\w*|mouse_\w+|local_radius|nokeyboard|"
            r"status_line|skip_title_screen|debug_switch)\b",
            re.IGNORECASE,
        )
    },
    "objects": {
        "sprites made of others ({}:)": re.compile(
            r"\s*(copy|scale|rot|flip|shift|translate|canvas|text|vector|link)\s*:", re.IGNORECASE
        )
    },
    "legend": {"names with tags ({})": re.compile(r".*?\b([a-z]\w*:[a-z]\w*)", re.IGNORECASE)},
    "rules": {
        "subroutines ({})": re.compile(r".*\b(gosub|subroutine)\b", re.IGNORECASE),
        "rules for the whole level ({})": re.compile(r"\s*(global)\b", re.IGNORECASE),
        "the command {}": re.compile(r".*\]\s*(goto|status|nosave|quit|link|set)\b", re.IGNORECASE),
        "names with tags ({})": re.compile(r".*?\[[^\]]*?\b([a-z]\w*:[a-z]\w*)", re.IGNORECASE),
    },
    "levels": {"levels that lead elsewhere ({})": re.compile(r"\s*(goto|link)\s+\S", re.IGNORECASE)},
}
TITLE = re.compile(r"\s*(section|level|title)\s+\S", re.IGNORECASE)
"""A line that names a level, or a group of them; rows of a map hold no blanks."""
_SHOWN = 4


def features(parts: Mapping[str, Sequence[Line]]) -> str:
    """Return in words which words of dialects a text has, with their lines; '' if there are none.

    Args:
        parts: the lines of each section.
    """
    found: dict[str, int] = {}
    for what, number in _found(parts):
        found.setdefault(what, number)
    listed = sorted(found.items(), key=lambda item: item[1])
    told = [f"{what} in line {number}" for what, number in listed[:_SHOWN]]
    return ", ".join(told) + (f" and {len(listed) - _SHOWN} more" if len(listed) > _SHOWN else "")


def _found(parts: Mapping[str, Sequence[Line]]) -> Iterator[tuple[str, int]]:
    for section, lines in parts.items():
        for line in lines:
            for what, pattern in _ANYWHERE.items():
                if pattern.match(line.text):
                    yield what, line.number
            for what, pattern in _IN_SECTIONS.get(section, {}).items():
                match = pattern.match(line.text)
                if match is not None:
                    yield what.format(match[1]), line.number

"""A number and its noun agree: what the pages say of one thing and of many."""

from __future__ import annotations

import re
from pathlib import Path

import epcg_workbench
import pytest
from epcg_workbench.percentiles import told

from epcg_core.editing.score import Standing
from epcg_core.plugin import counted

FOLDER = Path(epcg_workbench.__file__).parent
SOURCES = sorted([*(FOLDER / "static").glob("*.js"), *FOLDER.rglob("*.py")])
NUMBER_AND_NOUN = {".js": re.compile(r"\$\{([^{}]+)\} (\w+s)\b"), ".py": re.compile(r"\{([^{}]+)\} (\w+s)\b")}
VERBS = {"as", "has", "is", "was", "this", "holds", "gets", "ends", "serious"}
SEVERAL = {"values['most']", "conditions", "len(data):,", "len(name)", "len(found):,", "len(text):,"}
"""Numbers that are told if they are above one or above a limit."""
LIMIT = re.compile(r"MOST_\w+(:,)?|Math\.round\(number.*")
"""Limits, and times in minutes, hours or days, of which there are two or more."""


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: path.relative_to(FOLDER).as_posix())
def test_no_sentence_puts_a_number_before_a_noun_that_is_always_in_the_plural(path: Path) -> None:
    """`counted` does, which knows of one thing, too."""
    found = NUMBER_AND_NOUN[path.suffix].findall(path.read_text(encoding="utf-8"))
    assert [
        f"{number} {noun}"
        for number, noun in found
        if noun not in VERBS and number not in SEVERAL and not LIMIT.match(number)
    ] == []


def test_one_thing_and_many_have_their_nouns() -> None:
    assert [counted(number, "row") for number in (0, 1, 2, 2000)] == [
        "0 rows",
        "1 row",
        "2 rows",
        "2,000 rows",
    ]
    assert [counted(number, "is", "are") for number in (1, 21)] == ["1 is", "21 are"]


def test_one_content_is_compared_in_the_singular() -> None:
    yes = Standing(1, "fling", "boards", {}, valued=1, lower=0, equal=1, ordered=False)
    assert told(True, yes, ("board", "boards"), 1) == "Yes for all of 1 board; yes for this one."

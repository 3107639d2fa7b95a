"""How tests of factors are shown: columns, rows, and lines that say the method and what is left out."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from epcg_research.statistics import Adjustment
from epcg_research.statistics.multiple import in_words
from epcg_research.studies.factors import TOGETHER, Factors

FACTORS = ("factor", "of", "responses", "n", "Pillai", "F", "df", "df error", "p", "p adjusted")


def rows_of_factors(found: Factors) -> Iterator[list[Any]]:
    """Yield a row for each factor and all responses together, then one for each response."""
    for each in found.tested:
        test = each.test
        yield [
            each.factor, each.of, each.responses, test.n, test.value, test.f, test.df, test.df_error, test.p,
            each.adjusted,
        ]  # fmt: skip


def lines_of_factors(found: Factors, adjust: Adjustment) -> Iterator[str]:
    """Say what is asked, with which method, what is assumed, and who is left out."""
    number = len(found.responses)
    yield (
        f"Study '{found.study}': {found.people:,} people with all {number} "
        f"{'question' if found.choices else 'response'}{'s' * (number != 1)}; {found.incomplete:,} more lack "
        "one, or an answer about themselves, and are left out."
    )
    if found.choices:
        yield (
            f"A difference is the share of a person's choices of '{found.one}' minus that of the others. "
            "Their sum is one for everybody, so whether order matters more for one of the two is not asked."
        )
    else:
        yield (
            f"A difference is a person's answers to '{found.one}' minus those to '{found.other}', a mean "
            "that of both; a person counts once."
        )
    if found.scored:
        yield (
            f"Some people gave up, so {', '.join(found.scored)} are scores from 0 to 1, by how many other "
            "answers are known to have needed less or more (Gehan)."
        )
    tests = [each for each in found.tested if each.responses == TOGETHER]
    methods = dict.fromkeys(each.test.method for each in tests if each.test.value is not None)
    for method in methods:
        yield f"Pillai's trace: {method}. Assumes {tests[0].test.assumes}."
    asked = sum(each.test.p is not None for each in tests)
    yield f"Of all responses together, {in_words(adjust, asked)}; of single ones for those of each factor."
    notes = dict.fromkeys(each.test.note for each in found.tested if each.test.note)
    yield from (f"'-': {note}" for note in notes)
    yield from found.left_out
    yield from found.set_aside.told()

"""Rules of plugins by which queries keep candidates: what they choose, and what is said of wrong ones."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from epcg_core.store import Store
from epcg_core.verification.verify import verify
from tests.workplace import Numbers

RULES = '''
import numpy as np

from epcg_core import hookimpl
from epcg_core.domain import SelectionRuleInfo

EPCG_API_VERSION = 1


def spread(ranks, values, sign, count):
    """Ranks as far apart as can be."""
    return np.unique(np.linspace(0, len(ranks) - 1, count).round().astype(int))


def raises(ranks, values, sign, count):
    raise LookupError("a mistake of the author")


def twice(ranks, values, sign, count):
    return [0, 0]


def beyond(ranks, values, sign, count):
    return [len(ranks)]


@hookimpl
def epcg_register_selection_rules(register):
    for choose in (spread, raises, twice, beyond):
        register(SelectionRuleInfo(name=choose.__name__, summary="", choose=choose))
'''


@pytest.fixture
def ruled(toy: Numbers, install_plugin: Callable[..., object], monkeypatch: pytest.MonkeyPatch) -> Numbers:
    monkeypatch.setenv("EPCG_PLUGINS", "numbers,ruled")
    install_plugin("ruled", "epcg_ruled", RULES, "epcg-ruled")
    return toy


def select(keep: str, more: str = "") -> str:
    return f'[[select]]\nmetric = "digits"\nkeep = "{keep}"\ncount = 3\n{more}'


def test_a_rule_chooses_among_the_candidates_within_the_limits(ruled: Numbers) -> None:
    result = ruled.epcg("run", ruled.file("digits", more=select("spread", "min = 18")), code=0)
    assert "Kept by 'spread 3 by digits of 18 or more': 1" in result.stdout
    ruled.epcg("run", ruled.file("digits", more=select("spread")), code=0)
    kept = ruled.sql("SELECT rank FROM kept ORDER BY rank")
    assert [rank for (rank,) in kept] == [0, 50, 99]
    with Store.open(ruled.database) as store:
        assert verify(store, 1).passed


@pytest.mark.sweep(2)
@pytest.mark.parametrize(
    ("keep", "says"),
    [
        (
            "raises",
            "selection rule raises (plugin epcg-ruled 1.0) raised LookupError: a mistake of the author",
        ),
        (
            "twice",
            "selection rule twice (plugin epcg-ruled 1.0) must return different positions from 0 to 99",
        ),
        ("beyond", "must return different positions from 0 to 99"),
        ("spraed", "select 1.keep: unknown rule 'spraed'. Did you mean 'spread'?"),
    ],
)
def test_what_is_wrong_is_told(ruled: Numbers, keep: str, says: str) -> None:
    assert says in ruled.epcg("run", ruled.file("digits", more=select(keep)), code=1).stderr

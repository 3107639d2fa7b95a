"""Verification of a curriculum: a sound one passes, and every change of what it recorded is found."""

from __future__ import annotations

import pytest

from epcg_core.curriculum.build import build
from epcg_core.curriculum.plan import from_data, parse_plan
from epcg_core.curriculum.verify import verify
from epcg_core.store import Store
from tests.core.curriculum.test_build import PLAN, make, one
from tests.workplace import Numbers, epcg


@pytest.fixture
def sums(toy: Numbers) -> Numbers:
    toy.file("digits", "even", "root", "divisor", name="sums")
    return toy


def failed(toy: Numbers, number: int = 1) -> dict[str, str]:
    with Store.open(toy.database) as store:
        return {check.name: check.detail for check in verify(store, number) if not check.passed}


def test_a_plan_is_made_again_of_its_data(sums: Numbers) -> None:
    plan = parse_plan(PLAN, folder=sums.folder)
    assert from_data(plan.resolved()).resolved() == plan.resolved()


@pytest.mark.sweep(2)
@pytest.mark.parametrize(
    "text",
    [
        PLAN,
        one(strategy='{ name = "evenly", differ_by = "symmetry_class" }', ties="scattered"),
        one(strategy='{ name = "evenly", apart = 0.3 }', more='once = ["root"]\ndescription = "Read."'),
        PLAN.replace('query = "sums.toml"', "run = 1"),
    ],
    ids=["queries", "classes", "apart", "runs"],
)
def test_a_sound_curriculum_passes(sums: Numbers, text: str) -> None:
    sums.run(sums.text("digits", "even", "root", "divisor", name="sums"))
    make(text, sums)
    assert failed(sums) == {}


def test_a_source_in_sql_that_gives_other_candidates_is_named(sums: Numbers) -> None:
    sums.run(sums.text("root", size=30))
    source = 'sql = "SELECT puzzle, rank AS rank FROM kept"'
    sums.run(sums.text("root", size=30, more='[[select]]\nmetric = "root"\ncount = 5'))
    with Store.open(sums.database, write=True) as store:
        build(parse_plan(one(source=source, measure="rank", count=2)), store)
    assert failed(sums) == {}
    sums.run(sums.text("root", size=30, more='[[select]]\nmetric = "root"\ncount = 6'))
    found = failed(sums)
    assert set(found) == {"curriculum"}
    assert "'one'" in found["curriculum"]
    assert "its source gives other candidates than recorded" in found["curriculum"]


def test_an_older_run_of_the_curriculum(sums: Numbers) -> None:
    make(PLAN, sums)
    sums.change("UPDATE run SET digest = 'other'")
    assert failed(sums)["sources"] == "Run 1, which it was chosen from, has changed since."


def test_the_command(sums: Numbers) -> None:
    make(PLAN, sums)
    said = epcg("curriculum", "verify", "digits").stdout
    assert "chooses the same 8 puzzles" in said
    assert "Not covered: times, " in said
    sums.change("UPDATE puzzle SET state = 'number 5' WHERE rank = 6")
    result = epcg("curriculum", "verify", "digits", code=4)
    assert "Curriculum 1 is not what it claims: 1 of 8 checks failed (curriculum)." in result.stderr

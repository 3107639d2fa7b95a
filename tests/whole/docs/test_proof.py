"""The page on proofs claims what the code's list says, and the checks that are made are those of the list."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from epcg_research.certificate.shown import SHOWN_BY_CERTIFICATE

from epcg_core.verification.claims import SHOWN, TRUSTED
from tests.workplace import Workplace

PAGE = (Path(__file__).parents[3] / "docs" / "explanations" / "proof.md").read_text(encoding="utf-8")
ROW = re.compile(r"^\| (.+?) \| (.+?) \|$", re.MULTILINE)


def test_the_page_claims_what_the_list_says() -> None:
    tables = re.findall(r"\| check \| what it shows \|\n\|---\|---\|\n((?:\|.*\|\n)+)", PAGE)
    assert [dict(ROW.findall(table)) for table in tables] == [SHOWN, SHOWN_BY_CERTIFICATE]


def test_the_page_names_what_is_trusted() -> None:
    part = PAGE[PAGE.index("## What is taken on trust") :]
    assert re.findall(r"^- (.+)$", part[: part.index("\n## ")], re.MULTILINE) == list(TRUSTED)


NUMBERS = """
domain = "numbers"
evaluators = [{ name = "digits" }]
generator = { name = "range", size = 60 }
"""


def test_the_checks_that_are_made_are_those_of_the_list(bench: Workplace) -> None:
    from epcg_research.certificate import certify, check_certificate

    from epcg_core.store import Store
    from epcg_core.verification.verify import verify

    run = bench.run(NUMBERS).goal
    with Store.open(bench.database) as store:
        made = {check.name for check in verify(store, run.id, 5).checks}
        data = certify(store, run.id, sample=5)
        certified = {c.name for c in check_certificate(data, store)} - made
        certified |= {c.name for c in check_certificate(data, None, recompute=0.5)}
    assert made == SHOWN.keys() - {"optimality", "imported"}
    assert certified == set(SHOWN_BY_CERTIFICATE)


@pytest.mark.parametrize("kind", ["optimality", "imported"])
def test_checks_of_other_kinds_of_runs_are_in_the_code(kind: str) -> None:
    source = Path(__file__).parents[3] / "epcg_core" / "verification" / "verify.py"
    assert f'make_check("{kind}"' in source.read_text(encoding="utf-8")

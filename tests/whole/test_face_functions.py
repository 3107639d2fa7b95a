"""Commands of the faces print what the functions return that they add to `epcg_core`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from epcg_testing import LAWS

import epcg_core
from epcg_core import EpcgError
from tests.workplace import Numbers, epcg

BOARD = "fling:boards?height=4&pieces=2&width=4#8"
faces: Any = epcg_core
"""Faces add functions by names that type checkers do not know."""


@pytest.fixture
def answered(toy: Numbers) -> Numbers:
    """A database with run 1."""
    epcg_core.answer(str(toy.file("digits", "even", size=60)), db=toy.database, executor="serial")
    return toy


@pytest.mark.parametrize("ending", ["csv", "json"])
def test_an_export_is_the_file_that_the_command_writes(answered: Numbers, ending: str) -> None:
    found = faces.export(1, f"a.{ending}", metrics=["digits"], where="digits > 5", puzzle_ids=True)
    wanted = ("--metric", "digits", "--where", "digits > 5", "--puzzle-ids")
    epcg("export", 1, "--output", f"b.{ending}", *wanted)
    assert Path(f"a.{ending}").read_bytes() == Path(f"b.{ending}").read_bytes()
    assert found.json() == {"run": 1, "rows": found.rows, "format": ending, "output": f"a.{ending}"}
    assert 0 < found.rows < 60
    assert (
        epcg("export", 1, *wanted, "--json").stdout == epcg("export", 1, *wanted, "--format", "json").stdout
    )


def test_what_cannot_be_exported_is_told(answered: Numbers) -> None:
    with pytest.raises(EpcgError, match="the ending of no format"):
        faces.export(1, "a.xlsx")
    with pytest.raises(EpcgError, match="no folder"):
        faces.export(1, "none/a.csv")
    with pytest.raises(EpcgError, match="A partition is for Parquet"):
        faces.export(1, "a", format="csv", partition=5)
    with pytest.raises(EpcgError, match="run must be an integer"):
        faces.export("1", "a.csv")


def test_a_certificate_is_what_the_command_prints(answered: Numbers) -> None:
    told: list[tuple[str, int, int]] = []
    found = faces.certificate(1, sample=10, progress=lambda *state: told.append(state))
    assert found.json() == json.loads(epcg("certificate", 1, "--sample", 10).stdout)
    assert found.claims["evaluated"] == 60
    assert told
    assert found.claims["digest"] in str(found)
    found.save("run.json")
    checks = faces.check_certificate("run.json")
    assert all(check.passed for check in checks)
    assert epcg_core.verify("run.json", seed=1).json() == json.loads(
        epcg("verify", "run.json", "--seed", 1, "--json").stdout
    )


def test_reproductions_are_what_the_commands_print(reader: Path) -> None:
    assert faces.publications().json() == json.loads(epcg("reproduce", "list", "--json").stdout)
    told: list[tuple[str, int, int]] = []
    found = faces.reproduce("2013-fling/text", progress=lambda *state: told.append(state))
    assert told == [("2013-fling/text", 0, 1)]
    printed = epcg("reproduce", "run", "2013-fling/text", "--quiet")
    again = faces.reproduce("2013-fling/text")
    assert str(again).split() == [*printed.stdout.split(), *printed.stderr.split()]
    written = epcg("reproduce", "run", "2013-fling/text", "--json", "--quiet").stdout
    assert again.json() == json.loads(written)
    assert found.unexplained == []
    assert len(found.table()) == sum(len(result.rows) for result in found.results) > 0
    assert len(found.claim_table()) == len(found.claims) > 0
    with pytest.raises(EpcgError, match="2013-fling/text"):
        faces.reproduce("2013-fling/txt")


@pytest.mark.slow
def test_an_archive_says_what_it_lacks(answered: Numbers) -> None:
    found = faces.bundle(1, "a.zip", sample=10)
    printed = json.loads(epcg("bundle", 1, "--output", "a.zip", "--sample", 10, "--json").stdout)
    assert found.json() == printed
    assert Path("a.zip").is_file()


def test_a_shared_page_is_the_file_that_the_command_writes(reader: Path) -> None:
    found = faces.share(BOARD, "a.html", title="Two balls")
    printed = epcg("share", BOARD, "--output", "a.html", "--title", "Two balls", "--json").stdout
    assert found.json() == json.loads(printed)
    assert found.page.html == Path("a.html").read_bytes()
    assert "a.html has 1 puzzle" in str(found)


def test_laws_are_a_report(toy: Numbers) -> None:
    law = LAWS[0].name
    told: list[str] = []
    found = faces.check("numbers", laws=[law], told=lambda outcome: told.append(outcome.law.name))
    assert told == [law]
    assert found.json() == json.loads(epcg("check", "numbers", "--law", law, "--json", code=None).stdout)
    assert found.table().column("law").tolist() == [law]
    assert found.passed == (found.outcomes[0].status != "broken")


PLAY = "puzzle,person,rating\n1#1,ann,3\n1#2,ann,4\n1#1,bob,5\n"
VOTES = "person,better,worse\nann,1#1,1#2\nbob,1#2,1#1\n"


def test_what_people_did_is_brought_in_as_by_the_commands(answered: Numbers) -> None:
    Path("play.csv").write_text(PLAY, encoding="utf-8")
    Path("votes.csv").write_text(VOTES, encoding="utf-8")
    found = faces.import_responses("play.csv", puzzle="puzzle", person="person", responses=["rating:1..5"])
    wanted = ("--puzzle", "puzzle", "--person", "person", "--response", "rating:1..5", "--replace")
    assert found.json() == json.loads(epcg("import", "responses", "play.csv", *wanted, "--json").stdout)
    assert found.json() == {"study": "play", "answers": 3, "people": 2, "puzzles": 2}
    assert epcg("import", "responses", "play.csv", *wanted).stderr.strip() == str(found)
    choices = faces.import_choices("votes.csv", person="person", chosen="better", other="worse")
    wanted = ("--person", "person", "--chosen", "better", "--other", "worse", "--replace")
    assert choices.json() == json.loads(epcg("import", "choices", "votes.csv", *wanted, "--json").stdout)
    with pytest.raises(EpcgError, match="one character is expected"):
        faces.import_choices("votes.csv", person="person", chosen="better", other="worse", separator="::")
    with pytest.raises(EpcgError, match="no file"):
        faces.import_traces("none.json")

"""`check_domain`, `epcg check`, the declaration and the test class."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import attrs
import pytest
from epcg_testing import LAWS, Conformance, Report, check_domain
from epcg_testing.apart import check_apart
from epcg_testing.check import chosen, subject_of
from epcg_testing.declaration import DeclaredPart, DeclaredSpace, declared, read
from epcg_testing.report import judge
from epcg_testing.subject import SAMPLES, plain_score, sample
from epcg_testing.violations import Case

from epcg_core.base.errors import CandidateError, ParamsError, PluginError, UnknownNameError
from epcg_core.domain import Metric
from tests.faces import only
from tests.forks.forked import PYTEST, epcg_forked, python_forked
from tests.testing.conftest import Check
from tests.workplace import Numbers


@cache
def of_numbers(samples: int = 100) -> Report:
    """The report of the toy domain, checked once a process; tests ask for `toy`, too."""
    return check_domain("numbers", conformance=Conformance("numbers"), samples=samples)


def test_an_undeclared_domain_is_checked_as_far_as_its_defaults_go(toy: Numbers) -> None:
    report = of_numbers()
    outcomes = {outcome.law.name: outcome for outcome in report.outcomes}
    assert outcomes["arrays-equal-evaluate"].status == "kept"
    assert outcomes["play-repeats"].status == "not applicable"
    assert outcomes["play-repeats"].reason == "the generator offers no transition_model"
    # the evaluator `fails` raises at the number 13, and the params of `range` are what they should be
    assert "fails, rank 13: it raised ValueError: 13 brings bad luck (epcg_toy.py:" in str(report)
    assert "numbers" in report.summary()


def test_an_evaluator_that_raises_breaks_one_law(toy: Numbers) -> None:
    """The others cannot be checked because of it, and say which law tells of it."""
    report = of_numbers()
    raising = [o for o in report.broken if any("13 brings bad luck" in v.what for v in o.violations)]
    assert [outcome.law.name for outcome in raising] == ["values-fit-metrics"]
    assert str(report).count("13 brings bad luck") == 1
    stopped = [outcome for outcome in report.outcomes if outcome.status == "not checked"]
    assert {"evaluators-repeat", "classes-hold-like-states"} <= {outcome.law.name for outcome in stopped}
    assert all(outcome.stopped == ("values-fit-metrics",) for outcome in stopped)
    assert "of which values-fit-metrics tells" in stopped[0].reason
    assert f"{len(stopped)} not checked because of an exception" in report.summary()


def test_the_counterexample_is_the_smallest(check_rows: Check) -> None:
    report = check_rows("rows.py", "        return int(self.prefixes.space.rank(row))",
                        "        return int(self.prefixes.space.rank(row)) + (sum(row) > 9)",
                        laws=["rank-inverts-unrank"], samples=3)  # fmt: skip
    (outcome,) = report.broken
    (violation,) = outcome.violations
    assert violation.rank == 15  # the row 1, 4, 5 is the first whose cells add up to more than 9
    assert (violation.expected, violation.got) == ("15", "16")


def test_a_capability_that_is_lost_is_noticed(check_rows: Check) -> None:
    law = "fused-equals-evaluate"
    kept = check_rows(
        "rows.toml", 'domain = "rows"', f'domain = "rows"\ncapabilities = ["{law}"]', laws=[law]
    )
    assert kept
    spaces = tuple(DeclaredSpace(name, evaluators=(DeclaredPart("gaps"),)) for name in ("all", "edited"))
    lost = check_domain(
        "rows",
        conformance=Conformance("rows", (law,), spaces),
        laws=[law],
    )
    assert not lost
    assert "declared among the capabilities, but does not apply" in str(lost)


def test_a_rule_that_may_mislead_is_told_and_not_asked(check_rows: Check) -> None:
    law = "rules-keep-a-solution"
    text = 'rules = [{ name = "stuck", misleads = "as published" }]\nstates = 22'
    report = check_rows("rows.toml", "states = 22", text, laws=[law])
    assert "as published" in report.outcomes[0].reason


def test_a_space_that_repeats_content_on_purpose_is_told_and_not_asked(check_rows: Check) -> None:
    law = "states-occur-once"
    copies = ("walks.py", "if rank >> cell & 1)", "if rank % 21 >> cell & 1)")
    assert not check_rows(*copies, laws=[law])
    conformance = declared("rows")
    spaces = [
        attrs.evolve(space, repeats="each row is twice in the book")
        if space.generator == "subsets"
        else space
        for space in conformance.spaces
    ]
    report = check_domain("rows", laws=[law], conformance=attrs.evolve(conformance, spaces=tuple(spaces)))
    assert report, str(report)
    assert "each row is twice in the book" in report.outcomes[0].reason


def test_a_law_that_compares_states_says_how_many(check_rows: Check) -> None:
    """Twenty-two changed rows, eleven walks, 64 subsets, seven of an editor; those of 14 cells in part."""
    law = "states-occur-once"
    report = check_rows(laws=[law])
    assert "no two ranks have the same content (104 of 104 states compared)" in str(report)
    assert report.data()[0]["compared"] == [104, 104]
    large = Conformance("rows", spaces=(DeclaredSpace("subsets", {"cells": 14}),))
    report = check_domain("rows", laws=[law], conformance=large)
    assert "(2,040 of 16,424 states compared)" in str(report)


def test_names_are_checked(toy: Numbers) -> None:
    with pytest.raises(UnknownNameError, match=r"unknown domain 'number'. Did you mean 'numbers'?"):
        check_domain("number")
    with pytest.raises(UnknownNameError, match="Did you mean 'rank-inverts-unrank'"):
        check_domain("numbers", laws=["rank-inverts-unranks"])


@pytest.mark.parametrize(
    ("text", "kind", "message"),
    [
        ("domain = 5", ParamsError, "conformance.toml.domain: 5 is not a string"),
        ('domain = "x"\nspace = []', UnknownNameError, "unknown key 'space'. Did you mean 'spaces'?"),
        ("domain = ", PluginError, "is not valid TOML"),
        ('domain = "x"\n[[spaces]]\nstates = 2', ParamsError, "the key 'generator' is missing"),
    ],
)
def test_a_declaration_is_checked(tmp_path: Path, text: str, kind: type[Exception], message: str) -> None:
    file = tmp_path / "conformance.toml"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(kind, match=message.replace("?", r"\?")):
        read(file)


def test_files_beside_the_declaration_are_named_by_here(tmp_path: Path) -> None:
    file = tmp_path / "conformance.toml"
    file.write_text('domain = "x"\n[[spaces]]\ngenerator = "g"\nparams = { path = "{here}/a.txt" }\n')
    assert read(file).spaces[0].params == {"path": f"{tmp_path}/a.txt"}


def test_what_nobody_declares_is_empty(toy: Numbers) -> None:
    assert declared("numbers") == Conformance("numbers")


@pytest.mark.parametrize("size", [0, 1, 5, 48, 49, 1000, 10**30])
def test_samples_are_ascending_and_hold_both_ends(size: int) -> None:
    ranks = sample(size, 48)
    assert list(ranks) == sorted(set(ranks))
    assert len(ranks) <= 48
    assert not size or (ranks[0], ranks[-1]) == (0, size - 1)


def test_the_command_line_tells_what_is_broken(check_rows: Check, tmp_path: Path) -> None:
    check_rows(laws=["parts-load"])
    law = "rank-inverts-unrank"
    ran = epcg_forked("check", "rows", "--law", law, "--json", folder=tmp_path)
    assert ran.returncode == 0, ran.stderr
    (told,) = json.loads(ran.stdout)["laws"]
    assert (told["law"], told["status"]) == (law, "kept")


def test_the_command_line_exits_with_4(toy: Numbers) -> None:
    ran = epcg_forked("check", "numbers", "--law", "values-fit-metrics", "--samples", 100, folder=toy.folder)
    assert ran.returncode == 4
    assert "13 brings bad luck" in ran.stdout
    assert "The domain numbers breaks 1 of its laws: values-fit-metrics." in ran.stderr
    assert "Traceback" not in ran.stderr


def test_a_line_tells_each_law_as_it_ends(toy: Numbers) -> None:
    names = ["ranks-are-exact", "canonical-rank-is-lowest"]
    told: list[str] = []
    report = check_apart("numbers", laws=names, samples=3, told=lambda outcome: told.append(outcome.law.name))
    assert told == names == [outcome.law.name for outcome in report.outcomes]
    options = [each for law in names for each in ("--law", law)]
    ran = epcg_forked("check", "numbers", "--json", *options, folder=toy.folder)
    assert [line.split()[:2] for line in ran.stderr.splitlines()] == [["kept", name] for name in names]
    assert [law["law"] for law in json.loads(ran.stdout)["laws"]] == names


@pytest.mark.usefixtures("interruptible")
def test_an_interrupted_check_says_where_it_was(toy: Numbers, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(case: Case, seconds: float) -> Any:
        if case.where.endswith("by slow"):
            os.kill(os.getppid(), signal.SIGINT)
            time.sleep(60)
        return None, 0

    monkeypatch.setattr(Case, "violation", interrupted)
    with pytest.raises(KeyboardInterrupt) as interrupt:
        check_apart("numbers", laws=["values-fit-metrics"])
    (told,) = interrupt.value.__notes__
    assert told.startswith("The check of the law values-fit-metrics was at numbers:range")
    assert told.endswith(" by slow.")


HANGS = """\
        import re
        if len(row) == 3:
            re.match("(a+)+$", "a" * 60 + "b")
"""


def test_a_part_that_never_answers_breaks_one_law_and_is_left_out(check_rows: Check) -> None:
    """Not even to a signal, as in compiled code. The others are asked, and it is not asked again."""
    laws = ["values-fit-metrics", "evaluators-repeat"]
    gaps = "        gaps = [after - before"
    check_rows("rows.py", gaps, f"{HANGS}{gaps}", laws=["parts-load"])
    report = check_apart("rows", laws=laws, patience=0.3)
    (outcome,) = report.broken
    (violation,) = outcome.violations
    assert outcome.law.name == "values-fit-metrics"
    assert violation.where.endswith(" by gaps")
    assert violation.what == "a part gave no answer within 0.3 s of CPU time: it must return"
    assert all(each.cases > 4 for each in report.outcomes), "the other parts are asked"


def test_a_law_asks_one_state_of_each_part_when_its_time_is_spent(toy: Numbers) -> None:
    (outcome,) = check_apart(
        "numbers", laws=["values-fit-metrics"], samples=100, seconds=1e-9, patience=60.0
    ).outcomes
    assert 0 < outcome.unfinished < outcome.cases, "some have one state to ask only"
    assert not outcome.violations, "the evaluator `fails` raises at the number 13"
    assert f"({outcome.unfinished} of {outcome.cases} parts in part: its time was spent)" in outcome.line(20)


@pytest.mark.slow
@pytest.mark.parametrize(
    "conformance",
    [
        Conformance(
            "sliding",
            spaces=(
                DeclaredSpace("boards", {"rows": 2, "columns": 2}),
                DeclaredSpace("contents", {"contents": ["1 2 / 3 0"]}),
                DeclaredSpace("changes", {"content": "1 2 / 3 0"}),
            ),
        ),
        pytest.param(None, marks=pytest.mark.slow),
    ],
    ids=["2 by 2", "as declared"],
)
def test_tables_that_an_evaluator_requires_are_computed(conformance: Conformance | None) -> None:
    """Of sliding tiles, `shortest_solution` reads recorded depths, and cannot score without them."""
    found = subject_of("sliding", conformance=conformance)
    laws = chosen(["every-part-is-looked-at", "values-fit-metrics"])
    report = Report("sliding", tuple(judge(law, found) for law in laws))
    assert report, str(report)
    required = [scored.info.name for space in found.spaces for scored in space.evaluators if scored.tables]
    assert required


SUITE = """
from epcg_testing import DomainConformance

class TestNumbers(DomainConformance):
    domain = "numbers"
"""


@pytest.mark.slow
@pytest.mark.parametrize("samples", [20, pytest.param(SAMPLES, marks=pytest.mark.slow)])
def test_the_class_has_a_test_for_each_law(toy: Numbers, samples: int) -> None:
    own = "" if samples == SAMPLES else f"    samples = {samples}\n"
    (toy.folder / "test_numbers.py").write_text(SUITE + own, encoding="utf-8")
    ran = python_forked(PYTEST, "-q", "-p", "no:cacheprovider", "-rsf", "test_numbers.py", folder=toy.folder)
    test = "FAILED test_numbers.py::TestNumbers::test_law"
    failed = [law.name for law in LAWS if f"{test}[{law.name}]" in ran.stdout]
    assert failed == [o.law.name for o in of_numbers(samples).broken]
    assert "the SVG has no size" in ran.stdout
    assert "the generator offers no transition_model" in ran.stdout


@pytest.mark.slow
def test_the_kit_needs_no_pytest_to_be_imported() -> None:
    found = subprocess.run(
        [sys.executable, "-c", "import sys; from epcg_testing import *; print('pytest' in sys.modules)"],
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert found.stdout.split() == ["False"]


def test_laws_say_what_they_are() -> None:
    assert len({law.name for law in LAWS}) == len(LAWS)
    for law in LAWS:
        assert law.statement
        assert not law.statement.endswith(".")
        assert law.hint.endswith(".")


GUEST = """
from epcg_core import hookimpl
from epcg_core.difficulty import Answer
from epcg_core.domain import EvaluatorInfo, InferenceRuleInfo, Metric

EPCG_API_VERSION = 1

class Wrong:
    metrics = (Metric("wrong"),)

    def evaluate(self, row):
        return ("wrong",)

@hookimpl
def epcg_register_inference_rules(register):
    register(InferenceRuleInfo(
        name="never", domain="rows", summary="", factory=lambda p, g: lambda state, action: Answer.CANNOT))

@hookimpl
def epcg_register_evaluators(register):
    register(EvaluatorInfo(
        name="wrong", domain="rows", summary="", metrics=Wrong.metrics, factory=lambda p, g, t: Wrong()))
"""


def test_parts_of_another_plugin_are_looked_at_on_demand(
    check_rows: Check, install_plugin: Callable[[str, str, str, str], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A guest's mistakes are not the domain's."""
    install_plugin("guest", "epcg_guest", GUEST, "epcg-guest")
    monkeypatch.setenv("EPCG_PLUGINS", only("rows", "guest"))
    laws = ["every-part-is-looked-at", "values-fit-metrics", "rules-keep-a-solution", "params-errors"]
    report = check_rows(laws=laws)
    assert report, str(report)
    skips = {skip.where: skip.reason for outcome in report.outcomes for skip in outcome.skipped}
    assert skips["inference rule never"] == "it is of epcg-guest: `epcg check rows --plugin` looks at it"
    report = check_domain("rows", plugin="guest", laws=laws)
    assert [outcome.law.name for outcome in report.broken] == ["values-fit-metrics", "rules-keep-a-solution"]
    assert "rule never" in str(report)
    assert "by gaps" not in str(report)
    with pytest.raises(UnknownNameError, match=r"unknown plugin 'gest'. Did you mean 'guest'\?"):
        check_domain("rows", plugin="gest")


def test_a_candidate_that_cannot_be_measured_breaks_no_law() -> None:
    """The contract allows evaluators to say so; it is a score of its own, equal to itself."""

    class Measured:
        metrics = (Metric("size"),)

        def evaluate(self, state: int) -> tuple[int]:
            if state == 3:
                raise CandidateError("3 cannot be measured")
            return (state,)

    assert plain_score(Measured(), 3) == plain_score(Measured(), 3)
    assert plain_score(Measured(), 3) != plain_score(Measured(), 2)


@pytest.mark.slow
def test_what_a_part_prints_is_no_answer_of_the_other_process(check_rows: Check) -> None:
    made = "self.max_rank = comb(params.cells, params.pegs)"
    report = check_rows("rows.py", made, f"{made}\n        print('made')", laws=["processes-agree"])
    assert report, str(report)


def test_goals_lie_on_the_lowest_layer(check_rows: Check) -> None:
    """Retrograde analysis asks no state above it whether it is a goal."""
    goals = ("rows.py", "        return len(row) == 1\n", "        return len(row) in (1, 2)\n")
    report = check_rows(*goals, laws=["actions-lead-down"])
    assert "is_goal above the lowest layer\n    expected False\n    got      True" in str(report)


def test_a_transcript_ends_at_its_first_goal(check_rows: Check) -> None:
    goals = ("rows.py", "        return len(row) == 1\n", "        return True\n")
    report = check_rows(*goals, laws=["transcripts-of-play"])
    (violation,) = next(outcome.violations for outcome in report.broken)
    assert "action 1 of [" in violation.what
    assert violation.got == "[]"

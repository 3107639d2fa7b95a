"""Each law catches the mistake that it is meant for, and names it."""

from __future__ import annotations

import pytest
from epcg_testing import LAWS, Report

from tests.testing.conftest import Check
from tests.testing.faults import FAULTS, Fault

FIRST = {fault.law: fault for fault in reversed(FAULTS)}
"""The first mistake against each law; the slow test makes all of them."""


def name_of(fault: Fault) -> str:
    return f"{fault.law}-{fault.name}" if fault.name else fault.law


def test_every_law_has_a_mistake() -> None:
    assert {fault.law for fault in FAULTS} == {law.name for law in LAWS}


def test_a_sound_domain_keeps_every_law(check_rows: Check) -> None:
    report = check_rows()
    assert report, str(report)
    assert [o.law.name for o in report.outcomes if o.status != "kept"] == []
    assert len(report.outcomes) == len(LAWS)


@pytest.mark.parametrize(
    ("file", "asked"),
    [
        ("rows.py", "    def actions(self, row: Row) -> Iterator[Jump]:\n"),
        ("walks.py", "    def actions(self, row: Row) -> list[int]:\n"),
    ],
)
def test_no_law_asks_a_goal_for_its_actions(check_rows: Check, file: str, asked: str) -> None:
    """The contract says that it is not asked."""
    refuses = f'{asked}        assert not self.is_goal(row), "a goal was asked for its actions"\n'
    report = check_rows(file, asked, refuses)
    assert report, str(report)


def assert_caught(report: Report, fault: Fault, asked: set[str]) -> None:
    """Of the laws that were asked these are broken, and the message of the fault's own law names it."""
    broken = {outcome.law.name: outcome for outcome in report.broken}
    assert set(broken) == asked, "\n".join(o.message() for o in report.broken)
    message = broken[fault.law].message()
    assert fault.says in message, message
    assert broken[fault.law].law.hint.split()[0] in message


@pytest.mark.parametrize("fault", FIRST.values(), ids=name_of)
def test_a_mistake_is_caught_by_its_law(check_rows: Check, fault: Fault) -> None:
    """The laws that it is not against are asked by the slow test below, and here of the sound domain.

    So is the law that starts a process, unless the mistake is against it.
    """
    asked = {fault.law, *fault.entails} - ({"processes-agree"} - {fault.law})
    report = check_rows(fault.file, fault.old, fault.new, laws=sorted(asked))
    assert_caught(report, fault, asked)


@pytest.mark.slow
@pytest.mark.parametrize("fault", FAULTS, ids=name_of)
def test_a_mistake_breaks_no_other_law(check_rows: Check, fault: Fault) -> None:
    assert_caught(check_rows(fault.file, fault.old, fault.new), fault, {fault.law, *fault.entails})

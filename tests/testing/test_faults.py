"""Each law catches the mistake that it is meant for, and names it."""

from __future__ import annotations

import pytest
from epcg_testing import LAWS

from tests.testing.conftest import Check
from tests.testing.faults import FAULTS, Fault

FIRST = {fault.law: fault for fault in reversed(FAULTS)}
"""The first mistake against each law; the others are slow tests."""


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


@pytest.mark.parametrize(
    "fault",
    [pytest.param(f, marks=() if f is FIRST[f.law] else pytest.mark.slow, id=name_of(f)) for f in FAULTS],
)
def test_a_mistake_is_caught_by_its_law(check_rows: Check, fault: Fault) -> None:
    """The laws that it is not against are asked by the slow test below, and here of the sound domain.

    So is the law that starts a process, unless the mistake is against it.
    """
    asked = {fault.law, *fault.entails} - ({"processes-agree"} - {fault.law})
    report = check_rows(fault.file, fault.old, fault.new, laws=sorted(asked))
    broken = {outcome.law.name: outcome for outcome in report.broken}
    assert set(broken) == asked, "\n".join(o.message() for o in report.broken)
    message = broken[fault.law].message()
    assert fault.says in message, message
    assert broken[fault.law].law.hint.split()[0] in message


@pytest.mark.slow
@pytest.mark.parametrize("fault", FAULTS, ids=name_of)
def test_a_mistake_breaks_no_other_law(check_rows: Check, fault: Fault) -> None:
    report = check_rows(fault.file, fault.old, fault.new)
    assert {outcome.law.name for outcome in report.broken} == {fault.law, *fault.entails}

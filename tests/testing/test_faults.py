"""Each law catches the mistake that it is meant for, and names it."""

from __future__ import annotations

import pytest
from epcg_testing import LAWS

from tests.testing.conftest import Check
from tests.testing.faults import FAULTS, Fault

FIRST = {fault.law: fault for fault in reversed(FAULTS)}
"""The first mistake against each law; the slow test makes all of them."""
LONG = ("searches-hold", "processes-agree")
"""Laws that take more than half a second."""
QUICK = tuple(law.name for law in LAWS if law.name not in LONG)
COSTLY = (*LONG, "parts-are-guests")
"""Laws that start a process or run queries: with them a check of a mistake takes four times as long."""
WHOLE = tuple({fault.file: fault for fault in reversed(FAULTS)}.values())
"""A mistake in each file: of these the slow tests ask also what is costly, of the others the nightly ones."""


def name_of(fault: Fault) -> str:
    return f"{fault.law}-{fault.name}" if fault.name else fault.law


def test_every_law_has_a_mistake() -> None:
    assert {fault.law for fault in FAULTS} == {law.name for law in LAWS}


@pytest.mark.slow
def test_a_sound_domain_keeps_every_law(check_rows: Check) -> None:
    report = check_rows()
    assert report, str(report)
    assert [o.law.name for o in report.outcomes if o.status != "kept"] == []
    assert len(report.outcomes) == len(LAWS)


@pytest.mark.slow
@pytest.mark.parametrize("laws", [QUICK, pytest.param(None, marks=pytest.mark.slow)], ids=["quick", "all"])
@pytest.mark.parametrize(
    ("file", "asked"),
    [
        ("rows.py", "    def actions(self, row: Row) -> Iterator[Jump]:\n"),
        pytest.param("walks.py", "    def actions(self, row: Row) -> list[int]:\n", marks=pytest.mark.slow),
    ],
)
def test_no_law_asks_a_goal_for_its_actions(
    check_rows: Check, file: str, asked: str, laws: tuple[str, ...] | None
) -> None:
    """The contract says that it is not asked: also a domain that refuses keeps every law."""
    refuses = f'{asked}        assert not self.is_goal(row), "a goal was asked for its actions"\n'
    report = check_rows(file, asked, refuses, laws=laws)
    assert report, str(report)
    assert [o.law.name for o in report.outcomes if o.status != "kept"] == []


@pytest.mark.sweep(15)
@pytest.mark.parametrize(
    "fault",
    [
        pytest.param(fault, id=name_of(fault), marks=[pytest.mark.slow] if fault.law in LONG else [])
        for fault in FIRST.values()
    ],
)
def test_a_mistake_is_caught_by_its_law(check_rows: Check, fault: Fault) -> None:
    """The law is asked alone, as an exception breaks the first law that meets it, and others are not checked.

    The laws that it is not against are asked by the slow test below, and here of the sound domain.
    """
    (outcome,) = check_rows(fault.file, fault.old, fault.new, laws=[fault.law]).broken
    assert outcome.law.name == fault.law
    message = outcome.message()
    assert fault.says in message, message
    assert outcome.law.hint.split()[0] in message


@pytest.mark.sweep(0, slow=45)
@pytest.mark.parametrize("fault", [fault for fault in FAULTS if fault not in WHOLE], ids=name_of)
def test_a_mistake_breaks_no_other_cheap_law(check_rows: Check, fault: Fault) -> None:
    """Costly laws are asked if the mistake breaks them."""
    broken = {fault.law, *fault.entails}
    breaks_no_other(
        check_rows, fault, [law.name for law in LAWS if law.name in broken or law.name not in COSTLY]
    )


@pytest.mark.parametrize(
    "fault",
    [
        pytest.param(
            fault, id=name_of(fault), marks=pytest.mark.slow if fault in WHOLE else pytest.mark.nightly
        )
        for fault in FAULTS
    ],
)
def test_a_mistake_breaks_no_other_law(check_rows: Check, fault: Fault) -> None:
    breaks_no_other(check_rows, fault, None)


def breaks_no_other(check_rows: Check, fault: Fault, laws: list[str] | None) -> None:
    """Of the laws these are broken, or not checked, because of an exception that another law tells."""
    report = check_rows(fault.file, fault.old, fault.new, laws=laws)
    messages = [outcome.message() for outcome in report.broken]
    met = {o.law.name: o for o in report.outcomes if o.status in ("broken", "not checked")}
    assert set(met) == {fault.law, *fault.entails}, "\n".join(messages)
    told = {outcome.law.name for outcome in report.broken}
    assert all(told.issuperset(outcome.stopped) for outcome in met.values())
    if fault.law in told:
        assert any(fault.says in message for message in messages), messages

"""Laws, and what becomes of them: kept, broken or not applicable, in sentences that say how to mend it."""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Iterator
from typing import Any, Literal

import attrs

from epcg_core.errors import PLUGIN_EXCEPTIONS
from epcg_core.testing.subject import Subject
from epcg_core.testing.violations import Case, Cases, Skip, Violation, violation_of

SHOWN = 3
"""Counterexamples of one law that a report shows."""
_WIDTH = 100


@attrs.frozen
class Law:
    """A property of domains that the core relies on."""

    name: str
    statement: str
    hint: str
    """Advice for an author whose domain breaks the law."""
    cases: Callable[[Subject], Cases]


@attrs.frozen
class Outcome:
    """The outcome of one law."""

    law: Law
    cases: int
    violations: tuple[Violation, ...]
    skipped: tuple[Skip, ...]

    @property
    def status(self) -> Literal["kept", "broken", "not applicable"]:
        if self.violations:
            return "broken"
        return "kept" if self.cases else "not applicable"

    @property
    def reason(self) -> str:
        """Why the law does not apply, in one line."""
        return "; ".join(dict.fromkeys(skip.reason for skip in self.skipped)) or "nothing offers it"

    def message(self) -> str:
        """Describe a broken law: the law, its counterexamples, and advice."""
        more = len(self.violations) - SHOWN
        return "\n".join([
            f"{self.law.name}: {self.law.statement}",
            *(textwrap.indent(str(violation), "  ") for violation in self.violations[:SHOWN]),
            *([f"  and {more} more"] if more > 0 else []),
            textwrap.indent(textwrap.fill(f"To mend it: {self.law.hint}", _WIDTH - 2), "  "),
        ])  # fmt: skip


@attrs.frozen(repr=False)
class Report:
    """The result of `check_domain`."""

    domain: str
    outcomes: tuple[Outcome, ...]

    @property
    def broken(self) -> tuple[Outcome, ...]:
        """The laws that are broken."""
        return tuple(outcome for outcome in self.outcomes if outcome.status == "broken")

    def __bool__(self) -> bool:
        """Return whether no law is broken."""
        return not self.broken

    def __str__(self) -> str:
        width = max((len(outcome.law.name) for outcome in self.outcomes), default=0)
        lines = []
        for outcome in self.outcomes:
            told = outcome.law.statement
            if outcome.status == "not applicable":
                told = textwrap.shorten(outcome.reason, _WIDTH, placeholder=" ...")
            lines.append(f"{outcome.status:14}  {outcome.law.name:{width}}  {told}")
        for outcome in self.broken:
            lines += ["", outcome.message()]
        return "\n".join([*lines, "", self.summary()])

    __repr__ = __str__

    def summary(self) -> str:
        """Summarise the report in a sentence."""
        states = [outcome.status for outcome in self.outcomes]
        return (
            f"{self.domain}: {states.count('kept')} laws kept, {states.count('broken')} broken, "
            f"{states.count('not applicable')} not applicable."
        )

    def data(self) -> list[dict[str, Any]]:
        """Return the report as JSON-like data, one entry per law."""
        return [
            {
                "law": outcome.law.name,
                "statement": outcome.law.statement,
                "status": outcome.status,
                "cases": outcome.cases,
                "violations": [attrs.asdict(violation) for violation in outcome.violations],
                "mend": outcome.law.hint,
                "not_applicable": [attrs.asdict(skip) for skip in outcome.skipped],
            }
            for outcome in self.outcomes
        ]


def judge(law: Law, subject: Subject) -> Outcome:
    """Return ask a law of every part of a domain that it applies to."""
    asked, violations, skipped = 0, list[Violation](), list[Skip]()
    for case in _cases(law, subject):
        if isinstance(case, Skip):
            skipped.append(case)
        elif isinstance(case, Violation):
            asked, violations = asked + 1, [*violations, case]
        else:
            asked += 1
            found = case.violation()
            violations += [] if found is None else [found]
    if not asked and law.name in subject.conformance.capabilities:
        reason = "; ".join(f"{skip.where}: {skip.reason}" for skip in skipped) or "nothing offers it"
        what = f"it is declared among the capabilities, but does not apply: {reason}"
        violations.append(Violation(subject.name, None, what, None, None))
    return Outcome(law, asked, tuple(violations), tuple(skipped))


def _cases(law: Law, subject: Subject) -> Iterator[Case | Skip | Violation]:
    try:
        yield from law.cases(subject)
    except PLUGIN_EXCEPTIONS as error:  # a plugin's part may raise when it is only looked at
        yield violation_of(subject.name, None, error)

"""Laws, and what becomes of them: kept, broken, not checked or not applicable, and how to mend it.

An exception of a part keeps other laws from being checked as well. The first law that meets it is broken and
tells of it; the others are not checked, and say which law that is.
"""

from __future__ import annotations

import math
import textwrap
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from operator import attrgetter, methodcaller
from typing import Any, Literal, TypeAlias, TypeVar

import attrs

from epcg_core.inside import PLUGIN_EXCEPTIONS
from epcg_testing.subject import SILENT, Subject
from epcg_testing.violations import Case, Cases, Skip, Violation, violation_of

SHOWN = 3
"""Counterexamples of one law that a report shows."""
OF_VALUES = "values-fit-metrics"
"""The law that tells of values that do not fit; for the others there is then nothing to compare."""
_WIDTH = 100


@attrs.frozen
class Law:
    """A property of domains that the core relies on."""

    name: str
    statement: str
    hint: str
    """Advice for an author whose domain breaks the law."""
    cases: Callable[[Subject], Cases]
    lasting: bool = False
    """Whether a part may take longer than the check waits: it is told then, and breaks nothing."""


Over: TypeAlias = Callable[[Subject], Iterable[Any]]
"""The subjects of a law: parts of the domain, and a Skip for each part that it does not apply to."""
SPACES: Over = attrgetter("spaces")
SCORED: Over = methodcaller("scored")

F = TypeVar("F", bound=Callable[..., Any])


def offering(*capabilities: str) -> Over:
    """Return the spaces whose generators offer these capabilities."""
    return methodcaller("offering", *capabilities)


class Laws(list[Law]):
    """The laws of a module, in the order of their definitions; its methods are decorators.

    The function of a law is called with each part that `over` lists; skips are passed on.
    """

    def whole(self, name: str, statement: str, hint: str, lasting: bool = False) -> Callable[[F], F]:
        """Add a law whose function lists the cases of a subject."""

        def add(function: F) -> F:
            self.append(Law(name, statement, hint, function, lasting))
            return function

        return add

    def listed(self, name: str, statement: str, hint: str, over: Over) -> Callable[[F], F]:
        """Add a law whose function lists the cases of a part."""

        def add(function: F) -> F:
            @self.whole(name, statement, hint)
            def cases(subject: Subject) -> Cases:
                for part in over(subject):
                    yield from [part] if isinstance(part, Skip) else function(part)

            return function

        return add

    def once(self, name: str, statement: str, hint: str, over: Over) -> Callable[[F], F]:
        """Add a law that its function checks for a part."""

        def add(check: F) -> F:
            self.listed(name, statement, hint, over)(
                lambda part: [Case.once(part.where, partial(check, part))]
            )
            return check

        return add

    def ranked(
        self, name: str, statement: str, hint: str, over: Over, few: int | None = None
    ) -> Callable[[F], F]:
        """Add a law that its function checks for a part and a rank: `few` of the space's, default all."""

        def add(check: F) -> F:
            @self.listed(name, statement, hint, over)
            def cases(part: Any) -> Cases:
                space = getattr(part, "space", part)
                yield Case(part.where, partial(check, part), space.few(few) if few else space.ranks)

            return check

        return add


@attrs.frozen
class Outcome:
    """The outcome of one law."""

    law: Law
    cases: int
    violations: tuple[Violation, ...]
    skipped: tuple[Skip, ...]
    compared: tuple[int, int] | None = None
    """How many states the law compared with each other, and of how many, if it does."""
    stopped: tuple[str, ...] = ()
    """The laws that tell of the exceptions that kept this one from being checked."""
    unfinished: int = 0
    """Of how many parts not all states were asked, because the law's time was spent."""

    @property
    def status(self) -> Literal["kept", "broken", "not checked", "not applicable"]:
        if self.violations:
            return "broken"
        if self.stopped:
            return "not checked"
        return "kept" if self.cases else "not applicable"

    @property
    def reason(self) -> str:
        """Why the law was not checked or does not apply, in one line."""
        if self.stopped:
            return f"a part raises an exception, of which {' and '.join(self.stopped)} tells"
        return "; ".join(dict.fromkeys(skip.reason for skip in self.skipped)) or "nothing offers it"

    def line(self, width: int) -> str:
        """Describe the outcome in a line, in which the law's name takes `width` characters."""
        told = self.law.statement
        if self.compared is not None:
            told += " ({:,} of {:,} states compared)".format(*self.compared)
        if self.status in ("not checked", "not applicable"):
            told = textwrap.shorten(self.reason, _WIDTH, placeholder=" ...")
        elif self.unfinished:
            told += f" ({self.unfinished} of {self.cases} parts in part: its time was spent)"
        return f"{self.status:14}  {self.law.name:{width}}  {told}"

    def message(self) -> str:
        """Describe a broken law: the law, its counterexamples, each exception once, and advice."""
        told = list({found.cause or found: found for found in reversed(self.violations)}.values())[::-1]
        more = len(self.violations) - len(told[:SHOWN])
        first = "first see to the exception; " if any(found.raised for found in self.violations) else ""
        return "\n".join([
            f"{self.law.name}: {self.law.statement}",
            *(textwrap.indent(str(violation), "  ") for violation in told[:SHOWN]),
            *([f"  and {more} more"] if more > 0 else []),
            textwrap.indent(textwrap.fill(f"To mend it: {first}{self.law.hint}", _WIDTH - 2), "  "),
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
        width = name_width(outcome.law for outcome in self.outcomes)
        return "\n".join([*(outcome.line(width) for outcome in self.outcomes), "", self.ending()])

    __repr__ = __str__

    def ending(self) -> str:
        """Describe each broken law, and summarise."""
        return "\n\n".join([*(outcome.message() for outcome in self.broken), self.summary()])

    def summary(self) -> str:
        """Summarise the report in a sentence."""
        states = [outcome.status for outcome in self.outcomes]
        stopped = states.count("not checked")
        not_checked = f"{stopped} not checked because of an exception, " if stopped else ""
        return (
            f"{self.domain}: {states.count('kept')} laws kept, {states.count('broken')} broken, "
            f"{not_checked}{states.count('not applicable')} not applicable."
        )

    def data(self) -> list[dict[str, Any]]:
        """Return the report as JSON-like data, one entry per law."""
        return [
            {
                "law": outcome.law.name,
                "statement": outcome.law.statement,
                "status": outcome.status,
                "cases": outcome.cases,
                "unfinished": outcome.unfinished,
                "violations": [attrs.asdict(violation) for violation in outcome.violations],
                "mend": outcome.law.hint,
                **({"not_checked_because_of": list(outcome.stopped)} if outcome.stopped else {}),
                **({} if outcome.compared is None else {"compared": list(outcome.compared)}),
                "not_applicable": [attrs.asdict(skip) for skip in outcome.skipped],
            }
            for outcome in self.outcomes
        ]


def name_width(laws: Iterable[Law]) -> int:
    """Return how many characters the longest name has."""
    return max((len(law.name) for law in laws), default=0)


@attrs.frozen
class Asked:
    """What became of one case of a law."""

    where: str
    found: Violation | Skip | None = None
    compared: tuple[int, int] | None = None
    left: bool = False
    """Whether states were left when its time was spent."""
    seconds: float = 0.0
    """The CPU seconds that it took, with what was done to list it."""


def judge(law: Law, subject: Subject) -> Outcome:
    """Ask a law of every part of a domain that it applies to, however long it takes.

    A law that may last gets a second of CPU time for each part.
    """
    cases = asked(law, subject, lambda: 1.0 if law.lasting else math.inf)
    return outcome_of(law, cases, subject.name, subject.conformance.capabilities, subject.raised)


def asked(
    law: Law,
    subject: Subject,
    seconds: Callable[[], float] = lambda: math.inf,
    done: Iterable[str] = (),
) -> Iterator[Asked]:
    """Ask a law of one part after the other, but for those of `done`.

    `seconds` gives the CPU seconds that the next part may take; `subject.at` is told each before it is asked.
    """
    left_out = Counter(done)
    begun = time.process_time()
    subject.at(subject.name)
    for case in _cases(law, subject):
        if left_out[case.where]:
            left_out[case.where] -= 1
            continue
        found: Violation | Skip | None
        compared, left = None, 0
        if not isinstance(case, Case):
            found = case
        elif case.where in subject.silent:
            found = Skip(case.where, SILENT)
        else:
            subject.at(case.where)
            subject.home.restore()
            compared = None if case.compared_of is None else (len(case.ranks), case.compared_of)
            found, left = case.violation(seconds())
        yield Asked(case.where, found, compared, left > 0, time.process_time() - begun)
        begun = time.process_time()
        subject.at(subject.name)


def outcome_of(
    law: Law,
    cases: Iterable[Asked],
    name: str,
    capabilities: Sequence[str],
    raised: dict[str, str],
) -> Outcome:
    """Return the outcome of a law from what became of its cases.

    Args:
        law: The law.
        cases: What became of each.
        name: The name of the domain.
        capabilities: The laws that must apply.
        raised: The law that tells of an exception, by its cause; those of this law are added.
    """
    number, left, violations, skipped = 0, 0, list[Violation](), list[Skip]()
    compared: tuple[int, int] | None = None
    stopped: dict[str, None] = {}
    for case in cases:
        found = case.found
        if isinstance(found, Skip):
            skipped.append(found)
            continue
        number, left = number + 1, left + case.left
        if case.compared is not None:
            states, of = compared or (0, 0)
            compared = states + case.compared[0], of + case.compared[1]
        if found is None or (found.misfit and law.name != OF_VALUES):
            continue
        teller = raised.setdefault(found.cause, law.name) if found.raised else law.name
        if teller == law.name:
            violations.append(found)
        else:
            stopped[teller] = None
    if not number and law.name in capabilities:
        reason = "; ".join(f"{skip.where}: {skip.reason}" for skip in skipped) or "nothing offers it"
        what = f"it is declared among the capabilities, but does not apply: {reason}"
        violations.append(Violation(name, None, what, None, None))
    return Outcome(law, number, tuple(violations), tuple(skipped), compared, tuple(stopped), left)


def _cases(law: Law, subject: Subject) -> Iterator[Case | Skip | Violation]:
    try:
        yield from law.cases(subject)
    except PLUGIN_EXCEPTIONS as error:  # a plugin's part may raise when it is only looked at
        yield violation_of(subject.name, None, error)

"""`check_apart`: every law checked in a fork, which a part may end, or never leave."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, TypeAlias

from epcg_core.inside import WorkerDiedError
from epcg_core.plugin import Apart, CheckFailedError, TimeUpError
from epcg_testing.check import chosen, subject_of
from epcg_testing.laws import LAWS
from epcg_testing.report import Asked, Law, Outcome, Report, asked, outcome_of
from epcg_testing.subject import SAMPLES, Subject
from epcg_testing.violations import Skip, Violation

SECONDS = 20.0
"""CPU seconds that a law takes of itself: when they are spent, of each further part one state is asked."""
PATIENCE = 3.0
"""A part that gives no answer within this multiple of the seconds, compiling included, breaks the law."""
_SHARE = 0.25
"""Of a law's seconds, for one part."""
_PLUGINS = "the plugins were loaded"

_Question: TypeAlias = "tuple[int, tuple[str, ...], float]"
"""The place of a law in `LAWS`, the parts that were asked already, and the seconds for one part."""


def check_apart(
    name: str,
    *,
    laws: Sequence[str] | None = None,
    samples: int = SAMPLES,
    plugin: str | None = None,
    seconds: float = SECONDS,
    patience: float | None = None,
    told: Callable[[Outcome], None] = lambda outcome: None,
) -> Report:
    """Check a domain like `check_domain`, but in forks, and in a time that is bounded.

    A law during which the fork ends, because a part calls `os._exit` or crashes, is broken, and so is one to
    which a part gives no answer. A new fork goes on with the next part; the silent one is left out. Where
    there are no forks, elsewhere than on Linux, parts are asked in this process, without limits.

    Args:
        name: The name of the domain.
        laws: Names of the laws to check; default: all.
        samples: States of each space to check, if the plugin does not declare the number.
        plugin: The name of another plugin with parts for the domain, which are then looked at.
        seconds: CPU seconds for each law.
        patience: CPU seconds after which a part gives no answer; default: three times as many.
        told: Is called with the outcome of each law as it ends.

    Raises:
        CheckFailedError: The plugins cannot even be loaded.
        KeyboardInterrupt: With a note on what was being checked.
        EpcgError: As of `check_domain`.
    """
    wanted = chosen(laws)
    raised: dict[str, str] = {}
    found = []
    with tempfile.TemporaryDirectory() as folder:
        kit = _Kit(name, samples, plugin, Path(folder) / "trace")
        with Apart(kit.answer) as ask:
            check = _Check(kit, ask, seconds, PATIENCE * seconds if patience is None else patience)
            for law in wanted:
                outcome = outcome_of(law, check.cases(law), name, check.capabilities, raised)
                found.append(outcome)
                told(outcome)
    return Report(name, tuple(found))


class _Kit:
    """What the fork has: the domain's parts, and the law that is being asked."""

    def __init__(self, name: str, samples: int, plugin: str | None, trace: Path) -> None:
        self.name = name
        self.silent: list[str] = []
        """Parts that gave no answer; a fork knows those of its beginning."""
        self._samples, self._plugin, self._trace = samples, plugin, trace
        self._subject: Subject | None = None
        self._law = -1
        self._cases: Iterator[Asked] = iter(())
        self._seconds = 0.0
        self._at(_PLUGINS)

    @property
    def place(self) -> str:
        """What is being asked, in this process or in the fork."""
        return self._trace.read_text(encoding="utf-8")

    def answer(self, question: _Question | None) -> Any:
        """Ask one law of one more part; None after the last. Without a question, return the capabilities."""
        if self._subject is None:
            self._at(_PLUGINS)
            self._subject = subject_of(
                self.name, samples=self._samples, plugin=self._plugin, at=self._at, silent=tuple(self.silent)
            )
        if question is None:
            return self._subject.conformance.capabilities
        law, done, self._seconds = question
        if law != self._law:
            self._law, self._cases = law, asked(LAWS[law], self._subject, lambda: self._seconds, done)
        return next(self._cases, None)

    def _at(self, where: str) -> None:
        self._trace.write_text(where, encoding="utf-8")


class _Check:
    """Asks forks, one part after the other, and has a new one when a fork had to be ended."""

    def __init__(self, kit: _Kit, ask: Apart[_Question | None, Any], seconds: float, patience: float) -> None:
        self._kit, self._ask, self._seconds, self._patience = kit, ask, seconds, patience
        self._law: Law | None = None
        self.capabilities: tuple[str, ...] = self._begun()

    def cases(self, law: Law) -> Iterator[Asked]:
        """Ask a law of every part that it applies to."""
        self._law, done, spent = law, list[str](), 0.0
        while True:
            share = self._seconds * _SHARE if spent < self._seconds else 0.0
            try:
                found: Asked | None = self._asked((LAWS.index(law), tuple(done), share))
            except (TimeUpError, WorkerDiedError) as error:
                blamed = self._blamed(error)
                if law.lasting and isinstance(error, TimeUpError):
                    yield Asked(blamed.where, Skip(blamed.where, f"it took longer than {self._patience:g} s"))
                else:
                    yield Asked(blamed.where, blamed)
                self._begun()
                if blamed.where == self._kit.name or blamed.where in done:  # the law comes no further
                    return
                done.append(blamed.where)
                continue
            if found is None:
                return
            yield found
            done.append(found.where)
            spent += found.seconds

    def _begun(self) -> tuple[str, ...]:
        """Have the plugins loaded and the spaces made; those that are not made in time are left out."""
        while True:
            try:
                found: tuple[str, ...] = self._asked(None)
                return found
            except (TimeUpError, WorkerDiedError) as error:
                blamed = self._blamed(error)
                if blamed.where == _PLUGINS or self._kit.silent.count(blamed.where) > 1:
                    raise CheckFailedError(
                        f"The domain {self._kit.name} cannot be checked: when {_PLUGINS}, {blamed.what}."
                    ) from error

    def _blamed(self, error: Exception) -> Violation:
        """Return what a part did instead of answering; it is not asked again."""
        where = self._kit.place
        self._kit.silent.append(where)
        what = "a part ended the process without an answer: it must return, or raise an exception"
        if isinstance(error, TimeUpError):
            what = f"a part gave no answer within {self._patience:g} s of CPU time: it must return"
        return Violation(where, None, what, None, None, raised=True, cause=f"no answer of {where}")

    def _asked(self, question: _Question | None) -> Any:
        try:
            return self._ask(question, self._patience)
        except KeyboardInterrupt as error:  # perhaps because a part does not return
            law = "" if self._law is None else f" of the law {self._law.name}"
            error.add_note(f"The check{law} was at {self._kit.place}.")
            raise

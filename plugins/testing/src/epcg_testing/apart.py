"""`check_apart`: every law checked in a worker process, which a part may end without ending the check."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path

import attrs

from epcg_core.plugin import CheckFailedError, Progress, Unit, WorkerDiedError, make_executor
from epcg_testing.check import chosen, subject_of
from epcg_testing.laws import LAWS
from epcg_testing.report import Law, Outcome, Report, judge
from epcg_testing.subject import SAMPLES, Subject
from epcg_testing.violations import Violation

_SPACES = "its spaces were made"


def check_apart(
    name: str,
    *,
    laws: Sequence[str] | None = None,
    samples: int = SAMPLES,
    plugin: str | None = None,
    quiet: bool = True,
) -> Report:
    """Check a domain like `check_domain`, but in a process of its own; not `quiet`, with progress on stderr.

    A law during which that process ends, because a part calls `os._exit` or crashes, is broken; the others
    are checked by a new process.

    Raises:
        CheckFailedError: The process ends while the domain's spaces are made.
        KeyboardInterrupt: With a note on what was being checked.
        EpcgError: As of `check_domain`.
    """
    asked = {LAWS.index(law): law for law in chosen(laws)}
    outcomes: dict[int, Outcome] = {}
    progress = Progress(f"laws of {name}", len(asked), unit="laws", quiet=quiet)
    with tempfile.TemporaryDirectory() as folder, make_executor("processes", 1) as executor, progress:
        trace = Path(folder) / "trace"
        work = _Check(name, samples, plugin, str(trace))
        while waiting := [number for number in asked if number not in outcomes]:
            trace.write_text(_SPACES, encoding="utf-8")
            try:
                for unit, outcome in executor.results(work, [Unit(number, 1) for number in waiting]):
                    outcomes[unit.start] = attrs.evolve(outcome, law=asked[unit.start])
                    progress.advance(1)
            except WorkerDiedError as error:
                number = min(number for number in asked if number not in outcomes)
                outcomes[number] = _ended(asked[number], name, trace.read_text(encoding="utf-8"), error)
                progress.advance(1)
            except KeyboardInterrupt as error:  # perhaps because a part does not return
                number = min(number for number in asked if number not in outcomes)
                where = trace.read_text(encoding="utf-8")
                what = "the domain's spaces" if where == _SPACES else where
                error.add_note(f"The check of the law {asked[number].name} was at {what}.")
                raise
    return Report(name, tuple(outcomes[number] for number in asked))


def _ended(law: Law, name: str, where: str, error: WorkerDiedError) -> Outcome:
    ending = str(error).partition("(")[2].partition(")")[0]
    what = f"a part ended the process ({ending}) without an answer: it must return, or raise an exception"
    if where == _SPACES:
        raise CheckFailedError(f"The domain {name} cannot be checked: when {where}, {what}.") from error
    return Outcome(law, 1, (Violation(where, None, what, None, None, raised=True),), ())


@attrs.frozen
class _Check:
    """The work of the process; a unit is the place of a law in `LAWS`."""

    name: str
    samples: int
    plugin: str | None
    trace: str
    """The file that holds what is being checked."""

    @property
    def preload(self) -> tuple[str, ...]:
        return (__name__,)

    def set_up(self) -> Callable[[Unit], Outcome]:
        made: list[Subject] = []

        def outcome(unit: Unit) -> Outcome:
            if not made:
                made.append(subject_of(self.name, samples=self.samples, plugin=self.plugin))
            law = LAWS[unit.start]
            found = judge(law, made[0], self._write)
            return attrs.evolve(found, law=attrs.evolve(law, cases=_not_here))

        return outcome

    def _write(self, where: str) -> None:
        Path(self.trace).write_text(where, encoding="utf-8")


def _not_here(subject: Subject) -> tuple[()]:
    """Take the place of the cases of a law, which no other process needs."""
    return ()

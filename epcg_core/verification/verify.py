"""Verification of a run, and of the runs that it rests on."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from functools import partial
from html import escape
from typing import NoReturn

import attrs

from epcg_core.base.documents import places
from epcg_core.base.errors import CheckFailedError, EpcgError, UncheckedError
from epcg_core.domain import CheckInfo, resolve
from epcg_core.plugins.registry import registry
from epcg_core.runs.recompute import PLAIN_SECONDS
from epcg_core.store import Reader, RunRecord, Store, imported, integrity, sparse
from epcg_core.store.inputs import all_inputs
from epcg_core.verification import counted, derived, optimality, record, remade
from epcg_core.verification.again import Draw, sample as sample_again
from epcg_core.verification.inputs import inputs as read_again
from epcg_core.verification.planned import PlannedAgain
from epcg_core.verification.verdicts import SIGNS, Check, Verdict, make_check, verdict_of
from epcg_core.verification.winners import winners

_COLOURS: dict[Verdict, str] = {
    "holds": "#2e7d32",
    "holds if others hold": "#8a6d00",
    "does not hold": "#c62828",
    "cannot be checked here": "#8a6d00",
}


@attrs.frozen
class VerifyReport:
    """All checks of one run."""

    run: RunRecord
    checks: tuple[Check, ...]
    seed: int
    """The seed of the sample."""
    beneath: tuple[VerifyReport, ...] = ()
    """The reports of the runs that it rests on, oldest first; empty if these were not asked for."""

    @property
    def passed(self) -> bool:
        return self.verdict == "holds"

    @property
    def verdict(self) -> Verdict:
        return verdict_of(self.checks)

    def _repr_html_(self) -> str:
        """Show the verdict in words and colour, above a table of what each check proves."""
        rows = "".join(
            f'<tr><td style="color:{_COLOURS[check.verdict]}">{SIGNS[check.verdict]}</td>'
            f'<td style="text-align:left;white-space:nowrap">{escape(check.name)}</td>'
            f'<td style="text-align:left">{escape(check.detail)}</td></tr>'
            for check in self.checks
        )
        return (
            f'<p><b style="color:{_COLOURS[self.verdict]}">Run {self.run.id}: {self.verdict}.</b> '
            f"Drawn with seed {self.seed}.</p><table>{rows}</table>"
        )


def verify(
    store: Store,
    run_id: int,
    sample: int = 1000,
    seed: int | None = None,
    advance: Callable[[int], None] | None = None,
    *,
    this_run_only: bool = False,
    remake: bool = False,
    known: dict[int, VerifyReport] | None = None,
) -> VerifyReport:
    """Run all checks of a run, and of every run that it rests on.

    Args:
        store: the database.
        run_id: the run's number.
        sample: how many ranks of each run are drawn and computed again.
        seed: draws them; None draws a seed by chance.
        advance: receives the number of ranks that were just computed.
        this_run_only: whether the runs underneath are left unchecked; the verdict is then at best that the
            run holds if they do.
        remake: whether runs whose values were dropped when they had served are computed again whole, and
            compared by their digests; otherwise they cannot be checked.
        known: reports of runs by number that were made just now; those of the runs underneath are added, so
            that each is checked once.

    Returns:
        The run's report. Its check 'runs underneath' sums up those of the others.

    Raises:
        StoreError: if there is no such run.
    """
    draw = Draw(sample, new_seed() if seed is None else seed, advance)
    with store.keeping_connections():
        return _whole(store, run_id, draw, {} if known is None else known, this_run_only, remake)


def _whole(
    store: Store, run_id: int, draw: Draw, known: dict[int, VerifyReport], this_run_only: bool, remake: bool
) -> VerifyReport:
    with store.reader() as reader:
        file = make_check("file", lambda: integrity.integrity(reader.connection))
        with integrity.damage_named(f"Run {run_id}"):
            reader.run(run_id)
            others = rests_on(reader, run_id)
            asked = [run_id] if this_run_only else [*others, run_id]
            lost = [number for number in asked if _is_lost(reader, number)] if remake else []
    proven: set[object] = set()
    with _made_again(store, lost) as again:
        for number in asked[:-1]:
            if number not in known:
                seconds = PLAIN_SECONDS / len(others)
                known[number] = _alone(store, number, draw, seconds, again, proven, beneath=True)
        own = _alone(store, run_id, draw, PLAIN_SECONDS, again, proven, beneath=False)
    reports = [] if this_run_only else [known[number] for number in others]
    underneath = make_check("runs underneath", lambda: _underneath(others, reports))
    if underneath.passed and this_run_only and others:
        underneath = attrs.evolve(underneath, verdict="holds if others hold")
    checks = (file, *own.checks)
    position = [check.name for check in checks].index("inputs") + 1
    checks = (*checks[:position], underneath, *checks[position:])
    return attrs.evolve(own, checks=checks, beneath=tuple(reports))


_Again = Callable[[RunRecord], tuple[Reader, RunRecord] | None]
"""Returns a run, computed again, and its reader."""


def _is_lost(reader: Reader, number: int) -> bool:
    """Return whether values of a run, or of one that it read, were dropped, so that none can be computed."""
    return bool(not_checked(reader, reader.run(number)))


@contextmanager
def _made_again(store: Store, numbers: Sequence[int]) -> Iterator[_Again | None]:
    """Compute runs again whole; what prevents it is raised when one is asked for."""
    if not numbers:
        yield None
        return
    with store.reader() as reader:
        runs = [reader.run(number) for number in numbers]
    with ExitStack() as stack:
        try:
            found = stack.enter_context(remade.made_again(runs))
        except EpcgError as error:
            problem = error

            def fail(run: RunRecord) -> NoReturn:
                raise UncheckedError(f"It cannot be computed again: {problem}") from problem

            yield fail
            return
        yield lambda run: found.get(run.identity)


def number_of_runs(store: Store, run_id: int) -> int:
    """Count the run and those that it rests on."""
    with store.reader() as reader, integrity.damage_named(f"Run {run_id}"):
        reader.run(run_id)
        return 1 + len(rests_on(reader, run_id))


def rests_on(reader: Reader, run_id: int) -> list[int]:
    """Return the numbers of all runs that a run was computed from, directly or not, in increasing order."""
    found: set[int] = set()
    waiting = [run_id]
    while waiting:
        for number in (each.run for each in all_inputs(reader, waiting.pop())):
            if number is not None and number not in found:
                found.add(number)
                waiting.append(number)
    if run_id in found:
        raise CheckFailedError(f"Run {run_id} is recorded to be computed from itself.")
    gone = found - {run.id for run in reader.runs()} if found else set()
    if gone:
        raise CheckFailedError(f"Run {run_id} is recorded to rest on run {min(gone)}, which is not there.")
    return sorted(found)


def in_words(numbers: Sequence[int]) -> str:
    """Write numbers of runs as 'run 1', 'runs 1 and 2' or 'runs 1, 2 and 3'."""
    texts = [str(number) for number in numbers]
    if len(texts) < 2:
        return f"run {' '.join(texts)}"
    return f"runs {', '.join(texts[:-1])} and {texts[-1]}"


def require_all(reports: Sequence[VerifyReport], relation: str) -> None:
    """Raise CheckFailedError if a run does not hold, else UncheckedError if one cannot be checked here.

    `relation` says in the message what the run is to the subject: 'on which it rests'.
    """
    for verdict in ("does not hold", "cannot be checked here"):
        for report in reports:
            odd = [check for check in report.checks if check.verdict == verdict]
            if odd:
                first = odd[0] if verdict == "does not hold" else odd[-1]  # the last says why values lack
                text = f"Run {report.run.id}, {relation}, {verdict} ({first.name}): {first.detail}"
                raise CheckFailedError(text) if verdict == "does not hold" else UncheckedError(text)


def _underneath(numbers: Sequence[int], reports: Sequence[VerifyReport]) -> str:
    """Sum up the reports of the runs that a run rests on; without reports, name the runs."""
    if not numbers:
        return "It rests on no other run."
    if not reports:
        return f"It holds if {in_words(numbers)} hold, on which it rests and which were not checked."
    require_all(reports, "on which it rests")
    number = sum(len(report.checks) for report in reports)
    return f"All {number:,} checks of {in_words(numbers)}, on which it rests, hold."


def _alone(
    store: Store,
    run_id: int,
    draw: Draw,
    seconds: float,
    again: _Again | None,
    proven: set[object],
    *,
    beneath: bool,
) -> VerifyReport:
    """Run the checks of one run; plain code gets `seconds` of the processor.

    Of a run `beneath` the one that was asked for, those of the whole database are left to that one. `proven`
    is what checks of the other runs have proven already.
    """
    with store.reader() as reader, ExitStack() as stack:
        with integrity.damage_named(f"Run {run_id}"):
            run = reader.run(run_id)
            plan = PlannedAgain(run)
            objective = sparse.objective_of(run)
            sampled = run.is_only_drawn
            stack.enter_context(places(run.files))
        more = [
            make_check(name, partial(_compared, reader, run, again, name))
            if run.dropped and again is not None and name in remade.TABLES
            else make_check(name, prove)
            for name, prove in derived.proofs(store, reader, plan, draw.seed, proven)
            if not (beneath and name == "schema")
        ]
        more += _of_plugins(reader, run)
        cover = record.sampled if sampled else record.coverage
        coverage = make_check("coverage", lambda: cover(reader, run))
        inputs = make_check("inputs", lambda: read_again(reader, plan))
        gone = not_checked(reader, run)
        if run.dropped:
            return VerifyReport(run, (coverage, inputs, *more, _values(reader, run, again, gone)), draw.seed)
        partly = sampled or (run.part is not None and not run.done)
        checks = [coverage, make_check("accounts", lambda: record.accounts(reader, plan))]
        if objective is None:
            gaps = partly or not run.done
            prove = counted.chunks if run.counted else partial(record.chunks, gaps=gaps)
            checks.append(make_check("chunks", lambda: prove(reader, run)))
            checks.append(make_check("unit digests", lambda: record.units(reader, run)))
        else:
            checks.append(make_check("chunks", lambda: optimality.chunks(reader, run)))
            checks.append(make_check("unit digests", lambda: optimality.units(reader, run)))
            checks.append(make_check("optimality", lambda: optimality.optimality(reader, run, objective)))
        if not partly:
            checks.append(make_check("run digest", lambda: record.digest(reader, run)))
        checks.append(make_check("rows", lambda: integrity.check_rows(reader, run)))
        if run.imported:
            checks.append(make_check("imported", lambda: imported.check_imported(reader, run)))
        checks += [inputs, *more]
        if gone:
            return VerifyReport(run, (*checks, _values(reader, run, again, gone, "sample")), draw.seed)
    with places(run.files):
        if draw.size:
            checks.append(make_check("sample", lambda: sample_again(store, plan, draw, seconds)))
            checks.append(make_check("winners", lambda: winners(store, plan, seconds / 3)))
    return VerifyReport(run, tuple(checks), draw.seed)


def _of_plugins(reader: Reader, run: RunRecord) -> list[Check]:
    """Run the checks that plugins add; one that returns None does not apply."""
    found = []
    for info in registry().all(CheckInfo):
        applies = True

        def prove(info: CheckInfo = info) -> str:
            nonlocal applies
            with registry().attribute_errors_to(info):
                said = resolve(info.prove)(reader, run)
            applies = said is not None
            return str(said)

        check = make_check(info.name, prove)
        found += [check] if applies else []
    return found


def _values(reader: Reader, run: RunRecord, again: _Again | None, gone: str, name: str = "values") -> Check:
    """Check a run of which nothing can be computed from what is recorded, by the run computed again whole."""
    if again is None:
        return Check(name, "cannot be checked here", gone)
    return make_check(name, partial(_compared, reader, run, again, "values"))


def _compared(reader: Reader, run: RunRecord, again: _Again, name: str) -> str:
    return remade.compare(reader, run, again(run), name)


def new_seed() -> int:
    """Return a seed from the system's randomness, so that no record can be made to suit the sample."""
    return secrets.randbelow(2**32)


def not_checked(reader: Reader, run: RunRecord) -> str:
    """Describe the checks that are impossible because values were dropped; '' if there are none."""
    if run.dropped:
        return (
            "Its values were dropped when they had served. What stays are counts, and the "
            f"digest {run.digest} that they had; --remake computes them again."
        )
    gone = [number for _, number, _ in reader.inputs_of(run.id) if reader.run(number).dropped]
    if not gone:
        return ""
    return (
        f"Nothing can be computed again, because the values of run {gone[0]}, which it was "
        "computed from, were dropped when they had served; --remake computes them again."
    )

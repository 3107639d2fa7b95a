"""Whether what is recorded, or published, is complete and true."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import attrs

from epcg_core.api.arguments import checked, checked_methods
from epcg_core.api.objects import Run
from epcg_core.api.report import Report, Table, location_of
from epcg_core.base.errors import CheckFailedError, ConditionalError, DamagedError, EpcgError, UncheckedError
from epcg_core.curriculum.verify import verify as check_curriculum
from epcg_core.domain import PublishedInfo, resolve
from epcg_core.execution import Progress
from epcg_core.execution.notebook_bar import in_notebook
from epcg_core.execution.progress import listened_to_by
from epcg_core.plugins.faces import FACES
from epcg_core.plugins.methods import required
from epcg_core.plugins.registry import registry
from epcg_core.plugins.scripts import end_of_parts
from epcg_core.store import Store, curricula, integrity
from epcg_core.verification.covered import not_covered
from epcg_core.verification.derived.objects import objects
from epcg_core.verification.verdicts import Check, Verdict, make_check, verdict_of
from epcg_core.verification.verify import VerifyReport, new_seed, number_of_runs, verify as check_run

if TYPE_CHECKING:
    from epcg_core.execution.progress import ProgressListener

_SQLITE = b"SQLite format 3\0"
_SIGNS = {
    "holds": "ok",
    "holds if others hold": "if",
    "does not hold": "FAILED",
    "cannot be checked here": "?",
}


@checked_methods
@attrs.frozen(repr=False)
class Verification(Report):
    """The checks of a run, a curriculum or a file."""

    subject: str
    """The subject of the checks, as a sentence begins."""
    checks: tuple[Check, ...]
    about: Mapping[str, Any]
    """The question, and the names that no check covers, by the keys that `json` has."""

    @property
    def verdict(self) -> Verdict:
        """That of all checks: one that fails decides, then one that is impossible here."""
        return verdict_of(self.checks)

    @property
    def passed(self) -> bool:
        """Whether all checks hold."""
        return self.verdict == "holds"

    @property
    def not_covered(self) -> tuple[str, ...]:
        """The names that no check covers."""
        return tuple(self.about.get("not_covered", ()))

    def parts(self) -> Iterator[str | Table]:
        """Yield a row for each check, and what none covers."""
        rows = [[_SIGNS[c.verdict], c.name, c.detail] for c in self.checks]
        yield Table.of(["", "check", "what it proves"], rows)
        if self.not_covered:
            yield f"Not covered: {', '.join(self.not_covered)}."

    def json(self) -> dict[str, Any]:
        """Return what was asked, the verdict and the checks."""
        checks = [
            {"name": c.name, "verdict": c.verdict, "passed": c.passed, "detail": c.detail}
            for c in self.checks
        ]
        return {**self.about, "verdict": self.verdict, "passed": self.passed, "checks": checks}

    def demand(self) -> None:
        """Raise an error unless all checks hold.

        Raises CheckFailedError if one failed, UncheckedError if one is impossible here, ConditionalError if
        the rest holds and other runs were left unchecked.
        """
        odd = [check for check in self.checks if check.verdict == self.verdict]
        names = ", ".join(check.name for check in odd)
        if self.verdict == "does not hold":
            raise CheckFailedError(
                f"{self.subject} is not what it claims: {len(odd)} of {len(self.checks)} checks failed "
                f"({names})."
            )
        if self.verdict == "cannot be checked here":
            raise UncheckedError(
                f"{self.subject} cannot be checked here ({names}), because: {odd[0].detail} The other "
                "checks hold."
            )
        if self.verdict == "holds if others hold":
            raise ConditionalError(f"{self.subject}: {odd[0].detail} The other checks hold.")


@checked
def verify(
    what: int | str | Path | Run,
    *,
    sample: int = 1000,
    seed: int | None = None,
    this_run_only: bool = False,
    remake: bool = False,
    share: float = 0.01,
    tries: int = 40,
    recompute: float = 0.0,
    db: str | Path | None = None,
    quiet: bool | None = None,
    progress: ProgressListener | None = None,
) -> Verification:
    """Check a run, or a file that EPCG published, as `epcg verify` does; the verdict raises nothing.

    Args:
        what: a run, its number, or a file: a database, a certificate, an archive, a page.
        sample: how many recorded candidates of each run are computed again.
        seed: draws them; None for a seed by chance.
        this_run_only: leave the runs unchecked that the run was computed from.
        remake: compute runs again whole whose values were dropped when they had served.
        share: of a certificate, how many of its values a liar may have changed unnoticed.
        tries: of a certificate, how often a liar may have tried: 2 to the power of it.
        recompute: of a certificate, the share of all ranks that is computed again.
        db: the database of a run; as for `open`. A file is compared with it only if it is given.
        quiet: show no progress; default: show it in notebooks only.
        progress: is called with the title of what is computed, how much of it is done, and how much it is.

    Returns:
        The checks with their verdict.

    Raises:
        EpcgError: if there is no such run, or nothing here checks such a file.
    """
    end_of_parts()
    quiet = not in_notebook() if quiet is None else quiet
    with listened_to_by(progress):
        if isinstance(what, Run):
            db, what = what.database.location, what.number
        if isinstance(what, int):
            return verify_run(what, location_of(db), sample, seed, this_run_only, remake, quiet)
        asked = {"sample": sample, "seed": seed, "share": share, "tries": tries, "recompute": recompute}
        return verify_file(Path(what), None if db is None else str(db), asked, quiet)


def verify_run(
    run_id: int, location: str, sample: int, seed: int | None, this_run_only: bool, remake: bool, quiet: bool
) -> Verification:
    """Check a run, by the arguments of `verify`. Raises CheckFailedError if the database is damaged."""
    try:
        with Store.open(location) as store:
            total = sample * (1 if this_run_only else number_of_runs(store, run_id))
            with Progress("sample", total, quiet=quiet) as bar:
                report = check_run(
                    store, run_id, sample, seed, bar.advance,
                    this_run_only=this_run_only, remake=remake,
                )  # fmt: skip
    except DamagedError as error:
        raise CheckFailedError(f"Run {run_id} cannot be checked. {error}") from error
    about = {"run": run_id, "sample": sample, "seed": report.seed, "not_covered": not_covered(report.run)}
    about["runs"] = [
        {
            "run": other.run.id, "verdict": other.verdict,
            "failed": [check.name for check in other.checks if not check.passed],
        }
        for other in report.beneath
    ]  # fmt: skip
    return Verification(f"Run {run_id}", report.checks, about)


def verify_certificate(path: Path, location: str | None, asked: dict[str, Any], quiet: bool) -> Verification:
    """Check a certificate.

    Args:
        path: the certificate.
        location: the database to compare with, if there is one.
        asked: the options of the check, by name.
        quiet: show no progress.
    """
    asked = _seeded(asked)
    check_certificate = required("check_certificate", "`epcg verify --certificate`")
    checks = check_certificate(path, location, **asked, quiet=quiet)
    return Verification(str(path), tuple(checks), {"certificate": str(path)} | asked)


def verify_file(path: Path, location: str | None, asked: dict[str, Any], quiet: bool) -> Verification:
    """Check a file by every kind that recognises it.

    Args:
        path: the file, or a folder of play pages.
        location: the database to compare with, if there is one.
        asked: the options of the check, by name.
        quiet: show no progress.

    Raises:
        EpcgError: if no kind recognises it.
    """
    asked = _seeded(asked)
    checks: list[Check] = []
    uncovered: list[str] = []
    kinds: list[str] = []
    if _is_database(path):
        kinds.append("database")
        found, more = _database(path, asked, quiet)
        checks += found
        uncovered += more
    for info in registry().all(PublishedInfo):
        with registry().attribute_errors_to(info):
            if not resolve(info.recognise)(path):
                continue
            kinds.append(info.name)
            own, left = resolve(info.verify)(path, {"db": location, **asked})
        checks += own
        uncovered += left
    if not kinds:
        known = ", ".join(["a database", *(info.summary for info in registry().all(PublishedInfo))])
        raise EpcgError(f"'{path}' is not a file that can be checked. These can: {known}. {_faces()}".strip())
    about = {"file": str(path), "kinds": kinds, "not_covered": list(dict.fromkeys(uncovered))} | asked
    return Verification(str(path), tuple(checks), about)


@checked
def verify_curriculum(
    name: str,
    *,
    sample: int = 1000,
    seed: int | None = None,
    this_curriculum_only: bool = False,
    db: str | Path | None = None,
) -> Verification:
    """Check that a curriculum is what its plan chooses, as `epcg curriculum verify` does.

    Args:
        name: of the newest build; of an older one with its number: 'first-steps#3'.
        sample: how many recorded candidates of each run are computed again.
        seed: draws them; None for a seed by chance.
        this_curriculum_only: leave the runs unchecked that it was chosen from.
        db: the database; as for `open`.

    Returns:
        The checks with their verdict.

    Raises:
        UnknownNameError: if there is no such curriculum.
    """
    end_of_parts()
    with Store.open(location_of(db)) as store:
        with store.reader() as reader:
            number = curricula.find(reader.connection, name)
        checks = check_curriculum(store, number, sample, seed, this_curriculum_only=this_curriculum_only)
    about = {"curriculum": number, "name": name, "not_covered": not_covered()}
    return Verification(f"Curriculum {number}", tuple(checks), about)


def _seeded(asked: dict[str, Any]) -> dict[str, Any]:
    return asked if asked["seed"] is not None else asked | {"seed": new_seed()}


def _faces() -> str:
    """Name the faces that check further kinds and are not in use."""
    known = {info.name for info in registry().all(PublishedInfo)}
    names = (name for parts in FACES.values() for name in parts.get("published", ()) if name not in known)
    notes = {registry().missing("published", name): None for name in names}
    return " ".join(filter(None, notes))


def _is_database(path: Path) -> bool:
    try:
        with path.open("rb") as file:
            return file.read(len(_SQLITE)) == _SQLITE
    except OSError:
        return False


def _database(path: Path, asked: Mapping[str, Any], quiet: bool) -> tuple[Sequence[Check], Sequence[str]]:
    """Check all finished runs and all curricula of a database; return what is not covered, too."""
    known: dict[int, VerifyReport] = {}
    checks: list[Check] = []
    try:
        with Store.open(path) as store:
            with store.reader() as reader:
                checks += [
                    make_check("file", lambda: integrity.integrity(reader.connection)),
                    make_check("schema", lambda: objects(reader)),
                ]
                runs = reader.runs()
                builds = curricula.labels(reader.connection)
            done = [run for run in runs if run.done]
            with Progress("sample", asked["sample"] * len(done), quiet=quiet) as progress:
                for run in done:
                    if run.id not in known:
                        known[run.id] = check_run(
                            store, run.id, asked["sample"], asked["seed"], progress.advance, known=known
                        )
                    own = known[run.id].checks
                    checks.append(_summed(f"run {run.id}", own, f"of {run.search} over {run.space:.60}"))
            for number, label in builds.items():
                own = check_curriculum(store, number, asked["sample"], asked["seed"], known=known)
                checks.append(_summed(f"curriculum {number}", own, f"of '{label:.60}'"))
    except DamagedError as error:
        return [*checks, Check("file", "does not hold", str(error))], []
    left = [each for run in done for each in not_covered(run)] or not_covered()
    left += [f"run {run.id}, which is not finished" for run in runs if not run.done]
    return checks, list(dict.fromkeys(left))


def _summed(name: str, checks: Sequence[Check], of: str) -> Check:
    """Sum the checks of one thing up in one."""
    verdict: Verdict = verdict_of(checks)
    if verdict == "holds":
        return Check(name, verdict, f"All {len(checks)} checks {of} hold.")
    first = next(check for check in checks if check.verdict == verdict)
    return Check(name, verdict, f"{first.name}: {first.detail}")

"""Check a database, or a file of a kind that a plugin registered, for `epcg verify FILE`."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from epcg_core.cli.work.checks import report_checks
from epcg_core.curriculum.verify import verify as verify_curriculum
from epcg_core.domain import PublishedInfo, resolve
from epcg_core.errors import DamagedError, EpcgError
from epcg_core.execution import Progress
from epcg_core.plugins.faces import FACES
from epcg_core.plugins.registry import registry
from epcg_core.store import Store, curricula, integrity
from epcg_core.verification.covered import not_covered
from epcg_core.verification.derived.objects import objects
from epcg_core.verification.verdicts import Check, Verdict, make_check, verdict_of
from epcg_core.verification.verify import VerifyReport, new_seed, verify as verify_run

_SQLITE = b"SQLite format 3\0"


def verify_file(path: Path, location: str | None, asked: dict[str, Any], as_json: bool) -> None:
    """Check a file by every kind that recognises it, and print the checks.

    Args:
        path: the file, or a folder of play pages.
        location: the database to compare with, if there is one.
        asked: the options of the check, by name.
        as_json: print one JSON document.

    Raises:
        EpcgError: if no kind recognises it; else as `report_checks`.
    """
    if asked["seed"] is None:
        asked["seed"] = new_seed()
    checks: list[Check] = []
    uncovered: list[str] = []
    kinds: list[str] = []
    if _is_database(path):
        kinds.append("database")
        found, more = _database(path, asked)
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
        raise EpcgError(f"Nothing here checks '{path}': it is none of {known}. {_faces()}".strip())
    about = {"file": str(path), "kinds": kinds, "not_covered": list(dict.fromkeys(uncovered))} | asked
    report_checks(str(path), checks, about, as_json)


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


def _database(path: Path, asked: Mapping[str, Any]) -> tuple[Sequence[Check], Sequence[str]]:
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
            with Progress("sample", asked["sample"] * len(done), quiet=not sys.stderr.isatty()) as progress:
                for run in done:
                    if run.id not in known:
                        known[run.id] = verify_run(
                            store, run.id, asked["sample"], asked["seed"], progress.advance, known=known
                        )
                    own = known[run.id].checks
                    checks.append(_summed(f"run {run.id}", own, f"of {run.search} over {run.space:.60}"))
            for number, label in builds.items():
                own = verify_curriculum(store, number, asked["sample"], asked["seed"], known=known)
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

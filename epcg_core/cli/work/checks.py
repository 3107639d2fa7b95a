"""Check runs and certificates for `epcg verify`, and print checks."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from epcg_core.cli import output
from epcg_core.errors import CheckFailedError, ConditionalError, DamagedError, UncheckedError
from epcg_core.execution import Progress
from epcg_core.services.methods import required
from epcg_core.store import Store
from epcg_core.verification.covered import not_covered
from epcg_core.verification.verdicts import Check, verdict_of
from epcg_core.verification.verify import new_seed, number_of_runs, verify as check

_SIGNS = {
    "holds": "ok",
    "holds if others hold": "if",
    "does not hold": "FAILED",
    "cannot be checked here": "?",
}


def verify_run(
    run_id: int,
    location: str,
    sample: int,
    seed: int | None,
    this_run_only: bool,
    remake: bool,
    as_json: bool,
) -> None:
    """Check a run, and print the checks."""
    try:
        with Store.open(location) as store:
            total = sample * (1 if this_run_only else number_of_runs(store, run_id))
            with Progress("sample", total, quiet=not sys.stderr.isatty()) as progress:
                report = check(
                    store, run_id, sample, seed, progress.advance,
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
    report_checks(f"Run {run_id}", report.checks, about, as_json)


def verify_certificate(path: Path, location: str | None, asked: dict[str, Any], as_json: bool) -> None:
    """Check a certificate, and print the checks.

    Args:
        path: the certificate.
        location: the database to compare with, if there is one.
        asked: the options of the check, by name.
        as_json: print one JSON document.
    """
    if asked["seed"] is None:
        asked["seed"] = new_seed()
    check_certificate = required("check_certificate", "`epcg verify --certificate`")
    checks = check_certificate(path, location, **asked, quiet=not sys.stderr.isatty())
    report_checks(str(path), checks, {"certificate": str(path)} | asked, as_json)


def report_checks(subject: str, found: Sequence[Check], about: dict[str, Any], as_json: bool) -> None:
    """Print checks and what they do not cover.

    Raises CheckFailedError if one failed, UncheckedError if one is impossible here, ConditionalError if the
    rest holds and other runs were left unchecked.
    """
    verdict = verdict_of(found)
    if as_json:
        checks = [
            {"name": c.name, "verdict": c.verdict, "passed": c.passed, "detail": c.detail} for c in found
        ]
        output.write_json(about | {"verdict": verdict, "passed": verdict == "holds", "checks": checks})
    else:
        rows = [[_SIGNS[c.verdict], c.name, c.detail] for c in found]
        output.write_table(["", "check", "what it proves"], rows)
        if about.get("not_covered"):
            output.show(f"Not covered: {', '.join(about['not_covered'])}.")
    odd = [check for check in found if check.verdict == verdict]
    names = ", ".join(check.name for check in odd)
    if verdict == "does not hold":
        raise CheckFailedError(
            f"{subject} is not what it claims: {len(odd)} of {len(found)} checks failed ({names})."
        )
    if verdict == "cannot be checked here":
        raise UncheckedError(
            f"{subject} cannot be checked here ({names}), because: {odd[0].detail} The other checks hold."
        )
    if verdict == "holds if others hold":
        raise ConditionalError(f"{subject}: {odd[0].detail} The other checks hold.")

"""Checks and their verdicts: what holds, what is contradicted, and what cannot be checked here."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Literal

import attrs

from epcg_core.base.errors import CheckFailedError, ConditionalError, DamagedError, EpcgError
from epcg_core.store import integrity

Verdict = Literal["holds", "holds if others hold", "does not hold", "cannot be checked here"]
_WORST_FIRST: tuple[Verdict, ...] = (
    "does not hold",
    "cannot be checked here",
    "holds if others hold",
    "holds",
)
SIGNS: dict[Verdict, str] = {
    "holds": "✓",
    "holds if others hold": "✓?",
    "does not hold": "✗",
    "cannot be checked here": "?",
}


@attrs.frozen
class Check:
    """A check and its outcome."""

    name: str
    verdict: Verdict
    detail: str

    @property
    def passed(self) -> bool:
        return self.verdict == "holds"


def verdict_of(checks: Iterable[Check]) -> Verdict:
    """Return the verdict of several checks: one that fails decides, then one that is impossible here."""
    found = {check.verdict for check in checks}
    return next((verdict for verdict in _WORST_FIRST if verdict in found), "holds")


def make_check(name: str, prove: Callable[[], str]) -> Check:
    """Run a check: `prove` returns what it has proven, or raises.

    Only a contradiction (CheckFailedError, DamagedError) is a failure. Any other error, such as a missing
    plugin or file, or no memory, says that the means are lacking, and nothing of the record.
    """
    try:
        with integrity.damage_named("What it is about"):
            return Check(name, "holds", prove())
    except (CheckFailedError, DamagedError) as error:
        return Check(name, "does not hold", str(error))
    except ConditionalError as error:
        return Check(name, "holds if others hold", str(error))
    except EpcgError as error:
        return Check(name, "cannot be checked here", str(error))
    except MemoryError:
        return Check(name, "cannot be checked here", "There is not enough memory here.")
    except OSError as error:
        where = f"{error.filename}: " if error.filename else ""
        return Check(name, "cannot be checked here", f"{where}{error.strerror or error}.")

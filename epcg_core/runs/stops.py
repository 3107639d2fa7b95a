"""Words for runs that stop before their end."""

from __future__ import annotations

import shlex

from epcg_core.errors import RunInterruptedError
from epcg_core.store import RunRecord, Store


def how_to_resume(record: RunRecord, store: Store) -> str:
    """Say how a run that stopped goes on."""
    return f"Recorded values are kept; go on with: epcg resume {record.id} --db {shlex.quote(store.location)}"


def stopped(record: RunRecord, store: Store, reason: str) -> RunInterruptedError:
    """Return the error of a run that stopped for a reason."""
    return RunInterruptedError(f"Run {record.id} stopped: {reason}. {how_to_resume(record, store)}")

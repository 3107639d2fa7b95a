"""Which recorded run stands for a planned one: of the same request, computed with the same sources.

A run that was computed with other sources is never used silently. The user decides: it is computed again
beside the older run, or the older run is accepted, which is recorded.
"""

from __future__ import annotations

from epcg_core.base.errors import OutdatedRunError
from epcg_core.plugins.sources import Sources, is_code
from epcg_core.query.spec import RunSpec
from epcg_core.store import Reader, RunRecord

_CHOICE = "--again computes it again and keeps both, --accept-older {uses} it as it is."


_known: dict[tuple[object, ...], Sources] = {}


def look_again() -> None:
    """Look at the source files again when they are next asked for."""
    _known.clear()


def sources(spec: RunSpec) -> Sources:
    """Return the sources that would compute a run now; its files are looked at once a query."""
    key = spec.modules, spec.without_file
    if key not in _known:
        _known[key] = spec.sources()
    return _known[key]


def sources_below(spec: RunSpec, *, again: bool = False) -> dict[str, str]:
    """Map the sources of a run, and of the runs that it is computed from, to their digests.

    With `again`, their files are looked at again.
    """
    if again:
        look_again()
    found: dict[str, str] = {}
    seen, waiting = {spec.identity}, [spec]
    while waiting:
        each = waiting.pop()
        found |= sources(each).files
        below = {needed.run.identity: needed.run for needed in each.inputs}
        waiting += [run for identity, run in below.items() if identity not in seen]
        seen |= below.keys()
    return found


def find(reader: Reader, spec: RunSpec) -> RunRecord | None:
    """Find the newest recorded run that stands for a planned one; None if there is none."""
    return reader.usable(spec.request, sources(spec), spec.versions)


def is_done(reader: Reader, spec: RunSpec) -> bool:
    """Return whether a finished run stands for a planned one."""
    run = find(reader, spec)
    return run is not None and run.done


def newest(reader: Reader, spec: RunSpec) -> RunRecord | None:
    """Find the run that stands for a planned one, else the newest of the same request."""
    return find(reader, spec) or next(iter(reversed(reader.requested(spec.request))), None)


def refusal(record: RunRecord, reason: str) -> OutdatedRunError:
    """Say how a run's code differs, and what can be done."""
    was = "was computed" if record.done else "was begun"
    choice = _CHOICE.format(uses="uses" if record.done else "goes on with")
    error = OutdatedRunError(f"Run {record.id} ({record.space}) {was} with {reason}: {choice}")
    error.add_note(f"For a command without these options: epcg forget {record.id} --yes, then again.")
    return error


def input_run(reader: Reader, record: RunRecord | None, role: str) -> RunRecord | None:
    """Return the run that a recorded run read in a role; None if it is not recorded, or read none."""
    if record is None:
        return None
    numbers = [number for known, number, _ in reader.inputs_of(record.id) if known == role]
    return reader.run(numbers[0]) if numbers else None


def differs_in_cells_only(reader: Reader, record: RunRecord, spec: RunSpec) -> bool:
    """Return whether a recorded run differs from a planned one, and that in code without a file alone.

    The runs that it read count, too. Such code was replaced when its parts were registered again, which
    decides that it is to be used.
    """
    found = _differing(reader, record, spec)
    return bool(found) and all(map(is_code, found))


def _differing(reader: Reader, record: RunRecord, spec: RunSpec) -> list[str]:
    if record.sources is None:
        return ["unknown sources"]
    found = record.sources.differing(sources(spec))
    for needed in spec.inputs:
        was = input_run(reader, record, needed.role)
        if was is not None and was.request == needed.run.request:
            found += _differing(reader, was, needed.run)
    return found

"""Everything that a run read, against its query planned again: runs, libraries, files, and merged parts.

A library stands in the query with its items and their values. That they are what a run recorded, and what was
to be chosen of it, follows if the run is here: the choice is made again. Without it the run holds only if the
library is what it says.
"""

from __future__ import annotations

from collections.abc import Iterator

from epcg_core.base.documents import places, whole_number
from epcg_core.base.errors import CheckFailedError, ConditionalError, EpcgError, UncheckedError
from epcg_core.plugins.registry import registry
from epcg_core.query.inputs import TEXTS, Read, named_texts, read_by
from epcg_core.query.library import Library, library_of, space_of_items
from epcg_core.query.short_ids import shortened
from epcg_core.query.spec import RunSpec
from epcg_core.runs.libraries import chosen_by, rules_in, run_of_library
from epcg_core.store import Reader, RunRecord, transfer
from epcg_core.store.inputs import all_inputs
from epcg_core.store.kept import BETWEEN
from epcg_core.store.records import InputRecord, Part
from epcg_core.store.selection import rule_text
from epcg_core.verification.planned import PlannedAgain


def inputs(reader: Reader, plan: PlannedAgain) -> str:
    """Check what the run read.

    Raises:
        CheckFailedError: if an input has changed since, or is another than the query asks for.
        ConditionalError: if it cannot be seen here that a library is what it says.
    """
    run = plan.run
    told, recorded = list(_runs(reader, run)), {each.role: each for each in all_inputs(reader, run.id)}
    told += _parts(reader, run, recorded)
    others = {role: each for role, each in recorded.items() if each.kind in ("library", "file")}
    with places(run.files):
        try:
            spec = plan.found[1]
        except EpcgError as error:
            if isinstance(error, UncheckedError) and (others or run.files):
                raise
            if others:
                text = "The check 'specification' says why what it read is not checked."
                raise UncheckedError(text) from error
            spec = None
    open_ones: list[str] = []
    if spec is not None:
        _check_rows(run, spec, others)
        for read in read_by(registry(), spec):
            if read.library is not None:
                told.append(_library(reader, read, read.library, others.get(read.role), open_ones))
            elif read.role in others:
                told.append(f"{read.role} ({read.digest[:12]})")
    names = ", ".join(told)
    text = (
        f"What it was computed from is unchanged: {names}." if told else "It was computed from nothing else."
    )
    if open_ones:
        raise ConditionalError(f"It holds if {' and '.join(open_ones)}. {text}")
    return text


def _runs(reader: Reader, run: RunRecord) -> Iterator[str]:
    for role, number, digest in reader.inputs_of(run.id):
        if reader.run(number).digest != digest:
            raise CheckFailedError(f"Run {number}, the input '{role}', has changed since.")
        yield f"{role} of run {number}"
    for each in all_inputs(reader, run.id):
        source = None if each.run is None or each.kind != "run" else reader.run(each.run).space
        if source is not None and each.source not in ("", source):
            raise CheckFailedError(
                f"The input '{each.role}' is recorded to be of {each.source}, not {source}."
            )
        if each.kind in ("run", "part") and each.choice is not None:
            raise CheckFailedError(
                f"The input '{each.role}' is recorded with rules, and nothing is chosen of it."
            )


def _parts(reader: Reader, run: RunRecord, recorded: dict[str, InputRecord]) -> list[str]:
    """Check the digests of the units of parts that were merged."""
    found = []
    for role, each in recorded.items():
        if each.kind != "part":
            continue
        index, _, of = role.removeprefix("part ").partition("/")
        number = whole_number(index)
        if run.merged_of is None or of != str(run.merged_of) or number is None or each.run is not None:
            raise CheckFailedError(f"The run is recorded to have read '{role}', of which it is not merged.")
        if each.digest is None:
            found.append(f"{role}, merged before it was finished")
            continue
        low, high = Part(number, run.merged_of).limits(run)
        units = (unit for unit in reader.units(run.id) if low <= unit.start < high)
        if transfer.units_digest(units) != each.digest:
            raise CheckFailedError(f"The units of {role} are not those that were merged from {each.source}.")
        found.append(role)
    return found


def _check_rows(run: RunRecord, spec: RunSpec, recorded: dict[str, InputRecord]) -> None:
    """Check that rows of libraries and files say what the query says, and that no other file is named."""
    reads = {read.role: read for read in read_by(registry(), spec)}
    for role, each in recorded.items():
        read = reads.get(role)
        if read is None:
            raise CheckFailedError(
                f"The run is recorded to have read '{role}', which its query does not name."
            )
        stated, derived = (each.kind, each.digest, each.source), (read.kind, read.digest, read.source)
        if stated != derived:
            raise CheckFailedError(f"The input '{role}' is recorded as {stated}; it must be {derived}.")
        if each.kind == "file" and (each.run is not None or each.choice is not None):
            raise CheckFailedError(f"The input '{role}' is a file, and is recorded with a run or rules.")
    known = named_texts(registry(), spec)
    for name in run.files:
        if name not in known:
            raise CheckFailedError(
                f"A place is recorded of {name!r}, a file that no param of the query names."
            )


def _library(
    reader: Reader, read: Read, library: Library, recorded: InputRecord | None, open_ones: list[str]
) -> str:
    """Check a library against the run that it was chosen from; add what cannot be seen to the open ones."""
    if read.source == TEXTS:
        return f"{read.role} of {len(library):,} texts"
    number = None if recorded is None else recorded.run
    run = run_of_library(reader, library) if number is None else reader.run(number)
    if number is not None and (run is None or (run.digest, run.space) != (library.run, library.space)):
        raise CheckFailedError(
            f"The {read.role} is recorded to come from run {number}, which has other values."
        )
    what = f"{read.role} ({len(library):,} items of {shortened(library.space)})"
    if run is None:
        open_ones.append(
            f"the {what} is what the run {library.run[:12]} keeps, which is not in this database"
        )
        return read.role
    if run.dropped or run.counted:
        open_ones.append(f"the {what} is what run {run.id} gives, which keeps no values")
        return read.role
    scores = reader.scores_at(run.id, library.ranks)
    for name, values in library.values.items():
        found = [row.get(name) for row in scores]
        if found != list(values):
            raise CheckFailedError(f"The {read.role} has other values of {name} than run {run.id}.")
    rules = [] if recorded is None or recorded.choice is None else rules_in(recorded.choice)
    space = space_of_items(registry(), library)
    ranks = chosen_by(reader, run, space, rules) if rules else set(reader.kept_ranks(run.id))
    again = library_of(space, sorted(ranks), {}, library.run) if ranks else None
    if again is not None and (again.ranks, again.sha256) == (library.ranks, library.sha256):
        if number is None:  # `runs underneath` does not know it
            open_ones.append(f"run {run.id} holds, of which the {what} was chosen")
        by = f" by '{BETWEEN.join(map(rule_text, rules))}'" if rules else ", which keeps them"
        return f"{what}, chosen again of run {run.id}{by}"
    if rules:
        raise CheckFailedError(
            f"The {read.role} has other items than its rules choose of run {run.id}: "
            f"{len(library):,}, and {len(ranks):,} are chosen."
        )
    open_ones.append(f"the {what} is what was to be chosen of run {run.id}, whose rules are not recorded")
    return read.role

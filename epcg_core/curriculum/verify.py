"""Verification of a curriculum: its plan, executed again, chooses and rejects what is recorded."""

from __future__ import annotations

import json
from hashlib import sha256

import attrs

from epcg_core.base.errors import CheckFailedError, UncheckedError
from epcg_core.base.params import canonical_json
from epcg_core.curriculum.build import choose_all, recorded_runs, space_columns
from epcg_core.curriculum.plan import Plan, from_data
from epcg_core.curriculum.winners import chosen_again
from epcg_core.store import Reader, RunRecord, Store, curricula, integrity
from epcg_core.verification.derived.objects import objects
from epcg_core.verification.planned import plugins_in_use
from epcg_core.verification.verdicts import Check, make_check
from epcg_core.verification.verify import VerifyReport, in_words, new_seed, require_all, verify as verify_run

_CHAPTERS = "(SELECT id FROM chapter WHERE curriculum_id = :number)"
_NUMBERED = {
    "chapters": "SELECT 0, position FROM chapter WHERE curriculum_id = :number ORDER BY 2",
    "parts": f"SELECT chapter_id, position FROM part WHERE chapter_id IN {_CHAPTERS} ORDER BY 1, 2",
    "rejections": "SELECT chapter_id || '.' || part, position FROM rejection "
    f"WHERE chapter_id IN {_CHAPTERS} ORDER BY chapter_id, part, position",
}
"""(group, position) of the rows that are numbered from 1 on in each group."""
_LISTED_SPACES = (
    "SELECT DISTINCT space.name, domain.name, domain.title, space.generator, space.params, "
    "space.params_sha256, space.max_rank, space.represents, space.produced_by "
    "FROM selection JOIN puzzle ON puzzle.id = selection.puzzle_id "
    "JOIN space ON space.id = puzzle.space_id JOIN domain ON domain.id = space.domain_id "
    f"WHERE selection.chapter_id IN {_CHAPTERS} AND space.id NOT IN (SELECT space_id FROM run) ORDER BY 1"
)
"""The spaces of a curriculum's puzzles that no run is over, with their columns."""
_NOT_BUILT = (
    "SELECT 1 FROM curriculum AS own LEFT JOIN newest_build USING (name) "
    "LEFT JOIN curriculum AS newest ON newest.id = newest_build.curriculum_id "
    "WHERE own.id = :number AND newest.name IS NOT own.name"
)
"""A row if the name of a curriculum has no newest build."""
_ODD = {
    "A selection belongs to no part.": "SELECT 1 FROM selection AS s WHERE NOT EXISTS "
    "(SELECT 1 FROM part AS p WHERE p.chapter_id = s.chapter_id AND p.position = s.part)",
    "A rejection belongs to no part.": "SELECT 1 FROM rejection AS s WHERE NOT EXISTS "
    "(SELECT 1 FROM part AS p WHERE p.chapter_id = s.chapter_id AND p.position = s.part)",
    "A chosen puzzle has no position, or one that was rejected has.": "SELECT 1 FROM selection AS s "
    "WHERE s.chosen <> (s.position IS NOT NULL)",
    "A puzzle is recorded to come from a run that does not cover it.": "SELECT 1 FROM selection AS s "
    "JOIN puzzle ON puzzle.id = s.puzzle_id WHERE puzzle.run_id IS NOT NULL AND NOT EXISTS "
    "(SELECT 1 FROM run WHERE run.id = puzzle.run_id AND run.space_id = puzzle.space_id "
    "AND puzzle.rank BETWEEN run.start AND run.stop - 1)",
}
"""Each sentence with a SELECT of the rows `s` that it is true of."""


def verify(
    store: Store,
    number: int,
    sample: int = 1000,
    seed: int | None = None,
    *,
    this_curriculum_only: bool = False,
    known: dict[int, VerifyReport] | None = None,
) -> tuple[Check, ...]:
    """Run all checks of a curriculum, given by its number in the database, and of the runs that it rests on.

    Args:
        store: the database.
        number: the curriculum's number.
        sample: how many ranks of each run are drawn and computed again.
        seed: draws them; None draws a seed by chance.
        this_curriculum_only: whether the runs are left unchecked; the verdict is then at best that the
            curriculum holds if they do.
        known: reports of runs by number that were made just now; those of further runs are added.

    Returns:
        The checks; 'runs' sums up those of the runs.
    """
    seed = new_seed() if seed is None else seed
    with store.reader() as reader:
        found = {} if known is None else known
        runs = make_check(
            "runs", lambda: _runs(store, reader, number, sample, seed, this_curriculum_only, found)
        )
        if (
            runs.passed
            and this_curriculum_only
            and curricula.read(reader.connection, number, rejected=False).runs
        ):
            runs = attrs.evolve(runs, verdict="holds if others hold")
        return (
            make_check("file", lambda: integrity.integrity(reader.connection)),
            make_check("schema", lambda: objects(reader)),
            make_check("sources", lambda: _sources(reader, number)),
            runs,
            make_check("spaces", lambda: _spaces(reader, number)),
            make_check("order", lambda: _order(reader, number)),
            make_check("curriculum", lambda: _curriculum(store, reader, number)),
            make_check(
                "winners",
                lambda: chosen_again(store, curricula.read(reader.connection, number, rejected=False)),
            ),
        )


def _runs(
    store: Store,
    reader: Reader,
    number: int,
    sample: int,
    seed: int,
    only_name: bool,
    known: dict[int, VerifyReport],
) -> str:
    """Check the runs that it was chosen from, and those underneath, each once."""
    numbers = sorted({run_id for run_id, _ in curricula.read(reader.connection, number, rejected=False).runs})
    if not numbers:
        return "It was chosen from no run."
    if only_name:
        return f"It holds if {in_words(numbers)} hold, from which it was chosen and which were not checked."
    for run_id in numbers:
        if run_id not in known:
            known[run_id] = verify_run(store, run_id, sample, seed, known=known)
    require_all([known[run_id] for run_id in numbers], "from which it was chosen")
    return f"{in_words(numbers).capitalize()}, from which it was chosen, and all underneath hold."


def _sources(reader: Reader, number: int) -> str:
    """Check that the runs that it was chosen from are unchanged."""
    recorded = curricula.read(reader.connection, number, rejected=False).runs
    for run_id, digest in recorded:
        if reader.run(run_id).digest != digest:
            raise CheckFailedError(f"Run {run_id}, which it was chosen from, has changed since.")
    return f"{len(recorded):,} runs, which it was chosen from, have the recorded digests."


def _spaces(reader: Reader, number: int) -> str:
    """Check the spaces of puzzles that no run is over, because the plan lists them by hand."""
    spaces = reader.connection.exec_driver_sql(_LISTED_SPACES, {"number": number}).all()
    for row in spaces:
        domain, _, name, generator, params, max_rank, represents = space_columns(row[0])
        text = canonical_json(dict(params))
        own = domain.name, domain.title, generator, text, sha256(text.encode()).hexdigest()
        sizes = str(max_rank), str(represents or max_rank)
        if (*own, *sizes, None) != tuple(row)[1:]:
            raise CheckFailedError(f"The space {name} is recorded with other values than its name says.")
    return f"{len(spaces):,} spaces that no run is over are what their names say."


def _order(reader: Reader, number: int) -> str:
    """Check the numbering of chapters, parts and rejections, and that each row of a choice has its part."""
    connection, own = reader.connection, {"number": number}
    for name, sql in _NUMBERED.items():
        count: dict[object, int] = {}
        for group, position in connection.exec_driver_sql(sql, own):
            count[group] = count.get(group, 0) + 1
            if position != count[group]:
                raise CheckFailedError(f"The {name} are not numbered from 1 on: {position} is out of place.")
    for sentence, sql in _ODD.items():
        if connection.exec_driver_sql(f"{sql} AND s.chapter_id IN {_CHAPTERS}", own).first() is not None:
            raise CheckFailedError(sentence)
    if connection.exec_driver_sql(_NOT_BUILT, own).first() is not None:
        raise CheckFailedError("The newest build that is recorded for its name is missing or has another.")
    return (
        "Chapters, parts and rejections are numbered from 1 on, and puzzles lie in the runs that they name."
    )


def _curriculum(store: Store, reader: Reader, number: int) -> str:
    """Execute the recorded plan again and compare every part, chosen and rejected puzzle."""
    recorded = curricula.read(reader.connection, number)
    needed = {version for run_id, _ in recorded.runs for version in reader.run(run_id).spec["versions"]}
    if missing := sorted(needed - set(plugins_in_use().values())):
        raise UncheckedError(f"Its runs were made with {', '.join(missing)}, not in use here.")
    plan = from_data(recorded.plan)
    again = choose_all(plan, reader, _records(plan, store, reader))
    own = json.loads(canonical_json(again.plan)), again.name, again.title, list(again.runs)
    if own != (recorded.plan, recorded.name, recorded.title, list(recorded.runs)):
        raise CheckFailedError(
            "Its name, title, plan or list of runs is not that of its plan, executed again."
        )
    for chapter, other in zip(recorded.chapters, again.chapters, strict=True):
        if (chapter.name, chapter.title) != (other.name, other.title):
            raise CheckFailedError(f"The chapter '{chapter.name}' has another name or title in the plan.")
        for was, now in zip(chapter.parts, other.parts, strict=True):
            if was != now:
                what = "source gives other candidates" if was.digest != now.digest else "puzzles are others"
                raise CheckFailedError(
                    f"Chapter '{chapter.name}', part '{was.name}': executed again, its {what} than recorded."
                )
    if recorded.sha256 != again.sha256:
        raise CheckFailedError("Its sha256 does not follow from its plan, sources and runs.")
    chosen = sum(s.position is not None for c in again.chapters for p in c.parts for s in p.selections)
    return f"The plan, executed again, chooses the same {chosen:,} puzzles and rejects the others alike."


def _records(plan: Plan, store: Store, reader: Reader) -> dict[str, RunRecord]:
    """Return the runs that answer the queries of a plan. Raises CheckFailedError if one is missing."""
    found = recorded_runs(plan, store, reader)
    for _, part in plan.parts():
        if part.query is not None and canonical_json(part.query.resolved()) not in found:
            raise CheckFailedError(f"No finished run answers its query '{part.query.name}'.")
    return found

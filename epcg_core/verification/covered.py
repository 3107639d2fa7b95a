"""Every column of the database: the check that finds a change of it, or why none does.

A view shows columns of these tables and nothing else, and its SQL is compared with that of a new database.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

import attrs

from epcg_core.store.records import RunRecord


@attrs.frozen
class Coverage:
    """How a column is covered by verification."""

    kind: Literal["derived", "digest", "not covered"]
    """Whether its values are derived again, or covered by a recorded digest, or neither."""
    by: str
    """The name of the check that fails if a value is changed; of a column that is not covered, the reason."""
    note: str = ""
    """The limits of the check."""


TIMES = "times"
CPU = "CPU seconds"
ENVIRONMENT = "the environment that a run was made in"
LOCK = "the writer's note"
NUMBERS = "numbers of chunks' rows"
EDGES = "counts of edges"
PLAYED = "traces of play"
BUILDS = "which build of a curriculum is the newest"
SOURCES = "which source files a run names"
CHOICES = "what was accepted of other source files, or computed again"
PLACES = "where files that params name were"
COURSE = "how a finished run came about"


def _derived(by: str, note: str = "") -> Coverage:
    return Coverage("derived", by, note)


def _digest(by: str, note: str = "") -> Coverage:
    return Coverage("digest", by, note)


def _not_covered(reason: str) -> Coverage:
    return Coverage("not covered", reason)


_REFERENCE = _derived("schema", "the number of a row: every reference must lead to one")
_SPECIFICATION = _derived("specification")
_CURRICULUM = _derived("curriculum", "by epcg curriculum verify")
_METRIC = _derived("specification", "if the plugins that first recorded the metric are in use")

_TABLES: Mapping[str, Mapping[str, Coverage]] = {
    "plugin": {
        "id": _REFERENCE,
        "distribution": _SPECIFICATION,
        "version": _SPECIFICATION,
    },
    "domain": {
        "id": _REFERENCE,
        "name": _SPECIFICATION,
        "title": _derived("specification", "if the plugin that first recorded the domain is in use"),
        "plugin_id": _derived("specification", "its distribution; the version is that of the first run"),
    },
    "metric": {
        "id": _REFERENCE,
        "domain_id": _SPECIFICATION,
        "name": _SPECIFICATION,
        "kind": _SPECIFICATION,
        "direction": _METRIC,
        "unit": _METRIC,
        "description": _METRIC,
        "always": _METRIC,
    },
    "space": {
        "id": _REFERENCE,
        "domain_id": _SPECIFICATION,
        "name": _SPECIFICATION,
        "generator": _SPECIFICATION,
        "params": _SPECIFICATION,
        "params_sha256": _SPECIFICATION,
        "max_rank": _SPECIFICATION,
        "represents": _SPECIFICATION,
        "produced_by": _derived("specification", "always empty"),
    },
    "query": {
        "id": _REFERENCE,
        "name": _derived("queries"),
        "title": _derived("queries"),
        "source": _digest("queries", "query.sha256; planned again it gives the recorded runs"),
        "sha256": _derived("queries"),
        "created_at": _not_covered(TIMES),
    },
    "run": {
        "id": _REFERENCE,
        "identity": _SPECIFICATION,
        "space_id": _SPECIFICATION,
        "search": _SPECIFICATION,
        "search_params": _SPECIFICATION,
        "spec": _SPECIFICATION,
        "layer": _SPECIFICATION,
        "start": _SPECIFICATION,
        "stop": _SPECIFICATION,
        "unit_size": _derived("layout", "a run of one unit fits any larger size"),
        "chunk_size": _derived("layout", "a run of one chunk fits any larger size; not in branch and bound"),
        "state": _derived("specification", "whether it is finished"),
        "rows": _derived("candidates", "'none' allows rows of kept candidates only; the check rows: 'all'"),
        "evaluated": _derived("coverage"),
        "pruned": _derived("coverage"),
        "excluded": _derived("coverage"),
        "cpu_seconds": _not_covered(CPU),
        "digest": _derived("run digest"),
        "environment": _not_covered(ENVIRONMENT),
        "created_at": _not_covered(TIMES),
        "finished_at": _not_covered(TIMES),
        "request": _SPECIFICATION,
        "sources_id": _not_covered(SOURCES),
        "kept_values": _derived("chunks", "of dropped values, there are none"),
        "solutions": _derived("specification", "a run that is older than digests of solutions claims none"),
        "sample_size": _not_covered(COURSE),
        "sample_seed": _not_covered(COURSE),
        "sample_strata": _not_covered(COURSE),
        "part": _derived("specification", "a finished run is not a part"),
        "parts": _not_covered(COURSE),
        "again_of": _not_covered(CHOICES),
        "left_out": _SPECIFICATION,
        "reading": _derived("specification", "a run that is older than readings claims to be whole"),
        "files": _not_covered(PLACES),
        "imported": _derived("specification", "the names; where the measures are from is only recorded"),
    },
    "sources": {
        "id": _REFERENCE,
        "digest": _SPECIFICATION,
        "files": _digest("specification", "sources.digest"),
    },
    "accepted_sources": {
        "run_id": _not_covered(CHOICES),
        "sources_id": _not_covered(CHOICES),
        "accepted_at": _not_covered(TIMES),
    },
    "query_run": {
        "query_id": _derived("queries"),
        "run_id": _derived("queries"),
        "position": _derived("queries"),
        "goal": _derived("queries"),
    },
    "run_metric": {
        "run_id": _SPECIFICATION,
        "position": _SPECIFICATION,
        "metric_id": _SPECIFICATION,
    },
    "run_plugin": {
        "run_id": _SPECIFICATION,
        "plugin_id": _SPECIFICATION,
    },
    "run_input": {
        "run_id": _SPECIFICATION,
        "role": _derived("specification", "of runs; of libraries and files: inputs"),
        "kind": _derived("specification", "of runs; of libraries and files: inputs"),
        "input_run_id": _derived("specification", "of runs; of libraries: inputs"),
        "digest": _derived("inputs"),
        "source": _derived("inputs", "not the file that a merged part came from"),
        "choice": _derived("inputs", "chosen again if the run is here"),
    },
    "unit": {
        "run_id": _derived("coverage"),
        "start": _derived("coverage"),
        "count": _derived("coverage"),
        "evaluated": _derived("coverage", "their sum; of each unit by its digest"),
        "pruned": _derived("coverage", "their sum; of each unit in branch and bound"),
        "excluded": _derived("coverage", "their sum"),
        "seconds": _not_covered(CPU),
        "digest": _derived("unit digests"),
        "edges": _not_covered(EDGES),
    },
    "pruning": {
        "run_id": _derived("optimality"),
        "start": _derived("optimality"),
        "count": _derived("optimality"),
        "bound": _derived("optimality", "does not reach the optimum, and holds for drawn ranks"),
        "reason": _derived("optimality", "whether there is a bound"),
    },
    "score_chunk": {
        "id": _not_covered(NUMBERS),
        "run_id": _digest("chunks"),
        "metric_id": _digest("chunks"),
        "start": _digest("chunks"),
        "count": _digest("chunks"),
        "evaluated": _digest("chunks"),
        "valued": _derived("chunks"),
        "dtype": _digest("chunks"),
        "codec": _derived("chunks"),
        "minimum": _derived("chunks"),
        "maximum": _derived("chunks"),
        "total": _derived("chunks"),
        "digest": _digest("chunks"),
        "data": _digest("chunks"),
        "status": _digest("chunks"),
    },
    "score_histogram": {
        column: _derived("histograms", "not if the run's values were dropped")
        for column in ("run_id", "metric_id", "position", "low", "high", "count")
    },
    "candidate": {
        "run_id": _derived("candidates"),
        "rank": _derived("candidates"),
        "status": _derived("candidates"),
        "kept": _derived("candidates"),
        "kept_by": _derived("candidates"),
        "state": _derived("candidates"),
        "note": _derived("candidates", "of up to 100 errors, drawn, without addresses in memory"),
    },
    "score": {
        "run_id": _derived("rows"),
        "metric_id": _derived("rows"),
        "rank": _derived("rows"),
        "value": _derived("rows"),
    },
    "solution": {
        "run_id": _derived("solutions", "in exact cover: unit digests"),
        "rank": _derived("solutions", "in exact cover: unit digests"),
        "position": _derived("solutions", "of up to 20 kept candidates, drawn; in exact cover: unit digests"),
        "actions": _derived("solutions", "of up to 20 kept candidates, drawn; in exact cover: unit digests"),
    },
    "edit": {
        "space_id": _derived("edits"),
        "position": _derived("edits"),
        "description": _derived("edits"),
        "change": _derived("edits"),
    },
    "variant_edit": {
        "space_id": _derived("edits"),
        "rank": _derived("edits"),
        "position": _derived("edits"),
    },
    "puzzle": {
        "id": _REFERENCE,
        "puzzle": _CURRICULUM,
        "content_sha256": _CURRICULUM,
        "state": _CURRICULUM,
        "space_id": _CURRICULUM,
        "rank": _CURRICULUM,
        "run_id": _derived("order", "by epcg curriculum verify: a run that covers the puzzle"),
    },
    "curriculum": {
        "id": _REFERENCE,
        "name": _CURRICULUM,
        "title": _CURRICULUM,
        "plan": _digest("curriculum", "by epcg curriculum verify: curriculum.sha256"),
        "sha256": _CURRICULUM,
        "created_at": _not_covered(TIMES),
    },
    "newest_build": {
        "name": _derived("order", "by epcg curriculum verify: every name has one"),
        "curriculum_id": _not_covered(BUILDS),
    },
    "play_trace": dict.fromkeys(
        (
            "id", "player", "puzzle", "space", "rank", "curriculum", "seconds", "moves", "undos", "restarts",
            "hints", "solution_shown", "finished", "rating", "sha256", "imported_at", "actions",
        ),
        _not_covered(PLAYED),
    ),
    "chapter": {
        "id": _REFERENCE,
        "curriculum_id": _CURRICULUM,
        "position": _CURRICULUM,
        "name": _CURRICULUM,
        "title": _CURRICULUM,
    },
    "part": dict.fromkeys(
        ("chapter_id", "position", "name", "source", "measure", "harder", "rule", "candidates", "digest"),
        _CURRICULUM,
    ),
    "selection": dict.fromkeys(
        ("chapter_id", "part", "puzzle_id", "position", "chosen", "value", "measures", "rule", "reason"),
        _CURRICULUM,
    ),
    "rejection": dict.fromkeys(
        ("chapter_id", "part", "position", "rule", "count", "recorded"), _CURRICULUM
    ),
    "curriculum_run": dict.fromkeys(("curriculum_id", "run_id", "digest"), _CURRICULUM),
    "writer": dict.fromkeys(("id", "pid", "host", "command", "since"), _not_covered(LOCK)),
}  # fmt: skip

COVERED: Mapping[str, Coverage] = {
    f"{table}.{column}": coverage
    for table, columns in _TABLES.items()
    for column, coverage in columns.items()
}
"""'table.column' -> how it is covered."""


def not_covered(run: RunRecord | None = None) -> list[str]:
    """Return the reasons of the columns that no check covers, each once, and imported measures of a run."""
    reasons = (coverage.by for coverage in COVERED.values() if coverage.kind == "not covered")
    others = [] if run is None else [f"the imported measure '{name}'" for name in run.imported]
    return [*dict.fromkeys(reasons), *others]

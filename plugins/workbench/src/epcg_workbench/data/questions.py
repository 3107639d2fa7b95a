"""Descriptions of tables and views for a database browser, and common questions as named queries."""

from __future__ import annotations

from typing import Any

Details = dict[str, Any]
"""Metadata in Datasette's form."""

SHOWN = ("puzzle", "query", "solution")
"""Tables that are listed; the others are behind a link, because views show their content."""

VIEWS: dict[str, Details] = {
    "runs": {
        "description": "Every run, with its range and its progress.",
        "facets": ["state", "space"],
    },
    "metrics": {"description": "What each run measured, and between which values.", "facets": ["metric"]},
    "layers": {"description": "Layers of retrograde analyses: how many candidates can be solved."},
    "kept": {
        "description": "The candidates that a query's selections kept, with their scores.",
        "facets": ["run_id", "kept_by"],
    },
    "scores": {"description": "One row for every candidate and metric, from rows or from chunks."},
    "materialized_scores": {
        "description": "The rows that other programs can read; complete: of all candidates."
    },
    "statuses": {
        "description": "Why a candidate has no value of a metric.",
        "facets": ["run_id", "metric", "status"],
    },
    "histograms": {
        "description": "How each metric's values are distributed.",
        "facets": ["run_id", "metric"],
    },
    "errors": {"description": "Candidates at which an evaluator failed."},
    "selections": {
        "description": "What curricula chose and rejected, and why.",
        "facets": ["curriculum", "chapter", "chosen"],
    },
    "rejections": {"description": "How many candidates each rule of a curriculum rejected."},
    "edit_effects": {"description": "What each elementary edit does to each metric."},
    "best_edits": {"description": "The edits that change a metric most."},
}

QUERIES: dict[str, Details] = {
    "progress": {
        "title": "How far each run is",
        "description": "Load the page again while a run writes: each shows whole transactions only.",
        "sql": """SELECT run_id, space, search, state, evaluated, pruned, excluded, candidates,
       round(100.0 * (evaluated + pruned + excluded) / max(candidates, 1), 1) AS percent
FROM runs ORDER BY run_id DESC""",
    },
    "measures": {
        "title": "What was measured, and both ends of each metric",
        "description": "Without a run: of all runs. 'better' is the end that the metric calls better.",
        "sql": """SELECT run_id, metric, kind, direction AS better, valued, minimum, maximum, mean,
       'best?run=' || run_id || '&metric=' || metric || '&first=max' AS largest_first,
       'best?run=' || run_id || '&metric=' || metric || '&first=min' AS smallest_first
FROM metrics WHERE :run = '' OR run_id = CAST(:run AS INTEGER) ORDER BY run_id DESC, metric""",
    },
    "best": {
        "title": "The best candidates of a run, by a metric",
        "description": "From the chunks, so it works at any size. 'first' is max (the largest values first), "
        "min, or empty for the metric's own direction. The question 'What was measured' has a link for each.",
        "sql": """SELECT best.key + 1 AS place, epcg_puzzle(CAST(:run AS INTEGER), best.value) AS puzzle,
       epcg_score(CAST(:run AS INTEGER), :metric, best.value) AS value
FROM json_each(CASE
       WHEN EXISTS (SELECT 1 FROM metrics WHERE run_id = CAST(:run AS INTEGER) AND metric = :metric)
       THEN epcg_top(CAST(:run AS INTEGER), :metric, 20, CASE WHEN :first IN ('max', 'min') THEN :first END)
       ELSE '[]' END) AS best""",
    },
    "distribution": {
        "title": "The distribution of a metric in a run",
        "sql": """SELECT low, high, count FROM histograms
WHERE run_id = CAST(:run AS INTEGER) AND metric = :metric ORDER BY position""",
    },
    "candidate": {
        "title": "Everything recorded of one candidate",
        "sql": """SELECT epcg_puzzle(CAST(:run AS INTEGER), CAST(:rank AS INTEGER)) AS puzzle, metric,
       epcg_score(CAST(:run AS INTEGER), metric, CAST(:rank AS INTEGER)) AS value
FROM metrics WHERE run_id = CAST(:run AS INTEGER)""",
    },
    "curriculum": {
        "title": "The puzzles of a curriculum",
        "sql": """SELECT chapter, title, position, puzzle, measure, value FROM selections
WHERE curriculum = :curriculum AND chosen ORDER BY chapter, part, position""",
    },
}


def details_of(tables: tuple[str, ...]) -> Details:
    """Return Datasette's metadata for a database with these tables."""
    hidden = {table: {"hidden": True} for table in tables if table not in SHOWN}
    return {"tables": hidden | {view: dict(details) for view, details in VIEWS.items()}}


def shown(existing: tuple[str, ...]) -> tuple[str, ...]:
    """Return the tables and views that a first page lists."""
    return (*(table for table in SHOWN if table in existing), *VIEWS)


def queries() -> dict[str, Details]:
    """Return a fresh copy of the named queries, because Datasette modifies it."""
    return {name: dict(details) for name, details in QUERIES.items()}

"""Name what each check of `epcg verify` shows of a run, and what it takes on trust.

`docs/explanations/proof.md` says the same in its tables; a test compares them.
"""

from __future__ import annotations

SHOWN = {
    "file": "SQLite finds no damage in the file",
    "coverage": "units tile the range without gap or overlap, and account for every rank; of a sample, the "
    "ranks are those that its seed draws",
    "accounts": "just the ranks are pruned or left out that the specification allows: by a recorded pruning, "
    "by the filter's own run bit for bit, or by a search that chooses",
    "chunks": "chunks tile the range, and their bytes and sums are as recorded",
    "unit digests": "each unit's digest follows from its chunks and solutions",
    "optimality": "evaluated and pruned ranks are the whole, and no recorded bound reaches the optimum",
    "run digest": "the run's digest follows from its chunks and solutions",
    "rows": "rows of values are those of the chunks",
    "imported": "imported measures have the bytes that were imported; what they measure is not derived again",
    "inputs": "runs that it read have the digests that it read; a library has the items and values that its "
    "rules, applied again, choose of the run that it came from; files and merged parts have their digests",
    "runs underneath": "every run that it rests on, directly or not, passes the same checks",
    "schema": "views, indexes and triggers are those of a new database; every reference leads to a row",
    "specification": "the recorded query, planned again, gives the run: identity, space, what it leaves out, "
    "range, metrics, plugins, inputs",
    "layout": "units and chunks are cut at the recorded sizes",
    "queries": "every query that asked for the run has its digest, and asks for it",
    "histograms": "every bin follows from the chunks",
    "candidates": "rows of candidates are those of errors and of all selections, executed again",
    "solutions": "up to 20 kept candidates, solved again, have the recorded solutions",
    "edits": "the edits of a space, and of each recorded variant, are those that the generator makes",
    "sample": "drawn ranks, half of all and half from the ends of the metrics, computed again, have the "
    "recorded values, or are left out; of branch and bound, drawn from all, also one rank of each of up to "
    "10,000 prunings, and the proof itself, piece by piece in random order for half a minute",
    "winners": "kept candidates, the first that a selection did not keep, and the extremes of each metric, "
    "computed again by plain code, have the recorded values",
}
"""Each check of a run, by its name, and what it shows."""

TRUSTED = (
    "that a generator's ranks are all content of the kind, each once: `epcg check` tries it on small spaces",
    "that the plain form of an evaluator measures what its name says",
    "that `bound` is admissible where it was not tried",
    "that the frontier of exact cover, which the compiled search makes, is complete",
    "the metric `evidence` of edits, which only compiled code computes",
    "values that are not drawn, but for the share that a draw would have missed",
    "the installed plugins and libraries, Python, SQLite and the machine on which verification runs",
)
"""The claims that no check shows."""

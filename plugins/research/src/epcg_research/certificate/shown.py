"""Name what each check of a certificate shows.

`docs/explanations/proof.md` says the same in a table; a test compares them.
"""

from __future__ import annotations

SHOWN_BY_CERTIFICATE = {
    "form": "the file is a certificate, and all its numbers are possible",
    "query": "the query plans the run that is claimed",
    "sources": "the installed source files are those that it was issued with",
    "openings": "enough ranks are opened, the ones that the claims draw, and they lie in the claimed tree",
    "inputs made again": "the runs that the run was computed from, computed again, have the claimed values",
    "winners": "kept candidates, the first that a selection did not keep, and the extremes of each metric, "
    "opened and computed again, have the claimed values, and no opened value exceeds the extremes",
    "values": "opened ranks, computed again, have the claimed values",
    "pieces": "drawn pieces, computed again whole, have the hashes in the tree",
    "database": "the run in the database makes the same claims",
}
"""Each check of a certificate, by its name, and what it shows."""

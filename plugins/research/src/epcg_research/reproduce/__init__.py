"""Published results beside ours: publications that plugins register, computed again.

printed     published numbers, and what of ours each admits
tables      tables, rows and claims
reading     tables and claims from the files that plugins ship
catalogue   the publications and tables, and the choice among them
bench       answers questions by recorded runs, which are made if they are missing
verdicts    compares our results with the published ones
claims      what publications claim, with the verdicts on the rows that check it
report      the rows as text: Markdown, HTML, data
function    `epcg_core.reproduce` and `epcg_core.publications`, whose objects the commands print
"""

from __future__ import annotations

from epcg_research.reproduce.bench import Bench, NotAtHandError
from epcg_research.reproduce.catalogue import Publication, catalogue, chosen
from epcg_research.reproduce.rows import TableResult, reproduced
from epcg_research.reproduce.tables import Row, Table
from epcg_research.reproduce.verdicts import RowResult, Verdict

__all__ = [
    "Bench",
    "NotAtHandError",
    "Publication",
    "Row",
    "RowResult",
    "Table",
    "TableResult",
    "Verdict",
    "catalogue",
    "chosen",
    "reproduced",
]

"""Published results next to ours: what plugins contribute with `epcg_register_publications`, computed again.

catalogue   which publications and tables there are, and which of them somebody asks for
bench       answers questions by recorded runs, which are made where they are absent
verdicts    whether ours is what was published
report      the rows as text: Markdown, HTML, data
"""

from __future__ import annotations

from epcg_core.reproduce.bench import Bench, NotAtHandError
from epcg_core.reproduce.catalogue import Publication, catalogue, chosen
from epcg_core.reproduce.rows import TableResult, reproduced
from epcg_core.reproduce.verdicts import RowResult, Verdict

__all__ = [
    "Bench",
    "NotAtHandError",
    "Publication",
    "RowResult",
    "TableResult",
    "Verdict",
    "catalogue",
    "chosen",
    "reproduced",
]

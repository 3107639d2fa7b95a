"""The space of a drawn panel, or of one that The Windmill wrote: its edits, of which it is the first."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from epcg_witness.formats.drawing import draws_panel, format_panel, parse_panel
from epcg_witness.formats.windmill import read_windmill
from epcg_witness.rules.grid import PanelError


def find_panel(text: str, path: Path | None) -> tuple[dict[str, Any], int] | None:
    """Return the params and the rank of a panel in text; None for other texts.

    Raises PanelError for a drawing with a mistake.
    """
    if draws_panel(text):
        panel = parse_panel(text)
    else:
        try:
            panel = read_windmill(text.strip())
        except PanelError:
            return None
    return {"panel": format_panel(panel), "fewest": 0}, 0

"""The workbench's board in a notebook: `epcg.edit`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from epcg_core.inside import checked, end_of_parts
from epcg_core.plugin import require

if TYPE_CHECKING:
    from epcg_workbench.widget import BoardWidget


@checked
def edit(domain: str, text: str | None = None) -> BoardWidget:
    """Edit a content in a notebook: the one that `text` shows, or a new one.

    Needs the extra `notebook`. `edit(...).text` is the content as it is now.

    Raises:
        EpcgError: if the text shows no content of the domain, or the extra is not installed.
    """
    end_of_parts()
    require("Editing in a notebook needs", "anywidget", extra="epcg-workbench[notebook]")
    from epcg_workbench.widget import BoardWidget

    return BoardWidget(domain, text)

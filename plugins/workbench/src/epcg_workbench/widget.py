"""The workbench's board as a widget of notebooks."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import anywidget
import traitlets

from epcg_core.inside import board_file, editing
from epcg_workbench.jobs import answer

_STATIC = Path(__file__).parent / "static"
_STYLE = """
.epcg-widget { display: flex; flex-wrap: wrap; gap: 1em; --ink: currentColor; --panel: #fff;
  --line: #b5b0a7; --soft: #6d675e; --focus: #d9480f; --cell: #fffdf8; }
.epcg-widget .epcg-left { flex: 0 1 26em; min-width: 12em; }
.epcg-widget button[aria-checked="true"] { font-weight: 700; outline: 2px solid var(--focus); }
.epcg-widget td { padding: 0.1em 0.8em 0.1em 0; }
"""


class BoardWidget(anywidget.AnyWidget):
    """A content that is edited in a notebook. `text` is the content as it is now; setting it opens another.

    Raises EpcgError if the text shows no content of the domain.
    """

    _esm = board_file("board.js") + (_STATIC / "widget.js").read_text("utf-8")
    _css = _STYLE + board_file("board.css")
    domain = traitlets.Unicode().tag(sync=True)
    text = traitlets.Unicode().tag(sync=True)

    def __init__(self, domain: str, text: str | None = None) -> None:
        opened = editing.open_document(domain, editing.new_text(domain) if text is None else text)
        super().__init__(domain=domain, text=opened.text)
        self.on_msg(self._told)

    @traitlets.validate("text")
    def _written(self, proposal: dict[str, Any]) -> str:
        return editing.open_document(self.domain, proposal["value"]).text

    def _told(self, widget: object, content: dict[str, Any], buffers: object) -> None:
        for message in answer(content["request"]):
            self.send({"number": content["number"], "message": message})
        self.send({"number": content["number"], "done": True})

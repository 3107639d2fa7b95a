"""The ids of the pages on which puzzles are played, as the checker of types reads them.

    python -m tests.publishing.ids

writes them after a change of `play.html`, `study.html` or the page of one file.
"""

from __future__ import annotations

from pathlib import Path

from epcg_publishing.share import page_html
from epcg_publishing.site import pages

from tests.workbench import ids

TYPES = Path(__file__).parents[2] / "plugins" / "publishing" / "types" / "ids.d.ts"
HEAD = """\
// The elements of pages that play, by their ids. Made by `python -m tests.publishing.ids`.
interface PlayIds {
"""


def types_of() -> str:
    """Return the types of the elements of all pages that play puzzles."""
    how = pages.how_to_play([("how", None)], 'id="how"')
    texts = (page_html("", "{}"), pages.static("play.html"), pages.static("study.html"), how)
    found = {id_: tag for text in texts for id_, tag in ids.ids_of(text).items()}
    together = "".join(f'<{tag} id="{id_}"></{tag}>' for id_, tag in found.items())
    return ids.types_of(together, HEAD)


if __name__ == "__main__":
    TYPES.write_text(types_of(), encoding="utf-8")

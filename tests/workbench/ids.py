"""The ids of the page with the kinds of their elements, as the checker of types reads them.

    python -m tests.workbench.ids

writes them after a change of `index.html`.
"""

from __future__ import annotations

from html.parser import HTMLParser
from pathlib import Path

import epcg_workbench

PAGE = Path(epcg_workbench.__file__).parent / "static" / "index.html"
TYPES = Path(__file__).parents[2] / "plugins" / "workbench" / "types" / "ids.d.ts"
HEAD = """\
// The elements of index.html by their ids. Made by `python -m tests.workbench.ids`.
interface Ids {
"""


class _Ids(HTMLParser):
    """The ids of a page, each with the name of its element."""

    def __init__(self) -> None:
        super().__init__()
        self.found: dict[str, str] = {}
        self.twice: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        id_ = dict(attrs).get("id")
        if id_:
            self.twice += [id_] if id_ in self.found else []
            self.found[id_] = tag


def ids_of(text: str) -> dict[str, str]:
    """Return the ids of a page, each with the name of its element. Raises ValueError if one occurs twice."""
    parser = _Ids()
    parser.feed(text)
    if parser.twice:
        raise ValueError(f"The page has several elements {', '.join(parser.twice)}.")
    return parser.found


def types_of(text: str, head: str = HEAD) -> str:
    """Return the types of a page's elements, as TypeScript."""
    rows = [f'  "{id_}": HTMLElementTagNameMap["{tag}"];\n' for id_, tag in sorted(ids_of(text).items())]
    return f"{head}{''.join(rows)}}}\n"


if __name__ == "__main__":
    TYPES.write_text(types_of(PAGE.read_text(encoding="utf-8")), encoding="utf-8")

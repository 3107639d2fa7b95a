"""A booklet as one HTML file, for screens and printers: nothing is fetched from elsewhere.

Pictures are images of their own, so that ids in one cannot meet those of another.
"""

from __future__ import annotations

from base64 import b64encode
from html import escape

from epcg_core.curriculum.booklet import Booklet, BookletChapter, Puzzle

PER_PAGE = 2
SOLUTIONS_PER_PAGE = 6

_STYLE = """
@page { size: A4; margin: 15mm; }
body { font-family: sans-serif; color: #222; max-width: 180mm; margin: 0 auto; }
.page { break-after: page; padding-top: 4mm; }
.cover { min-height: 240mm; padding-top: 60mm; box-sizing: border-box; }
.cover h1 { font-size: 34pt; margin: 0 0 8mm; }
h2 { font-size: 20pt; margin: 0 0 2mm; }
p { margin: 0 0 3mm; line-height: 1.4; }
.difficulty { color: #666; }
.puzzle { break-inside: avoid; margin: 0 0 6mm; text-align: center; }
.puzzle h3 { text-align: left; font-size: 12pt; margin: 0 0 2mm; }
.puzzle h3 span { font-weight: normal; color: #666; }
.puzzle img { height: 98mm; max-width: 100%; object-fit: contain; }
.solutions { display: grid; grid-template-columns: 1fr 1fr; gap: 4mm; }
.solutions .puzzle img { height: 58mm; }
.solutions p { font-size: 9pt; text-align: left; white-space: pre-wrap; overflow-wrap: anywhere; }
pre { display: inline-block; text-align: left; font-size: 9pt; margin: 0; white-space: pre-wrap; }
@media screen {
  body { padding: 0 5mm; }
  .page { border-bottom: 1px solid #ccc; padding-bottom: 4mm; }
  .cover { min-height: 0; padding-top: 20mm; }
}
@media screen and (max-width: 600px) {
  .cover h1 { font-size: 24pt; }
  .solutions { grid-template-columns: 1fr; }
  .puzzle img, .solutions .puzzle img { width: 100%; height: auto; max-height: 98mm; }
}
"""


def as_html(booklet: Booklet) -> bytes:
    """Return a booklet as an HTML file in UTF-8."""
    parts = [
        "<!DOCTYPE html>",
        '<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        f"<title>{escape(booklet.title)}</title><style>{_STYLE}</style></head><body>",
        _cover(booklet),
    ]
    for chapter in booklet.chapters:
        parts += _chapter(chapter)
    puzzles = list(booklet.puzzles())
    for low in range(0, len(puzzles), SOLUTIONS_PER_PAGE):
        heading = ""
        if low == 0:
            explained = "".join(f"<p>{escape(text)}</p>" for text in booklet.solutions_explained())
            heading = f"<h2>Solutions</h2>{explained}"
        shown = "\n".join(_solution(puzzle) for puzzle in puzzles[low : low + SOLUTIONS_PER_PAGE])
        parts.append(f'<section class="page">{heading}<div class="solutions">\n{shown}\n</div></section>')
    return "\n".join([*parts, "</body></html>", ""]).encode()


def _cover(booklet: Booklet) -> str:
    items = "\n".join(
        f"<li>{escape(chapter.title)} <span class='difficulty'>{len(chapter.puzzles)} puzzles, "
        f"{escape(chapter.difficulty)}</span></li>"
        for chapter in booklet.chapters
    )
    return (
        f'<section class="page cover"><h1>{escape(booklet.title)}</h1>{_paragraphs(booklet.description)}'
        f"<ol>\n{items}\n</ol></section>"
    )


def _chapter(chapter: BookletChapter) -> list[str]:
    pages = []
    for low in range(0, len(chapter.puzzles), PER_PAGE):
        heading = ""
        if low == 0:
            heading = (
                f"<h2>{chapter.number}. {escape(chapter.title)}</h2>{_paragraphs(chapter.description)}"
                f'<p class="difficulty">{escape(chapter.difficulty)}</p>'
            )
        shown = "\n".join(_puzzle(puzzle) for puzzle in chapter.puzzles[low : low + PER_PAGE])
        pages.append(f'<section class="page">{heading}\n{shown}\n</section>')
    return pages


def _puzzle(puzzle: Puzzle) -> str:
    heading = f"<h3>{puzzle.number} <span>{escape(puzzle.difficulty)}</span></h3>"
    shown = _picture(puzzle.picture(), puzzle.text(), f"Puzzle {puzzle.number}")
    return f'<div class="puzzle">{heading}{shown}</div>'


def _solution(puzzle: Puzzle) -> str:
    picture = puzzle.solved_picture()
    shown = _picture(picture, "", f"Solution of puzzle {puzzle.number}") if picture else ""
    words = "" if picture else f"<p>{escape(puzzle.solution_text())}</p>"
    return f'<div class="puzzle"><h3>{puzzle.number}</h3>{shown}{words}</div>'


def _picture(svg: str | None, text: str, name: str) -> str:
    if svg is None:
        return f"<pre>{escape(text)}</pre>"
    data = b64encode(svg.encode()).decode()
    return f'<img alt="{escape(name)}" src="data:image/svg+xml;base64,{data}">'


def _paragraphs(text: str) -> str:
    return "".join(f"<p>{escape(' '.join(part.split()))}</p>" for part in text.split("\n\n") if part.strip())

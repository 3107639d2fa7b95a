"""A booklet as one HTML file, for screens and printers: nothing is fetched from elsewhere.

Pictures are images of their own, so that ids in one cannot meet those of another.
"""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Sequence
from html import escape

from epcg_core.inside import Booklet, BookletChapter, BookletPuzzle, capitalized, paragraphs
from epcg_publishing.layout import COLUMNS, SOLUTION_COLUMNS, columns_for, is_icon
from epcg_publishing.texts import ENGLISH, say

_STYLE = """
@page { size: A4; margin: 15mm; }
body { font-family: sans-serif; color: #222; max-width: 180mm; margin: 0 auto; }
.cover { break-after: page; min-height: 240mm; padding-top: 60mm; box-sizing: border-box; }
.how, .solutions { break-before: page; }
.first { break-before: page; }
.cover h1 { font-size: 34pt; margin: 0 0 8mm; }
h2 { font-size: 20pt; margin: 6mm 0 2mm; }
h3.part { font-size: 14pt; margin: 4mm 0 2mm; }
.heading { break-inside: avoid; break-after: avoid; }
p { margin: 0 0 3mm; line-height: 1.4; }
.difficulty { color: #666; }
.row { display: grid; gap: 5mm; break-inside: avoid; margin: 0 0 6mm; align-items: end; }
.puzzle, .instruction { break-inside: avoid; text-align: center; }
.instruction { margin: 0 0 4mm; text-align: left; }
.small { display: flex; flex-direction: row-reverse; justify-content: flex-end; gap: 5mm; }
.small img { width: 16mm; flex: none; }
.instruction img { max-width: 100%; max-height: 90mm; }
.puzzle h3 { text-align: left; font-size: 12pt; margin: 0 0 2mm; }
.puzzle h3 span { font-weight: normal; color: #666; }
.puzzle img { width: 100%; max-height: 105mm; object-fit: contain; }
.solutions .puzzle img { max-height: 75mm; }
.solutions p { font-size: 9pt; text-align: left; white-space: pre-wrap; overflow-wrap: anywhere; }
pre { display: inline-block; text-align: left; font-size: 9pt; margin: 0; white-space: pre-wrap; }
@media screen {
  body { padding: 0 5mm; }
  section { border-bottom: 1px solid #ccc; padding-bottom: 4mm; }
  .cover { min-height: 0; padding-top: 20mm; }
}
@media screen and (max-width: 600px) {
  .cover h1 { font-size: 24pt; }
  .row { grid-template-columns: 1fr !important; }
}
"""


def as_html(booklet: Booklet, language: str = ENGLISH) -> bytes:
    """Return a booklet as an HTML file in UTF-8."""
    parts = [
        "<!DOCTYPE html>",
        f'<html lang="{language}"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        f"<title>{escape(booklet.title)}</title><style>{_STYLE}</style></head><body><main>",
        _cover(booklet, language),
    ]
    how = say(language, "How to play")
    if instructions := booklet.how_to_play():
        shown = "".join(
            f'<div class="instruction{" small" if is_icon(each.picture) else ""}">'
            f"<p>{escape(each.said(language))}</p>"
            f"{_picture(each.picture, '', how) if each.picture else ''}</div>"
            for each in instructions
        )
        parts.append(f'<section class="how"><h2>{escape(how)}</h2>\n{shown}\n</section>')
    parts += [_chapter(chapter, language) for chapter in booklet.chapters]
    puzzles = list(booklet.puzzles())
    pictures = [puzzle.solved_picture() for puzzle in puzzles]
    solutions = [_solution(puzzle, svg, language) for puzzle, svg in zip(puzzles, pictures, strict=True)]
    shown = _rows(solutions, columns_for(pictures, SOLUTION_COLUMNS))
    heading = escape(say(language, "Solutions"))
    explained = "".join(f"<p>{escape(text)}</p>" for text in booklet.solutions_explained(language))
    parts.append(f'<section class="solutions"><h2>{heading}</h2>{explained}\n{shown}\n</section>')
    return "\n".join([*parts, "</main></body></html>", ""]).encode()


def _cover(booklet: Booklet, language: str) -> str:
    items = "\n".join(
        f"<li>{escape(chapter.title)} <span class='difficulty'>"
        f"{escape(say(language, '{count} puzzles', count=len(chapter.puzzles)))}, "
        f"{escape(chapter.difficulty)}</span></li>"
        for chapter in booklet.chapters
    )
    return (
        f'<section class="cover"><h1>{escape(booklet.title)}</h1>{_paragraphs(booklet.description)}'
        f"<ol>\n{items}\n</ol></section>"
    )


def _chapter(chapter: BookletChapter, language: str) -> str:
    first = " first" if chapter.number == 1 else ""
    shown = [
        f'<div class="heading{first}"><h2>{chapter.number}. {escape(chapter.title)}</h2>'
        f"{_paragraphs(chapter.description)}"
        + (f'<p class="difficulty">{escape(chapter.difficulty)}</p>' if chapter.one_measure else "")
        + "</div>"
    ]
    pictures = {puzzle.number: puzzle.picture() for puzzle in chapter.puzzles}
    most = columns_for(list(pictures.values()), COLUMNS)
    for name, description, puzzles in chapter.parts():
        if name or description:
            shown.append(
                f'<div class="heading"><h3 class="part">{escape(capitalized(name))}</h3>'
                f"{_paragraphs(description)}</div>"
            )
        shown.append(
            _rows(
                [_puzzle(puzzle, pictures[puzzle.number], language) for puzzle in puzzles],
                min(most, len(puzzles)),
            )
        )
    return "<section>" + "\n".join(shown) + "</section>"


def _rows(cells: Sequence[str], columns: int) -> str:
    style = f"grid-template-columns: repeat({columns}, 1fr)"
    return "\n".join(
        f'<div class="row" style="{style}">{"".join(cells[low : low + columns])}</div>'
        for low in range(0, len(cells), columns)
    )


def _puzzle(puzzle: BookletPuzzle, picture: str | None, language: str) -> str:
    heading = f"<h3>{puzzle.number} <span>{escape(puzzle.difficulty)}</span></h3>"
    shown = _picture(picture, puzzle.text(), say(language, "Puzzle {number}", number=puzzle.number))
    return f'<div class="puzzle">{heading}{shown}</div>'


def _solution(puzzle: BookletPuzzle, picture: str | None, language: str) -> str:
    name = say(language, "Solution of puzzle {number}", number=puzzle.number)
    shown = _picture(picture, "", name) if picture else ""
    words = "" if picture else f"<p>{escape(puzzle.solution_text())}</p>"
    return f'<div class="puzzle"><h3>{puzzle.number}</h3>{shown}{words}</div>'


def _picture(svg: str | None, text: str, name: str) -> str:
    if svg is None:
        return f"<pre>{escape(text)}</pre>"
    data = b64encode(svg.encode()).decode()
    return f'<img alt="{escape(name)}" src="data:image/svg+xml;base64,{data}">'


def _paragraphs(text: str) -> str:
    return "".join(f"<p>{escape(part)}</p>" for part in paragraphs(text))

"""A booklet as a PDF (A4), by reportlab and svglib: rows of puzzles that fill pages, solutions at the end.

The PDF holds no date and no random id, so that the same booklet is the same file. The two libraries are an
extra, so functions import them.
"""

from __future__ import annotations

import io
import logging
import xml.etree.ElementTree as ElementTree
from collections.abc import Callable, Iterator, Mapping, Sequence
from statistics import median
from typing import Any

import attrs

from epcg_core.inside import (
    Booklet,
    BookletChapter,
    BookletPuzzle,
    CurriculumError,
    capitalized,
    paragraphs,
    size_of,
)
from epcg_core.plugin import require
from epcg_publishing.layout import COLUMNS, SOLUTION_COLUMNS, columns_for, is_icon
from epcg_publishing.texts import ENGLISH, say

WIDTH, HEIGHT = 595.28, 841.89
"""A4, in points."""
MARGIN = 50.0
INNER = WIDTH - 2 * MARGIN
PAGE = HEIGHT - 2 * MARGIN
GAP = 14.0
"""Between cells and between rows."""
TALLEST = {COLUMNS: 262.0, SOLUTION_COLUMNS: 225.0}
"""The largest height of a picture of a puzzle, and of a solution."""
ICON = 44.0
"""The width and height of a small picture beside its text."""
MOST_SPREAD = 50.0
"""The most that is added between the rows of a page that is not full."""
_HEADING, _AROUND = 65.0, 36.0
"""The height of a chapter's heading, about, and of what stands above and below a picture."""
_SVG = "http://www.w3.org/2000/svg"
_LINE = 1.3
_GREY = 0.4


@attrs.frozen
class _Row:
    """A part of a page as broad as the page."""

    height: float
    draw: Callable[[float], None]
    """Draws it below a y."""
    keep: bool = False
    """Whether it stands on one page with the next row."""
    start: bool = False
    """Whether it begins a page."""
    name: str = ""
    """The name of a chapter that begins here."""


def as_pdf(booklet: Booklet, language: str = ENGLISH) -> bytes:
    """Return a booklet as a PDF file.

    Raises PluginError if the libraries are missing, CurriculumError if the fonts lack a letter.
    """
    require("A PDF needs", "reportlab", "svglib", extra="epcg-publishing[pdf]")
    from reportlab.pdfgen.canvas import Canvas

    file = io.BytesIO()
    canvas = Canvas(file, pagesize=(WIDTH, HEIGHT), invariant=1, pageCompression=1)
    canvas.setTitle(booklet.title)
    sheet = _Sheet(canvas)
    instructions = _pages(list(_instructions(sheet, booklet, language)))
    rows: list[_Row] = []
    for chapter in booklet.chapters:
        rows += _chapter(sheet, chapter)
    rows += _solutions(sheet, list(booklet.puzzles()), booklet.solutions_explained(language), language)
    pages = _pages(rows)
    covers = _pages(_cover(sheet, booklet, {}))
    before = len(covers) + len(instructions)
    on_page = {row.name: n for n, page in enumerate(pages, before + 1) for row in page if row.name}
    for page in _pages(_cover(sheet, booklet, on_page)):
        sheet.fill(page, spread=False, numbered=False)
    for page in instructions:
        sheet.fill(page, spread=False)
    for page in pages:
        sheet.fill(page)
    canvas.save()
    return file.getvalue()


def _pages(rows: Sequence[_Row]) -> list[list[_Row]]:
    """Part rows into pages; those that stay with the next one go to its page."""
    pages: list[list[_Row]] = []
    room, low = 0.0, 0
    while low < len(rows):
        high = low
        while rows[high].keep and high + 1 < len(rows):
            high += 1
        group = rows[low : high + 1]
        needed = sum(row.height for row in group)
        if not pages or needed > room or group[0].start:
            pages.append([])
            room = PAGE
        pages[-1] += group
        room -= needed
        low = high + 1
    return pages


def _cover(sheet: _Sheet, booklet: Booklet, on_page: Mapping[str, int]) -> list[_Row]:
    rows = [_space(150), sheet.text(booklet.title, 34, bold=True), _space(12)]
    for paragraph in paragraphs(booklet.description):
        rows += [sheet.text(paragraph, 12), _space(6)]
    rows.append(_space(20))
    for chapter in booklet.chapters:
        number = str(on_page.get(_name(chapter), ""))
        rows.append(sheet.text(f"{chapter.number}. {chapter.title}", 12, right=number))
    return rows


def _instructions(sheet: _Sheet, booklet: Booklet, language: str) -> Iterator[_Row]:
    found = booklet.how_to_play()
    if not found:
        return
    yield attrs.evolve(
        sheet.text(say(language, "How to play"), 22, bold=True, outline="how"), start=True, keep=True
    )
    for each in found:
        if each.picture and is_icon(each.picture):
            yield sheet.beside(each.picture, each.said(language))
            continue
        yield attrs.evolve(sheet.text(each.said(language), 11, after_gap=6), keep=bool(each.picture))
        if each.picture:
            width, height = size_of(each.picture)
            scale = min(INNER / width, 300 / height, 0.8)
            yield sheet.cells([("", "", each.picture, "", "")], 1, height * scale)


def _chapter(sheet: _Sheet, chapter: BookletChapter) -> Iterator[_Row]:
    title = f"{chapter.number}. {chapter.title}"
    heading = sheet.text(title, 22, bold=True, outline=_name(chapter))
    yield attrs.evolve(heading, start=chapter.number == 1, keep=True, name=_name(chapter))
    for paragraph in paragraphs(chapter.description):
        yield attrs.evolve(sheet.text(paragraph, 11), keep=True)
    shown = chapter.difficulty if chapter.one_measure else ""
    yield attrs.evolve(sheet.text(shown, 10, grey=True, after_gap=8), keep=True)
    pictures = {puzzle.number: puzzle.picture() for puzzle in chapter.puzzles}
    most = columns_for(list(pictures.values()), COLUMNS)
    for name, description, puzzles in chapter.parts():
        if name:
            yield attrs.evolve(sheet.text(capitalized(name), 14, bold=True), keep=True)
        for paragraph in paragraphs(description):
            yield attrs.evolve(sheet.text(paragraph, 11, after_gap=4), keep=True)
        cells = []
        for puzzle in puzzles:
            svg = pictures[puzzle.number]
            words = "" if svg else puzzle.text()
            cells.append((str(puzzle.number), puzzle.difficulty, svg, words, ""))
        columns = min(most, len(puzzles))
        tallest = _tallest([pictures[puzzle.number] for puzzle in puzzles], columns)
        yield from _rows(sheet, cells, columns, tallest)


def _tallest(pictures: Sequence[str | None], columns: int) -> float:
    """Return the largest height of a part's pictures, so that a heading and whole rows fill a page."""
    shapes = [high / wide for wide, high in (size_of(svg) for svg in pictures if svg is not None)]
    width = (INNER - GAP * (columns - 1)) / columns
    rows = max(1, round(PAGE / (median(shapes or [1.0]) * width + _AROUND)))
    return min(TALLEST[COLUMNS], (PAGE - _HEADING) / rows - _AROUND)


def _solutions(
    sheet: _Sheet, puzzles: Sequence[BookletPuzzle], explained: Sequence[str], language: str
) -> Iterator[_Row]:
    heading = sheet.text(say(language, "Solutions"), 22, bold=True, outline="solutions")
    yield attrs.evolve(heading, start=True, keep=True)
    for text in explained:
        yield attrs.evolve(sheet.text(text, 10, grey=True, after_gap=8), keep=True)
    pictures = [puzzle.solved_picture() for puzzle in puzzles]
    cells = []
    for puzzle, svg in zip(puzzles, pictures, strict=True):
        words = "" if svg else puzzle.solution_text().strip("\n")
        drawn = words if "\n" in words else ""  # a drawing in letters, which keeps its lines
        cells.append((str(puzzle.number), "", svg, drawn, "" if drawn else words))
    columns = columns_for(pictures, SOLUTION_COLUMNS) if any(pictures) else 2
    yield from _rows(sheet, cells, columns, TALLEST[SOLUTION_COLUMNS])


def _rows(sheet: _Sheet, cells: Sequence[_Cell], columns: int, tallest: float) -> Iterator[_Row]:
    for low in range(0, len(cells), columns):
        yield sheet.cells(cells[low : low + columns], columns, tallest)


def _name(chapter: BookletChapter) -> str:
    return f"chapter{chapter.number}"


def _space(height: float) -> _Row:
    return _Row(height, lambda top: None)


_Cell = tuple[str, str, "str | None", str, str]
"""A number, what follows it in grey, a picture, a text drawing instead of it, and words to be wrapped."""


class _Sheet:
    """Makes rows, and draws them on pages."""

    def __init__(self, canvas: Any) -> None:
        self._canvas = canvas
        self.y = HEIGHT - MARGIN

    def fill(self, rows: Sequence[_Row], spread: bool = True, numbered: bool = True) -> None:
        """Draw a page; what is left of it is spread between its rows, up to a limit."""
        rest = PAGE - sum(row.height for row in rows)
        gaps = sum(not row.keep for row in rows[:-1])
        more = min(rest / gaps, MOST_SPREAD) if spread and gaps else 0.0
        top = HEIGHT - MARGIN
        for row in rows:
            row.draw(top)
            top -= row.height + (0.0 if row.keep else more)
        if numbered:
            self._canvas.setFont("Helvetica", 9)
            self._canvas.drawCentredString(WIDTH / 2, 25, str(self._canvas.getPageNumber()))
        self._canvas.showPage()

    def text(
        self,
        text: str,
        size: float,
        *,
        bold: bool = False,
        grey: bool = False,
        right: str = "",
        after_gap: float = 2.0,
        outline: str = "",
    ) -> _Row:
        """Make a row of a string, wrapped; `right` stands at the right margin of its first line."""
        width = INNER - (40 if right else 0)
        lines = _wrapped(text, size, width, bold)

        def draw(top: float) -> None:
            if outline:
                self._canvas.bookmarkPage(outline)
                self._canvas.addOutlineEntry(text, outline, 0)
            if right:
                self._canvas.setFont("Helvetica", size)
                self._canvas.drawRightString(WIDTH - MARGIN, top - size * _LINE, right)
            self.y = top
            self.write(lines, size, MARGIN, bold=bold, grey=grey)

        return _Row(len(lines) * size * _LINE + after_gap, draw)

    def beside(self, picture: str, text: str) -> _Row:
        """Make a row of a small picture and, to the right of it, a text."""
        left = MARGIN + ICON + GAP
        lines = _wrapped(text, 11, INNER - ICON - GAP)
        height = max(ICON, len(lines) * 11 * _LINE)

        def draw(top: float) -> None:
            self.picture(picture, "", MARGIN, top - ICON, ICON, ICON)
            self.y = top - (height - len(lines) * 11 * _LINE) / 2
            self.write(lines, 11, left)

        return _Row(height + GAP, draw)

    def cells(self, cells: Sequence[_Cell], columns: int, tallest: float) -> _Row:
        """Make a row of puzzles or solutions side by side; pictures are as large as `tallest` allows."""
        width = (INNER - GAP * (columns - 1)) / columns
        heading = 13 * _LINE + 4 if any(cell[0] for cell in cells) else 0.0
        heights = [min(tallest, _natural(cell, width)) for cell in cells]

        def draw(top: float) -> None:
            for i, (number, after, svg, drawn, words) in enumerate(cells):
                left = MARGIN + i * (width + GAP)
                self.y = top
                if number:
                    self.write([number], 13, left, bold=True, after=after)
                if words:
                    self.write(_wrapped(words, 9, width), 9, left)
                else:
                    self.picture(svg, drawn, left, top - heading - max(heights), width, max(heights))

        return _Row(heading + max(heights) + GAP, draw)

    def write(
        self,
        lines: Sequence[str],
        size: float,
        left: float,
        *,
        bold: bool = False,
        grey: bool = False,
        after: str = "",
    ) -> None:
        """Draw lines below `y`; `after` follows the last one in small grey letters."""
        font = _font(bold)
        end = left
        for line in lines:
            self.y -= size * _LINE
            self._canvas.setFillGray(_GREY if grey else 0)
            self._canvas.setFont(font, size)
            self._canvas.drawString(left, self.y, _printable(line))
            end = left + self._canvas.stringWidth(line, font, size)
        if after:
            self._canvas.setFillGray(_GREY)
            self._canvas.setFont("Helvetica", 10)
            self._canvas.drawString(end + 8, self.y, _printable(after))
        self._canvas.setFillGray(0)

    def picture(
        self, svg: str | None, text: str, left: float, bottom: float, width: float, height: float
    ) -> None:
        """Draw a picture or a text drawing, centred and as large as fits into a box."""
        if svg is None:
            self._letters(text, left, bottom, width, height)
            return
        from reportlab.graphics import renderPDF

        drawing = _drawing(svg)
        scale = min(width / drawing.width, height / drawing.height)
        x, y = left + (width - drawing.width * scale) / 2, bottom + (height - drawing.height * scale) / 2
        self._canvas.saveState()
        self._canvas.translate(x, y)
        self._canvas.scale(scale, scale)
        renderPDF.draw(drawing, self._canvas, 0, 0)
        self._canvas.restoreState()

    def _letters(self, text: str, left: float, bottom: float, width: float, height: float) -> None:
        lines = _printable(text).rstrip("\n").split("\n")
        longest = max(1, *map(len, lines)) if lines else 1
        size = min(12.0, width / (0.6 * longest), height / (1.2 * len(lines)))
        x, y = left + (width - 0.6 * size * longest) / 2, bottom + height
        self._canvas.setFont("Courier", size)
        for line in lines:
            y -= 1.2 * size
            self._canvas.drawString(x, y, line)


def _font(bold: bool) -> str:
    return "Helvetica-Bold" if bold else "Helvetica"


def _wrapped(text: str, size: float, width: float, bold: bool = False) -> list[str]:
    """Return the lines of a string that are no longer than `width`."""
    from reportlab.lib.utils import simpleSplit

    lines: list[str] = simpleSplit(_printable(text), _font(bold), size, width)
    return lines


def _natural(cell: _Cell, width: float) -> float:
    """Return the height of a cell's content if it fills a width."""
    _, _, svg, drawn, words = cell
    if words:
        return len(_wrapped(words, 9, width)) * 9 * _LINE + 4
    if svg is None:
        lines = drawn.rstrip("\n").split("\n")
        return min(12.0, width / (0.6 * max(1, *map(len, lines)))) * 1.2 * len(lines)
    wide, high = size_of(svg)
    return width * high / wide


def _drawing(svg: str) -> Any:
    """Convert an SVG picture to a drawing of reportlab."""
    from svglib.svglib import svg2rlg

    ElementTree.register_namespace("", _SVG)
    try:
        root = ElementTree.fromstring(svg)
    except (ElementTree.ParseError, UnicodeEncodeError) as error:  # or half a character
        raise CurriculumError(f"A picture is not valid SVG: {error}.") from error
    for parent in list(root.iter()):
        for child in list(parent):
            if child.tag in (f"{{{_SVG}}}title", f"{{{_SVG}}}desc"):
                parent.remove(child)  # for screen readers; svglib warns of them
    logging.getLogger("svglib.svglib").setLevel(logging.ERROR)
    drawing = svg2rlg(io.BytesIO(ElementTree.tostring(root)))
    if drawing is None or not drawing.width or not drawing.height:
        raise CurriculumError("A picture has no size, so it cannot be printed; export HTML instead.")
    return drawing


def _printable(text: str) -> str:
    """Return `text`, if the PDF's own fonts have all of its letters. Raises CurriculumError."""
    for letter in text:
        try:
            letter.encode("cp1252")
        except UnicodeEncodeError:
            raise CurriculumError(
                f"The fonts of the PDF have no '{letter}' (in '{text[:40]}'): replace it, or export HTML."
            ) from None
    return text

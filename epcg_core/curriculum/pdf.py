"""A booklet as a PDF (A4), by reportlab and svglib: two puzzles a page, solutions at the end.

The PDF holds no date and no random id, so that the same booklet is the same file. The two libraries are an
extra, so functions import them.
"""

from __future__ import annotations

import io
import logging
import xml.etree.ElementTree as ElementTree
from collections.abc import Sequence
from typing import Any

from epcg_core.curriculum.booklet import Booklet, BookletChapter, Puzzle
from epcg_core.errors import CurriculumError, require

WIDTH, HEIGHT = 595.28, 841.89
"""A4, in points."""
MARGIN = 50.0
PER_PAGE = 2
COLUMNS, ROWS = 2, 3
"""Solutions on a page."""
_SVG = "http://www.w3.org/2000/svg"
_LINE = 1.3
_GREY = 0.4


def as_pdf(booklet: Booklet) -> bytes:
    """Return a booklet as a PDF file.

    Raises PluginError if the libraries are missing, CurriculumError if the fonts lack a letter.
    """
    require("A PDF needs", "reportlab", "svglib", extra="epcg-core[booklet]")
    from reportlab.pdfgen.canvas import Canvas

    file = io.BytesIO()
    canvas = Canvas(file, pagesize=(WIDTH, HEIGHT), invariant=1, pageCompression=1)
    canvas.setTitle(booklet.title)
    pages = _Pages(canvas)
    pages.cover(booklet)
    for chapter in booklet.chapters:
        pages.chapter(chapter)
    pages.solutions(list(booklet.puzzles()), booklet.solutions_explained())
    canvas.save()
    return file.getvalue()


class _Pages:
    """Draws pages from the top down; `y` is the position of the next element."""

    def __init__(self, canvas: Any) -> None:
        self._canvas = canvas
        self.y = HEIGHT - MARGIN

    def cover(self, booklet: Booklet) -> None:
        self.y = HEIGHT - 200
        self.write(booklet.title, 34, bold=True)
        self.y -= 12
        for paragraph in booklet.description.split("\n\n"):
            self.write(" ".join(paragraph.split()), 12)
            self.y -= 6
        self.y -= 20
        page = 2
        for chapter in booklet.chapters:
            if self.y < MARGIN + 30:
                self.turn()
            self._canvas.setFont("Helvetica", 12)
            self._canvas.drawRightString(WIDTH - MARGIN, self.y - 12 * _LINE, str(page))
            self.write(f"{chapter.number}. {chapter.title}", 12, width=WIDTH - 2 * MARGIN - 40)
            page += -(-len(chapter.puzzles) // PER_PAGE)
        self.turn(numbered=False)

    def chapter(self, chapter: BookletChapter) -> None:
        for low in range(0, len(chapter.puzzles), PER_PAGE):
            if low == 0:
                self.write(f"{chapter.number}. {chapter.title}", 22, bold=True)
                self._canvas.bookmarkPage(f"chapter{chapter.number}")
                self._canvas.addOutlineEntry(chapter.title, f"chapter{chapter.number}", 0)
                if chapter.description:
                    self.write(" ".join(chapter.description.split()), 11)
                self.write(chapter.difficulty, 10, grey=True)
                self.y -= 8
            height = (self.y - MARGIN) / PER_PAGE
            for puzzle in chapter.puzzles[low : low + PER_PAGE]:
                top = self.y
                self.write(str(puzzle.number), 13, bold=True, after=puzzle.difficulty)
                box = (MARGIN, top - height + 14, WIDTH - 2 * MARGIN, self.y - (top - height + 14) - 4)
                self.picture(puzzle.picture(), puzzle.text(), *box)
                self.y = top - height
            self.turn()

    def solutions(self, puzzles: Sequence[Puzzle], explained: Sequence[str]) -> None:
        for low in range(0, len(puzzles), COLUMNS * ROWS):
            if low == 0:
                self.write("Solutions", 22, bold=True)
                self._canvas.bookmarkPage("solutions")
                self._canvas.addOutlineEntry("Solutions", "solutions", 0)
                for text in explained:
                    self.write(text, 10, grey=True)
                self.y -= 8
            width, height = (WIDTH - 2 * MARGIN) / COLUMNS, (self.y - MARGIN) / ROWS
            top = self.y
            for i, puzzle in enumerate(puzzles[low : low + COLUMNS * ROWS]):
                row, column = divmod(i, COLUMNS)
                self.y = top - row * height
                self.solution(puzzle, MARGIN + column * width, width - 12, self.y - height + 8)
            self.turn()

    def solution(self, puzzle: Puzzle, left: float, width: float, bottom: float) -> None:
        picture = puzzle.solved_picture()
        self.write(str(puzzle.number), 11, bold=True, left=left, width=width)
        words = "" if picture else puzzle.solution_text()
        self.picture(picture, words, left, bottom, width, self.y - bottom - 4)

    def turn(self, numbered: bool = True) -> None:
        """Finish the page."""
        if numbered:
            self._canvas.setFont("Helvetica", 9)
            self._canvas.drawCentredString(WIDTH / 2, 25, str(self._canvas.getPageNumber()))
        self._canvas.showPage()
        self.y = HEIGHT - MARGIN

    def write(
        self,
        text: str,
        size: float,
        *,
        bold: bool = False,
        grey: bool = False,
        after: str = "",
        left: float = MARGIN,
        width: float = WIDTH - 2 * MARGIN,
    ) -> None:
        """Draw the lines of a string; `after` follows the last one in small grey letters."""
        from reportlab.lib.utils import simpleSplit

        font = "Helvetica-Bold" if bold else "Helvetica"
        end = left
        for line in simpleSplit(_printable(text), font, size, width):
            self.y -= size * _LINE
            self._canvas.setFillGray(_GREY if grey else 0)
            self._canvas.setFont(font, size)
            self._canvas.drawString(left, self.y, line)
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


def _drawing(svg: str) -> Any:
    """Convert an SVG picture to a drawing of reportlab."""
    from svglib.svglib import svg2rlg

    ElementTree.register_namespace("", _SVG)
    try:
        root = ElementTree.fromstring(svg)
    except ElementTree.ParseError as error:
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
